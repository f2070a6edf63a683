"""What a player sees of a state, as an array of numbers of one shape: float32 [planes, rows, columns].

A game may define `observation(state, player)`. Without it:

    information   in a game with hidden information, the numbers in `information(state, player)` and nothing else, so
                  that two states that look the same to a player have the same observation
    board         in all others the locations of `evaluation/layout.py`: a plane of the board for each kind of piece,
                  "mine" before "theirs" where the picture of the game says whose it is, a plane for each other number
                  of a state, and planes that say whether the player is to move, and which player it is

Start at `observer_of`.
"""

import functools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.env.board_planes import BoardPlanes
from outplay.evaluation.columns import attributes
from outplay.evaluation.layout import Samples, layout_of, sample
from outplay.evaluation.variant import with_rules
from outplay.rules.errors import RulesError, UnsuitableGame
from outplay.rules.game import Game, defines
from outplay.rules.numbered import numbered

Observation = NDArray[np.float32]
POSITIONS = 2000
"""The number of states of random games from which the form of observations is found."""
ONE_HOT = 16
"""Numbers below this have an input for each value; others have one for each bit."""
BITS = 64
MAX_NUMBERS = 4096
"""Information has at most this many numbers."""


class Observer(ABC):
    """Makes observations of a game.

    Attributes:
        game: the game; where `is_native`, with a rule `observe(state, player, out)` that compiles.
        shape: the shape of an observation.
        bounds: the least and the greatest number in one.
        is_native: whether observations can be made in compiled code.
    """

    game: Game
    shape: tuple[int, ...]
    bounds: tuple[float, float]
    is_native: bool

    @abstractmethod
    def write(self, state: Any, player: int, out: Observation) -> None:
        """Write what `player` sees to `out`, which has `shape` and holds zeros."""

    def observe(self, state: Any, player: int) -> Observation:
        """What `player` sees."""
        out = np.zeros(self.shape, np.float32)
        self.write(state, player, out)
        return out


@functools.lru_cache(maxsize=64)
def observer_of(game: Game) -> Observer:
    """The observer of a game, the same for equal games.

    >>> from outplay.games import ConnectFour, KuhnPoker
    >>> observer_of(ConnectFour()).shape, observer_of(KuhnPoker()).shape
    ((4, 6, 7), (64, 1, 1))
    """
    if defines(game, "observation"):
        return OwnObserver(game)
    samples = sample(game, POSITIONS, seconds=float("inf"))
    return (InformationObserver if game.hidden_information else BoardObserver)(game, samples)


class OwnObserver(Observer):
    """Observations that the game defines."""

    is_native, bounds = True, (-np.inf, np.inf)

    def __init__(self, game: Game) -> None:
        first = np.asarray(game.observation(game.initial_state(), 0), np.float32)
        if not first.size:
            raise RulesError(f"{type(game).__name__}.observation: got no numbers")
        self.shape, self.rules = first.shape or (1,), game
        rule = observe_array if first.ndim > 1 else observe_numbers
        self.game = with_rules(numbered(game), observe=rule)

    def write(self, state: Any, player: int, out: Observation) -> None:
        """See `Observer`."""
        numbers = np.asarray(self.rules.observation(state, player), np.float32)
        if numbers.size != out.size:
            raise RulesError(
                f"{type(self.rules).__name__}.observation: got {numbers.size} numbers, and {out.size} in the first"
                " state"
            )
        out[...] = numbers.reshape(out.shape)


def observe_numbers(self: Any, state: Any, player: int, out: Any) -> None:
    """The rule `observe` of games whose own observation is a tuple or an array with one axis."""
    numbers = self.observation(state, player)
    for place in range(len(numbers)):
        out[place] = numbers[place]


def observe_array(self: Any, state: Any, player: int, out: Any) -> None:
    """The rule `observe` of games whose own observation is an array with more axes."""
    numbers = self.observation(state, player).ravel()
    for place in range(len(numbers)):
        out[place] = numbers[place]


class BoardObserver(Observer):
    """Observations of the locations of a state."""

    is_native, bounds = True, (0.0, 1.0)

    def __init__(self, game: Game, samples: Samples) -> None:
        self.planes = BoardPlanes(game, layout_of(game, samples), samples)
        self.shape = self.planes.shape
        self.game = with_rules(numbered(game), observe=self.planes.rule())
        vars(self.game)["observation_table"] = self.planes.table

    def write(self, state: Any, player: int, out: Observation) -> None:
        """See `Observer`."""
        rules: Any = self.game
        rules.observe(state, player, out.reshape(-1))


