"""A Go match with GNU Go 3.8, by the Go Text Protocol: how many games does outplay win?

They play on a board of 9 x 9, with komi 7.5 and alternating colours; each game has a seed for each program. GNU Go is
the referee: it must accept each move of outplay as legal, and outplay each of its moves; otherwise the two disagree
about the rules. When both have passed, GNU Go decides who has won, by area (`--chinese-rules`), without the stones that
it judges to be dead.

Outplay counts all stones as alive and would lose by passing where it wins only by that count. GNU Go is therefore told
to capture dead stones before it passes (`--capture-all-dead`), as is usual between programs under the rules of Tromp
and Taylor. The row notes in how many games the two counts still have different winners. A game of more than three moves
per point is stopped, and GNU Go decides who would win; the row notes it as adjudicated.

Reading order: `rows` (the match), `play` (one game), `Program` (the other side of the protocol).
"""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import typer

from benchmarks.common import Disagreement, Plan, Row
from outplay import Game, Limit
from outplay.cli.gtp import suited
from outplay.cli.searchers import searcher_for
from outplay.engine.searcher import Searcher
from outplay.games import Go
from outplay.montecarlo.answer import wilson
from outplay.protocols import GoEngine
from outplay.rules.errors import IllegalAction
from outplay.session.algorithms import takes

COMMAND = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
"""The path of GNU Go, if it is installed."""
MISSING = "not installed: GNU Go 3.8, https://www.gnu.org/software/gnugo/, or apt install gnugo"
SIZE, KOMI, GAMES, SECONDS = 9, 7.5, 40, 10.0
QUICK_SIZE, QUICK_GAMES, QUICK_SECONDS, QUICK_LEVEL = 5, 2, 0.1, 1
OPTIONS = ("--mode", "gtp", "--chinese-rules", "--capture-all-dead")
COLOURS = ("black", "white")
LETTERS = "BW"


class Player(Protocol):
    """A program that answers commands of GTP; raises `IllegalAction` if the answer is an error."""

    def ask(self, command: str) -> str:
        """The answer to a command."""


class Program:
    """A program that plays Go by GTP."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> str:
        """The answer to a command."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        answer = ""
        while not answer.endswith("\n\n"):
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"{self.process.args!r} has ended at {command!r}")
            answer += line
        return content(command, answer)

    def close(self) -> None:
        """End the program."""
        self.process.communicate("quit\n", timeout=60)


class Outplay:
    """Outplay, in this process."""

    def __init__(self, engine: GoEngine) -> None:
        self.engine = engine

    def ask(self, command: str) -> str:
        """The answer to a command."""
        return content(command, self.engine.answer(command))


def content(command: str, answer: str) -> str:
    """The content of a response; raises `IllegalAction` if it is an error."""
    sign, text = answer[:1], answer[1:].strip()
    if sign != "=":
        raise IllegalAction(f"{command}: {text}")
    return text


@dataclass(frozen=True)
class Result:
    """One game. `winner` is 0 for black, 1 for white, None for a draw; `score` as in SGF, such as B+3.5 or W+R."""

    winner: int | None
    score: str
    area: str  # the score with all stones alive
    moves: int
    adjudicated: bool
    sgf: str

    @property
    def differs(self) -> bool:
        """Whether another player wins if all stones are alive."""
        return self.winner is not None and not self.score.endswith("R") and self.area[:1] != self.score[:1]


def rows(plan: Plan) -> Iterator[Row]:
    """One row: the share of games that outplay wins."""
    size, games, level = (
        (QUICK_SIZE, QUICK_GAMES, QUICK_LEVEL) if plan.quick else (SIZE, plan.games or GAMES, plan.level)
    )
    seconds = QUICK_SECONDS if plan.quick else plan.seconds or SECONDS
    row = Row(what=f"{games} games, {size} x {size}, {seconds:g} s a move", unit="%", peer=f"GNU Go, level {level}")
    if COMMAND is None:
        yield replace(row, note=MISSING)
        return
    game, command = Go(size, komi=KOMI), COMMAND
    algorithm = suited(game)
    if plan.sgf is not None:
        plan.sgf.mkdir(parents=True, exist_ok=True)

    def one(number: int) -> Result:
        def searcher(game: Game) -> Searcher:
            return searcher_for(game, algorithm, reuse=True, seed=number if takes(algorithm, "seed") else None)

        theirs = Program([command, *OPTIONS, "--level", str(level), "--seed", str(number + 1)])
        try:
            return play(Outplay(GoEngine(game, searcher, Limit(seconds=seconds))), theirs, game, mine=number % 2)
        finally:
            theirs.close()

    yield match(replace(row, note=algorithm), games, one, plan.sgf)


