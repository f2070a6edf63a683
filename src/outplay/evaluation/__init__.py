"""Estimates of a state, for a search that must stop before the end.

`variant.py`: how an evaluation replaces the `evaluate` of a game; `linear.py`: weighted sums of features; `outcome.py`:
shares of the final outcomes.
"""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.evaluation.linear import Explanation, Term
    from outplay.evaluation.variant import Evaluation

__all__ = ["Evaluation", "Explanation", "Term"]

__getattr__, __dir__ = _lazy(
    __name__,
    {
        "Explanation": "outplay.evaluation.linear",
        "Term": "outplay.evaluation.linear",
        "Evaluation": "outplay.evaluation.variant",
    },
)
