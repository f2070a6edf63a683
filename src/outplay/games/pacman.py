"""Pac-Man: eat all pellets of a maze before the ghosts catch you.

The game of the Pac-Man projects of UC Berkeley's course CS 188 (DeNero & Klein, "Teaching Introductory Artificial
Intelligence with Pac-Man", 2010), which teach search, minimax and expectimax. In each round Pac-Man moves, then every
ghost in turn, all by one cell:

- Pac-Man goes north, east, south or west, or stops. A ghost never stops, and turns back only if there is no other way.
- A step of Pac-Man costs 1, a pellet brings 10, and the last one another 500 and ends the game. In a cell with a ghost
  Pac-Man is caught, which costs 500 and ends the game too; but eating the last pellet wins even there.
- A capsule scares all ghosts for their next 40 moves. A scared ghost in Pac-Man's cell is eaten: it brings 200 and
  returns to its starting cell, no longer scared.
- After `most_moves` rounds the game ends with the current score.

In Berkeley's program scared ghosts are half as fast, and a game may go on for ever.

A map is a text with a letter for each cell: `%` is a wall, `.` a pellet, `o` a capsule, `P` Pac-Man, `G` a ghost, a
space an empty cell. It needs no walls around it. Open cells are numbered row by row, directions from 0: north, east,
south, west, and 4 for stopping. These are the actions, and the directions in which a ghost may have come. Pellets are
numbered too, in the bits of `WORDS` ints:

    %%%%%%
    %.Po.%        open cells  0 1 2 3        pellets  0 . . 1
    %.%%G%                    4     5                 2     .
    %%%%%%

Start reading at `Pacman.result`. If ghosts move at random they are chance, and Pac-Man is the only player.
"""

from pathlib import Path
from re import fullmatch
from typing import Any, NamedTuple

import numpy as np

from outplay.compile.random_numbers import random_below
from outplay.games._parameters import switch, whole_number
from outplay.rules.bits import count, lowest, squares
from outplay.rules.board import Picture, Piece, Place
from outplay.rules.errors import RulesError
from outplay.rules.game import CHANCE, Game

LETTERS = "%.oPG "
WORDS = 4
"""The number of ints that hold the set of pellets."""
WORD = 63
"""The number of pellets that one of them holds."""
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1), (0, 0))
"""For each direction, the change of line and column."""
NAMES = ("north", "east", "south", "west", "stop")
STOP = 4
MAX_PARAMETER = 10**6
"""The maximum of every parameter."""
NEAR = 0.2
"""The cost in `evaluate` of a ghost in Pac-Man's own cell, as a fraction of the cost of being caught."""
WALLS = "▪╵╶└╷│┌├╴┘─┴┐┤┬┼"
"""The drawing of a wall, indexed by the sum of its continuations: north (1), east (2), south (4) and west (8)."""

MAPS = {
    "corridor": """
%%%%%%%%%
%   P . %
%%%%%%%%%
""",
    "fork": """
%%%%%%%%%%%
%.   P  ..%
%.%%% %%%.%
%..  G  ..%
%%%%%%%%%%%
""",
    "small": """
%%%%%%%%%%%%%
%.....%.....%
%.%%%.%.%%%.%
%.%G.....G%.%
%.%%%.%.%%%.%
%o....P....o%
%%%%%%%%%%%%%
""",
    "rooms": """
%%%%%%%%%%%%%%%
%....%...%...o%
%.%%...%...%%.%
%.%..%.G.%..%.%
%...%%%.%%%...%
%.%..%...%..%.%
%.%%...%...%%.%
%o...%.P.%....%
%%%%%%%%%%%%%%%
""",
    "classic-like": """
%%%%%%%%%%%%%%%%%%%
%........%........%
%o%%.%%%.%.%%%.%%o%
%.%%.%%%.%.%%%.%%.%
%.................%
%.%%.%.%% %%.%.%%.%
%....%.%GG %.%....%
%.%%.%.%%%%%.%.%%.%
%........P........%
%o%%.%%%%.%%%%.%%o%
%.................%
%%%%%%%%%%%%%%%%%%%
""",
}
"""The maps that have a name."""

Words = tuple[int, int, int, int]


