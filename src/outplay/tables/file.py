"""The file of a table: the codes of all states in ascending order, with their values, in compressed blocks.

    outplay table 1        and a line feed, 16 bytes
    length, CRC-32         of the header, two uint32
    header                 JSON: the game, a hash of its rules, the form of codes, the utilities, …
    CRC-32                 of the index, one uint32
    index                  for each block: the code that it begins with, int64 [words]; then where each block begins,
                           uint64 [blocks + 1], from the end of the index on; then the CRC-32 of each block, uint32
    blocks                 compressed with zstd

All numbers are little-endian. A block has `BLOCK` states (the last one may have fewer). It holds, for each word of the
code, the differences from state to state, uint64, by significance of their bytes: all lowest bytes, then all next ones,
and so on; then the levels, and the plies, both of the width that the header gives. The first differences are those from
the code in the index, 0. In games with chance, the levels are the values themselves, float64, by bytes like the
differences.

A table without distances has a "form" in its header, and the number of states with each value. Its blocks lack the
plies; in the form "diagram", a decision diagram (`packed_values.py`) is all that follows the header.
"""

import os
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import OutplayError, TableError
from outplay.system.files import check_version, why_not_writable
from outplay.tables.block_file import CLASSES_MAGIC, MAGIC, MAKE_AGAIN, BlockFile, begins_with
from outplay.tables.codec import WORD, Codec, Range
from outplay.tables.compression import zstd
from outplay.tables.decision_diagram import MOST_BITS
from outplay.tables.packed_values import PackedValues
from outplay.tables.sizes import BLOCK

VALUE_BYTES = 8
"""The width of levels that are values, in games with chance."""
CACHED = 256
"""The number of blocks that are kept uncompressed."""
BLOCKS, DIAGRAM = "blocks", "diagram"
"""The forms of a table without distances."""


class States(NamedTuple):
    """States in ascending order of their codes."""

    codes: NDArray[np.int64]
    """Shape (states, words)."""
    levels: NDArray[Any]
    """The index of each state's value in the utilities; in games with chance, the value itself, float64."""
    plies: NDArray[Any]
    """The plies to the end of the game; 0 in draws, and in a table without distances."""

    def find(self, code: tuple[int, ...]) -> tuple[float, int] | None:
        """The level and the plies of the state with this code; None if it is not there."""
        at = place_of(self.codes, code)
        if at < 0 or tuple(self.codes[at].tolist()) != code:
            return None
        return self.levels[at].item(), int(self.plies[at])


def place_of(codes: NDArray[np.int64], code: tuple[int, ...]) -> int:
    """The index of the last of the ascending `codes` that is not above `code`; -1 if all are."""
    begin, end = 0, len(codes)
    for word, number in enumerate(code):
        column = codes[begin:end, word]
        first = begin + int(np.searchsorted(column, number))
        after = begin + int(np.searchsorted(column, number, side="right"))
        if first == after or word == len(code) - 1:
            return after - 1
        begin, end = first, after
    return end - 1


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as tables do, of all states or by class."""
    return begins_with(path, MAGIC) or begins_with(path, CLASSES_MAGIC)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise `TableError` if a table could not be written there and read again: better now than after hours."""
    reason = why_not_writable(path)
    if not reason and os.path.exists(path) and not os.path.isfile(path):
        reason = "it is not a regular file"  # such as a pipe, from which no table can be read
    if reason:
        raise TableError(f"{path} cannot be written: {reason}")
    zstd()


def _from_bytes(content: bytes, count: int, at: int, kind: str) -> NDArray[Any]:
    """The numbers whose bytes begin at this place."""
    by_byte = np.frombuffer(content, np.uint8, 8 * count, at).reshape(8, count)
    return np.ascontiguousarray(by_byte.T).view(kind)[:, 0]


