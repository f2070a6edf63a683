"""The others: what people use now, each doing the work in the way that its own documentation shows.

Where a peer can be helped within its own interface, it is: every choice here is the fastest that we found for it.
"""

import math
import random
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from benchmarks.common import Peer


class Interpreted(Peer):
    """Outplay's own kernel and rules, the same source, run by Python."""

    name = "the same source, interpreted"


class OpenSpiel(Peer):
    """Games in C++, driven from Python (Lanctot et al. 2019)."""

    name = "OpenSpiel"
    distribution = "open_spiel"

    def __init__(self) -> None:
        self.spiel = import_module("pyspiel")
        self.minimax = import_module("open_spiel.python.algorithms.minimax")

    def count_positions(self, name: str, depth: int) -> tuple[int, int]:
        """Positions of the game tree down to `depth`, the root included, and 0 ends: it did not look for them."""
        return self._positions(self.spiel.load_game(name).new_initial_state(), depth), 0

    def _positions(self, state: Any, depth: int) -> int:
        if depth == 0 or state.is_terminal():
            return 1
        count = 1
        for action in state.legal_actions():
            count += self._positions(state.child(action), depth - 1)  # quicker than clone() and apply_action()
        return count

    def count_ends(self, name: str, depth: int) -> tuple[int, int]:
        """Positions, and how many of them are ends of the game."""
        ends = [0]
        return self._ends(self.spiel.load_game(name).new_initial_state(), depth, ends), ends[0]

    def _ends(self, state: Any, depth: int, ends: list[int]) -> int:
        count = 1
        if state.is_terminal():
            ends[0] += 1
        elif depth > 0:
            for action in state.legal_actions():
                count += self._ends(state.child(action), depth - 1, ends)
        return count

    def playouts(self, name: str, games: int, seed: int) -> tuple[int, int, int]:
        """Random games to the end: games, actions in all of them, and wins of player 0 less wins of player 1."""
        game, chance = self.spiel.load_game(name), random.Random(seed)
        actions, margin = 0, 0
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(chance.random() * len(legal))])  # quicker than random.choice
                actions += 1
            margin += int(state.player_return(0))
        return games, actions, margin

    def alpha_beta(self, name: str, positions: Sequence[Sequence[int]], depth: int) -> list[float]:
        """The value of each position for its player to move. OpenSpiel's C++ search is not there for Python."""
        game, values = self.spiel.load_game(name), []
        for moves in positions:
            state = game.new_initial_state()
            for move in moves:
                state.apply_action(move)
            values.append(
                self.minimax.alpha_beta_search(game, state, maximum_depth=depth, value_function=lambda _: 0.0)[0]
            )
        return values

    def whole_tree(self, name: str) -> float:
        """The value of a game by plain minimax: without chance nodes that is what expectiminimax does."""
        state = self.spiel.load_game(name).new_initial_state()
        return float(self.minimax.expectiminimax(state, 10**6, None, 0)[0])


class EasyAI(Peer):
    """Two-player games and Negamax in Python (Zulko)."""

    name = "easyAI"
    distribution = "easyAI"

    def __init__(self) -> None:
        self.easy = import_module("easyAI")
        example = import_module("easyAI.games.ConnectFour")
        np = import_module("numpy")

        class ConnectFour(example.ConnectFour):  # type: ignore[misc, name-defined]
            """EasyAI's own example, with what its table needs, and with `unmake_move`: 3 times faster than copying."""

            def ttentry(self) -> tuple[int, bytes]:
                return self.current_player, self.board.tobytes()

            def unmake_move(self, column: int) -> None:
                self.board[np.flatnonzero(self.board[:, column])[-1], column] = 0

        self.game = ConnectFour

    def alpha_beta(self, positions: Sequence[Sequence[int]], depth: int) -> list[float]:
        """The value of each position for its player to move, +1, 0 or -1; a table for each."""
        values = []
        for moves in positions:
            search = self.easy.Negamax(
                depth, lambda game: -100 if game.lose() else 0, tt=self.easy.TranspositionTable()
            )
            game = self.game([self.easy.AI_Player(search), self.easy.AI_Player(search)])
            for move in moves:
                game.make_move(move)
                game.switch_player()
            search(game)
            values.append(math.copysign(1, search.alpha) if search.alpha else 0.0)
        return values


class Aima(Peer):
    """The textbook's own Python (Russell & Norvig), as the package aima3."""

    name = "aima3"
    distribution = "aima3"

    def __init__(self) -> None:
        self.games = import_module("aima3.games")

    def minimax(self) -> int:
        """The action, 0 to 8, that minimax chooses on an empty tic-tac-toe board, row by row from the bottom left."""
        game = self.games.TicTacToe()
        return _square(self.games.minimax_decision(game.initial, game))

    def alpha_beta(self) -> int:
        """The same by alpha-beta."""
        game = self.games.TicTacToe()
        return _square(self.games.alphabeta_search(game.initial, game))

    def count_results(self) -> int:
        """How many states minimax makes on the way, the root included."""
        game, made = self.games.TicTacToe(), [1]
        result = game.result

        def counted(state: Any, move: Any) -> Any:
            made[0] += 1
            return result(state, move)

        game.result = counted
        self.games.minimax_decision(game.initial, game)
        return made[0]


def _square(place: tuple[int, int]) -> int:
    return 3 * (place[1] - 1) + place[0] - 1
