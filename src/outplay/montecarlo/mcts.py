"""Monte Carlo tree search: the value of an action is the mean result of many simulated games that begin with it.

Coulom 2006; Kocsis & Szepesvári 2006 (UCT); for a survey Browne et al. 2012.

Reading order: `simulation.py` (one simulation), `selection.py` (the choice of a child), `expansion.py` (what a leaf
becomes), `playouts.py` (the rest of the game), `bounds.py` (proved values), `tree.py` (memory), and here `MCTS`
(options in, `Analysis` out).
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from outplay.compile.records import Record, new_record
from outplay.engine.limits import UNLIMITED, Limit
from outplay.engine.recording import Recording
from outplay.engine.searcher import Task
from outplay.engine.trace import Trace
from outplay.evaluation.variant import Evaluation, Rule, with_evaluation
from outplay.montecarlo.base import CHOICES, MAX_MB, MIN_MB, SCALES, SimulationSearcher
from outplay.montecarlo.batch import Evaluator
from outplay.montecarlo.options import MCTSOptions
from outplay.montecarlo.run import ReusableTree, Run
from outplay.montecarlo.tree import MAX_SIMULATED_PLAYERS, memory_layout
from outplay.rules.arguments import is_number
from outplay.rules.constant_sum import is_opposed_pair
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game, defines
from outplay.rules.options import MAX_NUMBER, number, word
from outplay.system.threads import MAX_THREADS

if TYPE_CHECKING:
    from outplay.tables.tablebase import Tablebase

PRIORS = ("order", "evaluation")
SELECTIONS = ("ucb1", "ucb1-tuned", "puct")
PLAYOUTS = ("random", "own", "greedy", "mast", "replies")
PARALLELS = ("tree", "root")
EXPLORATIONS = {"ucb1": 0.7, "ucb1-tuned": 1.0, "puct": 1.0}
EXPLORATION_WITH_RAVE = 0.0
MAX_BATCH = 1 << 20
MIN_TEMPERATURE = 1e-6
NOT_WITH_EVALUATOR: dict[str, Any] = {
    "playouts": None,
    "playout_depth": None,
    "evaluate": None,
    "rave": None,
    "priors": None,
    "widening": None,
    "threads": 1,
}
"""The options that cannot be combined with an evaluator, and their required values: there are no playouts then."""


@dataclass(eq=False, repr=False)
class MCTS(SimulationSearcher):
    """Monte Carlo tree search, for any number of players, with or without chance.

    Values are mean utilities of the player to move in the searched state; if chance is to move there, `actions` are its
    outcomes, and values are those of player 0. A search without a limit runs until the
    value is proved, which needs the solver.

    Args:
        game: the game to search.
        selection: the formula that selects a child: "ucb1", "ucb1-tuned" or "puct"; see `selection.py`. None: "puct"
            if there are priors, by `priors` or an evaluator, and RAVE is off; else "ucb1".
        exploration: the constant c of the formula, in units of the width of utilities. None: 0.7 for "ucb1", 1 for the
            others, and 0 with RAVE, whose AMAF statistics replace exploration.
        scale: the width of utilities: the "range" of the game's `utilities`, or the "spread" of the simulations'
            rewards: twice their standard deviation, the greatest so far. None: "range" if utilities go from -1 to 1 or
            from 0 to 1, else "spread".
        playouts: how playouts choose actions: "random", "own" (the game's `playout_action`), "greedy" (by the game's
            `order`), "mast" or "replies"; see `playouts.py`. None: "own" if the game defines it, else "random".
        playout_depth: the number of plies after which a playout is cut off and evaluated; 0: leaves are evaluated at
            once. None: playouts go on to the end of the game.
        evaluate: the evaluation to use instead of the game's own `evaluate`.
        epsilon: the share of random actions in "greedy" and "mast" playouts, from 0 to 1.
        first_play: the utility that an action not yet tried counts as (first-play urgency). None: untried actions come
            first.
        rave: whether to blend the mean of an action with its AMAF mean, over all simulations in which the player took
            it then or later (RAVE). None: if the game is `amaf_friendly`, unless there is an evaluator or `priors` is
            "evaluation".
        rave_bias: how fast the weight of AMAF falls with the visits.
        rave_reference: take AMAF statistics from the last node above with at least this many visits (GRAVE). 0: from
            the node itself.
        bias: the weight of a progressive bias by the prior, see `priors`.
        priors: what the prior of an action follows from: its rank in the game's "order", or the "evaluation" of the
            state that it leads to, for the player to move; see `temperature`. None: "order" if the game defines it.
        temperature: with `priors="evaluation"`, priors are the softmax of the evaluations at this temperature, in units
            of the width of utilities, or of their range as long as the simulations have shown no width.
        widening: (a, b): a node considers 1 + a·N^b children, the first by prior (progressive widening).
        solver: whether to back up proved values and not to search again what is proved.
        clamp: whether to limit the rewards of a simulation to the proved bounds of the nodes on its path.
        hints: whether to use the game's `forced_result` and `candidates`.
        transpositions: whether states reached in several ways share their children.
        choice: which action is chosen: the one with the most "visits", the best "value", or the best "lower-bound" of
            the confidence interval. An action whose value is proved and as good comes first.
        early: whether to stop when no other action can become the choice by visits. This does not apply to `analyse`,
            nor to a search that continues a kept tree.
        memory_mb: the size of the tree, in megabytes. When it is full, the least visited nodes are forgotten.
        reuse_tree: whether to keep the tree for the next search, which continues it if its state is in it. `forget()`
            empties it. If the game has a rule of `repetition`, proved values are not kept, since they depend on earlier
            states; if that rule is "forbidden", nothing is kept.
        threads: the number of threads that search at once; 1 with an evaluator.
        parallel: whether the threads share one "tree", or each has its own and results are added up at the "root".
        seed: the seed of the random choices. With one thread, the same search gives the same answer.
        evaluator: evaluates leaves instead of playouts, many in one call: a function from a list of n states to
            values, shape (n, players), and priors, shape (n, actions) or None; see `Evaluator`. Priors are used by
            selection "puct" and by `bias`. It cannot be combined with options of playouts.
        batch: the maximum number of leaves in one call of the evaluator.
        books: books to consult before searching. With the solver, the states of the tree are looked up in the first
            `Tablebase` too and count as proved, in games for one player or two opposed ones without chance, unless
            there is an evaluator or a trace, or a rule of repetition and earlier states of the game matter.

    Raises `ValueError` for an invalid option or one that needs a rule that the game does not define, `UnsuitableGame`
    for a game with hidden information or more than 16 players, and `EvaluationError` if the evaluator returns anything
    else than described.

    >>> from outplay.games import TicTacToe
    >>> analysis = MCTS(TicTacToe()).search(limit=Limit(simulations=2000))
    >>> analysis.value, analysis.simulations
    (0.0, 2000)
    """

    traces: ClassVar[bool] = True
    records: ClassVar[str] = "simulations"
    _takes_chance: ClassVar[bool] = True

    game: Game
    _: KW_ONLY
    selection: str | None = word(None, SELECTIONS)
    exploration: float | None = number(None, least=0)
    scale: str | None = word(None, SCALES)
    playouts: str | None = word(None, PLAYOUTS)
    playout_depth: int | None = number(None, least=0)
    evaluate: Rule | Evaluation | None = None
    epsilon: float = number(0.1, least=0, most=1)
    first_play: float | None = number(None)
    rave: bool | None = None
    rave_bias: float = number(0.001, least=0)
    rave_reference: int = number(0, least=0)
    bias: float = number(0.0, least=0)
    priors: str | None = word(None, PRIORS)
    temperature: float = number(0.2, least=MIN_TEMPERATURE)
    widening: tuple[float, float] | None = None
    solver: bool = True
    clamp: bool = True
    hints: bool = True
    transpositions: bool = False
    choice: str = word("visits", CHOICES)
    early: bool = True
    memory_mb: float = number(256, least=MIN_MB, most=MAX_MB)
    reuse_tree: bool = False
    threads: int = number(1, least=1, most=MAX_THREADS)
    parallel: str = word("tree", PARALLELS)
    seed: int = number(0)
    evaluator: Evaluator | None = None
    batch: int = number(32, least=1, most=MAX_BATCH)

    def __post_init__(self) -> None:
        self.reusable: ReusableTree | None = None
        super().__post_init__()
        self._check_rules()

    def forget(self) -> None:
        """Discard the tree that `reuse_tree=True` has kept."""
        self.reusable = None

    def _check_game(self) -> None:
        self._check_seen()
        if self.game.players > MAX_SIMULATED_PLAYERS:
            raise UnsuitableGame(
                f"MCTS is for up to {MAX_SIMULATED_PLAYERS} players; {self.game!r} has {self.game.players}"
            )

    def _check_options(self) -> None:
        """Raise `ValueError` for an option that is invalid for every game."""
        super()._check_options()
        if self.widening is not None:
            pair = self.widening
            fits = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(is_number(number) for number in pair)
            if not fits or not (0 <= pair[0] <= MAX_NUMBER and 0 <= pair[1] <= 1):
                raise ValueError(
                    f"MCTS(widening={pair!r}): must be two numbers (a, b), a >= 0 and 0 <= b <= 1, or None"
                )

        if self.evaluator is not None and not callable(self.evaluator):
            raise ValueError(
                f"MCTS(evaluator={self.evaluator!r}): a function from states to values and priors, or None"
            )
        for name, needed in NOT_WITH_EVALUATOR.items() if self.evaluator is not None else ():
            value = getattr(self, name)
            if value != needed and not (name == "rave" and value is False):
                raise ValueError(f"MCTS({name}={value!r}) cannot be combined with an evaluator; set {name}={needed!r}")

    def _check_rules(self) -> None:
        """Raise `ValueError` for an option that needs a rule that the game does not define."""
        game = self._searched()  # raises now if the evaluation does not fit
        name = type(self.game).__name__
        if self.playout_depth is not None and not defines(game, "evaluate"):
            raise ValueError(
                f"MCTS(playout_depth={self.playout_depth!r}): playouts that are cut off need an evaluation;"
                f" define evaluate() on {name}, or give evaluate="
            )
        if self.priors is not None:
            rule = {"order": "order", "evaluation": "evaluate"}[self.priors]
            if not defines(game, rule):
                alternative = ", or give evaluate=" if rule == "evaluate" else ""
                raise ValueError(f"MCTS(priors={self.priors!r}): {name} does not define {rule}(){alternative}")
        for playouts, rule in (("own", "playout_action"), ("greedy", "order")):
            if self.playouts == playouts and not defines(game, rule):
                raise ValueError(f"MCTS(playouts={playouts!r}): {name} does not define {rule}()")
        if self.transpositions and game.repetition:
            raise ValueError(
                f"MCTS(transpositions=True): {name} has a rule of repetition, so the value of a state depends on the"
                " path to it"
            )

    def _check_limit(self, limit: Limit) -> None:
        super()._check_limit(limit)
        if limit != UNLIMITED or limit.stop is not None:
            return
        if not self.solver:
            raise ValueError("MCTS(solver=False) without a limit would never end: limit simulations, nodes or seconds")
        if not is_opposed_pair(self.game):
            raise ValueError(
                f"MCTS without a limit may never end: players of {self.game!r} may be indifferent, and then some"
                " values cannot be proved; limit simulations, nodes or seconds, as outplay analyse does"
            )

    def _new_memory(self, trace: Trace | None) -> Record:
        if trace is None:
            return new_record(memory_layout(self.blends, tablebase=self._tablebase() is not None))
        shares = 1 if is_opposed_pair(self.game) else self.game.players
        memory = new_record(memory_layout(self.blends, trace.limit, shares))
        memory.max_records = trace.limit
        return memory

    def _tablebase(self) -> "Tablebase | None":
        """The table for states in the tree, in which they are proved. Raises `TableError` if it is of other rules."""
        opposed = is_opposed_pair(self.game)
        if not (self.books and self.solver and self.evaluator is None and opposed and not self.game.has_chance):
            return None
        from outplay.tables.probing import table_in  # noqa: PLC0415 - searches start without it

        return table_in(self.books, self.game)

    def _check_trace(self, trace: Trace | None) -> None:
        super()._check_trace(trace)
        for name, needed in (("threads", 1), ("evaluator", None), ("reuse_tree", False)):
            value = getattr(self, name)
            if trace is not None and value != needed:
                raise ValueError(f"MCTS({name}={value!r}).search(trace=…): a trace needs {name}={needed!r}")

    def _recording(self, state: Any, previous_states: Sequence[Any], memory: Record, limit: int) -> Recording:
        from outplay.montecarlo.recording import Simulations  # noqa: PLC0415 - searches start without it

        return Simulations.in_memory(self, state, previous_states, memory)

    def _recorded(self, content: dict[str, Any]) -> Recording:
        from outplay.montecarlo.recording import Simulations  # noqa: PLC0415

        return Simulations.in_file(self, content)

    def _searched(self) -> Game:
        return with_evaluation(self.game, self.evaluate)

    def _techniques(self, game: Game, trace: bool = False, tablebase: str = "") -> MCTSOptions:
        """The techniques that are on for this game."""
        opposed = is_opposed_pair(game)
        hints = self.hints and opposed and not game.has_chance and not game.repetition
        playout = self.playouts or ("own" if defines(game, "playout_action") else "random")
        sorts = self.guide is not None and (self.formula == "puct" or self.bias > 0 or self.widening is not None)
        return MCTSOptions(
            shares=1 if opposed else game.players,
            chance=game.has_chance,
            selection=self.formula,
            rave=self.blends,
            grave=self.blends and self.rave_reference > 0,
            bias=self.bias > 0,
            prior=self.formula == "puct" or self.bias > 0 or sorts or game.has_chance or self.evaluator is not None,
            sorts=sorts,
            looks_ahead=sorts and self.guide == "evaluation",
            widening=self.widening is not None,
            first_play=self.first_play is not None,
            playout=playout,
            evaluator=self.evaluator is not None,
            cutoff=self.playout_depth is not None or defines(game, "evaluate"),
            remembers=self.blends or playout in ("mast", "replies"),
            solver=self.solver,
            clamp=self.solver and self.clamp,
            hints=hints,
            transpositions=self.transpositions,
            repetition=game.repetition or "",
            spread=self._is_spread(game),
            ranged=game.utilities is None,
            tablebase=tablebase,
            trace=trace,
        )

    @property
    def constant(self) -> float:
        """The exploration constant."""
        if self.exploration is not None:
            return self.exploration
        return EXPLORATION_WITH_RAVE if self.blends else EXPLORATIONS[self.formula]

    @property
    def formula(self) -> str:
        """The selection formula."""
        has_priors = self.evaluator is not None or self.guide is not None
        return self.selection or ("puct" if has_priors and not self.blends else "ucb1")

    @property
    def guide(self) -> str | None:
        """What priors come from, besides an evaluator."""
        return self.priors or ("order" if defines(self.game, "order") and self.evaluator is None else None)

    @property
    def blends(self) -> bool:
        """Whether RAVE is on."""
        plain = self.evaluator is None and self.priors != "evaluation"
        return self.game.amaf_friendly and plain if self.rave is None else self.rave

    def _prepare(self, task: Task) -> Callable[[], Any]:
        names = task.memory.dtype.names or ()
        table = self._tablebase() if "probe" in names else None
        run = Run(self, self._techniques(task.game, "records" in names, table.probed_in_tree if table else ""), task)
        alone = task.game.repetition and task.memory.root_ply > 0  # values depend on the states before then
        if table is None or alone:  # if the memory has a probe nevertheless, it finds nothing
            return run.all
        task.results.has_table = True

        def search() -> None:
            from outplay.tables.probing import give_back, take  # noqa: PLC0415 - searches start without it

            probers = take(table, len(run.workers))
            for prober, worker in zip(probers, run.workers, strict=True):
                prober.fill(worker.memory[0].probe)
            run.all()
            give_back(table, probers)

        return search
