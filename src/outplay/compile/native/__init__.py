"""From rules in Python to native code: the only folder that knows Numba.

**For Numba, an instance of a `Game` is a compile-time constant.** A method call on it compiles the rule; its attributes
are literals. So one kernel, an ordinary function whose first argument is the game, becomes one native function per
game. Everything that the compiler learns about the game is recorded: games that give the same answers share the code,
in memory and on disk.

The first line of each module says what it is for. Reading order: `losses` and `internals` (Numba), `state_type` and
`census_types` (the types of states), `questions` (what the compiler asks about a game), `frozen` (constants),
`game_type`, `semantics` (operators with Python's results), `rules` and `classes` (what rules call), `refusal` (rules
that do not compile), `sharing` (which games share code), `disk`, and `entry`, which compiles with all of these.
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
    _compiler: Any = importlib.import_module("outplay.compile.native.with_numba")
except Exception as error:  # this version of Numba lacks something
    losses.lose(losses.NATIVE, f"something that raises {type(error).__name__} ({error})")
    _compiler = importlib.import_module("outplay.compile.native.without_numba")
losses.tell()


def __getattr__(name: str) -> Any:
    """The functions that compile, or stand for these."""
    return getattr(_compiler, name)


def still_compiles(typ: Any) -> bool:
    """Whether games of this type run compiled still: their rules were not refused, and the compiler was not lost."""
    return not typ.refusal and losses.is_on(losses.NATIVE)


__all__ = ["NotKeptWarning", "RunsInterpretedWarning", "UnknownNumbaWarning", "still_compiles"]
