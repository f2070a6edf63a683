"""Matrix games in the text format .nfg, which Gambit and others read and write.

    NFG 1 R "title" { "player 0" "player 1" } { { "up" "down" } { "left" "right" } } "comment"

    1 1 0 2 0 2 1 1                      the payoffs of all players in each cell; the action of player 0 changes fastest

Instead of names of actions, the number of each player's actions may be given, `{ 2 2 }`. Instead of payoffs, the body
may list outcomes, followed by the outcome of each cell, where 0 pays nothing:

    { { "" 1, 1 } { "draw" 0, 2 } }      1 2 2 1

Numbers are integers, decimals or fractions such as 1/3 (Gambit's documentation, "The strategic game (.nfg) file
format"). Start at `read_nfg`.
"""

import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from math import prod
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.gambit_words import GambitReader
from outplay.rules.errors import RulesError

Numbers: TypeAlias = NDArray[np.float64]
G = TypeVar("G")


def read_nfg(text: str, make: Callable[..., G], source: str) -> G:
    """Read a text in .nfg format and return `make` of its content; errors call the text `source`.

    `make` is called with a table of payoffs for each player, and the keywords `actions`, `players` and `title`.
    """
    return _Reader(text, source).game(make)


def write_nfg(
    title: str, players: Sequence[str], actions: Sequence[Sequence[str]], payoffs: Numbers, *, outcomes: bool
) -> str:
    """Return a game in .nfg format; see `to_nfg`."""
    player_names = " ".join(map(_quoted, players))
    action_names = "\n  ".join(f"{{ {' '.join(map(_quoted, names))} }}" for names in actions)
    lines = [f"NFG 1 R {_quoted(title)} {{ {player_names} }}", f"{{ {action_names} }}", '""']
    cells = [tuple(map(_plain, cell)) for cell in payoffs.reshape(len(players), -1, order="F").T.tolist()]
    if not outcomes:
        return "\n".join([*lines, *(" ".join(cell) for cell in cells), ""])
    numbers = {cell: number for number, cell in enumerate(dict.fromkeys(cells), start=1)}
    outcomes_text = "\n  ".join(f'{{ "" {", ".join(cell)} }}' for cell in numbers)
    return "\n".join([*lines, f"{{ {outcomes_text} }}", " ".join(str(numbers[cell]) for cell in cells), ""])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _plain(number: float) -> str:
    """Return a number with all its digits and without an exponent, which not every program reads."""
    return format(Decimal(repr(number + 0.0)), "f").removesuffix(".0")


class _Reader(GambitReader):
    """Reads a game from left to right."""

    largest = sys.float_info.max

    def game(self, make: Callable[..., G]) -> G:
        for expected in ("NFG", "1"):
            self._word(expected, f"an .nfg file begins with NFG 1 R, not with {self.next}")
        if self.next.text not in ("R", "D"):
            self.fail(f"NFG 1 is followed by R, not by {self.next}")
        self.take()
        title = self.text("the title of the game")
        start = self.next
        players = self.texts("the names of the players")
        if len(players) < 2:
            self.fail(f"a matrix game has two or more players, not {len(players)}", start)
        start = self.next
        actions = self._actions(players)
        shape = tuple(map(len, actions))
        if self.next.kind == "text":
            self.take()  # a comment
        cells = self._outcomes(len(players), shape) if self.next.text == "{" else self._payoffs(len(players), shape)
        if self.next.kind != "end":
            self.fail(f"{self.next} after the last of {prod(shape)} cells")
        payoffs = [cells[:, player].reshape(shape, order="F") for player in range(len(players))]
        names = [list(map(str, action)) for action in actions]
        try:
            return make(*payoffs, actions=names, players=_different(players, "player "), title=title)
        except RulesError as error:
            self.fail(str(error), start)

    def _actions(self, players: list[str]) -> list[Sequence[str | int]]:
        """Read the names of each player's actions, or their number, as a `range` since it may be huge."""
        start = self.mark("{", "the actions of the players")
        actions: list[Sequence[str | int]] = []
        while self.next.text != "}":
            if self.next.text == "{":
                names = self.texts("the names of actions")
                actions.append(_different(names, ""))
            else:
                actions.append(range(self.whole("the number of actions of a player")))
            if not actions[-1]:
                self.fail(f"player {len(actions)} has no actions", start)
        self.mark("}", "the actions of the players")
        if len(actions) != len(players):
            self.fail(f"actions for {len(actions)} players, but {len(players)} players are named", start)
        return actions

    def _payoffs(self, players: int, shape: tuple[int, ...]) -> Numbers:
        """Read what each player gets in each cell: float64 [cells, players]."""
        numbers: list[float] = []
        while self.next.kind != "end" and len(numbers) < players * prod(shape):
            numbers.append(float(self.number("a payoff")))
            self.comma()
        if len(numbers) < players * prod(shape):
            self.fail(
                f"{len(numbers)} payoffs, but {players} players and {prod(shape)} cells need {players * prod(shape)}"
            )
        return np.array(numbers).reshape(-1, players)

    def _outcomes(self, players: int, shape: tuple[int, ...]) -> Numbers:
        """Read the same, given as outcomes and the number of the outcome of each cell."""
        self.mark("{", "the outcomes")
        outcomes = [[0.0] * players]
        while self.next.text != "}":
            start = self.mark("{", "an outcome")
            self.text("the name of an outcome")
            payoffs = []
            while self.next.text != "}":
                self.comma()
                payoffs.append(float(self.number("a payoff")))
                self.comma()
            self.mark("}", "an outcome")
            if len(payoffs) != players:
                self.fail(f"outcome {len(outcomes)} has {len(payoffs)} payoffs for {players} players", start)
            outcomes.append(payoffs)
            self.comma()
        self.mark("}", "the outcomes")
        cells: list[list[float]] = []
        while self.next.kind != "end" and len(cells) < prod(shape):
            token = self.next
            number = self.whole("the number of an outcome")
            if number >= len(outcomes):
                self.fail(f"outcome {number} of {len(outcomes) - 1}", token)
            cells.append(outcomes[number])
        if len(cells) < prod(shape):
            self.fail(f"outcomes of {len(cells)} cells, but there are {prod(shape)}")
        return np.array(cells)

    def _word(self, word: str, problem: str) -> None:
        if (self.next.kind, self.next.text) != ("word", word):
            self.fail(problem)
        self.take()


def _different(names: list[str], prefix: str) -> list[str]:
    """Return `names` if they are unique and not empty, else numbers: Gambit does not require names."""
    return names if len(set(names)) == len(names) and all(names) else [f"{prefix}{i}" for i in range(len(names))]
