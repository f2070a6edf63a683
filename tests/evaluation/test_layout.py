"""Layouts: what is found in the states of games, and the laws of locations, images and stages."""

import functools
import random
from itertools import pairwise

import numpy as np
import pytest

from outplay import Game, UnsuitableGame, legal_actions
from outplay.evaluation.columns import read_columns
from outplay.evaluation.layout import PLIES, SYMBOLS, WITHOUT_DECISIONS, layout_of, sample
from outplay.games import (
    Backgammon,
    Breakthrough,
    Chess,
    ConnectFour,
    Domineering,
    EinStein,
    EnglishDraughts,
    Go,
    Hex,
    Kalah,
    NineMensMorris,
    Othello,
    Oware,
    Pig,
    TicTacToe,
    TwentyFortyEight,
    Xiangqi,
)
from outplay.games.twenty_forty_eight import Board
from outplay.rules.game import CHANCE

POSITIONS = {Chess: 400, Xiangqi: 400, Breakthrough: 4000}
GAMES = {
    # locations on the board, others, the greatest number of symbols on the board, symmetries
    Breakthrough(6, 6): (36, 0, 3, 2),
    Breakthrough(): (64, 0, 3, 2),
    Othello(6): (36, 0, 3, 8),
    Othello(): (64, 0, 3, 8),
    ConnectFour(): (42, 0, 3, 2),
    Kalah(): (14, 0, SYMBOLS, 1),
    Oware(): (14, 1, SYMBOLS, 1),
    NineMensMorris(): (24, 2, 3, 16),
    EnglishDraughts(): (32, 1, 5, 1),
    Domineering(): (64, 0, 2, 4),
    Go(5): (25, 27, 3, 8),
    TicTacToe(): (9, 14, 3, 8),
    TwentyFortyEight(): (16, 10, 10, 8),
}
CELLS = {Hex(7): 49, Chess(): 64, Xiangqi(): 90}
"""Of these, several locations may be on a cell; a fresh state may have on one what was never seen there."""
SLOW = [pytest.param(game, marks=pytest.mark.nightly) for game in CELLS if not isinstance(game, Hex)]
each_game = pytest.mark.parametrize("game", [*GAMES, next(iter(CELLS)), *SLOW], ids=repr)


@functools.cache
def looked_at(game):
    """Random states of a game, and their layout."""
    seen = games_of_big_tiles() if isinstance(game, TwentyFortyEight) else None
    samples = sample(game, POSITIONS.get(type(game), 1500), 1, seconds=1e9, games=seen)
    return samples, layout_of(game, samples)


@functools.cache
def others(game):
    """Other states of random games."""
    seen = games_of_big_tiles(1) if isinstance(game, TwentyFortyEight) else None
    return sample(game, 300, 2, seconds=1e9, games=seen).states


def games_of_big_tiles(seed=0):
    """Boards of 2048 with tiles that random games do not reach."""
    dice = np.random.default_rng(seed)
    while True:
        boards = dice.integers(0, 10, (100, 16)).tolist()
        yield [Board(sum(rank << 4 * place for place, rank in enumerate(board)), 0, 0) for board in boards]


def symbols_of(layout, states):
    return layout.symbols(read_columns(layout.columns, states))


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_what_is_found_in_a_game(game):
    _, layout = looked_at(game)
    board = [place for place in layout.locations if place.cell is not None]
    assert len({place.cell for place in board}) == len(board)
    found = len(board), len(layout.locations) - len(board), max(place.symbols for place in board), len(layout.images)
    assert found == GAMES[game]


@pytest.mark.parametrize("game", [next(iter(CELLS)), *SLOW], ids=repr)
def test_every_cell_of_a_board_has_a_location(game):
    _, layout = looked_at(game)
    cells = [place.cell for place in layout.locations if place.cell is not None]
    assert len(set(cells)) == CELLS[game]


@pytest.mark.parametrize("seed", range(3))
def test_what_is_rare_is_so_on_all_sides_of_the_board(seed):
    """Random games of 2048 end with high tiles on few cells, and all symmetries are found nevertheless."""
    game = TwentyFortyEight()
    layout = layout_of(game, sample(game, 4000, seed, seconds=1e9))
    assert (sum(location.cell is not None for location in layout.locations), len(layout.images)) == (16, 8)


