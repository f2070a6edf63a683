"""Monte Carlo tree search with a table in the tree: the same values, proved sooner, and clear errors."""

import pytest

from outplay import MCTS, AlphaBeta, Limit, Tablebase, Trace
from outplay.rules.errors import TableError
from tables.test_table_probing import GAME, later_states
from tables.test_tables import Circles, Node, Shared

pytestmark = pytest.mark.compiled

STATES = later_states(5, 3, seed=5)


@pytest.fixture(scope="module")
def part():
    return Tablebase.make(GAME, later_states(20, 6))


@pytest.mark.nightly
@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"threads": 2, "parallel": "root"}, {"reuse_tree": True}])
def test_values_are_proved_with_fewer_simulations(part, options):
    plain, searcher = MCTS(GAME, **options), MCTS(GAME, books=[part], **options)
    saved = 0
    for state in STATES:
        analysis = searcher.search(state)
        assert (analysis.value, analysis.exact) == (AlphaBeta(GAME).search(state).value, True)
        saved += analysis.table_hits > 0 and analysis.simulations < plain.search(state).simulations
    assert saved >= 3


@pytest.mark.nightly
@pytest.mark.parametrize("game", [Circles(), Shared()], ids=repr)
def test_random_graphs_with_circles(game):
    """`Shared` has a constant sum that is not 0. Endless play is not proved by simulations, so only some states are."""
    hits = proved = 0
    for seed in range(20):
        root = Node(seed, 0)
        if game.is_terminal(root):
            continue
        whole = Tablebase.make(game, [root], check=False)
        rest = Tablebase.make(game, [game.result(root, action) for action in game.actions(root)], check=False)
        analysis = MCTS(game, books=[rest], check=False, early=False).analyse(root, Limit(simulations=200))
        if root in rest:
            continue
        assert analysis.exact  # each successor is in the table
        assert analysis.value == whole.probe(root).value, seed
        hits += analysis.table_hits
        proved += 1
    assert proved > 5
    assert hits >= proved


@pytest.mark.nightly
def test_hits_are_counted_for_each_state(part):
    one, other = (MCTS(GAME, books=[part]).search(state).table_hits for state in STATES[:2])
    both = MCTS(GAME, books=[part]).search_many(STATES[:2])
    assert [each.table_hits for each in both] == [one, other]
    assert one > 0
    assert both[0].as_dict()["table_hits"] == one


@pytest.mark.nightly
def test_where_no_table_is_used(part):
    limit = Limit(simulations=100)
    for searcher in (
        MCTS(GAME),
        MCTS(GAME, books=[part], solver=False),
        MCTS(GAME, books=[part], evaluator=lambda states: ([[0.0, 0.0]] * len(states), None)),
    ):
        assert searcher.search(STATES[0], limit).table_hits is None
    assert MCTS(GAME, books=[part]).search(STATES[0], limit, trace=Trace()).table_hits is None


class Repeated(Circles):
    """A repeated state is a draw."""

    repetition = "draw"


@pytest.mark.nightly
def test_earlier_states_that_matter():
    game = Repeated()
    for seed in range(1, 9):
        root = Node(seed, 0)
        if game.is_terminal(root):
            continue
        child = game.result(root, 0)
        if game.is_terminal(child):
            continue
        table = Tablebase.make(game, [game.result(child, action) for action in game.actions(child)], check=False)
        if child in table:
            continue
        searcher = MCTS(game, books=[table], check=False)
        assert searcher.analyse(child, Limit(simulations=50)).table_hits > 0
        assert searcher.analyse(child, Limit(simulations=50), previous_states=[root]).table_hits is None
        return
    raise AssertionError("no such state")


@pytest.mark.parametrize("threads", [1, 2])
def test_a_damaged_block_is_an_error_never_a_value(threads, part, tmp_path):
    path = tmp_path / "part.table"
    part.save(path)
    content = bytearray(path.read_bytes())
    content[-100] ^= 1
    path.write_bytes(content)
    table, errors = Tablebase.load(path, GAME), 0
    for state in STATES:
        try:
            analysis = MCTS(GAME, books=[table], threads=threads).search(state)
        except TableError as error:
            errors += "damaged in its block" in str(error)
        else:
            assert analysis.value == AlphaBeta(GAME).search(state).value
    assert errors
