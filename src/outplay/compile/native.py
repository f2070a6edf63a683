"""Which games share compiled code: the type of a game, found by its answers to what was asked about others.

`native_type` is called before each search, so it is quick where nothing has changed.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from numba.core.compiler_lock import global_compiler_lock
from numba.extending import typeof_impl

from outplay.compile.game_type import GameType
from outplay.compile.questions import Question, put
from outplay.compile.refusal import refuse
from outplay.compile.state_type import NotNative
from outplay.errors import RulesError
from outplay.fingerprint import Fingerprint, member_function, whole
from outplay.rules import Rules
from outplay.uninterrupted import uninterrupted

R = TypeVar("R")


@dataclass
class Known:
    """What a game knows of its type: `seen` is a fingerprint of its answers to the first `count` questions."""

    typ: GameType
    seen: Fingerprint
    count: int

    def is_current(self) -> bool:
        """Whether the game still is of this type."""
        return self.count == len(self.typ.answers) and self.seen.is_current()


_types: dict[tuple[type, str], list[GameType]] = {}
"""The types of a class of games, by the fingerprint of all that a game is.

Games that differ anywhere begin with types of their own: what the compiler will ask about is not known yet.
"""
_finding: list[Rules] = []


def to_the_end(work: Callable[[], R]) -> R:
    """The result of `work()`, which Ctrl-C does not cut short."""
    if global_compiler_lock.is_locked():  # by this thread, which is compiling already
        return work()
    return uninterrupted(work)


def native_type(game: Rules) -> GameType | None:
    """The compile-time constant that `game` is, or None if it runs interpreted.

    Raises `RulesError` where the class says `compiled = True` and its rules do not compile.
    """
    known: Known | None = game._native
    if known is None or not known.is_current():
        known = to_the_end(lambda: _find_type(game))
    if not known.typ.refusal:
        return known.typ
    if type(game).compiled:
        raise RulesError(known.typ.refusal)
    return None


@global_compiler_lock
def _find_type(game: Rules) -> Known:
    """Find the type whose answers are those of this game, or make one."""
    _finding.append(game)
    try:
        known: Known | None = game._native
        found = None
        if known is not None and known.seen.is_current():  # more has been asked of its type since
            found = _same_answers(game, known.typ, known)
        if found is None:
            types = _types.setdefault((type(game), str(whole(game))), [])
            found = _one_of(game, types) or _new_type(game, types)
        object.__setattr__(game, "_native", found)
        return found
    finally:
        _finding.pop()


def _same_answers(game: Rules, typ: GameType, known: Known) -> Known | None:
    """What `game` knows of its type after the questions that were asked since, or None if it answers otherwise."""
    questions = tuple(typ.answers)
    seen = _told(game, questions[known.count :], known.seen)
    return Known(typ, seen, len(questions)) if seen is not None and str(seen) == str(typ.content) else None


def _one_of(game: Rules, candidates: Iterable[GameType]) -> Known | None:
    """What `game` knows of the one of these types whose answers are its own."""
    for typ in candidates:
        found = _same_answers(game, typ, Known(typ, _start(game), 0))
        if found is not None:
            return found
    return None


def _new_type(game: Rules, types: list[GameType]) -> Known:
    """Make a type, and add it to those of games like this one."""
    typ = GameType(game, _visit(lambda: typ.content))
    problem = typ.ask("state")
    if isinstance(problem, NotNative):
        code = member_function(inspect.getattr_static(type(game), "initial_state"))
        assert code is not None
        last = max(line for *_, line in code.__code__.co_lines() if line)  # where it returns
        refuse(typ, "initial_state", (code.__code__.co_filename, last), str(problem))
    types.append(typ)
    return _one_of(game, [typ]) or Known(typ, _start(game), 0)


def _told(game: Rules, questions: Iterable[Question], seen: Fingerprint) -> Fingerprint | None:
    """`seen` with the answers of `game` to further questions; None if it has no answer."""
    try:
        for question in questions:
            put(question, game, seen)
    except Exception:  # whatever an attribute or a rule does
        return None
    return seen


def _start(game: Rules) -> Fingerprint:
    """The beginning of a fingerprint of what `game` answers."""
    seen = Fingerprint(_visit(lambda: seen))
    seen.note(game)
    return seen


def _visit(fingerprint: Callable[[], Fingerprint]) -> Callable[[Rules], str]:
    """What stands for a game in the content of another: the name of its type."""

    def visit(game: Rules) -> str:
        if any(game is each for each in _finding):
            fingerprint().add_gap(game)  # games that hold each other
            return "circle"
        typ = native_type(game)
        fingerprint().watch_that(lambda: native_type(game) is typ)
        return typ.name if typ else "interpreted"

    return visit


@typeof_impl.register(Rules)
def _(game: Rules, context: Any) -> GameType:
    typ = native_type(game)
    if typ is None:
        raise RulesError(f"the rules of {game!r} do not compile")
    return typ
