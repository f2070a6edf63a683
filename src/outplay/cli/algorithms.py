"""`outplay algorithms`: lists the algorithms and their options."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import inspect
import re
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outplay.cli.options import Json
from outplay.cli.output import print_json, say, stdout
from outplay.cli.searchers import read_algorithm
from outplay.session.algorithms import SEARCHES, searcher_class
from outplay.session.searchers import settable

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher

EXAMPLES = (
    "Examples:",
    "  outplay algorithms",
    "  outplay algorithms mcts",
    "  outplay analyse go --algorithm mcts --set rave=true --set playouts=random",
)


def algorithms(
    algorithm: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", parser=read_algorithm, help="Show the options of this algorithm."),
    ] = None,
    json: Json = False,
) -> None:
    """List the algorithms, or the options of one, for --set."""
    if algorithm is None:
        rows = [{"algorithm": name, "description": first_sentence(searcher_class(name))} for name in SEARCHES]
    else:
        rows = options(searcher_class(algorithm))
    if json:
        print_json(rows)
        return
    from rich import box
    from rich.table import Table

    if algorithm is not None:
        say(first_sentence(searcher_class(algorithm)) + "\n")
    table = Table(*rows[0], box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for row in rows:
        table.add_row(*map(str, row.values()))
    stdout().print(table)


def first_sentence(kind: "type[Searcher]") -> str:
    """The first sentence of the description of an algorithm."""
    return (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")


def options(kind: "type[Searcher]") -> list[dict[str, Any]]:
    """The options that `--set` accepts, their defaults, and their descriptions in the class."""
    meanings: dict[str, str] = {}
    for cls in reversed(kind.__mro__):
        text = inspect.cleandoc(cls.__doc__ or "")
        for name, lines in re.findall(r"^    (\w+): (.*(?:\n     +.*)*)", text, re.MULTILINE):
            meanings[name] = re.sub(r"\s+", " ", lines)
    names = settable(kind)
    return [
        {
            "option": field.name,
            "default": "" if field.default is MISSING else field.default,
            "meaning": meanings.get(field.name, ""),
        }
        for field in fields(kind)
        if field.name in names
    ]
