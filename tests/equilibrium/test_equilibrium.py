"""Extensive forms, best responses and equilibria, against plain twins on random games and against known values."""

import inspect
import json
import re
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.hidden_game import (
    HiddenGame,
    best_value,
    expected,
    histories,
    information_sets,
    matrix_value,
    number_of_pure_strategies,
    plain_cfr,
)

import outplay
from outplay import CHANCE, Game, OutplayError, RulesError, UnsuitableGame, legal_actions
from outplay.equilibrium import (
    CFR,
    MCCFR,
    FictitiousPlay,
    MatrixGame,
    SequenceForm,
    Strategy,
    best_response,
    exploitability,
    gains,
    unroll,
    values,
)
from outplay.equilibrium.files import load_arrays, save_arrays
from outplay.equilibrium.solver import FORMAT as FORMAT_OF_SOLVERS
from outplay.equilibrium.strategy import ARRAYS, FORMAT
from outplay.equilibrium.tree import END
from outplay.games import ConnectFour, Go, KuhnPoker, LeducPoker, LiarsDice, Pig
from outplay.information_sets.policy import information_sets as information_sets_of
from outplay.rules.errors import StrategyError

VARIANTS = ("cfr", "cfr+", "linear", "discounted", "predictive")
FEW = 300
"""So many pure strategies are tried."""

games = st.builds(
    HiddenGame, seed=st.integers(0, 10**6), players=st.integers(1, 4), plies=st.integers(1, 4), zero_sum=st.booleans()
)
duels = st.builds(HiddenGame, seed=st.integers(0, 10**6), plies=st.integers(1, 5))


def random_strategy(tree, seed):
    """Every action somehow likely, some impossible."""
    random = np.random.default_rng(seed)
    behaviour = np.ones(tree.sequences)
    for number in range(tree.information_sets):
        share = random.random(tree.number[number]) * random.integers(0, 2, tree.number[number])
        share[random.integers(len(share))] += 0.1
        first = tree.first[number]
        behaviour[first : first + tree.number[number]] = share / share.sum()
    return Strategy.on(tree, behaviour)


def policy_of(game, strategy):
    """The strategy as the twins have it."""
    policy = {}
    for state in histories(game):
        if not game.is_terminal(state) and game.to_move(state) != CHANCE:
            player = game.to_move(state)
            policy[player, game.information(state, player)] = strategy.probabilities(state)
    return policy


# -- the extensive form -----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(games)
def test_the_tree_is_the_game(game):
    tree = unroll(game)
    states = list(histories(game))
    assert tree.nodes == len(states)
    assert tree.information_sets == len(information_sets(game))
    sets = {}
    for node, state in enumerate(states):  # both in preorder
        assert tree.state(node) == state
        if game.is_terminal(state):
            assert tree.player[node] == END
        elif game.to_move(state) == CHANCE:
            assert tree.player[node] == CHANCE
        else:
            player, number = game.to_move(state), int(tree.information[node])
            assert tree.player[node] == player == tree.owner(number)
            assert tree.first_set[player] <= number < tree.first_set[player + 1]
            assert tree.actions(number) == list(game.actions(state))
            assert sets.setdefault(number, game.information(state, player)) == game.information(state, player)
    for end, node in enumerate(tree.end_node):
        state, reach = states[node], 1.0
        assert tree.utilities[end].tolist() == [game.utility(state, player) for player in range(game.players)]
        own = [[] for _ in range(game.players)]
        for ply in range(len(state)):
            mover = game.to_move(state[:ply])
            if mover == CHANCE:
                reach *= game.probability(state[:ply], state[ply])
            else:
                own[mover].append((game.information(state[:ply], mover), state[ply]))
        assert tree.end_chance[end] == pytest.approx(reach)
        for player in range(game.players):
            sequence, found = tree.end_sequences[end, player], []
            while tree.set_of[sequence] >= 0:
                number = tree.set_of[sequence]
                found.append((sets[number], tree.sequence_action[sequence]))
                sequence = tree.before[number]
            assert sequence == tree.first_sequence[player]
            assert found[::-1] == own[player]