class Position(NamedTuple):
    """Where everybody is, and what is left to eat."""

    pacman: int  # his cell
    ghosts: int  # the place of each ghost, cell * 5 + the way it came, `ghost_bits` bits each, the first ghost lowest
    afraid: int  # set of ghosts, bit 0 the first one: those that are scared
    scared: int  # the number of moves for which a scared ghost that has not moved in this round remains scared
    pellets: Words  # set of pellets, 63 in each int
    capsules: int  # set of capsules
    eaten: int  # the number of ghosts that have been eaten
    moves: int  # the number of moves of Pac-Man
    turn: int  # 0: Pac-Man; i: ghost i
    caught: bool


class Pacman(Game):
    """Pac-Man in a maze, for his score; actions are `north`, `east`, `south`, `west`, and for Pac-Man also `stop`.

    Args:
        map: a text with a line for each row of the maze, the name of one of `MAPS`, or a path to a file.
        ghosts: "adversarial": each is a player, 1, 2, …, all of one team against player 0, Pac-Man. "random": each way
            is equally likely.
        stop: whether Pac-Man may stop.
        most_moves: the number of moves of Pac-Man, each answered by the ghosts, after which the game is over.
        step, pellet, win, caught, ghost: what a move of Pac-Man, a pellet, the last pellet, being caught, and eating a
            scared ghost add to the score.
        scared_moves: the number of their moves for which a capsule scares the ghosts.

    >>> game = Pacman("corridor", win=0)
    >>> state = game.initial_state()
    >>> for action in "east", "east":
    ...     state = game.result(state, game.parse_action(state, action))
    >>> print(game.render(state))
    ┌───────────────┐
    │           C   │
    └───────────────┘
    score 8, move 2 of 300
    all pellets eaten
    """

    zero_sum = True
    player_marks = ("C", "G", "g")

    def __init__(
        self,
        map: str = "small",  # noqa: A002 - what it is
        ghosts: str = "adversarial",
        *,
        stop: bool = True,
        most_moves: int = 300,
        step: int = -1,
        pellet: int = 10,
        win: int = 500,
        caught: int = -500,
        ghost: int = 200,
        scared_moves: int = 40,
    ) -> None:
        if ghosts not in ("adversarial", "random"):
            raise RulesError(f'ghosts={ghosts!r}: ghosts must be "adversarial" or "random"')
        self.stop = switch("stop", stop)
        self.most_moves = whole_number("most_moves", most_moves, 1, MAX_PARAMETER)
        self.scared_moves = whole_number("scared_moves", scared_moves, 1, MAX_PARAMETER)
        self.step = whole_number("step", step, -MAX_PARAMETER, MAX_PARAMETER)
        self.pellet = whole_number("pellet", pellet, -MAX_PARAMETER, MAX_PARAMETER)
        self.win = whole_number("win", win, -MAX_PARAMETER, MAX_PARAMETER)
        self.caught = whole_number("caught", caught, -MAX_PARAMETER, MAX_PARAMETER)
        self.ghost = whole_number("ghost", ghost, -MAX_PARAMETER, MAX_PARAMETER)

        # 1. Read the map.
        self.map = read_map(map)
        lines = self.map.split("\n")
        self.rows, self.columns = len(lines), len(lines[0])
        self.places = tuple(
            (row, column) for row, line in enumerate(lines) for column, x in enumerate(line) if x != "%"
        )
        self.cells = len(self.places)
        letters = [lines[row][column] for row, column in self.places]
        self.start = letters.index("P")
        self.ghost_starts = np.array([cell for cell, letter in enumerate(letters) if letter == "G"], np.int64)
        self.ghosts = len(self.ghost_starts)
        self.ghost_bits = (5 * self.cells - 1).bit_length()
        pellet_cells = [cell for cell, letter in enumerate(letters) if letter == "."]
        capsule_cells = [cell for cell, letter in enumerate(letters) if letter == "o"]
        self.pellets, self.capsules = len(pellet_cells), len(capsule_cells)
        self.check_sizes()

        # 2. Tables, by cell.
        numbers = {place: cell for cell, place in enumerate(self.places)}
        self.walk = np.array(
            [
                [numbers.get((row + y, column + x), cell) for y, x in STEPS]
                for cell, (row, column) in enumerate(self.places)
            ]
        )  # int64 [cells, 5]: where a direction leads; the cell itself if there is a wall
        self.ways = np.array([self.open_ways(cell) for cell in range(self.cells)])  # int64 [cells]: Pac-Man's actions
        self.ghost_ways = np.array(
            [self.open_ghost_ways(cell, way) for cell in range(self.cells) for way in range(5)]
        )  # int64 [cells * 5]: the actions of a ghost in a place
        self.distance = self.distances()  # int16 [cells, cells]: steps between cells; `cells` if there is no path
        self.pellet_at = np.zeros((self.cells, WORDS), np.int64)  # the pellet of a cell as a set
        for number, cell in enumerate(pellet_cells):
            self.pellet_at[cell, number // WORD] = 1 << number % WORD
        self.capsule_at = np.zeros(self.cells, np.int64)  # the capsule of a cell as a set
        self.capsule_at[capsule_cells] = [1 << number for number in range(self.capsules)]
        self.pellet_cell = np.array(
            [*pellet_cells, *[0] * (WORDS * WORD - self.pellets)]
        )  # int64: the cell of a pellet
        self.all_pellets: Words = tuple(int(self.pellet_at[:, word].sum()) for word in range(WORDS))  # type: ignore[assignment]

        # 3. The players and their aims.
        self.random = ghosts == "random"
        self.has_chance = self.random and self.ghosts > 0
        self.players = 1 if self.random else 1 + self.ghosts
        self.zero_sum = self.players > 1
        self.teams = (0, *[1] * (self.players - 1)) if self.players > 2 else ()
        self.least = (
            min(0, step) * most_moves + min(0, pellet) * self.pellets + min(0, win, caught)
            + min(0, ghost) * self.ghosts * self.capsules
        )  # fmt: skip
        self.greatest = (
            max(0, step) * most_moves + max(0, pellet + min(0, step)) * self.pellets + max(0, win, caught)
            + max(0, ghost) * self.ghosts * self.capsules
        )  # fmt: skip
        furthest = max(-self.least, self.greatest)
        self.utilities = (self.least, self.greatest) if self.players == 1 else (-furthest, furthest)

    def check_sizes(self) -> None:
        """Raise `RulesError` for anything that the bits of a state cannot hold."""
        for subject, number, most in (
            ("pellets", self.pellets, WORDS * WORD),
            ("capsules", self.capsules, WORD),
            ("ghosts", self.ghosts, WORD // self.ghost_bits),
        ):
            if number > most:
                cells = f", with {self.cells} open cells," if subject == "ghosts" else ""
                raise RulesError(f"map: {number} {subject}; on this map{cells} there can be at most {most}")

    def open_ways(self, cell: int) -> int:
        """The set of directions in which Pac-Man may go."""
        ways = sum(1 << way for way in range(STOP) if self.walk[cell, way] != cell)
        return ways | 1 << STOP if self.stop or ways == 0 else ways

    def open_ghost_ways(self, cell: int, came: int) -> int:
        """The set of directions in which a ghost may go that came to the cell in the direction `came`."""
        ways = sum(1 << way for way in range(STOP) if self.walk[cell, way] != cell)
        back = 1 << (came + 2) % 4 if came != STOP else 0
        return ways & ~back or ways or 1 << STOP

    def distances(self) -> Any:
        """The steps between any two cells, by a breadth-first search from each."""
        between = np.full((self.cells, self.cells), self.cells, np.int16)
        for start in range(self.cells):
            between[start, start] = 0
            queue = [start]
            for cell in queue:
                for next_cell in self.walk[cell]:
                    if between[start, next_cell] == self.cells:
                        between[start, next_cell] = between[start, cell] + 1
                        queue.append(int(next_cell))
        return between

    # -- the rules --------------------------------------------------------------------------------------------------

    def initial_state(self) -> Position:
        ghosts = 0
        for ghost in range(self.ghosts):
            ghosts |= (5 * int(self.ghost_starts[ghost]) + STOP) << ghost * self.ghost_bits
        return Position(self.start, ghosts, 0, 0, self.all_pellets, (1 << self.capsules) - 1, 0, 0, 0, False)

    def to_move(self, position: Position) -> int:
        return CHANCE if self.random and position.turn > 0 else position.turn

    def actions(self, position: Position) -> int:
        """The set of directions."""
        if self.is_terminal(position):
            return 0
        if position.turn == 0:
            return int(self.ways[position.pacman])
        return int(self.ghost_ways[self.place(position.ghosts, position.turn - 1)])

    def probability(self, position: Position, action: int) -> float:
        return 1 / count(self.actions(position))

    def result(self, position: Position, action: int) -> Position:
        pacman, ghosts, afraid, scared, pellets, capsules, eaten, moves, turn, caught = position
        # 1. Pac-Man moves and eats, or a ghost moves. Only the one that has moved can meet another.
        if turn == 0:
            pacman = int(self.walk[pacman, action])
            moves += 1
            pellets = self.without(pellets, pacman)
            if capsules & self.capsule_at[pacman]:
                capsules ^= int(self.capsule_at[pacman])
                afraid, scared = (1 << self.ghosts) - 1, self.scared_moves
            first, last = 0, self.ghosts
        else:
            first, last = turn - 1, turn
            cell = self.place(ghosts, first) // 5
            ghosts = self.placed(ghosts, first, 5 * int(self.walk[cell, action]) + action)
            if scared == 1:
                afraid &= ~(1 << first)
        # 2. They meet.
        for ghost in range(first, last):
            if self.place(ghosts, ghost) // 5 == pacman:
                if afraid >> ghost & 1:
                    afraid ^= 1 << ghost
                    ghosts = self.placed(ghosts, ghost, 5 * int(self.ghost_starts[ghost]) + STOP)
                    eaten += 1
                else:
                    caught = not is_empty(pellets)
        # 3. The next turn.
        turn = 0 if turn == self.ghosts else turn + 1
        if turn == 0 and scared > 0:
            scared -= 1
        if afraid == 0:
            scared = 0
        return Position(pacman, ghosts, afraid, scared, pellets, capsules, eaten, moves, turn, caught)

    def is_terminal(self, position: Position) -> bool:
        is_late = position.turn == 0 and position.moves >= self.most_moves
        return position.caught or is_late or is_empty(position.pellets)

    def utility(self, position: Position, player: int) -> int:
        return self.score(position) if player == 0 else -self.score(position)

    def score(self, position: Position) -> int:
        """The points that Pac-Man has won so far."""
        score = self.step * position.moves + self.ghost * position.eaten
        score += self.pellet * (self.pellets - size(position.pellets))
        if is_empty(position.pellets):
            score += self.win
        return score + self.caught if position.caught else score

    def place(self, ghosts: int, ghost: int) -> int:
        """The place of ghost number `ghost`, from 0: cell * 5 + the direction in which it came."""
        return ghosts >> ghost * self.ghost_bits & (1 << self.ghost_bits) - 1

    def placed(self, ghosts: int, ghost: int, place: int) -> int:
        """`ghosts` with one of them in another place."""
        shift = ghost * self.ghost_bits
        return ghosts & ~(((1 << self.ghost_bits) - 1) << shift) | place << shift

    def without(self, pellets: Words, cell: int) -> Words:
        """`pellets` without the pellet of a cell."""
        eaten = self.pellet_at[cell]
        return (
            pellets[0] & ~int(eaten[0]),
            pellets[1] & ~int(eaten[1]),
            pellets[2] & ~int(eaten[2]),
            pellets[3] & ~int(eaten[3]),
        )

    # -- hints ------------------------------------------------------------------------------------------------------

    def evaluate(self, position: Position, player: int) -> float:
        """The score, plus a value for what is near Pac-Man: pellets, scared ghosts, other ghosts.

        The win counts by the fraction of pellets that are eaten. The way to the next pellet costs less than a pellet
        brings, so that eating one is always better than staying beside it. A ghost costs a fraction of being caught, a
        quarter for each step of distance, and a scared ghost that can be reached in time brings a fraction of its
        worth.
        """
        estimate = float(self.score(position))
        left = size(position.pellets)
        if not self.is_terminal(position):
            worth = self.pellet + self.win / self.pellets
            estimate += self.win * (self.pellets - left) / self.pellets
            estimate -= worth * self.nearest_pellet(position) / (self.cells + 1)
            for ghost in range(self.ghosts):
                steps = int(self.distance[position.pacman, self.place(position.ghosts, ghost) // 5])
                if not position.afraid >> ghost & 1:
                    estimate += self.caught * NEAR / (1 << min(2 * steps, 20))
                elif steps <= position.scared:
                    estimate += self.ghost / (2.0 + steps)
        margin = min(0.5, (self.greatest - self.least) / 4)
        estimate = max(self.least + margin, min(self.greatest - margin, estimate))
        return estimate if player == 0 else -estimate

    def nearest_pellet(self, position: Position) -> int:
        """The steps from Pac-Man to the nearest pellet."""
        near, pellets = self.cells, position.pellets
        for word in range(WORDS):
            for bit in squares(pellets[word]):
                near = min(near, int(self.distance[position.pacman, self.pellet_cell[word * WORD + bit]]))
        return near

    def order(self, position: Position, action: int) -> int:
        """For Pac-Man eating first and stopping last; for a ghost moves towards him, or away if it is scared."""
        if position.turn == 0:
            cell = int(self.walk[position.pacman, action])
            if position.capsules & self.capsule_at[cell] or self.without(position.pellets, cell) != position.pellets:
                return 2
            return 0 if action == STOP else 1
        ghost = position.turn - 1
        cell = int(self.walk[self.place(position.ghosts, ghost) // 5, action])
        steps = int(self.distance[position.pacman, cell])
        return steps if position.afraid >> ghost & 1 else -steps

    def playout_action(self, position: Position, last: int, random: Any) -> int:
        """Pac-Man goes where no ghost can catch him next, and eats if he can; a ghost hunts him every other time."""
        chosen = self.actions(position)
        if position.turn == 0:
            safe = food = 0
            for way in squares(chosen & ~(1 << STOP)):
                if self.is_safe(position, int(self.walk[position.pacman, way])):
                    safe |= 1 << way
                    food |= 1 << way if self.order(position, way) == 2 else 0
            chosen = food or safe or chosen
        elif random_below(random, 2) == 0:
            best = -self.cells - 1
            for way in squares(chosen):
                best = max(best, self.order(position, way))
            for way in squares(chosen):
                if self.order(position, way) < best:
                    chosen ^= 1 << way
        skipped = random_below(random, count(chosen))
        for _ in range(skipped):
            chosen &= chosen - 1
        return lowest(chosen)

    def is_safe(self, position: Position, cell: int) -> bool:
        """Whether no ghost that is not scared is in a cell or beside it."""
        for ghost in range(self.ghosts):
            steps = self.distance[cell, self.place(position.ghosts, ghost) // 5]
            if steps <= 1 and not position.afraid >> ghost & 1:
                return False
        return True

    # -- for people -------------------------------------------------------------------------------------------------

    def wall(self, row: int, column: int) -> bool:
        """Whether there is a wall, or a cell outside of the map."""
        inside = 0 <= row < self.rows and 0 <= column < self.columns
        return not inside or (row, column) not in self.places

    def line_to(self, row: int, column: int, way: int) -> bool:
        """Whether the wall of a cell continues to the next one: both are walls, beside something open."""
        y, x = STEPS[way]
        if not (0 <= row + y < self.rows and 0 <= column + x < self.columns):
            return False
        around = [self.wall(row + side * x, column + side * y) for side in (-1, 1)]
        around += [self.wall(row + y + side * x, column + x + side * y) for side in (-1, 1)]
        return self.wall(row, column) and self.wall(row + y, column + x) and not all(around)

    def contents(self, position: Position) -> dict[tuple[int, int], str]:
        """The contents of open cells, by line and column: the letters of a map, and `g` for scared ghosts."""
        by_cell = {}
        for cell, place in enumerate(self.places):
            is_pellet = self.without(position.pellets, cell) != position.pellets
            is_capsule = position.capsules & int(self.capsule_at[cell])
            by_cell[place] = "." if is_pellet else "o" if is_capsule else " "
        return by_cell

    def render(self, position: Position) -> str:
        drawn = {place: "·" if mark == "." else mark for place, mark in self.contents(position).items()}
        drawn[self.places[position.pacman]] = "C"
        for ghost in range(self.ghosts):
            cell = self.place(position.ghosts, ghost) // 5
            drawn[self.places[cell]] = "g" if position.afraid >> ghost & 1 else "G"
        lines = []
        for row in range(self.rows):
            line = ""
            for column in range(self.columns):
                ways = [way for way in range(4) if self.line_to(row, column, way)]
                inner = all(self.wall(row + y, column + x) for y, x in STEPS)
                line += drawn.get((row, column)) or (
                    " " if inner and not ways else WALLS[sum(1 << way for way in ways)]
                )
                line += "─" if 1 in ways else " "
            lines.append(line.rstrip())
        status = f"score {self.score(position)}, move {position.moves} of {self.most_moves}"
        if position.scared:
            status += f", g scared for {position.scared} moves"
        return "\n".join([*lines, status, self.outcome(position)])

    def picture(self, position: Position) -> Picture:
        """The maze; its open cells are numbered row by row, walls have no names."""
        numbers = {place: cell for cell, place in enumerate(self.places)}
        pieces: dict[Any, list[Piece]] = {cell: [] for cell in numbers.values()}
        for place, mark in self.contents(position).items():
            if mark != " ":
                pieces[numbers[place]].append(Piece(shape="dot") if mark == "." else Piece("●"))
        pieces[position.pacman].append(Piece("C", 0, "disc"))
        for ghost in range(self.ghosts):
            afraid = position.afraid >> ghost & 1
            cell = self.place(position.ghosts, ghost) // 5
            pieces[cell].append(Piece("g" if afraid else "G", 2 if afraid else 1, "tile"))
        places = [
            Place(numbers.get((row, column)), column, row, "square", "none" if (row, column) in numbers else "wall")
            for row in range(self.rows)
            for column in range(self.columns)
        ]
        text = [self.outcome(position), f"score {self.score(position)}, move {position.moves} of {self.most_moves}"]
        if position.scared:
            text.append(f"g scared for {position.scared} moves")
        return Picture(places, pieces, text, ground="plain", colours=("yellow", "red", "white"))

    def action_cells(self, position: Position, action: int) -> tuple[int, ...]:
        """Where the mover is and goes; only one cell to stop."""
        turn = position.turn
        cell = int(position.pacman if turn == 0 else self.place(position.ghosts, turn - 1) // 5)
        return (cell,) if action == STOP else (cell, int(self.walk[cell, action]))

    def outcome(self, position: Position) -> str:
        """Who is to move, or how the game ended."""
        if is_empty(position.pellets):
            return "all pellets eaten"
        if position.caught:
            return "Pac-Man is caught"
        if self.is_terminal(position):
            return "no moves are left"
        if position.turn == 0:
            return "Pac-Man to move"
        row, column = self.places[self.place(position.ghosts, position.turn - 1) // 5]
        return f"ghost {position.turn}, in line {row + 1}, column {column + 1}, to move"

    def action_name(self, position: Position, action: int) -> str:
        return NAMES[action]

    def parse_action(self, position: Position, text: str) -> int:
        """The direction that `text` names, in lower or upper case; for all but `stop` the first letter is enough."""
        short = text.strip().lower()
        return Game.parse_action(self, position, dict(zip("nesw", NAMES, strict=False)).get(short, short))

    def state_text(self, position: Position) -> str:
        r"""The maze, and after spaces Pac-Man, the ghosts, how long they are scared, moves, ghosts eaten, the turn.

        Rows from the top are separated by `/`; a number stands for that many empty cells; a cell is `line:column`,
        from 1. A ghost is followed by the direction in which it came, and `!` if it is scared. The turn is `P` or the
        number of a ghost, with an `x` before it if Pac-Man is caught.

        >>> game = Pacman("%.%G\nP.o.")
        >>> game.state_text(game.initial_state())
        '%.%1/1.o. 2:1 1:4 0 0 0 P'
        """
        contents = self.contents(position)
        rows = []
        for row in range(self.rows):
            text, empty = "", 0
            for column in range(self.columns):
                mark = contents.get((row, column), "%")
                if mark == " ":
                    empty += 1
                    continue
                text += (str(empty) if empty else "") + mark
                empty = 0
            rows.append(text + (str(empty) if empty else ""))
        ghosts = []
        for ghost in range(self.ghosts):
            cell, came = divmod(self.place(position.ghosts, ghost), 5)
            scared = "!" if position.afraid >> ghost & 1 else ""
            ghosts.append(f"{self.cell_name(cell)}{'nesw '[came].strip()}{scared}")
        turn = f"{'x' if position.caught else ''}{position.turn or 'P'}"
        counts = f"{position.scared} {position.moves} {position.eaten} {turn}"
        return f"{'/'.join(rows)} {self.cell_name(position.pacman)} {','.join(ghosts) or '-'} {counts}"

    def cell_name(self, cell: int) -> str:
        """The line and the column of a cell, from 1."""
        row, column = self.places[cell]
        return f"{row + 1}:{column + 1}"

    def parse_state(self, text: str) -> Position:
        try:
            return self.read_state(text)
        except RulesError as error:
            example = self.state_text(self.initial_state())
            raise RulesError(f"{text!r}: {error}; such as {example}") from None

    def read_state(self, text: str) -> Position:
        """The state that `text` describes; raises `RulesError` if it is wrong."""
        parts = text.split()
        if len(parts) != 7:
            raise RulesError(f"{len(parts)} words instead of 7: maze, Pac-Man, ghosts, scared, moves, eaten, turn")
        maze, pacman_text, ghosts_text, *counts, turn = parts
        for word in counts:
            if not fullmatch("[0-9]{1,9}", word):
                raise RulesError(f"{word!r} is not a number")
        scared, moves, eaten = map(int, counts)
        # 1. The maze.
        pellets, capsules = self.read_maze(maze)
        gone = self.pellets - size(pellets)
        # 2. Places.
        pacman = self.read_cell(pacman_text)
        if self.without(pellets, pacman) != pellets or capsules & self.capsule_at[pacman]:
            raise RulesError(f"Pac-Man at {pacman_text} has not eaten what is there")
        ghost_texts = [] if ghosts_text == "-" else ghosts_text.split(",")
        if len(ghost_texts) != self.ghosts:
            raise RulesError(f"{ghosts_text!r}: {len(ghost_texts)} ghosts, but the map has {self.ghosts}")
        ghosts = afraid = 0
        for ghost, word in enumerate(ghost_texts):
            match = fullmatch("(.*?)([nesw]?)(!?)", word)
            assert match
            cell = self.read_cell(match[1])
            came = "nesw".index(match[2]) if match[2] else STOP
            if came != STOP and self.walk[cell, (came + 2) % 4] == cell:
                raise RulesError(f"ghost {word}: it cannot have come {NAMES[came]}, from a wall")
            if came == STOP and cell != self.ghost_starts[ghost]:
                raise RulesError(f"ghost {word}: expected n, e, s or w after the cell, the direction in which it came")
            ghosts = self.placed(ghosts, ghost, 5 * cell + came)
            afraid |= bool(match[3]) << ghost
        # 3. The numbers.
        caught, turns = turn.startswith("x"), ["P", *map(str, range(1, self.ghosts + 1))]
        if turn.removeprefix("x") not in turns:
            raise RulesError(f"turn {turn!r}: expected one of {', '.join(turns)}, after an x if Pac-Man is caught")
        if (scared > 0) != (afraid > 0) or scared > self.scared_moves:
            raise RulesError(f"scared {scared}: from 1 to {self.scared_moves} where a ghost has a !, else 0")
        if not gone <= moves <= self.most_moves:
            raise RulesError(f"moves {moves}: from {gone}, the pellets eaten, to {self.most_moves}")
        most = self.ghosts * (self.capsules - count(capsules))
        if eaten > most or (most == 0 and afraid):
            raise RulesError(f"scared and eaten ghosts, {count(afraid)} and {eaten}: too few capsules are gone")
        is_met = any(
            self.place(ghosts, ghost) // 5 == pacman and not afraid >> ghost & 1 for ghost in range(self.ghosts)
        )
        if caught and (not is_met or is_empty(pellets)):
            raise RulesError(f"turn {turn}: no ghost has caught Pac-Man")
        number = turns.index(turn.removeprefix("x"))
        return Position(pacman, ghosts, afraid, scared, pellets, capsules, eaten, moves, number, caught)

    def read_maze(self, text: str) -> tuple[Words, int]:
        """The pellets and the capsules of a maze with the walls of this one."""
        lines = text.split("/")
        if len(lines) != self.rows:
            raise RulesError(f"{len(lines)} rows, but the map has {self.rows}")
        pellets, capsules = [0] * WORDS, 0
        numbers = {place: cell for cell, place in enumerate(self.places)}
        for row, line in enumerate(lines):
            marks, run = "", ""
            for mark in line + "/":
                if mark in "0123456789":
                    run += mark
                    continue
                marks += " " * min(int(run or 0), self.columns + 1) + mark  # a larger number is just as much too long
                run = ""
            if len(marks) != self.columns + 1:
                raise RulesError(f"row {row + 1}, {line!r}, has {len(marks) - 1} cells, but the map {self.columns}")
            for column, mark in enumerate(marks[:-1]):
                place = f"line {row + 1}, column {column + 1}"
                if mark not in "%.o ":
                    raise RulesError(f"{place}: {mark!r} is not one of %, ., o, nor a number of empty cells")
                if (mark == "%") != self.wall(row, column):
                    raise RulesError(f"{place}: {'a' if mark == '%' else 'no'} wall, unlike on the map")
                cell = numbers.get((row, column), 0)
                if (mark == "." and not self.pellet_at[cell].any()) or (mark == "o" and not self.capsule_at[cell]):
                    raise RulesError(f"{place}: the map never had {mark!r} there")
                for word in range(WORDS if mark == "." else 0):
                    pellets[word] |= int(self.pellet_at[cell, word])
                capsules |= int(self.capsule_at[cell]) if mark == "o" else 0
        return (pellets[0], pellets[1], pellets[2], pellets[3]), capsules

    def read_cell(self, text: str) -> int:
        """The cell with this line and column."""
        match = fullmatch("([0-9]{1,9}):([0-9]{1,9})", text)
        place = (int(match[1]) - 1, int(match[2]) - 1) if match else None
        if place not in self.places:
            raise RulesError(f"{text!r} is not an open cell: write its line and column, from 1, as in 2:3")
        return self.places.index(place)


def size(pellets: Words) -> int:
    """The number of pellets."""
    return count(pellets[0]) + count(pellets[1]) + count(pellets[2]) + count(pellets[3])


def is_empty(pellets: Words) -> bool:
    """Whether there are no pellets."""
    return pellets[0] | pellets[1] | pellets[2] | pellets[3] == 0


def read_map(text: str) -> str:
    r"""The lines of a map given as text, by name, or as a file; raises `RulesError` if it is wrong.

    >>> read_map("P.").split("\n")
    ['P.']
    """
    if not isinstance(text, str):
        raise RulesError(f"map={text!r}: a text, a name of {', '.join(MAPS)}, or a file")
    source = "map"
    if text in MAPS:
        text = MAPS[text]
    elif "\n" not in text and not set(text) <= set(LETTERS):
        source = text
        try:
            text = Path(text).expanduser().read_text(encoding="utf-8")
        except (OSError, ValueError):
            names = ", ".join(MAPS)
            raise RulesError(
                f"map={text!r}: there is no map and no text file of that name; known maps: {names}"
            ) from None
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    letters: list[str] = []
    for row, line in enumerate(lines, 1):
        for column, letter in enumerate(line, 1):
            if letter not in LETTERS:
                raise RulesError(
                    f"{source}: line {row}, column {column}: {letter!r} is not one of % . o P G or a space"
                )
            if letter == "P" and "P" in letters:
                raise RulesError(f"{source}: line {row}, column {column}: a second P; there is one Pac-Man")
            letters.append(letter)
        if len(line) != len(lines[0]):
            long = f"{len(line)} cells, but line 1 has {len(lines[0])}"
            raise RulesError(f"{source}: line {row} has {long}; all lines must have the same length")
    for letter, subject in ("P", "Pac-Man"), (".", "pellet"):
        if letter not in letters:
            raise RulesError(f"{source}: there is no {letter}, a map needs {'one' if letter == 'P' else 'a'} {subject}")
    return "\n".join(lines)
