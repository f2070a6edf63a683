"""Chess, by the Laws of FIDE, and Chess960.

A king that is attacked is in check, and the player must end the check. A player who is in check and has no move is
mated and loses; without a check the game is a draw. It is a draw too when neither side has enough pieces to mate, when
a position occurs for the third time, and after fifty moves of each player without a capture or a pawn's move (the Laws
let a player claim the last two).

A set of squares is one int, bit 8 * row + column, so that a1 is bit 0, h1 is 7 and h8 is 63; with square 63 it is
negative. The attacks of rooks and bishops are looked up line by line: the pieces on the six inner squares of the line,
gathered into one number by a multiplication, determine how far the piece gets (G. Isenberg's "kindergarten bitboards").

An action is `start | end << 6 | promotion << 12`, with promotion 1 to 4 for a knight, bishop, rook or queen. Castling
is the king taking its own rook, which distinguishes all castlings of Chess960 too.

A position keeps the pieces of the player to move apart from the opponent's, and the pieces that give check; the square
for a capture *en passant* is set only if the capture is legal. So two positions are the same for the rule of repetition
if they are equal except for the two counters. `actions` lists the legal moves of any position with two kings, even if
the game has ended in a draw, so that `perft` counts the same as other programs.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from re import compile as pattern
from re import fullmatch
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import whole_number
from outplay.games._pictures import from_below, grid, on_cells, outcome, turn_line
from outplay.games._texts import read_board, write_board
from outplay.rules.bits import count, lowest, shift, single, squares
from outplay.rules.board import Picture, Piece, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game
from outplay.rules.indexing import subset, subset_count, subset_index

COLOURS = ("white", "black")
PIECES = "pnbrqk"
"""The letters of the kinds; capitals are white."""
FIGURES = tuple(f"{figure}\ufe0e" for figure in "♟♞♝♜♛♚")
"""How they are drawn on boards: as text, not as emoji."""
PROMOTIONS = " nbrq"
SQUARE = 63
"""The bits of one square in an action."""
DARK = sum(single(square) for square in range(64) if (square // 8 + square) % 2 == 0)
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
NAMES = [column + row for row in "12345678" for column in "abcdefgh"]
"""The squares by number."""
SAN = pattern(r"([KQRBNP]?)([a-h]?)([1-8]?)[-x:×]?([a-h][1-8])[=/(]?([QRBNqrbn]?)\)?")
"""A move but for castling: the piece, where it starts, where it ends, and what it becomes."""
MARKS = pattern(r"(?:\s*(?:[+#!?]|e\.?p\.?|(?:dbl|dis)?\.?\s*ch(?:eck)?\.?|(?:check)?mate))+$")
"""What is written behind a move: check, mate, en passant, and how good it is."""
FIGURINES = str.maketrans("♔♕♖♗♘♚♛♜♝♞–", "KQRBNKQRBN-", "♙♟\ufe0e\ufe0f")
"""Pieces as pictures, which books have; a pawn has no letter."""
ROWS = tuple(shift(255, 8 * row) for row in range(8))
COLUMN_A = sum(single(8 * row) for row in range(8))
COLUMN_H = shift(COLUMN_A, 7)
LINES = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Right and up along a row, a column, and the two diagonals; rooks move on the first two."""
WORTH = (100, 325, 325, 500, 950, 10000)
"""The worth of pieces in an exchange, by kind."""
MAX_TABLE_PIECES = 5
"""The maximum number of pieces, kings included, for tables by material."""
PAWNS = 15 << 20 | 15
"""The bits of pawns in the number of a class."""
PHASES = (0, 1, 1, 2, 4, 0)
"""The contribution of pieces to the phase of the game, 24 at the start and 0 with only kings and pawns."""
MAX_ACTIONS = 256
"""A number of actions that no position exceeds; the known maximum is 218."""


VALUES = (
    (  # a pawn
        (85, (0, -4, 0, 6, 14, 26, 50, 0), (-8, -3, 0, 8)),
        (105, (0, 0, 4, 12, 26, 52, 95, 0), (2, 2, 0, 0)),
    ),
    (  # a knight
        (325, (-30, -12, 2, 10, 18, 18, 4, -20), (-30, -12, 4, 10)),
        (300, (-25, -10, 0, 10, 12, 8, -8, -25), (-25, -10, 3, 10)),
    ),
    (  # a bishop
        (335, (-12, 4, 6, 6, 6, 4, 0, -8), (-8, 3, 2, 4)),
        (315, (-10, -4, 2, 6, 6, 4, 0, -6), (-8, -2, 2, 6)),
    ),
    (  # a rook
        (480, (0, -6, -6, -4, 0, 4, 20, 8), (-6, 0, 6, 10)),
        (520, (-4, -4, -2, 0, 2, 4, 8, 4), (0, 0, 0, 0)),
    ),
    (  # a queen
        (970, (-4, 2, 2, 0, 0, 2, 2, 4), (-4, 0, 2, 2)),
        (950, (-20, -10, 0, 8, 14, 12, 8, 0), (-15, -4, 5, 12)),
    ),
    (  # the king
        (0, (16, -2, -30, -50, -60, -70, -70, -70), (16, 22, -6, -14)),
        (0, (-35, -15, 2, 14, 22, 22, 10, -10), (-22, -6, 6, 14)),
    ),
)
"""By kind, for the start and the end of the game: the value of a piece in hundredths of a pawn, what each row adds,
counted from the player's own side, and what a column adds, from the edge to the middle."""


class Position(NamedTuple):
    """The pieces by kind and by owner, and everything else the rules depend on."""

    pawns: int  # sets of squares
    knights: int
    bishops: int
    rooks: int
    queens: int
    kings: int
    mine: int  # set of squares: pieces of the player to move
    theirs: int  # set of squares: pieces of the other player
    turn: int
    castling: int  # set of squares: rooks that may still castle
    passing: int  # the square where a pawn may legally be captured en passant; -1 if there is none
    idle: int  # plies since the last capture or pawn's move
    number: int  # the number of the move: 1, and 1 more after each of black's
    checkers: int  # set of squares: pieces of the other player that give check


class Tables(NamedTuple):
    """The attacks of pieces: sets of squares as int64, by square."""

    knight: NDArray[np.int64]  # [64]
    king: NDArray[np.int64]  # [64]
    pawn: NDArray[np.int64]  # [player, 64]
    inner: NDArray[np.int64]  # [line, 64]: the squares of the line that can block it
    gather: NDArray[np.int64]  # [line, 64]: the multiplier that brings them to the upper six bits
    reach: NDArray[np.int64]  # [line, 64, 64]: the attacked squares, by those six bits
    between: NDArray[np.int64]  # [64, 64]: the squares between two squares
    through: NDArray[np.int64]  # [64, 64]: the whole line through two squares


