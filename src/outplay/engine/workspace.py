"""The memory that a running search works in, and that the calling thread watches.

One int64 array, so that a kernel passes one pointer down the tree and so that `search_many` runs without Python.
The first cells are counters and switches; then comes what is remembered of good actions, and the path from the root to
the present node; the rest is a stack on which each node lists its actions.
"""

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel

NODES = 0
"""States made so far in the present search."""
STOP = 1
"""0: go on. n: search number n must stop. -1: all must."""
SEARCH = 2
"""The number of the present search, from 1."""
MOST_NODES = 3
"""The present search stops at so many nodes; 0: no limit."""
HORIZON = 4
"""How many values so far rest on an evaluation instead of the end of a game."""
DEPTH = 5
"""The least depth left at an end of a game, so that the deepest ply reached is known."""
LEAVES = 6
"""Ends of games visited so far."""
WHY = 7
"""Why the present search stopped: 0 not at all, else one of the next three."""
BY_NODES, BY_CALLER, BY_RULES, BY_ROOM = 1, 2, 3, 4
"""The node limit; the calling thread; a state that is not terminal but has no legal action; a full stack."""
BEST_POSSIBLE = 8
"""The score of the greatest utility, at distance 0; `score.INFINITE` where the game does not tell."""
HINTED = 9
"""1: the game's `forced_result` and `candidates` are asked; 0: not now."""
TABLE_MASK = 10
"""The number of buckets of the transposition table, less 1."""

KEPT = 11
"""How many root actions the results have room for."""
LONGEST = 12
"""How long a line the results have room for."""
DEPTH_FACTOR = 13
"""How much deeper each iteration is, in per cent of the last one."""
FORCED_RESULT_DEPTH, FORCED_LOSS_DEPTH = 14, 32
"""Within how many plies the game's `forced_result` misses no win, and no loss, of the player to move."""
WORST_POSSIBLE = 15
"""The score of the least utility, at distance 0; minus `score.INFINITE` where the game does not tell."""
SEARCHED = 16
"""How many searches the table remembers from before."""
ROOT_PLY = 17
"""The ply of the root: how many earlier states of the game stand on the path before it."""
MOST_PLY = 18
"""Beyond this ply nothing is extended."""
LOOP = 19
"""The least ply of a state on the path whose repetition the values found since it was set rest on."""
NO_LOOP = 1 << 20
"""In LOOP: they rest on none."""
REPEATED = 20
"""The score, for the player who moved, of coming to a state of the path again."""
REASON = 21
"""Why the last node returned: see `trace.py`."""
BEAM = 22
"""How many actions a beam keeps at each node."""
MARGINS = 23
"""Scores: from here on the margin of futility at depth 1 and 2, and that of ProbCut."""
RECORDED, MOST_RECORDS, RECORD = 27, 28, 29
"""A trace: how many records there are, for how many there is room, and the record of the present node."""

QUIET_PLY = 30
"""Beyond this ply every state counts as quiet."""
SYMMETRIC_PLY = 31
"""Up to this ply symmetries are looked at."""

HISTORY = 48
ACTIONS = 4096
"""History and counters are kept for each player and action modulo this."""
PLIES = 4096
"""The most plies from the first state on the path to the deepest."""
KILLERS = HISTORY + 2 * ACTIONS
"""Two actions a ply."""
COUNTERS = KILLERS + 2 * PLIES
"""What refuted each action last."""
PATH = COUNTERS + 2 * ACTIONS
"""Three cells a ply: the key of the state; the sum of the keys up to there; the action that led there."""
STACK = PATH + 3 * PLIES
STACK_SIZE = 1 << 18
"""Room for the actions of all nodes on one path, a few cells an action."""
TRACE = STACK + STACK_SIZE
"""Where the records of a trace begin, if there is one."""

Workspace = NDArray[np.int64]


def new_workspace(room: int = STACK_SIZE) -> Workspace:
    """A workspace of zeros with so many cells behind the path: shape (STACK + room,), int64."""
    return np.zeros(STACK + room, np.int64)


@kernel
def start(memory: Workspace, number: int, most_nodes: int) -> None:
    """Begin search `number`: counters to zero."""
    for cell in (NODES, HORIZON, LEAVES, WHY):
        memory[cell] = 0
    memory[LOOP] = NO_LOOP
    memory[MOST_NODES] = most_nodes
    memory[SEARCH] = number


@kernel
def must_stop(memory: Workspace) -> bool:
    """Whether the present search has to end now; asked at every node, since it costs next to nothing."""
    if memory[STOP] != 0 and (memory[STOP] == -1 or memory[STOP] == memory[SEARCH]):
        if memory[WHY] == 0:
            memory[WHY] = BY_CALLER
        return True
    if memory[MOST_NODES] != 0 and memory[NODES] >= memory[MOST_NODES]:
        memory[WHY] = BY_NODES
        return True
    return bool(memory[WHY] != 0)
