"""All states that can be reached: the successors of each state, until there are no new ones.

In each round a partition receives the codes of successors, finds each one in its hash table or adds it, and then
expands its new states: it sends the code of each successor to the partition of that. A state that has a cell which the
codec cannot encode ends the round; all goes back to its begin, and on with a wider codec.

Which thread found a state first makes no difference to a table: in the end its states are sorted.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pack, pointer, prefetch, unpack
from outplay.compile.records import Layout, Record, new_record
from outplay.engine.workspace import must_stop
from outplay.rules.constant_sum import friends_of, is_opposed, team_members
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.system.rows import Rows
from outplay.tables.codec import WORDS, Codec, Range, hash_of, translate_one
from outplay.tables.exchange import Exchange
from outplay.tables.expansion import (
    DONE,
    LAYOUT,
    NEW_UTILITY,
    OUT_OF_RANGE,
    SOURCE_BITS,
    SOURCE_MASK,
    TOO_MANY,
    Values,
    code_of,
    expand,
    partition_of,
    raise_fault,
)
from outplay.tables.partitions import CHANCES, EDGES, EXPANDED, NUMBER_BITS, PARTITIONS, PLACES, STATES, Column, Mail
from outplay.tables.payoffs import check_compiles, speakers
from outplay.tables.ranges import seen_codec
from outplay.tables.sizes import MAX_DEGREE, MAX_LEVELS

NO_SOURCE = -1
"""In place of the source of an edge: a state to start from."""
NUMBER_MASK, TAG_MASK, TAG_SHIFT = (1 << NUMBER_BITS) - 1, (1 << 32) - (1 << NUMBER_BITS), 31
"""A place of the hash table has the number of a state, from 1 on, and above that the tag, some bits of the hash: most
codes that differ are told apart without a look at them.
"""
FIRST_PLACES = 64
"""The places of a new hash table, a power of two."""
AHEAD = 8
"""How many messages ahead the code in the hash table is fetched, and its place as many before that."""


class Needs(Exception):
    """A class cannot be solved before another one, whose number this has."""


class Exploration:
    """The first stage of a table: finds states and the edges between them.

    Args:
        game: the game.
        exchange: for the messages, with the graph that is to be found and the team.
        memory: the layout of what each thread needs.

    Attributes:
        utilities: the different utilities in the order of discovery; levels are their indices.
    """

    kernel: kernel[..., int]
    """What explores some partitions."""
    max_levels = MAX_LEVELS
    wide: Sequence[Any] = ()
    """What ends a step, which begins anew then."""

    def __init__(self, game: Game, exchange: Exchange, memory: Layout) -> None:
        self.game, self.exchange, self.graph, self.team = game, exchange, exchange.graph, exchange.team
        self.utilities: list[float] = []
        self._explore: Any = None
        self.memories = [new_record(memory, ("utility",)) for _ in range(self.team.size)]
        for record in self.memories:
            record.search = 1

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, how much of it is done, and of how much so far."""
        return "finding", self.graph.expanded, self.graph.states

    def start(self) -> None:
        """Begin."""
        raise NotImplementedError

    def args(self, thread: int, *span: int) -> tuple[Any, ...]:
        """The arguments of the kernel."""
        raise NotImplementedError

    def too_much(self) -> OutplayError:
        """An error that says that states have too many actions or values."""
        raise NotImplementedError

    def step(self) -> bool:
        """A round, or a part of it; whether there is more to do."""
        graph, exchange = self.graph, self.exchange
        if not self.has_room():
            raise graph.too_many()
        over = exchange.run_round(self, "explore") and not self.wide
        if over:
            exchange.next_round()
        return not over or bool(exchange.incoming.counts.any()) or graph.expanded < graph.states

    def prepare_explore(self) -> None:
        """Compile, and tell all threads how much they may send."""
        mail = self.exchange.outgoing
        for memory, most in zip(self.memories, mail.counts.max(axis=1), strict=False):
            memory.budget, memory.room = self.exchange.budget, mail.room - MAX_DEGREE
            if most > memory.room:
                memory.budget = 0
        if self._explore is None:
            self._explore = self.kernel.prepare(*self.args(0, 0, 0, 1))  # once: it takes a while

    def has_room(self) -> bool:
        """Whether there is room for all that is going to arrive."""
        return self.graph.has_room(self.exchange.incoming.counts.sum(axis=0))

    def learn(self, memory: Record) -> None:
        """Give all utilities to a thread, with the one that it has found."""
        with self.team.lock:
            self.add_utility(float(memory.new_utility))
            self.team.agree()
            self.tell(memory)

    def add_utility(self, utility: float) -> None:
        """Add a utility, if it is new."""
        if utility not in self.utilities:
            self.utilities.append(utility)
        if len(self.utilities) > self.max_levels:
            raise self.too_much()

    def tell(self, memory: Record) -> None:
        """Give all utilities to a thread."""
        memory.utility[: len(self.utilities)] = self.utilities
        memory.levels = len(self.utilities)

    def stop(self) -> None:
        """End `explore`."""
        for memory in self.memories:
            memory.stop = -1


