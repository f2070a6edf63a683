"""The built-in games against slow, obvious twins, published counts and their own laws."""

import json
import pickle
import random
from inspect import signature
from itertools import product
from math import inf, isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import (
    CHANCE,
    AlphaBeta,
    Expectiminimax,
    IllegalAction,
    Limit,
    Minimax,
    RulesError,
    check_game,
    compile_report,
    legal_actions,
    state_key,
)
from outplay.compile.kernels import kernel, runs_compiled
from outplay.games import (
    BUILT_IN,
    MNK,
    Backgammon,
    Battleship,
    Breakthrough,
    Chess,
    ChineseCheckers,
    ConnectFour,
    DarkHex,
    Domineering,
    DotsAndBoxes,
    EinStein,
    EnglishDraughts,
    ExplicitTree,
    Go,
    Gomoku,
    Goofspiel,
    Hex,
    InternationalDraughts,
    Kalah,
    KuhnPoker,
    LeducPoker,
    LiarsDice,
    ManyPlayerMNK,
    MatchingPennies,
    Nim,
    NineMensMorris,
    Othello,
    Oware,
    Pacman,
    PhantomTicTacToe,
    Pig,
    RiverPoker,
    RockPaperScissors,
    SuperkoGo,
    TicTacToe,
    TwentyFortyEight,
    Xiangqi,
)

CIRCLE = [1, []]
CIRCLE[1].append(CIRCLE)
TREE = [[3, 12, 8], {"player": "chance", "children": [2, [4, 6]], "probabilities": [0.75, 0.25]}, [14, 5, 2]]


class CompiledTree(ExplicitTree):
    """A tree that is compiled, however small."""

    compiled = True


GAMES = [
    ConnectFour(),
    ConnectFour(width=4, height=5, length=3),
    ConnectFour(width=2, height=30, length=4),
    ConnectFour(width=31, height=1, length=2),
    TicTacToe(),
    MNK(5, 4, 3),
    MNK(4, 4, 3, gravity=True),
    MNK(2, 3, 1),
    Nim(),
    Nim(heaps=(2, 0, 3), misere=True),
    Kalah(),
    Kalah(pits=3, seeds=2, empty_capture=False),
    Breakthrough(),
    Domineering(5, 4),
    Hex(5),
    DotsAndBoxes(),
    Othello(),
    Othello(4),
    Xiangqi(longest_idle=10),
    ExplicitTree(TREE),
    ExplicitTree({"player": 2, "children": [{"utility": [1, 2, 3]}, {"utility": [0, 0, 0.5]}]}),
    ExplicitTree(7),
    CompiledTree(TREE),
    Go(4),
    SuperkoGo(3, komi=0.5),
    EnglishDraughts(),
    InternationalDraughts(),
    NineMensMorris(),
    Gomoku(6, exactly=True),
    Oware(),
    Pacman("rooms", most_moves=60),
    Pig(),
    Pig(20, 4, players=3),
    TwentyFortyEight(),
    EinStein(),
    EinStein(4, setup="random"),
    ManyPlayerMNK(4, 3, 3),
    ManyPlayerMNK(4, 4, 3, players=4, gravity=True),
    Nim((2, 3, 1), players=3),
    ChineseCheckers(camp=3, longest=20),
    ChineseCheckers(6, camp=1, longest=30),
    KuhnPoker(3),
    LeducPoker(suits=False),
    LiarsDice(2, 3),
    Goofspiel(5, shown=False),
    RockPaperScissors(),
    MatchingPennies(),
    PhantomTicTacToe(),
    DarkHex(4, 3, "attempts"),
    DarkHex(abrupt=True),
    Battleship(),
    Battleship(2, 2, (2, 1), (1, 3), 4, repeats=True, loss_multiplier=2),
]
each_game = pytest.mark.parametrize("game", GAMES, ids=repr)
MORE_BOARDS = [
    Backgammon(),
    Backgammon(cube=True),
    Breakthrough(4, 7),
    Chess(),
    ChineseCheckers(3, 10, 50),
    Domineering(7, 10),
    DotsAndBoxes(5, 5),
    EinStein(7, setup="random"),
    EinStein(setup="free"),
    Go(5, komi=-2, suicide=True, margin=True),
    Hex(4, swap=False),
    LeducPoker(),
    MNK(2, 2, 1),
    MNK(6, 5, 4, exactly=True),
    ManyPlayerMNK(4, 4, 3, players=4, gravity=True, exactly=True),
    Nim((2, 3, 1), True, 3),
    NineMensMorris(flying=False, longest_idle=12),
    Othello(6),
    Oware(3, 2, 20),
    Oware(awari=True),
    Pacman("corridor"),
    Pacman("classic-like", "random", stop=False, most_moves=50),
    DarkHex(4, 5, "attempts"),
    RiverPoker("Ks9h6d3c2s", 60, 130, bets=(0.5, 1), raises=(0.75,), ranges=("KhKc, 5h4h:0.5, QhJh", "AhKc, 9c9d")),
]
BOARDS = [*GAMES, *MORE_BOARDS]
FIRST = {type(game): game for game in reversed(BOARDS)}
each_board = pytest.mark.parametrize("game", BOARDS, ids=repr)
one_board_a_game = pytest.mark.parametrize(
    "game",
    [game if FIRST[type(game)] is game else pytest.param(game, marks=pytest.mark.nightly) for game in BOARDS],
    ids=repr,
)
"""The first board of each game is tried each time, the others at night."""
seeds = st.integers(0, 2**32 - 1)


def random_states(game, seed):
    """The states of one game played at random."""
    chooser = random.Random(seed)
    state = game.initial_state()
    yield state
    while not game.is_terminal(state):
        state = game.result(state, int(chooser.choice(list(legal_actions(game, state)))))
        yield state


