"""Layouts: the states of a game as a fixed number of locations, each with one of a few symbols.

A location is a square, a pit, or whatever else changes: its symbol is the sum of its parts, each a bit of a set of bits
or a number. Nothing is asked of the game but its rules; where it has a `picture`, bits that tell what is drawn on one
square are joined. Start at `layout_of`.
"""

import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, groupby
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.evaluation.columns import Column, columns_of, read_columns
from outplay.rules.actions import name_of
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines
from outplay.rules.repetition import History, final, playable

if TYPE_CHECKING:
    from outplay.rules.board import Picture

PLIES = 400
"""A game that is not over after so many plies counts as a draw."""
WITHOUT_DECISIONS = 100
"""After so many games without a decision, there are none."""
SYMBOLS = 16
"""A location has at most this many symbols; numbers beyond count as the last."""
WITH_IMAGES, DRAWN = 20_000, 3000
"""So many states are compared, with their images, and the pictures of so many."""
MAX_OTHERS = 64
"""A layout has at most this many locations that are not on the board."""
SURE = 0.99
"""A bit belongs to a square if what is drawn there tells it, by this share of its information."""
Numbers = NDArray[np.int64]


class Part(NamedTuple):
    """What a column adds to the symbol of a location.

    Attributes:
        column: the number of the column.
        bit: which bit of the column is read; -1: the whole number.
        factor: what the bit counts.
        low: the number that counts 0; smaller ones count 0 too.
        high: the number that counts most.
        drawn: what each number from `low` to `high` counts, where people see no difference between some; else empty.
    """

    column: int
    bit: int = -1
    factor: int = 1
    low: int = 0
    high: int = 1
    drawn: tuple[int, ...] = ()

    @property
    def most(self) -> int:
        """The most that this adds."""
        if self.bit >= 0:
            return self.factor
        return max(self.drawn) if self.drawn else (self.high - self.low) * self.factor

    def read(self, table: Numbers) -> Numbers:
        """What this adds in each state: int64 [states], of int64 [states, columns]."""
        numbers = table[:, self.column]
        if self.bit >= 0:
            return (numbers >> self.bit & 1) * self.factor
        counted = np.clip(numbers, self.low, self.high) - self.low
        return np.array(self.drawn)[counted] if self.drawn else counted * self.factor


class Location(NamedTuple):
    """A location.

    Attributes:
        parts: what its symbol is the sum of.
        symbols: the number of its symbols.
        name: what people call it.
        cell: the cell of the picture that shows it, or None.
    """

    parts: tuple[Part, ...]
    symbols: int
    name: str
    cell: Hashable = None


@dataclass(frozen=True)
class Samples:
    """States of random games.

    Attributes:
        states: the states in which a player is to move.
        plies: the ply of each.
        movers: the player to move in each.
        results: the utility that each player got in the end: float64 [states, players].
        ends: the last states of the games that ended.
        utilities: what each player got there: float64 [ends, players].
        ended: the share of the games that ended.
    """

    states: list[Any]
    plies: Numbers
    movers: Numbers
    results: NDArray[np.float64]
    ends: list[Any]
    utilities: NDArray[np.float64]
    ended: float


def sample(
    game: Game,
    positions: int = 20_000,
    seed: int = 0,
    seconds: float = 10.0,
    games: Iterator[list[Any]] | None = None,
) -> Samples:
    """States of random games, for at most this long; every other game is one of `games`, the states of each."""
    dice, until = Random(seed), time.monotonic() + seconds  # noqa: S311 - not for secrets
    states: list[Any] = []
    plies: list[int] = []
    movers: list[int] = []
    results: list[tuple[float, ...]] = []
    ends: list[tuple[Any, tuple[float, ...]]] = []
    number = 0
    while len(states) < positions and (time.monotonic() < until or not states):
        if games is not None and number % 2:
            history = History(next(games))
            utilities = final(game, history)
        else:
            history = History([game.initial_state()])
            while (utilities := final(game, history)) is None and len(history) <= PLIES:
                history.append(game.result(history[-1], _choice(game, history, dice)))
        decisions = [ply for ply, state in enumerate(history) if _is_decision(game, state)]
        states += [history[ply] for ply in decisions]
        plies += decisions
        movers += [int(game.to_move(history[ply])) for ply in decisions]
        results += [utilities or (draw_utility(game),) * game.players] * len(decisions)
        ends += [] if utilities is None else [(history[-1], utilities)]
        number += 1
        if not states and number == WITHOUT_DECISIONS:
            break
    if not states:
        raise UnsuitableGame(f"{game!r}: no player decides anything in {number} games: there is nothing to learn")
    lasts = [state for state, _ in ends]
    utilities_of_all = np.array([utilities for _, utilities in ends], float).reshape(len(ends), game.players)
    return Samples(
        states, np.array(plies), np.array(movers), np.array(results, float), lasts, utilities_of_all, len(ends) / number
    )


