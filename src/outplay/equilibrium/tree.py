"""A game with hidden information, written out: the extensive form, in flat arrays.

    node            a history: all that has happened so far, chance included
    information set all nodes at which the player to move knows the same; he has to act in the same way at each of them
    sequence        what a player has done on the way to a node: the information sets he came to and the actions he took
                    there. With perfect recall, an information set and one of its actions say it all.

(von Neumann & Morgenstern 1944; Kuhn 1953; von Stengel 1996 for sequences.) All that a strategy of one player decides
about an end of the game is how likely he plays his sequence there. So what counts for computing equilibria is short:
`Payoffs`, a list of ends with the sequence of each player and what the end pays, times its chance.

Reading order: `unroll`, which goes through the game twice; `grow`, the kernel; `GameTree`, what it makes.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import check_rules
from outplay.compile.kernels import kernel, pointer, prepare_packed, unpack
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
from outplay.rules.arguments import check_is_game, is_number
from outplay.rules.errors import OutplayError, RulesError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import information_key
from outplay.system.threads import MAX_PLIES

END = -2
"""In place of a player: the game is over."""
NODES, ENDS, DECISIONS, EDGES, SETS, SEQUENCES, STOP, WHY, THIS, OTHER, MOST = range(11)
"""Counters, and in WHY what is wrong with the game, at nodes THIS and OTHER."""
LAST = MOST + 1
"""From this cell on: the sequence of each player."""
BYTES_A_NODE = 130
"""What the arrays of a tree take, and of what solvers make of it, about."""
CLOSE = 1e-9
"""The probabilities of outcomes must sum to 1 within this."""
SMALL = 2000
"""A game of so many nodes is gone through by the interpreter: compiling it would take a hundred times longer."""


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
    number: Any  # int32 [sets]: of actions
    node: Any  # int32 [sets]: the first node found in it
    sequence_action: Any  # int64 [sequences]
    table: Any  # int32 [a power of two]: sets by their keys, by open addressing; -1: free


@dataclass(frozen=True, eq=False)
class Payoffs:
    """What all ends of a game pay that are alike to strategies: one entry for each combination of sequences.

    Attributes:
        sequences: int32 [entries, players]: the sequence of each player.
        chance: float64 [entries]: how likely chance lets play come there.
        values: float64 [entries, players]: the utilities there, times `chance`.
    """

    sequences: NDArray[np.int32]
    chance: NDArray[np.float64]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """The payoffs of a tree sorted by the sequence of whom they are for: what a kernel needs to make gradients.

    The entries of sequence s, whoever's it is, are those from `start[s]` to `start[s + 1]`.

    Attributes:
        start: int32 [sequences + 1].
        others: int32 [entries * (players - 1)]: the sequences of the other players.
        value: float64 [entries]: the utility of the player whose sequence it is, times its chance.
    """

    start: NDArray[np.int32]
    others: NDArray[np.int32]
    value: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GameTree:
    """The extensive form of a game. Make it with `unroll`.

    Nodes are numbered in preorder. Information sets are numbered player by player, and sequences too: player p has the
    sets from `first_set[p]` to `first_set[p + 1]` and the sequences from `first_sequence[p]` to
    `first_sequence[p + 1]`, of which the first is the empty one. What comes later in play has greater numbers.

    Attributes:
        game: which game.
        parent: int32 [nodes]; -1 at the root.
        action: int64 [nodes]: the action that led there.
        player: int8 [nodes]: who moves; `CHANCE`; `END` at the ends.
        information: int32 [nodes]: the information set of the player to move; -1 where no player is.
        chance: float64 [nodes]: the probability of the outcome that led there; 1 where chance did not decide.
        end_node: int32 [ends]: their nodes.
        end_chance: float64 [ends]: the product of `chance` on the way there.
        end_sequences: int32 [ends, players].
        utilities: float64 [ends, players].
        key: int64 [sets]: the hash of player and information.
        before: int32 [sets]: the sequence that leads there.
        first: int32 [sets]: the sequence of the first action; the others follow.
        number: int32 [sets]: of actions.
        set_node: int32 [sets]: a node in it.
        set_of: int32 [sequences]: the set to which the last action of a sequence belongs; -1: empty.
        sequence_action: int64 [sequences]: the last action; -1: empty.
    """

    game: Game
    parent: NDArray[np.int32]
    action: NDArray[np.int64]
    player: NDArray[np.int8]
    information: NDArray[np.int32]
    chance: NDArray[np.float64]
    end_node: NDArray[np.int32]
    end_chance: NDArray[np.float64]
    end_sequences: NDArray[np.int32]
    utilities: NDArray[np.float64]
    key: NDArray[np.int64]
    before: NDArray[np.int32]
    first: NDArray[np.int32]
    number: NDArray[np.int32]
    set_node: NDArray[np.int32]
    set_of: NDArray[np.int32]
    sequence_action: NDArray[np.int64]
    first_set: NDArray[np.int32]
    first_sequence: NDArray[np.int32]

    @property
    def players(self) -> int:
        """How many."""
        return len(self.first_set) - 1

    @property
    def nodes(self) -> int:
        """How many histories, ends among them."""
        return len(self.parent)

    @property
    def information_sets(self) -> int:
        """How many, of all players."""
        return len(self.key)

    @property
    def sequences(self) -> int:
        """How many, of all players, the empty ones among them."""
        return len(self.set_of)

    @property
    def nbytes(self) -> int:
        """How many bytes all arrays take."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    @cached_property
    def payoffs(self) -> Payoffs:
        """The ends of the game, those together that no strategy tells apart."""
        rows = self.end_sequences.astype(np.int64)
        code = np.zeros(len(rows), np.int64)
        for player in range(self.players):
            code = code * (self.sequences + 1) + rows[:, player]
            code = np.unique(code, return_inverse=True)[1]
        entries = int(code.max()) + 1
        first = np.zeros(entries, np.int64)
        first[code[::-1]] = np.arange(len(code))[::-1]
        weighted = self.utilities * self.end_chance[:, None]
        values = np.stack([np.bincount(code, weighted[:, p], entries) for p in range(self.players)], axis=1)
        chance = np.bincount(code, self.end_chance, entries).astype(np.float64)
        return Payoffs(self.end_sequences[first], chance, values.astype(np.float64))

    @cached_property
    def view(self) -> View:
        """The payoffs as each player sees them; ends that pay him nothing are left out."""
        payoffs, others, value, mine = self.payoffs, [], [], []
        for player in range(self.players):
            paying = np.flatnonzero(payoffs.values[:, player])
            order = paying[np.argsort(payoffs.sequences[paying, player], kind="stable")]
            mine.append(payoffs.sequences[order, player])
            others.append(np.delete(payoffs.sequences[order], player, axis=1).ravel())
            value.append(payoffs.values[order, player])
        start = np.searchsorted(np.concatenate(mine), np.arange(self.sequences + 1)).astype(np.int32)
        return View(start, np.concatenate(others), np.concatenate(value))

    def uniform(self) -> NDArray[np.float64]:
        """The behaviour to which all actions are alike: float64 [sequences], how likely each last action is."""
        behaviour = np.ones(self.sequences)
        known = self.set_of >= 0
        behaviour[known] = 1 / self.number[self.set_of[known]]
        return behaviour

    def path(self, node: int) -> list[int]:
        """The actions, chance's among them, that lead to `node`."""
        return path_to(self.parent, self.action, node)

    def state(self, node: int) -> Any:
        """The state of the game at `node`."""
        return played(self.game, self.path(node))

    def information_text(self, number: int) -> str:
        """What the player knows at an information set, in the game's words."""
        node = int(self.set_node[number])
        return self.game.information_text(self.state(node), int(self.player[node]))

    def owner(self, number: int) -> int:
        """Whose information set that is."""
        return int(self.player[self.set_node[number]])

    def actions(self, number: int) -> list[int]:
        """The actions at an information set, in the order of their sequences."""
        first = self.first[number]
        return [int(action) for action in self.sequence_action[first : first + self.number[number]]]

    def __repr__(self) -> str:
        return f"<GameTree of {self.game!r}: {self.nodes:,} nodes, {self.information_sets:,} information sets>"


