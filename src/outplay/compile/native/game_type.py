"""The Numba type of a game, which makes the game a compile-time constant."""

import functools
import importlib
import secrets
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numba.extending
from numba import types

from outplay.compile.native.census_types import Made, difference_in_play
from outplay.compile.native.constants import FoldConstants
from outplay.compile.native.frozen.kinds import frozen
from outplay.compile.native.generators import ListsInstead, ListYields
from outplay.compile.native.internals.compiler_passes import add_passes, run_quietly
from outplay.compile.native.internals.numba_names import (
    Compiler,
    PreLowerStripPhis,
    RewriteSemanticConstants,
    cpu_target,
    ir,
    refused,
    start_quickly,
)
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.questions import Answers, Question, Visit, put, share
from outplay.compile.native.state_type import NotNative, objects_in
from outplay.compile.native.thread_flag import ThreadFlag
from outplay.rules.base import Rules
from outplay.rules.game import Game
from outplay.rules.numbered import Numbered


class Natives(dict[Any, Any]):
    """The compiled functions of a game, or of the objects in its states. `objects`: the types of these objects."""

    def __init__(self, objects: Sequence[ObjectType] = (), checked: bool = False) -> None:
        super().__init__()
        self.objects, self.checked = objects, checked
        self.others = Made()
        """What the rules make besides states."""
        self.name = f"objects[{secrets.token_hex(8)}]"
        self.game: Rules | None = None
        """A game whose rules these are."""
        self.beyond: dict[tuple[type, str], list[Any]] = {}
        """What rules may assign to attributes that random games show as None alone."""

    @functools.cached_property
    def difference(self) -> str:
        """What random games show that compiled code cannot keep; empty if there is nothing."""
        return difference_in_play(self.game) if isinstance(self.game, Game) else ""


_is_compiling = ThreadFlag()
"""Whether this thread is compiling, without asking a question at the moment."""


class GameType(types.Opaque):
    """The Numba type of a game, shared by all games that give the compiler the same answers.

    Compiled code depends on a game only through `ask`. The name is unique across processes, since machine code from
    disk is linked by name.
    """

    def __init__(self, game: Rules, visit: Visit) -> None:
        self.game = game
        self.cls = type(game)
        self.is_read_unasked = False
        """Whether the compiler has read the game without a question."""
        self.natives = Natives()
        self.natives.game = game
        self.answers: dict[Question, Any] = {}
        """The questions asked so far, in order, with their answers."""
        self.in_common = Answers(game, visit)
        """The fingerprint of the part of the answers that all games of the class have in common."""
        self.own = Answers(game, visit)
        """The fingerprint of the part of the answers that belongs to the game alone."""
        self.shared: Answers | None = None
        """Like `in_common`, from the last game that was found to be of this type."""
        self.refusal = ""
        """Why the rules do not compile; empty if they do."""
        self.checked: bool = self.ask("checked")
        """Whether compiled rules raise errors where Python does."""
        super().__init__(name=f"{type(game).__qualname__}[{secrets.token_hex(8)}]")

    @property
    def game(self) -> Rules:
        """The game, for messages and questions. The compiler reads it only through `ask`; anything else is noted."""
        if _is_compiling:
            self.is_read_unasked = True
        return self._game

    @game.setter
    def game(self, game: Rules) -> None:
        self._game = game

    @property
    def users_game(self) -> Rules:
        """The game that users wrote, where this one numbers its actions."""
        return self.game.rules if isinstance(self.game, Numbered) else self.game

    def forget_natives(self) -> None:
        """Compile everything again."""
        before, self.natives = self.natives, Natives(self.natives.objects, self.checked)
        for name in ("others", "game", "beyond"):
            setattr(self.natives, name, getattr(before, name))

    def ask(self, kind: str, name: str = "") -> Any:
        """The answer to a question about the game; see `questions`. Asked only once; constants are copies."""
        question = kind, name
        if question not in self.answers:
            with _is_compiling.set_to(False):
                share(question, self.game, self.in_common)
                self.answers[question] = frozen(put(question, self.game, self.own))
            if kind == "state":
                self._adopt(self.answers[question])
        return self.answers[question]

    def _adopt(self, state: Any) -> None:
        """Prepare compiled code to call the methods of objects in states."""
        if isinstance(state, NotNative):
            return
        others = self.ask("objects")
        objects = [*objects_in(state), *(typ for other in others.objects for typ in objects_in(other))]
        new = [typ for other in others.new for typ in objects_in(other)]
        natives = objects[0].natives if objects and objects[0].natives else Natives(objects, self.checked)
        for typ in (*objects, *new):
            typ.natives = natives
        self.natives.objects = objects
        self.natives.others = natives.others = others
        natives.game = self._game

    @property
    def state(self) -> types.Type:
        """The Numba type of every state."""
        state: types.Type = self.ask("state")
        return state


