"""Codes: states as short numbers, without collisions; ranges of cells, and how they are widened.

A state consists of cells (`compile/state_cells.py`). Over all states found so far, a cell lies between a least and a
greatest value, so it needs only some bits; those of all cells, side by side, are the code of the state, in one or more
words of 64 bits. Two states have the same code only if they are equal, and `decode` gives the state back.

A state with a cell outside its range has no code yet: `Codec.widen` makes a codec whose ranges hold it too. The range
at least doubles, so that this happens seldom. States with containers may differ in the number of their cells, so that
this number is a field too; cells that a state lacks are encoded as the least value.

The number of cells has the highest bits, then come the cells in order. So codes sort as (number of cells, cells) does,
whatever the ranges: the image of a state with the least code is the same one in any codec.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import Record, layout, new_record
from outplay.compile.state_cells import MAX_CELLS, read_cells, write_cells
from outplay.rules.errors import OutplayError
from outplay.rules.game import defines
from outplay.rules.keys import SEED, mix
from outplay.tables.teams import Team

WORD = 64
"""The bits of a word."""
WORDS = 8
"""The maximum number of words of a code."""
LEAST = -(1 << WORD - 1)
"""The least number with a sign."""
FIELDS = (
    ("words", int),  # of a code
    ("fields", int),  # the number of fields: cells, and their number
    ("low", int, MAX_CELLS + 1),  # of each field: the least value,
    ("high", int, MAX_CELLS + 1),  # the greatest one,
    ("mask", int, MAX_CELLS + 1),  # its bits,
    ("word", int, MAX_CELLS + 1),  # and where they are in a code
    ("shift", int, MAX_CELLS + 1),
    ("count", int),  # of a state that is encoded: the number of cells,
    ("cells", int, MAX_CELLS + 1),  # the cells,
    ("code", int, WORDS),  # and its code
    ("image", int, MAX_CELLS + 1),  # the cells of an image of it
)
"""The fields of a codec in kernels."""
LAYOUT = layout(*FIELDS)
"""The memory of a codec in kernels."""


class Range(NamedTuple):
    """The least and the greatest value of a field."""

    low: int
    high: int

    def widened(self, value: int) -> "Range":
        """A range that holds `value` too, with room on its side: the smallest of 2**k values that will do."""
        if self.low <= value <= self.high:
            return self
        if max(value, self.high) - min(value, self.low) >= -LEAST:
            return Range(LEAST, -LEAST - 1)
        size = 1
        far, inner_end = (self.low, value) if value > self.high else (value, self.high)
        while size <= inner_end - far:
            size *= 2
        low = self.low if value > self.high else self.high - size + 1
        low = min(max(low, LEAST), -LEAST - size)
        return Range(low, low + size - 1)

    @property
    def bits(self) -> int:
        """The bits that tell the values apart."""
        return (self.high - self.low).bit_length()


class Codec:
    """The form of codes: a range for each cell, and one for their number.

    Raises `OutplayError` if a code would not fit into `WORDS` words, or if there are more than `MAX_CELLS` cells.

    >>> codec = Codec([Range(0, 3), Range(-1, 0)], Range(2, 2))
    >>> codec.bits, codec.words
    (3, 1)
    >>> codec.widen([9, 0]).cells
    [Range(low=0, high=15), Range(low=-1, high=0)]
    """

    def __init__(self, cells: list[Range], count: Range) -> None:
        self.cells, self.count = cells, count
        if max(len(cells), count.low) > MAX_CELLS:
            raise OutplayError(f"a state consists of more than {MAX_CELLS} numbers here: too many for a table")
        self.places: list[tuple[int, int]] = []
        """The word and the lowest bit of each of `ranges`."""
        word, free = 0, WORD
        for range_ in (count, *cells):
            if free < range_.bits:
                word, free = word + 1, WORD
            if word == WORDS or free < range_.bits:
                raise OutplayError(
                    f"a state needs {self.bits} bits here, and a table has {WORDS} words of {WORD} for it: leave out of"
                    " the state what follows from the rest of it"
                )
            free -= range_.bits
            self.places.append((word, free))
        self.places.append(self.places.pop(0))
        self.words = word + 1

    @property
    def ranges(self) -> list[Range]:
        """The ranges of all fields: the cells, and their number."""
        return [*self.cells, self.count]

    @property
    def bits(self) -> int:
        """The bits of a code that tell states apart."""
        return sum(range_.bits for range_ in self.ranges)

    def widen(self, cells: list[int]) -> "Codec":
        """A codec that can encode a state with these cells too."""
        new = [Range(cell, cell) for cell in cells[len(self.cells) :]]
        widened = [range_.widened(cell) for range_, cell in zip(self.cells, cells, strict=False)]
        return Codec([*widened, *self.cells[len(widened) :], *new], self.count.widened(len(cells)))

    def record(self) -> Record:
        """The memory of this codec for kernels."""
        memory = new_record(LAYOUT)
        self.fill(memory)
        return memory

    def fill(self, memory: Record) -> None:
        """Write this codec to a memory with its fields."""
        memory.words, memory.fields = self.words, len(self.ranges)
        for i, (range_, (word, shift)) in enumerate(zip(self.ranges, self.places, strict=True)):
            memory.low[i], memory.high[i], memory.word[i], memory.shift[i] = *range_, word, shift
            memory.mask[i] = (1 << range_.bits) - 1 if range_.bits < WORD else -1

    def encode(self, cells: list[int]) -> tuple[int, ...] | None:
        """The words of a state with these cells, not negative; None if one is out of range. For single states."""
        if len(cells) > len(self.cells):
            return None
        fields = [*cells, *(cell.low for cell in self.cells[len(cells) :]), len(cells)]
        code = [0] * self.words
        for field, range_, (word, shift) in zip(fields, self.ranges, self.places, strict=True):
            if not range_.low <= field <= range_.high:
                return None
            code[word] |= field - range_.low << shift
        return tuple(code)


def signed(code: tuple[int, ...]) -> tuple[int, ...]:
    """A code as kernels have it, with a sign bit in each word."""
    return tuple(word - (1 << WORD) if word >> WORD - 1 else word for word in code)


def order_of(codes: NDArray[np.int64], team: Team | None = None) -> NDArray[np.int64]:
    """The indices that put codes, shape (states, words), in ascending order; those of equal ones in any order.

    A team sorts long ones with all its threads.
    """
    if codes.shape[1] > 1 or len(codes) == 0:
        return np.lexsort(codes.T[::-1])
    ones = int(np.bitwise_or.reduce(codes[:, 0])) | LEAST
    numbers, index_bits = codes[:, 0] >> (ones & -ones).bit_length() - 1, len(codes).bit_length()
    low = int(numbers.min())
    if (int(numbers.max()) - low).bit_length() + index_bits >= WORD:
        return np.argsort(numbers)
    # A code and its index fit into one number, and NumPy sorts numbers much faster than indices.
    numbers -= low
    numbers <<= index_bits
    numbers |= np.arange(len(codes))
    if team is not None and team.size > 1:
        list(team.map(np.ndarray.sort, np.array_split(numbers, team.size)))
        numbers.sort(kind="stable")  # merges what is sorted
    else:
        numbers.sort()
    numbers &= (1 << index_bits) - 1
    return numbers


@kernel
def encode(game: Any, state: Any, codec: Any) -> bool:
    """Set `codec.code` to the code of the image of `state` with the least one; False if this image has no code."""
    return encode_cells(codec, write_least(game, state, codec), codec.code)


@kernel
def write_least(game: Any, state: Any, codec: Any) -> int:
    """Set the first of `codec.cells` to the cells of the image of `state` with the least code; return how many.

    It is found by its cells, since codes sort as they do.
    """
    least = write_cells(game, state, codec.cells)
    if defines(game, "symmetries"):
        for image in game.symmetries(state):
            count = write_cells(game, image, codec.image)
            if comes_first(codec.image, count, codec.cells, least):
                least = write_cells(game, image, codec.cells)
    return least


@kernel
def comes_first(one: Any, count: int, other: Any, other_count: int) -> bool:
    """Whether the code of some cells is below that of others."""
    if count != other_count:
        return bool(count < other_count)
    for i in range(count):
        if one[i] != other[i]:
            return bool(one[i] < other[i])
    return False


@kernel
def encode_one(game: Any, state: Any, codec: Any, code: Any) -> bool:
    """Set `code` to the code of `state`, and `codec.cells` to its cells; False if one is out of range."""
    return encode_cells(codec, write_cells(game, state, codec.cells), code)


@kernel
def encode_cells(codec: Any, count: int, code: Any) -> bool:
    """Set `code` to the code of `count` of `codec.cells`, and `codec.count`; False if they have none."""
    last, word = codec.fields - 1, 0
    codec.count = count
    if count > last or count < codec.low[last] or count > codec.high[last]:
        return False
    bits = count - codec.low[last] << codec.shift[last]
    for i in range(count):
        if codec.cells[i] < codec.low[i] or codec.cells[i] > codec.high[i]:
            return False
        if codec.word[i] != word:
            code[word] = bits
            word, bits = word + 1, 0
        bits |= codec.cells[i] - codec.low[i] << codec.shift[i]
    code[word] = bits
    for word_after in range(word + 1, codec.words):
        code[word_after] = 0
    return True


@kernel
def decode(game: Any, codec: Any) -> Any:
    """The state whose code is `codec.code`."""
    for i in range(codec.fields):
        codec.cells[i] = codec.low[i] + (codec.code[codec.word[i]] >> codec.shift[i] & codec.mask[i])
    return read_cells(game, codec.cells)


@kernel
def state_at(game: Any, codec_memory: Any, codes: Any, number: int) -> Any:
    """The state with the code at this index."""
    codec = pointer(codec_memory)
    for word in range(codec.words):
        codec.code[word] = codes[number * codec.words + word]
    return decode(game, codec)


@kernel
def hash_of(code: Any, at: int, words: int) -> int:
    """A hash of a code, not negative."""
    h = SEED
    for word in range(words):
        h = mix(h, code[at + word])  # not by `*`: signed ints that overflow mean nothing in compiled code
    return int(h & 0x7FFF_FFFF_FFFF_FFFF)


@kernel
def translate_one(codes: Any, at: int, old: Any, new: Any, new_codes: Any, to: int) -> None:
    """Write a code in another codec, in which each field has at least the room that it had."""
    last, end = old.fields - 1, new.fields - 1
    count = old.low[last] + (codes[at + old.word[last]] >> old.shift[last] & old.mask[last])
    for word in range(new.words):
        new.code[word] = 0
    for i in range(count):
        cell = old.low[i] + (codes[at + old.word[i]] >> old.shift[i] & old.mask[i])
        new.code[new.word[i]] |= cell - new.low[i] << new.shift[i]
    new.code[new.word[end]] |= count - new.low[end] << new.shift[end]
    for word in range(new.words):
        new_codes[to + word] = new.code[word]
