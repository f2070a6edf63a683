"""Small games in the style of other libraries, for `test_adapters.py`: their method names and conventions."""

# ruff: noqa: N802, N805, PERF401, RUF012 - as these libraries write

from collections import namedtuple
from copy import deepcopy
from enum import Enum, IntEnum
from random import Random
from types import SimpleNamespace

import numpy as np

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

# -- easyAI -----------------------------------------------------------------------------------------------------------


class TwoPlayers:
    """What easyAI's base class gives its games."""

    @property
    def opponent_index(self):
        return 3 - self.current_player

    @property
    def player(self):
        return self.players[self.current_player - 1]

    @property
    def opponent(self):
        return self.players[self.opponent_index - 1]

    def switch_player(self):
        self.current_player = self.opponent_index

    def copy(self):
        return deepcopy(self)


class Sticks(TwoPlayers):
    """Take one, two or three; who takes the last one loses."""

    def __init__(self, pile=10, players=(None, None)):
        self.players, self.pile, self.current_player = list(players), pile, 1

    def possible_moves(self):
        return [str(number) for number in (1, 2, 3) if number <= self.pile]

    def make_move(self, move):
        self.pile -= int(move)

    def win(self):
        return self.pile <= 0

    def is_over(self):
        return self.win()

    def scoring(self):
        return 100 if self.win() else 0

    def show(self):
        print(f"{self.pile} sticks")


class KeyedSticks(Sticks):
    def ttentry(self):
        return self.pile


class Marks(TwoPlayers):
    """Three in a row, on a NumPy board, with lists as moves."""

    def __init__(self):
        self.players, self.current_player = [None, None], 1
        self.board = np.zeros((3, 3), int)

    def possible_moves(self):
        return [[row, column] for row in range(3) for column in range(3) if not self.board[row, column]]

    def make_move(self, move):
        assert isinstance(move, list)
        self.board[move[0], move[1]] = self.current_player

    def lose(self):
        cells = self.board.ravel()
        return any(all(cells[cell] == self.opponent_index for cell in line) for line in LINES)

    def is_over(self):
        return self.lose() or not self.possible_moves()

    def scoring(self):
        return -100 if self.lose() else 0


class Pawns(TwoPlayers):
    """Hexapawn whose pawns are attributes of the players; without `scoring`."""

    def __init__(self, players, size=3):
        self.players, self.current_player, self.size = players, 1, size
        for player, row, step in (players[0], 0, 1), (players[1], size - 1, -1):
            player.pawns, player.step, player.goal = [(row, column) for column in range(size)], step, size - 1 - row

    def possible_moves(self):
        step, mine, theirs, moves = self.player.step, self.player.pawns, self.opponent.pawns, []
        for row, column in mine:
            if (row + step, column) not in mine + theirs:
                moves.append(f"{row}{column} {row + step}{column}")
            for side in column - 1, column + 1:
                if (row + step, side) in theirs:
                    moves.append(f"{row}{column} {row + step}{side}")
        return moves

    def make_move(self, move):
        start, end = (tuple(map(int, square)) for square in move.split())
        self.player.pawns[self.player.pawns.index(start)] = end
        if end in self.opponent.pawns:
            self.opponent.pawns.remove(end)

    def lose(self):
        return any(row == self.opponent.goal for row, _ in self.opponent.pawns) or not self.possible_moves()

    def is_over(self):
        return self.lose()


class Person:
    def __init__(self):
        self.name = "Human"


class Machine:
    def __init__(self):
        self.ask = lambda game: None  # which has no content that can be read


class Noted(Sticks):
    """Notes in `is_over` who has won, for `scoring`, which forgets it."""

    def is_over(self):
        self.won = self.pile <= 0
        return self.won

    def scoring(self):
        won, self.won = self.won, None
        return 100 if won else 0


class Points(TwoPlayers):
    """Take a coin from either end; the score is what one has more. Its estimates are good."""

    def __init__(self, coins=(2, 7, 1, 5)):
        self.players, self.current_player, self.coins, self.sums = [None, None], 1, list(coins), [0, 0]

    def possible_moves(self):
        return ["left", "right"] if len(self.coins) > 1 else ["left"]

    def make_move(self, move):
        self.sums[self.current_player - 1] += self.coins.pop(0 if move == "left" else -1)

    def is_over(self):
        return not self.coins

    def scoring(self):
        return self.sums[self.current_player - 1] - self.sums[self.opponent_index - 1]


# -- aima-python ------------------------------------------------------------------------------------------------------

