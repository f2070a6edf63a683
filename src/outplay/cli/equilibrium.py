"""`outplay equilibrium`: Nash equilibria of games with hidden information."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import PNG, GameName, Json, check_file
from outplay.cli.output import live, print_json, say, short, stdout
from outplay.cli.saving import saved
from outplay.cli.searchers import one_of, read_settings
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

EXAMPLES = (
    "Examples:",
    "  outplay equilibrium kuhn-poker",
    "  outplay equilibrium leduc-poker --seconds 20 --player 0 --lines 100",
    "  outplay equilibrium leduc-poker --algorithm cfr+ --exploitability 0.001",
    "  outplay equilibrium leduc-poker --algorithm lp         exactly",
    "  outplay equilibrium leduc-poker --state leduc.npz --seconds 60   (and again)",
    "  outplay equilibrium kuhn-poker --save kuhn.json",
    "  outplay equilibrium kuhn-poker --load kuhn.json        how good is that?",
    "  outplay equilibrium 'dark-hex(4)' --no-tree --algorithm outcome",
    "  outplay equilibrium game.efg                           a file of Gambit's",
    "  outplay equilibrium game.nfg --svg table.svg           a matrix game",
    '  outplay equilibrium "matrix([[1, -1], [-1, 1]])"       one written here',
    "A matrix game for two, of up to 10 actions each, is shown with all equilibria;",
    "with --algorithm, limits or --player it is solved as other games are.",
    "  outplay equilibrium kuhn-poker --svg tree.svg          a picture",
    "  outplay equilibrium kuhn-poker --iterations 50 --html cfr.html",
    "  outplay equilibrium my_game.py --efg my_game.efg       and one for Gambit",
    "Ctrl-C prints and saves what was found so far; exit code 130. Not as close as",
    "--exploitability asks: 1.",
)
USUAL_SECONDS, USUAL_TARGET = 10.0, 1e-7
"""The default limits. The exploitability is a fraction of the stakes: the largest utility minus the smallest."""
LINES = 30
"""The number of information sets printed for each player."""
MAX_STEPS = 300
"""The number of iterations of the page of steps."""
POINTS = 8
"""The number of points of the curve that are printed."""
BARS = "▁▂▃▄▅▆▇█"


SMALL = 10
"""The maximum number of actions of each player of a matrix game whose equilibria are all listed."""
USUAL = "predictive"
TREELESS = ("external", "outcome")
"""The algorithms that need no tree, the default one first."""


def read_name(text: str) -> str:
    """The name of an algorithm, in lower or upper case."""
    return one_of(text, list(SOLVERS))


# One parameter for each option: Typer reads the options of a command from its signature.
def equilibrium(
    game: GameName,
    algorithm: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            parser=read_name,
            help="; ".join(f"{each.name}: {each.purpose}" for each in SOLVERS.values())
            + f".  [default: {USUAL}; with --no-tree: {TREELESS[0]}]",
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The maximum number of further iterations.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            min=0,
            help="The maximum time.  [default: 10, or until the exploitability is a ten-millionth of the stakes]",
        ),
    ] = None,
    exploitability: Annotated[
        float | None,
        typer.Option(
            metavar="X", min=0, help="Stop when the players could gain at most this by deviating, on average."
        ),
    ] = None,
    player: Annotated[
        int | None, typer.Option(metavar="P", min=0, help="Print the strategy of this player only.")
    ] = None,
    lines: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help=f"The number of information sets to print for each player; 0: all.  [default: {LINES}]",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save the strategy as JSON or, if the name ends with .npz, in a compact form."
        ),
    ] = None,
    load: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Evaluate this saved strategy instead of computing one.")
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the solver's state in this file, and continue from it if it exists."),
    ] = None,
    efg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the game in Gambit's .efg format.")] = None,
    svg: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.svg",
            help="Draw the tree of the game with the probabilities of the strategy, as far as 250 nodes reach; of an"
            " .nfg file, the table of payoffs.",
        ),
    ] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE.png", help=PNG)] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.html",
            help=f"Write a page that shows the first {MAX_STEPS} iterations of CFR one by one, with regrets.",
        ),
    ] = None,
    no_tree: Annotated[
        bool,
        typer.Option(
            "--no-tree",
            help="Do not unroll the game, which may be too large: only sample it, with external or outcome. The"
            " exploitability is then not known.",
        ),
    ] = False,
    memory_mb: Annotated[
        float,
        typer.Option(metavar="MB", min=1, help="The maximum memory for the tree or, with --no-tree, for the strategy."),
    ] = 4096,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set an option of the algorithm, as in --set gamma=3; can be repeated.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Find a Nash equilibrium of a game with hidden information, such as poker; of a small matrix game, all."""
    given = algorithm, iterations, seconds, exploitability, state, settings
    if load is not None and any(each is not None for each in given):
        raise typer.BadParameter("--load computes nothing: leave out --algorithm, limits, --state and --set")
    if load is not None and html is not None:
        raise typer.BadParameter("--html shows how a strategy is computed: leave out --load")
    if no_tree and any(each is not None for each in (load, efg, svg, png, html, exploitability)):
        needed = "--load, --efg, --svg, --png, --html and --exploitability"
        raise typer.BadParameter(f"--no-tree: leave out {needed}, which need the tree")
    for option, path, suffix in (
        ("--save", save, ""),
        ("--state", state, ""),
        ("--efg", efg, ""),
        ("--svg", svg, ".svg"),
        ("--png", png, ".png"),
        ("--html", html, ".html"),
    ):
        check_file(option, path, suffix)
    algorithm = algorithm or (TREELESS[0] if no_tree else USUAL)
    if no_tree and algorithm not in TREELESS:
        raise typer.BadParameter(f"--no-tree: --algorithm {algorithm} needs the tree; {' and '.join(TREELESS)} do not")
    if game.lstrip().startswith(("[", "{")):
        raise typer.BadParameter(
            "a list is a game tree, in which all players see the moves before theirs; for a matrix game, write"
            ' "matrix([[1, -1], [-1, 1]])", or for a tree "explicit-tree(…)"'
        )
    rules = load_checked(game)
    if player is not None and player >= rules.players:
        raise typer.BadParameter(f"--player {player}: {rules!r} has players 0 to {rules.players - 1}")
    asked = *given, player, lines, save, load, efg, html
    if not no_tree and all(each is None for each in asked) and (found := equilibria_of(rules)):
        drawn = found[0].game.picture() if svg is not None else None
        svg = None if drawn is None else if_saved(drawn.save, svg)
        if json:
            print_json(matrix_dict(rules, found))
        else:
            show_matrix(found, svg)
        return
    tree = None if no_tree else unrolled(rules, memory_mb)
    if tree is not None and efg is not None:
        from outplay.equilibrium.efg import save_efg

        efg = if_saved(partial(save_efg, tree), efg)
    solution = None
    if load is not None:
        from outplay.equilibrium import Strategy

        strategy = Strategy.load(load, rules)
        if tree is not None:
            strategy = Strategy.on(tree, strategy.behaviour(tree))
    else:
        solver = solver_of(rules if tree is None else tree, algorithm, settings, memory_mb)
        trace = None if html is None else new_trace(solver, algorithm)
        solution, state = solved(solver, algorithm, state, iterations, seconds, exploitability, trace)
        strategy = solution.strategy
        if trace is not None and len(trace):
            html = if_saved(trace.save, html)
    save = if_saved(strategy.save, save)
    if tree is not None and svg is not None:
        svg = if_saved(picture_of(tree, strategy).save, svg)
    if tree is not None and png is not None:
        png = if_saved(picture_of(tree, strategy).save, png)

    every = None if tree is not None else len(strategy.key)
    most = lines or every if lines is not None or json else LINES
    players = range(rules.players) if player is None else (player,)
    if json:
        print_json(as_dict(tree, strategy, solution, players, most))
    else:
        show(tree, strategy, solution)
        for each in players:
            show_table(strategy, each, most)
        kept = [
            f"{what} in {path}"
            for what, path in (
                ("strategy", save),
                ("all to go on", state),
                ("game", efg),
                ("picture", svg),
                ("picture", png),
                ("steps", html),
            )
            if path
        ]
        if kept:
            say("\n" + "; ".join(kept), "dim")
    if solution is not None and solution.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if solution is not None and exploitability is not None and not solution.exploitability <= exploitability:
        raise typer.Exit(1)


