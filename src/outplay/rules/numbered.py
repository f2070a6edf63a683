"""Games whose actions are not ints: tuples, strings, enums, None. Searches see them numbered.

`numbered(game)` is a game with the same states, whose actions are ints: the number of an action is made of the ints,
bools and characters in it, so that compiled and interpreted rules agree on it without a list of all actions. The low
bits of the parts come first, so that small parts give small numbers. Actions of several kinds, or with other parts, are
numbered in the order in which they appear; such games run interpreted.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import islice, zip_longest
from random import Random
from time import thread_time
from types import CodeType, FunctionType
from typing import Any

from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game, defines, listed

ARE_ACTIONS = (
    "Actions are whole numbers from 0 up, strings, tuples, enums or None: all that can be hashed, but no floats,"
    " True or False."
)
"""What actions may be, in one sentence for all messages."""
BITS = 62
"""The bits of the number of an action."""
LOW_BITS = 12
"""The bits that come first, shared out among the parts."""
CHARACTER_BITS = 7
LOOKED, PLIES, MOST = 3, 200, 10_000
"""The number of random games in which actions are looked at, of plies in each, and of actions in a state."""
LEAST, SECONDS = 20, 1.0
"""The number of plies that are looked at in any case; with slow rules, no more after these seconds."""
LONGEST_TEXT = 40
"""The most characters of a text in the rules that may be one of an action's."""


class Unnumbered(ValueError):
    """An action has no number, since it is longer than all that random games had: see `number_by_table`."""


class Numbered(Game):
    """A game with numbered actions. See `numbered`."""

    rules: Game
    encode: Callable[[Any], int]
    decode: Callable[[int], Any]
    has_table = False

    def __init__(self, rules: Game) -> None:
        self.rules = rules

    def __repr__(self) -> str:
        return repr(self.rules)

    def __reduce__(self) -> Any:
        return (number_by_table if self.has_table else numbered), (self.rules,)

    def initial_state(self) -> Any:  # noqa: D102
        return self.rules.initial_state()

    def to_move(self, state: Any) -> int:  # noqa: D102
        return self.rules.to_move(state)

    def is_terminal(self, state: Any) -> bool:  # noqa: D102
        return self.rules.is_terminal(state)

    def utility(self, state: Any, player: int) -> float:  # noqa: D102
        return self.rules.utility(state, player)


def numbered(game: Game) -> Game:
    """`game`, or if its actions are not ints, a game with the same states whose actions are.

    >>> from outplay import Game
    >>> class Pairs(Game):
    ...     def initial_state(self):
    ...         return 0
    ...     def to_move(self, state):
    ...         return state % 2
    ...     def actions(self, state):
    ...         return [(row, column) for row in range(2) for column in range(3)]
    ...     def result(self, state, action):
    ...         return state + 1 + sum(action)
    ...     def is_terminal(self, state):
    ...         return state > 5
    ...     def utility(self, state, player):
    ...         return 1 if player == state % 2 else -1
    >>> game = numbered(Pairs())
    >>> game.actions(0)
    [0, 64, 128, 1, 65, 129]
    >>> game.action_name(0, 65), game.result(0, 65)
    ('1,1', 3)
    """
    if isinstance(game, Numbered):
        return game
    if game._numbered is None:
        object.__setattr__(game, "_numbered", _numbered(game))
    found: Game = game._numbered
    return found


def number_by_table(game: Game) -> Game:
    """Number the actions of a game in the order in which they appear; it runs interpreted from now on."""
    rules = game.rules if isinstance(game, Numbered) else game
    object.__setattr__(rules, "_numbered", _class(type(rules), None, (), *_passed_on(rules))(rules))
    return numbered(rules)


def _passed_on(game: Game) -> tuple[tuple[str, ...], tuple[tuple[str, Any], ...]]:
    """The rules that the game defines, and its constants."""
    rules = tuple(rule for rule in RULES if rule in ("action_name", "action_cells") or defines(game, rule))
    return rules, tuple((name, getattr(game, name)) for name in CONSTANTS)


def _numbered(game: Game) -> Game:
    seen = list(_seen(game))
    try:
        kinds = {kind_of(action) for action in seen}
    except TypeError:  # something that cannot be hashed; a check says it better
        return game
    if kinds <= {("int",), ("bool",)} or any("float" in kind for kind in kinds):
        return game
    kind = merged(kinds)
    widths = widths_of(kind, seen) if kind else ()
    if kind and not widths:
        all_words, seen_words = (with_words(kind, seen, words) for words in (_texts_in(game), ()))
        kind = all_words if widths_of(all_words, seen) else seen_words
        widths = widths_of(kind, seen)
    return _class(type(game), kind if widths else None, widths, *_passed_on(game))(game)


