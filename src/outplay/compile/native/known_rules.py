"""Rules that are known to compile: if even these fail, the cause is a change in Numba, not the user's rules."""

import math
from collections.abc import Iterator
from typing import Any

from outplay.compile.kernels import kernel
from outplay.rules.game import Game, legal_actions


def known_rules() -> tuple[Any, Game]:
    """A new kernel and a new game each time, since Numba remembers failures."""

    class Known(Game):
        compiled = True

        def initial_state(self) -> Any:
            return 3, 0

        def to_move(self, state: Any) -> int:
            return int(state[1])

        def actions(self, state: Any) -> Iterator[int]:
            for action in sorted([2, 1]):
                if action <= state[0]:
                    yield action

        def result(self, state: Any, action: int) -> Any:
            return (state[0] - action) // 1, (state[1] + (1 << state[0])) % 2

        def is_terminal(self, state: Any) -> bool:
            return math.sqrt(state[0]) == 0.0

        def utility(self, state: Any, player: int) -> float:
            return 1.0 if state[1] == player else -1.0

    def leaves(game: Any, state: Any) -> int:
        if game.is_terminal(state):
            return 1
        total = 0
        for action in legal_actions(game, state):
            child = game.result(state, action)
            total += 1 if game.is_terminal(child) else 2
        return total

    return kernel(leaves), Known()
