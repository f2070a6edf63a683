"""Traces in files: JSON with the numbers that a search has recorded, from which everything else is computed again."""

import hashlib
import json
import re
from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from outplay.engine.recording import Recording
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.system.files import check_version, read_file, write_file

FORMAT = "outplay trace 1"
"""The version of the files."""


def write_trace(path: str | PathLike[str], recording: Recording, limit: int) -> None:
    """Write a recording to a file that `read_trace` reads."""
    content = {
        "format": FORMAT,
        "unit": recording.unit,
        "game": repr(recording.game),
        "search": _without_addresses(recording.search),
        "method": recording.method,
        "limit": limit,
        "dropped": recording.dropped,
        "numbers": recording.numbers(),
    }
    text = json.dumps(content | {"sha256": _digest(content)}, ensure_ascii=False, separators=(",", ":"))
    write_file(path, text.encode(), OutplayError)


def read_trace(path: str | PathLike[str], search: Any) -> tuple[Recording, int]:
    """The recording in a file, and the limit of its trace. Raises `OutplayError` if `search` has not recorded it."""
    try:
        content = json.loads(read_file(path, OutplayError).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise OutplayError(f"{path}: not a trace, because it is not JSON: {error}") from error
    format_name = content.get("format") if isinstance(content, dict) else None
    check_version(path, format_name, FORMAT)
    if format_name != FORMAT:
        hint = f"; its format is {format_name!r}" if format_name is not None else ""
        raise OutplayError(f"{path}: not a trace of format {FORMAT!r}{hint}")
    if content.pop("sha256", None) != _digest(content):
        raise OutplayError(f"{path}: damaged: it has changed since it was saved; record it again")
    if content["search"] != _without_addresses(repr(search)):
        raise OutplayError(f"{path}: recorded by {content['search']}, not by {search!r}")
    try:
        recording: Recording = search._recorded(content)
    except OutplayError:
        raise
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise OutplayError(f"{path}: damaged: {error!r}; record it again") from error
    recording.search, recording.dropped = repr(search), content["dropped"]
    return recording, content["limit"]


def _without_addresses(text: str) -> str:
    """A `repr` without the addresses of functions, which differ from one process to the next."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def _digest(content: dict[str, Any]) -> str:
    """The SHA-256 of the content, whatever its layout."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


# -- states -----------------------------------------------------------------------------------------------------------


def plain_state(state: Any) -> Any:
    """A state as lists, numbers and texts, for JSON. Raises `OutplayError` if it has anything else.

    >>> plain_state((1, "x", (2.5, None)))
    [1, 'x', [2.5, None]]
    """
    if isinstance(state, np.ndarray):
        return {"shape": list(state.shape), "numbers": state.ravel().tolist()}
    if isinstance(state, np.generic):
        return state.item()
    if isinstance(state, (tuple, list)):
        return [plain_state(part) for part in state]
    if state is None or isinstance(state, (bool, int, float, str)):
        return state
    raise OutplayError(f"a state with a {type(state).__name__} cannot be written to a file: {state!r}")


def state_of(game: Game, plain: Any) -> Any:
    """The state that `plain_state` has made plain, in the form of the initial state of the game.

    >>> from outplay.games import ConnectFour
    >>> state_of(ConnectFour(), plain_state(ConnectFour().initial_state()))
    Position(mine=0, both=0)
    """
    return _in_form(game.initial_state(), plain)


def _in_form(form: Any, plain: Any) -> Any:
    if isinstance(form, np.ndarray):
        return np.array(plain["numbers"], form.dtype).reshape(plain["shape"])
    if isinstance(form, tuple) and hasattr(form, "_fields"):
        return type(form)(*map(_in_form, form, plain))
    if isinstance(form, (tuple, list)):
        return type(form)(_in_form(part, value) for part, value in zip(_forms(form, len(plain)), plain, strict=True))
    if isinstance(plain, list):
        return tuple(_in_form(None, item) for item in plain)
    return plain if form is None or plain is None or isinstance(form, str) else type(form)(plain)


def _forms(form: Sequence[Any], length: int) -> list[Any]:
    """A form for each of `length` parts; those after the end of `form` are like its last one."""
    return [form[min(index, len(form) - 1)] if form else None for index in range(length)]
