"""Columns: the numbers that the states of any game consist of, each with the source that reads it.

A column is found by looking at many states: an int, an item of a list, an attribute, a value of a dict, whether a set
contains an item. `source` is plain Python, so that one text reads a column interpreted and in compiled code.

A path is a tuple of steps from the state to a value inside it. A step is a name for an attribute, or a tuple of one
key for an item. Start at `columns_of`.
"""

import enum
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from keyword import iskeyword
from types import MemberDescriptorType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import EvaluationError
from outplay.rules.wording import shown

Step = str | tuple[Any]
Path = tuple[Step, ...]
MAX_SYMBOLS = 64
"""A column of other things than numbers has at most this many values."""
MAX_ITEMS = 512
"""A container has at most this many columns."""
MAX_COLUMNS = 2048
"""A state has at most this many columns."""
MAX_STEPS = 8
"""A path has at most this many steps, as objects may contain each other."""
VALUES = {
    "number": (0, 0), "symbol": (1, MAX_SYMBOLS), "contains": (1, 1), "length": (0, 0), "get": (2, MAX_SYMBOLS + 1),
}  # fmt: skip
"""The least and the greatest number of `values` of each kind of column."""
ATOMS = (bool, int, str, type(None))
"""What can be a symbol, an item or a key."""


class Column(NamedTuple):
    """One number of each state.

    Attributes:
        path: where the value is in the state.
        kind: "number": the value is the number. "symbol": its place in `values`, counted from 1, or 0 for others.
            "contains": whether the container has `values[0]`. "length": the length of the container. "get": the symbol
            of the item `values[0]` of a dict, where the other `values` are symbols.
        values: see `kind`.
    """

    path: Path
    kind: str = "number"
    values: tuple[Any, ...] = ()

    @property
    def source(self) -> str:
        """Python that reads the column from a state named `state`, as an int."""
        value = "state" + "".join(f".{step}" if isinstance(step, str) else f"[{step[0]!r}]" for step in self.path)
        if self.kind == "number":
            return f"int({value})"
        if self.kind == "length":
            return f"len({value})"
        if self.kind == "contains":
            return f"(1 if {self.values[0]!r} in {value} else 0)"
        symbols = self.values
        if self.kind == "get":
            value, symbols = f"{value}.get({symbols[0]!r})", symbols[1:]
        cases = [
            f"{number} if {value} {'is' if symbol is None else '=='} {symbol!r} else "
            for number, symbol in enumerate(symbols, 1)
        ]
        return f"({''.join(cases)}0)"

    def as_list(self) -> list[Any]:
        """The column as plain values, for JSON."""
        return [[step if isinstance(step, str) else [_plain(step[0])] for step in self.path], self.kind,
                [_plain(value) for value in self.values]]  # fmt: skip

    @classmethod
    def from_list(cls, parts: Sequence[Any]) -> "Column":
        """The column that `as_list` wrote. Raises `EvaluationError` for anything else, so that no file runs code."""
        try:
            path, kind, values = parts
            column = cls(tuple(map(_step, path)), kind, tuple(map(_key, values)))
            least, most = VALUES[kind]
        except (TypeError, ValueError, KeyError, RecursionError):
            raise EvaluationError(f"{shown(parts)} is not a column") from None
        if not least <= len(column.values) <= most:
            raise EvaluationError(f"{shown(parts)} is not a column: it has {len(column.values)} values")
        return column

    def __str__(self) -> str:
        inside = "".join(f".{step}" if isinstance(step, str) else f"[{step[0]!r}]" for step in self.path)
        text = inside.removeprefix(".") or "state"
        if self.kind == "contains":
            return f"{self.values[0]!r} in {text}"
        return f"{text}[{self.values[0]!r}]" if self.kind == "get" else f"len({text})" * (self.kind == "length") or text


def _plain(value: Any) -> Any:
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def _step(step: Any) -> Step:
    """A step from JSON."""
    if isinstance(step, str):
        if not _is_name(step):
            raise EvaluationError(f"{shown(step)} is not the name of an attribute of a state")
        return step
    if not isinstance(step, list) or len(step) != 1:
        raise EvaluationError(f"{shown(step)} is not a step in a state")
    return (_key(step[0]),)


def _is_name(name: str) -> bool:
    """Whether this is the name of an attribute as people write it: none that Python has for itself."""
    is_plain = name.isidentifier() and not iskeyword(name) and not name.startswith("__")
    return is_plain and unicodedata.normalize("NFKC", name) == name


def _key(value: Any) -> Any:
    """A key or item from JSON: an atom, or a tuple of these."""
    if isinstance(value, list):
        return tuple(map(_key, value))
    if not isinstance(value, ATOMS):
        raise EvaluationError(f"{shown(value)} is not a key of a state")
    return value


def _as_written(value: Any) -> Any:
    """An atom, or a tuple of these, as Python that everyone reads: members of enumerations as their values."""
    if isinstance(value, tuple):
        return tuple(map(_as_written, value))
    if isinstance(value, str):
        return str.__str__(value)
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else value


