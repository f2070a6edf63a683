"""The syntax of SGF, the Smart Game Format (FF[4], A. Hollosi, https://www.red-bean.com/sgf/): games as trees of nodes.

Only the main line of each game is kept: the first variation at every branch.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from outplay.rules.errors import RulesError

TOKEN = re.compile(r"(\s+)|(\()|(\))|(;)|([A-Z][A-Za-z]*)|\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
SPACE, OPEN, CLOSE, NODE, NAME, VALUE = range(1, 7)
START = re.compile(r"\(\s*;")


class Node(NamedTuple):
    """A node: where it is in the text, and the values of each property by its name."""

    place: int
    properties: dict[str, list[str]]

    def first(self, name: str, default: str = "") -> str:
        """The first value of a property."""
        return self.properties.get(name, [default])[0]


class SgfError(RulesError):
    """A text that is not SGF, and where that shows."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(f"SGF: {message}")
        self.place = place


def main_lines(text: str) -> Iterator[list[Node]]:
    r"""The nodes of the main line of each game. Raises `SgfError` if there is none, or if one is not whole.

    >>> [line] = main_lines("(;GM[1]C[a \\] comment];B[aa](;W[bb])(;W[cc]))")
    >>> [node.properties for node in line]
    [{'GM': ['1'], 'C': ['a ] comment']}, {'B': ['aa']}, {'W': ['bb']}]
    """
    found = START.search(text)
    if found is None:
        raise SgfError("a game begins with (;", 0)
    while found is not None:
        nodes, end = _main_line(text, found.start())
        yield nodes
        found = START.search(text, end)


def _main_line(text: str, begin: int) -> tuple[list[Node], int]:
    """The main line of the game that begins at a place, and the place after the game."""
    nodes: list[Node] = []
    place, depth, is_main, name, needs_value = begin, 0, True, "", False

    while place < len(text):
        found = TOKEN.match(text, place)
        if found is None:
            if text[place] == "[":
                raise SgfError("a value is not closed by ]", place)
            raise SgfError(f"{text[place]!r} where a property, a node or the end was expected", place)
        kind = found.lastindex
        if needs_value and kind not in (SPACE, VALUE):
            raise SgfError(f"{name} has no value", place)
        if kind == OPEN:
            depth, name = depth + 1, ""
        elif kind == CLOSE:
            depth, is_main, name = depth - 1, False, ""
            if depth == 0:
                return nodes, found.end()
        elif kind == NODE:
            name = ""
            if is_main:
                nodes.append(Node(place, {}))
        elif kind == NAME:
            name, needs_value = re.sub("[a-z]", "", found[NAME]), True  # FF[3] has SiZe for SZ
        elif kind == VALUE:
            if not name or (is_main and not nodes):
                raise SgfError(f"[{found[VALUE][:40]}] has no name before it", place)
            needs_value = False
            if is_main:
                nodes[-1].properties.setdefault(name, []).append(
                    re.sub(r"\\(.)", r"\1", found[VALUE], flags=re.DOTALL).strip()
                )
        place = found.end()
    raise SgfError("the game is not closed by )", begin)


def escaped(text: str) -> str:
    """A text as a value."""
    return text.replace("\\", "\\\\").replace("]", "\\]")
