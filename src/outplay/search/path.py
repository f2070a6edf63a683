"""The states from the start of the game to the present node, for games in which a state must not come twice.

A game that says `repetition = "draw"` ends there in a draw; with `"loss"` the player who repeats loses; with
`"forbidden"` an action that repeats is illegal, and a player who has no other one loses.

What the table holds must be true on any path. A draw by repetition is true only on the path that it closes. So each
such draw leaves the ply of the state that it came back to in LOOP, and a node below that ply keeps its action but not
its value. What is left does not depend on the path: a player who can force a win need not repeat, and a player who
cannot be forced to lose may, so ending at the first repetition gives a state its value in the game that goes on for
ever (a draw). Losses and prohibitions do change values: there the sum of all keys on the path is mixed into the key.
"""

from typing import Any

from outplay.kernels import kernel
from outplay.keys import SEED, mix
from outplay.search.workspace import PATH, PLIES

KEY, SUM, ACTION = range(3)
CELLS = 3


@kernel
def step(memory: Any, ply: int, key: int) -> int:
    """Put a state on the path; the ply at which the same state stands already, or -1."""
    place = PATH + CELLS * min(ply, PLIES - 1)
    memory[place + KEY] = key
    memory[place + SUM] = key if ply == 0 else key ^ memory[place - CELLS + SUM]
    return ply_of(memory, ply, key)


@kernel
def ply_of(memory: Any, ply: int, key: int) -> int:
    """Before which `ply` the state with `key` stands on the path, or -1."""
    for earlier in range(ply - 1, -1, -1):
        if memory[PATH + CELLS * earlier + KEY] == key:
            return earlier
    return -1


@kernel
def key_with_path(memory: Any, ply: int, key: int) -> int:
    """A key for a state together with all before it, in whatever order they came."""
    return mix(mix(SEED, key), memory[PATH + CELLS * (ply - 1) + SUM]) if ply > 0 else key
