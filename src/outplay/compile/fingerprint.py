"""A hash of the content of values, and a watch on whether they have changed.

Compiled code is kept, in memory and on disk, as long as everything that the compiler has read is unchanged. A
`Fingerprint` covers both cases: its text is a hash of the content, which finds compiled code again in a later process;
`is_current` compares the objects themselves, which takes microseconds before each search.

The content of a value is everything that can change the compiled code: the bytecode of a function, its default values
and every name that it reads; the bytes, shape and field names of an array; the members of an enumeration. Objects of
Python or of a library that Numba knows are hashed by name, since the version of the library stands for their content.
The content of any other object cannot be read; it is listed in `gaps`, and code that depends on it is not kept on disk.
"""

import builtins
import hashlib
import re
import sys
import types
from abc import ABCMeta
from collections.abc import Callable
from enum import Enum
from functools import partial
from itertools import count
from typing import Any, Self

from outplay.compile.references import (
    CACHED,
    MISSING,
    behind,
    content_of,
    fields_of,
    function_of_ufunc,
    globals_in,
    is_foreign,
    is_made_by_enum,
    is_object_of_users,
    library_name,
    member_of,
    names_in,
    parts_of_member,
    plain_function,
    registered,
)
from outplay.compile.watch import Watch
from outplay.rules.base import Rules, attributes, slots

RULES = (
    "initial_state", "to_move", "actions", "result", "is_terminal", "utility", "probability", "information", "evaluate",
    "order", "playout_action", "determinize", "candidates", "forced_result", "utility_bounds", "is_quiet", "noisy",
    "needs_extension", "null_move_state", "key", "symmetries", "features",
)  # fmt: skip
"""The methods of a game that a search calls."""
RULES_OF_PROBLEMS = ("allowed", "candidates", "assign", "weight")
"""The methods of a problem that a search calls."""
PLAIN = frozenset({bool, int, float, complex, str, bytes, range, slice, type(...), type(NotImplemented)})
"""Types of constants whose `repr` shows their whole content."""


DEEPEST = 20
"""The most objects within each other whose content is read: longer chains, such as lists of nodes, are gaps."""
UNREAD = frozenset(
    {"__module__", "__doc__", "__dict__", "__weakref__", "__static_attributes__", "__firstlineno__", "_abc_impl"}
    | {"__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__conditional_annotations__"}
    | {"__slotnames__", "__orig_bases__", "__parameters__", "__type_params__", "__abstractmethods__"}
    | {"__dataclass_params__", "__dataclass_fields__"}
)
"""Members of a class that no rule reads."""
CONSTRUCTION = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__"})
"""Members of a class of games whose effect shows in the attributes of a game."""
OF_NAMED_TUPLES = frozenset(
    {"_fields", "_field_defaults", "_make", "_replace", "_asdict", "__new__", "__getnewargs__", "__repr__"}
    | {"__replace__", "__match_args__"}
)
"""Members that Python puts into a class of named tuples, beside its fields."""


