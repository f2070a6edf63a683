"""Evaluations learned from the rules of a game alone, by playing.

`plan.py`: what is learned of a game; `groups.py`: which locations go together; `self_play.py`: games from which tables
learn; `rivals.py`: matches; `training.py`: from rules to a player that has won a match.
"""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.learning.plan import Plan
    from outplay.learning.rivals import Comparison
    from outplay.learning.training import Check, Learned, Progress

__all__ = ["Check", "Comparison", "Learned", "Plan", "Progress"]

__getattr__, __dir__ = _lazy(
    __name__,
    {
        "Plan": "outplay.learning.plan",
        "Comparison": "outplay.learning.rivals",
        "Check": "outplay.learning.training",
        "Learned": "outplay.learning.training",
        "Progress": "outplay.learning.training",
    },
)
