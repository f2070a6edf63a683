"""Exact values by questions of yes or no: alpha-beta with one null window, to the end of the game, without distances.

The answer to such a question is yes or no, so a search may stop at the first action that settles it, and every entry of
the table holds whatever the depth. Where only the exact value counts, not how soon it comes, this needs far fewer nodes
than a search for the value: on Domineering 7 x 7, 13 million instead of more than 300 million.

A question is about player 0: is the value of a state at least `target`? Contract of `decide`: it returns n > 0 for yes
and n < 0 for no, where |n| estimates how many states a proof of that answer goes through: the sum over all actions
where each has to be answered, the action found where one is enough. It counts a state as often as lines lead to it. 0
means that the search was stopped.

The value itself follows from a few questions. Each records how far it was from another answer: after a yes, the value
is at least the least utility seen that is enough (`least_yes`); after a no, at most the greatest that is not
(`greatest_no`). Values that no end has are never asked for.

The table is an int64 array of buckets with four entries, one cell each. The low bits of a key choose the bucket:

    bits 63-16   the same bits of the key, which is different for each target
    bits 15-1    |n|, as a small float: 9 bits, and 6 bits by which to shift them to the left
    bit  0       1: yes

The entry with the least |n| is replaced.
"""

from typing import Any

from outplay.compile.kernels import kernel, pointer, unpack
from outplay.compile.records import layout
from outplay.engine.ordering import ALL, bring_first, learn, list_actions
from outplay.engine.score import INFINITE, encode
from outplay.engine.stopping import BY_DEPTH, NO_LEGAL_ACTION
from outplay.engine.table import NO_ACTION
from outplay.engine.workspace import COUNTERS, LISTED, ORDERING, PATH, must_stop, start
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import defines
from outplay.rules.keys import SEED, canonical, mix, state_key
from outplay.system.threads import MAX_PLIES

SYMMETRIC_PLIES = 8
"""The number of plies from the root up to which symmetries are used."""
MAX_SIZE = 1 << 60
"""The greatest size of a proof; greater ones count as this."""
CUTOFF_DEPTH = 8
"""How much a cutoff counts for the history of its action, as the depth of a search does; see `learn`."""
BUCKET = 4
SIZE_BITS, KEY_BITS = 9, -1 << 16

FIELDS = (
    *COUNTERS,
    *PATH,
    *LISTED,
    *ORDERING,
    ("friends", int),  # the players on the side of player 0, a bit each
    ("target", int),  # the question: is the score for player 0 at least this?
    ("mark", int),  # what distinguishes its keys from those of other questions
    ("buckets", int),  # the number of buckets of the table minus 1
    ("least_yes", int),  # the least score of an end that was seen and is enough
    ("greatest_no", int),  # the greatest score of an end that was seen and is not
)
"""The memory of the search."""
LAYOUT = layout(*FIELDS)


@kernel
def decide(game: Any, techniques: Any, state: Any, ply: int, memory: Any, table: Any, base: int) -> int:
    """Whether the value of `state` is at least the target; see the contract above.

    This node lists its actions in `memory.listed` from index `base` on.
    """
    # 1. The end of the game, or a result that is known.
    memory.nodes += 1
    if game.is_terminal(state):
        memory.leaves += 1
        return at_end(memory, encode(float(game.utility(state, 0)) - draw_utility(game)))
    mover = int(game.to_move(state))
    side = 0 if memory.friends >> mover & 1 else 1
    if techniques.hints and defines(game, "forced_result"):
        utility, plies = game.forced_result(state)
        if plies > 0:
            memory.leaves += 1
            score = encode(utility - draw_utility(game))
            return at_end(memory, score if side == 0 else -score) * (plies + 1)  # type: ignore[no-any-return]
    key = key_of(game, techniques, state, ply, memory)
    answer_in_table = recall(memory, table, key)
    if answer_in_table != 0:
        return answer_in_table
    if ply >= MAX_PLIES:
        memory.why = BY_DEPTH
    if must_stop(memory):
        return 0

    # 2. Search until an action settles it for the mover: the side of player 0 needs one yes, the other one no.
    end = list_actions(game, techniques, state, side, ply, NO_ACTION, ALL, memory, base, table)
    if end == base:
        memory.why = NO_LEGAL_ACTION
    sign = 1 if side == 0 else -1
    answer, total = 0, 1
    for here in range(base, end):
        bring_first(memory, here, end)
        action = memory.listed.action[here]
        memory.path.action[ply + 1] = action
        below = decide(game, techniques, game.result(state, action), ply + 1, memory, table, end)
        if must_stop(memory):
            return 0
        if below * sign > 0:
            answer = below + sign
            learn(techniques, memory, side, action, ply, CUTOFF_DEPTH)
            break
        total += abs(below)
    if answer == 0:
        answer = -sign * min(total, MAX_SIZE)
    remember(memory, table, key, answer)
    return answer


@kernel
def at_end(memory: Any, score: int) -> int:
    """The answer at an end of the game with this score for player 0."""
    if score >= memory.target:
        memory.least_yes = min(memory.least_yes, score)
        return 1
    memory.greatest_no = max(memory.greatest_no, score)
    return -1


@kernel
def key_of(game: Any, techniques: Any, state: Any, ply: int, memory: Any) -> int:
    """The key of a state and the question; near the root, images of a state share one."""
    if techniques.symmetry and ply <= SYMMETRIC_PLIES:
        return state_key(game, canonical(game, state)) ^ memory.mark  # type: ignore[no-any-return]
    return state_key(game, state) ^ memory.mark  # type: ignore[no-any-return]


@kernel
def recall(memory: Any, table: Any, key: int) -> int:
    """What the table knows of the state with `key`; 0: nothing."""
    place = (key & memory.buckets) * BUCKET
    for entry in range(place, place + BUCKET):
        cell = int(table[entry])
        if cell != 0 and (cell ^ key) & KEY_BITS == 0:
            size = size_in(cell)
            return size if cell & 1 else -size
    return 0


@kernel
def remember(memory: Any, table: Any, key: int, answer: int) -> None:
    """Store an answer, which is not 0."""
    place = (key & memory.buckets) * BUCKET
    worst, least = place, MAX_SIZE + 1
    for entry in range(place, place + BUCKET):
        cell = int(table[entry])
        if cell != 0 and (cell ^ key) & KEY_BITS == 0:
            worst = entry
            break
        size = 0 if cell == 0 else size_in(cell)
        if size < least:
            worst, least = entry, size
    size, shift = abs(answer), 0
    while size >> shift >> SIZE_BITS != 0:
        shift += 1
    table[worst] = key & KEY_BITS | shift << SIZE_BITS + 1 | size >> shift << 1 | (1 if answer > 0 else 0)


def size_in(cell: int) -> int:
    """The size of a proof in an entry of the table."""
    return (cell >> 1 & (1 << SIZE_BITS) - 1) << (cell >> SIZE_BITS + 1 & 63)


@kernel
def ask(memory: Any, target: int) -> None:
    """Begin a question."""
    memory.target = target
    memory.mark = mix(SEED, target)
    memory.least_yes, memory.greatest_no = INFINITE, -INFINITE


@kernel
def decide_first(game: Any, techniques: Any, packed: Any, target: int, memory: Any, table: Any) -> int:
    """The answer to a question about the first of the packed states."""
    fields = pointer(memory)
    start(fields, 1, 0)
    ask(fields, target)
    return decide(game, techniques, unpack(game, packed, 0), 0, fields, pointer(table), 0)
