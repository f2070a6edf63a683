"""Expectiminimax, max^n, paranoid and best-reply search, value iteration: against obvious twins, and their laws."""

import itertools
import json
import math
import pickle
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import ctrl_c
from shared.hashed_game import Chancy, Maze, Seeded, WinLossHashed, interpreted, scramble

from outplay import (
    CHANCE,
    AlphaBeta,
    BestReply,
    EvaluationError,
    Expectiminimax,
    Game,
    Limit,
    MaxN,
    Paranoid,
    RulesError,
    UnsuitableGame,
    ValueIteration,
)
from outplay.chance.value_iteration import value_iteration_many
from outplay.games import ConnectFour, ExplicitTree, Pacman, Pig, TicTacToe

CLOSE = 1e-9


class Duel(Chancy):
    """Two opposed sides or, for some seeds, one; draws are common; the estimates lie within the bounds."""

    utilities = (-1, 1)

    def utility(self, state, player):
        value = float(scramble(state.seed, state.ply, state.x, 4) % 3 - 1)
        return value if player == 0 else -value


class Four(Chancy):
    """Up to four players, as the seed has it: one of them wins, or nobody. Estimates sum to zero too."""

    players = 4
    utilities = (-1, 3)

    def to_move(self, state):
        if state.ply > 0 and scramble(state.seed, state.ply, state.x, 8) % 100 < self.chances:
            return CHANCE
        return scramble(state.seed, state.ply, state.x, 1) % (1 + state.seed % 4)

    def utility(self, state, player):
        winner = scramble(state.seed, state.ply, state.x, 4) % 5
        return 0.0 if winner == 4 else 3.0 if winner == player else -1.0

    def evaluate(self, state, player):
        likely = scramble(state.seed, state.ply, state.x, 60) % 4
        return 1.5 if likely == player else -0.5


class Greedy(Four):
    """The same, each for his own: sums are anything."""

    zero_sum = False
    utilities = None

    def utility(self, state, player):
        return float(scramble(state.seed, state.ply, state.x, 40 + player) % 5)


class Teams(Four):
    """Two against two."""

    teams = (0, 1, 0, 1)
    utilities = (-1, 1)

    def utility(self, state, player):
        value = float(scramble(state.seed, state.ply, state.x, 4) % 3 - 1)
        return value if player % 2 == 0 else -value

    def evaluate(self, state, player):
        return self.utility(state, player) / 2


class Circles(Maze):
    """Dice and players on a few places, round and round."""

    repetition = None

    def to_move(self, state):
        return CHANCE if state.x % 3 == 2 else Maze.to_move(self, state)

    def probability(self, state, action):
        count = 1 + scramble(state.seed, state.ply, state.x, 2) % 3
        return 1 / count


class Tree(ExplicitTree):
    """A tree too small to be worth compiling for."""

    compiled = False


def start(seed):
    return Seeded(seed, 0, 0)


# -- the twins --------------------------------------------------------------------------------------------------------


def sides(game):
    return game.teams or tuple(range(game.players))


def value_twin(game, state, depth, hero):
    """Expectiminimax, and paranoid search: no pruning, no table; what `hero` gets against all others."""
    if game.is_terminal(state):
        return game.utility(state, hero)
    if depth == 0:
        return game.evaluate(state, hero)
    mover = game.to_move(state)
    actions = list(game.actions(state))
    if mover == CHANCE:
        return sum(
            game.probability(state, action) * value_twin(game, game.result(state, action), depth, hero)
            for action in actions
        )
    values = [value_twin(game, game.result(state, action), depth - 1, hero) for action in actions]
    return max(values) if sides(game)[mover] == sides(game)[hero] else min(values)


def vector_twin(game, state, depth):
    """Max^n: of actions as good for the player to move, or his team, the first."""
    if game.is_terminal(state) or depth == 0:
        ask = game.utility if game.is_terminal(state) else game.evaluate
        return tuple(ask(state, player) for player in range(game.players))
    mover = game.to_move(state)
    children = [(action, vector_twin(game, game.result(state, action), depth - (mover != CHANCE)))
                for action in game.actions(state)]  # fmt: skip
    if mover == CHANCE:
        return tuple(
            sum(game.probability(state, action) * vector[player] for action, vector in children)
            for player in range(game.players)
        )
    return max((vector for _, vector in children), key=lambda vector: vector[mover])


