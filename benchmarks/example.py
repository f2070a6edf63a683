"""The game in `examples/`, as a user's own file, compared with the same source moved into `outplay.games`.

Built-in games have no privileges: the two are equally fast. Both are compiled here; nothing is loaded from disk.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.alpha_beta import nodes
from benchmarks.common import ROOT, Bar, Peer, Plan, Row, compare, same
from benchmarks.tree import count_positions
from outplay import AlphaBeta, Analysis, Game, Limit
from outplay.session.load import class_in_file

EXAMPLE = ROOT / "examples" / "hexapawn.py"
SIZE = (7, 7)
"""With the default of 3 columns and 3 rows, its tree would be too small to time."""
BARS = (Bar("ratio", "≥", 0.9),)


class BuiltIn(Peer):
    """The same source as a module of `outplay.games`."""

    name = "moved into outplay.games"


def rows(plan: Plan, path: Path = EXAMPLE, arguments: tuple[Any, ...] = SIZE) -> Iterator[Row]:
    """The game tree, and alpha-beta to a fixed depth."""
    own_class = class_in_file(path)
    depth, deep = (4, 6) if plan.quick else (8, 18)
    with nothing_on_disk():
        own_game: Game = own_class(*arguments)
        built_in_game: Game = getattr(built_in(path), own_class.__name__)(*arguments)
        for game in own_game, built_in_game:  # compiles
            positions(game, 1), analysis(game, 1)
        name = f"{path.name}, {own_game!r}"
        yield compare(
            plan, Row(what=f"{name}: tree to depth {depth}", unit="positions/s", bars=BARS),
            lambda: positions(own_game, depth),
            BuiltIn, lambda _: positions(built_in_game, depth),
            lambda ours, theirs: same(ours, theirs, f"{ours:,} positions"),
            float,
        )  # fmt: skip
        yield compare(
            plan, Row(what=f"{name}: alpha-beta to depth {deep}", unit="nodes/s", bars=BARS),
            lambda: analysis(own_game, deep),
            BuiltIn, lambda _: analysis(built_in_game, deep),
            lambda ours, theirs: same((ours.nodes, ours.value), (theirs.nodes, theirs.value), f"{ours.nodes:,} nodes"),
            nodes,
        )  # fmt: skip


def positions(game: Game, depth: int) -> int:
    """The number of positions of the tree of `game`."""
    return count_positions(game, game.initial_state(), depth)


def analysis(game: Game, depth: int) -> Analysis:
    """Alpha-beta from the initial state."""
    return AlphaBeta(game).search(limit=Limit(depth=depth))


def built_in(path: Path) -> ModuleType:
    """The file as a module `outplay.games._moved`."""
    module = sys.modules["outplay.games._moved"] = ModuleType("outplay.games._moved")
    exec(compile(path.read_text(), str(path), "exec"), vars(module))
    return module


@contextmanager
def nothing_on_disk() -> Iterator[None]:
    """A context in which compiled code is neither loaded nor kept, since the two games would share it."""
    previous = os.environ.get("OUTPLAY_CACHE")
    os.environ["OUTPLAY_CACHE"] = "off"
    try:
        yield
    finally:
        del os.environ["OUTPLAY_CACHE"]
        if previous is not None:
            os.environ["OUTPLAY_CACHE"] = previous
