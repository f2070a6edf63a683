"""Protocols of GUIs and of other programs, each with both halves: programs as players, and outplay as an engine."""

from outplay.protocols.gtp.engine import Engine
from outplay.protocols.gtp.go import GoEngine, engine_for
from outplay.protocols.python_chess import SearchEngine, board_of, session_of

__all__ = ["Engine", "GoEngine", "SearchEngine", "board_of", "engine_for", "session_of"]
