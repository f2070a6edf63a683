"""Alpha-beta: finds the value of minimax and skips states that cannot change it (Knuth & Moore 1975).

Reading order: `negamax.py` (one state), `ordering.py` (move ordering), `table.py` (the transposition table),
`quiescence.py` (the end of the look-ahead), `path.py` (repetition), `deepening.py` (iterative deepening), and here
`AlphaBeta` (options in, `Analysis` out).
"""

import functools
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from outplay.compile.kernels import kernel, pointer, rules_key, runs_compiled, unpack
from outplay.compile.records import Record, copy_record, new_record
from outplay.engine.limits import UNLIMITED
from outplay.engine.results import HITS_CELL, Results, end_search
from outplay.engine.score import encode
from outplay.engine.searcher import Searcher, Task
from outplay.engine.table import MAX_TABLE_DEPTH, Table, clear_busy, full_permille, mask_of, new_table, useful_megabytes
from outplay.engine.trace import Trace
from outplay.engine.trace_kernels import ROOT
from outplay.engine.workspace import start
from outplay.evaluation.variant import Evaluation, Order, Rule, with_evaluation, with_order
from outplay.rules.game import Game, defines, forced_result_depths
from outplay.rules.options import number
from outplay.search.deepening import deepen
from outplay.search.margins import CONFIDENCE, FEW_POSITIONS, POSITIONS, Margins, measured
from outplay.search.memory import LEFT_UNSET, clear_learnt, memory_layout
from outplay.search.options import AlphaBetaOptions
from outplay.search.preload_book import seed
from outplay.search.quiescence import limit_estimates
from outplay.search.textbook import TextbookAlphaBeta
from outplay.system.threads import MAX_THREADS, start_with_stack, useful_threads

if TYPE_CHECKING:
    from outplay.tables.tablebase import Tablebase

FACTOR_WITHOUT_LIMIT = 8
"""The factor by which the depth of each iteration grows if there is no limit."""
MAX_LIGHT_INTS = 4
"""The maximum number of ints in a state for which prefetching the table entries of all children was found to pay."""
FACTOR_WITH_REPETITION = 1.25
"""The minimum factor if states can repeat. With one ply more per iteration, each iteration would depend on estimates
that the last one left in the table for the same states, and nothing would ever be proved."""


