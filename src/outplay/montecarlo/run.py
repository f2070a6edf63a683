"""The run of a search: what is kept of the last tree, then simulations in slices, in threads, by the clock."""

import math
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outplay.compile.kernels import native_type, rules_key
from outplay.compile.random_numbers import new_random
from outplay.compile.records import copy_record, view
from outplay.engine.searcher import Task
from outplay.engine.stopping import StopReason
from outplay.engine.workspace import PLIES
from outplay.montecarlo.answer import answer_of
from outplay.montecarlo.base import (
    FIRST_REPORT_SECONDS,
    FIRST_SLICE,
    MAX_SLICE,
    REPORT_SECONDS,
    SLICE_SECONDS,
    reached,
    time_left,
)
from outplay.montecarlo.batch import Batches
from outplay.montecarlo.options import MCTSOptions
from outplay.montecarlo.simulation import is_settled, simulate_many
from outplay.montecarlo.tree import FIRST_FREE, ROOT, SPARE, Tree, find, keep, new_numbers, new_tree, room_for
from outplay.rules.constant_sum import draw_utility, range_of
from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.keys import state_key
from outplay.rules.repetition import worst
from outplay.system.threads import begin, useful_threads

PLIES_AGO = 2
"""A state is looked for in the kept tree down to this many plies below its root, or twice as many with chance."""
MAX_SIMULATIONS = 1 << 62
NO_LIMIT = 1e300
MAX_KEPT_BYTES = 8e6
"""With `reuse_tree=False`, only trees up to this size are kept, as memory for the next search."""


@dataclass
class Worker:
    """The memory of one thread of simulations. Workers that share a tree have the same `tree`.

    `memory` and `numbers` are arrays of one record, which Numba takes twenty times as fast as a record; `cells` and
    `reals` are views of them.
    """

    tree: Tree
    memory: Any  # see `memory_layout`
    cells: Any
    numbers: Any  # see `numbers_layout`
    reals: Any
    random: Any  # int64: see `new_random`
    first: int = 0  # the first of the free nodes that it was given


@dataclass
class ReusableTree:
    """What a search leaves for the next one: its trees, the number of used nodes in each, and the state of the roots.

    It also holds what would slow down a short search if made anew: the numbers of the workers and the compiled kernel.
    It fits only searches of the same `kind`: with equal techniques, rules and sizes.
    """

    kind: tuple[Any, ...]
    trees: list[Tree]
    spare: Tree
    numbers: list[tuple[Any, Any]]
    simulate: Any = None
    state: Any = None
    used: Sequence[int] = ()


