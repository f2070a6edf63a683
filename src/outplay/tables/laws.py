"""The laws of tables, in compiled code: what is wrong with a state, by the table's values of its successors.

`verification.py` says what the laws are, and calls these kernels. A state is looked up by its code in arrays of all
states, or by class and index in blocks; all else is the same for both.
"""

from dataclasses import dataclass
from typing import Any

from outplay.compile.kernels import float64_at, inlined, int64_at, kernel, pointer, uint8_at, uint16_at
from outplay.compile.options import CompileTimeOptions
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import LISTED
from outplay.compile.records import layout
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, defines, legal_actions
from outplay.rules.keys import SEED, mix
from outplay.tables.class_blocks import BROKEN, CLASS_FIELDS, kind_of, level_at, place_of, plies_here, utility_of
from outplay.tables.class_expansion import (
    MAX_LEVELS,
    UNKNOWN,
    begins_anew,
    may_end_early,
    plies_left,
    points_of,
    stage_of,
    viewer,
)
from outplay.tables.codec import FIELDS, encode, encode_one, state_at
from outplay.tables.probe import place_in
from outplay.tables.verdict import (
    CIRCLE,
    CONVERSION,
    EARLY,
    IMAGE,
    MOVER,
    OUTSIDE,
    PLIES,
    SUM,
    UNFORCED,
    UTILITY,
    VALUE,
)

ROUNDING = 1e-9
"""The largest difference of utilities from their sum that counts as rounding."""
GAME_PLIES = 8
"""The plies of a random game."""
LAYOUT = layout(
    *COUNTERS,
    *FIELDS,  # of the codec
    *CLASS_FIELDS,
    ("friends", int),  # the players on the side of player 0, a bit each
    ("total", float),  # the sum of the utilities of both sides
    ("allowed", float),  # the difference of a value from that of the successors that counts as none
    ("at", int),  # the code, index or game that is checked,
    ("end", int),  # where to stop,
    ("step", int),  # and the way there: 1 or -1
    ("done", int),  # the number of states marked, or checked
    ("fault", int),
    # Of the state that was looked up last:
    ("value", float),  # the value of player 0, less the points that it has for good,
    ("plies", int),  # its plies,
    ("level", int),  # and its level
    # With codes:
    ("states", int),  # the number of all states
    ("codes", int),  # the addresses of their codes,
    ("state_levels", int),  # levels, or values with chance,
    ("state_plies", int),
    ("marks", int),  # and marks, in a table without distances
    ("values", int),  # the address of the utilities, of each side in a table by max^n
    ("side_of", int),  # the address of the side of each player
    ("sides", int),
    # By class:
    ("number", int),  # the class that is checked
    ("needed", int),  # a class that is not known yet, or -1
    ("home", int),  # of the state that is checked: the class,
    ("points", float),  # what player 0 has for good,
    ("stage", int),  # and the stage
    ("converts", int),  # 1: distances count to the next conversion
    ("has_stages", int),  # 1: an action within the class is a conversion
    ("least", int),  # the least `index_plies` of a state
    ("beyond", int),  # the address of the plies that may come on top of a distance, for each utility of known classes
    ("counts", int, MAX_LEVELS),  # the number of states with each value
    ("longest", int, MAX_LEVELS),  # and the most plies of one, if it is not a draw
)


@dataclass(frozen=True)
class Laws(CompileTimeOptions):
    """Which of the laws a table keeps."""

    by_class: bool = False
    """Whether states have indices, not codes."""
    chance: bool = False
    """Whether values are means where chance is to move, and there are no plies."""
    vectors: bool = False
    """Whether each value is that of several sides, by max^n; images are states of their own then."""
    distances: bool = True
    """Whether each state has its plies."""
    acyclic: bool = False
    """Whether play can never come back to a state; looked at if there are no distances."""


# -- the states of a table ---------------------------------------------------------------------------------------------


@kernel
def check_states(game: Any, laws: Any, work: Any) -> None:
    """Check the states with the numbers from `work.at` on, and their images; the first that is wrong ends it.

    By class, the numbers are the indices of class `work.number`. If a successor is in a class that is not known, it
    ends there, too, with this class as `work.needed`.
    """
    memory = pointer(work)
    while memory.at != memory.end and not must_stop(memory):
        if laws.by_class:
            memory.fault = fault_of_index(game, laws, memory)
        else:
            memory.fault = fault_of_code(game, laws, work)
        if memory.fault != 0:
            return
        memory.at += memory.step


