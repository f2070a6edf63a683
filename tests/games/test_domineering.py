"""Domineering against an obvious twin and the published table of winners."""

import random
from functools import cache

import pytest
from twins.board_text import written

from outplay import AlphaBeta, RulesError, legal_actions, state_key
from outplay.games import Domineering
from outplay.search.perft import perft

BOARDS = [Domineering(), Domineering(1, 4), Domineering(2, 3), Domineering(5, 4), Domineering(7, 10)]
each_board = pytest.mark.parametrize("game", BOARDS, ids=repr)


class Twin:
    """A set of empty squares; `a1` is (0, 0)."""

    def __init__(self, rows, columns):
        self.rows, self.columns, self.turn = rows, columns, 0
        self.free = {(column, row) for column in range(columns) for row in range(rows)}

    def moves(self):
        right, up = (0, 1) if self.turn == 0 else (1, 0)
        pairs = (((column, row), (column + right, row + up)) for column, row in self.free)
        return {name(pair): pair for pair in pairs if pair[1] in self.free}

    def play(self, pair):
        self.free -= set(pair)
        self.turn = 1 - self.turn

    def text(self):
        rows = [
            "".join("." if (column, row) in self.free else "#" for column in range(self.columns))
            for row in reversed(range(self.rows))
        ]
        return written(rows, self.columns, "vh"[self.turn])


def name(pair):
    return "".join("abcdefghij"[column] + str(row + 1) for column, row in pair)


@each_board
def test_random_games_of_the_twin(game):
    dice = random.Random(1)
    for _ in range(50):
        twin, position = Twin(game.rows, game.columns), game.initial_state()
        while True:
            assert game.state_text(position) == twin.text()
            assert game.parse_state(twin.text()) == position
            moves = twin.moves()
            actions = list(legal_actions(game, position))
            assert sorted(game.action_name(position, action) for action in actions) == sorted(moves)
            assert game.is_terminal(position) == (not moves)
            if not moves:
                assert game.utility(position, twin.turn) == -1
                break
            chosen = dice.choice(sorted(moves))
            position = game.result(position, game.parse_action(position, chosen))
            twin.play(moves[chosen])


def test_perft():
    """An upright domino takes away those level ones that cross it: one or two for each of its squares."""
    crossed = 8 * 7 * 2 * 2 - 2 * 7 * 2  # in the first and in the last column it is one
    assert [perft(Domineering(), depth).lines for depth in range(3)] == [1, 56, 56 * 56 - crossed]


WINNERS = """
   1 2 3 4 5 6
 1 2 H H H H H
 2 V 1 1 H V 1
 3 V 1 1 H H H
 4 V V V 1 V 1
 5 V H V H 2 H
 6 V 1 V 1 V 1
"""
"""By rows and columns; 1 is whoever begins, 2 the other one: Breuker, Uiterwijk & van den Herik (2000)."""


def winner(rows, columns):
    return WINNERS.strip().splitlines()[rows].split()[columns]


def first_wins(rows, columns):
    """Whether vertical wins if it begins, by the twin: no table but of positions, no order."""

    @cache
    def wins(free, turn):
        twin = Twin(rows, columns)
        twin.free, twin.turn = free, turn
        return any(not wins(free - set(pair), 1 - turn) for pair in twin.moves().values())

    return wins(frozenset(Twin(rows, columns).free), 0)


@pytest.mark.parametrize("rows", range(1, 5))
@pytest.mark.parametrize("columns", range(1, 5))
def test_the_table_of_winners_by_the_twin(rows, columns):
    """A board turned by a quarter exchanges the players, so that one column of the table answers for two."""
    assert first_wins(rows, columns) == (winner(rows, columns) in "1V")
    assert winner(columns, rows) == {"V": "H", "H": "V"}.get(winner(rows, columns), winner(rows, columns))


@pytest.mark.nightly
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (4, 4), (5, 5), (4, 5), (5, 4)])
def test_the_table_of_winners(rows, columns):
    analysis = AlphaBeta(Domineering(rows, columns)).search()
    assert analysis.value == (1 if winner(rows, columns) in "1V" else -1)


@pytest.mark.nightly
@pytest.mark.parametrize("rows", range(1, 7))
@pytest.mark.parametrize("columns", range(1, 7))
def test_the_whole_table_of_winners(rows, columns):
    analysis = AlphaBeta(Domineering(rows, columns)).search()
    assert analysis.value == (1 if winner(rows, columns) in "1V" else -1)


def test_squares_that_nobody_can_use_make_no_difference():
    game = Domineering(3, 3)
    one, other = (game.parse_state(text) for text in ("1#1/###/#2 h", "###/###/#2 h"))
    assert state_key(game, one) == state_key(game, other) != state_key(game, other._replace(turn=0))


def test_safe_moves():
    game = Domineering(4, 4)
    position = game.parse_state("1#2/1#2/#3/#3 v")
    assert game.features(position) == (8 - 6, 1 - 0)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("4/4/4/4", "who is to move; such as 4/4/4/4 v"),
        ("4/4/4/4 w", "v or h, who is to move"),
        ("4/4/4 v", "3 rows, but the board has 4"),
        ("4/4/5/4 v", "row 2, '5': it describes 5 squares"),
        ("4/o3/4/4 v", "row 3, 'o3': 'o' is not one of #"),
        ("4//4/4 v", "row 3, ''"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        Domineering(4, 4).parse_state(text)


@pytest.mark.parametrize(("rows", "columns"), [(0, 4), (27, 1), (11, 11), (8, 16)])
def test_boards_that_do_not_fit(rows, columns):
    with pytest.raises(RulesError):
        Domineering(rows, columns)
