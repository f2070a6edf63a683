"""Games with hidden information as they are analysed and solved: by an equilibrium if they fit, else by simulations."""

import json
import math
from random import Random

import numpy as np
import pytest
from cli.test_cli import error, run
from scipy.optimize import linprog
from typer.testing import CliRunner

from equilibrium.test_matrix_games import exact_extreme, random_game
from outplay import CHANCE, ISMCTS, Game, Limit, OutplayError, UnsuitableGame, legal_actions, searched_strategy
from outplay.cli.commands import app
from outplay.equilibrium import (
    EquilibriumSearch,
    MatrixGame,
    SequenceForm,
    Strategy,
    exploitability,
    gains,
    solve_zero_sum,
    unroll,
)
from outplay.equilibrium.normal_form import payoffs_of, plans_of, small_equilibrium
from outplay.equilibrium.position import place_of
from outplay.equilibrium.search import check_size
from outplay.equilibrium.turns import Turns
from outplay.equilibrium.unrolling import TreeTooLarge
from outplay.games import (
    BUILT_IN,
    DarkHex,
    Goofspiel,
    KuhnPoker,
    LeducPoker,
    LiarsDice,
    MatchingPennies,
    PhantomTicTacToe,
    RockPaperScissors,
)
from outplay.information_sets.at_once import before_unseen, choose_at_once
from outplay.session import SearchPlayer, Session, Solver

DILEMMA = "matrix([[-1,-3],[0,-2]],[[-1,0],[-3,-2]])"
UNEVEN = MatrixGame([[0, -1, 2], [1, 0, -1], [-2, 1, 0]])
"""Rock, paper, scissors, where rock wins two: both play 1/4, 1/2, 1/4. Against equal chances rock is best."""


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    monkeypatch.setattr(Turns, "compiled", False)


class Leave(Game):
    """Player 0 leaves, or goes left or right unseen; then player 1 does. Both are best off if player 0 leaves."""

    zero_sum = False
    hidden_information = True

    def initial_state(self):
        return ()

    def to_move(self, done):
        return len(done)

    def actions(self, done):
        return (0, 1, 2) if not done else (1, 2)

    def result(self, done, action):
        return (*done, action)

    def is_terminal(self, done):
        return done == (0,) or len(done) == 2

    def utility(self, done, player):
        return 5 if done == (0,) else int(done[0] == done[1]) if player == 0 else int(done[0] != done[1])

    def information(self, done, player):
        return done if player == 0 else len(done)


def analysed(game, moves="", **limits):
    session = Session(game, moves=moves)
    return session.search(EquilibriumSearch(game), Limit(**limits), every=True)


def matrix_value(payoffs):
    """The value of a zero-sum game to the rows, by the linear program of textbooks: max v with x A ≥ v."""
    rows, columns = payoffs.shape
    found = linprog(
        [*[0] * rows, -1], np.hstack([-payoffs.T, np.ones((columns, 1))]), np.zeros(columns),
        [[*[1] * rows, 0]], [1], [(0, None)] * rows + [(None, None)],
    )  # fmt: skip
    return -found.fun


def is_dominated(payoffs, action):
    """Whether a mixture of the rows is better than this one in every column: max d with x A - A[action] ≥ d."""
    rows, columns = payoffs.shape
    found = linprog(
        [*[0] * rows, -1], np.hstack([-payoffs.T, np.ones((columns, 1))]), -payoffs[action],
        [[*[1] * rows, 0]], [1], [(0, None)] * rows + [(None, None)],
    )  # fmt: skip
    return -found.fun > 1e-7