def columns_of(states: Sequence[Any]) -> list[Column]:
    """The columns of states like these. Floats have none.

    >>> [str(column) for column in columns_of([((0, 7), True), ((1, 7), False)])]
    ['[0][0]', '[0][1]', '[1]']
    """
    columns: list[Column] = []
    for column in _columns((), list(states)):
        columns.append(column)
        if len(columns) == MAX_COLUMNS:
            break
    return columns


def _columns(path: Path, values: list[Any]) -> Iterator[Column]:
    first = values[0]
    if len(path) > MAX_STEPS or isinstance(first, type):
        return
    if all(isinstance(value, (int, np.integer, np.bool_)) for value in values):
        yield Column(path)
    elif any(type(value) is not type(first) for value in values) or isinstance(first, (str, type(None))):
        if all(isinstance(value, str) for value in values) and len(set(values)) > MAX_SYMBOLS:
            if len(set(map(len, values))) == 1:  # a board written as a text
                yield from _items(path, values)
        elif all(isinstance(value, ATOMS) for value in values):
            yield from _symbols(path, values)
    elif isinstance(first, enum.Enum):
        yield from _columns((*path, "value"), [value.value for value in values])
    elif isinstance(first, np.ndarray):
        if first.dtype.kind in "biu" and all(value.shape == first.shape for value in values):
            for place in np.ndindex(first.shape):
                yield Column((*path, (place if len(place) != 1 else place[0],)))
    elif isinstance(first, tuple) and hasattr(first, "_fields"):
        for name in first._fields:
            yield from _columns((*path, name), [getattr(value, name) for value in values])
    elif isinstance(first, (list, tuple)):
        yield from _items(path, values)
    elif isinstance(first, (set, frozenset)):
        yield from _members(path, values)
    elif isinstance(first, dict):
        yield from _dict_items(path, values)
    else:
        for name in attributes(first):
            if all(hasattr(value, name) for value in values):
                yield from _columns((*path, name), [getattr(value, name) for value in values])


def attributes(value: Any) -> list[str]:
    """The names of the attributes that hold the data of an object."""
    if is_dataclass(value):
        return [field.name for field in fields(value)]
    slots = [
        name
        for kind in type(value).__mro__
        for name, member in vars(kind).items()
        if isinstance(member, MemberDescriptorType)
    ]
    return list(filter(_is_name, [*slots, *getattr(value, "__dict__", ())]))


def _symbols(path: Path, values: list[Any]) -> Iterator[Column]:
    symbols = _sorted(set(values))
    if 1 < len(symbols) <= MAX_SYMBOLS:
        yield Column(path, "symbol", tuple(symbols))


def _sorted(values: set[Any]) -> list[Any]:
    return sorted(map(_as_written, values), key=repr)


def _items(path: Path, values: list[Any]) -> Iterator[Column]:
    least, most = min(map(len, values)), max(map(len, values))
    if least == most:
        for i in range(min(least, MAX_ITEMS)):
            yield from _columns((*path, (i,)), [value[i] for value in values])
        return
    yield Column(path, "length")
    yield from _members(path, values)


def _members(path: Path, values: list[Any]) -> Iterator[Column]:
    members = {item for value in values for item in value if _is_key(item)}
    if len(members) <= MAX_ITEMS:
        for item in _sorted(members):
            yield Column(path, "contains", (item,))


def _dict_items(path: Path, values: list[Any]) -> Iterator[Column]:
    keys = {key for value in values for key in value if _is_key(key)}
    if len(keys) > MAX_ITEMS:
        return
    for key in _sorted(keys):
        if all(key in value for value in values):
            yield from _columns((*path, (key,)), [value[key] for value in values])
        else:
            items = {value.get(key) for value in values if isinstance(value.get(key), ATOMS)} - {None}
            if 0 < len(items) <= MAX_SYMBOLS:
                yield Column(path, "get", (key, *_sorted(items)))
            elif not items:
                yield Column(path, "contains", (key,))


def _is_key(item: Any) -> bool:
    return isinstance(item, ATOMS) or (isinstance(item, tuple) and all(map(_is_key, item)))


def reader_of(columns: Sequence[Column]) -> Callable[[Any], tuple[int, ...]]:
    """A function from a state to the number of each column."""
    source = f"lambda state: ({''.join(f'{column.source}, ' for column in columns)})"
    reader: Callable[[Any], tuple[int, ...]] = eval(compile(source, "<columns>", "eval"))  # noqa: S307 - ours
    return reader


def read_columns(columns: Sequence[Column], states: Sequence[Any]) -> NDArray[np.int64]:
    """The number of each column in each state: int64 [states, columns]."""
    reader = reader_of(columns)
    rows = [reader(state) for state in states]
    numbers = np.array(rows, dtype=object).reshape(len(rows), len(columns))
    return (numbers & ((1 << 64) - 1)).astype(np.uint64).view(np.int64)
