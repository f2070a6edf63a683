"""From a function to the syntax tree of its source, and back to a function.

The functions made here keep file names and line numbers, so that errors name the user's line.
"""

import ast
import copy
import inspect
from collections.abc import Mapping
from itertools import pairwise
from tokenize import TokenError
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

INNER = "_outplay_function"
"""The name of the function while it is compiled."""


class OtherSource(Exception):
    """The source found for a function is not the source that it was compiled from."""


class NoSource(OtherSource):
    """The source of the function is not available."""


def definition_of(function: FunctionType) -> ast.FunctionDef:
    """The source of `function`, checked to be the source that it was compiled from."""
    try:
        source = inspect.getsource(function.__code__)  # not of what it wraps
        inside = source[:1].isspace()  # a class or a function
        tree = ast.parse(f"if 1:\n{source}" if inside else source)
    except (OSError, TypeError, SyntaxError, TokenError, IndexError):  # or the lines of another file
        raise NoSource from None
    match tree.body:
        case [ast.FunctionDef() as definition] | [ast.If(body=[ast.FunctionDef() as definition])]:
            ast.increment_lineno(definition, function.__code__.co_firstlineno - 1 - inside)
            definition.decorator_list = []
            for candidate in (definition, _with_private_names(definition, function)):
                for objects in (True, False):
                    if _is_same(function_of(candidate, function, objects=objects).__code__, function.__code__):
                        return candidate
    raise OtherSource


class _PrivateNames(ast.NodeTransformer):
    """`__name` in a class is `_Class__name` to Python."""

    def __init__(self, cls: str) -> None:
        self.prefix = f"_{cls.lstrip('_')}"

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("id", "attr", "arg", "name"):
            name = getattr(node, field, None)
            if isinstance(name, str) and name.startswith("__") and not name.endswith("__") and "." not in name:
                setattr(node, field, self.prefix + name)
        return super().generic_visit(node)


def _with_private_names(definition: ast.FunctionDef, function: FunctionType) -> ast.FunctionDef:
    """The definition with the names that begin with `__` as they are in the class around it."""
    places = function.__qualname__.split(".")
    around = [one for one, next_ in pairwise(places) if "<locals>" not in (one, next_)]
    if not around or not around[-1].strip("_"):
        return definition
    result: ast.FunctionDef = _PrivateNames(around[-1]).visit(copy.deepcopy(definition))
    return result


def function_of(
    definition: ast.FunctionDef, function: FunctionType, helpers: Mapping[str, Any] | None = None, objects: bool = True
) -> FunctionType:
    """The function in `definition`, with the global and enclosing names of `function`; `helpers` are further names.

    `objects`: whether objects of classes of other modules, such as a logger, count as imported.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells.update(
        (name, helper if isinstance(helper, CellType) else CellType(helper)) for name, helper in (helpers or {}).items()
    )
    around = parsed(f"def around({', '.join(cells)}): pass")
    around.body = [copy.copy(definition)]
    around.body[0].name = INNER  # else a function that calls itself would not read a global name
    # `name.f()` has different bytecode if `name` is imported.
    names = [name for name in function.__code__.co_names if _is_imported(function, name, objects)]
    imports = [parsed(f"import {name}") for name in names]
    module = ast.fix_missing_locations(ast.Module([*imports, around], []))
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    for name in ("around", INNER):
        inner = [constant for constant in code.co_consts if isinstance(constant, CodeType) and constant.co_name == name]
        if not inner:
            raise OtherSource
        code = inner[0]
    closure = tuple(cells[name] for name in code.co_freevars)
    code = code.replace(co_name=function.__name__)
    function_made = FunctionType(code, function.__globals__, function.__name__, None, closure)
    function_made.__qualname__ = function.__qualname__
    return function_made


def parsed(source: str) -> Any:
    """The syntax tree of a single statement."""
    return ast.parse(source).body[0]


def _is_imported(function: FunctionType, name: str, objects: bool) -> bool:
    """Whether a global name that `function` reads seems to come from another module."""
    value = function.__globals__.get(name)
    if not objects and not isinstance(value, ModuleType | FunctionType | type):
        return False
    return isinstance(value, ModuleType) or getattr(value, "__module__", function.__module__) != function.__module__


def _is_same(one: Any, other: Any) -> bool:
    """Whether two constants or two pieces of bytecode are the same."""
    if isinstance(one, CodeType) and isinstance(other, CodeType):
        return (
            one.co_code == other.co_code
            and one.co_names == other.co_names
            and one.co_varnames == other.co_varnames
            and one.co_freevars == other.co_freevars
            and len(one.co_consts) == len(other.co_consts)
            and all(map(_is_same, one.co_consts, other.co_consts))
        )
    return type(one) is type(other) and repr(one) == repr(other)
