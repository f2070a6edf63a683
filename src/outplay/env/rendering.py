"""What `render` of an environment returns: the text of a state, its picture as SVG, or as an array of colours."""

import io
from typing import Any

import numpy as np

from outplay.env.requirement import required_module
from outplay.pictures.show import show
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game

RENDER_MODES = ("ansi", "svg", "rgb_array")


def check_render_mode(mode: str | None) -> str | None:
    """The mode, if there is one of this name. Raises `OutplayError` if not."""
    if mode is not None and mode not in RENDER_MODES:
        raise OutplayError(f"render_mode={mode!r}: one of {', '.join(RENDER_MODES)}, or None")
    return mode


def rendered(game: Game, state: Any, last: tuple[Any, Any] | None, mode: str | None) -> Any:
    """A state in a mode; `last` is the state before and the action that was played there. None without a mode.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> rendered(game, game.initial_state(), None, "rgb_array").dtype
    dtype('uint8')
    """
    if mode is None:
        return None
    if mode == "ansi":
        return game.render(state)
    picture = show(game, state, last=last)
    if mode == "svg":
        return picture.svg()
    image = required_module("PIL.Image").open(io.BytesIO(picture.png(1.0)))
    return np.asarray(image.convert("RGB"))
