"""A game in progress in an environment: its states, whose turn it is, and chance, which is drawn as it comes.

Start at `Play`.
"""

from typing import Any

import numpy as np

from outplay.env.action_numbers import ActionNumbers, Mask, action_numbers_of
from outplay.env.observation import Observation, Observer, observer_of
from outplay.rules.errors import IllegalAction, OutplayError, RulesError
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.repetition import History, defeat, final, playable
from outplay.session.load import load_game

LONGEST = 10_000
"""The most outcomes of chance in a row."""


def game_of(game: Game | str) -> Game:
    """The game, which may be given by its name. Raises `OutplayError` for anything else."""
    if isinstance(game, str):
        return load_game(game)
    if not isinstance(game, Game):
        raise OutplayError(
            f"{game!r:.60} is not a game: give one, such as ConnectFour(), or a name, such as 'connect-four'"
        )
    return game


class GameInProgress:
    """A game in progress.

    Attributes:
        game: the game.
        numbers: the numbers of its actions.
        observer: what makes observations.
        random: what decides for chance.
        states: the states so far; chance is not to move in the last one.
        actions: the actions between them, of players and of chance.
        utilities: what each player got, once the game is over; else None.
        mover: the player to move; -1 once the game is over.
        legal: the legal actions.

    >>> from outplay.games import TicTacToe
    >>> play = GameInProgress(TicTacToe())
    >>> play.start(np.random.default_rng(1))
    >>> play.step(4)
    >>> play.mover, play.mask().tolist()
    (1, [1, 1, 1, 1, 0, 1, 1, 1, 1])
    """

    random: np.random.Generator

    def __init__(self, game: Game) -> None:
        self.game = game
        self.numbers: ActionNumbers = action_numbers_of(game)
        self.observer: Observer = observer_of(game)
        self.states, self.actions = History([game.initial_state()]), list[Any]()
        self.utilities: tuple[float, ...] | None = None
        self.mover, self.legal = -1, list[Any]()

    def start(self, random: np.random.Generator) -> None:
        """Begin a new game, in which `random` decides for chance."""
        self.random, self.states, self.actions = random, History([self.game.initial_state()]), []
        self._go_on()

    @property
    def state(self) -> Any:
        """The present state."""
        return self.states[-1]

    @property
    def last(self) -> tuple[Any, Any] | None:
        """The state before, and the action that was played there."""
        return (self.states[-2], self.actions[-1]) if self.actions else None

    def observe(self, player: int) -> Observation:
        """What a player sees."""
        return self.observer.observe(self.state, player)

    def mask(self) -> Mask:
        """1 for the number of each legal action of the player to move."""
        return self.numbers.mask(self.legal)

    def step(self, number: int) -> None:
        """Play the legal action with this number. Raises `IllegalAction` if none has it."""
        try:
            action = self.numbers.action(self.legal, number)
        except (KeyError, TypeError, ValueError):
            raise IllegalAction(
                f"{number!r} is not the number of a legal action of {self.game!r} here; legal:"
                f" {self.numbers.numbers(self.legal)}"
            ) from None
        self.play(action)

    def play(self, action: Any) -> None:
        """Play a legal action."""
        self._append(action)
        self._go_on()

    def forfeit(self, player: int) -> None:
        """End the game, which `player` loses."""
        self._end(defeat(self.game, player))

    def _append(self, action: Any) -> None:
        self.states.append(self.game.result(self.state, action))
        self.actions.append(action)

    def _end(self, utilities: tuple[float, ...]) -> None:
        self.utilities, self.mover, self.legal = utilities, -1, []

    def _go_on(self) -> None:
        """Draw what chance decides, until the game is over or a player is to move."""
        for _ in range(LONGEST):
            utilities = final(self.game, self.states)
            if utilities is not None:
                self._end(utilities)
                return
            mover = int(self.game.to_move(self.state))
            if mover != CHANCE:
                self.utilities, self.mover, self.legal = None, mover, playable(self.game, self.states)
                return
            outcomes = list(legal_actions(self.game, self.state))
            odds = np.array([self.game.probability(self.state, outcome) for outcome in outcomes], float)
            self._append(outcomes[int(self.random.choice(len(outcomes), p=odds / odds.sum()))])
        raise RulesError(f"{self.game!r}: chance was to move {LONGEST} times in a row")
