"""Memory for the arrays, lists, sets and objects of compiled rules: each thread keeps what it frees, and uses it again.

Rules make and drop small containers all the time. Numba asks the C library for each block, and counts references with
atomic instructions. Here a thread has a pool of free blocks for each of a few sizes, and counts are plain: a block is
only used by the thread that made it, since Numba makes new counters of what a kernel is given.

The functions in `allocation_code` replace those of Numba of the same names where a kernel is linked. Blocks come from
Numba's `NRT_Allocate` and can be freed by `NRT_Free`, so what Numba's own code frees needs no pool.

A pool belongs to the thread whose address stands in its first word. On Linux for x86-64 this address, in the register
`fs`, is also `threading.get_ident()`; elsewhere there are no pools.
"""

import os
import platform
import sys
import threading

import numpy as np

POOLS = 64
"""The number of pools; further threads get their memory from Numba."""
SIZES = 8
"""The number of sizes: 32, 64 … 4096 bytes."""
KEPT = 2**20
"""The maximum number of bytes that a pool keeps of each size."""
WORDS = 32
"""int64s in a pool: the owner, `SIZES` first free blocks, `SIZES` numbers of free blocks, and the rest unused."""

_pools = np.zeros((POOLS, WORDS), np.int64)
_thread = threading.local()


def are_supported() -> bool:
    """Whether pools work on this machine."""
    is_known = sys.platform == "linux" and platform.machine() == "x86_64" and sys.maxsize > 2**32
    return is_known and not any(name.startswith("NUMBA_") and "NRT" in name for name in os.environ)


def room(head: int, item: int) -> int:
    """The number of items of so many bytes that a new list has room for: at least 4, within a block of 256 bytes.

    `head` is the size of the list without items. A list that grows item by item then keeps its first block for long.
    """
    return max(4, (256 - 64 - head) // max(item, 1))


def address() -> int:
    """Where the pools are in memory."""
    return int(_pools.ctypes.data)


class _Pools:
    """The pools of a thread. Nothing but the thread itself may free them, else two threads could use one at once."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()

    def __del__(self) -> None:  # in the thread, as it ends
        owners = _pools[:, 0]
        owners[owners == self.thread] = 0


def free_at_end() -> None:
    """Free the pools of this thread when it ends."""
    if not hasattr(_thread, "pools") and threading.current_thread() is not threading.main_thread():
        _thread.pools = _Pools()
