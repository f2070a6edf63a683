"""`outplay check`: check the laws of a game on random playouts, or say what keeps it from compiling."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from contextlib import redirect_stdout
from typing import Annotated

import typer

from outplay.cli.errors import Group
from outplay.cli.options import GameName, Json
from outplay.cli.output import live, print_json, say
from outplay.rules.game import Game
from outplay.session.load import load_game

EXAMPLES = (
    "Examples:",
    "  outplay check my_game.py",
    "  outplay check my_game.py:MyGame --playouts 10000 --seconds 60 --json",
    "  outplay check --compile my_game.py",
    "Exit code 0: every law holds, or the rules compile; 1: a law is broken,",
    "or they do not compile; 2: the game does not load. With --compile, a law",
    "that is broken in a first game is told instead; --no-check leaves it out.",
)


def check(
    context: typer.Context,
    game: GameName,
    playouts: Annotated[int, typer.Option(metavar="N", min=1, help="The number of random games.")] = 1000,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S", min=0.001, help="The maximum time, with compiling.", show_default="10, and the time to compile"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed plays the same games.")] = 0,
    compiling: Annotated[
        bool,
        typer.Option(
            "--compile",
            help="Instead, list all lines that do not compile, with what to write, and measure what compiling brings.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Check every law of a game on random playouts; with --compile, say what keeps it from compiling."""
    rules = load_game(game)
    from outplay.check.full import check_game, first_report

    report = None
    if compiling and Group.checks:
        with redirect_stdout(None):  # rules may print
            report = first_report(rules, seed=seed)
    if compiling and (report is None or report.ok):
        show_compiling(rules, json, debug=bool(context.find_root().params.get("debug")))
        return
    if report is None:
        with live("compiling the rules…") as show:
            report = check_game(
                rules,
                playouts=playouts,
                seconds=seconds,
                seed=seed,
                progress=lambda so_far: show(f"{so_far.playouts:,} playouts, {so_far.states:,} states"),
            )
    if json:
        print_json(report.as_dict())
    else:
        say(str(report))
        if compiling and any("contains itself" in failure.detail for failure in report.failures):
            say("")  # the same attributes keep the rules from compiling
            show_compiling(rules, json=False, debug=False)
    if not report.ok:
        raise typer.Exit(1)


def show_compiling(rules: Game, json: bool, debug: bool) -> None:
    """Print what keeps a game from compiling, and what compiling brings."""
    from outplay.compile.report import compile_report

    with live("compiling the rules…"):
        report = compile_report(rules)
    if json:
        print_json(report.as_dict())
    else:
        say("\n".join(report.lines(details=debug)))
    if not report.ok:
        raise typer.Exit(1)
