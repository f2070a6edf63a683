"""Games of outplay in OpenSpiel: its own checks, random games in step with ours, and what its algorithms find."""

import pickle
from random import Random

import numpy as np
import pytest

from env.twins import at_night
from outplay import AlphaBeta, IllegalAction, OutplayError
from outplay.adapters.openspiel import Adapted
from outplay.env.action_numbers import action_numbers_of
from outplay.games import BUILT_IN, MNK, ConnectFour, KuhnPoker, LeducPoker, MatchingPennies, Nim, Pig, TicTacToe
from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.repetition import History, final, playable
from outplay.session.load import load_game

pyspiel = pytest.importorskip("pyspiel", reason="the extra openspiel has it")

from outplay.env import openspiel_game  # noqa: E402

SMALL = [TicTacToe(), KuhnPoker(), KuhnPoker(players=3), LeducPoker(), MatchingPennies(), Nim(), Pig(goal=10)]
NAMES = sorted(BUILT_IN.keys() - {"explicit-tree"})  # that one has no game of its own


def play_in_step(game, seeds, plies=2000):
    """Play a random game with each seed, on both sides."""
    spiel, numbers = openspiel_game(game), action_numbers_of(game)
    for seed in seeds:
        random, theirs, states = Random(seed), spiel.new_initial_state(), History([game.initial_state()])
        utilities = final(game, states)
        while utilities is None and len(states) <= plies:
            ours = states[-1]
            legal = playable(game, states)
            mover = int(game.to_move(ours))
            assert not theirs.is_terminal()
            assert str(theirs) == game.render(ours)
            assert theirs.is_chance_node() == (mover == CHANCE)
            if mover == CHANCE:
                places = range(len(legal))
                odds = [game.probability(ours, action) for action in legal]
                assert theirs.chance_outcomes() == list(zip(places, odds, strict=True))
            else:
                assert theirs.current_player() == mover
                places = numbers.numbers(legal)
                assert theirs.legal_actions() == sorted(places)
            choice = random.randrange(len(places))
            if mover != CHANCE:
                assert theirs.action_to_string(mover, places[choice]) == game.action_name(ours, legal[choice])
            theirs = theirs.clone() if random.random() < 0.2 else theirs
            theirs.apply_action(places[choice])
            states.append(game.result(ours, legal[choice]))
            utilities = final(game, states)
        assert theirs.is_terminal() == (utilities is not None)
        assert not theirs.is_terminal() or theirs.returns() == list(utilities)


@pytest.mark.parametrize("game", SMALL, ids=repr)
def test_openspiels_own_checks(game):
    """Clones, undo by clones, serialized states, observations, sums of returns."""
    pyspiel.random_sim_test(openspiel_game(game), num_sims=3, serialize=True, verbose=False)


@pytest.mark.parametrize("game", SMALL, ids=repr)
def test_small_games_are_in_step(game):
    play_in_step(game, range(20))


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_every_game_is_in_step(name):
    game = load_game(name)
    play_in_step(game, at_night())
    pyspiel.random_sim_test(openspiel_game(game), num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize("game", [KuhnPoker(), LeducPoker(), TicTacToe(), Pig(goal=5)], ids=repr)
def test_there_and_back(game):
    """A game that comes back by the adapter has the same number of states and the same values."""
    back = Adapted(openspiel_game(game), key=None)

    def expected(rules, state, depth):
        """The mean utilities of all lines, each action alike."""
        if rules.is_terminal(state) or depth == 0:
            return np.array([rules.utility(state, player) for player in range(2)]) if rules.is_terminal(state) else 0
        legal = list(legal_actions(rules, state))
        chance = int(rules.to_move(state)) == CHANCE
        odds = [rules.probability(state, action) if chance else 1 / len(legal) for action in legal]
        return sum(
            share * expected(rules, rules.result(state, action), depth - 1)
            for share, action in zip(odds, legal, strict=True)
        )

    np.testing.assert_allclose(
        expected(back, back.initial_state(), 4 if isinstance(game, TicTacToe) else 6),
        expected(game, game.initial_state(), 4 if isinstance(game, TicTacToe) else 6),
        atol=1e-9,
    )


def test_what_openspiels_algorithms_find():
    from open_spiel.python.algorithms import cfr, exploitability, minimax

    kuhn = openspiel_game("kuhn-poker")
    solver = cfr.CFRSolver(kuhn)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    theirs = exploitability.exploitability(kuhn, solver.average_policy())
    assert theirs == pytest.approx(exploitability.exploitability(pyspiel.load_game("kuhn_poker"), _plain_cfr(50)))
    assert theirs < 0.03
    board = MNK(3, 3, 3)
    value, action = minimax.alpha_beta_search(openspiel_game(board), maximizing_player_id=0)
    assert value == AlphaBeta(board).search().value == 0
    assert action in range(9)


def _plain_cfr(iterations):
    """The average policy that CFR finds in OpenSpiel's own Kuhn poker."""
    from open_spiel.python.algorithms import cfr

    solver = cfr.CFRSolver(pyspiel.load_game("kuhn_poker"))
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return solver.average_policy()


def test_states_that_look_the_same_are_told_the_same():
    spiel = openspiel_game(KuhnPoker())
    seen = {}
    for one in range(3):
        for other in range(2):
            state = spiel.new_initial_state()
            state.apply_action(one)
            state.apply_action(other)
            known = state.information_state_string(0), tuple(state.information_state_tensor(0))
            seen.setdefault(one, set()).add(known)
    assert all(len(told) == 1 for told in seen.values())
    assert len({told for tolds in seen.values() for told in tolds}) == 3


def test_names_and_copies():
    game = ConnectFour(width=5, height=4)
    spiel = openspiel_game(game, "my_game")
    assert pyspiel.load_game("my_game").new_initial_state().legal_actions() == list(range(5))
    assert str(openspiel_game(game)).startswith("outplay_connectfour_")
    state = spiel.new_initial_state()
    state.apply_action(2)
    copy = pickle.loads(pickle.dumps(state))
    assert (copy.history(), str(copy)) == ([2], str(state))
    assert spiel.observation_tensor_shape() == [4, 4, 5]
    openspiel_game(Nim(), "my_game")
    assert pyspiel.load_game("my_game").num_distinct_actions() != 5


def test_what_is_refused():
    with pytest.raises(OutplayError, match="is not a game"):
        openspiel_game(3)
    with pytest.raises(IllegalAction, match="99 is not the number of a legal action of TicTacToe"):
        openspiel_game(TicTacToe()).new_initial_state().apply_action(99)