class InformationObserver(Observer):
    """Observations of what a player knows: inputs for each of the numbers in it, and one that says whether it is there.

    Numbers that are the same in all states of random games have no inputs. Information that grows has room for twice
    as many numbers as in random games; of more, the first are seen.
    """

    is_native = False

    def __init__(self, game: Game, samples: Samples) -> None:
        self.game, states = game, samples.states + samples.ends
        rows = [self._numbers(state, player) for state in states for player in range(game.players)]
        longest = max(map(len, rows))
        columns = [[row[place] for row in rows if place < len(row)] for place in range(longest)]
        forms = [Form.of(column) for column in columns]
        if min(map(len, rows)) < longest:
            forms += [Form.of([number for column in columns for number in column])] * longest
            self.first_optional = min(map(len, rows))
        else:
            self.first_optional = longest
        self.forms = forms
        self.bounds = (-np.inf, np.inf) if any(form.kind == "value" for form in forms) else (0.0, 1.0)
        self.shape = (max(1, sum(form.inputs for form in forms) + len(forms) - self.first_optional), 1, 1)

    def _numbers(self, state: Any, player: int) -> list[float]:
        numbers = list(numbers_in(self.game.information(state, player)))
        if len(numbers) > MAX_NUMBERS:
            raise UnsuitableGame(
                f"{self.game!r}: information has {len(numbers)} numbers, more than {MAX_NUMBERS}: define"
                " observation(state, player)"
            )
        return numbers

    def write(self, state: Any, player: int, out: Observation) -> None:
        """See `Observer`."""
        numbers, flat, start = self._numbers(state, player), out.reshape(-1), 0
        for place, form in enumerate(self.forms):
            is_there = place < len(numbers)
            if is_there:
                form.write(numbers[place], flat[start : start + form.inputs])
            start += form.inputs
            if place >= self.first_optional:
                flat[start] = is_there
                start += 1


class Form(NamedTuple):
    """How a number is shown.

    Attributes:
        kind: "one-hot": an input for each value from 0 on, the last one also for greater ones. "bits": an input for
            each bit. "value": the number itself.
        inputs: the number of inputs.
    """

    kind: str
    inputs: int

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Form":
        """The form for numbers like these.

        >>> Form.of([0, 3, 1]), Form.of([1 << 40, 7]).inputs, Form.of([5, 5]).inputs
        (Form(kind='one-hot', inputs=4), 64, 0)
        """
        if not all(isinstance(number, int) for number in numbers):
            return cls("value", 1)
        least, greatest = min(numbers), max(numbers)
        if least == greatest:
            return cls("one-hot", 0)
        return cls("one-hot", int(greatest) + 1) if least >= 0 and greatest < ONE_HOT else cls("bits", BITS)

    def write(self, number: float, out: Observation) -> None:
        """Write a number to its inputs, which are 0."""
        if self.kind == "value":
            out[0] = number
        elif self.kind == "bits":
            out[:] = [int(number) >> bit & 1 for bit in range(BITS)]
        elif self.inputs:
            out[min(max(int(number), 0), self.inputs - 1)] = 1


def numbers_in(value: Any) -> Iterator[float]:
    """The numbers in what a player knows, in order; a container begins with its length, a letter is its code.

    >>> list(numbers_in((3, (True, "ab"), None)))
    [3, 3, 2, 1, 2, 97, 98, -1]
    """
    if value is None:
        yield -1
    elif isinstance(value, str):
        yield len(value)
        yield from map(ord, value)
    elif isinstance(value, Enum):
        yield from numbers_in(value.value)
    elif isinstance(value, (bool, int, np.integer, np.bool_)):
        yield int(value)
    elif isinstance(value, (float, np.floating)):
        yield float(value)
    else:
        items = list(parts_of(value))
        yield len(items)
        for item in items:
            yield from numbers_in(item)


def parts_of(value: Any) -> Iterable[Any]:
    """What a container or an object consists of, in an order that depends on its content alone."""
    if isinstance(value, np.ndarray):
        return list(value.flat)
    if isinstance(value, (tuple, list)):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, dict):
        return sorted(value.items(), key=repr)
    return [getattr(value, name) for name in attributes(value)]
