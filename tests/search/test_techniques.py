"""Every technique of alpha-beta against an obvious twin, in any combination, on random games that run interpreted."""

import math
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.hashed_game import (
    Hashed,
    Hinted,
    Lonely,
    Maze,
    Mirrored,
    Noisy,
    Seeded,
    WinLossHashed,
    WinLossMaze,
    WinLossNoisy,
    endless_twin,
    interpreted,
    path_twin,
    quiet_twin,
    scramble,
    selective_twin,
    twin,
)

from outplay import AlphaBeta, Game, Limit, Margins, MaxN, Minimax, ProofNumber, RulesError, UnsuitableGame
from outplay.games import ConnectFour, TicTacToe
from outplay.rules import repetition
from outplay.rules.repetition import History, final, playable, repetition_keys
from outplay.search.forward_pruning import LATE_ACTIONS, LATE_DEPTH, reduction
from outplay.search.quiescence import list_one

GAMES = [interpreted(cls) for cls in (Hashed, WinLossHashed, Hinted, Lonely, Mirrored, Noisy, WinLossNoisy)]
MAZES = [interpreted(cls, repetition=rule) for cls in (Maze, WinLossMaze) for rule in ("draw", "loss", "forbidden")]
SAFE = {
    name: st.booleans()
    for name in (
        "hints", "symmetry", "null_window", "order", "staged", "prefetch", "killers", "countermoves",
        "quiescence", "extensions", "reuse_table",
    )
} | {
    "history_heuristic": st.sampled_from([None, False, True]),
    "table_mb": st.sampled_from([0, 0.001, 1]),
    "depth_factor": st.sampled_from([None, 1, 1.5, 4]),
}  # fmt: skip
SELECTIVE = {name: st.booleans() for name in ("late_move_reductions", "null_move", "futility", "probcut")} | {
    "beam": st.sampled_from([None, 1, 2, 3])
}
SEEDS = st.integers(0, 10**6)


def same(value, other):
    return math.isclose(value, other, rel_tol=1e-11, abs_tol=1e-300)


def start(game, seed):
    return Seeded(seed, 0, 1 if isinstance(game, Mirrored) else 0)


def is_honest(analysis, complete_lines=True):
    """What is called exact is so, of the state and of every action; no limit on nodes is passed."""
    game, state = analysis.game, analysis.state
    value, plies = twin(game, state, analysis.player)
    if analysis.exact:
        assert same(analysis.value, value), analysis
        assert not value or analysis.distance == plies
    for item in analysis.actions:
        value, plies = twin(game, game.result(state, item.action), analysis.player)
        if item.exact:
            assert value <= item.value + 1e-9, item
        if item.exact and item.bound == "exact":
            assert math.isclose(item.value, value, abs_tol=1e-9), item
            assert not value or item.distance == plies + 1, item
    for action in analysis.line:
        assert action in list(game.actions(state))
        state = game.result(state, action)
    if analysis.exact and complete_lines and analysis.value:
        assert len(analysis.line) == analysis.distance
        assert same(game.utility(state, analysis.player), analysis.value)
    if analysis.limit.nodes:
        assert analysis.nodes <= analysis.limit.nodes


@pytest.mark.nightly
@given(st.fixed_dictionaries(SAFE), st.sampled_from(GAMES), SEEDS, st.booleans())
@settings(max_examples=100)
def test_any_combination_solves_as_minimax_does(options, game, seed, every):
    searcher = AlphaBeta(game, **options)
    for state in (start(game, seed), start(game, seed + 1)):
        analysis = searcher.analyse(state) if every else searcher.search(state)
        assert analysis.exact
        is_honest(analysis)


@given(st.fixed_dictionaries(SAFE | SELECTIVE), st.sampled_from(GAMES), SEEDS, st.integers(1, 9), st.integers(1, 80))
@settings(max_examples=50)
def test_nothing_is_called_exact_that_is_not(options, game, seed, depth, nodes):
    searcher = AlphaBeta(game, **options)
    is_complete = not any(options[name] for name in SELECTIVE)
    for limit in (Limit(depth=depth), Limit(depth=depth, nodes=nodes)):
        for run in (searcher.search, searcher.analyse):
            is_honest(run(start(game, seed), limit), is_complete)


