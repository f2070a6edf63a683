"""Proof-number search, depth first: the win that is nearest to a proof, however deep (Allis 1994; df-pn, Nagai 2002).

Reading order: `expand` (the states one action away), `df_pn` (one state), `ask` (one question), `settle` (one question
after another), `search_root` (every action), `extract_pv` (the line), `ProofNumber` (options in, `Analysis` out).

A search asks: does PLAYER, who is to move at the root, get at least TARGET? The proof number of a state estimates how
many states have yet to be proved so that the answer is yes; the disproof number, so that it is no:

                         proof number                disproof number
    yes                  0                           INFINITE
    no                   INFINITE                    0
    not seen before      1 if PLAYER is to move,     the number of actions if PLAYER is to move,
                         else the number of actions  else 1
    PLAYER is to move    the least of the children   the sum of the children
    another is to move   the sum of the children     the least of the children

Contract of `df_pn`: it searches a state until one of its numbers reaches a threshold. Only a solved state has a number
of INFINITE (a sum stays below it), so thresholds of INFINITE solve the state. Nothing but the mover counts, so a player
may move several times in a row. The child that is searched is followed until its number is twice the second least: the
1 + epsilon trick of Pawlewicz & Lew (2007), with epsilon = 1, which keeps the search from jumping to and fro.

It ends, however small the table is: a node keeps the numbers of its children until it returns, and a child comes back
either with a greater least number or with a sum that makes the node return too. This takes for granted that games
end: no state comes twice on one line of play. Where many lines lead to the same state, sums count it more than once;
that can mislead the search, but what is proved is right.

A solved state has a bound, fail-soft: its value for PLAYER is at least, or at most, so much. The next question starts
from there, as in MTD(f) (Plaat, Schaeffer, Pijls & de Bruin 1996), so a few questions find any value.
"""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, unpack
from outplay.engine import workspace
from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.limits import Limit
from outplay.engine.score import encode
from outplay.engine.searcher import (
    ACTION,
    BOUND,
    COLUMNS,
    SCORE,
    SOLVED,
    STATUS_ACTIONS,
    STATUS_DEPTH,
    STATUS_DONE,
    STATUS_LEAVES,
    STATUS_NODES,
    STATUS_SOLVED,
    STATUS_WHY,
    Results,
    Searcher,
    copy_results,
    depth_of,
    line_of,
    list_root,
    sort_rows,
)
from outplay.engine.table import EXACT
from outplay.engine.workspace import (
    BY_ROOM,
    BY_RULES,
    DEPTH,
    KEPT,
    LEAVES,
    LONGEST,
    MOST_NODES,
    NODES,
    STACK,
    STACK_SIZE,
    WHY,
    must_stop,
    start,
)
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import SEED, mix, state_key

PROOF, DISPROOF, VALUE = 1, 2, 3
"""Columns of a row about one child: the ACTION that leads there, its two numbers, its bound once it is solved."""
CELLS = 4
INFINITE = 1 << 30
"""The other number of a solved state; one that is not solved has less."""
PLAYER, TARGET, MARK, LEAST, GREATEST, BEST, MASK, PLIES = range(STACK + STACK_SIZE - 8, STACK + STACK_SIZE)
"""The last cells of the stack: the player to move at the root, what is asked, its mark in the table; what is known of
the value for PLAYER; the best action of the state that was searched last; the number of buckets less 1; how many plies
the search may look ahead."""
LAST = PLAYER
"""Where the stack for children ends."""
AT_LEAST, AT_MOST = EXACT + 1, EXACT + 2
"""Bounds of a root action, besides EXACT."""
TOO_DEEP = 9
"""In the workspace's WHY: the search came to the limit on depth."""
LINE_NODES = 100_000
"""At most so many nodes go into finding a state of the line again."""

NONE, OPEN, NO, YES = range(4)
"""What an entry of the table says of its state: nothing, two numbers, at most so much, at least so much."""
KEY_BITS, MARK_BITS, WORK_BITS = -1 << 20, 0xFFF00, 0xFC
BUCKET = 8
"""Cells of a bucket: four entries of two, a cache line."""

Table = NDArray[np.int64]


