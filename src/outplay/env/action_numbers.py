"""The fixed space of actions of an environment: every action of a game has a number from 0 to `size` - 1.

    numbered   the number of an action is its own, and `size` is the game's `action_limit` or, without one, one more
               than the greatest number that random games show
    listed     the number of an action is its place among the legal ones, as the rules list them, for games whose own
               numbers are too large, such as the paths of draughts; `size` is twice the most that random games show,
               and if a state has more, only the first can be played

Start at `action_numbers_of`.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import RulesError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.numbered import encoded, numbered

LARGEST = 1 << 15
"""Larger numbers of actions are not numbers of a space."""
GAMES, PLIES, DECISIONS = 400, 400, 20_000
"""The most random games that are played to find the size, plies in each, and decisions in all of them."""
Mask = NDArray[np.int8]


@dataclass(frozen=True)
class ActionNumbers:
    """The numbers of the actions of a game.

    Attributes:
        game: the game.
        size: how many numbers there are.
        by_place: whether a number is a place among the legal actions.

    >>> from outplay.games import ConnectFour, EnglishDraughts
    >>> action_numbers_of(ConnectFour())
    ActionNumbers(game=ConnectFour(), size=7, by_place=False)
    >>> action_numbers_of(EnglishDraughts()).by_place
    True
    """

    game: Game
    size: int
    by_place: bool

    def numbers(self, legal: Sequence[Any]) -> list[int]:
        """The number of each legal action; of those `listed`, only the first `size` have one."""
        if self.by_place:
            return list(range(min(len(legal), self.size)))
        numbers = [encoded(numbered(self.game), action) for action in legal]
        if numbers and max(numbers) >= self.size:
            raise RulesError(
                f"{self.game!r} has an action with the number {max(numbers)}, but random games have shown numbers below"
                f" {self.size} only: define action_limit(), which returns a number above those of all actions"
            )
        return numbers

    def mask(self, legal: Sequence[Any]) -> Mask:
        """1 for the number of each legal action, else 0: int8 [size]."""
        mask = np.zeros(self.size, np.int8)
        mask[self.numbers(legal)] = 1
        return mask

    def action(self, legal: Sequence[Any], number: int) -> Any:
        """The legal action with this number. Raises `KeyError` if none has it."""
        return dict(zip(self.numbers(legal), legal, strict=False))[int(number)]


@functools.lru_cache(maxsize=256)
def action_numbers_of(game: Game) -> ActionNumbers:
    """The numbers of the actions of a game."""
    if defines(game, "action_limit"):
        limit = game.action_limit()
        assert limit is not None, "a game that defines it knows it"
        return ActionNumbers(game, int(limit), by_place=False)
    rules, random = numbered(game), Random(0)  # noqa: S311 - not for secrets
    largest, most, decisions = -1, 0, 0
    for _ in range(GAMES):
        state, plies = rules.initial_state(), 0
        while not rules.is_terminal(state) and plies < PLIES:
            legal = list(legal_actions(rules, state))
            if rules.to_move(state) != CHANCE:
                largest, most, decisions = max(largest, *legal), max(most, len(legal)), decisions + 1
            state, plies = rules.result(state, random.choice(legal)), plies + 1
        if decisions >= DECISIONS:
            break
    if not decisions:
        raise UnsuitableGame(f"{game!r}: no player decides anything in {GAMES} random games")
    by_place = largest >= LARGEST
    return ActionNumbers(game, 2 * most if by_place else largest + 1, by_place)
