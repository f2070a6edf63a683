"""Bit boards: a set of squares as the bits of one int. These compile to single machine instructions.

In compiled code an int has 64 bits and wraps around. Boards of up to 63 squares are safe as plain ints; a board that
uses all 64 bits is a `numpy.uint64`, for which Python's operators with a plain literal do *not* work (`u + 1` becomes a
float), so write `u + np.uint64(1)`. The functions here take either.

>>> board = 0b10110
>>> count(board), lowest(board), list(squares(board))
(3, 1, [1, 2, 4])
"""

from collections.abc import Iterator

_ALL = 0xFFFF_FFFF_FFFF_FFFF


def count(board: int) -> int:
    """How many squares are on `board`."""
    return (int(board) & _ALL).bit_count()


def lowest(board: int) -> int:
    """The lowest square on `board`; 64 if there is none."""
    board = int(board) & _ALL
    return (board & -board).bit_length() - 1 if board else 64


def squares(board: int) -> Iterator[int]:
    """The squares on `board`, the lowest first."""
    board = int(board) & _ALL
    while board:
        yield (board & -board).bit_length() - 1
        board &= board - 1
