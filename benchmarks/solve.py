"""Solving Connect Four positions: every line of Pascal Pons' test set, each with the exact score, in one call.

A line of a test set is `moves score`: columns 1 to 7 played from the empty board, and the score for the player to move,

    the number of the winner's own discs that are unplayed at the end, plus one     for a win
    the same, negative                                                              for a loss
    0                                                                               for a draw

The sets are described at http://blog.gamesolver.org/solving-connect-four/02-test-protocol/

Pons' solver is at https://github.com/PascalPons/connect4; `--solver PATH/c4solver` runs it on the same lines, as a
separate process without a book. Both keep one table for all lines.
"""

import subprocess
from collections.abc import Iterator

from benchmarks.alpha_beta import play
from benchmarks.common import ROOT, Bar, Disagreement, Plan, Row, best_of, same
from outplay import AlphaBeta, Analysis
from outplay.games import ConnectFour

USUAL = ROOT.parent / "shared" / "data" / "connect_four" / "Test_L3_R1"
SETS = "http://blog.gamesolver.org/solving-connect-four/02-test-protocol/"
NEAR = """
7515154322 -10; 6372166275 -10; 52422451724 -11; 35512253137 11; 736134632722 9; 155773431117 9;
73664325733 11; 42274531267 -11; 51311255176 -10; 314414357 11; 41242566144 11; 62355167 11; 421627432375 10;
176755742472 -10; 5346575 -13; 47755257 11; 5543433777 11; 17215151655456 -10; 5323375334635 -10;
2514215163 11; 6642413 -12; 7332273723324 -10; 7117721442543 10; 2334623351 10; 165726666653 10;
56246521141634 -10; 7331672733267 -10; 67145224271 11; 6474137 12; 442613145 12; 416247 12; 16553126172 10;
5322564145143 10; 6576326166447 9; 43475531415 -11; 375651 12; 435526151 12; 27122722114 -9; 7215623613711 10;
163747755 -12; 3163134217762 9; 64225457257166 -10; 1472463341 11; 2435136 13; 73127463 -11; 751242653 11;
14561147532 -10; 15556164247422 -8
"""
"""Random positions of 6 to 14 discs, decided in 10 to 15 plies: easy if one asks for a near end first."""
DISCS = 21
"""The number of discs of each player."""


def rows(plan: Plan) -> Iterator[Row]:
    """One row per file, and one for positions whose result is near unless files are given."""
    if not plan.positions:
        yield solve(plan, "random ones with a near result", NEAR.replace(";", "\n"), ())
    for path in plan.positions or (USUAL,):
        bars = (Bar("figure", "<", 60),) if path.name == USUAL.name else ()
        if path.is_file():
            yield solve(plan, path.name, path.read_text(), bars)
        else:
            note = f"no such file; Pascal Pons' test sets: {SETS}, then --positions FILE"
            yield Row(what=f"every line of {path.name}, exactly", bars=bars, note=note)


def solve(plan: Plan, name: str, text: str, bars: tuple[Bar, ...]) -> Row:
    """The row of one set of lines; raises `Disagreement` for the first line that is not solved with its score."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    lines = lines[: 200 if plan.quick else plan.lines]
    game = ConnectFour()
    search = AlphaBeta(game)
    states = [play(game, [int(column) - 1 for column in moves]) for moves, _ in lines]
    search.search_many(states[:1])  # compiles

    def pons() -> list[str]:
        """The scores that Pons' program prints: a line `moves score` for each line of moves."""
        moves = "".join(f"{moves}\n" for moves, _ in lines)
        process = subprocess.run([str(plan.solver), "-b", ""], input=moves, capture_output=True, text=True, check=True)
        return [line.split()[-1] for line in process.stdout.splitlines()]

    our_timing, *peer_timings = best_of(
        plan, lambda: search.search_many(states), *([] if plan.solver is None else [pons])
    )
    analyses = our_timing.outcome
    for number, ((moves, expected), analysis) in enumerate(zip(lines, analyses, strict=True), start=1):
        own_score = score(len(moves), analysis)
        if own_score != int(expected):
            raise Disagreement(f"{name}, line {number}: {moves} has score {expected}, outplay found {own_score}")
    for peer_timing in peer_timings:
        same([expected for _, expected in lines], peer_timing.outcome, f"the scores of {name}")
    nodes = sum(analysis.nodes for analysis in analyses)
    return Row(
        what=f"{len(lines):,} positions of {name}, exactly",
        ours=our_timing.seconds,
        peer="Pascal Pons' solver, in C++" if peer_timings else "",
        theirs=peer_timings[0].seconds if peer_timings else None,
        agree=f"all {len(lines):,} scores",
        note=f"one search_many, {nodes:,} nodes, {nodes / our_timing.seconds:,.0f} a second",
        bars=bars,
    )


def score(discs: int, analysis: Analysis) -> int | None:
    """The score of a position after so many discs, or None if the analysis is not exact."""
    if not analysis.exact or (analysis.value and analysis.distance is None):
        return None
    distance = analysis.distance or 0
    if analysis.value > 0:  # the winner is to move, and so makes the last move too
        return DISCS + 1 - (discs // 2 + (distance + 1) // 2)
    if analysis.value < 0:
        return (discs + 1) // 2 + distance // 2 - (DISCS + 1)
    return 0
