"""Determinizations: random states that look the same to a player as the present one.

They are drawn as if all players had acted at random so far. If the game defines `determinize`, that method draws them.
Otherwise the game is replayed at random until the player knows the same (rejection sampling). With perfect recall, the
player has reached every state that looks the same by the same own actions, at decisions that looked the same; these are
the player's *trail*. Once the trail is known, a replay takes the player's own actions from it and is given up at the
first own decision that looks different. The trail is known from the earlier states of the game, or after the first
replay that succeeds. Own actions are then no longer drawn, but the distribution stays the same: they contribute the
same factor to the probability of every such state.

`open_game` is the other half of searching a determinization: the same game with nothing hidden.
"""

import copy
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import cast_state, kernel, pointer, prepare_packed, unpack
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import NONE, new_random
from outplay.compile.records import layout, new_record
from outplay.compile.rejection_sampling import warn_without_source
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_REPLAY, UNLIKE
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.montecarlo.playouts import random_outcome
from outplay.rules.arguments import check_is_game
from outplay.rules.errors import RulesError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import SEED, mix, state_key
from outplay.rules.user_code import line_of

REPLAYS = 1_000_000
"""The maximum number of replays in a row that may fail."""

# -- cells of a trail -------------------------------------------------------------------------------------------------

KNOWN, REPLAY_LIMIT = 0, 1
"""The number of own decisions before the present one, -1 if unknown; and the maximum number of replays."""
FIRST_STEP = 2
"""From here on, two cells per own decision: the key of what was known, and the action."""
MAX_STEPS = 2048
"""The maximum number of own decisions."""


@kernel
def view_key(game: Any, state: Any, viewer: int, mover: int) -> int:
    """The key of what `viewer` knows in `state`, where `mover` is to move."""
    return mix(mix(mix(SEED, game.information(state, viewer)), viewer), mover)


@kernel
def look_alike(game: Any, state: Any, player: int, key: int, trail: Any, memory: Any, random: Any) -> Any:
    """A random state that looks the same as `state` to `player`, who is to move; `key` is the key of what they know."""
    if not game.hidden_information:
        return state
    if defines(game, "determinize"):
        other = game.determinize(state, player, random)
        if game.is_terminal(other) or view_key(game, other, player, game.to_move(other)) != key:
            memory.why = UNLIKE
        return other
    return replayed(game, state, player, key, trail, memory, random)


@kernel
def replayed(game: Any, state: Any, player: int, key: int, trail: Any, memory: Any, random: Any) -> Any:
    """A state, reached by random play, in which what `player` knows has this `key`; `state` if none is found."""
    for _ in range(trail[REPLAY_LIMIT]):
        if must_stop(memory):
            return state
        other, step, is_like = game.initial_state(), 0, True
        while is_like and not game.is_terminal(other):
            mover = game.to_move(other)
            if defines(game, "probability") and mover == CHANCE:
                action = random_outcome(game, other, random)
            elif mover != player:
                action = random_action(game, other, random)
            else:
                view, place = view_key(game, other, player, mover), FIRST_STEP + 2 * step
                if view == key:
                    trail[KNOWN] = step
                    return other
                if trail[KNOWN] < 0:
                    action = random_action(game, other, random)
                    trail[place], trail[place + 1] = view, action
                else:
                    is_like = step < trail[KNOWN] and trail[place] == view
                    action = trail[place + 1]
                step += 1
                if step == MAX_STEPS:
                    is_like = False
            if is_like:
                if action == NONE:
                    memory.why = NO_LEGAL_ACTION
                    return state
                other = game.result(other, action)
    memory.why = NO_REPLAY
    return state


@kernel
def look_alike_once(game: Any, packed: Any, index: int, trail: Any, memory: Any, random: Any) -> Any:
    """`look_alike` for the player to move in packed state `index`."""
    state = unpack(game, packed, index)
    player = game.to_move(state)
    key = view_key(game, state, player, player)
    return look_alike(game, state, player, key, pointer(trail), pointer(memory), pointer(random))


