"""What every searcher shares: checked input, the clock and Ctrl-C around a kernel, an `Analysis` out of its numbers."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from outplay.analysis import ActionValue, Analysis
from outplay.errors import RulesError, UnsuitableGame
from outplay.game import CHANCE, Game, frozen, legal_actions
from outplay.kernels import gate, kernel, pack, runs_compiled
from outplay.limits import DEEPEST, Limit, Stopwatch
from outplay.search import workspace
from outplay.search.score import decode, distance
from outplay.search.table import EXACT

ACTION, SCORE, BOUND, SOLVED = range(4)
"""Columns of a row about one root action."""
COLUMNS = 4
STATUS_SOLVED, STATUS_DEPTH, STATUS_NODES, STATUS_WHY, STATUS_ACTIONS, STATUS_LEAVES, STATUS_DONE = range(7)
"""Columns of a row about one search."""
STATUSES = 7
LONGEST_LINE = 256

Progress = Callable[[Analysis], None]


class Results:
    """Arrays that a kernel fills, one row for each of `count` searches, and the calling thread reads.

    Attributes:
        status: shape (count, STATUSES), int64: see STATUS_SOLVED and its neighbours.
        rows: shape (count, kept, COLUMNS), int64: root actions, the best first.
        work: shape (many, COLUMNS), int64: the root actions of the search going on.
        lines: shape (count, kept, LONGEST_LINE), int64: the line of each, ended by -1.
    """

    def __init__(self, count: int, kept: int, longest: int) -> None:
        self.status: NDArray[np.int64] = np.zeros((count, STATUSES), np.int64)
        self.rows: NDArray[np.int64] = np.zeros((count, kept, COLUMNS), np.int64)
        self.work: NDArray[np.int64] = np.zeros((workspace.STACK_SIZE // 4, COLUMNS), np.int64)
        self.lines: NDArray[np.int64] = np.full((count, kept, longest), -1, np.int64)


class Searcher(ABC):
    """A way to find the best action. `search` answers for one state, `search_many` for many in one call.

    Options are keyword-only and only stored; two searchers with the same game and options are equal.
    """

    game: Game
    _options: ClassVar[tuple[str, ...]] = ()

    def __init__(self, game: Game) -> None:
        self.game = game
        self._check_game()

    def search(self, state: Any = None, limit: Limit | None = None, *, progress: Progress | None = None) -> Analysis:
        """The best action in `state` (by default the initial state) and its value.

        Ctrl-C stops the search and keeps the best completed answer. `progress` is called with the analysis so far, ten
        times a second.
        """
        return self._run([self._initial(state)], limit, every=False, progress=progress)[0]

    def analyse(self, state: Any = None, limit: Limit | None = None, *, progress: Progress | None = None) -> Analysis:
        """Like `search`, but with the value and the line of every action, not of the best alone."""
        return self._run([self._initial(state)], limit, every=True, progress=progress)[0]

    def search_many(
        self, states: Sequence[Any], limit: Limit | None = None, *, progress: Progress | None = None
    ) -> list[Analysis]:
        """`search` for each of many states, in one call of compiled code; the limit holds for each state."""
        return self._run(list(states), limit, every=False, progress=progress) if len(states) else []

    # -- what a searcher defines ------------------------------------------------------------------------------------

    @abstractmethod
    def _prepare(
        self, packed: Any, count: int, limit: Limit, every: bool, memory: workspace.Workspace, results: Results
    ) -> Callable[[], Any]:
        """Compile, and return the work to be done in the searching thread."""

    def _searched(self) -> Game:
        """The game that the kernels get: the searcher's own, or a variant of it."""
        return self.game

    def _check_game(self) -> None:
        """Raise `UnsuitableGame` for a game that this searcher does not suit: here, all but plain minimax games."""
        name, searcher = type(self.game).__name__, type(self).__name__
        if self.game.has_chance:
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: it has chance nodes. It needs a game without dice or cards;"
                " games with chance need expectiminimax"
            )
        if self.game.hidden_information:
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: its players see only a part of the state."
                " Games with hidden information need an equilibrium, not a best action"
            )
        if self.game.players > 2 or (self.game.players == 2 and not self.game.zero_sum):
            what = (
                f"{self.game.players} players"
                if self.game.players > 2
                else "two players whose interests are not opposed"
            )
            raise UnsuitableGame(
                f"{searcher} cannot search {name}: it has {what}. It needs one player, or two with zero_sum = True;"
                " other games need max^n"
            )

    # -- the shared run ---------------------------------------------------------------------------------------------

    def _initial(self, state: Any) -> Any:
        return self.game.initial_state() if state is None else state

    def _run(self, states: list[Any], limit: Limit | None, every: bool, progress: Progress | None) -> list[Analysis]:
        limit = limit or Limit()
        one = len(states) == 1
        game = self._searched()
        states = [gate(game, state) for state in states]
        kept = max(1, len(list(legal_actions(self.game, states[0])))) if one and not self._over(states[0]) else 1
        results = Results(len(states), kept, LONGEST_LINE if one else 64)
        memory = workspace.new_workspace()
        memory[workspace.SEARCH] = 1
        compiled = runs_compiled(game)
        work = self._prepare(pack(game, states), len(states), limit, every, memory, results)
        if compiled and not runs_compiled(game):  # the rules turned out not to compile: states are packed differently
            work = self._prepare(pack(game, states), len(states), limit, every, memory, results)
        started = time.perf_counter()

        def stop(number: int) -> None:
            memory[workspace.STOP] = number

        def report() -> None:
            if progress is not None:
                now = min(int(memory[workspace.SEARCH]), len(states)) - 1
                seconds = time.perf_counter() - started
                progress(self._analysis(states[now], results, now, limit, seconds, live=int(memory[workspace.NODES])))

        watch = Stopwatch(limit.seconds, lambda: int(memory[workspace.SEARCH]), stop, report if progress else None)
        watch.run(work)
        seconds = time.perf_counter() - started
        shares = results.status[:, STATUS_NODES] / max(1, results.status[:, STATUS_NODES].sum())
        return [
            self._analysis(state, results, i, limit, seconds * (1 if one else shares[i]), interrupted=watch.interrupted)
            for i, state in enumerate(states)
        ]

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
        interrupted: bool = False,
    ) -> Analysis:
        """What the numbers of search `index` mean."""
        status, game = results.status[index], self.game
        common: dict[str, Any] = {
            "game": game,
            "state": state,
            "seconds": seconds,
            "method": self._method(),
            "limit": limit,
        }
        if self._over(state):
            values = tuple(float(game.utility(state, player)) for player in range(game.players))
            return Analysis(**common, player=0, action=None, value=values[0], values=values, exact=True)
        player = int(game.to_move(state))
        if player == CHANCE:
            raise UnsuitableGame(f"chance is to move in {state!r}: {type(self).__name__} cannot search it")
        why = status[STATUS_WHY]
        if why == workspace.BY_RULES:
            raise RulesError(
                f"{game!r} came to a state that is not terminal but has no legal action: "
                "its is_terminal() or actions() is wrong; check_game(game) shows where"
            )
        stopped = ""
        if not status[STATUS_SOLVED]:
            by_caller = "interrupted" if interrupted else "seconds"
            stopped = "nodes" if why == workspace.BY_NODES else "depth" if status[STATUS_DONE] else by_caller
        actions: list[ActionValue] = []
        if status[STATUS_DEPTH]:
            for row, cells in zip(results.rows[index], results.lines[index], strict=True):
                if len(actions) < status[STATUS_ACTIONS]:
                    actions.append(self._action_value(state, row, cells, live >= 0))
        if not actions:
            return Analysis(
                **common,
                player=player,
                action=None,
                value=0.0,
                values=(0.0,) * game.players,
                stopped=stopped,
            )
        best = actions[0]
        exact = bool(status[STATUS_SOLVED])
        return Analysis(
            **common,
            player=player,
            action=best.action,
            value=best.value,
            values=tuple(best.value if p == player else 0.0 - best.value for p in range(game.players)),
            line=best.line,
            actions=tuple(actions),
            exact=exact,
            distance=best.distance if exact else None,
            depth=int(status[STATUS_DEPTH]),
            nodes=int(status[STATUS_NODES]) if live < 0 else live,
            stopped=stopped,
        )

    def _action_value(
        self, state: Any, row: NDArray[np.int64], cells: NDArray[np.int64], changing: bool
    ) -> ActionValue:
        action, score = int(row[ACTION]), int(row[SCORE])
        length = int(np.argmax(cells < 0)) if (cells < 0).any() else len(cells)
        if changing:  # the search may be writing this very line
            length = self._legal_length(self.game.result(state, action), cells[:length])
        exact = bool(row[SOLVED])
        return ActionValue(
            action=action,
            name=self.game.action_name(state, action),
            value=decode(score),
            bound="exact" if row[BOUND] == EXACT else "upper",
            exact=exact,
            distance=(distance(score) or None) if exact and row[BOUND] == EXACT else None,
            line=(action, *(int(cell) for cell in cells[:length])),
        )

    def _legal_length(self, state: Any, line: NDArray[np.int64]) -> int:
        """How many actions from the start of `line` are legal, one after the other."""
        for length, action in enumerate(line):
            if self._over(state) or action not in legal_actions(self.game, state):
                return length
            state = self.game.result(state, int(action))
        return len(line)

    def _method(self) -> str:
        return type(self).__name__

    # -- a searcher is a value --------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        options = "".join(f", {name}={getattr(self, name)!r}" for name in self._options)
        return f"{type(self).__name__}({self.game!r}{options})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and frozen(vars(self)) == frozen(vars(other))

    def __hash__(self) -> int:
        return hash((type(self), frozen(vars(self))))


@kernel
def list_root(game: Any, state: Any, rows: NDArray[np.int64]) -> int:
    """Put the legal actions into `rows`, in the order of the rules; how many there are."""
    count = 0
    for action in legal_actions(game, state):
        if count < len(rows):
            rows[count, ACTION] = action
            rows[count, SOLVED] = 0
            count += 1
    return count


@kernel
def rank(rows: NDArray[np.int64], count: int) -> None:
    """Sort the first `count` rows by score, the best first; equal ones keep their order."""
    for i in range(1, count):
        j = i
        while j > 0 and rows[j, SCORE] > rows[j - 1, SCORE]:
            for column in range(COLUMNS):
                moved = rows[j, column]
                rows[j, column] = rows[j - 1, column]
                rows[j - 1, column] = moved
            j -= 1


@kernel
def publish(rows: NDArray[np.int64], count: int, kept: NDArray[np.int64]) -> None:
    """Copy the best rows to where the calling thread reads them."""
    for i in range(min(count, len(kept))):
        for column in range(COLUMNS):
            kept[i, column] = rows[i, column]


def depth_of(limit: Limit) -> int:
    """The depth limit as a number."""
    return min(limit.depth or DEEPEST, DEEPEST)
