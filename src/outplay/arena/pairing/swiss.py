"""Swiss system: in each stage, players with the same or nearly the same score meet; nobody meets another twice.

A meeting that is won is worth 1, a level one ½. Of all pairings without a repeated meeting, one is chosen with the
least sum of squared differences of scores; among these, one that is nearest to the usual one within groups of the same
score, where the upper half meets the lower half. With an odd number of players, the last one in the ranking who had no
bye yet has one, worth 1; it does not play. Seats need no balance, since each opening is played in both orders.

If there are at most half as many stages as players, such a pairing always exists: of the others, each player can still
meet at least half (Dirac's theorem, 1952).
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, vstack

from outplay.arena.pairing.meeting import Meeting, Waves


def most_stages(count: int) -> int:
    """The maximum number of stages of so many players."""
    return (count + 1) // 2


def usual_stages(count: int) -> int:
    """As many stages as a knockout has: enough to leave at most one player without a loss."""
    return (count - 1).bit_length()


def swiss(count: int, rounds: int, stages: int) -> Waves:
    """The meetings of `count` players, with this many rounds each."""
    scores, points = [0.0] * count, [0.0] * count
    pairs_met = set[tuple[int, ...]]()
    for stage in range(stages):
        ranking = sorted(range(count), key=lambda player: (-scores[player], -points[player], player))
        pairs = pairing(ranking, scores, pairs_met)
        pairs_met.update(pairs)
        openings = range(stage * rounds, (stage + 1) * rounds)
        wave = [Meeting(pair, openings if len(pair) == 2 else range(0), stage) for pair in pairs]
        for pair, got in zip(pairs, (yield wave), strict=True):
            if len(pair) == 1:
                scores[pair[0]] += 1
                continue
            for player, own, other in zip(pair, got, got[::-1], strict=True):
                points[player] += own
                scores[player] += (1 + (own > other) - (own < other)) / 2


def pairing(ranking: Sequence[int], scores: Sequence[float], pairs_met: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The pairs of a stage, and at last who has a bye.

    Args:
        ranking: the players, the best first.
        scores: the score of each.
        pairs_met: the pairs, in order of number, that have met, and who had a bye.

    >>> pairing([0, 1, 2, 3, 4], [0, 0, 0, 0, 0], set())
    [(0, 2), (1, 3), (4,)]
    """
    byes = [player for player in reversed(ranking) if (player,) not in pairs_met] if len(ranking) % 2 else [None]
    for bye in byes:
        pairs = _pairs([player for player in ranking if player != bye], scores, pairs_met)
        if pairs is not None:
            return [*pairs, *([] if bye is None else [(bye,)])]
    raise AssertionError("with so few stages there is always a pairing")


def _pairs(
    ranking: Sequence[int], scores: Sequence[float], pairs_met: set[tuple[int, ...]]
) -> list[tuple[int, ...]] | None:
    """The best pairs of an even number of players; None if all that are left would have to meet again."""
    places = [
        (one, other)
        for one, other in combinations(range(len(ranking)), 2)
        if tuple(sorted((ranking[one], ranking[other]))) not in pairs_met
    ]
    if not places:
        return None if ranking else []
    groups = [scores[player] for player in ranking]
    gaps = np.array([(2 * (groups[one] - groups[other])) ** 2 for one, other in places])
    half = {score: groups.count(score) // 2 for score in groups}
    unusual = np.array(
        [abs(other - one - half[groups[one]]) if groups[one] == groups[other] else other - one for one, other in places]
    )
    ends, pairs = np.array(places).T, np.arange(len(places))
    once = csr_array((np.ones(2 * len(places)), (ends.ravel(), np.tile(pairs, 2))))
    best = _minimum(gaps, once, np.ones(len(ranking)))
    if best is None:
        return None
    is_chosen = _minimum(unusual, vstack([once, csr_array(gaps[None])]), np.append(np.ones(len(ranking)), gaps @ best))
    assert is_chosen is not None, "the best so far is one"
    return [
        tuple(sorted((ranking[one], ranking[other])))
        for (one, other), is_in in zip(places, is_chosen, strict=True)
        if is_in
    ]


def _minimum(
    costs: "np.ndarray[tuple[int], np.dtype[np.float64]]", rows: csr_array, sums: object
) -> "np.ndarray | None":
    """The cheapest choice, 0 or 1 each, with these sums of rows; None if there is none."""
    solution = milp(
        costs,
        integrality=np.ones(len(costs)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(rows, sums, sums),
        options={"mip_rel_gap": 0},
    )
    return None if solution.x is None else np.round(solution.x)
