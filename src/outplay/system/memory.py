"""How much memory there is, for those who ask for more."""

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from outplay.rules.errors import OutplayError

CGROUP = Path("/sys/fs/cgroup/memory.max")
"""What a container may use, on Linux; "max" without a limit."""


@cache
def megabytes_of_machine() -> float:
    """The memory that this process may have at most, in megabytes of 10**6 bytes; infinity if nothing tells."""
    found = [float("inf")]
    with suppress(AttributeError, ValueError, OSError):  # Windows
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e6)
    with suppress(OSError, ValueError):
        found.append(int(CGROUP.read_text("ascii")) / 1e6)
    return min(found)


def check_memory(megabytes: float, option: str) -> None:
    """Raise `OutplayError` if `option` asks for more megabytes than the machine has."""
    if megabytes > megabytes_of_machine():
        raise OutplayError(
            f"{option}={megabytes:g}: this machine has {megabytes_of_machine():,.0f} megabytes of memory; ask for less"
        )
