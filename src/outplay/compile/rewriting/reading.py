"""A call that reads an iterator, such as `any(…)` or `min(…)`, becomes a call of a new function with a loop."""

import ast
import copy
from typing import TypeGuard

from outplay.compile.rewriting.callables import called, is_stable
from outplay.compile.rewriting.iterables import in_any_order
from outplay.compile.rewriting.lazy import generator_of, loops, with_new_names
from outplay.compile.rewriting.scope import load, store
from outplay.compile.rewriting.shared_rewriting import Work


class Reading:
    """A call that reads an iterator in a new function: its parameters, with the arguments that are given for them."""

    def __init__(
        self,
        work: Work,
        node: ast.Call,
        values: ast.expr,
        is_ordered: bool = True,
        is_whole: bool = False,
        is_partly: bool = False,
    ) -> None:
        """`is_whole`: all values are read, and nothing happens between them: a list of them need not be made.

        `is_partly`: maybe not all are read.
        """
        self.work, self.node = work, node
        self.parameters: list[str] = []
        self.arguments: list[ast.expr] = []
        generator = generator_of(work, values)
        if generator is None and is_whole and is_list(values):
            generator = ast.copy_location(ast.GeneratorExp(values.elt, values.generators), values)
        if generator is None:
            item = work.scope.variable()
            generator = ast.GeneratorExp(load(item), [ast.comprehension(store(item), values, [], 0)])
        else:
            generator = copy.deepcopy(generator)
        work.without_walrus(generator)
        generator = with_new_names(work, generator)
        self.item = generator.elt
        self.generators = generator.generators
        first = self.parameter("first")
        start = generator.generators[0].iter
        callee = work.value_of(start.func) if isinstance(start, ast.Call) else None
        may_be_set = not isinstance(callee, type) or callee in (set, frozenset)
        self.arguments[0] = work.iterable(start, is_partly)
        if not is_ordered and may_be_set:
            self.arguments[0] = ast.Call(work.helper(in_any_order), [self.arguments[0]], [])
        self.generators[0].iter = load(first)

    def parameter(self, stem: str, value: ast.expr | None = None) -> str:
        """A new parameter, whose argument is this value."""
        name = self.work.scope.variable(stem)
        self.parameters.append(name)
        self.arguments.append(ast.Constant(None) if value is None else self.work.visit(value))
        return name

    def variable(self, stem: str) -> str:
        """A new variable."""
        return self.work.scope.variable(stem)

    def function(self, value: ast.expr) -> ast.expr:
        """A function that is given, such as a key; if it is computed, as a parameter."""
        return value if is_stable(self.work.scope, value) else load(self.parameter("function", value))

    def given_by_name(self, keywords: dict[str, ast.expr]) -> dict[str, ast.expr]:
        """The arguments that are given by name, in the order in which they are evaluated."""
        return {
            word: self.function(value) if word == "key" else load(self.parameter(word, value))
            for word, value in keywords.items()
        }

    def called(self, function: ast.expr, *names: str) -> ast.expr:
        """A call of a given function."""
        return called(self.work.scope, function, names)

    def result(self, before: list[ast.stmt], inside: list[ast.stmt], after: list[ast.stmt]) -> ast.expr:
        """The call of the new function, which runs `inside` for each value that is read."""
        body = [*before, *loops(self.generators, inside), *after]
        stem = getattr(self.node.func, "id", getattr(self.node.func, "attr", "read"))
        return self.work.inner(stem, self.parameters, body, self.arguments, self.node)


def is_list(node: ast.expr) -> TypeGuard[ast.ListComp]:
    """Whether this is a list comprehension, without a walrus, whose value others may read."""
    return (
        isinstance(node, ast.ListComp)
        and not any(loop.is_async for loop in node.generators)
        and not any(isinstance(part, ast.NamedExpr) for part in ast.walk(node))
    )


def is_lazy(work: Work, node: ast.expr) -> bool:
    """Whether this is an iterator that is a generator expression in other words."""
    return generator_of(work, copy.deepcopy(node)) is not None


def keywords_of(node: ast.Call, *names: str) -> dict[str, ast.expr] | None:
    """The keyword arguments, which may only have these names; None for others or a starred argument."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    values = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    return values if len(values) == len(node.keywords) and values.keys() <= set(names) else None
