"""States that are ordinary objects, copied with deepcopy, as in easyAI: every search answers as for plain states."""

import copy
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.exact import exact

from outplay import (
    ISMCTS,
    MCTS,
    PIMC,
    AlphaBeta,
    BestReply,
    Expectiminimax,
    Game,
    Limit,
    MaxN,
    Minimax,
    MTDf,
    Paranoid,
    ProofNumber,
    ValueIteration,
    searched_strategy,
)
from outplay.compile.native.copies import has_twins
from outplay.compile.references import classes_named_by
from outplay.equilibrium import CFR, unroll
from outplay.games import ConnectFour
from outplay.search.count import count_tree
from outplay.search.perft import perft


class Objects(Game):
    """Rules over states that are changed in place, behind a copy."""

    compiled = False
    utilities = (-1, 1)

    def to_move(self, state):
        return state.turn

    def result(self, state, action):
        child = copy.deepcopy(state)
        self.play(child, action)
        child.turn = 1 - child.turn
        return child


class Bag:
    def __init__(self, sticks):
        self.sticks = ["stick"] * sticks


class Table:
    def __init__(self, sticks):
        self.bag, self.turn = Bag(sticks), 0


class SlottedTable:
    __slots__ = ("bag", "turn")

    def __init__(self, sticks):
        self.bag, self.turn = Bag(sticks), 0


class HashedByAddress(Table):
    def __eq__(self, other):
        return vars(self.bag) == vars(other.bag) and self.turn == other.turn

    __hash__ = object.__hash__


class Sticks(Objects):
    """Take 1 to 3 sticks; who takes the last one loses, as in easyAI's Game of Bones."""

    def __init__(self, sticks=20, table=Table):
        self.sticks, self.table = sticks, table

    def initial_state(self):
        return self.table(self.sticks)

    def actions(self, state):
        return [number for number in (1, 2, 3) if number <= len(state.bag.sticks)]

    def play(self, state, number):
        del state.bag.sticks[:number]

    def is_terminal(self, state):
        return not state.bag.sticks

    def utility(self, state, player):
        return 1 if state.turn == player else -1


def pile_value(sticks):
    """Whoever has 1 more than a multiple of 4 loses."""
    return -1 if sticks % 4 == 1 else 1


@pytest.mark.sample(10)
@pytest.mark.parametrize("table", [Table, SlottedTable, HashedByAddress])
@pytest.mark.parametrize(
    "searcher",
    [AlphaBeta, MTDf, ProofNumber, Expectiminimax, MaxN, Paranoid, BestReply, ValueIteration],
)
@pytest.mark.parametrize("sticks", [20, 21])
def test_nim_over_objects_has_its_value_in_every_search(searcher, sticks, table):
    game = Sticks(sticks, table)
    for _ in range(2):
        analysis = searcher(game).search()
        assert analysis.value == pile_value(sticks)
        assert analysis.exact
    if sticks == 20:
        assert analysis.action == 3


def test_nim_over_objects_by_simulations_and_without_a_table():
    assert Minimax(Sticks(9)).search().value == -1
    assert MCTS(Sticks(13)).search().value == -1
    assert MCTS(Sticks(13), transpositions=True).search().value == -1
    assert MCTS(Sticks(12), transpositions=True).search(limit=Limit(simulations=3000)).action == 3
    assert ISMCTS(Sticks(8)).search(limit=Limit(simulations=2000)).action == 3
    assert PIMC(Sticks(8), worlds=2).search().action == 3


def test_positions_of_objects_are_counted_by_their_content():
    tree = count_tree(Sticks(12))
    plain = {(12, 0)}
    for _ in range(12):
        plain |= {(left - n, 1 - turn) for left, turn in plain for n in (1, 2, 3) if n <= left}
    assert tree.complete
    assert tree.positions == len(plain)
    assert perft(Sticks(4), 2).lines == 6


class Circling(Sticks):
    """A stick may be put back once in a while, so that play can go in circles."""

    repetition = "draw"
    utilities = (-1, 1)

    def actions(self, state):
        return [number for number in (1, 2, 3) if number <= len(state.bag.sticks)] + [0]