@each_game
def test_locations_on_the_board_come_first_in_the_order_of_the_picture(game):
    samples, layout = looked_at(game)
    cells = [place.cell for place in layout.locations]
    on_board = [cell for cell in cells if cell is not None]
    assert cells[: len(on_board)] == on_board
    order = list(game.picture(samples.states[0]).cells)
    assert [order.index(cell) for cell in on_board] == sorted(order.index(cell) for cell in on_board)


@each_game
def test_symbols_are_from_zero_to_the_number_of_a_location(game):
    """Every symbol but those between two sums of bits is seen; in other states too none is outside."""
    samples, layout = looked_at(game)
    symbols = symbols_of(layout, samples.states)
    assert symbols.min() == 0
    closed = [image for state in samples.states for image in game.symmetries(state)]
    assert symbols_of(layout, closed).max(0).tolist() == [size - 1 for size in layout.sizes]
    assert all(2 <= size <= SYMBOLS for size in layout.sizes)
    fresh = symbols_of(layout, others(game))
    assert fresh.min() >= 0
    assert (fresh < np.array(layout.sizes)).all()


@each_game
def test_an_image_of_a_state_has_its_symbols_permuted(game):
    """On the board; what has no image, such as the point of a ko, keeps its place."""
    samples, layout = looked_at(game)
    on_board = [place for place, location in enumerate(layout.locations) if location.cell is not None]
    assert layout.images[0] == tuple(range(len(layout.locations)))
    states = [*samples.states[::10], *(others(game) if game in GAMES else [])]
    here = symbols_of(layout, states)
    there = [symbols_of(layout, images) for images in zip(*map(game.symmetries, states), strict=True)]
    for image in layout.images:
        assert sorted(image) == list(range(len(layout.locations)))
        permuted = here[:, list(image)]
        assert any(np.array_equal(permuted[:, on_board], symbols[:, on_board]) for symbols in there)


@each_game
def test_what_is_drawn_on_a_cell_tells_the_symbol_of_its_location(game):
    samples, layout = looked_at(game)
    states = samples.states + (others(game) if game in GAMES else [])
    pictures, movers = [game.picture(state) for state in states], [game.to_move(state) for state in states]
    symbols = symbols_of(layout, states)
    for place, location in enumerate(layout.locations):
        if location.cell is None:
            continue
        told = {}
        for picture, mover, symbol in zip(pictures, movers, symbols[:, place].tolist(), strict=True):
            drawn = tuple(picture.pieces_on(location.cell)), mover
            assert told.setdefault(drawn, symbol) == symbol, (location.name, drawn)
        assert len(set(told.values())) > 1


def test_a_stage_is_how_far_a_game_has_got():
    samples, layout = looked_at(Othello(6))
    stages = layout.stage(read_columns(layout.columns, samples.states))
    assert set(stages.tolist()) == {0, 1, 2, 3}
    assert np.corrcoef(stages, samples.plies)[0, 1] > 0.9
    assert all(200 < count < 600 for count in np.bincount(stages))


def test_there_are_as_many_stages_as_are_asked_for():
    samples, _ = looked_at(Othello(6))
    assert len(layout_of(Othello(6), samples, stages=2).edges) == 1
    assert layout_of(Othello(6), samples, stages=1).edges == ()


def test_a_column_may_be_left_out():
    game = Oware()
    samples, layout = looked_at(game)
    [idle] = [column for column in layout.columns if str(column) == "idle"]
    assert [place.name for place in layout_of(game, samples, skipped=idle).locations] == [
        place.name for place in layout.locations if place.name != "idle"
    ]


# -- games of one's own ------------------------------------------------------------------------------------------------


class Fill(Game):
    """Players fill six cells in turn; who has more pairs of neighbours wins. The board is a list; nothing is drawn."""

    utilities = (-1, 1)

    def initial_state(self):
        return [0] * 6, 0

    def to_move(self, state):
        return state[1]

    def board(self, state):
        """The six cells: 0 for an empty one, or 1 more than the player."""
        return state[0]

    def actions(self, state):
        return [cell for cell, mark in enumerate(self.board(state)) if not mark]

    def result(self, state, action):
        return [1 + state[1] if cell == action else mark for cell, mark in enumerate(state[0])], 1 - state[1]

    def is_terminal(self, state):
        return all(self.board(state))

    def utility(self, state, player):
        board = self.board(state)
        pairs = [sum(left == right == mark for left, right in pairwise(board)) for mark in (1, 2)]
        sign = (pairs[0] > pairs[1]) - (pairs[0] < pairs[1])
        return sign if player == 0 else -sign

    def symmetries(self, state):
        return state, (state[0][::-1], state[1])


