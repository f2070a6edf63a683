"""Compiled kernels on disk, each with its manifest: the compiler's questions about the game, and the answers."""

import functools
import hashlib
import io
import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import types

import outplay
from outplay.compile import cache
from outplay.compile.census import Unpickler
from outplay.compile.fingerprint import Fingerprint, fingerprint_of_game
from outplay.compile.native.game_type import GameType
from outplay.compile.native.internals.code_on_disk import packed, pickler, unpacked
from outplay.compile.native.internals.numba_names import start_quickly
from outplay.compile.native.losses import DISK, lose, tell
from outplay.compile.native.notices import NotKeptWarning
from outplay.compile.native.questions import Question, manifest
from outplay.compile.native.reasons import Reason
from outplay.compile.native.refusal import Problem
from outplay.compile.native.rules import extensions_used
from outplay.compile.native.sharing import native_type
from outplay.compile.native.state_type import parts_within
from outplay.compile.references import library_name
from outplay.rules.base import Rules
from outplay.rules.numbered import Numbered


class Disk:
    """The cache of a Numba dispatcher, which loads and saves compiled code."""

    cache_path = property(lambda self: str(cache.folder()))

    def __init__(self, kernel: Any, missing: Callable[[], None]) -> None:
        """`missing()` is called if there is nothing to load, before the kernel is compiled."""
        self.kernel = kernel
        self.missing = missing
        self.name = f"{kernel.__module__}.{kernel.__qualname__}"
        self.fingerprint = kernel.fingerprint()
        self.has_loaded = False
        """Whether there was something to load."""

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled code for these argument types, or None."""
        overload = self._load(signature, context)
        self.has_loaded = overload is not None
        if not self.has_loaded:
            self.missing()
        return overload

    def _load(self, signature: Any, context: Any) -> Any:
        if self.kernel.content.gaps:
            return None
        games = [typ.game for typ in game_types(signature)]
        entry = cache.load(self._key(signature, context), lambda all_questions: _content(games, all_questions))
        if entry is None:
            return None
        data, all_questions = entry
        if b"numba.np." in data:  # it uses Numba's functions on arrays, whose modules will be imported
            start_quickly()
        try:
            compiled = unpacked(context, Unpickler(io.BytesIO(data), _names(signature)).load())
        except Exception:  # whatever is wrong with the file, compile again
            return None
        types_of_games, *_ = manifest(games, lambda number, _: all_questions[number])
        for game, questions in zip(types_of_games, all_questions, strict=True):  # now the code depends on the answers
            typ = _type_of(game, signature)
            for kind, name in questions:
                typ.ask(kind, name)
        return compiled

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Store nothing yet: `entry` calls `save` when it knows what is in the code."""

    def save(self, signature: Any, compiled: Any, all_questions: list[list[Question]], content: Fingerprint) -> None:
        """Store compiled code with its manifest if possible; otherwise a warning says why not."""
        try:
            self._save(signature, compiled, all_questions, content)
        except (AttributeError, TypeError) as error:  # this version of Numba describes compiled code differently
            lose(DISK, f"something that raises {type(error).__name__} ({error})")
            tell()

    def _save(self, signature: Any, compiled: Any, all_questions: list[list[Question]], content: Fingerprint) -> None:
        if _of_main(compiled.signature.return_type) or compiled.library.has_dynamic_globals or compiled.lifted:
            return
        games = [typ.game for typ in game_types(signature)]
        gaps = [*self.kernel.content.gaps, *content.gaps, *extensions_used, *map(_foreign_type, signature)]
        label = ", ".join(map(repr, games))
        if any(gaps):
            if cache.folder() is not None:
                _warn_once(f"{label or self.name}: compiled code is not kept on disk, as it depends on {max(gaps)}")
            return
        if self.kernel.fingerprint() != self.fingerprint:
            return
        parts = packed(compiled)
        if parts is None:
            return
        file, names = io.BytesIO(), {id(value): name for name, value in _names(signature).items()}
        pickler(file, lambda thing: names.get(id(thing))).dump(parts)
        key = self._key(signature, compiled.target_context)
        cache.save(key, self.name, label, file.getvalue(), all_questions, str(content))

    def _key(self, signature: Any, context: Any) -> str:
        settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
        settings = [item for item in settings if item[0] != "NUMBA_NUM_THREADS"]  # set in workers; the code is the same
        settings += [(name, str(getattr(numba.config, name))) for name in ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE")]
        machine = context.codegen().magic_tuple()
        written = str(signature)
        for typ in game_types(signature):
            written = written.replace(typ.name, typ.name.partition("[")[0])
        classes = classes_of_arguments(signature)
        return f"{self.name} {self.fingerprint} {written} {classes} {_versions()} {machine} {settings}"


def manifest_of(signature: Any) -> tuple[list[Rules], list[list[Question]], Fingerprint]:
    """The games of a signature and those in them, the questions that the compiler has asked about each, and a
    fingerprint of the present answers.
    """
    games = [typ.game for typ in game_types(signature)]
    return manifest(games, lambda _, game: tuple(_type_of(game, signature).answers))


def refused_before(kernel: Any, game: Rules) -> Problem | None:
    """Why an earlier process could not compile a kernel for these rules, which saves the seconds of trying again."""
    key = _key_of_refusal(kernel, game)
    stored = cache.load(key, lambda _: "") if key else None
    if stored is None:
        return None
    rule, place, why, details = json.loads(stored[0])
    return Problem(rule, tuple(place), Reason(*why), details)


def keep_refusal(kernel: Any, game: Rules, problem: Problem) -> None:
    """Store why a kernel does not compile for these rules."""
    key = _key_of_refusal(kernel, game)
    if key:
        cache.save(key, f"{kernel.__module__}.{kernel.__qualname__}", repr(game), json.dumps(problem).encode())


def _key_of_refusal(kernel: Any, game: Rules) -> str:
    """A text that another process finds for the same rules, in the same lines; "" if they cannot be read."""
    rules = game.rules if isinstance(game, Numbered) else game
    content = fingerprint_of_game(rules)
    file = Path(getattr(sys.modules.get(type(rules).__module__), "__file__", None) or "/dev/null")
    if not content.complete or kernel.content.gaps or not file.is_file():
        return ""
    source = hashlib.sha256(file.read_bytes()).hexdigest()
    return f"refusal {kernel.__qualname__} {kernel.fingerprint()} {content} {source} {_versions()}"


def classes_of_arguments(signature: Any) -> Fingerprint:
    """A fingerprint of the named tuples among the types of arguments, and in the states of games."""
    content = Fingerprint()
    for _, value in sorted(_names(signature).items()):
        if isinstance(value, type):
            content.add(value)
    return content


def _content(games: list[Any], all_questions: Any) -> str | None:
    """The fingerprint of the present answers to these questions; None if it cannot be determined."""
    try:
        types_of_games, _, content = manifest(games, lambda number, _: all_questions[number])
    except Exception:  # a damaged list or a failing rule
        return None
    return str(content) if len(types_of_games) == len(all_questions) and not content.gaps else None


def game_types(signature: Any) -> list[GameType]:
    """The types of games among the types of arguments."""
    return [typ for typ in signature if isinstance(typ, GameType)]


def _type_of(game: Any, signature: Any) -> GameType:
    """The type of a game; a game in the signature has its type there, even if the game has another one now."""
    for typ in game_types(signature):
        if typ.game is game:
            return typ
    own_type = native_type(game)
    if own_type is None:
        raise TypeError(f"{game!r} runs interpreted")
    return own_type


_warnings: set[str] = set()


def _warn_once(text: str) -> None:
    if text not in _warnings:
        _warnings.add(text)
        warnings.warn(text, NotKeptWarning, stacklevel=2)


def _foreign_type(typ: types.Type) -> str:
    """A text if an extension defines this Numba type, since how it compiles is unknown; else an empty text."""
    own = type(typ).__module__.startswith("outplay.compile.native") or library_name(type(typ)) is not None
    return "" if own else f"the type {typ}, which an extension of Numba defines"


@functools.lru_cache(maxsize=1)
def _versions() -> str:
    own = Fingerprint()
    compiler = Path(__file__).parents[1]
    for file in (*sorted(compiler.rglob("*.py")), *sorted((compiler.parent / "rules").glob("*.py"))):
        own.add(file.read_bytes())
    return f"{outplay.__version__} {own} {numba.__version__} {llvmlite.__version__} {np.__version__} {sys.version}"


def _names(signature: Any) -> dict[Any, Any]:
    """The games and state classes in a signature, numbered.

    Files contain the numbers, since a class of a notebook or of `__main__` is a different object in each process.
    """
    classes: list[Any] = []

    def visit(typ: types.Type) -> None:
        if isinstance(typ, GameType):
            classes.append(typ)
            visit(typ.state)
        elif isinstance(typ, types.BaseTuple):
            if hasattr(typ, "instance_class"):
                classes.append(typ.instance_class)
            for part in typ.types:
                visit(part)

    for typ in signature:
        visit(typ)
    return dict(enumerate(classes))


def _of_main(returned: types.Type) -> bool:
    """Whether a kernel returns a state of a class in `__main__`, which another process cannot import."""
    return any(getattr(part, "instance_class", int).__module__ == "__main__" for part in parts_within(returned))
