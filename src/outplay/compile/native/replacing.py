"""`dataclasses.replace` and an item of `_asdict()` in compiled code."""

import dataclasses
import inspect
from typing import Any

from numba import types

from outplay.compile.native.game_type import function_from_source, overload
from outplay.compile.native.internals.numba_names import refused
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.objects import maker
from outplay.compile.rewriting.fields import record_of
from outplay.compile.rewriting.records import item_of_dict, replaced


@overload(replaced, prefer_literal=True)
def _implement_replaced(record: types.Type, names: types.Type, *values: types.Type) -> Any:
    if not isinstance(record, ObjectType) or not isinstance(names, types.StringLiteral):
        return None
    cls = record.cls
    if not dataclasses.is_dataclass(cls):
        return None
    fields = [field.name for field in dataclasses.fields(cls) if field.init]
    parameters = list(inspect.signature(cls).parameters)
    changed = names.literal_value.split()
    if set(parameters) != set(fields) or not set(changed) <= set(fields):
        raise refused(f"replace() of a {cls.__name__}: write {cls.__name__}(…) in full")
    given = ", ".join(f"x{changed.index(name)}" if name in changed else f"record.{name}" for name in parameters)
    head = ", ".join(["record", "names", *(f"x{place}" for place in range(len(changed)))])
    return function_from_source(f"def rule({head}): return make({given})", make=maker(record))


@overload(record_of, prefer_literal=True)
def _implement_record_of(record: types.Type, names: types.Type) -> Any:
    if not isinstance(record, types.BaseNamedTuple) or not isinstance(names, types.StringLiteral):
        return None
    if _has_own_dict(record) or {*names.literal_value.split()} != {*record.fields}:
        raise refused("the dict of a record has other keys here: write the fields by name")
    return lambda record, names: record


@overload(item_of_dict, prefer_literal=True)
def _implement_item_of_dict(record: types.Type, name: types.Type) -> Any:
    if not isinstance(record, types.BaseNamedTuple) or not isinstance(name, types.StringLiteral):
        return None
    if _has_own_dict(record) or name.literal_value not in record.fields:
        return None
    return function_from_source(f"def rule(record, name): return record.{name.literal_value}")


def _has_own_dict(record: types.BaseNamedTuple) -> bool:
    return getattr(getattr(record.instance_class, "_asdict", None), "__module__", "") != "collections"
