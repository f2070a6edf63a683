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
from outplay.compile.kernels import pack
from outplay.compile.random_numbers import new_random
from outplay.compile.records import Record, new_record
from outplay.compile.state_cells import MAX_CELLS
from outplay.engine.runner import SearchRunner
from outplay.rules.arguments import check_is_game
from outplay.rules.constant_sum import is_opposed
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.rules.numbered import numbered
from outplay.tables.codec import WORDS, Range
from outplay.tables.estimation_walk import LAYOUT, play, walk
from outplay.tables.payoffs import check_compiles, check_suited
from outplay.tables.sizes import MAX_DEGREE

RISK = 1e-6
"""The maximum probability that the lower bound is too high."""
WALKED, PLAYED = 1 << 18, 1 << 21
"""The maximum numbers of states of the walk, and of plies of the random games."""
ROOM = 1 << 24
"""The maximum number of cells of all states of the walk: 128 MB."""
LEAST_KNOWN, MOST_SKEWED = 0.01, 4.0
"""For a guess, at least this share of the states must have been met, and it may be so many times Chao's estimate."""
SEEN_AGAIN = 10
"""The least number of repeated samples that tell something of the probabilities."""
BYTES_A_STATE, BYTES_AN_EDGE = 14.0, 8.0
"""What the walk of `Tablebase.make` needs at least, besides the code of a state."""


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
        bytes_per_state: the memory for a state, in bytes.
        bytes_per_edge: the memory for an action of a state, in bytes.
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
        guess_text = f", likely about {_rounded(self.guess)}" if self.guess is not None else ", likely far more"
        return f"at least {self.least:,} states{guess_text}"

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
        arguments = (game, memory, *walk_arrays, *sample, new_random(seed), played)
        memory.stop = 0
        _run(play.prepare(*arguments), arguments, memory, 0.6 * seconds)
    if memory.too_large:
        raise OutplayError(f"a state of {game!r} consists of more than {MAX_CELLS} numbers: too many for a table")
    layers = tuple(int(size) for size in memory.layer[: memory.layers])
    number, classes = int(memory.states), _classes(memory)
    least = number if complete else number + sum(least_number(*counts, risk=RISK / len(classes)) for counts in classes)
    guess = float(number) if complete else _guessed(number, classes)
    bits = _bits(memory)
    words = min(-(-bits // 64), WORDS)
    choices = int(memory.edges + memory.choices)
    return Estimate(
        game=" ".join(repr(game).split()),
        complete=complete,
        least=least,
        guess=guess,
        found=number,
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
    return [tuple(int(count[i]) for count in counts) for i in np.flatnonzero(memory.samples)]  # type: ignore[misc]


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


def mean_of(count: int, margin: float) -> tuple[float, float]:
    """The least and the greatest mean of a sum of independent indicators, if it is `count`, by Chernoff's bound.

    Each is wrong with a probability of at most exp(-margin).
    """

    def unlikely(mean: float) -> bool:
        return mean - count + (count * math.log(count / mean) if count else 0.0) > margin

    low, most = 0.0, float(count)  # `unlikely` changes once on each side of `count`
    for _ in range(100):
        middle = (low + most) / 2
        low, most = (middle, most) if count and middle and unlikely(middle) else (low, middle)
    least, high, up = most if count else 0.0, float(count), 2.0 * (count + margin) + 2 * margin
    for _ in range(100):
        middle = (high + up) / 2
        high, up = (high, middle) if unlikely(middle) else (middle, up)
    return least, up


def _guessed(states: int, classes: Sequence[tuple[int, int, int, int]]) -> float | None:
    """The likely number of states; None if too few of them were met to say."""
    plain = states + sum(different + once**2 / (2 * max(twice, 1)) for _, different, once, twice in classes)
    guess = states + sum(likely_number(*counts) for counts in classes)
    states_seen = states + sum(different for _, different, *_ in classes)
    return guess if guess <= MOST_SKEWED * plain and states_seen >= LEAST_KNOWN * guess else None


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
    kinds_a_sample, alone = different / samples, once / samples
    at = [float(np.interp(-kinds_a_sample, -kind, RATES)) for kind in kinds]  # the rates that give so many kinds,
    # and the shares of single ones there
    alone_at = [float(np.interp(rate, RATES, shares)) for rate, shares in zip(at, singles, strict=True)]
    rate = float(np.interp(alone, alone_at, at))
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
