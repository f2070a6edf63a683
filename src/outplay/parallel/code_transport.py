"""How the code of a job travels: files of the user are sent as text, installed packages are not.

A pickle names classes and functions by module. `packed` notes the modules that it names, and sends with it the text of
each that is a file of the user, and of the user's files that those import. `unpacked` loads them from the text, under
their names, before it reads the pickle. Of the main program (a script or the cells of a notebook) only what is needed
is sent: definitions as text, in their order, and other values as pickles. So no statement of it runs a second time.
"""

import __future__

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import io
import linecache
import pickle
import symtable
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from outplay.rules.errors import OutplayError
from outplay.rules.user_code import is_users

MAIN = "__main__"
FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)


@dataclass(frozen=True)
class Statement:
    """A statement of the main program: its file, the text of that, and where it begins."""

    file: str
    text: str
    line: int
    column: int


@dataclass
class Code:
    """What a pickle needs: files by module, and the names of the main program with a statement or a pickle each."""

    files: dict[str, tuple[str, str, bool]] = field(default_factory=dict)
    names: list[tuple[str, Statement | bytes]] = field(default_factory=list)
    main_file: str | None = None


def packed(value: Any) -> bytes:
    """`value` as bytes, with the code of the user that it needs. Raises `OutplayError` if it cannot be sent."""
    data, names = _pickled(value)
    return pickle.dumps((_code_of_names(names), data), pickle.HIGHEST_PROTOCOL)


def unpacked(data: bytes) -> Any:
    """The value that `packed` made bytes of; in a worker, its code is loaded first."""
    code, inner = pickle.loads(data)  # noqa: S301 - from our own processes
    load_code(code)
    return pickle.loads(inner)  # noqa: S301


class _Pickler(pickle.Pickler):
    """Notes the modules and top-level names of everything that is pickled by name."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.named: set[tuple[str, str]] = set()

    def reducer_override(self, value: Any) -> Any:
        """Called for each class, function and object."""
        name = getattr(value, "__qualname__", None)
        if isinstance(name, str) and (isinstance(value, (type, FunctionType)) or hasattr(value, "__wrapped__")):
            if "<lambda>" in name or "<locals>" in name:
                raise OutplayError(
                    f"{name} cannot be sent to a worker: define it by def or class at the top level of a file or cell"
                )
            self.named.add((str(value.__module__), name.partition(".")[0]))
        return NotImplemented


def _pickled(value: Any) -> tuple[bytes, set[tuple[str, str]]]:
    file = io.BytesIO()
    pickler = _Pickler(file)
    try:
        pickler.dump(value)
    except OutplayError:
        raise
    except Exception as error:  # of many kinds, also from the user's __reduce__
        raise OutplayError(f"{type(value).__name__} cannot be sent to a worker: {error}") from error
    return file.getvalue(), pickler.named


def _code_of_names(names: set[tuple[str, str]]) -> Code:
    code = Code()
    _add_files(code, {module for module, _ in names if module != MAIN})
    if main_names := {name for module, name in names if module == MAIN}:
        _add_main(code, main_names)
    return code


# -- files ------------------------------------------------------------------------------------------------------------


def _add_files(code: Code, modules: set[str]) -> None:
    """Add the user's files among these modules, with their packages and the user's files that they import."""
    left = sorted(modules)
    while left:
        name = left.pop()
        if name in code.files or (user_file := _user_file(name)) is None:
            continue
        path, is_package = user_file
        try:
            text = Path(path).read_bytes().decode("utf-8-sig")
            tree = ast.parse(text)
        except (OSError, ValueError, SyntaxError) as error:
            raise OutplayError(f"the file of module {name} cannot be sent to workers: {path}: {error}") from error
        code.files[name] = path, text, is_package
        package = name if is_package else name.rpartition(".")[0]
        left += [package] if package else []
        left += sorted(_imported(tree, package, Path(path).parent))


def _user_file(name: str) -> tuple[str, bool] | None:
    """The path of a module that is a Python file of the user, and whether it is a package."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    if spec is None and name not in sys.modules:
        with suppress(ImportError, ValueError, AttributeError):
            spec = importlib.util.find_spec(name)
    path = getattr(spec, "origin", None)
    if not path or not path.endswith(".py") or not is_users(path) or name.partition(".")[0] == "outplay":
        return None
    return path, spec is not None and spec.submodule_search_locations is not None


