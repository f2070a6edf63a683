"""The rules as native code: kernels that ask each rule, and the law that they agree with the interpreter.

The kernels that compile are in `Checker.native`. They run with the checks of `Game.checked`, so an int that outgrows
64 bits is found.
"""

from contextlib import suppress
from inspect import isgeneratorfunction
from typing import Any

import numpy as np

from outplay.check.checker import Broken, Checker
from outplay.check.differences import Apart, same
from outplay.compile.kernels import cast_state, kernel, pointer, runs_compiled
from outplay.compile.random_numbers import new_random
from outplay.rules.base import checked
from outplay.rules.errors import RulesError
from outplay.rules.game import Game, defines, legal_actions, noisy_actions
from outplay.rules.keys import SEED, mix, state_key

# -- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def ask_all(game: Any, state: Any, arrays: Any) -> tuple[bool, int, int, bool, bool, int]:
    """Each rule that a search asks: over, player to move, number of actions, quiet, urgent, key; more in `arrays`."""
    actions, orders, payoffs, estimates, noisy = arrays
    over, mover, number, quiet, urgent = game.is_terminal(state), 0, 0, True, False
    if over:
        for player in range(game.players):
            payoffs[player] = game.utility(state, player)
    else:
        mover = game.to_move(state)
        for action in legal_actions(game, state):
            if number < len(actions):
                actions[number] = action
                if mover >= 0:
                    orders[number] = game.order(state, action)
            number += 1
        quiet, urgent = game.is_quiet(state), game.needs_extension(state)
        if defines(game, "noisy"):
            for place, action in enumerate(noisy_actions(game, state)):
                if place < len(noisy):
                    noisy[place] = action
        for player in range(game.players):
            estimates[player] = game.evaluate(state, player)
    return over, mover, number, quiet, urgent, state_key(game, state)


@kernel
def ask_initial_state(game: Any) -> Any:
    """The initial state."""
    return game.initial_state()


@kernel
def ask_result(game: Any, state: Any, action: int) -> Any:
    """The next state."""
    return game.result(state, action)


@kernel
def ask_null_move_state(game: Any, state: Any) -> Any:
    """The state after a pass."""
    return game.null_move_state(state)


@kernel
def ask_playout_action(game: Any, state: Any, last: int, random: Any) -> int:
    """The action that a playout plays."""
    return game.playout_action(state, last, pointer(random))  # type: ignore[no-any-return]


@kernel
def ask_information(game: Any, state: Any, player: int) -> int:
    """The hash of what a player knows; only games with hidden information have it."""
    return mix(SEED, game.information(state, player))


@kernel
def ask_determinize(game: Any, state: Any, player: int, random: Any) -> Any:
    """A state that looks the same to a player."""
    return game.determinize(state, player, pointer(random))


@kernel
def ask_probability(game: Any, state: Any, action: int) -> float:
    """The probability of one outcome; only games with chance have it."""
    return game.probability(state, action)  # type: ignore[no-any-return]


@kernel
def ask_symmetries(game: Any, state: Any) -> Any:
    """The symmetric states."""
    return game.symmetries(state)


def arrays_for(game: Game, number: int) -> tuple[Any, ...]:
    """What `ask_all` fills: actions, orders, payoffs, estimates, noisy.

    Actions and noisy are int64 [number], orders float64 [number], payoffs and estimates float64 [players].
    """
    players = game.players
    return (
        np.zeros(number, np.int64),
        np.zeros(number),
        np.zeros(players),
        np.zeros(players),
        np.zeros(number, np.int64),
    )


# -- compiling --------------------------------------------------------------------------------------------------------


def compile_rules(check: Checker, state: Any) -> None:
    """The rules compile, or run interpreted; compiled, they give the same initial state.

    If one kernel does not compile, searches may still run compiled: they may not need that rule.
    """
    from outplay.compile.native.refusal import without_warnings  # noqa: PLC0415 - it imports Numba

    check.twin = game = checked(check.game)
    try:
        if runs_compiled(game):
            gated = cast_state(game, state)
            _try(check, ask_all, gated, arrays_for(game, 1))
            _try(check, ask_result, gated, 0)
            if game.has_chance:
                _try(check, ask_probability, gated, 0)
            if game.hidden_information:
                _try(check, ask_information, gated, 0)
            if defines(game, "determinize"):
                _try(check, ask_determinize, gated, 0, new_random(0))
            if defines(game, "symmetries") and not isgeneratorfunction(check.game.symmetries):
                _try(check, ask_symmetries, gated)  # a compiled generator cannot be returned to Python
            if defines(game, "null_move_state"):
                _try(check, ask_null_move_state, gated)
            if defines(game, "playout_action"):
                _try(check, ask_playout_action, gated, -1, new_random(0))
            if game.hidden_information and not defines(game, "determinize"):  # only then do searches ask it
                _try(check, ask_initial_state)
            else:
                with without_warnings(), suppress(RulesError):
                    _try(check, ask_initial_state)
        check.compiled = {ask_all, ask_result} <= check.native
    except Exception as error:
        raise Broken("The rules compile, or run interpreted.", str(error)) from error
    if ask_initial_state in check.native:
        agree(check, "initial_state", state, run(check, ask_initial_state))


def _try(check: Checker, kernel: Any, *arguments: Any) -> None:
    """Compile one kernel, if it compiles."""
    from outplay.compile.native.refusal import on_trial  # noqa: PLC0415 - it imports Numba

    with on_trial(check.twin):
        kernel.prepare(check.twin, *arguments)
        if runs_compiled(check.twin):
            check.native.add(kernel)


# -- comparing --------------------------------------------------------------------------------------------------------


def run(check: Checker, kernel: Any, *arguments: Any) -> Any:
    """What a compiled kernel returns; its run-time checks are laws too."""
    try:
        return kernel.prepare(check.twin, *arguments)(check.twin, *arguments)
    except RulesError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:  # native code has no frames
            raise Broken(_agreement(check.rule), str(error)) from error
        raise


def agree(check: Checker, rule: str, plain: Any, native: Any) -> None:
    """The compiled and the interpreted answer of a rule are the same."""
    remedy = "- does an int outgrow its bits?"
    check.law(_agreement(rule), same(plain, native), Apart("interpreted", plain, "but compiled", native), remedy)


def _agreement(rule: str) -> str:
    return f"{rule or 'Every rule'} returns the same compiled and interpreted."
