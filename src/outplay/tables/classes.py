"""Tables by class: the classes that are asked for and those that actions lead to, solved in order, and their file.

    outplay classes        and a line feed, 16 bytes
    length, CRC-32         of the header, two uint32
    header                 JSON: the game, a hash of its rules, for each class its number, name, utilities, counts, and
                           for each of its blocks of levels and of plies the length and the CRC-32
    blocks                 compressed with zstd, in the order of the header

A block has `BLOCK` numbers of one or two bytes. Holes, and the plies of draws, repeat the number before: that is
smallest.
"""

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from outplay.rules.constant_sum import balance
from outplay.rules.errors import OutplayError, TableError, UnsuitableGame
from outplay.rules.game import Game, defines, friends_of
from outplay.system.files import read_file, write_file
from outplay.tables.compression import LEVEL, zstd
from outplay.tables.dense import NEEDS, UNKNOWN, DenseSolver, Solved, interruptible
from outplay.tables.file import MAKE_AGAIN, begins_with, numbers_of
from outplay.tables.stats import TableStats

MAGIC = b"outplay classes\n"
BLOCK = 1 << 18
"""The number of indices of a block."""
NUMBERING = ("state_index", "indexed_state", "index_count")
"""The rules that a game with classes defines."""

T = TypeVar("T")


class Classes:
    """Solved classes of a game, by number."""

    def __init__(self, game: Game, solved: dict[int, Solved], known: dict[int, dict[str, Any]] | None = None) -> None:
        self.game, self.solved = game, solved
        self.about = known or {number: _about(game, each) for number, each in solved.items()}
        """What the header of a file says of each class."""

    def __len__(self) -> int:
        """The number of states: indices without holes."""
        return sum(sum(each["counts"]) for each in self.about.values())

    def find(self, state: Any) -> tuple[float, int] | None:
        """The value of a state for player 0, and the plies to the end; None if its class is not there."""
        game = self.game
        solved = self.solved.get(int(game.state_class(state)))
        index = int(game.state_index(state)) if solved is not None else -1
        if solved is None or not 0 <= index < len(solved.levels) or solved.levels[index] == UNKNOWN:
            return None
        value = solved.utilities[solved.levels[index]]
        is_own = friends_of(game) >> int(game.index_player(state)) & 1
        plies = 0 if value == balance(game) else int(solved.plies[index])
        return (value if is_own else 2 * balance(game) - value), plies

    def holds(self, state: Any, value: float, plies: int) -> bool:
        """Whether the value is certain even if the state has a past that its index leaves out, such as idle plies."""
        return value == balance(self.game) or plies <= int(self.game.index_plies(state))

    def states(self) -> Iterator[Any]:
        """The state of each index that is not a hole."""
        game = self.game
        for number, each in self.solved.items():
            for index in range(len(each.levels)):
                state = game.indexed_state(number, index)
                if game.state_class(state) == number and game.state_index(state) == index:
                    yield state

    def stats(self) -> TableStats:
        """All classes in numbers, as values of `index_player`."""
        counts: dict[float, int] = {}
        longest: dict[float, int] = {}
        for each in self.about.values():
            for value, count, most in zip(each["utilities"], each["counts"], each["longest"], strict=True):
                counts[value] = counts.get(value, 0) + count
                if value != balance(self.game):
                    longest[value] = max(longest.get(value, 0), most)
        return TableStats(sum(counts.values()), dict(sorted(counts.items())), dict(sorted(longest.items())))


def _about(game: Game, solved: Solved) -> dict[str, Any]:
    levels, kinds = solved.levels, range(len(solved.utilities))
    return {
        "number": solved.number,
        "name": game.class_name(solved.number),
        "indices": len(levels),
        "utilities": list(solved.utilities),
        "counts": [int((levels == level).sum()) for level in kinds],
        "longest": [int(solved.plies[levels == level].max(initial=0)) for level in kinds],
    }


def check_has_classes(game: Game) -> None:
    """Raise `UnsuitableGame` for a game without dense numbering."""
    missing = [rule for rule in NUMBERING if not defines(game, rule)]
    if missing:
        raise UnsuitableGame(f"there are no tables by class of {game!r}: it does not define {', '.join(missing)}")


def solve_classes(
    game: Game, wanted: Iterable[str | int], memory_mb: float, progress: Callable[[int, int], None] | None = None
) -> Classes | None:
    """Solve classes, by name or number, and those that their actions lead to; None if Ctrl-C stopped it.

    Raises `OutplayError` if classes lead to each other in a circle, or memory does not suffice.
    """
    check_has_classes(game)
    solved: dict[int, Solved] = {}
    for each in wanted:
        waiting = [DenseSolver(game, game.parse_class(each) if isinstance(each, str) else each, memory_mb)]
        while waiting and waiting[-1].number not in solved:
            solver = waiting[-1]
            why = _watched(solver, lambda: solver.expand(list(solved.values())), progress)  # noqa: B023 - ends here
            if why is None:
                return None
            if why == NEEDS:
                needed = int(solver.memory.needed)
                if any(needed == other.number for other in waiting):
                    raise OutplayError(
                        f"{game!r}: class {game.class_name(needed)} leads to class {solver.name} and back:"
                        " both must be one class, so that classes can be solved one after the other"
                    )
                waiting.append(DenseSolver(game, needed, memory_mb))
                continue
            found = _watched(solver, solver.solve, progress)
            if found is None:
                return None
            solved[solver.number] = found
            waiting.pop()
    return Classes(game, solved)


