"""What rules may leave to Numba: its builtins, methods and operators that are shown to compute what Python computes.

After type inference, what is called is known. Our own versions, users' functions and NumPy's functions pass; everything
else must be in one of these tables, else it is refused and the rules run interpreted. `tests/compile/test_allowed.py`
compares each entry with Python, on edge values. To add one, add its values there.

The kinds of values: `int`, `bool` and `float` are Python's, `cell` is any other number of NumPy, `array` any array.
"""

import sys
from typing import Any

import numpy as np
from numba import types

from outplay.compile.native.internals.numba_names import ir, refused
from outplay.compile.native.internals.registration import is_numbas
from outplay.compile.native.remedies import CALLS
from outplay.compile.native.remedies import METHODS as REMEDIES
from outplay.compile.native.semantics.nan_comparisons import has_floats

FUNCTIONS = {
    "abs": "float",
    "all": "list tuple array set",
    "any": "list tuple array set",
    "bool": "int bool float cell str list tuple dict set",
    "chr": "int",
    "dict": "",
    "enumerate": "list tuple array range str int iterator dict",
    "filter": "None function list tuple range",
    "float": "int float cell literal",
    "hash": "int bool",
    "int": "int",
    "iter": "list tuple array range str",
    "len": "list tuple array range dict set str",
    "list": "list tuple array range str dict iterator",
    "map": "function list tuple array range",
    "max": "int bool float cell list tuple array set range iterator dict",
    "min": "int bool float cell list tuple array set range iterator dict",
    "next": "iterator",
    "ord": "str",
    "range": "int bool",
    "set": "list tuple array range str set",
    "slice": "int bool None cell",
    "str": "str bool",
    "zip": "list tuple array range str iterator dict",
    "heapq.heapify": "list",
    "heapq.heappop": "list",
    "heapq.heappush": "list int tuple float",
    "heapq.heappushpop": "list int tuple float",
    "heapq.heapreplace": "list int tuple float",
    "math.copysign": "int float",
    "math.degrees": "int bool float",
    "math.erf": "int bool float",
    "math.erfc": "int bool float",
    "math.fabs": "int bool float",
    "math.frexp": "float",
    "math.isfinite": "int bool float",
    "math.isinf": "int bool float",
    "math.isnan": "int bool float",
    "math.nextafter": "float",
    "math.radians": "int bool float",
}
"""The functions, and the kinds of all their arguments; `literal` is a text that is written there."""

METHODS = {
    "array": "all any argmax argmin astype copy fill flatten max min nonzero ravel reshape sort transpose view",
    "array of ints": "cumprod cumsum prod sum",
    "dict": "__setitem__ clear copy get items keys pop popitem setdefault update values",
    "list": "append clear copy count extend index insert pop remove reverse",
    "set": "add clear copy discard remove update",
    "str": "capitalize casefold center count endswith expandtabs find index isidentifier islower isnumeric isprintable "
    "isspace istitle isupper join ljust lower lstrip partition rfind rindex rjust rpartition rstrip split/1 splitlines "
    "startswith strip swapcase title upper zfill",
    "tuple": "index",
}
"""The methods, by the kind of their owner; `split/1` with at most one argument."""

ATTRIBUTES = {
    "array": "T flat itemsize nbytes ndim shape size",
    "range": "start step stop",
    **dict.fromkeys(("bool", "cell", "float", "int", "slice"), ""),
}
"""The attributes, by the kind of their owner; those of further kinds are fields, or members of modules."""

OPERATORS = {
    "add": "list tuple str",
    "contains": "list tuple dict set range str",
    "delitem": "list dict",
    "eq": "list tuple dict set str bool None",
    "ge": "list tuple str",
    "getitem": "list tuple array dict str range",
    "getiter": "list tuple array dict str range iterator",
    "gt": "list tuple str",
    "iadd": "list str",
    "imul": "list int",
    "le": "list tuple str",
    "lt": "list tuple str",
    "mul": "list str int",
    "ne": "list tuple dict set str bool None",
    "not_": "list tuple dict set str",
    "setitem": "list array dict",
}
"""The operators of what is no number, and the kinds of their operands; those of numbers: see `plan_choice`."""
OF_FIRST = ("contains", "delitem", "getitem", "getiter", "setitem")
"""Of these, the kind of the container alone."""
NUMBERS = {"int", "bool", "float", "cell"}

KINDS: dict[str, Any] = {
    "bool": types.Boolean,
    "cell": (types.Integer, types.Float),
    "str": types.UnicodeType,
    "None": types.NoneType,
    "list": types.List,
    "tuple": types.BaseTuple,
    "dict": (types.DictType, types.DictItemsIterableType, types.DictKeysIterableType, types.DictValuesIterableType),
    "set": types.Set,
    "array": types.Array,
    "range": types.RangeType,
    "slice": types.SliceType,
    "iterator": types.IteratorType,
    "function": types.Dispatcher,
}


def kind(typ: types.Type) -> str:
    """The kind of values of this type: "" for a type of ours, and the name of its class for a further type of Numba."""
    typ = types.unliteral(typ.type if isinstance(typ, types.Optional) else typ)
    is_ours = any(cls.__module__.startswith("outplay.") for cls in type(typ).__mro__)
    if is_ours or isinstance(typ, types.CPointer):  # to our random numbers
        return ""
    if typ in (types.int64, types.float64):
        return "int" if typ == types.int64 else "float"
    return next((name for name, classes in KINDS.items() if isinstance(typ, classes)), type(typ).__name__)


