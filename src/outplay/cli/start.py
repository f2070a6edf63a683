"""The game and the state that a command starts from: GAME, `--state` and `--moves`."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

from typing import Any

from outplay.cli.errors import Group
from outplay.cli.output import complain
from outplay.rules.errors import IllegalAction
from outplay.rules.game import Game
from outplay.session import Session
from outplay.session.load import load_game


def load_checked(text: str) -> Game:
    """The game that `text` names, after a quick check of its laws; with `--no-check`, unchecked."""
    game = load_game(text)
    from outplay.check.quick import check_rules, trust

    (check_rules if Group.checks else trust)(game)
    return game


def algorithm_for(game: Game, state: Any) -> str:
    """The algorithm for `state` if none is named; a note on standard error says so if it is not the usual one."""
    from outplay.session.survey import suited_to

    algorithm, note = suited_to(game, state)
    if note:
        complain("Note", "bold", note)
    return algorithm


def begin_session(game: Game, moves: str, state: str | None = None, **options: Any) -> Session:
    """A session after the moves of `--moves`, from the state of `--state`; `options` are those of `Session`."""
    start = None if state is None else game.parse_state(state)
    try:
        return Session(game, start=start, moves=moves, **options)
    except IllegalAction as error:
        raise IllegalAction(f"--moves: {error}") from error


def play_moves(game: Game, moves: str, state: str | None = None) -> tuple[list[Any], list[str]]:
    """The states from the first to the last, and the names of the moves between them.

    >>> from outplay.games import ConnectFour
    >>> play_moves(ConnectFour(), "4 4 3")[1], play_moves(ConnectFour(), "443")[1]
    (['4', '4', '3'], ['4', '4', '3'])
    """
    session = begin_session(game, moves, state)
    return session.states, session.names
