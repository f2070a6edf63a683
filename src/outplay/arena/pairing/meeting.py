"""What the formats of tournaments give: meetings, wave after wave."""

from collections.abc import Generator, Sequence
from typing import NamedTuple


class Meeting(NamedTuple):
    """Players that meet.

    Attributes:
        players: their numbers; a single one has a bye and does not play.
        openings: the numbers of the openings; each is played in all orders of the seats.
        stage: the number of the stage, from 0: each player has at most one meeting in a stage of a Swiss tournament or
            a knockout.
    """

    players: tuple[int, ...]
    openings: range
    stage: int = 0


Waves = Generator[list[Meeting], Sequence[tuple[float, ...]]]
"""Gives meetings; is sent the points that each of their players has got in them."""
