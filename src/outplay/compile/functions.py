"""Functions of outplay that compiled code knows, each next to an interpreted twin elsewhere that says what it does."""

import inspect
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import cgutils, errors
from numba.extending import intrinsic

from outplay import bits, keys
from outplay.compile.game_type import GameType, made, overload
from outplay.compile.rules import native_rule
from outplay.game import defines, legal_actions
from outplay.kernels import raw


@intrinsic
def _trailing_zeros(typing: Any, x: types.Type) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], cgutils.false_bit)

    return types.int64(types.int64), lower


@intrinsic
def _population_count(typing: Any, x: types.Type) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), lower


@intrinsic
def _pointer(typing: Any, array: types.Array) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), lower


@overload(legal_actions)
def _(game: GameType, state: types.Type) -> Any:
    actions = game.game.actions(game.game.initial_state())
    if hasattr(actions, "__index__") and not hasattr(actions, "__len__"):
        return lambda game, state: bits.squares(np.int64(game.actions(state)))  # type: ignore[arg-type]
    rule = native_rule(game, "actions").py_func
    return rule if inspect.isgeneratorfunction(rule) else lambda game, state: _whole_numbers(game.actions(state))


def _whole_numbers(actions: Any) -> Any:
    """In compiled code: an array of actions as int64, so that no kernel counts in int8; anything else as it is."""
    return actions


@overload(_whole_numbers)
def _(actions: types.Type) -> Any:
    if isinstance(actions, types.Array) and actions.dtype != types.int64:
        return lambda actions: actions.astype(np.int64)
    return lambda actions: actions


@overload(defines, prefer_literal=True)
def _(game: GameType, rule: types.Type) -> Any:
    answer = defines(game.game, rule.literal_value)
    return lambda game, rule: answer


@overload(keys.state_key)
def _(game: GameType, state: types.Type) -> Any:
    if defines(game.game, "key"):
        return lambda game, state: keys.mix(keys.mix(keys.SEED, game.key(state)), 0)
    return lambda game, state: keys.mix(keys.mix(keys.SEED, state), 0)


@overload(keys.mix)
def _(h: types.Type, field: types.Type) -> Any:
    if isinstance(field, types.Array):

        def over_array(h: int, field: Any) -> int:
            for length in field.shape:
                h = keys.mix(h, length)
            for x in field.flat:
                h = keys.mix(h, x)
            return h

        return over_array
    if isinstance(field, types.BaseTuple):
        steps = "".join(f"    h = mix(h, field[{i}])\n" for i in range(len(field)))
        return made(f"def rule(h, field):\n    h = mix(h, {len(field)})\n{steps}    return h\n", mix=keys.mix)
    if isinstance(field, types.Float):
        whole = keys.WHOLE

        def over_float(h: Any, field: Any) -> Any:
            if abs(field) < whole and field == np.floor(field):
                return keys.mix(h, np.int64(field))
            pattern = np.float64(field).view(np.int64)
            return keys.mix(h, pattern ^ (pattern >> 32))

        return over_float
    if isinstance(field, (types.Integer, types.Boolean)):
        # Unsigned, since LLVM takes it that an int64 product never overflows.
        multiplier, half = np.uint64(keys.MULTIPLIER), np.uint64(32)

        def over_int(h: Any, field: Any) -> Any:
            mixed = (np.uint64(h) ^ np.uint64(field)) * multiplier
            return np.int64(mixed ^ (mixed >> half))

        return over_int
    raise errors.TypingError(f"NotNative: a {field} cannot be hashed to a key")


@overload(bits.count)
def _(board: types.Type) -> Any:
    return lambda board: _population_count(np.int64(board))


@overload(bits.lowest)
def _(board: types.Type) -> Any:
    return lambda board: _trailing_zeros(np.int64(board))


@overload(bits.squares)
def _(board: types.Type) -> Any:
    one, none = np.uint64(1), np.uint64(0)

    def squares(board: Any) -> Any:
        rest = np.uint64(board)
        while rest != none:
            yield _trailing_zeros(np.int64(rest))
            rest &= rest - one

    return squares


@overload(raw)
def _(array: types.Type) -> Any:
    checked = numba.config.BOUNDSCHECK  # which only arrays can be
    return (lambda array: array) if checked else (lambda array: _pointer(array))  # noqa: PLW0108
