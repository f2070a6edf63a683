"""Checkpoints of a table by class that is being made, in files of a folder.

    checkpoint      what table it is
    solved-N        class N, when it is solved, as in a table by class (class_file.py)
    parts-N         class N: the parts of its indices that are expanded so far
    edges-N         class N, when all are: the predecessors of each index
    values-N        how far the values of class N have come back from the ends
    first-N         the values of class N, when it is solved a second time for distances to the next conversion;
                    its other files are then called parts_again-N, …

The last four have records, each of some facts and arrays with checksums. Parts are added at the end of their file;
what is there of one that was not written whole is cut off. The other files are written whole.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import TableError
from outplay.system.files import SAVE_EVERY, write_file
from outplay.tables.checkpoint import CHECKPOINT, read_checkpoint, read_record, record
from outplay.tables.class_edges import numbers_in_file
from outplay.tables.class_expansion import TO_STAGE
from outplay.tables.class_file import SolvedClasses, read_classes, write_classes
from outplay.tables.dense import PART, DenseSolver, Found, Solved, Valuing

VERSION = 3
"""The version of checkpoints."""
SOLVED = "solved-"
"""How the names of files of solved classes begin."""
PLACES = ("head", "tail", "out", "gain", "away")
"""Where `propagate` is."""


class ClassMaking:
    """The folder of a table by class that is being made. It is made at the first checkpoint.

    Args:
        folder: if it exists, the work goes on from its checkpoint.
        mark: tells this game and these classes from others.
        save_every: the seconds between checkpoints.

    Raises `TableError` if the folder is of another table.
    """

    def __init__(self, folder: Path, mark: str, save_every: float = SAVE_EVERY) -> None:
        self.folder, self.save_every, self.saved_at = folder, save_every, time.monotonic()
        self.kept = set[int]()
        """The solved classes that are in files."""
        self._parts: dict[Path, set[int]] = {}
        self._facts = {"version": VERSION, "by": "class", "mark": mark}
        if folder.exists() and read_checkpoint(folder)[0] != self._facts:
            raise TableError(
                f"{folder} is of another table: of another game, rules, classes, classes solved before or version"
                " of outplay; delete it, or name another file"
            )

    def is_due(self) -> bool:
        """Whether it is time for the next checkpoint."""
        return time.monotonic() - self.saved_at > self.save_every

    def __reduce__(self) -> Any:
        return ClassMaking, (self.folder.absolute(), self._facts["mark"], self.save_every)

    def solved_numbers(self) -> set[int]:
        """The classes whose files are there."""
        names = (path.name.removeprefix(SOLVED) for path in self.folder.glob(f"{SOLVED}*"))
        return {int(name) for name in names if name.isdecimal()}  # others are being written

    def restore_classes(self, solved: SolvedClasses, about: dict[int, dict[str, Any]]) -> None:
        """Add the classes that are in files to those that are solved."""
        for number in self.solved_numbers() - about.keys():
            _, found, said = read_classes(self._path("solved", number))
            solved.include(found)
            about |= said
            self.kept.add(number)

    def save(self, solved: SolvedClasses, about: dict[int, dict[str, Any]], solvers: list[DenseSolver]) -> None:
        """Write a checkpoint. Raises `TableError` if a file cannot be written."""
        new = {number: each for number, each in about.items() if number not in self.kept}
        try:
            if not self.folder.exists():
                self.folder.mkdir()
                write_file(self.folder / CHECKPOINT, record(self._facts), TableError)
            for number, each in new.items():
                write_classes(self._path("solved", number), {}, solved, {number: each})
                self.kept.add(number)
                self._forget(number, "_again")
                self._path("first", number).unlink(missing_ok=True)
                self._forget(number)
            for solver in solvers:
                if solver.counts == TO_STAGE and not (first := self._path("first", solver.number)).exists():
                    values = solved[solver.number]
                    write_file(first, record({"utilities": values.utilities}, values.levels), TableError)
                    self._forget(solver.number)
                self._save_solver(solver)
        except OSError as error:
            raise TableError(
                f"{self.folder} cannot be written: {error.strerror or error}; when that is mended, resume (resume=True,"
                " --resume)"
            ) from error
        self.saved_at = time.monotonic()

    def _path(self, name: str, number: int) -> Path:
        return self.folder / f"{name}-{number}"

    def _forget(self, number: int, mark: str = "") -> None:
        """Remove the files of a class that is solved."""
        for name in ("values", "edges", "parts"):  # values mean nothing without edges
            self._path(name + mark, number).unlink(missing_ok=True)

    def _paths(self, solver: DenseSolver) -> list[Path]:
        """The files of a class that is being solved: parts, edges, values."""
        mark = "_again" if solver.counts == TO_STAGE else ""
        return [self._path(name + mark, solver.number) for name in ("parts", "edges", "values")]

    def _save_solver(self, solver: DenseSolver) -> None:
        """Write what is done of a class."""
        parts, edges, values = self._paths(solver)
        found = solver.found.as_dict()
        valuing, memory = solver.valuing, solver.workers[0].memory
        if valuing is None:
            written = self._parts.setdefault(parts, set())
            with open(parts, "ab") as file:
                for part in sorted(solver.edges.done - written):
                    here = slice(part * PART, (part + 1) * PART)
                    arrays = solver.open[here], solver.levels[here], solver.plies[here], solver.edges.of(part)
                    file.writelines(record({"part": part, "found": found}, *arrays))
                    written.add(part)
                file.flush()
                os.fsync(file.fileno())
        elif not memory.why:  # Ctrl-C may end it anywhere
            if not edges.exists():
                content = *record({}, valuing.first), *record({}, valuing.sources)
                write_file(edges, content, TableError)
            places = {name: int(memory[name]) for name in PLACES}
            queue, exits = valuing.queue[memory.head : memory.tail], valuing.exits[memory.out :]
            facts = places | {"utilities": valuing.utilities, "found": found}
            write_file(values, record(facts, solver.open, valuing.levels, solver.plies, queue, exits), TableError)
            parts.unlink(missing_ok=True)

    def restore_values(self, number: int) -> Solved | None:
        """The values of a class that is solved a second time, without distances; None if it is not."""
        with contextlib.suppress(FileNotFoundError), open(self._path("first", number), "rb") as file:
            if (known := read_record(file)) is None:
                raise TableError(f"{self.folder} is damaged in class {number}: delete it, and begin anew")
            facts, (levels,) = known
            return Solved(number, tuple(facts["utilities"]), levels, np.zeros(len(levels), np.uint16))
        return None

    def restore_solver(self, solver: DenseSolver) -> None:
        """Go on with a class where its files end."""
        parts = self._paths(solver)[0]
        with contextlib.suppress(FileNotFoundError):
            if self._restore_values(solver):
                return
        with contextlib.suppress(FileNotFoundError), open(parts, "r+b") as file:
            end, written = 0, self._parts.setdefault(parts, set())
            while (found := read_record(file)) is not None:
                facts, (opened, levels, plies, targets) = found
                part, end = facts["part"], file.tell()
                here = slice(part * PART, (part + 1) * PART)
                solver.open[here], solver.levels[here], solver.plies[here] = opened, levels, plies
                solver.found = Found.of(facts["found"])  # each part adds some to those before
                solver.add(part, targets)
                written.add(part)
            file.truncate(end)

    def _restore_values(self, solver: DenseSolver) -> bool:
        """Go on with the values of a class; whether there are any. Raises `FileNotFoundError`."""
        _, edges, values_file = self._paths(solver)
        with open(values_file, "rb") as file:
            values = read_record(file)
        with open(edges, "rb") as file:
            most = solver.edges.most
            first = read_record(file)
            sources = read_record(file, lambda count, kind: _room(count, kind, most))
        if values is None or first is None or sources is None:
            raise TableError(f"{self.folder} is damaged in class {solver.name}: delete it, and begin anew")
        places, (solver.open, levels, solver.plies, queue, exits) = values
        utilities, memory = tuple(places.pop("utilities")), solver.workers[0].memory
        solver.found = Found.of(places.pop("found"))
        places["tail"] -= places["head"]
        places["head"] = places["out"] = 0
        for name, place in places.items():
            memory[name] = place
        memory.paused = 1
        room = np.empty(solver.count, np.uint32)
        room[: len(queue)] = queue
        solver.valuing = Valuing(utilities, levels, exits, first[1][0], sources[1][0], room)
        solver.edges.missing, solver.done = set(), solver.count
        return True


def _room(count: int, kind: str, most: int) -> NDArray[Any]:
    return np.empty(count, kind) if count <= most else numbers_in_file(count)
