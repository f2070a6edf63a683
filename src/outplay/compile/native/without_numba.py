"""Replaces the compiler if the installed Numba lacks something it needs: every game runs interpreted."""

from typing import Any

from outplay.compile.native.losses import KNOWN
from outplay.rules.errors import OutplayError


def _interpreted(*_: Any) -> None:
    """Return None: every game and every kernel runs interpreted."""


def obstacles(game: Any) -> tuple[Any, ...]:
    """Return nothing: no rule is at fault."""
    return ()


def _refused(*_: Any) -> Any:
    raise OutplayError(f"this version of Numba cannot compile outplay's kernels; known to work: Numba {KNOWN}")


cast_state = cells_of = direct = most_cells = pack = dispatcher_of = llvm_ir = llvm_parts = _refused
native_type = compile_kernel = compile_without_game = _interpreted
