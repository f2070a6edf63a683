"""Draws trees: nodes with a shape, a value and a window, names on edges, and what was cut off."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from outplay.pictures import svg
from outplay.pictures.board import Inset
from outplay.pictures.image import Image
from outplay.pictures.layout import tidy
from outplay.rules.errors import OutplayError

MAX, MIN, CHANCE, OTHER, END, CUT, LEFT = "max", "min", "chance", "other", "end", "cut", "left"
"""The shapes: a triangle that points up or down, a circle, a square, a box with its value inside, and none, for what
was pruned (two strokes cross its edge) or not searched for another reason."""
UNSEARCHED = CUT, LEFT
SHAPE, PAD, GAP, LEVEL, SMALL, MARGIN = 22.0, 5.0, 14.0, 46.0, 11.0, 12.0
"""In pixels: the size of a shape, the space within a box and between two nodes and levels, the size of small letters,
and the margin of the picture."""
INSET = 84.0
"""The longer side of a board within a node, in pixels."""
MARK = 13.0
"""The size of the shape beside the value below such a board, in pixels."""
WIDTHS = 8
"""The number of widths of edges that show how often they were visited."""
EDGE_TEXT = 15.0
"""The height of the text of an edge, which stands on the node below it, where no other edge passes."""
TRACK, ASIDE = 7.0, 6.0
"""In pixels: the space between two dashed lines above a level, and between the ends of these and of edges."""
LOOKS: dict[str, dict[str, Any]] = {
    "e": {"stroke": "line"},
    "e pv": {"stroke": "ink", "stroke_width": 2.6},
    "c": {"stroke": "faint", "stroke_dasharray": "3 3"},
    "x": {"stroke": "ink", "stroke_width": 2},
    **{f"e w{width}": {"stroke": "line", "stroke_width": width} for width in range(1, WIDTHS + 1)},
    **{f"e best w{width}": {"stroke": "ink", "stroke_width": width} for width in range(1, WIDTHS + 1)},
}
"""How lines are drawn: edges, those on the best line, those that were not searched, strokes across these, and edges by
their width."""
PLAYERS = "blue", "orange"
"""The colours of players 0 and 1, where a picture shows them; they are also those of pieces."""
DOT_SHAPES = {
    MAX: "triangle",
    MIN: "invtriangle",
    CHANCE: "circle",
    OTHER: "square",
    END: "box",
    CUT: "plaintext",
    LEFT: "plaintext",
}
"""The names of the shapes in DOT."""


@dataclass
class Node:
    """A node of a drawing.

    Attributes:
        shape: one of the shapes above.
        lines: the texts beside the shape, or within it if it is a box: first the value, then smaller ones.
        edge: the text on the edge that leads here.
        bold: whether the edge that leads here is on the best line.
        board: the lines of a picture of the state, if it is shown.
        inset: a picture of it as SVG, which is drawn instead of these lines.
        share: of visits: the edge that leads here is as wide as this number from 0 to 1; 0: like all others.
        colour: "blue", "orange" or "green", that of the player to move if the picture has pieces of that colour; or "".
        children: the numbers of its children, from left to right.
    """

    shape: str
    lines: Sequence[str] = ()
    edge: str = ""
    bold: bool = False
    board: Sequence[str] = ()
    inset: Inset | None = None
    share: float = 0.0
    colour: str = ""
    children: list[int] = field(default_factory=list)


class TreePicture(Image):
    """A drawing of a tree, as SVG, PNG or DOT; notebooks show it.

    Args:
        nodes: the nodes, each before its children; the first one is the root.
        title: what the tree is.
        joined: groups of nodes that belong together, by number; a dashed line joins each group.

    Raises `OutplayError` for a group with a number that no node has, or with one number twice.

    >>> dot = TreePicture([Node(CHANCE, children=[1, 2]), Node(MAX), Node(MAX)], "a coin", joined=[[1, 2]]).dot()
    >>> dot.splitlines()[-2]
    '  n1 -> n2 [style=dashed, dir=none, constraint=false];'
    """

    _is = "a picture of a tree"

    def __init__(self, nodes: Sequence[Node], title: str, joined: Sequence[Sequence[int]] = ()) -> None:
        self.nodes, self.title = list(nodes), title
        for group in joined:
            if len(set(group)) < len(group) or not set(group) <= set(range(len(self.nodes))):
                raise OutplayError(f"joined={joined!r}: numbers of nodes from 0 to {len(self.nodes) - 1}, each once")
        self.joined = [list(group) for group in joined if len(group) > 1]

    def svg(self, apart: bool = False) -> str:
        """The picture as an SVG document; with `apart`, each node is a group of its own, `n0` and so on."""
        nodes = self.nodes
        sizes = [_size(node) for node in nodes]
        extents = [(size.left, size.right) for size in sizes]
        x = [MARGIN + at for at in tidy([node.children for node in nodes], extents, GAP)]
        level, above = [0] * len(nodes), [-1] * len(nodes)
        for number, node in enumerate(nodes):
            for child in node.children:
                level[child], above[child] = level[number] + 1, number
        joined = [sorted(group, key=lambda number: (level[number], x[number])) for group in self.joined]
        tracks = _tracks(joined, level, x)
        top, tops = MARGIN + SMALL + 10, []
        for depth in range(max(level) + 1):
            top += TRACK * tracks.number[depth]
            tops.append(top)
            top += LEVEL + max(size.height for at, size in zip(level, sizes, strict=True) if at == depth)
        drawn, groups = Drawn(), []
        for group, track in zip(joined, tracks.of, strict=True):
            drawn.join(nodes[group[0]].colour, [(x[number], tops[level[number]]) for number in group], track)
        if apart and self.joined:
            groups.append(svg.parent("g", drawn.elements()))
            drawn = Drawn()
        for number, node in enumerate(nodes):
            y, parent = tops[level[number]], above[number]
            if parent >= 0:
                down = TRACK * tracks.number[level[number]]
                start = x[parent], tops[level[parent]] + sizes[parent].foot, tops[level[parent]] + sizes[parent].height
                drawn.edge(node, start, (x[number], y - down), down)
            drawn.node(node, x[number], y, sizes[number])
            if apart:
                groups.append(svg.parent("g", drawn.elements(), id=f"n{number}"))
                drawn = Drawn()
        title = svg.element("text", self.title, x=MARGIN, y=MARGIN + SMALL, font_weight=700)
        width = max(at + size.right for at, size in zip(x, sizes, strict=True))
        width = max(width, MARGIN + svg.text_width(self.title)) + MARGIN
        inside = groups if apart else [title, *drawn.elements()]
        return svg.picture(inside, width, top - LEVEL + MARGIN, self.title)

    def dot(self) -> str:
        """The tree in the language DOT of Graphviz."""
        lines = [f"digraph {_quoted(self.title)} {{", '  node [fontname="Helvetica"]; edge [arrowhead=none];']
        for number, node in enumerate(self.nodes):
            label = "\n".join([*node.board, *node.lines])
            lines.append(f"  n{number} [shape={DOT_SHAPES[node.shape]}, label={_quoted(label)}];")
            for child in node.children:
                to = self.nodes[child]
                look = ", style=dashed" if to.shape in UNSEARCHED else ", penwidth=2.5" if to.bold else ""
                lines.append(f"  n{number} -> n{child} [label={_quoted(to.edge)}{look}];")
        for group in self.joined:
            path = " -> ".join(f"n{number}" for number in group)
            lines.append(f"  {path} [style=dashed, dir=none, constraint=false];")
        return "\n".join([*lines, "}"])

    def _kinds(self) -> dict[str, Callable[[], bytes]]:
        return {**super()._kinds(), ".dot": lambda: self.dot().encode()}

    def __repr__(self) -> str:
        return f"<TreePicture {self.title!r}: notebooks show it, save('tree.svg') writes it>"


@dataclass
class _Size:
    """How far a node reaches from the middle of its upper edge, in pixels."""

    left: float
    right: float
    height: float
    foot: float  # where the edges to its children begin
    box: float = 0.0  # half the width of its box, if it has one


@dataclass
class _Tracks:
    """Where dashed lines run: on parallel tracks above a level, so that lines that overlap do not meet."""

    number: dict[int, int]  # of tracks above each level
    of: list[list[int]]  # the track of each node of each group, from 1 on


def _tracks(joined: Sequence[Sequence[int]], level: Sequence[int], x: Sequence[float]) -> _Tracks:
    """Short lines run below long ones."""
    spans: list[tuple[float, int, float, float, int]] = []  # length, level, from, to, group
    for place, group in enumerate(joined):
        for depth in {level[node] for node in group}:
            xs = [x[node] for node in group if level[node] == depth]
            spans.append((max(xs) - min(xs), depth, min(xs), max(xs), place))
    tracks: list[tuple[int, int, float, float]] = []  # level, track, from, to
    track_of: dict[tuple[int, int], int] = {}
    for _, depth, start, end, place in sorted(spans):
        near = {on for at, on, left, right in tracks if at == depth and left - ASIDE < end and start < right + ASIDE}
        track = next(on for on in range(1, len(near) + 2) if on not in near)
        tracks.append((depth, track, start, end))
        track_of[place, depth] = track
    number = dict.fromkeys(range(max(level) + 1), 0)
    for depth, track, *_ in tracks:
        number[depth] = max(number[depth], track + 1)  # and one free
    return _Tracks(number, [[track_of[place, level[node]] for node in group] for place, group in enumerate(joined)])


def _inset_width(inset: Inset) -> float:
    """The width at which a board is drawn within a node: the longer side of a board has a fixed length."""
    return INSET * min(1.0, inset.width / inset.height)


def _size(node: Node) -> _Size:
    texts = max((svg.text_width(text, svg.SIZE if not i else SMALL) for i, text in enumerate(node.lines)), default=0.0)
    high, half = len(node.lines) * (SMALL + 4), SHAPE / 2
    if node.lines and (node.inset is not None or node.board):
        texts = max(texts, svg.text_width(node.lines[0]) + 2 * MARK)
    edge = svg.text_width(node.edge, SMALL) / 2
    if node.inset is not None:
        inside = _inset_width(node.inset)
        wide, height = max(inside, texts) / 2 + PAD, inside * node.inset.height / node.inset.width + high + 2 * PAD
        return _Size(max(wide, edge), max(wide, edge), height, height, wide)
    if node.board:
        board = max(svg.text_width(text, SMALL, fixed=True) for text in node.board)
        wide, height = max(board, texts) / 2 + PAD, len(node.board) * (SMALL + 2) + high + 2 * PAD
        return _Size(max(wide, edge), max(wide, edge), height, height, wide)
    if node.shape in (END, *UNSEARCHED):
        wide, height = max(texts / 2 + PAD, half), max(high + PAD, SHAPE)
        return _Size(max(wide, edge), max(wide, edge), height, height, wide)
    return _Size(max(half, edge), max(half + (texts + PAD) * bool(texts), edge), max(SHAPE, high), SHAPE)


class Drawn:
    """What is drawn so far: a path for each kind of line and shape, and texts."""

    def __init__(self) -> None:
        self.edges: dict[str, list[str]] = {}
        self.joins: dict[str, list[str]] = {}
        self.shapes: dict[tuple[str, str], list[str]] = {}
        self.boards: list[str] = []
        self.texts: dict[tuple[tuple[str, object], ...], list[str]] = {}

    def elements(self) -> list[str]:
        """The elements: lines first, then shapes, then texts."""
        joins = [
            svg.element("path", d="".join(lines), class_="j", fill="none", stroke=colour or "line", stroke_width=1.8,
                        stroke_dasharray="6 3.5")
            for colour, lines in self.joins.items()
        ]  # fmt: skip
        edges = [
            svg.element("path", d="".join(lines), class_=kind, fill="none", **LOOKS[kind])
            for kind, lines in self.edges.items()
        ]
        shapes = [
            svg.element("path", d="".join(lines), class_=f"{kind} shape", fill=f"pale-{colour}" if colour else "fill",
                        stroke=colour or "line", stroke_width=1.6)
            for (kind, colour), lines in self.shapes.items()
        ]  # fmt: skip
        texts = [svg.parent("g", lines, **dict(look)) for look, lines in self.texts.items()]
        return [*joins, *edges, *shapes, *self.boards, *texts]

    def write(self, text: str, x: float, y: float, **look: Any) -> None:
        """A text; those that look the same are in one group."""
        self.texts.setdefault(tuple(look.items()), []).append(svg.element("text", text, x=x, y=y))

    def join(self, colour: str, points: Sequence[tuple[float, float]], track: Sequence[int]) -> None:
        """The dashed line that joins nodes.

        Args:
            colour: the colour of the first node.
            points: the upper middle of each node, level by level and from left to right.
            track: on which of the tracks above its level the line to each node runs, 1 for the lowest.
        """
        lines: list[str] = []
        between: list[str] = []
        before, last = "", len(points) - 1
        for number, ((x, y), on) in enumerate(zip(points, track, strict=True)):
            at, high, foot = (
                svg.number(length) for length in (x - ASIDE, y - TRACK * on, y + SHAPE / 2)
            )  # behind shapes
            new_level = number == 0 or y != points[number - 1][1]
            end_of_level = number == last or y != points[number + 1][1]
            if new_level:
                lines.append(f"M{at} {foot}V{high}" if number == 0 else f"M{before}L{at} {high}M{at} {foot}V{high}")
            elif end_of_level:
                lines.append(f"H{at}V{foot}")
            else:  # the line goes on, and down to this node
                between.append(f"M{at} {high}V{foot}")
            before = f"{at} {high}"
        self.joins.setdefault(colour, []).extend(lines + between)

    def edge(self, to: Node, start: tuple[float, float, float], end: tuple[float, float], down: float) -> None:
        """The edge to a node, with its text at its end.

        Args:
            to: the node.
            start: where it begins, and how far it goes straight down, past texts beside the node above.
            end: where it ends but for its last part.
            down: the length of that part, which goes straight down.
        """
        (a, foot, b), (c, d) = start, end
        if to.edge:
            d -= EDGE_TEXT
            self.write(to.edge, c, d + SMALL, class_="n", font_size=SMALL, text_anchor="middle")
        kind = "c" if to.shape in UNSEARCHED else "e pv" if to.bold else "e"
        if to.share:
            kind = f"e{' best' * to.bold} w{math.ceil(to.share * WIDTHS)}"
        line = f"M{svg.number(a)} {svg.number(foot)}" + (f"V{svg.number(b)}" if b > foot else "")
        line += f"L{svg.number(c)} {svg.number(d)}"
        line += f"M{svg.number(c)} {svg.number(end[1])}v{svg.number(down)}" if down else ""
        self.edges.setdefault(kind, []).append(line)
        if to.shape == CUT:  # two strokes across the middle of the edge
            x, y = (a + c) / 2 - 6, (b + d) / 2 + 5
            self.edges.setdefault("x", []).extend(f"M{svg.number(x + by)} {svg.number(y)}l8 -8" for by in (0.0, 5.0))

    def node(self, node: Node, x: float, top: float, size: _Size) -> None:
        """A node whose upper middle is at (x, top): its shape, and its texts."""
        height, written = size.height, len(node.lines) * (SMALL + 4)
        left, start = x, top + (height - written) / 2
        anchor: str | None = "middle"
        shapes = self.shapes.setdefault((node.shape, node.colour), []) if node.shape not in UNSEARCHED else []
        if node.inset is not None or node.board:
            shapes.append(_box(x, top, size.box, height))
            start = top + height - PAD - written
            if node.shape in (MAX, MIN, CHANCE) and node.lines:  # the box does not tell
                at = x - svg.text_width(node.lines[0]) / 2 - MARK / 2
                self.boards.append(
                    svg.element("path", d=_shape(node.shape, at, start + 2, MARK), stroke="line", fill="none")
                )
        if node.inset is not None:
            inside = _inset_width(node.inset)
            self.boards.append(node.inset.svg(x - inside / 2, top + PAD, inside))
        elif node.board:
            places = [top + PAD + (number + 0.8) * (SMALL + 2) for number in range(len(node.board))]
            self.boards.append(svg.lines_of_text(node.board, x - size.box + PAD, places, SMALL))
        elif node.shape == END:
            shapes.append(_box(x, top, size.box, height))
        elif node.shape not in UNSEARCHED:
            shapes.append(_shape(node.shape, x, top))
            left, anchor = x + SHAPE / 2 + PAD, None
        for number, line in enumerate(node.lines):
            is_small = number or node.shape in UNSEARCHED
            look: dict[str, Any] = {"font_weight": 700} if node.bold else {}
            if is_small:
                look = {"font_size": SMALL, "fill": "faint"}
            self.write(line, left, start + (number + 0.8) * (SMALL + 4), **look, text_anchor=anchor)


def _box(x: float, top: float, half: float, height: float) -> str:
    """The path around a box that reaches `half` to each side of x."""
    w, h = svg.number(2 * half), svg.number(height)
    return f"M{svg.number(x - half)} {svg.number(top)}h{w}v{h}h-{w}z"


def _shape(shape: str, x: float, top: float, height: float = SHAPE) -> str:
    """The path around a shape."""
    half = height / 2 - 1
    size, left, middle = svg.number(2 * half), svg.number(x - half), svg.number(x)
    if shape == CHANCE:
        arc = f"a{svg.number(half)} {svg.number(half)} 0 1 0"
        return f"M{left} {svg.number(top + half + 1)}{arc} {size} 0{arc} -{size} 0z"
    if shape == OTHER:
        return _box(x, top + 1, half, 2 * half)
    if shape == MAX:
        return f"M{middle} {svg.number(top + 1)}l{svg.number(half)} {size}h-{size}z"
    return f"M{left} {svg.number(top + 1)}h{size}l-{svg.number(half)} {size}z"


def _quoted(text: str) -> str:
    """A text in DOT."""
    return '"' + svg.clean(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
