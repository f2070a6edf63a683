"""River poker: hands against an obvious ranking and published counts, the vector solver against plain CFR."""

import json
import math
import random
import time
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared import at_once, ctrl_c

from outplay import CHANCE, RulesError, kernel, legal_actions
from outplay.compile.random_numbers import new_random
from outplay.equilibrium import CFR, exploitability, unroll, values
from outplay.equilibrium.river import Exponents, RiverSolver, iterate
from outplay.equilibrium.river_spot import fold_values, make_spot, showdown_values
from outplay.equilibrium.river_strategy import RiverStrategy
from outplay.equilibrium.solver import new_counters
from outplay.games import RiverPoker
from outplay.games.river_poker import Deal
from outplay.poker import (
    CATEGORIES,
    HANDS,
    betting_tree,
    category,
    hand_class,
    hand_name,
    hand_number,
    parse_cards,
    parse_hand,
    parse_range,
    rank_hand,
    strengths,
)
from outplay.rules.errors import StrategyError

FIVE = [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
SEVEN = [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584]
"""How many hands of so many cards are of each category; see for instance Wikipedia, "Poker probability"."""

RANGES = "KhKc, 5h4h:0.5, QhJh", "AhKc, 9c9d, KhQd"
SMALL = RiverPoker(
    "Ks9h6d3c2s",
    60,
    130,
    bets=(0.5, 1),
    raises=(0.75,),
    most_raises=2,
    ranges=RANGES,
)
"""Few hands, some of which share cards."""
SEEDS = st.integers(0, 2**32 - 1)
quickly = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


# -- the ranking of hands ---------------------------------------------------------------------------------------------


def slow_rank(cards):
    """The best five of the cards: the category, and what decides within it. A card is 4 * rank + suit."""
    return max(map(rank_of_five, combinations(cards, 5)))


def rank_of_five(cards):
    ranks = sorted((card // 4 for card in cards), reverse=True)
    groups = sorted(((number, rank) for rank, number in Counter(ranks).items()), reverse=True)
    numbers, order = [number for number, _ in groups], [rank for _, rank in groups]
    flush = len({card % 4 for card in cards}) == 1
    if ranks == [12, 3, 2, 1, 0]:
        order = [3, 2, 1, 0, -1]
    straight = len(groups) == 5 and order[0] - order[4] == 4
    kinds = [
        ("straight flush", straight and flush),
        ("four of a kind", numbers == [4, 1]),
        ("full house", numbers == [3, 2]),
        ("flush", flush),
        ("straight", straight),
        ("three of a kind", numbers == [3, 1, 1]),
        ("two pair", numbers == [2, 2, 1]),
        ("pair", numbers == [2, 1, 1, 1]),
        ("high card", True),
    ]
    name = next(name for name, holds in kinds if holds)
    return CATEGORIES.index(name), order


def suits_of(cards):
    return [sum(1 << card // 4 for card in cards if card % 4 == suit) for suit in range(4)]


hands_of_seven = st.one_of(
    st.permutations(range(52)).map(lambda deck: deck[:7]),
    st.permutations(range(16)).map(lambda deck: deck[:7]),  # few ranks: full houses and fours
    st.permutations(range(0, 52, 4)).map(lambda deck: [*deck[:6], 51]),  # one suit nearly alone
)


@given(hands_of_seven, hands_of_seven)
@settings(max_examples=80, deadline=None)
def test_ranks_compare_as_the_obvious_ranking_does(one, other):
    ranks = [rank_hand.interpreted(*suits_of(hand)) for hand in (one, other)]
    slow = [slow_rank(hand) for hand in (one, other)]
    assert (ranks[0] > ranks[1], ranks[0] == ranks[1]) == (slow[0] > slow[1], slow[0] == slow[1])
    assert [category(rank) for rank in ranks] == [CATEGORIES[rank[0]] for rank in slow]


@kernel
def count_categories(size, counts):
    """The categories of all hands of so many cards, 5 or 7."""
    suits = np.zeros(4, np.int64)
    cards = np.arange(size)
    while True:
        suits[:] = 0
        for card in cards:
            suits[card & 3] |= 1 << (card >> 2)
        counts[rank_hand(suits[0], suits[1], suits[2], suits[3]) >> 26] += 1
        place = size - 1
        while place >= 0 and cards[place] == 52 - size + place:
            place -= 1
        if place < 0:
            break
        cards[place] += 1
        for later in range(place + 1, size):
            cards[later] = cards[later - 1] + 1


def test_all_hands_of_five_cards():
    counts = np.zeros(9, np.int64)
    count_categories(5, counts)
    assert counts.tolist() == FIVE
    assert counts.sum() == math.comb(52, 5)


@pytest.mark.nightly
def test_all_hands_of_seven_cards():
    counts = np.zeros(9, np.int64)
    count_categories(7, counts)
    assert counts.tolist() == SEVEN
    assert counts.sum() == math.comb(52, 7)


def test_strengths_know_the_board():
    found = strengths(parse_cards("AsKs9s9d2c", 5, "board"))
    assert (found < 0).sum() == 1326 - 1081
    assert category(int(found[parse_hand("9h9c")])) == "four of a kind"
    assert category(int(found[parse_hand("QsTs")])) == "flush"
    assert category(int(found[parse_hand("QdJd")])) == "pair"


def test_the_numbers_and_names_of_hands():
    assert [hand_number(*cards) for cards in HANDS.tolist()] == list(range(1326))
    assert [parse_hand(hand_name(hand)) for hand in range(1326)] == list(range(1326))


# -- ranges -----------------------------------------------------------------------------------------------------------


def classes(text):
    return {hand_class(hand) for hand in np.flatnonzero(parse_range(text)).tolist()}


def test_every_class_is_the_hands_that_are_in_it():
    names = [hand_class(hand) for hand in range(1326)]
    assert len(set(names)) == 169
    for name in set(names):
        assert np.flatnonzero(parse_range(name)).tolist() == [i for i, each in enumerate(names) if each == name]
        assert len(classes(name)) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("AK", {"AKs", "AKo"}),
        ("kas", {"AKs"}),
        ("TT+", {"TT", "JJ", "QQ", "KK", "AA"}),
        ("K9s+", {"K9s", "KTs", "KJs", "KQs"}),
        ("QT+", {"QTs", "QTo", "QJs", "QJo"}),
        ("55-33", {"55", "44", "33"}),
        ("33-55", {"55", "44", "33"}),
        ("A5s-A2s", {"A5s", "A4s", "A3s", "A2s"}),
        ("KTo-K8o", {"KTo", "K9o", "K8o"}),
        ("T9s-76s", {"T9s", "98s", "87s", "76s"}),
        ("J9o-97o", {"J9o", "T8o", "97o"}),
        ("AA,KK QQ ,  JJ", {"AA", "KK", "QQ", "JJ"}),
        ("22+, 55:0", {"22", "33", "44", "66", "77", "88", "99", "TT", "JJ", "QQ", "KK", "AA"}),
        ("", set()),
    ],
)
def test_ranges(text, expected):
    assert classes(text) == expected


def test_weights_and_single_hands():
    weights = parse_range("any:0.25, AhKh, QsQd:.5, 22+:0.75, QQ:1")
    assert weights[parse_hand("KhAh")] == 1
    assert weights[parse_hand("QdQs")] == 1  # what is said last
    assert weights[parse_hand("2c2d")] == 0.75
    assert weights[parse_hand("7c2d")] == 0.25
    assert parse_range("AA, KK, AKs, QJo, T9s:0.5, 22+ , A2s+").sum() == 13 * 6 + 12 * 4 + 12 + 2


@pytest.mark.parametrize(
    ("text", "token", "position", "why"),
    [
        ("AA, AXs, KK", "AXs", 5, "not a hand of a range"),
        ("AA KK: 0.5", "KK:", 4, "'' is not a weight"),
        ("AA:2", "AA:2", 1, "'2' is not a weight"),
        ("AA:nan", "AA:nan", 1, "'nan' is not a weight"),
        ("AA, AAs", "AAs", 5, "a pair has two suits; write AA"),
        ("AhAh", "AhAh", 1, "is given twice"),
        ("KQs, AhKh+", "AhKh+", 6, "not a hand of a range"),
        ("22+-55", "22+-55", 1, "+ and - cannot be combined"),
        ("A5s-K2s", "A5s-K2s", 1, "both ends"),
        ("A5s-A2o", "A5s-A2o", 1, "both ends"),
        ("TT-98", "TT-98", 1, "both ends"),
        ("10s9s", "10s9s", 1, "not a hand of a range"),
    ],
)
def test_a_range_that_cannot_be_read(text, token, position, why):
    with pytest.raises(RulesError) as caught:
        parse_range(text)
    assert f"range {text!r}: {token!r} at character {position}: " in str(caught.value)
    assert why in str(caught.value)


# -- the betting tree -------------------------------------------------------------------------------------------------


def lines_of(game):
    """Every line to the end of the round, and what both paid."""
    betting = game.betting
    return {game.line(node): tuple(betting.paid[node]) for node in np.flatnonzero(betting.player < 0).tolist()}


def test_all_lines_of_a_small_tree():
    game = RiverPoker(pot=100, stack=250, bets=(0.5,), raises=(0.5,), most_raises=2, all_in=False)
    assert lines_of(game) == {
        "check, check": (0, 0),
        "check, bet 50, fold": (0, 50),
        "check, bet 50, call": (50, 50),
        "check, bet 50, raise to 150, fold": (150, 50),  # 50 to call, then half of 200
        "check, bet 50, raise to 150, call": (150, 150),
        "bet 50, fold": (50, 0),
        "bet 50, call": (50, 50),
        "bet 50, raise to 150, fold": (50, 150),
        "bet 50, raise to 150, call": (150, 150),
    }


def test_sizes_are_cut_to_the_stack_and_raised_to_the_last_raise():
    assert betting_tree(100, 80, (0.5, 1, 2), (), 1, all_in=False).names[:3] == ("check", "bet 50", "all-in")
    names = betting_tree(100, 1000, (2,), (0.01,), 2, all_in=False).names
    assert "raise to 400" in names  # by 200 at least, as the bet was, and not by 5
    assert betting_tree(100, 80, (), (), 3, all_in=False).names == ("check", "check")
    assert betting_tree(100, 80, (0.5,), (), 0, all_in=True).names == ("check", "check")


def test_a_betting_tree_that_is_too_large():
    with pytest.raises(RulesError, match=r"more than 20,000 nodes: fewer bets and raises, or a lower most_raises"):
        RiverPoker(stack=10**6, bets=[0.1 * size for size in range(1, 20)], most_raises=5)


@given(st.floats(1, 500), st.floats(1, 500), st.lists(st.floats(0.1, 3), max_size=3), st.integers(0, 3), st.booleans())
@quickly
def test_laws_of_betting(pot, stack, bets, most_raises, all_in):
    tree = betting_tree(pot, stack, bets, bets, most_raises, all_in=all_in)
    assert tree.paid.max() <= stack
    for node in range(len(tree.player)):
        edges = range(tree.first[node], tree.first[node + 1])
        names = [tree.names[edge] for edge in edges]
        assert len(set(names)) == len(names)
        assert (tree.player[node] < 0) == (not names)
        assert all(tree.parent[tree.child[edge]] == node < tree.child[edge] for edge in edges)
        if tree.folded[node] < 0 and not names:
            assert tree.paid[node, 0] == tree.paid[node, 1]
        elif not names:
            assert tree.paid[node, tree.folded[node]] < tree.paid[node, 1 - tree.folded[node]]
        else:
            player = tree.player[node]
            assert (
                ("fold" in names) == ("check" not in names) == (tree.paid[node, player] < tree.paid[node, 1 - player])
            )


# -- the game ---------------------------------------------------------------------------------------------------------


def deals(game):
    """Both hands and how likely they are, by going through what chance does."""
    state = game.initial_state()
    for first in legal_actions(game, state):
        after = game.result(state, int(first))
        for second in legal_actions(game, after):
            yield game.result(after, int(second)), game.probability(state, first) * game.probability(after, second)


def test_deals_are_as_likely_as_the_weights_say():
    found = {(deal.first, deal.second): chance for deal, chance in deals(SMALL)}
    expected = {
        (one, other): SMALL.weights[0, one] * SMALL.weights[1, other]
        for one in range(1326)
        for other in range(1326)
        if SMALL.weights[0, one] and SMALL.weights[1, other] and not set(HANDS[one]) & set(HANDS[other])
    }
    total = sum(expected.values())
    assert found.keys() == expected.keys()
    assert len(found) == 7
    for hands, weight in expected.items():
        assert math.isclose(found[hands], weight / total)


def test_utilities_are_those_of_the_obvious_ranking():
    game = RiverPoker("Ks9h6d3c2s", 60, 100, ranges=("KQ, AT, 87s", "KJ, AT, 99"), bets=(0.5,), most_raises=1)
    board = list(game.board)
    for deal, _ in deals(game):
        ranks = [slow_rank([*board, *HANDS[hand].tolist()]) for hand in (deal.first, deal.second)]
        winner = (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])
        for line, won in ("check, check", 30), ("check, bet 30, call", 60), ("all-in, call", 130):
            state = Deal(deal.first, deal.second, game.node(line))
            assert [game.utility(state, player) for player in (0, 1)] == [winner * won, -winner * won]
        folded = Deal(deal.first, deal.second, game.node("check, bet 30, fold"))
        assert [game.utility(folded, player) for player in (0, 1)] == [-30, 30]


def test_determinize_deals_the_other_hand_by_its_weight():
    dice = new_random(seed=3)
    state = SMALL.parse_state("QhJh AhKc: check")
    seen = Counter(SMALL.determinize(state, 1, dice) for _ in range(4000))
    assert {hand_name(deal.first) for deal in seen} == {"QhJh", "5h4h"}
    assert all(deal[1:] == state[1:] for deal in seen)
    light = seen[SMALL.parse_state("5h4h AhKc: check")] / 4000
    assert abs(light - 0.5 / 1.5) < 0.03
    mine = {SMALL.determinize(SMALL.parse_state("QhJh 9d9c"), 0, dice) for _ in range(100)}
    assert {hand_name(deal.second) for deal in mine} == {"AhKc", "9d9c", "KhQd"}
    half = Deal(parse_hand("QhJh"), -1, -1)
    assert len({SMALL.determinize(half, 1, dice).first for _ in range(200)}) == 3
    assert SMALL.determinize(half, 0, dice) == half
    assert SMALL.determinize(SMALL.initial_state(), 0, dice) == SMALL.initial_state()


def test_texts():
    state = SMALL.parse_state("5h4h AhKc: check, bet 30, raise to 120")
    assert SMALL.state_text(state) == "5h4h AhKc: check, bet 30, raise to 120"
    assert SMALL.information_text(state, 0) == "5h4h: check, bet 30, raise to 120"
    assert SMALL.state_text(SMALL.initial_state()) == "- -"
    assert "straight" in SMALL.render(state)
    assert SMALL.render(SMALL.parse_state("QhJh AhKc: check, check")).endswith("check, check; player 1 wins 30")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"board": "Ks9h6d3c"}, "board 'Ks9h6d3c': 4 cards, but there should be 5"),
        ({"board": "Ks9h6d3cXs"}, "'Xs' at character 9 is not a card"),
        ({"board": "Ks9h6d3cKs"}, "Ks at character 9 is given twice"),
        ({"board": 3}, "board=3: board must be a text of 5 cards"),
        ({"pot": 1e12}, "less than 1e12"),
        ({"pot": 0}, "pot=0: pot must be a number of chips, greater than 0"),
        ({"stack": "all"}, "stack='all'"),
        ({"bets": 0.5}, "bets=0.5: bets must be a tuple of fractions of the pot"),
        ({"raises": (0.5, -1)}, "-1 must be a fraction of the pot greater than 0"),
        ({"most_raises": -1}, "most_raises=-1"),
        ({"all_in": 1}, "all_in=1: all_in must be True or False"),
        ({"ranges": "AA"}, "ranges='AA': ranges must be two"),
        ({"ranges": ("AA", "KK, K")}, "player 1: range 'KK, K': 'K' at character 5"),
        (
            {"ranges": ("Ks9h", "QQ")},
            "player 0: the range 'Ks9h' has no hand that is possible with the board Ks9h6d3c2s",
        ),
        ({"ranges": ("AhKh", "AhQh")}, "every hand of one shares a card with every hand of the other"),
        ({"ranges": ("AA", [1, 2])}, "player 1: a range is a text such as 'AA, KQs', or 1,326 weights"),
        ({"ranges": ("AA", np.full(1326, -1.0))}, "player 1: a range is a text"),
    ],
)
def test_a_spot_that_makes_no_sense(arguments, message):
    with pytest.raises(RulesError) as caught:
        RiverPoker(**arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AhKc", "two hands, and after a colon what was done"),
        ("- AhKc", "two hands"),
        ("QhJh -: check", "two hands"),
        ("AhKc QhJh", "AhKc is not in the range of player 0, or on the board"),
        ("KhKc KhQd", "both hands hold the same card"),
        ("QhJh AhKc: check, bet 31", "after 'check' the actions are check, bet 30, bet 60, all-in"),
        ("QhJh AhKc: check, check, bet 30", "after 'check, check' the round is over"),
    ],
)
def test_a_state_that_makes_no_sense(text, message):
    with pytest.raises(RulesError) as caught:
        SMALL.parse_state(text)
    assert message in str(caught.value)


