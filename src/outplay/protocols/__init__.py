"""Protocols of GUIs and of other programs, each with both halves: programs as players, and outplay as an engine."""

from outplay.protocols.gtp.engine import Engine
from outplay.protocols.gtp.go import GoEngine, engine_for

__all__ = ["Engine", "GoEngine", "engine_for"]
