"""Finds the edges of a class: all of its indices are states, or holes (`class_expansion.py`).

Edges are messages to the partitions that they lead to, which retrograde analysis receives at once.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER, NO_UTILITY
from outplay.rules.constant_sum import friends_of
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.tables.class_blocks import ClassCache
from outplay.tables.class_expansion import (
    FOREVER,
    GOES_ON,
    LAYOUT,
    MAX_LEVELS,
    NEEDS,
    NEW_UTILITY,
    NO_INDEX,
    PAST,
    POINTS,
    RAISED,
    TOO_MANY,
    explore_class,
)
from outplay.tables.class_file import SolvedClasses
from outplay.tables.exchange import Exchange
from outplay.tables.exploration import Exploration, Needs
from outplay.tables.partitions import COLUMNS, EXITS, PARTITIONS, STATES, Column
from outplay.tables.sizes import MAX_DEGREE

MAX_INDICES = 2**31 - 1
"""The maximum number of indices of a class."""
LEAST_BITS, MOST_BITS = 12, 16
"""The least and, unless there would be too many partitions, the most bits of an index that are its number in one."""
REASONS = {
    NO_INDEX: "an action leads from {at} to a state without an index: state_class or state_index gives a number below"
    " 0, or state_index one that is not below index_count",
    TOO_MANY: f"{{at}}: too many actions, or more than {MAX_LEVELS // 2} different utilities, for a table",
    POINTS: "an action changes index_points at {at}, and leads to the same class: to another one",
    PAST: "an action leads from {at} to a state that may take longer than its index_plies: values depend on what the"
    " index leaves out, such as a limit of plies; increase it",
    RAISED: "an action raises index_stage at {at}, and leads to the same class",
    GOES_ON: "a conversion at {at} leads to a state of fewer index_plies than its index: what the index leaves out,"
    " such as a count of plies, must begin anew, or distances to conversions tell too little",
}
FAULTS = {
    NO_LEGAL_ACTION: "a state that is not terminal has no legal action",
    NO_PLAYER: "to_move or index_player returned a number that is not a player",
    NO_UTILITY: "a utility is not a number",
}


class Found(NamedTuple):
    """What was found beside states and edges."""

    leads_to: set[int]
    """The other classes that actions lead to."""
    has_stages: bool
    """Whether an action within the class lowers `index_stage`."""
    least: int
    """The least `index_plies` of a state."""


class ClassExploration(Exploration):
    """Finds the edges of a class.

    Args:
        game: a game with classes.
        number: the number of the class.
        solved: the classes that are solved; step raises `Needs` for another one.
        cache_mb: the megabytes for blocks of these.
        counts: what distances count to. `TO_STAGE` needs the class itself among those that are solved.
        exchange: for the messages, with the graph that is to be found and the team.

    Raises `OutplayError` if the class is too large.
    """

    max_levels = MAX_LEVELS

    def __init__(
        self, game: Game, number: int, solved: SolvedClasses, cache_mb: float, counts: int, exchange: Exchange
    ) -> None:
        super().__init__(game, exchange, LAYOUT)
        self.kernel = explore_class
        self.number, self.solved, self.name = number, solved, game.class_name(number)
        self.count = int(game.index_count(number))
        if not 0 < self.count <= MAX_INDICES:
            raise OutplayError(f"class {self.name} of {game!r} has {self.count:,} indices: 1 to {MAX_INDICES:,} can be")
        bits, room = (self.count - 1).bit_length(), self.graph.room(COLUMNS["found"])
        self.bits = max(min(MOST_BITS, max(LEAST_BITS, bits - 4), room.bit_length() - 1), bits - 8)
        """The bits of an index that are its number in its partition."""
        self.caches = [ClassCache(solved, cache_mb / len(self.memories)) for _ in self.memories]
        for memory, class_cache in zip(self.memories, self.caches, strict=True):
            memory.friends, memory.counts, memory.least = friends_of(game), counts, FOREVER
            class_cache.fill(memory)
        self.missing: int | None = None
        """A class that is not solved yet."""

    def start(self) -> None:
        """Begin with all indices."""
        counts, size = self.graph.counts, 1 << self.bits
        counts[STATES] = np.clip(self.count - size * np.arange(PARTITIONS), 0, size)
        self.graph.add("found", COLUMNS["found"])
        self.graph.add("exits", Column(np.int64, EXITS))  # each state with the value of its way out, as a message
        self.exchange.start(1, self.graph.room(COLUMNS["sources"]) // self.team.size + MAX_DEGREE)

    def step(self) -> bool:
        """A round, or a part of it; whether there is more to do."""
        self.missing = None
        if not self.has_room():
            raise self.graph.too_many()
        over = self.exchange.run_round(self, "explore")
        if self.missing is not None:
            raise Needs(self.missing)
        return not over

    def has_room(self) -> bool:
        """Whether there is room for the edges of any state."""
        mail, entries = self.exchange.outgoing, self.graph.rows["found"]
        return int(mail.counts.max()) <= mail.room - MAX_DEGREE and entries.room >= 1 << self.bits

    def args(self, thread: int, *span: int) -> tuple[Any, ...]:
        """The arguments of the kernel."""
        graph, exchange = self.graph, self.exchange
        return (
            self.game, self.number, self.count, self.bits, self.memories[thread], *span, graph.counts,
            exchange.received, graph["found"], graph["exits"], exchange.outgoing.from_sender(thread),
            exchange.outgoing.counts[thread],
        )  # fmt: skip

    def explore(self, thread: int, *span: int) -> None:
        """Work on some partitions."""
        memory, class_cache = self.memories[thread], self.caches[thread]
        while self.missing is None:
            why = self._explore(*self.args(thread, *span))
            class_cache.check()
            at = f"index {int(memory.at):,} of class {self.name} of {self.game!r}"
            if reason := FAULTS.get(int(memory.why)):
                raise OutplayError(f"{at} cannot be solved: {reason}; outplay check says where")
            if why in REASONS:
                raise OutplayError(REASONS[why].format(at=at))
            if why == NEW_UTILITY:
                self.learn(memory)
            elif why == NEEDS and memory.needed in self.solved:
                class_cache.add(int(memory.needed), memory)
            elif why == NEEDS:
                self.missing = int(memory.needed)
            else:
                break
        self.exchange.evict(thread, range(*span))

    def too_much(self) -> OutplayError:
        """An error that says that states have too many values."""
        return OutplayError(REASONS[TOO_MANY].format(at=f"class {self.name} of {self.game!r}"))

    @property
    def findings(self) -> Found:
        """What was found beside states and edges."""
        memories = self.memories
        leads_to = {number for class_cache in self.caches for number in class_cache.numbers.tolist()}
        has_stages = any(memory.has_stages for memory in memories)
        return Found(leads_to, has_stages, min(int(memory.least) for memory in memories))

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        findings = self.findings
        facts = {"leads_to": sorted(findings.leads_to), "has_stages": findings.has_stages, "least": findings.least}
        return facts | {"utilities": self.utilities, "bits": self.bits}, {}

    def restore(self, facts: dict[str, Any], _: dict[str, NDArray[Any]]) -> None:
        """Use what was saved."""
        self.utilities, self.bits = facts["utilities"], facts["bits"]
        for memory, class_cache in zip(self.memories, self.caches, strict=True):
            class_cache.know(facts["leads_to"])
            class_cache.fill(memory)
            memory.has_stages, memory.least = facts["has_stages"], facts["least"]
            self.tell(memory)