# -- showdowns in O(n) ------------------------------------------------------------------------------------------------


def random_game(seed):
    """A board, and for each player some hands with weights, many of them as strong as others."""
    dice = np.random.default_rng(seed)
    deck = dice.permutation(52)
    board = "".join("23456789TJQKA"[card // 4] + "cdhs"[card % 4] for card in deck[:5])
    ranges = tuple(dice.random(1326) * (dice.random(1326) < dice.choice([0.02, 0.3, 1])) for _ in range(2))
    return RiverPoker(board, ranges=ranges, most_raises=0)


def slow_values(game, player, reach, fold):
    """What each hand gets, by looking at each pair of hands."""
    found = np.zeros(1326)
    for mine in np.flatnonzero(game.weights[player]):
        for theirs in np.flatnonzero(reach):
            if not set(HANDS[mine].tolist()) & set(HANDS[theirs].tolist()):
                ahead = np.sign(game.strengths[mine] - game.strengths[theirs])
                found[mine] += reach[theirs] * (1 if fold else ahead)
    return found


def fast_pairs(game, player, reach, fold):
    """The same by a matrix of all pairs."""
    masks = np.array([1 << high | 1 << low for high, low in HANDS.tolist()])
    apart = (masks[:, None] & masks[None, :]) == 0
    ahead = np.sign(game.strengths[:, None] - game.strengths[None, :])
    return ((apart if fold else apart * ahead) @ reach) * (game.weights[player] > 0)


@given(SEEDS, st.sampled_from([0, 1]), st.booleans())
@quickly
def test_showdowns_and_folds_in_one_pass_are_those_of_all_pairs(seed, player, fold):
    game = random_game(seed)
    spot = make_spot(game)
    dice = np.random.default_rng(seed)
    reach = np.zeros(1326)
    theirs = spot.hand[1 - player, : spot.size[1 - player]]
    reach[theirs] = dice.random(len(theirs)) * (dice.random(len(theirs)) < 0.8)
    found = np.zeros(spot.size[player])
    compute = (fold_values if fold else showdown_values).interpreted
    compute(spot, player, reach[spot.hand[1 - player]], 2.5, found)
    expected = 2.5 * fast_pairs(game, player, reach, fold)
    assert np.allclose(found, expected[spot.hand[player, : spot.size[player]]], rtol=0, atol=1e-10)
    if (game.weights > 0).sum() < 80:
        assert np.allclose(expected, 2.5 * slow_values(game, player, reach, fold), rtol=0, atol=1e-10)


# -- the solver against plain CFR -------------------------------------------------------------------------------------


class PlainCFR:
    """CFR on the ordinary game, one deal after the other, in dictionaries by what the player knows."""

    def __init__(self, game, alpha, beta, gamma):
        self.game, self.alpha, self.beta, self.gamma = game, alpha, beta, gamma
        self.regret, self.sums, self.now, self.t = {}, {}, {}, 0

    def strategy(self, know, number):
        return self.now.setdefault(know, [1 / number] * number)

    def iterate(self):
        self.t += 1
        for player in (0, 1):
            self.new = {}
            self.walk(self.game.initial_state(), player, 1.0, 1.0)
            for know, gains in self.new.items():
                regret = self.regret.setdefault(know, [0.0] * len(gains))
                for i, gain in enumerate(gains):
                    regret[i] += gain
                    regret[i] *= self.discount(self.alpha if regret[i] > 0 else self.beta)
                positive = [max(each, 0.0) for each in regret]
                total = sum(positive)
                self.now[know] = [each / total if total else 1 / len(gains) for each in positive]

    def discount(self, exponent):
        return float(exponent > 0) if math.isinf(exponent) else self.t**exponent / (self.t**exponent + 1)

    def walk(self, state, player, own, others):
        """What `player` gets on average; regrets are weighted by what is `others`', with chance among them."""
        game = self.game
        if game.is_terminal(state):
            return game.utility(state, player)
        actions, mover = [int(action) for action in legal_actions(game, state)], game.to_move(state)
        if mover == CHANCE:
            chances = [game.probability(state, action) for action in actions]
            return sum(
                chance * self.walk(game.result(state, action), player, own, others * chance)
                for action, chance in zip(actions, chances, strict=True)
            )
        know = mover, game.information(state, mover)
        likely = self.strategy(know, len(actions))
        if mover != player:
            return sum(
                part * self.walk(game.result(state, action), player, own, others * part)
                for action, part in zip(actions, likely, strict=True)
            )
        got = [
            self.walk(game.result(state, action), player, own * part, others)
            for action, part in zip(actions, likely, strict=True)
        ]
        value = sum(part * each for part, each in zip(likely, got, strict=True))
        gains = self.new.setdefault(know, [0.0] * len(actions))
        sums = self.sums.setdefault(know, [0.0] * len(actions))
        compatible = self.compatible(state, mover)
        for i, each in enumerate(got):
            gains[i] += others * (each - value)
            sums[i] += self.t**self.gamma * own * likely[i] / compatible  # once for all hands of the other
        return value

    def compatible(self, state, player):
        hand = state.first if player == 0 else state.second
        theirs = np.flatnonzero(self.game.weights[1 - player])
        return sum(not set(HANDS[hand]) & set(HANDS[other]) for other in theirs)

    def average(self, know):
        total = sum(self.sums[know])
        return [each / total if total else 1 / len(self.sums[know]) for each in self.sums[know]]


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("variant", "exponents"),
    [
        ("cfr", (math.inf, math.inf, 0)),
        ("cfr+", (math.inf, -math.inf, 1)),
        ("linear", (1, 1, 1)),
        ("discounted", (1.5, 0, 2)),
    ],
)
def test_the_vector_solver_does_what_plain_cfr_does(variant, exponents):
    plain = PlainCFR(SMALL, *exponents)
    for _ in range(6):
        plain.iterate()
    strategy = RiverSolver(SMALL, variant=variant).solve(iterations=6).strategy
    seen = 0
    for deal, _ in deals(SMALL):
        for line in strategy.lines:
            state = Deal(deal.first, deal.second, SMALL.node(line))
            know = SMALL.to_move(state), SMALL.information(state, SMALL.to_move(state))
            assert list(strategy.probabilities(state).values()) == pytest.approx(plain.average(know), abs=1e-9)
            seen += 1
    assert seen == 7 * len(strategy.lines) > 50


def slow_best_response(game, strategy, player):
    """What the best of all answers gets: at each of the own information sets the action that is best over all deals."""

    def solve(states):
        """`states` are pairs of a state and its weight, which all look the same to `player`."""
        state = states[0][0]
        if game.is_terminal(state):
            return sum(weight * game.utility(each, player) for each, weight in states)
        actions = [int(action) for action in legal_actions(game, state)]
        if game.to_move(state) == player:
            return max(solve([(game.result(each, action), weight) for each, weight in states]) for action in actions)
        total = 0.0
        for action in actions:
            total += solve([(game.result(s, action), w * strategy.probabilities(s)[action]) for s, w in states])
        return total

    by_hand = {}
    for deal, chance in deals(game):
        by_hand.setdefault(deal[player], []).append((deal, chance))
    return sum(map(solve, by_hand.values()))


@pytest.mark.parametrize("iterations", [1, 7])
def test_exploitability_is_that_of_slow_best_responses(iterations):
    solver = RiverSolver(SMALL)
    solution = solver.solve(iterations=iterations)
    best = [slow_best_response(SMALL, solution.strategy, player) for player in (0, 1)]
    assert solution.exploitability == pytest.approx(sum(best) / 2, abs=1e-9)
    assert solution.share == solution.exploitability / 60
    assert solver.exploitability(solution.strategy) == pytest.approx(solution.exploitability, abs=1e-12)
    for player in (0, 1):
        worth = solver.best_response(solution.strategy, player)
        mean = sum(chance * worth[deal[player]] for deal, chance in deals(SMALL))
        assert mean == pytest.approx(best[player], abs=1e-9)


def test_the_general_solver_and_the_general_functions_agree():
    solution = RiverSolver(SMALL).solve(exploitability=1e-4)
    tree = unroll(SMALL)
    general = CFR(tree).solve(exploitability=1e-4)
    assert solution.stopped == "exploitability"
    assert solution.values[0] == pytest.approx(general.values[0], abs=3e-4)
    strategy = solution.strategy.as_strategy()
    assert values(strategy, tree)[0] == pytest.approx(solution.values[0], abs=1e-9)
    assert exploitability(strategy, tree) == pytest.approx(solution.exploitability, abs=1e-9)


def test_kernels_compiled_and_interpreted_do_the_same():
    compiled, interpreted = RiverSolver(SMALL), RiverSolver(SMALL)
    compiled.solve(iterations=5)
    exponents = Exponents(1.5, 0.0, 2.0)
    iterate.interpreted(interpreted.spot, interpreted._tables(), exponents, new_counters(0), 5)
    for name in compiled.arrays:
        size = compiled.spot.size.min()
        assert np.allclose(compiled.arrays[name][:, :size], interpreted.arrays[name][:, :size], rtol=1e-12, atol=1e-12)


# -- published equilibria ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0.25, 0.5, 1, 2])
def test_the_clairvoyance_game(size):
    """One player has the best hand or the worst and knows which; see Chen & Ankenman, The Mathematics of Poker (2006).

    With a bet of b into a pot of p he bluffs so often that b / (p + 2b) of his bets are bluffs, and the other one calls
    with p / (p + b) of his hands. The board is four twos, so that the second card on it decides.
    """
    pot, bet = 100, 100 * size
    game = RiverPoker(
        "2c2d2h2s7c", pot, 1000, bets=(size,), most_raises=1, all_in=False, ranges=("AKs, 65s, 54s, 43s", "QJs, QTs")
    )
    solution = RiverSolver(game).solve(exploitability=1e-3)
    name = f"bet {bet:g}"
    first, answer = solution.strategy.at(), solution.strategy.at(name)
    value = [hand[name] for text, hand in first.items() if "A" in text]
    bluffs = [hand[name] for text, hand in first.items() if "A" not in text]
    assert min(value) > 0.999
    assert sum(bluffs) / (sum(value) + sum(bluffs)) == pytest.approx(bet / (pot + 2 * bet), abs=5e-3)
    assert sum(hand["call"] for hand in answer.values()) / len(answer) == pytest.approx(pot / (pot + bet), abs=5e-3)
    share = len(value) / (len(value) + len(bluffs))
    assert solution.values[0] == pytest.approx(share * (pot + bet * pot / (pot + bet)) - pot / 2, abs=1e-2)
    assert solution.hand_values(0)["AhKh"] == pytest.approx(pot / 2 + bet * pot / (pot + bet), abs=1e-1)


def test_full_ranges_come_under_a_thousandth_of_the_pot():
    game = RiverPoker("Ks9h6d3c2s", 100, 300, bets=(0.5, 1), ranges=("any", "any"))
    solution = RiverSolver(game).solve(iterations=300)
    assert solution.share < 0.001
    assert solution.strategy.behaviour.shape == (len(game.betting.child), 1326)
    table = solution.strategy.table()
    assert [row.name for row in table.rows] == ["straight", "three of a kind", "two pair", "pair", "high card", "all"]
    assert sum(row.share for row in table.rows[:-1]) == pytest.approx(1)
    best, worst = table.rows[0].actions["check"], table.rows[4].actions["check"]
    assert best < worst  # strong hands bet more often


# -- solving in parts, and files --------------------------------------------------------------------------------------


def test_solving_goes_on_and_from_a_file(tmp_path):
    whole = RiverSolver(SMALL).solve(iterations=60)
    solver = RiverSolver(SMALL)
    assert solver.solve(iterations=20).iterations == 20
    solver.save(tmp_path / "half")
    again = RiverSolver(SMALL).load(tmp_path / "half")
    for half in solver, again:
        found = half.solve(iterations=40)
        assert found.iterations == 60
        assert np.array_equal(found.strategy.behaviour, whole.strategy.behaviour, equal_nan=True)
        assert found.exploitability == whole.exploitability
    with pytest.raises(StrategyError, match="saved by"):
        RiverSolver(SMALL, variant="cfr+").load(tmp_path / "half")


def test_the_limits():
    found = RiverSolver(SMALL).solve(exploitability=0.05)
    assert found.stopped == "exploitability"
    assert found.exploitability <= 0.05 < found.curve[-2].exploitability
    game = RiverPoker(stack=300, bets=(0.3, 0.6, 1), ranges=("any", "any"))
    found = RiverSolver(game).solve(seconds=0.5)
    assert (found.stopped, found.iterations > 0) == ("seconds", True)


def test_ctrl_c_keeps_what_was_found():
    game = RiverPoker(stack=300, bets=(0.3, 0.6, 1), ranges=("any", "any"))
    solver = RiverSolver(game)
    solver.solve(iterations=1)
    with ctrl_c(0, lambda: solver.iterations > 20):
        found = solver.solve(seconds=600)
    assert found.stopped == "interrupted"
    assert found.iterations > 1
    assert 0 <= found.exploitability < 50


def test_ctrl_c_while_the_exploitability_is_measured(monkeypatch):
    solver = RiverSolver(SMALL)
    measure, interrupted = solver._measure, []

    def interrupt_once():
        if solver.iterations >= 40 and not interrupted:
            interrupted.append(solver.iterations)
            with ctrl_c(0, at_once):
                time.sleep(0.3)
        return measure()

    monkeypatch.setattr(solver, "_measure", interrupt_once)
    found = solver.solve(iterations=1000)
    assert (found.stopped, found.iterations) == ("interrupted", interrupted[0])
    assert found.exploitability == found.curve[-1].exploitability


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({}, "without a limit"), ({"iterations": -1}, "iterations=-1"), ({"seconds": "1"}, "seconds='1'")],
)
def test_limits_that_make_no_sense(arguments, message):
    with pytest.raises(ValueError, match=message):
        RiverSolver(SMALL).solve(**arguments)


