"""`outplay solve`: the exact value of a game, and its size."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import Annotated

import typer

from outplay.cli.analyse import answer, is_over, show_state, work
from outplay.cli.circles import suited_to
from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Algorithm, BookFile, GameName, Json, Moves, SearchOptions, State, TableMb, Threads
from outplay.cli.output import complain, live, live_search, print_json, say, short
from outplay.cli.searchers import searcher_for
from outplay.cli.start import load_checked, play_moves

EXAMPLES = (
    "Examples:",
    "  outplay solve tic-tac-toe --count",
    '  outplay solve "connect-four(width=6, height=5)" --table-mb 500',
    '  outplay solve my_game.py:MyGame --moves "b2 a1" --json',
    "  outplay solve my_dice_game.py --algorithm mcts",
    "Without --algorithm, methods that suit the game take turns; a line says why.",
    "Ctrl-C prints what was found so far; exit code 130. Not solved: 1.",
)


def solve(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    algorithm: Algorithm = None,
    table_mb: TableMb = None,
    memory_mb: Annotated[
        float, typer.Option(metavar="MB", min=1, help="Megabytes for a table of all states, if one is made.")
    ] = 2048,
    threads: Threads = 1,
    book: BookFile = None,
    settings: SearchOptions = None,
    count: Annotated[bool, typer.Option("--count", help="Count the game tree and the positions too.")] = False,
    json: Json = False,
) -> None:
    """Find the exact value, however long it takes."""
    rules = load_checked(game)
    if rules.hidden_information and algorithm is None:
        raise typer.BadParameter(
            f"{rules!r} cannot be solved by search: its players see only a part of the state. outplay equilibrium"
            " computes how to play it; outplay analyse searches it"
        )
    states, names = play_moves(rules, moves, state)
    chosen = algorithm or suited_to(rules, states[-1], solving=True)
    picks = algorithm is None and not settings and chosen != "mcts"
    searcher = searcher_for(rules, chosen, table_mb, book, threads, reuse=picks, settings=settings)
    reasons: tuple[str, ...] = ()
    with live_search() as progress:
        if picks:
            from outplay.session.solver import Solver

            solved = Solver(rules, first=searcher, memory_mb=memory_mb).solve(
                states[-1],
                previous_states=states[:-1],
                progress=progress,
                explain=None if json else lambda reason: complain("Method", "bold", reason),
            )
            analysis, reasons = solved.analysis, solved.reasons
        else:
            analysis = searcher.search(states[-1], previous_states=states[:-1], progress=progress)
    tree = None
    if count and analysis.stopped != "interrupted":
        from outplay.search.count import count_tree

        with live("compiling the count…") as show:
            tree = count_tree(
                rules,
                states[-1],
                progress=lambda so_far: show(f"{short(so_far.positions)} positions, {so_far.seconds:.1f} s"),
            )

    if json:
        print_json(
            {
                "moves": names,
                **analysis.as_dict(),
                "reasons": list(reasons),
                **({"count": tree.as_dict()} if tree else {}),
            }
        )
    else:
        show_state(analysis, names)
        say(answer(analysis))
        if analysis.line:
            say(f"Best line: {' '.join(analysis.line_names())}")
        if not is_over(analysis):
            say(work(analysis), "dim")
        if tree:
            say(f"\nBelow this state: {tree}")
        if tree and tree.complete:
            say(f"Positions at each ply: {' '.join(f'{there:,}' for there in tree.by_ply)}")
    if analysis.stopped == "interrupted" or (tree and not tree.complete):
        raise typer.Exit(INTERRUPTED)
    if analysis.stopped:
        raise typer.Exit(1)
