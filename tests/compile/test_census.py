"""The census of a game: kept, one for all questions, and told in full."""

import textwrap

import pytest

import outplay
from outplay import AlphaBeta, compile_report
from outplay.compile import RunsInterpretedWarning, census
from outplay.compile.census import Census, census_of
from outplay.compile.kernels import runs_compiled
from outplay.compile.native import entry
from outplay.compile.value_kinds import Kind
from outplay.session.load import load_game

pytestmark = pytest.mark.compiled


RULES = """
import copy
from outplay import Game

class Piece:
    def __init__(self, owner):
        self.owner = owner

class Node:
    def __init__(self):
        self.left, self.turn, self.last = 5, 0, None
        {start}

    def take(self, action):
        new = copy.deepcopy(self)
        new.left, new.turn, new.last = self.left - action, 1 - self.turn, action
        {move}
        return new

class Take(Game):
    utilities = (-1, 1)
    def initial_state(self):
        return Node()
    def to_move(self, state):
        return state.turn
    def actions(self, state):
        return [number for number in (1, 2) if number <= state.left]
    def result(self, state, action):
        return state.take(action)
    def is_terminal(self, state):
        return state.left == 0
    def utility(self, state, player):
        {utility}
        return -1 if player == state.turn else 1
"""


def take(folder, start="pass", move="pass", utility="pass"):
    path = folder / "take.py"
    parts = {"start": start, "move": move, "utility": utility}
    indented = {name: textwrap.indent(text, " " * 8).strip() for name, text in parts.items()}
    path.write_text(RULES.format(**indented), encoding="utf-8")
    return load_game(str(path))


def told(game):
    """What keeps a game from compiling: the source, what is wrong, and the remedy."""
    return [(obstacle.source, obstacle.what, obstacle.remedy) for obstacle in compile_report(game).obstacles]


def growing(folder):
    return take(folder, start="self.taken = []", move="new.taken.append(action)")


def test_it_shows_kinds_ranges_and_lengths(tmp_path):
    states = census_of(growing(tmp_path)).states
    assert {kind.cls for kind in states.parts["last"].kinds} == {int, type(None)}
    assert states.parts["left"].ints == (0, 5)
    assert states.parts["taken"].lengths == (0, 5)
    assert states.parts["taken"].parts["*"].ints == (1, 2)


def test_it_is_made_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(census, "_censuses", census.WeakKeyDictionary())
    game = growing(tmp_path)
    first = census_of(game)
    assert census_of(game) is first
    monkeypatch.setattr(census, "_censuses", census.WeakKeyDictionary())  # as another process
    monkeypatch.setattr(Census, "of", None)
    again = census_of(growing(tmp_path))
    assert again is not first
    assert again.states.parts["last"].kinds == first.states.parts["last"].kinds
    assert again.arguments.keys() == first.arguments.keys() > {"Take.result", "Node.take"}


