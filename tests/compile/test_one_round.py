"""One round of messages: all obstacles at once, each with a remedy that works, and fewer of them."""

import textwrap

import pytest

import outplay
from outplay import compile_report
from outplay.compile.kernels import kernel, runs_compiled
from outplay.rules.errors import RulesError
from outplay.rules.numbered import numbered
from outplay.session.load import load_game

pytestmark = pytest.mark.compiled

RULES = """
import copy
import enum
from dataclasses import dataclass
from outplay import Game

{classes}

class Node:
    def __init__(self):
        self.left, self.turn = 5, 0
        {start}
    {methods}

class Take(Game):
    utilities = (-1, 1)
    def initial_state(self):
        return Node()
    def to_move(self, state):
        return state.turn
    def actions(self, state):
        {actions}
    def result(self, state, action):
        new = copy.deepcopy(state)
        new.left, new.turn = state.left - 1, 1 - state.turn
        {move}
        return new
    def is_terminal(self, state):
        return state.left == 0
    def utility(self, state, player):
        return -1 if player == state.turn else 1
"""


def take(folder, classes="", start="pass", methods="", actions="return [1, 2]", move="pass"):
    path = folder / "take.py"
    parts = {"classes": classes, "start": start, "methods": methods, "actions": actions, "move": move}
    depths = {"classes": 0, "methods": 4}
    indented = {
        name: textwrap.indent(textwrap.dedent(text), " " * depths.get(name, 8)).strip() for name, text in parts.items()
    }
    path.write_text(RULES.format(**indented), encoding="utf-8")
    return load_game(str(path))


def told(game):
    """What is wrong, and the remedy, by the name of the function."""
    return {obstacle.function: (obstacle.what, obstacle.remedy) for obstacle in compile_report(game).obstacles}


@kernel
def last_state(game, state, action):
    return game.result(state, action)


def same_at_both_speeds(game):
    """Whether all states of a random game are the same, compiled and interpreted."""
    assert compile_report(game).obstacles == ()
    game = numbered(game)
    state = game.initial_state()
    assert runs_compiled(game)
    while not game.is_terminal(state):
        for action in game.actions(state):
            compiled = last_state.prepare(game, state, action)(game, state, action)
            assert outplay.rules.keys.state_key(game, compiled) == outplay.rules.keys.state_key(
                game, game.result(state, action)
            )
        state = game.result(state, game.actions(state)[0])
    return True


def test_a_function_that_another_one_hides_is_told_too(tmp_path):
    methods = """
        def first(self):
            for number in {self.left, 2}:
                self.left += number
        def second(self):
            try:
                self.third()
            except ValueError:
                return False
            return True
        def third(self):
            return "no" if self.left else "yes"
        def fourth(self):
            if self.left > 3:
                return True
            return "never"
    """
    found = told(take(tmp_path, methods=methods, move="new.first()\nnew.second()\nnew.fourth()"))
    assert found == {
        "Node.first": ("the items of a set come in an order of their own", "write sorted(…)"),
        "Node.second": (
            "third() is called within a try",
            "let what may fail return False in place of raise, and test that with if",
        ),
        "Node.fourth": found["Node.fourth"],
    }


def test_actions_of_several_kinds_do_not_hide_what_else_does_not_compile(tmp_path):
    methods = """
        def strange(self):
            return globals()
    """
    actions = "state.strange()\nreturn [(1, 'a'), (True, 2)] if state.turn else [(1, 'a')]"
    report = compile_report(take(tmp_path, methods=methods, actions=actions))
    assert [obstacle.function for obstacle in report.obstacles] == ["Node.strange"]
    assert "such as (1, None, 'a', None) and (None, True, None, 2)" in report.notes[0]
    assert compile_report(take(tmp_path, actions="return [(1, None, 'a', None), (None, True, None, 2)]")).ok


@pytest.mark.parametrize(
    ("one", "other", "what"),
    [
        ("number", "number, 1", "the function yields an int in line 15 and a tuple of 2 in line 16"),
        ("1, 2", "1, 2, 3", "the function yields a tuple of 2 in line 15 and a tuple of 3 in line 16"),
    ],
)
def test_yields_of_two_kinds_are_named_with_their_lines(tmp_path, one, other, what):
    methods = f"def ways(self):\n    for number in range(2):\n        yield {one}\n        yield {other}"
    found = told(take(tmp_path, start="self.seen = [0]", methods=methods, move="for way in new.ways():\n    pass"))
    assert found["Node.ways"] == (what, "write one form: tuples of one length, with None for what is missing")


def test_what_a_late_ply_assigns_is_known_beforehand(tmp_path, monkeypatch):
    monkeypatch.setattr("outplay.compile.census.LENGTH", 2)
    monkeypatch.setattr("outplay.compile.census.GAMES", 1)
    start = "self.winner = None\nself.last = (None, None, 0)\nself.name = None"
    move = "if new.left == 0:\n    new.winner, new.last, new.name = 1, (2, 'b', 3), 'c'"
    assert same_at_both_speeds(take(tmp_path, start=start, move=move))


