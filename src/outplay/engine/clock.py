"""How long to think about one move of a game that is played with a clock.

Thinking longer is useful only if it may change the move (Russell & Wefald 1991, *Principles of metareasoning*). Whether
it will is unknown, but an iterative search gives hints at the end of each iteration. An action that stays the best, or
is far better than all others, will probably be played anyway. An action that has just become the best, or whose value
has fallen, may still be replaced. `Clock` limits the time of a move; `Budget` uses the hints.

A search ends at most `MAX_DELAY` seconds after its time. A clock reserves this time for each move to come, so it does
not run out.
"""

import math
import re
from dataclasses import dataclass, replace

from outplay.rules.options import check_options, number

MAX_DELAY = 0.02
"""The maximum number of seconds between the end of a search's time and the end of the search."""
EXPECTED_MOVES = 20
"""The assumed number of moves to come, if the clock does not give one."""
MAX_SHARE = 1 / 3
"""The maximum part of the remaining time for one move, unless its even share is more."""
LAST_SHARE = 0.8
"""The same for the last move of a session, if another one follows: what is saved is not lost, but a late move loses."""
MAX_FACTOR = 5
"""The maximum time for one move, as a multiple of an even share."""

START_BEFORE = 0.6
"""No iteration starts after this part of the budget: at its end, 1.5 to 3 times as much time would be used."""
STOP_AFTER = 2.0
"""A running iteration is stopped after this multiple of the budget."""
CHANGED_FACTOR, OPEN_FACTOR, STEADY_FACTOR, CLEAR_FACTOR = 5.0, 2.0, 1.0, 0.5
"""The budget as a multiple of the time to aim for: if the best action has changed or its value has fallen; if it may
still change; if it has stayed the same; if it is clearly better than all others."""
STEADY_ITERATIONS = 4
"""The number of iterations without a change after which the best action counts as steady."""
CLEAR_MARGIN = 0.1
"""A clear difference between two values, as a fraction of the range of utilities."""

_NUMBER = r"(\d{1,9}(?:\.\d+)?)"
_TEXT = re.compile(rf"(?:([1-9]\d{{0,3}})/)?(?:(\d{{1,9}}):(?=[0-5]\d(?!\d)))?{_NUMBER}(?:\+{_NUMBER})?", re.ASCII)
"""Moves, minutes, seconds and increment."""


