"""Where zstd is found: in Python from 3.14 on, in a package before."""

from functools import cache
from typing import Any

from outplay.rules.errors import TableError

LEVEL = 9
"""The level of compression."""


@cache  # a module that is not there is looked for anew each time, which takes as long as to compress some blocks
def zstd() -> tuple[Any, Any]:
    """The function that compresses, and the class of what decompresses."""
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore] # noqa: PLC0415 - Python 3.14
    except ImportError:
        try:
            from backports import zstd  # noqa: PLC0415
        except ImportError as error:
            raise TableError(
                f"files of tables need the extra tables ({error}): pip install 'outplay[tables]', or Python 3.14"
            ) from None
    return zstd.compress, zstd.ZstdDecompressor