@kernel
def fault_of_code(game: Any, laws: Any, work: Any) -> int:
    """What is wrong with the state with the code number `work.at`, or with one of its images; 0 if nothing is."""
    memory, fault = pointer(work), 0
    state = state_at(game, work, int64_at(memory.codes), memory.at)
    read_entry(laws, memory.at, memory)
    value, plies, level = memory.value, memory.plies, memory.level
    if laws.vectors:
        fault = fault_of_vector(game, laws, state, level, plies, memory)
    elif defines(game, "symmetries"):
        for image in game.symmetries(state):
            if fault == 0:
                is_same = encode(game, image, memory) and has_code(memory.at, memory)
                fault = fault_of(game, laws, image, value, plies, memory) if is_same else IMAGE
    else:
        fault = fault_of(game, laws, state, value, plies, memory)
    if fault == 0:
        memory.done += 1
    return int(fault)


@kernel
def fault_of_index(game: Any, laws: Any, memory: Any) -> int:
    """What is wrong with the state of the index `memory.at`; 0 if nothing is, or if it is a hole."""
    state = game.indexed_state(memory.number, memory.at)
    if game.state_class(state) != memory.number or game.state_index(state) != memory.at:
        return 0
    begin_with(game, state, memory)
    fault = look_up_index(game, state, memory)
    if fault != 0:
        return int(fault)
    value, plies, level = memory.value, memory.plies, memory.level
    if memory.converts:
        memory.least = min(memory.least, plies_left(game, state))
    fault = fault_of(game, laws, state, value, plies, memory)
    if fault == 0:
        memory.done += 1
        memory.counts[level] += 1
        memory.longest[level] = max(memory.longest[level], plies)
    return int(fault)


@kernel
def play_games(game: Any, laws: Any, starts: Any, indices: Any, random: Any, work: Any) -> Any:
    """Check the states of random games from number `work.at` on, until one is wrong or needs a class; return the last.

    Each begins with the state of a class in `starts` and an index in `indices`, and goes on as long as the table is
    certain of the values.
    """
    memory = pointer(work)
    state = game.indexed_state(starts[0], indices[0])
    while memory.at < memory.end and not must_stop(memory):
        state = game.indexed_state(starts[memory.at], indices[memory.at])
        random[LISTED] = mix(SEED, memory.at)
        for _ in range(GAME_PLIES):
            number, index = game.state_class(state), game.state_index(state)
            if number < 0 or index < 0:
                break
            begin_with(game, state, memory)
            memory.fault = look_up_index(game, state, memory)
            if memory.fault == OUTSIDE and memory.needed < 0 and memory.level != BROKEN:  # a hole
                memory.fault = 0
                break
            if memory.fault != 0:
                return state
            value, plies, left = memory.value, memory.plies, plies_left(game, state)
            if value != draw_utility(game):
                plies += int64_at(memory.beyond)[kind_of(place_of(number, memory), memory.level, memory)]
            if left <= 0 or left < plies:
                break
            memory.fault = fault_of(game, laws, state, value, memory.plies, memory)
            if memory.fault != 0:
                return state
            if game.is_terminal(state):
                break
            state = game.result(state, random_action(game, state, random))
        memory.at += 1
    return state


@kernel
def mark_states(game: Any, laws: Any, work: Any) -> None:
    """Mark the states from `work.at` on whose marked successors are enough, for each of their images."""
    memory = pointer(work)
    while memory.at != memory.end and not must_stop(memory):
        if not uint8_at(memory.marks)[memory.at]:
            state, enough = state_at(game, work, int64_at(memory.codes), memory.at), True
            if defines(game, "symmetries"):
                for image in game.symmetries(state):
                    enough = enough and are_enough(game, laws, image, memory)
            else:
                enough = are_enough(game, laws, state, memory)
            if enough:
                uint8_at(memory.marks)[memory.at] = 1
                memory.done += 1
        memory.at += memory.step


