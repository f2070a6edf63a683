"""Tables without distances: the values of the full table, in a smaller file; the order of bits; the check."""

import itertools
import json
import os
import pickle
import random
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from outplay import AlphaBeta, Game, Tablebase
from outplay.cli.commands import app
from outplay.engine.book import answer
from outplay.engine.limits import UNLIMITED
from outplay.games import ConnectFour, Kalah, Othello, TicTacToe
from outplay.rules.errors import TableError
from outplay.tables import verify
from outplay.tables.codec import Codec, Range, signed
from outplay.tables.file import TableFile
from outplay.tables.laws import mark_states
from outplay.tables.packed_values import PackedValues, diagram_of, orders
from outplay.tables.verdict import CIRCLE, FAULTS, HEADER, UNFORCED
from tables.test_tables import Circles, ListNim, Node, Teams

pytestmark = pytest.mark.compiled


def values_only(table, path):
    table.save(path, distances=False)
    return Tablebase.load(path, table.game)


def check_same(table, found):
    """`found` has the values of `table`, for the same states, and no distances."""
    assert len(found) == len(table)
    assert found.stats().counts == table.stats().counts
    for one, other in zip(table.entries(), found.entries(), strict=True):
        assert (one.player, one.value, other.plies) == (other.player, other.value, None)
        assert found.code_of(other.state) == table.code_of(one.state)
    for entry in list(table.entries())[:: 1 + len(table) // 20]:
        assert found.probe(entry.state) == (table.probe(entry.state).value, None)
        if entry.player >= 0:
            analysis, wanted = found.analyse(entry.state), table.analyse(entry.state)
            assert (analysis.values, analysis.distance) == (wanted.values, None)
            values = {row.action: row.value for row in wanted.actions}
            assert [(row.value, row.distance) for row in analysis.actions] == [
                (values[row.action], None) for row in analysis.actions
            ]


@pytest.mark.parametrize("cls", [Circles, pytest.param(Teams, marks=pytest.mark.nightly)])
def test_random_graphs_with_circles(cls, tmp_path):
    game = cls()
    for seed in range(0, 24, 8):
        table = Tablebase.make(game, [Node(seed + i, 0) for i in range(8)], check=False)
        found = values_only(table, tmp_path / "a.table")
        check_same(table, found)
        assert verify(found).fault == ""
        known = {entry.state for entry in table.entries()}
        missing = [node for i in range(9) for at in range(44) if (node := Node(seed + i, at)) not in known]
        assert len(missing) > 20
        assert all(found.probe(state) is None for state in missing[::20])


GAMES = [
    (ConnectFour(width=4, height=3), "diagram"),
    pytest.param(Kalah(pits=3, seeds=2), "blocks", marks=pytest.mark.nightly),
    pytest.param(Othello(size=4), "blocks", marks=pytest.mark.nightly),
    pytest.param(TicTacToe(), "blocks", marks=pytest.mark.nightly),  # codes of three words
    pytest.param(ListNim(), "blocks", marks=pytest.mark.nightly),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("game", "form"), GAMES, ids=repr)
def test_built_in_games(game, form, tmp_path):
    table = Tablebase.make(game)
    found = values_only(table, tmp_path / "a.table")
    check_same(table, found)
    assert TableFile(tmp_path / "a.table").header["form"] == form
    assert verify(found) == (len(table), "", None, False)
    table.save(tmp_path / "full.table")
    assert len(table) < 1000 or os.path.getsize(tmp_path / "a.table") < os.path.getsize(tmp_path / "full.table")
    found.save(tmp_path / "again.table")  # it has no distances to write
    assert (tmp_path / "again.table").read_bytes() == (tmp_path / "a.table").read_bytes()
    assert pickle.loads(pickle.dumps(found)).probe(game.initial_state()) == found.probe(game.initial_state())


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A table, and its file without distances, a diagram."""
    table = Tablebase.make(ConnectFour(width=4, height=3))
    path = tmp_path_factory.mktemp("tables") / "small.table"
    table.save(path, distances=False)
    return table, path


# -- searches ---------------------------------------------------------------------------------------------------------


def test_where_play_never_comes_back_it_answers_searches(small):
    """Any action that keeps a win wins in the end."""
    table, path = small
    game, found, won = table.game, Tablebase.load(path, table.game), 0
    assert table.acyclic
    assert found.acyclic
    for entry in list(found.entries())[::40]:
        if entry.player < 0:
            continue
        analysis = answer([found], game, entry.state, UNLIMITED)
        assert analysis.exact
        assert analysis.value == table.probe(entry.state).value
        won += analysis.value == 1
        assert table.probe(game.result(entry.state, analysis.action)).value in (analysis.value, -analysis.value)
    assert won > 10
    assert AlphaBeta(game, books=[found]).search(game.initial_state()).nodes == 0


@pytest.mark.nightly
def test_where_play_can_go_in_circles_it_names_no_action_in_a_won_state(tmp_path):
    game, won, others = Circles(), 0, 0
    table = Tablebase.make(game, [Node(seed, 0) for seed in (1, 2, 4, 5, 6)], check=False)
    found = values_only(table, tmp_path / "a.table")
    assert not found.acyclic
    for entry in found.entries():
        if entry.player < 0:
            continue
        known = found.look_up(game, entry.state)
        assert (known.value, known.kind, known.distance) == (table.probe(entry.state).value, "exact", None)
        if known.value > 0:
            won += 1
            assert known.action is None
            assert answer([found], game, entry.state, UNLIMITED) is None
        else:
            others += 1
            after = table.probe(game.result(entry.state, known.action))
            same = found.analyse(entry.state).actions[0]
            assert (same.action, same.value) == (known.action, known.value)
            assert after is not None
    assert min(won, others) > 5


@pytest.mark.nightly
def test_circles_are_found_whatever_the_order():
    """Extra moves make some states be found before one that leads to them, but stones only go forward."""
    assert Tablebase.make(Kalah(pits=3, seeds=2)).acyclic
    assert not Tablebase.make(Circles(), [Node(seed, 0) for seed in (1, 2, 4, 5, 6)], check=False).acyclic
    assert Tablebase.make(Circles(), [Node(3, 0)], check=False).acyclic


# -- the check --------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_check_finds_a_value_that_agrees_with_its_successors_but_cannot_be_forced(tmp_path):
    """In a circle, values that only agree with each other pass a test of one step."""

    class Round(Circles):
        """From 0 to 1 and back, or from 1 to the end, 2."""

        def to_move(self, state):
            return state.at

        def actions(self, state):
            return [0] if state.at == 0 else [0, 2]

        def result(self, state, action):
            return Node(state.seed, 1 if state.at == 0 else action)

        def is_terminal(self, state):
            return state.at == 2

        def utility(self, state, player):
            return 1 if player == 0 else -1

    game = Round()
    table = Tablebase.make(game, [Node(0, 0)], check=False)
    states = table.states()
    assert [table.probe(Node(0, at)).value for at in (0, 1)] == [0, 0]
    wrong = Tablebase(game, table.codec, table.utilities, states._replace(levels=np.full(3, 1, np.uint16)))
    assert table.utilities == (0, 1)
    found = values_only(wrong, tmp_path / "wrong.table")
    assert verify(values_only(table, tmp_path / "right.table")).fault == ""
    assert verify(found).fault == FAULTS[UNFORCED]


@pytest.mark.nightly
def test_the_check_finds_every_other_value(small, tmp_path):
    table, _ = small
    states, dice = table.states(), random.Random(3)
    for _ in range(5):
        levels = states.levels.copy()
        place = dice.randrange(len(levels))
        levels[place] = (levels[place] + 1 + dice.randrange(2)) % 3
        wrong = Tablebase(table.game, table.codec, table.utilities, states._replace(levels=levels))
        assert verify(values_only(wrong, tmp_path / "wrong.table")).fault


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", [3, 6, 7])
def test_the_check_knows_whether_play_goes_in_circles(seed, tmp_path):
    table = Tablebase.make(Circles(), [Node(seed, 0)], check=False)
    says_no = Tablebase(table.game, table.codec, table.utilities, table.states(), acyclic=True)
    assert verify(values_only(table, tmp_path / "right.table")).fault == ""
    fault = verify(values_only(says_no, tmp_path / "wrong.table")).fault
    assert fault == ("" if table.acyclic else FAULTS[CIRCLE])


def test_the_check_compares_the_numbers_in_the_header(small, tmp_path):
    table, _ = small
    found = values_only(table, tmp_path / "a.table")
    counts = found.source.header["counts"]
    counts[0], counts[1] = counts[0] - 1, counts[1] + 1
    assert verify(found).fault == FAULTS[HEADER]


class Line(Game):
    """From 0 one after the other to the end, or back by one."""

    def __init__(self, length, back):
        self.length, self.back = length, back

    def initial_state(self):
        return 0

    def to_move(self, state):
        return 0

    def actions(self, state):
        return [1, 0] if self.back and state > 0 else [1]

    def result(self, state, action):
        return state + 2 * action - 1

    def is_terminal(self, state):
        return state == self.length

    def utility(self, state, player):
        return 1 if player == 0 else -1


@pytest.mark.nightly
@pytest.mark.parametrize("back", [False, True])
def test_a_long_way_to_the_end_takes_few_passes(back, tmp_path, monkeypatch):
    passes = []

    def counted(*args):
        passes.append(args[-1].at)
        mark_states(*args)

    monkeypatch.setattr("outplay.tables.verification.mark_states", counted)
    game = Line(300, back)
    table = Tablebase.make(game, check=False)
    assert table.acyclic != back
    found, seen = values_only(table, tmp_path / "a.table"), []
    assert verify(found, lambda *numbers: seen.append(numbers), threads=1) == (301, "", None, False)
    assert len(passes) <= 6
    assert all(0 <= done <= whole == 602 for done, whole in seen)


class Turned(Line):
    """From 1 on to the end, 2, or from 3 back to 1, which is called an image of 3."""

    def __init__(self):
        super().__init__(2, back=False)

    def result(self, state, action):
        return 1 if state == 3 else state + 1

    def symmetries(self, state):
        return (1, 3) if state in (1, 3) else (state,)


@pytest.mark.nightly
@pytest.mark.parametrize(("acyclic", "fault"), [(False, UNFORCED), (True, CIRCLE)])
def test_all_images_of_a_state_are_marked(acyclic, fault, tmp_path):
    """No real image leads to its own state."""
    table = Tablebase.make(Turned(), [0], check=False)
    assert sorted(entry.state for entry in table.entries()) == [0, 1, 2]
    table = Tablebase(table.game, table.codec, table.utilities, table.states(), acyclic=acyclic)
    assert verify(values_only(table, tmp_path / "a.table"))[1:3] == (FAULTS[fault], 0)


# -- packing ----------------------------------------------------------------------------------------------------------


@pytest.mark.nightly
@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 63), min_size=1, max_size=5), st.randoms(use_true_random=False), st.integers(1, 60))
def test_codes_of_any_form(widths, dice, count):
    codec = Codec([Range(0, (1 << width) - 1) for width in widths], Range(len(widths), len(widths)))
    varying, fixed = 0x0123456789ABCDEF, dice.getrandbits(63)
    rows = [
        [(dice.getrandbits(63) & varying | fixed & ~varying) & (1 << each) - 1 for each in widths] for _ in range(count)
    ]
    codes = np.array(sorted({signed(codec.encode(row)) for row in rows}), np.int64)
    levels = np.array([dice.randrange(3) for _ in codes], np.uint16)
    packed = PackedValues.of(codec, codes, levels)
    if packed is None:
        assert int(np.bitwise_count(np.bitwise_or.reduce(codes ^ codes[0]).view(np.uint64)).sum()) > 63
        return
    known = dict(zip(map(tuple, codes.tolist()), levels.tolist(), strict=True))
    for each in (packed, PackedValues.unpack(packed.bits, packed.base, packed.pack(), 3)):
        assert {code: each.find(code) for code in known} == known
        found, values = each.items()
        assert found.tolist() == codes.tolist()
        assert values.tolist() == levels.tolist()
        code = codes[-1]
        for word, bit in itertools.product(range(len(code)), range(64)):
            other = code.copy()
            other[word] ^= np.int64(1) << np.int64(bit)
            assert each.find(tuple(other.tolist())) == known.get(tuple(other.tolist()))


def test_every_order_has_every_bit_once():
    codec = Codec([Range(0, 1000), Range(0, 3), Range(0, 900)], Range(3, 3))
    vary = {place for place in range(64) if place % 3}
    tried = list(orders(codec, vary))
    assert len({tuple(each) for each in tried}) > 10
    fields = vary & set(range(42, 64))
    assert all(set(each) == fields and len(each) == len(fields) for each in tried)
    assert list(orders(codec, set())) == [[0], [0]]


def test_the_order_with_the_fewest_bytes_is_taken():
    """Two sets of squares, one the complement of the other: with both bits of a square together, few nodes suffice."""
    one = np.arange(1 << 12)
    codes = (one << 52 | (one ^ 0xFFF) << 40)[:, None]
    levels = np.zeros(len(codes), np.uint16)
    codec = Codec([Range(0, (1 << 12) - 1)] * 2, Range(2, 2))
    packed = PackedValues.of(codec, codes, levels)
    assert len(packed.diagram) == 3 * 12
    assert len(diagram_of(codes, levels, list(range(63, 39, -1)))) > 1 << 12


# -- damage -----------------------------------------------------------------------------------------------------------


def test_a_damaged_file_is_refused(small, tmp_path):
    table, path = small
    content, dice, damaged = path.read_bytes(), random.Random(0), tmp_path / "damaged.table"
    for place in [*range(0, 40), *(dice.randrange(len(content)) for _ in range(60))]:
        changed = bytearray(content)
        changed[place] ^= 1 << dice.randrange(8)
        damaged.write_bytes(changed)
        with pytest.raises(TableError, match=r"damaged|is not a table|cut off|another version"):
            Tablebase.load(damaged, table.game)
    for length in (0, 5, 20, 60, len(content) // 2, len(content) - 1):
        damaged.write_bytes(content[:length])
        with pytest.raises(TableError, match=r"damaged|is not a table|cut off"):
            Tablebase.load(damaged, table.game)


def test_a_file_whose_header_lies(small, tmp_path):
    """The checksums are right, but not the content."""
    table, path = small
    content, wrong = path.read_bytes(), tmp_path / "wrong.table"
    length = int.from_bytes(content[16:20], "little")
    header = json.loads(content[24 : 24 + length])
    assert header["plies_bytes"] == 0
    bits = header["bits"]
    lies = [
        {"form": "another"}, {"form": None}, {"form": "blocks"}, {"plies_bytes": 1}, {"bits": bits[1:]}, {"bits": []},
        {"bits": [*bits[1:], bits[1]]}, {"bits": [*bits[1:], 64]}, {"bits": [*bits[1:], 0.5]}, {"base": [-1]},
        {"base": []}, {"base": [1 << 64]}, {"counts": [1, 2, 3]}, {"counts": []}, {"states": 5}, {"acyclic": 1},
        {"counts": [-1, 1, header["states"]]}, {"utilities": [0.0, 1.0]}, *({name: None} for name in header),
    ]  # fmt: skip
    for lie in lies:
        text = json.dumps(header | lie).encode()
        start = len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little")
        wrong.write_bytes(content[:16] + start + text + content[24 + length :])
        with pytest.raises(TableError):
            Tablebase.load(wrong, table.game).states()


# -- the command line -------------------------------------------------------------------------------------------------

NAME = "connect-four(width=4, height=3)"


def run(*args):
    return CliRunner().invoke(app, ["table", *map(str, args)])


def test_commands(small, tmp_path):
    table, path = small
    made = tmp_path / "made.table"
    assert run("make", NAME, made, "--values-only").exit_code == 0
    assert made.read_bytes() == path.read_bytes()
    shown = run("info", path).stdout
    assert "values only, without distances" in shown
    assert "longest" not in shown
    info = json.loads(run("info", path, "--json").stdout)
    assert info["distances"] is False
    assert {row["value"]: row["states"] for row in info["values"]} == table.stats().counts
    assert {row["longest"] for row in info["values"]} == {None}
    verdict = json.loads(run("probe", NAME, path, "--moves", "1223", "--json").stdout)
    assert verdict["distance"] is None
    assert verdict["exact"]
    assert "all 6,027 states are right" in run("verify", NAME, path).stdout
    assert run("export", NAME, path, tmp_path / "small.csv").exit_code == 0
    lines = (tmp_path / "small.csv").read_text().splitlines()
    assert len(lines) == 6028
    assert all(line.endswith(",") for line in lines[1:])
    found = CliRunner().invoke(app, ["solve", NAME, "--table", str(path), "--json"])
    assert json.loads(found.stdout)["nodes"] == 0
