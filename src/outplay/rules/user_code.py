"""Which files are the user's, and an error in one line, with the place in the user's code that raised it."""

import os
import site
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from outplay.rules.errors import RulesError

PACKAGES = ("numpy", "numba", "scipy", "llvmlite")
"""The packages that outplay compiles with."""


def _installed() -> Iterator[str]:
    """The folders of Python and of installed packages."""
    yield from (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    yield from (folder for folder in site.getsitepackages() if folder != sys.prefix)  # all of Python, on Windows
    yield site.getusersitepackages()
    for package in PACKAGES:  # anywhere on PYTHONPATH
        with suppress(ValueError):  # None in sys.modules
            yield from getattr(find_spec(package), "submodule_search_locations", None) or ()


_PACKAGE = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
_BUILT_IN = tuple(os.path.join(_PACKAGE, *folder, "") for folder in (("games",), ("backtracking", "problems")))
_INSTALLED = tuple({os.path.join(folder, "") for folder in _installed()})


def describe_error(error: BaseException) -> str:
    """An exception in one line, with the place in the user's code that raised it."""
    try:
        text = f"{type(error).__name__}: {error}".removesuffix(": ")
    except Exception:  # the user's own __str__
        text = type(error).__name__
    return f"{text} at {where}" if (where := place(error)) else text


def text_of_rule(game: object, rule: str, *arguments: Any) -> str:
    """What a rule of the game tells people. Raises `RulesError` if it fails or returns no text."""
    name = f"{type(game).__name__}.{rule}"
    try:
        text: Any = getattr(game, rule)(*arguments)
    except Exception as error:
        raise RulesError(f"{name} raised {describe_error(error)}") from error
    if not isinstance(text, str):
        raise RulesError(f"{name}: expected text, got {text!r:.60}")
    return text


def place(error: BaseException) -> str:
    """The last line of the user's code or of a built-in game that an exception passed through; "" if there is none."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_users(frame.filename)]
    return f"{short_path(frames[-1].filename)}:{frames[-1].lineno}: {frames[-1].line}" if frames else ""


def line_of(owner: object, method: str) -> str:
    """Where a method begins: "determinize (my_game.py:12)"; its name alone if that is unknown."""
    owner = getattr(owner, "rules", owner)  # of a numbered game
    code = getattr(getattr(type(owner), method, None), "__code__", None)
    return f"{method} ({short_path(code.co_filename)}:{code.co_firstlineno})" if code is not None else method


def is_installed(filename: str) -> bool:
    """Whether this file belongs to Python or to an installed package."""
    return filename.startswith(_INSTALLED)


def is_users(filename: str) -> bool:
    """Whether this file belongs to the user or to a built-in game."""
    if filename.startswith(_PACKAGE):
        return filename.startswith(_BUILT_IN)
    return not filename.startswith(("<frozen", "<string>")) and not is_installed(filename)


def short_path(filename: str) -> str:
    """The shorter form of a path: relative or as it is."""
    try:
        return min(os.path.relpath(filename), filename, key=len)
    except ValueError:  # another drive
        return filename
