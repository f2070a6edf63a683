"""Which game and which rules a table is of, as the headers of files and the folders of unfinished tables say it."""

import hashlib
import os
from typing import Any, NamedTuple, Self

from outplay import __version__
from outplay.compile.state_cells import cells_of
from outplay.engine.rules_mark import RulesMark, code_of_values
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import TableError
from outplay.rules.game import Game
from outplay.tables.table_states import images_of


class Identity(NamedTuple):
    """A game and its rules; the fields are those of headers."""

    game: str
    """The game in words."""
    rules: str
    """A hash of the rules, and of how states are stored: the order of attributes and of members of enums counts too."""
    code: str
    """A hash of the code that values depend on, after the version of Python; empty if some of it cannot be read."""
    outplay: str
    """The version of outplay."""
    draw: float
    """What a draw is worth."""

    @classmethod
    def of(cls, game: Game) -> Self:
        """That of the rules as they are now."""
        sides = draw_utility(game), game.teams
        rules = RulesMark(game).sample(lambda state: (sides, cells_of(game, images_of(game, state))))
        return cls(" ".join(repr(game).split()), rules, code_of_values(game), __version__, draw_utility(game))

    def mark(self, settings: Any) -> str:
        """A hash of these rules, and of what is made of them."""
        return hashlib.sha256(repr((*self[:4], settings)).encode()).hexdigest()

    def check(self, path: str | os.PathLike[str], header: dict[str, Any], *, edited: bool) -> bool:
        """Whether the rules were edited since a file with this header was made.

        Raises `TableError` if it is of another game or of other rules; or if they were edited, unless `edited`.
        """
        if header["game"] != self.game:
            raise TableError(f"{path} is a table of another game, {header['game']}, not of {self.game}")
        if header["rules"] != self.rules or header["draw"] != self.draw:
            raise TableError(
                f"the rules of {self.game} have changed since {path} was made: make it again, with: outplay table make"
            )
        is_now_other = self.is_edited(header)
        if is_now_other and not edited:
            raise TableError(
                f"the rules of {self.game} were edited since {path} was made: make it again, or if no value has"
                " changed, let outplay table verify find that out"
            )
        return is_now_other

    def is_edited(self, header: dict[str, Any]) -> bool:
        """Whether the code that values depend on differs from that with which a table was made.

        It is unknown if some of it cannot be read, or if the versions of Python or of outplay differ.
        """
        python, _, digest = header["code"].partition(" ")
        is_comparable = header["outplay"] == self.outplay and self.code.startswith(f"{python} ")
        return is_comparable and not self.code.endswith(f" {digest}")
