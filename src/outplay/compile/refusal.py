"""What is said of rules that do not compile: three lines for Numba's fifty."""

import inspect
import linecache
import os
import re
import types as python
import warnings

import numba
import numpy as np
from numba import njit, types

from outplay.compile.game_type import GameType
from outplay.compile.rules import WRAPPERS, native_function, rule_of
from outplay.errors import RulesError
from outplay.fingerprint import RULES, member_function
from outplay.game import Game, defines


class RunsInterpretedWarning(UserWarning):
    """The rules of a game do not compile, so it is searched at the speed of Python."""


failures: dict[tuple[str, type], str] = {}


_warned: set[type] = set()


def refuse(game: Game, key: tuple[str, type], rule: str, place: tuple[str, int], reason: str) -> None:
    """Note that `game` runs interpreted, and say so as its class wishes: an error, or a warning, once."""
    name = type(game).__name__
    filename, line = place
    remedy = "use ints, floats, tuples and NumPy arrays"
    failures[key] = (
        f"{name}.{rule} does not compile, and {name} says compiled = True\n"
        f"  {filename}:{line}: {linecache.getline(filename, line).strip()}\n  {reason}; {remedy}"
    )
    if type(game).compiled:
        raise RulesError(failures[key])
    if type(game) in _warned:
        return
    _warned.add(type(game))
    warnings.warn_explicit(
        f"{name} runs interpreted, 100 to 600 times slower than compiled: {rule}() does not compile here: {reason}\n"
        f"  {remedy}, or set compiled = False on {name} to silence this",
        RunsInterpretedWarning,
        filename,
        line,
    )


def first_problem(typ: GameType) -> tuple[str, tuple[str, int], str] | None:
    """The first rule that does not compile by itself: its name, file and line, and why."""
    for rule in RULES:
        if not defines(typ.game, rule):
            continue
        function = member_function(inspect.getattr_static(type(typ.game), rule))
        assert function is not None
        wanted = [typ, typ.state, types.int64, types.int64][: len(inspect.signature(function).parameters)]
        try:
            native_function(function, typ.natives, typ.name).compile(tuple(wanted))
            wrapped = WRAPPERS.get(rule)
            if wrapped:
                njit(rule_of(typ, rule)).compile(tuple(wanted))
        except Exception as error:
            return rule, _place(error, function.__code__), reason_of(error)
    return None


def _place(error: Exception, code: python.CodeType) -> tuple[str, int]:
    """File and line of the user's code that a Numba error is about: the last that it names."""
    places = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    location = getattr(error, "loc", None)
    if location is not None:
        places.insert(0, (location.filename, location.line))
    own = [(os.path.abspath(file), int(line)) for file, line in places if _is_users(file)]
    place = own[-1] if own else (code.co_filename, code.co_firstlineno)
    if place != (os.path.abspath(code.co_filename), code.co_firstlineno) and place[1] != code.co_firstlineno:
        return place
    # Numba named no line: an f-string, or else what the rule returns.
    last = max(line for *_, line in code.co_lines() if line)
    if "format spec" in str(error) or "f-string" in str(error):
        texts = range(code.co_firstlineno, last + 1)
        last = next((n for n in texts if re.search(r"\bf[\"']", linecache.getline(code.co_filename, n))), last)
    return code.co_filename, last


def _is_users(filename: str) -> bool:
    library = (os.path.dirname(numba.__file__), os.path.dirname(np.__file__), __file__)
    return not filename.startswith("<str") and not os.path.abspath(filename).startswith(library)


def reason_of(error: Exception) -> str:
    """One line out of Numba's fifty: the one that says what is wrong."""
    lines = [line.strip(" >-\x1b[0m") for line in str(error).splitlines()]
    lines = [re.sub(r"\x1b\[\d+m", "", line) for line in lines]
    telling = re.compile(
        r"Untyped global|Unknown attribute|No implementation|Cannot unify|not supported|unsupported|"
        r"Cannot determine|Undecided type|NotNative|use of unsupported|Invalid use|cannot",
        re.I,
    )
    found = [line for line in lines if telling.search(line) and "Enable logging" not in line]
    text = found[-1] if found else next((line for line in lines[1:] if line), str(error))
    text = re.sub(r"^.*NotNative: ", "", text).rstrip(".:")
    text = re.sub(r"Literal\[(\w+)\]\([^)]*\)", r"\1", text)
    return (text if len(text) <= 160 else text[:157] + "…") or type(error).__name__