@dataclass(eq=False, repr=False)
class ProofNumber(Searcher):
    """Proof-number search, depth first (df-pn), for one player or two with opposed interests.

    It asks whether the player to move gets at least so much, and works where a proof seems nearest, however deep that
    is. So it finds a long forced win sooner than a search to a depth does. It is for answers, not for estimates: it
    knows no distances, asks no `evaluate`, and before anything is proved its value is 0. A player may move several
    times in a row, and utilities may be any numbers.

    Args:
        game: what to search.
        target: ask only whether the player to move gets at least this; the value is then a bound. None: ask whether it
            is a win, then what else it can be, until the value is exact.
        table_mb: memory for the table of states met before, in megabytes.
        books: what to ask before searching.

    Raises `ValueError` for an option that makes no sense, `UnsuitableGame` for a game with chance, hidden information
    or other players.

    >>> from outplay.games import ConnectFour
    >>> analysis = ProofNumber(ConnectFour(width=5, height=4)).search()
    >>> analysis.verdict, analysis.exact
    ('draw', True)
    """

    game: Game
    _: KW_ONLY
    target: float | None = None
    table_mb: float = 64

    def __post_init__(self) -> None:
        target, table_mb = self.target, self.table_mb
        if target is not None and (not isinstance(target, (int, float)) or math.isnan(target)):
            raise ValueError(f"ProofNumber(target={target!r}): a utility to reach, or None for the exact value")
        if not isinstance(table_mb, (int, float)) or isinstance(table_mb, bool) or not 0 <= table_mb <= 1e6:
            raise ValueError(f"ProofNumber(table_mb={table_mb!r}): megabytes from 0 to 1000000")
        super().__post_init__()

    def _check_game(self) -> None:
        super()._check_game()
        if self.game.repetition:
            name = type(self.game).__name__
            raise UnsuitableGame(
                f"ProofNumber cannot search {name}: play can go in circles (repetition = {self.game.repetition!r}),"
                " and what it knows of a state must not depend on the way there; AlphaBeta can"
            )

    def _prepare(
        self, game: Game, packed: Any, count: int, limit: Limit, every: bool, memory: workspace.Workspace,
        results: Results,
    ) -> Callable[[], Any]:  # fmt: skip
        least, greatest = self.game.utilities or (-math.inf, math.inf)
        draw = 0 if self.game.utilities is None else (least + greatest) / 2
        wanted = encode(draw) + 1 if self.target is None else encode(self.target)  # the next score is more than a draw
        args = (
            game, packed, count, depth_of(limit), limit.nodes or 0, every, wanted, self.target is None,
            encode(least), encode(greatest), memory, new_table(self.table_mb), results.cells,
        )  # fmt: skip
        run = proof_number_many.prepare(*args)
        return lambda: run(*args)

    def _analysis(
        self, state: Any, results: Results, index: int, *args: Any, live: int = -1, **keywords: Any
    ) -> Analysis:
        analysis = super()._analysis(state, results, index, *args, live=live, **keywords)
        if live >= 0:  # a count is all there is to tell on the way
            return replace(analysis, nodes=live)
        answered = results.cells[index, STATUS_DONE] and results.cells[index, STATUS_WHY] == 0
        return replace(analysis, stopped="") if answered else analysis

    def _action_value(self, state: Any, row: NDArray[np.int64], *args: Any) -> ActionValue:
        found = super()._action_value(state, row, *args)
        return replace(found, bound="lower") if row[BOUND] == AT_LEAST else found


# -- the table --------------------------------------------------------------------------------------------------------
#
# An int64 array of buckets, each of four entries of two cells. The low bits of a state's key choose the bucket:
#
#     cell 0    bits 63-20  the same bits of the key, to tell states apart that share a bucket
#               bits 19-8   a mark of the question to which the numbers belong; bounds hold for every question
#               bits  7-2   the work: the binary logarithm of the nodes below the state
#               bits  1-0   NONE, OPEN, NO or YES
#     cell 1    OPEN: the proof number << 30 | the disproof number; else the bound, a score for PLAYER
#
# A state may have an entry of each kind. Numbers of another question give way first, then what took the least work.


def new_table(megabytes: float) -> Table:
    """An empty table of at most so many megabytes (10**6 bytes): shape (8 * 2**k,), int64; 0 makes one bucket."""
    buckets = 1
    while buckets * 2 * 8 * BUCKET <= megabytes * 1e6:
        buckets *= 2
    return np.zeros(BUCKET * buckets, np.int64)


