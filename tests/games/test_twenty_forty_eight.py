"""2048 against a twin of lists, an enumeration of boards, and the laws of its evaluation."""

import random
from collections import Counter
from itertools import chain, pairwise
from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import CHANCE, IllegalAction, RulesError, kernel, legal_actions, random_below, state_key
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random
from outplay.games import TwentyFortyEight
from outplay.games.twenty_forty_eight import DIRECTIONS
from outplay.search.perft import perft

GAME = TwentyFortyEight()
TILES = [1 << rank for rank in range(1, 16)]
boards = st.lists(st.sampled_from([0, 0, 0, *TILES[:4], *TILES]), min_size=16, max_size=16).filter(any)


def text(numbers, score=0, coming=0):
    rows = [",".join(map(str, numbers[i : i + 4])) for i in range(0, 16, 4)]
    return f"{'/'.join(rows)} {score} {coming}"


def pushed(line):
    """Four tiles moved to the front, one by one, and the points."""
    rest, moved, points = [tile for tile in line if tile], [], 0
    while rest:
        tile = rest.pop(0)
        if rest and rest[0] == tile and tile < 32768:
            tile += rest.pop(0)
            points += tile
        moved.append(tile)
    return moved + [0] * (4 - len(moved)), points


def moved(numbers, way):
    """The 16 numbers after a move, and the points."""
    after, points = list(numbers), 0
    for line in range(4):
        squares = [4 * line + i for i in range(4)] if way in ("left", "right") else [4 * i + line for i in range(4)]
        if way in ("right", "down"):
            squares.reverse()
        tiles, more = pushed([numbers[square] for square in squares])
        points += more
        for square, tile in zip(squares, tiles, strict=True):
            after[square] = tile
    return after, points


def flat(board):
    return [tile for row in GAME.numbers(board) for tile in row]


# -- the rules --------------------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(boards, st.integers(0, 1_000_000))
def test_moves_of_the_twin(numbers, points):
    board = GAME.parse_state(text(numbers, 2 * points))
    assert GAME.to_move(board) == 0
    ways = [way for way in DIRECTIONS if moved(numbers, way)[0] != numbers]
    assert [GAME.action_name(board, action) for action in legal_actions(GAME, board)] == ways
    assert GAME.is_terminal(board) == (not ways)
    for way in ways:
        after = GAME.result(board, GAME.parse_action(board, way))
        there, more = moved(numbers, way)
        assert flat(after) == there
        assert (after.score, after.coming) == (2 * points + more, 1)
        assert GAME.evaluate(after, 0) == GAME.order(board, GAME.parse_action(board, way)) >= after.score


@settings(max_examples=80, deadline=None)
@given(boards.filter(lambda numbers: 0 in numbers))
def test_what_chance_does(numbers):
    board = GAME.parse_state(text(numbers, coming=1))
    assert GAME.to_move(board) == CHANCE
    empty = [square for square in range(16) if numbers[square] == 0]
    found = {}
    for action in legal_actions(GAME, board):
        after = GAME.result(board, action)
        assert (after.score, after.coming) == (board.score, 0)
        ((square, tile),) = [(i, tile) for i, tile in enumerate(flat(after)) if tile != numbers[i]]
        assert GAME.action_name(board, action) == f"{tile}:{'abcd'[square % 4]}{4 - square // 4}"
        found[square, tile] = GAME.probability(board, action)
    assert set(found) == {(square, tile) for square in empty for tile in (2, 4)}
    for (_, tile), probability in found.items():
        assert isclose(probability, (0.9 if tile == 2 else 0.1) / len(empty))


def test_a_tile_merges_once_and_the_ones_ahead_merge():
    for line, way, expected in (
        ("2,2,2,2", "left", [4, 4, 0, 0]),
        ("2,2,2,0", "left", [4, 2, 0, 0]),
        ("2,2,2,0", "right", [0, 0, 2, 4]),
        ("4,2,2,0", "left", [4, 4, 0, 0]),
        ("4,0,0,4", "right", [0, 0, 0, 8]),
    ):
        board = GAME.parse_state(f"{line}/0,0,0,0/0,0,0,0/0,0,0,0")
        assert flat(GAME.result(board, GAME.parse_action(board, way)))[:4] == expected


