"""Empty lists, sets and dicts: what they would hold follows from everything that the function does with them.

Numba knows it from `append`, `add` and the like alone. Here, variables that have one type are joined, and so are the
items of containers that have one type: by assignments, operators, methods, loops, and what is returned. If nothing
shows it, the annotation of the variable does; and where no item can ever come in, any type will do.
"""

import inspect
import operator
from collections import defaultdict
from collections.abc import Hashable
from typing import Any, get_args, get_origin

from numba import types

from outplay.compile.native.class_type import Class
from outplay.compile.native.dicts import item_or
from outplay.compile.native.frozen.enums import member_type
from outplay.compile.native.frozenset_type import Frozenset
from outplay.compile.native.game_type import new_object_of
from outplay.compile.native.internals.numba_names import TypeInferer, errors, get_definition, guard, ir
from outplay.compile.native.lists import popped
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.semantics.sets import SET_METHODS
from outplay.compile.native.sorting import stable_sorted, sum_of_cells
from outplay.compile.references import member_function, member_of
from outplay.compile.rewriting.dicts import defaulted

READING = (list, set, frozenset, stable_sorted, *SET_METHODS.values())
"""Functions of containers whose result has items like theirs."""
HARMLESS = (len, bool, operator.not_, sum_of_cells, min, max, any, all, enumerate, zip, range, isinstance)
"""Functions that do nothing to the items of a container."""
PARTS = ("item", "key", "value")


def is_known(typ: types.Type) -> bool:
    """Whether nothing of a type is left open."""
    if isinstance(typ, types.List | types.Set):
        return is_known(typ.dtype)
    if isinstance(typ, types.DictType):
        return is_known(typ.key_type) and is_known(typ.value_type)
    if isinstance(typ, types.BaseTuple):
        return all(map(is_known, typ.types))
    return not isinstance(typ, types.Undefined)


def parts_of(typ: types.Type) -> dict[Hashable, types.Type]:
    """The types of the parts of a container, by name or place."""
    if isinstance(typ, types.List | types.Set | Frozenset):
        return {"item": typ.dtype}
    if isinstance(typ, types.DictType):
        return {"key": typ.key_type, "value": typ.value_type}
    return dict(enumerate(typ.types)) if isinstance(typ, types.BaseTuple) else {}


def with_parts(typ: types.Type, parts: dict[Hashable, types.Type]) -> types.Type:
    """A container like this one, with parts of these types."""
    if isinstance(typ, types.DictType):
        return types.DictType(*parts.values())
    return types.Tuple(tuple(parts.values())) if isinstance(typ, types.BaseTuple) else type(typ)(*parts.values())


