"""Searches with `textbook=True`: they visit what the pseudo-code of textbooks visits, in the same order."""

import itertools
import json
import math
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from programs.two_speeds import interpreted as never_compiled
from shared.hashed_game import Chancy, Crowd, Hashed, Lonely, Maze, Seeded, interpreted

from outplay import (
    CHANCE,
    AlphaBeta,
    BestReply,
    Expectiminimax,
    Limit,
    MaxN,
    Minimax,
    MTDf,
    Paranoid,
    Trace,
    UnsuitableGame,
    legal_actions,
)
from outplay.games import (
    Breakthrough,
    ConnectFour,
    DotsAndBoxes,
    EinStein,
    ExplicitTree,
    Kalah,
    ManyPlayerMNK,
    Nim,
    Othello,
    Pig,
    TicTacToe,
)
from outplay.rules.base import frozen

FIGURE = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
"""Figure 5.2 of Russell & Norvig, 4th edition."""
ROOM = 16_384


@dataclass
class Visited:
    """A visit of the pseudo-code: the state, its window and what it returned."""

    state: Any
    alpha: float = -math.inf
    beta: float = math.inf
    value: Any = None


def side(game, player):
    """The team of a player."""
    return (game.teams or range(game.players))[player]


class Book:
    """The pseudo-code, written down without a look at the searches: each method is a figure of a book.

    `visits` are in the order in which they began. Actions of players count for the depth, outcomes of chance do not.
    """

    def __init__(self, game):
        self.game, self.visits = game, []

    def search(self, method, state, depth):
        """The value and the action of a figure for MAX, who is to move in `state`."""
        self.hero = max(self.game.to_move(state), 0)
        return method(state, depth, -math.inf, math.inf) if method in (self.aima, self.notes) else method(state, depth)

    def is_max(self, state):
        return side(self.game, self.game.to_move(state)) == side(self.game, self.hero)

    def at_end(self, state, depth):
        """The value of a state in which the search ends, else None."""
        if self.game.is_terminal(state):
            return self.game.utility(state, self.hero)
        return self.game.evaluate(state, self.hero) if depth == 0 else None

    def minimax(self, state, depth):
        """Minimax-Search (Russell & Norvig, figure 5.3)."""
        visit = Visited(frozen(state))
        self.visits.append(visit)
        visit.value, move = self.at_end(state, depth), None
        if visit.value is None:
            visit.value = -math.inf if self.is_max(state) else math.inf
            for action in legal_actions(self.game, state):
                value, _ = self.minimax(self.game.result(state, action), depth - 1)
                if (value > visit.value) if self.is_max(state) else (value < visit.value):
                    visit.value, move = value, action
        return visit.value, move

    def aima(self, state, depth, alpha, beta):
        """Alpha-Beta-Search (Russell & Norvig, figure 5.7): v, and alpha or beta after it; returns v at a cut."""
        visit = Visited(frozen(state), alpha, beta)
        self.visits.append(visit)
        visit.value, move = self.at_end(state, depth), None
        if visit.value is not None:
            return visit.value, None
        if self.is_max(state):
            visit.value = -math.inf
            for action in legal_actions(self.game, state):
                value, _ = self.aima(self.game.result(state, action), depth - 1, alpha, beta)
                if value > visit.value:
                    visit.value, move = value, action
                    alpha = max(alpha, visit.value)
                if visit.value >= beta:
                    return visit.value, move
        else:
            visit.value = math.inf
            for action in legal_actions(self.game, state):
                value, _ = self.aima(self.game.result(state, action), depth - 1, alpha, beta)
                if value < visit.value:
                    visit.value, move = value, action
                    beta = min(beta, visit.value)
                if visit.value <= alpha:
                    return visit.value, move
        return visit.value, move

    def notes(self, state, depth, alpha, beta):
        """Alpha-beta of lecture notes, fail-hard: there is no v, alpha and beta are returned."""
        visit = Visited(frozen(state), alpha, beta)
        self.visits.append(visit)
        visit.value, move = self.at_end(state, depth), None
        if visit.value is not None:
            return visit.value, None
        visit.value = alpha if self.is_max(state) else beta
        for action in legal_actions(self.game, state):
            value, _ = self.notes(self.game.result(state, action), depth - 1, alpha, beta)
            if self.is_max(state):
                if value > alpha:
                    alpha, move = value, action
                visit.value = min(alpha, beta)
            else:
                if value < beta:
                    beta, move = value, action
                visit.value = max(alpha, beta)
            if alpha >= beta:
                break
        return visit.value, move

    def expectiminimax(self, state, depth):
        """Expectiminimax (Russell & Norvig, section 5.5)."""
        visit = Visited(frozen(state))
        self.visits.append(visit)
        visit.value, move = self.at_end(state, depth), None
        if visit.value is None and self.game.to_move(state) == CHANCE:
            visit.value = 0.0
            for action in legal_actions(self.game, state):
                value, _ = self.expectiminimax(self.game.result(state, action), depth)
                visit.value += self.game.probability(state, action) * value
        elif visit.value is None:
            visit.value = -math.inf if self.is_max(state) else math.inf
            for action in legal_actions(self.game, state):
                value, _ = self.expectiminimax(self.game.result(state, action), depth - 1)
                if (value > visit.value) if self.is_max(state) else (value < visit.value):
                    visit.value, move = value, action
        return visit.value, move

    def max_n(self, state, depth):
        """Minimax for many players (Russell & Norvig, section 5.2.1); chance as in section 5.5."""
        game, players = self.game, range(self.game.players)
        visit = Visited(frozen(state))
        self.visits.append(visit)
        move = None
        if game.is_terminal(state):
            visit.value = tuple(float(game.utility(state, player)) for player in players)
        elif depth == 0:
            visit.value = tuple(float(game.evaluate(state, player)) for player in players)
        elif game.to_move(state) == CHANCE:
            visit.value = (0.0,) * game.players
            for action in legal_actions(game, state):
                values, _ = self.max_n(game.result(state, action), depth)
                chance = game.probability(state, action)
                visit.value = tuple(a + chance * b for a, b in zip(visit.value, values, strict=True))
        else:
            mover = game.to_move(state)
            for action in legal_actions(game, state):
                values, _ = self.max_n(game.result(state, action), depth - 1)
                if move is None or values[mover] > visit.value[mover]:
                    visit.value, move = values, action
        return visit.value, move


def traced(kind, game, state=None, depth=None, room=ROOM):
    """The analysis of a textbook search, and its trace."""
    trace = Trace(room)
    return kind(game, textbook=True).search(state, Limit(depth=depth), trace=trace), trace


def visits_of(trace):
    """The visits of a trace as those of the pseudo-code."""
    return [
        Visited(frozen(visit.state), visit.alpha, visit.beta, visit.value if visit.values is None else visit.values)
        for visit in trace
    ]


def agrees(kind, method, game, state, depth=None, room=ROOM):
    """Compare a search with the pseudo-code; return the number of visits."""
    if game.is_terminal(state):
        return 0
    analysis, trace = traced(kind, game, state, depth, room)
    book = Book(game)
    value, move = book.search(getattr(book, method), state, depth or 10**6)
    assert visits_of(trace) == book.visits
    assert analysis.nodes == len(book.visits)
    assert (analysis.values if method == "max_n" else analysis.value) == value
    assert analysis.action == move
    if method == "aima":
        notes = Book(game)
        value, move = notes.search(notes.notes, state, depth or 10**6)
        assert (analysis.value, analysis.action) == (value, move)
        for mine, its in zip(book.visits, notes.visits, strict=True):
            assert (mine.state, mine.alpha, mine.beta) == (its.state, its.alpha, its.beta)
            if its.value != mine.value:  # fail-hard: the nearest value in the window
                assert its.value == min(max(mine.value, mine.alpha), mine.beta)
    check_tree(game, analysis, trace)
    return len(book.visits)


def check_tree(game, analysis, trace):
    """Parents, skipped actions and reasons follow from the visits; the line of the best action from the values."""
    children = {visit.index: [] for visit in trace}
    for visit in trace:
        if visit.parent is not None:
            children[visit.parent].append(visit)
            assert frozen(visit.state) == frozen(game.result(trace[visit.parent].state, visit.action))
    for visit in trace:
        actions = [] if game.is_terminal(visit.state) else list(map(int, legal_actions(game, visit.state)))
        seen = [child.action for child in children[visit.index]]
        assert seen == actions[: len(seen)]
        if visit.why in ("cut", "all searched"):
            assert list(visit.skipped) == actions[len(seen) :]
            assert not visit.skipped or visit.why == "cut"
        else:
            assert (seen, visit.skipped, visit.why) == ([], (), "end" if not actions else "estimate")
    state, index = analysis.state, 0
    for action in analysis.line:
        [child] = [child for child in children[index] if child.action == action]
        assert child.value == trace[index].value or trace[index].values is not None
        assert child.values == trace[index].values
        state, index = child.state, child.index
    assert game.is_terminal(state) or not children[index] or game.to_move(state) == CHANCE


