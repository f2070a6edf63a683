"""The kernels that record a trace, node by node. See `outplay.engine.trace` for how the records are read.

`techniques.trace` is a constant of compiled code: a search without a trace contains none of this code.
"""

from typing import Any, NamedTuple

from outplay.compile.kernels import kernel
from outplay.engine.workspace import must_stop

END, FORCED_RESULT, REPETITION, EVALUATED, QUIET, WINDOW, TABLE, NULL_MOVE, PROBCUT, CUT, ALL_SEARCHED = range(11)
"""Why a node returned: the game is over; `forced_result` gave the value; the state is a repetition; the estimate was
used; after a quiescence search; no score lies in the window; the table had the value; even a pass is too good; a search
of less depth made a cutoff likely; an action is so good that the opponent will avoid this state; all actions were
searched."""
STOPPED = 11
"""The search was stopped before the node returned."""
ROOT, PASS, LESS_DEEP = -1, -2, -3
"""In place of an action: the root; a pass; the parent's state again, to less depth."""


class Row(NamedTuple):
    """A record. The window and score are for `player`, who chose `action`, and relative to the parent's state."""

    parent: int
    action: int
    player: int
    depth: int
    alpha: int
    beta: int
    score: int
    why: int
    solved: int  # whether the score is proved; until the node returns, the value of `horizon` before it


def trace_fields(limit: int, sides: int = 0) -> tuple[Any, ...]:
    """The fields for at least `limit` records. The number is a power of two, since each layout is compiled anew.

    With `sides`, a record also has a value for each side.
    """
    room = 1 << (limit - 1).bit_length()
    numbers = [(name, int) for name in ("recorded", "max_records", "record", "reason")]
    vectors = [("vector", float, (room, sides))] * bool(sides)
    return (*numbers, ("visits", [*((name, int, room) for name in Row._fields), *vectors]))


@kernel
def begin(techniques: Any, memory: Any, action: int, player: int, depth: int, alpha: int, beta: int) -> int:
    """Open a record, if the search is traced. Returns the record of the parent, which `finish` needs."""
    if not techniques.trace:
        return 0
    above: int = memory.record
    number = memory.recorded
    memory.recorded += 1
    memory.record = number
    if number < memory.max_records:
        memory.visits.parent[number] = above
        memory.visits.action[number] = action
        memory.visits.player[number] = player
        memory.visits.depth[number] = depth
        memory.visits.alpha[number] = alpha
        memory.visits.beta[number] = beta
        memory.visits.why[number] = STOPPED
        memory.visits.solved[number] = memory.horizon
    return above


@kernel
def record_reason(techniques: Any, memory: Any, reason: int) -> None:
    """Record why a node returns, if the search is traced."""
    if techniques.trace:
        memory.reason = reason


@kernel
def finish(techniques: Any, memory: Any, above: int, score: int) -> None:
    """Close the last open record, if the search is traced. After a stop, the score is not recorded."""
    if techniques.trace:
        number = memory.record
        memory.record = above
        if number < memory.max_records and not must_stop(memory):
            memory.visits.score[number] = score
            memory.visits.why[number] = memory.reason
            memory.visits.solved[number] = memory.horizon == memory.visits.solved[number]
