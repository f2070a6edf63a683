"""One class of states, solved: values and distances of all indices, by retrograde analysis.

1. `expand` makes the state of each index, and notes for it who moves, what the game says if it is over, the best way
   out into classes that are solved already, and its successors in this class. An index is a hole if the state that
   `indexed_state` makes of it has another index. Threads do this part by part.
2. `reverse_edges` turns successors into predecessors; at once, or in several passes if they are in a file.
3. `propagate` goes back from the ends and the ways out (Thompson 1986, with the counters of Gasser 1996), the greatest
   gains first, and those of the same value in the order of their distance. What nobody can force is a draw.

Values are those of `index_player`. A level is the place of a value among `utilities`, which are symmetric about a draw:
the last level minus a level is its value for the other side. An edge has a bit that says whether the two states are
numbered from the sides of different players.

Distances are those to the end, or to the next *conversion*: an action that leads to another class or lowers
`index_stage`. Those that lead to other classes are then ways out after which no plies count. For those within a class
the values have to be known, so that a class with such actions is solved twice: for the values, where they are actions
like others, and again for the distances, where they are ways out into the class itself, as it is solved already.
"""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from tempfile import TemporaryFile, gettempdir
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, prefetch
from outplay.compile.records import layout, new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER, NO_UTILITY, StopReason
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import balance
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, defines, friends_of, legal_actions
from outplay.system.threads import begin
from outplay.tables.class_blocks import NOWHERE, BlockCache, Source, place_in, place_of

DECIDED, OWN, OPTIONS, END = 1 << 15, 1 << 14, (1 << 14) - 1, 0
"""What is open at an index: the number of options (successors of this class, and one for all ways out) that are not
lost yet for the mover, and whether `index_player` or their side moves. Decided: a hole, or solved; at the end of a
game, 0 until then."""
UNKNOWN = 255
"""The level of a hole, and of a state that is not solved."""
MAX_LEVELS = 254
"""The maximum number of levels."""
MAX_PLIES = 0xFFFE
"""The maximum distance."""
MAX_INDICES = 2**31 - 1
"""The maximum number of indices of a class: an edge has 31 bits for one."""
MAX_DEGREE = 4096
"""The maximum number of actions of a state."""
PART = 1 << 16
"""The number of indices that are expanded together."""
INDEX_BYTES, EDGE_BYTES = 24, 8
"""The memory that solving takes: for each index, and for each successor, which is there in both directions; but these
go into temporary files if they are too many."""
FOREVER = 1 << 62
"""More plies than any `index_plies`."""
MIN_EDGES = 1 << 18
"""The minimum number of successors for which there is room in memory."""
SHARE, KNOWN_SHARE, SOLVED_SHARE = 0.7, 0.1, 0.2
"""The parts of the memory for the class that is being solved, for blocks of those that actions lead to, and for classes
that are solved."""
DONE, FULL, NEEDS, FETCH, NO_INDEX, TOO_MANY, PAUSED, TOO_FAR, POINTS, PAST, RAISED, GOES_ON = range(12)
"""Why a kernel ended: all is done, it needs room for edges, another class, or a block of one, a successor has no index,
there are too many utilities or actions, the states at one distance have been found (or a checkpoint is due), a distance
is too large, `index_points` changes within the class, `index_plies` does not suffice in another one, an action raises
`index_stage`, or `index_plies` goes on after a conversion."""
TO_END, TO_CLASS, TO_STAGE = range(3)
"""What distances count to: the end, another class, or the next conversion."""
LAYOUT = layout(
    *COUNTERS,
    ("at", int),  # the next index,
    ("end", int),  # and where to stop
    ("edges", int),  # the successors of this part
    ("needed", int),  # the class of a successor that is not known yet, or its block
    ("levels", int),
    ("counts", int),  # what distances count to
    ("has_stages", int),  # 1: an action within the class lowers `index_stage`
    ("least", int),  # the least `index_plies` of a state
    ("friends", int),  # the players on the side of player 0, a bit each
    ("head", int),  # where `propagate` is in its queue,
    ("tail", int),
    ("out", int),  # and among the exits,
    ("gain", int),
    ("away", int),
    ("paused", int),  # 1: it has stopped after the states at this distance were found
    ("utility", float, MAX_LEVELS),
)


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


