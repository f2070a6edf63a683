"""What all rewritings share: what is known of the function, its new functions, and the pass itself."""

import ast
import copy
from collections import Counter
from types import FunctionType
from typing import Any

from outplay.compile.rewriting.scope import Scope, load
from outplay.compile.rewriting.walrus import first_walrus, replaced


def new_function(name: str, parameters: list[str], body: list[ast.stmt], old: ast.expr) -> ast.FunctionDef:
    """A function in place of an expression."""
    arguments = ast.arguments([], [ast.arg(parameter) for parameter in parameters], None, [], [], None, [])
    function = ast.FunctionDef(name, arguments, body, [], None)
    if "type_params" in ast.FunctionDef._fields:
        function.type_params = []  # type: ignore[attr-defined,unused-ignore]
    return ast.fix_missing_locations(ast.copy_location(function, old))


def placed(statements: list[ast.stmt], old: ast.stmt) -> list[ast.stmt]:
    """New statements with the line of another one."""
    return [ast.fix_missing_locations(ast.copy_location(statement, old)) for statement in statements]


class Work(ast.NodeTransformer):
    """The rewriting of one function; `rewriter.Rewriter` says what each node becomes."""

    def __init__(self, function: FunctionType, definition: ast.FunctionDef) -> None:
        self.scope = Scope(function, definition)
        self.definition = definition
        self.occurrences = occurrences(definition)
        """How often each name occurs in the function as it is written."""
        self.helpers: dict[str, Any] = {}
        """Functions of ours that the rewritten function calls, by the names that it uses."""
        self.new_functions: list[list[ast.stmt]] = []
        """New functions within each enclosing function, the innermost last."""
        self.lifted: dict[str, Any] = {}
        """Functions within the function that become functions of their own."""
        self.read_once: list[ast.Assign] = []
        """Assignments of values that are iterated over once."""
        self.may_yield = True
        """Whether an iterable that is visited may become a generator."""
        self.read_whole: list[ast.expr] = []
        """Iterables that are read to their ends."""
        self.comprised: list[set[str]] = [set()]
        """The variables of the comprehensions around a node."""
        self.raises = False
        """Whether the expression that is visited is raised."""
        self.annotations: dict[str, ast.expr] = {}
        """The annotations of local variables."""
        self.changes = 0
        self.listed = 0
        """How many iterators became lists that are read later, value by value."""

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements, rewritten."""
        statements: list[ast.stmt] = []
        for statement in body:
            result = self.visit(statement)
            statements += result if isinstance(result, list) else [result]
        return statements

    def instead(self, statements: list[ast.stmt], old: ast.stmt) -> list[ast.stmt]:
        """New statements in the place of another one, rewritten."""
        self.changes += 1
        return self.block(placed(statements, old))

    def call(self, function: Any, *args: ast.expr) -> ast.Call:
        """A call of a function of ours."""
        return ast.Call(self.helper(function), list(args), [])

    def iterable(self, node: ast.expr, is_partly: bool = False) -> ast.expr:
        """An expression that is iterated over once: an iterator becomes a list.

        `is_partly`: maybe not to its end.
        """
        raise NotImplementedError

    def helper(self, function: Any) -> ast.Name:
        """The name of a function of ours in the rewritten function."""
        for name, other in self.helpers.items():
            if other is function:
                return load(name)
        name = self.scope.new(getattr(function, "__name__", "helper"))
        self.helpers[name] = function
        return load(name)

    def value_of(self, node: ast.expr) -> Any:
        """The value of a global name, or of a name of ours."""
        name = node.id if isinstance(node, ast.Name) else None
        return self.helpers[name] if name in self.helpers else self.scope.value_of(node)

    def changed(self, new: ast.expr, old: ast.expr, again: bool = False) -> ast.expr:
        """`new` in the place of `old`; `again` if its parts are not rewritten yet."""
        self.changes += 1
        ast.fix_missing_locations(ast.copy_location(new, old))
        return self.visit(new) if again else new

    def inner(
        self, stem: str, parameters: list[str], body: list[ast.stmt], arguments: list[ast.expr], old: ast.expr
    ) -> ast.expr:
        """A call of a new function with this body, whose parameters are `parameters` and the variables it reads.

        `arguments` are its arguments in the order of `parameters`, already rewritten; `body` is not.
        """
        self.changes += 1
        name = self.scope.new(stem)
        function = new_function(name, parameters, body, old)
        function.body = self.block(function.body)
        captured = self.scope.captured(function)
        function.args.args += [ast.arg(variable) for variable in captured]
        ast.fix_missing_locations(function)
        self.new_functions[-1].append(function)
        call = ast.Call(load(name), [*arguments, *map(load, captured)], [])
        return ast.fix_missing_locations(ast.copy_location(call, old))

    def without_walrus(self, node: ast.GeneratorExp | ast.ListComp) -> None:
        """`if (y := f(x)) > 2` becomes a loop over one value, if only this comprehension reads `y`."""
        for place, loop in enumerate(node.generators):
            for number, test in enumerate(loop.ifs):
                walrus = first_walrus(test)
                if walrus is None or not self._is_private(walrus.target.id, node):
                    continue
                later_tests = loop.ifs[number + 1 :]
                new_test = replaced(test, walrus, load(walrus.target.id))
                loop.ifs = loop.ifs[:number]
                once = ast.comprehension(
                    copy.deepcopy(walrus.target), ast.Tuple([walrus.value], ast.Load()), [new_test, *later_tests], 0
                )
                node.generators.insert(place + 1, once)
                self.changes += 1
                ast.fix_missing_locations(ast.copy_location(node, node))
                return self.without_walrus(node)
        return None

    def _is_private(self, name: str, node: ast.AST) -> bool:
        """Whether a variable occurs in this expression only."""
        return self.occurrences[name] == occurrences(node)[name]


def occurrences(node: ast.AST) -> Counter[str]:
    """How often each name occurs."""
    return Counter(part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def results_of(definition: ast.FunctionDef) -> list[ast.expr | None]:
    """What a function returns, in the order of the source, with both values of `a if test else b`."""
    results: list[ast.expr | None] = []
    waiting: list[ast.AST | None] = list(reversed(definition.body))
    while waiting:
        match waiting.pop():
            case ast.FunctionDef() | ast.Lambda() | ast.ClassDef() | None:
                continue
            case ast.Return(value):
                values = [value]
                while values:
                    match values.pop():
                        case ast.IfExp(_, one, other):
                            values += [other, one]
                        case result:
                            results.append(result)
            case ast.AST() as node:
                waiting += reversed(list(ast.iter_child_nodes(node)))
    return results
