"""Numbering states without gaps: functions from which a game makes `state_index` and `indexed_state`.

Each pair of functions turns a part of a state into a number from 0 up and back, and a third one says how many numbers
there are. Numbers of several parts are joined by mixed radix: `(a * count_of_b + b) * count_of_c + c`. All of them
compile, and run in plain Python too. Binomial coefficients must fit into an int of 64 bits.

>>> subset_count(64, 2), subset_index(0b101), subset(1, 2) == 0b101
(2016, 1, True)
"""

from math import comb
from typing import Any

import numpy as np

from outplay.rules.bits import count, lowest, single, squares

__all__ = [
    "composition_count",
    "composition_index",
    "put_composition",
    "spread",
    "squeezed",
    "subset",
    "subset_count",
    "subset_index",
]

BINOMIALS = np.array([[comb(squares, pieces) for squares in range(65)] for pieces in range(65)], np.int64)
"""Binomial coefficients by pieces and squares, so that those of few pieces lie close together in memory."""


def subset_count(squares: int, pieces: int) -> int:
    """The number of ways to put like pieces on squares: a binomial coefficient, 0 if there are too few squares.

    >>> subset_count(24, 3), subset_count(2, 3)
    (2024, 0)
    """
    if pieces < 0 or squares < pieces:
        return 0
    if squares <= 64:
        return int(BINOMIALS[pieces, squares])
    binomial = 1
    for i in range(min(pieces, squares - pieces)):
        binomial = binomial * (squares - i) // (i + 1)
    return binomial


def subset_index(board: int, taken: int = 0) -> int:
    """The number of a set of squares among all sets of as many squares, in the order of their highest squares.

    With `taken`, among those of the other squares: that of `squeezed(board, taken)`, but quicker.

    >>> [subset_index(board) for board in (0b011, 0b101, 0b110, 0b1001)]
    [0, 1, 2, 3]
    >>> subset_index(0b1100, taken=0b0001)
    2
    """
    index = 0
    for pieces, square in enumerate(squares(board), 1):
        index += int(BINOMIALS[pieces, square - count(taken & single(square) - 1)])
    return index


def subset(index: int, pieces: int) -> int:
    """The set of so many squares with this number: the inverse of `subset_index`.

    >>> [bin(subset(index, 2)) for index in range(4)]
    ['0b11', '0b101', '0b110', '0b1001']
    """
    board = 0
    while pieces > 0:
        if pieces == 1:
            return board | single(index)
        square, step = 0, 32
        while step:  # to the last square that has at most `index` sets below it
            if BINOMIALS[pieces, square + step] <= index:
                square += step
            step >>= 1
        index -= int(BINOMIALS[pieces, square])
        board |= single(square)
        pieces -= 1
    return board


def squeezed(board: int, taken: int) -> int:
    """`board` with the squares of `taken` left out and the others renumbered, so that pieces have fewer squares.

    >>> bin(squeezed(0b1010, 0b0101))
    '0b11'
    """
    result = 0
    while board:
        square = lowest(board)
        result |= single(square - count(taken & (single(square) - 1)))
        board &= ~single(square)
    return result


def spread(board: int, taken: int) -> int:
    """The inverse of `squeezed`: the squares with these numbers among those that are not in `taken`.

    >>> bin(spread(0b11, 0b0101))
    '0b1010'
    """
    result = 0
    while board:
        square = place = lowest(board)
        board &= ~single(square)
        while True:
            target = square + count(taken & (single(place) | single(place) - 1))
            if target == place:
                break
            place = target
        result |= single(place)
    return result


def composition_count(seeds: int, pits: int) -> int:
    """The number of ways to put seeds into pits; or to throw `seeds` like dice of `pits` faces.

    >>> composition_count(12, 12), composition_count(2, 6)
    (1352078, 21)
    """
    return subset_count(seeds + pits - 1, seeds)


def composition_index(seeds: Any, first: int = 0) -> int:
    """The number of an array, tuple or list of seeds in pits, among all with the same sum and length.

    The pits come in the order of the array from number `first` on, and then those before it.

    >>> [composition_index(seeds) for seeds in ((2, 0), (1, 1), (0, 2))]
    [0, 1, 2]
    >>> composition_index((0, 2), first=1)
    0
    """
    index = left = 0
    for pit in range(len(seeds)):
        left += int(seeds[pit])
    place = first
    for pits in range(len(seeds), 1, -1):
        left -= int(seeds[place])
        if left == 0:
            break
        index += composition_count(left - 1, pits)  # those with more seeds in this pit come first
        place = place + 1 if place + 1 < len(seeds) else 0
    return index


def put_composition(index: int, seeds: int, pits: Any) -> None:
    """Fill `pits`, an array or a list, with the seeds that have this number: the inverse of `composition_index`.

    >>> pits = [0, 0]
    >>> put_composition(1, 2, pits)
    >>> pits
    [1, 1]
    """
    left = seeds
    for pit in range(len(pits) - 1):
        spare = left
        while spare > 0 and composition_count(spare - 1, len(pits) - pit) > index:
            spare -= 1
        if spare > 0:
            index -= composition_count(spare - 1, len(pits) - pit)
        pits[pit] = left - spare
        left = spare
    pits[len(pits) - 1] = left
