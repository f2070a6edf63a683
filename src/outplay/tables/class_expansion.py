"""The states of a class, expanded: who moves, the ways out of the class, and the successors in it.

Values are those of `index_player`. A level is the number of a value among `utilities`. An edge has a bit, `turned`,
that says whether the two states are numbered from the sides of different players: a value counts the other way then.

A class is one partition of indices after the other (`partitions.py`): the lowest bits of an index are its number there.
"""

from typing import Any

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import defines, legal_actions
from outplay.tables.class_blocks import BROKEN, CLASS_FIELDS, level_at, place_of, plies_here, utility_of
from outplay.tables.expansion import SOURCE_BITS
from outplay.tables.levels import level_of
from outplay.tables.partitions import (
    DEGREE,
    END,
    EXITS,
    EXPANDED,
    HOLE,
    KIND,
    LEFT,
    MAX,
    MIN,
    NUMBER_BITS,
    PLIES,
    STATES,
)
from outplay.tables.partitions import UNKNOWN as OPEN
from outplay.tables.sizes import MAX_DEGREE

UNKNOWN = 255
"""The level of a hole."""
MAX_LEVELS = 254
"""The maximum number of levels of a class."""
FOREVER = 1 << 62
"""More plies than any `index_plies`."""
TURNED = 1 << NUMBER_BITS - 1
"""The bit of the source of an edge to a state that is numbered from the side of another player: partitions of classes
are so small that no number of a state has it."""
DONE, NEW_UTILITY, NEEDS, UNREADABLE, NO_INDEX, TOO_MANY, POINTS, PAST, RAISED, GOES_ON = range(10)
"""Why a kernel ended: all is done, a utility or a class is not known yet, a block cannot be read, a successor has no
index, there are too many actions, `index_points` changes within the class, `index_plies` does not suffice in another
one, an action raises `index_stage`, or `index_plies` goes on after a conversion."""
TO_END, TO_CLASS, TO_STAGE = range(3)
"""What distances count to: the end, another class, or the next conversion."""
LAYOUT = layout(
    *COUNTERS,
    *CLASS_FIELDS,
    ("budget", int),  # as in `expansion.py`
    ("room", int),
    ("levels", int),
    ("utility", float, MAX_LEVELS),
    ("new_utility", float),
    ("at", int),  # the index that is expanded,
    ("edges", int),  # the number of its successors,
    ("successor", int, MAX_DEGREE),  # and these, each with a bit that says whether it is turned
    ("has_exit", int),  # 1: there is a way out,
    ("best", float),  # the best value of one,
    ("away", int),  # and the plies from there
    ("needed", int),  # the class of a successor that is not known yet
    ("counts", int),  # what distances count to
    ("has_stages", int),  # 1: an action within the class lowers `index_stage`
    ("least", int),  # the least `index_plies` of a state
    ("friends", int),  # the players on the side of player 0, a bit each
)


@kernel
def viewer(game: Any, state: Any) -> int:
    """The player from whose side the state is numbered."""
    if defines(game, "index_player"):
        return int(game.index_player(state))
    return 0


@kernel
def points_of(game: Any, state: Any, player: int) -> float:
    """What a player has gained for good: values in tables come on top of it."""
    if defines(game, "index_points"):
        return float(game.index_points(state, player))
    return 0.0


@kernel
def may_end_early(game: Any, state: Any, plies: int) -> bool:
    """Whether what the index leaves out may end the game before these plies, for games with points: what the players
    have by then might be better for one of them than what is lost in time.
    """
    if defines(game, "index_points"):
        return bool(plies > game.index_plies(state))
    return False


@kernel
def stage_of(game: Any, state: Any) -> int:
    """What only conversions lower within a class."""
    if defines(game, "index_stage"):
        return int(game.index_stage(state))
    return 0


@kernel
def plies_left(game: Any, state: Any) -> int:
    """The plies before what the index leaves out may end the game."""
    if defines(game, "index_plies"):
        return int(game.index_plies(state))
    return FOREVER


@kernel
def begins_anew(game: Any, state: Any, number: int, index: int) -> bool:
    """Whether as many plies are left in a state, after a conversion, as in the one that its index stands for."""
    if defines(game, "index_plies"):
        return bool(game.index_plies(state) >= game.index_plies(game.indexed_state(number, index)))
    return True


@kernel
def explore_class(
    game: Any, number: int, count: int, bits: int, work: Any, first: int, end: int, by: int, counts: Any, done: Any,
    all_entries: Any, all_exits: Any, outgoing: Any, sent: Any,
) -> int:  # fmt: skip
    """Expand the indices of some partitions, as far as there is room for edges; why it ended."""
    memory = pointer(work)
    for part in range(first, end, by):
        if done[part] == 0 and memory.budget > 0 and not must_stop(memory):
            why = expand(
                game, number, count, bits, memory, part, counts, all_entries[part], all_exits[part], outgoing, sent
            )
            if why != DONE or memory.why != 0:
                return int(why)
            done[part] = counts[EXPANDED, part] == counts[STATES, part]
    return DONE