# -- small matrix games ---------------------------------------------------------------------------------------------


def equilibria_of(rules: "Game") -> "MixedEquilibria | None":
    """All equilibria of a small matrix game for two; None if it is none."""
    from outplay.equilibrium import vertex_enumeration
    from outplay.equilibrium.turns import Turns

    if not isinstance(rules, Turns) or rules.players != 2 or max(rules.matrix.shape) > SMALL:
        return None
    return vertex_enumeration(rules.named_matrix)


def matrix_dict(rules: "Game", found: "MixedEquilibria") -> dict[str, Any]:
    """The payoffs and all equilibria as plain values."""
    game = found[0].game
    payoffs = {"players": game.players, "actions": game.actions, "payoffs": game.payoffs.tolist()}
    return {"game": repr(rules), **payoffs, **found.as_dict()}


def show_matrix(found: "MixedEquilibria", svg: Path | None) -> None:
    """Print the payoffs and all equilibria."""
    from rich import box
    from rich.table import Table

    game = found[0].game
    say(str(game))
    say(f"\n{found.summary()}", "bold")
    table = Table("", "", *game.players, "they expect", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for number, each in enumerate(found[:LINES], start=1):
        parts = each.parts()
        played = (
            ", ".join(f"{name}: {chance}" for name, chance in mixed.items()) if len(mixed) > 1 else next(iter(mixed))
            for _, mixed, _ in parts
        )
        kind = "pure" if each.is_pure else "mixed"
        table.add_row(str(number), kind, *played, ", ".join(value for *_, value in parts))
    say()
    stdout().print(table)
    if len(found) > LINES:
        say(f"… and {len(found) - LINES:,} more; --json lists them all", "dim")
    if svg is not None:
        say(f"\npicture in {svg}", "dim")


# -- work -------------------------------------------------------------------------------------------------------------


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
    made: EquilibriumSolver | SequenceForm = kind(rules, **{**usual, **read_settings(kind, settings or ())})
    return made


def new_trace(solver: "EquilibriumSolver | SequenceForm", algorithm: str) -> "Trace":
    """A trace of the iterations that a page shows."""
    from outplay.engine.trace import Trace
    from outplay.equilibrium import CFR

    if not isinstance(solver, CFR):
        raise typer.BadParameter(f"--html is for the variants of CFR, such as predictive and cfr, not {algorithm}")
    return Trace(MAX_STEPS)


def solved(
    solver: "EquilibriumSolver | SequenceForm",
    algorithm: str,
    state: Path | None,
    iterations: int | None,
    seconds: float | None,
    exploitability: float | None,
    trace: "Trace | None" = None,
) -> tuple["Solution", Path | None]:
    """The solution, and the file with the solver's state, None if it could not be saved. A live line shows progress.

    `state` is read first, and written every minute and at the end. It is locked against other processes meanwhile.
    """
    from outplay.equilibrium import GameTree, SequenceForm

    if isinstance(solver, SequenceForm):
        if any(each is not None for each in (state, iterations, exploitability)):
            raise typer.BadParameter("lp is exact: leave out --state, --iterations and --exploitability")
        with live("solving a linear program…"):
            return solver.solve(seconds=seconds), None
    if iterations is seconds is exploitability is None:
        seconds = USUAL_SECONDS
        if isinstance(solver.game, GameTree):
            stakes = solver.game.utilities
            exploitability = USUAL_TARGET * float(stakes.max() - stakes.min())
    with nullcontext() if state is None else in_use(state, StrategyError):
        if state is not None and state.exists():
            solver.load(state)
        with live_curve(algorithm, solver.curve) as progress:
            solution = solver.solve(
                iterations=iterations,
                seconds=seconds,
                exploitability=exploitability,
                progress=progress,
                save_to=state,
                trace=trace,
            )
        return solution, if_saved(solver.save, state)


def if_saved(save: Callable[[Path], object], path: Path | None) -> Path | None:
    """Save to a file. Returns its path, or None if that fails."""
    return path if path is not None and saved(partial(save, path)) else None


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


def sparkline(numbers: list[float], width: int = 24) -> str:
    """The last numbers of a curve as a line of bars, on a logarithmic scale.

    >>> sparkline([1, 0.1, 0.01])
    '█▅▁'
    """
    logs = [math.log(number) for number in numbers[-width:] if 0 < number < math.inf]
    if len(logs) < 2 or max(logs) == min(logs):
        return ""
    unit = (len(BARS) - 1) / (max(logs) - min(logs))
    return "".join(BARS[round((log - min(logs)) * unit)] for log in logs)


# -- answers ----------------------------------------------------------------------------------------------------------


def as_dict(
    tree: "GameTree | None", strategy: "Strategy", solution: "Solution | None", players: Any, most: int | None
) -> dict[str, Any]:
    """The results as plain values."""
    found: dict[str, Any] = {"game": repr(strategy.game), "information_sets": len(strategy.key)}
    if tree is not None:
        from outplay.equilibrium import gains, values

        gained = gains(strategy, tree)
        found |= {
            "nodes": tree.nodes,
            "information_sets": tree.information_sets,
            "values": values(strategy, tree),
            "exploitability": sum(gained) / tree.players,
            "gains": gained,
        }
    listed = [row.as_dict() for player in players for row in strategy.rows(player, most)]
    return {**found, **(solution.as_dict() if solution else {}), "strategy": listed}


def show(tree: "GameTree | None", strategy: "Strategy", solution: "Solution | None") -> None:
    """Print the values, the distance from an equilibrium, and how it fell."""
    from rich.table import Table

    from outplay.equilibrium import gains, values
    from outplay.equilibrium.tree import player_name

    game = strategy.game
    table = Table("player", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("value", justify="right")
    if tree is not None:
        sets = " + ".join(f"{number:,}" for number in tree.first_set[1:] - tree.first_set[:-1])
        say(f"{tree.game!r}: {tree.nodes:,} nodes, {sets} information sets", "bold")
        table.add_column("a best response would gain", justify="right")
        gained = gains(strategy, tree)
        for player, (value, gain) in enumerate(zip(values(strategy, tree), gained, strict=True)):
            table.add_row(player_name(game, player), f"{value:+.6f}", f"{gain:.2g}")
        stdout().print(table)
        say(f"exploitability {sum(gained) / tree.players:.3g}")
    elif solution is not None:
        sets = " + ".join(f"{(strategy.owner == player).sum():,}" for player in range(game.players))
        say(f"{game!r}: {sets} information sets were reached", "bold")
        for player, value in enumerate(solution.values):
            table.add_row(player_name(game, player), f"{value:+.4f}")
        stdout().print(table)
        say("values are means over all games played so far; the exploitability is not known without the tree")
        if not solution.iterations:
            say("no iteration was completed: use more time, or --algorithm outcome, whose iterations are shorter")
    if solution is None:
        return
    stopped = "" if solution.stopped != "interrupted" else ", interrupted"
    say(f"{solution.solver}: {solution.iterations:,} iterations in {solution.seconds:.2f} s{stopped}", "dim")
    points = chosen([point for point in solution.curve if point.iterations > 0])
    if tree is not None and len(points) > 1:
        say()
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", style="dim")
        for name in ("iterations", "time", "exploitability"):
            table.add_column(name, justify="right")
        for point in points:
            table.add_row(f"{point.iterations:,}", f"{point.seconds:9.3f} s", f"{point.exploitability:.3g}")
        stdout().print(table)


def chosen(curve: list["Point"]) -> list["Point"]:
    """Some points of a curve, including the last."""
    step = max(1, math.ceil((len(curve) - 1) / (POINTS - 1)))
    return curve[::-1][::step][::-1]


def show_table(strategy: "Strategy", player: int, most: int | None) -> None:
    """Print the strategy of a player."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from outplay.equilibrium.formatting import actions_of, cells
    from outplay.equilibrium.tree import player_name

    listed = list(strategy.rows(player, most))
    columns = actions_of(listed)
    table = Table(f"{player_name(strategy.game, player)} knows", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in columns or ["does"]:
        table.add_column(name.rjust(6) if columns else name)
    for row in listed:
        shares = zip(cells(row, columns), [*columns, ""], strict=False)  # aligned at the decimal point
        table.add_row(row.knows, *(Text(text.rjust(max(6, len(name))), style_of(text)) for text, name in shares))
    say()
    stdout().print(table)
    left = strategy.sets_of(player) - len(listed)
    if left > 0:
        say(f"… and {left:,} later decisions; --lines 0 shows all, --lines N more or fewer", "dim")


def style_of(cell: str) -> str:
    """Actions that are never played are dim, actions that are always played are bold."""
    return {"0": "dim", "1": "bold"}.get(cell.strip(), "")