def test_options_that_there_are_not():
    with pytest.raises(ValueError, match=r"variant='dcfr'.: .*variant must be 'discounted', 'linear'"):
        RiverSolver(SMALL, variant="dcfr")
    for options, message in (
        ({"alpha": "1"}, "alpha='1'.: alpha must be a number from -100 on, or None"),
        ({"gamma": 31}, "gamma must be a number from -100 to 30, or None"),
        ({"alpha": 1, "variant": "cfr+"}, "'cfr.' does not discount"),
    ):
        with pytest.raises(ValueError, match=message):
            RiverSolver(SMALL, **options)
    from outplay.games import TicTacToe

    with pytest.raises(ValueError, match="solves only RiverPoker"):
        RiverSolver(TicTacToe())


def test_players_that_there_are_not():
    solver = RiverSolver(SMALL)
    solution = solver.solve(iterations=1)
    for player in (-1, 2, True):
        with pytest.raises(ValueError, match=r"has players 0 to 1"):
            solver.best_response(solution.strategy, player)
        with pytest.raises(ValueError, match=r"has players 0 to 1"):
            solution.hand_values(player)


def test_ranges_given_as_weights_tell_spots_apart(tmp_path):
    one, same, other = (RiverPoker(ranges=(parse_range(text), parse_range("KQs"))) for text in ("AK", "AK", "AQ"))
    assert repr(one) == repr(same) != repr(other)
    solver = RiverSolver(one)
    solver.solve(iterations=1)
    solver.save(tmp_path / "one.npz")
    assert RiverSolver(same).load(tmp_path / "one.npz").iterations == 1
    with pytest.raises(StrategyError, match="saved by"):
        RiverSolver(other).load(tmp_path / "one.npz")


