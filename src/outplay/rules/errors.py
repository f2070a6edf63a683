"""The errors that outplay raises. Each is a `ValueError` that says what was wrong, where, and what to do."""

from outplay.rules.wording import bounded


class OutplayError(ValueError):
    """The base of every error that outplay raises on purpose."""

    def __str__(self) -> str:
        """The message, of a length that can be read: it may show what a file or a bot holds."""
        return bounded(super().__str__())


class BookError(OutplayError):
    """A book that cannot be read or written, is damaged, or belongs to another game."""


class EvaluationError(OutplayError):
    """An evaluation that cannot be read or does not fit its game."""


class IllegalAction(OutplayError):
    """An action that the rules do not allow in the given state."""


class RulesError(OutplayError):
    """Rules that break the contract of `Game`, or that cannot be loaded or compiled."""


class StrategyError(OutplayError):
    """A strategy that cannot be read or does not fit its game."""


class TableError(OutplayError):
    """A table of states that cannot be made, read or written, is damaged, or belongs to another game."""


class UnsuitableGame(OutplayError):
    """A game that an algorithm cannot search; the message says why, and which algorithm can."""


class WrongType(OutplayError, TypeError):
    """An argument of the wrong type, such as a class of games instead of a game."""
