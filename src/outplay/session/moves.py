"""Reading a list of moves as people write them: `b2 a1 c3`, `b2, a1`, or `443` where names are not separated."""

import re
from collections.abc import Sequence
from typing import Any

from outplay.rules.errors import IllegalAction
from outplay.rules.game import Game, plain_action
from outplay.rules.repetition import final, playable
from outplay.rules.wording import enumerated, excerpt, shown

SEPARATORS = " ,\t\r\n"


class MoveReader:
    """The moves in a text, read one at a time.

    Moves are separated by spaces or commas. A text without separators may be several names in a row.

    >>> from outplay.games import ConnectFour
    >>> game = ConnectFour()
    >>> reader = MoveReader("443")
    >>> reader.next_action(game, [game.initial_state()]), reader.rest
    (3, '43')
    """

    def __init__(self, text: str) -> None:
        self.rest = text.strip(SEPARATORS)
        """The moves that are not read yet."""
        self.last = ""
        """The name of the move that was read last."""
        self.is_separated = any(separator in self.rest for separator in SEPARATORS)

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
        legal = {game.action_name(state, action): action for action in playable(game, states)}
        longest_first = sorted(legal, key=len, reverse=True)
        for name in longest_first:  # a name may contain spaces and commas
            if re.match(re.escape(name) + r"([\s,]|$)", self.rest):
                return legal[name], name
        text = re.split(r"[\s,]", self.rest, maxsplit=1)[0]
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
