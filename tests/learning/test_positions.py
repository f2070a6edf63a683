"""Positions of self-play: what the rows say is what tables and games say, and the file is whole or not there."""

import json
from dataclasses import replace

import numpy as np
import pytest
from shared import PILE
from shared.hidden_game import HiddenGame
from typer.testing import CliRunner

from outplay import AlphaBeta, EvaluationError, OutplayError, Tablebase, UnsuitableGame, WrongType, legal_actions
from outplay.cli.commands import app
from outplay.engine.stopping import StopReason
from outplay.evaluation.columns import read_columns
from outplay.evaluation.layout import sample
from outplay.evaluation.planes import METADATA, layout_from_text
from outplay.games import Breakthrough, ConnectFour, ManyPlayerMNK, Pig
from outplay.learning import plan as planning
from outplay.learning import positions, self_played

GAME = ConnectFour(4, 3)


@pytest.fixture(autouse=True)
def fewer(monkeypatch):
    """Fewer random games are looked at."""
    monkeypatch.setattr(planning, "sample", lambda game, number, *rest: sample(game, min(number, 300), *rest))
    monkeypatch.setattr(positions, "IDLE", 20)


def all_states():
    """Every state of the game in which a player is to move."""
    found, waiting = {}, [GAME.initial_state()]
    while waiting:
        state = waiting.pop()
        if not GAME.is_terminal(state) and GAME.key(state) not in found:
            found[GAME.key(state)] = state
            waiting += [GAME.result(state, action) for action in legal_actions(GAME, state)]
    return list(found.values())


@pytest.mark.compiled
def test_rows_are_different_states_and_searches_tell_their_values():
    """Each state is found by its symbols among all of them, and its value in a table."""
    found = self_played(GAME, 10**6, games=30, nodes=10**5)
    assert 100 < len(found) < 10**5  # it stops when there is nothing new
    states = all_states()
    symbols = found.layout.symbols(read_columns(found.layout.columns, states))
    by_symbols = {tuple(row): state for row, state in zip(symbols.tolist(), states, strict=True)}
    assert len(by_symbols) == len(states)
    table = Tablebase.make(GAME)
    seen = set()
    for row, mover, ply, value in zip(found.symbols.tolist(), found.to_move, found.plies, found.values, strict=True):
        state = by_symbols[tuple(row)]
        seen.add(GAME.key(state))
        assert (GAME.to_move(state), state.both.bit_count()) == (mover, ply)
        assert value == table.value_of(state, int(mover))
    assert len(seen) == len(found)


def test_results_are_of_the_player_to_move_and_of_one_game():
    found = self_played(Breakthrough(4, 4), 300, games=20)
    for number in np.unique(found.games):
        its_rows = found.games == number
        results = np.where(found.to_move[its_rows] == 0, found.results[its_rows], -found.results[its_rows])
        assert set(results) in ({1.0}, {-1.0})
        assert (np.diff(found.plies[its_rows].astype(int)) > 0).all()
        assert (found.plies[its_rows] % 2 == found.to_move[its_rows]).all()
    assert found.games.max() > 3


def test_the_seed_alone_decides():
    first, again, other = (self_played(GAME, 100, games=20, seed=seed, nodes=20) for seed in (1, 1, 2))
    for name in ("symbols", "to_move", "plies", "games", "results", "values"):
        assert np.array_equal(getattr(first, name), getattr(again, name), equal_nan=True)
    assert not np.array_equal(first.symbols, other.symbols)


@pytest.mark.parametrize("game", [Pig(), ManyPlayerMNK()], ids=repr)
def test_chance_and_more_players(game):
    found = self_played(game, 60, games=5, nodes=20)
    assert len(found) == 60
    assert set(found.to_move.tolist()) <= set(range(game.players))
    assert np.isfinite(found.values).any()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((3,), WrongType, r"self_played\(3\)"),
        ((HiddenGame(1),), UnsuitableGame, "hidden information"),
        ((GAME, 0), OutplayError, "positions=0: give a whole number from 1 up"),
        ((GAME, 2.5), OutplayError, "positions=2.5"),
    ],
)
def test_what_it_refuses(arguments, error, words):
    with pytest.raises(error, match=words):
        self_played(*arguments)


# -- files ------------------------------------------------------------------------------------------------------------


