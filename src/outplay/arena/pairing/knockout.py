"""Knockout: who loses a meeting is out.

The players are seeded in the order in which they are named: the first two can meet only in the last stage, the first
four only in the two last ones, and so on. If their number is not a power of two, the best seeds have a bye in the first
stage. A meeting that is level goes on, opening by opening, until it is decided; after `extra` of them the better seed
wins it.
"""

from outplay.arena.pairing.meeting import Meeting, Waves


def bracket(size: int) -> list[int]:
    """The seeds of a knockout of `size` players, a power of two, in the order of the bracket: neighbours meet.

    >>> bracket(8)
    [0, 7, 3, 4, 1, 6, 2, 5]
    """
    seeds = [0]
    while len(seeds) < size:
        seeds = [opponent for seed in seeds for opponent in (seed, 2 * len(seeds) - 1 - seed)]
    return seeds


def knockout(count: int, rounds: int, extra: int) -> Waves:
    """The meetings of `count` players, with this many rounds each, and `extra` more while they are level."""
    left: list[tuple[int, ...]] = [(seed,) if seed < count else () for seed in bracket(1 << (count - 1).bit_length())]
    stage = 0
    while len(left) > 1:
        pairs = [tuple(sorted(one + other)) for one, other in zip(left[::2], left[1::2], strict=True)]
        first = stage * (rounds + extra)
        scores = [
            list(points)
            for points in (
                yield [
                    Meeting(pair, range(first, first + rounds if len(pair) == 2 else first), stage) for pair in pairs
                ]
            )
        ]
        for opening in range(first + rounds, first + rounds + extra):
            level = [place for place, points in enumerate(scores) if len(points) == 2 and points[0] == points[1]]
            if not level:
                break
            points_of_pairs = yield [Meeting(pairs[place], range(opening, opening + 1), stage) for place in level]
            for place, points in zip(level, points_of_pairs, strict=True):
                scores[place] = [had + got for had, got in zip(scores[place], points, strict=True)]
        left = [(pair[points.index(max(points))],) for pair, points in zip(pairs, scores, strict=True)]
        stage += 1
