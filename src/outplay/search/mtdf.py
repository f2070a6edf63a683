"""MTD(f): alpha-beta with null windows only (Plaat, Schaeffer, Pijls & de Bruin 1996)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from outplay.search.alpha_beta import AlphaBeta


@dataclass(eq=False, repr=False)
class MTDf(AlphaBeta):
    """Alpha-beta that uses only null windows at the root, the first at the value of the last iteration.

    Each search shows whether the value is higher or lower than its window, and the next window is at the bound that it
    found. The table prevents repeated work, so it needs enough memory. Options and results are those of `AlphaBeta`.
    Evaluations with many different values need many windows.

    >>> from outplay.games import ConnectFour
    >>> analysis = MTDf(ConnectFour(width=5, height=4)).search()
    >>> analysis.verdict, analysis.exact
    ('draw', True)
    """

    _mtdf: ClassVar[bool] = True
    textbook_form: ClassVar[Any] = None
