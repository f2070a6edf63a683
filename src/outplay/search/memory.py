"""The memory of alpha-beta: what its kernels read and write, beside the transposition table."""

from functools import lru_cache

from outplay.compile.records import Layout, layout
from outplay.engine.trace_kernels import trace_fields
from outplay.engine.workspace import (
    COUNTERS,
    LISTED,
    ORDERING,
    PATH,
    ROWS,
)

FIELDS = (
    ("best_possible", int),  # the score of the greatest utility, at distance 0; INFINITE where the game does not tell
    ("worst_possible", int),  # the score of the least utility, at distance 0; minus INFINITE likewise
    ("forced_result_depth", int),  # within so many plies `forced_result` misses no win of the player to move
    ("forced_loss_depth", int),  # and no loss
    ("earlier_searches", int),  # how many searches the table was used by before
    ("depth_factor", int),  # how much deeper each iteration is, in percent of the last one
    ("beam", int),  # how many actions a beam keeps at each node
    ("margins", int, 3),  # scores: of futility at depth 1 and 2, and of ProbCut
    ("max_ply", int),  # beyond this ply nothing is extended
    ("quiet_ply", int),  # beyond this ply every state counts as quiet
    ("symmetric_ply", int),  # up to this ply symmetries are looked at
)


@lru_cache(maxsize=64)
def memory_layout(trace_limit: int = 1) -> Layout:
    """The layout of the memory, with room for at least so many records of a trace."""
    return layout(*COUNTERS, *PATH, *ROWS, *LISTED, *ORDERING, *FIELDS, *trace_fields(trace_limit))
