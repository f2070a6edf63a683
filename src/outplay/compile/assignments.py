"""The lines of rules that set an attribute, and rules with such a line changed, as if its author had edited it."""

import ast
import linecache
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import CodeType, FrameType
from typing import Any

from outplay.compile.census import Census, watched
from outplay.compile.references import code_of, functions_of, member_of
from outplay.compile.value_kinds import Kind, place_of
from outplay.rules.game import Game

Line = tuple[str, int]
"""A file and the number of a line."""
Lines = dict[tuple[type, str], tuple[dict[Kind, Line], dict[Kind, Line]]]
"""The lines that set attributes, and those that call the functions which do, by the kinds in the value.

These kinds have no problems: while assignments are noted, the classes have a `__setattr__`, which would be one.
"""


def lines_that_set(game: Game, attributes: set[tuple[type, str]]) -> Lines:
    """The first lines, in random games, that set each of these attributes to a value of, or with, each kind."""
    lines_of: Lines = {attribute: ({}, {}) for attribute in attributes}

    def note(cls: type, name: str, value: Any, frame: FrameType | None) -> None:
        kinds = [kind.without_problem for place in place_of(value).inside() for kind in place.kinds]
        for lines in lines_of[cls, name]:
            frame = _written(frame)
            if frame is None:
                return
            for kind in kinds:
                lines.setdefault(kind, (frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back

    with ExitStack() as stack:
        for cls in {cls for cls, _ in attributes}:
            names = {name for owner, name in attributes if owner is cls}
            stack.enter_context(_noted(cls, names, note))
        Census.of(game)
    return lines_of


def _written(frame: FrameType | None) -> FrameType | None:
    """The innermost frame of a function that was not generated."""
    while frame is not None and frame.f_code.co_filename.startswith("<"):
        frame = frame.f_back
    return frame


@contextmanager
def _noted(cls: Any, names: set[str], note: Any) -> Iterator[None]:
    """In this context, `note` is called where one of these attributes of an object is set."""
    if issubclass(cls, tuple) or "__setattr__" in vars(cls):
        constructor = code_of(member_of(cls, "__new__" if issubclass(cls, tuple) else "__init__"))

        def see(frame: FrameType, event: str, _: Any) -> None:
            if event == "call" and frame.f_code is constructor:
                for name in names & frame.f_locals.keys():
                    note(cls, name, frame.f_locals[name], frame.f_back)

        with watched(see):
            yield
        return
    before = cls.__setattr__

    def set_attribute(self: Any, name: str, value: Any) -> None:
        before(self, name, value)
        if type(self) is cls and name in names:
            note(cls, name, value, sys._getframe(1))

    cls.__setattr__ = set_attribute
    try:
        yield
    finally:
        del cls.__setattr__


@contextmanager
def edited(game: Game, edits: Iterable[tuple[Line, str, str]]) -> Iterator[bool]:
    """In this context, lines that set an attribute convert the value: `((file, line), attribute, "bool")`.

    Yields whether all of them could be changed.
    """
    texts: dict[str, list[str]] = {}
    with ExitStack() as stack:
        all_changed = True
        for (file, line), attribute, function in edits:
            lines = texts.setdefault(file, linecache.getlines(file)[:])
            all_changed &= _convert(lines, line, attribute, function)
        for file, lines in texts.items():
            all_changed &= _compile_again(game, file, lines, stack)
        yield all_changed


def _convert(lines: list[str], line: int, attribute: str, function: str) -> bool:
    """Write a call of `function` around the value that a line gives to an attribute."""
    with suppress(SyntaxError):
        for node in ast.walk(ast.parse("".join(lines))):
            value = _value_set(node, attribute)
            if value is not None and node.lineno <= line <= (node.end_lineno or 0):  # type: ignore[attr-defined]
                for row, column, text in (
                    (value.end_lineno, value.end_col_offset, ")"),
                    (value.lineno, value.col_offset, f"{function}("),
                ):
                    whole = lines[row - 1].encode()
                    lines[row - 1] = (whole[:column] + text.encode() + whole[column:]).decode()
                return True
    return False


def _value_set(node: ast.AST, attribute: str) -> Any:
    """The value that a statement, or a call, gives to an attribute."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(isinstance(target, ast.Attribute) and target.attr == attribute for target in targets):
            return node.value
    if isinstance(node, ast.Call):
        return next((keyword.value for keyword in node.keywords if keyword.arg == attribute), None)
    return None


def _compile_again(game: Game, file: str, lines: list[str], stack: ExitStack) -> bool:
    """Let the functions of a file be those of its changed text, until the stack is closed."""
    text = "".join(lines)
    try:
        codes = {
            (code.co_qualname, code.co_firstlineno): code
            for code in _codes_in(compile(text, file, "exec", dont_inherit=True))
        }
    except SyntaxError:
        return False
    linecache.checkcache(file)
    cached_lines = linecache.cache.get(file)
    linecache.cache[file] = len(text), None, lines, file
    stack.callback(lambda: linecache.cache.update({file: cached_lines}) if cached_lines else linecache.cache.pop(file))
    for function in set(functions_of(game)):
        before = function.__code__
        code = codes.get((before.co_qualname, before.co_firstlineno))
        if before.co_filename == file and code is not None and code.co_freevars == before.co_freevars:
            function.__code__ = code
            stack.callback(setattr, function, "__code__", before)
    return True


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes_in(inner)