# -- matrix games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(100))
def test_a_matrix_game_is_solved(seed):
    """The value is that of an equilibrium by an independent twin, and no dominated action is played."""
    shape = [Random(seed).randint(2, 4) for _ in range(2)]
    matrix = random_game(seed, *shape, most=9, zero_sum=seed % 2 == 0)
    if seed % 2 == 0:
        expected = {round(matrix_value(matrix.payoffs[0]), 6)}
    else:
        profiles = exact_extreme(matrix)[0]
        expected = {tuple(np.round(matrix.expected([np.float64(each) for each in pair]), 6)) for pair in profiles}
    searcher = EquilibriumSearch(matrix.as_game())
    for player, moves in enumerate(["", "0"]):
        session = Session(matrix.as_game(), moves=moves)
        analysis = session.search(searcher)
        assert analysis.exact
        assert analysis.player == player
        assert (round(analysis.values[0], 6) if seed % 2 == 0 else tuple(np.round(analysis.values, 6))) in expected
        assert analysis.value == analysis.values[player]
        own = matrix.payoffs[player] if player == 0 else matrix.payoffs[player].T
        assert not is_dominated(own, analysis.action)
        assert math.isclose(sum(item.probability for item in analysis.actions), 1)
        played = [item for item in analysis.actions if item.probability > 0]
        assert all(item.value == pytest.approx(analysis.value) for item in played)
        assert max(item.value for item in analysis.actions) == pytest.approx(analysis.value)
        assert all(item.interval is None for item in analysis.actions)
        assert played[0].action == analysis.action


def test_of_several_equilibria_the_one_that_is_best_for_all():
    game = MatrixGame([[(1, 1), (0, 0)], [(0, 0), (2, 2)]]).as_game()
    found = analysed(game)
    assert (found.action, found.value, found.equilibrium) == (1, 2.0, "one equilibrium; others may have other values")


def test_three_players_in_pure_strategies():
    cells = [[[(a + b + c == 1, 1, 1) for c in (0, 1)] for b in (0, 1)] for a in (0, 1)]
    found = analysed(MatrixGame(cells).as_game())
    assert found.exact
    assert found.value == 1


# -- trees ------------------------------------------------------------------------------------------------------------


def expected_utilities(game, state, likely):
    """The expected utilities by their definition; `likely(state)` is the probability of each action."""
    if game.is_terminal(state):
        return np.array([game.utility(state, player) for player in range(game.players)], float)
    chance = game.to_move(state) == CHANCE
    odds = {a: game.probability(state, a) for a in legal_actions(game, state)} if chance else likely(state)
    return sum(odds[a] * expected_utilities(game, game.result(state, a), likely) for a in odds)


def histories(game, state, likely, weight):
    """Every decision with the states before, and the probability with which chance and each player get there."""
    if game.is_terminal(state):
        return
    mover = game.to_move(state)
    if mover != CHANCE:
        yield state, weight
    for action in legal_actions(game, state):
        odds = game.probability(state, action) if mover == CHANCE else likely(state)[action]
        after = weight.copy()
        after[mover] *= odds
        yield from histories(game, game.result(state, action), likely, after)


@pytest.mark.parametrize("seed", range(3))
def test_what_a_strategy_is_worth_at_each_place(seed):
    game, random = KuhnPoker(), np.random.default_rng(seed)
    tree = unroll(game)
    behaviour = tree.uniform()
    for first, number in zip(tree.first, tree.number, strict=True):
        behaviour[first : first + number] = random.dirichlet(np.ones(number))
    likely = Strategy.on(tree, behaviour).probabilities
    sets = {}
    for state, weight in histories(game, game.initial_state(), likely, np.ones(game.players + 1)):
        mover = game.to_move(state)
        others = weight.prod() / weight[mover]  # the last one is that of chance
        sets.setdefault((mover, game.information(state, mover)), []).append((state, others))
    assert len(sets) == tree.information_sets
    for here in sets.values():
        place = place_of(tree, here[-1][0], (), behaviour, behaviour)
        whole = sum(others for _, others in here)
        for action, probability, values in zip(place.actions, place.probabilities, place.values, strict=True):
            twin = sum(o * expected_utilities(game, game.result(s, action), likely) for s, o in here) / whole
            assert values == pytest.approx(twin)
            assert probability == likely(here[0][0])[action]
        assert place.reached


def test_kuhn_poker_before_and_after_the_deal():
    found = analysed(KuhnPoker())
    assert (found.player, found.action, found.exact) == (CHANCE, None, True)
    assert found.value == pytest.approx(-1 / 18)
    assert [item.probability for item in found.actions] == pytest.approx([1 / 3] * 3)
    asked = analysed(KuhnPoker(), "Q J")
    assert (asked.player, asked.actions[0].name) == (0, "pass")
    assert asked.value == pytest.approx(-1 / 3)
    assert asked.equilibrium == "an optimal strategy: its value is that of the game"


