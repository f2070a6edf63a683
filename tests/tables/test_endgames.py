"""Dense numberings and tables by class: chess endings by published numbers, files, the check, and numbering."""

import json
import pickle
import signal
import threading
import time
import zlib
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import is_searching
from typer.testing import CliRunner

from outplay import AlphaBeta, Game, OutplayError, Tablebase, TableError, UnsuitableGame, check_game
from outplay.cli.commands import app
from outplay.compile.kernels import native_type
from outplay.compile.native.rules import native_rule
from outplay.games import Chess, ConnectFour, EnglishDraughts, InternationalDraughts
from outplay.games.draughts import Position
from outplay.rules import indexing
from outplay.rules.errors import RulesError
from outplay.session.searchers import new_searcher
from outplay.tables import Known, census, class_making, verify
from outplay.tables.block_file import CLASSES_MAGIC
from outplay.tables.class_blocks import BLOCK, ClassCache
from outplay.tables.class_expansion import UNKNOWN
from outplay.tables.class_file import SolvedClasses, read_classes
from outplay.tables.class_making import ClassMaking
from outplay.tables.classes import Classes, solve_classes
from outplay.tables.compression import zstd
from outplay.tables.retrograde import Retrograde

pytestmark = pytest.mark.compiled

GAME = Chess()
DRAUGHTS = EnglishDraughts()


@pytest.fixture(scope="module")
def table():
    return Tablebase.make(GAME, classes=["KPK"])


def test_endings_by_published_numbers(table):
    """The longest mates take 10, 16 and 28 moves."""
    classes = {each["name"]: each for each in table.classes.about.values()}
    assert sorted(classes) == ["KBK", "KK", "KNK", "KPK", "KQK", "KRK"]
    assert [classes[name]["longest"][-1] for name in ("KQK", "KRK", "KPK")] == [20, 32, 56]
    assert classes["KPK"]["counts"][0] == 0
    assert sum(classes["KPK"]["counts"]) == legal_positions_with_a_pawn() / 2  # mirrored


