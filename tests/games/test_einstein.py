"""EinStein würfelt nicht! against a slow, obvious twin over a dict of squares, exact values, and its own laws."""

import random
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import CHANCE, AlphaBeta, IllegalAction, RulesError, UnsuitableGame, state_key
from outplay.games import EinStein
from outplay.games._pictures import DISCS
from outplay.games.einstein import Position
from outplay.search.perft import perft

GAME = EinStein()
each_game = pytest.mark.parametrize(
    "game", [GAME, EinStein(4), EinStein(7, setup="random"), EinStein(setup="free")], ids=repr
)
seeds = st.integers(0, 2**32 - 1)


class Twin:
    """A dict from squares, (column, row) from the bottom left, to (player, number)."""

    def __init__(self, size, setup):
        self.size, self.turn, self.die, self.board, self.winner = size, 0, None, {}, None
        camp = [(x, y) for y in range(3) for x in range(3 - y)]
        for square, digit in zip(camp, setup, strict=True):
            self.board[square] = (0, int(digit))
            self.board[size - 1 - square[0], size - 1 - square[1]] = (1, int(digit))

    def numbers(self, player):
        return sorted(number for owner, number in self.board.values() if owner == player)

    def moves(self):
        """All moves as the squares where they start and end."""
        mine = self.numbers(self.turn)
        if self.die in mine:
            may = [self.die]
        else:
            may = [n for n in mine if n < self.die][-1:] + [n for n in mine if n > self.die][:1]
        way = 1 if self.turn == 0 else -1
        found = []
        for (x, y), (owner, number) in self.board.items():
            for right, up in ((1, 0), (1, 1), (0, 1)):
                end = (x + way * right, y + way * up)
                if owner == self.turn and number in may and set(end) <= set(range(self.size)):
                    found.append(((x, y), end))
        return found

    def name(self, move):
        return "".join("abcdefg"[x] + str(y + 1) for x, y in move)

    def play(self, move):
        self.board[move[1]] = self.board.pop(move[0])
        corner = (self.size - 1, self.size - 1) if self.turn == 0 else (0, 0)
        if move[1] == corner or not self.numbers(1 - self.turn):
            self.winner = self.turn
        self.turn, self.die = 1 - self.turn, None

    def speed(self, player):
        """By the definition: each throw, and what it may move."""
        corner, speed = (self.size - 1 if player == 0 else 0), Fraction(0)
        mine = self.numbers(player)
        for (x, y), (owner, number) in self.board.items():
            if owner == player:
                throws = 0
                for die in range(1, 7):
                    lower, higher = [n for n in mine if n <= die], [n for n in mine if n >= die]
                    throws += number in ([die] if die in mine else lower[-1:] + higher[:1])
                speed += Fraction(throws, 2 ** max(abs(corner - x), abs(corner - y)))
        return speed


@settings(max_examples=50, deadline=None)
@given(st.integers(4, 7), st.permutations("123456"), seeds)
def test_random_games_of_the_twin(size, order, seed):
    chooser, setup = random.Random(seed), "".join(order)
    game, twin = EinStein(size, setup), Twin(size, setup)
    position = game.initial_state()
    while twin.winner is None:
        speeds = twin.speed(0), twin.speed(1)
        assert game.evaluate(position, 0) == pytest.approx(float((speeds[0] - speeds[1]) / sum(speeds)))
        if twin.die is None:
            assert game.to_move(position) == CHANCE
            assert list(game.actions(position)) == list(range(6))
            assert [game.probability(position, action) for action in range(6)] == [1 / 6] * 6
            twin.die = chooser.randint(1, 6)
            position = game.result(position, game.parse_action(position, str(twin.die)))
        assert game.to_move(position) == twin.turn
        assert not game.is_terminal(position)
        moves = {twin.name(move): move for move in twin.moves()}
        assert sorted(game.action_name(position, action) for action in game.actions(position)) == sorted(moves)
        name = chooser.choice(sorted(moves))
        theirs, is_win = len(twin.numbers(1 - twin.turn)), game.order(position, game.parse_action(position, name)) >= 4
        worth = game.order(position, game.parse_action(position, name)) % 4
        slants = all(a != b for a, b in zip(*moves[name], strict=True))
        position = game.result(position, game.parse_action(position, name))
        twin.play(moves[name])
        assert worth == slants + 2 * (theirs - len(twin.numbers(twin.turn)))
        assert is_win == (game.goal in stones_of(position, 1 - twin.turn))
    assert game.is_terminal(position)
    assert list(game.actions(position)) == []
    assert (game.utility(position, twin.winner), game.utility(position, 1 - twin.winner)) == (1, -1)


