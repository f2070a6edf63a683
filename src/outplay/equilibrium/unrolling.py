"""Unrolling: the extensive form of a game, written out from its rules.

The game is traversed twice, first to count its nodes and then to fill arrays of that size. Reading order: `unroll`;
`grow`, the kernel; `_finished`, which numbers sets and sequences player by player. The result is the `GameTree` of
`tree.py`.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from outplay.check.quick import check_rules
from outplay.compile.kernels import kernel, native_type, pointer, pointers, prepare_packed, unpack
from outplay.compile.records import Layout, Record, layout, new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import (
    BY_CALLER,
    FORGOTTEN,
    MEMORY_FULL,
    NO_LEGAL_ACTION,
    NO_PLAYER,
    OTHER_ACTIONS,
    TOO_DEEP,
    StopReason,
)
from outplay.equilibrium.tree import END, GameTree, path_to, played
from outplay.rules.arguments import check_is_game, is_number
from outplay.rules.errors import OutplayError, RulesError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import information_key
from outplay.rules.numbered import numbered
from outplay.system.threads import MAX_PLIES

BYTES_A_NODE = 130
"""Roughly the memory that each node takes in the arrays of a tree and in what solvers derive from them."""
CLOSE = 1e-9
"""The probabilities of outcomes must sum to 1 within this tolerance."""
SMALL = 2000
"""Games of up to this many nodes are traversed by the interpreter: compiling would take a hundred times longer."""
_not_small: set[Any] = set()
"""The types of games with more nodes, for which the traversal is compiled already."""


class TreeTooLarge(OutplayError):
    """A tree with more nodes than fit."""


class TreeBuffers(NamedTuple):
    """The arrays that a tree is written into; see `GameTree`. Sets and sequences are numbered as they are found."""

    parent: Any  # int32 [nodes]
    action: Any  # int64 [nodes]
    player: Any  # int8 [nodes]
    information: Any  # int32 [nodes]
    chance: Any  # float64 [nodes]
    end_node: Any  # int32 [ends]
    end_chance: Any  # float64 [ends]
    end_sequences: Any  # int32 [ends * players]
    utilities: Any  # float64 [ends * players]
    key: Any  # int64 [sets]
    owner: Any  # int8 [sets]
    before: Any  # int32 [sets]: the sequence of the owner that leads there
    first: Any  # int32 [sets]: the sequence of the first action
    number: Any  # int32 [sets]: the number of actions
    node: Any  # int32 [sets]: the first node found in it
    sequence_action: Any  # int64 [sequences]
    table: Any  # int32 [a power of two]: sets by their keys, by open addressing; -1 marks a free place


@lru_cache(maxsize=32)
def memory_layout(players: int) -> Layout:
    """The counters of a traversal."""
    return layout(
        ("nodes", int),
        ("max_nodes", int),
        ("ends", int),
        ("decisions", int),  # nodes at which a player moves
        ("edges", int),  # actions at these nodes
        ("sets", int),
        ("sequences", int),
        ("table_mask", int),  # the size of the table of sets, less 1
        ("stop", int),  # 1: the calling thread asks to stop
        ("why", int),  # the code of what is wrong with the game
        ("at_node", int),  # where that is: a node, or for NO_PLAYER what `to_move` returned
        ("other_node", int),  # the node that it contradicts
        ("last", int, (players,)),  # the present sequence of each player
    )


def unroll(
    game: Game,
    *,
    memory_mb: float = 4096,
    progress: Callable[[int, int], None] | None = None,
    check: bool = True,
) -> GameTree:
    """Return the extensive form of `game`, from its initial state.

    Args:
        game: the game.
        memory_mb: the maximum memory of the tree in megabytes.
        progress: called as `progress(nodes, of)` ten times a second; `of` is 0 while nodes are still being counted.
        check: test the laws of the game first.

    Ctrl-C raises `KeyboardInterrupt`. Raises `OutplayError` if the tree would take more than `memory_mb` megabytes.
    Raises `RulesError`, with two states as evidence, if a player has different actions at the same information, or has
    forgotten something they knew or did before (imperfect recall).

    >>> from outplay.games import KuhnPoker
    >>> unroll(KuhnPoker())
    <GameTree of KuhnPoker(): 58 nodes, 12 information sets>
    """
    check_is_game(game, "unroll")
    game = numbered(game)
    if not is_number(memory_mb) or not 0 < memory_mb < math.inf:
        raise ValueError(f"unroll(memory_mb={memory_mb!r}): must be a finite number of megabytes, greater than 0")
    if game.repetition is not None:
        raise UnsuitableGame(f"{game!r} cannot be unrolled: its rule of repetition is not part of its states")
    if check:
        check_rules(game)
    players, all_that_fit = game.players, min(int(memory_mb * 1e6 / BYTES_A_NODE), 2**31 - 2)
    memory = new_record(memory_layout(players))

    # 1. Count.
    interpreted = game.compiled is None and not (_not_small and native_type(game) in _not_small)
    if interpreted:
        memory.max_nodes = min(SMALL, all_that_fit)
        _go(measure_from, game, (memory,), True, progress, 0)
        interpreted = bool(memory.why != MEMORY_FULL)
    if not interpreted:
        memory = new_record(memory_layout(players))
        memory.max_nodes = all_that_fit
        _go(measure_from, game, (memory,), False, progress, 0)
        _not_small.add(native_type(game))
    if memory.why == MEMORY_FULL:
        raise TreeTooLarge(
            f"{game!r} has more than {all_that_fit:,} nodes, which do not fit into {memory_mb:g} megabytes: increase"
            " memory_mb, choose a smaller game, or use an algorithm that does not unroll it, TreelessMCCFR (outplay"
            " equilibrium --no-tree) or the search ISMCTS"
        )
    _complain(game, memory, [])
    nodes, ends, decisions, edges = (
        int(count) for count in (memory.nodes, memory.ends, memory.decisions, memory.edges)
    )

    # 2. Fill the arrays.
    memory = new_record(memory_layout(players))
    memory.sequences, memory.last[:] = players, np.arange(players)
    growth = TreeBuffers(
        np.full(nodes, -1, np.int32), np.full(nodes, -1, np.int64), np.zeros(nodes, np.int8),
        np.full(nodes, -1, np.int32), np.ones(nodes), np.zeros(ends, np.int32), np.zeros(ends),
        np.zeros(ends * players, np.int32), np.zeros(ends * players),
        np.zeros(decisions, np.int64), np.zeros(decisions, np.int8), np.zeros(decisions, np.int32),
        np.zeros(decisions, np.int32), np.zeros(decisions, np.int32), np.zeros(decisions, np.int32),
        np.full(edges + players, -1, np.int64), np.full(2 << decisions.bit_length(), -1, np.int32),
    )  # fmt: skip
    memory.table_mask = len(growth.table) - 1
    _go(grow_from, game, (growth, memory), interpreted, progress, nodes)
    _complain(game, memory, growth)
    _check_numbers(game, growth)
    return _finished(game, growth, int(memory.sets), int(memory.sequences))


def _go(
    run: Any, game: Game, args: tuple[Any, ...], interpreted: bool, progress: Callable[[int, int], None] | None, of: int
) -> None:
    """Run one of the passes, showing progress and handling Ctrl-C; the last of `args` is the memory."""
    memory = args[-1]

    def prepare(packed: Any) -> Callable[[], None]:
        form = run.interpreted if interpreted else run.prepare(game, packed, *args)
        return lambda: form(game, packed, *args)

    def stop(_: int) -> None:
        memory.stop = 1

    def show() -> None:
        if progress is not None:
            progress(int(memory.nodes), of)

    states = [game.initial_state()]
    watch = SearchRunner(None, lambda: 1, stop, show)
    watch.run(prepare(states) if interpreted else prepare_packed(game, states, prepare))
    if watch.stopped == StopReason.INTERRUPTED:
        raise KeyboardInterrupt


def _complain(game: Game, memory: Record, growth: Any) -> None:
    """Raise an error for what the kernels found wrong."""
    check_mover(game, int(memory.why), int(memory.at_node))
    if memory.why == TOO_DEEP:
        raise OutplayError(
            f"{game!r} cannot be unrolled: it can go on for more than {MAX_PLIES:,} actions; limit its length in plies"
        )
    if memory.why not in {OTHER_ACTIONS, FORGOTTEN}:
        return
    nodes = int(memory.other_node), int(memory.at_node)
    states = [played(game, path_to(growth.parent, growth.action, node)) for node in nodes]
    player = int(game.to_move(states[0]))
    if not defines(game, "information"):
        raise UnsuitableGame(
            f"{game!r} has no hidden information, and its states do not record how play got there (perfect recall): a"
            " search finds its value (outplay solve, or AlphaBeta, MaxN and others); for an equilibrium, define"
            " information() as everything that a player has seen and done"
        )
    knowledge = f", {game.information_text(states[0], player)!r}," if defines(game, "information_text") else ""
    text = f"{game!r}: information() is the same for player {player}{knowledge} in {states[0]!r} and in {states[1]!r}"
    if memory.why == OTHER_ACTIONS:
        lists = " and ".join(str([int(action) for action in legal_actions(game, state)]) for state in states)
        raise RulesError(f"{text}, but the legal actions differ, {lists}: information() must tell these states apart")
    raise RulesError(
        f"{text}, but what the player knew or did before differs: information() must include all of it (perfect recall)"
    )


def check_mover(game: Game, reason: int, mover: int) -> None:
    """Raise `RulesError` if `reason` is NO_LEGAL_ACTION or NO_PLAYER; `mover` is what `to_move` returned there."""
    if reason == NO_LEGAL_ACTION:
        raise RulesError(f"{game!r}: a state that is not terminal has no legal action; check_game() shows where")
    if reason == NO_PLAYER:
        raise RulesError(
            f"{game!r}: to_move() returned {mover}, but must return a player from 0 to {game.players - 1}, or CHANCE if"
            " the game defines probability(); check_game() shows where"
        )


def _check_numbers(game: Game, growth: TreeBuffers) -> None:
    """Raise `RulesError` for invalid probabilities and for utilities that are not finite."""
    ends = np.flatnonzero(~np.isfinite(growth.utilities.reshape(-1, game.players)).all(axis=1))
    if len(ends):
        state = played(game, path_to(growth.parent, growth.action, int(growth.end_node[ends[0]])))
        raise RulesError(f"{game!r}: a utility in {state!r} is not a finite number")
    dealt = np.flatnonzero(growth.player[growth.parent[1:]] == CHANCE) + 1
    sums = np.bincount(growth.parent[dealt], growth.chance[dealt], len(growth.parent))
    wrong = (growth.player == CHANCE) & ~(np.abs(sums - 1) < CLOSE)
    wrong[growth.parent[dealt[~(growth.chance[dealt] >= 0)]]] = True
    if wrong.any():
        state = played(game, path_to(growth.parent, growth.action, int(np.flatnonzero(wrong)[0])))
        raise RulesError(f"{game!r}: the probabilities in {state!r} must be at least 0 and sum to 1")


def _finished(game: Game, growth: TreeBuffers, sets: int, sequences: int) -> GameTree:
    """Return the tree with sets and sequences numbered player by player."""
    players = game.players
    owner, first, number = growth.owner[:sets], growth.first[:sets], growth.number[:sets]
    order = np.argsort(owner, kind="stable")
    new_set = np.empty(sets + 1, np.int32)
    new_set[order], new_set[sets] = np.arange(sets, dtype=np.int32), -1  # the last one: -1 stays -1

    set_of = np.full(sequences, -1, np.int32)
    set_of[players:] = np.repeat(np.arange(sets), number)
    owner_of = np.concatenate([np.arange(players), np.repeat(owner, number)])
    old_sequence = np.argsort(owner_of, kind="stable")  # the empty ones are first already
    new_sequence = np.empty(sequences, np.int32)
    new_sequence[old_sequence] = np.arange(sequences, dtype=np.int32)
    return GameTree(
        game=game,
        parent=growth.parent,
        action=growth.action,
        player=growth.player,
        information=new_set[growth.information],
        chance=growth.chance,
        end_node=growth.end_node,
        end_chance=growth.end_chance,
        end_sequences=new_sequence[growth.end_sequences].reshape(-1, players),
        utilities=growth.utilities.reshape(-1, players),
        key=growth.key[:sets][order],
        before=new_sequence[growth.before[:sets][order]],
        first=new_sequence[first[order]],
        number=number[order],
        set_node=growth.node[:sets][order],
        set_of=new_set[set_of[old_sequence]],
        sequence_action=growth.sequence_action[:sequences][old_sequence],
        first_set=np.searchsorted(owner[order], np.arange(players + 1)).astype(np.int32),
        first_sequence=np.searchsorted(owner_of[old_sequence], np.arange(players + 1)).astype(np.int32),
    )


@kernel
def measure_from(game: Any, packed: Any, memory: Any) -> None:
    """Count the nodes from packed state 0 on."""
    depth = 0
    count_nodes(game, unpack(game, packed, 0), depth, pointer(memory))


@kernel
def count_nodes(game: Any, state: Any, depth: int, memory: Any) -> bool:
    """Count `state` and the nodes below it: nodes, ends, decisions of players and the actions at these.

    Returns False if it had to stop; `memory.why` has the reason.
    """
    nodes = memory.nodes + 1
    memory.nodes = nodes
    if nodes > memory.max_nodes or depth > MAX_PLIES or memory.stop != 0:
        memory.why = BY_CALLER if memory.stop != 0 else TOO_DEEP if depth > MAX_PLIES else MEMORY_FULL
        return False
    if game.is_terminal(state):
        memory.ends += 1
        return True
    mover, number = game.to_move(state), 0
    by_chance = defines(game, "probability") and mover == CHANCE
    if not by_chance and (mover < 0 or mover >= game.players):
        memory.why, memory.at_node = NO_PLAYER, mover
        return False
    for action in legal_actions(game, state):
        number += 1
        if not count_nodes(game, game.result(state, action), depth + 1, memory):
            return False
    if number == 0:
        memory.why = NO_LEGAL_ACTION
    if not by_chance:
        memory.decisions += 1
        memory.edges += number
    return number > 0


@kernel
def grow_from(game: Any, packed: Any, growth: Any, memory: Any) -> None:
    """Fill the arrays with the nodes from packed state 0 on."""
    root, all_of_it = -1, 1.0
    grow(game, unpack(game, packed, 0), root, all_of_it, pointers(growth), pointer(memory))


@kernel
def grow(game: Any, state: Any, parent: int, reach: float, growth: Any, memory: Any) -> bool:
    """Write `state` and the nodes below it; `reach` is the probability that chance allows play to get here.

    Returns False if it had to stop; `memory.why` has the reason.
    """
    node = memory.nodes
    memory.nodes = node + 1
    growth.parent[node] = parent
    if memory.stop != 0:
        memory.why = BY_CALLER
        return False

    # 1. An end.
    if game.is_terminal(state):
        end = memory.ends
        memory.ends = end + 1
        growth.player[node] = END
        growth.end_node[end], growth.end_chance[end] = node, reach
        for player in range(game.players):
            growth.end_sequences[end * game.players + player] = memory.last[player]
            growth.utilities[end * game.players + player] = game.utility(state, player)
        return True

    # 2. Chance.
    mover = game.to_move(state)
    growth.player[node] = mover
    if defines(game, "probability") and mover == CHANCE:
        for action in legal_actions(game, state):
            child, share = memory.nodes, game.probability(state, action)
            growth.action[child], growth.chance[child] = action, share
            if not grow(game, game.result(state, action), node, reach * share, growth, memory):
                return False
        return True

    # 3. A player, at an information set.
    number = find(game, state, mover, node, growth, memory)
    growth.information[node] = number
    last, action_count = memory.last[mover], 0
    for action in legal_actions(game, state):
        child = memory.nodes
        growth.action[child] = action
        at = place_of(action, action_count, growth.first[number], growth.number[number], growth.sequence_action)
        action_count += 1
        if at < 0 or action_count > growth.number[number]:
            break
        memory.last[mover] = at
        if not grow(game, game.result(state, action), node, reach, growth, memory):
            return False
    memory.last[mover] = last
    if last != growth.before[number]:
        memory.why, memory.at_node, memory.other_node = FORGOTTEN, node, growth.node[number]
    if action_count != growth.number[number]:
        memory.why, memory.at_node, memory.other_node = OTHER_ACTIONS, node, growth.node[number]
    return bool(last == growth.before[number] and action_count == growth.number[number])


@kernel
def find(game: Any, state: Any, mover: int, node: int, growth: Any, memory: Any) -> int:
    """Return the information set of `mover` in `state`, entering it if it is new."""
    key = information_key(game, state, mover)
    place = key & memory.table_mask
    while growth.table[place] >= 0 and growth.key[growth.table[place]] != key:
        place = place + 1 & memory.table_mask
    if growth.table[place] >= 0:
        return int(growth.table[place])
    number = memory.sets
    memory.sets += 1
    growth.table[place] = number
    growth.key[number], growth.owner[number], growth.node[number] = key, mover, node
    growth.before[number], growth.first[number] = memory.last[mover], memory.sequences
    for action in legal_actions(game, state):
        growth.sequence_action[memory.sequences] = action
        memory.sequences += 1
    growth.number[number] = memory.sequences - growth.first[number]
    return int(number)


@kernel
def place_of(action: int, likely: int, first: int, number: int, actions: Any) -> int:
    """Return the sequence of `action` among the `number` from `first` on, or -1; it is usually number `likely`."""
    if likely < number and actions[first + likely] == action:
        return first + likely
    for at in range(first, first + number):
        if actions[at] == action:
            return at
    return -1
