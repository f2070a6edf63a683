"""How much memory there is."""

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