@kernel
def recall(memory: Any, table: Any, key: int, row: int) -> bool:
    """Put what `table` knows of the state with `key` into its row, if it knows anything."""
    known = False
    place = (key & int(memory[MASK])) * BUCKET
    for entry in range(place, place + BUCKET, 2):
        word = int(table[entry])
        if (word ^ key) & KEY_BITS == 0:
            said, number = word & 3, int(table[entry + 1])
            if said == OPEN and word & MARK_BITS == memory[MARK]:
                memory[row + PROOF], memory[row + DISPROOF] = number >> 30, number & (INFINITE - 1)
                known = True
            if said == YES and number >= memory[TARGET]:
                memory[row + PROOF], memory[row + DISPROOF], memory[row + VALUE] = 0, INFINITE, number
                return True
            if said == NO and number < memory[TARGET]:
                memory[row + PROOF], memory[row + DISPROOF], memory[row + VALUE] = INFINITE, 0, number
                return True
    return known


@kernel
def remember(memory: Any, table: Any, key: int, row: int, nodes: int) -> None:
    """Put a row into `table`; `nodes` were needed for it."""
    if memory[row + PROOF] == 0:
        said, number = YES, memory[row + VALUE]
    elif memory[row + DISPROOF] == 0:
        said, number = NO, memory[row + VALUE]
    else:
        said, number = OPEN, memory[row + PROOF] << 30 | memory[row + DISPROOF]
    work = 1
    while nodes >> work != 0:
        work += 1
    place = (key & int(memory[MASK])) * BUCKET
    worst, least = place, 64
    for entry in range(place, place + BUCKET, 2):
        word = int(table[entry])
        if (word ^ key) & KEY_BITS == 0 and (word & 3 == said or word & 3 == OPEN):
            worst = entry
            work = max(work, (word & WORK_BITS) >> 2)
            break
        kept = (word & WORK_BITS) >> 2
        if word & 3 == OPEN and word & MARK_BITS != memory[MARK]:
            kept = 0
        if kept < least:
            worst, least = entry, kept
    table[worst] = key & KEY_BITS | memory[MARK] | work << 2 | said
    table[worst + 1] = number


@kernel
def key_of(game: Any, state: Any, memory: Any) -> int:
    """The key of a state; another one where the question is about player 1."""
    return state_key(game, state) ^ -int(memory[PLAYER])


# -- the search -------------------------------------------------------------------------------------------------------


@kernel
def expand(game: Any, state: Any, won: int, memory: Any, table: Any, base: int) -> int:
    """List the states one action away in rows from `memory[base]` on; where they end.

    The list ends early at one whose number in column `won` is 0, which solves `state`.
    """
    row = base
    for action in legal_actions(game, state):
        if must_stop(memory):
            return row
        if row + CELLS > LAST:
            memory[WHY] = BY_ROOM
            return row
        child = game.result(state, action)
        memory[NODES] += 1
        memory[row + ACTION] = action
        if game.is_terminal(child):
            memory[LEAVES] += 1
            score = encode(game.utility(child, memory[PLAYER]))
            yes = score >= memory[TARGET]
            memory[row + PROOF], memory[row + DISPROOF] = 0 if yes else INFINITE, INFINITE if yes else 0
            memory[row + VALUE] = score
        elif not recall(memory, table, key_of(game, child, memory), row):
            replies = 0
            for _ in legal_actions(game, child):
                replies += 1
            if replies == 0:
                memory[WHY] = BY_RULES
            ours = game.to_move(child) == memory[PLAYER]
            memory[row + PROOF], memory[row + DISPROOF] = 1 if ours else replies, replies if ours else 1
        row += CELLS
        if memory[row - CELLS + won] == 0:
            break
    if row == base:
        memory[WHY] = BY_RULES
    return row


