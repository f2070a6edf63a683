"""Whether a constructor assigns every attribute before it is read: objects in compiled code have all attributes.

In Python an attribute that is not assigned is missing, or is the constant of the same name in the class.
"""

import types as python
from typing import Any

from outplay.compile.native.internals.numba_names import compute_cfg_from_blocks, ir, run_frontend
from outplay.compile.native.internals.statements import self_variables, values_assigned
from outplay.compile.native.object_type import ObjectType, setter_of
from outplay.compile.references import after, defined_in, member_function, member_of

Names = frozenset[str]


class _Unassigned(Exception):
    """An attribute is read too early; the message says which."""


def unassigned(typ: ObjectType, init: python.FunctionType | None) -> str:
    """What is wrong with a constructor; empty if it assigns every attribute, and reads none before."""
    name, fields = typ.cls.__name__, frozenset(typ.field_dict)
    try:
        missing = fields - (Names() if init is None else _Method(typ, init, (init,)).after(Names()))
    except _Unassigned as problem:
        return f"{name}() {problem}: assign it first in __init__"
    return f"{name}() does not always assign {min(missing)}: assign it in __init__" if missing else ""


class _Method:
    """The attributes of `self` that a method assigns, by the paths through its blocks."""

    def __init__(self, typ: ObjectType, function: python.FunctionType, callers: tuple[Any, ...]) -> None:
        if function.__code__.co_exceptiontable:
            raise _Unassigned(f"has a `try` or `with` in {function.__name__}, so that an attribute may be missing")
        self.typ, self.fields, self.callers = typ, frozenset(typ.field_dict), callers
        self.blocks: dict[int, Any] = run_frontend(function).blocks
        self.graph = compute_cfg_from_blocks(self.blocks)
        values = values_assigned(self.blocks)
        self.selves = self_variables(values)
        self.members: dict[str, str] = {}
        named_super = {
            target for target, [value, *_] in values.items() if isinstance(value, ir.Global) and value.value is super
        }
        calls = {target: value for target, [value, *_] in values.items() if getattr(value, "op", "") == "call"}
        supers = {target for target, call in calls.items() if call.func.name in named_super}
        self.of_super: dict[str, Any] = {}
        """The functions that `super().name` stands for, by the variables that hold them."""
        for target, [value, *others] in values.items():
            if not others and getattr(value, "op", "") == "getattr" and value.value.name in self.selves:
                self.members[target] = value.attr
            if getattr(value, "op", "") == "getattr" and value.value.name in supers:
                self.of_super[target] = member_function(after(typ.cls, defined_in(function), value.attr))

    def after(self, before: Names) -> Names:
        """What is assigned after a call, if this is before."""
        entry = self.graph.entry_point()
        inside = dict.fromkeys(self.blocks, self.fields) | {entry: before}
        waiting = [entry]
        results: dict[int, Names] = {}
        while waiting:
            place = waiting.pop()
            assigned = self.through(self.blocks[place], inside[place])
            if results.get(place) == assigned:
                continue
            results[place] = assigned
            for following, _ in self.graph.successors(place):
                inside[following] &= assigned
                waiting.append(following)
        ends = [results[place] for place in results if isinstance(self.blocks[place].terminator, ir.Return)]
        return self.fields.intersection(*ends)

    def through(self, block: Any, have: Names) -> Names:
        """What is assigned after a block."""
        for statement in block.body:
            value: Any = getattr(statement, "value", None)
            op = getattr(value, "op", "")
            if isinstance(statement, ir.SetAttr) and statement.target.name in self.selves:
                self.require(statement.value, have)
                setter = None if statement.attr in self.fields else setter_of(self.typ.cls, statement.attr)
                have = have | {statement.attr} if setter is None else self.run(setter, have)
            elif isinstance(statement, ir.Assign) and op == "getattr" and value.value.name in self.selves:
                if statement.target.name not in self.members and value.attr not in self.fields:
                    self.require(value.value, have)
                have = self.read(value.attr, have)
            elif isinstance(statement, ir.Assign) and op == "call" and value.func.name in self.members:
                for argument in value.list_vars():
                    if argument.name != value.func.name:
                        self.require(argument, have)
                have = self.called(self.members[value.func.name], have)
            elif isinstance(statement, ir.Assign) and op == "call" and self.of_super.get(value.func.name):
                have = self.run(self.of_super[value.func.name], have)
            elif not isinstance(statement, ir.Del) and not (
                isinstance(statement, ir.Assign) and statement.target.name in self.selves
            ):
                for variable in statement.list_vars():
                    self.require(variable, have)
        return have

    def require(self, variable: Any, have: Names) -> None:
        """Where `self` or a method of it is passed on, every attribute must be assigned."""
        missing = self.fields - have
        is_method = self.members.get(variable.name, min(self.fields, default="")) not in self.fields
        if missing and (variable.name in self.selves or is_method):
            raise _Unassigned(f"uses the object before it assigns {min(missing)}")

    def read(self, name: str, have: Names) -> Names:
        if name in self.fields and name not in have:
            raise _Unassigned(f"may read {name} before it assigns it")
        return self.called(name, have) if isinstance(member_of(self.typ.cls, name), property) else have

    def called(self, name: str, have: Names) -> Names:
        """What is assigned after a call of a method of the object."""
        member = member_of(self.typ.cls, name)
        function = member_function(member)
        if function is None or isinstance(member, staticmethod | classmethod):
            return have
        return self.run(function, have)

    def run(self, function: python.FunctionType, have: Names) -> Names:
        """What is assigned after a call of this method."""
        if have == self.fields:
            return have
        if function in self.callers:
            name = function.__name__
            raise _Unassigned(f"calls {name}, which calls itself, before it assigns {min(self.fields - have)}")
        return _Method(self.typ, function, (*self.callers, function)).after(have)
