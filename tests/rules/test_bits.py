"""Bit boards: compiled, interpreted and counted square by square."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outplay import kernel
from outplay.games import TicTacToe
from outplay.rules import bits

game = TicTacToe()
ONES = 2**64 - 1


@kernel
def summary(game, board):
    """How many squares, the lowest, and all of them as the digits of a number."""
    digits = 0
    for square in bits.squares(board):
        digits = (digits * 67 + square + 1) % 1_000_003
    return bits.count(board), bits.lowest(board), digits


@kernel
def moved(game, board, square, by):
    """A board shifted, and a board of one square."""
    return bits.shift(board, by), bits.single(square)


def by_hand(board):
    found = [square for square in range(64) if int(board) >> square & 1]
    digits = 0
    for square in found:
        digits = (digits * 67 + square + 1) % 1_000_003
    return len(found), found[0] if found else 64, digits


@pytest.mark.parametrize("as_board", [np.int64, np.uint64, int], ids=lambda kind: kind.__name__)
@given(word=st.integers(0, ONES))
@example(word=0)
@example(word=1 << 63)
@example(word=ONES)
@example(word=(1 << 63) - 1)
def test_a_board_is_the_same_compiled_interpreted_and_by_hand(as_board, word):
    signed = word - (1 << 64) if word >> 63 else word
    board = np.uint64(word) if as_board is np.uint64 else as_board(signed)
    assert summary(game, board) == summary.interpreted(game, board) == by_hand(word)


@given(st.lists(st.integers(0, 63), unique=True))
def test_squares_gives_back_the_squares_that_were_set(squares):
    board = sum(1 << square for square in squares)
    assert list(bits.squares(board)) == sorted(squares)
    assert bits.count(board) == len(squares)
    assert bits.lowest(board) == min(squares, default=64)


@pytest.mark.parametrize(("board", "squares"), [(True, [0]), (np.int8(-128), range(7, 64)), (np.int32(5), [0, 2])])
def test_narrow_ints_extend_their_sign(board, squares):
    assert list(bits.squares(board)) == list(squares)
    assert summary(game, board) == summary.interpreted(game, board)


def signed(squares):
    """The int of 64 bits, with a sign, whose bits are these squares."""
    return int(np.array([sum(1 << square for square in squares)], np.uint64).view(np.int64)[0])


@pytest.mark.parametrize("as_board", [np.int64, np.uint64, int], ids=lambda kind: kind.__name__)
@given(word=st.integers(0, ONES), square=st.integers(0, 63), by=st.integers(-63, 63))
@example(word=ONES, square=63, by=-1)
@example(word=ONES, square=63, by=1)
@example(word=1 << 63, square=0, by=-63)
@example(word=1, square=62, by=63)
@example(word=ONES, square=1, by=0)
def test_shifting_moves_each_square(as_board, word, square, by):
    found = [square for square in range(64) if word >> square & 1]
    board = as_board(word if as_board is np.uint64 else signed(found))
    shifted = signed([square + by for square in found if 0 <= square + by < 64])
    assert moved(game, board, square, by) == moved.interpreted(game, board, square, by) == (shifted, signed([square]))


def test_narrow_boards_extend_their_sign_before_a_shift():
    for board in np.int8(-128), np.int32(-128), -128:
        assert moved(game, board, 5, -1) == moved.interpreted(game, board, 5, -1) == (signed(range(6, 63)), 32)
