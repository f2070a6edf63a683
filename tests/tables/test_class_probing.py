"""Tables by class in the tree of a search: the answers of `Tablebase.probe`, the same values, fewer nodes."""

import random
from dataclasses import dataclass

import pytest

from outplay import MCTS, AlphaBeta, Game, Limit, Tablebase, legal_actions
from outplay.compile.options import CompileTimeOptions
from outplay.compile.records import layout, new_record, view
from outplay.engine.score import encode, in_plies
from outplay.games import Chess, EnglishDraughts, Kalah, NineMensMorris, Oware
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import TableError
from outplay.tables import probing
from outplay.tables.probe import HIT, PROBE, probe_table
from outplay.tables.probing import give_back, take
from tables.test_endgames import Race

pytestmark = pytest.mark.compiled


@dataclass(frozen=True)
class ByClass(CompileTimeOptions):
    tablebase: str = "classes"


def check_by_twin(table, states):
    """Whether the kernel agrees with `Tablebase.probe`; the number of states that are found."""
    game, memory, hits = table.game, new_record(layout(*PROBE)), 0
    (prober,) = take(table, 1)
    prober.fill(memory)
    fields = view(memory)
    for state in states:
        known, found = table.probe(state), probe_table.interpreted(game, ByClass(), state, fields)
        assert (found == HIT) == (known is not None), state
        if known is not None:
            is_own = game.is_terminal(state) or game.to_move(state) == 0
            value = known.value - draw_utility(game) if is_own else draw_utility(game) - known.value
            assert (fields.value, fields.score) == (value, in_plies(encode(value), known.plies or 0)), state
            hits += 1
    give_back(table, [prober])
    return hits


def some_states(table, count, longest_idle=0):
    """Random states of the classes, holes included; half of them with a count of idle plies."""
    dice, game, found = random.Random(1), table.game, []
    for _ in range(count):
        number, about = dice.choice(list(table.classes.about.items()))
        state = game.indexed_state(number, dice.randrange(about["indices"]))
        if longest_idle and dice.random() < 0.5:
            state = state._replace(idle=dice.randrange(longest_idle))
        found.append(state)
    return found


CASES = [
    (EnglishDraughts(), ["KvM"], 80, False),
    (Oware(pits=3, seeds=2, awari=True, longest_idle=100), ["6"], 100, True),
    (Kalah(pits=2, seeds=2), ["8"], 0, True),
    (NineMensMorris(), ["3-3"], 100, False),
]


@pytest.fixture(scope="module")
def chess_table():
    return Tablebase.make(Chess(), classes=["KPK"])


@pytest.fixture(scope="module")
def race_table():
    return Tablebase.make(Race(), classes=["1"])


def test_the_kernel_says_what_the_table_does(chess_table, tmp_path):
    states = some_states(chess_table, 300, 100)
    hits = check_by_twin(chess_table, states)
    assert 200 < hits < 300
    chess_table.save(tmp_path / "a")
    assert check_by_twin(Tablebase.load(tmp_path / "a", chess_table.game), states) == hits
    assert check_by_twin(chess_table, [Chess().initial_state()]) == 0


def test_the_blocks_of_classes_in_memory_are_there_at_once_and_no_others(race_table, monkeypatch):
    classes = race_table.classes
    assert len(classes.about) > 1
    for kept in classes.about:
        monkeypatch.setattr(type(classes.solved), "is_kept", lambda _, number, kept=kept: number == kept)
        prober = probing.ClassProber(classes)
        place = prober.numbers.tolist().index(kept)
        assert [*prober.contents] == [*range(prober.starts[place], prober.starts[place + 1])]


@pytest.mark.nightly
@pytest.mark.parametrize(("game", "classes", "longest_idle", "all_states"), CASES, ids=lambda case: repr(case)[:15])
def test_the_kernel_says_what_tables_of_other_games_do(game, classes, longest_idle, all_states, tmp_path):
    """Five seconds a game to make its table."""
    table = Tablebase.make(game, classes=classes, threads=1)
    states = [*table.classes.states()] if all_states else []
    states += some_states(table, 300, longest_idle)
    hits = check_by_twin(table, states)
    assert hits > len(states) * 0.6
    table.save(tmp_path / "a")
    assert check_by_twin(Tablebase.load(tmp_path / "a", game), states) == hits


# -- searches ---------------------------------------------------------------------------------------------------------

STARTS = [(zero, one, 2, turn) for zero in range(6) for one in range(6) for turn in (0, 1) if zero != one]
"""States with two men; the table has those with one and with none."""


