"""What the searchers of this room share: options of the table and of ordering, and the games that suit them."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

from outplay.compile.kernels import rules_key
from outplay.engine import workspace
from outplay.engine.analysis import Analysis
from outplay.engine.results import Results
from outplay.engine.searcher import Searcher, Task
from outplay.engine.stopping import (
    OUT_OF_BOUNDS,
)
from outplay.evaluation.variant import Evaluation, Rule, with_evaluation
from outplay.rules.errors import EvaluationError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, team_members
from outplay.rules.options import number, word

MAX_PLAYERS = 62
"""A bit of an int for each."""
MAX_FILLED = 320
"""Megabytes of a table that a search fills in a second at most: to make a greater one takes longer than it saves."""
DEEPER = 200
"""Without any limit each iteration is so many per cent as deep as the last one."""


class ChanceSearcher(Searcher):
    """A searcher that takes chance nodes, also at the root, and whose results are plain values."""

    _takes_chance: ClassVar[bool] = True
    _tells_distance: ClassVar[bool] = False

    def _check_game(self) -> None:
        game, name, searcher = self.game, type(self.game).__name__, type(self).__name__
        self._check_seen()
        if game.repetition and not self._keeps_to(game):
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: what a state is worth depends on those before it, by its rule of"
                " repetition. AlphaBeta and MCTS keep to that"
            )
        if game.players > MAX_PLAYERS:
            raise UnsuitableGame(f"{searcher} cannot search {name}: more than {MAX_PLAYERS} players")

    def _keeps_to(self, game: Game) -> bool:
        """Whether values are right under the game's rule of repetition."""
        return False

    def _values(self, player: int, value: float) -> tuple[float, ...]:
        teams = self.game.teams or range(self.game.players)
        return tuple(value if team == teams[player] else 0.0 - value for team in teams)

    def _answered(self, state: Any, player: int, results: Any, index: int, *rest: Any) -> Analysis:
        analysis = super()._answered(state, max(player, 0), results, index, *rest)
        if player != CHANCE or not analysis.actions:
            return analysis
        value = sum(self.game.probability(state, item.action) * item.value for item in analysis.actions)
        values = self._values(0, value)
        return replace(analysis, player=CHANCE, action=None, line=(), value=value, values=values, distance=None)


def check_sides(searcher: Searcher) -> None:
    """Raise `UnsuitableGame` for a game that is not of one side, or of two with opposed interests."""
    game = searcher.game
    sides = len(team_members(game))
    if sides > 2 or (sides == 2 and not game.zero_sum):
        what = f"{sides} sides" if sides > 2 else "two sides whose interests are not opposed"
        raise UnsuitableGame(
            f"{type(searcher).__name__} cannot search {type(game).__name__}: it has {what}. It needs one, or two"
            " with zero_sum = True; for other games there are MaxN, Paranoid, BestReply and MCTS"
        )


@dataclass(eq=False, repr=False)
class IterativeDeepeningSearcher(ChanceSearcher):
    """Iterative deepening with a table."""

    game: Game
    _: KW_ONLY
    pruning: str | None = word(None, ("off",))
    table_mb: float = number(64, least=0, most=1e6)
    reuse_table: bool = False
    order: bool = True
    killers: bool = True
    history_heuristic: bool = False
    evaluate: Rule | Evaluation | None = None

    def __post_init__(self) -> None:
        self._table: Any = None
        self._searches = 0
        self._rules: Any = None  # those of the table
        super().__post_init__()
        self._searched()  # an evaluation that does not fit shows now

    def forget(self) -> None:
        """Empty the table that `reuse_table=True` has kept."""
        self._table = None
        self._searches = 0

    @abstractmethod
    def _new_table(self, megabytes: float) -> Any:
        """An empty table of that size."""

    def _take_table(self, task: Task) -> Any:
        """The table: the one that was kept, or a new one, no greater than the searches can fill."""
        if self.reuse_table and self._rules != (rules := rules_key(task.game)):
            self.forget()
            self._rules = rules
        megabytes = self.table_mb
        if not self.reuse_table and task.limit.seconds is not None:
            megabytes = min(megabytes, task.count * task.limit.seconds * MAX_FILLED)
        table = self._new_table(megabytes) if self._table is None else self._table
        task.memory.earlier_searches = self._searches
        if self.reuse_table:
            self._table = table
            self._searches += task.count
        return table

    def _searched(self) -> Game:
        return with_evaluation(self.game, self.evaluate)

    def _checked(self, run: Callable[..., None], args: Any, results: Results, memory: workspace.Workspace) -> None:
        """Run a kernel; raise `EvaluationError` for what an evaluation gave out of bounds: `memory.estimate`."""
        run(*args)
        if (results.status.why == OUT_OF_BOUNDS).any():
            asked = "evaluate()" if self.evaluate is None else "evaluate="
            raise EvaluationError(
                f"{asked} of {type(self.game).__name__} gave {memory.estimate:g}, {self._bounds_in_words()};"
                " pruning would then be wrong: change it, or say pruning='off'"
            )

    @abstractmethod
    def _bounds_in_words(self) -> str:
        """What an evaluation has overstepped."""
