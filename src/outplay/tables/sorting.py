"""The states of all partitions in ascending order of their codes, in chunks that fit into memory.

A chunk has all states from one code on to below another one. Each partition sends its states, as messages, to the
chunks that they belong to; a chunk is sorted when it is needed.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, prefetch
from outplay.rules.errors import OutplayError
from outplay.tables.codec import LEAST, order_of
from outplay.tables.exchange import Exchange
from outplay.tables.file import States
from outplay.tables.partitions import LEAST_ROOM, LINE, PARTITIONS, PLIES, STATES, UNKNOWN

CHUNKS = PARTITIONS
"""The number of chunks."""
SAMPLED = 16
"""The number of partitions from which the codes between chunks are chosen; hashes make all of them alike."""
SAMPLE = 1 << 15
"""How many codes they are chosen from."""
CHUNK_SLACK = 4
"""A chunk has room for this many times the mean. With about 128 codes of the sample in each, it is not half as much."""


class Sorting:
    """Sorts the partitions of a graph whose states are valued; a state without a value has that of `draw`."""

    def __init__(self, exchange: Exchange, levels: int, draw: int) -> None:
        self.exchange, self.graph, self.team, self.draw = exchange, exchange.graph, exchange.team, draw
        self.counts, self.longest = np.zeros((levels, PARTITIONS), np.int64), np.zeros(PARTITIONS, np.int64)
        """The states with each value in each partition, and the most plies there."""
        self.dealt = np.zeros(PARTITIONS, np.uint8)
        """1 for partitions that have sent their states."""
        self.limits = np.full((self.graph.words, CHUNKS), LEAST, np.int64)
        """The code with which each chunk begins."""
        numbers, short = np.zeros(0, np.int64), np.zeros(0, np.uint16)
        self._copy = copy_in_order.prepare(numbers, numbers, numbers, short, short)

    def start(self) -> None:
        """Choose the codes between chunks, add what is needed, and drop what is not."""
        graph = self.graph
        graph.drop(*(name for name in graph.rows if name not in ("codes", "found")))
        spacing = max(1, int(graph.counts[STATES, :SAMPLED].sum()) // SAMPLE)
        sample = np.concatenate([self.codes_in(number)[::spacing] for number in range(SAMPLED)])
        if len(sample):
            self.limits[:, 1:] = sample[order_of(sample)][len(sample) * np.arange(1, CHUNKS) // CHUNKS].T
        self.exchange.start(graph.words + 1, CHUNK_SLACK * graph.states // CHUNKS + LEAST_ROOM)

    def codes_in(self, number: int) -> NDArray[np.int64]:
        """The codes of a partition."""
        graph = self.graph
        codes: NDArray[np.int64] = graph["codes"][number, : graph.counts[STATES, number] * graph.words]
        return codes.reshape(-1, graph.words)

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and of how much."""
        return "sorting", int((self.graph.counts[STATES] * self.dealt).sum()), self.graph.states

    def step(self) -> bool:
        """Let some partitions send their states; whether there are more."""
        over = self.exchange.run_round(self, "deal", self.dealt)
        if over:
            self.graph.drop("codes", "found")
        return not over

    def prepare_deal(self) -> None:
        """Compile."""
        self._deal = deal.prepare(*self.args(0, 0))

    def args(self, thread: int, number: int) -> tuple[Any, ...]:
        """The arguments of the kernel."""
        graph, outgoing = self.graph, self.exchange.outgoing
        return (
            graph.counts[STATES, number], self.draw, graph["codes"][number], graph["found"][number], self.limits,
            outgoing.from_sender(thread), outgoing.counts[thread], self.counts[:, number],
        )  # fmt: skip

    def deal(self, thread: int, *span: int) -> None:
        """Let some partitions send their states."""
        graph = self.graph
        for number in range(*span):
            self.team.check()
            self.longest[number] = self._deal(*self.args(thread, number))
            if self.longest[number] < 0:
                raise OutplayError("the states cannot be sorted: a part of them is much larger than the others")
            self.dealt[number] = 1
            if not graph.is_split:
                for name in "codes", "found":  # nobody needs them any more
                    graph.rows[name].evict(number, int(graph.used(name)[number]))
        self.exchange.evict(thread, range(*span))

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        arrays: dict[str, NDArray[Any]] = {
            "dealt": self.dealt,
            "value_counts": self.counts,
            "longest": self.longest,
            "limits": self.limits,
        }
        return {}, arrays

    def restore(self, _: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Go back to a checkpoint."""
        self.dealt, self.counts, self.longest, self.limits = (
            arrays[name] for name in ("dealt", "value_counts", "longest", "limits")
        )

    def begins(self) -> NDArray[np.int64]:
        """Where each chunk begins, and all of them end."""
        return np.concatenate([[0], np.cumsum(self.exchange.outgoing.counts.sum(axis=0))])

    def chunk(self, number: int, states: States | None = None) -> States:
        """The states of a chunk, in the arrays of `states` if it is given."""
        words, mail = self.graph.words, self.exchange.outgoing
        parts = [
            mail.from_sender(sender)[number, : count * mail.width]
            for sender, count in enumerate(mail.counts[:, number])
        ]
        letters = np.concatenate(parts)
        order = order_of(letters.reshape(-1, mail.width)[:, :words])
        states = states or new_states(len(order), words)
        self._copy(order, letters, states.codes.reshape(-1), states.levels, states.plies)
        return states

    def evict(self, number: int) -> None:
        """Take the states of a chunk out of memory."""
        self.exchange.outgoing.evict(range(number, number + 1))

    def states(self) -> States:
        """All states, in memory."""
        spans, states = list(pairwise(self.begins().tolist())), new_states(self.graph.states, self.graph.words)

        def put(number: int) -> None:
            self.team.check()
            self.chunk(number, States(*(whole[slice(*spans[number])] for whole in states)))
            self.evict(number)

        list(self.team.map(put, range(CHUNKS)))
        return states


def new_states(count: int, words: int) -> States:
    """Room for states."""
    return States(np.empty((count, words), np.int64), np.empty(count, np.uint16), np.empty(count, np.uint16))


@kernel
def copy_in_order(order: Any, all_letters: Any, codes: Any, levels: Any, plies: Any) -> None:
    """Copy the states of messages in order."""
    letters, words = pointer(all_letters), len(codes) // max(1, len(order))
    for place in range(len(order)):
        at = order[place] * (words + 1)
        for word in range(words):
            codes[place * words + word] = letters[at + word]
        levels[place], plies[place] = letters[at + words] & 0xFFFF, letters[at + words] >> PLIES


@kernel
def chunk_of(codes: Any, at: int, words: int, limits: Any) -> int:
    """The number of the chunk that the code at this place belongs to."""
    chunk, half = 0, CHUNKS // 2
    while half > 0:
        word, place = 0, chunk + half
        while word < words - 1 and codes[at + word] == limits[word * CHUNKS + place]:
            word += 1
        chunk += half * int(codes[at + word] >= limits[word * CHUNKS + place])  # a branch would be a guess
        half >>= 1
    return chunk


@kernel
def deal(
    states: int, draw: int, all_codes: Any, all_entries: Any, all_limits: Any, outgoing: Any, sent: Any, counts: Any
) -> int:
    """Send the states of a partition to their chunks, and count those of each level; the most plies, or -1 if a chunk
    is full.
    """
    words, width, pitch, longest = len(all_limits), len(all_limits) + 1, outgoing.shape[1], 0
    codes, entries, limits, letters, sent_to = (
        pointer(all_codes), pointer(all_entries), pointer(all_limits), pointer(outgoing), pointer(sent),
    )  # fmt: skip
    counts[:] = 0
    for state in range(states):
        chunk = chunk_of(codes, state * words, words, limits)
        at = sent_to[chunk] * width
        if at + width > pitch:
            return -1
        at += chunk * pitch
        for word in range(words):
            letters[at + word] = codes[state * words + word]
        level, plies = entries[state] & 0xFFFF, entries[state] >> PLIES & 0xFFFF
        level = draw if level == UNKNOWN else level
        letters[at + words] = level | plies << PLIES
        prefetch(letters, at + LINE)
        sent_to[chunk] += 1
        counts[level] += 1
        longest = max(longest, plies)
    return int(longest)
