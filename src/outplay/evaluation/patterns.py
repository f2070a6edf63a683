"""Sums of tables: each group of locations has a table with a number for each pattern of symbols on it.

These are the n-tuple networks of Lucas (2008) and the patterns of Buro's Logistello (1997). The sum of what the tables
say, squeezed to between a loss and a win, is the estimate. Tables may differ by stage of the game and by who is to
move. `outplay learn` learns the numbers; nobody types them.

A group of locations with 3, 3 and 2 symbols has 18 entries: index = s_0 + 3 s_1 + 9 s_2. All indices are computed at
once. A state is cut into chunks: 8 bits of a set, or a few small numbers. Each value of a chunk has a row, in which an
int64 holds what it adds to four indices of 16 bits, to eight small ones, or to two of large tables:

    indices of 4 groups  =  rows[chunk 0] + rows[chunk 1] + …        of the chunks in which they have locations

Start at `Tables`, then read `source_of`. `learned.py` has what searches use.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import pointer
from outplay.evaluation.columns import Column
from outplay.evaluation.generated_code import function_from
from outplay.evaluation.layout import Layout, Part
from outplay.evaluation.network import Network
from outplay.evaluation.variant import Rule, bounds
from outplay.rules.constant_sum import draw_utility, is_opposed_pair
from outplay.rules.game import CHANCE, Game

Sides = Literal["apart", "equal", "opposite"]
"""What tables say of positions that differ only in who is to move; see `Tables`."""
OWN, TO_MOVE = -1, -2
"""Terms that are no features: the game's own evaluation, and 1."""
PADDING = 1 << 16
"""An index of 16 bits is less than this much behind the start of its table."""
ENTRIES = 1 << 20
"""A table has at most this many entries."""
CHUNK = 512
"""A chunk of several numbers has at most this many values."""
NEARLY = 0.995
"""An estimate of the game counts as at most this share of a win."""