def path_to(parent: NDArray[np.int32], action: NDArray[np.int64], node: int) -> list[int]:
    """The actions on the way to `node`."""
    actions = []
    while parent[node] >= 0:
        actions.append(int(action[node]))
        node = int(parent[node])
    return actions[::-1]


def played(game: Game, actions: Iterable[int]) -> Any:
    """The state after `actions`."""
    state = game.initial_state()
    for action in actions:
        state = game.result(state, action)
    return state


def unroll(
    game: Game,
    *,
    memory_mb: float = 4096,
    progress: Callable[[int, int], None] | None = None,
    check: bool = True,
) -> GameTree:
    """The extensive form of `game`, from its initial state.

    The game is gone through twice, first to count; a small one by the interpreter. `progress(nodes, of)` is called ten
    times a second; while nodes are still being counted, `of` is 0. Ctrl-C raises `KeyboardInterrupt`. With `check` the
    laws of the game are tried first.

    Raises `OutplayError` if the tree would take more than `memory_mb` megabytes, and `RulesError`, with two states that
    show it, if a player who knows the same has other actions, or has forgotten what he knew or did (imperfect recall).

    >>> from outplay.games import KuhnPoker
    >>> unroll(KuhnPoker())
    <GameTree of KuhnPoker(): 58 nodes, 12 information sets>
    """
    check_is_game(game, "unroll")
    if not is_number(memory_mb) or not 0 < memory_mb < math.inf:
        raise ValueError(f"unroll(memory_mb={memory_mb!r}): megabytes, a finite number greater than 0")
    if game.repetition is not None:
        raise UnsuitableGame(f"{game!r} has a rule of repetition, which is not in its states: it cannot be unrolled")
    if check:
        check_rules(game)
    players, all_that_fit = game.players, min(int(memory_mb * 1e6 / BYTES_A_NODE), 2**31 - 2)
    cells = np.zeros(LAST + players, np.int64)

    # 1. Count.
    interpreted = type(game).compiled is None
    if interpreted:
        cells[MOST] = min(SMALL, all_that_fit)
        _go(measure_from, game, (cells,), True, progress, 0)
        interpreted = bool(cells[WHY] != MEMORY_FULL)
    if not interpreted:
        cells[:] = 0
        cells[MOST] = all_that_fit
        _go(measure_from, game, (cells,), False, progress, 0)
    if cells[WHY] == MEMORY_FULL:
        raise OutplayError(
            f"{game!r} has more than {all_that_fit:,} nodes, which is more than fits into {memory_mb:g} megabytes:"
            " allow more (memory_mb), take a smaller game, or what does not unroll it: TreelessMCCFR (outplay"
            " equilibrium --no-tree), or ISMCTS, a search"
        )
    _complain(game, cells, [])
    nodes, ends, decisions, edges = (int(cells[cell]) for cell in (NODES, ENDS, DECISIONS, EDGES))

    # 2. Write down.
    cells[:MOST] = 0
    cells[SEQUENCES] = players
    cells[LAST:] = np.arange(players)
    growth = TreeBuffers(
        np.full(nodes, -1, np.int32), np.full(nodes, -1, np.int64), np.zeros(nodes, np.int8),
        np.full(nodes, -1, np.int32), np.ones(nodes), np.zeros(ends, np.int32), np.zeros(ends),
        np.zeros(ends * players, np.int32), np.zeros(ends * players),
        np.zeros(decisions, np.int64), np.zeros(decisions, np.int8), np.zeros(decisions, np.int32),
        np.zeros(decisions, np.int32), np.zeros(decisions, np.int32), np.zeros(decisions, np.int32),
        np.full(edges + players, -1, np.int64), np.full(2 << decisions.bit_length(), -1, np.int32),
    )  # fmt: skip
    _go(grow_from, game, (growth, cells), interpreted, progress, nodes)
    _complain(game, cells, growth)
    _check_numbers(game, growth)
    return _finished(game, growth, int(cells[SETS]), int(cells[SEQUENCES]))


