"""How much memory there is, and how much of it is given back."""

import ctypes
import gc
import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from outplay.rules.errors import OutplayError

CGROUP = Path("/sys/fs/cgroup/memory.max")
"""The memory limit of a container on Linux; "max" means no limit."""


@cache
def megabytes_of_machine() -> float:
    """The maximum memory of this process in megabytes (10**6 bytes); infinity if unknown."""
    limits = [float("inf")]
    with suppress(AttributeError, ValueError, OSError):  # Windows
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6)
    with suppress(OSError, ValueError):
        limits.append(int(CGROUP.read_text("ascii")) / 1e6)
    return min(limits)


def check_memory(megabytes: float, option: str) -> None:
    """Raise `OutplayError` if `megabytes`, the value of `option`, is more than the machine has."""
    if megabytes > megabytes_of_machine():
        raise OutplayError(
            f"{option}={megabytes:g}: this machine has {megabytes_of_machine():,.0f} megabytes of memory; ask for less"
        )


def resident_megabytes() -> float:
    """The memory that this process holds, in megabytes; 0 where the system does not say, as only Linux does."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def collect_garbage() -> None:
    """Search for garbage now, and let the C library give the memory of it back to the system, which it else keeps."""
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)