class CodeExploration(Exploration):
    """Finds the states that can be reached from `states`.

    Args:
        game: a game whose rules compile.
        states: where to start.
        exchange: for the messages, with the graph that is to be found and the team.

    Attributes:
        codec: the form of codes.

    Raises `RulesError` if the rules do not compile, and `OutplayError` if a state does not fit into a code, or there
    are too many.
    """

    def __init__(self, game: Game, states: list[Any], exchange: Exchange) -> None:
        super().__init__(game, exchange, LAYOUT)
        self.kernel = explore
        self.packed, self.count = pack(game, states), len(states)
        self.wide: list[list[int]] = []
        """The cells of states that the codec cannot encode, found in this step."""
        vectors = not is_opposed(game)
        self.values = Values(chance=game.has_chance, vectors=vectors, has_payoffs=game.has_chance or vectors)
        self.speakers = np.array(speakers(game), np.int64)
        self.sides = np.zeros(game.players, np.int64)
        """The side of each player; of two sides, the first is that of player 0."""
        for side, team in enumerate(team_members(game)):
            self.sides[team] = side if vectors else 0 if friends_of(game) >> team[0] & 1 else 1
        self.use(seen_codec(game, self.packed, self.count))

    def use(self, codec: Codec) -> None:
        """Use a codec from now on."""
        self.codec, self.records = codec, [codec.record() for _ in self.memories]

    def start(self) -> None:
        """Begin with the states to start from."""
        graph = self.graph
        codes = np.zeros((self.count, WORDS), np.int64)
        partitions = np.zeros(self.count, np.int64)
        args = self.game, self.values, self.packed, self.count
        prepared = encode_starts.prepare(*args, self.records[0], codes, partitions)
        check_compiles(self.game)  # only now is it known
        while not prepared(*args, self.records[0], codes, partitions):
            self.use(self.widened([cells_in(self.records[0])]))
        graph.words = self.codec.words
        graph.begin(self.columns())
        graph.counts[PLACES] = FIRST_PLACES
        self.exchange.start(self.codec.words + 1)
        mail, width = self.exchange.incoming, self.codec.words + 1
        if self.count > mail.room:
            raise OutplayError(f"{self.count:,} states to start from are too many: give at most {mail.room:,}")
        for code, to in zip(codes, partitions, strict=True):
            at = int(mail.counts[0, to]) * width
            mail.numbers[to, at : at + width] = NO_SOURCE, *code[: self.codec.words]
            mail.counts[0, to] += 1

    def columns(self) -> dict[str, Column]:
        """The columns of the graph besides those of all tables."""
        columns = {"codes": Column(np.int64, STATES, self.graph.words)}
        columns["places"] = Column(np.uint32, PLACES, is_saved=False)
        if self.values.has_payoffs:
            columns["payoffs"] = Column(np.float64, EXPANDED, len(self.speakers))  # at ends, of each side
            columns["ordinals"] = Column(np.uint16, EDGES)  # which of the edges from its state each edge is
        if self.values.chance:
            columns["chances"] = Column(np.float64, CHANCES)  # of each edge from a state of the partition
        return columns

    def step(self) -> bool:
        """A round, or a part of it; whether there is more to do."""
        graph, exchange, self.wide = self.graph, self.exchange, []
        before = graph.counts.copy(), exchange.received.copy(), exchange.outgoing.counts.copy()
        there_is_more = super().step()
        if self.wide:
            graph.counts[:], exchange.received[:], exchange.outgoing.counts[:] = before
            self.widen()
        return there_is_more

    def args(self, thread: int, *span: int) -> tuple[Any, ...]:
        """The arguments of the kernel."""
        graph, exchange, none = self.graph, self.exchange, np.zeros((PARTITIONS, 0))
        ordinals = graph["ordinals"] if self.values.has_payoffs else none
        payoffs = graph["payoffs"] if self.values.has_payoffs else none
        chances = graph["chances"] if self.values.chance else none
        return (
            self.game, self.values, self.speakers, self.sides, self.records[thread], self.memories[thread], *span,
            graph.counts, exchange.received, graph["codes"], graph["found"], graph["places"], graph["targets"],
            graph["sources"], ordinals, payoffs, chances, exchange.incoming.numbers, exchange.incoming.counts,
            exchange.outgoing.from_sender(thread), exchange.outgoing.counts[thread],
        )  # fmt: skip

    def explore(self, thread: int, *span: int) -> None:
        """Work on some partitions."""
        record, memory = self.records[thread], self.memories[thread]
        while not self.wide:
            why = self._explore(*self.args(thread, *span))
            raise_fault(self.game, int(memory.why))
            if why == OUT_OF_RANGE:
                self.wide.append(cells_in(record))
            elif why == NEW_UTILITY:
                self.learn(memory)
            elif why == TOO_MANY:
                raise self.too_much()
            else:
                break
        self.exchange.evict(thread, range(*span))

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        codec = {"cells": self.codec.cells, "count": self.codec.count}
        return {**codec, "utilities": self.utilities}, {}

    def restore(self, facts: dict[str, Any], _: dict[str, NDArray[Any]]) -> None:
        """Use what was saved."""
        if (facts["cells"], facts["count"]) != (self.codec.cells, self.codec.count):
            self.use(Codec([Range(*fact) for fact in facts["cells"]], Range(*facts["count"])))
        self.utilities = facts["utilities"]
        for memory in self.memories:
            self.tell(memory)

    def too_much(self) -> OutplayError:
        """An error that says that states have too many actions or values."""
        return OutplayError(
            f"{self.game!r} has a state with more than {MAX_DEGREE} actions, or more than {MAX_LEVELS} different"
            " utilities: too many for a table"
        )

    def widened(self, wide: list[list[int]]) -> Codec:
        """A codec that can encode states with these cells, too."""
        codec = self.codec
        for cells in wide:
            codec = codec.widen(cells)
        return codec

    def widen(self) -> None:
        """Use a codec that can encode the states of `wide`, too, for all codes so far."""
        graph, exchange, old = self.graph, self.exchange, self.records[0]
        self.use(self.widened(self.wide))
        old_codes, old_column = graph.rows["codes"], graph.columns["codes"]
        graph.words = self.codec.words
        graph.add("codes", old_column._replace(width=graph.words))
        self.translate(old_codes, graph.rows["codes"], graph.counts[STATES], 0, old)
        for name in "incoming", "outgoing":
            mail = getattr(exchange, name)
            renewed = Mail(graph.words + 1, mail.senders, mail.room, graph.new_path("mail"))
            renewed.counts[:] = mail.counts
            self.translate(mail.rows, renewed.rows, mail.counts.reshape(-1), 1, old)
            setattr(exchange, name, renewed)
        graph.counts[PLACES] = 0  # the hash tables are made anew

    def translate(self, rows: Rows, new: Rows, counts: NDArray[np.int64], before: int, old: Record) -> None:
        """Write the codes of all rows in the codec of now, each after `before` numbers that stay."""
        step = 16 if self.graph.is_split else len(counts)

        def args(begin: int) -> tuple[Any, ...]:
            part = slice(begin, begin + step)
            return rows.numbers[part], counts[part], before, old, self.records[0], new.numbers[part]

        run = translate_rows.prepare(*args(0))
        for begin in range(0, len(counts), step):
            run(*args(begin))
            for row in range(begin, begin + step) if self.graph.is_split else ():
                for column, words in ((rows, old.words), (new, self.graph.words)):
                    column.evict(row, int(counts[row]) * (int(words) + before))


