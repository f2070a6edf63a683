"""Monte Carlo tree search: simulations per second, with one random playout each, on one core.

Both make the same number of simulations from the start of the game, by UCT with the same constant, and must find about
the same mean result. Features of outplay that the others do not have are off: the hints of the game and the early stop.
The solver is on in both or in neither.
"""

# ruff: noqa: D102 - the rules of every game are documented on `Game`

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.common import Bar, Disagreement, Plan, Row, compare, same
from benchmarks.example import EXAMPLE
from benchmarks.openspiel_connect_four import connect_four
from benchmarks.openspiel_hexapawn import hexapawn
from benchmarks.peers import UCT, Mctx, OpenSpiel
from outplay import MCTS, Analysis, Game, Limit
from outplay.games import Breakthrough, ConnectFour, Go
from outplay.session.load import class_in_file

SEED = 20_260_101
QUICK = 20
"""The number of simulations is divided by this with `--quick`."""
MAX_DIFFERENCE = 0.2
"""The maximum difference of the mean results, from -1 to 1, of two trees: the first playouts decide where they grow."""

Searched = tuple[int, float]
"""The number of simulations, and their mean result for the first player."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A game, and the number of simulations from its start.

    Attributes:
        game: the game in outplay.
        name: its usual name.
        spiel: its name in OpenSpiel.
        simulations: the number of simulations.
        bar: the promised ratio of simulations per second to OpenSpiel in C++.
        note: how the work differs.
    """

    game: Game
    name: str
    spiel: str
    simulations: int
    bar: float
    note: str = ""


CASES = (
    Case(game=ConnectFour(), name="Connect Four", spiel="connect_four", simulations=100_000, bar=12),
    Case(game=Breakthrough(), name="Breakthrough", spiel="breakthrough", simulations=20_000, bar=10),
    Case(
        game=Go(9), name="Go, 9 x 9", spiel="go(board_size=9,max_game_length=2000)",  # by default it stops after 162
        simulations=10_000, bar=5,
    ),
)  # fmt: skip
IN_PYTHON, BAR_IN_PYTHON = 10_000, 150
IN_MCTX, BAR_IN_MCTX = 800, 30
"""Simulations from each of 64 positions: as many as AlphaZero had for a move (Silver et al. 2018)."""
OWN, BAR_OF_OWN = 20_000, 1000
OWN_SIZE = (7, 7)
"""The columns and rows of the example."""


class Squares(NamedTuple):
    """A state of tic-tac-toe: sets of squares as ints, in which bit 4 stands for square 4."""

    mine: int
    theirs: int
    turn: int


class Discs(NamedTuple):
    """A state of Connect Four: sets of squares as ints, 7 bits a column, from the bottom."""

    mine: int
    theirs: int
    turn: int


class FourInARow(Game):
    """Connect Four as a user would write it."""

    utilities = (-1, 1)

    def initial_state(self) -> Discs:
        return Discs(0, 0, 0)

    def to_move(self, board: Discs) -> int:
        return board.turn

    def actions(self, board: Discs) -> Iterator[int]:
        for column in range(7):
            if not (board.mine | board.theirs) >> 7 * column + 5 & 1:
                yield column

    def result(self, board: Discs, column: int) -> Discs:
        discs, bottom = board.mine | board.theirs, 1 << 7 * column
        mine = board.mine | (discs + bottom & ~discs & bottom * 0b111_111)
        return Discs(board.theirs, mine, 1 - board.turn)

    def is_terminal(self, board: Discs) -> bool:
        return self.is_lost(board) or self.is_full(board)

    def utility(self, board: Discs, player: int) -> float:
        if not self.is_lost(board):
            return 0
        return -1 if player == board.turn else 1

    def is_lost(self, board: Discs) -> bool:
        lost = False
        for shift in (1, 6, 7, 8):
            pairs = board.theirs & board.theirs >> shift
            lost |= pairs & pairs >> 2 * shift != 0
        return lost

    def is_full(self, board: Discs) -> bool:
        top = 0b0100000_0100000_0100000_0100000_0100000_0100000_0100000
        return (board.mine | board.theirs) & top == top


