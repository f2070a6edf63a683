"""Reading files of text that somebody names: one that has no end, as /dev/zero, is refused, not read."""

import errno
import os
from os import PathLike

LARGEST = 1 << 30
"""Bytes of the largest file that is read."""


def read_text(path: str | PathLike[str], encoding: str = "utf-8", errors: str = "strict") -> str:
    """The text of a file. Raises `OSError` if it cannot be read or is too large, `UnicodeError` if it is no text."""
    with open(path, "rb") as file:
        content = bytearray()
        while part := file.read(1 << 20):
            content += part
            if len(content) > LARGEST:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(path))
    return content.decode(encoding, errors).replace("\r\n", "\n").replace("\r", "\n")
