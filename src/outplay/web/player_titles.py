"""What the players of a game are called, and their colours, as its own pictures say it: "white to move"."""

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from outplay.pictures.show import picture_of, text_of
from outplay.rules.board import Piece
from outplay.rules.game import CHANCE, Game
from outplay.rules.repetition import final, playable

PLIES, GAMES = 30, 3
"""How far random games are followed until each player has been to move."""
TO_MOVE = re.compile(r"^(?:.*[,:;] )?(?P<title>[\w' -]{1,24}?) to (?:move|play|roll|bet|act|bid)\b")


@dataclass(frozen=True)
class PlayerTitle:
    """What a player is called: "white" or "player 0"; and the colour of its pieces, or ""."""

    title: str
    colour: str = ""


def player_titles(game: Game) -> list[PlayerTitle]:
    """The players by number. Where the pictures do not say what they are called, it is the number.

    >>> from outplay.games import Chess, Nim
    >>> [player.title for player in player_titles(Chess())], player_titles(Chess())[0].colour
    (['white', 'black'], 'white')
    """
    try:
        titles = _said(game)
    except Exception:  # a user's rule or picture: the page says later what is wrong
        titles = {}
    if len({title.title for title in titles.values()}) < game.players:
        return [PlayerTitle(f"player {player}") for player in range(game.players)]
    return [titles[player] for player in range(game.players)]


def _said(game: Game) -> dict[int, PlayerTitle]:
    """What the players are called in the pictures of a few random games."""
    titles: dict[int, PlayerTitle] = {}
    random = Random(0)  # noqa: S311 - not for secrets
    for _ in range(GAMES):
        states = [game.initial_state()]
        while len(titles) < game.players and len(states) < PLIES and final(game, states) is None:
            player = int(game.to_move(states[-1]))
            if player != CHANCE and player not in titles:
                title = _title(game, states[-1], player)
                if title is not None:
                    titles[player] = title
            states.append(game.result(states[-1], random.choice(playable(game, states))))
    return titles


def _title(game: Game, state: Any, player: int) -> PlayerTitle | None:
    """What the player to move is called in the picture of a state; None if it does not say so."""
    board = picture_of(game, state)
    lines = list(board.text) if board is not None else text_of(game, state).splitlines()[-1:]
    for line in lines:
        text, piece = (line, None) if isinstance(line, str) else (line[1], line[0])
        if match := TO_MOVE.match(text):
            return PlayerTitle(match["title"], _colour(board, piece))
    return None


def _colour(board: Any, piece: Piece | None) -> str:
    """The colour of a piece."""
    if piece is None or board is None or not 0 <= (piece.player or 0) < len(board.colours):
        return ""
    return "" if piece.player is None else str(board.colours[piece.player])