class Edges:
    """The successors of all parts, in memory, or in a temporary file if they are more than `most`."""

    def __init__(self, parts: int, most: int) -> None:
        self.most, self.count = most, 0
        self.missing = set(range(parts))
        """The parts that are not there yet,"""
        self.done = set[int]()
        """and those that are."""
        self._parts: dict[int, NDArray[np.uint32]] = {}
        self._file: Any = None
        self._places: dict[int, tuple[int, int]] = {}

    def add(self, part: int, targets: NDArray[np.uint32]) -> None:
        """Take the successors of a part."""
        self._parts[part] = targets
        self.count += len(targets)
        self.missing.remove(part)
        self.done.add(part)
        if self.count > self.most:
            with room_on_disk():
                if self._file is None:
                    self._file = TemporaryFile()  # noqa: SIM115 - kept open
                for each in list(self._parts):
                    numbers = self._parts.pop(each)
                    self._places[each] = self._file.seek(0, os.SEEK_END), len(numbers)
                    self._file.write(numbers)

    def clear(self) -> None:
        """Free the memory and the file."""
        self._parts.clear()
        self._places.clear()
        if self._file is not None:
            self._file.close()

    def read(self) -> Iterator[NDArray[np.uint32]]:
        """The successors of each part in order."""
        return map(self.of, range(len(self._parts) + len(self._places)))

    def of(self, part: int) -> NDArray[np.uint32]:
        """The successors of a part."""
        if part in self._parts:
            return self._parts[part]
        start, count = self._places[part]
        self._file.seek(start)
        found = np.empty(count, np.uint32)
        self._file.readinto(found)
        return found


@contextmanager
def room_on_disk() -> Iterator[None]:
    """Raise `OutplayError` if a temporary file cannot be written."""
    try:
        yield
    except OSError as error:
        raise OutplayError(
            f"no room for a temporary file in {gettempdir()} ({error.strerror or error}): increase memory_mb, or set"
            " the environment variable TMPDIR to a folder with more room"
        ) from error


def numbers_in_file(count: int) -> NDArray[np.uint32]:
    """An array in a temporary file."""
    with room_on_disk(), TemporaryFile() as file:
        try:
            if hasattr(os, "posix_fallocate"):  # a full disk would end the process later
                os.posix_fallocate(file.fileno(), 0, 4 * count)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # not every file system can do that
                raise
        return np.asarray(np.memmap(file, np.uint32, "w+", shape=count))


class Worker:
    """What a thread that expands needs: its memory, the classes that it knows, room for the successors of a part."""

    def __init__(self, friends: int, known: BlockCache, counts: int) -> None:
        self.known = known
        self.part: int | None = None
        """The part that is not expanded completely yet."""
        self.memory = new_record(LAYOUT, ("utility",))
        self.memory.search = 1
        self.memory.friends, self.memory.counts = friends, counts
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
            Worker(friends_of(game), BlockCache(solved, memory_mb * KNOWN_SHARE / threads), counts)
            for _ in range(min(threads, parts))
        ]
        self.open = np.full(self.count, DECIDED, np.uint16)
        self.levels, self.plies = np.full(self.count, UNKNOWN, np.uint8), np.zeros(self.count, np.uint16)
        self.valuing: Valuing | None = None
        """There once all indices are expanded."""
        self.stopped = False
        self._lock = threading.Lock()

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
                worker.known.add(self.needed)
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
        return self.game, self.number, self.count, worker.memory, *own, *worker.known.view

    def _expand_part(self, worker: Worker, part: int, run: Callable[[], int]) -> int:
        """Go on with a part of the indices; why it ended."""
        memory = worker.memory
        while (why := run()) in (FULL, FETCH):
            if why == FULL:
                worker.targets = np.concatenate([worker.targets, worker.targets])
            else:
                worker.known.fetch(int(memory.needed), int(memory.at))
        if why != DONE or memory.why:
            return why
        targets, start, end = worker.targets[: memory.edges].copy(), part * PART, int(memory.end)
        with self._lock:
            rank = np.full(UNKNOWN + 1, UNKNOWN, np.uint8)
            for level, utility in enumerate(memory.utility[: memory.levels].tolist()):
                if utility not in self.found.utilities:
                    self.found.utilities.append(utility)
                rank[level] = min(self.found.utilities.index(utility), UNKNOWN)
            self.found.leads_to.update(worker.known.view.numbers.tolist())
            self.found.has_stages |= memory.has_stages != 0
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
        draw = balance(self.game)
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


