"""Max^n: every player maximizes their own utility (Luckhardt & Irani 1986; Russell & Norvig, section 5.2.1).

    vector(s) = the utility of each player                                   if s is terminal
              = that of vector(result(s, a)) which is greatest for i         if player i is to move
              = sum over a of  P(a | s) vector(result(s, a))                 if chance is

Of actions with the same value for the player, the first in the listing of the rules is taken, regardless of the order
of the search. This matters: an indifferent player decides what the others get.

If the sum of all utilities is at most SUM and each is at least `least`, what player i already has limits what is left
for player j, who moved before. If j has something better, i need not search further (shallow pruning, Korf 1991). No
more can be pruned, because values further up the tree may still depend on what i does.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from outplay.chance.base import DEEPER, MAX_SEARCHED_PLAYERS, IterativeDeepeningSearcher
from outplay.chance.deepening import action_at
from outplay.chance.options import ChanceOptions
from outplay.chance.textbook import TextbookMaxN
from outplay.chance.vectors import VectorSearcher, set_sides
from outplay.compile.kernels import kernel, pointer, unpack
from outplay.compile.records import Layout, Record, layout, new_record
from outplay.engine.limits import UNLIMITED
from outplay.engine.ordering import ALL, bring_first, learn, list_actions
from outplay.engine.results import (
    complete_iteration,
    copy_results,
    end_search,
    line_of,
    list_ordered_root,
    move_up,
    sort_rows,
)
from outplay.engine.score import to_score
from outplay.engine.searcher import Task
from outplay.engine.stopping import NO_LEGAL_ACTION, OUT_OF_BOUNDS
from outplay.engine.table import EXACT, MAX_TABLE_DEPTH, NO_ACTION, UPPER
from outplay.engine.trace import Trace
from outplay.engine.workspace import COUNTERS, LISTED, ORDERING, PATH, PLIES, ROWS, UNSET, must_stop, start
from outplay.rules.constant_sum import draw_utility, has_constant_sum, range_of, team_members
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import state_key
from outplay.rules.options import word


@lru_cache(maxsize=16)
def layout_for(sides: int) -> Layout:
    """The memory of a search of a game with `sides` sides."""
    return layout(
        *COUNTERS,
        *PATH,
        *ROWS,
        *LISTED,
        *ORDERING,
        ("earlier_searches", int),  # the number of earlier searches with this table
        ("least", float),  # the least and the greatest utility
        ("greatest", float),
        ("estimate", float),  # an evaluation that is out of bounds
        ("sides", int),
        ("side_of", int, MAX_SEARCHED_PLAYERS),  # the side of each player
        ("speaker", int, sides),  # one player of each side, whose utility is used
        ("vectors", float, (PLIES + 2, sides)),  # that of the last iteration, then one per ply
    )


SUM = 0.0
"""The sum of the utilities of all sides, less the utility of a draw, in games that are pruned."""
ROUNDING = 1e-9
"""The rounding error that is tolerated in a sum of floats."""
KEY, WORD = range(2)
ENTRY = 2
"""The cells of an entry of the table: its key, and everything else packed into one int, with the depth in the highest
bits. The vectors are in an array of their own."""
KNOWN, PROVED, DEPTH_SHIFT = 1 << 10, 1 << 11, 12
"""Bits of WORD, above the number of the best action: whether the vector is known; whether it rests on no evaluation."""


@dataclass(eq=False, repr=False)
class MaxN(VectorSearcher, IterativeDeepeningSearcher):
    """Iterative deepening max^n for any number of players, with or without chance; utilities may be any numbers.

    `Analysis.values` has the utility of each player if all players maximize their own. Players on a team count as one.
    At the depth limit `evaluate` is called for each side. `Limit.depth` counts the actions of players.

    Args:
        game: the game to search.
        textbook: whether to search as textbooks do: each state once, to the end of the game or the depth limit, and
            without pruning. Of the options, only `evaluate`, `books` and `check` may be given too.
        pruning: the pruning of actions: "shallow" or "off". Shallow pruning needs a game of constant sum
            (`zero_sum` or `constant_sum`) that declares `utilities`, and an evaluation that stays within them and whose
            sum over all sides is at most that of utilities. None: "shallow" if the game declares both.
        table_mb: the size of the transposition table, in megabytes; 0 for none.
        reuse_table: whether to keep the table for the next search, for instance between the moves of a game.
        order: whether to try the table's action first, then the others by the game's `order`, the greatest first; or a
            function `(game, state, action) -> float` to use in place of the game's own.
        killers: whether, among actions of equal order, those that pruned at the same ply go first.
        history_heuristic: whether, after that, the actions that have pruned most often go first.
        evaluate: the evaluation to use instead of the game's own `evaluate`: a function
            `(game, state, player) -> float`.
        books: books to consult before searching.

    Raises `ValueError` for an invalid option, `UnsuitableGame` for a game with hidden information or a rule of
    repetition. A search raises `EvaluationError` for estimates that make pruning wrong.

    >>> from outplay.games import ExplicitTree
    >>> leaves = [{"utility": [1, 1, 7]}, {"utility": [3, 2, 5]}, {"utility": [2, 4, 1]}, {"utility": [2, 3, 4]}]
    >>> MaxN(ExplicitTree([leaves[:2], leaves[2:]])).search().values
    (3.0, 2.0, 5.0)
    """

    textbook_form: ClassVar[Any] = TextbookMaxN

    game: Game
    _: KW_ONLY
    textbook: bool = False
    pruning: str | None = word(None, ("off", "shallow"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pruning == "shallow" and not self._is_bounded():
            raise ValueError(
                f"MaxN(pruning='shallow') needs a bound of the sum of utilities: {type(self.game).__name__} must be"
                " zero_sum, or have a constant_sum, and declare utilities"
            )

    def _new_memory(self, trace: Trace | None) -> Record:
        return new_record(layout_for(len(team_members(self.game))), UNSET)

    def _is_bounded(self) -> bool:
        return has_constant_sum(self.game) and self.game.utilities is not None

    def _new_table(self, megabytes: float) -> Any:
        """The entries, int64 [entries * ENTRY], and their vectors, float64 [entries * sides]."""
        entries, sides = 1, len(team_members(self.game))
        while entries * 2 * 8 * (ENTRY + sides) <= megabytes * 1e6:
            entries *= 2
        return np.zeros(entries * ENTRY, np.int64), np.zeros(entries * sides)

    def _prepare(self, task: Task) -> Callable[[], Any]:
        game, limit, memory, results = task.game, task.limit, task.memory, task.results
        techniques = ChanceOptions(
            chance=game.has_chance,
            bounded=self.pruning == "shallow" or (self.pruning is None and self._is_bounded()),
            table=self.table_mb > 0,
            order=bool(self.order),
            killers=self.killers,
            history_heuristic=self.history_heuristic,
        )
        entries, vectors = self._take_table(task)
        memory.table_mask = len(entries) // ENTRY - 1
        set_sides(game, memory)
        memory.least, memory.greatest = range_of(game) or (0, 0)
        depth_factor, most_depth = DEEPER if limit == UNLIMITED else 100, min(task.depth, MAX_TABLE_DEPTH)
        args = (
            game, techniques, task.packed, task.count, most_depth, depth_factor, limit.nodes or 0, task.every,
            memory.base, entries, vectors, results.cells, results.vectors,
        )  # fmt: skip
        run = max_n_many.prepare(*args)
        return lambda: self._checked(run, args, results, memory)

    def _bounds_in_words(self) -> str:
        return f"outside {self.game.utilities}, or with a sum of all players above {self.game.constant_sum or 0:g}"


@kernel
def max_n(
    game: Any, techniques: Any, state: Any, depth: int, elder: int, has: float, first: bool, ply: int, memory: Any,
    table: Any, vectors: Any, base: int,
) -> bool:  # fmt: skip
    """Put the vector of `state` into the row of this ply. Return whether it is known.

    Side `elder` moved before and already gets `has` from another action. If this state gives it no more, the vector
    need not be known. `first`: whether it would take this state if the two were equal.
    """
    memory.nodes += 1
    number_of_sides, before = memory.sides, memory.horizon
    is_over = game.is_terminal(state)
    if is_over or depth <= 0 or ply >= PLIES - 1:
        total = 0.0
        for side in range(number_of_sides):
            player = memory.speaker[side]
            value = float(game.utility(state, player)) if is_over else float(game.evaluate(state, player))
            memory.vectors[ply, side] = value - draw_utility(game)
            total += value - draw_utility(game)
            if techniques.bounded and not is_over and not memory.least <= value - draw_utility(game) <= memory.greatest:
                complain(game, value, memory)
        if techniques.bounded and not is_over and total > SUM + ROUNDING:
            if draw_utility(game):
                total += number_of_sides * draw_utility(game)
            complain(game, total, memory)
        memory.leaves += is_over
        memory.horizon += not is_over
        return True

    if must_stop(memory):
        return False

    key, entry, place, word = 0, 0, 0, NO_ACTION
    if techniques.table:
        key = state_key(game, state)
        entry = key & memory.table_mask
        place, entry = entry * number_of_sides, entry * ENTRY
        if table[entry + KEY] == key and table[entry + WORD] != 0:
            word = table[entry + WORD]
            if word & KNOWN and (word & PROVED or word >> DEPTH_SHIFT >= depth):
                for side in range(number_of_sides):
                    memory.vectors[ply, side] = vectors[place + side]
                memory.horizon += word & PROVED == 0
                return True

    mover = game.to_move(state)
    number, is_known = NO_ACTION, True
    if techniques.chance and mover == CHANCE:
        end, is_any = base, False
        for side in range(number_of_sides):
            memory.vectors[ply, side] = 0.0
        for action in legal_actions(game, state):
            is_any = True
            # No side to prune for, since the vectors after chance are averaged.
            max_n(
                game, techniques, game.result(state, action), depth, 0 * elder - 1, 0.0 * has, first, ply + 1, memory,
                table, vectors, end,
            )  # fmt: skip
            if must_stop(memory):
                return False
            probability = game.probability(state, action)
            for side in range(number_of_sides):
                memory.vectors[ply, side] += probability * memory.vectors[ply + 1, side]
        if not is_any:
            memory.why = NO_LEGAL_ACTION
    else:
        mine = memory.side_of[mover]
        end = list_actions(game, techniques, state, mine & 1, ply, word & NO_ACTION, ALL, memory, base, table)
        if end == base:
            memory.why = NO_LEGAL_ACTION
        for here in range(base, end):
            bring_first(memory, here, end)
            action, listed_as = memory.listed.action[here], NO_ACTION - (memory.listed.order[here] & NO_ACTION)
            best = memory.vectors[ply, mine]
            if techniques.bounded and here > base and best >= memory.greatest and listed_as > number:
                continue  # cannot be better, and an equal action comes later in the listing
            child, tells = game.result(state, action), mine if here > base else 0 * mine - 1
            max_n(
                game, techniques, child, depth - 1, tells, best, listed_as < number, ply + 1, memory, table, vectors,
                end,
            )  # fmt: skip
            if must_stop(memory):
                return False
            value = memory.vectors[ply + 1, mine]
            if here == base or value > best or (value == best and listed_as < number):
                number = listed_as
                for side in range(number_of_sides):
                    memory.vectors[ply, side] = memory.vectors[ply + 1, side]
            if techniques.bounded and elder >= 0 and elder != mine:
                most_left = SUM - memory.vectors[ply, mine] - (number_of_sides - 2) * memory.least
                if most_left < has - ROUNDING or (most_left <= has and not first):
                    learn(techniques, memory, mine & 1, action, ply, depth)
                    is_known = False
                    break

    if techniques.table:
        table[entry + KEY] = key
        proved = PROVED if memory.horizon == before else 0
        table[entry + WORD] = depth << DEPTH_SHIFT | proved | (KNOWN if is_known else 0) | number
        for side in range(number_of_sides):
            vectors[place + side] = memory.vectors[ply, side]
    return is_known


@kernel
def complain(game: Any, value: float, memory: Any) -> None:
    """Stop the search if the game's evaluation gave a `value`, or a sum of values, that is out of bounds."""
    if defines(game, "evaluate") and memory.why == 0:
        memory.why = OUT_OF_BOUNDS
        memory.estimate = value


