"""The size of a game against a slow, obvious twin and published counts."""

import re

import pytest
from shared import ctrl_c
from shared.hashed_game import Hashed, Seeded

from outplay import Game, RulesError, legal_actions, state_key
from outplay.games import ConnectFour, ExplicitTree, Kalah, Nim, TicTacToe
from outplay.search import count
from outplay.search.count import count_tree


def twin(game, state, depth):
    """(nodes, games, keys of positions, for each ply the keys there), by going through the whole tree."""
    nodes, games, keys, plies = 1, int(game.is_terminal(state)), {state_key(game, state)}, [{state_key(game, state)}]
    if depth and not games:
        for action in legal_actions(game, state):
            below = twin(game, game.result(state, action), depth - 1)
            nodes, games, keys = nodes + below[0], games + below[1], keys | below[2]
            plies += [set() for _ in range(len(below[3]) + 1 - len(plies))]
            for there, more in zip(plies[1:], below[3], strict=False):
                there.update(more)
    return nodes, games, keys, plies


class InterpretedKalah(Kalah):
    compiled = False


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("game", "depth"),
    [
        (Hashed(), None),
        (Hashed(), 2),
        (Nim((3, 4)), None),
        (Kalah(2, 2), None),
        (InterpretedKalah(2, 2), None),
        (Kalah(), 4),
        (ConnectFour(), 0),
        (ExplicitTree([1, [2, 3], {"player": "chance", "children": [4, 5], "probabilities": [0.5, 0.5]}]), None),
    ],
    ids=repr,
)
def test_counts_are_those_of_the_twin(game, depth):
    states = [Seeded(seed, 0, 0) for seed in range(50)] if isinstance(game, Hashed) else [game.initial_state()]
    for state in states:
        nodes, games, keys, plies = twin(game, state, 99 if depth is None else depth)
        tree = count_tree(game, state, depth)
        assert (tree.nodes, tree.games, tree.positions, tree.complete) == (nodes, games, len(keys), True)
        assert tree.by_ply == tuple(len(there) for there in plies)


def test_tic_tac_toe():
    tree = count_tree(TicTacToe())
    assert (tree.nodes, tree.games, tree.positions) == (549_946, 255_168, 5_478)
    assert tree.by_ply == (1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78)
    assert re.fullmatch(r"549,946 nodes, 255,168 games, 5,478 positions, in \d+\.\d+ s", str(tree))


@pytest.mark.nightly
@pytest.mark.compiled
def test_connect_four_positions_are_those_that_john_tromp_counted(monkeypatch):
    monkeypatch.setattr(count, "FIRST_SIZE", 16)  # so that the tables grow many times
    assert count_tree(ConnectFour(4, 4)).positions == 161_029
    assert count_tree(ConnectFour(), depth=8).nodes - count_tree(ConnectFour(), depth=7).nodes == 5_673_234


@pytest.mark.nightly
def test_a_tree_too_large_to_visit():
    tree = count_tree(Nim((20, 20)))
    assert tree.games == pytest.approx(nim_games(20, 20), rel=1e-12)
    assert isinstance(tree.games, float)
    assert "about" in str(tree)


def nim_games(a, b, known={}):  # noqa: B006
    if (a, b) not in known:
        below = [nim_games(x, b) for x in range(a)] + [nim_games(a, x) for x in range(b)]
        known[a, b] = sum(below) or 1
    return known[a, b]


class Endless(Game):
    def initial_state(self):
        return (0,)

    def to_move(self, state):
        return 0

    def actions(self, state):
        return 1

    def result(self, state, action):
        return (1 - state[0],)

    def is_terminal(self, state):
        return False

    def utility(self, state, player):
        return 0


def test_a_game_without_end():
    with pytest.raises(RulesError, match=r"games of Endless\(\) go on for more than 4000 plies"):
        count_tree(Endless())
    tree = count_tree(Endless(), depth=10)
    assert (tree.nodes, tree.games, tree.positions, tree.by_ply) == (11, 0, 2, (1,) * 11)


@pytest.mark.parametrize("depth", [-1, 5000, 1.5, True])
def test_an_impossible_depth(depth):
    with pytest.raises(ValueError, match="count_tree\\(depth="):
        count_tree(TicTacToe(), depth=depth)


def test_ctrl_c_keeps_lower_bounds_and_progress_is_told():
    seen = []
    count_tree(ConnectFour(), depth=1)  # compiled before the clock starts
    with ctrl_c(0, lambda: seen and seen[-1].positions > seen[0].positions):
        tree = count_tree(ConnectFour(), progress=seen.append)
    assert not tree.complete
    assert str(tree).startswith("more than ")
    assert 0 < seen[0].positions < tree.positions <= tree.nodes
