"""Tables: all states, their values and distances, by a plain twin; codes; files; the check."""

import copy
import itertools
import json
import os
import pickle
import random
import threading
import zlib
from enum import Enum
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.hashed_game import Crowd, Seeded, scramble
from typer.testing import CliRunner

from outplay import CHANCE, AlphaBeta, Game, Tablebase, ValueIteration, legal_actions
from outplay.check.quick import trust
from outplay.cli.commands import app
from outplay.compile import RunsInterpretedWarning
from outplay.compile.state_cells import cells_of
from outplay.engine.book import answer
from outplay.engine.limits import UNLIMITED
from outplay.games import (
    Breakthrough,
    ConnectFour,
    Domineering,
    DotsAndBoxes,
    Kalah,
    KuhnPoker,
    Nim,
    Othello,
    Oware,
    Pig,
    TicTacToe,
)
from outplay.rules.errors import OutplayError, RulesError, TableError, UnsuitableGame
from outplay.session.load import load_game
from outplay.tables import verify
from outplay.tables.codec import Codec, Range, order_of, signed, state_at
from outplay.tables.making import Making
from outplay.tables.partitions import DICE
from outplay.tables.teams import Team
from outplay.tables.whole_graph import whole_graph

pytestmark = pytest.mark.compiled

NODES = 40


def explored(game, states):
    """The walk through all states that can be reached."""
    making = Making(game, states, Team(1), 1e8)
    making.begin()
    making.finish_stage()
    return making.exploration


class Node(NamedTuple):
    seed: int
    at: int


class Circles(Game):
    """Random graphs with circles, one for each seed; players move in any order, utilities are of any kind."""

    def initial_state(self):
        return Node(1, 0)

    def to_move(self, state):
        return scramble(state.seed, 0, state.at, 1) % 2

    def actions(self, state):
        return list(range(1 + scramble(state.seed, 0, state.at, 2) % 3))

    def result(self, state, action):
        if state.seed % 4 == 3:  # no circles
            return Node(state.seed, state.at + 1 + scramble(state.seed, 0, state.at, 10 + action) % 4)
        return Node(state.seed, scramble(state.seed, 0, state.at, 10 + action) % NODES)

    def is_terminal(self, state):
        return state.at >= NODES - 1 or scramble(state.seed, 0, state.at, 3) % (4 + state.seed % 5) == 0

    def utility(self, state, player):
        value = scramble(state.seed, 0, state.at, 4) % (3 + state.seed % 4) - 1 - state.seed % 2
        return (value if player == 0 else -value) / 2


class Shared(Circles):
    """The same with a constant sum."""

    zero_sum = False
    constant_sum = 3

    def utility(self, state, player):
        return 1.5 + super().utility(state, player)


class Alone(Circles):
    """The same for one player."""

    players = 1
    zero_sum = False

    def to_move(self, state):
        return 0


class Teams(Circles):
    """The same for two teams of two."""

    players = 4
    teams = (0, 1, 0, 1)

    def to_move(self, state):
        return scramble(state.seed, 0, state.at, 1) % 4

    def utility(self, state, player):
        return super().utility(state, player % 2)


def reached(game, root):
    found, waiting = {root: []}, [root]
    while waiting:
        state = waiting.pop()
        if not game.is_terminal(state):
            found[state] = [game.result(state, action) for action in game.actions(state)]
            for child in found[state]:
                if child not in found:
                    found[child] = []
                    waiting.append(child)
    return found


def twin(game, root, draw):
    """The value for player 0 and the distance of each state, by its definition."""
    graph = reached(game, root)
    ends = {state: game.utility(state, 0) for state in graph if game.is_terminal(state)}
    first = {state: state in ends or game.to_move(state) % 2 == 0 for state in graph}
    values = dict.fromkeys(graph, draw)

    def forced(sure, own):
        """The states from which a side can force an end in `sure`."""
        known = set(sure)
        while True:
            more = {
                state
                for state in graph
                if state not in ends
                and state not in known
                and (any if first[state] == own else all)(child in known for child in graph[state])
            }
            if not more:
                return known
            known |= more

    for utility in sorted(set(ends.values())):
        if utility > draw:
            for state in forced({end for end in ends if ends[end] >= utility}, own=True):
                values[state] = utility
    for utility in sorted(set(ends.values()), reverse=True):
        if utility < draw:
            for state in forced({end for end in ends if ends[end] <= utility}, own=False):
                values[state] = utility
    plies, new, ply = dict.fromkeys(ends, 0), dict(ends), 0
    while new:
        new, ply = {}, ply + 1
        for state, children in graph.items():
            if state in plies or values[state] == draw:
                continue
            same = [child for child in children if values[child] == values[state]]
            gains = (values[state] > draw) == first[state]
            if (any if gains else all)(child in plies for child in same):
                new[state] = ply
        plies |= new
    return {state: (values[state], plies.get(state)) for state in graph}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("cls", "draw"),
    [
        (Circles, 0),
        (Shared, 1.5),
        pytest.param(Alone, 0, marks=pytest.mark.nightly),
        pytest.param(Teams, 0, marks=pytest.mark.nightly),
    ],
)
def test_values_and_distances_are_those_of_the_definition(cls, draw):
    game, met = cls(), set()
    for seed in range(40):
        root = Node(seed, 0)
        table = Tablebase.make(game, [root], check=seed == 0)
        wanted = twin(game, root, draw)
        found = {entry.state: (entry.value, entry.plies) for entry in table.entries()}
        assert found == wanted, seed
        assert verify(table).fault == ""
        met |= {value for value, _ in found.values()}
    assert len(met) > 4


