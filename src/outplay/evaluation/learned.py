"""An evaluation that was learned: what a search uses, an explanation of its estimates, and its file.

A file is a NumPy archive: weights, and the form of the tables as JSON. Start at `LearnedEvaluation`.
"""

import functools
import json
import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import int16_at
from outplay.evaluation.columns import reader_of
from outplay.evaluation.generated_code import function_from
from outplay.evaluation.linear import Explanation, Term
from outplay.evaluation.network import Network
from outplay.evaluation.patterns import (
    OWN,
    PADDING,
    TO_MOVE,
    Tables,
    code_of,
    new_chances,
    new_rule,
    padded,
    score_of,
    turn_of,
)
from outplay.evaluation.table_form import CONTRADICTION, MAX_BYTES, check_form, form_from, form_of, head_of, is_unit
from outplay.evaluation.variant import Rule, evaluated
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import EvaluationError, OutplayError
from outplay.rules.game import Game
from outplay.rules.wording import MAX_SHOWN, cut, shown
from outplay.system.arrays import arrays_in
from outplay.system.files import read_file, write_file

FORMAT = "outplay learned evaluation 2"
CONSTANT = 4 << 20
"""Weights of so many bytes are constants of compiled code, which is kept on disk; more are read by their address."""
STEPS, MAX_ROUNDING = 4, 64
"""The unit of weights doubles in so many steps, and has at most so many."""
HARDLY, NEGLIGIBLE = 0.03, 2.0
"""A weight has at least this share of the mean use, and becomes 0 if its square times its use is less than this."""
Weights = NDArray[np.int16]


def is_learned(path: str | PathLike[str]) -> bool:
    """Whether a file begins as those of learned evaluations do, which are ZIP archives."""
    return read_file(path, EvaluationError)[:2] == b"PK"


