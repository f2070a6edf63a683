"""Games of OpenSpiel, written in C++ or Python: an object with `new_initial_state`, whose states can be cloned."""

from collections.abc import Callable
from typing import Any

from outplay.adapters.base import Adapter, object_text, require
from outplay.rules.errors import RulesError

__all__ = ["Adapted"]

METHODS = ("new_initial_state", "num_players", "get_type", "min_utility", "max_utility")


class Adapted(Adapter):
    """A game of OpenSpiel. States are those of the object; actions are its numbers.

    Games with chance and with hidden information work too. Where players choose at the same time, give the game in
    turns that `pyspiel.convert_to_turn_based(game)` returns.

    Args:
        game: a game, such as `pyspiel.load_game("tic_tac_toe")`.
        key: a function of a state whose value is equal for states that are the same for the rest of the game. By
            default these are the actions that led there, which is always right. `key=str` is much better where the text
            of a state shows all that matters, as in most games of perfect information.
    """

    has_chance = False  # some games have
    hidden_information = False

    def __init__(self, game: Any, key: Callable[[Any], Any] | None = None) -> None:
        require(game, "openspiel", "OpenSpiel", METHODS)
        kind, call = game.get_type(), f"openspiel.Adapted({object_text(game)})"
        if _name(kind.dynamics) != "SEQUENTIAL":
            raise RulesError(
                f"{call}: players choose at the same time, or there are too many to count;"
                " outplay plays games in turns: pyspiel.convert_to_turn_based(game)"
            )
        if _name(kind.chance_mode) == "SAMPLED_STOCHASTIC":
            raise RulesError(f"{call}: the game draws chance events itself, so their probabilities are not known")
        self.hidden_information = _name(kind.information) == "IMPERFECT_INFORMATION"
        if self.hidden_information and not kind.provides_information_state_string:
            raise RulesError(f"{call}: players do not see everything, and the game does not say what they know")
        self.source = game
        self.key_of_state = key
        self.players = int(game.num_players())
        self.has_chance = _name(kind.chance_mode) == "EXPLICIT_STOCHASTIC"
        self.zero_sum = _name(kind.utility) == "ZERO_SUM"
        total = getattr(game, "utility_sum", lambda: None)() if _name(kind.utility) == "CONSTANT_SUM" else None
        self.constant_sum = None if total is None else float(total)
        self.utilities = float(game.min_utility()), float(game.max_utility())

    def _content(self) -> Any:
        """The text of a game names its parameters."""
        cls: Any = type(self.source)
        return super()._content() if cls.__str__ is object.__str__ else str(self.source)

    def initial_state(self) -> Any:
        """`new_initial_state`."""
        return self.source.new_initial_state()

    def to_move(self, state: Any) -> int:
        """`current_player`, which is -1 for chance."""
        return int(state.current_player())

    def actions(self, state: Any) -> list[int]:
        """`legal_actions`, or the outcomes where chance is to move."""
        if state.is_chance_node():
            return [int(action) for action, _ in state.chance_outcomes()]
        return list(map(int, state.legal_actions()))

    def result(self, state: Any, action: int) -> Any:
        """A clone after `apply_action`."""
        state = state.clone()
        state.apply_action(action)
        return state

    def probability(self, state: Any, action: int) -> float:
        """The probability of one of the `chance_outcomes`."""
        return float(dict(state.chance_outcomes())[action])

    def is_terminal(self, state: Any) -> bool:
        """`is_terminal`."""
        return bool(state.is_terminal())

    def utility(self, state: Any, player: int) -> float:
        """One of the `returns`."""
        return float(state.returns()[player])

    def information(self, state: Any, player: int) -> Any:
        """`information_state_string`, and whether it is the player's turn."""
        if not self.hidden_information:
            return self.key(state)
        return state.information_state_string(player), int(state.current_player()) == player

    def information_text(self, state: Any, player: int) -> str:
        """`information_state_string`."""
        return str(state.information_state_string(player)) if self.hidden_information else str(state)

    def key(self, state: Any) -> Any:
        """The actions that led to a state, or what the function `key` returns."""
        return tuple(state.history()) if self.key_of_state is None else self.key_of_state(state)

    def render(self, state: Any) -> str:
        """The text of a state."""
        return str(state)

    def action_name(self, state: Any, action: int) -> str:
        """`action_to_string`."""
        return str(state.action_to_string(state.current_player(), action))


def _name(member: Any) -> str:
    """The name of a member of one of OpenSpiel's enumerations."""
    return str(getattr(member, "name", member))
