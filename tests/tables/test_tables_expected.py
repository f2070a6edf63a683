"""Tables of games with chance, and for many players: by plain twins, in fractions; files; the check; commands."""

import json
import math
import random
import statistics
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from shared.hashed_game import Chancy, Hashed, Mirrored, Seeded, scramble
from typer.testing import CliRunner

from outplay import CHANCE, Expectiminimax, Game, MaxN, Tablebase, ValueIteration, legal_actions
from outplay.cli.commands import app
from outplay.engine.book import answer
from outplay.engine.limits import UNLIMITED
from outplay.games import ManyPlayerMNK, Pig
from outplay.rules.errors import TableError, UnsuitableGame
from outplay.tables import verify
from outplay.tables.components import Components, can_be_endless
from outplay.tables.expectation import shows_bounds, solve_component
from outplay.tables.file import TableFile
from outplay.tables.making import Making
from outplay.tables.max_n import distinct_rows
from outplay.tables.partitions import DICE, END, MAX, MIN
from outplay.tables.teams import Team
from outplay.tables.whole_graph import StateGraph
from outplay.tables.writing import write_table

pytestmark = pytest.mark.compiled


def exact(game, state, known):
    """The value for player 0 by its definition, with the probabilities that are meant: small fractions."""
    if state not in known:
        if game.is_terminal(state):
            known[state] = Fraction(game.utility(state, 0))
        else:
            actions = list(legal_actions(game, state))
            values = [exact(game, game.result(state, action), known) for action in actions]
            mover = game.to_move(state)
            if mover == CHANCE:
                chances = [Fraction(game.probability(state, a)).limit_denominator(1000) for a in actions]
                assert sum(chances) == 1
                known[state] = sum(p * v for p, v in zip(chances, values, strict=True))
            else:
                known[state] = max(values) if mover == 0 else min(values)
    return known[state]


def test_expected_values_are_those_of_the_definition():
    """For each state, up to the error that the table states."""
    game, differ = Chancy(), 0
    for seed in range(60):
        table, known = Tablebase.make(game, [Seeded(seed, 0, 0)], check=seed == 0), {}
        assert 0 <= table.error < 1e-13
        for entry in table.entries():
            wanted = exact(game, entry.state, known)
            assert abs(Fraction(entry.value) - wanted) <= Fraction(table.error), entry
            differ += wanted.denominator > 6
            assert entry.plies == (0 if game.is_terminal(entry.state) else None)
        exact(game, Seeded(seed, 0, 0), known)
        assert set(known) == {entry.state for entry in table.entries()}
        assert verify(table) == (len(table), "", None, False)
    assert differ > 200


class Even(Chancy):
    """Nobody ever wins."""

    def utility(self, state, player):
        return 0.0


def test_the_range_of_values_that_are_all_the_same():
    stats = Tablebase.make(Even(), [Seeded(1, 0, 0)]).stats()
    assert (stats.range, stats.counts) == ((0.0, 0.0), {})


class Sure(Chancy):
    """Chance always does the first action; the others have no successor in the table."""

    def probability(self, state, action):
        return 1.0 if action == 0 else 0.0


@pytest.mark.nightly
def test_outcomes_that_never_come():
    game, left_out = Sure(), 0
    for seed in range(20):
        table = Tablebase.make(game, [Seeded(seed, 0, 0)], check=False)
        assert table.error == 0
        assert verify(table) == (len(table), "", None, False)
        for entry in table.entries():
            if not game.is_terminal(entry.state) and game.to_move(entry.state) == CHANCE:
                assert [row.action for row in table.analyse(entry.state).actions] == [0]
                left_out += any(game.result(entry.state, a) not in table for a in game.actions(entry.state))
    assert left_out > 5


