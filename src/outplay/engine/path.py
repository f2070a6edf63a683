"""The states from the start of the game to the present node, for games in which a state must not come twice.

A game that says `repetition = "draw"` ends there in a draw; with `"loss"` the player who repeats loses; with
`"forbidden"` an action that repeats is illegal, and a player who has no other one loses. The path begins with those of
the states before the root (`history`) that have come as often as they may.

What the table holds must be true on any path. A draw by repetition is true only on the path that it closes. So each
such draw leaves the ply of the state that it came back to in `loop`, and a node below that ply keeps its action but not
its value. What is left does not depend on the path: a player who can force a win need not repeat, and a player who
cannot be forced to lose may, so ending at the first repetition gives a state its value in the game that goes on for
ever (a draw). Losses and prohibitions do change values: there the sum of all keys on the path is mixed into the key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outplay.compile.kernels import kernel
from outplay.compile.options import CompileTimeOptions
from outplay.compile.records import view
from outplay.engine.score import encode
from outplay.engine.workspace import (
    PLIES,
    Workspace,
)
from outplay.rules.game import Game
from outplay.rules.keys import SEED, mix
from outplay.rules.repetition import used_up, worst


@dataclass(frozen=True)
class Repetition(CompileTimeOptions):
    """What follows when a state comes again, as a constant of compiled code: "", "draw", "loss" or "forbidden"."""

    repetition: str


def begin_path(game: Game, past: Sequence[Any], root: int, memory: Workspace) -> None:
    """Put the states of `past` that count on the path, before the state with key `root`, and what repetition costs."""
    fields = view(memory)
    for key in used_up(game, past):
        if key != root:
            put_on_path.interpreted(fields, fields.root_ply, key)
            fields.root_ply += 1
    memory.repetition_score = encode(worst(game)) if game.repetition in ("loss", "forbidden") else 0


@kernel
def put_on_path(memory: Any, ply: int, key: int) -> int:
    """Put a state on the path; the ply at which the same state stands already, or -1."""
    place = min(ply, PLIES - 1)
    memory.path.key[place] = key
    memory.path.key_sum[place] = key if ply == 0 else key ^ memory.path.key_sum[place - 1]
    return ply_on_path(memory, ply, key)


@kernel
def ply_on_path(memory: Any, ply: int, key: int) -> int:
    """Before which `ply` the state with `key` stands on the path, or -1."""
    for earlier in range(ply - 1, -1, -1):
        if memory.path.key[earlier] == key:
            return earlier
    return -1


@kernel
def key_with_path(memory: Any, ply: int, key: int) -> int:
    """A key for a state together with all before it, in whatever order they came."""
    return mix(mix(SEED, key), memory.path.key_sum[ply - 1]) if ply > 0 else key
