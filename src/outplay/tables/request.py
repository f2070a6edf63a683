"""What table is to be made, by whom and where; and what cannot be."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outplay.compile.state_cells import cells_of
from outplay.rules.errors import TableError, UnsuitableGame
from outplay.rules.game import Game, defines
from outplay.system.threads import useful_threads
from outplay.tables.checkpoint import CHECKPOINT, remove_parts
from outplay.tables.class_jobs import solve_by_workers
from outplay.tables.class_making import ClassFolder
from outplay.tables.classes import Classes, solve_classes
from outplay.tables.identity import Identity
from outplay.tables.making import Made, Progress, make
from outplay.tables.numbering import CONVERSION, DISTANCES
from outplay.tables.processes import ProcessTeam
from outplay.tables.teams import Team

KEEPS_DISTANCES = "a table by class keeps its distances: leave out distances=False (--values-only)"


class NotWritten(TableError):
    """A table that is made, but whose file cannot be written.

    Attributes:
        table: the table, in memory.
    """

    def __init__(self, message: str, table: Any) -> None:
        super().__init__(message)
        self.table = table


@dataclass(frozen=True)
class Request:
    """What `Tablebase.make` is asked for; `solved` are the classes that need not be solved again."""

    game: Game
    starts: list[Any]
    classes: list[str | int]
    solved: Classes | None
    distance_to: str
    memory_mb: float
    threads: int | None
    workers: int | None
    cluster: str | None
    distances: bool
    progress: Progress | None

    @property
    def has_workers(self) -> bool:
        """Whether processes work on it, instead of threads."""
        return self.cluster is not None or self.workers not in (None, 1)

    @property
    def thread_count(self) -> int:
        """The number of threads of this process."""
        return 1 if self.has_workers else useful_threads(self.threads)

    def check(self, *, has_file: bool) -> None:
        """Raise an error if there cannot be such a table."""
        check_distances(self.distances, by_class=bool(self.classes))
        self._check_distance_to()
        if self.has_workers and self.threads is not None:
            raise TableError(
                f"threads={self.threads}, workers={self.workers}: give one of them; each worker has one thread"
            )
        if self.has_workers and not has_file:
            raise TableError("workers, or a cluster, need a file: they share a folder beside it")

    def _check_distance_to(self) -> None:
        """Raise an error if there cannot be distances of this kind."""
        if self.distance_to not in DISTANCES:
            raise TableError(f"distance_to={self.distance_to!r}: choose {' or '.join(DISTANCES)}")
        if self.distance_to != CONVERSION:
            return
        if not self.classes:
            raise TableError(
                "distances to the next conversion are for tables by class: name classes (classes, --class)"
            )
        if defines(self.game, "index_points"):
            raise UnsuitableGame(
                f"there are no distances to the next conversion for {self.game!r}: with index_points, what is won is"
                " gained on the way"
            )

    def mark(self, identity: Identity) -> str:
        """A hash of what is asked for, which a folder has."""
        if self.classes:
            return identity.mark((self.classes, list(self.solved.about) if self.solved else [], self.distance_to))
        return identity.mark(cells_of(self.game, self.starts))

    def carry_out(self, **folder: Any) -> Made | Classes | None:
        """Make the states and values, or the classes, in memory or in the `folder` (`folder_for`); None if Ctrl-C
        stopped it.
        """
        if self.classes:
            return self._classes(
                ClassFolder(*(folder[name] for name in ("folder", "mark", "disk"))) if folder else None
            )
        team = ProcessTeam(self.workers, self.cluster) if self.has_workers else Team(self.thread_count)
        return make(self.game, self.starts, self.memory_mb, team, self.progress, distances=self.distances, **folder)

    def _classes(self, folder: ClassFolder | None) -> Classes | None:
        """The classes, solved by threads or by workers."""

        def report(states: int, done: int) -> None:
            if self.progress:
                self.progress("solving", done, states)

        args = self.game, self.classes, self.memory_mb, report
        if not self.has_workers:
            return solve_classes(*args, self.thread_count, self.solved, folder, self.distance_to)
        assert folder is not None, "it is in a file"
        return solve_by_workers(*args, self.workers, self.cluster, self.solved, folder, self.distance_to)


def classes_before(solved: Any, classes: list[str | int], distance_to: str) -> Classes | None:
    """The classes of a `Tablebase` from which another one goes on. Raises `TableError` if it cannot."""
    if solved is None:
        return None
    if not classes or solved.classes is None:
        raise TableError(f"solved={solved!r}: it takes a table by class, and classes that are to be solved")
    if solved.distance_to != distance_to:
        kinds = f"distances to the {solved.distance_to}, not to the {distance_to}"
        raise TableError(f"solved={solved!r} has {kinds}: a table has one kind")
    classes_solved: Classes = solved.classes
    return classes_solved


def check_distances(distances: bool, *, by_class: bool) -> None:
    """Raise an error if a table cannot be without distances, or with these."""
    if distances not in (True, False):
        raise TableError(f"distances={distances!r}: choose True or False")
    if by_class and not distances:
        raise TableError(KEEPS_DISTANCES)


def folder_for(file: str | os.PathLike[str], mark: str, disk_mb: float | None, *, resume: bool) -> dict[str, Any]:
    """Where and how a table is made in files. Raises `TableError` if the folder exists already."""
    target = Path(os.path.realpath(file))
    folder = target.with_name(target.name + ".making")
    if folder.is_dir() and not (folder / CHECKPOINT).exists():
        remove_parts(folder)  # it had just begun
    if folder.exists() and not resume:
        raise TableError(
            f"{folder} has a table that is not finished: resume it (resume=True, --resume), or delete the folder"
        )
    free = shutil.disk_usage(target.parent).free
    return {"folder": folder, "disk": free if disk_mb is None else min(free, disk_mb * 1e6), "mark": mark}