def why_by_table(game: Game) -> str:
    """Why the actions of `game` are numbered in the order in which they appear, and what to write instead."""
    seen = list(_seen(game))
    first, kind = seen[0], merged(set(map(kind_of, seen)))
    if kind is None:
        other = next((action for action in seen if merged({kind_of(first), kind_of(action)}) is None), seen[-1])
        one, another = (_with_all_parts(action, seen) for action in (first, other))
        return (
            f"the actions {first!r} and {other!r} are of several kinds: make all actions of one kind, with None where"
            f" an action has no such part, such as {one!r} and {another!r}"
        )
    parts = [part for part, _ in parts_of(kind, "action")]
    if not {_leaf(part)[0] for part in parts} <= NEEDED.keys():
        return f"the action {first!r} has other parts than ints, bools, strings, members of enums and None: use these"
    if len(parts) > LOW_BITS:
        return f"the action {first!r} has more than {LOW_BITS} parts: use its place in a list of all actions"
    widest = max(seen, key=lambda action: sum(map(_needed, parts, leaves(action, kind))))
    return (
        f"the number of the action {widest!r} takes more than {BITS} bits: use smaller ints and shorter strings of"
        " ASCII, or its place in a list of all actions"
    )


def _with_all_parts(action: Any, seen: Iterable[Any]) -> tuple[Any, ...]:
    """An action as a tuple with a part for each kind that any action has in each place.

    >>> _with_all_parts((1, "up"), [(1, "up"), "pass", (2, None)])
    (1, None, 'up')
    >>> _with_all_parts("pass", [(1, "up"), "pass", (2, None)])
    (None, 'pass', None)
    """
    rows = [each if isinstance(each, tuple) else (each,) for each in (action, *seen)]
    found: list[Any] = []
    for part, *parts in zip_longest(*rows):
        kinds: list[Kind] = []
        for kind in filter(NONE.__ne__, dict.fromkeys(map(kind_of, parts))):
            alike = next((each for each in kinds if merged({each, kind}) is not None), None)
            kinds += [] if alike else [kind]
        found += [part if part is not None and merged({kind_of(part), kind}) else None for kind in kinds or [NONE]]
    return tuple(found)


def wrong_action(game: Game, actions: list[Any]) -> str:
    """What is wrong with `actions`, which are not all ints from 0 up: the words after `ARE_ACTIONS`."""
    for action in [*actions, *_seen(game)]:
        got = f"got {actions!r}" if any(action is each for each in actions) else f"got {action!r}"
        try:
            kind = kind_of(action)
        except TypeError:
            return f"{got}; a list cannot be hashed: write a tuple" if isinstance(action, list) else got
        if kind[0] in ("float", "bool") or (kind[0] == "int" and not 0 <= action < 2**63):
            return got
    return f"got {actions!r}, but only ints in the first state: make all actions of one kind, such as tuples"


def decoded(game: Game, action: int) -> Any:
    """The action, in the words of the rules, that a search of `game` calls `action`."""
    return game.decode(action) if isinstance(game, Numbered) else action


def encoded(game: Game, action: Any) -> int:
    """The inverse of `decoded`."""
    return game.encode(action) if isinstance(game, Numbered) else action


def _seen(game: Game) -> Iterator[Any]:
    """Actions of the first state; if they are not all ints, of random games too."""
    try:
        state = first = game.initial_state()
        actions = list(islice(listed(game.actions(state)), MOST))
        is_chance = bool(game.has_chance and game.to_move(state) == CHANCE)
    except Exception:  # the rules may raise anything; a check says it better
        return
    yield from actions
    if all(isinstance(action, int) or hasattr(action, "__index__") for action in actions) and not is_chance:
        return
    random = Random(0)  # noqa: S311 - not for secrets
    began, plies = thread_time(), 0
    try:
        for _ in range(LOOKED):
            state = first
            for _ in range(PLIES):
                plies += 1
                if game.is_terminal(state) or (plies > LEAST and thread_time() - began > SECONDS):
                    break
                actions = list(islice(listed(game.actions(state)), MOST))
                yield from actions
                state = game.result(state, random.choice(actions))
    except Exception:
        return


