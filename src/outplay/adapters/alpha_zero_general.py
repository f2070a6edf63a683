"""Games of alpha-zero-general: an object with `getInitBoard`, `getNextState`, `getValidMoves` and `getGameEnded`."""

from typing import Any, NamedTuple

from outplay.adapters.base import Adapter, printed, require

__all__ = ["Adapted"]

METHODS = ("getInitBoard", "getNextState", "getValidMoves", "getGameEnded", "getCanonicalForm")


class Position(NamedTuple):
    """A board and the player to move, 1 or -1."""

    board: Any
    player: int


class Adapted(Adapter):
    """A game of alpha-zero-general, played as its `Arena` plays it: valid moves are those of the canonical board.

    Actions are the numbers of the object. A draw, there a small number, is 0.

    Args:
        game: a game, such as `OthelloGame(6)`.
    """

    utilities = (-1, 1)

    def __init__(self, game: Any) -> None:
        require(game, "alpha_zero_general", "alpha-zero-general", METHODS)
        self.source = game

    def initial_state(self) -> Position:
        """The board of `getInitBoard`, with player 1 to move."""
        return Position(self.source.getInitBoard(), 1)

    def to_move(self, state: Position) -> int:
        """0 for player 1, and 1 for player -1."""
        return 0 if state.player == 1 else 1

    def actions(self, state: Position) -> list[int]:
        """The actions that `getValidMoves` marks on the canonical board."""
        board = self.source.getCanonicalForm(state.board, state.player)
        return [action for action, valid in enumerate(self.source.getValidMoves(board, 1)) if valid]

    def result(self, state: Position, action: int) -> Position:
        """`getNextState`."""
        board, player = self.source.getNextState(state.board, state.player, action)
        return Position(board, int(player))

    def is_terminal(self, state: Position) -> bool:
        """Whether `getGameEnded` is not 0."""
        return bool(self.source.getGameEnded(state.board, state.player) != 0)

    def utility(self, state: Position, player: int) -> float:
        """`getGameEnded` for the player, as a whole number."""
        value = round(float(self.source.getGameEnded(state.board, state.player)))
        return value if player == self.to_move(state) else -value

    def render(self, state: Position) -> str:
        """What `display` prints."""
        return printed(getattr(self.source, "display", None), state.board, state=state)
