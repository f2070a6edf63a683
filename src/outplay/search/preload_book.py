"""Copies what books prove into the transposition table before a search, so that it is used anywhere in the tree.

The entries are marked as solved, so that they are valid at any depth, and have the maximum depth, so that they are not
replaced during the search. Estimates are left out, because they must never make an answer exact.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from outplay.compile.kernels import kernel
from outplay.engine.book import Book, LookUp
from outplay.engine.score import DISTANCES, encode, in_plies
from outplay.engine.table import EXACT, LOWER, MAX_TABLE_DEPTH, NO_ACTION, SOLVED, UPPER, Table, mask_of, store
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import Game


def seed(game: Game, books: Sequence[LookUp], table: Table, age: int) -> None:
    """Store all that each `Book` in `books` has proved in `table`; `age` is the number of the search."""
    proved = [
        (key, *bound_and_score(entry.kind, entry.value - draw_utility(game), entry.distance))
        for book in books
        if isinstance(book, Book)
        for key, entry in book.items()
        if entry.kind != "estimate"
    ]
    if proved:
        store_all(game, np.array(proved, np.int64), table, mask_of(table), age)


@lru_cache(maxsize=1 << 16)
def bound_and_score(kind: str, value: float, plies: int | None) -> tuple[int, int]:
    """The bound and the score for the table.

    A win without a distance is a lower bound: at least the longest possible win. A loss is an upper bound.

    >>> bound_and_score("exact", 1, 3) == (EXACT, encode(1) - 3)
    True
    >>> bound_and_score("exact", 1, None) == (LOWER, encode(1) - 4095)
    True
    """
    score = encode(value)
    if kind == "exact" and (plies or not score):
        return EXACT, in_plies(score, plies or 0)
    farthest = in_plies(score, DISTANCES - 1)
    if kind == "lower" or (kind == "exact" and score > 0):
        return LOWER, min(score, farthest)
    return UPPER, max(score, farthest)


@kernel
def store_all(game: Any, proved: Any, table: Any, mask: int, age: int) -> None:
    """Store rows of (key, bound, score) in `table`; `proved` has shape (positions, 3), int64."""
    for i in range(len(proved)):
        store(table, mask, proved[i, 0], NO_ACTION, MAX_TABLE_DEPTH, age, SOLVED | proved[i, 1], proved[i, 2])