def cells_in(record: Record) -> list[int]:
    """The cells of the last state that was encoded."""
    return [int(cell) for cell in record.cells[: record.count]]


@kernel
def encode_starts(
    game: Any, values: Any, packed: Any, count: int, codec_memory: Any, codes: Any, partitions: Any
) -> bool:
    """Write the codes and the partitions of all states to start from; False if one has no code."""
    codec = pointer(codec_memory)
    for i in range(count):
        if not code_of(game, values, unpack(game, packed, i), codec):
            return False
        for word in range(codec.words):
            codes[i, word] = codec.code[word]
        partitions[i] = partition_of(codec)
    return True


@kernel
def explore(
    game: Any, values: Any, speakers: Any, sides: Any, codec_memory: Any, walk: Any, first: int, end: int, by: int,
    counts: Any, received: Any, all_codes: Any, all_found: Any, all_places: Any, all_targets: Any, all_sources: Any,
    all_ordinals: Any, all_payoffs: Any, all_chances: Any, incoming: Any, arrived: Any, outgoing: Any, sent: Any,
) -> int:  # fmt: skip
    """Receive the messages of this round in some partitions, and expand their new states, as far as there is room for
    messages.
    """
    codec, memory = pointer(codec_memory), pointer(walk)
    for number in range(first, end, by):
        if must_stop(memory):
            break
        codes, places = all_codes[number], all_places[number]
        if received[number] == 0:
            targets, sources = all_targets[number], all_sources[number]
            if counts[PLACES, number] == 0:
                counts[PLACES, number] = FIRST_PLACES
                grow(codes, codec.words, counts, number, places)
            for sender in range(len(arrived)):
                receive_states(
                    values, incoming[sender * PARTITIONS + number], arrived[sender, number], counts, number, codes,
                    codec.words, places, targets, sources, all_ordinals[number],
                )  # fmt: skip
            received[number] = 1
        if memory.budget > 0:
            why = expand(
                game, values, speakers, sides, codec, memory, counts, number, codes, all_found[number],
                all_payoffs[number], all_chances[number], outgoing, sent,
            )  # fmt: skip
            if why != DONE or memory.why != 0:
                return int(why)
    return DONE


