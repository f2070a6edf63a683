"""The states of a game that was played, from its record and the rules.

Each action is checked, and so is its name, so that a record of other rules is refused and not replayed as another game.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any

from outplay.arena.referee import GameRecord
from outplay.games.chess import Chess
from outplay.games.draughts import Draughts
from outplay.games.go import Go
from outplay.rules.actions import plain_action
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.repetition import History, playable


class RecordError(OutplayError):
    """A record of games that cannot be read, is damaged or of another game, or that its format cannot hold."""


def replay(game: Game, record: GameRecord) -> tuple[list[Any], list[Any]]:
    """All states of a game, and the actions between them.

    Raises `RecordError` if the record is not one of this game.

    >>> from outplay.games import TicTacToe
    >>> record = GameRecord(("one", "two"), ("b2", "a1"), actions=[4, 0])
    >>> states, actions = replay(TicTacToe(), record)
    >>> len(states), actions
    (3, [4, 0])
    """
    try:
        states = History([game.initial_state() if record.start is None else game.parse_state(record.start)])
    except OutplayError as error:
        raise RecordError(f"the game cannot begin: {error}") from None
    actions: list[Any] = []
    names = [*record.opening, *(ply.name for ply in record.plies)]
    if record.actions and len(record.actions) != len(names):
        raise RecordError(f"{len(record.actions)} actions have {len(names)} names")
    for number, name in enumerate(names):
        play_on(game, states, actions, name, name, [record.actions[number]] if record.actions else ())
    return states, actions


def play_on(
    game: Game, states: History, actions: list[Any], move: str, written: str, recorded: Sequence[Any] = ()
) -> Any:
    """Play the next move of a game of people, by its name or as it was `recorded`. Returns the state that it begins in.

    Raises `RecordError`, with the move as it is `written`, if it is not legal.
    """
    state, move_text = state_played_on(game, states[-1]), f"move {len(actions) + 1}, {written}"
    if is_over(game, state):
        raise RecordError(f"{move_text}: the game is over by the rules of {game!r}")
    before = states if state is states[-1] else [state]
    try:
        action = _recorded(game, before, recorded[0], move) if recorded else named_action(game, before, move)
    except OutplayError as error:
        raise RecordError(f"{move_text}: {error}") from None
    actions.append(action)
    states.append(game.result(state, action))
    return state


def state_played_on(game: Game, state: Any) -> Any:
    """The state in which people go on where outplay would end a game: after two passes, or many moves of kings."""
    if isinstance(game, Go):
        return game.resumed(state)
    if isinstance(game, Draughts) and state.idle >= game.longest_idle:
        return state._replace(idle=game.longest_idle - 1)
    return state


def is_over(game: Game, state: Any) -> bool:
    """Whether no action can follow. Games of people go on after a repeated state, and in chess after 50 moves."""
    return bool(game.is_terminal(state)) and not game.perft_past_end


def final_utilities(game: Game, state: Any) -> tuple[float, ...] | None:
    """The utilities of a game that is over in this state beyond doubt; None if it is not.

    In Go the dead stones are not known, and in chess and draughts a draw after many moves has to be claimed.
    """
    if isinstance(game, Go):
        return None
    if isinstance(game, Chess | Draughts):
        state = state._replace(idle=0)
    if not game.is_terminal(state):
        return None
    return tuple(float(game.utility(state, player)) for player in range(game.players))


def as_json(action: Any) -> Any:
    """An action in the words of JSON, the same in every process.

    >>> as_json(3), as_json((1, (2, "x"))), as_json(None)
    (3, [1, [2, 'x']], None)
    """
    if isinstance(action, Enum):
        return action.name
    if action is None or isinstance(action, (bool, int, float, str)):
        return action
    if isinstance(action, (tuple, list)):
        return [as_json(part) for part in action]
    if isinstance(action, (set, frozenset)):
        return sorted(map(as_json, action), key=repr)
    return action.item() if hasattr(action, "dtype") else str(action)


def _recorded(game: Game, states: Sequence[Any], recorded: Any, name: str) -> Any:
    """The legal action that was recorded, by itself or in the words of JSON."""
    legal = playable(game, states)
    recorded_json = as_json(recorded)
    same = [action for action in legal if action == recorded] or [
        action for action in legal if as_json(action) == recorded_json
    ]
    if len(same) != 1:
        raise RecordError(f"{recorded!r} is {'not a legal action' if not same else 'more than one action'} here")
    if game.action_name(states[-1], same[0]) != name:
        raise RecordError(f"action {recorded!r} is {game.action_name(states[-1], same[0])} by the rules of {game!r}")
    return same[0]


def named_action(game: Game, states: Sequence[Any], name: str) -> Any:
    """The legal action with a name, or that a text names as people write it."""
    action = plain_action(game.parse_action(states[-1], name))
    if game.repetition == "forbidden" and action not in playable(game, states):
        raise RecordError("it repeats a state, which the rules forbid")
    return action
