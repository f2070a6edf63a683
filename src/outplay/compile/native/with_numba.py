"""The functions that compile, if Numba has everything that they need."""

from outplay.compile.native.entry import (
    compile_kernel,
    compile_without_game,
    direct,
    dispatcher_of,
    llvm_ir,
    llvm_parts,
)
from outplay.compile.native.sharing import native_type
from outplay.compile.native.state_cells import most_cells
from outplay.compile.native.states import cast_state, cells_of, pack
from outplay.compile.native.survey import obstacles
