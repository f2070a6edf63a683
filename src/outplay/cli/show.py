"""`outplay show`: a state of a game, as text or as a picture of its board."""

from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.options import GameName, Moves, State, check_file
from outplay.cli.output import picture, say
from outplay.cli.start import begin_session, load_checked
from outplay.rules.game import legal_actions

EXAMPLES = (
    "Examples:",
    '  outplay show chess --moves "e4 e5 Nf3" --svg board.svg',
    "  outplay show connect-four --moves 4444 --actions --svg board.svg",
    "  outplay show my_game.py",
    "The picture marks the last move, and with --actions where legal actions end.",
    "A game without a method picture is shown as text.",
)


def show(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    actions: Annotated[bool, typer.Option("--actions", help="Show the legal actions too.")] = False,
    svg: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Write a picture of the board.")] = None,
) -> None:
    """Show a state, or write a picture of its board."""
    rules = load_checked(game)
    check_file("--svg", svg, ".svg")
    session = begin_session(rules, moves, state)
    now = session.states[-1]
    if svg is not None:
        from outplay.pictures.show import show as pictured  # noqa: PLC0415 - only this needs it

        last = (session.states[-2], session.actions[-1]) if session.actions else None
        pictured(rules, now, last=last, actions=actions).save(svg)
        return
    say(picture(rules, now))
    if actions:
        legal = [] if rules.is_terminal(now) else legal_actions(rules, now)
        say(f"actions: {', '.join(rules.action_name(now, action) for action in legal) or 'none'}")
