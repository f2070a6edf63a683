"""MTD(f): the same search as alpha-beta, by null windows alone (Plaat, Schaeffer, Pijls & de Bruin 1996)."""

from dataclasses import dataclass
from typing import ClassVar

from outplay.search.alpha_beta import AlphaBeta


@dataclass(eq=False, repr=False)
class MTDf(AlphaBeta):
    """Alpha-beta whose every window at the root is a null window, first at the value of the last iteration.

    Each search answers whether the value is higher or lower, and the next window stands at the bound that it found;
    the table keeps them from doing work twice, so give it memory. It has the options and the results of `AlphaBeta`.
    With evaluations that take many values it needs many windows.

    >>> from outplay.games import ConnectFour
    >>> analysis = MTDf(ConnectFour(width=5, height=4)).search()
    >>> analysis.verdict, analysis.exact
    ('draw', True)
    """

    _mtdf: ClassVar[bool] = True
