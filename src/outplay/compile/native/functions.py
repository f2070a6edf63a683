"""Compiled versions of functions of outplay; the interpreted versions elsewhere document what they do."""

import importlib
import inspect
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model, type_callable

from outplay.compile import kernels
from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.frozen.lookup import number
from outplay.compile.native.frozenset_type import Frozenset, set_in
from outplay.compile.native.game_type import (
    GameType,
    as_it_is,
    compiled_only,
    function_from_source,
    function_of_lines,
    overload,
    pipeline_of_rules,
)
from outplay.compile.native.internals.numba_names import (
    RefType,
    cgutils,
    code_point_of_text,
    cpu_target,
    errors,
    iternext_impl,
    lower_builtin,
    refused,
)
from outplay.compile.native.internals.registration import fields_of_type, value_in
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.records import RecordPointer, pointer_to_record
from outplay.compile.native.rules import native_function, native_rule, part
from outplay.compile.native.state_type import plain
from outplay.compile.native.states import to_state
from outplay.compile.native.varying_tuple_type import Varying, items_in
from outplay.compile.playout import masked_action, tried_action
from outplay.compile.random_numbers import NONE
from outplay.rules import bits, keys
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import candidate_actions, defines, gathered_actions, legal_actions, noisy_actions
from outplay.rules.problem import number_of_values, values_of


@intrinsic
def _trailing_zeros(typing: Any, x: types.Type) -> Any:
    return types.int64(types.int64), lambda context, builder, signature, args: builder.cttz(args[0], cgutils.false_bit)


@intrinsic
def _population_count(typing: Any, x: types.Type) -> Any:
    return types.int64(types.int64), lambda context, builder, signature, args: builder.ctpop(args[0])


@intrinsic
def _pointer(typing: Any, array: types.Array) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), lower


@compiled_only
def _whole_numbers(actions: types.Type) -> Any:
    """In compiled code: an array of actions as int64, so that no kernel computes in int8; anything else unchanged."""
    if isinstance(actions, types.Array) and actions.dtype != types.int64:
        return lambda actions: actions.astype(np.int64)
    return lambda actions: actions


def _listing(name: str) -> Any:
    """The function that Numba compiles for a loop over the actions that a rule gives."""

    def choose(game: GameType, state: types.Type) -> Any:
        if game.ask("mask", name):
            return function_from_source(f"def rule(game, state): return squares(int64(game.{name}(state)))", **names)
        if inspect.isgeneratorfunction(native_rule(game, name).py_func):
            return function_from_source(f"def rule(game, state): return game.{name}(state)")
        return function_from_source(f"def rule(game, state): return whole(game.{name}(state))", **names)

    names = {"squares": bits.squares, "int64": np.int64, "whole": _whole_numbers}
    return choose


@overload(values_of)
def _implement_values_of(problem: GameType, state: types.Type, variable: types.Type) -> Any:
    if inspect.isgeneratorfunction(native_rule(problem, "candidates").py_func):
        return lambda problem, state, variable: problem.candidates(state, variable)
    if _has_masks(problem):
        return lambda problem, state, variable: bits.squares(problem.candidates(state, variable))
    return lambda problem, state, variable: _whole_numbers(problem.candidates(state, variable))


@overload(number_of_values)
def _implement_number_of_values(problem: GameType, state: types.Type, variable: types.Type) -> Any:
    if _has_masks(problem):
        return lambda problem, state, variable: _population_count(np.int64(problem.candidates(state, variable)))

    def one_by_one(problem: Any, state: Any, variable: int) -> int:
        number = 0
        for _ in values_of(problem, state, variable):
            number += 1
        return number

    return one_by_one


def _has_masks(problem: GameType) -> bool:
    """Whether the candidates of a problem are a bit mask."""
    return bool(problem.ask("mask", "candidates"))


overload(legal_actions)(_listing("actions"))
overload(candidate_actions)(_listing("candidates"))
overload(noisy_actions)(_listing("noisy"))


@overload(gathered_actions)
def _implement_gathered_actions(game: GameType, state: types.Type, space: types.Type, most: types.Type) -> Any:
    if game.ask("array", "actions"):

        def array_and_length(game: Any, state: Any, space: Any, most: int) -> Any:
            actions = game.actions(state)
            return actions, len(actions)

        return array_and_length
    return gathered_actions


