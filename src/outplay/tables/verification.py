"""Checks a table against the rules, without the code that made it.

A table is right if it holds the states where play starts and each successor of its states, and for each state

    at an end        the value is the utility, after 0 plies
    else             the value is the best one among the successors,
    not a draw       and the plies are 1 + the least (or the greatest, for the side that gets less than in a draw)
                     of the successors with this value.

That is enough, also where play can go in circles: by induction over the plies, a side can force what is better than a
draw in that many plies; and in a state that the table calls a draw each side has an action to a state in which it does
not get less, for ever.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from outplay.check.quick import check_rules
from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout, new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import StopReason
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import balance
from outplay.rules.game import legal_actions
from outplay.tables.codec import encode, state_at
from outplay.tables.tablebase import Tablebase, check_suits

OUTSIDE, UTILITY, VALUE, PLIES = 1, 2, 3, 4
FAULTS = {
    OUTSIDE: "a successor is not in the table",
    UTILITY: "the value at this end of the game is not the utility",
    VALUE: "the value is not the best one of the successors",
    PLIES: "the plies do not fit those of the successors",
}
LAYOUT = layout(*COUNTERS, ("done", int), ("fault", int))


class Verdict(NamedTuple):
    """The result of a check."""

    states: int
    """The number of states that were checked."""
    fault: str
    """What is wrong with the first state that is; empty if nothing is."""
    state: Any
    """This state; None if nothing is wrong."""
    stopped: bool
    """Whether Ctrl-C ended the check."""


def verify(table: Tablebase, progress: Callable[[int, int], None] | None = None) -> Verdict:
    """Check the value and the distance of every state of a table against the rules of its game.

    >>> from outplay.games import ConnectFour
    >>> verify(Tablebase.make(ConnectFour(width=4, height=3)))
    Verdict(states=6027, fault='', state=None, stopped=False)
    """
    game = table.game
    check_rules(game, game.initial_state())
    check_suits(game)
    states, codec = table.states(), table.codec.record()
    if (disorder := first_disorder(states.codes)) >= 0:
        return Verdict(0, f"state {disorder + 1:,} is not above the one before it", None, stopped=False)
    friends = sum(1 << p for p in range(game.players) if p == 0 or (game.teams and game.teams[p] == game.teams[0]))
    memory = new_record(LAYOUT)
    memory.search = 1
    args = (
        game, codec, states.codes.reshape(-1), states.levels, states.plies, np.array(table.utilities), balance(game),
        friends, memory,
    )  # fmt: skip

    def stop(_: int) -> None:
        memory.stop = -1

    report = (lambda: progress(int(memory.done), len(table))) if progress else None
    runner = SearchRunner(None, lambda: 1, stop, report)
    runner.run(lambda: check_all(*args))
    fault = FAULTS.get(int(memory.fault), "")
    wrong = state_at(game, codec, states.codes.reshape(-1), int(memory.done)) if fault else None
    return Verdict(int(memory.done), fault, wrong, stopped=runner.stopped == StopReason.INTERRUPTED)


def first_disorder(codes: Any) -> int:
    """The index of the first code that is not above the one before it; -1 if there is none."""
    above = np.zeros(max(0, len(codes) - 1), bool)
    for word in range(codes.shape[1] - 1, -1, -1):
        one, other = codes[:-1, word], codes[1:, word]
        above = (one < other) | ((one == other) & above)
    wrong = np.flatnonzero(~above)
    return int(wrong[0]) + 1 if len(wrong) else -1


@kernel
def index_of(codes: Any, words: int, code: Any) -> int:
    """The index of a code among the ascending codes; -1 if it is not there."""
    low, high = 0, len(codes) // words
    while low < high:
        middle = low + high >> 1
        word = 0
        while word < words - 1 and codes[middle * words + word] == code[word]:
            word += 1
        if codes[middle * words + word] < code[word]:
            low = middle + 1
        else:
            high = middle
    for word in range(words):
        if low * words >= len(codes) or codes[low * words + word] != code[word]:
            return -1
    return low


@kernel
def check_all(
    game: Any, codec_memory: Any, codes: Any, levels: Any, plies: Any, utilities: Any, draw: float, friends: int,
    work: Any,
) -> None:  # fmt: skip
    """Check all states; the first that is wrong ends it."""
    codec, memory = pointer(codec_memory), pointer(work)
    while memory.done < len(levels) and not must_stop(memory):
        state = state_at(game, codec_memory, codes, memory.done)
        value, away = utilities[levels[memory.done]], int(plies[memory.done])
        if game.is_terminal(state):
            if game.utility(state, 0) != value or away != 0:
                memory.fault = UTILITY
                return
            memory.done += 1
            continue
        is_friend = friends >> game.to_move(state) & 1
        best, least, most, found = 0.0, 0, 0, False
        for action in legal_actions(game, state):
            at = index_of(codes, codec.words, codec.code) if encode(game, game.result(state, action), codec) else -1
            if at < 0:
                memory.fault = OUTSIDE
                return
            after, ply = utilities[levels[at]], int(plies[at])
            if not found or (after > best if is_friend else after < best):
                best, least, most, found = after, ply, ply, True
            elif after == best:
                least, most = min(least, ply), max(most, ply)
        if not found or best != value:
            memory.fault = VALUE
            return
        gains = value > draw if is_friend else value < draw
        if away != (0 if value == draw else 1 + least if gains else 1 + most):
            memory.fault = PLIES
            return
        memory.done += 1