@pytest.mark.parametrize("game", [KuhnPoker(), KuhnPoker(players=3), LeducPoker()])
def test_compiled_and_interpreted_trees_are_the_same(game):
    tree = unroll(game)
    interpreted = type("Interpreted", (type(game),), {"compiled": False})
    twin = unroll(interpreted(**game._arguments))
    for name, value in vars(tree).items():
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, getattr(twin, name)), name


@pytest.mark.nightly
def test_sizes_are_the_published_ones():
    assert [(tree.nodes, tree.information_sets) for tree in (unroll(LeducPoker()), unroll(LiarsDice()))] == [
        (9457, 936),
        (294883, 24576),
    ]


class Generous(HiddenGame):
    """Player 0 may do more where it was odd, which they have not seen."""

    def actions(self, state):
        return (0, 1, 2) if self.to_move(state) == 0 and sum(state) % 2 else (0, 1)

    def information(self, state, player):
        return len(state)


def test_imperfect_recall_is_refused_with_two_states():
    with pytest.raises(RulesError, match=r"same for player 0 in .* and in .*perfect recall"):
        unroll(Forgets(3, plies=4))


class Forgets(HiddenGame):
    """Player 0 acts twice and does not know the second time what he did."""

    def __init__(self, seed, plies):
        HiddenGame.__init__(self, seed, plies=plies)
        self.movers = (0, 0, 1, 0)

    def is_terminal(self, state):
        return len(state) == 4

    def information(self, state, player):
        return len(state)


def test_other_actions_in_one_information_set_are_refused_with_two_states():
    game = Generous(3, plies=2)
    game.movers = (1, 0)
    with pytest.raises(
        RulesError, match=r"player 0 in \(0,\) and in \(1,\), but the legal actions differ, \[0, 1\] and"
    ):
        unroll(game)


def test_a_game_that_is_too_large_or_unsuitable():
    with pytest.raises(OutplayError, match=r"more than .* nodes.*memory_mb.*TreelessMCCFR .* or the search ISMCTS"):
        unroll(ConnectFour(), memory_mb=1)
    with pytest.raises(UnsuitableGame, match="repetition"):
        unroll(Go(5))
    with pytest.raises(ValueError, match=r"memory_mb=-1"):
        unroll(KuhnPoker(), memory_mb=-1)


# -- best responses ---------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(games, st.integers(0, 1000))
def test_values_and_best_responses_are_those_of_plain_enumeration(game, seed):
    tree = unroll(game)
    strategy = random_strategy(tree, seed)
    policy = policy_of(game, strategy)
    now = expected(game, policy)
    assert values(strategy, tree) == pytest.approx(now)
    for player in range(game.players):
        if number_of_pure_strategies(game, player) > FEW:
            continue
        value, response = best_response(strategy, player, tree)
        assert value == pytest.approx(best_value(game, policy, player))
        assert values(response, tree)[player] == pytest.approx(value)
        assert gains(strategy, tree)[player] == pytest.approx(value - now[player], abs=1e-12)


def test_exploitability_of_a_strategy_without_its_tree():
    game = KuhnPoker()
    strategy = Strategy.uniform(game)
    assert exploitability(strategy) == pytest.approx(11 / 24)
    with pytest.raises(ValueError, match="player=2"):
        best_response(strategy, 2)


