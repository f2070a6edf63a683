"""What is learned of a game: the form of its tables, from states of random games. Start at `Plan`."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import runs_compiled
from outplay.evaluation.columns import Column, columns_of, read_columns
from outplay.evaluation.layout import PLIES, Layout, Samples, layout_of, sample
from outplay.evaluation.network import MAX_OUTCOMES
from outplay.evaluation.patterns import NEARLY, Sides, Tables
from outplay.learning.groups import Choice, choose_groups, interactions
from outplay.rules.constant_sum import draw_utility, has_constant_sum, is_opposed_pair, range_of
from outplay.rules.errors import EvaluationError, UnsuitableGame
from outplay.rules.game import Game, defines
from outplay.rules.numbered import numbered

ENDING = 0.01
"""Random games say something if this share of them ends."""
TERMS = 32
"""At most this many features of the game are terms."""
SAME = 1e-9
"""Values that differ by less than this share of the greatest are the same."""
MANY_SYMBOLS, MANY_LOCATIONS = 8, 24
"""Where so many locations have more symbols than that, the table of a group holds too few of them."""
LONG = 20_000
"""The most plies of a game against chance alone."""


def check_suits(game: Game) -> None:
    """Raise `UnsuitableGame` unless an evaluation of the game can be learned."""
    if game.hidden_information:
        raise UnsuitableGame(
            f"{game!r} has hidden information: the value of a state depends on what the players believe. outplay"
            " equilibrium finds strategies for it, and the search ismcts plays it without an evaluation"
        )
    if game.players == 2 and not has_constant_sum(game):
        raise UnsuitableGame(f"{game!r}: an evaluation is learned for two players only if their interests are opposed")


@dataclass(frozen=True)
class Plan:
    """What is known of a game before it is learned.

    Attributes:
        game: the game.
        layout: how its states are read.
        pairs: float64 [locations, locations]: how much more two locations say together.
        most: the most that a player can win or lose, or how much a usual game is about.
        bounded: whether that is a bound.
        score: the column that says what player 0 has got so far, or None.
        own: the unit of the game's own evaluation; 0: it has none.
        features: the unit of each of its features.
        plies: a game of so many plies is over.
        compiled: whether the rules compile.
        outcomes: what player 0 can win, in ascending order and units of `most`, if that is more than to win or lose,
            and no more than a network tells apart; else empty.
    """

    game: Game
    layout: Layout
    pairs: NDArray[np.float64]
    most: float
    bounded: bool
    score: Column | None
    own: float
    features: tuple[float, ...]
    plies: int
    compiled: bool
    outcomes: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        game: Game,
        seed: int = 1,
        positions: int = 20_000,
        seconds: float = 10.0,
        games: Iterator[list[Any]] | None = None,
    ) -> "Plan":
        """Look at random games and at `games`, lists of states, for at most so many seconds.

        Raises `UnsuitableGame` if no random game ends, and the game has no evaluation.
        """
        check_suits(game)
        samples = sample(game, positions, seed, seconds, games)
        if not np.isfinite(samples.results).all():
            raise EvaluationError(f"{game!r}: a result is no number: see its utility()")
        has_evaluation = defines(game, "evaluate")
        if samples.ended < ENDING and not has_evaluation:
            raise UnsuitableGame(
                f"{game!r}: {'no' if not samples.ended else 'hardly a'} random game ends within {PLIES} plies, so that"
                " nobody wins: end it after a number of plies, or define evaluate(), from which learning can start"
            )
        span = range_of(game)
        bounded = span is not None and 0 < max(map(abs, span)) < math.inf
        score = _score(samples) if not bounded and is_opposed_pair(game) else None
        results = samples.results - draw_utility(game)
        most = float(max(map(abs, span))) if bounded and span is not None else max(float(np.abs(results).mean()), 1e-9)
        layout = layout_of(game, samples, skipped=score)
        own, features = _units(game, samples, most) if bounded else (0.0, ())
        if not (layout.locations or own or any(features)):
            raise UnsuitableGame(
                f"{game!r}: nothing was found in its states: make them of numbers, texts, members of enumerations, and"
                " tuples, lists, sets, dicts or objects of these, or define features()"
            )
        plies = LONG if game.players == 1 and game.has_chance else PLIES
        compiled = runs_compiled(numbered(game))
        outcomes = _outcomes(game, samples, most) if bounded else ()
        return cls(
            game, layout, _pairs(layout, samples), most, bounded, score, own, features, plies, compiled, outcomes
        )  # fmt: skip

    def tables(self, copies: int = 64, choice: Choice = "mixed", entries: int = 6561, seed: int = 1) -> Tables:
        """Tables with about so many copies of groups, each with at most so many entries."""
        layout, game = self.layout, self.game
        groups = choose_groups(layout, self.pairs, max(1, copies // len(layout.images)), entries, choice, seed)
        movers = game.players + game.has_chance
        players = 1 if is_opposed_pair(game) else game.players
        sides: Sides = "apart" if movers > 1 else "equal"
        return Tables(layout, groups, sides, players, movers, self.score, self.own, self.features)

    @property
    def learner(self) -> str:
        """The way to learn that suits the game, see `learn`."""
        if not self.compiled or self.game.players != 2 or not is_opposed_pair(self.game):
            return "patterns"
        if self.game.has_chance:
            return "network"
        on_board = [place for place in self.layout.locations if place.cell is not None] or self.layout.locations
        has_many = sum(place.symbols > MANY_SYMBOLS for place in on_board) >= MANY_LOCATIONS
        return "features" if has_many and self.own else "patterns"

    def bare(self) -> "Plan":
        """The same without the game's own evaluation and features."""
        return replace(self, own=0.0, features=())

    def describe(self) -> dict[str, Any]:
        """The layout in numbers and names."""
        return {
            "game": repr(self.game),
            "learner": self.learner,
            "compiled": self.compiled,
            "locations": [{"name": location.name, "symbols": location.symbols} for location in self.layout.locations],
            "images": len(self.layout.images),
            "stages": len(self.layout.edges) + 1,
            "score": None if self.score is None else str(self.score),
            "outcomes": [outcome * self.most for outcome in self.outcomes],
            "terms": ["evaluate"] * bool(self.own)
            + [name for name, unit in zip(self.game.feature_names, self.features, strict=False) if unit],
        }


