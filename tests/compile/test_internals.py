"""Numba's private names: one folder knows them, any of them may be missing, and nobody else notices their use."""

import ast
import gc
import json
import re
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from numba.core.compiler import run_frontend

from outplay import MCTS, AlphaBeta, Limit, kernel, legal_actions
from outplay.compile.native import llvm_ir, llvm_parts, losses
from outplay.compile.native.internals import code_on_disk, compiler_passes, numba_names, quick_compilation
from outplay.games import ConnectFour, Nim, TicTacToe
from outplay.rules.errors import RulesError
from outplay.rules.game import gathered_actions
from outplay.search.deepening import deepen
from outplay.search.negamax import negamax
from outplay.system.memory import resident_megabytes

pytestmark = pytest.mark.compiled

INTERNALS = Path(numba_names.__file__).parent
DOCUMENTED = ("numba", "numba.extending", "llvmlite", "llvmlite.ir", "llvmlite.binding")
"""What Numba and llvmlite document; `numba.types`, `numba.njit` and `numba.config` are names in it."""
OF_OURS = {"_native", "_contract", "_fields", "_getvalue", "_current_frames"}
"""Attributes with an underscore that are not Numba's, and one each that it and Python document."""


def test_one_folder_knows_the_private_names_of_numba():
    used = []
    for path in set(INTERNALS.parent.rglob("*.py")) - set(INTERNALS.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and re.match(r"numba\b|llvmlite\b", node.module or ""):
                used += [(path.name, node.module)] * (node.module not in DOCUMENTED)
                used += [(path.name, alias.name) for alias in node.names if alias.name in ("core", "np")]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names if re.match(r"numba\b|llvmlite\b", alias.name)]
                used += [(path.name, name) for name in names if name not in DOCUMENTED]
            elif isinstance(node, ast.Attribute):
                text = ast.unparse(node)
                hidden = re.match(r"_[a-z]", node.attr) and node.attr not in OF_OURS and not text.startswith("self.")
                if hidden or re.match(r"numba\.(core|np)\b", text):
                    used.append((path.name, text))
    assert used == []


