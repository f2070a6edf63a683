"""Games of GamesmanPy: an object with `start`, `generate_moves`, `do_move` and `primitive`."""

import inspect
import sys
from typing import Any, NamedTuple

from outplay.adapters.base import Adapter, moves_of, object_text, require
from outplay.rules.actions import name_of
from outplay.rules.errors import RulesError
from outplay.rules.picture import picture

__all__ = ["Adapted"]

METHODS = ("start", "generate_moves", "do_move", "primitive")
VALUES = {"win": 1, "tie": 0, "draw": 0, "loss": -1, "lose": -1}
"""The values of a primitive position, for the player to move there."""


class Turn(NamedTuple):
    """A position and the player to move, which a position need not tell."""

    position: Any
    player: int


class Adapted(Adapter):
    """A game of GamesmanPy, or a puzzle, whose `n_players` is 1. Moves are those of the object.

    Where the game is `cyclic`, a position that is repeated is a draw.

    Args:
        game: a game, such as `Clobber("3x4")`, or a class whose methods take no `self`.
        mode: the `StringMode` of texts. By default `StringMode.Readable` of the module where the game is defined.
    """

    utilities = (-1, 1)

    def __init__(self, game: Any, mode: Any = None) -> None:
        if not is_namespace(game):
            require(game, "gamesmanpy", "GamesmanPy", METHODS)
        self.source = game
        self.mode = _readable(game) if mode is None else mode
        self.players = int(getattr(game, "n_players", 2))
        self.zero_sum = self.players == 2
        if self.players not in (1, 2):
            raise RulesError(f"gamesmanpy.Adapted({object_text(game)}): n_players is {self.players}, and not 1 or 2")
        if getattr(game, "cyclic", False):
            object.__setattr__(self, "repetition", "draw")  # other games have it for a whole class

    def initial_state(self) -> Turn:
        """`start`, with the first player to move."""
        return Turn(self.source.start(), 0)

    def to_move(self, state: Turn) -> int:
        """The players take turns."""
        return state.player

    def actions(self, state: Turn) -> list[Any]:
        """`generate_moves`."""
        return moves_of(self.source.generate_moves(state.position))

    def result(self, state: Turn, action: Any) -> Turn:
        """`do_move`, and the next player's turn."""
        return Turn(self.source.do_move(state.position, action), (state.player + 1) % self.players)

    def is_terminal(self, state: Turn) -> bool:
        """Whether the position is primitive."""
        return self.source.primitive(state.position) is not None

    def utility(self, state: Turn, player: int) -> float:
        """The value of a primitive position, which is that of the player to move there."""
        value = self.source.primitive(state.position)
        name = str(getattr(value, "name", value)).lower()
        if name not in VALUES:
            raise RulesError(f"primitive returned {value!r}, which is none of Win, Tie, Draw and Loss")
        return VALUES[name] if player == state.player else -VALUES[name]

    def render(self, state: Turn) -> str:
        """`to_string`."""
        text = self.source.to_string(state.position, self.mode) if hasattr(self.source, "to_string") else None
        return text if isinstance(text, str) and text else picture(state.position)

    def action_name(self, state: Turn, action: Any) -> str:
        """`move_to_string`."""
        text = self.source.move_to_string(action, self.mode) if hasattr(self.source, "move_to_string") else None
        return text if isinstance(text, str) and text else name_of(action)


def is_namespace(game: Any) -> bool:
    """Whether this is a class that is used as it is: its methods take no `self`."""
    start: Any = getattr(game, "start", None)
    return isinstance(game, type) and callable(start) and not inspect.signature(start).parameters


def _readable(game: Any) -> Any:
    """The member `Readable` of the `StringMode` that the module of a game has imported; None without one."""
    module = sys.modules.get((game if isinstance(game, type) else type(game)).__module__)
    return getattr(getattr(module, "StringMode", None), "Readable", None)