def _go(
    run: Any, game: Game, args: tuple[Any, ...], interpreted: bool, progress: Callable[[int, int], None] | None, of: int
) -> None:
    """Run one of the passes, with the clock and Ctrl-C around it."""
    cells = args[-1]

    def prepare(packed: Any) -> Callable[[], None]:
        form = run.interpreted if interpreted else run.prepare(game, packed, *args)
        return lambda: form(game, packed, *args)

    def stop(_: int) -> None:
        cells[STOP] = 1

    def show() -> None:
        if progress is not None:
            progress(int(cells[NODES]), of)

    states = [game.initial_state()]
    watch = SearchRunner(None, lambda: 1, stop, show)
    watch.run(prepare(states) if interpreted else prepare_packed(game, states, prepare))
    if watch.stopped == StopReason.INTERRUPTED:
        raise KeyboardInterrupt


def _complain(game: Game, cells: Any, growth: Any) -> None:
    """Raise what the kernels found wrong."""
    check_mover(game, int(cells[WHY]), int(cells[THIS]))
    if cells[WHY] == TOO_DEEP:
        raise OutplayError(
            f"{game!r} can go on for more than {MAX_PLIES:,} actions: it cannot be unrolled; end it after some plies"
        )
    if cells[WHY] not in {OTHER_ACTIONS, FORGOTTEN}:
        return
    nodes = int(cells[OTHER]), int(cells[THIS])
    states = [played(game, path_to(growth.parent, growth.action, node)) for node in nodes]
    player = int(game.to_move(states[0]))
    if not defines(game, "information"):
        raise UnsuitableGame(
            f"{game!r} has no hidden information, and its states do not tell how play came there (perfect recall): a"
            " search finds its value (outplay solve, or AlphaBeta, MaxN and others); for an equilibrium, define"
            " information() with all that a player has seen and done"
        )
    known = f", {game.information_text(states[0], player)!r}," if defines(game, "information_text") else ""
    what = f"{game!r}: information() is the same for player {player}{known} in {states[0]!r} and in {states[1]!r}"
    if cells[WHY] == OTHER_ACTIONS:
        lists = " and ".join(str([int(action) for action in legal_actions(game, state)]) for state in states)
        raise RulesError(f"{what}, but the legal actions differ, {lists}: give information() what tells them apart")
    raise RulesError(
        f"{what}, but what the player knew or did before differs: information() must tell all of it (perfect recall)"
    )


