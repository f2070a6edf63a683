"""The states of all partitions in ascending order of their codes, in chunks that fit into memory.

Each partition is sorted; a chunk has the states between two codes, which are one piece of each partition.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.tables.discovery import UNKNOWN
from outplay.tables.file import States, place_of
from outplay.tables.merging import order_of
from outplay.tables.partitions import PARTITIONS, STATES, Column, Partitions
from outplay.tables.teams import Team

CHUNK = 1 << 20
"""The mean number of states of a chunk."""
SAMPLED = 16
"""The number of partitions from which the codes between chunks are chosen; hashes make all of them alike."""
SPACING = 256
"""Of their codes, every so many are taken."""
COPIES = {"codes": "ordered_codes", "values": "ordered_values", "plies": "ordered_plies"}
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
        graph.drop(*(name for name in graph.rows if name not in COPIES))
        for name, copy in COPIES.items():
            column = graph.columns[name]
            graph.add(copy, Column(column.kind, STATES, column.width))

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and of how much."""
        return "sorting", int((self.graph.counts[STATES] * self.ordered).sum()), self.graph.states

    def step(self) -> bool:
        """Sort some partitions; whether there are more."""
        over = self.team.over_partitions(self, "sort", self.ordered)
        if over:
            self.graph.drop(*COPIES)
        return not over

    def sort(self, _: int, *span: int) -> None:
        """Sort some partitions."""
        graph = self.graph
        for number in range(*span):
            self.team.check()
            count = int(graph.counts[STATES, number])
            codes = graph["codes"][number, : count * graph.words].reshape(count, graph.words)
            order = order_of(codes)
            values = graph["values"][number, :count][order]
            graph["ordered_codes"][number, : codes.size] = codes[order].reshape(-1)
            graph["ordered_values"][number, :count] = np.where(values == UNKNOWN, self.draw, values)
            graph["ordered_plies"][number, :count] = graph["plies"][number, :count][order]
            if not graph.is_split:
                for name in COPIES:  # nobody needs them any more
                    graph.rows[name].evict(number, int(graph.used(name)[number]))
            self.counts[:, number] = np.bincount(graph["ordered_values"][number, :count], minlength=len(self.counts))
            self.longest[number] = graph["ordered_plies"][number, :count].max(initial=0)
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
        chunks = -(-graph.states // CHUNK)
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
            for name in ("ordered_values", "ordered_plies")
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