@kernel
def are_enough(game: Any, laws: Any, state: Any, memory: Any) -> bool:
    """Whether the marked successors of `state`, which is stored at `memory.at`, force its value; or, if play can never
    come back to a state, whether all are marked.
    """
    level, draw = uint16_at(memory.state_levels)[memory.at], draw_utility(game)
    value = float64_at(memory.values)[level]
    if game.is_terminal(state) or (value == draw and not laws.acyclic):
        return True
    mover = game.to_move(state)
    if mover < 0 or mover >= game.players:
        return False
    gains = value > draw if memory.friends >> mover & 1 else value < draw
    needs_all = laws.acyclic or not gains
    for action in legal_actions(game, state):
        at = entry_of(game, laws, game.result(state, action), memory)
        is_counted = at >= 0 and (laws.acyclic or uint16_at(memory.state_levels)[at] == level)
        if is_counted and uint8_at(memory.marks)[at] != needs_all:
            return not needs_all  # one is marked, which is enough; or one is not, where all are needed
    return needs_all


# -- look-up -----------------------------------------------------------------------------------------------------------


@kernel
@inlined
def look_up(game: Any, laws: Any, child: Any, memory: Any) -> int:
    """Look up a successor of the state that is checked: `memory.value`, `plies` and `level`; the fault, or 0."""
    if laws.by_class:
        return int(look_up_index(game, child, memory))
    at = entry_of(game, laws, child, memory)
    if at < 0:
        return OUTSIDE
    read_entry(laws, at, memory)
    return 0


@kernel
def entry_of(game: Any, laws: Any, state: Any, memory: Any) -> int:
    """The number of the code of a state; -1 if it is not in the table."""
    is_coded = encode_one(game, state, memory, memory.code) if laws.vectors else encode(game, state, memory)
    if not is_coded:
        return -1
    at = place_in(int64_at(memory.codes), 0, memory.states, memory.code, memory.words)
    return int(at) if at >= 0 and has_code(at, memory) else -1


@kernel
def has_code(at: int, memory: Any) -> bool:
    """Whether the code number `at` is `memory.code`."""
    codes, words, is_same = int64_at(memory.codes), memory.words, True
    for word in range(words):
        is_same = is_same and codes[at * words + word] == memory.code[word]
    return is_same


@kernel
def read_entry(laws: Any, at: int, memory: Any) -> None:
    """Read what the table says of the code number `at`."""
    memory.plies = 0
    if laws.chance:
        memory.value = float64_at(memory.state_levels)[at]
        return
    memory.level = uint16_at(memory.state_levels)[at]
    memory.value = float64_at(memory.values)[memory.level * memory.sides]
    if laws.distances:
        memory.plies = uint16_at(memory.state_plies)[at]


@kernel
def begin_with(game: Any, state: Any, memory: Any) -> None:
    """Begin to check a state of a table by class."""
    memory.home, memory.points, memory.stage = game.state_class(state), points_of(game, state, 0), 0
    if memory.converts:
        memory.stage = stage_of(game, state)


@kernel
@inlined
def look_up_index(game: Any, state: Any, memory: Any) -> int:
    """Look up the state that is checked, or a successor, by class; after a conversion, no plies count.

    The fault is OUTSIDE, too, if the state is in a class that is not known: then this is `memory.needed`.
    """
    number, index = game.state_class(state), game.state_index(state)
    memory.level = UNKNOWN
    if number < 0 or index < 0:
        return OUTSIDE
    place = place_of(number, memory)
    if place < 0:
        memory.needed = number
        return OUTSIDE
    level = level_at(place, index, memory)
    memory.level = level
    if level < 0 or level == UNKNOWN:
        return OUTSIDE
    value, plies, counts = utility_of(place, level, memory), plies_here(memory), True
    if memory.converts:
        stage = stage_of(game, state) if number == memory.home else memory.stage - 1
        if number == memory.home and (stage > memory.stage or not has_stage(game, number, index, stage)):
            return CONVERSION
        if stage < memory.stage:
            memory.has_stages |= number == memory.home
            if not begins_anew(game, state, number, index):
                return CONVERSION
            counts = False
    if value == draw_utility(game) or not counts:
        plies = 0
    elif number != memory.home and may_end_early(game, state, plies):
        return EARLY
    value = value if memory.friends >> viewer(game, state) & 1 else 2 * draw_utility(game) - value
    memory.value, memory.plies = value + (points_of(game, state, 0) - memory.points), plies
    return 0


