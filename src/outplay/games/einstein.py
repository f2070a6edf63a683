"""EinStein würfelt nicht!: six numbered stones each, and a die that says which of them may move.

Each player has the stones 1 to 6 in a corner of the board. In turn they throw a die and move the stone of that number;
if it has been captured, either the stone with the next lower or with the next higher number that is left. A stone moves
one square towards the far corner: sideways, straight ahead or diagonally. It captures any stone on the square where it
arrives, even one of the same player, which gives the remaining stones more throws. A player wins by reaching the far
corner, or by capturing all stones of the opponent. There is no draw, and there is always a move. Ingo Althöfer invented
the game in 2004; these are his rules, as he wrote them down in the Computer Chess Club, 5 March 2005
(https://www.stmintz.com/ccc/index.php?id=415511).

Both players number the squares from their own corner, so that the same steps lead both to their last square: 1
sideways, `size` ahead, and `size + 1` diagonally. With size = 5:

    player 0, from the bottom left           player 1, from the top right
    5  20 21 22 23 24                         4  3  2  1  0
    4  15 16 17 18 19                         9  8  7  6  5
    3  10 11 12 13 14                        14 13 12 11 10
    2   5  6  7  8  9                        19 18 17 16 15
    1   0  1  2  3  4                        24 23 22 21 20
        a  b  c  d  e                         a  b  c  d  e

The stones of a player are one int: stone i, with the number i + 1, has bits 6 * i to 6 * i + 5 for its square.
"""

from collections.abc import Iterator
from string import ascii_lowercase
from typing import NamedTuple

from outplay.games._parameters import whole_number
from outplay.games._pictures import DISCS, from_below, grid, on_cells, outcome
from outplay.games._texts import read_board, write_board
from outplay.rules.board import Picture, Piece, square_board
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game

STONES = 6
GONE = 63
"""Instead of a square: the stone has been captured, or is not placed yet."""
NONE = (1 << 6 * STONES) - 1
"""The stones of a player without stones on the board."""
THROW, OVER, PLACE = 0, 7, 8
"""Instead of the number thrown: the die is to be thrown, the game is over, a stone is to be placed."""
LETTERS = "ABCDEFabcdef"
"""The stones 1 to 6 of player 0 and of player 1 in the text form."""
PHASES = {"-": THROW, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "+": PLACE}
"""The number thrown, in the text form."""


class Position(NamedTuple):
    """The stones on the board, whose turn it is, and the number thrown."""

    first: int  # squares of the stones of player 0, six bits each, GONE if captured
    second: int  # the same for player 1
    turn: int
    die: int  # the number thrown; or THROW, OVER, PLACE