def test_repetition_is_noticed_among_objects():
    class Plain(Game):
        compiled = False
        utilities = (-1, 1)
        repetition = "draw"

        def initial_state(self):
            return (6, 0)

        def to_move(self, state):
            return state[1]

        def actions(self, state):
            return [number for number in (1, 2, 3) if number <= state[0]] + [0]

        def result(self, state, number):
            return (state[0] - number, 1 - state[1])

        def is_terminal(self, state):
            return state[0] == 0

        def utility(self, state, player):
            return 1 if state[1] == player else -1

    plain, objects = AlphaBeta(Plain()).search(), AlphaBeta(Circling(6)).search()
    assert (plain.value, plain.action, plain.exact) == (objects.value, objects.action, objects.exact)


class Guess:
    def __init__(self, mine, known):
        self.mine, self.known = mine, known


class Pennies(Objects):
    """Matching pennies, told to the players as objects."""

    hidden_information = True

    def initial_state(self):
        return Guess(None, [])

    def to_move(self, state):
        return len(state.known)

    def actions(self, state):
        return [0, 1]

    def result(self, state, action):
        return Guess(state.mine if state.known else action, [*state.known, action])

    def is_terminal(self, state):
        return len(state.known) == 2

    def utility(self, state, player):
        return (1 if state.known[0] == state.known[1] else -1) * (1 - 2 * player)

    def information(self, state, player):
        return Guess(player, [state.known[player]] if len(state.known) > player else [])


def test_information_that_is_an_object_makes_one_information_set():
    assert unroll(Pennies()).information.max() == 1
    assert abs(CFR(Pennies()).solve(iterations=50).values[0]) < 1e-6
    assert len(searched_strategy(ISMCTS(Pennies()), Limit(simulations=20))) == 2


# -- easyAI's Knights -------------------------------------------------------------------------------------------------

LEAPS = [(1, 2), (-1, 2), (1, -2), (-1, -2), (2, 1), (-2, 1), (2, -1), (-2, -1)]


class Player:
    def __init__(self, name, square):
        self.name, self.square = name, square


class Field:
    def __init__(self, rows, columns):
        self.size = [rows, columns]
        self.blocked = [[False] * columns for _ in range(rows)]
        self.players = [Player("A", (0, 0)), Player("B", (rows - 1, columns - 1))]
        self.turn = 0
        for player in self.players:
            row, column = player.square
            self.blocked[row][column] = True


class Knights(Objects):
    """Two knights leave no square free behind them; who cannot move loses."""

    def __init__(self, rows=5, columns=8):
        self.rows, self.columns = rows, columns

    def initial_state(self):
        return Field(self.rows, self.columns)

    def actions(self, state):
        row, column = state.players[state.turn].square
        targets = [(row + down, column + right) for down, right in LEAPS]
        return [
            down * self.columns + right
            for down, right in targets
            if 0 <= down < self.rows and 0 <= right < self.columns and not state.blocked[down][right]
        ]

    def play(self, state, action):
        row, column = divmod(action, self.columns)
        state.players[state.turn].square = (row, column)
        state.blocked[row][column] = True

    def is_terminal(self, state):
        return not self.actions(state)

    def utility(self, state, player):
        return -1 if state.turn == player else 1


class Flat(NamedTuple):
    blocked: tuple[bool, ...]
    squares: tuple[int, int]
    turn: int


class FlatKnights(Game):
    """The same rules over plain tuples."""

    compiled = False
    utilities = (-1, 1)

    def __init__(self, rows=5, columns=8):
        self.rows, self.columns = rows, columns

    def initial_state(self):
        last = self.rows * self.columns - 1
        return Flat(tuple(square in (0, last) for square in range(last + 1)), (0, last), 0)

    def to_move(self, state):
        return state.turn

    def actions(self, state):
        row, column = divmod(state.squares[state.turn], self.columns)
        targets = [(row + down, column + right) for down, right in LEAPS]
        return [
            down * self.columns + right
            for down, right in targets
            if 0 <= down < self.rows and 0 <= right < self.columns and not state.blocked[down * self.columns + right]
        ]

    def result(self, state, action):
        blocked, squares = list(state.blocked), list(state.squares)
        blocked[action], squares[state.turn] = True, action
        return Flat(tuple(blocked), tuple(squares), 1 - state.turn)

    def is_terminal(self, state):
        return not self.actions(state)

    def utility(self, state, player):
        return -1 if state.turn == player else 1


