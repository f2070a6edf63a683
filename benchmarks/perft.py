"""Perft: the number of lines of a fixed length from a position, counted by one thread.

"Made" means that every position of the tree is made by `result`; "in bulk", that the last ply is counted without making
its positions, as in chess programs. A figure is lines per second; the positions on the way to them are not counted.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from benchmarks.common import Bar, Plan, Row, compare, measure, same
from benchmarks.peers import OpenSpiel, PythonChess
from outplay import Game
from outplay.games import Breakthrough, Chess, EnglishDraughts, InternationalDraughts, Othello, Xiangqi
from outplay.search.perft import perft

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
"""A position with moves of all kinds, by Peter McKenzie, from https://www.chessprogramming.org/Perft_Results."""
MADE = (("chess", START, 5, 4), ("chess, Kiwipete", KIWIPETE, 4, 3))
"""The name, the position, the depth for outplay, and the depth that takes python-chess some seconds."""
IN_BULK = (("chess", START, 6, 4), ("chess, Kiwipete", KIWIPETE, 5, 3))
FAST = (Bar("figure", "≥", 20e6),)
OTHERS: tuple[tuple[Game, int, str, int, tuple[Bar, ...]], ...] = (
    (Othello(), 9, "othello", 7, FAST),
    (Breakthrough(), 5, "breakthrough", 4, FAST),
    (EnglishDraughts(), 10, "checkers", 6, ()),
    (InternationalDraughts(), 7, "", 0, ()),
    (Xiangqi(), 4, "", 0, ()),
)
"""The game, the depth, its name in OpenSpiel ("" if it has none), and the depth there."""
QUICK_LESS = 2
"""The number of plies fewer with `--quick`."""


def rows(plan: Plan) -> Iterator[Row]:
    """Chess against python-chess, the other games against OpenSpiel; counts are compared at the peer's depth."""
    less = QUICK_LESS if plan.quick else 0
    chess = Chess()
    for bulk, cases, mark in (False, MADE, 50), (True, IN_BULK, 60):
        for name, text, deep, shallow in cases:
            row = Row(what=f"perft({deep - less}), {name}, {'in bulk' if bulk else 'made'}", unit="lines/s")
            yield against(
                plan, replace(row, bars=(Bar("ratio", "≥", mark),)),
                chess, text, deep - less, shallow - less, bulk,
                PythonChess, lambda peer, depth: peer.perft(text, depth, bulk=bulk),  # noqa: B023
            )  # fmt: skip
    for game, deep, name, shallow, bars in OTHERS:
        row = Row(what=f"perft({deep - less}), {game!r}, made", unit="lines/s", bars=bars)
        if name:
            yield against(
                plan, row, game, "", deep - less, shallow - less, False,
                OpenSpiel, lambda peer, depth: peer.perft(name, depth),  # noqa: B023
            )  # fmt: skip
        else:
            lines(game, "", 1, bulk=False)  # compiles
            own_row, count = measure(plan, row, lambda: lines(game, "", deep - less, bulk=False), float)  # noqa: B023
            yield replace(own_row, note=f"{count:,} lines")


def against(
    plan: Plan, row: Row, game: Game, text: str, deep: int, shallow: int, bulk: bool, peer: Any, theirs: Any
) -> Row:
    """`row` with the lines per second to depth `deep` in outplay, and to depth `shallow` in a peer."""
    own_count = lines(game, text, shallow, bulk)  # compiles
    return compare(
        plan, replace(row, note=f"the other to depth {shallow}"),
        lambda: lines(game, text, deep, bulk),
        peer, lambda rival: int(theirs(rival, shallow)),
        lambda _, their_count: same(own_count, their_count, f"{own_count:,} lines to depth {shallow}"),
        float,
    )  # fmt: skip


def lines(game: Game, text: str, depth: int, bulk: bool) -> int:
    """The number of lines of `depth` plies from the position `text`, or from the start, on one thread."""
    state = game.parse_state(text) if text else game.initial_state()
    return perft(game, depth, state, bulk=bulk, threads=1).lines
