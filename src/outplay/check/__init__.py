"""The laws of games, tried in full by `check_game` and in milliseconds before a search."""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.check.report import Failure, Report

__all__ = ["Failure", "Report"]

__getattr__, __dir__ = _lazy(__name__, {"Failure": "outplay.check.report", "Report": "outplay.check.report"})
