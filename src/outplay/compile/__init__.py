"""Kernels: one source that runs interpreted or as native code, and the cache of compiled code."""

from outplay import _lazy
from outplay.compile import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.compile.native.disk import NotKeptWarning
    from outplay.compile.native.refusal import RunsInterpretedWarning
    from outplay.compile.rejection_sampling import by_trial

__all__ = ["NotKeptWarning", "RunsInterpretedWarning", "by_trial", "cache"]

__getattr__ = _lazy(
    __name__,
    {
        "NotKeptWarning": "outplay.compile.native.disk",
        "RunsInterpretedWarning": "outplay.compile.native.refusal",
        "by_trial": "outplay.compile.rejection_sampling",
    },
)
