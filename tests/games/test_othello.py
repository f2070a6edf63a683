"""Othello against a slow, obvious twin, published counts and solved positions."""

import random
import re
from copy import deepcopy

import pytest

from outplay import AlphaBeta, IllegalAction, RulesError, kernel, legal_actions, state_key
from outplay.games import Othello
from outplay.games.othello import Position
from outplay.rules.bits import count
from outplay.search.perft import perft

SIZES = pytest.mark.parametrize("size", [4, 6, 8])


class Squares:
    """Othello in plain lists: rows of 0 or 1, the disc's player, or None."""

    def __init__(self, size):
        self.rows = [[None] * size for _ in range(size)]
        self.size, self.turn = size, 0
        low, high = size // 2 - 1, size // 2
        self.rows[low][low] = self.rows[high][high] = 1
        self.rows[low][high] = self.rows[high][low] = 0

    def turned(self, row, column, player):
        """The discs that `player` turns over with a disc there."""
        if self.rows[row][column] is not None:
            return []
        found = []
        for down, right in (-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1):
            line, r, c = [], row + down, column + right
            while 0 <= r < self.size and 0 <= c < self.size and self.rows[r][c] == 1 - player:
                line.append((r, c))
                r, c = r + down, c + right
            if 0 <= r < self.size and 0 <= c < self.size and self.rows[r][c] == player:
                found += line
        return found

    def moves(self, player):
        n = self.size
        return [n * row + column for row in range(n) for column in range(n) if self.turned(row, column, player)]

    def actions(self):
        moves = self.moves(self.turn)
        return moves or [self.size**2]

    def over(self):
        return not self.moves(self.turn) and not self.moves(1 - self.turn)

    def play(self, action):
        if action < self.size**2:
            row, column = divmod(action, self.size)
            for r, c in [*self.turned(row, column, self.turn), (row, column)]:
                self.rows[r][c] = self.turn
        self.turn = 1 - self.turn

    def count(self, mark):
        return sum(row.count(mark) for row in self.rows)

    def utility(self):
        """Of player 0."""
        margin, empty = self.count(0) - self.count(1), self.count(None)
        return margin + (empty if margin > 0 else -empty if margin < 0 else 0)

    def text(self):
        return (
            "".join("-XO"[0 if mark is None else 1 + mark] for row in self.rows for mark in row) + " XO"[1 + self.turn]
        )


@kernel
def played(game, state, action):
    return game.result(state, action)


@kernel
def seen(game, state):
    """What the rules say of `state`, in numbers."""
    over = game.is_terminal(state)
    number = code = 0
    for action in legal_actions(game, state):
        number += 1
        code = (code * 67 + action + 1) % 1_000_003
        code = (code * 67 + int(game.order(state, action)) + 100) % 1_000_003
    keys = 0
    for image in game.symmetries(state):
        keys ^= state_key(game, image)
    estimate = game.evaluate(state, 0)
    return over, number, code, game.to_move(state), game.utility(state, 0), estimate, state_key(game, state), keys


def random_games(game, number, seed=0):
    """The states of games played at random, each with the action taken."""
    dice = random.Random(seed)
    for _ in range(number):
        position = game.initial_state()
        while not game.is_terminal(position):
            action = dice.choice(list(legal_actions(game, position)))
            yield position, action
            position = game.result(position, action)
        yield position, None


@pytest.mark.sample(1)
@SIZES
def test_random_games_are_those_of_the_twin(size):
    game, twin, passes = Othello(size), Squares(size), 0
    for position, action in random_games(game, 60):
        assert game.state_text(position).replace(" ", "") == twin.text()
        assert list(legal_actions(game, position)) == twin.actions()
        assert game.to_move(position) == twin.turn
        assert game.is_terminal(position) == twin.over() == (action is None)
        assert game.utility(position, 0) == twin.utility() == -game.utility(position, 1)
        if action is None:
            twin = Squares(size)
        else:
            passes += action == size * size
            twin.play(action)
    assert passes


