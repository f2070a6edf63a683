"""Oware, also known as Awari: sow the seeds of a pit around the board, and capture twos and threes.

Each player has a row of pits. In turn they empty one of their own and sow its seeds one by one anticlockwise, skipping
the pit that they came from. If the last seed makes two or three in a pit of the opponent, these are captured, and so
are the twos and threes in the pits before it, one after the other, until a pit of the opponent holds another number. A
grand slam, which would capture all seeds of the opponent, captures nothing: the seeds stay. If the opponent has no
seeds, the player must make a move that gives them some.

The game is over when a player has captured more than half of the seeds, when the player to move has no legal move, or
after `longest_idle` plies in a row without a capture; then the players keep the seeds in their own pits. The last rule
is for games that go in circles, which players end in the same way; OpenSpiel ends a game when a state is repeated. The
utility is the margin, the player's seeds minus the opponent's.

These are the Abapa rules of tournaments. With `awari=True`, the game has the rules of Romein & Bal, "Solving the Game
of Awari using Parallel Retrograde Analysis" (IEEE Computer 36, 2003), who found it to be a draw:

- A move that leaves the opponent without seeds, also by a grand slam, is legal only if all moves do so; it captures.
- The game is over when the player to move has no seeds, and after `longest_idle` plies without a capture. Then the
  seeds on the board are shared equally, where they end it when a position is repeated.

What was captured then makes no difference to what follows, so that tables by class hold the seeds on the board alone.

Pits are numbered as seeds are sown; with six:

    11 10  9  8  7  6     player 1
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
    """The seeds in each pit, and whose turn it is."""

    seeds: NDArray[np.int16]  # int16 [2 * pits]: the pits of player 0, then of player 1
    captured: tuple[int, int]
    turn: int
    idle: int  # plies since the last capture


class Oware(Game):
    """Oware; an action is a pit, named A, B, … from its owner's left, in small letters for player 1.

    >>> game = Oware()
    >>> board = game.initial_state()
    >>> for name in "B", "c":
    ...     board = game.result(board, game.parse_action(board, name))
    >>> print(game.render(board))
      f e d c b a
    0 5 5 5 0 4 4
      5 0 5 5 5 5 0
      A B C D E F
    player 0 to move
    >>> game.state_text(board)
    '5,0,5,5,5,5/4,4,0,5,5,5 0-0 0 2'
    """

    feature_names = ("captured", "seeds", "weak")

    def __init__(self, pits: int = 6, seeds: int = 4, longest_idle: int = 100, awari: bool = False) -> None:
        self.pits = whole_number("pits", pits, 1, 26)
        self.seeds = whole_number("seeds", seeds, 1, 100)
        self.longest_idle = whole_number("longest_idle", longest_idle, 1, 10_000)
        self.awari = switch("awari", awari)
        self.all_seeds = 2 * self.pits * self.seeds
        self.utilities = (-self.all_seeds, self.all_seeds)

    def initial_state(self) -> Board:
        return Board(np.full(2 * self.pits, self.seeds, np.int16), (0, 0), 0, 0)

    def to_move(self, board: Board) -> int:
        return board.turn

    def actions(self, board: Board) -> NDArray[np.int64]:
        return np.flatnonzero(self.legal(board))

    def legal(self, board: Board) -> NDArray[np.bool_]:
        """Whether each pit of the player to move, from their left, can be played."""
        first, others = board.turn * self.pits, (1 - board.turn) * self.pits
        row = board.seeds[first : first + self.pits]
        if self.is_decided(board):
            return row < 0
        if self.awari:
            feeds = row < 0
            for pit in range(self.pits):
                if row[pit] > 0:
                    seeds, begin, end = self.sown(board, pit)
                    feeds[pit] = seeds[others : others + self.pits].sum() > seeds[begin:end].sum()
            return feeds if feeds.any() else row > 0
        if board.seeds[others : others + self.pits].any():
            return row > 0
        return row >= np.arange(self.pits, 0, -1)  # enough seeds to reach the opponent's pits

    def is_decided(self, board: Board) -> bool:
        """Whether the game is over because of the captured seeds, or because captures have become rare."""
        if self.awari:
            return board.idle >= self.longest_idle
        return 2 * max(board.captured) > self.all_seeds or board.idle >= self.longest_idle

    def sown(self, board: Board, pit: int) -> tuple[NDArray[np.int16], int, int]:
        """The seeds after sowing those of a pit, and from where to where the pits could be captured."""
        seeds = board.seeds.copy()
        first, others = board.turn * self.pits, (1 - board.turn) * self.pits
        start = cell = first + pit
        in_hand = int(seeds[start])
        seeds[start] = 0
        while in_hand > 0:
            cell = (cell + 1) % len(seeds)
            if cell != start:
                seeds[cell] += 1
                in_hand -= 1
        end = cell + 1
        while others <= cell < others + self.pits and 2 <= seeds[cell] <= 3:
            cell -= 1
        return seeds, cell + 1, end

    def result(self, board: Board, pit: int) -> Board:
        seeds, begin, end = self.sown(board, pit)
        taken, others = int(seeds[begin:end].sum()), (1 - board.turn) * self.pits
        if taken == 0 or (not self.awari and taken == seeds[others : others + self.pits].sum()):  # a grand slam
            return Board(seeds, board.captured, 1 - board.turn, board.idle + 1)
        seeds[begin:end] = 0
        zero, one = board.captured
        captured = (zero + taken, one) if board.turn == 0 else (zero, one + taken)
        return Board(seeds, captured, 1 - board.turn, 0)

    def is_terminal(self, board: Board) -> bool:
        if self.awari:
            first = board.turn * self.pits
            return self.is_decided(board) or not board.seeds[first : first + self.pits].any()
        return not self.legal(board).any()

    def utility(self, board: Board, player: int) -> float:
        """The margin, where the seeds in pits count for their owner; in Awari, not if the player could still move."""
        margin = float(board.captured[0] - board.captured[1])
        first = board.turn * self.pits
        if not self.awari or not board.seeds[first : first + self.pits].any():
            margin += float(board.seeds[: self.pits].sum() - board.seeds[self.pits :].sum())
        return margin if player == 0 else -margin

    def evaluate(self, board: Board, player: int) -> float:
        """The margin of the captured seeds."""
        return float(board.captured[player] - board.captured[1 - player])

    def order(self, board: Board, pit: int) -> float:
        """The number of seeds that the action captures."""
        return float(self.result(board, pit).captured[board.turn] - board.captured[board.turn])

    def features(self, board: Board) -> tuple[int, int, int]:
        """Seeds captured, seeds in pits, pits with one or two seeds: the player to move's minus the opponent's.

        A pit with one or two seeds can be captured next.
        """
        row = board.seeds[board.turn * self.pits :][: self.pits]
        other = board.seeds[(1 - board.turn) * self.pits :][: self.pits]
        return (
            board.captured[board.turn] - board.captured[1 - board.turn],
            int(row.sum()) - int(other.sum()),
            int(((row == 1) | (row == 2)).sum()) - int(((other == 1) | (other == 2)).sum()),
        )

    # -- tables by the seeds on the board, in Awari -------------------------------------------------------------------

    def state_class(self, board: Board) -> int:
        """The number of seeds on the board."""
        return int(board.seeds.sum()) if self.awari else -1

    def index_count(self, number: int) -> int:
        return composition_count(number, 2 * self.pits) if self.awari and number <= self.all_seeds else 0

    def state_index(self, board: Board) -> int:
        """The seeds in the pits, from the first one of the player to move on."""
        return composition_index(board.seeds, board.turn * self.pits)

    def indexed_state(self, number: int, index: int) -> Board:
        """Player 0 is to move; the players have captured as many seeds, or player 0 one more."""
        seeds = np.zeros(2 * self.pits, np.int16)
        put_composition(index, number, seeds)
        left = self.all_seeds - number
        return Board(seeds, (left - left // 2, left // 2), 0, 0)

    def passed_state(self, board: Board) -> Board:
        return Board(board.seeds, board.captured, 1 - board.turn, board.idle)

    def index_player(self, board: Board) -> int:
        return board.turn

    def index_plies(self, board: Board) -> int:
        return max(0, self.longest_idle - board.idle)

    def index_points(self, board: Board, player: int) -> float:
        """The margin of the captured seeds."""
        return float(board.captured[player] - board.captured[1 - player])

    def parse_class(self, text: str) -> int:
        if not self.awari:
            raise RulesError(f"{self!r} has classes only with awari=True, since its end depends on what was captured")
        number = super().parse_class(text)
        if number > self.all_seeds:
            raise RulesError(f"{text!r}: classes are the seeds on the board, up to {self.all_seeds}")
        return number

    # -- pictures and texts -----------------------------------------------------------------------------------------

    def render(self, board: Board) -> str:
        """The pits, with the captured seeds of each player at the ends."""
        names = [self.name(pit, 0) for pit in range(self.pits)]
        lower, upper = board.seeds[: self.pits], board.seeds[self.pits :]
        rows = [
            ["", *(name.lower() for name in reversed(names)), ""],
            [board.captured[1], *reversed(upper), ""],
            ["", *lower, board.captured[0]],
            ["", *names, ""],
        ]
        picture = "\n".join(line.rstrip() for line in grid(rows).splitlines())
        return f"{picture}\n{outcome(self, board)}"

    def picture(self, board: Board) -> Picture:
        """The pits, and at the ends what the players have captured, on cells 2 * pits and 2 * pits + 1."""
        n = self.pits
        places = [
            Place(2 * n + 1, 0.0, 0.5, "round", "wood", 1.0, 2.0),
            *in_row(range(2 * n - 1, n - 1, -1), 1.0, 0.0, shape="round", shade="dark"),
            *in_row(range(n), 1.0, 1.0, shape="round", shade="dark"),
            Place(2 * n, n + 1.0, 0.5, "round", "wood", 1.0, 2.0),
        ]
        numbers = [*board.seeds.tolist(), *board.captured]
        seeds: dict[Any, Piece] = {cell: Piece(str(number), None, "seeds") for cell, number in enumerate(numbers)}
        labels = [(self.name(pit, 0), pit + 1.0, 1.8) for pit in range(n)]
        labels += [(self.name(pit, 1), float(n - pit), -0.8) for pit in range(n)]
        text = [outcome(self, board), f"captured: player 0 {board.captured[0]}, player 1 {board.captured[1]}"]
        drawn = Picture(places, seeds, text, labels, ground="wood")
        return drawn.named(lambda pit: self.name(pit % n, pit // n) if pit < 2 * n else "")

    def action_cells(self, board: Board, pit: int) -> tuple[int]:
        return (board.turn * self.pits + int(pit),)

    def name(self, pit: int, player: int) -> str:
        """The name of a pit of `player`."""
        return chr(ord("a" if player else "A") + pit)

    def action_name(self, board: Board, pit: int) -> str:
        return self.name(pit, board.turn)

    def parse_action(self, board: Board, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        text = text.strip()
        return super().parse_action(board, text.lower() if board.turn else text.upper())

    def state_text(self, board: Board) -> str:
        """The pits of player 0, of player 1, the captured seeds, the number of the player to move, and `idle`."""
        rows = (",".join(map(str, row.tolist())) for row in (board.seeds[: self.pits], board.seeds[self.pits :]))
        return f"{'/'.join(rows)} {board.captured[0]}-{board.captured[1]} {board.turn} {board.idle}"

    def parse_state(self, text: str) -> Board:
        example = self.state_text(self.initial_state())
        try:
            pits, captured, turn, idle = text.split()
            lengths = [len(row.split(",")) for row in pits.split("/")]
            seeds = [int(number) for number in pits.replace("/", ",").split(",")]
            zero, one = map(int, captured.split("-"))
            board = Board(np.array(seeds, np.int16), (zero, one), int(turn), int(idle))
        except (ValueError, OverflowError):
            raise RulesError(
                f"{text!r}: expected the pits of both players, what they captured, the player to move and the plies"
                f" since a capture, such as {example}"
            ) from None
        if lengths != [self.pits, self.pits]:
            raise RulesError(f"{text!r}: two rows of {self.pits} pits, such as {example}")
        if board.turn not in (0, 1):
            raise RulesError(f"{text!r}: {turn}: the player to move is 0 or 1")
        if not 0 <= board.idle <= self.longest_idle:
            raise RulesError(f"{text!r}: {idle}: plies since a capture, from 0 to {self.longest_idle}")
        if min(*seeds, zero, one) < 0 or sum(seeds) + zero + one != self.all_seeds:
            raise RulesError(f"{text!r}: the seeds must add up to {self.all_seeds}, with no number below 0")
        return board
