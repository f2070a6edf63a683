"""The contracts of games and problems, and what can be said of a state without searching."""

import importlib
from typing import TYPE_CHECKING, Any

from outplay.rules import bits, board, simultaneous

if TYPE_CHECKING:
    from outplay.rules import indexing

__all__ = ["bits", "board", "indexing", "simultaneous"]


def __getattr__(name: str) -> Any:
    if name == "indexing":  # it needs NumPy, which a start of the command line should not wait for
        return importlib.import_module("outplay.rules.indexing")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
