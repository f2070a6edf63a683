"""`obstacles`: everything that keeps a game from compiling, not only the first rule.

Each rule is compiled by itself. The compiler stops at the first line of a function that it does not know, so functions
that it has not reached are compiled by themselves too, for arguments like those of random games.
"""

import contextlib
import os
import sys
import types as python
import warnings
from collections.abc import Iterator
from typing import Any

from numba import types

from outplay.compile.native.game_type import GameType, pipeline_of_rules
from outplay.compile.native.internals import global_compiler_lock
from outplay.compile.native.played import play
from outplay.compile.native.reasons import UNKNOWN, reason
from outplay.compile.native.refusal import Problem, compile_rule, end_of, problem, rules_of, unrefused
from outplay.compile.native.rules import native_function, native_rule
from outplay.compile.native.sharing import native_type
from outplay.compile.native.state_type import NotNative, native_value, objects_in
from outplay.compile.obstacles import Obstacle, source_line
from outplay.compile.references import is_foreign, member_function, member_of, names_in, plain_function, references
from outplay.rules.base import Rules
from outplay.rules.errors import RulesError
from outplay.rules.numbered import Numbered


def obstacles(game: Rules) -> tuple[Obstacle, ...]:
    """What keeps `game` from compiling, in the order in which to start: first what most rules wait for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            native_type(game)
        except RulesError:
            if game._native is None:  # its initial state cannot be made
                raise
    typ: GameType = game._native.typ
    if isinstance(typ.state, NotNative):
        return _gathered(typ, [_of_the_state(typ, typ.state)], rules_of(typ))
    with global_compiler_lock, unrefused(typ):
        problems = list(_of_rules(typ))
        failed = [each.rule for each in problems]
        if failed:
            problems += _of_functions(typ, failed, {each.place for each in problems})
        typ.forget_natives()
    return _gathered(typ, problems, failed)


def _of_the_state(typ: GameType, why: NotNative) -> Problem:
    place = end_of(_users_class(typ), "initial_state")
    return Problem("initial_state", place, reason(f"NotNative: {why}", source_line(*place)), str(why))


def _of_rules(typ: GameType) -> Iterator[Problem]:
    typ.forget_natives()
    for rule in rules_of(typ):
        if rule == "initial_state":  # Python calls it
            continue
        try:
            compile_rule(typ, rule)
        except Exception as error:  # Numba raises many kinds of errors
            yield problem(typ, rule, error)
            typ.forget_natives()  # else Numba raises an old error again, with later text appended


def _of_functions(typ: GameType, failed: list[str], known: set[tuple[str, int]]) -> Iterator[Problem]:
    """The problems of functions that rules call, where no other one was found."""
    called = [each for rule in failed for each in reached_from(typ, rule)]
    seen = _arguments(typ, {function.__code__ for function in called})
    for function in dict.fromkeys(called):
        args = seen.get(function.__code__)
        if args is None or any(_is_in(function, place) for place in known):
            continue
        try:
            _compile(typ, function, args)
        except Exception as error:  # Numba raises many kinds of errors
            found = problem(typ, function.__name__, error, function)
            if found.place not in known and _is_in(function, found.place):
                known.add(found.place)
                yield found
            typ.forget_natives()


def _compile(typ: GameType, function: python.FunctionType, args: tuple[Any, ...]) -> None:
    if args[:1] == (typ,):
        member = member_of(type(typ.game), function.__name__)
        if member_function(member) is function and not isinstance(member, property):
            native_rule(typ, function.__name__).compile(args)
            return
    native_function(function, typ.natives, typ.name, pipeline_of_rules(typ.checked)).compile(args)


# -- functions that rules call ----------------------------------------------------------------------------------------


def _users_game(typ: GameType) -> Rules:
    return typ.game.rules if isinstance(typ.game, Numbered) else typ.game


def _users_class(typ: GameType) -> type[Rules]:
    return type(_users_game(typ))


def reached_from(typ: GameType, rule: str) -> list[python.FunctionType]:
    """A rule, and the methods and functions that it calls, directly or not."""
    cls = _users_class(typ)
    first = member_function(member_of(cls, rule))
    found = dict.fromkeys([first] if first is not None else [])
    waiting = list(found)
    while waiting:
        function = waiting.pop()
        values = [plain_function(value) for value in references(function).values()]
        methods = [member_function(member_of(cls, name)) for name in names_in(function.__code__)]
        for each in [*values, *methods]:
            if each is not None and each not in found and not is_foreign(each) and not _is_ours(each):
                found[each] = None
                waiting.append(each)
    return list(found)


def _is_ours(function: python.FunctionType) -> bool:
    return function.__module__.startswith("outplay.rules.") or function.__code__.co_filename.startswith("<str")


def _is_in(function: python.FunctionType, place: tuple[str, int]) -> bool:
    lines = [line for *_, line in function.__code__.co_lines() if line]
    return _same_file(function.__code__.co_filename, place[0]) and min(lines) <= place[1] <= _last_line(
        function.__code__
    )


def _last_line(code: python.CodeType) -> int:
    inner = (_last_line(each) for each in code.co_consts if isinstance(each, python.CodeType))
    return max([*(line for *_, line in code.co_lines() if line), *inner])


def _same_file(one: str, other: str) -> bool:
    return os.path.abspath(one) == os.path.abspath(other)


def _arguments(typ: GameType, codes: set[python.CodeType]) -> dict[python.CodeType, tuple[Any, ...]]:
    """The types of the arguments with which random games call functions, by their code."""
    game, found = _users_game(typ), dict[python.CodeType, tuple[Any, ...]]()

    def note(frame: python.FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code in codes and code not in found:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            with contextlib.suppress(Exception):
                found[code] = tuple(_type_of(typ, game, frame.f_locals[name]) for name in names)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        play(game)
    except Exception:  # noqa: S110 - rules may raise anything; a check says it better
        pass
    finally:
        sys.setprofile(before)
    return found


def _type_of(typ: GameType, game: Rules, value: Any) -> types.Type:
    if value is game:
        return typ
    found = native_value(value)
    if any(True for _ in objects_in(found)):
        raise NotNative("objects have types of their own")
    return found


# -- the list ---------------------------------------------------------------------------------------------------------


def _gathered(typ: GameType, problems: list[Problem], failed: list[str]) -> tuple[Obstacle, ...]:
    """The problems, each once, with the rules that wait for it; first those for which most rules wait."""
    first: dict[tuple[str, int], Problem] = {}
    for each in problems:
        first.setdefault(each.place, each)
    reach = {rule: reached_from(typ, rule) for rule in dict.fromkeys([*failed, *(each.rule for each in problems)])}
    owners = {
        place: next((f for functions in reach.values() for f in functions if _is_in(f, place)), None) for place in first
    }
    found = []
    for place, each in first.items():
        owner = owners[place]
        others = set(owners.values()) - {owner, None}
        if each.reason.what == UNKNOWN and others & set(reach.get(each.rule, ())):
            continue  # a function that it calls fails by itself
        same = {other.rule for other in problems if other.place == place}
        rules = [rule for rule in failed if rule in same or owner in reach[rule]]
        what, remedy, part = each.reason
        found.append(
            Obstacle(
                function=_name(owner, typ, each.rule), filename=place[0], line=place[1], source=source_line(*place),
                part=part, what=what, remedy=remedy, rules=tuple(rules), details=each.details,
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda each: -len(each.rules)))


def _name(function: python.FunctionType | None, typ: GameType, rule: str) -> str:
    if function is None:
        return f"{_users_class(typ).__name__}.{rule}"
    return function.__qualname__.rpartition("<locals>.")[2]
