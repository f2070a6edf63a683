"""Alpha-beta: the value of minimax without looking at what cannot change it (Knuth & Moore 1975).

Reading order: `negamax.py` (one state), `ordering.py` (which action first), `table.py` (states met before),
`quiescence.py` (the end of the look-ahead), `path.py` (repetition), `deepening.py` (from one state to an answer), and
here `AlphaBeta` (options in, `Analysis` out).
"""

import functools
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from outplay.compile.kernels import kernel, pointer, rules_key, runs_compiled, unpack
from outplay.compile.records import Record, copy_record, new_record
from outplay.engine.limits import Limit
from outplay.engine.results import Results, end_search
from outplay.engine.score import INFINITE, encode
from outplay.engine.searcher import Searcher, Task
from outplay.engine.table import MAX_TABLE_DEPTH, Table, clear_busy, mask_of, new_table
from outplay.engine.trace import Trace
from outplay.engine.trace_kernels import ROOT
from outplay.engine.workspace import (
    start,
)
from outplay.evaluation.variant import Evaluation, Rule, with_evaluation
from outplay.rules.game import Game, defines, forced_result_depths
from outplay.rules.options import number
from outplay.search.deepening import deepen
from outplay.search.margins import CONFIDENCE, FEW_POSITIONS, POSITIONS, Margins, measured
from outplay.search.memory import memory_layout
from outplay.search.options import AlphaBetaOptions
from outplay.search.preload_book import seed
from outplay.system.threads import MAX_THREADS, start_with_stack, useful_threads

FACTOR_TO_THE_END = 8
"""How many times deeper each iteration is where there is no limit."""
FEW_INTS = 4
"""Up to so many ints in a state, to call up the table's entries of all children has been seen to pay."""
FACTOR_IN_CIRCLES = 1.25
"""At least so many times deeper where play can go in circles: a ply a time, each iteration would rest on estimates that
the last one left in the table for the same states, and none would ever be proved."""


