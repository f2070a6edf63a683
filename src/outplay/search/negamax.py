"""The score of one state by alpha-beta, with all techniques that make it fast; each can be switched off.

The contract of `negamax`, fail-soft: it returns r for `player` such that

    r <= alpha          the score is at most r           (upper bound)
    alpha < r < beta    the score is r                   (exact)
    r >= beta           the score is at least r          (lower bound)

`depth` is the number of plies still to search. Scores contain the distance to the end, counted from the state itself
(see `score.py`), so a window grows by one step on the way down (`sooner`) and a score shrinks by one on the way up
(`later`). `ply` counts from the first state on the path (see `path.py`).

A counter shows whether a value is proved: `memory.horizon` grows with each value that is based on an evaluation, and
whenever something is left out that could matter. A subtree is solved if it leaves the counter unchanged, if a solved
reply causes a cutoff, or if it is won so soon that nothing beyond the horizon could come sooner. Solved entries of the
table are valid at any depth, so later iterations never search them again.
"""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.engine.ordering import ALL, bring_first, learn, list_actions, swap
from outplay.engine.path import key_with_path, last_ply_with_key, put_on_path
from outplay.engine.score import DISTANCES, INFINITE, at_least, at_most, encode, in_plies, later, sooner
from outplay.engine.stopping import BROKEN_TABLE, NO_LEGAL_ACTION
from outplay.engine.table import (
    EXACT,
    LOWER,
    MAX_TABLE_DEPTH,
    NO_ACTION,
    SOLVED,
    UPPER,
    action_of,
    bound_of,
    depth_of,
    fetch,
    is_busy,
    probe,
    set_busy,
    store,
)
from outplay.engine.trace_kernels import (
    ALL_SEARCHED,
    CUT,
    END,
    EVALUATED,
    FORCED_RESULT,
    LESS_DEEP,
    NULL_MOVE,
    PASS,
    PROBCUT,
    REPETITION,
    TABLE,
    WINDOW,
    begin,
    finish,
    record_reason,
)
from outplay.engine.workspace import NO_LOOP, PLIES, must_stop
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import defines
from outplay.rules.keys import canonical, state_key
from outplay.search.forward_pruning import (
    FUTILITY_DEPTH,
    NULL_REDUCTION,
    PROBCUT_DEPTH,
    PROBCUT_REDUCTION,
    after_pass,
    futile_score,
    probcut_bound,
    reduction,
)
from outplay.search.quiescence import estimate, quiesce
from outplay.tables.probe import BROKEN, HIT, MISS, UNSURE, is_fresh, probe_table

SYMMETRIC_DEPTH = 4
"""The minimum depth for symmetries, which are used near the root; elsewhere they cost more than they save."""
DEFER_DEPTH, DEFER_PLIES = 3, 20
"""The minimum depth, and the maximum number of plies from the root, for deferring an action that another thread is
searching."""