def check_mover(game: Game, why: int, mover: int) -> None:
    """Raise `RulesError` if `why` is NO_LEGAL_ACTION, or NO_PLAYER; `mover` is what `to_move` answered there."""
    if why == NO_LEGAL_ACTION:
        raise RulesError(f"{game!r}: a state that is not terminal has no action; check_game() shows where")
    if why == NO_PLAYER:
        raise RulesError(
            f"{game!r}: to_move() answered {mover}: a player from 0 to {game.players - 1}, or CHANCE where the game"
            " defines probability(); check_game() shows where"
        )


def _check_numbers(game: Game, growth: TreeBuffers) -> None:
    """Raise `RulesError` for probabilities that are none, and utilities that are not finite."""
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
        raise RulesError(f"{game!r}: the probabilities in {state!r} must not be below 0, and sum to 1")


def _finished(game: Game, growth: TreeBuffers, sets: int, sequences: int) -> GameTree:
    """The tree with sets and sequences numbered player by player."""
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
def measure_from(game: Any, packed: Any, cells: Any) -> None:
    """Count the nodes below packed state 0."""
    depth = 0
    measure(game, unpack(game, packed, 0), depth, pointer(cells))


@kernel
def measure(game: Any, state: Any, depth: int, cells: Any) -> None:
    """Count the nodes below `state` and itself, the ends, where players decide and between what."""
    cells[NODES] += 1
    if cells[NODES] > cells[MOST]:
        cells[WHY] = MEMORY_FULL
    if depth > MAX_PLIES:
        cells[WHY] = TOO_DEEP
    if cells[STOP] != 0:
        cells[WHY] = BY_CALLER
    if cells[WHY] != 0:
        return
    if game.is_terminal(state):
        cells[ENDS] += 1
        return
    mover, number = game.to_move(state), 0
    by_chance = defines(game, "probability") and mover == CHANCE
    if not by_chance and (mover < 0 or mover >= game.players):
        cells[WHY], cells[THIS] = NO_PLAYER, mover
        return
    for action in legal_actions(game, state):
        number += 1
        measure(game, game.result(state, action), depth + 1, cells)
        if cells[WHY] != 0:
            return
    if number == 0:
        cells[WHY] = NO_LEGAL_ACTION
    if not by_chance:
        cells[DECISIONS] += 1
        cells[EDGES] += number


