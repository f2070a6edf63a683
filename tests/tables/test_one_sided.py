"""Files of tables by class with the distances of one side: those of the other side are restored as they were."""

import json
import pickle

import numpy as np
import pytest
from typer.testing import CliRunner

from outplay import Tablebase, TableError
from outplay.cli.commands import app
from outplay.games import Chess, Kalah, Oware, TicTacToe
from outplay.tables import verify
from outplay.tables.class_file import SolvedClasses, read_classes
from outplay.tables.classes import Classes
from outplay.tables.one_sided import OneSidedClasses
from tables.test_conversions import CLASSES, NODES, STAGES, Maze, made

pytestmark = pytest.mark.compiled

SYZYGY = 0.087
"""The bytes a slot of KQKR in the tables of Syzygy: 20,496 (WDL) and 309,008 (DTZ, of one side) for 3,784,704."""


class Turns(Maze):
    """A maze in which the players move in turn."""

    def __init__(self, mazes=1):
        super().__init__(mazes)
        self.mover = np.arange(len(self.mover)) % 2
        self.targets = self.targets - self.targets % 2 + 1 - self.mover[:, None]
        self.first = int(np.flatnonzero((self.ends < 0) & (self.mover == 0))[-1])


GAME = Turns(20)


def one_sided_classes(path):
    """The classes of which a file has the distances of one side, and all."""
    about = read_classes(path)[2]
    return {number for number, each in about.items() if each["one_sided"]}, set(about)


def known_by(table):
    """What a table says of each state."""
    return [each[1:] for each in table.entries()]


def assert_restored(table, path):
    """That a table comes back from its file: state by state, and as arrays. The loaded one."""
    table.save(path, distances="one-sided")
    loaded, again = (Tablebase.load(path, table.game) for _ in range(2))
    assert loaded.is_one_sided
    assert not table.is_one_sided
    assert known_by(loaded) == known_by(table)
    for number, whole in table.classes.solved.items():
        restored = again.classes.solved[number]
        draw = len(whole.utilities) // 2
        known = whole.levels <= 2 * draw
        assert (restored.levels == whole.levels)[known].all()
        assert (restored.plies == whole.plies)[known & (whole.levels != draw)].all()
    assert verify(again).fault == ""
    assert again.stats() == table.stats()
    return loaded


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize("distance_to", ["end", "conversion"])
def test_all_distances_are_restored(tmp_path, distance_to):
    table = made(GAME, distance_to=distance_to)
    loaded = assert_restored(table, tmp_path / "a")
    reduced, every = one_sided_classes(tmp_path / "a")
    assert reduced == every
    table.save(tmp_path / "b")
    loaded.save(tmp_path / "c")
    assert (tmp_path / "c").read_bytes() == (tmp_path / "b").read_bytes()
    whole, half = (read_classes(tmp_path / name)[1].values() for name in "ba")
    lost = sum(int((one.plies != other.plies).sum()) for one, other in zip(whole, half, strict=True))
    assert lost > 500  # so that there was something to restore
    copy = pickle.loads(pickle.dumps(loaded.classes.solved))
    assert [each.plies.tolist() for each in copy.values()] == [
        each.plies.tolist() for each in loaded.classes.solved.values()
    ]


@pytest.mark.nightly
def test_classes_in_which_a_player_moves_twice_keep_all_distances(tmp_path):
    mazes = Maze(5)
    assert_restored(made(mazes), tmp_path / "a")
    reduced, every = one_sided_classes(tmp_path / "a")
    assert len(reduced) < len(every)
    kalah = Kalah(pits=2, seeds=2)
    assert_restored(Tablebase.make(kalah, classes=["6"]), tmp_path / "b")


@pytest.mark.nightly
def test_points_count(tmp_path):
    awari = Oware(pits=3, seeds=2, awari=True)
    assert_restored(Tablebase.make(awari, classes=["8"]), tmp_path / "a")


@pytest.mark.nightly
def test_a_table_goes_on_from_one(tmp_path):
    some = Tablebase.make(GAME, classes=[0, 1], distance_to="conversion", check=False, threads=1)
    loaded = assert_restored(some, tmp_path / "a")
    more = Tablebase.make(GAME, classes=[2], solved=loaded, distance_to="conversion", check=False, threads=1)
    whole = Tablebase.make(GAME, classes=[0, 1, 2], distance_to="conversion", check=False, threads=1)
    assert known_by(more) == known_by(whole)


def test_a_class_that_is_missing_is_told(tmp_path):
    table = made(Turns(1), distance_to="end")
    solved = table.classes.solved
    top = max(solved)
    lone = SolvedClasses()
    lone[top] = solved[top]
    reduced = OneSidedClasses(table.game, lone, {top}, converts=False)
    with pytest.raises(TableError, match="contradicts the rules"):
        reduced.block(top, 0)
    with pytest.raises(TableError, match="contradicts the rules"):
        [reduced.find(top, index) for index in range(STAGES * NODES)]
    assert len(solved) == CLASSES


@pytest.mark.nightly
def test_distances_that_do_not_follow_are_a_fault():
    """Such as those of a class that a file says to be one-sided, although a player moves twice in a row."""
    mazes = Maze(5)
    table = made(mazes)
    whole = table.classes.solved
    solved = OneSidedClasses(mazes, whole, set(whole), converts=True)
    with pytest.raises(TableError, match="contradicts the rules"):
        list(solved.values())
    wrong = Tablebase(mazes, table.codec, (), Classes(mazes, solved, table.classes.about, "conversion"))
    assert verify(wrong).fault == "the plies do not fit those of the successors"


@pytest.mark.nightly
def test_the_command(tmp_path):
    path = str(tmp_path / "a")
    command = ["table", "make", "oware(pits=3, seeds=2, awari=True)", path, "--class", "6"]
    done = CliRunner().invoke(app, [*command, "--one-sided"])
    assert done.exit_code == 0, done.output
    assert "distances of one side" in CliRunner().invoke(app, ["table", "info", path]).output
    found = json.loads(CliRunner().invoke(app, ["table", "info", path, "--json"]).output)
    assert found["classes"][-1]["one_sided"]
    assert CliRunner().invoke(app, ["table", "verify", command[2], path]).exit_code == 0
    both = CliRunner().invoke(app, [*command, "--one-sided", "--values-only"])
    assert both.exit_code == 2
    assert "does not go with --one-sided" in both.output
    coded = CliRunner().invoke(app, ["table", "make", "tic-tac-toe", str(tmp_path / "b"), "--one-sided"])
    assert coded.exit_code == 2
    assert "for tables by class" in coded.output
    with pytest.raises(TableError, match="choose True, False or 'one-sided'"):
        Tablebase.make(TicTacToe()).save(tmp_path / "c", distances="both")


@pytest.mark.nightly
def test_king_and_queen_against_king_and_rook_is_small(tmp_path):
    """Half as much again as in Syzygy's files. Slow: it solves four million states, and writes each distance."""
    game = Chess()
    table = Tablebase.make(game, classes=["KQKR"], distance_to="conversion")
    table.save(tmp_path / "a", distances="one-sided")
    number = game.parse_class("KQKR")
    stored = read_classes(tmp_path / "a")[1].stored(number)
    size = sum(length for part in stored.blocks for length, _ in part)
    assert size / game.index_count(number) <= 1.5 * SYZYGY
    loaded, whole = Tablebase.load(tmp_path / "a", game).classes.solved[number], table.classes.solved[number]
    counts = (whole.levels != 1) & (whole.levels < 3)
    assert (loaded.plies == whole.plies)[counts].all()
