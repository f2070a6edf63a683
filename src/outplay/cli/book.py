"""`outplay book`: an opening book, made by searching every position of the first plies."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Cluster, EvaluationName, GameName, Json, Moves, State, TableMb, Workers
from outplay.cli.output import complain, live, print_json, progress_line, say
from outplay.cli.saving import not_saved, save_early, saved
from outplay.cli.start import load_checked, play_moves
from outplay.engine.limits import Limit
from outplay.rules.errors import BookError
from outplay.session.searchers import use_of_evaluation
from outplay.system import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outplay.engine.analysis import Analysis
    from outplay.engine.book import Book
    from outplay.engine.searcher import Searcher

EXAMPLES = (
    "Examples:",
    "  outplay book connect-four four.book --plies 4 --seconds 10",
    '  outplay book "connect-four(5, 4)" small.book --plies 3',
    '  outplay book chess sicilian.book --moves "e4 c5" --plies 2 --seconds 5',
    "  outplay book connect-four four.book --plies 6 --seconds 60 --workers 4",
    "  outplay book othello o.book --plies 4 --seconds 9 --evaluation learned",
    "  outplay play connect-four --book four.book",
    "Ctrl-C keeps what was found, exit code 130; the same command continues.",
)


def book(
    game: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The book. It is created, or extended if it exists.")],
    plies: Annotated[
        int, typer.Option(metavar="N", min=0, help="Include the positions up to this many plies from the start.")
    ],
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", min=0, help="The time for each position.  [default: until it is proved]"),
    ] = None,
    moves: Moves = "",
    state: State = None,
    evaluation: EvaluationName = None,
    table_mb: TableMb = None,
    workers: Workers = None,
    cluster: Cluster = None,
    json: Json = False,
) -> None:
    """Make an opening book, or extend one.

    With --workers, processes search the positions of a ply at the same time, here or on a Ray cluster (--cluster).
    """
    rules, limit = load_checked(game), Limit(seconds=seconds)
    root = play_moves(rules, moves, state)[0][-1]
    from outplay.engine.book import Book, positions
    from outplay.search.alpha_beta import AlphaBeta

    options = use_of_evaluation(AlphaBeta, rules, evaluation)
    known_book = Book.load(file, rules) if file.exists() else Book(rules)
    save_early(partial(known_book.save, file, merge=True))
    table_mb = 64 if table_mb is None else table_mb
    searcher = AlphaBeta(rules, **options, table_mb=table_mb, reuse_table=True, books=[known_book])
    spread = cluster is not None or workers not in (None, 1)
    new, saved, new_then, interrupted = 0, time.perf_counter(), 0, False
    with live("listing the positions…") as show:
        by_ply = positions(rules, plies, root)[::-1]  # deep positions first, since they help with the others
        states = [position for ply in by_ply for position in ply]

        def is_unknown(position: Any) -> bool:
            entry = known_book.look_up(rules, position)
            return entry is None or not entry.replaces(limit)

        unknown = [position for position in states if is_unknown(position)]

        def progress(so_far: "Analysis | None") -> None:
            nonlocal saved, new_then
            if new > new_then and time.perf_counter() - saved > files.SAVE_EVERY:
                try:
                    known_book.save(file, merge=True)
                except BookError as error:
                    complain("Warning", "bold yellow", f"{error}; saving will be tried again")
                saved, new_then = time.perf_counter(), new
            work = progress_line(so_far) if so_far else ""
            show(f"position {new + 1:,} of {len(unknown):,}  {work}")

        try:
            for ply in by_ply if spread else ():
                left = [position for position in ply if is_unknown(position)]
                for analysis in analyses(searcher, limit, left, workers, cluster):
                    known_book.add(analysis)
                    new += 1
                    progress(None)
            for position in () if spread else unknown:
                progress(None)
                if not is_unknown(position):
                    continue  # another process has added it to the file
                analysis = searcher.search(position, limit, progress=progress)
                interrupted = analysis.stopped == "interrupted"
                if interrupted:
                    break
                known_book.add(analysis)
                new += 1
        except KeyboardInterrupt:  # between two searches
            interrupted = True
        finally:
            is_saved = save_at_last(known_book, file)
    entries = [entry for state in states if (entry := known_book.look_up(rules, state))]
    proved = sum(entry.kind == "exact" for entry in entries)
    if json:
        print_json(
            {
                "game": repr(rules),
                "file": str(file),
                "positions": len(states),
                "known": len(entries),
                "proved": proved,
                "new": new,
                "book": len(known_book),
                "stopped": "interrupted" if interrupted else "",
            }
        )
    else:
        say(f"{rules!r}: {len(entries):,} of {len(states):,} positions to ply {plies}, {proved:,} of them proved")
        say(f"{new:,} searched now; {file if is_saved else 'the book'} holds {len(known_book):,} positions", "dim")
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def analyses(
    searcher: "Searcher", limit: Limit, left: list[Any], workers: int | None, cluster: str | None
) -> "Iterator[Analysis]":
    """Search positions on workers; in any order."""
    from outplay.parallel import finished_jobs

    if left:
        searcher.search(left[0], Limit(nodes=1))  # compiles, so that the workers need not
    for result in finished_jobs(partial(searched, searcher, limit), left, workers=workers, cluster=cluster):
        yield result.value


def searched(searcher: "Searcher", limit: Limit, position: Any) -> "Analysis":
    """Search a position, in a worker."""
    return searcher.search(position, limit)


def save_at_last(new_book: "Book", file: Path) -> bool:
    """Save the book, or if that fails save it beside its file. Returns whether it is in its own file."""
    if saved(partial(new_book.save, file, merge=True)):
        return True
    beside = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        new_book.save(beside)
    except BookError as error:
        not_saved(f"what was found is lost: {error}")
    else:
        not_saved(f"what was found is in {beside}")
    return False
