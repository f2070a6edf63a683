"""The inventory of compiled code: the manifest covers what the compiler linked, and a question left out is noticed."""

import warnings

import pytest
from shared import EDITED, kept_code

from outplay import (
    ISMCTS,
    MCTS,
    AlphaBeta,
    Backtracking,
    Expectiminimax,
    Limit,
    MaxN,
    Minimax,
    ProofNumber,
    Tablebase,
    games,
    perft,
)
from outplay.backtracking.problems import Queens
from outplay.compile import fingerprint
from outplay.compile.fingerprint import RULES, Fingerprint
from outplay.compile.native import disk, entry, inventory, questions
from outplay.compile.native.disk import NotKeptWarning
from outplay.compile.native.game_type import GameType
from outplay.compile.references import names_in

pytestmark = pytest.mark.compiled

PROGRAM = f"""{EDITED}from outplay import legal_actions
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random
from outplay.rules.game import defines
import outplay_near as near

class Worse(IndexError): pass
class Bad(Worse): pass
class Side(Enum):
    ONE = 1
    TWO = 2
    def sign(self): return 1 if self is Side.ONE else SIGN
class Pair(NamedTuple):
    a: int
    b: int = 5
    def both(self): return self.a + self.b + BOTH
class Helper:
    def more(self, x): return x + HELP
HELPER = Helper()
class Board:
    WIDTH = 3
    def __init__(self, left, turn): self.left, self.turn = left, turn
    def score(self): return self.left + BONUS
class State(Board):
    def score(self): return super().score() + self.WIDTH
SIGN, BOTH, HELP, BONUS = -1, 2, 3, 4
def enclosed(by):
    def f(x, more=2, *, most=3): return x + by + more + most
    return f
f = enclosed(6)
def tried(x):
    try:
        if x > 90: raise Bad("too many")
        return x
    except IndexError: return 90
class Middle(Base):
    SIZE = 9
    def g(self, x): return x + self.SIZE
    @classmethod
    def size(cls): return cls.SIZE
class G(Middle):
    def __init__(self): self.by = 1
    def actions(self, state):
        for action in range(5):
            if action > 2: yield action
    def g(self, x): return super().g(x)
    @property
    def p(self): return self.by
    def more(self, x):
        side = Side.ONE if x > 3 else Side.TWO
        total = tried(f(x)) + HELPER.more(x) + side.sign() + Pair(x).both() + near.f(x)
        return self.g(total) + self.p + State(x, 0).score() + type(self).SIZE + self.size()
@kernel
def child(game, state, random):
    bonus = 1 if defines(game, "order") else 2
    return game.result(state, random_action(game, state, random)).left + bonus
"""
NEAR = "K = 0\ndef f(x): return x + K\n"


@pytest.fixture
def lacking(fresh, tmp_path, monkeypatch):
    """Compile the program; the names of what the manifest lacks."""
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))

    def run():
        names = []

        def missing(*args):
            found = original(*args)
            names.extend(each.name for each in found)
            return found

        original = entry.missing
        monkeypatch.setattr(entry, "missing", missing)
        disk._warnings.clear()
        module = fresh(g=PROGRAM, outplay_near=NEAR)
        game, state = module.G(), module.State(3, 0)
        random = module.new_random(1)
        truth = module.child.interpreted(game, state, module.new_random(1))
        assert module.child(game, state, random) == truth
        return names

    return run


def test_the_manifest_covers_everything_that_was_linked(lacking):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        names = lacking()
    assert names == []
    assert len(kept_code()) == 1


def forgetting(*kinds):
    """Answers to questions of these kinds that are not recorded."""
    ask = GameType.ask

    def forgetful(self, kind, name=""):
        if kind in kinds:
            return questions.put((kind, name), self.game, Fingerprint(lambda *_: ""))
        return ask(self, kind, name)

    return lambda patch: patch.setattr(GameType, "ask", forgetful)


def replacing(name, replacement):
    return lambda patch: patch.setattr(Fingerprint, name, replacement)


def without_hidden_members(self, cls):
    """Members of a class as they were added once: those that its objects have, not those that it hides."""
    if fingerprint.library_name(cls) is not None:
        self.text("library")
        return
    for name in sorted({name for owner in cls.__mro__[:-1] for name in vars(owner)}):
        self.add_member(cls, name)


def without_bases(self, cls):
    if issubclass(cls, BaseException):
        self.text(cls.__qualname__)
    else:
        add_class(self, cls)


add_class = Fingerprint._add_class
add_read = Fingerprint._add_read


def without_modules(self, name, value, function):
    if not hasattr(value, "__file__"):
        add_read(self, name, value, function)


def without_names(self, namespace, name):
    if name != "BONUS":
        watch_name(self, namespace, name)


watch_name = Fingerprint.watch_name

MUTANTS = {
    "a method of the game": forgetting("member"),
    "an attribute of the game": forgetting("value"),
    "what super() finds": forgetting("super"),
    "a constant of the class of the game": forgetting("class"),
    "an optional rule": forgetting("defines"),
    "how random actions are drawn": forgetting("trial"),
    "whether an attribute is stored": forgetting("stored"),
    "members that a class hides": replacing("_add_class", without_hidden_members),
    "the bases of an error": replacing("_add_class", without_bases),
    "names of a module": replacing("_add_read", without_modules),
    "a global name": replacing("watch_name", without_names),
    "an enclosing variable": replacing("watch_cell", lambda *_: None),
    "the attributes of an object": replacing("watch_attribute", lambda *_: None),
}


