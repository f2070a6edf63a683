"""Counting a game: the nodes of its tree, the games that end, and the positions that differ.

    nodes(s) = 1                                            if s is terminal, or at the greatest depth
             = 1 + sum over a of  nodes(result(s, a))       if not

and likewise for games, of which a terminal state has one. The same position at the same ply has the same counts below
it, so each is counted once and remembered: the work grows with the positions, not with the tree, which may have more
nodes than could ever be visited. Positions are told apart by their 64-bit keys (`keys.py`).

Start at `count_tree`. `walk` visits each position at each ply once; `Memo` is what it remembers.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import check_rules, check_state
from outplay.compile.kernels import cast_state, kernel, pointer, prepare_packed, unpack
from outplay.compile.records import layout, new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import (
    MEMORY_FULL,
    TOO_DEEP,
)
from outplay.engine.workspace import (
    COUNTERS,
    must_stop,
)
from outplay.rules.arguments import check_is_game
from outplay.rules.errors import RulesError
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import mix, state_key
from outplay.system.threads import MAX_PLIES

POSITIONS, AT_PLIES, MASK = range(3)
"""Cells of `Memo.found`: positions, positions at each ply added up, the size of a table less 1."""
PLIES = 3
"""From this cell of `Memo.found` on: the positions at each ply."""
FIRST_SIZE = 1 << 16
EXACT = 2**53
"""Below this a float holds every whole number."""


@dataclass(frozen=True, kw_only=True)
class TreeCount:
    """How large a game is, from some state on.

    Attributes:
        nodes: of the game tree; an exact int below 2**53, beyond that a float.
        games: ways to reach an end of the game, as exact as `nodes`; with a depth limit, those that end within it.
        positions: states that differ, by their key.
        by_ply: the positions that can be reached in exactly 0, 1, 2, … plies; one may be in several.
        complete: whether all was counted; else every number is a lower bound.
    """

    nodes: float
    games: float
    positions: int
    by_ply: tuple[int, ...]
    complete: bool
    seconds: float

    def as_dict(self) -> dict[str, Any]:
        """The counts as plain values, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        if not self.complete:
            return f"more than {self.positions:,} positions, stopped after {self.seconds:.3f} s"
        counts = f"{number(self.nodes)} nodes, {number(self.games)} games, {self.positions:,} positions"
        return f"{counts}, in {self.seconds:.3f} s"


def number(count: float) -> str:
    """A count for people: in full where it is exact, else rounded.

    >>> number(549946), number(1.23e20)
    ('549,946', 'about 1.23e+20')
    """
    return f"{count:,}" if count < EXACT else f"about {count:.6g}"


def count_tree(
    game: Game,
    state: Any = None,
    depth: int | None = None,
    *,
    progress: Callable[[TreeCount], None] | None = None,
    check: bool = True,
) -> TreeCount:
    """The size of the game tree below `state`, by default the whole game, down to `depth` plies.

    Memory grows with the positions, by some 100 bytes for each. Ctrl-C stops the count and keeps lower bounds.
    `progress` is called with the lower bounds so far, ten times a second. Raises `RulesError` for a game that can go on
    without end; give it a depth. With `check` it tries the laws of the game first.

    >>> from outplay.games import TicTacToe
    >>> tree = count_tree(TicTacToe())
    >>> tree.nodes, tree.games, tree.positions
    (549946, 255168, 5478)
    """
    check_is_game(game, "count_tree")
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= MAX_PLIES):
        raise ValueError(f"count_tree(depth={depth!r}): a whole number from 0 to {MAX_PLIES}, or None")
    if check:
        check_rules(game, state)
        if state is not None:
            check_state(game, state)
    states = [cast_state(game, game.initial_state() if state is None else state)]
    memory = new_record(layout(*COUNTERS))
    memory.search = 1
    memo = Memo(game)
    plies = MAX_PLIES if depth is None else depth
    packed, count = prepare_packed(
        game,
        states,
        lambda packed: (packed, count_from.prepare(game, packed, plies, depth is None, memory, *memo.arrays())),
    )
    started = time.perf_counter()

    def result(nodes: float, games: float, complete: bool) -> TreeCount:
        nodes = max(nodes, int(memo.found[AT_PLIES]))  # after a stop, what was remembered may not be added up
        return TreeCount(
            nodes=int(nodes) if nodes < EXACT else nodes,
            games=int(games) if games < EXACT else games,
            positions=int(memo.found[POSITIONS]),
            by_ply=tuple(np.trim_zeros(memo.found[PLIES:], "b").tolist()),
            complete=complete,
            seconds=time.perf_counter() - started,
        )

    def work() -> tuple[float, float]:
        while True:  # a full table stops the walk; what is remembered makes it quick to come back to where it was
            nodes, games = count(game, packed, plies, depth is None, memory, *memo.arrays())
            if memory.why != MEMORY_FULL:
                return nodes, games
            memory.why = 0
            memo.grow()

    def stop(_: int) -> None:
        memory.stop = -1

    def report() -> None:
        if progress is not None:
            progress(result(0, 0, complete=False))

    nodes, games = SearchRunner(None, lambda: 1, stop, report).run(work)
    if memory.why == TOO_DEEP:
        raise RulesError(f"games of {game!r} go on for more than {MAX_PLIES} plies: count the tree to a depth")
    return result(nodes, games, complete=not memory.why)


