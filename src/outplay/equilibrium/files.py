"""The files in which strategies and solvers are kept: JSON, and NumPy's arrays, each with its SHA-256.

JSON has the digest of its content in the field "sha256"; null in its place says that the file was edited on purpose.
A file of arrays (.npz, a zip archive) has the digest of all bytes before it in the comment at its end. Files of
versions before there were digests are read, with a warning.
"""

import hashlib
import io
import json
import math
import zipfile
from collections.abc import Iterator
from os import PathLike
from typing import Any, Literal
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import StrategyError
from outplay.system.files import read_file, write_file

MARK = b"outplay sha256 "
"""The comment of an archive begins with it; the digest follows."""
DIGITS = 64
"""Of a SHA-256 in hexadecimal."""
GREATEST_RATIO = 1100
"""No deflated byte makes more bytes than this; what claims more is damaged."""
AGAIN = "take a copy of it, or make it again"
CHANGED = f"changed or cut off since it was saved; {AGAIN}"
NO_DIGEST = "it was saved before files had a checksum, so damage may not be noticed; save it again"


# -- JSON -------------------------------------------------------------------------------------------------------------


def save_json(path: str | PathLike[str], content: dict[str, Any]) -> None:
    """Write a file of JSON, an entry of each list or dict in a line, with the digest of the content."""
    fields = {**content, "sha256": _digest(content)}
    text = ",\n".join(f"{json.dumps(name)}: {_lines(value)}" for name, value in fields.items())
    write_file(path, f"{{{text}}}\n".encode(), StrategyError)


def load_json(path: str | PathLike[str], version: object, older: object = None) -> dict[str, Any]:
    """What is in a file of JSON, a dict whose "format" is `version`, or `older`, which had no digest.

    Raises `StrategyError` if it is not, cannot be read, or has changed since it was saved.
    """
    data = read_file(path, StrategyError)
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise StrategyError(f"{path}: not a strategy, since not JSON: {error}") from error
    found = content.get("format") if isinstance(content, dict) else None
    if older is not None and found == older and type(found) is type(older) and "sha256" not in content:
        warn(f"{path}: {NO_DIGEST}", stacklevel=4)
        return dict(content)
    if found != version:
        told = f"; its format is {found!r}: is it from another version of outplay?" if found is not None else ""
        raise StrategyError(f"{path}: not a strategy of format {version!r}{told}")
    digest = content.pop("sha256", "")
    if digest is not None and digest != _digest(content):
        raise StrategyError(
            f'{path}: {CHANGED}. If you changed it on purpose, write "sha256": null in it in place of the digest'
        )
    return dict(content)


def _digest(content: dict[str, Any]) -> str:
    """The SHA-256 of what is said, however it is laid out."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _lines(value: Any) -> str:
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"
    if isinstance(value, dict):
        return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in value.items()) + "\n}"
    return json.dumps(value)


# -- arrays -----------------------------------------------------------------------------------------------------------


def save_arrays(path: str | PathLike[str], version: str, arrays: dict[str, NDArray[Any]]) -> None:
    """Write a file of arrays, which `np.load` can read too."""
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
    """The arrays in a file that `save_arrays` wrote, by their names; `what` was to be in it.

    Raises `StrategyError` if it cannot be read, is damaged, of another version, or no such file.
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
    if found not in ("", version):
        raise StrategyError(f"{path}: not {what} of this version of outplay, but of format {found!r}, not {version!r}")
    if not found:
        warn(f"{path}: {NO_DIGEST}", stacklevel=4)
    return arrays


def _arrays(data: bytes) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays in a zip archive. No more memory is taken than there is to read, whatever headers claim."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.file_size > GREATEST_RATIO * max(info.compress_size, 1) or info.compress_size > len(data):
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
