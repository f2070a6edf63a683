"""Checks a table against the rules; of the code that made it, it shares only the codes of states.

A table is right if it holds each successor of its states, and for each state, and each of its images (`symmetries`)

    at an end        the value is the utility, after 0 plies; the utilities have the sum that the game declares
    else             the value is the best one among the successors,
    not a draw       and the plies are 1 + the least (or the greatest, for the side that gets less than in a draw)
                     of the successors with this value.

That is enough, also where play can go in circles. Take one side, and the values that are better for it than a draw,
from the best one down. In a state with such a value, if this side is to move, it has an action that keeps the value,
with one ply less to the end. If the other side is to move, each of its actions does so, or leads to a better value,
which is forced by induction. So the side forces at least this value, in as many plies as the table says unless the
other side gives more away.

Nor can it get more than such a value, or more than a draw in a state with the value of a draw: none of its own actions
leads to more, the other side always has one that does not, and endless play is only a draw. The same holds for the
other side, so that each value is exact.

In a table without distances, states are marked first, in passes over all of them, as long as one is found: those at an
end, those with the value of a draw, and those from which the side that gains forces the value by way of marked states.
The order in which states are marked takes the place of plies, and each state must be marked. Where the table says that
play can never come back to a state (`acyclic`), states are marked if all of their successors are: then the value is
that of the best successor without a circle, which is enough.

By class, the state that each index stands for is checked. Where distances count to the next conversion, none count
after one. It leads to a class that is checked by itself, or to a lower `index_stage`, which no action raises; so that
the proof by induction holds, over classes and stages first.

Play leads to other states with the same index, such as images. If the index leaves out something that matters, their
values are wrong, and the table contradicts itself near by: in a game that goes on from such a state, some value is not
that of the best successor. So the states of some random games are checked, too; those with a past, such as a count of
plies, as far as the table is certain of their values.

With chance, each value must be the greatest, least or mean one of the successors, up to twice the error that the table
states and rounding. If play ends with probability 1, whoever plays how, only the exact values are so without any
difference: where each differs by at most d, they are wrong by at most d times the number of plies that play lasts on
average, at most. Without circles this number is at most the depth of the graph, and d is rounding alone: the values
are exact up to that.

With several sides, each state must have the values, and 1 + the plies, of the first successor that is best for the
player to move. The plies shrink on this line, so that it ends: by induction the values are those of max^n.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import check_rules
from outplay.compile.random_numbers import new_random
from outplay.compile.records import new_record
from outplay.rules.arguments import check_threads
from outplay.rules.constant_sum import draw_utility, friends_of, is_opposed, team_members, total
from outplay.rules.game import Game
from outplay.system.threads import useful_threads
from outplay.tables.check_threads import Threads, run_check, states_checked
from outplay.tables.class_blocks import BLOCK, BLOCK_MB, ClassCache
from outplay.tables.class_expansion import FOREVER
from outplay.tables.class_file import KEPT_MB
from outplay.tables.classes import Classes, goes_on
from outplay.tables.codec import state_at
from outplay.tables.laws import LAYOUT, Laws, check_states, mark_states, play_games
from outplay.tables.numbering import END
from outplay.tables.payoffs import check_suits
from outplay.tables.tablebase import Tablebase
from outplay.tables.verdict import EARLY, FAULTS, HEADER, INDEX, OUTSIDE, PAST, Verdict

PART = 1 << 15
"""The number of states, or of indices, that a thread checks at a time."""
CHANCE_ROUNDING = 1e-13
"""The largest difference of a mean from a value, relative to the greatest value, that counts as rounding."""
MAX_ERROR = 1e-9
"""The maximum error of a table, relative to the greatest value, or to 1 if that is greater."""
GAMES, FEW_GAMES, GAMES_PART = 5000, 500, 250
"""The number of random games, also of a table that does not fit into memory, since many blocks are read for each; and
of those that a thread plays at a time."""
LEAST_MB = 256
"""The least megabytes of blocks for each thread, if the table has as many: with less, it would read all the time."""


def verify(
    table: Tablebase, progress: Callable[[int, int], None] | None = None, *, threads: int | None = None
) -> Verdict:
    """Check the value and the distance of every state of a table against the rules of its game.

    For a table without distances, it checks that each value is exact, too.

    Args:
        table: the table.
        progress: called with the numbers of states that are checked, and of all, ten times a second. A state without a
            distance counts twice: when it is marked, and when it is checked.
        threads: the number of threads, by default all cores; the verdict is the same. A large table by class is checked
            by fewer, so that each has memory for the blocks that it needs.

    >>> from outplay.games import ConnectFour
    >>> verify(Tablebase.make(ConnectFour(width=4, height=3)))
    Verdict(states=6027, fault='', state=None, stopped=False)
    """
    check_threads(threads, "verify")
    game = table.game
    check_rules(game, game.initial_state())
    check_suits(game)
    count = useful_threads(threads)
    check = CodeCheck(table, count) if table.classes is None else ClassCheck(table.classes, count)
    report = (lambda done: progress(done, len(table) + check.to_mark)) if progress else None
    fault, stopped = run_check(check.workers, check.first_fault, report)
    if stopped:
        return Verdict(max(0, states_checked(check.workers) - check.to_mark), "", None, stopped=True)
    return fault or Verdict(len(table), "", None, stopped=False)


class Worker:
    """What a thread needs: the memory of the kernels."""

    def __init__(self, game: Game) -> None:
        self.game, self.memory = game, new_record(LAYOUT)
        self.memory.search, self.memory.friends, self.memory.total = 1, friends_of(game), total(game) or 0.0

    def run(self, work: Callable[..., Any], numbers: range, *args: Any) -> Any:
        """Let a kernel work on some numbers; what it returns. It ends at `memory.at` if it finds a fault there."""
        memory = self.memory
        memory.at, memory.end, memory.step = numbers.start, numbers.stop, numbers.step
        return self.resume(work, *args)

    def resume(self, work: Callable[..., Any], *args: Any) -> Any:
        """Let a kernel go on from `memory.at`."""
        self.memory.fault, self.memory.needed = 0, -1
        return work(self.game, *args, self.memory)


class CodeCheck:
    """The check of a table with codes."""

    def __init__(self, table: Tablebase, threads: int) -> None:
        self.table, self.states = table, table.states()
        game, has_chance = table.game, table.game.has_chance
        self.to_mark = 0 if table.distances else len(table)
        self.laws = Laws(
            chance=has_chance, vectors=not is_opposed(game), distances=table.distances, acyclic=table.acyclic
        )
        self.size = float(np.abs(self.states.levels).max(initial=0)) if has_chance else 0.0
        side_of = np.zeros(game.players, np.int64)
        for side, team in enumerate(team_members(game)):
            side_of[team] = side
        kinds = {"codes": np.int64, "state_plies": np.uint16, "state_levels": np.float64 if has_chance else np.uint16}
        arrays = {"codes": self.states.codes, "state_levels": self.states.levels, "state_plies": self.states.plies}
        self.arrays = {name: np.ascontiguousarray(array, kinds[name]) for name, array in arrays.items()}
        self.arrays |= {"marks": np.zeros(self.to_mark, np.uint8), "side_of": side_of}
        self.arrays["values"] = np.array(table.utilities, np.float64)
        self.workers = [self._worker() for _ in range(threads)]

    def _worker(self) -> Worker:
        worker = Worker(self.table.game)
        memory = worker.memory
        self.table.codec.fill(memory)
        for name, array in self.arrays.items():
            setattr(memory, name, array.ctypes.data)
        memory.states, memory.sides = len(self.table), self.arrays["values"].size // max(1, len(self.table.utilities))
        memory.allowed = 2 * self.table.error + CHANCE_ROUNDING * self.size
        return worker

    def first_fault(self, threads: Threads[Any]) -> Verdict | None:
        """The first fault; None if there is none, or if it was stopped."""
        table, levels = self.table, self.states.levels
        if (disorder := first_disorder(self.states.codes)) >= 0:
            return wrong(0, f"state {disorder + 1:,} is not above the one before it")
        if table.game.has_chance and not table.error <= MAX_ERROR * max(1.0, self.size):
            return wrong(0, f"the error, {table.error:g}, is too large")
        counts = None if table.distances else np.bincount(levels, minlength=len(table.utilities)).tolist()
        if counts is not None and dict(zip(table.utilities, counts, strict=True)) != table.stats().counts:
            return wrong(0, FAULTS[HEADER])
        parts = parts_of(len(table))
        before, marked = -1, 0
        while not table.distances and marked > before:
            for some in parts, [part[::-1] for part in reversed(parts)]:
                threads.first_fault(some, self._mark)
            before, marked = marked, states_checked(self.workers)
        return threads.first_fault(parts, self._check)

    def _mark(self, worker: Worker, part: range) -> None:
        worker.run(mark_states, part, self.laws)

    def _check(self, worker: Worker, part: range) -> Verdict | None:
        worker.run(check_states, part, self.laws)
        memory = worker.memory
        if memory.fault == 0:
            return None
        state = state_at(worker.game, memory, self.arrays["codes"].reshape(-1), int(memory.at))
        return wrong(int(memory.at), FAULTS[int(memory.fault)], state)


class Summary(NamedTuple):
    """What the states of some indices of a class are like."""

    states: int
    """The number of states."""
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


class ClassWorker(Worker):
    """What a thread needs to check a table by class: the classes that it knows, too, with some of their blocks."""

    def __init__(self, classes: Classes, memory_mb: float) -> None:
        super().__init__(classes.game)
        self.classes, self.memory_mb = classes, memory_mb
        self.random = new_random(0)
        self.memory.converts = classes.distance_to != END
        self.number: int | None = None
        """The class that is checked."""
        self.know()

    def know(self, *numbers: int) -> None:
        """Know these classes, and none of their blocks."""
        self.cache = ClassCache(self.classes.solved, self.memory_mb, numbers)
        self.cache.fill(self.memory)
        self.beyond = np.zeros(0, np.int64)

    def begin(self, number: int | None) -> None:
        """Begin with a class, or with random games: what was needed to check another class is not needed any more."""
        if number != self.number:
            self.number = number
            self.know(*([] if number is None else [number]))

    def resume(self, work: Callable[..., Any], *args: Any) -> Any:
        """The same, with all classes that the kernel needs and the table has."""
        while True:
            self._set_beyond()
            state = super().resume(work, *args)
            self.cache.check()
            if self.memory.needed not in self.classes.solved:
                return state
            self.cache.add(int(self.memory.needed), self.memory)

    def _set_beyond(self) -> None:
        """Say, for random games, how many plies may come on top of the distances of each value of the known classes."""
        if self.number is None and len(self.beyond) != len(self.cache.utilities):
            draw, shape = draw_utility(self.game), self.classes.solved.shape
            self.beyond = np.array(
                [
                    self.classes.beyond(number, abs(utility - draw))
                    for number in self.cache.numbers.tolist()
                    for utility in shape(number)[1]
                ],
                np.int64,
            )
            self.memory.beyond = self.beyond.ctypes.data

    def summary(self, number: int, indices: range) -> Summary:
        """Check some indices of a class, up to the first that is wrong."""
        self.begin(number)
        memory, before = self.memory, int(self.memory.done)
        memory.number, memory.has_stages, memory.least = number, 0, FOREVER
        memory.counts[:], memory.longest[:] = 0, 0
        self.run(check_states, indices, Laws(by_class=True))
        leads_to, done = frozenset(self.cache.numbers.tolist()) - {number}, int(memory.done) - before
        stages = int(memory.least), bool(memory.has_stages)
        return Summary(done, *stages, leads_to, memory.counts.copy(), memory.longest.copy())

    def play(self, first: int, games: int) -> Verdict | None:
        """The first fault in a random game, of `GAMES_PART` games from this number on; None if there is none."""
        self.begin(None)
        memory, starts = self.memory, self._starts(first, games)
        memory.at, memory.end = 0, GAMES_PART
        while True:
            state = self.resume(play_games, Laws(by_class=True), *starts, self.random)
            if memory.fault != OUTSIDE or memory.needed != memory.home:
                return wrong(0, FAULTS[EARLY if memory.fault == EARLY else INDEX], state) if memory.fault else None
            memory.at += 1  # the class of its first state is not in the table

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


class ClassCheck:
    """The check of a table by class."""

    to_mark = 0

    def __init__(self, classes: Classes, threads: int) -> None:
        self.classes, self.game = classes, classes.game
        indices = {number: classes.solved.shape(number)[0] for number in classes.solved}
        self.parts = [(number, part) for number, count in indices.items() for part in parts_of(count)]
        self.summaries: dict[tuple[int, range], Summary] = {}
        self.is_large = sum(indices.values()) > KEPT_MB / BLOCK_MB * BLOCK
        threads = min(threads, max(1, int(KEPT_MB / min(LEAST_MB, sum(indices.values()) * BLOCK_MB / BLOCK))))
        self.workers = [ClassWorker(classes, KEPT_MB / threads) for _ in range(threads)]

    def first_fault(self, threads: Threads[Any]) -> Verdict | None:
        """The first fault; None if there is none, or if it was stopped."""
        fault = threads.first_fault(self.parts, self._check)
        if fault is not None:
            part, index, number = fault
            states = sum(self.summaries[before].states for before in self.parts[: self.parts.index(part) + 1])
            return wrong(states, FAULTS[number], self.game.indexed_state(part[0], index))
        for number in self.classes.solved:
            own = [summary for part, summary in self.summaries.items() if part[0] == number]
            if not has_right_numbers(self.classes, number, own):
                return wrong(len(self.classes), FAULTS[HEADER])
            if self.classes.distance_to != END and not has_right_limits(self.classes, number, own):
                return wrong(len(self.classes), FAULTS[PAST])
        games = FEW_GAMES if self.is_large else GAMES
        return threads.first_fault(range(0, games, GAMES_PART), lambda worker, first: worker.play(first, games))

    def _check(self, worker: ClassWorker, part: tuple[int, range]) -> tuple[tuple[int, range], int, int] | None:
        self.summaries[part] = worker.summary(*part)
        memory = worker.memory
        return (part, int(memory.at), int(memory.fault)) if memory.fault != 0 else None


def has_right_numbers(classes: Classes, number: int, summaries: Sequence[Summary]) -> bool:
    """Whether the header has the right numbers of states, and longest distances, of a class."""
    facts, draw = classes.about[number], draw_utility(classes.game)
    counts = np.sum([summary.counts for summary in summaries], axis=0).tolist()
    longest = np.max([summary.longest for summary in summaries], axis=0).tolist()
    levels = [level for level, value in enumerate(facts["utilities"]) if value != draw]
    return counts[: len(facts["counts"])] == facts["counts"] and all(
        facts["longest"][level] == longest[level] for level in levels
    )


def has_right_limits(classes: Classes, number: int, summaries: Sequence[Summary]) -> bool:
    """Whether a table says how many plies are left after the conversions of a class, as its states have it."""
    facts = classes.about[number]
    leads_to = set[int]().union(*(summary.leads_to for summary in summaries))
    if any(summary.has_stages for summary in summaries):
        leads_to.add(number)
    all_about = classes.about | {number: facts | {"goes_on": True}}
    right = (
        min(summary.least for summary in summaries),
        goes_on((all_about[entry] for entry in leads_to), draw_utility(classes.game)),
    )
    return (facts["index_plies"], facts["goes_on"]) == right


def parts_of(count: int) -> list[range]:
    """The numbers below `count`, in parts."""
    return [range(start, min(start + PART, count)) for start in range(0, count, PART)]


def wrong(states: int, fault: str, state: Any = None) -> Verdict:
    """The verdict that something is wrong, after so many states that are right."""
    return Verdict(states, fault, state, stopped=False)


def first_disorder(codes: NDArray[np.int64]) -> int:
    """The index of the first code that is not above the one before it; -1 if there is none."""
    above = np.zeros(max(0, len(codes) - 1), bool)
    for word in range(codes.shape[1] - 1, -1, -1):
        one, other = codes[:-1, word], codes[1:, word]
        above = (one < other) | ((one == other) & above)
    disorder = np.flatnonzero(~above)
    return int(disorder[0]) + 1 if len(disorder) else -1