class Fingerprint(Watch):
    """A hash of everything that has been added, and a watch on it.

    `str()` of it is 32 hexadecimal digits. The hash shows whether an object was added twice. `gaps` lists objects whose
    content cannot be read; they are hashed by identity, which distinguishes them within this process.

    Args:
        visit: called with each game or problem found and this fingerprint, instead of adding the content of the game;
            the result is hashed. By default, all attributes and methods of the game are added.
    """

    def __init__(self, visit: Callable[[Rules, "Fingerprint"], str] | None = None) -> None:
        super().__init__(hash_of_value)
        self.gaps: list[str] = []
        self.with_lines = False  # whether line numbers count
        self.names_a_game = False  # whether a game or problem was found
        self._visit = visit
        self._hash = hashlib.sha256()
        self._numbers: dict[int, int] = {}
        self._depth = 0  # of nested lists, dicts and sets
        self._depth_of_objects = 0
        self._read: set[tuple[int, int]] = set()

    def __str__(self) -> str:
        return self._hash.hexdigest()[:32]

    @property
    def complete(self) -> bool:
        """Whether the content of everything added can be read."""
        return not self.gaps

    @classmethod
    def of_game(cls, game: Rules) -> Self:
        """The fingerprint of a game with all its attributes and methods, including those that no search reads."""
        fingerprint = cls()
        fingerprint._is_added(game)
        of_class = fingerprint_of_class(type(game))  # a part of those of several games
        fingerprint.text("part", str(of_class))
        fingerprint.gaps += of_class.gaps
        fingerprint._parts.append(of_class)
        fingerprint._add_attributes(game)
        return fingerprint

    # -- values -------------------------------------------------------------------------------------------------------

    def add(self, value: Any) -> None:
        """Add a value of any kind: a constant, an array, a function, a class, a game."""
        kind = type(value)
        self.names_a_game |= isinstance(value, Rules)
        if value is MISSING:
            self.text("missing")
        elif value is None or kind in PLAIN:
            self.text(kind.__name__, repr(value))
        elif kind is tuple:
            self.text("tuple", str(len(value)))
            for item in value:
                self.add(item)
        elif kind is types.CodeType:
            self._add_code(value)
        elif self._is_added(value):
            self.text("again", str(self._numbers[id(value)]))
        elif kind in (list, dict, set, frozenset):
            self._add_container(value)
        elif isinstance(value, Rules):
            self._add_game(value)
        elif isinstance(value, type):
            self._add_class(value)
        else:
            self._add_object(value)

    def note(self, game: Rules) -> None:
        """Number a game whose content is added elsewhere, so that it is recognized later."""
        self._is_added(game)
        self.watch_attribute(game, "__class__", type(game))

    def has_added(self, value: Any) -> bool:
        """Whether this object was added, or noted."""
        return id(value) in self._numbers

    def text(self, *parts: str) -> None:
        """Add text, such as a label of what follows."""
        for part in parts:
            encoded = part.encode("utf-8", "surrogatepass")
            self._hash.update(b"%d:" % len(encoded) + encoded)

    def _is_added(self, value: Any) -> bool:
        """Whether this object was added before; mark it as added."""
        if id(value) in self._numbers:
            return True
        self._numbers[id(value)] = len(self._numbers)
        self._objects.append(value)
        return False

    def _add_object(self, value: Any) -> None:
        function = plain_function(value) or function_of_ufunc(value)
        if isinstance(value, Enum):
            self.text("enum", value.name)
            self.add(type(value))
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            self.text("named tuple", str(len(value)))
            self.add(type(value))
            for item in value:
                self.add(item)
        elif _is_numbers(value):
            self._add_array(value)
        elif type(value) is partial:
            self.text("partial")
            for part in (value.func, value.args, value.keywords):
                self.add(part)
        elif isinstance(value, types.MethodType):
            self.text("method")
            self.add(value.__func__)
            self.add(value.__self__)
        elif isinstance(value, CACHED):
            self.text("cached")
            self.add(value.__wrapped__)
        elif isinstance(value, re.Pattern):
            self.text("pattern", repr(value.pattern), str(value.flags))
        elif type(value).__module__ == "logging":  # compiled rules do not log
            self.text("logger", type(value).__name__)
        elif isinstance(value, types.ModuleType) and is_foreign(value):
            self.text("module", value.__name__)
        elif (name := library_name(value)) is not None:
            self.text("library", name)
        elif isinstance(value, type(sys)):
            self.add_gap(value)
        elif function is not None:
            self.text(str(getattr(getattr(value, "_dispatcher", None), "targetoptions", "")))
            if function is not value and self._is_added(function):  # behind another kernel or dispatcher
                self.text("again", str(self._numbers[id(function)]))
            else:
                self._add_function(function)
        elif is_object_of_users(value) and self._depth_of_objects < DEEPEST:
            self._add_object_of_users(value)
        else:
            self.add_gap(value)

    def _add_object_of_users(self, value: Any) -> None:
        """Add an object with all its attributes."""
        fields = fields_of(value)
        self.text("object", str(len(fields)))
        self.watch_attribute(value, "__class__", type(value))
        self.watch_that(lambda: fields_of(value).keys() == fields.keys())
        self.add(type(value))
        self._depth_of_objects += 1
        for name, part in sorted(fields.items()):
            self.text(name)
            self.watch_attribute(value, name, part)
            self.add(part)
        self._depth_of_objects -= 1

    def _add_container(self, container: Any) -> None:
        """Add a list, dict or set; `is_current` will hash its content again, once for nested ones."""
        self.text(type(container).__name__, str(len(container)))
        self._depth += 1
        if isinstance(container, (set, frozenset)) and not _keeps_order(container):
            self.text(*sorted(map(hash_of_value, container)))
        else:
            for item in container.items() if isinstance(container, dict) else container:
                self.add(item)
        self._depth -= 1
        if self._depth == 0 and not isinstance(container, frozenset):
            self._containers[id(container)] = container, self._content(container)

    def _add_array(self, array: Any) -> None:
        dtype = array.dtype
        layout = getattr(array, "flags", None)
        order = "" if layout is None else f"{layout.c_contiguous}{layout.f_contiguous}{layout.aligned}"
        self.text("array", type(array).__name__, str(dtype.descr), str(array.shape), order)
        content = array.tobytes()
        self._hash.update(b"%d:" % len(content) + content)
        if layout is not None and (layout.writeable or array.base is not None):
            self._arrays[id(array)] = array, dtype, array.shape, content

    def add_gap(self, value: Any) -> None:
        """Add an object whose content cannot be read; within this process it is equal only to itself."""
        self.gaps.append(f"a {type(value).__name__}, whose content cannot be read")
        self.text("gap", str(_serial(value)))

    # -- functions ----------------------------------------------------------------------------------------------------

    def _add_function(self, function: types.FunctionType) -> None:
        keyword_defaults = dict(function.__kwdefaults__) if function.__kwdefaults__ else function.__kwdefaults__
        self._functions[id(function)] = function, function.__code__, function.__defaults__, keyword_defaults
        if getattr(function, "replaced", False):
            self.text("replaced", function.__qualname__)
            return
        declared = function.__annotations__.get("return")  # the compiler relies on these annotations
        self.text(
            "function", str(getattr(function, "inlined", False)), str(declared in (int, float, bool) and declared)
        )
        self._add_code(function.__code__)
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        names = function.__globals__
        for name in sorted(globals_in(function.__code__)):
            self.watch_name(names, name)
            self._add_read(name, names.get(name, getattr(builtins, name, MISSING)), function)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name != "__class__":
                self.watch_cell(cell)
                self._add_read(name, content_of(cell), function)

    def _add_read(self, name: str, value: Any, function: types.FunctionType) -> None:
        """Add the value of a name; of a module or a class of games, add only what `function` may read from it."""
        self.text("name", name)
        is_rules = isinstance(value, type) and issubclass(value, Rules)
        if not is_rules and (not isinstance(value, types.ModuleType) or is_foreign(value)):
            self.add(value)
            return
        self.text("class of games" if is_rules else "own module", value.__name__)
        if (id(value), id(function)) in self._read:  # modules that import each other
            return
        self._read.add((id(value), id(function)))
        self._objects.append(value)
        for attribute in sorted(names_in(function.__code__)):
            if is_rules:
                member = member_of(value, attribute)
                self.watch_member(value, attribute)
                if member is not MISSING and not attribute.startswith("__"):
                    self._add_read(attribute, behind(member), function)
            else:
                member = vars(value).get(attribute, MISSING)
                self.watch_name(vars(value), attribute)
                if member is not MISSING and member is not value:
                    self._add_read(attribute, member, function)

    def _add_code(self, code: types.CodeType) -> None:
        self.text("code", _digest_of_code(code))
        if self.with_lines:
            self.text(code.co_filename, str(code.co_firstlineno), code.co_linetable.hex())
            for constant in code.co_consts:
                if isinstance(constant, types.CodeType):
                    self._add_code(constant)

    # -- classes and games --------------------------------------------------------------------------------------------

    def _add_class(self, cls: type) -> None:
        """Add a class: its bases, then its own members, whether or not a class that is derived from it hides them."""
        if (library := library_name(cls)) is not None:
            self.text("library", library)
            return
        if cls is Rules or cls is getattr(cls, "_contract", None):
            self.text("contract", cls.__qualname__)
            return
        self.text("class", cls.__qualname__)
        self._classes[id(cls)] = cls, cls.__mro__
        self.add(type(cls))
        self.add(cls.__bases__)
        if isinstance(cls, ABCMeta):
            self._add_registered(cls)
        if issubclass(cls, Enum):
            for label, item in cls.__members__.items():
                self.text(label)
                self.add(item.value)
                self.add([(name, part) for name, part in vars(item).items() if not name.startswith("_")])
        elif tuple in cls.__bases__ and hasattr(cls, "_fields"):
            self.text("fields", *cls._fields)
            self.add(tuple(getattr(cls, "_field_defaults", {}).items()))
            self.text(*map(str, getattr(cls, "__annotations__", {}).values()))
        names, members = set(vars(cls)), own_members(cls)
        self.watch_that(lambda: vars(cls).keys() == names or own_members(cls) == members)
        for name in members:
            self.watch_own_member(cls, name)
            self.text("member", name, type(vars(cls)[name]).__name__)
            self.add(parts_of_member(vars(cls)[name]))

    def _add_registered(self, cls: type) -> None:
        """Add the classes that `ABCMeta.register` has made count as derived from an abstract one."""
        names = [derived.__qualname__ for derived in registered(cls)]
        self.text("registered", *names)
        self.watch_that(lambda: [derived.__qualname__ for derived in registered(cls)] == names)

    def _add_game(self, game: Rules) -> None:
        if self._visit:
            self.text("game", self._visit(game, self))
        else:  # with all methods and attributes, including those that no search reads
            self.add(type(game))
            self._add_attributes(game)

    def _add_attributes(self, game: Rules) -> None:
        """Add everything that belongs to one game: its attributes."""
        self.watch_attribute(game, "__class__", type(game))
        names = set(getattr(game, "__dict__", ()))
        self.watch_that(lambda: getattr(game, "__dict__", {}).keys() == names)
        for name in slots(type(game)):
            self.watch_attribute(game, name, getattr(game, name, MISSING))
        for name, value in sorted(attributes(game).items()):
            self.text(name)
            self.watch_attribute(game, name, value)
            self.add(value)

    def add_member(self, cls: type, name: str) -> Any:
        """Add the member `name` of a class: for methods and properties, the functions behind them."""
        member = member_of(cls, name)
        self.watch_member(cls, name)
        self.text("member", name, "none" if member is MISSING else type(member).__name__)
        self.add(behind(member))
        if isinstance(member, property) and member.fset is not None:
            self.add(member.fset)
        return member


