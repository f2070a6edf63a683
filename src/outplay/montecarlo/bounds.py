"""Proved bounds of each node: score-bounded Monte Carlo tree search (Cazenave & Saffidine 2010).

Each node has, for each player, a lower and an upper bound of the utility. At the end of a game both are the utility;
elsewhere they follow from the children:

- the player to move gets at least the greatest `low` of a child, and at most the greatest `high`;
- for every other player, the bounds span those of the children that the player to move may choose: those whose `high`
  is not less than that greatest `low`. Nothing is assumed about how ties are broken. With two opposed players this is
  the same rule from the other player's viewpoint;
- at a chance node, the means.

A node whose bounds meet is closed: its value is proved, and it is not searched again. With only wins and losses this
is the MCTS-Solver of Winands, Björnsson & Saito (2008).
"""

import math
from typing import Any

from outplay.compile.kernels import kernel
from outplay.rules.game import CHANCE


@kernel
def is_closed(techniques: Any, tree: Any, node: int) -> bool:
    """Whether the value of `node` is proved, for every player."""
    for share in range(techniques.shares * node, techniques.shares * (node + 1)):
        if tree.low[share] != tree.high[share]:
            return False
    return True


@kernel
def tighten(techniques: Any, tree: Any, node: int, mover: int) -> bool:
    """Update the bounds of `node` from its children; whether they changed. `mover` is the player to move there."""
    shares, changed = techniques.shares, False
    first = tree.first_child[node]
    last = first + tree.num_children[node]
    floor = -math.inf  # what the mover is sure to get
    if shares > 1 and mover != CHANCE:
        for child in range(first, last):
            floor = max(floor, tree.low[shares * child + mover])
    for share in range(shares):
        low, high = math.inf, -math.inf
        if mover == CHANCE:
            low = high = 0.0
            for child in range(first, last):
                low += tree.prior[child] * tree.low[shares * child + share]
                high += tree.prior[child] * tree.high[shares * child + share]
            low = min(low, tree.high[shares * node + share])  # where probabilities sum to a little more than 1
            high = max(high, tree.low[shares * node + share])
        elif shares > 1:
            for child in range(first, last):
                if tree.high[shares * child + mover] >= floor:
                    low = min(low, tree.low[shares * child + share])
                    high = max(high, tree.high[shares * child + share])
            if share == mover:
                low = floor
        elif mover == 0:
            low = -math.inf
            for child in range(first, last):
                low = max(low, tree.low[child])
                high = max(high, tree.high[child])
        else:
            high = math.inf
            for child in range(first, last):
                low = min(low, tree.low[child])
                high = min(high, tree.high[child])
        place = shares * node + share
        if low > tree.low[place] or high < tree.high[place]:
            tree.low[place], tree.high[place] = max(low, tree.low[place]), min(high, tree.high[place])
            changed = True
    return changed
