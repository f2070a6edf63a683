"""Rules that do not compile: which, where and why, in three lines instead of Numba's fifty."""

import contextlib
import contextvars
import inspect
import itertools
import linecache
import os
import re
import traceback
import types as python
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types

from outplay.compile.fingerprint import RULES, RULES_OF_PROBLEMS
from outplay.compile.native.game_type import GameType
from outplay.compile.native.internals.numba_names import ir
from outplay.compile.native.notices import RunsInterpretedWarning
from outplay.compile.native.reasons import Reason, reason, telling
from outplay.compile.native.rules import RESULTS, USES, native_rule, test_cells, use_of, wrapped_rule
from outplay.compile.native.state_type import NotNative
from outplay.compile.references import member_function
from outplay.rules import numbered
from outplay.rules.game import Game, defines

_warned: set[type] = set()


class Problem(NamedTuple):
    """A rule that does not compile: where, why, and what the compiler said."""

    rule: str
    place: tuple[str, int]
    reason: Reason
    details: str


def refuse(typ: GameType, problem: Problem) -> None:
    """Note that games of this type run interpreted, and warn once per class, unless the class wants an error."""
    game_class = type(typ.game)
    name = game_class.__name__
    rule, (filename, line), (what, remedy, _), _ = problem
    typ.refusal = (
        f"{name}.{rule} does not compile, and {name} says compiled = True\n"
        f"  {filename}:{line}: {linecache.getline(filename, line).strip()}\n  {what}: {remedy}"
    )
    if game_class.compiled or game_class in _warned or _is_quiet.get():
        return
    _warned.add(game_class)
    more = "outplay check --compile GAME" if isinstance(typ.game, Game) else "outplay.compile_report(problem)"
    warnings.warn_explicit(
        f"{name} runs interpreted, since {rule}() does not compile: {what}\n"
        f"  {remedy}; {more} shows all, compiled = False silences this",
        RunsInterpretedWarning,
        filename,
        line,
    )


_is_quiet: contextvars.ContextVar[bool] = contextvars.ContextVar("_is_quiet", default=False)


@contextlib.contextmanager
def without_warnings() -> Iterator[None]:
    """In this context, and in what still compiles after it, nobody is told that rules run interpreted."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


@contextlib.contextmanager
def on_trial(game: Game) -> Iterator[None]:
    """In this context, rules that do not compile are not counted against `game`: a search may not need them."""
    before = game._native.typ.refusal if game._native else ""
    warned = type(game) in _warned
    try:
        yield
    finally:
        typ = game._native.typ if game._native else None
        if typ is not None and typ.refusal and not before and not isinstance(typ.state, NotNative):
            typ.refusal = ""
            typ.forget_natives()
            if not warned:
                _warned.discard(type(game))


@contextlib.contextmanager
def unrefused(typ: GameType) -> Iterator[None]:
    """In this context, games of this type are compiled, refused before or not, and nothing counts against them."""
    before, warned = typ.refusal, type(typ.game) in _warned
    typ.refusal = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        typ.refusal = before
        typ.forget_natives()
        if not warned:
            _warned.discard(type(typ.game))


def first_problem(typ: GameType) -> Problem | None:
    """The first rule that does not compile by itself."""
    typ.forget_natives()  # else Numba raises an old error again, with later text appended
    problems = (one for rule in rules_of(typ) for one in problems_of(typ, partial(compile_rule, typ, rule), rule))
    return next(problems, None)


def problems_of(
    typ: GameType, compiles: Callable[[], None], rule: str, function: python.FunctionType | None = None
) -> Iterator[Problem]:
    """The problem of a rule or function by itself, if it does not compile."""
    try:
        compiles()
    except Exception as error:  # Numba raises many kinds of errors
        yield problem(typ, rule, error, function)
        typ.forget_natives()  # else Numba raises an old error again, with later text appended


def rules_of(typ: GameType) -> list[str]:
    """The rules that the game defines, in the order in which they are tried."""
    rules = RULES if isinstance(typ.game, Game) else RULES_OF_PROBLEMS
    own = [rule for rule in rules if defines(typ.game, rule)]
    return sorted(own, key=lambda rule: rule == "initial_state")  # last: hardly any search needs it


def compile_rule(typ: GameType, rule: str) -> None:
    """Compile one rule by itself. Numba raises many kinds of errors."""
    kinds = {"self": typ, "state": typ.state, "random": types.CPointer(types.int64)}
    names = inspect.signature(getattr(typ.game._contract, rule)).parameters
    signature = tuple(kinds.get(name, types.int64) for name in names)
    native_rule(typ, rule).compile(signature)
    if rule in RESULTS:
        wrapped_rule(typ, rule).compile(signature)
        test_cells(typ, rule, signature)
    if rule in USES:
        use_of(rule).compile(signature)


def problem(typ: GameType, rule: str, error: Exception, function: python.FunctionType | None = None) -> Problem:
    """What an error of the compiler says about a rule, or about a function that rules call."""
    cls = type(typ.users_game)
    function = function or member_function(inspect.getattr_static(cls, rule))
    place = end_of(cls, rule) if function is None else _place(error, function.__code__)
    return Problem(rule, place, reason(str(error), linecache.getline(*place)), f"{type(error).__name__}: {error}")


def end_of(cls: type, rule: str) -> tuple[str, int]:
    """File and line of the end of a rule, where it returns; of the class, if the rule is not a function."""
    function = member_function(inspect.getattr_static(cls, rule))
    if function is not None:
        return function.__code__.co_filename, max(line for *_, line in function.__code__.co_lines() if line)
    try:
        return str(inspect.getsourcefile(cls)), inspect.getsourcelines(cls)[1]
    except (OSError, TypeError):
        return cls.__module__, 1


def _place(error: Exception, code: python.CodeType) -> tuple[str, int]:
    """File and line of the user's code that a Numba error is about."""
    text = str(error)
    start = text.rfind(telling(text))  # the innermost place follows the reason
    places = re.findall(r'(?:File "|\bat |\bfrom )([^"\n]+?)(?:", line | \(|:)(\d+)', text[max(start, 0) :])
    places += [(loc.filename, loc.line) for loc in _compiled_then(error)]
    own = [(os.path.abspath(file), int(line)) for file, line in places if _is_users(file)]
    if own and own[0][1] != code.co_firstlineno:
        return own[0]
    return code.co_filename, max(line for *_, line in code.co_lines() if line)  # the last line of the rule


def _compiled_then(error: Exception) -> list[Any]:
    """The places that Numba was compiling when it failed, the innermost first."""
    locations = [getattr(error, "loc", None)]
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        values = [frame.f_locals.get(name) for name in ("inst", "self")]
        locations += [getattr(value, "__dict__", {}).get("loc") for value in values]
    places = [place for place in locations if isinstance(place, ir.Loc)]
    return list(itertools.takewhile(lambda place: not place.filename.startswith("<str"), places))  # up to our wrapper


def _is_users(filename: str) -> bool:
    library = (*map(os.path.dirname, (numba.__file__, np.__file__, __file__)), numbered.__file__)
    return not filename.startswith("<str") and not os.path.abspath(filename).startswith(library)
