"""Matches: many games between the same players, in rounds of one opening each, with all seats exchanged.

A round is a pure job: its games depend on the settings of the match and on the number of the round alone. Rounds are
spread over processes or a cluster; without limits of time the games are the same however they are spread. Start at
`Match.run`.
"""

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from outplay.arena.naming import player_named
from outplay.arena.openings import ListedOpenings, RandomOpenings
from outplay.arena.player import Player
from outplay.arena.referee import GameRecord, Terms, Watch, play_game
from outplay.arena.sequential import SequentialTest, Verdict
from outplay.arena.strength import Strength, strength
from outplay.parallel.jobs import finished_jobs, job_seed
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game

MAX_SEAT_ORDERS = 24
"""With more orders of the seats, a round has each player in each seat once."""

PlayerSource = str | Callable[[Game], Player]
"""A player as text, see `outplay.arena.naming`, or a function that makes it."""


def names_of(players: Sequence[PlayerSource]) -> tuple[str, ...]:
    """The names of players; equal ones are numbered."""
    names = [each if isinstance(each, str) else getattr(each, "__name__", repr(each)) for each in players]
    return tuple(
        f"{name} #{names[: place + 1].count(name)}" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    )


@dataclass(frozen=True)
class Match:
    """The settings of a match.

    Args:
        game: the game.
        players: as many players as the game has.
        games: the maximum number of games; rounded up to whole rounds.
        openings: where games begin.
        terms: the rules besides those of the game.
        test: stops the match as soon as it is decided, for two players.
        seed: the same seed gives the same openings, the same luck and the same choices.

    Raises `OutplayError` if there are not as many players as seats, or if the numbers are wrong.
    """

    game: Game
    players: tuple[PlayerSource, ...]
    games: int = 100
    openings: RandomOpenings | ListedOpenings = field(default_factory=RandomOpenings)
    terms: Terms = field(default_factory=Terms)
    test: SequentialTest | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if len(self.players) != self.game.players:
            raise OutplayError(f"{self.game!r} has {self.game.players} players: give as many, not {len(self.players)}")
        if self.games < 1:
            raise OutplayError(f"games={self.games}: give a number from 1 up")
        if self.test is not None and self.game.players != 2:
            raise OutplayError("a sequential test is for games of two players")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players; equal ones are numbered."""
        return names_of(self.players)

    @property
    def seat_orders(self) -> tuple[tuple[int, ...], ...]:
        """Which player has which seat, for each game of a round."""
        count = len(self.players)
        if math.factorial(count) <= MAX_SEAT_ORDERS:
            return tuple(permutations(range(count)))
        return tuple(tuple((place + turn) % count for place in range(count)) for turn in range(count))

    @property
    def rounds(self) -> int:
        """The maximum number of rounds."""
        return -(-self.games // len(self.seat_orders))

    def run(
        self,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        done: Sequence[int] = (),
        watch: Watch | None = None,
    ) -> Generator["Round"]:
        """Play; each round is given as soon as it is over. Close the iterator to stop.

        Args:
            workers: the number of processes; by default one, this one.
            cluster: the address of a Ray cluster, see `outplay.parallel`.
            done: the numbers of rounds that were played before.
            watch: called after each ply, if the games are played in this process.
        """
        waiting = [number for number in range(self.rounds) if number not in set(done)]
        try:
            for place in range(len(self.players)):  # wrong names are found before any work
                _player(self, place)
        except BaseException:
            close_players()
            raise
        if workers in (None, 1) and cluster is None:
            try:
                for number in waiting:
                    yield play_round((self, number), watch=watch)
            finally:
                close_players()
            return
        close_players()
        jobs = finished_jobs(play_round, [(self, number) for number in waiting], workers=workers, cluster=cluster)
        for result in jobs:
            yield result.value


@dataclass(frozen=True)
class Round:
    """The games of one opening; `orders` says which player had which seat."""

    number: int
    orders: tuple[tuple[int, ...], ...]
    records: tuple[GameRecord, ...]

    def utilities(self) -> list[tuple[float, ...]]:
        """The utilities of each game, by player."""
        found = []
        for order, record in zip(self.orders, self.records, strict=True):
            by_player = dict(zip(order, record.utilities, strict=True))
            found.append(tuple(by_player[player] for player in range(len(order))))
        return found


_players: dict[tuple[str, PlayerSource, int], Player] = {}
"""The players of this process, which play round after round: compiled once."""


def play_round(job: tuple[Match, int], watch: Watch | None = None) -> Round:
    """Play all games of a round."""
    match, number = job
    seed = job_seed(match.seed, number)
    opening = match.openings.opening(match.game, number, match.seed)
    players = [_player(match, place) for place in range(len(match.players))]
    records = []
    for turn, order in enumerate(match.seat_orders):
        records.append(
            play_game(
                match.game,
                [players[place] for place in order],
                [match.names[place] for place in order],
                opening,
                terms=match.terms,
                seed=job_seed(seed, turn),
                luck=seed,
                watch=watch,
            )
        )
    return Round(number, match.seat_orders, tuple(records))


def close_players() -> None:
    """End the players of this process."""
    while _players:
        player = _players.popitem()[1]
        if hasattr(player, "close"):
            player.close()


def _player(match: Match, place: int) -> Player:
    """A player of the match."""
    source = match.players[place]
    key = repr(match.game), source, place
    if key not in _players:
        _players[key] = player_named(source, match.game) if isinstance(source, str) else source(match.game)
    return _players[key]


@dataclass
class Score:
    """What the rounds of a match of two players add up to, from the side of the first.

    Attributes:
        games: games lost, drawn and won.
        pairs: pairs of games by their points: 0, ½, 1, 1½, 2.
        faults: by player, why it lost games by what it did.
    """

    games: list[int] = field(default_factory=lambda: [0, 0, 0])
    pairs: list[int] = field(default_factory=lambda: [0, 0, 0, 0, 0])
    faults: list[dict[str, int]] = field(default_factory=lambda: [{}, {}])

    def add(self, found: Round) -> None:
        """Count a round."""
        points = 0
        for order, record, (first, second) in zip(found.orders, found.records, found.utilities(), strict=True):
            result = 1 + (first > second) - (first < second)
            self.games[result] += 1
            points += result
            if record.guilty is not None:
                reasons = self.faults[order[record.guilty]]
                reason = record.reason.partition(":")[0]
                reasons[reason] = reasons.get(reason, 0) + 1
        self.pairs[points] += 1

    @property
    def strength(self) -> Strength:
        """By how much the first player is stronger, from the pairs."""
        return strength(self.pairs)

    def verdict(self, test: SequentialTest | None) -> Verdict:
        """What a test says."""
        return "" if test is None else test.verdict(self.pairs)