def play(game, *names):
    state = game.initial_state()
    for name in names:
        state = game.result(state, game.parse_action(state, name))
    return state


def count_positions(game, state, depth):
    """Nodes of the game tree down to `depth`, the root included."""
    if depth == 0 or game.is_terminal(state):
        return 1
    nodes = 1
    for action in legal_actions(game, state):
        nodes += count_positions(game, game.result(state, action), depth - 1)
    return nodes


# -- laws of every game -----------------------------------------------------------------------------------------------


def plain(value):
    """A state as something that `==` compares."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return value.tolist() if isinstance(value, np.ndarray) else value


def test_the_command_line_names_every_game():
    import outplay.games

    assert {game.__name__ for game in BUILT_IN.values()} | {"BUILT_IN"} == set(outplay.games.__all__)


@one_board_a_game
def test_every_law_holds(game):
    report = check_game(game, playouts=2, seconds=2)
    assert report.ok, report


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.filterwarnings("error")
@each_board
def test_every_law_holds_in_compiled_rules(game):
    """Also what is foreseen and left out, which the check searches for."""
    report = check_game(game, playouts=30, seconds=60)
    assert report.ok, report
    assert report.compiled == (game.compiled is not False)  # small trees are quicker without


@each_game
def test_rules_leave_the_given_state_as_it_is(game):
    for state in random_states(game, 1):
        before = plain(pickle.loads(pickle.dumps(state)))
        game.is_terminal(state), game.key(state), game.symmetries(state), game.render(state)
        for player in range(game.players):
            game.evaluate(state, player), game.utility(state, player)
        if not game.is_terminal(state):
            for action in legal_actions(game, state):
                game.result(state, action), game.order(state, action), game.action_name(state, action)
        assert plain(state) == before


@each_game
def test_what_a_game_declares_holds(game):
    least, greatest = game.utilities or (-inf, inf)
    for seed in range(20):
        *states, end = random_states(game, seed)
        values = [game.utility(end, player) for player in range(game.players)]
        assert least <= min(values) <= max(values) <= greatest
        assert not game.zero_sum or sum(values) == 0
        for state in states:
            mover = game.to_move(state)
            assert mover in range(game.players) or (game.has_chance and mover == CHANCE)
            actions = list(legal_actions(game, state))
            assert len(set(actions)) == len(actions) > 0
            assert min(actions) >= 0
            if mover == CHANCE:
                assert isclose(sum(game.probability(state, action) for action in actions), 1)
            if game.players == 2:
                estimate = game.evaluate(state, 0)
                assert least < estimate < greatest or estimate == 0
                assert game.evaluate(state, 1) == -estimate


@each_game
def test_names_of_actions_are_read_back(game):
    for state in random_states(game, 2):
        if not game.is_terminal(state):
            for action in legal_actions(game, state):
                assert game.parse_action(state, game.action_name(state, action)) == action
        for garbage in ("", "garbage", "-1", "0", "1:0", "a0", "99"):
            with pytest.raises(IllegalAction, match="is not a legal action here"):
                game.parse_action(state, garbage)


@pytest.mark.sample(2)
@each_game
def test_symmetric_states_are_worth_the_same(game):
    for state in random_states(game, 3):
        images = game.symmetries(state)
        keys = sorted(state_key(game, image) for image in images)
        assert plain(images[0]) == plain(state)
        for image in images:
            assert sorted(state_key(game, other) for other in game.symmetries(image)) == keys
            assert game.is_terminal(image) == game.is_terminal(state)
            assert game.utility(image, 0) == game.utility(state, 0)
            assert isclose(game.evaluate(image, 0), game.evaluate(state, 0), abs_tol=1e-12)
            if not game.is_terminal(state):
                assert game.to_move(image) == game.to_move(state)
                orders = sorted(game.order(state, action) for action in legal_actions(game, state))
                assert sorted(game.order(image, action) for action in legal_actions(game, image)) == orders


@each_game
def test_switches_are_on_or_off(game):
    """A text would be on, "no" too."""
    for parameter in signature(type(game)).parameters.values():
        if isinstance(parameter.default, bool):
            wrong = {**game._arguments, parameter.name: "no"}
            with pytest.raises(RulesError, match=f"^{parameter.name}='no': {parameter.name} must be True or False$"):
                type(game)(**wrong)


@each_game
def test_games_are_values(game):
    assert pickle.loads(pickle.dumps(game)) == game
    assert eval(repr(game)) == game


def digest(game, state, depth):
    """The number of positions, and sums over all that the rules say of them."""
    nodes = 1
    total = 3.0 * game.to_move(state) + game.evaluate(state, 0) + 0.001 * (state_key(game, state) % 1000)
    for image in game.symmetries(state):
        total += 0.002 * (state_key(game, image) % 1000)
    if game.is_terminal(state):
        return nodes, total + 5 * game.utility(state, 0) + 7 * game.utility(state, 1)
    if depth > 0:
        for action in legal_actions(game, state):
            more, part = digest(game, game.result(state, action), depth - 1)
            nodes += more
            total += part + game.order(state, action) * (action + 1)
    return nodes, total


compiled_digest = kernel(digest)


@pytest.mark.sample(2)
@pytest.mark.filterwarnings("error")  # a game that does not compile warns
@pytest.mark.parametrize(
    "game", [GAMES[0], GAMES[2], GAMES[5], GAMES[6], GAMES[8], GAMES[10], GAMES[12], *GAMES[21:23]], ids=repr
)
def test_rules_compile_and_say_the_same(game):
    nodes, total = digest(game, game.initial_state(), 2)
    native_nodes, native_total = compiled_digest(game, game.initial_state(), 2)
    assert nodes == native_nodes
    assert isclose(total, native_total, rel_tol=1e-9)


# -- boards with rows: an obvious twin --------------------------------------------------------------------------------


class Squares:
    """A board as a dict of marks, which looks for a row everywhere after every move."""

    def __init__(self, width, height, length, gravity, exactly=False):
        self.width, self.height, self.length, self.gravity, self.exactly = width, height, length, gravity, exactly
        self.marks, self.turn = {}, 0

    def actions(self):
        if self.gravity:
            return [x for x in range(self.width) if (x, self.height - 1) not in self.marks]
        return [
            y * self.width + x for y, x in product(range(self.height), range(self.width)) if (x, y) not in self.marks
        ]

    def play(self, action):
        y, x = divmod(action, self.width)
        if self.gravity:
            x, y = action, sum((action, row) in self.marks for row in range(self.height))
        self.marks[x, y] = self.turn
        self.turn = 1 - self.turn

    def has_row(self, player):
        for (x, y), (right, up) in product(self.marks, [(1, 0), (0, 1), (1, 1), (1, -1)]):
            own = [self.marks.get((x + i * right, y + i * up)) == player for i in range(-1, self.length + 1)]
            if all(own[1:-1]) and not (self.exactly and (own[0] or own[-1])):
                return True
        return False

    def completes(self, x, y, player):
        """Whether a mark of `player` on an empty square would complete a row."""
        self.marks[x, y] = player
        found = self.has_row(player)
        del self.marks[x, y]
        return found

    def utility(self):
        """Of player 0; None while the game goes on."""
        for player, utility in ((0, 1), (1, -1)):
            if self.has_row(player):
                return utility
        return 0 if len(self.marks) == self.width * self.height else None


def agrees_with_twin(game, twin, seed):
    """Play one random game on both, comparing all that can be seen."""
    chooser = random.Random(seed)
    state = game.initial_state()
    while True:
        utility = twin.utility()
        assert game.is_terminal(state) == (utility is not None)
        assert game.to_move(state) == twin.turn
        if utility is not None:
            assert (game.utility(state, 0), game.utility(state, 1)) == (utility, -utility)
            return
        assert list(game.actions(state)) == twin.actions()
        action = chooser.choice(twin.actions())
        state = game.result(state, action)
        twin.play(action)


@st.composite
def grids(draw, widest=8):
    width = draw(st.integers(1, widest))
    height = draw(st.integers(1 if width > 1 else 2, 6))
    return width, height, draw(st.integers(2, max(width, height)))


@settings(max_examples=60, deadline=None)
@given(grids(), seeds)
def test_connect_four_agrees_with_its_twin(grid, seed):
    agrees_with_twin(ConnectFour(*grid), Squares(*grid, gravity=True), seed)


@pytest.mark.parametrize("grid", [(31, 1, 4), (1, 61, 3), (2, 30, 2), (2, 30, 4), (20, 2, 2), (6, 9, 6), (7, 6, 7)])
def test_connect_four_at_the_edge_of_an_int(grid):
    for seed in range(5):
        agrees_with_twin(ConnectFour(*grid), Squares(*grid, gravity=True), seed)


@settings(max_examples=50, deadline=None)
@given(grids(widest=6), st.booleans(), st.booleans(), seeds)
def test_mnk_agrees_with_its_twin(grid, gravity, exactly, seed):
    agrees_with_twin(MNK(*grid, gravity, exactly), Squares(*grid, gravity, exactly), seed)


@pytest.mark.parametrize("exactly", [False, True])
def test_gomoku_agrees_with_its_twin(exactly):
    for seed in range(3):
        agrees_with_twin(Gomoku(8, exactly), Squares(8, 8, 5, False, exactly), seed)


def test_more_than_five_in_a_row():
    """The last mark makes six in a row; then it also makes five upright."""
    six = ["a1", "a5", "b1", "b5", "c1", "c5", "e1", "e5", "f1", "h8", "d1"]
    assert Gomoku(8).is_terminal(play(Gomoku(8), *six))
    assert not Gomoku(8, exactly=True).is_terminal(play(Gomoku(8, exactly=True), *six))
    upright = ["d2", "h7", "d3", "h6", "d4", "h5", "d5", "h3"]
    game = Gomoku(8, exactly=True)
    state = play(game, *six[:7], "f5", *six[8:-1], *upright, "d1")
    assert game.is_terminal(state)
    assert game.utility(state, 0) == 1
    before = play(game, *six[:-1])  # the fifth would be the sixth: nothing to win
    assert game.forced_result(before) == (0, 0)
    assert Gomoku(8).forced_result(before) == (1, 1)


@settings(max_examples=30, deadline=None)
@given(grids(widest=6), st.booleans(), st.booleans(), seeds)
def test_what_mnk_counts_and_foresees(grid, gravity, exactly, seed):
    """The counts that a state carries are those of its marks; what is seen at a glance is what the twin finds."""
    width, height, length = grid
    game, twin = MNK(*grid, gravity, exactly), Squares(*grid, gravity, exactly)
    chooser, state, seen = random.Random(seed), game.initial_state(), {}
    while not game.is_terminal(state):
        points, threats = [0, 0], [0, 0]
        for line, count in zip(game.lines, state.counts, strict=True):
            marks = [twin.marks.get((square % width, square // width)) for square in line.tolist()]
            own = [marks.count(player) for player in (0, 1)]
            assert count == (127 if all(own) else own[0] - own[1])
            for player in (0, 1):
                points[player] += 4 ** own[player] * (own[1 - player] == 0)
                threats[player] += own == [(length - 1) * (player == 0), (length - 1) * (player == 1)]
        assert (state.points, state.threats) == (tuple(points), tuple(threats))
        assert seen.setdefault(game.key(state), state.marks.tolist()) == state.marks.tolist()

        def winning(player):
            free = [(a, sum((a, y) in twin.marks for y in range(height))) if gravity else (a % width, a // width)
                    for a in twin.actions()]  # fmt: skip
            return [a for a, square in zip(twin.actions(), free, strict=True) if twin.completes(*square, player)]

        mine, theirs = winning(twin.turn), winning(1 - twin.turn)
        if mine:
            assert game.forced_result(state) == (1, 1)
        elif len(theirs) > 1:
            assert game.forced_result(state) == (-1, 2)
        elif game.forced_result(state) == (0, 0):
            assert list(game.candidates(state)) == (theirs or twin.actions())
        else:  # above the answer the other player completes a row
            assert gravity
            (column,) = theirs
            after = game.result(state, column)
            assert game.forced_result(after) == (1, 1)
        action = chooser.choice(twin.actions())
        state = game.result(state, action)
        twin.play(action)


@pytest.mark.nightly
def test_a_four_is_answered_and_an_open_four_is_lost():
    game = Gomoku()
    four = play(game, *["h8", "a1", "i8", "c1", "j8", "e1", "k8", "g8"])
    assert game.forced_result(four) == (1, 1)
    answer = play(game, *["h8", "g8", "i8", "c1", "j8", "e1", "k8"])
    assert [game.action_name(answer, action) for action in game.candidates(answer)] == ["l8"]
    assert game.needs_extension(answer)
    assert game.forced_result(play(game, *["h8", "a1", "i8", "c1", "j8", "e1", "k8"])) == (-1, 2)
    three = play(game, *["h8", "a1", "i8", "c1", "j8", "e1"])
    assert AlphaBeta(game).search(three, Limit(depth=3)).verdict == "win in 3"


def test_a_go_board_of_five_in_a_row():
    agrees_with_twin(MNK(19, 19, 5), Squares(19, 19, 5, gravity=False), 1)


@settings(max_examples=30, deadline=None)
@given(grids(), seeds)
def test_mnk_with_gravity_is_connect_four(grid, seed):
    one, other = ConnectFour(*grid), MNK(*grid, gravity=True)
    for states in zip(random_states(one, seed), random_states(other, seed), strict=True):
        assert one.render(states[0]) == other.render(states[1])


@pytest.mark.compiled
def test_connect_four_counts():
    """The number of games of each length, as published with many solvers (7 * 7 at depth 2, 823 536 at depth 7)."""
    compiled_count = kernel(count_positions)
    game, start = ConnectFour(), ConnectFour().initial_state()
    totals = [compiled_count(game, start, depth) for depth in range(9)]
    assert np.diff(totals).tolist() == [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
    assert count_positions(game, start, 5) == totals[5]


@pytest.mark.nightly
@pytest.mark.parametrize(("grid", "positions"), [((4, 4, 4), 161029), ((3, 3, 3), 694)])
def test_distinct_positions_of_small_connect_four(grid, positions):
    """161 029 is John Tromp's number for 4 x 4."""
    game = ConnectFour(*grid)
    seen = {game.key(game.initial_state())}
    layer = [game.initial_state()]
    while layer:
        following = {}
        for state in layer:
            if not game.is_terminal(state):
                for action in game.actions(state):
                    after = game.result(state, action)
                    following[game.key(after)] = after
        seen |= set(following)
        assert len(set(following.values())) == len(following)
        layer = list(following.values())
    assert len(seen) == positions


