"""What `outplay match` shows: the score as it grows, on a terminal with a board, and the result at the end."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from outplay.arena.match import Match, Round, Score
from outplay.arena.referee import GameRecord
from outplay.arena.strength import Strength, mean_of
from outplay.cli.output import picture, print_json, say, stderr, stdout
from outplay.rules.game import CHANCE

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

REFRESH = 0.2
"""The seconds between two pictures."""


class Display:
    """The state of a match, shown while it goes on."""

    def __init__(self, match: Match) -> None:
        self.match, self.score, self.spent = match, Score(), Spent(len(match.players))
        self.orders: list[tuple[Sequence[str], Sequence[float]]] = []
        self.rounds, self.began, self.stopped = 0, time.monotonic(), False
        self.live: Any = None
        self.board: tuple[GameRecord, Any] | None = None
        self.shown = 0.0

    def __enter__(self) -> "Display":
        console = stderr()
        if console.is_terminal:
            from rich.live import Live

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

    def add(self, found: Round) -> None:
        """Count a round."""
        self.rounds += 1
        self.spent.add(found)
        names = self.match.names
        for record in found.records:
            self.orders.append((record.players, record.utilities))
        if len(names) == 2:
            self.score.add(found)
        self.refresh(always=True)

    def watch(self, record: GameRecord, states: Sequence[Any]) -> None:
        """Show the board of a running game."""
        self.board = record, states[-1]
        self.refresh()

    @property
    def is_decided(self) -> bool:
        """Whether the test of the match has a verdict."""
        return bool(self.score.verdict(self.match.test))

    @property
    def games(self) -> int:
        """The number of games that are over."""
        return len(self.orders)

    # -- what is shown ------------------------------------------------------------------------------------------------

    def refresh(self, always: bool = False) -> None:
        """Show the match on a terminal."""
        if self.live is None or (not always and time.monotonic() - self.shown < REFRESH):
            return
        self.shown = time.monotonic()
        with suppress(OSError):
            self.live.update(self.panel(), refresh=True)

    def panel(self) -> "Group":
        """The running match."""
        from rich.console import Group
        from rich.text import Text

        parts: list[Any] = [self.table(), Text(self.expectation(), style="dim")]
        if self.board is not None:
            record, state = self.board
            last = record.plies[-1]
            who = "by chance" if last.player == CHANCE else record.players[last.player]
            parts += [
                Text(f"\n{' – '.join(record.players)}"),
                picture(self.match.game, state),
                Text(f"{last.name}  {who}"),
            ]
        return Group(*parts)

    def expectation(self) -> str:
        """How long it may still take."""
        games, most = self.games, self.match.rounds * len(self.match.seat_orders)
        text = f"{games:,} of at most {most:,} games"
        if not self.rounds:
            return text
        left = float(most - games)
        if self.match.test is not None:
            left = min(left, self.match.test.games_left(self.score.pairs))
        seconds = (time.monotonic() - self.began) / games * left
        return f"{text}, about {_duration(seconds)} left"

    def table(self) -> "Table":
        """The score."""
        from rich.table import Table

        table = Table(box=None, pad_edge=False, show_header=True, header_style="dim")
        for name in ("player", "won", "drawn", "lost", "points", "time a move", "waited", "own faults"):
            table.add_column(name, justify="left" if name in ("player", "own faults") else "right")
        lost, drawn, won = self.score.games
        for place, name in enumerate(self.match.names):
            figures: list[str] = ["", "", "", self._points(place)]
            if len(self.match.names) == 2:
                figures = [str(each) for each in ((won, drawn, lost) if place == 0 else (lost, drawn, won))]
                figures.append(f"{(figures_points(won, drawn, lost, place)):.1%}" if self.games else "")
            faults = ", ".join(f"{reason} {number}" for reason, number in self._faults(place).items())
            table.add_row(name, *figures, self.spent.a_move(place), self.spent.waiting(place), faults)
        return table

    def _points(self, place: int) -> str:
        name = self.match.names[place]
        got = [utilities[list(players).index(name)] for players, utilities in self.orders]
        return f"{sum(got) / len(got):+.3f}" if got else ""

    def _faults(self, place: int) -> dict[str, int]:
        return self.score.faults[place] if len(self.match.names) == 2 else {}

    def print(self) -> None:
        """The result."""
        if not self.games:
            return
        stdout().print(self.table())
        say()
        if len(self.match.names) == 2:
            self._print_strength(self.score.strength)
        else:
            self._print_ratings()
        if self.stopped:
            say("interrupted", "yellow")

    def _print_strength(self, found: Strength) -> None:
        first, second = self.match.names
        say(
            f"{first} against {second}: {_elo(found.elo)} Elo, 95% interval {_elo(found.low)} to {_elo(found.high)};"
            f" stronger with {found.superior:.1%}",
            "bold",
        )
        normalized = "" if math.isnan(found.normalized) else f"; normalized Elo {found.normalized:+.0f}"
        say(f"pairs of games by points, 0 to 2: {' '.join(map(str, self.score.pairs))}{normalized}")
        if self.score.adjusted:
            plain, adjusted = mean_of(self.score.utilities), mean_of(self.score.adjusted)
            say(
                f"mean utility of {first}: {plain.mean:+.3f} ± {plain.error:.3f}; less its luck"
                f" {adjusted.mean:+.3f} ± {adjusted.error:.3f}"
            )
        test = self.match.test
        if test is not None:
            words = {
                "accepted": f"at least {test.elo1:g} Elo",
                "rejected": f"not more than {test.elo0:g} Elo",
                "": "open",
            }
            llr = test.llr(self.score.pairs)
            verdict = words[test.verdict(self.score.pairs)]
            say(
                f"test of {test.elo1:g} against {test.elo0:g} Elo: LLR {llr:.2f}, bounds {test.lower:.2f} and"
                f" {test.upper:.2f}: {verdict}"
            )

    def _print_ratings(self) -> None:
        from rich.table import Table

        from outplay.arena.orders import rate_orders

        found = rate_orders(self.orders)
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in ("player", "Elo", "95%", "games"):
            table.add_column(name, justify="left" if name == "player" else "right")
        for each in found.players:
            table.add_row(each.name, f"{each.elo:+.0f}", f"{each.low:+.0f} to {each.high:+.0f}", str(each.games))
        stdout().print(table)

    def print_json(self) -> None:
        """The result as JSON."""
        names = self.match.names
        data: dict[str, Any] = {"players": list(names), "games": self.games, "interrupted": self.stopped}
        if len(names) == 2 and self.games:
            lost, drawn, won = self.score.games
            finite = _finite(self.score.strength._asdict())
            data |= {"won": won, "drawn": drawn, "lost": lost, "pairs": self.score.pairs, **finite}
            data["faults"] = self.score.faults
            data["utility"] = _finite(mean_of(self.score.utilities)._asdict())
            if self.score.adjusted:
                data["adjusted_utility"] = _finite(mean_of(self.score.adjusted)._asdict())
            if self.match.test is not None:
                test = self.match.test
                data["test"] = {
                    "elo0": test.elo0, "elo1": test.elo1, "llr": test.llr(self.score.pairs), "lower": test.lower,
                    "upper": test.upper, "verdict": test.verdict(self.score.pairs),
                }  # fmt: skip
        elif self.games:
            from outplay.arena.orders import rate_orders

            data["ratings"] = [each._asdict() for each in rate_orders(self.orders).players]
        print_json(data)


def _finite(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures for JSON, which has no infinity."""
    return {key: None if isinstance(each, float) and not math.isfinite(each) else each for key, each in figures.items()}


def figures_points(won: int, drawn: int, lost: int, place: int) -> float:
    """The share of the points of the first player, or of the second."""
    share = (won + drawn / 2) / (won + drawn + lost)
    return 1 - share if place else share


class Spent:
    """The time that players took, and the part of it in which the machine did something else."""

    def __init__(self, count: int) -> None:
        self.moves, self.seconds, self.waited = [0] * count, [0.0] * count, [0.0] * count

    def add(self, found: Round) -> None:
        """Count the moves of a round."""
        for order, record in zip(found.orders, found.records, strict=True):
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


def _elo(value: float) -> str:
    return f"{value:+.0f}" if math.isfinite(value) else ("+∞" if value > 0 else "-∞")


def _duration(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "an unknown time"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
