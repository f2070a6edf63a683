"""Kalah: sow the seeds of a pit around the board; the player who gathers more of them wins.

Each player has a row of pits and, at its right end, a store. In turn they empty one of their own pits and sow its seeds
one by one anticlockwise, into their own store but not into the opponent's.

- If the last seed falls into the player's own store, the player moves again.
- If it falls into an empty pit of the player, it and the seeds in the pit opposite go to the player's store. With
  `empty_capture=False` that happens only if the pit opposite holds seeds, as in OpenSpiel's mancala.
- When the pits of either player are all empty, the game is over, and the other player keeps the seeds in theirs.

These are the rules of Irving, Donkers & Uiterwijk, "Solving Kalah" (ICGA Journal 23, 2000). The utility is the
margin, the player's seeds minus the opponent's. Cells are numbered as seeds are sown; with six pits:

           12 11 10  9  8  7     player 1
       13                     6
            0  1  2  3  4  5     player 0
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.games._parameters import switch, whole_number
from outplay.games._pictures import grid, outcome
from outplay.rules.board import Picture, Piece, Place, in_row
from outplay.rules.errors import RulesError
from outplay.rules.game import Game
from outplay.rules.indexing import composition_count, composition_index, put_composition


class Board(NamedTuple):
    """The seeds in each cell, and whose turn it is."""

    seeds: NDArray[np.int16]  # int16 [2 * (pits + 1)]: pits and store of player 0, then of player 1
    turn: int


class Kalah(Game):
    """Kalah with any number of pits and of seeds in each; an action is a pit, named 1, 2, … from its owner's left.

    >>> game = Kalah()
    >>> print(game.render(game.result(game.initial_state(), 2)))
      6 5 4 3 2 1
      4 4 4 4 4 4
    0             1
      4 4 0 5 5 5
      1 2 3 4 5 6
    player 0 to move
    """

    feature_names = ("stores", "seeds", "again")

    def __init__(self, pits: int = 6, seeds: int = 4, empty_capture: bool = True) -> None:
        self.pits = whole_number("pits", pits, 1, 100)
        self.seeds = whole_number("seeds", seeds, 1, 100)
        self.empty_capture = switch("empty_capture", empty_capture)
        self.all_seeds = 2 * self.pits * self.seeds
        self.utilities = (-self.all_seeds, self.all_seeds)

    def initial_state(self) -> Board:
        seeds = np.full(2 * (self.pits + 1), self.seeds, np.int16)
        seeds[self.pits] = seeds[-1] = 0
        return Board(seeds, 0)

    def to_move(self, board: Board) -> int:
        return board.turn

    def actions(self, board: Board) -> NDArray[np.int64]:
        first = board.turn * (self.pits + 1)
        full = np.flatnonzero(board.seeds[first : first + self.pits])
        return full[:0] if self.is_terminal(board) else full

    def result(self, board: Board, pit: int) -> Board:
        seeds = board.seeds.copy()
        first = board.turn * (self.pits + 1)
        store, other_store = first + self.pits, 2 * self.pits + 1 - first
        # 1. Sow.
        cell = first + pit
        in_hand = int(seeds[cell])
        seeds[cell] = 0
        while in_hand > 0:
            cell = (cell + 1) % len(seeds)
            if cell != other_store:
                seeds[cell] += 1
                in_hand -= 1
        # 2. Move again, or capture.
        if cell == store:
            return Board(seeds, board.turn)
        opposite = 2 * self.pits - cell
        if first <= cell < store and seeds[cell] == 1 and (self.empty_capture or seeds[opposite] > 0):
            seeds[store] += seeds[cell] + seeds[opposite]
            seeds[cell] = seeds[opposite] = 0
        return Board(seeds, 1 - board.turn)

    def is_terminal(self, board: Board) -> bool:
        return not board.seeds[: self.pits].any() or not board.seeds[self.pits + 1 : -1].any()

    def utility(self, board: Board, player: int) -> float:
        margin = board.seeds[: self.pits + 1].sum() - board.seeds[self.pits + 1 :].sum()
        return float(margin if player == 0 else -margin)

    def evaluate(self, board: Board, player: int) -> float:
        """The margin in the stores."""
        return self.margin(board, player)

    def margin(self, board: Board, player: int) -> float:
        """What a player has in its store, less what the other one has."""
        margin = board.seeds[self.pits] - board.seeds[-1]
        return float(margin if player == 0 else -margin)

    def utility_bounds(self, board: Board) -> tuple[float, float]:
        """The margin in the stores, if either player gets all other seeds."""
        margin = self.margin(board, board.turn)
        left = board.seeds.sum() - board.seeds[self.pits] - board.seeds[-1]
        return float(margin - left), float(margin + left)

    def features(self, board: Board) -> tuple[int, int, int]:
        """Seeds in the store, seeds in pits, pits that would move again: the player to move's minus the opponent's."""
        first = board.turn * (self.pits + 1)
        others = self.pits + 1 - first
        return (
            int(board.seeds[first + self.pits]) - int(board.seeds[others + self.pits]),
            int(board.seeds[first : first + self.pits].sum()) - int(board.seeds[others : others + self.pits].sum()),
            self.again(board, first) - self.again(board, others),
        )

    def again(self, board: Board, first: int) -> int:
        """How many of the pits from `first` on would sow their last seed into the store."""
        pits_again = 0
        for pit in range(self.pits):
            seeds = int(board.seeds[first + pit])
            pits_again += seeds > 0 and seeds % (2 * self.pits + 1) == self.pits - pit
        return pits_again

    def order(self, board: Board, pit: int) -> float:
        """The seeds that the action brings into the store, plus two for moving again."""
        after = self.result(board, pit)
        store = board.turn * (self.pits + 1) + self.pits
        return float(after.seeds[store] - board.seeds[store] + 2 * (after.turn == board.turn))

    # -- tables by the seeds in pits ----------------------------------------------------------------------------------

    def state_class(self, board: Board) -> int:
        """The number of seeds in pits: what is in the stores makes no difference to what follows."""
        return self.all_seeds - int(board.seeds[self.pits] + board.seeds[-1])

    def index_count(self, number: int) -> int:
        return composition_count(number, 2 * self.pits)

    def state_index(self, board: Board) -> int:
        """The seeds in pits, from the first one of the player to move on."""
        zero, one = board.seeds[: self.pits], board.seeds[self.pits + 1 : -1]
        return composition_index(np.concatenate((one, zero) if board.turn else (zero, one)))

    def indexed_state(self, number: int, index: int) -> Board:
        """Player 0 is to move; the stores have as many seeds, or that of player 0 one more."""
        contents, pits = np.zeros(2 * (self.pits + 1), np.int16), np.zeros(2 * self.pits, np.int16)
        put_composition(index, number, pits)
        contents[: self.pits], contents[self.pits + 1 : -1] = pits[: self.pits], pits[self.pits :]
        left = self.all_seeds - number
        contents[self.pits], contents[-1] = left - left // 2, left // 2
        return Board(contents, 0)

    def index_player(self, board: Board) -> int:
        return board.turn

    def index_points(self, board: Board, player: int) -> float:
        """The margin in the stores."""
        return self.margin(board, player)

    def parse_class(self, text: str) -> int:
        number = super().parse_class(text)
        if number > self.all_seeds:
            raise RulesError(f"{text!r}: classes are the seeds in pits, up to {self.all_seeds}")
        return number

    # -- pictures and texts -------------------------------------------------------------------------------------------

    def render(self, board: Board) -> str:
        numbers = range(1, self.pits + 1)
        lower, upper = board.seeds[: self.pits], board.seeds[self.pits + 1 : -1]
        rows = [
            ["", *reversed(numbers), ""],
            ["", *reversed(upper), ""],
            [board.seeds[-1], *[""] * self.pits, board.seeds[self.pits]],
            ["", *lower, ""],
            ["", *numbers, ""],
        ]
        picture = "\n".join(line.rstrip() for line in grid(rows).splitlines())
        return f"{picture}\n{outcome(self, board)}"

    def picture(self, board: Board) -> Picture:
        pits, last = self.pits, 2 * self.pits + 1
        places = [
            Place(last, 0.0, 0.5, "round", "dark", 1.0, 2.0),
            *in_row(range(last - 1, pits, -1), 1.0, 0.0, shape="round", shade="dark"),
            *in_row(range(pits), 1.0, 1.0, shape="round", shade="dark"),
            Place(pits, pits + 1.0, 0.5, "round", "dark", 1.0, 2.0),
        ]
        seeds: dict[Any, Piece] = {cell: Piece(str(number), None, "seeds") for cell, number in enumerate(board.seeds)}
        labels = [(str(pit + 1), pit + 1.0, 1.8) for pit in range(pits)]
        labels += [(str(pit + 1), float(pits - pit), -0.8) for pit in range(pits)]
        text = [outcome(self, board), "player 0: the lower row and the store on the right"]
        return Picture(places, seeds, text, labels, ground="wood")

    def action_cells(self, board: Board, pit: int) -> tuple[int]:
        return (board.turn * (self.pits + 1) + int(pit),)

    def action_name(self, board: Board, pit: int) -> str:
        return str(pit + 1)
