"""The contracts of games and problems, and what can be said of a state without searching."""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.rules import bits, board, indexing, simultaneous

__all__ = ["bits", "board", "indexing", "simultaneous"]

__getattr__, __dir__ = _lazy(__name__, {name: f"outplay.rules.{name}" for name in __all__})
