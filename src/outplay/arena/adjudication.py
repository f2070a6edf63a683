"""Games that are over before the rules say so: both players see it, have proved it, or a table knows it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outplay.rules.constant_sum import draw_utility, total
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.repetition import defeat

if TYPE_CHECKING:
    from outplay.engine.book import LookUp

Verdict = tuple[tuple[float, ...], str]
"""The utilities of all players, and the reason."""


@dataclass(frozen=True)
class Adjudication:
    """What ends a game of two players early; all of it is off by default.

    Args:
        resign: the game is lost for one player once both have seen it beyond this share of the way from a draw to a
            loss for `resign_plies` plies in a row.
        resign_plies: see `resign`.
        draw: the game is a draw once both have seen the value within this share of a draw for `draw_plies` plies in
            a row.
        draw_plies: see `draw`.
        proved: the game is over once both players, one after the other, have proved the same value.
        table: a look-up, such as a `Tablebase`, whose exact values end a game.

    Raises `OutplayError` for a share that is not above 0, or a number of plies below 1.
    """

    resign: float | None = None
    resign_plies: int = 6
    draw: float | None = None
    draw_plies: int = 20
    proved: bool = False
    table: "LookUp | None" = None

    def __post_init__(self) -> None:
        for name in "resign", "draw":
            share, plies = getattr(self, name), getattr(self, f"{name}_plies")
            if share is not None and not share > 0:
                raise OutplayError(f"{name}={share:g}: give a share above 0")
            if plies < 1:
                raise OutplayError(f"{name}_plies={plies}: give a number from 1 up")


class Adjudicator:
    """Follows a game of two players with opposed interests.

    Raises `OutplayError` if the game has other players, or if shares are asked for but its `utilities` are not known.
    """

    def __init__(self, game: Game, rules: Adjudication) -> None:
        self.game, self.rules, self.level = game, rules, draw_utility(game)
        self.shares: list[float] = []
        """How far the last plies were from a draw, as their players saw it: 1 a win of player 0, -1 a loss."""
        self.proved: list[tuple[int, float]] = []
        """The last values that players have proved, from player 0's side, with who did."""
        uses_shares = rules.resign is not None or rules.draw is not None
        if rules != Adjudication() and (game.players != 2 or total(game) is None):
            raise OutplayError(f"only games of two opposed players are adjudicated, not {game!r}")
        if uses_shares and game.utilities is None:
            raise OutplayError(f"{game!r} does not declare its utilities, so that nobody knows how near a loss is")
        self.worst = game.utilities[0] if game.utilities else self.level - 1

    def after(self, player: int, value: float | None, *, exact: bool) -> Verdict | None:
        """The verdict after a ply of a player, who sees this value."""
        if value is None:
            self.shares.clear()
            self.proved.clear()
            return None
        share = (value - self.level) / (self.level - self.worst) * (1 if player == 0 else -1)
        self.shares.append(share)
        self.proved = [*self.proved[-1:], (player, share)] if exact else []
        return self._proved(player, value) or self._drawn() or self._resigned()

    def table_verdict(self, state: Any) -> Verdict | None:
        """The verdict of the table on a state that is not over."""
        entry = None if self.rules.table is None else self.rules.table.look_up(self.game, state)
        if entry is None or entry.kind != "exact":
            return None
        return self._split(int(self.game.to_move(state)), entry.value), "table"

    def _proved(self, player: int, value: float) -> Verdict | None:
        if not self.rules.proved or len(self.proved) < 2 or len(dict(self.proved)) < 2:
            return None
        return (self._split(player, value), "proved") if self.proved[0][1] == self.proved[1][1] else None

    def _drawn(self) -> Verdict | None:
        limit = self.rules.draw
        if limit is None or not self._last(self.rules.draw_plies, lambda share: abs(share) <= limit):
            return None
        return (self.level, self.level), "agreed"

    def _resigned(self) -> Verdict | None:
        limit, plies = self.rules.resign, self.rules.resign_plies
        if limit is None:
            return None
        if self._last(plies, lambda share: share <= -limit):
            return defeat(self.game, 0), "resigned"
        return (defeat(self.game, 1), "resigned") if self._last(plies, lambda share: share >= limit) else None

    def _last(self, plies: int, holds: Callable[[float], bool]) -> bool:
        """Whether something holds for the shares of the last plies."""
        return len(self.shares) >= plies and all(map(holds, self.shares[-plies:]))

    def _split(self, player: int, value: float) -> tuple[float, float]:
        """The utilities if one player gets `value`."""
        opponent_value = (total(self.game) or 0.0) - value
        return (value, opponent_value) if player == 0 else (opponent_value, value)
