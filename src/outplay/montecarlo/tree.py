"""The search tree: one array per field, in bounded memory.

The children of a node are stored one after the other, starting at `first_child[node]`. Node 0 means no node, and node 1
is the root. Free nodes are taken in order. When all are taken, or when play goes on, `copy_tree` keeps the part that is
worth keeping.

With `shares` = 1, totals and bounds are utilities of player 0; those of the other player have the opposite sign.
Otherwise each node has `shares` of them side by side, one per player.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from outplay.compile.kernels import kernel
from outplay.compile.records import Layout, Record, layout, new_record
from outplay.engine.workspace import ACTIONS, COUNTERS, PATH, PLIES
from outplay.montecarlo.options import MCTSOptions
from outplay.rules.keys import state_key
from outplay.tables.probe import PROBE

ROOT = 1
FIRST_FREE = 2
SPARE = 4
"""The spare tree, which the tree is copied to, has this many times fewer nodes."""

MAX_SIMULATED_PLAYERS = 16
LOOKED_UP = 1 << 12
"""1 / n and 1 / √n are looked up for n below this, which is faster; the entries for 0 are those for 1."""
LOGS_LOOKED_UP = 1 << 14
"""The same for √ln n. This table is larger because nodes with children have more visits and a logarithm is slower."""

# -- the memory of a search -------------------------------------------------------------------------------------------

SIMULATION = (
    ("table_mask", int),  # the number of entries of a table, less 1
    ("next", int),  # the next free node
    ("end", int),  # the end of this thread's nodes
    ("full", int),  # 1: there was no room for more nodes
    ("max_simulations", int),
    ("deepest_ply", int),
    ("max_plies", int),  # the number of plies after which a playout is cut off
    ("early", int),  # 1: stop when no other action can catch up
    ("settled", int),  # 1: no other action can catch up
    ("ply", int),  # of the leaf of the present simulation
    ("last", int),  # the action that led to the leaf
    ("has_rewards", int),  # whether the rewards of the simulation are known
    ("changed", int),  # whether what is proved of the leaf has changed
    ("stamp", int),  # the first of PLIES numbers that no earlier simulation has used
    ("visited", int, PLIES),  # the node of each ply
    ("movers", int, PLIES),  # the player to move in it
    ("length", int),  # the number of recorded actions of the present simulation
    ("played", int, PLIES),  # these actions, including those of the playout
    ("played_by", int, PLIES),  # who took them
)
"""What a search counts, and its present simulation."""
AMAF = (
    ("marks", int, (MAX_SIMULATED_PLAYERS, ACTIONS)),  # the stamp of the last time each player took each action
    ("reference_visits", int),  # GRAVE: the visits that a node needs before its AMAF statistics are used
    ("references", int, (MAX_SIMULATED_PLAYERS, 2)),  # for each player, the last such node, and the stamp of its record
    ("places", int, (MAX_SIMULATED_PLAYERS, ACTIONS, 2)),  # for each action a stamp, and the child of that node
)
"""All moves as first."""


@lru_cache(maxsize=16)
def memory_layout(amaf: bool, records: int = 0, shares: int = 1, tablebase: bool = False) -> Layout:
    """The memory of a search, with or without AMAF statistics, and with room for at least `records` simulations.

    With `tablebase` it can look states up in a table.

    That room is a power of two, since each layout is compiled anew.
    """
    room = 1 << (records - 1).bit_length() if records else 0
    start = [("random", int, room), ("leaf", int, room), ("rewards", float, (room, shares))]
    recorded = (("recorded", int), ("max_records", int), ("records", start)) if records else ()
    probe = (("probe", list(PROBE)),) if tablebase else ()
    return layout(*COUNTERS, *PATH, *SIMULATION, *(AMAF if amaf else ()), *recorded, *probe)


@lru_cache(maxsize=32)
def numbers_layout(players: int) -> Layout:
    """The numbers that kernels use; with statistics of actions for that many players, if it is not 0."""
    return layout(
        ("exploration", float),
        ("least", float),  # the range of utilities
        ("greatest", float),
        ("width", float),  # its width, the greatest so far: a search that settles must still explore
        ("mean_reward", float),  # of all simulations
        ("squares", float),  # the sum of squared deviations from it
        ("first_play", float),
        ("rave_bias", float),
        ("bias", float),
        ("widening", float),
        ("widening_power", float),
        ("epsilon", float),
        ("temperature", float),
        ("defeat", float),  # the utility of a player who loses by repetition
        ("rewards", float, MAX_SIMULATED_PLAYERS),  # of each share in the present simulation
        ("roots_of_logs", float, LOGS_LOOKED_UP),  # √ln n
        ("inverses", float, LOOKED_UP),  # 1 / n
        ("roots", float, LOOKED_UP),  # 1 / √n
        # the total reward of the simulations with an action, and their number
        ("sums", float, (max(players, 1), ACTIONS if players else 1, 2)),
    )


ROOTS_OF_LOGS = np.array([math.sqrt(math.log(max(n, 1))) for n in range(LOGS_LOOKED_UP)])
INVERSES = np.array([1 / max(n, 1) for n in range(LOOKED_UP)])
ROOTS = np.array([1 / math.sqrt(max(n, 1)) for n in range(LOOKED_UP)])


def new_numbers(techniques: MCTSOptions, players: int) -> Record:
    """The numbers of a search, with the lookup tables filled."""
    numbers = new_record(numbers_layout(players if techniques.remembers else 0))
    numbers.roots_of_logs[:], numbers.inverses[:], numbers.roots[:] = ROOTS_OF_LOGS, INVERSES, ROOTS
    return numbers


class Tree(NamedTuple):
    """Arrays of shape (nodes,); `value_sum`, `low` and `high`: (nodes * shares,). Unused arrays have one element."""

    first_child: Any  # int64: the first child; 0 if there are none yet
    num_children: Any  # int64: the number of children
    action: Any  # int64: the action that leads here
    visits: Any  # int64
    value_sum: Any  # float64: the sum of the utilities of all visits
    low: Any  # float64: the proved lower bound
    high: Any  # float64: the proved upper bound
    prior: Any  # float64: how likely the action is to be good; at chance nodes its probability
    square_sum: Any  # float64: the sum of the squared utilities
    amaf_visits: Any  # int64: visits of the parent in which its player took this action, there or later
    amaf_total: Any  # float64: the sum of that player's utilities over them
    table: Any  # int64 [entries * 2]: with transpositions, key ^ children, and children: the first, and their number


def new_tree(techniques: MCTSOptions, nodes: int) -> Tree:
    """An empty tree with room for `nodes` nodes, including the first two."""
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
    """The number of nodes that fit into a tree if it and its spare take `megabytes` (of 2**20 bytes)."""
    few = 1 << 12
    bytes_a_node = sum(array.nbytes for array in new_tree(techniques, few)) / few
    return max(64, int(megabytes * 2**20 / bytes_a_node * SPARE / (SPARE + 1)))


# -- keeping a part ---------------------------------------------------------------------------------------------------


def keep(techniques: MCTSOptions, tree: Tree, spare: Tree, root: int, used: int) -> int:
    """Make `root` the root, and keep the most visited nodes below it that fit into the spare tree.

    The first `used` nodes are in use. The children of the least visited nodes are dropped first; they may grow again.
    Return the first free node.
    """
    room = len(spare.first_child) - FIRST_FREE
    numbers = np.where(tree.first_child[:used] > 0, tree.num_children[:used], 0)
    least = 0
    while int(numbers[tree.visits[:used] >= least].sum()) > room:
        least = 2 * least + 1
    free = copy_tree(tree, root, least, spare)
    if techniques.transpositions:
        tree.table[:] = _moved(tree.table, tree.visits)
    for name, array, copy in zip(Tree._fields, tree, spare, strict=True):
        if name != "table":
            size = len(copy) * free // len(spare.first_child)
            array[:size] = copy[:size]
    return free


def _moved(table: Any, visits: Any) -> Any:
    """The table of transpositions after `copy_tree`, which leaves the new places of children in `visits`."""
    locked, children = table.reshape(-1, 2).T
    first = -visits[children >> 16]
    moved = np.where((children > 0) & (first > 0), first << 16 | children & 0xFFFF, 0)
    return np.stack([np.where(moved > 0, locked ^ children ^ moved, 0), moved], axis=1).ravel()


@kernel
def copy_tree(tree: Any, root: int, least: int, spare: Any) -> int:
    """Copy `root` and the children of all nodes with at least `least` visits, level by level (Cheney 1970).

    For each group of copied children, the visits of the first are set to minus its new place. Return the next free
    node.
    """
    copy_node(tree, root, spare, ROOT)
    free, node = FIRST_FREE, ROOT
    while node < free:
        first, number = spare.first_child[node], spare.num_children[node]
        if first > 0:
            if tree.visits[first] < 0:
                spare.first_child[node] = -tree.visits[first]
            elif spare.visits[node] >= least and free + number <= len(spare.first_child):
                for child in range(number):
                    copy_node(tree, first + child, spare, free + child)
                tree.visits[first] = -free
                spare.first_child[node] = free
                free += number
            else:
                spare.first_child[node] = 0
        node += 1
    return free


@kernel
def copy_node(tree: Any, node: int, spare: Any, to: int) -> None:
    """Copy one node. The lengths of the arrays say which are used, so that all techniques share one compiled copy."""
    spare.first_child[to] = tree.first_child[node]
    spare.num_children[to] = tree.num_children[node]
    spare.action[to] = tree.action[node]
    spare.visits[to] = tree.visits[node]
    shares = len(tree.value_sum) // len(tree.visits)
    for share in range(shares):
        spare.value_sum[shares * to + share] = tree.value_sum[shares * node + share]
        if len(tree.low) > 1:
            spare.low[shares * to + share] = tree.low[shares * node + share]
            spare.high[shares * to + share] = tree.high[shares * node + share]
    if len(tree.prior) > 1:
        spare.prior[to] = tree.prior[node]
    if len(tree.square_sum) > 1:
        spare.square_sum[to] = tree.square_sum[node]
    if len(tree.amaf_visits) > 1:
        spare.amaf_visits[to] = tree.amaf_visits[node]
        spare.amaf_total[to] = tree.amaf_total[node]


@kernel
def find(game: Any, state: Any, node: int, plies: int, key: int, tree: Any) -> int:
    """The node of the state with `key`, exactly `plies` plies below `node`, the node of `state`; 0 if there is none."""
    if plies == 0:
        return node if state_key(game, state) == key else 0
    if tree.first_child[node] > 0:
        for child in range(tree.first_child[node], tree.first_child[node] + tree.num_children[node]):
            if tree.first_child[child] > 0:
                below = find(game, game.result(state, tree.action[child]), child, plies - 1, key, tree)
                if below > 0:
                    return below
    return 0
