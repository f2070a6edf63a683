"""Options of searchers, solvers and limits: each declares what it may be, and one function checks them all.

    @dataclass
    class Searcher:
        threads: int = number(1, least=1, most=1024)
        evaluate_at: float | None = number(None, least=0)
        choice: str = word("visits", ("visits", "value"))
        hints: bool = True

The annotation says the rest: `int` takes whole numbers alone, `bool` only True and False, and `| None` also None.
"""

from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args

from outplay.rules.arguments import is_number, is_whole

MAX_NUMBER = 2.0**62
"""No option is greater."""


@dataclass(frozen=True)
class Span:
    """Numbers from `least` to `most`."""

    least: float
    most: float

    def __str__(self) -> str:
        if self.least <= -MAX_NUMBER:
            return ""
        least, most = (f"{end:g}" if abs(end) < 1e5 else f"{end:.0f}" for end in (self.least, self.most))
        return f" from {least} on" if self.most >= MAX_NUMBER else f" from {least} to {most}"


def number(default: Any = MISSING, *, least: float = -MAX_NUMBER, most: float = MAX_NUMBER) -> Any:
    """A field of a dataclass that takes numbers from `least` to `most`."""
    return field(default=default, metadata={"allowed": Span(least, most)})


def word(default: Any, words: tuple[str, ...]) -> Any:
    """A field of a dataclass that takes one of some words."""
    return field(default=default, metadata={"allowed": words})


@cache
def _declared(cls: Any) -> list[tuple[str, tuple[Any, ...], bool, Any]]:
    """The fields of a dataclass: name, types, whether None is one of them, and what is allowed."""
    kinds = [(declared, get_args(declared.type) or (declared.type,)) for declared in fields(cls)]
    return [(part.name, types, type(None) in types, part.metadata.get("allowed")) for part, types in kinds]


def check_options(owner: Any) -> None:
    """Raise `ValueError` for an option that is not what its field in the dataclass of `owner` declares.

    >>> @dataclass
    ... class Search:
    ...     threads: int = number(1, least=1, most=1024)
    ...     choice: str | None = word("visits", ("visits", "value"))
    >>> check_options(Search(threads=4, choice="visit"))
    Traceback (most recent call last):
    ...
    ValueError: Search(choice='visit'): did you mean 'visits'? choice must be 'visits', 'value' or None
    """
    for name, kinds, optional, allowed in _declared(owner.__class__):
        value = getattr(owner, name)
        if value is None and optional:
            continue
        hint, also = "", " or None" if optional else ""
        if allowed is None:
            takes_function = len(kinds) > 1 + optional  # bool | Callable
            if bool not in kinds or isinstance(value, bool) or (takes_function and callable(value)):
                continue
            expected = "True, False or None" if optional else "True or False"
            expected = "True, False or a function" if takes_function else expected
        elif isinstance(allowed, Span):
            if (is_number if float in kinds else is_whole)(value) and allowed.least <= value <= allowed.most:
                continue
            expected = f"a {'' if float in kinds else 'whole '}number{allowed}{',' * optional}{also}"
        else:
            if isinstance(value, str) and value in allowed:
                continue
            similar = get_close_matches(value, allowed, n=1) if isinstance(value, str) else []
            hint = f"did you mean {similar[0]!r}? " if similar else ""
            names = [*map(repr, allowed), *["None"] * optional]
            expected = f"{', '.join(names[:-1])} or {names[-1]}"
        raise ValueError(f"{type(owner).__name__}({name}={value!r}): {hint}{name} must be {expected}")
