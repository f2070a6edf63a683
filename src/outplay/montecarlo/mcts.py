"""Monte Carlo tree search: the value of an action is the mean of many simulated games that begin with it.

Coulom 2006; Kocsis & Szepesvári 2006 (UCT); for a survey Browne et al. 2012.

Reading order: `simulation.py` (one simulation), `selection.py` (which child), `expansion.py` (what a leaf becomes),
`playouts.py` (the rest of the game), `bounds.py` (what is proved), `tree.py` (memory), and here `MCTS` (options in,
`Analysis` out).
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from outplay.analysis import ActionValue, Analysis
from outplay.errors import UnsuitableGame
from outplay.evaluation.variant import Evaluation, Rule, with_evaluation
from outplay.game import Game, defines
from outplay.limits import Limit
from outplay.montecarlo.run import Answers, Kept, Run
from outplay.montecarlo.techniques import Techniques
from outplay.montecarlo.tree import MOST_PLAYERS
from outplay.search import workspace
from outplay.search.searcher import STATUS_DEPTH, Searcher

SELECTIONS = ("ucb1", "ucb1-tuned", "puct")
PLAYOUTS = ("random", "own", "greedy", "mast", "replies")
CHOICES = ("visits", "value", "lower-bound")
PARALLELS = ("tree", "root")
EXPLORATIONS = {"ucb1": 0.7, "ucb1-tuned": 1.0, "puct": 1.0}
EXPLORATION_WITH_RAVE = 0.1


@dataclass(eq=False, repr=False)
class MCTS(Searcher):
    """Monte Carlo tree search, for any number of players, with or without chance.

    A search without a limit goes on until the value is proved, which only the solver can do.

    Args:
        game: what to search.
        selection: the formula by which a child is selected: "ucb1", "ucb1-tuned" or "puct"; see `selection.py`.
        exploration: its constant c, in units of the range of utilities. None: see `EXPLORATIONS`.
        playouts: how playouts choose: "random", "own" (the game's `playout_action`), "greedy" (by the game's `order`),
            "mast" or "replies"; see `playouts.py`. None: "own" where the game has it, else "random".
        playout_depth: after so many plies a playout is cut off and evaluated; 0: leaves are evaluated at once.
        evaluate: what to use in place of the game's own `evaluate`.
        epsilon: the share of random actions in "greedy" and "mast" playouts.
        first_play: what an action not yet tried counts as, a utility (first-play urgency). None: more than any.
        rave: whether the mean of an action is blended with its AMAF mean, that of all simulations in which the player
            took it later (RAVE).
        rave_bias: how fast the weight of AMAF falls with the visits.
        rave_reference: statistics of AMAF are taken from the last node above with so many visits (GRAVE). 0: from the
            node itself.
        bias: the weight of a progressive bias by the prior. Priors are by the rank in the game's `order`.
        widening: (a, b): a node looks at 1 + a·N^b children, the first by the game's `order` (progressive widening).
        patience: how many visits a node has before it gets children.
        solver: whether proved values are backed up and what is proved is not searched again.
        clamp: whether simulations count as no better and no worse than what is proved of the nodes on their way.
        hints: whether to ask the game's `foresee` and `candidates`.
        transpositions: whether states reached in several ways share their children.
        choice: the action that is chosen: that with the most "visits", the best "value", or the best "lower-bound" of
            the confidence interval. A proved value that is as good comes first.
        early: whether to stop when no other action can become the choice by visits; `analyse` never does.
        memory_mb: megabytes for the tree. When they are full, what was visited least is forgotten.
        remember: whether the tree is kept for the next search, which goes on from there if its state is in it.
            `forget()` empties it.
        threads: how many threads search at once.
        parallel: whether they share one "tree", or each has its own and results are added up at the "root".
        seed: another one makes other choices by chance. With one thread, the same search gives the same answer.
        books: what to ask before searching.

    Raises `ValueError` for an option that makes no sense, `UnsuitableGame` for a game with hidden information.

    >>> from outplay.games import TicTacToe
    >>> analysis = MCTS(TicTacToe()).search(limit=Limit(simulations=2000))
    >>> analysis.actions[0].visits > 200
    True
    """

    game: Game
    _: KW_ONLY
    selection: str = "ucb1"
    exploration: float | None = None
    playouts: str | None = None
    playout_depth: int | None = None
    evaluate: Rule | Evaluation | None = None
    epsilon: float = 0.1
    first_play: float | None = None
    rave: bool = False
    rave_bias: float = 0.001
    rave_reference: int = 0
    bias: float = 0.0
    widening: tuple[float, float] | None = None
    patience: int = 1
    solver: bool = True
    clamp: bool = True
    hints: bool = True
    transpositions: bool = False
    choice: str = "visits"
    early: bool = True
    memory_mb: float = 256
    remember: bool = False
    threads: int = 1
    parallel: str = "tree"
    seed: int = 0

    def __post_init__(self) -> None:
        self.kept: Kept | None = None
        super().__post_init__()
        self._searched()

    def forget(self) -> None:
        """Empty the tree that `remember=True` has kept."""
        self.kept = None

    def _check_game(self) -> None:
        if self.game.hidden_information:
            raise UnsuitableGame(
                f"MCTS cannot search {type(self.game).__name__}: its players see only a part of the state."
                " Games with hidden information need an equilibrium, not a best action"
            )
        if self.game.players > MOST_PLAYERS:
            raise UnsuitableGame(f"MCTS is for up to {MOST_PLAYERS} players; {self.game!r} has {self.game.players}")

    def _searched(self) -> Game:
        return with_evaluation(self.game, self.evaluate)

    def _techniques(self, game: Game) -> Techniques:
        """What is on for this game."""
        opposed = game.players == 1 or (game.players == 2 and game.zero_sum)
        hints = self.hints and opposed and not game.has_chance and not game.repetition
        playout = self.playouts or ("own" if defines(game, "playout_action") else "random")
        sorts = defines(game, "order") and (self.selection == "puct" or self.bias > 0 or self.widening is not None)
        return Techniques(
            shares=1 if opposed else game.players,
            chance=game.has_chance,
            selection=self.selection,
            rave=self.rave,
            grave=self.rave and self.rave_reference > 0,
            bias=self.bias > 0,
            prior=self.selection == "puct" or self.bias > 0 or sorts or game.has_chance,
            sorts=sorts,
            widening=self.widening is not None,
            first_play=self.first_play is not None,
            playout=playout,
            cutoff=self.playout_depth is not None or defines(game, "evaluate"),
            remembers=self.rave or playout in ("mast", "replies"),
            solver=self.solver,
            clamp=self.solver and self.clamp,
            hints=hints,
            transpositions=self.transpositions,
            repetition=game.repetition or "",
            ranged=game.utilities is None,
        )

    @property
    def constant(self) -> float:
        """The constant of exploration."""
        if self.exploration is not None:
            return self.exploration
        return EXPLORATION_WITH_RAVE if self.rave else EXPLORATIONS[self.selection]

    def _new_results(self, states: list[Any], kept: int) -> Any:
        return Answers(states)

    def _prepare(
        self, packed: Any, count: int, limit: Limit, every: bool, memory: workspace.Workspace, results: Any
    ) -> Callable[[], Any]:
        game = self._searched()
        techniques = self._techniques(game)
        return Run(self, game, techniques, packed, limit, every, memory, results).all

    def _answered(
        self, state: Any, player: int, results: Any, index: int, changing: bool, by_caller: str, common: dict[str, Any]
    ) -> Analysis:
        found = results.answers[index]
        status = results.cells[index]
        if found is None or not found.rows:
            return Analysis(
                **common,
                player=player,
                action=None,
                value=0.0,
                values=(0.0,) * self.game.players,
                stopped=by_caller or "seconds",
            )
        rows = found.ranked(player, self.choice)
        best = rows[0]
        actions = tuple(
            ActionValue(
                action=row.action,
                name=self.game.action_name(state, row.action),
                value=row.value(player),
                exact=row.is_proved(player),
                line=row.line,
                visits=row.visits,
                interval=row.interval(player, *found.ranges[player]),
            )
            for row in rows
        )
        exact = found.is_proved(player)
        return Analysis(
            **common,
            player=player,
            action=best.action,
            value=best.value(player),
            values=tuple(best.value(p) for p in range(self.game.players)),
            line=best.line,
            actions=actions,
            exact=exact,
            depth=int(status[STATUS_DEPTH]),
            simulations=found.simulations,
            stopped="" if exact else found.stopped or by_caller or "seconds",
        )