@settings(max_examples=40, deadline=None)
@given(grids(), seeds)
def test_winning_squares_of_connect_four(grid, seed):
    width, height, _ = grid
    game, twin = ConnectFour(*grid), Squares(*grid, gravity=True)
    chooser = random.Random(seed)
    state = game.initial_state()
    while not game.is_terminal(state):
        winning = {}
        for player, discs in ((twin.turn, state.mine), (1 - twin.turn, state.mine ^ state.both)):
            squares = game.winning_squares(discs, state.both)
            found = {(x, y) for x in range(width) for y in range(height) if squares >> x * (height + 1) + y & 1}
            empty = {(x, y) for x in range(width) for y in range(height)} - set(twin.marks)
            winning[player] = {square for square in empty if twin.completes(*square, player)}
            assert found == winning[player]
        difference = len(winning[0]) - len(winning[1])
        assert isclose(game.evaluate(state, 0), difference / (width * height), abs_tol=1e-12)
        action = chooser.choice(twin.actions())
        state = game.result(state, action)
        twin.play(action)


def test_connect_four_tries_the_win_then_threats_then_the_centre():
    game = ConnectFour()
    start = game.initial_state()
    assert sorted(game.actions(start), key=lambda column: -game.order(start, column))[0] == 3
    state = play(game, *"3344")  # X on the bottom of columns 3 and 4: a third opens two winning squares
    assert sorted(game.actions(state), key=lambda column: -game.order(state, column))[:2] == [4, 1]
    state = play(game, *"112233")
    assert max(game.actions(state), key=lambda column: game.order(state, column)) == 3  # wins


