"""Objects of users' classes in compiled code: records with named fields, passed by reference as in Python.

The fields and their types are those of the objects in the states that play shows. Methods and properties compile from
the functions of the class; a call of the class makes an object.
"""

import copy
import dataclasses
import functools
import inspect
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.extending import overload_attribute, overload_method

from outplay.compile.native.game_type import (
    INTERNAL,
    GameType,
    function_from_source,
    general,
    overload,
    pipeline_of_rules,
)
from outplay.compile.native.internals import cpu_target, errors, new_struct
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.rules import native_function
from outplay.compile.native.state_type import has_container, misfit
from outplay.compile.native.states import caster, value_in
from outplay.compile.references import member_function, member_of
from outplay.rules import keys


@functools.cache
def register(types_of_class: type[ObjectType], fields: frozenset[str]) -> None:
    """Let compiled code call methods and read properties and constants of objects of a class."""
    cls = types_of_class.cls
    for name in sorted({name for owner in cls.__mro__[:-1] for name in vars(owner)}):
        member = member_of(cls, name)
        if isinstance(member, property):
            _register_property(types_of_class, name)
        elif member_function(member) is not None:
            _register_method(types_of_class, name, isinstance(member, staticmethod))
        elif not name.startswith("__") and name not in fields and not hasattr(type(member), "__get__"):
            _register_constant(types_of_class, name, member)
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def _register_method(types_of_class: type[ObjectType], name: str, is_static: bool) -> None:
    @overload_method(types_of_class, name, strict=False, jit_options=INTERNAL)
    def _(self: ObjectType, *args: types.Type) -> Any:
        native = _native(self, name)
        if is_static:
            return lambda self, *args: native(*args)
        return lambda self, *args: native(self, *args)  # noqa: PLW0108 - Numba wants a function


def _register_property(types_of_class: type[ObjectType], name: str) -> None:
    @overload_attribute(types_of_class, name, strict=False, jit_options=INTERNAL)
    def _(self: ObjectType) -> Any:
        native = _native(self, name)
        return lambda self: native(self)  # noqa: PLW0108 - Numba wants a function


def _register_constant(types_of_class: type[ObjectType], name: str, value: Any) -> None:
    @overload_attribute(types_of_class, name, strict=False, jit_options=INTERNAL)
    def _(self: ObjectType) -> Any:
        return None if name in self.field_dict else lambda self: value


def _native(typ: ObjectType, name: str) -> Any:
    """The compiled function of a method or property."""
    function = member_function(member_of(typ.cls, name))
    if function is None:
        return None
    natives: Any = typ.natives
    return native_function(function, natives, natives.name, pipeline_of_rules(natives.checked))


def maker(typ: ObjectType) -> Any:
    """The compiled function that a call of the class becomes."""
    natives = typ.natives
    if ("maker", typ.cls) not in natives:
        natives["maker", typ.cls] = _new_maker(typ)
    return natives["maker", typ.cls]


def _new_maker(typ: ObjectType) -> Any:
    cls = typ.cls
    if dataclasses.is_dataclass(cls) and cls.__dataclass_params__.init:  # type: ignore[attr-defined]
        return _maker_of_data(typ)
    init = member_function(member_of(cls, "__init__"))
    parameters = [] if init is None else list(inspect.signature(init).parameters.values())[1:]
    if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters):
        raise errors.TypingError(f"NotNative: {cls.__name__}() takes any number of arguments: name them")
    names = ", ".join(each.name for each in parameters)
    call = "" if init is None else f"    init(made{', ' if names else ''}{names})\n"
    source = f"def rule({names}):\n    made = new(typ)\n{call}    return made\n"
    made = function_from_source(source, new=new_struct, typ=typ, init=init and _native(typ, "__init__"))
    made.__defaults__ = tuple(each.default for each in parameters if each.default is not each.empty)
    return general(njit(made, **INTERNAL))


def _maker_of_data(typ: ObjectType) -> Any:
    fields = [each for each in dataclasses.fields(typ.cls) if each.init]
    for each in dataclasses.fields(typ.cls):
        if each.default_factory is not dataclasses.MISSING or (not each.init and each.default is dataclasses.MISSING):
            raise errors.TypingError(f"NotNative: {typ.cls.__name__}.{each.name} has no constant default")
    names = ", ".join(each.name for each in fields)
    steps = "".join(f"    made.{each.name} = fit_{each.name}({each.name})\n" for each in fields)
    steps += "".join(
        f"    made.{each.name} = default_{each.name}\n" for each in dataclasses.fields(typ.cls) if not each.init
    )
    after = _native(typ, "__post_init__")
    steps += "    after(made)\n" if after else ""
    fits = {f"fit_{each.name}": _fit(typ, each.name) for each in fields}
    defaults = {f"default_{each.name}": each.default for each in dataclasses.fields(typ.cls)}
    source = f"def rule({names}):\n    made = new(typ)\n{steps}    return made\n"
    made = function_from_source(source, new=new_struct, typ=typ, after=after, **fits, **defaults)
    made.__defaults__ = tuple(each.default for each in fields if each.default is not dataclasses.MISSING)
    return general(njit(made, **INTERNAL))


