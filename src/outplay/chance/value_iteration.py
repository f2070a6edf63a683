"""Value iteration: the exact value of every reachable state, also where play can go in circles.

    value 0 (s) = 0                                          before the game is over, everything is worth 0
    value k (s) = utility(s), or the max, the min or the mean of value k-1 over the states after s

(Bellman 1957; Shapley 1953 for two sides; Russell & Norvig, section 16.2.) Value k is the result of best play within k
plies. The limit is the value of the game, where endless play is worth 0. The states are found once and stored as a
graph. Each sweep uses the values that it has already set (Gauss-Seidel) and goes from the last state found to the
first, so that one sweep suffices where play cannot go in circles. The last sweep is the one that changes no value by
more than the tolerance.

A draw by repetition is worth the same as endless play: a player who can force more than 0 makes progress with each move
and need not repeat a state, and a player who can get no more may as well go in circles. With dice this does not hold.

Of actions with the same value, the chosen one ends the game soonest, or latest if the player loses. An action chosen
only because it keeps the value might keep it for ever.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.chance.base import ChanceSearcher, check_sides
from outplay.chance.deepening import action_at, take_side
from outplay.compile.kernels import kernel, pointer, unpack
from outplay.compile.records import layout, new_record, view
from outplay.compile.references import fields_of
from outplay.engine.path import begin_path, last_ply_with_key
from outplay.engine.recording import Recording
from outplay.engine.results import complete_iteration, copy_results, end_search, line_of, list_root, sort_rows
from outplay.engine.score import to_score
from outplay.engine.searcher import Task
from outplay.engine.stopping import MEMORY_FULL, NO_LEGAL_ACTION
from outplay.engine.table import EXACT
from outplay.engine.workspace import COUNTERS, PATH, ROWS, must_stop, start
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import state_key
from outplay.rules.options import number

END, FRIEND, ENEMY, DICE = range(4)
"""The kinds of states: the game is over, or who is to move."""
LAYOUT = layout(
    *COUNTERS, *PATH, *ROWS, ("hero", int), ("friends", int), ("salt", int), ("sweeps", int), ("expanded", int)
)
ONE_SWEEP = 1e15
"""A tolerance with which every sweep is the last one."""
FIRST_ROOM = 1 << 12
"""The number of states and edges that there is room for at first."""


class Graph(NamedTuple):
    """The reachable states. State s has the edges from first[s] to first[s + 1], in the order of its actions."""

    kinds: Any  # int64 [states]: END, FRIEND, ENEMY or DICE
    values: Any  # float64 [states]: for the player to move at the root
    first: Any  # int64 [states + 1]
    targets: Any  # int64 [edges]: the states that they lead to
    chances: Any  # float64 [edges]: their probabilities, where chance is to move


@dataclass(eq=False, repr=False)
class ValueIteration(ChanceSearcher):
    """Solve a game for one player or two sides, with or without chance, also where play can go in circles.

    It lists all reachable states, so it is for games with at most a few million of them. Endless play is a draw, worth
    0 unless the game has another `constant_sum`, and so is a repeated state in a game without chance whose `repetition`
    is "draw". Values are utilities of the player to move at the root; if chance is to move there, of player 0.

    Args:
        game: the game to solve.
        tolerance: the sweep that changes no value by more than this is the last one. In games with many circles, the
            error of a value may be several times the tolerance.
        memory_mb: the maximum size of the graph of states and edges, in megabytes, with the states themselves.
        books: books to consult before searching.

    Raises `ValueError` for an invalid option, `UnsuitableGame` for a game with hidden information, more than two sides,
    or any other rule of repetition. If memory does not suffice, the value is that of the states that fit, where the
    others are worth as much as endless play: an estimate, `stopped` by "memory full"; or exact, if the others cannot
    change it, whatever they are worth within `utilities`.

    >>> from outplay.games import TicTacToe
    >>> analysis = ValueIteration(TicTacToe()).search()
    >>> analysis.verdict, analysis.nodes
    ('draw', 16167)
    """

    limits: ClassVar[tuple[str, ...]] = ("seconds", "clock", "nodes")
    traces: ClassVar[bool] = True
    records: ClassVar[str] = "sweeps"

    _layout = LAYOUT

    game: Game
    _: KW_ONLY
    tolerance: float = number(1e-9, least=0)
    memory_mb: float = number(1024, least=1, most=1e9)

    def _check_game(self) -> None:
        super()._check_game()
        check_sides(self)

    def _keeps_to(self, game: Game) -> bool:
        return game.repetition == "draw" and not game.has_chance

    def _teams(self) -> NDArray[np.int64]:
        """The team of each player."""
        return np.array(self.game.teams or range(self.game.players), np.int64)

    def _recording(self, state: Any, previous_states: Sequence[Any], memory: Any, limit: int) -> Recording:
        from outplay.chance.recording import Sweeps  # noqa: PLC0415 - searches start without it

        return Sweeps(self, state, previous_states, int(memory.sweeps), limit)

    def _recorded(self, content: dict[str, Any]) -> Recording:
        from outplay.chance.recording import Sweeps  # noqa: PLC0415

        return Sweeps.in_file(self, content)

    def _swept(self, state: Any, previous_states: Sequence[Any]) -> Iterator[tuple[float, ...]]:
        """Repeat a search in Python: the values of all states, before the first sweep and after each one, endlessly."""
        game = copy(self.game)
        object.__setattr__(game, "compiled", False)
        memory = new_record(LAYOUT)
        fields = view(memory)
        if game.repetition:
            begin_path(game, previous_states, state_key(game, state), memory)
        take_side.interpreted(game.to_move(state), self._teams(), fields)
        graph = explore.interpreted(game, state, self.memory_mb * 1e6, bytes_of([state]), fields)
        while True:
            yield tuple((graph.values + draw_utility(game)).tolist())
            sweep.interpreted(graph, ONE_SWEEP, fields)

    def _prepare(self, task: Task) -> Callable[[], Any]:
        args = (
            task.game, task.packed, task.count, float(self.tolerance), float(self.memory_mb) * 1e6,
            bytes_of(task.packed) / task.count, *worth_at_most(task.game), task.limit.nodes or 0, self._teams(),
            task.memory.base, task.results.cells,
        )  # fmt: skip
        run = value_iteration_many.prepare(*args)
        return lambda: run(*args)


def bytes_of(packed: Any) -> int:
    """About the memory that states take, with all that they refer to.

    >>> bytes_of((np.zeros(100), np.zeros(100))), bytes_of([None] * 100) < 1000 < bytes_of([[] for _ in range(100)])
    (1600, True)
    """
    if isinstance(packed, tuple):  # of arrays: they are compiled
        return sum(column.nbytes if isinstance(column, np.ndarray) else bytes_of(column) for column in packed)
    waiting, visited, size = [packed], dict[int, Any](), 0
    while waiting:
        item = waiting.pop()
        if id(item) in visited or isinstance(item, type):
            continue
        visited[id(item)] = item
        size += sys.getsizeof(item)
        if isinstance(item, dict):
            waiting += [*item, *item.values()]
        elif isinstance(item, (tuple, list, set, frozenset)):
            waiting += item
        elif not isinstance(item, (int, float, str, bytes, np.ndarray)):
            waiting += fields_of(item).values()
    return size


def worth_at_most(game: Game) -> tuple[float, float]:
    """The least and the greatest value of a state whose successors are unknown; endless play is worth 0."""
    least, greatest = game.utilities or (-np.inf, np.inf)
    return min(least - draw_utility(game), 0.0), max(greatest - draw_utility(game), 0.0)


@kernel
def value_iteration_many(
    game: Any, packed: Any, count: int, tolerance: float, most_bytes: float, state_bytes: float,
    least: float, greatest: float, most_nodes: int, teams: Any, memory: Any, output: Any,
) -> None:  # fmt: skip
    """Value iteration for each of `count` packed states; `Results` describes what is filled in."""
    width = output.size // count
    cells, results = pointer(memory), pointer(output)
    for i in range(count):
        at = i * width
        start(cells, i + 1, most_nodes)
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            take_side(game.to_move(state), teams, cells)
            graph = explore(game, state, most_bytes, state_bytes, cells)
            is_full = cells.why == MEMORY_FULL
            if is_full:
                cells.why = 0
                is_full = not is_settled(graph, least, greatest, tolerance, cells)
            if cells.why == 0:
                cells.sweeps = sweeps = sweep(graph, tolerance, cells)
                plies = plies_to_end(graph, tolerance, cells)
                if is_full and cells.why == 0:
                    cells.why = MEMORY_FULL
                rows = answer(game, state, graph, plies, tolerance, cells, results, at)
                complete_iteration(rows, sweeps, cells.why == 0, results, at)
        end_search(cells, results, at)


@kernel
def is_settled(graph: Any, least: float, greatest: float, tolerance: float, memory: Any) -> bool:
    """Whether state 0 has one value, whatever the states are worth that are not expanded.

    If so, they have the least value in the end, and the best action is sure to be; else they have 0.
    """
    most = math.inf
    for turn, value in enumerate((greatest, least, 0.0)):
        for state in range(len(graph.kinds)):
            if state >= memory.expanded:
                graph.values[state] = 0.0 if math.isinf(value) else value
            elif graph.kinds[state] != END:
                graph.values[state] = 0.0
        if turn < 2 and not math.isinf(value):
            sweep(graph, tolerance, memory)
            if graph.values[0] >= most - tolerance:
                return True
            most = graph.values[0]
    return False


@kernel
def explore(game: Any, root: Any, most_bytes: float, state_bytes: float, memory: Any) -> Any:
    """All states reachable from `root`, which is state 0. Values are utilities at the end of the game, else 0."""
    kinds, values, first = np.zeros(FIRST_ROOM, np.int64), np.zeros(FIRST_ROOM), np.zeros(FIRST_ROOM + 1, np.int64)
    targets, chances = np.zeros(FIRST_ROOM, np.int64), np.zeros(FIRST_ROOM)
    keys, places = np.zeros(FIRST_ROOM, np.int64), np.full(4 * FIRST_ROOM, -1, np.int64)
    states = [root]
    keys[0] = state_key(game, root)
    places[keys[0] & len(places) - 1] = 0
    edges, done = 0, 0
    while done < len(states) and not must_stop(memory):
        state = states[done]
        if done + 1 == len(kinds):
            kinds, values, first = doubled(kinds), doubled(values), doubled(first)
        first[done] = edges
        if game.is_terminal(state):
            kinds[done], values[done] = END, float(game.utility(state, memory.hero)) - draw_utility(game)
        elif done > 0 and last_ply_with_key(memory, memory.root_ply, keys[done]) >= 0:
            kinds[done] = END  # a draw by repetition
        else:
            mover = game.to_move(state)
            kinds[done] = DICE if mover == CHANCE else FRIEND if memory.friends >> mover & 1 else ENEMY
            for action in legal_actions(game, state):
                if must_stop(memory):
                    break
                memory.nodes += 1
                child = game.result(state, action)
                key = state_key(game, child)
                place = place_of(key, keys, places)
                number = places[place]
                if number < 0:
                    number = len(states)
                    if number == len(keys):
                        keys = doubled(keys)
                        places = hashed(keys, number)
                        place = place_of(key, keys, places)
                    states.append(child)
                    keys[number], places[place] = key, number
                if edges == len(targets):
                    targets, chances = doubled(targets), doubled(chances)
                targets[edges] = number
                if defines(game, "probability") and mover == CHANCE:
                    chances[edges] = game.probability(state, action)
                edges += 1
            if edges == first[done] and memory.why == 0:
                memory.why = NO_LEGAL_ACTION
        done += 1
        size = 8 * (6 * len(kinds) + 2 * len(targets) + len(keys) + len(places)) + state_bytes * len(states)
        if size > most_bytes and memory.why == 0:
            memory.why = MEMORY_FULL
    memory.expanded, count = done, len(states)
    while len(kinds) <= count:
        kinds, values, first = doubled(kinds), doubled(values), doubled(first)
    for state in range(done, count + 1):
        first[state] = edges
    return Graph(kinds[:count], values[:count], first[: count + 1], targets[:edges], chances[:edges])


@kernel
def doubled(array: Any) -> Any:
    """A copy of `array` of twice the length, filled up with zeros."""
    longer = np.zeros(2 * len(array), array.dtype)
    longer[: len(array)] = array
    return longer


@kernel
def hashed(keys: Any, number: int) -> Any:
    """A hash table from the first `number` keys to their indices, with four places per element of `keys`."""
    places = np.full(4 * len(keys), -1, np.int64)
    for row in range(number):
        places[place_of(keys[row], keys, places)] = row
    return places


@kernel
def place_of(key: int, keys: Any, places: Any) -> int:
    """The place of a key in the hash table, or the free one for it."""
    place = key & len(places) - 1
    while places[place] >= 0 and keys[places[place]] != key:
        place = place + 1 & len(places) - 1
    return int(place)


@kernel
def sweep(graph: Any, tolerance: float, memory: Any) -> int:
    """Update all values until no value changes by more than the tolerance. Return the number of sweeps."""
    kinds, values, first, targets, chances = graph
    sweeps, moved = 0, tolerance + 1
    while moved > tolerance and not must_stop(memory):
        moved = 0.0
        for state in range(len(kinds) - 1, -1, -1):
            if kinds[state] == END:
                continue
            begin, end = first[state], first[state + 1]
            value = values[targets[begin]]
            if kinds[state] == DICE:
                value = 0.0
                for edge in range(begin, end):
                    value += chances[edge] * values[targets[edge]]
            elif kinds[state] == FRIEND:
                for edge in range(begin + 1, end):
                    value = max(value, values[targets[edge]])
            else:
                for edge in range(begin + 1, end):
                    value = min(value, values[targets[edge]])
            moved = max(moved, abs(value - values[state]))
            values[state] = value
        sweeps += 1
    return sweeps


@kernel
def plies_to_end(graph: Any, tolerance: float, memory: Any) -> Any:
    """The plies to the end from each state if all play best and hurry unless they lose, int64 [states].

    It is the number of states plus 1 where no one makes the game end. Chance takes the shortest way.
    """
    kinds = graph.kinds
    never = len(kinds) + 1
    plies = np.full(len(kinds), never)
    for state in range(len(kinds)):
        if kinds[state] == END and state < memory.expanded:
            plies[state] = 0
    changed = True
    while changed and not must_stop(memory):
        changed = False
        for state in range(len(kinds) - 1, -1, -1):
            if kinds[state] != END:
                last = plies[graph.targets[best_edge(state, graph, plies, tolerance)]]
                if last + 1 < plies[state]:
                    plies[state] = last + 1
                    changed = True
    return plies


@kernel
def hurries(state: int, graph: Any) -> bool:
    """Whether the player to move wants the game to end soon: they are not losing, or chance is to move."""
    kind, value = graph.kinds[state], graph.values[state]
    return bool((kind != ENEMY or value <= 0) and (kind != FRIEND or value >= 0))


@kernel
def best_edge(state: int, graph: Any, plies: Any, tolerance: float) -> int:
    """The edge that keeps the value of `state` and ends the game soonest, or latest if the player to move loses.

    Where chance is to move, all edges count.
    """
    kinds, values, first, targets, _ = graph
    best: int = -1
    hurry = hurries(state, graph)
    for edge in range(first[state], first[state + 1]):
        if kinds[state] == DICE or abs(values[targets[edge]] - values[state]) <= tolerance:
            more = 0 if best < 0 else plies[targets[edge]] - plies[targets[best]]
            if best < 0 or (more < 0 if hurry else more > 0):
                best = edge
    return best if best >= 0 else int(first[state])


@kernel
def answer(game: Any, state: Any, graph: Any, plies: Any, tolerance: float, memory: Any, results: Any, at: int) -> int:
    """Fill in the actions of `state`, which is state 0, and their lines, up to a chance node. The number of actions."""
    kinds, values, _, targets, _ = graph
    count = list_root(game, state, memory)
    rows = memory.rows
    for row in range(count):
        rows.score[row] = -plies[targets[row]] if hurries(0, graph) else plies[targets[row]]
        rows.solved[row] = row
    if game.to_move(state) != CHANCE:
        sort_rows(memory, count)  # by plies, so that actions of the same value keep this order
    for row in range(count):
        value = values[targets[rows.solved[row]]]
        if kinds[0] != DICE and abs(value - values[0]) <= tolerance:
            value = values[0]
        rows.score[row] = to_score(value)
        is_known = bool(memory.expanded == len(kinds) or kinds[0] == DICE or abs(value - values[0]) <= tolerance)
        rows.bound[row], rows.solved[row] = EXACT, memory.why == 0 and is_known
    if game.to_move(state) != CHANCE:
        sort_rows(memory, count)
    copy_results(memory, count, results, at)
    for k in range(min(count, memory.max_rows)):
        action = rows.action[k]
        line_in_graph(game, state, action, graph, plies, tolerance, memory, results, line_of(memory, at, k))
    return count


@kernel
def line_in_graph(
    game: Any, state: Any, action: int, graph: Any, plies: Any, tolerance: float, memory: Any, results: Any, at: int
) -> None:
    """Put the best actions after `action` in state 0 into `found[at:]`, up to chance, the end or a repeated state."""
    kinds, _, first, targets, _ = graph
    end, node = at + memory.max_line, 0
    visited = np.zeros(len(kinds), np.int64)
    while True:
        visited[node] = 1
        for edge, legal_action in enumerate(legal_actions(game, state)):
            if legal_action == action:
                node = targets[first[node] + edge]
                break
        state = game.result(state, action)
        if at >= end or visited[node] or kinds[node] == END or kinds[node] == DICE:
            break
        best = best_edge(node, graph, plies, tolerance)
        action = action_at(game, state, best - first[node])
        results[at] = action
        at += 1
    if at < end:
        results[at] = -1
