"""The kernels of `estimation.py`: a walk through the first states of a game, and random games from there."""

from typing import Any

from outplay.compile.kernels import kernel, pointer, unpack
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import NONE, random_below
from outplay.compile.records import layout
from outplay.compile.state_cells import MAX_CELLS, read_cells, write_cells
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.bits import count
from outplay.rules.game import defines, legal_actions
from outplay.rules.keys import SEED, mix
from outplay.tables.payoffs import is_by_chance
from outplay.tables.sizes import MAX_DEGREE

CLASSES = 256
"""The number of classes of states."""
FULL_GAMES, LONG, CUT = 16, 10_000, 512
"""This many random games have up to `LONG` plies, the others are cut."""
MAX_LAYERS = 4096
"""The maximum number of layers of the walk."""
FIELDS = (
    *COUNTERS,
    ("merged", int),  # 1: images of a state are one state
    ("states", int),  # of the walk: found so far,
    ("expanded", int),  # the number of them whose successors are found, too,
    ("start", int),  # the first state of the layer that is being expanded,
    ("end", int),  # and the first one after it
    ("room", int),  # the cells of all states
    ("layers", int),
    ("layer", int, MAX_LAYERS),  # the number of states of each complete layer
    ("edges", int),
    ("inner", int),  # expanded states that are not the end of the game
    ("choices", int),  # of the games: all actions of the states met,
    ("met", int),  # the number of these states,
    ("ended", int),  # and that of ends of the game
    ("plies", int),
    ("longest", int),  # the plies of the longest game
    ("first", int, MAX_CELLS),  # the cells of the first state
    ("cells", int, MAX_CELLS),  # of the present one
    ("low", int, MAX_CELLS),  # the least of each cell so far,
    ("high", int, MAX_CELLS),  # and the greatest
    ("least_count", int),  # and of the number of cells
    ("most_count", int),
    ("too_large", int),  # 1: a state has more than `MAX_CELLS` cells
    ("last", int, CLASSES),  # the last game with a sample of the class
    ("samples", int, CLASSES),
    ("different", int, CLASSES),  # states among them,
    ("once", int, CLASSES),  # those met once,
    ("twice", int, CLASSES),  # and twice
)
LAYOUT = layout(*FIELDS)


@kernel
def walk(game: Any, packed: Any, number: int, walked: Any, cells: Any, firsts: Any, hashes: Any, places: Any) -> None:
    """Find states in order of their distance from the first ones, until there are no more, or no more room.

    `cells` holds those of all states, of state i from `firsts[i]` on. `places` is a hash table of their `hashes`.
    """
    memory = pointer(walked)
    memory.least_count = MAX_CELLS
    memory.most_count = 0
    for i in range(number):
        if memory.room + MAX_CELLS > len(cells):
            break
        include(game, unpack(game, packed, i), memory, cells, firsts, hashes, places)
    memory.end = memory.states
    memory.layer[0] = memory.states
    memory.layers = 1
    while memory.expanded < memory.states and not must_stop(memory):
        now = memory.expanded
        if now == memory.end:
            if memory.layers == MAX_LAYERS:
                break
            memory.layer[memory.layers] = memory.states - memory.end
            memory.layers += 1
            memory.start = memory.end
            memory.end = memory.states
        if memory.states + MAX_DEGREE > len(hashes) or memory.room + MAX_DEGREE * MAX_CELLS > len(cells):
            break
        state = walked_state(game, memory, cells, firsts, now)
        if not game.is_terminal(state):
            memory.inner += 1
            by_chance, degree = is_by_chance(game, game.to_move(state)), 0
            for action in legal_actions(game, state):
                if not is_possible(game, state, action, by_chance):
                    continue
                degree += 1
                if degree > MAX_DEGREE:
                    return
                include(game, game.result(state, action), memory, cells, firsts, hashes, places)
            memory.edges += degree
        memory.expanded += 1


@kernel
def walked_state(game: Any, memory: Any, cells: Any, firsts: Any, number: int) -> Any:
    """A state of the walk."""
    for i in range(firsts[number + 1] - firsts[number]):
        memory.cells[i] = cells[firsts[number] + i]
    return read_cells(game, memory.cells)


@kernel
def is_possible(game: Any, state: Any, action: int, by_chance: bool) -> bool:
    """Whether this action is not an outcome of chance with probability 0."""
    if defines(game, "probability") and by_chance:
        return bool(game.probability(state, action) > 0)
    return True


@kernel
def include(game: Any, state: Any, memory: Any, cells: Any, firsts: Any, hashes: Any, places: Any) -> None:
    """Add a state to the walk, unless it is there."""
    state_hash, mask = hash_of(game, state, memory), len(places) - 1
    place = place_of(state_hash, hashes, places, mask)
    if places[place] != 0:
        return
    size = write_state(game, state, memory)
    if memory.states == 0:
        for i in range(MAX_CELLS):
            memory.first[i] = memory.low[i] = memory.high[i] = memory.cells[i]
    widen(memory, size)
    for i in range(size):
        cells[memory.room + i] = memory.cells[i]
    memory.room += size
    hashes[memory.states] = state_hash
    memory.states += 1
    firsts[memory.states] = memory.room
    places[place] = memory.states


