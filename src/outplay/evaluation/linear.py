"""Weighted linear evaluations (Russell & Norvig, chapter 5; Shannon 1950).

    Eval(s) = w_1 f_1(s) + w_2 f_2(s) + … + w_n f_n(s)

Each feature is what the player to move has, minus what the other player has (see `Game.features`), so the sum, in
points, changes sign with the player. If utilities are 1 for a win and -1 for a loss, `x` points become the estimate `x
/ (|x| + half)`; if they are 1 and 0, half of that plus 1/2. If utilities are margins, the estimate is the points
themselves, plus the utility of a draw. No estimate reaches a win or a loss.

For a search, `rule` writes the sum as one line of Python, so that it compiles without a loop and features may have
different types.
"""

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from os import PathLike
from reprlib import repr as shortened
from typing import Any, Self

from outplay.evaluation.variant import Rule, bounds, check_opposed, evaluated
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import EvaluationError
from outplay.rules.game import Game
from outplay.rules.wording import enumerated
from outplay.system.files import read_text, write_file

HALF = "half"
"""The name of the line that gives `half` in a file; no feature may have this name."""
ROWS = 20
"""The most terms of an explanation that are printed; of the others, only the sum."""
MAX_WEIGHT = 1e12
"""The maximum weight, so that sums stay finite."""


@dataclass(frozen=True)
class Term:
    """One feature in a sum."""

    feature: str
    value: float
    weight: float

    @property
    def points(self) -> float:
        """What the feature adds to the sum."""
        return 0.0 + self.weight * self.value  # not -0


@dataclass(frozen=True)
class Explanation:
    """How an estimate is computed: one term per feature of the game, seen from the player to move.

    Attributes:
        terms: the features with their values and weights; features without a weight have weight 0.
        points: the sum of the terms.
        estimate: the estimate of the utility of the player to move.
        player: the player to move.
        locations: by the name of each location of a learned evaluation, how many points its symbol is worth there,
            compared with the mean of its other symbols. `outplay.show(heat=...)` draws them on the board.
        chances: by what the player to move can win, how likely that is, if a network tells outcomes apart.
    """

    terms: tuple[Term, ...]
    points: float
    estimate: float
    player: int
    locations: Mapping[str, float] = field(default_factory=dict, hash=False)
    chances: Mapping[float, float] = field(default_factory=dict, hash=False)

    def as_dict(self) -> dict[str, Any]:
        """The explanation as plain values, for JSON."""
        terms = [
            {"feature": term.feature, "value": term.value, "weight": term.weight, "points": term.points}
            for term in self.terms
        ]
        others: dict[str, Any] = {"locations": dict(self.locations)} if self.locations else {}
        if self.chances:
            others["chances"] = [{"utility": won, "chance": chance} for won, chance in self.chances.items()]
        return {"player": self.player, "features": terms, **others, "points": self.points, "estimate": self.estimate}

    def __str__(self) -> str:
        head = ("feature", "value", "weight", "points")
        rows = [
            (term.feature, *(f"{x:g}" for x in (term.value, term.weight, term.points))) for term in self.terms[:ROWS]
        ]
        if others := self.terms[ROWS:]:
            rows += [(f"{len(others)} others", "", "", f"{math.fsum(term.points for term in others):g}")]
        rows += [
            ("sum", "", "", f"{self.points:g}"),
            (f"estimate for player {self.player}", "", "", _short_number(self.estimate)),
        ]
        widths = [max(len(row[column]) for row in (head, *rows)) for column in range(4)]
        lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in (head, *rows)]
        return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


