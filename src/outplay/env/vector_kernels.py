"""Many games, each a step further in one call: what `VectorGame` runs, compiled where the rules compile.

A game that is over begins again in the same step. The arrays of `Arrays` are written in place and nothing else is made.
Start at `step_games`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, pointers
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import random_below
from outplay.compile.state_cells import MAX_CELLS, save_state, saved_state
from outplay.montecarlo.playouts import random_outcome
from outplay.rules.game import CHANCE, defines, legal_actions
from outplay.rules.keys import state_key

PAST = 1001
"""The number of past states of a game whose keys are kept, as in `rules/repetition.py`, and the present one."""
RANDOM_SEAT, ALL_SEATS = -1, -2
"""Values of `Settings.seat`: drawn for each game; no other player, all seats are the agent's."""
GOES_ON, ENDS, IS_REPEATED = 0, 1, 2
"""Why a game is over."""
TRIES = 1000
"""After so many games without a turn of the agent, there is none."""
FINE, TOO_MANY_CELLS, UNKNOWN_ACTION, NO_TURN = 0, 1, 2, 3
"""What went wrong, in `Arrays.problem`."""


class Arrays(NamedTuple):
    """What games consist of, besides states.

    Attributes:
        rewards: float64 [games].
        gains: float64 [games × players]: what each player got if the game is over, else 0.
        terminations: uint8 [games].
        truncations: uint8 [games].
        finished: uint8 [games]: one of the two.
        players: int64 [games]: the player to move, whose action is next.
        seats: int64 [games]: the player that the agent is.
        plies: int64 [games]: how many actions, of chance too, have been played.
        keys: int64 [games × `PAST`] of past states, where repetition counts; else [1].
        settings: int64 [7]: see `Settings`.
        losses: float64 [3]: what a player gets who loses by the rules, each other player then, and each in a draw.
        random: of `new_random`.
        problem: int64 [2]: what went wrong, and a number that says more.
    """

    rewards: NDArray[np.float64]
    gains: NDArray[np.float64]
    terminations: NDArray[np.uint8]
    truncations: NDArray[np.uint8]
    finished: NDArray[np.uint8]
    players: NDArray[np.int64]
    seats: NDArray[np.int64]
    plies: NDArray[np.int64]
    keys: NDArray[np.int64]
    settings: NDArray[np.int64]
    losses: NDArray[np.float64]
    random: NDArray[np.int64]
    problem: NDArray[np.int64]


class Settings(NamedTuple):
    """The numbers of `Arrays.settings`, in this order.

    Attributes:
        inputs: how many numbers an observation has.
        actions: how many numbers of actions there are.
        by_place: whether a number is a place among the legal actions.
        most_plies: a game of so many plies is cut off.
        seat: the player that the agent is, or `RANDOM_SEAT`, or `ALL_SEATS`.
        repetitions: the occurrence of a state that counts as a repetition; 0: none does.
        repeating_loses: whether who repeats a state loses.
    """

    inputs: int
    actions: int
    by_place: int
    most_plies: int
    seat: int
    repetitions: int
    repeating_loses: int


INPUTS, ACTIONS, BY_PLACE, MOST_PLIES, SEAT, REPETITIONS, REPEATING_LOSES = range(7)


@kernel
def begin_games(game: Any, space: Any, observations: Any, masks: Any, arrays_: Any) -> None:
    """Begin all games."""
    arrays = pointers(arrays_)
    for index in range(len(observations)):
        begin(game, space, index, observations, masks, arrays)


@kernel
def step_games(game: Any, space: Any, actions: Any, observations: Any, finals: Any, masks: Any, arrays_: Any) -> None:
    """Play an action in each game.

    Args:
        game: the game, with a rule `observe`.
        space: of `space_for_states`.
        actions: int64 [games].
        observations: float32 [games, inputs]: what the player to move sees.
        finals: float32 [games, inputs]: where a game has just finished, what the player who has acted saw at its end.
        masks: int8 [games, actions]: 1 for each legal action.
        arrays_: see `Arrays`.
    """
    arrays = pointers(arrays_)
    settings, players = arrays.settings, game.players
    for index in range(len(observations)):
        player, number, first = arrays.players[index], actions[index], index * players
        state, why, loser = saved_state(game, space, index), GOES_ON, -1
        if number < 0 or number >= settings[ACTIONS] or masks[index, number] == 0:
            why, loser = IS_REPEATED, player
        else:
            state = game.result(state, nth_action(game, state, number) if settings[BY_PLACE] == 1 else number)
            state, why, loser = after_others(game, state, player, index, arrays)
        is_cut_off = why == GOES_ON and arrays.plies[index] >= settings[MOST_PLIES]
        arrays.terminations[index] = 1 if why != GOES_ON else 0
        arrays.truncations[index] = 1 if is_cut_off else 0
        arrays.finished[index] = 1 if why != GOES_ON or is_cut_off else 0
        for other in range(players):
            gain = 0.0
            if why == ENDS:
                gain = float(game.utility(state, other))
            elif why == IS_REPEATED:
                gain = arrays.losses[2] if loser < 0 else arrays.losses[0 if other == loser else 1]
            arrays.gains[first + other] = gain
        arrays.rewards[index] = arrays.gains[first + player]
        if why != GOES_ON or is_cut_off:
            observe(game, state, player, finals, index, arrays)
            begin(game, space, index, observations, masks, arrays)
        else:
            show(game, state, space, index, observations, masks, arrays)