@dataclass(frozen=True)
class Tables:
    """The form of the tables.

    Attributes:
        layout: how states are read.
        groups: the locations of each group; each group has a copy for each image of the layout.
        sides: "apart": there are tables for each one to move. "equal": the same tables for all, which speak for the
            player whose turn it is. "opposite": the same tables for two players, which speak for player 0, and a term
            for the right to move. So all learn from all positions, and what is estimated does not shake with each move.
        players: the number of players whose value is learned: 1 where players have opposed interests.
        movers: the number of players, and one for chance. Where chance decides, and the layout knows whose turn it is,
            there are tables for each turn, which speak for that player; else they speak for player 0.
        score: the column that says what player 0 has got for certain so far, or None: for one player, or two opposed.
        own: the unit of the game's own evaluation, as a term of the sum; 0: it is no term.
        features: the unit of each of the game's features, as terms; 0: it is no term.
    """

    layout: Layout
    groups: tuple[tuple[int, ...], ...]
    sides: Sides = "apart"
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
        """The bits of an index, of which the first is a sign in an int64; 8 if no state, however odd, needs more."""
        if max(map(self._greatest_index, self.groups), default=0) < 1 << 7:
            return 8
        return 16 if max(self.lengths, default=0) <= 1 << 15 else 32

    def _greatest_index(self, group: tuple[int, ...]) -> int:
        """The index of a state in which all parts of these locations count most."""
        index, factor = 0, 1
        for place in group:
            location = self.layout.locations[place]
            index += factor * sum(part.most for part in location.parts)
            factor *= location.symbols
        return index

    @property
    def copies(self) -> int:
        """The number of indices of a state."""
        return len(self.groups) * len(self.layout.images)

    @property
    def terms(self) -> tuple[tuple[int, float], ...]:
        """What is a term besides tables, each with its unit: the number of a feature, `OWN` or `TO_MOVE`."""
        own = [(OWN, self.own)] if self.own else []
        features = ((place, unit) for place, unit in enumerate(self.features) if unit)
        return (*own, *features, *[(TO_MOVE, 1.0)] * (self.sides == "opposite"))

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
        blocks = self.movers if self.layout.turn is None else 2 * (self.movers - 1)
        return self.size * self.stages * (blocks if self.sides == "apart" else 1)

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
        sign: the source of what the sum of the tables is multiplied by.
    """

    lines: list[str]
    indices: list[str]
    values: list[str]
    rows: NDArray[np.int64]
    sign: str

    def total(self, weight: str) -> str:
        """The source of the sum; `weight` is the source of a weight, with {} for its index."""
        weights = [weight.format(index) for index in self.indices]
        copies = len(weights) - len(self.values)
        terms = [f"{weight} * {value}" for weight, value in zip(weights[copies:], self.values, strict=True)]
        return " + ".join([f"{self.sign} * ({' + '.join(weights[:copies] or '0')})", *terms])


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
    words = -(-tables.copies // in_word)  # the one after these is the clock
    rows: list[int] = []
    lines: list[str] = []
    terms: list[list[str]] = [[] for _ in range(words + 1)]
    for number, chunk in enumerate(_chunks(layout.columns, list(parts))):
        changed = sorted(
            {copy // in_word for part in chunk.values[-1] for copy, _ in uses.get(part, ())}
            | {words for part in chunk.values[-1] if part in clock}
        )
        lines.append(f"i{number} = {len(rows)} + ({chunk.number}) * {len(changed)}")
        for place, word in enumerate(changed):
            terms[word].append(f"rows[i{number} + {place}]")
        for symbols in chunk.values:
            row = dict.fromkeys(changed, 0)
            for part, symbol in symbols.items():
                for copy, factor in uses.get(part, ()):
                    row[copy // in_word] += symbol * factor << size * (copy % in_word)
                if part in clock:
                    row[words] += symbol * clock[part]
            rows += [entry & (1 << 64) - 1 for entry in row.values()]
    lines += [f"a{word} = " + (" + ".join(of_word) or "0") for word, of_word in enumerate(terms)]
    offset = ["0"]
    if layout.edges:
        offset.append("+".join(f"(1 if a{words} >= {edge} else 0)" for edge in layout.edges))
    sign = "1"
    if tables.sides == "opposite":
        sign = "sign"
        lines.append(f"sign = 1 if {game}.to_move(state) == 0 else -1")
    if tables.sides == "apart":
        of_chance = f"{tables.movers - 1}" + ("" if layout.turn is None else f" + {_turn_of(layout)}")
        offset.append(
            f"({game}.to_move(state) if {game}.to_move(state) != {CHANCE} else {of_chance}) * {tables.stages}"
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
        if feature == TO_MOVE:
            values.append("1.0")
        elif feature >= 0:
            values.append(f"(features[{feature}] * {1 / unit!r})")
        elif bounded:
            lines.append(f"own_value = min(max({evaluation}, -{NEARLY}), {NEARLY})")
            values.append(f"(log((1 + own_value) / (1 - own_value)) * {0.5 / unit!r})")
        else:
            values.append(f"({evaluation} * {1 / unit!r})")
    if any(tables.features):
        lines.insert(0, f"features = {game}.features(state)")
    return Code(lines, indices, values, np.array(rows, np.uint64).view(np.int64), sign)


def turn_of(layout: Layout, game: str) -> str:
    """The source of the player whose turn it is, for whom tables speak; `game` is the name of the game."""
    if layout.turn is None:
        return f"max({game}.to_move(state), 0)"
    return f"({game}.to_move(state) if {game}.to_move(state) != {CHANCE} else {_turn_of(layout)})"


def _turn_of(layout: Layout) -> str:
    part = layout.turn
    assert part is not None
    number = f"min(max({layout.columns[part.column].source}, {part.low}), {part.high}) - {part.low}"
    return f"{part.drawn!r}[{number}]"


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
    own = f"(own(game, state, {turn_of(tables.layout, 'game')}) - {draw_utility(game)!r}) * {1 / most!r}"
    return source_of(tables, "game", own, bounded)


def score_of(tables: Tables, game: Game, name: str) -> str:
    """The source of what the player whose turn it is has for certain, besides a draw; `name` is that of the game."""
    if tables.score is None:
        return "0.0"
    of_first = f"({tables.score.source} - {draw_utility(game)!r})"
    turn = turn_of(tables.layout, name)
    return of_first if game.players == 1 else f"({of_first} if {turn} == 0 else -{of_first})"


def rows_of(code: Code, tables: Tables) -> list[str]:
    """The source of the number of each row of a network, which is inside however odd the state is."""
    return [f"min({index}, {tables.weights - 1})" for index in code.indices[: tables.copies]]


def new_rule(evaluation: Summed, game: Game, weights: str, weight: str, names: dict[str, Any]) -> Rule:
    """The function that searches of `game` compile.

    `weights` is the source of all weights, with `names`, and `weight` that of one of them, with {} for its index.
    Compiled code has a copy of a constant for each place that names it, so that each is named once.
    """
    tables, network, draw = evaluation.tables, evaluation.network, draw_utility(game)
    lines, namespace = _total(evaluation, game, weights, weight, names)
    is_squeezed = evaluation.bounded and (network is None or not len(network.outcomes))
    lines.append(f"value = {evaluation.most!r} * " + ("tanh(total)" if is_squeezed else "total"))
    if tables.score is not None:
        lines.append(f"value += {score_of(tables, game, 'game')}")
    if tables.players == 1 and game.players > 1:
        lines += [f"if {turn_of(tables.layout, 'game')} != player:", "    value = -value"]
    if draw:
        lines.append(f"value += {draw!r}")
    least, greatest = bounds(game)
    lines.append("return min(max(value, least), greatest)")
    return function_from("evaluate", "game, state, player", lines, {**namespace, "least": least, "greatest": greatest})


def new_chances(
    evaluation: Summed, game: Game, weights: str, weight: str, names: dict[str, Any]
) -> Callable[[Any, Any], tuple[float, ...]]:
    """A function that searches of `game` can compile: the chance of each outcome. See `new_rule` for the arguments."""
    lines, namespace = _total(evaluation, game, weights, weight, names)
    network = evaluation.network
    assert network is not None
    shares = ", ".join(f"float(chances[{k}]) / sum_of_chances" for k in range(len(network.outcomes)))
    return function_from("chances", "game, state", [*lines, f"return {shares}"], namespace)


def _total(
    evaluation: Summed, game: Game, weights: str, weight: str, names: dict[str, Any]
) -> tuple[list[str], dict[str, Any]]:
    """Python that computes `total`, with the names that it uses. See `new_rule` for the arguments."""
    tables, network = evaluation.tables, evaluation.network
    code = code_of(tables, game, evaluation.most, evaluation.bounded)
    lines = ["rows = pointer(rows_of_chunks)", f"weights = {weights}", *code.lines]
    if tables.players > 1:
        lines.append(f"s += player * {tables.of_one_player}")
    namespace: dict[str, Any] = {
        "pointer": pointer, "rows_of_chunks": code.rows, "tanh": math.tanh, "log": math.log, **names,
        **({"own": type(game).evaluate} if tables.own else {}),
    }  # fmt: skip
    if network is None:
        return [*lines, f"total = ({code.total(weight)}) * {evaluation.scale!r}"], namespace
    network_lines, network_names = network.lines(rows_of(code, tables), code.values, code.sign, evaluation.scale)
    return [*lines, *network_lines], namespace | network_names