def reply_twin(game, state, depth, hero, replied=None):
    """Best-reply search: between two turns of the hero one enemy chooses, and the others do as usual."""
    if game.is_terminal(state):
        return game.utility(state, hero)
    if depth == 0:
        return game.evaluate(state, hero)
    mover = game.to_move(state)
    actions = list(game.actions(state))
    if mover == CHANCE:
        return sum(
            game.probability(state, action) * reply_twin(game, game.result(state, action), depth, hero, replied)
            for action in actions
        )
    usual = game.result(state, max(actions, key=lambda action: game.order(state, action)))
    if mover == hero:
        return max(reply_twin(game, game.result(state, action), depth - 1, hero) for action in actions)
    if replied not in (None, mover):
        return reply_twin(game, usual, depth, hero, replied)
    values = [reply_twin(game, game.result(state, action), depth - 1, hero, mover) for action in actions]
    if replied is None and not game.is_terminal(usual) and game.to_move(usual) not in (CHANCE, hero):
        values.append(reply_twin(game, usual, depth, hero))
    return min(values)


def iteration_twin(game, state, sweeps):
    """What player 0 gets within so many plies, for every state: plain value iteration."""
    found, todo = {}, [state]
    while todo:
        here = todo.pop()
        if here not in found:
            found[here] = [] if game.is_terminal(here) else [game.result(here, a) for a in game.actions(here)]
            todo += found[here]
    values = {here: 0.0 if after else game.utility(here, 0) for here, after in found.items()}
    for _ in range(sweeps):
        values = {
            here: values[here] if not after
            else sum(values[child] for child in after) / len(after) if game.to_move(here) == CHANCE
            else (min if game.to_move(here) else max)(values[child] for child in after)
            for here, after in found.items()
        }  # fmt: skip
    return values[state]


# -- agreement with the twins -----------------------------------------------------------------------------------------

DEPTHS = (1, 2, 3, 4, None)
OPTIONS = {
    "plain": {"alpha_beta": False, "table_mb": 0},
    "alpha-beta": {"pruning": "off", "table_mb": 0, "killers": False, "order": False},
    "star1": {"pruning": "star1", "table_mb": 0},
    "star2": {"pruning": "star2", "table_mb": 0, "history_heuristic": True},
    "all": {},
}
SHALLOW = {
    "plain": {"pruning": "off", "table_mb": 0, "order": False},
    "shallow": {"table_mb": 0, "history_heuristic": True},
    "all": {},
}


def agrees(searcher, twin, seed, depths):
    """The searcher finds the twin's value at each depth; to the end too, which is None."""
    state = start(seed)
    for depth in depths:
        analysis = searcher.search(state, Limit() if depth is None else Limit(depth=depth))
        wanted = twin(searcher.game, state, 99 if depth is None else depth)
        assert analysis.values == pytest.approx(wanted, abs=CLOSE, nan_ok=True), (seed, depth)
        assert depth is not None or analysis.exact
        assert analysis.action in searcher.game.actions(state)


def of_both_sides(twin):
    def values(game, state, depth):
        mover = game.to_move(state)
        value = twin(game, state, depth, mover)
        side = sides(game)
        opposed = len(set(side)) <= 2
        return tuple(value if one == side[mover] else -value if opposed else math.nan for one in side)

    return values


def depths_for(options):
    """With a table a state may be known to a greater depth than asked for: then only the end is sure to agree."""
    return (None,) if options.get("table_mb", 64) else DEPTHS


MANY = [("fast", 60), pytest.param("slow", 5000, marks=pytest.mark.nightly)]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("_pace", "seeds"), MANY)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_expectiminimax_does_what_its_twin_does(options, _pace, seeds):
    searcher = Expectiminimax(Duel(), **options)
    for seed in range(seeds):
        agrees(searcher, of_both_sides(value_twin), seed, depths_for(options))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("_pace", "seeds"), MANY)
@pytest.mark.parametrize("options", SHALLOW.values(), ids=SHALLOW)
def test_max_n_does_what_its_twin_does(options, _pace, seeds):
    searcher = MaxN(Four(), **options)
    for seed in range(seeds):
        agrees(searcher, vector_twin, seed, depths_for(options))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("_pace", "seeds"), MANY)
