"""Values and results in words, where a game has no words of its own."""

import math
from collections.abc import Sequence
from typing import Any

from outplay.rules.constant_sum import has_constant_sum, total


def value_words(game: Any, value: float, exact: bool, distance: int | None) -> str:
    """A value in words, from the viewpoint of the player whose value it is; a number if it is not a win or a loss.

    "unknown" if it is nan.
    """
    if math.isnan(value):
        return "unknown"
    number = (f"{value:.4g}" if game.constant_sum else f"{value:+.4g}") if value else "0"
    word = words_of(game).get(value, number) if exact else number
    return f"{word} in {distance}" if distance and word in ("win", "loss") else word


def words_of(game: Any) -> dict[float, str]:
    """The words for the utilities of a game that is won, lost or drawn; empty for a game with other utilities.

    >>> from outplay.games import Nim, Pig
    >>> words_of(Nim()), words_of(Pig(players=3))
    ({-1: 'loss', 0.0: 'draw', 1: 'win'}, {})
    """
    least, greatest = game.utilities or ((0, 1) if total(game) == 1 else (-1, 1))
    if total(game) not in (None, least + greatest) and game.constant_sum:
        return {}
    if game.players != 2 or greatest != 1 or least not in (-1, 0):
        return {}
    return {least: "loss", (least + greatest) / 2: "draw", greatest: "win"}


def win_rate(game: Any, value: float) -> str:
    """The mean result of simulations as a share of wins, where draws count half; "" if there are other utilities.

    A game must declare its `utilities`: without them, nobody knows that it is won, lost or drawn.

    >>> from outplay.games import Nim, Pig
    >>> win_rate(Nim(), 0.1), win_rate(Pig(players=3), 0.1)
    ('55.0 %', '')
    """
    words = words_of(game) if game.utilities else {}
    return f"{100 * (value - min(words)) / (max(words) - min(words)):.1f} %" if words else ""


def percent_of_wins(game: Any) -> float:
    """How many per cent of wins a step of 1 in the value is; 0 if there are other utilities.

    >>> from outplay.games import Nim
    >>> percent_of_wins(Nim())
    50.0
    """
    words = words_of(game) if game.utilities else {}
    return 100 / (max(words) - min(words)) if words else 0.0


def result_words(game: Any, utilities: Sequence[float]) -> str:
    """The result of a game in words."""
    if game.players == 1:
        return f"utility {utilities[0]:+g}"
    if game.players != 2 or not has_constant_sum(game):
        return "utilities " + " ".join(f"{utility:+g}" for utility in utilities)
    if utilities[0] == utilities[1]:
        return "draw"
    loser, winner = sorted(utilities)
    margin = f" {winner:g} to {loser:g}" if game.constant_sum else f" by {winner:g}"
    is_plain = winner == 1 and loser == (game.constant_sum or 0) - 1
    return f"player {int(utilities[0] < utilities[1])} wins{'' if is_plain else margin}"
