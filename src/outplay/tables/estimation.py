"""How large a table will be: the number of states, from a look of about a second at the game.

`estimate` does two things, compiled.

1. **Walk.** A breadth-first walk finds the first layers: the states at distance 0, 1, 2, … from the start. In a small
   game these are all states.
2. **Games.** Otherwise random games start from random states of the last layer. Few different states among many that
   were met mean few states, as birthdays among people; where nearly all differ, there are many.

The bound. States that the walk did not find are put into classes, by the number of bits in which they differ from the
initial state, so that no state is in two. The first state of a class that each game meets is a sample of it; the
samples of a class are independent. Of n samples, let D be the number of different states, f1 and f2 that of states met
once and twice. If n were drawn from a Poisson distribution, the expected number of states that were not met would be at
least E(f1)² / 2 E(f2), whatever the probabilities of the states (Chao 1984, by the inequality of Cauchy and Schwarz),
and f1 and f2 would be sums of independent indicators, for which Chernoff's bounds hold. A fixed n makes an event at
most e √n times as likely. So D + f0, with the least f0 that these bounds leave, is more than the number of states of
the class with a probability below `RISK` for all classes together. States that random games hardly ever meet do not
count, so the bound may be several times too low; it is not too high because probabilities are unequal.

The guess. If the probabilities of the states of a class are distributed log-normally, D and f1 tell how many there
are. This is usually too low as well. Where the states met are less than a hundredth of it, there is no guess.

States are told apart by hashes of 64 bits. Two with the same hash count as one, which makes the bound lower.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import starts_of
from outplay.compile.kernels import kernel, pack, pointer, unpack
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import NONE, new_random, random_below
from outplay.compile.records import Record, layout, new_record
from outplay.compile.state_cells import MAX_CELLS, read_cells, write_cells
from outplay.engine.runner import SearchRunner
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.arguments import check_is_game
from outplay.rules.bits import count
from outplay.rules.constant_sum import is_opposed
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game, defines, legal_actions
from outplay.rules.keys import SEED, mix
from outplay.rules.numbered import numbered
from outplay.tables.codec import WORDS, Range
from outplay.tables.discovery import MAX_DEGREE, check_compiles, is_by_chance
from outplay.tables.payoffs import check_suited

RISK = 1e-6
"""The maximum probability that the lower bound is too high."""
WALKED, PLAYED = 1 << 18, 1 << 21
"""The maximum numbers of states of the walk, and of plies of the random games."""
ROOM = 1 << 24
"""The maximum number of cells of all states of the walk: 128 MB."""
CLASSES = 256
"""The number of classes of states."""
FULL_GAMES, LONG, CUT = 16, 10_000, 512
"""This many random games have up to `LONG` plies, the others are cut."""
MAX_LAYERS = 4096
"""The maximum number of layers of the walk."""
LEAST_KNOWN, MOST_SKEWED = 0.01, 4.0
"""For a guess, at least this share of the states must have been met, and it may be so many times Chao's estimate."""
SEEN_AGAIN = 10
"""The least number of repeated samples that tell something of the probabilities."""
BYTES_A_STATE, BYTES_AN_EDGE = 14.0, 8.0
"""What the walk of `Tablebase.make` needs at least, besides the code of a state."""

FIELDS = (
    *COUNTERS,
    ("merged", int),  # 1: images of a state are one state
    ("states", int),  # of the walk: found so far,
    ("expanded", int),  # the number of them whose successors are found, too,
    ("start", int),  # the first state of the layer that is being expanded,
    ("end", int),  # and the first one after it
    ("room", int),  # the cells of all states
    ("layers", int),
    ("layer", int, MAX_LAYERS),  # the number of states of each complete layer
    ("edges", int),
    ("inner", int),  # expanded states that are not the end of the game
    ("choices", int),  # of the games: all actions of the states met,
    ("met", int),  # the number of these states,
    ("ended", int),  # and that of ends of the game
    ("plies", int),
    ("longest", int),  # the plies of the longest game
    ("first", int, MAX_CELLS),  # the cells of the first state
    ("cells", int, MAX_CELLS),  # of the present one
    ("low", int, MAX_CELLS),  # the least of each cell so far,
    ("high", int, MAX_CELLS),  # and the greatest
    ("least_count", int),  # and of the number of cells
    ("most_count", int),
    ("too_large", int),  # 1: a state has more than `MAX_CELLS` cells
    ("last", int, CLASSES),  # the last game with a sample of the class
    ("samples", int, CLASSES),
    ("different", int, CLASSES),  # states among them,
    ("once", int, CLASSES),  # those met once,
    ("twice", int, CLASSES),  # and twice
)
LAYOUT = layout(*FIELDS)


