"""`compiled_as_whole`, which lets Numba compile a search in half the time.

It replaces methods of Numba while a kernel is compiled: those that link what the kernel calls, those that compute the
same again and again, and those of lists.
"""

import contextlib
import gc
import types as python
from collections.abc import Callable, Iterator
from typing import Any

from numba import types
from numba.core.compiler_lock import global_compiler_lock

from outplay.compile.native import memory
from outplay.compile.native.internals import numba_names
from outplay.compile.native.internals.linking import has_pools, is_ours, linking_at_once
from outplay.compile.native.internals.numba_names import TARGET, ListInstance, Replacement, cgutils, ir, replaced
from outplay.compile.native.losses import QUICK, is_on
from outplay.system.memory import collect_garbage, resident_megabytes

_NATIVE = {int: types.int64, float: types.float64, bool: types.boolean}
_LEAVES = {str, int, float, bool, type(None), type, python.FunctionType, python.BuiltinFunctionType, ir.Loc}
"""The most frequent types of parts of a statement that are not variables."""


def _list_variables(self: Any, value: Any) -> list[Any]:
    """The variables that a statement, or part of one, reads and writes.

    Numba makes a call and a list for each part. Saves 14 % of the function calls of a compilation.
    """
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind is not dict and kind is not list and kind is not tuple:
        return [] if kind in _LEAVES else numba_names.variables_in(self, value)
    variables = []
    for part in value.values() if kind is dict else value:
        kind = type(part)
        if kind is ir.Var:
            variables.append(part)
        elif kind not in _LEAVES:
            variables += _list_variables(self, part)
    return variables


def _announce_nothing(*_: Any, **__: Any) -> None:
    """Do nothing, where Numba announces each call of LLVM to listeners that time the functions being compiled.

    Saves 4 % of the function calls of a compilation.
    """


