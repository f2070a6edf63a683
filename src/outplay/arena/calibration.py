"""Levels by Elo from a ladder whose lowest rung plays at random: what `outplay ladder --levels` writes."""

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from outplay.arena.elo import finite
from outplay.arena.ladder import Ladder
from outplay.arena.ladder_score import LadderResult
from outplay.arena.naming import player_named
from outplay.arena.player import RandomPlayer, SearchPlayer
from outplay.rules.errors import OutplayError
from outplay.session.algorithms import SEARCHES
from outplay.session.levels import RANDOM, Calibration, Measured, Strength, read_calibrations, written
from outplay.system.files import read_text, write_file

if TYPE_CHECKING:
    from os import PathLike

FAR = 200.0
"""More Elo than this between neighbours are too many to guess what a blend of them is worth."""
PLAIN = re.compile(r"(?P<name>[\w-]+)\((?:(?:table_mb|memory_mb)=[\d.]+, )?(?:level|depth|nodes|simulations)=[\d.]+\)")
"""A search whose strength is limited, and that has no other options."""


def check_is_of_levels(ladder: Ladder) -> None:
    """Raise `OutplayError` unless the rungs are random moves and one search, with limits that are no times."""
    if ladder.players[0] != "random":
        raise OutplayError("levels are measured from random moves on: the lowest rung is random (--below random)")
    names = {_algorithm(source) for source in ladder.players[1:]}
    if len(names) != 1 or ladder.terms.seconds is not None or ladder.terms.clock is not None:
        raise OutplayError(
            "levels are of one search, and limits of time would make them differ from machine to machine"
        )


def _algorithm(source: object) -> str:
    found = PLAIN.fullmatch(source) if isinstance(source, str) else None
    if found is None or found["name"].lower().replace("_", "-") not in SEARCHES:
        raise OutplayError(
            f"{source} cannot be a level: vary level, depth, nodes or simulations of a search without other options"
        )
    return found["name"].lower().replace("_", "-")


def calibrated(result: LadderResult) -> Calibration:
    """The levels that a ladder has measured. Raises `OutplayError` if it is no ladder of levels."""
    ladder = result.ladder
    check_is_of_levels(ladder)
    measured = []
    for rung, gain in zip(result.rungs, result.elos, strict=True):
        measured.append(Measured(_level(ladder, rung.name), gain.elo, finite(gain.low), finite(gain.high)))
    name = " ".join(repr(ladder.game).split())
    return Calibration(name, _algorithm(ladder.players[1]), tuple(measured), 2 * ladder.rounds_of_a_pair)


def _level(ladder: Ladder, name: str) -> Strength:
    player = player_named(name, ladder.game)
    if isinstance(player, RandomPlayer):
        return RANDOM
    assert isinstance(player, SearchPlayer), "it is a search, as was checked"
    return player.strength


def far_apart(result: LadderResult) -> list[str]:
    """The neighbours between which an Elo is uncertain, as nothing between them was measured."""
    pairs = zip(pairwise(result.rungs), result.gains, strict=True)
    return [f"{lower.label} and {upper.label}" for (lower, upper), gain in pairs if gain.elo > FAR]


def save_levels(result: LadderResult, path: "str | PathLike[str]") -> None:
    """Write levels to a file, in which those of other games and searches are kept."""
    found, file = calibrated(result), Path(path)

    def content() -> bytes:
        old = read_calibrations(read_text(file), file) if file.exists() else ()
        kept = [each for each in old if (each.game, each.algorithm) != (found.game, found.algorithm)]
        return written(sorted([*kept, found], key=lambda each: (each.game, each.algorithm))).encode()

    write_file(file, content)
