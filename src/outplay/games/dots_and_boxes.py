"""Dots and Boxes: draw lines between dots; the player who draws the fourth side of a box owns it.

Two players in turn draw a line between two neighbouring dots. A player who completes a box, or two at once, owns them
and moves again. When all lines are drawn, the utility is the margin, the player's boxes minus the opponent's. Édouard
Lucas described the game in 1889; its theory is Elwyn Berlekamp, *The Dots and Boxes Game* (2000).

A set of lines is one int with a bit for each: first the horizontal lines, row by row from the top, then the vertical
ones, row by row. With 2 rows and 2 columns of boxes:

    +-0-+-1-+
    6   7   8
    +-2-+-3-+
    9  10  11
    +-4-+-5-+

If a line completes all boxes beside it, drawing it gives nothing up and is always worth doing at once: whatever else is
done first, the opponent would draw it and move again (Barker & Korf, "Solving Dots-And-Boxes", AAAI 2012).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import whole_number
from outplay.games._pictures import outcome, turn_line
from outplay.rules.bits import count, squares
from outplay.rules.board import Picture, Piece, Place
from outplay.rules.errors import RulesError
from outplay.rules.game import Game
from outplay.rules.indexing import subset, subset_count, subset_index


class Position(NamedTuple):
    """The lines drawn, who owns the boxes, and whose turn it is."""

    lines: int  # set of lines
    owned: int  # set of boxes, row by row from the top: those of player 0; the other completed boxes are player 1's
    margin: int  # boxes of player 0 minus those of player 1
    turn: int


class DotsAndBoxes(Game):
    """Dots and Boxes with at most 62 lines; `a1-b1` is the line between these dots, a1 the one at the top left.

    >>> game = DotsAndBoxes(2, 2)
    >>> position = game.initial_state()
    >>> for line in "a1-b1", "a2-b2", "a1-a2", "b1-b2", "c1-c2":
    ...     position = game.result(position, game.parse_action(position, line))
    >>> print(game.render(position))
      a   b   c
    1 +---+   +
      | 1 |   |
    2 +---+   +
    <BLANKLINE>
    3 +   +   +
    player 0 to move
    >>> game.state_text(position)
    '10/111/10/000/00 1./.. 0'
    """

    feature_names = ("boxes", "open")

    def __init__(self, rows: int = 3, columns: int = 3) -> None:
        self.rows = whole_number("rows", rows, 1, 20)
        self.columns = whole_number("columns", columns, 1, 20)
        self.boxes = rows * columns
        self.level = (rows + 1) * columns  # the number of horizontal lines
        self.number = self.level + rows * (columns + 1)
        if self.number > 62:
            raise RulesError(f"rows={rows}, columns={columns}: {self.number} lines, but there must be at most 62")
        self.all = (1 << self.number) - 1
        self.utilities = (-self.boxes, self.boxes)
        self.sides = self._sides()  # int64 [boxes]: the set of lines around each box
        self.beside = self._beside()  # int64 [lines, 2]: the boxes beside each line, -1 for none
        self.images = self._images()  # int64 [4 or 8, lines]: the line that each line becomes
        self.box_images = self._box_images()  # int64 [4 or 8, boxes]: the box that each box becomes

    def initial_state(self) -> Position:
        return Position(0, 0, 0, 0)

    def to_move(self, position: Position) -> int:
        return position.turn

    def actions(self, position: Position) -> int:
        return self.all & ~position.lines

    def result(self, position: Position, action: int) -> Position:
        lines = position.lines | 1 << action
        owned, boxes = position.owned, 0
        for box in self.beside[action]:
            if box >= 0 and lines & self.sides[box] == self.sides[box]:
                boxes += 1
                if position.turn == 0:
                    owned |= 1 << int(box)
        margin = position.margin + (boxes if position.turn == 0 else -boxes)
        return Position(lines, owned, margin, position.turn if boxes > 0 else 1 - position.turn)

    def is_terminal(self, position: Position) -> bool:
        return position.lines == self.all

    def utility(self, position: Position, player: int) -> int:
        return position.margin if player == 0 else -position.margin

    def missing(self, lines: int, box: int) -> int:
        """The number of sides of `box` that are not drawn."""
        return count(int(self.sides[box]) & ~lines)

    def with_missing(self, lines: int, number: int) -> int:
        """The number of boxes that lack `number` sides."""
        boxes = 0
        for box in range(self.boxes):
            boxes += self.missing(lines, box) == number
        return boxes

    def evaluate(self, position: Position, player: int) -> float:
        """The margin, plus half of each box that the player to move can take."""
        open_ = 0.5 * self.with_missing(position.lines, 1)
        estimate = position.margin + (open_ if position.turn == 0 else -open_)
        return estimate if player == 0 else -estimate

    def order(self, position: Position, action: int) -> int:
        """Lines that complete a box first, then those that give none away."""
        worth = 0
        for box in self.beside[action]:
            if box >= 0:
                missing = self.missing(position.lines, int(box))
                worth += 4 if missing == 1 else -2 if missing == 2 else 0
        return worth

    def candidates(self, position: Position) -> int:
        """A line that completes all boxes beside it, if there is one; otherwise all lines."""
        for action in squares(self.noisy(position)):
            completes = True
            for box in self.beside[action]:
                if box >= 0 and self.missing(position.lines, int(box)) != 1:
                    completes = False
            if completes:
                return 1 << action
        return self.all & ~position.lines

    def is_quiet(self, position: Position) -> bool:
        """Whether no box can be taken."""
        return self.with_missing(position.lines, 1) == 0

    def noisy(self, position: Position) -> int:
        """The lines that complete a box."""
        lines = 0
        for box in range(self.boxes):
            if self.missing(position.lines, box) == 1:
                lines |= int(self.sides[box]) & ~position.lines
        return lines

    def features(self, position: Position) -> tuple[int, int]:
        """The lead in boxes; and the number of boxes to take now, which only the player to move can."""
        margin = position.margin if position.turn == 0 else -position.margin
        return margin, self.with_missing(position.lines, 1)

    def key(self, position: Position) -> tuple[int, int, int]:
        """The state without the owners of boxes, which matter only for the margin."""
        return position.lines, position.margin, position.turn

    def symmetries(self, position: Position) -> tuple[Position, ...]:
        """The position turned and mirrored in all eight ways; if the board is not square, some are repeated."""
        return (
            position,
            self.image(position, 1),
            self.image(position, 2),
            self.image(position, 3),
            self.image(position, 4),
            self.image(position, 5),
            self.image(position, 6),
            self.image(position, 7),
        )

    def image(self, position: Position, number: int) -> Position:
        """The position under one of its symmetries."""
        lines = owned = 0
        for line in squares(position.lines):
            lines |= 1 << int(self.images[number, line])
        for box in squares(position.owned):
            owned |= 1 << int(self.box_images[number, box])
        return Position(lines, owned, position.margin, position.turn)

    def state_class(self, position: Position) -> int:
        """The number of lines that are not drawn: a table holds sets of lines, since boxes once owned stay so."""
        return self.number - count(position.lines)

    def index_count(self, number: int) -> int:
        return subset_count(self.number, number)

    def state_index(self, position: Position) -> int:
        return subset_index(self.all & ~position.lines)

    def indexed_state(self, number: int, index: int) -> Position:
        """Player 0 is to move; player 1 owns the completed boxes."""
        lines = self.all & ~subset(index, number)
        return Position(lines, 0, -self.with_missing(lines, 0), 0)

    def index_player(self, position: Position) -> int:
        return position.turn

    def index_points(self, position: Position, player: int) -> int:
        """The lead in boxes."""
        return self.utility(position, player)

    def parse_class(self, text: str) -> int:
        number = super().parse_class(text)
        if number > self.number:
            raise RulesError(f"{text!r}: classes are the lines that are not drawn, up to {self.number}")
        return number

    def owner(self, position: Position, box: int) -> str:
        """`0`, `1`, or `.` if the box is not completed."""
        if self.missing(position.lines, box):
            return "."
        return "0" if position.owned >> box & 1 else "1"

    def render(self, position: Position) -> str:
        names = [chr(ord("a") + column) for column in range(self.columns + 1)]
        rows = ["  " + "   ".join(names)]
        width = len(str(self.rows + 1))
        for row in range(self.rows + 1):
            level = [position.lines >> row * self.columns + column & 1 for column in range(self.columns)]
            rows.append(f"{row + 1:>{width}} +" + "".join("---+" if drawn else "   +" for drawn in level))
            if row < self.rows:
                first = self.level + row * (self.columns + 1)
                upright = ["|" if position.lines >> first + column & 1 else " " for column in range(self.columns + 1)]
                owners = [self.owner(position, row * self.columns + column) for column in range(self.columns)]
                inside = [f" {' ' if owner == '.' else owner} " for owner in owners]
                rows.append(
                    " " * (width + 1) + "".join(map("".join, zip(upright, [*inside, ""], strict=True))).rstrip()
                )
        rows[0] = " " * (width - 1) + rows[0]
        return "\n".join([*(row.rstrip() for row in rows), outcome(self, position)])

    def picture(self, position: Position) -> Picture:
        """The board; its cells are the lines, by number, and the boxes: "box 0", "box 1" and so on."""
        owners = [self.owner(position, box) for box in range(self.boxes)]
        places = [
            Place(f"box {box}", box % self.columns + 0.5, box // self.columns + 0.5, "none", width=0.76, height=0.76)
            for box in range(self.boxes)
        ]
        for line in range(self.number):
            row, column = (
                divmod(line, self.columns) if line < self.level else divmod(line - self.level, self.columns + 1)
            )
            if line < self.level:
                places.append(Place(line, column + 0.5, row, "square", "plain", 0.84, 0.12))
            else:
                places.append(Place(line, column, row + 0.5, "square", "plain", 0.12, 0.84))
        dots = [(column, row) for row in range(self.rows + 1) for column in range(self.columns + 1)]
        places += [Place(None, x, y, "round", "wall", 0.26, 0.26) for x, y in dots]
        pieces: dict[Any, Piece] = dict.fromkeys(squares(position.lines), Piece(shape="bar"))
        pieces |= {f"box {box}": Piece(owner, int(owner), "tile") for box, owner in enumerate(owners) if owner != "."}
        labels: list[tuple[str, float, float]] = [
            (chr(ord("a") + column), column, -0.5) for column in range(self.columns + 1)
        ]
        labels += [(str(row + 1), -0.5, row) for row in range(self.rows + 1)]
        tiles = Piece("0", 0, "tile"), Piece("1", 1, "tile")
        score = f"boxes: {owners.count('0')} and {owners.count('1')}"
        board = Picture(places, pieces, [turn_line(self, position, (), tiles), score], labels)
        return board.named(lambda cell: self.action_name(position, cell) if isinstance(cell, int) else "")

    def action_name(self, position: Position, action: int) -> str:
        if action < self.level:
            row, column = divmod(action, self.columns)
            right, down = 1, 0
        else:
            row, column = divmod(action - self.level, self.columns + 1)
            right, down = 0, 1
        return f"{chr(ord('a') + column)}{row + 1}-{chr(ord('a') + column + right)}{row + 1 + down}"

    def parse_action(self, position: Position, text: str) -> int:
        """The line that `text` names, in lower or upper case, the two dots in either order."""
        text = text.strip().lower()
        first, _, second = text.partition("-")
        turned = f"{second}-{first}"
        legal = (self.action_name(position, action) for action in squares(self.actions(position)))
        return super().parse_action(position, turned if turned in legal else text)

    def state_text(self, position: Position) -> str:
        """The rows of lines, horizontal and vertical in turn, 1 if drawn; the rows of owners; who is to move."""
        lines = []
        for row in range(self.rows + 1):
            lines.append(self._bits(position.lines >> row * self.columns, self.columns))
            if row < self.rows:
                upright = position.lines >> self.level + row * (self.columns + 1)
                lines.append(self._bits(upright, self.columns + 1))
        owners = "".join(self.owner(position, box) for box in range(self.boxes))
        rows = [owners[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]
        return f"{'/'.join(lines)} {'/'.join(rows)} {position.turn}"

    def parse_state(self, text: str) -> Position:
        parts = text.split()
        example = f"such as {self.state_text(self.initial_state())}"
        if len(parts) != 3:
            raise RulesError(f"{text!r}: {len(parts)} parts, not lines, owners and who is to move; {example}")
        widths = [self.columns + row % 2 for row in range(2 * self.rows + 1)]
        drawn = self._rows_of(text, "lines", parts[0], widths, "01", example)
        owners = "".join(self._rows_of(text, "owners", parts[1], [self.columns] * self.rows, "01.", example))
        if parts[2] not in ("0", "1"):
            raise RulesError(f"{text!r}: {parts[2]!r} is to move, but the players are 0 and 1; {example}")
        in_order = "".join(drawn[::2]) + "".join(drawn[1::2])
        lines = sum(1 << line for line, mark in enumerate(in_order) if mark == "1")
        for box, owner in enumerate(owners):
            if (self.missing(lines, box) == 0) != (owner != "."):
                place = f"box {box % self.columns + 1} of row {box // self.columns + 1}"
                problem = "has no owner" if owner == "." else "has an owner, but not all sides"
                raise RulesError(f"{text!r}: {place} {problem}")
        owned = sum(1 << box for box, owner in enumerate(owners) if owner == "0")
        return Position(lines, owned, owners.count("0") - owners.count("1"), int(parts[2]))

    def _bits(self, lines: int, width: int) -> str:
        return "".join(str(lines >> place & 1) for place in range(width))

    def _rows_of(self, text: str, name: str, part: str, widths: list[int], marks: str, example: str) -> list[str]:
        rows = part.split("/")
        if len(rows) != len(widths):
            raise RulesError(f"{text!r}: {len(rows)} rows of {name}, but there are {len(widths)}; {example}")
        for number, (row, width) in enumerate(zip(rows, widths, strict=True), start=1):
            if len(row) != width or set(row) - set(marks):
                raise RulesError(
                    f"{text!r}: row {number} of {name}, {row!r}: expected {width} signs, each one of {', '.join(marks)}"
                )
        return rows

    def _sides(self) -> NDArray[np.int64]:
        sides = []
        for box in range(self.boxes):
            left = self.level + box + box // self.columns  # a row has one more vertical line than boxes
            sides.append(1 << box | 1 << box + self.columns | 1 << left | 1 << left + 1)
        return np.array(sides, np.int64)

    def _beside(self) -> NDArray[np.int64]:
        beside = np.full((self.number, 2), -1, np.int64)
        for line in range(self.number):
            boxes = [box for box in range(self.boxes) if self.sides[box] >> line & 1]
            beside[line, : len(boxes)] = boxes
        return beside

    def _images(self) -> NDArray[np.int64]:
        level = np.arange(self.level).reshape(self.rows + 1, self.columns)
        upright = np.arange(self.level, self.number).reshape(self.rows, self.columns + 1)
        pairs = [(level, upright)]
        pairs += [(a[:, ::-1], b[:, ::-1]) for a, b in pairs]
        pairs += [(a[::-1], b[::-1]) for a, b in pairs]
        if self.rows == self.columns:
            pairs += [(b.T, a.T) for a, b in pairs]
        images = [np.concatenate([a.ravel(), b.ravel()]) for a, b in pairs]
        return np.array(images * (8 // len(images)), np.int64)

    def _box_images(self) -> NDArray[np.int64]:
        boxes = np.arange(self.boxes).reshape(self.rows, self.columns)
        images = [boxes, boxes[:, ::-1]]
        images += [image[::-1] for image in images]
        if self.rows == self.columns:
            images += [image.T for image in images]
        return np.array([image.ravel() for image in images] * (8 // len(images)), np.int64)