@pytest.mark.parametrize("options", [OPTIONS["plain"], OPTIONS["star2"], {}], ids=["plain", "star2", "all"])
def test_paranoid_search_does_what_its_twin_does(options, _pace, seeds):
    searcher = Paranoid(Four(), **options)
    for seed in range(seeds):
        agrees(searcher, of_both_sides(value_twin), seed, depths_for(options))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("_pace", "seeds"), MANY)
@pytest.mark.parametrize("options", [OPTIONS["plain"], OPTIONS["star2"]], ids=["plain", "star2"])
def test_best_reply_search_does_what_its_twin_does(options, _pace, seeds):
    searcher = BestReply(Four(), **options)
    for seed in range(seeds):
        state = start(seed)
        for depth in (1, 2, 3, 4):
            value = searcher.search(state, Limit(depth=depth)).value
            wanted = reply_twin(searcher.game, state, depth, searcher.game.to_move(state))
            assert value == pytest.approx(wanted, abs=CLOSE), (seed, depth)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6),
    depth=st.sampled_from(DEPTHS),
    game=st.sampled_from([interpreted(Greedy), interpreted(Teams), interpreted(Four, chances=60)]),
    kind=st.sampled_from([MaxN, Paranoid]),
    options=st.fixed_dictionaries(
        {"order": st.booleans(), "killers": st.booleans(), "history_heuristic": st.booleans()}
    ),
)
def test_any_game_and_options_do_what_the_twin_does(seed, depth, game, kind, options):
    twin = vector_twin if kind is MaxN else of_both_sides(value_twin)
    agrees(kind(game, table_mb=0, **options), twin, seed, (depth,))


@pytest.mark.nightly
def test_compiled_does_what_interpreted_does():
    for kind, game in (Expectiminimax, Duel), (MaxN, Four), (Paranoid, Four), (BestReply, Four):
        compiled, plain = kind(game(), table_mb=1), kind(interpreted(game), table_mb=1)
        for seed in range(12):
            found, wanted = (
                searcher.analyse(start(seed), Limit(depth=4)).as_dict() | {"seconds": 0, "game": ""}
                for searcher in (compiled, plain)
            )
            assert json.dumps(found) == json.dumps(wanted)


def test_without_dice_and_with_two_players_all_are_alpha_beta():
    game = interpreted(WinLossHashed)
    for seed in range(1, 40):
        for depth in (1, 3):
            wanted = AlphaBeta(game).search(start(seed), Limit(depth=depth)).value
            for kind in Expectiminimax, Paranoid, MaxN:
                assert kind(game, table_mb=0).search(start(seed), Limit(depth=depth)).value == pytest.approx(wanted)
    assert all(kind(interpreted(TicTacToe)).search().verdict == "draw" for kind in (Expectiminimax, BestReply))


# -- what the techniques are for --------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_each_pruning_visits_less():
    plain, alpha_beta, star1 = (
        sum(Expectiminimax(Duel(), **OPTIONS[name]).search(start(seed), Limit(depth=4)).nodes for seed in range(60))
        for name in ("plain", "alpha-beta", "star1")
    )
    assert plain > alpha_beta > star1
    plain, shallow = (
        sum(MaxN(Four(), **SHALLOW[name]).search(start(seed), Limit(depth=4)).nodes for seed in range(60))
        for name in ("plain", "shallow")
    )
    assert plain > shallow


def wide(values, player="min"):
    """A root with two rolls of dice; of the second one answer to each roll tells that it is worse."""
    roll = {"player": "chance", "children": [{"player": player, "children": value} for value in values]}
    return Tree({"player": "max", "children": [{"player": "chance", "children": [5, 5]}, roll]})


def test_star1_leaves_out_outcomes_that_cannot_matter():
    tree = wide([[-9, -9], [-9, -9], [9, 9], [9, 9]])  # after two the sum is at most 0, and 5 is sure
    none, star1 = (
        Expectiminimax(tree, bounds=(-9, 9), pruning=pruning, table_mb=0).search(limit=Limit(depth=3))
        for pruning in ("off", "star1")
    )
    assert none.value == star1.value == 5
    assert star1.nodes < none.nodes


