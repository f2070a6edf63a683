"""Best-reply search: of all enemies, only the one with the best reply chooses freely (Schadd & Winands 2011).

Paranoid search considers every action of every enemy, so it reaches the hero's next turn late. Here, between two turns
of the hero, one enemy chooses among all actions, and the others take the action with the greatest `order`, so that
every state on the way is legal (BRS+, Esser, Gras, Winands, Schadd & Lanctot 2013). These usual actions do not count as
depth: a turn of the hero and the reply to it are two plies, regardless of the number of players.
"""

from dataclasses import dataclass
from typing import ClassVar

from outplay.chance.paranoid import Paranoid


@dataclass(eq=False, repr=False)
class BestReply(Paranoid):
    """Paranoid search in which only one enemy at a time has a choice, so that it looks further ahead.

    It needs an `order` that tells usual actions from bad ones. With two players it is alpha-beta. The options are those
    of `Expectiminimax`, and values are utilities of the player to move at the root. With more than two sides, a value
    is exact only if no actions were left out.

    >>> from outplay.games import TicTacToe
    >>> BestReply(TicTacToe()).search().verdict
    'draw'
    """

    _best_reply: ClassVar[bool] = True