def match(row: Row, games: int, play_one: Callable[[int], Result], folder: Path | None = None) -> Row:
    """`row` with the results of all games; in games 0, 2, …, outplay is black.

    Each result is printed. With a folder, it is also appended to `results.txt` there, and each game is saved as a file.
    """
    points, by_colour, results = 0.0, [0, 0], list[Result]()
    lines = []
    for number in range(games):
        result, mine = play_one(number), number % 2
        results.append(result)
        won = result.winner == mine
        by_colour[mine] += won
        points += 0.5 if result.winner is None else won
        told = f"game {number + 1}: outplay is {COLOURS[mine]}, {result.score}, {result.moves} moves" + (
            ", adjudicated" if result.adjudicated else ""
        )
        lines.append(told)
        if sys.stderr.isatty():
            typer.echo(f"\r\x1b[K{told}; {points:g} of {number + 1} for outplay", nl=False, err=True)
        if folder is not None:
            (folder / f"game_{number + 1:03}.sgf").write_text(f"{result.sgf}\n")
            (folder / "results.txt").write_text("".join(f"{line}\n" for line in lines))
    if sys.stderr.isatty():
        typer.echo("\r\x1b[K", nl=False, err=True)
    low, high = wilson(points, games)
    share = 100 * points / games
    lost = sum(result.winner == 1 - number % 2 for number, result in enumerate(results))
    notes = [
        row.note,
        f"won {by_colour[0]} of {games - games // 2} as black, {by_colour[1]} of {games // 2} as white",
        f"{sum(result.moves for result in results) / games:.0f} moves a game",
        f"{sum(result.adjudicated for result in results)} adjudicated",
        f"{sum(result.differs for result in results)} with another winner if all stones are alive",
    ]
    return replace(
        row,
        ours=share,
        theirs=None,
        agree=f"{sum(by_colour)} won, {lost} lost; 95 % interval {100 * low:.0f} to {100 * high:.0f} %",
        note="; ".join(filter(None, notes)),
    )


def play(ours: Player, theirs: Player, game: Go, mine: int, most: int | None = None) -> Result:
    """Play one game of at most `most` moves, by default three per point. `mine` is outplay's colour, 0 for black.

    Raises `Disagreement` if one does not accept a move of the other as legal.
    """
    for each in ours, theirs:
        for command in f"boardsize {game.size}", "clear_board", f"komi {game.komi:g}":
            each.ask(command)
    most, players = most or 3 * game.size**2, (ours, theirs) if mine == 0 else (theirs, ours)
    state, actions, passes, turn = game.initial_state(), list[int](), 0, 0
    resigned = False
    while passes < 2 and len(actions) < most:
        move = players[turn].ask(f"genmove {COLOURS[turn]}")
        if move.lower() == "resign":
            resigned = True
            break
        try:
            players[1 - turn].ask(f"play {COLOURS[turn]} {move}")
            actions.append(game.parse_action(state, move))
        except IllegalAction as error:
            played = " ".join(map(str, actions))
            raise Disagreement(f"move {len(actions) + 1}, {move} of {COLOURS[turn]}: {error}; {played}") from None
        state = game.result(state, actions[-1])
        passes = passes + 1 if actions[-1] == game.passing else 0
        turn = 1 - turn
    area = ours.ask("final_score")
    score = f"{LETTERS[1 - turn]}+R" if resigned else theirs.ask("final_score")
    names = ("outplay", "GNU Go") if mine == 0 else ("GNU Go", "outplay")
    head = f"FF[4]RU[Chinese]PB[{names[0]}]PW[{names[1]}]RE[{score}]"
    return Result(
        winner=LETTERS.index(score[0]) if score[0] in LETTERS else None,
        score=score,
        area=area,
        moves=len(actions),
        adjudicated=not resigned and passes < 2,
        sgf=game.to_sgf(actions).replace("FF[4]", head, 1),
    )
