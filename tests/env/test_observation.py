from collections import defaultdict
from random import Random

import numpy as np
import pytest

from env.test_zoo import Loop
from outplay import Game
from outplay.env.action_numbers import action_numbers_of
from outplay.env.observation import Form, numbers_in, observer_of
from outplay.games import (
    BUILT_IN,
    Breakthrough,
    Chess,
    ConnectFour,
    EnglishDraughts,
    Go,
    Hex,
    KuhnPoker,
    NineMensMorris,
    Othello,
    TicTacToe,
    Xiangqi,
)
from outplay.rules.errors import RulesError
from outplay.rules.game import legal_actions
from outplay.rules.keys import information_key
from outplay.rules.numbered import numbered

HIDING = ("kuhn-poker", "leduc-poker", "goofspiel", "rock-paper-scissors", "matching-pennies", "liars-dice",
          "phantom-tic-tac-toe", "dark-hex", "battleship")  # fmt: skip


def states_of(game, number, seed=7):
    """States of random games."""
    random, states = Random(seed), []
    while len(states) < number:
        state = game.initial_state()
        while not game.is_terminal(state):
            states.append(state)
            state = game.result(state, random.choice(list(legal_actions(game, state))))
    return states


@pytest.mark.parametrize("name", HIDING)
def test_states_that_look_the_same_have_the_same_observation(name):
    game = BUILT_IN[name]()
    observer, seen, hidden = observer_of(game), defaultdict(list), 0
    for state in states_of(game, 2000):
        for player in range(game.players):
            seen[player, information_key(game, state, player)].append(state)
    for (player, _), states in seen.items():
        first = observer.observe(states[0], player)
        for state in states[1:40]:
            hidden += repr(state) != repr(states[0])
            assert np.array_equal(observer.observe(state, player), first)
    assert hidden >= 20


@pytest.mark.parametrize("name", HIDING)
def test_an_observation_tells_what_is_known(name):
    """States that look different have different observations, but for numbers that random games do not show."""
    game = BUILT_IN[name]()
    observer, keys = observer_of(game), defaultdict(set)
    for state in states_of(game, 2000, seed=8):
        if game.to_move(state) >= 0:
            player = game.to_move(state)
            keys[player, observer.observe(state, player).tobytes()].add(information_key(game, state, player))
    assert len(keys) > 1
    assert sum(len(same) for same in keys.values()) <= 1.01 * len(keys)


@pytest.mark.parametrize("game", [ConnectFour(), Othello(), Breakthrough()])
def test_planes_show_the_pieces_of_the_viewer_first(game):
    """The twin reads the picture of the state."""
    observer = observer_of(game)
    for state in states_of(game, 300, seed=9)[::7]:
        board = game.picture(state)
        places = {place.cell: place for place in board.places if place.cell is not None}
        ys, xs = (sorted({round(getattr(place, axis), 2) for place in places.values()}) for axis in "yx")
        for viewer in range(2):
            wanted = np.zeros((2, len(ys), len(xs)))
            for cell in board.cells:
                place = places[cell]
                for piece in board.pieces_on(cell):
                    wanted[int(piece.player != viewer), ys.index(round(place.y, 2)), xs.index(round(place.x, 2))] = 1
            seen = observer.observe(state, viewer)
            assert seen.shape[1:] == wanted.shape[1:]
            for owner in wanted:
                assert any(np.array_equal(owner, plane) for plane in seen[:-2])
            mine = next(place for place, plane in enumerate(seen) if np.array_equal(plane, wanted[0]))
            theirs = next(place for place, plane in enumerate(seen) if np.array_equal(plane, wanted[1]))
            assert mine < theirs or not wanted.any(axis=(1, 2)).all()
            assert (seen[-2].min(), seen[-1].max()) == (float(game.to_move(state) == viewer), viewer)


@pytest.mark.parametrize("game", [TicTacToe(), Hex(4), Go(5), Chess()])
def test_own_observations_show_the_pieces_of_the_picture(game):
    observer = observer_of(game)
    for state in states_of(game, 120, seed=3)[::11]:
        board = game.picture(state)
        pieces = [piece for cell in board.cells for piece in board.pieces_on(cell) if piece.player is not None]
        for viewer in range(2):
            seen = observer.observe(state, viewer)
            number = 6 if isinstance(game, Chess) else 1
            assert seen[:number].sum() == sum(piece.player == viewer for piece in pieces)
            assert seen[number : 2 * number].sum() == sum(piece.player != viewer for piece in pieces)


