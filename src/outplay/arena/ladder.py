"""Ladders: one player at growing strength, where each rung plays its neighbours.

Neighbours play rounds of one opening each, with the seats exchanged. What the games say is in `ladder_score.py`. Start
at `Ladder.of`, or at `outplay ladder`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from outplay.arena.contest import Contest, Plan, Players, Round
from outplay.arena.match import Match, play_round
from outplay.arena.naming import PlayerSpec
from outplay.arena.openings import RandomOpenings
from outplay.arena.vary import Vary, read_vary
from outplay.parallel.jobs import job_seed
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.repetition import final, playable

SPARE = 8
"""By default, there are so many times more openings than rounds, so that few games are played twice."""
MAX_OPENING = 0.25
"""The share of a game that an opening may be, by default."""


@dataclass(frozen=True)
class Ladder(Contest[Round]):
    """The settings of a ladder, for a game of two players with opposed interests; see `Contest`.

    Its rounds have the numbers of the rungs as players. All pairs have a round, then all have another one, so that a
    ladder that was stopped has about as many games of each.

    Args:
        players: the rungs, at least two different ones, the first one the lowest.
        games: the number of games of each pair of neighbours; rounded up to whole rounds of two.
        openings: where games begin; by default random moves, as many as it takes for the openings to be different.
        vary: what varies.
    """

    vary: Vary | None = None

    def __post_init__(self) -> None:
        if self.game.players != 2 or not has_constant_sum(self.game):
            raise OutplayError(f"a ladder is for two players with opposed interests, which {self.game!r} does not have")
        if len(self.players) < 2 or len(set(self.players)) < len(self.players):
            raise OutplayError("a ladder has at least two rungs, all of them different")
        super().__post_init__()

    def usual_openings(self) -> RandomOpenings:
        """See `Contest`."""
        return varied_openings(self.game, self.rounds_of_a_pair)

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
        varied = read_vary(vary)
        players = [PlayerSpec.read(player).with_option(varied.option, value) for value in varied.values]
        labels = list(varied.values)
        if below is not None:
            players, labels = [PlayerSpec.read(below), *players], [below, *labels]
        return cls(game, tuple(players), labels=tuple(labels), vary=varied, **options)  # type: ignore[arg-type]

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

    def plan(self, done: Sequence[Round], players: Players) -> Plan[Round]:
        """See `Contest`."""
        finished = {round_.number for round_ in done}
        jobs = ((self, number) for number in range(self.rounds) if number not in finished)
        return Plan(play_rung, jobs, lambda _: False)


def play_rung(job: tuple[Ladder, int], *arguments: Any) -> Round:
    """Play a round of a ladder. A rung is always the first player of its matches, or always the second one, so that
    there is one of it. `arguments` are as for `play_round`.
    """
    ladder, number = job
    turn, pair = divmod(number, ladder.pairs)
    rungs = (pair, pair + 1) if pair % 2 == 0 else (pair + 1, pair)
    players = ladder.players[rungs[0]], ladder.players[rungs[1]]
    seed = job_seed(ladder.seed, pair)
    match = Match(ladder.game, players, openings=ladder.openings, terms=ladder.terms, seed=seed, limit=ladder.limit)
    return replace(play_round((match, turn), *arguments).of(rungs), number=number)


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
