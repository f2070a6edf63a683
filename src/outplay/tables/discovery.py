"""All states that can be reached, as codes in the order in which a breadth-first walk finds them, and who moves where.

`discover` runs the kernel `expand`, which stops where it lacks room, or where a state has a cell that the codec cannot
encode; then `Discovery` makes room, or a wider codec, and `expand` goes on with the same state.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pack, pointer, prefetch, runs_compiled, unpack
from outplay.compile.records import Record, layout, new_record
from outplay.compile.state_cells import MAX_CELLS, write_cells
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER, NO_PROBABILITY, NO_UTILITY, StopReason
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.errors import OutplayError, RulesError
from outplay.rules.game import CHANCE, Game, defines, friends_of, legal_actions, team_members
from outplay.rules.keys import SEED, mix
from outplay.tables.codec import WORDS, Codec, Range, decode, encode, encode_one

END, MAX, MIN = range(3)
"""The kinds of states: the game is over, or the player to move is player 0 or on their side, or not. With more sides,
the kind is 1 + the side of the player to move."""
DICE = 0xFF
"""The kind of states in which chance is to move."""
ROUNDING = 1e-9
"""The maximum difference of a sum of probabilities from 1."""
UNKNOWN = 0xFFFF
"""The level of a state that is not solved."""
MAX_DEGREE = 4096
"""The maximum number of actions of a state."""
MAX_STATES = 2**32 - 2
"""The maximum number of states: a place in the hash table has 32 bits."""

DONE, FULL, OUT_OF_RANGE, TOO_MANY = range(4)
"""Why `expand` ended: all states are found, or it needs room, or a wider codec, or a state has too many actions."""

LAYOUT = layout(
    *COUNTERS,
    ("states", int),  # found so far
    ("expanded", int),  # the number of them whose successors are found, too
    ("edges", int),
    ("forward", int),  # 1: every edge so far leads to a state that was found later
    ("side_of", int, 64),  # the side of each player: 0 is that of player 0, or its number of several
    ("sides", int),  # the number of payoffs that are stored at ends
    ("speaker", int, 64),  # of each side, a player whose utility is the payoff
    ("merged", int),  # 1: images of a state are one state
    ("code", int, MAX_DEGREE * WORDS),  # of the successors of a state
)


class StateGraph(NamedTuple):
    """All states in the order of discovery. The successors of a state come one after the other, state by state."""

    codec: Codec
    codes: NDArray[np.int64]
    """The codes, shape (states, words)."""
    kinds: NDArray[np.uint8]
    """END, MAX or MIN."""
    degrees: NDArray[np.uint16]
    """The numbers of successors."""
    targets: NDArray[np.uint32]
    """The successors."""
    forward: bool
    """Whether every edge leads to a state that was found later, so that play cannot go in circles."""
    payoffs: NDArray[np.float64]
    """At ends, the utility of each side, shape (states, sides)."""
    chances: NDArray[np.float64]
    """The probability of each edge where chance is to move; empty in games without chance."""


def discover(
    game: Game,
    states: list[Any],
    memory_mb: float,
    progress: Callable[[int, int], None] | None = None,
    *,
    speakers: Sequence[int] = (0,),
    merged: bool = True,
) -> StateGraph | None:
    """The graph of the states that can be reached from `states`; None if Ctrl-C stopped it.

    Args:
        game: a game whose rules compile.
        states: where to start.
        memory_mb: the maximum size of the graph.
        progress: called with the number of states found and of those expanded, ten times a second.
        speakers: the players whose utilities are stored as `payoffs`, one for each side. With one or two, the kinds of
            states are those of two sides.
        merged: whether images of a state (`game.symmetries`) count as one state.

    Raises `OutplayError` if the memory does not suffice, or a state does not fit into a code.
    """
    found = _Discovery(game, states, memory_mb, speakers, merged)
    memory = found.memory

    def stop(_: int) -> None:
        memory.stop = -1

    report = (lambda: progress(int(memory.states), int(memory.expanded))) if progress else None
    runner = SearchRunner(None, lambda: 1, stop, report)
    runner.run(found.run)
    return None if runner.stopped == StopReason.INTERRUPTED else found.graph()


def check_compiles(game: Game) -> None:
    """Raise `RulesError` for a game whose rules run interpreted."""
    if not runs_compiled(game):
        raise RulesError(f"there is no table of {game!r}: its rules run interpreted; outplay check says why")


class _Discovery:
    def __init__(self, game: Game, states: list[Any], memory_mb: float, speakers: Sequence[int], merged: bool) -> None:
        self.game, self.memory_mb, self.sides = game, memory_mb, len(speakers)
        self.packed, self.count = pack(game, states), len(states)
        self.memory: Record = new_record(LAYOUT, ("code",))
        self.memory.search = self.memory.forward = 1
        self.memory.sides, self.memory.merged = self.sides, merged
        self.memory.speaker[: self.sides] = speakers
        for side, team in enumerate(team_members(game)):
            self.memory.side_of[team] = side if self.sides > 1 else 0 if friends_of(game) >> team[0] & 1 else 1
        self.codec = first_codec(game, self.packed)
        room = 1 << (self.count + MAX_DEGREE).bit_length()
        self.codes = np.zeros(room * self.codec.words, np.int64)
        self.kinds, self.degrees = np.zeros(room, np.uint8), np.zeros(room, np.uint16)
        self.targets = np.zeros(room, np.uint32)
        self.payoffs, self.chances = np.zeros(self.sides * room), np.zeros(room if game.has_chance else 0)
        self.places = np.zeros(2 * room, np.uint32)

    def run(self) -> None:
        codec = self.codec.record()
        while (why := self.expand(codec)) != DONE:
            if why == FULL:
                self.make_room()
            elif why == OUT_OF_RANGE:
                codec = self.recode(codec)
            elif why == TOO_MANY:
                raise OutplayError(
                    f"{self.game!r} has a state with more than {MAX_DEGREE} actions: too many for a table"
                )
        raise_fault(self.game, int(self.memory.why))

    def expand(self, codec: Record) -> int:
        args = (
            self.game, self.packed, self.count, codec, self.memory, self.codes, self.kinds, self.degrees,
            self.targets, self.payoffs, self.chances, self.places,
        )  # fmt: skip
        prepared = expand.prepare(*args)
        check_compiles(self.game)  # only now is it known
        return int(prepared(*args))

    def make_room(self) -> None:
        """Twice the room for states or edges, whichever are nearly full."""
        if self.memory.states + MAX_DEGREE > len(self.kinds):
            self.codes, self.kinds, self.degrees, self.payoffs = (
                _doubled(each) for each in (self.codes, self.kinds, self.degrees, self.payoffs)
            )
            self.places = np.zeros(2 * len(self.kinds), np.uint32)
            if len(self.kinds) > MAX_STATES:
                raise OutplayError(f"{self.game!r} has more than {MAX_STATES:,} states: too many for a table")
            self.fill_places()
        if self.memory.edges + MAX_DEGREE > len(self.targets):
            self.targets, self.chances = _doubled(self.targets), _doubled(self.chances)
        arrays = (
            self.codes, self.kinds, self.degrees, self.targets, self.places, self.payoffs, self.chances,
        )  # fmt: skip
        if sum(each.nbytes for each in arrays) > self.memory_mb * 1e6:
            raise OutplayError(
                f"{self.game!r} has more states than fit into {self.memory_mb:g} megabytes:"
                f" {int(self.memory.states):,} so far, of which {int(self.memory.expanded):,} are expanded; increase"
                " memory_mb"
            )

    def fill_places(self) -> None:
        fill_places(self.codes, self.codec.words, int(self.memory.states), self.places)

    def recode(self, old: Record) -> Record:
        """A wider codec, and all codes in it."""
        self.codec = self.codec.widen([int(cell) for cell in old.cells[: old.count]])
        codec = self.codec.record()
        same = codec.words == old.words
        codes = self.codes if same else np.zeros(len(self.kinds) * self.codec.words, np.int64)
        translate(self.codes, int(self.memory.states), old, codec, codes)
        self.codes = codes
        self.places[:] = 0
        self.fill_places()
        return codec

    def graph(self) -> StateGraph:
        states, edges = int(self.memory.states), int(self.memory.edges)
        codes = self.codes.reshape(-1, self.codec.words)[:states]
        return StateGraph(
            self.codec, codes, self.kinds[:states], self.degrees[:states],
            self.targets[:edges], bool(self.memory.forward),
            self.payoffs[: self.sides * states].reshape(states, self.sides), self.chances[:edges],
        )  # fmt: skip


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    more = np.zeros(2 * len(array), array.dtype)
    more[: len(array)] = array
    return more


def first_codec(game: Game, packed: Any) -> Codec:
    """A codec for the first packed state."""
    cells = np.zeros(MAX_CELLS, np.int64)
    count = cells_of_root(game, packed, cells)
    return Codec([Range(int(cell), int(cell)) for cell in cells[:count]], Range(count, count))


def raise_fault(game: Game, why: int) -> None:
    """Raise `OutplayError` if a walk through the states ended because of a fault of the rules."""
    reasons = {
        NO_LEGAL_ACTION: "a state that is not terminal has no legal action",
        NO_PLAYER: "to_move returned a number that is not a player",
        NO_UTILITY: "a utility is not a number",
        NO_PROBABILITY: "the probabilities in a state in which chance is to move are not at least 0 with a sum of 1",
    }
    if why in reasons:
        raise OutplayError(f"{game!r} has no table: {reasons[why]}; outplay check says where")


@kernel
def cells_of_root(game: Any, packed: Any, cells: Any) -> int:
    """Write the cells of the first packed state; return how many it has."""
    return write_cells(game, unpack(game, packed, 0), pointer(cells))


@kernel
def expand(
    game: Any, packed: Any, count: int, codec_memory: Any, walk: Any, codes: Any, kinds: Any, degrees: Any,
    targets: Any, payoffs: Any, chances: Any, places: Any,
) -> int:  # fmt: skip
    """Find the successors of all states that have none yet, until there are no more; why it ended."""
    codec, memory, table = pointer(codec_memory), pointer(walk), pointer(places)
    words, mask = codec.words, len(places) - 1
    if memory.states == 0:
        for i in range(count):
            if not code_of(game, unpack(game, packed, i), codec, memory.merged):
                memory.states = 0
                places[:] = 0
                return OUT_OF_RANGE
            add(codec.code, 0, memory, codes, words, table, mask)
    while memory.expanded < memory.states and not must_stop(memory):
        now = memory.expanded
        if memory.states + MAX_DEGREE > len(kinds) or memory.edges + MAX_DEGREE > len(targets):
            return FULL
        for word in range(words):
            codec.code[word] = codes[now * words + word]
        state = decode(game, codec)
        degree = 0
        if game.is_terminal(state):
            kinds[now] = END
            for side in range(memory.sides):
                payoffs[now * memory.sides + side] = payoff = float(game.utility(state, memory.speaker[side]))
                if not abs(payoff) < np.inf:
                    memory.why = NO_UTILITY
        else:
            mover = game.to_move(state)
            by_chance = is_by_chance(game, mover)
            if mover >= game.players or (mover < 0 and not by_chance):
                memory.why = NO_PLAYER
                break
            kinds[now], total = DICE if by_chance else MAX + memory.side_of[mover], 0.0
            for action in legal_actions(game, state):
                if defines(game, "probability") and by_chance:
                    chance = game.probability(state, action)
                    total += chance
                    if not chance >= 0:
                        memory.why = NO_PROBABILITY
                    if chance == 0:
                        continue
                    if degree < MAX_DEGREE:
                        chances[memory.edges + degree] = chance
                if not code_of(game, game.result(state, action), codec, memory.merged):
                    return OUT_OF_RANGE
                if degree == MAX_DEGREE:
                    return TOO_MANY
                prefetch(table, hash_of(codec.code, 0, words) & mask)
                for word in range(words):
                    memory.code[degree * words + word] = codec.code[word]
                degree += 1
            if by_chance and not abs(total - 1) <= ROUNDING:
                memory.why = NO_PROBABILITY
            if degree == 0 and memory.why == 0:
                memory.why = NO_LEGAL_ACTION
            if memory.why != 0:
                break
            for i in range(degree):
                number = add(memory.code, i * words, memory, codes, words, table, mask)
                targets[memory.edges + i] = number
                if number <= now:
                    memory.forward = 0
        memory.edges += degree
        memory.nodes += degree
        degrees[now] = degree
        memory.expanded += 1
    return DONE


@kernel
def is_by_chance(game: Any, mover: int) -> bool:
    """Whether this is the number of chance, in a game that has it."""
    if defines(game, "probability"):
        return bool(mover == CHANCE)
    return False


@kernel
def code_of(game: Any, state: Any, codec: Any, merged: int) -> bool:
    """Set `codec.code` to the code of `state`, or of its image with the least one; False if it has none."""
    return encode(game, state, codec) if merged != 0 else encode_one(game, state, codec, codec.code)


@kernel
def add(code: Any, at: int, memory: Any, codes: Any, words: int, table: Any, mask: int) -> int:
    """The number of the state whose code is in `code` from `at` on, a new one if it is new."""
    place = place_of(table, mask, codes, words, code, at)
    if table[place] == 0:
        for word in range(words):
            codes[memory.states * words + word] = code[at + word]
        memory.states += 1
        table[place] = memory.states
    return int(table[place]) - 1


@kernel
def hash_of(code: Any, at: int, words: int) -> int:
    """A hash of a code, not negative."""
    h = SEED
    for word in range(words):
        h = mix(h, code[at + word])  # not by `*`: signed ints that overflow mean nothing in compiled code
    return int(h & 0x7FFF_FFFF_FFFF_FFFF)


@kernel
def place_of(table: Any, mask: int, codes: Any, words: int, code: Any, at: int) -> int:
    """The place of a code in the hash table, or the free one for it."""
    place = hash_of(code, at, words) & mask
    while table[place] != 0:
        known, word = (int(table[place]) - 1) * words, 0
        while word < words and codes[known + word] == code[at + word]:
            word += 1
        if word == words:
            break
        place = place + 1 & mask
    return place


@kernel
def fill_places(codes: Any, words: int, states: int, places: Any) -> None:
    """Put the numbers of all states, from 1 on, into an empty hash table."""
    mask = len(places) - 1
    for state in range(states):
        place = hash_of(codes, state * words, words) & mask
        while places[place] != 0:
            place = place + 1 & mask
        places[place] = state + 1


@kernel
def translate(codes: Any, states: int, old_codec: Any, new_codec: Any, found: Any) -> None:
    """Write the codes of all states in another codec, in which each field has at least the room that it had."""
    old, new = pointer(old_codec), pointer(new_codec)
    for state in range(states - 1, -1, -1):
        translate_one(codes, state * old.words, old, new, found, state * new.words)


@kernel
def translate_one(codes: Any, at: int, old: Any, new: Any, found: Any, to: int) -> None:
    """Write a code in another codec, in which each field has at least the room that it had."""
    last, end = old.fields - 1, new.fields - 1
    count = old.low[last] + (codes[at + old.word[last]] >> old.shift[last] & old.mask[last])
    for word in range(new.words):
        new.code[word] = 0
    for i in range(count):
        cell = old.low[i] + (codes[at + old.word[i]] >> old.shift[i] & old.mask[i])
        new.code[new.word[i]] |= cell - new.low[i] << new.shift[i]
    new.code[new.word[end]] |= count - new.low[end] << new.shift[end]
    for word in range(new.words):
        found[to + word] = new.code[word]
