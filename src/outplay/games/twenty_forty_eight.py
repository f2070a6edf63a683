"""2048: slide the tiles of a 4 x 4 board; equal ones merge, and the score is the sum of the tiles made by merging.

One player slides all tiles up, right, down or left as far as they go. Two tiles of the same number that meet merge into
one with their sum, which is added to the score. A tile made by merging does not merge again in the same move, and of
three in a row the two in front merge. After each move, which must change something, chance puts a tile on an empty
square: a 2 with probability 0.9, a 4 with 0.1. The game starts with two such tiles. It is over when no move changes
anything. Gabriele Cirulli, 2014.

The board is one signed int of 64 bits, four bits for each square: 0 for empty, r for the tile 2^r. Two tiles of 32768,
the greatest that four bits hold, do not merge. The numbers of the squares, with square i in the bits from 4 * i on:

     0  1  2  3      up: action 0
     4  5  6  7      right: 1
     8  9 10 11      down: 2
    12 13 14 15      left: 3

A row is 16 bits, and a table of 65,536 entries holds the result of a move for each row. A column is a row of the board
mirrored in the diagonal from square 0 to square 15.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.bits import count, shift
from outplay.rules.board import Picture, Piece, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game

DIRECTIONS = ("up", "right", "down", "left")
GREATEST = 15
"""The exponent of the greatest tile."""
MAX_POINTS = 4_000_000
"""More than the score of any game: 3,932,100, if the greatest tile were 131072."""
RANKS = {str(1 << rank): rank for rank in range(1, GREATEST + 1)}
TILES = (
    "white", "white", "yellow", "orange", "orange", "red", "red", "purple", "purple", "green", "green", "blue", "blue",
    "black", "black",
)  # fmt: skip
"""The colours of tiles on a board, from 2 on."""
PLACES = np.arange(0, 16, 4)
"""The lowest bits of the four squares of a row."""
NIBBLES = 0x1111_1111_1111_1111
"""The lowest bit of each square."""
ONE_FOUR = 0.1
"""The probability that chance puts down a 4, not a 2."""

# The squares that keep their place when the board is mirrored, as signed ints; the others are shifted between them.
DIAGONAL = shift(0xF0F0_0F0F_F0F0_0F0F, 0)
BLOCKS = shift(0xFF00_FF00_00FF_00FF, 0)


class Board(NamedTuple):
    """The tiles, the points so far, and how many tiles chance has to put down before the player moves."""

    tiles: int  # 16 x 4 bits
    score: int
    coming: int


class TwentyFortyEight(Game):
    """2048, for one player against chance; the utility is the score.

    >>> game = TwentyFortyEight()
    >>> board = game.parse_state("2,2,4,8/0,0,0,8/0,0,0,0/0,0,0,2")
    >>> board = game.result(board, game.parse_action(board, "left"))
    >>> print(game.render(board))
    +------+------+------+------+
    |    4 |    4 |    8 |      |
    +------+------+------+------+
    |    8 |      |      |      |
    +------+------+------+------+
    |      |      |      |      |
    +------+------+------+------+
    |    2 |      |      |      |
    +------+------+------+------+
    score 4, a tile is coming
    >>> game.state_text(game.result(board, game.parse_action(board, "2:d1")))
    '4,4,8,0/8,0,0,0/0,0,0,0/2,0,0,2 4 0'
    """

    players = 1
    zero_sum = False
    feature_names = ("score", "empty", "merges", "disorder")

    def __init__(self) -> None:
        # For each row, a number from 0 to 65535: int [65536]. "Left" is towards the lowest bits.
        rows = np.arange(1 << 16)
        ranks = rows[:, None] >> PLACES & 15  # [65536, 4]
        slid, points, merges = slide(ranks)
        self.left = (slid << PLACES).sum(axis=1).astype(np.uint16)
        self.right = (slide(ranks[:, ::-1])[0][:, ::-1] << PLACES).sum(axis=1).astype(np.uint16)
        self.points = points.astype(np.int32)
        left, right = self.left != rows, self.right != rows
        self.ways = np.array([right << 1 | left << 3, left | right << 2], np.uint8)  # [2, 65536]: of a row, of a column
        steps = np.diff(ranks**4, axis=1)
        self.disorder = np.minimum(steps.clip(min=0).sum(axis=1), -steps.clip(max=0).sum(axis=1)).astype(np.int32)
        promise = 2500 + 10 * (ranks == 0).sum(axis=1) + 40 * merges - self.disorder // 5
        self.merges = merges.astype(np.int32)
        self.promise = promise.astype(np.int32)

    def initial_state(self) -> Board:
        return Board(0, 0, 2)

    def to_move(self, board: Board) -> int:
        return CHANCE if board.coming else 0

    def actions(self, board: Board) -> int:
        """The directions that change something; for chance, 4 * square for a 2 and 4 * square + 1 for a 4."""
        if board.coming:
            empty = self.empty(board)
            return empty | empty << 1
        tiles, columns = board.tiles, self.mirrored(board.tiles)
        ways = 0
        for place in range(0, 64, 16):
            ways |= int(self.ways[0, tiles >> place & 0xFFFF]) | int(self.ways[1, columns >> place & 0xFFFF])
        return ways

    def result(self, board: Board, action: int) -> Board:
        if board.coming:
            rank, place = 1 + action % 4, action - action % 4
            return Board(board.tiles | shift(rank, place), board.score, board.coming - 1)
        is_upright = action % 2 == 0
        tiles = self.mirrored(board.tiles) if is_upright else board.tiles
        slid, points = 0, 0
        for place in range(0, 64, 16):
            row = tiles >> place & 0xFFFF
            slid |= shift(int(self.left[row] if action % 3 == 0 else self.right[row]), place)  # up as left
            points += int(self.points[row])
        return Board(self.mirrored(slid) if is_upright else slid, board.score + points, 1)

    def is_terminal(self, board: Board) -> bool:
        """A board with an empty square always has a move, since some tile is next to one."""
        return board.coming == 0 and self.empty(board) == 0 and self.actions(board) == 0

    def utility(self, board: Board, player: int) -> int:
        return board.score

    def probability(self, board: Board, action: int) -> float:
        """Every empty square is equally likely."""
        return (ONE_FOUR if action % 4 else 1 - ONE_FOUR) / count(self.empty(board))

    def evaluate(self, board: Board, player: int) -> float:
        """The score, plus an estimate from the rows and columns of what is still to come.

        Each row and column counts 2500 points, plus some for empty squares and merges, minus a fifth of its disorder;
        the sum is at least 0. It decreases towards the end of the game. The kinds of terms are those of Robert Xiao's
        program ("nneonneo/2048-ai", 2014); the numbers were found by experiments.
        """
        return float(board.score + max(0, self.sum(self.promise, board)))

    def order(self, board: Board, action: int) -> float:
        return self.evaluate(self.result(board, action), 0)

    def features(self, board: Board) -> tuple[int, int, int, int]:
        """The score, and the terms of `evaluate`."""
        empty = count(self.empty(board))
        return board.score, empty, self.sum(self.merges, board), self.sum(self.disorder, board)

    def symmetries(self, board: Board) -> tuple[Board, ...]:
        """The board turned and mirrored in all eight ways."""
        _, score, coming = board
        one, two = board.tiles, self.mirrored(board.tiles)
        three, four = self.upside_down(one), self.upside_down(two)
        five, six = self.mirrored(three), self.mirrored(four)
        seven, eight = self.upside_down(five), self.upside_down(six)
        return (
            board,
            Board(two, score, coming),
            Board(three, score, coming),
            Board(four, score, coming),
            Board(five, score, coming),
            Board(six, score, coming),
            Board(seven, score, coming),
            Board(eight, score, coming),
        )

    # -- the bits of a board ------------------------------------------------------------------------------------------

    def empty(self, board: Board) -> int:
        """The lowest bit of each empty square."""
        halves = board.tiles | board.tiles >> 2
        return ~(halves | halves >> 1) & NIBBLES

    def mirrored(self, tiles: int) -> int:
        """The board with rows and columns exchanged: in each block of 2 x 2 squares, then the blocks themselves."""
        inner = tiles & DIAGONAL | (tiles & 0x0000_F0F0_0000_F0F0) << 12 | tiles >> 12 & 0x0000_F0F0_0000_F0F0
        return inner & BLOCKS | (inner & 0x0000_0000_FF00_FF00) << 24 | inner >> 24 & 0x0000_0000_FF00_FF00

    def upside_down(self, tiles: int) -> int:
        """The board with the top row at the bottom."""
        middle = (tiles & 0xFFFF_0000) << 16 | tiles >> 16 & 0xFFFF_0000
        return middle | shift(tiles, 48) | shift(tiles, -48)

    def sum(self, table: NDArray[np.int32], board: Board) -> int:
        """The sum of the entries of a table for all rows and columns."""
        tiles, columns = board.tiles, self.mirrored(board.tiles)
        sum_ = 0
        for place in range(0, 64, 16):
            sum_ += int(table[tiles >> place & 0xFFFF]) + int(table[columns >> place & 0xFFFF])
        return sum_

    # -- pictures and texts -------------------------------------------------------------------------------------------

    def numbers(self, board: Board) -> list[list[int]]:
        """The tiles in reading order, the top row first; 0 for an empty square."""
        ranks = [board.tiles >> place & 15 for place in range(0, 64, 4)]
        return [[1 << rank if rank else 0 for rank in ranks[i : i + 4]] for i in range(0, 16, 4)]

    def render(self, board: Board) -> str:
        width = max(4, *(len(str(tile)) for row in self.numbers(board) for tile in row))
        frame = ("+" + "-" * (width + 2)) * 4 + "+"
        rows = ["".join(f"| {tile or '':>{width}} " for tile in row) + "|" for row in self.numbers(board)]
        coming = ("", ", a tile is coming", ", two tiles are coming")[board.coming]
        over = ", no move is left" if self.is_terminal(board) else ""
        return "\n".join(
            [frame, *(line for row in rows for line in (row, frame)), f"score {board.score}{coming}{over}"]
        )

    def picture(self, board: Board) -> Picture:
        tiles = [tile for row in self.numbers(board) for tile in row]
        pieces: dict[Any, Piece] = {
            square: Piece(str(tile), tile.bit_length() - 2, "tile") for square, tile in enumerate(tiles) if tile
        }
        coming = ("", "a tile is coming", "two tiles are coming")[board.coming]
        state = "no move is left" if self.is_terminal(board) else coming
        text = [f"score {board.score}", *filter(None, [state])]
        return square_board(4, 4, pieces, text, shade="light", ground="wood", colours=TILES)

    def action_cells(self, board: Board, action: int) -> tuple[int, ...]:
        """Where chance puts a tile; a move of all tiles has no cells."""
        return (action // 4,) if board.coming else ()

    def action_name(self, board: Board, action: int) -> str:
        """The direction; or the new tile, such as `4:b3` for a 4 in the second column and the third row from below."""
        if not board.coming:
            return DIRECTIONS[action]
        row, column = divmod(action // 4, 4)
        return f"{2 << action % 4}:{'abcd'[column]}{4 - row}"

    def parse_action(self, board: Board, text: str) -> int:
        """The action that `text` names, in lower or upper case; for a direction the first letter is enough."""
        text = text.strip().lower()
        if len(text) == 1:
            text = next((name for name in DIRECTIONS if name[0] == text), text)
        return super().parse_action(board, text)

    def state_text(self, board: Board) -> str:
        """The numbers from the top, 0 for an empty square, then the score, and how many tiles are coming."""
        return f"{'/'.join(','.join(map(str, row)) for row in self.numbers(board))} {board.score} {board.coming}"

    def parse_state(self, text: str) -> Board:
        """The board that `text` describes; the score and the tiles to come may be missing, and are 0 then."""
        example = "such as 0,2,0,0/0,0,0,0/0,0,4,0/0,0,0,0 0 0: rows, score, tiles to come"
        squares, *numbers = text.split() or [""]
        rows = [row.split(",") for row in squares.split("/")]
        if [len(row) for row in rows] != [4, 4, 4, 4]:
            raise RulesError(f"{text!r}: not four rows of four numbers; {example}")
        tiles = 0
        for place, word in enumerate(word for row in rows for word in row):
            if word != "0" and word not in RANKS:
                raise RulesError(f"{text!r}: {word!r} is neither 0 nor a tile from 2, 4, 8, … to {1 << GREATEST}")
            tiles |= shift(RANKS.get(word, 0), 4 * place)
        if len(numbers) > 2 or not all(word.isascii() and word.isdigit() and len(word) < 9 for word in numbers):
            raise RulesError(f"{text!r}: after the board come two numbers at most; {example}")
        score, coming = map(int, [*numbers, "0", "0"][:2])
        board = Board(tiles, score, coming)
        if score > MAX_POINTS or score % 2:
            raise RulesError(f"{text!r}: the score {score} is not an even number up to {MAX_POINTS}")
        if coming > 2 or coming > count(self.empty(board)):
            raise RulesError(f"{text!r}: {coming} tiles cannot come; 0, 1 or 2, and no more than squares are empty")
        if tiles == 0 and coming == 0:
            raise RulesError(f"{text!r}: without a tile there is no move; at the start 2 tiles come")
        return board


def slide(ranks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Rows after a move to the left, [rows, 4] by exponents; the points of each, and the number of merged tiles.

    >>> slide(np.array([[1, 0, 1, 3]]))
    (array([[2, 3, 0, 0]]), array([4]), array([1]))
    """
    points = merges = np.zeros(len(ranks), np.int64)
    slid = gathered(ranks)
    for i in range(3):
        nearer, farther = slid[:, i], slid[:, i + 1]
        merge = (nearer == farther) & (nearer > 0) & (nearer < GREATEST)
        slid[:, i] += merge
        farther[merge] = 0
        merges = merges + merge
        points = points + (merge << nearer)
    return gathered(slid), points, merges


def gathered(ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows with the empty squares moved to the end, [rows, 4]."""
    return np.take_along_axis(ranks, np.argsort(ranks == 0, axis=1, kind="stable"), axis=1)
