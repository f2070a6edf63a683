"""Games of aima-python: an object with `actions`, `result`, `utility`, `terminal_test` and `initial`."""

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import islice
from typing import Any, NamedTuple

from outplay.adapters.base import Adapter, moves_of, object_text, printed, require
from outplay.rules.errors import RulesError, WrongType
from outplay.rules.game import CHANCE

__all__ = ["Adapted"]

METHODS = ("actions", "result", "utility", "terminal_test|is_terminal")
BY_CHANCE = ("chances", "outcome", "probability")
LOOKED = 1000
"""The number of states among which the second player is looked for."""


class Turn(NamedTuple):
    """A state of a game with chance, which decides something before each move."""

    state: Any
    rolled: bool


class Adapted(Adapter):
    """A game of aima-python. States and actions are those of the object.

    In a `StochasticGame`, chance decides before each move, as in its `play_game`.

    Args:
        game: a `Game`, such as `TicTacToe()`, or a `StochasticGame`.
        players: what `to_move` calls the players, the first one first. By default the first two that are to move.
        utilities: the lowest and the highest utility, if known: a search then stops at a certain win.
        constant_sum: what the utilities of two players always sum to, if not 0: 1 if they are 1, 1/2 and 0.
    """

    has_chance = False  # some games have

    def __init__(
        self,
        game: Any,
        players: Sequence[Any] | None = None,
        utilities: tuple[float, float] | None = None,
        constant_sum: float | None = None,
    ) -> None:
        require(game, "aima", "aima-python", METHODS)
        if not hasattr(game, "initial"):
            raise WrongType(f"aima.Adapted({object_text(game)}): the game has no initial, its first state")
        self.source = game
        self.has_chance = all(hasattr(game, name) for name in BY_CHANCE)
        self.utilities = utilities
        self.names = tuple(self._movers() if players is None else players)
        self.players = len(self.names)
        self.constant_sum = constant_sum
        self.zero_sum = self.players == 2 and not constant_sum

    def _movers(self) -> list[Any]:
        """The first two players who are to move, in states nearest to the first."""
        movers: list[Any] = []
        for state in islice(self._nearest(), LOOKED):
            name = self._mover(state)
            movers += [name] if name not in movers else []
            if len(movers) == 2:
                return movers
        call = f"aima.Adapted({object_text(self.source)})"
        raise RulesError(f"{call}: give players=…; only {movers} is to move near the start")

    def _nearest(self) -> Iterator[Any]:
        """States where a player is to move, those nearest to the start first."""
        waiting: list[Any] = [deepcopy(self.initial_state())]  # a wrong game may change it
        for state in waiting:  # which grows
            if not self.is_terminal(state):
                if not self.has_chance:
                    yield state
                elif state.rolled:
                    yield state.state
                if len(waiting) < LOOKED:
                    waiting += [self.result(state, action) for action in self.actions(state)]

    def _mover(self, state: Any) -> Any:
        """What the library calls the player to move in one of its states."""
        return self.source.to_move(state) if hasattr(self.source, "to_move") else state.to_move

    def initial_state(self) -> Any:
        """`initial`."""
        return Turn(self.source.initial, False) if self.has_chance else self.source.initial

    def to_move(self, state: Any) -> int:
        """The number of the player whom `to_move` names."""
        if self.has_chance:
            if not state.rolled:
                return CHANCE
            state = state.state
        name = self._mover(state)
        if name not in self.names:
            raise RulesError(f"{name!r} is to move, but the players are {self.names}: aima.Adapted(…, players=…)")
        return self.names.index(name)

    def actions(self, state: Any) -> list[Any]:
        """`actions`, or `chances` where chance is to move."""
        if not self.has_chance:
            return moves_of(self.source.actions(state))
        moves: Iterable[Any] = (self.source.actions if state.rolled else self.source.chances)(state.state)
        return moves_of(moves)

    def result(self, state: Any, action: Any) -> Any:
        """`result`, or `outcome` where chance is to move."""
        if not self.has_chance:
            return self.source.result(state, action)
        follow = self.source.result if state.rolled else self.source.outcome
        return Turn(follow(state.state, action), not state.rolled)

    def probability(self, state: Any, action: Any) -> float:
        """`probability`."""
        return float(self.source.probability(action))

    def is_terminal(self, state: Any) -> bool:
        """`terminal_test`; after chance has decided, the game goes on."""
        if self.has_chance:
            if state.rolled:
                return False
            state = state.state
        test = self.source.terminal_test if hasattr(self.source, "terminal_test") else self.source.is_terminal
        return bool(test(state))

    def utility(self, state: Any, player: int) -> float:
        """`utility`."""
        return float(self.source.utility(state.state if self.has_chance else state, self.names[player]))

    def render(self, state: Any) -> str:
        """What `display` prints."""
        plain = state.state if self.has_chance else state
        return printed(getattr(self.source, "display", None), plain, state=plain)
