"""Strategies in OpenSpiel: there and back, and both sides agree on what they are worth."""

import sys

import numpy as np
import pytest

from outplay.equilibrium import Strategy, exploitability, gains, nash_conv, unroll, values
from outplay.equilibrium.openspiel import from_openspiel, pairs, to_openspiel
from outplay.games import KuhnPoker, LeducPoker, LiarsDice
from outplay.rules.errors import StrategyError

pyspiel = pytest.importorskip("pyspiel")
GAMES = {
    "kuhn": (KuhnPoker(), "kuhn_poker", 25),
    "kuhn-3": (KuhnPoker(3), "kuhn_poker(players=3)", 25),
    "liars-dice-2": (LiarsDice(1, 2), "liars_dice(dice_sides=2)", 20),
    "leduc": (LeducPoker(), "leduc_poker", 20),
    "liars-dice": pytest.param(LiarsDice(), "liars_dice", 2, marks=pytest.mark.nightly),
}
CLOSE = 1e-9


def random_strategy(tree, numbers):
    """Some probabilities are 0."""
    behaviour = np.ones(tree.sequences)
    for first, number in zip(tree.first, tree.number, strict=True):
        likely = numbers.dirichlet(np.full(number, 0.5)) * (numbers.random(number) < 0.8)
        behaviour[first : first + number] = likely / likely.sum() if likely.sum() else 1 / number
    return Strategy.on(tree, behaviour)


def native(policy):
    """The same policy for OpenSpiel's C++."""
    return pyspiel.TabularPolicy(
        {key: list(enumerate(policy.policy_for_key(key).tolist())) for key in policy.state_lookup}
    )


@pytest.mark.parametrize(("game", "name", "number"), [*GAMES.values()], ids=[*GAMES])
def test_both_sides_agree_on_random_strategies(game, name, number):
    tree, theirs, numbers = unroll(game), pyspiel.load_game(name), np.random.default_rng(7)
    decisions = list(pairs(tree, theirs))
    texts = {pair.number: pair.state.information_state_string() for pair in decisions}
    assert len(set(texts.values())) == len(texts) == tree.information_sets
    policy = to_openspiel(Strategy.uniform(tree), theirs)
    for _ in range(number):
        strategy = random_strategy(tree, numbers)
        behaviour = strategy.behaviour(tree)
        likely = {texts[p.number]: [(action, behaviour[sequence]) for sequence, action in p.actions] for p in decisions}
        there = pyspiel.TabularPolicy(likely)
        assert nash_conv(strategy, tree) == pytest.approx(pyspiel.nash_conv(theirs, there), abs=CLOSE)
        assert values(strategy, tree) == pytest.approx(
            pyspiel.expected_returns(theirs.new_initial_state(), there, -1, False), abs=CLOSE
        )
        assert min(gains(strategy, tree)) >= 0

    if game.players == 2:
        assert exploitability(strategy, tree) == pytest.approx(pyspiel.exploitability(theirs, there), abs=CLOSE)
    policy = to_openspiel(strategy, theirs)  # the last of them, through the adapter
    assert pyspiel.nash_conv(theirs, native(policy)) == pytest.approx(nash_conv(strategy, tree), abs=CLOSE)
    for back in (from_openspiel(policy, tree), from_openspiel(native(policy), game, name)):
        assert np.array_equal(back.behaviour(tree), behaviour)


def test_the_slow_way_agrees_too():
    """OpenSpiel's own exploitability in Python, which takes the policy as it is."""
    from open_spiel.python.algorithms import exploitability as theirs

    strategy = random_strategy(unroll(KuhnPoker(3)), np.random.default_rng(2))
    policy = to_openspiel(strategy, "kuhn_poker(players=3)")
    assert theirs.nash_conv(policy.game, policy) == pytest.approx(nash_conv(strategy), abs=CLOSE)