def _fit(typ: ObjectType, name: str) -> Any:
    """A compiled function that casts its argument to the type of an attribute."""
    cast = caster(typ.field_dict[name])

    def fit(value: Any) -> Any:
        return value

    @overload(fit)
    def _(value: types.Type) -> Any:
        value = numba.typeof(value.value) if isinstance(value, types.Omitted) else types.unliteral(value)
        problem = misfit(typ, name, value, typ.natives.checked)
        if problem:
            raise errors.TypingError(f"NotNative: {problem}")
        return lambda value: cast(value)  # noqa: PLW0108 - Numba wants a function

    return fit


def mixed(typ: ObjectType) -> Any:
    """The compiled form of `keys.mix` for objects of this type."""
    form = keys.form_of(typ.cls)
    own = {name: name for name in typ.field_dict if name not in form.left_out}
    own |= {slot.__name__: name for name, slot in form.slots if slot.__name__ in own}
    names: dict[str, Any] = {"mix": keys.mix, "np": np}
    steps = ""
    for number, (name, label) in enumerate(own.items()):
        names[f"start{number}"] = keys.mix(keys.mix_int(keys.SEED, 2), label)
        steps += f"    total += np.uint64(mix(start{number}, field.{name}))\n"
    source = "def rule(h, field):\n"
    for label in ("object", typ.cls.__qualname__):
        names[f"name_of_{label[0]}{len(names)}"] = keys.name_key(label)
        source += f"    h = mix(mix(h, {list(names)[-1]}), 0)\n"
    if own:
        source += f"    h = mix(h, {len(own)})\n    total = np.uint64(0)\n{steps}    h = mix(h, np.int64(total))\n"
    return function_from_source(source + "    return h\n", **names)


# -- copies -----------------------------------------------------------------------------------------------------------


@overload(copy.copy)
def _(x: types.Type) -> Any:
    if isinstance(x, ObjectType):
        return _copier(x, deep=False)
    if isinstance(x, types.List):
        return lambda x: x[:]
    if isinstance(x, (types.Array, types.DictType, types.Set)):
        return lambda x: x.copy()
    return None if isinstance(x, GameType) else lambda x: x


@overload(copy.deepcopy)
def _(x: types.Type) -> Any:
    if isinstance(x, ObjectType):
        return _copier(x, deep=True)
    if isinstance(x, types.List):
        return lambda x: [copy.deepcopy(item) for item in x]
    if isinstance(x, types.DictType):

        def of_dict(x: Any) -> Any:
            found = dict()  # noqa: C408 - typed by what follows
            for key in x:
                found[key] = copy.deepcopy(x[key])
            return found

        return of_dict
    if isinstance(x, types.BaseTuple) and any(map(has_container, x.types)):
        parts = "".join(f"deepcopy(x[{i}]), " for i in range(len(x)))
        maker = getattr(x, "instance_class", None)
        text = f"make({parts})" if maker else f"({parts})"
        return function_from_source(f"def rule(x): return {text}", deepcopy=copy.deepcopy, make=maker)
    if isinstance(x, types.Optional):
        return lambda x: None if x is None else copy.deepcopy(value_in(x))
    if isinstance(x, (types.Array, types.Set)):
        return lambda x: x.copy()
    return None if isinstance(x, GameType) else lambda x: x


def _copier(typ: ObjectType, deep: bool) -> Any:
    own = [name for name in ("__copy__", "__deepcopy__", "__reduce_ex__", "__getstate__")
           if member_function(member_of(typ.cls, name)) is not None]  # fmt: skip
    if own:
        raise errors.TypingError(f"NotNative: copies of {typ.cls.__name__} are made by its own {own[0]}: call it")
    value = "deepcopy(x.{0})" if deep else "x.{0}"
    steps = "".join(f"    made.{name} = {value.format(name)}\n" for name in typ.field_dict)
    source = f"def rule(x):\n    made = new(typ)\n{steps}    return made\n"
    return function_from_source(source, new=new_struct, typ=typ, deepcopy=copy.deepcopy)