@overload(tried_action)
def _implement_tried_action(game: GameType, state: types.Type, random: types.Type) -> Any:
    if _deposits() and game.ask("mask", "actions"):
        return function_from_source(
            "def rule(game, state, random): return masked(game, state, random)", masked=part(masked_action)
        )
    trial = game.ask("trial", "actions")
    if trial is None:
        return lambda game, state, random: NONE
    native = native_function(trial, game.natives, game.name, pipeline_of_rules(game.checked))
    try:
        types.Dispatcher(native).get_call_type(cpu_target.typing_context, (game, state, random), {})
    except errors.NumbaError:
        return lambda game, state, random: NONE
    return function_from_source("def rule(game, state, random): return native(game, state, random)", native=native)


@overload(draw_utility)
def _implement_draw_utility(game: GameType) -> Any:
    answer = game.ask("draw_utility")
    return lambda game: answer


@overload(defines, prefer_literal=True)
def _implement_defines(game: GameType, rule: types.Type) -> Any:
    answer = game.ask("defines", rule.literal_value)
    return lambda game, rule: answer


@overload(kernels.has_field, prefer_literal=True)
def _implement_has_field(record: RecordPointer, name: types.Type) -> Any:
    answer = name.literal_value in record.record.fields
    return lambda record, name: answer


@overload(keys.state_key)
def _implement_state_key(game: GameType, state: types.Type) -> Any:
    if game.ask("defines", "key"):
        return lambda game, state: keys.mix(keys.mix(keys.SEED, game.key(state)), 0)
    return lambda game, state: keys.mix(keys.mix(keys.SEED, state), 0)


@overload(keys.information_key)
def _implement_information_key(game: GameType, state: types.Type, player: types.Type) -> Any:
    return lambda game, state, player: keys.mix(
        keys.mix(keys.mix(keys.SEED, game.information(state, player)), player), 0
    )


overload(keys.canonical)(lambda game, state: lambda game, state: _least(game, game.symmetries(state)))


@compiled_only
def _least(game: GameType, images: types.Type) -> Any:
    """In compiled code: the element of `images` with the least key."""
    if not isinstance(images, types.BaseTuple):
        raise refused(f"symmetries() returns {plain(images)}: return a tuple of states")
    lines = ["best = to_state(game, images[0])", "least = state_key(game, best)"]
    for i in range(1, len(images)):
        lines += [f"image = to_state(game, images[{i}])", "key = state_key(game, image)"]
        lines += ["if key < least:", "    least, best = key, image"]
    return function_of_lines("game, images", [*lines, "return best"], to_state=to_state, state_key=keys.state_key)


@overload(keys.mix)
def _implement_mix(h: types.Type, field: types.Type) -> Any:
    if isinstance(field, types.Array):

        def over_array(h: int, field: Any) -> int:
            for length in field.shape:
                h = keys.mix(h, length)
            for x in field.flat:
                h = keys.mix(h, x)
            return h

        return over_array
    if isinstance(field, types.BaseTuple):
        lines = [f"h = mix(h, {len(field)})", *(f"h = mix(h, field[{i}])" for i in range(len(field))), "return h"]
        return function_of_lines("h, field", lines, mix=keys.mix)
    if isinstance(field, Varying):
        return lambda h, field: _mix_items(h, items_in(field))
    if isinstance(field, types.Float):
        whole = keys.WHOLE

        def over_float(h: Any, field: Any) -> Any:
            if abs(field) < whole and field == np.floor(field):
                return keys.mix(h, np.int64(field))
            pattern = np.float64(field).view(np.int64)
            return keys.mix(h, pattern ^ (pattern >> 32))

        return over_float
    if isinstance(field, (types.Integer, types.Boolean)):
        # Unsigned, since LLVM assumes that int64 products never overflow.
        multiplier, half = np.uint64(keys.MULTIPLIER), np.uint64(32)

        def over_int(h: Any, field: Any) -> Any:
            mixed = (np.uint64(h) ^ np.uint64(field)) * multiplier
            return np.int64(mixed ^ (mixed >> half))

        return over_int
    if isinstance(field, (types.NoneType, types.Optional, types.UnicodeType, types.List, types.Set, types.DictType)):
        return _mix_container(field)
    if isinstance(field, Frozenset):
        return lambda h, field: keys.mix(h, set_in(field))
    if isinstance(field, EnumMember):
        label = keys.name_key(field.cls.__qualname__)
        texts = tuple(keys.name_key(member.name) for member in field.members)
        return lambda h, field: keys.mix(keys.mix(keys.mix(h, label), 0), texts[number(field)])
    if isinstance(field, ObjectType):
        return importlib.import_module("outplay.compile.native.objects").mixed(field)
    raise refused(f"{plain(field)} cannot be hashed to a key in compiled code")