# -- kinds of actions, and their numbers ------------------------------------------------------------------------------

Kind = tuple[Any, ...]
NONE: Kind = ("any", type(None))
"""The kind of None."""


def kind_of(action: Any) -> Kind:
    """The kind of an action: ("int",), ("text",), ("enum", class), ("tuple", class, kinds) or ("any", class).

    A text that is one of a few is ("word", those), see `with_words`.

    Besides, ("maybe", kind) is that of an action, or a part of a tuple, that may be None, and ("inside", kind, place)
    that of a part of a tuple at this place that may be None.
    """
    if isinstance(action, Enum) and not isinstance(action, int):
        return "enum", type(action)
    if isinstance(action, bool):
        return ("bool",)
    if hasattr(action, "__index__"):
        return ("int",)
    if isinstance(action, str):
        return ("text",)
    if isinstance(action, tuple):
        return "tuple", type(action), tuple(map(kind_of, action))
    if isinstance(action, float) or hasattr(action, "dtype"):
        return ("float",)
    hash(action)
    return "any", type(action)


def merged(kinds: set[Kind]) -> Kind | None:
    """The kind of actions of all these kinds: they, or a part of a tuple, may be None. None if there is no such kind.

    >>> merged({kind_of((1, 2)), kind_of((1, None))})
    ('tuple', <class 'tuple'>, (('int',), ('maybe', ('int',))))
    >>> merged({kind_of((1, 2)), kind_of((1, 2, 3))}) is None
    True
    """
    if len(kinds) == 1:
        return next(iter(kinds))
    values = {each[1] if each[0] == "maybe" else each for each in kinds - {NONE}}
    if values != kinds:
        inner = merged(values)
        if inner is None or (inner[0] == "tuple" and not any(part[0] != "maybe" for part, _ in parts_of(inner, ""))):
            return None
        return ("maybe", inner) if inner[0] in ("int", "bool", "text", "enum", "tuple") else None
    first = next(iter(kinds))
    if any(kind[:2] != first[:2] or kind[0] != "tuple" or len(kind[2]) != len(first[2]) for kind in kinds):
        return None
    parts = [merged(set(column)) for column in zip(*(kind[2] for kind in kinds), strict=True)]
    return None if None in parts else ("tuple", first[1], tuple(parts))


def parts_of(kind: Kind, place: str) -> Iterator[tuple[Kind, str]]:
    """The kind of each part of an action, and an expression for it."""
    if kind[0] == "tuple":
        for number, part in enumerate(kind[2]):
            yield from parts_of(part, f"{place}[{number}]")
    elif _is_optional_tuple(kind):
        for part, inside in parts_of(kind[1], place):
            yield ("inside", part, place), inside
    else:
        yield kind, place


def _is_optional_tuple(kind: Kind) -> bool:
    return bool(kind[0] == "maybe" and kind[1][0] == "tuple")


def leaves(action: Any, kind: Kind) -> Iterator[Any]:
    """The parts of an action of this kind; None for those of a tuple that is None."""
    if _is_optional_tuple(kind):
        yield from (None for _ in parts_of(kind, "")) if action is None else leaves(action, kind[1])
    elif kind[0] == "tuple":
        for part, inner in zip(action, kind[2], strict=True):
            yield from leaves(part, inner)
    else:
        yield action


def _leaf(kind: Kind) -> Kind:
    """The kind of a part where it is not None."""
    return _leaf(kind[1]) if kind[0] in ("maybe", "inside") else kind


