"""Laws of numbers: utilities at the end, estimates and features before it."""

import math

import numpy as np

from outplay.check.checker import Checker
from outplay.check.differences import TOLERANCE, are_finite
from outplay.check.run_memory import Place
from outplay.rules.constant_sum import team_members, total
from outplay.rules.game import Game, defines


def utilities(check: Checker, place: Place) -> None:
    """Utilities are numbers in the declared range, equal within a team, and sum to zero if the game says so."""
    if not place.over:
        return
    game = check.game
    utilities = [check.number("utility", place.state, player) for player in range(game.players)]
    check.law("Utilities are finite numbers.", are_finite(utilities), "got", utilities)
    teams = team_members(game)
    whole = total(game)
    if whole is not None and len(teams) > 1:
        sum_of_teams = math.fsum(utilities[team[0]] for team in teams)
        is_right = abs(sum_of_teams - whole) <= TOLERANCE * max(map(abs, utilities))
        law = f"The utilities of all {'teams' if game.teams else 'players'} sum to {_in_words(whole)}."
        check.law(law, is_right, "got", utilities, f"with the sum {sum_of_teams:g}{_remedy(game, sum_of_teams)}")
    is_one = all(len({utilities[player] for player in team}) == 1 for team in teams)
    check.law("Players of a team have the same utility.", is_one, "got", utilities)
    check.law(f"Utilities lie in the range {game.utilities}.", in_range(check, utilities), "got", utilities)
    place.utilities = utilities


def _in_words(sum_: float) -> str:
    return f"{sum_:g}" if sum_ else "zero"


def _remedy(game: Game, sum_: float) -> str:
    """What to declare, if nothing was declared."""
    if game.constant_sum is not None or sum_ == 0:
        return ""
    return f": if it is always {sum_:g}, declare constant_sum = {sum_:g}; if it varies, zero_sum = False"


def estimates(check: Checker, place: Place) -> None:
    """Estimates are finite numbers in the range of the utilities."""
    game = check.game
    if place.over or not defines(game, "evaluate"):
        return
    estimates = [float(check.ask("evaluate", place.state, player)) for player in range(game.players)]
    check.law("Estimates are finite numbers.", are_finite(estimates), "got", estimates)
    check.law(f"Estimates lie in the range {game.utilities}.", in_range(check, estimates), "got", estimates)
    place.estimate = estimates[0]
    whole = total(game)
    if game.players == 2 and whole is not None and abs(sum(estimates) - whole) > TOLERANCE * max(map(abs, estimates)):
        note = f"evaluate() of the two players does not sum to {_in_words(whole)}, as their utilities do"
        check.notes[note] = None


def in_range(check: Checker, utilities: list[float]) -> bool:
    """Whether these lie within `Game.utilities`, where that is declared."""
    least, greatest = check.game.utilities or (-math.inf, math.inf)
    return all(least - TOLERANCE <= utility <= greatest + TOLERANCE for utility in utilities)


def features(check: Checker, place: Place) -> None:
    """Features are finite numbers, and each has a name."""
    features = np.asarray(check.ask("features", place.state)).ravel().tolist()
    check.law("Features are finite numbers.", are_finite(features), "got", features)
    names = check.game.feature_names
    law = "feature_names has a name for each feature."
    check.law(law, len(names) == len(features), "got", len(features), "features for the names", names)
    law = "feature_names are different words without spaces or #."
    are_words = all(isinstance(name, str) and name.split() == [name] and "#" not in name for name in names)
    check.law(law, are_words and len(set(names)) == len(names), "got", names)