@pytest.mark.nightly
def test_tic_tac_toe_counts():
    """255 168 games, 549 946 nodes, 5 478 positions: 131 184 games won by X, 77 904 by O, 46 080 drawn."""
    game = TicTacToe()
    ends = {-1: 0, 0: 0, 1: 0}
    positions = set()

    def visit(state):
        positions.add(state.marks.tobytes())
        if game.is_terminal(state):
            ends[game.utility(state, 0)] += 1
            return 1
        return 1 + sum(visit(game.result(state, action)) for action in game.actions(state))

    assert visit(game.initial_state()) == 549946
    assert ends == {1: 131184, -1: 77904, 0: 46080}
    assert len(positions) == 5478


@pytest.mark.parametrize(("game", "images"), [(TicTacToe(), 8), (MNK(4, 3, 3), 4), (MNK(3, 3, 3, gravity=True), 2)])
def test_symmetries_of_boards(game, images):
    state = game.result(game.initial_state(), 0)
    state = game.result(state, 1)
    assert len({state_key(game, image) for image in game.symmetries(state)}) == images


def test_mnk_estimates_and_orders():
    game = TicTacToe()
    centre, edge = play(game, "b2"), play(game, "b1")
    assert game.evaluate(centre, 0) > game.evaluate(edge, 0) > 0
    assert max(game.actions(game.initial_state()), key=lambda action: game.order(centre, action)) == 4


