"""What programs that speak UCI call the games here, and how they write states and moves."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outplay.arena.centipawns import lead_of
from outplay.games.breakthrough import Breakthrough
from outplay.games.chess import Chess
from outplay.games.connect_four import ConnectFour
from outplay.games.othello import Othello
from outplay.games.xiangqi import Xiangqi
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.session.view import View

NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
"""A whole number of 64 bits."""


def pawns_of(share: float) -> float:
    """The lead of the value of chess, p / (|p| + 4), in centipawns."""
    return 400 * share / max(1e-6, 1 - abs(share))


@dataclass(frozen=True)
class Dialect:
    """The words for one game; by default those of the game itself.

    Attributes:
        variant: the name of the game, for the option UCI_Variant; "" if only the program knows it.
        state: the text of a state.
        move: the name of a move.
        read: the game's own name of a move that a program has named.
        parse: the state that a text describes.
        centipawns: a share of a win, from -1 to 1, in hundredths of a pawn.
        is_drawish: whether games are often drawn.
    """

    variant: str = ""
    state: Callable[[Game, Any], str] = lambda game, state: game.state_text(state)
    move: Callable[[Game, Any, int], str] = lambda game, state, action: game.action_name(state, action)
    read: Callable[[str], str] = lambda text: text
    parse: Callable[[Game, str], Any] = lambda game, text: game.parse_state(text)
    centipawns: Callable[[float], float] = lead_of
    is_drawish: bool = False

    def moves(self, view: View) -> list[str]:
        """The names of all moves so far."""
        return [self.move(view.game, *move) for move in zip(view.states, view.actions, strict=False)]


def shifted(text: str, by: int) -> str:
    """A move with its ranks counted from another number.

    >>> shifted("h2e2", 1), shifted("b10b9", -1)
    ('h3e3', 'b9b8')
    """
    return re.sub(r"\d+", lambda rank: str(int(rank[0]) + by), text)


def breakthrough_fen(game: Game, state: Any) -> str:
    """The men as pawns.

    >>> breakthrough_fen(Breakthrough(), Breakthrough().initial_state())
    'pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w - - 0 1'
    """
    board, turn = game.state_text(state).split()
    return f"{board.translate(str.maketrans('wb', 'Pp'))} {turn} - - 0 1"


def breakthrough_state(game: Game, text: str) -> Any:
    """The state of such a text, or of one of the game's own."""
    board, turn = text.split()[:2]
    return game.parse_state(f"{board.translate(str.maketrans('Pp', 'wb'))} {turn}")


def spread(rows: str) -> str:
    """The rows of a board with a point for each empty square, without the hands behind it.

    >>> spread("3pP3/8[PPpp]")
    '...pP.../........'
    """
    return re.sub(r"\d+", lambda empty: "." * int(empty[0]), rows.partition("[")[0])


def packed(rows: str) -> str:
    """The rows of a board with a number for empty squares.

    >>> packed("...pP.../........")
    '3pP3/8'
    """
    return re.sub(r"\.+", lambda empty: str(len(empty[0])), rows)


def flipello_fen(game: Game, state: Any) -> str:
    """The discs of Othello as pawns, those of black, who moves first, as white's, and hands that are never empty."""
    squares, turn = game.state_text(state).split()
    rows = squares.translate(str.maketrans("XO-", "Pp."))
    board = packed("/".join(rows[start : start + 8] for start in range(0, 64, 8)))
    return f"{board}[{'P' * 60}{'p' * 60}] {'w' if turn == 'X' else 'b'} - - 0 1"


def flipello_state(game: Game, text: str) -> Any:
    """The state of such a text, or of one of the game's own."""
    if "/" not in text:
        return game.parse_state(text)
    board, turn = text.split()[:2]
    squares = spread(board).replace("/", "").translate(str.maketrans("Pp.", "XO-"))
    return game.parse_state(f"{squares} {'X' if turn == 'w' else 'O'}")


