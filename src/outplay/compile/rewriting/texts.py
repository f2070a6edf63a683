"""Texts with values in them: `"%d,%d" % (a, b)`, `"{} {}".format(a, b)` and `f"{a:>3}"` become sums of texts."""

import ast
import re
import string
from typing import NamedTuple

from outplay.compile.rewriting.scope import only_compiled
from outplay.compile.rewriting.shared_rewriting import Work


class Field(NamedTuple):
    """How a value is written.

    `align` is "" for the default of its type, "=" for zeros after the sign. `kind` is "d" for a number, "s" for `str`,
    "" for `format`.
    """

    align: str = ""
    fill: str = " "
    width: int = 0
    kind: str = ""


PERCENT = re.compile(r"%(?:(?P<flags>[-0]?)(?P<width>\d*)(?P<kind>[ds])|(?P<percent>%))")
SPEC = re.compile(r"(?:(?P<fill>.)?(?P<align>[<>^]))?(?P<zero>0?)(?P<width>\d*)(?P<kind>d?)", re.DOTALL)
in_field = only_compiled("in_field")
"""A value as text."""
in_message = only_compiled("in_message")
"""A value in the message of an error: as in a text, or only what it is."""
in_f_string = only_compiled("in_f_string")
"""A value in an f-string: an int as text, others as they are."""


def padded(text: str, align: str, fill: str, width: int) -> str:
    """A text, made as long as `width`.

    >>> padded("-7", "=", "0", 4), padded("ab", "^", ".", 5)
    ('-007', '.ab..')
    """
    number = width - len(text)
    if number <= 0:
        return text
    if align == "<":
        return text + fill * number
    if align == "^":
        return fill * (number // 2) + text + fill * (number - number // 2)
    if align == "=" and text[0] == "-":
        return "-" + fill * number + text[1:]
    return fill * number + text


alone = only_compiled("alone")
"""The value, which is no tuple: `text % value` would take it apart."""


def of_percent(work: Work, node: ast.BinOp) -> ast.expr | None:
    """What `text % values` becomes; None if it stays as it is."""
    match node:
        case ast.BinOp(ast.Constant(str() as text), ast.Mod(), right):
            pass
        case _:
            return None
    parts: list[str | Field] = []
    end = 0
    for field in PERCENT.finditer(text):
        parts.append(text[end : field.start()])
        end = field.end()
        if field["percent"]:
            parts.append("%")
        elif field["flags"] == "0" and field["kind"] == "s":
            return None
        else:
            align = {"-": "<", "0": "=", "": ">"}[field["flags"] or ""]
            parts.append(Field(align, "0" if align == "=" else " ", int(field["width"] or 0), field["kind"]))
    parts.append(text[end:])
    fields = [part for part in parts if isinstance(part, Field)]
    if any("%" in part for part in parts if isinstance(part, str) and part != "%"):
        return None
    values: list[ast.expr] = right.elts if isinstance(right, ast.Tuple) else [work.call(alone, right)]
    if len(fields) != len(values) or any(isinstance(value, ast.Starred) for value in values):
        return None
    return _sum(work, node, parts, values)


def of_format(work: Work, node: ast.Call) -> ast.expr | None:
    """What `text.format(values)` becomes; None if it stays as it is."""
    match node:
        case ast.Call(ast.Attribute(ast.Constant(str() as text), "format"), values, []):
            pass
        case _:
            return None
    if any(isinstance(value, ast.Starred) for value in values):
        return None
    parts: list[str | Field] = []
    values_used: list[ast.expr] = []
    try:
        pieces = list(string.Formatter().parse(text))
    except ValueError:
        return None
    for before, name, spec, conversion in pieces:
        parts.append(before)
        if name is None:
            continue
        field = _field(spec or "")
        if name not in ("", str(len(values_used))) or conversion or field is None or len(values_used) >= len(values):
            return None
        parts.append(field)
        values_used.append(values[len(values_used)])
    return _sum(work, node, parts, values_used) if len(values_used) == len(values) else None


def of_f_string(work: Work, node: ast.JoinedStr) -> ast.expr | None:
    """What an f-string with widths becomes; None if it stays as it is."""
    parts: list[str | Field] = []
    values: list[ast.expr] = []
    for part in node.values:
        match part:
            case ast.Constant(str() as text):
                parts.append(text)
            case ast.FormattedValue(value, -1, spec):
                match spec:
                    case None:
                        field: Field | None = Field()
                    case ast.JoinedStr([ast.Constant(str() as text)]):
                        field = _field(text)
                    case _:
                        return None
                if field is None:
                    return None
                parts.append(field)
                values.append(value)
            case _:
                return None
    if all(part == Field() for part in parts if isinstance(part, Field)) and not work.raises:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = work.changed(work.call(in_f_string, work.visit(part.value)), part.value)
        return node
    return _sum(work, node, parts, values)


def _field(spec: str) -> Field | None:
    match = SPEC.fullmatch(spec)
    if match is None or (match["zero"] and match["align"]):
        return None
    align = "=" if match["zero"] else match["align"] or ""
    fill = "0" if match["zero"] else match["fill"] or " "
    return Field(align, fill, int(match["width"] or 0), "d" if align == "=" else match["kind"])


def _sum(work: Work, node: ast.expr, parts: list[str | Field], values: list[ast.expr]) -> ast.expr:
    remaining = iter(values)
    terms: list[ast.expr] = []
    for part in parts:
        if isinstance(part, Field):
            helper = work.helper(in_message if work.raises else in_field)
            terms.append(ast.Call(helper, [next(remaining), *(ast.Constant(item) for item in part)], []))
        elif part:
            terms.append(ast.Constant(part))
    total = terms[0] if terms else ast.Constant("")
    for term in terms[1:]:
        total = ast.BinOp(total, ast.Add(), term)
    return work.changed(total, node, again=True)