def test_actions_in_another_order():
    """Where a player bets first, he has to call what was pass: the order is given by a function."""
    tree = unroll(KuhnPoker())

    def reversed_actions(state):
        return state.legal_actions() if state.is_chance_node() else state.legal_actions()[::-1]

    with pytest.raises(StrategyError, match=r"after J, Q, pass, pass, .*True here, False there|payoffs"):
        to_openspiel(Strategy.uniform(tree), "kuhn_poker", actions=reversed_actions)

    def other_cards(state):  # the king and the jack change places: another game, but of the same form
        return state.legal_actions()[::-1] if state.is_chance_node() else state.legal_actions()

    with pytest.raises(StrategyError, match=r"pass, pass, in payoffs: \[-1.0, 1.0\] here, \[1.0, -1.0\] there"):
        to_openspiel(Strategy.uniform(tree), "kuhn_poker", actions=other_cards)


class Shuffled(KuhnPoker):
    """To pass is action 1 and to bet 0, so that they are listed the other way round."""

    compiled = False

    def result(self, deal, action):
        return KuhnPoker.result(self, deal, action if deal.plies < self.players else 1 - action)

    def action_name(self, deal, action):
        return KuhnPoker.action_name(self, deal, action if deal.plies < self.players else 1 - action)


def test_a_function_matches_actions():
    tree, game = unroll(KuhnPoker()), Shuffled()

    def bet_first(state):
        return state.legal_actions() if state.is_chance_node() else state.legal_actions()[::-1]

    strategy = random_strategy(unroll(game), np.random.default_rng(3))
    policy = to_openspiel(strategy, "kuhn_poker", actions=bet_first)
    assert values(from_openspiel(policy, tree)) == pytest.approx(values(strategy), abs=CLOSE)
    assert np.array_equal(from_openspiel(policy, game, actions=bet_first).probability, strategy.probability)
    with pytest.raises(StrategyError, match=r"whether the game is over|payoffs"):
        to_openspiel(strategy, "kuhn_poker")


@pytest.mark.nightly
def test_games_that_differ():
    for game, name, told in (
        (KuhnPoker(3), "kuhn_poker", "after no action, in players: 3 here, 2 there"),
        (KuhnPoker(), "tic_tac_toe", "the player to move, -1 for chance: -1 here, 0 there"),
        (KuhnPoker(), "leduc_poker", "after no action, in the number of actions: 3 here, 6 there"),
        (LeducPoker(), "leduc_poker(action_mapping=true)", "after Js, Jh, in the number of actions: 2 here, 3 there"),
        (KuhnPoker(), "kuhn_pocker", "no game 'kuhn_pocker'; did you mean kuhn_poker?"),
    ):
        with pytest.raises(StrategyError) as caught:
            to_openspiel(Strategy.uniform(game), name)
        assert told in str(caught.value)


class Blind(KuhnPoker):
    """Players do not look at their cards."""

    compiled = False

    def information(self, deal, player):
        return deal.bets, deal.plies

    def information_text(self, deal, player):
        return self.history(deal) or "nothing"


class Clairvoyant(Blind):
    """They see all cards."""

    def information(self, deal, player):
        return deal

    def information_text(self, deal, player):
        return f"{deal.cards}, {self.history(deal)}"

    def determinize(self, deal, player, random):
        return deal


def test_players_who_know_more_or_less():
    policy = to_openspiel(Strategy.uniform(Blind()), "kuhn_poker")  # to know more does no harm
    assert from_openspiel(policy, Blind()).probability.tolist() == [0.5] * 8
    policy.policy_for_key("0")[:] = 1, 0
    with pytest.raises(StrategyError, match=r"in two ways at 'nothing' of Blind\(\), after J, Q and Q, J"):
        from_openspiel(policy, Blind())
    with pytest.raises(StrategyError, match=r"tells .* apart, after J, Q and J, K; OpenSpiel does not: '0'"):
        to_openspiel(Strategy.uniform(Clairvoyant()), "kuhn_poker")


def test_policies_that_are_none():
    with pytest.raises(StrategyError, match="the policy does not know its game"):
        from_openspiel(pyspiel.TabularPolicy({}), KuhnPoker())
    policy = to_openspiel(Strategy.uniform(KuhnPoker()), "kuhn_poker")
    policy.action_probability_array[:] = 0
    with pytest.raises(StrategyError, match="must sum to 1"):
        from_openspiel(policy, KuhnPoker())


def test_without_openspiel(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.setitem(sys.modules, "open_spiel.python.policy", None)
    with pytest.raises(StrategyError, match="pip install open_spiel"):
        to_openspiel(Strategy.uniform(KuhnPoker()), "kuhn_poker")