class Part(NamedTuple):
    """A compiled function, the types of its variables, and the attributes that it reads of games and their classes."""

    function: Any
    types: frozenset[types.Type]
    attributes: frozenset[tuple[types.Type, str]]


parts: "WeakKeyDictionary[Any, Part]" = WeakKeyDictionary()
"""What the compiler made, by the library of LLVM code that Numba keeps of each function."""


class _Compiler(Compiler):
    def compile_extra(self, function: Any) -> Any:
        """Compile a function, and note it as a part of the code that it will be linked into."""
        with _is_compiling.set_to(True):
            compiled = super().compile_extra(function)
        kinds, reads = self.state.typemap, set()
        for block in self.state.func_ir.blocks.values():
            for assignment in block.find_insts(ir.Assign):
                if getattr(assignment.value, "op", "") == "getattr":
                    reads.add((kinds[assignment.value.value.name], assignment.value.attr))
        parts[compiled.library] = Part(function, frozenset(kinds.values()), frozenset(reads))
        return compiled

    def define_pipelines(self) -> Any:
        passes = super().define_pipelines()
        for manager in passes:
            add_passes(manager, (ListYields, RewriteSemanticConstants), (FoldConstants, RewriteSemanticConstants))
            run_quietly(manager)
        return passes


Home = tuple[dict[Any, Any], str, Any]
"""What functions of the same rules share: those made so far, the name of the owner, and the compiler."""
_homes: list[Home] = []


def is_in_rules() -> bool:
    """Whether a function of users' rules is being compiled."""
    return bool(_homes)


def home() -> Home:
    """The home of the rule that is being compiled; `TypingError` in a kernel, which has none."""
    if not _homes:
        raise refused("a method or constant of an argument of a kernel: write a function")
    return _homes[-1]


def refuse_what_differs(natives: Any) -> None:
    """Refuse rules, where compiled code depends on what random games show, if these show what it cannot keep."""
    if getattr(natives, "difference", ""):
        raise refused(natives.difference)


def made_by_rules() -> Made:
    """What the rules that are being compiled make; nothing is known of a function without a game."""
    return getattr(home()[0], "others", Made())


def new_object_of(cls: type) -> Any:
    """The type of what a call of the class makes in the rule that is being compiled; None if it is not known."""
    objects = (*made_by_rules().new, *getattr(home()[0], "objects", ()))
    return next((typ for typ in objects if typ.cls is cls), None)


def record_of(cls: type) -> Any:
    """The type of a named tuple of which a field may be None; None for others."""
    return next((typ for typ in made_by_rules().records if typ.instance_class is cls), None)


PASSES_OF_RULES: dict[bool, tuple[Any, Any]] = {}
"""The passes before and after type inference, without checks and with; filled by `semantics.passes`."""


def load_extensions() -> None:
    """Import what compiles rules and kernels. Code loaded from disk does not need it, which saves 0.05 s per start.

    Call this before functions are looked at: what they call may be known only then.
    """
    if not PASSES_OF_RULES:
        start_quickly()
        importlib.import_module("outplay.compile.native.extensions")
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()