SEARCHES = {
    "minimax": (Minimax, Hashed, "minimax"),
    "alpha-beta": (AlphaBeta, Hashed, "aima"),
    "one player": (AlphaBeta, Lonely, "aima"),
    "expectiminimax": (Expectiminimax, Chancy, "expectiminimax"),
    "max-n": (MaxN, Crowd, "max_n"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", SEARCHES)
def test_random_trees_are_visited_as_in_the_pseudo_code(name):
    kind, rules, method = SEARCHES[name]
    game, visits, cuts = rules(), 0, 0
    for seed in range(300):
        visits += agrees(kind, method, game, Seeded(seed, 0, 0), 2 if seed % 4 == 1 else None)
        cuts += sum(visit.why == "cut" for visit in traced(kind, game, Seeded(seed, 0, 0))[1]) if seed < 20 else 0
    assert visits > 8_000
    assert (cuts > 0) == (name == "alpha-beta")


@pytest.mark.parametrize("name", SEARCHES)
def test_interpreted_searches_do_the_same(name):
    kind, rules, method = SEARCHES[name]
    game = interpreted(rules)
    for seed in range(15):
        agrees(kind, method, game, Seeded(seed, 0, 0))
        agrees(kind, method, game, Seeded(seed, 0, 0), 2)


SMALL = {
    AlphaBeta: [
        TicTacToe,
        lambda: ConnectFour(width=4, height=3, length=3),
        lambda: Nim(heaps=(2, 3, 4)),
        lambda: Kalah(pits=3, seeds=2),
        lambda: Othello(size=4),
        lambda: Breakthrough(5, 3),
        lambda: DotsAndBoxes(2, 2),
    ],
    Expectiminimax: [lambda: Pig(goal=12), EinStein],
    MaxN: [lambda: ManyPlayerMNK(3, 3, 3, 3), lambda: Nim(heaps=(2, 3), players=3), lambda: Pig(goal=9, players=3)],
}
SMALL[Minimax] = SMALL[AlphaBeta]
METHODS = {Minimax: "minimax", AlphaBeta: "aima", Expectiminimax: "expectiminimax", MaxN: "max_n"}


@pytest.mark.parametrize("count", [5, pytest.param(100, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("kind", SMALL)
def test_positions_of_small_games_are_visited_as_in_the_pseudo_code(kind, count):
    rng, tried = Random(1), 0
    for make in itertools.cycle(SMALL[kind]):
        game = make()
        game.__class__ = never_compiled(type(game))
        state = game.initial_state()
        for _ in range(rng.randrange(8)):
            if not game.is_terminal(state):
                state = game.result(state, rng.choice(list(legal_actions(game, state))))
        tried += agrees(kind, METHODS[kind], game, state, rng.randint(1, 2)) > 0
        if tried == count:
            return


def test_the_figures_of_the_book():
    """Figure 5.5: 3, the cut after 2, and the leaves 4 and 6 are never seen."""
    analysis, trace = traced(AlphaBeta, ExplicitTree(FIGURE))
    assert (analysis.value, analysis.action, analysis.nodes, analysis.exact) == (3, 0, 11, True)
    assert [visit.value for visit in trace if visit.why == "end"] == [3, 12, 8, 2, 14, 5, 2]
    assert [visit.skipped for visit in trace if visit.skipped] == [(1, 2)]
    assert str(trace) == (
        "AlphaBeta(textbook=True), 11 visits  value  window        why\n"
        "MAX                                  3      (-inf, +inf)  all searched\n"
        "├─ 1: MIN                            3      (-inf, +inf)  all searched\n"
        "│  ├─ 1                              3      (-inf, +inf)  end\n"
        "│  ├─ 2                              12     (-inf, 3)     end\n"
        "│  └─ 3                              8      (-inf, 3)     end\n"
        "├─ 2: MIN                            ≤ 2    (3, +inf)     cut\n"
        "│  ├─ 1                              2      (3, +inf)     end\n"
        "│  └─ ✂ 2 (4) 3 (6)  pruned\n"
        "└─ 3: MIN                            2      (3, +inf)     cut\n"
        "   ├─ 1                              14     (3, +inf)     end\n"
        "   ├─ 2                              5      (3, 14)       end\n"
        "   └─ 3                              2      (3, 5)        end"
    )
    _, trace = traced(Minimax, ExplicitTree(FIGURE))
    assert str(trace).splitlines()[0].split() == ["Minimax(textbook=True),", "13", "visits", "value", "why"]


def test_all_six_orders_of_the_branches():
    """With the worst branch first nothing is cut, and whatever the order, the value is 3."""
    leaves = {}
    for order in itertools.permutations(FIGURE):
        analysis, trace = traced(AlphaBeta, ExplicitTree(list(order)))
        assert analysis.value == 3
        assert order[analysis.action] == [3, 12, 8]
        leaves[tuple(map(FIGURE.index, order))] = sum(visit.why == "end" for visit in trace)
    assert leaves == {
        (0, 1, 2): 7, (0, 2, 1): 7, (1, 0, 2): 9, (1, 2, 0): 9, (2, 0, 1): 7, (2, 1, 0): 7,
    }  # fmt: skip


def test_the_best_branch_last_and_a_leaf_that_is_never_seen():
    """Of a lecture: -8 on the left, and 8 is never seen."""
    analysis, trace = traced(AlphaBeta, ExplicitTree([[-8, -5], [-10, 8]]))
    assert (analysis.value, analysis.action) == (-8, 0)
    assert [visit.value for visit in trace if visit.why == "end"] == [-8, -5, -10]


def test_a_deep_cut():
    """The 5 of the root, two levels above, cuts off the 7."""
    analysis, trace = traced(AlphaBeta, ExplicitTree([5, [[[4, 7], 6], 8]]))
    assert (analysis.value, analysis.action) == (6, 1)
    assert [visit.value for visit in trace if visit.why == "end"] == [5, 4, 6, 8]
    [cut] = [visit for visit in trace if visit.skipped]
    assert (cut.alpha, cut.ply) == (5, 3)


@pytest.mark.compiled
def test_tic_tac_toe():
    """18,297 nodes with alpha-beta, 549,946 with minimax, as found with the pseudo-code by many a course."""
    for kind, nodes in ((AlphaBeta, 18_297), (Minimax, 549_946)):
        analysis = kind(TicTacToe(), textbook=True).search()
        assert (analysis.nodes, analysis.value, analysis.action, analysis.exact) == (nodes, 0, 0, True)
        assert len(analysis.line) == 9


@pytest.mark.nightly
@pytest.mark.compiled
def test_max_n_of_compiled_games_without_chance():
    """They define no `probability`, which must then not be compiled."""
    analysis = MaxN(TicTacToe(), textbook=True).search()
    assert (analysis.nodes, analysis.values) == (549_946, (0, 0))
    nim, trace = Nim(heaps=(1, 2, 3), players=3), Trace(limit=10_000)
    analysis = MaxN(nim, textbook=True).search(trace=trace)
    assert analysis.values == MaxN(nim).search().values
    assert len(trace) == analysis.nodes


def test_the_first_of_equal_actions_wins_and_a_late_win_is_as_good_as_an_early_one():
    late_first = ExplicitTree([[[1]], 1])
    assert traced(AlphaBeta, late_first)[0].action == traced(Minimax, late_first)[0].action == 0
    assert AlphaBeta(late_first).search().action == Minimax(late_first).search().action == 1
    analysis = traced(AlphaBeta, late_first)[0]
    assert (analysis.distance, analysis.line) == (None, (0, 0, 0))


def test_every_action_has_a_value():
    game = ExplicitTree(FIGURE)
    analysis = AlphaBeta(game, textbook=True).analyse()
    assert [(row.action, row.value, row.bound, row.exact) for row in analysis.actions] == [
        (0, 3, "exact", True), (1, 2, "exact", True), (2, 2, "exact", True),
    ]  # fmt: skip
    assert [row.line for row in analysis.actions] == [(0, 0), (1, 0), (2, 2)]
    searched = AlphaBeta(game, textbook=True).search()
    assert [(row.value, row.bound) for row in searched.actions] == [(3, "exact"), (2, "upper"), (2, "upper")]


def test_values_at_the_cutoff_are_estimates():
    def estimate(game, state, player):
        return 0.5 if player == 0 else -0.5

    game = interpreted(Hashed)
    trace = Trace()
    search = AlphaBeta(game, textbook=True, evaluate=estimate)
    analysis = search.search(Seeded(6, 0, 0), Limit(depth=1), trace=trace)
    assert {visit.value for visit in trace if visit.why == "estimate"} == {0.5}
    assert not analysis.exact
    assert analysis.stopped == "depth"


@pytest.mark.nightly
def test_repeated_states_are_as_in_minimax():
    game = interpreted(Maze)
    for seed in range(40):
        state = Seeded(seed, 0, 0)
        plain = Minimax(game).search(state)
        for kind in (Minimax, AlphaBeta):
            analysis, trace = traced(kind, game, state, room=10**6)
            assert (analysis.value, analysis.exact) == (pytest.approx(plain.value, rel=1e-11), True)
            assert len(trace) == analysis.nodes


@pytest.mark.nightly
def test_many_states_at_once():
    game = Hashed()
    states = [Seeded(seed, 0, 0) for seed in range(20)]
    for kind in (Minimax, AlphaBeta):
        searcher = kind(game, textbook=True)
        many = searcher.search_many(states)
        for state, found in zip(states, many, strict=True):
            alone = searcher.search(state)
            assert (found.value, found.action, found.nodes) == (alone.value, alone.action, alone.nodes)
    three = MaxN(Crowd(), textbook=True)
    for state, found in zip(states, three.search_many(states), strict=True):
        assert found.values == three.search(state).values


def test_a_stopped_search_keeps_the_actions_that_it_has_searched():
    analysis = Minimax(TicTacToe(), textbook=True).search(limit=Limit(nodes=100_000))
    assert analysis.stopped == "nodes"
    assert not analysis.exact
    assert [row.action for row in analysis.actions] == [0]


def test_chance_to_move_at_the_root():
    game = ExplicitTree({"player": "chance", "children": [[1, 2], 8], "probabilities": [0.75, 0.25]})
    for kind in (Expectiminimax, MaxN):
        analysis, trace = traced(kind, game)
        assert (analysis.player, analysis.value, analysis.action) == (CHANCE, 3.5, None)
        assert [row.value for row in analysis.actions] == [2, 8]
        assert "chance" in str(trace)
        assert "1 (0.75)" in str(trace)


def test_a_tree_of_three_players_shows_every_value():
    leaves = [{"utility": [1, 1, 7]}, {"utility": [3, 2, 5]}, {"utility": [2, 4, 1]}, {"utility": [2, 3, 4]}]
    _, trace = traced(MaxN, ExplicitTree([leaves[:2], leaves[2:]]))
    assert str(trace) == (
        "MaxN(textbook=True), 7 visits  value      why\n"
        "player 0                       (3, 2, 5)  all searched\n"
        "├─ 1: player 1                 (3, 2, 5)  all searched\n"
        "│  ├─ 1                        (1, 1, 7)  end\n"
        "│  └─ 2                        (3, 2, 5)  end\n"
        "└─ 2: player 1                 (2, 4, 1)  all searched\n"
        "   ├─ 1                        (2, 4, 1)  end\n"
        "   └─ 2                        (2, 3, 4)  end"
    )
    assert json.loads(json.dumps(trace.as_dict()))["visits"][0]["values"] == [3, 2, 5]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MTDf(TicTacToe(), textbook=True), "MTDf(textbook=True): Minimax, AlphaBeta"),
        (lambda: Paranoid(TicTacToe(), textbook=True), "Paranoid(textbook=True): Minimax, AlphaBeta"),
        (lambda: BestReply(TicTacToe(), textbook=True), "BestReply(textbook=True): Minimax, AlphaBeta"),
        (lambda: AlphaBeta(TicTacToe(), textbook=True, beam=3, hints=False), "drop beam, hints"),
        (lambda: AlphaBeta(TicTacToe(), textbook="yes"), "textbook must be True or False"),
        (lambda: Minimax(TicTacToe()).search(trace=Trace()), "use Minimax(…, textbook=True) or AlphaBeta"),
        (lambda: Paranoid(TicTacToe()).search(trace=Trace()), "Paranoid cannot record a trace; use AlphaBeta"),
    ],
)
def test_what_cannot_be(make, words):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        make()
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_unsuitable_games_are_refused_as_ever():
    with pytest.raises(UnsuitableGame, match="chance"):
        AlphaBeta(Pig(), textbook=True)
    with pytest.raises(UnsuitableGame, match="3 sides"):
        Expectiminimax(Pig(players=3), textbook=True)


def test_textbook_searchers_are_values():
    searcher = AlphaBeta(TicTacToe(), textbook=True)
    assert repr(searcher) == "AlphaBeta(TicTacToe(), textbook=True)"
    assert searcher == AlphaBeta(TicTacToe(), textbook=True) != AlphaBeta(TicTacToe())
    assert searcher.search() == searcher.search()
    assert searcher.search().method == "AlphaBeta(textbook=True)"