@kernel
def negamax(
    game: Any, techniques: Any, state: Any, player: int, depth: int, alpha: int, beta: int, ply: int, memory: Any,
    table: Any, base: int,
) -> int:  # fmt: skip
    """The score of `state` for `player`, who need not be to move; see the contract above.

    This node lists its actions in `memory.listed` from index `base` on. After a stop, the result is meaningless.
    """
    # 1. The end of the game, of the look-ahead, or of the search.
    memory.nodes += 1
    key = state_key(game, state)
    if techniques.repetition:
        loop = put_on_path(memory, ply, key)
        if loop >= 0:
            memory.loop = min(memory.loop, loop)
            record_reason(techniques, memory, REPETITION)
            return memory.repetition_score  # type: ignore[no-any-return]
        if techniques.path_matters:
            key = key_with_path(memory, ply, key)
    if not techniques.prefetch:  # else it was fetched when it was listed
        fetch(table, memory.table_mask, key)
    if game.is_terminal(state):
        memory.leaves += 1
        record_reason(techniques, memory, END)
        return encode(float(game.utility(state, player)) - draw_utility(game))
    best_possible: int = memory.best_possible
    worst_possible: int = memory.worst_possible
    mover = game.to_move(state)
    sign = 1 if mover == player else -1
    if techniques.hints and defines(game, "forced_result") and memory.hinted:
        utility, plies = game.forced_result(state)
        if plies > 0:
            memory.leaves += 1
            record_reason(techniques, memory, FORCED_RESULT)
            return sign * in_plies(encode(utility - draw_utility(game)), plies)
    if techniques.extensions and ply < memory.max_ply and game.needs_extension(state):
        depth += 1
    if depth <= 0:
        if techniques.quiescence:
            return quiesce(game, techniques, state, player, alpha, beta, ply, memory, base)
        record_reason(techniques, memory, EVALUATED)
        return sign * estimate(game, state, mover, memory)
    if must_stop(memory):
        return 0

    # 2. From here on, score and window are the mover's. No end comes sooner than `forced_result` would have told.
    if sign < 0:
        alpha, beta = -beta, -alpha
    forced_result_depth = memory.forced_result_depth
    record_reason(techniques, memory, WINDOW)
    beta = min(beta, in_plies(best_possible, forced_result_depth + 1))
    if alpha >= beta:
        return sign * beta
    soonest = memory.forced_loss_depth + 1
    if techniques.repetition == "forbidden":  # a player without a legal action loses here
        soonest = 0
    alpha = max(alpha, in_plies(worst_possible, soonest))
    if alpha >= beta:
        return sign * alpha

    # 3. Look the state up in the tables.
    record_reason(techniques, memory, TABLE)
    if techniques.tablebase == "classes":
        answer = find_in_classes(game, techniques, state, depth, ply, memory)
        if answer == BROKEN:
            return 0
        if answer == HIT:
            score: int = memory.probe.score if mover == 0 else -memory.probe.score
            return sign * score
    word, score = probe(table, memory.table_mask, key)
    if settles(word, score, depth, alpha, beta):
        memory.horizon += word & SOLVED == 0
        return sign * score
    image_key = key
    if techniques.symmetry and depth >= SYMMETRIC_DEPTH and ply <= memory.symmetric_ply:
        image_key = state_key(game, canonical(game, state))
        if image_key != key:
            image, score = probe(table, memory.table_mask, image_key)
            if settles(image, score, depth, alpha, beta):
                memory.horizon += image & SOLVED == 0
                return sign * score

    if techniques.tablebase == "codes" and depth >= memory.probe.least_depth:
        answer = probe_table(game, techniques, state, memory.probe)
        if answer == BROKEN:
            memory.why = BROKEN_TABLE
            return 0
        if answer == HIT:
            score = memory.probe.score if mover == 0 else -memory.probe.score
            age = memory.earlier_searches + memory.search
            if techniques.repetition != "" and defines(game, "key"):  # which may leave out a count of plies
                memory.loop = -1
            else:
                store(table, memory.table_mask, key, NO_ACTION, MAX_TABLE_DEPTH, age, SOLVED | EXACT, score)
            record_reason(techniques, memory, TABLE)
            return sign * score

    # 4. What the rules say can still be reached.
    if techniques.bounds and memory.hinted:
        low, high = game.utility_bounds(state)
        least, most = at_least(low - draw_utility(game)), at_most(high - draw_utility(game))
        if least >= beta or most <= alpha:
            record_reason(techniques, memory, WINDOW)
            return sign * (least if least >= beta else most)
        beta = min(beta, most)

    # 5. Null move and ProbCut, which search to less depth. Their results count as beyond the horizon.
    before = memory.horizon
    static = 0
    if techniques.null_move or techniques.probcut or (techniques.futility and depth <= FUTILITY_DEPTH):
        static = estimate(game, state, mover, memory)
        memory.horizon = before
    if (techniques.null_move or techniques.probcut) and beta - alpha == 1 and abs(beta) < best_possible - DISTANCES:
        if techniques.null_move:
            passed = after_pass(game, state, depth, static, beta, ply, memory)
            if game.to_move(passed) != mover:
                memory.path.action[ply + 1] = PASS
                below = depth - 1 - NULL_REDUCTION - depth // 6
                above = begin(techniques, memory, PASS, mover, below, alpha, beta)
                score = negamax(game, techniques, passed, mover, below, alpha, beta, ply + 1, memory, table, base)
                finish(techniques, memory, above, score)
                if score >= beta:
                    memory.horizon += 1
                    record_reason(techniques, memory, NULL_MOVE)
                    return sign * beta
        if techniques.probcut and depth >= PROBCUT_DEPTH:
            below, low = depth - PROBCUT_REDUCTION, probcut_bound(static, alpha, beta, memory)
            above = begin(techniques, memory, LESS_DEEP, mover, below, low, low + 1)
            score = negamax(game, techniques, state, mover, below, low, low + 1, ply, memory, table, base)
            finish(techniques, memory, above, score)
            if (score > low) == (static >= beta):  # as was likely
                memory.horizon += 1
                record_reason(techniques, memory, PROBCUT)
                return sign * (beta if score > low else alpha)
        memory.horizon = before
    if must_stop(memory):
        return 0
    table_number = action_of(word)

    # 6. Search the actions, the most promising first; the others with null windows, to see that they are no better.
    loop_before, floor = memory.loop, alpha
    memory.loop = NO_LOOP
    best, best_number = -INFINITE, NO_ACTION
    actions_tried, here, end, all_listed = 0, base, base, False
    top, shares = base, depth >= DEFER_DEPTH and ply < memory.root_ply + DEFER_PLIES  # from `end` to `top`: deferred
    listing = table_number if techniques.staged and table_number != NO_ACTION else ALL
    while True:
        if here == end < top:
            end, shares = top, False
        if here == end:
            if all_listed:
                break
            all_listed = listing == ALL
            top = end = list_actions(game, techniques, state, mover, ply, table_number, listing, memory, here, table)
            listing = ALL
            if techniques.staged and here > base:  # skip the table's action, which was tried already
                bring_first(memory, here, end)
                here += 1
            if here == end:
                continue
        bring_first(memory, here, end)
        action, number = memory.listed.action[here], NO_ACTION - (memory.listed.order[here] & NO_ACTION)
        child, child_key = game.result(state, action), 0
        if techniques.threads and shares:
            child_key = state_key(game, child)
            if actions_tried and is_busy(table, memory.table_mask, child_key):
                end -= 1
                swap(memory, here, end)
                continue
        here += 1
        if techniques.repetition == "forbidden" and last_ply_with_key(memory, ply + 1, state_key(game, child)) >= 0:
            memory.loop = -1
            continue
        if techniques.beam and actions_tried >= memory.beam:
            memory.horizon += 1
            break
        if techniques.futility and actions_tried > 0 and depth <= FUTILITY_DEPTH:
            most = futile_score(game, child, depth, static, alpha, memory)
            if most <= alpha:
                memory.horizon += 1
                best = max(best, most)
                continue
        below = depth - 1
        if techniques.late_move_reductions:
            below -= reduction(game, child, depth, actions_tried)
        if techniques.countermoves or techniques.null_move:
            memory.path.action[ply + 1] = action
        solved_before = memory.horizon
        limit = alpha + 1 if techniques.null_window and actions_tried else beta
        if techniques.threads and shares:
            set_busy(table, memory.table_mask, child_key, True)
        while True:
            above = begin(techniques, memory, action, mover, below, alpha, limit)
            score = later(
                negamax(
                    game, techniques, child, mover, below, sooner(alpha), sooner(limit), ply + 1, memory, table, top
                )
            )
            finish(techniques, memory, above, score)
            if must_stop(memory):
                return 0
            if techniques.late_move_reductions and below < depth - 1 and score > alpha:
                below = depth - 1
            elif limit <= score < beta:
                limit = beta
            else:
                break
            memory.horizon = solved_before
        if techniques.threads and shares:
            set_busy(table, memory.table_mask, child_key, False)
        actions_tried += 1
        if score > best:
            best, best_number = score, number
            alpha = max(alpha, score)
            if score >= beta:
                if memory.horizon == solved_before:
                    memory.horizon = before
                learn(techniques, memory, mover, action, ply, depth)
                break
    if not actions_tried:
        if techniques.repetition != "forbidden" or top == base:
            if memory.why == 0:
                memory.why = NO_LEGAL_ACTION
            return 0
        best = memory.repetition_score  # every action repeats

    # 7. Anything beyond the horizon ends later, so it cannot beat a win within it.
    if best >= best_possible - horizon(techniques, depth) - forced_result_depth:
        memory.horizon = before
    bound = LOWER if best >= beta else EXACT if best > floor else UPPER
    solved = SOLVED if memory.horizon == before else 0
    age = memory.earlier_searches + memory.search
    if techniques.repetition == "draw" and memory.loop < ply:  # valid only on this path: keep only the action
        store(table, memory.table_mask, key, best_number, 0, age, UPPER, INFINITE)
        memory.loop = min(memory.loop, loop_before)
    else:
        store(table, memory.table_mask, key, best_number, depth, age, solved | bound, best)
        memory.loop = loop_before
        if techniques.symmetry and image_key != key:
            store(table, memory.table_mask, image_key, NO_ACTION, depth, age, solved | bound, best)
    record_reason(techniques, memory, CUT if best >= beta else ALL_SEARCHED)
    return sign * best


