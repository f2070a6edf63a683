"""Monte Carlo tree search: the value of an action is the mean of many simulated games that begin with it.

Coulom 2006; Kocsis & Szepesvári 2006 (UCT); for a survey Browne et al. 2012.

Reading order: `simulation.py` (one simulation), `selection.py` (which child), `expansion.py` (what a leaf becomes),
`playouts.py` (the rest of the game), `bounds.py` (what is proved), `tree.py` (memory), and here `MCTS` (options in,
`Analysis` out).
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from outplay.compile.records import Record, new_record
from outplay.engine.limits import Limit
from outplay.engine.searcher import Task
from outplay.engine.trace import Trace
from outplay.evaluation.variant import Evaluation, Rule, with_evaluation
from outplay.montecarlo.base import CHOICES, MAX_MB, MIN_MB, SCALES, SimulationSearcher, is_opposed
from outplay.montecarlo.batch import Evaluator
from outplay.montecarlo.options import MCTSOptions
from outplay.montecarlo.run import ReusableTree, Run
from outplay.montecarlo.tree import MAX_PLAYERS, memory_layout
from outplay.rules.arguments import is_number
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game, defines
from outplay.rules.options import MAX_NUMBER, number, word
from outplay.system.threads import MAX_THREADS

SELECTIONS = ("ucb1", "ucb1-tuned", "puct")
PLAYOUTS = ("random", "own", "greedy", "mast", "replies")
PARALLELS = ("tree", "root")
EXPLORATIONS = {"ucb1": 0.7, "ucb1-tuned": 1.0, "puct": 1.0}
EXPLORATION_WITH_RAVE = 0.0
MOST_BATCH = 1 << 20
NOT_WITH_EVALUATOR: dict[str, Any] = {
    "playouts": None,
    "playout_depth": None,
    "evaluate": None,
    "rave": None,
    "widening": None,
    "threads": 1,
}
"""What an evaluator leaves nothing to do for, and how it must then be: there are no playouts and no `order`."""


@dataclass(eq=False, repr=False)
class MCTS(SimulationSearcher):
    """Monte Carlo tree search, for any number of players, with or without chance.

    A search without a limit goes on until the value is proved, which only the solver can do.

    Args:
        game: what to search.
        selection: the formula by which a child is selected: "ucb1", "ucb1-tuned" or "puct"; see `selection.py`. None:
            "puct" where there are priors, by the game's `order` or an evaluator, and no RAVE; else "ucb1".
        exploration: its constant c, in units of the width of utilities. None: 0.7 for "ucb1", 1 for the others, and 0
            with RAVE, where what all moves have brought takes the place of exploring.
        scale: what that width is: the "range" of the game's `utilities`, or the "spread" of what simulations bring:
            twice its standard deviation, the greatest so far. None: "range" where utilities go from -1 to 1 or from
            0 to 1, else "spread".
        playouts: how playouts choose: "random", "own" (the game's `playout_action`), "greedy" (by the game's `order`),
            "mast" or "replies"; see `playouts.py`. None: "own" where the game has it, else "random".
        playout_depth: after so many plies a playout is cut off and evaluated; 0: leaves are evaluated at once.
        evaluate: what to use in place of the game's own `evaluate`.
        epsilon: the share of random actions in "greedy" and "mast" playouts.
        first_play: what an action not yet tried counts as, a utility (first-play urgency). None: more than any.
        rave: whether the mean of an action is blended with its AMAF mean, that of all simulations in which the player
            took it later (RAVE). None: where the game has `amaf_friendly`, and leaves are played out.
        rave_bias: how fast the weight of AMAF falls with the visits.
        rave_reference: statistics of AMAF are taken from the last node above with so many visits (GRAVE). 0: from the
            node itself.
        bias: the weight of a progressive bias by the prior. Priors are by the rank in the game's `order`.
        widening: (a, b): a node looks at 1 + a·N^b children, the first by the game's `order` (progressive widening).
        solver: whether proved values are backed up and what is proved is not searched again.
        clamp: whether simulations count as no better and no worse than what is proved of the nodes on their way.
        hints: whether to ask the game's `forced_result` and `candidates`.
        transpositions: whether states reached in several ways share their children.
        choice: the action that is chosen: that with the most "visits", the best "value", or the best "lower-bound" of
            the confidence interval. A proved value that is as good comes first.
        early: whether to stop when no other action can become the choice by visits; `analyse` never does, nor does a
            search that goes on with a tree.
        memory_mb: megabytes for the tree. When they are full, what was visited least is forgotten.
        reuse_tree: whether the tree is kept for the next search, which goes on from there if its state is in it.
            `forget()` empties it. Where the game has a rule of `repetition`, what was proved is not kept, as it rests
            on the past; nothing is if that is "forbidden".
        threads: how many threads search at once; with an evaluator, one.
        parallel: whether they share one "tree", or each has its own and results are added up at the "root".
        seed: another one makes other choices by chance. With one thread, the same search gives the same answer.
        evaluator: what evaluates leaves in place of playouts, many in one call: a function from a list of n states to
            values, shape (n, players), and priors, shape (n, actions) or None; see `Evaluator`. Priors count with
            selection "puct", or a `bias`. What is about playouts does not go with it.
        batch: how many leaves the evaluator gets at once, at most.
        books: what to ask before searching.

    Raises `ValueError` for an option that makes no sense, `UnsuitableGame` for a game with hidden information.

    >>> from outplay.games import TicTacToe
    >>> analysis = MCTS(TicTacToe()).search(limit=Limit(simulations=2000))
    >>> analysis.value, analysis.simulations
    (0.0, 2000)
    """

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
    batch: int = number(32, least=1, most=MOST_BATCH)

    def __post_init__(self) -> None:
        self.kept: ReusableTree | None = None
        super().__post_init__()
        self._check_rules()

    def forget(self) -> None:
        """Empty the tree that `reuse_tree=True` has kept."""
        self.kept = None

    def _check_game(self) -> None:
        self._check_seen()
        if self.game.players > MAX_PLAYERS:
            raise UnsuitableGame(f"MCTS is for up to {MAX_PLAYERS} players; {self.game!r} has {self.game.players}")

    def _check_options(self) -> None:
        """Raise `ValueError` for an option that makes no sense for any game."""
        super()._check_options()
        if self.widening is not None:
            pair = self.widening
            fits = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(is_number(number) for number in pair)
            if not fits or not (0 <= pair[0] <= MAX_NUMBER and 0 <= pair[1] <= 1):
                raise ValueError(f"MCTS(widening={pair!r}): two numbers (a, b), a from 0 on and b from 0 to 1, or None")

        if self.evaluator is not None and not callable(self.evaluator):
            raise ValueError(
                f"MCTS(evaluator={self.evaluator!r}): a function from states to values and priors, or None"
            )
        for name, needed in NOT_WITH_EVALUATOR.items() if self.evaluator is not None else ():
            value = getattr(self, name)
            if value != needed and not (name == "rave" and value is False):
                raise ValueError(f"MCTS({name}={value!r}) does not go with an evaluator; leave {name} at {needed!r}")

    def _check_rules(self) -> None:
        """Raise `ValueError` for an option that asks for a rule which the game has not."""
        game = self._searched()  # an evaluation that does not fit shows now
        name = type(self.game).__name__
        if self.playout_depth is not None and not defines(game, "evaluate"):
            raise ValueError(
                f"MCTS(playout_depth={self.playout_depth!r}): playouts that are cut off need an evaluation;"
                f" define evaluate() on {name}, or give evaluate="
            )
        for playouts, rule in (("own", "playout_action"), ("greedy", "order")):
            if self.playouts == playouts and not defines(game, rule):
                raise ValueError(f"MCTS(playouts={playouts!r}): {name} does not define {rule}()")
        if self.transpositions and game.repetition:
            raise ValueError(
                f"MCTS(transpositions=True): {name} has a rule of repetition, so that a state is worth one thing"
                " on one path and another on the next"
            )

    def _check_limit(self, limit: Limit) -> None:
        super()._check_limit(limit)
        if limit == Limit() and not self.solver:
            raise ValueError("MCTS(solver=False) without a limit would never end: limit simulations, nodes or seconds")
        if limit == Limit() and not is_opposed(self.game):
            raise ValueError(
                f"MCTS without a limit may never end: players of {self.game!r} may be indifferent, and then not all"
                " values can be proved; limit simulations, nodes or seconds, as outplay analyse does"
            )

    def _new_memory(self, trace: Trace | None) -> Record:
        return new_record(memory_layout(self.blends))

    def _searched(self) -> Game:
        return with_evaluation(self.game, self.evaluate)

    def _techniques(self, game: Game) -> MCTSOptions:
        """What is on for this game."""
        opposed = is_opposed(game)
        hints = self.hints and opposed and not game.has_chance and not game.repetition
        playout = self.playouts or ("own" if defines(game, "playout_action") else "random")
        sorts = (
            self.evaluator is None
            and defines(game, "order")
            and (self.formula == "puct" or self.bias > 0 or self.widening is not None)
        )
        return MCTSOptions(
            shares=1 if opposed else game.players,
            chance=game.has_chance,
            selection=self.formula,
            rave=self.blends,
            grave=self.blends and self.rave_reference > 0,
            bias=self.bias > 0,
            prior=self.formula == "puct" or self.bias > 0 or sorts or game.has_chance or self.evaluator is not None,
            sorts=sorts,
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
        )

    @property
    def constant(self) -> float:
        """The constant of exploration."""
        if self.exploration is not None:
            return self.exploration
        return EXPLORATION_WITH_RAVE if self.blends else EXPLORATIONS[self.formula]

    @property
    def formula(self) -> str:
        """By which a child is selected."""
        has_priors = self.evaluator is not None or defines(self.game, "order")
        return self.selection or ("puct" if has_priors and not self.blends else "ucb1")

    @property
    def blends(self) -> bool:
        """Whether RAVE is on."""
        return self.game.amaf_friendly and self.evaluator is None if self.rave is None else self.rave

    def _prepare(self, task: Task) -> Callable[[], Any]:
        return Run(self, self._techniques(task.game), task).all
