"""Laws of states that are numbered for tables by class."""

from typing import Any

from outplay.check.checker import Checker
from outplay.check.laws.states import alike, facts, form
from outplay.check.run_memory import Place
from outplay.rules.constant_sum import team_members
from outplay.rules.game import defines

SAMPLED = 4
"""The number of indices of the state's class that are tried."""


def open_value(check: Checker, state: Any) -> float:
    """The utility of `index_player` without what it has gained for good."""
    player = int(check.game.index_player(state))
    return float(check.ask("utility", state, player) - check.ask("index_points", state, player))


def points(check: Checker, place: Place, number: int) -> None:
    """What sides have gained sums to 0, and changes only with the class."""
    game = check.game
    gained = [check.ask("index_points", place.state, team[0]) for team in team_members(game)]
    check.law("The index_points of all sides sum to 0.", sum(gained) == 0, "got", gained)
    for action in () if place.over else check.some(place.actions):
        child = check.ask("result", place.state, action)
        after = check.ask("index_points", child, team_members(game)[0][0])
        check.about("index_points", child)
        law = "Only actions that lead to another class change index_points."
        check.law(law, after == gained[0] or game.state_class(child) != number, gained[0], "became", after)


def stages(check: Checker, place: Place, number: int, twin: Any) -> None:
    """No action within a class raises `index_stage`, and after conversions `index_plies` begins anew."""
    game = check.game
    stage = check.ask("index_stage", place.state)
    law = "States with the same index have the same index_stage."
    check.law(law, game.index_stage(twin) == stage, "got", game.index_stage(twin), "and", stage)
    for action in () if place.over else check.some(place.actions):
        child = check.ask("result", place.state, action)
        after, child_class = check.ask("index_stage", child), game.state_class(child)
        check.about("index_stage", child)
        if child_class == number:
            check.law("No action within a class raises index_stage.", after <= stage, stage, "became", after)
        if child_class >= 0 and (child_class != number or after < stage) and (index := game.state_index(child)) >= 0:
            left, whole = game.index_plies(child), game.index_plies(game.indexed_state(child_class, index))
            check.law("After a conversion, index_plies is that of the index.", left == whole, left, "of", whole)


def numbering(check: Checker, place: Place) -> None:
    """`state_index` and `indexed_state` are inverses, but for images, and indices without a state."""
    game = check.game
    if not all(defines(game, rule) for rule in ("state_index", "indexed_state", "index_count")):
        return
    number = check.ask("state_class", place.state)
    if number < 0:
        return
    count = check.ask("index_count", number)
    index = check.ask("state_index", place.state)
    check.law("state_index is below index_count.", index < count, "got", index, "of", count)
    if index >= 0:
        twin = check.ask("indexed_state", number, index)
        form(check, twin)
        check.about("indexed_state", place.state)
        again = game.state_class(twin), game.state_index(twin)
        law = "indexed_state returns a state with the class and the index that it is given."
        check.law(law, again == (number, index), "got", again, "for", (number, index))
        if game.index_player(twin) == game.index_player(place.state) and game.index_plies(place.state) > 0:
            other = facts(check, twin)
            check.about("indexed_state", place.state)
            alike(check, "States with the same index are worth the same.", place, other, ("over", "mover"))
            if place.over and other.over:
                mine, its = open_value(check, place.state), open_value(check, twin)
                check.law("At the end, utility - index_points is that of the index.", mine == its, mine, "and", its)
        if defines(game, "index_stage"):
            stages(check, place, number, twin)
    if defines(game, "index_points"):
        points(check, place, number)
    for _ in range(SAMPLED):
        random_index = check.random.randrange(count)
        state = check.ask("indexed_state", number, random_index)
        form(check, state)
        check.about("indexed_state", state)
        index_again = game.state_index(state)
        check.law(
            "state_index is below the index_count of its class.",
            index_again < game.index_count(game.state_class(state)) if game.state_class(state) >= 0 else True,
            "got",
            index_again,
        )
