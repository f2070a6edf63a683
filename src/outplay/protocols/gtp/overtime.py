"""The time that a player has left, as controllers set it: main time, then Canadian overtime."""

from dataclasses import dataclass, replace

from outplay.engine.clock import Clock


@dataclass(frozen=True)
class Time:
    """A player's time in Canadian overtime: `main` seconds at first, then `period` seconds for each `stones` moves.

    The clock shows `left` seconds, for the next `due` moves. In main time `due` is 0: they are for all further moves.

    >>> time = Time(main=60, period=30, stones=10, left=60)
    >>> time.clock
    Clock(seconds=60, increment=3.0, moves=None)
    >>> time.after(65), time.after(65).after(20).clock
    (Time(main=60, period=30, stones=10, left=25, due=10), Clock(seconds=5, increment=0, moves=9))
    """

    main: float
    period: float
    stones: int
    left: float
    due: int = 0

    @classmethod
    def begin(cls, main: float, period: float, stones: int) -> "Time":
        """The time at the start of a game; there is overtime if `stones` is not 0."""
        return cls(main, period, stones, period, stones) if main == 0 and stones else cls(main, period, stones, main)

    @property
    def clock(self) -> Clock:
        """The same time for a search. In main time, overtime counts as an increment that need not be saved up."""
        if self.due:
            return Clock(self.left, moves=self.due)
        return Clock(self.left, self.period / self.stones if self.stones else 0)

    def after(self, seconds: float) -> "Time":
        """The time after a move that took `seconds`; `left` is 0 if the move took too long."""
        left = self.left - seconds
        if self.due == 0 and left <= 0 and self.stones:  # main time has run out
            return replace(self, left=max(0, self.period + left), due=self.stones)
        if self.due == 1:
            return replace(self, left=self.period, due=self.stones)
        return replace(self, left=max(0, left), due=max(0, self.due - 1))
