"""What compiled code depends on, as one hash: change any of it and the hash changes.

Compiled rules are kept on disk, so the key under which they are kept must cover all that went into them: bytecode and
default values of every function that can be reached, the classes and constants that these read, and the parameters
of the game. Bytecode rather than source, so that a comment costs nothing and a notebook needs no file.

Start at `Fingerprint.of_game`. `references` is also how the compiler finds the helpers that it must compile.
"""

import dis
import hashlib
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Self

from outplay.game import Game
from outplay.rules import Rules, attributes

RULES = (
    "initial_state",
    "to_move",
    "actions",
    "result",
    "is_terminal",
    "utility",
    "probability",
    "information",
    "evaluate",
    "order",
    "playout_action",
    "determinize",
    "candidates",
    "foresee",
    "is_quiet",
    "noisy",
    "is_urgent",
    "pass_turn",
    "key",
    "symmetries",
    "features",
)
"""The methods of a game that a search calls."""
RULES_OF_PROBLEMS = ("allowed", "candidates", "assign", "weight")
"""The methods of a problem that a search calls."""
FOR_PEOPLE = (
    "render",
    "action_name",
    "information_text",
    "parse_action",
    "variable_name",
    "value_name",
    "images",
    "instances",
)
"""The methods that are never compiled."""


class Fingerprint:
    """A hash that grows as things are added; each function and class is added once.

    `str()` of it is 16 hexadecimal digits. `complete` turns False when a value whose content cannot be read is
    added: what was compiled with it must not be kept.
    """

    def __init__(self) -> None:
        self.complete = True
        self._hash = hashlib.sha256()
        self._seen: dict[int, Any] = {}
        self._sizes: list[tuple[Mapping[str, Any], int]] = []
        self._watched: list[tuple[Mapping[str, Any], str, Any]] = []

    def is_current(self) -> bool:
        """Whether every name still stands for what it stood for: a notebook may have defined a helper anew."""
        same_size = all(len(namespace) == size for namespace, size in self._sizes)
        return same_size and all(namespace.get(name) is value for namespace, name, value in self._watched)

    def __str__(self) -> str:
        return self._hash.hexdigest()[:16]

    @classmethod
    def of_game(cls, game: Rules) -> Self:
        """The fingerprint of the rules and the parameters of `game`."""
        fingerprint = cls()
        fingerprint._add_game(game)
        return fingerprint

    def add(self, value: Any) -> None:
        """Add a value of any kind: a constant, an array, a function, a class."""
        self._text(type(value).__name__)
        match value:
            case None | bool() | int() | float() | complex() | str() | bytes():
                self._text(repr(value))
            case tuple() | list():
                self._text(str(len(value)))
                for item in value:
                    self.add(item)
            case dict():
                for name in sorted(value, key=repr):
                    self.add(name)
                    self.add(value[name])
            case set() | frozenset():
                self.add(sorted(value, key=repr))
            case types.CodeType():
                self._add_code(value)
            case types.ModuleType():
                self._text(value.__name__)
            case types.BuiltinFunctionType() | types.MethodDescriptorType():
                self._text(value.__qualname__)
            case type():
                self._add_class(value)
            case Rules():
                self._add_game(value)
            case _:
                self._add_other(value)

    def _add_other(self, value: Any) -> None:
        universal = getattr(value, "_dispatcher", None) or getattr(value, "gufunc_builder", None)  # numba.vectorize's
        function = plain_function(value) or plain_function(universal)
        if function is not None:
            self._add_function(function)
        elif hasattr(value, "dtype") and hasattr(value, "tobytes"):  # a NumPy array or scalar
            self._text(f"{value.dtype.str}{value.shape}")
            self._hash.update(value.tobytes())
        elif is_foreign(value) and " at 0x" not in str(value):
            self._text(f"{type(value).__module__}.{type(value).__qualname__} {getattr(value, '__name__', value)}")
        else:
            self.complete = False

    def _add_function(self, function: types.FunctionType) -> None:
        if not self._is_new(function):
            return
        if is_foreign(function):
            self._text(f"{function.__module__}.{function.__qualname__}")
            return
        self.add(function.__code__)
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        for name, value in sorted(references(function).items()):
            self._text(name)
            if name in function.__globals__:
                self._watched.append((function.__globals__, name, value))
            self._add_read(value, function)

    def _add_read(self, value: Any, function: types.FunctionType) -> None:
        """Add what a name stands for; of a module only what `function` may read from it."""
        if not isinstance(value, types.ModuleType) or is_foreign(value):
            self.add(value)
            return
        for attribute in sorted(names_in(function.__code__)):
            if attribute in vars(value):
                self._text(attribute)
                self._watched.append((vars(value), attribute, vars(value)[attribute]))
                if vars(value)[attribute] is not value:
                    self._add_read(vars(value)[attribute], function)

    def _add_code(self, code: types.CodeType) -> None:
        self._hash.update(code.co_code)
        self.add((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags))
        self.add(code.co_consts)

    def _add_class(self, cls: type) -> None:
        self._text(cls.__qualname__)
        if not self._is_new(cls) or is_foreign(cls):
            return
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            self.add(cls._fields)
            self.add(getattr(cls, "_field_defaults", {}))
            self.add([str(note) for note in getattr(cls, "__annotations__", {}).values()])
        elif issubclass(cls, Rules):
            self._seen.pop(id(cls))
            self._add_members(cls)
        elif issubclass(cls, Enum):
            self.add({name: member.value for name, member in cls.__members__.items()})
        else:
            self.add({name: item for name, item in vars(cls).items() if isinstance(item, (bool, int, float, str))})

    def _add_members(self, game_class: type) -> None:
        """Add what a class of games and its bases define: rules, methods, constants; not what is only for people."""
        for owner in game_class.__mro__:
            if owner in (Game, *Rules.__mro__) or not self._is_new(owner):
                continue
            self._text(owner.__qualname__)
            self._watch(vars(owner))
            for name in sorted(vars(owner)):
                if not name.startswith("__") and name not in FOR_PEOPLE:
                    self._add_member(name, member_function(vars(owner)[name]) or vars(owner)[name])

    def _add_game(self, game: Rules) -> None:
        if not self._is_new(game):
            return
        self._add_members(type(game))
        self._watch(getattr(game, "__dict__", {}))
        for name, value in sorted(attributes(game).items()):
            self._add_member(name, value)

    def _add_member(self, name: str, value: Any) -> None:
        """Add an attribute or method; an attribute that cannot be read cannot be compiled: nothing depends on it."""
        complete = self.complete
        self._text(name)
        self.add(value)
        if plain_function(value) is None and not isinstance(value, Rules):
            self.complete = complete

    def _watch(self, namespace: Mapping[str, Any]) -> None:
        self._sizes.append((namespace, len(namespace)))
        self._watched += [(namespace, name, value) for name, value in namespace.items()]

    def _is_new(self, value: object) -> bool:
        new = id(value) not in self._seen
        self._seen[id(value)] = value  # kept alive, so that the id stays its own
        return new

    def _text(self, text: str) -> None:
        self._hash.update(text.encode() + b"\0")


