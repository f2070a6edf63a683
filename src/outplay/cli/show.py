"""`outplay show`: a state of a game, as text or as a picture of its board; or games that were recorded."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.options import PNG, GameName, Moves, State, check_file
from outplay.cli.output import picture, say
from outplay.cli.saving import saved
from outplay.cli.start import begin_session, load_checked
from outplay.rules.game import legal_actions

EXAMPLES = (
    "Examples:",
    '  outplay show chess --moves "e4 e5 Nf3" --svg board.svg',
    "  outplay show connect-four --moves 4444 --actions --svg board.svg",
    "  outplay show my_game.py",
    "  outplay show games.pgn                     the games of a file",
    "  outplay show games.pgn --game 3            one of them, with keys as in outplay step",
    "  outplay show games.jsonl --game 3 --html game.html",
    "  outplay show games.jsonl --export games.pgn",
    "  outplay show my_game.py games.jsonl        of a game that is not built in",
    "The picture marks the last move, and with --actions where legal actions end.",
    "A game without a method picture is shown as text.",
    "Files of games end in .pgn, .sgf, .pdn, .ggf, .mat or .jsonl. What is odd in one is named and read all the same;",
    "a game whose moves cannot be replayed is left out, and the others are read. --strict refuses the file instead.",
)
ENDINGS = (".pgn", ".sgf", ".pdn", ".ggf", ".mat", ".jsonl")


def show(
    game: GameName,
    record: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A file of games; it may stand alone, without GAME.")
    ] = None,
    moves: Moves = "",
    state: State = None,
    actions: Annotated[bool, typer.Option("--actions", help="Show the legal actions too.")] = False,
    svg: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Write a picture of the board.")] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE.png", help=PNG)] = None,
    number: Annotated[
        int | None, typer.Option("--game", metavar="N", min=1, help="Of a file of games, only this one, from 1.")
    ] = None,
    ply: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The recorded game up to this move, not to its end.")
    ] = None,
    boards: Annotated[bool, typer.Option("--boards", help="Print the board before each recorded move.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page on which a recorded game is played through.")
    ] = None,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the recorded games to this file, by its ending.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a file if one of its games cannot be read, or anything is odd.")
    ] = False,
) -> None:
    """Show a state, or write a picture of its board; or show, replay and convert recorded games."""
    if record is None and game.lower().endswith(ENDINGS):
        game, record = "", Path(game)
    if record is not None:
        from outplay.cli.replay import show_record

        if moves or state is not None or actions:
            raise typer.BadParameter("--moves, --state and --actions are for a game, not for a file of games")
        rules = load_checked(game) if game else None
        show_record(
            str(record), rules, number=number, ply=ply, boards=boards, export=export, html=html, pictures=(svg, png),
            strict=strict,
        )  # fmt: skip
        return
    if number is not None or ply is not None or boards or html or export or strict:
        options = "--game, --ply, --boards, --html, --export and --strict"
        raise typer.BadParameter(f"{options} are for a file of games: name one")
    rules = load_checked(game)
    check_file("--svg", svg, ".svg")
    check_file("--png", png, ".png")
    session = begin_session(rules, moves, state)
    position = session.states[-1]
    files = [path for path in (svg, png) if path is not None]
    if files:
        from outplay.pictures.show import show as pictured

        last = (session.states[-2], session.actions[-1]) if session.actions else None
        drawn = pictured(rules, position, last=last, actions=actions)
        written = [saved(partial(drawn.save, file), file) for file in files]
        if all(written):
            return
    say(picture(rules, position))
    if actions:
        legal = [] if rules.is_terminal(position) else legal_actions(rules, position)
        say(f"actions: {', '.join(rules.action_name(position, action) for action in legal) or 'none'}")
