"""What both sides of the Hub protocol say: arguments, positions and moves.

Lines are a command and arguments, `name=value`, with quotes where values have spaces. A position is a letter for the
side to move and one for each square; a capture names all squares that are captured.
"""

import re
from collections.abc import Sequence
from typing import Any

from outplay.rules.bits import squares
from outplay.rules.errors import OutplayError
from outplay.rules.wording import cut

ARGUMENT = re.compile(r'([\w-]+)(?:=(?:"([^"]*)"|(\S*)))?')
SQUARES = 50
WIN = 100.0
"""The score of a proved win, in men."""


def arguments(text: str) -> dict[str, str]:
    """The arguments of a line, by name.

    >>> arguments('name=variant value="" think')
    {'name': 'variant', 'value': '', 'think': ''}
    """
    return {name: quoted or plain for name, quoted, plain in ARGUMENT.findall(text)}


def position_of(game: Any, text: str) -> Any:
    """The position of a text. Raises `OutplayError` if it is none."""
    if not re.fullmatch(rf"[WB][wbWBe]{{{SQUARES}}}", text):
        raise OutplayError(f"pos={cut(text, 60)}: give W or B, and w, b, W, B or e for each of {SQUARES} squares")
    pieces: dict[str, list[str]] = {"W": [], "B": []}
    for number, letter in enumerate(text[1:], start=1):
        if letter != "e":
            pieces[letter.upper()].append(f"{'K' * letter.isupper()}{number}")
    return game.parse_state(":".join([text[0], *(colour + ",".join(own) for colour, own in pieces.items())]))


def position_text(game: Any, state: Any) -> str:
    """The text of a position.

    >>> from outplay.games import InternationalDraughts
    >>> game = InternationalDraughts()
    >>> text = position_text(game, game.initial_state())
    >>> text, position_of(game, text) == game.initial_state()
    ('Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww', True)
    """
    side, *colours = str(game.state_text(state)).split(":")
    letters = ["e"] * SQUARES
    for colour, *pieces in ((own[0], *own[1:].split(",")) for own in colours[:2]):
        for piece in filter(None, pieces):
            letters[int(piece.lstrip("K")) - 1] = colour if piece.startswith("K") else colour.lower()
    return side + "".join(letters)


def move_text(game: Any, action: int) -> str:
    """A move: from and to, and the squares of all that are captured."""
    first, last = (str(game.number(bit)) for bit in (action & 63, action >> 6 & 63))
    captured = game.captured(action)
    if not captured:
        return f"{first}-{last}"
    return "x".join([first, last, *(str(game.number(bit)) for bit in squares(captured))])


def read_move(game: Any, state: Any, legal: Sequence[int], text: str) -> int:
    """The legal move of a text, whose captured squares come in any order. Raises `IllegalAction` if it is none."""
    first, *rest = text.split("x")
    wanted = (first, *rest[:1], *sorted(rest[1:]))
    for action in legal:
        own, *others = move_text(game, action).split("x")
        if (own, *others[:1], *sorted(others[1:])) == wanted:
            return action
    return int(game.parse_action(state, text))


def men(game: Any, state: Any) -> float:
    """By what an estimate is multiplied to be a score in men: the game's own divides by all points and one more."""
    return float(1 + sum(game.points(pieces, state.kings, 0) for pieces in (state.mine, state.theirs)))
