"""Bit boards: a set of squares as the bits of one int. These compile to single machine instructions.

In compiled code an int has 64 bits and wraps around. Boards of up to 63 squares are safe as plain ints. A board that
uses all 64 bits is best kept as a signed int too, which is negative if square 63 is on it: `&`, `|`, `^` and `~` work
as usual, and `shift` and `single` replace `<<` and `>>`. It may also be a `numpy.uint64`, for which Python's operators
with a plain literal do *not* work (`u + 1` becomes a float): write `u + np.uint64(1)`. The functions here accept
either.

>>> board = 0b10110
>>> count(board), lowest(board), nth(board, 2), list(squares(board))
(3, 1, 4, [1, 2, 4])
>>> shift(board, 2) == 0b1011000, shift(board, -2) == 0b101, single(63) == shift(1, 63) == -(2**63)
(True, True, True)
"""

from collections.abc import Iterator

__all__ = ["count", "lowest", "nth", "shift", "single", "squares"]

_ALL = 0xFFFF_FFFF_FFFF_FFFF


def count(board: int) -> int:
    """The number of squares on `board`."""
    return (int(board) & _ALL).bit_count()


def lowest(board: int) -> int:
    """The lowest square on `board`; 64 if there is none."""
    board = int(board) & _ALL
    return (board & -board).bit_length() - 1 if board else 64


def nth(board: int, index: int) -> int:
    """The square of `board` that has `index` lower ones; 64 if there is none."""
    board = int(board)
    for _ in range(index):
        board &= board - 1
    return lowest(board)


def squares(board: int) -> Iterator[int]:
    """The squares on `board`, lowest first."""
    board = int(board) & _ALL
    while board:
        yield (board & -board).bit_length() - 1
        board &= board - 1


def single(square: int) -> int:
    """The board with this one square, from 0 to 63."""
    return _signed(1 << int(square))


def shift(board: int, by: int) -> int:
    """`board` with every square moved up by `by` places, or down if `by` is negative; from -63 to 63.

    Squares that leave the board are lost, and those that come in are empty. Unlike `>>`, this moves square 63 like any
    other.
    """
    board, by = int(board) & _ALL, int(by)
    return _signed(board << by if by >= 0 else board >> -by)


def _signed(board: int) -> int:
    """The lowest 64 bits of `board` as a signed int of 64 bits."""
    board &= _ALL
    return board - (1 << 64) if board >> 63 else board
