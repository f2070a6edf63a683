"""`outplay analyse`: the value and the best line of every action."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import (
    Algorithm,
    BookFile,
    Csv,
    EvaluationName,
    GameName,
    Json,
    Moves,
    SearchOptions,
    State,
    TableMb,
    Threads,
)
from outplay.cli.output import complain, live, live_search, outcome, picture, print_csv, print_json, say, speed, stdout
from outplay.cli.searchers import searcher_for
from outplay.cli.start import algorithm_for, load_checked, play_moves
from outplay.engine.limits import Limit
from outplay.rules.game import CHANCE
from outplay.session.algorithms import searcher_class, suited

if TYPE_CHECKING:
    from rich.table import Table

    from outplay.engine.analysis import Analysis
    from outplay.engine.trace import Trace
    from outplay.rules.game import Game

EXAMPLES = (
    "Examples:",
    "  outplay analyse connect-four --moves 4444 --seconds 2",
    '  outplay analyse "nim(heaps=(3, 4, 5))" --json',
    "  outplay analyse my_game.py:MyGame --depth 8 --algorithm minimax",
    '  outplay analyse "explicit-tree([[3, 12, 8], [2, 4, 6]])" --textbook --tree 2',
    "  outplay analyse chess --depth 6 --evaluation material",
    "  outplay analyse hex --algorithm mcts --simulations 50000 --seed 1",
    "  outplay analyse go --algorithm mcts --seconds 10 --set rave=false",
    '  outplay analyse "matrix([[1, -1], [-1, 1]])"          an equilibrium',
    "  outplay analyse phantom-tic-tac-toe --set observers=single",
    "Ctrl-C stops the search and prints the best answer so far; exit code 130.",
)
SHOWN_ACTIONS = 50
"""The maximum number of actions in the table: the best ones."""
MAX_TRACED = 100_000
"""The maximum number of visits in the trace."""
SAMPLING = "± sampling: the standard error of the mean, not of the value: players may do better than in simulations"
STOPPED = {
    "seconds": " (time limit)",
    "clock": " (by the clock)",
    "nodes": " (node limit)",
    "simulations": " (simulation limit)",
    "settled": " (no other action could catch up)",
    "depth": " (depth limit)",
    "interrupted": " (Ctrl-C)",
    "memory full": " (memory limit: an estimate from the states that fit)",
}


def analyse(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="Stop after S seconds.  [default: 2, unless there is another limit]"),
    ] = None,
    depth: Annotated[int | None, typer.Option(metavar="N", min=1, help="Search at most N plies deep.")] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", min=1, help="Stop after N states.")] = None,
    simulations: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Stop after N simulations, for mcts and ismcts.")
    ] = None,
    algorithm: Algorithm = None,
    table_mb: TableMb = None,
    threads: Threads = 1,
    selective: Annotated[
        bool,
        typer.Option(
            "--selective",
            help="Search deeper but less carefully, as chess programs do: with late move reductions and the null move.",
        ),
    ] = False,
    book: BookFile = None,
    evaluation: EvaluationName = None,
    settings: SearchOptions = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="The seed, for mcts, ismcts and pimc: the same seed gives the same answer."
        ),
    ] = None,
    textbook: Annotated[
        bool,
        typer.Option(
            "--textbook",
            help="Search as textbooks do: in the order of the rules, without deepening, table and null windows. For"
            " minimax, alpha-beta, expectiminimax and max-n.",
        ),
    ] = False,
    tree: Annotated[
        int | None,
        typer.Option(metavar="PLIES", min=1, help="Also show the search tree; only the best action then has a value."),
    ] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Show the value and the best line of every action; with hidden information, what an equilibrium plays."""
    rules = load_checked(game)
    states, names = play_moves(rules, moves, state)
    search_options = algorithm, settings or None, seed, depth, nodes, simulations, tree, table_mb, book, evaluation
    plain = all(option is None for option in search_options) and threads == 1 and not selective and not textbook
    if plain and rules.hidden_information and (equilibrium := equilibrium_at(rules, states, seconds)):
        tell(equilibrium, names, json, csv)
        return
    has_depth = depth is not None or simulations is not None or tree is not None
    algorithm = algorithm or (suited(rules) if has_depth else algorithm_for(rules, states[-1]))
    settings = [*(settings or ()), *["textbook=true"] * textbook]
    if textbook and not searcher_class(algorithm).textbook_form:
        raise typer.BadParameter(f"--textbook is for minimax, alpha-beta, expectiminimax and max-n, not {algorithm}")
    if tree and not textbook and not searcher_class(algorithm).traces:
        raise typer.BadParameter(
            "--tree is for alpha-beta, mcts and proof-number, and for other algorithms with --textbook"
        )
    limits = searcher_class(algorithm).limits
    for option, value in (("depth", depth), ("simulations", simulations)):
        if value is not None and option not in limits:
            limits_text = " or ".join(f"--{name}" for name in limits if name != "clock")
            raise typer.BadParameter(f"--{option}: {algorithm} cannot be limited by that; give {limits_text}")
    if seconds is None and depth is None and nodes is None and simulations is None:
        seconds = 2.0
    limit = Limit(seconds=seconds, depth=depth, nodes=nodes, simulations=simulations)
    searcher = searcher_for(
        rules, algorithm, table_mb, book, threads, False, selective, evaluation, seed=seed, settings=settings
    )
    trace = new_trace() if tree else None
    search = searcher.search if tree else searcher.analyse
    with live_search() as progress:
        analysis = search(states[-1], limit, previous_states=states[:-1], progress=progress, trace=trace)
    tell(analysis, names, json, csv, trace, tree)
    if analysis.stopped == "interrupted":
        raise typer.Exit(INTERRUPTED)