@dataclass(frozen=True)
class Clock:
    """The clock of the player to move.

    Args:
        seconds: the time left.
        increment: the seconds added after each move.
        moves: the number of moves, including this one, to be made in the time left; None for the rest of the game.
        session: the clock of each session that follows after `moves`: what is left is added to its time. None if there
            is no more time for later moves.

    Raises `ValueError` for a negative number or a value that is not a number.

    >>> clock = Clock(60, increment=2)
    >>> round(clock.aim, 3), round(clock.most, 3)  # for this move
    (4.499, 19.993)
    >>> clock.after(4.5)
    Clock(seconds=57.5, increment=2, moves=None)
    >>> Clock(5, moves=1, session=Clock(60, moves=40)).after(3).seconds
    62
    """

    seconds: float = number(least=0)
    increment: float = number(0, least=0)
    moves: int | None = number(None, least=1)
    session: "Clock | None" = None

    def __post_init__(self) -> None:
        check_options(self)
        if not isinstance(self.session, Clock | None):
            raise ValueError(f"Clock(session={self.session!r}): session is a Clock or None")

    def __repr__(self) -> str:
        session_text = "" if self.session is None else f", session={self.session!r}"
        return f"Clock(seconds={self.seconds!r}, increment={self.increment!r}, moves={self.moves!r}{session_text})"

    @classmethod
    def parse(cls, text: str) -> "Clock":
        """The clock at the beginning of a game, as people write it: minutes and seconds, or seconds; the increment of a
        move after `+`; before `/` the moves of a session. Raises `ValueError` for other text.

        >>> Clock.parse("5:00+3"), Clock.parse("90")
        (Clock(seconds=300.0, increment=3.0, moves=None), Clock(seconds=90.0, increment=0.0, moves=None))
        >>> Clock.parse("40/5:00").moves
        40
        """
        match = _TEXT.fullmatch(text)
        moves, minutes, seconds, increment = match.groups() if match else (None,) * 4
        whole = 60 * float(minutes or 0) + float(seconds or 0)
        if not whole:
            raise ValueError(
                f"{text!r} is not a time; write 5:00+3 for 5 minutes and 3 seconds per move, 90 for 90 s, 40/5:00 for"
                " 5 minutes for each 40 moves"
            )
        return cls(whole, float(increment or 0), int(moves) if moves else None).of_a_game()

    def of_a_game(self) -> "Clock":
        """The same at the beginning of a game: if it has `moves`, such sessions follow each other up to the end."""
        return self if self.moves is None or self.session else replace(self, session=self)

    @property
    def is_for_one_move(self) -> bool:
        """Whether this is the time for one move, of which nothing can be saved."""
        return self.moves == 1 and self.session is None

    @property
    def aim(self) -> float:
        """The seconds that an average move should take: an even share of the time left and most of the increment."""
        return min(self._even, self.most)

    @property
    def most(self) -> float:
        """The maximum number of seconds for this move. It leaves `MAX_DELAY` seconds for each move to come."""
        share = max(MAX_SHARE, 1 / self._ahead)
        return min(MAX_FACTOR * self._even, self._spare * (share if self.session is None else min(share, LAST_SHARE)))

    def after(self, seconds: float) -> "Clock":
        """The clock after a move that took `seconds`, in the next session if it was the last of `moves`.

        Raises `ValueError` if the move took more time than was left.
        """
        if not 0 <= seconds <= self.seconds:
            raise ValueError(f"{self!r}: a move cannot take {seconds!r} seconds; the time has run out")
        left = self.seconds - seconds + self.increment
        if self.moves == 1 and self.session is not None:
            return replace(self.session, seconds=left + self.session.seconds, session=self.session)
        return replace(self, seconds=left, moves=None if self.moves in {None, 1} else self.moves - 1)

    @property
    def _ahead(self) -> int:
        return self.moves or EXPECTED_MOVES

    @property
    def _spare(self) -> float:
        """The time left minus the reserve: `MAX_DELAY` for each move to come, less the increments still to come."""
        return max(0.0, self.seconds - MAX_DELAY - (self._ahead - 1) * max(0.0, MAX_DELAY - self.increment))

    @property
    def _even(self) -> float:
        """An even share, also with the moves and the time of the next session: what is saved is not lost."""
        even = self._spare / self._ahead
        if self.session is not None:
            ahead = self._ahead + self.session._ahead
            even = min(even, (self._spare + self.session._spare) / ahead)
        return even + 0.75 * self.increment


class Budget:
    """The time for one move, updated after each iteration of its search.

    `spread` is the greatest possible utility minus the least. `until` is the time to stop, in seconds from the start of
    the search. It is at most `clock.most`, but at least half of `MAX_DELAY` before the first iteration has ended.

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
        self.margin = CLEAR_MARGIN * spread
        self.until = max(min(STOP_AFTER * clock.aim, clock.most), MAX_DELAY / 2)
        self._action: int | None = None
        self._same = 0
        self._values = (-math.inf, -math.inf)  # of the last two iterations

    def iteration(self, seconds: float, action: int, value: float, second: float) -> float:
        """The time to stop, after an iteration that ended `seconds` after the start of the search.

        `action` is the best action and `value` its value. No other action is worth more than `second`, which is minus
        infinity if there is no other action, or if all others are proved to have the worst possible value.
        """
        changed = self._action not in {None, action}
        fallen = value < self._values[0] - self.margin  # two plies ago, since estimates depend on who moved last
        self._same = self._same + 1 if action == self._action else 0
        self._action, self._values = action, (self._values[1], value)
        if second == -math.inf:
            factor = 0.0
        elif changed or fallen:
            factor = CHANGED_FACTOR
        elif value - second > self.margin:
            factor = CLEAR_FACTOR
        elif self._same >= STEADY_ITERATIONS:
            factor = STEADY_FACTOR
        else:
            factor = OPEN_FACTOR
        budget = factor * self.clock.aim
        self.until = min(STOP_AFTER * budget, self.clock.most) if seconds < START_BEFORE * budget else 0.0
        return self.until
