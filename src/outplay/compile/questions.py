"""What the compiler asks about a game, and what it was told: the manifest of compiled code.

Compiled code depends on a game only through the answers to questions: which function is the method `result`, what is
the value of the attribute `width`, is `order` defined. `GameType.ask` puts each question once and notes it. So the list
of questions with a fingerprint of the answers says exactly what the code depends on, as a manifest of ccache does:
where the same questions have the same answers, the compiler would do the same again. In memory this tells which games
can share compiled code; on disk it is stored beside the code, and tells whether the code can be loaded.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numba import types

from outplay.compile.state_type import NotNative, native_state
from outplay.fingerprint import MISSING, Fingerprint, member_function, member_of, names_in
from outplay.game import Game, defines, is_mask
from outplay.rules import Rules, attributes, is_checked
from outplay.trial import by_trial

Question = tuple[str, str]
"""The kind of question, and the name that it is about."""


def put(question: Question, game: Rules, fingerprint: Fingerprint) -> Any:
    """The answer to a question about `game`, which is added to the fingerprint."""
    kind, name = question
    fingerprint.text(kind, name)
    return QUESTIONS[kind](game, name, fingerprint)


def _member(game: Rules, name: str, fingerprint: Fingerprint) -> Any:
    """The member `name` of the class, such as a method; `MISSING` if there is none or an attribute hides it."""
    own = getattr(game, "__dict__", {})
    fingerprint.watch_name(own, name)
    if name in own and not isinstance(member_of(type(game), name), property):
        fingerprint.text("hidden")
        return MISSING
    return fingerprint.add_member(type(game), name)


def _value(game: Rules, name: str, fingerprint: Fingerprint) -> Any:
    """The value of the attribute `name`, however it comes about; `MISSING` if there is none."""
    value = getattr(game, name, MISSING)
    fingerprint.watch_attribute(game, name, value)
    fingerprint.add(value)
    return value


def _defines(game: Rules, name: str, fingerprint: Fingerprint) -> bool:
    """Whether the class has a version of its own of an optional rule."""
    fingerprint.watch_member(type(game), name)
    return _told(fingerprint, defines(game, name))


def _is_mask(game: Rules, name: str, fingerprint: Fingerprint) -> bool:
    """Whether the rule gives a bit mask, as found by calling it for the initial state."""
    fingerprint.watch(_run(game, "initial_state", name))
    return _told(fingerprint, is_mask(_first(game, name)))


def _is_array(game: Rules, name: str, fingerprint: Fingerprint) -> bool:
    """Whether the rule gives an array, as found by calling it for the initial state."""
    fingerprint.watch(_run(game, "initial_state", name))
    return _told(fingerprint, isinstance(_first(game, name), np.ndarray))


def _state(game: Rules, _: str, fingerprint: Fingerprint) -> Any:
    """The Numba type of the states; where they have none, the `NotNative` that says why."""
    fingerprint.watch(_run(game, "initial_state"))
    try:
        found = native_state(game)
    except NotNative as problem:
        fingerprint.text(str(problem))
        return problem
    for cls in _classes(found):
        fingerprint.add(cls)
    fingerprint.text(str(found))
    return found


def _trial(game: Rules, name: str, fingerprint: Fingerprint) -> Any:
    """What draws from the actions without a list, if that can be made of the rule, and the class lets it."""
    if not _value(game, "by_trial", fingerprint):
        return None
    fingerprint.add_member(type(game), name)
    trial = by_trial(getattr(type(game), name))
    fingerprint.add(trial)
    return trial


def _checked(game: Rules, _: str, fingerprint: Fingerprint) -> bool:
    """Whether the rules are compiled with checks, whose errors name lines: so lines count from here on."""
    answer = is_checked(game)
    fingerprint.watch_that(lambda: is_checked(game) == answer)
    fingerprint.with_lines = answer
    return _told(fingerprint, answer)


QUESTIONS: dict[str, Callable[[Rules, str, Fingerprint], Any]] = {
    "member": _member,
    "value": _value,
    "defines": _defines,
    "mask": _is_mask,
    "array": _is_array,
    "state": _state,
    "trial": _trial,
    "checked": _checked,
}


def _told(fingerprint: Fingerprint, answer: bool) -> bool:
    fingerprint.add(answer)
    return answer


def _first(game: Any, name: str) -> Any:
    """What a rule that lists actions, or values of the first variable, gives for the initial state."""
    state = game.initial_state()
    return getattr(game, name)(state) if isinstance(game, Game) else getattr(game, name)(state, 0)


def _run(game: Rules, *rules: str) -> Fingerprint:
    """A watch on what calls of these rules in Python may read: their code, and the attributes that it names."""
    watch, waiting, seen = Fingerprint(), list(rules), set(rules)
    own = attributes(game)
    while waiting:
        name = waiting.pop()
        function = member_function(member_of(type(game), name))
        if function is None:
            watch.watch_attribute(game, name, own.get(name, getattr(type(game), name, MISSING)))
            continue
        watch.add_member(type(game), name)
        named = {each for each in names_in(function.__code__) if each in own or hasattr(type(game), each)}
        waiting += named - seen
        seen |= named
    return watch


def _classes(typ: types.Type) -> Iterable[type]:
    """The named tuples that states consist of."""
    if isinstance(typ, types.BaseTuple):
        if hasattr(typ, "instance_class"):
            yield typ.instance_class
        for part in typ.types:
            yield from _classes(part)


def manifest(
    games: Sequence[Rules], questions_of: Callable[[int, Rules], Iterable[Question]]
) -> tuple[list[Rules], list[list[Question]], Fingerprint]:
    """All games that compiled code depends on, the questions about each, and a fingerprint of the answers.

    `games` come first, then those found in answers, in the order in which they are found.
    """
    found, asked = list(games), []

    def visit(game: Rules) -> str:
        found.append(game)
        return str(len(found) - 1)

    fingerprint = Fingerprint(visit)
    for game in games:
        fingerprint.note(game)
    for number, game in enumerate(found):  # which grows
        questions = [(kind, name) for kind, name in questions_of(number, game)]
        fingerprint.text("questions", str(number), str(len(questions)), type(game).__qualname__)
        for question in questions:
            put(question, game, fingerprint)
        asked.append(questions)
    return found, asked, fingerprint