def test_a_file_has_the_rows_and_the_layout(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    found = self_played(Breakthrough(4, 4), 80, games=10, nodes=20)
    found.save(tmp_path / "a.parquet")
    table = parquet.read_table(tmp_path / "a.parquet")
    count = len(found.layout.locations)
    assert table.column_names[:2] == ["a1", "b1"]
    assert table.column_names[count:] == ["to_move", "ply", "game", "result", "value"]
    assert [str(kind) for kind in table.schema.types[count - 1 :]] == [
        "uint8", "uint8", "uint32", "uint32", "double", "double",
    ]  # fmt: skip
    columns = [column.to_numpy() for column in table.columns]
    assert table["value"].null_count == np.isnan(found.values).sum() < len(found)
    assert np.array_equal(np.stack(columns[:count], 1), found.symbols)
    for column, numbers in zip(
        columns[count:], (found.to_move, found.plies, found.games, found.results, found.values), strict=True
    ):
        assert np.array_equal(column, numbers, equal_nan=True)
    layout = layout_from_text(table.schema.metadata[METADATA.encode()].decode(), found.game)
    assert [place.parts for place in layout.locations] == [place.parts for place in found.layout.locations]


def test_locations_with_names_that_are_taken_have_columns_of_their_own(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    found = self_played(GAME, 20, games=5)
    places = found.layout.locations
    object.__setattr__(
        found.layout, "locations", (places[0]._replace(name="ply"), places[1]._replace(name="x"), *places[2:])
    )
    object.__setattr__(found.layout, "locations", (*found.layout.locations[:-1], places[-1]._replace(name="x")))
    found.save(tmp_path / "a.parquet")
    names = parquet.read_table(tmp_path / "a.parquet").column_names
    assert names[:2] == ["ply (0)", "x"]
    assert f"x ({len(places) - 1})" in names
    assert "value" not in names


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the rules of a pile of 18."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pile.py").write_text(PILE.replace("size=5", "size=18"))
    return tmp_path


COMMAND = ["learn", "pile.py", "--games", "20", "--export"]


def test_the_command_writes_a_file(folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    result = CliRunner().invoke(app, [*COMMAND, "a.parquet", "--positions", "12", "--nodes", "9", "--json"])
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    assert (said["positions"], said["file"]) == (12, "a.parquet")
    assert parquet.read_table("a.parquet").num_rows == 12


def test_ctrl_c_leaves_no_file(folder, monkeypatch):
    pytest.importorskip("pyarrow")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("outplay.learning.positions.Learner.games", stop)
    result = CliRunner().invoke(app, [*COMMAND, "a.parquet"])
    assert result.exit_code == 130
    assert not (folder / "a.parquet").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["a.csv"], "--export a.csv: the name must end in .parquet"),
        (["nowhere/a.parquet"], "--export nowhere/a.parquet cannot be written: there is no folder"),
        (["a.parquet", "--to", "b"], "--export only writes positions: leave out --to"),
        (["a.parquet", "--layout"], "--export only writes positions: leave out --to"),
    ],
)
def test_options_that_do_not_fit_are_told(folder, options, words):
    result = CliRunner().invoke(app, [*COMMAND, *options])
    assert result.exit_code == 2
    assert words in " ".join(result.output.replace("│", " ").split())


def test_without_pyarrow(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(EvaluationError, match=r"pip install 'outplay\[parquet\]'"):
        self_played(GAME, 5, games=1).save("a.parquet")
    result = CliRunner().invoke(app, [*COMMAND, "a.parquet"])
    assert result.exit_code == 2
    assert "pip install 'outplay[parquet]'" in " ".join(result.output.split())
    assert not (folder / "a.parquet").exists()


@pytest.mark.parametrize("stage", ["playing", "searching"])
def test_ctrl_c_keeps_the_positions_until_then(stage, tmp_path, monkeypatch):
    def interrupt(words):
        if words.startswith(stage) and not words.startswith(f"{stage}… 0 "):
            raise KeyboardInterrupt

    monkeypatch.setattr(positions, "SEARCHED", 20)
    found = self_played(Breakthrough(4, 4), 100, games=20, nodes=20, watch=interrupt)
    assert found.interrupted
    assert 0 < len(found) < 100
    assert (found.values is None) is (stage == "playing")
    rows = found.symbols, found.to_move, found.plies, found.games, found.results
    assert {len(array) for array in rows} == {len(found)} == {len(found.symbols)}
    assert found.values is None or len(found.values) == len(found) == 20


def test_ctrl_c_in_a_search_is_heard(monkeypatch):
    class Interrupted(AlphaBeta):
        def search_many(self, states, limit):
            return [replace(one, stopped=StopReason.INTERRUPTED) for one in super().search_many(states, limit)]

    monkeypatch.setattr(positions, "searcher_of", lambda game, evaluation: Interrupted(game, evaluate=evaluation))
    found = self_played(Breakthrough(4, 4), 40, games=20, nodes=20)
    assert found.interrupted
    assert found.values is None


def test_positions_without_a_file():
    result = CliRunner().invoke(app, ["learn", "tic-tac-toe", "--positions", "10"])
    assert result.exit_code == 2
    assert "--positions is for --export" in " ".join(result.output.replace("│", " ").split())
