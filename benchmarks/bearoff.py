"""Bearing off in Backgammon: exact tables against the databases that GNU Backgammon's `makebearoff` writes.

For two sides, the probability to win from each pair of positions with a few men at home, by the rules of `Backgammon`;
for one side, the mean number of throws that a player alone needs, by the rules of `BearOff`. GNU Backgammon rounds each
number to 16 bits and goes on with the rounded ones, so its errors add up: a table may differ by `TOLERANCE`, no more.

Reading order: `rows`, `one_sided` and `throws`, `two_sided` and `points`, `BearOff` (a game of one's own).
"""

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import Disagreement, Plan, Row, measure
from outplay import Game, Tablebase
from outplay.games import Backgammon
from outplay.games.backgammon import ROLLING, Position
from outplay.rules.game import CHANCE
from outplay.rules.indexing import composition_count, subset_index

COMMAND = shutil.which("makebearoff") or shutil.which("makebearoff", path="/usr/games")
"""The path of the program that makes GNU Backgammon's databases, if it is installed."""
MISSING = "not installed: makebearoff of GNU Backgammon, https://www.gnu.org/software/gnubg/, or apt install gnubg"
POINTS = 6
HEADER = 40
"""The bytes at the beginning of a database."""
MOST_THROWS = 32
"""The probabilities of a position in a database for one side."""
TOLERANCE = 2e-4
"""In throws, and in points: twice the probability to win, minus 1."""
Men = tuple[int, ...]
"""The number of men on each of a player's own points, from 1 up."""


# -- bearing off alone ------------------------------------------------------------------------------------------------


class Alone(NamedTuple):
    """The men of the only player, the throws so far, and the dice that are still to be played."""

    men: int  # four bits for each point
    throws: int
    die: int  # 0: the dice are to be thrown
    other_die: int  # 0: none
    repeats: int  # how often the die of a double can be played after these two


class BearOff(Game):
    """Bear off all men in as few throws as possible; the utility is minus the number of throws.

    An action of the player is a point, counted from 0, plus 6 if the second die is played; one of chance is 6 times the
    greater die plus the smaller one.
    """

    players = 1
    zero_sum = False

    def initial_state(self) -> Alone:
        """One man on the sixth point."""
        return alone((0, 0, 0, 0, 0, 1))

    def to_move(self, state: Alone) -> int:
        """Chance, until the dice are thrown."""
        return CHANCE if state.die == 0 else 0

    def actions(self, state: Alone) -> Iterator[int]:
        """The dice; then the men that a die moves or bears off, from nearer points than its own if none is farther."""
        if state.die == 0:
            for great in range(1, 7):
                for small in range(1, great + 1):
                    yield 6 * great + small
            return
        farthest = POINTS
        while state.men >> 4 * (farthest - 1) & 15 == 0:
            farthest -= 1
        for second in range(2):
            die = state.other_die if second else state.die
            if die == 0 or (second and die == state.die):
                continue
            for point in range(min(die, farthest), farthest + 1):
                if state.men >> 4 * (point - 1) & 15:
                    yield 6 * second + point - 1

    def probability(self, state: Alone, action: int) -> float:
        """A double has half the probability of two different dice."""
        return 1 / 36 if action % 7 == 0 else 2 / 36  # a double is 7 times a die

    def result(self, state: Alone, action: int) -> Alone:
        """One die is played."""
        if state.die == 0:
            great, small = (action - 1) // 6, (action - 1) % 6 + 1
            return Alone(state.men, state.throws + 1, great, small, 2 if great == small else 0)
        second, point = action // 6, action % 6
        die = state.other_die if second else state.die
        men = state.men - (1 << 4 * point)
        if point >= die:
            men += 1 << 4 * (point - die)
        if men == 0:
            return Alone(0, state.throws, 0, 0, 0)
        if state.repeats > 0:
            return Alone(men, state.throws, die, die, state.repeats - 1)
        return Alone(men, state.throws, state.die if second else state.other_die, 0, 0)

    def is_terminal(self, state: Alone) -> bool:
        """Whether all men are off."""
        return state.men == 0

    def utility(self, state: Alone, player: int) -> int:
        """Minus the number of throws."""
        return -state.throws


# -- positions --------------------------------------------------------------------------------------------------------


def positions(men: int, points: int = POINTS) -> Iterator[Men]:
    """All ways to have at most so many men on the points."""
    if points == 0:
        yield ()
        return
    for on_first in range(men + 1):
        for on_others in positions(men - on_first, points - 1):
            yield on_first, *on_others


