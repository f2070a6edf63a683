"""Bit boards: a set of squares as the bits of one int. These compile to single machine instructions.

In compiled code an int has 64 bits and wraps around. Boards of up to 63 squares are safe as plain ints; a board that
uses all 64 bits is best kept as a signed int too, negative where square 63 is on it: `&`, `|`, `^` and `~` are the
same in both, and `shift` and `single` take the place of `<<` and `>>`. It may also be a `numpy.uint64`, for which
Python's operators with a plain literal do *not* work (`u + 1` becomes a float), so write `u + np.uint64(1)`. The
functions here take either.

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
    """How many squares are on `board`."""
    return (int(board) & _ALL).bit_count()


def lowest(board: int) -> int:
    """The lowest square on `board`; 64 if there is none."""
    board = int(board) & _ALL
    return (board & -board).bit_length() - 1 if board else 64


def nth(board: int, index: int) -> int:
    """The square of `board` with so many lower ones; 64 if there is none."""
    board = int(board)
    for _ in range(index):
        board &= board - 1
    return lowest(board)


def squares(board: int) -> Iterator[int]:
    """The squares on `board`, the lowest first."""
    board = int(board) & _ALL
    while board:
        yield (board & -board).bit_length() - 1
        board &= board - 1


def single(square: int) -> int:
    """The board with this square, from 0 to 63, alone."""
    return _signed(1 << int(square))


def shift(board: int, by: int) -> int:
    """`board` with every square moved up by so many, or down where `by` is negative, from -63 to 63.

    What leaves the 64 squares is gone, and what comes in is empty: unlike `>>`, this moves square 63 as any other.
    """
    board, by = int(board) & _ALL, int(by)
    return _signed(board << by if by >= 0 else board >> -by)


def _signed(board: int) -> int:
    """The lowest 64 bits of `board` as an int of 64 bits with a sign."""
    board &= _ALL
    return board - (1 << 64) if board >> 63 else board
