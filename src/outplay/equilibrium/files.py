"""The files of strategies and solvers: JSON or NumPy arrays, each with a SHA-256 checksum.

JSON has the digest of its content in the field "sha256"; null there means that the file was edited on purpose. A file
of arrays (.npz, a zip archive) has the digest of all preceding bytes in the comment at its end.
"""

import hashlib
import io
import json
import zipfile
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import StrategyError
from outplay.system.arrays import arrays_in
from outplay.system.files import check_version, read_file, write_file

MARK = b"outplay sha256 "
"""The beginning of an archive's comment; the digest follows."""
DIGITS = 64
"""The length of a SHA-256 in hexadecimal."""
AGAIN = "restore a copy, or make it again"
CHANGED = f"changed or cut off since it was saved; {AGAIN}"


# -- JSON -------------------------------------------------------------------------------------------------------------


def save_json(path: str | PathLike[str], content: dict[str, Any]) -> None:
    """Write a JSON file with the digest of the content, and each entry of a list or dict in a line of its own."""
    fields = {**content, "sha256": _digest(content)}
    text = ",\n".join(f"{json.dumps(name)}: {_lines(value)}" for name, value in fields.items())
    write_file(path, f"{{{text}}}\n".encode(), StrategyError)


def load_json(path: str | PathLike[str], version: str) -> dict[str, Any]:
    """Return the dict in a JSON file, whose "format" must be `version`.

    Raises `StrategyError` if it has another format, cannot be read, or has changed since it was saved.
    """
    data = read_file(path, StrategyError)
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise StrategyError(f"{path}: not a strategy, because it is not JSON: {error}") from error
    name = content.get("format") if isinstance(content, dict) else None
    check_version(path, name, version, StrategyError)
    if name != version:
        hint = f"; its format is {name!r}" if name is not None else ""
        raise StrategyError(f"{path}: not a strategy of format {version!r}{hint}")
    digest = content.pop("sha256", "")
    if digest is not None and digest != _digest(content):
        raise StrategyError(f'{path}: {CHANGED}. If you changed it on purpose, replace the digest with "sha256": null')
    return dict(content)


def _digest(content: dict[str, Any]) -> str:
    """Return the SHA-256 of the content, whatever its layout."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _lines(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(part)}" for name, part in value.items()) + "\n}"
    return json.dumps(value)


# -- arrays -----------------------------------------------------------------------------------------------------------


def save_arrays(path: str | PathLike[str], version: str, arrays: dict[str, NDArray[Any]]) -> None:
    """Write a file of arrays, which `np.load` can also read."""
    buffer = io.BytesIO()
    try:
        np.savez_compressed(buffer, format=np.array(version), **arrays)  # type: ignore[arg-type]
        with zipfile.ZipFile(buffer, "a") as archive:
            archive.comment = MARK + b"0" * DIGITS
    except MemoryError as error:
        raise StrategyError(f"{path} cannot be written: not enough memory") from error
    content = buffer.getbuffer()
    content[-DIGITS:] = hashlib.sha256(content[:-DIGITS]).hexdigest().encode()
    write_file(path, content, StrategyError)


def load_arrays(path: str | PathLike[str], version: str, kind: str) -> dict[str, NDArray[Any]]:
    """Return the arrays in a file that `save_arrays` wrote, by name; errors call the expected content `kind`.

    Raises `StrategyError` if the file cannot be read, is damaged, has another version, or is not such a file.
    """
    data = read_file(path, StrategyError)
    is_marked = data[-DIGITS - len(MARK) : -DIGITS] == MARK
    if is_marked and data[-DIGITS:] != hashlib.sha256(data[:-DIGITS]).hexdigest().encode():
        raise StrategyError(f"{path}: damaged: {CHANGED}")
    try:
        arrays = arrays_in(data)
    except Exception as error:  # whatever zipfile, zlib and NumPy make of damaged bytes
        empty = "the file is empty" if not data else f"{type(error).__name__}: {error}"
        raise StrategyError(f"{path}: not {kind}, or damaged ({empty}); {AGAIN}") from error
    name = str(arrays.pop("format", ""))
    if name and not is_marked:
        raise StrategyError(f"{path}: damaged: {CHANGED}")
    check_version(path, name, version, StrategyError)
    if name != version:
        hint = f"; its format is {name!r}" if name else ""
        raise StrategyError(f"{path}: not {kind} of format {version!r}{hint}")
    return arrays
