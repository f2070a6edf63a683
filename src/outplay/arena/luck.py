"""Luck-adjusted results: what dice and cards gave to each player, measured and taken off the result.

For any function v of the states, the luck of a throw is v of the state that it led to less the mean of v over all
throws. Its mean is 0, whatever the players do. So the utility less the luck of all throws has the same mean as the
utility, and a smaller spread the better v is: fewer games are needed for the same interval (Zinkevich, Bowling, Bard,
Kan and Billings, "Optimal unbiased estimators for evaluating agent performance", 2006).

Here v is the game's `evaluate` after the best move, if it has one and nothing is hidden; else the mean of some random
games from there. Start at `LuckMeter.of`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from outplay.chance.expectiminimax import Expectiminimax
from outplay.compile.kernels import kernel, pack, unpack
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random
from outplay.engine.limits import Limit
from outplay.montecarlo.playouts import random_outcome
from outplay.rules.actions import plain_action
from outplay.rules.constant_sum import draw_utility, has_constant_sum
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.numbered import numbered

GAMES = 100
"""The number of random games from each state."""
LONGEST = 1000
"""A longer random game counts as even."""
MAX_OUTCOMES = 100
"""The luck of a throw with more outcomes is not measured: it counts as none, which keeps the mean as well."""


class LuckMeter:
    """Measures what chance gives to each player of a game."""

    def __init__(self, game: Game) -> None:
        self.game, self.searcher = game, None
        if game.players == 2 and has_constant_sum(game) and defines(game, "evaluate") and not game.hidden_information:
            self.searcher = Expectiminimax(game, table_mb=1)

    def of(self, state: Any, outcome: int) -> tuple[float, ...]:
        """What each player gets from chance, if it decides for `outcome` in `state`."""
        outcomes = [plain_action(action) for action in legal_actions(self.game, state)]
        if not 2 <= len(outcomes) <= MAX_OUTCOMES:
            return (0.0,) * self.game.players
        values = self.values([self.game.result(state, outcome) for outcome in outcomes])
        mean = np.array([self.game.probability(state, outcome) for outcome in outcomes]) @ values
        return tuple((values[outcomes.index(outcome)] - mean).tolist())

    def values(self, states: Sequence[Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The value of each state for each player: shape (states, players)."""
        playing = [not self.game.is_terminal(state) and self.game.to_move(state) != CHANCE for state in states]
        if self.searcher is not None and all(playing):
            analyses = self.searcher.search_many(states, Limit(depth=1))
            return np.array([analysis.values for analysis in analyses])
        utilities = np.zeros((len(states), self.game.players))
        game = numbered(self.game)
        play_from(game, pack(game, states), new_random(0), utilities, draw_utility(game))
        return utilities


@kernel
def play_from(game: Any, packed: Any, random: Any, utilities: Any, even: float) -> None:
    """Write the mean utilities of `GAMES` random games from each state."""
    for index in range(len(utilities)):
        for _ in range(GAMES):
            state, plies = unpack(game, packed, index), 0
            while plies < LONGEST and not game.is_terminal(state):
                action = (
                    random_outcome(game, state, random)
                    if game.to_move(state) == CHANCE
                    else random_action(game, state, random)
                )
                state, plies = game.result(state, action), plies + 1
            for player in range(game.players):
                utilities[index, player] += (game.utility(state, player) if game.is_terminal(state) else even) / GAMES
