"""`outplay new`: a first game of one's own, which runs at once and is to be changed."""

import re
from importlib.resources import files
from keyword import iskeyword
from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.output import say
from outplay.rules.errors import OutplayError
from outplay.system.files import write_file

EXAMPLES = (
    "Examples:",
    "  outplay new my_game.py",
    "  outplay new my_race.py --like dice",
    "Then: outplay serve my_game.py, and edit the file beside the page.",
)


KINDS = ("board", "placing", "dice", "cards")
"""What a first game may be like."""


def new(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, such as my_game.py.")],
    like: Annotated[
        str,
        typer.Option(
            metavar="|".join(KINDS),
            help="Pieces that move, pieces that are placed, a race with a die, or hidden cards.",
        ),
    ] = "placing",
) -> None:
    """Write a first game with comments: a file that can be played at once, and changed."""
    if like not in KINDS:
        raise typer.BadParameter(f"--like {like}: choose {', '.join(KINDS)}")
    if file.suffix != ".py":
        raise typer.BadParameter(f"{file}: the name must end in .py")
    if file.exists():
        raise OutplayError(f"{file} is there already: choose another name")
    write_file(file, first_game(like, file).encode())
    say(f"{file} is written. Play it: outplay serve {file}")


def first_game(like: str, file: Path) -> str:
    """The text of a first game, in a file of this name.

    >>> "class MyGame(Game):" in first_game("dice", Path("my_game.py"))
    True
    """
    text = files("outplay.cli").joinpath("first_games", f"{like}.txt").read_text("utf-8")
    words = {"FirstGame": class_name(file.stem), "FILE": file.name}
    return re.sub("|".join(words), lambda match: words[match[0]], text)


def class_name(stem: str) -> str:
    """The name of the class in a file.

    >>> class_name("my_game"), class_name("3-in-a-row"), class_name("none"), class_name("piece")
    ('MyGame', 'Game3InARow', 'GameNone', 'GamePiece')
    """
    words = "".join(word[:1].upper() + word[1:] for word in re.split(r"\W+|_", stem))
    is_free = words.isidentifier() and not iskeyword(words) and words not in ("Piece", "Picture")  # as files use them
    return words if is_free else f"Game{words}"
