"""Nim and m,n,k-games for three players and more, against obvious twins, and by what all get who play their best."""

import random
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import AlphaBeta, RulesError, UnsuitableGame, legal_actions, state_key
from outplay.games import MNK, ManyPlayerMNK, Nim

seeds = st.integers(0, 2**32 - 1)


def max_n(game):
    """What each player gets where all play their best; of equal actions the first is played."""
    known = {}

    def value(state):
        key = state_key(game, state)
        if key not in known:
            if game.is_terminal(state):
                known[key] = tuple(game.utility(state, player) for player in range(game.players))
            else:
                mover = game.to_move(state)
                values = [value(game.result(state, action)) for action in legal_actions(game, state)]
                known[key] = max(values, key=lambda utilities: utilities[mover])
        return known[key]

    return value(game.initial_state())


# -- m,n,k-games ------------------------------------------------------------------------------------------------------


def has_row(board, width, height, length, player):
    """Whether `player` has a row on `board`, a text of numbers and dots, row by row from the bottom."""
    mark = str(player)
    for first in range(width * height):
        for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            places = [(first % width + i * right, first // width + i * up) for i in range(length)]
            if all(0 <= x < width and 0 <= y < height and board[y * width + x] == mark for x, y in places):
                return True
    return False


def twin_max_n(width, height, length, players):
    """The same over texts."""

    @cache
    def value(board, moved):
        last = (moved - 1) % players
        if has_row(board, width, height, length, last):
            return tuple(players - 1 if player == last else -1 for player in range(players))
        if "." not in board:
            return (0,) * players
        mover, best = moved % players, None
        for square, mark in enumerate(board):
            if mark == ".":
                found = value(board[:square] + str(mover) + board[square + 1 :], moved + 1)
                best = found if best is None or found[mover] > best[mover] else best
        return best

    return value("." * (width * height), 0)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "parameters", [(3, 3, 3, 3), (3, 2, 2, 3), (4, 2, 2, 3), (3, 3, 2, 4), (4, 2, 3, 3), (3, 3, 3, 2), (5, 1, 2, 3)]
)
def test_values_of_small_boards(parameters):
    assert max_n(ManyPlayerMNK(*parameters)) == twin_max_n(*parameters)


def test_values_by_hand():
    """Two in a row with many squares: the first player to have a second mark wins. Tic-tac-toe of three is a draw."""
    assert max_n(ManyPlayerMNK(3, 3, 2)) == (2, -1, -1)
    assert max_n(ManyPlayerMNK(3, 3, 3)) == (0, 0, 0)
    assert max_n(ManyPlayerMNK(3, 3, 1, players=5)) == (4, -1, -1, -1, -1)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 6), st.integers(2, 5), st.integers(2, 4), st.integers(2, 8), st.booleans(), seeds)
def test_random_games_of_the_twin(width, height, length, players, gravity, seed):
    length = min(length, max(width, height))
    game, chooser = ManyPlayerMNK(width, height, length, players, gravity), random.Random(seed)
    state, board, moved = game.initial_state(), "." * (width * height), 0
    while True:
        winners = [player for player in range(players) if has_row(board, width, height, length, player)]
        assert game.is_terminal(state) == bool(winners or "." not in board)
        if game.is_terminal(state):
            won = {player: players - 1 if player in winners else -1 if winners else 0 for player in range(players)}
            assert {player: game.utility(state, player) for player in range(players)} == won
            assert game.render(state).endswith("wins" if winners else "draw")
            assert list(game.actions(state)) == []
            return
        assert game.to_move(state) == moved % players
        free = [square for square, mark in enumerate(board) if mark == "."]
        if gravity:
            lowest = {square % width: square for square in reversed(free)}
            assert list(game.actions(state)) == sorted(lowest)
        else:
            assert list(game.actions(state)) == free
        estimates = [game.evaluate(state, player) for player in range(players)]
        assert sum(estimates) == pytest.approx(0, abs=1e-9)
        assert all(-1 < estimate < players - 1 for estimate in estimates)
        action = chooser.choice(list(game.actions(state)))
        state = game.result(state, action)
        square = lowest[action] if gravity else action
        board = board[:square] + str(moved % players) + board[square + 1 :]
        moved += 1


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5), st.integers(2, 5), st.integers(2, 4), st.booleans(), st.booleans(), seeds)
def test_two_of_many_players_play_the_game_for_two(width, height, length, gravity, exactly, seed):
    length, chooser = min(length, max(width, height)), random.Random(seed)
    one, two = MNK(width, height, length, gravity, exactly), ManyPlayerMNK(width, height, length, 2, gravity, exactly)
    states = [one.initial_state(), two.initial_state()]
    while not one.is_terminal(states[0]):
        assert one.render(states[0]) == two.render(states[1])
        assert list(one.actions(states[0])) == list(two.actions(states[1]))
        action = chooser.choice(list(one.actions(states[0])))
        assert one.action_name(states[0], action) == two.action_name(states[1], action)
        states = [one.result(states[0], action), two.result(states[1], action)]
    assert two.is_terminal(states[1])
    assert [one.utility(states[0], player) for player in (0, 1)] == [
        two.utility(states[1], player) for player in (0, 1)
    ]
    assert two.utilities == one.utilities


