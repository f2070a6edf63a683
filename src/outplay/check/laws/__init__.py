"""All laws of games, in the order in which they are tried.

A law is a function of the `Checker` and, for the laws of a state, of a `Place`. It does nothing where it does not
apply. `form` and `facts` in `states.py` come before these, for every state; `recall` in `hidden.py` compares the states
along a playout.
"""

from collections.abc import Callable

from outplay.check.checker import Checker
from outplay.check.laws.compiled import compiled_rules
from outplay.check.laws.game import constants
from outplay.check.laws.hidden import determinizations, information, secrets, siblings, worlds
from outplay.check.laws.hints import extensions, forced_results_and_candidates, noisy_actions, orders, quiet_states
from outplay.check.laws.moves import passes, playout_actions, results
from outplay.check.laws.numbering import numbering
from outplay.check.laws.numbers import estimates, features, utilities
from outplay.check.laws.states import keys
from outplay.check.laws.symmetry import symmetries
from outplay.check.laws.texts import action_names, boards, pictures, state_texts
from outplay.check.run_memory import Place

StateLaw = Callable[[Checker, Place], None]


def in_turn(*laws: StateLaw) -> StateLaw:
    """Several laws as one: the first that is broken ends it."""

    def law(check: Checker, place: Place) -> None:
        for tried_law in laws:
            tried_law(check, place)

    return law


STATE_LAWS: tuple[StateLaw, ...] = (
    utilities,
    results,
    action_names,
    in_turn(estimates, quiet_states, extensions, noisy_actions, passes, orders),
    forced_results_and_candidates,
    pictures,
    boards,
    state_texts,
    features,
    symmetries,
    numbering,
    compiled_rules,
    constants,
    information,
    siblings,
    determinizations,
    keys,
    playout_actions,
)
"""Tried in every state that is visited for the first time."""

HIDDEN_LAWS: tuple[Callable[[Checker], None], ...] = (secrets, worlds)
"""Tried after the playouts of a game with hidden information."""
