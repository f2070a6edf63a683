"""How one class is solved, and the folder of a table by class that is being made.

checkpoint      what table it is
solved-N        class N, when it is solved, as in a table by class (class_file.py)
first-N         class N, when it is solved a second time for distances to the next conversion
making-C-N      the folder in which class N is being solved (making.py), with distances that count to C
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import OutplayError, TableError
from outplay.rules.game import Game
from outplay.system.files import SAVE_EVERY, write_file
from outplay.system.rows import Rows
from outplay.tables.checkpoint import CHECKPOINT, read_checkpoint, record, remove_parts
from outplay.tables.class_expansion import MAX_LEVELS, TURNED, UNKNOWN
from outplay.tables.class_exploration import ClassExploration
from outplay.tables.class_file import Solved, SolvedClasses, read_classes, write_classes
from outplay.tables.making import Making
from outplay.tables.partitions import HOLE, KIND, PLIES
from outplay.tables.partitions import UNKNOWN as OPEN
from outplay.tables.retrograde import Retrograde
from outplay.tables.teams import Team

VERSION = 4
"""The version of checkpoints."""
SOLVED = "solved-"
"""How the names of files of solved classes begin."""
INDEX_BYTES = 24
"""The memory that an index takes, besides its edges."""
BEGUN = 64
"""A class of which less than one part of so many is expanded has hardly begun."""
SHARE, KNOWN_SHARE, SOLVED_SHARE = 0.7, 0.1, 0.2
"""The parts of the memory for the class that is being solved, for blocks of those that actions lead to, and for classes
that are solved."""


class ClassMaking(Making):
    """The making of one class.

    Args:
        solved: the classes that are solved; `run` raises `Needs` for another one, and goes on when it is there.
        counts: what distances count to, as for `ClassExploration`.
        before_move: called before work goes on in files.
        spare: memory of other classes that may be used again.
        more: as for `Making`.

    Raises `OutplayError` if the class does not fit into memory.
    """

    def __init__(
        self,
        game: Game,
        number: int,
        solved: SolvedClasses,
        counts: int,
        team: Team,
        memory_mb: float,
        before_move: Callable[[], None],
        spare: dict[str, Rows],
        **more: Any,
    ) -> None:
        self.number, self.solved, self.counts, self.before_move = number, solved, counts, before_move
        self.cache_mb = memory_mb * KNOWN_SHARE
        size = int(game.index_count(number)) * INDEX_BYTES / SHARE / 1e6
        if size > memory_mb:
            raise OutplayError(
                f"class {game.class_name(number)} of {game!r}, {int(game.index_count(number)):,} indices, does not fit"
                f" into {memory_mb:g} megabytes; it needs {size:,.0f}: increase memory_mb"
            )
        super().__init__(game, [], team, memory_mb * SHARE * 1e6, **more)
        self.graph.spare = spare

    def new_exploration(self) -> ClassExploration:
        """The first stage."""
        return ClassExploration(self.game, self.number, self.solved, self.cache_mb, self.counts, self.exchange)

    def new_valued(self) -> Retrograde:
        """The last stage. Raises `OutplayError` if there are too many values."""
        retrograde = Retrograde(self.exchange, self.exploration.utilities, draw_utility(self.game), TURNED)
        if len(retrograde.utilities) > MAX_LEVELS:
            name, count = self.exploration.name, len(retrograde.utilities)
            raise OutplayError(f"class {name} of {self.game!r} has {count} values: at most {MAX_LEVELS}")
        return retrograde

    def following(self) -> str | None:
        """The stage after this one, None after the last one."""
        return None if isinstance(self.stage, Retrograde) else "valued"

    def result(self) -> Solved:
        """The class, once all is done."""
        valued, bits, count = self.stages["valued"], self.exploration.bits, self.exploration.count
        levels, plies = np.empty(count, np.uint8), np.empty(count, np.uint16)
        for number, start in enumerate(range(0, count, 1 << bits)):
            own_states = slice(start, start + (1 << bits))
            words = self.graph["found"][number, : len(levels[own_states])]
            is_open = words & OPEN == OPEN
            levels[own_states] = np.where(is_open, np.where(words >> KIND == HOLE, UNKNOWN, valued.draw), words & OPEN)
            plies[own_states] = np.where(is_open, 0, words >> PLIES)
        self.give_back()
        return Solved(self.number, tuple(valued.utilities.tolist()), levels, plies)

    def give_back(self) -> None:
        """Let other classes use the memory, if it is little."""
        if self.graph.is_small:
            self.graph.drop(*list(self.graph.rows))
            self.exchange.give_back()

    def wait(self) -> None:
        """Wait for another class. What has hardly begun begins anew after that, and gives its memory back."""
        if BEGUN * self.graph.expanded < self.graph.states and self.graph.is_small:
            self.give_back()
            self.graph.counts[:] = 0
            self.enter("exploration")

    def move(self) -> None:
        """Go on in files."""
        self.before_move()
        super().move()


class ClassFolder:
    """The folder of a table by class that is being made. It is made when something is written there.

    Args:
        path: if it exists, the work goes on with what is there.
        mark: tells this game and these classes from others.
        disk: the maximum space there, in bytes.
        save_every: the seconds between checkpoints.

    Raises `TableError` if the folder is of another table.
    """

    def __init__(self, path: Path, mark: str, disk: float, save_every: float = SAVE_EVERY) -> None:
        self.path, self.mark, self.disk, self.save_every = path, mark, disk, save_every
        self.saved_at = time.monotonic()
        self.in_files = set[int]()
        """The solved classes that are in files, here or elsewhere."""
        self._facts = {"version": VERSION, "by": "class", "mark": mark}
        if (path / CHECKPOINT).exists() and read_checkpoint(path)[0] != self._facts:
            raise TableError(
                f"{path} is of another table: of another game, rules, classes, classes solved before or version"
                " of outplay; delete it, or name another file"
            )

    def __reduce__(self) -> Any:
        return ClassFolder, (self.path.absolute(), self.mark, self.disk, self.save_every)

    def is_due(self) -> bool:
        """Whether solved classes have to be written: from the first time on, always."""
        return self.path.exists() or time.monotonic() - self.saved_at > self.save_every

    def solved_numbers(self) -> set[int]:
        """The classes whose files are there."""
        names = (path.name.removeprefix(SOLVED) for path in self.path.glob(f"{SOLVED}*"))
        return {int(name) for name in names if name.isdecimal()}  # others are being written

    def restore(self, solved: SolvedClasses, facts: dict[int, dict[str, Any]]) -> None:
        """Add the classes that are in files to those that are solved."""
        for number in self.solved_numbers() - facts.keys():
            facts |= self._read(f"{SOLVED}{number}", solved)
            self.in_files.add(number)

    def restore_first(self, solved: SolvedClasses, number: int) -> None:
        """Add a class that is to be solved a second time, if the first time is over."""
        if (self.path / f"first-{number}").exists():
            self._read(f"first-{number}", solved)

    def _read(self, name: str, solved: SolvedClasses) -> dict[int, dict[str, Any]]:
        _, solved_before, facts = read_classes(self.path / name)
        solved.include(solved_before)
        return facts

    def save(self, solved: SolvedClasses, facts: dict[int, dict[str, Any]]) -> None:
        """Write what is solved. Raises `TableError` if a file cannot be written."""
        if not (self.path / CHECKPOINT).exists():
            self.path.mkdir(exist_ok=True)
            write_file(self.path / CHECKPOINT, record(self._facts), TableError)
        for number in facts.keys() - self.in_files:
            write_classes(self.path / f"{SOLVED}{number}", {}, solved, {number: facts[number]})
            self.in_files.add(number)
            (self.path / f"first-{number}").unlink(missing_ok=True)
            self._remove(number)

    def save_first(self, solved: SolvedClasses, number: int) -> None:
        """Write the values of a class that is to be solved a second time, if anything of it is there."""
        if self.is_due():
            self.save(solved, {})
            write_classes(
                self.path / f"first-{number}", {}, solved, {number: solved.stored(number).about | {"number": number}}
            )
            self._remove(number)

    def _remove(self, number: int) -> None:
        """Remove the folders in which a class was solved."""
        for path in self.path.glob(f"making-*-{number}"):
            remove_parts(path)

    def for_class(self, number: int, counts: int) -> dict[str, Any]:
        """Where a class is made, as arguments of `ClassMaking`."""
        path = self.path / f"making-{counts}-{number}"
        if path.exists() and not (path / CHECKPOINT).exists():
            remove_parts(path)  # it had just begun
        return {"folder": path, "disk": self.disk, "mark": self.mark, "save_every": self.save_every}