class Ghosts(Teams):
    """One against two."""

    players = 3
    teams = (0, 1, 1)

    def to_move(self, state):
        return scramble(state.seed, 0, state.at, 1) % 3

    def utility(self, state, player):
        return Circles.utility(self, state, min(player, 1))


@pytest.mark.nightly
def test_teams_of_different_sizes():
    game, lost = Ghosts(), 0
    for seed in range(10):
        table = Tablebase.make(game, [Node(seed, 0)], check=False)
        assert verify(table).fault == ""
        for entry in table.entries():
            if entry.player >= 0:
                values = (entry.value, -entry.value, -entry.value)
                assert table.probe(entry.state).value == values[entry.player]
                assert answer([table], game, entry.state, UNLIMITED).values == values
                assert table.analyse(entry.state).values == values
                lost += entry.value != 0
    assert lost > 20


@pytest.mark.nightly
def test_play_by_the_table_ends_in_time_against_every_defence():
    """In graphs with circles: the side that gets more than in a draw follows the table, the other one does anything."""
    game, longest = Circles(), 0
    for seed in range(40):
        root = Node(seed, 0)
        table = Tablebase.make(game, [root], check=False)
        for side in (0, 1):
            for entry in table.entries():
                if entry.player < 0 or entry.value * (1 - 2 * side) <= 0:
                    continue
                waiting, ply, longest = {entry.state}, 0, max(longest, entry.plies)
                while waiting:  # all states in which play may be after so many plies
                    after = set()
                    for state in waiting:
                        plies, value = table.probe(state).plies, table.analyse(state).values[0]
                        if value != entry.value:  # the other side has lost more
                            assert (value > entry.value) == (side == 0)
                        elif game.is_terminal(state):
                            assert game.utility(state, 0) == value
                        else:
                            assert plies <= entry.plies - ply
                            chosen = [table.look_up(game, state).action]
                            own = game.to_move(state) == side
                            after |= {game.result(state, a) for a in (chosen if own else game.actions(state))}
                    waiting, ply = after, ply + 1
    assert longest > 5


def test_the_value_is_that_of_the_mover():
    game = Shared()
    for seed in range(8):
        table = Tablebase.make(game, [Node(seed, 0)], check=False)
        for entry in table.entries():
            known = table.probe(entry.state)
            if entry.player >= 0:
                assert known.value == (entry.value if entry.player == 0 else 3 - entry.value)
                assert known.plies == (entry.plies or None)