def test_rules_that_are_edited_have_another(tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    game = take(tmp_path, start="self.score = 0", move="new.score = action")
    assert census_of(game).states.parts["score"].ints == (0, 2)
    game = take(tmp_path, start="self.score = 0", move="new.score = -action")
    assert census_of(game).states.parts["score"].ints == (-2, 0)


def test_all_conflicts_are_told_at_once_with_both_lines_and_a_remedy_that_was_tried(tmp_path):
    game = take(
        tmp_path,
        start="self.done = False\nself.score = 0",
        move="new.done = new.left / 2\nif new.left < 3:\n    new.score = 0.5",
        utility="globals()",
    )
    assert told(game) == [
        (
            "new.done = new.left / 2",
            "Node.done is a bool where line 12 sets it and a float where line 18 does",
            "write bool(…) in line 18",
        ),
        (
            "self.score = 0",
            "Node.score is an int where line 13 sets it and a float where line 20 does",
            "write float(…) in line 13",
        ),
        ("globals()", "globals() cannot be compiled here", "write a loop"),
    ]
    assert census_of(game).states.parts["done"].kinds.keys() > {Kind(bool)}, "the rules are as before"


def test_a_remedy_that_does_not_help_is_not_told(tmp_path):
    move = "new.score = 0.5\nnew.name = 'a'"
    (_, what, name), (_, _, score) = told(take(tmp_path, start="self.score = 0\nself.name = 0", move=move))
    assert score == "write float(…) in line 12"
    assert what == "Node.name is an int where line 13 sets it and a string where line 19 does"
    assert name == "give it one type everywhere, or an attribute of its own for each"


@pytest.mark.parametrize(
    ("start", "move", "place", "what"),
    [
        (
            "self.one = Piece(0)\nself.two = self.one",
            "pass",
            "self.two = self.one",
            "Node.two is the same Piece as Node.one",
        ),
        (
            "self.all = [Piece(0)]\nself.one = self.all[0]",
            "pass",
            "self.one = self.all[0]",
            "Node.one is the same Piece as Node.all[*]",
        ),
        (
            "self.all = 3 * [Piece(0)]",
            "pass",
            "self.all = 3 * [Piece(0)]",
            "Node.all[*] is the same Piece as another one",
        ),
        (
            "self.one, self.two = Piece(0), None",
            "new.two = new.one",
            "new.two = new.one",
            "Node.two is the same Piece as Node.one",
        ),
        ("self.piece = Piece(self)", "pass", "self.owner = owner", "Piece.owner is the Node that it is part of"),
        (
            "self.kind = (0,)",
            "new.kind = new.kind + (1,)",
            "new.kind = new.kind + (1,)",
            "Node.kind is a tuple of 1 where line 12 sets it and a tuple of 2 where line 17 does",
        ),
        (
            "self.cells = [0, 'a']",
            "pass",
            "self.cells = [0, 'a']",
            "Node.cells[*] is an int in one place and a string in another",
        ),
    ],
)
def test_a_conflict_names_the_place_and_the_line(tmp_path, start, move, place, what):
    assert (place, what) in [each[:2] for each in told(take(tmp_path, start, move))]


def test_what_rules_print_is_not_in_the_report(tmp_path, capsys):
    compile_report(take(tmp_path, move="print('hello')"))
    assert capsys.readouterr().out == ""


def test_a_slow_game_ends_after_a_second(tmp_path, monkeypatch):
    monkeypatch.setattr(census, "SECONDS", 0.01)
    found = Census.of(take(tmp_path, move="sum(range(10**7))"))
    assert found.states.parts["left"].ints in {(3, 5), (4, 5)}, "one ply was played"


def test_what_was_never_seen_is_an_int(tmp_path):
    game = take(tmp_path, start="self.empty = []")
    assert census_of(game).states.parts["empty"].is_open
    assert outplay.compile_report(game).ok


def test_what_does_not_compile_is_not_tried_in_each_process(tmp_path, monkeypatch):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    wrong = {"utility": "globals()"}
    with pytest.warns(RunsInterpretedWarning, match=r"globals\(\)"):
        first = AlphaBeta(take(tmp_path, **wrong)).search()
    monkeypatch.setattr(entry, "_build", None)
    with pytest.warns(RunsInterpretedWarning, match=r"globals\(\)"):
        assert AlphaBeta(take(tmp_path, **wrong)).search().value == first.value
    monkeypatch.undo()
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    assert runs_compiled(AlphaBeta(take(tmp_path)).game), "the rules were edited"


def test_members_are_those_of_the_class_that_the_game_has(tmp_path, monkeypatch):
    """A file that is read again has new classes of the same names; so have games that are kept meanwhile."""
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    changed = RULES.replace("class Piece:", "import enum\nclass Side(enum.Enum):\n    A = 1\n    B = 2\n\nclass Piece:")
    monkeypatch.setitem(globals(), "RULES", changed)
    first, second = (take(tmp_path, start="self.side = None", move="new.side = Side(action)") for _ in range(2))
    for game in (second, first):
        kinds = census_of(game).states.parts["side"].kinds
        assert {kind.cls for kind in kinds} == {type(None), type(game).result.__globals__["Side"]}


def test_small_numbers_of_numpy_in_a_later_state_are_told(tmp_path):
    move = "import numpy\nnew.cell = numpy.zeros(1, numpy.int8)[0]"
    (_, what, remedy), *_ = told(take(tmp_path, start="self.cell = 0", move=move))
    assert what == "Node.cell is a numpy.int8, and NumPy would compute in that type"
    assert remedy == "use int()"


def test_an_enumeration_that_cannot_be_compiled_is_told(tmp_path, monkeypatch):
    changed = RULES.replace(
        "class Piece:",
        "import enum\nclass Side(enum.Enum):\n    A = 1\n    def __add__(self, other): return 2\n\nclass Piece:",
    )
    monkeypatch.setitem(globals(), "RULES", changed)
    found, *_ = told(take(tmp_path, start="self.side = Side.A"))
    assert found[1:] == ("Node.side is a Side, but Side defines __add__", "give the method an ordinary name")