def some(men: int) -> list[Men]:
    """All positions with 1 to so many men."""
    return [position for position in positions(men) if any(position)]


def number(position: Men) -> int:
    """The number of a position in the databases: that of a set with, for each point, the men and points from there up.

    >>> [number(position) for position in ((0, 0), (1, 0), (0, 1), (2, 0))]
    [0, 1, 2, 3]
    """
    return subset_index(sum(1 << sum(position[i:]) + len(position) - i - 1 for i in range(len(position))))


def packed(position: Men) -> int:
    """The men with four bits for each point."""
    return sum(men << 4 * point for point, men in enumerate(position))


def alone(position: Men) -> Alone:
    """The player alone, before the first throw."""
    return Alone(packed(position), 0, 0, 0, 0)


def against(mine: Men, theirs: Men) -> Position:
    """The state of Backgammon in which player 0 is to throw, with these men at home and all others borne off."""
    return Position((packed(mine), packed(theirs)), (0, 0), 0, ROLLING, 1, -1)


# -- both sides of the comparison -------------------------------------------------------------------------------------


def table(game: Game, starts: Iterable[object]) -> Tablebase:
    """The table of all that follows from these states."""
    tablebase = Tablebase.make(game, list(starts), memory_mb=12_000, check=False)
    assert tablebase is not None
    return tablebase


def one_sided(men: int) -> Tablebase:
    """The table for a player alone with at most so many men."""
    return table(BearOff(), map(alone, some(men)))


def two_sided(men: int) -> Tablebase:
    """The table for two players with at most so many men each."""
    return table(Backgammon(), (against(*pair) for pair in product(some(men), repeat=2)))


def database(*options: str) -> NDArray[np.uint16]:
    """The numbers in a new database of GNU Backgammon."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.bd"
        subprocess.run([str(COMMAND), *options, "-f", str(path)], check=True, capture_output=True)
        return np.frombuffer(path.read_bytes(), "<u2", offset=HEADER)


def throws() -> NDArray[np.float64]:
    """GNU Backgammon's mean number of throws of each position of one side with up to 15 men."""
    chances = database("-o", str(POINTS), "--no-compress", "--no-gammon").reshape(-1, MOST_THROWS)
    means: NDArray[np.float64] = chances @ np.arange(MOST_THROWS) / 65535
    return means


def points(men: int) -> NDArray[np.float64]:
    """GNU Backgammon's value of each pair of positions for the player who is to throw, [positions, positions]."""
    count = composition_count(men, POINTS + 1)
    return database("-t", f"{POINTS}x{men}", "--no-cubeful").reshape(count, count) / 32767.5 - 1


def rows(plan: Plan) -> Iterator[Row]:
    """One side, then two. The figure is the time to make the table; what both found must agree."""
    alone_men, men = (3, 2) if plan.quick else (15, 4)  # 15 men take a minute and 4 GB
    row = Row(what=f"up to {alone_men} men borne off alone", peer="GNU Backgammon's database")
    if COMMAND is None:
        yield replace(row, note=MISSING)
        return
    theirs = throws()
    one_sided(1)  # compiles
    row, tablebase = measure(plan, row, lambda: one_sided(alone_men))
    differences = [abs(-value(tablebase, alone(position)) - theirs[number(position)]) for position in some(alone_men)]
    yield replace(row, agree=agreed(differences, "throws"), note=f"{len(tablebase):,} states")

    theirs = points(men)
    two_sided(1)  # compiles
    row = Row(what=f"up to {men} men of both sides borne off", peer=row.peer)
    row, tablebase = measure(plan, row, lambda: two_sided(men))
    pairs = product(some(men), repeat=2)
    differences = [abs(value(tablebase, against(*pair)) - theirs[number(pair[0]), number(pair[1])]) for pair in pairs]
    yield replace(row, agree=agreed(differences, "points"), note=f"{len(tablebase):,} states")


def value(table: Tablebase, state: object) -> float:
    """The value of a state for player 0."""
    result = table.probe(state)
    assert result is not None
    return result.value


def agreed(differences: list[float], unit: str) -> str:
    """The greatest difference in words; raises `Disagreement` if it is more than what rounding explains."""
    words = f"{len(differences):,} values, at most {max(differences):.6f} {unit} apart"
    if max(differences) > TOLERANCE:
        raise Disagreement(f"{words}, more than the {TOLERANCE} that rounding explains")
    return words
