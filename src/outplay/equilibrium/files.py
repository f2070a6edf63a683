"""The files in which strategies and solvers are kept: JSON, and NumPy's arrays."""

import json
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import StrategyError
from outplay.reading import read_text


def load_json(path: str | PathLike[str], version: object) -> dict[str, Any]:
    """What is in a file of JSON, a dict whose "format" is `version`.

    Raises `StrategyError` if it is not, or cannot be read.
    """
    try:
        content = json.loads(read_text(path))
    except OSError as error:
        raise StrategyError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise StrategyError(f"{path}: not a strategy, since not JSON: {error}") from error
    if not isinstance(content, dict) or content.get("format") != version:
        raise StrategyError(f"{path}: not a strategy of format {version!r}")
    return content


def load_arrays(path: str | PathLike[str], what: str) -> dict[str, NDArray[Any]]:
    """The arrays in a file that `np.savez` wrote, by their names.

    Raises `StrategyError` if it cannot be read, is damaged, or no such file; `what` was to be in it.
    """
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as content:
            return {name: content[name] for name in content.files}
    except OSError as error:
        raise StrategyError(f"{path}: cannot be read: {error.strerror or error}") from error
    except Exception as error:  # whatever NumPy, zipfile and zlib make of damaged bytes
        raise StrategyError(f"{path}: not {what}, or damaged ({type(error).__name__})") from error