@kernel
def expand(
    game: Any, number: int, count: int, bits: int, memory: Any, part: int, counts: Any, all_entries: Any,
    all_exits: Any, outgoing: Any, sent: Any,
) -> int:  # fmt: skip
    """Expand the indices of a partition, as far as there is room for edges; why it ended."""
    entries, exits, letters, sent_to = pointer(all_entries), pointer(all_exits), pointer(outgoing), pointer(sent)
    pitch, now, mask = outgoing.shape[1], int(counts[EXPANDED, part]), (1 << bits) - 1
    while now < counts[STATES, part] and memory.budget > 0 and not must_stop(memory):
        memory.at = index = part << bits | now
        state = game.indexed_state(number, index)
        kind, level, degree = HOLE, OPEN, 0
        if game.state_class(state) == number and game.state_index(state) == index:
            own = viewer(game, state)
            if own < 0 or own >= game.players:
                memory.why = NO_PLAYER
                return DONE
            if memory.counts != TO_END:
                memory.least = min(memory.least, plies_left(game, state))
            if game.is_terminal(state):
                kind, level = END, level_for(game.utility(state, own) - points_of(game, state, own), memory)
                if level < 0:
                    return NEW_UTILITY
            else:
                why = find_successors(game, number, count, state, own, memory)
                if why != DONE or memory.why != 0:
                    return int(why)
                if memory.has_exit:
                    exit_level = level_for(memory.best, memory)
                    if exit_level < 0:
                        return NEW_UTILITY
                    exits[counts[EXITS, part]] = now << 32 | memory.away << PLIES | exit_level
                    counts[EXITS, part] += 1
                is_own = memory.friends >> game.to_move(state) & 1 == memory.friends >> own & 1
                kind, degree = MAX if is_own else MIN, memory.edges + memory.has_exit
                for i in range(memory.edges):
                    after = memory.successor[i] >> 1
                    to, turned = after >> bits, (memory.successor[i] & 1) * TURNED
                    at = to * pitch + sent_to[to]
                    letters[at] = (after & mask) << SOURCE_BITS | part << NUMBER_BITS | turned | now
                    sent_to[to] += 1
                    if sent_to[to] > memory.room:
                        memory.budget = 0
                memory.budget = max(0, memory.budget - memory.edges)
        entries[now] = level | degree << LEFT | degree << DEGREE | kind << KIND
        now += 1
        counts[EXPANDED, part] = now
    return DONE


@kernel
def find_successors(game: Any, number: int, count: int, state: Any, own: int, memory: Any) -> int:
    """Find the successors of a state in its class, and the best way out of it; why it ended."""
    mover, draw = game.to_move(state), draw_utility(game)
    if mover < 0 or mover >= game.players:
        memory.why = NO_PLAYER
        return DONE
    points, stage = points_of(game, state, own), 0
    if memory.counts != TO_END:
        stage = stage_of(game, state)
    side, edges, has_exit, best, away, actions = memory.friends >> own & 1, 0, False, 0.0, 0, 0
    sign = 1.0 if memory.friends >> mover & 1 == side else -1.0
    for action in legal_actions(game, state):
        actions += 1
        child = game.result(state, action)
        child_class = game.state_class(child)
        index = game.state_index(child)
        if child_class < 0 or index < 0:
            return NO_INDEX
        turned = (memory.friends >> viewer(game, child) & 1) ^ side
        if child_class == number:
            if index >= count:
                return NO_INDEX
            if edges == MAX_DEGREE:
                return TOO_MANY
            if points_of(game, child, own) != points:
                return POINTS
            lower = 0 if memory.counts == TO_END else stage - stage_of(game, child)
            if lower < 0:
                return RAISED
            if lower > 0:
                memory.has_stages = 1
            if lower == 0 or memory.counts != TO_STAGE:
                memory.successor[edges] = index << 1 | turned
                edges += 1
                continue
        place = place_of(child_class, memory)
        if place < 0:
            memory.needed = child_class
            return NEEDS
        level = level_at(place, index, memory)
        if level == BROKEN:
            return UNREADABLE
        if level < 0 or level == UNKNOWN:
            return NO_INDEX
        value, plies = utility_of(place, level, memory), plies_here(memory)
        if memory.counts != TO_END:
            plies = 0
            if not begins_anew(game, child, child_class, index):
                return GOES_ON
        elif value == draw:
            plies = 0
        elif may_end_early(game, child, plies):
            return PAST
        value = (2 * draw - value if turned else value) + points_of(game, child, own) - points
        gain = sign * (value - draw)  # of the mover
        ahead = sign * (best - draw)
        if not has_exit or gain > ahead or (gain == ahead and (plies < away if gain > 0 else plies > away)):
            has_exit, best, away = True, value, plies
    if actions == 0:
        memory.why = NO_LEGAL_ACTION
    memory.edges, memory.has_exit, memory.best, memory.away = edges, has_exit, best, away
    memory.nodes += actions
    return DONE


@kernel
def level_for(utility: float, memory: Any) -> int:
    """The number of a utility; -1 if it is new."""
    level = level_of(utility, memory)
    if level < 0:
        memory.new_utility = utility
    return int(level)