class Uses:
    """What a function does with its variables: which have one type, and which are the parts of which.

    `is_searched`: what is looked for in a container is like its items; Python does not ask for that.
    """

    def __init__(self, infer: Any, is_searched: bool) -> None:
        self.infer, self.is_searched = infer, is_searched
        self.joined: dict[Hashable, Hashable] = {}
        self.parts: defaultdict[Hashable, dict[Hashable, Hashable]] = defaultdict(dict)
        self.types: defaultdict[Hashable, set[types.Type]] = defaultdict(set)
        self.open: dict[Hashable, types.Type] = {}
        self.attributes: list[tuple[Hashable, types.Type]] = []
        """Variables that become attributes, and parts of known types, with these types."""
        self.unpacked: set[str] = set()
        """Variables with the items of what is unpacked."""
        self.passed_on: set[Hashable] = set()
        """Variables that others get, which may put items into them."""
        statements = [statement for block in infer.func_ir.blocks.values() for statement in block.body]
        for statement in statements:
            self._read(statement)
        typed = [(name, variable.type) for name, variable in infer.typevars.items() if variable.defined]
        for name, typ in (*typed, *self.attributes):
            self._note(name, types.unliteral(typ))

    def _root(self, key: Hashable) -> Hashable:
        while key in self.joined:
            key = self.joined[key]
        return key

    def _part(self, key: Any, name: Hashable) -> Hashable:
        key = self._root(getattr(key, "name", key))
        return self.parts[key].setdefault(name, (key, name))

    def _join(self, one: Any, other: Any) -> None:
        first, second = (self._root(getattr(key, "name", key)) for key in (one, other))
        if first != second and not self._holds(first, second) and not self._holds(second, first):
            self.joined[second] = first
            for name, key in self.parts.pop(second, {}).items():
                self._join(self._part(first, name), key)

    def _holds(self, whole: Hashable, part: Hashable) -> bool:
        """Whether this is a part of the other, or of a part: no type is a part of itself."""
        roots = [self._root(inner) for inner in self.parts[whole].values()] if whole in self.parts else []
        return part in roots or any(self._holds(root, part) for root in roots)

    def _items(self, values: Any) -> Hashable:
        """What a loop over these values yields."""
        return self._part(values, "key" if self._is(values, types.DictType) else "item")

    def _is(self, variable: Any, kind: type[types.Type]) -> bool:
        return isinstance(self.infer.typevars[variable.name].type, kind)

    def _alike(self, *containers: Any) -> None:
        """The items of these containers have one type."""
        for name in PARTS:
            for other in containers[1:]:
                self._join(self._part(containers[0], name), self._part(other, name))

    def _read(self, statement: Any) -> None:
        match statement:
            case ir.Assign(target=target, value=ir.Var() as value):
                self._join(target, value)
            case ir.Assign(target=target, value=ir.Arg(name=name)):
                self.passed_on |= {target.name, f"arg.{name}"}
            case ir.Assign(target=target, value=ir.Expr() as value):
                self._expression(target, value)
            case ir.Return(value=value) | ir.Yield(value=value):
                self._join("return", value)
            case ir.SetItem(target=target, index=index, value=value):
                if self._is(index, types.SliceType):
                    self._alike(target, value)
                else:
                    self._put(target, index, value)
            case ir.StaticSetItem(target=target, index=index, value=value):
                self._alike(target, value) if isinstance(index, slice) else self._put(target, None, value)
            case ir.SetAttr(target=target, attr=name, value=value):
                owner = self.infer.typevars[target.name].type
                if isinstance(owner, ObjectType) and name in owner.field_dict:
                    self.attributes.append((value.name, owner.field_dict[name]))
                self.passed_on.add(value.name)

    def _put(self, target: Any, index: Any, value: Any) -> None:
        """`target[index] = value` of a list or dict."""
        if not self._is(target, types.DictType):
            self._join(self._part(target, "item"), value)
        if not self._is(target, types.List):
            self._join(self._part(target, "value"), value)
            if index is not None:
                self._join(self._part(target, "key"), index)

    def _take(self, target: Any, owner: Any, index: Any) -> None:
        """`target = owner[index]`."""
        typ = self.infer.typevars[owner.name].type
        if isinstance(index, slice) or isinstance(getattr(index, "type", None), types.SliceType):
            self._alike(target, owner)
        elif isinstance(typ, types.BaseTuple):
            if isinstance(index, int):
                self._join(target, self._part(owner, index % max(len(typ), 1)))
        elif owner.name in self.unpacked:
            self._join(target, self._part(owner, index))
        else:
            self._join(target, self._part(owner, "value" if isinstance(typ, types.DictType) else "item"))

    def _expression(self, target: Any, value: Any) -> None:
        match value.op:
            case "phi":
                for item in value.incoming_values:
                    if isinstance(item, ir.Var):
                        self._join(target, item)
            case "cast":
                self._join(target, value.value)
            case "binop" | "inplace_binop":
                plain = getattr(value.fn, "plain", value.fn)
                if plain is operator.contains:
                    if self.is_searched:
                        self._search(value.lhs, value.rhs)
                elif plain not in (operator.mul, operator.imul):
                    self._alike(value.lhs, value.rhs, target)
                else:
                    self._alike(value.lhs, target)
            case "build_list" | "build_set":
                for item in value.items:
                    self._join(self._part(target, "item"), item)
            case "build_map":
                for key, item in value.items:
                    self._join(self._part(target, "key"), key)
                    self._join(self._part(target, "value"), item)
            case "build_tuple":
                for place, item in enumerate(value.items):
                    self._join(self._part(target, place), item)
            case "getitem" | "typed_getitem":
                self._take(target, value.value, self.infer.typevars[value.index.name])
            case "static_getitem":
                self._take(target, value.value, value.index)
            case "getiter":
                self._join(self._part(target, "item"), self._items(value.value))
            case "iternext":
                self._join(self._part(target, "first"), self._part(value.value, "item"))
            case "pair_first":
                self._join(target, self._part(value.value, "first"))
            case "exhaust_iter":
                self.unpacked.add(target.name)
                self._join(target, value.value)
            case "call":
                self._call(target, value)

    def _search(self, values: Any, item: Any) -> None:
        for name in ("item", "key"):
            self._join(self._part(values, name), item)

    def _call(self, target: Any, call: Any) -> None:
        read, arguments = guard(get_definition, self.infer.func_ir, call.func), call.args
        if isinstance(read, ir.Expr) and read.op == "getattr":
            owner = read.value
            match read.attr, arguments:
                case ("append" | "add", [item]) | ("insert", [_, item]):
                    self._join(self._part(owner, "item"), item)
                case ("extend" | "update", [items]):
                    self._alike(owner, items)
                case ("__setitem__", [key, item]):
                    self._put(owner, key, item)
                case ("pop", []):
                    self._join(target, self._part(owner, "item"))
                case ("pop" | "setdefault", [key, default]):
                    self._put(owner, key, default)
                    self._join(target, self._part(owner, "value"))
                case ("copy", []):
                    self._join(target, owner)
                case ("keys" | "values", []):
                    self._join(self._part(target, "item"), self._part(owner, read.attr[:-1]))
                case ("items", []):
                    for place, name in enumerate(("key", "value")):
                        self._join(self._part(self._part(target, "item"), place), self._part(owner, name))
                case ("discard" | "remove" | "index" | "count" | "get", [item]):
                    if self.is_searched:
                        self._search(owner, item)
                case _:
                    self.passed_on |= {argument.name for argument in arguments}
            return
        function = getattr(read, "value", None)
        if function is item_or or function is defaulted:
            self._put(*arguments)
            self._join(target, self._part(arguments[0], "value"))
        elif function is popped:
            self._join(target, self._part(arguments[0], "value" if self._is(arguments[0], types.DictType) else "item"))
        elif isinstance(function, Class):
            self._make(function.cls, call)
        elif any(function is reader for reader in READING):
            for values in arguments:
                self._join(self._part(target, "item"), self._items(values))
        elif not any(getattr(function, "plain", function) is harmless for harmless in HARMLESS):
            self.passed_on |= {argument.name for argument in arguments}

    def _make(self, cls: type, call: Any) -> None:
        """Arguments of a class have the types of the attributes with the names of the parameters."""
        typ = new_object_of(cls)
        init = None if typ is None else member_function(member_of(cls, "__init__"))
        names = [] if init is None else list(inspect.signature(init).parameters)[1:]
        for name, argument in [*zip(names, call.args, strict=False), *call.kws]:
            if typ is not None and name in typ.field_dict:
                self.attributes.append((argument.name, typ.field_dict[name]))
            self.passed_on.add(argument.name)

    def _note(self, key: Hashable, typ: types.Type) -> None:
        """Note the type of a variable or part, and of its parts."""
        typ = typ.type if isinstance(typ, types.Optional) else typ
        root = self._root(key)
        if isinstance(typ, types.Undefined | types.NoneType):
            return
        if not is_known(typ):
            self.open[root] = typ
        else:
            self.types[root].add(types.unliteral(typ))
        for name, part in parts_of(typ).items():
            if name in self.parts[root]:
                self._note(self.parts[root][name], part)

    def typ(self, key: Hashable, around: tuple[Hashable, ...] = ()) -> types.Type | None:
        """The type that a variable or part has by all uses; None if they do not show it."""
        root = self._root(key)
        if root in self.types:
            common: types.Type | None = self.infer.context.unify_types(*self.types[root])
            return common
        if root in around or root not in self.open:
            return None
        parts = {name: self.typ(self._part(root, name), (*around, root)) for name in parts_of(self.open[root])}
        return None if None in parts.values() else with_parts(self.open[root], parts)

    def stays_empty(self, key: Hashable) -> bool:
        """Whether nobody can put anything into a container."""
        waiting = [self._root(variable) for variable in self.passed_on]
        for shared in waiting:
            waiting += [root for part in self.parts[shared].values() if (root := self._root(part)) not in waiting]
        root, known_or_open = self._root(key), {*self.types, *self.open}
        return root not in waiting and not any(self._root(part) in known_or_open for part in self.parts[root].values())


