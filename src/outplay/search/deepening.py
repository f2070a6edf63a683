"""Iterative deepening for alpha-beta: iterations, windows at the root, and the line of best actions.

Reading order: `alpha_beta_root` (the actions at the root with one window), `aspiration_search` (one iteration: windows
until the score is known), `deepen` (all iterations), `search_line` (the line).
"""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.engine.ordering import ALL, list_actions
from outplay.engine.path import key_with_path, last_ply_with_key, put_on_path
from outplay.engine.results import SOLVED_CELL, complete_iteration, copy_results, line_of, list_ordered_root, sort_rows
from outplay.engine.score import DISTANCES, INFINITE, distance, in_plies, later, sooner
from outplay.engine.stopping import BY_NODES
from outplay.engine.table import EXACT, MAX_TABLE_DEPTH, NO_ACTION, UPPER, action_of, probe
from outplay.engine.trace_kernels import ALL_SEARCHED, CUT, ROOT, begin, finish, record_reason
from outplay.engine.workspace import must_stop
from outplay.rules.game import defines
from outplay.rules.keys import state_key
from outplay.search.negamax import horizon, negamax

MAX_LINE_NODES = 20_000
"""The maximum number of nodes for reconstructing a line."""
SYMMETRIC_PLIES = 8
"""The number of plies from the root up to which symmetries are used."""
EVERY = 1 << 20
"""As the width of a beam: no action is left out."""
QUIET_PLIES = 32
"""The number of plies beyond the last possible extension after which every state counts as quiet."""


NEAR_PLIES = 15
"""An end of the game within this number of plies is near: whether there is one is asked before anything else at full
depth."""
MAX_ASKED_NODES = 10_000
"""The maximum number of nodes of the iterations before, if it is to be asked: after more, the tree is so wide that the
answer would cost more than it saves."""


@kernel
def alpha_beta_root(
    game: Any, techniques: Any, state: Any, count: int, depth: int, alpha: int, beta: int, every: bool, memory: Any,
    table: Any,
) -> int:  # fmt: skip
    """Score the `count` listed actions within the window, or, with `every`, exactly. Returns the best score.

    At depth 1, quiescence leaves nodes of the limit for every action, so that there is an answer.
    """
    player = game.to_move(state)
    best_possible: int = memory.best_possible
    start_of_all = memory.horizon
    ply = memory.root_ply + 1
    best = -INFINITE
    for row in range(count):
        if every and memory.rows.solved[row]:
            best = max(best, memory.rows.score[row])
            continue
        if alpha >= later(best_possible) or alpha >= beta:  # no action can be better
            memory.rows.score[row], memory.rows.bound[row] = alpha, UPPER
            memory.rows.solved[row] = alpha >= later(best_possible)
            continue
        before, action = memory.horizon, memory.rows.action[row]
        child = game.result(state, action)
        memory.path.action[ply] = action
        limit = beta if row == 0 or every or not techniques.null_window else alpha + 1
        while True:
            if depth == 1 and memory.max_nodes != 0:  # for quiescence: half of an equal share of the nodes left
                memory.quiet_nodes = memory.nodes + 1 + (memory.max_nodes - memory.nodes) // (2 * (count - row))
            above = begin(techniques, memory, action, player, depth - 1, alpha, limit)
            score = later(
                negamax(game, techniques, child, player, depth - 1, sooner(alpha), sooner(limit), ply, memory, table, 0)
            )
            finish(techniques, memory, above, score)
            if must_stop(memory):
                return best
            if not limit <= score < beta:
                break
            memory.horizon, limit = before, beta
        proved = memory.horizon == before
        if score >= best_possible - horizon(techniques, depth) - memory.forced_result_depth:  # see step 7 of `negamax`
            proved = True
            memory.horizon = before if every else start_of_all
        memory.rows.score[row] = score
        memory.rows.bound[row] = EXACT if score > alpha else UPPER
        memory.rows.solved[row] = proved
        best = max(best, score)
        if not every:
            alpha = max(alpha, score)
    memory.quiet_nodes = 0
    return best


