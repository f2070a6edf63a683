"""`python -m benchmarks`: run all or the named benchmarks and print a table; the exit status is 1 if peers disagree."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import (
    ablation,
    alpha_beta,
    arena,
    backgammon,
    bearoff,
    cfr,
    chance,
    colouring,
    enhancements,
    environments,
    example,
    hidden,
    learning,
    many_players,
    match,
    matrix,
    mcts,
    opponents,
    perfect,
    perft,
    playouts,
    ported,
    proofs,
    queens,
    river,
    solve,
    solve_methods,
    start,
    tables,
    techniques,
    tic_tac_toe,
    tree,
    twenty_forty_eight,
    wac,
)
from benchmarks.common import PATIENCE, Bar, Disagreement, Plan, Row, machine
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.load import load_game


class Benchmark(StrEnum):
    """The names on the command line, in the order of the table."""

    TREE = "tree"
    PERFT = "perft"
    QUEENS = "queens"
    COLOURING = "colouring"
    PLAYOUTS = "playouts"
    PORTED = "ported"
    BACKGAMMON = "backgammon"
    ALPHA_BETA = "alpha-beta"
    TIC_TAC_TOE = "tic-tac-toe"
    START = "start"
    SOLVE = "solve"
    SOLVE_METHODS = "solve-methods"
    TABLES = "tables"
    BEAROFF = "bearoff"
    PROOFS = "proofs"
    WAC = "wac"
    TWENTY_FORTY_EIGHT = "2048"
    EXAMPLE = "example"
    MCTS = "mcts"
    CHANCE = "chance"
    CFR = "cfr"
    MANY_PLAYERS = "many-players"
    MATRIX = "matrix"
    RIVER = "river"
    ABLATION = "ablation"
    ARENA = "arena"
    LEARNING = "learning"
    ENVIRONMENTS = "environments"
    MATCH = "match"
    ENHANCEMENTS = "enhancements"
    PERFECT = "perfect"
    HIDDEN = "hidden"
    OPPONENTS = "opponents"


WIDE = 160
"""The minimum width of a terminal, in columns, that has room for the whole table."""

BENCHMARKS: dict[Benchmark, Callable[[Plan], Iterator[Row]]] = {
    Benchmark.TREE: tree.rows,
    Benchmark.PERFT: perft.rows,
    Benchmark.QUEENS: queens.rows,
    Benchmark.COLOURING: colouring.rows,
    Benchmark.PLAYOUTS: playouts.rows,
    Benchmark.PORTED: ported.rows,
    Benchmark.BACKGAMMON: backgammon.rows,
    Benchmark.ALPHA_BETA: alpha_beta.rows,
    Benchmark.TIC_TAC_TOE: tic_tac_toe.rows,
    Benchmark.START: start.rows,
    Benchmark.SOLVE: solve.rows,
    Benchmark.SOLVE_METHODS: solve_methods.rows,
    Benchmark.TABLES: tables.rows,
    Benchmark.BEAROFF: bearoff.rows,
    Benchmark.PROOFS: proofs.rows,
    Benchmark.WAC: wac.rows,
    Benchmark.TWENTY_FORTY_EIGHT: twenty_forty_eight.rows,
    Benchmark.EXAMPLE: example.rows,
    Benchmark.MCTS: mcts.rows,
    Benchmark.CHANCE: chance.rows,
    Benchmark.CFR: cfr.rows,
    Benchmark.MANY_PLAYERS: many_players.rows,
    Benchmark.MATRIX: matrix.rows,
    Benchmark.RIVER: river.rows,
    Benchmark.ABLATION: ablation.rows,
    Benchmark.ARENA: arena.rows,
    Benchmark.LEARNING: learning.rows,
    Benchmark.ENVIRONMENTS: environments.rows,
}

MATCHES: dict[Benchmark, Callable[[Plan, Sequence[str]], list[match.Contest]]] = {
    Benchmark.MATCH: match.contests,
    Benchmark.ENHANCEMENTS: enhancements.contests,
    Benchmark.PERFECT: perfect.contests,
    Benchmark.HIDDEN: hidden.contests,
    Benchmark.OPPONENTS: opponents.contests,
}
LONG = (Benchmark.TWENTY_FORTY_EIGHT, Benchmark.LEARNING, Benchmark.MANY_PLAYERS, *MATCHES)
"""These take hours and run only if they are named."""


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def main(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help=f"Any of {', '.join(Benchmark)}; without a name, all but {', '.join(LONG)}, which take long. After"
            " `ablation` and `enhancements` you can name games, as for outplay; after `match`, give a game and two"
            " settings of Monte Carlo tree search, such as 'rave=true' and ''; after `perfect` you can give one;"
            f" after `hidden` you can name a game; after `opponents` some of {', '.join(opponents.OPPONENTS)}.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Less work; the bars are meant for the full work.")] = False,
    repeat: Annotated[int, typer.Option(min=1, help="The minimum number of runs of each work; the best counts.")] = 3,
    positions: Annotated[
        list[Path] | None, typer.Option(help="For solve: test sets to use.", show_default=False)
    ] = None,
    lines: Annotated[
        int | None,
        typer.Option(min=1, help="For solve and wac: the maximum number of lines of each file.", show_default=False),
    ] = None,
    solver: Annotated[
        Path | None,
        typer.Option(help="For solve: Pascal Pons' program c4solver, to compare with.", show_default=False),
    ] = None,
    suite: Annotated[
        Path | None, typer.Option(help="For wac: chess problems in EPD, instead of Win at Chess.", show_default=False)
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help=f"The seconds per position in wac, else {wac.SECONDS:g} s; per move in match and enhancements, else"
            f" {match.SECONDS:g} s; in opponents, else {opponents.SECONDS:g} s; in perfect, else {perfect.SECONDS:g} s;"
            f" in hidden, else {hidden.SECONDS:g} s; in learning, else {learning.SECONDS:g} s; in 2048, else"
            f" {twenty_forty_eight.SECONDS:g} s.",
            show_default=False,
        ),
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="For match and enhancements: the number of simulations per move, instead of a time.",
            show_default=False,
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"The number of games for each match of match and enhancements, else {match.GAMES}; the maximum for"
            f" each of opponents, else {opponents.GAMES}; for perfect, else {perfect.GAMES}; for hidden, else"
            f" {hidden.GAMES}; for learning, else {learning.GAMES}; for 2048, else"
            f" {twenty_forty_eight.GAMES}.",
            show_default=False,
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, help="For ablation: the depth of the search; else by time.", show_default=False)
    ] = None,
) -> None:
    """The same work in outplay and in other programs, in one run, as ratios; and matches of settings.

    \b
    Examples:
      python -m benchmarks mcts
      python -m benchmarks ablation my_game.py
      python -m benchmarks match "hex(n=7)" rave=true "" --games 100 --seconds 0.1
      python -m benchmarks match othello transpositions=true "" --games 200 --simulations 1000
      python -m benchmarks enhancements connect-four --games 40 --seconds 0.05
      python -m benchmarks perfect exploration=0.5 --seconds 2
      python -m benchmarks opponents stockfish-2000 xiangqi --games 40 --seconds 0.5
      python -m benchmarks 2048 --games 20 --seconds 0.02
    """  # noqa: D301 - the backspace keeps the lines as they are
    words_by_name = read(names or [name for name in Benchmark if name not in LONG])
    plan = Plan(
        quick=quick, repeat=repeat, positions=tuple(positions or ()), lines=lines, solver=solver, suite=suite,
        seconds=seconds, simulations=simulations, games=games,
    )  # fmt: skip
    ablation_games = games_of(words_by_name)
    matches = {name: MATCHES[name](plan, words) for name, words in words_by_name.items() if name in MATCHES}
    console = Console(width=None if sys.stdout.isatty() else 400, quiet=as_json, highlight=False, markup=False)
    repetition = f"best of {repeat} or more runs, of fewer if the work takes over {PATIENCE:.0f} s"
    conditions = {
        **machine(),
        "work": f"{repetition}; quick: less work than the bars are meant for" if quick else repetition,
    }
    console.print(*conditions.values(), sep="\n")
    results: dict[str, list[Row]] = {}
    disagreements: dict[str, str] = {}
    for name, words in words_by_name.items():
        if name in MATCHES or words:
            continue
        if console.is_terminal:
            console.print(f"{name} …", end="\r")  # no animation, which would take time from the measured work
        results[name], problem = run(name, plan)
        console.print(table(name, results[name], wide=console.width >= WIDE))
        if console.width < WIDE:
            console.print(*(f"{row.what}: {row.note}" for row in results[name] if row.note), sep="\n")
        if problem:
            disagreements[name] = problem
            console.print(f"{name}: they disagree. {problem}", style="bold red")
    ablations: dict[str, list[dict[str, Any]]] = {}
    for game in ablation_games:
        title, ablations[repr(game)] = techniques.compared(game, depth, quick=quick)
        console.print(techniques.as_table(title, ablations[repr(game)], style()))
        console.print(techniques.left_out(game))
    match_rows = {name: play(name, contests, console) for name, contests in matches.items()}
    if Benchmark.OPPONENTS in words_by_name:
        console.print(opponents.left_out(words_by_name[Benchmark.OPPONENTS]))
    if as_json:
        rows = {name: [row.as_dict() for row in rows] for name, rows in results.items()}
        report = {
            **conditions,
            "results": rows,
            "techniques": ablations,
            "matches": match_rows,
            "disagreements": disagreements,
        }
        print(json.dumps(report, indent=2, ensure_ascii=False))
    if disagreements:
        raise typer.Exit(1)


def read(names: Sequence[str]) -> dict[Benchmark, list[str]]:
    """The named benchmarks, each with the words after it that belong to it."""
    words_by_name: dict[Benchmark, list[str]] = {}
    for name in names:
        latest = next(reversed(words_by_name), None)
        if name in list(Benchmark):
            words_by_name[Benchmark(name)] = []
        elif latest == Benchmark.ABLATION or latest in MATCHES:
            words_by_name[latest].append(name)
        else:
            raise typer.BadParameter(f"no benchmark is called {name!r}: {', '.join(Benchmark)}")
    return words_by_name


def games_of(words_by_name: dict[Benchmark, list[str]]) -> list[Game]:
    """The games for `ablation`: those named after it, else Connect Four."""
    if Benchmark.ABLATION not in words_by_name:
        return []
    try:
        return [load_game(name) for name in words_by_name[Benchmark.ABLATION] or ["connect-four"]]
    except OutplayError as error:
        raise typer.BadParameter(str(error)) from None


def play(name: Benchmark, contests: list[match.Contest], console: Console) -> list[dict[str, Any]]:
    """The rows of all matches, with a status line while they are played; after Ctrl-C, the rows so far."""
    rows, interrupted = [], False
    for contest in contests:
        title, score = f"{name}: {contest.match.game!r}, {' against '.join(contest.match.names)}", None
        try:
            for score in contest.play():
                if console.is_terminal:
                    console.print(f"{title}: {score}", end="\r", overflow="ellipsis", no_wrap=True)
        except KeyboardInterrupt:
            interrupted = True
        if score is not None:
            rows.append(contest.row(score))
            if not console.is_terminal:
                console.print(f"{title}: {score}")
        if interrupted:
            console.print(f"{name}: interrupted; the games that were played to the end count")
            break
    console.print(match.as_table(name, rows, style()))
    if name == Benchmark.ENHANCEMENTS:
        games = {repr(contest.match.game): contest.match.game for contest in contests}
        console.print(*filter(None, map(enhancements.left_out, games.values())), sep="\n")
    return rows


def style() -> box.Box:
    """Lines for a terminal, otherwise Markdown."""
    return box.SIMPLE_HEAD if sys.stdout.isatty() else box.MARKDOWN


def run(name: Benchmark, plan: Plan) -> tuple[list[Row], str]:
    """The rows of a benchmark; if outplay and a peer disagree, the rows until then and the reason."""
    rows: list[Row] = []
    try:
        rows.extend(replace(row, bars=()) if plan.quick else row for row in BENCHMARKS[name](plan))
    except Disagreement as problem:
        return rows, str(problem)
    return rows, ""


def table(name: str, rows: list[Row], *, wide: bool = True) -> Table:
    """The rows as a table, in Markdown unless it goes to a terminal. A narrow table has no room for notes."""
    table = Table(box=style())
    columns = [name, "outplay", "the other", "", "ratio", "bar", *(("both found", "note") if wide else ())]
    for column in columns:
        table.add_column(column, justify="right" if column in ("outplay", "the other", "ratio") else "left")
    for row in rows:
        ours, theirs = figure(row.ours, row.unit), figure(row.theirs, row.unit)
        bars = ", ".join(promise(row, bar) for bar in row.bars)
        cells = row.what, ours, theirs, row.peer, times(row.ratio), bars, row.agree, row.note
        table.add_row(*cells[: len(columns)])
    return table


def figure(value: float | None, unit: str) -> str:
    """A figure with three digits and its unit."""
    if value is None:
        return "–"
    if value >= 1e6:
        return f"{value / 1e6:.3g} million {unit}" if value < 1e9 else f"{value / 1e6:,.0f} million {unit}"
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"


def times(ratio: float | None) -> str:
    """A ratio, with two decimals if it is small."""
    if ratio is None:
        return "–"
    return f"× {ratio:,.0f}" if ratio >= 10 else f"× {ratio:.2f}"


VERDICTS = {True: "yes", False: "no", None: "not measured"}


def promise(row: Row, bar: Bar) -> str:
    """A bar and whether it is kept."""
    mark = times(bar.mark) if bar.subject == "ratio" else figure(bar.mark, row.unit)
    return f"{bar.sign} {mark}: {VERDICTS[row.met(bar)]}"


if __name__ == "__main__":
    app()
