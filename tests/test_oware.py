"""Oware against a slow, obvious twin and plain minimax."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import AlphaBeta, Minimax, RulesError, check_game, legal_actions
from outplay.games import Oware

GAME = Oware()
seeds = st.integers(0, 2**32 - 1)


class Twin:
    """Two lists of pits, each from its owner's left, and a hand that walks from pit to pit."""

    def __init__(self, pits, seeds, longest_idle):
        self.pits, self.longest_idle, self.half = pits, longest_idle, pits * seeds
        self.rows, self.captured, self.turn, self.idle = [[seeds] * pits, [seeds] * pits], [0, 0], 0, 0

    def way(self, pit):
        """The pits where the seeds of `pit` go, the last one last."""
        there, way = (self.turn, pit), []
        while len(way) < self.rows[self.turn][pit]:
            player, place = there
            there = (player, place + 1) if place + 1 < self.pits else (1 - player, 0)
            if there != (self.turn, pit):
                way.append(there)
        return way

    def moves(self):
        if max(self.captured) > self.half or self.idle >= self.longest_idle:
            return []
        full = [pit for pit in range(self.pits) if self.rows[self.turn][pit]]
        if any(self.rows[1 - self.turn]):
            return full
        return [pit for pit in full if any(player != self.turn for player, _ in self.way(pit))]

    def play(self, pit):
        way, other = self.way(pit), 1 - self.turn
        self.rows[self.turn][pit] = 0
        for player, place in way:
            self.rows[player][place] += 1
        taken = []
        player, place = way[-1]
        while player == other and place >= 0 and self.rows[other][place] in (2, 3):
            taken.append(place)
            place -= 1
        left = [number for place, number in enumerate(self.rows[other]) if place not in taken]
        self.idle += 1
        if taken and any(left):
            self.captured[self.turn] += sum(self.rows[other][place] for place in taken)
            for place in taken:
                self.rows[other][place] = 0
            self.idle = 0
        self.turn = other

    def margin(self):
        return sum(self.rows[0]) + self.captured[0] - sum(self.rows[1]) - self.captured[1]

    def text(self):
        rows = "/".join(",".join(map(str, row)) for row in self.rows)
        return f"{rows} {self.captured[0]}-{self.captured[1]} {self.turn} {self.idle}"


def same(one, other):
    return one.seeds.tolist() == other.seeds.tolist() and one[1:] == other[1:]


@settings(max_examples=80)
@given(st.integers(1, 7), st.integers(1, 8), st.sampled_from([10, 100]), seeds)
def test_random_games_of_the_twin(pits, per_pit, longest_idle, seed):
    game, twin = Oware(pits, per_pit, longest_idle), Twin(pits, per_pit, longest_idle)
    chooser, board = random.Random(seed), game.initial_state()
    while True:
        assert game.state_text(board) == twin.text()
        assert same(game.parse_state(twin.text()), board)
        moves = twin.moves()
        assert list(legal_actions(game, board)) == moves
        assert game.is_terminal(board) == (not moves)
        assert game.to_move(board) == twin.turn
        if not moves:
            assert (game.utility(board, 0), game.utility(board, 1)) == (twin.margin(), -twin.margin())
            return
        pit = chooser.choice(moves)
        worth, before = game.order(board, pit), twin.captured[twin.turn]
        board = game.result(board, pit)
        twin.play(pit)
        assert worth == twin.captured[1 - twin.turn] - before
        assert game.evaluate(board, 0) == twin.captured[0] - twin.captured[1]


@pytest.mark.slow
@pytest.mark.parametrize("game", [GAME, Oware(3, 2, 20)], ids=repr)
def test_laws(game):
    report = check_game(game, playouts=30, seconds=5)
    assert report.ok, report
    assert report.compiled


@pytest.mark.slow
def test_alpha_beta_is_minimax():
    game = Oware(3, 2, 8)
    assert AlphaBeta(game).search().value == Minimax(game).search().value