class Memo:
    """What the walk remembers: two hash tables with open addressing, at most half full, in which 0 is a free slot.

    Attributes:
        positions: shape (size,), int64: the keys of positions.
        places: shape (size,), int64: the keys of positions at a ply.
        counts: shape (2 * size,), float64: nodes and games below each of `places`.
        found: shape (PLIES + MAX_PLIES + 1,), int64: see POSITIONS and its neighbours.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.found: NDArray[np.int64] = np.zeros(PLIES + MAX_PLIES + 1, np.int64)
        self._allocate(FIRST_SIZE)

    def _allocate(self, size: int) -> None:
        self.positions: NDArray[np.int64] = np.zeros(size, np.int64)
        self.places: NDArray[np.int64] = np.zeros(size, np.int64)
        self.counts: NDArray[np.float64] = np.zeros(2 * size, np.float64)
        self.found[MASK] = size - 1

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """All four arrays."""
        return self.found, self.positions, self.places, self.counts

    def grow(self) -> None:
        """Make the tables twice as large."""
        _, positions, places, counts = self.arrays()
        self._allocate(2 * len(places))
        none = counts[:0]
        copy_table(self.game, positions, none, self.positions, none)
        copy_table(self.game, places, counts, self.places, self.counts)


@kernel
def nonzero(key: int) -> int:
    """A key that is not that of a free slot."""
    return key | (key == 0)


@kernel
def slot(table: Any, mask: int, key: int) -> int:
    """Where in `table`, of `mask` + 1 slots, the key is, or the free slot where it would be."""
    place = key & mask
    while table[place] != 0 and table[place] != key:
        place = (place + 1) & mask
    return place


@kernel
def copy_table(game: Any, old: Any, old_counts: Any, new: Any, new_counts: Any) -> None:
    """Enter every key of one table into another, with its counts unless there are none."""
    for i in range(len(old)):
        if old[i] != 0:
            place = slot(new, len(new) - 1, int(old[i]))
            new[place] = old[i]
            if len(old_counts) > 0:
                new_counts[2 * place], new_counts[2 * place + 1] = old_counts[2 * i], old_counts[2 * i + 1]


@kernel
def walk(
    game: Any, state: Any, depth: int, ply: int, endless: bool, memory: Any, found: Any, positions: Any, places: Any,
    counts: Any,
) -> tuple[float, float]:  # fmt: skip
    """Nodes and games below `state`, `depth` plies deep; lower bounds if the walk was stopped."""
    # 1. Is it known, or time to stop?
    over = game.is_terminal(state)
    if depth == 0 and not over and endless:
        memory.why = TOO_DEEP
    if must_stop(memory):
        return 0.0, 0.0
    key = nonzero(state_key(game, state))
    key_at_ply = nonzero(mix(key, ply))
    known = slot(places, found[MASK], key_at_ply)
    if places[known] != 0:
        return counts[2 * known], counts[2 * known + 1]

    # 2. Count what is below.
    nodes, games = 1.0, 1.0 if over else 0.0
    if depth > 0 and not over:
        for action in legal_actions(game, state):
            child = game.result(state, action)
            more = walk(game, child, depth - 1, ply + 1, endless, memory, found, positions, places, counts)
            nodes += more[0]
            games += more[1]
            if must_stop(memory):
                return nodes, games

    # 3. Remember it.
    if 2 * found[AT_PLIES] > found[MASK]:
        memory.why = MEMORY_FULL
        return nodes, games
    known = slot(places, found[MASK], key_at_ply)
    places[known] = key_at_ply
    counts[2 * known], counts[2 * known + 1] = nodes, games
    found[AT_PLIES] += 1
    found[PLIES + ply] += 1
    known = slot(positions, found[MASK], key)
    if positions[known] == 0:
        positions[known] = key
        found[POSITIONS] += 1
    return nodes, games


@kernel
def count_from(
    game: Any, packed: Any, depth: int, endless: bool, memory: Any, found: Any, positions: Any, places: Any, counts: Any
) -> tuple[float, float]:
    """`walk` from the only packed state."""
    state = unpack(game, packed, 0)
    return walk(
        game, state, depth, 0, endless, pointer(memory), pointer(found), pointer(positions), pointer(places),
        pointer(counts)
    )  # fmt: skip