Board = namedtuple("Board", "to_move, utility, board, moves")


class Rows:
    """Three in a row, on a dict."""

    def __init__(self):
        self.initial = Board("X", 0, {}, [(x, y) for x in range(1, 4) for y in range(1, 4)])

    def actions(self, state):
        return state.moves

    def result(self, state, move):
        board = {**state.board, move: state.to_move}
        moves = [other for other in state.moves if other != move]
        cells = [board.get((x, y)) for x in range(1, 4) for y in range(1, 4)]
        won = any(all(cells[cell] == state.to_move for cell in line) for line in LINES)
        value = (1 if state.to_move == "X" else -1) if won else 0
        return Board("O" if state.to_move == "X" else "X", value, board, moves)

    def utility(self, state, player):
        return state.utility if player == "X" else -state.utility

    def terminal_test(self, state):
        return state.utility != 0 or not state.moves

    def to_move(self, state):
        return state.to_move

    def display(self, state):
        for x in range(1, 4):
            print("".join(state.board.get((x, y), ".") for y in range(1, 4)))


class Tree:
    """A tree whose states are strings."""

    below = {"A": {"b": "B", "c": "C"}, "B": {"l": "B1", "r": "B2"}, "C": {"l": "C1", "r": "C2"}}
    values = {"B1": 3, "B2": 12, "C1": 2, "C2": 40}
    initial = "A"

    def actions(self, state):
        return set(self.below.get(state, {}))

    def result(self, state, move):
        return self.below[state][move]

    def utility(self, state, player):
        return self.values[state] if player == "MAX" else -self.values[state]

    def is_terminal(self, state):
        return state in self.values

    def to_move(self, state):
        return "MIN" if state in "BC" else "MAX"


Runner = namedtuple("Runner", "to_move, left, dice")


class DiceRace:
    """A coin shows 1 or 3; take that off your way of 3, or wait."""

    initial = Runner("W", (3, 3), None)

    def chances(self, state):
        return [(1,), (3,)]

    def outcome(self, state, chance):
        return state._replace(dice=chance)

    def probability(self, chance):
        return 0.75 if chance == (1,) else 0.25

    def actions(self, state):
        return ["go", "wait"]

    def result(self, state, move):
        mover, left = "WB".index(state.to_move), list(state.left)
        left[mover] = max(0, left[mover] - (state.dice[0] if move == "go" else 0))
        return Runner("BW"[mover], tuple(left), None)

    def terminal_test(self, state):
        return 0 in state.left

    def utility(self, state, player):
        return 1 if state.left["WB".index(player)] == 0 else -1

    def to_move(self, state):
        return state.to_move


# -- alpha-zero-general -----------------------------------------------------------------------------------------------