@pytest.mark.parametrize(
    ("before", "move", "after"),
    [
        ("0,0,0,0,0,3/1,2,4,0,0,1 17-20 0 5", "F", "0,0,0,0,0,0/2,3,5,0,0,1 17-20 1 6"),  # ends on five: nothing
        ("0,0,0,0,0,3/1,2,2,0,0,1 19-20 0 5", "F", "0,0,0,0,0,0/0,0,0,0,0,1 27-20 1 0"),  # all three
        ("0,0,0,0,0,3/3,2,2,0,0,1 18-19 0 5", "F", "0,0,0,0,0,0/4,0,0,0,0,1 24-19 1 0"),  # a four ends it
        ("0,0,0,0,2,3/1,2,2,0,0,0 18-20 0 5", "F", "0,0,0,0,2,0/2,3,3,0,0,0 18-20 1 6"),  # grand slam: none
        ("0,0,0,0,0,1/0,0,0,0,1,2 20-24 1 5", "e", "0,0,0,0,0,1/0,0,0,0,0,3 20-24 0 6"),  # one's own: none
        ("12,0,0,0,0,0/1,1,1,1,1,1 15-15 0 5", "A", "0,2,1,1,1,1/2,2,2,2,2,2 15-15 1 6"),  # past where it started
    ],
)
def test_moves(before, move, after):
    board = GAME.parse_state(before)
    assert GAME.state_text(GAME.result(board, GAME.parse_action(board, move))) == after


def names(text):
    board = GAME.parse_state(text)
    return [GAME.action_name(board, pit) for pit in GAME.actions(board)]


def test_the_other_player_is_fed_or_the_game_is_over():
    assert names("3,0,4,1,2,0/0,0,0,0,0,0 19-19 0 0") == ["C", "E"]
    board = GAME.parse_state("3,0,3,1,1,0/0,0,0,0,0,0 20-20 0 0")
    assert GAME.is_terminal(board)
    assert GAME.utility(board, 0) == 8
    assert names("0,0,0,0,0,0/0,0,0,0,0,4 20-24 1 0") == ["f"]


def test_half_the_seeds_and_one_more_decide():
    assert not GAME.is_terminal(GAME.parse_state("1,0,0,0,0,0/1,0,0,0,0,0 24-22 0 0"))
    board = GAME.parse_state("1,0,0,0,0,0/1,0,0,0,0,0 25-21 0 0")
    assert GAME.is_terminal(board)
    assert GAME.utility(board, 1) == -4


def test_a_game_in_circles_ends():
    board = GAME.parse_state("0,0,0,0,0,1/1,0,0,0,0,0 23-23 0 0")
    plies = 0
    while not GAME.is_terminal(board):
        board = GAME.result(board, next(iter(GAME.actions(board))))
        plies += 1
    assert plies <= 100
    assert GAME.utility(GAME.parse_state("0,0,0,0,0,2/1,0,0,0,0,0 23-22 0 100"), 0) == 2


def test_features_and_names():
    board = GAME.parse_state("3,0,4,1,2,0/0,1,5,0,0,0 16-16 1 3")
    assert GAME.features(board) == (16 - 16, 6 - 10, 1 - 2)
    assert GAME.parse_action(board, " B ") == GAME.parse_action(board, "b") == 1


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "expected the pits of both players"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 0", "expected the pits of both players"),
        ("4,4,4,4,4,x/4,4,4,4,4,4 0-0 0 0", "expected the pits of both players"),
        ("4,4,4,4,4,99999/4,4,4,4,4,4 0-0 0 0", "expected the pits of both players"),
        ("4,4,4,4,4/4,4,4,4,4,4 4-0 0 0", "two rows of 6 pits, such as 4,4"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 2 0", "2: the player to move is 0 or 1"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 0 101", "101: plies since a capture, from 0 to 100"),
        ("4,4,4,4,4,4/4,4,4,4,4,4 1-0 0 0", "the seeds must add up to 48"),
        ("-4,4,4,4,4,12/4,4,4,4,4,4 0-0 0 0", "with no number below 0"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong) as refusal:
        GAME.parse_state(text)
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize("make", [lambda: Oware(0), lambda: Oware(27), lambda: Oware(6, 0), lambda: Oware(6, 4, 0)])
def test_bad_parameters(make):
    with pytest.raises(RulesError, match="must be a whole number from 1 to"):
        make()