@dataclass(frozen=True, init=False)
class LinearEvaluation:
    """A weighted sum of the features of a game. Pass it to a search as `evaluate=`.

    Args:
        weights: the weight of each feature by name, in points; features left out have weight 0.
        half: the number of points worth half a win, in games whose utility is 1 for a win and -1 or 0 for a loss.

    Raises `EvaluationError` for a name that is given twice or a weight that is not a number.

    >>> from outplay import AlphaBeta, Limit
    >>> from outplay.games import EnglishDraughts
    >>> evaluation = LinearEvaluation({"men": 1, "kings": 2})
    >>> game = EnglishDraughts()
    >>> state = game.parse_state("B:W22,K31:B1,2,9,10")
    >>> print(evaluation.explain(game, state))
    feature                value  weight  points
    --------------------------------------------
    men                        3       1       3
    kings                     -1       2      -2
    guards                     2       0       0
    rows                       2       0       0
    sum                                        1
    estimate for player 0                    0.2
    >>> AlphaBeta(game, evaluate=evaluation).search(state, Limit(depth=3)).value > 0
    True
    """

    weights: Mapping[str, float]
    half: float

    def __init__(self, weights: Mapping[str, float] | Iterable[tuple[str, float]], half: float = 4.0) -> None:
        pairs = list(weights.items() if isinstance(weights, Mapping) else weights)
        weights_by_name: dict[str, float] = {}
        for name, weight in pairs:
            if not isinstance(name, str) or name.split() != [name] or name == HALF or "#" in name:
                raise EvaluationError(f"{name!r} is not the name of a feature: one word, as in a game's feature_names")
            if name in weights_by_name:
                raise EvaluationError(f"the weight of {name} is given twice; leave one of them out")
            weights_by_name[name] = _number(weight, f"the weight of {name}")
        object.__setattr__(self, "weights", weights_by_name)
        object.__setattr__(self, "half", _number(half, HALF))
        if self.half <= 0:
            raise EvaluationError(f"half={half!r}: it must be more than 0, the points that are worth half a win")

    @classmethod
    def named(cls, game: Game, name: str) -> Self:
        """A named choice of weights that comes with `game`, see `Game.feature_weights`.

        >>> from outplay.games import Chess
        >>> print(LinearEvaluation.named(Chess(), "material"))
        pawns 1
        knights 3
        bishops 3
        rooks 5
        queens 9
        half 4
        """
        if name not in game.feature_weights:
            raise EvaluationError(
                f"{type(game).__name__} has no evaluation {name!r}; {_hint(name, game.feature_weights)}"
            )
        return cls(game.feature_weights[name])

    def __hash__(self) -> int:
        return hash((frozenset(self.weights.items()), self.half))

    def __repr__(self) -> str:
        return f"LinearEvaluation({dict(self.weights)!r}, half={self.half:.17g})"

    def __str__(self) -> str:
        """One line per weight, as in a file."""
        return "\n".join(f"{name} {_written(weight)}" for name, weight in [*self.weights.items(), (HALF, self.half)])

    # -- estimates --------------------------------------------------------------------------------------------------

    def __call__(self, game: Game, state: Any, player: int) -> float:
        """The estimate of the utility of `player`; the utility itself if the game is over."""
        return evaluated(self, game, state, player)

    def rule(self, game: Game) -> Rule:
        """The function that searches of `game` compile.

        Raises `EvaluationError` for a weight whose feature the game does not have, and `UnsuitableGame` for a game
        whose players do not have opposed interests.
        """
        self.check(game)
        weights = tuple(self.weights.get(name, 0.0) for name in game.feature_names)
        is_won = game.utilities == (-1, 1) or (game.utilities == (0, 1) and game.constant_sum == 1)
        return _rule(weights, self.half if is_won else 0.0, draw_utility(game), *bounds(game))

    def check(self, game: Game) -> None:
        """Raise `EvaluationError` or `UnsuitableGame` unless this evaluation suits `game`."""
        check_opposed(self, game)
        for name in self.weights:
            if name not in game.feature_names:
                raise EvaluationError(
                    f"{type(game).__name__} has no feature {name!r}; {_hint(name, game.feature_names)}"
                )

    def explain(self, game: Game, state: Any) -> Explanation:
        """What each feature of `state` contributes, and the estimate, seen from the player to move.

        If the game is over, no feature counts, and the estimate is the utility of player 0.
        """
        if game.is_terminal(state):
            return Explanation((), 0.0, self(game, state, 0), 0)
        rule, player = self.rule(game), int(game.to_move(state))
        values = [float(value) for value in game.features(state)]
        terms = tuple(
            Term(name, value, self.weights.get(name, 0.0))
            for name, value in zip(game.feature_names, values, strict=True)
        )
        return Explanation(terms, math.fsum(term.points for term in terms), rule(game, state, player), player)

    # -- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the weights to a text file, one line `name weight` each."""
        write_file(path, f"{self}\n".encode(), EvaluationError)

    @classmethod
    def load(cls, path: str | PathLike[str], game: Game | None = None) -> Self:
        """Read the weights from a text file. If `game` is given, check that it has these features.

        A line is `name weight` or `half points`; # starts a comment. Raises `EvaluationError` with the line number.
        """
        return cls.parse(read_text(path, EvaluationError), game, source=str(path))

    @classmethod
    def parse(cls, text: str, game: Game | None = None, *, source: str = "line") -> Self:
        """Read the weights from text, as `load` does. Errors name the `source` and the line.

        >>> LinearEvaluation.parse("men 1    # on the board and in hand")
        LinearEvaluation({'men': 1.0}, half=4)
        """
        weights: dict[str, float] = {}
        half = None
        for number, line in enumerate(text.splitlines(), start=1):
            words = line.partition("#")[0].split()
            try:
                if len(words) not in (0, 2):
                    raise EvaluationError(
                        f"{shortened(line.strip())} is not a name and a weight; write for example: men 1.5"
                    )
                for name, weight in [words] if words else []:
                    if name == HALF:
                        if half is not None:
                            raise EvaluationError(f"{HALF} is given twice; leave one of them out")
                        half = cls({}, _read(weight, name)).half
                    elif name in weights:
                        raise EvaluationError(f"the weight of {name} is given twice; leave one of them out")
                    else:
                        one = cls({name: _read(weight, name)})
                        if game is not None:
                            one.check(game)
                        weights |= one.weights
            except EvaluationError as error:
                raise EvaluationError(f"{source}:{number}: {error}") from None
        return cls(weights) if half is None else cls(weights, half)