# -- solvers ----------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(games, st.sampled_from(VARIANTS), st.booleans(), st.integers(1, 8))
def test_cfr_is_plain_cfr(game, variant, alternating, iterations):
    tree = unroll(game)
    solution = CFR(tree, variant=variant, alternating=alternating).solve(iterations=iterations)
    twin = plain_cfr(game, iterations, variant, alternating)
    ours = policy_of(game, solution.strategy)
    for key, likely in twin.items():
        for action, share in likely.items():
            assert ours[key][action] == pytest.approx(share, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(duels)
def test_the_linear_program_finds_the_value(game):
    solution = SequenceForm(game).solve()
    assert solution.exploitability < 1e-9
    if number_of_pure_strategies(game, 0) * number_of_pure_strategies(game, 1) <= FEW:
        assert solution.values[0] == pytest.approx(matrix_value(game), abs=1e-9)


@settings(deadline=None, max_examples=10)
@given(duels, st.sampled_from(VARIANTS))
def test_cfr_goes_to_the_value(game, variant):
    solution = CFR(game, variant=variant).solve(exploitability=0.01, iterations=200_000)
    assert solution.exploitability <= 0.01
    assert solution.values[0] == pytest.approx(SequenceForm(game).solve().values[0], abs=0.02)


@pytest.mark.parametrize(("game", "value"), [(KuhnPoker(), -1 / 18), (LeducPoker(), -0.085606424078)])
def test_known_values(game, value):
    exact = SequenceForm(game).solve()
    assert exact.values == pytest.approx((value, -value), abs=1e-9)
    assert exact.exploitability < 1e-9
    learned = CFR(game, variant="cfr+").solve(exploitability=1e-4, iterations=10**6)
    assert learned.exploitability <= 1e-4
    assert learned.values[0] == pytest.approx(value, abs=2e-4)


@pytest.mark.nightly
def test_the_value_of_liars_dice():
    tree = unroll(LiarsDice())
    exact = SequenceForm(tree).solve()
    assert exact.values[0] == pytest.approx(-0.027131782945736, abs=1e-9)
    learned = CFR(tree, variant="cfr+").solve(exploitability=1e-3, iterations=10**5)
    assert learned.exploitability <= 1e-3
    assert learned.values[0] == pytest.approx(-0.027131782945736, abs=2e-3)


def test_equilibria_of_kuhn_poker_are_those_that_kuhn_found():
    game = KuhnPoker()
    deal = game.initial_state()

    def bets(strategy, cards, *actions):
        state = deal
        for name in (*cards, *actions):
            state = game.result(state, game.parse_action(state, name))
        return strategy.probabilities(state)[1]

    for solver in (CFR(game, variant="predictive"), CFR(game, alternating=False), SequenceForm(game)):
        strategy = (solver.solve() if isinstance(solver, SequenceForm) else solver.solve(iterations=20_000)).strategy
        jack = bets(strategy, "JQ")
        assert -1e-3 <= jack <= 1 / 3 + 1e-3
        assert bets(strategy, "KQ") == pytest.approx(3 * jack, abs=1e-2)
        assert bets(strategy, "QK", "pass", "bet") == pytest.approx(jack + 1 / 3, abs=1e-2)
        assert bets(strategy, "QK") == pytest.approx(0, abs=1e-2)
        assert bets(strategy, "QJ", "pass") == pytest.approx(1 / 3, abs=1e-2)  # player 1 with a jack bluffs
        assert bets(strategy, "KQ", "bet") == pytest.approx(1 / 3, abs=1e-2)  # and calls with a queen


def test_fictitious_play_gets_nearer():
    solver = FictitiousPlay(KuhnPoker())
    first = solver.solve(iterations=10).exploitability
    last = solver.solve(iterations=5000)
    assert last.exploitability < 0.01 < first
    assert last.iterations == 5010
    assert last.values[0] == pytest.approx(-1 / 18, abs=0.01)


# -- limits and files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda: CFR(KuhnPoker(), variant="predictive"), lambda: FictitiousPlay(KuhnPoker())])
def test_to_stop_and_go_on_is_to_go_on(make, tmp_path):
    straight = make().solve(iterations=40)
    halfway = make()
    halfway.solve(iterations=15)
    halfway.save(tmp_path / "half.npz")
    resumed = make().load(tmp_path / "half.npz").solve(iterations=25)
    assert resumed.iterations == 40
    assert np.array_equal(resumed.strategy.probability, straight.strategy.probability)


def test_limits():
    solver = CFR(LeducPoker())
    assert solver.solve(exploitability=0.5, iterations=1000).stopped == "exploitability"
    found = solver.solve(seconds=0.05)
    assert found.stopped == "seconds"
    assert solver.solve(iterations=0).iterations == found.iterations
    assert [point.iterations for point in found.curve] == sorted({point.iterations for point in found.curve})
    seen = []

    def at_the_first_report(solution):
        seen.append(solution)
        raise KeyboardInterrupt

    assert solver.solve(seconds=600, progress=at_the_first_report).stopped == "interrupted"
    assert seen
    assert json.dumps(found.as_dict())
    for wrong in ({}, {"iterations": -1}, {"iterations": 1.5}, {"seconds": float("nan")}, {"exploitability": "1"}):
        with pytest.raises(ValueError, match=r"^solve\("):
            solver.solve(**wrong)


def test_wrong_options_and_files(tmp_path):
    for wrong in ({"variant": "best"}, {"alpha": 1.0, "variant": "cfr"}, {"alternating": 1}, {"gamma": "2"}):
        with pytest.raises(ValueError, match=r"^CFR\("):
            CFR(KuhnPoker(), **wrong)
    with pytest.raises(UnsuitableGame, match="CFR"):
        SequenceForm(KuhnPoker(players=3))
    path = tmp_path / "state.npz"
    CFR(KuhnPoker()).save(path)
    with pytest.raises(StrategyError, match="saved by"):
        CFR(KuhnPoker(), variant="cfr").load(path)
    with pytest.raises(StrategyError, match="saved by"):
        CFR(LeducPoker()).load(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(StrategyError, match="damaged"):
        CFR(KuhnPoker()).load(path)


# -- strategies -------------------------------------------------------------------------------------------------------


def test_a_strategy_is_kept_in_a_file(tmp_path):
    game = LeducPoker()
    strategy = CFR(game).solve(iterations=30).strategy
    path = tmp_path / "leduc.json"
    strategy.save(path)
    again = Strategy.load(path, game)
    assert np.array_equal(again.probability, strategy.probability)
    assert exploitability(again) == exploitability(strategy)
    with pytest.raises(StrategyError, match=r"for LeducPoker\(\), not for KuhnPoker"):
        Strategy.load(path, KuhnPoker())
    text = path.read_text()
    for find, put, match in (
        ('"player": 0', '"player": "x"', "information set 1 is damaged"),
        ("strategy 3", "strategy 2", "wrong.json was written by another version of outplay: make it anew"),
        ("outplay strategy 3", "another", "not a strategy of format 'outplay strategy 3'; its format is 'another'"),
        (
            '"player": 0',
            '"player": 1',
            "changed or cut off since it was saved.* replace the digest with .sha256.: null",
        ),
        ('"actions"', "actions", "not JSON"),
        ('"probabilities": [', '"probabilities": [-1.5, 2.5, ', "information set . is damaged"),
    ):
        wrong = tmp_path / "wrong.json"
        edited = text if "changed" in match else re.sub('"sha256": "[0-9a-f]*"', '"sha256": null', text)
        wrong.write_text(edited.replace(find, put, 1))
        with pytest.raises(StrategyError, match=match):
            Strategy.load(wrong, game)


def test_a_strategy_is_kept_in_a_file_of_arrays(tmp_path):
    game = LeducPoker()
    strategy = CFR(game).solve(iterations=30).strategy
    path, plain = tmp_path / "leduc.npz", tmp_path / "leduc.json"
    strategy.save(path)
    strategy.save(plain)
    assert path.stat().st_size < plain.stat().st_size / 3
    again, read = Strategy.load(path, game), Strategy.load(plain, game)
    for name in ARRAYS:
        assert getattr(again, name).dtype == getattr(read, name).dtype == ARRAYS[name]
        assert np.array_equal(getattr(again, name), getattr(strategy, name))
        assert np.array_equal(getattr(read, name), getattr(strategy, name))
    with pytest.raises(StrategyError, match=r"for LeducPoker\(\), not for KuhnPoker"):
        Strategy.load(path, KuhnPoker())
    with pytest.raises(StrategyError, match=r"nothing\.npz cannot be read"):
        Strategy.load(tmp_path / "nothing.npz", game)


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("about", lambda array: array[:0], "saved by"),
        ("about", lambda array: array[0], "saved by"),
        ("progress", lambda array: array[:1], "damaged"),
        ("progress", lambda array: array[:, None].repeat(2, 1), "damaged"),
        ("progress", lambda array: array * np.inf, "damaged"),
        ("progress", lambda array: array * 1e30, "damaged"),
        ("progress", lambda array: -array, "damaged"),
        ("curve", lambda array: np.full((1, 3), np.inf), "damaged"),
    ],
)
def test_a_forged_state_of_a_solver_is_refused(tmp_path, name, change, match):
    path = tmp_path / "state.npz"
    solver = CFR(KuhnPoker())
    solver.iterations, solver.seconds = 20, 1.5
    solver.save(path)
    content = load_arrays(path, FORMAT_OF_SOLVERS, "what a solver saved")
    save_arrays(path, FORMAT_OF_SOLVERS, content | {name: change(content[name])})
    with pytest.raises(StrategyError, match=match):
        CFR(KuhnPoker()).load(path)


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("game", lambda _: np.array("LeducPoker()"), r"a strategy for LeducPoker\(\), not for KuhnPoker\(\)"),
        ("game", lambda _: None, r"a strategy for None, not for KuhnPoker\(\)"),
        ("key", lambda _: None, "key is not an array int64"),
        ("action", lambda array: array.astype(np.int32), "action is not an array int64"),
        ("owner", lambda array: array[:-1], "do not fit together"),
        ("first", lambda array: array[:0], "do not fit together"),
        ("first", lambda array: changed(array, 3, array[2]), "information set 3 is damaged: it has no actions"),
        ("first", lambda array: changed(array, -1, 99), "do not fit together"),
        ("probability", lambda array: changed(array, 5, 2.0), "information set 3 is damaged: probabilities"),
        ("probability", lambda array: changed(array, 0, np.nan), "information set 1 is damaged: probabilities"),
        ("probability", lambda array: changed(changed(array, 0, -1), 1, 2), "information set 1 is damaged"),
        ("owner", lambda array: changed(array, 4, 2), "information set 5 is damaged: .* of player 2"),
    ],
)
def test_a_file_of_arrays_that_is_damaged(tmp_path, name, change, match):
    game, path = KuhnPoker(), tmp_path / "kuhn.npz"
    Strategy.uniform(game).save(path)
    content = dict(np.load(path))
    wrong = change(content.pop(name))
    del content["format"]
    save_arrays(path, FORMAT, content | ({} if wrong is None else {name: wrong}))
    with pytest.raises(StrategyError, match=match):
        Strategy.load(path, game)


