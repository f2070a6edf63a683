"""A game that was played, as a page: one HTML file with the board after each move, and what the players thought of it.

`game.html` is the page; its script shows the boards and draws nothing by itself but the curve of values.
"""

import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from math import isfinite
from string import Template
from typing import Any

from outplay.pictures import svg
from outplay.pictures.board import STYLE
from outplay.pictures.show import show
from outplay.rules.constant_sum import balance, total
from outplay.rules.game import Game


def game_page(
    game: Game,
    title: str,
    states: Sequence[Any],
    actions: Sequence[Any],
    lines: Sequence[Sequence[str]],
    values: Sequence[float | None],
) -> str:
    """The page as HTML.

    Args:
        game: the game.
        title: who played, and how it ended.
        states: all states.
        actions: the actions between them.
        lines: what is said of each action, in columns.
        values: what its player expected to get, if it said so.
    """
    boards = [show(game, states[0]).svg()]
    boards += [
        show(game, after, last=(before, action)).svg()
        for before, action, after in zip(states, actions, states[1:], strict=False)
    ]
    data = {
        "boards": [re.sub("<style>.*?</style>", "", board, flags=re.DOTALL) for board in boards],
        "moves": [list(line) for line in lines],
        "curve": curve(game, states, values),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    template = Template(files("outplay.pictures").joinpath("game.html").read_text("utf-8"))
    return template.substitute(
        title=escape(svg.clean(title)),
        light=svg.variables(svg.LIGHT),
        dark=svg.variables(svg.DARK),
        font=svg.FONT,
        boards=STYLE,
        data=svg.clean(text).replace("<", "\\u003c"),  # nothing in it ends the script
    )


def curve(game: Game, states: Sequence[Any], values: Sequence[float | None]) -> list[tuple[float, float]]:
    """The values from the side of player 0, of two, as points of a field of 100 by 100 with player 0's win at the top.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> start = game.initial_state()
    >>> curve(game, [start, game.result(start, 4), start], [0.5, 1.0])
    [(50.0, 25.0), (100.0, 100.0)]
    """
    if game.players != 2 or total(game) is None:
        return []
    level = balance(game)
    shares = []
    for number, value in enumerate(values):
        if value is not None and isfinite(value):
            shares.append((number + 1, (value - level) * (1 if int(game.to_move(states[number])) == 0 else -1)))
    widest = max([1.0 if game.utilities is None else game.utilities[1] - level, *(abs(share) for _, share in shares)])
    return [(round(100 * at / len(values), 2), round(50 - 50 * share / widest, 2)) for at, share in shares]
