"""From rules in Python to native code: the only folder that knows Numba.

**To Numba, an instance of a `Game` is a compile-time constant.** Each instance gets a type of its own, whose name holds
a fingerprint of all that its rules depend on. A method call on it compiles the rule; an attribute of it is a literal.
So one kernel, an ordinary function that takes the game first, becomes one native function for each game.

Reading order, which is also who may import whom, from the first to the last:

    quick       less to import
    constants   settings, and other things known before types are
    game_type   the type of a game
    states      the type of its states, and the ways into it
    sorting     Python's own sort and sum
    stack       how much of a thread's stack is left
    meaning     the operators of rules, so that they mean what they mean to Python
    rules       its methods and parameters in compiled code
    functions   functions of outplay that compiled code knows
    refusal     what is said when rules do not compile
    disk        what is kept
    entry       `native_type` and `compile_kernel`, where everything comes together
"""

import outplay.compile.blas
import outplay.compile.functions
import outplay.compile.stack  # noqa: F401 - importing registers them
from outplay.compile.entry import compile_kernel, compile_without_game, dispatcher_of, native_type
from outplay.compile.refusal import RunsInterpretedWarning
from outplay.compile.states import gate, pack

__all__ = [
    "RunsInterpretedWarning",
    "compile_kernel",
    "compile_without_game",
    "dispatcher_of",
    "gate",
    "native_type",
    "pack",
]
