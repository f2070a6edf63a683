"""What is where on the board of a game: a `Picture`, which `Game.picture` returns and `outplay.show` draws.

A picture consists of places, such as squares, points or pits, and of pieces on them. Most boards need one call:
`square_board`, `point_board`, `hexagon_board`, or `in_row` for cards, dice and pits. Lengths are in squares; x grows to
the right and y down.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

__all__ = ["Picture", "Piece", "Place", "hexagon_board", "in_row", "point_board", "square_board"]

COLOURS = ("blue", "orange", "green", "purple", "yellow", "red", "black", "white")
"""The colours of the players, unless a picture says otherwise."""
PLACES = ("square", "round", "hexagon", "point", "up", "down", "none")
"""The shapes of places; `up` and `down` are triangles."""
SHADES = ("plain", "light", "dark", "wood", "green", "blue", "orange", "wall", "line", "none")
"""The colours of places and of backgrounds."""
PIECES = ("glyph", "disc", "king", "stone", "tile", "bar", "card", "back", "die", "seeds", "dot")
"""The shapes of pieces."""
ROW_HEIGHT = 0.75**0.5
"""The distance between two rows of hexagons whose width is 1."""


class Piece(NamedTuple):
    """A piece on a board.

    Args:
        text: what is written on it: a glyph such as "♞", a letter, a number. For `seeds` it is how many there are.
        player: whose it is; None: nobody's.
        shape: "glyph": only the text. "disc": a round piece, with a mark that tells the players apart; "king": a disc
            on another one; "stone": a round piece without a mark. "tile": the whole place, with the text on it; "bar":
            the whole place, in the colour of the player. "card": a playing card; "back": one that lies face down.
            "die": a die, whose text is the number. "seeds": seeds in a pit. "dot": a small round piece.
    """

    text: str = ""
    player: int | None = None
    shape: str = "glyph"


class Place(NamedTuple):
    """A place on a board.

    Args:
        cell: the name of the place, by which pieces and actions refer to it: an int, a text or a tuple. None: nothing
            is ever put here.
        x: the middle, in squares from the left.
        y: the middle, in squares from the top.
        shape: "square", "round", "hexagon", "point", "up" or "down" (triangles), or "none", which is not drawn.
        shade: "plain", "light", "dark", "wood", "green", "blue", "orange", "wall", "line" or "none".
        width: the width, in squares.
        height: the height, in squares.
        name: the name that people use, such as e4, for pages and programs that look for the place in a picture: there
            it is `data-cell="e4"`. "": the text of `cell`, such as 3, or 1,2 for a tuple.
    """

    cell: Hashable
    x: float
    y: float
    shape: str = "square"
    shade: str = "plain"
    width: float = 1.0
    height: float = 1.0
    name: str = ""


@dataclass(frozen=True)
class Picture:
    """What is where in a state of a game. `outplay.show` draws it.

    Args:
        places: the places of the board, in the order in which they are drawn.
        pieces: the piece on each cell, or several of them in a tuple.
        text: lines below the board, such as who is to move; each may be a pair of a piece and a text.
        labels: texts beside the board, each as (text, x, y).
        lines: lines on the board, each as (x, y, x, y) from end to end.
        ground: the shade of the board behind all places; "none": no background.
        colours: the colour of each player: "blue", "orange", "green", "purple", "yellow", "red", "black" or "white".

    >>> Picture([Place("left", 0, 0), Place("right", 1, 0)], {"left": Piece("X", 0)}).cells
    ['left', 'right']
    """

    places: Sequence[Place]
    pieces: Mapping[Any, Piece | Sequence[Piece]]
    text: Sequence[str | tuple[Piece, str]] = ()
    labels: Sequence[tuple[str, float, float]] = ()
    lines: Sequence[tuple[float, float, float, float]] = ()
    ground: str = "none"
    colours: Sequence[str] = COLOURS

    @property
    def cells(self) -> list[Hashable]:
        """The names of all places that have one."""
        return [place.cell for place in self.places if place.cell is not None]

    def pieces_on(self, cell: Hashable) -> tuple[Piece, ...]:
        """The pieces on a cell, from the bottom up."""
        one_or_more = self.pieces.get(cell, ())
        return (one_or_more,) if isinstance(one_or_more, Piece) else tuple(one_or_more)

    def named(self, name: Callable[[Any], str]) -> "Picture":
        """The picture in which `name(cell)` is the name of each cell; "" is its text."""
        return replace(
            self,
            places=[place if place.cell is None else place._replace(name=name(place.cell)) for place in self.places],
        )

    def moved(self, right: float, down: float) -> "Picture":
        """The picture, moved."""
        return replace(
            self,
            places=[place._replace(x=place.x + right, y=place.y + down) for place in self.places],
            labels=[(text, x + right, y + down) for text, x, y in self.labels],
            lines=[(x + right, y + down, to_x + right, to_y + down) for x, y, to_x, to_y in self.lines],
        )

    def with_more(self, other: "Picture") -> "Picture":
        """One picture of what is in both; they must not have a cell in common."""
        return replace(
            self,
            places=[*self.places, *other.places],
            pieces={**self.pieces, **other.pieces},
            text=[*self.text, *other.text],
            labels=[*self.labels, *other.labels],
            lines=[*self.lines, *other.lines],
        )


def square_board(
    rows: int,
    columns: int,
    pieces: Mapping[Any, Piece | Sequence[Piece]],
    text: Sequence[str | tuple[Piece, str]] = (),
    *,
    shade: str = "plain",
    bottom_first: bool = False,
    names: Callable[[int, int], Hashable] | None = None,
    row_names: Sequence[object] = (),
    column_names: Sequence[object] = (),
    ground: str = "none",
    colours: Sequence[str] = COLOURS,
    shape: str = "square",
) -> Picture:
    """A board of squares. Cells are numbered row by row, from 0.

    Args:
        rows: the number of rows.
        columns: the number of columns.
        pieces: the piece on each cell, or several of them in a tuple.
        text: lines below the board.
        shade: the colour of the squares, see `Place`, or "checkered".
        bottom_first: whether the row at the bottom is the first one, as in chess.
        names: the name of the cell in a row and a column, both counted from 0, instead of its number.
        row_names: texts to the left of the rows.
        column_names: texts below the columns. With both, a square is named by its column and its row, such as e4, else
            by the numbers of its row and its column, such as 3,4.
        ground: the shade behind the squares, which shows if they are not square.
        colours: the colours of the players.
        shape: the shape of the places.

    >>> board = square_board(3, 3, {4: Piece("X", 0)}, ["O to move"])
    >>> len(board.places), board.pieces_on(4)
    (9, (Piece(text='X', player=0, shape='glyph'),))
    """
    names = names or (lambda row, column: row * columns + column)
    places = []
    for line in range(rows):
        y = rows - 1 - line if bottom_first else line
        for column in range(columns):
            own = ("dark" if (y + column) % 2 else "light") if shade == "checkered" else shade
            name = f"{column_names[column]}{row_names[line]}" if row_names and column_names else f"{line},{column}"
            places.append(Place(names(line, column), column, y, shape, own, name=name))
    labels = _labels(rows, columns, row_names, column_names, bottom_first, 0.8)
    return Picture(places, pieces, text, labels, ground=ground, colours=colours)


def point_board(
    rows: int,
    columns: int,
    pieces: Mapping[Any, Piece | Sequence[Piece]],
    text: Sequence[str | tuple[Piece, str]] = (),
    *,
    bottom_first: bool = False,
    row_names: Sequence[object] = (),
    column_names: Sequence[object] = (),
    colours: Sequence[str] = COLOURS,
) -> Picture:
    """A board of points where lines cross, as in Go. The arguments are those of `square_board`.

    >>> point_board(2, 3, {0: Piece(player=1, shape="stone")}).lines
    [(0, 0, 2, 0), (0, 1, 2, 1), (0, 0, 0, 1), (1, 0, 1, 1), (2, 0, 2, 1)]
    """
    board = square_board(
        rows, columns, pieces, text, bottom_first=bottom_first, shape="point", ground="wood", colours=colours,
        row_names=row_names, column_names=column_names,
    )  # fmt: skip
    lines: list[tuple[float, float, float, float]] = [(0, y, columns - 1, y) for y in range(rows)]
    lines += [(x, 0, x, rows - 1) for x in range(columns)]
    labels = _labels(rows, columns, row_names, column_names, bottom_first, 0.9)
    return replace(board, lines=lines, labels=labels)


def hexagon_board(
    cells: Mapping[Any, tuple[float, float]],
    pieces: Mapping[Any, Piece | Sequence[Piece]],
    text: Sequence[str | tuple[Piece, str]] = (),
    *,
    labels: Sequence[tuple[object, float, float]] = (),
    shape: str = "hexagon",
    shade: str = "plain",
    colours: Sequence[str] = COLOURS,
) -> Picture:
    """A board of hexagons, each row half a hexagon further to the right than the row above it.

    Args:
        cells: the row and the column of each cell.
        pieces: the piece on each cell, or several of them in a tuple.
        text: lines below the board.
        labels: texts beside the board, each as (text, row, column).
        shape: the shape of the places.
        shade: the colour of the places.
        colours: the colours of the players.

    >>> board = hexagon_board({"a": (0, 0), "b": (0, 1), "c": (1, 0)}, {"c": Piece(player=0, shape="disc")})
    >>> [(place.cell, place.x) for place in board.places]
    [('a', 0.0), ('b', 1.0), ('c', 0.5)]
    """
    places = [Place(cell, column + line / 2, line * ROW_HEIGHT, shape, shade) for cell, (line, column) in cells.items()]
    beside = [(str(name), column + line / 2, line * ROW_HEIGHT) for name, line, column in labels]
    return Picture(places, pieces, text, beside, colours=colours)


def in_row(
    cells: Sequence[Hashable],
    x: float = 0.0,
    y: float = 0.0,
    *,
    shape: str = "square",
    shade: str = "plain",
    width: float = 1.0,
    height: float = 1.0,
    gap: float = 0.0,
) -> list[Place]:
    """Places from left to right, such as pits, dice or cards in a hand.

    Args:
        cells: their names.
        x: the middle of the first one.
        y: the middle of all of them.
        shape: their shape, see `Place`.
        shade: their colour.
        width: the width of each.
        height: the height of each.
        gap: the space between two of them.

    >>> [place.x for place in in_row(["A", "B"], gap=0.5)]
    [0.0, 1.5]
    """
    return [
        Place(cell, x + number * (width + gap), y, shape, shade, width, height) for number, cell in enumerate(cells)
    ]


def _labels(
    rows: int, columns: int, row_names: Sequence[object], column_names: Sequence[object], bottom_first: bool, off: float
) -> list[tuple[str, float, float]]:
    """The names of rows to the left of a board, and those of columns below it."""
    labels: list[tuple[str, float, float]] = [
        (str(name), -off, rows - 1 - line if bottom_first else line) for line, name in enumerate(row_names)
    ]
    return labels + [(str(name), column, rows - 1 + off) for column, name in enumerate(column_names)]
