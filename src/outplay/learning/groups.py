"""Groups of locations: those that say more together than each for itself, or any.

Start at `choose_groups`.
"""

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from outplay.evaluation.layout import Layout, Numbers

Choice = Literal["pairs", "random", "mixed", "single"]
RIDGE = 10.0
"""Keeps the fit of results by single symbols stable."""


def interactions(layout: Layout, symbols: Numbers, targets: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """By how much a pair of locations tells more about the result than its parts: chi squared over its freedom.

    Args:
        layout: the layout.
        symbols: int64 [states, locations]: the symbols of the states of random games.
        targets: the results, float64 [states], from one or several viewpoints.

    Returns:
        float64 [locations, locations], symmetric, with zeros on the diagonal.
    """
    sizes = np.array(layout.sizes, int)
    if not len(sizes):
        return np.zeros((0, 0))
    starts, freedom = np.cumsum([0, *sizes[:-1]]), np.maximum(sizes - 1, 1)
    x = np.zeros((len(symbols), int(sizes.sum())), np.float32)  # a column for each symbol of each location
    np.put_along_axis(x, symbols + starts, 1, axis=1)
    gram = x.T @ x
    score = np.zeros((len(sizes), len(sizes)))
    for target in targets:
        y = (target - target.mean()).astype(np.float32)
        residual = y - x @ np.linalg.solve(gram + RIDGE * np.eye(x.shape[1], dtype=np.float32), x.T @ y)
        chi = (x.T @ (x * residual[:, None])) ** 2 / (gram + 2 * RIDGE) / max(float(residual.var()), 1e-9)
        score += np.add.reduceat(np.add.reduceat(chi, starts, 0), starts, 1)
    return score / np.outer(freedom, freedom) * (1 - np.eye(len(sizes)))


def choose_groups(
    layout: Layout, pairs: NDArray[np.float64], number: int, entries: int, choice: Choice, seed: int
) -> tuple[tuple[int, ...], ...]:
    """So many groups, each with a table of at most `entries`; "single": one for each location.

    A group begins with the location that was used least. It grows by what interacts most with it, at random, or by each
    in turn ("mixed").
    """
    rng = np.random.default_rng(seed)
    if choice == "single":
        first_of_its_images = (min(image[place] for image in layout.images) for place in range(len(layout.sizes)))
        return tuple((place,) for place in dict.fromkeys(first_of_its_images))
    if not layout.sizes:
        return ()
    sizes, used = np.array(layout.sizes), np.zeros(len(layout.sizes))
    images = np.array(layout.images)
    groups: list[tuple[int, ...]] = []
    for place in range(number):
        group = [int(np.argmin(used + 0.1 * rng.random(len(used))))]
        at_random = choice == "random" or (choice == "mixed" and place % 2 == 1)
        while True:
            room = entries // math.prod(sizes[group].tolist())
            left = [other for other in np.flatnonzero(sizes <= room) if other not in group]
            if not left:
                break
            score = rng.random(len(left))
            if not at_random:
                score = pairs[group][:, left].sum(0) * (0.5 + 0.5 * score)
            group.append(int(left[int(score.argmax())]))
        used[images[:, group].ravel()] += 1
        if tuple(sorted(group)) not in groups:
            groups.append(tuple(sorted(group)))
    return tuple(groups)
