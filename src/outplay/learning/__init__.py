"""Evaluations learned from the rules of a game alone, by playing.

`plan.py`: what is learned of a game; `groups.py`: which locations go together; `self_play.py`: games from which tables
learn; `labelling.py` and `fitting.py`: games between searches, and what is fitted to them; `chance_training.py`:
networks for games with chance; `rivals.py`: matches; `training.py`: what all ways to learn have in common; `learn.py`:
from rules to a player that has won a match; `positions.py`: positions of self-play in a file.
"""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.learning.plan import Plan
    from outplay.learning.positions import Positions, self_played
    from outplay.learning.progress import Check, Learned, Progress
    from outplay.learning.rivals import Comparison
    from outplay.learning.self_play import Learner

__all__ = ["Check", "Comparison", "Learned", "Learner", "Plan", "Positions", "Progress", "self_played"]

__getattr__, __dir__ = _lazy(
    __name__,
    {
        "Plan": "outplay.learning.plan",
        "Positions": "outplay.learning.positions",
        "self_played": "outplay.learning.positions",
        "Comparison": "outplay.learning.rivals",
        "Learner": "outplay.learning.self_play",
        "Check": "outplay.learning.progress",
        "Learned": "outplay.learning.progress",
        "Progress": "outplay.learning.progress",
    },
)
