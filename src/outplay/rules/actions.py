"""Actions as rules list them: in an iterable or a mask, by number or with parts, and their names."""

from collections.abc import Hashable, Iterable, Sequence
from enum import Enum
from typing import Any

from outplay.rules.bits import squares
from outplay.rules.board import Picture


def plain_action(action: Any) -> int:
    """An action as it is, but an int for one of NumPy's."""
    plain: int = int(action) if hasattr(action, "dtype") else action  # or what the actions of the game are
    return plain


def action_parts(board: Picture | None, action: Any) -> Sequence[Hashable]:
    """The cells of an action that is a cell of a board or consists of cells; else none."""
    cells = set() if board is None else set(board.cells)
    if action in cells:
        return (action,)
    return action if isinstance(action, tuple) and cells.issuperset(action) else ()


def name_of(action: Any) -> str:
    """The name of an action in a game that does not define `action_name`.

    >>> name_of(3), name_of((1, 2)), name_of(((0, 1), (2, 3))), name_of("raise"), name_of(None)
    ('3', '1,2', '0,1-2,3', 'raise', 'none')
    """
    if isinstance(action, Enum):
        return action.name
    if isinstance(action, tuple):
        return ("-" if any(isinstance(part, tuple) for part in action) else ",").join(map(name_of, action))
    return "none" if action is None else str(action)


def listed(actions: Any) -> Iterable[int]:
    """The actions one by one, from any of the forms that a rule may return."""
    if hasattr(actions, "dtype") and hasattr(actions, "__len__"):
        return actions.tolist()  # type: ignore[no-any-return]
    return squares(actions) if is_mask(actions) else actions


def is_mask(actions: Any) -> bool:
    """Whether actions are given as a bit mask."""
    return hasattr(actions, "__index__") and not hasattr(actions, "__len__")