def test_where_an_equilibrium_never_gets_it_is_asked_with_errors():
    found = analysed(LiarsDice(sides=2), "1 2 1-1 2-2")  # no matter what: it must not depend on uniform leftovers
    assert found.actions
    king, jack = (analysed(KuhnPoker(), moves) for moves in ("Q K bet", "Q J bet"))
    assert [found.actions[0].name for found in (king, jack)] == ["bet", "pass"]
    game = MatrixGame([[3, 1], [2, 0]]).as_game()
    late = analysed(game, "1")  # a dominated choice, which nobody sees
    assert (late.action, late.value) == (1, -1.0)


def test_without_constant_sum_nothing_is_said_where_it_never_gets():
    assert analysed(Leave()).value == 5
    with pytest.raises(OutplayError, match="never gets to this state"):
        analysed(Leave(), "1")
    game = KuhnPoker()
    with pytest.raises(OutplayError, match="cannot get from the initial state"):
        EquilibriumSearch(game).search(game.result(game.initial_state(), 1))  # chance moves: it needs the state before


@pytest.mark.parametrize("seed", range(5))
def test_errors_in_the_sequence_form_are_those_of_the_matrix(seed):
    """If both err, the matrix is that of what happens: an action is taken, or with probability e any."""
    matrix, e = random_game(seed, 3, 4, most=9, zero_sum=True), 0.2
    rows, columns = ((1 - e) * np.eye(n) + e / n for n in matrix.shape)
    erring = solve_zero_sum(MatrixGame(rows @ matrix.payoffs[0] @ columns))
    solution = SequenceForm(matrix.as_game(), trembles=e).solve()
    assert solution.values[0] == pytest.approx(erring.value)
    assert min(solution.strategy.probability[:3]) >= e / 3 - 1e-9
    assert min(solution.strategy.probability[3:]) >= e / 4 - 1e-9


def test_errors_are_a_probability():
    with pytest.raises(ValueError, match=r"trembles=1\): must be a number from 0 to less than 1"):
        SequenceForm(KuhnPoker(), trembles=1)


def test_the_normal_form_of_a_matrix_game_is_the_matrix():
    matrix = random_game(3, 2, 3, 2)
    tree = unroll(matrix.as_game())
    plans = [plans_of(tree, player) for player in range(3)]
    for player in range(3):
        assert payoffs_of(tree, plans, player).tolist() == matrix.payoffs[player].tolist()


def test_a_small_tree_without_constant_sum_is_exact():
    tree = unroll(Leave())
    mixed, plan = small_equilibrium(tree)
    assert mixed.regret == 0
    assert plan[tree.first_sequence[:-1]].tolist() == [1, 1]
    found = EquilibriumSearch(Leave()).solved(None)[1]
    assert max(gains(Strategy.on(tree, found.behaviour))) == 0


@pytest.mark.nightly
def test_many_players_get_nearly_an_equilibrium():
    found = analysed(KuhnPoker(players=3), "Q J K")
    assert not found.exact
    assert found.equilibrium.startswith("nearly an equilibrium: no player gains more than ")
    assert found.value == pytest.approx(-0.3476, abs=0.02)


@pytest.mark.parametrize("game", [PhantomTicTacToe(), DarkHex(), Goofspiel(7)], ids=repr)
def test_what_clearly_does_not_fit_is_not_counted(game):
    with pytest.raises(TreeTooLarge, match="has more than 1,000 nodes"):
        check_size(game, 1000)


@pytest.mark.parametrize("game", [KuhnPoker(), LeducPoker(), MatchingPennies(), Goofspiel(4)], ids=repr)
def test_what_fits_is_not_refused(game):
    check_size(game, 26_773)


def test_the_bound_is_on_nodes():
    assert EquilibriumSearch(MatchingPennies(), max_nodes=7).search().exact
    with pytest.raises(OutplayError, match="is not solved here, since it has more than 6 nodes"):
        EquilibriumSearch(MatchingPennies(), max_nodes=6).search()


def test_what_it_does_not_take():
    class Repeating(Leave):
        repetition = "draw"

    with pytest.raises(UnsuitableGame, match="rule of repetition"):
        EquilibriumSearch(Repeating())


