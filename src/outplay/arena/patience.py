"""How long the arena waits for players in processes of their own, bots and other programs alike."""

from typing import TYPE_CHECKING

from outplay.arena.referee import LATE

if TYPE_CHECKING:
    from outplay.engine.clock import Clock

START = 120.0
"""The seconds that a player may take to begin, such as to load what it has learned."""
UNTIMED = 600.0
"""The seconds after which a player that has no clock hangs."""
GRACE = 1.0
"""The seconds beyond its clock after which a player hangs."""


def for_move(clock: "Clock | None") -> float:
    """The seconds to wait for a move."""
    return UNTIMED if clock is None else clock.seconds + LATE + GRACE