# -- Nim --------------------------------------------------------------------------------------------------------------


def value_of(game):
    """The value of a two-player zero-sum game for player 0, by plain minimax over distinct states."""

    def remember(state):
        key = state_key(game, state)
        if key not in known:
            known[key] = value(state)
        return known[key]

    def value(state):
        if game.is_terminal(state):
            return game.utility(state, 0)
        best = max if game.to_move(state) == 0 else min
        return best(remember(game.result(state, action)) for action in legal_actions(game, state))

    known = {}
    return remember(game.initial_state())


@pytest.mark.parametrize(
    "heaps", [(0,), (1,), (1, 1), (1, 1, 1), (2, 2), (1, 2, 3), (3, 4, 5), (2, 4, 6), (1, 3, 3, 1)]
)
def test_nim_is_as_bouton_proved(heaps):
    nim_sum = np.bitwise_xor.reduce(heaps)
    assert value_of(Nim(heaps)) == (1 if nim_sum else -1)
    wins_misere = nim_sum != 0 if max(heaps) > 1 else nim_sum == 0
    assert value_of(Nim(heaps, misere=True)) == (1 if wins_misere else -1)


@pytest.mark.nightly
@pytest.mark.parametrize("misere", [False, True])
def test_alpha_beta_finds_what_bouton_proved(misere):
    """All positions of four heaps of up to five counters but the empty one."""
    game = Nim((5, 5, 5, 5), misere)
    positions = [heaps for heaps in product(range(6), repeat=4) if any(heaps)]
    state = type(game.initial_state())
    found = AlphaBeta(game).search_many([state(np.array(heaps), 0) for heaps in positions])
    for heaps, analysis in zip(positions, found, strict=True):
        nim_sum = np.bitwise_xor.reduce(heaps)
        wins = (nim_sum == 0) if misere and max(heaps) == 1 else nim_sum != 0
        assert (analysis.value, analysis.exact) == (1 if wins else -1, True)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), seeds)
def test_nim_agrees_with_plain_lists(heaps, seed):
    game = Nim(heaps)
    chooser = random.Random(seed)
    state, left, turn = game.initial_state(), list(heaps), 0
    while any(left):
        choices = [(heap, taken) for heap, size in enumerate(left) for taken in range(1, size + 1)]
        assert [game.action_name(state, a) for a in game.actions(state)] == [f"{heap + 1}:{n}" for heap, n in choices]
        assert game.to_move(state) == turn
        assert not game.is_terminal(state)
        heap, taken = chooser.choice(choices)
        state = game.result(state, game.parse_action(state, f"{heap + 1}:{taken}"))
        left[heap], turn = left[heap] - taken, 1 - turn
        assert state.heaps.tolist() == left
    assert game.is_terminal(state)
    assert [game.utility(state, player) for player in (turn, 1 - turn)] == [-1, 1]


# -- Kalah ------------------------------------------------------------------------------------------------------------


class Bowls:
    """Kalah in plain lists, seen from the player to move: own pits, own store, the other's pits, their store."""

    def __init__(self, pits, seeds, empty_capture):
        self.pits, self.empty_capture = pits, empty_capture
        self.rows, self.stores, self.turn = [[seeds] * pits, [seeds] * pits], [0, 0], 0

    def is_over(self):
        return not all(map(any, self.rows))

    def margin(self):
        return sum(self.rows[0]) + self.stores[0] - sum(self.rows[1]) - self.stores[1]

    def play(self, pit):
        me, other = self.turn, 1 - self.turn
        seeds, self.rows[me][pit] = self.rows[me][pit], 0
        row, place = me, pit
        while seeds:
            place += 1
            if place == self.pits and row == me:
                self.stores[me] += 1
                seeds -= 1
                if not seeds:
                    return  # again
            if place >= self.pits:
                row, place = 1 - row, 0
            self.rows[row][place] += 1
            seeds -= 1
        facing = self.pits - 1 - place
        if row == me and self.rows[me][place] == 1 and (self.empty_capture or self.rows[other][facing]):
            self.stores[me] += 1 + self.rows[other][facing]
            self.rows[me][place] = self.rows[other][facing] = 0
        self.turn = other


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(1, 8), st.booleans(), seeds)
def test_kalah_agrees_with_its_twin(pits, per_pit, empty_capture, seed):
    game, twin = Kalah(pits, per_pit, empty_capture), Bowls(pits, per_pit, empty_capture)
    chooser = random.Random(seed)
    state = game.initial_state()
    while not twin.is_over():
        assert not game.is_terminal(state)
        assert game.to_move(state) == twin.turn
        choices = [pit for pit in range(pits) if twin.rows[twin.turn][pit]]
        assert list(game.actions(state)) == choices
        pit = chooser.choice(choices)
        state = game.result(state, pit)
        twin.play(pit)
        assert state.seeds.tolist() == [*twin.rows[0], twin.stores[0], *twin.rows[1], twin.stores[1]]
    assert game.is_terminal(state)
    assert (game.utility(state, 0), game.utility(state, 1)) == (twin.margin(), -twin.margin())


