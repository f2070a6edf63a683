"""What a table says of a state; and the states of a table with codes."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from outplay.compile.state_cells import cells_of
from outplay.rules.constant_sum import draw_utility, is_opposed
from outplay.rules.game import Game, defines
from outplay.tables.codec import Codec, signed, state_at
from outplay.tables.file import States, TableFile
from outplay.tables.numbering import Numbering
from outplay.tables.stats import TableStats, stats_of, stats_of_values


class Known(NamedTuple):
    """What a table says of a state."""

    value: float
    """The utility of the player to move; at the end of the game, and where chance is to move, that of player 0."""
    plies: int | None
    """The plies to the end of the game, or to the next conversion (`Tablebase.distance_to`); None in a draw, which may
    go on for ever, in games with chance, and in a table without distances."""


class Entry(NamedTuple):
    """A state of a table."""

    state: Any
    player: int
    """The player to move; at the end of the game, and where chance is to move, -1."""
    value: float | tuple[float, ...]
    """The utility of player 0; in a game of more than two sides, or whose interests are not opposed, that of each
    side."""
    plies: int | None
    """The plies to the end of the game, or to the next conversion (`Tablebase.distance_to`); None in a draw that is not
    over, in games with chance, and in a table without distances."""


class CodedStates(Numbering):
    """States by their codes, in memory or in a file."""

    coded: States | TableFile

    def __init__(self, game: Game, codec: Codec, utilities: tuple[Any, ...], coded: States | TableFile) -> None:
        self.game, self.codec, self.utilities, self.coded = game, codec, utilities, coded
        self.file = coded if isinstance(coded, TableFile) else None
        self.distances = self.file is None or self.file.distances

    def __len__(self) -> int:
        return len(self.coded.codes if isinstance(self.coded, States) else self.coded)

    def find(self, state: Any) -> tuple[Any, int] | None:
        """The value of the least image of a state, and the plies."""
        code = code_of(self.game, self.codec, state)
        entry = None if code is None else self.coded.find(code)
        return None if entry is None else (self._value(entry[0]), entry[1])

    def entries(self) -> Iterator[tuple[Any, Any, int]]:
        """Each state, in the order of the codes."""
        codec = self.codec.record()
        for part in self._parts():
            codes = np.ascontiguousarray(part.codes).reshape(-1)
            for i, (level, plies) in enumerate(zip(part.levels.tolist(), part.plies.tolist(), strict=True)):
                yield state_at(self.game, codec, codes, i), self._value(level), plies

    def stats(self) -> TableStats:
        """The states in numbers; of a file without distances, its header has them."""
        if self.file is not None and not self.distances:
            return stats_of_values(self.file.header)
        return stats_of(self.utilities, draw_utility(self.game), self._parts())

    def _parts(self) -> Iterable[States]:
        return [self.coded] if isinstance(self.coded, States) else self.coded.blocks()

    def _value(self, level: float) -> Any:
        """The value that a level stands for."""
        return level if self.game.has_chance else self.utilities[int(level)]


def code_of(game: Game, codec: Codec, state: Any) -> tuple[int, ...] | None:
    """The least code of a state and its images; None if they cannot be in the table.

    Raises `RulesError` if it is not a state of the game.
    """
    try:
        cells = cells_of(game, (state, *images_of(game, state)))
    except Exception:
        cells_of(game, [state])  # if it is not a state at all, this says so
        raise
    code = codec.encode(min(cells, key=lambda image: (len(image), image)))
    return None if code is None else signed(code)


def images_of(game: Game, state: Any) -> Iterable[Any]:
    """The images of a state, which a table by max^n does not merge."""
    return game.symmetries(state) if defines(game, "symmetries") and is_opposed(game) else (state,)
