"""What the commands print: answers, warnings, boards, values in words, and a live line while a search runs."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

import typer

from outplay.rules.game import Game
from outplay.rules.wording import STEERS, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.segment import Segment
    from rich.text import Text

    from outplay.engine.analysis import ActionValue, Analysis

STEERING = re.compile(f"[{''.join(map(chr, STEERS))}]".replace("\n", ""))
"""A character that steers a terminal, other than the end of a line."""
STYLES = ("bold red", "bold cyan", "bold yellow", "bold green", "bold magenta", "bold blue")
"""The style of each player's marks."""


@cache
def stdout() -> "Console":
    """The console for answers."""
    return _console()


@cache
def stderr() -> "Console":
    """The console for errors and progress."""
    return _console(stderr=True)


def _console(**options: Any) -> "Console":
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Let `report_errors` handle it. Rich would exit with code 1."""
            raise BrokenPipeError

        def render_str(self, text: str, **options: Any) -> "Text":
            """Before it is measured, so that columns are wide enough."""
            return super().render_str(visible(text), **options)

        def render(self, *renderable: Any, **options: Any) -> "Iterable[Segment]":
            """All that is printed comes by here; texts from files and players must not steer the terminal."""
            for segment in super().render(*renderable, **options):
                yield segment if segment.control else segment._replace(text=visible(segment.text))

    return Output(highlight=False, markup=False, emoji=False, **options)


def say(text: "str | Text" = "", style: str = "") -> None:
    """Print a line of an answer, without wrapping it."""
    stdout().print(text, style=style, soft_wrap=True)


def complain(kind: str, style: str, text: str) -> None:
    """Print an error or a warning."""
    stderr().print(f"{kind}:", style=style, end=" ")
    stderr().print(text, soft_wrap=True)


def print_json(data: Any) -> None:
    """Print plain data as JSON. In texts, characters that would steer the terminal are escaped."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    typer.echo(STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


def print_csv(rows: Iterable[dict[str, Any]]) -> None:
    """Print a table as CSV (RFC 4180), with a column for each name.

    >>> print_csv([{"name": "a", "elo": {"low": 1, "high": 3}, "line": ["b2", "a1"]}, {"name": 'the "b", too'}])
    name,elo.low,elo.high,line
    a,1,3,b2 a1
    "the ""b"", too",,,
    """
    import csv
    import io

    flat = [_flat(row) for row in rows]
    if not flat:
        return
    file = io.StringIO()
    writer = csv.DictWriter(file, list(dict.fromkeys(name for row in flat for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    typer.echo(visible(file.getvalue()), nl=False)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with a text or a number for each name; what is within has both names, or a number instead of the second."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        is_list = isinstance(value, list) and any(isinstance(part, dict) for part in value)
        parts = {str(number): part for number, part in enumerate(value, start=1)} if is_list else value
        if isinstance(parts, dict):
            flat |= {f"{name}.{inner}": part for inner, part in _flat(parts).items()}
        elif isinstance(value, list | tuple):
            flat[name] = " ".join(map(str, value))
        else:
            flat[name] = value
    return flat


def picture(game: Game, state: Any) -> "Text":
    """`state` as the game draws it, with the `player_marks` of the game in colour, except in the names of columns."""
    from rich.text import Text

    picture = Text()
    for line in game.render(state).splitlines(keepends=True):
        text, names = Text(line), line.split()
        if not ("".join(names).isalpha() and len(names) == len("".join(names)) > 1 and names == sorted(set(names))):
            for marks, style in zip(game.player_marks, STYLES, strict=False):
                text.highlight_regex(rf"(?<!\w)[{re.escape(marks)}](?!\w)", style)
        picture.append_text(text)
    return picture


def outcome(game: Game, utilities: Sequence[float]) -> str:
    """The result of a game in its words."""
    from outplay.rules.user_code import text_of_rule

    return text_of_rule(game, "result_text", utilities)


def short(number: float) -> str:
    """A number with three digits: 950, 1.23 k, 45.6 M."""
    units = ["", " k", " M", " G"]
    while number >= 999.5 and len(units) > 1:
        number, units = number / 1000, units[1:]
    return f"{number:.3g}{units[0]}"


def amount(analysis: "Analysis") -> str:
    """How much was searched: the number of simulations or, without any, of nodes."""
    if analysis.simulations is not None:
        return f"{short(analysis.simulations)} simulations"
    return f"{short(analysis.nodes)} nodes"


def speed(analysis: "Analysis") -> str:
    """Simulations or nodes per second."""
    number, unit = (analysis.nodes, "nodes") if analysis.simulations is None else (analysis.simulations, "simulations")
    return f"{short(number / max(analysis.seconds, 1e-3))} {unit}/s"


def worth(analysis: "Analysis", row: "ActionValue | None" = None) -> str:
    """A value, or that of an action, in the words of the game: "win in 9" if it is proved, else "about +0.05"."""
    if row is not None:
        return analysis.row_text(row) if row.exact else f"about {analysis.row_text(row)}"
    return analysis.text if analysis.exact else f"about {analysis.text}"


def progress_line(analysis: "Analysis") -> str:
    """The analysis so far in one line."""
    answer = []
    if analysis.action is not None:
        answer = [f"depth {analysis.depth}", worth(analysis), analysis.line_text()]
    work = [f"{analysis.seconds:.1f} s", amount(analysis), speed(analysis)]
    return "  ".join([*answer[:2], *work, *answer[2:]])


@contextmanager
def live(text: str) -> Iterator[Callable[[str], None]]:
    """A line on the terminal that shows progress and disappears at the end. It yields the function that changes it.

    Nothing is shown if standard error is not a terminal. A terminal that is closed meanwhile is not an error, since
    results still have to be saved.
    """
    console = stderr()
    if not console.is_terminal:
        yield lambda text: None
        return
    from rich.text import Text

    def show(text: str) -> None:
        line = Text(text)
        line.truncate(console.width - 3, overflow="ellipsis")
        with suppress(OSError):
            status.update(line)

    status = console.status("")
    with suppress(OSError):
        status.start()
    try:
        show(text)
        yield show
    finally:
        with suppress(OSError):
            status.stop()


@contextmanager
def live_search() -> Iterator["Callable[[Analysis], None]"]:
    """A live line for a search. It yields a function for `progress`."""
    with live("compiling the rules…") as show:
        yield lambda analysis: show(progress_line(analysis))
