"""Rooms: every module is in one, imports only go down, and there are no circles."""

import ast
import functools
import importlib
import re
import runpy
import types
from pathlib import Path

import pytest

from outplay import OutplayError, kernel

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "outplay"
PACKAGES = re.findall(r"^\| `(\w+)` \| (.*) \|$", (ROOT / "docs" / "architecture.md").read_text("utf-8"), re.MULTILINE)
NAMES = [name for name, _ in PACKAGES]


def module_of(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


@functools.cache
def modules():
    """The syntax tree of each module, by its name."""
    return {module_of(path): ast.parse(path.read_text("utf-8")) for path in SOURCE.rglob("*.py")}


def imports_of(tree):
    """The modules of outplay that a module imports anywhere, in functions and for type checkers too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "outplay":
            inside = node.module.partition(".")[2]
            for alias in node.names:
                name = f"{inside}.{alias.name}".strip(".")
                yield name if name in modules() else inside
        elif isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[2] for alias in node.names if alias.name.startswith("outplay."))


OUTSIDE = ("__init__", "__main__")
"""Modules above all packages."""


@functools.cache
def imports():
    """The modules that each module imports."""
    return {name: set(imports_of(tree)) - {name, ""} for name, tree in modules().items() if name not in OUTSIDE}


def test_every_module_is_in_a_package_that_the_page_lists():
    assert {name.partition(".")[0] for name in imports()} == set(NAMES)


@pytest.mark.parametrize(("package", "sentence"), PACKAGES)
def test_a_package_says_in_one_sentence_what_it_is_for(package, sentence):
    first, _, _ = (ast.get_docstring(modules()[package]) or "").partition("\n")
    assert first == sentence


def test_imports_only_go_down():
    up = [
        (name, imported)
        for name, found in imports().items()
        for imported in found
        if NAMES.index(imported.partition(".")[0]) > NAMES.index(name.partition(".")[0])
    ]
    assert up == []


def test_no_module_imports_itself_in_a_circle():
    below = {}

    def reach(name, path=()):
        assert name not in path, " → ".join([*path[path.index(name) :], name])
        if name not in below:
            below[name] = set()
            for imported in imports().get(name, ()):
                below[name] |= {imported} | reach(imported, (*path, name))
        return below[name]

    for name in imports():
        reach(name)


def test_only_the_compiler_knows_numba():
    numba = re.compile(r"\b(numba|llvmlite)\b")
    known = {
        name
        for name, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        if numba.match(getattr(node, "module", None) or "") or any(numba.match(alias.name) for alias in node.names)
    }
    assert {name for name in known if not name.startswith("compile.native")} <= {"compile.references"}


def test_kernels_name_each_other_directly():
    """`module.kernel(…)` would stay the compiled one where the caller runs interpreted, and be slow or fail."""
    for name in imports():
        try:
            module = importlib.import_module(f"outplay.{name}")
        except OutplayError as error:  # OpenSpiel is not installed
            assert "pip install" in str(error)  # noqa: PT017
            continue
        for each in vars(module).values():
            if isinstance(each, kernel):
                code = each.function.__code__
                inside = [each.function.__globals__.get(word) for word in code.co_names]
                modules = [found for found in inside if isinstance(found, types.ModuleType)]
                called = [(found, word) for found in modules for word in code.co_names]
                assert [pair for pair in called if isinstance(getattr(*pair, None), kernel)] == []


def test_every_file_that_the_page_names_is_there():
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    names = re.findall(r"`(\w+(?:/\w+)+\.py)`", page)
    assert len(names) > 20
    assert [name for name in names if not (SOURCE / name.removeprefix("outplay/")).exists()] == []


def test_the_page_of_modules_is_current():
    tool = runpy.run_path(str(ROOT / "tools" / "modules.py"))
    assert tool["PAGE"].read_text("utf-8") == tool["page"](), "run python tools/modules.py"