def test_the_oldest_version_that_is_known_to_work_is_the_oldest_that_is_let_in():
    oldest = losses.KNOWN.partition(" ")[0]
    assert f'"numba>={oldest}"' in (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")


@pytest.mark.matrix
def test_nothing_is_lost_with_the_installed_numba():
    assert losses.lost == {}


# -- a name that is missing --------------------------------------------------------------------------------------------


def private_names():
    """Each private name that the folder `internals` uses, and how a future Numba without it is imitated."""
    nodes = [node for path in sorted(INTERNALS.glob("*.py")) for node in ast.walk(ast.parse(path.read_text("utf-8")))]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("numba."):
            yield from (("import", node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_find":
            module, name = (ast.literal_eval(argument) for argument in node.args[1:])
            yield "find", module, name
    yield from (("attribute", "", name) for name in dict.fromkeys(name for _, name in numba_names.NEEDED))
    yield from (("attribute", "", name) for name in dict.fromkeys(name for *_, name in numba_names.FOR_SPEED))
    yield from (("attribute", "", name) for name in (*numba_names.OF_A_LIBRARY, "_cache", "_overload_func"))
    yield from (("find", "numba.cpython.unicode", name) for name in numba_names.OF_TEXTS)
    yield "find", "numba.core.inline_closurecall", compiler_passes.OF_INLINING
    yield from (("remove", "numba._dispatcher", "compute_fingerprint"), ("remove", "numba.core.compiler", "_reduce"))


FUTURE = """
import builtins, importlib, json, sys, warnings
import numba
way, module, name = json.loads(sys.argv[1])
of_us = lambda: sys._getframe(2).f_globals.get("__name__", "").startswith("outplay")

class Without:
    # a module or class that lacks one name
    def __init__(self, real, path): self.real, self.path = real, path
    def __getattr__(self, attribute):
        first, *rest = self.path
        if attribute != first: return getattr(self.real, attribute)
        if not rest: raise AttributeError(attribute)
        return Without(getattr(self.real, attribute), rest)

if way in ("import", "change"):
    plain = builtins.__import__
    def import_(called, globals=None, locals=None, names=(), level=0):
        if called == module and name in (names or ()) and (globals or {}).get("__name__", "").startswith("outplay"):
            if way == "import": raise ImportError(f"cannot import name {name!r} from {module!r}")
            return type("Changed", (), {**vars(plain(called, globals, locals, names)), name: 5})
        return plain(called, globals, locals, names, level)
    builtins.__import__ = import_
elif way == "find":
    find = importlib.import_module
    def import_module(called, package=None):
        found = find(called, package)
        return Without(found, name.split(".")) if called == module and of_us() else found
    importlib.import_module = import_module
elif way == "attribute":
    has = builtins.hasattr
    builtins.hasattr = lambda thing, attribute: not (attribute == name and of_us()) and has(thing, attribute)
else:
    owner = importlib.import_module(module)
    delattr(owner.CompileResult if name == "_reduce" else owner, name)

warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as caught:
    from outplay import MCTS, AlphaBeta, Limit
    from outplay.games import ConnectFour, TicTacToe
    from outplay.compile.native import UnknownNumbaWarning, losses
    if way == "attribute" and name != "_cache": builtins.hasattr = has  # rules that name it could not be kept on disk
    first = AlphaBeta(ConnectFour()).search(limit=Limit(depth=4))
    second = MCTS(TicTacToe(), seed=3).search(limit=Limit(simulations=60))
told = [(each.category is UnknownNumbaWarning, str(each.message)) for each in caught]
print(json.dumps([first.value, first.action, first.nodes, second.action, list(losses.lost), told]))
"""


@pytest.fixture(scope="module")
def expected():
    first = AlphaBeta(ConnectFour()).search(limit=Limit(depth=4))
    second = MCTS(TicTacToe(), seed=3).search(limit=Limit(simulations=60))
    return [first.value, first.action, first.nodes, second.action]


@pytest.fixture
def future(python):
    """What a process finds whose Numba lacks a name, what is lost, and what it says."""
    return lambda *missing: json.loads(python("-c", FUTURE, json.dumps(missing)))


def is_told_once(found, expected):
    *answer, lost, told = found
    assert answer == expected
    [(is_ours, text)] = told
    assert is_ours
    assert "Results are the same" in text
    assert losses.KNOWN in text
    assert all(technique in text for technique in lost) or losses.NATIVE in lost
    return lost


@pytest.mark.nightly
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("way", "module", "name", "lost"),
    [
        ("import", "numba.core.ir_utils", "guard", [losses.NATIVE]),
        ("attribute", "", "resolve_function_type", [losses.NATIVE]),
        ("change", "numba.core.ir_utils", "guard", [losses.QUICK, losses.NATIVE]),
        ("find", "numba.core.codegen", "CPUCodeLibrary.finalize", [losses.QUICK]),
        ("remove", "numba.core.compiler", "_reduce", [losses.DISK]),
    ],
)
def test_a_name_that_is_missing_costs_time_alone(way, module, name, lost, expected, future):
    assert is_told_once(future(way, module, name), expected) == lost


@pytest.mark.nightly
@pytest.mark.parametrize(("way", "module", "name"), list(dict.fromkeys(private_names())))
def test_any_name_may_be_missing(way, module, name, expected, future):
    assert is_told_once(future(way, module, name), expected)


# -- what stands for something of Numba's ------------------------------------------------------------------------------


def test_the_variables_of_statements_are_those_that_numba_lists():
    statements = 0
    for function in (negamax.function, deepen.function, gathered_actions):
        for block in run_frontend(function).blocks.values():
            for statement in block.body:
                parts = vars(statement)
                assert quick_compilation._list_variables(statement, parts) == numba_names.variables_in(statement, parts)
                statements += 1
    assert statements > 100


@pytest.mark.nightly
def test_passes_that_are_left_out_would_change_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path))
    conditions, run = compiler_passes._CONDITIONS, compiler_passes._Passes._runPass
    counts = dict.fromkeys([*conditions, *(f"no {name}" for name in conditions)], 0)

    def run_all(self, index, compiler_pass, state):
        name = type(compiler_pass).__name__
        is_left_out = name in conditions and not conditions[name](state)
        before = text_of(state)
        with monkeypatch.context() as patch:
            patch.setattr(compiler_passes, "_CONDITIONS", {})
            run(self, index, compiler_pass, state)
        if is_left_out:
            assert text_of(state) == before
        if name in conditions:
            counts["no " * is_left_out + name] += 1

    monkeypatch.setattr(compiler_passes._Passes, "_runPass", run_all)
    assert AlphaBeta(Spread(2)).search(limit=Limit(depth=2)).value in (0.5, -0.5)
    assert min(counts.values()) > 0
    assert sum(counts.values()) > 20


def text_of(state):
    """The statements of the function that is being compiled."""
    blocks = () if state.func_ir is None else state.func_ir.blocks.items()
    return [(label, str(statement)) for label, block in blocks for statement in block.body]


class Spread(Nim):
    """Nim with rules that assign to places of an array; the last heap is `size` heaps for the asking."""

    def __init__(self, size):
        super().__init__((2, 1))
        self.size = size

    def evaluate(self, state, player):
        places = np.zeros(3)
        places[np.array([0, 2])] = np.ones(self.size)
        return places.sum() / 4