class Words(Game):
    """A coin with texts for actions: each head is a point, a tail costs all."""

    players = 1
    zero_sum = False

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return CHANCE if state[1] else 0

    def actions(self, state):
        return ["heads", "tails"] if state[1] else ["throw", "stop"]

    def result(self, state, action):
        if action == "throw":
            return (state[0], 1)
        return (state[0] + 1, 0) if action == "heads" else (0 if action == "tails" else state[0], 2)

    def is_terminal(self, state):
        return state[0] >= 4 or state[1] == 2

    def utility(self, state, player):
        return state[0]

    def probability(self, state, action):
        return 0.75 if action == "heads" else 0.25


@pytest.mark.nightly
def test_actions_that_are_texts():
    game = Words()
    table = Tablebase.make(game)
    assert verify(table).fault == ""
    assert abs(table.probe(game.initial_state()).value - 0.75 * 0.75 * 0.75 * 3) <= table.error
    assert table.analyse(game.initial_state()).action == "throw"
    chance = table.analyse(game.result(game.initial_state(), "throw"))
    assert [row.action for row in chance.actions] == ["heads", "tails"]


def test_ctrl_c_while_bounds_are_narrowed(monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("outplay.tables.expectation.solve_components", interrupted)
    assert Tablebase.make(Chancy(), check=False) is None


class Dice(NamedTuple):
    seed: int
    at: int
    rolling: int


class Loops(Game):
    """Random graphs in which play can go in circles, but each move is followed by dice that may end the game."""

    places = 12

    def initial_state(self):
        return Dice(1, 0, 0)

    def to_move(self, state):
        return CHANCE if state.rolling else scramble(state.seed, 0, state.at, 1) % 2

    def actions(self, state):
        return list(range(3 if state.rolling else 1 + scramble(state.seed, 0, state.at, 2) % 3))

    def result(self, state, action):
        if not state.rolling:
            return Dice(state.seed, scramble(state.seed, 1, state.at, 10 + action) % self.places, 1)
        if action == 0:
            return Dice(state.seed, self.places + scramble(state.seed, 2, state.at, 3) % 5, 0)
        if action == 1 and state.seed % 2 == 0:
            return state  # roll again
        return Dice(state.seed, scramble(state.seed, 3, state.at, 10 + action) % self.places, 0)

    def is_terminal(self, state):
        return state.at >= self.places

    def utility(self, state, player):
        value = state.at - self.places - 2
        return value if player == 0 else -value

    def probability(self, state, action):
        return (0.25, 0.25, 0.5)[action]


def exact_in_circles(game, root):
    """Values by policy iteration, in fractions: linear equations solved for fixed choices, until nothing is better.

    Hoffman & Karp 1966, for two sides: player 1 answers a choice of player 0 best, then player 0 improves.
    """
    states, after = [root], {}
    for state in states:
        if not game.is_terminal(state):
            after[state] = [game.result(state, action) for action in game.actions(state)]
            states += [each for each in dict.fromkeys(after[state]) if each not in states]

    def solved(choice):
        """The values when all players play `choice`, by elimination."""
        number = {state: i for i, state in enumerate(states)}
        rows = []
        for state in states:
            row = [Fraction(0)] * (len(states) + 1)
            row[number[state]] += 1
            if game.is_terminal(state):
                row[-1] = Fraction(game.utility(state, 0))
            elif game.to_move(state) == CHANCE:
                for action, child in enumerate(after[state]):
                    row[number[child]] -= Fraction(game.probability(state, action))
            else:
                row[number[after[state][choice[state]]]] -= 1
            rows.append(row)
        for i in range(len(rows)):
            pivot = next(k for k in range(i, len(rows)) if rows[k][i])
            rows[i], rows[pivot] = rows[pivot], rows[i]
            rows[i] = [each / rows[i][i] for each in rows[i]]
            for k in range(len(rows)):
                if k != i and rows[k][i]:
                    factor = rows[k][i]
                    rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
        return {state: rows[i][-1] for i, state in enumerate(states)}

    movers = {state: game.to_move(state) for state in after if game.to_move(state) != CHANCE}
    choice = dict.fromkeys(movers, 0)

    def improved(values, player):
        sign, changed = 1 if player == 0 else -1, False
        for state, mover in movers.items():
            if mover == player:
                best = max(range(len(after[state])), key=lambda a: sign * values[after[state][a]])
                if sign * values[after[state][best]] > sign * values[after[state][choice[state]]]:
                    choice[state], changed = best, True
        return changed

    while True:
        values = solved(choice)
        while improved(values, 1):
            values = solved(choice)
        if not improved(values, 0):
            return values


@pytest.mark.parametrize("seeds", [range(3), pytest.param(range(3, 12), marks=pytest.mark.nightly)])
def test_expected_values_where_play_can_go_in_circles(seeds):
    game, circles = Loops(), 0
    for seed in seeds:
        root = Dice(seed, 0, 0)
        table, wanted = Tablebase.make(game, [root], check=seed == seeds[0]), exact_in_circles(game, root)
        found = {entry.state: entry.value for entry in table.entries()}
        assert set(found) == set(wanted)
        assert 0 <= table.error < 1e-12
        for state, value in found.items():
            assert abs(Fraction(value) - wanted[state]) <= Fraction(table.error), state
        circles += any(value.denominator.bit_count() > 1 for value in wanted.values())  # not a sum of powers of 1/2
        assert verify(table).fault == ""
    assert circles > len(seeds) / 3


def test_threads_find_the_same_expected_values(monkeypatch):
    """Bit for bit; of 40 graphs with circles, so that threads have several components to work on at a time."""
    monkeypatch.setattr("outplay.tables.components.MIN_WORK", 1)
    starts = [Dice(seed, 0, 0) for seed in range(40)]
    one, *others = (Tablebase.make(Loops(), starts, threads=threads, check=False) for threads in (1, 2, 3))
    for other in others:
        assert (other.error, list(other.entries())) == (one.error, list(one.entries()))


def test_progress_counts_what_is_solved():
    making = Making(Loops(), [Dice(seed, 0, 0) for seed in range(5)], Team(2), 1e9)
    making.begin()
    made = making.run()
    assert making.progress == ("solving", len(made.states.codes), len(made.states.codes))


def random_circle(dice):
    """A random component of 2 to 9 states with two ends, as arrays of `solve_component`; its dice may end the play."""
    count = dice.randrange(2, 10)
    kinds = [dice.choice((MAX, MIN, DICE)) for _ in range(count)] + [END, END]
    ends, rows = [count, count + 1], []
    for state in range(count):
        after = [(state + 1) % count, *(dice.randrange(count) for _ in range(dice.randrange(3)))]
        if kinds[state] == DICE or dice.random() < 0.2:
            after.append(dice.choice(ends))
        rows.append(after)
    targets = [target for row in rows for target in row]
    chances = [1 / len(row) for row in rows for _ in row]
    first = np.cumsum([0, *(len(row) for row in rows), 0, 0])
    values = [-np.inf] * count + [dice.uniform(-3, 0), dice.uniform(0, 3)]
    arrays = np.array(kinds, np.uint8), first, np.array(targets, np.uint32), np.array(chances)
    return np.arange(count, dtype=np.uint32), arrays, np.array(values), rows


def values_in_circles(kinds, values, rows):
    """The values of all states by many plain sweeps; None if they do not settle, as where play can be endless."""
    plain = [0.0] * len(rows) + values[len(rows) :].tolist()
    for _ in range(4000):
        before = list(plain)
        for state, row in enumerate(rows):
            after = [before[target] for target in row]
            plain[state] = {MAX: max, MIN: min, DICE: statistics.fmean}[int(kinds[state])](after)
    return plain if max(abs(a - b) for a, b in zip(plain, before, strict=True)) < 1e-13 else None


def test_bounds_hold_however_wrong_the_guess_was():
    """What `shows_bounds` says is right holds, and what it has is as good as interval iteration alone."""
    dice, refused, wide, go_on = random.Random(8), 0, 0, np.zeros(1, np.bool_)
    for _ in range(150):
        states, arrays, values, rows = random_circle(dice)
        graph = StateGraph(None, None, arrays[0], np.diff(arrays[1]).astype(np.uint16), arrays[2], None, arrays[3])
        if can_be_endless(graph):
            continue
        wanted = np.array(values_in_circles(arrays[0], values, rows))
        lower, upper = values.copy(), values.copy()
        solve_component(states, *arrays, 2.0**-50, 2.0**-44, go_on, lower, upper)
        assert (lower <= wanted + 1e-12).all()
        assert (wanted - 1e-12 <= upper).all()
        assert (upper - lower).max() < 1e-12
        for noise in (0.0, 1e-9, 0.1, 2.0):
            low, high = values.copy(), values.copy()
            low[states] = [wanted[state] + dice.uniform(-noise, noise) for state in states]
            if shows_bounds(states, *arrays, 0.0, 1e-13, go_on, low, high):
                assert (low <= wanted + 1e-12).all()
                assert (wanted - 1e-12 <= high).all()
                wide += noise > 0
            else:
                refused += 1
    assert refused > 5
    assert wide > 50


class Waiting(Loops):
    """The same, where players may stay where they are."""

    def actions(self, state):
        return list(range(3))

    def result(self, state, action):
        return state if not state.rolling and action == 2 else Loops.result(self, state, action)


def test_a_game_that_players_can_keep_going_for_ever_is_refused():
    with pytest.raises(UnsuitableGame, match="it has chance, and its players together could make it go on for ever"):
        Tablebase.make(Waiting(), [Dice(3, 0, 0)])


def test_bounds_that_do_not_meet_are_refused(monkeypatch):
    monkeypatch.setattr("outplay.tables.expectation.STEADY", 0.1)
    with pytest.raises(TableError, match="the bounds of a value do not meet"):
        Tablebase.make(Loops(), [Dice(1, 0, 0)])


@pytest.mark.nightly
def test_pig():
    """Values of value iteration, which states an error of a few times 1e-9; actions as good as its own."""
    game = Pig(goal=10, sides=4)
    table, dice = Tablebase.make(game), random.Random(3)
    assert verify(table) == (len(table), "", None, False)
    for _ in range(6):
        state, path = game.initial_state(), []
        while not game.is_terminal(state):
            path.append(state)
            state = game.result(state, dice.choice(list(legal_actions(game, state))))
        state = dice.choice(path)
        wanted, found = ValueIteration(game).search(state), table.analyse(state)
        assert found.values == pytest.approx(wanted.values, abs=1e-8)
        assert {row.action: pytest.approx(row.value, abs=1e-8) for row in found.actions} == {
            row.action: row.value for row in wanted.actions
        }
        if found.player == CHANCE:
            assert found.action is None
            assert table.look_up(game, state) is None
        else:
            assert found.action == found.actions[0].action == table.look_up(game, state).action
            assert table.probe(state).value == found.value == max(row.value for row in found.actions)
            by_book = answer([table], game, state, UNLIMITED)
            assert (by_book.values, by_book.action, by_book.exact) == (found.values, found.action, True)


@pytest.mark.nightly
def test_pig_as_published():
    """The first player wins with probability 0.5306 (Neller & Presser, "Optimal Play of the Dice Game Pig", 2004)."""
    table = Tablebase.make(Pig())
    assert round((1 + table.probe(Pig().initial_state()).value) / 2, 4) == 0.5306
    assert table.error < 1e-12


class Tiles(NamedTuple):
    a: int  # exponents of two; 0 is an empty square
    b: int
    c: int
    d: int
    score: int
    coming: int


class Small(Game):
    """2048 on 2 x 2 squares; it ends with a tile of 32 too, so that trees of searches are small."""

    players = 1
    zero_sum = False

    def initial_state(self):
        return Tiles(0, 0, 0, 0, 0, 2)

    def to_move(self, state):
        return CHANCE if state.coming else 0

    def pushed(self, front, back):
        """A line of two after a move."""
        if front == 0:
            return back, 0
        return (front + 1, 0) if front == back else (front, back)

    def points(self, front, back):
        return 2 << front if front == back and front > 0 else 0

    def slid(self, state, action):
        a, b, c, d, score, _ = state
        if action == 0:  # up
            score += self.points(a, c) + self.points(b, d)
            (a, c), (b, d) = self.pushed(a, c), self.pushed(b, d)
        elif action == 1:  # right
            score += self.points(b, a) + self.points(d, c)
            (b, a), (d, c) = self.pushed(b, a), self.pushed(d, c)
        elif action == 2:
            score += self.points(c, a) + self.points(d, b)
            (c, a), (d, b) = self.pushed(c, a), self.pushed(d, b)
        else:
            score += self.points(a, b) + self.points(c, d)
            (a, b), (c, d) = self.pushed(a, b), self.pushed(c, d)
        return Tiles(a, b, c, d, score, 1)

    def changes(self, state, action):
        a, b, c, d, _, _ = self.slid(state, action)
        return (a, b, c, d) != (state.a, state.b, state.c, state.d)

    def empty(self, state):
        return [square for square in range(4) if (state.a, state.b, state.c, state.d)[square] == 0]

    def actions(self, state):
        if state.coming:
            return [2 * square + four for square in self.empty(state) for four in range(2)]
        return [action for action in range(4) if self.changes(state, action)]

    def result(self, state, action):
        if not state.coming:
            return self.slid(state, action)
        a, b, c, d, score, coming = state
        rank, square = 1 + action % 2, action // 2
        if square == 0:
            return Tiles(rank, b, c, d, score, coming - 1)
        if square == 1:
            return Tiles(a, rank, c, d, score, coming - 1)
        if square == 2:
            return Tiles(a, b, rank, d, score, coming - 1)
        return Tiles(a, b, c, rank, score, coming - 1)

    def is_terminal(self, state):
        if state.coming:
            return False
        return max(state.a, state.b, state.c, state.d) > 4 or len(self.actions(state)) == 0

    def utility(self, state, player):
        return state.score

    def probability(self, state, action):
        return (0.1 if action % 2 else 0.9) / len(self.empty(state))


@pytest.mark.nightly
def test_2048_on_4_squares():
    game = Small()
    table, known = Tablebase.make(game), {}
    analysis = Expectiminimax(game).search()
    assert analysis.exact
    assert table.probe(game.initial_state()).value == pytest.approx(analysis.value, rel=1e-12)
    assert abs(
        Fraction(table.probe(game.initial_state()).value) - exact(game, game.initial_state(), known)
    ) <= Fraction(table.error)
    assert len(table) == len(known)


class Folded(Chancy):
    """A game with chance whose states have images, -x."""

    def initial_state(self):
        return Seeded(1, 0, 1)

    def to_move(self, state):
        return Chancy.to_move(self, Seeded(state.seed, state.ply, abs(state.x)))

    def actions(self, state):
        return list(range(1 + scramble(state.seed, state.ply, abs(state.x), 2) % 4))

    def probability(self, state, action):
        return Chancy.probability(self, Seeded(state.seed, state.ply, abs(state.x)), 3 * action)

    def result(self, state, action):
        return Mirrored.result(self, state, action)

    def is_terminal(self, state):
        return Hashed.is_terminal(self, Seeded(state.seed, state.ply, abs(state.x)))

    def utility(self, state, player):
        return Hashed.utility(self, Seeded(state.seed, state.ply, abs(state.x)), player)

    def symmetries(self, state):
        return state, Seeded(state.seed, state.ply, -state.x)


@pytest.mark.nightly
def test_images_of_states_in_games_with_chance():
    game = Folded()
    for seed in range(20):
        table, known = Tablebase.make(game, [Seeded(seed, 0, 1)], check=seed == 0), {}
        exact(game, Seeded(seed, 0, 1), known)
        assert len(table) == len({(state.ply, abs(state.x)) for state in known})
        for state, value in known.items():
            assert table._states.find(state)[0] == pytest.approx(float(value), abs=1e-12)
        assert verify(table).fault == ""


# -- many players -----------------------------------------------------------------------------------------------------


class Three(Hashed):
    """Three players, each with utilities of his own."""

    players = 3
    zero_sum = False

    def to_move(self, state):
        return scramble(state.seed, state.ply, state.x, 1) % self.players

    def utility(self, state, player):
        return float(scramble(state.seed, state.ply, state.x, 40 + player) % 6 - 2)


class Partners(Three):
    """The same, where players 0 and 2 are a team."""

    teams = (1, 0, 1)

    def utility(self, state, player):
        return Three.utility(self, state, player % 2)


class Two(Three):
    """Two players whose interests are not opposed."""

    players = 2


def vectors(game, state, known):
    """The utility of each player by max^n, and the plies to that end: the first action that is best for the mover."""
    if state not in known:
        if game.is_terminal(state):
            known[state] = tuple(game.utility(state, player) for player in range(game.players)), 0
        else:
            mover = game.to_move(state)
            found = [vectors(game, game.result(state, action), known) for action in game.actions(state)]
            best = max(found, key=lambda each: each[0][mover])  # the first one
            known[state] = best[0], best[1] + 1
    return known[state]


@pytest.mark.sample(1)
@pytest.mark.parametrize("cls", [Three, pytest.param(Partners, marks=pytest.mark.nightly), Two])
def test_vectors_are_those_of_the_definition(cls):
    game, ties = cls(), 0
    for seed in range(60):
        root, known = Seeded(seed, 0, 0), {}
        table = Tablebase.make(game, [root], check=seed == 0)
        vectors(game, root, known)
        assert {entry.state for entry in table.entries()} == set(known)
        for state, (wanted, plies) in known.items():
            player = 0 if game.is_terminal(state) else game.to_move(state)
            assert table.probe(state) == (wanted[player], plies)
            analysis = table.analyse(state)
            assert analysis.values == wanted
            if analysis.action is not None:
                assert vectors(game, game.result(state, analysis.action), known)[0] == wanted
                assert table.look_up(game, state).action == analysis.action
                others = {vectors(game, game.result(state, a), known)[0] for a in game.actions(state)}
                ties += len({other for other in others if other[player] == wanted[player]}) > 1
        assert verify(table) == (len(table), "", None, False)
    assert ties > 10


@pytest.mark.nightly
def test_a_built_in_game_for_three_players():
    game = ManyPlayerMNK(3, 2, 2)
    table, dice = Tablebase.make(game), random.Random(4)
    assert verify(table).fault == ""
    for _ in range(5):
        state, path = game.initial_state(), []
        while not game.is_terminal(state):
            path.append(state)
            state = game.result(state, dice.choice(list(legal_actions(game, state))))
        state = dice.choice(path)
        wanted, found = MaxN(game).search(state), table.analyse(state)
        assert (found.values, found.action) == (wanted.values, wanted.action)
    found = MaxN(game, books=[table]).search()
    assert (found.method, found.action) == ("Tablebase", MaxN(game).search().action)
    assert found.value == MaxN(game).search().value
    assert all(map(math.isnan, found.values[1:]))  # an entry of a book has the value of the player to move alone


class Round(Three):
    """Three players, who can go in circles."""

    def result(self, state, action):
        return Seeded(state.seed, (state.ply + 1) % 3, scramble(state.seed, state.ply, state.x, 10 + action) % 5)

    def is_terminal(self, state):
        return state.x == 4


def test_circles_of_many_players_are_refused():
    with pytest.raises(
        UnsuitableGame, match="play can go in circles, and the interests of its players are not opposed"
    ):
        Tablebase.make(Round(), [Seeded(2, 0, 0)])


def test_distinct_rows_are_those_of_numpy():
    rows = np.random.default_rng(3).choice([-1.5, 0.0, 2.0], (200, 3))
    wanted, places = np.unique(rows, axis=0, return_inverse=True)
    found, ranks = distinct_rows(rows)
    assert (found == wanted).all()
    assert (ranks == places.reshape(-1)).all()


def test_threads_find_the_same_vectors():
    one, two = (Tablebase.make(ManyPlayerMNK(3, 2, 2), threads=threads, check=False) for threads in (1, 2))
    assert list(map(repr, two.entries())) == list(map(repr, one.entries()))


# -- components -------------------------------------------------------------------------------------------------------


def test_components_of_random_graphs(monkeypatch):
    """Two states are in one component if each can reach the other, and a component comes after all it leads to."""
    monkeypatch.setattr("outplay.tables.components.MIN_WORK", 3)
    dice, several = random.Random(5), 0
    for _ in range(150):
        count = dice.randrange(1, 25)
        edges = [[dice.randrange(count) for _ in range(dice.choice((0, 1, 1, 2)))] for _ in range(count)]
        graph = StateGraph(
            None, np.zeros((count, 1), np.int64), np.zeros(count, np.uint8),
            np.array([len(edge) for edge in edges], np.uint16),
            np.array([each for row in edges for each in row], np.uint32), None, None,
        )  # fmt: skip
        reached = [{i} for i in range(count)]
        for _ in range(count):
            for i in range(count):
                reached[i] |= {far for near in edges[i] for far in reached[near]}
        components = Components(graph)
        parts = [components.order[a:b].tolist() for a, b in zip(components.starts, components.starts[1:], strict=False)]
        assert sorted(each for part in parts for each in part) == list(range(count))
        place = {state: i for i, part in enumerate(parts) for state in part}
        for i in range(count):
            for k in range(count):
                assert (place[i] == place[k]) == (k in reached[i] and i in reached[k])
            assert all(place[k] <= place[i] for k in edges[i])
        assert components.circular == any(
            i in {far for near in edges[i] for far in reached[near]} for i in range(count)
        )
        for threads in (1, 2, 3):
            assert_in_turns(components, threads, place, edges)
        several += len(parts) > 1 and components.circular
    assert several > 20


def assert_in_turns(components, threads, place, edges):
    """Every component has its turn, after all that it leads to, but for those of its own part."""
    earlier = set()
    for turn in components.in_turns(threads):
        for part in turn:
            before = set()
            for component in part.tolist():
                before.add(component)
                own = [state for state, number in place.items() if number == component]
                assert {place[target] for state in own for target in edges[state]} <= earlier | before
        done = [component for part in turn for component in part.tolist()]
        assert earlier.isdisjoint(done)
        earlier |= set(done)
    assert earlier == set(place.values())


# -- files, the check, commands ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pig(tmp_path_factory):
    game = Pig(goal=10, sides=4)
    table, path = Tablebase.make(game), tmp_path_factory.mktemp("tables") / "pig.table"
    table.save(path)
    return game, table, path


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    game = ManyPlayerMNK(3, 2, 2)
    table, path = Tablebase.make(game), tmp_path_factory.mktemp("tables") / "three.table"
    table.save(path)
    return game, table, path


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["pig", "three"])
def test_a_file_holds_the_same_table(name, request):
    game, table, path = request.getfixturevalue(name)
    loaded = Tablebase.load(path, game)
    assert (loaded.utilities, loaded.error, loaded.stats()) == (table.utilities, table.error, table.stats())
    assert list(map(repr, loaded.entries())) == list(map(repr, table.entries()))
    assert loaded.analyse(game.initial_state()) == table.analyse(game.initial_state())
    assert verify(loaded).fault == ""


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("three", {"utilities": [[-1, 2], [0, 1], [0, 2]]}),
        ("three", {"utilities": [-1, 0, 2]}),
        ("three", {"utilities": [[2, 0, 1], [1, 0, 0], [0, 0, 0]]}),
        ("three", {"utilities": [[2, 0, 1], [1, 0], 0]}),
        ("three", {"error": 0.0}),
        ("pig", {"utilities": [0.0, [1.0]]}),
        ("pig", {"error": -1}),
        ("pig", {"error": "none"}),
    ],
)
def test_values_of_another_kind_are_refused(name, change, request, tmp_path):
    game, table, path = request.getfixturevalue(name)
    header = TableFile(path).header
    write_table(tmp_path / "lies.table", header, table.states())
    assert len(Tablebase.load(tmp_path / "lies.table", game)) == len(table)
    write_table(tmp_path / "lies.table", header | change, table.states())
    with pytest.raises(TableError, match=r"values of another kind|has a header that is not one of a table"):
        Tablebase.load(tmp_path / "lies.table", game)


