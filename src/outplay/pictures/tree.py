"""Draws trees: nodes with a shape, a value and a window, names on edges, and what was cut off."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from outplay.pictures import svg
from outplay.pictures.board import STYLE as BOARD_STYLE
from outplay.pictures.board import Inset
from outplay.pictures.layout import tidy
from outplay.rules.errors import OutplayError
from outplay.system.files import write_file

MAX, MIN, CHANCE, OTHER, END, CUT, LEFT = "max", "min", "chance", "other", "end", "cut", "left"
"""The shapes: a triangle that points up or down, a circle, a square, a box with its value inside, and none, for what
was pruned (two strokes cross its edge) or not searched for another reason."""
UNSEARCHED = CUT, LEFT
SHAPE, PAD, GAP, LEVEL, SMALL, MARGIN = 22.0, 5.0, 14.0, 46.0, 11.0, 12.0
"""In pixels: the size of a shape, the space within a box and between two nodes and levels, the size of small letters,
and the margin of the picture."""
INSET = 84.0
"""The longer side of a board within a node, in pixels."""
WIDTHS = 8
"""The number of widths of edges that show how often they were visited."""
EDGE_TEXT = 0.65
"""How far along an edge its text is."""
TRACK, ASIDE = 7.0, 6.0
"""In pixels: the space between two dashed lines above a level, and between the ends of these and of edges."""
STYLE = (
    ".outplay .e{fill:none;stroke:var(--line)}.outplay .pv{stroke:var(--ink);stroke-width:2.6}"
    + "".join(f".outplay .w{width}{{stroke-width:{width}}}" for width in range(1, WIDTHS + 1))
    + ".outplay .best{stroke:var(--ink)}.outplay .c{fill:none;stroke:var(--faint);stroke-dasharray:3 3}"
    ".outplay .x{fill:none;stroke:var(--orange);stroke-width:2}"
    ".outplay .max{fill:var(--pale-blue);stroke:var(--blue);stroke-width:1.6}"
    ".outplay .min{fill:var(--pale-orange);stroke:var(--orange);stroke-width:1.6}"
    ".outplay .chance{fill:var(--pale-green);stroke:var(--green);stroke-width:1.6}"
    ".outplay .other,.outplay .end{fill:var(--fill);stroke:var(--line)}"
    f".outplay .s{{font-size:{SMALL:g}px;fill:var(--faint)}}"
    f".outplay .n{{font-size:{SMALL:g}px;stroke:var(--paper);stroke-width:4px;paint-order:stroke}}"
    ".outplay .b{font-weight:700}.outplay .m,.outplay .n{text-anchor:middle}"
    f".outplay .f{{font:{SMALL:g}px {svg.FIXED_FONT};white-space:pre}}"
)
JOINED_STYLE = (
    ".outplay .joined .j{fill:none;stroke-width:1.8;stroke-dasharray:6 3.5}"
    ".outplay .joined .s{fill:var(--ink);stroke:var(--paper);stroke-width:3.5px;paint-order:stroke}"
    ".outplay .joined .j-max{stroke:var(--blue)}.outplay .joined .j-min{stroke:var(--orange)}"
    ".outplay .joined .j-chance{stroke:var(--green)}"
    ".outplay .joined .j-other,.outplay .joined .j-end,.outplay .joined .j-cut{stroke:var(--line)}"
)
"""What pictures with joined nodes need in addition, in a group of this class: a page may show other trees too."""
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
        children: the numbers of its children, from left to right.
    """

    shape: str
    lines: Sequence[str] = ()
    edge: str = ""
    bold: bool = False
    board: Sequence[str] = ()
    inset: Inset | None = None
    share: float = 0.0
    children: list[int] = field(default_factory=list)