@kernel
def aspiration_search(
    game: Any, techniques: Any, state: Any, count: int, depth: int, guess: int, steady: bool, asks: bool,
    every: bool, memory: Any, table: Any,
) -> bool:  # fmt: skip
    """One iteration: search with one window after another until the best score is known. Returns whether it is solved.

    If the last two iterations had the same score, the first window is around this score. If only the distance of a win
    is unknown, null windows find it by bisection. MTD(f) uses only null windows, each at the last bound found.

    If it `asks`, the first question is whether the player who is ahead wins within `NEAR_PLIES`; after a draw, whether
    the player to move does and, if not, whether the other one does. A null window at that distance is closed after as
    many plies, so the answer is cheap. Yes leads to the bisection; no is a proved bound, in the table for all that
    follows.
    """
    before = memory.horizon
    low, high = -INFINITE, min(INFINITE, later(memory.best_possible))
    low_solved = high_solved = solved = inside = False
    proof = -1  # the action that proves `low`
    questions = (2 if guess == 0 else 1) if asks else 0
    is_ahead = guess >= 0
    while low < high and not must_stop(memory):
        alpha, beta = low - 1, high + 1
        if questions > 0 and low <= 0:
            if is_ahead:
                beta = in_plies(memory.best_possible, NEAR_PLIES)
                alpha = beta - 1
            else:
                alpha = in_plies(memory.worst_possible, NEAR_PLIES)
                beta = alpha + 1
            questions, is_ahead = questions - 1, False
        elif techniques.mtdf and not every:
            beta = min(max(guess, low + 1), high)
            alpha = beta - 1
        elif techniques.null_window and not every:
            if low == -INFINITE and steady:
                alpha, beta = guess - 1, guess + 1
            elif (low > 0 or high < 0) and high - low < DISTANCES:
                alpha = low + (high - low) // 2
                beta = alpha + 1
        memory.horizon = before
        above = begin(techniques, memory, ROOT, game.to_move(state), depth, alpha, beta)
        best = alpha_beta_root(game, techniques, state, count, depth, alpha, beta, every, memory, table)
        record_reason(techniques, memory, CUT if best >= min(beta, later(memory.best_possible)) else ALL_SEARCHED)
        finish(techniques, memory, above, best)
        if must_stop(memory):
            return False
        sort_rows(memory, count)
        solved = memory.horizon == before
        inside = alpha < best < beta
        if best > alpha:
            low, low_solved, proof = best, solved, memory.rows.action[0]
        if best < beta:
            high, high_solved = best, solved
        steady, guess = False, best
    if low < high:  # stopped
        return False
    solved = low_solved and high_solved
    for row in range(count):  # no action is better than the best
        if solved and not memory.rows.solved[row]:
            memory.rows.score[row], memory.rows.bound[row], memory.rows.solved[row] = high, UPPER, 1
    place = 0
    while memory.rows.action[place] != proof:
        place += 1
    nearest_win = memory.best_possible - horizon(techniques, depth) - memory.forced_result_depth
    if not (solved or inside or high >= nearest_win):  # found by two windows, of which at least one proved nothing
        memory.rows.solved[place] = 0
    memory.rows.score[place], memory.rows.bound[place] = high + 1, EXACT
    sort_rows(memory, count)
    memory.rows.score[0] = high
    return solved


