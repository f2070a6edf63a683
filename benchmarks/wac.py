"""Win at Chess: in how many of 300 positions of F. Reinfeld's book is the best move found, with a given time for each?

A suite is a file in EPD with one position per line: the first four fields of FEN, then operations, each ended by a
semicolon. `bm` names the best moves, any of which solves the position, `am` moves to avoid, and `id` the position:

    2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from re import findall
from typing import Any

import typer

from benchmarks.common import ROOT, Plan, Row
from outplay import AlphaBeta, Limit, OutplayError
from outplay.games import Chess

USUAL = ROOT.parent / "shared" / "data" / "chess" / "win_at_chess.epd"
SUITES = "https://www.chessprogramming.org/Win_at_Chess"
SECONDS = 1.0
QUICK_LINES, QUICK_SECONDS = 5, 0.1
OPTIONS: dict[str, Any] = {"selective": True, "table_mb": 128}


@dataclass(frozen=True)
class Problem:
    """A position, and the moves that solve it."""

    name: str
    fen: str
    best: tuple[str, ...]  # any of these; if empty, any move
    avoid: tuple[str, ...]  # except these


def parse_epd(line: str) -> Problem:
    """Parse a line of EPD; raises `ValueError` for a line without a problem.

    >>> parse_epd('7k/8/8/8/8/8/8/KR6 w - - bm Rb8+ Rb7; id "two";')
    Problem(name='two', fen='7k/8/8/8/8/8/8/KR6 w - - 0 1', best=('Rb8+', 'Rb7'), avoid=())
    """
    fields = line.split(maxsplit=4)
    operations = dict(findall(r'(\w+)\s+((?:"[^"]*"|[^;"])*);', f"{fields[4]};" if len(fields) == 5 else ""))
    best, avoid = (tuple(operations.get(name, "").split()) for name in ("bm", "am"))
    if not best and not avoid:
        raise ValueError(f"{line.strip()!r}: an EPD line has four fields, then 'bm' or 'am' with moves and a semicolon")
    return Problem(operations.get("id", "").strip().strip('"'), f"{' '.join(fields[:4])} 0 1", best, avoid)


def rows(plan: Plan) -> Iterator[Row]:
    """One row: the number of solved problems."""
    path = plan.suite or USUAL
    seconds = QUICK_SECONDS if plan.quick else plan.seconds or SECONDS
    row = Row(what=f"{path.name}, {seconds:g} s each", unit="solved")
    if not path.is_file():
        yield replace(row, note=f"no such file; a suite in EPD, such as Win at Chess: {SUITES}, then --suite FILE")
        return
    yield solve(row, read(path, QUICK_LINES if plan.quick else plan.lines), Limit(seconds=seconds))


def read(path: Path, most: int | None) -> list[Problem]:
    """The first problems of a suite; one clear error for a line without a problem, or if there are none at all."""
    game, problems = Chess(), list[Problem]()
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        if line.strip() and (most is None or len(problems) < most):
            try:
                problem = parse_epd(line)
                is_solved(game, game.parse_state(problem.fen), problem, None)  # its moves are legal
            except (ValueError, OutplayError) as error:
                raise typer.BadParameter(f"--suite {path}, line {number}: {error}") from None
            problems.append(problem)
    if not problems:
        raise typer.BadParameter(f"--suite {path}: there are no problems in this file; for some see {SUITES}")
    return problems


def solve(row: Row, problems: list[Problem], limit: Limit) -> Row:
    """`row` with the number of solved problems, each searched without memory of the others, and the unsolved ones."""
    game = Chess()
    search = AlphaBeta(game, **OPTIONS)
    search.search(limit=Limit(depth=1))  # compiles
    states = [game.parse_state(problem.fen) for problem in problems]
    analyses = [search.search(state, limit=limit) for state in states]
    failures = [
        problem.name or f"line {number}"
        for number, (problem, state, analysis) in enumerate(zip(problems, states, analyses, strict=True), start=1)
        if not is_solved(game, state, problem, analysis.action)
    ]
    count = len(problems)
    nodes, seconds = sum(analysis.nodes for analysis in analyses), sum(analysis.seconds for analysis in analyses)
    depth = sum(analysis.depth for analysis in analyses) / count
    speed = f"{nodes / seconds / 1e6:.3g} million nodes/s, depth {depth:.1f} on average"
    return replace(
        row,
        ours=count - len(failures),
        agree=f"{count - len(failures)} of {count}",
        note=f"{speed}; not solved: {', '.join(failures) or 'none'}",
    )


def is_solved(game: Chess, state: Any, problem: Problem, action: int | None) -> bool:
    """Whether `action` is one of the best moves, if any are named, and not a move to avoid."""
    best = [game.parse_action(state, move) for move in problem.best]
    avoid = [game.parse_action(state, move) for move in problem.avoid]
    return action is not None and (not best or action in best) and action not in avoid
