"""How `outplay equilibrium` shows what it found: values and the curve, strategies as tables, a matrix game."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import math
from typing import TYPE_CHECKING

from outplay.cli.output import say, stdout

if TYPE_CHECKING:
    from outplay.equilibrium import GameTree, MixedEquilibria, Point, Solution, Strategy

LINES = 30
"""The number of information sets printed for each player."""
POINTS = 8
"""The number of points of the curve that are printed."""
BARS = "▁▂▃▄▅▆▇█"


def show_values(tree: "GameTree | None", strategy: "Strategy", solution: "Solution | None") -> None:
    """Print the values, the distance from an equilibrium, and how it fell."""
    from rich.table import Table

    from outplay.equilibrium import gains, values
    from outplay.equilibrium.tree import player_name

    game = strategy.game
    table = Table("player", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("value", justify="right")
    if tree is not None:
        sets = " + ".join(f"{number:,}" for number in tree.first_set[1:] - tree.first_set[:-1])
        say(f"{tree.game!r}: {tree.nodes:,} nodes, {sets} information sets", "bold")
        table.add_column("a best response would gain", justify="right")
        gained = gains(strategy, tree)
        for player, (value, gain) in enumerate(zip(values(strategy, tree), gained, strict=True)):
            table.add_row(player_name(game, player), f"{value:+.6f}", f"{gain:.2g}")
        stdout().print(table)
        say(f"exploitability {sum(gained) / tree.players:.3g}")
    elif solution is not None:
        sets = " + ".join(f"{(strategy.owner == player).sum():,}" for player in range(game.players))
        say(f"{game!r}: {sets} information sets were reached", "bold")
        for player, value in enumerate(solution.values):
            table.add_row(player_name(game, player), f"{value:+.4f}")
        stdout().print(table)
        say("values are means over all games played so far; the exploitability is not known without the tree")
        if not solution.iterations:
            say("no iteration was completed: use more time, or --algorithm outcome, whose iterations are shorter")
    if solution is None:
        return
    stopped = "" if solution.stopped != "interrupted" else ", interrupted"
    say(f"{solution.solver}: {solution.iterations:,} iterations in {solution.seconds:.2f} s{stopped}", "dim")
    points = points_shown([point for point in solution.curve if point.iterations > 0])
    if tree is not None and len(points) > 1:
        say()
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim", style="dim")
        for name in ("iterations", "time", "exploitability"):
            table.add_column(name, justify="right")
        for point in points:
            table.add_row(f"{point.iterations:,}", f"{point.seconds:9.3f} s", f"{point.exploitability:.3g}")
        stdout().print(table)


def points_shown(curve: list["Point"]) -> list["Point"]:
    """Some points of a curve, including the last."""
    step = max(1, math.ceil((len(curve) - 1) / (POINTS - 1)))
    return curve[::-1][::step][::-1]


def show_table(strategy: "Strategy", player: int, most: int | None) -> None:
    """Print the strategy of a player."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from outplay.equilibrium.formatting import actions_of, cells
    from outplay.equilibrium.tree import player_name

    table_rows = list(strategy.rows(player, most))
    columns = actions_of(table_rows)
    table = Table(f"{player_name(strategy.game, player)} knows", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in columns or ["does"]:
        table.add_column(name.rjust(6) if columns else name)
    for row in table_rows:
        shares = zip(cells(row, columns), [*columns, ""], strict=False)  # aligned at the decimal point
        table.add_row(row.knows, *(Text(text.rjust(max(6, len(name))), style_of(text)) for text, name in shares))
    say()
    stdout().print(table)
    left = strategy.sets_of(player) - len(table_rows)
    if left > 0:
        say(f"… and {left:,} later decisions; --lines 0 shows all, --lines N more or fewer", "dim")


def style_of(cell: str) -> str:
    """Actions that are never played are dim, actions that are always played are bold."""
    return {"0": "dim", "1": "bold"}.get(cell.strip(), "")


def show_matrix(equilibria: "MixedEquilibria") -> None:
    """Print the payoffs and all equilibria."""
    from rich import box
    from rich.table import Table

    game = equilibria[0].game
    say(str(game))
    say(f"\n{equilibria.summary()}", "bold")
    table = Table("", "", *game.players, "they expect", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for number, equilibrium in enumerate(equilibria[:LINES], start=1):
        parts = equilibrium.parts()
        played = (
            ", ".join(f"{name}: {chance}" for name, chance in mixed.items()) if len(mixed) > 1 else next(iter(mixed))
            for _, mixed, _ in parts
        )
        kind = "pure" if equilibrium.is_pure else "mixed"
        table.add_row(str(number), kind, *played, ", ".join(value for *_, value in parts))
    say()
    stdout().print(table)
    if len(equilibria) > LINES:
        say(f"… and {len(equilibria) - LINES:,} more; --json lists them all", "dim")


def show_files(files: list[str]) -> None:
    """Print which files were written."""
    if files:
        say("\n" + "; ".join(files), "dim")


def sparkline(numbers: list[float], width: int = 24) -> str:
    """The last numbers of a curve as a line of bars, on a logarithmic scale.

    >>> sparkline([1, 0.1, 0.01])
    '█▅▁'
    """
    logs = [math.log(number) for number in numbers[-width:] if 0 < number < math.inf]
    if len(logs) < 2 or max(logs) == min(logs):
        return ""
    unit = (len(BARS) - 1) / (max(logs) - min(logs))
    return "".join(BARS[round((log - min(logs)) * unit)] for log in logs)