class _OfRules(_Compiler):
    """For users' rules: compiles them to compute what Python computes, also where Numba differs."""

    checked = False

    def compile_extra(self, function: Any) -> Any:
        """Compile a function, and note whose it is while that lasts."""
        own = getattr(function, "home", None)
        if own is None:  # one of ours, compiled for the rules that call it
            return super().compile_extra(function)
        _homes.append(own)
        result = self.state.return_type
        try:
            return super().compile_extra(function)
        except ListsInstead:
            function.is_listed = True
            own, now = type(self), self.state
            again = own(now.typingctx, now.targetctx, now.library, now.args, result, now.flags, now.locals)
            return again.compile_extra(function)
        finally:
            _homes.pop()

    def define_pipelines(self) -> Any:
        load_extensions()
        before_typing, after_typing = PASSES_OF_RULES[self.checked]
        passes = super().define_pipelines()
        for manager in passes:
            add_passes(manager, (before_typing, FoldConstants), (after_typing, PreLowerStripPhis))
        return passes


class _OfCheckedRules(_OfRules):
    checked = True


PIPELINE = {"pipeline_class": _Compiler}
INTERNAL = {**PIPELINE, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # called only from compiled code
AS_RULES = {**INTERNAL, "pipeline_class": _OfRules}
"""For functions of ours that compare items: their operators mean what Python means."""


def pipeline_of_rules(checked: bool) -> type[_OfRules]:
    """The compiler for users' rules, with or without checks of everything that can go wrong."""
    return _OfCheckedRules if checked else _OfRules


overload = functools.partial(numba.extending.overload, strict=False, jit_options=INTERNAL, target="cpu")
"""An overload that comes before those of Numba, which are for any target, whichever was imported first."""
overload_method = functools.partial(numba.extending.overload_method, strict=False, jit_options=INTERNAL)
overload_attribute = functools.partial(numba.extending.overload_attribute, strict=False, jit_options=INTERNAL)


def compiled_only(choose: Any = None, **options: Any) -> Any:
    """A function that only compiled code calls; the decorated function chooses its form by the types of arguments."""
    if choose is None:
        return functools.partial(compiled_only, **options)

    @functools.wraps(choose)
    def function(*_: Any) -> Any:
        raise NotImplementedError

    overload(function, **options)(choose)
    return function


def as_it_is(function: Any) -> None:
    """Compile calls of a function from the function itself."""
    overload(function)(lambda *_: function)


def compile_for(kind: Any, forms: dict[Any, Any], **options: Any) -> None:
    """Compile calls of functions, such as `len`, as these forms, if the first argument is of this class of types."""
    for function, form in forms.items():
        overload(function, **options)(_choosing(kind, form))


def _choosing(kind: Any, form: Any) -> Any:
    @functools.wraps(form)
    def choose(first: types.Type, *_: Any, **__: Any) -> Any:
        return form if isinstance(first, kind) else None

    return choose


SELF = "outplay.compile.native"  # the module of all functions made here: users' files need not be importable


def function_from_source(source: str, **namespace: Any) -> Any:
    """The function `rule` that `source` defines."""
    names = {"__name__": SELF, **namespace}
    exec(source, names)  # noqa: S102 - the source is ours
    return names["rule"]


def function_of_lines(parameters: str, lines: Iterable[str], **namespace: Any) -> Any:
    """The function with these parameters and lines."""
    return function_from_source("\n    ".join([f"def rule({parameters}):", *lines]), **namespace)


def general(dispatcher: Any) -> Any:
    """`dispatcher`, changed to compile `f(5)` as `f(int)`; Numba would compile it again for every literal."""
    choose = dispatcher.get_call_template

    def get_call_template(args: Any, keywords: Any) -> Any:
        args = tuple(types.unliteral(arg) for arg in args)
        return choose(args, {name: types.unliteral(arg) for name, arg in keywords.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher
