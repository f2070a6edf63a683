"""Where the players of a tournament stand: points, tie-breaks, the cross table, and ratings. Start at `Standings`.

The order of the players, and what breaks ties, in this order:

- Round-robin and gauntlet: points per game; Sonneborn-Berger, that is for each opponent the points against it times its
  own points per game; wins.
- Swiss: the score, that is 1 for each meeting won, or bye, and ½ for each level one; Buchholz, that is the sum of the
  scores of all opponents, a bye counting as one with the player's own score; Sonneborn-Berger with scores; points.
- Knockout: the stage that was reached. Who is out in the same stage shares a place.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from outplay.arena.concave import Floats
from outplay.arena.contest import Round
from outplay.arena.match import count_fault
from outplay.arena.orders import OrderRatings, rate_orders
from outplay.arena.ratings import Ratings, rate
from outplay.arena.tournament import Schedule, Tournament


class Standing(NamedTuple):
    """Where a player stands.

    Attributes:
        place: its place, from 1; players with equal figures share one.
        player: its number.
        name: its name.
        games: the number of games.
        points: a point for each win and half of one for each draw; with more than two players, in each game the share
            of the others that it came in before.
        won, drawn, lost: games; in those of more than two players, first places, shared ones, and the others.
        score: of a Swiss tournament, meetings won and half of the level ones; of a knockout, how many it has won.
        buchholz: see `outplay.arena.standings`; 0 in other formats.
        sonneborn_berger: see there.
        faults: why it lost games by what it did.
    """

    place: int
    player: int
    name: str
    games: int
    points: float
    won: int
    drawn: int
    lost: int
    score: float
    buchholz: float
    sonneborn_berger: float
    faults: dict[str, int]


class Standings:
    """What the rounds of a tournament add up to.

    Args:
        tournament: the tournament.
        done: rounds that were played before.

    Attributes:
        cross: the points of each player (a row) against each other one.
        games: the number of games of each player against each other one.
        schedule: the meetings so far.

    >>> from outplay.games import TicTacToe
    >>> tournament = Tournament(TicTacToe(), ("alpha-beta(depth=3)", "random", "alpha-beta(depth=1)"), games=4)
    >>> standings = Standings(tournament, list(tournament.run()))
    >>> standings.table()[0].name, float(standings.cross.sum())
    ('alpha-beta(depth=3)', 12.0)
    """

    def __init__(self, tournament: Tournament, done: Sequence[Round] = ()) -> None:
        count = len(tournament.players)
        self.tournament, self.schedule = tournament, Schedule(tournament, done)
        self.cross, self.games = np.zeros((count, count)), np.zeros((count, count), np.int64)
        self.results = np.zeros((count, 3), np.int64)
        """Games lost, drawn and won."""
        self.faults: list[dict[str, int]] = [{} for _ in range(count)]
        self.played: list[tuple[tuple[str, ...], tuple[float, ...]]] = []
        for round_ in done:
            self._count(round_)

    def add(self, round_: Round) -> None:
        """Count a round."""
        self.schedule.add(round_)
        self._count(round_)

    def _count(self, round_: Round) -> None:
        for order, record in zip(round_.orders, round_.records, strict=True):
            self.played.append((tuple(self.tournament.names[player] for player in order), record.utilities))
            if record.guilty is not None:
                count_fault(self.faults[order[record.guilty]], record)
            best = max(record.utilities)
            for player, own in zip(order, record.utilities, strict=True):
                self.results[player, 0 if own < best else 1 + (record.utilities.count(best) == 1)] += 1
                for opponent, other in zip(order, record.utilities, strict=True):
                    if opponent != player:
                        self.cross[player, opponent] += ((own > other) + (own == other) / 2) / (len(order) - 1)
                        self.games[player, opponent] += 1

    def _repr_html_(self) -> str:
        """For notebooks: the players, the best first, with their games, points and tie-breaks."""
        from outplay.pictures.html import table  # noqa: PLC0415 - only notebooks need it

        breaks = {"buchholz": "Buchholz", "sonneborn_berger": "Sonneborn-Berger"}
        rows = self.table()
        tie_breaks = [name for name in breaks if any(getattr(row, name) for row in rows)]
        head = ["", "player", "games", "points", "won", "drawn", "lost", *(breaks[name] for name in tie_breaks)]
        return table(
            head,
            [
                [
                    str(row.place),
                    row.name,
                    *(f"{number:g}" for number in (row.games, row.points, row.won, row.drawn, row.lost)),
                    *(f"{getattr(row, name):.2f}" for name in tie_breaks),
                ]
                for row in rows
            ],
        )

    def table(self) -> list[Standing]:
        """All players, the best first."""
        points, games = self.cross.sum(axis=1), self.results.sum(axis=1)
        share = points / games.clip(1)
        score, buchholz = np.zeros(len(points)), np.zeros(len(points))
        won = self.results[:, 2]
        match self.tournament.format:
            case "swiss":
                meetings = self._meetings()
                byes = np.array([(player,) in self._byes() for player in range(len(points))])
                score = meetings.sum(axis=1) + byes
                buchholz = (meetings + meetings.T) @ score + byes * score
                berger = meetings @ score
                keys = [score, buchholz, berger, points]
            case "knockout":
                score, berger = self._reached(), np.zeros(len(points))
                keys = [score]
            case _:
                berger = self.cross @ share
                keys = [share, berger, won]
        figures = [tuple(round(float(key[player]), 9) for key in keys) for player in range(len(points))]
        order = sorted(range(len(points)), key=lambda player: [-figure for figure in figures[player]])
        return [
            Standing(
                1 + sum(figure > figures[player] for figure in figures),
                player,
                self.tournament.names[player],
                int(games[player]),
                float(points[player]),
                int(self.results[player, 2]),
                int(self.results[player, 1]),
                int(self.results[player, 0]),
                float(score[player]),
                float(buchholz[player]),
                float(berger[player]),
                self.faults[player],
            )
            for player in order
        ]

    def _byes(self) -> set[tuple[int, ...]]:
        """Who had a bye in a Swiss tournament."""
        return {meeting.players for wave in self.schedule.waves for meeting in wave if len(meeting.players) == 1}

    def _meetings(self) -> Floats:
        """What each player of a Swiss tournament has got from its meetings that are over: 1, ½ or 0."""
        points = np.zeros(self.cross.shape)
        whole = self.tournament.rounds * self.tournament.games_a_round
        for one, other in zip(*np.nonzero(self.games == whole), strict=True):
            mine, others = self.cross[one, other], self.cross[other, one]
            points[one, other] = (1 + int(mine > others) - int(mine < others)) / 2
        return points

    def _reached(self) -> Floats:
        """How many meetings of a knockout each player has won, byes included."""
        stages = np.zeros(len(self.cross))
        for wave in self.schedule.waves:
            for meeting in wave:
                stages[list(meeting.players)] = meeting.stage
        if self.schedule.is_over:
            one, other = sorted(self.schedule.waves[-1][0].players)
            stages[one if self.cross[one, other] >= self.cross[other, one] else other] += 1
        return stages

    def ratings(self) -> Ratings | OrderRatings:
        """The likeliest ratings: BayesElo's model for games of two, Plackett and Luce's for more.

        Raises `OutplayError` while some players cannot be compared.
        """
        if self.tournament.game.players > 2:
            return rate_orders(self.played)
        return rate(
            (first, second, ((one > other) + (one >= other)) / 2) for (first, second), (one, other) in self.played
        )
