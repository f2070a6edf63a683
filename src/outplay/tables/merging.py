"""Merging: tables of one game, made from different states, as one table.

A state has the same image with the least code in every codec (`codec.py`), so a codec that holds the ranges of all is
enough: the codes are translated into it and sorted, and equal ones, which must agree, are kept once.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import TableError
from outplay.tables.codec import LEAST, WORD, Codec, Range, state_at
from outplay.tables.discovery import translate
from outplay.tables.file import States


class Part(NamedTuple):
    """What one table has."""

    codec: Codec
    utilities: Sequence[float]
    states: States
    name: str
    """What error messages call it."""


def merged(game: Any, parts: Sequence[Part]) -> Part:
    """All states of `parts`. Raises `TableError` if two of them disagree on a state."""
    codec = codec_for([part.codec for part in parts])
    utilities = sorted({value for part in parts for value in part.utilities})
    codes = np.concatenate([translated(part.states.codes, part.codec, codec) for part in parts])
    levels = np.concatenate([np.searchsorted(utilities, part.utilities)[part.states.levels] for part in parts])
    plies = np.concatenate([part.states.plies for part in parts])
    sources = np.repeat(np.arange(len(parts)), [len(part.states.codes) for part in parts])
    order = order_of(np.column_stack([codes, sources]))
    codes, levels, plies, sources = (each[order] for each in (codes, levels, plies, sources))
    again = (codes[1:] == codes[:-1]).all(axis=1)
    wrong = np.flatnonzero(again & ((levels[1:] != levels[:-1]) | (plies[1:] != plies[:-1])))
    if len(wrong):
        at = int(wrong[0])
        (one, first), (other, second) = (
            (f"{utilities[levels[i]]:+g} after {plies[i]} plies", parts[sources[i]].name) for i in (at, at + 1)
        )
        state = state_at(game, codec.record(), codes.reshape(-1), at)
        raise TableError(
            f"{first} and {second} disagree on {state!r}: {one} or {other} for player 0; outplay table verify says"
            " which table is wrong"
        )
    kept = np.concatenate([[True], ~again])
    return Part(codec, utilities, States(codes[kept], levels[kept].astype(np.uint16), plies[kept]), "the merged table")


def codec_for(codecs: Sequence[Codec]) -> Codec:
    """The smallest codec that can encode what any of these can."""
    fields = zip_longest(*(codec.cells for codec in codecs))
    cells = [_hull([each for each in ranges if each is not None]) for ranges in fields]
    return Codec(cells, _hull([codec.count for codec in codecs]))


def _hull(ranges: Sequence[Range]) -> Range:
    return Range(min(each.low for each in ranges), max(each.high for each in ranges))


def translated(codes: NDArray[np.int64], old: Codec, new: Codec) -> NDArray[np.int64]:
    """The codes, shape (states, words), in a codec that holds the ranges of the old one."""
    found = np.zeros((len(codes), new.words), np.int64)
    translate(np.ascontiguousarray(codes).reshape(-1), len(codes), old.record(), new.record(), found.reshape(-1))
    return found


def order_of(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indices that put codes, shape (states, words), in ascending order; those of equal ones in any order."""
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
    numbers.sort()
    numbers &= (1 << index_bits) - 1
    return numbers
