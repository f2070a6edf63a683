"""Laws of symmetric states and of equal values."""

import math
from typing import Any

from outplay.check.checker import Checker
from outplay.check.differences import same
from outplay.check.laws.numbers import utilities
from outplay.check.laws.states import SAME_KEY, alike, facts, form
from outplay.check.native import agree, ask_symmetries, run
from outplay.check.run_memory import Place
from outplay.compile.kernels import cast_state
from outplay.rules.constant_sum import has_constant_sum
from outplay.rules.game import CHANCE, defines, legal_actions

SYMMETRIC = "Symmetric states are worth the same."
MAX_SUBTREE = 500
"""The maximum number of states of a subtree that is solved to compare values."""


def symmetries(check: Checker, place: Place) -> None:
    """Symmetric states agree in all that can be counted; `values` compares what they are worth."""
    if not defines(check.game, "symmetries"):
        return
    images = check.ask("symmetries", place.state)
    is_tuple = isinstance(images, tuple) and len(images) > 0
    check.law("symmetries returns a tuple of states.", is_tuple, "got", images)
    if ask_symmetries in check.native:
        native = run(check, ask_symmetries, cast_state(check.game, place.state))
        agree(check, "symmetries", images, native)
    for image in images:
        form(check, image)
        other = facts(check, image)
        if other.over:
            utilities(check, other)
        check.about("symmetries", place.state)
        alike(check, SYMMETRIC, place, other, ("over", "mover", "utilities"))
        number, others = len(place.actions), len(other.actions)
        check.law(SYMMETRIC, number == others, number, "actions here, but", others, "in", image)
    law = "The state itself is among its symmetries."
    check.law(law, any(check.same_state(image, place.state) for image in images), "got", images)
    place.equals.append(("symmetries", check.random.choice(images)))


def values(check: Checker, place: Place) -> bool:
    """States that should have the same value have it; returns False if there are too many states to know."""
    game, equals = check.game, place.equals
    place.equals = []
    if not equals or game.players > 2 or (game.players == 2 and not has_constant_sum(game)):
        return True
    value = small_value(check, place.state, [MAX_SUBTREE])
    if math.isnan(value):
        return False
    for rule, other in equals:
        check.about(rule, place.state)
        other_value = small_value(check, other, [MAX_SUBTREE])
        is_same = math.isnan(other_value) or same(value, other_value)
        law = SAME_KEY if rule == "key" else SYMMETRIC
        check.law(law, is_same, value, "is the value for player 0 here, but", other_value, "in", other)
    return True


def small_value(check: Checker, state: Any, left: list[int]) -> float:
    """The value of `state` for player 0, by minimax; nan if its subtree has more than `left[0]` states."""
    check.in_time()
    game = check.game
    left[0] -= 1
    if left[0] < 0:
        return math.nan
    if game.is_terminal(state):
        return float(game.utility(state, 0))
    mover, values = game.to_move(state), []
    for action in legal_actions(game, state):
        value = small_value(check, game.result(state, action), left)
        if math.isnan(value):
            return math.nan
        values.append(value * game.probability(state, action) if mover == CHANCE else value)
    return math.fsum(values) if mover == CHANCE else max(values) if mover == 0 else min(values)