@kernel
def viewer(game: Any, state: Any) -> int:
    """The player from whose side the state is numbered."""
    if defines(game, "index_player"):
        return int(game.index_player(state))
    return 0


@kernel
def points_of(game: Any, state: Any, player: int) -> float:
    """What a player has gained for good: values in tables come on top of it."""
    if defines(game, "index_points"):
        return float(game.index_points(state, player))
    return 0.0


@kernel
def may_end_early(game: Any, state: Any, plies: int) -> bool:
    """Whether what the index leaves out may end the game before these plies, for games with points: what the players
    have by then might be better for one of them than what is lost in time.
    """
    if defines(game, "index_points"):
        return bool(plies > game.index_plies(state))
    return False


@kernel
def stage_of(game: Any, state: Any) -> int:
    """What only conversions lower within a class."""
    if defines(game, "index_stage"):
        return int(game.index_stage(state))
    return 0


@kernel
def plies_left(game: Any, state: Any) -> int:
    """The plies before what the index leaves out may end the game."""
    if defines(game, "index_plies"):
        return int(game.index_plies(state))
    return FOREVER


@kernel
def begins_anew(game: Any, state: Any, number: int, index: int) -> bool:
    """Whether as many plies are left in a state, after a conversion, as in the one that its index stands for."""
    if defines(game, "index_plies"):
        return bool(game.index_plies(state) >= game.index_plies(game.indexed_state(number, index)))
    return True


