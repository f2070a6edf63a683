"""Alpha-beta: the value of minimax without looking at what cannot change it (Knuth & Moore 1975).

Reading order: `negamax` (one state), `alpha_beta_root` (the actions at the root with one window), `enclose` (one
iteration: windows until the score is known), `deepen` (one iteration after another), `follow` (the line of best
actions), `AlphaBeta` (options in, `Analysis` out).

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
from collections.abc import Callable, Sequence
from typing import Any

from outplay.book import LookUp
from outplay.game import Game, candidate_actions, defines, legal_actions
from outplay.kernels import kernel, raw, unpack
from outplay.keys import state_key
from outplay.limits import Limit
from outplay.search import workspace
from outplay.search.score import DISTANCES, INFINITE, distance, encode, in_plies, later, sooner
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
from outplay.search.seed import seed
from outplay.search.table import (
    DEEPEST,
    EXACT,
    LOWER,
    NO_ACTION,
    SOLVED,
    UPPER,
    Table,
    action_of,
    bound_of,
    depth_of,
    fetch,
    find,
    mask_of,
    new_table,
    score_at,
    store,
    word_at,
)
from outplay.search.workspace import (
    ACTIONS,
    BEST_POSSIBLE,
    BY_NODES,
    BY_ROOM,
    BY_RULES,
    FORESIGHT,
    GROWTH,
    HISTORY,
    HORIZON,
    KEPT,
    LEAVES,
    LONGEST,
    MOST_NODES,
    NODES,
    SEARCH,
    SEARCHED,
    STACK,
    STACK_SIZE,
    SWITCHES,
    TABLE_MASK,
    WHY,
    WORST_POSSIBLE,
    must_stop,
    start,
)

FIRST = 1 << 52
"""The order of the table's action: before all others."""
MOST_ORDER, ORDER_UNIT = 2.0**31, 2.0**20
"""The range of the game's `order`, and how finely it counts."""
BY_ORDER, BY_HINTS, BY_NULL_WINDOW = 1, 2, 4
"""Techniques, each a bit of `memory[SWITCHES]`."""
GROWTH_TO_THE_END = 2.5
"""How many times deeper each iteration is where there is no limit."""
CELLS = 2
"""What a listed action takes: the action; its order, with its number below, so that of equals the first is greater."""
LINE_NODES = 20_000
"""At most so many nodes go into finding a line again."""


