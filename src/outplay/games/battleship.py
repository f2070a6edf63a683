"""Battleship on small boards: hide ships, then shoot at those of the other player without seeing them.

First each player hides the same ships on their own board, in turn one ship each, vertically or horizontally, without
overlaps. Then they shoot in turn. The shooter learns whether the shot hit water, hit a ship, or sank it, that is, hit
the last of its cells; the opponent sees where it went. The game is over when all ships of a player are sunk, or when
both have made `shots` shots. Ships have values: the utility is the value of the ships sunk, minus `loss_multiplier`
times the value of the player's own ships that are sunk. The rules are those of OpenSpiel's `battleship`, after Farina,
Ling, Fang and Sandholm, "Correlation in Extensive-Form Games: Saddle-Point Formulation and Benchmarks" (2019).

Cells are numbered row by row from the top left corner; here with 3 columns and 2 rows:

      a b c
    1 0 1 2
    2 3 4 5

A place of a ship is its first cell, plus `cells` if the ship is vertical. The places of a fleet are the digits of one
int to the base 2 * cells, the first ship in the highest digit. A table lists all possible fleets in order, which limits
the size of the game: a placing is legal if some fleet begins with it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import is_positive, switch, whole_number
from outplay.games._phantom import changed
from outplay.games._pictures import grid, outcome
from outplay.rules.bits import lowest, squares
from outplay.rules.board import Picture, Piece, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

MAX_CELLS = 60
MAX_FLEETS = 100_000
WATER, HIT, SUNK = 0, 1, 2
ANSWERS = ("water", "hit", "sunk")
FINE = 1 << 30
"""The number of different random numbers below 1."""


class Board(NamedTuple):
    """The fleets and the shots; each pair is for player 0 and player 1."""

    moves: int  # ships placed and shots made by both players together
    fleet: tuple[int, int]  # the places of the ships, digits to the base 2 * cells
    occupied: tuple[int, int]  # the cells of the ships, as bits
    shot: tuple[int, int]  # the cells at which each player has shot, as bits
    order: tuple[int, int]  # the shots of each player, digits to the base cells
    answers: tuple[int, int]  # their results, digits to the base 3


class Battleship(Game):
    """Battleship; a ship is placed by its ends, such as `a1-b1`, and a shot is a cell, such as `c2`.

    `ships` are the sizes, `values` the values of the ships (1 by default), `shots` the number of shots per player. With
    `repeats`, players may shoot at a cell again. With a `loss_multiplier` other than 1 the game is not zero-sum; above
    1, players prefer losing nothing to sinking anything.

    >>> game = Battleship()
    >>> board = game.initial_state()
    >>> for name in "a1-b1", "c1-c2", "c2", "a1", "b1":
    ...     board = game.result(board, game.parse_action(board, name))
    >>> print(game.render(board))
      a b c     a b c
    1 * A .   1 . o A
    2 . . .   2 . . *
    player 1 to move
    >>> game.information_text(board, 0)
    'ships a1-b1; shots c2 hit, b1 water; shot at a1; player 1 to move'
    """

    def __init__(
        self,
        columns: int = 3,
        rows: int = 2,
        ships: Sequence[int] = (2,),
        values: Sequence[float] = (),
        shots: int = 3,
        repeats: bool = False,
        loss_multiplier: float = 1.0,
    ) -> None:
        self.columns = whole_number("columns", columns, 1, MAX_CELLS)
        self.rows = whole_number("rows", rows, 1, MAX_CELLS)
        self.cells = columns * rows
        if self.cells > MAX_CELLS:
            raise RulesError(f"columns={columns}, rows={rows}: a board has at most {MAX_CELLS} cells")
        if not isinstance(ships, Sequence) or isinstance(ships, str) or not ships:
            raise RulesError(f"ships={ships!r}: at least one ship is needed, a tuple of lengths such as (2, 3)")
        self.ships = tuple(whole_number(f"ships[{i}]", ship, 1, max(columns, rows)) for i, ship in enumerate(ships))
        worths = (1.0,) * len(self.ships) if isinstance(values, Sequence) and not values else values
        if not isinstance(worths, Sequence) or len(worths) != len(self.ships) or not all(map(is_positive, worths)):
            raise RulesError(f"values={values!r}: values must be a number above 0 for each of {len(self.ships)} ships")
        self.values = tuple(map(float, worths))
        self.repeats = switch("repeats", repeats)
        self.shots = whole_number("shots", shots, 1, 39 if repeats else min(39, self.cells))
        if self.cells**self.shots >= 1 << 63:
            raise RulesError(
                f"shots={shots}: too many for {self.cells} cells; cells ** shots must be less than 2 ** 63"
            )
        if loss_multiplier != 0 and not is_positive(loss_multiplier):
            raise RulesError(f"loss_multiplier={loss_multiplier!r}: loss_multiplier must be a number from 0 up")
        self.loss_multiplier = float(loss_multiplier)
        self.zero_sum = self.loss_multiplier == 1
        self.utilities = (-self.loss_multiplier * sum(self.values), sum(self.values))
        self.places = self._places()  # int64 [ships, 2 * cells]: the cells of a ship in each place; 0: off the board
        self.fleets, self.chances, self.covers, self.is_tight = self._fleets()  # int64, float64, int64 [fleets]; bool

    # -- rules ------------------------------------------------------------------------------------------------------

    def initial_state(self) -> Board:
        return Board(0, (0, 0), (0, 0), (0, 0), (0, 0), (0, 0))

    def to_move(self, board: Board) -> int:
        return board.moves % 2

    def placed(self, board: Board, player: int) -> int:
        """The number of ships that `player` has placed."""
        return min(len(self.ships), (board.moves + 1 - player) // 2)

    def actions(self, board: Board) -> Iterator[int]:
        """A shot at a cell is the number of the cell; placing a ship is `cells` plus the place."""
        mover = board.moves % 2
        ship = self.placed(board, mover)
        if ship < len(self.ships):
            for place in range(2 * self.cells):
                cells = self.places[ship, place]
                if (
                    cells != 0
                    and cells & board.occupied[mover] == 0
                    and self.leaves_room(board.fleet[mover], ship, place)
                ):
                    yield self.cells + place
        elif not self.is_terminal(board):
            for cell in range(self.cells):
                if self.repeats or board.shot[mover] >> cell & 1 == 0:
                    yield cell

    def leaves_room(self, fleet: int, ship: int, place: int) -> bool:
        """Whether the later ships fit too: whether some fleet begins with `fleet` and this place."""
        if not self.is_tight:
            return True
        placements_left = (2 * self.cells) ** (len(self.ships) - ship - 1)
        least = (fleet * 2 * self.cells + place) * placements_left
        first = np.searchsorted(self.fleets, least)
        return bool(first < len(self.fleets) and self.fleets[first] < least + placements_left)

    def result(self, board: Board, action: int) -> Board:
        mover, chosen = board.moves % 2, int(action)
        fleet, occupied, shot, order, answers = board.fleet, board.occupied, board.shot, board.order, board.answers
        if chosen >= self.cells:
            place, ship = chosen - self.cells, self.placed(board, mover)
            fleet = changed(fleet, mover, fleet[mover] * 2 * self.cells + place)
            occupied = changed(occupied, mover, occupied[mover] | int(self.places[ship, place]))
        else:
            shot = changed(shot, mover, shot[mover] | 1 << chosen)
            answer = self.answer(fleet[1 - mover], shot[mover], chosen)
            order = changed(order, mover, order[mover] * self.cells + chosen)
            answers = changed(answers, mover, answers[mover] * 3 + answer)
        return Board(board.moves + 1, fleet, occupied, shot, order, answers)

    def answer(self, fleet: int, shot: int, cell: int) -> int:
        """The result of a shot at `cell` of a complete fleet; `shot` is the set of cells shot at, including it."""
        for ship in range(len(self.ships) - 1, -1, -1):
            cells = int(self.places[ship, fleet % (2 * self.cells)])
            fleet //= 2 * self.cells
            if cells >> cell & 1:
                return SUNK if cells & ~shot == 0 else HIT
        return WATER

    def is_terminal(self, board: Board) -> bool:
        if board.moves < 2 * len(self.ships):
            return False
        is_sunk = board.occupied[0] & ~board.shot[1] == 0 or board.occupied[1] & ~board.shot[0] == 0
        return is_sunk or board.moves == 2 * (len(self.ships) + self.shots)

    def utility(self, board: Board, player: int) -> float:
        return self.sunk(board, 1 - player) - self.loss_multiplier * self.sunk(board, player)

    def sunk(self, board: Board, player: int) -> float:
        """The value of the ships of `player` that are sunk."""
        value, fleet = 0.0, board.fleet[player]
        for ship in range(self.placed(board, player) - 1, -1, -1):
            cells = int(self.places[ship, fleet % (2 * self.cells)])
            fleet //= 2 * self.cells
            if cells & ~board.shot[1 - player] == 0:
                value += self.values[ship]
        return value

    # -- what a player knows ----------------------------------------------------------------------------------------

    def information(self, board: Board, player: int) -> tuple[int, int, int, int, int]:
        """The number of moves made; the player's fleet, shots and their results; the shots of the opponent."""
        return board.moves, board.fleet[player], board.order[player], board.answers[player], board.order[1 - player]

    def determinize(self, board: Board, player: int, random: Any) -> Board:
        """The board with another fleet of the opponent: any that gives the same answers to all shots.

        If players shoot at random, their shots do not depend on their fleets, so only the answers say something about
        a fleet. The loop goes through all fleets; each replaces the one kept so far in proportion to its probability.
        """
        other, code, total = 1 - player, 0, 0.0
        results = self.told(board, player)
        hits = 0
        for i in range(len(results)):
            if results[i, 1] != WATER:
                hits |= 1 << results[i, 0]
        for i in range(len(self.fleets)):
            if self.covers[i] & board.shot[player] == hits and self.gives(int(self.fleets[i]), results):
                total += self.chances[i]
                if random_below(random, FINE) * total < FINE * self.chances[i]:
                    code = int(self.fleets[i])
        placed = self.placed(board, other)
        code //= (2 * self.cells) ** (len(self.ships) - placed)
        occupied, rest = 0, code
        for ship in range(placed - 1, -1, -1):
            occupied |= int(self.places[ship, rest % (2 * self.cells)])
            rest //= 2 * self.cells
        return Board(
            board.moves,
            changed(board.fleet, other, code),
            changed(board.occupied, other, occupied),
            board.shot,
            board.order,
            board.answers,
        )

    def told(self, board: Board, player: int) -> NDArray[np.int64]:
        """The shots of `player` and their results, in order: int64 [shots made, 2]."""
        number = max(0, (board.moves + 1 - player) // 2 - len(self.ships))
        told, order, answers = np.zeros((number, 2), np.int64), board.order[player], board.answers[player]
        for i in range(number - 1, -1, -1):
            told[i, 0], told[i, 1] = order % self.cells, answers % 3
            order //= self.cells
            answers //= 3
        return told

    def gives(self, fleet: int, results: NDArray[np.int64]) -> bool:
        """Whether a fleet would have given these answers."""
        shot = 0
        for i in range(len(results)):
            shot |= 1 << results[i, 0]
            if self.answer(fleet, shot, results[i, 0]) != results[i, 1]:
                return False
        return True

    # -- for people -------------------------------------------------------------------------------------------------

    def cell_name(self, cell: int) -> str:
        """A letter for the column and a number for the row."""
        return f"{ascii_lowercase[cell % self.columns]}{cell // self.columns + 1}"

    def place_name(self, ship: int, place: int) -> str:
        """The ends of a ship, or its only cell."""
        cells = int(self.places[ship, place])
        ends = self.cell_name(lowest(cells)), self.cell_name(cells.bit_length() - 1)
        return ends[0] if ends[0] == ends[1] else "-".join(ends)

    def fleet_places(self, board: Board, player: int) -> list[int]:
        """The places of the ships of `player`, in order."""
        fleet, number = board.fleet[player], self.placed(board, player)
        return [fleet // (2 * self.cells) ** i % (2 * self.cells) for i in reversed(range(number))]

    def action_name(self, board: Board, action: int) -> str:
        if action < self.cells:
            return self.cell_name(action)
        return self.place_name(self.placed(board, self.to_move(board)), action - self.cells)

    def parse_action(self, board: Board, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        return super().parse_action(board, text.strip().lower())

    def information_text(self, board: Board, player: int) -> str:
        """The player's ships, the player's shots and their results, and the opponent's shots, each in order."""
        names = [self.place_name(ship, place) for ship, place in enumerate(self.fleet_places(board, player))]
        parts = [f"ships {' '.join(names)}" if names else "no ships yet"]
        if shots := [f"{self.cell_name(cell)} {ANSWERS[result]}" for cell, result in self.told(board, player).tolist()]:
            parts.append(f"shots {', '.join(shots)}")
        if shots := [self.cell_name(cell) for cell, _ in self.told(board, 1 - player).tolist()]:
            parts.append(f"shot at {', '.join(shots)}")
        if self.is_terminal(board):
            parts.append("the game is over")
        elif self.to_move(board) != player:
            parts.append(f"player {1 - player} to move")
        return "; ".join(parts)

    def render(self, board: Board) -> str:
        """The boards of both players, with letters for ships, `*` for hits and `o` for shots at water."""
        boards = []
        for player in (0, 1):
            marks = ["."] * self.cells
            for ship, place in enumerate(self.fleet_places(board, player)):
                for cell in squares(int(self.places[ship, place])):
                    marks[cell] = ascii_uppercase[ship % 26]
            for cell in squares(board.shot[1 - player]):
                marks[cell] = "o" if marks[cell] == "." else "*"
            rows = [[row + 1, *marks[row * self.columns : (row + 1) * self.columns]] for row in range(self.rows)]
            boards.append(grid([["", *ascii_lowercase[: self.columns]], *rows]).splitlines())
        return "\n".join([*map("   ".join, zip(*boards, strict=True)), outcome(self, board)])

    def picture(self, board: Board) -> Picture:
        """The boards of both players with all ships, although nobody sees those of the other; a cell is (player, cell).

        X is a hit and a dot a shot at water.
        """
        pieces: dict[Any, list[Piece]] = {}
        boards = []
        for player in (0, 1):
            pieces |= {(player, cell): [] for cell in range(self.cells)}
            for ship, place in enumerate(self.fleet_places(board, player)):
                for cell in squares(int(self.places[ship, place])):
                    pieces[player, cell].append(Piece(ascii_uppercase[ship % 26], None, "tile"))
            for cell in squares(board.shot[1 - player]):
                is_hit = bool(pieces[player, cell])
                pieces[player, cell].append(Piece("✕", 0) if is_hit else Piece(shape="dot"))
            own = {cell: piece for cell, piece in pieces.items() if isinstance(cell, tuple) and cell[0] == player}
            boards.append(
                square_board(
                    self.rows,
                    self.columns,
                    own,
                    shade="blue",
                    names=partial(_cell_of, player, self.columns),
                    row_names=range(1, self.rows + 1),
                    column_names=ascii_lowercase[: self.columns],
                    colours=("red",),
                )
            )
        wide = self.columns + 1.5
        both = boards[0].with_more(boards[1].moved(wide, 0.0))
        names = [(f"player {player}", player * wide + self.columns / 2 - 0.5, -0.9) for player in (0, 1)]
        return replace(both, text=[outcome(self, board)], labels=[*both.labels, *names])

    def seat_picture(self, board: Board, player: int) -> Picture:
        """Both boards as `player` sees them: the other's without ships."""
        drawn = self.picture(board)
        seen = {
            cell: [piece for piece in drawn.pieces_on(cell) if cell[0] == player or piece.shape != "tile"]
            for cell in drawn.pieces
        }
        return replace(drawn, pieces=seen, text=self.information_text(board, player).split("; "))

    def action_cells(self, board: Board, action: int) -> list[tuple[int, int]]:
        """The cell of a shot, or all cells of a ship that is placed."""
        mover = self.to_move(board)
        if action < self.cells:
            return [(1 - mover, int(action))]
        place = int(self.places[self.placed(board, mover), action - self.cells])
        return [(mover, cell) for cell in squares(place)]

    # -- tables -----------------------------------------------------------------------------------------------------

    def _places(self) -> NDArray[np.int64]:
        places = np.zeros((len(self.ships), 2 * self.cells), np.int64)
        for ship, size in enumerate(self.ships):
            for cell in range(self.cells):
                row, column = divmod(cell, self.columns)
                if column + size <= self.columns:
                    places[ship, cell] = sum(1 << cell + i for i in range(size))
                if row + size <= self.rows and size > 1:
                    places[ship, self.cells + cell] = sum(1 << cell + i * self.columns for i in range(size))
        return places

    def _fleets(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], bool]:
        """All fleets in order, the probability of each if every placing is random, and the cells of each.

        The last value says whether some placing of ships leaves no room for the remaining ones.
        """
        base = 2 * self.cells
        if base ** len(self.ships) >= 1 << 63:
            raise RulesError(
                f"ships={self.ships}: too many for {self.cells} cells; (2 * cells) ** ships must be less than 2 ** 63"
            )
        partial_fleets = [(0, 0)]  # fleet and cells; those that the remaining ships can complete
        beginnings = []
        for places in self.places.tolist():
            beginnings.append(len(partial_fleets))
            partial_fleets = [
                (fleet * base + place, taken | cells)
                for fleet, taken in partial_fleets
                for place, cells in enumerate(places)
                if cells and not taken & cells
            ]
            if len(partial_fleets) > MAX_FLEETS:
                raise RulesError(
                    f"ships={self.ships}: more than {MAX_FLEETS:,} ways to place them; the board is too large"
                )
        if not partial_fleets:
            raise RulesError(f"ships={self.ships}: they do not fit on {self.columns} x {self.rows} cells")
        fleets = np.array([fleet for fleet, _ in partial_fleets], np.int64)
        chances, is_tight = np.ones(len(fleets)), False
        for ship in range(len(self.ships)):
            starts = np.unique(fleets // base ** (len(self.ships) - ship - 1))  # with this ship
            before, options = np.unique(starts // base, return_counts=True)
            is_tight |= len(before) < beginnings[ship]
            chances /= options[np.searchsorted(before, fleets // base ** (len(self.ships) - ship))]
        return fleets, chances, np.array([cells for _, cells in partial_fleets], np.int64), is_tight


def _cell_of(player: int, columns: int, row: int, column: int) -> tuple[int, int]:
    """The name of a cell of a player's board."""
    return player, row * columns + column