def references(function: types.FunctionType) -> dict[str, Any]:
    """The global and enclosing names that `function` reads, with their present values."""
    found = {}
    for name in names_in(function.__code__, "LOAD_GLOBAL"):
        if name in function.__globals__:
            found[name] = function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        if name != "__class__":
            try:
                found[name] = cell.cell_contents
            except ValueError:  # defined later than the function, and not yet
                continue
    return found


@lru_cache(maxsize=4096)
def names_in(code: types.CodeType, operation: str = "") -> frozenset[str]:
    """The names that `code` and the functions nested in it use: all, or those of one bytecode operation."""
    names = {
        str(step.argval)
        for step in dis.get_instructions(code)
        if step.opcode in dis.hasname and operation in ("", step.opname)
    }
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant, operation)
    return frozenset(names)


def plain_function(value: Any) -> types.FunctionType | None:
    """The Python function that `value` is or wraps: a function, a kernel, a function compiled with Numba."""
    for candidate in (value, getattr(value, "function", None), getattr(value, "py_func", None)):
        if isinstance(candidate, types.FunctionType):
            return candidate
    return None


def member_function(member: Any) -> types.FunctionType | None:
    """The function behind a class member: a method, a static method, a property."""
    for candidate in (member, getattr(member, "__func__", None), getattr(member, "fget", None)):
        if isinstance(candidate, types.FunctionType):
            return candidate
    return None


_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_FOREIGN = sys.stdlib_module_names | {"numpy", "numba", "scipy", "llvmlite"}


def is_foreign(value: Any) -> bool:
    """Whether `value` comes from the standard library or one that Numba knows: its version stands for its content."""
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    if not isinstance(module, str):
        module = type(value).__module__
    top = module.partition(".")[0]
    if top not in _FOREIGN:
        return False
    file = getattr(sys.modules.get(top), "__file__", None)  # a module of the user's may have such a name too
    return file is None or file.startswith(_LIBRARIES)


def reached(functions: Iterable[types.FunctionType]) -> Iterator[types.FunctionType]:
    """Every plain Python function that `functions` call, themselves included."""
    waiting, seen = list(functions), set()
    while waiting:
        function = waiting.pop()
        if function.__code__ in seen:
            continue
        seen.add(function.__code__)
        yield function
        waiting += [called for value in references(function).values() if (called := plain_function(value)) is not None]