@kernel
def deepen(
    game: Any, techniques: Any, state: Any, most_depth: int, every: bool, watched: bool, memory: Any, table: Any,
    results: Any, at: int,
) -> None:  # fmt: skip
    """Run iterations of growing depth until the state is solved; each uses the order of actions of the last one."""
    count = list_ordered_root(game, techniques, state, memory)
    root_ply = memory.root_ply
    if techniques.repetition:
        put_on_path(memory, root_ply, state_key(game, state))
    if techniques.repetition == "forbidden":
        count = leave_out_repetitions(game, state, count, memory)
        results[at + SOLVED_CELL] = count == 0  # the game is over
    memory.symmetric_ply = root_ply + SYMMETRIC_PLIES
    player = game.to_move(state)
    guess, steady = 0, False
    last, depth = 0, min(most_depth, 1)
    while count and not must_stop(memory):
        memory.max_ply = root_ply + 2 * depth
        memory.quiet_ply = root_ply + 2 * depth + QUIET_PLIES
        asks = bool(memory.asks_near) and last <= NEAR_PLIES < depth and memory.nodes <= MAX_ASKED_NODES
        solved = aspiration_search(game, techniques, state, count, depth, guess, steady, asks, every, memory, table)
        if must_stop(memory):
            break
        best = memory.rows.score[0]
        steady = best == guess
        guess = best
        copy_results(memory, count, results, at)
        if watched or solved or depth == most_depth:
            for k in range(min(count, memory.max_rows) if every else 1):
                child, score = game.result(state, memory.rows.action[k]), sooner(memory.rows.score[k])
                plies = max(depth - 1, distance(score)) if memory.rows.solved[k] else depth - 1
                proved = memory.rows.solved[k] != 0 and score == 0 and techniques.repetition == ""
                if proved:  # a draw: the table may hold entries that were proved at any depth
                    plies = MAX_TABLE_DEPTH
                memory.path.action[root_ply + 1] = memory.rows.action[k]
                search_line(
                    game, techniques, child, player, score, proved, plies, memory, table, results,
                    line_of(memory, at, k),
                )  # fmt: skip
        nearest_win = memory.best_possible - horizon(techniques, depth) - memory.forced_result_depth
        complete_iteration(count, depth, solved or memory.rows.score[0] >= nearest_win, results, at)
        if solved or depth == most_depth:
            break
        last, depth = depth, min(most_depth, max(depth + 1, depth * memory.depth_factor // 100))


@kernel
def leave_out_repetitions(game: Any, state: Any, count: int, memory: Any) -> int:
    """Remove the root actions that lead back to a state on the path. Returns the number of the others."""
    left, ply = 0, memory.root_ply + 1
    for row in range(count):
        if last_ply_with_key(memory, ply, state_key(game, game.result(state, memory.rows.action[row]))) < 0:
            memory.rows.action[left] = memory.rows.action[row]
            left += 1
    return left


@kernel
def search_line(
    game: Any, techniques: Any, state: Any, player: int, score: int, proved: bool, depth: int, memory: Any, table: Any,
    results: Any, at: int,
) -> None:  # fmt: skip
    """Write the best actions from `state`, whose `score` for `player` is known, to `found[at:]`.

    Each state of the line is searched again with a window around its expected score, so that its best action is in the
    table; most are there already. The line ends where the score cannot be confirmed. When time is up, it is continued
    with the actions in the table.
    """
    nodes, horizon_before, most_nodes = memory.nodes, memory.horizon, memory.max_nodes
    recorded, most_records = memory.recorded, memory.max_records
    memory.max_records = 0
    memory.max_nodes = nodes + MAX_LINE_NODES
    end, ply = at + memory.max_line, memory.root_ply + 1
    forced_result_depth, forced_loss_depth = memory.forced_result_depth, memory.forced_loss_depth
    beam = memory.beam
    while at < end and not game.is_terminal(state):
        if techniques.hints and defines(game, "forced_result") and memory.hinted and game.forced_result(state)[1] > 0:
            depth = game.forced_result(state)[1]
            # From here on, the actions are needed, not only the result.
            memory.hinted = memory.forced_result_depth = memory.forced_loss_depth = 0
            memory.beam = EVERY
        if depth <= 0 or (techniques.repetition and put_on_path(memory, ply, state_key(game, state)) >= 0):
            break
        value = negamax(game, techniques, state, player, depth, score - 1, score + 1, ply, memory, table, 0)
        action = action_in_table(game, techniques, state, ply, memory, table)
        # Perhaps an image was searched instead, or bounds told the score.
        if (techniques.symmetry and ply <= memory.symmetric_ply) or (techniques.bounds and action < 0):
            action = action_worth(game, techniques, state, player, action, score, proved, depth, ply, memory, table)
        if action < 0 or (techniques.selective and value != score) or (proved and memory.horizon != horizon_before):
            break
        results[at] = action
        state = game.result(state, action)
        at += 1
        ply += 1
        depth -= 1
        score = sooner(score)
        memory.path.action[ply] = action
    memory.hinted, memory.forced_result_depth, memory.forced_loss_depth = 1, forced_result_depth, forced_loss_depth
    memory.beam = beam
    if at < end:
        results[at] = -1
    if memory.why == BY_NODES:  # only the search for the line was stopped
        memory.why = 0
    memory.nodes, memory.horizon, memory.max_nodes = nodes, horizon_before, most_nodes
    memory.recorded = recorded
    memory.max_records = most_records


@kernel
def action_worth(
    game: Any, techniques: Any, state: Any, player: int, likely: int, score: int, proved: bool, depth: int, ply: int,
    memory: Any, table: Any,
) -> int:  # fmt: skip
    """An action of `state` that is worth `score` for `player`: the `likely` one if it is, else another.

    If no such action is found: -1 if the score is to be `proved`, else the likely action.
    """
    before = memory.horizon
    mover = game.to_move(state)
    target = sooner(score) if mover == player else -sooner(score)
    end = list_actions(game, techniques, state, mover, ply, NO_ACTION, ALL, memory, 0, table)
    for place in range(-1, end):
        action = likely if place < 0 else memory.listed.action[place]
        if action >= 0 and not must_stop(memory):
            child = game.result(state, action)
            memory.path.action[ply + 1] = action
            value = negamax(
                game, techniques, child, mover, depth - 1, target - 1, target + 1, ply + 1, memory, table, end
            )
            if value == target and (memory.horizon == before or not proved):
                return action
            memory.horizon = before
    return -1 if proved and not must_stop(memory) else likely


@kernel
def action_in_table(game: Any, techniques: Any, state: Any, ply: int, memory: Any, table: Any) -> int:
    """The best action in the table's entry of `state`, or -1."""
    key = state_key(game, state)
    if techniques.path_matters:
        key = key_with_path(memory, ply, key)
    word, _ = probe(table, memory.table_mask, key)
    place = action_of(word)
    end = list_actions(game, techniques, state, game.to_move(state), ply, NO_ACTION, ALL, memory, 0, table)
    return memory.listed.action[place] if place < end else -1