def test_the_greatest_tiles_do_not_merge():
    board = GAME.parse_state("32768,32768,2,4/2,4,8,16/4,8,16,32/32768,16,32,32768 100 0")
    assert board.tiles < 0  # all 64 bits are in use
    assert GAME.is_terminal(board)
    assert GAME.utility(board, 0) == 100


def positions(depth):
    """How many lines there are of so many actions, chance included, by the twin: {(board, tiles to come): lines}."""
    lines = Counter({((0,) * 16, 2): 1})
    for _ in range(depth):
        after = Counter()
        for (numbers, coming), ways in lines.items():
            if coming:
                for square in range(16):
                    for tile in (2, 4) if numbers[square] == 0 else ():
                        after[(*numbers[:square], tile, *numbers[square + 1 :]), coming - 1] += ways
            else:
                for way in DIRECTIONS:
                    there = tuple(moved(numbers, way)[0])
                    if there != numbers:
                        after[there, 1] += ways
        lines = after
    return lines


def test_counts():
    """Two tiles of 2 or 4 on two of 16 squares: 4 * 120 boards.

    But for symmetries 75, by Burnside's lemma: with equal tiles (120 + 8 + 8 + 8 + 12 + 12) / 8 = 21, twice, and with
    different ones (240 + 12 + 12) / 8 = 33.
    """
    lines = [positions(depth) for depth in range(5)]
    assert [sum(line.values()) for line in lines] == [perft(GAME, depth).lines for depth in range(5)]
    assert len(lines[2]) == 480
    starts = [GAME.parse_state(text(numbers)) for numbers, _ in lines[2]]
    least = {min(state_key(GAME, image) for image in GAME.symmetries(board)) for board in starts}
    assert len(least) == 75


@kernel
def told(game, board):
    """What the rules say of a board, and keys of what follows."""
    over, features, keys, estimates, orders = game.is_terminal(board), game.features(board), 0, 0.0, 0.0
    for image in game.symmetries(board):
        keys ^= state_key(game, image) >> 1
    if not over:
        for action in legal_actions(game, board):
            after = game.result(board, action)
            keys = (keys ^ state_key(game, after)) >> 1
            estimates += game.evaluate(after, 0)
            if game.to_move(board) == CHANCE:
                orders += game.probability(board, action)
            else:
                orders += game.order(board, action)
    return over, game.actions(board), features, game.evaluate(board, 0), keys, estimates, orders


@settings(max_examples=80, deadline=None)
@given(boards, st.booleans())
def test_compiled_rules_say_the_same(numbers, coming):
    """Boards of all 64 bits among them, which random games never reach."""
    board = GAME.parse_state(text(numbers, 4, int(coming and 0 in numbers)))
    assert told(GAME, board) == told.interpreted(GAME, board)


def test_the_score_is_what_merged():
    """A tile of 2^r has brought (r - 1) * 2^r, if it came of twos alone; each 4 that chance put down, 4 less."""
    dice = random.Random(1)
    for _ in range(5):
        board, fours = GAME.initial_state(), 0
        while not GAME.is_terminal(board):
            action = dice.choice(list(legal_actions(GAME, board)))
            fours += board.coming > 0 and action % 4 == 1
            board = GAME.result(board, action)
        merged = sum((tile.bit_length() - 2) * tile for tile in flat(board) if tile)
        assert GAME.utility(board, 0) == merged - 4 * fours


@given(boards)
def test_symmetries(numbers):
    rows = [numbers[i : i + 4] for i in range(0, 16, 4)]
    images = []
    for _ in range(4):
        rows = [list(row) for row in zip(*rows[::-1], strict=True)]
        images += [[*chain(*rows)], [*chain(*rows[::-1])]]
    board = GAME.parse_state(text(numbers, 4))
    found = GAME.symmetries(board)
    assert sorted(map(flat, found)) == sorted(images)
    assert len({GAME.evaluate(image, 0) for image in found}) == 1
    assert len({tuple(GAME.features(image)) for image in found}) == 1


# -- the evaluation ---------------------------------------------------------------------------------------------------


