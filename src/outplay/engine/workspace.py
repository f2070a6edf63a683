"""The memory of a running search: a record with named fields, which the calling thread can read.

A kernel passes one pointer down the tree and writes `memory.nodes += 1`. Each algorithm has its own layout, made of the
parts defined here and of its own fields. Shared kernels work on any layout that has the fields they use.
"""

from typing import Any, TypeAlias

from outplay.compile.kernels import inlined, kernel
from outplay.engine.stopping import BY_CALLER, BY_NODES

Workspace: TypeAlias = Any
"""A record, see `outplay.compile.records`."""

NO_LOOP = 1 << 20
"""In `loop`: the values found do not depend on a repetition."""
ACTIONS = 4096
"""Statistics of actions are kept for each player and each action modulo this number."""
PLIES = 4096
"""The maximum number of plies of a path."""
MAX_ROWS = 1 << 16
"""The maximum number of root actions."""
MAX_LISTED = 1 << 17
"""The maximum number of actions listed by all nodes on one path."""

COUNTERS = (
    ("nodes", int),  # states made so far in the current search
    ("stop", int),  # 0: go on. n: stop search number n. -1: stop all searches
    ("search", int),  # the number of the current search, from 1
    ("max_nodes", int),  # the node limit of the current search; 0: none
    ("horizon", int),  # the number of values so far that are based on an evaluation instead of the end of a game
    ("depth", int),  # the least depth left at an end of a game, which gives the deepest ply reached
    ("leaves", int),  # ends of games visited so far
    ("simulations", int),  # games simulated so far
    ("why", int),  # why the current search stopped: BY_NODES and so on; 0: it was not stopped
    ("counts_visits", int),  # 1: rows have visits and intervals
    ("max_rows", int),  # the number of root actions that the results have room for
    ("max_line", int),  # the length of a line that the results have room for
)
"""The counters of every search, and the fields by which it is stopped."""
PATH = (
    ("root_ply", int),  # the ply of the root: the number of earlier states of the game on the path
    ("loop", int),  # the least ply of a repeated state on which the values found since `loop` was set depend
    ("repetition_score", int),  # of repeating a state of the path, for the player who does so
    ("path", [("key", int, PLIES), ("key_sum", int, PLIES), ("action", int, PLIES)]),
)
"""The states on the path to the current node: their keys, the sums of the keys up to each state, and the actions that
led to them."""
ROW, VISITED = ("action", "score", "bound", "solved"), ("visits", "low", "high")
"""The fields of a row, see `RootRow`."""
ROWS = (("rows", [*((name, int, MAX_ROWS) for name in ROW), *((name, int, 1) for name in VISITED)]),)
"""A row for each root action, for searches that count no visits."""
ROWS_WITH_VISITS = (("rows", [(name, int, MAX_ROWS) for name in (*ROW, *VISITED)]),)
"""The same, for searches that do; they set `counts_visits` before `list_root`."""
LISTED = (("listed", [("action", int, MAX_LISTED), ("order", int, MAX_LISTED)]),)
"""The stack on which each node lists its actions."""
UNSET = ("rows", "listed")
"""The large fields of which a search reads only what it has written."""
ORDERING = (
    ("table_mask", int),  # the number of buckets of the transposition table minus 1
    ("hinted", int),  # 1: use the game's `forced_result`, `utility_bounds` and `candidates`; 0: not now
    ("history", int, (2, ACTIONS)),  # how often, and how deep, each action of a player caused a cutoff
    ("killers", int, (PLIES, 2)),  # the last two actions that caused a cutoff at each ply, plus 1
    ("countermoves", int, (2, ACTIONS)),  # the last action that refuted each action, plus 1
)
"""The fields for move ordering."""


@kernel
def start(memory: Workspace, number: int, max_nodes: int) -> None:
    """Begin search `number`: set the counters to zero."""
    memory.nodes = memory.horizon = memory.leaves = memory.simulations = memory.why = 0
    memory.max_nodes = max_nodes
    memory.search = number


@kernel
@inlined
def must_stop(memory: Workspace) -> bool:
    """Whether the current search must end now. It is cheap, so kernels call it at every node."""
    if memory.stop != 0 and (memory.stop == -1 or memory.stop == memory.search):  # noqa: PLR1714 - compiled
        if memory.why == 0:
            memory.why = BY_CALLER
        return True
    if memory.max_nodes != 0 and memory.nodes >= memory.max_nodes:
        memory.why = BY_NODES
        return True
    return bool(memory.why != 0)