@given(st.fixed_dictionaries(SAFE | SELECTIVE), st.sampled_from(GAMES), SEEDS)
@settings(max_examples=50)
def test_exact_does_without_what_may_miss_something(options, game, seed):
    analysis = AlphaBeta(game, **options, exact=True).search(start(game, seed))
    assert analysis.exact
    is_honest(analysis)


@pytest.mark.parametrize(
    ("cls", "seed", "options", "limit"),
    [
        (Hinted, 274459, {"hints": False, "depth_factor": 1, "table_mb": 0, "killers": False}, Limit(depth=8)),
        (Hinted, 587954, {"hints": False, "table_mb": 0, "killers": False, "history_heuristic": False},
        Limit(nodes=20)), (Mirrored, 110386, {"hints": False, "table_mb": 0}, Limit(depth=8)),
        (
            Noisy, 636705,
            {"order": False, "staged": True, "history_heuristic": True, "extensions": False,
             "reuse_table": True, "beam": 2, "probcut": True},
            Limit(depth=7),
        ),
        (
            Noisy, 723138,
            {"order": False, "staged": False, "history_heuristic": True, "hints": False, "futility": True, "table_mb":
            0.001}, Limit(depth=3, nodes=20),
        ),
    ],
    ids=["estimate of a refuted action", "nodes", "line by an image", "half a proof", "nodes of quiescence"],
)  # fmt: skip
def test_found_before(cls, seed, options, limit):
    game = interpreted(cls)
    is_honest(AlphaBeta(game, **options).search(start(game, seed), limit), not options.keys() & SELECTIVE.keys())


# -- a depth limit ----------------------------------------------------------------------------------------------------

UNCHANGED = SAFE | {"reuse_table": st.just(False)}


@given(st.fixed_dictionaries(UNCHANGED), st.sampled_from(GAMES), SEEDS, st.integers(1, 6))
@settings(max_examples=50)
def test_a_depth_limit_means_what_it_does_to_the_twin(options, game, seed, depth):
    """An exact answer may see further: a near win ends a search, and so do hints."""
    state = start(game, seed)
    analysis = AlphaBeta(game, **options).search(state, Limit(depth=depth))
    if not analysis.exact and not (options["hints"] and isinstance(game, Hinted)):
        if isinstance(game, Noisy) and (options["quiescence"] or options["extensions"]):
            always_quiet = {} if options["quiescence"] else {"is_quiet": lambda self, state: True}
            most_ply = 2 * depth if options["extensions"] else 0
            value = selective_twin(
                interpreted(type(game), **always_quiet), state, analysis.player, depth, most_ply=most_ply
            )
        else:
            value, _ = twin(game, state, analysis.player, depth)
        assert same(analysis.value, value)


class Untied(Noisy):
    """A tree in which no two actions of a state have the same order."""

    def order(self, state, action):
        return scramble(state.seed, state.ply, state.x, 20 + action) % 1000 + action / 100


@given(SEEDS, st.integers(1, 6), st.integers(1, 3), st.booleans())
def test_a_beam_looks_at_the_best_actions_by_order(seed, depth, beam, staged):
    game = interpreted(Untied, is_quiet=lambda self, state: True, needs_extension=lambda self, state: False)
    analysis = AlphaBeta(game, beam=beam, staged=staged).search(start(game, seed), Limit(depth=depth))
    if not analysis.exact:
        value = selective_twin(game, analysis.state, analysis.player, depth, beam=beam)
        assert same(analysis.value, value)


def test_what_is_not_quiet_is_settled_at_the_horizon():
    game = interpreted(Noisy)
    changed = 0
    for seed in range(60):
        analysis = AlphaBeta(game, extensions=False).search(start(game, seed), Limit(depth=1))
        children = [game.result(analysis.state, action) for action in game.actions(analysis.state)]
        settled = max(quiet_twin(game, child, analysis.player) for child in children)
        if not analysis.exact:
            assert same(analysis.value, settled)
            changed += not same(settled, twin(game, analysis.state, analysis.player, 1)[0])
    assert changed > 10


