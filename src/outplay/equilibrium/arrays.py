"""Files of NumPy's arrays, which strategies and solvers are kept in."""

from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import StrategyError


def load_arrays(path: str | PathLike[str], what: str) -> dict[str, NDArray[Any]]:
    """The arrays in a file that `np.savez` wrote, by their names.

    Raises `StrategyError` if it is damaged, or no such file, in which `what` was to be; `OSError` if it cannot be read.
    """
    with open(path, "rb") as file:
        try:
            with np.load(file, allow_pickle=False) as content:
                return {name: content[name] for name in content.files}
        except Exception as error:  # whatever NumPy, zipfile and zlib make of damaged bytes
            raise StrategyError(f"{path}: not {what}, or damaged: {error}") from error
