"""Minimax: searches every state of the game tree (Shannon 1950; Russell & Norvig, section 5.2).

    value(s) = utility(s)                           if s is terminal
             = max over a of  value(result(s, a))   if the player is to move
             = min over a of  value(result(s, a))   if the opponent is to move

The same code serves both players: what is best for one is worst for the other, so a value changes its sign where the
player to move changes. Nothing is pruned or remembered, so minimax suits only small games, and faster searches are
tested against it. Scores include the distance to the end (see `score.py`), so the shortest win and the longest defence
are best.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from outplay.compile.kernels import kernel, pointer, unpack
from outplay.compile.records import layout
from outplay.engine.path import Repetition, last_ply_with_key, put_on_path
from outplay.engine.results import (
    ROW_CELLS,
    STATUS_CELLS,
    complete_iteration,
    copy_results,
    end_search,
    line_of,
    list_root,
    sort_rows,
)
from outplay.engine.score import INFINITE, encode, later
from outplay.engine.searcher import Searcher, Task
from outplay.engine.stopping import NO_LEGAL_ACTION
from outplay.engine.table import EXACT
from outplay.engine.workspace import COUNTERS, PATH, PLIES, ROWS, must_stop, start
from outplay.evaluation.variant import Evaluation, Rule, with_evaluation
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import state_key
from outplay.search.quiescence import estimate, limit_estimates
from outplay.search.textbook import TextbookSearch


@dataclass(eq=False, repr=False)
class Minimax(Searcher):
    """Searches the whole tree below a state, or the first `Limit.depth` plies of it with `evaluate` at the cutoff.

    For one player, or two with opposed interests; a player may move several times in a row.

    Args:
        game: the game to search.
        textbook: whether to search as textbooks do: a win soon is not better than a win late, and of equal actions the
            first in the order of the rules is best. Such a search can record a `Trace`.
        evaluate: an evaluation to use in place of the game's own, as in `AlphaBeta`.
        books: look-ups to ask before searching.

    Raises `ValueError` for an invalid option, and `UnsuitableGame` for a game with chance, hidden information, more
    than two players, or two players whose interests are not opposed.

    >>> from outplay.games import TicTacToe
    >>> analysis = Minimax(TicTacToe()).search()
    >>> analysis.value, analysis.exact, analysis.nodes
    (0.0, True, 549946)
    """

    _layout = layout(*COUNTERS, *PATH, *ROWS, ("best_possible", int), ("worst_possible", int))
    textbook_form: ClassVar[Any] = TextbookSearch

    game: Game
    _: KW_ONLY
    textbook: bool = False
    evaluate: Rule | Evaluation | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._searched()  # raises for an invalid evaluation

    def _searched(self) -> Game:
        return with_evaluation(self.game, self.evaluate)

    def _prepare(self, task: Task) -> Callable[[], Any]:
        limit_estimates(task.memory, task.game)
        args = (
            task.game,
            Repetition(self.game.repetition or ""),
            task.packed,
            task.count,
            min(task.depth, PLIES - 1 - int(task.memory.root_ply)),
            task.limit.nodes or 0,
            task.every,
            task.memory.base,
            task.results.cells,
        )
        run = minimax_many.prepare(*args)
        return lambda: run(*args)


@kernel
def minimax(game: Any, rule: Any, state: Any, player: int, depth: int, ply: int, memory: Any) -> int:
    """The score of `state` for `player`, who need not be to move; meaningless if the search was stopped."""
    memory.nodes += 1
    if rule.repetition and put_on_path(memory, ply, state_key(game, state)) >= 0:
        memory.depth = min(memory.depth, depth)
        return memory.repetition_score  # type: ignore[no-any-return]
    if game.is_terminal(state):
        memory.leaves += 1
        memory.depth = min(memory.depth, depth)
        return encode(float(game.utility(state, player)) - draw_utility(game))
    if depth <= 0:
        return estimate(game, state, player, memory)
    mover = game.to_move(state)
    best, is_any = -INFINITE, False
    for action in legal_actions(game, state):
        if must_stop(memory):
            return 0
        is_any, child = True, game.result(state, action)
        if rule.repetition == "forbidden" and last_ply_with_key(memory, ply + 1, state_key(game, child)) >= 0:
            continue
        best = max(best, later(minimax(game, rule, child, mover, depth - 1, ply + 1, memory)))
    if not is_any:
        memory.why = NO_LEGAL_ACTION
    elif best == -INFINITE:  # every action is forbidden
        memory.depth = min(memory.depth, depth)
        best = memory.repetition_score
    return best if mover == player else -best


@kernel
def minimax_many(
    game: Any, rule: Any, packed: Any, count: int, depth: int, most_nodes: int, every: bool, memory: Any, output: Any
) -> None:
    """Minimax for each of `count` packed states; fills in `output`, see `Results`."""
    width = output.size // count
    cells, results = pointer(memory), pointer(output)
    for i in range(count):
        at = i * width
        start(cells, i + 1, most_nodes)
        state = unpack(game, packed, i)
        cells.nodes = 1  # the root
        if not game.is_terminal(state):
            cells.depth = depth
            scored = minimax_root(game, rule, state, depth, cells.root_ply, cells)
            copy_results(cells, scored, results, at)
            reached = depth if cells.horizon else depth - cells.depth  # the deepest ply
            complete_iteration(scored, reached, cells.why == 0 and cells.horizon == 0, results, at)
            end_search(cells, results, at)
            for k in range(min(scored, cells.max_rows) if every else min(scored, 1)):
                child = game.result(state, results[at + STATUS_CELLS + k * ROW_CELLS])
                best_line(game, rule, child, depth - 1, cells, results, line_of(cells, at, k))


@kernel
def minimax_root(game: Any, rule: Any, state: Any, depth: int, ply: int, memory: Any) -> int:
    """Score every action of `state` in the rows of `memory`, the best first. Returns the number of scored actions."""
    player = game.to_move(state)
    if rule.repetition:
        put_on_path(memory, ply, state_key(game, state))
    scored = 0
    for k in range(list_root(game, state, memory)):
        action = memory.rows.action[k]
        child = game.result(state, action)
        if rule.repetition == "forbidden" and last_ply_with_key(memory, ply + 1, state_key(game, child)) >= 0:
            continue
        before = memory.horizon
        score = later(minimax(game, rule, child, player, depth - 1, ply + 1, memory))
        if must_stop(memory):
            break
        memory.rows.action[scored] = action
        memory.rows.score[scored] = score
        memory.rows.bound[scored] = EXACT
        memory.rows.solved[scored] = memory.horizon == before
        scored += 1
    sort_rows(memory, scored)
    return scored


@kernel
def best_line(game: Any, rule: Any, state: Any, depth: int, memory: Any, results: Any, at: int) -> None:
    """Write the best actions from `state` to the end to `found[at:]`. The nodes of this second search do not count."""
    nodes, leaves = memory.nodes, memory.leaves
    most = 2 * nodes + 10_000
    end, ply = at + memory.max_line, memory.root_ply + 1
    while at < end and depth > 0 and memory.nodes <= most and not game.is_terminal(state):
        if rule.repetition and put_on_path(memory, ply, state_key(game, state)) >= 0:
            break
        if minimax_root(game, rule, state, depth, ply, memory) == 0 or must_stop(memory):
            break
        action = memory.rows.action[0]
        results[at] = action
        state = game.result(state, action)
        at += 1
        ply += 1
        depth -= 1
    memory.nodes, memory.leaves = nodes, leaves
