"""The states of all partitions in ascending order of their codes, in chunks that fit into memory.

Each partition is sorted; a chunk has the states between two codes, which are one piece of each partition.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.tables.discovery import UNKNOWN
from outplay.tables.file import States, place_of
from outplay.tables.merging import order_of
from outplay.tables.partitions import PARTITIONS, STATES, Column, Partitions
from outplay.tables.retrograde import PLIES
from outplay.tables.teams import Team

CHUNK = 1 << 20
"""The mean number of states of a chunk in files, and"""
SMALL_CHUNK = 1 << 18
"""in memory, where a chunk that fits into the cache is sorted faster."""
SAMPLED = 16
"""The number of partitions from which the codes between chunks are chosen; hashes make all of them alike."""
SPACING = 256
"""Of their codes, every so many are taken."""
ORDERED = "ordered_codes", "ordered_levels", "ordered_plies"
"""The columns in order."""


class Sorting:
    """Sorts the partitions of a graph whose states are valued; a state without a value has that of `draw`."""

    def __init__(self, graph: Partitions, levels: int, draw: int, team: Team) -> None:
        self.graph, self.draw, self.team = graph, draw, team
        self.counts, self.longest = np.zeros((levels, PARTITIONS), np.int64), np.zeros(PARTITIONS, np.int64)
        """The states with each value in each partition, and the most plies there."""
        self.ordered = np.zeros(PARTITIONS, np.uint8)
        """1 for partitions that are sorted."""

    def start(self) -> None:
        """Add what is needed, and drop what is not."""
        graph = self.graph
        graph.drop(*(name for name in graph.rows if name not in ("codes", "found")))
        for name, kind, width in zip(ORDERED, (np.int64, np.uint16, np.uint16), (graph.words, 1, 1), strict=True):
            graph.add(name, Column(kind, STATES, width))

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and of how much."""
        return "sorting", int((self.graph.counts[STATES] * self.ordered).sum()), self.graph.states

    def step(self) -> bool:
        """Sort some partitions; whether there are more."""
        over = self.team.over_partitions(self, "sort", self.ordered)
        if over:
            self.graph.drop("codes", "found")
        return not over

    def prepare_sort(self) -> None:
        """Compile."""
        self._copy = copy_in_order.prepare(*self.args(0, order_of(self.codes_in(0))))

    def codes_in(self, number: int) -> NDArray[np.int64]:
        """The codes of a partition as they were found."""
        graph = self.graph
        codes: NDArray[np.int64] = graph["codes"][number, : graph.counts[STATES, number] * graph.words]
        return codes.reshape(-1, graph.words)

    def args(self, number: int, order: NDArray[np.int64]) -> tuple[Any, ...]:
        """The arguments of the kernel."""
        columns = [self.graph[name][number] for name in ("codes", "found", *ORDERED)]
        return order, self.graph.words, self.draw, *columns, self.counts[:, number]

    def sort(self, _: int, *span: int) -> None:
        """Sort some partitions."""
        graph = self.graph
        for number in range(*span):
            self.team.check()
            self.longest[number] = self._copy(*self.args(number, order_of(self.codes_in(number))))
            if not graph.is_split:
                for name in "codes", "found":  # nobody needs them any more
                    graph.rows[name].evict(number, int(graph.used(name)[number]))
            self.ordered[number] = 1

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        return {}, {"ordered": self.ordered, "value_counts": self.counts, "longest": self.longest}

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Go back to a checkpoint."""
        self.ordered, self.counts, self.longest = (arrays[name] for name in ("ordered", "value_counts", "longest"))

    def bounds(self) -> NDArray[np.int64]:
        """Where the chunks begin in each partition, and end in it; shape (chunks + 1, PARTITIONS)."""
        graph, counts = self.graph, self.graph.counts[STATES]
        chunks = -(-graph.states // (CHUNK if graph.is_split else SMALL_CHUNK))
        sample = np.concatenate([self.codes(number, 0, int(counts[number]))[::SPACING] for number in range(SAMPLED)])
        sample = sample[order_of(sample)]
        limits = [tuple(sample[len(sample) * i // chunks].tolist()) for i in range(1, chunks)] if len(sample) else []
        found = np.zeros((len(limits) + 2, PARTITIONS), np.int64)
        for number in range(PARTITIONS):
            codes = self.codes(number, 0, int(counts[number]))
            for i, limit in enumerate(limits, 1):
                found[i, number] = place_of(codes, limit) + 1
            graph.evict(number)
        found[-1] = counts
        return found

    def codes(self, number: int, begin: int, end: int) -> NDArray[np.int64]:
        """Codes of a partition, in order."""
        words = self.graph.words
        found: NDArray[np.int64] = self.graph["ordered_codes"][number, begin * words : end * words]
        return found.reshape(-1, words)

    def chunk(self, spans: NDArray[np.int64]) -> States:
        """The states of a chunk: those from `spans[0, i]` on, to below `spans[1, i]`, of each partition i."""
        graph, parts = self.graph, [(number, *span) for number, span in enumerate(spans.T.tolist())]
        codes = np.concatenate([self.codes(*part) for part in parts])
        values, plies = (
            np.concatenate([graph[name][number, begin:end] for number, begin, end in parts])
            for name in ("ordered_levels", "ordered_plies")
        )
        order = order_of(codes)
        return States(codes[order], values[order], plies[order])

    def states(self) -> States:
        """All states, in memory."""
        bounds, graph = self.bounds(), self.graph
        found = States(
            np.empty((graph.states, graph.words), np.int64),
            np.empty(graph.states, np.uint16),
            np.empty(graph.states, np.uint16),
        )
        begins = bounds.sum(axis=1)

        def put(i: int) -> None:
            self.team.check()
            for whole, piece in zip(found, self.chunk(bounds[i : i + 2]), strict=True):
                whole[begins[i] : begins[i + 1]] = piece

        list(self.team.map(put, range(len(bounds) - 1)))
        return found


@kernel
def copy_in_order(
    order: Any, words: int, draw: int, codes: Any, found: Any, ordered_codes: Any, levels: Any, plies: Any, counts: Any
) -> int:
    """Copy the states of a partition in order, and count those of each level; the most plies."""
    longest = 0
    counts[:] = 0
    for place in range(len(order)):
        state = order[place]
        for word in range(words):
            ordered_codes[place * words + word] = codes[state * words + word]
        level, away = found[state] & 0xFFFF, found[state] >> PLIES & 0xFFFF
        levels[place], plies[place] = draw if level == UNKNOWN else level, away
        counts[levels[place]] += 1
        longest = max(longest, away)
    return int(longest)
