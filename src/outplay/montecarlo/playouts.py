"""Playouts: play a game from a leaf of the tree to its end, or until it is cut off and evaluated.

random   every legal action is equally likely
own      the game's `playout_action`
greedy   the action with the greatest `order`; with probability ε, any action (ε-greedy)
mast     the action with the best mean over all simulations so far; with probability ε, any action: the move-average
         sampling technique (Finnsson & Björnsson 2008)
replies  the reply to the last action in the last simulation that was won, if it is legal, else as `own` or `random`:
         the last-good-reply policy with forgetting (Drake 2009; Baier & Drake 2010)
"""

from typing import Any

from outplay.compile.kernels import inlined, kernel
from outplay.compile.playout import gathered_candidates, random_action, random_candidate
from outplay.compile.random_numbers import LISTED, NONE, random_below
from outplay.engine.stopping import NO_LEGAL_ACTION
from outplay.engine.workspace import ACTIONS, PLIES
from outplay.montecarlo.expansion import has_forced_result, reward_with_utilities
from outplay.montecarlo.selection import SCALE, reward
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, defines, gathered_actions, legal_actions


@kernel
def play_out(game: Any, techniques: Any, state: Any, last: int, memory: Any, numbers: Any, random: Any) -> None:
    """Play on from `state`, reached by action `last`. The result is left in `numbers.rewards`."""
    plies = 0
    while not game.is_terminal(state):
        if plies >= memory.max_plies:
            memory.nodes += plies
            for share in range(techniques.shares):
                numbers.rewards[share] = game.evaluate(state, share) - draw_utility(game) if techniques.cutoff else 0.0
            return
        if techniques.hints and has_forced_result(game, state, numbers):
            memory.nodes += plies
            memory.leaves += 1
            return
        mover = 0
        if techniques.chance or techniques.remembers:
            mover = game.to_move(state)
        if techniques.chance and mover == CHANCE:
            last = random_outcome(game, state, random)
        else:
            last = playout_action(game, techniques, state, mover, last, memory, numbers, random)
        if last == NONE:
            memory.why = NO_LEGAL_ACTION
            return
        if techniques.remembers:
            write_down(memory, last, mover)
        state = game.result(state, last)
        plies += 1
    memory.nodes += plies
    memory.leaves += 1
    if memory.why != NO_LEGAL_ACTION:
        reward_with_utilities(game, techniques, state, numbers)


@kernel
def random_outcome(game: Any, state: Any, random: Any) -> int:
    """A random outcome of a chance node."""
    point, outcome = random_below(random, SCALE) / SCALE, NONE
    for action in legal_actions(game, state):
        outcome = action
        point -= game.probability(state, action)
        if point < 0:
            break
    return outcome


@kernel
@inlined
def playout_action(
    game: Any, techniques: Any, state: Any, mover: int, last: int, memory: Any, numbers: Any, random: Any
) -> int:
    """The action that `mover` takes by the playout policy."""
    if techniques.playout == "own":
        return game.playout_action(state, last, random)  # type: ignore[no-any-return]
    if techniques.playout == "random":
        return any_action(game, techniques, state, random)
    if techniques.playout == "replies":
        return reply(game, techniques, state, mover, last, memory, numbers, random)
    if random_below(random, SCALE) < numbers.epsilon * SCALE:
        return any_action(game, techniques, state, random)
    if techniques.hints and defines(game, "candidates"):
        number = gathered_candidates(game, state, random)
        return best_action(game, techniques, state, mover, random, number, numbers, random)
    actions, number = gathered_actions(game, state, random, LISTED)
    return best_action(game, techniques, state, mover, actions, min(number, LISTED), numbers, random)


@kernel
@inlined
def any_action(game: Any, techniques: Any, state: Any, random: Any) -> int:
    """A random action, all equally likely; with hints, a random candidate."""
    if techniques.hints and defines(game, "candidates"):
        return random_candidate(game, state, random)
    return random_action(game, state, random)


@kernel
def best_action(
    game: Any, techniques: Any, state: Any, mover: int, actions: Any, number: int, numbers: Any, random: Any
) -> int:
    """The action with the greatest `order` or MAST average; ties are broken at random."""
    best, greatest, equal = NONE, 0.0, 0
    for index in range(number):
        action = int(actions[index])
        value = game.order(state, action) if techniques.playout == "greedy" else average(numbers, mover, action)
        if equal == 0 or value > greatest:
            best, greatest, equal = action, value, 1
        elif value == greatest:
            equal += 1
            if random_below(random, equal) == 0:
                best = action
    return best


@kernel
def write_down(memory: Any, action: int, player: int) -> None:
    """Record an action of the present simulation."""
    length = memory.length
    if length < PLIES:
        memory.played[length] = action
        memory.played_by[length] = player
        memory.length = length + 1


@kernel
def average(numbers: Any, player: int, action: int) -> float:
    """The mean reward of `player` over the simulations with this action; 1e300 if there are none."""
    number, place = numbers.sums, action & (ACTIONS - 1)
    return number[player, place, 0] / number[player, place, 1] if number[player, place, 1] > 0 else 1e300


@kernel
def learn_averages(techniques: Any, memory: Any, numbers: Any) -> None:
    """Add the present simulation to the averages."""
    for ply in range(memory.length):
        player = memory.played_by[ply]
        if player >= 0:
            place = memory.played[ply] & (ACTIONS - 1)
            numbers.sums[player, place, 0] += reward(techniques, numbers, player)
            numbers.sums[player, place, 1] += 1


# -- last good replies ------------------------------------------------------------------------------------------------


@kernel
def reply(
    game: Any, techniques: Any, state: Any, player: int, last: int, memory: Any, numbers: Any, random: Any
) -> int:
    """The last good reply to `last`, if there is one and it is legal."""
    if last >= 0:
        answer = int(numbers.sums[player, last & (ACTIONS - 1), 0]) - 1
        if answer >= 0:
            actions, number = gathered_actions(game, state, random, LISTED)
            for index in range(min(number, LISTED)):
                if actions[index] == answer:
                    return answer
    if defines(game, "playout_action"):
        return game.playout_action(state, last, random)  # type: ignore[no-any-return]
    return random_action(game, state, random)


@kernel
def learn_replies(techniques: Any, memory: Any, numbers: Any, middle: float) -> None:
    """Keep the replies of players whose reward is above the middle; forget the other players' replies.

    `middle` is that of player 0, or of all players; for an opposed player it has the opposite sign.
    """
    for ply in range(1, memory.length):
        player = memory.played_by[ply]
        if player >= 0:
            place = memory.played[ply - 1] & (ACTIONS - 1)
            opposed = techniques.shares == 1 and player == 1
            if reward(techniques, numbers, player) > (-middle if opposed else middle):
                numbers.sums[player, place, 0] = memory.played[ply] + 1
            elif numbers.sums[player, place, 0] == memory.played[ply] + 1:
                numbers.sums[player, place, 0] = 0.0