def check_header(header: dict[str, Any]) -> None:
    """Raise `ValueError`, `TypeError` or `KeyError` if something is missing in a header, or cannot be right."""
    texts, utilities = [header[name] for name in ("game", "rules", "code", "outplay")], header["utilities"]
    ranges = [header["count"], *header["cells"]]
    sizes = [header[name] for name in ("states", "words", "level_bytes", "plies_bytes")]
    whole = [*sizes, *(number for low, high in ranges for number in (low, high))]
    if not all(type(number) is int for number in whole) or not all(isinstance(text, str) for text in texts):
        raise TypeError("a number or a text is of another kind")
    if (
        header["states"] < 1
        or header["level_bytes"] not in (1, 2, VALUE_BYTES)
        or header["plies_bytes"] not in (0, 1, 2)
    ):
        raise ValueError("a number is out of range")
    if (header["level_bytes"] == VALUE_BYTES) != ("error" in header) or not 0 <= header.get("error", 0) < np.inf:
        raise ValueError("a table has an error where it has values, and only there")
    form = header.get("form")
    if form not in (None, BLOCKS, DIAGRAM) or (form is None) != (header["plies_bytes"] > 0):
        raise ValueError("a form that this version does not know")
    if form is not None and "error" in header:
        raise ValueError("a table with chance has no form")
    least, most = header["count"]
    if not least <= len(header["cells"]) <= most or not all(-(2**63) <= low <= high < 2**63 for low, high in ranges):
        raise ValueError("a range is wrong")
    if Codec([Range(*bounds) for bounds in header["cells"]], Range(*header["count"])).words != header["words"]:
        raise ValueError("the words do not fit the ranges")
    if any(isinstance(utility, list) for utility in utilities):  # those of each side
        vectors = [tuple(map(float, utility)) for utility in utilities]
        if vectors != sorted(set(vectors)) or len(set(map(len, vectors))) != 1:
            raise ValueError("the utilities are not in ascending order")
    elif header["draw"] not in utilities or utilities != sorted(set(map(float, utilities))):
        raise ValueError("the utilities are not in ascending order, with that of a draw")
    if form is not None:
        counts, bits, base = header["counts"], header.get("bits", []), header.get("base", [])
        if not all(type(number) is int for number in (*counts, *bits, *base)) or type(header["acyclic"]) is not bool:
            raise TypeError("a number is of another kind")
        if len(counts) != len(utilities) or min(counts) < 0 or sum(counts) != header["states"]:
            raise ValueError("the numbers of states are wrong")
        if form == DIAGRAM and (
            len(base) != header["words"]
            or not 0 < len(set(bits)) == len(bits) <= MOST_BITS
            or not all(0 <= bit < WORD * len(base) for bit in bits)
            or not all(0 <= word < 2**64 for word in base)
        ):
            raise ValueError("the bits are wrong")


