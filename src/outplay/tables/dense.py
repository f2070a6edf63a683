"""One class of states, solved: values and distances of all indices, by retrograde analysis.

1. `expand` makes the state of each index, and notes for it who moves, what the game says if it is over, the best way
   out into classes that are solved already, and its successors in this class. An index is a hole if the state that
   `indexed_state` makes of it has another index.
2. `predecessors` turns successors into predecessors.
3. `propagate` goes back from the ends and the ways out (Thompson 1986, with the counters of Gasser 1996), the greatest
   gains first, and those of the same value in the order of their distance. What nobody can force is a draw.

Values are those of `index_player`. A level is the place of a value among `utilities`, which are symmetric about a draw:
the last level minus a level is its value for the other side. An edge has a bit that says whether the two states are
numbered from the sides of different players.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout, new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER, NO_UTILITY, StopReason
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import balance
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, defines, friends_of, legal_actions
from outplay.tables.discovery import level_of
from outplay.tables.edges import reversed_edges

HOLE, END, OWN, OTHER = range(4)
"""The kinds of indices: no state has it, the game is over, `index_player` or their side moves, or the other side."""
UNKNOWN = 255
"""The level of a hole, and of a state that is not solved."""
MAX_LEVELS = 254
"""The maximum number of levels."""
MAX_PLIES = 0xFFFE
"""The maximum distance."""
MAX_INDICES = 2**31 - 1
"""The maximum number of indices of a class: an edge has 31 bits for one."""
MAX_DEGREE = 4096
"""The maximum number of actions of a state."""
DONE, FULL, NEEDS, NO_INDEX, TOO_MANY = range(5)
"""Why `expand` ended: all is done, it needs room for edges, or another class, a successor has no index, or there are
too many utilities or actions."""
LAYOUT = layout(
    *COUNTERS,
    ("at", int),  # the next index
    ("edges", int),
    ("needed", int),  # the class of a successor that is not solved yet
    ("levels", int),
    ("friends", int),  # the players on the side of player 0, a bit each
    ("utility", float, MAX_LEVELS),
)


class Solved(NamedTuple):
    """A class of states with values and distances."""

    number: int
    """The number of the class."""
    utilities: tuple[float, ...]
    """The utilities of `index_player` that occur, those of the other side, and that of a draw, in ascending order."""
    levels: NDArray[np.uint8]
    """The place of the value of each index in `utilities`; `UNKNOWN` for holes."""
    plies: NDArray[np.uint16]
    """The plies to the end of the game; 0 in draws, at ends and for holes."""


class Known(NamedTuple):
    """Solved classes, side by side, for kernels."""

    numbers: NDArray[np.int64]
    starts: NDArray[np.int64]  # [classes]: where each class begins in `levels` and `plies`,
    first: NDArray[np.int64]  # and in `utilities`
    utilities: NDArray[np.float64]
    levels: NDArray[np.uint8]
    plies: NDArray[np.uint16]


def known(classes: list[Solved]) -> Known:
    """Classes side by side."""
    sizes = np.array([0, *(len(each.levels) for each in classes)], np.int64)
    counts = np.array([0, *(len(each.utilities) for each in classes)], np.int64)
    return Known(
        np.array([each.number for each in classes], np.int64),
        np.cumsum(sizes)[:-1],
        np.cumsum(counts)[:-1],
        np.array([utility for each in classes for utility in each.utilities], np.float64),
        np.concatenate([np.zeros(0, np.uint8), *(each.levels for each in classes)]),
        np.concatenate([np.zeros(0, np.uint16), *(each.plies for each in classes)]),
    )


class DenseSolver:
    """Solves one class of a game. Call `expand` until it returns DONE, with the classes that it needs; then `solve`.

    Raises `OutplayError` if the class is too large for the memory.
    """

    def __init__(self, game: Game, number: int, memory_mb: float) -> None:
        self.game, self.number, self.memory_mb = game, number, memory_mb
        self.count = int(game.index_count(number))
        self.name = game.class_name(number)
        if not 0 < self.count <= MAX_INDICES:
            raise OutplayError(f"class {self.name} of {game!r} has {self.count:,} indices: 1 to {MAX_INDICES:,} can be")
        self.memory = new_record(LAYOUT, ("utility",))
        self.memory.search = 1
        self.memory.friends = friends_of(game)
        self.check_memory(self.count * 24 + MAX_DEGREE * 4)
        self.kinds, self.ends = np.zeros(self.count, np.uint8), np.full(self.count, UNKNOWN, np.uint8)
        self.away, self.degrees = np.zeros(self.count, np.uint16), np.zeros(self.count, np.uint16)
        self.targets = np.zeros(4 * self.count + 2 * MAX_DEGREE, np.uint32)

    def check_memory(self, size: int) -> None:
        """Raise `OutplayError` if so many bytes are more than allowed."""
        if size > self.memory_mb * 1e6:
            raise OutplayError(
                f"class {self.name} of {self.game!r}, {self.count:,} indices, does not fit into {self.memory_mb:g}"
                f" megabytes; it needs about {size / 1e6:,.0f}: increase memory_mb"
            )

    def expand(self, solved: list[Solved]) -> int:
        """Go on with the indices that are not expanded yet; NEEDS if `memory.needed` must be solved first."""
        classes = known(solved)
        while (why := self._expand(classes)) == FULL:
            more = np.zeros(len(self.targets) * 3 // 2 + MAX_DEGREE, np.uint32)
            self.check_memory(self.count * 24 + more.nbytes * 2)
            more[: len(self.targets)] = self.targets
            self.targets = more
        at = f"index {int(self.memory.at):,} of class {self.name} of {self.game!r}"
        if why == NO_INDEX:
            raise OutplayError(
                f"an action leads from {at} to a state without an index: state_class or state_index gives a number"
                " below 0, or state_index one that is not below index_count"
            )
        if why == TOO_MANY:
            raise OutplayError(
                f"{at}: too many actions, or more than {MAX_LEVELS // 2} different utilities, for a table"
            )
        if reason := REASONS.get(int(self.memory.why)):
            raise OutplayError(f"{at} cannot be solved: {reason}; outplay check says where")
        return why

    def _expand(self, classes: Known) -> int:
        args = (
            self.game, self.number, self.count, self.memory, self.kinds, self.ends, self.away, self.degrees,
            self.targets, *classes,
        )  # fmt: skip
        return int(expand(*args))

    def solve(self) -> Solved | None:
        """The values, once all indices are expanded; None if `memory.stop` ended it."""
        draw, memory = balance(self.game), self.memory
        found = memory.utility[: memory.levels]
        utilities = np.unique(np.concatenate([found, 2 * draw - found, [draw]]))
        if len(utilities) > MAX_LEVELS:
            raise OutplayError(f"class {self.name} of {self.game!r} has {len(utilities)} values: at most {MAX_LEVELS}")
        rank = np.full(UNKNOWN + 1, UNKNOWN, np.uint8)
        rank[: len(found)] = np.searchsorted(utilities, found)
        ends, middle = rank[self.ends], len(utilities) // 2
        # Ends and ways out, by gain and then by distance.
        gains = np.abs(ends.astype(np.int64) - middle)
        exits = np.flatnonzero((ends != UNKNOWN) & (gains > 0))
        exits = exits[np.lexsort((self.away[exits] + (self.kinds[exits] != END), -gains[exits]))].astype(np.uint32)
        targets = self.targets[: memory.edges]
        first, sources = predecessors(self.degrees, targets, memory)
        self.targets = targets = np.zeros(0, np.uint32)
        levels, plies = np.full(self.count, UNKNOWN, np.uint8), np.zeros(self.count, np.uint16)
        left = self.degrees.astype(np.int32) + ((ends != UNKNOWN) & (self.kinds != END))
        queue = np.zeros(self.count, np.uint32)
        args = self.kinds, ends, self.away, exits, first, sources, left, middle, queue, levels, plies, memory
        is_short = propagate(*args)
        if memory.why:
            return None
        if not is_short:
            raise OutplayError(f"class {self.name} of {self.game!r} has games of more than {MAX_PLIES:,} plies")
        levels[(levels == UNKNOWN) & (self.kinds != HOLE)] = middle
        return Solved(self.number, tuple(utilities.tolist()), levels, plies)


REASONS = {
    NO_LEGAL_ACTION: "a state that is not terminal has no legal action",
    NO_PLAYER: "to_move or index_player returned a number that is not a player",
    NO_UTILITY: "a utility is not a number",
}


def interruptible(memory: Any, work: Any, report: Any) -> bool:
    """Run `work()` in a thread that Ctrl-C stops through `memory`; whether it was not stopped."""

    def stop(_: int) -> None:
        memory.stop = -1

    runner = SearchRunner(None, lambda: 1, stop, report)
    runner.run(work)
    return runner.stopped != StopReason.INTERRUPTED


@kernel
def place_of(numbers: Any, number: int) -> int:
    """The place of a class among the solved ones; -1 if it is not there."""
    for i in range(len(numbers)):
        if numbers[i] == number:
            return i
    return -1


@kernel
def viewer(game: Any, state: Any) -> int:
    """The player from whose side the state is numbered."""
    if defines(game, "index_player"):
        return int(game.index_player(state))
    return 0


@kernel
def expand(
    game: Any, number: int, count: int, work: Any, kinds: Any, ends: Any, away: Any, degrees: Any, targets: Any,
    numbers: Any, starts: Any, first: Any, utilities: Any, levels: Any, plies: Any,
) -> int:  # fmt: skip
    """Find who moves at each index, the ways out and the successors; why it ended."""
    memory, draw = pointer(work), balance(game)
    while memory.at < count and not must_stop(memory):
        now = memory.at
        if memory.edges + MAX_DEGREE > len(targets):
            return FULL
        state = game.indexed_state(number, now)
        if game.state_class(state) != number or game.state_index(state) != now:
            kinds[now] = HOLE
            memory.at += 1
            continue
        own = viewer(game, state)
        if own < 0 or own >= game.players:
            memory.why = NO_PLAYER
            return DONE
        if game.is_terminal(state):
            level = level_of(game.utility(state, own), memory, MAX_LEVELS)
            if level < 0:
                return TOO_MANY
            kinds[now], ends[now] = END, level
            memory.at += 1
            continue
        mover = game.to_move(state)
        if mover < 0 or mover >= game.players:
            memory.why = NO_PLAYER
            return DONE
        side, degree, has_exit, best, best_away, actions = memory.friends >> own & 1, 0, False, 0.0, 0, 0
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
                if degree == MAX_DEGREE:
                    return TOO_MANY
                targets[memory.edges + degree] = index << 1 | flip
                degree += 1
                continue
            place = place_of(numbers, child_class)
            if place < 0:
                memory.needed = child_class
                return NEEDS
            at = starts[place] + index
            if at >= (starts[place + 1] if place + 1 < len(starts) else len(levels)) or levels[at] == UNKNOWN:
                return NO_INDEX
            value, ply = utilities[first[place] + levels[at]], int(plies[at])
            value = 2 * draw - value if flip else value
            gain = sign * (value - draw)  # of the mover
            ahead = sign * (best - draw)
            if not has_exit or gain > ahead or (gain == ahead and (ply < best_away if gain > 0 else ply > best_away)):
                has_exit, best, best_away = True, value, ply
        if actions == 0:
            memory.why = NO_LEGAL_ACTION
            return DONE
        kinds[now] = OWN if sign > 0 else OTHER
        if has_exit:
            level = level_of(best, memory, MAX_LEVELS)
            if level < 0:
                return TOO_MANY
            ends[now], away[now] = level, best_away
        degrees[now] = degree
        memory.edges += degree
        memory.nodes += actions
        memory.at += 1
    return DONE


@kernel
def predecessors(degrees: Any, targets: Any, work: Any) -> Any:
    """The predecessors of each index, with their bit, as `reversed_edges` has them."""
    return reversed_edges(degrees, targets, 1, pointer(work))


@kernel
def propagate(
    kinds: Any, ends: Any, away: Any, exits: Any, first: Any, sources: Any, left: Any, draw: int, queue: Any,
    levels: Any, plies: Any, work: Any,
) -> bool:  # fmt: skip
    """Value all states that some side can force to be better than a draw; False if a distance is too large.

    `exits` are the ends and the states with a way out, the greatest gains first, then the nearest.
    """
    memory = pointer(work)
    head = tail = out = gain = 0
    while (head < tail or out < len(exits)) and not must_stop(memory):
        if head == tail:  # all of this gain is done
            index = int(exits[out])
            gain = abs(int(ends[index]) - draw)
        from_queue = head < tail
        if out < len(exits):
            index = int(exits[out])
            if abs(int(ends[index]) - draw) == gain and (
                head == tail or (0 if kinds[index] == END else away[index] + 1) <= int(plies[queue[head]]) + 1
            ):
                from_queue = False
        if not from_queue:
            index = int(exits[out])
            out += 1
            if levels[index] != UNKNOWN:
                continue
            level = int(ends[index])
            if kinds[index] == END:
                levels[index] = level
                queue[tail] = index
                tail += 1
                continue
            mover_gains = (kinds[index] == OWN) == (level > draw)
            if not mover_gains:
                left[index] -= 1
            if mover_gains or left[index] == 0:
                if away[index] >= MAX_PLIES:
                    return False
                levels[index], plies[index] = level, away[index] + 1
                queue[tail] = index
                tail += 1
            continue
        index = int(queue[head])
        head += 1
        if plies[index] >= MAX_PLIES:
            return False
        for i in range(first[index], first[index + 1]):
            before = int(sources[i] >> 1)
            if levels[before] != UNKNOWN:
                continue
            level = 2 * draw - int(levels[index]) if sources[i] & 1 else int(levels[index])
            mover_gains = (kinds[before] == OWN) == (level > draw)
            if not mover_gains:
                left[before] -= 1
            if mover_gains or left[before] == 0:
                levels[before], plies[before] = level, plies[index] + 1
                queue[tail] = before
                tail += 1
    return True
