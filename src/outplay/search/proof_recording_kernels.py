"""The kernel that records the expansions of proof-number search; `proof_recording.py` reads the records.

The memory of a search without a trace has no field `records`, and its code contains none of this: `has_field` is a
constant of compiled code.
"""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.engine.workspace import must_stop
from outplay.search.proof_table import DISPROOF, PROOF, key_of, recall

NEW, END, TABLE = range(3)
"""Where the first numbers of a child come from: it is new, the game is over, or the table knows it."""
ROOT = -1
"""In place of the action that led to a state: the root."""
ROW = ("question", "ply", "action", "target", "proof", "disproof", "end")
"""A record: the number of the question, from 1; plies from the root; the action that led to the state; the score that
the question asks for; the two thresholds; and where its children end in `SEEN`."""
SEEN = ("proof", "disproof", "origin")
"""The children of all records, one after the other: their first numbers, and where these come from."""
CHILDREN = 32
"""The number of children for which there is room, per record on average."""
MAX_SEEN = 1 << 25
"""The maximum number of children for which there is room."""


def record_fields(limit: int, children: int) -> tuple[Any, ...]:
    """The fields for at least `limit` records and `children` children of one state.

    The number of records is a power of two, since each layout is compiled anew.
    """
    room = 1 << (limit - 1).bit_length()
    return (
        *((name, int) for name in ("recorded", "max_records", "max_seen", "questions", "is_recording")),
        ("records", [(name, int, room) for name in ROW]),
        ("seen", [(name, int, min(CHILDREN * room, MAX_SEEN) + children) for name in SEEN]),
    )


def begin_records(memory: Any, limit: int) -> None:
    """Make a record ready for at most `limit` records."""
    memory.max_records, memory.max_seen, memory.is_recording = limit, memory.seen.proof.size, 1


@kernel
def record_expansion(
    game: Any, state: Any, ply: int, proof: int, disproof: int, memory: Any, table: Any, here: int, base: int, end: int
) -> None:
    """Record that `state` was expanded: its children are in the rows from `base` to `end`.

    The arguments are those of `df_pn`. The recording ends where the children have no room.
    """
    if memory.is_recording == 0 or must_stop(memory):
        return
    number = memory.recorded
    memory.recorded += 1
    first = memory.records.end[number - 1] if 0 < number < memory.max_records else 0
    if first + end - base > memory.max_seen:
        memory.max_records = number
    if number >= memory.max_records:
        return
    memory.records.question[number] = memory.questions
    memory.records.ply[number] = ply
    memory.records.action[number] = memory.children.action[here]
    memory.records.target[number] = memory.target
    memory.records.proof[number] = proof
    memory.records.disproof[number] = disproof
    memory.records.end[number] = first + end - base
    for row in range(base, end):
        at = first + row - base
        child = game.result(state, memory.children.action[row])
        origin = NEW
        if game.is_terminal(child):
            origin = END
        elif recall(memory, table, key_of(game, child, memory), row):  # as `expand` has found it
            origin = TABLE
        memory.seen.proof[at] = memory.children.numbers[row, PROOF]
        memory.seen.disproof[at] = memory.children.numbers[row, DISPROOF]
        memory.seen.origin[at] = origin
