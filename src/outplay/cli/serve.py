"""`outplay serve`: the board in the browser, for built-in games and one's own."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.output import say
from outplay.rules.errors import OutplayError

EXAMPLES = (
    "Examples:",
    "  outplay serve",
    "  outplay serve my_game.py",
    '  outplay serve "connect-four(width=8)" chess --no-open',
    "  outplay serve chess --player uci:stockfish",
    "  outplay serve --book four.book",
    "While it runs, my_game.py is read anew after each edit: the page plays the new rules.",
    "Ctrl-C ends it; the games go on when it runs again.",
)


def serve(
    games: Annotated[
        list[str] | None, typer.Argument(metavar="[GAME]…", help="Games besides the built-in ones, such as your file.")
    ] = None,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="The address to listen at; 0.0.0.0 lets other computers in."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port; the next free one if it is taken.")
    ] = 8000,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which browsers may call this server, besides localhost."),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(metavar="PLAYER", help="A player to offer, as in outplay match, such as uci:stockfish."),
    ] = None,
    table: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A table of a game, from outplay table make: it has the values at once."),
    ] = None,
    book: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="An opening book of a game, from outplay book: explore shows what it knows."),
    ] = None,
    open_browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Whether to open the page in the browser.")
    ] = True,
    games_folder: Annotated[
        Path | None,
        typer.Option("--keep", metavar="FOLDER", help="Where games in progress are kept.  [default: the cache]"),
    ] = None,
) -> None:
    """Play and explore games in the browser, and your own while you write them."""
    try:
        from outplay.web.serving import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "websockets"):
            raise
        raise OutplayError("outplay serve needs Starlette and uvicorn: pip install 'outplay[web]'") from None
    run(
        games or [],
        host=host,
        port=port,
        allowed=allow_host or [],
        players=player or [],
        look_ups=[str(path) for path in [*(table or []), *(book or [])]],
        folder=games_folder,
        opens=open_browser,
        say=say,
    )