def equilibrium_at(rules: "Game", states: Sequence[Any], seconds: float | None) -> "Analysis | None":
    """What an equilibrium does in the last of the states. None, with a note, if the game does not fit."""
    from outplay.equilibrium import EquilibriumSearch
    from outplay.rules.errors import OutplayError

    try:
        with live("solving the game…"):
            return EquilibriumSearch(rules).analyse(states[-1], Limit(seconds=seconds), previous_states=states[:-1])
    except OutplayError as error:
        complain("Note", "bold", f"{error}. This is ismcts, which estimates")
        return None


def tell(
    analysis: "Analysis",
    names: list[str],
    json: bool,
    csv: bool,
    trace: "Trace | None" = None,
    plies: int | None = None,
) -> None:
    """Print an analysis, and the trace to so many plies: as JSON, its actions as CSV, or all for people."""
    data = analysis.as_dict()
    if csv:
        print_csv(data["actions"])
    elif json:
        print_json({"moves": names, **data, **({} if trace is None else {"trace": trace.as_dict(plies)})})
    else:
        show(analysis, names, "" if trace is None else trace.tree(plies=plies))


def new_trace() -> "Trace":
    """Where a search records what it visits."""
    from outplay.engine.trace import Trace

    return Trace(MAX_TRACED)


def show(analysis: "Analysis", names: list[str], tree: str = "") -> None:
    """Print an analysis for people: the board, the verdict, every action, the tree, and how it was obtained."""
    show_state(analysis, names)
    say(answer(analysis))
    if analysis.actions:
        say()
        stdout().print(table(analysis))
        if len(analysis.actions) > SHOWN_ACTIONS:
            say(f"… and {len(analysis.actions) - SHOWN_ACTIONS} more; --json lists them all", "dim")
        say()
    if any(item.sampling_error is not None for item in analysis.actions):
        say(SAMPLING, "dim")
    if tree:
        say(tree)
        say()
    if not is_over(analysis):
        say(effort_text(analysis), "dim")