class AlphaBeta(Searcher):
    """Iterative deepening alpha-beta with a transposition table, for one player or two with opposed interests.

    A player may move several times in a row, and utilities may be any numbers. At the cutoff the game's `evaluate` is
    asked; its `order` says which actions to try first. Without a limit the search goes on until the value is proved.

    Args:
        game: what to search.
        table_mb: memory for the transposition table, in megabytes; 0 for next to none.
        remember: whether the table is kept for the next search, as between the moves of one game. If not, the same
            search looks at the same nodes each time. `forget()` empties it.
        order: whether to try the table's action first, then the greatest of the game's `order`, or, if it has none,
            what cut off elsewhere (history).
        hints: whether to ask the game's `foresee` and `candidates`.
        null_window: whether actions after the first are first searched only to see that they are no better.
        growth: each iteration is so many times deeper than the last one, and 1 ply at least. None: 2.5 for a search
            without any limit, which has to reach the end of the game; else 1.
        evaluate: a function `(game, state, player) -> float` to use in place of the game's own.
        books: what to ask before searching; what a `Book` has proved is also used deep in the tree.

    >>> from outplay.games import ConnectFour
    >>> analysis = AlphaBeta(ConnectFour(width=5, height=4)).search()
    >>> analysis.verdict, analysis.exact
    ('draw', True)
    """

    _options = ("table_mb", "remember", "order", "hints", "null_window", "growth", "evaluate", "books")

    def __init__(
        self,
        game: Game,
        *,
        table_mb: float = 64,
        remember: bool = False,
        order: bool = True,
        hints: bool = True,
        null_window: bool = True,
        growth: float | None = None,
        evaluate: Callable[[Any, Any, int], float] | None = None,
        books: Sequence[LookUp] = (),
    ) -> None:
        self.table_mb = table_mb
        self.remember = remember
        self.order = order
        self.hints = hints
        self.null_window = null_window
        self.growth = growth
        self.evaluate = evaluate
        self._table: Table | None = None
        self._searches = 0
        if not isinstance(table_mb, (int, float)) or isinstance(table_mb, bool) or not 0 <= table_mb <= 1e6:
            raise ValueError(f"AlphaBeta(table_mb={table_mb!r}): megabytes from 0 to 1000000")
        if growth is not None and (isinstance(growth, (bool, str)) or not 1 <= growth <= DEEPEST):
            raise ValueError(f"AlphaBeta(growth={growth!r}): a number from 1 to {DEEPEST}, or None")
        super().__init__(game, books=books)

    def forget(self) -> None:
        """Empty the table that `remember=True` has kept."""
        self._table = None
        self._searches = 0

    def _searched(self) -> Game:
        return self.game if self.evaluate is None else with_evaluation(self.game, self.evaluate)

    def _prepare(
        self, packed: Any, count: int, limit: Limit, every: bool, memory: workspace.Workspace, results: Results
    ) -> Callable[[], Any]:
        game = self._searched()
        least, greatest = game.utilities or (0, 0)  # a sure draw is no reason to stop: 0 has no distance
        table = new_table(self.table_mb) if self._table is None else self._table
        memory[SEARCHED] = self._searches
        if self.remember:
            self._table = table
            self._searches += count
        growth = self.growth or (GROWTH_TO_THE_END if limit == Limit() else 1)
        memory[SWITCHES] = self.order * BY_ORDER | self.hints * BY_HINTS | self.null_window * BY_NULL_WINDOW
        memory[FORESIGHT] = game.foresight if self.hints and defines(game, "foresee") else 0
        memory[GROWTH] = int(100 * growth)
        memory[BEST_POSSIBLE] = encode(greatest) if greatest > 0 else INFINITE
        memory[WORST_POSSIBLE] = encode(least) if least < 0 else -INFINITE
        memory[TABLE_MASK] = mask_of(table)
        seed(game, self.books, table, int(memory[SEARCHED]) + 1)
        most_depth = min(limit.depth or DEEPEST, DEEPEST)
        args = (game, packed, count, most_depth, limit.nodes or 0, every, memory, table, results.cells)
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
    key = state_key(game, state)
    fetch(table, memory[TABLE_MASK], key)
    if game.is_terminal(state):
        memory[LEAVES] += 1
        return encode(game.utility(state, player))
    best_possible: int = memory[BEST_POSSIBLE]
    worst_possible: int = memory[WORST_POSSIBLE]
    mover = game.to_move(state)
    sign = 1 if mover == player else -1
    if memory[SWITCHES] & BY_HINTS and defines(game, "foresee"):
        utility, plies = game.foresee(state)
        if plies > 0:
            memory[LEAVES] += 1
            return sign * in_plies(encode(utility), plies)
    if depth <= 0:
        memory[HORIZON] += 1
        # An estimate is never as good as a win, nor as bad as a loss.
        most, least = max(0, best_possible - DISTANCES), min(0, worst_possible + DISTANCES)
        return sign * min(max(encode(game.evaluate(state, mover)), least), most)
    if must_stop(memory):
        return 0

    # 2. From here on the score and its window are the mover's; no win or loss comes sooner than `foresight` allows.
    if sign < 0:
        alpha, beta = -beta, -alpha
    foresight = memory[FORESIGHT]
    beta = min(beta, in_plies(best_possible, foresight + 1))
    if alpha >= beta:
        return sign * beta
    alpha = max(alpha, in_plies(worst_possible, foresight + 1))
    if alpha >= beta:
        return sign * alpha

    # 3. What the table knows.
    place = find(table, memory[TABLE_MASK], key)
    table_number = NO_ACTION
    if place >= 0:
        word, score = word_at(table, place), score_at(table, place)
        table_number = action_of(word)
        if word & SOLVED or depth_of(word) >= depth:
            bound = bound_of(word)
            if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
                memory[HORIZON] += word & SOLVED == 0
                return sign * score

    # 4. Search the actions, the most promising first: the others only so far as to see that they are no better.
    end = list_actions(game, state, mover, table_number, memory, base, table)
    if end == base:
        memory[WHY] = BY_RULES
        return 0
    floor, before = alpha, memory[HORIZON]
    best, best_number = -INFINITE, NO_ACTION
    for here in range(base, end, CELLS):
        bring_first(memory, here, end)
        action = memory[here]
        solved_before = memory[HORIZON]
        child = game.result(state, action)
        limit = beta if here == base or not memory[SWITCHES] & BY_NULL_WINDOW else alpha + 1
        score = later(negamax(game, child, mover, depth - 1, sooner(alpha), sooner(limit), memory, table, end))
        if limit <= score < beta:
            memory[HORIZON] = solved_before
            score = later(negamax(game, child, mover, depth - 1, sooner(alpha), sooner(beta), memory, table, end))
        if must_stop(memory):
            return 0
        if score > best:
            best, best_number = score, NO_ACTION - (memory[here + 1] & NO_ACTION)
            alpha = max(alpha, score)
            if score >= beta:
                if memory[HORIZON] == solved_before:
                    memory[HORIZON] = before
                if memory[SWITCHES] & BY_ORDER and not defines(game, "order"):
                    memory[history_cell(mover, action)] += depth * depth
                break

    # 5. What lies beyond the horizon ends later than can be seen: it cannot beat a win as near as that.
    if best >= best_possible - depth - foresight:
        memory[HORIZON] = before
    bound = LOWER if best >= beta else EXACT if best > floor else UPPER
    solved = SOLVED if memory[HORIZON] == before else 0
    age = memory[SEARCHED] + memory[SEARCH]
    store(table, memory[TABLE_MASK], key, best_number, depth, age, solved | bound, best)
    return sign * best