@dataclass(eq=False, repr=False)
class AlphaBeta(Searcher):
    """Iterative deepening alpha-beta with a transposition table, for one player or two with opposed interests.

    A player may move several times in a row, and utilities may be any numbers. At the end of the look-ahead, states are
    valued by the game's `evaluate`. Without a limit, the search goes on until the value is proved.

    Args:
        game: the game to search.
        textbook: whether to search as textbooks do: each state once, to the end of the game or the depth limit, its
            actions in the order of the rules. Of the options, only `evaluate`, `books` and `check` may be given too.
        table_mb: the memory for the transposition table, in megabytes; 0 for almost none.
        reuse_table: whether to keep the table for the next search, such as between the moves of one game. If not, the
            same search visits the same nodes each time. `forget()` empties the table.
        depth_factor: the factor by which the depth of each iteration grows; it grows by at least 1 ply. None: 8 for a
            search without a limit, which has to reach the end of the game; else 1. Only with None is it asked before
            the whole search whether a decisive end is near.
        threads: the number of threads. They share the table (lazy SMP), and each of them defers actions that another
            one is searching (ABDADA). With more than one, the same search may visit other nodes each time.
            `search_many` uses one thread.
        evaluate: an evaluation to use in place of the game's own: a function `(game, state, player) -> float`, a
            `LinearEvaluation`, an `OutcomeEvaluation` or a `PlayoutEvaluation`.
        books: look-ups to ask before searching. What a `Book` has proved is also used deep in the tree, and so is the
            first `Tablebase` whose distances count to the end, unless a rule of repetition and earlier states of the
            game matter.
        table_probe_depth: the least depth left, in plies, at which states in the tree are looked up in a `Tablebase`.
            A higher one reads fewer blocks of a table in a file.

    Options that do not change the value:

    Args:
        hints: whether to use the game's `forced_result`, `utility_bounds` and `candidates`.
        symmetry: whether states that are images of each other (`symmetries`) share an entry of the table.
        null_window: whether actions after the first are first searched with a null window, which only shows whether
            they are better.
        order: whether to try the table's action first, and the others sorted by the game's `order`; or a function
            `(game, state, action) -> float` to use in place of the game's own.
        staged: whether to try the table's action before the other actions are listed.
        prefetch: whether to load the table entries of all children into the cache when the actions are listed. None: if
            the game has `candidates` and its states are a few ints; in other games, making the children costs more than
            it saves.
        killers: whether, among actions of equal order, those that caused a cutoff at the same ply come first. None:
            unless the game has both `order` and `candidates`, in which case killers do not help.
        countermoves: whether the action that last refuted the opponent's last action comes next. None: as for
            `killers`.
        history_heuristic: whether the actions that have caused the most cutoffs come next. None: if the game has no
            `order`.
        quiescence: whether states that are not quiet (`is_quiet`) are searched beyond the depth, by `noisy` actions.
        extensions: whether states in which `needs_extension` is True are searched one ply deeper.

    Options that may miss something (Shannon's type B). A value counts as exact only if they left nothing out:

    Args:
        selective: enable late move reductions and the null move, which make a chess program search deeper.
        beam: the maximum number of actions to search in each state below the root; None: no maximum.
        late_move_reductions: whether actions that come late in the order are first searched to less depth.
        null_move: whether to give up a state in which even a pass (`null_move_state`) is too good.
        futility: whether to leave out actions near the end of the look-ahead that would have to gain too much.
        probcut: whether to give up a state if a search to less depth shows that a cutoff is likely.
        margins: the margins of `futility` and `probcut`. None: measured by `measure_margins` when first needed.
        exact: disable all of these, overriding the other options.

    Raises `ValueError` for an invalid option, and `UnsuitableGame` for a game with chance, hidden information, more
    than two players, or two players whose interests are not opposed.

    >>> from outplay.games import ConnectFour
    >>> analysis = AlphaBeta(ConnectFour(width=5, height=4)).search()
    >>> analysis.verdict, analysis.exact
    ('draw', True)
    """

    traces: ClassVar[bool] = True
    textbook_form: ClassVar[Any] = TextbookAlphaBeta
    _mtdf: ClassVar[bool] = False

    game: Game
    _: KW_ONLY
    textbook: bool = False
    table_mb: float = number(64, least=0, most=1e6)
    reuse_table: bool = False
    depth_factor: float | None = number(None, least=1, most=MAX_TABLE_DEPTH)
    threads: int = number(1, least=1, most=MAX_THREADS)
    evaluate: Rule | Evaluation | None = None
    table_probe_depth: int = number(1, least=1, most=MAX_TABLE_DEPTH)
    hints: bool = True
    symmetry: bool = True
    null_window: bool = True
    order: bool | Order = True
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
        self._rules: Any = None  # with which the table was filled
        if self.margins is not None and not isinstance(self.margins, Margins):
            raise ValueError(f"AlphaBeta(margins={self.margins!r}): Margins(futility=(0.5, 1), probcut=1), or None")
        super().__post_init__()
        self._searched()  # raises for an invalid evaluation

    def forget(self) -> None:
        """Empty the table that `reuse_table=True` keeps. Its memory stays: new memory is slow when it is first used."""
        if self._table is not None:
            self._table.fill(0)
        self._searches = 0

    def table_permille(self) -> int:
        """How many thousandths of the table that `reuse_table=True` keeps are full, by a sample."""
        return 0 if self._table is None else full_permille(self._table)

    def _new_memory(self, trace: Trace | None) -> Record:
        tablebase = self._tablebase() is not None
        memory = new_record(memory_layout(1 if trace is None else trace.limit, tablebase), LEFT_UNSET)
        if trace is not None:
            memory.max_records, memory.record = trace.limit, ROOT
        return memory

    def _new_table(self, task: Task, techniques: AlphaBetaOptions, keeps: bool) -> Table:
        if keeps or task.count > 1 or self.threads > 1:
            return new_table(self.table_mb)
        deepens = techniques.quiescence or techniques.extensions
        useful = useful_megabytes(task.results.max_rows, task.limit, deepens=deepens)
        return new_table(min(self.table_mb, useful))

    def _tablebase(self) -> "Tablebase | None":
        """The table for states in the tree. Raises `TableError` if it is of other rules."""
        if not self.books:
            return None
        from outplay.tables.probing import table_in  # noqa: PLC0415 - searches start without it

        return table_in(self.books, self.game)

    def _searched(self) -> Game:
        return with_order(with_evaluation(self.game, self.evaluate), self.order)

    def _techniques(
        self, game: Game, threads: bool = False, trace: bool = False, tablebase: str = ""
    ) -> AlphaBetaOptions:
        """The techniques to use for this game. A technique is off if the game lacks a rule that it needs."""
        exact, ordered = self.exact, bool(self.order)
        reduces, passes = (
            (option or self.selective) and not exact for option in (self.late_move_reductions, self.null_move)
        )
        learns = not (defines(game, "order") and defines(game, "candidates"))
        return AlphaBetaOptions(
            hints=self.hints and not game.repetition,  # they do not know the path
            bounds=self.hints and defines(game, "utility_bounds") and not game.repetition,
            symmetry=self.symmetry and defines(game, "symmetries") and not game.repetition,
            null_window=self.null_window,
            mtdf=self._mtdf,
            order=ordered,
            staged=self.staged and ordered,
            prefetch=is_light(game) if self.prefetch is None else self.prefetch,
            killers=ordered and (learns if self.killers is None else self.killers),
            countermoves=ordered and game.players == 2 and (learns if self.countermoves is None else self.countermoves),
            history_heuristic=ordered
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
            tablebase=tablebase,
        )

    def _margins(self, game: Game) -> Margins:
        """The margins given as an option, else the measured margins of the evaluation in use."""
        if self.margins is not None:
            return self.margins
        positions = POSITIONS if runs_compiled(game) else FEW_POSITIONS
        return measured(AlphaBeta, game, rules_key(game), positions, 0, CONFIDENCE)

    def kernel_arguments(self, task: Task, tablebase: "Tablebase | None" = None) -> tuple[Any, ...]:
        """The arguments of `alpha_beta_many`; the memory of the task is made ready."""
        game, limit, memory, fields, results = task.game, task.limit, task.memory, task.fields, task.results
        together, alone = self._runs_together(task), _is_alone(task)
        techniques = self._techniques(
            game, together, bool(fields.max_records), tablebase.probed_in_tree if tablebase else ""
        )
        clear_learnt(memory, techniques)
        results.has_table = tablebase is not None
        results.tells_distance = not (techniques.tablebase == "classes" and defines(game, "index_points"))
        if self.reuse_table and self._rules != (rules := rules_key(game)):
            self.forget()
            self._rules = rules
        keeps = self.reuse_table and not alone
        table = self._table if keeps and self._table is not None else self._new_table(task, techniques, keeps)
        if together:
            clear_busy(table)
        fields.earlier_searches = self._searches
        if keeps:
            self._table = table
            self._searches += task.count
        depth_factor = self.depth_factor or (FACTOR_WITHOUT_LIMIT if limit == UNLIMITED else 1)
        if game.repetition == "draw":
            depth_factor = max(depth_factor, FACTOR_WITH_REPETITION)
        fields.hinted = 1
        fields.forced_result_depth, fields.forced_loss_depth = (
            forced_result_depths(game) if techniques.hints else (0, 0)
        )
        fields.depth_factor = int(100 * depth_factor)
        solves = limit == UNLIMITED and self.depth_factor is None and not task.every
        asks = solves and techniques.null_window and not (techniques.mtdf or techniques.selective)
        # Without `forced_result`, as in hexapawn, the answers were found to cost more than they save.
        has_near_ends = game.utilities is not None and fields.forced_result_depth > 0
        fields.asks_near = asks and not techniques.repetition and has_near_ends
        fields.beam = self.beam or 0
        limit_estimates(fields, game)
        fields.table_mask = mask_of(table)
        seed(game, () if alone else self.books, table, int(fields.earlier_searches) + 1)
        if techniques.futility or techniques.probcut:
            margins = self._margins(game)
            memory.margins[:] = [encode(margin) for margin in (*margins.futility, margins.probcut)]
        return (
            game, techniques, task.packed, task.count, min(task.depth, MAX_TABLE_DEPTH), limit.nodes or 0,
            task.every, memory.base, table, results.cells,
        )  # fmt: skip

    def _runs_together(self, task: Task) -> bool:
        """Whether several threads search."""
        return self.threads > 1 and task.count == 1 and runs_compiled(task.game)

    def _prepare(self, task: Task) -> Callable[[], Any]:
        memory, results, together = task.memory, task.results, self._runs_together(task)
        tablebase = None if _is_alone(task) else self._tablebase()
        args = self.kernel_arguments(task, tablebase)
        run = alpha_beta_many.prepare(*args)
        memories, calls = [memory], [args]
        for _ in range(1, useful_threads(self.threads) if together else 1):
            own = copy_record(memory)
            own.max_records = 0
            memories.append(own)
            calls.append((*args[:7], own.base, args[8], results.cells.copy()))

        def search() -> None:
            if together:
                run_together(run, calls, memories, results)
            else:
                run(*args)

        if tablebase is None:
            return search

        def search_with_table() -> None:
            from outplay.tables.probing import give_back, take  # noqa: PLC0415 - searches start without it

            probers = take(tablebase, len(memories))
            for prober, of_thread in zip(probers, memories, strict=True):
                prober.fill(of_thread.probe)
                of_thread.probe.least_depth = self.table_probe_depth
            search()
            if together:
                results.table_hits[0] = sum(int(of_thread.probe.hits) for of_thread in memories)
            give_back(tablebase, probers)

        return search_with_table


