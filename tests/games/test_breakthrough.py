"""Breakthrough against an obvious twin and plain minimax."""

import random
from functools import cache

import pytest
from twins.board_text import written

from outplay import AlphaBeta, Minimax, RulesError, legal_actions
from outplay.games import Breakthrough
from outplay.search.perft import perft

BOARDS = [Breakthrough(), Breakthrough(3, 2), Breakthrough(5, 4), Breakthrough(6, 5), Breakthrough(4, 7)]
each_board = pytest.mark.parametrize("game", BOARDS, ids=repr)


class Twin:
    """A dict of squares, walked one by one; `a1` is (0, 0)."""

    def __init__(self, rows, columns):
        filled = 2 if rows >= 6 else 1
        self.rows, self.columns, self.turn = rows, columns, 0
        self.men = {(c, r): 0 for c in range(columns) for r in range(filled)}
        self.men |= {(c, rows - 1 - r): 1 for c in range(columns) for r in range(filled)}

    def over(self):
        arrived = any(row == (self.rows - 1, 0)[man] for (_, row), man in self.men.items())
        return arrived or len(set(self.men.values())) == 1

    def moves(self):
        if self.over():
            return
        for (column, row), man in self.men.items():
            if man != self.turn:
                continue
            for way in (-1, 0, 1):
                there = column + way, row + (1, -1)[man]
                if there[0] not in range(self.columns):
                    continue
                if there not in self.men or (way and self.men[there] != man):
                    yield (column, row), there

    def play(self, move):
        before, there = move
        self.men[there] = self.men.pop(before)
        self.turn = 1 - self.turn

    def text(self):
        rows = [
            "".join(".wb"[1 + self.men.get((column, row), -1)] for column in range(self.columns))
            for row in reversed(range(self.rows))
        ]
        return written(rows, self.columns, "wb"[self.turn])


def name(move):
    return "".join("abcdefgh"[column] + str(row + 1) for column, row in move)


@pytest.mark.sample(1)
@each_board
def test_random_games_of_the_twin(game):
    dice = random.Random(1)
    for _ in range(50):
        twin, position = Twin(game.rows, game.columns), game.initial_state()
        while True:
            assert game.state_text(position) == twin.text()
            assert game.parse_state(twin.text()) == position
            assert game.is_terminal(position) == twin.over()
            moves = {name(move): move for move in twin.moves()}
            actions = list(legal_actions(game, position))
            assert sorted(game.action_name(position, action) for action in actions) == sorted(moves)
            if twin.over():
                assert game.utility(position, twin.turn) == -1
                break
            captures = {text for text, (_, there) in moves.items() if there in twin.men}
            assert {game.action_name(position, action) for action in game.noisy(position)} == captures
            assert game.is_quiet(position) == (not captures)
            assert {text for text in moves if game.is_capture(position, game.parse_action(position, text))} == captures
            chosen = dice.choice(sorted(moves))
            position = game.result(position, game.parse_action(position, chosen))
            twin.play(moves[chosen])


def test_perft():
    """The usual counts."""
    assert [perft(Breakthrough(), depth).lines for depth in range(5)] == [1, 22, 484, 11_132, 256_036]


def minimax(game):
    """The value of a position for the player to move: no table but of positions, no order, no hints."""

    @cache
    def value(position):
        if game.is_terminal(position):
            return game.utility(position, position.turn)
        return max(-value(game.result(position, action)) for action in game.actions(position))

    return value(game.initial_state())


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("rows", "columns", "utility"), [(3, 2, 1), (4, 2, -1), (4, 3, 1), (5, 2, 1), (5, 3, 1), (4, 4, 1)]
)
def test_small_boards(rows, columns, utility):
    game = Breakthrough(rows, columns)
    assert minimax(game) == utility
    assert AlphaBeta(game).search().value == utility


@pytest.mark.nightly
def test_five_by_five_with_two_rows_each():
    """Lost in 26 plies, as the player Tasmanian Devil found (forum of Little Golem, "5x5 solved", 2006)."""
    game = Breakthrough(5, 5)
    analysis = AlphaBeta(game, table_mb=512).search(game.parse_state("bbbbb/bbbbb/5/wwwww/wwwww w"))
    assert (analysis.value, analysis.distance, analysis.exact) == (-1, 26, True)


@pytest.mark.nightly
def test_the_distance_is_that_of_minimax():
    game = Breakthrough(4, 3)
    plain, fast = Minimax(game).search(), AlphaBeta(game).search()
    assert (plain.value, plain.distance) == (fast.value, fast.distance)


def test_what_is_seen_at_a_glance():
    game = Breakthrough(5, 4)
    assert game.forced_result(game.parse_state("1b2/2w1/4/2b1/w3 w")) == (1, 1)  # to the far side
    assert game.forced_result(game.parse_state("4/4/1b2/w3/4 w")) == (1, 1)  # the last man
    assert game.forced_result(game.parse_state("b3/4/w3/2b1/w3 w")) == (-1, 2)  # no capture
    assert game.forced_result(game.parse_state("4/4/w3/b1b1/1w2 w")) == (-1, 2)  # one capture is not enough
    position = game.parse_state("b3/4/w3/2b1/1w2 w")
    assert game.forced_result(position) == (0, 0)
    assert [game.action_name(position, action) for action in game.candidates(position)] == ["b1c2"]
    assert game.needs_extension(position)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("bbbb/4/4/4/wwww", "who is to move; such as 4/4/4/4/4 w"),
        ("bbbb/4/4/4/wwww x", "who is to move"),
        ("bbbb/4/4/wwww w", "4 rows, but the board has 5"),
        ("bbbb/4/5/4/wwww w", "row 3, '5': it describes 5 squares, but a row has 4"),
        ("bbbb/4/4/1q2/wwww w", "row 2, '1q2': 'q' is not one of w, b, nor a number"),
        ("bbbb/4/4/4/wwwb b", "b on d1"),
        ("bwwb/4/4/4/wwww b", "w on c5"),
        ("4/4/4/4/wwww w", "black has just moved, but has no men"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        Breakthrough(5, 4).parse_state(text)


def test_moves_are_read_in_any_usual_way():
    game = Breakthrough(5, 4)
    position = game.parse_state("b3/4/w3/2b1/1w2 w")
    assert {game.parse_action(position, text) for text in ("b1c2", " B1C2", "b1xc2")} == {5}


@pytest.mark.parametrize(("rows", "columns"), [(2, 4), (33, 2), (8, 1), (9, 8)])
def test_boards_that_do_not_fit(rows, columns):
    with pytest.raises(RulesError):
        Breakthrough(rows, columns)