def _name(function: Any) -> str:
    """The name of a function that Numba knows: "len", "math.floor"; "" for one of ours, of NumPy or of users."""
    module = (getattr(function, "__module__", None) or "").removeprefix("_")
    if isinstance(function, np.ufunc) or module.partition(".")[0] not in sys.stdlib_module_names:
        return ""
    return str(function.__name__ if module == "builtins" else f"{module}.{function.__name__}")


def _refuse(subject: str, name: str, loc: Any) -> None:
    remedy = REMEDIES.get(name) or CALLS.get(name.rpartition(".")[2], "write a loop that computes it")
    raise refused(f"{subject} may not compute what Python computes when compiled: {remedy}", loc)


def refuse_unknown(state: Any) -> None:
    """Refuse what is in no table."""
    for block in state.func_ir.blocks.values():
        for statement in block.body:
            value = getattr(statement, "value", None)
            if isinstance(statement, ir.SetItem | ir.StaticSetItem):
                _operator("setitem", [state.typemap[statement.target.name]], statement.loc)
            elif isinstance(statement, ir.DelItem):
                _operator("delitem", [state.typemap[statement.target.name]], statement.loc)
            elif isinstance(statement, ir.Print):
                _refuse("print()", "print", statement.loc)
            elif isinstance(statement, ir.Assign) and isinstance(value, ir.Expr):
                _expression(state, value, state.typemap[statement.target.name])


def _expression(state: Any, value: Any, result: types.Type) -> None:
    if value.op == "call":
        _call(state, value, state.typemap[value.func.name])
    elif value.op in ("binop", "inplace_binop", "unary"):
        operands = (value.value,) if value.op == "unary" else (value.lhs, value.rhs)
        if is_numbas(state.typingctx.resolve_value_type(value.fn), state.calltypes[value]):
            _operator(value.fn.__name__, [state.typemap[operand.name] for operand in operands], value.loc)
    elif value.op in ("getitem", "static_getitem", "typed_getitem", "getiter"):
        name = value.op if value.op == "getiter" else "getitem"
        _operator(name, [state.typemap[value.value.name]], value.loc)
    elif value.op == "getattr" and not isinstance(result, types.Callable):
        owner = kind(state.typemap[value.value.name])
        if owner in ATTRIBUTES and value.attr not in ATTRIBUTES[owner].split():
            _refuse(f"{value.attr} of {article(owner)}", value.attr, value.loc)


def _call(state: Any, call: Any, function: types.Type) -> None:
    if not isinstance(function, types.Function | types.BoundFunction):
        return
    signature = state.calltypes[call]
    if isinstance(function, types.BoundFunction):
        owner, name = kind(function.this), state.func_ir.get_definition(call.func).attr
        methods = METHODS.get(owner, "")
        if owner == "array" and isinstance(function.this.dtype, types.Integer | types.Boolean):
            methods += " " + METHODS["array of ints"]
        names = dict(entry.partition("/")[::2] for entry in methods.split())
        is_known = name in names and len(call.args) <= int(names[name] or len(call.args))
        if owner and not is_known and is_numbas(function, signature):
            _refuse(f"{name}() of {article(owner)}", name, call.loc)
        return
    name = _name(function.typing_key)
    arguments = [typ for typ in signature.args if not isinstance(typ, types.Omitted)]
    kinds = ["literal" if name == "float" and isinstance(typ, types.StringLiteral) else kind(typ) for typ in arguments]
    if not name or not is_numbas(function, signature):
        return
    if name in ("max", "min") or name.startswith("heapq."):
        _refuse_rows_of_floats(name, arguments, call.loc)
    is_known = name in FUNCTIONS and {*kinds} <= {*FUNCTIONS[name].split()}
    if "" not in kinds and not is_known:
        _refuse(f"{name}() of {' and '.join(map(article, kinds)) or 'nothing'}", name, call.loc)


def _refuse_rows_of_floats(name: str, arguments: list[types.Type], loc: Any) -> None:
    """Refuse to compare tuples or lists with floats: see `nan_comparisons`."""
    containers = [typ for typ in arguments if kind(typ) in ("list", "tuple", "set", "iterator")]
    items = [typ.dtype for typ in containers if hasattr(typ, "dtype")]
    if any(isinstance(item, types.BaseTuple | types.List) and has_floats(item) for item in items):
        raise refused(f"{name}() of tuples with floats: write a loop that keeps the best", loc)


def _operator(name: str, operands: list[types.Type], loc: Any) -> None:
    kinds = [kind(typ) for typ in operands]
    kinds = kinds[:1] if name in OF_FIRST else kinds
    if "" in kinds or "array" in kinds or {*kinds} <= NUMBERS or name in ("is_", "is_not"):
        return
    numbers = NUMBERS if "None" in kinds else set()  # beside None, which no number equals
    if not {*kinds} <= {*OPERATORS.get(name, "").split()} | numbers:
        _refuse(f"the operator {name} of {' and '.join(map(article, kinds))}", name, loc)


def article(kind: str) -> str:
    """The kind with an article."""
    return f"an {kind}" if kind[0] in "aei" else f"a {kind}"
