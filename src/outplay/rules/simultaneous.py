"""Simultaneous choices, written as turns that are hidden from each other.

One field of the state, an int, holds the choices that are not yet revealed: 10 bits per player, with the action + 1, or
0. The players fill it in turn. When all have chosen, the rules reveal the choices and reset the field to `NOBODY`.
Until then, `information` gives a player only their own choice, `choice(chosen, player)`, and whose turn it is.

>>> chosen = choose(NOBODY, 0, 7)
>>> next_chooser(chosen), choice(chosen, 0), choice(chosen, 1)
(1, 7, -1)
>>> chosen = choose(chosen, 1, 2)
>>> next_chooser(chosen), choice(chosen, 1)
(2, 2)
"""

__all__ = ["NOBODY", "choice", "choose", "next_chooser"]

BITS = 10
"""The number of bits per player."""
NOBODY = 0
"""The field before anyone has chosen."""


def choose(chosen: int, player: int, action: int) -> int:
    """`chosen` with the choice of `player` added, who has not chosen yet.

    Raises `ValueError` for a player beyond 5 or an action beyond 1022.
    """
    if player < 0 or player > 5 or action < 0 or action > 1022:
        raise ValueError("choose: a player is a number from 0 to 5, an action one from 0 to 1022")
    return chosen | action + 1 << BITS * player


def choice(chosen: int, player: int) -> int:
    """The choice of `player`; -1 if they have not chosen yet."""
    return (chosen >> BITS * player & (1 << BITS) - 1) - 1


def next_chooser(chosen: int) -> int:
    """The first player who has not chosen yet; the number of players once all have."""
    player = 0
    while chosen >> BITS * player & (1 << BITS) - 1:
        player += 1
    return player
