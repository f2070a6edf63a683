"""m,n,k-games: k in a row win, as in tic-tac-toe and five in a row.

The board has m columns and n rows. Two players in turn mark an empty square. The first to have k marks in a row,
vertically, horizontally or diagonally, wins; a full board without such a row is a draw. More than k in a row win too,
unless `exactly` is set. With `gravity`, players choose a column and the mark falls to the lowest empty square in it, as
in Connect Four. Gomoku is the game of five in a row on a large board.

Squares are numbered row by row from the bottom left corner, and named as on a chess board. With m = 4 and n = 3:

    3   8  9 10 11
    2   4  5  6  7
    1   0  1  2  3
        a  b  c  d

A line is a place for a row: k consecutive squares. A state counts the marks of every line and keeps values that depend
on these counts, since a mark changes only the few lines through its square.

Three or more players play by the same rules, and the player who completes a row gets one from each of the others. Their
states hold no counts: `ManyPlayerMNK`. The common part of both games is `RowGame`.
"""

from abc import abstractmethod
from collections.abc import Mapping
from random import Random
from string import ascii_lowercase
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import switch, whole_number
from outplay.games._pictures import STONES, grid, outcome, turn_line
from outplay.rules.board import Picture, Piece, point_board, square_board
from outplay.rules.game import Game

DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Right and up to the next square of a horizontal, a vertical and the two diagonal rows."""


MIXED = 127
"""Instead of a count: a line with marks of both players, which nobody can fill any more."""


class Board(NamedTuple):
    """The marks on the board, and the last of them, the only one that can have completed a row."""

    marks: NDArray[np.int8]  # int8 [m * n]: 0 empty, 1 player 0, 2 player 1
    filled: int  # the number of marks
    last: int  # the square of the last mark; -1 before the first
    counts: NDArray[np.int8]  # int8 [lines]: marks of player 0; below zero, of player 1; MIXED, of both
    points: tuple[int, int]  # the worth of the lines that each player can still fill
    threats: tuple[int, int]  # the number of lines that each player can fill with one mark
    hash: int  # of all marks: the exclusive or of a random number for each


class RowGame(Game):
    """The common part of m,n,k-games for two and for many players: the board, its lines, and complete rows.

    A state has `marks`, `filled` and `last`; a subclass adds the rest and the players.
    """

    def __init__(self, m: int, n: int, k: int, gravity: bool, exactly: bool) -> None:
        self.m = whole_number("m", m, 1, 26)
        self.n = whole_number("n", n, 1, 26)
        self.k = whole_number("k", k, 1, max(m, n))
        self.gravity = switch("gravity", gravity)
        self.exactly = switch("exactly", exactly)
        self.lines = self._lines()  # int64 [lines, k]: the squares of every line
        self.through = self._through()  # int64 [m * n, most]: the lines through every square, then -1
        self.images = self._images()  # int64 [8, m * n]: the square that each square becomes
        self.worth = np.array([4**marks for marks in range(k + 1)])  # int64 [k + 1]: of a line by its number of marks

    def actions(self, board: Any) -> NDArray[np.int64]:
        top = board.marks[-self.m :]
        free = np.flatnonzero((top if self.gravity else board.marks) == 0)
        return free[:0] if self.has_row(board) else free

    def observation(self, board: Any, player: int) -> NDArray[np.float32]:
        """The marks of each player, `player` first, as planes from the top down, and whether the player is to move."""
        planes = np.zeros((self.players + 1, self.n, self.m), np.float32)
        for square in range(self.m * self.n):
            mark = int(board.marks[square])
            if mark > 0:
                seat = (mark - 1 - player) % self.players
                planes[seat, self.n - 1 - square // self.m, square % self.m] = 1
        planes[self.players] = 1 if board.filled % self.players == player else 0
        return planes

    def square(self, board: Any, action: int) -> int:
        """The square that `action` marks."""
        square = int(action)
        if self.gravity:
            while board.marks[square] != 0:
                square += self.m
        return square

    def is_terminal(self, board: Any) -> bool:
        return board.filled == self.m * self.n or self.has_row(board)

    def has_row(self, board: Any) -> bool:
        """Whether the last mark is one of k in a row."""
        return board.last >= 0 and self.completes(board.marks, board.last, board.marks[board.last])

    def completes(self, marks: NDArray[np.int8], square: int, mark: int) -> bool:
        """Whether `mark` on this square is one of k in a row."""
        for right, up in DIRECTIONS:
            in_row = 1
            for way in (-1, 1):
                column, row = square % self.m + way * right, square // self.m + way * up
                while 0 <= column < self.m and 0 <= row < self.n:
                    if marks[row * self.m + column] != mark:
                        break
                    in_row += 1
                    column, row = column + way * right, row + way * up
            if in_row == self.k or (in_row > self.k and not self.exactly):
                return True
        return False

    def symmetries(self, board: Any) -> tuple[Any, ...]:
        """The board turned and mirrored in all eight ways; some are repeated if it is not square or has gravity."""
        return (
            board,
            self.image(board, 1),
            self.image(board, 2),
            self.image(board, 3),
            self.image(board, 4),
            self.image(board, 5),
            self.image(board, 6),
            self.image(board, 7),
        )

    def render(self, board: Any) -> str:
        symbols = ["." if mark == 0 else self.player_marks[mark - 1] for mark in board.marks]
        rows = [[row + 1, *symbols[row * self.m : (row + 1) * self.m]] for row in reversed(range(self.n))]
        names: list[object] = ["", *ascii_lowercase[: self.m]]
        if self.gravity:
            rows, names = [row[1:] for row in rows], [*range(1, self.m + 1)]
        return f"{grid([*rows, names])}\n{outcome(self, board, self.player_marks)}"

    def picture(self, board: Any) -> Picture:
        marks = tuple(Piece(mark, player) for player, mark in enumerate(self.player_marks))
        pieces = {square: marks[mark - 1] for square, mark in enumerate(board.marks.tolist()) if mark}
        text = [turn_line(self, board, self.player_marks, marks)]
        letters, numbers = ascii_lowercase[: self.m], range(1, self.n + 1)
        if self.gravity:
            return square_board(self.n, self.m, pieces, text, bottom_first=True, column_names=range(1, self.m + 1))
        return square_board(self.n, self.m, pieces, text, bottom_first=True, row_names=numbers, column_names=letters)

    def action_cells(self, board: Any, action: int) -> tuple[int]:
        return (self.square(board, action),)

    def action_name(self, board: Any, action: int) -> str:
        if self.gravity:
            return str(action + 1)
        return f"{ascii_lowercase[action % self.m]}{action // self.m + 1}"

    def parse_action(self, board: Any, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        return super().parse_action(board, text.strip().lower())

    def _lines(self) -> NDArray[np.int64]:
        lines = []
        for right, up in DIRECTIONS:
            for first in range(self.m * self.n):
                column, row = first % self.m + (self.k - 1) * right, first // self.m + (self.k - 1) * up
                if 0 <= column < self.m and 0 <= row < self.n:
                    lines.append([first + i * (up * self.m + right) for i in range(self.k)])
            if self.k == 1:
                break
        return np.array(lines, np.int64)

    def _through(self) -> NDArray[np.int64]:
        through: list[list[int]] = [[] for _ in range(self.m * self.n)]
        for number, line in enumerate(self.lines):
            for square in line:
                through[square].append(number)
        most = max(map(len, through))
        return np.array([lines + [-1] * (most + 1 - len(lines)) for lines in through], np.int64)

    def _images(self) -> NDArray[np.int64]:
        board = np.arange(self.m * self.n, dtype=np.int64).reshape(self.n, self.m)
        images = [board, board[:, ::-1]]
        if not self.gravity:
            images += [image[::-1] for image in images]
            if self.m == self.n:
                images += [image.T for image in images]
        return np.array([image.ravel() for image in images] * (8 // len(images)))

    @abstractmethod
    def image(self, board: Any, number: int) -> Any:
        """The board under one of its symmetries."""


class MNK(RowGame):
    """The m,n,k-game on a board of m columns and n rows, with or without gravity.

    >>> game = MNK(4, 3, 3)
    >>> board = game.initial_state()
    >>> for square in "b2", "c1", "a1":
    ...     board = game.result(board, game.parse_action(board, square))
    >>> print(game.render(board))
    3 . . . .
    2 . X . .
    1 X . O .
      a b c d
    O to move
    """

    utilities = (-1, 1)

    def __init__(self, m: int = 3, n: int = 3, k: int = 3, gravity: bool = False, exactly: bool = False) -> None:
        super().__init__(m, n, k, gravity, exactly)
        self.feature_names = tuple(f"lines_{marks}" for marks in range(1, k))
        self.forced_result_depth = (2, 1) if gravity else (2, 3)
        self.line_images = self._line_images()  # int64 [8, lines]: the line that each line becomes
        dice = Random(0)  # noqa: S311 - any numbers will do, but always the same ones
        self.codes = np.array([[dice.getrandbits(63) for _ in range(m * n)] for _ in range(2)])  # int64 [2, m * n]

    def initial_state(self) -> Board:
        lines = len(self.lines)
        threats = lines if self.k == 1 else 0
        return Board(
            np.zeros(self.m * self.n, np.int8), 0, -1, np.zeros(lines, np.int8), (lines, lines), (threats, threats), 0
        )

    def to_move(self, board: Board) -> int:
        return board.filled % 2

    def result(self, board: Board, action: int) -> Board:
        square, player = self.square(board, action), board.filled % 2
        marks, counts = board.marks.copy(), board.counts.copy()
        marks[square] = 1 + player
        mine, theirs = board.points[player], board.points[1 - player]
        my_threats, their_threats = board.threats[player], board.threats[1 - player]
        one = 1 - 2 * player  # what a mark of `player` adds to a count
        for line in self.through[square]:
            if line < 0:
                break
            if counts[line] == MIXED:
                continue
            own = int(counts[line]) * one
            if own <= 0:  # the opponent cannot fill it any more
                theirs -= int(self.worth[-own])
                their_threats -= int(own == 1 - self.k)
            if own >= 0:
                counts[line] += one
                mine += int(self.worth[own + 1] - self.worth[own])
                my_threats += int(own == self.k - 2) - int(own == self.k - 1)
            else:
                counts[line] = MIXED
        points, threats = (mine, theirs), (my_threats, their_threats)
        if player == 1:
            points, threats = (theirs, mine), (their_threats, my_threats)
        hash_ = board.hash ^ int(self.codes[player, square])
        return Board(marks, board.filled + 1, square, counts, points, threats, hash_)

    def utility(self, board: Board, player: int) -> int:
        if not self.has_row(board):
            return 0
        return -1 if self.to_move(board) == player else 1

    def evaluate(self, board: Board, player: int) -> float:
        """Compares the lines that each player can still fill; every mark in a line makes it worth four times more."""
        mine, theirs = float(board.points[player]), float(board.points[1 - player])
        return (mine - theirs) / (mine + theirs + 1)

    def features(self, board: Board) -> NDArray[np.int64]:
        """The lead in lines with one mark, two, …, all of one player: int64 [k - 1]."""
        open_lines, one = np.zeros(self.k - 1, np.int64), 1 - 2 * (board.filled % 2)
        for marks in board.counts:
            if marks != MIXED and 0 < abs(int(marks)) < self.k:
                open_lines[abs(int(marks)) - 1] += one if marks > 0 else -one
        return open_lines

    def order(self, board: Board, action: int) -> float:
        """The worth of the lines through the square, for either player, then its distance to the centre."""
        square = self.square(board, action)
        worth = 0
        for line in self.through[square]:
            if line < 0:
                break
            if board.counts[line] != MIXED:
                worth += self.worth[abs(int(board.counts[line]))]
        sideways = abs(2 * (square % self.m) - self.m + 1)
        upwards = 0 if self.gravity else abs(2 * (square // self.m) - self.n + 1)
        return float(worth) - (sideways + upwards) / 64

    def winning_squares(self, board: Board, player: int) -> tuple[int, int]:
        """Two squares that `player` could mark now to complete a row; -1 for missing ones."""
        first = -1
        if board.threats[player] > 0:
            one = 1 - 2 * player
            for line in range(len(self.lines)):
                if board.counts[line] == one * (self.k - 1):
                    for square in self.lines[line]:
                        if board.marks[square] == 0 and square != first and self.is_winning(board, square, player):
                            if first >= 0:
                                return first, int(square)
                            first = int(square)
        return first, -1

    def is_winning(self, board: Board, square: int, player: int) -> bool:
        """Whether `player` could mark this empty square now and complete a row."""
        falls = not self.gravity or square < self.m or board.marks[square - self.m] != 0
        return falls and self.completes(board.marks, square, 1 + player)

    def forced_result(self, board: Board) -> tuple[int, int]:
        """A win now; or a loss in two, if one mark cannot answer all threats."""
        player = board.filled % 2
        if self.winning_squares(board, player)[0] >= 0:
            return 1, 1
        first, second = self.winning_squares(board, 1 - player)
        if second >= 0:
            return -1, 2
        if self.gravity and first >= 0:
            above = first + self.m  # the square the opponent gets once the threat is answered
            if above < len(board.marks) and self.completes(board.marks, above, 2 - player):
                return -1, 2
        return 0, 0

    def candidates(self, board: Board) -> NDArray[np.int64]:
        """The answer to a threat; if there is none, all actions."""
        square = self.winning_squares(board, 1 - board.filled % 2)[0]
        return np.array([square % self.m if self.gravity else square]) if square >= 0 else self.actions(board)

    def needs_extension(self, board: Board) -> bool:
        """Whether the opponent threatens to complete a row; with gravity an extension does not pay off."""
        return not self.gravity and board.threats[1 - board.filled % 2] > 0

    def key(self, board: Board) -> int:
        return board.hash

    def image(self, board: Board, number: int) -> Board:
        """The board under one of its symmetries."""
        becomes = self.images[number]
        marks, counts, hash_ = np.empty_like(board.marks), np.empty_like(board.counts), 0
        marks[becomes] = board.marks
        counts[self.line_images[number]] = board.counts
        for square in np.flatnonzero(marks):
            hash_ ^= int(self.codes[marks[square] - 1, square])
        last = int(becomes[board.last]) if board.last >= 0 else -1
        return Board(marks, board.filled, last, counts, board.points, board.threats, hash_)

    def _line_images(self) -> NDArray[np.int64]:
        numbers = {frozenset(line.tolist()): number for number, line in enumerate(self.lines)}
        return np.array([[numbers[frozenset(image[line].tolist())] for line in self.lines] for image in self.images])


class Marks(NamedTuple):
    """The marks of many players on the board, and the last of them."""

    marks: NDArray[np.int8]  # int8 [m * n]: 0 empty, 1 player 0, 2 player 1, …
    filled: int  # the number of marks
    last: int  # the square of the last mark; -1 before the first


class ManyPlayerMNK(RowGame):
    """The m,n,k-game for 2 to 8 players, who mark squares in turn; the winner gets one from each of the others.

    >>> game = ManyPlayerMNK(4, 3, 3)
    >>> board = game.initial_state()
    >>> for square in "b2", "c1", "a1", "c3":
    ...     board = game.result(board, game.parse_action(board, square))
    >>> print(game.render(board))
    3 . . X .
    2 . X . .
    1 Y . O .
      a b c d
    O to move
    """

    player_marks = ("X", "O", "Y", "Z", "A", "B", "C", "D")

    def __init__(
        self, m: int = 3, n: int = 3, k: int = 3, players: int = 3, gravity: bool = False, exactly: bool = False
    ) -> None:
        super().__init__(m, n, k, gravity, exactly)
        self.players = whole_number("players", players, 2, 8)
        self.utilities = (-1, players - 1)

    def initial_state(self) -> Marks:
        return Marks(np.zeros(self.m * self.n, np.int8), 0, -1)

    def to_move(self, board: Marks) -> int:
        return board.filled % self.players

    def result(self, board: Marks, action: int) -> Marks:
        square, marks = self.square(board, action), board.marks.copy()
        marks[square] = 1 + self.to_move(board)
        return Marks(marks, board.filled + 1, square)

    def utility(self, board: Marks, player: int) -> int:
        if not self.has_row(board):
            return 0
        return self.players - 1 if board.marks[board.last] == 1 + player else -1

    def evaluate(self, board: Marks, player: int) -> float:
        """The share of `player` in the points of all; each mark in a line with only one player's multiplies it by 4."""
        mine, all_ = 1.0, float(self.players)
        for line in range(len(self.lines)):
            mark, marks = self.fill(board, line)
            if mark > 0:
                all_ += self.worth[marks]
                mine += self.worth[marks] if mark == 1 + player else 0
        return self.players * mine / all_ - 1

    def fill(self, board: Marks, line: int) -> tuple[int, int]:
        """Whose marks a line holds, 0 for nobody's and -1 for more than one player's; and how many."""
        mark, marks = 0, 0
        for square in self.lines[line]:
            if board.marks[square] != 0:
                if 0 < mark != board.marks[square]:
                    return -1, 0
                mark = int(board.marks[square])
                marks += 1
        return mark, marks

    def order(self, board: Marks, action: int) -> float:
        """The worth of the lines through the square, for any player; lines that the mover can complete count twice."""
        worth, mover = 0, 1 + self.to_move(board)
        for line in self.through[self.square(board, action)]:
            if line < 0:
                break
            mark, marks = self.fill(board, line)
            if mark >= 0:
                worth += self.worth[marks] * (2 if mark == mover and marks == self.k - 1 else 1)
        return float(worth)

    def key(self, board: Marks) -> NDArray[np.int8]:
        """The marks; whose turn it is follows from their number."""
        return board.marks

    def image(self, board: Marks, number: int) -> Marks:
        becomes, marks = self.images[number], np.empty_like(board.marks)
        marks[becomes] = board.marks
        return Marks(marks, board.filled, int(becomes[board.last]) if board.last >= 0 else -1)


