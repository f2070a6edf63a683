"""Sharing of compiled code: finds the type of a game by its answers to the questions asked about other games.

`native_type` is called before each search, so it is fast when nothing has changed.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from numba import types
from numba.extending import typeof_impl

from outplay.compile.census import census_of, is_in_play, keep
from outplay.compile.fingerprint import Fingerprint, fingerprint_of_game
from outplay.compile.native.game_type import GameType
from outplay.compile.native.internals.numba_names import global_compiler_lock
from outplay.compile.native.losses import NATIVE, is_on
from outplay.compile.native.questions import Answers, put, share
from outplay.compile.native.reasons import reason
from outplay.compile.native.refusal import Problem, compile_rule, end_of, refuse
from outplay.compile.native.state_type import NotNative, parts_within
from outplay.rules.base import Rules
from outplay.rules.errors import RulesError
from outplay.rules.game import Game
from outplay.rules.numbered import Numbered, numbered
from outplay.system.uninterrupted import uninterrupted

R = TypeVar("R")


@dataclass
class TypeRecord:
    """The type of a game, with its answers to the questions so far: common to its class, and its own."""

    typ: GameType
    in_common: Answers
    own: Answers

    def is_current(self) -> bool:
        """Whether the game is still of this type."""
        return self.own.count == len(self.typ.answers) and self.answers_are_current()

    def answers_are_current(self) -> bool:
        """Whether the game would still give the same answers."""
        return self.own.is_current() and self.in_common.is_current()


_types: dict[tuple[type, str], list[GameType]] = {}
"""The types of a class of games, by the fingerprint of the whole game.

Games that differ anywhere start with separate types: it is not yet known what the compiler will ask.
"""
_finding: list[Rules] = []


def to_the_end(work: Callable[[], R]) -> R:
    """The result of `work()`, which Ctrl-C does not interrupt."""
    if global_compiler_lock.is_locked():  # by this thread, which is compiling already
        return work()
    return uninterrupted(work)


def native_type(game: Rules) -> GameType | None:
    """The type that makes `game` a compile-time constant, or None if it runs interpreted.

    Raises `RulesError` if the class says `compiled = True` and its rules do not compile.
    """
    if not is_on(NATIVE) or is_in_play(game):
        return None
    record: TypeRecord | None = game._native
    if record is None or not record.is_current():
        record = to_the_end(lambda: _find_type(game))
    if not record.typ.refusal:
        return record.typ
    if game.compiled:
        raise RulesError(record.typ.refusal)
    return None


@global_compiler_lock
def _find_type(game: Rules) -> TypeRecord:
    """Find the type whose answers are those of this game, or make one."""
    _finding.append(game)
    try:
        record: TypeRecord | None = game._native
        object.__setattr__(game, "_native", None)  # the following may fail after more answers were added
        new_record = None
        if record is not None and record.answers_are_current():  # more questions were asked since
            new_record = _of_type(game, record)
        if new_record is None:
            known_types = _types.setdefault((type(game), str(fingerprint_of_game(game))), [])
            new_record = _one_of(game, known_types) or _new_type(game, known_types)
        object.__setattr__(game, "_native", new_record)
        return new_record
    finally:
        _finding.pop()


def _of_type(game: Rules, record: TypeRecord) -> TypeRecord | None:
    """`record` with the answers to all questions; None if they differ from those of games of this type."""
    typ, questions = record.typ, tuple(record.typ.answers)
    try:
        record.in_common.hear(share, game, questions)
        record.own.hear(put, game, questions)
    except Exception:  # attributes and rules may raise anything
        return None
    if str(record.in_common) != str(typ.in_common) or str(record.own) != str(typ.own):
        return None
    if not record.in_common.holds_for(game):
        return None
    typ.shared = record.in_common
    return record


def _one_of(game: Rules, candidates: Iterable[GameType]) -> TypeRecord | None:
    """The record of `game` for the one of these types that has the same answers; None if there is none."""
    records = (_of_type(game, _beginning(game, typ)) for typ in candidates)
    return next((record for record in records if record is not None), None)


def _beginning(game: Rules, typ: GameType) -> TypeRecord:
    """A record of `game` for a type before it answers: it starts from what the last game of this type shares."""
    shared = typ.shared
    if shared is None or not shared.holds_for(game) or not shared.is_current():
        shared = Answers(game, _visit)
    return TypeRecord(typ, shared, Answers(game, _visit))


def _new_type(game: Rules, types_of_games: list[GameType]) -> TypeRecord:
    """Make a new type, and add it to the types of games like this one."""
    typ = GameType(game, _visit)
    problem = typ.ask("state")
    if isinstance(problem, NotNative):
        rule = problem.conflicts[0].rule if problem.conflicts else "initial_state"
        place = end_of(type(game), rule)
        refuse(typ, Problem(rule, place, reason(f"NotNative: {problem}"), str(problem)))
    elif _shows_more(typ):
        return _new_type(game, types_of_games)
    types_of_games.append(typ)
    return _one_of(game, [typ]) or _beginning(game, typ)


def _shows_more(typ: GameType) -> bool:
    """Whether `result` assigns something to an attribute that random games show as None alone; the census notes it."""
    game = typ.users_game
    if not isinstance(game, Game) or isinstance(numbered(game), Numbered) != isinstance(typ.game, Numbered):
        return False  # of the rules alone, `result` has an action of a type that is not known
    if types.none not in parts_within(typ.state) or census_of(game).is_complete:
        return False
    with suppress(Exception):  # Numba raises many kinds of errors
        compile_rule(typ, "result")
    is_wider = widen(typ)
    census_of(game).is_complete = not is_wider
    keep(game)
    typ.forget_natives()
    return is_wider


def widen(typ: GameType) -> bool:
    """Note in the census what rules assign to attributes that random games show as None alone; say if that is new."""
    game = typ.users_game
    owners = [typ.natives, *(objects.natives for objects in typ.natives.objects)]
    beyond = {place: values for owner in owners for place, values in owner.beyond.items()}
    news = [census_of(game).add_to(cls, name, values) for (cls, name), values in beyond.items()]
    if any(news):
        keep(game)
        for form in (game, typ.game):
            object.__setattr__(form, "_native", None)
    return any(news)


def _visit(game: Rules, fingerprint: Fingerprint) -> str:
    """The text that is hashed for a game inside another one: the name of its type."""
    if any(game is other for other in _finding):
        fingerprint.add_gap(game)  # games that contain each other
        return "circle"
    typ = native_type(game)
    fingerprint.watch_that(lambda: native_type(game) is typ)
    return typ.name if typ else "interpreted"


@typeof_impl.register(Rules)
def _type_of_rules(game: Rules, context: Any) -> GameType:
    typ = native_type(game)
    if typ is None:
        raise RulesError(f"the rules of {game!r} do not compile")
    return typ
