"""Alpha-beta with a table in the tree: the same values and distances, fewer nodes, and clear errors."""

import random

import pytest

from outplay import AlphaBeta, MTDf, Tablebase, legal_actions
from outplay.cli.analyse import effort_text
from outplay.games import ConnectFour
from outplay.rules.errors import TableError
from outplay.tables import probing
from tables.test_tables import Alone, Circles, Mirrored, Node, Shared

pytestmark = pytest.mark.compiled

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
        analysis = AlphaBeta(GAME, books=[table], **options).analyse(state)
        assert (analysis.value, analysis.distance, analysis.exact) == (plain.value, plain.distance, True)
        rows, wanted = ({row.action: (row.value, row.distance) for row in each.actions} for each in (analysis, plain))
        assert rows == wanted
        if not options:
            assert analysis.nodes <= plain.nodes
        hits += analysis.nodes < plain.nodes
    return hits


@pytest.mark.nightly
def test_a_part_of_the_states_saves_nodes_and_changes_no_value(part):
    assert same(part) >= 4


def test_a_file_with_a_small_cache(part, tmp_path, small_cache):
    part.save(tmp_path / "part.table")
    assert same(Tablebase.load(tmp_path / "part.table", GAME)) >= 4


@pytest.mark.nightly
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
            analysis = AlphaBeta(GAME, books=[table]).analyse(state)
        except TableError as error:
            errors += "block" in str(error)
        else:
            assert analysis.value == AlphaBeta(GAME).search(state).value
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


@pytest.mark.sample(1)
@pytest.mark.parametrize("game", [Circles(), Shared()], ids=repr)
def test_random_graphs_with_circles(game):
    """From each successor of a root that the table lacks, and from it, as the table of all states has it.

    `Shared` has a constant sum that is not 0.
    """
    decisive = hits = 0
    for seed in range(40):
        root = Node(seed, 0)
        if game.is_terminal(root):
            continue
        children = [game.result(root, action) for action in game.actions(root)]
        whole = Tablebase.make(game, [root], check=False)
        rest = Tablebase.make(game, children, check=False)
        analysis = AlphaBeta(game, books=[rest], check=False).analyse(root)
        wanted = whole.analyse(root)
        assert (analysis.value, analysis.distance, analysis.exact) == (wanted.value, wanted.distance, True), seed
        assert analysis.values == wanted.values
        decisive += wanted.distance is not None
        hits += analysis.table_hits
    assert decisive > 5
    assert hits > 20


@pytest.mark.nightly
def test_images_of_a_state_are_found():
    """The table has only one of two mirror images; `symmetry=False` leaves them out elsewhere in the search."""
    game = Mirrored()
    state, mirrored = (1, 0, 0, 2, 0, 0, 0, 0, 0), (0, 0, 1, 0, 0, 2, 0, 0, 0)
    table = Tablebase.make(game, [state])
    assert table.probe(mirrored) == table.probe(state)
    for before in ((1, 0, 0, 0, 0, 0, 0, 0, 0), (0, 0, 1, 0, 0, 0, 0, 0, 0)):
        assert before not in table
        plain = AlphaBeta(game, symmetry=False).analyse(before)
        analysis = AlphaBeta(game, books=[table], symmetry=False).analyse(before)
        rows, wanted = ({row.action: (row.value, row.distance) for row in each.actions} for each in (analysis, plain))
        assert rows == wanted
        assert analysis.nodes < plain.nodes
        assert analysis.table_hits > 100


@pytest.mark.nightly
def test_edited_rules_of_the_same_game_are_refused(tmp_path):
    class Edited(Circles):
        pass

    game, root = Edited(), Node(5, 0)
    table = Tablebase.make(game, [game.result(root, 0)], check=False)
    assert AlphaBeta(game, books=[table], check=False).analyse(root).exact
    Edited.to_move = Alone.to_move
    searcher = AlphaBeta(game, books=[table], check=False)
    with pytest.raises(TableError, match="have changed since"):
        searcher.analyse(root)
    searcher.books, memory = (), searcher.books
    assert searcher.analyse(root).table_hits is None
    searcher.books = memory
    with pytest.raises(TableError, match="have changed since"):
        searcher._tablebase()  # what is asked inside the tree, where no book looks first


@pytest.mark.nightly
def test_a_damaged_block_with_threads(part, tmp_path):
    path = tmp_path / "part.table"
    part.save(path)
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    table, errors = Tablebase.load(path, GAME), 0
    for state in later_states(6, 3, seed=5):
        try:
            analysis = AlphaBeta(GAME, books=[table], threads=2).analyse(state)
        except TableError as error:
            errors += "damaged in its block" in str(error)
        else:
            assert analysis.value == AlphaBeta(GAME).search(state).value
    assert errors
    part.save(path)  # a search that failed leaves nothing behind
    state = later_states(1, 3, seed=5)[0]
    analysis = AlphaBeta(GAME, books=[Tablebase.load(path, GAME)], threads=2).search(state)
    assert analysis.value == AlphaBeta(GAME).search(state).value


# -- hits -------------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
@pytest.mark.parametrize("cls", [AlphaBeta, MTDf])
def test_hits_are_counted_for_each_state(cls, part):
    """The first of many states as if it were alone; the same state again needs no look-up: its result is stored."""
    searcher = cls(GAME, books=[part])
    one, other, *_ = (state for state in later_states(8, 3, seed=5) if searcher.search(state).table_hits)
    alone = [searcher.search(state).table_hits for state in (one, other)]
    assert searcher.search_many([one, other])[0].table_hits == alone[0]
    assert searcher.search_many([other, one])[0].table_hits == alone[1]
    again = searcher.search_many([one, one, one])
    assert [each.table_hits for each in again] == [alone[0], again[1].table_hits, again[1].table_hits]
    assert again[1].table_hits < alone[0]


@pytest.mark.nightly
def test_hits_of_all_threads(part):
    state = later_states(8, 3, seed=5)[0]
    assert AlphaBeta(GAME, books=[part], threads=2).search(state).table_hits > 0


def test_hits_are_shown(part):
    state = later_states(8, 3, seed=5)[0]
    analysis = AlphaBeta(GAME, books=[part]).search(state)
    assert analysis.as_dict()["table_hits"] == analysis.table_hits > 0
    assert f", {analysis.table_hits:,} table hits" in str(analysis)
    assert f", {analysis.table_hits:,} table hits" in effort_text(analysis)
    plain = AlphaBeta(GAME).search(state)
    assert plain.table_hits is None
    assert "table_hits" not in plain.as_dict()
    assert "hits" not in str(plain) + effort_text(plain)
    watched = []
    AlphaBeta(GAME, books=[part]).search(state, progress=watched.append)
    assert {each.table_hits for each in watched} <= {None, analysis.table_hits}


def test_a_game_that_is_over_and_a_state_of_the_table_have_no_hits(part):
    searcher = AlphaBeta(GAME, books=[part])
    known = next(entry.state for entry in part.entries() if entry.player >= 0)
    unknown = later_states(8, 3, seed=5)[0]
    found = searcher.search_many([known, unknown])
    assert found[0].table_hits is None
    assert found[1].table_hits > 0
