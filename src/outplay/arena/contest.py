"""What all contests share: their settings, and how their games are played, here or in other processes.

A round is a pure job: its games depend on the settings and on the number of the round alone. Rounds are spread over
processes or a cluster; without limits of time the games are the same however they are spread. Start at `Contest.run`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from outplay.arena.hosted import HostedPlayer
from outplay.arena.naming import PlayerSource, PlayerSpec, sources
from outplay.arena.openings import ListedOpenings, RandomOpenings
from outplay.arena.referee import GameRecord, Terms, Watch
from outplay.engine.limits import UNLIMITED, Limit
from outplay.parallel.jobs import LATER, finished_jobs
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.players import Player
from outplay.system.seeds import fresh_seed

R = TypeVar("R")
KEPT = 8
"""A process keeps this many players ready, or as many as a contest needs: they may have large memories."""
MANY_REPEATED = 0.1
"""From this share of all rounds on, those that repeat an earlier one are worth a warning."""
COPIES = 2
"""The copies of a bot that take turns where one of them must not know what happened in another game."""


@dataclass(frozen=True)
class Contest(ABC, Generic[R]):
    """The settings of a contest, which all contests have.

    Args:
        game: the game.
        players: the players, as text, or functions that make them.
        games: the number of games, see each contest; rounded up to whole rounds.
        openings: where games begin; by default after some random moves.
        terms: the rules besides those of the game.
        seed: the same seed gives the same openings, the same luck and the same choices. By default, one that nobody
            can guess, since a bot that knows it knows which cards the others have.
        limit: the limit for each move of searches and other programs that are named without one. Players that nothing
            limits have 0.1 s for each move, unless they are named with `exact=true`.
        labels: short names of the players.
        event: what it is called in its record.

    Raises `OutplayError` if players or numbers are wrong.
    """

    game: Game
    players: tuple[PlayerSource, ...]
    games: int = 100
    openings: RandomOpenings | ListedOpenings = None  # type: ignore[assignment]  # chosen in __post_init__
    terms: Terms = field(default_factory=Terms)
    seed: int = field(default_factory=fresh_seed)
    limit: Limit = UNLIMITED
    labels: tuple[str, ...] = ()
    event: str = ""

    def __post_init__(self) -> None:
        if self.games < 1:
            raise OutplayError(f"games={self.games}: give a number from 1 up")
        if self.openings is None:
            object.__setattr__(self, "openings", self.usual_openings())
        object.__setattr__(self, "players", sources(self.players, self.limit, self.terms))

    def usual_openings(self) -> RandomOpenings:
        """Where games begin by default."""
        return RandomOpenings()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the players; equal ones are numbered."""
        return names_of(self.players)

    @property
    def settings(self) -> dict[str, Any]:
        """What else decides who meets whom, for the record."""
        return {}

    @property
    @abstractmethod
    def rounds(self) -> int:
        """The maximum number of rounds, of each meeting if there are several."""

    @abstractmethod
    def plan(self, done: Sequence[R], players: "Players") -> "Plan[R]":
        """What is to be played after the rounds in `done`; `players` are those of this process."""

    def check(self) -> None:
        """Raise `OutplayError` if one of the players is not a player of the game."""
        for source in dict.fromkeys(self.players):
            end(player_from(source, self.game, self.limit))

    def run(
        self,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        done: Sequence[R] = (),
        watch: Watch | None = None,
    ) -> Generator[R]:
        """Play; each round is given as soon as it is over. Close the iterator to stop.

        Args:
            workers: the number of processes; by default one, this one.
            cluster: the address of a Ray cluster, see `outplay.parallel`.
            done: rounds that were played before.
            watch: called after each ply, if the games are played in this process.
        """
        return self._run(lambda players: self.plan(done, players), workers, cluster, watch)

    def _run(
        self, plan_for: Callable[["Players"], "Plan[R]"], workers: int | None, cluster: str | None, watch: Watch | None
    ) -> Generator[R]:
        players = Players()
        try:
            plan = plan_for(players)
            if workers in (None, 1) and cluster is None:
                rounds = (plan.play(job, players, watch) for job in plan.jobs if job is not LATER)
            else:
                players.close()
                done = finished_jobs(plan.play, plan.jobs, workers=workers, cluster=cluster)
                rounds = (result.value for result in done)
            for round_ in rounds:
                is_over = plan.is_over_after(round_)
                yield round_
                if is_over:
                    break
        finally:
            players.close()