def stones_of(position, player):
    """The squares of the stones of `player`, from their own corner."""
    return [(position[player] >> 6 * stone & 63) for stone in range(6)]


def test_counts_of_the_first_plies():
    """Every throw moves one stone: in the corner three ways, and so does each of the others."""
    assert [perft(GAME, depth).lines for depth in range(4)] == [1, 6, 18, 108]


# -- exact values -----------------------------------------------------------------------------------------------------


def exact(game, position):
    """The value for player 0, by the definition."""

    @cache
    def value(position):
        if game.is_terminal(position):
            return game.utility(position, 0)
        mover = game.to_move(position)
        outcomes = [(action, value(game.result(position, action))) for action in game.actions(position)]
        if mover == CHANCE:
            return sum(game.probability(position, action) * worth for action, worth in outcomes)
        return (max if mover == 0 else min)(worth for _, worth in outcomes)

    return value(position)


def expected(size, first, second, turn):
    """The same over two dicts from numbers to squares as X sees them."""

    @cache
    def value(stones, turn):
        own, far = dict(stones[turn]), (size - 1 if turn == 0 else 0)
        sum_ = Fraction(0)
        for die in range(1, 7):
            may = (
                {die}
                if die in own
                else {max((n for n in own if n < die), default=0), min((n for n in own if n > die), default=0)} - {0}
            )
            values = []
            for number in may:
                x, y = own[number]
                for right, up in ((1, 0), (1, 1), (0, 1)):
                    end = (x + right * (1 - 2 * turn), y + up * (1 - 2 * turn))
                    if min(end) >= 0 and max(end) < size:
                        mine = frozenset((n, end if n == number else at) for n, at in own.items() if at != end)
                        theirs = frozenset((n, at) for n, at in stones[1 - turn] if at != end)
                        won = end == (far, far) or not theirs
                        after = (mine, theirs) if turn == 0 else (theirs, mine)
                        values.append(1 - 2 * turn if won else value(after, 1 - turn))
            sum_ += max(values) if turn == 0 else min(values)
        return sum_ / 6

    return value((frozenset(first.items()), frozenset(second.items())), turn)


@pytest.mark.parametrize(
    "text",
    ["4/2f1/A3/4 X -", "4/c3/1A2/3F O -", "a3/2f1/2C1/B3 X -"],
)
def test_values_of_endings(text):
    game = EinStein(4)
    position = game.parse_state(text)
    found = [{}, {}]
    for y, row in enumerate(reversed(text.split()[0].split("/"))):
        x = 0
        for mark in row:
            if mark.isdigit():
                x += int(mark)
            else:
                found[mark.islower()]["abcdef".index(mark.lower()) + 1] = (x, y)
                x += 1
    assert exact(game, position) == pytest.approx(float(expected(4, *found, position.turn)))


# -- what is thrown, captured, won ------------------------------------------------------------------------------------


def names(text, game=GAME):
    position = game.parse_state(text)
    return [game.action_name(position, action) for action in game.actions(position)]


def test_the_next_stones_move_where_the_one_thrown_is_gone():
    assert names("5/5/5/3f1/A1B1E X 4") == ["c1d1", "c1d2", "c1c2", "e1e2"]
    assert names("5/5/5/3f1/A1B1E X 6") == ["e1e2"]
    assert names("5/5/5/3f1/2B1E X 1") == ["c1d1", "c1d2", "c1c2"]
    assert names("5/4c/5/3f1/2B1E O 4") == ["e4d4", "e4d3", "e4e3", "d2c2", "d2c1", "d2d1"]


