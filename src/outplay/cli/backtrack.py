"""`outplay backtrack`: one solution, all solutions, or the number of solutions of a constraint problem."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.exit_codes import INTERRUPTED
from outplay.cli.options import Json
from outplay.cli.output import live, print_json, say, short
from outplay.rules.errors import OutplayError
from outplay.session.load import load_problem
from outplay.system.files import read_text

if TYPE_CHECKING:
    from outplay.backtracking.search import Backtracking, Solutions
    from outplay.rules.problem import Problem

EXAMPLES = (
    "Examples:",
    '  outplay backtrack "queens(8)" --all',
    '  outplay backtrack "queens(12)" --count --json',
    '  outplay backtrack "queens(6)" --trace --forward-checking',
    "  outplay backtrack queens --input boards.txt --count     (as in UVa 11195)",
    "  outplay backtrack sudoku --input top95.txt",
    "  outplay backtrack \"colouring('petersen', 3)\" --first",
    '  outplay backtrack "colouring(colours=9)" --input jean.col --first',
    "  outplay backtrack my_problem.py:MyProblem --all --most 10",
    "Files for --input (# begins a comment; what is not understood is refused):",
    "  sudoku     a grid per line, 81 characters and perhaps a name, solution or",
    "             rating, or a row per line, with borders, blank lines, headings;",
    "             . 0 * _ - x ? is an empty cell; sudoku(4) reads 16 × 16",
    "  colouring  an edge per line (A B, A,B or A-B), the neighbours per line",
    "             (A: B C), or DIMACS (p edge 3 2, e 1 2, e 2 3)",
    "  queens     n, then n rows of . and * (blocked); 0 at the end",
    "Without --first, --all or --count: one solution, and whether it is unique.",
    "Ctrl-C prints what was found so far; exit code 130. Stopped by a limit: 1.",
)


def backtrack(
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM",
            help='queens, sudoku, colouring, "name(parameter=value)", my_problem.py or my_problem.py:MyProblem.',
        ),
    ],
    state: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Start from this state, such as the 81 characters of a Sudoku.")
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(
            "--input",
            metavar="FILE",
            help="Read Sudokus, boards or a graph from a file, or from standard input if FILE is -, see below.",
        ),
    ] = None,
    first: Annotated[bool, typer.Option("--first", help="Stop at the first solution.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Print every solution.")] = False,
    count: Annotated[bool, typer.Option("--count", help="Count the solutions.")] = False,
    most: Annotated[
        int, typer.Option(metavar="N", min=1, max=10**7, help="The maximum number of solutions, with --all.")
    ] = 1000,
    trace: Annotated[
        bool,
        typer.Option("--trace", help="Show the search tree up to the first solution, or with --all the whole tree."),
    ] = False,
    order: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Which variable comes next: given (usually in the order of their numbers) or most-constrained. "
            "Default: most-constrained for sudoku and colouring, else given.",
        ),
    ] = None,
    forward_checking: Annotated[
        bool, typer.Option("--forward-checking", help="Backtrack as soon as any variable has no candidates left.")
    ] = False,
    no_symmetry: Annotated[
        bool,
        typer.Option("--no-symmetry", help="Search symmetric images too, instead of deriving them from each other."),
    ] = False,
    seconds: Annotated[float | None, typer.Option(metavar="S", min=0, help="The maximum time.")] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", min=1, help="The maximum number of assignments.")] = None,
    json: Json = False,
) -> None:
    """Solve a problem with variables and constraints, such as queens, Sudoku or colouring, by backtracking."""
    if first + every + count > 1:
        raise typer.BadParameter("--first, --all and --count: choose one")
    if state is not None and text is not None:
        raise typer.BadParameter("--state and --input: choose one")
    if trace and count:
        raise typer.BadParameter("--trace and --count: choose one; --trace --all shows the whole search")
    rules = load_problem(problem)
    from outplay import Backtracking, Limit

    limit = Limit(seconds=seconds, nodes=nodes)
    cases = _cases(rules, state, text)
    several, answers, interrupted, whole = len(cases) > 1, [], False, True
    summary = "" if text is None else rules.summary(cases)
    if summary and not (json or count):
        say(summary, "dim")
        say()
    for number, (rules, start) in enumerate(cases, 1):
        search = Backtracking(
            rules,
            order=order and order.replace("_", "-"),
            forward_checking=forward_checking,
            symmetry=not no_symmetry,
        )
        if trace:
            tree = search.trace(start, every=every, limit=limit)
            answers.append(tree.as_dict())
            if not json:
                say(str(tree))
            continue
        with live("compiling the rules…") as show:
            solutions = _search(search, start, first, most if every else 0 if count else 1, limit, show)
        answers.append(solutions.as_dict())
        interrupted = solutions.stopped == "interrupted"
        whole = whole and solutions.stopped in ("", "enough")
        if not json and count and text is not None:
            say(f"Case {number}: {'' if solutions.complete else 'at least '}{solutions.count}")
        elif not json:
            if several:
                say(f"Case {number}:", "bold")
            for solution in solutions:
                say(rules.render(solution))
                say()
            say(in_words(solutions, only=not (first or every or count)), "dim" if solutions.solutions else "")
            if several and number < len(cases):
                say()
        if interrupted:
            break
    if json:
        print_json(answers[0] if text is None else {"read": summary, "cases": answers})
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if not whole:
        raise typer.Exit(1)


def _cases(rules: "Problem", state: str | None, text: Path | None) -> list[tuple["Problem", Any]]:
    """The problems to solve, each with the state to start from, None for the initial state."""
    if state is not None:
        return [(rules, rules.parse_state(state))]
    if text is None:
        return [(rules, None)]
    try:
        content = sys.stdin.read().removeprefix("\ufeff") if str(text) == "-" else read_text(text)
    except OutplayError as error:
        raise typer.BadParameter(f"--input: {error}") from None
    except (OSError, UnicodeDecodeError):
        raise typer.BadParameter("--input -: the input is not text") from None
    cases = list(_with_file_in_errors(rules.instances(content), text))
    if not cases:
        raise typer.BadParameter(f"--input {text}: the file contains no problem")
    return cases


def _with_file_in_errors(cases: Iterator[tuple["Problem", Any]], text: Path) -> Iterator[tuple["Problem", Any]]:
    """The same cases. Errors name the file."""
    from outplay.rules.errors import RulesError

    try:
        yield from cases
    except RulesError as error:
        raise RulesError(f"--input {text}: {error}") from error


def _search(search: "Backtracking", start: Any, first: bool, most: int, limit: Any, show: Any) -> "Solutions":
    """The first solution, up to `most` of them, or with `most` 0 their number."""

    def progress(so_far: "Solutions") -> None:
        show(f"{so_far.count:,} solutions, {short(so_far.nodes)} nodes, {so_far.seconds:.1f} s")

    if first:
        return search.first(start, limit=limit, progress=progress)
    if most == 0:
        return search.count(start, limit=limit, progress=progress)
    return search.all(start, most=most, limit=limit, progress=progress)


def in_words(solutions: "Solutions", only: bool) -> str:
    """What was found, in words. With `only`, whether the solution is unique."""
    text = str(solutions)
    if not only or solutions.count == 0:
        return text
    words = {"": "the only solution", "enough": "not the only solution"}
    return words.get(solutions.stopped, "a solution, perhaps others") + text[text.index(",") :]