@kernel
def after_others(game: Any, state: Any, actor: int, index: int, arrays: Any) -> tuple[Any, int, int]:
    """Let the others play until the agent is to move or the game is over: the state, why, and who has lost by repeating
    a state, or -1. `actor` has just acted.
    """
    why = count_ply(game, state, index, arrays)
    while why == GOES_ON:
        mover = game.to_move(state)
        if not is_others(mover, index, arrays):
            break
        actor, state = mover, game.result(state, others_action(game, state, mover, arrays))
        why = count_ply(game, state, index, arrays)
    return state, why, actor if why == IS_REPEATED and arrays.settings[REPEATING_LOSES] == 1 else -1


@kernel
def begin(game: Any, space: Any, index: int, observations: Any, masks: Any, arrays: Any) -> None:
    """Begin a game, and let the others play until the agent is to move."""
    for _ in range(TRIES):
        state, seat = game.initial_state(), arrays.settings[SEAT]
        arrays.seats[index] = random_below(arrays.random, game.players) if seat == RANDOM_SEAT else seat
        arrays.plies[index] = -1
        state, why, _ = after_others(game, state, -1, index, arrays)
        if why == GOES_ON:
            show(game, state, space, index, observations, masks, arrays)
            return
    arrays.problem[0] = NO_TURN


@kernel
def is_others(mover: int, index: int, arrays: Any) -> bool:
    """Whether chance or an opponent is to move, not the agent."""
    seat = arrays.seats[index]
    return bool(mover == CHANCE or (seat >= 0 and mover != seat))


@kernel
def others_action(game: Any, state: Any, mover: int, arrays: Any) -> int:
    """What chance or an opponent, who plays at random, does."""
    if defines(game, "probability"):  # noqa: SIM102 - the compiler decides this, and then sees no inside
        if mover == CHANCE:
            return random_outcome(game, state, arrays.random)
    return random_action(game, state, arrays.random)


@kernel
def count_ply(game: Any, state: Any, index: int, arrays: Any) -> int:
    """Count a ply; whether the game is over in the state that it has reached, and why."""
    ply = arrays.plies[index] + 1
    arrays.plies[index] = ply
    if game.is_terminal(state):
        return ENDS
    repetitions = arrays.settings[REPETITIONS]
    if repetitions > 0:
        key, first, times = state_key(game, state), index * PAST, 0
        for past in range(min(ply, PAST - 1)):
            if arrays.keys[first + (ply - 1 - past) % PAST] == key:
                times += 1
        arrays.keys[first + ply % PAST] = key
        if times >= repetitions - 1:
            return IS_REPEATED
    return GOES_ON


@kernel
def show(game: Any, state: Any, space: Any, index: int, observations: Any, masks: Any, arrays: Any) -> None:
    """Keep a state, and write what the player to move sees and may do."""
    settings, player = arrays.settings, game.to_move(state)
    if save_state(game, state, space, index) > MAX_CELLS:
        arrays.problem[0] = TOO_MANY_CELLS
    arrays.players[index] = player
    observe(game, state, player, observations, index, arrays)
    mask = pointer(masks[index])
    for place in range(settings[ACTIONS]):
        mask[place] = 0
    count = 0
    for action in legal_actions(game, state):
        place = count if settings[BY_PLACE] == 1 else action
        if place < settings[ACTIONS]:
            mask[place] = 1
        elif settings[BY_PLACE] == 0:
            arrays.problem[0], arrays.problem[1] = UNKNOWN_ACTION, action
        count += 1  # noqa: SIM113 - enumerate() of the actions does not compile


@kernel
def observe(game: Any, state: Any, player: int, observations: Any, index: int, arrays: Any) -> None:
    """Write what a player sees."""
    out = pointer(observations[index])
    for place in range(arrays.settings[INPUTS]):
        out[place] = 0.0
    game.observe(state, player, out)


@kernel
def nth_action(game: Any, state: Any, number: int) -> int:
    """The legal action at a place among those of a state."""
    count = 0
    for action in legal_actions(game, state):
        if count == number:
            return action
        count += 1  # noqa: SIM113 - enumerate() of the actions does not compile
    return -1  # unreachable: the mask has told that there is one