@pytest.mark.parametrize(("pits", "outcomes"), [(1, "DLWLWD"), (2, "WLLLWW"), (3, "DWW")])
def test_kalah_values_of_small_boards(pits, outcomes):
    """Won, drawn or lost with 1, 2, … seeds, from Irving, Donkers & Uiterwijk, "Solving Kalah" (2000)."""
    values = [value_of(Kalah(pits, seeds)) for seeds in range(1, len(outcomes) + 1)]
    assert "".join("DWL"[int(np.sign(value))] for value in values) == outcomes


@pytest.mark.nightly
@pytest.mark.parametrize(("seeds", "margin"), [(1, 2), (2, 10), (3, 2)])
def test_kalah_margins_of_six_pits(seeds, margin):
    """Table 9 of the same paper."""
    analysis = AlphaBeta(Kalah(6, seeds)).search()
    assert (analysis.value, analysis.exact) == (margin, True)


@pytest.mark.nightly
@pytest.mark.parametrize(("pits", "per_pit"), [(3, 4), (3, 5), (3, 6), (4, 1), (4, 2), (5, 1)])
def test_kalah_margins_are_those_of_plain_minimax(pits, per_pit):
    analysis = AlphaBeta(Kalah(pits, per_pit)).search()
    assert (analysis.value, analysis.exact) == (value_of(Kalah(pits, per_pit)), True)


@pytest.mark.parametrize(
    ("before", "pit", "after", "turn"),
    [
        ([1, 0, 2, 0, 4, 5, 6, 0], 0, [0, 0, 2, 6, 4, 0, 6, 0], 1),  # captures
        ([1, 0, 2, 0, 4, 0, 6, 0], 0, [0, 0, 2, 1, 4, 0, 6, 0], 1),  # captures, nothing opposite
        ([7, 0, 0, 0, 1, 1, 1, 0], 0, [0, 1, 1, 4, 2, 2, 0, 0], 1),  # captures in the pit it started from
        ([0, 1, 1, 0, 4, 5, 6, 0], 2, [0, 1, 0, 1, 4, 5, 6, 0], 0),  # moves again
        ([0, 0, 3, 0, 0, 5, 6, 0], 2, [0, 0, 0, 1, 1, 6, 6, 0], 1),  # ends in an empty pit of the other: no capture
    ],
)
def test_kalah_moves(before, pit, after, turn):
    game = Kalah(pits=3)
    state = game.result(type(game.initial_state())(np.array(before, np.int16), 0), pit)
    assert (state.seeds.tolist(), game.to_move(state)) == (after, turn)


def test_kalah_without_empty_capture():
    game = Kalah(pits=3, empty_capture=False)
    state = game.result(type(game.initial_state())(np.array([1, 0, 2, 0, 4, 0, 6, 0], np.int16), 0), 0)
    assert state.seeds.tolist() == [0, 1, 2, 0, 4, 0, 6, 0]


def test_kalah_tries_first_what_brings_seeds():
    game = Kalah()
    start = game.initial_state()
    assert max(game.actions(start), key=lambda pit: game.order(start, pit)) == 2


# -- explicit trees ---------------------------------------------------------------------------------------------------


def expected(tree, player=0):
    """The value of nested lists and dicts for player 0, straight from what is written."""
    if isinstance(tree, (int, float)):
        return tree
    if isinstance(tree, dict):
        return sum(p * expected(node, player) for p, node in zip(tree["probabilities"], tree["children"], strict=True))
    return (max, min)[player](expected(node, 1 - player) for node in tree)


