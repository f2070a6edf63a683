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
from outplay.pictures.show import show
from outplay.rules.constant_sum import draw_utility, total
from outplay.rules.game import Game


def game_page(
    game: Game,
    title: str,
    states: Sequence[Any],
    actions: Sequence[Any],
    lines: Sequence[Sequence[str]],
    values: Sequence[float | None],
    players: Sequence[str],
) -> str:
    """The page as HTML.

    Args:
        game: the game.
        title: who played, and how it ended.
        states: all states.
        actions: the actions between them.
        lines: what is said of each action, in columns.
        values: what its player expected to get, if it said so.
        players: the name of each player.
    """
    boards = [show(game, states[0]).svg()]
    boards += [
        show(game, after, last=(before, action)).svg()
        for before, action, after in zip(states, actions, states[1:], strict=False)
    ]
    data = {
        "boards": [re.sub("<style>.*?</style>", "", board, flags=re.DOTALL) for board in boards],
        "moves": [list(line) for line in lines],
        "curves": curves(game, states, values),
        "players": list(players),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    template = Template(files("outplay.pictures").joinpath("game.html").read_text("utf-8"))
    return template.substitute(
        title=escape(svg.clean(title)),
        light=svg.variables(),
        dark=svg.variables(dark=True),
        font=svg.FONT,
        boards=svg.dark_style("".join(boards)),
        data=svg.clean(text).replace("<", "\\u003c"),  # nothing in it ends the script
    )


def curves(game: Game, states: Sequence[Any], values: Sequence[float | None]) -> list[list[tuple[float, float]]]:
    """The values that each of two players expected, from the side of player 0, whose win is at the top.

    They are points of a field of 100 by 100; none for other games.

    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> start = game.initial_state()
    >>> curves(game, [start, game.result(start, 4), start], [0.5, 1.0])
    [[(50.0, 25.0)], [(100.0, 100.0)]]
    """
    if game.players != 2 or total(game) is None:
        return []
    level = draw_utility(game)
    shares: list[list[tuple[int, float]]] = [[], []]
    for number, value in enumerate(values):
        player = int(game.to_move(states[number]))
        if value is not None and isfinite(value) and player in (0, 1):
            shares[player].append((number + 1, (value - level) * (-1) ** player))
    shares_shown = [abs(share) for points in shares for _, share in points]
    widest = max([1.0 if game.utilities is None else game.utilities[1] - level, *shares_shown])
    return [
        [(round(100 * at / len(values), 2), round(50 - 50 * share / widest, 2)) for at, share in points]
        for points in shares
    ]
