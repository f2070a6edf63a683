"""Arrays in a file of NumPy's (.npz, a ZIP archive), read without belief in what its headers claim."""

import io
import math
import zipfile
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from outplay.system.files import MAX_FILE_BYTES

MAX_RATIO = 1100
"""The maximum number of bytes that a deflated byte can expand to; a file that claims more is damaged."""


def arrays_in(data: bytes, most_bytes: int = MAX_FILE_BYTES) -> dict[str, NDArray[Any]]:
    """The arrays in an archive, by name. Memory is bounded by what there is to read, and by `most_bytes`.

    Of damaged bytes, zipfile, zlib and NumPy may raise any `Exception`.
    """
    arrays: dict[str, NDArray[Any]] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            most_bytes -= info.file_size
            claims_too_much = info.file_size > MAX_RATIO * max(info.compress_size, 1) or info.compress_size > len(data)
            if claims_too_much or most_bytes < 0:
                raise ValueError(f"{info.filename} claims {info.file_size:,} bytes")
            with archive.open(info) as file:
                magic = np.lib.format.read_magic(file)
                if magic != (1, 0):
                    raise ValueError(f"{info.filename} is an array of version {magic}")
                shape, by_columns, kind = np.lib.format.read_array_header_1_0(file)
                content = file.read(info.file_size)  # without a number, it expands all there is
            if kind.hasobject or math.prod(shape) * kind.itemsize != len(content):
                raise ValueError(f"{info.filename} has {len(content):,} bytes for {kind} {list(shape)}")
            order: Literal["F", "C"] = "F" if by_columns else "C"
            arrays[info.filename.removesuffix(".npy")] = np.ndarray(shape, kind, bytearray(content), order=order)
    return arrays
