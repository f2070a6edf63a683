"""What happens when a state is repeated, given the states of a game so far.

`Game.repetition` says what happens, and `Game.repetitions` which occurrence of a state counts: the second or, as in
chess, the third. Within a search the second always counts, since what could be done once can be done again.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from outplay.rules.actions import plain_action
from outplay.rules.constant_sum import draw_utility, total
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import state_key

MAX_PAST_STATES = 1000
"""The maximum number of past states that are considered; older ones are ignored."""


class History(list[Any]):
    """A list of the states of a game so far, to which states may only be appended; it computes the key of each once.

    The functions below take any sequence of states.
    """

    def __init__(self, states: Iterable[Any]) -> None:
        super().__init__(states)
        self._keys: list[int] = []

    def keys(self, game: Game) -> list[int]:
        """The key of each state."""
        self._keys += [state_key(game, state) for state in self[len(self._keys) :]]
        return self._keys

    @classmethod
    def of(cls, states: Sequence[Any]) -> "History":
        """A new list of these states, with the keys that they have if they are a `History`."""
        return states.first(len(states)) if isinstance(states, History) else cls(states)

    def first(self, count: int) -> "History":
        """The first `count` states; with a negative one, all but so many."""
        part = History(self[:count])
        part._keys = self._keys[:count]
        return part


def used_up(game: Game, past: Sequence[Any]) -> list[int]:
    """The keys of the states in `past` whose next occurrence would count as a repetition, in order of appearance."""
    if not game.repetition:
        return []
    times = Counter(_last_keys(game, past, MAX_PAST_STATES))
    return [key for key, count in times.items() if count >= game.repetitions - 1]


def _last_keys(game: Game, states: Sequence[Any], most: int) -> list[int]:
    if isinstance(states, History):
        return states.keys(game)[-most:]
    return [state_key(game, state) for state in states[-most:]]


def playable(game: Game, states: Sequence[Any]) -> list[int]:
    """The legal actions in the last of `states`, without those that the rule of repetition forbids."""
    actions = [plain_action(action) for action in legal_actions(game, states[-1])]
    if game.repetition != "forbidden":
        return actions
    keys = set(used_up(game, states))
    return [action for action in actions if state_key(game, game.result(states[-1], action)) not in keys]


def final(game: Game, states: Sequence[Any]) -> tuple[float, ...] | None:
    """The utility of each player if the game is over in the last of `states`, by repetition or otherwise; else None.

    >>> from outplay.games import Nim
    >>> class Endless(Nim):
    ...     repetition = "draw"
    >>> game = Endless()
    >>> start = game.initial_state()
    >>> final(game, [start]), final(game, [start, start])
    (None, (0.0, 0.0))
    """
    state = states[-1]
    if game.is_terminal(state):
        return tuple(float(game.utility(state, player)) for player in range(game.players))
    if game.repetition == "forbidden":
        return None if playable(game, states) else defeat(game, game.to_move(state))
    if not game.repetition:
        return None
    *past, key = _last_keys(game, states, MAX_PAST_STATES + 1)
    if past.count(key) < game.repetitions - 1:
        return None
    return defeat(game, game.to_move(states[-2])) if game.repetition == "loss" else (draw_utility(game),) * game.players


def worst(game: Game) -> float:
    """The utility of a player who loses by repetition."""
    return float(game.utilities[0]) if game.utilities else draw_utility(game) - 1.0


def defeat(game: Game, loser: int) -> tuple[float, ...]:
    """The utility of each player if `loser` loses by repetition."""
    share = ((total(game) or 0.0) - worst(game)) / max(1, game.players - 1)
    return tuple(worst(game) if player == loser else share for player in range(game.players))
