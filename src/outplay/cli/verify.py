"""`outplay verify`: checks a proof of an exact value with the rules alone."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.options import Json
from outplay.cli.output import live, print_json, say

EXAMPLES = (
    "Examples:",
    "  outplay verify four.proof",
    "  outplay verify my.proof my_game.py --json",
    "Exit code: 0 proved, 1 the proof is wrong, 2 the file cannot be read or belongs to another game.",
)


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The proof.")],
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="The game, unless it is built in.")] = None,
    max_states: Annotated[
        int | None,
        typer.Option(min=1, help="The most states to check; each takes some hundred bytes. Default: 10 million."),
    ] = None,
    json: Json = False,
) -> None:
    """Check a proof of an exact value with the rules alone, in plain Python."""
    from outplay.proofs import Proof
    from outplay.proofs.proof import MAX_STATES
    from outplay.session.load import load_game

    proof = Proof.load(file, None if game is None else load_game(game))
    _, names = proof.start()
    with live("checking…") as show:
        verdict = proof.verify(
            lambda done: show(f"{done:,} of {proof.states:,} states"), max_states=max_states or MAX_STATES
        )
    state_text = None if verdict.state is None else repr(verdict.state)
    if json:
        print_json(
            {
                "game": repr(proof.game), "moves": names, "proved": not verdict.fault, "result": proof.result,
                "value": proof.value, "states": verdict.states, "assumed": verdict.assumed, "fault": verdict.fault,
                "state": state_text,
            }
        )  # fmt: skip
    elif verdict.fault:
        say(f"Not proved: {verdict.fault}{f', in {state_text}' if state_text else ''}", "bold red")
    else:
        after = f" after {' '.join(names)}" if names else ""
        say(f"Proved: {proof.game!r}{after}: {proof.result}", "bold")
        say(f"{verdict.states:,} states checked with the rules alone")
        if verdict.assumed:
            say(f"Assumed: {verdict.assumed}")
    if verdict.fault:
        raise typer.Exit(1)
