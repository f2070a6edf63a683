"""Classes whose objects never change: numbers, texts and tuples of these, which `__init__` alone assigns.

If they have an `__eq__` of their own, nobody can tell one object in two places of a state from its copies: compiled
rules do not ask with `is` whether two of them are one.
"""

import dis
from types import CodeType

import numpy as np

from outplay.compile.native.state_type import is_leaf, is_object
from outplay.compile.references import code_of, functions_of, is_frozen, member_of
from outplay.compile.value_kinds import Place
from outplay.rules.base import Rules

ANY = {"setattr", "delattr", "vars", "__dict__", "__setattr__"}
"""Names of what may assign any attribute."""


def unchanging(game: Rules, states: Place) -> dict[type, bool]:
    """The classes of objects in states that never change, and whether these objects have an `__eq__` of their own."""
    places = {kind.cls: place for place in states.inside() for kind in place.main if is_object(kind)}
    functions = (rule for rule in functions_of(game) if rule.__code__.co_filename != "<string>") if places else ()
    assigned = {function.__code__: _assigned(function.__code__) for function in functions}
    return {
        cls: member_of(cls, "__eq__") is not member_of(object, "__eq__")
        for cls, place in places.items()
        if _is_unchanging(cls, place, assigned)
    }


def _is_unchanging(cls: type, place: Place, assigned: dict[CodeType, set[str]]) -> bool:
    is_usual = is_frozen(cls) or member_of(cls, "__setattr__") is member_of(object, "__setattr__")
    names, own = ANY | place.parts.keys(), code_of(member_of(cls, "__init__"))
    return (
        is_usual
        and not hasattr(cls, "__deepcopy__")
        and all(map(_is_value, place.parts.values()))
        and all(code is own or not names & names_assigned for code, names_assigned in assigned.items())
    )


def _is_value(place: Place) -> bool:
    """Whether there were only values here that nobody can change."""
    is_plain = all(kind.cls is tuple or (is_leaf(kind) and kind.cls is not np.ndarray) for kind in place.main)
    return is_plain and all(map(_is_value, place.parts.values()))


def _assigned(code: CodeType) -> set[str]:
    """The attributes that code assigns, and the names of `ANY` in it."""
    steps = (step for step in dis.get_instructions(code) if step.opname in ("STORE_ATTR", "DELETE_ATTR"))
    inner = (_assigned(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return ({step.argval for step in steps} | (ANY & {*code.co_names})).union(*inner)