def _imported(tree: ast.AST, package: str, folder: Path) -> Iterator[str]:
    """The modules that a file may import: each dotted name, and what it takes from a package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                above = ".".join(parts[: len(parts) - node.level + 1])
                base = f"{above}.{base}".strip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names if f"{base}.{alias.name}" in sys.modules)


# -- the main program -------------------------------------------------------------------------------------------------


def _add_main(code: Code, names: set[str]) -> None:
    """Add these names of the main program and all that they use."""
    main = vars(sys.modules[MAIN])
    code.main_file = main.get("__file__")
    bindings = dict(_bindings(main))
    statements: dict[str, tuple[tuple[int, int], Statement | bytes]] = {}
    modules: set[str] = set()
    left = sorted(names)
    while left:
        name = left.pop()
        if name in statements or name not in main:
            continue
        place, statement, node = bindings.get(name, ((-1, 0), None, None))
        value = main[name]
        is_definition = isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import))
        is_definition = is_definition or isinstance(node, ast.ImportFrom)
        if not is_definition:
            try:
                data, references = _pickled(value)
            except OutplayError:
                is_definition = isinstance(node, (ast.Assign, ast.AnnAssign))
                if not is_definition:
                    if name in names:
                        raise
                    continue
            else:
                statements[name] = place, data
                modules |= {module for module, _ in references if module != MAIN}
                left += [name for module, name in references if module == MAIN]
        if is_definition:
            assert statement is not None
            assert node is not None
            statements[name] = place, statement
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                modules |= set(_imported(node, "", Path()))
            else:
                left += _globals_of(node)
        elif statement is None and name in names and getattr(value, "__module__", None) == MAIN:
            raise OutplayError(
                f"{name} cannot be sent to a worker, as its source is not known: define it in a file or a notebook"
            )
    _add_files(code, modules)
    code.names = [(name, content) for name, (_, content) in sorted(statements.items(), key=lambda item: item[1][0])]


def _sources(main: dict[str, Any]) -> list[tuple[str, str]]:
    """The texts that the main program was read from, with their names: a file, and the cells of a notebook."""
    sources = []
    if path := main.get("__file__"):
        with suppress(OSError, ValueError):
            sources.append((path, Path(path).read_bytes().decode("utf-8-sig")))
    cells = main.get("In")
    if isinstance(cells, Sequence):
        names = {"".join(entry[2]).strip(): name for name, entry in tuple(linecache.cache.items()) if len(entry) == 4}
        sources += [(names.get(str(text).strip(), f"<cell {n}>"), str(text)) for n, text in enumerate(cells)]
    return sources


def _bindings(main: dict[str, Any]) -> Iterator[tuple[str, tuple[tuple[int, int], Statement, ast.stmt]]]:
    """Each name that a statement binds at the top level, with its place; later ones count."""
    for number, (file, text) in enumerate(_sources(main)):
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):  # a cell with an error
            continue
        for node in _statements(tree.body):
            at = Statement(file, text, node.lineno, node.col_offset)
            for name in _bound(node):
                live = getattr(main.get(name), "__wrapped__", main.get(name))
                live_code = getattr(live, "__code__", None)
                if live_code is not None and isinstance(node, ast.FunctionDef):
                    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                    if live_code.co_name == name and live_code.co_firstlineno != first:
                        continue  # another definition of the same name, such as in the branch not taken
                yield name, ((number, node.lineno), at, node)


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of the top level, also within if, try and with."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                for child in getattr(node, part, ()):
                    yield from _statements(child.body if isinstance(child, ast.ExceptHandler) else [child])


def _bound(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


def _globals_of(node: ast.stmt) -> list[str]:
    """The global names that a statement uses, at once or when its functions are called."""
    global_names: set[str] = set()

    def visit(table: symtable.SymbolTable, top: bool) -> None:
        for symbol in table.get_symbols():
            if symbol.is_global() or (top and symbol.is_referenced()):
                global_names.add(symbol.get_name())
        for child in table.get_children():
            visit(child, False)

    visit(symtable.symtable(ast.unparse(node), MAIN, "exec"), True)
    return sorted(global_names)


# -- in the worker ----------------------------------------------------------------------------------------------------

_sent: dict[str, tuple[str, str, bool]] = {}
"""The files that were sent, by module."""
_main_known: dict[str, Statement | bytes] = {}


def load_code(code: Code) -> None:
    """Make what was sent importable, and define the names of the main program."""
    if code.files and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    for name, text in code.files.items():
        _sent.setdefault(name, text)
        _remember(text[0], text[1])
    if not code.names:
        return
    main = sys.modules[MAIN]
    if code.main_file is not None:
        main.__file__ = code.main_file
    for name, value in code.names:
        if _main_known.get(name) == value:
            continue
        _main_known[name] = value
        if isinstance(value, bytes):
            setattr(main, name, pickle.loads(value))  # noqa: S301 - from our own processes
            continue
        _remember(value.file, value.text)
        tree = ast.parse(value.text)
        nodes = [
            statement
            for statement in _statements(tree.body)
            if (statement.lineno, statement.col_offset) == (value.line, value.column)
        ]
        module = ast.Module(body=nodes[:1], type_ignores=[])
        flags = compile(value.text, value.file, "exec", dont_inherit=True).co_flags & FUTURE
        exec(compile(module, value.file, "exec", flags, dont_inherit=True), vars(main))  # noqa: S102 - the user's code


def _remember(file: str, text: str) -> None:
    """Keep the source for whoever asks for the lines of the file, such as tracebacks and the compiler."""
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds and loads the modules that were sent."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The module of this name, if it was sent."""
        if name not in _sent:
            return None
        file, _, is_package = _sent[name]
        spec = importlib.machinery.ModuleSpec(name, self, origin=file, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [str(Path(file).parent)]
        return spec

    def get_source(self, fullname: str) -> str:
        """The text that was sent."""
        return _sent[fullname][1]

    def is_package(self, fullname: str) -> bool:
        """Whether the module is a package."""
        return _sent[fullname][2]

    def exec_module(self, module: ModuleType) -> None:
        """Run the text in the module."""
        file, text, _ = _sent[module.__name__]
        exec(compile(text, file, "exec", dont_inherit=True), vars(module))  # noqa: S102 - the user's code