def test_star2_needs_one_answer_to_each_roll():
    tree = wide([[0, 9, 9, 9]] * 4)
    star1, star2 = (
        Expectiminimax(tree, bounds=(-9, 9), pruning=pruning, table_mb=0).search(limit=Limit(depth=3))
        for pruning in ("star1", "star2")
    )
    assert star1.value == star2.value == 5
    assert star2.nodes < star1.nodes


def test_shallow_pruning():
    leaves = [{"utility": u} for u in ([3, 3, -6], [0, 5, -5], [6, -6, 0])]
    tree = Tree([leaves[0], {"children": leaves[1:]}])  # player 1 has 5: 1 at most is left for player 0
    plain, pruned = (MaxN(tree, pruning=pruning, table_mb=0).search() for pruning in ("off", "shallow"))
    assert plain.values == pruned.values == (3, 3, -6)
    assert pruned.nodes == plain.nodes - 1


@pytest.mark.nightly
def test_a_table_that_is_kept_saves_work():
    searcher = Expectiminimax(Duel(), reuse_table=True)
    state = next(start(seed) for seed in range(100) if searcher.search(start(seed), Limit(depth=4)).nodes > 100)
    again = searcher.search(state, Limit(depth=4))
    assert again.nodes < Expectiminimax(Duel()).search(state, Limit(depth=4)).nodes / 2
    searcher.forget()
    assert searcher.search(state, Limit(depth=4)) == Expectiminimax(Duel(), reuse_table=True).search(
        state, Limit(depth=4)
    )


# -- many players -----------------------------------------------------------------------------------------------------


def leaf(*utility):
    return {"utility": list(utility)}


def test_ties_go_to_the_first_action_whatever_the_order():
    class Backwards(ExplicitTree):
        def order(self, node, action):
            return float(action)

    tree = [[leaf(0, 2, 9), leaf(5, 2, 0)], leaf(4, 0, 0)]
    for game in Tree(tree), Backwards(tree):  # player 1 takes his first 2, so player 0 keeps away
        assert MaxN(game).search().values == (4, 0, 0)


def test_alliances_arise_from_selfish_play():
    """Two weak players hold the strong one, each for his own sake, and part when he is down."""
    strong = {"player": 0, "children": [leaf(9, 0, 0), leaf(9, 0, 0)]}
    after_help = {"player": 2, "children": [leaf(0, 6, 4), strong]}
    tree = {"player": 1, "children": [strong, after_help], "names": ["wait", "attack the strong one"]}
    game = Tree(tree)
    analysis = MaxN(game).search()
    assert analysis.line_names() == ["attack the strong one", "1"]
    assert analysis.values == (0, 6, 4)
    assert Paranoid(game).search().value == 0  # who trusts nobody sees no use in it


def test_paranoid_values_of_the_others_are_not_known():
    analysis = Paranoid(Tree([[leaf(1, 2, 3)], [leaf(3, 2, 1)]])).search()
    assert analysis.values[0] == 3
    assert all(math.isnan(value) for value in analysis.values[1:])
    assert json.loads(json.dumps(analysis.as_dict()))["values"] == [3, None, None]
    assert analysis == Paranoid(Tree([[leaf(1, 2, 3)], [leaf(3, 2, 1)]])).search()


def test_a_team_shares_its_values():
    for seed in range(1, 40):
        for kind in MaxN, Expectiminimax, Paranoid:
            values = kind(interpreted(Teams)).search(start(seed)).values
            assert values[0] == values[2] == -values[1] == -values[3]


# -- chance -----------------------------------------------------------------------------------------------------------


class Fan(Game):
    """One throw among many, then a choice: take what was thrown, or the 10 that is sure."""

    players = 1
    utilities = (0, 99)
    compiled = False

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return CHANCE if state[0] == 1 else 0

    def actions(self, state):
        return range(100) if state[0] == 1 else range(2)

    def result(self, state, action):
        return (1, 0) if state[0] == 0 and action else (2, action if state[0] else 10)

    def is_terminal(self, state):
        return state[0] == 2

    def utility(self, state, player):
        return state[1]

    def probability(self, state, action):
        return 0.01