@kernel
def expand(
    game: Any, number: int, count: int, work: Any, opened: Any, levels: Any, plies: Any, targets: Any,
    numbers: Any, sizes: Any, blocks: Any, first: Any, utilities: Any, slots: Any, known_levels: Any, known_plies: Any,
) -> int:  # fmt: skip
    """Find who moves at each index up to `work.end`, the ways out and the successors; why it ended."""
    memory, draw = pointer(work), balance(game)
    while memory.at < memory.end and not must_stop(memory):
        now = memory.at
        if memory.edges + MAX_DEGREE > len(targets):
            return FULL
        state = game.indexed_state(number, now)
        if game.state_class(state) != number or game.state_index(state) != now:
            memory.at += 1
            continue
        own = viewer(game, state)
        if own < 0 or own >= game.players:
            memory.why = NO_PLAYER
            return DONE
        points, stage = points_of(game, state, own), 0
        if memory.counts != TO_END:
            stage, memory.least = stage_of(game, state), min(memory.least, plies_left(game, state))
        if game.is_terminal(state):
            level = level_of(game.utility(state, own) - points, memory, MAX_LEVELS)
            if level < 0:
                return TOO_MANY
            levels[now], opened[now] = level, END
            memory.at += 1
            continue
        mover = game.to_move(state)
        if mover < 0 or mover >= game.players:
            memory.why = NO_PLAYER
            return DONE
        side, edge, has_exit, best, best_away, actions = memory.friends >> own & 1, memory.edges, False, 0.0, 0, 0
        most = edge + MAX_DEGREE
        sign = 1.0 if memory.friends >> mover & 1 == side else -1.0
        for action in legal_actions(game, state):
            actions += 1
            child = game.result(state, action)
            child_class = game.state_class(child)
            index = game.state_index(child)
            if child_class < 0 or index < 0:
                return NO_INDEX
            flip = (memory.friends >> viewer(game, child) & 1) ^ side
            if child_class == number:
                if index >= count:
                    return NO_INDEX
                if edge == most:
                    return TOO_MANY
                if points_of(game, child, own) != points:
                    return POINTS
                lower = 0 if memory.counts == TO_END else stage - stage_of(game, child)
                if lower < 0:
                    return RAISED
                if lower > 0:
                    memory.has_stages = 1
                if lower == 0 or memory.counts != TO_STAGE:
                    targets[edge] = index << 1 | flip
                    edge += 1
                    continue
            place = place_of(numbers, child_class)
            if place < 0:
                memory.needed = child_class
                return NEEDS
            at = place_in(place, index, sizes, blocks, slots)
            if at < NOWHERE:
                memory.needed = NOWHERE - 1 - at
                return FETCH
            if at == NOWHERE or known_levels[at] == UNKNOWN:
                return NO_INDEX
            value, ply = utilities[first[place] + known_levels[at]], int(known_plies[at])
            if memory.counts != TO_END:
                ply = 0
                if not begins_anew(game, child, child_class, index):
                    return GOES_ON
            elif value == draw:
                ply = 0
            elif may_end_early(game, child, ply):
                return PAST
            value = (2 * draw - value if flip else value) + points_of(game, child, own) - points
            gain = sign * (value - draw)  # of the mover
            ahead = sign * (best - draw)
            if not has_exit or gain > ahead or (gain == ahead and (ply < best_away if gain > 0 else ply > best_away)):
                has_exit, best, best_away = True, value, ply
        if actions == 0:
            memory.why = NO_LEGAL_ACTION
            return DONE
        options = edge - memory.edges
        if has_exit:
            level = level_of(best, memory, MAX_LEVELS)
            if level < 0:
                return TOO_MANY
            levels[now], plies[now] = level, best_away
            options += 1
        opened[now] = options | OWN if sign > 0 else options
        memory.edges = edge
        memory.nodes += actions
        memory.at += 1
    return DONE


@kernel
def count_edges(targets: Any, first: Any) -> None:
    """Count the edges to each index i in `first[i + 2]`."""
    for edge in range(len(targets)):
        first[(targets[edge] >> 1) + 2] += 1


@kernel
def reverse_edges(
    start: int, opened: Any, levels: Any, targets: Any, first: Any, sources: Any, low: int, high: int, base: int,
    work: Any,
) -> None:  # fmt: skip
    """Put the indices from `start` on among the predecessors of their successors from `low` to `high`.

    `first[i + 1]` is the next place of the predecessors of i, counted from `base` on in `sources`.
    """
    memory, firsts, edge = pointer(work), pointer(first), 0
    for index in range(len(opened)):
        if must_stop(memory):
            return
        for _ in range(degree_of(opened[index], levels[index])):
            if edge + 16 < len(targets):
                prefetch(firsts, int(targets[edge + 16] >> 1) + 1)
            after = int(targets[edge] >> 1)
            if low <= after < high:
                sources[int(first[after + 1]) - base] = start + index << 1 | int(targets[edge] & 1)
                first[after + 1] += 1
            edge += 1


@kernel
def degree_of(opened: int, level: int) -> int:
    """The number of successors in the class: of options, without the way out."""
    options = opened & OPTIONS
    return int(options - 1 if options > 0 and level != UNKNOWN else options)


