"""The table of proof-number search: the proof and disproof numbers of states, and what is proved of them.

An int64 array of buckets, each with four entries of two cells. The low bits of a state's key choose the bucket:

    cell 0    bits 63-20  the same bits of the key, to distinguish states that share a bucket
              bits 19-8   the number of the question to which OPEN numbers belong; bounds are valid for every question
              bits  7-2   the work: the binary logarithm of the nodes below the state
              bits  1-0   NONE, OPEN, NO or YES
    cell 1    OPEN: the proof number << 30 | the disproof number; else the bound, a score for PLAYER

Cell 0 is stored as its exclusive or with cell 1, as in `engine/table.py`: if the table is copied during a search, an
entry that is written only half looks like that of another state.

A state may have an entry of each kind. Entries are replaced in this order: numbers of another question, then those
that took the least work.

After the buckets, one cell has the count of the questions so far, and the next ones have their targets in the order of
their numbers, from 1 on. When the numbers run out, all OPEN entries are removed, and they begin again.
"""

from typing import Any

import numpy as np

from outplay.compile.kernels import kernel
from outplay.engine.table import Table, are_scores, empty_table, is_size, sealed
from outplay.rules.keys import state_key

PROOF, DISPROOF = range(2)
"""Columns of `numbers`."""
NEVER = 1 << 30
"""The greater number of a solved state; the numbers of other states are less."""
NONE, OPEN, NO, YES = range(4)
"""The kinds of entries in the table: none, two numbers, an upper bound, a lower bound."""
KEY_BITS, MARK_BITS, WORK_BITS, MARK_SHIFT = -1 << 20, 0xFFF00, 0xFC, 8
QUESTIONS = 1 << 12
"""The cells after the buckets: the numbers of questions, and their count in place of number 0."""
BUCKET = 8
"""Cells of a bucket: four entries of two, a cache line."""


def new_table(megabytes: float) -> Table:
    """An empty table: shape (8 * 2**k + QUESTIONS,), int64; 0 megabytes make one bucket."""
    return empty_table(megabytes, BUCKET, QUESTIONS)


def without_nonsense(table: Table) -> Table | None:
    """A table from a file without entries whose numbers are none; None if it is no table of proof-number search.

    A search would follow whatever a forged file says. Entries that were copied half written may be left out, too.
    """
    if not is_size(len(table) - QUESTIONS, BUCKET) or not 0 <= table[-QUESTIONS] < QUESTIONS:
        return None
    if not are_scores(table[1 - QUESTIONS :]).all():
        return None
    entries = table[:-QUESTIONS].reshape(-1, 2)
    words, numbers = sealed(entries[:, 0], entries[:, 1]), entries[:, 1]  # type: ignore[arg-type]
    are_pairs = (numbers >> 30 >= 1) & (numbers >> 30 < NEVER) & (numbers & (NEVER - 1) > 0)
    entries[~np.where(words & 3 == OPEN, are_pairs, are_scores(numbers))] = 0
    return table


def mask_of(table: Table) -> int:
    """The number of buckets minus 1."""
    return (len(table) - QUESTIONS) // BUCKET - 1


@kernel
def mark_of(memory: Any, table: Any, target: int) -> int:
    """The number of the question about `target`, in its place in cell 0; a new one if it has none yet."""
    count = (memory.mask + 1) * BUCKET
    for number in range(1, int(table[count]) + 1):
        if table[count + number] == target:
            return number << MARK_SHIFT
    if table[count] == QUESTIONS - 1:
        for entry in range(0, count, 2):
            if sealed(int(table[entry]), int(table[entry + 1])) & 3 == OPEN:
                table[entry] = table[entry + 1] = 0
        table[count] = 0
    table[count] += 1
    number = int(table[count])
    table[count + number] = target
    return number << MARK_SHIFT


@kernel
def key_of(game: Any, state: Any, memory: Any) -> int:
    """The key of a state, which is different for questions about player 1."""
    return state_key(game, state) ^ -memory.player  # type: ignore[no-any-return]


@kernel
def recall(memory: Any, table: Any, key: int, row: int) -> bool:
    """Copy what `table` knows about the state with `key` to its row. Returns whether it knows anything."""
    is_known = False
    place = (key & memory.mask) * BUCKET
    for entry in range(place, place + BUCKET, 2):
        number = int(table[entry + 1])
        word = sealed(int(table[entry]), number)
        if (word ^ key) & KEY_BITS == 0:
            answer = word & 3
            if answer == OPEN and word & MARK_BITS == memory.mark:
                memory.children.numbers[row, PROOF], memory.children.numbers[row, DISPROOF] = (
                    number >> 30,
                    number & (NEVER - 1),
                )
                is_known = True
            if answer == YES and number >= memory.target:
                (
                    memory.children.numbers[row, PROOF],
                    memory.children.numbers[row, DISPROOF],
                    memory.children.value[row],
                ) = 0, NEVER, number
                return True
            if answer == NO and number < memory.target:
                (
                    memory.children.numbers[row, PROOF],
                    memory.children.numbers[row, DISPROOF],
                    memory.children.value[row],
                ) = NEVER, 0, number
                return True
    return is_known


@kernel
def remember(memory: Any, table: Any, key: int, row: int, nodes: int) -> None:
    """Store a row in `table`; its search took `nodes` nodes."""
    if memory.children.numbers[row, PROOF] == 0:
        answer, number = YES, memory.children.value[row]
    elif memory.children.numbers[row, DISPROOF] == 0:
        answer, number = NO, memory.children.value[row]
    else:
        answer, number = OPEN, memory.children.numbers[row, PROOF] << 30 | memory.children.numbers[row, DISPROOF]
    work = 1
    while nodes >> work != 0:
        work += 1
    place = (key & memory.mask) * BUCKET
    worst, least = place, 64
    for entry in range(place, place + BUCKET, 2):
        word = sealed(int(table[entry]), int(table[entry + 1]))
        if (word ^ key) & KEY_BITS == 0 and (word & 3 == answer or word & 3 == OPEN):
            worst = entry
            work = max(work, (word & WORK_BITS) >> 2)
            break
        old_work = (word & WORK_BITS) >> 2
        if word & 3 == OPEN and word & MARK_BITS != memory.mark:
            old_work = 0
        if old_work < least:
            worst, least = entry, old_work
    table[worst] = sealed(key & KEY_BITS | memory.mark | work << 2 | answer, number)
    table[worst + 1] = number


@kernel
def answer_in(memory: Any, table: Any, key: int) -> int:
    """What `table` has proved of the state with `key`: n > 0 for yes, n < 0 for no, after |n| nodes; 0 for nothing."""
    place = (key & memory.mask) * BUCKET
    for entry in range(place, place + BUCKET, 2):
        number = int(table[entry + 1])
        word = sealed(int(table[entry]), number)
        if (word ^ key) & KEY_BITS == 0:
            answer = word & 3
            if answer == YES and number >= memory.target:
                return 1 << ((word & WORK_BITS) >> 2)
            if answer == NO and number < memory.target:
                return -(1 << ((word & WORK_BITS) >> 2))
    return 0