class Run:
    """One call of `search`, `analyse` or `search_many`, in the searching thread."""

    def __init__(self, searcher: Any, techniques: MCTSOptions, task: Task) -> None:
        self.searcher, self.techniques = searcher, techniques
        self.game, self.packed, self.limit, self.every = task.game, task.packed, task.limit, task.every
        self.results = task.results
        self.may_end_early = (
            searcher.early and not task.every and searcher.choice == "visits" and searcher.parallel == "tree"
        )
        native = native_type(self.game)
        threads = useful_threads(searcher.threads) if native is not None else 1
        count = threads if searcher.parallel == "root" else 1
        nodes = room_for(techniques, searcher.memory_mb / count)
        self.reusable = self._memory_of_last(native or rules_key(self.game), nodes, count, threads)
        self.trees, self.spare = self.reusable.trees, self.reusable.spare
        arrays = sum(array.nbytes for array in self.trees[0])
        self.table_bytes = count * self.trees[0].table.nbytes
        self.node_bytes = (arrays - self.trees[0].table.nbytes) / len(self.trees[0].first_child)
        self.written = 0.0  # bytes of the trees, by the greatest of these searches
        copies = [copy_record(task.memory) for _ in range(threads - 1)]
        memories = [(task.memory, task.fields), *((memory, view(memory)) for memory in copies)]
        self.workers = [
            Worker(self.trees[number % count], memory.base, cells, *self.reusable.numbers[number], new_random(0))
            for number, (memory, cells) in enumerate(memories)
        ]
        if searcher.evaluator is None:
            self.simulate = self.reusable.simulate or simulate_many.prepare(*self._arguments(self.workers[0], 0, 0))
            self.reusable.simulate = self.simulate if native is not None else None  # interpreted rules may change
        else:
            arguments = self._leaf_arguments(0)
            self.batches = Batches(self.game, techniques, searcher.evaluator, arguments)

    def _memory_of_last(self, rules: Any, nodes: int, count: int, threads: int) -> ReusableTree:
        """What the last search of the same kind has left, since memory already allocated is faster; else new memory."""
        reusable: ReusableTree | None = vars(self.searcher).pop(
            "reusable", None
        )  # in one step: no other thread gets it too
        kind = self.techniques, rules, self.game.players, nodes, count, threads
        if reusable and reusable.kind == kind:
            return reusable
        new = [new_numbers(self.techniques, self.game.players) for _ in range(threads)]
        return ReusableTree(
            kind,
            trees=[new_tree(self.techniques, nodes) for _ in range(count)],
            spare=new_tree(self.techniques, max(2 * FIRST_FREE, nodes // SPARE)),
            numbers=[(tree_memory.base, view(tree_memory)) for tree_memory in new],
        )

    def _number(self, worker: Worker) -> None:
        """Set the numbers that the kernels use, and forget what they have learned."""
        searcher, game, numbers = self.searcher, self.game, worker.reals
        numbers.mean_reward = numbers.squares = 0.0
        worker.numbers["sums"] = 0.0
        numbers.least, numbers.greatest = range_of(game) or (0.0, 0.0)
        numbers.width = 0.0 if self.techniques.spread else numbers.greatest - numbers.least
        numbers.exploration = searcher.constant
        numbers.first_play = (searcher.first_play or 0.0) - draw_utility(game)
        numbers.rave_bias = searcher.rave_bias
        numbers.bias = searcher.bias
        numbers.widening, numbers.widening_power = searcher.widening or (0.0, 0.0)
        numbers.epsilon = searcher.epsilon
        numbers.temperature = searcher.temperature
        numbers.defeat = worst(game) - draw_utility(game)

    def _arguments(self, worker: Worker, index: int, number: int) -> tuple[Any, ...]:
        return (
            self.game,
            self.techniques,
            self.packed,
            index,
            number,
            worker.tree,
            worker.memory,
            worker.numbers,
            worker.random,
        )

    def _leaf_arguments(self, index: int) -> tuple[Any, ...]:
        worker = self.workers[0]
        records = worker.memory[0], worker.numbers[0]
        return self.game, self.techniques, self.packed, index, worker.tree, *records, worker.random

    def all(self) -> None:
        """Search each of the states."""
        for index, state in enumerate(self.results.states):
            if not self.game.is_terminal(state):
                self.one(index, state)
                used = [self._used(tree) for tree in self.trees] if self.searcher.reuse_tree else []
                self.reusable.state, self.reusable.used = state, used
            self.written = max(self.written, self._bytes())
        if self.searcher.reuse_tree or self.written <= MAX_KEPT_BYTES:
            self.searcher.reusable = self.reusable

    def _bytes(self) -> float:
        """The bytes of the trees that this search has written to; the system allocates no memory for the rest."""
        nodes = sum(worker.cells.next - worker.first for worker in self.workers)
        return float(nodes * self.node_bytes + self.table_bytes)

    def one(self, index: int, state: Any) -> None:
        """Search one state until there is a reason to stop."""
        began = reported = time.perf_counter()
        self._begin(index, state)
        done, number, stopped = (
            0,
            FIRST_SLICE if self.searcher.evaluator is None else self.searcher.batch,
            StopReason.COMPLETE,
        )
        while not stopped:
            before = time.perf_counter()
            self._slice(index, min(number, (self.limit.simulations or MAX_SIMULATIONS) - done))
            now = time.perf_counter()
            if self.searcher.evaluator is None:
                target = int(number * min(16.0, max(0.25, SLICE_SECONDS / max(now - before, 1e-9))))
                number = max(1, min(target, MAX_SLICE))  # where memory is full, a slice may end at once
            done = sum(worker.cells.simulations for worker in self.workers)
            stopped = self._stopped(done, now - began)
            if not stopped and any(worker.cells.full for worker in self.workers):
                self._make_room()
            if stopped or now - reported >= (REPORT_SECONDS if reported > began else FIRST_REPORT_SECONDS):
                reported = now
                self._tell(index, state, done, stopped)

    def _begin(self, index: int, state: Any) -> None:
        """Prepare the workers for a new search, with the usable part of the kept tree."""
        used = self._reused(state) or [0] * len(self.trees)
        chooses = self.game.to_move(state) != CHANCE
        self.early = self.may_end_early and chooses and not any(used)  # else earlier visits would decide
        for tree, size in zip(self.trees, used, strict=True):
            if not size:
                self._plant(tree)
        for number, worker in enumerate(self.workers):
            self._number(worker)
            worker.random[:] = new_random(self.searcher.seed + number)
            memory = worker.cells
            memory.nodes = memory.why = memory.leaves = 0
            memory.simulations = memory.deepest_ply = memory.settled = 0
            memory.search = index + 1
            if self.techniques.tablebase:
                worker.memory[0].probe.hits = 0
            memory.max_nodes = self.limit.nodes or 0
            memory.table_mask = len(self.trees[0].table) // 2 - 1
            depth = self.searcher.playout_depth
            memory.max_plies = PLIES if depth is None else depth
            if self.techniques.rave:
                memory.reference_visits = self.searcher.rave_reference
            memory.max_simulations = (self.limit.simulations or MAX_SIMULATIONS) // len(self.workers)
            memory.early = self.early and self.limit.simulations is not None and len(self.workers) == 1
        self._share_out([max(size, FIRST_FREE) for size in used])

    def _plant(self, tree: Tree) -> None:
        """Empty the tree down to a root without children."""
        shares = self.techniques.shares
        place = slice(shares * ROOT, shares * (ROOT + 1))
        tree.first_child[ROOT] = tree.visits[ROOT] = 0
        tree.value_sum[place] = 0.0
        tree.table[:] = 0
        if self.techniques.solver:
            tree.low[place], tree.high[place] = self._range()

    def _reused(self, state: Any) -> list[int]:
        """Take over the part of the kept trees below `state`. Return the number of used nodes in each."""
        used_trees, self.reusable.used = self.reusable.used, ()
        if not used_trees or self.game.repetition == "forbidden":  # other actions are legal after other states
            return []
        return [self._subtree(tree, used, state) for tree, used in zip(self.trees, used_trees, strict=True)]

    def _subtree(self, tree: Tree, used: int, state: Any) -> int:
        """Make the node of `state` the root, if there is a usable one. Return the number of used nodes."""
        key, before = state_key(self.game, state), self.reusable.state
        plies = range(1 + PLIES_AGO * (1 + self.game.has_chance))
        root = next((node for ply in plies if (node := find(self.game, before, ROOT, ply, key, tree))), 0)
        actions = len(list(legal_actions(self.game, state)))
        if not root or not tree.first_child[root] or (self.every and tree.num_children[root] < actions):
            return 0
        used = keep(self.techniques, tree, self.spare, root, used)
        if self.game.repetition and self.techniques.solver:  # what is proved holds only after the states before it
            nodes = slice(self.techniques.shares * used)
            tree.low[nodes], tree.high[nodes] = self._range()
        return used

    def _range(self) -> tuple[float, float]:
        """The lowest and the highest utility."""
        return range_of(self.game) or (-NO_LIMIT, NO_LIMIT)

    def _used(self, tree: Tree) -> int:
        """The number of used nodes of `tree`."""
        return int(max(worker.cells.next for worker in self.workers if worker.tree is tree))

    def _share_out(self, used: list[int]) -> None:
        """Give each worker its share of the free nodes of its tree."""
        for tree, first in zip(self.trees, used, strict=True):
            workers = [worker for worker in self.workers if worker.tree is tree]
            room, parts = len(tree.first_child) - first, len(workers)
            ends = [first + room * part // parts for part in range(parts + 1)]
            for worker, start, end in zip(workers, ends[:-1], ends[1:], strict=True):
                worker.cells.next, worker.cells.end = start, end
                worker.cells.full, worker.first = 0, start

    def _make_room(self) -> None:
        """Forget the least visited nodes. Raises `ValueError` if there is no room for the actions of the root."""
        if any(not tree.first_child[ROOT] for tree in self.trees):
            raise ValueError(
                f"MCTS(memory_mb={self.searcher.memory_mb!r}): no room for all actions of the state; increase it"
            )
        self.written = math.inf  # all of it
        used = [keep(self.techniques, tree, self.spare, ROOT, self._used(tree)) for tree in self.trees]
        self._share_out(used)

    def _slice(self, index: int, number: int) -> None:
        """Run `number` simulations, shared out among the workers."""
        if self.techniques.evaluator:
            self.batches.run(number, self._leaf_arguments(index))
            return
        share, remainder = divmod(number, len(self.workers))
        helpers = [
            threading.Thread(target=self._help, args=self._arguments(worker, index, share + (place < remainder)))
            for place, worker in enumerate(self.workers[1:])
        ]
        for helper in helpers:
            helper.start()
        self.simulate(*self._arguments(self.workers[0], index, share))
        if self.workers[0].cells.why:
            for worker in self.workers[1:]:
                worker.cells.stop = self.workers[0].cells.search
        for helper in helpers:
            helper.join()

    def _help(self, *args: Any) -> None:
        """Simulate in a thread beside the main one."""
        begin()
        self.simulate(*args)

    def _stopped(self, done: int, seconds: float) -> StopReason:
        """The reason to stop now; COMPLETE if there is none."""
        if self.techniques.solver and any(self._is_proved(tree) for tree in self.trees):
            return StopReason.PROVED
        left = time_left(self.limit, seconds)
        stopped = reached(self.limit, max(worker.cells.why for worker in self.workers), done, left)
        if stopped or self.workers[0].cells.settled:
            return stopped or StopReason.SETTLED
        if not self.early or left == math.inf:
            return StopReason.COMPLETE
        more = done * left / max(seconds, 1e-9)
        arguments = self.techniques, self.trees[0], self.workers[0].cells, self.workers[0].reals, more
        return StopReason.SETTLED if is_settled.interpreted(*arguments) else StopReason.COMPLETE

    def _is_proved(self, tree: Tree) -> bool:
        shares = self.techniques.shares
        return bool(
            (tree.low[shares * ROOT : shares * (ROOT + 1)] == tree.high[shares * ROOT : shares * (ROOT + 1)]).all()
        )

    def _tell(self, index: int, state: Any, done: int, stopped: StopReason) -> None:
        """Leave what has been found for the calling thread."""
        numbers = self.workers[0].reals
        least, greatest = numbers.least, numbers.greatest
        opposed = self.techniques.shares == 1  # the range is then that of player 0
        ranges = [(least, greatest)] * self.game.players
        if opposed and len(ranges) > 1:
            ranges[1] = -greatest, -least
        answer = answer_of(
            self.game,
            self.techniques,
            self.trees,
            state,
            ranges=tuple(ranges),
            stopped=StopReason.COMPLETE if stopped in (StopReason.CALLER, StopReason.PROVED) else stopped,
        )
        self.results.write_status(
            index,
            simulations=done,
            nodes=sum(worker.cells.nodes for worker in self.workers),
            depth=max(worker.cells.deepest_ply for worker in self.workers),
            why=max(worker.cells.why for worker in self.workers),
            table_hits=sum(int(worker.memory[0].probe.hits) for worker in self.workers)
            if self.techniques.tablebase
            else 0,
        )
        self.results.answers[index] = answer