def widths_of(kind: Kind, seen: Iterable[Any]) -> tuple[int, ...]:
    """The bits of each part of the number of an action: what was seen needs, and a share of the rest.

    Empty if there are parts of other kinds, or if not all that was seen fits.
    """
    parts = list(parts_of(kind, "action"))
    if not 0 < len(parts) <= LOW_BITS or not {_leaf(part)[0] for part, _ in parts} <= NEEDED.keys():
        return ()
    columns = zip(*(leaves(action, kind) for action in seen), strict=True)
    needed = [max(_needed(part, each) for each in column) for (part, _), column in zip(parts, columns, strict=True)]
    rest, shares = BITS - sum(needed), [SHARES[_leaf(part)[0]] for part, _ in parts]
    return (
        tuple(bits + rest * share // max(1, sum(shares)) for bits, share in zip(needed, shares, strict=True))
        if rest >= 0
        else ()
    )


def _texts_in(game: Game) -> set[str]:
    """The short texts in the module of the rules that they refer to: mostly, those of actions are among them."""
    found: set[str] = set()
    waiting: list[Any] = [cls for cls in type(game).__mro__ if issubclass(cls, Game) and cls is not Game]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            found |= {value} if len(value) <= LONGEST_TEXT else set()
        elif id(value) not in seen:
            seen.add(id(value))
            waiting += _referred_to_by(value, type(game).__module__)
    return found


def _referred_to_by(value: Any, module: str) -> Iterable[Any]:
    """What a container consists of, and what code, a function or a class of this module refers to."""
    if isinstance(value, (tuple, list, set, frozenset)):
        return value
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, CodeType):
        return value.co_consts
    if getattr(value, "__module__", None) != module:
        return ()
    if isinstance(value, FunctionType):
        return [value.__code__, *(value.__globals__.get(name) for name in _names_in(value.__code__))]
    return [*vars(value).values()] if isinstance(value, type) else ()


