"""`outplay describe`: a game in numbers."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import Annotated

import typer

from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import GameName, Json
from outplay.cli.output import live, print_json, say
from outplay.cli.start import load_checked

EXAMPLES = (
    "Examples:",
    "  outplay describe chess",
    "  outplay describe my_game.py --seconds 30",
    '  outplay describe "connect-four(width=5, height=4)" --json',
    "Ctrl-C prints what was measured so far; exit code 130.",
)


def describe(
    game: GameName,
    seconds: Annotated[float, typer.Option(metavar="S", help="About how long to measure.")] = 6.0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="The seed of the random games.")] = 0,
    json: Json = False,
) -> None:
    """Measure a game: branching factor, length, the size of its tree, and who wins."""
    rules = load_checked(game)
    if not seconds > 0:
        raise typer.BadParameter(f"--seconds {seconds:g}: must be greater than 0")
    from outplay.session.describe import describe as measure

    with live("compiling the rules…") as show:
        description = measure(rules, seconds, seed=seed, progress=show)
    if json:
        print_json(description.as_dict())
    else:
        say(f"{rules!r}", "bold")
        say()
        say(str(description))
    if description.interrupted:
        raise typer.Exit(INTERRUPTED)
