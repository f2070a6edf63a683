"""States as the inputs of a neural network, and the text that tells other programs how they are read.

Each symbol of each location is an input, which is 1 where the location has this symbol and else 0. After those follows
an input for each player, which is 1 if that player is to move, and in games with chance one more for chance:

    location 0          location 1          …   to move
    symbol 0  1  2      symbol 0  1  2      …   player 0  1
           1  0  0             0  1  0                 1  0

The text is JSON; it is in the metadata of a model and of exported positions, as `METADATA`.
"""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.evaluation.columns import read_columns
from outplay.evaluation.layout import Layout
from outplay.evaluation.patterns import Tables
from outplay.evaluation.table_form import check_form, form_from, form_of
from outplay.rules.errors import EvaluationError, OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.wording import shown

METADATA = "outplay"
"""The name of the text in the metadata of a file."""
FORMAT = "outplay layout 1"
LAYOUT = ("columns", "locations", "images", "clock", "edges")


def movers(game: Game) -> int:
    """The number of players, and one for chance."""
    return game.players + game.has_chance


def input_count(game: Game, layout: Layout) -> int:
    """The number of inputs.

    >>> from outplay.evaluation.layout import layout_of, sample
    >>> from outplay.games import Breakthrough
    >>> game = Breakthrough(5, 4)
    >>> layout = layout_of(game, sample(game, 500))
    >>> sum(layout.sizes), input_count(game, layout)
    (52, 54)
    """
    return sum(layout.sizes) + movers(game)


def inputs_of(game: Game, layout: Layout, states: Sequence[Any]) -> NDArray[np.float32]:
    """The inputs for states that are not terminal: float32 [states, inputs]."""
    to_move = [movers(game) - 1 if (player := game.to_move(state)) == CHANCE else player for state in states]
    return as_inputs(game, layout, layout.symbols(read_columns(layout.columns, states)), np.array(to_move, np.int64))


def as_inputs(game: Game, layout: Layout, symbols: NDArray[Any], to_move: NDArray[Any]) -> NDArray[np.float32]:
    """The inputs for symbols [states, locations], and who is to move [states]."""
    count = len(symbols)
    inputs = np.zeros((count, input_count(game, layout)), np.float32)
    starts = np.cumsum([0, *layout.sizes])
    rows = np.arange(count)
    inputs[rows[:, None], starts[:-1] + symbols] = 1
    inputs[rows, starts[-1] + to_move] = 1
    return inputs


def layout_text(game: Game, layout: Layout) -> str:
    """How the states of a game are read, as JSON.

    >>> from outplay.evaluation.layout import layout_of, sample
    >>> from outplay.games import TicTacToe
    >>> game = TicTacToe()
    >>> layout = layout_of(game, sample(game, 500))
    >>> layout_from_text(layout_text(game, layout), game).sizes == layout.sizes
    True
    """
    form = form_of(Tables(layout, ()))
    return json.dumps({"format": FORMAT, "game": repr(game), **{name: form[name] for name in LAYOUT}})


def layout_from_text(text: str, game: Game) -> Layout:
    """The layout that `layout_text` wrote. Raises `EvaluationError` for anything else, and for another game."""
    try:
        head = json.loads(text)
        if head["format"] != FORMAT:
            raise EvaluationError(f"its layout is in the form {shown(head['format'])}, not {FORMAT!r}: export it anew")
        if head["game"] != repr(game):
            raise EvaluationError(f"it is for {shown(head['game'])}, not for {game!r}")
        tables = form_from({**form_of(Tables(Layout((), (), ()), ())), **{name: head[name] for name in LAYOUT}})
        check_form(tables)
    except OutplayError:
        raise
    except Exception as error:  # whatever json and what is read from it may raise
        raise EvaluationError(f"its layout is damaged ({shown(error)})") from None
    try:
        tables.layout.symbols(read_columns(tables.layout.columns, [game.initial_state()]))
    except Exception as error:  # whatever a state says that has no such part
        raise EvaluationError(f"states of {game!r} had another form when it was trained ({shown(error)})") from None
    return tables.layout
