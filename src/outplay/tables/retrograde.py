"""The value of every state, and the distance to the end: backward induction, and retrograde analysis.

Both begin at the ends of the game. A state whose value is known sends it to its predecessors, in rounds.

Backward induction: a state is valued when the values of all its successors have come in. Where play cannot go in
circles, that values all states.

Retrograde analysis, where play can go in circles (Thompson 1986, "Retrograde analysis of certain endgames"; with the
counters of Gasser 1996): a side can force a utility of at least u in

    ends with at least u,    its own states with one such successor,    the other side's with such successors only.

The utilities above that of a draw are tried from the greatest down, and at the same time those below it from the least
up. Each round values the states of one distance. A counter says how many successors of a state are not known yet, or
may be no worse than a draw for the side to move: at none, the last one to come in is the best. What neither side can
force is a draw by endless play.

The distance is the number of plies to the end: the side that gets more than in a draw takes the shortest way that keeps
the utility, the other one the longest. A draw has none.

By class (`class_exploration.py`) a state may have a way out into a class that is solved already: a value that comes in
at its distance. The value of a state counts for the side from which it is numbered, so on edges to states of the other
side it is turned: levels are symmetric about a draw.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, prefetch
from outplay.rules.errors import OutplayError
from outplay.tables.exchange import Exchange
from outplay.tables.expansion import SOURCE_BITS, SOURCE_MASK
from outplay.tables.partitions import (
    DEGREE,
    DEGREE_MASK,
    EDGES,
    END,
    EXITS,
    KIND,
    LEFT,
    LINE,
    MAX,
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
NOTHING = -1
"""In place of a level."""
NEVER = 1 << 20
"""More than any distance."""
SENT, ROUND, EDGE, OUT, NEXT = range(5)
"""Rows of spans: of a queue, the states that are sent, the end of those of this round, and the edges of the next state
that are sent; the ways out that have come in, and the distance at which the next one of this pass does."""
WIDTH = 1
"""The numbers of a message: in one, the number of a state in its partition, and a level and plies as in `found`."""
AHEAD = 8
"""How many messages or states ahead the memory is fetched that they need."""
LITTLE = 1 << 13
"""So many messages and states are few."""
FIRST, GO_ON, ANEW = range(3)
"""How a pass begins: the first one gives levels their rank; another one begins as the last one ended, or with all
counters, and without any values but those of ends."""


class Pass(NamedTuple):
    """A part of the work: values the states in which player 0 can force the level `above`, and those in which the other
    side can force the one `below`; or, if there is none, does backward induction.
    """

    above: int
    below: int
    begin: int


INDUCTION = Pass(NOTHING, NOTHING, FIRST)


class Retrograde:
    """Values all states of a graph, where endless play is worth `draw` to player 0.

    Args:
        exchange: for the messages, with the graph, and the team.
        utilities: of player 0, at each level of the graph.
        draw: the utility of player 0 in endless play.
        turned: the bit of the source of an edge that says that values are turned there; 0 for none. Then there are ways
            out, too, and no backward induction.

    Attributes:
        utilities: the utilities of player 0 that occur, in ascending order, with that of a draw.
        acyclic: whether play cannot go in circles; known after backward induction.
        passes: what is to do; the first one has begun.
    """

    def __init__(self, exchange: Exchange, utilities: list[float], draw: float, turned: int = 0) -> None:
        self.exchange, self.graph, self.team = exchange, exchange.graph, exchange.team
        mirrored = [2 * draw - utility for utility in utilities] if turned else []
        self.utilities: NDArray[np.float64] = np.unique([*utilities, *mirrored, draw])
        self.draw = int(np.searchsorted(self.utilities, draw))
        self._rank = np.full(UNKNOWN + 1, UNKNOWN, np.uint16)
        self._rank[: len(utilities)] = np.searchsorted(self.utilities, utilities)
        self.acyclic, self.turned = False, turned
        self.passes = self.all_passes(FIRST) if turned else [INDUCTION]
        self._pass_on: Any = None
        self.spans = np.zeros((5, PARTITIONS), np.int64)
        self.distance = 0
        """That of the states that the next round values."""
        self.is_next = True
        """Whether the next round is for the next distance, or for the rest of this one."""
        self.linked, self.begun = np.zeros(PARTITIONS, np.uint8), np.zeros(PARTITIONS, np.uint8)
        """1 for partitions whose edges are sorted, and for those in which the first pass has begun."""

    def start(self) -> None:
        """Add what is needed."""
        graph = self.graph
        graph.drop(*({"places"} & graph.rows.keys()))
        if self.turned:
            graph.add("ways_out", graph.columns["exits"])
            self.exchange.next_round()
            graph.counts[EDGES] = self.exchange.incoming.counts.sum(axis=0)
        else:
            self.exchange.start(WIDTH)
        graph.add("first", Column(np.uint32, STATES, extra=2))
        graph.add("predecessors", Column(np.uint32, EDGES), int(graph.counts[EDGES].max()))
        graph.columns["found"] = Column(np.int64, STATES, changes=True)
        if graph.is_split and graph.rows["found"].name in graph.saved_names:
            graph.rows["found"] = graph.copy_of("found")

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        facts = {"passes": self.passes, "is_next": self.is_next, "acyclic": self.acyclic, "distance": self.distance}
        return facts, {"spans": self.spans, "linked": self.linked, "begun": self.begun}

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Go back to a checkpoint."""
        self.passes = [Pass(*fact) for fact in facts["passes"]]
        self.is_next, self.acyclic, self.distance = (facts[name] for name in ("is_next", "acyclic", "distance"))
        self.spans, self.linked, self.begun = arrays["spans"], arrays["linked"], arrays["begun"]

    def link(self) -> None:
        """Sort the edges, and the ways out."""
        if self.team.over_partitions(self, "link_some", self.linked):
            self.graph.drop(*({"targets", "sources", "exits"} & self.graph.rows.keys()))
            if self.turned:
                self.exchange.start(WIDTH)

    def prepare_link_some(self) -> None:
        """Compile."""
        self._sort_edges = (sort_messages if self.turned else sort_edges).prepare(*self.edges_of(0))

    def edges_of(self, number: int) -> tuple[Any, ...]:
        """The arguments of the kernel that sorts the edges of a partition."""
        graph, mail = self.graph, self.exchange.incoming
        states, edges = (int(graph.counts[counter, number]) for counter in (STATES, EDGES))
        edge_arrays = graph["first"][number], graph["predecessors"][number]
        if self.turned:
            return states, mail.numbers[number::PARTITIONS], mail.counts[:, number], *edge_arrays
        return states, edges, graph["targets"][number], graph["sources"][number], *edge_arrays

    def link_some(self, _: int, *span: int) -> None:
        """Sort the edges of some partitions."""
        graph = self.graph
        for number in range(*span):
            self.team.check()
            self.linked[number] = 1
            if not graph.counts[STATES, number]:
                continue
            self._sort_edges(*self.edges_of(number))
            before = {
                name: int(graph.used(name)[number]) for name in ("targets", "sources", "exits") if name in graph.rows
            }
            if self.turned:
                self.sort_exits(number)
            if not graph.is_split and not graph.is_small:  # nobody needs them any more
                for name, count in before.items():
                    graph.rows[name].evict(number, count)
                if self.turned:
                    self.exchange.incoming.evict(range(number, number + 1))

    def sort_exits(self, number: int) -> None:
        """Put the ways out of a partition in the order in which they come in; those to draws never do."""
        counts, last = self.graph.counts[EXITS], len(self.utilities) - 1
        exits = self.graph["exits"][number, : counts[number]]
        levels = self._rank[exits & UNKNOWN].astype(np.int64)
        exits, levels = (column[levels != self.draw] for column in (exits, levels))
        order = np.argsort((exits >> PLIES).astype(np.uint16), kind="stable")  # short integers by their digits
        order = order[np.argsort(np.minimum(levels, last - levels)[order].astype(np.uint8), kind="stable")]
        counts[number] = len(order)
        self.graph["ways_out"][number, : len(order)] = (exits & ~UNKNOWN | levels)[order]

    def begin(self) -> None:
        """Begin the first one of `passes`."""
        graph = self.graph
        if not self.begun.any():
            graph.counts[QUEUED] = 0
            graph.add("queue", Column(np.uint32, QUEUED))  # a new one: a checkpoint may need the old one
        if self.team.over_partitions(self, "begin_some", self.begun):
            self.spans[:OUT], self.is_next, self.distance = 0, True, 0

    def begin_some(self, _: int, first: int, end: int, by: int) -> None:
        """Begin the first one of `passes` in some partitions."""
        graph, columns = self.graph, [self.graph[name] for name in ("found", "queue")]
        begin_with(first, end, by, *self.passes[0], graph.counts, self.begun, self._rank, *columns)

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and of how much."""
        return "solving", int(self.graph.counts[QUEUED].sum()), self.graph.states

    def step(self) -> bool:
        """A round, or a part of it; whether there is more to do."""
        if not self.linked.all():
            self.link()
            return True
        if not self.passes:
            return False  # all of a class are draws
        if not self.begun.all():
            self.begin()
            return True
        graph, exchange = self.graph, self.exchange
        if not exchange.run_round(self, "pass_on"):
            return True
        exchange.next_round()
        self.is_next = bool((self.spans[SENT] == self.spans[ROUND]).all())
        self.distance += self.is_next
        if self.turned and self.distance > MAX_PLIES:
            raise OutplayError(f"a class has games of more than {MAX_PLIES:,} plies")
        if exchange.incoming.counts.any() or (self.spans[SENT] < graph.counts[QUEUED]).any():
            return True
        if (following := int(self.spans[NEXT].min())) < NEVER:
            self.distance = following
            return True
        if self.passes[0] == INDUCTION:
            self.acyclic = bool((graph.counts[QUEUED] == graph.counts[STATES]).all())
            if not self.acyclic:
                self.passes += self.all_passes(ANEW)
        del self.passes[0]
        self.begun[:] = 0
        return bool(self.passes)

    @property
    def is_little(self) -> bool:
        """Whether threads would cost more time than the round takes."""
        left = (self.graph.counts[QUEUED] - self.spans[SENT]).sum() + self.exchange.incoming.counts.sum()
        return bool(self.begun.all() and left < LITTLE)

    def prepare_pass_on(self) -> None:
        """Compile, and tell all threads how much they may send."""
        self.budgets = np.full(self.team.size, self.exchange.budget, np.int64)
        if self._pass_on is None:
            self._pass_on = pass_on.prepare(*self.args(0, 0, 0, 1))  # once: it takes a while

    def args(self, thread: int, *span: int) -> tuple[Any, ...]:
        """The arguments of the kernel."""
        graph, exchange = self.graph, self.exchange
        columns = [graph[name] for name in ("found", "queue", "first", "predecessors")]
        ways_out = graph["ways_out"] if self.turned else np.zeros((PARTITIONS, 0), np.int64)
        above, below, _ = self.passes[0]
        return (
            *span, above, below, self.draw, len(self.utilities) - 1, self.turned, self.distance if self.is_next else -1,
            graph.counts, exchange.received, self.spans, *columns, ways_out, exchange.incoming.numbers,
            exchange.incoming.counts, exchange.outgoing.from_sender(thread), exchange.outgoing.counts[thread],
            self.budgets[thread : thread + 1],
        )  # fmt: skip

    def pass_on(self, thread: int, *span: int) -> None:
        """Receive and send values in some partitions."""
        self._pass_on(*self.args(thread, *span))
        self.exchange.evict(thread, range(*span))

    def all_passes(self, begin: int) -> list[Pass]:
        """What retrograde analysis has to do, of which the first part begins so."""
        last = len(self.utilities) - 1
        passes = [
            Pass(last - i if last - i > self.draw else NOTHING, i if i < self.draw else NOTHING, GO_ON)
            for i in range(max(self.draw, last - self.draw))
        ]
        return [pass_._replace(begin=GO_ON if i else begin) for i, pass_ in enumerate(passes)]


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
def sort_messages(states: int, mail: Any, arrived: Any, first: Any, predecessors: Any) -> None:
    """The same, where the edges are messages from several senders."""
    begin, before = pointer(first), pointer(predecessors)
    first[: states + 2] = 0
    for sender in range(len(arrived)):
        for edge in range(arrived[sender]):
            begin[(mail[sender, edge] >> SOURCE_BITS) + 2] += 1
    for state in range(states):
        begin[state + 2] += begin[state + 1]
    for sender in range(len(arrived)):
        for edge in range(arrived[sender]):
            place = int(mail[sender, edge] >> SOURCE_BITS) + 1
            before[begin[place]] = mail[sender, edge] & SOURCE_MASK
            begin[place] += 1


@kernel
def begin_with(
    first: int, last: int, by: int, above: int, below: int, begin: int, counts: Any, begun: Any, rank: Any,
    all_entries: Any, all_queues: Any,
) -> None:  # fmt: skip
    """Begin the queues of some partitions with all ends of these levels, or with all ends if both are `NOTHING`."""
    for number in range(first, last, by):
        if begun[number] != 0:
            continue
        entries, queue, end = pointer(all_entries[number]), pointer(all_queues[number]), 0
        for state in range(counts[STATES, number]):
            entry = entries[state]
            kind, degree = entry >> KIND, entry >> DEGREE & DEGREE_MASK
            if begin == FIRST:
                entries[state] = entry & -1 << PLIES | int(rank[entry & UNKNOWN])
            elif begin == ANEW and kind == END:
                entries[state] = entry & ~(DEGREE_MASK << LEFT) | degree << LEFT
            elif begin == ANEW:
                entries[state] = UNKNOWN | degree << LEFT | degree << DEGREE | kind << KIND
            level = entries[state] & UNKNOWN
            if kind == END and (level in (above, below) or above == below):
                queue[end] = state
                end += 1
        counts[QUEUED, number] = end
        begun[number] = 1


@kernel
def pass_on(
    first: int, end: int, by: int, above: int, below: int, draw: int, last: int, turned: int, distance: int,
    counts: Any, received: Any, spans: Any, all_entries: Any, all_queues: Any, all_first: Any, all_before: Any,
    ways_out: Any, incoming: Any, arrived: Any, outgoing: Any, sent: Any, budget: Any,
) -> None:  # fmt: skip
    """Receive the values of successors in some partitions, and send those of the states of this round to their
    predecessors, as far as there is room for messages. `distance` is -1 if it is the rest of a round.
    """
    is_induction = above == below
    for number in range(first, end, by):
        if received[number] == 0:
            queued = counts[QUEUED, number]
            for sender in range(len(arrived)):
                queued = receive_values(
                    incoming[sender * PARTITIONS + number], 0, arrived[sender, number], is_induction, draw,
                    all_entries[number], all_queues[number], queued,
                )  # fmt: skip
            if distance >= 0:
                out = spans[OUT, number]
                away = find_exits(ways_out[number], number, above, below, distance, counts, spans)
                queued = receive_values(
                    ways_out[number], out, spans[OUT, number], False, draw, all_entries[number], all_queues[number],
                    queued,
                )  # fmt: skip
                spans[NEXT, number], spans[ROUND, number] = away, queued
            counts[QUEUED, number] = queued
            received[number] = 1
        if budget[0] > 0:
            send(
                number, last, turned, spans, all_queues[number], all_first[number], all_before[number],
                all_entries[number], outgoing, sent, budget,
            )  # fmt: skip


@kernel
def find_exits(ways_out: Any, number: int, above: int, below: int, distance: int, counts: Any, spans: Any) -> int:
    """Move past the ways out of a partition that come in at this distance; the distance of the next one."""
    while spans[OUT, number] < counts[EXITS, number]:
        level, away = ways_out[spans[OUT, number]] & 0xFFFF, (ways_out[spans[OUT, number]] >> PLIES & 0xFFFF) + 1
        if level not in (above, below):
            return NEVER
        if away > distance:
            return int(away)
        spans[OUT, number] += 1
    return NEVER


@kernel
def send(
    number: int, last: int, turned: int, spans: Any, queued: Any, first: Any, predecessors: Any, all_entries: Any,
    outgoing: Any, sent: Any, budget: Any,
) -> None:  # fmt: skip
    """Send the values of the states of this round to their predecessors, as far as there is room for messages."""
    room, done, end, left = outgoing.shape[1], spans[SENT, number], spans[ROUND, number], budget[0]
    queue, begin, before, entries, letters, sent_to = (
        pointer(queued), pointer(first), pointer(predecessors), pointer(all_entries), pointer(outgoing), pointer(sent),
    )  # fmt: skip
    edge, mask = spans[EDGE, number], (1 << NUMBER_BITS) - 1 ^ turned
    while done < end:
        state = int(queue[done])
        if done + 2 * AHEAD < end:
            prefetch(entries, int(queue[done + 2 * AHEAD]))
            prefetch(begin, int(queue[done + 2 * AHEAD]))
            prefetch(before, int(begin[queue[done + AHEAD]]))
        value = entries[state] & 0xFFFF_FFFF
        mirrored = value + last - 2 * (value & 0xFFFF)
        here, stop = int(begin[state]) + edge, int(begin[state + 1])
        while here < stop:
            source = int(before[here])
            to = source >> NUMBER_BITS
            at = to * room + sent_to[to]
            if left == 0 or sent_to[to] == room:
                spans[SENT, number], spans[EDGE, number], budget[0] = done, here - int(begin[state]), 0
                return
            letters[at] = (source & mask) << 32 | (mirrored if source & turned else value)
            prefetch(letters, at + LINE)
            sent_to[to] += 1
            left -= 1
            here += 1
        done += 1
        edge = 0
    spans[SENT, number], spans[EDGE, number], budget[0] = done, 0, left


@kernel
def receive_values(
    mail: Any, begin: int, end: int, is_induction: bool, draw: int, all_entries: Any, queued: Any, states: int
) -> int:
    """Take the values of successors in, and put the states that are valued by them into the queue, which has `states`;
    how many it has then.
    """
    letters, entries, queue = pointer(mail), pointer(all_entries), pointer(queued)
    for i in range(begin, end):
        if i + AHEAD < end:
            prefetch(entries, letters[i + AHEAD] >> 32)
        state, level, away = letters[i] >> 32, letters[i] & 0xFFFF, letters[i] >> PLIES & 0xFFFF
        entry = entries[state]
        best, longest, left, kind = entry & UNKNOWN, entry >> PLIES & 0xFFFF, entry >> LEFT & DEGREE_MASK, entry >> KIND
        if not is_induction:
            if best != UNKNOWN:
                continue
            left -= 1
            is_valued = (kind == MAX) == (level > draw) or left == 0
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
        entries[state] = entry >> DEGREE << DEGREE | best | longest << PLIES | left << LEFT
        if is_valued:
            queue[states] = state
            states += 1
    return states