def exits_of(
    opened: NDArray[np.uint16], levels: NDArray[np.uint8], plies: NDArray[np.uint16], draw: int
) -> NDArray[np.uint32]:
    """The ends and the states with a way out, if they are no draws: the greatest gains first, then the nearest."""
    exits = np.flatnonzero((levels != UNKNOWN) & (levels != draw)).astype(np.uint32)
    away = plies[exits] + (opened[exits] != END).astype(np.uint16)
    exits = exits[np.argsort(away, kind="stable")]  # which sorts short integers by their digits
    gains = np.abs(levels[exits].astype(np.int16) - draw).astype(np.uint8)
    return exits[np.argsort(UNKNOWN - gains, kind="stable")]


@kernel
def propagate(
    opened: Any, plies: Any, levels: Any, exits: Any, first: Any, sources: Any, queue: Any, draw: int, work: Any,
) -> int:  # fmt: skip
    """Value all states that some side can force to be better than a draw; why it ended.

    `levels` and `plies` have the ends and the ways out, and get the values; `exits` has what `exits_of` returns. The
    queue has the states that were valued, with a bit for those above a draw. One gain comes after the other, and of
    each the states that are `away` plies from the end; then it is PAUSED, and they may be put in another order.
    """
    memory, firsts, befores, options_of = pointer(work), pointer(first), pointer(sources), pointer(opened)
    head, tail, out, gain, away = memory.head, memory.tail, memory.out, memory.gain, memory.away
    while not must_stop(memory):
        # 1. The ends and the ways out with this gain at this distance.
        while out < len(exits):
            index = int(exits[out])
            options = int(opened[index])
            if options & DECIDED == 0:
                distance = 0 if options == END else int(plies[index]) + 1
                if head == tail:  # the next distance, or the next gain
                    gain, away = abs(int(levels[index]) - draw), distance
                above = levels[index] > draw
                if distance != away or abs(int(levels[index]) - draw) != gain:
                    break
                if options != END and (options & OWN != 0) != above:  # the mover loses
                    options -= 1
                    opened[index] = options
                if options == END or (options & OWN != 0) == above or options & OPTIONS == 0:
                    opened[index], plies[index] = options | DECIDED, away
                    queue[tail] = index << 1 | above
                    tail += 1
            out += 1
        if head == tail:
            break
        if memory.paused == 0:
            memory.head, memory.tail, memory.out, memory.gain, memory.away = head, tail, out, gain, away
            memory.paused = 1
            return PAUSED
        memory.paused = 0
        # 2. Back from the states at this distance.
        end, away = tail, away + 1
        if away > MAX_PLIES:
            return TOO_FAR
        while head < end and not must_stop(memory):
            index, above = int(queue[head] >> 1), int(queue[head] & 1)
            head += 1
            # What comes soon is fetched from memory meanwhile.
            if head + 8 < tail:
                prefetch(firsts, int(queue[head + 8] >> 1))
            if head + 4 < tail:
                prefetch(befores, int(first[queue[head + 4] >> 1]))
            if head + 1 < tail:
                following = int(queue[head + 1] >> 1)
                for i in range(first[following], first[following + 1]):
                    prefetch(options_of, int(sources[i] >> 1))
            for i in range(first[index], first[index + 1]):
                before, side = int(sources[i] >> 1), above ^ int(sources[i] & 1)
                options = int(opened[before])
                if options & DECIDED:
                    continue
                if (options & OWN != 0) != (side == 1):  # the mover loses
                    options -= 1
                    opened[before] = options
                    if options & OPTIONS:
                        continue
                opened[before] = options | DECIDED
                levels[before], plies[before] = draw + gain if side else draw - gain, away
                queue[tail] = before << 1 | side
                tail += 1
    return DONE


@kernel
def level_of(utility: float, memory: Any, most: int) -> int:
    """The number of a utility, a new one if it is new; -1 if there are more than `most`."""
    if not abs(utility) < np.inf:
        memory.why = NO_UTILITY
        return 0
    for level in range(memory.levels):
        if memory.utility[level] == utility:
            return level
    if memory.levels == most:
        return -1
    memory.utility[memory.levels] = utility
    memory.levels += 1
    return int(memory.levels - 1)