def flipello_name(game: Game, state: Any, action: int) -> str:
    """A move of Othello as a drop, with ranks from the other side; a pass is a disc that stays, the one nearest to a1.

    >>> game = Othello()
    >>> state = game.initial_state()
    >>> [flipello_name(game, state, action) for action in game.actions(state)]
    ['P@d6', 'P@c5', 'P@f4', 'P@e3']
    """
    name = game.action_name(state, action)
    if name != "pass":
        return f"P@{name[0]}{9 - int(name[1])}"
    squares, turn = game.state_text(state).split()
    place = next(
        rank * 8 + file for rank in reversed(range(8)) for file in range(8) if squares[rank * 8 + file] == turn
    )
    return 2 * f"{chr(97 + place % 8)}{8 - place // 8}"


def flipello_read(text: str) -> str:
    """The game's own name of such a move."""
    drop = re.fullmatch(r"P@([a-h])([1-8])", text)
    return f"{drop[1]}{9 - int(drop[2])}" if drop else "pass" if re.fullmatch(r"([a-h][1-8])\1", text) else text


def drops_fen(game: Game, state: Any) -> str:
    """A board on which pieces are put, as the game draws it, and hands that are never empty."""
    board: Any = game.picture(state)
    width, height = (1 + int(max(getattr(place, side) for place in board.places)) for side in "xy")
    squares = [["."] * width for _ in range(height)]
    for place in board.places:
        for piece in board.pieces_on(place.cell):
            squares[int(place.y)][int(place.x)] = "Pp"[piece.player]
    hand = -(-width * height // 2)
    turn = "b" if int(game.to_move(state)) == 1 else "w"
    return f"{packed('/'.join(map(''.join, squares)))}[{'P' * hand}{'p' * hand}] {turn} - - 0 1"


def drops_state(game: Game, text: str) -> Any:
    """The empty board. Raises `OutplayError` for any other: Connect Four knows moves only."""
    if spread(text.split(maxsplit=1)[0]).strip("./"):
        raise OutplayError(f"{game!r} cannot be set up from pieces: give position startpos moves …")
    return game.initial_state()


def drop_name(game: Game, state: Any, action: int) -> str:
    """A move as the square where the piece lands.

    >>> drop_name(ConnectFour(), ConnectFour().initial_state(), 3)
    'P@d1'
    """
    before, after = game.picture(state), game.picture(game.result(state, action))
    assert before is not None, "it has a board"
    assert after is not None, "it has a board"
    [place] = [place for place in after.places if place.cell in after.pieces and place.cell not in before.pieces]
    return f"P@{chr(97 + int(place.x))}{int(max(other.y for other in after.places) - place.y) + 1}"


CHESS = Dialect(
    "chess",
    move=lambda game, state, action: game.uci_name(state, action),  # type: ignore[attr-defined]
    centipawns=pawns_of,
    is_drawish=True,
)
XIANGQI = Dialect(
    "xiangqi",
    move=lambda game, state, action: shifted(game.action_name(state, action), 1),
    read=lambda text: shifted(text, -1),
    is_drawish=True,
)
BREAKTHROUGH = Dialect("breakthrough", state=breakthrough_fen, parse=breakthrough_state)
OTHELLO = Dialect("flipello", state=flipello_fen, move=flipello_name, read=flipello_read, parse=flipello_state)
CONNECT_FOUR = Dialect(
    "cfour",
    state=drops_fen,
    move=drop_name,
    read=lambda text: str(ord(text[2]) - 96) if text[:2] == "P@" and len(text) == 4 else text,
    parse=drops_state,
)


def dialect_of(game: Game) -> Dialect:
    """The dialect for a game."""
    if isinstance(game, Chess):
        return CHESS
    if isinstance(game, Xiangqi):
        return XIANGQI
    by_rules = {Breakthrough(): BREAKTHROUGH, Othello(): OTHELLO, ConnectFour(): CONNECT_FOUR}
    return by_rules.get(game, Dialect())
