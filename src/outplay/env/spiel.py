"""Games of outplay as games of OpenSpiel: its algorithms, bots and environments take them.

Actions have the numbers of `action_numbers.py`, outcomes of chance their places among those that are possible, and a
player knows what `information` says. Games in which players choose at the same time are games in turns here, in which
nobody sees what the others have chosen. Start at `registered`.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from outplay.env.action_numbers import PLIES, action_numbers_of
from outplay.env.observation import observer_of
from outplay.env.requirement import required_module
from outplay.rules.base import frozen
from outplay.rules.constant_sum import total
from outplay.rules.errors import IllegalAction
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.repetition import History, final, playable

spiel: Any = required_module("pyspiel", "openspiel")
GAMES = 100
"""The random games that show how many outcomes chance may have."""
LONGEST = 100_000
"""What OpenSpiel is told about the length of a game, which rules do not say."""


@dataclass
class Course:
    """The rules, and the states so far. OpenSpiel copies a state by copying what it holds."""

    rules: Game
    states: History

    def __deepcopy__(self, memo: dict[int, Any]) -> "Course":
        """States never change, so a copy has the same."""
        return Course(self.rules, History.of(self.states))


class SpielState(spiel.State):
    """A state of a game in OpenSpiel."""

    def __init__(self, game: "SpielGame") -> None:
        super().__init__(game)
        self.course = Course(game.rules, History([game.rules.initial_state()]))

    @property
    def rules(self) -> Game:
        """The game."""
        return self.course.rules

    @property
    def states(self) -> History:
        """The states so far."""
        return self.course.states

    @property
    def state(self) -> Any:
        """The present state."""
        return self.course.states[-1]

    def current_player(self) -> int:
        """The player to move; OpenSpiel's numbers for chance, and for the end."""
        if self.is_terminal():
            return int(spiel.PlayerId.TERMINAL)
        mover = int(self.rules.to_move(self.state))
        return int(spiel.PlayerId.CHANCE) if mover == CHANCE else mover

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(action_numbers_of(self.rules).numbers(playable(self.rules, self.states)))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The number of each outcome of chance, and its probability."""
        outcomes = legal_actions(self.rules, self.state)
        return [(number, float(self.rules.probability(self.state, outcome))) for number, outcome in enumerate(outcomes)]

    def _action(self, number: int) -> Any:
        """The action or the outcome with a number."""
        if int(self.rules.to_move(self.state)) == CHANCE:
            return list(legal_actions(self.rules, self.state))[number]
        return action_numbers_of(self.rules).action(playable(self.rules, self.states), number)

    def _apply_action(self, number: int) -> None:
        try:
            action = self._action(number)
        except (LookupError, TypeError, ValueError):
            raise IllegalAction(f"{number!r} is not the number of a legal action of {self.rules!r} here") from None
        self.states.append(self.rules.result(self.state, action))

    def _action_to_string(self, player: int, number: int) -> str:
        return self.rules.action_name(self.state, self._action(number))

    def is_terminal(self) -> bool:
        """Whether the game is over, by its rules or by repetition."""
        return final(self.rules, self.states) is not None

    def returns(self) -> list[float]:
        """What each player got; 0 before the end."""
        return list(final(self.rules, self.states) or (0.0,) * self.rules.players)

    def __str__(self) -> str:
        return self.rules.render(self.state)


class SpielGame(spiel.Game):
    """A game in OpenSpiel; `registered` makes a class for each.

    Attributes:
        rules: the game.
        name: its name in OpenSpiel.
    """

    rules: Game
    name: str

    def __init__(self, parameters: dict[str, Any] | None = None) -> None:
        super().__init__(type_of(self.rules, self.name), info_of(self.rules), parameters or {})

    def new_initial_state(self) -> SpielState:
        """The state in which a game begins."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> Any:
        """What a player sees. Where all see everything, what is known with perfect recall is the history."""
        if iig_obs_type is not None and iig_obs_type.perfect_recall and not self.rules.hidden_information:
            public: Any = required_module("open_spiel.python.observation", "openspiel")
            return public.IIGObserverForPublicInfoGame(iig_obs_type, params)
        return SpielObserver(self.rules)


class SpielObserver:
    """What a player sees, as OpenSpiel's observers tell it.

    Attributes:
        tensor: the numbers, flat.
        dict: the same, as they lie on the board.
    """

    def __init__(self, rules: Game) -> None:
        self.rules, self.observer = rules, observer_of(rules)
        self.tensor = np.zeros(int(np.prod(self.observer.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(self.observer.shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what `player` sees to `tensor` and `dict`."""
        self.tensor.fill(0)
        self.observer.write(state.state, player, self.dict["observation"])

    def string_from(self, state: SpielState, player: int) -> str:
        """What `player` knows; without hidden information, the state."""
        if not self.rules.hidden_information:
            return str(state)
        return f"{player}: {frozen(self.rules.information(state.state, player))!r}"


def type_of(rules: Game, name: str) -> Any:
    """What OpenSpiel wants to know about the kind of a game."""
    kind = spiel.GameType
    chance = kind.ChanceMode.EXPLICIT_STOCHASTIC if rules.has_chance else kind.ChanceMode.DETERMINISTIC
    hidden = rules.hidden_information
    sums = {None: kind.Utility.GENERAL_SUM, 0.0: kind.Utility.ZERO_SUM}
    return kind(
        short_name=name,
        long_name=f"{rules!r} of outplay",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=chance,
        information=kind.Information.IMPERFECT_INFORMATION if hidden else kind.Information.PERFECT_INFORMATION,
        utility=sums.get(sum_of(rules), kind.Utility.CONSTANT_SUM),
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=rules.players,
        min_num_players=rules.players,
        provides_information_state_string=True,
        provides_information_state_tensor=hidden,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )


def info_of(rules: Game) -> Any:
    """What OpenSpiel wants to know about the size of a game."""
    low, high = rules.utilities or (-np.inf, np.inf)
    return spiel.GameInfo(
        num_distinct_actions=action_numbers_of(rules).size,
        max_chance_outcomes=most_outcomes(rules) if rules.has_chance else 0,
        num_players=rules.players,
        min_utility=float(low),
        max_utility=float(high),
        utility_sum=sum_of(rules),
        max_game_length=LONGEST,
    )


def sum_of(rules: Game) -> float | None:
    """What all players get together; None if it varies, as where the players of a team get the same."""
    return None if rules.teams else total(rules)


def most_outcomes(rules: Game) -> int:
    """The most outcomes that chance has in random games."""
    random, most = Random(0), 1  # noqa: S311 - not for secrets
    for _ in range(GAMES):
        state = rules.initial_state()
        for _ in range(PLIES):
            if rules.is_terminal(state):
                break
            legal = list(legal_actions(rules, state))
            if int(rules.to_move(state)) == CHANCE:
                most = max(most, len(legal))
            state = rules.result(state, random.choice(legal))
    return most


def registered(rules: Game, name: str) -> SpielGame:
    """The game, by a name that OpenSpiel knows from now on; see `registration.openspiel_game`."""
    spiel.register_game(type_of(rules, name), type(name, (SpielGame,), {"rules": rules, "name": name}))
    game: SpielGame = spiel.load_game(name)
    return game
