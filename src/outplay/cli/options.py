"""Options that several commands share, and the examples below their help."""

from glob import escape, glob
from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.searchers import read_algorithm
from outplay.engine.clock import Clock
from outplay.session.algorithms import SEARCHES
from outplay.system.files import why_not_writable


def games_beginning(incomplete: str) -> list[str]:
    """The games that TAB offers: by name, and files of rules.

    >>> games_beginning("tic")
    ['tic-tac-toe']
    """
    from outplay.games import BUILT_IN  # noqa: PLC0415 - only TAB needs it here
    from outplay.session.load import plug_ins  # noqa: PLC0415

    files = sorted(glob(f"{escape(incomplete)}*.py"))
    return [name for name in sorted([*BUILT_IN, *plug_ins()]) if name.startswith(incomplete)] + files


def searches_beginning(incomplete: str) -> list[str]:
    """The algorithms that TAB offers."""
    return [name for name in SEARCHES if name.startswith(incomplete)]


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help='A name, "name(parameter=value)", my_game.py or my_game.py:MyGame.',
        autocompletion=games_beginning,
    ),
]
Moves = Annotated[
    str,
    typer.Option(
        metavar="MOVES", help='Start after these moves: 4444, or "b2 a1", or a line of a file: "1. e4 e5 2. Nf3".'
    ),
]
State = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Start from this state in the game's usual text form, such as FEN in chess."),
]
Algorithm = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=read_algorithm,
        autocompletion=searches_beginning,
        show_default="what suits the game",
        help="; ".join(f"{search.name}: {search.purpose}" for search in SEARCHES.values()) + ".",
    ),
]
TableMb = Annotated[
    float | None,
    typer.Option(
        metavar="MB",
        min=0,
        help="Megabytes for the transposition table, or for the tree of mcts and ismcts.  [default: 64; 256]",
    ),
]
Threads = Annotated[
    int, typer.Option(metavar="N", min=1, max=1024, help="The number of threads, for alpha-beta, mtdf and mcts.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, max=1024, help="The number of processes.  [default: 1; with --cluster, one for each core]"
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help='Run the processes on the machines of a Ray cluster: its address, or "auto" for the one on this machine.',
    ),
]
BookFile = Annotated[
    str | None,
    typer.Option(
        "--book",
        "--table",
        metavar="FILE",
        help="Look positions up first in this file of outplay book or outplay table make.",
    ),
]
EvaluationName = Annotated[
    str | None,
    typer.Option(
        "--evaluation",
        metavar="FILE",
        help="Estimate by this file, of outplay learn or of feature weights, or with weights that come with the game,"
        " such as material for chess; by what was learned and comes with outplay (learned), or by the game's own"
        " evaluation (own). mcts takes a network in an .onnx file too.",
    ),
]
SearchOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set an option of the algorithm, as in --set rave=true; can be repeated. outplay algorithms NAME lists"
        " them.",
    ),
]
CLOCK = "[MOVES/]M:SS[+I]"
"""What is written after `--clock`."""
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")]


def read_clock(text: str) -> Clock:
    """The value of `--clock`."""
    try:
        return Clock.parse(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


PNG = "Write the picture as a PNG image too, or instead; needs pip install 'outplay[png]'."
"""The help of --png."""


def check_file(option: str, path: Path | None, suffix: str = "") -> None:
    """Refuse, before any work, a file that cannot be written or whose name does not end in `suffix`."""
    if path is None:
        return
    if path.suffix.lower() != suffix and suffix:
        raise typer.BadParameter(f"{option} {path}: the name must end in {suffix}")
    if suffix == ".png":
        from outplay.pictures.image import png_drawer  # noqa: PLC0415 - only for pictures

        png_drawer()  # or an error that says what to install
    if reason := why_not_writable(path):
        raise typer.BadParameter(f"{option} {path} cannot be written: {reason}")


def below_help(*lines: str) -> str:
    """Text below the help of a command, line by line."""
    return "\n".join(("\b", *lines))  # \b: do not join the lines to a paragraph
