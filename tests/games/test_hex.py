"""Hex against an obvious twin and what is known of small boards."""

import random
from functools import cache

import pytest

from outplay import AlphaBeta, RulesError, legal_actions
from outplay.games import Hex

BOARDS = [Hex(), Hex(4, swap=False), Hex(2), Hex(3)]
each_board = pytest.mark.parametrize("game", BOARDS, ids=repr)


class Twin:
    """A dict of stones; `a1` is (0, 0), `b1` is (1, 0)."""

    def __init__(self, n, swap):
        self.n, self.swap, self.turn = n, swap, 0
        self.stones = {}

    def winner(self):
        """Who has a chain from one side to the other, looked for from scratch."""
        for player in (0, 1):
            across = 1 - player  # of a cell's coordinates the one that grows on the way
            chain = {cell for cell, who in self.stones.items() if who == player and cell[across] == 0}
            while True:
                more = {other for cell in chain for other in self.around(cell) if self.stones.get(other) == player}
                if more <= chain:
                    break
                chain |= more
            if any(cell[across] == self.n - 1 for cell in chain):
                return player
        return None

    def around(self, cell):
        column, row = cell
        return {(column + i, row + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i + j in (-1, 0, 1) and i != j}

    def moves(self):
        if self.winner() is not None:
            return {}
        cells = [(column, row) for column in range(self.n) for row in range(self.n)]
        moves = {"abcdefghijk"[cell[0]] + str(cell[1] + 1): cell for cell in cells if cell not in self.stones}
        return moves | ({"swap": None} if self.swap and self.turn == len(self.stones) == 1 else {})

    def winning(self, player):
        """The numbers of the empty cells on which a stone of `player` would win."""
        found = []
        for cell in sorted(((column, row) for column in range(self.n) for row in range(self.n)), key=lambda c: c[::-1]):
            if cell not in self.stones:
                self.stones[cell] = player
                found += [cell[0] + self.n * cell[1]] if self.winner() == player else []
                del self.stones[cell]
        return found

    def play(self, cell):
        if cell is None:
            ((column, row),) = self.stones
            self.stones = {(row, column): 1}
        else:
            self.stones[cell] = self.turn
        self.turn = 1 - self.turn

    def text(self):
        rows = []
        for row in range(self.n):
            line = "".join(".XO"[1 + self.stones.get((column, row), -1)] for column in range(self.n))
            for empty in range(self.n, 0, -1):
                line = line.replace("." * empty, str(empty))
            rows.append(line)
        return "/".join(rows) + " " + "XO"[self.turn]


def same(board, other):
    return board.stones.tolist() == other.stones.tolist() and board[1:] == other[1:]


@pytest.mark.sample(1)
@each_board
def test_random_games_of_the_twin(game):
    dice = random.Random(1)
    for _ in range(10 if game.n > 4 else 50):
        twin, board = Twin(game.n, game.swap), game.initial_state()
        while True:
            assert game.state_text(board) == twin.text()
            assert same(game.parse_state(twin.text()), board)
            winner, moves = twin.winner(), twin.moves()
            assert board.winner == (-1 if winner is None else winner)
            assert game.is_terminal(board) == (winner is not None)
            assert {game.action_name(board, action) for action in legal_actions(game, board)} == set(moves)
            if winner is None and game.n < 5:
                winning = [twin.winning(player) for player in (0, 1)]
                assert board.winning == tuple(map(len, winning))
                if board.winning[board.turn] == 0 and not game.can_swap(board):
                    assert list(game.candidates(board)) == (winning[1 - board.turn] or list(game.actions(board)))
            if winner is not None:
                assert game.utility(board, winner) == 1
                assert game.utility(board, 1 - winner) == -1
                break
            chosen = dice.choice(sorted(moves) + ["swap"] * 5 * ("swap" in moves))
            board = game.result(board, game.parse_action(board, chosen))
            twin.play(moves[chosen])


@pytest.mark.nightly
@pytest.mark.parametrize("n", [2, 3, 4])
def test_who_begins_wins(n):
    assert AlphaBeta(Hex(n, swap=False)).search().value == 1


@pytest.mark.nightly
def test_with_the_swap_the_other_one_wins():
    assert AlphaBeta(Hex(3)).search().value == -1


OPENINGS = {2: ("-+", "+-"), 3: ("--+", "+++", "+--"), 4: ("---+", "--+-", "-+--", "+---")}
"""The first stones that win, by rows: of 2 as in HexWiki ("Small boards"), the others as `openings` finds them."""


def openings(n):
    """The same by plain minimax over sets of cells."""

    def connected(stones, direction):
        reached, todo = set(), [cell for cell in stones if cell[direction] == 0]
        while todo:
            column, row = cell = todo.pop()
            if cell not in reached and cell in stones:
                reached.add(cell)
                todo += [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
                todo += [(column + 1, row - 1), (column - 1, row + 1)]
        return any(cell[direction] == n - 1 for cell in reached)

    @cache
    def wins(mine, theirs, turn):
        if connected(theirs, turn):
            return False
        return any(not wins(theirs, mine | {cell}, 1 - turn) for cell in board - mine - theirs)

    board = frozenset((column, row) for column in range(n) for row in range(n))
    nothing = frozenset()
    return tuple(
        "".join("-+"[not wins(nothing, frozenset({(column, row)}), 1)] for column in range(n)) for row in range(n)
    )


@pytest.mark.parametrize("n", [2, 3, pytest.param(4, marks=pytest.mark.nightly)])
def test_winning_openings_by_the_twin(n):
    assert openings(n) == OPENINGS[n]


@pytest.mark.nightly
@pytest.mark.parametrize("n", [2, 3, 4])
def test_winning_openings(n):
    game = Hex(n, swap=False)
    start = game.initial_state()
    found = AlphaBeta(game).search_many([game.result(start, cell) for cell in range(n * n)])
    signs = "".join("-+"[analysis.value == -1] for analysis in found)
    assert all(analysis.exact for analysis in found)
    assert signs == "".join(OPENINGS[n])


def wins(twin):
    """Whether the player to move wins, by plain minimax."""
    if twin.winner() is not None:
        return twin.winner() == twin.turn
    for cell in twin.moves().values():
        after = Twin(twin.n, twin.swap)
        after.stones, after.turn = dict(twin.stones), twin.turn
        after.play(cell)
        if not wins(after):
            return True
    return False


@pytest.mark.nightly
def test_three_stones_on_three_times_three():
    """Random positions, by the twin."""
    game, dice = Hex(3), random.Random(3)
    twins, boards = [], []
    for _ in range(20):
        twin, board = Twin(3, True), game.initial_state()
        for _ in range(3):
            chosen = dice.choice(sorted(twin.moves()))
            board = game.result(board, game.parse_action(board, chosen))
            twin.play(twin.moves()[chosen])
        twins.append(twin)
        boards.append(board)
    found = AlphaBeta(game).search_many(boards)
    assert [analysis.value for analysis in found] == [1 if wins(twin) else -1 for twin in twins]


def test_distances():
    game = Hex(4)
    assert game.features(game.initial_state()) == (0,)
    board = game.parse_state("1X2/1O2/X1OO/X3 O")
    assert game.features(board) == (2 - 1,)
    assert game.evaluate(board, 0) == -game.evaluate(board, 1) == 0.25
    board = game.parse_state("1X2/X3/X1OO/X3 O")
    assert game.is_terminal(board)
    assert game.features(board) == (16 - 0,)


def test_what_is_seen_at_a_glance():
    game = Hex(4)
    board = game.parse_state("1X2/1O2/X1OO/X3 X")
    assert board.winning == (1, 0)
    assert game.forced_result(board) == (1, 1)
    board = game.parse_state("1X2/1O2/X1OO/X3 O")
    assert game.forced_result(board) == (0, 0)
    assert game.needs_extension(board)
    assert list(game.candidates(board)) == [4]
    assert game.forced_result(game.parse_state("2X1/4/1X2/1X2 O")) == (-1, 2)  # a bridge: b2 or c2


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("3/3/3", "who is to move; such as 3/3/3 X"),
        ("3/3/3 x", "X or O, who is to move"),
        ("3/3 X", "2 rows, but the board has 3"),
        ("3/1B1/3 X", "row 2, '1B1': 'B' is not one of X, O"),
        ("3/3/4 X", "row 3, '4': it describes 4 squares"),
        ("X2/X2/X2 X", "X is to move, but has won"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        Hex(3).parse_state(text)