@kernel
def list_actions(game: Any, state: Any, player: int, table_number: int, memory: Any, base: int, table: Any) -> int:
    """List the actions to search from `memory[base]` on, each as (action, order and number); where the list ends."""
    end = base
    if memory[SWITCHES] & BY_HINTS and defines(game, "candidates"):
        for number, action in enumerate(candidate_actions(game, state)):
            end = list_action(game, state, player, number, action, table_number, memory, end, table)
    else:
        for number, action in enumerate(legal_actions(game, state)):
            end = list_action(game, state, player, number, action, table_number, memory, end, table)
    return end


@kernel
def list_action(
    game: Any, state: Any, player: int, number: int, action: int, table_number: int, memory: Any, end: int, table: Any
) -> int:
    """List one action at `memory[end]`; where the next one goes."""
    if end + CELLS > STACK + STACK_SIZE:
        memory[WHY] = BY_ROOM
        return end
    order = 0
    if memory[SWITCHES] & BY_ORDER:
        if number == table_number:
            order = FIRST
        elif defines(game, "order"):
            order = int(min(max(game.order(state, action), -MOST_ORDER), MOST_ORDER) * ORDER_UNIT)
        else:
            order = min(memory[history_cell(player, action)], FIRST - 1)
    fetch(table, memory[TABLE_MASK], state_key(game, game.result(state, action)))
    memory[end] = action
    memory[end + 1] = order << 10 | NO_ACTION - min(number, NO_ACTION)
    return end + CELLS


