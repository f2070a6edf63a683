"""`outplay perft`: count the lines of a given length, to test the rules of a game and their speed."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import TYPE_CHECKING, Annotated

import typer

from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Csv, GameName, Json, Moves, State
from outplay.cli.output import live, print_csv, print_json, say, short
from outplay.cli.start import load_checked, play_moves

if TYPE_CHECKING:
    from outplay.search.perft import Perft

EXAMPLES = (
    "Examples:",
    "  outplay perft connect-four --depth 10",
    "  outplay perft connect-four --depth 8 --moves 44 --divide",
    '  outplay perft chess --depth 4 --state "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"',
    "  outplay perft my_game.py:MyGame --depth 5 --every --threads 1 --json",
    "Ctrl-C prints what was counted so far; exit code 130.",
)


def perft(
    game: GameName,
    depth: Annotated[int, typer.Option(metavar="N", min=0, help="The length of the lines, in plies.")],
    state: State = None,
    moves: Moves = "",
    divide: Annotated[
        bool, typer.Option("--divide", help="Show the number of lines that begin with each action.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--every", help="Make every state, instead of only counting the actions of the last ply.")
    ] = False,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The number of threads.  [default: one per core]")
    ] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Count the lines of a given length, the usual test of a game's rules."""
    rules = load_checked(game)
    states, names = play_moves(rules, moves, state)
    from outplay.search.perft import perft as count

    with live("compiling the rules…") as show:
        result = count(
            rules, depth, states[-1], bulk=not every, threads=threads, progress=lambda so_far: show(in_words(so_far))
        )
    if csv:
        print_csv({"action": name, "lines": lines} for name, lines in result.divided.items())
    elif json:
        print_json({"game": repr(rules), "moves": names, **result.as_dict()})
    else:
        if divide:
            width = max(map(len, result.divided), default=0)
            for name, lines in result.divided.items():
                say(f"{name:<{width}}  {lines:,}")
            say()
        say(in_words(result))
    if not result.complete:
        raise typer.Exit(INTERRUPTED)


def in_words(result: "Perft") -> str:
    """The count in words, and its speed."""
    rate = short(result.lines / max(result.seconds, 1e-3))
    bound = "" if result.complete else "more than "
    return f"depth {result.depth}: {bound}{result.lines:,} lines in {result.seconds:.2f} s, {rate} lines/s"
