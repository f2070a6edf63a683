"""Tournaments: many players, who meet each other in matches of paired games. Start at `Tournament.run`.

All meetings of a stage have the same openings and the same luck. Rounds of all meetings are jobs side by side, opening
by opening, so that what is there after Ctrl-C is about as much for everyone. What meets in a later stage depends on the
results of the earlier ones alone, never on what was over first.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from outplay.arena.contest import Contest, Plan, Players, Round
from outplay.arena.match import Match, play_round, seat_orders
from outplay.arena.openings import ListedOpenings
from outplay.arena.pairing.knockout import knockout
from outplay.arena.pairing.meeting import Meeting, Waves
from outplay.arena.pairing.round_robin import gauntlet, round_robin
from outplay.arena.pairing.swiss import most_stages, swiss, usual_stages
from outplay.parallel.jobs import LATER, job_seed
from outplay.rules.errors import OutplayError

Format = Literal["round-robin", "gauntlet", "swiss", "knockout"]
"""How it is decided who meets whom, see `outplay.arena.pairing`."""


@dataclass(frozen=True)
class Tournament(Contest[Round]):
    """The settings of a tournament: `games` are those of each meeting; see `Contest`.

    The `orders` of a round have the numbers of the players in the tournament; its `number` is that of its opening.

    Args:
        players: the players; in a knockout the best first. Swiss and knockout are for games of two players.
        format: "round-robin" (everyone meets everyone), "gauntlet" (the first meets all others), "swiss" (in each stage
            those with the nearest scores meet, nobody twice) or "knockout" (who loses is out).
        stages: of a Swiss tournament; by default as many as a knockout has. At most half the number of players.
        extra: how many more rounds a level meeting of a knockout may take; then the better seed wins it.
        challengers: how many of the first players meet all others in a gauntlet.
    """

    games: int = 20
    format: Format = "round-robin"
    stages: int | None = None
    extra: int = 10
    challengers: int = 1

    def __post_init__(self) -> None:
        seats, count = self.game.players, len(self.players)
        if self.format not in get_args(Format):
            raise OutplayError(f"format={self.format!r}: give one of {', '.join(get_args(Format))}")
        if seats == 1:
            raise OutplayError(f"{self.game!r} has one player, so that nobody can meet another")
        if seats > 2 and self.format in ("swiss", "knockout"):
            raise OutplayError(f"a {self.format} is for games of two players; {self.game!r} has {seats}: round-robin")
        if count < max(seats, 2):
            raise OutplayError(f"a tournament of {self.game!r} needs {max(seats, 2)} players or more, not {count}")
        if self.extra < 0:
            raise OutplayError(f"extra={self.extra}: give a number from 0 up")
        if not 1 <= self.challengers <= count - seats + 1:
            raise OutplayError(f"challengers={self.challengers}: {count} players have 1 to {count - seats + 1}")
        if self.format == "swiss" and not 1 <= self.stage_count <= most_stages(count):
            raise OutplayError(
                f"stages={self.stages}: {count} players have 1 to {most_stages(count)} stages in a Swiss tournament;"
                " with more of them, somebody may have met everyone: a round-robin has all meetings"
            )
        super().__post_init__()

    @property
    def rounds(self) -> int:
        """The rounds of each meeting."""
        return -(-self.games // self.games_a_round)

    @property
    def games_a_round(self) -> int:
        """The games of one opening: one for each order of the seats."""
        return len(seat_orders(self.game.players))

    @property
    def stage_count(self) -> int:
        """The number of stages of a Swiss tournament."""
        return usual_stages(len(self.players)) if self.stages is None else self.stages

    @property
    def expected_games(self) -> int:
        """The number of games, without those that decide level meetings of a knockout."""
        count = len(self.players)
        match self.format:
            case "swiss":
                meetings = self.stage_count * (count // 2)
            case "knockout":
                meetings = count - 1
            case _:
                meetings = len(next(self.waves()))
        return meetings * self.rounds * self.games_a_round

    @property
    def settings(self) -> dict[str, Any]:
        """What of the format decides who meets whom in which opening, for the record."""
        by_format: dict[Format, dict[str, Any]] = {
            "gauntlet": {"challengers": self.challengers},
            "swiss": {"rounds": self.rounds, "stages": self.stage_count},
            "knockout": {"rounds": self.rounds, "extra": self.extra},
        }
        return {"format": self.format, **by_format.get(self.format, {})}

    def waves(self) -> Waves:
        """The meetings, see `outplay.arena.pairing`."""
        count, seats = len(self.players), self.game.players
        match self.format:
            case "round-robin":
                return round_robin(count, seats, self.rounds)
            case "gauntlet":
                return gauntlet(count, seats, self.rounds, self.challengers)
            case "swiss":
                return swiss(count, self.rounds, self.stage_count)
            case _:
                return knockout(count, self.rounds, self.extra)

    def match(self, players: Sequence[int]) -> Match:
        """The match of some players: with the openings and the luck of the tournament, and seeds of its own."""
        number = sum((1 + player) * (1 + len(self.players)) ** place for place, player in enumerate(players))
        return Match(
            self.game,
            tuple(self.players[player] for player in players),
            self.games,
            self.openings,
            self.terms,
            seed=job_seed(self.seed, number),
            limit=self.limit,
            labels=tuple(self.names[player] for player in players),
            luck=self.seed,
        )

    def plan(self, done: Sequence[Round], players: Players) -> Plan[Round]:
        """See `Contest`."""
        if isinstance(self.openings, ListedOpenings):
            self.openings.check(self.game, self.seed, self.rounds)
        schedule = Schedule(self, done)
        self.check()  # wrong names are found before any work
        return Plan(play_meeting, schedule.jobs(), schedule.add)


Key = tuple[tuple[int, ...], int]
"""The players of a round, and the number of its opening."""


def key_of(round_: Round) -> Key:
    """What tells a round of a tournament from all others."""
    return round_.orders[0], round_.number


def points_of(round_: Round) -> tuple[float, ...]:
    """The points of the players of a round, in the order of `key_of`.

    They are, in each game, the share of the others that one comes in before; level ones count half. So in games of two,
    a win is 1 and a draw ½.
    """
    total = dict.fromkeys(round_.orders[0], 0.0)
    for order, record in zip(round_.orders, round_.records, strict=True):
        for player, own in zip(order, record.utilities, strict=True):
            beaten = sum((own > utility) + (own == utility) / 2 for utility in record.utilities) - 0.5
            total[player] += beaten / (len(order) - 1)
    return tuple(total.values())


class Schedule:
    """What is to be played, as results come in.

    Args:
        tournament: the tournament.
        done: rounds that were played before.

    Attributes:
        waves: all meetings so far, wave by wave.
        points: the points of the players of each round that is over.

    Raises `OutplayError` if a round is not one of this tournament.
    """

    def __init__(self, tournament: Tournament, done: Sequence[Round] = ()) -> None:
        self.tournament, self.points = tournament, dict[Key, tuple[float, ...]]()
        self.early = {key_of(round_): points_of(round_) for round_ in done}
        """What is over, but of a later wave than the present one."""
        self.formats, self.waves = tournament.waves(), list[list[Meeting]]()
        self.left, self.ready, self.is_over = set[Key](), deque[Key](), False
        self._next(None)
        if self.early:
            (players, number), *_ = self.early
            names = " – ".join(self.tournament.names[player] for player in players)
            raise OutplayError(f"a round that was played before has no place in this tournament: {names}, {number}")

    def _next(self, points: list[tuple[float, ...]] | None) -> None:
        """Take the next wave, and those after it whose results are there."""
        while not self.left and not self.is_over:
            try:
                wave = next(self.formats) if points is None else self.formats.send(points)
            except StopIteration:
                self.is_over = True
                return
            self.waves.append(wave)
            longest = max(len(meeting.openings) for meeting in wave)
            keys = [
                (meeting.players, meeting.openings[turn])
                for turn in range(longest)
                for meeting in wave
                if turn < len(meeting.openings)
            ]
            self.points |= {key: self.early.pop(key) for key in keys if key in self.early}
            new = [key for key in keys if key not in self.points]
            self.ready.extend(new)
            self.left.update(new)
            points = [self.points_in(meeting) for meeting in wave]

    def points_in(self, meeting: Meeting) -> tuple[float, ...]:
        """The points of the players of a meeting so far."""
        rounds = [self.points.get((meeting.players, number)) for number in meeting.openings]
        return tuple(sum(points) for points in zip((0.0,) * len(meeting.players), *filter(None, rounds), strict=True))

    def add(self, round_: Round) -> None:
        """Count a round."""
        key = key_of(round_)
        self.points[key] = points_of(round_)
        self.left.discard(key)
        if not self.left:
            self._next([self.points_in(meeting) for meeting in self.waves[-1]])

    def jobs(self) -> Iterator[Any]:
        """The jobs for `play_meeting`; `LATER` while they depend on results that are not there yet."""
        matches = dict[tuple[int, ...], Match]()
        while self.ready or not self.is_over:
            if not self.ready:
                yield LATER
                continue
            players, number = self.ready.popleft()
            match = matches.setdefault(players, self.tournament.match(players))
            yield match, number, players


def play_meeting(job: tuple[Match, int, tuple[int, ...]], *arguments: Any) -> Round:
    """Play a round of a meeting; its orders have the numbers of the tournament. `arguments` are as for `play_round`."""
    match, number, players = job
    return play_round((match, number), *arguments).of(players)