@kernel
def bring_first(memory: Any, here: int, end: int) -> None:
    """Swap the action of the greatest order in `memory[here:end]` to the front; of equal ones, the first listed."""
    first = here
    for other in range(here + CELLS, end, CELLS):
        if memory[other + 1] > memory[first + 1]:
            first = other
    for cell in range(CELLS):
        moved = memory[first + cell]
        memory[first + cell] = memory[here + cell]
        memory[here + cell] = moved


def history_cell(player: int, action: int) -> int:
    """Where the history of an action is kept: how often, and how deep, it cut off."""
    return HISTORY + player * ACTIONS + action % ACTIONS


@kernel
def alpha_beta_root(
    game: Any, state: Any, count: int, depth: int, alpha: int, beta: int, every: bool, memory: Any, table: Any
) -> int:
    """Score the `count` actions listed, as far as the window asks; with `every`, all exactly. The best score."""
    player = game.to_move(state)
    best_possible: int = memory[BEST_POSSIBLE]
    start_of_all = memory[HORIZON]
    base = STACK + count * COLUMNS
    best = -INFINITE
    for row in range(STACK, base, COLUMNS):
        if every and memory[row + ROW_SOLVED]:
            best = max(best, memory[row + SCORE])
            continue
        if alpha >= later(best_possible) or alpha >= beta:  # nothing can be better
            memory[row + SCORE], memory[row + BOUND] = alpha, UPPER
            memory[row + ROW_SOLVED] = alpha >= later(best_possible)
            continue
        before = memory[HORIZON]
        child = game.result(state, memory[row + ACTION])
        limit = beta if row == STACK or every or not memory[SWITCHES] & BY_NULL_WINDOW else alpha + 1
        score = later(negamax(game, child, player, depth - 1, sooner(alpha), sooner(limit), memory, table, base))
        if limit <= score < beta:
            memory[HORIZON] = before
            score = later(negamax(game, child, player, depth - 1, sooner(alpha), sooner(beta), memory, table, base))
        if must_stop(memory):
            return best
        proved = memory[HORIZON] == before
        if score >= best_possible - depth - memory[FORESIGHT]:  # see step 5 of `negamax`
            proved = True
            memory[HORIZON] = before if every else start_of_all
        memory[row + SCORE] = score
        memory[row + BOUND] = EXACT if score > alpha else UPPER
        memory[row + ROW_SOLVED] = proved
        best = max(best, score)
        if not every:
            alpha = max(alpha, score)
    return best


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
    switches, foresight = memory[SWITCHES], memory[FORESIGHT]
    while at < end and not game.is_terminal(state):
        if memory[SWITCHES] & BY_HINTS and defines(game, "foresee") and game.foresee(state)[1] > 0:
            depth = game.foresee(state)[1]
            memory[SWITCHES], memory[FORESIGHT] = switches & ~BY_HINTS, 0  # from here on the actions are wanted
        if depth <= 0:
            break
        negamax(game, state, player, depth, score - 1, score + 1, memory, table, base)
        place = find(table, memory[TABLE_MASK], state_key(game, state))
        cell = base + CELLS * (NO_ACTION if place < 0 else action_of(word_at(table, place)))
        if cell >= list_actions(game, state, player, NO_ACTION, memory, base, table):
            break
        action = memory[cell]
        found[at] = action
        state = game.result(state, action)
        at += 1
        depth -= 1
        score = sooner(score)
    memory[SWITCHES], memory[FORESIGHT] = switches, foresight
    if at < end:
        found[at] = -1
    if memory[WHY] == BY_NODES:  # only the search for the line was stopped
        memory[WHY] = 0
    memory[NODES], memory[HORIZON], memory[MOST_NODES] = nodes, horizon, most_nodes


