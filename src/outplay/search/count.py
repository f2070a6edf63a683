"""Counts the nodes of a game's tree, the games that end, and the different positions.

    nodes(s) = 1                                            if s is terminal, or at the maximum depth
             = 1 + sum over a of  nodes(result(s, a))       otherwise

The games are counted in the same way; a terminal state has one. The same position at the same ply has the same counts
below it, so it is counted once and remembered. The work grows with the number of positions, not with the size of the
tree, which may have more nodes than could ever be visited. Positions are identified by their 64-bit keys (`keys.py`).

Start at `count_tree`. `walk` visits each position at each ply once; `Memo` stores the counts.
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
from outplay.engine.stopping import MEMORY_FULL, TOO_DEEP, StopReason
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.arguments import check_is_game
from outplay.rules.errors import RulesError
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import mix, state_key
from outplay.rules.numbered import numbered
from outplay.system.threads import MAX_PLIES

POSITIONS_CELL, AT_PLIES_CELL, MASK_CELL = range(3)
"""Cells of `Memo.cells`: the positions, the sum of the positions at each ply, the size of a table minus 1."""
FIRST_PLY_CELL = 3
"""The first cell of `Memo.cells` with the positions at a ply."""
FIRST_SIZE = 1 << 16
"""The initial number of slots of a table."""
MAX_EXACT = 2**53
"""A float can hold every whole number below this."""


@dataclass(frozen=True, kw_only=True)
class TreeCount:
    """The size of a game, from some state on.

    Attributes:
        nodes: the nodes of the game tree: an exact int below 2**53, else a float.
        games: the ways to reach an end of the game, as exact as `nodes`. With a depth limit, only games that end within
            it count.
        positions: the number of different states, by key.
        by_ply: the number of positions that can be reached in exactly 0, 1, 2, … plies. A position may count at several
            plies.
        complete: whether the count was finished; if not, every number is a lower bound.
        interrupted: whether Ctrl-C stopped it.
        seconds: the time that the count took, without compiling.
    """

    nodes: float
    games: float
    positions: int
    by_ply: tuple[int, ...]
    complete: bool
    interrupted: bool = False
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
    """A count as text: in full if it is exact, else rounded.

    >>> number(549946), number(1.23e20)
    ('549,946', 'about 1.23e+20')
    """
    return f"{count:,}" if count < MAX_EXACT else f"about {count:.6g}"


def count_tree(
    game: Game,
    state: Any = None,
    depth: int | None = None,
    *,
    seconds: float | None = None,
    progress: Callable[[TreeCount], None] | None = None,
    check: bool = True,
) -> TreeCount:
    """Count the nodes, games and positions from a state on.

    Ctrl-C or the time limit stops the count and keeps lower bounds. Each position takes about 100 bytes of memory.

    Args:
        game: the game, with any number of players, with or without chance.
        state: where to start; None for the initial state.
        depth: the maximum number of plies; None to count to the end of the game.
        seconds: the time limit; None for no limit.
        progress: a function that is called with the lower bounds so far, ten times a second.
        check: whether to check the rules of the game first.

    Raises `ValueError` for an invalid depth or time, and `RulesError` if no depth is given for a game that can go on
    for more than 4000 plies.

    >>> from outplay.games import TicTacToe
    >>> tree = count_tree(TicTacToe())
    >>> tree.nodes, tree.games, tree.positions
    (549946, 255168, 5478)
    """
    check_is_game(game, "count_tree")
    game = numbered(game)
    if depth is not None and (isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= MAX_PLIES):
        raise ValueError(f"count_tree(depth={depth!r}): a whole number from 0 to {MAX_PLIES}, or None")
    if seconds is not None and (isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0):
        raise ValueError(f"count_tree(seconds={seconds!r}): a number greater than 0, or None")
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
        nodes = max(nodes, int(memo.cells[AT_PLIES_CELL]))  # after a stop, some counts may not be added up yet
        return TreeCount(
            nodes=int(nodes) if nodes < MAX_EXACT else nodes,
            games=int(games) if games < MAX_EXACT else games,
            positions=int(memo.cells[POSITIONS_CELL]),
            by_ply=tuple(np.trim_zeros(memo.cells[FIRST_PLY_CELL:], "b").tolist()),
            complete=complete,
            interrupted=not complete and watch.stopped == StopReason.INTERRUPTED,
            seconds=time.perf_counter() - started,
        )

    def work() -> tuple[float, float]:
        while True:  # a full table stops the walk; with the remembered counts, it quickly gets back to where it was
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

    watch = SearchRunner(seconds, lambda: 1, stop, report)
    nodes, games = watch.run(work)
    if memory.why == TOO_DEEP:
        raise RulesError(f"games of {game!r} go on for more than {MAX_PLIES} plies: set a depth")
    return result(nodes, games, complete=not memory.why)


class Memo:
    """The memory of the walk: two hash tables with open addressing, at most half full; 0 marks a free slot.

    Attributes:
        positions: shape (size,), int64: the keys of positions.
        places: shape (size,), int64: the keys of positions at a ply.
        counts: shape (2 * size,), float64: the nodes and games below each of `places`.
        cells: shape (FIRST_PLY_CELL + MAX_PLIES + 1,), int64: the three cells above, then one for each ply.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.cells: NDArray[np.int64] = np.zeros(FIRST_PLY_CELL + MAX_PLIES + 1, np.int64)
        self._allocate(FIRST_SIZE)

    def _allocate(self, size: int) -> None:
        self.positions: NDArray[np.int64] = np.zeros(size, np.int64)
        self.places: NDArray[np.int64] = np.zeros(size, np.int64)
        self.counts: NDArray[np.float64] = np.zeros(2 * size, np.float64)
        self.cells[MASK_CELL] = size - 1

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """All four arrays."""
        return self.cells, self.positions, self.places, self.counts

    def grow(self) -> None:
        """Double the size of the tables."""
        _, positions, places, counts = self.arrays()
        self._allocate(2 * len(places))
        none = counts[:0]
        copy_table(self.game, positions, none, self.positions, none)
        copy_table(self.game, places, counts, self.places, self.counts)