@dataclass(frozen=True)
class Estimate:
    """What is known of the size of a table before it is made. Images of each other count as one state, as in the table.

    Attributes:
        game: the game, in words.
        complete: whether the walk found all states; `least` is their exact number then.
        least: a lower bound of the number of states; without `complete`, it is too high with a probability below 10⁻⁶.
        guess: the likely number of states; None where the growth of the layers says nothing.
        found: the number of different states that the walk has found.
        layers: the exact number of states at distance 0, 1, 2, … from where it started.
        branching: the mean number of actions of a state that is not the end of the game.
        edges_per_state: the mean number of actions of all states.
        longest: the plies of the longest game seen; it counts those of the layers.
        bits: the bits that tell the states seen apart; a state of the table may need some more.
        starts: the number of states to start from.
        edges: the number of edges that the walk has found.
        bytes_per_state: the memory for a state,
        bytes_per_edge: and for each of its actions.
        bytes_on_disk: the bytes of a state in the file.
    """

    game: str
    complete: bool
    least: int
    guess: float | None
    found: int
    layers: tuple[int, ...]
    branching: float
    edges_per_state: float
    longest: int
    bits: int
    starts: int
    edges: int
    bytes_per_state: float
    bytes_per_edge: float
    bytes_on_disk: float

    @property
    def least_megabytes(self) -> float:
        """The memory that making the table takes at least: an edge leads to each state, except to the first ones."""
        edges = max(self.edges, self.least - self.starts)
        return (self.least * self.bytes_per_state + edges * self.bytes_per_edge) / 1e6

    @property
    def megabytes(self) -> float | None:
        """The memory that it is likely to take; None without a guess."""
        if self.complete or self.guess is None:
            return self.least_megabytes if self.complete else None
        return self.guess * (self.bytes_per_state + self.edges_per_state * self.bytes_per_edge) / 1e6

    @property
    def file_megabytes(self) -> float:
        """The size of the file, if the number of states is the guess or, without one, the least."""
        return (self.guess or self.least) * self.bytes_on_disk / 1e6

    def __str__(self) -> str:
        if self.complete:
            return f"{self.least:,} states"
        about = f", likely about {_rounded(self.guess)}" if self.guess is not None else ", likely far more"
        return f"at least {self.least:,} states{about}"

    def as_dict(self) -> dict[str, Any]:
        """The estimate as plain values, for JSON."""
        needs = {name: getattr(self, name) for name in ("least_megabytes", "megabytes", "file_megabytes")}
        return asdict(self) | needs


