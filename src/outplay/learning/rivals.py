"""Matches between what was learned and what there was before. Start at `compare`."""

import math
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from outplay.arena.contest import Round
from outplay.arena.match import Match, Score
from outplay.arena.openings import RandomOpenings
from outplay.arena.referee import Terms
from outplay.arena.sequential import SequentialTest
from outplay.arena.strengths import Strength
from outplay.chance.expectiminimax import Expectiminimax
from outplay.chance.max_n import MaxN
from outplay.engine.limits import Limit
from outplay.evaluation.variant import Evaluation
from outplay.rules.constant_sum import is_opposed
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.search.alpha_beta import AlphaBeta
from outplay.session.players import Player, SearchPlayer

MAX_PLIES = 100_000
OPENING = 4
"""The number of random moves with which a game between two or more begins."""
DEVIATIONS = 2.0
"""Without such a test, the mean difference must be more than this many standard errors."""


@dataclass(frozen=True)
class Comparison:
    """How a player did against another one.

    Attributes:
        games: the number of games.
        better: whether it is the stronger one; None if the games do not decide.
        strength: the difference in Elo, for two players.
        difference: the mean difference of utilities, for other numbers of players.
        error: its standard error.

    >>> from outplay.arena.strengths import strength
    >>> str(Comparison(8, True, strength([0, 0, 8]))), str(Comparison(8, None, strength([4, 0, 4])))
    ('won all 8 games', '+0 Elo (-250 to +250)')
    """

    games: int
    better: bool | None
    strength: Strength | None = None
    difference: float = 0.0
    error: float = 0.0

    def __str__(self) -> str:
        if self.strength is not None:
            if math.isinf(self.strength.elo):
                return f"{'won' if self.strength.elo > 0 else 'lost'} all {self.games} games"
            return f"{self.strength.elo:+.0f} Elo ({self.strength.low:+.0f} to {self.strength.high:+.0f})"
        return f"{self.difference:+.3g} a game, ± {DEVIATIONS * self.error:.2g}"

    def as_dict(self) -> dict[str, Any]:
        """The comparison as plain values, for JSON."""
        if self.strength is None:
            return {"games": self.games, "difference": self.difference, "error": self.error, "better": self.better}
        elo, low, high = self.strength[:3]
        return {"games": self.games, "elo": elo, "low": low, "high": high, "better": self.better}


def searcher_of(game: Game, evaluation: Evaluation | None) -> Any:
    """The search that uses evaluations of such a game."""
    if not is_opposed(game):
        pruning = None if evaluation is None else "off"  # learned estimates of all players have no constant sum
        return MaxN(game, evaluate=evaluation, pruning=pruning)
    if game.has_chance:
        return Expectiminimax(game, evaluate=evaluation)
    return AlphaBeta(game, evaluate=evaluation)


def player_of(evaluation: Evaluation | None, limit: Limit) -> Callable[[Game], Player]:
    """A player that searches with an evaluation; None: the game's own, if it has one."""
    return lambda game: SearchPlayer(searcher_of(game, evaluation), limit)


def compare(
    game: Game,
    new: Callable[[Game], Player] | str,
    old: Callable[[Game], Player] | str,
    games: int,
    seed: int,
    until: float,
    test: SequentialTest | None = None,
) -> Comparison:
    """Let two players meet, until it is decided who is stronger, or until so many games, or that time is over.

    A game of one player is played by both with the same luck. In a game of more than two, the new one has each seat in
    turn, among players of the old kind.
    """
    terms = Terms(max_plies=MAX_PLIES if game.players == 1 else 1000)
    if game.players == 1:
        return _of_one_player(game, new, old, games, seed, until, terms)
    openings = RandomOpenings() if game.has_chance else _openings(game, seed)
    players = (new, *[old] * (game.players - 1))
    names = ("new", "old", *(f"old {seat}" for seat in range(2, game.players)))
    test = test if game.players == 2 else None
    match = Match(game, players, games, openings, terms, seed, test=test, labels=names)
    score, rounds = Score(test), list[Round]()
    with closing(match.run()) as playing:
        for played in playing:
            rounds.append(played)
            if game.players == 2:
                score.add(played)
            if time.monotonic() > until:
                break
    number = sum(len(played.records) for played in rounds)
    if game.players == 2:
        strength = score.strength
        verdict = {"accepted": True, "rejected": False}.get(score.verdict)
        return Comparison(number, strength.elo > 0 if test is None else verdict, strength)
    differences = [fmean(utilities[0] - fmean(utilities[1:]) for utilities in played.utilities()) for played in rounds]
    return _decided(differences, number)


def _openings(game: Game, seed: int) -> RandomOpenings:
    """Openings of four random moves; fewer where games are over by then."""
    for plies in range(OPENING, 0, -1):
        openings = RandomOpenings(plies)
        with suppress(OutplayError):
            openings.opening(game, 0, seed)
            return openings
    return RandomOpenings(0)


def _of_one_player(game: Game, new: Any, old: Any, games: int, seed: int, until: float, terms: Terms) -> Comparison:
    differences: list[float] = []
    matches = [Match(game, (player,), games, terms=terms, seed=seed).run() for player in (new, old)]
    for first, second in zip(*matches, strict=False):
        differences.append(first.utilities()[0][0] - second.utilities()[0][0])
        if time.monotonic() > until:
            break
    for match in matches:
        match.close()
    return _decided(differences, len(differences))


def _decided(differences: list[float], games: int) -> Comparison:
    mean = fmean(differences)
    error = stdev(differences) / len(differences) ** 0.5 if len(differences) > 1 else float("inf")
    better = True if mean > DEVIATIONS * error else False if mean < -DEVIATIONS * error else None
    return Comparison(games, better, None, mean, error)
