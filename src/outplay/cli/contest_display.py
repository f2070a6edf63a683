"""What the displays of matches and tournaments share: the live picture, the board, progress, and times of moves."""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from outplay.arena.contest import Contest, Repeats, Round
from outplay.arena.referee import GameRecord
from outplay.cli.human import HumanPlayer
from outplay.cli.output import outcome, picture, say, stderr, stdout
from outplay.rules.game import CHANCE
from outplay.rules.repetition import final

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

REFRESH = 0.2
"""The seconds between two pictures."""
WIDEST = 10_000
"""The maximum width of a table, in characters."""


class ContestDisplay(ABC):
    """The state of a match or tournament, shown while it goes on.

    Args:
        contest: the match or tournament.
        every: print the score after each this many games.
    """

    def __init__(self, contest: Contest[Round], every: int | None = None) -> None:
        self.contest, self.every = contest, every
        self.spent, self.faults, self.repeats = Spent(len(contest.players)), FirstFaults(), Repeats()
        self.before, self.began, self.stopped = 0, time.monotonic(), False
        self.has_people = any(isinstance(player, HumanPlayer) for player in contest.players)
        self.live: Any = None
        self.board: tuple[GameRecord, Any] | None = None
        self.last_refresh = 0.0

    def __enter__(self) -> "ContestDisplay":
        console = stderr()
        if console.is_terminal and not self.has_people:
            from rich.live import Live  # noqa: PLC0415 - heavy

            self.live = Live(console=console, auto_refresh=False, transient=True)
            with suppress(OSError):
                self.live.start()
        self.began = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            with suppress(OSError):
                self.live.stop()

    # -- what happens -------------------------------------------------------------------------------------------------

    def begin(self, done: Sequence[Round]) -> None:
        """Count rounds that were played before."""
        for round_ in done:
            self.note(round_)
        self.count_all(done)
        self.before = self.games

    def add(self, round_: Round) -> None:
        """Count a round."""
        before = self.games
        self.note(round_)
        self.count(round_)
        self.refresh(always=True)
        if self.has_people:
            for record in round_.records:
                say(f"{' – '.join(record.players)}: {' '.join(f'{utility:+g}' for utility in record.utilities)}"
                    f" ({record.reason})")  # fmt: skip
        if self.every is not None and self.games // self.every > before // self.every:
            with suppress(OSError):
                stderr().print(self.summary(), soft_wrap=True)

    def note(self, round_: Round) -> None:
        """Note the times and the faults of a round, and whether it repeats another one."""
        self.spent.add(round_)
        self.faults.add(round_)
        self.repeats.add(round_)

    def print_repeats(self) -> None:
        """Say how many rounds repeat an earlier one, if they are many."""
        if self.repeats.warning:
            say(self.repeats.warning, "yellow")

    def watch(self, record: GameRecord, states: Sequence[Any]) -> None:
        """Show the board of a running game."""
        self.board = record, states[-1]
        self.refresh()
        if self.has_people and (utilities := final(self.contest.game, states)) is not None:
            say(picture(self.contest.game, states[-1]))
            say(f"The game is over: {outcome(self.contest.game, utilities)}.", "bold")

    def count_all(self, done: Sequence[Round]) -> None:
        """Count rounds that were played before."""
        for round_ in done:
            self.count(round_)

    @abstractmethod
    def count(self, round_: Round) -> None:
        """Count a round."""

    @property
    @abstractmethod
    def games(self) -> int:
        """The number of games that are over."""

    # -- what is shown ------------------------------------------------------------------------------------------------

    @abstractmethod
    def table(self) -> "Table":
        """The score."""

    @abstractmethod
    def summary(self) -> str:
        """The score in a line."""

    @abstractmethod
    def games_left(self) -> tuple[int, float]:
        """The maximum number of games, and how many of them are likely to be played yet."""

    def refresh(self, always: bool = False) -> None:
        """Show the contest on a terminal."""
        if self.live is None or (not always and time.monotonic() - self.last_refresh < REFRESH):
            return
        self.last_refresh = time.monotonic()
        with suppress(OSError):
            self.live.update(self.panel(), refresh=True)

    def panel(self) -> "Group":
        """The running contest."""
        from rich.console import Group  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        parts: list[Any] = [self.table(), Text(self.expectation(), style="dim")]
        if self.board is not None:
            record, state = self.board
            last = record.plies[-1]
            mover = "by chance" if last.player == CHANCE else record.players[last.player]
            parts += [
                Text(f"\n{' – '.join(record.players)}"),
                picture(self.contest.game, state),
                Text(f"{last.name}  {mover}"),
            ]
        return Group(*parts)

    def expectation(self) -> str:
        """How long it may still take."""
        most, left = self.games_left()
        text, played = f"{self.games:,} of at most {most:,} games", self.games - self.before
        if not played:
            return text
        return f"{text}, about {duration((time.monotonic() - self.began) / played * left)} left"


class Spent:
    """The time that players took, and the part of it in which the machine did something else."""

    def __init__(self, count: int) -> None:
        self.moves, self.seconds, self.waited = [0] * count, [0.0] * count, [0.0] * count

    def add(self, round_: Round) -> None:
        """Count the moves of a round."""
        for order, record in zip(round_.orders, round_.records, strict=True):
            for ply in record.plies:
                if ply.player != CHANCE:
                    place = order[ply.player]
                    self.moves[place] += 1
                    self.seconds[place] += ply.seconds
                    self.waited[place] += ply.waited

    def a_move(self, place: int) -> str:
        """The mean time of a move."""
        return f"{1000 * self.seconds[place] / self.moves[place]:.1f} ms" if self.moves[place] else ""

    def waiting(self, place: int) -> str:
        """The share of the time that was spent waiting for the processor."""
        return f"{self.waited[place] / self.seconds[place]:.0%}" if self.seconds[place] else ""


class FirstFaults(dict[tuple[int, str], str]):
    """The first fault of each player of each kind, in words: the counts alone do not say what to mend."""

    def add(self, round_: Round) -> None:
        """Note the faults of a round."""
        for order, record in zip(round_.orders, round_.records, strict=True):
            if record.guilty is not None:
                kind = record.reason.partition(":")[0]
                self.setdefault((order[record.guilty], kind), record.reason)

    def print(self, names: Sequence[str]) -> None:
        """Say what each was."""
        for (place, kind), reason in self.items():
            _, colon, words = reason.partition(": ")
            say(f"first {kind} of {names[place]}: {words if colon else reason}", "yellow")

    def as_json(self, place: int) -> dict[str, str]:
        """Those of a player, by kind."""
        return {kind: reason for (player, kind), reason in self.items() if player == place}


def plain_table(*columns: str) -> "Table":
    """A table without lines; names and faults on the left. A narrow terminal breaks names, and no numbers."""
    from rich.table import Table  # noqa: PLC0415 - heavy

    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
    for name in columns:
        is_left, is_name = name in ("player", "own faults"), name == "player"
        table.add_column(name, justify="left" if is_left else "right", no_wrap=not is_name, overflow="fold")
    return table


def print_table(table: "Table") -> None:
    """Print a table in its full width, however narrow the output is."""
    console = stdout()
    width, console.width = console.width, WIDEST
    console.width = max(width, console.measure(table).maximum)
    console.print(table, crop=False)
    console.width = width


def fault_words(faults: dict[str, int]) -> str:
    """Faults in words: time 2, illegal move 1."""
    return ", ".join(f"{reason} {number}" for reason, number in faults.items())


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(59), duration(3725)
    ('59 s', '1 h 02 min')
    """
    if not math.isfinite(seconds):
        return "an unknown time"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
