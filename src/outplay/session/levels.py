"""How strong a search plays: ten levels of each, and levels by Elo where a ladder has measured them.

Levels are limits of depth, nodes or simulations, and shares of weaker moves, never times: they are the same on every
machine. Level 0 plays at random, and is 0 Elo. Level 2.25 plays each move at level 2 or 3, at level 3 for a quarter of
its moves. Blends are measured like all levels. An Elo between two neighbours that were measured is a blend of them:

    level   0      0.5    1          2
    Elo     0      120    330   ●    480         ● 405 Elo: level 2 for half of the moves, else level 1

Start at `Level`.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from outplay.engine.limits import Limit
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.algorithms import searcher_class
from outplay.system.files import check_version, read_text

if TYPE_CHECKING:
    from os import PathLike

FORMAT = "outplay levels 1"
PATIENCE = 10.0
"""The seconds after which a move of a person's opponent is played, even if rules that do not compile are slow."""
FINEST = 1.0
"""Levels that differ by less Elo count as equally strong."""


@dataclass(frozen=True)
class Level:
    """How strong a search plays.

    Args:
        limit: the limit for each move; None plays each legal action with the same probability.
        share: from 0 to 1. The player chooses at random among the actions whose value is within this share of the
            way from the best value to the worst. 0: it plays the best action.

    Raises `OutplayError` for another share.

    >>> Level.at("mcts", 3)
    Level(limit=Limit(simulations=100), share=0.0)
    >>> from outplay.games import TicTacToe
    >>> Level.by_elo(TicTacToe(), "alpha-beta", 0)
    Level(limit=None, share=0.0)
    """

    limit: Limit | None
    share: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise OutplayError(f"Level(share={self.share!r}): give a share from 0 to 1")

    @staticmethod
    def at(algorithm: str, number: float, *, seconds: float | None = None) -> "Level | Blend":
        """The level of a search with this number; a number between two levels is a `Blend` of them.

        Args:
            algorithm: the name of the search, such as "alpha-beta" or "mcts".
            number: from 0, which plays at random, to 10. The levels are those of `outplay play`.
            seconds: the maximum time for a move as well. Levels do not limit the time themselves, so that they are
                equally strong on every machine.

        Raises `OutplayError` for an unknown search or another number.

        >>> blend = Level.at("mcts", 0.75)
        >>> blend.lower == Level(None), blend.upper == Level.at("mcts", 1), blend.often
        (True, True, 0.75)
        """
        if not 0 <= number <= 10:
            raise OutplayError(f"Level.at({algorithm!r}, {number!r}): give a number from 0 to 10")
        ladder, place = (RANDOM, *levels_of(algorithm, seconds)), int(number)
        often = round(number - place, 6)
        return Blend(ladder[place], ladder[place + 1], often) if often else ladder[place]

    @staticmethod
    def by_elo(game: Game, algorithm: str, elo: float, levels: "str | PathLike[str] | None" = None) -> "Level | Blend":
        """How a search plays with this Elo above random moves.

        Args:
            game: the game.
            algorithm: the name of the search.
            elo: the strength.
            levels: a file of `outplay ladder --levels`; by default the levels that come with outplay.

        Raises `OutplayError` if the game and the search were not measured, or not up to this strength.
        """
        return calibration(game, algorithm, levels).strength(elo)

    def drawn(self, random: Random) -> "Level":
        """The level of a move: this one."""
        return self

    def as_dict(self) -> dict[str, Any]:
        """The level as plain values."""
        if self.limit is None:
            return {}
        limit = {key: value for key, value in vars(self.limit).items() if value is not None}
        return {"limit": limit, "share": self.share}


RANDOM = Level(None)
"""Each legal action alike."""


@dataclass(frozen=True)
class Blend:
    """Plays each move at one of two strengths.

    Attributes:
        lower, upper: the strengths, each a `Level` or a `Blend`.
        often: the probability of the upper one.
    """

    lower: "LevelOrBlend"
    upper: "LevelOrBlend"
    often: float

    @property
    def limit(self) -> Limit | None:
        """The limit of its uppermost level."""
        return self.upper.limit

    @property
    def share(self) -> float:
        """The greatest share of its levels."""
        return max(self.lower.share, self.upper.share)

    def drawn(self, random: Random) -> Level:
        """The level of a move, drawn by `often`."""
        return (self.upper if random.random() < self.often else self.lower).drawn(random)

    def as_dict(self) -> dict[str, Any]:
        """The blend as plain values."""
        return {"lower": self.lower.as_dict(), "upper": self.upper.as_dict(), "often": self.often}