class TreePicture:
    """A drawing of a tree, as SVG or as DOT; notebooks show it.

    Args:
        nodes: the nodes, each before its children; the first one is the root.
        title: what the tree is.
        joined: groups of nodes that belong together, by number; a dashed line joins each group.

    Raises `OutplayError` for a group with a number that no node has, or with one number twice.

    >>> dot = TreePicture([Node(CHANCE, children=[1, 2]), Node(MAX), Node(MAX)], "a coin", joined=[[1, 2]]).dot()
    >>> dot.splitlines()[-2]
    '  n1 -> n2 [style=dashed, dir=none, constraint=false];'
    """

    def __init__(self, nodes: Sequence[Node], title: str, joined: Sequence[Sequence[int]] = ()) -> None:
        self.nodes, self.title = list(nodes), title
        for group in joined:
            if len(set(group)) < len(group) or not set(group) <= set(range(len(self.nodes))):
                raise OutplayError(f"joined={joined!r}: numbers of nodes from 0 to {len(self.nodes) - 1}, each once")
        self.joined = [list(group) for group in joined if len(group) > 1]

    def svg(self, apart: bool = False, first: int = 0) -> str:
        """The picture as an SVG document; with `apart`, each node is a group of its own, `n0` and so on.

        `first` is the number of the first of these.
        """
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
            drawn.join(nodes[group[0]].shape, [(x[number], tops[level[number]]) for number in group], track)
        if apart and self.joined:
            groups.append(svg.parent("g", drawn.elements()))
            drawn = Drawn()
        for number, node in enumerate(nodes):
            y, parent = tops[level[number]], above[number]
            if parent >= 0:
                down = TRACK * tracks.number[level[number]]
                drawn.edge(node, (x[parent], tops[level[parent]] + sizes[parent].foot), (x[number], y - down), down)
            drawn.node(node, x[number], y, sizes[number])
            if apart:
                groups.append(svg.parent("g", drawn.elements(), id=f"n{first + number}"))
                drawn = Drawn()
        title = svg.element("text", self.title, x=MARGIN, y=MARGIN + SMALL, class_="b")
        width = max(at + size.right for at, size in zip(x, sizes, strict=True))
        width = max(width, MARGIN + svg.text_width(self.title)) + MARGIN
        inside = groups if apart else [title, *drawn.elements()]
        style = STYLE
        if self.joined:
            inside, style = [svg.parent("g", inside, class_="joined")], STYLE + JOINED_STYLE
        style += BOARD_STYLE if any(node.inset is not None for node in nodes) else ""
        return svg.picture(inside, width, top - LEVEL + MARGIN, self.title, style)

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

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file, as its name says: `.svg` or `.dot`. Raises `OutplayError` if that fails."""
        kind = Path(path).suffix.lower()
        if kind not in (".svg", ".dot"):
            raise OutplayError(f"{path}: a picture of a tree is saved as .svg or .dot")
        write_file(path, (self.svg() if kind == ".svg" else self.dot()).encode(), OutplayError)

    def __repr__(self) -> str:
        return f"<TreePicture {self.title!r}: notebooks show it, save('tree.svg') writes it>"

    def _repr_svg_(self) -> str:
        return self.svg()


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
            here = [x[node] for node in group if level[node] == depth]
            spans.append((max(here) - min(here), depth, min(here), max(here), place))
    taken: list[tuple[int, int, float, float]] = []  # level, track, from, to
    found: dict[tuple[int, int], int] = {}
    for _, depth, start, end, place in sorted(spans):
        near = {on for at, on, left, right in taken if at == depth and left - ASIDE < end and start < right + ASIDE}
        track = next(on for on in range(1, len(near) + 2) if on not in near)
        taken.append((depth, track, start, end))
        found[place, depth] = track
    number = dict.fromkeys(range(max(level) + 1), 0)
    for depth, track, *_ in taken:
        number[depth] = max(number[depth], track + 1)  # and one free
    return _Tracks(number, [[found[place, level[node]] for node in group] for place, group in enumerate(joined)])


def _inset_width(inset: Inset) -> float:
    """The width at which a board is drawn within a node: the longer side of a board has a fixed length."""
    return INSET * min(1.0, inset.width / inset.height)


def _size(node: Node) -> _Size:
    texts = max((svg.text_width(text, svg.SIZE if not i else SMALL) for i, text in enumerate(node.lines)), default=0.0)
    high, half = len(node.lines) * (SMALL + 4), SHAPE / 2
    edge = svg.text_width(node.edge, SMALL) / 2 / EDGE_TEXT
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
        self.shapes: dict[str, list[str]] = {kind: [] for kind in (MAX, MIN, CHANCE, OTHER, END)}
        self.texts: list[str] = []

    def elements(self) -> list[str]:
        """The elements: lines first, then shapes, then texts."""
        edges = [svg.element("path", d="".join(lines), class_=kind) for kind, lines in self.edges.items()]
        shapes = [
            svg.element("path", d="".join(lines), class_=f"{kind} shape")
            for kind, lines in self.shapes.items()
            if lines
        ]
        return [*edges, *shapes, *self.texts]

    def join(self, shape: str, points: Sequence[tuple[float, float]], track: Sequence[int]) -> None:
        """The dashed line that joins nodes of this shape.

        Args:
            shape: the shape of the first node.
            points: the upper middle of each node, level by level and from left to right.
            track: on which of the tracks above its level the line to each node runs, 1 for the lowest.
        """
        lines: list[str] = []
        between: list[str] = []
        before, last = "", len(points) - 1
        for number, ((x, y), on) in enumerate(zip(points, track, strict=True)):
            at, high, foot = (svg.number(each) for each in (x - ASIDE, y - TRACK * on, y + SHAPE / 2))  # behind shapes
            new_level = number == 0 or y != points[number - 1][1]
            end_of_level = number == last or y != points[number + 1][1]
            if new_level:
                lines.append(f"M{at} {foot}V{high}" if number == 0 else f"M{before}L{at} {high}M{at} {foot}V{high}")
            elif end_of_level:
                lines.append(f"H{at}V{foot}")
            else:  # the line goes on, and down to this node
                between.append(f"M{at} {high}V{foot}")
            before = f"{at} {high}"
        self.edges.setdefault(f"j j-{shape}", []).extend(lines + between)

    def edge(self, to: Node, start: tuple[float, float], end: tuple[float, float], down: float = 0.0) -> None:
        """The edge to a node, from one point to another and then straight down, with its text."""
        (a, b), (c, d) = start, end
        kind = "c" if to.shape in UNSEARCHED else "e pv" if to.bold else "e"
        if to.share:
            kind = f"e{' best' * to.bold} w{math.ceil(to.share * WIDTHS)}"
        line = f"M{svg.number(a)} {svg.number(b)}L{svg.number(c)} {svg.number(d)}"
        line += f"v{svg.number(down)}" if down else ""
        self.edges.setdefault(kind, []).append(line)
        if to.shape == CUT:  # two strokes across the middle of the edge
            x, y = (a + c) / 2 - 6, (b + d) / 2 + 5
            self.edges.setdefault("x", []).extend(f"M{svg.number(x + by)} {svg.number(y)}l8 -8" for by in (0.0, 5.0))
        if to.edge:
            x, y = a + EDGE_TEXT * (c - a), b + EDGE_TEXT * (d - b) + 4
            self.texts.append(svg.element("text", to.edge, x=x, y=y, class_="n"))

    def node(self, node: Node, x: float, top: float, size: _Size) -> None:
        """A node whose upper middle is at (x, top): its shape, and its texts."""
        height, written = size.height, len(node.lines) * (SMALL + 4)
        left, look, start = x, "m ", top + (height - written) / 2
        if node.inset is not None:
            self.shapes[node.shape].append(_box(x, top, size.box, height))
            inside = _inset_width(node.inset)
            self.texts.append(node.inset.svg(x - inside / 2, top + PAD, inside))
            start = top + height - PAD - written
        elif node.board:
            self.shapes[node.shape].append(_box(x, top, size.box, height))
            for number, line in enumerate(node.board):
                y = top + PAD + (number + 0.8) * (SMALL + 2)
                self.texts.append(svg.element("text", line, x=x - size.box + PAD, y=y, class_="f"))
            start = top + height - PAD - written
        elif node.shape == END:
            self.shapes[END].append(_box(x, top, size.box, height))
        elif node.shape not in UNSEARCHED:
            self.shapes[node.shape].append(_shape(node.shape, x, top))
            left, look = x + SHAPE / 2 + PAD, ""
        for number, line in enumerate(node.lines):
            kind = look + ("s" if number or node.shape in UNSEARCHED else "b" if node.bold else "")
            style = {"class_": kind.strip()} if kind else {}
            self.texts.append(svg.element("text", line, x=left, y=start + (number + 0.8) * (SMALL + 4), **style))


def _box(x: float, top: float, half: float, height: float) -> str:
    """The path around a box that reaches `half` to each side of x."""
    w, h = svg.number(2 * half), svg.number(height)
    return f"M{svg.number(x - half)} {svg.number(top)}h{w}v{h}h-{w}z"


def _shape(shape: str, x: float, top: float) -> str:
    """The path around a shape."""
    half = SHAPE / 2 - 1
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