@kernel
def df_pn(
    game: Any, state: Any, ply: int, proof: int, disproof: int, memory: Any, table: Any, here: int, base: int
) -> None:
    """Search `state` until its numbers, in the row `memory[here]`, reach the thresholds `proof` or `disproof`.

    Its children are listed from `memory[base]` on. After a stop its row is as before.
    """
    # 1. The mover wants the number `own` to become 0, its opponent the other.
    memory[DEPTH] = max(memory[DEPTH], ply)
    if ply >= memory[PLIES]:
        memory[WHY] = TOO_DEEP
    before = memory[NODES]
    ours = game.to_move(state) == memory[PLAYER]
    own, other = (PROOF, DISPROOF) if ours else (DISPROOF, PROOF)
    most_own, most_other = (proof, disproof) if ours else (disproof, proof)
    end, best = expand(game, state, own, memory, table, base), base
    while not must_stop(memory):
        # 2. Its numbers follow from those of its children.
        best, second, total = base, INFINITE, 0
        for row in range(base, end, CELLS):
            number = memory[row + own]
            if number < memory[best + own]:
                second = memory[best + own]
                best = row
            elif row != best:
                second = min(second, number)
            total += memory[row + other]
        least = memory[best + own]
        total = INFINITE if least == 0 else min(total, INFINITE - 1)
        if least >= most_own or total >= most_other:
            # 3. A threshold is reached.
            value = memory[best + VALUE]
            for row in range(base, end, CELLS):  # if solved against the mover: the best of what is left
                if total == 0 and (memory[row + VALUE] > value) == ours:
                    value = memory[row + VALUE]
            memory[here + own], memory[here + other], memory[here + VALUE] = least, total, value
            memory[BEST] = memory[best + ACTION]
            remember(memory, table, key_of(game, state, memory), here, memory[NODES] - before)
            return
        # 4. The child nearest to a proof, until it is well behind the second.
        child = game.result(state, int(memory[best + ACTION]))
        memory[NODES] += 1
        next_own = min(most_own, 2 * second + 1)
        next_other = INFINITE if most_other == INFINITE else most_other - (total - memory[best + other])
        if ours:
            df_pn(game, child, ply + 1, next_own, next_other, memory, table, best, end)
        else:
            df_pn(game, child, ply + 1, next_other, next_own, memory, table, best, end)
    if end > base:
        memory[BEST] = memory[best + ACTION]


@kernel
def ask(game: Any, state: Any, ply: int, target: int, memory: Any, table: Any, here: int) -> bool:
    """Whether PLAYER gets at least `target` in `state`: narrow LEAST or GREATEST. False if the search was stopped."""
    memory[TARGET] = target
    memory[MARK] = mix(SEED, target) & MARK_BITS
    memory[here + PROOF] = memory[here + DISPROOF] = 1
    df_pn(game, state, ply, INFINITE, INFINITE, memory, table, here, here + CELLS)
    if memory[here + PROOF] == 0:
        memory[LEAST] = max(memory[LEAST], memory[here + VALUE])
    if memory[here + DISPROOF] == 0:
        memory[GREATEST] = min(memory[GREATEST], memory[here + VALUE])
    return memory[here + PROOF] == 0 or memory[here + DISPROOF] == 0  # type: ignore[no-any-return]


@kernel
def settle(game: Any, state: Any, ply: int, target: int, to_the_end: bool, memory: Any, table: Any, here: int) -> int:
    """Ask about `target`, then `to_the_end` about what is left between LEAST and GREATEST.

    The best action for PLAYER: one that proves LEAST; before there is one, the one nearest to a proof.
    """
    answered = ask(game, state, ply, target, memory, table, here)
    action = int(memory[BEST])
    proved = memory[here + PROOF] == 0
    while answered and to_the_end and memory[LEAST] < memory[GREATEST]:
        target = memory[LEAST] + 1 if memory[here + PROOF] == 0 else memory[GREATEST]
        answered = ask(game, state, ply, target, memory, table, here)
        if memory[here + PROOF] == 0 or not proved:
            action = int(memory[BEST])
            proved = memory[here + PROOF] == 0
    return action


@kernel
def put_row(row: int, least: int, greatest: int, memory: Any) -> None:
    """Put into the row of a root action what was proved, beyond that its value is from `least` to `greatest`."""
    low, high = int(memory[LEAST]), int(memory[GREATEST])
    if low > least or low == high:
        memory[row + SCORE], memory[row + BOUND], memory[row + SOLVED] = low, EXACT if low == high else AT_LEAST, 1
    elif high < greatest:
        memory[row + SCORE], memory[row + BOUND], memory[row + SOLVED] = high, AT_MOST, 1
    else:
        memory[row + SCORE], memory[row + BOUND], memory[row + SOLVED] = 0, EXACT, 0