def _rounded(number: float) -> str:
    """A number with two digits: 1,200,000 or 4.5·10¹²."""
    if number < 1e9:
        return f"{float(f'{number:.2g}'):,.0f}"
    digits, exponent = f"{number:.1e}".split("e")
    return f"{digits}·10{str(int(exponent)).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def estimate(
    game: Game,
    states: Iterable[Any] = (),
    *,
    seed: int = 0,
    seconds: float = 10.0,
    walked: int = WALKED,
    played: int = PLAYED,
    bytes_per_state: float | None = None,
    bytes_per_edge: float = BYTES_AN_EDGE,
    bytes_on_disk: float = 1.0,
    check: bool = True,
) -> Estimate:
    """Say how many states can be reached in `game`, from below and as a guess, and what a table of them needs.

    Args:
        game: a game of which there may be a table; its rules compile.
        states: where to start; by default the initial state.
        seed: the seed of the random games. The same seed gives the same answer, unless time runs out.
        seconds: the maximum time, without that of compiling. Most games need about one.
        walked: the maximum number of states of the walk.
        played: the maximum number of plies of all random games together.
        bytes_per_state: the memory for a state; by default what `Tablebase.make` needs at least.
        bytes_per_edge: the same for an action of a state.
        bytes_on_disk: the bytes of a state in the file; they differ from game to game, from 0.1 to 3.
        check: whether to check the rules of the game first.

    Raises `UnsuitableGame` or `RulesError` for a game of which there is no table.

    >>> from outplay.games import TicTacToe
    >>> str(estimate(TicTacToe()))
    '2,097 states'
    """
    check_is_game(game, "estimate")
    game = numbered(game)
    starts = starts_of(game, states, check=check)
    check_suited(game)
    memory = new_record(LAYOUT)
    memory.search, memory.merged = 1, is_opposed(game)
    size = max(walked, len(starts)) + MAX_DEGREE
    walk_arrays = (
        np.empty(min(ROOM, size * MAX_CELLS), np.int64), np.zeros(size + 1, np.int64), np.zeros(size, np.int64),
        np.zeros(1 << (2 * size - 1).bit_length(), np.uint32),
    )  # fmt: skip
    packed = pack(game, starts)
    args = (game, packed, len(starts), memory, *walk_arrays)
    prepared = walk.prepare(*args)
    check_compiles(game)  # only now is it known
    _run(prepared, args, memory, 0.4 * seconds)
    complete = bool(memory.expanded == memory.states)
    if not complete:
        size = 1 << (2 * played - 1).bit_length()
        sample = np.zeros(size, np.int64), np.zeros(size, np.uint8)
        more = (game, memory, *walk_arrays, *sample, new_random(seed), played)
        memory.stop = 0
        _run(play.prepare(*more), more, memory, 0.6 * seconds)
    if memory.too_large:
        raise OutplayError(f"a state of {game!r} consists of more than {MAX_CELLS} numbers: too many for a table")
    layers = tuple(int(each) for each in memory.layer[: memory.layers])
    found, classes = int(memory.states), _classes(memory)
    least = found if complete else found + sum(least_number(*each, risk=RISK / len(classes)) for each in classes)
    guess = float(found) if complete else _guessed(found, classes)
    bits = _bits(memory)
    words = min(-(-bits // 64), WORDS)
    choices = int(memory.edges + memory.choices)
    return Estimate(
        game=" ".join(repr(game).split()),
        complete=complete,
        least=least,
        guess=guess,
        found=found,
        layers=layers,
        branching=choices / max(int(memory.inner + memory.met), 1),
        edges_per_state=choices / max(int(memory.expanded + memory.met + memory.ended), 1),
        longest=max(int(memory.longest), len(layers) - 1),
        bits=bits,
        starts=len(starts),
        edges=int(memory.edges),
        bytes_per_state=8 * max(words, 1) + BYTES_A_STATE if bytes_per_state is None else bytes_per_state,
        bytes_per_edge=bytes_per_edge,
        bytes_on_disk=bytes_on_disk,
    )


def _run(work: Any, args: Sequence[Any], memory: Record, seconds: float) -> None:
    """Run a kernel that ends by itself, or after `seconds`. Ctrl-C raises."""

    def stop(_: int) -> None:
        memory.stop = -1

    runner = SearchRunner(seconds, lambda: 1, stop)
    runner.run(lambda: work(*args))
    if runner.stopped.name == "INTERRUPTED":
        raise KeyboardInterrupt


def check_fits(size: Estimate, memory_mb: float, disk_mb: float = 0.0) -> None:
    """Raise `OutplayError` if a table certainly does not fit into memory and disk together.

    Only the lower bound counts, so that a table that fits is never refused.

    >>> from outplay.games import TicTacToe
    >>> check_fits(estimate(TicTacToe()), 10)
    """
    if size.least_megabytes <= memory_mb + disk_mb:
        return
    room = f"{memory_mb:,.0f} megabytes of memory" + (f" and {disk_mb:,.0f} of disk" if disk_mb else "")
    likely = "" if size.guess is None or size.complete else f", likely about {_rounded(size.guess)}"
    raise OutplayError(
        f"{size.game} has {'' if size.complete else 'at least '}{size.least:,} states{likely}: too many for a table in"
        f" {room}. They need {size.least_megabytes:,.0f} megabytes or more; increase memory_mb, start from states later"
        " in the game, or choose a smaller board"
    )


def _bits(memory: Record) -> int:
    """The bits of a code in which all states seen have room."""
    total = Range(int(memory.least_count), int(memory.least_count)).widened(int(memory.most_count)).bits
    for i in range(int(memory.most_count)):
        first = int(memory.first[i])
        total += Range(first, first).widened(int(memory.low[i])).widened(int(memory.high[i])).bits
    return total


def _classes(memory: Record) -> list[tuple[int, int, int, int]]:
    """For each class that was met: the samples, the different states among them, those met once, and twice."""
    counts = (memory.samples, memory.different, memory.once, memory.twice)
    return [tuple(int(each[i]) for each in counts) for i in np.flatnonzero(memory.samples)]  # type: ignore[misc]


def least_number(samples: int, different: int, once: int, twice: int, risk: float = RISK) -> int:
    """A lower bound of how many kinds there are, from what independent samples of them show.

    Args:
        samples: the number of samples.
        different: the number of kinds among them,
        once: of those met once,
        twice: and of those met twice.
        risk: the maximum probability that the bound is too high.

    >>> least_number(1000, 1000, 1000, 0), least_number(1000, 500, 250, 150)
    (17368, 509)
    """
    margin = math.log(3 * math.e * math.sqrt(max(samples, 1)) / risk)
    one, two = mean_of(once, margin)[0], mean_of(twice, margin)[1]
    missed = one * one / (2 * two)
    return different + max(0, math.floor(missed - math.sqrt(2 * missed * margin)))


def mean_of(seen: int, margin: float) -> tuple[float, float]:
    """The least and the greatest mean of a sum of independent indicators, if it is `seen`, by Chernoff's bound.

    Each is wrong with a probability of at most exp(-margin).
    """

    def unlikely(mean: float) -> bool:
        return mean - seen + (seen * math.log(seen / mean) if seen else 0.0) > margin

    low, most = 0.0, float(seen)  # `unlikely` changes once on each side of `seen`
    for _ in range(100):
        middle = (low + most) / 2
        low, most = (middle, most) if seen and middle and unlikely(middle) else (low, middle)
    least, high, up = most if seen else 0.0, float(seen), 2.0 * (seen + margin) + 2 * margin
    for _ in range(100):
        middle = (high + up) / 2
        high, up = (high, middle) if unlikely(middle) else (middle, up)
    return least, up


def _guessed(found: int, classes: Sequence[tuple[int, int, int, int]]) -> float | None:
    """The likely number of states; None if too few of them were met to say."""
    plain = found + sum(different + once**2 / (2 * max(twice, 1)) for _, different, once, twice in classes)
    guess = found + sum(likely_number(*each) for each in classes)
    known = found + sum(different for _, different, *_ in classes)
    return guess if guess <= MOST_SKEWED * plain and known >= LEAST_KNOWN * guess else None


def likely_number(samples: int, different: int, once: int, twice: int) -> float:
    """How many kinds there are, if their probabilities are distributed log-normally; the arguments are as above.

    The number of kinds and the deviation of the logarithms are those for which as many samples would be expected to
    show as many kinds, and as many of them once.

    >>> round(likely_number(1000, 632, 368, 184), -1)
    1000.0
    """
    if samples - different < SEEN_AGAIN:
        return different + once**2 / (2 * max(twice, 1))
    kinds, singles = _expected()
    met, alone = different / samples, once / samples
    at = [float(np.interp(-met, -each, RATES)) for each in kinds]  # the rates that give so many kinds,
    found = [float(np.interp(rate, RATES, each)) for rate, each in zip(at, singles, strict=True)]  # and singles there
    rate = float(np.interp(alone, found, at))
    return max(float(different), samples / math.exp(rate))


RATES, DEVIATIONS = np.linspace(-16.0, 5.0, 211), np.linspace(0.0, 3.0, 31)
"""Logarithms of the mean number of samples a kind, and deviations of the logarithms of the probabilities."""


@cache
def _expected() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The expected numbers of kinds and of single ones, for each sample, shape (deviations, rates)."""
    place, weight = np.polynomial.hermite_e.hermegauss(41)
    weight /= weight.sum()
    rates = np.exp(RATES[None, :, None] + (DEVIATIONS[:, None, None] * (place - DEVIATIONS[:, None, None] / 2)))
    mean = rates @ weight
    return -np.expm1(-rates) @ weight / mean, (rates * np.exp(-rates)) @ weight / mean


# -- kernels ----------------------------------------------------------------------------------------------------------


@kernel
def walk(game: Any, packed: Any, number: int, walked: Any, cells: Any, firsts: Any, hashes: Any, places: Any) -> None:
    """Find states in order of their distance from the first ones, until there are no more, or no more room.

    `cells` holds those of all states, of state i from `firsts[i]` on. `places` is a hash table of their `hashes`.
    """
    memory = pointer(walked)
    memory.least_count = MAX_CELLS
    memory.most_count = 0
    for i in range(number):
        if memory.room + MAX_CELLS > len(cells):
            break
        include(game, unpack(game, packed, i), memory, cells, firsts, hashes, places)
    memory.end = memory.states
    memory.layer[0] = memory.states
    memory.layers = 1
    while memory.expanded < memory.states and not must_stop(memory):
        now = memory.expanded
        if now == memory.end:
            if memory.layers == MAX_LAYERS:
                break
            memory.layer[memory.layers] = memory.states - memory.end
            memory.layers += 1
            memory.start = memory.end
            memory.end = memory.states
        if memory.states + MAX_DEGREE > len(hashes) or memory.room + MAX_DEGREE * MAX_CELLS > len(cells):
            break
        state = walked_state(game, memory, cells, firsts, now)
        if not game.is_terminal(state):
            memory.inner += 1
            by_chance, degree = is_by_chance(game, game.to_move(state)), 0
            for action in legal_actions(game, state):
                if not happens(game, state, action, by_chance):
                    continue
                degree += 1
                if degree > MAX_DEGREE:
                    return
                include(game, game.result(state, action), memory, cells, firsts, hashes, places)
            memory.edges += degree
        memory.expanded += 1


@kernel
def walked_state(game: Any, memory: Any, cells: Any, firsts: Any, number: int) -> Any:
    """A state of the walk."""
    for i in range(firsts[number + 1] - firsts[number]):
        memory.cells[i] = cells[firsts[number] + i]
    return read_cells(game, memory.cells)


@kernel
def happens(game: Any, state: Any, action: int, by_chance: bool) -> bool:
    """Whether this action is not an outcome of chance with probability 0."""
    if defines(game, "probability") and by_chance:
        return bool(game.probability(state, action) > 0)
    return True


@kernel
def include(game: Any, state: Any, memory: Any, cells: Any, firsts: Any, hashes: Any, places: Any) -> None:
    """Add a state to the walk, unless it is there."""
    found, mask = hash_of(game, state, memory), len(places) - 1
    place = place_of(found, hashes, places, mask)
    if places[place] != 0:
        return
    size = write_state(game, state, memory)
    if memory.states == 0:
        for i in range(MAX_CELLS):
            memory.first[i] = memory.low[i] = memory.high[i] = memory.cells[i]
    widen(memory, size)
    for i in range(size):
        cells[memory.room + i] = memory.cells[i]
    memory.room += size
    hashes[memory.states] = found
    memory.states += 1
    firsts[memory.states] = memory.room
    places[place] = memory.states


@kernel
def write_state(game: Any, state: Any, memory: Any) -> int:
    """Write the cells of a state to `memory.cells`; return how many it has."""
    size = write_cells(game, state, memory.cells)
    if size > MAX_CELLS:
        memory.too_large = 1
    return min(size, MAX_CELLS)


@kernel
def widen(memory: Any, size: int) -> None:
    """Note the cells of the present state."""
    for i in range(size):
        if i >= memory.most_count:  # new
            memory.first[i] = memory.low[i] = memory.high[i] = memory.cells[i]
        memory.low[i] = min(memory.low[i], memory.cells[i])
        memory.high[i] = max(memory.high[i], memory.cells[i])
    memory.least_count = min(memory.least_count, size)
    memory.most_count = max(memory.most_count, size)


@kernel
def hash_of(game: Any, state: Any, memory: Any) -> int:
    """The hash of a state, the least one of its images."""
    if defines(game, "symmetries") and memory.merged != 0:
        best, first = 0, True
        for image in game.symmetries(state):
            size = write_state(game, image, memory)
            found = hash_of_cells(memory.cells, size)
            if first or found < best:
                best = found
            first = False
        return best
    size = write_state(game, state, memory)
    return hash_of_cells(memory.cells, size)


@kernel
def hash_of_cells(cells: Any, size: int) -> int:
    """A hash of the cells of a state, not negative."""
    h = mix(SEED, size)  # not by `*`: signed ints that overflow mean nothing in compiled code
    for i in range(size):
        h = mix(h, cells[i])
    return h & 0x7FFF_FFFF_FFFF_FFFF


@kernel
def place_of(found: int, hashes: Any, places: Any, mask: int) -> int:
    """The place of a hash in the table of the walk, or the free one for it."""
    place = found & mask
    while places[place] != 0 and hashes[int(places[place]) - 1] != found:
        place = place + 1 & mask
    return int(place)


@kernel
def play(
    game: Any, walked: Any, cells: Any, firsts: Any, hashes: Any, places: Any, keys: Any, times: Any, random: Any,
    most: int,
) -> None:  # fmt: skip
    """Play random games from random states of the last layer, and count the states of each class that they meet.

    `keys` is a hash table of the hashes of samples, each plus 1, and `times` how often each was met.
    """
    memory, games = pointer(walked), 0
    while memory.plies < most and not must_stop(memory):
        games += 1
        state = walked_state(
            game, memory, cells, firsts, memory.start + random_below(random, memory.end - memory.start)
        )
        plies = 0
        while plies < (LONG if games <= FULL_GAMES else CUT) and not game.is_terminal(state) and not must_stop(memory):
            action = random_action(game, state, random)
            if action == NONE or not happens(game, state, action, is_by_chance(game, game.to_move(state))):
                break
            state = game.result(state, action)
            plies += 1
            memory.plies += 1
            if games & 15 == 1:
                if game.is_terminal(state):
                    memory.ended += 1
                else:
                    for _ in legal_actions(game, state):
                        memory.choices += 1
                    memory.met += 1
            if plies <= CUT:  # so that the samples of all games have the same distribution
                met(game, state, memory, games, hashes, places, keys, times)
        memory.longest = max(memory.longest, plies + memory.layers - 1)


@kernel
def met(game: Any, state: Any, memory: Any, games: int, hashes: Any, places: Any, keys: Any, times: Any) -> None:
    """Count a state, if the walk lacks it and it is the first one of its class in this game."""
    found = hash_of(game, state, memory)
    if places[place_of(found, hashes, places, len(places) - 1)] != 0:
        return
    group = class_of(game, state, memory, found)
    if memory.last[group] == games:
        return
    memory.last[group] = games
    memory.samples[group] += 1
    mask = len(keys) - 1
    place = found & mask
    while keys[place] != 0 and keys[place] != found + 1:
        place = place + 1 & mask
    if times[place] == 0:
        keys[place] = found + 1
        memory.different[group] += 1
        memory.once[group] += 1
    elif times[place] == 1:
        memory.once[group] -= 1
        memory.twice[group] += 1
    elif times[place] == 2:
        memory.twice[group] -= 1
    if times[place] < 3:
        times[place] += 1


@kernel
def class_of(game: Any, state: Any, memory: Any, found: int) -> int:
    """The class of a state: in how many bits the cells of its image with this hash differ from those of the start."""
    size = write_state(game, state, memory)
    if defines(game, "symmetries") and memory.merged != 0:
        for image in game.symmetries(state):
            size = write_state(game, image, memory)
            if hash_of_cells(memory.cells, size) == found:
                break
    widen(memory, size)
    bits = 0
    for i in range(size):
        changed = (
            memory.cells[i] - memory.first[i] if abs(memory.cells[i]) < 1 << 20 else memory.cells[i] ^ memory.first[i]
        )
        bits += count(abs(changed))
    return min(bits, CLASSES - 1)
