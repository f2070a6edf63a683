"""Draws boards: places, pieces and what tells players apart, the last action, legal actions, values, and text below.

`board_svg` turns a `Picture` into SVG. Players differ by shape too, not only by colour: discs carry a ring, a dot or
another mark, chess pieces are bright or dark.
"""

import math
import textwrap
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from outplay.pictures import svg
from outplay.pictures.board_look import (
    EDGE,
    FILLS,
    OUTLINES,
    SHADES,
    UNSEEN,
    WRITING,
    fitting_size,
    ink_on,
    piece_look,
    place_look,
    place_name,
    rectangle,
    tint,
    with_room,
)
from outplay.pictures.svg import clean
from outplay.rules.board import Picture, Piece, Place

WIDE, SMALLEST, LARGEST = 560.0, 30.0, 64.0
"""In pixels: the width to aim at, and the smallest and the largest side of a square."""
MARGIN, LINE = 12.0, 20.0
"""The margin of the picture and the height of a line of text, in pixels."""
BOARD: dict[str, Any] = {"class_": "board", "text_anchor": "middle"}
"""What holds a board."""
HALO: dict[str, Any] = {"fill": "none", "stroke": "paper", "stroke_width": 5.5}
LAST: dict[str, Any] = {"class_": "last", "fill": "none", "stroke": "b-mark", "stroke_width": 2.6}
TAKE: dict[str, Any] = {
    "class_": "take",
    "fill": "none",
    "stroke": "ink",
    "stroke_width": 2.4,
    "stroke_dasharray": "2 3",
}
"""The marks of the cells of the last action, of what is behind them, and of pieces that an action may take."""
PIPS = {
    "1": ((0, 0),), "2": ((-1, -1), (1, 1)), "3": ((-1, -1), (0, 0), (1, 1)), "4": ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    "5": ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)), "6": ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}  # fmt: skip
"""The spots of a die."""
MAX_SEEDS = 40
TINTS = 9
"""The steps of the scale of tints."""


@dataclass(frozen=True)
class Marks:
    """What is marked on a board: cells of actions, the last of which is where the action ends.

    Attributes:
        last: the cells of the last action.
        legal: the cells of each legal action.
        values: a short text for cells.
        text: lines to add to those of the picture.
        heat: how strongly a cell is tinted: green from 0 to 1, red from 0 to -1. Its pieces are drawn smaller.
        scale: what the strongest red, or none, and the strongest green stand for; empty: this is not shown.
    """

    last: Sequence[Hashable] = ()
    legal: Sequence[Sequence[Hashable]] = ()
    values: Mapping[Hashable, str] = field(default_factory=dict)
    text: Sequence[str] = ()
    heat: Mapping[Hashable, float] = field(default_factory=dict)
    scale: Sequence[str] = ()


@dataclass(frozen=True)
class Inset:
    """A board to be put into another picture, whose style must contain its `dark_style`; the lengths are in pixels."""

    elements: Sequence[str]
    x: float  # where its left upper corner is in the lengths of the elements
    y: float
    width: float
    height: float

    def svg(self, x: float, y: float, width: float) -> str:
        """The board with its left upper corner at (x, y), as wide as `width`."""
        height = width * self.height / self.width
        box = " ".join(map(svg.number, (self.x, self.y, self.width, self.height)))
        return svg.parent("svg", self.elements, x=x, y=y, width=width, height=height, viewBox=box, **BOARD)


def inset(board: Picture, *, whole: bool = False) -> Inset:
    """A board without the names of its cells and without text; with `whole`, with both."""
    return _Drawing(board if whole else replace(board, labels=(), text=()), Marks()).inset()


def board_svg(board: Picture, title: str, marks: Marks | None = None) -> str:
    """A picture as an SVG document."""
    drawing = _Drawing(board, marks or Marks())
    width, height = drawing.draw()
    return _document(drawing.drawn, width, height, title)


def framed_text(text: str, title: str, notes: Sequence[str] = ()) -> str:
    """A text in letters of equal width within a frame, as an SVG document; the `notes` are small lines below."""
    lines = [clean(line) for line in text.expandtabs().splitlines()] or [""]
    size, step = float(svg.SIZE), svg.SIZE * 1.3
    wide = max(svg.text_width(line, size, fixed=True) for line in lines) + 2 * MARGIN
    height = len(lines) * step + 2 * MARGIN
    below = _wrapped(notes, max(wide, WIDE / 2))
    drawn = [svg.element("rect", x=MARGIN, y=MARGIN, width=wide, height=height, rx=6, **SHADES["plain"])]
    places = [2 * MARGIN + (number + 0.8) * step for number in range(len(lines))]
    drawn.append(svg.lines_of_text(lines, 2 * MARGIN, places, size))
    for number, (_, line) in enumerate(below):
        y = 2 * MARGIN + height + (number + 0.6) * LINE
        drawn.append(svg.element("text", line, x=MARGIN, y=y, text_anchor="start"))
    wide = max([wide, *(svg.text_width(line) for _, line in below)])
    return _document(drawn, wide + 2 * MARGIN, height + 2 * MARGIN + LINE * len(below), title)