@pytest.mark.sample(1)
@SIZES
def test_compiled_rules_are_the_interpreted_ones(size):
    game, negative = Othello(size), 0
    for position, action in random_games(game, 10, seed=1):
        assert seen(game, position) == seen.interpreted(game, position)
        assert all(-(2**63) <= board < 2**63 for board in position)
        negative += position.own < 0 or position.other < 0
        if action is not None:
            assert played(game, position, action) == game.result(position, action)
    assert (negative > 0) == (size == 8)  # a disc on the last of 64 squares


PUBLISHED = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800]
"""Counts of lines, from Aart Bik (aartbik.com/MISC/reversi.html); a game that has ended goes on, by passes."""


@pytest.mark.sample(6)
@pytest.mark.parametrize("depth", range(8))
@pytest.mark.parametrize("bulk", [False, True])
def test_published_counts_of_lines(depth, bulk):
    assert perft(Othello(), depth, bulk=bulk).lines == PUBLISHED[depth]


@pytest.mark.nightly
@pytest.mark.parametrize("depth", range(8, 12))
def test_published_counts_of_longer_lines(depth):
    assert perft(Othello(), depth).lines == PUBLISHED[depth]


def test_symmetries_are_the_eight_images():
    game = Othello(4)
    position = game.parse_state("XO-- ---- ---- ---- O")
    assert {game.state_text(image) for image in game.symmetries(position)} == {
        f"{squares} O"
        for squares in (
            "XO--------------", "--OX------------", "------------XO--", "--------------OX",
            "X---O-----------", "---X---O--------", "--------O---X---", "-----------O---X",
        )
    }  # fmt: skip


@SIZES
def test_symmetric_positions_have_symmetric_rules(size):
    game = Othello(size)
    for position, _ in random_games(game, 3, seed=2):
        images = game.symmetries(position)
        assert len({len(list(legal_actions(game, image))) for image in images}) == 1
        assert len({game.features(image) for image in images}) == 1
        assert images[0] == position


class Discs(Othello):
    """Empty squares count for nobody."""

    def utility(self, position, player):
        margin = count(position.own) - count(position.other)
        return margin if player == position.turn else -margin


@pytest.mark.nightly
def test_the_small_board_is_lost():
    """Perfect play on the board of 4 x 4 ends 3 to 11, with two squares left empty."""
    for game, value in (Othello(4), -10), (Discs(4), -8):
        analysis = AlphaBeta(game).search()
        assert (analysis.value, analysis.exact) == (value, True)


# -- names, texts and pictures ----------------------------------------------------------------------------------------


def play(game, *names):
    position = game.initial_state()
    for name in names:
        position = game.result(position, game.parse_action(position, name))
    return position


def test_actions_have_the_names_of_squares():
    game = Othello()
    start = game.initial_state()
    assert [game.action_name(start, action) for action in legal_actions(game, start)] == ["d3", "c4", "f5", "e6"]
    assert game.parse_action(start, " F5 ") == 37
    with pytest.raises(IllegalAction, match="'e3' is not a legal action here"):
        game.parse_action(start, "e3")
    with pytest.raises(IllegalAction, match="legal: d3, c4, f5, e6"):
        game.parse_action(start, "pass")


@pytest.mark.parametrize("text", ["pass", "PASS", "pa", "ps", "--"])
def test_a_pass_is_played_only_without_a_move(text):
    game = Othello(4)
    position = game.parse_state("XO-- XX-- XXX- XXXX O")
    assert list(legal_actions(game, position)) == [16]
    assert game.parse_action(position, text) == 16
    assert game.action_name(position, 16) == "pass"
    after = game.result(position, 16)
    assert after == Position(position.other, position.own, 0)
    assert [game.action_name(after, action) for action in legal_actions(game, after)] == ["c1"]


def test_the_empty_squares_count_for_the_winner():
    game = Othello(4)
    position = game.parse_state("XXXX XX-- ---- ---- O")
    assert game.is_terminal(position)
    assert (game.utility(position, 0), game.utility(position, 1)) == (16, -16)
    even = game.parse_state("XX-- ---- ---- --OO O")
    assert game.is_terminal(even)
    assert game.utility(even, 0) == game.utility(even, 1) == 0
    assert game.render(position).endswith("X wins by 16")


@SIZES
def test_texts_are_read_back(size):
    game = Othello(size)
    for position, _ in random_games(game, 5, seed=3):
        assert game.parse_state(game.state_text(position)) == position


