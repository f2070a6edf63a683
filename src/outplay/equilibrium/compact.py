"""A game tree laid out for repeated random walks down it: few numbers, with those of one step side by side.

A node is identified by one int32, its *reference*, whose range tells who moves before anything is looked up:

    below 0                        an end: the utilities of end ~reference
    below borders[0]               chance; in `steps` from there: outcomes, first cut, (outcome, other outcome) of each
    below borders[player + 1]      the player; in `steps` from there: the place of the information set, the number of
                                   actions, the node after each of them, and the node after the last one repeated

Chance draws with one random number and one comparison (the alias method: Walker 1977; Vose 1991): with u from 0 to the
number of outcomes, take the pair whole(u), and of it the first if the fraction of u is below its cut, else the other.

Nodes with one child are left out, and everything that chance decides before any player acts is one draw. The numbers of
an information set also stand together, see `mccfr.py`; its place is three times the number of its first sequence.

Start at `compact`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.tree import GameTree
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE

MAX_REFERENCE = 2**31 - 1
"""The maximum reference of a node and place of an information set."""


class Compact(NamedTuple):
    """A tree as the samplers read it, made by `compact`."""

    steps: Any  # int32 [_]: the nodes, those of chance first, then player by player
    borders: Any  # int32 [players + 1]: where the nodes of chance end, and those of each player
    cuts: Any  # float64 [outcomes]
    utilities: Any  # float64 [players * ends]: of player 0 at all ends, then of player 1, …
    players: int  # the number of players
    ends: int  # the number of ends
    root: int  # the reference of the first node

    @property
    def nbytes(self) -> int:
        """The size of all arrays in bytes."""
        return sum(array.nbytes for array in self[:4])


def compact(tree: GameTree) -> Compact:
    """Return the compact layout of `tree`, cached on the tree.

    Raises `OutplayError` for more than several hundred million sequences.

    >>> from outplay.games import KuhnPoker
    >>> from outplay.equilibrium import unroll
    >>> laid = compact(unroll(KuhnPoker()))
    >>> int(laid.steps[laid.root]), laid.borders.tolist()  # six deals in one draw; chance, players 0, 1
    (6, [14, 74, 134])
    """
    cached: Compact | None = tree.__dict__.get("_compact")
    if cached is None:
        cached = tree.__dict__["_compact"] = _laid_out(tree)
    return cached


def _laid_out(tree: GameTree) -> Compact:
    nodes, parent = tree.nodes, tree.parent

    # 1. The children of each node: the children[node] entries of `child` from start[node] on.
    children = np.bincount(parent[1:], minlength=nodes)
    child = np.argsort(parent[1:], kind="stable") + 1
    start = np.cumsum(children) - children
    for node in np.unique(parent[child[_other_order(tree, child, start)]]):
        below, actions = slice(start[node], start[node] + children[node]), tree.actions(tree.information[node])
        child[below] = sorted(child[below], key=lambda node: actions.index(int(tree.action[node])))

    # 2. Where each node leads: a node with one child, to the next node in preorder.
    target = np.arange(nodes)
    for node in np.flatnonzero(children == 1)[::-1]:
        target[node] = target[node + 1]
    root = int(target[0])

    # 3. What chance decides before any player acts: (probability, node) of each outcome.
    absorbed, opening = np.zeros(nodes, bool), []
    todo = [(1.0, root)]
    while todo:
        likely, node = todo.pop()
        if tree.player[node] != CHANCE:
            opening.append((likely, node))
            continue
        absorbed[node] = True
        outcomes = child[start[node] : start[node] + children[node]][::-1]
        todo += [(likely * float(tree.chance[outcome]), int(target[outcome])) for outcome in outcomes]

    # 4. References, ordered by who moves.
    nodes_kept = np.flatnonzero((children > 1) & ~absorbed)
    movers = tree.player[nodes_kept]
    by_chance = nodes_kept[movers == CHANCE]
    deciding = nodes_kept[movers != CHANCE]
    deciding = deciding[np.argsort(tree.player[deciding], kind="stable")]
    reference = np.zeros(nodes, np.int64)
    reference[tree.end_node] = ~np.arange(len(tree.end_node))
    size = 0
    if absorbed[root]:
        reference[root], size = 0, 2 + 2 * len(opening)
    room = np.concatenate([2 + 2 * children[by_chance], 3 + children[deciding]])
    after = size + np.cumsum(room, dtype=np.int64)
    reference[np.concatenate([by_chance, deciding])] = after - room
    of_chance = size + int(room[: len(by_chance)].sum())
    decided = np.bincount(tree.player[deciding], 3 + children[deciding], tree.players).astype(np.int64)
    borders = of_chance + np.concatenate([[0], np.cumsum(decided)])
    reference = reference[target]
    if max(int(borders[-1]), 3 * tree.sequences) > MAX_REFERENCE:
        raise OutplayError(f"{tree!r} is too large for MCCFR, which uses int32 numbers: use TreelessMCCFR or CFR")

    # 5. The nodes of the players.
    steps = np.zeros(int(borders[-1]), np.int32)
    at, number = reference[deciding], children[deciding]
    steps[at], steps[at + 1] = 3 * tree.first[tree.information[deciding]], number
    first_child = start[deciding]
    edges = np.repeat(np.arange(len(deciding)), number)
    index = np.arange(len(edges)) - np.repeat(np.cumsum(number) - number, number)
    steps[at[edges] + 2 + index] = reference[child[first_child[edges] + index]]
    steps[at + 2 + number] = steps[at + 1 + number]

    # 6. The nodes of chance.
    cuts: list[NDArray[np.float64]] = []
    first_cut = 0
    draws = [(reference[root], *map(np.array, zip(*opening, strict=True)))] if absorbed[root] else []
    for node in by_chance:
        outcomes = child[start[node] : start[node] + children[node]]
        draws.append((reference[node], tree.chance[outcomes], outcomes))
    for here, likely, outcomes in draws:
        cut, alias = alias_table(likely)
        leads = reference[outcomes]
        steps[here], steps[here + 1] = len(cut), first_cut
        steps[here + 2 : here + 2 + 2 * len(cut) : 2] = leads
        steps[here + 3 : here + 3 + 2 * len(cut) : 2] = leads[alias]
        cuts.append(cut)
        first_cut += len(cut)
    return Compact(
        steps=steps,
        borders=borders.astype(np.int32),
        cuts=np.concatenate(cuts) if cuts else np.zeros(0),
        utilities=np.ascontiguousarray(tree.utilities.T, np.float64).ravel(),
        players=tree.players,
        ends=len(tree.end_node),
        root=int(reference[0]),
    )


def _other_order(tree: GameTree, child: NDArray[Any], start: NDArray[Any]) -> Any:
    """Return the indices in `child` of actions that a state lists at another place than its information set."""
    parent = tree.parent[child]
    mine = np.flatnonzero(tree.player[parent] >= 0)
    place = tree.first[tree.information[parent[mine]]] + mine - start[parent[mine]]
    return mine[tree.sequence_action[place] != tree.action[child[mine]]]


def alias_table(likely: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return, for each outcome, the part of its share that is its own, and the outcome that gets the rest.

    >>> cut, other = alias_table(np.array([0.5, 0.25, 0.25]))
    >>> cut.tolist(), other.tolist()
    ([1.0, 0.75, 0.75], [0, 0, 0])
    """
    number = len(likely)
    share = likely * (number / likely.sum())
    cut, alias = np.ones(number), np.arange(number)
    if np.ptp(share) < 1e-12:
        return cut, alias
    small = [index for index in range(number) if share[index] < 1]
    large = [index for index in range(number) if share[index] >= 1]
    while small and large:
        less, donor = small.pop(), large[-1]
        cut[less], alias[less] = share[less], donor
        share[donor] -= 1 - share[less]
        if share[donor] < 1:
            small.append(large.pop())
    return cut, alias  # what remains in either list has a share of 1, up to rounding