@dataclass(eq=False, repr=False)
class AlphaBeta(Searcher):
    """Iterative deepening alpha-beta with a transposition table, for one player or two with opposed interests.

    A player may move several times in a row, and utilities may be any numbers. At the cutoff the game's `evaluate` is
    asked; its `order` says which actions to try first. Without a limit the search goes on until the value is proved.

    Args:
        game: what to search.
        table_mb: memory for the transposition table, in megabytes; 0 for next to none.
        reuse_table: whether the table is kept for the next search, as between the moves of one game. If not, the same
            search looks at the same nodes each time. `forget()` empties it.
        depth_factor: each iteration is so many times deeper than the last one, and 1 ply at least. None: 8 for a search
            without any limit, which has to reach the end of the game; else 1.
        threads: how many threads search at once. They share the table, so that what one finds the others need not
            (lazy SMP), and put off what another one is at (ABDADA); the same search may then take another course
            each time. `search_many` uses one.
        evaluate: what to use in place of the game's own: a function `(game, state, player) -> float`, a
            `LinearEvaluation`, an `OutcomeEvaluation` or a `PlayoutEvaluation`.
        books: what to ask before searching; what a `Book` has proved is also used deep in the tree.

    Options that leave the value as it is:

    Args:
        hints: whether to ask the game's `forced_result` and `candidates`.
        symmetry: whether states that the game's `symmetries` turn into each other share an entry of the table.
        null_window: whether actions after the first are first searched only to see that they are no better.
        order: whether to try the table's action first, then the greatest of the game's `order`.
        staged: whether the table's action is tried before the others are listed.
        prefetch: whether the table's entries of all states that the actions lead to are called up from memory when the
            actions are listed. None: where the game has `candidates`, and states are a few ints; elsewhere making the
            states costs more than it saves.
        killers: whether, of actions of equal order, those that cut off in the same ply go first. None: unless the game
            has both `order` and `candidates`; what knows so much has no more to learn.
        countermoves: whether then that goes first which refuted the opponent's last action before. None: likewise.
        history_heuristic: whether then that goes first which has cut off most often. None: where the game has no
            `order`.
        quiescence: whether states that are not `is_quiet` are searched beyond the depth, by `noisy` actions.
        extensions: whether states that are `needs_extension` are searched a ply deeper.

    Options that may miss something (Shannon's type B). A value is called exact only if they left out nothing:

    Args:
        selective: late move reductions and the null move at once: what makes a chess program look deep.
        beam: how many actions to look at in each state below the root. None: all.
        late_move_reductions: whether actions that come late in the order are first searched less deeply.
        null_move: whether a state in which even `null_move_state` is too good is given up.
        futility: whether actions just before the cutoff are left out that would have to gain too much.
        probcut: whether a state is given up of which a search of less depth shows that it is likely to be.
        margins: how much is too much, for the last two. None: measured, when first needed, by `measure_margins`.
        exact: whether to do without all of these, whatever else is said.

    Raises `ValueError` for an option that makes no sense, `UnsuitableGame` for a game with chance, hidden information
    or other players.

    >>> from outplay.games import ConnectFour
    >>> analysis = AlphaBeta(ConnectFour(width=5, height=4)).search()
    >>> analysis.verdict, analysis.exact
    ('draw', True)
    """

    _traces: ClassVar[bool] = True
    _mtdf: ClassVar[bool] = False

    game: Game
    _: KW_ONLY
    table_mb: float = number(64, least=0, most=1e6)
    reuse_table: bool = False
    depth_factor: float | None = number(None, least=1, most=MAX_TABLE_DEPTH)
    threads: int = number(1, least=1, most=MAX_THREADS)
    evaluate: Rule | Evaluation | None = None
    hints: bool = True
    symmetry: bool = True
    null_window: bool = True
    order: bool = True
    staged: bool = True
    prefetch: bool | None = None
    killers: bool | None = None
    countermoves: bool | None = None
    history_heuristic: bool | None = None
    quiescence: bool = True
    extensions: bool = True
    selective: bool = False
    beam: int | None = number(None, least=1)
    late_move_reductions: bool = False
    null_move: bool = False
    futility: bool = False
    probcut: bool = False
    margins: Margins | None = None
    exact: bool = False

    def __post_init__(self) -> None:
        self._table: Table | None = None
        self._searches = 0
        self._rules: Any = None  # those of the table
        if self.margins is not None and not isinstance(self.margins, Margins):
            raise ValueError(f"AlphaBeta(margins={self.margins!r}): Margins(futility=(0.5, 1), probcut=1), or None")
        super().__post_init__()
        self._searched()  # an evaluation that does not fit shows now

    def forget(self) -> None:
        """Empty the table that `reuse_table=True` has kept."""
        self._table = None
        self._searches = 0

    def _new_memory(self, trace: Trace | None) -> Record:
        memory = new_record(memory_layout() if trace is None else memory_layout(trace.limit))
        memory.max_records, memory.record = 0 if trace is None else trace.limit, ROOT
        return memory

    def _searched(self) -> Game:
        return with_evaluation(self.game, self.evaluate)

    def _techniques(self, game: Game, threads: bool = False, trace: bool = False) -> AlphaBetaOptions:
        """What is on for this game; a technique that needs a rule which the game has not is off."""
        exact = self.exact
        reduces, passes = (
            (option or self.selective) and not exact for option in (self.late_move_reductions, self.null_move)
        )
        learns = not (defines(game, "order") and defines(game, "candidates"))
        return AlphaBetaOptions(
            hints=self.hints and not game.repetition,  # they know nothing of the path
            symmetry=self.symmetry and defines(game, "symmetries") and not game.repetition,
            null_window=self.null_window,
            mtdf=self._mtdf,
            order=self.order,
            staged=self.staged and self.order,
            prefetch=is_light(game) if self.prefetch is None else self.prefetch,
            killers=self.order and (learns if self.killers is None else self.killers),
            countermoves=self.order
            and game.players == 2
            and (learns if self.countermoves is None else self.countermoves),
            history_heuristic=self.order
            and (not defines(game, "order") if self.history_heuristic is None else self.history_heuristic),
            quiescence=self.quiescence and (defines(game, "is_quiet") or defines(game, "noisy")),
            extensions=self.extensions and defines(game, "needs_extension"),
            repetition=game.repetition or "",
            beam=self.beam is not None and not exact,
            late_move_reductions=reduces,
            null_move=passes and defines(game, "null_move_state"),
            futility=self.futility and not exact and defines(game, "evaluate"),
            probcut=self.probcut and not exact and defines(game, "evaluate"),
            threads=threads,
            trace=trace,
        )

    def _margins(self, game: Game) -> Margins:
        """The margins that were given, else those measured, with the evaluation that is searched with."""
        if self.margins is not None:
            return self.margins
        positions = POSITIONS if runs_compiled(game) else FEW_POSITIONS
        return measured(AlphaBeta, game, rules_key(game), positions, 0, CONFIDENCE)

    def _prepare(self, task: Task) -> Callable[[], Any]:
        game, limit, memory, results = task.game, task.limit, task.memory, task.results
        together = self.threads > 1 and task.count == 1 and runs_compiled(game)
        techniques = self._techniques(game, threads=together, trace=bool(memory.max_records))
        least, greatest = game.utilities or (0, 0)  # a sure draw is no reason to stop: 0 has no distance
        alone = game.repetition == "draw" and memory.root_ply > 0  # its draws hold only after the same past
        if self.reuse_table and self._rules != (rules := rules_key(game)):
            self.forget()
            self._rules = rules
        table = new_table(self.table_mb) if self._table is None or alone else self._table
        if together:
            clear_busy(table)
        memory.earlier_searches = self._searches
        if self.reuse_table and not alone:
            self._table = table
            self._searches += task.count
        depth_factor = self.depth_factor or (FACTOR_TO_THE_END if limit == Limit() else 1)
        if game.repetition == "draw":
            depth_factor = max(depth_factor, FACTOR_IN_CIRCLES)
        memory.hinted = 1
        memory.forced_result_depth, memory.forced_loss_depth = (
            forced_result_depths(game) if techniques.hints else (0, 0)
        )
        memory.depth_factor = int(100 * depth_factor)
        memory.beam = self.beam or 0
        memory.best_possible = encode(greatest) if greatest > 0 else INFINITE
        memory.worst_possible = encode(least) if least < 0 else -INFINITE
        memory.table_mask = mask_of(table)
        seed(game, () if alone else self.books, table, int(memory.earlier_searches) + 1)
        if techniques.futility or techniques.probcut:
            margins = self._margins(game)
            memory.margins[:] = [encode(margin) for margin in (*margins.futility, margins.probcut)]
        args = (
            game, techniques, task.packed, task.count, min(task.depth, MAX_TABLE_DEPTH), limit.nodes or 0,
            task.every, memory, table,
            results.cells,
        )  # fmt: skip
        run = alpha_beta_many.prepare(*args)
        if not together:
            return lambda: run(*args)
        helpers = []
        for _ in range(1, useful_threads(self.threads)):
            own = copy_record(memory)
            own.max_records = 0
            helpers.append((*args[:7], own, table, results.cells.copy()))
        return lambda: run_together(run, args, helpers, results)


