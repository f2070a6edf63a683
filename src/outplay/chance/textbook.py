"""Expectiminimax and max^n as textbooks have them (Russell & Norvig, 4th edition, sections 5.2.1 and 5.5).

Expectiminimax is that of `search/textbook.py`. In max^n, every player maximizes their own utility:

    vector(s) = the utility of each player                                   if s is terminal
              = the evaluation of each player                                if the depth limit is reached
              = that of vector(result(s, a)) which is greatest for i         if player i is to move
              = sum over a of  P(a | s) vector(result(s, a))                 if chance is

Each state is searched once, its actions in the order of the rules, and of equal actions the first is best. `max_n.py`
is the same search with all that makes it fast.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from outplay.chance.base import MAX_SEARCHED_PLAYERS, ChanceSearcher
from outplay.chance.vectors import VectorSearcher, set_sides
from outplay.compile.kernels import kernel, pointer, unpack
from outplay.compile.records import Layout, Record, layout, new_record
from outplay.engine.results import SOLVED_CELL, end_search
from outplay.engine.score import to_score
from outplay.engine.searcher import Task
from outplay.engine.stopping import NO_LEGAL_ACTION, STACK_FULL
from outplay.engine.table import EXACT
from outplay.engine.trace import Trace
from outplay.engine.trace_kernels import ALL_SEARCHED, END, EVALUATED, ROOT, begin, finish, record_reason, trace_fields
from outplay.engine.workspace import MAX_ROWS, PLIES, must_stop, start
from outplay.rules.constant_sum import draw_utility, team_members
from outplay.rules.game import CHANCE, legal_actions
from outplay.search.textbook import (
    FIELDS,
    LEFT_UNSET,
    NO_ALPHA,
    NO_BETA,
    TextbookOptions,
    TextbookSearch,
    add_row,
    end_line,
    extend_line,
)


@dataclass(eq=False, repr=False)
class TextbookExpectiminimax(TextbookSearch, ChanceSearcher):
    """The search behind `Expectiminimax(game, textbook=True)`."""


@lru_cache(maxsize=16)
def vector_layout(sides: int, trace_limit: int) -> Layout:
    """The layout of the memory for a game with `sides` sides, and for `trace_limit` records of a trace."""
    return layout(
        *FIELDS,
        *trace_fields(trace_limit, sides),
        ("sides", int),
        ("side_of", int, MAX_SEARCHED_PLAYERS),  # the side of each player
        ("speaker", int, sides),  # one player of each side, whose utility is used
        ("vectors", float, (PLIES + 2, sides)),  # one for each ply, from that of the root on
    )


@dataclass(eq=False, repr=False)
class TextbookMaxN(VectorSearcher, TextbookExpectiminimax):
    """The search behind `MaxN(game, textbook=True)`."""

    def _new_memory(self, trace: Trace | None) -> Record:
        limit = 1 if trace is None else trace.limit
        memory = new_record(vector_layout(len(team_members(self.game)), limit), LEFT_UNSET)
        memory.max_records, memory.record = 0 if trace is None else trace.limit, ROOT
        return memory

    def _prepare(self, task: Task) -> Callable[[], Any]:
        game, memory, results = task.game, task.memory, task.results
        set_sides(game, memory)
        options = TextbookOptions(False, game.has_chance, "", bool(memory.max_records))
        args = (
            game, options, task.packed, task.count, task.depth, task.limit.nodes or 0, memory.base, results.cells,
            results.vectors,
        )  # fmt: skip
        run = textbook_vectors.prepare(*args)
        return lambda: run(*args)


@kernel
def textbook_vector(game: Any, options: Any, state: Any, depth: int, ply: int, memory: Any) -> None:
    """Put the vector of `state` into the row of this ply; meaningless if the search was stopped."""
    memory.nodes += 1
    end_line(memory, ply)
    is_over = game.is_terminal(state)
    if is_over or depth <= 0 or ply >= PLIES - 1:
        for side in range(memory.sides):
            player = memory.speaker[side]
            value = float(game.utility(state, player)) if is_over else float(game.evaluate(state, player))
            memory.vectors[ply, side] = value - draw_utility(game)
        memory.leaves += is_over
        memory.horizon += not is_over
        if is_over:
            memory.depth = min(memory.depth, depth)
        record_reason(options, memory, END if is_over else EVALUATED)
        return
    if must_stop(memory):
        return
    mover, is_any = game.to_move(state), False
    by_chance = options.chance and mover == CHANCE
    below = depth if by_chance else depth - 1
    for action in legal_actions(game, state):
        above = begin(options, memory, action, mover, below, NO_ALPHA, NO_BETA)
        textbook_vector(game, options, game.result(state, action), below, ply + 1, memory)
        finish_vector(options, memory, above, ply + 1, mover)
        if must_stop(memory):
            return
        combine(game, options, state, action, by_chance, not is_any, ply, memory)
        is_any = True
    if not is_any:
        memory.why = NO_LEGAL_ACTION
    record_reason(options, memory, ALL_SEARCHED)


@kernel
def combine(
    game: Any, options: Any, state: Any, action: int, by_chance: bool, first: bool, ply: int, memory: Any
) -> None:
    """Let the vector of an action, one ply below, count in that of `state`: as the mover's choice, or in the mean."""
    if options.chance and by_chance:  # `options` is constant: a game without chance has no `probability` to compile
        probability = game.probability(state, action)
        for side in range(memory.sides):
            before = 0.0 if first else memory.vectors[ply, side]
            memory.vectors[ply, side] = before + probability * memory.vectors[ply + 1, side]
        return
    mine = memory.side_of[game.to_move(state)]
    if first or memory.vectors[ply + 1, mine] > memory.vectors[ply, mine]:
        for side in range(memory.sides):
            memory.vectors[ply, side] = memory.vectors[ply + 1, side]
        extend_line(memory, ply, action)