def own_members(cls: type) -> list[str]:
    """The names of what a class itself defines, without what Python adds, now or later."""
    return sorted(name for name in vars(cls) if not _is_of_python(cls, name))


def _is_of_python(cls: type, name: str) -> bool:
    """Whether Python puts this member into a class, or no rule reads it; or it is added as a field or a value."""
    if name in UNREAD:
        return True
    if issubclass(cls, Rules):
        return name in CONSTRUCTION
    if issubclass(cls, Enum):
        is_private = name[0] == name[-1] == "_" and not name.startswith("__")
        return name in cls.__members__ or is_private or name == "__new__" or is_made_by_enum(cls, name)
    return tuple in cls.__bases__ and name in (*OF_NAMED_TUPLES, *getattr(cls, "_fields", ()))


def _is_numbers(value: Any) -> bool:
    """Whether this is a NumPy array or scalar whose content can be read."""
    dtype = getattr(value, "dtype", None)
    return dtype is not None and hasattr(value, "tobytes") and not getattr(dtype, "hasobject", True)


def _keeps_order(items: Any) -> bool:
    """Whether Python hashes these items alike in every run, so that a set of them keeps its order."""
    return all(type(item) in (bool, int, float) or (type(item) is tuple and _keeps_order(item)) for item in items)


