"""The game in examples/ is correct, compiles, and has the values that a slow solver of its own finds."""

import runpy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from outplay import AlphaBeta, check_game

EXAMPLE = Path(__file__).parents[2] / "examples" / "hexapawn.py"
Hexapawn: Any = runpy.run_path(str(EXAMPLE))["Hexapawn"]

# -- Hexapawn once more, written to be obvious: a set of (column, row) for each side ----------------------------------

Pawns = frozenset[tuple[int, int]]


def start(columns: int, rows: int) -> tuple[Pawns, Pawns]:
    return frozenset((x, 0) for x in range(columns)), frozenset((x, rows - 1) for x in range(columns))


def moves(mine: Pawns, theirs: Pawns, step: int) -> set[str]:
    """The legal moves as pairs of squares, such as a2a3."""
    found = set()
    for x, y in mine:
        targets = {(x - 1, y + step), (x + 1, y + step)} & theirs
        if (x, y + step) not in mine | theirs:
            targets |= {(x, y + step)}
        found |= {f"{name(x, y)}{name(*target)}" for target in targets}
    return found


def name(x: int, y: int) -> str:
    return "abcdefgh"[x] + str(y + 1)


def square(name: str) -> tuple[int, int]:
    return "abcdefgh".index(name[0]), int(name[1:]) - 1


def after(mine: Pawns, theirs: Pawns, move: str) -> tuple[Pawns, Pawns]:
    origin, target = square(move[:2]), square(move[2:])
    return mine - {origin} | {target}, theirs - {target}


@cache
def wins(mine: Pawns, theirs: Pawns, step: int, rows: int) -> bool:
    """Whether the player to move, who goes in the direction `step`, wins."""
    home = 0 if step == 1 else rows - 1
    if any(y == home for _, y in theirs):
        return False
    for move in moves(mine, theirs, step):
        mine_after, theirs_after = after(mine, theirs, move)
        if not wins(theirs_after, mine_after, -step, rows):
            return True
    return False


# -- the example ------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize(("columns", "rows"), [(3, 3), (4, 5)])
def test_every_law_holds(columns: int, rows: int) -> None:
    report = check_game(Hexapawn(columns, rows), playouts=100, seconds=1)
    assert report.ok, str(report)
    assert report.compiled


def test_the_legal_moves_are_those_of_the_obvious_rules() -> None:
    game, random = Hexapawn(5, 6), Random(0)
    for _ in range(50):
        state, sides, step = game.initial_state(), start(5, 6), 1
        while not game.is_terminal(state):
            names = {game.action_name(state, action): action for action in game.actions(state)}
            assert set(names) == moves(*sides, step)
            move = random.choice(sorted(names))
            state = game.result(state, names[move])
            sides = after(*sides, move)[::-1]
            step = -step


@pytest.mark.nightly
@pytest.mark.parametrize("size", [(3, 3), (4, 3), (4, 4), (2, 6), (1, 3)], ids=str)
def test_the_value_is_that_of_a_slow_solver(size: tuple[int, int]) -> None:
    analysis = AlphaBeta(Hexapawn(*size)).search()
    assert analysis.exact
    assert analysis.value == (1 if wins(*start(*size), 1, size[1]) else -1)


@pytest.mark.nightly
def test_gardners_game_is_won_by_the_second_player() -> None:
    analysis = AlphaBeta(Hexapawn()).search()
    assert analysis.verdict == "loss in 6"


def test_the_board_is_drawn() -> None:
    game = Hexapawn(4, 3)
    state = game.initial_state()
    state = game.result(state, game.parse_action(state, "b1b2"))
    assert game.render(state) == "3  b b b b\n2  . w . .\n1  w . w w\n   a b c d"
    assert game.render(game.result(state, game.parse_action(state, "a3b2"))).splitlines()[1] == "2  . b . ."


@pytest.mark.nightly
def test_the_script_says_who_wins(python: Any) -> None:
    printed = python(EXAMPLE, 3, 3)
    assert "Hexapawn(): every law holds" in printed
    assert "loss in 6 for player 0 (exact)" in printed
