"""Laws of moves: every listed action can be played, a pass hands over the move, playouts play legal actions."""

from outplay.check.checker import Checker
from outplay.check.differences import acts_as_int
from outplay.check.laws.states import form
from outplay.check.native import agree, ask_null_move_state, ask_playout_action, ask_result, run
from outplay.check.run_memory import Place
from outplay.compile.kernels import cast_state
from outplay.compile.random_numbers import new_random
from outplay.rules.game import CHANCE, defines


def results(check: Checker, place: Place) -> None:
    """Every listed action can be played; compiled, it leads to the same state."""
    if place.over:
        return
    for action in check.some(place.actions):
        child = check.ask("result", place.state, action)
        if check.game.hidden_information:
            place.children.append(child)
        if check.compiled:
            gated = cast_state(check.game, place.state)
            agree(check, "result", child, run(check, ask_result, gated, action))


def passes(check: Checker, place: Place) -> None:
    """After a pass the other player is to move."""
    game = check.game
    for rule in ("null_move_state", "passed_state"):
        if place.mover == CHANCE or not defines(game, rule):
            continue
        passed = check.ask(rule, place.state)
        form(check, passed)
        check.about(rule, place.state)
        law = f"{rule} hands the move to the other player, or returns the state itself."
        mover = None if game.is_terminal(passed) else game.to_move(passed)
        hands = mover != place.mover or check.same_state(passed, place.state)
        check.law(law, hands, "player", mover, "is to move in", passed)
        if rule == "null_move_state" and ask_null_move_state in check.native:
            native = run(check, ask_null_move_state, cast_state(game, place.state))
            agree(check, rule, passed, native)


def playout_actions(check: Checker, place: Place) -> None:
    """What a playout plays is a legal action, whether the action before is known or not."""
    if place.over or place.mover == CHANCE or not defines(check.game, "playout_action"):
        return
    for before in sorted({-1, place.last}):
        seed = check.random.randrange(1 << 31)
        action = check.ask("playout_action", place.state, before, seed)
        law = "playout_action returns a legal action."
        is_legal = acts_as_int(action) and action in place.actions
        check.law(law, is_legal, "got", action, "after action", before, "of", place.actions)
        if ask_playout_action in check.native:
            gated = cast_state(check.game, place.state)
            native = run(check, ask_playout_action, gated, before, new_random(seed))
            agree(check, "playout_action", int(action), native)
