"""What `outplay equilibrium` does: unroll the game, solve it or load a strategy, write files."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import typer

from outplay.cli.equilibrium_display import LINES, show_files, show_matrix, show_table, show_values, sparkline
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import check_file
from outplay.cli.output import live, short
from outplay.cli.saving import saved
from outplay.cli.searchers import read_settings
from outplay.cli.start import load_checked
from outplay.rules.errors import StrategyError
from outplay.session.algorithms import SOLVERS
from outplay.system.files import in_use

if TYPE_CHECKING:
    from outplay.engine.trace import Trace
    from outplay.equilibrium import GameTree, MixedEquilibria, Point, SequenceForm, Solution, Strategy
    from outplay.equilibrium.solver import EquilibriumSolver
    from outplay.pictures import MatrixPicture, TreePicture
    from outplay.rules.game import Game

USUAL_SECONDS, USUAL_TARGET = 10.0, 1e-7
"""The default limits. The exploitability is a fraction of the stakes: the largest utility minus the smallest."""
MAX_STEPS = 300
"""The number of iterations of the page of steps."""
SMALL = 10
"""The maximum number of actions of each player of a matrix game whose equilibria are all listed."""
USUAL = "predictive"
TREELESS = ("external", "outcome")
"""The algorithms that need no tree, the default one first."""


@dataclass
class EquilibriumTask:
    """One run of the command: the game, the options of the same names, and what it finds.

    Attributes:
        equilibria: all equilibria of a small matrix game; else None.
        tree: the tree of the game; None with --no-tree.
        strategy, solution: what was computed; with --load there is no solution.
        files: a line for each file that was written.
    """

    game: "Game"
    algorithm: str | None
    iterations: int | None
    seconds: float | None
    exploitability: float | None
    player: int | None
    lines: int | None
    save: Path | None
    load: Path | None
    state: Path | None
    efg: Path | None
    svg: Path | None
    png: Path | None
    html: Path | None
    no_tree: bool
    memory_mb: float
    settings: list[str] | None
    equilibria: "MixedEquilibria | None" = None
    tree: "GameTree | None" = None
    strategy: "Strategy" = field(init=False)
    solution: "Solution | None" = None
    files: list[str] = field(init=False, default_factory=list)

    @classmethod
    def begin(cls, game: str, **options: Any) -> Self:
        """The task of these options of the command. Raises an error, before any work, for those that do not suit."""
        if game.lstrip().startswith(("[", "{")):
            raise typer.BadParameter(
                "a list is a game tree, in which all players see the moves before theirs; for a matrix game, write"
                ' "matrix([[1, -1], [-1, 1]])", or for a tree "explicit-tree(…)"'
            )
        return cls(load_checked(game), **options)

    def __post_init__(self) -> None:
        if self.player is not None and self.player >= self.game.players:
            last = self.game.players - 1
            raise typer.BadParameter(f"--player {self.player}: {self.game!r} has players 0 to {last}")
        if self.load is not None and self._asks_to_compute():
            raise typer.BadParameter("--load computes nothing: leave out --algorithm, limits, --state and --set")
        if self.load is not None and self.html is not None:
            raise typer.BadParameter("--html shows how a strategy is computed: leave out --load")
        of_trees = self.load, self.efg, self.svg, self.png, self.html, self.exploitability
        if self.no_tree and any(option is not None for option in of_trees):
            needed = "--load, --efg, --svg, --png, --html and --exploitability"
            raise typer.BadParameter(f"--no-tree: leave out {needed}, which need the tree")
        for name, suffix in {"save": "", "state": "", "efg": "", "svg": ".svg", "png": ".png", "html": ".html"}.items():
            check_file(f"--{name}", getattr(self, name), suffix)
        if self.no_tree and self.algorithm not in (None, *TREELESS):
            raise typer.BadParameter(
                f"--no-tree: --algorithm {self.algorithm} needs the tree; {' and '.join(TREELESS)} do not"
            )

    def _asks_to_compute(self) -> bool:
        options = self.algorithm, self.iterations, self.seconds, self.exploitability, self.state, self.settings
        return any(option is not None for option in options)

    # -- work ---------------------------------------------------------------------------------------------------------

    def solve(self) -> None:
        """Find the equilibria or a strategy, and write the files."""
        other_options = self.player, self.lines, self.save, self.load, self.efg, self.html
        if not (self.no_tree or self._asks_to_compute() or any(option is not None for option in other_options)):
            self.equilibria = equilibria_of(self.game)
        if self.equilibria is not None:
            self._save_pictures(self.equilibria[0].game.picture)
            return
        if not self.no_tree:
            self.tree = unrolled(self.game, self.memory_mb)
        if self.tree is not None and self.efg is not None:
            from outplay.equilibrium.efg import save_efg

            self._save("game", partial(save_efg, self.tree), self.efg)
        if self.load is not None:
            self.strategy = self._loaded(self.load)
        else:
            self._compute()
        self._save("strategy", self.strategy.save, self.save)
        if self.tree is not None:
            self._save_pictures(partial(picture_of, self.tree, self.strategy))

    def _loaded(self, path: Path) -> "Strategy":
        from outplay.equilibrium import Strategy

        strategy = Strategy.load(path, self.game)
        return strategy if self.tree is None else Strategy.on(self.tree, strategy.behaviour(self.tree))

    def _compute(self) -> None:
        name = self.algorithm or (TREELESS[0] if self.no_tree else USUAL)
        solver = solver_of(self.game if self.tree is None else self.tree, name, self.settings, self.memory_mb)
        trace = None if self.html is None else new_trace(solver, name)
        self.solution = self._solution(solver, name, trace)
        self.strategy = self.solution.strategy
        if trace is not None and len(trace):
            self._save("steps", trace.save, self.html)

    def _solution(self, solver: "EquilibriumSolver | SequenceForm", name: str, trace: "Trace | None") -> "Solution":
        """Run the solver, with a live line.

        The file of --state is read first, and written every minute and at the end. It is locked against other
        processes meanwhile.
        """
        from outplay.equilibrium import GameTree, SequenceForm

        limits = {"iterations": self.iterations, "seconds": self.seconds, "exploitability": self.exploitability}
        if isinstance(solver, SequenceForm):
            if any(option is not None for option in (self.state, self.iterations, self.exploitability)):
                raise typer.BadParameter("lp is exact: leave out --state, --iterations and --exploitability")
            with live("solving a linear program…"):
                return solver.solve(seconds=self.seconds)
        if all(limit is None for limit in limits.values()):
            limits["seconds"] = USUAL_SECONDS
            if isinstance(solver.game, GameTree):
                stakes = solver.game.utilities
                limits["exploitability"] = USUAL_TARGET * float(stakes.max() - stakes.min())
        with nullcontext() if self.state is None else in_use(self.state, StrategyError):
            if self.state is not None and self.state.exists():
                solver.load(self.state)
            with live_curve(name, solver.curve) as progress:
                solution = solver.solve(**limits, progress=progress, save_to=self.state, trace=trace)  # type: ignore[arg-type]
            self._save("all to go on", solver.save, self.state)
        return solution

    def _save_pictures(self, draw: Callable[[], "MatrixPicture | TreePicture"]) -> None:
        for path in self.svg, self.png:
            if path is not None:
                self._save("picture", draw().save, path)

    def _save(self, content: str, save: Callable[[Path], object], path: Path | None) -> None:
        """Save to a file, and remember that; an error is printed."""
        if path is not None and saved(partial(save, path)):
            self.files.append(f"{content} in {path}")

    # -- answers ------------------------------------------------------------------------------------------------------

    def _players(self) -> list[int]:
        return list(range(self.game.players)) if self.player is None else [self.player]

    def _most_lines(self, is_json: bool) -> int | None:
        """The maximum number of information sets of a player to print; None for all."""
        if self.lines is None and not is_json:
            return LINES
        return self.lines or (None if self.tree is not None else len(self.strategy.key))

    def as_dict(self) -> dict[str, Any]:
        """The results as plain values."""
        if self.equilibria is not None:
            game = self.equilibria[0].game
            payoffs = {"players": game.players, "actions": game.actions, "payoffs": game.payoffs.tolist()}
            return {"game": repr(self.game), **payoffs, **self.equilibria.as_dict()}
        sizes: dict[str, Any] = {"game": repr(self.strategy.game), "information_sets": len(self.strategy.key)}
        if self.tree is not None:
            from outplay.equilibrium import gains, values

            gained = gains(self.strategy, self.tree)
            sizes |= {
                "nodes": self.tree.nodes,
                "information_sets": self.tree.information_sets,
                "values": values(self.strategy, self.tree),
                "exploitability": sum(gained) / self.tree.players,
                "gains": gained,
            }
        most = self._most_lines(is_json=True)
        rows = [row.as_dict() for player in self._players() for row in self.strategy.rows(player, most)]
        return {**sizes, **(self.solution.as_dict() if self.solution else {}), "strategy": rows}

    def show(self) -> None:
        """Print the results."""
        if self.equilibria is not None:
            show_matrix(self.equilibria)
        else:
            show_values(self.tree, self.strategy, self.solution)
            for player in self._players():
                show_table(self.strategy, player, self._most_lines(is_json=False))
        show_files(self.files)

    def exit_code(self) -> int:
        """That of an interruption, 1 if the strategy is not as close as was asked for, else 0."""
        if self.solution is None:
            return 0
        if self.solution.stopped == "interrupted":
            return INTERRUPTED
        return int(self.exploitability is not None and not self.solution.exploitability <= self.exploitability)


def equilibria_of(rules: "Game") -> "MixedEquilibria | None":
    """All equilibria of a small matrix game for two; None if it is none."""
    from outplay.equilibrium import vertex_enumeration
    from outplay.equilibrium.turns import Turns

    if not isinstance(rules, Turns) or rules.players != 2 or max(rules.matrix.shape) > SMALL:
        return None
    return vertex_enumeration(rules.named_matrix)


def unrolled(rules: "Game", memory_mb: float) -> "GameTree":
    """The tree of the game, with a live line while it grows."""
    from outplay.equilibrium import unroll

    with live("unrolling the game…") as tell:

        def progress(nodes: int, of: int) -> None:
            tell(f"unrolling the game: {nodes / of:.0%}" if of else f"unrolling the game: {short(nodes)} nodes")

        return unroll(rules, memory_mb=memory_mb, progress=progress)


def solver_of(
    rules: "Game | GameTree", algorithm: str, settings: list[str] | None, memory_mb: float
) -> "EquilibriumSolver | SequenceForm":
    """The solver for a tree, or for a game that is not unrolled."""
    import outplay.equilibrium

    treeless = not isinstance(rules, outplay.equilibrium.GameTree)
    entry = SOLVERS[algorithm]
    kind: Any = outplay.equilibrium.TreelessMCCFR if treeless else entry.load()
    usual = {**entry.options, **({"memory_mb": memory_mb} if treeless else {})}
    solver: EquilibriumSolver | SequenceForm = kind(rules, **{**usual, **read_settings(kind, settings or ())})
    return solver


def new_trace(solver: "EquilibriumSolver | SequenceForm", algorithm: str) -> "Trace":
    """A trace of the iterations that a page shows."""
    from outplay.engine.trace import Trace
    from outplay.equilibrium import CFR

    if not isinstance(solver, CFR):
        raise typer.BadParameter(f"--html is for the variants of CFR, such as predictive and cfr, not {algorithm}")
    return Trace(MAX_STEPS)


def picture_of(tree: "GameTree", strategy: "Strategy") -> "MatrixPicture | TreePicture":
    """The picture of a game: of a matrix game its table, of any other its tree with the strategy."""
    from outplay.equilibrium.turns import Turns

    return tree.game.matrix.picture() if isinstance(tree.game, Turns) else tree.picture(strategy)


@contextmanager
def live_curve(algorithm: str, curve: list["Point"]) -> Iterator[Any]:
    """A live line that shows how the exploitability falls. `curve` grows while the solver runs."""
    with live("compiling…") as show:

        def progress(now: "Point") -> None:
            far = f"exploitability {now.exploitability:.3g}  " if math.isfinite(now.exploitability) else ""
            line = sparkline([point.exploitability for point in curve])
            show(f"{algorithm}  {far}{short(now.iterations)} iterations  {now.seconds:.1f} s  {line}")

        yield progress
