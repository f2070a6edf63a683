"""Games of hidden cards and dice against OpenSpiel: the same trees, chances, payoffs and information sets."""

import random
from collections import Counter
from math import isclose

import pytest
from shared import rows

from outplay import CHANCE, RulesError, kernel, legal_actions
from outplay.compile.kernels import pointer
from outplay.compile.random_numbers import new_random
from outplay.games import Goofspiel, KuhnPoker, LeducPoker, LiarsDice, MatchingPennies, RockPaperScissors

GAMES = {
    "kuhn-3": KuhnPoker(3),
    "leduc": LeducPoker(),
    "leduc-ranks": LeducPoker(suits=False),
    "liars-dice-2": LiarsDice(2, 2),
    "goofspiel": Goofspiel(3),
    "goofspiel-hidden-4": Goofspiel(4, "descending", shown=False),
    "rock-paper-scissors": RockPaperScissors(),
}
each_game = pytest.mark.parametrize("game", rows(GAMES))


class Comparison:
    """A walk through a game and OpenSpiel's game `name` side by side.

    `number(state)`: our numbers of what can be played in OpenSpiel's state, each with its action there.
    """

    def __init__(self, game, name, number=lambda state: {action: action for action in state.legal_actions()}):
        self.game, self.number, self.scale = game, number, 1.0
        pyspiel = pytest.importorskip("pyspiel")
        self.theirs = pyspiel.load_game(name)
        if self.theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            self.theirs = pyspiel.convert_to_turn_based(self.theirs)
        self.histories = 0
        self.sets = {}  # OpenSpiel's text by (player, information)

    def step(self, state, position):
        """Compare two states that are the same; our actions and theirs."""
        game = self.game
        self.histories += 1
        assert game.is_terminal(position) == state.is_terminal()
        if state.is_terminal():
            ours = [game.utility(position, player) * self.scale for player in range(game.players)]
            assert state.returns() == pytest.approx(ours)
            return {}
        mover, found = game.to_move(position), self.number(state)
        assert mover == state.current_player()
        assert sorted(legal_actions(game, position)) == sorted(found)
        if mover == CHANCE:
            odds = dict(state.chance_outcomes())
            assert all(isclose(game.probability(position, ours), odds[its]) for ours, its in found.items())
        else:
            text = state.information_state_string(mover)
            assert self.sets.setdefault((mover, game.information(position, mover)), text) == text
        return found

    def walk(self, state, position):
        """The whole tree below."""
        for ours, its in self.step(state, position).items():
            self.walk(state.child(its), self.game.result(position, ours))

    def play(self, games):
        """So many random games."""
        dice = random.Random(1)
        for _ in range(games):
            state, position = self.theirs.new_initial_state(), self.game.initial_state()
            while found := self.step(state, position):
                ours, its = dice.choice(list(found.items()))
                state.apply_action(its)
                position = self.game.result(position, ours)

    def whole(self):
        """Histories and information sets, after the whole tree has been compared."""
        self.walk(self.theirs.new_initial_state(), self.game.initial_state())
        self.is_one_to_one()
        return self.histories, len(self.sets)

    def is_one_to_one(self):
        """No two of our information sets are one there; `step` has seen to the other way round."""
        assert len({(mover, text) for (mover, _), text in self.sets.items()}) == len(self.sets)


WHOLE = {
    "kuhn": (KuhnPoker(), "kuhn_poker", 58, 12),
    "kuhn-3": (KuhnPoker(3), "kuhn_poker(players=3)", 617, 48),
    "kuhn-4": (KuhnPoker(4), "kuhn_poker(players=4)", 7886, 160),
    "leduc": (LeducPoker(), "leduc_poker", 9457, 936),
    "leduc-ranks": (LeducPoker(suits=False), "leduc_poker(suit_isomorphism=true)", 1939, 288),
    "liars-dice-1x2": (LiarsDice(1, 2), "liars_dice(dice_sides=2)", 127, 32),
    "liars-dice-1x3": (LiarsDice(1, 3), "liars_dice(dice_sides=3)", 1147, 192),
    "liars-dice-2x2": (LiarsDice(2, 2), "liars_dice(numdice=2,dice_sides=2)", 8191, 768),
}


@pytest.mark.parametrize(("game", "name", "histories", "sets"), rows(WHOLE))
def test_the_whole_tree_is_that_of_openspiel(game, name, histories, sets):
    assert Comparison(game, name).whole() == (histories, sets)


def test_random_games_of_liars_dice():
    for dice, sides in (1, 6), (2, 6), (5, 6):
        comparison = Comparison(LiarsDice(dice, sides), f"liars_dice(numdice={dice},dice_sides={sides})")
        comparison.play(300)
        comparison.is_one_to_one()


# -- Goofspiel and its like, which are simultaneous there -----------------------------------------------------------