def test_tables():
    strategy = RiverSolver(SMALL).solve(iterations=50).strategy
    table = strategy.table("check, bet 30", by="hand")
    assert [row.name for row in table.rows] == ["5h4h", "KhKc", "QhJh", "all"]
    assert table.player == 0
    assert list(table.rows[0].actions) == ["fold", "call", "raise to 120", "all-in"]
    for row in table.rows[:-1]:
        assert row.actions == pytest.approx(strategy.at("check, bet 30")[row.name])
    mean = sum(row.share * row.actions["call"] for row in table.rows[:-1])
    assert table.rows[-1].actions["call"] == pytest.approx(mean)
    lines = str(table).splitlines()
    assert " ".join(lines[0].split()) == "player 0 after check, bet 30 share fold call raise to 120 all-in"
    assert [row.name for row in strategy.table(by="class").rows] == ["54s", "KK", "QJs", "all"]
    assert len(str(strategy).split("\n\n")) == len(strategy.lines) == 14
    with pytest.raises(ValueError, match=r"by='suit'.: one of 'hand', 'class', 'category'"):
        strategy.table(by="suit")
    with pytest.raises(RulesError, match="the round is over, no player is to act"):
        strategy.at("check, check")


def test_the_share_of_a_hand_is_how_likely_it_is():
    strategy = RiverSolver(SMALL).solve(iterations=50).strategy
    likely = Counter()
    for deal, chance in deals(SMALL):
        checked = strategy.probabilities(deal)[0]
        likely[hand_name(deal.second)] += chance * checked
    for row in strategy.table("check", by="hand").rows[:-1]:
        assert row.share == pytest.approx(likely[row.name] / sum(likely.values()))