def legal_positions_with_a_pawn():
    """The positions of KPK: those in which the side to move could not take the king, with either side to move."""
    places = [(square % 8, square // 8) for square in range(64)]
    apart = [
        (one, other) for one in places for other in places if max(abs(one[0] - other[0]), abs(one[1] - other[1])) > 1
    ]
    found = 0
    for king, other in apart:
        for pawn in places[8:56]:
            if pawn not in (king, other):
                attacked = other[1] == pawn[1] + 1 and abs(other[0] - pawn[0]) == 1
                found += 1 if attacked else 2
    return found


def test_all_states_are_right(table, tmp_path):
    assert verify(table).fault == ""
    table.save(tmp_path / "a")
    loaded = Tablebase.load(tmp_path / "a", GAME)
    assert (verify(loaded).states, verify(loaded).fault) == (len(table), "")
    assert loaded.stats() == table.stats()
    solved = loaded.classes.solved[GAME.parse_class("KRK")]
    wrong = solved.plies.copy()
    wrong[np.flatnonzero((solved.levels == 2) & (solved.plies == 9))[0]] += 1
    loaded.classes.solved[solved.number] = solved._replace(plies=wrong)
    assert "plies" in verify(loaded).fault


def test_a_search_asks_it_but_not_where_the_fifty_moves_may_come_first(table):
    state = GAME.parse_state("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    found = table.probe(state)
    assert found.value == 1
    analysis = AlphaBeta(GAME, books=[table]).search(state)
    assert (analysis.nodes, analysis.distance, analysis.method) == (0, found.plies, "Tablebase")
    late = GAME.parse_state(f"8/8/8/4k3/8/8/8/R3K3 w - - {100 - found.plies} 80")
    assert table.probe(late) == found
    assert table.analyse(late).distance == found.plies
    too_late = late._replace(idle=late.idle + 1)
    assert table.probe(too_late) is None
    with pytest.raises(TableError, match="not certain"):
        table.analyse(too_late)


def test_commands_take_it_as_a_book(table, tmp_path):
    path = str(tmp_path / "chess.table")
    table.save(path)
    state = table.game.parse_state("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    analysis = new_searcher(table.game, "alpha-beta", book=path).search(state)
    assert (analysis.exact, analysis.nodes, analysis.method) == (True, 0, "Tablebase")


def test_colours_and_images_are_one(table):
    white = table.probe(GAME.parse_state("8/8/8/4k3/8/8/8/R3K3 w - - 0 1"))
    assert white == table.probe(GAME.parse_state("r3k3/8/8/8/4K3/8/8/8 b - - 0 1"))
    assert white == table.probe(GAME.parse_state("8/8/8/3k4/8/8/8/3K3R w - - 0 1"))
    assert table.probe(GAME.initial_state()) is None
    assert table.probe(GAME.parse_state("8/8/8/4k3/8/8/8/4K3 w - - 0 1")) == Known(0.0, 0)


def test_damaged_files_are_refused(table, tmp_path):
    table.save(tmp_path / "a")
    content = bytearray((tmp_path / "a").read_bytes())
    for place, where in ((30, "its header"), (len(content) - 10, "block 1 of the plies of class")):
        wrong = bytearray(content)
        wrong[place] ^= 1
        (tmp_path / "b").write_bytes(wrong)
        with pytest.raises(TableError, match=f"damaged in {where}"):
            list(Tablebase.load(tmp_path / "b", GAME).classes.solved.values())
    with pytest.raises(TableError, match="another game"):
        Tablebase.load(tmp_path / "a", Chess(1))


def test_threads_find_the_same(table, monkeypatch):
    monkeypatch.setattr("outplay.tables.class_exploration.LEAST_BITS", 8)
    assert_same(solve_classes(GAME, ["KPK"], 1000, threads=3), table.classes)


def test_few_blocks_of_other_classes_are_in_memory(table, monkeypatch):
    monkeypatch.setattr("outplay.tables.class_making.KNOWN_SHARE", 0)
    monkeypatch.setattr("outplay.tables.verification.KEPT_MB", 0)
    monkeypatch.setattr("outplay.tables.class_blocks.LEAST_ROOM", 2)
    counts, put = [], ClassCache.put

    def counted(self, block, slot, content):
        put(self, block, slot, content)
        counts.append(len(self.contents))

    monkeypatch.setattr(ClassCache, "put", counted)
    assert_same(solve_classes(GAME, ["KPK"], 1000, threads=1), table.classes)
    assert verify(table).fault == ""
    assert max(counts) == 2
    assert len(counts) > 20


def test_successors_that_exceed_the_memory_are_in_files(table, monkeypatch):
    moved, move = [], ClassMaking.move
    monkeypatch.setattr(ClassMaking, "move", lambda self: moved.append(self.exploration.name) or move(self))
    memory_mb = GAME.index_count(GAME.parse_class("KPK")) * class_making.INDEX_BYTES / class_making.SHARE / 1e6 + 0.001
    assert_same(solve_classes(GAME, ["KPK"], memory_mb, threads=2), table.classes)
    assert "KPK" in moved
    with pytest.raises(OutplayError, match=r"KPK .*does not fit into"):
        solve_classes(GAME, ["KPK"], memory_mb * 0.9)


def assert_same(found, classes):
    assert list(found.about.items()) == list(classes.about.items())
    for one, other in zip(found.solved.values(), classes.solved.values(), strict=True):
        assert one.utilities == other.utilities
        known = other.levels != UNKNOWN
        assert (one.levels == other.levels)[known].all()
        assert (one.plies == other.plies)[known & (other.levels != len(other.utilities) // 2)].all()


def test_classes_that_are_solved_are_not_solved_again(table, tmp_path, monkeypatch):
    made, names = ClassMaking.__init__, []

    def noted(self, game, number, *args, **more):
        names.append(game.class_name(number))
        made(self, game, number, *args, **more)

    queens, pawns = str(tmp_path / "a"), str(tmp_path / "b")
    Tablebase.make(GAME, classes=["KQK", "KRK"]).save(queens)
    monkeypatch.setattr(ClassMaking, "__init__", noted)
    command = ["table", "make", "chess", pawns, "--class", "KPK", "--class", "KRK", "--solved", queens]
    assert CliRunner().invoke(app, command).exit_code == 0
    assert sorted(set(names)) == ["KBK", "KNK", "KPK"]
    found = Tablebase.load(pawns, GAME)
    assert {number: dict(each, plies_bytes=1) for number, each in table.classes.about.items()} == found.classes.about
    assert verify(found).fault == ""
    wrong = CliRunner().invoke(app, ["table", "make", "chess(start=1)", pawns, "--class", "KPK", "--solved", queens])
    assert wrong.exit_code == 2
    assert "another game" in wrong.output
    with pytest.raises(TableError, match="it takes a table by class"):
        Tablebase.make(GAME, solved=table)


def test_only_the_blocks_that_are_asked_for_are_read(table, tmp_path, monkeypatch):
    table.save(tmp_path / "a")
    content = bytearray((tmp_path / "a").read_bytes())
    content[-10] ^= 1  # in the last class
    (tmp_path / "b").write_bytes(content)
    monkeypatch.setattr("outplay.system.files.MAX_FILE_BYTES", 1000)  # that a file may have if it is read whole
    loaded = Tablebase.load(tmp_path / "b", GAME)
    state, queen = (GAME.parse_state(f"8/8/8/4k3/8/8/{piece}7/4K3 w - - 0 1") for piece in "RQ")
    assert loaded.probe(state) == table.probe(state)
    assert pickle.loads(pickle.dumps(loaded.classes.solved)).find(0, 3) == loaded.classes.solved.find(0, 3)
    with pytest.raises(TableError, match="block 1 of the plies of class KQK"):
        loaded.probe(queen)


def test_classes_that_exceed_the_memory_are_in_a_file(table, tmp_path):
    """One class at a time is kept; the file is the same, also of a table that was loaded."""
    classes, small = table.classes, SolvedClasses(0)
    for number, each in classes.solved.items():
        small[number] = each
    assert len(small._in_memory) == 1
    assert list(small) == list(classes.solved)
    state = GAME.parse_state("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
    number, index = GAME.state_class(state), GAME.state_index(state)
    assert small.find(number, index) == classes.solved.find(number, index)
    same = Tablebase(GAME, table.codec, (), Classes(GAME, small, classes.about))
    assert verify(same).fault == ""
    for name, each in (("a", table), ("b", same)):
        each.save(tmp_path / name)
    Tablebase.load(tmp_path / "a", GAME).save(tmp_path / "c")
    loaded = Tablebase.load(tmp_path / "a", GAME)
    loaded.classes.solved[number] = classes.solved[number]  # which moves the others to a new file
    loaded.save(tmp_path / "d")
    assert len({(tmp_path / name).read_bytes() for name in "abcd"}) == 1
    copy = pickle.loads(pickle.dumps(small))
    assert [each.plies.tolist() for each in copy.values()] == [each.plies.tolist() for each in small.values()]


@pytest.mark.parametrize(
    ("block", "reason"), [(b"not zstd", "is damaged in block 1"), (zstd()[0](bytes(BLOCK + 1)), "too long")]
)
def test_blocks_that_have_the_right_checksum_are_refused(table, tmp_path, block, reason):
    table.save(tmp_path / "a")
    content = (tmp_path / "a").read_bytes()
    start = len(CLASSES_MAGIC) + 8
    length = int.from_bytes(content[len(CLASSES_MAGIC) : len(CLASSES_MAGIC) + 4], "little")
    header, rest = json.loads(content[start : start + length]), content[start + length :]
    first = header["classes"][0]["levels"]
    rest = block + rest[first[0][0] :]
    first[0] = [len(block), zlib.crc32(block)]
    text = json.dumps(header).encode()
    sizes = len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little")
    (tmp_path / "b").write_bytes(CLASSES_MAGIC + sizes + text + rest)
    with pytest.raises(TableError, match=reason):
        verify(Tablebase.load(tmp_path / "b", GAME))


def test_refusals():
    with pytest.raises(UnsuitableGame, match="does not define state_index"):
        Tablebase.make(ConnectFour(4, 4), classes=["1"])
    with pytest.raises(Exception, match="KRK"):
        Tablebase.make(GAME, classes=["rook"])


def test_command(tmp_path):
    path = str(tmp_path / "a.table")
    made = CliRunner().invoke(app, ["table", "make", "chess", path, "--class", "KRK"])
    assert made.exit_code == 0, made.output
    assert "32 plies" in made.output
    shown = CliRunner().invoke(app, ["table", "probe", "chess", path, "--state", "8/8/8/4k3/8/8/8/R3K3 w - - 0 1"])
    assert "#" in shown.output
    told = CliRunner().invoke(app, ["table", "info", path])
    assert told.exit_code == 0, told.output
    assert "KRK  59,136 indices" in told.output
    checked = CliRunner().invoke(app, ["table", "verify", "chess", path])
    assert "are right" in checked.output


@given(st.integers(1, 12), st.integers(0, 6), st.data())
def test_subsets(squares, pieces, data):
    count = indexing.subset_count(squares, pieces)
    if count:
        index = data.draw(st.integers(0, count - 1))
        board = indexing.subset(index, pieces)
        assert 0 <= board < 1 << squares
        assert indexing.subset_index(board) == index


@given(st.integers(0, 2**40 - 1), st.integers(0, 2**40 - 1))
def test_squeezed(board, taken):
    board &= ~taken
    squeezed = indexing.squeezed(board, taken)
    assert indexing.spread(squeezed, taken) == board
    assert indexing.subset_index(board, taken) == indexing.subset_index(squeezed)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.data())
def test_compositions(seeds, data):
    index = indexing.composition_index(seeds)
    first = data.draw(st.integers(0, len(seeds) - 1))
    assert indexing.composition_index(seeds[-first:] + seeds[:-first], first) == index
    assert 0 <= index < indexing.composition_count(sum(seeds), len(seeds))
    pits = np.zeros(len(seeds), np.int64)
    indexing.put_composition(index, sum(seeds), pits)
    assert pits.tolist() == seeds


class Race(Game):
    """A king chases another on a strip, with a class for the men left: play may go in circles; by a plain twin."""

    repetition = "draw"

    def initial_state(self):
        return (0, 4, 2, 0)  # two places, men left, player to move

    def to_move(self, state):
        return state[3]

    def actions(self, state):
        here = state[state[3]]
        return [step for step in (0, 1, 2) if 0 <= here + step - 1 < 6 and (step != 1 or state[2] > 0)]

    def result(self, state, step):
        zero, one, men, turn = state
        left = men - 1 if step == 1 else men
        return (zero + step - 1, one, left, 1) if turn == 0 else (zero, one + step - 1, left, 0)

    def is_terminal(self, state):
        return state[0] == state[1]

    def utility(self, state, player):
        value = (state[0] % 3 - 1) / 2
        return value if player == 0 else -value

    def state_class(self, state):
        return state[2]

    def index_count(self, number):
        return 72

    def state_index(self, state):
        return (state[0] * 6 + state[1]) * 2 + state[3]

    def indexed_state(self, number, index):
        return (index // 12, index // 2 % 6, number, index % 2)


@pytest.mark.nightly
def test_values_are_those_of_a_walk_through_all_states():
    game = Race()
    dense = Tablebase.make(game, classes=["2"])
    states = [entry.state for entry in dense.entries()]
    assert len(states) == len(dense) == 3 * 72
    found = Tablebase.make(game, states)
    assert [dense.probe(state) for state in states] == [found.probe(state) for state in states]
    assert len({dense.probe(state).value for state in states}) == 3
    assert verify(dense).fault == ""


@pytest.mark.nightly
def test_check_game_tries_the_numbering():
    class Shifted(Race):
        def indexed_state(self, number, index):
            return super().indexed_state(number, (index + 1) % 72)

    laws = [failure.law for failure in check_game(Shifted(), playouts=3).failures]
    assert "indexed_state returns a state with the class and the index that it is given." in laws
    assert not any("index" in failure.law for failure in check_game(Race(), playouts=3).failures)


class Forgetful(Game):
    """Who moves last of twenty plies adds 1 or 2; the sum, odd or even, decides, and the index leaves it out."""

    def initial_state(self):
        return (0, 0)

    def to_move(self, state):
        return state[0] % 2

    def actions(self, state):
        return (1, 2)

    def result(self, state, action):
        return (state[0] + 1, (state[1] + action) % 2)

    def is_terminal(self, state):
        return state[0] == 20

    def utility(self, state, player):
        return 2 * state[1] - 1 if player == 0 else 1 - 2 * state[1]

    def index_count(self, number):
        return 21

    def state_index(self, state):
        return state[0]

    def indexed_state(self, number, index):
        return (index, 0)


def test_an_index_that_leaves_out_what_matters_is_found():
    """Each index stands for one state, and these alone are all right."""
    with pytest.raises(TableError, match=r"contradicts the rules in \(\d+, 1\): state_index gives states"):
        Tablebase.make(Forgetful(), classes=[0], threads=1)
    verdict = verify(Tablebase.make(Forgetful(), classes=[0], threads=1, check=False))
    assert "this state has the index of another one" in verdict.fault
    assert verdict.state[1] == 1


def test_classes_in_a_circle_are_refused():
    class Circle(Race):
        def result(self, state, step):
            zero, one, men, turn = state
            other = 2 if men < 2 else 1
            return (zero + step - 1, one, other, 1) if turn == 0 else (zero, one + step - 1, other, 0)

    with pytest.raises(OutplayError, match="leads to class"):
        Tablebase.make(Circle(), classes=["2"], check=False)


def material(pieces):
    """All classes of draughts with so many pieces."""
    sides = [(kings, men) for kings in range(pieces + 1) for men in range(pieces + 1 - kings)]
    names = {
        DRAUGHTS.parse_class("K" * a + "M" * b + "v" + "K" * c + "M" * d)
        for a, b in sides
        for c, d in sides
        if a + b + c + d == pieces
    }
    return [DRAUGHTS.class_name(number) for number in sorted(names)]


@pytest.mark.parametrize(("pieces", "count"), [(2, 6_972), (3, 261_224), (4, 7_092_774)])
def test_draughts_has_as_many_positions_as_chinook_counts(pieces, count):
    """Chinook counts the positions of both colours without the side to move; here colours are exchanged instead."""
    assert sum(DRAUGHTS.index_count(DRAUGHTS.parse_class(name)) for name in material(pieces)) == count


@pytest.mark.parametrize("game", [DRAUGHTS, InternationalDraughts()], ids=repr)
@pytest.mark.parametrize("name", ["MvM", "Kv", "KMvKM", "MMMvMM", "KKMvKMM"])
def test_every_index_of_draughts_has_its_state(game, name):
    number = game.parse_class(name)
    assert game.class_name(number) == name
    count, seen = game.index_count(number), set()
    indices = range(0, count, max(1, count // 400))
    for index in indices:
        state = game.indexed_state(number, index)
        assert (game.state_class(state), game.state_index(state)) == (number, index)
        assert game.parse_state(game.state_text(state)) == state
        swapped = state._replace(
            mine=game.turned(state.mine), theirs=game.turned(state.theirs), kings=game.turned(state.kings),
            turn=1 - state.turn,
        )  # fmt: skip
        assert (game.state_class(swapped), game.state_index(swapped)) == (number, index)
        assert game.index_player(swapped) == 1 - game.index_player(state)
        seen.add(state)
    assert len(seen) == len(indices)


def test_draughts_names_its_classes():
    assert DRAUGHTS.parse_class("mmvkk") == DRAUGHTS.parse_class("KKvMM")
    assert DRAUGHTS.state_class(DRAUGHTS.initial_state()) == DRAUGHTS.state_index(DRAUGHTS.initial_state()) == -1
    for text in ("KKK", "v", "KKKKvKKK", "KvQ"):
        with pytest.raises(RulesError, match="KKvKM"):
            DRAUGHTS.parse_class(text)


def plain_draughts():
    """The mover's value and the plies to the end, of all positions with a piece on each side, and after a capture."""
    graph = {}
    bits = [DRAUGHTS.bit(number) for number in range(1, 33)]
    for mine, theirs, kings, turn in product(bits, bits, range(4), (0, 1)):
        state = Position(1 << mine, 1 << theirs, (kings & 1) << mine | (kings >> 1) << theirs, turn, 0)
        lost = (
            DRAUGHTS.last_row(turn) & state.mine & ~state.kings,
            DRAUGHTS.last_row(1 - turn) & state.theirs & ~state.kings,
        )
        if mine != theirs and not any(lost):
            graph[state] = [DRAUGHTS.result(state, action)._replace(idle=0) for action in DRAUGHTS.actions(state)]
    graph |= {child: [] for children in graph.values() for child in children if not child.mine}
    known, plies = {}, 0
    while True:
        new = {}
        for state, children in graph.items():
            if state in known:
                continue
            values = [known.get(child) for child in children]
            if any(value and value[0] < 0 for value in values):
                new[state] = (1, plies)
            elif all(value and value[0] > 0 for value in values):
                new[state] = (-1, plies)
        if plies and not new:
            return {state: known.get(state, (0, None)) for state in graph}
        known |= new
        plies += 1


@pytest.mark.nightly
def test_draughts_by_a_plain_twin():
    found = Tablebase.make(DRAUGHTS, classes=material(2))
    assert len(found) == 6_972 + 120
    assert verify(found).fault == ""
    for state, (value, plies) in plain_draughts().items():
        for_whom = -1 if plies == 0 and state.turn == 1 else 1  # at the end, a table tells the value of player 0
        assert found.probe(state) == Known(for_whom * value, plies), DRAUGHTS.state_text(state)


@pytest.mark.nightly
def test_draughts_with_four_pieces():
    found = Tablebase.make(DRAUGHTS, classes=material(4))
    about = [each for each in found.classes.about.values() if each["name"] in material(4)]
    assert sum(sum(each["counts"]) for each in about) == 7_092_774
    assert verify(found).fault == ""


def test_ctrl_c_stops_the_propagation(monkeypatch):
    main, step = threading.get_ident(), Retrograde.step

    def interrupted(self):
        while not is_searching(main):
            time.sleep(0.001)
        signal.pthread_kill(main, signal.SIGINT)
        while not self.team.stopped:
            time.sleep(0.001)
        return step(self)

    monkeypatch.setattr(Retrograde, "step", interrupted)
    assert Tablebase.make(Race(), classes=["2"]) is None


def test_a_table_by_class_keeps_its_distances(table, tmp_path):
    """An option that would change nothing is refused."""
    with pytest.raises(TableError, match="keeps its distances"):
        table.save(tmp_path / "a.table", distances=False)
    with pytest.raises(TableError, match="keeps its distances"):
        Tablebase.make(GAME, classes=["KK"], distances=False)
    with pytest.raises(TableError, match="choose True or False"):
        table.save(tmp_path / "a.table", distances="one-sided")
    assert not list(tmp_path.iterdir())


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "plies"), [("KBNK", 66), ("KQKR", 70)])
def test_longer_endings_by_published_numbers(name, plies, tmp_path):
    """33 and 35 moves; KQKR takes less than half a byte an index."""
    table = Tablebase.make(GAME, classes=[name])
    about = table.classes.about[GAME.parse_class(name)]
    assert about["longest"][-1] == plies
    if name == "KQKR":
        table.save(tmp_path / "a")
        header = read_classes(tmp_path / "a")[0]
        size = len((tmp_path / "a").read_bytes())
        assert [each["name"] for each in header["classes"]][-1] == name
        assert size < 0.5 * about["indices"]  # with distances


def test_census(table):
    """White has the pawn; the longest win takes 28 moves."""
    found = census(table, GAME.parse_state("8/8/8/4k3/8/8/8/R3K3 w - - 0 1"))
    stats = table.stats()
    assert found.states == len(table) == sum(map(sum, found.outcomes)) + found.ended
    white, black = found.outcomes
    assert (white.losses, black.wins) == (0, 0)
    mates = stats.counts[1.0] - white.wins - black.losses
    assert 0 < mates < found.ended
    assert (found.longest_win.player, found.longest_win.plies, len(found.longest_win.line)) == (0, 55, 55)
    assert found.longest_win.line[-1].endswith("#")
    assert found.first_actions[0].distance == table.probe(GAME.parse_state("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")).plies
    assert sum(distance.losses for distance in found.distances) == black.losses
    # 80 mutual zugzwangs, as in Scid's table of endings (Shane Hudson, tcl/tbstats.tcl): a draw if White is to move
    assert [
        (zugzwang.name, zugzwang.to_move, zugzwang.other_to_move, zugzwang.positions) for zugzwang in found.zugzwangs
    ] == [("KPK", 0.0, 1.0, 80)]
    example = found.zugzwangs[0].example
    assert example.turn == 0
    assert (table.probe(example).value, table.probe(GAME.passed_state(example)).value) == (0.0, -1.0)


def test_stats_show_mutual_zugzwangs(table, tmp_path):
    path = str(tmp_path / "a.table")
    table.save(path)
    shown = CliRunner().invoke(app, ["table", "stats", "chess", path])
    assert "mutual zugzwangs: 80" in shown.output
    assert "one of KPK, with either player to move" in shown.output
    found = json.loads(CliRunner().invoke(app, ["table", "stats", "chess", path, "--json"]).output)["zugzwangs"]
    assert [(each["name"], each["to_move"], each["other_to_move"], each["positions"]) for each in found] == [
        ("KPK", 0, 1, 80)
    ]


@pytest.mark.nightly
def test_census_of_few_states():
    """By a plain count over the states."""

    class Avoid(Race):
        def utility(self, state, player):
            return 1 if player == state[3] else -1  # who steps on the other one loses

        def passed_state(self, state):
            return (*state[:3], 1 - state[3])

    game = Avoid()
    table = Tablebase.make(game, classes=["2"])
    found, entries = census(table), list(table.entries())
    assert found.ended == sum(entry.player < 0 for entry in entries)
    for player, outcomes in enumerate(found.outcomes):
        values = [entry.value * (1 - 2 * player) for entry in entries if entry.player == player]
        assert outcomes == (sum(v > 0 for v in values), sum(v == 0 for v in values), sum(v < 0 for v in values))
    values = {entry.state: entry.value for entry in entries}
    pairs = [(state[2], values[state], values[game.passed_state(state)]) for state in values if state[3] == 0]
    kinds = Counter((str(men), mine, other) for men, mine, other in pairs if mine < other)
    assert {zugzwang[:3]: zugzwang.positions for zugzwang in found.zugzwangs} == kinds
    assert sum(kinds.values()) > 2


@pytest.mark.parametrize(("game", "inlined"), [(GAME, True), (ConnectFour(), False)])
def test_rules_that_are_asked_of_each_successor_become_one_piece_of_code(game, inlined):
    rule = native_rule(native_type(game), "result")
    assert rule.targetoptions["forceinline"] == inlined
