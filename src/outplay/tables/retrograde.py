"""The value of every state, and the distance to the end: backward induction, and retrograde analysis.

Both begin at the ends of the game. A state whose value is known sends it to its predecessors, in rounds.

Backward induction: a state is valued when the values of all its successors have come in. Where play cannot go in
circles, that values all states.

Retrograde analysis, where play can go in circles (Thompson 1986, "Retrograde analysis of certain endgames"; with the
counters of Gasser 1996): a side can force a utility of at least u in

    ends with at least u,    its own states with one such successor,    the other side's with such successors only.

For player 0 the utilities above that of a draw are tried from the greatest down, and for the other side those below it
from the least up. Each round values the states of one distance, and a counter says how many successors of a state of
the other side are not known yet. What neither side can force is a draw by endless play.

The distance is the number of plies to the end: the side that gets more than in a draw takes the shortest way that keeps
the utility, the other one the longest. A draw has none.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, prefetch
from outplay.tables.exchange import Exchange
from outplay.tables.partitions import (
    DEGREE,
    DEGREE_MASK,
    EDGES,
    END,
    KIND,
    LEFT,
    LINE,
    MAX,
    MIN,
    NUMBER_BITS,
    PARTITIONS,
    PLIES,
    QUEUED,
    STATES,
    UNKNOWN,
    Column,
)

MAX_PLIES = 0xFFFE
"""The maximum distance."""
INDUCTION = 0
"""In place of a side: backward induction."""
SENT, ROUND, EDGE = range(3)
"""Rows of spans: of a queue, the states that are sent, the end of those of this round, and the edges of the next state
that are sent."""
WIDTH = 1
"""The numbers of a message: in one, the number of a state in its partition, and a level and plies as in `found`."""
AHEAD = 8
"""How many messages or states ahead the memory is fetched that they need."""
FIRST, GO_ON, OTHER_SIDE, ANEW = range(4)
"""How a pass begins: the first one gives levels their rank; another one begins as the last one of the same side ended,
or with all counters, or without any values but those of ends, too."""


class Pass(NamedTuple):
    """A part of the work: values the states in which a side can force a level, or does backward induction."""

    side: int
    level: int
    begin: int


class Retrograde:
    """Values all states of a graph, where endless play is worth `draw` to player 0.

    Args:
        exchange: for the messages, with the graph, and the team.
        utilities: of player 0, at each level of the graph.
        draw: the utility of player 0 in endless play.

    Attributes:
        utilities: the utilities of player 0 that occur, in ascending order, with that of a draw.
        acyclic: whether play cannot go in circles; known after backward induction.
        passes: what is to do; the first one has begun.
    """

    def __init__(self, exchange: Exchange, utilities: list[float], draw: float) -> None:
        self.exchange, self.graph, self.team = exchange, exchange.graph, exchange.team
        self.utilities: NDArray[np.float64] = np.unique([*utilities, draw])
        self.draw = int(np.searchsorted(self.utilities, draw))
        self._rank = np.full(UNKNOWN + 1, UNKNOWN, np.uint16)
        self._rank[: len(utilities)] = np.searchsorted(self.utilities, utilities)
        self.acyclic, self.passes = False, [Pass(INDUCTION, -1, FIRST)]
        self._pass_on: Any = None
        self.spans = np.zeros((3, PARTITIONS), np.int64)
        self.is_next = True
        """Whether the next round is for the next distance, or for the rest of this one."""
        self.linked, self.begun = np.zeros(PARTITIONS, np.uint8), np.zeros(PARTITIONS, np.uint8)
        """1 for partitions whose edges are sorted, and for those in which the first pass has begun."""

    def start(self) -> None:
        """Add what is needed."""
        graph = self.graph
        graph.drop("places")
        graph.add("first", Column(np.uint32, STATES, extra=2))
        graph.add("predecessors", Column(np.uint32, EDGES))
        graph.columns["found"] = Column(np.int64, STATES, changes=True)
        if graph.is_split and graph.rows["found"].name in graph.saved_names:
            graph.rows["found"] = graph.copy_of("found")
        self.exchange.start(WIDTH)

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        facts = {"passes": self.passes, "is_next": self.is_next, "acyclic": self.acyclic}
        return facts, {"spans": self.spans, "linked": self.linked, "begun": self.begun}

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Go back to a checkpoint."""
        self.passes = [Pass(*fact) for fact in facts["passes"]]
        self.is_next, self.acyclic = facts["is_next"], facts["acyclic"]
        self.spans, self.linked, self.begun = arrays["spans"], arrays["linked"], arrays["begun"]

    def link(self) -> None:
        """Sort the edges."""
        if self.team.over_partitions(self, "link_some", self.linked):
            self.graph.drop("targets", "sources")

    def prepare_link_some(self) -> None:
        """Compile."""
        self._sort_edges = sort_edges.prepare(*self.edges_of(0))

    def edges_of(self, number: int) -> tuple[Any, ...]:
        """The arguments of the kernel that sorts the edges of a partition."""
        graph = self.graph
        columns = [graph[name][number] for name in ("targets", "sources", "first", "predecessors")]
        return (*(int(graph.counts[each, number]) for each in (STATES, EDGES)), *columns)

    def link_some(self, _: int, *span: int) -> None:
        """Sort the edges of some partitions."""
        graph = self.graph
        for number in range(*span):
            self.team.check()
            self._sort_edges(*self.edges_of(number))
            if not graph.is_split:
                for name in "targets", "sources":  # nobody needs them any more
                    graph.rows[name].evict(number, int(graph.counts[EDGES, number]))
            self.linked[number] = 1

    def begin(self) -> None:
        """Begin the first one of `passes`."""
        graph = self.graph
        if not self.begun.any():
            graph.counts[QUEUED] = 0
            graph.add("queue", Column(np.uint32, QUEUED))  # a new one: a checkpoint may need the old one
        if self.team.over_partitions(self, "begin_some", self.begun):
            self.spans[:], self.is_next = 0, True

    def begin_some(self, _: int, first: int, end: int, by: int) -> None:
        """Begin the first one of `passes` in some partitions."""
        graph, (_, level, begin) = self.graph, self.passes[0]
        columns = [graph[name] for name in ("found", "queue")]
        begin_with(first, end, by, level, begin, graph.counts, self.begun, self._rank, *columns)

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and of how much."""
        return "solving", int(self.graph.counts[QUEUED].sum()), self.graph.states

    def step(self) -> bool:
        """A round, or a part of it; whether there is more to do."""
        if not self.linked.all():
            self.link()
            return True
        if not self.begun.all():
            self.begin()
            return True
        graph, exchange, side = self.graph, self.exchange, self.passes[0].side
        if not exchange.run_round(self, "pass_on"):
            return True
        exchange.next_round()
        self.is_next = bool((self.spans[SENT] == self.spans[ROUND]).all())
        if exchange.incoming.counts.any() or (self.spans[SENT] < graph.counts[QUEUED]).any():
            return True
        if side == INDUCTION:
            self.acyclic = bool((graph.counts[QUEUED] == graph.counts[STATES]).all())
            if not self.acyclic:
                self.passes += self.all_passes()
        del self.passes[0]
        self.begun[:] = 0
        return bool(self.passes)

    def prepare_pass_on(self) -> None:
        """Compile, and tell all threads how much they may send."""
        self.budgets = np.full(self.team.size, self.exchange.budget, np.int64)
        if self._pass_on is None:
            self._pass_on = pass_on.prepare(*self.args(0, 0, 0, 1))  # once: it takes a while

    def args(self, thread: int, *span: int) -> tuple[Any, ...]:
        """The arguments of the kernel."""
        graph, exchange = self.graph, self.exchange
        columns = [graph[name] for name in ("found", "queue", "first", "predecessors")]
        return (
            *span, self.passes[0].side, self.draw, self.is_next, graph.counts, exchange.received, self.spans, *columns,
            exchange.incoming.numbers, exchange.incoming.counts, exchange.outgoing.from_sender(thread),
            exchange.outgoing.counts[thread], self.budgets[thread : thread + 1],
        )  # fmt: skip

    def pass_on(self, thread: int, *span: int) -> None:
        """Receive and send values in some partitions."""
        self._pass_on(*self.args(thread, *span))
        self.exchange.evict(thread, range(*span))

    def all_passes(self) -> list[Pass]:
        """What retrograde analysis has to do."""
        found: list[Pass] = []
        for side, levels in ((MAX, range(len(self.utilities) - 1, self.draw, -1)), (MIN, range(self.draw))):
            for level in levels:
                begin = ANEW if not found else GO_ON if found[-1].side == side else OTHER_SIDE
                found.append(Pass(side, level, begin))
        return found


@kernel
def is_better(side: int, level: int, than: int) -> bool:
    """Whether a side prefers one level to another."""
    return bool(level > than if side == MAX else level < than)


@kernel
def sort_edges(states: int, edges: int, targets: Any, sources: Any, first: Any, predecessors: Any) -> None:
    """Sort the edges to a partition by the states that they lead to; `first` says where those of a state begin."""
    target, source, begin, before = pointer(targets), pointer(sources), pointer(first), pointer(predecessors)
    first[: states + 2] = 0
    for edge in range(edges):
        begin[target[edge] + 2] += 1
    for state in range(states):
        begin[state + 2] += begin[state + 1]
    for edge in range(edges):
        place = target[edge] + 1
        before[begin[place]] = source[edge]
        begin[place] += 1


@kernel
def begin_with(
    first: int, last: int, by: int, level: int, begin: int, counts: Any, begun: Any, rank: Any, all_found: Any,
    all_queues: Any,
) -> None:  # fmt: skip
    """Begin the queues of some partitions with all ends of a level, or with all ends if it is -1."""
    for number in range(first, last, by):
        if begun[number] != 0:
            continue
        found, queue, end = pointer(all_found[number]), pointer(all_queues[number]), 0
        for state in range(counts[STATES, number]):
            known = found[state]
            kind, degree = known >> KIND, known >> DEGREE & DEGREE_MASK
            if begin == FIRST:
                found[state] = known & -1 << PLIES | int(rank[known & UNKNOWN])
            elif begin == OTHER_SIDE or (begin == ANEW and kind == END):
                found[state] = known & ~(DEGREE_MASK << LEFT) | degree << LEFT
            elif begin == ANEW:
                found[state] = UNKNOWN | degree << LEFT | degree << DEGREE | kind << KIND
            if kind == END and (level < 0 or found[state] & UNKNOWN == level):
                queue[end] = state
                end += 1
        counts[QUEUED, number] = end
        begun[number] = 1


@kernel
def pass_on(
    first: int, end: int, by: int, side: int, draw: int, is_next: bool, counts: Any, received: Any, spans: Any,
    all_found: Any, all_queues: Any, all_first: Any, all_before: Any, incoming: Any, arrived: Any, outgoing: Any,
    sent: Any, budget: Any,
) -> None:  # fmt: skip
    """Receive the values of successors in some partitions, and send those of the states of this round to their
    predecessors, as far as there is room for messages.
    """
    for number in range(first, end, by):
        if received[number] == 0:
            queued = counts[QUEUED, number]
            for sender in range(len(arrived)):
                queued = receive_values(
                    incoming[sender * PARTITIONS + number], arrived[sender, number], side, draw, all_found[number],
                    all_queues[number], queued,
                )  # fmt: skip
            counts[QUEUED, number] = queued
            if is_next:
                spans[ROUND, number] = queued
            received[number] = 1
        if budget[0] > 0:
            send(
                number, spans, all_queues[number], all_first[number], all_before[number], all_found[number], outgoing,
                sent, budget,
            )  # fmt: skip


@kernel
def send(
    number: int, spans: Any, queued: Any, first: Any, predecessors: Any, all_found: Any, outgoing: Any, sent: Any,
    budget: Any,
) -> None:  # fmt: skip
    """Send the values of the states of this round to their predecessors, as far as there is room for messages."""
    room, done, end, left = outgoing.shape[1], spans[SENT, number], spans[ROUND, number], budget[0]
    queue, begin, before, found, letters, sent_to = (
        pointer(queued), pointer(first), pointer(predecessors), pointer(all_found), pointer(outgoing), pointer(sent),
    )  # fmt: skip
    edge = spans[EDGE, number]
    while done < end:
        state = int(queue[done])
        if done + 2 * AHEAD < end:
            prefetch(found, int(queue[done + 2 * AHEAD]))
            prefetch(begin, int(queue[done + 2 * AHEAD]))
            prefetch(before, int(begin[queue[done + AHEAD]]))
        value = found[state] & 0xFFFF_FFFF
        here, last = int(begin[state]) + edge, int(begin[state + 1])
        while here < last:
            source = int(before[here])
            to = source >> NUMBER_BITS
            at = to * room + sent_to[to]
            if left == 0 or sent_to[to] == room:
                spans[SENT, number], spans[EDGE, number], budget[0] = done, here - int(begin[state]), 0
                return
            letters[at] = (source & (1 << NUMBER_BITS) - 1) << 32 | value
            prefetch(letters, at + LINE)
            sent_to[to] += 1
            left -= 1
            here += 1
        done += 1
        edge = 0
    spans[SENT, number], spans[EDGE, number], budget[0] = done, 0, left


@kernel
def receive_values(mail: Any, count: int, side: int, draw: int, all_found: Any, queued: Any, states: int) -> int:
    """Take the values of successors in, and put the states that are valued by them into the queue, which has `states`;
    how many it has then.
    """
    letters, found, queue = pointer(mail), pointer(all_found), pointer(queued)
    for i in range(count):
        if i + AHEAD < count:
            prefetch(found, letters[i + AHEAD] >> 32)
        state, level, away = letters[i] >> 32, letters[i] & 0xFFFF, letters[i] >> PLIES & 0xFFFF
        known = found[state]
        best, longest, left, kind = known & UNKNOWN, known >> PLIES & 0xFFFF, known >> LEFT & DEGREE_MASK, known >> KIND
        if side != INDUCTION:
            if best != UNKNOWN:
                continue
            left -= 1
            is_valued = kind == side or left == 0
            if is_valued:
                best, longest = level, away + 1
        else:
            if level == best:
                is_first = away < longest if is_better(kind, level, draw) else away > longest
            else:
                is_first = best == UNKNOWN or is_better(kind, level, best)
            if is_first:
                best, longest = level, away
            left -= 1
            is_valued = left == 0
            if is_valued:
                longest = 0 if best == draw else longest + 1
        found[state] = known >> DEGREE << DEGREE | best | longest << PLIES | left << LEFT
        if is_valued:
            queue[states] = state
            states += 1
    return states
