"""The contracts of games and problems, and what can be said of a state without searching."""

from outplay.rules import bits, board, indexing, simultaneous

__all__ = ["bits", "board", "indexing", "simultaneous"]
