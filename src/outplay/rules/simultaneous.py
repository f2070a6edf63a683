"""Choices made at the same time, written as turns that do not see each other.

One field of the state, an int, holds what was chosen and is not yet seen: 10 bits a player, the action + 1, or 0. The
players fill it in turn; when all have, the rules turn the choices up and set it back to `NOBODY`. Until then
`information` tells a player no more of it than `choice(chosen, player)`, their own, and whose turn it is.

>>> chosen = choose(NOBODY, 0, 7)
>>> next_chooser(chosen), choice(chosen, 0), choice(chosen, 1)
(1, 7, -1)
>>> chosen = choose(chosen, 1, 2)
>>> next_chooser(chosen), choice(chosen, 1)
(2, 2)
"""

__all__ = ["NOBODY", "choice", "choose", "next_chooser"]

BITS = 10
"""So many bits hold the choice of a player."""
NOBODY = 0
"""Nobody has chosen yet."""


def choose(chosen: int, player: int, action: int) -> int:
    """`chosen` with the choice of `player`, who had none.

    Raises `ValueError` for a player beyond 5 or an action beyond 1022.
    """
    if player < 0 or player > 5 or action < 0 or action > 1022:
        raise ValueError("choose: a player is a number from 0 to 5, an action one from 0 to 1022")
    return chosen | action + 1 << BITS * player


def choice(chosen: int, player: int) -> int:
    """What `player` has chosen; -1: nothing yet."""
    return (chosen >> BITS * player & (1 << BITS) - 1) - 1


def next_chooser(chosen: int) -> int:
    """The first player who has not chosen yet; the number of players, once all have."""
    player = 0
    while chosen >> BITS * player & (1 << BITS) - 1:
        player += 1
    return player
