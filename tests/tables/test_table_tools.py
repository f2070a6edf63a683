"""What is done with whole tables: the census, and Parquet."""

import csv
import json
from collections import Counter
from importlib.util import find_spec

import pytest
from typer.testing import CliRunner

from outplay import Game, Tablebase
from outplay.cli.commands import app
from outplay.cli.table_census import bars
from outplay.games import ConnectFour
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import RulesError, TableError
from outplay.tables import AtDistance, Census, census
from tables.test_tables import Circles, Node, Shared, Teams

pytestmark = pytest.mark.compiled

NAME = "connect-four(width=4, height=4)"
GAME = ConnectFour(width=4, height=4)


def run(*args):
    return CliRunner().invoke(app, ["table", *map(str, args)])


@pytest.fixture(scope="module")
def table():
    return Tablebase.make(GAME)


@pytest.fixture(scope="module")
def path(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "four.table"
    table.save(path)
    return path


# -- the census -------------------------------------------------------------------------------------------------------


def by_hand(table):
    """Ends, outcomes by player, and distances, counted state by state by look-ups."""
    game, outcomes, distances = table.game, Counter(), Counter()
    ended = longest = 0
    for entry in table.entries():
        if entry.player < 0:
            ended += 1
            continue
        value, plies = table.probe(entry.state)
        sign = (value > draw_utility(game)) - (value < draw_utility(game))
        outcomes[entry.player, sign] += 1
        if sign:
            distances[plies, sign] += 1
        if sign > 0:
            longest = max(longest, plies)
    return ended, outcomes, distances, longest


@pytest.mark.nightly
@pytest.mark.parametrize("game", [ConnectFour(width=4, height=3), Circles(), Shared(), Teams()], ids=repr)
@pytest.mark.parametrize("chunk", [7, 10**6])
def test_counts_are_those_of_look_ups(game, chunk, monkeypatch):
    monkeypatch.setattr("outplay.tables.counting.CHUNK", chunk)
    starts = [game.initial_state()] if isinstance(game, ConnectFour) else [Node(seed, 0) for seed in range(1, 30)]
    table = Tablebase.make(game, starts, check=False)
    found, (ended, outcomes, distances, longest) = census(table), by_hand(table)
    assert (found.states, found.ended) == (len(table), ended)
    for player, each in enumerate(found.outcomes):
        assert tuple(each) == tuple(outcomes[player, sign] for sign in (1, 0, -1))
    assert [distance.plies for distance in found.distances] == list(range(1, 1 + max(plies for plies, _ in distances)))
    for plies, wins, losses in found.distances:
        assert (wins, losses) == (distances[plies, 1], distances[plies, -1])
    win = found.longest_win
    assert win.plies == longest == table.probe(win.state).plies == len(win.line)
    assert win.value == table.probe(win.state).value > draw_utility(game)
    assert win.player == game.to_move(win.state)


def test_a_file_has_the_same_census(table, path):
    loaded = Tablebase.load(path, GAME)
    assert census(loaded) == census(table)
    reports = []
    census(loaded, progress=lambda *numbers: reports.append(numbers))
    assert reports[0] == (4096, len(table))
    assert reports[-1] == (len(table), len(table))


def test_the_line_of_the_longest_win_is_best_play(table):
    win = census(table).longest_win
    state, plies = win.state, win.plies
    for name in win.line:
        action = next(each for each in GAME.actions(state) if GAME.action_name(state, each) == name)
        state, plies = GAME.result(state, action), plies - 1
        assert table.probe(state).plies == plies
    assert GAME.is_terminal(state)
    assert GAME.utility(state, win.player) == win.value


def test_the_first_actions(table):
    state = GAME.initial_state()
    for action in (0, 1, 1):
        state = GAME.result(state, action)
    rows = table.analyse(state).actions
    found = census(table, state)
    assert found.first_actions == rows
    assert [row.action for row in found.first_values()[1.0]] == [1]
    assert census(table).first_values() == {0.0: list(census(table).first_actions)}
    part = Tablebase.make(GAME, [state])
    assert census(part).first_actions == ()  # the table lacks the initial state
    with pytest.raises(TableError, match="not in the table"):
        census(part, GAME.initial_state())


class Won(Game):
    """One state, in which the game is over."""

    def initial_state(self):
        return 0

    def to_move(self, state):
        return 0

    def actions(self, state):
        return [0]

    def result(self, state, action):
        return 0

    def is_terminal(self, state):
        return True

    def utility(self, state, player):
        return 1 - 2 * player


@pytest.mark.nightly
def test_a_table_of_ends():
    found = census(Tablebase.make(Won(), check=False))
    assert (found.states, found.ended, found.distances, found.longest_win) == (1, 1, (), None)
    assert bars(found) == []


def test_bars():
    found = Census(0, 0, (), tuple(AtDistance(plies, plies, 1) for plies in range(1, 62)), None, ())
    rows = bars(found)
    assert [row[:3] for row in rows[:2]] == [("1–3", 6, 3), ("4–6", 15, 3)]
    assert rows[-1][:3] == ("61", 61, 1)
    assert max(len(bar) for *_, bar in rows) == 40
    few = Census(0, 0, (), (AtDistance(1, 10**6, 0), AtDistance(2, 0, 0), AtDistance(3, 1, 0)), None, ())
    assert [len(bar) for *_, bar in bars(few)] == [40, 0, 1]


def test_the_command(path, table):
    found = json.loads(run("stats", NAME, path, "--json").stdout)
    assert found["game"] == repr(GAME)
    assert found["outcomes"][1] == {"player": 1, **census(table).outcomes[1]._asdict()}
    assert found["distances"][0] == {"plies": 1, "wins": 12344, "losses": 0}
    assert len(found["longest_win"]["line"]) == found["longest_win"]["plies"] == 13
    assert found["first_actions"][0]["share"] == 1
    text = run("stats", NAME, path, "--moves", "122").stdout
    assert "the longest win: 13 plies, player 1 to move" in text
    assert "line 2 1 2" in text
    assert "1 of 4   25.0%   2" in text
    assert "█" * 40 in text


# -- Parquet ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not find_spec("pyarrow"), reason="needs pyarrow")
@pytest.mark.parametrize("rows", [50, 10**6])
def test_parquet_has_what_csv_has(rows, path, tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    monkeypatch.setattr("outplay.tables.export.ROWS", rows)
    small = tmp_path / "small.table"
    state = GAME.initial_state()
    for column in (0, 0, 0, 0, 1, 1, 1, 1):
        state = GAME.result(state, column)
    Tablebase.make(GAME, [state]).save(small)
    for name in ("small.csv", "small.parquet"):
        assert run("export", NAME, small, tmp_path / name).exit_code == 0
    with (tmp_path / "small.csv").open(newline="") as file:
        wanted = list(csv.reader(file))
    found = pq.read_table(tmp_path / "small.parquet")
    assert found.column_names == wanted[0]
    assert [str(each) for each in found.schema.types] == ["string", "int16", "double", "uint16"]
    text = [
        [row["state"], str(row["to move"]), f"{row['value for player 0']:g}", f"{row['plies']}".replace("None", "")]
        for row in found.to_pylist()
    ]
    assert text == wanted[1:]
    assert len(text) > 100 > rows or rows > 1000
    assert found.column("plies").null_count > 0


def test_parquet_without_pyarrow(path, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    target = tmp_path / "four.parquet"
    found = run("export", NAME, path, target)
    assert found.exit_code == 2
    assert "pip install 'outplay[parquet]'" in " ".join(found.output.split())
    assert not target.exists()


def test_a_census_needs_compiled_rules():
    class Interpreted(Won):
        compiled = False

    table = Tablebase.make(Won(), check=False)
    with pytest.raises(RulesError, match="its rules run interpreted"):
        census(Tablebase(Interpreted(), table.codec, table.utilities, table.source))