class EinStein(Game):
    """EinStein würfelt nicht! on a board of 4 x 4 to 7 x 7 squares; `b2c3` moves a stone, `4` is what the die shows.

    `setup` is the order of the stones at the start: their numbers row by row from a player's own corner, the same for
    both; "random", where chance places them one by one; or "free", where the players place them, player 0 all first.

    >>> game = EinStein()
    >>> position = game.initial_state()
    >>> for name in "5", "b2b3", "1":
    ...     position = game.result(position, game.parse_action(position, name))
    >>> print(game.render(position))
    5  .  . O3 O2 O1
    4  .  .  . O5 O4
    3 X6 X5  .  . O6
    2 X4  .  .  .  .
    1 X1 X2 X3  .  .
       a  b  c  d  e
    O moves 1
    >>> game.state_text(position)
    '2cba/3ed/FE2f/D4/ABC2 O 1'
    """

    utilities = (-1, 1)

    def __init__(self, size: int = 5, setup: str = "123456") -> None:
        self.size = whole_number("size", size, 4, 7)
        if setup not in ("random", "free") and sorted(str(setup)) != list("123456"):
            raise RulesError(
                f'setup={setup!r}: "random", "free", or the numbers 1 to 6 in some order, such as "123456"'
            )
        self.goal = size * size - 1
        self.camp = (0, 1, 2, size, size + 1, 2 * size)  # the squares of the stones at the start
        self.places_by_chance = setup == "random"
        stones = NONE
        if setup not in ("random", "free"):
            for number, square in zip(setup, self.camp, strict=True):
                stones = put(stones, int(number) - 1, square)
        self.stones = stones

    def initial_state(self) -> Position:
        return Position(self.stones, self.stones, 0, PLACE if self.stones == NONE else THROW)

    def to_move(self, position: Position) -> int:
        if position.die == THROW or (position.die == PLACE and self.places_by_chance):
            return CHANCE
        return position.turn

    def actions(self, position: Position) -> Iterator[int]:
        """Throwing or placing number i + 1 is action i; 3 * i + 0, 1, 2 move stone i sideways, diagonally, ahead."""
        mine = position.first if position.turn == 0 else position.second
        if position.die in (THROW, PLACE):
            for stone in range(STONES):
                if position.die == THROW or at(mine, stone) == GONE:
                    yield stone
        elif position.die != OVER:
            lower, higher = self.movable(mine, position.die - 1)
            for stone in (lower, higher):
                if 0 <= stone < STONES:
                    aside, ahead = self.room(at(mine, stone))
                    for way in range(3):
                        if (aside or way == 2) and (ahead or way == 0):
                            yield 3 * stone + way
                if lower == higher:
                    break

    def movable(self, stones: int, stone: int) -> tuple[int, int]:
        """The next stones left from this one on, down and up: both are this one if it is left; -1 and 6 for none."""
        lower = higher = stone
        while lower >= 0 and at(stones, lower) == GONE:
            lower -= 1
        while higher < STONES and at(stones, higher) == GONE:
            higher += 1
        return lower, higher

    def room(self, square: int) -> tuple[bool, bool]:
        """Whether a stone on this square can go sideways, and ahead."""
        return square % self.size < self.size - 1, square // self.size < self.size - 1

    def result(self, position: Position, action: int) -> Position:
        first, second, turn, die = position
        if die == THROW:
            return Position(first, second, turn, int(action) + 1)
        mine, theirs = (first, second) if turn == 0 else (second, first)
        if die == PLACE:
            mine = put(mine, action, self.camp[STONES - missing(mine)])
            next_turn = 1 - turn if missing(mine) == 0 else turn
            die = THROW if turn == 1 and next_turn == 0 else PLACE
        else:
            square = self.target(mine, action)
            mine = put(remove(mine, square), action // 3, square)
            theirs = remove(theirs, self.goal - square)
            die = OVER if square == self.goal or theirs == NONE else THROW
            next_turn = 1 - turn
        return Position(mine, theirs, next_turn, die) if turn == 0 else Position(theirs, mine, next_turn, die)

    def target(self, stones: int, action: int) -> int:
        """The square to which `action` moves one of `stones`."""
        way = action % 3
        return at(stones, action // 3) + (1 if way < 2 else 0) + (self.size if way > 0 else 0)

    def is_terminal(self, position: Position) -> bool:
        return position.die == OVER

    def utility(self, position: Position, player: int) -> int:
        """The player who has made the last move has won."""
        return -1 if position.turn == player else 1

    def probability(self, position: Position, action: int) -> float:
        if position.die == THROW:
            return 1 / STONES
        return 1 / missing(position.first if position.turn == 0 else position.second)

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, position: Position, player: int) -> float:
        """The difference of the two players' speeds, as a fraction of their sum; 0 until all stones are placed."""
        if position.die == PLACE:
            return 0.0
        first, second = self.speed(position.first), self.speed(position.second)
        estimate = (first - second) / (first + second)
        return estimate if player == 0 else -estimate

    def speed(self, stones: int) -> float:
        """The sum over stones of the fraction of throws that may move them, halved for each step left."""
        speed, below = 0.0, -1
        for stone in range(STONES):
            square = at(stones, stone)
            if square != GONE:
                above = self.movable(stones, stone + 1)[1]
                steps = self.size - 1 - min(square % self.size, square // self.size)
                speed += (above - below - 1) / (1 << steps)
                below = stone
        return speed

    def order(self, position: Position, action: int) -> int:
        """A win first, then captures of the opponent's stones, then diagonal moves, which are the longest."""
        if position.die in (THROW, PLACE):
            return 0
        mine, theirs = position.first, position.second
        if position.turn == 1:
            mine, theirs = theirs, mine
        square = self.target(mine, action)
        worth = 1 if action % 3 == 1 else 0
        if remove(theirs, self.goal - square) != theirs:
            worth += 2
        return worth + (4 if square == self.goal else 0)

    def symmetries(self, position: Position) -> tuple[Position, Position]:
        """The board mirrored in the diagonal from corner to corner, once all stones are placed."""
        if position.die == PLACE:
            return (position, position)
        mirrored = Position(self.mirror(position.first), self.mirror(position.second), position.turn, position.die)
        return (position, mirrored)

    def mirror(self, stones: int) -> int:
        """`stones` with sideways and ahead exchanged."""
        mirrored = NONE
        for stone in range(STONES):
            square = at(stones, stone)
            if square != GONE:
                mirrored = put(mirrored, stone, square % self.size * self.size + square // self.size)
        return mirrored

    # -- for people -------------------------------------------------------------------------------------------------

    def board(self, position: Position, names: list[str]) -> list[list[str]]:
        """The rows of the board, the top one first; `names` are the names of the stones of both players."""
        marks = ["."] * (self.goal + 1)
        for stone in range(STONES):
            mine, theirs = at(position.first, stone), at(position.second, stone)
            if mine != GONE:
                marks[mine] = names[stone]
            if theirs != GONE:
                marks[self.goal - theirs] = names[STONES + stone]
        return [marks[row * self.size : (row + 1) * self.size] for row in reversed(range(self.size))]

    def told(self, position: Position) -> str:
        """Who is to throw or to move, or who has won."""
        does = {THROW: "throws", PLACE: "places a stone"}.get(position.die, f"moves {position.die}")
        return outcome(self, position, DISCS) if position.die == OVER else f"{DISCS[position.turn]} {does}"

    def render(self, position: Position) -> str:
        board = self.board(position, [f"{mark}{number}" for mark in DISCS for number in range(1, STONES + 1)])
        rows: list[list[object]] = [[self.size - i, *row] for i, row in enumerate(board)]
        return f"{grid([*rows, ['', *ascii_lowercase[: self.size]]])}\n{self.told(position)}"

    def picture(self, position: Position) -> Picture:
        stones = {
            letter: Piece(str(place % STONES + 1), place // STONES, "disc") for place, letter in enumerate(LETTERS)
        }
        board, note = self.board(position, list(LETTERS)), self.told(position)
        die = Piece(str(position.die), None, "die") if 1 <= position.die <= 6 else Piece(shape="disc")
        if position.die != OVER:
            die = die._replace(player=position.turn)
        return square_board(
            self.size, self.size, on_cells(from_below(board), stones), [note if position.die == OVER else (die, note)],
            bottom_first=True, row_names=range(1, self.size + 1), column_names=ascii_lowercase[: self.size],
        )  # fmt: skip

    def action_cells(self, position: Position, action: int) -> tuple[int, ...]:
        """From and to; none where the die is thrown. A stone is placed on one of the free squares of the camp."""
        mine = position.first if position.turn == 0 else position.second
        if position.die in (THROW, PLACE):
            return ()
        ends = at(mine, action // 3), self.target(mine, action)
        return ends if position.turn == 0 else (self.goal - ends[0], self.goal - ends[1])

    def action_name(self, position: Position, action: int) -> str:
        """The number that is thrown or placed; for a move, the squares where it starts and ends."""
        if position.die in (THROW, PLACE):
            return str(action + 1)
        mine = position.first if position.turn == 0 else position.second
        ends = at(mine, action // 3), self.target(mine, action)
        squares = [square if position.turn == 0 else self.goal - square for square in ends]
        return "".join(f"{ascii_lowercase[square % self.size]}{square // self.size + 1}" for square in squares)

    def parse_action(self, position: Position, text: str) -> int:
        """The action that `text` names, in lower or upper case, with or without the `x` of a capture."""
        text = text.strip().lower()
        return super().parse_action(position, text.replace("x", "", 1) if "x" in text[2:3] else text)

    def state_text(self, position: Position) -> str:
        """The rows from the top, `A` to `F` and `a` to `f` for the stones of X and of O, and numbers for empty squares.

        Then whose turn it is, `X` or `O`, and the number thrown, `-` before the throw, `+` while stones are placed.
        """
        phase = "-" if position.die == OVER else {die: mark for mark, die in PHASES.items()}[position.die]
        return f"{write_board(self.board(position, list(LETTERS)), DISCS[position.turn])} {phase}"

    def parse_state(self, text: str) -> Position:
        text = text.strip()
        board, _, phase = text.rpartition(" ")
        if phase not in PHASES:
            example = self.state_text(self.initial_state())
            raise RulesError(
                f"{text!r}: must end with the number thrown, - before the throw or + to place; such as {example}"
            )
        rows, turn = read_board(board, self.size, self.size, LETTERS, DISCS)
        stones, die = [NONE, NONE], PHASES[phase]
        for square, mark in enumerate("".join(reversed(rows))):
            if mark != ".":
                player, stone = divmod(LETTERS.index(mark), STONES)
                if at(stones[player], stone) != GONE:
                    raise RulesError(f"{text!r}: there are two stones {mark}")
                stones[player] = put(stones[player], stone, self.goal - square if player else square)
        if die == PLACE:
            self._check_placing(text, stones, turn)
        else:
            arrived = [self.goal in (at(own, stone) for stone in range(STONES)) for own in stones]
            is_over = [arrived[player] or stones[1 - player] == NONE for player in (0, 1)]
            if is_over[turn] or all(own == NONE for own in stones):
                raise RulesError(f"{text!r}: {DISCS[turn]} has won, but {DISCS[1 - turn]} has made the last move")
            if is_over[1 - turn]:
                die = OVER
        return Position(stones[0], stones[1], turn, die)

    def _check_placing(self, text: str, stones: list[int], turn: int) -> None:
        for player in (0, 1):
            number = STONES - missing(stones[player])
            placed = sorted(at(stones[player], stone) for stone in range(STONES))[:number]
            is_turn = player == turn and number < STONES
            if placed != sorted(self.camp[:number]) or not (is_turn or number == (STONES if player < turn else 0)):
                raise RulesError(f"{text!r}: {DISCS[player]} places stones row by row from the corner, X first")


def at(stones: int, stone: int) -> int:
    """The square of a stone; GONE if it is not on the board."""
    return stones >> 6 * stone & GONE


def put(stones: int, stone: int, square: int) -> int:
    """`stones` with stone number `stone` on this square."""
    return stones & ~(GONE << 6 * stone) | square << 6 * stone


def remove(stones: int, square: int) -> int:
    """`stones` without the one on this square, if there is one."""
    for stone in range(STONES):
        if at(stones, stone) == square:
            return stones | GONE << 6 * stone
    return stones


def missing(stones: int) -> int:
    """The number of stones that are not on the board."""
    absent = 0
    for stone in range(STONES):
        absent += 1 if at(stones, stone) == GONE else 0
    return absent