class TableFile:
    """The file of a table, open for reading. Blocks are read when they are needed, and checked then.

    Raises `TableError` if it is not a table or is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        zstd()
        self._cache: OrderedDict[int, States] = OrderedDict()
        if os.path.exists(path) and not os.path.isfile(path):
            raise TableError(f"{path} cannot be read: it is not a regular file")  # a pipe might never answer
        self._file = file = BlockFile(path)  # which stays open: another file may take the name
        self.size = file.size
        begins = file.read(0, len(MAGIC))
        for magic in (MAGIC, CLASSES_MAGIC):
            check_version(path, begins, magic, TableError)
        if begins != MAGIC:
            empty = "the file is empty" if self.size == 0 else f"it does not begin with {MAGIC.decode().strip()!r}"
            raise TableError(f"{path} is not a table: {empty}")
        self.header = file.take_header(MAGIC)
        try:
            check_header(self.header)
        except (OutplayError, ValueError, TypeError, KeyError) as error:
            raise TableError(f"{path} has a header that is not one of a table ({error!r}): {MAKE_AGAIN}") from None
        self.distances = "form" not in self.header
        self._values: PackedValues | None = None
        self.firsts = np.zeros((0, self.header["words"]), np.int64)
        """The code that each block begins with, shape (blocks, words)."""
        if self.header.get("form") == DIAGRAM:
            content = file.take("diagram", "u1", self.size - file.at).tobytes()
            try:
                self._values = PackedValues.unpack(
                    self.header["bits"], self.header["base"], content, len(self.header["utilities"])
                )
            except Exception as error:  # damaged bytes raise errors of many kinds
                raise TableError(f"{path}: {error}: {MAKE_AGAIN}") from None
            return
        count, words = self.header["states"], self.header["words"]
        blocks = -(-count // BLOCK)
        check, start = int(file.take("index", "<u4", 1)[0]), file.at
        self.firsts = file.take("index", "<i8", blocks * words).reshape(-1, words).astype(np.int64)
        self._offsets = file.take("index", "<u8", blocks + 1).tolist()
        self._checks = file.take("index", "<u4", blocks).tolist()
        if zlib.crc32(file.read(start, file.at - start)) != check or self._offsets != sorted(self._offsets):
            raise file.damaged("its index")
        self._at = file.at
        if self._at + self._offsets[-1] != self.size:
            raise TableError(f"{path} has {self.size:,} bytes, not {self._at + self._offsets[-1]:,}: {MAKE_AGAIN}")

    def __reduce__(self) -> Any:
        return TableFile, (self.path,)

    def __len__(self) -> int:
        """The number of states."""
        return int(self.header["states"])

    def block(self, number: int) -> States:
        """The states of a block. Raises `TableError` if it is damaged."""
        block = self._cache.get(number)
        if block is None:
            block = self._read(number)
            self._cache[number] = block
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return block

    def _read(self, number: int) -> States:
        start, end = (self._at + self._offsets[number + i] for i in (0, 1))
        place = f"its block {number + 1:,} of {len(self.firsts):,}"
        header, words = self.header, self.header["words"]
        count = min(BLOCK, len(self) - number * BLOCK)
        size = count * (8 * words + header["level_bytes"] + header["plies_bytes"])
        packed = self._file.packed(start, end - start, self._checks[number], place)
        content = self._file.unpacked(packed, size, place)
        codes = np.empty((count, words), np.int64)
        for word in range(words):
            steps = _from_bytes(content, count, 8 * count * word, "<u8").astype(np.int64)
            codes[:, word] = np.cumsum(steps) + self.firsts[number, word]
        at = 8 * count * words
        has_values = header["level_bytes"] == VALUE_BYTES
        levels = (
            _from_bytes(content, count, at, "<f8")
            if has_values
            else np.frombuffer(content, f"<u{header['level_bytes']}", count, at)
        )
        plies = np.zeros(count, np.uint8)
        if self.distances:
            plies = np.frombuffer(content, f"<u{header['plies_bytes']}", count, at + levels.nbytes)
        if not np.isfinite(levels).all() if has_values else levels.max() >= len(header["utilities"]):
            raise self._file.damaged(place)
        return States(codes, levels, plies)

    def find(self, code: tuple[int, ...]) -> tuple[float, int] | None:
        """The level and the plies of the state with this code; None if it is not there."""
        if self._values:
            level = self._values.find(code)
            return None if level is None else (level, 0)
        number = place_of(self.firsts, code)
        return None if number < 0 else self.block(number).find(code)

    def blocks(self) -> Iterator[States]:
        """All states, block by block; those of a diagram at once."""
        if self._values:
            codes, levels = self._values.items()
            if len(codes) != len(self):
                raise self._file.damaged("its diagram")
            return iter([States(codes, levels.astype(np.uint16), np.zeros(len(codes), np.uint16))])
        return map(self._read, range(len(self.firsts)))

    def states(self) -> States:
        """All states, in memory."""
        parts = list(self.blocks())
        return States(*(np.concatenate([part[i] for part in parts]) for i in range(3)))