@kernel
def max_n_many(
    game: Any, techniques: Any, packed: Any, count: int, most_depth: int, depth_factor: int, most_nodes: int,
    every: bool, memory: Any, table: Any, vectors: Any, output: Any, answers: Any,
) -> None:  # fmt: skip
    """Max^n for each of `count` packed states. `answers`: their vectors, float64 [count, sides]."""
    width = output.size // count
    cells, entries, vector_cells, results = pointer(memory), pointer(table), pointer(vectors), pointer(output)
    for i in range(count):
        start(cells, i + 1, most_nodes)
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            deepen(
                game, techniques, state, most_depth, depth_factor, every, cells, entries, vector_cells, results,
                i * width, answers[i],
            )  # fmt: skip
        end_search(cells, results, i * width)


@kernel
def deepen(
    game: Any, techniques: Any, state: Any, most_depth: int, depth_factor: int, every: bool,
    memory: Any, table: Any, vectors: Any, results: Any, at: int, answer: Any,
) -> None:  # fmt: skip
    """Run iterations, each in the order that the last one found, until no value rests on an estimate."""
    count = list_ordered_root(game, techniques, state, memory)
    depth = min(most_depth, 1)
    while count and not must_stop(memory):
        before = memory.horizon
        max_n_root(game, techniques, state, count, depth, every, memory, table, vectors)
        if must_stop(memory):
            break
        copy_results(memory, count, results, at)
        for side in range(memory.sides):
            answer[side] = memory.vectors[0, side]
        for k in range(min(count, memory.max_rows) if every else 1):
            action = memory.rows.action[k]
            line_of_vectors(game, game.result(state, action), memory, table, results, line_of(memory, at, k))
        complete_iteration(count, depth, memory.horizon == before, results, at)
        if memory.horizon == before or depth >= most_depth:
            break
        depth = min(most_depth, max(depth + 1, depth * depth_factor // 100))


@kernel
def max_n_root(
    game: Any, techniques: Any, state: Any, count: int, depth: int, every: bool,
    memory: Any, table: Any, vectors: Any,
) -> None:  # fmt: skip
    """Put the vector of `state` into the first row, and rank the `count` listed actions with their values."""
    number_of_sides, by_chance, mover = memory.sides, game.to_move(state) == CHANCE, game.to_move(state)
    mine, used = memory.side_of[max(mover, 0)], 0 if by_chance else 1
    number, best = count, 0.0
    for side in range(number_of_sides):
        memory.vectors[0, side] = 0.0
    for row in range(count):
        action, before = memory.rows.action[row], memory.horizon
        listed_as = 0
        for index, other in enumerate(legal_actions(game, state)):
            if other == action:
                listed_as = index
                break
        tells = -1 if row == 0 or every or by_chance else mine
        is_known = max_n(
            game, techniques, game.result(state, action), depth - used, tells, best, listed_as < number, 1, memory,
            table, vectors, 0,
        )  # fmt: skip
        if must_stop(memory):
            return
        value = memory.vectors[1, mine]
        memory.rows.score[row], memory.rows.bound[row] = to_score(value), EXACT if is_known else UPPER
        memory.rows.solved[row] = memory.horizon == before
        if techniques.chance and by_chance:
            for side in range(number_of_sides):
                memory.vectors[0, side] += game.probability(state, action) * memory.vectors[1, side]
        elif row == 0 or value > best or (value == best and listed_as < number):
            best, number = value, listed_as
            for side in range(number_of_sides):
                memory.vectors[0, side] = memory.vectors[1, side]
    if not by_chance:
        sort_rows(memory, count)
        row = 0  # of equal actions, the first in the listing of the rules goes first
        chosen = action_at(game, state, number)
        while memory.rows.action[row] != chosen:
            row += 1
        while row > 0:
            move_up(memory, row)
            row -= 1


@kernel
def line_of_vectors(game: Any, state: Any, memory: Any, table: Any, results: Any, at: int) -> None:
    """Put the best actions from `state` that the table holds into `found[at:]`, up to a chance node."""
    end = at + memory.max_line
    while at < end and not game.is_terminal(state) and game.to_move(state) != CHANCE:
        key = state_key(game, state)
        entry = (key & memory.table_mask) * ENTRY
        is_in_table = table[entry + KEY] == key and table[entry + WORD] & KNOWN
        action = action_at(game, state, table[entry + WORD] & NO_ACTION) if is_in_table else -1
        if action < 0:
            break
        results[at] = action
        state = game.result(state, action)
        at += 1
    if at < end:
        results[at] = -1
