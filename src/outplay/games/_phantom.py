"""Phantom games: two players put stones on the cells of one board, and neither sees those of the other.

A player who tries a cell learns whether it is free. If so, the stone is placed and the turn passes; if not, the player
tries another cell, or loses the turn if the game is `abrupt`. No player tries a cell twice, since it is known then. So
players know the order of their own tries and the answers; with `reveal="attempts"` also how often the opponent has
tried, turn by turn. Everybody knows whose turn it is and when the game is over.

A set of cells is an int with one bit per cell. The order of tries is an int too: the k-th try, counted from 0, is the
number of untried cells below it, a digit of base n - k on a board of n cells (a Lehmer code). The largest board has 20
cells, since 20! fits into 63 bits and 21! does not.

A subclass says who has won. Start reading at `result`; the method of `determinize` is explained in its docstring.
"""

from abc import abstractmethod
from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import switch
from outplay.games._pictures import DISCS, outcome, seen_by, turn_line
from outplay.rules.bits import count, lowest, squares
from outplay.rules.board import Picture, Piece
from outplay.rules.errors import RulesError
from outplay.rules.game import Game

MAX_CELLS = 20
OPEN, DRAW = -1, 2
"""Returned instead of a winner: the game goes on; nobody has won."""
FINE = 1 << 30
"""The number of different random numbers below 1."""


class Board(NamedTuple):
    """The stones on the board, and what each player has tried; each pair is for player 0 and player 1."""

    stones: tuple[int, int]
    tried: tuple[int, int]  # the cells that the player knows
    order: tuple[int, int]  # the order in which they were tried, a Lehmer code
    answers: tuple[int, int]  # a bit for each try below a leading 1: 1 if the cell was free; the last try is bit 0
    turn: int
    winner: int


class Past(NamedTuple):
    """What a player knows about the turns of the opponent; a turn is a try if the game is `abrupt`, else a stone.

    The opponent's turns are counted from 0 to `turns`, which is the next turn or the one in progress.
    """

    turns: int  # the number of turns that are over
    placed: NDArray[np.int64]  # the player's own stones, in order
    met: NDArray[np.int64]  # the opponent's stones that the player knows, in the order in which they were found
    stood: NDArray[np.int64]  # int64 [turns + 1]: how many of `placed` were on the board when a turn began
    due: NDArray[np.int64]  # int64 [turns + 1]: how many of `met` must have been on the board when a turn began
    least: NDArray[np.int64]  # int64 [turns + 1]: the minimum number of tries that had failed when a turn ended
    most: NDArray[np.int64]  # int64 [turns + 1]: and the maximum


