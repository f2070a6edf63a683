"""The memory that a running search works in, and that the calling thread watches: a record with named fields.

A kernel passes one pointer down the tree and writes `memory.nodes += 1`. Each algorithm has a layout of its own, made
of the parts that stand here and of fields that it alone has. What algorithms share works on any layout with the fields.
"""

from typing import Any, TypeAlias

from outplay.compile.kernels import kernel
from outplay.engine.stopping import (
    BY_CALLER,
    BY_NODES,
)

Workspace: TypeAlias = Any
"""A record, see `outplay.compile.records`."""

NO_LOOP = 1 << 20
"""In `loop`: the values found rest on no repetition."""
ACTIONS = 4096
"""Statistics of actions are kept for each player and action modulo this."""
PLIES = 4096
"""The maximum number of plies from the first state on the path to the deepest."""
MAX_ROWS = 1 << 16
"""The maximum number of root actions."""
MAX_LISTED = 1 << 17
"""The maximum number of actions listed by all nodes on one path."""

COUNTERS = (
    ("nodes", int),  # states made so far in the present search
    ("stop", int),  # 0: go on. n: search number n must stop. -1: all must
    ("search", int),  # the number of the present search, from 1
    ("max_nodes", int),  # the node limit of the present search; 0: none
    ("horizon", int),  # how many values so far rest on an evaluation instead of the end of a game
    ("depth", int),  # the least depth left at an end of a game, so that the deepest ply reached is known
    ("leaves", int),  # ends of games visited so far
    ("simulations", int),  # games simulated so far
    ("why", int),  # why the present search stopped: 0 not at all, else BY_NODES and so on
    ("max_rows", int),  # how many root actions the results have room for
    ("max_line", int),  # how long a line the results have room for
)
"""What every search counts, and how it is stopped."""
PATH = (
    ("root_ply", int),  # the ply of the root: how many earlier states of the game stand on the path before it
    ("loop", int),  # the least ply of a state on the path whose repetition the values found since it was set rest on
    ("repetition_score", int),  # for the player who moved, of coming to a state of the path again
    ("path", [("key", int, PLIES), ("key_sum", int, PLIES), ("action", int, PLIES)]),
)
"""The states from the first one to the present node: their keys, the sums of the keys up to there, the actions that
led there."""
ROW = ("action", "score", "bound", "solved", "visits", "low", "high")
"""What is known of a root action: its score, whether that is EXACT or a bound, and whether it is proved; the number of
visits and the confidence interval as two scores, or 0 visits where a search does not count them."""
ROWS = (("rows", [(name, int, MAX_ROWS) for name in ROW]),)
"""A row for each root action."""
LISTED = (("listed", [("action", int, MAX_LISTED), ("order", int, MAX_LISTED)]),)
"""The stack on which each node lists its actions."""
ORDERING = (
    ("table_mask", int),  # the number of buckets of the transposition table, less 1
    ("hinted", int),  # 1: the game's `forced_result` and `candidates` are asked; 0: not now
    ("history", int, (2, ACTIONS)),  # how often, and how deep, each action of a player cut off
    ("killers", int, (PLIES, 2)),  # what cut off last at each ply
    ("countermoves", int, (2, ACTIONS)),  # what refuted each action last
)
"""By what actions are ordered."""


@kernel
def start(memory: Workspace, number: int, max_nodes: int) -> None:
    """Begin search `number`: counters to zero."""
    memory.nodes = memory.horizon = memory.leaves = memory.simulations = memory.why = 0
    memory.max_nodes = max_nodes
    memory.search = number


@kernel
def must_stop(memory: Workspace) -> bool:
    """Whether the present search has to end now; asked at every node, since it costs next to nothing."""
    if memory.stop != 0 and (memory.stop == -1 or memory.stop == memory.search):  # noqa: PLR1714 - compiled
        if memory.why == 0:
            memory.why = BY_CALLER
        return True
    if memory.max_nodes != 0 and memory.nodes >= memory.max_nodes:
        memory.why = BY_NODES
        return True
    return bool(memory.why != 0)