@pytest.mark.nightly
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32), st.booleans())
def test_a_file_of_arrays_with_a_wrong_byte_or_cut_off(place, byte, cut):
    game = KuhnPoker()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kuhn.npz"
        Strategy.uniform(game).save(path)
        content = bytearray(path.read_bytes())
        place %= len(content)
        content[place] ^= 1 + byte % 255
        path.write_bytes(content[:place] if cut else content)
        try:
            again = Strategy.load(path, game)
        except StrategyError:
            return
        assert again.probability.tolist() == [0.5] * 24  # the byte meant nothing


def test_a_table_that_is_no_strategy():
    game = KuhnPoker()
    state = game.result(game.result(game.initial_state(), 0), 1)
    known = 0, game.information(state, 0)
    for likely in {0: 0.2, 1: 0.2}, {0: 5, 1: -4}, {0: np.nan, 1: 1}, {}:
        with pytest.raises(StrategyError, match="the table: information set 1 is damaged"):
            Strategy.from_table(game, {known: likely})
    with pytest.raises(ValueError, match=r"player=300: KuhnPoker\(\) has players 0 to 1"):
        Strategy.from_table(game, {(300, 0): {0: 1}})


def test_where_nobody_is_to_move():
    game = KuhnPoker()
    state = game.initial_state()
    for action in 0, 1, 0, 0:
        state = game.result(state, action)
    strategy = Strategy.uniform(game)
    for ask in strategy.probabilities, lambda state: strategy.draw(state, Random(1)):
        with pytest.raises(StrategyError, match="the game is over"):
            ask(state)