@kernel
def has_stage(game: Any, number: int, index: int, stage: int) -> bool:
    """Whether the state that an index stands for is at this stage."""
    if defines(game, "index_stage"):
        return bool(game.index_stage(game.indexed_state(number, index)) == stage)
    return True


# -- the laws ----------------------------------------------------------------------------------------------------------


@kernel
def fault_of(game: Any, laws: Any, state: Any, value: float, plies: int, memory: Any) -> int:
    """What is wrong with `state`, which has this value for player 0, and these plies; 0 if nothing is."""
    if game.is_terminal(state):
        return UTILITY if plies != 0 else int(fault_of_end(game, state, value, memory))
    mover = game.to_move(state)
    if laws.chance and mover == CHANCE:
        return int(fault_of_mean(game, laws, state, value, memory))
    if mover < 0 or mover >= game.players:
        return MOVER
    return int(fault_of_best(game, laws, state, value, plies, memory))


@kernel
def fault_of_end(game: Any, state: Any, value: float, memory: Any) -> int:
    """What is wrong with a state in which the game is over; 0 if nothing is."""
    own = game.utility(state, 0)
    if own - memory.points != value:
        return UTILITY
    for player in range(game.players):
        expected = own if memory.friends >> player & 1 else memory.total - own
        if not abs(game.utility(state, player) - expected) <= ROUNDING * max(1.0, abs(expected)):
            return SUM
    return 0


@kernel
@inlined
def fault_of_best(game: Any, laws: Any, state: Any, value: float, plies: int, memory: Any) -> int:
    """What is wrong with a state in which a side chooses, in a game of opposed sides; 0 if nothing is."""
    draw, is_friend = draw_utility(game), memory.friends >> game.to_move(state) & 1
    best, least, most, has_best = 0.0, 0, 0, False
    for action in legal_actions(game, state):
        fault = look_up(game, laws, game.result(state, action), memory)
        if fault != 0:
            return int(fault)
        after = memory.value
        if not has_best or (after > best if is_friend else after < best):
            best, least, most, has_best = after, memory.plies, memory.plies, True
        elif after == best:
            least, most = min(least, memory.plies), max(most, memory.plies)
    if laws.chance:
        return 0 if has_best and abs(best - value) <= memory.allowed else VALUE
    if not has_best or best != value:
        return VALUE
    if not laws.distances:
        return 0 if uint8_at(memory.marks)[memory.at] != 0 else CIRCLE if laws.acyclic else UNFORCED
    gains = value > draw if is_friend else value < draw
    return 0 if plies == (0 if value == draw else 1 + least if gains else 1 + most) else PLIES


@kernel
def fault_of_mean(game: Any, laws: Any, state: Any, value: float, memory: Any) -> int:
    """What is wrong with a state in which chance is to move; 0 if nothing is."""
    mean, whole = 0.0, 0.0
    for action in legal_actions(game, state):
        chance = game.probability(state, action)
        if chance != 0:
            fault = look_up(game, laws, game.result(state, action), memory)
            if fault != 0:
                return int(fault)
            mean, whole = mean + chance * memory.value, whole + chance
    return 0 if abs(whole - 1) <= ROUNDING and abs(mean / whole - value) <= memory.allowed else VALUE


@kernel
def fault_of_vector(game: Any, laws: Any, state: Any, level: int, plies: int, memory: Any) -> int:
    """What is wrong with a state of a table by max^n; 0 if nothing is."""
    values, side_of, sides = float64_at(memory.values), int64_at(memory.side_of), memory.sides
    if game.is_terminal(state):
        for player in range(game.players):
            if game.utility(state, player) != values[level * sides + side_of[player]]:
                return UTILITY
        return 0 if plies == 0 else UTILITY
    mover = game.to_move(state)
    if mover < 0 or mover >= game.players:
        return MOVER
    own, best, best_level, best_plies, has_best = side_of[mover], 0.0, 0, 0, False
    for action in legal_actions(game, state):
        fault = look_up(game, laws, game.result(state, action), memory)
        if fault != 0:
            return int(fault)
        after = values[memory.level * sides + own]
        if not has_best or after > best:
            best, best_level, best_plies, has_best = after, memory.level, memory.plies, True
    if not has_best or best_level != level:
        return VALUE
    return 0 if plies == best_plies + 1 else PLIES
