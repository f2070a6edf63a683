"""The levels of states with codes of any form, as a decision diagram over the bits in which their codes differ.

How small a diagram is depends on the order in which it asks the bits (Bryant 1986, "Graph-based algorithms for Boolean
function manipulation"); the best order is out of reach. So a few likely ones are tried on a part of the states: numbers
one after the other, in strides too, as the rows and columns of a board are; and, for numbers of about the same length,
such as sets of squares, bit by bit in turn, in strides too. The one with the fewest bytes wins.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import TableError
from outplay.tables.codec import WORD, Codec
from outplay.tables.decision_diagram import MOST_BITS, DecisionDiagram

SAMPLE = 100_000
"""The number of states on which orders are tried."""
MAX_STRIDE = 16
"""The largest stride in which numbers are taken."""


class PackedValues:
    """The levels of states by their codes.

    Args:
        bits: where the bits are that the diagram asks, in this order: 64 * word + shift.
        base: the words of a code with these bits cleared, without a sign, the same for all states.
        diagram: the levels, by the bits as one number, the first one the highest.
    """

    def __init__(self, bits: Sequence[int], base: Sequence[int], diagram: DecisionDiagram) -> None:
        self.bits, self.base, self.diagram = tuple(bits), tuple(base), diagram
        self._rest = rest_of(bits, len(base))

    @classmethod
    def of(cls, codec: Codec, codes: NDArray[np.int64], levels: NDArray[Any]) -> Self | None:
        """The levels of different codes; None if these differ in more bits than a diagram has."""
        differ = np.bitwise_or.reduce(codes ^ codes[0], axis=0).tolist()
        vary = {WORD * word + shift for word, bits in enumerate(differ) for shift in range(WORD) if bits >> shift & 1}
        if len(vary) > MOST_BITS:
            return None
        sample = sample_of(codes)
        sized = [(len(diagram_of(codes[sample], levels[sample], bits).pack()), bits) for bits in orders(codec, vary)]
        bits = min(sized, key=lambda pair: pair[0])[1]
        masks = rest_of(bits, codes.shape[1])
        base = [word & mask for word, mask in zip(codes[0].tolist(), masks, strict=True)]
        return cls(bits, base, diagram_of(codes, levels, bits))

    def find(self, code: Sequence[int]) -> int | None:
        """The level of a code; None if it is not there."""
        if any(word & mask != own for word, mask, own in zip(code, self._rest, self.base, strict=True)):
            return None
        key = 0
        for bit in self.bits:
            key = key << 1 | code[bit // WORD] >> bit % WORD & 1
        return self.diagram.find(key)

    def items(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """All codes in ascending order, shape (states, words), and their levels."""
        keys, levels = self.diagram.items()
        codes = np.tile(np.array(self.base, np.uint64).view(np.int64), (len(keys), 1))
        for place, bit in enumerate(reversed(self.bits)):
            codes[:, bit // WORD] |= (keys >> place & 1) << bit % WORD
        order = np.lexsort(codes.T[::-1])
        return codes[order], levels[order]

    def pack(self) -> bytes:
        """The diagram in few bytes; `bits` and `base` are not in it."""
        return self.diagram.pack()

    @classmethod
    def unpack(cls, bits: Sequence[int], base: Sequence[int], content: bytes, levels: int) -> Self:
        """What `pack` packed, with fewer than `levels` levels. Raises `TableError` if it is damaged."""
        diagram = DecisionDiagram.unpack(content)
        if diagram.order != order_of(bits) or diagram.most() >= levels:
            raise TableError("the decision diagram is damaged: it does not fit the rest of the file")
        return cls(bits, base, diagram)


def rest_of(bits: Sequence[int], words: int) -> list[int]:
    """For each word of a code, a mask of the other bits."""
    return [(1 << WORD) - 1 - sum(1 << bit % WORD for bit in bits if bit // WORD == word) for word in range(words)]


def order_of(bits: Sequence[int]) -> tuple[int, ...]:
    """The order in which a diagram asks the bits of numbers that `keys_of` makes."""
    return tuple(range(len(bits) - 1, -1, -1))


def keys_of(codes: NDArray[np.int64], bits: Sequence[int]) -> NDArray[np.int64]:
    """These bits of each code as one number, the first one the highest."""
    keys = np.zeros(len(codes), np.int64)
    for bit in bits:
        keys = keys << 1 | codes[:, bit // WORD] >> bit % WORD & 1
    return keys


def diagram_of(codes: NDArray[np.int64], levels: NDArray[Any], bits: Sequence[int]) -> DecisionDiagram:
    """The diagram that asks these bits."""
    return DecisionDiagram.of(keys_of(codes, bits), levels, order_of(bits))


def sample_of(codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """About `SAMPLE` states that belong together: whole layers by the number of ones in their codes, the least first.

    Among states taken at random, few would share a node.
    """
    ones = np.bitwise_count(codes.view(np.uint64)).sum(axis=1, dtype=np.int64)
    sizes = np.bincount(ones)
    layers = np.argsort(sizes, kind="stable")
    is_chosen = np.cumsum(sizes[layers]) <= SAMPLE
    if not is_chosen.any() or not sizes[layers[is_chosen]].any():
        is_chosen[np.argmax(sizes[layers] > 0)] = True
    return np.isin(ones, layers[is_chosen])


def orders(codec: Codec, vary: set[int]) -> Iterator[list[int]]:
    """Likely orders of the bits in which codes differ, at least one bit."""
    fields = [
        [(bit, place) for bit in range(range_.bits) if (place := WORD * word + shift + bit) in vary]
        for range_, (word, shift) in zip(codec.ranges, codec.places, strict=True)
    ]
    fields = [field for field in fields if field] or [[(0, 0)]]
    places = [(field, bit, place) for field, own in enumerate(fields) for bit, place in own]
    long = 1 + max(bit for _, bit, _ in places)
    short = [2 * len(field) < long for field in fields]

    def by_field(stride: int, sign: int) -> Any:
        return lambda at: (sign * (at[0] % stride), sign * (at[0] // stride), -at[1])

    def by_bit(stride: int, sign: int) -> Any:
        """Short fields first, then the others in turn."""
        return lambda at: (
            (0, at[0], -at[1]) if short[at[0]] else (1, sign * (at[1] % stride), sign * (at[1] // stride), at[0])
        )

    keys = [by_field(stride, sign) for stride in range(1, min(len(fields), MAX_STRIDE) + 1) for sign in (1, -1)]
    if short.count(False) > 1:
        keys += [by_bit(stride, sign) for stride in range(1, long) for sign in (1, -1)]
    for key in keys:
        yield [place for _, _, place in sorted(places, key=key)]
