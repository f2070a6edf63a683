"""The statistics of each information set: a hash table in bounded memory.

Records are numbered from 1. A *set* is a record with a key, and `next` leads from it through the records of its
actions. Actions are added when they are first seen to be legal, since other players may have different actions in
states that look the same to one player. When all records are taken, nothing more is added.
"""

from typing import Any, NamedTuple

import numpy as np

from outplay.compile.kernels import kernel
from outplay.compile.records import layout
from outplay.engine.workspace import COUNTERS, PLIES
from outplay.montecarlo.tree import SIMULATION

LAYOUT = layout(*COUNTERS, *SIMULATION, ("root_set", int), ("sets", int, PLIES))
"""The memory of a search. `root_set`: the record of the information set that is searched; `sets`: that of each ply."""


class Table(NamedTuple):
    """Arrays of shape (records,); `slots`: a power of two; `value_sum`: (records * shares,)."""

    slots: Any  # int64: the record of a set, at the slot of its key or a later one; 0: none
    label: Any  # int64: the key of a set, or the action
    next: Any  # int64: the record of the next action; 0: none
    visits: Any  # int64: the number of simulations that took the action
    available: Any  # int64: the number of simulations that reached the set when the action was legal
    value_sum: Any  # float64: the sum of their utilities, for each player or only player 0
    regret: Any  # float64: how much more the action would have got than what was played; of length 1 if not used
    share: Any  # float64: the sum of the probabilities that regret matching gave the action; the same


def new_table(shares: int, megabytes: float, *, regrets: bool = False) -> Table:
    """An empty table of about `megabytes` (of 2**20 bytes), with or without room for `regrets`."""
    records = max(64, int(megabytes * 2**20 / (8 * (4 + shares + 2 * regrets) + 16)))
    return Table(
        slots=np.zeros(1 << (records // 2).bit_length(), np.int64),
        label=np.zeros(records, np.int64),
        next=np.zeros(records, np.int64),
        visits=np.zeros(records, np.int64),
        available=np.zeros(records, np.int64),
        value_sum=np.zeros(records * shares),
        regret=np.zeros(records if regrets else 1),
        share=np.zeros(records if regrets else 1),
    )


@kernel
def set_of(table: Any, mask: int, key: int, memory: Any) -> int:
    """The record of the information set with this key, made if necessary; 0 if there is no room."""
    slot = key & mask
    while table.slots[slot] != 0:
        if table.label[table.slots[slot]] == key:
            return table.slots[slot]  # type: ignore[no-any-return]
        slot = slot + 1 & mask
    record = new_record(table, key, memory)
    table.slots[slot] = record
    return record


@kernel
def action_of(table: Any, node: int, after: int, action: int, memory: Any) -> int:
    """The record of `action` at the set `node`, made if necessary; 0 if there is no room.

    The search starts behind the record `after`, where it is if actions come in the same order again.
    """
    last, record = after, table.next[after]
    while record != 0:
        if table.label[record] == action:
            return record  # type: ignore[no-any-return]
        last, record = record, table.next[record]
    record = table.next[node]
    while record != 0 and last != node:
        if table.label[record] == action:
            return record  # type: ignore[no-any-return]
        record = table.next[record]
    record = new_record(table, action, memory)
    if record != 0:
        table.next[last] = record
    return record


@kernel
def new_record(table: Any, label: int, memory: Any) -> int:
    """Take the next free record; 0 if there is none."""
    record = memory.next
    if record >= memory.end:
        memory.full = 1
        return 0
    memory.next = record + 1
    table.label[record] = label
    return record  # type: ignore[no-any-return]
