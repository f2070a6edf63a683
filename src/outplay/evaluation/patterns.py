"""Sums of tables: each group of locations has a table with a number for each pattern of symbols on it.

These are the n-tuple networks of Lucas (2008) and the patterns of Buro's Logistello (1997). The sum of what the tables
say, squeezed to between a loss and a win, is the estimate. Tables may differ by stage of the game and by who is to
move. `outplay learn` learns the numbers; nobody types them.

A group of locations with 3, 3 and 2 symbols has 18 entries: index = s_0 + 3 s_1 + 9 s_2. All indices are computed at
once. A state is cut into chunks: 8 bits of a set, or a few small numbers. Each value of a chunk has a row, in which an
int64 holds what it adds to four indices of 16 bits, or to two of 32 bits where tables are larger:

    indices of 4 groups  =  rows[chunk 0] + rows[chunk 1] + …

Start at `Tables`, then read `source_of`.
"""

import functools
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from os import PathLike
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import int16_at, pointer
from outplay.evaluation.columns import MAX_COLUMNS, Column, reader_of
from outplay.evaluation.layout import SYMBOLS, Layout, Location, Part
from outplay.evaluation.linear import Explanation, Term
from outplay.evaluation.network import Network
from outplay.evaluation.source import function_from
from outplay.evaluation.variant import Rule, bounds, evaluated
from outplay.rules.constant_sum import balance, is_opposed_pair
from outplay.rules.errors import EvaluationError, OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.wording import MAX_SHOWN, cut, shown
from outplay.system.arrays import arrays_in
from outplay.system.files import read_file, write_file

FORMAT = "outplay learned evaluation 1"
PADDING = 1 << 16
"""An index of 16 bits is less than this much behind the start of its table."""
ENTRIES = 1 << 20
"""A table has at most this many entries."""
NEARLY = 0.995
"""An estimate of the game counts as at most this share of a win."""
CONSTANT = 4 << 20
"""Weights of so many bytes are constants of compiled code, which is kept on disk; more are read by their address."""
CHUNK = 512
"""A chunk of several numbers has at most this many values."""
MAX_COPIES, MAX_PARTS, MAX_ROWS, MAX_HEAD, MAX_BYTES = 4096, 8192, 1 << 23, 1 << 24, 1 << 28
"""A file with more indices, parts of locations, numbers in rows, bytes of plain values, or bytes, is damaged."""
Weights = NDArray[np.int16]


@dataclass(frozen=True)
class Tables:
    """The form of the tables.

    Attributes:
        layout: how states are read.
        groups: the locations of each group; each group has a copy for each image of the layout.
        by_mover: whether the tables depend on who is to move.
        players: the number of players whose value is learned: 1 where players have opposed interests.
        movers: the number of players, and one for chance.
        score: the column that says what player 0 has got for certain so far, or None: for one player, or two opposed.
        own: the unit of the game's own evaluation, as a term of the sum; 0: it is no term.
        features: the unit of each of the game's features, as terms; 0: it is no term.
    """

    layout: Layout
    groups: tuple[tuple[int, ...], ...]
    by_mover: bool = True
    players: int = 1
    movers: int = 2
    score: Column | None = None
    own: float = 0.0
    features: tuple[float, ...] = ()

    @property
    def lengths(self) -> list[int]:
        """The number of entries of each group's table."""
        return [math.prod(self.layout.locations[place].symbols for place in group) for group in self.groups]

    @property
    def index_bits(self) -> int:
        """The bits of an index, of which the first is a sign in an int64."""
        return 16 if max(self.lengths, default=0) <= 1 << 15 else 32

    @property
    def copies(self) -> int:
        """The number of indices of a state."""
        return len(self.groups) * len(self.layout.images)

    @property
    def terms(self) -> tuple[tuple[int, float], ...]:
        """What is a term besides tables, each with its unit: the number of a feature, or -1 for the own evaluation."""
        own = [(-1, self.own)] if self.own else []
        return (*own, *((place, unit) for place, unit in enumerate(self.features) if unit))

    @property
    def size(self) -> int:
        """The number of weights of a stage: the entries of all groups, and the terms."""
        return sum(self.lengths) + len(self.terms)

    @property
    def stages(self) -> int:
        """The number of stages of the game."""
        return len(self.layout.edges) + 1

    @property
    def of_one_player(self) -> int:
        """The number of weights for one player's value."""
        return self.size * self.stages * (self.movers if self.by_mover else 1)

    @property
    def weights(self) -> int:
        """The number of weights."""
        return self.of_one_player * self.players

    def suits(self, game: Game) -> bool:
        """Whether the numbers of players and of features are those of a game."""
        return (
            self.players == (1 if is_opposed_pair(game) else game.players)
            and self.movers == game.players + game.has_chance
            and len(self.features) in (0, len(game.feature_names))
        )

    def name(self, copy: int) -> str:
        """The locations of a copy of a group, for people."""
        group, image = divmod(copy, len(self.layout.images))
        places = sorted(self.layout.images[image][place] for place in self.groups[group])
        return " ".join(self.layout.locations[place].name for place in places)


