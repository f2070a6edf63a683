"""The path: the states from the start of the game to the current node, for games with a rule of repetition.

With `repetition = "draw"`, a repeated state ends the game in a draw; with `"loss"`, the player who repeats loses; with
`"forbidden"`, an action that repeats a state is illegal, and a player without another action loses. The path begins
with those states before the root (`previous_states`) that may not occur again.

Entries of the transposition table must hold on any path, but a draw by repetition holds only on the path that it
closes. So each such draw stores the ply of the repeated state in `loop`, and nodes below that ply keep their action in
the table but not their value. The other values do not depend on the path. A player who can force a win need not repeat
a state, and a player who cannot be forced to lose may repeat. So ending the game at the first repetition gives a state
the same value as a game that may go on for ever and is then a draw. Losses and illegal actions do change values: there,
the sum of all keys on the path is mixed into the key of a state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outplay.compile.kernels import kernel
from outplay.compile.options import CompileTimeOptions
from outplay.compile.records import view
from outplay.engine.score import encode
from outplay.engine.workspace import PLIES, Workspace
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import Game
from outplay.rules.keys import SEED, mix
from outplay.rules.repetition import repetition_keys, worst


@dataclass(frozen=True)
class Repetition(CompileTimeOptions):
    """The rule of repetition, as a constant of compiled code: "", "draw", "loss" or "forbidden"."""

    repetition: str


def begin_path(game: Game, past: Sequence[Any], root: int, memory: Workspace) -> None:
    """Put the states of `past` that may not occur again on the path, and set the score of a repetition.

    `root` is the key of the state to be searched, which comes after them.
    """
    fields = view(memory)
    for key in repetition_keys(game, past):
        if key != root:
            put_on_path.interpreted(fields, fields.root_ply, key)
            fields.root_ply += 1
    memory.repetition_score = (
        encode(worst(game) - draw_utility(game)) if game.repetition in ("loss", "forbidden") else 0
    )


@kernel
def put_on_path(memory: Any, ply: int, key: int) -> int:
    """Put a state on the path. Returns the earlier ply at which the same state is on the path, or -1."""
    place = min(ply, PLIES - 1)
    memory.path.key[place] = key
    memory.path.key_sum[place] = key if ply == 0 else key ^ memory.path.key_sum[place - 1]
    return last_ply_with_key(memory, ply, key)


@kernel
def last_ply_with_key(memory: Any, ply: int, key: int) -> int:
    """The last ply before `ply` at which the state with `key` is on the path, or -1."""
    for earlier in range(ply - 1, -1, -1):
        if memory.path.key[earlier] == key:
            return earlier
    return -1


@kernel
def key_with_path(memory: Any, ply: int, key: int) -> int:
    """A key for a state together with the states before it, in any order."""
    return mix(mix(SEED, key), memory.path.key_sum[ply - 1]) if ply > 0 else key
