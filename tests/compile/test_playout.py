"""Random actions are uniform, the same for the same seed, and the same compiled and interpreted."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from outplay import Game, kernel, legal_actions
from outplay.compile.kernels import pointer
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import LISTED, new_random, random_below
from outplay.games import ConnectFour


class Choice(Game):
    """One of the actions 3, 6, 9, …, then the game is over; a subclass gives them in another form."""

    def __init__(self, number: int = 7) -> None:
        self.number = number

    def initial_state(self) -> Any:
        return (0,)

    def to_move(self, state: Any) -> int:
        return 0

    def actions(self, state: Any) -> Any:
        for action in range(self.number):
            yield 3 * action + 3

    def result(self, state: Any, action: int) -> Any:
        return (action,)

    def is_terminal(self, state: Any) -> bool:
        return bool(state[0])

    def utility(self, state: Any, player: int) -> float:
        return 0.0


class Listed(Choice):
    """A generator that cannot be drawn from by trial."""

    def actions(self, state: Any) -> Any:
        action = 3
        while action <= 3 * self.number:
            yield action
            action += 3


class InArray(Choice):
    def actions(self, state: Any) -> Any:
        return 3 * np.arange(self.number) + 3


class InSmallArray(Choice):
    def actions(self, state: Any) -> Any:
        return (3 * np.arange(self.number) + 3).astype(np.int16)


class InMask(Choice):
    def actions(self, state: Any) -> Any:
        mask = 0
        for action in range(self.number):
            mask |= 1 << 3 * action + 3
        return mask


class InTuple(Choice):
    def actions(self, state: Any) -> Any:
        return (3, 6, 9, 12, 15, 18, 21)


FORMS = [Choice, Listed, InArray, InSmallArray, InMask, InTuple]


@kernel
def choose(game: Any, state: Any, random: Any, chosen: Any) -> None:
    """Fill `chosen` with random actions."""
    random = pointer(random)
    for i in range(len(chosen)):
        chosen[i] = random_action(game, state, random)


def drawn(game: Game, times: int, seed: int = 1, run: Any = choose) -> list[int]:
    chosen = np.zeros(times, np.int64)
    run(game, game.initial_state(), new_random(seed), chosen)
    return chosen.tolist()


@pytest.mark.sample(2)
@pytest.mark.parametrize("form", FORMS)
def test_every_action_is_equally_likely_in_every_form(form: type[Choice]) -> None:
    game = form()
    found = drawn(game, 70_000)
    counts = Counter(found)
    assert sorted(counts) == list(legal_actions(game, game.initial_state()))
    assert chisquare(list(counts.values())).pvalue > 1e-3
    assert found == drawn(Choice(), 70_000)
    assert found[:200] == drawn(game, 200, run=choose.interpreted)


def test_what_follows_an_action_does_not_depend_on_it() -> None:
    found = drawn(Choice(), 140_001)
    for gap in 1, 2:
        pairs = Counter(zip(found, found[gap:], strict=False))
        assert len(pairs) == 49
        assert chisquare(list(pairs.values())).pvalue > 1e-3


@pytest.mark.compiled
@pytest.mark.parametrize("form", [Choice, Listed, InArray])
def test_more_actions_than_can_be_listed(form: type[Choice]) -> None:
    number = LISTED + 500
    found = drawn(form(number), 30 * number)
    counts = np.bincount(found, minlength=3 * number + 1)
    assert counts[3::3].sum() == len(found)
    assert chisquare(counts[3::3]).pvalue > 1e-3
    assert found[:200] == drawn(form(number), 200, run=choose.interpreted)


def test_the_list_of_actions_ends_before_the_generator() -> None:
    random = new_random(5)
    random[:LISTED] = -1
    random_action.interpreted(Listed(LISTED), (0,), random)
    assert random[0] == 3
    assert random[LISTED - 1] == 3 * LISTED
    other = new_random(5)
    random_below(other, 2)
    assert random[LISTED] == other[LISTED]


def test_the_seed_decides() -> None:
    first, second, other = new_random(1), new_random(1), new_random(2)
    numbers = [[random_below(random, 1000) for _ in range(20)] for random in (first, second, other)]
    assert numbers[0] == numbers[1] != numbers[2]
    assert all(0 <= number < 1000 for number in numbers[0] + numbers[2])


def test_draws_are_uniform_for_any_number() -> None:
    random = new_random(3)
    for number in 1, 2, 3, 10, 100:
        counts = np.bincount([random_below(random, number) for _ in range(200 * number)], minlength=number)
        assert len(counts) == number
        assert number == 1 or chisquare(counts).pvalue > 1e-3


def test_random_games_compiled_and_interpreted() -> None:
    from benchmarks.playouts import play, playouts

    game = ConnectFour()
    assert play(game, 20) == play(game, 20, playouts.interpreted)
