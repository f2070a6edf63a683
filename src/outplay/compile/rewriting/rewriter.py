"""The pass over the syntax tree of a function: what each node becomes."""

# ruff: noqa: N802, N815

import ast
import copy
import functools
from typing import Any

from outplay.compile.references import MISSING
from outplay.compile.rewriting import arrays, attempts, dicts, fields, nested, patterns, statements, texts
from outplay.compile.rewriting.callables import written_out
from outplay.compile.rewriting.consumers import CONSUMERS, LISTING, differing, unordered
from outplay.compile.rewriting.containers import replace_containers
from outplay.compile.rewriting.filling import fill_lists
from outplay.compile.rewriting.iterables import LISTED, changing, equal_items
from outplay.compile.rewriting.itertools_functions import LISTS, READ_AT_ONCE
from outplay.compile.rewriting.lazy import generator_of, is_endless, is_no_error, loops, may_be_listed, with_new_names
from outplay.compile.rewriting.literals import constant_lists
from outplay.compile.rewriting.narrowing import narrow_variables
from outplay.compile.rewriting.ordered import order_sets
from outplay.compile.rewriting.output import OutputRemover
from outplay.compile.rewriting.remaking import remake_objects
from outplay.compile.rewriting.scope import bound, is_literal, load, read_later
from outplay.compile.rewriting.shared_rewriting import Work, new_function


