"""From rules in Python to native code: the only folder that knows Numba.

**To Numba, an instance of a `Game` is a compile-time constant.** A method call on it compiles the rule; an attribute of
it is a literal. So one kernel, an ordinary function that takes the game first, becomes one native function for each
game. What is learned about the game on the way is noted: games that would answer the same share the code, in memory and
on disk.

Reading order, which is also who may import whom, from the first to the last:

    losses      what the installed Numba lacks
    internals   Numba's private names, all of them
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
    sharing     `native_type`: which games share compiled code
    disk        what is kept
    known_rules rules that compile, whatever the user's do
    entry       `compile_kernel`, where everything comes together
    room        all of this
    without     what stands for it where the installed Numba lacks something that it needs
"""

import importlib
import os
from typing import Any

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

from outplay.compile.native import losses
from outplay.compile.native.notices import NotKeptWarning, RunsInterpretedWarning, UnknownNumbaWarning

try:
    _room: Any = importlib.import_module("outplay.compile.native.room")
except Exception as error:  # whatever this version of Numba lacks
    losses.lose(losses.NATIVE, f"what raises {type(error).__name__} ({error})")
    _room = importlib.import_module("outplay.compile.native.without")
losses.tell()

cast_state, pack = _room.cast_state, _room.pack
compile_kernel, compile_without_game, dispatcher_of = (
    _room.compile_kernel,
    _room.compile_without_game,
    _room.dispatcher_of,
)
llvm_ir, llvm_parts, native_type = _room.llvm_ir, _room.llvm_parts, _room.native_type

__all__ = [
    "NotKeptWarning",
    "RunsInterpretedWarning",
    "UnknownNumbaWarning",
    "cast_state",
    "compile_kernel",
    "compile_without_game",
    "dispatcher_of",
    "llvm_ir",
    "llvm_parts",
    "native_type",
    "pack",
]
