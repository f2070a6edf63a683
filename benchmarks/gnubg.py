"""A Backgammon match with GNU Backgammon: how many points per game does outplay win?

They play without the cube; a gammon counts 2, a backgammon 3. The dice are drawn here, from a seed; each pair of games
has the same dice, with the players exchanged, to reduce luck. GNU Backgammon is asked on its command line for its best
turn (`hint`). Its depth is in its own plies: with 0 it considers only its own turn. It must understand every position,
and its turns must be legal here; otherwise the two disagree about the rules.

Reading order: `match`, `play` (one game), `Program` (the other side).
"""

import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import sqrt
from re import search

import numpy as np

from benchmarks.common import Disagreement, Plan, Row
from outplay import Expectiminimax, Limit
from outplay.games import Backgammon
from outplay.games.backgammon import Position
from outplay.rules.errors import IllegalAction
from outplay.rules.game import CHANCE

COMMAND = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
"""The path of GNU Backgammon, if it is installed."""
MISSING = "not installed: GNU Backgammon, https://www.gnu.org/software/gnubg/, or apt install gnubg"
GAMES, QUICK_GAMES = 200, 2
PLIES = 0
DEPTHS = (1, "its own turn"), (2, "also the other's throw and turn")
SETTINGS = (
    "set automatic game off",
    "set automatic roll off",
    "set automatic move off",
    "set automatic bearoff off",
    "set player 0 human",
    "set player 1 human",
    "set jacoby off",
    "set cube use off",
    "set display off",
    "set evaluation chequerplay evaluation cubeful off",
    "set evaluation chequerplay evaluation noise 0",
)
LAST, LAST_WORDS = "show beavers", "beavers/raccoons"
"""The last command, and the words in its answer that identify it."""


class Program:
    """GNU Backgammon, on its command line."""

    def __init__(self, command: str, plies: int) -> None:
        self.process = subprocess.Popen(
            [command, "--tty", "--quiet"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        self.ask(*SETTINGS, f"set evaluation chequerplay evaluation plies {plies}", "new session")

    def ask(self, *commands: str) -> str:
        """Its answer to these commands."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("".join(f"{command}\n" for command in (*commands, LAST)))
        self.process.stdin.flush()
        answer = ""
        for line in self.process.stdout:
            if LAST_WORDS in line:
                return answer
            answer += line
        raise RuntimeError(f"{self.process.args!r} has ended: {answer}")

    def best(self, game: Backgammon, position: Position) -> int:
        """Its best turn."""
        text = game.state_text(position)
        answer = self.ask(f"set gnubgid {text}", "hint 1")
        turn = search(r" 1\. \w+ \d-ply +(.*?) +Eq\.:", answer)
        if turn is None:
            raise Disagreement(f"{text}: GNU Backgammon says {answer!r}")
        try:
            return game.parse_action(position, turn[1])
        except IllegalAction as error:
            raise Disagreement(f"{text}: {error}") from None

    def close(self) -> None:
        """End the program."""
        self.process.kill()
        self.process.communicate()


def rows(plan: Plan) -> Iterator[Row]:
    """One row for each depth of `Expectiminimax`: points per game, with the standard error of the mean."""
    pairs = (QUICK_GAMES if plan.quick else plan.games or GAMES) // 2 or 1
    for depth, words in DEPTHS:
        row = Row(
            what=f"{2 * pairs} games, outplay looks at {words}",
            unit="points a game",
            peer=f"GNU Backgammon, {PLIES} plies",
            note=f"dice by the seeds 1 to {pairs}; neither program plays at random",
        )
        if COMMAND is None:
            yield replace(row, note=MISSING)
            continue
        yield match(row, Backgammon(), depth, pairs)


def match(row: Row, game: Backgammon, depth: int, pairs: int) -> Row:
    """`row` with the mean points of `pairs` pairs of games, and its standard error over pairs."""
    program, searcher = Program(str(COMMAND), PLIES), Expectiminimax(game, table_mb=16)

    def best(position: Position) -> int:
        return searcher.search(position, Limit(depth=depth)).action or 0

    try:
        points = np.array(
            [[play(game, mine, best, program, seed) for mine in (0, 1)] for seed in range(1, pairs + 1)]
        )  # int [pairs, 2]
    finally:
        program.close()
    error = points.mean(axis=1).std(ddof=1) / sqrt(pairs) if pairs > 1 else float("nan")
    found = f"{points.mean():+.3f} ± {error:.3f} points a game; won {(points > 0).sum()} of {2 * pairs}"
    return replace(row, ours=float(points.mean()), agree=found)


def play(game: Backgammon, mine: int, ours: Callable[[Position], int], theirs: Program, seed: int) -> int:
    """The points of outplay, which is player `mine`, in one game with the dice of `seed`."""
    dice, position = random.Random(seed), game.initial_state()
    while not game.is_terminal(position):
        turns = game.actions(position)
        if game.to_move(position) == CHANCE:
            chances = [game.probability(position, outcome) for outcome in turns]
            action = dice.choices(turns, chances)[0]
        elif len(turns) == 1:
            action = turns[0]
        elif game.to_move(position) == mine:
            action = ours(position)
        else:
            action = theirs.best(game, position)
        position = game.result(position, int(action))
    return game.utility(position, mine)