def _names_in(code: CodeType) -> Iterator[str]:
    """The names that code uses, and the code inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def with_words(kind: Kind, seen: Iterable[Any], words: Iterable[str] = ()) -> Kind:
    """The kind of actions whose texts are among those seen and `words`, for texts that are too long for their letters.

    >>> with_words(kind_of(("Foreign Aid", 1)), [("Foreign Aid", 1), ("Coup", 2)])
    ('tuple', <class 'tuple'>, (('word', ('Coup', 'Foreign Aid')), ('int',)))
    """
    columns = zip(*(leaves(action, kind) for action in seen), strict=True)
    shown = [
        ("word", tuple(sorted({*words, *(each for each in column if isinstance(each, str))}))) for column in columns
    ]
    left = iter(shown)

    def worded(kind: Kind) -> Kind:
        if kind[0] == "tuple":
            return *kind[:2], tuple(map(worded, kind[2]))
        if kind[0] == "maybe":
            return "maybe", worded(kind[1])
        word = next(left)
        return word if kind == ("text",) else kind

    return worded(kind)


def _needed(kind: Kind, part: Any) -> int:
    """The bits that a part of an action takes."""
    if kind[0] == "word":
        return len(kind[1]).bit_length()
    if kind[0] == "inside":
        return 1 + _needed(kind[1] if kind[1][0] == "inside" else ("maybe", kind[1]), part)
    if kind[0] == "maybe":
        return 1 if part is None else 1 + _needed(kind[1], part)
    return NEEDED[kind[0]](part)


NEEDED: dict[str, Callable[[Any], int]] = {
    "int": lambda part: int(part).bit_length() + 1,
    "bool": lambda part: 2,
    "text": lambda part: max(1, len(part)) * CHARACTER_BITS if part.isascii() and "\0" not in part else BITS + 1,
    "enum": lambda part: len(type(part).__members__).bit_length() + 1,
    "word": lambda part: 0,
}
"""The bits that a part of an action takes, by its kind."""
SHARES = {"int": 1, "bool": 0, "text": 4, "enum": 0, "word": 0}
"""How the bits that are not needed for what was seen are shared out: other texts and ints may come."""


def codec(kind: Kind, widths: tuple[int, ...]) -> tuple[Callable[[Any], int], Callable[[int], Any]]:
    """Functions that turn an action of this kind into its number and back, with so many bits for each part.

    They compile as rules do.
    """
    parts = list(parts_of(kind, "action"))
    names: dict[str, Any] = {"Unnumbered": Unnumbered}
    lines = ["def encode(action):", "    number = 0"]
    back = ["def decode(number):"]
    start = 0
    lows = [min(width, LOW_BITS // len(parts)) for width in widths]
    high = sum(lows)
    for index, ((part, place), width, low) in enumerate(zip(parts, widths, lows, strict=True)):
        if _leaf(part)[0] in ("enum", "word"):
            members = tuple(_leaf(part)[1])
            names |= {f"members{index}": members, f"places{index}": {each: n for n, each in enumerate(members)}}
        lines += [f"    {line}" for line in _encoding(part, place, width, index)]
        lines.append(f"    number |= (part & {2**low - 1}) << {start} | (part >> {low}) << {high}")
        whole = f"(number >> {start} & {2**low - 1}) | (number >> {high} & {2 ** (width - low) - 1}) << {low}"
        back += [f"    part = {whole}", *(f"    {line}" for line in _decoding(part, index, width))]
        start, high = start + low, high + width - low
    lines.append("    return number")
    back.append(f"    return {_rebuilt(kind, 'action', iter(range(len(parts))), names)}")
    exec("\n".join([*lines, *back]), names)  # noqa: S102 - the source is ours
    return names["encode"], names["decode"]


def _encoding(kind: Kind, place: str, width: int, index: int) -> list[str]:
    """Lines that make `part`, a number of `width` bits, of the part of an action at `place`."""
    part = kind[0]
    if part == "maybe":
        inside = [f"    {line}" for line in _encoding(kind[1], f"value{index}", width - 1, index)]
        return [
            f"value{index} = {place}", f"if value{index} is None:", "    part = 0", "else:",
            *inside, "    part = part << 1 | 1",
        ]  # fmt: skip
    if part == "inside":
        inside = [f"    {line}" for line in _encoding(kind[1], place, width - 1, index)]
        return [f"if {kind[2]} is None:", "    part = 0", "else:", *inside, "    part = part << 1 | 1"]
    if part == "enum":
        return [f"part = places{index}[{place}]"]
    if part == "word":
        return [
            f"if {place} not in places{index}:",
            "    raise Unnumbered('an action has a text that random games do not show')",
            f"part = places{index}[{place}]",
        ]
    if part == "text":
        most = width // CHARACTER_BITS
        return [
            f"if len({place}) > {most}:",
            f"    raise Unnumbered('an action has a text of more than {most} characters')",
            "part = 0", f"for index in range(len({place})):", f"    character = ord({place}[index])",
            "    if character < 1 or character > 127:",
            "        raise Unnumbered('an action has a text with a character that is not ASCII')",
            f"    part |= character << {CHARACTER_BITS} * index",
        ]  # fmt: skip
    sign = 1 << width - 1
    return [
        f"part = int({place})", f"if part >= {sign} or part < -{sign}:",
        f"    raise Unnumbered('an action has an int of more than {width - 1} bits')",
        "if part < 0:", f"    part = {sign} - 1 - part",
    ]  # fmt: skip


def _decoding(kind: Kind, index: int, width: int) -> list[str]:
    """Lines that turn `part` into the part of an action."""
    part, name = kind[0], f"part{index}"
    if part == "maybe":
        inside = [f"    {line}" for line in _decoding(kind[1], index, width - 1)]
        return ["if part & 1:", "    part >>= 1", *inside, "else:", f"    {name} = None"]
    if part == "inside":
        return [f"{_there(kind[2])} = part & 1", "part >>= 1", *_decoding(kind[1], index, width - 1)]
    if part in ("enum", "word"):
        return [f"{name} = members{index}[part]"]
    if part == "text":
        return [
            f"{name} = ''", "while part:", f"    {name} += chr(part & {2**CHARACTER_BITS - 1})",
            f"    part >>= {CHARACTER_BITS}",
        ]  # fmt: skip
    if part == "bool":
        return [f"{name} = part != 0"]
    sign = 1 << width - 1
    return [f"{name} = part if part < {sign} else {sign} - 1 - part"]


def _there(place: str) -> str:
    """The variable that says whether the tuple at this place is not None."""
    return "there" + place.removeprefix("action").replace("[", "_").replace("]", "")


def _rebuilt(kind: Kind, place: str, numbers: Iterator[int], names: dict[str, Any]) -> str:
    """An expression for the action, or for its part at this place, made of its parts."""
    if _is_optional_tuple(kind):
        return f"({_rebuilt(kind[1], place, numbers, names)} if {_there(place)} else None)"
    if kind[0] != "tuple":
        return f"part{next(numbers)}"
    parts = "".join(f"{_rebuilt(part, f'{place}[{number}]', numbers, names)}, " for number, part in enumerate(kind[2]))
    if kind[1] is tuple:
        return f"({parts})"
    name = f"make{len(names)}"
    names[name] = kind[1]
    return f"{name}({parts})"


class Table:
    """Numbers of actions in the order in which they appear."""

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.actions: list[Any] = []

    def encode(self, action: Any) -> int:
        """The number of an action."""
        try:
            number = self.numbers.get(action)
        except TypeError:
            raise RulesError(f"{ARE_ACTIONS} Got {action!r}, which cannot be hashed.") from None
        if number is None:
            number = self.numbers[action] = len(self.actions)
            self.actions.append(action)
        return number

    def decode(self, number: int) -> Any:
        """The action with this number."""
        return self.actions[number]


# -- the class of a numbered game -------------------------------------------------------------------------------------

RULES = {
    "actions": "(self, state): return [encode(action) for action in self.rules.actions(state)]",
    "candidates": "(self, state): return [encode(action) for action in self.rules.candidates(state)]",
    "noisy": "(self, state): return [encode(action) for action in self.rules.noisy(state)]",
    "result": "(self, state, action): return self.rules.result(state, decode(action))",
    "probability": "(self, state, action): return self.rules.probability(state, decode(action))",
    "order": "(self, state, action): return self.rules.order(state, decode(action))",
    "information": "(self, state, player): return self.rules.information(state, player)",
    "evaluate": "(self, state, player): return self.rules.evaluate(state, player)",
    "forced_result": "(self, state): return self.rules.forced_result(state)",
    "utility_bounds": "(self, state): return self.rules.utility_bounds(state)",
    "is_quiet": "(self, state): return self.rules.is_quiet(state)",
    "needs_extension": "(self, state): return self.rules.needs_extension(state)",
    "null_move_state": "(self, state): return self.rules.null_move_state(state)",
    "passed_state": "(self, state): return self.rules.passed_state(state)",
    "determinize": "(self, state, player, random): return self.rules.determinize(state, player, random)",
    "key": "(self, state): return self.rules.key(state)",
    "symmetries": "(self, state): return self.rules.symmetries(state)",
    "state_class": "(self, state): return self.rules.state_class(state)",
    "index_count": "(self, number): return self.rules.index_count(number)",
    "state_index": "(self, state): return self.rules.state_index(state)",
    "indexed_state": "(self, number, index): return self.rules.indexed_state(number, index)",
    "index_player": "(self, state): return self.rules.index_player(state)",
    "index_plies": "(self, state): return self.rules.index_plies(state)",
    "index_stage": "(self, state): return self.rules.index_stage(state)",
    "index_points": "(self, state, player): return self.rules.index_points(state, player)",
    "class_name": "(self, number): return self.rules.class_name(number)",
    "parse_class": "(self, text): return self.rules.parse_class(text)",
    "features": "(self, state): return self.rules.features(state)",
    "render": "(self, state): return self.rules.render(state)",
    "picture": "(self, state): return self.rules.picture(state)",
    "action_cells": "(self, state, action): return self.rules.action_cells(state, decode(action))",
    "information_text": "(self, state, player): return self.rules.information_text(state, player)",
    "value_text": "(self, value, exact=False, distance=None): return self.rules.value_text(value, exact, distance)",
    "line_text": "(self, state, names): return self.rules.line_text(state, names)",
    "result_text": "(self, utilities): return self.rules.result_text(utilities)",
    "state_text": "(self, state): return self.rules.state_text(state)",
    "parse_state": "(self, text): return self.rules.parse_state(text)",
    "action_name": "(self, state, action): return self.rules.action_name(state, decode(action))",
}
"""The rules that a numbered game passes on, and how."""
CONSTANTS = (
    "players", "zero_sum", "constant_sum", "teams", "has_chance", "hidden_information", "utilities", "repetition",
    "repetitions", "forced_result_depth", "feature_names", "perft_past_end", "amaf_friendly", "player_marks",
    "compiled", "checked",
)  # fmt: skip
"""The attributes that a numbered game has too."""


@functools.lru_cache(maxsize=256)
def _class(
    game_class: type[Game], kind: Kind | None, widths: tuple[int, ...], rules: tuple[str, ...], constants: Any
) -> type[Numbered]:
    if kind is not None:
        encode, decode = codec(kind, widths)
    else:
        table = Table()
        encode, decode = table.encode, table.decode
    names: dict[str, Any] = {"encode": encode, "decode": decode, "__name__": __name__}
    for rule in rules:
        exec(f"def {rule}{RULES[rule]}", names)  # noqa: S102 - the source is ours
    members = {rule: names[rule] for rule in rules} | dict(constants)
    if members["constant_sum"]:
        members["zero_sum"] = False
    members |= {"encode": staticmethod(encode), "decode": staticmethod(decode), "__module__": game_class.__module__}
    if kind is None:
        members["compiled"], members["has_table"] = False, True
    return type(game_class.__name__, (Numbered,), members)
