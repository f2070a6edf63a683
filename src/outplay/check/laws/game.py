"""Laws of the game as a whole: its declarations, pickling, the start, and that nothing changes."""

import pickle
import warnings
from time import perf_counter

from outplay.check.checker import Checker, Fatal
from outplay.check.differences import Apart, acts_as_int, are_finite, same
from outplay.check.native import compile_rules
from outplay.check.run_memory import Place
from outplay.rules.arguments import MAX_PLAYERS, is_whole
from outplay.rules.base import attributes
from outplay.rules.game import defines
from outplay.system.uninterrupted import Late, waiting_until

COMPILING = 0.75
"""The part of the time after which the rest of the check goes on without compiled rules."""


def declarations(check: Checker) -> bool:
    """The class attributes make sense."""
    game, declared = check.game, check.game.utilities
    is_number = is_whole(game.players) and 1 <= game.players <= MAX_PLAYERS
    check.law(f"players is a whole number from 1 to {MAX_PLAYERS}.", is_number, "got", game.players)
    is_row = isinstance(game.teams, (tuple, list)) and len(game.teams) == game.players
    are_teams = not game.teams or (is_row and all(map(acts_as_int, game.teams)))
    check.law("teams is empty or has a number for each player.", are_teams, "got", game.teams)
    is_pair = isinstance(declared, (tuple, list)) and len(declared) == 2
    is_range = declared is None or (is_pair and are_finite(declared) and declared[0] <= declared[1])
    check.law("utilities is None or (least, greatest).", is_range, "got", declared)
    for flag in ("zero_sum", "has_chance", "hidden_information", "by_trial"):
        value = getattr(game, flag)
        check.law(f"{flag} is True or False.", isinstance(value, bool), "got", value)
    constant = game.constant_sum
    is_sum = constant is None or (isinstance(constant, (int, float)) and are_finite([constant]))
    check.law("constant_sum is None or a number.", is_sum, "got", constant)
    both = bool(constant) and attributes(check.rules).get("zero_sum") is True
    check.law("A game with zero_sum = True has no constant_sum but 0.", not both, "got", constant)
    for flag, rule in (("has_chance", "probability"), ("hidden_information", "information")):
        law = f"A game with {flag} defines {rule}."
        check.law(law, not getattr(game, flag) or defines(game, rule), rule, "is not defined")
    return True


def pickling(check: Checker) -> None:
    """A pickled game is the same game."""
    game = check.game
    try:
        data = pickle.dumps(game)
    except Exception as error:  # a class made inside a function, a parameter that is a function
        check.notes[f"cannot be pickled, so it cannot be sent to other processes: {error}"] = None
    else:
        copy = pickle.loads(data)  # noqa: S301 - our own
        law = "A pickled game is the same game."
        check.law(law, copy == game and repr(copy) == repr(game), game, "came back as", copy)


def start(check: Checker) -> bool:
    """The game starts in the same state each time."""
    check.ask("initial_state")
    return True


def compiling(check: Checker) -> None:
    """The rules compile, or a note says why not."""
    state = check.ask("initial_state")
    seconds = COMPILING * (check.until - perf_counter())
    with warnings.catch_warnings(record=True) as caught, waiting_until(perf_counter() + seconds):
        warnings.simplefilter("always")
        try:
            check.attempt(compile_rules, state)
        except Late:
            check.native = set()
            check.notes[f"not compared with compiled rules, since compiling took more than {seconds:.1f} s"] = None
            return
    check.notes |= dict.fromkeys(str(warning.message).splitlines()[0] for warning in caught)
    if not (check.compiled or caught or check.failures) and check.game.compiled is None:
        check.notes["runs interpreted; an earlier warning said why"] = None


def constants(check: Checker, place: Place) -> None:
    """Rules do not change the attributes of the game."""
    for name, value in check.attributes.items():
        check.about(name, place.state)
        current = getattr(check.rules, name, None)
        law = "The attributes of a game never change after __init__."
        check.law(law, same(current, value), name, Apart("was", value, "and is", current), broken=Fatal)