@functools.lru_cache(maxsize=256)
def _rule(weights: tuple[float, ...], half: float, draw: float, least: float, greatest: float) -> Rule:
    """The function for these weights, in the order of the features, in a game in which a draw is worth `draw`.

    If `half` is 0, the points are the estimate.
    """
    terms = [f"{weight!r} * features[{i}]" for i, weight in enumerate(weights) if weight]
    lines = [
        "def evaluate(game, state, player):",
        *(["    features = game.features(state)"] if terms else []),
        f"    points = {' + '.join(terms) or '0.0'}",
        "    if game.to_move(state) != player:",
        "        points = -points",
        *([f"    points /= abs(points) + {half!r}"] if half else []),
        *([f"    points = {draw!r} + {draw if half else 1.0!r} * points"] if draw else []),
        "    return min(max(points, least), greatest)",
    ]
    names: dict[str, Any] = {"__name__": __name__, "least": least, "greatest": greatest}
    exec(compile("\n".join(lines), "<evaluation>", "exec"), names)  # noqa: S102 - the source is ours
    rule: Rule = names["evaluate"]
    return rule


def _number(value: Any, subject: str) -> float:
    is_number = isinstance(value, (int, float)) or (
        hasattr(value, "dtype") and value.shape == () and value.dtype != bool
    )
    if isinstance(value, bool) or not is_number or not abs(value) <= MAX_WEIGHT:
        raise EvaluationError(f"{subject} is {value!r}; give a number between {-MAX_WEIGHT:g} and {MAX_WEIGHT:g}")
    return float(value)


def _read(text: str, name: str) -> Any:
    """The text as a number if possible, else the text."""
    try:
        return float(text)
    except ValueError:
        return text


def _written(number: float) -> str:
    """A number as text that reads back the same, without .0."""
    return repr(number).removesuffix(".0")


def _short_number(number: float) -> str:
    return f"{number:.4g}"


def _hint(name: str, names: Iterable[str]) -> str:
    """The name that was probably meant, or all known names."""
    names = list(names)
    similar = get_close_matches(name, names, n=1)
    return f"did you mean {similar[0]}?" if similar else f"it has {enumerated(names)}"