def assert_same(table, states, **options):
    """Searches with the table agree with those without; how often they found a state in the tree, and the nodes."""
    searcher, plain, hits, nodes = AlphaBeta(table.game, books=[table], **options), AlphaBeta(table.game), 0, [0, 0]
    for state in states:
        found, wanted = searcher.analyse(state), plain.analyse(state)
        assert (found.value, found.distance, found.exact) == (wanted.value, wanted.distance, True)
        rows = [{row.action: (row.value, row.distance) for row in each.actions} for each in (found, wanted)]
        assert rows[0] == rows[1]
        hits += found.table_hits
        nodes = [nodes[0] + found.nodes, nodes[1] + wanted.nodes]
    return hits, *nodes


@pytest.mark.nightly
def test_values_and_distances_are_the_same_with_fewer_nodes(race_table, tmp_path, monkeypatch):
    hits, nodes, plain_nodes = assert_same(race_table, STARTS)
    assert hits > len(STARTS)
    assert nodes < plain_nodes / 2
    race_table.save(tmp_path / "a")
    monkeypatch.setattr(probing, "CACHE_BYTES", 0)
    monkeypatch.setattr(probing, "MIN_ROOM", 1)  # two blocks, of which one is in the cache
    assert assert_same(Tablebase.load(tmp_path / "a", race_table.game), STARTS)[1:] == (nodes, plain_nodes)


@pytest.mark.nightly
def test_a_damaged_block_is_an_error_never_a_value(race_table, tmp_path):
    path = tmp_path / "a"
    race_table.save(path)
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    table = Tablebase.load(path, race_table.game)
    with pytest.raises(TableError, match="damaged in block 1 of the plies of class 1"):
        AlphaBeta(race_table.game, books=[table]).search(STARTS[4])
    race_table.save(path)
    table = Tablebase.load(path, race_table.game)
    assert AlphaBeta(race_table.game, books=[table]).search(STARTS[4]).table_hits > 0


@pytest.mark.nightly
def test_distances_to_the_next_conversion_are_for_the_root_alone(race_table):
    game = race_table.game
    table = Tablebase.make(game, classes=["1"], distance_to="conversion")
    assert (table.probed_in_tree, race_table.probed_in_tree) == ("", "classes")
    assert AlphaBeta(game, books=[table]).search(STARTS[4]).table_hits is None
    assert AlphaBeta(game, books=[table, race_table]).search(STARTS[4]).table_hits > 0


@pytest.mark.nightly
def test_states_are_looked_up_only_with_enough_depth_left(race_table):
    searcher = AlphaBeta(race_table.game, books=[race_table], table_probe_depth=100)
    assert searcher.search(STARTS[4], Limit(depth=8)).table_hits == 0


@pytest.mark.nightly
def test_threads_workers_and_earlier_states(race_table):
    """Each of them takes seconds to compile."""
    assert assert_same(race_table, STARTS[::5], threads=2)[0] > 0
    searcher = AlphaBeta(race_table.game, books=[race_table])
    assert searcher.search(STARTS[4], previous_states=[STARTS[5]]).table_hits is None


@pytest.mark.nightly
def test_mcts_proves_the_same(race_table):
    """MCTS takes four seconds to compile."""
    proved, plain, searcher = 0, AlphaBeta(race_table.game), MCTS(race_table.game, books=[race_table])
    for state in STARTS[::3]:
        analysis = searcher.search(state, Limit(simulations=300))
        assert analysis.table_hits > 0
        if analysis.exact:
            assert analysis.value == plain.search(state).value
            proved += 1
    assert proved > 5


@pytest.mark.nightly
def test_points_are_added_and_distances_left_out():
    """Awari with three pits; its search takes seconds to compile."""
    game = Oware(pits=3, seeds=2, awari=True, longest_idle=60)
    table, hits = Tablebase.make(game, classes=["8"]), 0
    searcher, plain, dice = AlphaBeta(game, books=[table]), AlphaBeta(game), random.Random(1)
    for _ in range(20):
        state = game.initial_state()
        for _ in range(dice.randrange(3)):
            state = game.result(state, dice.choice(list(legal_actions(game, state))))
        found, wanted = searcher.search(state), plain.search(state)
        assert (found.value, found.exact) == (wanted.value, True)
        if found.table_hits is not None:
            assert found.distance is None
            assert found.nodes < wanted.nodes
            hits += found.table_hits
    assert hits > 0


