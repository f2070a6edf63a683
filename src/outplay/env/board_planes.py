"""The locations of a layout as planes of a board, from the side of a player.

What a symbol of a location means to a player is learned from pictures of states: where it goes with one piece, it is
"mine" or of the player so many seats on. Where pictures do not say it, each symbol has a plane of its own.

    plane     0             1              …    number 0      …    is to move    seat
              my discs      their discs         0 to 1 all over    0 or 1        0 to 1

Only rules of the state are asked when an observation is made: `rule` is a function that compiles.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from outplay.evaluation.columns import read_columns
from outplay.evaluation.generated_code import function_from
from outplay.evaluation.layout import Layout, Location, Part, Samples
from outplay.evaluation.planes import movers
from outplay.rules.board import Picture, Piece
from outplay.rules.game import Game

DRAWN = 1000
"""So many states are drawn to learn what symbols mean."""
BLACK_MEN = str.maketrans("♚♛♜♝♞♟", "♔♕♖♗♘♙")
"""The men of black as those of white."""
Label = tuple[Any, ...]
Drawing = tuple[Piece, ...]
SQUARES = 4
"""A board has at most so many squares of a grid for each cell, or its cells are in one row."""


class BoardPlanes:
    """Where each symbol of each location is written.

    Attributes:
        shape: planes, rows and columns.
        table: int64: for each viewer, player to move, location and symbol, the place in an observation; -1: none.

    >>> from outplay.evaluation.layout import layout_of, sample
    >>> from outplay.games import ConnectFour
    >>> game = ConnectFour()
    >>> samples = sample(game, 500)
    >>> BoardPlanes(game, layout_of(game, samples), samples).shape
    (4, 6, 7)
    """

    def __init__(self, game: Game, layout: Layout, samples: Samples) -> None:
        self.game, self.layout = game, layout
        states, self.sees_ends = _with_ends(game, samples)
        boards = _drawn(game, states[:: -(-len(states) // DRAWN)])
        self.squares, self.rows, self.columns = _grid([board for _, board in boards], layout)
        on_board = [place for place, location in enumerate(layout.locations) if location.cell in self.squares]
        self.others = [place for place in range(len(layout.locations)) if place not in set(on_board)]
        self.seats = movers(game)
        labels = self._labels(on_board, boards)
        names = sorted(set(labels.values()), key=repr)
        area, starts = self.rows * self.columns, np.cumsum([0, *layout.sizes])
        self.table = np.full((game.players, self.seats, int(starts[-1])), -1, np.int64)
        for (viewer, mover, place, symbol), label in labels.items():
            square = self.squares[layout.locations[place].cell]
            self.table[viewer, mover, starts[place] + symbol] = names.index(label) * area + square
        self.planes = len(names)
        if not on_board:  # an input for each symbol
            self.table[:, :, :] = np.arange(starts[-1])
            self.planes = int(starts[-1])
        self.located = on_board or self.others
        self.shape = (self.planes + len(self.others) * bool(on_board) + 2 * (game.players > 1), self.rows, self.columns)

    def _labels(self, on_board: list[int], boards: list[tuple[Any, Picture]]) -> dict[tuple[int, int, int, int], Label]:
        """What each symbol means, by viewer, player to move and location; none for what is empty."""
        game, locations, roles = self.game, self.layout.locations, _roles([board for _, board in boards])
        symbols = self.layout.symbols(read_columns(self.layout.columns, [state for state, _ in boards]))
        seen: dict[tuple[int, int, int], set[Drawing]] = defaultdict(set)
        at_ends: dict[tuple[int, int, int], set[Drawing]] = defaultdict(set)
        for (state, board), row in zip(boards, symbols.tolist(), strict=True):
            mover, where = game.to_move(state) % self.seats, at_ends if game.is_terminal(state) else seen
            for place in on_board:
                where[place, row[place], mover].add(board.pieces_on(locations[place].cell))
        vague = {place for (place, _, _), drawings in seen.items() if len(drawings) > 1}
        seen = {**at_ends, **seen}  # pieces that are shown at the end alone, such as the one that has won, tell less
        alike: dict[Any, set[Drawing]] = defaultdict(set)
        for (place, symbol, mover), drawings in seen.items():
            if place not in vague:
                alike[_kind(locations[place]), symbol, mover] |= drawings
        labels: dict[tuple[int, int, int, int], Label] = {}
        first_on: dict[Hashable, int] = {}
        for place in on_board:
            location = locations[place]
            layer = place - first_on.setdefault(location.cell, place)
            for mover in range(self.seats):
                ranks: dict[Drawing, int] = {}
                for symbol in range(location.symbols):
                    drawings = seen.get((place, symbol, mover)) or alike.get((_kind(location), symbol, mover), set())
                    for viewer in range(game.players):
                        if place in vague or len(drawings) != 1:
                            if symbol:
                                labels[viewer, mover, place, symbol] = ("symbol", layer, symbol)
                            continue
                        [drawing] = drawings
                        rank = ranks.setdefault(drawing, symbol)
                        label = tuple(
                            (-1 if piece.player is None else (piece.player - viewer) % game.players, roles[piece])
                            for piece in drawing
                        )
                        if label or rank != symbol:
                            labels[viewer, mover, place, symbol] = (*label, layer, 0 if rank == symbol else symbol)
        return labels

    def rule(self) -> Callable[..., Any]:
        """The rule `observe(self, state, player, out)`, which reads `self.observation_table`."""
        layout, lines = self.layout, ["table = self.observation_table"]
        if not self.sees_ends:
            lines += ["if self.is_terminal(state):", "    return"]
        lines += ["mover = self.to_move(state)", f"mover = mover if mover >= 0 else {self.seats - 1}"]
        used = {part.column for location in layout.locations for part in location.parts}
        lines += [f"c{number} = {layout.columns[number].source}" for number in sorted(used)]
        starts = np.cumsum([0, *layout.sizes]).tolist()
        for place in self.located:
            lines += [f"at = table[player, mover, {starts[place]} + {_symbol(layout.locations[place])}]",
                      "if at >= 0:", "    out[at] = 1"]  # fmt: skip
        area, end = self.rows * self.columns, self.planes * self.rows * self.columns
        beside = [] if self.located is self.others else [layout.locations[place] for place in self.others]
        fills = [f"{_symbol(location)} * {1 / max(location.symbols - 1, 1)!r}" for location in beside]
        if self.game.players > 1:
            fills += ["1.0 if player == mover else 0.0", f"player * {1 / (self.game.players - 1)!r}"]
        for number, fill in enumerate(fills):
            start = end + number * area
            lines += [f"value = {fill}", f"for place in range({start}, {start + area}):", "    out[place] = value"]
        return function_from("observe", "self, state, player, out", lines, {})


def _with_ends(game: Game, samples: Samples) -> tuple[list[Any], bool]:
    """The states whose player to move is known; whether they include those in which the game is over."""
    try:
        sees_ends = bool(samples.ends) and all(-1 <= game.to_move(state) < game.players for state in samples.ends)
    except Exception:  # nobody else asks rules who is to move there
        sees_ends = False
    return samples.states + samples.ends * sees_ends, sees_ends


def _drawn(game: Game, states: list[Any]) -> list[tuple[Any, Picture]]:
    """States with their pictures; none where the game draws nothing."""
    boards = ((state, game.picture(state)) for state in states)
    return [(state, board) for state, board in boards if board is not None]


def _grid(boards: list[Picture], layout: Layout) -> tuple[dict[Hashable, int], int, int]:
    """The square of each cell with a location, and the rows and columns of the grid of squares."""
    cells = {location.cell for location in layout.locations if location.cell is not None}
    middles = {place.cell: (round(place.y, 2), round(place.x, 2))
               for board in boards for place in board.places if place.cell in cells}  # fmt: skip
    if not middles:
        return {}, 1, 1
    ys, xs = (sorted(set(numbers)) for numbers in zip(*middles.values(), strict=True))
    if len(ys) * len(xs) > SQUARES * len(middles) or len(set(middles.values())) < len(middles):
        return {cell: number for number, cell in enumerate(middles)}, 1, len(middles)
    squares = {cell: ys.index(y) * len(xs) + xs.index(x) for cell, (y, x) in middles.items()}
    return squares, len(ys), len(xs)


def _kind(location: Location) -> Hashable:
    """Locations with the same kind are read alike from different places of a state."""
    return tuple((part.bit >= 0, part.factor, part.low, part.drawn) for part in location.parts)


def _roles(boards: list[Picture]) -> dict[Piece, Label]:
    """What each piece is, whoever owns it: its shape and, where a player has several texts of this shape, its text."""
    pieces = {piece for board in boards for cell in board.pieces for piece in board.pieces_on(cell)}
    texts: dict[tuple[int | None, str], set[str]] = defaultdict(set)
    for piece in pieces:
        texts[piece.player, piece.shape].add(piece.text)
    texted = {shape for (_, shape), its_texts in texts.items() if len(its_texts) > 1}
    return {piece: (piece.shape, piece.text.translate(BLACK_MEN) if piece.shape in texted else "") for piece in pieces}


def _symbol(location: Location) -> str:
    """Python for the symbol of a location, from the columns."""
    text = " + ".join(map(_part, location.parts))
    most = sum(max(part.drawn) if part.drawn else part.factor * (1 if part.bit >= 0 else part.high - part.low)
               for part in location.parts)  # fmt: skip
    return f"({text})" if most < location.symbols else f"min({text}, {location.symbols - 1})"


def _part(part: Part) -> str:
    """Python for what a part adds."""
    column = f"c{part.column}"
    if part.bit >= 0:
        return f"({column} >> {part.bit} & 1) * {part.factor}" if part.factor != 1 else f"({column} >> {part.bit} & 1)"
    number = f"(min(max({column}, {part.low}), {part.high}) - {part.low})"
    if part.drawn:
        cases = "".join(f"{drawn} if {number} == {value} else " for value, drawn in enumerate(part.drawn) if drawn)
        return f"({cases}0)"
    return f"{number} * {part.factor}" if part.factor != 1 else number
