"""One class of states, solved: values and distances of all indices, by retrograde analysis.

1. `expand` (`class_expansion.py`) makes the state of each index, and notes for it who moves, what the game says if it
   is over, the best way out into classes that are solved already, and its successors in this class. An index is a hole
   if the state that `indexed_state` makes of it has another index. Threads do this part by part.
2. `reverse_edges` (`class_retrograde.py`) turns successors into predecessors; at once, or in several passes if they are
   in a file.
3. `propagate` goes back from the ends and the ways out (Thompson 1986, with the counters of Gasser 1996), the greatest
   gains first, and those of the same value in the order of their distance. What nobody can force is a draw.

Distances are those to the end, or to the next *conversion*: an action that leads to another class or lowers
`index_stage`. Those that lead to other classes are then ways out after which no plies count. For those within a class
the values have to be known, so that a class with such actions is solved twice: for the values, where they are actions
like others, and again for the distances, where they are ways out into the class itself, as it is solved already.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from outplay.compile.records import new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER, NO_UTILITY, StopReason
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, friends_of
from outplay.system.threads import begin, free_in_child
from outplay.tables.class_blocks import ClassCache, Source
from outplay.tables.class_edges import Edges, numbers_in_file
from outplay.tables.class_expansion import (
    DECIDED,
    DONE,
    FOREVER,
    FULL,
    GOES_ON,
    LAYOUT,
    MAX_DEGREE,
    MAX_LEVELS,
    NO_INDEX,
    PAST,
    PAUSED,
    POINTS,
    RAISED,
    TO_END,
    TOO_FAR,
    TOO_MANY,
    UNKNOWN,
    UNREADABLE,
    expand,
)
from outplay.tables.class_retrograde import MAX_PLIES, count_edges, exits_of, propagate, reverse_edges

MAX_INDICES = 2**31 - 1
"""The maximum number of indices of a class: an edge has 31 bits for one."""
PART = 1 << 16
"""The number of indices that are expanded together."""
INDEX_BYTES, EDGE_BYTES = 24, 8
"""The memory that solving takes: for each index, and for each successor, which is there in both directions; but these
go into temporary files if they are too many."""
MIN_EDGES = 1 << 18
"""The minimum number of successors for which there is room in memory."""
SHARE, KNOWN_SHARE, SOLVED_SHARE = 0.7, 0.1, 0.2
"""The parts of the memory for the class that is being solved, for blocks of those that actions lead to, and for classes
that are solved."""


class Solved(NamedTuple):
    """A class of states with values and distances."""

    number: int
    """The number of the class."""
    utilities: tuple[float, ...]
    """The utilities of `index_player` that occur, those of the other side, and that of a draw, in ascending order."""
    levels: NDArray[np.uint8]
    """The place of the value of each index in `utilities`; `UNKNOWN` for holes."""
    plies: NDArray[np.uint16]
    """The plies to the end of the game, or to the next conversion; 0 in draws, at ends and for holes."""


@dataclass
class Found:
    """What was found while indices were expanded."""

    utilities: list[float]
    """The utilities at ends and ways out, by level."""
    leads_to: set[int]
    """The classes that actions lead to."""
    has_stages: bool
    """Whether an action within the class lowers `index_stage`."""
    least: int
    """The least `index_plies` of a state."""

    def as_dict(self) -> dict[str, Any]:
        """What was found as plain values, for JSON."""
        return asdict(self) | {"leads_to": sorted(self.leads_to)}

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Self:
        """The inverse of `as_dict`."""
        return cls(**facts | {"leads_to": set(facts["leads_to"])})


class Valuing(NamedTuple):
    """What `propagate` needs, besides what is open and the plies."""

    utilities: tuple[float, ...]
    levels: NDArray[np.uint8]
    exits: NDArray[np.uint32]
    first: NDArray[Any]
    sources: NDArray[np.uint32]
    queue: NDArray[np.uint32]


class Worker:
    """What a thread that expands needs: its memory, the classes that it knows, room for the successors of a part."""

    def __init__(self, friends: int, known: ClassCache, counts: int) -> None:
        self.known = known
        self.part: int | None = None
        """The part that is not expanded completely yet."""
        self.memory = new_record(LAYOUT, ("utility",))
        self.memory.search = 1
        self.memory.friends, self.memory.counts = friends, counts
        known.fill(self.memory)
        self.targets = np.empty(4 * PART + MAX_DEGREE, np.uint32)

    def begin(self, part: int, count: int) -> None:
        """Take the next part of `count` indices."""
        self.part = part
        self.memory.at, self.memory.end, self.memory.edges = part * PART, min(count, (part + 1) * PART), 0
        self.memory.has_stages, self.memory.least = 0, FOREVER


class DenseSolver:
    """Solves one class of a game. Call `expand` until it returns DONE; if it needs another class, `needed`, put it into
    `solved` first. Then call `solve`. Both also end when a checkpoint `is_due`, and go on when they are called again.

    Threads expand parts of the indices; what is found does not depend on their number. Raises `OutplayError` if the
    class is too large for the memory.
    """

    def __init__(
        self,
        game: Game,
        number: int,
        solved: Source,
        memory_mb: float,
        threads: int = 1,
        counts: int = TO_END,
        is_due: Callable[[], bool] = lambda: False,
    ) -> None:
        self.game, self.number, self.solved, self.memory_mb, self.is_due = game, number, solved, memory_mb, is_due
        self.counts = counts
        """What distances count to. `TO_STAGE` needs the class itself among those that are solved."""
        self.found = Found([], set(), has_stages=False, least=FOREVER)
        self.count = int(game.index_count(number))
        self.name = game.class_name(number)
        if not 0 < self.count <= MAX_INDICES:
            raise OutplayError(f"class {self.name} of {game!r} has {self.count:,} indices: 1 to {MAX_INDICES:,} can be")
        self.needed = -1
        """A class that is not in `solved` yet."""
        self.done = 0
        """The number of indices that are expanded."""
        self.check_memory()
        parts = -(-self.count // PART)
        room = int(memory_mb * 1e6 * SHARE) - self.count * INDEX_BYTES
        self.edges = Edges(parts, max(MIN_EDGES, room // EDGE_BYTES))
        self.workers = [
            Worker(friends_of(game), ClassCache(solved, memory_mb * KNOWN_SHARE / threads), counts)
            for _ in range(min(threads, parts))
        ]
        self.open = np.full(self.count, DECIDED, np.uint16)
        self.levels, self.plies = np.full(self.count, UNKNOWN, np.uint8), np.zeros(self.count, np.uint16)
        self.valuing: Valuing | None = None
        """There once all indices are expanded."""
        self.stopped = False
        self._lock = free_in_child(threading.Lock())

    def check_memory(self) -> None:
        """Raise `OutplayError` if this class needs more memory than allowed."""
        size = self.count * INDEX_BYTES / SHARE / 1e6
        if size > self.memory_mb:
            raise OutplayError(
                f"class {self.name} of {self.game!r}, {self.count:,} indices, does not fit into {self.memory_mb:g}"
                f" megabytes; it needs {size:,.0f}: increase memory_mb"
            )

    def stop(self) -> None:
        """End `expand` or `solve` soon."""
        self.stopped = True
        for worker in self.workers:
            worker.memory.stop = -1

    def expand(self) -> int:
        """Expand the parts that are not expanded yet; NEEDS if `needed` is not in `solved` yet, PAUSED if `is_due`."""
        if self.needed >= 0:
            for worker in self.workers:
                worker.known.add(self.needed, worker.memory)
            self.needed = -1
        run = expand.prepare(*self._arguments(self.workers[0]))
        waiting = iter(sorted(self.edges.missing - {worker.part for worker in self.workers}))
        ended: dict[int, tuple[Worker, int]] = {}  # the parts that could not be expanded, and why
        paused = threading.Event()

        def work(worker: Worker) -> None:
            while True:
                part = worker.part
                if part is None:
                    with self._lock:
                        part = None if ended or paused.is_set() else next(waiting, None)
                    if part is None:
                        return
                    worker.begin(part, self.count)
                try:
                    why = self._expand_part(worker, part, lambda: run(*self._arguments(worker)))
                except BaseException:
                    ended[part] = worker, DONE
                    raise
                if why != DONE or worker.memory.why:
                    ended[part] = worker, why
                    return
                worker.part = None
                if self.is_due():
                    paused.set()

        if len(self.workers) == 1:
            work(self.workers[0])
        else:
            with ThreadPoolExecutor(len(self.workers), initializer=begin) as pool:
                list(pool.map(work, self.workers))
        if not ended:
            return PAUSED if self.edges.missing else DONE
        # All parts before one that was begun were begun too, so the first of these is always the same one.
        return self._why(*ended[min(ended)])

    def _arguments(self, worker: Worker) -> tuple[Any, ...]:
        own = self.open, self.levels, self.plies, worker.targets
        return self.game, self.number, self.count, worker.memory, *own

    def _expand_part(self, worker: Worker, part: int, run: Callable[[], int]) -> int:
        """Go on with a part of the indices; why it ended."""
        memory = worker.memory
        while (why := run()) == FULL:
            worker.targets = np.concatenate([worker.targets, worker.targets])
        if why == UNREADABLE:
            worker.known.check()
        if why != DONE or memory.why:
            return why
        targets, start, end = worker.targets[: memory.edges].copy(), part * PART, int(memory.end)
        with self._lock:
            rank = np.full(UNKNOWN + 1, UNKNOWN, np.uint8)
            for level, utility in enumerate(memory.utility[: memory.levels].tolist()):
                if utility not in self.found.utilities:
                    self.found.utilities.append(utility)
                rank[level] = min(self.found.utilities.index(utility), UNKNOWN)
            self.found.leads_to.update(worker.known.numbers.tolist())
            self.found.has_stages = self.found.has_stages or bool(memory.has_stages)
            self.found.least = min(self.found.least, int(memory.least))
        if rank[: memory.levels].tolist() != list(range(memory.levels)):
            self.levels[start:end] = rank[self.levels[start:end]]
        with self._lock:
            self.add(part, targets)
        return DONE

    def add(self, part: int, targets: NDArray[np.uint32]) -> None:
        """Take the successors of a part that is expanded."""
        self.edges.add(part, targets)
        self.done += min(PART, self.count - part * PART)

    def _why(self, worker: Worker, why: int) -> int:
        """Raise the error that ended a part, if it is one."""
        memory = worker.memory
        at = f"index {int(memory.at):,} of class {self.name} of {self.game!r}"
        if why == NO_INDEX:
            raise OutplayError(
                f"an action leads from {at} to a state without an index: state_class or state_index gives a number"
                " below 0, or state_index one that is not below index_count"
            )
        if why == TOO_MANY:
            raise OutplayError(
                f"{at}: too many actions, or more than {MAX_LEVELS // 2} different utilities, for a table"
            )
        if why == POINTS:
            raise OutplayError(f"an action changes index_points at {at}, and leads to the same class: to another one")
        if why == PAST:
            raise OutplayError(
                f"an action leads from {at} to a state that may take longer than its index_plies: values depend on what"
                " the index leaves out, such as a limit of plies; increase it"
            )
        if why == RAISED:
            raise OutplayError(f"an action raises index_stage at {at}, and leads to the same class")
        if why == GOES_ON:
            raise OutplayError(
                f"a conversion at {at} leads to a state of fewer index_plies than its index: what the index leaves out,"
                " such as a count of plies, must begin anew, or distances to conversions tell too little"
            )
        if reason := REASONS.get(int(memory.why)):
            raise OutplayError(f"{at} cannot be solved: {reason}; outplay check says where")
        self.needed = int(memory.needed)
        return why

    def solve(self) -> Solved | None:
        """The values, once all indices are expanded; None if `memory.stop` ended it, or if a checkpoint `is_due`."""
        if self.valuing is None:
            self.valuing = self._begin_valuing()
        utilities, levels, _, _, sources, queue = self.valuing
        memory, is_large, middle = self.workers[0].memory, len(sources) > self.edges.most, len(utilities) // 2
        args = self.open, self.plies, *self.valuing[1:], middle, memory
        run = propagate.prepare(*args)
        while (why := run(*args)) == PAUSED:
            if is_large:
                queue[memory.head : memory.tail].sort()  # a file is best read in order
            if self.is_due():
                return None
        if memory.why:
            return None
        if why == TOO_FAR:
            raise OutplayError(f"class {self.name} of {self.game!r} has games of more than {MAX_PLIES:,} plies")
        drawn = self.open < DECIDED  # also those that were left open
        levels[drawn], self.plies[drawn] = middle, 0
        return Solved(self.number, utilities, levels, self.plies)

    def _begin_valuing(self) -> Valuing:
        draw = draw_utility(self.game)
        found = np.array(self.found.utilities, np.float64)
        utilities = np.unique(np.concatenate([found, 2 * draw - found, [draw]]))
        if len(utilities) > MAX_LEVELS:
            raise OutplayError(f"class {self.name} of {self.game!r} has {len(utilities)} values: at most {MAX_LEVELS}")
        rank = np.full(UNKNOWN + 1, UNKNOWN, np.uint8)
        rank[: len(found)] = np.searchsorted(utilities, found)
        levels = rank[self.levels]
        first, sources = self._reversed_edges(levels)
        exits = exits_of(self.open, levels, self.plies, len(utilities) // 2)
        return Valuing(tuple(utilities.tolist()), levels, exits, first, sources, np.empty(self.count, np.uint32))

    def _reversed_edges(self, levels: NDArray[np.uint8]) -> tuple[NDArray[Any], NDArray[np.uint32]]:
        """Where the predecessors of each index begin, [count + 1], and the predecessors with their bit.

        They are not complete if `memory.stop` ended it, as it ends `propagate` then.
        """
        edges = self.edges
        first = np.zeros(self.count + 2, np.uint32 if edges.count < 1 << 32 else np.int64)
        for targets in edges.read():
            count_edges(targets, first)
        np.cumsum(first, out=first)
        if edges.count <= edges.most:
            sources, step = np.empty(edges.count, np.uint32), edges.count
        else:
            sources, step = numbers_in_file(edges.count), edges.most
        low = 0
        while low < self.count:  # the successors of which the edges fit into memory
            base = int(first[low + 1])
            most = first.dtype.type(min(base + step, edges.count))
            high = max(low + 1, int(np.searchsorted(first[1:], most, side="right")) - 1)
            own = np.empty(int(first[high + 1]) - base, np.uint32) if step < edges.count else sources
            for part, targets in enumerate(edges.read()):
                start, end = part * PART, (part + 1) * PART
                args = start, self.open[start:end], levels[start:end], targets, first
                reverse_edges(*args, own, low, high, base, self.workers[0].memory)
            if own is not sources:
                sources[base : base + len(own)] = own
            low = high
        edges.clear()
        return first[:-1], sources


REASONS = {
    NO_LEGAL_ACTION: "a state that is not terminal has no legal action",
    NO_PLAYER: "to_move or index_player returned a number that is not a player",
    NO_UTILITY: "a utility is not a number",
}


def interruptible(stop: Callable[[], None], work: Any, report: Any) -> bool:
    """Run `work()` in a thread that Ctrl-C stops through `stop()`; whether it was not stopped."""
    runner = SearchRunner(None, lambda: 1, lambda _: stop(), report)
    runner.run(work)
    return runner.stopped != StopReason.INTERRUPTED
