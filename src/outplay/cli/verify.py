"""`outplay verify`: checks a proof of an exact value with the rules alone."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.options import Json
from outplay.cli.output import live, print_json, say

EXAMPLES = ("Examples:", "  outplay verify four.proof", "  outplay verify my.proof my_game.py --json")


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The proof.")],
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="The game, unless it is built in.")] = None,
    json: Json = False,
) -> None:
    """Check a proof of an exact value with the rules alone, in plain Python."""
    from outplay.proofs import Proof
    from outplay.session.load import load_game

    proof = Proof.load(file, None if game is None else load_game(game))
    _, names = proof.start()
    with live("checking…") as shown:
        verdict = proof.verify(lambda done: shown(f"{done:,} of {proof.states:,} states"))
    if json:
        where = None if verdict.state is None else repr(verdict.state)
        print_json({"value": proof.value, "states": verdict.states, "fault": verdict.fault, "state": where})
    elif verdict.fault:
        say(f"{file} is wrong after {verdict.states:,} states: {verdict.fault}", "bold red")
    else:
        after = f" after {' '.join(names)}" if names else ""
        say(f"proved: {proof.game!r}{after} has the value {proof.value:+g} for player 0: {verdict.states:,} states")
    if verdict.fault:
        raise typer.Exit(1)
