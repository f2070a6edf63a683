"""Numba's private names: everything undocumented that outplay uses of Numba is in this file.

A new version of Numba may rename or remove any of these names. There are two kinds:

- **Needed**: without one of them, rules cannot be compiled with Python's meaning, and importing this file fails. Then
  every game runs interpreted.
- **For speed**: without one of them, the technique that uses it is off. See `losses`.

`probe` checks names that an import does not check: methods, and attributes of Numba's objects.

The second half of the file is `whole`, which lets Numba compile a search in half the time.
"""

import contextlib
import functools
import gc
import importlib
import inspect
import itertools
import os
import secrets
import threading
import types as python
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import llvmlite.binding
import numba.extending
from numba import types
from numba.core import cgutils, errors, ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler import Compiler, run_frontend
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.dispatcher import Dispatcher
from numba.core.imputils import (
    RefType,
    impl_ret_borrowed,
    iternext_impl,
    lower_builtin,
    lower_constant,
    lower_getattr_generic,
    lower_setattr_generic,
)
from numba.core.ir_utils import build_definitions, convert_code_obj_to_function, get_definition, guard, mk_unique_var
from numba.core.registry import cpu_target
from numba.core.typed_passes import NopythonTypeInference, PreLowerStripPhis
from numba.core.typeinfer import TypeInferer
from numba.core.types import containers
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    Signature,
    builtin_registry,
    infer_getattr,
    infer_global,
)
from numba.core.untyped_passes import InlineClosureLikes, RewriteSemanticConstants
from numba.cpython.listobj import ListInstance
from numba.experimental.structref import _Utils as StructUtils
from numba.experimental.structref import new as new_struct
from numba.np.numpy_support import as_dtype, from_dtype
from numba.typed.dictobject import impl_iterator_iternext

from outplay.compile.native import memory
from outplay.compile.native.losses import CALLS, DISK, POOLS, QUICK, START, is_on, lose, tell
from outplay.system.uninterrupted import locks_at_fork

# -- dicts of lists ----------------------------------------------------------------------------------------------------


def _refuse_keys(key: types.Type, _: types.Type) -> None:
    """Refuse dicts with keys that cannot be hashed, as Numba does, but not lists and sets as values, which compile."""
    if isinstance(key, (types.Set, types.List)):
        raise errors.TypingError(f"{key} as key is forbidden")


if not hasattr(containers, "_sentry_forbidden_types"):
    raise ImportError("Numba's test of the types of dicts has another name")
containers._sentry_forbidden_types = _refuse_keys


# -- names of machine code ---------------------------------------------------------------------------------------------


def _number_anew() -> None:
    """Give the functions that this process compiles other names than those of any other process.

    Machine code from disk is linked by name: two functions with the same name, such as two closures of one function,
    would become one.
    """
    FunctionIdentity._unique_ids = itertools.count(1 + (secrets.randbits(48) << 16))


_number_anew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_number_anew)
locks_at_fork.append(global_compiler_lock)


# -- names, looked up --------------------------------------------------------------------------------------------------


def _find(technique: str, module: str, name: str) -> Any:
    """A name in Numba that is needed only for speed; None, and the technique is lost, if this version lacks it."""
    found: Any = None
    try:
        found = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        lose(technique, f"{module}.{name}")
        return None
    return found


# The type of a value as bytes, as in Numba's own calls; `typeof_pyval` takes a hundred times as long.
_compute_fingerprint = _find(CALLS, "numba._dispatcher", "compute_fingerprint")

# Compiled code to bytes and back.
_reduce = _find(DISK, "numba.core.compiler", "CompileResult._reduce")
_rebuild = _find(DISK, "numba.core.compiler", "CompileResult._rebuild")
_pickler = _find(DISK, "numba.core.serialize", "NumbaPickler")

# The runtime that arrays need in machine code.
_start_runtime = _find(START, "numba.core.runtime", "rtsys.initialize")

# How Numba counts references; `memory` knows it too.
_counter = _find(POOLS, "numba.core.runtime.nrtdynmod", "_meminfo_struct_type")

# Replaced by `whole` while it is active.
_library = _find(QUICK, "numba.core.codegen", "CPUCodeLibrary")
_finalize = _find(QUICK, "numba.core.codegen", "CPUCodeLibrary.finalize")
_optimize_functions = _find(QUICK, "numba.core.codegen", "CPUCodeLibrary._optimize_functions")
_module_for_linking = _find(QUICK, "numba.core.codegen", "CPUCodeLibrary._get_module_for_linking")
_get_executable = _find(QUICK, "numba.core.cpu", "CPUContext.get_executable")
_compiler = importlib.import_module("numba.core.compiler")
_compile_extra = _find(QUICK, "numba.core.compiler", "compile_extra")
_compile_for_args = _find(QUICK, "numba.core.dispatcher", "Dispatcher._compile_for_args")
_inferer = _find(QUICK, "numba.core.typeinfer", "TypeInferer")
_return_types = _find(QUICK, "numba.core.typeinfer", "TypeInferer.return_types_from_partial")
_post_processor = _find(QUICK, "numba.core.postproc", "PostProcessor")
_post_process = _find(QUICK, "numba.core.postproc", "PostProcessor.run")
_variables_in = _find(QUICK, "numba.core.ir", "Inst._rec_list_vars")
_size_of = _find(QUICK, "numba.core.cpu", "CPUContext.get_abi_sizeof")
_events = _find(QUICK, "numba.core", "event")
_announce_start = _find(QUICK, "numba.core.event", "start_event")
_announce_end = _find(QUICK, "numba.core.event", "end_event")
_call_type = _find(DISK, "numba.core.types", "Function.get_call_type")

