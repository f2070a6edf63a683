"""Reading a list of moves as people write them: `b2 a1 c3`, `b2, a1`, or `443` where names are not separated.

A line of a game may be pasted as it is: `1. e4 {best} e5 (1... c5) 2. Nf3! $1 1-0`.
"""

import re
from collections.abc import Sequence
from typing import Any

from outplay.rules.actions import plain_action
from outplay.rules.errors import IllegalAction
from outplay.rules.game import Game
from outplay.rules.repetition import final, playable
from outplay.rules.wording import enumerated, excerpt, shown

SEPARATORS = " ,\t\r\n"
MARKUP = re.compile(
    r"\d+\s*\.[.\s]*|\{[^}]*\}|;[^\n]*|\$\d+|(?:[!?+#=/±∓⩲⩱∞□-]+|e\.p\.|(?:ep|ch|check|mate|checkmate)\.?)(?=[\s,]|$)"
    r"|(?:1-0|0-1|1/2-1/2|½-½|2-0|0-2|1-1|\*)[\s,]*$"
)
"""What is between moves in PGN and PDN, and behind the last: numbers, comments and marks; the result."""
MARKED_UP = ("outplay.games.chess", "outplay.games.draughts")
"""Where the games are defined that have such files."""
WORD = re.compile(r"\d+(?:\s*[-x:×–]\s*\d+)+|[^\s,{;$(]+(?:\([QRBN]\))?")
"""A move in them."""


class MoveReader:
    """The moves in a text, read one at a time.

    Moves are separated by spaces or commas. A text without separators may be several names in a row. In chess and
    draughts, and in a text that begins with a number such as `1.`, what PGN has between moves is skipped: numbers,
    comments, variations, marks, and at the end the result.

    >>> from outplay.games import ConnectFour
    >>> game = ConnectFour()
    >>> reader = MoveReader("443")
    >>> reader.next_action(game, [game.initial_state()]), reader.rest
    (3, '43')
    >>> from outplay.session import Session
    >>> from outplay.games import Chess
    >>> Session(Chess(), moves="1. e4 {best} e5 (1... c5) 2. Nf3! $1 1-0").record
    'e4 e5 Nf3'
    """

    def __init__(self, text: str) -> None:
        self.rest = text.strip(SEPARATORS)
        """The moves that are not read yet."""
        self.last = ""
        """The name of the move that was read last."""
        self.is_separated = any(separator in self.rest for separator in SEPARATORS)
        self.is_numbered = re.match(r"\d+\s*\.", self.rest) is not None

    def has_next(self, game: Game, states: Sequence[Any]) -> bool:
        """Whether there is another move, in the last of `states`; what stands before it is skipped."""
        names = None
        while self.rest and self._has_markup(game) and (end := _end_of_markup(self.rest)):
            if names is None:
                names = [] if final(game, states) is not None else _names(game, states)
            if any(_begins_with(self.rest, name) for name in names):
                break
            self.rest = self.rest[end:].strip(SEPARATORS)
        return bool(self.rest)

    def _has_markup(self, game: Game) -> bool:
        """Whether there may be something between moves."""
        return self.is_numbered or any(cls.__module__ in MARKED_UP for cls in type(game).__mro__)

    def next_action(self, game: Game, states: Sequence[Any]) -> int:
        """The action that the next move names, in the last of `states`.

        Raises `IllegalAction`, with the number of the move and a picture of the position, if it is not legal.
        """
        if final(game, states) is not None:
            number, name = len(states) - 1, f", {self.last}" if self.last else ""
            after = f"after move {number}{name}" if number else "before the first move"
            raise IllegalAction(
                f"the game is over {after}; {shown(self.rest)} cannot be played\n\n{excerpt(game.render(states[-1]))}"
            )
        action, text = self._first(game, states)
        self.rest = self.rest[len(text) :].strip(SEPARATORS)
        self.last = game.action_name(states[-1], action)
        return action

    def _first(self, game: Game, states: Sequence[Any]) -> tuple[int, str]:
        """The action with which `rest` begins, and the text that names it."""
        state, number = states[-1], len(states)
        legal = _names(game, states)
        longest_first = sorted(legal, key=len, reverse=True)
        for name in longest_first:  # a name may contain spaces and commas
            if _begins_with(self.rest, name):
                return legal[name], name
        word = WORD.match(self.rest) if self._has_markup(game) else None
        text = word[0] if word else re.split(r"[\s,]", self.rest, maxsplit=1)[0]
        try:
            action = plain_action(game.parse_action(state, text))
        except ValueError as error:
            if not self.is_separated:
                for name in longest_first:
                    if self.rest.startswith(name):
                        return legal[name], name
            raise IllegalAction(f"move {number}: {error}\n\n{excerpt(game.render(state))}") from error
        if action not in legal.values():
            raise IllegalAction(
                f"move {number}: {shown(text)} is action {action}, which is not legal here;"
                f" legal: {enumerated(legal)}\n\n{excerpt(game.render(state))}"
            )
        return action, text


def _names(game: Game, states: Sequence[Any]) -> dict[str, int]:
    """The legal actions by name."""
    return {game.action_name(states[-1], action): action for action in playable(game, states)}


def _begins_with(text: str, name: str) -> bool:
    """Whether a text begins with a name and a separator."""
    return text.startswith(name) and text[len(name) : len(name) + 1].strip(SEPARATORS) == ""


def _end_of_markup(text: str) -> int:
    """Where the number, comment, mark, variation or result ends with which a text begins; 0 if it begins with none."""
    if match := MARKUP.match(text):
        return match.end()
    depth = 0
    for place, sign in enumerate(text if text.startswith("(") else ""):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place + 1
    return 0
