"""The names, imported or looked up; `probe` checks those that an import does not check, such as methods."""

import contextlib
import functools
import importlib
import inspect
import itertools
import os
import secrets
from collections.abc import Iterable, Iterator
from typing import Any

from numba import types
from numba.core import cgutils, errors, ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler import Compiler, run_frontend
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager, register_pass
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
from numba.core.ir_utils import convert_code_obj_to_function, get_definition, guard, mk_unique_var
from numba.core.registry import cpu_target
from numba.core.typed_passes import PreLowerStripPhis
from numba.core.typeinfer import TypeInferer
from numba.core.types import containers
from numba.core.typing.templates import AbstractTemplate, Signature, builtin_registry, infer_global
from numba.core.untyped_passes import RewriteSemanticConstants
from numba.cpython.listobj import ListInstance
from numba.experimental.structref import _Utils as StructUtils
from numba.experimental.structref import new as new_struct
from numba.np.numpy_support import as_dtype, from_dtype
from numba.typed.dictobject import impl_iterator_iternext

from outplay.compile.native.losses import CALLS, DISK, POOLS, QUICK, START, lose, tell
from outplay.system.uninterrupted import locks_at_fork

# -- what is changed for the whole process -----------------------------------------------------------------------------


def _refuse_keys(key: types.Type, _: types.Type) -> None:
    """Refuse dicts with keys that cannot be hashed, as Numba does, but not lists and sets as values, which compile."""
    if isinstance(key, (types.Set, types.List)):
        raise errors.TypingError(f"{key} as key is forbidden")


if not hasattr(containers, "_sentry_forbidden_types"):
    raise ImportError("Numba's test of the types of dicts has another name")