def is_over(analysis: "Analysis") -> bool:
    """Whether there was nothing to search."""
    return analysis.action is None and not analysis.stopped and not analysis.actions


def show_state(analysis: "Analysis", names: list[str]) -> None:
    """Print what was searched."""
    say(f"{analysis.game!r}" + (f" after {' '.join(names)}" if names else ""), "bold")
    say()
    if (matrix := getattr(analysis.game, "named_matrix", None)) is not None:
        say(f"{matrix}\n")
    say(picture(analysis.game, analysis.state))
    say()


def answer(analysis: "Analysis") -> str:
    """The value in words."""
    if is_over(analysis):
        utilities = " ".join(f"{value:+g}" for value in analysis.values)
        return f"The game is over: {outcome(analysis.game, analysis.values)}; utilities {utilities}."
    how = "exact" if analysis.exact else "an estimate"
    if analysis.player == CHANCE and analysis.actions:
        return f"Chance is to move: {analysis.text} for player 0, {how}{values_text(analysis)}.{mixture(analysis)}"
    if not analysis.actions:
        advice = "give it more time, or give minimax a --depth."
        if analysis.action is None:
            return f"Stopped before any answer; {advice}"
        name = analysis.game.action_name(analysis.state, analysis.action)
        return f"Stopped before any answer: {name} is only the action to try first; {advice}"
    return f"Player {analysis.player} to move: {analysis.text}, {how}{values_text(analysis)}.{mixture(analysis)}"


def mixture(analysis: "Analysis") -> str:
    """What to play, with probabilities, and the kind of the equilibrium, in a line each; empty without one."""
    from outplay.equilibrium.tree_picture import chance_text

    if not analysis.equilibrium:
        return ""
    kind = f"\n{analysis.equilibrium[0].upper()}{analysis.equilibrium[1:]}."
    if analysis.player == CHANCE:
        return kind
    first, *others = [item for item in analysis.actions if item.probability and item.probability > 5e-5]
    others_text = "".join(f", {item.name} with {chance_text(item.probability or 0)}" for item in others)
    odds = f" with probability {chance_text(first.probability or 0)}{others_text}" if others else ""
    return f"\nPlay {first.name}{odds}.{kind}"


def values_text(analysis: "Analysis") -> str:
    """The value for each player, in words, if it is known and does not follow from the first."""
    if analysis.game.players <= 2 or any(math.isnan(value) for value in analysis.values):
        return ""
    return "; the players get " + " ".join(f"{value:+.4g}" for value in analysis.values)


def effort_text(analysis: "Analysis") -> str:
    """How an answer was obtained."""
    if analysis.actions and not analysis.nodes:
        return f"{analysis.method}: known, nothing was searched"
    if analysis.equilibrium and analysis.simulations is None:
        return f"{analysis.method}: the whole game, {analysis.nodes:,} nodes, in {analysis.seconds:.2f} s"
    reason = STOPPED.get(analysis.stopped, "")
    simulations = "" if analysis.simulations is None else f"{analysis.simulations:,} simulations, "
    hits = "" if analysis.table_hits is None else f", {analysis.table_hits:,} table hits"
    return (
        f"{analysis.method}: {simulations}depth {analysis.depth}, {analysis.nodes:,} nodes in {analysis.seconds:.2f} s"
        f"{reason}, {speed(analysis)}{hits}"
    )


def table(analysis: "Analysis") -> "Table":
    """Every action with its value and its line, the best first."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    head, rows = analysis.table(SHOWN_ACTIONS)
    for name in head:
        justify: Any = "right" if name in ("± sampling", "95 %", "visits") else "left"
        table.add_column(name, no_wrap=name != "best line", justify=justify, style="" if name else "dim")
    for item, (name, *cells) in zip(analysis.actions, rows, strict=False):
        name_cell = Text(name, style="bold" if item.action == analysis.action else "")
        table.add_row(name_cell, *(Text(cell, no_wrap=True, overflow="ellipsis") for cell in cells))
    return table