def test_samples_stand_for_all_outcomes():
    whole = Expectiminimax(Fan()).search()
    assert whole.value == pytest.approx(49.5)
    assert Expectiminimax(Fan(), samples=100).search().value == whole.value
    few = [Expectiminimax(Fan(), samples=25, seed=seed) for seed in range(80)]
    found = [searcher.search() for searcher in few]
    assert whole.exact
    assert not any(analysis.exact for analysis in found)
    once = [searcher.search(limit=Limit(depth=2)) for searcher in few]
    assert all(analysis.nodes < whole.nodes for analysis in once)
    away = [abs(analysis.value - whole.value) for analysis in found]
    assert sum(error <= few[0].sampling_error() for error in away) >= 0.95 * len(away)
    assert 2 < sum(away) / len(away) < 8  # the standard error is 28.9 / 5
    assert abs(sum(analysis.value for analysis in found) / len(found) - whole.value) < 2
    assert few[0].search() == found[0]


def test_chance_to_move_at_the_root():
    game = Fan()
    analysis = Expectiminimax(game).search((1, 0))
    assert (analysis.player, analysis.action, analysis.value) == (CHANCE, None, pytest.approx(49.5))
    assert [item.value for item in analysis.actions] == list(range(100))
    assert str(analysis) == "Expectiminimax: chance is to move, +49.5 for player 0 (exact), depth 1"
    game = interpreted(Four, chances=100)
    root = next(
        child for seed in range(99)
        for child in (game.result(start(seed), action) for action in game.actions(start(seed)))
        if not game.is_terminal(child) and game.to_move(child) == CHANCE
    )  # fmt: skip
    assert MaxN(game).search(root).values == pytest.approx(vector_twin(game, root, 99), abs=CLOSE)


@pytest.mark.nightly
def test_value_iteration_agrees_with_expectiminimax_on_trees():
    solver, searcher = ValueIteration(Duel()), Expectiminimax(Duel())
    for seed in range(300):
        found, wanted = (each.analyse(start(seed)) for each in (solver, searcher))
        assert found.values == pytest.approx(wanted.values, abs=CLOSE)
        assert found.exact
        assert {item.action: pytest.approx(item.value, abs=CLOSE) for item in found.actions} == {
            item.action: item.value for item in wanted.actions
        }


@pytest.mark.nightly
def test_value_iteration_where_play_goes_in_circles():
    solver = ValueIteration(Circles(), tolerance=1e-12)
    values = []
    for seed in range(300):
        state = start(seed)
        if solver.game.to_move(state) != CHANCE:
            value = solver.search(state).values[0]
            values.append(value)
            assert value == pytest.approx(iteration_twin(solver.game, state, 400), abs=1e-6), seed
    assert len(set(values)) > 100


def test_one_player_and_ghosts_as_in_the_course_notes():
    corridor = Expectiminimax(interpreted_map("corridor", win=0)).analyse(limit=Limit(depth=6))
    assert [(item.name, item.value) for item in corridor.actions] == [("east", 8), ("stop", 7), ("west", 6)]
    two_plies = Tree({"children": [[-8, -5], [-10, 8]], "names": ["left", "right"]})
    for kind in Expectiminimax, Paranoid, BestReply, MaxN:
        analysis = kind(two_plies).search()
        assert (analysis.value, analysis.line_names()) == (-8, ["left", "1"])
    halves = [{"player": "chance", "children": pair} for pair in ([-8, -5], [-10, 8])]
    strolling = Expectiminimax(Tree({"children": halves, "names": ["left", "right"]})).search()
    assert (strolling.value, strolling.line_names()) == (-1, ["right"])


def interpreted_map(name, **rules):
    class Quiet(Pacman):
        compiled = False

    return Quiet(name, **rules)


@pytest.mark.nightly
def test_the_published_value_of_pig():
    """Neller & Presser, "Optimal Play of the Dice Game Pig" (2004)."""
    value = ValueIteration(Pig(), tolerance=1e-8).search().value
    assert (value + 1) / 2 == pytest.approx(0.530592, abs=1e-6)


# -- what every searcher keeps to -------------------------------------------------------------------------------------

SEARCHERS = (Expectiminimax, MaxN, Paranoid, BestReply, ValueIteration)