def _watched(solver: DenseSolver, work: Callable[[], T], progress: Callable[[int, int], None] | None) -> T | None:
    """The result of `work()`; None if Ctrl-C stopped it."""
    results: list[T] = []
    report = (lambda: progress(solver.count, int(solver.memory.at))) if progress else None
    finished = interruptible(solver.memory, lambda: results.append(work()), report)
    return results[0] if finished else None


# -- files ------------------------------------------------------------------------------------------------------------


def _filled(numbers: NDArray[Any], free: NDArray[np.bool_]) -> NDArray[Any]:
    """`numbers` with those at `free` places replaced by the one before, or by the first of the others."""
    if free.all():
        return np.zeros_like(numbers)
    places = np.where(free, int(np.argmin(free)), np.arange(len(numbers)))
    return numbers[np.maximum.accumulate(places)]


def write_classes(path: str | os.PathLike[str], header: dict[str, Any], classes: Classes) -> None:
    """Write classes to a file, whole or not at all. Raises `TableError` if it cannot be written."""
    compress = zstd()[0]
    blocks: list[bytes] = []
    about = []
    for number, each in classes.solved.items():
        draw = len(each.utilities) // 2
        levels = each.levels if _is_full(each) else _filled(each.levels, each.levels == UNKNOWN)
        plies = _filled(each.plies, (each.levels == UNKNOWN) | (each.levels == draw))
        plies = plies.astype("u1" if plies.max(initial=0) < 256 else "<u2")
        parts = {}
        for name, numbers in (("levels", levels), ("plies", plies)):
            made = [
                compress(numbers[start : start + BLOCK].tobytes(), LEVEL) for start in range(0, len(numbers), BLOCK)
            ]
            blocks += made
            parts[name] = [[len(block), zlib.crc32(block)] for block in made]
        about.append(classes.about[number] | parts | {"plies_bytes": plies.itemsize})
    text = json.dumps(header | {"classes": about}, separators=(",", ":")).encode()
    write_file(path, [MAGIC, numbers_of(len(text), zlib.crc32(text)), text, *blocks], TableError)


def _is_full(solved: Solved) -> bool:
    return not bool((solved.levels == UNKNOWN).any())


def is_classes(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as those of tables by class do."""
    return begins_with(path, MAGIC)


def _decompressed(packed: bytes, most: int, path: str | os.PathLike[str], where: str) -> bytes:
    """At most `most` bytes that were compressed. Raises `TableError` if there are more, or they are damaged."""
    try:
        found: bytes = zstd()[1]().decompress(packed, most + 1)
    except Exception as error:  # the module of its errors differs between versions of Python
        raise TableError(f"{path} is damaged in {where} ({error}): {MAKE_AGAIN}") from None
    if len(found) > most:
        raise TableError(f"{path} is damaged in {where}, which is too long: {MAKE_AGAIN}")
    return found


def read_classes(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[int, Solved], dict[int, dict[str, Any]]]:
    """The header, the classes, and what the header says of each. Raises `TableError` if the file is damaged."""
    content = read_file(path, TableError)
    damaged = TableError(f"{path} is damaged in its header: {MAKE_AGAIN}")
    at = len(MAGIC) + 8
    if len(content) < at or not content.startswith(MAGIC):
        raise TableError(f"{path} is not a table by class: {MAKE_AGAIN}")
    length, check = np.frombuffer(content, "<u4", 2, len(MAGIC)).tolist()
    text = content[at : at + length]
    if zlib.crc32(text) != check:
        raise damaged
    solved, known = {}, {}
    try:
        header, at = json.loads(text), at + length
        for each in header["classes"]:
            count, parts = int(each["indices"]), []
            for name, kind in (("levels", "u1"), ("plies", f"<u{each['plies_bytes']}")):
                numbers = []
                for block, (size, wanted) in enumerate(each.pop(name)):
                    packed, at = content[at : at + size], at + size
                    where = f"block {block + 1:,} of the {name} of class {each['name']}"
                    if len(packed) != size or zlib.crc32(packed) != wanted:
                        raise TableError(f"{path} is damaged in {where}: {MAKE_AGAIN}")
                    numbers.append(
                        np.frombuffer(_decompressed(packed, BLOCK * np.dtype(kind).itemsize, path, where), kind)
                    )
                parts.append(np.concatenate(numbers))
            if not len(parts[0]) == len(parts[1]) == count or parts[0].max() >= len(each["utilities"]):
                raise damaged
            solved[each["number"]] = Solved(each["number"], tuple(each["utilities"]), parts[0], parts[1])
            known[each["number"]] = each
    except TableError:  # which is a ValueError, and says where
        raise
    except (ValueError, TypeError, KeyError, RecursionError):
        raise damaged from None
    if at != len(content):
        raise TableError(f"{path} has {len(content):,} bytes, not {at:,}: {MAKE_AGAIN}")
    return header, solved, known
