"""A board that is a string: Toads and Frogs. A toad steps right or jumps over a frog, a frog to the left."""

from outplay import Game


class ToadsAndFrogs(Game):
    utilities = (-1, 1)

    def __init__(self, toads=2, spaces=1, frogs=2):
        self.start = "T" * toads + "_" * spaces + "F" * frogs

    def initial_state(self):
        return self.start + " T"

    def to_move(self, state):
        return "TF".index(state[-1])

    def actions(self, state):
        board, turn = state.split()
        patterns = ["T_", "TF_"] if turn == "T" else ["_F", "_TF"]
        found = []
        for pattern in patterns:
            at = board.find(pattern)
            while at != -1:
                found.append(f"{at}{pattern}")
                at = board.find(pattern, at + 1)
        return found

    def result(self, state, move):
        board, turn = state.split()
        at, pattern = int(move[0]), move[1:]
        swapped = pattern.replace("_", "?").replace(turn, "_").replace("?", turn)
        board = "".join([board[:at], swapped, board[at + len(pattern) :]])
        return " ".join((board, "F" if turn == "T" else "T"))

    def is_terminal(self, state):
        return len(self.actions(state)) == 0

    def utility(self, state, player):
        return -1 if player == self.to_move(state) else 1

    def render(self, state):
        board, turn = state.split()
        return "\n".join([board, {"T": "toads", "F": "frogs"}[turn]])
