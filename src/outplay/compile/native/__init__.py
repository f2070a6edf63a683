"""From rules in Python to native code: the only folder that knows Numba.

**For Numba, an instance of a `Game` is a compile-time constant.** A method call on it compiles the rule; its attributes
are literals. So one kernel, an ordinary function whose first argument is the game, becomes one native function per
game. Everything that the compiler learns about the game is recorded: games that give the same answers share the code,
in memory and on disk.

Reading order; each module imports only from those above it:

    losses      techniques that the installed Numba does not allow
    internals   all private names of Numba
    constants   settings and other constants known before types
    state_type  the types of values in states
    frozenset_type  the type of frozensets
    text_array_type  the type of arrays of texts
    class_type  the types of classes and of methods of values
    census_types  the types of states and objects, from the census of the game
    questions   the questions that the compiler asks about a game
    generators  generators over arrays, compiled as functions that return lists
    frozen      constants of any kind: lists, dicts, sets, enumerations
    game_type   the type of a game, with the answers
    varying     the type of tuples of any length
    states      conversions to the type of its states
    sorting     Python's own sort and sum
    tuples      what can be done with tuples of any length
    iterables   the functions that rewritten rules call
    texts       values in texts
    arrays      functions of NumPy arrays that Numba lacks
    text_arrays  NumPy arrays of texts
    stack       the check for the end of a thread's stack
    meaning     the operators of rules, with Python's meaning
    dicts       new dicts from others
    searching   bisect, items of a range, pow
    rules       methods and parameters of a game in compiled code
    classes     classes in rules: their constants and functions, named tuples
    faults      the errors of the steps of a `try`
    operators   operators of users' objects
    enumerations  operators, loops and look-ups of members of enumerations
    remaking    new objects with an attribute of another type
    ordering    the order of sets
    replacing   changed records, and their fields by name
    records     pointers to records
    functions   compiled versions of functions of outplay
    reasons     why a line does not compile, in the words of Python
    refusal     messages about rules that do not compile
    sharing     `native_type`: which games share compiled code
    survey      everything that keeps a game from compiling
    disk        loading and saving compiled code
    known_rules rules that are known to compile
    entry       `compile_kernel`, which uses all of the above
    extensions  all of the above that register something with Numba
    room        what the rest of outplay calls
    without     the replacement of `room` if the installed Numba lacks something that it needs
"""

import importlib
import os
from typing import Any

from outplay.rules.errors import OutplayError

try:
    import numba
except Exception as error:  # not installed, a bad setting, or a failing import of its own
    _settings = ", ".join(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    raise OutplayError(f"Numba cannot be imported: {error}; its settings are: {_settings or 'none'}") from error
if numba.config.DISABLE_JIT:
    raise OutplayError(
        "NUMBA_DISABLE_JIT switches off the compiler that searches need: unset it; to run the rules of a game"
        " interpreted, set compiled = False on its class"
    )

from outplay.compile.native import losses
from outplay.compile.native.notices import NotKeptWarning, RunsInterpretedWarning, UnknownNumbaWarning

try:
    _room: Any = importlib.import_module("outplay.compile.native.room")
except Exception as error:  # this version of Numba lacks something
    losses.lose(losses.NATIVE, f"something that raises {type(error).__name__} ({error})")
    _room = importlib.import_module("outplay.compile.native.without")
losses.tell()


def __getattr__(name: str) -> Any:
    """The functions that compile, or stand for these."""
    return getattr(_room, name)


def still_compiles(typ: Any) -> bool:
    """Whether games of this type run compiled still: their rules were not refused, and the compiler was not lost."""
    return not typ.refusal and losses.is_on(losses.NATIVE)


__all__ = ["NotKeptWarning", "RunsInterpretedWarning", "UnknownNumbaWarning", "still_compiles"]