@pytest.mark.nightly
def test_arrays_of_different_shapes_are_not_assigned():
    assert AlphaBeta(Spread(2)).search(limit=Limit(depth=1)).value in (0.5, -0.5)
    with pytest.raises(ValueError, match="shape"):
        AlphaBeta(Spread(5)).search(limit=Limit(depth=1))


def test_what_machine_code_calls_is_there_before_it_is_loaded(monkeypatch):
    refreshed = []
    context = type("Context", (), {"refresh": lambda _: refreshed.append(1)})()
    monkeypatch.setattr(numba_names, "start_runtime", lambda _: None)
    code_on_disk._supply(context, ["memset", "PyErr_SetString"])
    assert not refreshed
    code_on_disk._supply(context, ["memset", "a function that nobody has"])
    assert refreshed
    monkeypatch.setattr(numba_names, "start_runtime", None)
    code_on_disk._supply(context, [])
    assert len(refreshed) == 2


LOADED = """
import sys
from outplay import AlphaBeta, Limit
from outplay.games import ConnectFour, Kalah
AlphaBeta(ConnectFour()).search(limit=Limit(depth=4))
print("numba.np.arrayobj" in sys.modules)
AlphaBeta(Kalah()).search(limit=Limit(depth=4))
print("scipy.linalg" in sys.modules)
"""


@pytest.mark.nightly
def test_what_is_loaded_needs_nothing_that_compiling_needs(python):
    assert python("-c", LOADED).split() == ["True", "False"]
    assert python("-c", LOADED).split() == ["False", "False"]


# -- other people's code -----------------------------------------------------------------------------------------------

OTHERS = """
import math, re, sys, threading
import numba, numpy as np
from numba.extending import overload

def compiled():
    @numba.njit
    def ints(a, b):
        return a // b, a % b, -a // b, a ** b, a << b, a >> b, a << 64, abs(a), divmod(a, b), round(a / 2), min(a, 0.5)
    @numba.njit
    def lists(a):
        return sorted([a, 3, 1]), sum([a, 2])
    @numba.njit
    def floats(x):
        return math.sqrt(-x), math.floor(x), x ** 2.5
    @numba.njit
    def cells(c):
        return c[0] + c[1], c[0] << 1, c.sum(), np.sort(c)[0], c.copy()[0]
    @numba.njit
    def squares(n):
        for i in range(n):
            yield i * i
    @numba.njit
    def generators(n):
        total = 0
        for square in squares(n):
            total += square
        return total
    @numba.njit
    def unassigned(a):
        if a > 5:
            b = a
        return b
    small = np.array([100, 100], np.int8)
    args = (7, 3), (7,), (2.0,), (small,), (4,), (9,)
    return list(zip((ints, lists, floats, cells, generators, unassigned), args))

def told(functions):
    for function, args in functions:
        result = function(*args)
        [llvm] = function.inspect_llvm().values()
        yield result, re.sub(r"0x[0-9a-fA-F]+|[@%][^ ,()]*|;.*|![^ ]*|[0-9]+", "", llvm).split()

def shown(functions):
    return [(repr(result), hash(tuple(llvm))) for result, llvm in told(functions)]
"""

ALONE = OTHERS + "print(shown(compiled()), [2, 2])"

BESIDE = (
    OTHERS
    + """
before = shown(compiled())
from outplay import Game, kernel, legal_actions

@numba.njit
def tripled(x):
    return 3 * x

def helper(x):
    return x

inside, threads = [], []

@overload(helper)
def compile_helper(x):  # runs while one of our kernels is compiled
    functions = compiled()
    inside.append((functions, shown(functions)))
    found = []
    threads.append((threading.Thread(target=lambda: found.append(shown(compiled()))), found))
    threads[-1][0].start()
    assert numba.njit("int64(int64)")(lambda x: x // 2)(9) == 4
    assert list(numba.typed.List([2])) == [2]
    return lambda x: tripled(x)

class Pile(Game):
    def initial_state(self): return 3, 0
    def to_move(self, state): return state[1]
    def actions(self, state): return range(2)
    def result(self, state, action): return helper(state[0]) - 8, 1 - state[1]
    def is_terminal(self, state): return state[0] <= 0
    def utility(self, state, player): return 1.0

@kernel
def children(game, state):
    total = 0
    for action in legal_actions(game, state):
        total += game.result(state, action)[0]
    return total

assert children(Pile(), (3, 0)) == 2
assert tripled(5) == 15
assert inside
for functions, found in inside:
    assert found == before == shown(functions)
for thread, found in threads:
    thread.join()
    assert found == [before]
assert shown(compiled()) == before
print(before, list(numba.typed.List([2, 2])))
"""
)


