"""Matrix games in the text format .nfg, which Gambit and others read and write.

    NFG 1 R "title" { "player 0" "player 1" } { { "up" "down" } { "left" "right" } } "comment"

    1 1 0 2 0 2 1 1                      the payoffs of all players in each cell; the action of player 0 changes fastest

Instead of names of actions, the number of each player's actions may be given, `{ 2 2 }`. Instead of payoffs, the body
may list outcomes, followed by the outcome of each cell, where 0 pays nothing:

    { { "" 1, 1 } { "draw" 0, 2 } }      1 2 2 1

Numbers are integers, decimals or fractions such as 1/3 (Gambit's documentation, "The strategic game (.nfg) file
format"). Start at `read_nfg`.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from math import isfinite, prod
from reprlib import repr as shortened
from typing import NamedTuple, NoReturn, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import RulesError

Numbers: TypeAlias = NDArray[np.float64]
G = TypeVar("G")

TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<mark>[{},])|(?P<word>[^\s{},"]+)|(?P<end>\Z)|(?P<bad>.))', re.DOTALL
)
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?(/\d+)?", re.IGNORECASE)


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


class Token(NamedTuple):
    """A word of the text: `kind` is "text" (in quotes), "mark" (a brace), "word" or "end"."""

    kind: str
    text: str
    line: int


class _Reader:
    """Reads a game from left to right."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self.tokens = self._split(text)
        self.next = next(self.tokens)

    def game(self, make: Callable[..., G]) -> G:
        for expected in ("NFG", "1"):
            self._word(expected, f"an .nfg file begins with NFG 1 R, not with {shortened(self.next.text)}")
        if self.next.text not in ("R", "D"):
            self._fail(f"NFG 1 is followed by R, not by {shortened(self.next.text)}")
        self._take()
        title = self._text("the title of the game")
        start = self.next
        players = self._texts("the names of the players")
        if len(players) < 2:
            self._fail(f"a matrix game has two or more players, not {len(players)}", start)
        start = self.next
        actions = self._actions(players)
        shape = tuple(map(len, actions))
        if self.next.kind == "text":
            self._take()  # a comment
        cells = self._outcomes(len(players), shape) if self.next.text == "{" else self._payoffs(len(players), shape)
        if self.next.kind != "end":
            self._fail(f"{shortened(self.next.text)} after the last of {prod(shape)} cells")
        payoffs = [cells[:, player].reshape(shape, order="F") for player in range(len(players))]
        names = [list(map(str, action)) for action in actions]
        try:
            return make(*payoffs, actions=names, players=_different(players, "player "), title=title)
        except RulesError as error:
            self._fail(str(error), start)

    def _actions(self, players: list[str]) -> list[Sequence[str | int]]:
        """Read the names of each player's actions, or their number, as a `range` since it may be huge."""
        start = self._mark("{", "the actions of the players")
        actions: list[Sequence[str | int]] = []
        while self.next.text != "}":
            if self.next.text == "{":
                names = self._texts("the names of actions")
                actions.append(_different(names, ""))
            else:
                actions.append(range(self._integer("the number of actions of a player")))
            if not actions[-1]:
                self._fail(f"player {len(actions)} has no actions", start)
        self._mark("}", "the actions of the players")
        if len(actions) != len(players):
            self._fail(f"actions for {len(actions)} players, but {len(players)} players are named", start)
        return actions

    def _payoffs(self, players: int, shape: tuple[int, ...]) -> Numbers:
        """Read what each player gets in each cell: float64 [cells, players]."""
        numbers: list[float] = []
        while self.next.kind != "end" and len(numbers) < players * prod(shape):
            numbers.append(self._number("a payoff"))
            self._comma()
        if len(numbers) < players * prod(shape):
            self._fail(
                f"{len(numbers)} payoffs, but {players} players and {prod(shape)} cells need {players * prod(shape)}"
            )
        return np.array(numbers).reshape(-1, players)

    def _outcomes(self, players: int, shape: tuple[int, ...]) -> Numbers:
        """Read the same, given as outcomes and the number of the outcome of each cell."""
        self._mark("{", "the outcomes")
        outcomes = [[0.0] * players]
        while self.next.text != "}":
            start = self._mark("{", "an outcome")
            self._text("the name of an outcome")
            payoffs = []
            while self.next.text != "}":
                self._comma()
                payoffs.append(self._number("a payoff"))
                self._comma()
            self._mark("}", "an outcome")
            if len(payoffs) != players:
                self._fail(f"outcome {len(outcomes)} has {len(payoffs)} payoffs for {players} players", start)
            outcomes.append(payoffs)
            self._comma()
        self._mark("}", "the outcomes")
        cells: list[list[float]] = []
        while self.next.kind != "end" and len(cells) < prod(shape):
            token = self.next
            number = self._integer("the number of an outcome")
            if number >= len(outcomes):
                self._fail(f"outcome {number} of {len(outcomes) - 1}", token)
            cells.append(outcomes[number])
        if len(cells) < prod(shape):
            self._fail(f"outcomes of {len(cells)} cells, but there are {prod(shape)}")
        return np.array(cells)

    # -- words ------------------------------------------------------------------------------------------------------

    def _split(self, text: str) -> Iterator[Token]:
        place, line = 0, 1
        while True:
            match = TOKEN.match(text, place)
            assert match is not None
            kind = match.lastgroup or "end"
            line += text.count("\n", place, match.start(kind))
            token = Token(kind, match[kind], line)
            if kind == "bad":
                self._fail("unclosed quote" if match[kind] == '"' else f"{match[kind]!r}", token)
            yield token
            if kind == "end":
                return
            line += match[kind].count("\n")
            place = match.end()

    def _take(self) -> Token:
        token = self.next
        self.next = next(self.tokens, token)
        return token

    def _comma(self) -> None:
        if self.next.text == "," and self.next.kind == "mark":
            self._take()

    def _mark(self, mark: str, subject: str) -> Token:
        if (self.next.kind, self.next.text) != ("mark", mark):
            self._fail(f"{subject}: expected {mark!r}, not {self._here()}")
        return self._take()

    def _word(self, word: str, problem: str) -> None:
        if (self.next.kind, self.next.text) != ("word", word):
            self._fail(problem)
        self._take()

    def _text(self, subject: str) -> str:
        if self.next.kind != "text":
            self._fail(f'expected {subject} in "quotes", not {self._here()}')
        return re.sub(r"\\(.)", r"\1", self._take().text[1:-1], flags=re.DOTALL)

    def _texts(self, subject: str) -> list[str]:
        self._mark("{", subject)
        texts = []
        while self.next.text != "}" or self.next.kind == "text":
            texts.append(self._text(subject))
        self._take()
        return texts

    def _integer(self, subject: str) -> int:
        if self.next.kind != "word" or not self.next.text.isdecimal() or len(self.next.text) > 9:
            self._fail(f"{subject} must be a whole number, not {self._here()}")
        return int(self._take().text)

    def _number(self, subject: str) -> float:
        if self.next.kind != "word" or not NUMBER.fullmatch(self.next.text):
            self._fail(f"{subject} must be a number, not {self._here()}")
        above, _, below = self.next.text.partition("/")
        try:
            number = float(above) / float(below) if below else float(above)
        except (ZeroDivisionError, OverflowError):
            number = float("inf")
        if not isfinite(number):
            self._fail(f"{subject} must be a finite number, not {self._here()}")
        self._take()
        return number

    def _here(self) -> str:
        return "the end of the text" if self.next.kind == "end" else shortened(self.next.text)

    def _fail(self, problem: str, token: Token | None = None) -> NoReturn:
        raise RulesError(f"{self.source}, line {(token or self.next).line}: {problem}")


def _different(names: list[str], prefix: str) -> list[str]:
    """Return `names` if they are unique and not empty, else numbers: Gambit does not require names."""
    return names if len(set(names)) == len(names) and all(names) else [f"{prefix}{i}" for i in range(len(names))]
