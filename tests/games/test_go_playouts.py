"""What Go plays in playouts, against sets of points and flood fills that are as plain as can be."""

import random
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from games.test_go import Twin
from outplay import kernel, legal_actions
from outplay.compile.random_numbers import new_random
from outplay.games import Go, SuperkoGo
from outplay.games.go import GOOD_SHAPES, both, is_any, nth

EIGHT = [(x, y) for y in (-1, 0, 1) for x in (-1, 0, 1)]
"""Steps to the points around one, and to itself, as the letters of a shape stand."""


class Plain(Twin):
    """A board as a dict of stones: 0 is the player to move."""

    def __init__(self, game, board):
        super().__init__(game.size)
        self.in_atari = {}
        self.ko = self.point(board.ko) if board.ko >= 0 else None
        for player, points in enumerate((board.mine, board.theirs)):
            self.stones |= {self.point(action): player for action in game.listed(points)}

    def point(self, action):
        return action % self.size, action // self.size

    def is_on(self, point):
        return 0 <= point[0] < self.size and 0 <= point[1] < self.size

    def empty(self):
        return {(x, y) for x in range(self.size) for y in range(self.size)} - self.stones.keys()

    def is_true_eye(self, point):
        if point in self.stones or any(self.stones.get(near) != 0 for near in self.beside(point)):
            return False
        corners = [(point[0] + x, point[1] + y) for x in (-1, 1) for y in (-1, 1)]
        bad = [corner for corner in corners if self.stones.get(corner) == 1]
        return len(bad) <= (1 if all(map(self.is_on, corners)) else 0)

    def liberties(self, stones, point):
        return [near for near in self.region(stones, point)[1] if near not in stones]

    def chains_in_atari(self, player):
        """The stones of `player` that are in chains with one liberty."""
        if player not in self.in_atari:
            mine = [point for point, stone in self.stones.items() if stone == player]
            self.in_atari[player] = {point for point in mine if len(self.liberties(self.stones, point)) == 1}
        return self.in_atari[player]

    def captures(self, point):
        """The stones that a stone on an empty point takes."""
        weak = self.chains_in_atari(1)
        preys = [self.region(self.stones, near)[0] for near in self.beside(point) if near in weak]
        return set().union(*preys)

    def allowed(self):
        """Where a stone is no suicide, no ko and in no true eye."""
        return {
            point
            for point in self.empty() - {self.ko}
            if not self.is_true_eye(point)
            and (self.captures(point) or self.liberties({**self.stones, point: 0}, point))
        }

    def puts_in_atari(self, point):
        stones = {**self.stones, point: 0}
        if self.captures(point) or len(self.liberties(stones, point)) >= 2:
            return 0
        return len(self.region(stones, point)[0])

    def rescues(self, last):
        attacked = [near for near in self.beside(last) if near in self.chains_in_atari(0)]
        found = set()
        for start in attacked:
            edge = self.region(self.stones, start)[1]
            for point in self.empty() - {self.ko}:
                makes_room = point in edge and not self.is_true_eye(point) and not self.puts_in_atari(point)
                if self.captures(point) & edge or makes_room:
                    found.add(point)
        return found

    def has_shape(self, point):
        around = [(point[0] + x, point[1] + y) for x, y in EIGHT]
        marks = "".join(map(self.mark, around))
        return any(fits(shape, seen) for shape in FORMS for seen in (marks, swapped(marks)))

    def mark(self, point):
        return "-" if not self.is_on(point) else {0: "X", 1: "O", None: "."}[self.stones.get(point)]

    def shapes(self, last):
        around = [(last[0] + x, last[1] + y) for x, y in EIGHT]
        return {point for point in around if point in self.empty() and self.has_shape(point)}


def swapped(marks):
    return marks.translate(str.maketrans("XO", "OX"))


def turned(shape):
    """A shape of 9 letters turned by a quarter, and mirrored."""
    return [shape, "".join(shape[i] for i in (6, 3, 0, 7, 4, 1, 8, 5, 2)), shape[6:] + shape[3:6] + shape[:3]]


def forms():
    found = {shape.replace("/", "") for shape in GOOD_SHAPES}
    while True:
        more = found.union(*map(turned, found))
        if more == found:
            return sorted(found)
        found = more


