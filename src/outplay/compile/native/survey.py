"""`obstacles`: everything that keeps a game from compiling, not only the first rule.

Each rule is compiled by itself. The compiler stops at the first line of a function that it does not know, so functions
that it has not reached are compiled by themselves too, for arguments like those of random games.
"""

import contextlib
import itertools
import os
import types as python
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from numba import types

from outplay.compile.assignments import Line, Lines, edited, lines_that_set
from outplay.compile.census import census_of
from outplay.compile.native.game_type import GameType, pipeline_of_rules
from outplay.compile.native.internals.numba_names import global_compiler_lock
from outplay.compile.native.object_type import ObjectType, types_of
from outplay.compile.native.reasons import UNKNOWN, Reason, reason
from outplay.compile.native.refusal import Problem, compile_rule, end_of, problems_of, rules_of, unrefused
from outplay.compile.native.rules import native_function, native_rule
from outplay.compile.native.sharing import native_type, widen
from outplay.compile.native.state_type import Conflict, NotNative, is_object, named, parts, rebuilt, value_type
from outplay.compile.obstacles import Obstacle, source_line
from outplay.compile.references import (
    classes_named_by,
    functions_of,
    is_foreign,
    member_function,
    member_of,
    names_in,
    plain_function,
    references,
)
from outplay.compile.rewriting.endings import without_return
from outplay.compile.rewriting.function import problems_in
from outplay.compile.value_kinds import IS_THE_GAME, Place
from outplay.rules.base import Rules
from outplay.rules.errors import RulesError
from outplay.rules.game import Game
from outplay.rules.numbered import Numbered, numbered
from outplay.rules.user_code import short_path


def obstacles(game: Rules) -> tuple[Obstacle, ...]:
    """What keeps `game` from compiling, in the order in which to start: first what most rules wait for."""
    if isinstance(game, Numbered) and game.has_table:
        game = game.rules
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            native_type(game)
        except RulesError:
            if game._native is None:  # its initial state cannot be made
                raise
    typ: GameType = game._native.typ
    if isinstance(typ.state, NotNative):
        return _gathered(typ, *_of_the_state(typ, typ.state))
    problems, failed = _of_the_code(typ)
    if widen(typ):  # from now on, the census knows these attributes
        problems = [one for one in problems if not one.reason.what.endswith("but None in other states")]
        return _gathered(typ, problems, failed) if problems else obstacles(game)
    return _gathered(typ, problems, failed)


def _has_table(game: Rules) -> bool:
    """Whether actions are numbered in the order in which they appear, as they are of several kinds."""
    rules = numbered(game) if isinstance(game, Game) else game
    return isinstance(rules, Numbered) and rules.has_table


def _of_the_code(typ: GameType) -> tuple[list[Problem], list[str]]:
    """All lines of the rules that do not compile, and the rules that wait for them."""
    has_table = _has_table(typ.game)  # then only what takes no actions, or one kind of them, is compiled
    with global_compiler_lock, unrefused(typ):
        problems = [] if has_table else list(_of_rules(typ))
        failed = ["actions", "result"] if has_table else [one.rule for one in problems]
        if failed:
            problems += _of_functions(typ, failed, {one.place for one in problems})
        typ.forget_natives()
    return problems, failed


def _of_the_state(typ: GameType, error: NotNative) -> tuple[list[Problem], list[str]]:
    """What keeps states from having a type; if changes of single lines mend that, also what does not compile then."""
    game = typ.users_game
    conflicts = error.conflicts
    if not conflicts or not isinstance(game, Game):
        place = end_of(type(typ.users_game), "initial_state")
        cause = reason(f"NotNative: {error}", source_line(*place))
        return [Problem("initial_state", place, cause, str(error))], rules_of(typ)
    lines = lines_that_set(game, {conflict.owner for conflict in conflicts if conflict.owner is not None})
    edits = [_edit(conflict, lines) for conflict in conflicts]
    problems: list[Problem] = []
    left = {conflict.where for conflict in conflicts}
    if any(edits):
        with edited(game, [edit for edit in edits if edit is not None]) as was_edited:
            if was_edited:
                trial = GameType(typ.game, lambda *_: "")
                if not census_of(game).has_failed:
                    left = {conflict.where for conflict in getattr(trial.state, "conflicts", ())}
                problems = [] if left else _of_the_code(trial)[0]
    if left:
        arguments = census_of(game).arguments
        functions = [function for function in functions_of(game) if function.__qualname__ in arguments]
        problems = [one for function in functions for one in _of_source(function)]
    pairs = zip(conflicts, edits, strict=True)
    conflicting = [_described(typ, one, None if one.where in left else edit, lines) for one, edit in pairs]
    return [*conflicting, *problems], rules_of(typ)