def test_solver_and_players_use_it():
    assert Solver(KuhnPoker()).solve().analysis.value == pytest.approx(-1 / 18)
    players = {0: SearchPlayer(EquilibriumSearch(MatchingPennies()))}
    chosen = {Session(MatchingPennies(), players=players, seed=seed).choose().action for seed in range(10)}
    assert chosen == {0, 1}  # drawn by the probabilities


# -- simulations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_simulations_do_not_choose_in_step(seed):
    """With UCB1, both explore at the same moments: the dilemma looks like -1, matching pennies is won."""
    dilemma = MatrixGame([[-1, -3], [0, -2]], [[-1, 0], [-3, -2]]).as_game()
    analysis = ISMCTS(dilemma, seed=seed).analyse(limit=Limit(simulations=300))
    assert analysis.action == 1
    assert analysis.actions[0].probability > 0.9
    pennies = ISMCTS(MatchingPennies(), seed=seed).analyse(limit=Limit(simulations=300))
    assert abs(pennies.value) < 0.2
    assert 0.3 < pennies.actions[0].probability < 0.7
    assert all(item.interval is None and item.sampling_error > 0 for item in (*analysis.actions, *pennies.actions))


def test_a_search_with_a_seed_can_be_repeated():
    one, same, other = (ISMCTS(UNEVEN.as_game(), seed=n).analyse(limit=Limit(simulations=50)) for n in (1, 1, 2))
    assert one == same != other


def test_who_chooses_second_does_not_take_the_first_choice_for_random():
    session = Session(UNEVEN.as_game(), moves="2")
    searcher = ISMCTS(session.game, seed=1)
    analysis = session.search(searcher, Limit(simulations=3000), every=True)
    likely = {item.name: item.probability for item in analysis.actions}
    assert [likely[name] for name in "012"] == pytest.approx([0.25, 0.5, 0.25], abs=0.12)
    unaware = searcher.analyse(session.state, Limit(simulations=1000))  # without the states before
    assert unaware.actions[0].probability > 0.9


def test_before_what_is_unseen():
    session = Session(Goofspiel(4), moves="prize 4, bid 1, bid 2, prize 3, bid 4")
    assert before_unseen(session.game, session.state, session.states[:-1]) is session.states[-2]
    assert before_unseen(session.game, session.state, ()) is session.state
    assert before_unseen(session.game, session.states[-2], session.states[:-2]) is session.states[-2]


AT_ONCE = {"goofspiel", "matching-pennies", "rock-paper-scissors"}


@pytest.mark.parametrize("name", sorted(BUILT_IN.keys() - {"explicit-tree"}))
def test_games_whose_players_choose_at_once(name):
    assert choose_at_once(BUILT_IN[name]()) == (name in AT_ONCE)


@pytest.mark.parametrize("game", [RockPaperScissors(), MatchingPennies(), UNEVEN.as_game()], ids=repr)
def test_what_is_searched_is_hardly_exploitable(game):
    strategy = searched_strategy(ISMCTS(game), Limit(simulations=2000))
    assert exploitability(Strategy.from_table(game, strategy)) < 0.12


@pytest.mark.nightly
def test_goofspiel_by_simulations(monkeypatch):
    """Its value is 0; the simulations come near, claim no interval, and are hardly exploitable. With UCB1 they are."""
    monkeypatch.setattr(Game, "compiled", None)
    game = Goofspiel(4, order="descending")
    analysis = ISMCTS(game).analyse(limit=Limit(simulations=50_000))
    assert abs(analysis.value) < 0.05
    assert all(item.interval is None for item in analysis.actions)
    tree = unroll(game)
    played, by_ucb = (
        exploitability(
            Strategy.from_table(game, searched_strategy(ISMCTS(game, selection=how), Limit(simulations=20_000))), tree
        )
        for how in ("regret", "ucb1")
    )
    assert played < 0.02
    assert by_ucb > 0.1


# -- the commands -----------------------------------------------------------------------------------------------------


