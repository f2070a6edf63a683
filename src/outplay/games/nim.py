"""Nim: take any number of counters from one of several heaps.

Two or more players in turn take one or more counters from a single heap. The player who takes the last counter of all
wins; in the misère game that player loses. Charles Bouton solved the game for two players in 1901: if the last counter
wins, the player to move loses exactly when the exclusive or of the heaps is 0.

With n players the winner gets n - 1, one from each other player; the loser of the misère game pays one to each of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import switch, whole_number
from outplay.games._pictures import outcome
from outplay.rules.board import Picture, Piece, Place, in_row
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

MAX_DRAWN = 40
"""Larger heaps are drawn as numbers."""
COUNTER = Piece(shape="disc")


class Heaps(NamedTuple):
    """The counters left, and whose turn it is."""

    heaps: NDArray[np.int64]  # int64 [heaps]
    turn: int


class Nim(Game):
    """Nim with any heaps and players; an action is named `heap:counters`: `2:3` takes 3 counters from the second heap.

    >>> game = Nim(heaps=(3, 4, 5))
    >>> state = game.initial_state()
    >>> print(game.render(game.result(state, game.parse_action(state, "2:3"))))
    1 |||
    2 |
    3 |||||
    player 1 to move
    """

    def __init__(self, heaps: Sequence[int] = (3, 4, 5), misere: bool = False, players: int = 2) -> None:
        if not isinstance(heaps, Sequence):
            raise RulesError(f"heaps={heaps!r}: heaps must be a list, such as (3, 4, 5)")
        self.heaps = tuple(whole_number(f"heaps[{i}]", heap, 0, 1_000_000) for i, heap in enumerate(heaps))
        if not self.heaps:
            raise RulesError(f"heaps={heaps!r}: at least one heap is needed")
        self.misere = switch("misere", misere)
        self.largest = max(*self.heaps, 1)
        self.players = whole_number("players", players, 2, 8)
        self.utilities = (1 - players, 1) if misere else (-1, players - 1)

    def initial_state(self) -> Heaps:
        return Heaps(np.array(self.heaps, np.int64), 0)

    def to_move(self, state: Heaps) -> int:
        return state.turn

    def actions(self, state: Heaps) -> Iterator[int]:
        """Taking `taken` counters from `heap` is action `heap * largest + taken - 1`."""
        for heap in range(len(state.heaps)):
            for taken in range(1, state.heaps[heap] + 1):
                yield heap * self.largest + taken - 1

    def result(self, state: Heaps, action: int) -> Heaps:
        heaps = state.heaps.copy()
        heaps[action // self.largest] -= action % self.largest + 1
        return Heaps(heaps, (state.turn + 1) % self.players)

    def is_terminal(self, state: Heaps) -> bool:
        return not state.heaps.any()

    def utility(self, state: Heaps, player: int) -> int:
        has_taken_last = (player + 1) % self.players == state.turn
        won = self.players - 1 if has_taken_last else -1
        return -won if self.misere else won

    def render(self, state: Heaps) -> str:
        margin = len(str(len(state.heaps)))
        lines = [f"{number:>{margin}} {'|' * heap}".rstrip() for number, heap in enumerate(state.heaps, start=1)]
        return "\n".join([*lines, outcome(self, state)])

    def picture(self, state: Heaps) -> Picture:
        """The heaps, row by row: a cell (heap, counter) for each counter, or (heap, 0) if there are too many."""
        places: list[Place] = []
        pieces: dict[Any, Piece] = {}
        for heap, left in enumerate(state.heaps.tolist()):
            number = self.heaps[heap] if self.largest <= MAX_DRAWN else 1
            places += in_row([(heap, counter) for counter in range(number)], y=float(heap), shape="none")
            if self.largest <= MAX_DRAWN:
                pieces |= {(heap, counter): COUNTER for counter in range(left)}
            else:
                pieces[heap, 0] = COUNTER._replace(text=str(left))
        labels = [(str(heap + 1), -1.0, float(heap)) for heap in range(len(self.heaps))]
        return Picture(places, pieces, [outcome(self, state)], labels)

    def action_cells(self, state: Heaps, action: int) -> tuple[tuple[int, int]]:
        """The first counter that is taken, if those on the right are taken."""
        heap, taken = action // self.largest, action % self.largest + 1
        return ((heap, int(state.heaps[heap]) - taken if self.largest <= MAX_DRAWN else 0),)

    def action_name(self, state: Heaps, action: int) -> str:
        return f"{action // self.largest + 1}:{action % self.largest + 1}"
