"""How long to think about one move of a game that is played by the clock.

Thinking longer is worth its time only while it may change the move (Russell & Wefald 1991, *Principles of
metareasoning*). What it may still change is not known, but an iterative search shows signs of it at the end of each
iteration: an action that stays the best, or that is far better than all others, will be played anyhow; one that has
just become the best, or has become worse, may not be. `Clock` says what a move may cost, `Budget` reads the signs.

What is promised of a search is that it ends at most `LATE` seconds after the time it was given. A clock keeps so much
in reserve for each move to come, so it does not run out.
"""

import math
from dataclasses import dataclass

from outplay.rules.options import check_options, number

LATE = 0.02
"""Seconds: a search ends at most so long after its time."""
MOVES = 20
"""So many moves are taken to lie ahead if the clock does not tell."""
SHARE = 1 / 3
"""The most of what is left that one move may take, unless its fair share is more."""
LONGER = 5
"""The most that one move may take, as a multiple of what is aimed for."""

BEGIN = 0.6
"""No iteration is begun after so much of the budget: by its end the time taken is some 1.5 to 3 times as long."""
END = 2.0
"""An iteration that was begun is given up after so much of the budget."""
CHANGED, OPEN, STEADY, CLEAR = 5.0, 2.0, 1.0, 0.5
"""The budget, as a multiple of what is aimed for: where the best action has changed or its value has fallen; where it
may still change; where it has stayed the same; where it is clearly better than all others."""
ITERATIONS = 4
"""An action has stayed the same if the last so many iterations have not changed it."""
MARGIN = 0.1
"""A clear difference of two values, as a part of the range of utilities."""


@dataclass(frozen=True)
class Clock:
    """What the clock of the player to move shows.

    Args:
        seconds: the time left.
        increment: seconds that are added after each move.
        moves: how many moves, this one included, have to be made in the time left. None: all that are to come.

    Raises `ValueError` for a number that is negative or not a number.

    >>> clock = Clock(60, increment=2)
    >>> round(clock.aim, 3), round(clock.most, 3)  # for this move
    (4.499, 19.993)
    >>> clock.after(4.5)
    Clock(seconds=57.5, increment=2, moves=None)
    """

    seconds: float = number(least=0)
    increment: float = number(0, least=0)
    moves: int | None = number(None, least=1)

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def aim(self) -> float:
        """The seconds that a usual move should take: an even share of the time left, and most of the increment."""
        return min(self._even, self.most)

    @property
    def most(self) -> float:
        """The seconds that this move may take. They leave `LATE` for each move to come."""
        return min(LONGER * self._even, self._spare * max(SHARE, 1 / self._ahead))

    def after(self, seconds: float) -> "Clock":
        """The clock after a move that took so many seconds.

        When the last of `moves` is made, the time for the next ones is the caller's to add. Raises `ValueError` if
        more time was taken than was left.
        """
        if not 0 <= seconds <= self.seconds:
            raise ValueError(f"{self!r}: a move cannot take {seconds!r} seconds; the time has run out")
        moves = None if self.moves in {None, 1} else self.moves - 1
        return Clock(self.seconds - seconds + self.increment, self.increment, moves)

    @property
    def _ahead(self) -> int:
        return self.moves or MOVES

    @property
    def _spare(self) -> float:
        """The time left without the reserve: `LATE` for this move, and for each other one what its increment lacks."""
        return max(0.0, self.seconds - LATE - (self._ahead - 1) * max(0.0, LATE - self.increment))

    @property
    def _even(self) -> float:
        return self._spare / self._ahead + 0.75 * self.increment


class Budget:
    """The time for one move, decided anew after each iteration of its search.

    `spread` is the greatest utility less the least. `until` is when to stop, in seconds from the start of the search;
    it is never more than `clock.most`, except that there is half of `LATE` to find a first answer.

    >>> budget = Budget(Clock(20.02, moves=1), spread=2)
    >>> budget.iteration(0.01, action=3, value=0.5, second=0.0)  # clearly better than the others
    20.0
    >>> budget.iteration(7, action=3, value=0.5, second=0.0)  # the next iteration would take too long: stop
    0.0
    >>> budget.iteration(7, action=4, value=0.5, second=0.5)  # another action is the best: go on
    20.0
    >>> budget.iteration(7.1, action=4, value=0.5, second=-math.inf)  # no other action counts: stop
    0.0
    """

    def __init__(self, clock: Clock, spread: float) -> None:
        self.clock = clock
        self.margin = MARGIN * spread
        self.until = max(min(END * clock.aim, clock.most), LATE / 2)
        self._action: int | None = None
        self._same = 0
        self._values = (-math.inf, -math.inf)  # of the last two iterations

    def iteration(self, seconds: float, action: int, value: float, second: float) -> float:
        """When to stop, now that an iteration has ended after so many seconds.

        `action` is the best one and `value` its value; no other is worth more than `second`, which is minus infinity
        if there is no other, or if all others are proved to be as bad as can be.
        """
        changed = self._action not in {None, action}
        fallen = value < self._values[0] - self.margin  # two plies ago, since estimates depend on who moved last
        self._same = self._same + 1 if action == self._action else 0
        self._action, self._values = action, (self._values[1], value)
        if second == -math.inf:
            factor = 0.0
        elif changed or fallen:
            factor = CHANGED
        elif value - second > self.margin:
            factor = CLEAR
        elif self._same >= ITERATIONS:
            factor = STEADY
        else:
            factor = OPEN
        budget = factor * self.clock.aim
        self.until = min(END * budget, self.clock.most) if seconds < BEGIN * budget else 0.0
        return self.until
