"""Xiangqi against a slow, obvious twin, OpenSpiel, published counts and positions with known moves."""

import random
from re import findall

import pytest
from board_text import written
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import AlphaBeta, IllegalAction, Limit, Minimax, RulesError, check_game, legal_actions, state_key
from outplay.games import Xiangqi
from outplay.games.xiangqi import START
from outplay.repetition import final
from outplay.search.perft import perft

GAME = Xiangqi()
seeds = st.integers(0, 2**32 - 1)


def moves(text):
    state = GAME.parse_state(text)
    return sorted(GAME.action_name(state, action) for action in GAME.actions(state))


def moves_from(text, *starts):
    return [name for name in moves(text) if name[:2] in starts]


# -- published counts -------------------------------------------------------------------------------------------------

COUNTS = {
    START: [44, 1920, 79_666, 3_290_240, 133_312_995],
    "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w": [38, 1128, 43_929, 1_339_047, 53_112_976],
    "1cbak4/9/n2a5/2p1p3p/5cp2/2n2N3/6PCP/3AB4/2C6/3A1K1N1 w": [7, 281, 8620, 326_201, 10_369_923],
    "5a3/3k5/3aR4/9/5r3/5n3/9/3A1A3/5K3/2BC2B2 w": [25, 424, 9850, 202_884, 4_739_553],
    "CRN1k1b2/3ca4/4ba3/9/2nr5/9/9/4B4/4A4/4KA3 w": [28, 516, 14_808, 395_483, 11_842_230],
    "R1N1k1b2/9/3aba3/9/2nr5/2B6/9/4B4/4A4/4KA3 w": [21, 364, 7626, 162_837, 3_500_505],
    "C1nNk4/9/9/9/9/9/n1pp5/B3C4/9/3A1K3 w": [28, 222, 6241, 64_971, 1_914_306],
    "4ka3/4a4/9/9/4N4/p8/9/4C3c/7n1/2BK5 w": [23, 345, 8124, 149_272, 3_513_104],
    "2b1ka3/9/b3N4/4n4/9/9/9/4C4/2p6/2BK5 w": [21, 195, 3883, 48_060, 933_096],
    "1C2ka3/9/C1Nab1n2/p3p3p/6p2/9/P3P3P/3AB4/3p2c2/c1BAK4 w": [30, 830, 22_787, 649_866, 17_920_736],
    "CnN1k1b2/c3a4/4ba3/9/2nr5/9/9/4C4/4A4/4KA3 w": [19, 583, 11_714, 376_467, 8_148_177],
}
"""From the Chess Programming Wiki, "Chinese Chess Perft Results"."""
by_text = pytest.mark.parametrize("text", [*COUNTS])


@by_text
def test_counts(text):
    counts = COUNTS[text]
    for depth, lines in enumerate(counts[:4], start=1):
        assert perft(GAME, depth, GAME.parse_state(text)).lines == lines


@pytest.mark.slow
@by_text
def test_deeper_counts(text):
    assert perft(GAME, 5, GAME.parse_state(text)).lines == COUNTS[text][4]


# -- an obvious twin --------------------------------------------------------------------------------------------------

STRAIGHT = [(0, 1), (0, -1), (1, 0), (-1, 0)]
SLANTING = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


POINTS = {(file, rank) for file in range(9) for rank in range(10)}


class Twin:
    """Letters on (file, rank), a0 is (0, 0); capital ones are red. A king that can be captured is found by trying."""

    def __init__(self, text, limit):
        ranks, self.turn, *_ = text.split()
        self.board, self.idle, self.limit = {}, 0, limit
        for rank, line in zip(range(9, -1, -1), ranks.split("/"), strict=True):
            file = 0
            for letter in line:
                if letter.isdigit():
                    file += int(letter)
                else:
                    self.board[file, rank] = letter
                    file += 1

    def of(self, colour):
        return [point for point, letter in self.board.items() if letter.isupper() == (colour == "w")]

    def reach(self, board, point):
        """The points to which the piece on `point` can go by its own way of moving."""
        letter, (x, y) = board[point], point
        is_red = letter.isupper()
        found = []
        match letter.lower():
            case "k" | "a":
                for dx, dy in STRAIGHT if letter.lower() == "k" else SLANTING:
                    if 3 <= x + dx <= 5 and (y + dy) in ((0, 1, 2) if is_red else (7, 8, 9)):
                        found.append((x + dx, y + dy))
                if letter.lower() == "k":  # along an open file to the other king
                    found += [there for there in self.slide(board, point) if board.get(there, "").lower() == "k"]
            case "b":
                for dx, dy in SLANTING:
                    if (x + dx, y + dy) not in board and (y + 2 * dy <= 4) == is_red:
                        found.append((x + 2 * dx, y + 2 * dy))
            case "n":
                for dx, dy in STRAIGHT:
                    if (x + dx, y + dy) not in board:
                        found += [(x + 2 * dx + dy, y + 2 * dy + dx), (x + 2 * dx - dy, y + 2 * dy - dx)]
            case "r":
                found = self.slide(board, point)
            case "c":
                found = [there for there in self.slide(board, point) if there not in board]
                found += self.jump(board, point)
            case "p":
                found = [(x, y + 1 if is_red else y - 1)]
                if (y >= 5) == is_red:
                    found += [(x - 1, y), (x + 1, y)]
        return [there for there in found if there in POINTS and self.owner(board.get(there)) != self.owner(letter)]

    def owner(self, letter):
        return None if letter is None else "w" if letter.isupper() else "b"

    def walk(self, point, way):
        while (point := (point[0] + way[0], point[1] + way[1])) in POINTS:
            yield point

    def slide(self, board, point):
        found = []
        for way in STRAIGHT:
            for there in self.walk(point, way):
                found.append(there)
                if there in board:
                    break
        return found

    def jump(self, board, point):
        found = []
        for way in STRAIGHT:
            on_the_way = [there for there in self.walk(point, way) if there in board]
            found += on_the_way[1:2]
        return found

    def can_be_captured(self, board, colour):
        """Whether the king of `colour` can be captured."""
        king = next(point for point, letter in board.items() if letter == ("K" if colour == "w" else "k"))
        return any(
            king in self.reach(board, point)
            for point, letter in board.items()
            if letter.isupper() != (colour == "w")
        )

    def moves(self):
        found = {}
        for start in self.of(self.turn):
            for end in self.reach(self.board, start):
                after = {point: letter for point, letter in self.board.items() if point != start}
                after[end] = self.board[start]
                if not self.can_be_captured(after, self.turn):
                    found["".join("abcdefghi"[x] + str(y) for x, y in (start, end))] = after
        return found

    def play(self, after):
        self.idle = self.idle + 1 if len(after) == len(self.board) else 0
        self.board, self.turn = after, "b" if self.turn == "w" else "w"

    def text(self):
        rows = ["".join(self.board.get((x, y), ".") for x in range(9)) for y in range(9, -1, -1)]
        return f"{written(rows, 9, self.turn)} - - {self.idle} 1"


