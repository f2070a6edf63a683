"""Estimates of a state, for a search that must stop before the end.

`variant.py`: how an evaluation replaces the `evaluate` of a game; `linear.py`: weighted sums of features; `outcome.py`:
shares of the final outcomes; `patterns.py`: sums of tables, learned by `outplay learn`; `onnx_file.py`: networks for
MCTS.
"""

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.evaluation.layout import Layout
    from outplay.evaluation.linear import Explanation, Term
    from outplay.evaluation.onnx_file import OnnxEvaluator
    from outplay.evaluation.patterns import Tables
    from outplay.evaluation.planes import layout_from_text, layout_text
    from outplay.evaluation.variant import Evaluation

__all__ = [
    "Evaluation",
    "Explanation",
    "Layout",
    "OnnxEvaluator",
    "Tables",
    "Term",
    "layout_from_text",
    "layout_text",
]

__getattr__, __dir__ = _lazy(
    __name__,
    {
        "Explanation": "outplay.evaluation.linear",
        "Term": "outplay.evaluation.linear",
        "OnnxEvaluator": "outplay.evaluation.onnx_file",
        "Layout": "outplay.evaluation.layout",
        "Tables": "outplay.evaluation.patterns",
        "layout_from_text": "outplay.evaluation.planes",
        "layout_text": "outplay.evaluation.planes",
        "Evaluation": "outplay.evaluation.variant",
    },
)
