"""What people can give to a searcher by name: options that are plain values, and books in files."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from outplay.rules.game import Game

if TYPE_CHECKING:
    from outplay.engine.book import LookUp

NOT_SETTABLE = ("game", "books", "check", "evaluate", "margins", "evaluator", "batch", "searcher")
"""The options that are not plain values."""


def settable(kind: type[Any]) -> list[str]:
    """The options of a searcher that are plain values.

    >>> from outplay import Minimax
    >>> settable(Minimax)
    ['textbook']
    """
    names = [field.name for field in fields(kind) if field.name not in NOT_SETTABLE]
    return [name for name in names if name != "textbook" or kind.textbook_form]


def load_book(path: str, game: Game) -> "LookUp":
    """A book or a table. Raises `OutplayError` if the file is not one of this game."""
    from outplay.engine.book import Book
    from outplay.tables.file import is_table
    from outplay.tables.tablebase import Tablebase

    return (Tablebase if is_table(path) else Book).load(path, game)
