"""The Elo of the levels of built-in games, which come with outplay: `src/outplay/session/levels.json`.

    python -m benchmarks.levels                          all of them, which takes hours
    python -m benchmarks.levels connect-four:alpha-beta  some of them
    python -m benchmarks.levels --games 1000             more games, for narrower intervals

Each is a ladder from random moves on, as `outplay ladder GAME --vary level=1..6 --levels FILE` plays it. The levels
have no limits of time, so the load of the machine does not matter.
"""

from pathlib import Path
from typing import Annotated

import typer

import outplay.session
from outplay.arena import Ladder, LadderScore, save_levels
from outplay.session.levels import built_in
from outplay.session.load import load_game

FILE = Path(outplay.session.__file__).with_name("levels.json")
PLANS = {
    "tic-tac-toe:alpha-beta": 5, "connect-four:alpha-beta": 7, "breakthrough:alpha-beta": 6, "kalah:alpha-beta": 7,
    "othello:alpha-beta": 6, "domineering:alpha-beta": 6, "dots-and-boxes:alpha-beta": 6, "hex:alpha-beta": 4,
    "nine-mens-morris:alpha-beta": 5, "english-draughts:alpha-beta": 6, "chess:alpha-beta": 5, "oware:alpha-beta": 7,
    "tic-tac-toe:mcts": 4, "connect-four:mcts": 6, "hex:mcts": 6, "breakthrough:mcts": 5, "kalah:mcts": 5,
    "othello:mcts": 5, "pig:mcts": 4,
}  # fmt: skip
"""The highest level that is measured."""
GAMES = 300


def table() -> str:
    """The lines of the table in docs/ladder.md."""
    lines = []
    for each in built_in():
        elos = ", ".join(f"{level.elo:.0f}" for level in each.levels)
        widest = max((level.high or 0) - level.elo for level in each.levels)
        lines.append(
            f"| {each.game.removesuffix('()')} | {each.algorithm} | {elos} (±{widest:.0f} at most) | {each.games} |\n"
        )
    return "".join(lines)


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def main(
    names: Annotated[list[str] | None, typer.Argument(help="GAME:SEARCH; without a name, all of them.")] = None,
    games: Annotated[int, typer.Option(min=1, help="The number of games of each pair of levels.")] = GAMES,
    workers: Annotated[int, typer.Option(min=1, help="The number of processes.")] = 1,
    top: Annotated[
        int | None, typer.Option(min=2, max=10, help="The highest level, instead of the planned one.")
    ] = None,
    file: Annotated[Path, typer.Option(help="The file of levels.")] = FILE,
    only_table: Annotated[
        bool, typer.Option("--table", help="Print the table of docs/ladder.md, without games.")
    ] = False,
) -> None:
    """Measure the Elo of levels, and write the file."""
    if only_table:
        print(table(), end="")
        return
    for name in names or PLANS:
        game, _, algorithm = name.partition(":")
        level = top or PLANS[name]
        ladder = Ladder.of(load_game(game), algorithm, f"level=1..{level}", below="random", games=games)
        ladder.check()
        score = LadderScore(ladder)
        for found in ladder.run(workers=workers):
            score.add(found)
        result = score.result()
        save_levels(result, file)
        print(name, [round(each.elo) for each in result.elos], f"{result.repeated} repeated", flush=True)


if __name__ == "__main__":
    app()
