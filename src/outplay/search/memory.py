"""The memory layout of alpha-beta: the fields that its kernels use, apart from the transposition table."""

from functools import lru_cache
from itertools import compress

from outplay.compile.records import Layout, Record, layout
from outplay.engine.trace_kernels import trace_fields
from outplay.engine.workspace import COUNTERS, LISTED, ORDERING, PATH, ROWS, UNSET
from outplay.search.options import AlphaBetaOptions
from outplay.tables.probe import PROBE

FIELDS = (
    ("best_possible", int),  # the score of the greatest utility, at distance 0; INFINITE if unknown
    ("worst_possible", int),  # the score of the least utility, at distance 0; -INFINITE if unknown
    ("forced_result_depth", int),  # `forced_result` finds every win of the player to move within this number of plies
    ("forced_loss_depth", int),  # and every loss within this number
    ("earlier_searches", int),  # the number of searches that have used the table before
    ("depth_factor", int),  # the depth of each iteration, in percent of the last one
    ("asks_near", int),  # 1: before the whole search, it may be asked whether a decisive end is near
    ("beam", int),  # the width of a beam: the number of actions searched at each node
    ("margins", int, 3),  # scores: for futility at depth 1 and 2, and for ProbCut
    ("max_ply", int),  # the ply from which on nothing is extended
    ("quiet_ply", int),  # the ply from which on every state counts as quiet
    ("quiet_nodes", int),  # the number of nodes from which on every state does; 0: none
    ("symmetric_ply", int),  # the last ply at which symmetries are used
)

LEARNT = ("killers", "countermoves", "history")
"""What the move ordering learns. To clear these fields empties the cache of a processor, so only those in use are."""
LEFT_UNSET = (*UNSET, "path", *LEARNT)
"""The fields that a new memory need not clear: of the path, each ply is written before it is read."""


@lru_cache(maxsize=64)
def memory_layout(trace_limit: int = 1, tablebase: bool = False) -> Layout:
    """The layout of the memory, with room for at least `trace_limit` records of a trace, and for probing a table."""
    probe = (("probe", list(PROBE)),) if tablebase else ()
    return layout(*COUNTERS, *PATH, *ROWS, *LISTED, *ORDERING, *FIELDS, *trace_fields(trace_limit), *probe)


def clear_learnt(memory: Record, techniques: AlphaBetaOptions) -> None:
    """Forget what an earlier search has learnt about the order of moves."""
    uses = (techniques.killers, techniques.countermoves, techniques.history_heuristic)
    for name in compress(LEARNT, uses):
        memory[name][:] = 0