@kernel
def nonzero(key: int) -> int:
    """The key, or 1 if it is 0, which marks a free slot."""
    return key | (key == 0)


@kernel
def slot(table: Any, mask: int, key: int) -> int:
    """The index of the key in `table`, which has `mask` + 1 slots, or of the free slot for it."""
    place = key & mask
    while table[place] != 0 and table[place] != key:
        place = (place + 1) & mask
    return place


@kernel
def copy_table(game: Any, old: Any, old_counts: Any, new: Any, new_counts: Any) -> None:
    """Copy every key of one table into another, with its counts if there are any."""
    for i in range(len(old)):
        if old[i] != 0:
            place = slot(new, len(new) - 1, int(old[i]))
            new[place] = old[i]
            if len(old_counts) > 0:
                new_counts[2 * place], new_counts[2 * place + 1] = old_counts[2 * i], old_counts[2 * i + 1]


@kernel
def walk(
    game: Any, state: Any, depth: int, ply: int, endless: bool, memory: Any, cells: Any, positions: Any, places: Any,
    counts: Any,
) -> tuple[float, float]:  # fmt: skip
    """The nodes and games below `state`, down to `depth` plies; lower bounds if the walk was stopped."""
    # 1. Stop, or return known counts.
    over = game.is_terminal(state)
    if depth == 0 and not over and endless:
        memory.why = TOO_DEEP
    if must_stop(memory):
        return 0.0, 0.0
    key = nonzero(state_key(game, state))
    key_at_ply = nonzero(mix(key, ply))
    place = slot(places, cells[MASK_CELL], key_at_ply)
    if places[place] != 0:
        return counts[2 * place], counts[2 * place + 1]

    # 2. Count below.
    nodes, games = 1.0, 1.0 if over else 0.0
    if depth > 0 and not over:
        for action in legal_actions(game, state):
            child = game.result(state, action)
            more = walk(game, child, depth - 1, ply + 1, endless, memory, cells, positions, places, counts)
            nodes += more[0]
            games += more[1]
            if must_stop(memory):
                return nodes, games

    # 3. Store the counts.
    if 2 * cells[AT_PLIES_CELL] > cells[MASK_CELL]:
        memory.why = MEMORY_FULL
        return nodes, games
    place = slot(places, cells[MASK_CELL], key_at_ply)
    places[place] = key_at_ply
    counts[2 * place], counts[2 * place + 1] = nodes, games
    cells[AT_PLIES_CELL] += 1
    cells[FIRST_PLY_CELL + ply] += 1
    place = slot(positions, cells[MASK_CELL], key)
    if positions[place] == 0:
        positions[place] = key
        cells[POSITIONS_CELL] += 1
    return nodes, games


@kernel
def count_from(
    game: Any, packed: Any, depth: int, endless: bool, memory: Any, cells: Any, positions: Any, places: Any, counts: Any
) -> tuple[float, float]:
    """`walk` from the only packed state."""
    state = unpack(game, packed, 0)
    return walk(
        game, state, depth, 0, endless, pointer(memory), pointer(cells), pointer(positions), pointer(places),
        pointer(counts)
    )  # fmt: skip