@kernel
def finish_vector(options: Any, memory: Any, above: int, ply: int, player: int) -> None:
    """Close the last open record, with the vector of this ply, if the search is traced."""
    if options.trace:
        number = memory.record
        finish(options, memory, above, to_score(memory.vectors[ply, memory.side_of[max(player, 0)]]))
        if number < memory.max_records:
            for side in range(memory.sides):
                memory.visits.vector[number, side] = memory.vectors[ply, side]


@kernel
def textbook_vector_root(game: Any, options: Any, state: Any, depth: int, memory: Any, results: Any, at: int) -> None:
    """Put the vector of `state` into the first row, and search every action. Fill in `results`, see `Results`."""
    mover, scored = game.to_move(state), 0
    by_chance = options.chance and mover == CHANCE
    below = depth if by_chance else depth - 1
    memory.depth = depth
    root = begin(options, memory, ROOT, mover, depth, NO_ALPHA, NO_BETA)
    for action in legal_actions(game, state):
        if scored == MAX_ROWS:
            memory.why = STACK_FULL
        before = memory.horizon
        above = begin(options, memory, action, mover, below, NO_ALPHA, NO_BETA)
        textbook_vector(game, options, game.result(state, action), below, 1, memory)
        finish_vector(options, memory, above, 1, mover)
        if must_stop(memory):
            break
        combine(game, options, state, action, by_chance, scored == 0, 0, memory)
        value = memory.vectors[1, memory.side_of[max(mover, 0)]]
        add_row(memory, scored, action, value, EXACT, memory.horizon == before, by_chance, depth, results, at)
        scored += 1
    if scored == 0 and memory.why == 0:
        memory.why = NO_LEGAL_ACTION
    record_reason(options, memory, ALL_SEARCHED)
    finish_vector(options, memory, root, 0, mover)
    results[at + SOLVED_CELL] = memory.why == 0 and memory.horizon == 0


@kernel
def textbook_vectors(
    game: Any, options: Any, packed: Any, count: int, depth: int, most_nodes: int, memory: Any, output: Any,
    answers: Any,
) -> None:  # fmt: skip
    """Search each of `count` packed states. `answers`: their vectors, float64 [count, sides]."""
    width = output.size // count
    cells, results = pointer(memory), pointer(output)
    for i in range(count):
        start(cells, i + 1, most_nodes)
        state = unpack(game, packed, i)
        cells.nodes = 1  # the root
        if not game.is_terminal(state):
            textbook_vector_root(game, options, state, depth, cells, results, i * width)
            for side in range(cells.sides):
                answers[i, side] = cells.vectors[0, side]
        end_search(cells, results, i * width)
