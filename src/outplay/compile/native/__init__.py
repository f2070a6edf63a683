"""From rules in Python to native code: the only folder that knows Numba.

**To Numba, an instance of a `Game` is a compile-time constant.** A method call on it compiles the rule; an attribute of
it is a literal. So one kernel, an ordinary function that takes the game first, becomes one native function for each
game. What is learned about the game on the way is noted: games that would answer the same share the code, in memory and
on disk.

Reading order, which is also who may import whom, from the first to the last:

    blas        less to import
    constants   settings, and other things known before types are
    state_type  the type of a game's states
    questions   what the compiler asks about a game
    game_type   the type of a game, and what it was told
    states      the ways into the type of its states
    sorting     Python's own sort and sum
    stack       how much of a thread's stack is left
    meaning     the operators of rules, so that they mean what they mean to Python
    rules       its methods and parameters in compiled code
    functions   functions of outplay that compiled code knows
    refusal     what is said when rules do not compile
    native      `native_type`: which games share compiled code
    disk        what is kept
    entry       `compile_kernel`, where everything comes together
"""

import os

from outplay.rules.errors import OutplayError

try:
    import numba
except Exception as error:  # not installed; or one of its settings, or of what it imports
    _settings = ", ".join(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    raise OutplayError(f"Numba cannot be imported: {error}; its settings are: {_settings or 'none'}") from error
if numba.config.DISABLE_JIT:
    raise OutplayError(
        "NUMBA_DISABLE_JIT switches off the compiler that searches need: unset it; to run the rules of a game"
        " interpreted, set compiled = False on its class"
    )

import outplay.compile.native.blas
import outplay.compile.native.functions
import outplay.compile.native.stack  # noqa: F401 - importing registers them
from outplay.compile.native.disk import NotKeptWarning
from outplay.compile.native.entry import compile_kernel, compile_without_game, dispatcher_of
from outplay.compile.native.refusal import RunsInterpretedWarning
from outplay.compile.native.sharing import native_type
from outplay.compile.native.states import cast_state, pack

__all__ = [
    "NotKeptWarning",
    "RunsInterpretedWarning",
    "cast_state",
    "compile_kernel",
    "compile_without_game",
    "dispatcher_of",
    "native_type",
    "pack",
]
