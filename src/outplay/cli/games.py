"""`outplay games`: the available games."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import inspect
from typing import Annotated, Any

import typer

from outplay.cli.options import Csv, Json
from outplay.cli.output import picture, print_csv, print_json, say, stdout
from outplay.rules.constant_sum import total
from outplay.rules.errors import RulesError
from outplay.rules.game import Game
from outplay.session.load import class_called, load_game, parameters, plug_ins

EXAMPLES = (
    "Examples:",
    "  outplay games",
    "  outplay games connect-four",
    "  outplay games my_game.py:MyGame",
)


def games(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="Show only this game, with its board.")] = None,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the built-in games and those of plug-ins, or show one."""
    if game is not None and csv:
        raise typer.BadParameter("--csv is for the list of all games")
    if game is not None:
        from outplay.games import BUILT_IN

        name = game.strip().lower().replace("_", "-")
        if name in BUILT_IN and not can_be_made(cls := class_called(name)):
            print_class(cls, json)
        else:
            one(load_game(game), json)
        return
    from outplay.games import BUILT_IN

    rows = [_row(name) for name in sorted([*BUILT_IN, *plug_ins()])]
    if csv:
        print_csv(rows)
        return
    if json:
        print_json(rows)
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table("game", "what it is, and its parameters", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for row in rows:
        lines = Text(row["description"])
        if row["parameters"]:
            lines.append(f"\n({row['parameters']})", "dim")
        table.add_row(row["name"], lines)
    stdout().print(table)


def _row(name: str) -> dict[str, Any]:
    try:
        return {"name": name, **described(class_called(name))}
    except RulesError as error:  # a broken plug-in does not hide the others
        return {"name": name, "class": "", "parameters": "", "description": str(error)}


def described(cls: type[Game]) -> dict[str, str]:
    """The name, parameters and description of a class of games."""
    return {
        "class": f"{cls.__module__}.{cls.__qualname__}",
        "parameters": str(parameters(cls))[1:-1],
        "description": (inspect.getdoc(cls) or "").partition("\n")[0],
    }


def can_be_made(cls: type[Game]) -> bool:
    """Whether a class needs no parameters."""
    try:
        parameters(cls).bind()
    except TypeError:
        return False
    return True


def print_class(cls: type[Game], json: bool) -> None:
    """Print a class that needs parameters: its description and its parameters, without a board."""
    if json:
        print_json({"game": cls.__name__, **described(cls)})
        return
    say(cls.__name__, "bold")
    say(description(cls))
    say(f"\nParameters: {described(cls)['parameters']}")


def description(cls: type[Game]) -> str:
    """The text of a class up to its first example."""
    return (inspect.getdoc(cls) or "").partition(">>>")[0].strip()


def one(game: Game, json: bool) -> None:
    """Print a game: its description, its parameters and its initial state."""
    state = game.initial_state()
    if json:
        facts: dict[str, Any] = {"players": game.players, "zero_sum": total(game) == 0, "has_chance": game.has_chance}
        facts |= {"constant_sum": total(game)} if game.constant_sum else {}
        hidden = {"hidden_information": game.hidden_information}
        print_json({"game": repr(game), **described(type(game)), **facts, **hidden, "initial": game.render(state)})
        return
    say(repr(game), "bold")
    say(description(type(game)))
    say(f"\nParameters: {described(type(game))['parameters'] or 'none'}\n")
    say(picture(game, state))