class Rewriter(Work):
    """Rewrites the definition of a function in place.

    A generator expression that is read by `any`, `sum` and the like becomes a function within the function, which Numba
    inlines; the variables that it reads are arguments, so that it computes at the place of the call.
    """

    def rewrite(self) -> bool:
        """Rewrite the whole definition; whether there was anything to do."""
        OutputRemover(self).visit(self.definition)
        for prepare in (
            statements.without_annotations, replace_containers, order_sets, fill_lists, remake_objects,
            narrow_variables, constant_lists,
        ):  # fmt: skip
            prepare(self, self.definition)
        fields.replace_fields(self, self.definition)
        self._function(self.definition)
        return self.changes > 0

    def _function(self, node: ast.FunctionDef) -> None:
        self.new_functions.append([])
        is_outer = node is self.definition
        node.body = statements.prepared(self, node, is_outer)
        node.body = self.block(node.body)
        new_statements = self.new_functions.pop()
        node.body = [*new_statements, *node.body]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """A function within the function has its own new functions, or becomes one of its own."""
        lifted = nested.lifted(self, node)
        if lifted is None:
            self._function(node)
            return node
        self.lifted[node.name] = lifted
        self.changes += 1
        self._function(node)
        return ast.copy_location(ast.Pass(), node)

    # -- expressions --------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Calls of functions that have a rewriting."""
        before, is_lazy = self.listed, any(self.scope.value_of(node.func) is function for function in (enumerate, zip))
        result = self._called(node)
        if not is_lazy:  # all was read at once
            self.listed = before
        return result

    def _called(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in self.lifted:
            return nested.call(self, self.lifted[node.func.id], node)
        fields.spread(self, node)
        nested.in_order(self, node)
        result = texts.of_format(self, node) or arrays.called(self, node)
        if result is not None:
            return result
        value = self.scope.value_of(node.func)
        if value is not MISSING and isinstance(value, type | type(len) | type(ast.parse)):
            function = next((consumer for consumer in CONSUMERS if consumer is value or consumer == value), None)
            result = None if function is None else CONSUMERS[function](self, node)
            if result is None:
                result = written_out(value, node.args) if not node.keywords else None
                result = result and self.changed(result, node, again=True)
            if result is not None:
                return result
        if type(value) is functools.partial and all(map(_is_constant, [*value.args, *value.keywords.values()])):
            names = {keyword.arg for keyword in node.keywords}
            node.func = self.helper(value.func)
            node.args = [*map(ast.Constant, value.args), *node.args]
            more = {name: argument for name, argument in value.keywords.items() if name not in names}
            node.keywords += [ast.keyword(name, ast.Constant(argument)) for name, argument in more.items()]
            self.changes += 1
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("join", "extend", "update", "union"):
            node.args = [
                argument if isinstance(argument, ast.Starred) else self.iterable(argument) for argument in node.args
            ]
        self.generic_visit(node)
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.expr:
        """`*values` reads all values."""
        if isinstance(node.ctx, ast.Load):
            node.value = self.iterable(node.value)
            return node
        self.generic_visit(node)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """A further loop of a list comprehension reads all values."""
        before, names_read = self.listed, read_later(node.iter)
        node.iter = self.iterable(node.iter)
        if self.listed > before and names_read & self.comprised[-1]:
            node.iter = self.changed(self.call(changing, node.iter), node.iter)
        node.target = self.visit(node.target)
        node.ifs = [self.visit(test) for test in node.ifs]
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """A list comprehension over an iterator is one over its loops."""
        self.without_walrus(node)
        first, *rest = node.generators
        first.iter = self.iterable(first.iter)  # in the scope around
        first.ifs = [self.visit(test) for test in first.ifs]
        self.comprised.append({name for loop in node.generators for name in bound(loop.target)})
        node.generators = [first, *map(self.visit_comprehension, rest)]
        self.comprised.pop()
        node.elt = self.visit(node.elt)
        return node

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        """A set comprehension is the set of a list."""
        unordered(self, node)
        whole = ast.ListComp(node.elt, node.generators)
        return self.changed(self.call(set, whole), node, again=True)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """`text % values` and `[0] * number`."""
        text = texts.of_percent(self, node)
        if text is not None:
            return text
        match node:
            case ast.BinOp(ast.List([ast.Constant(item)]), ast.Mult(), number) if type(item) in (int, float, bool):
                repeated = self.call(equal_items, ast.Constant(item), number)
                return self.changed(repeated, node, again=True)
        self.generic_visit(node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """Widths in f-strings."""
        text = texts.of_f_string(self, node)
        if text is None:
            self.generic_visit(node)
        return text or node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An item of `_asdict()`."""
        result = fields.item_of_record(self, node) or arrays.item(self, node)
        if result is None:
            self.generic_visit(node)
        return result or node

    def visit_Set(self, node: ast.Set) -> ast.expr:
        """A set of constants is the set of a list: Numba would make it a type of its own."""
        texts = all(isinstance(element, ast.Constant) and type(element.value) is str for element in node.elts)
        if texts or all(is_literal(element, int, float) for element in node.elts):
            return self.changed(self.call(set, ast.List(node.elts, ast.Load())), node)
        self.generic_visit(node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Comparisons with an empty list or tuple."""
        if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops) and isinstance(node.comparators[-1], ast.Set):
            node.left = self.visit(node.left)  # the set is a constant
            return node
        match node:
            case ast.Compare(left, [ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], [limit]):
                is_small = isinstance(limit, ast.Constant) and type(limit.value) is int and limit.value in (0, 1)
                number = differing(self, left) if is_small else None
                if number is not None:
                    node.left = number
                    return node
        self.generic_visit(node)
        return statements.compared(self, node)

    def iterable(self, node: ast.expr, is_partly: bool = False) -> ast.expr:
        """An iterator becomes a list, or a generator that is a function."""
        generator = generator_of(self, node)
        if generator is not None:
            self.without_walrus(generator)
            if (is_partly and not may_be_listed(self, generator)) or is_endless(self, generator):
                if is_partly and self.may_yield:
                    return self._yielded(generator, node)
                self.generic_visit(node)
                return node
            self.listed += 1
            return self.changed(ast.ListComp(generator.elt, generator.generators), node, again=True)
        if isinstance(node, ast.Call):
            value = self.scope.value_of(node.func)
            if value == dict.fromkeys and len(node.args) == 1:
                node.args.append(ast.Constant(True))  # in place of None, as nobody reads the values
            listing = next((rewrite for function, rewrite in LISTING.items() if function is value), None)
            if listing is not None and is_partly and not is_no_error(self, node):
                self.generic_visit(node)
                return node
            if listing is not None and (values := listing(self, node)) is not None:
                self.listed += 1
                return values
            call = self._listed(node, is_partly)
            if call is not None:
                self.listed += 1
                return self.changed(call, node)
        if isinstance(node, ast.Set) and all(is_literal(element, int, float) for element in node.elts):
            return node  # a constant, with an order
        if not is_partly:
            self.read_whole.append(node)
        visited: ast.expr = self.visit(node)
        return visited

    def _yielded(self, generator: ast.GeneratorExp, node: ast.expr) -> ast.expr:
        """A call of a function of its own that yields the values."""
        generator = with_new_names(self, generator)
        first, start = self.scope.variable("first"), self.iterable(generator.generators[0].iter, is_partly=True)
        generator.generators[0].iter = load(first)
        body = loops(generator.generators, [ast.Expr(ast.Yield(generator.elt))])
        definition = new_function(self.scope.new("values"), [first], body, node)
        self._function(definition)
        own = nested.Lifted(self.scope.new("values"), self.scope.captured(definition), definition, is_lazy=True)
        self.lifted[definition.name] = own
        self.listed += 1
        return self.changed(ast.Call(load(own.name), [*map(load, own.captured), start], []), node)

    def _listed(self, node: ast.Call, is_partly: bool) -> ast.expr | None:
        """A call of a function of itertools as a call of ours."""
        value = self.scope.value_of(node.func)
        if value is MISSING or any(isinstance(argument, ast.Starred) for argument in node.args):
            return None
        choose_list = next((choose for function, choose in LISTS.items() if function is value), None)
        chosen_call = None if choose_list is None else choose_list(node)
        if chosen_call is None:
            return None
        helper, args, lists = chosen_call
        before, self.may_yield = self.may_yield, self.may_yield and not is_partly  # ours reads all at once
        is_partly = helper.startswith("sliced") or (is_partly and not helper.startswith(READ_AT_ONCE))
        arguments = [
            self.iterable(argument, is_partly) if place in lists else self.visit(argument)
            for place, argument in enumerate(args)
        ]
        self.may_yield = before
        return ast.Call(self.helper(LISTED[helper]), arguments, [])

    # -- statements ---------------------------------------------------------------------------------------------------

    visit_For, visit_While, visit_If = statements.loop, statements.repeated, statements.condition
    visit_Expr, visit_Return = statements.expression, statements.returned
    visit_Assign, visit_AugAssign = statements.assigned, statements.augmented
    visit_Match, visit_Dict = patterns.matched, dicts.display

    def visit_Delete(self, node: ast.Delete) -> ast.stmt:
        """`del values[place]` of a list or dict is `values.pop(place)`."""
        self.generic_visit(node)
        match node.targets:
            case [ast.Subscript(owner, place)] if not isinstance(place, ast.Slice):
                owner = copy.deepcopy(owner)
                pop = ast.Call(ast.Attribute(owner, "pop", ast.Load()), [place], [])
                self.changes += 1
                return ast.fix_missing_locations(ast.copy_location(ast.Expr(pop), node))
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        """The message of an error; texts that are joined in it, maybe in the order of a set, are left out."""
        for part in ast.walk(node):
            match part:
                case ast.FormattedValue(ast.Call(ast.Attribute(ast.Constant(), "join"))):
                    part.value, self.changes = ast.Constant("…"), self.changes + 1
        self.raises = True
        self.generic_visit(node)
        self.raises = False
        return node

    def visit_Try(self, node: ast.Try) -> ast.stmt | list[ast.stmt]:
        """`except` with errors by name; an error that nothing takes ends the rules, so that `finally` is not seen."""
        if node.handlers:
            return self.block(attempts.rewritten(self, node))
        if not attempts.has_jumps(node):
            self.changes += 1
            return self.block([*node.body, *node.finalbody])
        self.generic_visit(node)
        return node


def _is_constant(value: Any) -> bool:
    return value is None or type(value) in (int, float, bool, str)