# Used by `whole`.
_pointer_prefix = _find(QUICK, "numba.core.codegen", "RuntimeLinker.PREFIX")
_set_environment = _find(QUICK, "numba.core.codegen", "JITCPUCodegen.set_env")
_environment = _find(QUICK, "numba.core.environment", "lookup_environment")
_lifetimes = _find(QUICK, "numba.core.postproc", "VariableLifetime")
_canonical = _find(QUICK, "numba.core.transforms", "canonicalize_cfg")
_run_pass = _find(QUICK, "numba.core.compiler_machinery", "PassManager._runPass")
_options = _find(QUICK, "numba.core.targetconfig", "TargetConfig")
_fill_with_zeros = _find(QUICK, "numba.cpython.listobj", "ListInstance.zfill")
_allocate_list = _find(QUICK, "numba.cpython.listobj", "ListInstance.allocate_ex")
_resize_list = _find(QUICK, "numba.cpython.listobj", "ListInstance.resize")
_values_of_options = _find(QUICK, "numba.core.targetconfig", "TargetConfig.values")


@functools.cache
def start_quickly() -> None:
    """Keep Numba from loading all of scipy.linalg just to check that it exists. Saves 0.15 s.

    It exists, since outplay depends on SciPy. Rules that use linear algebra load it when they compile. Call this only
    where Numba's functions on arrays are needed; most code from disk does not need them, which saves 0.04 s.
    """
    look = _find(START, "numba.np.linalg", "ensure_blas")
    if look is None:
        tell()
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    linalg.ensure_blas = lambda: None
    try:
        arraymath: Any = importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look
    arraymath.ensure_blas = look


# -- names, probed -----------------------------------------------------------------------------------------------------

_TYPING, _TARGET = cpu_target.typing_context, cpu_target.target_context
NEEDED: list[tuple[Any, str]] = [
    *((_TYPING, name) for name in ("refresh", "resolve_function_type", "resolve_value_type", "_lookup_global")),
    *((_TARGET, name) for name in ("refresh", "cast", "get_function", "get_constant_generic", "get_dummy_value")),
    *((_TARGET, name) for name in ("make_array", "make_helper", "make_tuple", "compile_internal", "get_data_type")),
    *((_TARGET, name) for name in ("pack_value", "unpack_value", "call_conv", "data_model_manager", "codegen")),
    (Compiler, "define_pipelines"),
    (FunctionIdentity, "_unique_ids"),
    *((PassManager(""), name) for name in ("add_pass_after", "finalize", "passes")),
    (types.Dispatcher, "get_call_type"),
    *((Dispatcher, name) for name in ("typeof_pyval", "get_call_template", "compile")),
    *((ListInstance, name) for name in ("allocate", "_gep")),
    *((cgutils, name) for name in ("alloca_once_value", "for_range", "if_unlikely", "pack_struct", "unpack_tuple")),
    *((cgutils, name) for name in ("get_or_insert_function", "true_bit", "false_bit", "bool_t", "voidptr_t")),
    *((ir, name) for name in ("Arg", "Assign", "Const", "Del", "Expr", "FreeVar", "Global", "Inst", "Return", "Var")),
    *((ir, name) for name in ("DelItem", "SetItem", "StaticSetItem", "Yield")),
    *((ir.Expr, name) for name in ("build_list", "call", "getattr", "unary")),
    *((errors, name) for name in ("NumbaError", "TypingError")),
]
FOR_SPEED: list[tuple[str, Any, str]] = [
    *((QUICK, _library, name) for name in ("_raise_if_finalized", "_finalize_dynamic_globals", "_finalized")),
    (DISK, _library, "has_dynamic_globals"),
    (QUICK, PassManager(""), "_analysis"),
    (QUICK, _TARGET.codegen(), "_data_layout"),
]
OF_A_LIBRARY = ("_final_module", "_linking_libraries", "_reload_init", "_shared_module", "_codegen")


def probe() -> None:
    """Check names that an import does not check; raise if a needed one is missing, note those for speed."""
    missing = [f"{_named(owner)}.{name}" for owner, name in NEEDED if not hasattr(owner, name)]
    templates = builtin_registry.functions
    for name in ("_overload_func", "_definition_func"):
        if not any(hasattr(template, name) for template in templates):  # then extensions look like Numba
            lose(DISK, f"numba.core.typing.templates.….{name}")
    for technique, owner, name in FOR_SPEED:
        if owner is not None and not hasattr(owner, name):
            lose(technique, f"{_named(owner)}.{name}")
    for function, parameters in ((_finalize, 1), (_optimize_functions, 2), (_get_executable, 4), (_return_types, 1)):
        if function is not None and len(inspect.signature(function).parameters) != parameters:
            lose(QUICK, _named(function))
    if _library is not None and not hasattr(_library, "_optimize_final_module"):
        lose(POOLS, f"{_named(_library)}._optimize_final_module")
    if str(_counter) != "{i64, i8*, i8*, i8*, i64}":
        lose(POOLS, "numba.core.runtime.nrtdynmod._meminfo_struct_type")
    if _library is not None:
        library = _TARGET.codegen().create_library("probe")
        for name in OF_A_LIBRARY:
            if not hasattr(library, name):
                lose(QUICK, f"{_named(_library)}.{name}")
                lose(DISK, f"{_named(_library)}.{name}")
    if missing:
        raise AttributeError(", ".join(missing))


