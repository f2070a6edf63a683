"""What the twins of board games share."""


def written(rows, columns, turn):
    """A board as text, the way a person writes it: `.` for an empty square, then whole runs of them as numbers."""
    text = "/".join(rows)
    for empty in range(columns, 0, -1):
        text = text.replace("." * empty, str(empty))
    return f"{text} {turn}"
