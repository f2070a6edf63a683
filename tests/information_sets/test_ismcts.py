"""Information-set Monte Carlo tree search does what its twin does, goes by nothing hidden, and draws fair states."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from shared import ctrl_c
from shared.secret_game import Bounded, Dealt, Secret, states_of
from twins.ismcts import Twin

from outplay import (
    CHANCE,
    ISMCTS,
    PIMC,
    Clock,
    Game,
    Limit,
    RulesError,
    UnsuitableGame,
    determinizations,
    legal_actions,
    searched_strategy,
)
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random
from outplay.equilibrium import Strategy, exploitability
from outplay.games import KuhnPoker, PhantomTicTacToe, TicTacToe
from outplay.information_sets.determinize import KNOWN, REPLAY_LIMIT, Determinizer, new_trail
from outplay.information_sets.policy import information_sets
from outplay.information_sets.table import new_table
from outplay.rules.base import frozen

OPTIONS = {
    "observers": st.sampled_from(["multiple", "single"]),
    "exploration": st.sampled_from([0.0, 0.3, 0.7, 1.5]),
    "scale": st.sampled_from([None, "range", "spread"]),
    "playouts": st.sampled_from(["random", "own"]),
    "playout_depth": st.sampled_from([None, None, 0, 1, 2]),
    "seed": st.integers(0, 1000),
    "selection": st.sampled_from(["ucb1", "regret"]),
}
SECRETS = [
    Secret,
    Bounded,
    Dealt,
    lambda seed: Secret(seed, players=3),
]


class Open(Secret):
    """The same games with nothing hidden."""

    hidden_information = False

    def information(self, state, player):
        return state


class Interpreted(KuhnPoker):
    compiled = False


def some_state(game, number):
    """A state in which a player is to move, and those before; None if there is none."""
    states = states_of(game)
    return states[number % len(states)] if states else None


def rows(analysis):
    """What an analysis says, but for the state and the time."""
    return analysis.player, analysis.action, analysis.value, analysis.values, analysis.actions, analysis.nodes


@pytest.mark.compiled
@given(
    st.fixed_dictionaries(OPTIONS),
    st.sampled_from([*SECRETS, Open]),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(1, 120),
)
@settings(max_examples=50)
def test_it_does_what_the_twin_does(options, make, seed, number, simulations):
    game = make(seed)
    found = some_state(game, number)
    if found is None:
        return
    if options["selection"] == "regret":
        options = options | {"observers": "multiple"}
    analysis = ISMCTS(game, memory_mb=1, **options).analyse(found[0], Limit(simulations=simulations))
    arms = Twin(game, **options).run(found[0], simulations)
    assert analysis.simulations == simulations
    assert {item.action: item.visits for item in analysis.actions} == {
        a: arm.visits for a, arm in arms.items() if arm.visits
    }
    for item in analysis.actions:
        assert item.value == arms[item.action].totals[analysis.player] / item.visits
    visited = {a: arm for a, arm in arms.items() if arm.visits}
    whole = sum(arm.share for arm in visited.values())
    likely = {a: arm.share / whole if whole else None for a, arm in visited.items()}
    assert {item.action: item.probability for item in analysis.actions} == pytest.approx(likely)


def test_compiled_and_interpreted_are_the_same():
    state = KuhnPoker().initial_state()
    for action in (1, 2, 0):
        state = KuhnPoker().result(state, action)
    for observers in ("multiple", "single"):
        compiled, plain = (
            ISMCTS(game, observers=observers, memory_mb=1).search(state, Limit(simulations=500))
            for game in (KuhnPoker(), Interpreted())
        )
        assert rows(compiled) == rows(plain)


@pytest.mark.nightly
@given(st.sampled_from(SECRETS), st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
@example(Dealt, 1183, 1, 0)  # in some of these states, but not in all, the last choice shows
@settings(max_examples=20)
def test_what_a_player_does_not_know_does_not_count(make, seed, number, draw_seed):
    game = make(seed)
    found = some_state(game, number)
    if found is None:
        return
    state, _ = found
    player = game.to_move(state)
    like = [
        (other, history)
        for other, history in states_of(game)
        if game.to_move(other) == player and game.information(other, player) == game.information(state, player)
    ]
    for searcher in (
        ISMCTS(game, seed=draw_seed, memory_mb=1),
        ISMCTS(game, seed=draw_seed, memory_mb=1, observers="single"),
        PIMC(game, seed=draw_seed, worlds=3),
    ):
        limit = Limit() if isinstance(searcher, PIMC) else Limit(simulations=60)
        first, *others = (rows(searcher.search(other, limit)) for other, _ in like[:6])
        assert all(other == first for other in others)
        first, *others = (rows(searcher.search(other, limit, previous_states=history)) for other, history in like[:6])
        assert all(other == first for other in others)


def test_an_opponent_is_not_taken_to_see_what_he_cannot():
    """With one observer an opponent plays what suits the world; with several, one thing in all worlds."""

    class Hide(Game):
        """Player 0 hides a coin in one hand; player 1 guesses which."""

        compiled = False
        utilities = (-1, 1)

        def initial_state(self):
            return ()

        def to_move(self, state):
            return len(state)

        def actions(self, state):
            return (0, 1)

        def result(self, state, action):
            return (*state, action)

        def is_terminal(self, state):
            return len(state) == 2

        def utility(self, state, player):
            return 1 if (state[0] == state[1]) == (player == 1) else -1

        def information(self, state, player):
            return state[:1] if player == 0 else (len(state),)

    # he who hides it knows where it is: one observer takes the guesser to know it as well
    single, multiple = (
        ISMCTS(Hide(), observers=observers, memory_mb=1).search((), Limit(simulations=3000))
        for observers in ("single", "multiple")
    )
    assert single.value < -0.9
    assert abs(multiple.value) < 0.2


# -- determinizations -------------------------------------------------------------------------------------------------


def odds(game, state):
    """How likely each state that looks the same is where everybody acts at random."""
    player, found, waiting = game.to_move(state), {}, [(game.initial_state(), 1.0)]
    while waiting:
        other, share = waiting.pop()
        if game.is_terminal(other):
            continue
        mover = game.to_move(other)
        if mover == player and game.information(other, player) == game.information(state, player):
            found[other] = found.get(other, 0.0) + share
            continue
        actions = list(legal_actions(game, other))
        for action in actions:
            chance = game.probability(other, action) if mover == CHANCE else 1 / len(actions)
            waiting.append((game.result(other, action), share * chance))
    whole = sum(found.values())
    return {other: share / whole for other, share in found.items()}


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [11, 20, 38])
def test_states_are_drawn_as_likely_as_random_play_makes_them(seed):
    game = Secret(seed)
    state, history = max(states_of(game), key=lambda found: len(odds(game, found[0])))
    expected = odds(game, state)
    assert len(expected) > 2
    for past in ((), history):
        drawn = Counter(determinizations(game, state, 1500, previous_states=past, seed=seed))
        assert drawn.keys() <= expected.keys()
        for other, share in expected.items():
            assert abs(drawn[other] / 1500 - share) < 5 * math.sqrt(share * (1 - share) / 1500) + 1e-9


class Lock(Game):
    """Turn a lock six times to one of four sides; a coin that nobody sees was tossed before."""

    utilities = (-1, 1)

    def initial_state(self):
        return (0, 1)  # the coin, and all turns in digits of base 4 after a 1

    def to_move(self, state):
        return 0 if state[0] else CHANCE

    def actions(self, state):
        yield 1
        yield 2
        if state[0]:
            yield 3
            yield 0

    def probability(self, state, action):
        return 0.5

    def result(self, state, action):
        return (state[0], 4 * state[1] + action) if state[0] else (action, state[1])

    def is_terminal(self, state):
        return state[1] >= 4**7

    def utility(self, state, player):
        return (1 if state[1] % 4 == state[0] else -1) * (1 - 2 * player)

    def information(self, state, player):
        return state[1] if player == 0 else 0


def test_own_actions_are_replayed_not_guessed():
    game = Lock()
    states = [game.initial_state()]
    for action in (2, 3, 1, 2, 0, 3):
        states.append(game.result(states[-1], action))
    *history, state = states
    told = Determinizer(game, state, previous_states=history, replays=1)
    assert {told.draw() for _ in range(30)} == {(1, state[1]), (2, state[1])}
    alone = Determinizer(game, state, replays=100_000)  # 4^5 ways: found in the end
    alone.draw()
    assert alone.trail[KNOWN] == 5
    alone.trail[REPLAY_LIMIT] = 1
    assert {alone.draw() for _ in range(30)} == {(1, state[1]), (2, state[1])}
    with pytest.raises(
        RulesError, match=r"no random play of Lock .* define determinize\(state, player, random\) on Lock"
    ):
        ISMCTS(game, replays=3).search(state, Limit(simulations=10))
    with pytest.raises(RulesError, match="no random play of Lock"):
        PIMC(game, replays=3).search(state)
    assert ISMCTS(game, replays=1).search(state, Limit(simulations=10), previous_states=history).simulations == 10
    assert new_trail(game, state, history[1:])[KNOWN] == -1  # not all of the past


def test_a_broken_determinize_is_told():
    class Wrong(Secret):
        def determinize(self, state, player, random):
            return self.initial_state()

    game = Wrong(3)
    state, _ = states_of(game)[-1]
    for searcher, limit in ((ISMCTS(game), Limit(simulations=9)), (PIMC(game), Limit())):
        with pytest.raises(
            RulesError, match=r"determinize .*test_ismcts.py:\d+. returned a state that looks different"
        ):
            searcher.search(state, limit)


def test_who_is_not_to_move_has_nothing_drawn():
    for state in (KuhnPoker().initial_state(),):
        with pytest.raises(UnsuitableGame, match="no player is to move"):
            determinizations(KuhnPoker(), state, 1)
        with pytest.raises(UnsuitableGame, match="no player is to move"):
            PIMC(KuhnPoker()).search(state)
        with pytest.raises(UnsuitableGame, match="chance is to move"):
            ISMCTS(KuhnPoker()).search(state, Limit(simulations=9))


# -- what it finds ----------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_value_of_a_game_without_secrets():
    game = TicTacToe()
    board = game.initial_state()
    for square in ("b2", "a2"):  # the answer on an edge loses
        board = game.result(board, game.parse_action(board, square))
    analysis = ISMCTS(game, memory_mb=4).search(board, Limit(simulations=20_000))
    assert analysis.value > 0.9


def test_a_bet_that_only_chance_decides():
    """One decision against chance: the values of both actions are known."""
    game = KuhnPoker()
    facing = {}
    for state, _ in states_of(game):
        if game.to_move(state) == 1 and game.information_text(state, 1).endswith(", bet"):
            facing[game.information_text(state, 1)] = state
    for card, action in (("J, bet", 0), ("K, bet", 1)):
        assert ISMCTS(game, memory_mb=1).search(facing[card], Limit(simulations=2000)).action == action
    queen = ISMCTS(game, memory_mb=1).analyse(facing["Q, bet"], Limit(simulations=20_000))
    values = {item.action: item.value for item in queen.actions}
    assert values[0] == -1
    assert abs(values[1]) < 0.15  # jack or king, each as likely: it goes by no more


@pytest.mark.nightly
def test_a_uniform_player_loses_in_phantom_tic_tac_toe():
    game, won = PhantomTicTacToe(), 0
    dice = new_random(1)
    for number in range(10):
        board, past = game.initial_state(), []
        while not game.is_terminal(board):
            if game.to_move(board) == number % 2:
                analysis = ISMCTS(game, seed=number, memory_mb=4).search(
                    board, Limit(simulations=1500), previous_states=past
                )
                action = analysis.action
            else:
                action = random_action(game, board, dice)
            past.append(board)
            board = game.result(board, action)
        won += game.utility(board, number % 2)
    assert won >= 4  # wins less losses; at random 0 ± 3


# -- as a searcher ----------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_memory_is_bounded_and_play_goes_on():
    table = new_table(3, 1)
    assert 0.5 * 2**20 < sum(array.nbytes for array in table) <= 2**20
    game = PhantomTicTacToe()
    small = ISMCTS(game, memory_mb=0.02).analyse(limit=Limit(simulations=3000))
    assert small.simulations == 3000
    assert sum(item.visits for item in small.actions) == 3000
    large = ISMCTS(game, memory_mb=8).analyse(limit=Limit(simulations=3000))
    assert small.depth < large.depth

    class Wide(Lock):
        compiled = False

        def actions(self, state):
            return range(1, 3) if state[0] == 0 else range(4000)

    with pytest.raises(ValueError, match=r"ISMCTS\(memory_mb=0.01\): no room for the actions of the state"):
        ISMCTS(Wide(), memory_mb=0.01).search((1, 1), Limit(simulations=3))


@pytest.mark.compiled
def test_limits_and_why_it_stopped():
    game = KuhnPoker()
    state = game.result(game.result(game.initial_state(), 0), 1)  # with a jack to bet is worse
    search = ISMCTS(game, memory_mb=1)
    assert search.search(state, Limit(simulations=200)).stopped == "simulations"
    assert search.analyse(state, Limit(nodes=1000)).stopped == "nodes"
    assert search.analyse(state, Limit(seconds=0.02)).stopped == "seconds"
    assert search.analyse(state, Limit(clock=Clock(1))).stopped == "clock"
    assert search.search(state, Limit(seconds=6)).stopped == "settled"
    assert [one.stopped for one in search.search_many([state, state], Limit(simulations=50))] == ["simulations"] * 2
    shown = []

    def until_three(analysis):
        shown.append(analysis)
        if sum(analysis.simulations > 0 for analysis in shown) == 3:
            raise KeyboardInterrupt

    assert search.analyse(state, Limit(seconds=600), progress=until_three).stopped == "interrupted"
    assert all(analysis.action is not None for analysis in shown if analysis.simulations)


@pytest.mark.parametrize("game", [PhantomTicTacToe(), Lock()], ids=["in simulations", "in replays"])
def test_ctrl_c_keeps_what_was_found(game):
    if isinstance(game, Lock):  # a state that no play comes to
        searcher, state = ISMCTS(game, replays=1 << 40), (1, 4**5 - 1)
    else:
        searcher, state = ISMCTS(game), None
    searcher.search(None if state is None else (1, 1), Limit(simulations=2))
    shown = []
    with ctrl_c(0.4, lambda: isinstance(game, Lock) or any(analysis.actions for analysis in shown)):
        analysis = searcher.analyse(state, Limit(seconds=600), progress=shown.append)
    assert analysis.stopped == "interrupted"
    assert bool(analysis.actions) != isinstance(game, Lock)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"observers": "many"}, r"ISMCTS\(observers='many'\): observers must be 'multiple' or 'single'"),
        ({"exploration": -1}, r"ISMCTS\(exploration=-1\): exploration must be a number from 0 on"),
        ({"replays": 0}, r"ISMCTS\(replays=0\): replays must be a whole number from 1"),
        ({"playouts": "own"}, r"ISMCTS\(playouts='own'\): KuhnPoker does not define playout_action\(\)"),
        ({"playout_depth": 2}, r"ISMCTS\(playout_depth=2\): playouts that are cut off need an evaluation"),
        ({"choice": "visit"}, "did you mean 'visits'"),
        ({"memory_mb": 0}, r"ISMCTS\(memory_mb=0\)"),
        ({"seed": 0.5}, r"ISMCTS\(seed=0.5\): seed must be a whole number"),
        ({"selection": "ucb"}, "did you mean 'ucb1'"),
        ({"selection": "regret", "observers": "single"}, "regrets need the players' own views"),
        ({"early": 1}, r"ISMCTS\(early=1\): early must be True or False"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        ISMCTS(KuhnPoker(), **options)


def test_what_it_cannot_search():
    with pytest.raises(ValueError, match="ISMCTS without a limit would never end"):
        ISMCTS(KuhnPoker()).search()
    with pytest.raises(ValueError, match="ISMCTS cannot be limited by depth"):
        ISMCTS(KuhnPoker()).search(limit=Limit(depth=3))

    class Circles(Lock):
        repetition = "draw"

    for kind in (ISMCTS, PIMC):
        with pytest.raises(UnsuitableGame, match="rule of repetition"):
            kind(Circles())


# -- as a strategy of a whole game ------------------------------------------------------------------------------------


class Stacked(KuhnPoker):
    """Player 0 never gets the jack."""

    def probability(self, state, action):
        return action / 3 if state.plies == 0 else super().probability(state, action)


def test_where_only_what_cannot_happen_leads_there_is_nothing_to_search():
    assert len(information_sets(KuhnPoker())) == 12
    assert len(information_sets(Stacked())) == 10


@pytest.mark.nightly
def test_what_it_plays_as_a_strategy():
    game = KuhnPoker()
    strategy = searched_strategy(ISMCTS(game, memory_mb=1), Limit(simulations=1000))
    assert len(strategy) == 12
    assert strategy.keys() == information_sets(game).keys()
    assert all(math.isclose(sum(actions.values()), 1) and len(actions) == 2 for actions in strategy.values())
    uniform = {key: dict.fromkeys(actions, 0.5) for key, actions in strategy.items()}
    gain, worst = (exploitability(Strategy.from_table(game, each)) for each in (strategy, uniform))
    assert 0 <= gain < worst / 2  # far less exploitable than chance, but no equilibrium
    chosen = searched_strategy(PIMC(game, worlds=10), Limit(), by="choice")
    assert all(sorted(actions.values()) == [0.0, 1.0] for actions in chosen.values())
    with pytest.raises(ValueError, match=r"by='vote'\): by must be one of 'visits', 'choice'"):
        searched_strategy(ISMCTS(game), Limit(simulations=1), by="vote")
    with pytest.raises(UnsuitableGame, match="more than 20 states"):
        searched_strategy(ISMCTS(game), Limit(simulations=1), most_states=20)


def test_information_in_arrays_is_a_key_too():
    class Arrays(Lock):
        compiled = False

        def is_terminal(self, state):
            return state[1] >= 4

        def information(self, state, player):
            return np.array([state[1], player])

    assert set(information_sets(Arrays())) == {(0, frozen(np.array([1, 0])))}
