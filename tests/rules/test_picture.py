"""Pictures of states in games that do not define `render`."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
import pytest

from outplay.rules.picture import picture


class Side(Enum):
    WHITE = 1


class Named(NamedTuple):
    board: tuple
    turn: int


@dataclass
class Data:
    board: list
    turn: int


class Plain:
    def __init__(self):
        self.board = [[1, 0], [0, 2]]
        self.winner = None


class Told(Plain):
    def __str__(self):
        return "as told"


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        ((3, 0), "(3, 0)"),
        ("XO.", "XO."),
        ([1, 2, 3], "[1, 2, 3]"),
        ([[1, 2], [3]], "[[1, 2], [3]]"),
        (([[0, 1]], 2), "([[0, 1]], 2)"),
        ([["X"], ["O"]], "[['X'], ['O']]"),
        (np.array([[1, 10], [0, 2]]), " 1 10\n 0  2"),
        (([["X", " "], ["", None]], "O"), "X .\n. .\nO"),
        (((Side.WHITE, None), (None, None)), "WHITE     .\n    .     ."),
        ({(1, 1): "X", (3, 2): "O"}, "X .\n. .\n. O"),
        ({"board": [[1, 2], [3, 4]], "turn": 1}, "1 2\n3 4\nturn: 1"),
        (Named(((1, 2), (3, 4)), 1), "1 2\n3 4\nturn: 1"),
        (Data([[1, 2], [3, 4]], 1), "1 2\n3 4\nturn: 1"),
        (Plain(), "1 0\n0 2\nwinner: None"),
        (Told(), "as told"),
        ({}, "{}"),
        ([], "[]"),
        ([[], []], "[[], []]"),
        ({(1, 2, 3): 4}, "{(1, 2, 3): 4}"),
        (None, "None"),
    ],
)
def test_boards_are_drawn_and_other_states_shown_as_they_are(state, shown):
    assert picture(state) == shown
