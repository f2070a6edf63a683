"""Matches: many games between the same players, in rounds of one opening each, with all seats exchanged.

A round is a pure job: its games depend on the settings of the match and on the number of the round alone. Rounds are
spread over processes or a cluster; without limits of time the games are the same however they are spread. Start at
`Match.run`.
"""

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, TypeVar

from outplay.arena.hosted import HostedPlayer
from outplay.arena.naming import PlayerSource, PlayerSpec, sources
from outplay.arena.openings import ListedOpenings, RandomOpenings
from outplay.arena.referee import GameRecord, Terms, Watch, play_game
from outplay.arena.sequential import SequentialTest, Verdict
from outplay.arena.strengths import Strength, strength
from outplay.engine.limits import UNLIMITED, Limit
from outplay.parallel.jobs import LATER, finished_jobs, job_seed
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.players import Player
from outplay.system.seeds import fresh_seed

R = TypeVar("R")
MAX_SEAT_ORDERS = 24
"""With more orders of the seats, a round has each player in each seat once."""
KEPT = 8
"""A process keeps this many players ready, or as many as a match needs: they may have large memories."""
COPIES = 2
"""The copies of a bot that take turns where one of them must not know what happened in another game."""


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
        seed: the same seed gives the same openings, the same luck and the same choices. By default, one that nobody
            can guess, since a bot that knows it knows which cards the others have.
        limit: the limit for each move of searches and other programs that are named without one. Players that nothing
            limits have 0.1 s for each move, unless they are named with `exact=true`.
        labels: the names of the players, if not what `names` makes of them.
        luck: the seed of openings and of chance, if not `seed`.
        event: what the match is called in its record.

    Raises `OutplayError` if there are not as many players as seats, or if the numbers are wrong.
    """

    game: Game
    players: tuple[PlayerSource, ...]
    games: int = 100
    openings: RandomOpenings | ListedOpenings = field(default_factory=RandomOpenings)
    terms: Terms = field(default_factory=Terms)
    test: SequentialTest | None = None
    seed: int = field(default_factory=fresh_seed)
    limit: Limit = UNLIMITED
    labels: tuple[str, ...] = ()
    luck: int | None = None
    event: str = ""

    def __post_init__(self) -> None:
        if len(self.players) != self.game.players:
            raise OutplayError(f"{self.game!r} has {self.game.players} players: give as many, not {len(self.players)}")
        if self.games < 1:
            raise OutplayError(f"games={self.games}: give a number from 1 up")
        if self.terms.adjusts_luck and not self.game.has_chance:
            raise OutplayError(f"{self.game!r} has no chance, so there is no luck to adjust for")
        if self.test is not None and self.game.players != 2:
            raise OutplayError("a sequential test is for games of two players")
        object.__setattr__(self, "players", sources(self.players, self.limit, self.terms))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players; equal ones are numbered."""
        return self.labels or names_of(self.players)

    @property
    def settings(self) -> dict[str, Any]:
        """What else decides who meets whom, for the record: nothing."""
        return {}

    @property
    def luck_seed(self) -> int:
        """The seed of openings and of chance."""
        return self.seed if self.luck is None else self.luck

    @property
    def seat_orders(self) -> tuple[tuple[int, ...], ...]:
        """Which player has which seat, for each game of a round."""
        return seat_orders(len(self.players))

    @property
    def rounds(self) -> int:
        """The maximum number of rounds."""
        return -(-self.games // len(self.seat_orders))

    def run(
        self,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        done: Sequence["Round"] = (),
        watch: Watch | None = None,
    ) -> Generator["Round"]:
        """Play; each round is given as soon as it is over. Close the iterator to stop.

        A sequential test counts the rounds in the order of their numbers. So where it ends the match does not depend on
        the number of processes, although some rounds after it may be over by then.

        Args:
            workers: the number of processes; by default one, this one.
            cluster: the address of a Ray cluster, see `outplay.parallel`.
            done: rounds that were played before.
            watch: called after each ply, if the games are played in this process.
        """
        score, finished = Score(self.test), {each.number for each in done}
        for each in done if self.test else ():
            score.add(each)
        if isinstance(self.openings, ListedOpenings):
            self.openings.check(self.game, self.luck_seed, self.rounds)
        players = Players()
        try:
            players.of(self)  # wrong names are found before any work
            jobs = ((self, number) for number in range(self.rounds) if number not in finished)
            rounds = played(play_round, () if score.verdict else jobs, players, workers, cluster, watch)
            for found in rounds:
                yield found
                if self.test is not None:
                    score.add(found)
                    if score.verdict:
                        break
        finally:
            players.close()


@dataclass(frozen=True)
class Round:
    """The games of one opening; `orders` says which player had which seat."""

    number: int
    orders: tuple[tuple[int, ...], ...]
    records: tuple[GameRecord, ...]

    def _repr_html_(self) -> str:
        """For notebooks: the players of each game by seat, their utilities, the moves, and why it ended."""
        from outplay.pictures.html import table  # noqa: PLC0415 - only notebooks need it

        rows = [
            [
                " – ".join(record.players),
                " ".join(f"{utility:+g}" for utility in record.utilities),
                str(len(record.opening) + len(record.plies)),
                record.reason,
            ]
            for record in self.records
        ]
        return table(["players", "utilities", "moves", "end"], rows)

    def utilities(self) -> list[tuple[float, ...]]:
        """The utilities of each game, by player."""
        found = []
        for order, record in zip(self.orders, self.records, strict=True):
            by_player = dict(zip(order, record.utilities, strict=True))
            found.append(tuple(by_player[player] for player in sorted(order)))
        return found


def names_of(players: Sequence[PlayerSource]) -> tuple[str, ...]:
    """The names of players; equal ones are numbered.

    >>> names_of([PlayerSpec.read(text) for text in ("mcts", "deep=alpha-beta(depth=9)", "mcts")])
    ('mcts #1', 'deep', 'mcts #2')
    """
    names = [
        player.label if isinstance(player, PlayerSpec) else getattr(player, "__name__", repr(player))
        for player in players
    ]
    return tuple(
        f"{name} #{names[: place + 1].count(name)}" if names.count(name) > 1 else name
        for place, name in enumerate(names)
    )


def seat_orders(count: int) -> tuple[tuple[int, ...], ...]:
    """Which of so many players has which seat, for each game of a round."""
    if math.factorial(count) <= MAX_SEAT_ORDERS:
        return tuple(permutations(range(count)))
    return tuple(tuple((place + turn) % count for place in range(count)) for turn in range(count))


class Players:
    """The players of one run in one process, which play round after round: compiled once.

    If there are more than are kept, the one that has not played for the longest time is closed.
    """

    def __init__(self) -> None:
        self.kept: dict[tuple[PlayerSource, int, int], Player] = {}

    def of(self, match: Match, luck: int | None = None) -> list[Player]:
        """The players of a match. With a `luck`, no bot among them has played a game with the same one.

        It would know which cards the others have, and what chance will decide.
        """
        found = []
        for place, source in enumerate(match.players):
            number = match.players[:place].count(source)  # one that meets itself is there twice
            for copy in range(COPIES):
                key = source, number, copy
                player = self.kept.pop(key) if key in self.kept else made(source, match.game, match.limit)
                self.kept[key] = player
                if luck is None or not isinstance(player, HostedPlayer) or luck not in player.lucks:
                    break
            else:
                end(player)  # it forgets, and begins anew
            if luck is not None and isinstance(player, HostedPlayer):
                player.lucks.add(luck)
            found.append(player)
        while len(self.kept) > max(KEPT, COPIES * len(found)):
            end(self.kept.pop(next(iter(self.kept))))
        return found

    def close(self) -> None:
        """End all of them."""
        while self.kept:
            end(self.kept.popitem()[1])


PLAYERS = Players()
"""Those of a worker process."""


def made(source: PlayerSource, game: Game, limit: Limit) -> Player:
    """A player, with a limit if it is named without one."""
    if isinstance(source, str):
        source = PlayerSpec.read(source)
    return source.player(game, limit) if isinstance(source, PlayerSpec) else source(game)


def check_players(game: Game, players: Iterable[PlayerSource], limit: Limit) -> None:
    """Raise `OutplayError` if one of them is not a player of the game."""
    for source in dict.fromkeys(players):
        end(made(source, game, limit))


def end(player: Player) -> None:
    """Tell a player that there are no more games."""
    if hasattr(player, "close"):
        player.close()


def played(
    play: Callable[..., R],
    jobs: Iterable[Any],
    players: Players,
    workers: int | None,
    cluster: str | None,
    watch: Watch | None,
) -> Generator[R]:
    """What comes of jobs, as it comes: in this process, where `players` play and `watch` is called, or in others."""
    if workers in (None, 1) and cluster is None:
        for job in jobs:
            if job is not LATER:
                yield play(job, players, watch)
        return
    players.close()
    for result in finished_jobs(play, jobs, workers=workers, cluster=cluster):
        yield result.value


def play_round(job: tuple[Match, int], players: Players = PLAYERS, watch: Watch | None = None) -> Round:
    """Play all games of a round."""
    match, number = job
    seed = job_seed(match.seed, number)
    luck = job_seed(match.luck_seed, number)
    opening = match.openings.opening(match.game, number, match.luck_seed)
    is_secret = match.game.has_chance or match.game.hidden_information
    records, names = [], match.names
    for turn, order in enumerate(match.seat_orders):
        ready = players.of(match, luck if is_secret else None)
        records.append(
            play_game(
                match.game,
                [ready[place] for place in order],
                [names[place] for place in order],
                opening,
                terms=match.terms,
                seed=job_seed(seed, turn),
                luck=luck,
                watch=watch,
            )
        )
    return Round(number, match.seat_orders, tuple(records))


@dataclass
class Score:
    """What the rounds of a match of two players add up to, from the side of the first.

    With a `test`, rounds are counted in the order of their numbers, up to the one that decides. So the score does not
    depend on which were over first.

    Attributes:
        test: the sequential test of the match.
        games: games lost, drawn and won.
        pairs: pairs of games by their points: 0, ½, 1, 1½, 2.
        faults: by player, why it lost games by what it did.
        utilities: the mean utility of the first player in each round.
        adjusted: the same less its luck, if that was measured.
    """

    test: SequentialTest | None = None
    games: list[int] = field(default_factory=lambda: [0, 0, 0])
    pairs: list[int] = field(default_factory=lambda: [0, 0, 0, 0, 0])
    faults: list[dict[str, int]] = field(default_factory=lambda: [{}, {}])
    utilities: list[float] = field(default_factory=list)
    adjusted: list[float] = field(default_factory=list)
    _waiting: dict[int, Round] = field(default_factory=dict, repr=False)

    def add(self, found: Round) -> None:
        """Count a round."""
        if self.test is None:
            self._count(found)
            return
        self._waiting[found.number] = found
        while not self.verdict and (next_one := self._waiting.pop(sum(self.pairs), None)) is not None:
            self._count(next_one)

    def _count(self, found: Round) -> None:
        points = 0
        for order, record, (first, second) in zip(found.orders, found.records, found.utilities(), strict=True):
            result = 1 + (first > second) - (first < second)
            self.games[result] += 1
            points += result
            if record.guilty is not None:
                count_fault(self.faults[order[record.guilty]], record)
        self.pairs[points] += 1
        got = [utilities[0] for utilities in found.utilities()]
        self.utilities.append(sum(got) / len(got))
        luck = [
            record.luck[order.index(0)]
            for order, record in zip(found.orders, found.records, strict=True)
            if record.luck
        ]
        if luck:
            self.adjusted.append((sum(got) - sum(luck)) / len(got))

    def _repr_html_(self) -> str:
        """For notebooks: the games of the first player, and by how much it is stronger."""
        from outplay.pictures.html import paragraph, table  # noqa: PLC0415 - only notebooks need it

        lost, drawn, won = self.games
        if not lost + drawn + won:
            return paragraph("no games yet")
        found = self.strength
        elo, low, high = (f"{number:+.0f}" for number in (found.elo, found.low, found.high))
        row = [str(won), str(drawn), str(lost), f"{found.score:.1%}", f"{elo} ({low} to {high})"]
        return table(["won by the first player", "drawn", "lost", "score", "Elo"], [row])

    @property
    def strength(self) -> Strength:
        """By how much the first player is stronger, from the pairs."""
        return strength(self.pairs)

    @property
    def verdict(self) -> Verdict:
        """What the test says."""
        return "" if self.test is None else self.test.verdict(self.pairs)


def count_fault(reasons: dict[str, int], record: GameRecord) -> None:
    """Count why a player lost a game by what it did."""
    reason = record.reason.partition(":")[0]
    reasons[reason] = reasons.get(reason, 0) + 1
