"""Alpha-beta with a table in the tree: the same values and distances, fewer nodes, and clear errors."""

import random

import pytest
from test_tables import Circles, Node

from outplay import AlphaBeta, Tablebase, legal_actions
from outplay.games import ConnectFour
from outplay.rules.errors import TableError
from outplay.tables import probing

GAME = ConnectFour(width=4, height=4)


def after(game, *actions):
    state = game.initial_state()
    for action in actions:
        state = game.result(state, action)
    return state


def later_states(count, plies, seed=1):
    """States of random games after so many plies."""
    dice, found = random.Random(seed), []
    while len(found) < count:
        state = GAME.initial_state()
        for _ in range(plies):
            if not GAME.is_terminal(state):
                state = GAME.result(state, dice.choice(list(legal_actions(GAME, state))))
        if not GAME.is_terminal(state):
            found.append(state)
    return found


@pytest.fixture(scope="module")
def part():
    return Tablebase.make(GAME, later_states(20, 6))


@pytest.fixture
def small_cache(monkeypatch):
    """Two blocks of a file in the cache."""
    monkeypatch.setattr(probing, "CACHE_BYTES", 0)


def same(table, **options):
    """Whether searches with the table agree with searches without; how many states the table knew."""
    hits = 0
    for state in later_states(8, 3, seed=5):
        plain = AlphaBeta(GAME).analyse(state)
        found = AlphaBeta(GAME, books=[table], **options).analyse(state)
        assert (found.value, found.distance, found.exact) == (plain.value, plain.distance, True)
        rows, wanted = ({row.action: (row.value, row.distance) for row in each.actions} for each in (found, plain))
        assert rows == wanted
        if not options:
            assert found.nodes <= plain.nodes
        hits += found.nodes < plain.nodes
    return hits


def test_a_part_of_the_states_saves_nodes_and_changes_no_value(part):
    assert same(part) >= 4


def test_a_file_with_a_small_cache(part, tmp_path, small_cache):
    part.save(tmp_path / "part.table")
    assert same(Tablebase.load(tmp_path / "part.table", GAME)) >= 4


def test_threads(part, tmp_path, small_cache):
    part.save(tmp_path / "part.table")
    same(Tablebase.load(tmp_path / "part.table", GAME), threads=2)


def test_a_damaged_block_is_an_error_never_a_value(part, tmp_path):
    path = tmp_path / "part.table"
    part.save(path)
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    table, errors = Tablebase.load(path, GAME), 0
    for state in later_states(8, 3, seed=5):
        try:
            found = AlphaBeta(GAME, books=[table]).analyse(state)
        except TableError as error:
            errors += "block" in str(error)
        else:
            assert found.value == AlphaBeta(GAME).search(state).value
    assert errors


def test_a_table_of_other_rules_is_refused(part):
    class Lower(ConnectFour):
        pass

    with pytest.raises(TableError, match="not of"):
        AlphaBeta(Lower(width=4, height=5), books=[part]).analyse(after(GAME, 0))


def test_states_are_looked_up_only_with_enough_depth_left(part):
    state = after(GAME, 0, 1, 2)
    plain = AlphaBeta(GAME).analyse(state).nodes
    nodes = [AlphaBeta(GAME, books=[part], table_probe_depth=depth).analyse(state).nodes for depth in (1, 1023)]
    assert nodes[0] <= nodes[1] == plain


def test_random_graphs_with_circles():
    """From each successor of a root that the table lacks, and from it, as the table of all states has it."""
    game, decisive = Circles(), 0
    for seed in range(40):
        root = Node(seed, 0)
        if game.is_terminal(root):
            continue
        children = [game.result(root, action) for action in game.actions(root)]
        whole = Tablebase.make(game, [root], check=False)
        rest = Tablebase.make(game, children, check=False)
        found = AlphaBeta(game, books=[rest], check=False).analyse(root)
        wanted = whole.analyse(root)
        assert (found.value, found.distance, found.exact) == (wanted.value, wanted.distance, True), seed
        decisive += wanted.distance is not None
    assert decisive > 5