def compare(game, chooser, text=START, plies=1000):
    """Play a random game on both and compare all that can be seen."""
    twin = Twin(text, game.longest_idle)
    state = game.parse_state(text)
    for _ in range(plies):
        assert game.state_text(state) == twin.text()
        assert game.parse_state(twin.text()) == state  # the score too, which `result` keeps by differences
        red = 0 if twin.turn == "w" else 1
        assert game.to_move(state) == red
        wanted = twin.moves()
        in_check = twin.can_be_captured(twin.board, twin.turn)
        assert game.is_urgent(state) == in_check
        if twin.idle >= twin.limit or not wanted:
            assert game.is_terminal(state)
            assert list(game.actions(state)) == []
            assert game.utility(state, red) == -game.utility(state, 1 - red) == (0 if wanted else -1)
            return
        assert not game.is_terminal(state)
        actions = {game.action_name(state, action): int(action) for action in game.actions(state)}
        assert set(actions) == set(wanted)
        assert len(actions) == len(game.actions(state))
        captures = {name for name, after in wanted.items() if len(after) < len(twin.board)}
        noisy = {game.action_name(state, action) for action in game.noisy(state)}
        assert noisy <= captures
        assert game.is_quiet(state) == (not noisy and not in_check)
        name = chooser.choice(sorted(captures if captures and chooser.random() < 0.2 else wanted))
        state = game.result(state, actions[name])
        twin.play(wanted[name])


@settings(max_examples=5)
@given(st.sampled_from([*COUNTS]), seeds)
def test_random_games_agree_with_the_twin(text, seed):
    compare(GAME, random.Random(seed), text, plies=40)


def test_random_games_to_the_end_agree_with_the_twin():
    for seed in range(2):
        compare(Xiangqi(longest_idle=20), random.Random(seed))


@pytest.mark.slow
def test_many_random_games_agree_with_the_twin():
    for seed in range(100):
        compare(GAME, random.Random(seed))


# -- OpenSpiel --------------------------------------------------------------------------------------------------------


def open_spiel_game(seed):
    """A random game of OpenSpiel's, where nothing but the rules of moving ends it, or 500 plies."""
    pyspiel = pytest.importorskip("pyspiel")
    game, dice, state = Xiangqi(longest_idle=1000), random.Random(seed), pyspiel.load_game("xiangqi").new_initial_state()
    position = game.initial_state()

    def name(text):
        """`C(7,1)-(0,1)`, rows from the top, as `b2b9`."""
        return "".join("abcdefghi"[int(file)] + str(9 - int(row)) for row, file in findall(r"([0-9]),([0-9])", text))

    plies = 0
    while not state.is_terminal():
        assert not game.is_terminal(position)
        assert state.current_player() == game.to_move(position)
        theirs = {name(state.action_to_string(action)): action for action in state.legal_actions()}
        assert {game.action_name(position, action) for action in game.actions(position)} == set(theirs)
        chosen = dice.choice(sorted(theirs))
        position = game.result(position, game.parse_action(position, chosen))
        state.apply_action(theirs[chosen])
        plies += 1
    if plies < 500 or game.is_terminal(position):
        assert game.is_terminal(position)
        assert [game.utility(position, player) for player in (0, 1)] == state.returns()


def test_random_games_of_openspiel():
    for seed in range(10):
        open_spiel_game(seed)


@pytest.mark.slow
def test_many_random_games_of_openspiel():
    for seed in range(500):
        open_spiel_game(seed)
