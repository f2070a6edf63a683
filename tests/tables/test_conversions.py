"""Tables by class with distances to the next conversion: by the definition, by Syzygy, with a counter, and played."""

import json
import random
from collections import Counter

import numpy as np
import pytest
from typer.testing import CliRunner

from outplay import Game, OutplayError, Tablebase, TableError, UnsuitableGame, check_game
from outplay.cli.commands import app
from outplay.games import Chess, EnglishDraughts, Oware
from outplay.rules.game import legal_actions
from outplay.tables import census, verify
from outplay.tables.classes import solve_classes
from outplay.tables.export import csv_parts

pytestmark = pytest.mark.compiled

GAME = Chess()
CLASSES, STAGES, NODES, ACTIONS = 3, 3, 12, 3
"""How many classes a maze has, stages a class, nodes a stage, and actions a node."""
SIZE = CLASSES * STAGES * NODES
LIMITS = 4, 8, 1000
"""The moves without a conversion after which a maze is a draw, in turns."""


class Maze(Game):
    """Random graphs: edges lead to nodes of the same stage, or to any of a lower stage or class of the same graph."""

    repetition = "draw"

    def __init__(self, mazes=1):
        self.mazes = mazes
        rng = np.random.default_rng(mazes)
        group = np.arange(mazes * SIZE) // NODES
        self.targets = rng.integers(0, NODES, (len(group), ACTIONS)) + group[:, None] * NODES
        lower = rng.random((len(group), ACTIONS)) < 0.15
        first, below = group * NODES // SIZE * SIZE, group * NODES % SIZE
        anywhere = first[:, None] + (rng.random((len(group), ACTIONS)) * below[:, None]).astype(int)
        self.targets = np.where(lower & (below[:, None] > 0), anywhere, self.targets)
        self.mover = rng.integers(0, 2, len(group))
        self.ends = np.where(rng.random(len(group)) < 0.12, rng.integers(0, 5, len(group)), -1)
        self.limits = np.array(LIMITS)
        self.first = int(np.flatnonzero(self.ends < 0)[-1])

    def initial_state(self):
        return (self.first, 0)  # the node, and the moves since the last conversion

    def limit(self, node):
        return int(self.limits[node // SIZE % len(self.limits)])

    def to_move(self, state):
        return int(self.mover[state[0]])

    def actions(self, state):
        return range(ACTIONS)

    def result(self, state, action):
        target = int(self.targets[state[0], action])
        return (target, state[1] + 1 if target // NODES == state[0] // NODES else 0)

    def is_terminal(self, state):
        return self.ends[state[0]] >= 0 or state[1] >= self.limit(state[0])

    def utility(self, state, player):
        value = (self.ends[state[0]] - 2) / 2 if self.ends[state[0]] >= 0 else 0.0
        return value if player == 0 else -value

    def state_class(self, state):
        return state[0] // (STAGES * NODES)

    def index_count(self, number):
        return STAGES * NODES

    def state_index(self, state):
        return state[0] % (STAGES * NODES)

    def indexed_state(self, number, index):
        return (number * STAGES * NODES + index, 0)

    def index_stage(self, state):
        return state[0] // NODES % STAGES

    def index_plies(self, state):
        return max(0, self.limit(state[0]) - state[1])


MAZES = Maze(20)


def made(game, **options):
    """A table of all classes of mazes."""
    options = {"distance_to": "conversion", "check": False, "memory_mb": 100, "threads": 1} | options
    return Tablebase.make(game, classes=range(game.mazes * CLASSES), **options)


@pytest.fixture(scope="module")
def table():
    return made(MAZES)


def graph_of(game, states):
    """The successors of each state."""
    return {
        state: [] if game.is_terminal(state) else [game.result(state, action) for action in legal_actions(game, state)]
        for state in states
    }


def values_of(game, graph):
    """What each side can force, for player 0: for each value, the states from which it forces as much or more."""
    values = dict.fromkeys(graph, 0.0)
    for side, value in [(0, 0.5), (0, 1.0), (1, 0.5), (1, 1.0)]:
        forced, before = set(), -1
        while len(forced) > before:
            before = len(forced)
            for state, children in graph.items():
                if not children:
                    good = game.utility(state, side) >= value
                else:
                    good = (any if game.to_move(state) == side else all)(child in forced for child in children)
                if good:
                    forced.add(state)
        values |= dict.fromkeys(forced, value if side == 0 else -value)
    return values


def plies_of(game, graph, values):
    """The least number of plies within which who gains forces the end or a conversion, and keeps the value; the other
    side only makes moves that give no more away.
    """
    plies, count = {state: 0 for state, children in graph.items() if not children}, 0
    while count <= len(graph):
        count, new = count + 1, {}
        for state, children in graph.items():
            if state in plies or values[state] == 0:
                continue
            same = [child for child in children if values[child] == values[state]]
            soon = [child[0] // NODES != state[0] // NODES or child in plies for child in same]
            gains = (values[state] > 0) == (game.to_move(state) == 0)
            if any(soon) if gains else all(soon):
                new[state] = count
        plies |= new
    return plies


def test_distances_by_their_definition(table, to_end):
    graph = graph_of(MAZES, [(node, 0) for node in range(len(MAZES.mover))])
    graph = {state: [(child[0], 0) for child in children] for state, children in graph.items()}
    values = values_of(MAZES, graph)
    plies = plies_of(MAZES, graph, values)
    found = {entry.state: (entry.value, entry.plies) for entry in table.entries()}
    assert found == {state: (value, plies.get(state)) for state, value in values.items()}
    ends = {entry.state: entry for entry in to_end.entries()}
    assert {state: each.value for state, each in ends.items()} == values
    assert all(plies is None or plies <= ends[state].plies for state, (_, plies) in found.items())
    assert max(plies.values()) > 5
    assert len(set(values.values())) == 5
    assert verify(table).fault == ""


@pytest.fixture(scope="module")
def to_end():
    return made(MAZES, distance_to="end")


@pytest.mark.nightly
def test_no_answer_is_wrong_where_a_counter_may_end_the_game(table, to_end):
    """The truth is what both sides can force when the counter is a part of the state."""
    answers = Counter()
    states = [(node, idle) for node in range(len(MAZES.mover)) for idle in range(max(LIMITS[:-1]) + 1)]
    states = [(node, idle) for node, idle in states if idle <= MAZES.limit(node) < LIMITS[-1]]
    for state, value in values_of(MAZES, graph_of(MAZES, states)).items():
        sign = 1 if MAZES.is_terminal(state) or MAZES.to_move(state) == 0 else -1
        for each in table, to_end:
            known = each.probe(state)
            assert known is None or known.value == sign * value, (each.distance_to, state)
            answers[each.distance_to, known is None, value != 0] += 1
    assert len(answers) == 8
    assert min(answers.values()) > 50, answers
    assert {each["goes_on"] for each in table.classes.about.values()} == {True, False}


def test_what_is_wrong_in_a_file_is_found(table, tmp_path):
    table.save(tmp_path / "a")

    def fault(**changes):
        loaded = Tablebase.load(tmp_path / "a", MAZES)
        solved, about = loaded.classes.solved, loaded.classes.about
        if "about" in changes:
            about[8] |= changes["about"]
        else:
            solved[8] = solved[8]._replace(**changes)
        return verify(loaded).fault

    solved = table.classes.solved[8]
    decisive = np.flatnonzero((solved.plies > 1) & (solved.levels != len(solved.utilities) // 2))
    wrong = solved.plies.copy()
    wrong[decisive[0]] -= 1
    assert "plies do not fit" in fault(plies=wrong)
    assert fault(levels=len(solved.utilities) - 1 - solved.levels)
    assert "after conversions is wrong" in fault(about={"index_plies": 999})
    assert "after conversions is wrong" in fault(about={"goes_on": not table.classes.about[8]["goes_on"]})
    assert fault(about={}) == ""


class Rising(Maze):
    compiled = False

    def index_stage(self, state):
        return STAGES - state[0] // NODES % STAGES


class Counting(Maze):
    compiled = False

    def result(self, state, action):
        return (int(self.targets[state[0], action]), state[1] + 1)


def test_refusals(table):
    with pytest.raises(OutplayError, match=r"an action raises index_stage at index .* and leads to the same class"):
        solve_classes(Rising(), [2], 100, distance_to="conversion")
    with pytest.raises(OutplayError, match="fewer index_plies than its index"):
        solve_classes(Counting(), [2], 100, distance_to="conversion")
    with pytest.raises(UnsuitableGame, match="with index_points, what is won is gained on the way"):
        Tablebase.make(Oware(pits=3, seeds=2, awari=True), classes=["2"], distance_to="conversion", check=False)
    with pytest.raises(TableError, match="are for tables by class: name classes"):
        Tablebase.make(MAZES, distance_to="conversion", check=False)
    with pytest.raises(TableError, match="distance_to='mate': choose end or conversion"):
        made(MAZES, distance_to="mate")
    with pytest.raises(TableError, match="has distances to the conversion, not to the end: a table has one kind"):
        made(MAZES, solved=table, distance_to="end")


@pytest.mark.nightly
def test_check_game_tries_the_stages():
    failed = [
        {failure.law for failure in check_game(each(), playouts=20).failures} for each in (Rising, Counting, Maze)
    ]
    assert "No action within a class raises index_stage." in failed[0]
    assert "After a conversion, index_plies is that of the index." in failed[1]
    assert not any("index" in law for law in failed[2])


@pytest.fixture(scope="module")
def pawns():
    return Tablebase.make(GAME, classes=["KPK"], distance_to="conversion", check=False)


def test_longest_ways_to_a_conversion(pawns):
    """Without other conversions than captures, a way is as long as to the mate."""
    about = {each["name"]: each for each in pawns.classes.about.values()}
    assert [about[name]["longest"][-1] for name in ("KQK", "KRK", "KPK")] == [20, 32, 20]
    assert all(each["goes_on"] for each in about.values())


SYZYGY = {
    "8/8/8/7k/8/3P4/2K5/8 b - - 0 1": -12,
    "8/8/8/8/2P3k1/8/1K6/8 b - - 0 1": -12,
    "7k/8/8/4KP2/8/8/8/8 b - - 0 1": -8,
    "8/8/8/2k5/8/4K3/4P3/8 b - - 0 1": -8,
    "8/2k5/8/8/8/5P2/4K3/8 w - - 0 1": 11,
    "8/8/6k1/8/8/7K/5P2/8 w - - 0 1": 7,
    "7Q/8/8/5K2/8/8/3k4/8 b - - 0 1": -14,
    "8/7R/8/8/8/8/K7/6k1 w - - 0 1": 21,
    "8/8/8/8/6k1/8/4P3/1K6 w - - 0 1": 13,
    "8/8/8/8/8/8/P7/1K4k1 w - - 0 1": 1,
}
"""DTZ of Ronald de Man's Syzygy tables, as python-chess reads them; losses are negative."""


def test_distances_are_those_of_syzygy(pawns):
    for fen, plies in SYZYGY.items():
        assert pawns.probe(GAME.parse_state(fen)) == (np.sign(plies), abs(plies)), fen


def won_positions(table, count):
    """Positions of KPK, KRK and KQK that the stronger side wins, either side to move and of either colour."""
    rng, found = random.Random(1), []
    numbers = [GAME.parse_class(name) for name in ("KPK", "KRK", "KQK")]
    while len(found) < count:
        number = numbers[len(found) % 3]
        state = GAME.indexed_state(number, rng.randrange(GAME.index_count(number)))
        if GAME.state_class(state) != number or GAME.is_terminal(state) or table.probe(state).value == 0:
            continue
        if rng.random() < 0.5:
            state = GAME.parse_state(mirrored(GAME.state_text(state)))
        found.append(state)
    return found


def mirrored(fen):
    """The same position with the colours exchanged."""
    board, turn, *rest = fen.split()
    return " ".join(["/".join(reversed(board.swapcase().split("/"))), "wb"[turn == "w"], *rest])


@pytest.mark.nightly
def test_who_follows_the_table_wins(pawns):
    """Against a random defence, and against one that puts each conversion off; with as few plies left as may be."""
    rng, conversions = random.Random(2), 0
    for number, start in enumerate(won_positions(pawns, 40)):
        known = pawns.probe(start)
        winner = start.turn if known.value > 0 else 1 - start.turn
        state = start._replace(idle=100 - known.plies)
        assert pawns.probe(state) == known
        assert pawns.probe(state._replace(idle=state.idle + 1)) is None
        played = 0
        while not GAME.is_terminal(state):
            if state.turn == winner or number % 2:
                action = pawns.look_up(GAME, state).action
            else:
                action = rng.choice(legal_actions(GAME, state))
            state = GAME.result(state, action)
            conversions += state.idle == 0
            played += 1
            assert played < 100
        assert GAME.utility(state, winner) == 1
    assert conversions > 20


def test_analyses_do_not_show_it_as_a_distance_to_the_end(pawns):
    state = GAME.parse_state("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    analysis = pawns.analyse(state)
    assert (analysis.value, analysis.distance, {row.distance for row in analysis.actions}) == (1, None, {None})
    assert pawns.look_up(GAME, state).distance is None
    assert analysis.line[0] == pawns.look_up(GAME, state).action
    too_late = state._replace(idle=101 - pawns.probe(state).plies)
    with pytest.raises(TableError, match=r"the next conversion is .* plies away, and a draw may come first"):
        pawns.analyse(too_late)


@pytest.mark.nightly
def test_censuses_count_the_plies_to_a_conversion(pawns):
    found = census(pawns)
    assert (found.longest_win.plies, len(found.longest_win.line)) == (31, 31)
    assert found.longest_win.line[-1].endswith("#")


@pytest.mark.nightly
def test_command(tmp_path):
    def run(*command):
        found = CliRunner().invoke(app, ["table", *command])
        assert found.exit_code == 0, found.output
        return found.output

    path, state = str(tmp_path / "a.table"), ["--state", "8/8/8/8/6k1/8/4P3/1K6 w - - 0 1"]
    made = run("make", "chess", path, "--class", "KPK", "--distance-to", "conversion")
    assert "32 plies" in made
    assert "distances to the next conversion" in made
    assert "distances to the next conversion" in run("info", path)
    assert "distances to the next conversion" in run("verify", "chess", path)
    assert "plies to the next conversion" in run("stats", "chess", path)
    assert json.loads(run("info", path, "--json"))["distance_to"] == "conversion"
    shown = run("probe", "chess", path, *state)
    assert "plies to the next conversion" in shown
    assert "win in" not in shown
    told = json.loads(run("probe", "chess", path, *state, "--json"))
    assert told["distance"] is None
    assert told["plies_to_conversion"] == Tablebase.load(path, GAME).probe(GAME.parse_state(state[1])).plies
    refused = CliRunner().invoke(app, ["table", "make", "chess", path, "--class", "KPK", "--distance-to", "mate"])
    assert (refused.exit_code, "choose end or conversion" in refused.output) == (2, True)
    columns = next(csv_parts(Tablebase.load(path, GAME))).decode().splitlines()[0]
    assert columns.endswith("plies to the next conversion")


@pytest.mark.nightly
def test_men_that_move_are_conversions():
    game = EnglishDraughts()
    table = Tablebase.make(game, classes=["KvM"], distance_to="conversion", check=False)
    assert verify(table).fault == ""
    assert table.classes.about[game.parse_class("KvM")]["longest"][-1] < 20