# -- what came before -------------------------------------------------------------------------------------------------


class Detour(Game):
    """Player 1 may go straight to a corridor, at whose end player 0 wins, or there by a detour; long play is a draw.

    A state has a node (0, the detour, 5, the corridor), a count of plies, of which keys have only the last 20, as in
    chess, and how many of the first nodes have no class.
    """

    repetition = "draw"
    limit, end = 60, 42

    def initial_state(self):
        return (0, 0, 0)

    def to_move(self, state):
        return 1 - state[0] % 2 if state[0] < 5 else state[0] % 2

    def actions(self, state):
        return (0, 1) if state[0] == 0 else (0,)

    def result(self, state, action):
        node, idle, outside = state
        return (5 if node == 0 and action == 0 else node + 1, idle + 1, outside)

    def is_terminal(self, state):
        return state[0] == self.end or state[1] == self.limit

    def utility(self, state, player):
        return 0 if state[0] != self.end else 1 if player == 0 else -1

    def key(self, state):
        return (state[0], max(0, state[1] - self.limit + 20), state[2])

    def state_class(self, state):
        return -1 if state[0] < state[2] else 0

    def index_count(self, number):
        return self.end + 1

    def state_index(self, state):
        return state[0]

    def indexed_state(self, number, index):
        return (index, 0, 0)

    def index_plies(self, state):
        return max(0, self.limit - state[1])


@pytest.mark.nightly
def test_a_win_that_is_in_time_on_one_path_may_come_too_late_on_another():
    """At 19 to 22 plies, only the straight way is in time."""
    game = Detour()
    table = Tablebase.make(game, classes=[0], check=False, threads=1)
    searcher = AlphaBeta(game, books=[table], check=False)
    for outside in (0, 6):  # 6: the state before the corridor has no class either
        for idle in range(14, 25):
            analysis = searcher.search((0, idle, outside), Limit(depth=9))
            assert (analysis.exact, analysis.value) == ((True, -1) if idle <= 18 else (False, 0)), (idle, outside)


@pytest.mark.nightly
def test_codes_have_all_of_the_past_but_keys_have_not():
    game = Detour()
    table = Tablebase.make(game, [(5, idle, 0) for idle in range(60)], check=False, threads=1)
    searcher = AlphaBeta(game, books=[table], check=False)
    for idle in range(14, 25):
        analysis = searcher.search((0, idle, 0), Limit(depth=9))
        assert (analysis.exact, analysis.value) == (True, -1 if idle <= 18 else 0), idle
        assert analysis.table_hits > 0


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("text", "depths", "exact"),
    [
        ("8/8/8/8/4k3/3r4/4P3/4K3 w - - 0 1", (4, 6), False),  # the rook is taken, and the pawn lost
        ("k7/8/1K6/8/8/8/1r6/1R6 w - - 0 1", (3, 6), True),  # a mate without and after an exchange
        ("8/1P6/k1K5/8/8/8/6p1/8 w - - 0 1", (6, 6), True),  # two promotions
    ],
)
def test_chess_with_captures_and_promotions_before_the_table(chess_table, text, depths, exact):
    """Alpha-beta for chess takes ten seconds to compile."""
    game = chess_table.game
    state = game.parse_state(text)
    analysis = AlphaBeta(game, books=[chess_table]).search(state, Limit(depth=depths[0]))
    wanted = AlphaBeta(game).search(state, Limit(depth=depths[1]))
    assert (analysis.value, analysis.distance, analysis.exact) == (wanted.value, wanted.distance, exact)
    assert analysis.nodes < wanted.nodes
    assert analysis.table_hits > 0


@pytest.mark.nightly
def test_chess_never_claims_a_win_that_the_fifty_moves_prevent(chess_table):
    """Without pawns, a win is one exactly if its mate comes in time."""
    game, dice, tried, hits = chess_table.game, random.Random(1), 0, 0
    searcher, number = AlphaBeta(game, books=[chess_table]), chess_table.game.parse_class("KRK")
    while tried < 30:
        state = game.indexed_state(number, dice.randrange(game.index_count(number)))
        known = chess_table.probe(state) if game.state_class(state) == number else None
        if known and known.plies and known.plies > 20:
            late = state._replace(idle=101 - known.plies)
            assert chess_table.probe(late) is None
            analysis = searcher.search(late, Limit(depth=5))
            assert not (analysis.exact and analysis.value)
            hits += analysis.table_hits
            tried += 1
    assert hits > 100
