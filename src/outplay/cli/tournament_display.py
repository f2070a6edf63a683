"""What `outplay tournament` shows: the standings as they change, and at the end who beat whom, and ratings."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outplay.arena.contest import Round
from outplay.arena.elo import elo_text, finite, interval_text
from outplay.arena.pairing.meeting import Meeting
from outplay.arena.standings import Standings
from outplay.arena.tournament import Tournament
from outplay.cli.contest import say_seed
from outplay.cli.contest_display import ContestDisplay, fault_words, plain_table, print_table
from outplay.cli.output import say
from outplay.rules.errors import OutplayError

if TYPE_CHECKING:
    from rich.table import Table

    from outplay.arena.orders import OrderRatings
    from outplay.arena.ratings import Ratings

COLUMNS = {
    "round-robin": ("S-B",),
    "gauntlet": ("S-B",),
    "swiss": ("score", "Buchholz", "S-B"),
    "knockout": ("meetings won",),
}
"""What decides besides points, by format."""


class TournamentDisplay(ContestDisplay):
    """The state of a tournament."""

    def __init__(self, tournament: Tournament, every: int | None = None) -> None:
        super().__init__(tournament, every)
        self.tournament, self.standings = tournament, Standings(tournament)

    def count_all(self, done: Sequence[Round]) -> None:
        """See `ContestDisplay`."""
        self.standings = Standings(self.tournament, done)

    def count(self, round_: Round) -> None:
        """See `ContestDisplay`."""
        self.standings.add(round_)

    @property
    def games(self) -> int:
        """The number of games that are over."""
        return len(self.standings.played)

    def games_left(self) -> tuple[int, float]:
        """See `ContestDisplay`."""
        level = self.tournament.extra * self.tournament.games_a_round * (len(self.tournament.players) - 1)
        most = self.tournament.expected_games
        left = max(0.0, float(most - self.games))
        return most + (level if self.tournament.format == "knockout" else 0), left

    def table(self) -> "Table":
        """Where the players stand."""
        breaks, is_duel = COLUMNS[self.tournament.format], self.tournament.game.players == 2
        games = ("won", "drawn", "lost") if is_duel else ()
        table = plain_table("", "player", "points", "games", *games, *breaks, "time a move", "waited", "own faults")
        for standing in self.standings.table():
            figures = {"score": standing.score, "Buchholz": standing.buchholz, "S-B": standing.sonneborn_berger}
            figures["meetings won"] = standing.score
            table.add_row(
                str(standing.place),
                standing.name,
                number_text(standing.points),
                str(standing.games),
                *(str(number) for number in (standing.won, standing.drawn, standing.lost) if is_duel),
                *(number_text(figures[name]) for name in breaks),
                self.spent.a_move(standing.player),
                self.spent.waiting(standing.player),
                fault_words(standing.faults),
            )
        return table

    def summary(self) -> str:
        """The score in a line."""
        places = ", ".join(
            f"{standing.place}. {standing.name} {number_text(standing.points)}/{standing.games}"
            for standing in self.standings.table()
        )
        return f"{self.games} games: {places}"

    def print(self) -> None:
        """The result."""
        if not self.games:
            return
        print_table(self.table())
        self.faults.print(self.tournament.names)
        say()
        if self.tournament.format in ("swiss", "knockout"):
            self._print_stages()
        if self.tournament.format != "knockout":
            self._print_cross_table()
        self._print_ratings()
        self.print_repeats()
        say_seed(self.tournament.seed)
        if self.stopped:
            say("interrupted", "yellow")

    def _print_cross_table(self) -> None:
        """The points of each player against each other one."""
        order = [standing.player for standing in self.standings.table()]
        table = plain_table("", "player", *(str(1 + place) for place in range(len(order))))
        for place, row in enumerate(order):
            cells = (
                number_text(self.standings.cross[row, column]) if self.standings.games[row, column] else "·"
                for column in order
            )
            table.add_row(str(1 + place), self.tournament.names[row], *cells)
        print_table(table)
        say()

    def stages(self) -> list[list[tuple[tuple[int, ...], tuple[float, ...]]]]:
        """Who met whom in each stage, with the points of both."""
        stages: list[dict[tuple[int, ...], tuple[float, ...]]] = []
        for wave in self.standings.schedule.waves:
            for meeting in wave:
                if meeting.stage == len(stages):
                    stages.append({})
                stages[meeting.stage][meeting.players] = self._points(meeting)
        return [list(stage.items()) for stage in stages]

    def _points(self, meeting: Meeting) -> tuple[float, ...]:
        if len(meeting.players) == 1:
            return (0.0,)
        one, other = meeting.players
        return float(self.standings.cross[one, other]), float(self.standings.cross[other, one])

    def _print_stages(self) -> None:
        names = self.tournament.names
        for number, stage in enumerate(self.stages(), 1):
            say(f"stage {number}", "bold")
            for players, points in stage:
                if len(players) == 1:
                    say(f"  {names[players[0]]}  bye")
                else:
                    score = " : ".join(map(number_text, points))
                    by_seed = points[0] == points[1] and self.tournament.format == "knockout"
                    after = "  the better seed goes on" if by_seed and number < len(self.stages()) else ""
                    say(f"  {names[players[0]]} – {names[players[1]]}  {score}{after}")
        say()

    def _ratings(self) -> "Ratings | OrderRatings | None":
        """The ratings; None while some players cannot be compared."""
        try:
            return self.standings.ratings()
        except OutplayError:
            return None

    def _print_ratings(self) -> None:
        ratings = self._ratings()
        if ratings is None:
            say("no ratings: some players have not met, not even by way of others")
            return
        table = plain_table("player", "Elo", "95%", "games", "stronger than the next")
        for player, after in zip(ratings.players, (*ratings.players[1:], None), strict=True):
            sure = "" if after is None else f"{ratings.superior[player.name, after.name]:.1%}"
            interval = interval_text(player.low, player.high)
            table.add_row(player.name, elo_text(player.elo), interval, str(player.games), sure)
        print_table(table)

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data; players are numbered from 0 in the order in which they were named."""
        ratings = self._ratings() if self.games else None
        data: dict[str, Any] = {
            "players": list(self.tournament.names),
            **self.tournament.settings,
            "games": self.games,
            "finished": self.standings.schedule.is_over,
            "interrupted": self.stopped,
            "seed": self.tournament.seed,
            "repeated_rounds": self.repeats.count,
            "standings": [standing._asdict() for standing in self.standings.table()],
            "cross_table": self.standings.cross.tolist(),
        }
        if self.tournament.format in ("swiss", "knockout"):
            data["stages"] = [
                [{"players": players, "points": points} for players, points in stage] for stage in self.stages()
            ]
        if ratings is not None:
            data["ratings"] = [
                {key: finite(value) for key, value in player._asdict().items()} for player in ratings.players
            ]
            neighbours = zip(ratings.players, ratings.players[1:], strict=False)
            data["superior"] = [ratings.superior[one.name, other.name] for one, other in neighbours]
        return data


def number_text(number: float) -> str:
    """Points, with at most two digits behind the point.

    >>> number_text(12.5), number_text(40), number_text(3.3333)
    ('12.5', '40', '3.33')
    """
    return f"{number:.2f}".rstrip("0").rstrip(".")
