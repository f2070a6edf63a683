"""What `outplay match` shows: the score as it grows, on a terminal with a board, and the result at the end."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outplay.arena.contest import Round
from outplay.arena.elo import elo_text, finite, interval_text
from outplay.arena.match import Match, Score
from outplay.arena.strengths import Strength, mean_of
from outplay.cli.contest import say_seed
from outplay.cli.contest_display import ContestDisplay, fault_words, plain_table, print_table
from outplay.cli.output import say

if TYPE_CHECKING:
    from rich.table import Table

    from outplay.arena.orders import OrderRatings


class MatchDisplay(ContestDisplay):
    """The state of a match."""

    def __init__(self, match: Match, every: int | None = None) -> None:
        super().__init__(match, every)
        self.match, self.score, self.is_duel = match, Score(match.test), len(match.players) == 2
        self.orders: list[tuple[Sequence[str], Sequence[float]]] = []

    def count(self, round_: Round) -> None:
        """See `ContestDisplay`."""
        self.orders += [(record.players, record.utilities) for record in round_.records]
        if self.is_duel:
            self.score.add(round_)

    @property
    def games(self) -> int:
        """The number of games that count."""
        return sum(self.score.games) if self.is_duel else len(self.orders)

    def games_left(self) -> tuple[int, float]:
        """See `ContestDisplay`."""
        most = self.match.rounds * len(self.match.seat_orders)
        left = float(most - self.games)
        return most, left if self.match.test is None else min(left, self.match.test.games_left(self.score.pairs))

    def table(self) -> "Table":
        """The score."""
        table = plain_table("player", "won", "drawn", "lost", "points", "time a move", "waited", "own faults")
        lost, drawn, won = self.score.games
        for place, name in enumerate(self.match.names):
            figures: list[str] = ["", "", "", self._points(place)]
            if self.is_duel:
                figures = [str(count) for count in ((won, drawn, lost) if place == 0 else (lost, drawn, won))]
                share = (won + drawn / 2) / max(1, self.games)
                figures.append(f"{1 - share if place else share:.1%}" if self.games else "")
            faults = fault_words(self.score.faults[place]) if self.is_duel else ""
            table.add_row(name, *figures, self.spent.a_move(place), self.spent.waiting(place), faults)
        return table

    def _points(self, place: int) -> str:
        name = self.match.names[place]
        own_utilities = [utilities[list(players).index(name)] for players, utilities in self.orders]
        return f"{sum(own_utilities) / len(own_utilities):+.3f}" if own_utilities else ""

    def summary(self) -> str:
        """The score in a line."""
        if not self.is_duel:
            points = ", ".join(f"{name} {self._points(place)}" for place, name in enumerate(self.match.names))
            return f"{self.games} games: {points}"
        (first, second), (lost, drawn, won), strength = self.match.names, self.score.games, self.score.strength
        line = (
            f"{self.games} games: {first} against {second}: {won} won, {drawn} drawn, {lost} lost,"
            f" {elo_text(strength.elo)} Elo ({interval_text(strength.low, strength.high)})"
        )
        test = self.match.test
        return line if test is None else f"{line}, LLR {test.llr(self.score.pairs):.2f}"

    def print(self) -> None:
        """The result."""
        if not self.games:
            return
        print_table(self.table())
        self.faults.print(self.match.names)
        say()
        if self.is_duel:
            self._print_strength(self.score.strength)
        else:
            self._print_ratings()
        self.print_repeats()
        say_seed(self.match.seed)
        if self.stopped:
            say("interrupted", "yellow")

    def _print_strength(self, strength: Strength) -> None:
        first, second = self.match.names
        say(
            f"{first} against {second}: {elo_text(strength.elo)} Elo,"
            f" 95% interval {interval_text(strength.low, strength.high)};"
            f" stronger with {strength.superior:.1%}",
            "bold",
        )
        normalized = "" if math.isnan(strength.normalized) else f"; normalized Elo {strength.normalized:+.0f}"
        say(f"pairs of games by points, 0 to 2: {' '.join(map(str, self.score.pairs))}{normalized}")
        if self.score.adjusted:
            plain, adjusted = mean_of(self.score.utilities), mean_of(self.score.adjusted)
            say(
                f"mean utility of {first}: {plain.mean:+.3f} ± {plain.error:.3f}; less its luck"
                f" {adjusted.mean:+.3f} ± {adjusted.error:.3f}"
            )
        test = self.match.test
        if test is not None:
            words = {
                "accepted": f"at least {test.elo1:g} Elo",
                "rejected": f"not more than {test.elo0:g} Elo",
                "": "open",
            }
            say(
                f"test of {test.elo1:g} against {test.elo0:g} Elo: LLR {test.llr(self.score.pairs):.2f}, bounds"
                f" {test.lower:.2f} and {test.upper:.2f}: {words[self.score.verdict]}"
            )

    def _ratings(self) -> "OrderRatings":
        from outplay.arena.orders import rate_orders  # noqa: PLC0415 - heavy

        return rate_orders(self.orders)

    def _print_ratings(self) -> None:
        table = plain_table("player", "Elo", "95%", "games")
        for player in self._ratings().players:
            table.add_row(player.name, elo_text(player.elo), interval_text(player.low, player.high), str(player.games))
        print_table(table)

    def as_dict(self) -> dict[str, Any]:
        """The result as plain data."""
        names = self.match.names
        data: dict[str, Any] = {"players": list(names), "games": self.games, "interrupted": self.stopped}
        data |= {"seed": self.match.seed, "repeated_rounds": self.repeats.count}
        if self.is_duel and self.games:
            lost, drawn, won = self.score.games
            strength = {key: finite(value) for key, value in self.score.strength._asdict().items()}
            data |= {"won": won, "drawn": drawn, "lost": lost, "pairs": self.score.pairs, **strength}
            data["faults"] = self.score.faults
            data["first_faults"] = [self.faults.as_json(place) for place in range(2)]
            data["utility"] = _mean_as_json(self.score.utilities)
            if self.score.adjusted:
                data["adjusted_utility"] = _mean_as_json(self.score.adjusted)
            if self.match.test is not None:
                test = self.match.test
                data["test"] = {
                    "elo0": test.elo0, "elo1": test.elo1, "llr": test.llr(self.score.pairs), "lower": test.lower,
                    "upper": test.upper, "verdict": self.score.verdict,
                }  # fmt: skip
        elif self.games:
            data["ratings"] = [
                {key: finite(value) for key, value in player._asdict().items()} for player in self._ratings().players
            ]
        return data


def _mean_as_json(utilities: Sequence[float]) -> dict[str, Any]:
    """A mean and its interval for JSON."""
    return {key: finite(value) for key, value in mean_of(utilities)._asdict().items()}