def _named(thing: Any) -> str:
    """The name of an object of Numba in a warning."""
    if inspect.ismodule(thing):
        return thing.__name__
    thing = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{thing.__module__}.{thing.__qualname__}"


# -- needed ------------------------------------------------------------------------------------------------------------


def refused(reason: str, place: Any = None) -> errors.TypingError:
    """An error that makes rules run interpreted; `reason` names the remedy, `place` another line than that at hand."""
    return errors.TypingError(f"NotNative: {reason}", loc=place)


def definitions_of(code: Any) -> Any:
    """Everything that a function assigns to each variable, by name."""
    return code._definitions


def rebuild_definitions(code: Any) -> None:
    """Recompute the assignments of a function."""
    code._definitions = build_definitions(code.blocks)


def put(code: Any, statement: Any, value: Any) -> None:
    """Let an assignment have another value."""
    definitions = definitions_of(code)[statement.target.name]
    definitions[definitions.index(statement.value)] = value
    statement.value = value


def typed(function: Any, choose: Callable[[Any], Any]) -> None:
    """Let Numba know the signature of the calls of a function, by the types of the arguments."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, args: Any, keywords: Any) -> Any:
            return choose(args)

    builtin_registry.register_global(function, types.Function(Template))


def attributes_of(kind: Any, find: Callable[[Any, Any, str], Any]) -> None:
    """Let Numba know the attributes of a class of types: `find(context, typ, name)` gives the type of one, or None."""

    @infer_getattr
    class Template(AttributeTemplate):
        key = kind

        def generic_resolve(self, typ: Any, name: str) -> Any:
            return find(self.context, typ, name)


def opaque(*kinds: Any) -> None:
    """Represent values of these types of ours by nothing in machine code: their type says all."""
    for kind in kinds:
        numba.extending.register_model(kind)(numba.extending.models.OpaqueModel)
        lower_constant(kind)(lambda context, *_: context.get_dummy_value())


def new_variable(code: Any, block: Any, body: list[Any], value: Any) -> Any:
    """A new variable with this value, which `body`, the new statements of the block, assigns."""
    variable = ir.Var(block.scope, mk_unique_var("$made"), value.loc)
    body.append(ir.Assign(value, variable, value.loc))
    definitions_of(code)[variable.name].append(value)
    return variable


def values_assigned(blocks: Any) -> dict[str, list[Any]]:
    """The values that are assigned to each variable, by its name."""
    values: dict[str, list[Any]] = {}
    for block in blocks.values():
        for statement in block.find_insts(ir.Assign):
            values.setdefault(statement.target.name, []).append(statement.value)
    return values


def selves(values: dict[str, list[Any]]) -> set[str]:
    """The variables that are the first argument, and nothing else, by the values that are assigned to each variable."""
    found: set[str] = set()
    size = -1
    while size != (size := len(found)):
        for name, [value, *others] in values.items():
            is_first = isinstance(value, ir.Arg) and value.index == 0
            if not others and (is_first or (isinstance(value, ir.Var) and value.name in found)):
                found.add(name)
    return found


def is_argument(step: Any) -> bool:
    """Whether this statement takes an argument of the function."""
    return isinstance(step, ir.Assign) and isinstance(step.value, ir.Arg)


def _remove_closures(code: Any) -> None:
    """Remove the functions, lists and tuples that nothing reads after closures were inlined.

    Numba removes everything that nothing reads, and assignments to its items, with the errors that they would raise.
    """
    statements = [each for block in code.blocks.values() for each in block.body if not isinstance(each, ir.Del)]
    functions = _functions(code.blocks)
    size = -1
    while size != (size := len(statements)):
        read = {variable.name for statement in statements for variable in read_by(statement)}
        statements = [
            statement
            for statement in statements
            if not _is_harmless(statement, functions) or statement.target.name in read
        ]
    left = {id(statement) for statement in statements}
    for block in code.blocks.values():
        block.body = [each for each in block.body if id(each) in left]


def _functions(blocks: Any) -> set[str]:
    """The variables that are set to inner functions alone, and to the tuples of what these capture."""
    values = values_assigned(blocks)
    made = [value for each in values.values() for value in each if _is_function(value, set())]
    found = {value.closure.name for value in made if isinstance(value.closure, ir.Var)}
    size = -1
    while size != (size := len(found)):
        found |= {name for name, each in values.items() if all(_is_function(value, found) for value in each)}
    return found


def _is_function(value: Any, functions: set[str]) -> bool:
    if isinstance(value, ir.Var):
        return value.name in functions
    return isinstance(value, ir.Expr) and value.op == "make_function"


def read_by(statement: Any) -> Any:
    """The variables that a statement reads."""
    value = statement.value if isinstance(statement, ir.Assign) else statement
    if isinstance(value, ir.Var):
        return [value]
    return value.list_vars() if isinstance(value, ir.Inst) else []


def _is_harmless(statement: Any, functions: set[str]) -> bool:
    """Whether a statement only sets a variable, to something that cannot raise an error."""
    value = statement.value if isinstance(statement, ir.Assign) else None
    if isinstance(value, ir.Expr) and value.op == "getattr":
        return bool(value.attr == "append")  # of a list that became an array
    if isinstance(value, ir.Expr) and value.op not in ("make_function", "build_list", "build_tuple"):
        return False
    if isinstance(value, ir.Expr | ir.Var) and statement.target.name not in functions:
        return all(each.name.startswith("$") for each in read_by(statement))  # others may be unassigned
    return value is not None and not isinstance(value, ir.Yield)


class Pass(FunctionPass):
    """A pass over a function."""

    def __init__(self) -> None:
        FunctionPass.__init__(self)


OF_INLINING = "dead_code_elimination"


@functools.cache
def _inlining() -> Any:
    """Numba's module that inlines closures; code from disk does not need it."""
    found = importlib.import_module("numba.core.inline_closurecall")
    getattr(found, OF_INLINING)  # where Numba lacks it, nothing compiles
    return found