def test_observations_of_states_that_no_random_game_has_shown():
    """Most states of new games differ, and look different."""
    game = ConnectFour()
    observer = observer_of(game)
    states = set(states_of(game, 3000, seed=11))
    assert len({observer.observe(state, 0).tobytes() for state in states}) == len(states)


class Own(TicTacToe):
    def observation(self, board, player):
        return (board.filled, player)


class Changing(TicTacToe):
    def observation(self, board, player):
        return (0,) * (1 + board.filled)


def test_a_game_may_say_what_is_seen():
    game = Own()
    observer = observer_of(game)
    assert observer.observe(game.result(game.initial_state(), 0), 1).tolist() == [1, 1]
    changing = observer_of(Changing())
    with pytest.raises(RulesError, match=r"Changing\.observation: got 2 numbers, and 1 in the first state"):
        changing.observe(game.result(game.initial_state(), 0), 0)


class Plain(Game):
    """A game without a picture: take 1 to 3 of 21."""

    def initial_state(self):
        return {"left": 21, "turn": 0}

    def to_move(self, state):
        return state["turn"]

    def actions(self, state):
        return range(1, min(3, state["left"]) + 1)

    def result(self, state, taken):
        return {"left": state["left"] - taken, "turn": 1 - state["turn"]}

    def is_terminal(self, state):
        return state["left"] == 0

    def utility(self, state, player):
        return -1 if state["turn"] == player else 1


def test_games_without_a_picture_have_an_input_for_each_symbol():
    game = Plain()
    observer = observer_of(game)
    assert observer.shape[1:] == (1, 1)
    first, second = game.initial_state(), {"left": 3, "turn": 1}
    assert not np.array_equal(observer.observe(first, 0), observer.observe(second, 0))
    assert observer_of(Loop()).observe((1, 1), 0).shape == observer_of(Loop()).shape


def test_forms_and_numbers():
    assert list(numbers_in({"b": {2, 1}, "a": np.array([[True, False]])})) == [2, 2, 1, 97, 2, 1, 0, 2, 1, 98, 2, 1, 2]
    form, out = Form.of([-5, 1 << 40]), np.zeros(64, np.float32)
    form.write(-2, out)
    assert out.tolist() == [0] + [1] * 63
    assert Form.of([0.5, 1]) == Form("value", 1)


@pytest.mark.parametrize("game", [Chess(), Xiangqi(), NineMensMorris(), Breakthrough()])
def test_limits_of_actions(game):
    numbers = action_numbers_of(game)
    assert numbers.size == game.action_limit()
    for state in states_of(game, 200)[::5]:
        legal = list(legal_actions(game, state))
        assert all(0 <= action < numbers.size for action in legal)
        assert [numbers.action(legal, number) for number in np.flatnonzero(numbers.mask(legal))] == sorted(legal)


def test_paths_are_numbered_by_their_place_in_the_list():
    game = EnglishDraughts()
    numbers = action_numbers_of(game)
    assert numbers.by_place
    for state in states_of(game, 500)[::9]:
        legal = list(legal_actions(game, state))
        assert numbers.mask(legal).sum() == len(legal)
        assert [numbers.action(legal, number) for number in range(len(legal))] == legal


class Rare(TicTacToe):
    """Has an action that random games have not shown."""

    def actions(self, board):
        return [*super().actions(board), *([12] if board is rare else [])]


rare = TicTacToe().initial_state()


def test_an_action_beyond_those_of_random_games_is_an_error():
    numbers = action_numbers_of(Rare())
    with pytest.raises(RulesError, match=r"an action with the number 12.*below 9 only: define action_limit\(\)"):
        numbers.mask(list(legal_actions(Rare(), rare)))


def test_hidden_games_are_numbered_too():
    assert action_numbers_of(KuhnPoker()).size == 2
    assert numbered(KuhnPoker()) == KuhnPoker()
