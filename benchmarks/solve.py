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
from pathlib import Path

from benchmarks.alpha_beta import play
from benchmarks.common import ROOT, Bar, Disagreement, Plan, Row, best_of, same
from outplay import AlphaBeta, Analysis
from outplay.games import ConnectFour

USUAL = ROOT.parent / "shared" / "data" / "connect_four" / "Test_L3_R1"
SETS = "http://blog.gamesolver.org/solving-connect-four/02-test-protocol/"
DISCS = 21
"""The number of discs of each player."""


def rows(plan: Plan) -> Iterator[Row]:
    """One row per file."""
    for path in plan.positions or (USUAL,):
        bars = (Bar("figure", "<", 60),) if path.name == USUAL.name else ()
        if path.is_file():
            yield solve(plan, path, bars)
        else:
            note = f"no such file; Pascal Pons' test sets: {SETS}, then --positions FILE"
            yield Row(what=f"every line of {path.name}, exactly", bars=bars, note=note)


def solve(plan: Plan, path: Path, bars: tuple[Bar, ...]) -> Row:
    """The row of one file; raises `Disagreement` for the first line that is not solved with its score."""
    lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
    lines = lines[: 200 if plan.quick else plan.lines]
    game = ConnectFour()
    search = AlphaBeta(game)
    states = [play(game, [int(column) - 1 for column in moves]) for moves, _ in lines]
    search.search_many(states[:1])  # compiles

    def pons() -> list[str]:
        """The scores that Pons' program prints: a line `moves score` for each line of moves."""
        moves = "".join(f"{moves}\n" for moves, _ in lines)
        done = subprocess.run([str(plan.solver), "-b", ""], input=moves, capture_output=True, text=True, check=True)
        return [line.split()[-1] for line in done.stdout.splitlines()]

    mine, *others = best_of(plan, lambda: search.search_many(states), *([] if plan.solver is None else [pons]))
    analyses = mine.outcome
    for number, ((moves, wanted), analysis) in enumerate(zip(lines, analyses, strict=True), start=1):
        found = score(len(moves), analysis)
        if found != int(wanted):
            raise Disagreement(f"{path.name}, line {number}: {moves} has score {wanted}, outplay found {found}")
    for other in others:
        same([wanted for _, wanted in lines], other.outcome, f"the scores of {path.name}")
    nodes = sum(analysis.nodes for analysis in analyses)
    return Row(
        what=f"{len(lines):,} positions of {path.name}, exactly",
        ours=mine.seconds,
        peer="Pascal Pons' solver, in C++" if others else "",
        theirs=others[0].seconds if others else None,
        agree=f"all {len(lines):,} scores",
        note=f"one search_many, {nodes:,} nodes, {nodes / mine.seconds:,.0f} a second",
        bars=bars,
    )


def score(played: int, analysis: Analysis) -> int | None:
    """The score of a position after `played` discs, or None if the analysis is not exact."""
    if not analysis.exact or (analysis.value and analysis.distance is None):
        return None
    distance = analysis.distance or 0
    if analysis.value > 0:  # the winner is to move, and so makes the last move too
        return DISCS + 1 - (played // 2 + (distance + 1) // 2)
    if analysis.value < 0:
        return (played + 1) // 2 + distance // 2 - (DISCS + 1)
    return 0