@pytest.mark.nightly
@pytest.mark.matrix
def test_code_of_others_compiles_to_the_same_before_while_and_after_ours_does(python):
    alone = python("-c", ALONE, PYTHONHASHSEED=0)
    assert python("-W", "ignore", "-c", BESIDE, PYTHONHASHSEED=0) == alone


AFTER_NUMBA = """
import numba
import numpy as np

@numba.njit
def first(n):  # from now on, Numba has loaded everything that it can compile
    return np.full(n, 1).sum()

first(2)

from outplay import Game, kernel

class Texts(Game):
    compiled = True
    def initial_state(self): return 3, 0
    def to_move(self, state): return state[1]
    def actions(self, state): return range(2)
    def result(self, state, action):
        board = np.full((2, 2), "x")
        board[0, 1] = "."
        return state[0] - (board == "x").sum(), 1 - state[1]
    def is_terminal(self, state): return state[0] <= 0
    def utility(self, state, player): return ord(np.full((2, 2), ".")[0, state[0] + 3])

@kernel
def value(game, state):
    return game.utility(game.result(state, 1), 0)

try:
    value(Texts(), (3, 0))
except IndexError as error:
    print(error)
"""


@pytest.mark.nightly
def test_rules_mean_the_same_where_numba_was_used_first(python):
    assert python("-W", "error", "-c", AFTER_NUMBA) == "index is out of bounds for an array of texts"


def state_of_numba():
    """The attributes of Numba's modules, and of their classes, but for counters."""
    for name, module in list(sys.modules.items()):
        if name.startswith("numba.") and module is not None:
            for key, value in list(vars(module).items()):
                if not isinstance(value, int):
                    yield (name, key), id(value)
                if isinstance(value, type) and value.__module__ == name:
                    yield from (((name, key, each), id(found)) for each, found in vars(value).items())


@pytest.mark.nightly
def test_what_is_replaced_is_put_back_after_an_error_too():
    @kernel
    def first(game, state):
        for action in legal_actions(game, state):
            return action
        return -1

    @kernel
    def wrong(game, state):
        return legal_actions(game, state).no_such_thing

    game = TicTacToe()
    first(game, game.initial_state())
    before = dict(state_of_numba())
    with pytest.raises(RulesError, match="does not compile"):
        wrong(game, game.initial_state())

    @kernel
    def number(game, state):
        return 0 if game.is_terminal(state) else 7

    number(ConnectFour(), ConnectFour().initial_state())
    after = dict(state_of_numba())
    assert [key for key in before if after.get(key) != before[key]] == []


# -- LLVM --------------------------------------------------------------------------------------------------------------


@kernel
def deep(game, state):
    return game.is_terminal(state) or deep(game, game.result(state, 3))


def test_the_llvm_code_of_a_kernel_is_at_hand():
    game = ConnectFour()
    state = game.initial_state()
    code, parts = llvm_ir(deep, game, state), llvm_parts(deep, game, state)
    assert {"deep", "ConnectFour.result", "ConnectFour.is_terminal"} <= {name.partition("_")[0] for name in parts} | {
        name.rpartition("_")[0] for name in parts
    }
    assert all("define" in part for part in parts.values())
    defined = set(re.findall(r'^define [^@]*@("?[^"(]+"?)\(', code, re.MULTILINE))
    called = set(re.findall(r'call [^@\n]*@("?[^"(]+"?)\(', code))
    assert not {name for name in called - defined if "outplay" in name}
    assert "add nsw" in code or "add i64" in code


def test_rules_that_run_interpreted_have_no_llvm_code():
    class Plain(ConnectFour):
        compiled = False

    with pytest.raises(RulesError, match="deep runs interpreted for these arguments: it has no LLVM code"):
        llvm_ir(deep, Plain(), Plain().initial_state())


@pytest.mark.skipif(not resident_megabytes(), reason="the system does not say how much memory the process has")
@pytest.mark.parametrize(("growth", "collects"), [(-1e9, True), (1e9, False)])
def test_garbage_of_compiling_is_collected_when_it_is_much(monkeypatch, tmp_path, growth, collects):
    """A cycle of objects made before compiling is gone afterwards if the process has grown by so much."""
    monkeypatch.setenv("OUTPLAY_CACHE", str(tmp_path))
    monkeypatch.setattr(quick_compilation, "GARBAGE", growth)

    class Cycle:
        def __init__(self):
            self.itself = self

    gc.disable()
    try:
        cycle = weakref.ref(Cycle())
        compiled_kernel = kernel(lambda game, state: game.is_terminal(state))
        assert compiled_kernel.prepare(Nim(), Nim().initial_state()) is not compiled_kernel.interpreted
        assert (cycle() is None) == collects
    finally:
        gc.enable()