_CONVERSIONS = {int: "int", float: "float", bool: "bool"}
Edit = tuple[Line, str, str]


def _edit(conflict: Conflict, lines: Lines) -> Edit | None:
    """The change of one line that would give the place one type: a conversion, where the later kind of value is set."""
    if conflict.owner is None or len(conflict.kinds) < 2 or "[" in conflict.where:
        return None
    one, other = conflict.kinds
    if one.cls is int and other.cls is float:
        one, other = other, one
    places = _places(conflict, lines)
    if not {one.cls, other.cls} <= _CONVERSIONS.keys() or not places:
        return None
    return dict(zip(conflict.kinds, places, strict=True))[other], conflict.owner[1], _CONVERSIONS[one.cls]


def _places(conflict: Conflict, lines: Lines) -> list[Line]:
    """The lines that set an attribute to the two kinds of a conflict; those that call a function if it is one line."""
    kinds = [kind.without_problem for kind in conflict.kinds]
    for places_of in lines.get(conflict.owner, ()) if conflict.owner else ():
        places = [places_of[kind] for kind in kinds if kind in places_of]
        if len(set(places)) > 1:
            return places
    return []


def _described(typ: GameType, conflict: Conflict, edit: Edit | None, lines: Lines) -> Problem:
    """What a conflict means for the rules, and what to write instead."""
    what, remedy, places = f"{conflict.where} is {conflict.what}", conflict.remedy, _places(conflict, lines)
    if places:
        (one, other), (first, second) = map(named, conflict.kinds), map(_line, places, reversed(places))
        what = f"{conflict.where} is {one} where {first} sets it and {other} where {second} does"
    if edit:
        (_, number), _, function = edit
        return Problem(conflict.rule, edit[0], Reason(what, f"write {function}(…) in line {number}"), str(conflict))
    if not places and conflict.owner in lines:
        places = list(lines[conflict.owner][0].values())
    place = places[-1] if places else end_of(type(typ.users_game), conflict.rule)
    remedy = remedy or reason(f"NotNative: {conflict}", "").remedy
    return Problem(conflict.rule, place, Reason(what, remedy), str(conflict))


def _line(place: Line, other: Line) -> str:
    """A line, with its file if another one is in a file of its own."""
    return f"line {place[1]}" if place[0] == other[0] else f"{short_path(place[0])}:{place[1]}"


def _of_rules(typ: GameType) -> Iterator[Problem]:
    typ.forget_natives()
    for rule in rules_of(typ):
        if rule != "initial_state":  # Python calls it
            yield from problems_of(typ, partial(compile_rule, typ, rule), rule)


def _of_functions(typ: GameType, failed: list[str], places_told: set[tuple[str, int]]) -> Iterator[Problem]:
    """The problems of functions that rules call, where no other one was found."""
    functions = [function for rule in failed for function in reached_from(typ, rule)]
    arguments = census_of(typ.users_game).arguments
    for function in dict.fromkeys(functions):
        places = arguments.get(function.__qualname__)
        args = None if places is None else _types_of(typ, places.values())
        is_told = any(_is_in(function, place) for place in places_told)
        if places is None or (_has_table(typ.game) and typ in (args or ())):
            continue
        compiles = partial(_compile, typ, function, args or ())
        problems = [] if args is None or is_told else list(problems_of(typ, compiles, function.__name__, function))
        for one in [*problems, *(_of_source(function) if problems or args is None or is_told else ())]:
            if one.place not in places_told and any(_is_in(other, one.place) for other in functions):
                places_told.add(one.place)
                yield one


def _of_source(function: python.FunctionType) -> Iterator[Problem]:
    """What the source of a function alone shows."""
    for line, why in problems_in(function):
        place = function.__code__.co_filename, line
        yield Problem(function.__name__, place, reason(f"NotNative: {why}"), why)


def _compile(typ: GameType, function: python.FunctionType, args: tuple[Any, ...]) -> None:
    if args[:1] == (typ,):
        member = member_of(type(typ.game), function.__name__)
        if member_function(member) is function and not isinstance(member, property):
            native_rule(typ, function.__name__).compile(args)
            return
    native_function(function, typ.natives, typ.name, pipeline_of_rules(typ.checked)).compile(args)