def tree_value(game, state):
    """Expectiminimax for player 0."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    values = [tree_value(game, game.result(state, action)) for action in game.actions(state)]
    if game.to_move(state) == CHANCE:
        return sum(game.probability(state, action) * value for action, value in enumerate(values))
    return max(values) if game.to_move(state) == 0 else min(values)


def trees(deeper):
    children = st.lists(deeper, min_size=1, max_size=4)
    chance = children.map(
        lambda nodes: {"player": "chance", "children": nodes, "probabilities": [1 / len(nodes)] * len(nodes)}
    )
    return children | chance


@settings(max_examples=50, deadline=None)
@given(st.recursive(st.integers(-9, 9), trees, max_leaves=30))
def test_explicit_tree_is_worth_what_is_written(tree):
    game = ExplicitTree(tree)
    assert isclose(tree_value(game, game.initial_state()), expected(tree), abs_tol=1e-9)
    assert ExplicitTree(json.dumps(tree)).render(game.initial_state()) == game.render(game.initial_state())


def test_explicit_tree_of_the_textbook():
    game = ExplicitTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    assert tree_value(game, game.initial_state()) == 3
    assert (game.players, game.zero_sum, game.has_chance, game.utilities) == (2, True, False, (-14, 14))
    assert [game.result(game.initial_state(), action).number for action in range(3)] == [1, 5, 9]  # preorder


def test_explicit_tree_of_three_players():
    leaves = [{"utility": [1, 2, 3]}, {"utility": [4, 5, 6.5]}]
    game = ExplicitTree([[leaves, leaves]])
    assert (game.players, game.zero_sum, game.utilities) == (3, False, (1, 6.5))
    movers = [game.to_move(state) for state in random_states(game, 0)]
    assert movers[:3] == [0, 1, 2]
    state = play(game, "1", "2", "2")
    assert [game.utility(state, player) for player in range(3)] == [4, 5, 6.5]


def test_explicit_tree_passes_the_turn_over_chance():
    game = ExplicitTree([{"player": "chance", "children": [[1, 2]]}, {"player": "max", "children": [[3]]}])
    assert [game.to_move(state) for state in (play(game), play(game, "1"), play(game, "1", "1"))] == [0, CHANCE, 1]
    assert [game.to_move(state) for state in (play(game, "2"), play(game, "2", "1"))] == [0, 1]


def test_explicit_tree_from_a_file(tmp_path):
    file = tmp_path / "tree.json"
    file.write_text(json.dumps(TREE))
    assert ExplicitTree.load(file) == ExplicitTree(TREE)
    file.write_text("[1, 2")
    with pytest.raises(RulesError, match=r"tree\.json: not JSON: .*line 1 column 6"):
        ExplicitTree.load(file)


def test_explicit_tree_with_estimates_and_names():
    tree = {
        "name": "A",
        "children": [
            {"name": "B", "estimate": 4, "children": [3, {"utility": 12, "name": "last"}]},
            {"estimate": [-20, 20], "children": [2, 4]},
            [14, 5],
        ],
    }
    game = ExplicitTree(tree)
    states = [game.initial_state(), *(play(game, str(action)) for action in (1, 2, 3))]
    assert [game.evaluate(state, 0) for state in states] == [0, 4, -20, 0]
    assert [game.evaluate(state, 1) for state in states] == [0, -4, 20, 0]
    assert game.utilities == (-20, 20)
    assert [game.node_name(state) for state in (*states, play(game, "1", "2"))] == ["A", "B", "", "", "last"]
    assert game.utility(play(game, "1", "2"), 0) == 12
    assert game.render(states[0]).splitlines()[:4] == [
        "MAX A  <- here",
        "├─ 1: MIN B",
        "│  ├─ 1: 3",
        "│  └─ 2: 12 last",
    ]
    for depth, value in ((1, 4), (2, 5)):
        for searcher in (Minimax(game), AlphaBeta(game, textbook=True), AlphaBeta(game)):
            assert searcher.search(limit=Limit(depth=depth)).value == value
    positive = ExplicitTree({"children": [{"utility": [5]}, {"children": [{"utility": [9]}], "player": 0}]})
    assert Expectiminimax(positive).search(limit=Limit(depth=1)).value == 5  # not known: within the utilities


@pytest.mark.compiled
def test_only_large_trees_are_compiled():
    assert not runs_compiled(ExplicitTree(TREE))
    assert runs_compiled(CompiledTree(TREE))
    assert runs_compiled(ExplicitTree([[1] * 100] * 100))
    assert not compile_report(ExplicitTree(TREE)).ok
    assert "so small that it is quicker" in str(compile_report(ExplicitTree(TREE)))


def chance_value(game, state):
    if game.is_terminal(state):
        return game.utility(state, 0)
    value = 0.0
    for action in legal_actions(game, state):
        value += game.probability(state, action) * chance_value(game, game.result(state, action))
    return value


def test_probabilities_compile():
    dice = {
        "player": "chance",
        "children": [6, {"player": "chance", "children": [1, 3]}],
        "probabilities": [0.25, 0.75],
    }
    game = CompiledTree(dice)
    assert kernel(chance_value)(game, game.initial_state()) == 6 * 0.25 + 2 * 0.75


# -- pictures and notation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "names", "picture"),
    [
        (
            ConnectFour(),
            "4453",
            """
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
. . . O . . .
. . O X X . .
1 2 3 4 5 6 7
X to move""",
        ),
        (
            ConnectFour(width=10, height=2, length=3),
            ["10", "1", "9", "1", "8"],
            """
O . . . . . . . .  .
O . . . . . . X X  X
1 2 3 4 5 6 7 8 9 10
X wins""",
        ),
        (
            TicTacToe(),
            ["b2", "a1", "B1", "b3", " a2 ", "c2", "a3", "c1", "c3"],
            """
3 X O X
2 X X O
1 O X O
  a b c
draw""",
        ),
        (
            MNK(10, 10, 2),
            ["a10", "j1"],
            """
10 X . . . . . . . . .
 9 . . . . . . . . . .
 8 . . . . . . . . . .
 7 . . . . . . . . . .
 6 . . . . . . . . . .
 5 . . . . . . . . . .
 4 . . . . . . . . . .
 3 . . . . . . . . . .
 2 . . . . . . . . . .
 1 . . . . . . . . . O
   a b c d e f g h i j
X to move""",
        ),
        (
            MNK(3, 2, 2, gravity=True),
            "123",
            """
. . .
X O X
1 2 3
O to move""",
        ),
        (
            Nim(),
            ["3:5", "1:1", "2:4", "1:2"],
            """
1
2
3
player 1 wins""",
        ),
        (
            Kalah(pits=3, seeds=2),
            "12",
            """
  3 2 1
  3 0 2
1       0
  0 3 3
  1 2 3
player 1 to move""",
        ),
        (
            ExplicitTree([{"utility": [1, 2]}, {"player": 1, "children": [3], "names": ["only"]}]),
            ["2", "only"],
            """
player 0
├─ 1: (1, 2)
└─ 2: player 1
   └─ only: (3, -3)  <- here""",
        ),
    ],
    ids=repr,
)
def test_pictures(game, names, picture):
    assert game.render(play(game, *names)) == picture.removeprefix("\n")


def test_kalah_says_the_margin():
    game = Kalah(pits=1, seeds=3)
    *_, end = random_states(game, 0)
    assert game.render(end).splitlines()[-1] == "player 0 wins by 6"


def test_explicit_tree_pictures():
    game = ExplicitTree(TREE)
    assert (
        game.render(game.initial_state())
        == """\
