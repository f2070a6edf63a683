"""Go against an obvious twin, OpenSpiel, published values of small boards and counts of positions."""

import random

import numpy as np
import pytest
from board_text import written
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import AlphaBeta, Game, IllegalAction, Limit, RulesError, check_game, kernel, legal_actions, state_key
from outplay.games import Go, SuperkoGo
from outplay.games.go import Points, without
from outplay.repetition import final

LETTERS = "ABCDEFGHJKLMNOPQRST"


class Twin:
    """A dict of stones, a list of the boards so far; chains are walked point by point. `A1` is (0, 0)."""

    def __init__(self, size, *, komi=7.5, suicide=False, superko=False):
        self.size, self.komi, self.suicide, self.superko = size, komi, suicide, superko
        self.stones, self.turn, self.passes = {}, 0, 0
        self.boards, self.has_taken = [{}], False

    def beside(self, point):
        column, row = point
        near = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        return [(x, y) for x, y in near if 0 <= x < self.size and 0 <= y < self.size]

    def region(self, stones, point):
        """All points connected with `point` that look alike, and all that these touch."""
        todo, inside, edge = [point], set(), set()
        while todo:
            here = todo.pop()
            inside.add(here)
            for near in self.beside(here):
                if stones.get(near) == stones.get(point):
                    todo += [near] * (near not in inside)
                else:
                    edge.add(near)
        return inside, edge

    def is_dead(self, stones, point):
        return all(near in stones for near in self.region(stones, point)[1])

    def played(self, point):
        """The board with a stone on `point`, or None if that is not allowed, and whether it takes any."""
        stones = {**self.stones, point: self.turn}
        taken = set()
        for near in self.beside(point):
            if stones.get(near) == 1 - self.turn and self.is_dead(stones, near):
                taken |= self.region(stones, near)[0]
        stones = {place: stone for place, stone in stones.items() if place not in taken}
        if self.is_dead(stones, point):
            if not self.suicide:
                return None, False
            dead = self.region(stones, point)[0]
            stones = {place: stone for place, stone in stones.items() if place not in dead}
        if self.superko and stones in self.boards:
            return None, False
        if self.has_taken and stones == self.boards[-2]:
            return None, False
        return stones, bool(taken)

    def moves(self):
        if self.passes == 2:
            return []
        points = [(x, y) for y in range(self.size) for x in range(self.size)]
        free = [point for point in points if point not in self.stones and self.played(point)[0] is not None]
        return [*(LETTERS[x] + str(y + 1) for x, y in free), "pass"]

    def play(self, move):
        if move == "pass":
            self.passes, self.has_taken = self.passes + 1, False
        else:
            self.stones, self.has_taken = self.played((LETTERS.index(move[0]), int(move[1:]) - 1))
            self.passes = 0
        self.boards.append(self.stones)
        self.turn = 1 - self.turn

    def lead(self):
        """The area of black less that of white."""
        area = {0: len([1 for stone in self.stones.values() if stone == 0])}
        area[1] = len(self.stones) - area[0]
        for x in range(self.size):
            for y in range(self.size):
                if (x, y) not in self.stones:
                    touched = {self.stones[near] for near in self.region(self.stones, (x, y))[1]}
                    if len(touched) == 1:
                        area[touched.pop()] += 1
        return area[0] - area[1]

    def text(self):
        rows = [
            "".join(".XO"[self.stones.get((x, y), -1) + 1] for x in range(self.size)) for y in reversed(range(self.size))
        ]
        return written(rows, self.size, "bw"[self.turn])


def play(game, *names):
    board = game.initial_state()
    for name in names:
        board = game.result(board, game.parse_action(board, name))
    return board


def choose(dice, moves):
    """A pass is made seldom, so that boards fill up and chains are captured."""
    return "pass" if len(moves) == 1 or dice.random() < 0.02 else dice.choice(moves[:-1])


@pytest.mark.parametrize(
    ("game", "games"),
    [
        (Go(2, komi=0), 30),
        (Go(3, suicide=True), 30),
        (Go(5, margin=True), 15),
        (Go(7, suicide=True), 3),
        (Go(9), 3),
        (Go(13), 1),
        (Go(19), 1),
        (SuperkoGo(2), 30),
        (SuperkoGo(3, suicide=True), 15),
        (SuperkoGo(4), 5),
    ],
    ids=repr,
)
def test_random_games_of_the_twin(game, games):
    dice = random.Random(1)
    superko = isinstance(game, SuperkoGo)
    for _ in range(games):
        twin, board = Twin(game.size, komi=game.komi, suicide=game.suicide, superko=superko), game.initial_state()
        for _ in range(min(400, 12 * game.size**2)):
            moves = twin.moves()
            actions = list(legal_actions(game, board))
            assert [game.action_name(board, action) for action in actions] == moves
            assert (game.is_terminal(board), game.to_move(board)) == (not moves, twin.turn)
            black, white = game.area(board)
            assert black - white == twin.lead()
            if not superko:
                text = game.state_text(board)
                assert text.startswith(twin.text() + " ")
                assert text.endswith(f" {twin.passes}")
                assert game.parse_state(text) == board
            if not moves:
                lead = twin.lead() - game.komi
                wanted = lead if game.margin else (lead > 0) - (lead < 0)
                assert [game.utility(board, player) for player in (0, 1)] == [wanted, -wanted]
                break
            move = choose(dice, moves)
            board = game.result(board, game.parse_action(board, move))
            twin.play(move)


@pytest.mark.parametrize("game", [Go(3, komi=0.5), Go(9), Go(5, komi=-2, suicide=True, margin=True), SuperkoGo(3)], ids=repr)
def test_laws(game):
    report = check_game(game, playouts=5, seconds=4)
    assert report.ok, report
    assert report.compiled


# -- published values and counts --------------------------------------------------------------------------------------


def test_two_by_two():
    """One point for black under area scoring with positional superko (Tromp, "The game of Go aka Weiqi", 2x2 Go)."""
    found = AlphaBeta(SuperkoGo(2, komi=0, margin=True)).search()
    assert (found.value, found.exact) == (1, True)


def boards(size):
    """All ways to put stones on a board, as texts without the turn."""
    for number in range(3 ** (size * size)):
        yield "/".join(
            "".join(".XO"[number // 3 ** (row * size + column) % 3] for column in range(size)) for row in range(size)
        )


@pytest.mark.parametrize(("size", "legal"), [(2, 57), (3, 12_675)])
def test_legal_positions(size, legal):
    """The counts of Tromp & Farnebäck, "Combinatorics of Go" (2007)."""
    game, found = Go(size), 0
    for text in boards(size):
        shorter = text
        for empty in range(size, 0, -1):
            shorter = shorter.replace("." * empty, str(empty))
        try:
            game.parse_state(f"{shorter} b - 0")
        except RulesError:
            continue
        found += 1
    assert found == legal
