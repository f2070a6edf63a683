"""Minimax, alpha-beta and expectiminimax as textbooks have them (Russell & Norvig, 4th edition, chapter 5).

    value(s) = utility(s)                                    if s is terminal
             = eval(s)                                       if the depth limit is reached
             = max over a of  value(result(s, a))            if MAX is to move
             = min over a of  value(result(s, a))            if MIN is
             = sum over a of  P(a | s) value(result(s, a))   if chance is

Each state is searched once, its actions in the order of the rules, and of equal actions the first is best. Values are
those of MAX, who is to move at the root. With `prunes`, a state returns as soon as its value cannot matter: MAX has
something as good elsewhere (alpha), or MIN has (beta). `negamax.py` is the same search with all that makes it fast.
"""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from outplay.compile.kernels import kernel, pointer, unpack
from outplay.compile.options import CompileTimeOptions
from outplay.compile.records import Layout, Record, layout, new_record
from outplay.engine.path import last_ply_with_key, put_on_path
from outplay.engine.results import MAX_LINE, SOLVED_CELL, complete_iteration, copy_results, end_search, line_of
from outplay.engine.score import decode, to_score
from outplay.engine.searcher import Searcher, Task
from outplay.engine.stopping import NO_LEGAL_ACTION, STACK_FULL
from outplay.engine.table import EXACT, UPPER
from outplay.engine.trace import Trace
from outplay.engine.trace_kernels import (
    ALL_SEARCHED,
    CUT,
    END,
    EVALUATED,
    REPETITION,
    ROOT,
    begin,
    finish,
    record_reason,
    trace_fields,
)
from outplay.engine.workspace import COUNTERS, MAX_ROWS, PATH, PLIES, ROWS, UNSET, must_stop, start
from outplay.evaluation.variant import Evaluation, Rule, with_evaluation
from outplay.rules.constant_sum import draw_utility, range_of
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.keys import state_key

FIELDS = (*COUNTERS, *PATH, *ROWS, ("lines", int, (MAX_LINE + 1, MAX_LINE + 1)))
"""The fields of every textbook search. `lines`: the best actions from each ply on, ended by -1."""
LEFT_UNSET = (*UNSET, "lines")
NO_ALPHA, NO_BETA = to_score(-math.inf), to_score(math.inf)
"""The window that leaves out nothing, as scores."""


@lru_cache(maxsize=16)
def textbook_layout(trace_limit: int = 1) -> Layout:
    """The layout of the memory, with room for at least `trace_limit` records of a trace."""
    sides = ("hero", int), ("friends", int)  # the player whose values are searched; a bit for each on the same side
    return layout(*FIELDS, *sides, ("least", float), ("greatest", float), *trace_fields(trace_limit))


@dataclass(frozen=True)
class TextbookOptions(CompileTimeOptions):
    """What the search does."""

    prunes: bool
    chance: bool
    repetition: str
    trace: bool


@dataclass(eq=False, repr=False)
class TextbookSearch(Searcher):
    """The search behind `Minimax(game, textbook=True)`, and in part behind that of others."""

    _tells_distance: ClassVar[bool] = False
    _prunes: ClassVar[bool] = False

    game: Game
    _: KW_ONLY
    evaluate: Rule | Evaluation | None = None
    name: str = ""  # for `Analysis.method`

    def _method(self) -> str:
        return self.name

    def _check_game(self) -> None:
        """That searcher has checked it."""

    def _searched(self) -> Game:
        return with_evaluation(self.game, self.evaluate)

    def _new_memory(self, trace: Trace | None) -> Record:
        memory = new_record(textbook_layout() if trace is None else textbook_layout(trace.limit), LEFT_UNSET)
        memory.max_records, memory.record = 0 if trace is None else trace.limit, ROOT
        return memory

    def _prepare(self, task: Task) -> Callable[[], Any]:
        game, memory = task.game, task.memory
        options = TextbookOptions(self._prunes, game.has_chance, game.repetition or "", bool(memory.max_records))
        memory.least, memory.greatest = range_of(game) or (-math.inf, math.inf)
        teams = np.array(game.teams or range(game.players), np.int64)
        args = (
            game, options, task.packed, task.count, task.depth, task.limit.nodes or 0, task.every, teams, memory.base,
            task.results.cells,
        )  # fmt: skip
        run = textbook_many.prepare(*args)
        return lambda: run(*args)