class PhantomGame(Game):
    """The common part of phantom games; a subclass defines `has_won` and how the board is drawn."""

    utilities = (-1, 1)
    rows: int
    columns: int
    top_first: bool  # whether row 1 is the top one

    def __init__(self, cells: int, reveal: str, abrupt: bool) -> None:
        if reveal not in ("nothing", "attempts"):
            raise RulesError(f'reveal={reveal!r}: reveal must be "nothing" or "attempts"')
        self.cells = cells
        self.all = (1 << cells) - 1
        self.abrupt = switch("abrupt", abrupt)
        self.tells = reveal == "attempts" and not abrupt  # if each turn is one attempt there is nothing to tell

    @abstractmethod
    def has_won(self, stones: int, player: int) -> bool:
        """Whether `player` has won with these stones."""

    # -- rules ------------------------------------------------------------------------------------------------------

    def initial_state(self) -> Board:
        return Board((0, 0), (0, 0), (0, 0), (1, 1), 0, OPEN)

    def to_move(self, board: Board) -> int:
        return board.turn

    def actions(self, board: Board) -> int:
        """The cells that the player to move has not tried, as a bit mask."""
        return self.all & ~board.tried[board.turn] if board.winner == OPEN else 0

    def result(self, board: Board, action: int) -> Board:
        mover, cell = board.turn, int(action)
        other = 1 - mover
        is_free = board.stones[other] >> cell & 1 == 0
        mine = board.stones[mover] | (1 << cell if is_free else 0)
        return Board(
            changed(board.stones, mover, mine),
            changed(board.tried, mover, board.tried[mover] | 1 << cell),
            changed(board.order, mover, self.appended(board.order[mover], board.tried[mover], cell)),
            changed(board.answers, mover, 2 * board.answers[mover] + (1 if is_free else 0)),
            other if is_free or self.abrupt else mover,
            self.winner(mine, board.stones[other], mover) if is_free else OPEN,
        )

    def appended(self, order: int, tried: int, cell: int) -> int:
        """The order of the cells in `tried`, with one more try."""
        untried = self.all & ~tried
        return order * count(untried) + count(untried & (1 << cell) - 1)

    def winner(self, mine: int, theirs: int, player: int) -> int:
        """The winner, `OPEN` or `DRAW` after `player`, whose stones are now `mine`, has just placed one."""
        if self.has_won(mine, player):
            return player
        return DRAW if mine | theirs == self.all else OPEN

    def is_terminal(self, board: Board) -> bool:
        return board.winner != OPEN

    def utility(self, board: Board, player: int) -> int:
        if board.winner == DRAW:
            return 0
        return 1 if board.winner == player else -1

    # -- what a player knows ----------------------------------------------------------------------------------------

    def information(self, board: Board, player: int) -> tuple[int, int, int, int]:
        """Whose turn it is (-1 at the end), the player's tries and the answers, the opponent's failed tries if told.

        If attempts are told, each turn of the opponent ends with the try that did not fail.
        """
        answers_told = board.answers[1 - player] if self.tells else 0
        return (board.turn if board.winner == OPEN else -1), board.order[player], board.answers[player], answers_told

    def determinize(self, board: Board, player: int, random: Any) -> Board:
        """The board with another past of the opponent; if the game is over, the board itself.

        A player's k-th try is one of n - k cells, each equally likely, whatever the past. So the probability of a
        past of the opponent, tries i = 0, 1, …, is proportional to the product of all 1 / (n - i). What `player` knows
        determines when the cells that they met must have been taken, and which cells never were. Failed tries can be
        exchanged for one another, and so can cells that `player` has never tried. So it is enough to draw the sequence
        of kinds of tries, by the weight of all pasts that begin in this way (`weights`), and then the cells (`drawn`).
        The opponent must not have won already; if so, the draw is repeated. The true past shows that this ends.
        """
        if board.winner != OPEN:
            return board
        other = 1 - player
        past = self.past(board, player)
        goes_on = board.turn == other and not self.abrupt
        weights = self.weights(past, goes_on)
        untried = self.all & ~board.tried[player]
        while True:
            stones, tried, order, answers = self.drawn(past, weights, goes_on, untried, random)
            if self.winner(stones, board.stones[player], other) == OPEN:
                return Board(
                    changed(board.stones, other, stones),
                    changed(board.tried, other, tried),
                    changed(board.order, other, order),
                    changed(board.answers, other, answers),
                    board.turn,
                    OPEN,
                )

    def past(self, board: Board, player: int) -> Past:
        """What `player` knows about the turns of the opponent."""
        other, number = 1 - player, count(board.tried[player])
        turns = count(board.tried[other] if self.abrupt else board.stones[other])
        tries = self.in_order(board.order[player], number)
        placed, met = np.zeros(number, np.int64), np.zeros(number, np.int64)
        stood, due = np.zeros(turns + 1, np.int64), np.zeros(turns + 1, np.int64)
        own, known_count = 0, 0
        turn = player  # how many turns of the opponent were over
        for i in range(number):
            is_free = board.answers[player] >> (number - 1 - i) & 1 == 1
            if is_free:
                placed[own] = tries[i]
                own += 1
                stood[turn] += 1
            else:
                met[known_count] = tries[i]
                known_count += 1
                due[turn] += 1
            if is_free or self.abrupt:
                turn += 1
        stood, due = np.cumsum(stood), np.cumsum(due)
        least, most = np.zeros(turns + 1, np.int64), stood.copy()
        if self.tells:
            turn, failed, number = 0, 0, count(board.tried[other])
            for i in range(number):
                if board.answers[other] >> (number - 1 - i) & 1 == 1:
                    least[turn] = failed
                    turn += 1
                else:
                    failed += 1
            least[turns] = failed
            most = least
        return Past(turns, placed[:own], met[:known_count], stood, due, least, most)

    def in_order(self, order: int, number: int) -> NDArray[np.int64]:
        """The first `number` tries: int64 [number]."""
        tries, untried = np.zeros(number, np.int64), self.all
        for i in range(number - 1, -1, -1):
            tries[i] = order % (self.cells - i)
            order //= self.cells - i
        for i in range(number):
            rest = untried
            for _ in range(tries[i]):
                rest &= rest - 1
            cell = lowest(rest)
            tries[i], untried = cell, untried & ~(1 << cell)
        return tries

    def weights(self, past: Past, goes_on: bool) -> NDArray[np.float64]:
        """How likely the known rest of play is after given numbers of turns, failed tries, and cells of `met` taken.

        float64 [turns + 2, failed + 2, met + 2]. `goes_on`: the last turn may have more failed tries.
        """
        weights = np.zeros((past.turns + 2, len(past.placed) + 2, len(past.met) + 2))
        for turn in range(past.turns, -1, -1):
            for failed in range(past.most[turn], -1, -1):
                for met in range(len(past.met), -1, -1):
                    weight = 0.0
                    for kind in range(4):
                        weight += self.likelihood(past, weights, goes_on, turn, failed, met, kind)
                    weights[turn, failed, met] = weight
        return weights

    def likelihood(
        self, past: Past, weights: NDArray[np.float64], goes_on: bool, turn: int, failed: int, met: int, kind: int
    ) -> float:
        """The weight of everything that follows if the next try is of the given kind.

        0: it fails, 1: a cell of `met`, 2: a cell that the player has not tried, 3: there is no further try.
        """
        tries = turn if self.abrupt else turn + failed
        left = float(max(1, self.cells - tries))
        may_end = failed >= past.least[turn]
        if kind == 3:
            return 1.0 if turn == past.turns and may_end and met == len(past.met) else 0.0
        if turn == past.turns and not (kind == 0 and goes_on):
            return 0.0
        if kind == 0:
            if failed >= past.most[turn]:
                return 0.0
            after = turn + 1 if self.abrupt else turn
            return float((past.stood[turn] - failed) / left * weights[after, failed + 1, met])
        if not may_end:
            return 0.0
        if kind == 1:
            # cells for the turns that take one of `met`, the last turn first: the number of choices of this one
            choice = met + 1 - past.due[turn]
            return choice / left * weights[turn + 1, failed, met + 1] if choice > 0 and met < len(past.met) else 0.0
        free = self.cells - len(past.placed) - len(past.met) - (tries - failed - met)
        return free / left * weights[turn + 1, failed, met] if free > 0 else 0.0

    def drawn(
        self, past: Past, weights: NDArray[np.float64], goes_on: bool, untried: int, random: Any
    ) -> tuple[int, int, int, int]:
        """A past of the opponent: their stones, the cells they have tried, the order, and the answers."""
        tries, turns = np.zeros(self.cells, np.int64), np.zeros(self.cells, np.int64)
        kinds = np.zeros(self.cells, np.int64)
        hits = past.placed.copy()
        # 1. The kinds of all tries, and all cells except those of `met`
        number, turn, failed, met = 0, 0, 0, 0
        while True:
            point, kind = random_below(random, FINE) / FINE * weights[turn, failed, met], -1
            for one in range(4):
                weight = self.likelihood(past, weights, goes_on, turn, failed, met, one)
                if weight > 0 and (kind < 0 or point >= 0):
                    kind = one
                point -= weight
            if kind == 3:
                break
            kinds[number], turns[number] = kind, turn
            if kind == 0:
                place = failed + random_below(random, past.stood[turn] - failed)
                tries[number], hits[place] = hits[place], hits[failed]
                failed += 1
            elif kind == 1:
                met += 1
            else:
                rest = untried
                for _ in range(random_below(random, count(untried))):
                    rest &= rest - 1
                tries[number] = lowest(rest)
                untried &= ~(1 << lowest(rest))
            turn += 1 if kind > 0 or self.abrupt else 0
            number += 1
        # 2. The cells of `met`, the last turn first: any that was not due before the turn
        open_cells = past.met.copy()
        left = len(open_cells)
        for i in range(number - 1, -1, -1):
            if kinds[i] == 1:
                place = past.due[turns[i]] + random_below(random, left - past.due[turns[i]])
                left -= 1
                tries[i], open_cells[place] = open_cells[place], open_cells[left]
        # 3. In the form of a state
        stones, tried, order, answers = 0, 0, 0, 1
        for i in range(number):
            cell, is_free = int(tries[i]), 1 if kinds[i] > 0 else 0
            order = self.appended(order, tried, cell)
            tried |= 1 << cell
            stones |= is_free << cell
            answers = 2 * answers + is_free
        return stones, tried, order, answers

    # -- for people -------------------------------------------------------------------------------------------------

    def drawn_rows(self, first: int, second: int) -> list[str]:
        """The rows of the board, the top one first."""
        marks = ["X" if first >> cell & 1 else "O" if second >> cell & 1 else "." for cell in range(self.cells)]
        rows = ["".join(marks[row * self.columns : (row + 1) * self.columns]) for row in range(self.rows)]
        return rows if self.top_first else rows[::-1]

    def cell_name(self, cell: int) -> str:
        """A letter for the column and a number for the row."""
        return f"{ascii_lowercase[cell % self.columns]}{cell // self.columns + 1}"

    def action_name(self, board: Board, action: int) -> str:
        return self.cell_name(action)

    def parse_action(self, board: Board, text: str) -> int:
        """The action that `text` names, in lower or upper case."""
        return super().parse_action(board, text.strip().lower())

    def tries(self, board: Board, player: int) -> str:
        """The tries of `player`, in order, with `!` after each occupied cell."""
        number, names = count(board.tried[player]), []
        for i, cell in enumerate(self.in_order(board.order[player], number).tolist()):
            names.append(self.cell_name(cell) + ("" if board.answers[player] >> (number - 1 - i) & 1 else "!"))
        return " ".join(names) or "nothing"

    def information_text(self, board: Board, player: int) -> str:
        """The board as `player` sees it, the top row first, and their tries, with `!` where the cell was occupied.

        If attempts are told, each failed try of the opponent is a `!` and each stone a `+`.
        """
        stones_seen = [stones & board.tried[player] for stones in board.stones]
        text = f"{'/'.join(self.drawn_rows(*stones_seen))} {DISCS[player]}: {self.tries(board, player)}"
        if self.tells:
            answers = f"{board.answers[1 - player]:b}"[1:].replace("0", "!").replace("1", "+")
            text += f"; {DISCS[1 - player]}: {answers or 'nothing'}"
        if board.winner != OPEN:
            return f"{text}; the game is over"
        return text if board.turn == player else f"{text}; {DISCS[board.turn]} to move"

    def render(self, board: Board) -> str:
        """The board as it is, and what each player has tried."""
        tries_text = [f"{DISCS[player]} has tried {self.tries(board, player)}" for player in (0, 1)]
        return "\n".join([*self.drawn_board(board), *tries_text, outcome(self, board, DISCS)])

    def stones_and_text(self, board: Board, pieces: Sequence[Piece]) -> tuple[dict[Any, Piece], list[Any]]:
        """What a picture of the state shows: the stones of both players, and what each has tried."""
        stones: dict[Any, Piece] = {cell: pieces[player] for player in (0, 1) for cell in squares(board.stones[player])}
        tries_text = [f"{DISCS[player]} has tried {self.tries(board, player)}" for player in (0, 1)]
        return stones, [turn_line(self, board, DISCS, pieces), *tries_text]

    def seat_picture(self, board: Board, player: int) -> Picture | None:
        """The board with the stones that `player` knows."""
        first, second = (stones & board.tried[player] for stones in board.stones)
        drawn = self.picture(board._replace(stones=(first, second)))
        return None if drawn is None else seen_by(drawn, (), self.information_text(board, player))

    @abstractmethod
    def drawn_board(self, board: Board) -> list[str]:
        """The lines of a picture of the board, with the names of rows and columns."""


def changed(pair: tuple[int, int], player: int, value: int) -> tuple[int, int]:
    """`pair` with another value for `player`."""
    return (value, pair[1]) if player == 0 else (pair[0], value)