@dataclass(frozen=True)
class Plan(Generic[R]):
    """What a contest plays.

    Attributes:
        play: plays a job, with `players` and `watch` as for `play_round`; a function of a module, so that it travels.
        jobs: what is to be played; `LATER` waits for rounds that are not over.
        is_over_after: called with each round that is over; whether the contest is, too.
    """

    play: Callable[..., R]
    jobs: Iterable[Any]
    is_over_after: Callable[[R], object]


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

    def of(self, players: Sequence[int]) -> "Round":
        """The round with the numbers that its players have in a greater contest."""
        return replace(self, orders=tuple(tuple(players[place] for place in order) for order in self.orders))

    def utilities(self) -> list[tuple[float, ...]]:
        """The utilities of each game, by player."""
        utilities = []
        for order, record in zip(self.orders, self.records, strict=True):
            by_player = dict(zip(order, record.utilities, strict=True))
            utilities.append(tuple(by_player[player] for player in sorted(order)))
        return utilities


class Repeats:
    """How many rounds are, action for action, the same as an earlier one of the same players.

    Where no player draws at random, they say nothing new, and intervals are too narrow.
    """

    def __init__(self) -> None:
        self.count, self.rounds, self._seen = 0, 0, set[int]()

    def add(self, round_: Round) -> None:
        """Count a round."""
        games = hash(repr((round_.orders, [(record.start, record.actions) for record in round_.records])))
        self.rounds += 1
        self.count += games in self._seen
        self._seen.add(games)

    @property
    def warning(self) -> str:
        """What to say of them; "" if they are few."""
        if self.count < max(2, MANY_REPEATED * self.rounds):
            return ""
        return (
            f"{self.count:,} of {self.rounds:,} rounds repeat an earlier one, action for action: where no player draws"
            " at random, they say nothing new, and the intervals are too narrow; give --openings with more beginnings"
        )


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


class Players:
    """The players of one run in one process, which play round after round: compiled once.

    If there are more than are kept, the one that has not played for the longest time is closed.
    """

    def __init__(self) -> None:
        self.players: dict[tuple[PlayerSource, int, int], Player] = {}

    def of(self, match: "Contest[Any]", luck: int | None = None) -> list[Player]:
        """The players of a match. With a `luck`, no bot among them has played a game with the same one.

        It would know which cards the others have, and what chance will decide.
        """
        copies = []
        for place, source in enumerate(match.players):
            number = match.players[:place].count(source)  # one that meets itself is there twice
            for copy in range(COPIES):
                key = source, number, copy
                player = self.players.pop(key) if key in self.players else player_from(source, match.game, match.limit)
                self.players[key] = player
                if luck is None or not isinstance(player, HostedPlayer) or luck not in player.lucks:
                    break
            else:
                end(player)  # it forgets, and begins anew
            if luck is not None and isinstance(player, HostedPlayer):
                player.lucks.add(luck)
            copies.append(player)
        while len(self.players) > max(KEPT, COPIES * len(copies)):
            end(self.players.pop(next(iter(self.players))))
        return copies

    def close(self) -> None:
        """End all of them."""
        while self.players:
            end(self.players.popitem()[1])


PLAYERS = Players()
"""Those of a worker process."""


def player_from(source: PlayerSource, game: Game, limit: Limit) -> Player:
    """A player, with a limit if it is named without one."""
    if isinstance(source, str):
        source = PlayerSpec.read(source)
    return source.player(game, limit) if isinstance(source, PlayerSpec) else source(game)


def end(player: Player) -> None:
    """Tell a player that there are no more games."""
    if hasattr(player, "close"):
        player.close()