class FillDict(Fill):
    """The board is a dict of the cells that are not empty, with who has them."""

    def initial_state(self):
        return {}, 0

    def board(self, state):
        return [0 if state[0].get(cell) is None else 1 + "xo".index(state[0][cell]) for cell in range(6)]

    def result(self, state, action):
        return {**state[0], action: "xo"[state[1]]}, 1 - state[1]

    def symmetries(self, state):
        return state, ({5 - cell: mark for cell, mark in state[0].items()}, state[1])


class Sheet:
    """Two rows of three cells, and the player to move."""

    __slots__ = ("rows", "turn")

    def __init__(self, rows, turn):
        self.rows, self.turn = rows, turn


class FillObject(Fill):
    def initial_state(self):
        return Sheet([[0] * 3, [0] * 3], 0)

    def to_move(self, state):
        return state.turn

    def board(self, state):
        return state.rows[0] + state.rows[1][::-1]

    def result(self, state, action):
        board = [1 + state.turn if cell == action else mark for cell, mark in enumerate(self.board(state))]
        return Sheet([board[:3], board[:2:-1]], 1 - state.turn)

    def symmetries(self, state):
        return state, Sheet(state.rows[::-1], state.turn)


OWN = {
    Fill(): ([f"[0][{cell}]" for cell in range(6)], [5, 4, 3, 2, 1, 0]),
    FillDict(): ([f"[0][{cell}]" for cell in range(6)], [5, 4, 3, 2, 1, 0]),
    FillObject(): ([f"rows[{row}][{column}]" for row in range(2) for column in range(3)], [3, 4, 5, 0, 1, 2]),
}


@pytest.mark.parametrize("game", OWN, ids=lambda game: type(game).__name__)
def test_the_layout_of_a_game_of_ones_own(game):
    names, image = OWN[game]
    samples = sample(game, 400, seconds=1e9)
    layout = layout_of(game, samples)
    assert [place.name for place in layout.locations] == names
    assert layout.sizes == [3] * 6
    assert layout.images == (tuple(range(6)), tuple(image))
    assert len(layout.edges) == 3
    states = samples.states[:50]
    symbols = symbols_of(layout, states)
    order = [0, 1, 2, 5, 4, 3] if isinstance(game, FillObject) else range(6)
    if isinstance(game, FillDict):  # texts are in the order of the alphabet: o, x
        assert [[3 - mark if mark else 0 for mark in row] for row in symbols.tolist()] == list(map(game.board, states))
    else:
        assert symbols[:, order].tolist() == list(map(game.board, states))


class Uneven(Fill):
    """It leaves out images that are the state itself."""

    def symmetries(self, state):
        return (state,) if state[0] == state[0][::-1] else (state, (state[0][::-1], state[1]))


def test_symmetries_that_are_left_out_at_times_are_no_error():
    samples = sample(Uneven(), 400, seconds=1e9)
    assert layout_of(Uneven(), samples).images == (tuple(range(6)),)


class Blink(Fill):
    """Its state says nothing of the ply."""

    def initial_state(self):
        return (0, 1, 0, 3), 0

    def board(self, state):
        return state[0]

    def actions(self, state):
        return [0, 1]

    def result(self, state, action):
        cells = state[0]
        return (action, 1 - action, 0, cells[3] + 1), 1 - state[1]

    def is_terminal(self, state):
        return state[0][3] > 9

    def utility(self, state, player):
        return 0.0

    def symmetries(self, state):
        return (state,)


def test_a_game_without_a_clock_has_one_stage():
    game = Blink()
    samples = sample(game, 300, seconds=1e9)
    ply = next(column for column in layout_of(game, samples).columns if str(column) == "[0][3]")
    with np.errstate(all="raise"):
        layout = layout_of(game, samples, skipped=ply)
    assert [place.name for place in layout.locations] == ["[0][0]", "[0][1]"]
    assert (layout.clock, layout.edges) == ((), ())


