"""What a search did, node by node, in the order in which it did it."""

from typing import Any

from outplay.kernels import kernel
from outplay.search.workspace import MOST_RECORDS, REASON, RECORD, RECORDED, TRACE

END, FORESEEN, REPETITION, EVALUATED, QUIET, WINDOW, TABLE, NULL_MOVE, PROBCUT, CUT, ALL_SEARCHED = range(11)
"""Why a node returned: the game was over; `foresee` knew; the state came again; the estimate was taken; a quiescence
search; no score lies within the window; the table knew; a pass is too good already; a search of less depth made it
likely; an action is too good for the opponent to let it come to this; all actions were searched."""
STOPPED = 11
PARENT, ACTION, PLAYER, DEPTH, ALPHA, BETA, SCORE, WHY = range(8)
"""Columns of a record. Window and score are those of PLAYER, who chose ACTION."""
COLUMNS = 8


@kernel
def begin(memory: Any, action: int, player: int, depth: int, alpha: int, beta: int) -> int:
    """Open a record; the record of the node above, to be given to `finish`."""
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
    return above


@kernel
def finish(memory: Any, above: int, score: int) -> None:
    """Close the record opened last."""
    number = memory[RECORD]
    if number < memory[MOST_RECORDS]:
        place = TRACE + COLUMNS * number
        memory[place + SCORE] = score
        memory[place + WHY] = memory[REASON]
    memory[RECORD] = above
