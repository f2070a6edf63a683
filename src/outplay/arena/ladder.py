"""Ladders: one player at growing strength, where each rung plays its neighbours.

Neighbours play rounds of one opening each, with the seats exchanged. What the games say is in `ladder_score.py`. Start
at `Ladder.of`, or at `outplay ladder`.
"""

import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar

from outplay.arena.match import Match, Players, Round, check_players, names_of, play_round, played
from outplay.arena.naming import PlayerSource, PlayerSpec, sources
from outplay.arena.openings import ListedOpenings, RandomOpenings
from outplay.arena.referee import Terms, Watch
from outplay.arena.vary import Vary, read_vary
from outplay.engine.limits import UNLIMITED, Limit
from outplay.parallel.jobs import job_seed
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.repetition import final, playable
from outplay.system.seeds import fresh_seed

SPARE = 8
"""By default, there are so many times more openings than rounds, so that few games are played twice."""
MAX_OPENING = 0.25
"""The share of a game that an opening may be, by default."""


@dataclass(frozen=True)
class Ladder:
    """The settings of a ladder.

    Args:
        game: a game of two players with opposed interests.
        players: the rungs, the first one the lowest.
        games: the number of games of each pair of neighbours; rounded up to whole rounds of two.
        openings: where games begin; by default random moves, as many as it takes for the openings to be different.
        terms: the rules besides those of the game.
        seed: the same seed gives the same openings, the same luck and the same choices. By default, one that nobody
            can guess.
        labels: short names of the rungs.
        vary: what varies.
        event: what it is called in its record.

    Raises `OutplayError` if the game has other players, or if the rungs are not at least two different ones.
    """

    game: Game
    players: tuple[PlayerSource, ...]
    games: int = 100
    openings: RandomOpenings | ListedOpenings | None = None
    terms: Terms = field(default_factory=Terms)
    seed: int = field(default_factory=fresh_seed)
    labels: tuple[str, ...] = ()
    vary: Vary | None = None
    event: str = ""
    limit: ClassVar[Limit] = UNLIMITED

    def __post_init__(self) -> None:
        if self.game.players != 2 or not has_constant_sum(self.game):
            raise OutplayError(f"a ladder is for two players with opposed interests, which {self.game!r} does not have")
        if len(self.players) < 2 or len(set(self.players)) < len(self.players):
            raise OutplayError("a ladder has at least two rungs, all of them different")
        if self.games < 1:
            raise OutplayError(f"games={self.games}: give a number from 1 up")
        if self.openings is None:
            object.__setattr__(self, "openings", varied_openings(self.game, self.rounds_of_a_pair))
        object.__setattr__(self, "players", sources(self.players, self.limit, self.terms))

    @classmethod
    def of(cls, game: Game, player: str, vary: str, *, below: str | None = None, **options: object) -> "Ladder":
        """The ladder of a player of whom one option varies.

        Args:
            game: the game.
            player: the player, as text.
            vary: what varies, such as "depth=1..8".
            below: another player as the lowest rung, such as "random".
            options: those of `Ladder`.

        >>> from outplay.games import TicTacToe
        >>> Ladder.of(TicTacToe(), "alpha-beta", "depth=1..3").names
        ('alpha-beta(depth=1)', 'alpha-beta(depth=2)', 'alpha-beta(depth=3)')
        """
        found = read_vary(vary)
        players = [PlayerSpec.read(player).with_option(found.option, value) for value in found.values]
        labels = list(found.values)
        if below is not None:
            players, labels = [PlayerSpec.read(below), *players], [below, *labels]
        return cls(game, tuple(players), labels=tuple(labels), vary=found, **options)  # type: ignore[arg-type]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the rungs."""
        return names_of(self.players)

    @property
    def settings(self) -> dict[str, Any]:
        """What decides who meets whom, for the record."""
        return {"format": "ladder"}

    @property
    def unit(self) -> str:
        """What the labels say: the option that varies."""
        return self.vary.option if self.vary else "player"

    @property
    def pairs(self) -> int:
        """The number of pairs of neighbours."""
        return len(self.players) - 1

    @property
    def rounds_of_a_pair(self) -> int:
        """The number of rounds of each pair."""
        return -(-self.games // 2)

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return self.pairs * self.rounds_of_a_pair

    def check(self) -> None:
        """Raise `OutplayError` if a rung is not a player of this game."""
        check_players(self.game, self.players, self.limit)

    def run(
        self,
        *,
        workers: int | None = None,
        cluster: str | None = None,
        done: Sequence[Round] = (),
        watch: Watch | None = None,
    ) -> Generator[Round]:
        """Play; each round is given as soon as it is over, with the numbers of the rungs as its players.

        All pairs have a round, then all have another one, so that a ladder that was stopped has about as many games of
        each. The arguments are those of `Match.run`.
        """
        finished, players = {each.number for each in done}, Players()
        jobs = [(self, number) for number in range(self.rounds) if number not in finished]
        try:
            yield from played(play_rung, jobs, players, workers, cluster, watch)
        finally:
            players.close()


def play_rung(job: tuple[Ladder, int], *more: Any) -> Round:
    """Play a round of a ladder. A rung is always the first player of its matches, or always the second one, so that
    there is one of it. `more` is as for `play_round`.
    """
    ladder, number = job
    turn, pair = divmod(number, ladder.pairs)
    rungs = (pair, pair + 1) if pair % 2 == 0 else (pair + 1, pair)
    assert ladder.openings is not None, "they were chosen"
    players = ladder.players[rungs[0]], ladder.players[rungs[1]]
    seed = job_seed(ladder.seed, pair)
    match = Match(ladder.game, players, openings=ladder.openings, terms=ladder.terms, seed=seed)
    found = play_round((match, turn), *more)
    return Round(number, tuple(tuple(rungs[place] for place in order) for order in found.orders), found.records)


def varied_openings(game: Game, rounds: int) -> RandomOpenings:
    """Openings of an even number of random moves, so many that those of `rounds` rounds are rarely the same.

    >>> from outplay.games import ConnectFour, TicTacToe
    >>> varied_openings(ConnectFour(), 50).plies, varied_openings(TicTacToe(), 50).plies
    (4, 2)
    """
    if game.has_chance or game.hidden_information:
        return RandomOpenings(0)
    random, states, choices = Random(0), [game.initial_state()], list[int]()  # noqa: S311 - not for secrets

    def plies() -> int:
        return int(MAX_OPENING * len(choices))

    while math.prod(choices[: plies()]) < SPARE * rounds and final(game, states) is None:
        legal = playable(game, states)
        choices.append(len(legal))
        states.append(game.result(states[-1], random.choice(legal)))
    return RandomOpenings(max(2, plies() + plies() % 2))