def test_players_that_there_are_not():
    strategy = Strategy.uniform(KuhnPoker())
    for player in (-1, 2, True, 0.0):
        for ask in (
            lambda player: strategy.with_player(player, strategy),
            strategy.rows,
            strategy.sets_of,
            lambda player: best_response(strategy, player),
        ):
            with pytest.raises(ValueError, match=r"KuhnPoker\(\) has players 0 to 1"):
                ask(player)
    assert best_response(strategy, np.int64(1))[0] == best_response(strategy, 1)[0]


def test_a_game_does_where_a_tree_does():
    game = KuhnPoker()
    strategy = Strategy.uniform(game)
    assert values(strategy, game) == values(strategy, unroll(game)) == values(strategy)
    assert exploitability(strategy, game) == exploitability(strategy)


def test_numbers_of_numpy_are_numbers():
    game = KuhnPoker()
    solution = CFR(game, gamma=np.float32(2)).solve(iterations=np.int64(5), seconds=np.float64(60))
    assert solution.iterations == 5
    assert MCCFR(game, seed=np.int64(1)).solve(iterations=3).iterations == 3


def test_a_solver_of_a_matrix_game_knows_its_payoffs(tmp_path):
    one, other = (MatrixGame(payoffs).as_game() for payoffs in ([[1, -1], [-1, 1]], [[5, 0], [0, 1]]))
    assert repr(one) != repr(other)
    solver = CFR(one)
    solver.solve(iterations=10)
    solver.save(tmp_path / "solver.npz")
    assert CFR(one).load(tmp_path / "solver.npz").iterations == 10
    with pytest.raises(StrategyError, match="saved by"):
        CFR(other).load(tmp_path / "solver.npz")