@kernel
def write_state(game: Any, state: Any, memory: Any) -> int:
    """Write the cells of a state to `memory.cells`; return how many it has."""
    size = write_cells(game, state, memory.cells)
    if size > MAX_CELLS:
        memory.too_large = 1
    return min(size, MAX_CELLS)


@kernel
def widen(memory: Any, size: int) -> None:
    """Note the cells of the present state."""
    for i in range(size):
        if i >= memory.most_count:  # new
            memory.first[i] = memory.low[i] = memory.high[i] = memory.cells[i]
        memory.low[i] = min(memory.low[i], memory.cells[i])
        memory.high[i] = max(memory.high[i], memory.cells[i])
    memory.least_count = min(memory.least_count, size)
    memory.most_count = max(memory.most_count, size)


@kernel
def hash_of(game: Any, state: Any, memory: Any) -> int:
    """The hash of a state, the least one of its images."""
    if defines(game, "symmetries") and memory.merged != 0:
        best, first = 0, True
        for image in game.symmetries(state):
            size = write_state(game, image, memory)
            image_hash = hash_of_cells(memory.cells, size)
            if first or image_hash < best:
                best = image_hash
            first = False
        return best
    size = write_state(game, state, memory)
    return hash_of_cells(memory.cells, size)


@kernel
def hash_of_cells(cells: Any, size: int) -> int:
    """A hash of the cells of a state, not negative."""
    h = mix(SEED, size)  # not by `*`: signed ints that overflow mean nothing in compiled code
    for i in range(size):
        h = mix(h, cells[i])
    return h & 0x7FFF_FFFF_FFFF_FFFF


@kernel
def place_of(state_hash: int, hashes: Any, places: Any, mask: int) -> int:
    """The place of a hash in the table of the walk, or the free one for it."""
    place = state_hash & mask
    while places[place] != 0 and hashes[int(places[place]) - 1] != state_hash:
        place = place + 1 & mask
    return int(place)


@kernel
def play(
    game: Any, walked: Any, cells: Any, firsts: Any, hashes: Any, places: Any, keys: Any, times: Any, random: Any,
    most: int,
) -> None:  # fmt: skip
    """Play random games from random states of the last layer, and count the states of each class that they meet.

    `keys` is a hash table of the hashes of samples, each plus 1, and `times` how often each was met.
    """
    memory, games = pointer(walked), 0
    while memory.plies < most and not must_stop(memory):
        games += 1
        state = walked_state(
            game, memory, cells, firsts, memory.start + random_below(random, memory.end - memory.start)
        )
        plies = 0
        while plies < (LONG if games <= FULL_GAMES else CUT) and not game.is_terminal(state) and not must_stop(memory):
            action = random_action(game, state, random)
            if action == NONE or not is_possible(game, state, action, is_by_chance(game, game.to_move(state))):
                break
            state = game.result(state, action)
            plies += 1
            memory.plies += 1
            if games & 15 == 1:
                if game.is_terminal(state):
                    memory.ended += 1
                else:
                    for _ in legal_actions(game, state):
                        memory.choices += 1
                    memory.met += 1
            if plies <= CUT:  # so that the samples of all games have the same distribution
                count_new_state(game, state, memory, games, hashes, places, keys, times)
        memory.longest = max(memory.longest, plies + memory.layers - 1)


@kernel
def count_new_state(
    game: Any, state: Any, memory: Any, games: int, hashes: Any, places: Any, keys: Any, times: Any
) -> None:
    """Count a state, if the walk lacks it and it is the first one of its class in this game."""
    state_hash = hash_of(game, state, memory)
    if places[place_of(state_hash, hashes, places, len(places) - 1)] != 0:
        return
    group = class_of(game, state, memory, state_hash)
    if memory.last[group] == games:
        return
    memory.last[group] = games
    memory.samples[group] += 1
    mask = len(keys) - 1
    place = state_hash & mask
    while keys[place] != 0 and keys[place] != state_hash + 1:
        place = place + 1 & mask
    if times[place] == 0:
        keys[place] = state_hash + 1
        memory.different[group] += 1
        memory.once[group] += 1
    elif times[place] == 1:
        memory.once[group] -= 1
        memory.twice[group] += 1
    elif times[place] == 2:
        memory.twice[group] -= 1
    if times[place] < 3:
        times[place] += 1


@kernel
def class_of(game: Any, state: Any, memory: Any, state_hash: int) -> int:
    """The class of a state: in how many bits the cells of its image with this hash differ from those of the start."""
    size = write_state(game, state, memory)
    if defines(game, "symmetries") and memory.merged != 0:
        for image in game.symmetries(state):
            size = write_state(game, image, memory)
            if hash_of_cells(memory.cells, size) == state_hash:
                break
    widen(memory, size)
    bits = 0
    for i in range(size):
        changed = (
            memory.cells[i] - memory.first[i] if abs(memory.cells[i]) < 1 << 20 else memory.cells[i] ^ memory.first[i]
        )
        bits += count(abs(changed))
    return min(bits, CLASSES - 1)