def _document(drawn: Sequence[str], width: float, height: float, title: str) -> str:
    inside = [svg.parent("g", drawn, **BOARD)]
    return svg.picture(inside, width, height, title, shrinks=True)


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
        if board.lines:
            ends = (f"M{self._at(x, y)}L{self._at(to_x, to_y)}" for x, y, to_x, to_y in board.lines)
            paint = "line" if board.ground in ("none", "plain") else "b-line"
            self._add("path", d="".join(ends), stroke=paint, stroke_width=1.3, stroke_linecap="square")
        self._places()
        self._heat(places)
        for cell in board.pieces:
            place = places[cell]
            if cell in self.marks.heat:
                place = with_room(place, board.pieces_on(cell))
            self._pieces(place, board.pieces_on(cell))
        for text, x, y in board.labels:
            inside = self.field[0] < x < self.field[2] and self.field[1] < y < self.field[3]
            ink = "b-line" if inside and board.ground not in ("none", "plain") else "faint"
            self._write(clean(text), *self._point(x, y), self.name_size, ink)
        self._marks(places)
        width = (self.right - self.left) * unit
        lines = _wrapped([*board.text, *self.marks.text], max(width, 300.0))
        y = 2 * MARGIN + (self.bottom - self.top) * unit
        for piece, line in lines:
            start = MARGIN
            if piece is not None:
                self._piece(piece, MARGIN + LINE / 2, y + 0.35 * LINE, 0.9 * LINE, 0.9 * LINE, "none")
                start += 1.3 * LINE
            self._add("text", line, x=start, y=y + 0.6 * LINE, text_anchor="start")
            width = max(width, start + svg.text_width(line))
            y += LINE
        if self.marks.scale:
            width = max(width, self._scale(y))
            y += LINE
        return width + 2 * MARGIN, y + (0 if lines or self.marks.scale else -MARGIN) + MARGIN / 2

    # -- lengths ----------------------------------------------------------------------------------------------------

    def _point(self, x: float, y: float) -> tuple[float, float]:
        return MARGIN + (x - self.left) * self.unit, MARGIN + (y - self.top) * self.unit

    def _at(self, x: float, y: float) -> str:
        return " ".join(svg.number(float(part)) for part in self._point(x, y))

    def _add(self, tag: str, content: str = "", **attributes: Any) -> None:
        self.drawn.append(svg.element(tag, content, **attributes))

    def _group(self, elements: Sequence[str], **look: Any) -> None:
        """Elements that look the same."""
        if elements:
            self.drawn.append(svg.parent("g", elements, **look))

    def _write(self, text: str, x: float, y: float, size: float, ink: str, **more: Any) -> None:
        self._add("text", text, x=x, y=y + 0.36 * size, font_size=size, fill=ink, **more)

    # -- the board --------------------------------------------------------------------------------------------------

    def _ground(self) -> None:
        left, top, right, bottom = self.field
        if self.board.ground != "none":
            x, y = self._point(left, top)
            width, height = (right - left) * self.unit, (bottom - top) * self.unit
            look = EDGE | SHADES[self.board.ground]
            self._add("rect", x=x, y=y, width=width, height=height, rx=0.1 * self.unit, **look)

    def _places(self) -> None:
        """The places with their names, those that follow one another and look the same in a group."""
        for look, places in groupby(self.board.places, place_look):
            drawn = [place for place in places if place.cell is not None or look != UNSEEN]
            if len(drawn) == 1:
                self._shape(drawn[0], data_cell=place_name(drawn[0]), **look)
            else:
                self._group([self._outline_of(place, data_cell=place_name(place)) for place in drawn], **look)

    def _heat(self, places: Mapping[Hashable, Place]) -> None:
        """The tints, within the edges of the places."""
        edge = -0.06 * self.unit
        self._group([self._outline_of(places[cell], edge) for cell in self.marks.heat], fill="paper")
        tints = [self._outline_of(places[cell], edge, **tint(share)) for cell, share in self.marks.heat.items()]
        self._group(tints, class_="heat")

    def _scale(self, y: float) -> float:
        """What the tints stand for, at this height. Returns the width."""
        least, most = self.marks.scale
        first = -1.0 if any(share < 0 for share in self.marks.heat.values()) else 0.0
        x = MARGIN + svg.text_width(least) + 6
        self._add("text", least, x=MARGIN, y=y + 0.6 * LINE, text_anchor="start")
        for step in range(TINTS):
            share = first + (1 - first) * step / (TINTS - 1)
            self._rect(x + (step + 0.5) * LINE, y + 0.35 * LINE, LINE, 0.6 * LINE, **tint(share))
        x += TINTS * LINE + 6
        self._add("text", most, x=x, y=y + 0.6 * LINE, text_anchor="start")
        return x + svg.text_width(most) - MARGIN

    def _shape(self, place: Place, grow: float = 0.0, **look: Any) -> None:
        self.drawn.append(self._outline_of(place, grow, **look))

    def _outline_of(self, place: Place, grow: float = 0.0, **look: Any) -> str:
        """The outline of a place, made larger by so many pixels on each side; a circle for a place without a shape."""
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
            return rectangle(x, y, width, height, rounding, **look)
        elif place.shape in ("point", "none"):
            return svg.element("circle", cx=x, cy=y, r=min(width, height) / 2, **look)
        else:
            return rectangle(x, y, width, height, **look)
        path = "L".join(f"{svg.number(x + right)} {svg.number(y + down)}" for right, down in corners)
        return svg.element("path", d=f"M{path}z", **look)

    def _rect(self, *lengths: float, **look: Any) -> None:
        self.drawn.append(rectangle(*lengths, **look))

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
        look, (_, ink) = piece_look(colour), FILLS[colour]
        if piece.shape == "glyph":
            size = fitting_size(text, 0.86 * width, 0.86 * side)
            ink = ink_on(shade) if piece.player is None else WRITING[colour]
            if piece.player is not None and (colour == "white" or (colour == "black" and shade in ("plain", "none"))):
                outline = OUTLINES[colour]  # a text of its own: not every program paints outlines below letters
                self._write(text, x, y, size, outline, stroke=outline, stroke_width=0.06 * size)
            self._write(text, x, y, size, ink)
        elif piece.shape in ("disc", "king", "stone", "dot"):
            radius = (0.14 if piece.shape == "dot" else 0.46 if piece.shape == "stone" else 0.42) * side
            if piece.shape == "king":
                self._add("circle", cx=x, cy=y + 0.07 * side, r=radius, **look)
                y -= 0.05 * side
            self._add("circle", cx=x, cy=y, r=radius, **look)
            if text and piece.player == 1 and colour not in ("black", "white"):
                self._ring(x, y, 0.85 * radius, ink, 0.08 * radius)
            if text or piece.shape == "king":
                self._write(text or "♛\ufe0e", x, y, fitting_size(text or "♛", 1.5 * radius, 1.35 * radius), ink)
            elif piece.shape == "disc":
                self._disc_mark(piece.player, colour, x, y, radius)
        elif piece.shape == "seeds":
            self._seeds(text, x, y, width, height, shade)
        elif piece.shape == "die":
            half = 0.38 * side
            die_look = look if piece.player is not None else piece_look("white")
            self._rect(x, y, 2 * half, 2 * half, 0.3 * half, **die_look)
            for right, down in PIPS.get(text, ()):
                self._add("circle", cx=x + 0.5 * half * right, cy=y + 0.5 * half * down, r=0.17 * half, fill=ink)
            if text not in PIPS:
                self._write(text, x, y, fitting_size(text, 1.6 * half, 1.4 * half), ink)
        elif piece.shape in ("card", "back"):
            self._card(piece, text, x, y, 0.9 * width, 0.94 * height)
        else:
            gap = 0.0 if piece.shape == "bar" else 0.08 * side
            self._rect(x, y, width - gap, height - gap, 0.1 * side, **look)
            if text:
                self._write(text, x, y, fitting_size(text, 0.85 * (width - gap), 0.6 * side), ink)

    def _ring(self, x: float, y: float, radius: float, ink: str, width: float) -> None:
        self._add("circle", cx=x, cy=y, r=radius, fill="none", stroke=ink, stroke_width=width)

    def _disc_mark(self, player: int | None, colour: str, x: float, y: float, radius: float) -> None:
        """The mark that tells the discs of players apart without their colour."""
        thick, (_, ink) = max(1.0, 0.13 * radius), FILLS[colour]
        if colour in ("black", "white"):
            self._ring(x, y, 0.68 * radius, ink, 0.6 * thick)
        elif player == 1:
            self._ring(x, y, 0.5 * radius, ink, 1.3 * thick)
        elif player == 2:
            self._ring(x, y, 0.15 * radius, ink, 2.4 * thick)
        elif player:
            part = 0.5 * radius
            strokes = {3: ((1, 1), (1, -1)), 4: ((1, 0),), 5: ((0, 1),)}.get(player, ((1, 0), (0, 1)))
            points = [
                f"M{svg.number(x - a * part)} {svg.number(y - b * part)}"
                f"L{svg.number(x + a * part)} {svg.number(y + b * part)}"
                for a, b in strokes
            ]
            self._add("path", d="".join(points), stroke=ink, stroke_width=1.5 * thick)

    def _seeds(self, text: str, x: float, y: float, width: float, height: float, shade: str) -> None:
        """Seeds in a pit, in the order of a sunflower, and their number below them."""
        seeds = min(int(text), MAX_SEEDS) if text.isdecimal() else 0
        side, below = min(width, height), 0.2 * min(width, height)
        radius, circles = 0.068 * side, list[str]()
        for number in range(seeds):
            out = 0.3 * math.sqrt((number + 0.5) / max(seeds, 7))
            turn = number * math.pi * (3 - math.sqrt(5))
            right, down = out * math.cos(turn) * width, out * math.sin(turn) * (height - below) * 0.95
            circles.append(svg.element("circle", cx=x + right, cy=y - 0.55 * below + down, r=radius))
        self._group(circles, class_="seeds", fill="#fdf3dc", stroke="#4d3a22")
        self._write(text, x, y + height / 2 - 0.95 * below, 0.24 * side, ink_on(shade), font_weight=600)

    def _card(self, piece: Piece, text: str, x: float, y: float, width: float, height: float) -> None:
        self._rect(x, y, width, height, 0.1 * width, **piece_look("white" if piece.shape == "card" else "blue"))
        if piece.shape == "back":
            lines = [
                f"M{svg.number(x - 0.38 * width)} {svg.number(y + part * height)}h{svg.number(0.76 * width)}"
                for part in (-0.36, -0.24, -0.12, 0.0, 0.12, 0.24, 0.36)
            ]
            self._add("path", d="".join(lines), stroke="#fff", stroke_opacity=".55", stroke_width=2)
            return
        ink = "#b3261e" if text[-1:] in ("♥", "♦") else "#1b1b1b"
        if len(text) > 1 and text[-1] in "♠♥♦♣":
            size = fitting_size(text[:-1], 0.8 * width, 0.36 * height)
            self._write(text[:-1], x, y - 0.2 * height, size, ink, font_weight=600)
            self._write(text[-1] + "\ufe0e", x, y + 0.2 * height, 0.42 * height, ink)
        else:
            self._write(text, x, y, fitting_size(text, 0.8 * width, 0.44 * height), ink, font_weight=600)

    # -- marks ------------------------------------------------------------------------------------------------------

    def _marks(self, places: Mapping[Hashable, Place]) -> None:
        last = list(dict.fromkeys(self.marks.last))
        for number, cell in enumerate(last):
            self._outline(places[cell], number < len(last) - 1)
        dots = list[str]()
        for cell in dict.fromkeys(cells[-1] for cells in self.marks.legal if cells):
            if cell in self.marks.values:
                continue
            place = places[cell]
            x, y = self._point(place.x, place.y)
            side = min(place.width, place.height) * self.unit
            if not self.board.pieces_on(cell):
                radius = max(2.5, (0.09 if place.shape == "point" else 0.12) * side)
                dots.append(svg.element("circle", cx=x, cy=y, r=radius))
            elif place.shape in ("point", "none"):
                self._add("circle", cx=x, cy=y, r=0.49 * side, **TAKE)
            else:
                self._shape(place, -2.5, **TAKE)
        self._group(dots, class_="legal", fill="ink", stroke="paper")
        grounds, values = list[str](), list[str]()
        for cell, value in self.marks.values.items():
            place = places[cell]
            x, y = self._point(place.x, place.y)
            text, pieces = clean(value), self.board.pieces_on(cell)
            size = max(7.0, min(13.0, 0.3 * self.unit, fitting_size(text, 0.94 * self.unit * place.width, 13.0)))
            if pieces and (pieces[0].shape != "seeds" or cell in self.marks.heat):
                y += (place.height * self.unit / 2 - 0.6 * size) * (-1 if pieces[0].shape == "seeds" else 1)
            grounds.append(rectangle(x, y, svg.text_width(text, size) + 2, 1.2 * size, 3))
            values.append(svg.element("text", text, x=x, y=y + 0.36 * size, font_size=size))
        self._group(grounds, fill="paper", fill_opacity=".85")
        self._group(values, class_="value", font_weight=600)

    def _outline(self, place: Place, is_from: bool) -> None:
        """The mark of a cell of the last action; dashed for all cells but the one where it ends."""
        for look in (HALO, LAST | {"stroke_dasharray": "5 4"} if is_from else LAST):
            if place.shape in ("point", "none") and place.width == place.height:
                x, y = self._point(place.x, place.y)
                written = any(piece.text for piece in self.board.pieces_on(place.cell))
                radius = (0.47 if written else 0.44 if is_from else 0.24) * self.unit * place.width
                self._add("circle", cx=x, cy=y, r=radius, **look)
            else:
                self._shape(place, -2.0, **look)
