"""Finding a game: by name, in a file, among plug-ins; and what is said when that fails."""

import os
import sys
from importlib.metadata import EntryPoint

import pytest

import outplay.session.load
from outplay import Minimax, RulesError
from outplay.equilibrium import CFR
from outplay.games import BUILT_IN, MNK, ConnectFour, ExplicitTree, Nim
from outplay.session.load import class_called, load_game, plug_ins

SMALL = """
from outplay.games import Nim

class Small(Nim):
    "A game of one's own."
    def __init__(self, size=3, name="x"):
        super().__init__((size,))
        self.size, self.name = size, name
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files into the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(text)
        return tmp_path

    return write


def test_an_edit_of_the_same_length_in_the_same_second(write, monkeypatch):
    """Python would take its bytecode of the first text for current."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for size in (3, 4):
        path = write(small=SMALL.replace("size=3", f"size={size}")) / "small.py"
        os.utime(path, (1_700_000_000, 1_700_000_000))
        assert load_game("small.py").size == size


def message(text):
    with pytest.raises(RulesError) as caught:
        load_game(text)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("connect-four", ConnectFour()),
        (" Connect_Four() ", ConnectFour()),
        ("connect-four(width=8)", ConnectFour(width=8)),
        ("mnk(4, 4, k=3, gravity=True)", MNK(4, 4, 3, gravity=True)),
        ("nim(heaps=(3, 4, 5), misere=True)", Nim((3, 4, 5), misere=True)),
        ("nim([1, 2]\n)", Nim((1, 2))),
    ],
)
def test_a_name_with_parameters(text, game):
    loaded = load_game(text)
    assert (type(loaded), repr(loaded)) == (type(game), repr(game).replace("(1, 2)", "[1, 2]"))


def test_a_tree_and_a_matrix_need_no_file():
    for text in "[[3, 12], [2, 4]]", ' {"children": [[3, 12], [2, 4]]}':
        tree = load_game(text)
        assert isinstance(tree, ExplicitTree)
        assert Minimax(tree).search().value == 3
    assert "tree[1]: 'x' is not a finite number" in message("[1, 'x']")
    assert "the parameter [[1, 2], 3 is not a value" in message("[[1, 2], 3")
    pennies = load_game("Matrix([[1, -1], [-1, 1]], actions=[['heads', 'tails'], ['heads', 'tails']])")
    assert pennies.hidden_information
    assert list(CFR(pennies).solve(iterations=1).values) == [0, 0]
    assert "are neither a matrix nor a table" in message("matrix([1, 2])")
    assert "needs payoffs" in message("matrix")


def test_every_built_in_game_is_found_by_its_name():
    assert {name: class_called(name) for name in BUILT_IN} == BUILT_IN


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("conect-four", "did you mean connect-four?"),
        ("tictactoe", "did you mean tic-tac-toe or"),
        ("", "'' is not a game"),
        ("nim((3, 4)", "is not a game: 2 ( and 1 )"),
        ("nim(3, , 4)", "parameters are written like"),
        ("nim(misere=True, 3)", "parameters are written like"),
        (f"nim({'[' * 300}{']' * 300})", "too many nested brackets"),
        (f"nim(({'9' * 5000},))", "too many digits"),
        ("nim)3(", "is not a game"),
        ("nim(3) + (4)", "is not a game: write a name"),
        ("nim((3, 4), misere=true)", "the parameter true is not a value; did you mean True?"),
        ("nim(__import__('os').getcwd())", "the parameter __import__('os').getcwd() is not a value"),
        ("nim(*[1])", "the parameter *[1] is not a value"),
        ("nim(**{'heaps': 1})", "the parameter **{'heaps': 1} is not a value"),
        (
            "nim((1,), heap=3)",
            "Nim has no parameter heap; did you mean heaps?; Nim takes heaps=(3, 4, 5), misere=False",
        ),
        ("nim((1,), False, 3, 4)", "too many positional arguments"),
        ("nim((1,), heaps=(1,))", "multiple values for argument 'heaps'"),
        ("explicit-tree", "missing a required argument: 'tree'"),
        ("tic-tac-toe(3)", "TicTacToe takes no parameters"),
        ("connect-four(width=50)", "width must be a whole number from 1 to 31"),
        ("nim(3)", "heaps=3: heaps must be a list"),
        ("no_such_file.py:Game", "there is no file no_such_file.py"),
    ],
)
def test_what_is_said_of_a_wrong_name_or_parameter(text, told):
    assert told in message(text)


