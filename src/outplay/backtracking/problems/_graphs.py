"""Graphs from text: lists of edges, lists of neighbours, and DIMACS files.

Each form is recognised for certain, or the text is refused: one that is read as another graph gives a wrong answer.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from outplay.rules.errors import RulesError
from outplay.rules.wording import shown

Line = tuple[int, str]  # its number in the text, and what it says
Edge = tuple[str, str]

FORMS = "write an edge per line ('A B', 'A,B' or 'A-B'), the neighbours of a vertex per line ('A: B C'), or DIMACS"
NAME = re.compile(r"[\w.'’/&+*-]+( [\w.'’/&+*-]+)*")
FRACTION = re.compile(r"\d*\.\d+|\d+\.\d*")
MAX_VERTICES = 4000
"""The maximum number of variables of a search."""
HEADINGS = ({"source", "target"}, {"from", "to"}, {"src", "dst"}, {"node1", "node2"})
"""The names of columns in the first line of some lists of edges."""


def read_text(text: str) -> tuple[list[str], list[Edge]]:
    r"""The vertices, in the order in which they occur, and the edges of a graph. Raises `RulesError` for another text.

    >>> read_text("# a path, and one alone\nA-B B-C D")
    (['A', 'B', 'C', 'D'], [('A', 'B'), ('B', 'C')])
    >>> read_text("1,2\n2,3") == read_text("1\t2\n2\t3") == read_text("1: 2\n2: 3") == read_text("e 1 2\ne 2 3")
    True
    >>> read_text("p edge 4 1\ne 3 1")
    (['1', '2', '3', '4'], [('3', '1')])
    """
    lines = [(number, re.sub(r"(^|\s)#.*", "", line).strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line and not line.startswith(("%", "//"))]
    if any(_is_dimacs(line) for _, line in lines):
        return _dimacs(lines)
    if all(word.isdecimal() for _, line in lines if not _is_comment(line) for word in re.split(r"[\s,;:-]+", line)):
        lines = [(number, line) for number, line in lines if not _is_comment(line)]  # no vertex is called c
    if not lines:
        raise RulesError(f"a graph without vertices: there is nothing to colour; {FORMS}")
    return _from_lines(lines)


def _is_dimacs(line: str) -> bool:
    kind, *words = line.lower().split()
    return (kind == "p" and len(words) > 1) or (kind == "e" and words != [] and words[0].isdecimal())


def _is_comment(line: str) -> bool:
    """Whether this is a comment of DIMACS files, which others use too."""
    return line.lower().split()[0] == "c"


def _refuse(line: Line, reason: str) -> NoReturn:
    raise RulesError(f"line {line[0]}, {shown(line[1])}: {reason}")


# -- DIMACS -----------------------------------------------------------------------------------------------------------


def _dimacs(lines: list[Line]) -> tuple[list[str], list[Edge]]:
    """`c` a comment, `p edge VERTICES EDGES`, `e ONE OTHER`; vertices count from 1. Without `p`, those of the edges."""
    header: tuple[int, int] | None = None
    beginning = lines[0]
    edges: list[Edge] = []
    for line in lines:
        kind, *words = line[1].lower().split()
        if kind in ("c", "d", "v", "x"):  # comments, and what describes geometry
            continue
        if kind == "p":
            if header or edges:
                _refuse(line, "a second beginning: a file has one graph, whose first line is 'p edge VERTICES EDGES'")
            if len(words) != 3 or words[0] not in ("edge", "edges", "col") or not _are_numbers(words[1:]):
                _refuse(line, "not a graph to colour; expected 'p edge VERTICES EDGES'")
            beginning, header = line, (int(words[1]), int(words[2]))
            if not 1 <= header[0] <= MAX_VERTICES:
                _refuse(line, f"a graph to colour has from 1 to {MAX_VERTICES} vertices")
        elif kind == "e":
            if len(words) != 2 or not _are_numbers(words):
                _refuse(line, "expected 'e ONE OTHER', the numbers of two vertices")
            one, other = int(words[0]), int(words[1])
            if header and not (1 <= one <= header[0] and 1 <= other <= header[0]):
                _refuse(line, f"the vertices are 1 to {header[0]}")
            edges.append(_edge(line, str(one), str(other)))
        elif kind != "n" or len(words) != 2 or words[1] != "1":  # the weight of a vertex is of no account if it is 1
            _refuse(line, "expected 'e ONE OTHER', 'p edge VERTICES EDGES' or 'c' and a comment, without given colours")
    if header is None:
        return _vertices(edges), edges
    vertices, number = header
    different = len({frozenset(edge) for edge in edges})
    if number not in (len(edges), different) and not number == 2 * different == 2 * len(edges):
        _refuse(
            beginning,
            f"{number:,} edges, but there are {len(edges):,}, {different:,} of them different: the file is not whole,"
            " or this number is wrong",
        )
    return [str(vertex) for vertex in range(1, vertices + 1)], edges


def _are_numbers(words: Iterable[str]) -> bool:
    return all(re.fullmatch("[0-9]{1,9}", word) for word in words)


# -- lists ------------------------------------------------------------------------------------------------------------


def _from_lines(lines: list[Line]) -> tuple[list[str], list[Edge]]:
    """A graph from the form that all lines have."""
    lines = [(number, re.sub(r"\s+\{[^{}]*\}$", "", line)) for number, line in lines]  # data of NetworkX
    everything = "\n".join(line for _, line in lines)
    if len(lines) > 1 and lines[0][1].isdecimal():
        _refuse(lines[0], "the number of vertices? Leave this line out, or write 'p edge VERTICES EDGES'")
    if ":" in everything:
        return _neighbours(lines)
    if "," in everything or ";" in everything:
        return _pairs(lines, lambda line: re.split(r"\s*[,;]\s*", line))
    if "\t" in everything:
        return _pairs(lines, lambda line: re.split(r"\s*\t\s*", line))
    if "-" in everything:
        return _hyphens(lines)
    return _pairs(lines, str.split)


def _pairs(lines: list[Line], split: Callable[[str], list[str]]) -> tuple[list[str], list[Edge]]:
    """Two vertices in each line."""
    pairs = [split(line) for _, line in lines]
    for line, words in zip(lines, pairs, strict=True):
        if len(words) != 2:
            _refuse(line, f"expected two vertices, without a weight; {FORMS}")
    heading, names = pairs[0], {vertex for words in pairs[1:] for vertex in words}
    are_numbers = bool(names) and _are_numbers(names)
    if {vertex.lower() for vertex in heading} in HEADINGS or (are_numbers and not _are_numbers(heading)):
        _refuse(lines[0], "the names of columns? Leave this line out")
    if are_numbers and len(pairs) - 1 in map(int, heading) and max(map(int, names)) <= int(heading[0]):
        _refuse(lines[0], "an edge, or the numbers of vertices and edges? Write a DIMACS file, which begins 'p edge'")
    edges = [_edge(line, *(_name(line, word) for word in words)) for line, words in zip(lines, pairs, strict=True)]
    return _vertices(edges), edges


def _hyphens(lines: list[Line]) -> tuple[list[str], list[Edge]]:
    """Any number of edges in a line, such as A-B; a vertex without neighbours stands alone."""
    groups = [tuple(_name(line, part) for part in word.split("-")) for line, word in _words(lines)]
    edges = [_edge(line, *group) for (line, _), group in zip(_words(lines), groups, strict=True) if len(group) == 2]
    joined = set(_vertices(edges))
    alone: set[str] = set()
    for (line, word), group in zip(_words(lines), groups, strict=True):
        if len(group) > 2:
            _refuse(line, f"{word!r} is not an edge, such as 'A-B'; for names with a hyphen, write 'A,B'")
        if len(group) == 1:
            if word in joined or word in alone:
                _refuse(line, f"vertex {word!r} stands alone here, but it is in another place too")
            alone.add(word)
    if alone and all(len(line.split()) == 2 for _, line in lines):
        _refuse(lines[0], "two edges or vertices, or an edge of names with hyphens? Write 'A,B' for an edge")
    return list(dict.fromkeys(vertex for group in groups for vertex in group)), edges


def _words(lines: list[Line]) -> Iterator[tuple[Line, str]]:
    for line in lines:
        for word in re.sub(r"\s+-\s+", "-", line[1]).split():
            yield line, word


def _neighbours(lines: list[Line]) -> tuple[list[str], list[Edge]]:
    """A vertex in each line, and its neighbours after a colon: of both vertices of each edge, or of one."""
    lists: dict[str, list[str]] = {}
    edges: list[Edge] = []
    places: list[Line] = []  # of the edges
    for line in lines:
        vertex, colon, names = line[1].partition(":")
        if not colon or _name(line, vertex.strip()) in lists:
            _refuse(line, "expected another vertex, a colon and its neighbours, as in 'A: B C', in every line")
        lists[vertex.strip()] = [_name(line, word) for word in re.split(r"[\s,;]+", names.strip()) if word]
        edges += [_edge(line, vertex.strip(), other) for other in lists[vertex.strip()]]
        places += [line] * (len(edges) - len(places))
    both_ways = [vertex in lists.get(other, ()) for vertex, other in edges]
    if any(both_ways) and not all(both_ways):
        place = both_ways.index(False)
        vertex, other = edges[place]
        _refuse(places[place], f"{other!r} does not have the neighbour {vertex!r}, unlike both vertices of other edges")
    return list(dict.fromkeys([*lists, *_vertices(edges)])), edges


# -- vertices and edges -----------------------------------------------------------------------------------------------


def _name(line: Line, word: str) -> str:
    if not NAME.fullmatch(word) or FRACTION.fullmatch(word):
        _refuse(line, f"{shown(word)} is not the name of a vertex; {FORMS}")
    return word


def _edge(line: Line, one: str, other: str) -> Edge:
    if one == other:
        _refuse(line, f"vertex {one} is its own neighbour, so it cannot have a colour; leave this edge out")
    return one, other


def _vertices(edges: list[Edge]) -> list[str]:
    return list(dict.fromkeys(vertex for edge in edges for vertex in edge))