def is_light(game: Game) -> bool:
    """Whether the states that a search lists are few and quickly made: `candidates`, and states of a few ints."""
    state = game.initial_state()
    is_small = isinstance(state, tuple) and len(state) <= FEW_INTS and all(isinstance(field, int) for field in state)
    return is_small and defines(game, "candidates")


def run_together(run: Callable[..., None], args: Any, helpers: list[Any], results: Results) -> None:
    """Run one search in this thread and helpers in others, as long as this one takes."""
    threads: list[Any] = []
    try:
        for helper in helpers:
            threads.append(start_with_stack(functools.partial(run, *helper)))  # noqa: PERF401 - one may not start
        run(*args)
    finally:
        for helper in helpers:
            helper[7].stop = -1
        for thread in threads:
            thread.join()
    results.status[0].nodes += sum(int(helper[7].nodes) for helper in helpers)


@kernel
def alpha_beta_many(
    game: Any, techniques: Any, packed: Any, count: int, most_depth: int, most_nodes: int, every: bool, memory: Any,
    table: Any, found: Any,
) -> None:  # fmt: skip
    """Alpha-beta for each of `count` packed states; see `searcher.Results` for what is filled in."""
    width = found.size // count
    cells, entries, results = pointer(memory), pointer(table), pointer(found)
    for i in range(count):
        at = i * width
        start(cells, i + 1, most_nodes)
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            deepen(game, techniques, state, most_depth, every, count == 1, cells, entries, results, at)
        end_search(cells, results, at)