def _mix_container(field: types.Type) -> Any:
    """`mix` for containers, strings and what may be None."""
    if isinstance(field, types.NoneType):
        return lambda h, field: keys.mix(h, keys.SEED)
    if isinstance(field, types.Optional):
        return lambda h, field: keys.mix(h, keys.SEED) if field is None else keys.mix(h, value_in(field))
    name = keys.name_key(KINDS[type(field)])
    if isinstance(field, types.UnicodeType):
        code_point = code_point_of_text()

        def over_text(h: int, field: Any) -> int:
            h = keys.mix(keys.mix(h, name), len(field))
            for i in range(len(field)):
                h = keys.mix(h, code_point(field, i))
            return h

        return over_text
    if isinstance(field, types.List):
        return lambda h, field: _mix_items(keys.mix(h, name), field)
    seed = keys.SEED

    def over_items(h: int, field: Any) -> int:
        h, total = keys.mix(keys.mix(h, name), len(field)), np.uint64(0)
        for item in _unordered(field):
            total += np.uint64(keys.mix(seed, item))
        return keys.mix(h, np.int64(total))

    return over_items


def _mix_items(h: int, items: Any) -> int:
    h = keys.mix(h, len(items))
    for item in items:
        h = keys.mix(h, item)
    return h


as_it_is(_mix_items)


@compiled_only
def _unordered(field: types.Type) -> Any:
    """In compiled code: the items of a set, or the pairs of a dict."""
    return (lambda field: field.items()) if isinstance(field, types.DictType) else lambda field: field


KINDS = {types.UnicodeType: "str", types.List: "list", types.Set: "set", types.DictType: "dict"}
"""What is mixed in for each kind of container; see `keys.mix`."""


overload(bits.count)(lambda board: lambda board: _population_count(np.int64(board)))
overload(bits.lowest)(lambda board: lambda board: _trailing_zeros(np.int64(board)))


@intrinsic
def _deposit(typing: Any, word: types.Type, board: types.Type) -> Any:
    """The lowest bits of `word`, moved to the set bits of `board`: the instruction PDEP of Intel and AMD."""

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(word, [word, word])
        return builder.call(builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), kind), args)

    return types.int64(types.int64, types.int64), lower


def _deposits() -> bool:
    """Whether `_deposit` is fast on this processor; the first AMD processors with it took up to 300 steps."""
    _, name, features = cpu_target.target_context.codegen().magic_tuple()
    return "+bmi2" in features and name not in ("znver1", "znver2", "bdver4")


@overload(bits.nth)
def _implement_nth(board: types.Type, index: types.Type) -> Any:
    if _deposits():
        return lambda board, index: _trailing_zeros(_deposit(np.int64(1) << np.int64(index), np.int64(board)))

    def one_by_one(board: Any, index: Any) -> Any:
        board = np.int64(board)
        for _ in range(index):
            board &= board - 1
        return _trailing_zeros(board)

    return one_by_one


class Squares(types.SimpleIterableType):
    """The Numba type of `squares(board)`: the board itself. Nested generators would take 10 times as long."""

    def __init__(self) -> None:
        super().__init__("squares", SquaresLeft())


class SquaresLeft(types.SimpleIteratorType):
    """The Numba type of an iterator over the squares of a board: the remaining squares."""

    def __init__(self) -> None:
        super().__init__("squares left", types.int64)


register_model(Squares)(lambda manager, typ: models.PrimitiveModel(manager, typ, ir.IntType(64)))
fields_of_type(SquaresLeft, rest=types.EphemeralPointer(types.int64))
"""`rest` points to an int that loses a bit at each step; in a generator's frame, it is the int itself."""


@intrinsic
def _squares(typing: Any, board: types.Type) -> Any:
    return Squares()(types.int64), lambda context, builder, signature, args: args[0]


