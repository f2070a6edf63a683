"""`outplay tree`: what a search visits, as text or as a picture."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.analyse import MAX_TRACED, new_trace
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import PNG, Algorithm, EvaluationName, GameName, Json, Moves, SearchOptions, State, check_file
from outplay.cli.output import live_search, print_json, say
from outplay.cli.saving import saved
from outplay.cli.searchers import searcher_for
from outplay.cli.start import load_checked, play_moves
from outplay.engine.limits import Limit
from outplay.rules.errors import RulesError, UnsuitableGame
from outplay.session.algorithms import searcher_class, suited
from outplay.session.searchers import OWN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outplay.engine.analysis import Analysis
    from outplay.engine.trace import Trace
    from outplay.rules.game import Game

EXAMPLES = (
    "Examples:",
    '  outplay tree "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]"',
    "  outplay tree my_tree.json --algorithm minimax --svg minimax.svg --html steps.html",
    "  outplay tree tic-tac-toe --moves 'a1 b2 c3 a3 c1' --boards --svg end.svg",
    "  outplay tree connect-four --depth 4 --plies 2 --engine",
    "  outplay tree connect-four --depth 2 --engine --set beam=2",
    "  outplay tree breakthrough --engine --set late_move_reductions=true --depth 4 --svg own.svg",
    "  outplay tree connect-four --algorithm mcts --simulations 30 --html simulations.html",
    "  outplay tree tic-tac-toe --algorithm mcts --set selection=ucb1",
    "  outplay tree tic-tac-toe --moves 'a1 b2 c3 a3' --algorithm proof-number --svg proof.svg",
    "The shapes in a picture: triangles that point up are MAX, down MIN, circles are chance.",
    "The best line is bold; two strokes mark what was cut off. After Monte Carlo tree search, edges are",
    "the wider the more they were visited; after proof-number search, proofs are bold.",
)


FIRST_SIMULATIONS = 50
"""The number of simulations if none is given."""
FIRST_DEPTH = 3
"""The depth to show if none is given and the whole tree is too large."""
TreeDepth = Annotated[int | None, typer.Option(metavar="N", min=1, help="Search at most N plies deep.")]
Plies = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Show the first N plies.", show_default="as many as are easy to read"),
]
Simulations = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="For mcts: run N simulations.", show_default=str(FIRST_SIMULATIONS)),
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="For mcts: the seed of the random choices.")]


def tree(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    depth: TreeDepth = None,
    plies: Plies = None,
    algorithm: Algorithm = None,
    engine: Annotated[
        bool,
        typer.Option(
            "--engine", help="Show outplay's own search, with its null windows and table, not that of textbooks."
        ),
    ] = False,
    settings: SearchOptions = None,
    simulations: Simulations = None,
    seed: Seed = None,
    evaluation: EvaluationName = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Write a picture.")] = None,
    png: Annotated[Path | None, typer.Option(metavar="FILE.png", help=PNG)] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a page that shows the search step by step.")
    ] = None,
    dot: Annotated[Path | None, typer.Option(metavar="FILE.dot", help="Write the tree for Graphviz.")] = None,
    boards: Annotated[bool, typer.Option("--boards", help="Draw each state in the picture.")] = False,
    json: Json = False,
) -> None:
    """Show the tree that a search visits: values, windows, and what is cut off."""
    if boards and svg is None and png is None and dot is None:
        raise typer.BadParameter("--boards is for a picture: give --svg FILE.svg")
    files = {".svg": svg, ".png": png, ".dot": dot, ".html": html}
    for kind_of_file, file in files.items():
        check_file(f"--{kind_of_file[1:]}", file, kind_of_file)
    rules = load_checked(game)
    states, names = play_moves(rules, moves, state)
    trace, analysis, note = recorded(
        rules, states, algorithm, depth, simulations, seed, evaluation, engine=engine, settings=settings,
        in_steps=html is not None,
    )  # fmt: skip

    def save(file: Path) -> None:
        if file == html:
            trace.save(html, plies=plies)
        else:
            trace.picture(plies=plies, boards=boards).save(file)

    written = [saved(partial(save, file), file) for file in files.values() if file is not None]
    if json:
        print_json({"moves": names, **analysis.as_dict(), "trace": trace.as_dict(plies)})
    elif not all(written) or not written:
        say(trace.tree(plies=plies))
    if note and not json:
        say(note, "dim")
    if analysis.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def recorded(
    rules: "Game", states: list[Any], algorithm: str | None, depth: int | None, simulations: int | None,
    seed: int | None, evaluation: str | None, *, engine: bool = False, settings: "Sequence[str] | None" = None,
    in_steps: bool,
) -> "tuple[Trace, Analysis, str]":  # fmt: skip
    """A trace of the search of the last state, its answer, and a remark on the depth.

    With `in_steps`, a search that cannot be shown step by step is refused.
    """
    if rules.hidden_information:
        raise UnsuitableGame(
            f"{type(rules).__name__} has hidden information, so searches visit no tree of states;"
            " outplay equilibrium GAME --svg FILE.svg draws its tree, with a strategy"
        )
    algorithm = algorithm or suited(rules)
    kind = searcher_class(algorithm)
    simulates, has_depth = "simulations" in kind.limits, "depth" in kind.limits
    is_own = kind.traces and kind.records != "visits"  # neither of a textbook's search nor of alpha-beta
    if engine and (is_own or not kind.traces):
        raise typer.BadParameter(f"--engine is for alpha-beta and mtdf, not {algorithm}")
    if in_steps and (engine or kind.records in ("expansions", "sweeps")):
        name = "outplay's own search" if engine else algorithm
        raise typer.BadParameter(f"{name} has no steps: outplay tree without --html shows it as a whole")
    if not (engine or is_own or kind.textbook_form):
        raise typer.BadParameter(
            f"--algorithm {algorithm}: choose minimax, alpha-beta, expectiminimax, max-n, mcts,"
            " proof-number or value-iteration" + ("; or outplay tree --engine" if kind.traces else "")
        )
    for option, value, fits in (
        ("depth", depth, has_depth),
        ("simulations", simulations, simulates),
        ("seed", seed, simulates),
    ):
        if value is not None and not fits:
            raise typer.BadParameter(f"--{option} is not for {algorithm}" + "; give --simulations" * simulates)
    options = list(settings or ())
    if not (engine or is_own):
        if options:
            raise typer.BadParameter(
                f"--set {options[0]}: the search of textbooks has no options"
                + ("; outplay tree --engine shows the engine's own, with options" if kind.traces else "")
            )
        options = ["textbook=true"]
    searcher = searcher_for(rules, algorithm, evaluation=evaluation or OWN, seed=seed, settings=options)
    trace, limit, note = new_trace(), Limit(depth=depth, nodes=None if depth else MAX_TRACED), ""
    if is_own and not has_depth:
        limit = Limit(simulations=simulations or FIRST_SIMULATIONS) if simulates else Limit()
    with live_search() as progress:
        analysis = searcher.search(states[-1], limit, previous_states=states[:-1], progress=progress, trace=trace)
        if analysis.stopped == "nodes" and is_own:
            note = f"The search was stopped after {MAX_TRACED:,} nodes."
        elif analysis.stopped == "nodes":
            note = (
                f"The whole tree has more than {MAX_TRACED:,} nodes; this is the search to depth {FIRST_DEPTH}."
                " --depth N chooses another."
            )
            limit = Limit(depth=FIRST_DEPTH)
            analysis = searcher.search(states[-1], limit, previous_states=states[:-1], progress=progress, trace=trace)
    if not len(trace) and analysis.stopped != "interrupted":
        raise RulesError("the game is over: there is nothing to search")
    return trace, analysis, note
