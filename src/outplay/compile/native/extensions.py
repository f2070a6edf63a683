"""Everything that Numba learns from us, registered by importing it; code loaded from disk needs none of it."""

import outplay.compile.native.arrays
import outplay.compile.native.classes
import outplay.compile.native.copies
import outplay.compile.native.dicts
import outplay.compile.native.enumerations
import outplay.compile.native.faults
import outplay.compile.native.functions
import outplay.compile.native.iterables
import outplay.compile.native.objects
import outplay.compile.native.operators
import outplay.compile.native.searching
import outplay.compile.native.semantics.passes
import outplay.compile.native.stack
import outplay.compile.native.state_cells
import outplay.compile.native.text_arrays