SMALL = [ConnectFour(width=4, height=3), Oware(1)]
MORE = [Kalah(3, 2), Othello(size=4), Nim(), Domineering(3, 4), TicTacToe(), DotsAndBoxes(2, 2), Breakthrough(4, 3)]
SMALL += [pytest.param(game, marks=pytest.mark.nightly) for game in MORE]


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", SMALL, ids=repr)
def test_built_in_games(game):
    """Values as value iteration has them, late in random games; distances as alpha-beta has them."""
    table, dice, plain = Tablebase.make(game), random.Random(1), copy.copy(game)
    plain.compiled = False
    assert verify(table) == (len(table), "", None, False)
    for _ in range(8):
        state, path = game.initial_state(), []
        while not game.is_terminal(state):
            path.append(state)
            state = game.result(state, dice.choice(list(legal_actions(game, state))))
        state = dice.choice(path[len(path) // 2 :])
        analysis = table.analyse(state)
        assert analysis.value == pytest.approx(ValueIteration(plain).search(state).value)
        assert [row.value for row in analysis.actions] == sorted((row.value for row in analysis.actions), reverse=True)
        if not game.repetition and not isinstance(game, Oware):
            by_search = AlphaBeta(plain).search(state)
            assert (analysis.value, analysis.distance) == (by_search.value, by_search.distance)


def test_a_search_answers_from_the_table():
    game = ConnectFour(width=4, height=4)
    table = Tablebase.make(game)
    state = game.initial_state()
    for column in (0, 1, 1):
        state = game.result(state, column)
    analysis = AlphaBeta(game, books=[table]).search(state)
    assert (analysis.method, analysis.exact, analysis.nodes) == ("Tablebase", True, 0)
    plain = ConnectFour(width=4, height=4)
    plain.compiled = False
    assert analysis.value == AlphaBeta(plain).search(state).value
    assert analysis.distance == len(analysis.line)
    assert analysis.action == table.analyse(state).action


@pytest.mark.parametrize(
    ("width", "height", "positions"), [(4, 4, 161_029), pytest.param(4, 5, 1_706_255, marks=pytest.mark.nightly)]
)
def test_published_numbers_of_positions(width, height, positions):
    """John Tromp's table (tromp.github.io/c4/c4.html), which counts mirror images as two."""

    class Plain(ConnectFour):
        def symmetries(self, position):
            return (position,)

    assert len(Tablebase.make(Plain(width=width, height=height))) == positions


class Noughts(Game):
    """Tic-tac-toe as people write it."""

    def initial_state(self):
        return (0,) * 9

    def to_move(self, board):
        return sum(mark != 0 for mark in board) % 2

    def actions(self, board):
        return [square for square in range(9) if board[square] == 0]

    def result(self, board, square):
        mark = 1 + self.to_move(board)
        return tuple([mark if i == square else board[i] for i in range(9)])

    def has_row(self, board, mark):
        for a, b, c in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            if board[a] == board[b] == board[c] == mark:
                return True
        return False

    def is_terminal(self, board):
        return 0 not in board or self.has_row(board, 1) or self.has_row(board, 2)

    def utility(self, board, player):
        value = int(self.has_row(board, 1)) - int(self.has_row(board, 2))
        return value if player == 0 else -value


class Sliding(Game):
    """The 8-puzzle, from the end: every position that can be reached, and the fewest moves to the goal."""

    players = 1
    zero_sum = False

    def initial_state(self):
        return (1, 2, 3, 4, 5, 6, 7, 0, 8)

    def to_move(self, board):
        return 0

    def actions(self, board):
        hole = board.index(0)
        return [
            square
            for square in range(9)
            if (abs(square - hole) == 1 and square // 3 == hole // 3) or abs(square - hole) == 3
        ]

    def result(self, board, square):
        hole = board.index(0)
        return tuple([board[square] if i == hole else 0 if i == square else board[i] for i in range(9)])

    def is_terminal(self, board):
        return board == (1, 2, 3, 4, 5, 6, 7, 8, 0)

    def utility(self, board, player):
        return 1


@pytest.mark.parametrize(
    ("game", "states", "longest"),
    [
        (Noughts(), 5_478, {-1.0: 5, 1.0: 5}),  # the different boards, as in `count_tree`
        # Reinefeld, "Complete solution of the eight-puzzle", 1993
        pytest.param(Sliding(), 181_440, {1.0: 31}, marks=pytest.mark.nightly),
    ],
    ids=["tic-tac-toe", "8-puzzle"],
)
def test_published_tables(game, states, longest):
    table = Tablebase.make(game)
    assert len(table) == states
    assert table.stats().longest == longest
    assert verify(table).fault == ""


# -- codes ------------------------------------------------------------------------------------------------------------


class Numbers(NamedTuple):
    first: int
    flag: bool
    pair: tuple[int, float]
    last: int


class Ends(Game):
    """A game that is over at once, in any state."""

    def initial_state(self):
        return Numbers(0, False, (0, 0.0), 0)

    def to_move(self, state):
        return 0

    def actions(self, state):
        return [0]

    def result(self, state, action):
        return state

    def is_terminal(self, state):
        return True

    def utility(self, state, player):
        return 0


ints = st.one_of(st.integers(-4, 4), st.integers(-(2**63), 2**63 - 1))
numbers = st.builds(
    Numbers, ints, st.booleans(), st.tuples(ints, st.floats(allow_nan=False, allow_infinity=False)), ints
)


@settings(max_examples=60, deadline=None)
@given(st.lists(numbers, min_size=1, max_size=8))
def test_codes_are_perfect_and_in_the_order_of_the_cells(states):
    game = Ends()
    found = explored(game, states)
    wanted = list(
        dict.fromkeys((s.first, s.flag, s.pair[0], np.float64(s.pair[1]).view(np.int64).item(), s.last) for s in states)
    )
    codes, codec = found.graph.codes(), found.codec.record()
    back = [state_at(game, codec, codes.reshape(-1), i) for i in range(len(codes))]
    cells = [(s.first, s.flag, s.pair[0], np.float64(s.pair[1]).view(np.int64).item(), s.last) for s in back]
    assert sorted(cells) == sorted(wanted)
    assert all(isinstance(s.flag, bool) for s in back)
    by_code = sorted(range(len(codes)), key=lambda i: codes[i].view(np.uint64).tolist())
    assert [cells[i] for i in by_code] == sorted(cells)
    for row, code in zip(cells, codes.view(np.uint64).tolist(), strict=True):
        assert found.codec.encode([int(cell) for cell in row]) == tuple(code)


steps = st.sampled_from([1, 1 << 20, 1 << 40])


@pytest.mark.parametrize("words", [1, 2])
@given(st.lists(st.tuples(ints, ints), max_size=9), steps)
def test_order_of_codes(words, rows, step):
    rows = [[code // step * step for code in row[:words]] for row in rows]
    found = order_of(np.array(rows, np.int64).reshape(len(rows), words)).tolist()
    assert sorted(found) == list(range(len(rows)))
    assert [rows[number] for number in found] == sorted(rows)


@pytest.mark.nightly
def test_states_of_several_words_are_in_order_whatever_their_chunks():
    dice = random.Random(1)
    states = [
        Numbers(dice.choice([-(2**63), 0, 2**62]), True, (dice.choice([0, 2**60]), 0.5), dice.randint(-(2**62), 2**62))
        for _ in range(2000)
    ]
    for threads in (1, 2):
        codes = Tablebase.make(Ends(), states, threads=threads).states().codes
        assert codes.shape[1] > 1
        assert codes.tolist() == sorted(codes.tolist())
        assert len(codes) == len(set(states))


@given(st.lists(ints, min_size=2, max_size=20))
def test_a_range_at_least_doubles_and_keeps_what_it_holds(values):
    found = Range(values[0], values[0])
    for value in values[1:]:
        wider = found.widened(value)
        assert wider.low <= value <= wider.high
        assert wider.low <= found.low
        assert wider.high >= found.high
        assert wider == found or wider.high - wider.low >= 2 * (found.high - found.low) or wider.bits == 64
        assert -(2**63) <= wider.low <= wider.high < 2**63
        found = wider


@pytest.mark.nightly
def test_the_image_with_the_least_code_stands_for_all():
    """Kernels and `code_of` find it by its cells; its code is the least of the codes of all images."""
    game = ConnectFour(width=4, height=3)
    walk = explored(game, [game.initial_state()])
    found = {tuple(code) for code in walk.graph.codes().tolist()}
    table, least = Tablebase.make(game, check=False), set()
    for entry in table.entries():
        codes = [walk.codec.encode(cells) for cells in cells_of(game, game.symmetries(entry.state))]
        code = signed(min(codes))
        assert code == table.code_of(entry.state) == table.code_of(game.symmetries(entry.state)[1])
        least.add(code)
    assert least == found


def test_many_states_to_start_from():
    states = [Numbers(i, i % 2 == 0, (-i, i / 3), i // 7) for i in range(20_000)]
    assert explored(Ends(), states).graph.states == 20_000


def test_a_code_outside_its_ranges_is_none():
    codec = Codec([Range(0, 3), Range(-1, 0)], Range(2, 2))
    assert codec.encode([3, 0]) == (0b111 << 61,)
    assert codec.encode([4, 0]) is None
    assert codec.encode([3, -2]) is None
    assert codec.encode([3]) is None
    assert codec.encode([3, 0, 0]) is None


class Colour(Enum):
    RED = 1
    BLUE = 2


class Piles:
    """An ordinary object as a state."""

    def __init__(self, piles, turn, last, colour):
        self.piles, self.turn, self.last, self.colour = piles, turn, last, colour


class ListNim(Game):
    """Nim whose states are objects with a list that gets shorter, a value that may be None, and a member of an enum."""

    def initial_state(self):
        return Piles([3, 2, 1], 0, None, Colour.RED)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        return [8 * pile + take for pile, size in enumerate(state.piles) for take in range(1, size + 1)]

    def result(self, state, action):
        pile, take = action // 8, action % 8
        piles = [size - take * (i == pile) for i, size in enumerate(state.piles) if size > take * (i == pile)]
        return Piles(piles, 1 - state.turn, take, Colour.BLUE if state.colour is Colour.RED else Colour.RED)

    def is_terminal(self, state):
        return not state.piles

    def utility(self, state, player):
        return -1 if player == state.turn else 1


@pytest.mark.nightly
def test_states_with_lists_objects_and_none():
    game = ListNim()
    table = Tablebase.make(game)
    assert verify(table).fault == ""
    assert table.probe(game.initial_state()).value == -1  # 3 ^ 2 ^ 1 == 0
    after = game.result(game.initial_state(), 1)
    plain = ListNim()
    plain.compiled = False
    assert table.probe(after) == (1, AlphaBeta(plain).search(after).distance)
    assert table.probe(Piles([9, 9], 0, None, Colour.RED)) is None
    assert len({len(entry.state.piles) for entry in table.entries()}) == 4


class Bags(Game):
    """Three plies; each one puts a number into a set, and changes a dict. The order of both is not that of play."""

    def initial_state(self):
        return (0, {17}, {9: (1, 1)})

    def to_move(self, state):
        return state[0] % 2

    def actions(self, state):
        return [0, 1, 2]

    def result(self, state, action):
        bag, names = set(state[1]), dict(state[2])
        bag.add(8 * action + 1)
        names[action] = (8 * action + 1, -action)
        return (state[0] + 1, bag, names)

    def is_terminal(self, state):
        return state[0] == 3

    def utility(self, state, player):
        return (len(state[1]) - 3) * (1 if player == 0 else -1)


@pytest.mark.nightly
def test_equal_sets_and_dicts_have_one_code():
    game = Bags()
    table = Tablebase.make(game)
    waiting, seen = [game.initial_state()], []
    while waiting:
        state = waiting.pop()
        seen += [] if state in seen else [state]
        waiting += [] if game.is_terminal(state) else [game.result(state, action) for action in game.actions(state)]
    assert len(table) == len(seen) < 1 + 3 + 9 + 27
    assert all(state in table for state in seen)
    turned = (0, {17}, dict(reversed(seen[-1][2].items())))
    assert table.code_of(turned) == table.code_of((0, {17}, seen[-1][2]))
    assert verify(table).fault == ""


class Wide(Game):
    """States of more numbers than a table holds."""

    def initial_state(self):
        return (0, [0] * 600)

    to_move, actions, result = Ends.to_move, Ends.actions, Ends.result
    is_terminal, utility = Ends.is_terminal, Ends.utility


def test_a_state_of_too_many_numbers():
    with pytest.raises(OutplayError, match="consists of more than 512 numbers"):
        Tablebase.make(Wide())


@pytest.mark.nightly
def test_more_states_to_start_from_than_there_is_room_for_at_first():
    found = explored(Ends(), [Numbers(i, False, (0, 0.0), 0) for i in range(9000)])
    assert found.graph.states == 9000


# -- what cannot be done ----------------------------------------------------------------------------------------------


def test_a_state_that_was_not_reached_is_unknown():
    game = ConnectFour(width=4, height=3)
    table = Tablebase.make(game, [game.result(game.initial_state(), 0)])
    assert table.probe(game.initial_state()) is None
    assert game.initial_state() not in table
    with pytest.raises(TableError, match="not in the table"):
        table.analyse(game.initial_state())
    with pytest.raises(RulesError, match="not a state"):
        table.probe("a text")


def test_a_table_of_another_game_or_of_other_rules_never_answers():
    game = ConnectFour(width=4, height=3)
    table = Tablebase.make(game)
    with pytest.raises(TableError, match="not of ConnectFour\\(\\)"):
        table.look_up(ConnectFour(), game.initial_state())


@pytest.mark.nightly
def test_rules_edited_after_the_table_was_made(tmp_path):
    class Edited(Circles):
        pass

    game = Edited()
    table = Tablebase.make(game, [Node(seed, 0) for seed in range(9)], check=False)
    state = next(entry.state for entry in table.entries() if entry.player >= 0)
    Edited.to_move = Alone.to_move
    for ask in (table.probe, table.analyse, lambda state: table.look_up(game, state), lambda _: list(table.entries())):
        with pytest.raises(TableError, match="have changed since"):
            ask(state)
    with pytest.raises(TableError, match="have changed since"):
        table.save(tmp_path / "edited.table")
    assert not (tmp_path / "edited.table").exists()


class Mirrored(Noughts):
    """Tic-tac-toe with mirror images."""

    def symmetries(self, board):
        a, b, c, d, e, f, g, h, i = board
        return (board, (c, b, a, f, e, d, i, h, g))


class Exchanged(Noughts):
    """The same with the marks exchanged: the other player is to move."""

    def symmetries(self, board):
        return (board, tuple([(3 - mark) % 3 for mark in board]))


class Torn(Noughts):
    """The same with two squares exchanged, which changes what is a row."""

    def symmetries(self, board):
        a, b, c, d, e, f, g, h, i = board
        return (board, (b, a, c, d, e, f, g, h, i))


class Odd(Noughts):
    """The same with symmetries that do not compile."""

    def symmetries(self, board):
        return eval("(board,)")


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("cls", [Exchanged, Torn])
def test_wrong_symmetries_are_found(cls):
    """By `make`, by each look-up, and by the check."""
    with pytest.raises(TableError, match="symmetries is wrong"):
        Tablebase.make(cls())
    table = Tablebase.make(cls(), check=False)
    trust(table.game)
    assert verify(table).fault


@pytest.mark.nightly
@pytest.mark.parametrize("save_every", [60, -1])  # in memory, in files
def test_wrong_symmetries_leave_an_old_file(save_every, monkeypatch, tmp_path):
    begin, path = Making.__init__, tmp_path / "torn.table"
    monkeypatch.setattr(Making, "__init__", lambda *args, **more: begin(*args, **more | {"save_every": save_every}))
    path.write_bytes(b"an old file")
    with pytest.raises(TableError, match="symmetries is wrong"):
        Tablebase.make(Torn(), file=path)
    assert path.read_bytes() == b"an old file"


def test_symmetries_that_do_not_compile():
    with pytest.warns(RunsInterpretedWarning), pytest.raises(RulesError, match="its rules run interpreted"):
        Tablebase.make(Odd())


@pytest.mark.nightly
def test_right_symmetries_are_not_refused():
    table = Tablebase.make(Mirrored())
    assert verify(table) == (len(table), "", None, False)
    assert len(table) < 3_000


class Forbidden(Circles):
    repetition = "forbidden"


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (Pig(players=3), "it has chance, and the interests of its players are not opposed"),
        (KuhnPoker(), "see only a part of the state"),
        (Forbidden(), "repetition = 'forbidden'"),
    ],
)
def test_games_without_a_table(game, reason):
    with pytest.raises(UnsuitableGame, match=f"there is no table of .*{reason}"):
        Tablebase.make(game)


def test_rules_that_run_interpreted_have_no_table():
    class Interpreted(Circles):
        compiled = False

    with pytest.raises(RulesError, match="its rules run interpreted"):
        Tablebase.make(Interpreted())


class Words(Game):
    """Actions are texts; in one state of many, a long one, which random games do not meet."""

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return state[0] % 2

    def actions(self, state):
        return ["a", "b" if state != (8, 132) else "b" * 40]

    def result(self, state, action):
        return (state[0] + 1, 2 * state[1] + (1 if action[0] == "b" else 0))

    def is_terminal(self, state):
        return state[0] == 9

    def utility(self, state, player):
        return 0


@pytest.mark.nightly
def test_an_action_that_has_no_number():
    with pytest.raises(RulesError, match="a text of more than 8 characters"):
        Tablebase.make(Words())


def test_memory_that_does_not_suffice():
    with pytest.raises(OutplayError, match=r"fit into 1 megabytes: [\d,]+ so far, of which [\d,]+ are expanded"):
        Tablebase.make(ConnectFour(width=4, height=4), memory_mb=1)
    with pytest.raises(ValueError, match="memory_mb=-1: choose"):  # before anything is compiled
        Tablebase.make(TicTacToe(), memory_mb=-1)


def test_ctrl_c_ends_it_without_a_table(monkeypatch):
    run, is_shown = Making.run, threading.Event()

    def run_late(making):  # a small table is made before progress is shown
        is_shown.wait(60)
        return run(making)

    def interrupt(what, done, found):
        is_shown.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(Making, "run", run_late)
    assert Tablebase.make(ConnectFour(width=4, height=4), progress=interrupt) is None


# -- files ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A game, its table, and the file of that."""
    game = ConnectFour(width=4, height=4)
    table = Tablebase.make(game)
    path = tmp_path_factory.mktemp("tables") / "four.table"
    table.save(path)
    return game, table, path


def test_a_file_holds_the_same_table(small, tmp_path):
    game, table, path = small
    loaded = Tablebase.load(path, game)
    assert len(loaded) == len(table)
    assert loaded.stats() == table.stats()
    for one, other in zip(loaded.states(), table.states(), strict=True):
        assert (one == other).all()
    for entry in itertools.islice(loaded.entries(), 0, 10_000, 500):
        assert loaded.probe(entry.state) == table.probe(entry.state)
    assert path.stat().st_size < 1.1 * len(table)
    loaded.save(tmp_path / "again.table")
    assert (tmp_path / "again.table").read_bytes() == path.read_bytes()


def test_a_file_is_read_as_well_where_there_is_no_pread(small, monkeypatch):
    """As on Windows."""
    game, table, path = small
    monkeypatch.delattr(os, "pread", raising=False)
    loaded = Tablebase.load(path, game)
    for entry in itertools.islice(table.entries(), 0, None, 5000):
        assert loaded.probe(entry.state) == table.probe(entry.state)


@pytest.mark.nightly
def test_codes_of_several_words_in_a_file(tmp_path):
    game = TicTacToe()
    table = Tablebase.make(game)
    assert table.codec.words > 1
    table.save(tmp_path / "t.table")
    loaded = Tablebase.load(tmp_path / "t.table", game)
    assert all(loaded.probe(entry.state) == table.probe(entry.state) for entry in table.entries())


def test_a_damaged_file_is_refused(small, tmp_path):
    """One byte anywhere is another: an error at once, or when its block is read; never another answer."""
    game, _, path = small
    content, dice, damaged = path.read_bytes(), random.Random(0), tmp_path / "damaged.table"
    for place in [*range(0, 40), *(dice.randrange(len(content)) for _ in range(60))]:
        changed = bytearray(content)
        changed[place] ^= 1 << dice.randrange(8)
        damaged.write_bytes(changed)
        with pytest.raises(TableError, match=r"damaged|is not a table|cut off|bytes|another version"):
            Tablebase.load(damaged, game).states()
    for length in (0, 5, 20, 60, len(content) // 2, len(content) - 1):
        damaged.write_bytes(content[:length])
        with pytest.raises(TableError, match=r"is not a table|cut off|bytes"):
            Tablebase.load(damaged, game)


def test_files_that_are_no_tables(small, tmp_path):
    game, _, path = small
    with pytest.raises(TableError, match="cannot be read"):
        Tablebase.load(tmp_path / "missing", game)
    with pytest.raises(TableError, match="table of another game"):
        Tablebase.load(path, ConnectFour())

    class ConnectThree(ConnectFour):
        def __repr__(self):
            return repr(game)

        def utility(self, position, player):
            return 2 * super().utility(position, player)

    with pytest.raises(TableError, match="have changed since"):
        Tablebase.load(path, ConnectThree(width=4, height=4))


def test_a_file_whose_header_lies(small, tmp_path):
    """The checksums are right, but not the content."""
    game, _, path = small
    content, wrong = path.read_bytes(), tmp_path / "wrong.table"
    length = int.from_bytes(content[16:20], "little")
    header = json.loads(content[24 : 24 + length])
    lies = [
        {"states": -1}, {"states": 1}, {"states": 10**15}, {"states": "many"}, {"words": 3}, {"words": -1},
        {"level_bytes": 2}, {"plies_bytes": 8}, {"plies_bytes": 2}, {"utilities": [0.0]}, {"utilities": [1, 0, -1]},
        {"cells": [[0, 1]]}, {"cells": [[0, 2**70], [0, 1]]}, {"cells": 5}, {"count": [3, 1]}, {"count": []},
        {"draw": 1.0}, {"game": 7}, *({name: None} for name in header),
    ]  # fmt: skip
    texts = [json.dumps(header | lie).encode() for lie in lies]
    missing = [json.dumps({name: header[name] for name in header if name != left_out}).encode() for left_out in header]
    for text in [*texts, *missing, b"[]", b"not JSON", b"[" * 100_000]:
        start = len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little")
        wrong.write_bytes(content[:16] + start + text + content[24 + length :])
        with pytest.raises(TableError):
            Tablebase.load(wrong, game).states()


@pytest.mark.nightly
def test_a_file_that_changes_while_it_is_open(small, tmp_path):
    game, table, path = small
    copy, states = tmp_path / "copy.table", [entry.state for entry in itertools.islice(table.entries(), 0, None, 9000)]
    copy.write_bytes(path.read_bytes())
    loaded, cut = Tablebase.load(copy, game), Tablebase.load(copy, game)
    (tmp_path / "other").write_bytes(b"something else")
    (tmp_path / "other").replace(copy)
    assert [loaded.probe(state) for state in states] == [table.probe(state) for state in states]
    again = pickle.loads(pickle.dumps(Tablebase.load(path, game)))
    assert again.probe(states[0]) == table.probe(states[0])
    copy.write_bytes(path.read_bytes())
    cut = Tablebase.load(copy, game)
    os.truncate(copy, 3000)
    with pytest.raises(TableError, match="is damaged in its block"):
        [cut.probe(state) for state in states]


class Ordered(Game):
    """A game whose states are objects with two numbers that count down."""

    def initial_state(self):
        return Pair(2, 3)

    def to_move(self, state):
        return (state.one + state.two + 1) % 2

    def actions(self, state):
        return [action for action in (0, 1) if (state.one, state.two)[action] > 0]

    def result(self, state, action):
        return Pair(state.one - (action == 0), state.two - (action == 1))

    def is_terminal(self, state):
        return state.one == 0

    def utility(self, state, player):
        return (state.two - 1) * (1 if player == 0 else -1)


class Pair:
    def __init__(self, one, two):
        self.one, self.two = one, two


@pytest.mark.nightly
def test_attributes_in_another_order_are_another_form(tmp_path, monkeypatch):
    """The codes of states depend on it, although the rules are the same."""
    Tablebase.make(Ordered()).save(tmp_path / "pairs.table")
    assert len(Tablebase.load(tmp_path / "pairs.table", Ordered())) > 5

    def init(self, one, two):
        self.two, self.one = two, one

    monkeypatch.setattr(Pair, "__init__", init)
    with pytest.raises(TableError, match="have changed since"):
        Tablebase.load(tmp_path / "pairs.table", Ordered())


# -- the check --------------------------------------------------------------------------------------------------------


def test_the_check_finds_every_kind_of_fault(small):
    game, table, _ = small
    states, dice = table.states(), random.Random(2)
    count = len(states.codes)

    def checked(codes, levels, plies):
        return verify(Tablebase(game, table.codec, table.utilities, type(states)(codes, levels, plies)))

    for _ in range(15):
        place = dice.randrange(count)
        levels = states.levels.copy()
        levels[place] = (levels[place] + 1 + dice.randrange(2)) % 3
        assert checked(states.codes, levels, states.plies).fault
        plies = states.plies.copy()
        plies[place] += 1
        assert checked(states.codes, states.levels, plies).fault
    without = [np.delete(state, count // 2, axis=0) for state in states]
    assert checked(*without).fault == "a successor is not in the table"
    swapped = states.codes.copy()
    swapped[[5, 6]] = swapped[[6, 5]]
    assert checked(swapped, states.levels, states.plies).fault == "state 7 is not above the one before it"


# -- the command line -------------------------------------------------------------------------------------------------


def run(*args):
    return CliRunner().invoke(app, ["table", *map(str, args)])


NAME = "connect-four(width=4, height=4)"


def test_commands(small, tmp_path):
    _, table, path = small
    made = json.loads(run("make", NAME, tmp_path / "new.table", "--json").stdout)
    assert made["states"] == len(table)
    assert (tmp_path / "new.table").read_bytes() == path.read_bytes()
    assert "80,541 states" in run("info", path).stdout
    assert [row["states"] for row in json.loads(run("info", path, "--json").stdout)["values"]] == [17209, 45079, 18253]
    assert "loss in 14" in run("probe", NAME, path, "--moves", "12").stdout
    assert "all 80,541 states are right" in run("verify", NAME, path).stdout
    small_table = tmp_path / "small.table"
    assert run("make", "connect-four(width=4, height=3)", small_table).exit_code == 0
    assert run("export", "connect-four(width=4, height=3)", small_table, tmp_path / "small.csv").exit_code == 0
    lines = (tmp_path / "small.csv").read_text().splitlines()
    assert lines[0] == "state,to move,value for player 0,plies"
    assert len(lines) == 6028


def test_a_table_is_a_book_of_other_commands(small):
    _, _, path = small
    found = CliRunner().invoke(app, ["solve", NAME, "--table", str(path), "--moves", "12", "--json"])
    assert json.loads(found.stdout)["nodes"] == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["make", "pig(players=3)", "x.table"], "it has chance, and the interests of its players are not opposed"),
        (["make", NAME, "no/folder/x.table"], "there is no folder"),
        (["make", NAME, "."], "it is a folder"),
        (["make", NAME, "x.table", "--memory-mb", "0"], "--memory-mb 0: give a number from 1 up"),
        (["probe", NAME, "missing.table"], "cannot be read"),
        (["info", __file__], "is not a table"),
        (["info", "."], "is not a regular file"),
        (["export", NAME, "four.table", "no/folder/x.csv"], "cannot be written"),
    ],
)
def test_bad_input(small, args, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "four.table").write_bytes(small[2].read_bytes())
    found = run(*args)
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


def test_on_a_full_disk_the_answers_of_the_commands_are_printed(small, tmp_path, monkeypatch):
    """Of a table that is complete in memory, and of a verdict."""
    _, table, path = small

    def full(*_):
        raise OSError(28, "No space left on device")

    edited = tmp_path / "edited.table"
    edited.write_bytes(path.read_bytes())
    monkeypatch.setattr("os.fsync", full)
    monkeypatch.setattr("outplay.tables.identity.Identity.is_edited", lambda *_: True)
    size = f"{len(table):,} states"
    for arguments, wanted in (
        (["make", NAME, tmp_path / "new.table"], size),
        (["make", NAME, tmp_path / "new.table", "--json"], '"bytes": null'),
        (["verify", NAME, edited], f"all {size} are right"),
    ):
        found = run(*arguments)
        assert (found.exit_code, wanted in found.stdout) == (2, True), arguments
        assert ".table cannot be written: No space left on device" in found.stderr
    assert "it is a table of these rules now" not in found.stdout
    assert list(tmp_path.iterdir()) == [edited]


def test_an_export_that_is_interrupted_leaves_the_old_file(small, tmp_path, monkeypatch):
    _, _, path = small
    target, entries = tmp_path / "four.csv", Tablebase.entries

    def interrupted(table):
        yield from itertools.islice(entries(table), 100)
        raise KeyboardInterrupt

    target.write_text("old")
    monkeypatch.setattr(Tablebase, "entries", interrupted)
    assert run("export", NAME, path, target).exit_code == 130
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_ctrl_c_while_states_are_valued(monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr("outplay.tables.retrograde.Retrograde.step", interrupted)
    assert Tablebase.make(TicTacToe()) is None


def test_an_export_does_not_replace_a_table(small):
    _, _, path = small
    content = path.read_bytes()
    found = CliRunner().invoke(app, ["table", "export", "connect-four(width=4, height=3)", str(path), str(path)])
    assert (found.exit_code, "is a table: name another file" in found.output) == (2, True)
    assert path.read_bytes() == content


def test_a_wrong_table_has_exit_code_1(small, tmp_path):
    game, table, _ = small
    states = table.states()
    levels = states.levels.copy()
    levels[1000] ^= 1
    wrong = Tablebase(game, table.codec, table.utilities, states._replace(levels=levels))
    wrong.save(tmp_path / "wrong.table")
    found = run("verify", NAME, tmp_path / "wrong.table")
    assert found.exit_code == 1
    assert "is wrong after" in found.stdout


# -- the graph of games with chance, or many players ------------------------------------------------------------------


def test_the_graph_of_a_game_with_chance_and_many_players():
    """Movers, probabilities in the order of the rules, and the utility of each player."""
    game, root = Crowd(), Seeded(7, 0, 0)
    graph = whole_graph(explored(game, [root]))
    codec, edge, seen = graph.codec.record(), 0, set()
    states = [state_at(game, codec, graph.codes.reshape(-1), i) for i in range(len(graph.codes))]
    for state, kind, degree, payoffs in zip(states, graph.kinds, graph.degrees, graph.payoffs, strict=True):
        seen.add(int(kind))
        if game.is_terminal(state):
            assert (kind, degree) == (0, 0)
            assert payoffs.tolist() == [game.utility(state, player) for player in range(3)]
            continue
        assert kind == (DICE if game.to_move(state) == CHANCE else 1 + game.to_move(state))
        actions, edges = list(game.actions(state)), slice(edge, edge + degree)
        assert [states[target] for target in graph.targets[edges]] == [game.result(state, a) for a in actions]
        if kind == DICE:
            assert graph.chances[edges].tolist() == [game.probability(state, action) for action in actions]
        edge += degree
    assert edge == len(graph.targets) == len(graph.chances)
    assert seen == {0, 1, 2, 3, DICE}


def test_probabilities_that_are_not_a_distribution():
    class Unsure(Crowd):
        def probability(self, state, action):
            return 0.6

    with pytest.raises(OutplayError, match="chance is to move are not at least 0 with a sum of 1"):
        explored(Unsure(), [Seeded(7, 0, 0)])


EDITED = """
from outplay import Game

STEP = {step}


def worth(place):{comment}
    return STEP if place == 997 else 0


class Walk(Game):
    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return (1, 2)

    def result(self, state, action):
        return ((31 * state[0] + 7 * action) % 1009, 1 - state[1])

    def is_terminal(self, state):
        return state[0] % 11 == 5 or state[0] == 997

    def utility(self, state, player):
        return 0 if player == 2 else (1 - 2 * player) * (state[0] % 3 - 1 + worth(state[0]))

    def evaluate(self, state, player):
        return {guess}
"""


@pytest.mark.sample(1)
@pytest.mark.parametrize("classes", [(), ("0",)])
def test_rules_edited_where_random_games_hardly_come(tmp_path, classes):
    """The constant that a helper reads is 5 or 6 in one state among a thousand."""
    path, source = tmp_path / "a.table", tmp_path / "walk.py"
    text = EDITED + BY_INDEX if classes else EDITED

    def game(step=5, guess=0, comment=""):
        source.write_text(text.format(step=step, guess=guess, comment=comment))
        return load_game(f"{source}:Walk")

    Tablebase.make(game(), classes=classes, file=path, threads=1)
    assert Tablebase.load(path, game(guess=0.5, comment="  # how much"))  # of no matter
    with pytest.raises(TableError, match=r"were edited since .* verify"):
        Tablebase.load(path, game(step=6))
    table = Tablebase.load(path, game(step=6), edited=True)
    assert table.edited
    assert "is not the utility" in verify(table).fault
    game("2 + 3 * (2 - 1)")  # the constant is folded, not the same code
    source.write_text(source.read_text().replace("STEP if", "STEP + 0 if"))
    arguments = ["table", "verify", f"{source}:Walk", str(path)]
    with pytest.raises(TableError, match="were edited"):
        Tablebase.load(path, load_game(arguments[2]))
    assert "it is a table of these rules now" in CliRunner().invoke(app, arguments).output
    assert not Tablebase.load(path, load_game(arguments[2])).edited
    assert "now" not in CliRunner().invoke(app, arguments).output


BY_INDEX = """
    def state_class(self, state):
        return 0

    def index_count(self, number):
        return 2 * 1009

    def state_index(self, state):
        return 2 * state[0] + state[1]

    def indexed_state(self, number, index):
        return (index // 2, index % 2)
"""
