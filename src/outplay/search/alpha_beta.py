"""Alpha-beta: the value of minimax without looking at what cannot change it (Knuth & Moore 1975).

Reading order: `negamax` (one state), `alpha_beta_root` (one iteration over the actions at the root), `deepen` (one
iteration after another), `follow` (the line of best actions), `AlphaBeta` (options in, `Analysis` out).

The contract of `negamax`, fail-soft: it returns r for the player to move such that

    r <= alpha          the score is at most r           (upper bound)
    alpha < r < beta    the score is r                   (exact)
    r >= beta           the score is at least r          (lower bound)

`depth` is plies still to search; scores hold the distance to the end counted from the state itself (see `score.py`),
so a window grows by one step on the way down (`sooner`) and a score shrinks by one on the way up (`later`).

Whether a value is proved is counted, not guessed: HORIZON goes up at each value that rests on an evaluation. A subtree
that leaves it unchanged is solved, and so is one cut off by a solved reply, or won so soon that nothing beyond the
horizon could come sooner. Solved entries of the table hold at any depth, so that deepening never searches them again.
"""

import copy
import functools
from collections.abc import Callable
from typing import Any

from outplay.game import Game, defines, legal_actions
from outplay.kernels import kernel, raw, unpack
from outplay.keys import state_key
from outplay.limits import Limit
from outplay.search import workspace
from outplay.search.score import DISTANCES, INFINITE, encode, later, sooner
from outplay.search.searcher import (
    ACTION,
    BOUND,
    COLUMNS,
    SCORE,
    STATUS_ACTIONS,
    STATUS_DEPTH,
    STATUS_DONE,
    STATUS_LEAVES,
    STATUS_NODES,
    STATUS_SOLVED,
    STATUS_WHY,
    Results,
    Searcher,
    line_of,
    list_root,
    publish,
    rank,
)
from outplay.search.searcher import SOLVED as ROW_SOLVED
from outplay.search.table import (
    DEEPEST,
    EXACT,
    LOWER,
    NO_ACTION,
    SOLVED,
    UPPER,
    action_of,
    bound_of,
    depth_of,
    find,
    mask_of,
    new_table,
    store,
)
from outplay.search.workspace import (
    ACTIONS,
    BEST_POSSIBLE,
    BY_NODES,
    BY_ROOM,
    BY_RULES,
    HISTORY,
    HORIZON,
    KEPT,
    LEAVES,
    LONGEST,
    MOST_NODES,
    NODES,
    ORDER,
    SEARCH,
    STACK,
    STACK_SIZE,
    TABLE_MASK,
    WHY,
    must_stop,
    start,
)

FIRST = 1 << 62
"""The order of the table's action: before all others."""
HISTORY_UNIT = 1 << 24
"""One unit of the game's `order` outweighs all history."""
CELLS = 3
"""What a listed action takes: action, number, order."""
LINE_NODES = 20_000
"""At most so many nodes go into finding a line again."""


class AlphaBeta(Searcher):
    """Iterative deepening alpha-beta with a transposition table, for one player or two with opposed interests.

    A player may move several times in a row, and utilities may be any numbers. At the cutoff the game's `evaluate` is
    asked; its `order` says which actions to try first. Without a limit the search goes on until the value is proved.

    Args:
        game: what to search.
        table_mb: memory for the transposition table, in megabytes; 0 for none.
        order: whether to try the table's action, the game's `order` and what cut off elsewhere (history) first.
        evaluate: a function `(game, state, player) -> float` to use in place of the game's own.

    >>> from outplay.games import ConnectFour
    >>> analysis = AlphaBeta(ConnectFour(width=5, height=4)).search()
    >>> analysis.verdict, analysis.exact
    ('draw', True)
    """

    _options = ("table_mb", "order", "evaluate")

    def __init__(
        self,
        game: Game,
        *,
        table_mb: float = 64,
        order: bool = True,
        evaluate: Callable[[Any, Any, int], float] | None = None,
    ) -> None:
        self.table_mb = table_mb
        self.order = order
        self.evaluate = evaluate
        if not isinstance(table_mb, (int, float)) or isinstance(table_mb, bool) or not 0 <= table_mb <= 1e6:
            raise ValueError(f"AlphaBeta(table_mb={table_mb!r}): megabytes from 0 to 1000000")
        super().__init__(game)

    def _searched(self) -> Game:
        return self.game if self.evaluate is None else with_evaluation(self.game, self.evaluate)

    def _prepare(
        self, packed: Any, count: int, limit: Limit, every: bool, memory: workspace.Workspace, results: Results
    ) -> Callable[[], Any]:
        game = self._searched()
        known = game.utilities is not None and game.utilities[1] > 0
        best_possible = encode(game.utilities[1]) if game.utilities and known else INFINITE
        args = (
            game, packed, count, min(limit.depth or DEEPEST, DEEPEST), limit.nodes or 0, every, best_possible,
            self.order, memory, new_table(self.table_mb), results.cells,
        )  # fmt: skip
        run = alpha_beta_many.prepare(*args)
        return lambda: run(*args)