def test_a_file(write):
    folder = write(small=SMALL)
    small = load_game("small.py:Small(size=4)")
    assert (small.size, small.name, type(small).__module__) == (4, "x", "outplay_file_small")
    assert sys.modules["outplay_file_small"].Small is type(small)  # so that it pickles
    assert repr(load_game("small.py")) == "Small()"  # Nim is imported there, not defined
    assert load_game("small.py(5, ')(')").name == ")("
    assert load_game(f"{folder}/small.py:Small").size == 3
    assert repr(load_game("small.py:Nim((2,))")) == "Nim(heaps=(2,))"


def test_a_file_in_a_folder_with_an_odd_name(write):
    odd = write() / "C: (1) odd.py.d"
    odd.mkdir()
    (odd / "my game-2.py").write_text(SMALL)
    assert load_game(f"{odd}/my game-2.py:Small(size=2)").size == 2


def test_helper_modules_beside_a_file(write):
    write(beside_helper="SIZE = 7\n", beside="from beside_helper import SIZE\n" + SMALL.replace("size=3", "size=SIZE"))
    before = list(sys.path)
    assert load_game("beside.py").size == 7
    assert sys.path == before


def test_a_file_named_like_a_module_does_not_hide_it(write):
    import random

    write(random=SMALL)
    assert repr(load_game("random.py")) == "Small()"
    assert sys.modules["random"] is random


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = (\n", "broken.py:1: '(' was never closed: x = ("),
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module' at broken.py:1: import no"),
        ("import numpy\nnumpy.zeros(-1)\n", "ValueError: negative dimensions are not allowed at broken.py:2: numpy.z"),
        ("raise SystemExit(3)\n", "SystemExit: 3 at broken.py:1"),
        ("x = 1\n", "broken.py defines no game: no class in it derives from outplay.Game"),
        (SMALL + SMALL.replace("Small", "Other"), "for instance broken.py:Small; it has Small, Other"),
        (
            "from outplay import Game\nclass Half(Game):\n    def actions(self, s): ...\n",
            "does not define initial_state",
        ),
        (
            SMALL.replace("= size, name", "= 1 / 0, name"),
            "Small() failed: ZeroDivisionError: division by zero at broken.py:8",
        ),
    ],
)
def test_what_is_said_of_a_file_that_cannot_be_loaded(write, source, told):
    write(broken=source)
    assert told in message("broken.py")


def test_what_is_said_of_a_class_that_is_not_there(write):
    write(small=SMALL + "number = 3\n")
    assert "has no class Smal; did you mean Small?" in message("small.py:Smal")
    assert "number in small.py is not a class that derives from outplay.Game" in message("small.py:number")
    assert "did you mean small.py?" in message("smal.py")
    assert "did you mean small.py?" in message("small")


def test_plug_ins(monkeypatch):
    entries = [
        EntryPoint("dawson", "outplay.games:Nim", outplay.session.load.GROUP),
        EntryPoint("nim", "outplay.games:ConnectFour", outplay.session.load.GROUP),
        EntryPoint("gone", "no_such_module:Game", outplay.session.load.GROUP),
        EntryPoint("wrong", "outplay.games:BUILT_IN", outplay.session.load.GROUP),
    ]
    monkeypatch.setattr(outplay.session.load, "entry_points", lambda group: entries)
    assert list(plug_ins()) == ["dawson", "gone", "wrong"]
    assert load_game("dawson((2,))") == Nim((2,))
    assert load_game("nim") == Nim()  # a plug-in cannot take the place of a built-in game
    assert "the plug-in gone (no_such_module:Game) cannot be loaded: ModuleNotFoundError" in message("gone")
    assert "the plug-in wrong (outplay.games:BUILT_IN) is not a class of games" in message("wrong")
    assert "did you mean dawson?" in message("dawsn")


def test_only_the_game_that_is_asked_for_is_imported(python):
    lines = (
        "import sys",
        "from outplay import load_game",
        "print(load_game('tic-tac-toe'))",
        "print(*sorted(name for name in sys.modules if name.startswith('outplay.games.') and '._' not in name))",
    )
    assert python("-c", "\n".join(lines)).splitlines() == ["TicTacToe()", "outplay.games.mnk"]