class Inferer(TypeInferer):
    """Type inference that knows the types of empty containers, and of the states that rules return in several forms."""

    def get_return_type(self, typemap: Any) -> Any:
        """The type that a function returns. `ReplaceTwins` converts states of several types."""
        try:
            return super().get_return_type(typemap)
        except errors.TypingError:
            state = getattr(self.func_id.func, "returned_state", None)
            if state is None:
                raise
            return state

    def propagate(self, raise_errors: bool = True) -> Any:
        """Find all types."""
        while True:
            failures = super().propagate(raise_errors=False)
            if not any(typevar.defined and not is_known(typevar.type) for typevar in self.typevars.values()):
                break
            if not self._fill():
                break
        return super().propagate(raise_errors=raise_errors) if failures else None

    def _fill(self) -> bool:
        """Give types to empty containers; whether there was one to give."""
        empty = [name for name, variable in self.typevars.items() if variable.defined and not is_known(variable.type)]
        for is_searched in (False, True):
            uses = Uses(self, is_searched)
            types_of = {name: uses.typ(name) for name in empty}
            filled = {name: typ for name, typ in types_of.items() if type(typ) is type(self.typevars[name].type)}
            if filled:
                break
        else:
            filled = self._by_default(uses, empty)
        for name, typ in filled.items():
            self.refine_map.pop(name, None)
            self.add_type(name, typ, loc=None)
        return any(is_known(self.typevars[name].type) for name in filled)

    def _by_default(self, uses: Uses, empty: list[str]) -> dict[str, types.Type]:
        """The types that annotations show; or that of ints, where no item can ever come in."""
        hints = getattr(self.func_id.func, "annotated", {})  # of rules
        for name in empty:
            typ = type_of_annotation(hints.get(name.partition(".")[0]))
            if typ is not None and type(typ) is type(self.typevars[name].type):
                return {name: typ}
        for name in empty:
            parts = parts_of(self.typevars[name].type)
            if all(isinstance(part, types.Undefined) for part in parts.values()) and uses.stays_empty(name):
                return {name: with_parts(self.typevars[name].type, dict.fromkeys(parts, types.int64))}
        return {}


def type_of_annotation(hint: Any) -> types.Type | None:
    """The type that an annotation means; None for those that are not known here."""
    simple = {int: types.int64, float: types.float64, bool: types.boolean, str: types.unicode_type}
    if isinstance(hint, type) and hint in simple:
        return simple[hint]
    if isinstance(hint, type) and hasattr(hint, "__members__"):
        return member_type(hint)
    parts = [type_of_annotation(argument) for argument in get_args(hint)]
    container = {list: types.List, set: types.Set, dict: types.DictType}.get(get_origin(hint))
    if not parts or None in parts:
        return None
    if get_origin(hint) is tuple:
        return types.Tuple(tuple(parts))
    return None if container is None else container(*parts)