class Code(NamedTuple):
    """What reads a state: lines of Python that use `rows`.

    Attributes:
        lines: they come first.
        indices: the source of each index in the weights, of the copies of groups and then of the terms.
        values: the source of the value of each term.
        rows: int64: what the lines read.
    """

    lines: list[str]
    indices: list[str]
    values: list[str]
    rows: NDArray[np.int64]

    def total(self, weight: str) -> str:
        """The source of the sum; `weight` is the source of a weight, with {} for its index."""
        values = [*[""] * (len(self.indices) - len(self.values)), *(f" * {value}" for value in self.values)]
        return " + ".join(weight.format(index) + value for index, value in zip(self.indices, values, strict=True))


class _Chunk(NamedTuple):
    number: str  # source of the number of the row
    values: list[dict[Part, int]]  # what each part of the chunk adds to a symbol, by value of the chunk


def source_of(tables: Tables, game: str, evaluation: str, bounded: bool) -> Code:
    """Code that computes the index of each copy of a group in the weights, for a state named `state`.

    Args:
        tables: the form of the tables.
        game: the name of the game.
        evaluation: the source of the game's own evaluation for the player to move, in units of what can be won.
        bounded: whether that is between -1 and 1.
    """
    layout, images = tables.layout, tables.layout.images
    uses: dict[Part, list[tuple[int, int]]] = {}  # part -> (copy, what a symbol counts in the index)
    for copy in range(tables.copies):
        group, image = divmod(copy, len(images))
        factor = 1
        for place in tables.groups[group]:
            for part in layout.locations[images[image][place]].parts:
                uses.setdefault(part, []).append((copy, factor))
            factor *= layout.locations[place].symbols
    clock = dict(layout.clock) if layout.edges else {}
    parts = dict.fromkeys([*uses, *clock])
    size = tables.index_bits
    in_word = 64 // size
    words = -(-tables.copies // in_word)
    width = words + bool(clock)  # the last number of a row is what it adds to the clock
    rows: list[list[int]] = []
    lines: list[str] = []
    for number, chunk in enumerate(_chunks(layout.columns, list(parts))):
        lines.append(f"i{number} = {len(rows) * width} + ({chunk.number}) * {width}")
        for symbols in chunk.values:
            row = [0] * width
            for part, symbol in symbols.items():
                for copy, factor in uses.get(part, ()):
                    row[copy // in_word] += symbol * factor << size * (copy % in_word)
                if part in clock:
                    row[-1] += symbol * clock[part]
            rows.append([number & (1 << 64) - 1 for number in row])
    chunks = len(lines)
    lines += [
        f"a{word} = " + " + ".join(["0", *(f"rows[i{chunk} + {word}]" for chunk in range(chunks))])
        for word in range(width)
    ]
    offset = ["0"]
    if layout.edges:
        offset.append("+".join(f"(1 if a{words} >= {edge} else 0)" for edge in layout.edges))
    if tables.by_mover:
        offset.append(
            f"({game}.to_move(state) if {game}.to_move(state) != {CHANCE} else {tables.movers - 1}) * {tables.stages}"
        )
    lines.append(f"s = ({' + '.join(offset)}) * {tables.size}")
    starts = np.cumsum([0, *tables.lengths[:-1]]).tolist()
    indices = []
    for copy in range(tables.copies):
        group = copy // len(images)
        index = f"(a{copy // in_word} >> {size * (copy % in_word)} & {(1 << size) - 1})"
        if size > 16:  # there is not enough padding for an odd state
            index = f"min({index}, {tables.lengths[group] - 1})"
        indices.append(f"s + {starts[group]} + {index}")
    indices += [f"s + {sum(tables.lengths) + place}" for place in range(len(tables.terms))]
    values = []
    for feature, unit in tables.terms:
        if feature >= 0:
            values.append(f"(features[{feature}] * {1 / unit!r})")
        elif bounded:
            lines.append(f"own_value = min(max({evaluation}, -{NEARLY}), {NEARLY})")
            values.append(f"(log((1 + own_value) / (1 - own_value)) * {0.5 / unit!r})")
        else:
            values.append(f"({evaluation} * {1 / unit!r})")
    if any(tables.features):
        lines.insert(0, f"features = {game}.features(state)")
    flat = np.array(rows, np.uint64).view(np.int64).ravel()
    return Code(lines, indices, values, flat)


def _chunks(columns: Sequence[Column], parts: list[Part]) -> Iterator[_Chunk]:
    """The chunks that say all of these parts of a state."""
    by_byte: dict[tuple[int, int], list[Part]] = {}
    numbers: list[Part] = []
    for part in parts:
        if part.bit >= 0:
            by_byte.setdefault((part.column, part.bit // 8 * 8), []).append(part)
        else:
            numbers.append(part)
    for (column, low), bits in sorted(by_byte.items()):
        source = f"{columns[column].source} >> {low} & 255"
        values = [{bit: (value >> bit.bit - low & 1) * bit.factor for bit in bits} for value in range(256)]
        yield _Chunk(source, values)
    by_range: dict[tuple[int, int, int], list[Part]] = {}  # parts that read the same number
    for part in numbers:
        by_range.setdefault((part.column, part.low, part.high), []).append(part)
    source, values = "0", [{}]
    for (column, low, high), readers in by_range.items():
        count = high - low + 1
        if len(values) * count > CHUNK and len(values) > 1:
            yield _Chunk(source, values)
            source, values = "0", [{}]
        source += f" + (min(max({columns[column].source}, {low}), {high}) - {low}) * {len(values)}"
        symbols = [
            {part: part.drawn[number] if part.drawn else number * part.factor for part in readers}
            for number in range(count)
        ]
        values = [before | after for after in symbols for before in values]
    if len(values) > 1:
        yield _Chunk(source, values)


def is_learned(path: str | PathLike[str]) -> bool:
    """Whether a file begins as those of learned evaluations do, which are ZIP archives."""
    return read_file(path, EvaluationError)[:2] == b"PK"


def padded(weights: NDArray[Any]) -> NDArray[Any]:
    """The weights with room behind them, so that no index, however odd the state, is outside."""
    return np.concatenate([weights, np.zeros(PADDING, weights.dtype)])


class Summed(Protocol):
    """What a rule is made of; see `LearnedEvaluation` for the attributes."""

    @property
    def tables(self) -> Tables: ...  # noqa: D102
    @property
    def scale(self) -> float: ...  # noqa: D102
    @property
    def most(self) -> float: ...  # noqa: D102
    @property
    def bounded(self) -> bool: ...  # noqa: D102
    @property
    def network(self) -> Network | None: ...  # noqa: D102


def code_of(tables: Tables, game: Game, most: float, bounded: bool) -> Code:
    """The code that reads a state of `game`, from `own`, its own evaluation, and `log`."""
    own = f"(own(game, state, max(game.to_move(state), 0)) - {balance(game)!r}) * {1 / most!r}"
    return source_of(tables, "game", own, bounded)


def score_of(tables: Tables, game: Game, name: str) -> str:
    """The source of what the player to move has got for certain, besides a draw; `name` is that of the game."""
    if tables.score is None:
        return "0.0"
    of_first = f"({tables.score.source} - {balance(game)!r})"
    return of_first if game.players == 1 else f"({of_first} if max({name}.to_move(state), 0) == 0 else -{of_first})"


def new_rule(evaluation: Summed, game: Game, weight: str, names: dict[str, Any]) -> Rule:
    """The function that searches of `game` compile.

    `weight` is the source of a weight, with {} for its index, or of all weights if there is a network; it may use
    `names`.
    """
    tables, draw, (least, greatest) = evaluation.tables, balance(game), bounds(game)
    code = code_of(tables, game, evaluation.most, evaluation.bounded)
    lines = [*code.lines]
    if tables.players > 1:
        lines.append(f"s += player * {tables.of_one_player}")
    network_names: dict[str, Any] = {}
    if evaluation.network is None:
        lines.append(f"value = ({code.total(weight)}) * {evaluation.scale!r}")
    else:
        rows = [f"min({index}, {tables.weights - 1})" for index in code.indices[: tables.copies]]
        network_lines, network_names = evaluation.network.lines(rows, code.values, evaluation.scale)
        lines += [f"weights = {weight}", *network_lines, "value = total"]
    lines.append(f"value = {evaluation.most!r} * " + ("tanh(value)" if evaluation.bounded else "value"))
    if tables.score is not None:
        lines.append(f"value += {score_of(tables, game, 'game')}")
    if tables.players == 1 and game.players > 1:
        lines += ["if max(game.to_move(state), 0) != player:", "    value = -value"]
    if draw:
        lines.append(f"value += {draw!r}")
    lines.append("return min(max(value, least), greatest)")
    known = {"rows": code.rows, "tanh": math.tanh, "log": math.log, "least": least, "greatest": greatest}
    known |= {"own": type(game).evaluate, **network_names, **names}
    return function_from("evaluate", "game, state, player", lines, known)


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
            other = cut(repr(self.game)[1:-1], 2 * MAX_SHOWN)
            raise EvaluationError(f"this evaluation was learned for {other}, not for {game!r}")
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
        kind = type(game)
        if kind not in self._rules or repr(game) != self.game:
            self.check(game)
            self._rules[kind] = self._new_rule(game)
        return self._rules[kind]

    @functools.cached_property
    def _rules(self) -> dict[type[Game], Rule]:
        return {}

    def _new_rule(self, game: Game) -> Rule:
        weights, weight = padded(self.weights), "int({}[{{}}])"
        if self.network is not None:
            weights, weight = self.weights, "{}"
        if weights.nbytes <= CONSTANT:
            return new_rule(self, game, weight.format("pointer(rows_)"), {"pointer": pointer, "rows_": weights})
        names = {"int16_at": int16_at, "rows_": weights}  # the code reads them by address, as long as they are there
        return new_rule(self, game, weight.format(f"int16_at({weights.ctypes.data})"), names)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_rules"}

    def explain(self, game: Game, state: Any) -> Explanation:
        """What each group and each location of `state` contributes, and the estimate, for the player to move.

        The groups come first that contribute most.
        """
        if game.is_terminal(state):
            return Explanation((), 0.0, self(game, state, 0), 0)
        code = code_of(self.tables, game, self.most, self.bounded)
        lines = [*code.lines, f"return [{', '.join(code.indices)}], [{', '.join(code.values)}]"]
        read = function_from("read", "game, state, rows", lines, {"own": type(game).evaluate, "log": math.log})
        indices, values = read(game, state, code.rows)
        player = max(int(game.to_move(state)), 0)
        first = player * self.tables.of_one_player if self.tables.players > 1 else 0
        entries, values = [first + index for index in indices[: self.tables.copies]], np.array(values, float)
        locations = self._worths(entries)
        if self.network is None:
            weights = (padded(self.weights)[[first + index for index in indices]] * self.scale).tolist()
            groups = [Term(self.tables.name(copy), 1.0, weights[copy]) for copy in range(self.tables.copies)]
            weights_of_terms = weights[self.tables.copies :]
        else:  # what the locations are worth, and what they do not explain
            groups = [Term(name, 1.0, worth) for name, worth in locations.items()]
            weights_of_terms = self.network.terms[:-1].tolist()
            rest = float(self._sums(entries, 0, entries[:1])[0]) - math.fsum(locations.values())
            groups.append(Term("all else", 1.0, rest))
        names = ["evaluate" if feature < 0 else game.feature_names[feature] for feature, _ in self.tables.terms]
        terms = [*groups, *map(Term, names, values, weights_of_terms)]
        if self.tables.score is not None:
            score = function_from("score", "game, state", [f"return {score_of(self.tables, game, 'game')}"], {})
            terms.append(Term(str(self.tables.score), float(score(game, state)), 1 / self.most))
        points = math.fsum(term.points for term in terms)
        terms.sort(key=lambda term: -abs(term.points))
        return Explanation(tuple(terms), points, self(game, state, player), player, locations)

    def _sums(self, entries: list[int], copy: int, others: Sequence[int]) -> NDArray[np.float64]:
        """The sum in a state whose groups are at these entries, with each of others in place of one of them.

        Without a network, the entries that stay are left out.
        """
        width = self.width
        weights = np.concatenate([self.weights, np.zeros(PADDING * width, np.int16)]).reshape(-1, width)
        if self.network is None:
            return weights[list(others), 0] * self.scale
        rows = weights[entries].astype(int)
        rest = rows.sum(0) - rows[copy]
        return np.array([self.network.total(rest + weights[other], self.scale) for other in others])

    def _worths(self, entries: list[int]) -> dict[str, float]:
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
                    others = [entry + (other - symbol) * factor for other in range(symbols)]
                    points = self._sums(entries, copy, others)
                    worths[name] += float(points[symbol] - np.delete(points, symbol).mean())
                factor *= symbols
        return worths

    def packed(self, kilobytes: float) -> Self:
        """The same with weights rounded as little as it takes for a file of at most so many kilobytes.

        Raises `EvaluationError` if the form of the tables alone takes more.
        """
        for shift in range(16):
            weights = np.rint(self.weights / (1 << shift)).astype(np.int16)
            network = self.network and self.network.rounded(shift)
            rounded = replace(self, weights=weights, scale=self.scale * (1 << shift), network=network)
            if len(rounded.as_bytes()) <= 1000 * kilobytes:
                return rounded
        raise EvaluationError(f"{kilobytes:g} kB are not enough for {self!r}: allow more, or learn fewer patterns")

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
                network.check(len(evaluation.tables.terms))
            fits = weights.dtype == np.int16 and weights.shape == (evaluation.tables.weights * evaluation.width,)
            if not (fits and all(map(_is_unit, (evaluation.scale, evaluation.most)))):
                raise EvaluationError(CONTRADICTION)
            if game is not None:
                evaluation.check(game)
        except OutplayError as error:
            raise EvaluationError(f"{path}: {error}") from None
        except Exception as error:  # whatever zipfile, zlib, json and NumPy make of damaged bytes
            raise EvaluationError(f"{path}: this is not a whole file of outplay learn ({shown(error)})") from None
        return evaluation


CONTRADICTION = "the numbers in it contradict each other: it is damaged; learn it anew"
"""What is said of a file."""


def check_form(tables: Tables) -> None:
    """Raise `EvaluationError` unless code can be written for tables from a file, and never reads outside of them."""
    layout, locations = tables.layout, tables.layout.locations
    parts = dict.fromkeys([part for place in locations for part in place.parts] + [part for part, _ in layout.clock])
    bytes_ = {(part.column, part.bit // 8) for part in parts if part.bit >= 0}
    rows = 256 * (len(bytes_) + len(parts) + 2)
    places = list(range(len(locations)))
    units = [unit for unit in (tables.own, *tables.features) if unit]
    whole = [*layout.edges, *(weight for _, weight in layout.clock), *(part.low for part in parts)]
    good = (
        len(layout.columns) <= MAX_COLUMNS
        and len(parts) <= MAX_PARTS
        and tables.copies <= MAX_COPIES
        and rows * (tables.copies // 2 + 2) <= MAX_ROWS
        and all(_is_part(part, len(layout.columns)) for part in parts)
        and all(1 <= place.symbols <= SYMBOLS for place in locations)
        and bool(layout.images)
        and all(sorted(image) == places for image in layout.images)
        and {place for group in tables.groups for place in group} <= set(places)
        and max(tables.lengths, default=0) <= ENTRIES
        and not (layout.edges and not layout.clock)
        and all(abs(number) < 1 << 63 for number in whole)
        and all(map(_is_unit, units))
        and (tables.score is None or tables.score.kind == "number")
        and min(tables.players, tables.movers) >= 1
    )
    if not good:
        raise EvaluationError(CONTRADICTION)


def _is_part(part: Part, columns: int) -> bool:
    """Whether a part of a file can be read."""
    return (
        0 <= part.column < columns
        and -1 <= part.bit < 64
        and 0 <= part.factor < SYMBOLS
        and 0 <= part.high - part.low < SYMBOLS
        and len(part.drawn) in (0, part.high - part.low + 1)
        and all(0 <= symbol < SYMBOLS for symbol in part.drawn)
    )


def _is_unit(number: float) -> bool:
    """Whether one can multiply with a number, and divide by it."""
    return 1e-100 < number < 1e100


def form_of(tables: Tables) -> dict[str, Any]:
    """The form of tables as plain values."""
    layout = tables.layout
    return {
        "columns": [column.as_list() for column in layout.columns],
        "locations": [
            {"name": place.name, "symbols": place.symbols, "parts": place.parts} for place in layout.locations
        ],
        "images": layout.images,
        "clock": layout.clock,
        "edges": layout.edges,
        "groups": tables.groups,
        "by_mover": tables.by_mover,
        "players": tables.players,
        "movers": tables.movers,
        "score": None if tables.score is None else tables.score.as_list(),
        "own": tables.own,
        "features": tables.features,
    }  # fmt: skip


def head_of(arrays: dict[str, NDArray[Any]]) -> Any:
    """The plain values in the arrays of a file."""
    if arrays["head"].nbytes > MAX_HEAD:
        raise ValueError(f"its head has {arrays['head'].nbytes:,} bytes")
    return json.loads(str(arrays["head"]))


def form_from(head: dict[str, Any]) -> Tables:
    """The form of tables that `form_of` wrote."""
    locations = tuple(
        Location(tuple(map(_part, place["parts"])), int(place["symbols"]), str(place["name"]))
        for place in head["locations"]
    )
    layout = Layout(
        tuple(map(Column.from_list, head["columns"])),
        locations,
        tuple(tuple(map(int, image)) for image in head["images"]),
        tuple((_part(part), int(weight)) for part, weight in head["clock"]),
        tuple(map(int, head["edges"])),
    )
    return Tables(
        layout,
        tuple(tuple(map(int, group)) for group in head["groups"]),
        bool(head["by_mover"]),
        int(head["players"]),
        int(head["movers"]),
        None if head["score"] is None else Column.from_list(head["score"]),
        float(head["own"]),
        tuple(map(float, head["features"])),
    )


def _part(numbers: Sequence[Any]) -> Part:
    column, bit, factor, low, high, drawn = numbers
    return Part(int(column), int(bit), int(factor), int(low), int(high), tuple(map(int, drawn)))
