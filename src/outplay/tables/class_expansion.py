"""The states of a class, expanded: who moves, the ways out of the class, and the successors in it.

Values are those of `index_player`. A level is the place of a value among `utilities`, which are symmetric about a draw:
the last level minus a level is its value for the other side. An edge has a bit that says whether the two states are
numbered from the sides of different players.
"""

from typing import Any

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import defines, legal_actions
from outplay.tables.class_blocks import BROKEN, CLASS_FIELDS, level_at, place_of, plies_here, utility_of
from outplay.tables.levels import level_of

DECIDED, OWN, OPTIONS, END = 1 << 15, 1 << 14, (1 << 14) - 1, 0
"""What is open at an index: the number of options (successors of this class, and one for all ways out) that are not
lost yet for the mover, and whether `index_player` or their side moves. Decided: a hole, or solved; at the end of a
game, 0 until then."""
UNKNOWN = 255
"""The level of a hole, and of a state that is not solved."""
MAX_LEVELS = 254
"""The maximum number of levels."""
MAX_DEGREE = 4096
"""The maximum number of actions of a state."""
FOREVER = 1 << 62
"""More plies than any `index_plies`."""
DONE, FULL, NEEDS, UNREADABLE, NO_INDEX, TOO_MANY, PAUSED, TOO_FAR, POINTS, PAST, RAISED, GOES_ON = range(12)
"""Why a kernel ended: all is done, it needs room for edges or another class, a block cannot be read, a successor has no
index, there are too many utilities or actions, the states at one distance have been found (or a checkpoint is due), a
distance is too large, `index_points` changes within the class, `index_plies` does not suffice in another one, an action
raises `index_stage`, or `index_plies` goes on after a conversion."""
TO_END, TO_CLASS, TO_STAGE = range(3)
"""What distances count to: the end, another class, or the next conversion."""
LAYOUT = layout(
    *COUNTERS,
    *CLASS_FIELDS,
    ("at", int),  # the next index,
    ("end", int),  # and where to stop
    ("edges", int),  # the successors of this part
    ("needed", int),  # the class of a successor that is not known yet
    ("levels", int),
    ("counts", int),  # what distances count to
    ("has_stages", int),  # 1: an action within the class lowers `index_stage`
    ("least", int),  # the least `index_plies` of a state
    ("friends", int),  # the players on the side of player 0, a bit each
    ("head", int),  # where `propagate` is in its queue,
    ("tail", int),
    ("out", int),  # and among the exits,
    ("gain", int),
    ("away", int),
    ("paused", int),  # 1: it has stopped after the states at this distance were found
    ("utility", float, MAX_LEVELS),
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
def expand(game: Any, number: int, count: int, work: Any, opened: Any, levels: Any, plies: Any, targets: Any) -> int:
    """Find who moves at each index up to `work.end`, the ways out and the successors; why it ended."""
    memory, draw = pointer(work), draw_utility(game)
    while memory.at < memory.end and not must_stop(memory):
        now = memory.at
        if memory.edges + MAX_DEGREE > len(targets):
            return FULL
        state = game.indexed_state(number, now)
        if game.state_class(state) != number or game.state_index(state) != now:
            memory.at += 1
            continue
        own = viewer(game, state)
        if own < 0 or own >= game.players:
            memory.why = NO_PLAYER
            return DONE
        points, stage = points_of(game, state, own), 0
        if memory.counts != TO_END:
            stage, memory.least = stage_of(game, state), min(memory.least, plies_left(game, state))
        if game.is_terminal(state):
            level = level_for(game.utility(state, own) - points, memory)
            if level < 0:
                return TOO_MANY
            levels[now], opened[now] = level, END
            memory.at += 1
            continue
        mover = game.to_move(state)
        if mover < 0 or mover >= game.players:
            memory.why = NO_PLAYER
            return DONE
        side, edge, has_exit, best, best_away, actions = memory.friends >> own & 1, memory.edges, False, 0.0, 0, 0
        most = edge + MAX_DEGREE
        sign = 1.0 if memory.friends >> mover & 1 == side else -1.0
        for action in legal_actions(game, state):
            actions += 1
            child = game.result(state, action)
            child_class = game.state_class(child)
            index = game.state_index(child)
            if child_class < 0 or index < 0:
                return NO_INDEX
            flip = (memory.friends >> viewer(game, child) & 1) ^ side
            if child_class == number:
                if index >= count:
                    return NO_INDEX
                if edge == most:
                    return TOO_MANY
                if points_of(game, child, own) != points:
                    return POINTS
                lower = 0 if memory.counts == TO_END else stage - stage_of(game, child)
                if lower < 0:
                    return RAISED
                if lower > 0:
                    memory.has_stages = 1
                if lower == 0 or memory.counts != TO_STAGE:
                    targets[edge] = index << 1 | flip
                    edge += 1
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
            value, ply = utility_of(place, level, memory), plies_here(memory)
            if memory.counts != TO_END:
                ply = 0
                if not begins_anew(game, child, child_class, index):
                    return GOES_ON
            elif value == draw:
                ply = 0
            elif may_end_early(game, child, ply):
                return PAST
            value = (2 * draw - value if flip else value) + points_of(game, child, own) - points
            gain = sign * (value - draw)  # of the mover
            ahead = sign * (best - draw)
            if not has_exit or gain > ahead or (gain == ahead and (ply < best_away if gain > 0 else ply > best_away)):
                has_exit, best, best_away = True, value, ply
        if actions == 0:
            memory.why = NO_LEGAL_ACTION
            return DONE
        options = edge - memory.edges
        if has_exit:
            level = level_for(best, memory)
            if level < 0:
                return TOO_MANY
            levels[now], plies[now] = level, best_away
            options += 1
        opened[now] = options | OWN if sign > 0 else options
        memory.edges = edge
        memory.nodes += actions
        memory.at += 1
    return DONE


@kernel
def level_for(utility: float, memory: Any) -> int:
    """The number of a utility, a new one if it is new; -1 if there are too many."""
    level = level_of(utility, memory)
    if level >= 0 or memory.levels == MAX_LEVELS:
        return level
    memory.utility[memory.levels] = utility
    memory.levels += 1
    return int(memory.levels - 1)
