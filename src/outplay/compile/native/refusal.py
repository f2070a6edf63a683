"""Messages about rules that do not compile: three lines instead of Numba's fifty."""

import contextlib
import inspect
import itertools
import linecache
import os
import re
import traceback
import types as python
import warnings
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
from numba import types

from outplay.compile.fingerprint import RULES, RULES_OF_PROBLEMS
from outplay.compile.native.game_type import GameType
from outplay.compile.native.notices import RunsInterpretedWarning
from outplay.compile.native.rules import WRAPPERS, native_rule, test_cells, wrapped_rule
from outplay.compile.native.state_type import NotNative
from outplay.compile.references import member_function
from outplay.rules.game import Game, defines

_warned: set[type] = set()


def refuse(typ: GameType, rule: str, place: tuple[str, int], reason: str) -> None:
    """Note that games of this type run interpreted, and warn once per class, unless the class wants an error."""
    game_class = type(typ.game)
    name = game_class.__name__
    filename, line = place
    remedy = "use ints, floats, tuples and NumPy arrays"
    typ.refusal = (
        f"{name}.{rule} does not compile, and {name} says compiled = True\n"
        f"  {filename}:{line}: {linecache.getline(filename, line).strip()}\n  {reason}; {remedy}"
    )
    if game_class.compiled or game_class in _warned:
        return
    _warned.add(game_class)
    warnings.warn_explicit(
        f"{name} runs interpreted, 100 to 600 times slower than compiled: {rule}() does not compile here: {reason}\n"
        f"  {remedy}, or set compiled = False on {name} to silence this",
        RunsInterpretedWarning,
        filename,
        line,
    )


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


def first_problem(typ: GameType) -> tuple[str, tuple[str, int], str] | None:
    """The first rule that does not compile by itself: its name, file and line, and why."""
    typ.forget_natives()  # else Numba raises an old error again, with later text appended
    kinds = {"self": typ, "state": typ.state, "random": types.CPointer(types.int64)}
    rules = RULES if isinstance(typ.game, Game) else RULES_OF_PROBLEMS
    for rule in sorted(rules, key=lambda rule: rule == "initial_state"):  # last: hardly any search needs it
        if not defines(typ.game, rule):
            continue
        function = member_function(inspect.getattr_static(type(typ.game), rule))
        assert function is not None
        names = inspect.signature(getattr(typ.game._contract, rule)).parameters
        wanted = [kinds.get(name, types.int64) for name in names]
        try:
            native_rule(typ, rule).compile(tuple(wanted))
            if rule in WRAPPERS:
                wrapped_rule(typ, rule).compile(tuple(wanted))
                test_cells(typ, rule, tuple(wanted))
        except Exception as error:
            return rule, _place(error, function.__code__), reason_of(error)
    return None


def _place(error: Exception, code: python.CodeType) -> tuple[str, int]:
    """File and line of the user's code that a Numba error is about."""
    text = str(error)
    start = text.rfind(_telling(text))  # the innermost place follows the reason
    places = re.findall(r'(?:File "|\bat |\bfrom )([^"\n]+?)(?:", line | \(|:)(\d+)', text[max(start, 0) :])
    places += [(loc.filename, loc.line) for loc in _compiled_then(error)]
    own = [(os.path.abspath(file), int(line)) for file, line in places if _is_users(file)]
    if own and own[0][1] != code.co_firstlineno:
        return own[0]
    return code.co_filename, max(line for *_, line in code.co_lines() if line)  # the last line of the rule


def _compiled_then(error: Exception) -> list[Any]:
    """The places that Numba was compiling when it failed, the innermost first."""
    found = [getattr(error, "loc", None)]
    for frame, _ in reversed(list(traceback.walk_tb(error.__traceback__))):
        found.append(getattr(frame.f_locals.get("inst"), "loc", None))
    places = [place for place in found if place is not None]
    return list(itertools.takewhile(lambda place: not place.filename.startswith("<str"), places))  # up to our wrapper


def _is_users(filename: str) -> bool:
    library = (os.path.dirname(numba.__file__), os.path.dirname(np.__file__), os.path.dirname(__file__))
    return not filename.startswith("<str") and not os.path.abspath(filename).startswith(library)


def reason_of(error: Exception) -> str:
    """The one line of Numba's fifty that says what is wrong."""
    text = _telling(str(error)) or f"Numba fails on this with {type(error).__name__}"
    for pattern, replacement in PLAINLY.items():
        text = re.sub(pattern, replacement, text)
    return text if len(text) <= 160 else text[:157] + "…"


PLAINLY = {
    r"^.*NotNative: ": "",
    r"^TypingError: ": "",
    r"Literal\[(\w+)\]\([^)]*\)": r"\1",
    r"\[[0-9a-f]{16}[^]]*\]": "",  # the suffix of a game's type
    r"Module\(<module '([^']+)'[^)]*\)": r"module \1",
    r"No definition for lowering \w+\.(\w+) = .*": r"self.\1 is assigned to, but a game must not change",
    r"Use of unsupported opcode \((FORMAT_\w+|CONVERT_VALUE)\)": "Use of an unsupported f-string",
    r"The use of yield in a closure is unsupported": (
        "a generator expression that is not read where it stands: write a list or a loop"
    ),
    r"Variable '_outplay_\w+' is not defined": "a variable of a generator expression is read before it is assigned",
    r"^.*Cannot capture the non-constant value associated with variable '(\w+)'.*": (
        r"a function given as an argument reads the variable \1: write a loop"
    ),
    r"Unsupported use of cell variable encountered": (
        "a function within the function changes a variable, or is read before it is defined"
    ),
    r"\. Raised from .*": "",
    r"Cannot infer Numba type of Python type.*": "isinstance of a number: ints of Python and NumPy look alike here",
    r"[\s.:>]+$": "",
}
"""Numba's wording, and the plainer replacement."""


def _telling(text: str) -> str:
    """The most informative line of a Numba error: the last that names something unknown or unsupported."""
    lines = [re.sub(r"\x1b\[\d+m", "", line).strip(" >-") for line in text.splitlines()]
    telling = re.compile(
        r"Untyped global|Unknown attribute|No implementation|Cannot unify|not supported|unsupported|"
        r"Cannot determine|Undecided type|NotNative|use of unsupported|Invalid use|No definition|cannot",
        re.I,
    )
    found = [line for line in lines if telling.search(line) and "Enable logging" not in line]
    return found[-1] if found else next((line for line in lines[1:] if line), text)