# -- what each technique saves ----------------------------------------------------------------------------------------


class Wide(Hashed):
    """More actions and plies than `Hashed`, a transposition here and there, and no order: a game worth ordering."""

    compiled = False

    def to_move(self, state):
        return state.ply % 2

    def actions(self, state):
        return range(6)

    def result(self, state, action):
        return Seeded(state.seed, state.ply + 1, (state.x * 6 + action * 7 + state.ply) % 5003)

    def is_terminal(self, state):
        return state.ply >= 7

    def utility(self, state, player):
        value = sum(scramble(state.seed, 0, state.x // 6**k % 6, k) % 7 - 3 for k in range(5))
        return value if player == 0 else -value

    order = Game.order


def nodes(game, limit=None, seeds=range(6), **options):
    searcher = AlphaBeta(game, **options)
    return sum(searcher.search(start(game, seed), limit).nodes for seed in seeds)


class Unordered(ConnectFour):
    compiled = False
    order = Game.order


PLAIN = {"killers": False, "countermoves": False, "history_heuristic": False, "hints": False, "table_mb": 0}


@pytest.mark.parametrize("name", ["killers", "countermoves", "history_heuristic"])
def test_what_cut_off_elsewhere_cuts_off_again(name):
    searchers = [AlphaBeta(Unordered(5, 4), **PLAIN | {name: on}) for on in (True, False)]
    on, off = (searcher.search(limit=Limit(depth=7)).nodes for searcher in searchers)
    assert on < off


def test_symmetry_shares_entries():
    options = {"depth_factor": 4, "order": False}
    game = interpreted(Mirrored)
    seeds = range(300)
    assert nodes(game, seeds=seeds, **options) < nodes(game, seeds=seeds, symmetry=False, **options)


def test_staged_lists_less():
    played = []

    class Counted(Unordered):
        symmetries, candidates = ConnectFour.symmetries, ConnectFour.candidates

        def result(self, state, action):
            played.append(action)
            return ConnectFour.result(self, state, action)

    counts = []
    for staged in (True, False):
        played.clear()
        AlphaBeta(Counted(5, 4), hints=False, staged=staged).search(limit=Limit(depth=7))
        counts.append(len(played))
    assert counts[0] < 0.95 * counts[1]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["late_move_reductions", "null_move", "futility", "probcut"])
def test_what_may_miss_something_looks_at_less(name):
    class Passing(Wide):
        def evaluate(self, state, player):
            return Wide.utility(self, state, player) / 2

        def null_move_state(self, state):
            return Seeded(state.seed, state.ply + 1, state.x)

    limit, options = Limit(depth=6), {name: True, "margins": Margins(futility=(1, 2), probcut=1)}
    assert nodes(Passing(), limit, **options) < 0.95 * nodes(Passing(), limit)


@pytest.mark.parametrize("exact", [False, True])
def test_selective_is_two_techniques_at_once(exact):
    both = {"late_move_reductions": True, "null_move": True}
    game, limit = interpreted(Noisy), Limit(depth=4)
    for seed in range(20):
        at_once, one_by_one = (
            AlphaBeta(game, **options, exact=exact).search(start(game, seed), limit)
            for options in ({"selective": True}, both)
        )
        assert at_once == one_by_one


@pytest.mark.nightly
def test_a_pass_is_asked_for_only_where_it_is_tried():
    class Careful(Wide):
        compiled = False
        passes = 0

        def needs_extension(self, state):
            return state.x % 2 == 0

        def null_move_state(self, state):
            assert not self.needs_extension(state)
            type(self).passes += 1
            return Seeded(state.seed, state.ply + 1, state.x)

    nodes(Careful(), Limit(depth=6), null_move=True)
    assert Careful.passes


@pytest.mark.nightly
def test_a_state_that_is_its_own_pass_has_none():
    class Standing(Wide):
        compiled = False

        def null_move_state(self, state):
            return state

    limit = Limit(depth=6)
    assert nodes(Standing(), limit, null_move=True) == nodes(Standing(), limit)


def test_a_state_is_quiet_where_there_is_nothing_noisy():
    class Loud(Noisy):
        compiled = False
        is_quiet = Game.is_quiet

    class Told(Noisy):
        compiled = False

        def is_quiet(self, state):
            return len(list(self.noisy(state))) == 0 and not self.needs_extension(state)

    limit = Limit(depth=2)
    for game in Loud(), Told():
        assert nodes(game, limit, seeds=range(30)) > 1.1 * nodes(game, limit, seeds=range(30), quiescence=False)
    loud, told = (AlphaBeta(game) for game in (Loud(), Told()))
    for seed in range(30):
        state = start(loud.game, seed)
        assert loud.search(state, limit).value == told.search(state, limit).value


def by_place(game, state, action):
    return -action


def test_an_order_may_be_a_function():
    """It decides which action comes first; the values are the same. `by_place` is the order of the rules."""

    class ByPlace(Hashed):
        compiled = False

        def order(self, state, action):
            return by_place(self, state, action)

    game = interpreted(Hashed)
    plain = {"table_mb": 0, "killers": False, "countermoves": False, "history_heuristic": False}
    nodes = set()
    for seed in range(30):
        state = Seeded(seed, 0, 0)
        own = AlphaBeta(game, **plain, order=by_place).search(state)
        assert own.nodes == AlphaBeta(ByPlace(), **plain).search(state).nodes
        assert same(own.value, AlphaBeta(game, **plain).search(state).value)
        nodes.add(own.nodes - AlphaBeta(game, **plain).search(state).nodes)
    assert nodes != {0}
    first = AlphaBeta(game, **plain, order=lambda game, state, action: action).search(Seeded(1, 0, 0), Limit(depth=2))
    assert (first.game, first.nodes > 0) == (game, True)
    with pytest.raises(ValueError, match=r"AlphaBeta\(order='captures'\): order must be True, False or a function"):
        AlphaBeta(game, order="captures")


class Throws(Game):
    """Whoever brings the sum to 12 wins; an action is a tuple."""

    utilities = (-1, 1)

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return [(step, "steps") for step in (1, 2, 3)]

    def result(self, state, action):
        return (state[0] + action[0], 1 - state[1])

    def is_terminal(self, state):
        return state[0] >= 12

    def utility(self, state, player):
        return 1 if state[1] != player else -1


def test_an_order_is_given_the_actions_of_the_rules():
    plain = {"table_mb": 0, "killers": False, "countermoves": False, "history_heuristic": False}
    game = interpreted(Throws)
    large = AlphaBeta(game, **plain, order=lambda game, state, action: action[0]).search()
    small = AlphaBeta(game, **plain, order=lambda game, state, action: -action[0]).search()
    assert large.value == small.value == -1
    assert large.nodes < small.nodes
    assert MaxN(game, order=lambda game, state, action: action[0]).search().values == (-1, 1)
    compiled = AlphaBeta(Throws(), **plain, order=lambda game, state, action: action[0]).search()
    assert (compiled.value, compiled.nodes) == (-1, large.nodes)


@pytest.mark.nightly
def test_a_narrower_beam_looks_at_less():
    counts = [nodes(Wide(), Limit(depth=6), beam=beam) for beam in (1, 2, 4, None)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] / 5


def test_an_urgent_state_is_searched_further():
    game = interpreted(Noisy)
    limit = Limit(depth=2)
    assert nodes(game, limit, seeds=range(40)) > 1.1 * nodes(game, limit, seeds=range(40), extensions=False)


# -- repetition -------------------------------------------------------------------------------------------------------

MAZE_SWITCHES = {name: SAFE[name] for name in SAFE if name not in ("hints", "symmetry", "quiescence", "extensions")}


def walk(game, seed, turns):
    """The states of a game played at random for so many turns, the last one apart."""
    states = [Seeded(seed, 0, 0)]
    for turn in turns:
        children = [game.result(states[-1], action) for action in game.actions(states[-1])]
        open_ones = [child for child in children if not game.is_terminal(child)]
        if open_ones:
            states.append(open_ones[turn % len(open_ones)])
            if final(game, states) is not None:  # a repetition has ended the game: take the last turn back
                del states[-1]
    return states[:-1], states[-1]


@pytest.mark.nightly
@given(
    st.fixed_dictionaries(MAZE_SWITCHES),
    st.sampled_from(MAZES),
    SEEDS,
    st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=3),
    st.booleans(),
)
@settings(max_examples=50)
def test_repetition_is_what_following_every_line_shows(options, game, seed, walks, every):
    searcher = AlphaBeta(game, **options)
    for turns in walks:
        history, state = walk(game, seed, turns)
        run = searcher.analyse if every else searcher.search
        for analysis in (run(state, previous_states=history), Minimax(game).search(state, previous_states=history)):
            value, plies = path_twin(game, state, analysis.player, frozenset(history) - {state})
            assert analysis.exact
            assert same(analysis.value, value)
            if value and analysis.action is not None:
                assert analysis.distance == plies
                assert len(analysis.line) == plies
            if game.repetition == "draw" and not history:
                assert (value, plies) == endless_twin(game, state, analysis.player)


