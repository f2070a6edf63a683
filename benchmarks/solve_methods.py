"""`Solver`, which picks the method, against the best single method of each game, found by trying all that suit it.

Every method runs twice, the second time already compiled; one that is far slower than another is stopped. The ratio
is the time of the best method to that of `Solver`: the promise is that picking at most doubles the time.
"""

from collections.abc import Callable, Iterator
from math import inf
from time import perf_counter
from typing import NamedTuple

from benchmarks.common import ROOT, Bar, Plan, Row, best_of, same
from outplay import Game, Limit, Tablebase
from outplay.games import (
    Breakthrough,
    ConnectFour,
    Domineering,
    DotsAndBoxes,
    Hex,
    Kalah,
    ManyPlayerMNK,
    Othello,
    Oware,
    Pig,
    TicTacToe,
)
from outplay.rules.errors import OutplayError
from outplay.session import Solver
from outplay.session.algorithms import searcher_class
from outplay.session.load import class_in_file

MOST = 60.0
"""The maximum seconds of a method, if no other one has solved the game."""
BRIEF = 0.1
"""Seconds: a game that is solved sooner shows nothing of the choice, and has no bar."""
DEPTH_FACTOR = 8
"""The growth of depth of alpha-beta, as in a search without a limit."""
BARS = (Bar("ratio", "≥", 0.5),)


class Board(NamedTuple):
    """A position of the 8-puzzle."""

    tiles: int
    """Four bits for each square, from the first on: its number, 0 for the empty one."""
    empty: int


class EightPuzzle(Game):
    """Sliding tiles on 3 × 3 squares, for one player: an action is the square whose tile slides into the empty one."""

    players = 1
    utilities = (0, 1)
    repetition = "draw"

    def __init__(self, start: tuple[int, ...] = (8, 6, 7, 2, 5, 4, 3, 0, 1)) -> None:
        self.start = start
        self.goal = self.packed((1, 2, 3, 4, 5, 6, 7, 8, 0))

    def packed(self, tiles: tuple[int, ...]) -> int:
        """The squares as one int."""
        return sum(tile << 4 * square for square, tile in enumerate(tiles))

    def initial_state(self) -> Board:
        """The start."""
        return Board(self.packed(self.start), self.start.index(0))

    def to_move(self, board: Board) -> int:
        """Always the one player."""
        return 0

    def actions(self, board: Board) -> Iterator[int]:
        """The squares beside the empty one."""
        row, column = divmod(board.empty, 3)
        if row > 0:
            yield board.empty - 3
        if row < 2:
            yield board.empty + 3
        if column > 0:
            yield board.empty - 1
        if column < 2:
            yield board.empty + 1

    def result(self, board: Board, action: int) -> Board:
        """The tile and the empty square change places."""
        tile = board.tiles >> 4 * action & 15
        return Board(board.tiles ^ (tile << 4 * action | tile << 4 * board.empty), action)

    def is_terminal(self, board: Board) -> bool:
        """Whether the tiles are in order."""
        return board.tiles == self.goal

    def utility(self, board: Board, player: int) -> int:
        """Solved."""
        return 1


GAMES: tuple[Callable[[], Game], ...] = (
    TicTacToe,
    lambda: ConnectFour(width=5, height=4),
    lambda: class_in_file(ROOT / "examples" / "hexapawn.py")(5, 5),
    lambda: Domineering(6, 6),
    lambda: DotsAndBoxes(2, 3),
    lambda: Kalah(4, 3),
    lambda: Oware(2),
    lambda: Breakthrough(5, 4),
    EightPuzzle,
    lambda: Pig(30),
    ManyPlayerMNK,
    lambda: Othello(4),
    lambda: Hex(4),
)
QUICK_GAMES: tuple[Callable[[], Game], ...] = (TicTacToe, lambda: Oware(1), lambda: Pig(5), ManyPlayerMNK)


def rows(plan: Plan) -> Iterator[Row]:
    """A row for each game."""
    for make in QUICK_GAMES if plan.quick else GAMES:
        yield row(plan, make())


def row(plan: Plan, game: Game) -> Row:
    """`Solver` and the best of the methods that suit a game."""
    times: dict[str, float] = {}
    reports: list[str] = []
    for name, method in methods(game).items():
        max_seconds = min([MOST, *(1 + 3 * seconds for seconds in times.values())])
        try:
            method(game, max_seconds)  # compiles
            started = perf_counter()
            solved = method(game, max_seconds) is not None
        except OutplayError:
            continue
        seconds = perf_counter() - started
        reports.append(f"{name} {seconds:.2g} s" if solved else f"{name} over {max_seconds:.2g} s")
        if solved:
            times[name] = seconds
    best = min(times, key=lambda name: times[name])
    Solver(game).solve()  # compiles
    solver_timing, method_timing = best_of(plan, lambda: Solver(game).solve(), lambda: methods(game)[best](game, inf))
    analysis, reasons = solver_timing.outcome.analysis, solver_timing.outcome.reasons
    return Row(
        what=f"solve {game!r}", ours=solver_timing.seconds, peer=best, theirs=method_timing.seconds,
        agree=same(round(analysis.values[0], 6), round(method_timing.outcome, 6), f"value {method_timing.outcome:.3g}"),
        note="; ".join([", ".join(reports), *(reasons or [f"{analysis.method} at once"])]),
        bars=BARS if solver_timing.seconds > BRIEF else (),
    )  # fmt: skip


Method = Callable[[Game, float], float | None]


def methods(game: Game) -> dict[str, Method]:
    """The exact methods that may suit a game; each returns the value for player 0, None if it takes longer."""
    if game.has_chance:
        names = ["value-iteration", "expectiminimax"]
    elif game.players > 2:
        names = ["max-n"]
    else:
        names = ["alpha-beta", "proof-number", "value-iteration"]
    return {name: search(name) for name in names} | ({"table": table} if "alpha-beta" in names else {})


def search(algorithm: str) -> Method:
    """A method that searches."""

    def run(game: Game, seconds: float) -> float | None:
        searcher = searcher_class(algorithm)(game)
        if hasattr(searcher, "depth_factor"):
            searcher.depth_factor = DEPTH_FACTOR
        analysis = searcher.search(limit=Limit(seconds=None if seconds == inf else seconds))
        return analysis.values[0] if analysis.exact else None

    return run


def table(game: Game, seconds: float) -> float | None:
    """The method that makes a table of all states."""
    until: list[float] = []  # from the first report on: compiling does not count

    def progress(*_: object) -> None:
        if not until:
            until.append(perf_counter() + seconds)
        if perf_counter() > until[0]:
            raise TimeoutError

    try:
        tablebase = Tablebase.make(game, memory_mb=2000, progress=progress)
    except TimeoutError:
        return None
    assert tablebase is not None
    return tablebase.analyse(game.initial_state()).values[0]