def test_a_strategy_of_another_game_is_refused():
    solver, other = RiverSolver(SMALL), RiverPoker("Ks9h6d3c2s")
    strategy = RiverStrategy(other, np.full((len(other.betting.child), 1326), 0.5))
    for ask in (lambda: solver.exploitability(strategy), lambda: solver.best_response(strategy, 0)):
        with pytest.raises(StrategyError, match=r"the strategy is for RiverPoker\(\), not for RiverPoker\(pot=60"):
            ask()


def test_play_follows_the_strategy():
    strategy = RiverSolver(SMALL).solve(iterations=50).strategy
    state, dice = SMALL.parse_state("QhJh AhKc"), random.Random(1)
    played = Counter(strategy.draw(state, dice) for _ in range(3000))
    for action, part in strategy.probabilities(state).items():
        assert played[action] / 3000 == pytest.approx(part, abs=0.04)


def test_strategies_are_kept_in_files(tmp_path):
    solution = RiverSolver(SMALL).solve(iterations=20)
    path = tmp_path / "strategy.json"
    solution.strategy.save(path)
    loaded = RiverStrategy.load(path, SMALL)
    assert np.array_equal(loaded.behaviour, solution.strategy.behaviour, equal_nan=True)
    content = json.loads(path.read_text())
    assert content["lines"]["check"]["AhKc"] == solution.strategy.at("check")["AhKc"]
    json.dumps(solution.as_dict())

    other = RiverPoker("Ks9h6d3c2s", 60, 130, bets=(0.7,), most_raises=2, ranges=RANGES)
    with pytest.raises(StrategyError, match="damaged, or for another game, at the root"):
        RiverStrategy.load(path, other)
    other = RiverPoker(SMALL.board_text, SMALL.pot, SMALL.stack, ranges=("AhKc:0.5, KhKc", "QhQc"))
    with pytest.raises(StrategyError, match="for a game with ranges"):
        RiverStrategy.load(path, other)
    with pytest.raises(StrategyError, match=r"for a game with pot 60.0, not 100.0"):
        RiverStrategy.load(path, RiverPoker("Ks9h6d3c2s"))
    content["lines"]["check"]["AhKc"]["check"] = 7
    path.write_text(json.dumps(content))
    with pytest.raises(StrategyError, match="changed or cut off since it was saved"):
        RiverStrategy.load(path, SMALL)
    content["sha256"] = None  # on purpose
    path.write_text(json.dumps(content))
    with pytest.raises(StrategyError, match="damaged, or for another game, after 'check'"):
        RiverStrategy.load(path, SMALL)
    path.write_text("{}")
    with pytest.raises(StrategyError, match=r"not a strategy of format .outplay river strategy 2."):
        RiverStrategy.load(path, SMALL)
    path.write_text("what?")
    with pytest.raises(StrategyError, match="not JSON"):
        RiverStrategy.load(path, SMALL)


def test_values_of_hands():
    solution = RiverSolver(SMALL).solve(iterations=50)
    for player in (0, 1):
        worth = solution.hand_values(player)
        mean = sum(chance * worth[hand_name(deal[player])] for deal, chance in deals(SMALL))
        assert mean == pytest.approx(solution.values[player], abs=1e-9)
