"""What books prove, put into the transposition table before a search, so that it is found wherever the tree meets it.

An entry of the table is solved, so that it holds at any depth, and as deep as can be, so that it stays where it is as
long as the search goes on. Estimates are left out: they must never make an answer exact.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from outplay.compile.kernels import kernel
from outplay.engine.book import Book, LookUp
from outplay.engine.score import DISTANCES, encode, in_plies
from outplay.engine.table import EXACT, LOWER, MAX_TABLE_DEPTH, NO_ACTION, SOLVED, UPPER, Table, mask_of, store
from outplay.rules.game import Game


def seed(game: Game, books: Sequence[LookUp], table: Table, age: int) -> None:
    """Put what is proved in those of `books` that are a `Book` into `table`; `age` is the number of the search."""
    proved = [
        (key, *bound_and_score(known.kind, known.value, known.distance))
        for book in books
        if isinstance(book, Book)
        for key, known in book.items()
        if known.kind != "estimate"
    ]
    if proved:
        store_all(game, np.array(proved, np.int64), table, mask_of(table), age)


@lru_cache(maxsize=1 << 16)
def bound_and_score(kind: str, value: float, plies: int | None) -> tuple[int, int]:
    """What is proved, as the table says it.

    Without the distance, a win is a bound: at least the win that takes longest. A loss is: at most that.

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
    """Put rows of (key, bound, score) into `table`: `proved` has shape (positions, 3), int64."""
    for i in range(len(proved)):
        store(table, mask, proved[i, 0], NO_ACTION, MAX_TABLE_DEPTH, age, SOLVED | proved[i, 1], proved[i, 2])
