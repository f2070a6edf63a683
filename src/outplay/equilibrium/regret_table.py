"""What Monte Carlo CFR without a tree has learned: a hash table of the information sets that it has visited.

Memory is bounded. When it is full, the known sets continue to learn; at all others, every action is equally likely.
Start at `RegretTable` and `find`.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel
from outplay.compile.records import Layout, layout
from outplay.engine.stopping import NO_LEGAL_ACTION, NO_PLAYER, OTHER_ACTIONS
from outplay.rules.errors import StrategyError
from outplay.rules.game import legal_actions
from outplay.rules.keys import information_key
from outplay.system.threads import MAX_PLIES

BYTES_A_CHOICE = 24 + (8 + 1 + 8) / 2
"""The memory of a choice in `RegretTable`, without its table, if each set has two actions; less if it has more."""
SPACE = 1 << 20
"""The number of values of actions on the way to a state that can be remembered."""


class RegretTable(NamedTuple):
    """What is known about the information sets; set i has the choices from `first[i]` to `first[i + 1]`."""

    table: (
        Any  # int32 [a power of two]: the number of a set plus 1, by its key, by open addressing; 0 marks a free place
    )
    key: Any  # int64 [sets]: the hash of player and information
    owner: Any  # int8 [sets]
    first: Any  # int64 [sets + 1]
    action: Any  # int64 [choices]
    regret: Any  # float64 [choices]
    total: Any  # float64 [choices]: the sum for the average strategy


@cache
def memory_layout() -> Layout:
    """The counters of the table, and the memory of walks and plays."""
    return layout(
        ("sets", int),  # the number of known sets
        ("choices", int),  # the number of their choices
        ("full", int),  # 1: a set has found no room
        ("table_mask", int),  # the size of `RegretTable.table`, less 1
        ("max_sets", int),
        ("max_choices", int),
        ("random", int),  # the state of the random stream
        ("learner", int),  # the player who learns from the present walk or play
        ("epsilon", float),  # how often the learner acts at random in outcome sampling; 0: external sampling
        ("why", int),  # the code of what is wrong, or BY_CALLER
        ("mover", int),  # what `to_move` returned, where it is not a player
        ("path", int, (MAX_PLIES, 2)),  # the learner's sets in a play, and the index of what was chosen
        ("space", float, SPACE),  # values of actions in a walk; the `odds` of a play
    )


def new_table(megabytes: float) -> dict[str, NDArray[Any]]:
    """The arrays of an empty `RegretTable`, by name, in at most this many megabytes (of 10**6 bytes)."""
    size = megabytes * 1e6
    table = min(1 << int(np.log2(size / 24)), 1 << 32)  # at most seven in ten places are ever taken
    choices = int((size - 4 * table - 1000) / BYTES_A_CHOICE)  # a solver's small arrays take less than 1000 bytes
    sets = min(choices // 2, 2**31 - 2)  # the numbers of sets are int32
    return {
        "table": np.zeros(table, np.int32),
        "key": np.zeros(sets, np.int64),
        "owner": np.zeros(sets, np.int8),
        "first": np.zeros(sets + 1, np.int64),
        "action": np.zeros(choices, np.int64),
        "regret": np.zeros(choices),
        "total": np.zeros(choices),
    }


def check_table(content: dict[str, NDArray[Any]], sets: int, choices: int) -> None:
    """Raise `StrategyError` for saved arrays that do not fit together."""
    lengths = [len(content[name]) for name in ("key", "owner", "action", "regret", "total", "first")]
    if lengths != [sets] * 2 + [choices] * 3 + [sets + 1] or (
        content["first"][0] != 0 or content["first"][-1] != choices or (np.diff(content["first"]) < 1).any()
    ):
        raise StrategyError("its arrays do not fit together")


@kernel
def positive_regret(game: Any, state: Any, number: int, sets: Any, memory: Any) -> tuple[float, int]:
    """Return the sum of the regrets above 0 at set `number`, if it is not -1, and the number of actions in `state`."""
    first, expected = (sets.first[number], sets.first[number + 1] - sets.first[number]) if number >= 0 else (0, 0)
    above, actions = 0.0, 0
    for action in legal_actions(game, state):
        if actions < expected:
            above += max(sets.regret[first + actions], 0.0)
            if sets.action[first + actions] != action:
                memory.why = OTHER_ACTIONS
        actions += 1
    if number >= 0 and actions != expected:
        memory.why = OTHER_ACTIONS
    if actions == 0:
        memory.why = NO_LEGAL_ACTION
    return above, actions


@kernel
def regret_matching_probability(sets: Any, choice: int, above: float, actions: int) -> float:
    """Return the probability of a choice; all are equal if no regret is above 0, and at an unknown set."""
    return max(sets.regret[choice], 0.0) / above if above > 0 else 1 / actions


@kernel
def drawn_index(sets: Any, first: int, above: float, actions: int, drawn: float) -> int:
    """Return the index of the choice that `drawn`, from 0 to 1, falls on."""
    index = 0
    drawn -= regret_matching_probability(sets, first, above, actions)
    while drawn >= 0 and index < actions - 1:
        index += 1
        drawn -= regret_matching_probability(sets, first + index, above, actions)
    return index


@kernel
def find(game: Any, state: Any, mover: int, sets: Any, memory: Any) -> int:
    """Return the information set of `mover` in `state`, entering it if new; -1 if there is no choice or no room."""
    if mover < 0 or mover >= game.players:
        memory.why, memory.mover = NO_PLAYER, mover
        return -1
    key = information_key(game, state, mover)
    place = key & memory.table_mask
    while sets.table[place] > 0 and sets.key[sets.table[place] - 1] != key:
        place = place + 1 & memory.table_mask
    if sets.table[place] > 0:
        return int(sets.table[place]) - 1
    number, end = memory.sets, memory.choices
    for action in legal_actions(game, state):
        if end < memory.max_choices:
            sets.action[end] = action
        end += 1
    if end < memory.choices + 2:
        return -1
    if end > memory.max_choices or number == memory.max_sets:
        memory.full = 1
        return -1
    sets.table[place], sets.key[number], sets.owner[number] = number + 1, key, mover
    sets.first[number], sets.first[number + 1] = memory.choices, end
    memory.sets, memory.choices = number + 1, end
    return int(number)


@kernel
def enter(table: Any, key: Any, sets: int) -> None:
    """Enter the sets into an empty table."""
    mask = len(table) - 1
    for number in range(sets):
        place = key[number] & mask
        while table[place] > 0:
            place = place + 1 & mask
        table[place] = number + 1
