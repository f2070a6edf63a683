"""Expectiminimax as a searcher: options in, `Analysis` out.

Reading order: `expectiminimax_kernel.py` (one node), `deepening.py` (iterations), and here `Expectiminimax`.
"""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from outplay.chance.base import DEEPER, IterativeDeepeningSearcher, check_sides
from outplay.chance.deepening import search_many
from outplay.chance.expectiminimax_kernel import LAYOUT
from outplay.chance.options import ChanceOptions
from outplay.chance.textbook import TextbookExpectiminimax
from outplay.compile.random_numbers import LISTED, new_random
from outplay.engine.limits import UNLIMITED
from outplay.engine.searcher import Task
from outplay.engine.table import MAX_TABLE_DEPTH, Table, mask_of, new_table
from outplay.rules.arguments import is_number
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import Game
from outplay.rules.options import number, word

PRUNINGS = ("off", "star1", "star2")


@dataclass(eq=False, repr=False)
class Expectiminimax(IterativeDeepeningSearcher):
    """Iterative deepening minimax with chance nodes, for one player or two sides with opposed interests.

    With one player it is expectimax; without chance it is alpha-beta. Sides are players, or teams if the game has
    `teams`. Values are utilities of the player to move at the root. If chance is to move there, `actions` are the
    outcomes, and values are those of player 0. `Limit.depth` counts the actions of players: depth 2 covers the player's
    own action, every roll, and every answer to it. At the depth limit the game's `evaluate` is called, also for states
    in which chance is to move.

    Args:
        game: the game to search.
        textbook: whether to search as textbooks do: each state once, to the end of the game or the depth limit, and
            without pruning. Of the options, only `evaluate`, `books` and `check` may be given too.
        bounds: the least and the greatest value that `evaluate` and utilities can have; by default the game's
            `utilities`. Pruning at chance nodes needs them.
        pruning: the pruning at chance nodes: "star1" or "star2" (Ballard 1983), or "off": bounds are not used at all.
            None: "star2" if bounds are known.
        alpha_beta: whether to skip actions that cannot change the value.
        table_mb: the size of the transposition table, in megabytes; 0 for none.
        reuse_table: whether to keep the table for the next search, for instance between the moves of a game.
        samples: at chance nodes with more outcomes than this, draw this many, and use their mean for all (sparse
            sampling, Kearns, Mansour & Ng 2002); see `sampling_error`. A value that rests on them is not exact. None:
            every outcome is searched.
        seed: the seed of the samples.
        order: whether to try the table's action first, then the others by the game's `order`, the greatest first; or a
            function `(game, state, action) -> float` to use in place of the game's own.
        killers: whether, among actions of equal order, those that caused a cutoff at the same ply go first.
        history_heuristic: whether, after that, the actions that have caused the most cutoffs go first.
        evaluate: the evaluation to use instead of the game's own `evaluate`: a function
            `(game, state, player) -> float`.
        books: books to consult before searching.

    Raises `ValueError` for an invalid option, `UnsuitableGame` for a game with hidden information, more than two sides,
    two sides whose interests are not opposed, or a rule of repetition. A search raises `EvaluationError` for an
    estimate out of bounds.

    >>> from outplay.games import TicTacToe
    >>> Expectiminimax(TicTacToe()).search().verdict
    'draw'
    """

    _best_reply: ClassVar[bool] = False

    _layout = LAYOUT
    textbook_form: ClassVar[Any] = TextbookExpectiminimax

    game: Game
    _: KW_ONLY
    textbook: bool = False
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
            raise ValueError(
                f"{name}(bounds={bounds!r}): must be the least and the greatest value, as in (-1, 1), or None"
            )
        super().__post_init__()
        if self.pruning in ("star1", "star2"):
            if self.known_bounds is None:
                raise ValueError(
                    f"{name}(pruning={self.pruning!r}) needs the bounds of values: give bounds=(least, greatest),"
                    f" or declare utilities on {type(self.game).__name__}"
                )
            if not self.alpha_beta:
                raise ValueError(f"{name}(pruning={self.pruning!r}, alpha_beta=False): this pruning needs alpha-beta")

    @property
    def known_bounds(self) -> tuple[float, float] | None:
        """The least and the greatest value, if known."""
        return self.bounds or self.game.utilities

    def sampling_error(self, confidence: float = 0.95) -> float:
        """The maximum error, with probability `confidence`, of the mean of `samples` outcomes at one chance node.

        By Hoeffding's inequality it is (greatest - least) √(ln(2 / (1 - confidence)) / (2 samples)). The errors of
        several chance nodes on a line of play may add up. 0 without `samples`; infinite without bounds.

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
            order=bool(self.order),
            killers=self.killers,
            history_heuristic=self.history_heuristic,
        )

    def _new_table(self, megabytes: float) -> Table:
        return new_table(megabytes)

    def kernel_arguments(self, task: Task) -> tuple[Any, ...]:
        """The arguments of `search_many`; the memory of the task is made ready."""
        game, limit, memory = task.game, task.limit, task.memory
        table = self._take_table(task)
        memory.table_mask = mask_of(table)
        memory.random[:] = new_random(self.seed)
        memory.samples, memory.drawn_by = self.samples or 0, memory.random[LISTED]
        least, greatest = self.known_bounds or (-math.inf, math.inf)
        memory.least, memory.greatest = least - draw_utility(game), greatest - draw_utility(game)
        teams = np.array(game.teams or range(game.players), np.int64)
        depth_factor, most_depth = DEEPER if limit == UNLIMITED else 100, min(task.depth, MAX_TABLE_DEPTH)
        return (
            game, self._techniques(game), task.packed, task.count, most_depth, depth_factor, limit.nodes or 0,
            task.every, teams, memory.base, table, task.results.cells,
        )  # fmt: skip

    def _prepare(self, task: Task) -> Callable[[], Any]:
        args = self.kernel_arguments(task)
        run = search_many.prepare(*args)
        return lambda: self._checked(run, args, task.results, task.memory)

    def _bounds_in_words(self) -> str:
        return f"outside the bounds {self.known_bounds}"
