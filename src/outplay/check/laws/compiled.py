"""The law that compiled rules agree with the interpreter."""

from collections.abc import Callable
from typing import Any

from outplay.check.checker import Checker
from outplay.check.native import agree, arrays_for, ask_all, run
from outplay.check.run_memory import Place
from outplay.compile.kernels import cast_state


def compiled_rules(check: Checker, place: Place) -> None:
    """Each rule gives the same answer compiled and interpreted."""
    if check.compiled and (place.utilities or not place.over):  # without utilities, one of them is no number
        check.about("", cast_state(check.game, place.state))
        number = len(place.actions)
        plain = answers(check, number, lambda *arguments: ask_all.interpreted(check.game, *arguments))
        native = answers(check, number, lambda *arguments: run(check, ask_all, *arguments))
        for rule, answer in plain.items():
            check.rule = rule
            check.attempt(agree, rule, answer, native[rule])


def answers(check: Checker, number: int, ask: Callable[..., Any]) -> dict[str, Any]:
    """The answer of each rule, by rule. `number` is how many actions there are."""
    actions, orders, payoffs, estimates, noisy = arrays = arrays_for(check.game, number)
    over, mover, count, quiet, urgent, key = ask(check.state, arrays)
    return {
        "is_terminal": bool(over),
        "to_move": int(mover),
        "actions": (int(count), actions.tolist()),
        "order": orders.tolist(),
        "utility": payoffs.tolist(),
        "evaluate": estimates.tolist(),
        "is_quiet": bool(quiet),
        "needs_extension": bool(urgent),
        "noisy": noisy.tolist(),
        "key": int(key),
    }