def goofspiel(cards, order, shown, margin):
    """There cards count from 0, and the margin is each player's lead over the mean: half of ours."""
    name = (
        f"goofspiel(num_cards={cards},imp_info={not shown},points_order={order}"
        f",returns_type={'point_difference' if margin else 'win_loss'})"
    )
    comparison = Comparison(Goofspiel(cards, order, shown, margin), name, card)
    comparison.scale = 0.5 if margin else 1.0
    return comparison


def card(state):
    return {action + 1: action for action in state.legal_actions()}


@pytest.mark.parametrize(
    ("parameters", "histories", "sets"),
    [
        ((4, "random", False, True), 26_773, 3_608),
        ((4, "descending", False, False), 1_077, 162),
        ((3, "ascending", False, True), 67, 16),
    ],
)
def test_goofspiel_with_hidden_bids_is_that_of_openspiel(parameters, histories, sets):
    assert goofspiel(*parameters).whole() == (histories, sets)


@pytest.mark.parametrize(
    ("parameters", "sets", "theirs"),
    [((4, "descending", True, False), 322, 270), ((3, "random", True, True), 114, 114)],
)
def test_goofspiel_with_open_bids_is_that_of_openspiel(parameters, sets, theirs):
    """There a player forgets in which order the cards were bid: its sets are ours joined."""
    comparison = goofspiel(*parameters)
    comparison.walk(comparison.theirs.new_initial_state(), comparison.game.initial_state())
    joined = {(mover, text) for (mover, _), text in comparison.sets.items()}
    assert (len(comparison.sets), len(joined)) == (sets, theirs)


def test_long_games_of_goofspiel():
    for shown in (False, True):
        goofspiel(13, "random", shown, True).play(30)


@pytest.mark.parametrize(("game", "name"), [(RockPaperScissors(), "matrix_rps"), (MatchingPennies(), "matrix_mp")])
def test_games_of_one_choice_are_those_of_openspiel(game, name):
    assert Comparison(game, name).whole()[1] == 2


# -- what players know ------------------------------------------------------------------------------------------------


def tree(game, state, chance=1.0):
    """All states, each with how likely it is if everybody acts at random."""
    yield state, chance
    if not game.is_terminal(state):
        actions = list(legal_actions(game, state))
        for action in actions:
            odds = game.probability(state, action) if game.to_move(state) == CHANCE else 1 / len(actions)
            yield from tree(game, game.result(state, action), chance * odds)


@kernel
def guess(game, state, player, random):
    return game.determinize(state, player, pointer(random))


@kernel
def know(game, state, player):
    return game.information(state, player)


@pytest.mark.sample(1)
@each_game
def test_determinize_deals_as_chance_and_random_play_would(game):
    worlds = {}  # how likely each state is, by player and what they know
    for state, chance in tree(game, game.initial_state()):
        for player in range(game.players):
            known = worlds.setdefault((player, game.information(state, player)), {})
            known[state] = known.get(state, 0) + chance
    tried = random.Random(1).sample(sorted(worlds), min(40, len(worlds)))
    start, number = game.initial_state(), 500
    guessed, knows = guess.prepare(game, start, 0, new_random(1)), know.prepare(game, start, 0)
    for player, information in tried:
        states = worlds[player, information]
        state, total, dice = next(iter(states)), sum(states.values()), new_random(1)
        assert knows(game, state, player) == information
        drawn = [guessed(game, state, player, dice) for _ in range(number)]
        found = Counter(drawn)
        assert found.keys() <= states.keys()
        assert drawn[:20] == [
            guess.interpreted(game, state, player, again) for again in [new_random(1)] for _ in range(20)
        ]
        expected = {state: number * chance / total for state, chance in states.items()}
        distance = sum((found[state] - odds) ** 2 / odds for state, odds in expected.items())
        assert distance < len(states) + 6 * (2 * len(states)) ** 0.5, (player, game.information_text(state, player))


@each_game
def test_who_knows_the_same_reads_the_same(game):
    texts = {}
    for state, _ in tree(game, game.initial_state()):
        if not game.is_terminal(state) and (player := game.to_move(state)) != CHANCE:
            texts.setdefault((player, game.information(state, player)), set()).add(game.information_text(state, player))
    assert all(len(found) == 1 for found in texts.values())
    players = Counter(player for player, _ in texts)
    assert Counter(player for player, _ in {(player, *found) for (player, _), found in texts.items()}) == players


@kernel
def count_histories(game, state):
    histories = 1
    if not game.is_terminal(state):
        for action in legal_actions(game, state):
            histories += count_histories(game, game.result(state, action))
    return histories


def test_all_histories_of_liars_dice():
    game = LiarsDice()
    assert count_histories(game, game.initial_state()) == 294_883


def test_parameters():
    for wrong in (lambda: KuhnPoker(5), lambda: LiarsDice(5, 8), lambda: LiarsDice(0), lambda: Goofspiel(14)):
        with pytest.raises(RulesError):
            wrong()
    with pytest.raises(RulesError, match="order must be one of"):
        Goofspiel(order="sorted")
