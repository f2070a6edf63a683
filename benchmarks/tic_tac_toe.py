"""Solving tic-tac-toe: with every state of the tree by minimax, and by alpha-beta."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmarks.common import Plan, Row, compare, same
from benchmarks.peers import Aima, OpenSpiel
from outplay import AlphaBeta, Minimax
from outplay.games import TicTacToe


@dataclass(frozen=True)
class Solved:
    """The result of a solver for the empty board: the value, or the action that it takes."""

    value: float | None = None
    action: int | None = None


def rows(plan: Plan) -> Iterator[Row]:
    """Both ways, against OpenSpiel's game in C++ and against the textbook's Python."""
    game = TicTacToe()
    minimax, alpha_beta = Minimax(game), AlphaBeta(game)
    states = minimax.search().nodes  # compiles
    values = [Solved(row.value, row.action) for row in minimax.analyse().actions]
    alpha_beta.search()

    def agree(count: Callable[[], int] | None) -> Callable[[Solved, Solved], str]:
        def check(ours: Solved, theirs: Solved) -> str:
            if theirs.action is None:
                words = same(ours.value, theirs.value, "value 0")
            else:  # it returns only the action, which must be worth as much as ours
                value = next(solved.value for solved in values if solved.action == theirs.action)
                words = same(ours.value, value, "value 0 after its action")
            return words if count is None else same(states, count(), f"{states:,} states, {words}")

        return check

    row = Row(what="tic-tac-toe, the whole tree by minimax")
    yield compare(
        plan, row,
        lambda: Solved(minimax.search().value),
        OpenSpiel, lambda spiel: Solved(spiel.whole_tree("tic_tac_toe")),
        agree(lambda: OpenSpiel().count_positions("tic_tac_toe", 9)[0]),
    )  # fmt: skip
    yield compare(
        plan, row,
        lambda: Solved(minimax.search().value),
        Aima, lambda aima: Solved(action=aima.minimax()),
        agree(lambda: Aima().count_results()),
    )  # fmt: skip
    row = Row(what="tic-tac-toe solved by alpha-beta")
    yield compare(
        plan, row,
        lambda: Solved(alpha_beta.search().value),
        OpenSpiel, lambda spiel: Solved(spiel.alpha_beta("tic_tac_toe", [[]], 9)[0]),
        agree(None),
    )  # fmt: skip
    yield compare(
        plan, row,
        lambda: Solved(alpha_beta.search().value),
        Aima, lambda aima: Solved(action=aima.alpha_beta()),
        agree(None),
    )  # fmt: skip