def with_evaluation(game: Game, evaluate: Callable[[Any, Any, int], float]) -> Game:
    """A copy of `game` whose class is a variant with another `evaluate`."""
    other = copy.copy(game)
    other.__class__ = _variant(type(game), evaluate)
    return other


@functools.lru_cache(maxsize=64)
def _variant(game_class: type[Game], evaluate: Callable[[Any, Any, int], float]) -> Any:
    return type(game_class.__name__, (game_class,), {"evaluate": evaluate, "__module__": game_class.__module__})


@kernel
def negamax(
    game: Any, state: Any, player: int, depth: int, alpha: int, beta: int, memory: Any, table: Any, base: int
) -> int:
    """The score of `state` for `player`, whoever is to move; see the contract above.

    `base` is where in `memory` this node lists its actions. After a stop the result means nothing.
    """
    # 1. The end of the game, of the look-ahead, or of the search.
    memory[NODES] += 1
    if game.is_terminal(state):
        memory[LEAVES] += 1
        return encode(game.utility(state, player))
    best_possible = int(memory[BEST_POSSIBLE])
    if depth <= 0:
        memory[HORIZON] += 1
        most = max(0, best_possible - DISTANCES)  # an estimate is never as good as a win
        return min(max(encode(game.evaluate(state, player)), -most), most)
    if must_stop(memory):
        return 0

    # 2. From here on the score and its window are the mover's; no win comes sooner than in one ply.
    mover = game.to_move(state)
    sign = 1
    if mover != player:
        sign = -1
        alpha, beta = -beta, -alpha
    beta = min(beta, later(best_possible))
    if alpha >= beta:
        return sign * beta

    # 3. What the table knows.
    key = state_key(game, state)
    place = find(table, memory[TABLE_MASK], key)
    table_number = NO_ACTION
    if place >= 0:
        word, score = int(table[place]), int(table[place + 1])
        table_number = action_of(word)
        if word & SOLVED or depth_of(word) >= depth:
            bound = bound_of(word)
            if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
                memory[HORIZON] += word & SOLVED == 0
                return sign * score

    # 4. Search the actions, the most promising first.
    end = list_actions(game, state, mover, table_number, memory, base)
    if end == base:
        memory[WHY] = BY_RULES
        return 0
    floor, before = alpha, memory[HORIZON]
    best, best_number = -INFINITE, NO_ACTION
    for here in range(base, end, CELLS):
        bring_first(memory, here, end)
        action = int(memory[here])
        solved_before = memory[HORIZON]
        child = game.result(state, action)
        score = later(negamax(game, child, mover, depth - 1, sooner(alpha), sooner(beta), memory, table, end))
        if must_stop(memory):
            return 0
        if score > best:
            best, best_number = score, memory[here + 1]
            alpha = max(alpha, score)
            if score >= beta:
                if memory[HORIZON] == solved_before:
                    memory[HORIZON] = before
                memory[history_cell(mover, action)] += depth * depth
                break

    # 5. What lies beyond the horizon ends later than in `depth` plies: it cannot beat a win as near as that.
    if best >= best_possible - depth:
        memory[HORIZON] = before
    bound = LOWER if best >= beta else EXACT if best > floor else UPPER
    solved = SOLVED if memory[HORIZON] == before else 0
    store(table, memory[TABLE_MASK], key, best_number, depth, memory[SEARCH], solved | bound, best)
    return sign * best


@kernel
def list_actions(game: Any, state: Any, player: int, table_number: int, memory: Any, base: int) -> int:
    """List the legal actions from `memory[base]` on, each as (action, number, order); where the list ends."""
    end = base
    for number, action in enumerate(legal_actions(game, state)):
        if end + CELLS > STACK + STACK_SIZE:
            memory[WHY] = BY_ROOM
            break
        order = 0
        if memory[ORDER]:
            order = FIRST if number == table_number else min(memory[history_cell(player, action)], HISTORY_UNIT - 1)
            if defines(game, "order") and number != table_number:
                order += int(min(max(game.order(state, action), -1e9), 1e9) * HISTORY_UNIT)
        memory[end] = action
        memory[end + 1] = number
        memory[end + 2] = order
        end += CELLS
    return end


@kernel
def bring_first(memory: Any, here: int, end: int) -> None:
    """Swap the action of the greatest order in `memory[here:end]` to the front; of equal ones, the first listed."""
    first = here
    for other in range(here + CELLS, end, CELLS):
        if memory[other + 2] > memory[first + 2]:
            first = other
    while first > here:  # shift, so that the others keep their order
        for cell in range(first, first + CELLS):
            moved = memory[cell]
            memory[cell] = memory[cell - CELLS]
            memory[cell - CELLS] = moved
        first -= CELLS


def history_cell(player: int, action: int) -> int:
    """Where the history of an action is kept: how often, and how deep, it cut off."""
    return HISTORY + player * ACTIONS + action % ACTIONS


