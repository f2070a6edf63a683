"""Games between searches: positions, with what the searches say of them and how the games ended.

A search mostly estimates positions after bad moves, which do not come up between good players. So beside each position
of a game, one is labelled that a few random actions lead to from there. Start at `Labeller`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import cast_state, kernel, pack, pointer, pointers
from outplay.compile.options import CompileTimeOptions
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import NONE, new_random, random_below
from outplay.compile.records import view
from outplay.engine.limits import Limit
from outplay.engine.path import begin_path
from outplay.engine.results import ACTIONS_CELL, STATUS_CELLS, Results
from outplay.engine.score import decode
from outplay.engine.searcher import Task
from outplay.engine.table import MAX_TABLE_DEPTH, useful_megabytes
from outplay.engine.workspace import ACTIONS, PLIES, start
from outplay.evaluation.patterns import Sides, Tables, code_of, score_of
from outplay.evaluation.variant import Evaluation, with_rules
from outplay.learning.plan import Plan
from outplay.learning.rivals import searcher_of
from outplay.learning.self_play import OPENING, reading_rules
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import defines, legal_actions, noisy_actions
from outplay.rules.keys import state_key
from outplay.rules.repetition import MAX_PAST_STATES, worst
from outplay.search.deepening import deepen

STRAY = 20
"""How many later actions in a thousand are random."""
ASIDE = 2
"""At most so many random actions lead aside."""
DECAY = 0.5
"""λ: how much of a goal is what followed in the game; the rest is the value that the search gave."""
SURE = 0.98
"""A game ends where the value of a search is so much of a win or a loss; goals are at most so much."""
LABELS = 4
"""The number of values of a position in `Space.labels`."""


class LabelledPositions(NamedTuple):
    """Positions from games.

    Attributes:
        places: uint16 or uint32 [positions, copies]: the index in the weights of each copy of a group.
        terms: float32 [positions, terms]: the values of the terms.
        goals: float32 [positions]: what the player to move should expect, in units of a win.
        games: int64 [positions]: the number of its game.
    """

    places: NDArray[Any]
    terms: NDArray[np.float32]
    goals: NDArray[np.float32]
    games: NDArray[np.int64]


def kind_of_places(tables: Tables) -> type[np.unsignedinteger[Any]]:
    """The type of `LabelledPositions.places`."""
    return np.uint16 if tables.weights <= 1 << 16 else np.uint32


class Space(NamedTuple):
    """The arrays of a `Labeller`.

    Attributes:
        rows: what `learned_indices` reads.
        table: the table of the searches.
        results: of a search, see `Results`.
        indices, values: of one state.
        keys: int64 [plies + 1]: of the states of a game.
        places: int32 [positions * copies]: the indices of what is kept.
        terms: float64 [positions * terms]: the values of its terms.
        labels: float64 [positions * 4]: the value, the player to move, whether it is aside, and its score.
        result: float64 [1]: what player 0 got in the end.
    """

    rows: NDArray[np.int64]
    table: NDArray[np.int64]
    results: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]
    keys: NDArray[np.int64]
    places: NDArray[np.int32]
    terms: NDArray[np.float64]
    labels: NDArray[np.float64]
    result: NDArray[np.float64]


@dataclass(frozen=True)
class Options(CompileTimeOptions):
    """What is constant while games are played."""

    copies: int  # the indices of a state
    terms: int  # the values of its terms
    most: float  # what a player can win, or how much a usual game is about
    bounded: bool  # whether that is a bound
    plies: int  # a game of so many plies is over
    repetition: str  # the rule, see `Game`
    repetitions: int
    loss: float  # what who loses by repetition gets, in units of `most`
    cells: int  # of the table of a search


@kernel
def search_alone(game: Any, techniques: Any, options: Any, state: Any, memory: Any, space: Any) -> bool:
    """Search a state as if nothing had been searched before. Returns whether there is an answer."""
    for cell in range(options.cells):
        space.table[cell] = 0
    for ply in range(PLIES):
        memory.killers[ply, 0] = memory.killers[ply, 1] = 0
    for action in range(ACTIONS):
        for player in range(2):
            memory.history[player, action] = memory.countermoves[player, action] = 0
    space.results[ACTIONS_CELL] = 0
    start(memory, 1, memory.max_nodes)
    deepen(game, techniques, state, MAX_TABLE_DEPTH, False, False, memory, space.table, space.results, 0)
    return bool(space.results[ACTIONS_CELL] > 0)


@kernel
def search_value(options: Any, space: Any) -> float:
    """The value that the last search found for the player to move, in units of a win."""
    return decode(space.results[STATUS_CELLS + 1]) / options.most  # type: ignore[no-any-return]


@kernel
def keep(game: Any, options: Any, state: Any, best: int, aside: int, number: int, space: Any) -> int:
    """Keep a state that was searched as position `number`, if a static estimate can be right: `best` takes nothing.

    Returns the number of positions then.
    """
    if defines(game, "is_quiet"):
        if not game.is_quiet(state):
            return number
    elif defines(game, "noisy"):
        for action in noisy_actions(game, state):
            if action == best:
                return number
    game.learned_indices(state, space.rows, space.indices, space.values)
    for copy in range(options.copies):
        space.places[number * options.copies + copy] = space.indices[copy]
    for term in range(options.terms):
        space.terms[number * options.terms + term] = space.values[term]
    value = search_value(options, space)
    space.labels[number * LABELS] = min(max(value, -SURE), SURE) if options.bounded else value
    space.labels[number * LABELS + 1] = game.to_move(state)
    space.labels[number * LABELS + 2] = aside
    space.labels[number * LABELS + 3] = game.learned_score(state)
    return number + 1


@kernel
def state_nearby(game: Any, state: Any, random: Any) -> Any:
    """A state that a few random actions lead to."""
    for _ in range(1 + random_below(random, ASIDE)):
        if not game.is_terminal(state):
            state = game.result(state, random_action(game, state, random))
    return state


@kernel
def times_seen(keys: Any, ply: int, key: int) -> int:
    """How often a state was there before this ply."""
    times = 0
    for earlier in range(max(0, ply - MAX_PAST_STATES), ply):
        if keys[earlier] == key:
            times += 1
    return times


@kernel
def playable_action(game: Any, options: Any, state: Any, ply: int, wanted: int, keys: Any, random: Any) -> int:
    """`wanted`, if it is an action that repeats no state too often, else a random one; `NONE` if there is none."""
    count, chosen = 0, NONE
    for action in legal_actions(game, state):
        if times_seen(keys, ply + 1, state_key(game, game.result(state, action))) < options.repetitions - 1:
            if action == wanted:
                return wanted
            count += 1
            if random_below(random, count) == 0:
                chosen = action
    return chosen


@kernel
def label_game(game: Any, techniques: Any, options: Any, first: Any, memory_: Any, space_: Any, random: Any) -> int:
    """Play a game from the state `first`. Returns the number of positions that were kept."""
    memory, space = pointer(memory_), pointers(space_)
    state, ply, number, result = first, 0, 0, 0.0
    opening = random_below(random, OPENING)
    space.keys[0] = state_key(game, state)
    while not game.is_terminal(state) and ply < options.plies:
        mover, action = game.to_move(state), NONE
        sign = 1.0 if mover == 0 else -1.0
        if ply >= opening and random_below(random, 1000) >= STRAY and search_alone(
            game, techniques, options, state, memory, space
        ):  # fmt: skip
            action = space.results[STATUS_CELLS]
            value = search_value(options, space)
            if options.bounded and abs(value) > SURE:
                result = math.copysign(1.0, sign * value)
                break
            number = keep(game, options, state, action, 0, number, space)
            other = state_nearby(game, state, random)
            if not game.is_terminal(other) and search_alone(game, techniques, options, other, memory, space):
                number = keep(game, options, other, space.results[STATUS_CELLS], 1, number, space)
        if options.repetition == "forbidden":
            action = playable_action(game, options, state, ply, action, space.keys, random)
            if action == NONE:
                result = sign * options.loss
                break
        elif action == NONE:
            action = random_action(game, state, random)
        ply += 1
        state = game.result(state, action)
        space.keys[ply] = state_key(game, state)
        if (
            options.repetition in ("draw", "loss")
            and times_seen(space.keys, ply, space.keys[ply]) >= options.repetitions - 1
        ):
            result = sign * options.loss if options.repetition == "loss" else 0.0
            break
    if game.is_terminal(state):
        result = (game.utility(state, 0) - draw_utility(game)) / options.most
    space.result[0] = result
    return number


class Labeller:
    """Plays games between equal searches.

    Args:
        plan: what is known of the game.
        tables: whose layout and terms are read.
        nodes: the nodes of a search.
        seed: of the openings and of random actions.
    """

    def __init__(self, plan: Plan, tables: Tables, nodes: int, seed: int) -> None:
        self.plan, self.tables, self.limit = plan, tables, Limit(nodes=nodes)
        self.random, self.first = new_random(seed), plan.game.initial_state()
        self.use(None)

    def use(self, evaluation: Evaluation | None) -> None:
        """Search with this evaluation from now on; None: the game's own."""
        plan, tables = self.plan, self.tables
        search = searcher_of(plan.game, evaluation)
        search.table_mb = useful_megabytes(0, self.limit, deepens=False)
        code = code_of(tables, plan.game, plan.most, plan.bounded)
        names = {"own": type(search.game).evaluate, "log": math.log}
        game = with_rules(search._searched(), **reading_rules(code, tables, score_of(tables, plan.game, "game"), names))
        memory, results = search._new_memory(None), Results(1, 1, 1)
        fields = view(memory)
        fields.max_rows, fields.max_line = results.max_rows, results.longest
        begin_path(game, (), 0, memory)
        task = Task(game, pack(game, [self.first]), 1, self.limit, False, memory, fields, results)
        _, techniques, *_, table, _ = search.kernel_arguments(task)
        fields.max_nodes = self.limit.nodes
        loss = (worst(game) - draw_utility(game)) / plan.most
        options = Options(
            tables.copies, len(tables.terms), plan.most, plan.bounded, plan.plies, game.repetition or "",
            game.repetitions, loss, len(table),
        )  # fmt: skip
        most = 2 * plan.plies  # positions
        self.space = Space(
            code.rows, table, results.cells.ravel(),
            np.zeros(len(code.indices), np.int64), np.zeros(max(1, options.terms)), np.zeros(plan.plies + 1, np.int64),
            np.zeros(most * options.copies, np.int32), np.zeros(most * options.terms), np.zeros(most * LABELS),
            np.zeros(1),
        )  # fmt: skip
        self.memory = memory
        self._arguments = (
            game,
            techniques,
            options,
            cast_state(game, self.first),
            memory.base,
            self.space,
            self.random,
        )
        self._label_game = label_game.prepare(*self._arguments)

    def play(self, games: Iterable[int]) -> LabelledPositions:
        """Play games with these numbers."""
        return join([self._play(number) for number in games])

    def _play(self, number: int) -> LabelledPositions:
        count, space, tables = self._label_game(*self._arguments), self.space, self.tables
        value, mover, aside, score = space.labels.reshape(-1, LABELS)[:count].T
        goals = goals_of(value, mover, aside > 0, float(space.result[0])) - score / self.plan.most
        places = space.places.reshape(-1, tables.copies)[:count].clip(0, tables.weights - 1)
        terms = space.terms.reshape(len(space.labels) // LABELS, -1)[:count]
        return LabelledPositions(
            places.astype(kind_of_places(tables)), terms.astype(np.float32), goals.astype(np.float32),
            np.full(count, number),
        )  # fmt: skip


def goals_of(
    values: NDArray[np.float64], movers: NDArray[np.float64], aside: NDArray[np.bool_], result: float
) -> NDArray[np.float64]:
    """What the player to move should expect in the positions of a game, by its search and by TD(λ) from what followed.

    `result` is what player 0 got in the end.

    >>> goals = goals_of(np.array([0.2, 0.8, -0.4]), np.array([0, 1, 1]), np.array([False, True, False]), 1.0)
    >>> [round(float(goal), 6) for goal in goals]
    [0.45, 0.8, -0.7]
    """
    goals, following = values.copy(), result
    for position in np.flatnonzero(~aside)[::-1]:
        sign = 1 if movers[position] == 0 else -1
        following = DECAY * following + (1 - DECAY) * sign * values[position]
        goals[position] = sign * following
    return goals


def with_sides(positions: LabelledPositions, tables: Tables, sides: Sides) -> LabelledPositions:
    """Positions of tables that are apart, as those of tables with these `sides`; "opposite": for player 0."""
    if sides == tables.sides:
        return positions
    form = replace(tables, sides=sides)
    blocks, entries = np.divmod(positions.places, tables.size)
    places = (blocks % tables.stages * form.size + entries).astype(positions.places.dtype)
    if sides == "equal":
        return positions._replace(places=places)
    signs = np.where(blocks[:, 0] < tables.stages, 1, -1).astype(np.float32)
    terms = np.column_stack([positions.terms * signs[:, None], signs])
    return LabelledPositions(places, terms, positions.goals * signs, positions.games)


def join(parts: Sequence[LabelledPositions], most: int | None = None) -> LabelledPositions:
    """All positions of at least one part; with `most`, the last so many."""
    return LabelledPositions(
        *(np.concatenate(arrays)[-most if most else None :] for arrays in zip(*parts, strict=True))
    )