def _computing_once() -> list[Replacement]:
    """What replaces the functions of Numba that compute the same again and again."""
    get_call_type = types.Function.get_call_type  # notes extensions
    returned: dict[int, Any] = {}
    call_types: dict[Any, Any] = {}
    sizes: dict[str, int] = {}
    defaults: dict[type, dict[str, Any]] = {}

    def return_types_once(self: Any) -> Any:
        """The return types of a function that calls itself; Numba infers them from scratch at each such call.

        Saves 5 % of the function calls of a compilation.
        """
        if not is_ours:
            return numba_names.return_types(self)
        declared = self.func_id.func.__annotations__.get("return")
        if declared in _NATIVE:
            return _NATIVE[declared]
        if id(self) not in returned:
            returned[id(self)] = self, numba_names.return_types(self)
        return returned[id(self)][1]

    def call_type_once(self: Any, context: Any, args: Any, keywords: Any) -> Any:
        """The signature of an operator on numbers; Numba rates all candidates each time.

        Saves 4 % of the time to compile, 15 % of the function calls.
        """
        if keywords or not all(isinstance(arg, (types.Number, types.Boolean)) for arg in args) or not is_ours:
            return get_call_type(self, context, args, keywords)
        if (self, args) not in call_types:
            call_types[self, args] = get_call_type(self, context, args, keywords)
        return call_types[self, args]

    def post_process_when_needed(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        """The lifetimes of variables; Numba computes them nine times per function, and needs them once.

        Saves 4 % of the time to compile, 13 % of the function calls.
        """
        code = self.func_ir
        if emit_dels or code.is_generator or not is_ours:
            numba_names.post_process(self, emit_dels, extend_lifetimes)
        else:
            code.blocks = numba_names.canonical(code.blocks)
            code.variable_lifetime, code.generator_info = numba_names.lifetimes(code.blocks), None

    def size_once(self: Any, kind: Any) -> int:
        """The size of a type in bytes; Numba asks LLVM for it at each variable, with a new module.

        Saves 2 % of the time to compile.
        """
        name = str(kind)
        if name not in sizes:
            sizes[name] = numba_names.size_of(self, kind)
        return sizes[name]

    def values_of_options(self: Any) -> dict[str, Any]:
        """All options of a compilation; Numba looks them up one by one for each overload that it considers.

        Saves 3 % of the time to compile.
        """
        if type(self) not in defaults:
            defaults[type(self)] = {name: option.default for name, option in self.options.items()}
        return {**defaults[type(self)], **self._values}

    return [
        (numba_names.inferer_class, "return_types_from_partial", return_types_once),
        (types.Function, "get_call_type", call_type_once),
        (numba_names.post_processor_class, "run", post_process_when_needed),
        (ir.Inst, "_rec_list_vars", _list_variables),
        (type(TARGET), "get_abi_sizeof", size_once),
        (numba_names.options_class, "values", values_of_options),
        (numba_names.events, "start_event", _announce_nothing),
        (numba_names.events, "end_event", _announce_nothing),
    ]


def _sizes_of_list(context: Any, typ: Any) -> tuple[int, int]:
    """The bytes of a list without items, and of an item."""
    whole, item = (context.get_abi_sizeof(context.get_data_type(part)) for part in (types.ListPayload(typ), typ.dtype))
    return whole - item, item


def _growing_lists() -> list[Replacement]:
    """What replaces the functions of Numba that make and resize lists."""

    def fill_with_zeros(self: Any, start: Any, stop: Any) -> None:
        """Clear unused places of a list; only lists whose items have counters need that.

        Saves up to 7 % of the time of rules that make many lists.
        """
        if not is_ours or TARGET.data_model_manager[self.dtype].contains_nrt_meminfo():
            numba_names.fill_with_zeros(self, start, stop)

    def allocate_list(cls: Any, context: Any, builder: Any, typ: Any, number: Any) -> Any:
        """A new list. An empty one has room for some items; Numba's grows with the first."""
        if number == 0 and is_ours and has_pools():
            number = memory.room(*_sizes_of_list(context, typ))
        return numba_names.allocate_list.__func__(cls, context, builder, typ, number)

    def resize_list(self: Any, number: Any) -> None:
        """Give a list room for a number of items, and this length. It never moves to a smaller block, as Numba's may.

        With the room of empty lists, saves up to 20 % of the time of rules that make many lists.
        """
        if not (is_ours and has_pools()):
            numba_names.resize_list(self, number)
            return
        context, builder = self._context, self._builder
        with builder.if_then(builder.icmp_signed("<", self._payload.allocated, number), likely=False):
            more = builder.add(builder.ashr(number, number.type(1)), number.type(4))
            wanted = builder.add(number, more)
            head, item = map(number.type, _sizes_of_list(context, self._ty))
            size = builder.add(head, builder.mul(wanted, item))
            place = context.nrt.meminfo_varsize_realloc_unchecked(builder, self._list.meminfo, size=size)
            cgutils.guard_memory_error(context, builder, place, "cannot resize list")
            self._payload.allocated = wanted
            self.zfill(self.size, wanted)
        self._payload.size = number

    return [
        (ListInstance, "zfill", fill_with_zeros),
        (ListInstance, "allocate_ex", classmethod(allocate_list)),
        (ListInstance, "resize", resize_list),
    ]


@contextlib.contextmanager
def compiled_as_whole(entry: Any, listen: Callable[[Any, list[Any]], None] | None = None) -> Iterator[None]:
    """In this context, only `entry` becomes machine code; the functions it calls stay LLVM code and are linked in.

    Optimizing once, see `linking`, saves 45 % of the time to compile alpha-beta for Connect Four, and 60 % for chess.

    This replaces methods of Numba's classes, for our own functions and Numba's. Functions of other packages, which an
    extension of Numba may call or compile meanwhile, are compiled as usual. `listen(module, libraries)` is called with
    the linked code before it is optimized.
    """
    if not is_on(QUICK):
        yield
        return
    with global_compiler_lock, is_ours.set_to(True), contextlib.ExitStack() as until_the_end:
        changes = [*linking_at_once(entry, listen, until_the_end), *_computing_once(), *_growing_lists()]
        with replaced(changes), _no_pauses():
            yield


GARBAGE = 512.0
"""By so many megabytes the process may grow until garbage is searched for."""
_megabytes_before = [0.0]


@contextlib.contextmanager
def _no_pauses() -> Iterator[None]:
    """Turn off garbage collection in this context: Numba makes many objects, and keeps nearly all of them.

    Saves 10 % of the time to compile. At the end, the objects count as old without a search for garbage among them,
    which saves 4 % more. After `GARBAGE` megabytes there is such a search: LLVM's code is among what nobody needs.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if resident_megabytes() > _megabytes_before[0] + GARBAGE:
            collect_garbage()
            _megabytes_before[0] = resident_megabytes()
        elif not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()