class Chess(Game):
    """Chess; `start` is the number of a position of Chess960 by Scharnagl's scheme, in which 518 is the usual one.

    >>> game = Chess()
    >>> position = game.initial_state()
    >>> for move in "e4", "e5", "Nf3":
    ...     position = game.result(position, game.parse_action(position, move))
    >>> print(game.render(position))
    8 r n b q k b n r
    7 p p p p . p p p
    6 . . . . . . . .
    5 . . . . p . . .
    4 . . . . P . . .
    3 . . . . . N . .
    2 P P P P . P P P
    1 R N B Q K B . R
      a b c d e f g h
    black to move
    >>> game.state_text(position)
    'rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2'
    """

    player_marks = ("PNBRQK", "pnbrqk")
    perft_past_end = True
    utilities = (-1, 1)
    repetition = "draw"
    repetitions = 3
    feature_names = ("pawns", "knights", "bishops", "rooks", "queens", "bishop_pair", "mobility", "tapered")
    feature_weights: ClassVar[Mapping[str, Mapping[str, float]]] = {
        "material": {"pawns": 1, "knights": 3, "bishops": 3, "rooks": 5, "queens": 9}
    }

    def __init__(self, start: int = 518) -> None:
        self.start = whole_number("start", start, 0, 959)
        self.knight, self.king, self.pawn, self.inner, self.gather, self.reach, self.between, self.through = tables()
        self.middle, self.end = values(0), values(1)
        self.turned, self.pair, self.kings = king_pairs()
        row = first_row(self.start)
        self.first = self.parse_state(f"{row}/pppppppp/8/8/8/8/PPPPPPPP/{row.upper()} w KQkq - 0 1")

    # -- the rules --------------------------------------------------------------------------------------------------

    def initial_state(self) -> Position:
        return self.first

    def to_move(self, position: Position) -> int:
        return position.turn

    def is_terminal(self, position: Position) -> bool:
        return position.idle >= 100 or self.is_bare(position) or not self.can_move(position)

    def utility(self, position: Position, player: int) -> int:
        if position.checkers == 0 or self.can_move(position):
            return 0
        return -1 if position.turn == player else 1

    def key(self, position: Position) -> tuple[int, int, int, int, int, int, int, int, int, int]:
        """The position, with `idle` only in the last 20 plies before it makes a draw.

        With the count, a state could never occur again, and the rule of repetition would have no effect.
        """
        place = position.passing + 1 | position.turn << 7 | max(0, position.idle - 80) << 8
        return (*position[:8], position.castling, place)

    def result(self, position: Position, action: int) -> Position:
        start, end, promotion = action & SQUARE, action >> 6 & SQUARE, action >> 12
        mine, theirs, turn, ahead = position.mine, position.theirs, position.turn, 8 - 16 * position.turn
        moved, target = single(start), single(end)
        is_pawn, is_king = position.pawns & moved != 0, position.kings & moved != 0
        castling, idle, passing = position.castling & ~(moved | target), position.idle + 1, -1
        pawns, knights, bishops, rooks, queens, kings = position[:6]
        if target & mine:  # castling
            row, is_right = start & 56, end > start
            rook, king = single(row + (5 if is_right else 3)), single(row + (6 if is_right else 2))
            rooks, kings = rooks & ~target | rook, kings & ~moved | king
            mine = mine & ~(moved | target) | rook | king
        else:
            if is_pawn or theirs & target:
                idle = 0
            if is_pawn and end == position.passing:
                pawns &= ~single(end - ahead)
                theirs &= ~single(end - ahead)
            mine, theirs = mine & ~moved | target, theirs & ~target
            pawns, knights, bishops = (
                relocated(pawns, moved, target),
                relocated(knights, moved, target),
                relocated(bishops, moved, target),
            )
            rooks, queens, kings = (
                relocated(rooks, moved, target),
                relocated(queens, moved, target),
                relocated(kings, moved, target),
            )
            if promotion:
                pawns &= ~target
                if promotion == 1:
                    knights |= target
                elif promotion == 2:
                    bishops |= target
                elif promotion == 3:
                    rooks |= target
                else:
                    queens |= target
        if is_king:
            castling &= ~position.mine
        after = Position(
            pawns, knights, bishops, rooks, queens, kings, theirs, mine, 1 - turn, castling, -1, idle,
            position.number + turn, 0,
        )  # fmt: skip
        if is_pawn and end - start == 2 * ahead and self.passes(after, start + ahead):
            passing = start + ahead
        checkers = self.attackers(after, lowest(kings & theirs), theirs | mine)
        return Position(
            pawns, knights, bishops, rooks, queens, kings, theirs, mine, 1 - turn, castling, passing, idle,
            position.number + turn, checkers,
        )  # fmt: skip

    def action_limit(self) -> int:
        return 5 << 12

    def observation(self, position: Position, player: int) -> NDArray[np.float32]:
        """Planes from the eighth rank down: the pawns, knights, bishops, rooks, queens and kings of the player, those
        of the opponent, the rooks that may castle, the square of an en passant, the seat, whether the player is to
        move, and the part of 50 moves without a capture or a pawn's move.
        """
        planes = np.zeros((17, 8, 8), np.float32)
        mine = position.mine if position.turn == player else position.theirs
        kinds = (position.pawns, position.knights, position.bishops, position.rooks, position.queens, position.kings)
        for kind in range(6):
            for square in squares(kinds[kind]):
                planes[kind if mine >> square & 1 else kind + 6, 7 - square // 8, square % 8] = 1
        for square in squares(position.castling):
            planes[12, 7 - square // 8, square % 8] = 1
        if position.passing >= 0:
            planes[13, 7 - position.passing // 8, position.passing % 8] = 1
        planes[14], planes[15], planes[16] = player, 1 if position.turn == player else 0, position.idle / 100
        return planes

    def actions(self, position: Position) -> NDArray[np.int64]:
        return self.moves(position, ~position.mine)

    def moves(self, position: Position, targets: int) -> NDArray[np.int64]:
        """The legal moves to `targets`, squares without a piece of the player to move, and all promotions.

        Castling counts as a move to the player's own rook; it is included if `targets` contains more than captures.
        """
        encoded, number = np.empty(MAX_ACTIONS, np.int64), 0
        mine, theirs, checkers = position.mine, position.theirs, position.checkers
        occupied, king = mine | theirs, lowest(position.kings & mine)
        # 1. The king.
        for end in squares(int(self.king[king]) & targets):
            if not self.attackers(position, end, occupied & ~single(king)):
                encoded[number] = king | end << 6
                number += 1
        if count(checkers) > 1:
            return encoded[:number]
        # 2. The pieces: only moves that end a check, and along the line of the pin if pinned.
        legal, pinned = -1, self.pinned(position, king)
        if checkers:
            legal = checkers | int(self.between[king, lowest(checkers)])
        ends = targets & legal
        for start in squares(position.knights & mine & ~pinned):
            for end in squares(int(self.knight[start]) & ends):
                encoded[number] = start | end << 6
                number += 1
        for start in squares((position.bishops | position.queens) & mine):
            on = ends & int(self.through[king, start]) if pinned & single(start) else ends
            for end in squares(self.slanting(start, occupied) & on):
                encoded[number] = start | end << 6
                number += 1
        for start in squares((position.rooks | position.queens) & mine):
            on = ends & int(self.through[king, start]) if pinned & single(start) else ends
            for end in squares(self.straight(start, occupied) & on):
                encoded[number] = start | end << 6
                number += 1
        # 3. The pawns.
        pawns, turn, ahead = position.pawns & mine, position.turn, 8 - 16 * position.turn
        steps = shift(pawns, ahead) & ~occupied
        leaps = shift(steps & (ROWS[5] if turn else ROWS[2]), ahead) & ~occupied & ends
        left = shift(pawns & ~COLUMN_A, ahead - 1) & theirs & ends
        right = shift(pawns & ~COLUMN_H, ahead + 1) & theirs & ends
        steps &= ends | legal & (ROWS[0] | ROWS[7])
        number = self.pawn_moves(encoded, number, king, pinned, steps, ahead)
        number = self.pawn_moves(encoded, number, king, pinned, leaps, 2 * ahead)
        number = self.pawn_moves(encoded, number, king, pinned, left, ahead - 1)
        number = self.pawn_moves(encoded, number, king, pinned, right, ahead + 1)
        if position.passing >= 0:
            for start in squares(int(self.pawn[1 - turn, position.passing]) & pawns):
                if self.may_pass(position, start, position.passing):
                    encoded[number] = start | position.passing << 6
                    number += 1
        # 4. Castling.
        if not checkers and targets != theirs:
            for rook in squares(position.castling & mine):
                if self.may_castle(position, king, rook):
                    encoded[number] = king | rook << 6
                    number += 1
        return encoded[:number]

    def pawn_moves(self, found: NDArray[np.int64], number: int, king: int, pinned: int, ends: int, step: int) -> int:
        """List the moves of pawns by `step` to `ends`; returns the number of actions listed so far."""
        for end in squares(ends):
            start = end - step
            if pinned & single(start) and not int(self.through[king, start]) & single(end):
                continue
            if 8 <= end < 56:
                found[number] = start | end << 6
                number += 1
            else:
                for promotion in (4, 3, 2, 1):
                    found[number] = start | end << 6 | promotion << 12
                    number += 1
        return number

    def can_move(self, position: Position) -> bool:
        """Whether the player to move has a legal move."""
        occupied, king = position.mine | position.theirs, lowest(position.kings & position.mine)
        if position.checkers == 0:  # it is enough if a pawn that is on no line with its king has room ahead
            free = position.pawns & position.mine & ~self.straight(king, 0) & ~self.slanting(king, 0)
            if shift(free, 8 - 16 * position.turn) & ~occupied:
                return True
        for end in squares(int(self.king[king]) & ~position.mine):
            if not self.attackers(position, end, occupied & ~single(king)):
                return True
        return len(self.actions(position)) > 0

    def is_bare(self, position: Position) -> bool:
        """Whether neither side can mate by any moves: kings with one knight, or with bishops on only one colour."""
        if position.pawns | position.rooks | position.queens:
            return False
        if position.knights:
            return position.bishops == 0 and count(position.knights) == 1
        return position.bishops & DARK == 0 or position.bishops & ~DARK == 0

    # -- tables by material -----------------------------------------------------------------------------------------

    def state_class(self, position: Position) -> int:
        """The material: 4 bits for each number of pieces but kings, those of the stronger side in the higher 20 bits.

        No castling, and not pawns on both sides, so that no capture en passant is left out.
        """
        occupied = position.mine | position.theirs
        if position.castling or position.passing >= 0 or count(occupied) > MAX_TABLE_PIECES:
            return -1
        mine, theirs = self.material(position, position.mine), self.material(position, position.theirs)
        if mine & 15 and theirs & 15:
            return -1
        return max(mine, theirs) << 20 | min(mine, theirs)

    def material(self, position: Position, own: int) -> int:
        """The numbers of queens, rooks, bishops, knights and pawns among `own`, 4 bits each."""
        counts = count(position.queens & own)
        counts = counts << 4 | count(position.rooks & own)
        counts = counts << 4 | count(position.bishops & own)
        counts = counts << 4 | count(position.knights & own)
        return counts << 4 | count(position.pawns & own)

    def index_player(self, position: Position) -> int:
        """The side with more material by `state_class`; if both have the same, the player to move."""
        mine, theirs = self.material(position, position.mine), self.material(position, position.theirs)
        return position.turn if mine >= theirs else 1 - position.turn

    def index_count(self, number: int) -> int:
        """Both sides to move unless their material is the same, pairs of kings, and a set of squares for each kind."""
        positions = len(self.kings[1 if number & PAWNS else 0]) * (1 if number >> 20 == number & 0xFFFFF else 2)
        for place in range(10):
            positions *= subset_count(48 if place % 5 == 0 else 64, number >> 4 * place & 15)
        return positions

    def state_index(self, position: Position) -> int:
        """The kings are turned and mirrored to one of 462 pairs, or to one of 1806 if there are pawns."""
        number = self.state_class(position)
        if number < 0:
            return -1
        strong = position.turn if self.material(position, position.mine) == number >> 20 else 1 - position.turn
        own, other = self.coloured(position, strong), self.coloured(position, 1 - strong)
        flip, pawns = 56 * strong, 1 if number & PAWNS else 0
        king, target = lowest(position.kings & own) ^ flip, lowest(position.kings & other) ^ flip
        if king > 63 or target > 63 or self.pair[pawns, king, target] < 0:
            return -1
        pair, by = int(self.pair[pawns, king, target]) >> 3, int(self.pair[pawns, king, target]) & 7
        index = 1 if number >> 20 != number & 0xFFFFF and position.turn != strong else 0
        for side in (other, own):  # kinds one by one: an index into the position would cost more than all of this
            if side == own:  # the kings come between: files are smallest then
                index = index * len(self.kings[pawns]) + pair
            index = self.joined(index, position.queens & side, by, flip)
            index = self.joined(index, position.rooks & side, by, flip)
            index = self.joined(index, position.bishops & side, by, flip)
            index = self.joined(index, position.knights & side, by, flip)
            if position.pawns & side:
                board, pieces = 0, 0
                for square in squares(position.pawns & side):
                    board, pieces = board | single(int(self.turned[by, square ^ flip]) - 8), pieces + 1
                index = index * subset_count(48, pieces) + subset_index(board)
        return index

    def joined(self, index: int, pieces: int, by: int, flip: int) -> int:
        """The number of a set of squares, flipped and turned, after another number."""
        if pieces == 0:
            return index
        if pieces & pieces - 1 == 0:
            return index << 6 | int(self.turned[by, lowest(pieces) ^ flip])
        board = 0
        for square in squares(pieces):
            board |= single(int(self.turned[by, square ^ flip]))
        return index * subset_count(64, count(pieces)) + subset_index(board)

    def indexed_state(self, number: int, index: int) -> Position:
        """The stronger side is white; the first position of a game stands for a hole."""
        pawns = knights = bishops = rooks = queens = mine = theirs = pair = 0
        pairs = self.kings[1 if number & PAWNS else 0]
        for weaker in range(2):
            left = number & 0xFFFFF if weaker else number >> 20
            while left:
                kind = lowest(left) >> 2
                pieces = left >> 4 * kind & 15
                left &= -1 << 4 * kind + 4
                if pieces == 1 and kind:
                    index, board = index >> 6, single(index & 63)
                else:
                    ways = subset_count(64 if kind else 48, pieces)
                    index, board = index // ways, subset(index % ways, pieces)
                if kind == 0:
                    board = shift(board, 8)
                    pawns |= board
                elif kind == 1:
                    knights |= board
                elif kind == 2:
                    bishops |= board
                elif kind == 3:
                    rooks |= board
                else:
                    queens |= board
                if (mine | theirs) & board:
                    return self.first
                if weaker:
                    theirs |= board
                else:
                    mine |= board
            if not weaker:
                index, pair = index // len(pairs), index % len(pairs)
        turn = index
        king, target = single(int(pairs[pair]) & 63), single(int(pairs[pair]) >> 6)
        if (mine | theirs) & (king | target):
            return self.first
        mine, theirs = mine | king, theirs | target
        if turn == 1:
            mine, theirs = theirs, mine
        kings = king | target
        other = Position(pawns, knights, bishops, rooks, queens, kings, theirs, mine, 1 - turn, 0, -1, 0, 1, 0)
        if self.attackers(other, lowest(kings & theirs), mine | theirs):  # the player to move could take the king
            return self.first
        position = Position(pawns, knights, bishops, rooks, queens, kings, mine, theirs, turn, 0, -1, 0, 1, 0)
        checkers = self.attackers(position, lowest(kings & mine), mine | theirs)
        return Position(pawns, knights, bishops, rooks, queens, kings, mine, theirs, turn, 0, -1, 0, 1, checkers)

    def index_plies(self, position: Position) -> int:
        """The plies until fifty moves of each player without a capture or a pawn's move may have been made."""
        return max(0, 100 - position.idle)

    def index_stage(self, position: Position) -> int:
        """The rows that pawns still have to go."""
        rows, whites = 0, position.theirs if position.turn else position.mine
        for square in squares(position.pawns):
            rows += 7 - square // 8 if whites & single(square) else square // 8
        return rows

    def class_name(self, number: int) -> str:
        """The pieces of both sides, such as KRK or KQKR."""
        return "".join(
            "K" + "".join("QRBNP"[i] * (side >> 16 - 4 * i & 15) for i in range(5))
            for side in (number >> 20, number & 0xFFFFF)
        )

    def parse_class(self, text: str) -> int:
        """The class that a text such as KRK, KQKR or KQvKR names."""
        form = fullmatch(r"K([QRBNP]*)V?K([QRBNP]*)", text.strip().upper())
        if not form:
            raise RulesError(f"{text!r}: a class is the pieces of white and of black, such as KRK or KQKR")
        strong, weak = (
            sum(side.count(letter) << 16 - 4 * i for i, letter in enumerate("QRBNP")) for side in form.groups()
        )
        if len(form[1] + form[2]) + 2 > MAX_TABLE_PIECES or (strong & 15 and weak & 15):
            raise RulesError(f"{text!r}: at most {MAX_TABLE_PIECES} pieces, and pawns of one side only")
        return max(strong, weak) << 20 | min(strong, weak)

    # -- what is attacked -------------------------------------------------------------------------------------------

    def line(self, line: int, square: int, occupied: int) -> int:
        """The squares that a piece on `square` attacks on the given line."""
        six = shift((occupied & int(self.inner[line, square])) * int(self.gather[line, square]), -58)
        return int(self.reach[line, square, six])

    def straight(self, square: int, occupied: int) -> int:
        """The squares that a rook attacks."""
        return self.line(0, square, occupied) | self.line(1, square, occupied)

    def slanting(self, square: int, occupied: int) -> int:
        """The squares that a bishop attacks."""
        return self.line(2, square, occupied) | self.line(3, square, occupied)

    def attackers(self, position: Position, square: int, occupied: int) -> int:
        """The pieces of the player not to move that attack `square`."""
        straight = position.theirs & (position.rooks | position.queens)
        slanting = position.theirs & (position.bishops | position.queens)
        pieces = position.theirs & (
            int(self.knight[square]) & position.knights
            | int(self.king[square]) & position.kings
            | int(self.pawn[position.turn, square]) & position.pawns
        )
        if straight:  # there is none in many endings
            pieces |= self.straight(square, occupied) & straight
        if slanting:
            pieces |= self.slanting(square, occupied) & slanting
        return pieces

    def pinned(self, position: Position, king: int) -> int:
        """The pieces of the player to move that are the only ones between their king and an attacker."""
        straight = self.straight(king, position.theirs) & (position.rooks | position.queens)
        slanting = self.slanting(king, position.theirs) & (position.bishops | position.queens)
        pinned_pieces = 0
        for attacker in squares((straight | slanting) & position.theirs):
            shield = int(self.between[king, attacker]) & position.mine
            if count(shield) == 1:
                pinned_pieces |= shield
        return pinned_pieces

    def passes(self, position: Position, passing: int) -> bool:
        """Whether some pawn may capture en passant on the square `passing`."""
        for start in squares(int(self.pawn[1 - position.turn, passing]) & position.pawns & position.mine):
            if self.may_pass(position, start, passing):
                return True
        return False

    def may_pass(self, position: Position, start: int, passing: int) -> bool:
        """Whether the pawn on `start` may capture en passant: both pawns leave their squares, and no check remains."""
        captured = single(passing - 8 + 16 * position.turn)
        occupied = (position.mine | position.theirs) & ~(captured | single(start)) | single(passing)
        king = lowest(position.kings & position.mine)
        return self.attackers(position, king, occupied) & ~captured == 0

    def may_castle(self, position: Position, king: int, rook: int) -> bool:
        """Whether the way of both pieces is free, and the king crosses no attacked square."""
        row, is_right = king & 56, rook > king
        king_end, rook_end = row + (6 if is_right else 2), row + (5 if is_right else 3)
        others = (position.mine | position.theirs) & ~(single(king) | single(rook))
        way = int(self.between[king, king_end]) | single(king_end)
        if (way | int(self.between[rook, rook_end]) | single(rook_end)) & others:
            return False
        crossed = 0
        for square in squares(way):
            crossed |= self.attackers(position, square, others)
        return crossed == 0

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, position: Position, player: int) -> float:
        """The advantage in pawns, p, as p / (|p| + 4)."""
        pawns = self.tapered(position)
        estimate = pawns / (abs(pawns) + 4)
        return estimate if player == 0 else -estimate

    def tapered(self, position: Position) -> float:
        """The advantage of white in pawns.

        Every piece counts by its kind and square: by `middle` when all pieces are on the board, by `end` when only
        kings and pawns are left, and in proportion in between.
        """
        white, black = position.mine, position.theirs
        if position.turn == 1:
            white, black = black, white
        middle = end = phase = 0
        for kind in range(6):
            pieces = position[kind]
            phase += PHASES[kind] * count(pieces)
            for square in squares(pieces & white):
                middle += int(self.middle[kind, square])
                end += int(self.end[kind, square])
            for square in squares(pieces & black):
                middle -= int(self.middle[kind, square ^ 56])
                end -= int(self.end[kind, square ^ 56])
        phase = min(phase, 24)
        return (middle * phase + end * (24 - phase)) / 2400

    def features(self, position: Position) -> tuple[int, int, int, int, int, int, int, float]:
        """The numbers of the player to move minus the opponent's, see `feature_names`.

        The pieces; 1 for a pair of bishops; squares attacked by pieces other than pawns without a piece of the same
        player on them; and the advantage in pawns by kind and square, as in `evaluate`.
        """
        mine, theirs = position.mine, position.theirs
        tapered = self.tapered(position)
        return (
            count(position.pawns & mine) - count(position.pawns & theirs),
            count(position.knights & mine) - count(position.knights & theirs),
            count(position.bishops & mine) - count(position.bishops & theirs),
            count(position.rooks & mine) - count(position.rooks & theirs),
            count(position.queens & mine) - count(position.queens & theirs),
            int(count(position.bishops & mine) > 1) - int(count(position.bishops & theirs) > 1),
            self.mobility(position, mine) - self.mobility(position, theirs),
            tapered if position.turn == 0 else -tapered,
        )

    def mobility(self, position: Position, own: int) -> int:
        """The number of squares without a piece of `own` that each piece of `own` except pawns attacks, in total."""
        occupied, attacked = position.mine | position.theirs, 0
        for square in squares(position.knights & own):
            attacked += count(int(self.knight[square]) & ~own)
        for square in squares(position.kings & own):
            attacked += count(int(self.king[square]) & ~own)
        for square in squares((position.bishops | position.queens) & own):
            attacked += count(self.slanting(square, occupied) & ~own)
        for square in squares((position.rooks | position.queens) & own):
            attacked += count(self.straight(square, occupied) & ~own)
        return attacked

    def order(self, position: Position, action: int) -> int:
        """Promotions to a queen and captures that lose nothing, the greatest victim and least attacker first."""
        start, end, promotion = action & SQUARE, action >> 6 & SQUARE, action >> 12
        if promotion:
            return 5500 if promotion == 4 else -1
        if position.theirs & single(end) == 0:
            return 1000 if end == position.passing and position.pawns & single(start) else 0
        attacker = self.kind(position, start)
        if self.loses(position, start, end):
            return -1 - attacker
        return 1000 + 1000 * self.kind(position, end) - attacker

    def loses(self, position: Position, start: int, end: int) -> bool:
        """Whether the capture loses if both sides keep capturing there with the least piece, as long as it pays.

        Static exchange evaluation by the `WORTH` of pieces; pins are ignored.
        """
        owed = WORTH[self.kind(position, start)] - WORTH[self.kind(position, end)]
        if owed <= 0:
            return False
        straight, slanting = position.rooks | position.queens, position.bishops | position.queens
        occupied, own, gains = position.mine | position.theirs, position.mine, 1
        attacker = single(start)
        while True:  # `gains`: whether the capture gains if there is no further capture
            occupied &= ~attacker
            own = (position.mine | position.theirs) & ~own
            attackers = occupied & (
                int(self.knight[end]) & position.knights
                | int(self.king[end]) & position.kings
                | int(self.pawn[0, end]) & position.pawns & self.coloured(position, 1)
                | int(self.pawn[1, end]) & position.pawns & self.coloured(position, 0)
                | self.straight(end, occupied) & straight
                | self.slanting(end, occupied) & slanting
            )
            if attackers & own == 0:
                return gains == 0
            gains ^= 1
            kind = 0
            while attackers & own & position[kind] == 0:
                kind += 1
            if kind == 5:
                return (gains ^ 1 if attackers & ~own else gains) == 0
            owed = WORTH[kind] - owed
            if owed < gains:
                return gains == 0
            attacker = single(lowest(attackers & own & position[kind]))

    def coloured(self, position: Position, player: int) -> int:
        """The pieces of `player`."""
        return position.mine if position.turn == player else position.theirs

    def noisy(self, position: Position) -> NDArray[np.int64]:
        """The promotions to a queen, and the captures that lose nothing."""
        actions, kept = self.moves(position, position.theirs), 0
        for action in actions:
            if self.order(position, action) > 0:
                actions[kept] = action
                kept += 1
        return actions[:kept]

    def needs_extension(self, position: Position) -> bool:
        """Whether the player to move is in check."""
        return position.checkers != 0

    def null_move_state(self, position: Position) -> Position:
        """The position with the other player to move; none with only pawns, where a pass may be best."""
        officers = position.knights | position.bishops | position.rooks | position.queens
        return position if officers & position.mine == 0 else self.passed_state(position)

    def passed_state(self, position: Position) -> Position:
        """The position with the other player to move; itself in check."""
        if position.checkers:
            return position
        pawns, knights, bishops, rooks, queens, kings = position[:6]
        return Position(
            pawns, knights, bishops, rooks, queens, kings, position.theirs, position.mine, 1 - position.turn,
            position.castling, -1, position.idle + 1, position.number + position.turn, 0,
        )  # fmt: skip

    # -- pictures and texts -----------------------------------------------------------------------------------------

    def marks(self, position: Position) -> list[list[str]]:
        """The rows of the board, the top one first: the letters of pieces, and `.`."""
        white = position.mine if position.turn == 0 else position.theirs
        marks = ["."] * 64
        for letter, pieces in zip(PIECES, position[:6], strict=True):
            for square in squares(pieces):
                marks[square] = letter.upper() if white & single(square) else letter
        return [marks[first : first + 8] for first in range(56, -1, -8)]

    def render(self, position: Position) -> str:
        rows = [[8 - number, *row] for number, row in enumerate(self.marks(position))]
        return f"{grid([*rows, ['', *'abcdefgh']])}\n{outcome(self, position, COLOURS)}"

    def picture(self, position: Position) -> Picture:
        figures = {mark: Piece(FIGURES[kind], 0) for kind, mark in enumerate(PIECES.upper())}
        figures |= {mark: Piece(FIGURES[kind], 1) for kind, mark in enumerate(PIECES)}
        pieces = on_cells(from_below(self.marks(position)), figures)
        kings = figures["K"], figures["k"]
        return square_board(
            8, 8, pieces, [turn_line(self, position, COLOURS, kings)], shade="checkered", bottom_first=True,
            row_names="12345678", column_names="abcdefgh", colours=COLOURS,
        )  # fmt: skip

    def action_cells(self, position: Position, action: int) -> tuple[int, int]:
        """From and to; a king on its usual column castles to its own square, in Chess960 elsewhere to its rook."""
        start, end = action & SQUARE, action >> 6 & SQUARE
        if position.mine & single(end) and start & 7 == 4:
            return start, start + 2 if end > start else start - 2
        return start, end

    def value_text(self, value: float, exact: bool = False, distance: int | None = None) -> str:
        """Pawns, such as +0.31, and mates in moves, such as #2 or #-3."""
        if exact and distance and abs(value) == 1:
            return f"#{'-' * (value < 0)}{(distance + 1) // 2}"
        if exact or abs(value) >= 1 or type(self).evaluate is not Chess.evaluate:
            return super().value_text(value, exact, distance)
        pawns = 4 * value / (1 - abs(value))  # the inverse of `evaluate`
        return f"{round(pawns, 2) + 0.0:+.2f}"  # not -0.00

    def line_text(self, position: Position, names: Sequence[str]) -> str:
        """The moves with their numbers, such as 1. e4 e5 2. Nf3, or 1... e5 2. Nf3."""
        words: list[str] = []
        for ply, name in enumerate(names, start=position.turn):
            if ply % 2 == 0 or not words:
                words.append(f"{position.number + ply // 2}.{'..' * (ply % 2)}")
            words.append(name)
        return " ".join(words)

    def result_text(self, utilities: Sequence[float]) -> str:
        return "1-0" if utilities[0] > 0 else "0-1" if utilities[0] < 0 else "1/2-1/2"

    def action_name(self, position: Position, action: int) -> str:
        """The move in standard algebraic notation, such as Nf3, exd5, O-O, Rae1, e8=Q+ or Qxf7#."""
        start, end, promotion = action & SQUARE, action >> 6 & SQUARE, action >> 12
        after = self.result(position, action)
        ending = ("+" if self.can_move(after) else "#") if after.checkers else ""
        if position.mine & single(end):
            return ("O-O" if end > start else "O-O-O") + ending
        kind = self.kind(position, start)
        takes = "x" if position.theirs & single(end) or (kind == 0 and end == position.passing) else ""
        if kind == 0:
            first = NAMES[start][0] if takes else ""
            return f"{first}{takes}{NAMES[end]}{'=' + PROMOTIONS[promotion].upper() if promotion else ''}{ending}"
        first, occupied = "", position.mine | position.theirs
        alike = position[kind] & position.mine & ~single(start)
        if alike:  # most are far away: those that are not need not be legal moves either
            alike &= int(self.knight[end]) if kind == 1 else self.straight(end, occupied) | self.slanting(end, occupied)
        there = self.moves(position, single(end)) if alike else ()
        others = [
            int(other) & SQUARE
            for other in there
            if int(other) >> 6 & SQUARE == end and alike & single(int(other) & SQUARE)
        ]
        if others:
            in_column = any(other % 8 == start % 8 for other in others)
            in_row = any(other // 8 == start // 8 for other in others)
            first = NAMES[start] if in_column and in_row else NAMES[start][1 if in_column else 0]
        return f"{PIECES[kind].upper()}{first}{takes}{NAMES[end]}{ending}"

    def kind(self, position: Position, square: int) -> int:
        """The kind of the piece on `square`, as in `PIECES`; 6: none."""
        for kind in range(6):
            if position[kind] & single(square):
                return kind
        return 6

    def uci_name(self, position: Position, action: int) -> str:
        """The move in the notation of UCI, such as e2e4, e7e8q, and e1g1 for castling.

        If the king or the rook does not start on its usual square, castling is the king taking the rook.
        """
        start, end, promotion = action & SQUARE, action >> 6 & SQUARE, action >> 12
        if position.mine & single(end) and start % 8 == 4 and end % 8 in (0, 7):
            end = start + 2 if end > start else start - 2
        return NAMES[start] + NAMES[end] + PROMOTIONS[promotion].strip()

    def castling_name(self, position: Position, action: int) -> str:
        """Castling in the notation of Chess960, where the king takes the own rook, such as e1h1; "" for other moves."""
        start, end = action & SQUARE, action >> 6 & SQUARE
        return NAMES[start] + NAMES[end] if position.mine & single(end) else ""

    def parse_action(self, position: Position, text: str) -> int:
        """The legal move that `text` names, in standard algebraic notation or as in `uci_name`.

        As in files and books of others, the start of a piece may be named where that is not needed, pieces may be
        pictures, castling may have zeros or small letters, and a promotion be written `a8(Q)`, `a8/Q` or `a8Q`; check,
        mate and en passant may be marked in any way.
        """
        plain = MARKS.sub("", text.translate(FIGURINES).strip())
        legal = [int(action) for action in self.actions(position)]
        matching = [action for action in legal if plain == self.uci_name(position, action)]
        if not matching and plain.upper().replace("0", "O") in ("O-O", "O-O-O"):
            castling = [action for action in legal if position.mine & single(action >> 6 & SQUARE)]
            matching = [action for action in castling if (action >> 6 & SQUARE > action & SQUARE) == (len(plain) == 3)]
        if not matching and (san := SAN.fullmatch(plain)):
            piece, column, row, end, promotion = san.groups()
            column = column or ("" if piece else end[0])
            matching = [
                action
                for action in legal
                if NAMES[action >> 6 & SQUARE] == end
                and PROMOTIONS[action >> 12].strip() == promotion.lower()
                and NAMES[action & SQUARE].startswith(column or NAMES[action & SQUARE][0])
                and NAMES[action & SQUARE].endswith(row or NAMES[action & SQUARE][1])
                and self.kind(position, action & SQUARE) == PIECES.upper().index(piece or "P")
                and not position.mine & single(action >> 6 & SQUARE)
            ]
        return matching[0] if len(matching) == 1 else super().parse_action(position, text)

    def state_text(self, position: Position) -> str:
        """The position as FEN; castling as KQkq, or by the column of the rook if it is not the outermost one."""
        castling = sorted(squares(position.castling), key=lambda rook: (rook // 8, -rook))
        rights = "".join(self.right(position, rook) for rook in castling) or "-"
        passing = NAMES[position.passing] if position.passing >= 0 else "-"
        board = write_board(self.marks(position), "wb"[position.turn])
        return f"{board} {rights} {passing} {position.idle} {position.number}"

    def right(self, position: Position, rook: int) -> str:
        """The letter for castling with this rook in FEN."""
        row, own = ROWS[rook // 8], position.mine if position.mine & single(rook) else position.theirs
        rooks = list(squares(position.rooks & own & row))
        is_right = rook > lowest(position.kings & own)
        letter = "qk"[is_right] if rook == rooks[-1 if is_right else 0] else NAMES[rook][0]
        return letter.upper() if rook < 8 else letter

    def parse_state(self, text: str) -> Position:
        """The position that a FEN describes; the two counters may be missing, as in EPD, or `-`.

        The number of the move is 1 if it is written as 0.
        """
        fields = text.split()
        if not 4 <= len(fields) <= 6:
            raise RulesError(
                f"{text!r}: FEN has a board, w or b, castling, en passant and two counters, such as {START}"
            )
        rows, turn = read_board(" ".join(fields[:2]), 8, 8, PIECES + PIECES.upper(), "wb")
        marks = "".join(reversed(rows))
        _check_pieces(text, marks)
        kinds = [_placed(marks, letter + letter.upper()) for letter in PIECES]
        colours = _placed(marks, PIECES.upper()), _placed(marks, PIECES)
        castling = 0
        for letter in fields[2] if fields[2] != "-" else "":
            castling |= single(_castling_rook(text, marks, letter))
        idle = _counter(text, fields[4]) if len(fields) > 4 else 0
        number = max(1, _counter(text, fields[5])) if len(fields) > 5 else 1
        mine, theirs = colours[turn], colours[1 - turn]
        pawns, knights, bishops, rooks, queens, kings = kinds
        other = Position(
            pawns, knights, bishops, rooks, queens, kings, theirs, mine, 1 - turn, castling, -1, idle, number, 0
        )
        if self.attackers(other, lowest(kings & theirs), mine | theirs):
            raise RulesError(f"{text!r}: {COLOURS[1 - turn]} is in check, but it is {COLOURS[turn]}'s move")
        position = other._replace(mine=mine, theirs=theirs, turn=turn)
        passing = _passing(text, fields[3], position)
        if passing >= 0 and self.passes(position, passing):
            position = position._replace(passing=passing)
        return position._replace(checkers=self.attackers(position, lowest(kings & mine), mine | theirs))


def values(phase: int) -> NDArray[np.int64]:
    """The values of the pieces of player 0 on each square, in hundredths of a pawn: int64 [kind, square]."""
    by_square = np.zeros((6, 64), np.int64)
    for kind, phases in enumerate(VALUES):
        worth, rows, columns = phases[phase]
        for square in range(64):
            column = min(square % 8, 7 - square % 8)
            by_square[kind, square] = worth + rows[square // 8] + columns[column]
    return by_square


def relocated(board: int, start: int, end: int) -> int:
    """`board` after the piece on `start`, whatever it is, has moved to `end`."""
    return board & ~start | end if board & start else board & ~end


def first_row(number: int) -> str:
    """The pieces on the first row of position `number` of Chess960, in Scharnagl's scheme.

    >>> first_row(518), first_row(0)
    ('rnbqkbnr', 'bbqnnrkr')
    """
    row = [""] * 8
    number, light = divmod(number, 4)
    number, dark = divmod(number, 4)
    number, queen = divmod(number, 6)
    row[2 * light + 1] = row[2 * dark] = "b"
    row[_free(row)[queen]] = "q"
    pairs = [(first, second) for first in range(5) for second in range(first + 1, 5)]
    for place in [_free(row)[place] for place in pairs[number]]:
        row[place] = "n"
    for place, letter in zip(_free(row), "rkr", strict=True):
        row[place] = letter
    return "".join(row)


def _free(row: list[str]) -> list[int]:
    return [place for place, letter in enumerate(row) if not letter]


@cache
def tables() -> Tables:
    """The tables of attacks; they are the same for every game."""
    near = (-1, 0, 1)
    king = [(right, up) for right in near for up in near if (right, up) != (0, 0)]
    knight = [(right, up) for right in (-2, -1, 1, 2) for up in (-2, -1, 1, 2) if abs(right) != abs(up)]
    attack_tables = Tables(
        _attacks(knight),
        _attacks(king),
        np.array([_attacks([(-1, 1), (1, 1)]), _attacks([(-1, -1), (1, -1)])]),
        np.zeros((4, 64), np.int64),
        np.zeros((4, 64), np.int64),
        np.zeros((4, 64, 64), np.int64),
        np.zeros((64, 64), np.int64),
        np.zeros((64, 64), np.int64),
    )
    for line, (right, up) in enumerate(LINES):
        for square in range(64):
            rays = _ray(square, -right, -up), _ray(square, right, up)
            for ray in rays:
                for number, other in enumerate(ray):
                    attack_tables.between[square, other] = _board(ray[:number])
                    attack_tables.through[square, other] = _board([*rays[0], square, *rays[1]])
            places = {other: (other % 8 if right else other // 8) - 1 for ray in rays for other in ray}  # on the line
            attack_tables.inner[line, square] = _board(other for other in places if 0 <= places[other] < 6)
            gather = (57 - 8 * row for row in range(8)) if right else (57 - 7 * row - square % 8 for row in range(1, 7))
            attack_tables.gather[line, square] = _board(gather)
            for six in range(64):
                seen = []
                for ray in rays:
                    for other in ray:
                        seen.append(other)
                        if 0 <= places[other] < 6 and six >> places[other] & 1:
                            break
                attack_tables.reach[line, square, six] = _board(seen)
    return attack_tables


@cache
def king_pairs() -> tuple[NDArray[np.int8], NDArray[np.int16], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """How the board is turned so that the kings stand on one of few pairs of squares.

    Returns `turned` [8, 64], a square after each way to turn the board; `pair` [2, 64, 64], for boards without pawns
    and with pawns the number of a pair and, in the lower 3 bits, how to get there, -1 for kings next to each other; and
    the pairs by number, white's square in the lower 6 bits.
    """
    square, by = np.arange(64), np.arange(8)[:, None]
    turned = square ^ 7 * (by & 1) ^ 28 * (by & 2)
    turned = np.where(by & 4, turned % 8 * 8 + turned // 8, turned)
    column, row = turned % 8, turned // 8
    apart = np.maximum(abs(column[0, :, None] - column[0]), abs(row[0, :, None] - row[0])) > 1
    pair, kings = np.full((2, 64, 64), -1, np.int16), []
    for pawns, ways in enumerate((8, 2)):
        fits = (column < 4) & ((row <= column) | (pawns == 1))
        places = np.where(fits[:ways, :, None], turned[:ways, :, None] << 6 | turned[:ways, None], 1 << 12)
        pairs, numbers = np.unique(places.min(axis=0)[apart], return_inverse=True)
        pair[pawns, apart] = numbers << 3 | places.argmin(axis=0)[apart]
        kings.append((pairs & 63) << 6 | pairs >> 6)
    return turned.astype(np.int8), pair, (kings[0], kings[1])


def _attacks(steps: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """The squares that are one of the `steps` away from each square."""
    return np.array([_board(other for step in steps for other in _ray(square, *step)[:1]) for square in range(64)])


def _ray(square: int, right: int, up: int) -> list[int]:
    """The squares reached by repeated steps of `right` columns and `up` rows."""
    column, row, ray = square % 8 + right, square // 8 + up, []
    while 0 <= column < 8 and 0 <= row < 8:
        ray.append(8 * row + column)
        column, row = column + right, row + up
    return ray


def _board(numbers: Iterable[int]) -> int:
    """The set of these squares."""
    board = 0
    for square in numbers:
        board |= single(square)
    return board


def _placed(marks: str, letters: str) -> int:
    """The squares with one of these letters."""
    return _board(square for square, mark in enumerate(marks) if mark in letters)


def _check_pieces(text: str, marks: str) -> None:
    """Raise `RulesError` for pieces that cannot occur in a game."""
    for colour, letters in zip(COLOURS, (PIECES.upper(), PIECES), strict=True):
        numbers = [marks.count(letter) for letter in letters]
        promoted = sum(max(0, number - usual) for number, usual in zip(numbers[1:5], (2, 2, 2, 1), strict=True))
        if numbers[5] != 1:
            raise RulesError(f"{text!r}: {colour} has {numbers[5]} kings, not one")
        if numbers[0] + promoted > 8:
            raise RulesError(f"{text!r}: {colour} has {numbers[0]} pawns and {promoted} promoted pieces: more than 8")
        if letters[0] in marks[:8] + marks[56:]:
            raise RulesError(f"{text!r}: {colour} has a pawn on the first or the last row")


def _castling_rook(text: str, marks: str, letter: str) -> int:
    """The square of the rook that a letter of the third field stands for."""
    row, king, rook = (0, "K", "R") if letter.isupper() else (56, "k", "r")
    place = marks.find(king, row, row + 8)
    rook_square = -1
    if letter in "Kk":
        rook_square = marks.rfind(rook, row, row + 8)
    elif letter in "Qq":
        rook_square = marks.find(rook, row, row + 8)
    elif letter.lower() in "abcdefgh":
        rook_square = marks.find(rook, row + ord(letter.lower()) - ord("a"), row + ord(letter.lower()) - ord("a") + 1)
    else:
        raise RulesError(f"{text!r}: castling {letter!r} is not one of K, Q, k, q, a column, or - for none")
    if (
        place < 0
        or rook_square < 0
        or (letter in "Kk" and rook_square < place)
        or (letter in "Qq" and rook_square > place)
    ):
        raise RulesError(f"{text!r}: castling {letter!r} needs the king and a rook on its first row, on that side")
    return rook_square


def _passing(text: str, field: str, position: Position) -> int:
    """The square in the fourth field; -1 for `-`."""
    if field == "-":
        return -1
    if field not in NAMES:
        raise RulesError(f"{text!r}: en passant {field!r} is neither a square nor -")
    square, behind = NAMES.index(field), 8 - 16 * position.turn
    occupied = position.mine | position.theirs
    if (
        square // 8 != 5 - 3 * position.turn
        or not position.pawns & position.theirs & single(square - behind)
        or occupied & (single(square) | single(square + behind))
    ):
        raise RulesError(f"{text!r}: en passant {field}: no pawn can just have passed over that square")
    return square


def _counter(text: str, field: str) -> int:
    if not fullmatch(r"[0-9]{1,4}|-", field):
        raise RulesError(f"{text!r}: {field!r} is not a whole number from 0 to 9999")
    return int(field.replace("-", "0"))
