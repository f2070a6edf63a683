"""Numba's private names: one module knows them, any of them may be missing, and nobody else notices their use."""

import ast
import json
import re
from pathlib import Path

import pytest

from outplay import MCTS, AlphaBeta, Limit
from outplay.compile.native import internals, losses
from outplay.games import ConnectFour, TicTacToe

NATIVE = Path(internals.__file__).parent
DOCUMENTED = ("numba", "numba.extending", "llvmlite", "llvmlite.ir", "llvmlite.binding")
"""What Numba and llvmlite document; `numba.types`, `numba.njit` and `numba.config` are names in it."""
OF_OURS = {"_native", "_contract", "_fields", "_getvalue"}
"""Attributes with an underscore that are not Numba's, and one that it documents."""


def test_one_module_knows_the_private_names_of_numba():
    used = []
    for path in NATIVE.rglob("*.py"):
        if path == Path(internals.__file__):
            continue
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


def test_nothing_is_lost_with_the_installed_numba():
    assert losses.lost == {}


# -- a name that is missing --------------------------------------------------------------------------------------------


def private_names():
    """Each private name that `internals` uses, and how a future Numba without it is imitated."""
    tree = ast.parse(Path(internals.__file__).read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("numba."):
            yield from (("import", node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "_find":
            module, name = (ast.literal_eval(each) for each in node.args[1:])
            yield "find", module, name
    yield from (("attribute", "", name) for name in dict.fromkeys(name for _, name in internals.NEEDED))
    yield from (("attribute", "", name) for name in dict.fromkeys(name for *_, name in internals.FOR_SPEED))
    yield from (("attribute", "", name) for name in (*internals.OF_A_LIBRARY, "_cache", "_overload_func"))
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
    importlib.import_module = find if way == "find" else importlib.import_module
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


@pytest.mark.slow
@pytest.mark.parametrize(("way", "module", "name"), list(private_names()))
def test_any_name_may_be_missing(way, module, name, expected, future):
    assert is_told_once(future(way, module, name), expected)
