"""Best-reply search: of all enemies, only the one with the best reply acts as he likes (Schadd & Winands 2011).

Paranoid search looks at every action of every enemy, so that it sees one's own next turn late. Here, between two turns
of the hero, one enemy has all his actions and the others do as usual: the action of the greatest `order`, so that every
state on the way is one that the rules allow (BRS+, Esser, Gras, Winands, Schadd & Lanctot 2013). Usual actions are not
counted in the depth: a turn of the hero and the reply to it are two plies, however many players there are.
"""

from dataclasses import dataclass
from typing import ClassVar

from outplay.chance.paranoid import Paranoid


@dataclass(eq=False, repr=False)
class BestReply(Paranoid):
    """Paranoid search in which only one enemy at a time has a choice, so that it looks further ahead.

    It needs an `order` that knows a usual action from a bad one. With two players it is alpha-beta. The options are
    those of `Expectiminimax`; a value is never exact for more than two sides, as actions are left out.

    >>> from outplay.games import TicTacToe
    >>> BestReply(TicTacToe()).search().verdict
    'draw'
    """

    _best_reply: ClassVar[bool] = True
