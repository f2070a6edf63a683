"""Levels by Elo from a ladder whose lowest rung plays at random: what `outplay ladder --levels` writes."""

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from outplay.arena.contest import player_from
from outplay.arena.elo import finite
from outplay.arena.ladder import Ladder
from outplay.arena.ladder_score import LadderResult
from outplay.arena.naming import HARMLESS, PlayerSource, PlayerSpec
from outplay.rules.errors import OutplayError
from outplay.session.algorithms import SEARCHES
from outplay.session.levels import RANDOM, Calibration, LevelOrBlend, Measured, read_calibrations, written
from outplay.session.players import SearchPlayer
from outplay.system.files import read_text, write_file

if TYPE_CHECKING:
    from os import PathLike

FAR = 200.0
"""More Elo than this between neighbours are too many to guess what a blend of them is worth."""
LIMITS_OF_LEVELS = {"level", "depth", "nodes", "simulations"}
"""What may limit a level."""


def check_is_of_levels(ladder: Ladder) -> None:
    """Raise `OutplayError` unless the rungs are random moves and one search, with limits that are no times."""
    if str(ladder.players[0]) != "random":
        raise OutplayError("levels are measured from random moves on: the lowest rung is random (--below random)")
    names = {_algorithm(source) for source in ladder.players[1:]}
    if len(names) != 1 or ladder.terms.seconds is not None or ladder.terms.clock is not None:
        raise OutplayError(
            "levels are of one search, and limits of time would make them differ from machine to machine"
        )


def _algorithm(source: object) -> str:
    """The search of a rung, which is limited and has no other options."""
    if (
        not isinstance(source, PlayerSpec)
        or source.kind != "search"
        or source.name not in SEARCHES
        or not (len(source.call.options - HARMLESS) == 1 and source.call.options - HARMLESS <= LIMITS_OF_LEVELS)
    ):
        raise OutplayError(
            f"{source} cannot be a level: vary level, depth, nodes or simulations of a search without other options"
        )
    return source.name


def calibrated(result: LadderResult) -> Calibration:
    """The levels that a ladder has measured. Raises `OutplayError` if it is no ladder of levels."""
    ladder = result.ladder
    check_is_of_levels(ladder)
    measured = []
    for source, gain in zip(ladder.players, result.elos, strict=True):
        measured.append(Measured(_level(ladder, source), gain.elo, finite(gain.low), finite(gain.high)))
    name = " ".join(repr(ladder.game).split())
    return Calibration(name, _algorithm(ladder.players[1]), tuple(measured), 2 * ladder.rounds_of_a_pair)


def _level(ladder: Ladder, source: PlayerSource) -> LevelOrBlend:
    player = player_from(source, ladder.game, ladder.limit)
    return player.strength if isinstance(player, SearchPlayer) else RANDOM


def far_apart(result: LadderResult) -> list[str]:
    """The neighbours between which an Elo is uncertain, as nothing between them was measured."""
    pairs = zip(pairwise(result.rungs), result.gains, strict=True)
    return [f"{lower.label} and {upper.label}" for (lower, upper), gain in pairs if gain.elo > FAR]


def save_levels(result: LadderResult, path: "str | PathLike[str]") -> None:
    """Write levels to a file, in which those of other games and searches are kept."""
    levels, file = calibrated(result), Path(path)

    def content() -> bytes:
        old = read_calibrations(read_text(file), file) if file.exists() else ()
        other_levels = [entry for entry in old if (entry.game, entry.algorithm) != (levels.game, levels.algorithm)]
        return written(sorted([*other_levels, levels], key=lambda entry: (entry.game, entry.algorithm))).encode()

    write_file(file, content)
