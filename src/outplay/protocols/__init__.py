"""Protocols of other programs, such as GTP."""

from outplay.protocols.gtp import Engine, GoEngine, engine_for

__all__ = ["Engine", "GoEngine", "engine_for"]