@lower_builtin("getiter", Squares)
def _lower_getiter(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    walk = context.make_helper(builder, signature.return_type)
    walk.rest = cgutils.alloca_once_value(builder, args[0])
    return walk._getvalue()


@lower_builtin("iternext", SquaresLeft)
@iternext_impl(RefType.UNTRACKED)
def _lower_iternext(context: Any, builder: Any, signature: Any, args: Any, result: Any) -> None:
    walk = context.make_helper(builder, signature.args[0], args[0])
    rest = builder.load(walk.rest)
    is_any = builder.icmp_unsigned("!=", rest, rest.type(0))
    result.set_valid(is_any)
    with builder.if_then(is_any):
        result.yield_(builder.cttz(rest, cgutils.true_bit))
        builder.store(builder.and_(rest, builder.sub(rest, rest.type(1))), walk.rest)


overload(bits.squares)(lambda board: lambda board: _squares(np.int64(board)))
overload(bits.single)(lambda square: lambda square: np.int64(1) << np.int64(square))


def _shift(board: Any, by: Any) -> Any:
    word = np.uint64(np.int64(board))  # a narrow int is sign-extended
    if by >= 0:
        return np.int64(word << np.uint64(by))
    return np.int64(word >> np.uint64(-by))


overload(bits.shift)(lambda board, by: _shift)


@intrinsic
def _prefetch(typing: Any, numbers: types.CPointer, place: types.Integer) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = builder.gep(args[0], [args[1]])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        to_read, keep, data = number(0), number(3), number(1)
        builder.call(prefetch, [address, to_read, keep, data])
        return context.get_dummy_value()

    return types.void(numbers, place), lower


@overload(kernels.prefetch)
def _implement_prefetch(numbers: types.Type, place: types.Type) -> Any:
    if isinstance(numbers, types.CPointer):
        return lambda numbers, place: _prefetch(numbers, place)
    return lambda numbers, place: None


def _at(function: Any, number: types.Type) -> None:
    """Compile a function from an address to a pointer to numbers of this type."""

    @intrinsic
    def pointer_at(typing: Any, address: types.Integer) -> Any:
        def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

        return types.CPointer(number)(types.int64), lower

    overload(function)(lambda address: lambda address: pointer_at(address))


for _function, _number in (
    (kernels.int64_at, types.int64), (kernels.uint16_at, types.uint16),
    (kernels.uint8_at, types.uint8), (kernels.int16_at, types.int16), (kernels.float64_at, types.float64),
):  # fmt: skip
    _at(_function, _number)


def _local(function: Any, number: types.Type) -> None:
    """Compile a function that gives space for so many numbers of this type, in the frame of its caller."""

    @type_callable(function)
    def typed(context: Any) -> Any:
        def of_count(count: Any) -> Any:
            return types.CPointer(number) if isinstance(count, types.IntegerLiteral) else None

        return of_count

    @lower_builtin(function, types.IntegerLiteral)
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return cgutils.alloca_once(builder, context.get_value_type(number), size=signature.args[0].literal_value)


for _function, _number in (
    (kernels.local_int64, types.int64), (kernels.local_int16, types.int16), (kernels.local_float32, types.float32),
):  # fmt: skip
    _local(_function, _number)


@intrinsic
def _call_at(typing: Any, address: types.Integer, number: types.Integer) -> Any:
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        function = builder.inttoptr(args[0], ir.FunctionType(word, [word]).as_pointer())
        return builder.call(function, [args[1]])

    return types.int64(types.int64, types.int64), lower


overload(kernels.call_at)(lambda address, number: lambda address, number: _call_at(address, number))


@overload(kernels.pointer)
def _implement_pointer(array: types.Type) -> Any:
    if isinstance(array, types.Record) or isinstance(array.dtype, types.Record):
        return lambda array: pointer_to_record(array)
    if numba.config.BOUNDSCHECK:  # only arrays can be checked
        return lambda array: array
    return lambda array: _pointer(array)


@overload(kernels.pointers)
def _implement_pointers(bundle: types.BaseNamedTuple) -> Any:
    fields = (
        f"pointer(bundle.{name})" if isinstance(typ, (types.Array, types.Record)) else f"bundle.{name}"
        for name, typ in zip(bundle.fields, bundle.types, strict=True)
    )
    return function_from_source(
        f"def rule(bundle): return Bundle({', '.join(fields)})", Bundle=bundle.instance_class, pointer=kernels.pointer
    )
