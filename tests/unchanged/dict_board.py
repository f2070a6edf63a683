"""A board that is a dict from squares to pieces: Hexapawn, and Breakthrough for higher boards."""

from outplay import Game

WHITE, BLACK = "w", "b"


def other(colour):
    return BLACK if colour == WHITE else WHITE


class PawnGame(Game):
    utilities = (-1, 1)

    def __init__(self, width=3, height=3):
        self.width = width
        self.height = height

    def initial_state(self):
        board = {(x, 0): WHITE for x in range(self.width)}
        board.update({(x, self.height - 1): BLACK for x in range(self.width)})
        return board, WHITE

    def to_move(self, state):
        _, turn = state
        return 0 if turn == WHITE else 1

    def actions(self, state):
        board, turn = state
        step = 1 if turn == WHITE else -1
        moves = []
        for (x, y), piece in board.items():
            if piece != turn:
                continue
            if (x, y + step) not in board and 0 <= y + step < self.height:
                moves.append(((x, y), (x, y + step)))
            for dx in (-1, 1):
                if board.get((x + dx, y + step)) == other(turn):
                    moves.append(((x, y), (x + dx, y + step)))
        return sorted(moves)

    def result(self, state, move):
        board, turn = state
        start, end = move
        board = {square: piece for square, piece in board.items() if square not in (start, end)}
        board[end] = turn
        return board, other(turn)

    def winner(self, state):
        board, turn = state
        if any(piece == WHITE and y == self.height - 1 for (_, y), piece in board.items()):
            return WHITE
        if any(piece == BLACK and y == 0 for (_, y), piece in board.items()):
            return BLACK
        return None if self.actions(state) else other(turn)

    def is_terminal(self, state):
        return self.winner(state) is not None

    def utility(self, state, player):
        return 1 if (self.winner(state) == WHITE) == (player == 0) else -1

    def render(self, state):
        board, turn = state
        rows = [" ".join(board.get((x, y), ".") for x in range(self.width)) for y in reversed(range(self.height))]
        return "\n".join([*rows, f"{turn} to move"])
