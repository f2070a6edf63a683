"""Perfect-information Monte Carlo: the mean over worlds, and the two ways in which it goes wrong."""

import math
from statistics import stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import ctrl_c
from shared.secret_game import Bounded, Dealt, Secret

from information_sets.test_ismcts import some_state
from outplay import (
    CHANCE,
    ISMCTS,
    MCTS,
    PIMC,
    AlphaBeta,
    Clock,
    Expectiminimax,
    Game,
    Limit,
    MaxN,
    Minimax,
    UnsuitableGame,
    determinizations,
    legal_actions,
    searched_strategy,
)
from outplay.equilibrium import Strategy, best_response, values
from outplay.games import KuhnPoker, PhantomTicTacToe
from outplay.information_sets.determinize import open_game


def seen_through(game, state):
    """The utility of player 0 where everybody sees everything and plays his best."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    values = {action: seen_through(game, game.result(state, action)) for action in legal_actions(game, state)}
    mover = game.to_move(state)
    if mover == CHANCE:
        return sum(game.probability(state, action) * worth for action, worth in values.items())
    return max(values.values()) if mover == 0 else min(values.values())


@given(
    st.sampled_from([Secret, Bounded, Dealt]),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.sampled_from(["mean", "vote"]),
    st.integers(1, 5),
)
@settings(max_examples=40)
def test_it_takes_the_mean_or_a_vote_over_worlds(make, seed, number, combine, worlds):
    game = make(seed)
    found = some_state(game, number)
    if found is None:
        return
    state, history = found
    sign = 1 - 2 * game.to_move(state)
    tables = [
        {a: sign * seen_through(game, game.result(world, a)) for a in legal_actions(game, world)}
        for world in determinizations(game, state, worlds, seed=number, previous_states=history)
    ]
    analysis = PIMC(game, worlds=worlds, combine=combine, seed=number).search(state, previous_states=history)
    best = {a: sum(math.isclose(table[a], max(table.values())) for table in tables) for a in tables[0]}
    means = {a: sum(table[a] for table in tables) / worlds for a in tables[0]}
    for item in analysis.actions:
        assert item.value == pytest.approx(means[item.action])
        each = [float(table[item.action]) for table in tables]
        assert item.sampling_error == pytest.approx(stdev(each) / math.sqrt(worlds) if worlds > 1 else 0.0)
        assert item.interval is None
    assert len(analysis.actions) == len(means)
    assert analysis.method == f"PIMC: {worlds} worlds, Expectiminimax"
    if combine == "mean":
        assert means[analysis.action] == pytest.approx(max(means.values()))
    else:
        assert best[analysis.action] == max(best.values())
    assert analysis.values[analysis.player] == analysis.value == -analysis.values[1 - analysis.player]


# -- strategy fusion --------------------------------------------------------------------------------------------------


class Guess(Game):
    """A coin is tossed and not shown. Take a half for sure, or guess: a win if right, else a loss."""

    compiled = False
    players = 1
    utilities = (-1, 1)

    def initial_state(self):
        return (0, 0)  # the coin, 1 or 2; what was done: 1 guess, 2 take

    def to_move(self, state):
        return 0 if state[0] else CHANCE

    def actions(self, state):
        return (1, 2)

    def result(self, state, action):
        return (action, 0) if state[0] == 0 else (state[0], 3 * state[1] + action)

    def is_terminal(self, state):
        return state[1] >= 2

    def utility(self, state, player):
        if state[1] == 2:
            return 0.5
        return 1 if state[1] - 3 == state[0] else -1

    def probability(self, state, action):
        return 0.5

    def information(self, state, player):
        return state[1] if state[0] else -1


class Offer(Game):
    """Player 1 knows a coin, player 0 guesses it, after player 1 has had the chance to end the game.

    If it is heads, ending it is the best that can happen to player 1; if it is tails, the worst.
    """

    compiled = False
    utilities = (-5, 5)

    def initial_state(self):
        return (0, 0, 0)  # the coin, heads 1 or tails 2; 1: ended, 2: not; the guess

    def to_move(self, state):
        return CHANCE if state[0] == 0 else 1 if state[1] == 0 else 0

    def actions(self, state):
        return (1, 2)

    def result(self, state, action):
        if state[0] == 0:
            return (action, 0, 0)
        return (state[0], action, 0) if state[1] == 0 else (*state[:2], action)

    def is_terminal(self, state):
        return state[1] == 1 or state[2] > 0

    def utility(self, state, player):
        if state[1] == 1:
            worth = -5 if state[0] == 1 else 5
        elif state[0] == 1:
            worth = 3 if state[2] == 1 else -3
        else:
            worth = 1 if state[2] == 2 else -1
        return worth if player == 0 else -worth

    def probability(self, state, action):
        return 0.5

    def information(self, state, player):
        return state[1:] if player == 0 else state


def worth(game, table, player=0):
    """What a player gets where all play as the table says."""
    return values(Strategy.from_table(game, table))[player]


def most(game, table, player):
    """What a player gets at most against it."""
    return best_response(Strategy.from_table(game, table), player)[0]


def test_strategy_fusion():
    """In each world the coin is known, so PIMC would guess; it cannot guess right in all worlds by one action."""
    game, state = Guess(), (1, 0)
    fused = PIMC(game).search(state)
    assert (fused.action, fused.value) == (1, 1.0)
    assert PIMC(game, combine="vote").search(state).action == 1
    for observers in ("multiple", "single"):
        right = ISMCTS(game, observers=observers, memory_mb=1).search(state, Limit(simulations=2000))
        assert right.action == 2
        assert right.value == 0.5
    take, guess = ({(0, 0): {action: 1.0}, (0, 1): {1: 0.5, 2: 0.5}} for action in (2, 1))
    assert worth(game, take) == 0.5 == most(game, take, 0)
    assert worth(game, guess) == 0
    played = searched_strategy(PIMC(game), Limit(), by="choice")
    assert worth(game, played) < 0.5


def test_non_locality():
    """That player 1 has not ended the game says that the coin is tails; states drawn at random do not know that."""
    game = Offer()
    asked = (2, 2, 0)
    for searcher, limit in (
        (PIMC(game, worlds=200), Limit()),
        (ISMCTS(game, memory_mb=1), Limit(simulations=3000)),
        (ISMCTS(game, memory_mb=1, observers="single"), Limit(simulations=3000)),
    ):
        assert searcher.search(asked, limit).action == 1  # heads
    ending = {(1, (1, 0, 0)): {1: 1.0, 2: 0.0}, (1, (2, 0, 0)): {1: 0.0, 2: 1.0}}
    heads, tails = ({**ending, (0, (2, 0)): {action: 1.0}} for action in (1, 2))
    for player in (0, 1):  # tails is an equilibrium
        assert most(game, tails, player) == worth(game, tails, player)
    assert worth(game, heads) < worth(game, tails)


# -- as a searcher ----------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_any_searcher_of_open_games_will_do():
    game = KuhnPoker()
    state = game.initial_state()
    for action in (1, 0):  # a queen
        state = game.result(state, action)
    exact = PIMC(game, worlds=5, seed=3).search(state)
    for maker, limit in (
        (lambda game: Expectiminimax(game, pruning="off"), Limit()),
        (MaxN, Limit()),
        (MCTS, Limit(simulations=200)),
    ):
        other = PIMC(game, searcher=maker, worlds=5, seed=3).search(state, limit)
        assert {item.action: item.value for item in other.actions} == pytest.approx(
            {item.action: item.value for item in exact.actions}, abs=0.3
        )
    assert isinstance(PIMC(PhantomTicTacToe()).inner, AlphaBeta)
    assert isinstance(PIMC(KuhnPoker(3)).inner, MaxN)
    with pytest.raises(UnsuitableGame, match="Minimax cannot search KuhnPoker: it has chance nodes"):
        PIMC(game, searcher=Minimax)
    with pytest.raises(ValueError, match="which is not a searcher"):
        PIMC(game, searcher=repr)


def test_the_open_game_is_the_game():
    game = KuhnPoker(3)
    other = open_game(game)
    assert not other.hidden_information
    assert repr(other) == repr(game)
    assert other.players == 3
    assert open_game(other) is other
    assert game.hidden_information
    assert type(open_game(KuhnPoker())) is type(other)  # made once, so compiled once


@pytest.mark.nightly
def test_limits():
    game = PhantomTicTacToe()
    shallow = PIMC(game, worlds=4).analyse(limit=Limit(depth=2))
    assert (shallow.depth, shallow.stopped) == (2, "depth")
    timed = PIMC(game, worlds=4).search(limit=Limit(seconds=0.4))
    assert timed.stopped == "seconds"
    assert timed.action is not None
    assert PIMC(game, worlds=None).search(limit=Limit(depth=1, clock=Clock(3))).stopped == "clock"
    with pytest.raises(ValueError, match=r"PIMC\(worlds=None\) without a time limit would never end"):
        PIMC(game, worlds=None).search(limit=Limit(depth=1))
    with pytest.raises(ValueError, match="AlphaBeta cannot be limited by simulations"):
        PIMC(game).search(limit=Limit(simulations=1))
    shown = []
    PIMC(game, worlds=200).search(limit=Limit(depth=3), progress=shown.append)
    assert shown
    over = game.initial_state()
    for square in ("a1", "a2", "b1", "b2", "c1"):
        over = game.result(over, game.parse_action(over, square))
    assert PIMC(game).search(over).values == (1, -1)
    assert PIMC(game).search(over).game.hidden_information
    shown = []
    with ctrl_c(0, lambda: shown):
        analysis = PIMC(game, worlds=None).analyse(limit=Limit(depth=3, seconds=600), progress=shown.append)
    assert analysis.stopped == "interrupted"
    assert analysis.action is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worlds": 0}, r"PIMC\(worlds=0\): worlds must be a whole number from 1 on, or None"),
        ({"combine": "median"}, r"PIMC\(combine='median'\): did you mean 'mean'\? combine must be 'mean' or 'vote'"),
        ({"searcher": "AlphaBeta"}, r"PIMC\(searcher='AlphaBeta'\): must be a class of searchers, such as AlphaBeta"),
        ({"seed": None}, r"PIMC\(seed=None\): seed must be a whole number"),
        ({"replays": True}, r"PIMC\(replays=True\): replays must be a whole number from 1 to"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        PIMC(KuhnPoker(), **options)