@given(
    st.fixed_dictionaries({name: SAFE[name] for name in MAZE_SWITCHES} | SELECTIVE),
    st.sampled_from(MAZES),
    SEEDS,
    st.integers(1, 9),
)
@settings(max_examples=60)
def test_repetition_and_a_limit_claim_nothing_wrong(options, game, seed, depth):
    analysis = AlphaBeta(game, **options).search(start(game, seed), Limit(depth=depth))
    if analysis.exact:
        value, plies = path_twin(game, analysis.state, analysis.player)
        assert same(analysis.value, value)
        assert not value or (analysis.distance or 0) == plies


class Circle(Game):
    """Walk to and fro on a row of three places, or leave by the middle: a draw at best, a win for no one who waits."""

    compiled = False
    repetition = "draw"
    utilities = (-1, 1)

    def initial_state(self):
        return (0, 0)  # place, player to move

    def to_move(self, state):
        return state[1]

    def actions(self, state):
        return {0: (1,), 1: (0, 2), 2: (1, 3), 3: ()}[state[0]]

    def result(self, state, action):
        return action, 1 - state[1]

    def is_terminal(self, state):
        return state[0] == 3

    def utility(self, state, player):
        return 1 if state[1] == player else -1  # who goes to place 3 loses


def play(game, *actions):
    states = [game.initial_state()]
    for action in actions:
        states.append(game.result(states[-1], action))
    return states


