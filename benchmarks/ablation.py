"""The nodes and the time that each technique of alpha-beta saves: the default search, and the search without it."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.alpha_beta import HistoryAlone, NoEvaluation
from benchmarks.common import Plan, Row, best_of, same
from outplay import AlphaBeta, Analysis, Game, Limit
from outplay.games import ConnectFour, Kalah, TicTacToe
from outplay.rules.game import defines


def rows(plan: Plan) -> Iterator[Row]:
    """Two rows for each technique: nodes, and seconds."""
    depth = 8 if plan.quick else 16
    connect_four, kalah = NoEvaluation(), Kalah(pits=3, seeds=3 if plan.quick else 4)
    what = f"Connect Four to depth {depth}"
    limit = Limit(depth=depth)
    yield from without(plan, what, "no table", AlphaBeta(connect_four), AlphaBeta(connect_four, table_mb=0), limit)
    yield from without(plan, what, "no ordering", AlphaBeta(connect_four), AlphaBeta(connect_four, order=False), limit)
    yield from without(
        plan, what, "no order of the game's own", AlphaBeta(connect_four), AlphaBeta(HistoryAlone()), limit
    )
    games: tuple[Game, ...] = (TicTacToe(), kalah, ConnectFour(5, 4) if plan.quick else ConnectFour(6, 4))
    for game in games:
        what = f"{game!r} solved"
        yield from without(plan, what, "no table", AlphaBeta(game), AlphaBeta(game, table_mb=0))
        yield from without(plan, what, "no ordering", AlphaBeta(game), AlphaBeta(game, order=False))
        yield from without(plan, what, "no null windows", AlphaBeta(game), AlphaBeta(game, null_window=False))
        yield from without(plan, what, "a ply deeper at a time", AlphaBeta(game), AlphaBeta(game, depth_factor=1))
        if defines(game, "forced_result") or defines(game, "candidates"):
            yield from without(plan, what, "no hints of the game", AlphaBeta(game), AlphaBeta(game, hints=False))


def without(
    plan: Plan, what: str, peer: str, default_search: AlphaBeta, reduced_search: AlphaBeta, limit: Limit | None = None
) -> Iterator[Row]:
    """The rows for one technique."""

    def search(searcher: AlphaBeta) -> Callable[[], Analysis]:
        searcher.search(limit=Limit(depth=1))  # compiles
        return lambda: searcher.search(limit=limit)

    ours, theirs = best_of(plan, search(default_search), search(reduced_search))
    agree = same(ours.outcome.value, theirs.outcome.value, f"value {ours.outcome.value:g}")
    row = Row(what=what, peer=peer, agree=agree)
    yield replace(row, unit="nodes", ours=ours.outcome.nodes, theirs=theirs.outcome.nodes)
    yield replace(row, ours=ours.seconds, theirs=theirs.seconds)
