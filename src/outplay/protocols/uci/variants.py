"""What programs that speak UCI call the games here, and how they write states and moves."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from outplay.arena.centipawns import lead_of
from outplay.games.breakthrough import Breakthrough
from outplay.games.chess import Chess
from outplay.games.xiangqi import Xiangqi
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


def dialect_of(game: Game) -> Dialect:
    """The dialect for a game."""
    if isinstance(game, Chess):
        return CHESS
    if isinstance(game, Xiangqi):
        return XIANGQI
    return BREAKTHROUGH if game == Breakthrough() else Dialect()
