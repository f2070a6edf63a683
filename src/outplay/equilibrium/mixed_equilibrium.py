"""Equilibria of matrix games as results: a profile, how it was found, and how accurate it is."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from outplay.equilibrium.matrix_game import MatrixGame, Profile
from outplay.equilibrium.nfg import Numbers
from outplay.equilibrium.notebook import equilibria_html, profile_html
from outplay.equilibrium.payoff_tables import fraction

SHORT = 10_000
"""Fractions with smaller denominators are shown as such."""
INFINITELY_MANY = "there are infinitely many: these are the extreme ones, all others are mixtures of them"


@dataclass(frozen=True, eq=False, repr=False)
class MixedEquilibrium:
    """A Nash equilibrium of a matrix game: no player gains by changing strategy while the others do not.

    Attributes:
        game: the game.
        profile: a mixed strategy for each player, each float64 [actions].
        method: how it was found.
        degenerate: whether the game is degenerate: some mixed strategy has more best responses than it mixes actions,
            so that equilibria may form segments. None if unknown.
        fractions: the same profile in exact numbers, if it was computed with these; else None.
    """

    game: MatrixGame
    profile: Profile
    _: KW_ONLY
    method: str
    degenerate: bool | None = None
    fractions: tuple[tuple[Fraction, ...], ...] | None = None

    @property
    def utilities(self) -> Numbers:
        """The expected utility of each player: float64 [players]."""
        return self.game.expected(self.profile)

    def _exact_utilities(self) -> list[Fraction]:
        """The expected utilities in exact numbers; empty if the profile is not in these."""
        if self.fractions is None:
            return []
        weights = np.array(self.fractions[0], object)
        for mixed in self.fractions[1:]:
            weights = np.multiply.outer(weights, np.array(mixed, object))
        return [sum((fraction(float(table[cell])) * weights[cell] for cell in np.ndindex(table.shape)), Fraction(0))
                for table in self.game.payoffs]  # fmt: skip

    @property
    def value(self) -> float:
        """The expected utility of player 0; in a zero-sum game, the value of the game."""
        return float(self.utilities[0])

    @property
    def regret(self) -> float:
        """The maximum gain of any player from changing strategy: 0 up to rounding."""
        return self.game.regret(self.profile)

    @property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """The actions of each player with a probability above 0."""
        return tuple(tuple(int(action) for action in np.flatnonzero(mixed > 1e-9)) for mixed in self.profile)

    @property
    def is_pure(self) -> bool:
        """Whether no player mixes."""
        return all(len(support) == 1 for support in self.supports)

    def parts(self) -> list[tuple[str, dict[str, str], str]]:
        """For each player the name, the actions with their probabilities, and the expected utility, as text.

        >>> from outplay.equilibrium import solve_zero_sum
        >>> solve_zero_sum(MatrixGame([[1, -1], [-1, 1]])).parts()
        [('player 0', {'0': '0.5', '1': '0.5'}, '0'), ('player 1', {'0': '0.5', '1': '0.5'}, '0')]
        """
        exact_or_rounded: Sequence[Any] = self.fractions or self.profile
        game, parts = self.game, []
        utilities: Sequence[Any] = self._exact_utilities() or without_solver_noise(self.game, self.utilities).tolist()
        for name, names, mixed, utility in zip(game.players, game.actions, exact_or_rounded, utilities, strict=True):
            chances = {name: number_text(chance, 4) for name, chance in zip(names, mixed, strict=True) if chance > 1e-9}
            parts.append((name, chances, number_text(utility, 6)))
        return parts

    def as_dict(self) -> dict[str, Any]:
        """The equilibrium as plain values, for JSON; exact numbers as text, such as "2/3"."""
        game, utilities = self.game, without_solver_noise(self.game, self.utilities).tolist()
        content: dict[str, Any] = {
            "pure": self.is_pure,
            "strategies": [
                dict(zip(names, mixed.tolist(), strict=True))
                for names, mixed in zip(game.actions, self.profile, strict=True)
            ],
            "utilities": utilities,
        }
        if self.fractions is not None:
            content["fractions"] = [
                dict(zip(names, map(str, mixed), strict=True))
                for names, mixed in zip(game.actions, self.fractions, strict=True)
            ]
        return content

    def __str__(self) -> str:
        game = self.game
        lines = [f"{name}: {joined(mixed)}; expects {utility}" for name, mixed, utility in self.parts()]
        regret = without_solver_noise(game, game.regrets(self.profile)).max()
        return "\n".join([*lines, f"regret {regret:.2g}; by {self.method}{_flag(self.degenerate)}"])

    def _repr_html_(self) -> str:
        return profile_html(self.game, self.profile, str(self).splitlines()[-1], self.fractions)

    def __repr__(self) -> str:
        strategies = ", ".join(str([round(float(chance), 4) for chance in mixed]) for mixed in self.profile)
        return f"<MixedEquilibrium {strategies} by {self.method}>"


@dataclass(frozen=True, eq=False, repr=False)
class MixedEquilibria(Sequence[MixedEquilibrium]):
    """A sequence of equilibria of a matrix game, which tells whether these are all.

    Attributes:
        items: the equilibria.
        method: how they were found.
        degenerate: as in `MixedEquilibrium`.
        infinite: whether there are infinitely many equilibria, of which these are the extreme ones: all others are
            mixtures of them. None if unknown.
        complete: what is known about further equilibria, in words.
    """

    items: tuple[MixedEquilibrium, ...]
    _: KW_ONLY
    method: str
    degenerate: bool | None = None
    infinite: bool | None = None
    complete: str = ""

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[MixedEquilibrium]:
        return iter(self.items)

    def summary(self) -> str:
        """How many there are, how they were found, and whether these are all."""
        count = f"{len(self)} {'equilibrium' if len(self) == 1 else 'equilibria'}, by {self.method}"
        complete = f"; {self.complete}" if self.complete else ""
        return f"{count}{_flag(self.degenerate)}{complete}"

    def as_dict(self) -> dict[str, Any]:
        """The equilibria as plain values, for JSON."""
        return {
            "method": self.method,
            "degenerate": self.degenerate,
            "infinite": self.infinite,
            "complete": self.complete,
            "equilibria": [item.as_dict() for item in self.items],
        }

    def __str__(self) -> str:
        return "\n\n".join([self.summary(), *map(str, self.items)])

    def _repr_html_(self) -> str:
        return equilibria_html(self)

    def __repr__(self) -> str:
        return f"<MixedEquilibria: {len(self)} by {self.method}{_flag(self.degenerate)}>"


def joined(mixed: dict[str, str]) -> str:
    """A mixed strategy in one line: each action before its probability."""
    return ", ".join(f"{name} {chance}" for name, chance in mixed.items())


def number_text(number: Any, digits: int) -> str:
    """A number as text: a fraction if it is one with a short denominator, else a decimal with so many digits.

    >>> number_text(Fraction(2, 3), 4), number_text(2 / 3, 4), number_text(Fraction(1, 10**9 + 7), 4)
    ('2/3', '0.6667', '1e-09')
    """
    short = isinstance(number, Fraction) and number.denominator < SHORT
    return str(number) if short else f"{float(number):.{digits}g}"


def is_infinite(equilibria: Sequence[MixedEquilibrium]) -> bool:
    """Whether extreme equilibria of a two-player game stand for infinitely many: two share a player's strategy.

    Where one player does the same in two equilibria, all mixtures of what the other does there are equilibria too.
    """
    profiles = [
        equilibrium.fractions or tuple(tuple(mixed.round(9)) for mixed in equilibrium.profile)
        for equilibrium in equilibria
    ]
    return any(len({profile[player] for profile in profiles}) < len(profiles) for player in (0, 1))


def _flag(degenerate: bool | None) -> str:
    return "; the game is degenerate" if degenerate else ""


def without_solver_noise(game: MatrixGame, payoffs: Numbers) -> Numbers:
    """Return a payoff of each player rounded to 9 digits of the player's spread, to hide a solver's rounding."""
    spreads = np.array(game.spreads)
    digits: Numbers = np.round(payoffs / spreads, 9) * spreads
    return digits + 0.0  # never -0