@pytest.mark.parametrize(
    ("before", "move", "after", "winner"),
    [
        ("5/5/2f2/1A3/4a X 1", "b2xc3", "5/5/2A2/5/4a O -", None),
        ("5/5/2B2/1A3/4a X 1", "B2C3", "5/5/2A2/5/4a O -", None),  # one's own
        ("5/5/2f2/1A3/5 X 1", "b2c3", "5/5/2A2/5/5 O -", 0),  # the last
        ("5/4A/2f2/5/5 X 3", "e4e5", "4A/5/2f2/5/5 O -", 0),
        ("5/4A/2f2/a4/5 O 2", "a2a1", "5/4A/2f2/5/a4 X -", 1),
    ],
)
def test_moves(before, move, after, winner):
    position = GAME.parse_state(before)
    position = GAME.result(position, GAME.parse_action(position, move))
    assert GAME.state_text(position) == after
    assert GAME.parse_state(after) == position
    assert GAME.is_terminal(position) == (winner is not None)
    if winner is not None:
        assert GAME.utility(position, winner) == 1
        assert GAME.render(position).endswith(f"{DISCS[winner]} wins")


def test_stones_are_placed_by_chance_or_by_the_players():
    for setup, movers in (("random", [CHANCE] * 12), ("free", [0] * 6 + [1] * 6)):
        game, chooser = EinStein(setup=setup), random.Random(1)
        position, seen, likely = game.initial_state(), [], 1.0
        while len(seen) < 12:
            seen.append(game.to_move(position))
            assert game.parse_state(game.state_text(position)) == position
            assert game.evaluate(position, 0) == 0
            actions = list(game.actions(position))
            if setup == "random":
                likely *= game.probability(position, actions[0])
            position = game.result(position, chooser.choice(actions))
        assert seen == movers
        assert position.die == 0
        assert position.turn == 0
        assert sorted(stones_of(position, 0)) == sorted(stones_of(position, 1)) == [0, 1, 2, 5, 6, 10]
        if setup == "random":
            assert likely == pytest.approx(1 / 720**2)
    game = EinStein(setup="random")
    position = game.initial_state()
    for stone in "625134" * 2:
        position = game.result(position, game.parse_action(position, stone))
    assert position == EinStein(setup="625134").initial_state()


def test_the_mirrored_board():
    position = GAME.parse_state("3a1/5/1C3/4b/A3B X 3")
    assert GAME.state_text(GAME.symmetries(position)[1]) == "Bb3/4a/5/2C2/A4 X 3"
    assert len({state_key(GAME, image) for image in GAME.symmetries(position)}) == 2


@given(seeds)
@settings(max_examples=30, deadline=None)
def test_texts_are_read_back(seed):
    chooser, game = random.Random(seed), EinStein(setup="625134" if seed % 2 else "random")
    position = game.initial_state()
    while not game.is_terminal(position):
        assert game.parse_state(game.state_text(position)) == position
        position = game.result(position, chooser.choice(list(game.actions(position))))
    assert game.parse_state(game.state_text(position)) == position


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (
            "5/5/5/5/A3b X",
            "must end with the number thrown, - before the throw or [+] to place; such as 2cba/3ed/F3f/DE3/ABC2 X -",
        ),
        ("5/5/5/5/A3b X 7", "must end with the number thrown"),
        ("5/5/5/5/A3b 3", "who is to move"),
        ("5/5/5/A3b X 3", "4 rows, but the board has 5"),
        ("5/5/5/5/A2g1 X 3", "'g' is not one of A, B"),
        ("5/5/5/A4/A3b X 3", "two stones A"),
        ("5/5/5/A4/a3b O 3", "O has won, but X has made the last move"),
        ("5/5/5/A4/5 X 3", "X has won, but O has made the last move"),
        ("5/5/5/5/5 X -", "X has won"),
        ("5/5/5/5/1A3 X +", "X places stones row by row"),
        ("4a/5/5/5/A4 X +", "O places stones row by row"),
        ("5/5/5/5/A4 O +", "X places stones row by row"),
        ("2cba/3ed/F3f/DE3/ABC2 O +", "O places stones"),
    ],
)
def test_bad_texts(text, wrong):
    with pytest.raises(RulesError, match=wrong):
        GAME.parse_state(text)


@pytest.mark.parametrize("options", [{"size": 3}, {"size": 8}, {"setup": "12345"}, {"setup": "123455"}, {"setup": 5}])
def test_bad_parameters(options):
    with pytest.raises(RulesError, match=next(iter(options))):
        EinStein(**options)


def test_bad_actions_and_searches():
    position = GAME.initial_state()
    with pytest.raises(IllegalAction, match="legal: 1, 2, 3, 4, 5, 6"):
        GAME.parse_action(position, "7")
    with pytest.raises(UnsuitableGame, match="chance"):
        AlphaBeta(GAME)
    assert isinstance(position, Position)