class NoughtsAndCrosses(Game):
    """Tic-tac-toe as a user would write it: OpenSpiel's example of a game in Python."""

    utilities = (-1, 1)
    lines = (0b111, 0b111_000, 0b111_000_000, 0b1_001_001, 0b10_010_010, 0b100_100_100, 0b100_010_001, 0b1_010_100)

    def initial_state(self) -> Squares:
        return Squares(0, 0, 0)

    def to_move(self, board: Squares) -> int:
        return board.turn

    def actions(self, board: Squares) -> int:
        return 0b111_111_111 & ~(board.mine | board.theirs)

    def result(self, board: Squares, square: int) -> Squares:
        return Squares(board.theirs, board.mine | 1 << square, 1 - board.turn)

    def is_terminal(self, board: Squares) -> bool:
        return self.is_lost(board) or self.actions(board) == 0

    def utility(self, board: Squares, player: int) -> float:
        if not self.is_lost(board):
            return 0
        return -1 if player == board.turn else 1

    def is_lost(self, board: Squares) -> bool:
        lost = False
        for line in self.lines:
            lost |= board.theirs & line == line
        return lost


def rows(plan: Plan) -> Iterator[Row]:
    """Each game against OpenSpiel in C++; Connect Four against OpenSpiel in Python and mctx; a user's own game."""
    for case in CASES:
        for solver in False, True:
            yield against_spiel(plan, case, solver)
    yield against_python(plan, CASES[0])
    yield against_mctx(plan)
    example_game: Game = class_in_file(EXAMPLE)(*OWN_SIZE)
    four = FourInARow()
    for python in True, False:
        yield own_game(plan, four, "Connect Four", lambda spiel: connect_four(spiel.spiel, bits=False), python)
    yield own_game(plan, four, "Connect Four, bits in both", lambda spiel: connect_four(spiel.spiel, bits=True))
    yield own_game(plan, example_game, f"{EXAMPLE.name}, bits in both", lambda spiel: hexapawn(spiel.spiel, *OWN_SIZE))
    yield own_game(plan, NoughtsAndCrosses(), "tic-tac-toe", lambda spiel: spiel.in_python("tic_tac_toe"))


def against_spiel(plan: Plan, case: Case, solver: bool) -> Row:
    """OpenSpiel's bot in C++, with or without the solver in both."""
    number = simulation_count(plan, case.simulations)
    search = searcher(case.game, solver)
    what = f"{case.name}, {number:,} simulations{', solver' if solver else ''}"
    row = Row(what=what, unit="simulations/s", note=case.note, bars=(Bar("ratio", "≥", case.bar),))
    return compare(
        plan, row,
        lambda: searched(search, number),
        OpenSpiel, lambda spiel: spiel.mcts(case.spiel, number, solver, SEED),
        alike,
        simulations_in,
    )  # fmt: skip


def against_python(plan: Plan, case: Case) -> Row:
    """OpenSpiel's bot in Python, on its game in C++."""
    number = simulation_count(plan, IN_PYTHON)
    search = searcher(case.game)
    row = Row(
        what=f"{case.name}, {number:,} simulations, its bot in Python",
        unit="simulations/s",
        bars=(Bar("ratio", "≥", BAR_IN_PYTHON),),
    )
    return compare(
        plan, row,
        lambda: searched(search, number),
        OpenSpiel, lambda spiel: spiel.mcts_in_python(case.spiel, number, SEED),
        alike,
        simulations_in,
    )  # fmt: skip