@kernel
def receive_states(
    values: Any, mail: Any, count: int, counts: Any, number: int, codes: Any, words: int, places: Any, targets: Any,
    sources: Any, ordinals: Any,
) -> None:  # fmt: skip
    """Add the states and the edges that were sent to a partition."""
    width, states, edges, mask = words + 1, counts[STATES, number], counts[EDGES, number], counts[PLACES, number] - 1
    letters, code_of_states, table, to, source = (
        pointer(mail), pointer(codes), pointer(places), pointer(targets), pointer(sources)
    )  # fmt: skip
    for i in range(count):
        at = i * width
        if i + 2 * AHEAD < count:
            prefetch(table, hash_of(letters, at + 2 * AHEAD * width + 1, words) & mask)
            ahead = int(table[hash_of(letters, at + AHEAD * width + 1, words) & mask])
            prefetch(code_of_states, ((ahead & NUMBER_MASK) - 1) * words)
        mixed = hash_of(letters, at + 1, words)
        place, tag = mixed & mask, mixed >> TAG_SHIFT & TAG_MASK
        state = find(table, place, mask, tag, code_of_states, words, letters, at + 1)
        if state == 0:
            for word in range(words):
                code_of_states[states * words + word] = letters[at + 1 + word]
            states += 1
            state = states
            while table[place] != 0:
                place = place + 1 & mask
            table[place] = tag | state
            if 3 * states > 2 * mask:
                counts[STATES, number] = states
                grow(codes, words, counts, number, places)
                mask = counts[PLACES, number] - 1
        if letters[at] != NO_SOURCE:
            to[edges], source[edges] = state - 1, letters[at] & SOURCE_MASK
            if values.has_payoffs:
                ordinals[edges] = letters[at] >> SOURCE_BITS
            edges += 1
    counts[STATES, number], counts[EDGES, number] = states, edges


@kernel
def find(table: Any, place: int, mask: int, tag: int, codes: Any, words: int, code: Any, at: int) -> int:
    """The number of a code in the hash table, from 1 on; 0 if it is not there."""
    while True:
        entry = int(table[place])
        if entry == 0:
            return 0
        if entry & TAG_MASK == tag:
            start, word = ((entry & NUMBER_MASK) - 1) * words, 0
            while word < words and codes[start + word] == code[at + word]:
                word += 1
            if word == words:
                return entry & NUMBER_MASK
        place = place + 1 & mask


@kernel
def grow(codes: Any, words: int, counts: Any, number: int, places: Any) -> None:
    """Make the hash table of a partition larger, so that it is at most a third full."""
    size = counts[PLACES, number]
    while 3 * counts[STATES, number] > size:
        size *= 2
    counts[PLACES, number] = size
    places[:size] = 0
    code, table = pointer(codes), pointer(places)
    for state in range(counts[STATES, number]):
        mixed = hash_of(code, state * words, words)
        place = mixed & size - 1
        while table[place] != 0:
            place = place + 1 & size - 1
        table[place] = mixed >> TAG_SHIFT & TAG_MASK | state + 1


@kernel
def translate_rows(codes: Any, counts: Any, before: int, old: Any, new: Any, new_codes: Any) -> None:
    """Write codes of all rows in a wider codec, each after `before` numbers that stay."""
    old_codec, new_codec = pointer(old), pointer(new)
    for row in range(len(counts)):
        for i in range(counts[row]):
            at, to = i * (old_codec.words + before), i * (new_codec.words + before)
            for k in range(before):
                new_codes[row, to + k] = codes[row, at + k]
            translate_one(codes[row], at + before, old_codec, new_codec, new_codes[row], to + before)
