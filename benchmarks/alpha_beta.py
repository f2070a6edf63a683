"""Alpha-beta on Connect Four to a fixed depth, its nodes per second, and the gain from a second thread.

No search has an evaluation here: the end of the game counts, everything else is 0. Each peer searches with its
defaults: easyAI with its transposition table, OpenSpiel without one, and outplay with iterative deepening, without the
hints of the game that let it see further than the depth.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.common import Bar, Plan, Row, best_of, compare, measure, same
from benchmarks.peers import EasyAI, OpenSpiel
from outplay import AlphaBeta, Analysis, Game, Limit
from outplay.games import ConnectFour

POSITIONS = ((), (4, 1, 4, 6, 6, 7, 5, 1), (2, 5, 6, 6, 4, 5, 6, 1, 7), (4, 7, 2, 1, 1, 7, 3, 1, 2))
"""Columns played, from 1: the empty board, a win in 5, a win in 7, a loss in 6."""


QUICK_DEPTH = 18
"""The depth at which two threads and one are compared with `--quick`."""


class NoEvaluation(ConnectFour):
    """Connect Four without an evaluation."""

    def evaluate(self, position: Any, player: int) -> float:
        """Always 0: nothing is known."""
        return 0.0


class HistoryAlone(NoEvaluation):
    """Without the game's own order too: actions that caused cutoffs elsewhere come first."""

    order = Game.order  # type: ignore[assignment]


def rows(plan: Plan) -> Iterator[Row]:
    """Against easyAI and OpenSpiel, each at a depth that takes it a while; then outplay's nodes per second."""
    game = NoEvaluation()
    search = AlphaBeta(game, hints=False)
    search.search(limit=Limit(depth=1))  # compiles
    easy_depth, spiel_depth, deep = (5, 6, 10) if plan.quick else (8, 11, 20)
    positions = [[column - 1 for column in columns] for columns in POSITIONS]
    states = [play(game, columns) for columns in positions]

    def values(depth: int) -> list[float]:
        return [search.search(state, limit=Limit(depth=depth)).value for state in states]

    def agree(ours: list[float], theirs: list[float]) -> str:
        return same(ours, theirs, "values " + " ".join(f"{value:+.0f}" if value else "0" for value in ours))

    easy_note = "easyAI's own game, but not copied at each move: 3 times faster"
    spiel_note = "states in C++, search in Python: it offers Python no other"
    row = Row(what=f"alpha-beta, {len(positions)} positions of Connect Four to depth {easy_depth}")
    yield compare(
        plan, replace(row, bars=(Bar("ratio", "≥", 100),), note=easy_note),
        lambda: values(easy_depth),
        EasyAI, lambda easy: easy.alpha_beta(positions, easy_depth),
        agree,
    )  # fmt: skip
    yield compare(
        plan, replace(row, what=f"the same to depth {spiel_depth}", note=spiel_note),
        lambda: values(spiel_depth),
        OpenSpiel, lambda spiel: spiel.alpha_beta("connect_four", positions, spiel_depth),
        agree,
    )  # fmt: skip

    speed = Row(what=f"alpha-beta, Connect Four to depth {deep}", unit="nodes/s", bars=(Bar("figure", "≥", 8e6),))
    yield nodes_a_second(plan, speed, game, deep)
    history = HistoryAlone()
    AlphaBeta(history).search(limit=Limit(depth=1))
    what = "the same, actions ordered by the table and history alone"
    yield nodes_a_second(plan, replace(speed, what=what), history, deep)
    yield threads(plan, QUICK_DEPTH if plan.quick else 26)


def threads(plan: Plan, depth: int) -> Row:
    """The time to a depth with two threads, compared with one."""
    one_thread, two_threads = (AlphaBeta(ConnectFour(), threads=threads, table_mb=256) for threads in (1, 2))
    for searcher in one_thread, two_threads:
        searcher.search(limit=Limit(depth=1))  # compiles
    double, single = best_of(
        plan,
        lambda: two_threads.search(limit=Limit(depth=depth)),
        lambda: one_thread.search(limit=Limit(depth=depth)),
    )
    agreement = same(double.outcome.value, single.outcome.value, f"value {single.outcome.value:g}")
    node_ratio = double.outcome.nodes / single.outcome.nodes
    return Row(
        what=f"alpha-beta, Connect Four to depth {depth}, two threads",
        ours=double.seconds, peer="one thread", theirs=single.seconds, agree=agreement,
        note=f"{node_ratio:.2f} times the nodes", bars=(Bar("ratio", "≥", 1.5),),
    )  # fmt: skip


def nodes_a_second(plan: Plan, row: Row, game: Game, depth: int) -> Row:
    """`row` with the nodes per second of a search of the initial state."""
    result, analysis = measure(plan, row, lambda: AlphaBeta(game, hints=False).search(limit=Limit(depth=depth)), nodes)
    return replace(result, note=f"{analysis.nodes:,} nodes, value {analysis.value:g}")


def nodes(analysis: Analysis) -> float:
    """The number of states made."""
    return analysis.nodes


def play(game: Game, actions: Sequence[int]) -> Any:
    """The state after `actions`."""
    state = game.initial_state()
    for action in actions:
        state = game.result(state, action)
    return state