def test_the_check_finds_wrong_expected_values(pig):
    game, table, _ = pig
    states, dice = table.states(), random.Random(6)
    for by in (1e-9, -1e-9, 0.1):
        for _ in range(5):
            values = states.levels.copy()
            values[dice.randrange(len(values))] += by
            wrong = Tablebase(game, table.codec, table.utilities, states._replace(levels=values), error=table.error)
            assert verify(wrong).fault
    vague = Tablebase(game, table.codec, table.utilities, states, error=1e-3)
    assert "is too large" in verify(vague).fault


def test_the_check_and_look_ups_find_wrong_vectors(three):
    game, table, _ = three
    states, dice, noticed = table.states(), random.Random(7), 0
    for name in ("levels", "plies"):
        for _ in range(8):
            numbers = getattr(states, name).copy()
            place = dice.randrange(len(numbers))
            numbers[place] = (numbers[place] + 1) % 3 if name == "levels" else numbers[place] + 1
            wrong = Tablebase(game, table.codec, table.utilities, states._replace(**{name: numbers}))
            assert verify(wrong).fault
            state = list(table.entries())[place].state
            with pytest.raises(TableError, match="contradicts the rules"):
                wrong.look_up(game, state)
            noticed += 1
    assert noticed == 16


def run(*args):
    return CliRunner().invoke(app, ["table", *map(str, args)])


