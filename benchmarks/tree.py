"""The game tree of Connect Four: every position down to a depth is made one by one and counted.

It uses only `actions`, `result` and `is_terminal` of the built-in game. There is no bulk counting: the positions at the
last ply are made like all others.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.common import Bar, Plan, Row, compare, same
from benchmarks.peers import Interpreted, OpenSpiel
from outplay import kernel, legal_actions
from outplay.games import ConnectFour

Counts = tuple[int, int]
"""The number of positions, and of ends of the game among them."""


@kernel
def count_positions(game: Any, state: Any, depth: int) -> int:
    """The number of positions of the game tree down to `depth`, including the root."""
    if depth == 0 or game.is_terminal(state):
        return 1
    count = 1
    for action in legal_actions(game, state):
        count += count_positions(game, game.result(state, action), depth - 1)
    return count


@kernel
def count_ends(game: Any, state: Any, depth: int, ends: Any) -> int:
    """The same; `ends[0]` also counts the ends of the game, including those at the last ply."""
    count = 1
    if game.is_terminal(state):
        ends[0] += 1
    elif depth > 0:
        for action in legal_actions(game, state):
            count += count_ends(game, game.result(state, action), depth - 1, ends)
    return count


def rows(plan: Plan) -> Iterator[Row]:
    """Compiled against interpreted, each at a depth that takes a while; and against OpenSpiel at the same depth."""
    game = ConnectFour()
    start = game.initial_state()
    deep, shallow, depth = (7, 4, 5) if plan.quick else (9, 7, 8)

    def positions(depth: int, count: Callable[..., int] = count_positions) -> Counts:
        return count(game, start, depth), 0

    def ends(depth: int) -> Counts:
        counter = np.zeros(1, np.int64)
        return count_ends(game, start, depth, counter), int(counter[0])

    def amount(counts: Counts) -> float:
        return counts[0]

    positions(1), ends(1)  # compiles
    interpreted = count_positions.interpreted
    row = Row(what=f"tree of Connect Four to depth {deep}", unit="positions/s")
    bars = (Bar("figure", "≥", 300e6), Bar("ratio", "≥", 300))
    yield compare(
        plan, replace(row, note=f"interpreted to depth {shallow}", bars=bars),
        lambda: positions(deep),
        Interpreted, lambda _: positions(shallow, interpreted),
        lambda _, theirs: same(positions(shallow), theirs, f"{theirs[0]:,} positions to depth {shallow}"),
        amount,
    )  # fmt: skip
    row = replace(row, what=f"tree of Connect Four to depth {depth}")
    yield compare(
        plan, row,
        lambda: positions(depth),
        OpenSpiel, lambda spiel: spiel.count_positions("connect_four", depth),
        lambda ours, theirs: same(ours, theirs, f"{ours[0]:,} positions"),
        amount,
    )  # fmt: skip
    yield compare(
        plan, replace(row, what="the same, and ends of the game counted", note="is_terminal at the horizon too"),
        lambda: ends(depth),
        OpenSpiel, lambda spiel: spiel.count_ends("connect_four", depth),
        lambda ours, theirs: same(ours, theirs, f"{ours[0]:,} positions, {ours[1]:,} ends"),
        amount,
    )  # fmt: skip