LevelOrBlend = Level | Blend
"""How strong a search plays."""


def strength_of_dict(data: dict[str, Any]) -> LevelOrBlend:
    """The strength of plain values."""
    if "often" in data:
        return Blend(strength_of_dict(data["lower"]), strength_of_dict(data["upper"]), float(data["often"]))
    return Level(Limit(**data["limit"]), float(data["share"])) if "limit" in data else RANDOM


LEVELS = (
    Level(Limit(depth=1, nodes=500_000), 0.9),
    Level(Limit(depth=1, nodes=500_000), 0.6),
    Level(Limit(depth=2, nodes=500_000), 0.4),
    Level(Limit(depth=3, nodes=500_000), 0.3),
    Level(Limit(depth=4, nodes=500_000), 0.2),
    Level(Limit(depth=6, nodes=500_000), 0.1),
    Level(Limit(depth=8, nodes=500_000)),
    Level(Limit(nodes=1_000_000)),
    Level(Limit(nodes=3_000_000)),
    Level(Limit(nodes=10_000_000)),
)
"""From the weakest, level 1, to level 10."""
LEVELS_BY_NODES = tuple(Level(replace(level.limit or Limit(), depth=None)) for level in LEVELS)
"""The levels of searches that cannot be limited by depth. Weaker moves could go in circles for ever."""
LEVELS_BY_SIMULATIONS = tuple(
    Level(Limit(simulations=number)) for number in (10, 30, 100, 300, 1000, 3000, 10_000, 20_000, 50_000, 150_000)
)
"""The levels of Monte Carlo tree search. With few simulations it is weak and plays differently each time."""


def levels_of(algorithm: str, patience: float | None = None) -> tuple[Level, ...]:
    """The ten levels of a search, the weakest first.

    Args:
        algorithm: the name of the search.
        patience: the maximum time of a move in seconds, besides.

    >>> levels_of("mcts")[2], levels_of("alpha-beta", patience=10)[0].limit
    (Level(limit=Limit(simulations=100), share=0.0), Limit(seconds=10, depth=1, nodes=500000))
    """
    limits = searcher_class(algorithm).limits
    levels = LEVELS_BY_SIMULATIONS if "simulations" in limits else LEVELS if "depth" in limits else LEVELS_BY_NODES
    return tuple(patient(level, patience) for level in levels)


def patient(level: Level, seconds: float | None) -> Level:
    """A level with a maximum time for a move."""
    return level if level.limit is None else replace(level, limit=replace(level.limit, seconds=seconds))


