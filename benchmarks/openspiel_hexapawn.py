"""Hexapawn, the game of `examples/`, written in Python for OpenSpiel, with the same bits.

`hexapawn(pyspiel, columns, rows)` is the game. Legal actions are found once per move; a copy is a few numbers.
"""

from typing import Any

from benchmarks.openspiel_rules import type_and_info
from outplay.rules.bits import squares


def hexapawn(pyspiel: Any, columns: int, rows: int) -> Any:
    """The game as OpenSpiel's searches take it."""
    size = columns * rows
    first_row = (1 << columns) - 1
    homes = (first_row, first_row << size - columns)
    longest = 2 * columns * (rows - 2) + 1  # every move advances a pawn by one row
    kind, info = type_and_info(pyspiel, "hexapawn", size * size, longest)

    class HexapawnGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, info, params or {})

        def new_initial_state(self) -> Any:
            return HexapawnState(self)

    class HexapawnState(pyspiel.State):  # type: ignore[misc]
        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.mine, self.theirs = homes
            self.turn = 0
            self.legal = self.find_actions()

        def find_actions(self) -> list[int]:
            """All legal actions, in the order of their numbers."""
            if self.theirs & homes[self.turn]:
                return []
            actions, ahead = [], columns if self.turn == 0 else -columns
            empty = ~(self.mine | self.theirs)
            for square in squares(self.mine):
                column = square % columns
                for aside in (-1, 0, 1):
                    to = square + ahead + aside
                    if 0 <= column + aside < columns and (self.theirs if aside else empty) >> to & 1:
                        actions.append(square * size + to)
            return actions

        def current_player(self) -> int:
            return self.turn if self.legal else int(pyspiel.PlayerId.TERMINAL)

        def _legal_actions(self, _player: int) -> list[int]:
            return self.legal

        def _apply_action(self, action: int) -> None:
            square, to = divmod(action, size)
            self.mine, self.theirs = self.theirs & ~(1 << to), self.mine ^ (1 << square | 1 << to)
            self.turn = 1 - self.turn
            self.legal = self.find_actions()

        def _action_to_string(self, _player: int, action: int) -> str:
            return str(divmod(action, size))

        def is_terminal(self) -> bool:
            return not self.legal

        def returns(self) -> list[float]:
            if self.legal:
                return [0.0, 0.0]
            return [-1.0, 1.0] if self.turn == 0 else [1.0, -1.0]

        def __str__(self) -> str:
            return f"{self.mine:x} {self.theirs:x} {self.turn}"

    return HexapawnGame()
