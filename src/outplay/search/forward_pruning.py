"""What a search leaves out on a guess (Shannon's type B): the null move, ProbCut, futility, late move reductions.

The decisions stand here; `negamax.py` does the searches that they ask for, and counts what is left out as beyond the
horizon.

- Null move (Beal 1989; Donninger 1993): if even passing is too good, the state is given up.
- ProbCut (Buro 1995): a search of less depth shows that a full one would likely cut off.
- Futility (Schaeffer 1986; Heinz 1998): just before the cutoff, an action would have to gain too much.
- Late move reductions: actions that come late in the order are first searched less deeply.
"""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.engine.score import DISTANCES, decode, encode
from outplay.engine.trace_kernels import PASS

NULL_DEPTH, NULL_REDUCTION = 2, 2
"""A pass is tried from this depth on, and searched so much less deeply than an action."""
LATE_DEPTH, LATE_ACTIONS = 3, 3
"""From this depth on, actions after so many are searched a ply less deeply; those after three times as many, two."""
FUTILITY_DEPTH = 2
"""Up to this depth an action that would have to gain more than the margin is left out."""
PROBCUT_DEPTH, PROBCUT_REDUCTION = 5, 4
"""From this depth on a search so much less deep may show that a full one would cut off."""


@kernel
def after_pass(game: Any, state: Any, depth: int, static: int, beta: int, ply: int, memory: Any) -> Any:
    """The state after the null move where that is to be tried; else `state` itself."""
    may_pass = depth >= NULL_DEPTH and static >= beta and not game.needs_extension(state)
    passed = state
    if may_pass and memory.path.action[ply] != PASS:
        passed = game.null_move_state(state)
    return passed


@kernel
def probcut_bound(static: int, alpha: int, beta: int, memory: Any) -> int:
    """The lower end of the null window of ProbCut: above `beta` where the score likely is, else below `alpha`."""
    margin = decode(memory.margins[FUTILITY_DEPTH])
    if static >= beta:
        return encode(decode(beta) + margin) - 1
    return encode(decode(alpha) - margin)


@kernel
def futile_score(game: Any, child: Any, depth: int, static: int, alpha: int, memory: Any) -> int:
    """The most that a futile action to `child` is taken to be worth; more than `alpha` if it is not futile."""
    if abs(alpha) >= memory.best_possible - DISTANCES:
        return alpha + 1
    most = encode(decode(static) + decode(memory.margins[depth - 1]))
    if most <= alpha and (game.is_terminal(child) or not game.is_quiet(child) or game.needs_extension(child)):
        return alpha + 1
    return most


@kernel
def reduction(game: Any, child: Any, depth: int, tried: int) -> int:
    """How many plies less deeply the action to `child` is searched first, after `tried` others."""
    if tried < LATE_ACTIONS or depth < LATE_DEPTH or game.needs_extension(child):
        return 0
    return 1 + (tried >= 3 * LATE_ACTIONS)
