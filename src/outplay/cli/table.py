"""`outplay table`: every state of a game, solved, in a file."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import csv
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outplay.cli.analyse import show
from outplay.cli.errors import Command, Group
from outplay.cli.options import GameName, Json, Moves, State, below_help
from outplay.cli.output import live, print_json, say, short, stdout
from outplay.cli.start import load_checked, play_moves

if TYPE_CHECKING:
    from outplay.tables.stats import TableStats

MAX_SHOWN = 20
"""The number of values for several sides that are shown, the most frequent ones."""
TableName = Annotated[Path, typer.Argument(metavar="FILE", help="The table.")]

app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode=None)


def command(name: str, *examples: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a command under `outplay table`."""
    return app.command(
        name, cls=Command, epilog=below_help("Examples:", *(f"  outplay table {name} {each}" for each in examples))
    )


@command(
    "make",
    '"connect-four(width=5, height=4)" four.table',
    "my_game.py my.table --memory-mb 8000",
    'kalah kalah.table --moves "3 6 5" --json',
)
def make(
    game: GameName,
    file: TableName,
    moves: Moves = "",
    state: State = None,
    memory_mb: Annotated[
        float, typer.Option(metavar="MB", min=1, help="Megabytes for the graph of states, about 40 bytes a state.")
    ] = 4096,
    json: Json = False,
) -> None:
    """Find every state that can be reached, solve all of them, and write them to a file.

    With chance, values are expected values; for many players, those of max^n.
    """
    rules = load_checked(game)
    start = play_moves(rules, moves, state)[0][-1]
    from outplay.tables.file import check_writable
    from outplay.tables.tablebase import Tablebase

    check_writable(file)
    started = time.perf_counter()
    with live("compiling the rules…") as shown:

        def progress(found: int, expanded: int) -> None:
            seconds = time.perf_counter() - started
            shown(f"{found:,} states found, {expanded:,} expanded  {seconds:.0f} s  {short(found / seconds)} states/s")

        table = Tablebase.make(rules, [start], memory_mb=memory_mb, progress=progress)
        if table is None:
            raise KeyboardInterrupt
        shown(f"writing {file}…")
        table.save(file)
    seconds, stats, size = time.perf_counter() - started, table.stats(), file.stat().st_size
    if json:
        print_json({"game": repr(rules), "file": str(file), "bytes": size, "seconds": seconds, **stats.as_dict()})
        return
    say(f"{rules!r}: {table.analyse(start).verdict}", "bold")
    show_stats(stats)
    say(f"{file}: {size:,} bytes, {size / stats.states:.3f} a state; {seconds:.1f} s", "dim")


@command("probe", "connect-four four.table --moves 4444", "my_game.py my.table --json")
def probe(game: GameName, file: TableName, moves: Moves = "", state: State = None, json: Json = False) -> None:
    """Show the value and the distance of a state, and of each action."""
    rules = load_checked(game)
    states, names = play_moves(rules, moves, state)
    from outplay.tables.tablebase import Tablebase

    analysis = Tablebase.load(file, rules).analyse(states[-1])
    if json:
        print_json({"moves": names, **analysis.as_dict()})
    else:
        show(analysis, names)


@command("info", "four.table", "four.table --json")
def info(file: TableName, json: Json = False) -> None:
    """Say what a table is of, how large it is, and how many states are won, drawn and lost."""
    from outplay.tables.file import TableFile
    from outplay.tables.stats import stats_of

    table = TableFile(file)
    header = table.header
    stats = stats_of(header["utilities"], header["draw"], table.blocks())
    if json:
        names = ("game", "rules", "outplay", "draw", "error")
        about = {name: header[name] for name in names if name in header}
        print_json({"bytes": table.size, **about, **stats.as_dict()})
        return
    say(f"{header['game']}", "bold")
    show_stats(stats)
    wrong = f"; values are wrong by at most {header['error']:.1g}" if "error" in header else ""
    say(
        f"{file}: {table.size:,} bytes, {table.size / len(table):.3f} a state; outplay {header['outplay']}{wrong}",
        "dim",
    )


