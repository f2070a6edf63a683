"""The command `outplay`: one file a command; `common.py` is what they share.

Heavy imports (Numba, the searches, Rich's tables) wait inside the commands, so that `outplay --version` is quick.
"""

import warnings
from typing import Annotated, Any

import typer

from outplay.cli import analyse, cache, check, games, play, solve
from outplay.cli.common import Command, Group, paragraphs, stderr

app = typer.Typer(
    name="outplay",
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=paragraphs(
        'A [bold]GAME[/] is a built-in game (connect-four), one with parameters ("connect-four(width=8)"),',
        "a class in a file (my_game.py:MyGame), a file that defines one game (my_game.py), or an installed plug-in.",
        "Exit codes: 0 done, 1 a law is broken or a game not solved, 2 bad input, 130 stopped by Ctrl-C.",
    ),
)
for module in (games, analyse, play, solve, check, cache):
    name = module.__name__.rpartition(".")[2]
    app.command(name, cls=Command, epilog=paragraphs(*module.EXAMPLES))(getattr(module, name))


def _version(wanted: bool) -> None:
    if wanted:
        from outplay import __version__

        typer.echo(f"outplay {__version__}")
        raise typer.Exit


@app.callback()
def outplay(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", envvar="OUTPLAY_DEBUG", help="Show where in the code an error arose.")
    ] = False,
) -> None:
    """Write the rules of a game once, in plain Python; solve it and play it at native speed."""
    warnings.showwarning = _show_warning


def _show_warning(message: Any, category: Any, filename: str, line: int, file: Any = None, source: Any = None) -> None:
    console = stderr()
    console.print("[yellow]warning:[/] ", end="")
    console.print(f"{message}\n  {filename}:{line}", markup=False, soft_wrap=True)


def main() -> None:
    """The entry point of the command."""
    app()