class TicTacToe(MNK):
    """Tic-tac-toe, or noughts and crosses: three in a row on a board of 3 x 3 squares.

    >>> print(TicTacToe().render(TicTacToe().initial_state()))
    3 . . .
    2 . . .
    1 . . .
      a b c
    X to move
    """

    feature_weights: ClassVar[Mapping[str, Mapping[str, float]]] = {"textbook": {"lines_1": 1, "lines_2": 3}}

    def __init__(self) -> None:
        super().__init__(3, 3, 3)


class Gomoku(MNK):
    """Gomoku: five in a row on a square board; with `exactly` more than five do not win.

    >>> game = Gomoku()
    >>> board = game.initial_state()
    >>> for square in "h8", "i9", "h9":
    ...     board = game.result(board, game.parse_action(board, square))
    >>> for row in game.render(board).splitlines()[6:9]:
    ...     print(row)
     9 . . . . . . . X O . . . . . .
     8 . . . . . . . X . . . . . . .
     7 . . . . . . . . . . . . . . .
    """

    def __init__(self, size: int = 15, exactly: bool = False) -> None:
        super().__init__(whole_number("size", size, 5, 26), size, 5, exactly=exactly)

    def picture(self, board: Board) -> Picture:
        """Black and white stones on points, as the game is usually played."""
        pieces = {point: STONES[mark - 1] for point, mark in enumerate(board.marks.tolist()) if mark}
        names = "black", "white"
        return point_board(
            self.n, self.m, pieces, [turn_line(self, board, names, STONES)], bottom_first=True,
            row_names=range(1, self.n + 1), column_names=ascii_lowercase[: self.m], colours=names,
        )  # fmt: skip