@register_pass(mutates_CFG=True, analysis_only=False)
class _InlineClosures(InlineClosureLikes):
    """Inlines closures, and leaves in place what nothing reads."""

    _name = "outplay_inline_closures"

    def run_pass(self, state: Any) -> bool:
        with _replaced([(_inlining(), OF_INLINING, _remove_closures)]):
            changed: bool = super().run_pass(state)
            return changed


INFERERS: list[Any] = []
"""The class that infers the types of rules; filled by `meaning.passes`."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _InferTypes(NopythonTypeInference):
    """Infers types, also those of empty containers."""

    _name = "outplay_infer_types"

    def run_pass(self, state: Any) -> bool:
        module = importlib.import_module("numba.core.typed_passes").typeinfer
        with _replaced([(module, "TypeInferer", each) for each in INFERERS]):
            changed: bool = super().run_pass(state)
            return changed


def add_passes(manager: Any, *pairs: tuple[Any, Any]) -> None:
    """Add passes to a list: for each (new, old), `new` after `old`.

    Closures are inlined without losing errors, and types are inferred also of empty containers.
    """
    for new, old in pairs:
        manager.add_pass_after(new, old)
    _inlining()
    ours = {InlineClosureLikes: _InlineClosures, NopythonTypeInference: _InferTypes}
    manager.passes = [(ours.get(old, old), text) for old, text in manager.passes]
    manager._finalized = False
    manager.finalize()


def fields_of_type(typ: Any, **fields: Any) -> None:
    """Represent values of a type of ours in machine code by these fields; each is a type, or computes it."""

    def model(manager: Any, typ: Any) -> Any:
        members = [(name, each if isinstance(each, types.Type) else each(typ)) for name, each in fields.items()]
        return numba.extending.models.StructModel(manager, typ, members)

    numba.extending.register_model(typ)(model)


@numba.extending.intrinsic
def value_in(typing: Any, field: types.Optional) -> Any:
    """In compiled code: the value of what is not None here."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = context.make_helper(builder, signature.args[0], args[0]).data
        return impl_ret_borrowed(context, builder, signature.return_type, found)

    return field.type(field), lower


def value_or_error(value: types.Type, message: str) -> Any:
    """The form of a function that gives a value of this type, and raises `TypeError` with this message for None."""
    if not isinstance(value, types.Optional):
        return lambda value: value

    def tested(value: Any) -> Any:
        if value is None:
            raise TypeError(message)
        return value_in(value)

    return tested


