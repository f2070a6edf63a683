"""What every searcher shares: checked input, the clock and Ctrl-C around a kernel, an `Analysis` out of its numbers."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import check_rules, check_state
from outplay.compile.kernels import cast_states, kernel, prepare_packed
from outplay.compile.records import Layout, new_record
from outplay.engine import workspace
from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.book import Book, LookUp, answer, line_from
from outplay.engine.clock import Budget, Clock
from outplay.engine.limits import Limit, SearchRunner, check_is_limit, check_is_state
from outplay.engine.path import begin_path
from outplay.engine.score import decode, distance
from outplay.engine.stopping import (
    BY_NODES,
    NO_LEGAL_ACTION,
    STACK_FULL,
    StopReason,
)
from outplay.engine.table import EXACT
from outplay.engine.trace import Trace
from outplay.engine.workspace import (
    MAX_LISTED,
    MAX_ROWS,
)
from outplay.rules.arguments import check_is_game
from outplay.rules.base import frozen
from outplay.rules.errors import RulesError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.keys import state_key
from outplay.rules.repetition import defeat, final
from outplay.system.memory import check_memory
from outplay.system.threads import MAX_PLIES

ACTION, SCORE, BOUND, SOLVED = range(4)
"""Columns of a row about one root action."""
COLUMNS = 4
STATUS_SOLVED, STATUS_DEPTH, STATUS_NODES, STATUS_WHY, STATUS_ACTIONS, STATUS_LEAVES, STATUS_DONE = range(7)
"""Columns of a row about one search."""
STATUSES = 7
LONGEST_LINE = 256
LIVE = 0.02
"""Seconds for what `progress` is told: with slow rules it is told of fewer actions, and shorter lines."""

Progress = Callable[[Analysis], None]


class Results:
    """What a kernel finds and the calling thread reads: shape (count, width), int64, a row for each search.

    A row holds the STATUSES, then COLUMNS cells for each of the `kept` best root actions, the best first, then the
    line of each: `longest` cells, ended by -1 if shorter.
    """

    def __init__(self, count: int, kept: int, longest: int) -> None:
        self.kept, self.longest = kept, longest
        self._lines = STATUSES + kept * COLUMNS
        self.cells: NDArray[np.int64] = np.zeros((count, self._lines + kept * longest), np.int64)
        self.cells[:, self._lines :] = -1

    def rows(self, index: int) -> NDArray[np.int64]:
        """The root actions of one search: shape (kept, COLUMNS)."""
        return self.cells[index, STATUSES : self._lines].reshape(self.kept, COLUMNS)

    def lines(self, index: int) -> NDArray[np.int64]:
        """The lines of one search: shape (kept, longest)."""
        return self.cells[index, self._lines :].reshape(self.kept, self.longest)


@dataclass(eq=False, repr=False)
class Searcher(ABC):
    """A way to find the best action. `search` answers for one state, `search_many` for many in one call.

    Options are keyword-only and only stored; two searchers with the same game and options are equal. Every searcher
    has `books`: what to ask before searching, in turn, each with a method `look_up(game, state)`, see `Book`;
    and `check`: whether to try the laws of the game before the first search of it.
    """

    _layout: ClassVar[Layout]  # of the memory of a search
    _traces: ClassVar[bool] = False  # whether `search` takes a trace
    _takes_chance: ClassVar[bool] = False  # whether chance may be to move at the root
    _megabytes: ClassVar[str] = "table_mb"  # the option, if there is one, for the memory that a search takes at once

    game: Game
    _: KW_ONLY
    books: Sequence[LookUp] = ()
    check: bool = True

    def __post_init__(self) -> None:
        books = self.books
        check_is_game(self.game, type(self).__name__)
        self._check_switches()
        self._check_game()
        self.books = () if isinstance(books, LookUp) else tuple(books)
        if isinstance(books, LookUp) or not all(isinstance(book, LookUp) for book in self.books):
            name = type(self).__name__
            raise ValueError(f"{name}(books=…): a list of what has look_up(game, state), as in books=[book]")
        for book in self.books:
            if isinstance(book, Book):
                book.check(self.game)

    def search(
        self,
        state: Any = None,
        limit: Limit | None = None,
        *,
        previous_states: Sequence[Any] = (),
        progress: Progress | None = None,
        trace: Trace | None = None,
    ) -> Analysis:
        """The best action in `state` (by default the initial state) and its value.

        Args:
            state: where to search from.
            limit: when to stop. Ctrl-C too stops the search and keeps the best completed answer.
            previous_states: the earlier states of the game, the oldest first, without `state`. They matter where the
                game has a rule of `repetition`, and are not looked at where it has none.
            progress: called with the analysis so far, ten times a second.
            trace: filled with what the search visits, see `Trace`; where a book answers, with nothing.

        Raises `ValueError` for a trace, unless this is `AlphaBeta`.
        """
        self._check_call("search", state, limit)
        self._check_trace(trace)
        return self._answers([self._initial(state)], limit, progress, previous_states, trace)[0]

    def analyse(
        self,
        state: Any = None,
        limit: Limit | None = None,
        *,
        previous_states: Sequence[Any] = (),
        progress: Progress | None = None,
        trace: Trace | None = None,
    ) -> Analysis:
        """Like `search`, but with the value and the line of every action, not of the best alone: it always searches."""
        self._check_call("analyse", state, limit)
        self._check_trace(trace)
        return self._run(
            [self._initial(state)], limit, every=True, progress=progress, previous_states=previous_states, trace=trace
        )[0]

    def search_many(
        self, states: Sequence[Any], limit: Limit | None = None, *, progress: Progress | None = None
    ) -> list[Analysis]:
        """`search` for each of many states, in one call of compiled code; the limit holds for each state.

        Raises `ValueError` for a limit with a clock, which is for one move.
        """
        self._check_call("search_many", states, limit)
        if limit is not None and limit.clock is not None:
            raise ValueError(
                f"{type(self).__name__}.search_many(limit={limit!r}): a clock is for the moves of one game;"
                " use seconds, or search the states one by one"
            )
        return self._answers(list(states), limit, progress)

    # -- what a searcher defines ------------------------------------------------------------------------------------

    @abstractmethod
    def _prepare(
        self, game: Game, packed: Any, count: int, limit: Limit, every: bool, memory: workspace.Workspace,
        results: Results,
    ) -> Callable[[], Any]:  # fmt: skip
        """Compile for `game`, which `_searched` gave, and return the work to be done in the searching thread."""

    def _new_results(self, states: list[Any], kept: int) -> Any:
        """Where the kernels leave what they find in these states."""
        return Results(len(states), kept, LONGEST_LINE if len(states) == 1 else 64)

    def _new_memory(self, trace: Trace | None) -> workspace.Workspace:
        """The memory of a search, zeros; with room for a trace if there is one."""
        return new_record(self._layout)

    def _searched(self) -> Game:
        """The game that the kernels get: the searcher's own, or a variant of it."""
        return self.game

    def _worth(self, score: int) -> float:
        """The utility that a score in the results stands for."""
        return decode(score)

    def _plies(self, score: int) -> int:
        """How far from the end such a score is; 0 if it does not tell."""
        return distance(score)

    def _values(self, player: int, value: float) -> tuple[float, ...]:
        """The utilities of all players, where that of `player` is `value`."""
        return tuple(value if other == player else 0.0 - value for other in range(self.game.players))

    def _check_switches(self) -> None:
        """Raise `ValueError` for an option that is on or off and is given something else: "false" would be on."""
        for field in fields(self):
            value, optional = getattr(self, field.name), field.type == bool | None
            if (field.type is bool or optional) and not (isinstance(value, bool) or (optional and value is None)):
                what = "True, False or None" if optional else "True or False"
                raise ValueError(f"{type(self).__name__}({field.name}={value!r}): {what}")

    def _check_limit(self, limit: Limit) -> None:
        """Raise `ValueError` for a limit that this searcher cannot keep."""
        if limit.simulations is not None:
            name = type(self).__name__
            raise ValueError(f"{name} with {limit!r}: {name} makes no simulations, MCTS does; limit nodes or seconds")

    def _check_game(self) -> None:
        """Raise `UnsuitableGame` for a game that this searcher does not suit: here, all but plain minimax games."""
        self._check_seen()
        name, searcher = type(self.game).__name__, type(self).__name__
        if self.game.has_chance:
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: it has chance nodes. It needs a game without dice or cards;"
                " games with chance need Expectiminimax, or simulations: MCTS"
            )
        if self.game.players > 2 or (self.game.players == 2 and not self.game.zero_sum):
            what = (
                f"{self.game.players} players"
                if self.game.players > 2
                else "two players whose interests are not opposed"
            )
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: it has {what}. It needs one player, or two with zero_sum = True;"
                " other games need MaxN or Paranoid, or simulations: MCTS"
            )

    def _check_call(self, method: str, state: Any, limit: Any) -> None:
        """Raise `WrongType` for what is no limit, and for a limit in place of the state."""
        function = f"{type(self).__name__}(…).{method}"
        check_is_state(state, function)
        check_is_limit(limit, function)

    def _check_seen(self) -> None:
        """Raise `UnsuitableGame` for a game with hidden information."""
        if self.game.hidden_information:
            raise UnsuitableGame(
                f"{type(self).__name__} cannot search {type(self.game).__name__}: its players see only a part of the"
                " state. Games with hidden information need an equilibrium (outplay equilibrium, CFR), not a best"
                " action; ISMCTS and PIMC search them"
            )

    def _check_trace(self, trace: Trace | None) -> None:
        """Empty `trace`; raise `ValueError` if this searcher records none."""
        if trace is None:
            return
        name = type(self).__name__
        if not isinstance(trace, Trace):
            raise ValueError(f"{name}.search(trace={trace!r}): a Trace, as in trace = Trace()")
        if not self._traces:
            raise ValueError(f"{name}.search(trace=…): {name} records no trace; AlphaBeta does")
        trace.clear()

    # -- the shared run ---------------------------------------------------------------------------------------------

    def _initial(self, state: Any) -> Any:
        return self.game.initial_state() if state is None else state

    def _answers(
        self,
        states: list[Any],
        limit: Limit | None,
        progress: Progress | None,
        previous_states: Sequence[Any] = (),
        trace: Trace | None = None,
    ) -> list[Analysis]:
        """What the books know, and the rest searched. Books know nothing of the past."""
        books = () if self.game.repetition and previous_states else self.books
        known = [answer(books, self.game, state, limit or Limit()) if books else None for state in states]
        unknown = [state for state, found in zip(states, known, strict=True) if found is None]
        searched = iter(
            self._run(unknown, limit, every=False, progress=progress, previous_states=previous_states, trace=trace)
            if unknown
            else ()
        )
        return [found or next(searched) for found in known]

    def _run(
        self,
        states: list[Any],
        limit: Limit | None,
        every: bool,
        progress: Progress | None,
        previous_states: Sequence[Any] = (),
        trace: Trace | None = None,
    ) -> list[Analysis]:
        limit = limit or Limit()
        self._check_limit(limit)
        check_memory(getattr(self, self._megabytes, 0), self._megabytes)
        one = len(states) == 1
        if self.check:
            check_rules(self.game, states[0] if one else None)
        previous_states = previous_states if self.game.repetition else ()
        ended = final(self.game, [*previous_states, states[0]]) if previous_states else None
        if ended is not None:
            method = self._method()
            return [_over(game=self.game, state=states[0], seconds=0.0, method=method, limit=limit, values=ended)]
        game = self._searched()
        states = cast_states(game, states)
        kept = max(1, self._number_of_actions(states[0])) if one else 1
        results = self._new_results(states, kept)
        memory = self._new_memory(trace)
        memory.search = 1
        memory.max_rows, memory.max_line = results.kept, results.longest
        if game.repetition:
            begin_path(game, cast_states(game, previous_states), state_key(game, states[0]), memory)
        work = prepare_packed(
            game, states, lambda packed: self._prepare(game, packed, len(states), limit, every, memory, results)
        )
        started = time.perf_counter()

        def stop(number: int) -> None:
            memory.stop = number

        def report() -> None:
            if progress is not None:
                now = min(int(memory.search), len(states)) - 1
                seconds = time.perf_counter() - started
                progress(self._analysis(states[now], results, now, limit, seconds, live=int(memory.nodes)))

        watch = SearchRunner(limit.seconds, lambda: int(memory.search), stop, report if progress else None)
        if limit.clock is not None:
            watch.until = self._until(limit.clock, results)
        watch.run(work)
        seconds = time.perf_counter() - started
        if trace is not None:
            trace.read(self.game, states[0], memory)
        shares = results.cells[:, STATUS_NODES] / max(1, results.cells[:, STATUS_NODES].sum())
        return [
            self._analysis(
                state, results, i, limit, float(seconds * (1 if one else shares[i])), by_caller=watch.stopped
            )
            for i, state in enumerate(states)
        ]

    def _until(self, clock: Clock, results: Results) -> Callable[[float], float]:
        """What says, so many seconds after the start of the search, when to stop it."""
        least, greatest = self.game.utilities or (-math.inf, math.inf)
        budget, seen = Budget(clock, greatest - least), 0

        def until(seconds: float) -> float:
            nonlocal seen
            status = results.cells[0]
            if status[STATUS_DEPTH] != seen:
                seen = status[STATUS_DEPTH]
                best, *others = results.rows(0)[: status[STATUS_ACTIONS]].copy()
                open_to = [
                    worth for row in others if (worth := self._worth(int(row[SCORE]))) > least or not row[SOLVED]
                ]
                worth = self._worth(int(best[SCORE]))
                budget.iteration(seconds, int(best[ACTION]), worth, max(open_to, default=-math.inf))
            return budget.until

        return until

    def _number_of_actions(self, state: Any) -> int:
        """How many actions are legal in the state to be searched; 0 at the end of the game."""
        if self.check:
            return check_state(self.game, state)
        return 0 if self._over(state) else len(list(legal_actions(self.game, state)))

    def _over(self, state: Any) -> bool:
        return bool(self.game.is_terminal(state))

    def _analysis(
        self,
        state: Any,
        results: Results,
        index: int,
        limit: Limit,
        seconds: float,
        *,
        live: int = -1,
        by_caller: StopReason = StopReason.COMPLETE,
    ) -> Analysis:
        """What the numbers of search `index` mean; `by_caller` says why the calling thread has stopped it, if so."""
        status, game = results.cells[index], self.game
        common: dict[str, Any] = {
            "game": game,
            "state": state,
            "seconds": seconds,
            "method": self._method(),
            "limit": limit,
        }
        if self._over(state):
            return _over(**common, values=tuple(float(game.utility(state, player)) for player in range(game.players)))
        player = int(game.to_move(state))
        if player == CHANCE and not self._takes_chance:
            raise UnsuitableGame(
                f"chance is to move in {state!r}: {type(self).__name__} cannot search it;"
                " search the states that its outcomes lead to"
            )
        why, nodes = status[STATUS_WHY], int(status[STATUS_NODES]) if live < 0 else live
        if why == NO_LEGAL_ACTION:
            raise RulesError(
                f"{game!r} came to a state that is not terminal but has no legal action: "
                "its is_terminal() or actions() is wrong; check_game(game) shows where"
            )
        if why == STACK_FULL:
            raise RulesError(f"{game!r} has more than {MAX_LISTED // 2} actions on one line of play: set a depth limit")
        return self._answered(state, player, results, index, live >= 0, by_caller, {**common, "nodes": nodes})

    def _answered(
        self,
        state: Any,
        player: int,
        results: Any,
        index: int,
        changing: bool,
        by_caller: StopReason,
        common: dict[str, Any],
    ) -> Analysis:
        """What the numbers of search `index` say about a state in which `player` is to move."""
        status, game = results.cells[index], self.game
        stopped = StopReason.COMPLETE
        if not status[STATUS_SOLVED]:
            stopped = (
                StopReason.NODES
                if status[STATUS_WHY] == BY_NODES
                else StopReason.DEPTH
                if status[STATUS_DONE]
                else by_caller or StopReason.SECONDS
            )
        actions: list[ActionValue] = []
        until = time.perf_counter() + LIVE if changing else math.inf
        if status[STATUS_DEPTH]:
            for row, cells in zip(results.rows(index), results.lines(index), strict=True):
                if len(actions) < status[STATUS_ACTIONS] and not (actions and time.perf_counter() > until):
                    actions.append(self._action_value(state, row, cells, changing, until))
        if not actions:  # stopped before any answer; or the mover has lost, since every action repeats
            lost = bool(status[STATUS_SOLVED])
            values = defeat(game, player) if lost else (0.0,) * game.players
            return Analysis(
                **common,
                player=player,
                action=None,
                value=values[player],
                values=values,
                exact=lost,
                stopped=stopped,
            )
        best = actions[0]
        exact = bool(status[STATUS_SOLVED])
        return Analysis(
            **common,
            player=player,
            action=best.action,
            value=best.value,
            values=self._values(player, best.value),
            line=best.line,
            actions=tuple(actions),
            exact=exact,
            distance=best.distance if exact else None,
            depth=int(status[STATUS_DEPTH]),
            stopped=stopped,
        )

    def _action_value(
        self, state: Any, row: NDArray[np.int64], cells: NDArray[np.int64], changing: bool, until: float
    ) -> ActionValue:
        action, score = int(row[ACTION]), int(row[SCORE])
        length = int(np.argmax(cells < 0)) if (cells < 0).any() else len(cells)
        if changing:  # the search may be writing this very line
            length = self._legal_length(self.game.result(state, action), cells[:length], until)
        exact = bool(row[SOLVED])
        line = (action, *(int(cell) for cell in cells[:length]))
        if self.books and exact and row[BOUND] == EXACT:
            line += line_from(self.books, self.game, self._after(state, line), exact)
        return ActionValue(
            action=action,
            name=self.game.action_name(state, action),
            value=self._worth(score),
            bound="exact" if row[BOUND] == EXACT else "upper",
            exact=exact,
            distance=(self._plies(score) or None) if exact and row[BOUND] == EXACT else None,
            line=line,
        )

    def _after(self, state: Any, line: Sequence[int]) -> Any:
        for action in line:
            state = self.game.result(state, action)
        return state

    def _legal_length(self, state: Any, line: NDArray[np.int64], until: float) -> int:
        """How many actions from the start of `line` are legal, one after the other, as far as there is time for."""
        for length, action in enumerate(line):
            if time.perf_counter() > until or self._over(state) or action not in legal_actions(self.game, state):
                return length
            state = self.game.result(state, int(action))
        return len(line)

    def _method(self) -> str:
        return type(self).__name__

    # -- a searcher is a value --------------------------------------------------------------------------------------

    def _options(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        values = [(field, getattr(self, field.name)) for field in fields(self) if field.name != "game"]
        return {field.name: value for field, value in values if value != field.default}

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options().items())
        return f"{type(self).__name__}({self.game!r}{options})"

    def _value(self) -> Any:
        return frozen((type(self), self.game, self._options()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Searcher) and self._value() == other._value()

    def __hash__(self) -> int:
        return hash(self._value())

    def __reduce__(self) -> Any:
        return _searcher, (type(self), self.game, self._options())


def _over(*, values: tuple[float, ...], **common: Any) -> Analysis:
    """The analysis of a game that has ended with these utilities."""
    return Analysis(**common, player=0, action=None, value=values[0], values=values, exact=True)


def _searcher(kind: Callable[..., Searcher], game: Game, options: dict[str, Any]) -> Searcher:
    """What a pickle makes again."""
    return kind(game, **options)


@kernel
def list_root(game: Any, state: Any, memory: Any) -> int:
    """Make a row of each legal action, in the order of the rules; how many there are."""
    count = 0
    for action in legal_actions(game, state):
        if count == MAX_ROWS:
            memory.why = STACK_FULL
            break
        memory.rows.action[count] = action
        memory.rows.solved[count] = 0
        count += 1
    if count == 0:
        memory.why = NO_LEGAL_ACTION
    return count


@kernel
def sort_rows(memory: Any, count: int) -> None:
    """Sort the first `count` rows by score, the best first; equal ones keep their order."""
    rows = memory.rows
    for end in range(1, count):
        row = end
        while row > 0 and rows.score[row] > rows.score[row - 1]:
            lift(rows, row)
            row -= 1


@kernel
def lift(rows: Any, row: int) -> None:
    """Exchange a row with the one before it."""
    above = row - 1
    rows.action[above], rows.action[row] = rows.action[row], rows.action[above]
    rows.score[above], rows.score[row] = rows.score[row], rows.score[above]
    rows.bound[above], rows.bound[row] = rows.bound[row], rows.bound[above]
    rows.solved[above], rows.solved[row] = rows.solved[row], rows.solved[above]


@kernel
def copy_results(memory: Any, count: int, found: Any, at: int) -> None:
    """Copy the best rows to where the calling thread reads them."""
    for row in range(min(count, memory.max_rows)):
        place = at + STATUSES + row * COLUMNS
        found[place + ACTION] = memory.rows.action[row]
        found[place + SCORE] = memory.rows.score[row]
        found[place + BOUND] = memory.rows.bound[row]
        found[place + SOLVED] = memory.rows.solved[row]


@kernel
def line_of(memory: Any, at: int, k: int) -> int:
    """Where in the results the line of root action `k` starts."""
    return at + STATUSES + memory.max_rows * COLUMNS + k * memory.max_line  # type: ignore[no-any-return]


def depth_of(limit: Limit) -> int:
    """The depth limit as a number."""
    return min(limit.depth or MAX_PLIES, MAX_PLIES)