@dataclass(eq=False, repr=False)
class TextbookAlphaBeta(TextbookSearch):
    """The search behind `AlphaBeta(game, textbook=True)`."""

    _prunes: ClassVar[bool] = True


@kernel
def textbook_value(
    game: Any, options: Any, state: Any, chooser: int, depth: int, alpha: float, beta: float, ply: int, memory: Any
) -> float:
    """The value of `state`, which `chooser` chose, for MAX; meaningless if the search was stopped."""
    memory.nodes += 1
    end_line(memory, ply)
    if options.repetition and put_on_path(memory, ply, state_key(game, state)) >= 0:
        memory.depth = min(memory.depth, depth)
        record_reason(options, memory, REPETITION)
        return of_repetition(memory, chooser)
    if game.is_terminal(state):
        memory.leaves += 1
        memory.depth = min(memory.depth, depth)
        record_reason(options, memory, END)
        return float(game.utility(state, memory.hero)) - draw_utility(game)
    if depth <= 0 or ply >= PLIES - 1:
        memory.horizon += 1
        record_reason(options, memory, EVALUATED)
        estimated = float(game.evaluate(state, memory.hero)) - draw_utility(game)
        return float(min(max(estimated, memory.least), memory.greatest))  # at most as good as the best end
    if must_stop(memory):
        return 0.0
    mover, is_any, any_tried = game.to_move(state), False, False

    if options.chance and mover == CHANCE:
        total = 0.0
        for action in legal_actions(game, state):
            is_any = True
            above = begin(options, memory, action, mover, depth, NO_ALPHA, NO_BETA)
            value = textbook_value(
                game, options, game.result(state, action), mover, depth, -math.inf, math.inf, ply + 1, memory
            )
            finish(options, memory, above, to_score(value))
            if must_stop(memory):
                return 0.0
            total += game.probability(state, action) * value
        if not is_any:
            memory.why = NO_LEGAL_ACTION
        end_line(memory, ply)
        record_reason(options, memory, ALL_SEARCHED)
        return total

    maximizes = is_friend(memory, mover)
    best = -math.inf if maximizes else math.inf
    for action in legal_actions(game, state):
        is_any, child = True, game.result(state, action)
        if options.repetition == "forbidden" and last_ply_with_key(memory, ply + 1, state_key(game, child)) >= 0:
            continue
        above = begin(options, memory, action, mover, depth - 1, to_score(alpha), to_score(beta))
        value = textbook_value(game, options, child, mover, depth - 1, alpha, beta, ply + 1, memory)
        finish(options, memory, above, to_score(value))
        if must_stop(memory):
            return 0.0
        if not any_tried or (value > best if maximizes else value < best):
            best = value
            extend_line(memory, ply, action)
        any_tried = True
        if options.prunes:
            if best >= beta if maximizes else best <= alpha:
                record_reason(options, memory, CUT)
                return best
            if maximizes:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
    if not is_any:
        memory.why = NO_LEGAL_ACTION
    elif not any_tried:  # every action repeats a state
        memory.depth = min(memory.depth, depth)
        best = of_repetition(memory, mover)
    record_reason(options, memory, ALL_SEARCHED)
    return best


@kernel
def textbook_root(
    game: Any, options: Any, state: Any, depth: int, every: bool, memory: Any, results: Any, at: int
) -> None:
    """Search every action of `state`; with `every`, each as if it were the only one. Fill in `results` (`Results`)."""
    ply, mover, value, best, scored = memory.root_ply, game.to_move(state), 0.0, -math.inf, 0
    by_chance = options.chance and mover == CHANCE
    if options.repetition:
        put_on_path(memory, ply, state_key(game, state))
    is_any, total = False, 0.0
    memory.depth = depth
    root = begin(options, memory, ROOT, mover, depth, NO_ALPHA, NO_BETA)
    for action in legal_actions(game, state):
        is_any, child = True, game.result(state, action)
        if options.repetition == "forbidden" and last_ply_with_key(memory, ply + 1, state_key(game, child)) >= 0:
            continue
        if scored == MAX_ROWS:
            memory.why = STACK_FULL
        before, alpha = memory.horizon, -math.inf if every or by_chance or not options.prunes else best
        below = depth if by_chance else depth - 1
        above = begin(options, memory, action, mover, below, to_score(alpha), NO_BETA)
        value = textbook_value(game, options, child, mover, below, alpha, math.inf, ply + 1, memory)
        finish(options, memory, above, to_score(value))
        if must_stop(memory):
            break
        total += game.probability(state, action) * value if by_chance else 0.0
        best = max(best, value)
        bound = EXACT if value > alpha else UPPER
        add_row(memory, scored, action, value, bound, memory.horizon == before, by_chance, depth, results, at)
        scored += 1
    if not is_any:
        memory.why = NO_LEGAL_ACTION
    record_reason(options, memory, ALL_SEARCHED)
    finish(options, memory, root, to_score(total if by_chance else best))
    results[at + SOLVED_CELL] = memory.why == 0 and memory.horizon == 0


