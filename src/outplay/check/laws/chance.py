"""Laws of chance."""

import math

from outplay.check.checker import Checker
from outplay.check.differences import TOLERANCE, are_finite
from outplay.check.native import agree, ask_probability, run
from outplay.check.run_memory import Place
from outplay.compile.kernels import cast_state


def probabilities(check: Checker, place: Place) -> None:
    """Probabilities are positive and sum to one."""
    chances = [check.number("probability", place.state, action) for action in place.actions]
    check.action = None
    are_chances = are_finite(chances) and (min(chances) > 0 or (check.zero_probabilities and min(chances) == 0))
    is_one = are_chances and math.isclose(math.fsum(chances), 1, rel_tol=TOLERANCE)
    check.law("Probabilities are positive and sum to 1.", is_one, "got", chances)
    place.probabilities = chances
    if ask_probability in check.native:
        gated = cast_state(check.game, place.state)
        agree(check, "probability", chances, [run(check, ask_probability, gated, action) for action in place.actions])
