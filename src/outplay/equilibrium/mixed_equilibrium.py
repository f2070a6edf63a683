"""Equilibria of matrix games as results: a profile, how it was found, and how accurate it is."""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from outplay.equilibrium.matrix_game import MatrixGame, Profile
from outplay.equilibrium.nfg import Numbers
from outplay.equilibrium.notebook import equilibria_html, profile_html


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

    def __str__(self) -> str:
        given: Sequence[Any] = self.fractions or self.profile
        game, lines, utilities = self.game, [], rounded(self.game, self.utilities)
        for who, names, mixed, utility in zip(game.players, game.actions, given, utilities, strict=True):
            taken = [f"{name} {_told(chance)}" for name, chance in zip(names, mixed, strict=True) if chance > 1e-9]
            lines.append(f"{who}: {', '.join(taken)}; expects {utility:.6g}")
        regret = rounded(game, game.regrets(self.profile)).max()
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
        complete: what is known about further equilibria, in words.
    """

    items: tuple[MixedEquilibrium, ...]
    _: KW_ONLY
    method: str
    degenerate: bool | None = None
    complete: str = ""

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[MixedEquilibrium]:
        return iter(self.items)

    def __str__(self) -> str:
        count = f"{len(self)} {'equilibrium' if len(self) == 1 else 'equilibria'}, by {self.method}"
        complete = f"; {self.complete}" if self.complete else ""
        return "\n\n".join([f"{count}{_flag(self.degenerate)}{complete}", *map(str, self.items)])

    def _repr_html_(self) -> str:
        return equilibria_html(self)

    def __repr__(self) -> str:
        return f"<MixedEquilibria: {len(self)} by {self.method}{_flag(self.degenerate)}>"


def _told(chance: Any) -> str:
    return str(chance) if isinstance(chance, Fraction) else f"{chance:.4g}"


def _flag(degenerate: bool | None) -> str:
    return "; the game is degenerate" if degenerate else ""


def rounded(game: MatrixGame, payoffs: Numbers) -> Numbers:
    """Return a payoff of each player rounded to 9 digits of the player's spread, to hide a solver's rounding."""
    spreads = np.array(game.spreads)
    digits: Numbers = np.round(payoffs / spreads, 9) * spreads
    return digits + 0.0  # never -0
