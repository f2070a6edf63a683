"""The files of strategies and solvers: JSON or NumPy arrays, each with a SHA-256 checksum.

JSON has the digest of its content in the field "sha256"; null there means that the file was edited on purpose. A file
of arrays (.npz, a zip archive) has the digest of all preceding bytes in the comment at its end.
"""

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Iterator
from os import PathLike
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import StrategyError
from outplay.system.files import check_version, read_file, write_file

MARK = b"outplay sha256 "
"""The beginning of an archive's comment; the digest follows."""
DIGITS = 64
"""The length of a SHA-256 in hexadecimal."""
MAX_RATIO = 1100
"""The maximum number of bytes that a deflated byte can expand to; a file that claims more is damaged."""
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
    found = content.get("format") if isinstance(content, dict) else None
    check_version(path, found, version, StrategyError)
    if found != version:
        told = f"; its format is {found!r}" if found is not None else ""
        raise StrategyError(f"{path}: not a strategy of format {version!r}{told}")
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
        return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in value.items()) + "\n}"
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


def load_arrays(path: str | PathLike[str], version: str, what: str) -> dict[str, NDArray[Any]]:
    """Return the arrays in a file that `save_arrays` wrote, by name; errors call the expected content `what`.

    Raises `StrategyError` if the file cannot be read, is damaged, has another version, or is not such a file.
    """
    data = read_file(path, StrategyError)
    is_marked = data[-DIGITS - len(MARK) : -DIGITS] == MARK
    if is_marked and data[-DIGITS:] != hashlib.sha256(data[:-DIGITS]).hexdigest().encode():
        raise StrategyError(f"{path}: damaged: {CHANGED}")
    try:
        arrays = dict(_arrays(data))
    except Exception as error:  # whatever zipfile, zlib and NumPy make of damaged bytes
        empty = "the file is empty" if not data else f"{type(error).__name__}: {error}"
        raise StrategyError(f"{path}: not {what}, or damaged ({empty}); {AGAIN}") from error
    found = str(arrays.pop("format", ""))
    if found and not is_marked:
        raise StrategyError(f"{path}: damaged: {CHANGED}")
    check_version(path, found, version, StrategyError)
    if found != version:
        told = f"; its format is {found!r}" if found else ""
        raise StrategyError(f"{path}: not {what} of format {version!r}{told}")
    return arrays


def _arrays(data: bytes) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays in a zip archive. Memory is bounded by what there is to read, whatever headers claim."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.file_size > MAX_RATIO * max(info.compress_size, 1) or info.compress_size > len(data):
                raise ValueError(f"{info.filename} claims {info.file_size:,} bytes")
            with archive.open(info) as file:
                magic = np.lib.format.read_magic(file)
                if magic != (1, 0):
                    raise ValueError(f"{info.filename} is an array of version {magic}")
                shape, by_columns, kind = np.lib.format.read_array_header_1_0(file)
                content = file.read()
            if kind.hasobject or math.prod(shape) * kind.itemsize != len(content):
                raise ValueError(f"{info.filename} has {len(content):,} bytes for {kind} {list(shape)}")
            order: Literal["F", "C"] = "F" if by_columns else "C"
            yield info.filename.removesuffix(".npy"), np.ndarray(shape, kind, bytearray(content), order=order)