def test_texts_may_be_written_in_other_ways():
    game = Othello()
    start = game.initial_state()
    text = game.state_text(start)
    assert text == "---------------------------OX------XO--------------------------- X"
    for other in (
        text.lower(), text.replace("X", "*"), text.replace("-", "."), text.replace("X", "b").replace("O", "w"),
        f"{text}; D3:+0; C4:+0;", f"\n {text} \n", "\n".join(re.findall("[-XO]{8}| X", text)),
    ):  # fmt: skip
        assert game.parse_state(other) == start
    assert game.parse_state(text.replace(" X", " O")) == Position(start.other, start.own, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "0 squares: 16 are expected"),
        ("X", "0 squares: 16 are expected"),
        ("-----OX--XO---- X", "15 squares: 16 are expected"),
        ("-----OX--XO------ X", "17 squares: 16 are expected"),
        ("-----OX--XO-----", "0 squares: 16 are expected"),
        ("-----OX--XO----- ?", "'?' to move"),
        ("-----OX--XO----- -", "'-' to move"),
        ("-----OX--XQ----- X", "'q' on c3: X for black, O for white or - for an empty square"),
    ],
)
def test_a_text_that_is_no_position_is_refused(text, message):
    with pytest.raises(RulesError, match=re.escape(message)):
        Othello(4).parse_state(text)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (2, "size=2: size must be a whole number from 4 to 8"),
        (10, "size=10: size must be a whole number from 4 to 8"),
        (5, "size=5: size must be even: 4, 6 or 8"),
    ],
)
def test_other_boards_are_refused(size, message):
    with pytest.raises(RulesError, match=re.escape(message)):
        Othello(size)


# -- hints ------------------------------------------------------------------------------------------------------------


def test_features_are_counted():
    game = Othello()
    assert game.features(game.initial_state()) == (0, 0, 0, 0, 0)
    position = game.parse_state("XO------ -------- -------- -------- -------- -------- ------O- -------- X")
    # Moves c1 and none; empty squares around the O and around the X; corners; beside an empty one; discs.
    assert game.features(position) == (1, (4 + 8) - 2, 1, -1, -1)


@SIZES
def test_the_order_counts_the_moves_left_to_the_other_player(size):
    game, twin, corners = Othello(size), Squares(size), {0, size - 1, size * (size - 1), size * size - 1}
    for position, action in random_games(game, 3, seed=6):
        for tried in legal_actions(game, position):
            after = deepcopy(twin)
            after.play(tried)
            moves = after.moves(after.turn)
            assert game.order(position, tried) == -len(moves) - len(corners & set(moves))
        if action is None:
            twin = Squares(size)
        else:
            twin.play(action)


# -- solved positions -------------------------------------------------------------------------------------------------

FFORUM = {
    40: ("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X", "a2", 38),
    41: ("-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X", "h4", 0),
    42: ("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X", "g2", 6),
}
"""Exercises of the French federation: the best move, and what it is worth."""


@pytest.mark.nightly
@pytest.mark.parametrize("number", FFORUM)
def test_published_exercises_are_solved(number):
    game = Othello()
    text, best, value = FFORUM[number]
    analysis = AlphaBeta(game, table_mb=256).search(game.parse_state(text))
    assert (game.action_name(analysis.state, analysis.action), analysis.value) == (best, value)
    assert analysis.exact


def solve(board):
    """The value of a board of `Squares` for the player to move, by plain minimax."""
    if board.over():
        return board.utility() * (1 - 2 * board.turn)
    values = []
    for action in board.actions():
        after = deepcopy(board)
        after.play(action)
        values.append(-solve(after))
    return max(values)


@pytest.mark.nightly
@SIZES
def test_ends_of_games_are_solved_as_by_the_twin(size):
    game, twin, solved = Othello(size), Squares(size), 0
    search = AlphaBeta(game)
    for position, action in random_games(game, 4, seed=5):
        if twin.count(None) <= 5 and action is not None:
            analysis = search.search(position)
            assert (analysis.value, analysis.exact) == (solve(twin), True)
            solved += 1
        if action is None:
            twin = Squares(size)
        else:
            twin.play(action)
    assert solved > 10
