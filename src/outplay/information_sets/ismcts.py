"""Information-set Monte Carlo tree search (Cowling, Powley & Whitehouse 2012).

Each simulation begins in another state that looks the same to the player to move, but all of them share their
statistics: an information set has one record per action, regardless of the states in it.

Reading order: `determinize.py` (the states), `table.py` (memory), `simulation.py` (one simulation), and here `ISMCTS`
(options in, `Analysis` out).
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

from outplay.compile.kernels import cast_state, pack
from outplay.compile.random_numbers import new_random
from outplay.compile.records import new_record
from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.limits import UNLIMITED, Limit
from outplay.engine.searcher import Task
from outplay.engine.stopping import StopReason
from outplay.engine.trace import Trace
from outplay.engine.workspace import PLIES
from outplay.evaluation.variant import Evaluation, Rule, with_evaluation
from outplay.information_sets.at_once import before_unseen, choose_at_once
from outplay.information_sets.determinize import REPLAYS, check_drawn, new_trail
from outplay.information_sets.simulation import ISMCTSOptions, simulate_many
from outplay.information_sets.table import LAYOUT, new_table
from outplay.montecarlo.answer import UNBOUNDED, Z_95, Answer, Bounds, Row
from outplay.montecarlo.base import (
    CHOICES,
    FIRST_REPORT_SECONDS,
    FIRST_SLICE,
    MAX_MB,
    MAX_SLICE,
    MIN_MB,
    REPORT_SECONDS,
    SCALES,
    SLICE_SECONDS,
    SimulationSearcher,
    reached,
    time_left,
)
from outplay.montecarlo.tree import MAX_SIMULATED_PLAYERS, numbers_layout
from outplay.rules.arguments import Progress
from outplay.rules.constant_sum import is_opposed_pair, range_of
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.options import number, word

OBSERVERS = ("multiple", "single")
SELECTIONS = ("ucb1", "regret")
PLAYOUTS = ("random", "own")
EXPLORATION = 0.7
MIXTURE = "an estimated mixture for choices made at once, not a proven equilibrium"
MAX_REPLAYS = 1 << 40


@dataclass(eq=False, repr=False)
class ISMCTS(SimulationSearcher):
    """Information-set Monte Carlo tree search, for games with hidden information and any number of players.

    A search is given the true state, but uses only what the player to move knows: their `information`, and the states
    that the game's `determinize` draws. Without `determinize`, random play is repeated until it looks the same. Values
    are mean utilities of the player to move. The result is not an equilibrium: docs/hidden-information.md describes
    when the search goes wrong. So `sampling_error` of an action is that of the mean of the simulations alone, and tells
    nothing about how far this mean is from the value of the game.

    Where players choose at once, actions are drawn by regret matching: each action then has a `probability`, the value
    is that of this mixture, and the first action is the most probable one. What others have chosen already, unseen, is
    then drawn by regret matching too, if the search is given the `previous_states` and the game has `determinize`.

    Args:
        game: the game to search.
        observers: whose knowledge defines the information sets where other players are to move: "multiple": their own;
            "single": that of the searching player, and the others choose from the actions of the determinization.
        selection: how actions are chosen: by "ucb1", or drawn by "regret" matching. None: "regret" if the players
            choose at once, else "ucb1".
        exploration: the constant c of UCB1, in units of the width of utilities.
        scale: the width of utilities: the "range" of the game's `utilities`, or the "spread" of the simulations'
            rewards: twice their standard deviation, the greatest so far. None: "range" if utilities go from -1 to 1 or
            from 0 to 1, else "spread".
        playouts: how playouts choose actions: "random", or "own" (the game's `playout_action`). None: "own" if the game
            defines it, else "random".
        playout_depth: the number of plies after which a playout is cut off and evaluated; 0: leaves are evaluated at
            once. None: playouts go on to the end of the game.
        evaluate: the evaluation to use instead of the game's own `evaluate`.
        choice: which action is chosen: the one with the most "visits", the best "value", or the best "lower-bound" of
            the confidence interval.
        early: whether to stop when no other action can get more visits in the time left. This does not apply to
            `analyse`.
        memory_mb: the size of the table of information sets, in megabytes. When it is full, nothing more is added.
        replays: the maximum number of replays in a row that fail to look the same, without `determinize`.
        seed: the seed of the random choices. The same search gives the same answer.
        books: books to consult before searching.

    Raises `ValueError` for an invalid option, `UnsuitableGame` for a game with a rule of repetition or more than 16
    players. A search raises `RulesError` if no state that looks the same can be drawn.

    >>> from outplay.games import TicTacToe
    >>> analysis = ISMCTS(TicTacToe()).search(limit=Limit(simulations=2000))  # nothing is hidden here
    >>> analysis.actions[0].name, analysis.simulations
    ('b2', 2000)
    """

    game: Game
    _: KW_ONLY
    observers: str = word("multiple", OBSERVERS)
    selection: str | None = word(None, SELECTIONS)
    exploration: float = number(EXPLORATION, least=0)
    scale: str | None = word(None, SCALES)
    playouts: str | None = word(None, PLAYOUTS)
    playout_depth: int | None = number(None, least=0)
    evaluate: Rule | Evaluation | None = None
    choice: str = word("visits", CHOICES)
    early: bool = True
    memory_mb: float = number(256, least=MIN_MB, most=MAX_MB)
    replays: int = number(REPLAYS, least=1, most=MAX_REPLAYS)
    seed: int = number(0)

    _history: ClassVar[Sequence[Any]] = ()  # of the present call, see `_with`

    _layout = LAYOUT

    def __post_init__(self) -> None:
        super().__post_init__()
        game, name = self._searched(), type(self.game).__name__  # raises now if the evaluation does not fit
        if self.playout_depth is not None and not defines(game, "evaluate"):
            raise ValueError(
                f"ISMCTS(playout_depth={self.playout_depth!r}): playouts that are cut off need an evaluation;"
                f" define evaluate() on {name}, or give evaluate="
            )
        if self.selection == "regret" and self.observers == "single":
            raise ValueError("ISMCTS(selection='regret', observers='single'): regrets need the players' own views")
        if self.playouts == "own" and not defines(game, "playout_action"):
            raise ValueError(f"ISMCTS(playouts='own'): {name} does not define playout_action()")

    def _check_game(self) -> None:
        if self.game.repetition:
            raise UnsuitableGame(
                f"ISMCTS cannot search {type(self.game).__name__}: by its rule of repetition, the value of a state"
                " depends on earlier states. MCTS supports this"
            )
        if self.game.players > MAX_SIMULATED_PLAYERS:
            raise UnsuitableGame(
                f"ISMCTS is for up to {MAX_SIMULATED_PLAYERS} players; {self.game!r} has {self.game.players}"
            )

    def _check_limit(self, limit: Limit) -> None:
        super()._check_limit(limit)
        if limit == UNLIMITED and limit.stop is None:
            raise ValueError("ISMCTS without a limit would never end: limit simulations, nodes or seconds")

    def _searched(self) -> Game:
        return with_evaluation(self.game, self.evaluate)

    def _techniques(self, game: Game) -> ISMCTSOptions:
        """The techniques that are on for this game."""
        return ISMCTSOptions(
            shares=1 if is_opposed_pair(game) else game.players,
            chance=game.has_chance,
            playout=self.playouts or ("own" if defines(game, "playout_action") else "random"),
            cutoff=self.playout_depth is not None or defines(game, "evaluate"),
            solver=False,
            clamp=False,
            spread=self._is_spread(game),
            ranged=game.utilities is None,
            regret=self._draws(),
            single=self.observers == "single",
        )

    def _draws(self) -> bool:
        """Whether actions are drawn by regret matching."""
        if self.selection is None and "_at_once" not in vars(self):
            vars(self)["_at_once"] = self.observers == "multiple" and choose_at_once(self.game)
        return self.selection == "regret" or bool(vars(self).get("_at_once"))

    def _run(
        self, states: list[Any], limit: Limit | None, every: bool, progress: Progress[Analysis] | None,
        previous_states: Sequence[Any] = (), trace: Trace | None = None,
    ) -> list[Analysis]:  # fmt: skip
        self._draws()
        return super(ISMCTS, self._with_history(previous_states))._run(
            states, limit, every, progress, previous_states, trace
        )

    def _with_history(self, previous_states: Sequence[Any]) -> "ISMCTS":
        """A copy of this searcher that knows the earlier states, for one call; other threads may use the original."""
        searcher = object.__new__(type(self))
        vars(searcher).update(vars(self), _history=previous_states)
        return searcher

    def _answered(self, state: Any, player: int, *where: Any) -> Analysis:
        """With a mixture, the values are those of the mixture, not of the first action."""
        analysis = super()._answered(state, player, *where)
        if not analysis.actions or analysis.actions[0].probability is None:
            return analysis
        rows = where[0].answers[where[1]].rows
        values = tuple(sum(row.probability * row.value(seat) for row in rows) for seat in range(self.game.players))
        return replace(analysis, value=values[player], values=values, equilibrium=MIXTURE)

    def _action_value_of(self, state: Any, player: int, row: Row, limits: Bounds) -> ActionValue:
        action_value = super()._action_value_of(state, player, row, limits)
        low, high = row.interval(player, *limits)
        return replace(
            action_value, interval=None, sampling_error=(high - low) / (2 * Z_95), probability=row.probability
        )

    def _prepare(self, task: Task) -> Callable[[], Any]:
        return Run(self, self._history, task).all


class Run:
    """One call of `search`, `analyse` or `search_many`, in the searching thread."""

    def __init__(self, searcher: ISMCTS, previous_states: Sequence[Any], task: Task) -> None:
        self.searcher, self.previous_states, self.packed = searcher, previous_states, task.packed
        self.limit, self.memory, self.results = task.limit, task.memory, task.results
        self.game, self.techniques = task.game, searcher._techniques(task.game)
        settles = searcher.choice == "visits" and not self.techniques.regret
        self.early = searcher.early and not task.every and settles
        self.numbers = new_record(numbers_layout(0))
        self._begin(0, self.results.states[0])
        self.simulate = simulate_many.prepare(*self._arguments(0, 0))

    def _arguments(self, index: int, number: int) -> tuple[Any, ...]:
        return (
            self.game, self.techniques, self.packed, index, *(self.start or (self.packed, index)), number, self.table,
            self.trail, self.memory.base, self.numbers.base, self.random,
        )  # fmt: skip

    def _begin(self, index: int, state: Any) -> None:
        """Forget the last search."""
        searcher, game, memory, numbers = self.searcher, self.game, self.memory, self.numbers
        self.table = new_table(self.techniques.shares, searcher.memory_mb, regrets=self.techniques.regret)
        start = state
        if self.techniques.regret and defines(game, "determinize"):
            start = before_unseen(game, state, self.previous_states)
        self.start = None if start is state else (pack(game, [cast_state(game, start)]), 0)
        self.trail = new_trail(game, state, self.previous_states, searcher.replays)
        self.random = new_random(searcher.seed)
        numbers.mean_reward = numbers.squares = 0.0
        numbers.least, numbers.greatest = range_of(game) or (0.0, 0.0)
        numbers.width = 0.0 if self.techniques.spread else numbers.greatest - numbers.least
        numbers.exploration = searcher.exploration
        memory.nodes = memory.why = memory.leaves = 0
        memory.simulations = memory.deepest_ply = memory.full = memory.root_set = 0
        memory.search = index + 1
        memory.max_nodes = self.limit.nodes or 0
        memory.table_mask = len(self.table.slots) - 1
        memory.next, memory.end = 1, len(self.table.label)
        memory.max_plies = PLIES if searcher.playout_depth is None else searcher.playout_depth

    def all(self) -> None:
        """Search each of the states."""
        for index, state in enumerate(self.results.states):
            if not self.game.is_terminal(state) and self.game.to_move(state) != CHANCE:
                self.one(index, state)

    def one(self, index: int, state: Any) -> None:
        """Search one state until there is a reason to stop."""
        began = reported = time.perf_counter()
        self._begin(index, state)
        done, number, stopped = 0, FIRST_SLICE, StopReason.COMPLETE
        while not stopped:
            before = time.perf_counter()
            most = MAX_SLICE if self.limit.simulations is None else self.limit.simulations - done
            self.simulate(*self._arguments(index, min(number, most)))
            check_drawn(self.game, int(self.memory.why))
            now = time.perf_counter()
            number = int(number * min(16.0, max(0.25, SLICE_SECONDS / max(now - before, 1e-9))))
            number = max(1, min(number, MAX_SLICE))
            done = int(self.memory.simulations)
            rows = self._rows()
            if not rows and self.memory.full:
                raise ValueError(
                    f"ISMCTS(memory_mb={self.searcher.memory_mb!r}): no room for the actions of the state; increase it"
                )
            stopped = self._stopped(rows, done, now - began)
            if stopped or now - reported >= (REPORT_SECONDS if reported > began else FIRST_REPORT_SECONDS):
                reported = now
                self._tell(index, rows, done, stopped)

    def _stopped(self, rows: list[Row], done: int, seconds: float) -> StopReason:
        """The reason to stop now; COMPLETE if there is none."""
        left = time_left(self.limit, seconds)
        stopped = reached(self.limit, int(self.memory.why), done, left)
        if stopped or not self.early or left == math.inf:
            return stopped
        most, *others = sorted((row.visits for row in rows), reverse=True)
        is_settled = most - max(others, default=0) > done * left / max(seconds, 1e-9)
        return StopReason.SETTLED if is_settled else StopReason.COMPLETE

    def _rows(self) -> list[Row]:
        """The actions that were visited at the root, with their statistics."""
        table, shares, rows = self.table, self.techniques.shares, []
        first = int(table.next[self.memory.root_set])
        record, whole = first, 0.0
        while record and self.techniques.regret:
            whole += float(table.share[record]) if table.visits[record] else 0.0
            record = int(table.next[record])
        record = first
        while record:
            visits = int(table.visits[record])
            if visits:
                totals = [float(total) for total in table.value_sum[shares * record : shares * (record + 1)]]
                if shares == 1 and self.game.players == 2:
                    totals.append(0.0 - totals[0])
                action = int(table.label[record])
                likely = float(table.share[record]) / whole if whole else None
                rows.append(Row(action, visits, tuple(totals), (UNBOUNDED,) * self.game.players, (action,), likely))
            record = int(table.next[record])
        return rows

    def _tell(self, index: int, rows: list[Row], done: int, stopped: StopReason) -> None:
        """Leave what has been found for the calling thread."""
        numbers, memory = self.numbers, self.memory
        least, greatest = float(numbers.least), float(numbers.greatest)
        ranges = [(least, greatest)] * self.game.players
        if self.techniques.shares == 1 and len(ranges) > 1:  # the range is then that of player 0
            ranges[1] = -greatest, -least
        self.results.write_status(
            index, simulations=done, nodes=int(memory.nodes), depth=int(memory.deepest_ply), why=int(memory.why)
        )
        self.results.answers[index] = Answer(
            rows=tuple(rows),
            bounds=(UNBOUNDED,) * self.game.players,
            ranges=tuple(ranges),
            stopped=StopReason.COMPLETE if stopped == StopReason.CALLER else stopped,
        )
