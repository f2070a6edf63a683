"""`outplay solve`: the exact value of a game, and how large it is."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import Annotated

import typer

from outplay.cli.analyse import answer, is_over, show_state, work
from outplay.cli.common import (
    INTERRUPTED,
    Algorithm,
    BookFile,
    GameName,
    Json,
    Moves,
    Settings,
    State,
    TableMb,
    Threads,
    live,
    live_search,
    load_checked,
    play_moves,
    print_json,
    say,
    searcher_for,
    short,
    suited,
)

EXAMPLES = (
    "Examples:",
    "  outplay solve tic-tac-toe --count",
    '  outplay solve "connect-four(width=6, height=5)" --table-mb 500',
    '  outplay solve my_game.py:MyGame --moves "b2 a1" --json',
    "  outplay solve my_dice_game.py --algorithm mcts",
    "Ctrl-C prints what is known so far; exit code 130. Not solvable: 1.",
)


def solve(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    algorithm: Algorithm = None,
    table_mb: TableMb = None,
    threads: Threads = 1,
    book: BookFile = None,
    settings: Settings = None,
    count: Annotated[bool, typer.Option("--count", help="Count the game tree and the positions too.")] = False,
    json: Json = False,
) -> None:
    """Find the exact value, however long it takes."""
    rules = load_checked(game)
    if rules.hidden_information and algorithm is None:
        raise typer.BadParameter(
            f"{rules!r} has no best actions that are exact: its players see only a part of the state. outplay"
            " equilibrium computes how to play it; outplay analyse searches it"
        )
    states, names = play_moves(rules, moves, state)
    searcher = searcher_for(rules, algorithm or suited(rules, solving=True), table_mb, book, threads, settings=settings)
    with live_search() as progress:
        analysis = searcher.search(states[-1], history=states[:-1], progress=progress)
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
        print_json({"moves": names, **analysis.as_dict(), **({"count": tree.as_dict()} if tree else {})})
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
