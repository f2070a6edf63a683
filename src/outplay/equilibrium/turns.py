"""A matrix game as a `Game`: the players choose in turn without seeing the choices before theirs.

This is the same game, since only what a player knows matters, not when the choice is made. Thus every tool for games
with hidden information accepts matrix games. A state holds the actions chosen so far as one number,

    cell = (… (a0 · n1 + a1) · n2 + a2 …)          ni: the number of actions of player i
"""

# ruff: noqa: D102 - the rules are documented on `Game`

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.random_numbers import random_below
from outplay.rules.base import digest
from outplay.rules.game import Game

ROLES = "row player", "column player"
"""What two players are called who have no names."""


class Chosen(NamedTuple):
    """The actions chosen so far."""

    cell: int  # the actions, as one number
    turn: int  # the player to choose; the game is over after the last one


class Turns(Game):
    """The game of `matrix`, one player after the other; `information` is whose turn it is and the player's own action.

    >>> from outplay.equilibrium import MatrixGame
    >>> game = Turns(MatrixGame([[1, -1], [-1, 1]], actions=[["heads", "tails"]] * 2))
    >>> state = game.result(game.initial_state(), 1)
    >>> game.information(state, 0), game.information(state, 1)
    ((1, 1), (1, -1))
    >>> print(game.render(state))
    row player: tails
    column player to choose
    """

    compiled = None

    def __init__(self, matrix: Any) -> None:
        self.players = matrix.number_of_players
        self.zero_sum = matrix.zero_sum
        self.constant_sum = None if matrix.zero_sum else matrix.total
        self.utilities = (float(matrix.payoffs.min()), float(matrix.payoffs.max()))
        self.sizes = np.array(matrix.shape, np.int64)  # int64 [players]: the number of actions
        self.payoffs = matrix.payoffs.reshape(self.players, -1).copy()  # float64 [players, cells]
        self.first = np.cumsum([0, *matrix.shape[:-1]], dtype=np.int64)  # int64 [players]: the place of the first name
        self.names = tuple(name for names in matrix.actions for name in names)
        self.player_names = matrix.players if matrix.are_named else ROLES

    def __repr__(self) -> str:
        """Include a digest of the payoffs, so that files saved for one game are not mistaken for another's."""
        matrix = self._arguments["matrix"]
        return f"Turns({matrix!r} {digest(self.payoffs.tobytes())})"

    @property
    def matrix(self) -> Any:
        """The `MatrixGame`."""
        return self._arguments["matrix"]

    @property
    def named_matrix(self) -> Any:
        """The `MatrixGame` with the names that players have here."""
        matrix = self.matrix
        return type(matrix)(*matrix.payoffs, actions=matrix.actions, players=self.player_names, title=matrix.title)

    def initial_state(self) -> Chosen:
        return Chosen(0, 0)

    def to_move(self, state: Chosen) -> int:
        return state.turn

    def actions(self, state: Chosen) -> NDArray[np.int64]:
        return np.arange(self.sizes[state.turn])

    def result(self, state: Chosen, action: int) -> Chosen:
        return Chosen(state.cell * int(self.sizes[state.turn]) + action, state.turn + 1)

    def is_terminal(self, state: Chosen) -> bool:
        return state.turn == self.players

    def utility(self, state: Chosen, player: int) -> float:
        return float(self.payoffs[player, state.cell])

    def chosen(self, state: Chosen, player: int) -> int:
        """The action of `player`, or -1 if not chosen yet."""
        if player >= state.turn:
            return -1
        cell = state.cell
        for later in range(state.turn - 1, player, -1):
            cell //= int(self.sizes[later])
        return cell % int(self.sizes[player])

    def information(self, state: Chosen, player: int) -> tuple[int, int]:
        return state.turn, self.chosen(state, player)

    def determinize(self, state: Chosen, player: int, random: Any) -> Chosen:
        cell = 0
        for other in range(state.turn):
            size = int(self.sizes[other])
            cell = cell * size + (self.chosen(state, player) if other == player else random_below(random, size))
        return Chosen(cell, state.turn)

    def render(self, state: Chosen) -> str:
        lines = [f"{self.player_names[i]}: {self._name(i, self.chosen(state, i))}" for i in range(state.turn)]
        if not self.is_terminal(state):
            lines.append(f"{self.player_names[state.turn]} to choose")
        return "\n".join(lines)

    def action_name(self, state: Chosen, action: int) -> str:
        return self._name(state.turn, action)

    def information_text(self, state: Chosen, player: int) -> str:
        own = self.chosen(state, player)
        return f"{self.player_names[player]}{'' if own < 0 else f', who chose {self._name(player, own)}'}"

    def _name(self, player: int, action: int) -> str:
        return str(self.names[self.first[player] + action])
