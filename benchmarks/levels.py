"""The Elo of the levels of built-in games, which come with outplay: `src/outplay/session/levels.json`.

    python -m benchmarks.levels                   those that are planned and not yet in the file, which takes hours
    python -m benchmarks.levels connect-four pig  some of them, anew
    python -m benchmarks.levels --games 1000      more games, for narrower intervals
    python -m benchmarks.levels --table           the table of docs/ladder.md, without games

Each is a ladder from random moves on, as `outplay ladder GAME --vary level=0.5,1,2 --levels FILE` plays it. The levels
have no limits of time, so the load of the machine does not matter. The file is written after each game.
"""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

import outplay.session
from outplay.arena import Ladder, LadderScore, save_levels
from outplay.arena.contest import Repeats
from outplay.rules.game import Game
from outplay.session.algorithms import suited
from outplay.session.levels import LEVELS, Calibration, Level, built_in, read_calibrations
from outplay.session.load import load_game

FILE = Path(outplay.session.__file__).with_name("levels.json")
PLANS = {
    "tic-tac-toe": ("0.25,0.5,0.75,0.9,1,2,3", 200),
    "connect-four": ("0.25,0.5,0.75,0.9,1,2,3,4,5,6,7", 100),
    "kalah": ("0.5,0.75,1,2,2.5,3,4,5", 40),
    "othello": ("0.5,1,2,2.5,3,3.5,4", 40),
    "nim": ("0.5,1,2,2.5,3,3.5,4,4.5,5", 100),
    "phantom-tic-tac-toe": ("1,2,3,5", 60),
    "domineering": ("0.5,1,2,2.25,2.5,2.75,3,4", 60),
    "dots-and-boxes": ("0.5,0.75,1,2,3,4", 40),
    "pig": ("0.25,0.5,0.75,1,3", 40),
    "mnk": ("0.5,1,2,3", 40),
    "oware": ("0.5,0.75,1,2.25,2.5,2.75,3,4", 40),
    "breakthrough": ("0.25,0.5,0.75,0.9,1,2,3,4", 40),
    "einstein": ("0.5,0.75,1,2,3", 40),
    "liars-dice": ("0.5,1,2,3", 40),
    "goofspiel": ("0.5,1,2,3", 40),
    "english-draughts": ("0.5,0.75,1,2,2.5,3", 40),
    "nine-mens-morris": ("0.5,0.75,1,2,2.5,3", 40),
    "hex": ("0.5,0.75,1,2,3", 40),
    "gomoku": ("0.5,0.75,0.9,1,2,3", 40),
    "dark-hex": ("0.5,1,2,3", 40),
    "battleship": ("4,6,8", 100),
    "international-draughts": ("0.5,0.75,1,2,3", 40),
    "chess": ("0.5,0.75,0.9,1,2", 40),
    "backgammon": ("0.5,0.75,1", 40),
    "xiangqi": ("0.5,0.75,0.9,1,2", 40),
    "chinese-checkers": ("2.25,2.5,2.75,3,4", 40),
    "go": ("0.5,0.75,1,2", 40),
    "superko-go": ("0.5,0.75,1,2", 40),
}
"""The levels of each game, and the number of games of each pair of neighbours; the quickest first. `GAME:SEARCH` is
with another search than the one that suits the game.
"""
LEFT_OUT = {
    "kuhn-poker": "what counts is the size of stakes", "leduc-poker": "what counts is the size of stakes",
    "river-poker": "what counts is the size of stakes", "matching-pennies": "nothing beats random moves",
    "rock-paper-scissors": "nothing beats random moves",
}  # fmt: skip
"""Games of two players with opposed interests whose ladder would say nothing, and why."""
NUMBERS = [number / 20 for number in range(20 * len(LEVELS) + 1)]
"""The numbers that levels may have."""


def numbers(calibration: Calibration) -> list[float]:
    """The numbers of the levels of a calibration."""
    number_by_level = {Level.at(calibration.algorithm, number): number for number in NUMBERS}
    return [number_by_level[level.level] for level in calibration.levels]


def table() -> str:
    """The table in docs/ladder.md, and the games that are still missing."""
    rows = [
        (calibration, dict(zip(numbers(calibration), calibration.levels, strict=True))) for calibration in built_in()
    ]
    columns = sorted({number for _, levels in rows for number in levels if number})
    lines = [
        _line(["game", "search", *(f"{number:g}" for number in columns), "±", "games"]),
        _line(["---"] * 2 + ["---:"] * (len(columns) + 2)),
    ]
    for calibration, levels in rows:
        elos = [f"{levels[number].elo:.0f}" if number in levels else "" for number in columns]
        widest = max((level.high or 0) - level.elo for level in calibration.levels)
        name = calibration.game.removesuffix("()")
        lines.append(_line([name, calibration.algorithm, *elos, f"{widest:.0f}", str(calibration.games)]))
    if later := missing(FILE):
        lines.append(f"\nNot yet measured as planned: {', '.join(later)}.\n")
    return "".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def missing(file: Path) -> list[str]:
    """The planned games that are not in the file with these levels."""
    calibrations = read_calibrations(file.read_text("utf-8"), file) if file.exists() else ()
    numbers_in_file = {(calibration.game, calibration.algorithm): numbers(calibration) for calibration in calibrations}
    names = []
    for name, (levels, _) in PLANS.items():
        game, search = of(name)
        if numbers_in_file.get((repr(game), search)) != [0, *map(float, levels.split(","))]:
            names.append(name)
    return names


def of(name: str) -> tuple[Game, str]:
    """The game and the search of a name."""
    text, _, search = name.partition(":")
    game = load_game(text)
    return game, search or suited(game)


app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def main(
    names: Annotated[list[str] | None, typer.Argument(help="Games; without a name, those that are missing.")] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="The number of games of each pair of levels, instead of the planned one.")
    ] = None,
    levels: Annotated[
        str | None, typer.Option(help="The levels, such as 0.5,1,2, instead of the planned ones.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="The number of processes.")] = 1,
    file: Annotated[Path, typer.Option(help="The file of levels.")] = FILE,
    only_table: Annotated[
        bool, typer.Option("--table", help="Print the table of docs/ladder.md, without games.")
    ] = False,
) -> None:
    """Measure the Elo of levels, and write the file."""
    if only_table:
        print(table(), end="")
        return
    for name in names or missing(file):
        planned, number = PLANS.get(name, ("0.5,0.75,1,2,3", 100))
        (game, search), start = of(name), time.process_time()
        ladder = Ladder.of(game, search, f"level={levels or planned}", below="random", games=games or number, seed=0)
        ladder.check()
        score, repeats = LadderScore(ladder), Repeats()
        for round_ in ladder.run(workers=workers):
            score.add(round_)
            repeats.add(round_)
        result = score.result()
        save_levels(result, file)
        rungs = ", ".join(
            f"{rung.label}: {rating.elo:.0f}" for rung, rating in zip(result.rungs, result.elos, strict=True)
        )
        print(f"{name} ({time.process_time() - start:.0f} s, {repeats.count} rounds repeated): {rungs}", flush=True)


if __name__ == "__main__":
    app()
