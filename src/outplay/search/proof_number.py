"""Depth-first proof-number search: searches where a proof seems nearest, at any depth (Allis 1994; df-pn, Nagai 2002).

Reading order: `expand` (the states one action away), `df_pn` (one state), `ask` (one question), `settle` (several
questions), `search_root` (every action), `prove_line` (the line), `ProofNumber` (options in, `Analysis` out).

A search asks a question: does PLAYER, who is to move at the root, get at least TARGET? The proof number of a state
estimates how many states must still be proved for the answer yes, and the disproof number, for the answer no:

                         proof number                disproof number
    yes                  0                           NEVER
    no                   NEVER                       0
    not seen before      1 if PLAYER is to move,     the number of actions if PLAYER is to move,
                         else the number of actions  else 1
    PLAYER is to move    the least of the children   the sum of the children
    another is to move   the sum of the children     the least of the children

Contract of `df_pn`: it searches a state until one of its numbers reaches a threshold. Only a solved state has the
number NEVER (sums are kept below it), so thresholds of NEVER solve the state. The numbers depend only on the player to
move, so a player may move several times in a row. A child is searched until its number exceeds twice the second-least
number: the 1 + epsilon trick of Pawlewicz & Lew (2007) with epsilon = 1, which keeps the search from jumping between
children.

The search ends, even with the smallest table: a node keeps the numbers of its children until it returns, and a child
returns with either a greater number or a sum that makes the node return too. This requires that games end: no state
occurs twice on one line of play. A state that many lines lead to is counted more than once in the sums. This can
mislead the search, but everything it proves is right.

A solved state has a fail-soft bound: its value for PLAYER is at least, or at most, a certain score. The next question
starts from there, as in MTD(f) (Plaat, Schaeffer, Pijls & de Bruin 1996), so a few questions find any value.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

from outplay.compile.kernels import has_field, kernel, pointer, rules_key, unpack
from outplay.compile.records import Layout, Record, layout, new_record
from outplay.engine.analysis import ActionValue, Analysis
from outplay.engine.recording import Recording
from outplay.engine.results import complete_iteration, copy_results, end_search, line_of, list_root, sort_rows
from outplay.engine.score import encode
from outplay.engine.searcher import Searcher, Task
from outplay.engine.stopping import BY_DEPTH, NO_LEGAL_ACTION, STACK_FULL, StopReason
from outplay.engine.table import EXACT, Table
from outplay.engine.trace import Trace
from outplay.engine.workspace import COUNTERS, ROWS, UNSET, must_stop, start
from outplay.rules.constant_sum import draw_utility, range_of
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game, legal_actions
from outplay.rules.options import number
from outplay.search.proof_recording_kernels import ROOT, begin_records, record_expansion, record_fields
from outplay.search.proof_table import DISPROOF, NEVER, PROOF, key_of, mark_of, mask_of, new_table, recall, remember

MAX_CHILDREN = 1 << 16
"""The maximum number of children of all nodes on one path."""
FIELDS = (
    *COUNTERS,
    *ROWS,
    ("player", int),  # the player to move at the root
    ("target", int),  # the question: does `player` get at least this score?
    ("mark", int),  # the number of this question in the table
    ("least", int),  # lower bound of the value for `player`
    ("greatest", int),  # upper bound of it
    ("best", int),  # the best action of the state that was searched last
    ("mask", int),  # the number of buckets of the table minus 1
    ("max_plies", int),  # the maximum number of plies to look ahead
    ("children", [("action", int, MAX_CHILDREN), ("numbers", int, (MAX_CHILDREN, 2)), ("value", int, MAX_CHILDREN)]),
)
"""The memory of the search. A child has the action that leads to it, its two numbers and, if solved, its bound."""
LAYOUT = layout(*FIELDS)
AT_LEAST, AT_MOST = EXACT + 1, EXACT + 2
"""Bounds of a root action, besides EXACT."""
MAX_LINE_NODES = 100_000
"""The maximum number of nodes for reconstructing one state of a line."""


@lru_cache(maxsize=64)
def layout_with_records(limit: int) -> Layout:
    """The memory with room for at least `limit` records of a trace.

    They come first: to Numba, a record whose first fields are those of another one is of its type too.
    """
    return layout(*record_fields(limit, MAX_CHILDREN), *FIELDS)


@dataclass(eq=False, repr=False)
class ProofNumber(Searcher):
    """Proof-number search, depth first (df-pn), for one player or two with opposed interests.

    It asks whether the player to move gets at least a certain utility, and searches where a proof seems nearest, at any
    depth. So it finds a long forced win sooner than a search to a fixed depth. It gives proofs, not estimates: it does
    not use `evaluate`, finds no distances, and its value is that of a draw until something is proved. A player may move
    several times in a row, and utilities may be any numbers.

    Args:
        game: the game to search; a state must not occur twice on a line of play.
        target: ask only whether the player to move gets at least this utility; the value is then a bound. None: ask
            further questions, starting with a win, until the value is exact.
        table_mb: the memory for the table of states, in megabytes.
        reuse_table: whether to keep the table for the next search, such as to go on after a limit.
        books: look-ups to ask before searching.

    Raises `ValueError` for an invalid option, and `UnsuitableGame` for a game with chance, hidden information, more
    than two players, two players whose interests are not opposed, or a rule of `repetition`.

    >>> from outplay.games import ConnectFour
    >>> analysis = ProofNumber(ConnectFour(width=5, height=4)).search()
    >>> analysis.verdict, analysis.exact
    ('draw', True)
    """

    _layout = LAYOUT
    traces: ClassVar[bool] = True
    records: ClassVar[str] = "expansions"

    game: Game
    _: KW_ONLY
    target: float | None = number(None)
    table_mb: float = number(64, least=0, most=1e6)
    reuse_table: bool = False

    def __post_init__(self) -> None:
        self._table: Table | None = None
        self._searches = 0
        self._rules: Any = None  # with which the table was filled
        super().__post_init__()

    def _check_game(self) -> None:
        super()._check_game()
        if self.game.repetition:
            name = type(self.game).__name__
            raise UnsuitableGame(
                f"ProofNumber cannot search {name}: states can repeat (repetition = {self.game.repetition!r}),"
                " and proof numbers must not depend on the path to a state; use AlphaBeta"
            )

    def _take_table(self) -> Table:
        """A new table, or the one of the last search if `reuse_table`: its bounds hold for every question."""
        if not self.reuse_table:
            return new_table(self.table_mb)
        if self._table is None or self._rules != rules_key(self.game):
            self._table, self._rules = new_table(self.table_mb), rules_key(self.game)
        self._searches += 1
        return self._table

    def _new_memory(self, trace: Trace | None) -> Record:
        if trace is None:
            return super()._new_memory(trace)
        memory = new_record(layout_with_records(trace.limit), (*UNSET, "records", "seen"))
        begin_records(memory, trace.limit)
        return memory

    def _recording(self, state: Any, previous_states: Sequence[Any], memory: Record, limit: int) -> Recording:
        from outplay.search.proof_recording import Expansions  # noqa: PLC0415 - searches start without it

        return Expansions.in_memory(self.game, state, memory, self._method())

    def _recorded(self, content: dict[str, Any]) -> Recording:
        from outplay.search.proof_recording import Expansions  # noqa: PLC0415

        return Expansions.in_file(self.game, content)

    def _prepare(self, task: Task) -> Callable[[], Any]:
        least, greatest = range_of(self.game) or (-math.inf, math.inf)
        draw = 0 if self.game.utilities is None else (least + greatest) / 2
        bounds = (
            encode(draw) + 1 if self.target is None else encode(self.target - draw_utility(self.game))
        )  # + 1: more than a draw
        args = (
            task.game, task.packed, task.count, task.depth, task.limit.nodes or 0, task.every, bounds,
            self.target is None, encode(least), encode(greatest), task.memory.base, self._take_table(),
            task.results.cells,
        )  # fmt: skip
        run = proof_number_many.prepare(*args)
        return lambda: run(*args)

    def _analysis(self, state: Any, results: Any, index: int, *args: Any, live: int = -1, **keywords: Any) -> Analysis:
        analysis = super()._analysis(state, results, index, *args, live=live, **keywords)
        if live >= 0:  # a running search knows only its count of nodes
            return replace(analysis, nodes=live)
        status = results.status(index)
        answered = status.done and status.why == 0
        return replace(analysis, stopped=StopReason.COMPLETE) if answered else analysis

    def _action_value(self, state: Any, row: Any, *args: Any) -> ActionValue:
        action_value = super()._action_value(state, row, *args)
        return replace(action_value, bound="lower") if row.bound == AT_LEAST else action_value


@kernel
def expand(game: Any, state: Any, won: int, memory: Any, table: Any, base: int) -> int:
    """List the states one action away in rows from index `base` on. Returns the end of the list.

    The list ends early at a child whose number in column `won` is 0, which solves `state`.
    """
    row = base
    for action in legal_actions(game, state):
        if must_stop(memory):
            return row
        if row == MAX_CHILDREN:
            memory.why = STACK_FULL
            return row
        child = game.result(state, action)
        memory.nodes += 1
        memory.children.action[row] = action
        if game.is_terminal(child):
            memory.leaves += 1
            score = encode(float(game.utility(child, memory.player)) - draw_utility(game))
            yes = score >= memory.target
            memory.children.numbers[row, PROOF], memory.children.numbers[row, DISPROOF] = (
                0 if yes else NEVER,
                NEVER if yes else 0,
            )
            memory.children.value[row] = score
        elif not recall(memory, table, key_of(game, child, memory), row):
            replies = 0
            for _ in legal_actions(game, child):
                replies += 1
            if replies == 0:
                memory.why = NO_LEGAL_ACTION
            ours = game.to_move(child) == memory.player
            memory.children.numbers[row, PROOF], memory.children.numbers[row, DISPROOF] = (
                1 if ours else replies,
                replies if ours else 1,
            )
        row += 1
        if memory.children.numbers[row - 1, won] == 0:
            break
    if row == base:
        memory.why = NO_LEGAL_ACTION
    return row


@kernel
def df_pn(
    game: Any, state: Any, ply: int, proof: int, disproof: int, memory: Any, table: Any,
    here: int, base: int,
) -> None:  # fmt: skip
    """Search `state` until its numbers, in the row `here`, reach the thresholds `proof` or `disproof`.

    Its children are listed from index `base` on. After a stop, its row is unchanged.
    """
    # 1. The mover wants the number `own` to become 0, the opponent the other number.
    memory.depth = max(memory.depth, ply)
    if ply >= memory.max_plies:
        memory.why = BY_DEPTH
    before = memory.nodes
    ours = game.to_move(state) == memory.player
    own, other = (PROOF, DISPROOF) if ours else (DISPROOF, PROOF)
    most_own, most_other = (proof, disproof) if ours else (disproof, proof)
    end, best = expand(game, state, own, memory, table, base), base
    if has_field(memory, "records"):
        record_expansion(game, state, ply, proof, disproof, memory, table, here, base, end)
    while not must_stop(memory):
        # 2. Compute its numbers from those of its children.
        best, second, total = base, NEVER, 0
        for row in range(base, end):
            number = memory.children.numbers[row, own]
            if number < memory.children.numbers[best, own]:
                second = memory.children.numbers[best, own]
                best = row
            elif row != best:
                second = min(second, number)
            total += memory.children.numbers[row, other]
        least = memory.children.numbers[best, own]
        total = NEVER if least == 0 else min(total, NEVER - 1)
        if least >= most_own or total >= most_other:
            # 3. Return if a threshold is reached.
            value = memory.children.value[best]
            for row in range(base, end):  # if solved against the mover: the bound of the best child
                if total == 0 and (memory.children.value[row] > value) == ours:
                    value = memory.children.value[row]
            memory.children.numbers[here, own], memory.children.numbers[here, other], memory.children.value[here] = (
                least,
                total,
                value,
            )
            memory.best = memory.children.action[best]
            remember(memory, table, key_of(game, state, memory), here, memory.nodes - before)
            return
        # 4. Search the child nearest to a proof, until it is well behind the second.
        child = game.result(state, memory.children.action[best])
        memory.nodes += 1
        next_own = min(most_own, 2 * second + 1)
        next_other = NEVER if most_other == NEVER else most_other - (total - memory.children.numbers[best, other])
        if ours:
            df_pn(game, child, ply + 1, next_own, next_other, memory, table, best, end)
        else:
            df_pn(game, child, ply + 1, next_other, next_own, memory, table, best, end)
    if end > base:
        memory.best = memory.children.action[best]


@kernel
def begin(memory: Any, table: Any, target: int) -> None:
    """Begin a question: does PLAYER get at least `target`?"""
    memory.target = target
    memory.mark = mark_of(memory, table, target)


@kernel
def ask(game: Any, state: Any, ply: int, target: int, memory: Any, table: Any, here: int) -> bool:
    """Ask whether PLAYER gets at least `target` in `state`, and narrow `memory.least` or `memory.greatest`.

    Returns whether the question was answered; False if the search was stopped.
    """
    begin(memory, table, target)
    memory.children.numbers[here, PROOF] = memory.children.numbers[here, DISPROOF] = 1
    if has_field(memory, "records"):
        memory.questions += 1
    df_pn(game, state, ply, NEVER, NEVER, memory, table, here, here + 1)
    if memory.children.numbers[here, PROOF] == 0:
        memory.least = max(memory.least, memory.children.value[here])
    if memory.children.numbers[here, DISPROOF] == 0:
        memory.greatest = min(memory.greatest, memory.children.value[here])
    return bool(memory.children.numbers[here, PROOF] == 0 or memory.children.numbers[here, DISPROOF] == 0)


@kernel
def settle(game: Any, state: Any, ply: int, target: int, to_the_end: bool, memory: Any, table: Any, here: int) -> int:
    """Ask about `target`; then, with `to_the_end`, until `memory.least` and `memory.greatest` meet.

    Returns the best action for PLAYER: an action that proves the lower bound or, without one, the action nearest to a
    proof.
    """
    answered = ask(game, state, ply, target, memory, table, here)
    action: int = memory.best
    proved = memory.children.numbers[here, PROOF] == 0
    while answered and to_the_end and memory.least < memory.greatest:
        target = memory.least + 1 if memory.children.numbers[here, PROOF] == 0 else memory.greatest
        answered = ask(game, state, ply, target, memory, table, here)
        if memory.children.numbers[here, PROOF] == 0 or not proved:
            action = memory.best
            proved = memory.children.numbers[here, PROOF] == 0
    return action


@kernel
def put_row(row: int, least: int, greatest: int, memory: Any) -> None:
    """Write to the row of a root action what was proved, if it is more than a value from `least` to `greatest`."""
    low, high = memory.least, memory.greatest
    if low > least or low == high:
        memory.rows.score[row], memory.rows.bound[row], memory.rows.solved[row] = (
            low,
            EXACT if low == high else AT_LEAST,
            1,
        )
    elif high < greatest:
        memory.rows.score[row], memory.rows.bound[row], memory.rows.solved[row] = high, AT_MOST, 1
    else:
        memory.rows.score[row], memory.rows.bound[row], memory.rows.solved[row] = 0, EXACT, 0


@kernel
def search_root(
    game: Any, state: Any, target: int, to_the_end: bool, every: bool, least: int, greatest: int,
    memory: Any, table: Any, results: Any, at: int,
) -> None:  # fmt: skip
    """Find the best action and what can be proved about it; with `every`, also about each other action."""
    # 1. Put the best action first.
    count = list_root(game, state, memory)
    if count == 0:
        return
    memory.player = game.to_move(state)
    memory.best = memory.rows.action[0]
    memory.least, memory.greatest = least, greatest
    if has_field(memory, "records"):
        memory.children.action[0] = ROOT
    best = settle(game, state, 0, target, to_the_end, memory, table, 0)
    low, high = memory.least, memory.greatest
    row = 0
    while memory.rows.action[row] != best:
        row += 1
    for place in range(row, 0, -1):
        memory.rows.action[place] = memory.rows.action[place - 1]
    memory.rows.action[0] = best
    put_row(0, least, greatest, memory)

    # 2. The upper bound of the root holds for all other actions. With `every`, ask separate questions about each.
    for row in range(1, count):
        memory.rows.score[row], memory.rows.bound[row], memory.rows.solved[row] = high, AT_MOST, 1
        if every and not must_stop(memory):
            child = game.result(state, memory.rows.action[row])
            memory.nodes += 1
            memory.least, memory.greatest = least, high
            if game.is_terminal(child):
                memory.least = memory.greatest = encode(float(game.utility(child, memory.player)) - draw_utility(game))
            else:
                if has_field(memory, "records"):
                    memory.children.action[0] = memory.rows.action[row]
                settle(game, child, 1, high if to_the_end else target, to_the_end, memory, table, 0)
            put_row(row, least, high + 1, memory)
    rows = count if low == high or high < greatest or (every and memory.why == 0) else 1
    if low == high or not to_the_end:
        sort_rows(memory, rows)
    copy_results(memory, rows, results, at)
    complete_iteration(rows, memory.depth + 1, low == high, results, at)

    # 3. For exact values, find the line.
    if has_field(memory, "records"):
        memory.is_recording = 0
    for k in range(min(rows, int(memory.max_rows)) if every else 1):
        if memory.rows.solved[k] and memory.rows.bound[k] == EXACT:
            child, score = game.result(state, memory.rows.action[k]), memory.rows.score[k]
            prove_line(game, child, score, least, greatest, memory, table, results, line_of(memory, at, k))


@kernel
def prove_line(
    game: Any, state: Any, score: int, least: int, greatest: int, memory: Any, table: Any, results: Any, at: int,
) -> None:  # fmt: skip
    """Write the best actions from `state`, whose `score` for PLAYER is known, to `found[at:]`.

    Most are in the table; the others are searched again. If any action will do, the first is used.
    """
    nodes, leaves, why, most_nodes = memory.nodes, memory.leaves, memory.why, memory.max_nodes
    end = at + memory.max_line
    while at < end and not game.is_terminal(state):
        own, target, any_will_do = PROOF, score, score == least
        if game.to_move(state) != memory.player:
            own, target, any_will_do = DISPROOF, score + 1, score == greatest
        memory.why, memory.max_nodes = 0, memory.nodes + MAX_LINE_NODES
        if any_will_do:
            for action in legal_actions(game, state):
                memory.best = action
                break
        elif not ask(game, state, 0, target, memory, table, 0) or memory.children.numbers[0, own] != 0:
            break
        results[at] = memory.best
        state = game.result(state, memory.best)
        at += 1
    if at < end:
        results[at] = -1
    memory.nodes, memory.leaves, memory.why, memory.max_nodes = nodes, leaves, why, most_nodes


@kernel
def proof_number_many(
    game: Any, packed: Any, count: int, depth: int, most_nodes: int, every: bool, target: int,
    to_the_end: bool, least: int, greatest: int, memory: Any, table: Any, output: Any,
) -> None:  # fmt: skip
    """Proof-number search for each of `count` packed states; fills in `output`, see `Results`."""
    width = output.size // count
    fields, results = pointer(memory), pointer(output)
    for i in range(count):
        start(fields, i + 1, most_nodes)
        fields.max_plies, fields.mask = depth, mask_of(table)
        fields.nodes, fields.depth = 1, 0  # the root
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            search_root(
                game, state, target, to_the_end, every, least, greatest, fields, pointer(table), results, i * width
            )  # fmt: skip
        end_search(fields, results, i * width)