def against_mctx(plan: Plan) -> Row:
    """Gumbel MuZero's policy in mctx, from 64 empty boards at once; in outplay one after the other."""
    number = simulation_count(plan, IN_MCTX)
    game = ConnectFour()
    search = searcher(game)
    states = Mctx.batch * [game.initial_state()]

    class Peer(Mctx):
        def __init__(self) -> None:
            super().__init__()
            self.search(number)  # compiles

    def ours() -> Searched:
        analyses = search.search_many(states, Limit(simulations=number))
        return sum(analysis.simulations or 0 for analysis in analyses), fmean(map(average, analyses))

    row = Row(
        what=f"Connect Four, {number:,} simulations from each of {Mctx.batch} positions",
        unit="simulations/s",
        note="one core; rules and playouts by pgx, 64 at once",
        bars=(Bar("ratio", "≥", BAR_IN_MCTX),),
    )
    return compare(
        plan, row,
        ours,
        Peer, lambda mctx: mctx.search(number),
        both_ahead,
        simulations_in,
    )  # fmt: skip


def own_game(plan: Plan, game: Game, name: str, theirs: Callable[[OpenSpiel], Any], python: bool = False) -> Row:
    """A user's own game in Python, in OpenSpiel with its bot in Python or C++."""
    number = simulation_count(plan, IN_PYTHON if python else OWN)
    search = searcher(game)
    row = Row(
        what=f"{name}, {number:,} simulations, rules in Python",
        unit="simulations/s",
        note=f"the other's search is in {'Python' if python else 'C++'}",
        bars=(Bar("ratio", "≥", BAR_OF_OWN),) if python else (),
    )
    return compare(
        plan, row,
        lambda: searched(search, number),
        OpenSpiel,
        lambda spiel: (
            spiel.mcts_in_python(theirs(spiel), number, SEED)
            if python
            else spiel.mcts(theirs(spiel), number, False, SEED)
        ),
        alike,
        simulations_in,
    )  # fmt: skip


def simulation_count(plan: Plan, simulations: int) -> int:
    """The number of simulations to make."""
    return max(2, simulations // QUICK) if plan.quick else simulations


def searcher(game: Game, solver: bool = False) -> MCTS:
    """Plain UCT, compiled."""
    search = MCTS(
        game,
        selection="ucb1",
        exploration=UCT / 2,
        rave=False,
        playouts="random",
        hints=False,
        solver=solver,
        clamp=False,
        early=False,
        seed=SEED,
    )
    search.search(limit=Limit(simulations=2))
    return search


def searched(search: MCTS, simulations: int) -> Searched:
    """Run `simulations` simulations from the start."""
    analysis = search.search(limit=Limit(simulations=simulations))
    return analysis.simulations or 0, average(analysis)


def average(analysis: Analysis) -> float:
    """The mean result of all simulations for the player to move."""
    visits = sum(action.visits or 0 for action in analysis.actions)
    return sum(action.value * (action.visits or 0) for action in analysis.actions) / visits


def simulations_in(result: tuple[int, Any]) -> float:
    """The number of simulations made."""
    return result[0]


def alike(ours: Searched, theirs: Searched) -> str:
    """Check that both made as many simulations, with about the same mean result."""
    words = same(ours[0], theirs[0], f"{ours[0]:,} simulations")
    if abs(ours[1] - theirs[1]) > MAX_DIFFERENCE:
        raise Disagreement(f"mean result of {words}: outplay {ours[1]:+.3f}, the other {theirs[1]:+.3f}")
    return f"mean result {theirs[1]:+.3f} ({ours[1]:+.3f})"


def both_ahead(ours: Searched, theirs: Searched) -> str:
    """Check that both made as many simulations and see the player to move ahead: searches too unlike for `alike`."""
    words = f"{ours[0]:,} simulations"
    same((ours[0], ours[1] > 0), (theirs[0], theirs[1] > 0), f"{words}, whether the player to move is ahead")
    return f"{words}, mean result {theirs[1]:+.3f} ({ours[1]:+.3f})"