def _score(samples: Samples) -> Column | None:
    """The column that is what player 0 got in each game."""
    columns = [column for column in columns_of(samples.ends) if column.kind == "number"] if samples.ends else []
    table = read_columns(columns, samples.ends)
    for place, column in enumerate(columns):
        if np.array_equal(table[:, place], samples.utilities[:, 0]) and len(np.unique(table[:, place])) > 1:
            return column
    return None


def _outcomes(game: Game, samples: Samples, most: float) -> tuple[float, ...]:
    if not is_opposed_pair(game) and game.players > 1:
        return ()
    won = (samples.utilities[:, 0] - draw_utility(game)) / most
    outcomes = np.unique(np.concatenate([won, -won]) if game.players == 2 else won)
    return tuple(outcomes.tolist()) if 2 < len(outcomes) <= MAX_OUTCOMES else ()


def _pairs(layout: Layout, samples: Samples) -> NDArray[np.float64]:
    symbols = layout.symbols(read_columns(layout.columns, samples.states))
    rows = np.arange(len(samples.states))
    return interactions(layout, symbols, [samples.results[rows, samples.movers], samples.results[:, 0]])


def _units(game: Game, samples: Samples, most: float) -> tuple[float, tuple[float, ...]]:
    """The spread of the game's own evaluation, as if squeezed by tanh, and of its features, for the player to move."""
    states = samples.states[:: len(samples.states) // 1000 + 1]
    own = 0.0
    features: tuple[float, ...] = ()
    if defines(game, "evaluate"):
        values = np.array([(game.evaluate(state, game.to_move(state)) - draw_utility(game)) / most for state in states])
        own = _spread(np.arctanh(values.clip(-NEARLY, NEARLY)))
    if 0 < len(game.feature_names) <= TERMS:
        features = tuple(map(_spread, np.array([game.features(state) for state in states], float).T))
    if not np.isfinite([own, *features]).all():
        raise EvaluationError(f"{game!r}: an estimate is no number: see its evaluate() and features()")
    return own, features


def _spread(values: NDArray[np.float64]) -> float:
    """The standard deviation; 0 if all values are the same but for rounding."""
    spread = float(values.std())
    return 0.0 if spread <= SAME * float(abs(values).max()) else spread
