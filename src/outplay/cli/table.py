"""`outplay table`: every state of a game, solved, in a file."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outplay.cli.analyse import show
from outplay.cli.errors import Command, Group
from outplay.cli.options import Cluster, GameName, Json, Moves, State, Workers, below_help
from outplay.cli.output import live, print_json, say, stdout
from outplay.cli.saving import not_saved, saved
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
        name,
        cls=Command,
        epilog=below_help("Examples:", *(f"  outplay table {name} {example}" for example in examples)),
    )


@command(
    "make",
    '"connect-four(width=5, height=4)" four.table',
    "my_game.py my.table --memory-mb 8000 --resume",
    '"connect-four(width=5, height=5)" five.table --values-only',
    'kalah kalah.table --moves "3 6 5" --json',
    '"connect-four(width=6, height=5)" /shared/six.table --cluster auto',
    "chess rooks.table --class KRK",
    "chess more.table --class KRKR --solved rooks.table",
    "chess pawn.table --class KPK --distance-to conversion",
)
def make(
    game: GameName,
    file: TableName,
    moves: Moves = "",
    state: State = None,
    classes: Annotated[
        list[str] | None,
        typer.Option("--class", metavar="CLASS", help="Solve the states of a class, such as KRK; may be repeated."),
    ] = None,
    solved: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table of classes that are solved already; the new one has them too."),
    ] = None,
    distance_to: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="What distances of classes count to: the end of the game, or the next conversion, such as a capture or"
            " a pawn's move.",
        ),
    ] = "end",
    memory_mb: Annotated[
        float, typer.Option(metavar="MB", min=1, help="Megabytes for the graph of states, about 50 bytes a state.")
    ] = 4096,
    disk_mb: Annotated[
        float | None,
        typer.Option(metavar="MB", min=1, help="Megabytes on the disk when memory is full; by default, what is free."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="The number of threads; by default, all cores.")
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where the last run of this command was stopped or killed.")
    ] = False,
    values_only: Annotated[
        bool, typer.Option("--values-only", help="Leave the distances out: a much smaller file. Not by class.")
    ] = False,
    json: Json = False,
) -> None:
    """Find every state that can be reached, solve all of them, and write them to a file.

    When memory is full, and in any case after a minute, the work goes on in files of a folder beside FILE. Ctrl-C, a
    crash or a full disk lose at most the last minute: --resume goes on from there.

    Instead of threads, --workers are processes, here or on the machines of a Ray cluster (--cluster), which have to
    share the folder of FILE. The table is the same, byte for byte.

    With chance, values are expected values; for many players, those of max^n.
    """
    rules = load_checked(game)
    start = play_moves(rules, moves, state)[0][-1]
    from outplay.cli.table_size import LateEstimate, progress_line
    from outplay.rules.errors import OutplayError
    from outplay.tables.checkpoint import remove_parts
    from outplay.tables.file import check_writable
    from outplay.tables.request import NotWritten
    from outplay.tables.tablebase import Tablebase

    check_writable(file)
    started = time.perf_counter()
    with live("compiling the rules…") as report:
        sizes = LateEstimate(rules, start, memory_mb, disk_mb, file, wanted=not (classes or resume))

        def progress(stage: str, done: int, states: int) -> None:
            seconds = time.perf_counter() - started
            size = sizes.after(seconds, states if stage == "finding" else 0)
            report(progress_line(stage, done, states, seconds, size))

        before = Tablebase.load(solved, rules) if solved else None
        folder = file.with_name(file.name + ".making")
        is_written = True
        try:
            table = Tablebase.make(
                rules,
                [start],
                classes=classes or (),
                solved=before,
                distance_to=distance_to,
                memory_mb=memory_mb,
                threads=threads,
                workers=workers,
                cluster=cluster,
                file=file,
                distances=not values_only,
                disk_mb=disk_mb,
                resume=resume,
                progress=progress,
            )
        except NotWritten as error:
            not_saved(str(error))
            table, is_written = error.table, False
        except OutplayError:
            if sizes.is_refused:
                remove_parts(folder)
            raise
        if table is None:
            if folder.exists():
                say(f"what is done is kept in {folder}: go on with --resume", "dim")
            raise KeyboardInterrupt
    seconds, stats = time.perf_counter() - started, table.stats()
    size = file.stat().st_size if is_written else None
    if json:
        facts = {"game": repr(rules), "file": str(file), "bytes": size, "seconds": seconds}
        print_json({**facts, "distance_to": table.distance_to, **stats.as_dict()})
        return
    if table.classes is None:
        say(f"{rules!r}: {table.analyse(start).verdict}", "bold")
    else:
        say(f"{rules!r}: {', '.join(facts['name'] for facts in table.classes.about.values())}", "bold")
    from outplay.rules.game import defines

    by_class = "index_player, besides index_points" if defines(rules, "index_points") else "index_player"
    show_stats(stats, "player 0" if table.classes is None else by_class)
    show_distance(table.distance_to)
    written = "" if size is None else f"{file}: {size:,} bytes, {size / stats.states:.3f} a state; "
    say(f"{written}{seconds:.1f} s", "dim")


@command(
    "estimate",
    '"connect-four(width=5, height=5)"',
    "my_game.py --json",
    'kalah --moves "3 6 5"',
)
def estimate(
    game: GameName,
    moves: Moves = "",
    state: State = None,
    seed: Annotated[int, typer.Option(help="Seed of the random games.")] = 0,
    json: Json = False,
) -> None:
    """Say how large a table would be, without making it: at least so many states, and likely about so many.

    It takes a second or two: the first states of the game, and random games from there.
    """
    rules = load_checked(game)
    start = play_moves(rules, moves, state)[0][-1]
    from outplay.cli.table_size import show_estimate
    from outplay.tables.estimation import estimate as estimated

    with live("looking at the game…"):
        size = estimated(rules, [start], seed=seed)
    if json:
        print_json(size.as_dict())
    else:
        show_estimate(size)


@command("probe", "connect-four four.table --moves 4444", "my_game.py my.table --json")
def probe(game: GameName, file: TableName, moves: Moves = "", state: State = None, json: Json = False) -> None:
    """Show the value and the distance of a state, and of each action."""
    rules = load_checked(game)
    states, names = play_moves(rules, moves, state)
    from outplay.tables.tablebase import Tablebase

    table = Tablebase.load(file, rules)
    analysis = table.analyse(states[-1])
    entry = table.probe(states[-1])
    to_conversion = entry.plies if entry is not None and table.distance_to == "conversion" else None
    if json:
        print_json({"moves": names, **analysis.as_dict(), "plies_to_conversion": to_conversion})
        return
    show(analysis, names)
    if to_conversion is not None:
        say(f"{to_conversion} plies to the next conversion")


@command("info", "four.table", "four.table --json")
def info(file: TableName, json: Json = False) -> None:
    """Say what a table is of, how large it is, and how many states are won, drawn and lost."""
    from outplay.tables.class_file import is_classes, read_classes
    from outplay.tables.file import TableFile
    from outplay.tables.stats import stats_of, stats_of_values

    if is_classes(file):
        header = read_classes(file)[0]
        if json:
            print_json({"bytes": file.stat().st_size, **header})
            return
        say(f"{header['game']}", "bold")
        show_distance(header.get("distance_to", "end"))
        for entry in header["classes"]:
            counts = ", ".join(
                f"{value:+g}: {count:,} (longest {most})" if value != header["draw"] else f"{value:+g}: {count:,}"
                for value, count, most in zip(entry["utilities"], entry["counts"], entry["longest"], strict=True)
            )
            uncertain = "" if entry.get("goes_on", True) else "; won and lost states have no answer"
            say(f"{entry['name']}  {entry['indices']:,} indices  {counts}{uncertain}")
        return
    table = TableFile(file)
    header = table.header
    stats = (
        stats_of(header["utilities"], header["draw"], table.blocks()) if table.distances else stats_of_values(header)
    )
    if json:
        names = ("game", "rules", "outplay", "draw", "error")
        described = {name: header[name] for name in names if name in header}
        print_json({"bytes": table.size, "distances": table.distances, **described, **stats.as_dict()})
        return
    say(f"{header['game']}", "bold")
    show_stats(stats)
    if not table.distances:
        say("values only, without distances", "dim")
    wrong = f"; values are wrong by at most {header['error']:.1g}" if "error" in header else ""
    say(
        f"{file}: {table.size:,} bytes, {table.size / len(table):.3f} a state; outplay {header['outplay']}{wrong}",
        "dim",
    )


def show_distance(distance_to: str) -> None:
    """Say what the distances of a table count to, unless it is the end."""
    if distance_to != "end":
        say(f"distances to the next {distance_to}", "dim")


def show_stats(stats: "TableStats", side: str = "player 0") -> None:
    """Print a table in numbers; `side` is whose values they are."""
    from rich import box
    from rich.table import Table

    say(f"{stats.states:,} states")
    if stats.range is not None:
        say(f"values for player 0 from {stats.range[0]:+g} to {stats.range[1]:+g}")
        return
    rows, each_side = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False), isinstance(max(stats.counts), tuple)
    for column in (
        "values of sides" if each_side else f"value for {side}",
        "states",
        "share",
        *(("longest",) if stats.longest else ()),
    ):
        rows.add_column(column, justify="right", no_wrap=True)
    frequent = sorted(stats.counts.items(), key=lambda item: item[1], reverse=True)[:MAX_SHOWN] if each_side else None
    for value, count in frequent or reversed(stats.counts.items()):
        longest = f"{stats.longest[value]} plies" if value in stats.longest else ""
        name = " ".join(f"{number:+g}" for number in value) if each_side else f"{value:+g}"
        row = name, f"{count:,}", f"{count / stats.states:.1%}", longest
        rows.add_row(*row if stats.longest else row[:-1])
    say()
    stdout().print(rows)
    say()


@command("verify", "connect-four four.table", "my_game.py my.table --json")
def verify(game: GameName, file: TableName, json: Json = False) -> None:
    """Check the value and the distance of every state against the rules of the game.

    If the rules were edited since the table was made, other commands refuse it; if it is right all the same, this
    writes the file again, as a table of the rules as they are now.
    """
    rules = load_checked(game)
    from outplay.tables.tablebase import Tablebase
    from outplay.tables.verification import verify as check

    table, started = Tablebase.load(file, rules, edited=True), time.perf_counter()
    with live("compiling the rules…") as report:
        verdict = check(table, lambda done, of: report(f"{done:,} of {of:,} states"))
        renew = partial(table.save, file, distances=table.distances)
        is_renewed = table.edited and not verdict.fault and not verdict.stopped and saved(renew)
    seconds = time.perf_counter() - started
    if json:
        wrong = None if verdict.state is None else repr(verdict.state)
        facts = {"states": verdict.states, "fault": verdict.fault, "state": wrong, "seconds": seconds}
        print_json({**facts, "distance_to": table.distance_to})
    elif verdict.fault:
        say(f"{file} is wrong after {verdict.states:,} states: {verdict.fault}", "bold red")
        if verdict.state is not None:
            say(f"{verdict.state!r}")
    elif not verdict.stopped:
        say(f"{file}: all {verdict.states:,} states are right; {seconds:.1f} s")
        if is_renewed:
            say("The rules were edited since it was made; it is a table of these rules now.", "dim")
        show_distance(table.distance_to)
        if rules.has_chance:
            say("Each value fits those of its successors, up to twice the error of the table and rounding.", "dim")
    if verdict.stopped:
        raise KeyboardInterrupt
    if verdict.fault:
        raise typer.Exit(1)


@command("stats", "connect-four four.table", "my_game.py my.table --json", "connect-four four.table --moves 44")
def stats(game: GameName, file: TableName, moves: Moves = "", state: State = None, json: Json = False) -> None:
    """Count wins, draws and losses by side to move and by distance; show the longest win and the first actions.

    Of a table by class, it counts the mutual zugzwangs, too: whoever is to move does worse than if the other were.

    The first actions are those of the initial state, or of the one that you give.
    """
    rules = load_checked(game)
    start = play_moves(rules, moves, state)[0][-1] if moves or state else None
    from outplay.cli.table_census import show_census
    from outplay.tables.counting import census
    from outplay.tables.tablebase import Tablebase

    table = Tablebase.load(file, rules)
    with live("compiling the rules…") as report:
        counts = census(table, start, lambda done, of: report(f"{done:,} of {of:,} states"))
    if json:
        print_json({"game": repr(rules), "distance_to": table.distance_to, **counts.as_dict()})
    else:
        show_census(rules, counts, table.distance_to)


@command("export", '"connect-four(width=4, height=3)" small.table small.csv', "my_game.py my.table my.parquet")
def export(
    game: GameName,
    file: TableName,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The file to write, .csv or .parquet.")],
) -> None:
    """Write every state with its value and distance to a CSV or Parquet file, for people and other programs."""
    rules = load_checked(game)
    from outplay.rules.errors import TableError
    from outplay.system.files import write_file
    from outplay.tables.export import ROWS, writer_for
    from outplay.tables.file import is_table
    from outplay.tables.tablebase import Tablebase

    if is_table(target):
        raise TableError(f"{target} is a table: name another file to export to")
    parts_of, table = writer_for(target), Tablebase.load(file, rules)
    with live("writing…") as report:

        def parts() -> Iterator[bytes]:
            for number, part in enumerate(parts_of(table)):
                report(f"{min(number * ROWS, len(table)):,} of {len(table):,} states")
                yield part

        write_file(target, parts())
    say(f"{target}: {len(table):,} states")