@pytest.mark.nightly
def test_commands(pig, three, tmp_path):
    name = "pig(goal=10, sides=4)"
    made = json.loads(run("make", name, tmp_path / "pig.table", "--json").stdout)
    assert (made["states"], made["least"], made["greatest"]) == (len(pig[1]), -1, 1)
    assert (tmp_path / "pig.table").read_bytes() == pig[2].read_bytes()
    assert "values for player 0 from -1 to +1" in run("info", pig[2]).stdout
    assert json.loads(run("info", pig[2], "--json").stdout)["error"] == pig[1].error
    assert "states are right" in run("verify", name, pig[2]).stdout
    assert "roll" in run("probe", name, pig[2]).stdout
    assert run("export", name, pig[2], tmp_path / "pig.csv").exit_code == 0
    assert (tmp_path / "pig.csv").read_text().startswith("state,to move,value for player 0,plies")
    name = "many-player-mnk(m=3, n=2, k=2)"
    assert "+2 -1 -1" in run("info", three[2]).stdout
    assert run("export", name, three[2], tmp_path / "three.csv").exit_code == 0
    lines = (tmp_path / "three.csv").read_text().splitlines()
    assert lines[0] == "state,to move,values of sides,plies"
    assert len(lines) == len(three[1]) + 1
    assert any(line.endswith(",0,2 -1 -1,1") for line in lines)