def _is_alone(task: Task) -> bool:
    """Whether values hold only with the same previous states: there are some, and repeating them is a draw."""
    return bool(task.game.repetition == "draw" and task.fields.root_ply > 0)


def is_light(game: Game) -> bool:
    """Whether a search lists few states and they are quick to make: `candidates`, and states of a few ints."""
    if not defines(game, "candidates"):
        return False
    state = game.initial_state()
    return isinstance(state, tuple) and len(state) <= MAX_LIGHT_INTS and all(isinstance(field, int) for field in state)


def run_together(run: Callable[..., None], calls: list[Any], memories: list[Record], results: Results) -> None:
    """Run the first call in this thread, and the others, with a memory each, in other threads until it ends."""
    threads: list[Any] = []
    try:
        for call in calls[1:]:
            threads.append(start_with_stack(functools.partial(run, *call)))  # noqa: PERF401 - one may not start
        run(*calls[0])
    finally:
        for memory in memories[1:]:
            memory.stop = -1
        for thread in threads:
            thread.join()
    results.nodes[0] += sum(int(memory.nodes) for memory in memories[1:])


@kernel
def alpha_beta_many(
    game: Any, techniques: Any, packed: Any, count: int, most_depth: int, most_nodes: int, every: bool, memory: Any,
    table: Any, output: Any,
) -> None:  # fmt: skip
    """Alpha-beta for each of `count` packed states; fills in `output`, see `Results`."""
    width = output.size // count
    cells, entries, results = pointer(memory), pointer(table), pointer(output)
    for i in range(count):
        at = i * width
        start(cells, i + 1, most_nodes)
        if techniques.tablebase != "":
            cells.probe.hits = 0
        state = unpack(game, packed, i)
        if not game.is_terminal(state):
            deepen(game, techniques, state, most_depth, every, count == 1, cells, entries, results, at)
        end_search(cells, results, at)
        if techniques.tablebase != "":
            results[at + HITS_CELL] = cells.probe.hits