@kernel
def alpha_beta_root(game: Any, state: Any, count: int, depth: int, every: bool, memory: Any, table: Any) -> bool:
    """One iteration: score the `count` actions listed; with `every`, all of them exactly. False if it was stopped."""
    player = game.to_move(state)
    best_possible = memory[BEST_POSSIBLE]
    alpha = -INFINITE
    start_of_all = memory[HORIZON]
    base = STACK + count * COLUMNS
    for row in range(STACK, base, COLUMNS):
        if every and memory[row + ROW_SOLVED]:
            continue
        if alpha >= later(best_possible):  # nothing can be better
            memory[row + SCORE], memory[row + BOUND], memory[row + ROW_SOLVED] = alpha, UPPER, 1
            continue
        before = memory[HORIZON]
        child = game.result(state, int(memory[row + ACTION]))
        score = later(negamax(game, child, player, depth - 1, sooner(alpha), INFINITE, memory, table, base))
        if must_stop(memory):
            return False
        proved = memory[HORIZON] == before
        if score >= best_possible - depth:  # nothing beyond the horizon is better: see step 5 of `negamax`
            proved = True
            memory[HORIZON] = before if every else start_of_all
        memory[row + SCORE] = score
        memory[row + BOUND] = EXACT if score > alpha else UPPER
        memory[row + ROW_SOLVED] = proved
        if not every:
            alpha = max(alpha, score)
    rank(memory, count)
    return True


@kernel
def follow(
    game: Any, state: Any, player: int, score: int, depth: int, memory: Any, table: Any, base: int, found: Any, at: int
) -> None:
    """Put best actions from `state`, whose `score` for `player` is known, into `found[at:]`.

    Each state on the way is searched again around the score expected of it, which leaves its best action in the table;
    most are there already. When time is up, the line goes on with what the table holds.
    """
    nodes, horizon, most_nodes = memory[NODES], memory[HORIZON], memory[MOST_NODES]
    memory[MOST_NODES] = nodes + LINE_NODES
    end = at + memory[LONGEST]
    while at < end and depth > 0 and not game.is_terminal(state):
        negamax(game, state, player, depth, score - 1, score + 1, memory, table, base)
        place = find(table, memory[TABLE_MASK], state_key(game, state))
        cell = base + CELLS * (NO_ACTION if place < 0 else action_of(int(table[place])))
        if cell >= list_actions(game, state, player, NO_ACTION, memory, base):
            break
        action = int(memory[cell])
        found[at] = action
        state = game.result(state, action)
        at += 1
        depth -= 1
        score = sooner(score)
    if at < end:
        found[at] = -1
    if memory[WHY] == BY_NODES:  # only the search for the line was stopped
        memory[WHY] = 0
    memory[NODES], memory[HORIZON], memory[MOST_NODES] = nodes, horizon, most_nodes


@kernel
def deepen(
    game: Any, state: Any, most_depth: int, every: bool, watched: bool, memory: Any, table: Any, found: Any, at: int
) -> None:
    """One iteration after another, each a ply deeper and in the order that the last one found, until solved."""
    count = list_root(game, state, memory)
    player = game.to_move(state)
    for depth in range(1, most_depth + 1):
        before = memory[HORIZON]
        if must_stop(memory) or not alpha_beta_root(game, state, count, depth, every, memory, table):
            break
        solved = memory[HORIZON] == before
        publish(memory, count, found, at)
        if watched or solved or depth == most_depth:
            for k in range(min(count, int(memory[KEPT])) if every else 1):
                row = STACK + k * COLUMNS
                child = game.result(state, int(memory[row + ACTION]))
                score, base = sooner(memory[row + SCORE]), STACK + count * COLUMNS
                follow(game, child, player, score, depth - 1, memory, table, base, found, line_of(memory, at, k))
        found[at + STATUS_ACTIONS] = count
        found[at + STATUS_DEPTH] = depth
        found[at + STATUS_SOLVED] = solved or memory[STACK + SCORE] >= memory[BEST_POSSIBLE] - depth
        if solved:
            break


@kernel
def alpha_beta_many(
    game: Any, packed: Any, count: int, most_depth: int, most_nodes: int, every: bool, best_possible: int, order: bool,
    memory: Any, table: Any, found: Any,
) -> None:  # fmt: skip
    """Alpha-beta for each of `count` packed states; see `searcher.Results` for what is filled in."""
    width = found.size // count
    for i in range(count):
        start(raw(memory), i + 1, most_nodes)
        memory[BEST_POSSIBLE] = best_possible
        memory[ORDER] = order
        memory[TABLE_MASK] = mask_of(table)
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            deepen(game, state, most_depth, every, count == 1, raw(memory), raw(table), raw(found), i * width)
        found[i, STATUS_WHY] = memory[WHY]
        found[i, STATUS_NODES] = memory[NODES]
        found[i, STATUS_LEAVES] = memory[LEAVES]
        found[i, STATUS_DONE] = memory[WHY] == 0