@pytest.mark.parametrize(
    ("rule", "times", "actions", "end"),
    [
        (None, 2, (1, 0, 1, 0), None),
        ("draw", 2, (1, 2), None),
        ("draw", 2, (1, 0), (0, 0)),
        ("draw", 3, (1, 0), None),
        ("draw", 3, (1, 0, 1, 0), (0, 0)),
        ("loss", 2, (1, 0), (1, -1)),
        ("forbidden", 2, (1,), None),
        ("forbidden", 2, (1, 2, 3), (-1, 1)),
    ],
)
def test_when_repetition_ends_a_game(rule, times, actions, end):
    game = interpreted(Circle, repetition=rule, repetitions=times)
    assert final(game, play(game, *actions)) == end


@pytest.mark.parametrize("searcher", [AlphaBeta, Minimax])
def test_a_search_knows_the_past(searcher):
    game = interpreted(Circle, repetition="forbidden")
    *history, state = play(game, 1, 2)
    assert searcher(game).search(state, previous_states=history).action == 3  # the way back is barred
    *history, state = play(game, 1, 0)
    lost = searcher(game).search(state, previous_states=history[1:])  # from place 1 to place 0, and no way back
    assert (lost.action, lost.value, lost.exact, lost.line) == (None, -1, True, ())
    game = interpreted(Circle, repetition="draw", repetitions=3)
    assert searcher(game).search(state, previous_states=history).action == 1
    *history, state = play(game, 1, 0, 1, 0)
    over = searcher(game).search(state, previous_states=history)
    assert (over.action, over.value, over.exact) == (None, 0, True)


