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


WINDOW_KNOWN, EXTENDED, MIRRORED, ESTIMATED, URGENT, BEAM, PATH_ONLY, ALL_EXACT = (1 << bit for bit in range(8))
"""The notes, what is known of the node and what else it did: its window was recorded; it was searched a ply deeper;
the table's entry is that of a symmetric state; its estimate was recorded; its player cannot stand pat; the beam left
actions out; the table keeps only its action, since the value depends on the path; every action is to be valued."""
FUTILE = 1 << 8
"""The notes hold the number of futile actions, in units of this number."""
ENTRY = (1 << 26) - 1
"""The bits of an entry of the table that are not bits of a key."""


class Row(NamedTuple):
    """A record. The window and score are for `player`, who chose `action`, and relative to the parent's state.

    The fields from `low` on are those of the engine's own search. They are for the player to move in the state itself,
    and count distances from there.
    """

    parent: int
    action: int
    player: int
    depth: int
    alpha: int
    beta: int
    score: int
    why: int
    solved: int  # whether the score is proved; until the node returns, the value of `horizon` before it
    low: int = 0  # the window, without what no end of the game can be worth
    high: int = 0
    entry: int = 0  # of the table, see `table.py`
    entry_score: int = 0
    estimate: int = 0
    futile: int = 0  # the greatest score that a futile action could have had
    order: int = 0  # of `action`, see `ordering.py`
    notes: int = 0


DETAILS = Row._fields[Row._fields.index("low") :]
"""The fields that only the engine's own search records."""


def trace_fields(limit: int, sides: int = 0, *, details: bool = False) -> tuple[Any, ...]:
    """The fields for at least `limit` records. The number is a power of two, since each layout is compiled anew.

    With `sides`, a record also has a value for each side; with `details`, the fields of the engine's own search.
    """
    room = 1 << (limit - 1).bit_length()
    numbers = [(name, int) for name in ("recorded", "max_records", "record", "reason")]
    vectors = [("vector", float, (room, sides))] * bool(sides)
    names = [name for name in Row._fields if details or name not in DETAILS]
    return (*numbers, ("visits", [*((name, int, room) for name in names), *vectors]))


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


# -- what the engine's own search did at the open record ---------------------------------------------------------------


@kernel
def has_record(memory: Any) -> bool:
    """Whether there is room for the open record; there is none while the line is reconstructed."""
    return 0 <= memory.record < memory.max_records  # type: ignore[no-any-return]


@kernel
def record_note(techniques: Any, memory: Any, note: int) -> None:
    """Record that something was so."""
    if techniques.trace and has_record(memory):
        memory.visits.notes[memory.record] |= note


@kernel
def record_window(techniques: Any, memory: Any, alpha: int, beta: int) -> None:
    """Record the window of the player to move."""
    if techniques.trace and has_record(memory):
        memory.visits.low[memory.record] = alpha
        memory.visits.high[memory.record] = beta
        memory.visits.notes[memory.record] |= WINDOW_KNOWN


@kernel
def record_entry(techniques: Any, memory: Any, word: int, score: int, note: int) -> None:
    """Record the entry of the table, and a note or 0."""
    if techniques.trace and has_record(memory):
        memory.visits.entry[memory.record] = word & ENTRY
        memory.visits.entry_score[memory.record] = score
        memory.visits.notes[memory.record] |= note


@kernel
def record_estimate(techniques: Any, memory: Any, score: int) -> None:
    """Record the estimate of the state."""
    if techniques.trace and has_record(memory):
        memory.visits.estimate[memory.record] = score
        memory.visits.notes[memory.record] |= ESTIMATED


@kernel
def record_futile(techniques: Any, memory: Any, most: int) -> None:
    """Record that an action was left out, since it could not have been worth more than `most`."""
    if techniques.trace and has_record(memory):
        number = memory.record
        before = memory.visits.notes[number]
        if before < FUTILE or most > memory.visits.futile[number]:
            memory.visits.futile[number] = most
        memory.visits.notes[number] = before + FUTILE


@kernel
def record_order(techniques: Any, memory: Any, here: int) -> None:
    """Record why the action, which is listed at index `here`, has its place among the others."""
    if techniques.trace and has_record(memory):
        memory.visits.order[memory.record] = memory.listed.order[here] >> 10
