"""Laws of hints: what the game tells a search to play first, to look at further, or to know without searching."""

import math
from typing import Any

from outplay.check.checker import Checker
from outplay.check.differences import acts_as_bool, acts_as_int
from outplay.check.run_memory import Place
from outplay.rules.constant_sum import draw_utility, total
from outplay.rules.game import CHANCE, defines, forced_result_depths, legal_actions

HINT_PLIES = 2
"""How many plies are searched to try `forced_result`, `utility_bounds` and `candidates`."""
MAX_HINT_ACTIONS = 12
"""The maximum number of actions of a state where they are tried."""

Settled = tuple[float, int]
"""A utility that is certain, and the plies to the end of the game."""


def quiet_states(check: Checker, place: Place) -> None:
    """`is_quiet` is True or False."""
    if not place.over and defines(check.game, "is_quiet"):
        quiet = check.ask("is_quiet", place.state)
        check.law("is_quiet returns True or False.", acts_as_bool(quiet), "got", quiet)


def extensions(check: Checker, place: Place) -> None:
    """`needs_extension` is True or False."""
    if not place.over and defines(check.game, "needs_extension"):
        urgent = check.ask("needs_extension", place.state)
        check.law("needs_extension returns True or False.", acts_as_bool(urgent), "got", urgent)


def noisy_actions(check: Checker, place: Place) -> None:
    """`noisy` lists legal actions."""
    if not place.over and defines(check.game, "noisy"):
        noisy = check.ask("noisy", place.state)
        is_part = len(set(noisy)) == len(noisy) and set(noisy) <= set(place.actions)
        check.law("noisy lists some of the legal actions, each once.", is_part, "got", noisy, "of", place.actions)


def orders(check: Checker, place: Place) -> None:
    """Orders are finite numbers."""
    if place.over or place.mover == CHANCE or not defines(check.game, "order"):
        return
    for action in check.some(place.actions):
        order = float(check.ask("order", place.state, action))
        check.law("Orders are finite numbers.", math.isfinite(order), "got", order)


def forced_results_and_candidates(check: Checker, place: Place) -> None:
    """What `forced_result`, `utility_bounds` and `candidates` claim is confirmed by a search of two plies."""
    game, mover = check.game, place.mover
    is_hinted = any(defines(game, rule) for rule in ("forced_result", "utility_bounds", "candidates"))
    is_plain = mover != CHANCE and not game.hidden_information and game.players <= 2
    if place.over or not is_hinted or not is_plain or len(place.actions) > MAX_HINT_ACTIONS:
        return
    try:
        value = settled(check, place.state, mover, HINT_PLIES)
    except Exception:  # the laws of the rule that fails will tell
        return
    plies = forced_results(check, place, value) if defines(game, "forced_result") else 0
    if defines(game, "utility_bounds") and plies == 0:
        utility_bounds(check, place, value)
    if defines(game, "candidates") and plies == 0:
        candidates(check, place, value)


def forced_results(check: Checker, place: Place, exact: Settled | None) -> int:
    """`forced_result` tells the truth, and misses nothing within its depth. Returns its number of plies."""
    game = check.game
    promise = check.ask("forced_result", place.state)
    law = "forced_result returns a pair: a utility and in how many plies, or (0, 0)."
    is_pair = isinstance(promise, tuple) and len(promise) == 2 and acts_as_int(promise[1]) and promise[1] >= 0
    check.law(law, is_pair, "got", promise)
    plies: int = promise[1]
    if 0 < plies <= HINT_PLIES:
        check.law("forced_result is right.", exact == (promise[0], plies), "got", promise, "but it is", exact)
    elif plies == 0 and game.forced_result_depth and game.utilities:
        wins, losses = forced_result_depths(game)
        is_open = (
            exact is None or exact[0] not in game.utilities or exact[1] > (losses, wins)[exact[0] > draw_utility(game)]
        )
        law = "forced_result misses no win and no loss within forced_result_depth plies."
        check.law(law, is_open, "got", promise, "but it is", exact)
    return plies


def utility_bounds(check: Checker, place: Place, exact: Settled | None) -> None:
    """`utility_bounds` is a pair of numbers, and the utility lies between them."""
    bounds = check.ask("utility_bounds", place.state)
    is_pair = isinstance(bounds, tuple) and len(bounds) == 2 and bounds[0] <= bounds[1]
    check.law("utility_bounds returns a pair: the least and the greatest utility.", is_pair, "got", bounds)
    is_inside = exact is None or bounds[0] <= exact[0] <= bounds[1]
    check.law("The utility lies within utility_bounds.", is_inside, "got", bounds, "but it is", exact)


def candidates(check: Checker, place: Place, exact: Settled | None) -> None:
    """`candidates` are legal, and a best action is among them."""
    listed = check.ask("candidates", place.state)
    law = "candidates are some of the legal actions, at least one, each once."
    is_part = len(set(listed)) == len(listed) > 0 and set(listed) <= set(place.actions)
    check.law(law, is_part, "got", listed, "of", place.actions)
    rest = settled(check, place.state, place.mover, HINT_PLIES, listed)
    law = "No action that candidates leaves out is better than the best candidate."
    check.law(law, exact is None or rest == exact, "got", listed, "worth", rest, "of actions worth", exact)


def settled(check: Checker, state: Any, player: int, depth: int, actions: list[int] | None = None) -> Settled | None:
    """The utility of `player` and the plies to the end, if that is certain within `depth` plies; else None."""
    check.in_time()
    game = check.game
    if game.is_terminal(state):
        return float(game.utility(state, player)), 0
    if depth == 0:
        return None
    mover = game.to_move(state)
    children = [game.result(state, action) for action in actions or legal_actions(game, state)]
    known_values = [settled(check, child, mover, depth - 1) for child in children]
    results = [(utility, plies + 1) for utility, plies in (one for one in known_values if one is not None)]
    wins = [plies for utility, plies in results if game.utilities and utility == game.utilities[1]]
    if wins:
        best = float(game.utilities[1]), min(wins)  # type: ignore[index]
    elif len(results) == len(known_values):
        most = max(utility for utility, _ in results)
        plies = [plies for utility, plies in results if utility == most]
        best = most, min(plies) if most > draw_utility(game) else max(plies)
    else:
        return None
    return best if mover == player else ((total(game) or 0.0) - best[0], best[1])