def test_who_is_near_a_row_looks_better_and_completes_it():
    game = ManyPlayerMNK(4, 4, 3)
    state = game.initial_state()
    for square in "b2", "a1", "d4", "c2", "d1", "a4":
        state = game.result(state, game.parse_action(state, square))
    estimates = [game.evaluate(state, player) for player in range(3)]
    assert estimates[0] > 0 > max(estimates[1:])
    best = max(game.actions(state), key=lambda action: game.order(state, action))
    assert game.action_name(state, best) in ("a2", "d2")
    end = game.result(state, best)
    assert [game.utility(end, player) for player in range(3)] == [2, -1, -1]
    assert game.render(end).endswith("X wins")


# -- Nim --------------------------------------------------------------------------------------------------------------


def twin_nim(heaps, players, misere):
    """The same over sorted tuples of heaps, from the point of view of the player to move: who of them gets what."""

    @cache
    def value(heaps):
        """What the player to move gets, the next one, …, the one who has just moved last."""
        if not any(heaps):
            return (1,) * (players - 1) + (1 - players,) if misere else (-1,) * (players - 1) + (players - 1,)
        best = None
        for heap, counters in enumerate(heaps):
            for taken in range(1, counters + 1):
                after = value((*heaps[:heap], counters - taken, *heaps[heap + 1 :]))
                found = after[-1:] + after[:-1]
                best = found if best is None or found[0] > best[0] else best
        return best

    return value(tuple(heaps))


@pytest.mark.parametrize("heaps", [(0,), (4,), (1, 1, 1), (2, 2), (1, 2, 3), (3, 3, 1), (2, 2, 2)])
@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("misere", [False, True])
def test_values_of_nim(heaps, players, misere):
    assert max_n(Nim(heaps, misere, players)) == twin_nim(heaps, players, misere)


def test_values_of_nim_by_hand():
    """The last counter is taken, or left, where it can be; heaps of one leave no choice."""
    assert max_n(Nim((5,), players=4)) == (3, -1, -1, -1)
    assert max_n(Nim((2,), misere=True, players=4)) == (1, -3, 1, 1)
    assert max_n(Nim((1, 1, 1, 1, 1), players=3)) == (-1, 2, -1)
    assert max_n(Nim((1, 1, 1, 1, 1), misere=True, players=3)) == (1, -2, 1)
    assert Nim((2,), misere=True, players=4).utilities == (-3, 1)


def test_the_end_of_nim_names_who_wins():
    for misere, told in ((False, "player 1 wins"), (True, "player 0 and player 2 win")):
        game = Nim((1, 1), misere, players=3)
        state = game.result(game.result(game.initial_state(), 0), 1)
        assert game.render(state).splitlines()[-1] == told


# -- both -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [ManyPlayerMNK(), Nim(players=3)], ids=repr)
def test_alpha_beta_wants_two_players(game):
    with pytest.raises(UnsuitableGame, match="players"):
        AlphaBeta(game)


@pytest.mark.parametrize("players", [1, 9, 2.5])
@pytest.mark.parametrize("game", [ManyPlayerMNK, Nim])
def test_bad_numbers_of_players(game, players):
    with pytest.raises(RulesError, match="players must be a whole number from 2 to 8"):
        game(players=players)
