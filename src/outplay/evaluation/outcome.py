"""Evaluations by the final outcomes of games that pass through a state, or through similar ones.

An estimate is the expected utility over the final outcomes (Russell & Norvig, chapter 5): if 72 % of games are won,
20 % are lost and 8 % drawn, it is 0.72 * 1 - 0.20 * 1 + 0.08 * 0 = 0.52. `OutcomeEvaluation` looks up these shares in a
table, by the category of the state; `PlayoutEvaluation` plays random games from the state itself.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from reprlib import repr as shortened
from typing import Any, Self

import numpy as np

from outplay.compile.kernels import kernel
from outplay.evaluation.variant import Rule, bounds, check_opposed, evaluated
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import EvaluationError
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import SEED, mix, state_key
from outplay.system.files import read_text, write_file

MAX_PLIES = 10_000
"""Games that are not over after this many plies count as draws."""
POSITIVE = (1 << 62) - 1
Category = Callable[[Any, Any], int]
"""Returns the category of a state, seen from the player to move: a function of game and state."""


@dataclass(frozen=True)
class PlayoutEvaluation:
    """The mean utility of random playouts. Pass it to a search as `evaluate=`; it compiles with the search.

    The playouts of a state are the same each time. They ignore `repetition`.

    Args:
        playouts: the number of games to play from each state.
        seed: different seeds play different games.

    >>> from outplay.games import Nim
    >>> game = Nim((1, 2))                 # played at random, as many games are won as lost
    >>> evaluation = PlayoutEvaluation(1000)
    >>> -0.1 < evaluation(game, game.initial_state(), 0) < 0.1
    True
    """

    playouts: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in ("playouts", 1), ("seed", 0):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1 << 31:
                raise EvaluationError(f"{name}={value!r}: a whole number, at least {least}")

    def __call__(self, game: Game, state: Any, player: int) -> float:
        """The estimate of the utility of `player`; the utility itself if the game is over."""
        return evaluated(self, game, state, player)

    def rule(self, game: Game) -> Rule:
        """The function that searches of `game` compile."""
        check_opposed(self, game)
        return _playout_rule(self.playouts, self.seed, *bounds(game))


@functools.lru_cache(maxsize=256)
def _playout_rule(playouts: int, seed: int, least: float, greatest: float) -> Rule:
    def evaluate(game: Any, state: Any, player: int) -> float:
        return min(max(mean_of_playouts(game, state, player, playouts, seed), least), greatest)

    return evaluate


@kernel
def mean_of_playouts(game: Any, state: Any, player: int, number: int, seed: int) -> float:
    """The mean utility of `player` over `number` random playouts, chosen by `seed` and the key of `state`."""
    dice, sum_ = mix(mix(SEED, seed), state_key(game, state)), 0.0
    for _ in range(number):
        current, plies = state, 0
        while not game.is_terminal(current) and plies < MAX_PLIES:
            chosen_action = 0
            for i, action in enumerate(legal_actions(game, current)):
                dice = mix(dice, i)
                if (dice & POSITIVE) % (i + 1) == 0:  # with probability 1/2, 1/3, … it replaces the last choice
                    chosen_action = action
            current = game.result(current, chosen_action)
            plies += 1
        sum_ += game.utility(current, player) if game.is_terminal(current) else draw_utility(game)
    return sum_ / number


@dataclass(frozen=True, init=False, eq=False)
class OutcomeEvaluation:
    """The expected utility by the category of a state. Pass it to a search as `evaluate=`.

    States whose category is not in the table are estimated as a draw, halfway between a win and a loss.

    Args:
        games: for each category, the number of games by the utility that the player to move there got in the end.
        category: returns the category of a state, seen from the player to move: a function of game and state.

    >>> evaluation = OutcomeEvaluation({1: {1.0: 72, 0.0: 8, -1.0: 20}}, lambda game, state: 1)
    >>> evaluation.shares(1)
    {1.0: 0.72, 0.0: 0.08, -1.0: 0.2}
    >>> round(evaluation.value(1), 2)
    0.52
    >>> print(evaluation)
    1: 72 of +1, 8 of +0, 20 of -1  # 72 % 8 % 20 %, value +0.52
    """

    games: Mapping[int, Mapping[float, int]]
    category: Category

    def __init__(self, games: Mapping[int, Mapping[float, int]], category: Category) -> None:
        for number, ends in games.items():
            if not ends or min(ends.values()) < 0 or sum(ends.values()) == 0:
                raise EvaluationError(f"category {number} has no games: leave it out")
        ordered = {number: dict(sorted(ends.items(), reverse=True)) for number, ends in sorted(games.items())}
        object.__setattr__(self, "games", ordered)
        object.__setattr__(self, "category", category)

    def shares(self, category: int) -> dict[float, float]:
        """The share of games that ended with each utility, highest utility first."""
        ends = self.games.get(category, {})
        return {utility: number / sum(ends.values()) for utility, number in ends.items()}

    def value(self, category: int) -> float:
        """The expected utility of the player to move; 0 for an unknown category."""
        ends = self.games.get(category, {0.0: 1})
        return sum(utility * number for utility, number in ends.items()) / sum(ends.values())

    def __call__(self, game: Game, state: Any, player: int) -> float:
        """The estimate of the utility of `player`; the utility itself if the game is over."""
        return evaluated(self, game, state, player)

    def rule(self, game: Game) -> Rule:
        """The function that searches of `game` compile."""
        check_opposed(self, game)
        values = tuple(self.value(number) for number in self.games)
        return _table_rule(self.category, tuple(self.games), values, draw_utility(game), *bounds(game))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OutcomeEvaluation):
            return NotImplemented
        return self.games == other.games and self.category is other.category

    def __hash__(self) -> int:
        return hash((tuple(self.games), self.category))

    def __str__(self) -> str:
        """One line per category, as in a file."""
        lines = []
        for number, ends in self.games.items():
            counts = ", ".join(f"{count} of {utility:+.17g}" for utility, count in ends.items())
            shares = " ".join(f"{100 * share:.3g} %" for share in self.shares(number).values())
            lines.append(f"{number}: {counts}  # {shares}, value {self.value(number):+.3g}")
        return "\n".join(lines)

    # -- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table to a text file, one line `category: games of utility, …` per category."""
        write_file(path, f"{self}\n".encode(), EvaluationError)

    @classmethod
    def load(cls, path: str | PathLike[str], category: Category) -> Self:
        """Read the table from a text file. Give the `category` by which it was counted.

        A # starts a comment. Raises `EvaluationError` with the line number for a line that cannot be read.
        """
        games: dict[int, dict[float, int]] = {}
        for number, line in enumerate(read_text(path, EvaluationError).splitlines(), start=1):
            text = line.partition("#")[0]
            if not text.strip():
                continue
            try:
                name, counts = text.split(":")
                pairs = [count.split(" of ") for count in counts.split(",")]
                ends = {float(utility): int(count) for count, utility in pairs}
                key = int(name)
            except ValueError:
                shown_text = shortened(text.strip())
                raise EvaluationError(
                    f"{path}:{number}: {shown_text} is not a category; write for example: 3: 72 of +1, 20 of -1"
                ) from None
            if key in games:
                raise EvaluationError(f"{path}:{number}: category {key} is given twice; leave one of them out")
            try:
                cls({key: ends}, category)
            except EvaluationError as error:
                raise EvaluationError(f"{path}:{number}: {error}") from None
            games[key] = ends
        return cls(games, category)


@functools.lru_cache(maxsize=64)
def _table_rule(
    category: Category, categories: tuple[int, ...], values: tuple[float, ...], draw: float, least: float,
    greatest: float,
) -> Rule:  # fmt: skip
    categories_known = np.array(categories, np.int64)  # int64 [categories], ascending
    expected = np.array([*values, draw])  # float64 [categories + 1]
    number, total = len(categories), 2 * draw

    def evaluate(game: Any, state: Any, player: int) -> float:
        own_category = category(game, state)
        low, high = 0, number
        while low < high:
            middle = (low + high) // 2
            if categories_known[middle] < own_category:
                low = middle + 1
            else:
                high = middle
        value = draw
        if low < number and categories_known[low] == own_category:
            value = float(expected[low])
        if game.to_move(state) != player:
            value = total - value
        return min(max(value, least), greatest)

    return evaluate