# -- samples -----------------------------------------------------------------------------------------------------------


def test_samples_are_states_in_which_a_player_decides():
    game = Pig(10)
    samples = sample(game, 200, seconds=1e9)
    assert 200 <= len(samples.states) == len(samples.plies) == len(samples.movers) == len(samples.results)
    assert all(game.to_move(state) == mover for state, mover in zip(samples.states, samples.movers, strict=True))
    assert not any(game.is_terminal(state) for state in samples.states)
    assert all(map(game.is_terminal, samples.ends))
    assert samples.ended == 1
    assert samples.utilities.tolist() == [[game.utility(end, 0), game.utility(end, 1)] for end in samples.ends]
    assert set(map(tuple, samples.results.tolist())) == {(1, -1), (-1, 1)}


def test_every_other_game_is_a_given_one():
    game = Fill()
    start = game.initial_state()
    mine = [start, game.result(start, 3)]
    samples = sample(game, 40, games=iter([mine] * 100), seconds=1e9)
    plies = samples.plies.tolist()
    assert plies[:10] == [0, 1, 2, 3, 4, 5, 0, 1, 0, 1]
    assert samples.states[6:8] == mine
    assert samples.results[6:8].tolist() == [[0, 0], [0, 0]]
    assert 0.4 < samples.ended < 0.6


def test_the_number_of_men_of_a_player_is_in_one_location():
    """Bits of one column stay together, although both players' men are drawn on the same points."""
    layout = layout_of(Backgammon(), sample(Backgammon(), 3000))
    numbers = [(place.cell, column) for place in layout.locations for column in {part.column for part in place.parts}]
    assert len(set(numbers)) == 50
    assert len(numbers) < 54  # bits that come up rarely stay alone


@pytest.mark.parametrize("game", [Pig(), Backgammon(), EinStein()], ids=repr)
def test_whose_turn_it_is_is_known_where_chance_decides(game):
    layout = layout_of(game, sample(game, 300, 1))
    states, dice = [game.initial_state()], random.Random(1)
    while not game.is_terminal(states[-1]):
        states.append(game.result(states[-1], dice.choice(list(legal_actions(game, states[-1])))))
    by_chance = [state for state in states[:-1] if game.to_move(state) == CHANCE]
    turns = layout.turn.read(read_columns(layout.columns, by_chance)).tolist()
    assert turns == [state.turn for state in by_chance]
    assert set(turns) == {0, 1}


def test_without_chance_or_opponents_there_is_no_such_turn():
    for game in TicTacToe(), TwentyFortyEight():
        assert looked_at(game)[1].turn is None


class Endless(Fill):
    zero_sum = False
    constant_sum = 1
    utilities = (0, 1)

    def result(self, state, action):
        return state[0], 1 - state[1]

    def is_terminal(self, state):
        return False


def test_a_game_without_an_end_counts_as_a_draw():
    samples = sample(Endless(), 500, seconds=1e9)
    assert samples.ended == 0
    assert samples.results.min() == samples.results.max() == 0.5
    assert samples.plies.max() == PLIES


def test_a_seed_gives_the_same_states():
    samples, same, other = (sample(Fill(), 100, seed, seconds=1e9) for seed in (3, 3, 4))
    assert samples.states == same.states != other.states


def test_time_ends_a_sample_after_a_whole_game():
    samples = sample(Fill(), 10**9, seconds=0.0)
    assert samples.plies.tolist() == [0, 1, 2, 3, 4, 5]


class OnlyChance(Fill):
    players, zero_sum = 1, False

    def to_move(self, state):
        return -1

    def result(self, state, action):
        return [1 if cell == action else mark for cell, mark in enumerate(state[0])], 0

    def probability(self, state, action):
        return 1 / len(self.actions(state))


def test_a_game_in_which_nobody_decides_is_refused():
    for seconds in (0.0, 1e9):
        with pytest.raises(UnsuitableGame, match=f"no player decides anything in {WITHOUT_DECISIONS} games"):
            sample(OnlyChance(), seconds=seconds)