@kernel
def find_in_classes(game: Any, techniques: Any, state: Any, depth: int, ply: int, memory: Any) -> int:
    """What a table by class knows of a state on the path: HIT, MISS, UNSURE or BROKEN.

    In a game with a rule of repetition, keys leave out most of a count of plies that ends the game in a draw. So a win
    that is certain now may come too late for a later state with the same key: it is not stored, nor are values of the
    states before it. There are two exceptions. If the count has just restarted, it is as low as can be. If the state
    before is UNSURE, a win of this one cannot make that one a win, as the table would know one that is in time.
    """
    answer = MISS
    if depth >= memory.probe.least_depth:
        answer = probe_table(game, techniques, state, memory.probe)
    if answer == BROKEN:
        memory.why = BROKEN_TABLE
    if techniques.repetition != "":
        passing = answer == HIT and not memory.probe.always and not memory.probe.unsure[min(ply, PLIES) - 1]
        if passing and not is_fresh(game, state, memory.probe):
            memory.loop = -1
        memory.probe.unsure[min(ply, PLIES - 1)] = answer == UNSURE
    return answer


@kernel
def settles(word: int, score: int, depth: int, alpha: int, beta: int) -> bool:
    """Whether an entry of the table makes a search to `depth` with this window unnecessary."""
    if word & SOLVED == 0 and depth_of(word) < depth:
        return False
    bound = bound_of(word)
    return bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)


def horizon(techniques: Any, depth: int) -> int:
    """The number of plies within which a search to `depth` misses nothing."""
    return 1 if techniques.selective else depth
