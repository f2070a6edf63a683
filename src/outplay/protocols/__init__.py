"""Protocols of other programs, such as GTP."""

from outplay.protocols.gtp.engine import Engine
from outplay.protocols.gtp.go import GoEngine, engine_for

__all__ = ["Engine", "GoEngine", "engine_for"]