containers._sentry_forbidden_types = _refuse_keys


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
    try:
        return functools.reduce(getattr, name.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        lose(technique, f"{module}.{name}")
        return None


# The type of a value as bytes, as in Numba's own calls; `typeof_pyval` takes a hundred times as long.
compute_fingerprint = _find(CALLS, "numba._dispatcher", "compute_fingerprint")

# Compiled code to bytes and back.
reduce = _find(DISK, "numba.core.compiler", "CompileResult._reduce")
rebuild = _find(DISK, "numba.core.compiler", "CompileResult._rebuild")
pickler = _find(DISK, "numba.core.serialize", "NumbaPickler")

# The runtime that arrays need in machine code.
start_runtime = _find(START, "numba.core.runtime", "rtsys.initialize")

# How Numba counts references; `memory` knows it too.
counter = _find(POOLS, "numba.core.runtime.nrtdynmod", "_meminfo_struct_type")

# What `compiled_as_whole` replaces.
library_class = _find(QUICK, "numba.core.codegen", "CPUCodeLibrary")
finalize = _find(QUICK, "numba.core.codegen", "CPUCodeLibrary.finalize")
optimize_functions = _find(QUICK, "numba.core.codegen", "CPUCodeLibrary._optimize_functions")
get_executable = _find(QUICK, "numba.core.cpu", "CPUContext.get_executable")
compiler = importlib.import_module("numba.core.compiler")
compile_extra = _find(QUICK, "numba.core.compiler", "compile_extra")
compile_for_args = _find(QUICK, "numba.core.dispatcher", "Dispatcher._compile_for_args")
inferer_class = _find(QUICK, "numba.core.typeinfer", "TypeInferer")
return_types = _find(QUICK, "numba.core.typeinfer", "TypeInferer.return_types_from_partial")
post_processor_class = _find(QUICK, "numba.core.postproc", "PostProcessor")
post_process = _find(QUICK, "numba.core.postproc", "PostProcessor.run")
variables_in = _find(QUICK, "numba.core.ir", "Inst._rec_list_vars")
size_of = _find(QUICK, "numba.core.cpu", "CPUContext.get_abi_sizeof")
options_class = _find(QUICK, "numba.core.targetconfig", "TargetConfig")
_find(QUICK, "numba.core.targetconfig", "TargetConfig.values")
events = _find(QUICK, "numba.core", "event")
_find(QUICK, "numba.core.event", "start_event")
_find(QUICK, "numba.core.event", "end_event")
fill_with_zeros = _find(QUICK, "numba.cpython.listobj", "ListInstance.zfill")
allocate_list = _find(QUICK, "numba.cpython.listobj", "ListInstance.allocate_ex")
resize_list = _find(QUICK, "numba.cpython.listobj", "ListInstance.resize")
call_type = _find(DISK, "numba.core.types", "Function.get_call_type")
_find(QUICK, "numba.core.compiler_machinery", "PassManager._runPass")

# What the replacements use.
module_for_linking = _find(QUICK, "numba.core.codegen", "CPUCodeLibrary._get_module_for_linking")
pointer_prefix = _find(QUICK, "numba.core.codegen", "RuntimeLinker.PREFIX")
_find(QUICK, "numba.core.codegen", "JITCPUCodegen.set_env")
environment = _find(QUICK, "numba.core.environment", "lookup_environment")
lifetimes = _find(QUICK, "numba.core.postproc", "VariableLifetime")
canonical = _find(QUICK, "numba.core.transforms", "canonicalize_cfg")


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

TYPING, TARGET = cpu_target.typing_context, cpu_target.target_context
NEEDED: list[tuple[Any, str]] = [
    *((TYPING, name) for name in ("refresh", "resolve_function_type", "resolve_value_type", "_lookup_global")),
    *((TARGET, name) for name in ("refresh", "cast", "get_function", "get_constant_generic", "get_dummy_value")),
    *((TARGET, name) for name in ("make_array", "make_helper", "make_tuple", "compile_internal", "get_data_type")),
    *((TARGET, name) for name in ("pack_value", "unpack_value", "call_conv", "data_model_manager", "codegen")),
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
    *((QUICK, library_class, name) for name in ("_raise_if_finalized", "_finalize_dynamic_globals", "_finalized")),
    (DISK, library_class, "has_dynamic_globals"),
    (POOLS, library_class, "_optimize_final_module"),
    (QUICK, PassManager(""), "_analysis"),
    (QUICK, TARGET.codegen(), "_data_layout"),
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
    for function, parameters in ((finalize, 1), (optimize_functions, 2), (get_executable, 4), (return_types, 1)):
        if function is not None and len(inspect.signature(function).parameters) != parameters:
            lose(QUICK, _named(function))
    if str(counter) != "{i64, i8*, i8*, i8*, i64}":
        lose(POOLS, "numba.core.runtime.nrtdynmod._meminfo_struct_type")
    if library_class is not None:
        library = TARGET.codegen().create_library("probe")
        for name in OF_A_LIBRARY:
            if not hasattr(library, name):
                lose(QUICK, f"{_named(library)}.{name}")
                lose(DISK, f"{_named(library)}.{name}")
    if missing:
        raise AttributeError(", ".join(missing))


def _named(value: Any) -> str:
    """The name of an object of Numba in a warning."""
    if inspect.ismodule(value):
        return value.__name__
    value = value if hasattr(value, "__qualname__") else type(value)
    return f"{value.__module__}.{value.__qualname__}"


# -- names, used -------------------------------------------------------------------------------------------------------


def refused(reason: str, place: Any = None) -> errors.TypingError:
    """An error that makes rules run interpreted; `reason` names the remedy, `place` another line than that at hand."""
    return errors.TypingError(f"NotNative: {reason}", loc=place)


Replacement = tuple[Any, str, Any]
"""A module or class, the name of an attribute, and what replaces it."""


@contextlib.contextmanager
def replaced(changes: Iterable[Replacement]) -> Iterator[None]:
    """Replace attributes in this context; the old values are always restored."""
    with contextlib.ExitStack() as stack:
        for owner, name, replacement in changes:
            if name in vars(owner):
                stack.callback(setattr, owner, name, vars(owner)[name])
            else:  # inherited
                stack.callback(delattr, owner, name)
            setattr(owner, name, replacement)
        yield


def kind_of(dispatcher: Any, arg: Any) -> Any:
    """A key that differs for values of different types."""
    if compute_fingerprint is not None:
        try:
            return compute_fingerprint(arg)
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


probe()