@pytest.mark.parametrize("kind", SEARCHERS)
def test_answers_are_legal_and_repeat(kind):
    assert pickle.loads(pickle.dumps(kind(Duel()))) == kind(Duel())
    searcher = kind(interpreted(Duel), **({} if kind is ValueIteration else {"table_mb": 1}))
    for seed, limit in itertools.product(range(20), (Limit(nodes=5), Limit(nodes=60))):
        analysis = searcher.analyse(start(seed), limit)
        assert analysis == searcher.analyse(start(seed), limit)
        state = start(seed)
        for action in analysis.line:
            assert action in searcher.game.actions(state)
            state = searcher.game.result(state, action)
        assert analysis.nodes <= limit.nodes or analysis.exact
    many = searcher.search_many([start(seed) for seed in range(20)])
    assert [each.values for each in many] == [searcher.search(start(seed)).values for seed in range(20)]


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", [Expectiminimax, MaxN, BestReply])
def test_seconds_and_ctrl_c_keep_the_best_answer(kind):
    searcher, seen = kind(ConnectFour()), []
    analysis = searcher.search(limit=Limit(seconds=0.3))
    assert analysis.stopped == "seconds"
    assert analysis.depth > 0
    with ctrl_c(0, lambda: seen):
        analysis = searcher.search(progress=seen.append)
    assert analysis.stopped == "interrupted"
    assert analysis.action is not None


def test_evaluations_out_of_bounds_are_an_error():
    class Wild(Duel):
        def evaluate(self, state, player):
            return 7.5

    with pytest.raises(EvaluationError, match=r"evaluate\(\) of Wild returned 7.5, outside the bounds \(-1, 1\)"):
        Expectiminimax(interpreted(Wild)).search(start(3), Limit(depth=1))
    assert Expectiminimax(interpreted(Wild), bounds=(-8, 8)).search(start(3), Limit(depth=1)).value
    assert Expectiminimax(interpreted(Wild), pruning="off").search(start(3), Limit(depth=1)).value
    assert Expectiminimax(interpreted(Wild), alpha_beta=False).search(start(3), Limit(depth=1)).value

    class Rich(Four):
        def evaluate(self, state, player):
            return 2.0

    with pytest.raises(EvaluationError, match=r"returned 8, outside .* sum of all players above 0"):
        MaxN(interpreted(Rich)).search(start(3), Limit(depth=1))
    assert MaxN(interpreted(Rich), pruning="off").search(start(3), Limit(depth=1)).values


class Stuck(Duel):
    """A state without actions that is not terminal."""

    def is_terminal(self, state):
        return False

    def actions(self, state):
        return [] if state.ply == 2 else [0, 3]