def test_a_past_is_not_looked_at_without_a_rule_of_repetition():
    game = TicTacToe()
    assert AlphaBeta(game).search(previous_states=["whatever"]) == AlphaBeta(game).search()


@pytest.mark.nightly
def test_a_table_is_not_shared_between_draws_of_different_pasts():
    for game in MAZES[0], MAZES[3]:
        for seed in range(60):
            searcher = AlphaBeta(game, reuse_table=True)
            for turns in ([], [0], [1, 2], [2, 1, 0], [0]):
                history, state = walk(game, seed, turns)
                analysis = searcher.search(state, previous_states=history)
                assert same(analysis.value, path_twin(game, state, analysis.player, frozenset(history))[0])


def test_games_in_circles_are_refused_where_they_must_be():
    with pytest.raises(UnsuitableGame, match=r"ProofNumber cannot search Maze.*repeat.*use AlphaBeta"):
        ProofNumber(MAZES[0])
    with pytest.raises(RulesError, match=r"Bad\.repetition = 'lose': None, \"draw\""):
        type("Bad", (Maze,), {"repetition": "lose"})
    with pytest.raises(RulesError, match=r"Bad\.repetitions = 1: a whole number from 2 on"):
        type("Bad", (Maze,), {"repetitions": 1})
    with pytest.raises(RulesError, match=r"Bad\.by_trial = 'no': True or False"):
        type("Bad", (Maze,), {"by_trial": "no"})


def test_forbidden_actions_are_not_playable():
    game = interpreted(Circle, repetition="forbidden")
    assert playable(game, play(game, 1)) == [2]
    assert playable(game, play(game, 1, 2)) == [3]


def test_a_proof_in_circles_is_found_however_slowly_the_depth_grows():
    for game in MAZES:
        assert AlphaBeta(game, depth_factor=1, reuse_table=True, table_mb=0.001).analyse(start(game, 643560)).exact


@pytest.mark.parametrize("rule", ["draw", "loss", "forbidden"])
def test_a_history_repeats_as_a_list_does(rule, monkeypatch):
    """What repetition says of a `History` is what it says of a list; each key is computed once."""

    class Walk(TicTacToe):
        repetition, repetitions = rule, 2

        def is_terminal(self, state):
            return False

    game, asked = Walk(), []
    starts = [game.initial_state(), *(game.result(game.initial_state(), action) for action in range(3))]
    states, history = [], History([])
    key = repetition.state_key
    for number in (0, 1, 2, 0, 3, 3, 1):
        states.append(starts[number])
        history.append(starts[number])
        assert final(game, history) == final(game, states)
        assert repetition_keys(game, history[:-1]) == repetition_keys(game, states[:-1])
        assert repetition_keys(game, history) == repetition_keys(game, states)
        assert playable(game, history) == playable(game, states)
    monkeypatch.setattr(repetition, "state_key", lambda game, state: asked.append(state) or key(game, state))
    history.append(starts[2])
    history.keys(game), history.keys(game)
    assert len(asked) == 1


# -- parts ------------------------------------------------------------------------------------------------------------


def test_late_actions_are_reduced_by_one_ply_and_the_latest_by_two():
    game = ConnectFour()
    plies = [reduction.interpreted(game, game.initial_state(), LATE_DEPTH, place) for place in range(100)]
    assert plies.index(1) == LATE_ACTIONS
    assert plies.index(2) == 3 * LATE_ACTIONS
    assert plies == sorted(plies)
    assert reduction.interpreted(game, game.initial_state(), LATE_DEPTH - 1, 99) == 0


def test_in_quiescence_actions_of_the_same_order_stay_as_the_rules_list_them():
    memory = SimpleNamespace(listed=SimpleNamespace(action=[0] * 3, order=[0] * 3), why=0)
    game, techniques = ConnectFour(), SimpleNamespace(order=False)
    for number, action in enumerate((7, 5, 9)):
        assert list_one.interpreted(game, techniques, 0, number, action, memory, number) == number + 1
    assert memory.listed.action == [7, 5, 9]
    assert memory.listed.order == sorted(memory.listed.order, reverse=True)
