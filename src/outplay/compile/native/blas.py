"""Less to import: Numba loads all of scipy.linalg only to see whether it is there.

It is, as outplay depends on SciPy. Rules that do linear algebra load it when they compile. Saves 0.15 s a start.
"""

from typing import Any

from numba.np import linalg

_look: Any = linalg.ensure_blas
linalg.ensure_blas = lambda: None
try:
    from numba.np import arraymath
finally:
    linalg.ensure_blas = _look
arraymath.ensure_blas = _look
