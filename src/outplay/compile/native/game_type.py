"""The Numba type of a game, which makes the game a compile-time constant."""

import functools
import importlib
import secrets
from typing import Any

import numba.extending
import numpy as np
from numba import types

from outplay.compile.native.constants import FoldConstants
from outplay.compile.native.generators import ListYields
from outplay.compile.native.internals import (
    Compiler,
    PreLowerStripPhis,
    RewriteSemanticConstants,
    add_passes,
    cpu_target,
    run_quietly,
)
from outplay.compile.native.questions import Answers, Question, Visit, put, share
from outplay.rules.base import Rules


class GameType(types.Opaque):
    """The Numba type of a game, shared by all games about which the compiler was told the same.

    What compiled code knows of a game it learns by `ask`. The name is like no other in any process, since machine code
    from disk is linked by name.
    """

    def __init__(self, game: Rules, visit: Visit) -> None:
        self.game = game
        self.natives: dict[Any, Any] = {}
        self.answers: dict[Question, Any] = {}
        """What was asked, in this order, and what was told."""
        self.in_common = Answers(game, visit)
        """The fingerprint of what of the answers all games of the class have in common."""
        self.own = Answers(game, visit)
        """The fingerprint of what of the answers is the game's own."""
        self.shared: Answers | None = None
        """The same as `in_common`, as the last game that was found to be of this type has answered."""
        self.refusal = ""
        """Why the rules do not compile, if they do not."""
        self.checked: bool = self.ask("checked")
        """Whether compiled rules raise errors where Python does."""
        super().__init__(name=f"{type(game).__qualname__}[{secrets.token_hex(8)}]")

    def ask(self, kind: str, name: str = "") -> Any:
        """The answer to a question about the game: see `questions`. It is put once; arrays are read-only copies."""
        question = kind, name
        if question not in self.answers:
            share(question, self.game, self.in_common)
            self.answers[question] = unchanging(put(question, self.game, self.own))
        return self.answers[question]

    @property
    def state(self) -> types.Type:
        """The Numba type of every state."""
        found: types.Type = self.ask("state")
        return found


def unchanging(value: Any) -> Any:
    """`value` with read-only copies of its arrays: machine code holds the numbers as they were when it was made."""
    if isinstance(value, np.ndarray):
        copy = value.copy(order="K")
        copy.flags.writeable = False
        return copy
    if isinstance(value, tuple) and any(isinstance(part, (np.ndarray, tuple)) for part in value):
        parts = map(unchanging, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


class _Compiler(Compiler):
    def define_pipelines(self) -> Any:
        passes = super().define_pipelines()
        for each in passes:
            add_passes(each, (ListYields, RewriteSemanticConstants), (FoldConstants, RewriteSemanticConstants))
            run_quietly(each)
        return passes


PASSES_OF_RULES: dict[bool, tuple[Any, Any]] = {}
"""The pass before types are known and the one after, of rules without checks and with; `meaning.passes` adds them."""


class _OfRules(_Compiler):
    """For users' rules: where Numba computes something else than Python, what Python says is done."""

    checked = False

    def define_pipelines(self) -> Any:
        if not PASSES_OF_RULES:  # now, since what is loaded from disk does without
            importlib.import_module("outplay.compile.native.meaning.passes")
            cpu_target.typing_context.refresh()
            cpu_target.target_context.refresh()
        twins, settle = PASSES_OF_RULES[self.checked]
        passes = super().define_pipelines()
        for each in passes:
            add_passes(each, (twins, FoldConstants), (settle, PreLowerStripPhis))
        return passes


class _OfCheckedRules(_OfRules):
    checked = True


def pipeline_of_rules(checked: bool) -> type[_OfRules]:
    """How users' rules are compiled, with checks of everything that can go wrong or without."""
    return _OfCheckedRules if checked else _OfRules


PIPELINE = {"pipeline_class": _Compiler}
INTERNAL = {**PIPELINE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # called from compiled code alone


overload = functools.partial(numba.extending.overload, strict=False, jit_options=INTERNAL)


SELF = "outplay.compile.native"  # the module of everything made here: a file of the user's need not be importable


def function_from_source(source: str, **namespace: Any) -> Any:
    """The function that a line of source defines."""
    names = {"__name__": SELF, **namespace}
    exec(source, names)  # noqa: S102 - the source is ours
    return names["rule"]


def general(dispatcher: Any) -> Any:
    """`dispatcher`, made to compile `f(5)` as `f(int)`: Numba would compile it anew for every literal."""
    choose = dispatcher.get_call_template

    def get_call_template(args: Any, keywords: Any) -> Any:
        args = tuple(types.unliteral(arg) for arg in args)
        return choose(args, {name: types.unliteral(arg) for name, arg in keywords.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher
