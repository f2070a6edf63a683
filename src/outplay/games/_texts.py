"""Boards as one line of text, as in chess: rows from the top, separated by `/`, numbers for runs of empty squares."""

from collections.abc import Sequence
from itertools import groupby

from outplay.rules.errors import RulesError


def write_board(rows: Sequence[Sequence[str]], turn: str) -> str:
    """The rows of a board, the top one first, `.` for an empty square, then a space and the player to move.

    >>> write_board([["b", ".", "b"], [".", ".", "."], ["w", "w", "w"]], "w")
    'b1b/3/www w'
    """
    runs = [[(mark, len(list(run))) for mark, run in groupby(row)] for row in rows]
    return f"{'/'.join(''.join(str(n) if mark == '.' else mark * n for mark, n in row) for row in runs)} {turn}"


def read_board(
    text: str, rows: int, columns: int | Sequence[int], marks: str, turns: str, *, from_top: bool = False
) -> tuple[list[str], int]:
    """The rows of `text`, `.` for an empty square, and the number of the turn: the inverse of `write_board`.

    Raises `RulesError` if the size is wrong, or a mark is not in `marks`, or the turn is not in `turns`. Its message
    numbers the rows from the bottom, or with `from_top` from the top. `columns` is one number for all rows, or one
    per row.

    >>> read_board("b1b/3/www w", 3, 3, "wb", "wb")
    (['b.b', '...', 'www'], 0)
    """
    board, space, turn = text.strip().partition(" ")
    widths = [columns] * rows if isinstance(columns, int) else columns
    example = f"such as {'/'.join(map(str, widths))} {turns[0]}"
    if not space or turn not in tuple(turns):
        raise RulesError(f"{text!r}: after the board, a space and {' or '.join(turns)}, who is to move; {example}")
    lines = board.split("/")
    if len(lines) != rows:
        raise RulesError(f"{text!r}: {len(lines)} rows, but the board has {rows}; {example}")
    rows_of_squares = []
    for number, (line, width) in enumerate(zip(lines, widths, strict=True)):
        place = f"{text!r}: row {number + 1 if from_top else rows - number}, {line!r}"
        squares, run = "", ""
        for mark in line + " ":
            if mark in "0123456789":
                run += mark
                continue
            squares += "." * min(int(run.lstrip("0")[:4] or 0), width + 1)  # a larger number is just as much too long
            run = ""
            if mark in marks:
                squares += mark
            elif mark != " " or len(line) == 0:
                raise RulesError(f"{place}: {mark!r} is not one of {', '.join(marks)}, nor a number of empty squares")
        if len(squares) != width:
            article = "a" if isinstance(columns, int) else "this"
            raise RulesError(f"{place}: it describes {len(squares)} squares, but {article} row has {width}")
        rows_of_squares.append(squares)
    return rows_of_squares, turns.index(turn)
