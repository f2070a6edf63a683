"""The base of the searchers of this package: options of the table and of ordering, and the games they can search."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

from outplay.compile.kernels import rules_key
from outplay.engine import workspace
from outplay.engine.analysis import Analysis
from outplay.engine.results import Results
from outplay.engine.searcher import OPPOSED, Searcher, Task
from outplay.engine.stopping import OUT_OF_BOUNDS
from outplay.evaluation.variant import Evaluation, Order, Rule, with_evaluation, with_order
from outplay.rules.constant_sum import has_constant_sum, team_members
from outplay.rules.errors import EvaluationError, UnsuitableGame
from outplay.rules.game import CHANCE, Game
from outplay.rules.options import number, word

MAX_SEARCHED_PLAYERS = 62
"""Each player has one bit of an int."""
MAX_FILLED = 320
"""The maximum megabytes of a table that a search fills per second. Making a larger table takes longer than it saves."""
DEEPER = 200
"""The depth of each iteration in percent of the last one's, in a search without any limit."""


class ChanceSearcher(Searcher):
    """A searcher that accepts chance nodes, also at the root, and whose results are plain values."""

    _takes_chance: ClassVar[bool] = True
    _tells_distance: ClassVar[bool] = False

    def _check_game(self) -> None:
        game, name, searcher = self.game, type(self.game).__name__, type(self).__name__
        self._check_seen()
        if game.repetition and not self._keeps_to(game):
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: by its rule of repetition, the value of a state depends on earlier"
                " states. AlphaBeta and MCTS support this"
            )
        if game.players > MAX_SEARCHED_PLAYERS:
            raise UnsuitableGame(f"{searcher} cannot search {name}: more than {MAX_SEARCHED_PLAYERS} players")

    def _keeps_to(self, game: Game) -> bool:
        """Whether values are right under the game's rule of repetition."""
        return False

    def _values(self, player: int, value: float) -> tuple[float, ...]:
        teams = self.game.teams or range(self.game.players)
        return tuple(value if team == teams[player] else 0.0 - value for team in teams)

    def _answered(self, state: Any, player: int, results: Any, index: int, *rest: Any) -> Analysis:
        analysis = super()._answered(state, max(player, 0), results, index, *rest)
        if player != CHANCE:
            return analysis
        if not analysis.actions:
            return replace(analysis, player=CHANCE)
        value = sum(self.game.probability(state, item.action) * item.value for item in analysis.actions)
        values = self._values(0, value)
        return replace(analysis, player=CHANCE, action=None, line=(), value=value, values=values, distance=None)


def check_sides(searcher: Searcher) -> None:
    """Raise `UnsuitableGame` unless the game has one side, or two with opposed interests."""
    game = searcher.game
    sides = len(team_members(game))
    if sides > 2 or (sides == 2 and not has_constant_sum(game)):
        kind = f"{sides} sides" if sides > 2 else "two sides whose interests are not opposed"
        raise UnsuitableGame(
            f"{type(searcher).__name__} cannot search {type(game).__name__}: it has {kind}. It needs one side, or two"
            f" {OPPOSED}; for other games use MaxN, Paranoid, BestReply or MCTS"
        )


@dataclass(eq=False, repr=False)
class IterativeDeepeningSearcher(ChanceSearcher):
    """A searcher by iterative deepening with a transposition table."""

    game: Game
    _: KW_ONLY
    pruning: str | None = word(None, ("off",))
    table_mb: float = number(64, least=0, most=1e6)
    reuse_table: bool = False
    order: bool | Order = True
    killers: bool = True
    history_heuristic: bool = False
    evaluate: Rule | Evaluation | None = None

    def __post_init__(self) -> None:
        self._table: Any = None
        self._searches = 0
        self._rules: Any = None  # the rules with which the table was filled
        super().__post_init__()
        self._searched()  # raises now if the evaluation does not fit

    def forget(self) -> None:
        """Discard the table that `reuse_table=True` has kept."""
        self._table = None
        self._searches = 0

    @abstractmethod
    def _new_table(self, megabytes: float) -> Any:
        """An empty table of the given size."""

    def _take_table(self, task: Task) -> Any:
        """The kept table, or a new one that is no larger than the searches can fill."""
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
        return with_order(with_evaluation(self.game, self.evaluate), self.order)

    def _checked(self, run: Callable[..., None], args: Any, results: Results, memory: workspace.Workspace) -> None:
        """Run a kernel. Raises `EvaluationError` if an evaluation was out of bounds: `memory.estimate`."""
        run(*args)
        if OUT_OF_BOUNDS in results.why:
            source = "evaluate()" if self.evaluate is None else "evaluate="
            raise EvaluationError(
                f"{source} of {type(self.game).__name__} returned {memory.estimate:g}, {self._bounds_in_words()};"
                " this makes pruning wrong: change it, or set pruning='off'"
            )

    @abstractmethod
    def _bounds_in_words(self) -> str:
        """The bounds that an evaluation has violated."""