def _is_decision(game: Game, state: Any) -> bool:
    return not game.is_terminal(state) and game.to_move(state) != CHANCE


def _choice(game: Game, history: History, dice: Random) -> Any:
    actions = list(playable(game, history))
    if game.to_move(history[-1]) != CHANCE:
        return dice.choice(actions)
    return dice.choices(actions, [float(game.probability(history[-1], action)) for action in actions])[0]


@dataclass(frozen=True)
class Layout:
    """How the states of a game are read.

    Attributes:
        columns: the numbers of a state.
        locations: the locations.
        images: the locations whose symbols an image of the state has, for each symmetry; the identity first.
        clock: how far a game has got, as a sum: a weight for each part that counts.
        edges: the values of the clock at which the next stage begins.
        turn: what says, where chance decides, whose turn it is; None: nothing does.
    """

    columns: tuple[Column, ...]
    locations: tuple[Location, ...]
    images: tuple[tuple[int, ...], ...]
    clock: tuple[tuple[Part, int], ...] = ()
    edges: tuple[int, ...] = field(default=())
    turn: Part | None = None

    @property
    def sizes(self) -> list[int]:
        """The number of symbols of each location."""
        return [location.symbols for location in self.locations]

    def symbols(self, table: Numbers) -> Numbers:
        """The symbol at each location: int64 [states, locations], of int64 [states, columns]."""
        symbols = np.zeros((len(table), len(self.locations)), np.int64)
        for place, location in enumerate(self.locations):
            symbols[:, place] = sum(part.read(table) for part in location.parts)
        return symbols.clip(0, np.array(self.sizes) - 1)

    def stage(self, table: Numbers) -> Numbers:
        """The stage of each state: int64 [states]."""
        clock = sum((part.read(table) * weight for part, weight in self.clock), np.zeros(len(table), np.int64))
        return np.searchsorted(np.array(self.edges, np.int64), clock, side="right")


def layout_of(game: Game, samples: Samples, stages: int = 4, skipped: Column | None = None) -> Layout:
    """The layout of the states of a game, without the column `skipped`.

    >>> from outplay.games import Breakthrough
    >>> game = Breakthrough(5, 4)
    >>> layout = layout_of(game, sample(game, 500))
    >>> [location.name for location in layout.locations][:5], max(layout.sizes), len(layout.images)
    (['a1', 'b1', 'c1', 'd1', 'a2'], 3, 2)
    """
    closed = _with_images(game, samples.states)
    columns = columns_of(samples.states)
    in_order, table = (read_columns(columns, states) for states in (samples.states, list(chain(*closed))))
    pictures = _pictures(game, closed)
    sets: list[tuple[int, list[int]]] = []
    parts: list[list[Part]] = []
    turn: Part | None = None
    for column in range(len(columns)):
        numbers = table[:, column]
        low, high = int(numbers.min()), int(numbers.max())
        before = in_order[:, column]
        if low == high or columns[column] == skipped:
            continue
        if _is_turn(before, samples.movers):
            turn = turn or _turn(column, before, samples.movers, game)
            continue
        inside_array = bool(columns[column].path) and not isinstance(columns[column].path[-1], str)
        if high - low < SYMBOLS or (inside_array and high - low < 256):
            parts.append([Part(column, low=low, high=min(high, low + SYMBOLS - 1))])
            continue
        if high - low < 256 and np.median(abs(np.diff(before))) <= 2:  # it counts something
            parts.append([Part(column, low=low, high=min(high, low + SYMBOLS - 1))])
            continue
        bits = [bit for bit in range(64) if np.any((numbers ^ numbers[0]) >> bit & 1)]
        changes = (np.mean([(before[lag:] ^ before[:-lag]) >> bit & 1 for bit in bits]) for lag in (1, 2))
        is_sum = 63 in bits and np.array_equal(numbers >> 62 & 1, numbers >> 63 & 1)  # with copies of its sign
        if min(changes, default=1.0) < 0.4 and not is_sum:  # else it is a hash
            sets.append((column, bits))
    drawn, others = _joined_by_picture(sets, table, pictures)
    parts += drawn + _joined_by_shift(others, table)
    parts += [simple for fine in parts if (simple := _as_drawn(fine, table, pictures))]
    located = sorted(
        (_location(its_parts, columns, table, pictures) for its_parts in parts), key=_board_order(pictures)
    )
    on_board = sum(location.cell is not None for location in located)
    locations = located[: on_board + MAX_OTHERS]
    plain = Layout(tuple(columns), tuple(locations), (tuple(range(len(locations))),))
    clock, edges = _clock(plain, in_order, samples.plies, stages)
    return Layout(plain.columns, plain.locations, _images(game, plain, samples.states), clock, edges, turn)