# -- levels by Elo ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measured:
    """A level, or a blend of levels, whose strength was measured.

    Attributes:
        level: how it plays.
        elo: its Elo above random moves.
        low, high: the interval of 95%; None where it has no bound.
    """

    level: LevelOrBlend
    elo: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Calibration:
    """The measured levels of a search in a game.

    Attributes:
        game: the game, as `repr` writes it.
        algorithm: the search.
        levels: the levels, in the order in which they were played; the first one is random moves.
        games: the number of games of each pair of neighbours.
    """

    game: str
    algorithm: str
    levels: tuple[Measured, ...]
    games: int

    @property
    def stairs(self) -> tuple[tuple[float, LevelOrBlend], ...]:
        """The levels that can be told apart, with an Elo that rises: where measured strength falls, or hardly rises,
        levels are pooled, and the first of them, which costs the least, stands for all.
        """
        pools: list[tuple[float, int, LevelOrBlend]] = []  # the mean Elo, how many levels, and the first one
        for rated in self.levels:
            elo, count, level = rated.elo, 1, rated.level
            while pools and elo - pools[-1][0] < FINEST:
                mean, number, first = pools.pop()
                elo, count, level = (mean * number + elo * count) / (number + count), number + count, first
            pools.append((elo, count, level))
        return tuple((elo - pools[0][0], level) for elo, _, level in pools)

    def strength(self, elo: float) -> LevelOrBlend:
        """How to play at this strength. Raises `OutplayError` for one beyond what was measured."""
        stairs = self.stairs
        top = stairs[-1][0]
        if not 0 <= elo <= top:
            raise OutplayError(
                f"elo={elo:g}: {self.algorithm} in {self.game} was measured from 0, which is random moves, to {top:.0f}"
                " Elo; give one between"
            )
        for (low, lower), (high, upper) in pairwise(stairs):
            if elo < high:
                return Blend(lower, upper, (elo - low) / (high - low)) if elo > low else lower
        return stairs[-1][1]

    def as_dict(self) -> dict[str, Any]:
        """The calibration as plain values."""
        levels = []
        for rated in self.levels:
            line: dict[str, Any] = {"elo": round(rated.elo, 1), "low": rated.low, "high": rated.high}
            line |= {key: None if line[key] is None else round(line[key], 1) for key in ("low", "high")}
            levels.append(line | rated.level.as_dict())
        return {"game": self.game, "algorithm": self.algorithm, "games": self.games, "levels": levels}

    @classmethod
    def of_dict(cls, data: dict[str, Any]) -> "Calibration":
        """The calibration of plain values."""
        levels = tuple(
            Measured(strength_of_dict(line), float(line["elo"]), line["low"], line["high"]) for line in data["levels"]
        )
        if len(levels) < 2 or levels[0].level != RANDOM:
            raise ValueError("the first of at least two levels is random moves")
        return cls(str(data["game"]), str(data["algorithm"]), levels, int(data["games"]))


def read_calibrations(text: str, where: object) -> tuple[Calibration, ...]:
    """The calibrations of a file. Raises `OutplayError` for another file."""
    try:
        data = json.loads(text)
        check_version(where, data["format"], FORMAT)
        if data["format"] != FORMAT:
            raise ValueError(f"its format is {data['format']!r}")
        return tuple(Calibration.of_dict(entry) for entry in data["games"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutplayError(f"{where} is not a file of levels, as outplay ladder --levels writes it: {error}") from None


def written(calibrations: Sequence[Calibration]) -> str:
    """The text of a file of calibrations, one level a line."""
    parts = []
    for entry in calibrations:
        data = entry.as_dict()
        levels = ",\n   ".join(json.dumps(line) for line in data.pop("levels"))
        parts.append(f' {json.dumps(data)[:-1]}, "levels": [\n   {levels}]}}')
    return f'{{"format": "{FORMAT}", "anchor": "random", "games": [\n' + ",\n".join(parts) + "\n]}\n"


@cache
def built_in() -> tuple[Calibration, ...]:
    """The calibrations that come with outplay."""
    return read_calibrations(files("outplay.session").joinpath("levels.json").read_text("utf-8"), "levels.json")


def calibration(game: Game, algorithm: str, path: "str | PathLike[str] | None" = None) -> Calibration:
    """The measured levels of a search in a game, from a file or those that come with outplay.

    Raises `OutplayError` if there are none, or if the game has other players than two with opposed interests.
    """
    if game.players != 2 or not has_constant_sum(game):
        raise OutplayError(f"Elo is for two players with opposed interests, which {game!r} does not have: give a level")
    name = " ".join(repr(game).split())
    ours = type(game).__module__.startswith("outplay.games")
    calibrations = read_calibrations(read_text(path), path) if path is not None else built_in() if ours else ()
    for entry in calibrations:
        if (entry.game, entry.algorithm) == (name, algorithm):
            return entry
    algorithms = [entry.algorithm for entry in calibrations if entry.game == name]
    hint = f"; it is for {' and '.join(algorithms)}" if algorithms else ""
    file = Path(path).name if path is not None else "levels.json"
    raise OutplayError(
        f"no levels by Elo are known for {algorithm} in {name}{hint}; measure them: outplay ladder GAME --player"
        f" {algorithm} --vary level=0.5..5+0.5 --levels {file}, and then give this file (--levels {file},"
        f" levels={file!r})"
    )
