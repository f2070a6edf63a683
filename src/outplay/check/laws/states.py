"""Laws of one state: its form, who moves, which actions there are, and its key."""

from collections.abc import Iterable
from operator import index
from typing import Any

from outplay.check.checker import MAX_ACTIONS, Broken, Checker
from outplay.check.differences import acts_as_bool, acts_as_int, is_bool, same
from outplay.check.laws.chance import probabilities
from outplay.check.run_memory import Place
from outplay.compile.kernels import cast_state
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, defines
from outplay.rules.keys import state_key
from outplay.rules.numbered import ARE_ACTIONS, wrong_action

SAME_KEY = "States with the same key are the same for the rest of the game."


def form(check: Checker, state: Any) -> None:
    """Compiled rules can take the state as it is."""
    if check.compiled:
        law = "Every state has the form of the initial state."
        try:
            gated = cast_state(check.game, state)
        except RulesError as error:
            raise Broken(law, str(error)) from error
        check.law(law, same(gated, state), "in that form it would be", gated)


def facts(check: Checker, state: Any) -> Place:
    """The state as a place, with what a playout needs to go on: whether it is over, who moves, the actions."""
    chance, players = check.game.has_chance, check.game.players
    over = check.ask("is_terminal", state)
    check.law("is_terminal returns True or False.", acts_as_bool(over), "got", over)
    place = Place(check.copy(state), bool(over))
    if over:
        return place
    mover = check.ask("to_move", state)
    law = f"The player to move is {'CHANCE (-1) or ' * chance}one of 0 to {players - 1}."
    check.law(law, acts_as_int(mover) and -chance <= mover < players, "got", mover)
    actions = check.ask("actions", state)
    check.law("A state that is not terminal has a legal action.", len(actions) > 0, "got", actions)
    check.law("The list of actions ends.", len(actions) < MAX_ACTIONS, "got more than", MAX_ACTIONS)
    are_actions = all(acts_as_int(action) and not is_bool(action) and 0 <= action < 2**63 for action in actions)
    check.law(ARE_ACTIONS, are_actions, "" if are_actions else wrong_action(check.game, actions))
    check.law("No action is listed twice.", len(set(actions)) == len(actions), "got", check.in_rules(actions))
    place.mover, place.actions = int(mover), list(map(index, actions))
    if place.mover == CHANCE:
        check.attempt(probabilities, place)
    return place


def keys(check: Checker, place: Place) -> None:
    """Two states have the same key exactly when they are the same for the rest of the game."""
    check.ask("key", place.state)
    is_same = state_key(check.game, place.state) == state_key(check.game, check.copy(place.state))
    remedy = "a copy has another key; define key(state)"
    check.law("Equal states have equal keys.", is_same, remedy)
    if place.twin is not None:
        twin = place.twin
        law = "Different states have different keys."
        check.law(law, defines(check.game, "key"), twin.state, "has the same key; define key(state)")
        alike(check, SAME_KEY, place, twin, ("over", "mover", "actions", "utilities"))
        place.equals.append(("key", twin.state))


def alike(check: Checker, law: str, place: Place, other: Place, facts: Iterable[str]) -> None:
    """Two places agree in these facts."""
    for fact in facts:
        mine, its = getattr(place, fact), getattr(other, fact)
        check.law(law, same(mine, its), fact, mine, "here, but", its, "in", other.state)