@pytest.mark.parametrize("kind", SEARCHERS)
def test_broken_rules_are_named(kind):
    with pytest.raises(RulesError, match="not terminal but has no legal action"):
        kind(interpreted(Stuck), check=False).search(start(2), Limit(nodes=1000))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Expectiminimax(Duel(), pruning="star3"), "pruning must be 'off', 'star1', 'star2' or None"),
        (lambda: Expectiminimax(Duel(), bounds=(1, -1)), "the least and the greatest"),
        (lambda: Expectiminimax(Duel(), samples=0), "a whole number from 1"),
        (lambda: Expectiminimax(Duel(), seed=0.5), "a whole number"),
        (lambda: Expectiminimax(Duel(), table_mb=-1), "table_mb must be a number from 0 to 1000000"),
        (lambda: Expectiminimax(Duel(), order=1), "True, False or a function"),
        (lambda: Expectiminimax(Chancy(), pruning="star1"), "needs the bounds of values"),
        (lambda: Expectiminimax(Duel(), pruning="star1", alpha_beta=False), "this pruning needs alpha-beta"),
        (lambda: MaxN(Greedy(), pruning="shallow"), "must be zero_sum"),
        (lambda: MaxN(Four(), pruning="star1"), "pruning must be 'off', 'shallow' or None"),
        (lambda: ValueIteration(Duel(), tolerance=-1), "a number from 0"),
        (lambda: ValueIteration(Duel()).search(limit=Limit(depth=3)), "limit its seconds or nodes"),
        (
            lambda: Expectiminimax(Duel()).search(limit=Limit(simulations=3)),
            "cannot be limited by simulations",
        ),
    ],
)
def test_impossible_options(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.nightly
def test_unsuitable_games():
    for kind in Expectiminimax, ValueIteration:
        with pytest.raises(UnsuitableGame, match="it has 4 sides"):
            kind(Four())
    for kind in SEARCHERS[:-1]:  # value iteration knows draws by repetition
        with pytest.raises(UnsuitableGame, match="rule of repetition"):
            kind(Maze())


# -- value iteration where play goes in circles -----------------------------------------------------------------------


class Graph(Game):
    """A graph drawn at random, in which states come again: some places end the game, at the others one side moves."""

    compiled = False
    utilities = (-2, 2)
    places = 7

    def __init__(self, seed=0, players=2):
        self.seed, self.players = seed, players
        random = Random(seed)
        self.ends = tuple(
            random.choice((None, None, -2, -1, 0, 1, 2)) if place else None for place in range(self.places)
        )
        self.after = tuple(tuple(random.sample(range(self.places), random.choice((1, 2, 2, 3)))) for _ in self.ends)
        self.movers = tuple(random.randrange(players) for _ in self.ends)

    def initial_state(self):
        return (0,)

    def to_move(self, state):
        return self.movers[state[0]]

    def actions(self, state):
        return range(len(self.after[state[0]]))

    def result(self, state, action):
        return (self.after[state[0]][action],)

    def is_terminal(self, state):
        return self.ends[state[0]] is not None

    def utility(self, state, player):
        return self.ends[state[0]] * (1 - 2 * player)


class DrawnGraph(Graph):
    """The same, with a draw where a place comes again."""

    repetition = "draw"


class LateDrawnGraph(Graph):
    repetition = "draw"
    repetitions = 3


def by_all_paths(game, path, times=2):
    """What the last of a path of states is worth to player 0, by going through all that can follow; no table."""
    state = path[-1]
    if game.is_terminal(state):
        return game.utility(state, 0)
    if path.count(state) >= times:
        return 0
    values = [by_all_paths(game, [*path, game.result(state, action)], times) for action in game.actions(state)]
    return max(values) if game.to_move(state) == 0 else min(values)


@pytest.mark.sample(60)
@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("seed", range(150))
def test_draws_by_repetition_are_what_going_through_all_paths_finds(seed, players):
    game = DrawnGraph(seed, players)
    random = Random(seed)
    path = [game.initial_state()]
    for _ in range(4):  # from the start, and after more and more that cannot come again
        if path.count(path[-1]) > 1 or game.is_terminal(path[-1]):
            break
        analysis = ValueIteration(game).search(path[-1], previous_states=path[:-1])
        assert analysis.exact
        assert analysis.values[0] == by_all_paths(game, path), (seed, path)
        assert AlphaBeta(game).search(path[-1], previous_states=path[:-1]).values[0] == analysis.values[0]
        path.append(game.result(path[-1], random.choice(game.actions(path[-1]))))


@pytest.mark.parametrize("seed", range(40))
def test_a_third_occurrence_that_counts_changes_no_value(seed):
    assert ValueIteration(LateDrawnGraph(seed)).search().value == ValueIteration(DrawnGraph(seed)).search().value


@pytest.mark.parametrize("players", [1, 2])
@pytest.mark.parametrize("seed", range(60))
def test_who_wins_gets_there_whatever_the_other_does(seed, players):
    """Playing what value iteration says, a side with a value above 0 gets it, and no state comes twice."""
    game = Graph(seed, players)
    solver, choices = ValueIteration(game), {}

    def wins(state, winner, seen):
        assert state not in seen, (seed, state)
        if game.is_terminal(state):
            return game.utility(state, winner)
        actions = game.actions(state)
        if game.to_move(state) == winner:
            if state not in choices:
                choices[state] = solver.search(state).action
            actions = [choices[state]]
        return min(wins(game.result(state, action), winner, {*seen, state}) for action in actions)

    for place in range(game.places):
        values = solver.search((place,)).values
        for winner in range(players):
            if values[winner] > 0:
                choices.clear()
                assert wins((place,), winner, set()) >= values[winner]


def test_who_loses_plays_on_and_who_wins_hurries():
    class Track(Graph):
        """Player 0 may win from place 0 at once, or after a detour; player 1 loses soon or late."""

        ends_at = 0

        def __init__(self):
            self.players = 2
            self.ends = (None, None, None, -1, 1)
            self.after = ((1, 4), (4, 2), (4,), (), ())
            self.movers = (0, 1, 1, 0, 0)
            self.seed = 0

    analysis = ValueIteration(Track()).analyse()
    assert [(item.action, item.value, item.line) for item in analysis.actions] == [
        (1, 1.0, (1,)),
        (0, 1.0, (0, 1, 0)),
    ]


def test_with_dice_a_draw_by_repetition_is_refused():
    class Dice(Circles):
        repetition = "draw"

    with pytest.raises(UnsuitableGame, match="rule of repetition"):
        ValueIteration(Dice())


@pytest.mark.nightly
def test_compiled_value_iteration_keeps_to_the_past_too():
    class Walk(Game):
        """Walk on a circle of nine places, forward or back; who comes to place 4 wins."""

        repetition = "draw"
        utilities = (-1, 1)

        def initial_state(self):
            return (0, 0)

        def to_move(self, state):
            return state[1]

        def actions(self, state):
            return (1, 8)

        def result(self, state, steps):
            return ((state[0] + steps) % 9, 1 - state[1])

        def is_terminal(self, state):
            return state[0] == 4

        def utility(self, state, player):
            return -1 if state[1] == player else 1

    for past in ([], [(3, 1)], [(5, 1)], [(7, 1)], [(3, 0), (2, 1)]):
        for state in ((2, 0), (3, 0), (6, 0), (0, 1)):
            if state not in past:
                analysis = ValueIteration(Walk()).search(state, previous_states=past)
                plain = ValueIteration(interpreted(Walk)).search(state, previous_states=past)
                assert analysis.value == plain.value == AlphaBeta(Walk()).search(state, previous_states=past).value


# -- value iteration with too little memory ---------------------------------------------------------------------------


class LargeGraph(Graph):
    places = 60


class Steps(Game):
    """A walk without end, that one may leave at any time: with `sure`, as the winner; else by a throw of a coin."""

    compiled = False
    has_chance = True
    utilities = (-1, 1)

    def __init__(self, sure):
        self.sure = sure

    def initial_state(self):
        return (0, 0)  # how far, and 1 if the coin is thrown

    def is_terminal(self, state):
        return state[0] < 0

    def to_move(self, state):
        return CHANCE if state[1] else 0

    def actions(self, state):
        return [0, 1]

    def probability(self, state, action):
        return 0.5

    def result(self, state, action):
        if state[1]:
            return (-1 - action, 0)
        if action == 0:
            return (-1, 0) if self.sure else (state[0], 1)
        return (state[0] + 1, 0)

    def utility(self, state, player):
        return (1 if state[0] == -1 else 0) * (1 - 2 * player)


def cramped(game, states=8):
    """Value iteration with memory for about so many states."""
    searcher = ValueIteration(game)
    searcher.memory_mb = states * 250 / 1e6
    return searcher


@pytest.fixture
def little_room(monkeypatch):
    monkeypatch.setattr("outplay.chance.value_iteration.FIRST_ROOM", 4)
    value_iteration_many.__dict__.pop("interpreted", None)  # it has the old constant
    yield
    value_iteration_many.__dict__.pop("interpreted", None)


@pytest.mark.usefixtures("little_room")
def test_a_value_from_a_part_of_the_states_is_exact_only_if_the_others_cannot_change_it():
    sure, unsure = (cramped(Steps(sure), 40).search() for sure in (True, False))
    assert (sure.value, sure.exact, sure.action, sure.stopped) == (1, True, 0, "")
    assert (unsure.value, unsure.exact, unsure.stopped) == (0.5, False, "memory full")  # to go on may be worth 1
    assert unsure.nodes < 200


@pytest.mark.usefixtures("little_room")
def test_what_is_exact_from_a_part_of_the_states_is_the_value():
    settled = estimates = 0
    for seed in range(150):
        game = LargeGraph(seed)
        whole, part = ValueIteration(game).search(), cramped(game, 12).search()
        assert whole.exact
        if part.exact:
            assert part.value == pytest.approx(whole.value)
            worth = {row.action: row.value for row in whole.actions}
            assert all(row.value == pytest.approx(worth[row.action]) for row in part.actions if row.exact)
            assert part.actions[0].exact
        settled += part.exact and part.nodes < whole.nodes
        estimates += part.stopped == "memory full"
    assert settled > 5
    assert estimates > 5