@kernel
def enclose(
    game: Any, state: Any, count: int, depth: int, guess: int, steady: bool, every: bool, memory: Any, table: Any
) -> bool:
    """One iteration: search with one window after another until the best score is known. Whether it is solved.

    The first window is a guess, the score of the last iteration if that has come twice. Where only the distance is
    left to find, it is halved by null windows.
    """
    before = memory[HORIZON]
    low, high = -INFINITE, min(INFINITE, later(memory[BEST_POSSIBLE]))
    low_solved = high_solved = solved = False
    proof = -1  # the action that shows `low`
    while low < high and not must_stop(memory):
        alpha, beta = low - 1, high + 1
        if memory[SWITCHES] & BY_NULL_WINDOW and not every:
            if low == -INFINITE and steady:
                alpha, beta = guess - 1, guess + 1
            elif (low > 0 or high < 0) and high - low < DISTANCES:
                alpha = low + (high - low) // 2
                beta = alpha + 1
        memory[HORIZON] = before
        best = alpha_beta_root(game, state, count, depth, alpha, beta, every, memory, table)
        if must_stop(memory):
            return False
        rank(memory, count)
        solved = memory[HORIZON] == before
        if best > alpha:
            low, low_solved, proof = best, solved, memory[STACK + ACTION]
        if best < beta:
            high, high_solved = best, solved
        steady = False
    if low < high:  # stopped
        return False
    solved = low_solved and high_solved
    for row in range(STACK, STACK + count * COLUMNS, COLUMNS):  # no action is better than the best
        memory[row + ROW_SOLVED] = memory[row + ROW_SOLVED] or solved
    place = STACK
    while memory[place + ACTION] != proof:
        place += COLUMNS
    memory[place + SCORE], memory[place + BOUND] = high + 1, EXACT
    rank(memory, count)
    memory[STACK + SCORE] = high
    return solved


@kernel
def deepen(
    game: Any, state: Any, most_depth: int, every: bool, watched: bool, memory: Any, table: Any, found: Any, at: int
) -> None:
    """One iteration after another, each deeper and in the order that the last one found, until solved."""
    count = list_root(game, state, memory)
    player = game.to_move(state)
    guess, steady = 0, False
    depth = 1
    while not must_stop(memory):
        solved = enclose(game, state, count, depth, guess, steady, every, memory, table)
        if must_stop(memory):
            break
        best = memory[STACK + SCORE]
        steady = best == guess
        guess = best
        publish(memory, count, found, at)
        if watched or solved or depth == most_depth:
            for k in range(min(count, memory[KEPT]) if every else 1):
                row = STACK + k * COLUMNS
                child = game.result(state, memory[row + ACTION])
                score, base = sooner(memory[row + SCORE]), STACK + count * COLUMNS
                plies = max(depth - 1, distance(score)) if memory[row + ROW_SOLVED] else depth - 1
                follow(game, child, player, score, plies, memory, table, base, found, line_of(memory, at, k))
        found[at + STATUS_ACTIONS] = count
        found[at + STATUS_DEPTH] = depth
        found[at + STATUS_SOLVED] = solved or memory[STACK + SCORE] >= memory[BEST_POSSIBLE] - depth - memory[FORESIGHT]
        if solved or depth == most_depth:
            break
        depth = min(most_depth, max(depth + 1, depth * memory[GROWTH] // 100))


@kernel
def alpha_beta_many(
    game: Any, packed: Any, count: int, most_depth: int, most_nodes: int, every: bool, memory: Any, table: Any,
    found: Any,
) -> None:  # fmt: skip
    """Alpha-beta for each of `count` packed states; see `searcher.Results` for what is filled in."""
    width = found.size // count
    cells, entries, results = raw(memory), raw(table), raw(found)
    for i in range(count):
        at = i * width
        start(cells, i + 1, most_nodes)
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            deepen(game, state, most_depth, every, count == 1, cells, entries, results, at)
        results[at + STATUS_WHY] = cells[WHY]
        results[at + STATUS_NODES] = cells[NODES]
        results[at + STATUS_LEAVES] = cells[LEAVES]
        results[at + STATUS_DONE] = cells[WHY] == 0
