"""Replaces the compiler if the installed Numba lacks something it needs: every game runs interpreted."""

from typing import Any

from outplay.compile.native.losses import KNOWN
from outplay.rules.errors import OutplayError


def native_type(game: Any) -> None:
    """Return None: every game runs interpreted."""


def compile_kernel(kernel: Any, args: Any) -> None:
    """Return None: every kernel runs interpreted."""


def compile_without_game(kernel: Any, args: Any) -> None:
    """Return None: kernels without a game run interpreted too."""


def obstacles(game: Any) -> tuple[Any, ...]:
    """Return nothing: no rule is at fault."""
    return ()


def _refused(*_: Any) -> Any:
    raise OutplayError(f"this version of Numba cannot compile outplay's kernels; known to work: Numba {KNOWN}")


cast_state = cells_of = pack = dispatcher_of = llvm_ir = llvm_parts = unrefused = _refused
