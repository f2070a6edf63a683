"""Draws boards: places, the pieces on them, the last action, legal actions and their values, and text below.

`board_svg` turns a `Picture` into SVG. Players differ by shape too, not only by colour: discs carry a ring, a dot or
another mark, chess pieces are bright or dark.
"""

import math
import textwrap
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from outplay.pictures import svg
from outplay.pictures.svg import clean
from outplay.rules.board import Picture, Piece, Place

WIDE, SMALLEST, LARGEST = 560.0, 30.0, 64.0
"""In pixels: the width to aim at, and the smallest and the largest side of a square."""
MARGIN, LINE = 12.0, 20.0
"""The margin of the picture and the height of a line of text, in pixels."""
LIGHT = {
    "b-light": "#f0dfc0", "b-dark": "#b98d62", "b-wood": "#e8c88f", "b-green": "#3d8c66", "b-blue": "#3f77b5",
    "b-wall": "#34508f", "b-line": "#4d3a22", "mark": "#c2255c",
    "b-on-dark": "#1b1b1b", "b-red": "#c92a2a", "b-orange": "#e69f00",
}  # fmt: skip
DARK = {
    "b-light": "#c3ae8a", "b-dark": "#80603f", "b-wood": "#b3925f", "b-green": "#2c684b", "b-blue": "#2c5587",
    "b-wall": "#5b7fd0", "b-line": "#33260f", "mark": "#ff8fb8",
    "b-on-dark": "#fbf4e4", "b-red": "#ff8787", "b-orange": "#b87f00",
}  # fmt: skip
FILLS = {
    "black": ("#1b1b1b", "#f4f4f0"), "white": ("#fbfbf6", "#1b1b1b"), "blue": ("#0072b2", "#ffffff"),
    "orange": ("#e69f00", "#1b1b1b"), "green": ("#009e73", "#111111"), "purple": ("#cc79a7", "#1b1b1b"),
    "yellow": ("#f0e442", "#1b1b1b"), "red": ("#c43c00", "#ffffff"), "grey": ("#c3c9d0", "#1b1b1b"),
    "ink": ("var(--ink)", "var(--paper)"),
}  # fmt: skip
"""The colour of a piece, and that of what is written on it."""
WRITING = {
    "blue": "var(--blue)", "orange": "var(--orange)", "green": "var(--green)", "purple": "#b0508a", "yellow": "#9a8a00",
    "red": "var(--b-red)", "black": "#1b1b1b", "white": "#fbfbf6", "grey": "var(--ink)",
}  # fmt: skip
"""The colour of a glyph without a piece below it."""
STYLE = (
    f".outplay .board{{{svg.variables(LIGHT)}}}"
    f"@media(prefers-color-scheme:dark){{.outplay .board{{{svg.variables(DARK)}}}}}"
    f"@media print{{.outplay .board{{{svg.variables(LIGHT)}}}}}"
    + "".join(
        f".outplay .b-{shade}{{fill:var(--b-{shade})}}"
        for shade in ("light", "dark", "wood", "green", "blue", "orange")
    )
    + "".join(f".outplay .p-{name}{{fill:{fill}}}" for name, (fill, _) in FILLS.items())
    + "".join(f".outplay text.t-{name}{{fill:{ink}}}" for name, (_, ink) in FILLS.items())
    + "".join(f".outplay .m-{name}{{fill:none;stroke:{ink}}}" for name, (_, ink) in FILLS.items())
    + "".join(f".outplay text.g-{name}{{fill:{ink}}}" for name, ink in WRITING.items())
    + ".outplay .p-ink{fill:var(--ink)}"
    ".outplay .b-wall{fill:var(--b-wall);stroke:var(--b-wall)}.outplay .b-plain{fill:var(--fill);stroke:var(--faint)}"
    ".outplay .b-line{fill:var(--b-line);stroke:var(--b-line);stroke-width:1.3;stroke-linecap:square}"
    ".outplay .b-thin{stroke:var(--line);stroke-width:1.3}"
    ".outplay .b-edge{stroke:#00000055}.outplay .p-edge{stroke:#1b1b1b;stroke-width:1.1}"
    ".outplay .p-black{stroke:#8a8a86}"
    ".outplay .board text{text-anchor:middle;paint-order:stroke;stroke-linejoin:round}"
    ".outplay .board text.b-text{text-anchor:start}.outplay .board text.b-name{fill:var(--faint)}"
    ".outplay .board text.b-inside{fill:var(--b-line)}.outplay text.b-on-dark{fill:var(--b-on-dark)}"
    ".outplay text.g-white{stroke:#1b1b1b}.outplay text.g-black{stroke:#f4f4f0}"
    ".outplay .b-halo{fill:none;stroke:var(--paper);stroke-width:5.5}"
    ".outplay .b-last{fill:none;stroke:var(--mark);stroke-width:2.6}.outplay .b-from{stroke-dasharray:5 4}"
    ".outplay .b-legal{fill:var(--ink);stroke:var(--paper);stroke-width:1}"
    ".outplay .b-take{fill:none;stroke:var(--ink);stroke-width:2.4;stroke-dasharray:2 3}"
    ".outplay text.b-value{fill:var(--ink);stroke:var(--paper);stroke-width:4px;font-weight:600}"
    ".outplay text.b-red{fill:#b3261e}.outplay text.b-ink{fill:#1b1b1b}"
    ".outplay .b-hatch{stroke:#fff;stroke-opacity:.55}"
    ".outplay .b-seed{fill:#fdf3dc;stroke:#4d3a22;stroke-width:1}"
)
PIPS = {
    "1": ((0, 0),), "2": ((-1, -1), (1, 1)), "3": ((-1, -1), (0, 0), (1, 1)), "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)), "6": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}  # fmt: skip
"""The spots of a die."""
MAX_SEEDS = 40


@dataclass(frozen=True)
class Marks:
    """What is marked on a board: cells of actions, the last of which is where the action ends.

    Attributes:
        last: the cells of the last action.
        legal: the cells of each legal action.
        values: a short text for cells.
        text: lines to add to those of the picture.
    """

    last: Sequence[Hashable] = ()
    legal: Sequence[Sequence[Hashable]] = ()
    values: Mapping[Hashable, str] = field(default_factory=dict)
    text: Sequence[str] = ()


@dataclass(frozen=True)
class Inset:
    """A board to be put into another picture, whose style must contain `STYLE`; the lengths are in pixels."""

    elements: Sequence[str]
    x: float  # where its left upper corner is in the lengths of the elements
    y: float
    width: float
    height: float

    def svg(self, x: float, y: float, width: float) -> str:
        """The board with its left upper corner at (x, y), as wide as `width`."""
        height = width * self.height / self.width
        box = " ".join(map(svg.number, (self.x, self.y, self.width, self.height)))
        return svg.parent("svg", self.elements, x=x, y=y, width=width, height=height, viewBox=box, class_="board")


def inset(board: Picture, *, whole: bool = False) -> Inset:
    """A board without the names of its cells and without text; with `whole`, with both."""
    return _Drawing(board if whole else replace(board, labels=(), text=()), Marks()).inset()


def board_svg(board: Picture, title: str, marks: Marks | None = None) -> str:
    """A picture as an SVG document."""
    drawing = _Drawing(board, marks or Marks())
    width, height = drawing.draw()
    return _document(drawing.drawn, width, height, title)


def framed_text(text: str, title: str, note: str = "") -> str:
    """A text in letters of equal width within a frame, as an SVG document; `note` is a small line below."""
    lines = [clean(line) for line in text.expandtabs().splitlines()] or [""]
    size, step = float(svg.SIZE), svg.SIZE * 1.3
    wide = max(svg.text_width(line, size, fixed=True) for line in lines) + 2 * MARGIN
    height = len(lines) * step + 2 * MARGIN
    below = _wrapped([note], max(wide, WIDE / 2)) if note else []
    drawn = [svg.element("rect", x=MARGIN, y=MARGIN, width=wide, height=height, rx=6, class_="b-plain")]
    look = f"font-family:{svg.FIXED_FONT};white-space:pre"
    for number, line in enumerate(lines):
        y = 2 * MARGIN + (number + 0.8) * step
        drawn.append(svg.element("text", line, x=2 * MARGIN, y=y, class_="b-text", style=look))
    for number, (_, line) in enumerate(below):
        y = 2 * MARGIN + height + (number + 0.6) * LINE
        drawn.append(svg.element("text", line, x=MARGIN, y=y, class_="b-text"))
    wide = max([wide, *(svg.text_width(line) for _, line in below)])
    return _document(drawn, wide + 2 * MARGIN, height + 2 * MARGIN + LINE * len(below), title)


def _document(drawn: Sequence[str], width: float, height: float, title: str) -> str:
    inside = [svg.parent("g", drawn, class_="board")]
    return svg.picture(inside, width, height, title, STYLE, style_="max-width:100%;height:auto")


def _wrapped(text: Sequence[str | tuple[Piece, str]], width: float) -> list[tuple[Piece | None, str]]:
    """The lines of a text, broken where they are wider than the board; only the first of a broken one has its piece."""
    most = max(24, int(width / svg.text_width("n")))
    lines: list[tuple[Piece | None, str]] = []
    for item in text:
        piece, words = (None, item) if isinstance(item, str) else item
        for number, line in enumerate(textwrap.wrap(clean(words), most) or [""]):
            lines.append((None if number else piece, line))
    return lines


class _Drawing:
    """A board that is being drawn; all lengths are in pixels, and a square has the side `unit`."""

    def __init__(self, board: Picture, marks: Marks) -> None:
        self.board, self.marks = board, marks
        self.drawn: list[str] = []
        edges = [
            (
                place.x - place.width / 2,
                place.y - place.height / 2,
                place.x + place.width / 2,
                place.y + place.height / 2,
            )
            for place in board.places
        ] or [(0.0, 0.0, 1.0, 1.0)]
        pad = 0.12 if board.ground != "none" else 0.0
        lefts, tops, rights, bottoms = zip(*edges, strict=True)
        self.field = min(lefts) - pad, min(tops) - pad, max(rights) + pad, max(bottoms) + pad
        self.unit = min(LARGEST, max(SMALLEST, WIDE / max(self.field[2] - self.field[0], 1)))
        self.name_size = min(float(svg.SIZE), 0.42 * self.unit)
        left, top, right, bottom = self.field
        for text, x, y in board.labels:
            half = svg.text_width(text, self.name_size) / 2 / self.unit
            high = self.name_size / 2 / self.unit
            left, right = min(left, x - half), max(right, x + half)
            top, bottom = min(top, y - high), max(bottom, y + high)
        self.left, self.top, self.right, self.bottom = left, top, right, bottom

    def inset(self) -> Inset:
        """The board, to be put into another picture."""
        width, height = self.draw()
        return Inset(self.drawn, MARGIN, MARGIN, width - 2 * MARGIN, height - 1.5 * MARGIN)

    def draw(self) -> tuple[float, float]:
        """Draw everything. Return the width and the height."""
        board, unit = self.board, self.unit
        self._ground()
        places = {place.cell: place for place in board.places if place.cell is not None}
        kind = "b-thin" if board.ground in ("none", "plain") else "b-line"
        if board.lines:
            ends = (f"M{self._at(x, y)}L{self._at(to_x, to_y)}" for x, y, to_x, to_y in board.lines)
            self._add("path", d="".join(ends), class_=kind)
        for place in board.places:
            self._place(place)
        for cell in board.pieces:
            self._pieces(places[cell], board.pieces_on(cell))
        for text, x, y in board.labels:
            inside = self.field[0] < x < self.field[2] and self.field[1] < y < self.field[3]
            kind = "b-inside" if inside and board.ground not in ("none", "plain") else "b-name"
            self._write(clean(text), *self._point(x, y), self.name_size, kind)
        self._marks(places)
        width = (self.right - self.left) * unit
        lines = _wrapped([*board.text, *self.marks.text], max(width, 300.0))
        y = 2 * MARGIN + (self.bottom - self.top) * unit
        for piece, line in lines:
            start = MARGIN
            if piece is not None:
                self._piece(piece, MARGIN + LINE / 2, y + 0.35 * LINE, 0.9 * LINE, 0.9 * LINE, "none")
                start += 1.3 * LINE
            self._add("text", line, x=start, y=y + 0.6 * LINE, class_="b-text")
            width = max(width, start + svg.text_width(line))
            y += LINE
        return width + 2 * MARGIN, y + (0 if lines else -MARGIN) + MARGIN / 2

    # -- lengths ----------------------------------------------------------------------------------------------------

    def _point(self, x: float, y: float) -> tuple[float, float]:
        return MARGIN + (x - self.left) * self.unit, MARGIN + (y - self.top) * self.unit

    def _at(self, x: float, y: float) -> str:
        return " ".join(svg.number(float(part)) for part in self._point(x, y))

    def _add(self, tag: str, content: str = "", **attributes: object) -> None:
        self.drawn.append(svg.element(tag, content, **attributes))

    def _write(self, text: str, x: float, y: float, size: float, kind: str, **more: object) -> None:
        self._add("text", text, x=x, y=y + 0.36 * size, font_size=size, class_=kind, **more)

    # -- the board --------------------------------------------------------------------------------------------------

    def _ground(self) -> None:
        left, top, right, bottom = self.field
        if self.board.ground != "none":
            x, y = self._point(left, top)
            width, height = (right - left) * self.unit, (bottom - top) * self.unit
            look = f"b-{self.board.ground} b-edge"
            self._add("rect", x=x, y=y, width=width, height=height, rx=0.1 * self.unit, class_=look)

    def _place(self, place: Place) -> None:
        if place.shape in ("point", "none") or place.shade == "none":
            return
        edge = "" if place.shape == "square" and place.shade in ("light", "dark", "wall") else " b-edge"
        self._shape(place, f"b-{place.shade}" + (edge if place.shade != "plain" else ""))

    def _shape(self, place: Place, kind: str, grow: float = 0.0) -> None:
        """The outline of a place, made larger by so many pixels on each side."""
        x, y = self._point(place.x, place.y)
        width, height = place.width * self.unit + 2 * grow, place.height * self.unit + 2 * grow
        if place.shape == "hexagon":
            half, reach = width / 2, width / math.sqrt(3)
            corners = [(0, -reach), (half, -reach / 2), (half, reach / 2), (0, reach), (-half, reach / 2)]
            corners.append((-half, -reach / 2))
        elif place.shape in ("up", "down"):
            tip = -height / 2 if place.shape == "up" else height / 2
            corners = [(0, tip), (width / 2, -tip), (-width / 2, -tip)]
        elif place.shape == "round":
            rounding = 0.92 * min(width, height) / 2
            width, height = 0.92 * width, 0.92 * height
            self._rect(x, y, width, height, rounding, kind)
            return
        else:
            self._rect(x, y, width, height, 0.0, kind)
            return
        path = "L".join(f"{svg.number(x + right)} {svg.number(y + down)}" for right, down in corners)
        self._add("path", d=f"M{path}z", class_=kind)

    def _rect(self, x: float, y: float, width: float, height: float, rounding: float, kind: str) -> None:
        self._add(
            "rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=float(rounding), class_=kind
        )

    # -- the pieces -------------------------------------------------------------------------------------------------

    def _pieces(self, place: Place, pieces: Sequence[Piece]) -> None:
        """The pieces on a place: in a column on a high one, in a row on a wide one, else on one another."""
        x, y = self._point(place.x, place.y)
        width, height = place.width * self.unit, place.height * self.unit
        if place.shape in ("up", "down") or (len(pieces) > 1 and max(width, height) > 1.5 * min(width, height)):
            side = min(width, height)
            step = min(side, (max(width, height) - side) / max(1, len(pieces) - 1))
            for number, piece in enumerate(pieces):
                along = (side - max(width, height)) / 2 + number * step
                if width > height:
                    self._piece(piece, x + along, y, side, side, place.shade)
                else:
                    self._piece(piece, x, y + (along if place.shape == "down" else -along), side, side, place.shade)
            return
        for piece in pieces:
            self._piece(piece, x, y, width, height, place.shade)

    def _colour(self, piece: Piece) -> str:
        if piece.player is None and piece.shape == "bar":
            return "ink"
        return "grey" if piece.player is None else self.board.colours[piece.player]

    def _piece(self, piece: Piece, x: float, y: float, width: float, height: float, shade: str) -> None:
        side, colour, text = min(width, height), self._colour(piece), clean(piece.text)
        filled = f"p-edge p-{colour}" if colour != "ink" else "p-ink"
        if piece.shape == "glyph":
            kind = f"g-{colour}"
            if piece.player is None:
                kind = _writing_on(shade)
            size = _fitting(text, 0.86 * width, 0.86 * side)
            outline = {"stroke_width": 0.06 * size} if colour in ("white", "black") else {}
            self._write(text, x, y, size, kind, **outline)
        elif piece.shape in ("disc", "king", "stone", "dot"):
            radius = (0.14 if piece.shape == "dot" else 0.46 if piece.shape == "stone" else 0.42) * side
            if piece.shape == "king":
                self._add("circle", cx=x, cy=y + 0.07 * side, r=radius, class_=filled)
                y -= 0.05 * side
            self._add("circle", cx=x, cy=y, r=radius, class_=filled)
            if text and piece.player == 1 and colour not in ("black", "white"):
                self._add("circle", cx=x, cy=y, r=0.85 * radius, class_=f"m-{colour}", stroke_width=0.08 * radius)
            if text or piece.shape == "king":
                self._write(text or "♛\ufe0e", x, y, _fitting(text or "♛", 1.5 * radius, 1.35 * radius), f"t-{colour}")
            elif piece.shape == "disc":
                self._disc_mark(piece.player, colour, x, y, radius)
        elif piece.shape == "seeds":
            self._seeds(text, x, y, width, height, shade)
        elif piece.shape == "die":
            half = 0.38 * side
            self._rect(x, y, 2 * half, 2 * half, 0.3 * half, filled if piece.player is not None else "p-edge p-white")
            ink = f"p-{'black' if FILLS[colour][1] != '#ffffff' and colour != 'black' else 'white'}"
            for right, down in PIPS.get(text, ()):
                self._add("circle", cx=x + 0.5 * half * right, cy=y + 0.5 * half * down, r=0.17 * half, class_=ink)
            if text not in PIPS:
                self._write(text, x, y, _fitting(text, 1.6 * half, 1.4 * half), f"t-{colour}")
        elif piece.shape in ("card", "back"):
            self._card(piece, text, x, y, 0.9 * width, 0.94 * height)
        else:
            gap = 0.0 if piece.shape == "bar" else 0.08 * side
            self._rect(x, y, width - gap, height - gap, 0.1 * side, filled)
            if text:
                self._write(text, x, y, _fitting(text, 0.85 * (width - gap), 0.6 * side), f"t-{colour}")

    def _disc_mark(self, player: int | None, colour: str, x: float, y: float, radius: float) -> None:
        """The mark that tells the discs of players apart without their colour."""
        thick, kind = max(1.0, 0.13 * radius), f"m-{colour}"
        if colour in ("black", "white"):
            self._add("circle", cx=x, cy=y, r=0.68 * radius, class_=kind, stroke_width=0.6 * thick)
        elif player == 1:
            self._add("circle", cx=x, cy=y, r=0.5 * radius, class_=kind, stroke_width=1.3 * thick)
        elif player == 2:
            self._add("circle", cx=x, cy=y, r=0.15 * radius, class_=kind, stroke_width=2.4 * thick)
        elif player:
            part = 0.5 * radius
            strokes = {3: ((1, 1), (1, -1)), 4: ((1, 0),), 5: ((0, 1),)}.get(player, ((1, 0), (0, 1)))
            points = [
                f"M{svg.number(x - a * part)} {svg.number(y - b * part)}"
                f"L{svg.number(x + a * part)} {svg.number(y + b * part)}"
                for a, b in strokes
            ]
            self._add("path", d="".join(points), class_=kind, stroke_width=1.5 * thick)

    def _seeds(self, text: str, x: float, y: float, width: float, height: float, shade: str) -> None:
        """Seeds in a pit, in the order of a sunflower, and their number below them."""
        seeds = min(int(text), MAX_SEEDS) if text.isdecimal() else 0
        side, below = min(width, height), 0.2 * min(width, height)
        radius = 0.068 * side
        for number in range(seeds):
            out = 0.3 * math.sqrt((number + 0.5) / max(seeds, 7))
            turn = number * math.pi * (3 - math.sqrt(5))
            right, down = out * math.cos(turn) * width, out * math.sin(turn) * (height - below) * 0.95
            self._add("circle", cx=x + right, cy=y - 0.55 * below + down, r=radius, class_="b-seed")
        kind = _writing_on(shade)
        self._write(text, x, y + height / 2 - 0.95 * below, 0.24 * side, kind, font_weight=600)

    def _card(self, piece: Piece, text: str, x: float, y: float, width: float, height: float) -> None:
        self._rect(x, y, width, height, 0.1 * width, "p-edge p-white" if piece.shape == "card" else "p-edge p-blue")
        if piece.shape == "back":
            lines = [
                f"M{svg.number(x - 0.38 * width)} {svg.number(y + part * height)}h{svg.number(0.76 * width)}"
                for part in (-0.36, -0.24, -0.12, 0.0, 0.12, 0.24, 0.36)
            ]
            self._add("path", d="".join(lines), class_="b-hatch", stroke_width=2)
            return
        kind = "b-red" if text[-1:] in ("♥", "♦") else "b-ink"
        if len(text) > 1 and text[-1] in "♠♥♦♣":
            self._write(
                text[:-1], x, y - 0.2 * height, _fitting(text[:-1], 0.8 * width, 0.36 * height), kind, font_weight=600
            )
            self._write(text[-1] + "\ufe0e", x, y + 0.2 * height, 0.42 * height, kind)
        else:
            self._write(text, x, y, _fitting(text, 0.8 * width, 0.44 * height), kind, font_weight=600)

    # -- marks ------------------------------------------------------------------------------------------------------

    def _marks(self, places: Mapping[Hashable, Place]) -> None:
        last = list(dict.fromkeys(self.marks.last))
        for number, cell in enumerate(last):
            self._outline(places[cell], number < len(last) - 1)
        ends = dict.fromkeys(cells[-1] for cells in self.marks.legal if cells)
        for cell in ends:
            if cell in self.marks.values:
                continue
            place = places[cell]
            x, y = self._point(place.x, place.y)
            side = min(place.width, place.height) * self.unit
            if not self.board.pieces_on(cell):
                self._add(
                    "circle",
                    cx=x,
                    cy=y,
                    r=max(2.5, (0.09 if place.shape == "point" else 0.12) * side),
                    class_="b-legal",
                )
            elif place.shape in ("point", "none"):
                self._add("circle", cx=x, cy=y, r=0.49 * side, class_="b-take")
            else:
                self._shape(place, "b-take", -2.5)
        for cell, value in self.marks.values.items():
            place = places[cell]
            x, y = self._point(place.x, place.y)
            text, pieces = clean(value), self.board.pieces_on(cell)
            size = max(7.0, min(13.0, 0.3 * self.unit, _fitting(text, 0.94 * self.unit * place.width, 13.0)))
            down = 0.0
            if pieces and pieces[0].shape != "seeds":
                down = place.height * self.unit / 2 - 0.6 * size
            self._write(text, x, y + down, size, "b-value")

    def _outline(self, place: Place, is_from: bool) -> None:
        """The mark of a cell of the last action; dashed for all cells but the one where it ends."""
        kind = "b-last b-from" if is_from else "b-last"
        if place.shape in ("point", "none") and place.width == place.height:
            x, y = self._point(place.x, place.y)
            written = any(piece.text for piece in self.board.pieces_on(place.cell))
            radius = (0.47 if written else 0.44 if is_from else 0.24) * self.unit * place.width
            for each in ("b-halo", kind):
                self._add("circle", cx=x, cy=y, r=radius, class_=each)
            return
        for each in ("b-halo", kind):
            self._shape(place, each, -2.0)


def _writing_on(shade: str) -> str:
    """The class of a text without a piece below it, on a place of this shade."""
    if shade in ("plain", "none"):
        return "g-grey"
    return "b-on-dark" if shade == "dark" else "t-black" if shade in ("green", "blue", "wall", "line") else "t-white"


def _fitting(text: str, width: float, height: float) -> float:
    """The size of letters with which a text fits into a box."""
    plain = text.replace("\ufe0e", "")
    return min(height, width / max(svg.text_width(plain, 1.0), 0.01)) if len(plain) > 1 else height