def _with_images(game: Game, states: list[Any]) -> list[tuple[Any, ...]]:
    """Some states, each with its symmetric images, so that what is rare is so on all sides of the board."""
    if not defines(game, "symmetries"):
        return [(state,) for state in states]
    most = max(len(tuple(game.symmetries(state))) for state in states[:: len(states) // 100 + 1])
    step = -(-len(states) * most // WITH_IMAGES)
    return [tuple(game.symmetries(state)) for state in states[::step]]


def _is_turn(numbers: Numbers, movers: Numbers) -> bool:
    """Whether a column says who is to move, and nothing else."""
    return len(np.unique(movers)) > 1 and all(
        len(np.unique(numbers[movers == player])) == 1 for player in np.unique(movers)
    )


def _turn(column: int, numbers: Numbers, movers: Numbers, game: Game) -> Part | None:
    """A column that says who is to move, for states in which chance decides; None if there are none."""
    low, high = int(numbers.min()), int(numbers.max())
    if not game.has_chance or high - low >= SYMBOLS:
        return None
    players = dict(zip(numbers.tolist(), movers.tolist(), strict=True))
    return Part(column, low=low, high=high, drawn=tuple(players.get(number, 0) for number in range(low, high + 1)))


# -- squares, by what is drawn there -----------------------------------------------------------------------------------


class _Pictures(NamedTuple):
    cells: list[Hashable]
    names: dict[Hashable, str]
    chosen: list[int]  # the rows of the states that were drawn
    seen: Numbers  # int64 [states drawn, cells]: a number for what is drawn on a cell
    drawn: Numbers  # the same, for what is drawn and who is to move


def _pictures(game: Game, closed: list[tuple[Any, ...]]) -> _Pictures | None:
    """What is drawn on each cell of some of the states, with their images; None where the game draws nothing."""
    if not defines(game, "picture"):
        return None
    ends = list(accumulate(map(len, closed)))
    step = -(-ends[-1] // DRAWN)
    rows = [
        row for end, images in zip(ends[::step], closed[::step], strict=True) for row in range(end - len(images), end)
    ]
    states = [state for images in closed[::step] for state in images]
    boards: list[Picture | None] = [game.picture(state) for state in states]
    cells = list(dict.fromkeys(cell for board in boards if board for cell in board.cells))
    if not cells:
        return None
    numbers: dict[Hashable, int] = {}
    drawn = [
        [numbers.setdefault(board.pieces_on(cell) if board else (), len(numbers)) for cell in cells] for board in boards
    ]
    names = {place.cell: place.name or name_of(place.cell) for board in boards if board for place in board.places}
    codes, players = np.array(drawn), np.unique([game.to_move(state) for state in states], return_inverse=True)[1]
    return _Pictures(cells, names, rows, codes, codes * (players.max() + 1) + players[:, None])


def _information(labels: Numbers, bits: Numbers) -> NDArray[np.float64]:
    """The mutual information of labels from 0 on, [states], and each of some bits, [states, bits], in nats."""
    has_label = np.eye(labels.max() + 1)[labels].T
    shares = np.stack([has_label @ (1 - bits), has_label @ bits], 1) / len(labels)
    expected = shares.sum(1, keepdims=True) * shares.sum(0, keepdims=True)
    return np.sum(shares * np.log(np.maximum(shares, 1e-12) / np.maximum(expected, 1e-12)), (0, 1))  # type: ignore[no-any-return]


def _joined_by_picture(
    sets: list[tuple[int, list[int]]], table: Numbers, pictures: _Pictures | None
) -> tuple[list[list[Part]], list[tuple[int, list[int]]]]:
    """Locations of bits that what is drawn on one cell tells, and the bits that are left.

    Bits that are the same in all states that were drawn are too rare to say anything.
    """
    if pictures is None or not sets:
        return [], sets
    rows = np.array(pictures.chosen)
    bits = [(column, bit) for column, its_bits in sets for bit in its_bits]
    values = np.stack([table[rows, column] >> bit & 1 for column, bit in bits], 1)
    share = np.clip(values.mean(0), 1e-9, 1 - 1e-9)
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    information = np.zeros((len(pictures.cells), len(bits)))  # nats that a cell tells of a bit
    for cell in range(len(pictures.cells)):
        labels = np.unique(pictures.drawn[:, cell], return_inverse=True)[1]
        if labels.max():
            information[cell] = _information(labels, values)
    best = information.argmax(0)
    changes = entropy > 1e-6
    sure = (information.max(0) >= SURE * entropy) & changes
    by_cell: dict[int, list[tuple[int, int]]] = {}
    for place, (column, bit) in enumerate(bits):
        if sure[place]:
            by_cell.setdefault(int(best[place]), []).append((column, bit))
    left = {one for one, is_left in zip(bits, changes & ~sure, strict=True) if is_left}
    others = [(column, [bit for bit in its_bits if (column, bit) in left]) for column, its_bits in sets]
    joined = [parts for cell in sorted(by_cell) for parts in _pack_bits(by_cell[cell], table)]
    return joined, [(column, its_bits) for column, its_bits in others if its_bits]


def _pack_bits(bits: list[tuple[int, int]], table: Numbers) -> list[list[Part]]:
    """The bits as parts of as few locations as their symbols allow, with the least factors that tell symbols apart.

    Those of one column, such as the number of men of one player, stay together if they can.
    """
    locations: list[list[Part]] = []
    parts: list[Part] = []
    code = np.zeros(len(table), np.int64)
    for of_column in (list(group) for _, group in groupby(bits, lambda one: one[0])):
        begins_anew = bool(parts) and _with_bits(code, of_column, table)[1] is None
        for one in of_column:
            factors, new_code = _with_bits(code, [one], table)
            if (begins_anew or new_code is None) and parts:
                locations.append(parts)
                parts, begins_anew = [], False
                factors, new_code = _with_bits(np.zeros(len(table), np.int64), [one], table)
            assert new_code is not None
            parts, code = [*parts, Part(*one, factors[0])], new_code
    return [*locations, parts]


def _with_bits(code: Numbers, bits: list[tuple[int, int]], table: Numbers) -> tuple[list[int], Numbers | None]:
    """The least factor of each bit that tells symbols apart, and symbols with them; None if they are too many."""
    factors = []
    for column, bit in bits:
        new = table[:, column] >> bit & 1
        pair_count = len(np.unique(2 * code + new))
        factors.append(next(number for number in range(1, 99) if len(np.unique(code + number * new)) == pair_count))
        code = code + factors[-1] * new
    return factors, code if int(code.max()) < SYMBOLS else None


def _joined_by_shift(sets: list[tuple[int, list[int]]], table: Numbers) -> list[list[Part]]:
    """Locations of bits of several sets, joined at the shift at which the bits tell most of each other."""
    groups: list[dict[int, list[tuple[int, int]]]] = []  # place -> bits
    few = table[:: len(table) // 4000 + 1]

    def code(bits: list[tuple[int, int]]) -> Numbers:
        return sum(((few[:, column] >> bit & 1) << i for i, (column, bit) in enumerate(bits)), 0 * few[:, 0])

    for column, bits in sets:
        values = {bit: few[:, column] >> bit & 1 for bit in bits}
        best_score, best_group, best_shift = 0.0, None, 0
        for group in groups:
            codes = {place: code(its_bits) for place, its_bits in group.items()}
            scores = []
            for shift in range(-16, 17):
                common = [bit for bit in bits if bit - shift in group]
                if len(common) > len(bits) / 2:
                    score = sum(float(_information(codes[bit - shift], values[bit][:, None])[0]) for bit in common)
                    scores.append((score, -abs(shift), shift))
            if scores and max(scores)[0] > max(best_score, 1.5 * float(np.median([score for score, *_ in scores]))):
                score, _, shift = max(scores)
                common = [bit for bit in bits if bit - shift in group]
                if all(len(np.unique(2 * codes[bit - shift] + values[bit])) <= SYMBOLS for bit in common):
                    best_score, best_group, best_shift = score, group, shift
        if best_group is None:
            groups.append(best_group := {})
        for bit in bits:
            best_group.setdefault(bit - best_shift, []).append((column, bit))
    return [parts for group in groups for place in sorted(group) for parts in _pack_bits(group[place], table)]


def _as_drawn(parts: list[Part], table: Numbers, pictures: _Pictures | None) -> list[Part]:
    """A number with the symbols that people see, if these are fewer: in Hex, a stone and not what it is linked to."""
    part = parts[0]
    if pictures is None or part.bit >= 0 or len(parts) > 1 or part.high - part.low < 3:
        return []
    numbers = part.read(table)[pictures.chosen]
    for board in pictures.seen.T:
        kinds = np.unique(board)
        if 1 < len(kinds) < len(np.unique(numbers)) and _tells(numbers, board):
            symbols = dict(zip(numbers.tolist(), np.searchsorted(kinds, board).tolist(), strict=True))
            drawn = tuple(symbols.get(number, 0) for number in range(part.high - part.low + 1))
            return [part._replace(drawn=drawn)]
    return []


def _tells(numbers: Numbers, others: Numbers) -> bool:
    """Whether one of `others` goes with each of `numbers`, all small and not negative."""
    pairs = np.bincount(numbers * (others.max() + 1) + others)
    return bool(np.count_nonzero(pairs) == np.count_nonzero(np.bincount(numbers)))


def _location(parts: list[Part], columns: Sequence[Column], table: Numbers, pictures: _Pictures | None) -> Location:
    """A location, with a name."""
    symbols = sum(part.read(table) for part in parts)
    size = min(int(np.max(symbols)) + 1, SYMBOLS)
    column = columns[parts[0].column]
    name = str(column) + (f" bit {parts[0].bit}" if parts[0].bit >= 0 else "")
    if pictures is not None:
        codes = np.asarray(symbols)[pictures.chosen]
        for cell, drawn in zip(pictures.cells, pictures.drawn.T, strict=True):
            if codes.any() and _tells(drawn, codes):
                return Location(tuple(parts), size, pictures.names[cell], cell)
    return Location(tuple(parts), size, name)


def _board_order(pictures: _Pictures | None) -> Any:
    places = {} if pictures is None else {cell: place for place, cell in enumerate(pictures.cells)}
    return lambda location: places.get(location.cell, len(places))


# -- symmetries and the clock ------------------------------------------------------------------------------------------


def _images(game: Game, layout: Layout, states: list[Any]) -> tuple[tuple[int, ...], ...]:
    """The permutation of the locations by each symmetry of the game; a location without an image keeps its place."""
    same = tuple(range(len(layout.locations)))
    if not defines(game, "symmetries"):
        return (same,)
    subset = states[:: len(states) // 400 + 1]
    own = layout.symbols(read_columns(layout.columns, subset))
    by_content = {own[:, place].tobytes(): place for place in reversed(same)}
    images = [same]
    all_images = [tuple(game.symmetries(state)) for state in subset]
    if len(set(map(len, all_images))) > 1:  # some are left out, so that a place in the tuple is no symmetry
        return (same,)
    for images_of_all in zip(*all_images, strict=True):
        moved = layout.symbols(read_columns(layout.columns, images_of_all))
        sources = [
            j if np.array_equal(moved[:, j], own[:, j]) else by_content.get(moved[:, j].tobytes(), -1) for j in same
        ]
        image = tuple(place if other < 0 else other for place, other in enumerate(sources))
        if len(set(image)) == len(same) and image not in images:
            images.append(image)
    return tuple(images)


def _clock(
    layout: Layout, table: Numbers, plies: Numbers, stages: int
) -> tuple[tuple[tuple[Part, int], ...], tuple[int, ...]]:
    """A sum of parts that goes with the ply, and the values at which stages end; nothing where no sum does."""
    parts = [part for location in layout.locations for part in location.parts]
    if stages < 2 or not parts:
        return (), ()
    x = np.stack([part.read(table) for part in parts], 1).astype(float)
    x -= x.mean(0)
    y = plies - plies.mean()
    weights = np.linalg.solve(x.T @ x + len(x) / 100 * np.eye(len(parts)), x.T @ y)
    sums = x @ weights
    if not (y.any() and np.ptp(sums) > 0 and np.corrcoef(sums, y)[0, 1] >= 0.6):
        return (), ()
    whole = np.rint(weights * 64 / max(abs(weights).max(), 1e-9)).astype(int)
    clock = tuple((part, int(weight)) for part, weight in zip(parts, whole, strict=True) if weight)
    value = sum(part.read(table) * weight for part, weight in clock)
    edges = np.unique(np.quantile(value, np.linspace(0, 1, stages + 1)[1:-1]).astype(int) + 1)
    return clock, tuple(int(edge) for edge in edges)
