"""The kinds of values: one number for two opposed sides, else one for each side; and games that have no table."""

import math
from collections.abc import Sequence
from typing import Any

from outplay.compile.kernels import kernel, runs_compiled
from outplay.rules.constant_sum import is_opposed, team_members
from outplay.rules.errors import RulesError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines

MAX_SIDES = 62
"""The maximum number of sides."""
ROUNDING = 1e-12
"""The relative error of a mean that counts as rounding."""


def speakers(game: Game) -> list[int]:
    """The players whose utilities say those of all: one for each side, player 0 alone where interests are opposed."""
    if is_opposed(game):
        return [0]
    return [team[0] for team in team_members(game)]


def utility_of(game: Game, state: Any) -> Any:
    """The value of an end of the game: the utility of player 0, or of each side."""
    return (
        game.utility(state, 0)
        if is_opposed(game)
        else tuple(game.utility(state, speaker) for speaker in speakers(game))
    )


def unsuited(game: Game) -> str:
    """Why there is no table of `game`; empty if there may be one."""
    opposed = is_opposed(game)
    if game.hidden_information:
        return "its players see only a part of the state"
    if not opposed and game.has_chance:
        return (
            "it has chance, and the interests of its players are not opposed: rounding would decide whether a player is"
            " indifferent; MaxN searches it"
        )
    if not opposed and game.players > MAX_SIDES:
        return f"it has more than {MAX_SIDES} players"
    if game.repetition and (game.has_chance or not opposed):
        return "by its rule of repetition, the value of a state depends on earlier states"
    if game.repetition not in ("", "draw", None):
        return f"a repeated state is worth more or less than a draw (repetition = {game.repetition!r})"
    return ""


def check_suited(game: Game) -> None:
    """Raise `UnsuitableGame` if there cannot be a table of `game`, compiled or not."""
    reason = unsuited(game)
    if reason:
        raise UnsuitableGame(f"there is no table of {game!r}: {reason}")


def check_compiles(game: Game) -> None:
    """Raise `RulesError` for a game whose rules run interpreted."""
    if not runs_compiled(game):
        raise RulesError(f"there is no table of {game!r}: its rules run interpreted; outplay check says why")


def check_suits(game: Game) -> None:
    """Raise an error if there cannot be a table of `game`."""
    check_suited(game)
    check_compiles(game)


def fits(game: Game, header: dict[str, Any]) -> bool:
    """Whether the values in a file with this header are of the kind that `game` has."""
    sides = 0 if is_opposed(game) else len(team_members(game))
    widths = {len(utilities) if isinstance(utilities, list) else 0 for utilities in header["utilities"]}
    return widths == {sides} and game.has_chance == ("error" in header)


def agrees(
    game: Game, state: Any, player: int, value: float, after: Sequence[tuple[int, float, int]], error: float
) -> bool:
    """Whether the value of a state, for player 0, is that of its best successor, or their mean, up to rounding.

    Args:
        game: a game with chance.
        state: the state.
        player: the player to move in it, or `CHANCE`.
        value: what a table says of it.
        after: its actions, the best first, with the value and the plies of the state that each leads to.
        error: the error of the table.
    """
    expected = after[0][1]
    if player == CHANCE:
        chances = [float(game.probability(state, action)) for action, *_ in after]
        expected = math.fsum(p * v for p, (_, v, _) in zip(chances, after, strict=True)) / math.fsum(chances)
    size = max(abs(payoff) for _, payoff, _ in after)
    return abs(value - expected) <= 2 * error + ROUNDING * size


@kernel
def is_by_chance(game: Any, mover: int) -> bool:
    """Whether this is the number of chance, in a game that has it."""
    if defines(game, "probability"):
        return bool(mover == CHANCE)
    return False
