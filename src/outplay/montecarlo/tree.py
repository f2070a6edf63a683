"""The search tree: one array a field, in bounded memory.

The children of a node stand one after the other, from `first_child[node]` on. Node 0 is none and node 1 the root.
Nodes are taken in order from the free ones; when all are taken, or when play goes on, `copy_tree` keeps what is worth
it.

With `shares` = 1 totals and bounds are utilities of player 0, and the other player's have the opposite sign. Else there
are `shares` of them side by side for each node, one a player.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import Layout, Record, layout, new_record
from outplay.engine.workspace import (
    ACTIONS,
    COUNTERS,
    PATH,
    PLIES,
)
from outplay.montecarlo.options import MCTSOptions
from outplay.rules.keys import state_key

ROOT = 1
FIRST_FREE = 2
SPARE = 4
"""A spare tree, to copy to, has so many times fewer nodes."""

MAX_PLAYERS = 16
LOOKED_UP = 1 << 12
"""1 / n and 1 / √n are looked up for n below this, which is quicker; for 0 they are those of 1."""
LOGS_LOOKED_UP = 1 << 14
"""The same for √ln n, of nodes with children: they have more visits, and a logarithm takes longer."""

# -- the memory of a search -------------------------------------------------------------------------------------------

SIMULATION = (
    ("table_mask", int),  # the number of entries of a table, less 1
    ("next", int),  # the next free node
    ("end", int),  # the first node that is not this thread's
    ("full", int),  # 1: there was no room for more nodes
    ("max_simulations", int),
    ("deepest_ply", int),
    ("max_plies", int),  # after so many plies a playout is cut off
    ("early", int),  # 1: stop when no other action can catch up
    ("settled", int),  # 1: no other action can catch up
    ("ply", int),  # of the leaf of the present simulation
    ("last", int),  # the action that led to the leaf
    ("known", int),  # whether what the simulation brings is known
    ("changed", int),  # whether what is proved of the leaf has changed
    ("stamp", int),  # a number that no earlier simulation has used; each takes PLIES of them
    ("visited", int, PLIES),  # the node of each ply
    ("movers", int, PLIES),  # the player to move in it
    ("length", int),  # how many actions of the present simulation are written down
    ("played", int, PLIES),  # these actions, those of the playout too
    ("played_by", int, PLIES),  # who took them
)
"""What a search counts, and the simulation that goes on."""
AMAF = (
    ("marks", int, (MAX_PLAYERS, ACTIONS)),  # the stamp of when each player took each action last
    ("reference_visits", int),  # GRAVE: how many visits a node needs so that its AMAF statistics are relied on
    ("references", int, (MAX_PLAYERS, 2)),  # for each player, the last such node, and the stamp of when it was noted
    ("places", int, (MAX_PLAYERS, ACTIONS, 2)),  # for each action a stamp, and the child of the node that is relied on
)
"""All moves as first."""


@lru_cache(maxsize=2)
def memory_layout(amaf: bool) -> Layout:
    """The memory of a search, with or without what AMAF statistics need."""
    return layout(*COUNTERS, *PATH, *SIMULATION, *(AMAF if amaf else ()))


@lru_cache(maxsize=32)
def numbers_layout(players: int) -> Layout:
    """The numbers that kernels go by; with statistics of actions, where playouts learn, for so many players."""
    return layout(
        ("exploration", float),
        ("least", float),  # the range of utilities
        ("greatest", float),
        ("width", float),  # what counts as its width: the greatest so far, as a search that settles is to explore on
        ("mean_reward", float),  # of all that simulations have brought
        ("squares", float),  # the sum of squares about it
        ("first_play", float),
        ("rave_bias", float),
        ("bias", float),
        ("widening", float),
        ("widening_power", float),
        ("epsilon", float),
        ("defeat", float),  # the utility of who loses by repetition
        ("rewards", float, MAX_PLAYERS),  # what each share of the present simulation is
        ("roots_of_logs", float, LOGS_LOOKED_UP),  # √ln n
        ("inverses", float, LOOKED_UP),  # 1 / n
        ("roots", float, LOOKED_UP),  # 1 / √n
        ("sums", float, (max(players, 1), ACTIONS if players else 1, 2)),  # what playouts with an action brought, and
    )  # how many they were


ROOTS_OF_LOGS = np.array([math.sqrt(math.log(max(n, 1))) for n in range(LOGS_LOOKED_UP)])
INVERSES = np.array([1 / max(n, 1) for n in range(LOOKED_UP)])
ROOTS = np.array([1 / math.sqrt(max(n, 1)) for n in range(LOOKED_UP)])


def new_numbers(techniques: MCTSOptions, players: int) -> Record:
    """The numbers of a search, with what is looked up."""
    numbers = new_record(numbers_layout(players if techniques.remembers else 0))
    numbers.roots_of_logs[:], numbers.inverses[:], numbers.roots[:] = ROOTS_OF_LOGS, INVERSES, ROOTS
    return numbers


class Tree(NamedTuple):
    """Shape (nodes,) each; `value_sum`, `low` and `high`: (nodes * shares,). Those that are not used have one cell."""

    first_child: Any  # int64: the first child; 0 if there are none yet
    num_children: Any  # int64: how many children
    action: Any  # int64: what leads here
    visits: Any  # int64
    value_sum: Any  # float64: the sum of the utilities of all visits
    low: Any  # float64: what is proved, at least
    high: Any  # float64: what is proved, at most
    prior: Any  # float64: how likely the action is; at chance nodes its probability
    square_sum: Any  # float64: the sum of the squared utilities
    amaf_visits: Any  # int64: visits of the parent in which its player took this action, then or later
    amaf_total: Any  # float64: what they brought that player
    table: Any  # int64 [entries * 2]: with transpositions, key ^ children, and children: the first, and how many


def new_tree(techniques: MCTSOptions, nodes: int) -> Tree:
    """An empty tree with room for so many nodes, the first two included."""
    shares = nodes * techniques.shares

    def array(kind: type, size: int, used: bool = True) -> Any:
        return np.zeros(size if used else 1, kind)

    return Tree(
        first_child=array(np.int64, nodes),
        num_children=array(np.int64, nodes),
        action=array(np.int64, nodes),
        visits=array(np.int64, nodes),
        value_sum=array(np.float64, shares),
        low=array(np.float64, shares, techniques.solver),
        high=array(np.float64, shares, techniques.solver),
        prior=array(np.float64, nodes, techniques.prior),
        square_sum=array(np.float64, nodes, techniques.selection == "ucb1-tuned"),
        amaf_visits=array(np.int64, nodes, techniques.rave),
        amaf_total=array(np.float64, nodes, techniques.rave),
        table=array(np.int64, 2 << (nodes // 4).bit_length(), techniques.transpositions),
    )


@lru_cache(maxsize=64)
def room_for(techniques: MCTSOptions, megabytes: float) -> int:
    """How many nodes a tree and its spare have room for in so many megabytes (of 2**20 bytes)."""
    few = 1 << 12
    bytes_a_node = sum(array.nbytes for array in new_tree(techniques, few)) / few
    return max(64, int(megabytes * 2**20 / bytes_a_node * SPARE / (SPARE + 1)))


def raw_tree(tree: Any) -> Any:
    """The tree as kernels work with it: pointers instead of arrays."""
    return Tree(
        pointer(tree.first_child),
        pointer(tree.num_children),
        pointer(tree.action),
        pointer(tree.visits),
        pointer(tree.value_sum),
        pointer(tree.low),
        pointer(tree.high),
        pointer(tree.prior),
        pointer(tree.square_sum),
        pointer(tree.amaf_visits),
        pointer(tree.amaf_total),
        pointer(tree.table),
    )


# -- keeping a part ---------------------------------------------------------------------------------------------------


def keep(techniques: MCTSOptions, tree: Tree, spare: Tree, root: int, used: int) -> int:
    """Make `root` the root, and keep of what is below what the spare tree has room for, the most visited; what is free.

    The first `used` nodes are in use. The children of the least visited nodes go first, and may grow again.
    """
    room = len(spare.first_child) - FIRST_FREE
    numbers = np.where(tree.first_child[:used] > 0, tree.num_children[:used], 0)
    least = 0
    while int(numbers[tree.visits[:used] >= least].sum()) > room:
        least = 2 * least + 1
    free = copy_tree(techniques, tree, root, least, spare)
    if techniques.transpositions:
        tree.table[:] = _moved(tree.table, tree.visits)
    for name, array, copy in zip(Tree._fields, tree, spare, strict=True):
        if name != "table":
            size = len(copy) * free // len(spare.first_child)
            array[:size] = copy[:size]
    return free


def _moved(table: Any, visits: Any) -> Any:
    """The table of transpositions after `copy_tree`, which leaves in `visits` where children have gone."""
    locked, children = table.reshape(-1, 2).T
    first = -visits[children >> 16]
    moved = np.where((children > 0) & (first > 0), first << 16 | children & 0xFFFF, 0)
    return np.stack([np.where(moved > 0, locked ^ children ^ moved, 0), moved], axis=1).ravel()


@kernel
def copy_tree(techniques: Any, tree: Any, root: int, least: int, spare: Any) -> int:
    """Copy `root` and all that nodes with `least` visits lead to, level by level (Cheney 1970); the next free node.

    Of children that are copied, the visits of the first are left negative: minus where they have gone.
    """
    copy_node(techniques, tree, root, spare, ROOT)
    free, node = FIRST_FREE, ROOT
    while node < free:
        first, number = spare.first_child[node], spare.num_children[node]
        if first > 0:
            if tree.visits[first] < 0:
                spare.first_child[node] = -tree.visits[first]
            elif spare.visits[node] >= least and free + number <= len(spare.first_child):
                for child in range(number):
                    copy_node(techniques, tree, first + child, spare, free + child)
                tree.visits[first] = -free
                spare.first_child[node] = free
                free += number
            else:
                spare.first_child[node] = 0
        node += 1
    return free


@kernel
def copy_node(techniques: Any, tree: Any, node: int, spare: Any, to: int) -> None:
    """Copy one node."""
    spare.first_child[to] = tree.first_child[node]
    spare.num_children[to] = tree.num_children[node]
    spare.action[to] = tree.action[node]
    spare.visits[to] = tree.visits[node]
    for share in range(techniques.shares):
        spare.value_sum[techniques.shares * to + share] = tree.value_sum[techniques.shares * node + share]
        if techniques.solver:
            spare.low[techniques.shares * to + share] = tree.low[techniques.shares * node + share]
            spare.high[techniques.shares * to + share] = tree.high[techniques.shares * node + share]
    if techniques.prior:
        spare.prior[to] = tree.prior[node]
    if techniques.selection == "ucb1-tuned":
        spare.square_sum[to] = tree.square_sum[node]
    if techniques.rave:
        spare.amaf_visits[to] = tree.amaf_visits[node]
        spare.amaf_total[to] = tree.amaf_total[node]


@kernel
def find(game: Any, state: Any, node: int, plies: int, key: int, tree: Any) -> int:
    """The node of the state with `key`, exactly so many plies below `node`, which has `state`; 0 if there is none."""
    if plies == 0:
        return node if state_key(game, state) == key else 0
    if tree.first_child[node] > 0:
        for child in range(tree.first_child[node], tree.first_child[node] + tree.num_children[node]):
            if tree.first_child[child] > 0:
                found = find(game, game.result(state, tree.action[child]), child, plies - 1, key, tree)
                if found > 0:
                    return found
    return 0
