"""Functions that may end without `return`, and where the None that they give is used."""

import ast
from collections.abc import Iterable, Iterator
from types import FunctionType

from outplay.compile.rewriting.shared_rewriting import results_of
from outplay.compile.rewriting.source import OtherSource, definition_of

FAR = 3
"""The most calls through which a value is followed back."""


def ends(body: list[ast.stmt]) -> bool:
    """Whether a body never runs to its end."""
    match body[-1] if body else None:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(_, one, other):
            return ends(one) and ends(other)
        case ast.While(ast.Constant(True)) as loop:
            return not any(isinstance(part, ast.Break) for part in ast.walk(loop))
        case ast.Try(inside, handlers, orelse):
            return ends(orelse or inside) and all(ends(handler.body) for handler in handlers)
    return False


def without_return(function: FunctionType, line: int, functions: Iterable[FunctionType]) -> FunctionType | None:
    """The function that may end without `return`, and whose value a line of another function uses; None if none does.

    `functions` are all that may be called.
    """
    definitions: dict[FunctionType, ast.FunctionDef] = {}
    for other in dict.fromkeys([function, *functions]):
        try:
            definitions[other] = definition_of(other)
        except (OtherSource, SyntaxError):
            continue
    return next(_Search(definitions).used_in(function, line, None, FAR), None) if function in definitions else None


class _Search:
    def __init__(self, definitions: dict[FunctionType, ast.FunctionDef]) -> None:
        self.definitions = definitions

    def used_in(self, function: FunctionType, line: int, name: str | None, far: int) -> Iterator[FunctionType]:
        """The functions whose values a line uses; those of a variable alone if there is a name."""
        definition = self.definitions[function]
        nodes = [part for part in ast.walk(definition) if isinstance(part, ast.expr) and part.lineno == line]
        names = {name} if name else {part.id for part in nodes if isinstance(part, ast.Name)}
        for part in nodes if name is None else ():
            yield from self.called(part)
        for node in ast.walk(definition):
            match node:
                case ast.Assign([ast.Name(target)], value) if target in names:
                    yield from self.called(value)
        parameters = [argument.arg for argument in definition.args.args]
        for place, parameter in enumerate(parameters):
            if parameter in names and far:
                yield from self.passed_to(function, place, far - 1)

    def called(self, value: ast.expr) -> Iterator[FunctionType]:
        """The functions of this name that may end without `return`, if the value is a call."""
        for function, definition in self.definitions.items():
            if _name(value) == function.__name__ and not ends(definition.body) and any(results_of(definition)):
                yield function

    def passed_to(self, function: FunctionType, place: int, far: int) -> Iterator[FunctionType]:
        """The functions whose values are the argument at this place of calls of a function."""
        for caller, definition in self.definitions.items():
            for part in ast.walk(definition):
                if not isinstance(part, ast.Call) or _name(part) != function.__name__:
                    continue
                at = place - isinstance(part.func, ast.Attribute)
                argument = part.args[at] if 0 <= at < len(part.args) else None
                if isinstance(argument, ast.Name):
                    yield from self.used_in(caller, part.lineno, argument.id, far)
                elif argument is not None:
                    yield from self.called(argument)


def _name(value: ast.expr) -> str:
    """The name of what is called; "" if this is no call."""
    callee = value.func if isinstance(value, ast.Call) else None
    return getattr(callee, "attr", getattr(callee, "id", ""))