def hash_of_value(value: Any) -> str:
    """The hash of a value by itself."""
    fingerprint = Fingerprint()
    fingerprint._depth = 1  # `is_current` is not used
    fingerprint.add(value)
    return str(fingerprint)


def fingerprint_of_game(game: Rules) -> Fingerprint:
    """The fingerprint of a whole game, recomputed only where an attribute or a method has changed."""
    fingerprint: Fingerprint | None = game._whole
    if fingerprint is None or not fingerprint.is_current():
        fingerprint = Fingerprint.of_game(game)
        object.__setattr__(game, "_whole", fingerprint)
    return fingerprint


_of_classes: dict[type, Fingerprint] = {}


def fingerprint_of_class(cls: type) -> Fingerprint:
    """The fingerprint of a class, recomputed only after a change."""
    fingerprint = _of_classes.get(cls)
    if fingerprint is None or not fingerprint.is_current():
        fingerprint = Fingerprint()
        fingerprint.add(cls)
        _of_classes[cls] = fingerprint
    return fingerprint


_codes: dict[int, tuple[types.CodeType, str]] = {}


def _digest_of_code(code: types.CodeType) -> str:
    """A hash of bytecode without its place in the source."""
    code_and_digest = _codes.get(id(code))
    if code_and_digest is None:
        part = Fingerprint()
        part.add((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags))
        part.add((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount))
        part.add((code.co_code, code.co_exceptiontable))
        part.text("constants", str(len(code.co_consts)))
        for constant in code.co_consts:
            part.add(constant)
        if len(_codes) > 20_000:
            _codes.clear()
        code_and_digest = _codes[id(code)] = code, str(part)
    return code_and_digest[1]


_serials: dict[int, tuple[Any, int]] = {}
_counter = count()


def _serial(value: Any) -> int:
    """A number that no other object of this process has or had."""
    if id(value) not in _serials:
        _serials[id(value)] = value, next(_counter)
    return _serials[id(value)][1]
