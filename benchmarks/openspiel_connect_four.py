"""Connect Four, written in Python for OpenSpiel: in the style of its own tic-tac-toe example, and with bits.

`connect_four(pyspiel, bits)` is the game. The example has a board as an array of letters and looks for a line after
each move; here only lines through the last disc are checked. With bits, a state is two ints, as in outplay.
"""

from typing import Any

import numpy as np

from benchmarks.openspiel_rules import type_and_info

ROWS, COLUMNS, FOUR = 6, 7, 4
FULL = ROWS * COLUMNS
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
SHIFTS = (1, 6, 7, 8)
"""The shifts up, and to the right, diagonally or horizontally, if a column has 7 bits."""


def connect_four(pyspiel: Any, bits: bool) -> Any:
    """The game as OpenSpiel's searches take it."""
    kind, info = type_and_info(pyspiel, "connect_four", COLUMNS, FULL)

    class ConnectFourGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, info, params or {})

        def new_initial_state(self) -> Any:
            return BitState(self) if bits else BoardState(self)

    class State(pyspiel.State):  # type: ignore[misc]
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.turn, self.discs, self.won = 0, 0, False

        def current_player(self) -> int:
            return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else self.turn

        def is_terminal(self) -> bool:
            return self.won or self.discs == FULL

        def returns(self) -> list[float]:
            if not self.won:
                return [0.0, 0.0]
            return [-1.0, 1.0] if self.turn == 0 else [1.0, -1.0]

        def _action_to_string(self, _player: int, column: int) -> str:
            return str(column + 1)

        def pass_turn(self, won: bool) -> None:
            """Pass the turn after a disc was placed."""
            self.turn, self.discs, self.won = 1 - self.turn, self.discs + 1, won

    class BoardState(State):
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.board = np.full((ROWS, COLUMNS), ".")

        def _legal_actions(self, _player: int) -> list[int]:
            return [column for column in range(COLUMNS) if self.board[ROWS - 1, column] == "."]

        def _apply_action(self, column: int) -> None:
            row = next(row for row in range(ROWS) if self.board[row, column] == ".")
            self.board[row, column] = "xo"[self.turn]
            self.pass_turn(self.is_line(row, column))

        def is_line(self, row: int, column: int) -> bool:
            """Whether there are four in a row through this disc."""
            for up, right in DIRECTIONS:
                length = 1
                for sign in (1, -1):
                    for distance in range(1, FOUR):
                        line_row, line_column = row + sign * distance * up, column + sign * distance * right
                        if not (0 <= line_row < ROWS and 0 <= line_column < COLUMNS):
                            break
                        if self.board[line_row, line_column] != self.board[row, column]:
                            break
                        length += 1
                if length >= FOUR:
                    return True
            return False

    class BitState(State):
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.mine = self.theirs = 0

        def _legal_actions(self, _player: int) -> list[int]:
            all_discs = self.mine | self.theirs
            return [column for column in range(COLUMNS) if not all_discs >> (ROWS + 1) * column + ROWS - 1 & 1]

        def _apply_action(self, column: int) -> None:
            all_discs, bottom = self.mine | self.theirs, 1 << (ROWS + 1) * column
            mine = self.mine | (all_discs + bottom & ~all_discs & bottom * ((1 << ROWS) - 1))
            won = False
            for shift in SHIFTS:
                pairs = mine & mine >> shift
                won = won or pairs & pairs >> 2 * shift != 0
            self.mine, self.theirs = self.theirs, mine
            self.pass_turn(won)

    return ConnectFourGame()
