"""The manifest of compiled code: the questions that the compiler asks about a game, and the answers.

Compiled code depends on a game only through the answers to questions: which function is the method `result`, what is
the value of the attribute `width`, is `order` defined. `GameType.ask` asks each question once and records it. So the
list of questions with a fingerprint of the answers says exactly what the code depends on, like a manifest of ccache: if
the same questions have the same answers, the compiler would produce the same code. In memory this decides which games
can share compiled code; on disk it is stored beside the code and decides whether the code can be loaded.

Most of an answer is the same for all games of a class: its functions and everything they refer to. `share` adds that
part to a fingerprint and `put` the rest, so that little remains to be asked about a new game.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numba import types

from outplay.compile.fingerprint import Fingerprint
from outplay.compile.native.census_types import native_types
from outplay.compile.native.frozen.enums import EnumMember
from outplay.compile.native.object_type import ObjectType
from outplay.compile.native.state_type import NotNative, described, parts_within
from outplay.compile.references import MISSING, behind, member_function, member_of, names_in
from outplay.compile.rejection_sampling import by_trial
from outplay.rules.actions import is_mask
from outplay.rules.base import Rules, attributes, is_checked
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import Game, defines

Question = tuple[str, str]
"""The kind of question, and the name that it is about."""
Visit = Callable[[Rules, Fingerprint], str]
"""Called by a fingerprint with each game that it finds."""
Add = Callable[[Question, Rules, Fingerprint], Any]
"""Adds a part of an answer to a fingerprint: `share` or `put`."""


def share(question: Question, game: Rules, fingerprint: Fingerprint) -> None:
    """Add the part of an answer that all games of a class have in common to the fingerprint."""
    kind, name = question
    fingerprint.text(kind, name)
    if kind in IN_COMMON:
        IN_COMMON[kind](fingerprint, type(game), name)


def put(question: Question, game: Rules, fingerprint: Fingerprint) -> Any:
    """Return the answer to a question about `game`; add the part that is the game's own to the fingerprint."""
    kind, name = question
    fingerprint.text(kind, name)
    return QUESTIONS[kind](game, name, fingerprint)


class Answers(Fingerprint):
    """A fingerprint of a game's answers to a growing list of questions: the parts that `share` or `put` adds."""

    def __init__(self, game: Rules, visit: Visit) -> None:
        super().__init__(visit)
        self.count = 0
        """The number of questions answered so far."""
        self._game = game
        self.note(game)

    def hear(self, add: Add, game: Rules, questions: Sequence[Question]) -> None:
        """Add the answers of `game` to new questions, with `share` or `put`."""
        for question in questions[self.count :]:
            add(question, game, self)
            self.count += 1

    def holds_for(self, game: Rules) -> bool:
        """Whether the answers hold for `game` too; not if a function refers to a game, which may be another one."""
        return game is self._game or not self.names_a_game


def _member(game: Rules, name: str, fingerprint: Fingerprint) -> Any:
    """The member `name` of the class, such as a method; `MISSING` if there is none or an attribute hides it."""
    own = getattr(game, "__dict__", {})
    fingerprint.watch_name(own, name)
    member = member_of(type(game), name)
    if name in own and not isinstance(member, property):
        fingerprint.text("hidden")
        return MISSING
    return member


def _after(cls: type, name: str) -> tuple[Any, list[type], str]:
    """The member that `super()` finds, the classes that are asked for it, and its name.

    `name` is the place of a class among the bases, and the name of the member.
    """
    place, _, name = name.partition(" ")
    owners = []
    for owner in cls.__mro__[int(place) + 1 :]:
        owners.append(owner)
        if name in vars(owner):
            return vars(owner)[name], owners, name
    return MISSING, owners, name


def _share_super(fingerprint: Fingerprint, cls: type[Rules], name: str) -> None:
    member, owners, name = _after(cls, name)
    for owner in owners:
        fingerprint.watch_own_member(owner, name)
    fingerprint.watch_member(cls, name)
    fingerprint.text("super", type(member).__name__)
    fingerprint.add(behind(member))