@pytest.mark.sample(4)
@pytest.mark.filterwarnings("ignore::outplay.compile.native.RunsInterpretedWarning")
@pytest.mark.parametrize("mutate", MUTANTS.values(), ids=MUTANTS)
def test_a_compiler_that_forgets_a_question_is_noticed(mutate, lacking, monkeypatch):
    mutate(monkeypatch)
    with pytest.warns(NotKeptWarning, match="about which the compiler did not ask"):
        names = lacking()
    assert names
    assert kept_code() == []


@pytest.mark.filterwarnings("ignore::outplay.compile.native.NotKeptWarning")
def test_what_the_compiler_did_not_ask_about_counts_within_the_process(fresh, monkeypatch):
    forgetting("super")(monkeypatch)
    module = fresh(
        g=f"{EDITED}class Middle(Base):\n    def f(self, x): return x + BONUS\nBONUS = 5\nclass G(Middle):\n"
        "    def more(self, x): return super().f(x)\n"
    )
    game, state = module.G(), module.State(3, 0)
    assert [module.child(game, state), module.child(module.G(), state)] == [8, 8]
    module.BONUS = -7
    assert [module.child(game, state), module.child(module.G(), state)] == [-4, -4]
    module.Middle.f = lambda self, x: x + 1
    assert [module.child(game, state), module.child(module.G(), state)] == [4, 4]


def test_a_game_inside_a_game_is_the_one_that_is_compiled_now(fresh, tmp_path, monkeypatch):
    """Two games have equal games inside; that of the first is edited, and the second is compiled anew."""
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    module = fresh(
        g=f"{EDITED}class Inner(Base):\n    def __init__(self, by): self.by = by\n"
        "    def more(self, x): return x + self.by\nF = 1\nclass G(Base):\n"
        "    def __init__(self): self.inner = Inner(2)\n    def more(self, x): return F * self.inner.more(x)\n"
    )
    first, second, state = module.G(), module.G(), module.State(3, 0)
    assert [module.child(first, state), module.child(second, state)] == [5, 5]
    first.inner.by = 3
    assert [module.child(first, state), module.child(second, state)] == [6, 5]
    module.F = 2
    monkeypatch.setattr(disk, "_warnings", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [module.child(first, state), module.child(second, state)] == [12, 10]


SEARCHES = {
    "alpha-beta for Connect Four": lambda: AlphaBeta(games.ConnectFour()).search(limit=Limit(nodes=300)),
    "alpha-beta for chess": lambda: AlphaBeta(games.Chess()).search(limit=Limit(nodes=300)),
    "minimax for Nim": lambda: Minimax(games.Nim()).search(limit=Limit(nodes=300)),
    "MCTS for Othello": lambda: MCTS(games.Othello()).search(limit=Limit(simulations=100)),
    "proof-number search for tic-tac-toe": lambda: ProofNumber(games.TicTacToe()).search(limit=Limit(nodes=300)),
    "expectiminimax for Pig": lambda: Expectiminimax(games.Pig()).search(limit=Limit(nodes=300)),
    "max^n for Chinese checkers": lambda: MaxN(games.ChineseCheckers()).search(limit=Limit(nodes=300)),
    "ISMCTS for phantom tic-tac-toe": lambda: ISMCTS(games.PhantomTicTacToe()).search(limit=Limit(simulations=100)),
    "perft of Kalah": lambda: perft(games.Kalah(), 3),
    "a table of Dots and Boxes": lambda: Tablebase.make(games.DotsAndBoxes(1, 2)),
    "backtracking for queens": lambda: Backtracking(Queens(6)).count(),
}


@pytest.mark.nightly
@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_the_list_of_what_was_linked_equals_the_manifest(search, tmp_path, monkeypatch):
    """What the manifest has beyond the list is what a decision at compile time has left out of the code."""
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path / "cache"))
    compared = []

    def missing(libraries, given, manifest):
        lacking = inventory.missing(libraries, given, manifest)
        linked = {ingredient.name for ingredient in inventory.ingredients(libraries, given)}
        watched = {f for each in manifest for f, *_ in each._functions.values() if "." in f.__qualname__}
        methods = [f for f in watched if not inventory.is_of_outplay(f)]
        more = [f for f in methods if f"the function {f.__qualname__}" not in linked]
        compared.append(([each.name for each in lacking], len(linked), more))
        return lacking

    monkeypatch.setattr(entry, "missing", missing)
    monkeypatch.setattr(entry, "_entries", {})  # compile anew
    monkeypatch.setattr(entry, "_ready", set())
    search()
    assert compared
    for lacking, number, more in compared:
        assert lacking == []
        assert number > 0
        left_out = {"initial_state", *RULES}.union(*(names_in(f.__code__) for f in more))
        assert {f.__name__ for f in more} <= left_out
