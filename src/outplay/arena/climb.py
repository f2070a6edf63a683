"""Which games a study of balance plays if it goes up in strength by itself: strength after strength, a few of each.

It goes up until strength shows: until one player surely scores more than the other, or all games end as with perfect
play. With a limit in time it also stops where a few games of the next strength would take more than half of the time
that is left. Then all strengths get the rest of their games, in turns, and what time is left goes to the next strength.
How long games take is the median of all games of a strength. Without such a limit, the games are always the same.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean, median
from typing import Any, TypeAlias

from outplay.arena.contest import Round
from outplay.arena.elo import score_of
from outplay.arena.match import Score
from outplay.parallel.jobs import LATER
from outplay.rules.constant_sum import has_constant_sum

Balance: TypeAlias = Any
Pair: TypeAlias = Any
"""A study, and a round of equal players: classes of `balance.py`, which imports this module."""
FACTOR = 4
"""How much more the next strength searches."""
FEW_ROUNDS = 5
"""The rounds of a strength before it is decided whether to go up."""
UNTIMED_STRENGTHS = 5
"""How many strengths there are at most without a limit in time."""
PERFECT = 0.95
"""The share of games that end as with perfect play if there is no need to go up."""


def climb(
    study: Balance, rounds_done: Sequence[Any], seconds_left: Callable[[], float], workers: int, perfect: float | None
) -> Iterator[Any]:
    """The jobs of a study, and `LATER` where the next ones depend on those that are not over.

    Args:
        study: the study.
        rounds_done: the rounds that are over; the caller adds others as they come.
        seconds_left: the seconds left now, infinity if time is not limited.
        workers: the number of processes.
        perfect: the utility of player 0 in perfect play; None if nobody knows.
    """
    keys = {study.key_of(round_) for round_ in rounds_done}
    is_timed = seconds_left() < math.inf
    few = min(FEW_ROUNDS, study.rounds) if is_timed else study.rounds
    highest = min(len(study.players), len(study.players) if is_timed else UNTIMED_STRENGTHS) - 1

    def rounds(strengths: Sequence[int], most: int) -> Iterator[Any]:
        """The first rounds of these strengths, and of the ladder up to them, until they are over."""
        for number in range(most):
            for place in strengths:
                for key in study.keys(place, number):
                    if key not in keys:
                        keys.add(key)
                        yield (study, *key)
        while len(rounds_done) < len(keys):
            yield LATER

    def fits(share: float) -> bool:
        """Whether a few rounds of the next strength take no more than this share of the time left."""
        below, at_top = (seconds_of_a_round(study, place, rounds_done) for place in (top - 1, top))
        following = min(FACTOR * at_top, at_top + FACTOR * (at_top - below))  # a part of the time is the same for all
        return top == 0 or few * following / workers <= share * seconds_left()

    top = 0
    yield from rounds([top], few)
    while top < highest and not shows(study, top, rounds_done, perfect) and fits(0.5):
        top += 1
        yield from rounds([top], few)
    yield from rounds(range(top + 1), study.rounds)
    while is_timed and top < highest and not is_perfect(study, top, rounds_done, perfect) and fits(1.0):
        top += 1
        yield from rounds(range(top + 1), study.rounds)


def pairs_of(study: Balance, place: int, rounds_done: Sequence[Any]) -> list[Pair]:
    """The rounds of equal players of a strength."""
    return [round_ for round_ in rounds_done if not isinstance(round_, Round) and round_.strength == place]


def shows(study: Balance, place: int, rounds_done: Sequence[Any], perfect: float | None) -> bool:
    """Whether games of a strength surely favour one of two opposed players, or end as with perfect play."""
    if place == 0 or study.game.players != 2 or not has_constant_sum(study.game):
        return False
    _, low, high = first_score(pairs_of(study, place, rounds_done))
    return low > 0.5 or high < 0.5 or is_perfect(study, place, rounds_done, perfect)


def is_perfect(study: Balance, place: int, rounds_done: Sequence[Any], perfect: float | None) -> bool:
    """Whether nearly all games of a strength end as with perfect play."""
    ends = [game.record.utilities[0] == perfect for pair in pairs_of(study, place, rounds_done) for game in pair.games]
    return place > 0 and fmean(ends) >= PERFECT


def seconds_of_a_round(study: Balance, place: int, rounds_done: Sequence[Any]) -> float:
    """The median time of a round of a strength and of the ladder up to it: of all moves, without compiling."""
    own, rungs = list[float](), list[float]()
    for round_ in rounds_done:
        if isinstance(round_, Round):
            if study.rung_of(round_) == place:
                rungs.append(sum(ply.seconds for record in round_.records for ply in record.plies))
        elif round_.strength == place:
            own.append(sum(ply.seconds for game in round_.games for ply in game.record.plies))
    return sum(median(seconds) for seconds in (own, rungs) if seconds)


def first_score(pairs: Sequence[Pair]) -> tuple[float, float, float]:
    """The score of the first player with its interval, by likelihood, from the points of each round."""
    score = Score()
    for pair in pairs:
        score.add(Round(pair.number, ((0, 1),) * len(pair.games), tuple(game.record for game in pair.games)))
    strength = score.strength
    return strength.score, float(score_of(strength.low)), float(score_of(strength.high))