def test_names_are_what_they_say():
    """A module of the same name would hide a function."""
    for package in outplay, outplay.equilibrium, outplay.games:
        assert [name for name in package.__all__ if inspect.ismodule(getattr(package, name))] == []


def test_a_strategy_plays():
    game = KuhnPoker()
    strategy = SequenceForm(game).solve().strategy
    random, paid, games = Random(1), 0.0, 4000
    for _ in range(games):
        state = game.initial_state()
        while not game.is_terminal(state):
            if game.to_move(state) == CHANCE:
                outcomes = list(legal_actions(game, state))
                action = random.choices(outcomes, [game.probability(state, outcome) for outcome in outcomes])[0]
            else:
                action = strategy.draw(state, random)
            state = game.result(state, action)
        paid += game.utility(state, 0)
    assert paid / games == pytest.approx(-1 / 18, abs=0.08)  # 4 standard deviations


def test_one_player_of_another_strategy():
    game = KuhnPoker()
    exact, uniform = SequenceForm(game).solve().strategy, Strategy.uniform(game)
    mixed = exact.with_player(0, uniform)
    assert values(mixed)[0] < values(exact)[0]
    assert gains(mixed)[1] > 1e-3
    assert gains(exact.with_player(1, exact)) == pytest.approx((0, 0), abs=1e-9)


def test_what_is_not_known_is_played_at_random(tmp_path):
    game, path = KuhnPoker(), tmp_path / "part.json"
    SequenceForm(game).solve().strategy.save(path)
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"information sets": content["information sets"][:6], "sha256": None}))
    part = Strategy.load(path, game)
    assert len(part.key) == 6
    assert values(part.with_player(0, Strategy.uniform(game))) == pytest.approx(values(Strategy.uniform(game)))


