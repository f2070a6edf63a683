"""All commands of `outplay`, in the order of the help.

Heavy modules (Numba, the searches, Rich's tables) are imported inside the commands: `outplay --version` is fast.
"""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import warnings
from typing import Annotated, Any

import typer

from outplay.cli import (
    algorithms,
    analyse,
    backtrack,
    balance,
    book,
    cache,
    check,
    compile,  # noqa: A004 - the name of the command
    describe,
    equilibrium,
    evaluate,
    games,
    gtp,
    hub,
    ladder,
    learn,
    match,
    nboard,
    new,
    perft,
    play,
    quiz,
    serve,
    show,
    solve,
    step,
    table,
    tournament,
    tree,
    uci,
    verify,
    xboard,
)
from outplay.cli.errors import Command, Group
from outplay.cli.options import below_help
from outplay.cli.output import complain
from outplay.rules.user_code import is_users

app = typer.Typer(
    name="outplay",
    cls=Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=below_help(
        "A GAME is:",
        "  connect-four               a built-in game, or one of a plug-in: outplay games",
        '  "connect-four(width=8)"    with parameters',
        "  my_game.py                 a file that defines one game",
        "  my_game.py:MyGame(size=4)  a class in a file",
        "  my_game.efg                a game tree in Gambit's form",
        "  my_game.nfg                a matrix game in Gambit's form",
        "  my_tree.json               a game tree in JSON",
        '  "[[3, 12, 8], [2, 4, 6]]"  a game tree',
        '  "matrix([[1,-1],[-1,1]])"  a matrix game',
        "backtrack takes a PROBLEM in the same forms; see outplay backtrack --help.",
        "Exit codes: 0 done; 1 a law is broken, or a game not solved;",
        "2 bad input, or a file not saved; 130 stopped by Ctrl-C, 143 by SIGTERM.",
    ),
)
for module in (
    games,
    new,
    describe,
    show,
    algorithms,
    analyse,
    tree,
    step,
    quiz,
    evaluate,
    play,
    serve,
    uci,
    gtp,
    xboard,
    nboard,
    hub,
    match,
    tournament,
    ladder,
    balance,
    learn,
    solve,
    verify,
    equilibrium,
    perft,
    backtrack,
    book,
    check,
    compile,
    cache,
):
    name = module.__name__.rpartition(".")[2]
    app.command(name, cls=Command, epilog=below_help(*module.EXAMPLES))(getattr(module, name))
app.add_typer(table.app, name="table", help="Every state of a game, solved: make, probe, verify a table.")


def _version(wanted: bool) -> None:
    if wanted:
        from outplay import __version__

        typer.echo(f"outplay {__version__}")
        raise typer.Exit


@app.callback()
def outplay(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="OUTPLAY_DEBUG", help="Show the traceback of an error.")
    ] = False,
    no_check: Annotated[
        bool, typer.Option("--no-check", help="Do not check the laws of a game before searching it.")
    ] = False,
) -> None:
    """Write the rules of a game once, in plain Python; solve it and play it at native speed."""
    warnings.showwarning = _show_warning
    Group.checks = not no_check


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    text = str(message).partition("\nThe parse failed with exception:\n")[0]  # Numba adds a traceback
    complain("Warning", "bold yellow", f"{text}\n  {filename}:{lineno}" if is_users(filename) else text)
