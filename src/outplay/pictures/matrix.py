"""Draws the table of a matrix game: payoffs, best responses underlined, equilibria framed, dominated actions grey.

The two players have colours, and underlines of their own, solid and dashed, for print and for readers who see the
colours as one. Start at `MatrixPicture.svg`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from outplay.pictures import svg
from outplay.pictures.image import Image

NUMBER, ADVANCE = 15.0, 9.0
"""In pixels: the size of the font of payoffs, and the width of each of its characters, which is set."""
PAD, HEIGHT, MARGIN, LINE = 13.0, 38.0, 14.0, 22.0
"""In pixels: the space beside the texts of a cell, the height of a row, the margin, and the height of other lines."""
MAX_NAME = 24
"""The maximum number of characters of a name."""
MAX_TEXT_LINES, MAX_TEXT_WIDTH = 40, 100
"""The maximum size of a text in a frame, in lines and characters."""
SAMPLE = 30.0
"""The width of a sample in the legend, in pixels."""
PAINTS = "blue", "orange"
"""The colours of the players."""
LOOKS: dict[str, dict[str, Any]] = {
    "grey": {"class_": "grey", "fill": "faint", "fill_opacity": ".12"},
    "u0": {"class_": "u0", "fill": "none", "stroke": "blue", "stroke_width": 2.2},
    "u1": {"class_": "u1", "fill": "none", "stroke": "orange", "stroke_width": 2.2, "stroke_dasharray": "3.6 2.4"},
    "frame": {"class_": "frame", "fill": "none", "stroke": "ink", "stroke_width": 2.4},
}
"""How the bands of dominated actions, the underlines of best responses and the frames of equilibria are drawn."""


@dataclass(frozen=True)
class Cell:
    """A cell of the table.

    Attributes:
        payoffs: the payoff of each player as text, or one text for both in a zero-sum game.
        best: whether the row player's action, and the column player's, is a best response to that of the other.
    """

    payoffs: Sequence[str]
    best: tuple[bool, bool]


@dataclass(frozen=True)
class Grid:
    """What the picture shows.

    Attributes:
        players: the names of the row player and of the column player.
        names: the names of the rows and of the columns.
        cells: the cells of each row.
        dominated: the numbers of the dominated rows and columns.
    """

    players: tuple[str, str]
    names: tuple[Sequence[str], Sequence[str]]
    cells: Sequence[Sequence[Cell]]
    dominated: tuple[frozenset[int], frozenset[int]]

    def is_dominated(self, row: int, column: int) -> bool:
        """Whether a cell is in a dominated row or column."""
        return row in self.dominated[0] or column in self.dominated[1]


class MatrixPicture(Image):
    """A drawing of a matrix game, as SVG or PNG; notebooks show it.

    Args:
        content: the table; or a text, which is shown in a frame instead.
        title: what the game is.
    """

    _is = "a picture of a matrix game"

    def __init__(self, content: Grid | str, title: str) -> None:
        self.content, self.title = content, title

    def svg(self) -> str:
        """The picture as an SVG document."""
        return _framed(self.content, self.title) if isinstance(self.content, str) else _table(self.content, self.title)


def _table(grid: Grid, title: str) -> str:
    rows, columns = ([_short_name(name) for name in names] for names in grid.names)
    players = [_short_name(name) for name in grid.players]
    inside = max(_long(cell) for line in grid.cells for cell in line) * ADVANCE
    wide = max(inside, *(svg.text_width(name) for name in columns)) + 2 * PAD
    left = MARGIN + max(svg.text_width(players[0], 1.1 * svg.SIZE), *map(svg.text_width, rows)) + PAD  # one is bold
    top = MARGIN + LINE * bool(title) + 2 * LINE
    right, bottom = left + wide * len(columns), top + HEIGHT * len(rows)
    drawn = []

    # 1. What lies behind the texts: grey bands and the grid.
    for row in range(len(rows)):
        for first, after in _runs(grid, row):
            x, y, size = left + wide * first, top + HEIGHT * row, wide * (after - first)
            drawn.append(svg.element("rect", x=x, y=y, width=size, height=HEIGHT, **LOOKS["grey"]))
    across = [f"M{svg.number(left)} {svg.number(top + HEIGHT * row)}H{svg.number(right)}" for row in _to(len(rows))]
    down = [f"M{svg.number(left + wide * at)} {svg.number(top)}V{svg.number(bottom)}" for at in _to(len(columns))]
    drawn.append(svg.element("path", d="".join([*across, *down]), fill="none", stroke="line"))

    # 2. Names.
    if title:
        drawn.append(svg.element("text", title, x=MARGIN, y=MARGIN + 12, font_weight=700))
    head = top - LINE - 6
    bold = {"font_weight": 700, "text_anchor": "middle"}
    drawn.append(svg.element("text", players[1], x=(left + right) / 2, y=head, fill=PAINTS[1], **bold))
    bold["text_anchor"] = "end"
    drawn.append(svg.element("text", players[0], x=left - PAD, y=top - 8, fill=PAINTS[0], **bold))
    for number, name in enumerate(columns):
        ink, x = _ink(number in grid.dominated[1]), left + wide * (number + 0.5)
        drawn.append(svg.element("text", name, x=x, y=top - 8, text_anchor="middle", fill=ink))
    for number, name in enumerate(rows):
        ink, y = _ink(number in grid.dominated[0]), top + HEIGHT * (number + 0.5) + 4
        drawn.append(svg.element("text", name, x=left - PAD, y=y, text_anchor="end", fill=ink))

    # 3. Cells.
    cells = []
    for row, line in enumerate(grid.cells):
        for column, cell in enumerate(line):
            is_out = grid.is_dominated(row, column)
            cells += _cell(cell, left + wide * column, top + HEIGHT * row, wide, is_out)
    look = {"font_family": svg.FIXED_FONT, "font_size": NUMBER, "xml:space": "preserve"}
    drawn.append(svg.parent("g", cells, **look))

    # 4. The legend.
    y = bottom + LINE + 2
    for sample, words in _legend(grid, players):
        drawn += [_sample(sample, y), svg.element("text", words, x=MARGIN + SAMPLE + 10, y=y, font_size=12)]
        right = max(right, MARGIN + SAMPLE + 10 + svg.text_width(words, 11))  # mostly narrow letters
        y += LINE - 2
    width = max(right, MARGIN + svg.text_width(title)) + MARGIN
    return _document(drawn, width, y - LINE + 2 + MARGIN, title)


def _runs(grid: Grid, row: int) -> list[tuple[int, int]]:
    """The first column of each run of dominated cells in a row, and the column after it."""
    runs: list[tuple[int, int]] = []
    for column in range(len(grid.cells[row])):
        if grid.is_dominated(row, column):
            if runs and runs[-1][1] == column:
                runs[-1] = runs[-1][0], column + 1
            else:
                runs.append((column, column + 1))
    return runs


def _cell(cell: Cell, x: float, y: float, wide: float, is_out: bool) -> list[str]:
    """The elements of a cell whose upper left corner is at (x, y)."""
    drawn = []
    if all(cell.best):
        drawn.append(svg.element("rect", x=x + 4, y=y + 4, width=wide - 8, height=HEIGHT - 8, rx=4, **LOOKS["frame"]))
    at, base = x + (wide - _long(cell) * ADVANCE) / 2, y + HEIGHT / 2 + 4
    one = len(cell.payoffs) == 1
    for player, text in enumerate(cell.payoffs):
        if player:
            drawn.append(svg.element("text", ",", x=at, y=base, fill=_ink(is_out)))
            at += 2 * ADVANCE
        ink = _ink(is_out) if is_out or one else PAINTS[player]
        size = len(text) * ADVANCE
        drawn.append(svg.element("text", text, x=at, y=base, textLength=size, fill=ink))
        for of in (0, 1) if one else (player,):
            if cell.best[of]:
                low = base + 4 + 3.6 * (one and of)
                line = f"M{svg.number(at)} {svg.number(low)}h{svg.number(size)}"
                drawn.append(svg.element("path", d=line, **LOOKS[f"u{of}"]))
        at += size
    return drawn


def _long(cell: Cell) -> int:
    """The number of characters in a cell."""
    return sum(map(len, cell.payoffs)) + 2 * (len(cell.payoffs) - 1)


def _legend(grid: Grid, players: Sequence[str]) -> list[tuple[str, str]]:
    """The samples of the legend, by their look, with their words."""
    equilibria = sum(all(cell.best) for line in grid.cells for cell in line)
    one = len(grid.cells[0][0].payoffs) == 1
    words = [(f"u{number}", f"best response of {name}") for number, name in enumerate(players)]
    if one:
        words.insert(0, ("", f"payoffs: what {players[0]} gets and {players[1]} loses"))
    words.append(
        ("frame", "equilibrium in pure strategies") if equilibria else ("", "no equilibrium in pure strategies")
    )
    return words + [("grey", "removed as dominated")] * any(grid.dominated)


def _sample(kind: str, y: float) -> str:
    """A sample beside a line of the legend whose base is at y; empty for one without."""
    if kind in ("u0", "u1"):
        return svg.element("path", d=f"M{svg.number(MARGIN)} {svg.number(y - 4)}h{svg.number(SAMPLE)}", **LOOKS[kind])
    if kind:
        return svg.element("rect", x=MARGIN, y=y - 11, width=SAMPLE, height=13, rx=3 * (kind == "frame"), **LOOKS[kind])
    return ""


def _framed(text: str, title: str) -> str:
    """A text in a frame; the end of what is too long is left out."""
    lines = text.splitlines()
    more = len(lines) - MAX_TEXT_LINES
    lines = lines if more <= 0 else [*lines[:MAX_TEXT_LINES], f"… {more:,} more lines"]
    lines = [line if len(line) <= MAX_TEXT_WIDTH else f"{line[: MAX_TEXT_WIDTH - 1]}…" for line in lines]
    wide = max(svg.text_width(line, 12, fixed=True) for line in lines) + 2 * PAD
    high = 16.0 * len(lines) + 2 * PAD
    frame = svg.element("rect", x=MARGIN, y=MARGIN, width=wide, height=high, rx=4, fill="none", stroke="line")
    places = [MARGIN + PAD + 16 * number + 12 for number in range(len(lines))]
    return _document(
        [frame, svg.lines_of_text(lines, MARGIN + PAD, places, 12)], wide + 2 * MARGIN, high + 2 * MARGIN, title
    )


def _document(drawn: Sequence[str], width: float, height: float, title: str) -> str:
    return svg.picture(drawn, width, height, title or "a matrix game")


def _ink(is_out: bool) -> str | None:
    """The colour of a text, if it is not that of all others."""
    return "line" if is_out else None


def _to(number: int) -> range:
    return range(number + 1)


def _short_name(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…"
