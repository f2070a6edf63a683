"""Games of easyAI: an object with `possible_moves`, `make_move` and `is_over`, which `make_move` changes."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from outplay.adapters.base import Adapter, hashable, missing, moves_of, printed, require
from outplay.rules.errors import RulesError, WrongType
from outplay.rules.keys import content_key

__all__ = ["Adapted"]

METHODS = ("possible_moves", "make_move", "is_over", "switch_player")


class Adapted(Adapter):
    """A game of easyAI. It starts as the object is now; the object itself is never changed.

    A state is a copy of the object. `scoring` says at the end who has won, and is an estimate before.

    Args:
        game: a `TwoPlayerGame`. Its players may be None: `TicTacToe([None, None])`.
        scoring: a function of the game, as for easyAI's `Negamax`, in place of its method `scoring`. A game without
            either has `lose` or `win`.
        margin: whether the score at the end is the utility. By default only its sign counts: 1 is a win, -1 a loss.
    """

    def __init__(self, game: Any, scoring: Callable[[Any], float] | None = None, margin: bool = False) -> None:
        require(game, "easyai", "easyAI", METHODS)
        if scoring is None and missing(game, ["scoring|lose|win"]):
            raise WrongType(f"easyai.Adapted({type(game).__name__}): give scoring=…; the game has no scoring()")
        if getattr(game, "current_player", None) not in (1, 2):
            raise WrongType(f"easyai.Adapted({type(game).__name__}): its current_player is neither 1 nor 2")
        self.source = _copy(game)
        self.lists = _has_lists(_copy(game))
        """Whether moves are lists, which actions cannot be."""
        self.scoring = scoring
        self.margin = margin
        self.utilities = None if margin else (-1, 1)
        self.no_content = tuple(map(_unreadable, getattr(game, "players", None) or ()))
        """The names of the attributes of each player that are no part of a state, such as their algorithm."""
        self.notes_down = False
        self.notes_down = self._changes(_copy(game))
        """Whether questions change the object: `is_over` may note who has won, for `scoring`."""

    def _content(self) -> Any:
        """The game without what cannot be read of its players."""
        attributes = self._attributes(self.source)
        return content_key(attributes) if _can_be_read(attributes) else super()._content()

    def initial_state(self) -> Any:
        """A copy of the game as it was given."""
        return _copy(self.source)

    def to_move(self, state: Any) -> int:
        """`current_player`, which counts from 1, less 1."""
        player: int = state.current_player - 1
        return player

    def actions(self, state: Any) -> list[Any]:
        """`possible_moves`."""
        return moves_of(self._state_to_ask(state).possible_moves())

    def result(self, state: Any, action: Any) -> Any:
        """A copy after `make_move` and `switch_player`."""
        state = _copy(state)
        if self.lists:
            action = next(move for move in _copy(state).possible_moves() if hashable(move) == action)
        state.make_move(action)
        state.switch_player()
        return state

    def is_terminal(self, state: Any) -> bool:
        """`is_over`."""
        return bool(self._state_to_ask(state).is_over())

    def utility(self, state: Any, player: int) -> float:
        """Who has won, by the sign of the score; with `margin`, the score."""
        score = self._score(state)
        if not self.margin:
            score = (score > 0) - (score < 0)
        return score if player == self.to_move(state) else -score

    def evaluate(self, state: Any, player: int) -> float:
        """The score; without `margin`, made to lie between -1 and 1."""
        score = self._score(state)
        if not self.margin:
            score /= 1 + abs(score)
        return score if player == self.to_move(state) else -score

    def _score(self, state: Any) -> float:
        """The score of the player to move."""
        if self.notes_down:
            state = _copy(state)
            state.is_over()
        if self.scoring is not None:
            return float(self.scoring(state))
        if hasattr(state, "scoring"):
            return float(state.scoring())
        won, lost = (bool(getattr(state, name, bool)()) for name in ("win", "lose"))
        return float(won - lost)

    def _state_to_ask(self, state: Any) -> Any:
        """An object to ask: the state, or a copy if a question would change it."""
        return _copy(state) if self.notes_down else state

    def _changes(self, game: Any) -> bool:
        """Whether questions change a game, as far as it can be read."""
        try:
            before = content_key(self._attributes(game))
            if not game.is_over():
                game.possible_moves()
            self._score(game)
            return content_key(self._attributes(game)) != before
        except RulesError:
            return False

    def key(self, state: Any) -> Any:
        """`ttentry` and the player to move; without it, all attributes but those of players that cannot be read."""
        if hasattr(state, "ttentry"):
            return state.ttentry(), state.current_player
        return self._attributes(state)

    def _attributes(self, state: Any) -> Any:
        """All attributes of a game, and those of its players that can be read."""
        players = getattr(state, "players", None) or ()
        theirs = [_without(names, player) for player, names in zip(players, self.no_content, strict=True)]
        return _without(("players",), state), theirs

    def render(self, state: Any) -> str:
        """What `show` prints."""
        return printed(getattr(state, "show", None), state=_without(("players",), state))


def _copy(game: Any) -> Any:
    return game.copy() if hasattr(game, "copy") else deepcopy(game)


def _has_lists(game: Any) -> bool:
    """Whether some of the first moves of a game are lists or contain lists."""
    return not game.is_over() and any(hashable(move) != move for move in game.possible_moves())


def _without(names: Iterable[str], value: Any) -> dict[str, Any]:
    """The attributes of an object by name, without some."""
    return {name: value for name, value in getattr(value, "__dict__", {}).items() if name not in names}


def _unreadable(player: Any) -> tuple[str, ...]:
    """The attributes of a player that have no readable content."""
    return tuple(name for name, value in _without((), player).items() if not _can_be_read(value))


def _can_be_read(value: Any) -> bool:
    try:
        content_key(value)
    except RulesError:
        return False
    return True