MAX  <- here
├─ 1: MIN
│  ├─ 1: 3
│  ├─ 2: 12
│  └─ 3: 8
├─ 2: chance
│  ├─ 1 (0.75): 2
│  └─ 2 (0.25): MIN
│     ├─ 1: 4
│     └─ 2: 6
└─ 3: MIN
   ├─ 1: 14
   ├─ 2: 5
   └─ 3: 2"""
    )


# -- refusals ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ConnectFour(width=0), "width=0: width must be a whole number from 1 to 31"),
        (lambda: ConnectFour(height=6.5), "height=6.5: height must be a whole number from 1 to 61"),
        (lambda: ConnectFour(length=1), "length=1: length must be a whole number from 2 to 7"),
        (lambda: ConnectFour(width=3, height=3), "length=4: length must be a whole number from 2 to 3"),
        (
            lambda: ConnectFour(width=9),
            r"width=9, height=6: width \* \(height \+ 1\), the bits used, must be at most 62",
        ),
        (lambda: MNK(m=27), "m=27: m must be a whole number from 1 to 26"),
        (lambda: MNK(n="3"), "n='3': n must be a whole number from 1 to 26"),
        (lambda: MNK(k=4), "k=4: k must be a whole number from 1 to 3"),
        (lambda: Nim(heaps=()), r"heaps=\(\): at least one heap is needed"),
        (lambda: Nim(heaps=[3, -1]), r"heaps\[1\]=-1: heaps\[1\] must be a whole number from 0 to 1000000"),
        (lambda: Kalah(pits=0), "pits=0: pits must be a whole number from 1 to 100"),
        (lambda: Kalah(seeds=101), "seeds=101: seeds must be a whole number from 1 to 100"),
    ],
)
def test_parameters_out_of_range(make, message):
    with pytest.raises(RulesError, match=message):
        make()


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ([], r"tree: children must be a list of one or more, not \[\]"),
        ([1, [2, []]], r"tree\[1\]\[1\]: children must be a list"),
        ([1, {"player": "max"}], r"tree\[1\]: children must be a list of one or more, not None"),
        ([1, "two"], r"tree\[1\]: 'two' is not a finite number, a list or a dict"),
        ([1, None], r"tree\[1\]: None is not a finite number"),
        ([True], r"tree\[0\]: True is not a finite number"),
        ([[float("nan")]], r"tree\[0\]\[0\]: nan is not a finite number"),
        ([float("inf"), 1], r"tree\[0\]: inf is not a finite number"),
        (
            {"children": [1], "player": "maximum"},
            r'tree: player=\'maximum\' must be "max", "min", "chance" or a number',
        ),
        ({"children": [1], "player": -1}, "tree: player=-1 must be"),
        ({"children": [1], "player": 2}, "tree: player 2 moves, but leaves have a utility for 2 players"),
        ({"children": [1], "plyer": 2}, "tree: unknown 'plyer'; known are children, estimate, name, names, player"),
        ({"children": [1, 2], "names": ["a"]}, "tree: 1 names for 2 children"),
        ({"children": [1, 2], "names": ["a", "a"]}, r"tree: names=\['a', 'a'\] must all be different"),
        (
            {"children": [1, 2], "probabilities": [0.5, 0.5]},
            'tree: only a node with "player": "chance" has probabilities',
        ),
        ({"children": [1, 2], "player": "chance", "probabilities": [1]}, "tree: 1 probabilities for 2 children"),
        (
            {"children": [1, 2], "player": "chance", "probabilities": [0.5, 0.6]},
            "must not be negative and must sum to 1",
        ),
        ({"children": [1, 2], "player": "chance", "probabilities": [1.5, -0.5]}, "must not be negative"),
        (
            {"children": [1], "player": "chance", "probabilities": ["1"]},
            r"probabilities\[0\]: '1' is not a finite number",
        ),
        ([{"estimate": "x", "children": [1]}], r"tree\[0\]: estimate: 'x' is not a finite number, or a list"),
        ({"estimate": [1, 2, 3], "children": [1]}, "tree: an estimate for 3 players, but leaves have 2"),
        ({"estimate": [1, 2], "children": [1]}, r"tree: estimate=\[1.0, 2.0\] must sum to 0, as the leaves do"),
        ({"name": 3, "children": [1]}, "tree: name=3 must be a text"),
        (CIRCLE, r"tree\[1\]\[0\]: the tree contains itself here"),
        ([{"utility": []}], r"tree\[0\]: utility must be a list of one or more, not \[\]"),
        ([{"utility": [1, "x"]}], r"tree\[0\]: utility\[1\]: 'x' is not a finite number"),
        ([{"utility": [1, 2], "names": []}], r"tree\[0\]: a node with a utility is a leaf and has nothing else"),
        ([1, {"utility": [1, 2, 3]}], r"tree\[1\]: utility for 3 players here, for 2 at tree\[0\]"),
        ("[1, 2", "tree: not JSON: "),
    ],
)
def test_malformed_trees(tree, message):
    with pytest.raises(RulesError, match=message):
        ExplicitTree(tree)


def test_illegal_actions_are_named():
    game = ConnectFour(width=3, height=1, length=3)
    with pytest.raises(IllegalAction, match="'2' is not a legal action here; legal: 1, 3"):
        game.parse_action(play(game, "2"), "2")
    with pytest.raises(IllegalAction, match="'b4' is not a legal action here"):
        TicTacToe().parse_action(TicTacToe().initial_state(), "b4")