# -- functions that rules call ----------------------------------------------------------------------------------------


def reached_from(typ: GameType, rule: str) -> list[python.FunctionType]:
    """A rule, and the methods and functions that it calls, directly or not."""
    cls = type(typ.users_game)
    classes = [cls, *classes_named_by(typ.users_game)]
    first = member_function(member_of(cls, rule))
    functions = dict.fromkeys([first] if first is not None else [])
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        values = [plain_function(value) for value in references(function).values()]
        names = sorted(names_in(function.__code__))
        for callee in [*values, *(member_function(member_of(owner, name)) for owner in classes for name in names)]:
            if callee is not None and callee not in functions and not is_foreign(callee) and not _is_ours(callee):
                functions[callee] = None
                waiting.append(callee)
    return list(functions)


def _is_ours(function: python.FunctionType) -> bool:
    return function.__module__.startswith("outplay.rules.") or function.__code__.co_filename.startswith("<str")


def _is_in(function: python.FunctionType, place: tuple[str, int]) -> bool:
    code, (file, line) = function.__code__, place
    first = min(line for *_, line in code.co_lines() if line)
    return os.path.abspath(code.co_filename) == os.path.abspath(file) and first <= line <= _last_line(code)


def _last_line(code: python.CodeType) -> int:
    inner = (_last_line(constant) for constant in code.co_consts if isinstance(constant, python.CodeType))
    return max([*(line for *_, line in code.co_lines() if line), *inner])


def _types_of(typ: GameType, places: Iterable[Place]) -> tuple[Any, ...] | None:
    """The types of the arguments with which random games call a function; None if one is not known."""
    with contextlib.suppress(NotNative):
        return tuple(_type_of(typ, place) for place in places)
    return None


def _type_of(typ: GameType, place: Place) -> types.Type:
    if IS_THE_GAME in place.kinds:
        return typ
    if len(place.main) == 1 and is_object(place.main[0]):
        return _of_states(typ, types_of(place.main[0].cls)(()))
    return _of_states(typ, value_type(place, "the argument"))


def _of_states(typ: GameType, argument: types.Type) -> types.Type:
    """A type with objects as they are in states, or as rules make them."""
    if isinstance(argument, ObjectType):
        in_states = next((in_state for in_state in typ.natives.objects if in_state.cls is argument.cls), None)
        if in_states is None:
            raise NotNative("objects of a class that is not known")
        return in_states
    return rebuilt(argument, [_of_states(typ, part) for part in parts(argument)]) if parts(argument) else argument


# -- the list ---------------------------------------------------------------------------------------------------------


def _gathered(typ: GameType, problems: list[Problem], failed: list[str]) -> tuple[Obstacle, ...]:
    """The problems, each once, with the rules that wait for it; first those for which most rules wait."""
    first: dict[tuple[str, int], Problem] = {}
    for one in problems:
        first.setdefault(one.place, one)
    reach = {rule: reached_from(typ, rule) for rule in dict.fromkeys([*failed, *(one.rule for one in problems)])}
    functions = [*itertools.chain(*reach.values()), *functions_of(typ.users_game)]
    owners = {place: next((function for function in functions if _is_in(function, place)), None) for place in first}
    all_obstacles = []
    for place, one in first.items():
        owner = owners[place]
        others = set(owners.values()) - {owner, None}
        if one.reason.what == UNKNOWN and others & set(reach.get(one.rule, ())):
            continue  # a function that it calls fails by itself
        same = {other.rule for other in problems if other.place == place}
        rules = [rule for rule in failed if rule in same or owner in reach[rule]]
        what, remedy, part = one.reason
        ending = without_return(owner, place[1], functions) if owner and "or None here" in what else None
        if ending is not None:
            line = ending.__code__.co_firstlineno
            what += f": {ending.__name__}() of line {line} may end without return, which gives None"
            remedy = f'write raise ValueError("…") at the end of {ending.__name__}(), or return a value there too'
        all_obstacles.append(
            Obstacle(
                function=_name(owner, typ, one.rule), filename=place[0], line=place[1], source=source_line(*place),
                part=part, what=what, remedy=remedy, rules=tuple(rules), details=one.details,
            )
        )  # fmt: skip
    return tuple(sorted(all_obstacles, key=lambda obstacle: -len(obstacle.rules)))


def _name(function: python.FunctionType | None, typ: GameType, rule: str) -> str:
    if function is None:
        return f"{type(typ.users_game).__name__}.{rule}"
    return function.__qualname__.rpartition("<locals>.")[2]
