"""Checks tables with codes against the rules: the laws of `verification.py`, for each state and its images."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.compile.options import CompileTimeOptions
from outplay.compile.records import layout, new_record
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import draw_utility, friends_of, is_opposed, team_members, total
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.tables.check_threads import Threads, run_check, states_checked
from outplay.tables.codec import encode, encode_one, state_at
from outplay.tables.probe import place_in
from outplay.tables.tablebase import Tablebase
from outplay.tables.verdict import (
    CIRCLE,
    FAULTS,
    HEADER,
    IMAGE,
    MOVER,
    OUTSIDE,
    PLIES,
    SUM,
    UNFORCED,
    UTILITY,
    VALUE,
    Verdict,
)

PART = 1 << 15
"""The number of states that a thread checks at a time."""
ROUNDING = 1e-9
"""The largest difference of utilities from their sum that counts as rounding."""
CHANCE_ROUNDING = 1e-13
"""The largest difference of a mean from a value, relative to the greatest value, that counts as rounding."""
MAX_ERROR = 1e-9
"""The maximum error of a table, relative to the greatest value, or to 1 if that is greater."""
LAYOUT = layout(
    *COUNTERS,
    ("at", int),  # the next state,
    ("end", int),  # where to stop,
    ("step", int),  # and the way there: 1 or -1
    ("done", int),  # the number of states marked, or checked
    ("fault", int),
    ("friends", int),  # the players on the side of player 0, a bit each
    ("total", float),  # the sum of the utilities of both sides
    ("allowed", float),  # the difference of a value from that of the successors that counts as none
)


@dataclass(frozen=True)
class Laws(CompileTimeOptions):
    """Which of the laws a table keeps."""

    chance: bool
    """Whether values are means where chance is to move, and there are no plies."""
    vectors: bool
    """Whether each value is that of several sides, by max^n; images are states of their own then."""
    distances: bool
    """Whether each state has its plies."""
    acyclic: bool
    """Whether play can never come back to a state; looked at if there are no distances."""


class Worker:
    """What a thread needs: its memory, and a codec."""

    def __init__(self, table: Tablebase, allowed: float) -> None:
        self.codec, self.memory = table.codec.record(), new_record(LAYOUT)
        self.memory.search, self.memory.allowed = 1, allowed
        self.memory.friends, self.memory.total = friends_of(table.game), total(table.game) or 0.0

    def run(self, work: Callable[..., None], states: range, *args: Any) -> tuple[int, int] | None:
        """Let a kernel work on some states; the one at which it ended, and the fault there, or 0 if it was stopped."""
        memory = self.memory
        memory.at, memory.end, memory.step = states.start, states.stop, states.step
        work(*args, self.codec, memory)
        return (int(memory.at), int(memory.fault)) if memory.at != memory.end else None


def check_codes(table: Tablebase, threads: int, progress: Callable[[int, int], None] | None = None) -> Verdict:
    """Check all states of a table with codes."""
    game, states, count = table.game, table.states(), len(table)
    if (disorder := first_disorder(states.codes)) >= 0:
        return Verdict(0, f"state {disorder + 1:,} is not above the one before it", None, stopped=False)
    allowed = 0.0
    if game.has_chance:
        size = float(np.abs(states.levels).max(initial=0))
        allowed = 2 * table.error + CHANCE_ROUNDING * size
        if not table.error <= MAX_ERROR * max(1.0, size):
            return Verdict(0, f"the error, {table.error:g}, is too large", None, stopped=False)
    if not table.distances and counts_of(states.levels, table) != table.stats().counts:
        return Verdict(0, FAULTS[HEADER], None, stopped=False)
    workers = [Worker(table, allowed) for _ in range(threads)]
    codes, utilities = states.codes.reshape(-1), np.array(table.utilities)
    plies = states.plies if table.distances else np.zeros(count, np.bool_)
    laws = Laws(chance=game.has_chance, vectors=not is_opposed(game), distances=table.distances, acyclic=table.acyclic)
    known, sides = (laws, codes, states.levels, plies, utilities), sides_of(game)

    def check_all(threads: Threads[Worker]) -> tuple[int, int] | None:
        def each_part(work: Callable[..., None], parts: Iterable[range], *args: Any) -> tuple[int, int] | None:
            return threads.first_fault(parts, lambda worker, part: worker.run(work, part, game, *known, *args))

        before, marked = -1, 0
        while not table.distances and marked > before:
            for parts in parts_up(count), parts_down(count):
                if stopped := each_part(mark_part, parts):
                    return stopped
            before, marked = marked, states_checked(workers)
        return each_part(check_part, parts_up(count), sides)

    whole = count if table.distances else 2 * count  # without distances, each state is marked first
    report = (lambda done: progress(done, whole)) if progress else None
    wrong, stopped = run_check(workers, check_all, report)
    if stopped:
        return Verdict(max(0, states_checked(workers) - (whole - count)), "", None, stopped=True)
    if wrong is None:
        return Verdict(count, "", None, stopped=False)
    at, fault = wrong
    return Verdict(at, FAULTS[fault], state_at(game, workers[0].codec, codes, at), stopped=False)


def counts_of(levels: NDArray[Any], table: Tablebase) -> dict[Any, int]:
    """The number of states with each utility."""
    return dict(zip(table.utilities, np.bincount(levels, minlength=len(table.utilities)).tolist(), strict=True))


def parts_up(count: int) -> list[range]:
    """The numbers of all states, in parts."""
    return [range(at, min(at + PART, count)) for at in range(0, count, PART)]


def parts_down(count: int) -> list[range]:
    """The same parts, from the last state to the first."""
    return [part[::-1] for part in reversed(parts_up(count))]


def sides_of(game: Game) -> NDArray[np.int64]:
    """The side of each player."""
    sides = np.zeros(game.players, np.int64)
    for side, team in enumerate(team_members(game)):
        sides[team] = side
    return sides


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
    at = place_in(codes, 0, len(codes) // words, code, words)
    for word in range(words):
        if at < 0 or codes[at * words + word] != code[word]:
            return -1
    return at


@kernel
def index_after(game: Any, state: Any, action: Any, codec: Any, codes: Any) -> int:
    """The index of the state after an action; -1 if it is not in the table."""
    if not encode(game, game.result(state, action), codec):
        return -1
    return index_of(codes, codec.words, codec.code)


@kernel
def check_part(
    game: Any, laws: Any, codes: Any, levels: Any, plies: Any, utilities: Any, sides: Any,
    codec_memory: Any, work: Any,
) -> None:  # fmt: skip
    """Check the states from `work.at` on, and their images; the first that is wrong ends it."""
    codec, memory = pointer(codec_memory), pointer(work)
    while memory.at != memory.end and not must_stop(memory):
        state = state_at(game, codec_memory, codes, memory.at)
        if defines(game, "symmetries") and not laws.vectors:
            for image in game.symmetries(state):
                if not is_stored_as(game, image, codec, codes, memory.at):
                    memory.fault = IMAGE
                    return
                memory.fault = fault_of(game, laws, image, codec, codes, levels, plies, utilities, sides, memory)
                if memory.fault != 0:
                    return
        else:
            memory.fault = fault_of(game, laws, state, codec, codes, levels, plies, utilities, sides, memory)
            if memory.fault != 0:
                return
        memory.done += 1
        memory.at += memory.step


@kernel
def is_stored_as(game: Any, state: Any, codec: Any, codes: Any, number: int) -> bool:
    """Whether the code of `state` is the one with this number."""
    is_same = encode(game, state, codec)
    for word in range(codec.words):
        is_same = is_same and codec.code[word] == codes[number * codec.words + word]
    return is_same


@kernel
def mark_part(game: Any, laws: Any, codes: Any, levels: Any, marks: Any, utilities: Any, codec: Any, work: Any) -> None:
    """Mark the states from `work.at` on whose marked successors are enough, for each of their images."""
    own_codec, memory = pointer(codec), pointer(work)
    while memory.at != memory.end and not must_stop(memory):
        if not marks[memory.at]:
            state, enough = state_at(game, codec, codes, memory.at), True
            if defines(game, "symmetries"):
                for image in game.symmetries(state):
                    enough = enough and are_enough(
                        game, laws, image, own_codec, codes, levels, marks, utilities, memory
                    )
            else:
                enough = are_enough(game, laws, state, own_codec, codes, levels, marks, utilities, memory)
            if enough:
                marks[memory.at] = True
                memory.done += 1
        memory.at += memory.step


@kernel
def are_enough(
    game: Any, laws: Any, state: Any, codec: Any, codes: Any, levels: Any, marks: Any, utilities: Any, memory: Any
) -> bool:
    """Whether the marked successors of `state`, which is stored at `memory.at`, force its value; or, if play can never
    come back to a state, whether all are marked.
    """
    level, draw = levels[memory.at], draw_utility(game)
    value = utilities[level]
    if game.is_terminal(state) or (value == draw and not laws.acyclic):
        return True
    mover = game.to_move(state)
    if mover < 0 or mover >= game.players:
        return False
    gains = value > draw if memory.friends >> mover & 1 else value < draw
    needs_all = laws.acyclic or not gains
    for action in legal_actions(game, state):
        at = index_after(game, state, action, codec, codes)
        if at >= 0 and (laws.acyclic or levels[at] == level) and marks[at] != needs_all:
            return not needs_all  # one is marked, which is enough; or one is not, where all are needed
    return needs_all


@kernel
def fault_of(
    game: Any, laws: Any, state: Any, codec: Any, codes: Any, levels: Any, plies: Any, utilities: Any,
    sides: Any, memory: Any,
) -> int:  # fmt: skip
    """What is wrong with `state`, which is stored at `memory.at`; 0 if nothing is."""
    if laws.vectors:
        return int(fault_of_vector(game, state, codec, codes, levels, plies, utilities, sides, memory))
    if laws.chance:
        return int(fault_of_mean(game, state, codec, codes, levels, memory))
    return int(fault_of_best(game, laws, state, codec, codes, levels, plies, utilities, memory))


@kernel
def fault_of_end(game: Any, state: Any, value: float, memory: Any) -> int:
    """What is wrong with a state in which the game is over, where this is the value for player 0; 0 if nothing is."""
    if game.utility(state, 0) != value:
        return UTILITY
    for player in range(game.players):
        expected = value if memory.friends >> player & 1 else memory.total - value
        if not abs(game.utility(state, player) - expected) <= ROUNDING * max(1.0, abs(expected)):
            return SUM
    return 0


@kernel
def fault_of_best(
    game: Any, laws: Any, state: Any, codec: Any, codes: Any, levels: Any, plies: Any, utilities: Any, memory: Any
) -> int:
    """What is wrong with `state`, which is stored at `memory.at`, in a game of opposed sides; 0 if nothing is.

    Without distances, `plies` are the marks of states.
    """
    value, away, draw = utilities[levels[memory.at]], int(plies[memory.at]), draw_utility(game)
    if game.is_terminal(state):
        return UTILITY if laws.distances and away != 0 else int(fault_of_end(game, state, value, memory))
    mover = game.to_move(state)
    if mover < 0 or mover >= game.players:
        return MOVER
    is_friend = memory.friends >> mover & 1
    best, least, most, has_best = 0.0, 0, 0, False
    for action in legal_actions(game, state):
        at = index_after(game, state, action, codec, codes)
        if at < 0:
            return OUTSIDE
        after, ply = utilities[levels[at]], int(plies[at])
        if not has_best or (after > best if is_friend else after < best):
            best, least, most, has_best = after, ply, ply, True
        elif after == best:
            least, most = min(least, ply), max(most, ply)
    if not has_best or best != value:
        return VALUE
    if not laws.distances:
        return 0 if plies[memory.at] else CIRCLE if laws.acyclic else UNFORCED
    gains = value > draw if is_friend else value < draw
    return 0 if away == (0 if value == draw else 1 + least if gains else 1 + most) else PLIES


@kernel
def fault_of_mean(game: Any, state: Any, codec: Any, codes: Any, values: Any, memory: Any) -> int:
    """What is wrong with `state`, which is stored at `memory.at`, in a game with chance; 0 if nothing is."""
    value = values[memory.at]
    if game.is_terminal(state):
        return int(fault_of_end(game, state, value, memory))
    mover = game.to_move(state)
    by_chance = mover == CHANCE
    if mover >= game.players or (mover < 0 and not by_chance):
        return MOVER
    is_friend = not by_chance and memory.friends >> mover & 1
    best, has_best, whole = 0.0, False, 0.0
    for action in legal_actions(game, state):
        chance = game.probability(state, action) if by_chance else 1.0
        if chance == 0:
            continue
        at = index_after(game, state, action, codec, codes)
        if at < 0:
            return OUTSIDE
        after = values[at]
        if by_chance:
            best, whole, has_best = best + chance * after, whole + chance, True
        elif not has_best or (after > best if is_friend else after < best):
            best, has_best = after, True
    if by_chance:
        if not abs(whole - 1) <= ROUNDING:
            return VALUE
        best /= whole
    return 0 if has_best and abs(best - value) <= memory.allowed else VALUE


@kernel
def fault_of_vector(
    game: Any, state: Any, codec: Any, codes: Any, levels: Any, plies: Any, utilities: Any, sides: Any,
    memory: Any,
) -> int:  # fmt: skip
    """What is wrong with `state`, which is stored at `memory.at`, in a table by max^n; 0 if nothing is."""
    own = levels[memory.at]
    if game.is_terminal(state):
        for player in range(game.players):
            if game.utility(state, player) != utilities[own, sides[player]]:
                return UTILITY
        return 0 if plies[memory.at] == 0 else UTILITY
    mover = game.to_move(state)
    if mover < 0 or mover >= game.players:
        return MOVER
    best = -1
    for action in legal_actions(game, state):
        child, at = game.result(state, action), -1
        if encode_one(game, child, codec, codec.code):
            at = index_of(codes, codec.words, codec.code)
        if at < 0:
            return OUTSIDE
        if best < 0 or utilities[levels[at], sides[mover]] > utilities[levels[best], sides[mover]]:
            best = at
    if best < 0 or levels[best] != own:
        return VALUE
    return 0 if int(plies[memory.at]) == int(plies[best]) + 1 else PLIES