class TicTacToeZero:
    """Three in a row, with a pass that is never legal before the end."""

    def getInitBoard(self):
        return np.zeros((3, 3), int)

    def getBoardSize(self):
        return (3, 3)

    def getActionSize(self):
        return 10

    def getNextState(self, board, player, action):
        board = board.copy()
        board[action // 3, action % 3] = player
        return board, -player

    def getValidMoves(self, board, player):
        return np.append(board.ravel() == 0, False).astype(int)

    def getGameEnded(self, board, player):
        cells = board.ravel()
        for line in LINES:
            if abs(total := sum(cells[cell] for cell in line)) == 3:
                return player * (total // 3)
        return 0 if (cells == 0).any() else 1e-4

    def getCanonicalForm(self, board, player):
        return player * board

    def stringRepresentation(self, board):
        return board.tobytes()

    @staticmethod
    def display(board):
        print("\n".join("".join("-XO"[cell] for cell in row) for row in board))


# -- OpenSpiel --------------------------------------------------------------------------------------------------------


def spiel_type(**changed):
    named = {
        "dynamics": "SEQUENTIAL",
        "chance_mode": "DETERMINISTIC",
        "information": "PERFECT_INFORMATION",
        "utility": "ZERO_SUM",
        **changed,
    }
    members = {key: SimpleNamespace(name=name) for key, name in named.items()}
    return SimpleNamespace(provides_information_state_string=True, **members)


class SpielGame:
    kind, state, limit = spiel_type(), None, 1.0

    def new_initial_state(self):
        return self.state()

    def num_players(self):
        return 2

    def get_type(self):
        return self.kind

    def min_utility(self):
        return -self.limit

    def max_utility(self):
        return self.limit

    def __str__(self):
        return f"{type(self).__name__.lower()}()"


class SpielState:
    """What OpenSpiel's base class gives its states. Like one in C++, it has no content that can be read."""

    def __init__(self):
        self.past = []
        self.hidden = Random(0)

    def clone(self):
        return deepcopy(self)

    def apply_action(self, action):
        self._apply_action(action)
        self.past.append(action)

    def legal_actions(self):
        return self._legal_actions(self.current_player())

    def is_chance_node(self):
        return self.current_player() == -1

    def history(self):
        return list(self.past)

    def action_to_string(self, player, action):
        return self._action_to_string(player, action)


class NimState(SpielState):
    """Take 1 or 2 of 7; who takes the last one wins."""

    left, player = 7, 0

    def current_player(self):
        return -4 if self.is_terminal() else self.player

    def _legal_actions(self, player):
        return [number for number in (1, 2) if number <= self.left]

    def _apply_action(self, action):
        self.left -= action
        self.player = 1 - self.player

    def _action_to_string(self, player, action):
        return f"take {action}"

    def is_terminal(self):
        return self.left == 0

    def returns(self):
        first = (1.0 if self.player == 1 else -1.0) if self.is_terminal() else 0.0
        return [first, -first]

    def __str__(self):
        return f"{self.left} left, {self.player}"


class SpielNim(SpielGame):
    state = NimState


class CardState(SpielState):
    """One-card poker of three cards: bet or check, then call or fold. The ante is 1, a bet 1."""

    def __init__(self):
        super().__init__()
        self.cards, self.bets = [], []

    def current_player(self):
        if self.is_terminal():
            return -4
        return -1 if len(self.cards) < 2 else len(self.bets) % 2

    def chance_outcomes(self):
        rest = [card for card in range(3) if card not in self.cards]
        return [(card, 1 / len(rest)) for card in rest]

    def _legal_actions(self, player):
        return [0, 1]

    def _apply_action(self, action):
        (self.cards if self.is_chance_node() else self.bets).append(action)

    def _action_to_string(self, player, action):
        return f"Deal {action}" if player == -1 else ["Pass", "Bet"][action]

    def is_terminal(self):
        return self.bets in ([0, 0], [0, 1, 0], [0, 1, 1], [1, 0], [1, 1])

    def returns(self):
        if self.bets in ([1, 0], [0, 1, 0]):
            first = 1.0 if self.bets == [1, 0] else -1.0
        else:
            first = (2.0 if 1 in self.bets else 1.0) * (1 if self.cards[0] > self.cards[1] else -1)
        return [first, -first]

    def information_state_string(self, player):
        return "".join(map(str, self.cards[player : player + 1])) + "".join("pb"[bet] for bet in self.bets)

    def __str__(self):
        return f"{self.cards} {self.bets}"


class SpielPoker(SpielGame):
    kind = spiel_type(chance_mode="EXPLICIT_STOCHASTIC", information="IMPERFECT_INFORMATION")
    state, limit = CardState, 2.0


# -- GamesmanPy -------------------------------------------------------------------------------------------------------


class Value(IntEnum):
    Loss = 0
    Tie = 1
    Win = 2


class StringMode(Enum):
    Readable = 0
    AUTOGUI = 1


class SevenToZero:
    """A class whose methods take no `self`."""

    id, n_players, cyclic = "seven-to-zero", 2, False

    def start():
        return 7

    def generate_moves(position):
        return [number for number in (1, 2) if number <= position]

    def do_move(position, move):
        return position - move

    def primitive(position):
        return Value.Loss if position == 0 else None

    def to_string(position, mode):
        return f"<{position}>" if mode == StringMode.Readable else "gui"

    def move_to_string(move, mode):
        return f"-{move}" if mode == StringMode.Readable else "gui"


class Ring:
    """Step around a ring of five, or leave it at 0 to win; without end if nobody wants to help."""

    n_players, cyclic = 2, True

    def __init__(self, size=5):
        self.size = size

    def start(self):
        return 2

    def generate_moves(self, position):
        return ["forth", "back"]

    def do_move(self, position, move):
        return (position + (1 if move == "forth" else -1)) % self.size

    def primitive(self, position):
        return {0: Value.Loss, 3: Value.Tie}.get(position)


class Walk:
    """A puzzle: from 1 to 6, by adding one or doubling, not beyond."""

    n_players, cyclic = 1, False

    def start(self):
        return 1

    def generate_moves(self, position):
        return ["add", "double"]

    def do_move(self, position, move):
        return position + 1 if move == "add" else 2 * position

    def primitive(self, position):
        return None if position < 6 else Value.Win if position == 6 else Value.Loss
