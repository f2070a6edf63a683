"""The successors of states, which are sent to their partitions (`exploration.py`)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from outplay.compile.kernels import kernel, pointer, prefetch
from outplay.compile.options import CompileTimeOptions
from outplay.compile.records import layout
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER, NO_PROBABILITY, NO_UTILITY
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import SEED, mix
from outplay.tables.codec import decode, encode, encode_one
from outplay.tables.levels import level_of
from outplay.tables.partitions import (
    CHANCES,
    DEGREE,
    DICE,
    END,
    EXPANDED,
    KIND,
    LEFT,
    LINE,
    MAX,
    NUMBER_BITS,
    PARTITIONS,
    STATES,
    UNKNOWN,
)
from outplay.tables.payoffs import is_by_chance
from outplay.tables.sizes import MAX_DEGREE, MAX_LEVELS

DONE, OUT_OF_RANGE, TOO_MANY, NEW_UTILITY = range(4)
"""Why `explore` ended: the round is over, or a state does not fit into the codec, or has too many actions, or a utility
is not known yet."""
SOURCE_BITS = 32
"""The bits of the source of an edge; above them, a message has the place of the edge among those from its source."""
SOURCE_MASK = (1 << SOURCE_BITS) - 1
LAYOUT = layout(
    *COUNTERS,
    ("budget", int),  # the number of messages that may still be sent in this round
    ("room", int),  # how many may have been sent to a partition before a state is expanded, which may send many there
    ("levels", int),  # the number of different utilities so far
    ("utility", float, MAX_LEVELS),  # of player 0, at each level in the order of discovery
    ("new_utility", float),
)
"""The memory of a thread."""
ROUNDING = 1e-9
"""The maximum difference of a sum of probabilities from 1."""
REASONS = {
    NO_LEGAL_ACTION: "a state that is not terminal has no legal action",
    NO_PLAYER: "to_move returned a number that is not a player",
    NO_UTILITY: "a utility is not a number",
    NO_PROBABILITY: "the probabilities in a state in which chance is to move are not at least 0 with a sum of 1",
}


@dataclass(frozen=True)
class Values(CompileTimeOptions):
    """What kind of values a game has, and so what has to be kept of it."""

    chance: bool
    """Whether some are means: then the probability of each edge is kept."""
    vectors: bool
    """Whether there is one for each side, by max^n: then images of a state are states of their own."""
    has_payoffs: bool
    """One of these: then the utilities at ends are kept, not their levels, and the order of the edges from a state."""


def raise_fault(game: Game, why: int) -> None:
    """Raise `OutplayError` if the walk through the states ended because of a fault of the rules."""
    if why in REASONS:
        raise OutplayError(f"{game!r} has no table: {REASONS[why]}; outplay check says where")


@kernel
def partition_of(codec: Any) -> int:
    """The partition of the state that was encoded last: it depends on the cells, so it is the same in any codec."""
    h = SEED ^ codec.count
    for i in range(codec.count):
        h = mix(h, codec.cells[i])
    return int(h & PARTITIONS - 1)


@kernel
def code_of(game: Any, values: Any, state: Any, codec: Any) -> bool:
    """Set `codec.code` to the code of `state`, or of its image with the least one; False if it has none."""
    if values.vectors:
        return encode_one(game, state, codec, codec.code)
    return encode(game, state, codec)


@kernel
def expand(
    game: Any, values: Any, speakers: Any, sides: Any, codec: Any, memory: Any, counts: Any, number: int, codes: Any,
    all_entries: Any, payoffs: Any, chances: Any, outgoing: Any, sent: Any,
) -> int:  # fmt: skip
    """Expand the new states of a partition, as far as there is room for messages."""
    words, width, pitch, now = codec.words, codec.words + 1, outgoing.shape[1], counts[EXPANDED, number]
    code, entries, letters, sent_to = pointer(codes), pointer(all_entries), pointer(outgoing), pointer(sent)
    while now < counts[STATES, number] and memory.budget > 0 and not must_stop(memory):
        for word in range(words):
            codec.code[word] = code[now * words + word]
        state = decode(game, codec)
        level, kind, degree, is_full = UNKNOWN, END, 0, False
        if values.has_payoffs and game.is_terminal(state):
            for side in range(len(speakers)):
                payoffs[now * len(speakers) + side] = payoff = float(game.utility(state, speakers[side]))
                if not abs(payoff) < np.inf:
                    memory.why = NO_UTILITY
        elif game.is_terminal(state):
            utility = game.utility(state, 0)
            level = level_of(utility, memory)
            if level < 0:
                memory.new_utility = utility
                return NEW_UTILITY
        else:
            mover, total = game.to_move(state), 0.0
            by_chance = values.chance and is_by_chance(game, mover)
            if mover >= game.players or (mover < 0 and not by_chance):
                memory.why = NO_PLAYER
                break
            kind = DICE if by_chance else MAX + sides[mover]
            for action in legal_actions(game, state):
                if values.chance and by_chance:
                    chance = game.probability(state, action)
                    total += chance
                    if not chance >= 0:
                        memory.why = NO_PROBABILITY
                    if chance == 0:
                        continue
                    if degree < MAX_DEGREE:
                        chances[counts[CHANCES, number] + degree] = chance
                if not code_of(game, values, game.result(state, action), codec):
                    return OUT_OF_RANGE
                if degree == MAX_DEGREE:
                    return TOO_MANY
                to = partition_of(codec)
                at = to * pitch + sent_to[to] * width
                letters[at] = number << NUMBER_BITS | now
                if values.has_payoffs:
                    letters[at] |= degree << SOURCE_BITS
                for word in range(words):
                    letters[at + 1 + word] = codec.code[word]
                prefetch(letters, at + LINE)
                sent_to[to] += 1
                degree += 1
                is_full |= sent_to[to] > memory.room
            if by_chance and not abs(total - 1) <= ROUNDING:
                memory.why = NO_PROBABILITY
            if degree == 0 and memory.why == 0:
                memory.why = NO_LEGAL_ACTION
            if values.chance:
                counts[CHANCES, number] += degree
                is_full |= counts[CHANCES, number] + MAX_DEGREE > len(chances)
            memory.budget = 0 if is_full else memory.budget - degree
        if memory.why != 0:
            break
        entries[now] = level | degree << LEFT | degree << DEGREE | kind << KIND
        now += 1
        counts[EXPANDED, number] = now
    return DONE
