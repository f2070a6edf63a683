"""`outplay solve`: the exact value of a game, and its size."""

from pathlib import Path
from typing import Annotated

import typer

from outplay.cli.options import Algorithm, BookFile, GameName, Json, Moves, SearchOptions, State, TableMb, Threads
from outplay.cli.output import print_json
from outplay.cli.solve_task import SolveTask

EXAMPLES = (
    "Examples:",
    "  outplay solve tic-tac-toe --count",
    '  outplay solve "connect-four(width=6, height=5)" --table-mb 500',
    '  outplay solve my_game.py:MyGame --moves "b2 a1" --json',
    "  outplay solve my_dice_game.py --algorithm mcts",
    '  outplay solve "connect-four(width=5, height=4)" --proof four.proof',
    "  outplay solve connect-four --table-mb 2000 --save four.solve --resume",
    "Without --algorithm, methods that suit the game take turns; a line says why.",
    "The file of --save is removed when the game is solved.",
    "Ctrl-C prints what was found so far; exit code 130. Not solved 1, not saved 2.",
)


def solve(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    algorithm: Algorithm = None,
    table_mb: TableMb = None,
    memory_mb: Annotated[
        float | None,
        typer.Option(
            metavar="MB",
            min=1,
            help="Megabytes for a table or a graph of all states, if one is made.",
            show_default="2048, or half of the memory",
        ),
    ] = None,
    threads: Threads = 1,
    book: BookFile = None,
    settings: SearchOptions = None,
    count: Annotated[bool, typer.Option("--count", help="Count the game tree and the positions too.")] = False,
    proof: Annotated[
        Path | None, typer.Option("--proof", metavar="FILE", help="Write a proof that outplay verify checks.")
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Save the search every minute and on Ctrl-C, to go on later."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the file of --save, if there is one.")] = False,
    json: Json = False,
) -> None:
    """Find the exact value, however long it takes; with hidden information, that of an equilibrium."""
    task = SolveTask.begin(
        game, moves, state, algorithm=algorithm, table_mb=table_mb, memory_mb=memory_mb, threads=threads, book=book,
        settings=settings or [], proof_file=proof, save=save, resume=resume, quiet=json,
    )  # fmt: skip
    task.solve()
    if count:
        task.count()
    if proof is not None:
        task.write_proof()
    if json:
        print_json(task.as_dict())
    else:
        task.show()
    if code := task.finish():
        raise typer.Exit(code)