@given(boards)
def test_what_is_counted(numbers):
    """Features by the twin, and the estimate that they make."""
    board = GAME.parse_state(text(numbers, 10))
    lines = [numbers[i : i + 4] for i in range(0, 16, 4)] + [numbers[i::4] for i in range(4)]
    merges = sum(bool(tile) for line in lines for tile in line) - sum(
        bool(tile) for line in lines for tile in pushed(line)[0]
    )
    disorder = promise = 0
    for line in lines:
        ranks = [max(tile.bit_length() - 1, 0) ** 4 for tile in line]
        steps = [after - before for before, after in pairwise(ranks)]
        wrong = min(sum(max(step, 0) for step in steps), sum(max(-step, 0) for step in steps))
        disorder += wrong
        promise -= wrong // 5
    assert GAME.features(board) == (10, numbers.count(0), merges, disorder)
    promise += 8 * 2500 + 10 * 2 * numbers.count(0) + 40 * merges
    assert GAME.evaluate(board, 0) == 10 + max(0, promise)


@kernel
def greedy(game, random, games):
    """The mean score of so many games in which each move has the greatest `order`."""
    sum_ = 0
    for _ in range(games):
        board = game.initial_state()
        while not game.is_terminal(board):
            chosen = 0
            if game.to_move(board) == CHANCE:
                chosen = random_action(game, board, random) // 4 * 4 + (random_below(random, 10) == 0)
            else:
                best = -1.0
                for action in legal_actions(game, board):
                    if game.order(board, action) > best:
                        best, chosen = game.order(board, action), action
            board = game.result(board, chosen)
        sum_ += board.score
    return sum_ / games


@pytest.mark.nightly
def test_the_evaluation_plays():
    """One ply deep it brings many times what chance brings, some 1,100 points a game."""
    assert greedy(GAME, new_random(1), 100) > 6000


# -- texts and refusals -----------------------------------------------------------------------------------------------


def test_texts():
    assert GAME.state_text(GAME.initial_state()) == "0,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0 0 2"
    board = GAME.parse_state("2,0,0,0/0,0,0,0/0,0,1024,0/0,0,0,32768")
    assert GAME.state_text(board) == "2,0,0,0/0,0,0,0/0,0,1024,0/0,0,0,32768 0 0"
    assert GAME.render(board).splitlines()[-4:] == [
        "+-------+-------+-------+-------+",
        "|       |       |       | 32768 |",
        "+-------+-------+-------+-------+",
        "score 0",
    ]
    assert [GAME.parse_action(board, word) for word in ("Up", "r", " down ", "L")] == [0, 1, 2, 3]
    over = GAME.parse_state("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2 48 0")
    assert GAME.render(over).endswith("score 48, no move is left")


def test_a_way_that_changes_nothing_is_refused():
    board = GAME.parse_state("2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0")
    with pytest.raises(IllegalAction, match="'left' is not a legal action here; legal: right, down"):
        GAME.parse_action(board, "left")


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ("", "not four rows of four numbers; such as 0,2,0,0/0,0,0,0/0,0,4,0/0,0,0,0 0 0"),
        ("2,2,2/0,0,0,0/0,0,0,0/0,0,0,0", "not four rows of four numbers"),
        ("2,3,2,0/0,0,0,0/0,0,0,0/0,0,0,0", "'3' is neither 0 nor a tile from 2, 4, 8, … to 32768"),
        ("65536,0,2,0/0,0,0,0/0,0,0,0/0,0,0,0", "'65536' is neither"),
        ("2,0,2,0/0,0,0,0/0,0,0,0/0,0,0,0 x 1", "after the board come two numbers at most"),
        ("2,0,2,0/0,0,0,0/0,0,0,0/0,0,0,0 0 0 0", "after the board come two numbers at most"),
        ("2,0,2,0/0,0,0,0/0,0,0,0/0,0,0,0 3", "the score 3 is not an even number up to 4000000"),
        ("2,0,2,0/0,0,0,0/0,0,0,0/0,0,0,0 5000000", "the score 5000000 is not"),
        ("2,0,2,0/0,0,0,0/0,0,0,0/0,0,0,0 0 3", "3 tiles cannot come"),
        ("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2 0 1", "1 tiles cannot come"),
        ("0,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0", "without a tile there is no move; at the start 2 tiles come"),
    ],
)
def test_bad_texts(written, wrong):
    with pytest.raises(RulesError, match=wrong):
        GAME.parse_state(written)