def new_trail(game: Game, state: Any, previous_states: Sequence[Any] = (), replays: int = REPLAYS) -> NDArray[np.int64]:
    """The trail of the player to move in `state`, int64 [FIRST_STEP + 2 * MAX_STEPS].

    `previous_states` are all earlier states of the game, the oldest first; only what the player knows is taken from
    them. Without them the trail is unknown at first.
    """
    trail = np.zeros(FIRST_STEP + 2 * MAX_STEPS, np.int64)
    trail[KNOWN], trail[REPLAY_LIMIT] = -1, replays
    if not previous_states or state_key(game, previous_states[0]) != state_key(game, game.initial_state()):
        return trail
    player, steps = game.to_move(state), []
    for before, after in zip(previous_states, [*previous_states[1:], state], strict=True):
        if game.to_move(before) == player:
            key_after = state_key(game, after)
            matching = (a for a in legal_actions(game, before) if state_key(game, game.result(before, a)) == key_after)
            steps += [view_key.interpreted(game, before, player, player), next(matching, NONE)]
    if len(steps) <= 2 * MAX_STEPS and NONE not in steps:
        trail[FIRST_STEP : FIRST_STEP + len(steps)] = steps
        trail[KNOWN] = len(steps) // 2
    return trail


def check_drawn(game: Game, reason: int) -> None:
    """Raise `RulesError` if `reason` says that no determinization could be drawn."""
    name = type(game).__name__
    if reason == NO_REPLAY:
        raise RulesError(
            f"no random play of {name} reached a state that looks like this one to the player to move, within the"
            f" allowed number of replays: define determinize(state, player, random) on {name}, which draws such a state"
        )
    if reason == UNLIKE:
        raise RulesError(
            f"{name}.{line_of(game, 'determinize')} returned a state that looks different to the player to move: its"
            " information() differs from that of the given state"
        )


class Determinizer:
    """Draws determinizations of `state` for the player to move, one by one."""

    def __init__(
        self, game: Game, state: Any, *, previous_states: Sequence[Any] = (), replays: int = REPLAYS, seed: int = 0
    ) -> None:
        self.game = game
        if game.hidden_information and not defines(game, "determinize"):  # then it replays
            warn_without_source(game)
        self.trail, self.random = new_trail(game, state, previous_states, replays), new_random(seed)
        self.memory = new_record(layout(*COUNTERS))
        self.state = cast_state(game, state)
        self._draw, self._packed = prepare_packed(
            game, [self.state], lambda packed: (look_alike_once.prepare(*self._arguments(packed)), packed)
        )

    def _arguments(self, packed: Any) -> tuple[Any, ...]:
        return self.game, packed, 0, self.trail, self.memory, self.random

    def draw(self) -> Any:
        """The next determinization. Raises `RulesError` if none can be drawn."""
        world = self._draw(*self._arguments(self._packed))
        check_drawn(self.game, int(self.memory.why))
        return world

    def stop(self) -> None:
        """Stop `draw` in another thread."""
        self.memory.stop = -1


def determinizations(
    game: Game, state: Any, number: int, *, previous_states: Sequence[Any] = (), seed: int = 0
) -> list[Any]:
    """Draw `number` random states that look the same as `state` to the player to move.

    Each is drawn with the probability with which random play reaches it. `previous_states` are all earlier states,
    the oldest first; they save work if the game does not define `determinize`. Raises `RulesError` if no state can be
    drawn, `UnsuitableGame` if no player is to move.

    >>> from outplay.games import KuhnPoker
    >>> game = KuhnPoker()
    >>> deal = game.result(game.result(game.initial_state(), 1), 0)  # player 0 has the middle card of three
    >>> {game.card(other, 1) for other in determinizations(game, deal, 20)}
    {0, 2}
    """
    check_is_game(game, "determinizations")
    check_to_move(game, state)
    source = Determinizer(game, state, previous_states=previous_states, seed=seed)
    return [source.draw() for _ in range(number)]


def check_to_move(game: Game, state: Any) -> None:
    """Raise `UnsuitableGame` if no player is to move in `state`."""
    if game.is_terminal(state) or game.to_move(state) == CHANCE:
        raise UnsuitableGame(f"no player is to move in {state!r}, so there is no information set")


def open_game(game: Game) -> Game:
    """A copy of `game` in which nothing is hidden, for searchers of perfect information; it compiles as `game` does."""
    if not game.hidden_information:
        return game
    other = copy.copy(game)
    other.__class__ = _open(type(game))
    return other


@functools.lru_cache(maxsize=64)
def _open(game_class: type[Game]) -> Any:
    return type(game_class.__name__, (game_class,), {"hidden_information": False, "__module__": game_class.__module__})
