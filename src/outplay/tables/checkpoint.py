"""Checkpoints of a table that is being made: records of facts and arrays, in files of a folder beside its file.

The file CHECKPOINT says what table it is, or all; the others are its parts.
"""

import contextlib
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import TableError
from outplay.tables.block_file import bytes_of

CHECKPOINT = "checkpoint"
"""The name of the file without which the others mean nothing."""
PART = re.compile(r"[a-z_]+-\d+")
"""The names of the others."""
FOLDER = re.compile(r"making-\d+-\d+")
"""Those of the folders of classes."""


def record(facts: dict[str, Any], *arrays: NDArray[Any]) -> Iterator[bytes | memoryview]:
    """The bytes of a record."""
    parts = [np.ascontiguousarray(array) for array in arrays]
    text = json.dumps(facts | {"arrays": [[part.dtype.str, part.shape] for part in parts]}).encode()
    yield bytes_of(len(text), zlib.crc32(text))
    yield text
    check = 0
    for part in parts:
        content = part.reshape(-1).data
        check = zlib.crc32(content, check)
        yield content
    yield bytes_of(check)


def read_record(
    file: BinaryIO, empty: Callable[[int, str], NDArray[Any]] = np.empty
) -> tuple[dict[str, Any], list[NDArray[Any]]] | None:
    """The facts and the arrays of the next record of a file; None if there is none, or not all of it."""
    start = file.read(8)
    if len(start) < 8:
        return None
    size, checksum = np.frombuffer(start, "<u4").tolist()
    text = file.read(size)
    if len(text) < size or zlib.crc32(text) != checksum:
        return None
    facts, arrays, check = json.loads(text), list[NDArray[Any]](), 0
    for kind, shape in facts.pop("arrays"):
        content = empty(int(np.prod(shape)), kind)
        if file.readinto(content.data) < content.nbytes:  # type: ignore[attr-defined]
            return None
        check = zlib.crc32(content.data, check)
        arrays.append(content.reshape(shape))
    return (facts, arrays) if file.read(4) == bytes_of(check) else None


def read_checkpoint(folder: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """The record of CHECKPOINT. Raises `TableError` if there is none, or not all of it."""
    try:
        with open(folder / CHECKPOINT, "rb") as file:
            content = read_record(file)
    except OSError as error:
        raise TableError(f"{folder} has no checkpoint to go on from ({error}): delete it, and begin anew") from error
    if content is None:
        raise TableError(f"{folder} has no checkpoint to go on from, it is damaged: delete it, and begin anew")
    return content


def remove_parts(folder: Path) -> None:
    """Remove the files of a table that is made, and the folder if nothing else is there."""
    (folder / CHECKPOINT).unlink(missing_ok=True)  # first: without it, the others mean nothing
    for path in folder.iterdir() if folder.is_dir() else ():
        if FOLDER.fullmatch(path.name):
            remove_parts(path)
        elif PART.fullmatch(path.name):
            path.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
