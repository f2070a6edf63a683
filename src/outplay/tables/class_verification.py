"""Checks tables by class against the rules: the laws of `verification.py`, for each index that is not a hole.

Where distances count to the next conversion, none count after one. It leads to a class that is checked by itself, or to
a lower `index_stage`, which no action raises; so that the proof by induction holds, over classes and stages first.

That checks one state for each index. Play leads to others with the same index, such as images. If the index leaves out
something that matters, their values are wrong, and the table contradicts itself near by: in a game that goes on from
such a state, some value is not that of the best successor. So the states of some random games are checked, too; those
with a past, such as a count of plies, as far as the table is certain of their values.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import LISTED, new_random
from outplay.compile.records import layout, new_record
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import draw_utility, friends_of
from outplay.rules.game import defines, legal_actions
from outplay.rules.keys import SEED, mix
from outplay.tables.check_threads import check_parts, states_checked
from outplay.tables.class_blocks import (
    BLOCK,
    BLOCK_MB,
    BROKEN,
    CLASS_FIELDS,
    ClassCache,
    kind_of,
    level_at,
    place_of,
    plies_here,
    utility_of,
)
from outplay.tables.class_expansion import (
    FOREVER,
    MAX_LEVELS,
    UNKNOWN,
    begins_anew,
    may_end_early,
    plies_left,
    points_of,
    stage_of,
    viewer,
)
from outplay.tables.class_file import KEPT_MB
from outplay.tables.classes import END, Classes, goes_on
from outplay.tables.verdict import (
    CONVERSION,
    EARLY,
    FAULTS,
    HEADER,
    INDEX,
    OUTSIDE,
    PAST,
    PLIES,
    UTILITY,
    VALUE,
    Verdict,
)

PART = 1 << 15
"""The number of indices that a thread checks at a time."""
GAMES, FEW_GAMES, GAMES_PART, LENGTH = 5000, 500, 250, 8
"""The number of random games, also of a table that does not fit into memory, since many blocks are read for each; of
those that a thread plays at a time, and the plies of each."""
LEAST_MB = 256
"""The least megabytes of blocks for each thread, if the table has as many: with less, it would read all the time."""
LAYOUT = layout(
    *COUNTERS,
    *CLASS_FIELDS,
    ("needed", int),  # a class that is not there, or -1
    ("converts", int),  # 1: distances count to the next conversion
    ("home", int),  # the class of the state
    ("has_stages", int),  # 1: an action within the class is a conversion
    ("index", int),  # the next index, or game,
    ("end", int),  # and where to stop
    ("plays", int),  # 1: these are random games
    ("done", int),  # the number of states checked
    ("fault", int),
    ("least", int),  # the least `index_plies` of a state
    ("counts", int, MAX_LEVELS),  # the number of states with each value
    ("longest", int, MAX_LEVELS),  # and the most plies of one, if it is not a draw
)


class Checked(NamedTuple):
    """What was found in some indices of a class."""

    states: int
    """The number of states that are right."""
    fault: int
    """What is wrong with the next one; 0 if nothing is."""
    place: int
    """The index at which it ended: the end of the part if nothing is wrong."""
    least: int
    """The least `index_plies` of a state."""
    has_stages: bool
    """Whether an action within the class is a conversion."""
    leads_to: frozenset[int]
    """The other classes that actions lead to."""
    counts: NDArray[np.int64]
    """The number of states with each value."""
    longest: NDArray[np.int64]
    """The most plies of a state with each value; 0 for a draw."""


class Worker:
    """What a thread needs: its memory, and the classes that it knows.

    Args:
        classes: the table.
        memory_mb: the megabytes of blocks of the table.
    """

    def __init__(self, classes: Classes, memory_mb: float) -> None:
        self.classes, self.memory_mb = classes, memory_mb
        self.memory, self.random = new_record(LAYOUT), new_random(0)
        self.memory.search, self.memory.converts = 1, classes.distance_to != END
        self.number = -1
        """The class that is checked."""
        self.know()
        self.beyond = np.zeros(0, np.int64)
        """For each value of the known classes: how many more plies than its distance the way to it may take."""

    def know(self, *numbers: int) -> None:
        """Know these classes, and none of their blocks."""
        self.known = ClassCache(self.classes.solved, self.memory_mb, numbers)
        self.known.fill(self.memory)

    def check(self, number: int, start: int, end: int) -> Checked:
        """Check the states of some indices of a class, until one is wrong."""
        memory, before = self.memory, int(self.memory.done)
        if number != self.number:
            self.number = number
            self.know(number)
        memory.index, memory.end, memory.plays, memory.has_stages, memory.least = start, end, 0, 0, FOREVER
        memory.counts[:], memory.longest[:] = 0, 0
        self._run(np.array([number]), np.zeros(1, np.int64))
        leads_to = frozenset(self.known.numbers.tolist()) - {number}
        findings = int(memory.fault), int(memory.index), int(memory.least), bool(memory.has_stages)
        return Checked(int(memory.done) - before, *findings, leads_to, memory.counts.copy(), memory.longest.copy())

    def play(self, first: int, games: int) -> tuple[int, Any] | None:
        """The first fault in a random game, of `GAMES_PART` games from this number on, and its state; None if there is
        none.
        """
        if self.number >= 0:  # what was needed to check a class is not needed any more
            self.number = -1
            self.know()
        memory, starts = self.memory, self._starts(first, games)
        memory.index, memory.end, memory.plays = 0, len(starts[0]), 1
        while True:
            state = self._run(*starts)
            if memory.fault != OUTSIDE or memory.needed != memory.home:
                return (EARLY if memory.fault == EARLY else INDEX, state) if memory.fault else None
            memory.index += 1  # the class of its first state is not in the table

    def _starts(self, first: int, games: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The class and the index with which each game begins: half of the games are spread over all indices, in order,
        and the others over the classes, of which many may be small.
        """
        facts, rng = self.classes.about, np.random.default_rng(first)
        sizes = np.array([entry["indices"] for entry in facts.values()])
        ends = np.cumsum([0, *sizes])
        numbers = np.arange(first, first + GAMES_PART)
        places = (int(ends[-1]) * numbers + rng.integers(0, ends[-1], GAMES_PART)) // games
        drawn = np.where(numbers % 2, numbers // 2 % len(sizes), np.searchsorted(ends, places, side="right") - 1)
        indices = np.where(numbers % 2, rng.integers(0, sizes[drawn]), places - ends[drawn])
        return np.array(list(facts), np.int64)[drawn], indices

    def _run(self, starts: NDArray[np.int64], indices: NDArray[np.int64]) -> Any:
        """Check states until all are checked, one is wrong or Ctrl-C stops it; return the last one."""
        game, solved, memory = self.classes.game, self.classes.solved, self.memory
        memory.fault = 0
        while True:
            memory.needed = -1
            state = check_states(game, starts, indices, self.random, self._beyond(), friends_of(game), memory)
            self.known.check()
            if memory.needed in solved:
                self.known.add(int(memory.needed), memory)
            else:
                if memory.needed >= 0:
                    memory.fault = OUTSIDE
                return state

    def _beyond(self) -> NDArray[np.int64]:
        known, draw = self.known, draw_utility(self.classes.game)
        if self.memory.plays and len(self.beyond) != len(known.utilities):
            gains = [
                (number, abs(utility - draw))
                for number in known.numbers.tolist()
                for utility in self.classes.solved.shape(number)[1]
            ]
            self.beyond = np.array([self.classes.beyond(*gain) for gain in gains], np.int64)
        return self.beyond


def check_classes(classes: Classes, threads: int, progress: Callable[[int, int], None] | None = None) -> Verdict:
    """Check the state of each index of a table by class, and those of some random games."""
    ends = {number: classes.solved.shape(number)[0] for number in classes.solved}
    threads = min(threads, max(1, int(KEPT_MB / min(LEAST_MB, sum(ends.values()) * BLOCK_MB / BLOCK))))
    game, workers = classes.game, [Worker(classes, KEPT_MB / threads) for _ in range(threads)]
    parts = [(number, start) for number, end in ends.items() for start in range(0, end, PART)]
    checked_parts: dict[tuple[int, int], Checked] = {}

    def check(worker: Worker, part: tuple[int, int]) -> tuple[int, int] | None:
        (number, start), end = part, min(part[1] + PART, ends[part[0]])
        checked_parts[part] = worker.check(number, start, end)
        return None if checked_parts[part].place == end else part

    report = (lambda done: progress(done, len(classes))) if progress else None
    if check_parts(workers, parts, check, report).stopped:
        return Verdict(states_checked(workers), "", None, stopped=True)
    states, own = 0, list[Checked]()
    for number, start in parts:
        last = checked_parts[number, start]
        states += last.states
        if last.fault:
            return Verdict(states, FAULTS[last.fault], game.indexed_state(number, last.place), stopped=False)
        own.append(last)
        if start + PART >= ends[number]:
            if not has_right_numbers(classes, number, own):
                return Verdict(states, FAULTS[HEADER], None, stopped=False)
            if classes.distance_to != END and not has_right_limits(classes, number, own):
                return Verdict(states, FAULTS[PAST], None, stopped=False)
            own.clear()
    games = GAMES if sum(ends.values()) <= KEPT_MB / BLOCK_MB * BLOCK else FEW_GAMES
    firsts = range(0, games, GAMES_PART)
    wrong, stopped = check_parts(workers, firsts, lambda worker, first: worker.play(first, games), report)
    fault, state = wrong or (0, None)
    return Verdict(states, FAULTS.get(fault, ""), state, stopped=stopped)


def has_right_numbers(classes: Classes, number: int, parts: list[Checked]) -> bool:
    """Whether the header has the right numbers of states, and longest distances, of a class."""
    facts, draw = classes.about[number], draw_utility(classes.game)
    counts = np.sum([part.counts for part in parts], axis=0).tolist()
    longest = np.max([part.longest for part in parts], axis=0).tolist()
    kinds = [kind for kind, value in enumerate(facts["utilities"]) if value != draw]
    return counts[: len(facts["counts"])] == facts["counts"] and all(
        facts["longest"][kind] == longest[kind] for kind in kinds
    )


def has_right_limits(classes: Classes, number: int, parts: list[Checked]) -> bool:
    """Whether a table says how many plies are left after the conversions of a class, as its parts have it."""
    facts = classes.about[number]
    leads_to = set[int]().union(*(part.leads_to for part in parts))
    if any(part.has_stages for part in parts):
        leads_to.add(number)
    all_about = classes.about | {number: facts | {"goes_on": True}}
    right = (
        min(part.least for part in parts),
        goes_on((all_about[entry] for entry in leads_to), draw_utility(classes.game)),
    )
    return (facts["index_plies"], facts["goes_on"]) == right


@kernel
def check_states(game: Any, starts: Any, indices: Any, random: Any, beyond: Any, friends: int, work: Any) -> Any:
    """Check states until one is wrong or needs a class; return the last one.

    They are those of class `starts[0]` from index `work.index` on, to below `work.end`. Or, if it `plays`, those of
    random games with these numbers, each from a state on that is given by `starts` and `indices`, as long as the table
    is certain of their values.
    """
    memory = pointer(work)
    state = game.indexed_state(starts[0], indices[0])
    while memory.index < memory.end and not must_stop(memory):
        start, left = (memory.index, LENGTH) if memory.plays else (0, 1)
        number, index = starts[start], indices[start] if memory.plays else memory.index
        state = game.indexed_state(number, index)
        random[LISTED] = mix(SEED, memory.index)
        while left > 0:
            left -= 1
            memory.home, own = game.state_class(state), game.state_index(state)
            if memory.home < 0 or own < 0 or (not memory.plays and (memory.home != number or own != index)):
                break
            place = place_of(memory.home, memory)
            if place < 0:
                memory.needed = memory.home
                return state
            level = level_at(place, own, memory)
            if level == BROKEN:
                return state
            is_state = level >= 0 and level != UNKNOWN
            if memory.plays and not is_state:
                break
            plies = plies_here(memory) if is_state else 0
            if memory.plays:
                is_draw = utility_of(place, level, memory) == draw_utility(game)
                away = 0 if is_draw else plies + int(beyond[kind_of(place, level, memory)])
                if plies_left(game, state) <= 0 or plies_left(game, state) < away:
                    break
            elif memory.converts:
                memory.least = min(memory.least, plies_left(game, state))
            memory.fault = fault_at(game, state, place, level, plies, friends, memory)
            if memory.fault != 0 or memory.needed >= 0:
                return state
            if not memory.plays:
                memory.done += 1
                memory.counts[level] += 1
                if utility_of(place, level, memory) != draw_utility(game):
                    memory.longest[level] = max(memory.longest[level], plies)
            elif game.is_terminal(state):
                break
            else:
                state = game.result(state, random_action(game, state, random))
        memory.index += 1
    return state


@kernel
def fault_at(game: Any, state: Any, place: int, level: int, away: int, friends: int, memory: Any) -> int:
    """What is wrong with a state of the class at this place, which the table says has this level and is so many plies
    away from the end; 0 if nothing is, or if it leads to a class that is not known, `memory.needed`.
    """
    draw = draw_utility(game)
    if level < 0 or level == UNKNOWN:
        return OUTSIDE
    value = utility_of(place, level, memory)
    value = value if friends >> viewer(game, state) & 1 else 2 * draw - value
    if game.is_terminal(state):
        right = game.utility(state, 0) - points_of(game, state, 0) == value and (away == 0 or value == draw)
        return 0 if right else UTILITY
    fault, best, least, most = best_after(game, state, friends, memory)
    if fault != 0 or memory.needed >= 0:
        return fault
    if best != value:
        return VALUE
    gains = value > draw if friends >> game.to_move(state) & 1 else value < draw
    return 0 if value == draw or away == 1 + (least if gains else most) else PLIES


@kernel
def has_stage(game: Any, number: int, index: int, stage: int) -> bool:
    """Whether the state that an index stands for is at this stage."""
    if defines(game, "index_stage"):
        return bool(game.index_stage(game.indexed_state(number, index)) == stage)
    return True


@kernel
def best_after(game: Any, state: Any, friends: int, memory: Any) -> tuple[int, float, int, int]:
    """What is wrong with the successors of a state of class `memory.home`, 0 if nothing is; the best value of player 0,
    for the side to move, and the least and the most plies after actions that keep it. Values come on top of
    `index_points`.

    If a class is not known, `memory.needed` is set instead; if a block cannot be read, what is returned means nothing.
    """
    draw, is_friend, points = draw_utility(game), friends >> game.to_move(state) & 1, points_of(game, state, 0)
    stage = stage_of(game, state) if memory.converts else 0
    best, least, most, has_best = 0.0, 0, 0, False
    for action in legal_actions(game, state):
        child = game.result(state, action)
        number, index = game.state_class(child), game.state_index(child)
        if number < 0 or index < 0:
            return OUTSIDE, best, least, most
        place = place_of(number, memory)
        if place < 0:
            memory.needed = number
            return 0, best, least, most
        level = level_at(place, index, memory)
        if level < 0 or level == UNKNOWN:
            return OUTSIDE, best, least, most
        after, ply, counts = utility_of(place, level, memory), plies_here(memory), True
        if memory.converts:
            stage_after = stage_of(game, child) if number == memory.home else stage - 1
            if number == memory.home and (stage_after > stage or not has_stage(game, number, index, stage_after)):
                return CONVERSION, best, least, most
            if stage_after < stage:
                memory.has_stages |= number == memory.home
                if not begins_anew(game, child, number, index):
                    return CONVERSION, best, least, most
                counts = False
        if after == draw or not counts:
            ply = 0
        elif number != memory.home and may_end_early(game, child, ply):
            return EARLY, best, least, most
        after = after if friends >> viewer(game, child) & 1 else 2 * draw - after
        after += points_of(game, child, 0) - points
        if not has_best or (after > best if is_friend else after < best):
            best, least, most, has_best = after, ply, ply, True
        elif after == best:
            least, most = min(least, ply), max(most, ply)
    return 0 if has_best else VALUE, best, least, most
