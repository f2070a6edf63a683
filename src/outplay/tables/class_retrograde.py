"""The values of a class whose states are expanded: predecessors, and the way back from the ends and the ways out."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, prefetch
from outplay.engine.workspace import must_stop
from outplay.tables.class_expansion import DECIDED, DONE, END, OPTIONS, OWN, PAUSED, TOO_FAR, UNKNOWN

MAX_PLIES = 0xFFFE
"""The maximum distance."""


@kernel
def count_edges(targets: Any, first: Any) -> None:
    """Count the edges to each index i in `first[i + 2]`."""
    for edge in range(len(targets)):
        first[(targets[edge] >> 1) + 2] += 1


@kernel
def reverse_edges(
    start: int, opened: Any, levels: Any, targets: Any, first: Any, sources: Any, low: int, high: int, base: int,
    work: Any,
) -> None:  # fmt: skip
    """Put the indices from `start` on among the predecessors of their successors from `low` to `high`.

    `first[i + 1]` is the next place of the predecessors of i, counted from `base` on in `sources`.
    """
    memory, firsts, edge = pointer(work), pointer(first), 0
    for index in range(len(opened)):
        if must_stop(memory):
            return
        for _ in range(degree_of(opened[index], levels[index])):
            if edge + 16 < len(targets):
                prefetch(firsts, int(targets[edge + 16] >> 1) + 1)
            after = int(targets[edge] >> 1)
            if low <= after < high:
                sources[int(first[after + 1]) - base] = start + index << 1 | int(targets[edge] & 1)
                first[after + 1] += 1
            edge += 1


@kernel
def degree_of(opened: int, level: int) -> int:
    """The number of successors in the class: of options, without the way out."""
    options = opened & OPTIONS
    return int(options - 1 if options > 0 and level != UNKNOWN else options)


def exits_of(
    opened: NDArray[np.uint16], levels: NDArray[np.uint8], plies: NDArray[np.uint16], draw: int
) -> NDArray[np.uint32]:
    """The ends and the states with a way out, if they are no draws: the greatest gains first, then the nearest."""
    exits = np.flatnonzero((levels != UNKNOWN) & (levels != draw)).astype(np.uint32)
    away = plies[exits] + (opened[exits] != END).astype(np.uint16)
    exits = exits[np.argsort(away, kind="stable")]  # which sorts short integers by their digits
    gains = np.abs(levels[exits].astype(np.int16) - draw).astype(np.uint8)
    return exits[np.argsort(UNKNOWN - gains, kind="stable")]


@kernel
def propagate(
    opened: Any, plies: Any, levels: Any, exits: Any, first: Any, sources: Any, queue: Any, draw: int, work: Any,
) -> int:  # fmt: skip
    """Value all states that some side can force to be better than a draw; why it ended.

    `levels` and `plies` have the ends and the ways out, and get the values; `exits` has what `exits_of` returns. The
    queue has the states that were valued, with a bit for those above a draw. One gain comes after the other, and of
    each the states that are `away` plies from the end; then it is PAUSED, and they may be put in another order.
    """
    memory, firsts, befores, options_of = pointer(work), pointer(first), pointer(sources), pointer(opened)
    head, tail, out, gain, away = memory.head, memory.tail, memory.out, memory.gain, memory.away
    while not must_stop(memory):
        # 1. The ends and the ways out with this gain at this distance.
        while out < len(exits):
            index = int(exits[out])
            options = int(opened[index])
            if options & DECIDED == 0:
                distance = 0 if options == END else int(plies[index]) + 1
                if head == tail:  # the next distance, or the next gain
                    gain, away = abs(int(levels[index]) - draw), distance
                above = levels[index] > draw
                if distance != away or abs(int(levels[index]) - draw) != gain:
                    break
                if options != END and (options & OWN != 0) != above:  # the mover loses
                    options -= 1
                    opened[index] = options
                if options == END or (options & OWN != 0) == above or options & OPTIONS == 0:
                    opened[index], plies[index] = options | DECIDED, away
                    queue[tail] = index << 1 | above
                    tail += 1
            out += 1
        if head == tail:
            break
        if memory.paused == 0:
            memory.head, memory.tail, memory.out, memory.gain, memory.away = head, tail, out, gain, away
            memory.paused = 1
            return PAUSED
        memory.paused = 0
        # 2. Back from the states at this distance.
        end, away = tail, away + 1
        if away > MAX_PLIES:
            return TOO_FAR
        while head < end and not must_stop(memory):
            index, above = int(queue[head] >> 1), int(queue[head] & 1)
            head += 1
            # What comes soon is fetched from memory meanwhile.
            if head + 8 < tail:
                prefetch(firsts, int(queue[head + 8] >> 1))
            if head + 4 < tail:
                prefetch(befores, int(first[queue[head + 4] >> 1]))
            if head + 1 < tail:
                following = int(queue[head + 1] >> 1)
                for i in range(first[following], first[following + 1]):
                    prefetch(options_of, int(sources[i] >> 1))
            for i in range(first[index], first[index + 1]):
                before, side = int(sources[i] >> 1), above ^ int(sources[i] & 1)
                options = int(opened[before])
                if options & DECIDED:
                    continue
                if (options & OWN != 0) != (side == 1):  # the mover loses
                    options -= 1
                    opened[before] = options
                    if options & OPTIONS:
                        continue
                opened[before] = options | DECIDED
                levels[before], plies[before] = draw + gain if side else draw - gain, away
                queue[tail] = before << 1 | side
                tail += 1
    return DONE