@kernel
def grow_from(game: Any, packed: Any, growth: Any, cells: Any) -> None:
    """Write down what is below packed state 0."""
    arrays = TreeBuffers(
        pointer(growth.parent), pointer(growth.action), pointer(growth.player), pointer(growth.information),
        pointer(growth.chance),
        pointer(growth.end_node), pointer(growth.end_chance), pointer(growth.end_sequences), pointer(growth.utilities),
        pointer(growth.key), pointer(growth.owner), pointer(growth.before), pointer(growth.first),
        pointer(growth.number), pointer(growth.node),
        pointer(growth.sequence_action), pointer(growth.table),
    )  # fmt: skip
    root, all_of_it = -1, 1.0
    grow(game, unpack(game, packed, 0), root, all_of_it, arrays, len(growth.table) - 1, pointer(cells))


@kernel
def grow(game: Any, state: Any, parent: int, reach: float, growth: Any, mask: int, cells: Any) -> None:
    """Write down `state` and what is below it; `reach` is how likely chance lets play come here."""
    node = cells[NODES]
    cells[NODES] += 1
    growth.parent[node] = parent
    if cells[STOP] != 0:
        cells[WHY] = BY_CALLER
        return

    # 1. An end.
    if game.is_terminal(state):
        end = cells[ENDS]
        cells[ENDS] += 1
        growth.player[node] = END
        growth.end_node[end], growth.end_chance[end] = node, reach
        for player in range(game.players):
            growth.end_sequences[end * game.players + player] = cells[LAST + player]
            growth.utilities[end * game.players + player] = game.utility(state, player)
        return

    # 2. Chance.
    mover = game.to_move(state)
    growth.player[node] = mover
    if defines(game, "probability") and mover == CHANCE:
        for action in legal_actions(game, state):
            child, share = cells[NODES], game.probability(state, action)
            growth.action[child], growth.chance[child] = action, share
            grow(game, game.result(state, action), node, reach * share, growth, mask, cells)
            if cells[WHY] != 0:
                return
        return

    # 3. A player, who knows what he knows.
    number = find(game, state, mover, node, growth, mask, cells)
    growth.information[node] = number
    last, tried = cells[LAST + mover], 0
    for action in legal_actions(game, state):
        child = cells[NODES]
        growth.action[child] = action
        at = place_of(action, tried, growth.first[number], growth.number[number], growth.sequence_action)
        tried += 1
        if at < 0 or tried > growth.number[number]:
            break
        cells[LAST + mover] = at
        grow(game, game.result(state, action), node, reach, growth, mask, cells)
        if cells[WHY] != 0:
            return
    cells[LAST + mover] = last
    if last != growth.before[number]:
        cells[WHY], cells[THIS], cells[OTHER] = FORGOTTEN, node, growth.node[number]
    if tried != growth.number[number]:
        cells[WHY], cells[THIS], cells[OTHER] = OTHER_ACTIONS, node, growth.node[number]


@kernel
def find(game: Any, state: Any, mover: int, node: int, growth: Any, mask: int, cells: Any) -> int:
    """The information set of `mover` in `state`; a new one if it is the first time."""
    key = information_key(game, state, mover)
    place = key & mask
    while growth.table[place] >= 0 and growth.key[growth.table[place]] != key:
        place = place + 1 & mask
    if growth.table[place] >= 0:
        return int(growth.table[place])
    number = cells[SETS]
    cells[SETS] += 1
    growth.table[place] = number
    growth.key[number], growth.owner[number], growth.node[number] = key, mover, node
    growth.before[number], growth.first[number] = cells[LAST + mover], cells[SEQUENCES]
    for action in legal_actions(game, state):
        growth.sequence_action[cells[SEQUENCES]] = action
        cells[SEQUENCES] += 1
    growth.number[number] = cells[SEQUENCES] - growth.first[number]
    return int(number)


@kernel
def place_of(action: int, likely: int, first: int, number: int, actions: Any) -> int:
    """The sequence of `action`, of those from `first` on; at most places it is number `likely`. -1: there is none."""
    if likely < number and actions[first + likely] == action:
        return first + likely
    for at in range(first, first + number):
        if actions[at] == action:
            return at
    return -1