PIECE = """
class Piece:
    def __init__(self, number):
        self.number = number
    def __eq__(self, other):
        return isinstance(other, Piece) and self.number == other.number
"""
TWICE = "self.all = [Piece(number) for number in range(5)]\nself.free = [piece for piece in self.all]"


@pytest.mark.parametrize(
    "classes",
    [PIECE, "@dataclass\nclass Piece:\n    number: int", "@dataclass(frozen=True)\nclass Piece:\n    number: int"],
)
def test_objects_that_never_change_may_be_in_two_places(tmp_path, classes):
    move = "piece = new.all[new.left]\nif piece in new.free:\n    new.free.remove(piece)"
    assert same_at_both_speeds(take(tmp_path, classes=classes, start=TWICE, move=move))


def test_objects_in_two_places_are_not_compared_by_is(tmp_path):
    found = told(take(tmp_path, classes=PIECE, start=TWICE, move="if new.all[0] is new.free[0]:\n    new.left -= 0"))
    assert found["Take.result"] == ("`is` of objects of which one is in several places of a state", "write ==")


def test_objects_that_change_are_told_by_index(tmp_path):
    what, remedy = told(take(tmp_path, classes=PIECE, start=TWICE, move="new.free[0].number += 1"))["Node.__init__"]
    assert what == "Node.free[*] is the same Piece as Node.all[*]"
    assert remedy.splitlines() == [
        "keep an index in place of the Piece, which changes, so that a copy would be another one:",
        "    state.all = […]  # each Piece, here alone",
        "    self.free = [0]  # in place of each Piece: its index",
        "    [state.all[i] for i in self.free]  # where the Piece was read",
    ]
    plain = PIECE.partition("    def __eq__")[0]
    assert told(take(tmp_path, classes=plain, start=TWICE))["Node.__init__"][1] == "put a copy in one of them"


FIND = """
def find(self, wanted):
    for key in self.places:
        if self.places[key] == wanted:
            return key
"""


def test_none_is_not_stored_in_a_dict_that_has_none(tmp_path):
    start = "self.places = {'a': 0, 'b': 1}"
    move = "key = new.find({})\nnew.places[key] = new.places['a']"
    assert same_at_both_speeds(take(tmp_path, start=start, methods=FIND, move=move.format(0)))
    game = take(tmp_path, start=start, methods=FIND, move=move.format("7 if new.left == 0 else 0"))
    state = game.initial_state()
    state.left = 1
    with pytest.raises(RulesError, match="a key of a dict is None, where no other one is"):
        last_state.prepare(game, state, 1)(game, state, 1)


def test_a_function_that_ends_without_return_is_named(tmp_path):
    start = "self.places, self.name = {'a': 0, 'b': 1}, 'a'"
    methods = FIND + "def put(self, name):\n    self.name = name\n"
    found = told(take(tmp_path, start=start, methods=methods, move="new.put(new.find(0))"))
    assert found["Node.put"] == (
        "attribute name of Node is a string or None here, but a string in other states:"
        " find() of line 13 may end without return, which gives None",
        'write raise ValueError("…") at the end of find(), or return a value there too',
    )
    mended = FIND + "    raise ValueError('…')\ndef put(self, name):\n    self.name = name\n"
    assert same_at_both_speeds(take(tmp_path, start=start, methods=mended, move="new.put(new.find(0))"))


def test_lists_that_a_function_builds_are_given_one_type(tmp_path):
    methods = """
        def some(self):
            found = [(1, None)]
            for number in range(self.left):
                found += [(number, None)]
            found.append((7, None))
            return found
        def others(self):
            return [(None, 'a'), (None, 'b')]
    """
    assert same_at_both_speeds(
        take(tmp_path, methods=methods, actions="return state.some() if state.turn else state.others()")
    )


def test_texts_joined_in_the_message_of_an_error_may_be_of_a_set(tmp_path):
    move = """
        if new.left > 9:
            raise ValueError(f"one of {', '.join(map(str, new.known))}")
    """
    assert same_at_both_speeds(take(tmp_path, start="self.known = {1, 2}", move=move))


def test_an_attribute_that_starts_as_none_is_told_with_a_remedy(tmp_path):
    classes = "class Piece:\n    def __init__(self):\n        self.place = {}"
    start, move = "self.piece = Piece()\nself.piece.place = (0, 0)", "new.piece = Piece()\nnew.piece.place = (1, 1)"
    found = told(take(tmp_path, classes=classes.format("None"), start=start, move=move))
    assert found["Piece.__init__"] == (
        "attribute place of Piece is None here, but a tuple of 2 in other states",
        'write another value of that type in place of None, such as -1, "" or (-1, -1)',
    )
    assert same_at_both_speeds(take(tmp_path, classes=classes.format("(-1, -1)"), start=start, move=move))


def test_the_cause_of_an_error_is_left_out(tmp_path):
    methods = """
        def place(self, wanted):
            try:
                return [1, 2, 3].index(wanted)
            except ValueError as error:
                raise ValueError(f"no {wanted}") from error
    """
    assert same_at_both_speeds(take(tmp_path, methods=methods, move="new.left -= new.place(1)"))