def _value(game: Rules, name: str, fingerprint: Fingerprint) -> Any:
    """The value of the attribute `name`, stored or computed; `MISSING` if there is none."""
    value = getattr(game, name, MISSING)
    fingerprint.watch_attribute(game, name, value)
    fingerprint.add(value)
    return value


def _draw_utility(game: Rules, _: str, fingerprint: Fingerprint) -> float:
    """The utility of a draw in a game of constant sum."""
    assert isinstance(game, Game)
    if _value(game, "constant_sum", fingerprint):
        for name in ("teams", "players"):
            _value(game, name, fingerprint)
    return draw_utility(game)


def _is_stored(game: Rules, name: str, fingerprint: Fingerprint) -> bool:
    """Whether the game itself has an attribute of this name, beside one of its class."""
    answer = name in attributes(game)
    fingerprint.watch_that(lambda: (name in attributes(game)) == answer)
    return _note(fingerprint, answer)


def _first_is(test: Callable[[Any], bool]) -> Callable[[Rules, str, Fingerprint], bool]:
    """Whether what the rule gives for the initial state passes a test."""

    def ask(game: Rules, name: str, fingerprint: Fingerprint) -> bool:
        _watch_run(game, fingerprint, name)
        return _note(fingerprint, test(_first(game, name)))

    return ask


def _state(game: Rules, name: str, fingerprint: Fingerprint) -> Any:
    """The Numba type of the states; if they have none, the `NotNative` that says why."""
    _watch_run(game, fingerprint, name)
    try:
        state, _ = native_types(game)
    except NotNative as problem:
        fingerprint.text(str(problem))
        return problem
    for cls in classes_in(state):
        fingerprint.add(cls)
    fingerprint.text(described(state))
    return state


def _objects(game: Rules, name: str, fingerprint: Fingerprint) -> Any:
    """The Numba types of other objects that rules make, and why there are none for some classes."""
    _watch_run(game, fingerprint, name)
    _, others = native_types(game)
    for typ in (*others.objects, *others.new, *others.records):
        for cls in classes_in(typ):
            fingerprint.add(cls)
        fingerprint.text(described(typ))
    fingerprint.text(*(reason for _, reason in others.failures))
    fingerprint.text("unchanging", *sorted(cls.__qualname__ for cls in others.unchanging))
    return others


def _trial(game: Rules, name: str, fingerprint: Fingerprint) -> Any:
    """The function that draws an action by trial; None if the rule has another form or the game forbids it."""
    return by_trial(getattr(type(game), name)) if _value(game, "by_trial", fingerprint) else None


def _checked(game: Rules, _: str, fingerprint: Fingerprint) -> bool:
    """Whether the rules are compiled with checks; their errors name lines, so the hash includes line numbers."""
    answer = is_checked(type(game))
    fingerprint.watch_that(lambda: is_checked(type(game)) == answer)
    fingerprint.with_lines = answer
    return _note(fingerprint, answer)


unasked: list[tuple[str, Callable[[Fingerprint], None]]] = []
"""What compiled code of this process depends on although the compiler did not ask: its name, and how to add it."""


def _unasked(game: Rules, place: str, fingerprint: Fingerprint) -> None:
    """Something that the inventory of compiled code has found: a change of it counts, but no other process finds it."""
    name, add = unasked[int(place)]
    add(fingerprint)
    fingerprint.gaps.append(f"{name}, about which the compiler did not ask: please report this")


QUESTIONS: dict[str, Callable[[Rules, str, Fingerprint], Any]] = {
    "member": _member,
    "value": _value,
    "super": lambda game, name, _: _after(type(game), name)[0],
    "stored": _is_stored,
    "class": lambda game, name, _: member_of(type(game), name),
    "defines": lambda game, name, fingerprint: _note(fingerprint, defines(game, name)),
    "draw_utility": _draw_utility,
    "mask": _first_is(is_mask),
    "array": _first_is(lambda actions: isinstance(actions, np.ndarray)),
    "state": _state,
    "objects": _objects,
    "trial": _trial,
    "checked": _checked,
    "unasked": _unasked,
}