def test_a_strategy_from_a_table():
    """One of the equilibria that Kuhn found, by hand."""
    game = KuhnPoker()
    bets = {"J": 0, "Q": 0, "K": 0, "J, pass": 1 / 3, "Q, pass": 0, "K, pass": 1, "J, bet": 0, "Q, bet": 1 / 3}
    bets |= {"K, bet": 1, "J, pass-bet": 0, "Q, pass-bet": 1 / 3, "K, pass-bet": 1}
    table = {
        (player, information): {0: 1 - bets[text], 1: bets[text]}
        for (player, information), state in information_sets_of(game).items()
        for text in [game.information_text(state, player)]
    }
    strategy = Strategy.from_table(game, table)
    assert exploitability(strategy) == pytest.approx(0, abs=1e-12)
    assert values(strategy) == pytest.approx((-1 / 18, 1 / 18))
    table = {key: {0: 0.5, 1: 0.5} for key in table}
    assert exploitability(Strategy.from_table(game, table)) == pytest.approx(11 / 24)


# -- bad input, and odd games -----------------------------------------------------------------------------------------


class Coin(Game):
    """Player 0 sees the coin, or not, and says something; most parts can be broken."""

    compiled = False

    def __init__(self, odds=(0.5, 0.5), pays=1.0, mover=0, endless=False, turned=False):
        self.odds, self.pays, self.mover, self.endless, self.turned = odds, pays, mover, endless, turned

    def initial_state(self):
        return ()

    def to_move(self, state):
        return self.mover if state else CHANCE

    def actions(self, state):
        return (1, 0) if self.turned and state == (1,) else (0, 1)

    def result(self, state, action):
        return (*state, action)

    def is_terminal(self, state):
        return len(state) == 2 and not self.endless

    def utility(self, state, player):
        won = (self.pays if state[0] == 1 else 2 * self.pays) if state[0] == state[1] else 0.0
        return won if player == 0 else -won

    def probability(self, state, action):
        return self.odds[action]

    def information(self, state, player):
        return len(state)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"odds": (0.7, 0.7)}, "probabilities in .* sum to 1"),
        ({"odds": (-0.5, 1.5)}, "probabilities in .* must be at least 0"),
        ({"odds": (float("nan"), 0.5)}, "probabilities in"),
        ({"pays": float("nan")}, "a utility in .* is not a finite number"),
        ({"mover": 7}, r"to_move\(\) returned 7, but must return a player from 0 to 1"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(wrong, match):
    with pytest.raises(RulesError, match=match):
        unroll(Coin(**wrong), check=False)


def test_a_game_that_goes_on_for_ever_is_refused():
    with pytest.raises(OutplayError, match="more than 4,000 actions"):
        unroll(Pig())


@pytest.mark.parametrize("solver", [CFR, MCCFR])
def test_a_state_may_list_its_actions_in_another_order(solver):
    assert solver(Coin(turned=True)).solve(iterations=20_000).values[0] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("scale", [1e-10, 1, 1e10])
def test_the_unit_of_utility_does_not_matter_to_the_linear_program(scale):
    solution = SequenceForm(Coin(pays=scale)).solve()
    assert solution.values[0] == pytest.approx(scale)
    assert solution.exploitability < 1e-9 * scale


def test_more_that_is_refused(tmp_path):
    game = KuhnPoker()
    with pytest.raises(ValueError, match="gamma=1000"):
        CFR(game, gamma=1000)
    with pytest.raises(ValueError, match=r"solve\(seconds=-1\)"):
        SequenceForm(game).solve(seconds=-1)
    with pytest.raises(StrategyError, match="chance is to move"):
        Strategy.uniform(game).probabilities(game.initial_state())
    stranger = Strategy.from_table(game, {(0, -5): {0: 0.5, 1: 0.5}})
    with pytest.raises(StrategyError, match="no information set of the strategy is in"):
        values(stranger)


def test_large_ints_are_information_too():
    class Large(Coin):
        def information(self, state, player):
            return sum(state) << 64

    assert values(SequenceForm(Large()).solve().strategy)[0] == pytest.approx(1.5)
