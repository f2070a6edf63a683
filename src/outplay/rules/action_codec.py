"""Whole numbers for actions of any shape: what parts actions have, and functions that pack and unpack them."""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any

Kind = tuple[Any, ...]
BITS = 62
"""The bits of the number of an action."""
LOW_BITS = 12
"""The bits that come first, shared out among the parts."""
CHARACTER_BITS = 7


class Unnumbered(ValueError):
    """An action has no number, since it is longer than all that random games had: see `number_by_table`."""


NONE: Kind = ("any", type(None))
"""The kind of None."""
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
    values = {kind[1] if kind[0] == "maybe" else kind for kind in kinds - {NONE}}
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


def leaf(kind: Kind) -> Kind:
    """The kind of a part where it is not None."""
    return leaf(kind[1]) if kind[0] in ("maybe", "inside") else kind


def widths_of(kind: Kind, actions: Iterable[Any]) -> tuple[int, ...]:
    """The bits of each part of the number of an action: what was seen needs, and a share of the rest.

    Empty if there are parts of other kinds, or if not all that was seen fits.
    """
    parts = list(parts_of(kind, "action"))
    if not 0 < len(parts) <= LOW_BITS or not {leaf(part)[0] for part, _ in parts} <= NEEDED.keys():
        return ()
    columns = zip(*(leaves(action, kind) for action in actions), strict=True)
    needed = [
        max(bits_needed(part, part_seen) for part_seen in column)
        for (part, _), column in zip(parts, columns, strict=True)
    ]
    spare_bits, shares = BITS - sum(needed), [SHARES[leaf(part)[0]] for part, _ in parts]
    return (
        tuple(bits + spare_bits * share // max(1, sum(shares)) for bits, share in zip(needed, shares, strict=True))
        if spare_bits >= 0
        else ()
    )


def with_words(kind: Kind, actions: Iterable[Any], words: Iterable[str] = ()) -> Kind:
    """The kind of actions whose texts are among those seen and `words`, for texts that are too long for their letters.

    >>> with_words(kind_of(("Foreign Aid", 1)), [("Foreign Aid", 1), ("Coup", 2)])
    ('tuple', <class 'tuple'>, (('word', ('Coup', 'Foreign Aid')), ('int',)))
    """
    columns = zip(*(leaves(action, kind) for action in actions), strict=True)
    kinds_of_leaves = [
        ("word", tuple(sorted({*words, *(part_seen for part_seen in column if isinstance(part_seen, str))})))
        for column in columns
    ]
    left = iter(kinds_of_leaves)

    def worded(kind: Kind) -> Kind:
        if kind[0] == "tuple":
            return *kind[:2], tuple(map(worded, kind[2]))
        if kind[0] == "maybe":
            return "maybe", worded(kind[1])
        word = next(left)
        return word if kind == ("text",) else kind

    return worded(kind)


def bits_needed(kind: Kind, part: Any) -> int:
    """The bits that a part of an action takes."""
    if kind[0] == "word":
        return len(kind[1]).bit_length()
    if kind[0] == "inside":
        return 1 + bits_needed(kind[1] if kind[1][0] == "inside" else ("maybe", kind[1]), part)
    if kind[0] == "maybe":
        return 1 if part is None else 1 + bits_needed(kind[1], part)
    return NEEDED[kind[0]](part)


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
        if leaf(part)[0] in ("enum", "word"):
            members = tuple(leaf(part)[1])
            names |= {f"members{index}": members, f"places{index}": {member: n for n, member in enumerate(members)}}
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
        return [f"{_presence(kind[2])} = part & 1", "part >>= 1", *_decoding(kind[1], index, width - 1)]
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


def _presence(place: str) -> str:
    """The variable that says whether the tuple at this place is not None."""
    return "there" + place.removeprefix("action").replace("[", "_").replace("]", "")


def _rebuilt(kind: Kind, place: str, numbers: Iterator[int], names: dict[str, Any]) -> str:
    """An expression for the action, or for its part at this place, made of its parts."""
    if _is_optional_tuple(kind):
        return f"({_rebuilt(kind[1], place, numbers, names)} if {_presence(place)} else None)"
    if kind[0] != "tuple":
        return f"part{next(numbers)}"
    parts = "".join(f"{_rebuilt(part, f'{place}[{number}]', numbers, names)}, " for number, part in enumerate(kind[2]))
    if kind[1] is tuple:
        return f"({parts})"
    name = f"make{len(names)}"
    names[name] = kind[1]
    return f"{name}({parts})"