@dataclass(frozen=True, eq=False)
class LearnedEvaluation:
    """An evaluation that was learned by playing, see `outplay.learn`. Pass it to a search as `evaluate=`.

    Attributes:
        game: the game that it is for, as text.
        tables: the form of the tables.
        weights: int16 [tables.weights]: the numbers in the tables, in units of `scale`; with a network, a row of
            its width for each.
        scale: the unit of the weights.
        most: the most that a player can win or lose, or how much a usual game is about.
        bounded: whether an estimate is between -most and most.
        made: how it was learned, for people.
        network: the layers above the tables; None: the sum of the tables is the estimate.
    """

    game: str
    tables: Tables
    weights: Weights
    scale: float
    most: float
    bounded: bool = True
    made: dict[str, Any] = field(default_factory=dict)
    network: Network | None = None

    @property
    def width(self) -> int:
        """The numbers of an entry of a table."""
        return 1 if self.network is None else self.network.width

    def __repr__(self) -> str:
        kind = f"{self.tables.copies} patterns" if self.network is None else f"a network of {self.width} units"
        return f"<LearnedEvaluation of {self.game}: {kind}, {len(self.weights):,} weights>"

    def __call__(self, game: Game, state: Any, player: int) -> float:
        """The estimate of the utility of `player`; the utility itself if the game is over."""
        return evaluated(self, game, state, player)

    def check(self, game: Game) -> None:
        """Raise `EvaluationError` unless this evaluation is for a game like `game`."""
        if repr(game) != self.game:
            learned_for = cut(repr(self.game)[1:-1], 2 * MAX_SHOWN)
            raise EvaluationError(f"this evaluation was learned for {learned_for}, not for {game!r}")
        if not self.tables.suits(game):
            raise EvaluationError(f"{game!r} had other players or features when this evaluation was learned")
        try:
            reader_of(self.tables.layout.columns)(game.initial_state())
        except Exception as error:  # whatever a state says that has no such part
            words = (
                f"states of {game!r} had another form when this evaluation was learned ({shown(error)}): learn it anew"
            )
            raise EvaluationError(words) from None

    def rule(self, game: Game) -> Rule:
        """The function that searches of `game` compile."""
        return self._made(new_rule, game)  # type: ignore[no-any-return]

    def _made(self, maker: Callable[..., Any], game: Game) -> Any:
        """The function that `maker` makes for games like `game`, the same one each time."""
        key = maker, type(game)
        if key not in self._functions or repr(game) != self.game:
            self.check(game)
            self._functions[key] = maker(self, game, *self._weights())
        return self._functions[key]

    @functools.cached_property
    def _functions(self) -> dict[tuple[Callable[..., Any], type[Game]], Any]:
        return {}

    def _weights(self) -> tuple[str, str, dict[str, Any]]:
        """The source of all weights and of one of them, and the names that it uses; see `new_rule`."""
        weights = padded(self.weights) if self.network is None else self.weights
        source = "pointer(all_weights)"
        if weights.nbytes > CONSTANT:  # the code reads them by address, as long as they are there
            source = f"int16_at({weights.ctypes.data})"
        return source, "int(weights[{}])", {"int16_at": int16_at, "all_weights": weights}

    @property
    def outcomes(self) -> tuple[float, ...]:
        """What a player can win besides a draw, where there are chances of it, in ascending order; else empty."""
        return () if self.network is None else tuple((self.network.outcomes * self.most).tolist())

    def chances(self, game: Game, state: Any) -> dict[float, float]:
        """How likely each utility is for the player whose turn it is; empty unless a network tells outcomes apart."""
        if not self.outcomes:
            return {}
        utilities = (draw_utility(game) + won for won in self.outcomes)
        return dict(zip(utilities, self.chances_rule(game)(game, state), strict=True))

    def chances_rule(self, game: Game) -> Callable[[Any, Any], tuple[float, ...]]:
        """A function of game and state that searches can compile: the chance of each of `outcomes`."""
        return self._made(new_chances, game)  # type: ignore[no-any-return]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_functions"}

    def explain(self, game: Game, state: Any) -> Explanation:
        """What each group and each location of `state` contributes, and the estimate, for the player to move.

        The groups come first that contribute most.
        """
        if game.is_terminal(state):
            return Explanation((), 0.0, self(game, state, 0), 0)
        code = code_of(self.tables, game, self.most, self.bounded)
        player_to_move = turn_of(self.tables.layout, "game")
        result = f"return [{', '.join(code.indices)}], [{', '.join(code.values)}], {player_to_move}"
        functions = {"own": type(game).evaluate, "log": math.log}
        read = function_from("read", "game, state, rows", [*code.lines, result], functions)
        indices, values, player = read(game, state, code.rows)
        first = player * self.tables.of_one_player if self.tables.players > 1 else 0
        entries, values = [first + index for index in indices[: self.tables.copies]], np.array(values, float)
        sign = -1 if self.tables.sides == "opposite" and player == 1 else 1
        locations = self._worths(entries, values, sign)
        if self.network is None:
            weights = (padded(self.weights)[[first + index for index in indices]] * self.scale).tolist()
            groups = [Term(self.tables.name(copy), 1.0, sign * weights[copy]) for copy in range(self.tables.copies)]
            weights_of_terms = weights[self.tables.copies :]
        else:  # what the locations are worth, and what they do not explain
            groups = [Term(name, 1.0, value) for name, value in locations.items()]
            total = float(self._sums(entries, values, sign, 0, entries[:1])[0])
            alone = np.eye(len(values), dtype=bool)
            without = [float(self._sums(entries, np.where(one, 0, values), sign, 0, entries[:1])[0]) for one in alone]
            points_of_terms = [total - other for other in without]
            weights_of_terms = [
                points / value if value else 0.0 for points, value in zip(points_of_terms, values, strict=True)
            ]
            groups.append(Term("all else", 1.0, total - math.fsum([*locations.values(), *points_of_terms])))
        others = {OWN: "evaluate", TO_MOVE: "to move"}
        names = [others.get(feature) or game.feature_names[feature] for feature, _ in self.tables.terms]
        terms = [*groups, *map(Term, names, values, weights_of_terms)]
        if self.tables.score is not None:
            score = function_from("score", "game, state", [f"return {score_of(self.tables, game, 'game')}"], {})
            terms.append(Term(str(self.tables.score), float(score(game, state)), 1 / self.most))
        points = math.fsum(term.points for term in terms)
        terms.sort(key=lambda term: -abs(term.points))
        chances = self.chances(game, state)
        return Explanation(tuple(terms), points, self(game, state, player), player, locations, chances)

    def _sums(
        self, entries: list[int], values: NDArray[np.float64], sign: int, copy: int, others: Sequence[int]
    ) -> NDArray[np.float64]:
        """The sum in a state whose groups are at these entries, with each of others in place of one of them.

        Without a network, the entries that stay and the terms, which have these values, are left out.
        """
        width = self.width
        weights = np.concatenate([self.weights, np.zeros(PADDING * width, np.int16)]).reshape(-1, width)
        if self.network is None:
            return sign * weights[list(others), 0] * self.scale
        rows = weights[entries].astype(int)
        shared = rows.sum(0) - rows[copy]
        return np.array([self.network.total(shared + weights[other], self.scale, values, sign) for other in others])

    def _worths(self, entries: list[int], values: NDArray[np.float64], sign: int) -> dict[str, float]:
        """What the symbol of each location is worth, where these are the entries of all copies of groups.

        It is the difference between the points and their mean with the other symbols there, all else unchanged: unlike
        an equal share of the points of its groups, it says nothing about the neighbours.
        """
        layout = self.tables.layout
        starts = np.cumsum([0, *self.tables.lengths]).tolist()
        worths = {location.name: 0.0 for location in layout.locations}
        for copy, entry in enumerate(entries):
            group, image = divmod(copy, len(layout.images))
            number, factor = entry % self.tables.size - starts[group], 1
            for location in self.tables.groups[group]:
                symbols = layout.locations[location].symbols
                symbol = number // factor % symbols
                if symbols > 1:
                    name = layout.locations[layout.images[image][location]].name
                    other_entries = [entry + (other - symbol) * factor for other in range(symbols)]
                    points = self._sums(entries, values, sign, copy, other_entries)
                    worths[name] += float(points[symbol] - np.delete(points, symbol).mean())
                factor *= symbols
        return worths

    def packed(self, kilobytes: float, use: NDArray[np.float64] | None = None) -> Self:
        """The same with weights rounded as little as it takes for a file of at most so many kilobytes.

        Args:
            kilobytes: the most.
            use: float64 [weights]: how much each weight was used; small ones that hardly were become 0.

        Raises `EvaluationError` if the form of the tables alone takes more.
        """

        def fits(rounding: int) -> bool:
            return len(self._rounded(rounding, use).as_bytes()) <= 1000 * kilobytes

        rounding = bisect_left(range(MAX_ROUNDING), True, key=fits)
        if rounding == MAX_ROUNDING:
            raise EvaluationError(f"{kilobytes:g} kB are not enough for {self!r}: allow more, or learn fewer patterns")
        return self._rounded(rounding, use)

    def _rounded(self, rounding: int, use: NDArray[np.float64] | None) -> Self:
        """The same with weights in a unit that is larger by so many steps."""
        unit = 2 ** (rounding / STEPS)
        weights = self.weights / unit
        if use is not None and rounding:  # what a weight adds to the error of estimates if it becomes 0
            errors = weights**2 * (use / max(float(use.mean(where=use > 0)), 1e-9) + HARDLY)
            weights[errors < NEGLIGIBLE] = 0
        network = self.network and self.network.rounded(unit)
        whole = np.rint(weights).astype(np.int16)
        return replace(self, weights=whole, scale=self.scale * unit, network=network)

    # -- files ---------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the evaluation to a file: a NumPy archive, with the form of the tables as JSON."""
        write_file(path, self.as_bytes(), EvaluationError)

    def as_bytes(self) -> bytes:
        """The content of a file."""
        head = {
            "format": FORMAT, "game": self.game, "scale": self.scale, "most": self.most, "bounded": self.bounded,
            "made": self.made, **form_of(self.tables),
        }  # fmt: skip
        archive = BytesIO()
        layers = {} if self.network is None else self.network._asdict()
        np.savez_compressed(archive, head=np.array(json.dumps(head)), weights=self.weights, **layers)
        return archive.getvalue()

    @classmethod
    def load(cls, path: str | PathLike[str], game: Game | None = None) -> Self:
        """Read an evaluation from a file. If `game` is given, check that it is for this game.

        Raises `EvaluationError` for a file that cannot be read, is damaged or is for another game.
        """
        content = read_file(path, EvaluationError)
        try:
            arrays = arrays_in(content, MAX_BYTES)
            head, weights = head_of(arrays), arrays["weights"]
            if head["format"] != FORMAT:
                raise EvaluationError(f"its form is {shown(head['format'])}, not {FORMAT!r}: learn it anew")
            layers = [arrays[name] for name in Network._fields if name in arrays]
            network = Network(*layers) if layers else None
            evaluation = cls(
                str(head["game"]), form_from(head), weights, float(head["scale"]), float(head["most"]),
                bool(head["bounded"]), dict(head["made"]), network,
            )  # fmt: skip
            check_form(evaluation.tables)
            if network is not None:
                tables = evaluation.tables
                network.check(len(tables.terms), evaluation.bounded and not tables.score and tables.sides != "opposite")
            fits = weights.dtype == np.int16 and weights.shape == (evaluation.tables.weights * evaluation.width,)
            if not (fits and all(map(is_unit, (evaluation.scale, evaluation.most)))):
                raise EvaluationError(CONTRADICTION)
            if game is not None:
                evaluation.check(game)
        except OutplayError as error:
            raise EvaluationError(f"{path}: {error}") from None
        except Exception as error:  # whatever zipfile, zlib, json and NumPy make of damaged bytes
            raise EvaluationError(f"{path}: this is not a whole file of outplay learn ({shown(error)})") from None
        return evaluation
