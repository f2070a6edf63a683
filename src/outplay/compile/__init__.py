"""Kernels: one source that runs interpreted or as native code, and the cache of compiled code."""

from outplay import _lazy
from outplay.compile import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.compile.native.notices import NotKeptWarning, RunsInterpretedWarning, UnknownNumbaWarning
    from outplay.compile.obstacles import Obstacle
    from outplay.compile.rejection_sampling import by_trial

__all__ = ["NotKeptWarning", "Obstacle", "RunsInterpretedWarning", "UnknownNumbaWarning", "by_trial", "cache"]

__getattr__, __dir__ = _lazy(
    __name__,
    {
        "NotKeptWarning": "outplay.compile.native.notices",
        "Obstacle": "outplay.compile.obstacles",
        "RunsInterpretedWarning": "outplay.compile.native.notices",
        "UnknownNumbaWarning": "outplay.compile.native.notices",
        "by_trial": "outplay.compile.rejection_sampling",
    },
)