@kernel
def textbook_many(
    game: Any, options: Any, packed: Any, count: int, depth: int, most_nodes: int, every: bool, teams: Any, memory: Any,
    output: Any,
) -> None:  # fmt: skip
    """Search each of `count` packed states; fills in `output`, see `Results`. `teams`: the team of each player."""
    width = output.size // count
    cells, results = pointer(memory), pointer(output)
    for i in range(count):
        start(cells, i + 1, most_nodes)
        state = unpack(game, packed, i)
        cells.nodes = 1  # the root
        if not game.is_terminal(state):
            take_viewpoint(game.to_move(state), teams, cells)
            textbook_root(game, options, state, depth, every, cells, results, i * width)
        end_search(cells, results, i * width)


@kernel
def take_viewpoint(mover: int, teams: Any, memory: Any) -> None:
    """Take the viewpoint of `mover`, or of player 0 if chance is to move."""
    hero = max(mover, 0)
    memory.hero, memory.friends = hero, 0
    for player in range(len(teams)):
        if teams[player] == teams[hero]:
            memory.friends |= 1 << player


@kernel
def is_friend(memory: Any, player: int) -> bool:
    """Whether `player` is on the side of MAX."""
    return bool(memory.friends >> player & 1)


@kernel
def of_repetition(memory: Any, player: int) -> float:
    """The value for MAX if `player` repeats a state."""
    value = decode(memory.repetition_score)
    return value if is_friend(memory, player) else -value


@kernel
def end_line(memory: Any, ply: int) -> None:
    """No action is known from this ply on."""
    here = ply - memory.root_ply
    if here <= MAX_LINE:
        memory.lines[here, 0] = -1


@kernel
def extend_line(memory: Any, ply: int, action: int) -> None:
    """The best line from this ply on begins with `action`."""
    here, k = ply - memory.root_ply, 0
    if here < MAX_LINE:
        memory.lines[here, 0] = action
        while k < MAX_LINE - 1 - here and memory.lines[here + 1, k] >= 0:
            memory.lines[here, k + 1] = memory.lines[here + 1, k]
            k += 1
        memory.lines[here, k + 1] = -1


@kernel
def add_row(
    memory: Any, count: int, action: int, value: float, bound: int, solved: bool, by_chance: bool, depth: int,
    results: Any, at: int,
) -> None:  # fmt: skip
    """Add a row for an action to `count` others, and its line: `action`, and the best actions from ply 1 on.

    The best rows go first; equal ones stay in the order of the rules, and so do outcomes of chance.
    """
    rows, row, score = memory.rows, count, to_score(value)
    while row > 0 and score > rows.score[row - 1] and not by_chance:
        row -= 1
    for below in range(count, row, -1):
        rows.action[below], rows.score[below] = rows.action[below - 1], rows.score[below - 1]
        rows.bound[below], rows.solved[below] = rows.bound[below - 1], rows.solved[below - 1]
    rows.action[row], rows.score[row], rows.bound[row], rows.solved[row] = action, score, bound, solved
    for below in range(min(count, memory.max_rows - 1), row, -1):
        to, whence = line_of(memory, at, below), line_of(memory, at, below - 1)
        for k in range(memory.max_line):
            results[to + k] = results[whence + k]
    if row < memory.max_rows:
        start_of_line, k = line_of(memory, at, row), 0
        while k < memory.max_line and memory.lines[1, k] >= 0:
            results[start_of_line + k] = memory.lines[1, k]
            k += 1
        if k < memory.max_line:
            results[start_of_line + k] = -1
    copy_results(memory, count + 1, results, at)
    complete_iteration(count + 1, depth if memory.horizon else depth - memory.depth, False, results, at)
