"""What a search did, node by node, in the order in which it did it. See `outplay.engine.trace` for what comes of it.

`techniques.trace` is a constant of compiled code: a search that is not traced holds nothing of this.
"""

from typing import Any, NamedTuple

from outplay.compile.kernels import kernel
from outplay.engine.workspace import (
    must_stop,
)

END, FORCED_RESULT, REPETITION, EVALUATED, QUIET, WINDOW, TABLE, NULL_MOVE, PROBCUT, CUT, ALL_SEARCHED = range(11)
"""Why a node returned: the game was over; `forced_result` knew; the state came again; the estimate was taken; a
quiescence search; no score lies within the window; the table knew; a pass is too good already; a search of less depth
made it likely; an action is too good for the opponent to let it come to this; all actions were searched."""
STOPPED = 11
ROOT, PASS, LESS_DEEP = -1, -2, -3
"""In place of an action: the first state; the turn passed on; the state above once more, to less depth."""


class Row(NamedTuple):
    """A record. Window and score are those of `player`, who chose `action`, as seen from the state above."""

    parent: int
    action: int
    player: int
    depth: int
    alpha: int
    beta: int
    score: int
    why: int
    solved: int  # whether the score is proved; until then what `horizon` was before


def trace_fields(limit: int) -> tuple[Any, ...]:
    """The fields of a memory with room for at least so many records; a power of two, as each layout is compiled."""
    room = 1 << (limit - 1).bit_length()
    numbers = [(name, int) for name in ("recorded", "max_records", "record", "reason")]
    return (*numbers, ("visits", [(name, int, room) for name in Row._fields]))


@kernel
def begin(techniques: Any, memory: Any, action: int, player: int, depth: int, alpha: int, beta: int) -> int:
    """Open a record, if the search is traced; the record of the node above, to be given to `finish`."""
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
    """Say why a node returns, if the search is traced."""
    if techniques.trace:
        memory.reason = reason


@kernel
def finish(techniques: Any, memory: Any, above: int, score: int) -> None:
    """Close the record opened last, if the search is traced; after a stop the score means nothing."""
    if techniques.trace:
        number = memory.record
        memory.record = above
        if number < memory.max_records and not must_stop(memory):
            memory.visits.score[number] = score
            memory.visits.why[number] = memory.reason
            memory.visits.solved[number] = memory.horizon == memory.visits.solved[number]
