"""The Numba type of a game: one type for each instance, so that the instance is a compile-time constant."""

import functools
import importlib
from typing import Any

import numba.extending
from numba import types
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.registry import cpu_target
from numba.core.typed_passes import PreLowerStripPhis
from numba.core.typing.templates import make_concrete_template
from numba.core.untyped_passes import RewriteSemanticConstants

from outplay.compile.constants import FoldConstants
from outplay.compile.generators import ListYields
from outplay.fingerprint import Fingerprint
from outplay.rules import Rules, is_checked


class NotNative(Exception):
    """A state or parameter has no native form; the message says which and what would."""


class GameType(types.Opaque):
    """The Numba type of one game instance; its name holds all that the machine code depends on."""

    game: Any
    state: types.Type

    def __init__(self, name: str, game: Rules, fingerprint: Fingerprint) -> None:
        self.game = game
        self.fingerprint = fingerprint
        self.checked = is_checked(game)
        self.natives: dict[Any, Any] = {}
        super().__init__(name=name)

    @property
    def key(self) -> Any:
        """A class defined anew in a notebook is another type, even with the same source."""
        return self.name, type(self.game)


class _Passes(PassManager):
    """Numba's passes without the announcement of each to listeners: that takes a tenth of the time to compile."""

    def _runPass(self, index: int, compiler_pass: Any, state: Any) -> None:  # noqa: N802 - Numba's name
        compiler_pass.analysis = self._analysis
        compiler_pass.run_initialization(state)
        compiler_pass.run_pass(state)
        compiler_pass.run_finalizer(state)


class _Compiler(Compiler):
    def define_pipelines(self) -> Any:
        passes = super().define_pipelines()
        for each in passes:
            each.add_pass_after(ListYields, RewriteSemanticConstants)
            each.add_pass_after(FoldConstants, RewriteSemanticConstants)
            each.finalize()
            each.__class__ = _Passes
        return passes


PASSES_OF_RULES: dict[bool, tuple[Any, Any]] = {}
"""The pass before types are known and the one after, of rules without checks and with; `meaning` adds them."""


class _OfRules(_Compiler):
    """For users' rules: where Numba computes something else than Python, what Python says is done."""

    checked = False

    def define_pipelines(self) -> Any:
        if not PASSES_OF_RULES:  # now, since what is loaded from disk does without
            importlib.import_module("outplay.compile.meaning")
            cpu_target.typing_context.refresh()
            cpu_target.target_context.refresh()
        twins, settle = PASSES_OF_RULES[self.checked]
        passes = super().define_pipelines()
        for each in passes:
            each.add_pass_after(twins, FoldConstants)
            each.add_pass_after(settle, PreLowerStripPhis)
            each._finalized = False
            each.finalize()
        return passes


class _OfCheckedRules(_OfRules):
    checked = True


def pipeline_of_rules(checked: bool) -> type[_OfRules]:
    """How users' rules are compiled, with checks of everything that can go wrong or without."""
    return _OfCheckedRules if checked else _OfRules


PIPELINE = {"pipeline_class": _Compiler}
INTERNAL = {**PIPELINE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # called from compiled code alone


overload = functools.partial(numba.extending.overload, strict=False, jit_options=INTERNAL)


SELF = "outplay.compile"  # the module of everything made here: a file of the user's need not be importable


def made(source: str, **namespace: Any) -> Any:
    """The function that a line of source defines."""
    names = {"__name__": SELF, **namespace}
    exec(source, names)  # noqa: S102 - the source is ours
    return names["rule"]


def general(dispatcher: Any) -> Any:
    """`dispatcher`, made to compile `f(5)` as `f(int)`: Numba would compile it anew for every literal."""
    choose = dispatcher.get_call_template

    def get_call_template(args: Any, keywords: Any) -> Any:
        args = tuple(types.unliteral(arg) for arg in args)
        if args not in dispatcher.overloads or keywords:
            return choose(args, {name: types.unliteral(arg) for name, arg in keywords.items()})
        name = dispatcher.py_func.__name__  # as Numba does it, without another look at how to compile it
        template = make_concrete_template(name, key=name, signatures=[dispatcher.overloads[args].signature])
        return template, dispatcher._compiler.pysig, args, {}

    dispatcher.get_call_template = get_call_template
    return dispatcher
