"""Round-robin: everyone meets everyone; and gauntlet: some challengers meet everyone else.

In games of more than two players, every set of as many players as there are seats meets.
"""

from itertools import combinations

from outplay.arena.pairing.meeting import Meeting, Waves


def round_robin(count: int, seats: int, rounds: int) -> Waves:
    """The meetings of `count` players, with this many rounds each.

    >>> [meeting.players for meeting in next(round_robin(4, 2, 1))]
    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    """
    yield [Meeting(players, range(rounds)) for players in combinations(range(count), seats)]


def gauntlet(count: int, seats: int, rounds: int, challengers: int) -> Waves:
    """The meetings of each of the first `challengers` players with the others.

    >>> [meeting.players for meeting in next(gauntlet(4, 2, 1, challengers=2))]
    [(0, 2), (0, 3), (1, 2), (1, 3)]
    """
    others = range(challengers, count)
    yield [
        Meeting((first, *rest), range(rounds))
        for first in range(challengers)
        for rest in combinations(others, seats - 1)
    ]