FORMS = forms()
MEANING = {"X": "X", "O": "O", ".": ".", "-": "-", "x": "X.-", "o": "O.-", "?": "XO.-"}


def fits(shape, marks):
    return all(mark in MEANING[letter] for letter, mark in zip(shape, marks, strict=True))


def some_boards(game, games, seed):
    """Boards of random games, each with the action that led to it."""
    dice = random.Random(seed)
    for _ in range(games):
        board, last = game.initial_state(), -1
        for _ in range(2 * game.size**2):
            yield board, last
            actions = list(legal_actions(game, board))
            last = dice.choice(actions[:-1] or actions)
            board = game.result(board, last)
            if game.is_terminal(board):
                break


def points_in(game, points):
    return {(action % game.size, action // game.size) for action in game.listed(points)}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("game", "games", "every"), [(Go(3, suicide=True), 5, 1), (Go(5), 8, 1), (Go(9), 1, 3), (Go(19), 1, 90)], ids=repr
)
def test_what_it_looks_at(game, games, every):
    """True eyes, stones put in atari, chains saved and shapes are those of the plain board."""
    seen = Counter()
    for number, (board, last) in enumerate(some_boards(game, games, 5)):
        if number % every:
            continue
        plain = Plain(game, board)
        eyes = {point for point in plain.empty() if plain.is_true_eye(point)}
        assert points_in(game, game.true_eyes(board)) == eyes
        allowed = plain.allowed()
        assert points_in(game, game.breathing(board)) - eyes == allowed
        for action in game.listed(game.empty(board)):
            found = game.puts_in_atari(board, game.point(action))
            assert found == plain.puts_in_atari(plain.point(action))
            seen["puts in atari"] += found > 1
        seen["eyes"] += len(eyes)
        if not 0 <= last < game.passing:
            continue
        beside = plain.point(last)
        attacked = both(game.around(game.point(last)), both(board.mine, board.weak))
        if is_any(attacked):
            saved = plain.rescues(beside)
            assert points_in(game, game.rescues(board, attacked)) == saved
            seen["saved"] += len(saved)
        window = game.good_shapes(board, last)
        found = {(beside[0] + bit % 5 - 2, beside[1] + bit // 5 - 2) for bit in range(25) if window >> bit & 1}
        assert found == plain.shapes(beside)
        for action in game.listed(game.empty(board)):
            assert game.has_good_shape(board, action) == plain.has_shape(plain.point(action))
        seen["shapes"] += len(found)
    assert min(seen[name] for name in ("eyes", "puts in atari", "saved", "shapes")) > 0, seen


@pytest.mark.parametrize("game", [Go(5), Go(4, suicide=True), Go(9), SuperkoGo(3)], ids=repr)
def test_what_it_plays(game):
    """A legal action, never into a true eye; it passes only where nothing else is left. And a playout ends."""
    numbers = new_random(8)
    for _ in range(12 if game.size < 9 else 1):
        board, last, moves = game.initial_state(), -1, 0
        while not game.is_terminal(board):
            action, plain = game.playout_action(board, last, numbers), Plain(game, board)
            legal = list(legal_actions(game, board))
            assert action in legal
            left = {point for point in plain.allowed() if point[1] * game.size + point[0] in legal}
            if action != game.passing:
                assert plain.point(action) in left
            else:
                assert not left
            board, last, moves = game.result(board, action), action, moves + 1
        assert moves < 6 * game.size**2 + 30


# -- by chance --------------------------------------------------------------------------------------------------------


@kernel
def chosen(game, board, last, number, random):
    """How often each action is chosen: int64 [size * size + 1]."""
    found = np.zeros(game.passing + 1, np.int64)
    for _ in range(number):
        found[game.playout_action(board, last, random)] += 1
    return found


@pytest.mark.sample(1)
@pytest.mark.parametrize("text", ["1XOO1/XXXO1/1XOO1/XXOX1/1OO1O b - 0", "5/1XO2/5/5/5 w - 0"])
def test_nothing_to_answer(text):
    """Every point that is neither a true eye nor forbidden is equally likely."""
    game = Go(5)
    board = game.parse_state(text)
    plain = Plain(game, board)
    for last in -1, game.passing:
        found = chosen(game, board, last, 20_000, new_random(4))
        allowed = [action for action in range(25) if plain.point(action) in plain.allowed()]
        assert found.sum() == found[allowed].sum()
        assert chisquare(found[allowed]).pvalue > 0.01


# -- what it answers --------------------------------------------------------------------------------------------------


def answers(text, last, number=400):
    """How often which points are chosen after the move `last`."""
    rows = text.split()[0].count("/") + 1
    game = Go(rows)
    board = game.parse_state(text)
    numbers = new_random(2)
    last = game.passing if last == "pass" else "ABCDEFGHJ".index(last[0]) + rows * (int(last[1:]) - 1)
    return Counter(game.action_name(board, game.playout_action(board, last, numbers)) for _ in range(number))


@pytest.mark.parametrize(
    ("text", "last", "good"),
    [
        ("7/7/2O4/1OXO3/7/7/7 b - 0", "D4", ["C3"]),  # one liberty left: a stone there has two more
        ("7/7/2O4/1OXO3/1X1X3/2X4/7 b - 0", "D4", ["C3"]),  # and here connects
        ("7/7/2OX3/1OXOX2/7/7/7 b - 0", "D4", ["C3", "D3"]),  # what attacks is in atari too
        ("7/7/7/7/7/OX5/1OX4 b - 0", "B1", ["A1"]),  # what attacks is itself in atari: taken
        ("7/7/7/2X4/1XO4/2X4/7 b - 0", "C3", ["D3"]),  # nothing of mine is attacked, but there is a stone to take
    ],
)
def test_chains_in_atari(text, last, good):
    found = answers(text, last)
    assert sum(found[name] for name in good) > 300, found


def test_captures_afar():
    """About every other time, where the last move, here in a corner, asks for nothing."""
    assert 120 < answers("7/7/7/2X4/1XO4/2X4/6O b - 0", "G1")["D3"] < 300


def test_no_running_where_that_does_not_help():
    """A stone at the edge whose only step is into atari again is left alone."""
    found = answers("5/5/5/1O3/1XO2 b - 0", "C1")
    assert found["A1"] < 40, found


def test_shapes_are_played():
    """After a stone beside a pair, most answers are at the head of it, not anywhere on a board of 49 points."""
    found = answers("7/7/7/2XO3/3X3/7/7 b - 0", "D4", 1000)
    near = sum(found[column + row] for column in "CDE" for row in "345")
    assert near > 700, found


# -- compiled, and to the end -----------------------------------------------------------------------------------------


@kernel
def played_out(game, board, last, most, random):
    """The actions of a playout, then -1: int64 [most]."""
    actions = np.full(most, -1, np.int64)
    for move in range(most):
        if game.is_terminal(board):
            break
        last = game.playout_action(board, last, random)
        actions[move] = last
        board = game.result(board, last)
    return actions


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", [Go(9), Go(19), SuperkoGo(4)], ids=repr)
def test_compiled_is_interpreted(game):
    start = game.initial_state()
    compiled = played_out(game, start, -1, 3000, new_random(6))
    assert compiled[-1] == -1
    number = 250  # the rest of a game on a large board takes an interpreter long
    interpreted = played_out.interpreted(game, start, -1, number, new_random(6))
    assert compiled[:number].tolist() == interpreted.tolist()
    wanted = game.passing if game.size < 9 else -1
    assert wanted in (-1, compiled[compiled >= 0][-1])


@pytest.mark.nightly
def test_playouts_end():
    game = Go(9)
    playouts = [played_out(game, game.initial_state(), -1, 3000, new_random(seed)) for seed in range(500)]
    lengths = [int((actions >= 0).sum()) for actions in playouts]
    assert max(lengths) < 400
    assert 95 < np.mean(lengths) < 125


def test_nth():
    for board in (1, 0b10110, 1 << 62, (1 << 63) - 1, 0x5A5A_0F0F_1234_8001):
        places = [bit for bit in range(63) if board >> bit & 1]
        assert [nth(board, index) for index in range(len(places))] == places