def test_knights_have_one_answer_in_four_runs():
    """The whole board of 5 x 8, as far as some plies; the twin searches plain tuples."""
    limit = Limit(depth=5)
    found = [AlphaBeta(Knights()).search(limit=limit) for _ in range(4)]
    twin = AlphaBeta(FlatKnights()).search(limit=limit)
    answers = {(each.action, each.value, each.nodes, each.line) for each in [*found, twin]}
    assert len(answers) == 1


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (3, 4), (4, 3)])
def test_small_boards_of_knights_are_solved_as_by_brute_force(rows, columns):
    value = exact(FlatKnights(rows, columns), FlatKnights(rows, columns).initial_state())[0]
    game = Knights(rows, columns)
    for searcher in (AlphaBeta, MTDf, ProofNumber, Expectiminimax, ValueIteration):
        found = {(analysis.value, analysis.exact) for analysis in (searcher(game).search() for _ in range(2))}
        assert found == {(value, True)}


def test_knights_on_four_by_five_have_one_exact_answer_in_four_runs():
    answers = {(each.action, each.value, each.exact) for each in (AlphaBeta(Knights(4, 5)).search() for _ in range(4))}
    twin = AlphaBeta(FlatKnights(4, 5)).search()
    assert answers == {(twin.action, twin.value, True)}


# -- copies of what is in two places ----------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 400), max_size=60))
def test_twins_are_found_among_few_numbers_and_many(numbers):
    assert has_twins(list(numbers)) == (len(set(numbers)) < len(numbers))


class Hands:
    """Two lists, which `share` makes one."""

    def __init__(self, rows):
        self.left, self.right, self.rows, self.turn = [1], [2], [[3]] * rows, 0


class Sharing(Objects):
    """A game whose rules put one list in two places, where a deep copy would keep that and ours could not."""

    compiled = True

    def __init__(self, share=True, rows=0):
        self.share, self.rows = share, rows

    def initial_state(self):
        return Hands(self.rows)

    def actions(self, state):
        return [1, 2]

    def play(self, state, action):
        if self.share and state.left == [1, 2, 2, 2, 2, 2, 2, 2]:  # rarely, else random games show it first
            state.right = state.left
        state.left.append(action)

    def is_terminal(self, state):
        return len(state.left) >= 11

    def utility(self, state, player):
        return 1 if sum(state.left + state.right) % 2 == player else -1


@pytest.mark.nightly
@pytest.mark.parametrize("rows", [0, 1], ids=["fixed places", "also in a list"])
def test_a_deep_copy_of_one_list_in_two_places_is_an_error(rows):
    assert perft(Sharing(share=False, rows=rows), 10).lines == 1024
    with pytest.raises(ValueError, match="the same container in two places"):
        perft(Sharing(rows=rows), 10)


def test_pictures_are_no_objects_of_the_rules():
    """Otherwise a start from disk would play random games of each game with a `picture`, for a tenth of a second."""
    game = ConnectFour()
    assert game.picture(game.initial_state()).pieces == {}
    assert {cls.__name__ for cls in classes_named_by(game)} == {"Position"}


class Size:
    """A number in an object, so that random play is to show what objects there are."""

    def __init__(self, number):
        self.number = number


class Growing(Game):
    """The number is squared each time: random play of some hundred plies would take for ever."""

    def initial_state(self):
        return 3, 0

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return 1, 2

    def result(self, state, action):
        size = Size(state[0])
        return size.number * size.number + action, 1 - state[1]

    def is_terminal(self, state):
        return False

    def utility(self, state, player):
        return 0.0


@pytest.mark.compiled
@pytest.mark.filterwarnings("ignore::outplay.compile.native.RunsInterpretedWarning")
def test_random_play_of_ints_that_grow_without_end_ends(monkeypatch):
    monkeypatch.setattr("outplay.compile.census.SECONDS", 0.01)
    assert AlphaBeta(Growing()).search(limit=Limit(depth=2)).action == 1
