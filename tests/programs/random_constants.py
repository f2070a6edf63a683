"""Random constants and random uses of them in rules, as texts for `constructs.source_of`."""

import random

__all__ = ["program"]

MODULE = """from enum import Enum, IntEnum


class Color(Enum):
    A = 1
    B = 2
    C = 5


class Rank(IntEnum):
    NONE = 0
    LOW = 2
    HIGH = 9


"""
KINDS = ("int", "float", "bool", "str", "pair", "triple", "member", "rank", "mixed", "none", "row", "lst", "small")
NUMBERS = {"int", "float", "bool", "small", "mixed"}


def item(rng, kind):
    """Source of an item of a constant."""
    if kind == "int":
        return repr(rng.choice([0, 1, 2, 3, 4, -1, -2, 7, 10, 2**30, -(2**31), 63]))
    if kind == "small":
        return str(rng.randrange(-1, 5))
    if kind == "float":
        return repr(rng.choice([0.0, 0.5, -1.5, 2.0, 1e6]))
    if kind == "bool":
        return rng.choice(["True", "False"])
    if kind == "str":
        return repr(rng.choice(["", "a", "b", "ab", "ж", "pawn", "rook"]))
    if kind == "pair":
        return f"({item(rng, 'small')}, {item(rng, 'small')})"
    if kind == "triple":
        return f"({item(rng, 'small')}, {item(rng, 'float')}, {item(rng, 'str')})"
    if kind == "member":
        return rng.choice(["Color.A", "Color.B", "Color.C"])
    if kind == "rank":
        return rng.choice(["Rank.LOW", "Rank.HIGH", "Rank.NONE"])
    if kind == "mixed":
        return item(rng, rng.choice(["small", "float"]))
    if kind == "none":
        return rng.choice(["None", item(rng, "small")])
    parts = "".join(item(rng, "small") + ", " for _ in range(rng.randrange(4)))
    return f"({parts})" if kind == "row" else f"[{parts}]"


def number(kind, name):
    """Source of a number that depends on an item."""
    return {
        "str": f"(len({name}) * 3 + ({name} == 'ab'))",
        "pair": f"({name}[0] * 3 + {name}[1])",
        "triple": f"({name}[0] * 2 + {name}[1] + len({name}[2]))",
        "member": f"({name}.value * 2 + ({name} is Color.B))",
        "none": f"(11 if {name} is None else 13)",
        "row": f"(len({name}) * 5 + sum({name}))",
        "lst": f"(len({name}) * 5 + sum({name}))",
    }.get(kind, f"{name} * 1")


def program(seed):
    """A module and a rule."""
    rng = random.Random(seed)
    kind, count = rng.choice(KINDS), rng.randrange(1, 7)
    items = [item(rng, kind) for _ in range(count)]
    shape = rng.choice(["list", "list", "tuple", "set", "dict", "values"])
    if shape in ("set", "dict") and kind == "lst":
        shape = "list"
    probe, worth = rng.choice([*items, item(rng, kind)]), number(kind, "x")
    uses = ["out += len(C) * 7 + (1 if C else 2)", f"for x in C:\n    out = out * 0.5 + {worth}"]
    if kind in NUMBERS and shape in ("list", "tuple", "set"):
        uses += ["out += sum(C) + min(C) + 3 * max(C)", "out += sum(sorted(C)[:2])"]
    if shape in ("list", "tuple"):
        text = f"[{', '.join(items)}]" if shape == "list" else f"({', '.join(items)},)"
        other = f"[{', '.join(item(rng, kind) for _ in range(rng.choice([count, 2])))}]"
        definition = f"C = {text}\nOTHER = {other if shape == 'list' else f'tuple({other})'}\n"
        index = rng.choice(["left - 1", "-taken", "0", "-1", "taken"])
        part = f"{rng.choice(['taken', '-2', 'left', '1'])}:{rng.choice(['', '-1', 'left', '4'])}"
        uses += [
            f"x = C[({index}) % len(C)]\nout += {worth}",
            f"out += 3 * ({probe} in C)",
            f"for i, x in enumerate(C):\n    out = out * 0.5 + i * {worth}",
            f"for x in C[{part}]:\n    out = out * 0.5 + {worth}",
            f"if {probe} in C:\n    out += C.index({probe}) * 2 + C.count({probe}) * 3",
            f"for x, y in zip(C, C[1:]):\n    out = out * 0.5 + {worth} - {number(kind, 'y')}",
            "out += 5 * (C == OTHER) + (C != OTHER) + (C == C)",
            f"for x in reversed(C):\n    out = out * 0.5 + {worth}",
            f"mine = list(C)\nmine.append({probe if kind != 'none' else '1'})\nout += len(mine) + len(C)",
            "out += any(C) * 3 + all(C)",
        ]
    elif shape == "set":
        definition = f"C = {rng.choice(['', 'frozen'])}set([{', '.join(items)}])\n"
        uses += [f"out += 3 * ({probe} in C) + ({item(rng, kind)} not in C)"]
    else:
        value = rng.choice(["int", "small", "pair", "row", "lst", "none", "str", "float"])
        if shape == "values":
            kind, value = "small", kind
            items, probe = [str(place) for place in range(count)], rng.choice(["left", "2", "taken - 1"])
        worth, key = number(value, "x"), number(kind, "k")
        definition = f"C = {{{', '.join(f'{each}: {item(rng, value)}' for each in items)}}}\n"
        uses = [
            uses[0],
            f"if {probe} in C:\n    x = C[{probe}]\n    out += {worth}",
            f"for k in C:\n    out = out * 0.5 + {key}",
            f"for k, x in C.items():\n    out = out * 0.5 + {key} * 2 + {worth}",
            f"for x in C.values():\n    out = out * 0.5 + {worth}",
            f"for k in C.keys():\n    x = C[k]\n    out = out * 0.5 + {worth}",
        ]
        if value in ("int", "small", "float"):
            uses += [f"out += C.get({probe}, 5) * 2", "out += sum(C.values())"]
    rule = ["out = 0", *rng.sample(uses, min(len(uses), 3)), "return int(out * 8) % 1000003"]
    return f"{MODULE}{definition}---\n" + "\n".join(rule) + "\n"
