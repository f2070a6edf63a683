"""What stands for the compiler where the installed Numba lacks something that it needs: every game runs interpreted."""

from typing import Any

from outplay.compile.native.losses import KNOWN
from outplay.rules.errors import OutplayError


def native_type(game: Any) -> None:
    """Every game runs interpreted."""


def compile_kernel(kernel: Any, args: Any) -> None:
    """Every kernel runs interpreted."""


def compile_without_game(kernel: Any, args: Any) -> None:
    """Also one that takes no game."""


def _refused(*_: Any) -> Any:
    raise OutplayError(f"nothing compiles with this version of Numba; it does with {KNOWN}")


cast_state = pack = dispatcher_of = llvm_ir = llvm_parts = _refused
