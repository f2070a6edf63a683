"""The public tree of one betting round between two players, which does not depend on their hands.

Player 0 acts first. No bet has been made yet, and there is a pot from earlier rounds. A player who does not face a bet
checks or bets; one who does folds, calls or raises. The round ends with a fold, a call or two checks.

The size of a bet is a fraction of the pot, and that of a raise a fraction of the pot after calling. A raise is at least
as large as the last bet or raise, and no bet is larger than the stack, which is all-in.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import RulesError

OVER = -1
"""In `Betting.player`: the round is over."""
NOBODY = -1
"""In `Betting.folded`: nobody has folded, so the hands are shown when the round is over."""
MAX_NODES = 20_000
"""The maximum number of nodes of a betting tree."""


class Betting(NamedTuple):
    """The tree. Nodes are numbered in preorder, the root is 0; the edges of node i are first[i] … first[i + 1] - 1."""

    player: NDArray[np.int64]
    """int64 [nodes]: the player to act, or `OVER`."""
    folded: NDArray[np.int64]
    """int64 [nodes]: the player who has folded, or `NOBODY`."""
    paid: NDArray[np.float64]
    """float64 [nodes, 2]: the chips that each player has put into the pot in this round."""
    parent: NDArray[np.int64]
    """int64 [nodes]: -1 at the root."""
    first: NDArray[np.int64]
    """int64 [nodes + 1]: the first edge of each node."""
    child: NDArray[np.int64]
    """int64 [edges]: the node that an edge leads to."""
    names: tuple[str, ...]
    """str [edges]: the name of the action, such as "check", "bet 50", "raise to 150", "all-in"."""


def betting_tree(
    pot: float, stack: float, bets: Sequence[float], raises: Sequence[float], most_raises: int, *, all_in: bool
) -> Betting:
    """The tree of all bets and raises of these sizes.

    Args:
        pot: chips in the pot before the round.
        stack: chips that each player can still bet.
        bets: the sizes of bets, as fractions of the pot.
        raises: the sizes of raises, as fractions of the pot after calling.
        most_raises: the maximum number of bets and raises, including the first bet.
        all_in: whether the whole stack can be bet whenever a bet or raise is possible.

    Raises `RulesError` if there are more than `MAX_NODES` nodes.

    >>> tree = betting_tree(100, 100, (0.5,), (), 1, all_in=False)
    >>> tree.names
    ('check', 'bet 50', 'check', 'bet 50', 'fold', 'call', 'fold', 'call')
    """
    players: list[int] = []
    folded: list[int] = []
    paid: list[tuple[float, float]] = []
    parents: list[int] = []
    names: list[str] = []

    def grow(parent: int, name: str, player: int, put: tuple[float, float], raised: int, by: float, fold: int) -> None:
        """Add a node and all below it, after `raised` bets and raises, the last of them by `by` chips."""
        node = len(players)
        if node == MAX_NODES:
            raise RulesError(
                f"the betting tree has more than {MAX_NODES:,} nodes: fewer bets and raises, or a lower most_raises"
            )
        players.append(player)
        folded.append(fold)
        paid.append(put)
        parents.append(parent)
        names.append(name)
        if player == OVER:
            return

        mine, theirs = put[player], put[1 - player]
        if mine == theirs:
            is_last = name == "check"
            grow(node, "check", OVER if is_last else 1 - player, put, raised, by, NOBODY)
        else:
            grow(node, "fold", OVER, put, raised, by, player)
            grow(node, "call", OVER, (theirs, theirs), raised, by, NOBODY)
        if raised == most_raises or theirs == stack:
            return
        sizes = [max(size * (pot + 2 * theirs), by) for size in (raises if raised else bets)]
        totals = {min(theirs + size, stack) for size in sizes} | ({stack} if all_in else set())
        for total in sorted(totals):
            bet_name = "all-in" if total == stack else f"{'raise to' if raised else 'bet'} {total:.10g}"
            after = (total, theirs) if player == 0 else (theirs, total)
            grow(node, bet_name, 1 - player, after, raised + 1, total - theirs, NOBODY)

    grow(-1, "", 0, (0.0, 0.0), 0, 0.0, NOBODY)
    parent = np.array(parents, np.int64)
    child = np.argsort(parent, kind="stable")[1:]
    return Betting(
        player=np.array(players, np.int64),
        folded=np.array(folded, np.int64),
        paid=np.array(paid),
        parent=parent,
        first=np.concatenate([[0], np.cumsum(np.bincount(parent[1:], minlength=len(parent)))]).astype(np.int64),
        child=child,
        names=tuple(names[node] for node in child),
    )