def test_analyse_solves_the_dilemma_and_pennies():
    shown = run("analyse", DILEMMA)
    assert "row player in rows, column player in columns" in shown
    assert "Player 0 to move: -2, exact.\nPlay 1.\nOne equilibrium; others may have other values.\n" in shown
    pennies = run("analyse", "matching-pennies")
    assert "Player 0 to move: 0, exact.\nPlay heads with probability 1/2, tails with 1/2.\nAn optimal" in pennies
    assert "95 %" not in shown + pennies
    after = json.loads(run("analyse", "matching-pennies", "--moves", "tails", "--json"))
    assert (after["player"], after["value"], after["exact"]) == (1, 0.0, True)
    assert [row["probability"] for row in after["actions"]] == [0.5, 0.5]
    assert after["equilibrium"] == "an optimal strategy: its value is that of the game"


@pytest.mark.parametrize("seed", range(20))
def test_analyse_by_simulations_is_right_too(seed):
    limits = "--simulations", "300", "--seed", str(seed), "--json"
    dilemma = json.loads(run("analyse", DILEMMA, *limits))
    assert (dilemma["action"], dilemma["exact"]) == ("1", False)
    pennies = json.loads(run("analyse", "matching-pennies", *limits))
    assert all("interval" not in row and row["sampling_error"] > 0 for row in dilemma["actions"] + pennies["actions"])
    assert abs(pennies["value"]) < 0.2


def test_what_simulations_are_sure_of_is_said():
    shown = run("analyse", "kuhn-poker", "--moves", "Q J", "--simulations", "50")
    assert "± sampling" in shown
    assert "95 %" not in shown
    assert "the standard error of the mean, not of the value" in shown


def test_solve_takes_hidden_information():
    shown = run("solve", "kuhn-poker", "--moves", "K J")
    assert "An optimal strategy: its value is that of the game." in shown
    assert "probability" in shown
    found = json.loads(run("solve", "kuhn-poker", "--json"))
    assert found["value"] == pytest.approx(-1 / 18)
    assert "more than 100,000 nodes" in error("solve", "phantom-tic-tac-toe")


def test_what_does_not_fit_is_searched_with_a_note():
    result = CliRunner().invoke(app, ["analyse", "phantom-tic-tac-toe", "--seconds", "0.1"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "more than 100,000 nodes" in result.stderr
    assert "This is ismcts, which estimates" in result.stderr
    assert "ISMCTS: " in result.stdout


def test_all_equilibria_of_a_small_matrix_game():
    shown = run("equilibrium", "matrix([[3,0],[0,2]],[[2,0],[0,3]])")
    lines = [line.split() for line in shown.splitlines()]
    assert "3 equilibria, by vertex enumeration in exact numbers; these are all" in shown
    assert "row player in rows, column player in columns\n      0     1\n0  3, 2  0, 0\n1  0, 0  2, 3\n" in shown
    assert ["1", "pure", "0", "0", "3,", "2"] in lines
    assert "2   mixed   0: 3/5, 1: 2/5   0: 2/5, 1: 3/5   6/5, 6/5" in shown
    assert ["3", "pure", "1", "1", "2,", "3"] in lines
    assert "has not chosen" not in shown
    found = json.loads(run("equilibrium", "matrix([[3,0],[0,2]],[[2,0],[0,3]])", "--json"))
    assert found["payoffs"] == [[[3, 0], [0, 2]], [[2, 0], [0, 3]]]
    assert [each["pure"] for each in found["equilibria"]] == [True, False, True]
    assert found["equilibria"][1]["fractions"] == [{"0": "3/5", "1": "2/5"}, {"0": "2/5", "1": "3/5"}]
    assert found["infinite"] is False


def test_infinitely_many_equilibria_are_said_to_be_so():
    shown = run("equilibrium", "matrix([[(1,3),(1,3)],[(0,0),(2,2)]], actions=[['out','in'],['fight','yield']])")
    assert "there are infinitely many: these are the extreme ones, all others are mixtures of them" in shown
    assert "fight: 1/2, yield: 1/2" in shown


def test_with_an_algorithm_a_matrix_game_is_a_game_like_others():
    shown = run("equilibrium", "matrix([[1,-1],[-1,1]])", "--algorithm", "lp")
    assert "row player knows" in shown
    assert "has not chosen" not in shown