def _share_trial(fingerprint: Fingerprint, cls: type[Rules], name: str) -> None:
    fingerprint.add_member(cls, name)
    fingerprint.add(by_trial(getattr(cls, name)))


def _share_calls(fingerprint: Fingerprint, cls: type[Rules], name: str) -> None:
    code = Fingerprint()
    for method in _run(cls, name)[0]:
        code.add_member(cls, method)
    fingerprint.watch(code)


def _share_lines(fingerprint: Fingerprint, cls: type[Rules], _: str) -> None:
    fingerprint.with_lines = is_checked(cls)


IN_COMMON: dict[str, Callable[[Fingerprint, type[Rules], str], Any]] = {
    "member": Fingerprint.add_member,
    "super": _share_super,
    "class": Fingerprint.add_member,
    "defines": Fingerprint.watch_member,
    "mask": _share_calls,
    "array": _share_calls,
    "state": _share_calls,
    "objects": _share_calls,
    "trial": _share_trial,
    "checked": _share_lines,
}
"""What each kind of question reads from the class and its functions."""


def _note(fingerprint: Fingerprint, answer: bool) -> bool:
    fingerprint.add(answer)
    return answer


def _first(game: Any, name: str) -> Any:
    """The result, for the initial state, of a rule that lists actions or the values of the first variable.

    None if the rule fails: the search that calls it will raise that error.
    """
    state = game.initial_state()
    try:
        return getattr(game, name)(state) if isinstance(game, Game) else getattr(game, name)(state, 0)
    except Exception:  # rules may raise anything
        return None


def _run(cls: type[Rules], rule: str) -> tuple[list[str], list[str]]:
    """The names that `initial_state` and `rule` may read from a game: methods, and others."""
    methods, others = [], []
    waiting = ["initial_state", rule]
    names_seen = set(waiting)
    while waiting:
        name = waiting.pop()
        function = member_function(member_of(cls, name))
        if function is None:
            others.append(name)
            continue
        methods.append(name)
        names = names_in(function.__code__) - names_seen
        waiting += names
        names_seen |= names
    return methods, others


def _watch_run(game: Rules, fingerprint: Fingerprint, rule: str) -> None:
    """Watch the attributes that `initial_state` and `rule` may read."""
    own, cls = attributes(game), type(game)
    for name in _run(cls, rule)[1]:
        if name in own or hasattr(cls, name):
            fingerprint.watch_attribute(game, name, getattr(game, name, MISSING))


def classes_in(typ: types.Type) -> Iterable[type]:
    """The named tuples and other classes of users that states consist of."""
    for part in parts_within(typ):
        if hasattr(part, "instance_class"):
            yield part.instance_class
        if isinstance(part, ObjectType | EnumMember):
            yield part.cls


def manifest(
    games: Sequence[Rules], questions_of: Callable[[int, Rules], Iterable[Question]]
) -> tuple[list[Rules], list[list[Question]], Fingerprint]:
    """All games that compiled code depends on, the questions about each, and a fingerprint of the answers.

    `games` come first, then those found in answers, in that order.
    """
    all_games, all_questions = list(games), []

    def visit(game: Rules, _: Fingerprint) -> str:
        all_games.append(game)
        return str(len(all_games) - 1)

    fingerprint = Fingerprint(visit)
    for game in games:
        fingerprint.note(game)
    for number, game in enumerate(all_games):  # `all_games` grows
        questions = [(kind, name) for kind, name in questions_of(number, game)]
        fingerprint.text("questions", str(number), str(len(questions)), type(game).__qualname__)
        for question in questions:
            share(question, game, fingerprint)
            put(question, game, fingerprint)
        all_questions.append(questions)
    return all_games, all_questions, fingerprint
