"""Quiescence search: at the end of the look-ahead, searches on until the state is quiet, then uses the estimate.

In a state that is not quiet, the player to move may accept the estimate ("stand pat") or try a `noisy` action, such as
a capture (Turing 1953; Shannon 1950). In an urgent state, such as a check, the player cannot stand pat, and every
action is tried.
"""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.engine.ordering import bring_first, in_order
from outplay.engine.score import DISTANCES, INFINITE, encode, later, sooner
from outplay.engine.stopping import STACK_FULL
from outplay.engine.trace_kernels import END, EVALUATED, QUIET, begin, finish, record_reason
from outplay.engine.workspace import MAX_LISTED, must_stop
from outplay.rules.constant_sum import draw_utility, range_of
from outplay.rules.game import Game, defines, legal_actions, noisy_actions


def limit_estimates(memory: Any, game: Game) -> None:
    """Set the scores that estimates stay between, from the utilities of the game."""
    least, greatest = range_of(game) or (0, 0)  # no bounds: 0 has no distance, so it is not used as one
    memory.best_possible = encode(greatest) if greatest > 0 else INFINITE
    memory.worst_possible = encode(least) if least < 0 else -INFINITE


@kernel
def estimate(game: Any, state: Any, mover: int, memory: Any) -> int:
    """The score of the game's `evaluate` for `mover`: always less than a win and greater than a loss."""
    memory.horizon += 1
    most, least = max(0, memory.best_possible - DISTANCES), min(0, memory.worst_possible + DISTANCES)
    return min(max(encode(float(game.evaluate(state, mover)) - draw_utility(game)), least), most)  # type: ignore[no-any-return]


@kernel
def quiesce(
    game: Any, techniques: Any, state: Any, player: int, alpha: int, beta: int, ply: int, memory: Any, base: int
) -> int:
    """The score of `state` for `player`, who need not be to move; alpha and beta as in `negamax`."""
    mover = game.to_move(state)
    sign = 1 if mover == player else -1
    if sign < 0:
        alpha, beta = -beta, -alpha
    record_reason(techniques, memory, EVALUATED)
    best = estimate(game, state, mover, memory)
    quiet = defines(game, "is_quiet") and game.is_quiet(state)
    if quiet or ply >= memory.quiet_ply or must_be_quiet(memory):
        return sign * best
    record_reason(techniques, memory, QUIET)
    urgent = game.needs_extension(state)
    if urgent:
        best = -INFINITE
    elif best >= beta:
        return sign * best
    alpha = max(alpha, best)
    end = list_noisy(game, techniques, state, urgent, memory, base)
    for here in range(base, end):
        bring_first(memory, here, end)
        child = game.result(state, memory.listed.action[here])
        above = begin(techniques, memory, memory.listed.action[here], mover, 0, alpha, beta)
        memory.nodes += 1
        if game.is_terminal(child):
            memory.leaves += 1
            record_reason(techniques, memory, END)
            score = later(encode(float(game.utility(child, mover)) - draw_utility(game)))
        else:
            score = later(quiesce(game, techniques, child, mover, sooner(alpha), sooner(beta), ply + 1, memory, end))
        finish(techniques, memory, above, score)
        best = max(best, score)
        alpha = max(alpha, best)
        if best >= beta:
            break
        if must_be_quiet(memory):
            break
    record_reason(techniques, memory, QUIET)
    return sign * best


@kernel
def must_be_quiet(memory: Any) -> bool:
    """Whether the search must end now, or this quiescence search has used up its share of the nodes."""
    return must_stop(memory) or 0 < memory.quiet_nodes <= memory.nodes


@kernel
def list_noisy(game: Any, techniques: Any, state: Any, every: bool, memory: Any, base: int) -> int:
    """List the `noisy` actions, or every action, in `memory.listed` from `base` on. Returns the end of the list."""
    end = base
    if defines(game, "noisy") and not every:
        for number, action in enumerate(noisy_actions(game, state)):
            end = list_one(game, techniques, state, number, action, memory, end)
    else:
        for number, action in enumerate(legal_actions(game, state)):
            end = list_one(game, techniques, state, number, action, memory, end)
    return end


@kernel
def list_one(game: Any, techniques: Any, state: Any, number: int, action: int, memory: Any, end: int) -> int:
    """Store one action and its order at index `end` of `memory.listed`. Returns the index of the next action."""
    if end == MAX_LISTED:
        memory.why = STACK_FULL
        return end
    order = 0
    if techniques.order and defines(game, "order"):
        order = in_order(game.order(state, action))
    memory.listed.action[end] = action
    memory.listed.order[end] = order << 10 | 1023 - min(number, 1023)
    return end + 1
