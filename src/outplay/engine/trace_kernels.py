"""What a search did, node by node, in the order in which it did it. See `outplay.engine.trace` for what comes of it.

`techniques.trace` is a constant of compiled code: a search that is not traced holds nothing of this.
"""

from typing import Any

from outplay.compile.kernels import kernel
from outplay.engine.workspace import HORIZON, MOST_RECORDS, REASON, RECORD, RECORDED, TRACE, must_stop

END, FORCED_RESULT, REPETITION, EVALUATED, QUIET, WINDOW, TABLE, NULL_MOVE, PROBCUT, CUT, ALL_SEARCHED = range(11)
"""Why a node returned: the game was over; `forced_result` knew; the state came again; the estimate was taken; a
quiescence search; no score lies within the window; the table knew; a pass is too good already; a search of less depth
made it likely; an action is too good for the opponent to let it come to this; all actions were searched."""
STOPPED = 11
ROOT, PASS, LESS_DEEP = -1, -2, -3
"""In place of an action: the first state; the turn passed on; the state above once more, to less depth."""
PARENT, ACTION, PLAYER, DEPTH, ALPHA, BETA, SCORE, WHY, SOLVED = range(9)
"""Columns of a record. Window and score are those of PLAYER, who chose ACTION, as seen from the state above.

SOLVED: whether the score is proved; until then what HORIZON was before.
"""
COLUMNS = 9


@kernel
def begin(techniques: Any, memory: Any, action: int, player: int, depth: int, alpha: int, beta: int) -> int:
    """Open a record, if the search is traced; the record of the node above, to be given to `finish`."""
    if not techniques.trace:
        return 0
    above: int = memory[RECORD]
    number = memory[RECORDED]
    memory[RECORDED] += 1
    memory[RECORD] = number
    if number < memory[MOST_RECORDS]:
        place = TRACE + COLUMNS * number
        memory[place + PARENT] = above
        memory[place + ACTION] = action
        memory[place + PLAYER] = player
        memory[place + DEPTH] = depth
        memory[place + ALPHA] = alpha
        memory[place + BETA] = beta
        memory[place + WHY] = STOPPED
        memory[place + SOLVED] = memory[HORIZON]
    return above


@kernel
def record_reason(techniques: Any, memory: Any, reason: int) -> None:
    """Say why a node returns, if the search is traced."""
    if techniques.trace:
        memory[REASON] = reason


@kernel
def finish(techniques: Any, memory: Any, above: int, score: int) -> None:
    """Close the record opened last, if the search is traced; after a stop the score means nothing."""
    if techniques.trace:
        number = memory[RECORD]
        memory[RECORD] = above
        if number < memory[MOST_RECORDS] and not must_stop(memory):
            place = TRACE + COLUMNS * number
            memory[place + SCORE] = score
            memory[place + WHY] = memory[REASON]
            memory[place + SOLVED] = memory[HORIZON] == memory[place + SOLVED]