def wrapping(kind: Any, name: str, typ_of: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The functions in compiled code that make a value of a type of ours from its only field, and give the field.

    `typ_of` gives the type of the value for that of the field, or None.
    """

    @numba.extending.intrinsic
    def wrap(typing: Any, field: types.Type) -> Any:
        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            made = cgutils.create_struct_proxy(signature.return_type)(context, builder)
            setattr(made, name, args[0])
            context.nrt.incref(builder, signature.args[0], args[0])
            return made._getvalue()

        made = typ_of(field)
        return None if made is None else (made(field), lower)

    @numba.extending.intrinsic
    def unwrap(typing: Any, value: types.Type) -> Any:
        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            field = getattr(cgutils.create_struct_proxy(signature.args[0])(context, builder, args[0]), name)
            context.nrt.incref(builder, signature.return_type, field)
            return field

        return (getattr(value, name)(value), lower) if isinstance(value, kind) else None

    return wrap, unwrap


@numba.extending.intrinsic
def no_ints(typing: Any) -> Any:
    """In compiled code: a new empty list of ints, whose type Numba knows at once."""
    typ = types.List(types.int64)
    return typ(), lambda context, builder, *_: ListInstance.allocate(context, builder, typ, 0).value


def list_of_equals(context: Any, builder: Any, typ: Any, item: Any, number: Any) -> Any:
    """A list of this type with a number of items, all the same number or bool."""
    none = number.type(0)
    number = builder.select(builder.icmp_signed("<", number, none), none, number)
    made = ListInstance.allocate(context, builder, typ, number)
    made.size = number
    place, value = made._gep(none), made._datamodel.as_data(builder, item)
    with cgutils.for_range(builder, number) as loop:
        builder.store(value, builder.gep(place, [loop.index]))
    return made.value


def is_numbas(function: types.Function | types.BoundFunction, signature: Any) -> bool:
    """Whether Numba itself compiles a call, and no overload of ours or of users."""
    if isinstance(function, types.BoundFunction):
        written = [getattr(function.template, "_overload_func", function.template)]
    else:
        chosen, args = function.get_impl_key(signature), signature.args
        overloads = [template for template in function.templates if hasattr(template, "_compiled_overloads")]
        written = [
            overload._overload_func for overload in overloads if overload._compiled_overloads.get(args) is chosen
        ]
    return all(each.__module__.partition(".")[0] == "numba" for each in written)


def has_overload(function: Any) -> bool:
    """Whether Numba already compiles calls of `function` through an overload."""
    start_quickly()
    _TYPING.refresh()
    return _TYPING._lookup_global(function) is not None


# -- for speed: other than `whole` -------------------------------------------------------------------------------------


def kind_of(dispatcher: Any, arg: Any) -> Any:
    """A key that differs for values of different types."""
    if _compute_fingerprint is not None:
        try:
            return _compute_fingerprint(arg)
        except NotImplementedError:  # games, and other constants of compiled code
            pass
    return number_of(dispatcher.typeof_pyval(arg))


def number_of(typ: Any) -> int:
    """The number that Numba gives a type; to hash the type itself takes as long as to run a short kernel."""
    return typ._code  # type: ignore[no-any-return]


OF_TEXTS = ("_get_code_point", "_empty_string", "_set_code_point", "_get_str_slice_view")


def parts_of_texts() -> list[Any]:
    """Functions of texts: the number of a character; a new text of a kind, length and whether it is ASCII.

    Then one that sets a character, and one that gives a view.
    """
    unicode = importlib.import_module("numba.cpython.unicode")
    return [getattr(unicode, name) for name in OF_TEXTS]


def code_point_of_text() -> Any:
    """The function `(text, index)` that gives the number of a character without making a string of it."""
    return parts_of_texts()[0]


def keep_on(dispatcher: Any, disk: Any) -> bool:
    """Let `disk` save and load the code of this dispatcher; False if that is not possible."""
    if not is_on(DISK):
        return False
    if hasattr(dispatcher, "_cache"):
        dispatcher._cache = disk
        return True
    lose(DISK, "numba.core.dispatcher.Dispatcher._cache")
    tell()
    return False


def packed(compiled: Any) -> Any:
    """Compiled code for a pickler; None if its parts call each other through pointers.

    Functions that call each other in a circle use pointers that do not exist when the code is loaded again.
    """
    module = compiled.library._final_module
    if any(".numba.unresolved$" in global_variable.name for global_variable in module.global_variables):
        return None
    named = [each.name for each in (*module.functions, *module.global_variables) if each.is_declaration]
    return [name for name in named if not name.startswith("llvm.")], _reduce(compiled)


def unpacked(context: Any, packed: Any) -> Any:
    """The inverse of `packed`."""
    names, parts = packed
    _supply(context, names)
    return _rebuild(context, *parts)


def _supply(context: Any, names: Iterable[str]) -> None:
    """Make sure that this process has everything that machine code uses by these names.

    Before it loads anything, Numba imports everything that it can compile; machine code needs hardly any of it. Saves
    0.08 s per start.
    """
    if _start_runtime is not None:
        _start_runtime(context)
    if _start_runtime is None or not all(map(llvmlite.binding.address_of_symbol, names)):
        start_quickly()
        context.refresh()


def pickler(file: Any, name_of: Callable[[Any], Any]) -> Any:
    """Numba's pickler; `name_of(thing)` is the name that replaces an object in the file, or None."""
    return type("Pickler", (_pickler,), {"persistent_id": lambda _, thing: name_of(thing)})(file)


def written_by(template: Any) -> list[Any]:
    """The objects that define how a call compiles."""
    given = [getattr(template, name, None) for name in ("_overload_func", "_definition_func")]
    cells = getattr(getattr(template, "generic", None), "__closure__", None) or ()
    return [*given, *(cell.cell_contents for cell in cells)]


def _has_closures(state: Any) -> bool:
    """Whether there may be something to inline: a closure, a stencil, a call of `reduce`, or an array of a list."""
    for block in state.func_ir.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            value = assignment.value
            if isinstance(value, ir.Expr):
                named = value.attr if value.op == "getattr" else value.op
            elif isinstance(value, ir.Global | ir.FreeVar):
                named = "stencil" if type(value.value).__name__ == "StencilFunc" else value.name
            else:
                continue
            if named in ("make_function", "build_list", "reduce", "stencil"):
                return True
    return False


def _computes_arrays(state: Any) -> bool:
    """Whether there may be something to rewrite: an operation that makes an array, or an index that is a string."""
    kinds = state.typemap
    if any(isinstance(kind, types.StringLiteral) for kind in kinds.values()):
        return True
    return any(
        isinstance(assignment.value, ir.Expr)
        and assignment.value.op in ("unary", "binop", "inplace_binop", "call")
        and isinstance(kinds.get(assignment.target.name), types.Array)
        for block in state.func_ir.blocks.values()
        for assignment in block.find_insts(ir.Assign)
    )


_CONDITIONS: dict[str, Callable[[Any], bool]] = {
    "_InlineClosures": _has_closures,
    "NopythonRewrites": _computes_arrays,
}
"""Passes that most functions do not need, and whether one may. Saves 5 % of the time to compile."""


class _Passes(PassManager):
    """Numba's list of passes, run without announcing each pass to listeners, and without those that do nothing.

    Saves 4 % of the function calls of a compilation.
    """

    def _runPass(self, index: int, compiler_pass: Any, state: Any) -> None:  # noqa: N802 - Numba's name
        is_needed = _CONDITIONS.get(type(compiler_pass).__name__)
        if is_needed is not None and not is_needed(state):
            return
        compiler_pass.analysis = self._analysis
        compiler_pass.run_initialization(state)
        compiler_pass.run_pass(state)
        compiler_pass.run_finalizer(state)


def run_quietly(manager: Any) -> None:
    """Run these passes without announcements."""
    if is_on(QUICK):
        manager.__class__ = _Passes


# -- for speed: `whole` ------------------------------------------------------------------------------------------------

_NATIVE = {int: types.int64, float: types.float64, bool: types.boolean}
_parts: Any = weakref.WeakValueDictionary()
"""The code of each part, by the name of its function."""


class _Compiled(threading.local):
    """What this thread is compiling."""

    def __init__(self) -> None:
        self.are_ours = [False]
        """For each function being compiled, the innermost last: whether `whole` applies to it."""


_compiled = _Compiled()


def _is_ours() -> bool:
    """Whether the function being compiled is ours, or one of Numba's that ours calls."""
    return _compiled.are_ours[-1]


def _link(module: Any, libraries: Iterable[Any]) -> None:
    """Link `libraries`, which come callees first, into `module`; callers first, else LLVM drops the callees.

    Functions that call each other in a circle use a pointer, which Numba fills in when all functions exist. Here they
    do, except functions that were first part of another kernel and are called only from there.
    """
    for library in reversed(list(libraries)):
        module.link_in(_module_for_linking(library), preserve=True)
    closed: set[str] = set()
    while pointers := {p.name for p in module.global_variables if _pointer_prefix in p.name} - closed:
        for name in pointers:
            function = name.removeprefix(_pointer_prefix)
            link = f'@"{name}" = linkonce_odr constant ptr @"{function}"\ndeclare void @"{function}"()\n'
            module.link_in(llvmlite.binding.parse_assembly(link))
            if module.get_function(function).is_declaration:
                _link(module, parts_of([_parts[function]]))
        closed |= pointers


llvmlite.binding.add_symbol("outplay_pow", llvmlite.binding.address_of_symbol("pow"))
"""The C library's `pow` under a name that LLVM does not know, and so does not replace by `x * x` or `1 / x`."""
if memory.are_supported():
    llvmlite.binding.add_symbol("outplay_pools", memory.address())


def _use_pools(library: Any, parts: list[Any]) -> None:
    """Link `parts` into a library, with the functions of `memory` in place of Numba's.

    Those that count references are inlined after Numba has optimized the code: by their names, it finds calls that
    cancel out.

    Code is linked by name, even what is internal: so that no other code gets a function that uses our memory, nor ours
    one that uses Numba's, all but the entry get names of their own at the end.
    """
    module = library._final_module
    module.link_in(llvmlite.binding.parse_assembly(memory.MODULE))  # first, so Numba's are not
    _link(module, parts)
    own = [each for each in module.functions if each.name.startswith(("NRT_", "outplay_")) and not each.is_declaration]
    for function in own:
        if function.name not in memory.SHARED:
            function.linkage = "internal"
    optimize, mark = library._optimize_final_module, secrets.token_hex(8)

    def optimize_count_and_name() -> None:
        optimize()
        module.link_in(llvmlite.binding.parse_assembly(memory.COUNTS))
        for name in memory.SHARED:
            module.get_function(name).linkage = "internal"
        inline, builder = _inliner()
        inline.run(module, builder)
        for function in module.functions:
            if not function.is_declaration and function.linkage.name != "external":
                function.name = f"{mark}_{function.name}"

    library._optimize_final_module = optimize_count_and_name


@functools.cache
def _inliner() -> tuple[Any, Any]:
    """The pass that puts functions marked so in place of their calls."""
    machine = llvmlite.binding.Target.from_default_triple().create_target_machine()
    builder = llvmlite.binding.create_pass_builder(machine, llvmlite.binding.create_pipeline_tuning_options())
    passes = llvmlite.binding.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    return passes, builder


def parts_of(libraries: Iterable[Any]) -> list[Any]:
    """These libraries and everything they call, callees first."""
    callees_first: dict[Any, None] = {}

    def visit(library: Any) -> None:
        for called in library._linking_libraries:
            if called not in callees_first:
                visit(called)
        callees_first[library] = None

    for library in libraries:
        visit(library)
    return list(callees_first)


def _complete(library: Any) -> Any:
    """A part together with everything it calls in one module, as Numba's own linking requires."""
    del library._get_module_for_linking
    _link(library._final_module, parts_of(library._linking_libraries))
    library._shared_module = None
    return _module_for_linking(library)


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
        return [] if kind in _LEAVES else _variables_in(self, value)
    found = []
    for part in value.values() if kind is dict else value:
        kind = type(part)
        if kind is ir.Var:
            found.append(part)
        elif kind not in _LEAVES:
            found += _list_variables(self, part)
    return found


def _announce_nothing(*_: Any, **__: Any) -> None:
    """Do nothing, where Numba announces each call of LLVM to listeners that time the functions being compiled.

    Saves 4 % of the function calls of a compilation.
    """


def _raise_without_shapes(source: Any, target: Any) -> None:
    """Raise, in compiled code, for an assignment between arrays of different shapes.

    Numba puts the shapes into the message, which takes 40 functions. This saves a fifth of the time to compile rules
    with `array[indices] = values`, such as those of tic-tac-toe.
    """


@numba.extending.overload(_raise_without_shapes, strict=False)
def _implement_raise_without_shapes(source: types.Type, target: types.Type) -> Any:
    def refuse(source: Any, target: Any) -> None:
        raise ValueError("cannot assign an array of a different shape to part of an array")

    return refuse


def _sizes_of_list(context: Any, typ: Any) -> tuple[int, int]:
    """The bytes of a list without items, and of an item."""
    whole, item = (context.get_abi_sizeof(context.get_data_type(each)) for each in (types.ListPayload(typ), typ.dtype))
    return whole - item, item


@contextlib.contextmanager
def whole(entry: Any, listen: Callable[[Any, list[Any]], None] | None = None) -> Iterator[None]:
    """In this context, only `entry` becomes machine code; the functions it calls stay LLVM code and are linked in.

    Numba fully optimizes every function together with those that it calls, and makes it callable from Python; so
    functions are optimized again for each caller. Doing this once saves 45 % of the time to compile alpha-beta for
    Connect Four, and 60 % for chess.

    This replaces methods of Numba's classes, for our own functions and Numba's. Functions of other packages, which an
    extension of Numba may call or compile meanwhile, are compiled as usual. `listen(module, libraries)` is called with
    the linked code before it is optimized.
    """
    if not is_on(QUICK):
        yield
        return
    name_of_whole = entry.py_func.__qualname__

    def compile_extra(typing_context: Any, target_context: Any, function: Any, *args: Any, **keywords: Any) -> Any:
        """Enter the compiler: note whose function is next."""
        if not late:  # only now: code loaded from disk does not need it
            with contextlib.suppress(ImportError):  # then compiling is only slower
                arrays = importlib.import_module("numba.np.arrayobj")
                late.append((arrays, "raise_with_shape_context", _raise_without_shapes))
                stack.enter_context(_replaced(late))
        module = getattr(function, "__module__", None) or ""  # ours for what we compile: see `native_function`
        with _compiling(_is_ours() and module.partition(".")[0] in ("numba", "outplay")):
            return _compile_extra(typing_context, target_context, function, *args, **keywords)

    def compile_for_args(self: Any, *args: Any, **keywords: Any) -> Any:
        """Compile for a call from Python, which needs machine code."""
        with _compiling(False):
            return _compile_for_args(self, *args, **keywords)

    def optimize_functions(self: Any, module: Any) -> None:
        if not _is_ours():
            _optimize_functions(self, module)
            return
        module.data_layout = self._codegen._data_layout

    def finalize(self: Any) -> None:
        if not _is_ours():
            _finalize(self)
            return
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        if name_of_whole in self.name:
            parts = parts_of(self._linking_libraries)
            if has_pools:
                _use_pools(self, parts)
            else:
                _link(self._final_module, parts)
            self._linking_libraries.clear()
            if listen is not None:
                listen(self._final_module, parts)
            _finalize(self)
            return
        self._finalize_dynamic_globals()
        self._finalized = True
        self._get_module_for_linking = functools.partial(_complete, self)

    def get_executable(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
        if _is_ours() and name_of_whole not in library.name:
            _parts[fndesc.mangled_name] = library
            return [].append  # any unique object
        executable = _get_executable(self, library, fndesc, env)
        if _is_ours():
            for pointer in library._final_module.global_variables:  # those of the parts too: exceptions need them
                environment = _environment(pointer.name) if "NumbaEnv" in pointer.name else None
                if environment is not None:
                    library.codegen.set_env(pointer.name, environment)
        return executable

    def return_types_once(self: Any) -> Any:
        """The return types of a function that calls itself; Numba infers them from scratch at each such call.

        Saves 5 % of the function calls of a compilation.
        """
        if not _is_ours():
            return _return_types(self)
        declared = self.func_id.func.__annotations__.get("return")
        if declared in _NATIVE:
            return _NATIVE[declared]
        if id(self) not in returned:
            returned[id(self)] = self, _return_types(self)
        return returned[id(self)][1]

    def call_type_once(self: Any, context: Any, args: Any, keywords: Any) -> Any:
        """The signature of an operator on numbers; Numba rates all candidates each time.

        Saves 4 % of the time to compile, 15 % of the function calls.
        """
        if keywords or not all(isinstance(arg, (types.Number, types.Boolean)) for arg in args) or not _is_ours():
            return get_call_type(self, context, args, keywords)
        if (self, args) not in call_types:
            call_types[self, args] = get_call_type(self, context, args, keywords)
        return call_types[self, args]

    def post_process_when_needed(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        """The lifetimes of variables; Numba computes them nine times per function, and needs them once.

        Saves 4 % of the time to compile, 13 % of the function calls.
        """
        code = self.func_ir
        if emit_dels or code.is_generator or not _is_ours():
            _post_process(self, emit_dels, extend_lifetimes)
        else:
            code.blocks = _canonical(code.blocks)
            code.variable_lifetime, code.generator_info = _lifetimes(code.blocks), None

    def size_once(self: Any, kind: Any) -> int:
        """The size of a type in bytes; Numba asks LLVM for it at each variable, with a new module.

        Saves 2 % of the time to compile.
        """
        name = str(kind)
        if name not in sizes:
            sizes[name] = _size_of(self, kind)
        return sizes[name]

    def fill_with_zeros(self: Any, start: Any, stop: Any) -> None:
        """Clear unused places of a list; only lists whose items have counters need that.

        Saves up to 7 % of the time of rules that make many lists.
        """
        if not _is_ours() or _TARGET.data_model_manager[self.dtype].contains_nrt_meminfo():
            _fill_with_zeros(self, start, stop)

    def allocate_list(cls: Any, context: Any, builder: Any, typ: Any, number: Any) -> Any:
        """A new list. An empty one has room for some items; Numba's grows with the first."""
        if number == 0 and _is_ours() and has_pools:
            number = memory.room(*_sizes_of_list(context, typ))
        return _allocate_list.__func__(cls, context, builder, typ, number)

    def resize_list(self: Any, number: Any) -> None:
        """Give a list room for a number of items, and this length. It never moves to a smaller block, as Numba's may.

        With the room of empty lists, saves up to 20 % of the time of rules that make many lists.
        """
        if not (_is_ours() and has_pools):
            _resize_list(self, number)
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

    def values_of_options(self: Any) -> dict[str, Any]:
        """All options of a compilation; Numba looks them up one by one for each overload that it considers.

        Saves 3 % of the time to compile.
        """
        if type(self) not in defaults:
            defaults[type(self)] = {name: option.default for name, option in self.options.items()}
        return {**defaults[type(self)], **self._values}

    has_pools = memory.are_supported() and is_on(POOLS)
    get_call_type = types.Function.get_call_type  # notes extensions
    returned: dict[int, Any] = {}
    call_types: dict[Any, Any] = {}
    sizes: dict[str, int] = {}
    defaults: dict[type, dict[str, Any]] = {}
    late: list[tuple[Any, str, Any]] = []
    changes = [
        (_compiler, "compile_extra", compile_extra),
        (Dispatcher, "_compile_for_args", compile_for_args),
        (_library, "_optimize_functions", optimize_functions),
        (_library, "finalize", finalize),
        (type(_TARGET), "get_executable", get_executable),
        (_inferer, "return_types_from_partial", return_types_once),
        (types.Function, "get_call_type", call_type_once),
        (_post_processor, "run", post_process_when_needed),
        (ir.Inst, "_rec_list_vars", _list_variables),
        (type(_TARGET), "get_abi_sizeof", size_once),
        (_options, "values", values_of_options),
        (ListInstance, "zfill", fill_with_zeros),
        (ListInstance, "allocate_ex", classmethod(allocate_list)),
        (ListInstance, "resize", resize_list),
        (_events, "start_event", _announce_nothing),
        (_events, "end_event", _announce_nothing),
    ]
    with global_compiler_lock, _compiling(True), _replaced(changes), _no_pauses(), contextlib.ExitStack() as stack:
        yield


@contextlib.contextmanager
def _no_pauses() -> Iterator[None]:
    """Turn off garbage collection in this context: Numba makes many objects, and keeps nearly all of them.

    Saves 10 % of the time to compile. At the end, the objects count as old without a search for garbage among them,
    which saves 4 % more.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        if was_on:
            gc.enable()


@contextlib.contextmanager
def _compiling(is_ours: bool) -> Iterator[None]:
    """The context in which one function is compiled, ours or not."""
    _compiled.are_ours.append(is_ours)
    try:
        yield
    finally:
        _compiled.are_ours.pop()


@contextlib.contextmanager
def _replaced(changes: Iterable[tuple[Any, str, Any]]) -> Iterator[None]:
    """Replace attributes in this context; the old values are always restored."""
    with contextlib.ExitStack() as stack:
        for owner, name, replacement in changes:
            if name in vars(owner):
                stack.callback(setattr, owner, name, vars(owner)[name])
            else:  # inherited
                stack.callback(delattr, owner, name)
            setattr(owner, name, replacement)
        yield


@contextlib.contextmanager
def noting(note: Callable[[Any], None]) -> Iterator[None]:
    """In this context, call `note(function)` with the Numba type of each function that compiled code calls."""
    if not is_on(DISK):  # not needed
        yield
        return

    def get_call_type(self: Any, context: Any, args: Any, keywords: Any) -> Any:
        note(self)
        return _call_type(self, context, args, keywords)

    with global_compiler_lock, _replaced([(types.Function, "get_call_type", get_call_type)]):
        yield


probe()
