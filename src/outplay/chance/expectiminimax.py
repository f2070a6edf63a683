"""Expectiminimax as a searcher: options in, `Analysis` out.

Reading order: `node.py` (one state), `deepening.py` (from one state to an answer), and here `Expectiminimax`.
"""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from outplay.chance.base import (
    DEEPER,
    IterativeDeepeningSearcher,
    check_sides,
)
from outplay.chance.deepening import search_many
from outplay.chance.expectiminimax_kernel import LAYOUT
from outplay.chance.options import ChanceOptions
from outplay.compile.random_numbers import LISTED, new_random
from outplay.engine.limits import Limit
from outplay.engine.searcher import Task
from outplay.engine.table import MAX_TABLE_DEPTH, Table, mask_of, new_table
from outplay.rules.arguments import is_number
from outplay.rules.game import Game
from outplay.rules.options import number, word

PRUNINGS = ("off", "star1", "star2")


@dataclass(eq=False, repr=False)
class Expectiminimax(IterativeDeepeningSearcher):
    """Iterative deepening minimax with chance nodes: for one player, or two sides with opposed interests, and dice.

    With one player it is expectimax; without chance, alpha-beta. Sides are players, or teams where the game has
    `teams`. At the cutoff the game's `evaluate` is asked, also of states in which chance is to move. `Limit.depth`
    counts the actions of players: at depth 2 one's own action, every roll, and every answer to it are looked at.
    Where chance is to move at the root, `actions` are its outcomes, and values are those of player 0.

    Args:
        game: what to search.
        bounds: the least and the greatest value that `evaluate` and utilities can have; by default the game's
            `utilities`. Pruning at chance nodes needs them.
        pruning: at chance nodes "star1" or "star2" (Ballard 1983); "off": bounds are not made use of at all. None:
            "star2" where bounds are known.
        alpha_beta: whether actions are left out that cannot change the value.
        table_mb: memory for the transposition table, in megabytes; 0 for none.
        reuse_table: whether the table is kept for the next search, as between the moves of one game.
        samples: at chance nodes with more outcomes than this, so many are drawn, and their mean stands for all (sparse
            sampling, Kearns, Mansour & Ng 2002); see `sampling_error`. A value that rests on them is not exact. None:
            every outcome is looked at.
        seed: what is drawn follows from it.
        order: whether to try the table's action first, then the greatest of the game's `order`.
        killers: whether, of actions of equal order, those that cut off in the same ply go first.
        history_heuristic: whether then that goes first which has cut off most often.
        evaluate: what to use in place of the game's own `evaluate`: a function `(game, state, player) -> float`.
        books: what to ask before searching.

    Raises `ValueError` for an option that makes no sense, `UnsuitableGame` for a game with hidden information, with
    more sides than two, or with a rule of repetition. A search raises `EvaluationError` for an estimate out of bounds.

    >>> from outplay.games import TicTacToe
    >>> Expectiminimax(TicTacToe()).search().verdict
    'draw'
    """

    _best_reply: ClassVar[bool] = False

    _layout = LAYOUT

    game: Game
    _: KW_ONLY
    bounds: tuple[float, float] | None = None
    alpha_beta: bool = True
    pruning: str | None = word(None, PRUNINGS)
    samples: int | None = number(None, least=1)
    seed: int = number(0)

    def __post_init__(self) -> None:
        name, bounds = type(self).__name__, self.bounds
        if bounds is not None and not (
            isinstance(bounds, (tuple, list))
            and len(bounds) == 2
            and all(map(is_number, bounds))
            and bounds[0] < bounds[1]
        ):
            raise ValueError(f"{name}(bounds={bounds!r}): the least and the greatest value, as in (-1, 1), or None")
        super().__post_init__()
        if self.pruning in ("star1", "star2"):
            if self.known_bounds is None:
                raise ValueError(
                    f"{name}(pruning={self.pruning!r}) has to know the bounds of values: give bounds=(least, greatest),"
                    f" or declare utilities on {type(self.game).__name__}"
                )
            if not self.alpha_beta:
                raise ValueError(f"{name}(pruning={self.pruning!r}, alpha_beta=False): it is a part of alpha-beta")

    @property
    def known_bounds(self) -> tuple[float, float] | None:
        """The least and the greatest value, if known."""
        return self.bounds or self.game.utilities

    def sampling_error(self, confidence: float = 0.95) -> float:
        """How far the mean of `samples` outcomes is from that of all at most, at one chance node, with `confidence`.

        By Hoeffding's inequality: (greatest - least) √(ln(2 / (1 - confidence)) / (2 samples)). Where a line of play
        goes through several chance nodes the errors may add up. 0 without `samples`; without bounds infinite.

        >>> from outplay.games import TicTacToe
        >>> round(Expectiminimax(TicTacToe(), samples=100).sampling_error(), 3)
        0.272
        """
        if self.samples is None:
            return 0.0
        if self.known_bounds is None:
            return math.inf
        least, greatest = self.known_bounds
        return (greatest - least) * math.sqrt(math.log(2 / (1 - confidence)) / (2 * self.samples))

    def _check_game(self) -> None:
        super()._check_game()
        check_sides(self)

    def _techniques(self, game: Game) -> ChanceOptions:
        pruning = self.pruning or ("star2" if self.known_bounds and self.alpha_beta else "off")
        return ChanceOptions(
            chance=game.has_chance,
            alpha_beta=self.alpha_beta,
            star=PRUNINGS.index(pruning) if game.has_chance else 0,
            table=self.table_mb > 0,
            best_reply=self._best_reply,
            samples=self.samples is not None and game.has_chance,
            bounded=pruning != "off",
            order=self.order,
            killers=self.killers,
            history_heuristic=self.history_heuristic,
        )

    def _new_table(self, megabytes: float) -> Table:
        return new_table(megabytes)

    def _prepare(self, task: Task) -> Callable[[], Any]:
        game, limit, memory, results = task.game, task.limit, task.memory, task.results
        table = self._take_table(task)
        memory.table_mask = mask_of(table)
        memory.random[:] = new_random(self.seed)
        memory.samples, memory.drawn_by = self.samples or 0, memory.random[LISTED]
        memory.least, memory.greatest = self.known_bounds or (-math.inf, math.inf)
        teams = np.array(game.teams or range(game.players), np.int64)
        depth_factor, most_depth = DEEPER if limit == Limit() else 100, min(task.depth, MAX_TABLE_DEPTH)
        args = (
            game, self._techniques(game), task.packed, task.count, most_depth, depth_factor, limit.nodes or 0,
            task.every, teams, memory, table, results.cells,
        )  # fmt: skip
        run = search_many.prepare(*args)
        return lambda: self._checked(run, args, results, memory)

    def _bounds_in_words(self) -> str:
        return f"outside the bounds {self.known_bounds}"
