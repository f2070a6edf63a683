"""Forward pruning (Shannon's type B): null move, ProbCut, futility pruning and late move reductions.

These techniques leave out actions that are probably no better. The decisions are made here; `negamax.py` does the
searches, and counts everything that is left out as beyond the horizon.

- Null move (Beal 1989; Donninger 1993): if even a pass is too good, the state is given up.
- ProbCut (Buro 1995): a search to less depth shows that a full search would probably cause a cutoff.
- Futility (Schaeffer 1986; Heinz 1998): near the end of the look-ahead, an action would have to gain too much.
- Late move reductions: actions that come late in the order are first searched to less depth.
"""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.engine.score import DISTANCES, decode, encode
from outplay.engine.trace_kernels import PASS

NULL_DEPTH, NULL_REDUCTION = 2, 2
"""The minimum depth for trying a pass, and the number of plies by which its depth is less than an action's."""
LATE_DEPTH, LATE_ACTIONS = 3, 3
"""The minimum depth for reductions, and the number of actions after which the depth is reduced by one ply; after three
times this number, it is reduced by two."""
FUTILITY_DEPTH = 2
"""The maximum depth at which an action that would have to gain more than the margin is left out."""
PROBCUT_DEPTH, PROBCUT_REDUCTION = 5, 4
"""The minimum depth for ProbCut, and the number of plies by which the depth of its search is less."""


@kernel
def after_pass(game: Any, state: Any, depth: int, static: int, beta: int, ply: int, memory: Any) -> Any:
    """The state after the null move if it is to be tried, else `state`."""
    may_pass = depth >= NULL_DEPTH and static >= beta and not game.needs_extension(state)
    passed = state
    if may_pass and memory.path.action[ply] != PASS:
        passed = game.null_move_state(state)
    return passed


@kernel
def probcut_bound(static: int, alpha: int, beta: int, memory: Any) -> int:
    """The lower end of the null window of ProbCut: above `beta` if the estimate reaches `beta`, else below `alpha`."""
    margin = decode(memory.margins[FUTILITY_DEPTH])
    if static >= beta:
        return encode(decode(beta) + margin) - 1
    return encode(decode(alpha) - margin)


@kernel
def futile_score(game: Any, child: Any, depth: int, static: int, alpha: int, memory: Any) -> int:
    """The assumed maximum of the score of the action to `child`; greater than `alpha` if it is not futile."""
    if abs(alpha) >= memory.best_possible - DISTANCES:
        return alpha + 1
    most = encode(decode(static) + decode(memory.margins[depth - 1]))
    if most <= alpha and (game.is_terminal(child) or not game.is_quiet(child) or game.needs_extension(child)):
        return alpha + 1
    return most


@kernel
def reduction(game: Any, child: Any, depth: int, actions_before: int) -> int:
    """The number of plies by which the first search of the action to `child` is reduced, after `actions_before`."""
    if actions_before < LATE_ACTIONS or depth < LATE_DEPTH or game.needs_extension(child):
        return 0
    return 1 + (actions_before >= 3 * LATE_ACTIONS)