def show_stats(stats: "TableStats") -> None:
    """Print a table in numbers."""
    from rich import box
    from rich.table import Table

    say(f"{stats.states:,} states")
    if stats.range is not None:
        say(f"values for player 0 from {stats.range[0]:+g} to {stats.range[1]:+g}")
        return
    rows, each_side = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False), isinstance(max(stats.counts), tuple)
    for column in ("values of sides" if each_side else "value for player 0", "states", "share", "longest"):
        rows.add_column(column, justify="right", no_wrap=True)
    shown = sorted(stats.counts.items(), key=lambda each: each[1], reverse=True)[:MAX_SHOWN] if each_side else None
    for value, count in shown or reversed(stats.counts.items()):
        longest = f"{stats.longest[value]} plies" if value in stats.longest else ""
        name = " ".join(f"{each:+g}" for each in value) if each_side else f"{value:+g}"
        rows.add_row(name, f"{count:,}", f"{count / stats.states:.1%}", longest)
    say()
    stdout().print(rows)
    say()


@command("verify", "connect-four four.table", "my_game.py my.table --json")
def verify(game: GameName, file: TableName, json: Json = False) -> None:
    """Check the value and the distance of every state against the rules of the game."""
    rules = load_checked(game)
    from outplay.tables.tablebase import Tablebase
    from outplay.tables.verification import verify as check

    table, started = Tablebase.load(file, rules), time.perf_counter()
    with live("compiling the rules…") as shown:
        verdict = check(table, lambda done, of: shown(f"{done:,} of {of:,} states"))
    seconds = time.perf_counter() - started
    if json:
        wrong = None if verdict.state is None else repr(verdict.state)
        print_json({"states": verdict.states, "fault": verdict.fault, "state": wrong, "seconds": seconds})
    elif verdict.fault:
        say(f"{file} is wrong after {verdict.states:,} states: {verdict.fault}", "bold red")
        if verdict.state is not None:
            say(f"{verdict.state!r}")
    elif not verdict.stopped:
        say(f"{file}: all {verdict.states:,} states are right; {seconds:.1f} s")
        if rules.has_chance:
            say("Each value fits those of its successors, up to twice the error of the table and rounding.", "dim")
    if verdict.stopped:
        raise KeyboardInterrupt
    if verdict.fault:
        raise typer.Exit(1)


@command("export", '"connect-four(width=4, height=3)" small.table small.csv')
def export(
    game: GameName,
    file: TableName,
    target: Annotated[Path, typer.Argument(metavar="CSV", help="The text file to write.")],
) -> None:
    """Write every state with its value and distance to a CSV file, for people and other programs."""
    rules = load_checked(game)
    from outplay.system.files import write_file
    from outplay.tables.payoffs import is_opposed
    from outplay.tables.tablebase import Tablebase

    table = Tablebase.load(file, rules)
    with live("writing…") as shown:

        def parts() -> Iterator[bytes]:
            text = io.StringIO(newline="")
            rows = csv.writer(text)
            values = "value for player 0" if is_opposed(table.game) else "values of sides"
            rows.writerow(["state", "to move", values, "plies"])
            for done, (state, player, value, plies) in enumerate(table.entries()):
                all_ = value if isinstance(value, tuple) else (value,)
                text_of = " ".join(repr(each).removesuffix(".0") for each in all_)
                rows.writerow([state, player, text_of, "" if plies is None else plies])
                if done % 10_000 == 0:
                    shown(f"{done:,} of {len(table):,} states")
                    yield text.getvalue().encode()
                    text.seek(0)
                    text.truncate()
            yield text.getvalue().encode()

        write_file(target, parts())
    say(f"{target}: {len(table):,} states")