@kernel
def search_root(
    game: Any, state: Any, target: int, to_the_end: bool, every: bool, least: int, greatest: int,
    memory: Any, table: Any, found: Any, at: int,
) -> None:  # fmt: skip
    """The best action and what can be proved of it; then, with `every`, the same of each other action."""
    # 1. The best action comes first.
    count = list_root(game, state, memory)
    if count == 0:
        return
    here = STACK + count * COLUMNS
    memory[PLAYER] = game.to_move(state)
    memory[BEST] = memory[STACK + ACTION]
    memory[LEAST], memory[GREATEST] = least, greatest
    best = settle(game, state, 0, target, to_the_end, memory, table, here)
    low, high = int(memory[LEAST]), int(memory[GREATEST])
    row = STACK
    while memory[row + ACTION] != best:
        row += COLUMNS
    for place in range(row, STACK, -COLUMNS):
        memory[place + ACTION] = memory[place + ACTION - COLUMNS]
    memory[STACK + ACTION] = best
    put_row(STACK, least, greatest, memory)

    # 2. No other is better than the root is at most, if that is known. How good each is takes questions of its own.
    for row in range(STACK + COLUMNS, here, COLUMNS):
        memory[row + SCORE], memory[row + BOUND], memory[row + SOLVED] = high, AT_MOST, 1
        if every and not must_stop(memory):
            child = game.result(state, int(memory[row + ACTION]))
            memory[NODES] += 1
            memory[LEAST], memory[GREATEST] = least, high
            if game.is_terminal(child):
                memory[LEAST] = memory[GREATEST] = encode(game.utility(child, memory[PLAYER]))
            else:
                settle(game, child, 1, high if to_the_end else target, to_the_end, memory, table, here)
            put_row(row, least, high + 1, memory)
    known = count if low == high or high < greatest or (every and memory[WHY] == 0) else 1
    if low == high or not to_the_end:
        sort_rows(memory, known)
    copy_results(memory, known, found, at)
    found[at + STATUS_ACTIONS] = known
    found[at + STATUS_DEPTH] = memory[DEPTH] + 1
    found[at + STATUS_SOLVED] = low == high

    # 3. Where a value is exact, the line that shows it.
    for k in range(min(known, int(memory[KEPT])) if every else 1):
        row = STACK + k * COLUMNS
        if memory[row + SOLVED] and memory[row + BOUND] == EXACT:
            child, score = game.result(state, int(memory[row + ACTION])), int(memory[row + SCORE])
            extract_pv(game, child, score, least, greatest, memory, table, here, found, line_of(memory, at, k))


@kernel
def extract_pv(
    game: Any, state: Any, score: int, least: int, greatest: int, memory: Any, table: Any, here: int, found: Any,
    at: int,
) -> None:  # fmt: skip
    """Put best actions from `state`, whose `score` for PLAYER is known, into `found[at:]`.

    Most are in the table, others are searched again. Where any action will do, the first is taken.
    """
    nodes, leaves, why, most_nodes = memory[NODES], memory[LEAVES], memory[WHY], memory[MOST_NODES]
    end = at + memory[LONGEST]
    while at < end and not game.is_terminal(state):
        own, target, any_will_do = PROOF, score, score == least
        if game.to_move(state) != memory[PLAYER]:
            own, target, any_will_do = DISPROOF, score + 1, score == greatest
        memory[WHY], memory[MOST_NODES] = 0, memory[NODES] + LINE_NODES
        if any_will_do:
            for action in legal_actions(game, state):
                memory[BEST] = action
                break
        elif not ask(game, state, 0, target, memory, table, here) or memory[here + own] != 0:
            break
        found[at] = memory[BEST]
        state = game.result(state, int(memory[BEST]))
        at += 1
    if at < end:
        found[at] = -1
    memory[NODES], memory[LEAVES], memory[WHY], memory[MOST_NODES] = nodes, leaves, why, most_nodes


@kernel
def proof_number_many(
    game: Any, packed: Any, count: int, depth: int, most_nodes: int, every: bool, target: int, to_the_end: bool,
    least: int, greatest: int, memory: Any, table: Any, found: Any,
) -> None:  # fmt: skip
    """Proof-number search of each of `count` packed states; see `searcher.Results` for what is filled in."""
    width = found.size // count
    for i in range(count):
        start(pointer(memory), i + 1, most_nodes)
        memory[PLIES], memory[MASK] = depth, len(table) // BUCKET - 1
        memory[NODES], memory[DEPTH] = 1, 0  # the root
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            search_root(
                game, state, target, to_the_end, every, least, greatest, pointer(memory), pointer(table),
                pointer(found), i * width
            )  # fmt: skip
        found[i, STATUS_WHY] = memory[WHY]
        found[i, STATUS_NODES] = memory[NODES]
        found[i, STATUS_LEAVES] = memory[LEAVES]
        found[i, STATUS_DONE] = memory[WHY] == 0 or memory[WHY] == TOO_DEEP
