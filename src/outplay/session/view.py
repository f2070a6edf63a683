"""What a player may know when it is to move."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.repetition import playable


class Hidden(OutplayError):
    """A player of a game with hidden information has asked for the state."""


@dataclass(frozen=True)
class View:
    """What a player may know when it is to move.

    Attributes:
        game: the game.
        player: the number of the player to move.
        legal: the legal actions.
        states: all states so far, the last one the present; empty in a game with hidden information.
        actions: the actions between them.
        information: in such a game what the player knows, as `Game.information` says; else None.
        decoy: in such a game a random state that looks the same to the player, from which `sample` draws others. The
            true state is nowhere in a view.
    """

    game: Game
    player: int
    legal: tuple[int, ...]
    states: tuple[Any, ...] = ()
    actions: tuple[int, ...] = ()
    information: Any = None
    decoy: Any = field(default=None, repr=False, compare=False)

    @property
    def state(self) -> Any:
        """The present state. Raises `Hidden` in a game with hidden information."""
        if not self.states:
            raise Hidden(f"{self.game!r} has hidden information: use view.information, or view.sample(seed)")
        return self.states[-1]

    def sample(self, seed: int) -> Any:
        """A random state that looks the same to the player, as likely as if all had acted at random so far.

        The same seed gives the same state. Without hidden information it is the present state.

        >>> from outplay.games import KuhnPoker
        >>> game = KuhnPoker()
        >>> dealt = game.result(game.result(game.initial_state(), 1), 0)
        >>> view = view_of(game, [dealt], [], seed=3)
        >>> {game.card(view.sample(seed), 1) for seed in range(20)}  # what the other one may have
        {0, 2}
        """
        return self.state if self.states else _alike(self.game, self.decoy, seed)


def view_of(game: Game, states: Sequence[Any], actions: Sequence[int], seed: int = 0) -> View:
    """What the player to move may know, in a game of these states and actions so far; `seed` is for the decoy."""
    player, legal = int(game.to_move(states[-1])), tuple(playable(game, states))
    if not game.hidden_information:
        return View(game, player, legal, tuple(states), tuple(actions))
    decoy = _alike(game, states[-1], seed, states[:-1])
    return View(game, player, legal, (), (), game.information(states[-1], player), decoy)


def _alike(game: Game, state: Any, seed: int, previous_states: Sequence[Any] = ()) -> Any:
    """A random state that looks the same to the player to move."""
    from outplay.information_sets.determinize import determinizations  # noqa: PLC0415 - heavy

    return determinizations(game, state, 1, previous_states=previous_states, seed=seed)[0]
