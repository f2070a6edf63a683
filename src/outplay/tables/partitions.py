"""The states of a table in partitions, with edges, in memory or in files; what is too much for either is refused.

A state belongs to one of `PARTITIONS` partitions, by a hash of its cells, and has a number there. An edge is kept where
it leads to, with the state that it comes from: in that order retrograde analysis needs it. A kernel works on one
partition at a time; what it finds out about states of others it sends there, as messages, which that partition receives
later, all at once. So no two threads write to one partition, and one that nobody works on need not be in memory.

Everything is only ever added to: whatever is beyond the counts of a checkpoint has not happened.
"""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.rules.errors import OutplayError
from outplay.system.rows import Rows
from outplay.tables.sizes import MAX_DEGREE

PARTITIONS = 256
"""The number of partitions."""
NUMBER_BITS = 24
"""A state of all partitions is one number: that in its partition has these bits, the partition those above."""
MAX_ROOM = (1 << NUMBER_BITS) - 1
"""The maximum number of states of a partition."""
SLACK = 1.5
"""Partitions are not of the same size: the largest has room for this many times the mean."""
SPARE_DISK = 256e6
"""The space on a disk that is left free, in bytes."""
SMALL_SHARE = 1 / 8
"""Up to this share of the memory, a graph keeps it for the next one."""
EDGE_SLACK = 4
"""The same for edges to a partition."""
LEAST_ROOM = 1 << 13
"""The least room of a row, in numbers."""
STATES, EXPANDED, EDGES, PLACES, QUEUED, CHANCES, EXITS = range(7)
"""What is counted in a partition: states, those of them that are expanded, edges that lead to it, places of the hash
table, states in the queue of retrograde analysis, edges from it, in games with chance, and ways out of a class."""
END, MAX, MIN, HOLE, DICE = 0, 1, 2, 3, 63
"""The kinds of states: the game is over, or the player to move is player 0 or on their side, or not, or it is chance.
With several sides, the kind is 1 + the side of the player to move. By class, `index_player` stands for player 0, and an
index without a state is a hole."""
UNKNOWN = 0xFFFF
"""The level of a state that is not solved."""
LINE = 4
"""How many numbers behind a message the memory is fetched for a later one: half a line of the cache."""


class Column(NamedTuple):
    """Numbers of each partition."""

    kind: type
    counter: int
    """What a partition has so many of: this many numbers are in its row, times `width`, plus `extra`."""
    width: int = 1
    extra: int = 0
    is_saved: bool = True
    """Whether a checkpoint has it."""
    changes: bool = False
    """Whether numbers change, so that a checkpoint needs a copy; else numbers are only added."""


COLUMNS = {
    "found": Column(np.int64, EXPANDED),  # what is found out about a state, see below
    "targets": Column(np.uint32, EDGES),  # of each edge, the number of the state it leads to, within the partition,
    "sources": Column(np.uint32, EDGES),  # and the state of all partitions that it comes from
}
"""The columns while states are found."""
PLIES, LEFT, DEGREE, KIND = 16, 32, 45, 58
"""What is found out about a state is one number, since it is needed at the same time. The lowest 16 bits are the level:
the number of the utility, or UNKNOWN. From these bits on follow the plies, the number of successors whose value is not
known (13 bits), the number of all successors (13 bits) and the kind (6 bits)."""
DEGREE_MASK, KIND_MASK = (1 << DEGREE - LEFT) - 1, 63


class Partitions:
    """States and edges, in columns with a row for each partition.

    Args:
        words: the words of a code.
        memory: the maximum memory for it, in bytes.
        disk: with a folder, the maximum space there, in bytes.
        folder: where the files are; None for memory.

    Attributes:
        counts: of each partition, the numbers of what it has; shape (7, PARTITIONS).
    """

    def __init__(self, words: int, memory: float, disk: float = 0, folder: Path | None = None) -> None:
        self.memory, self.disk, self.folder = memory, disk, folder
        self.words, self.counts = words, np.zeros((7, PARTITIONS), np.int64)
        self.columns: dict[str, Column] = {}
        self.rows: dict[str, Rows] = {}
        self.serial = 0
        """The number of files so far: a new one never has the name of an old one."""
        self.bytes_in_memory = np.zeros(PARTITIONS, np.int64)
        """The bytes of partitions in files that stay in memory."""
        self.saved_names: list[str] = []
        """The files that the last checkpoint needs."""
        self.mail_bytes = 0
        """The memory that messages take."""
        self.spare: dict[str, Rows] | None = None
        """Memory of earlier partitions that may be used again, by what it was for."""

    def begin(self, new_columns: dict[str, Column]) -> None:
        """Add the columns for finding states, and some more."""
        for name, column in {**COLUMNS, **new_columns}.items():
            self.add(name, column)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column: a matrix with a row for each partition."""
        return self.rows[name].numbers

    def room(self, column: Column) -> int:
        """The numbers that a row of a column has room for."""
        total = self.disk if self.folder else self.memory
        if column.counter in (EDGES, CHANCES):  # many edges may lead to a few states
            return int(EDGE_SLACK * total / PARTITIONS / 8) + LEAST_ROOM
        states = min(MAX_ROOM, int(SLACK * total / PARTITIONS / (8 * self.words + 5)) + LEAST_ROOM)
        if column.counter == PLACES:
            return 1 << (8 * states).bit_length()
        return states * column.width

    def add(self, name: str, column: Column, least_room: int = 0) -> None:
        """Add a column, of zeros if its memory is new."""
        room = max(self.room(column), least_room)
        self.columns[name] = column
        spare_rows = self.spare.pop(name, None) if self.spare and self.folder is None else None
        if spare_rows is not None and spare_rows.room == room:
            self.rows[name] = spare_rows
        else:
            self.rows[name] = Rows(column.kind, PARTITIONS, room, self.new_path(name))

    def new_path(self, name: str) -> Path | None:
        """A path for a new file; None if there is no folder."""
        self.serial += 1
        if self.folder is None:
            return None
        path = self.folder / f"{name}-{self.serial}"
        path.unlink(missing_ok=True)  # a process that was killed may have left one
        return path

    def drop(self, *names: str) -> None:
        """Remove columns. Their files remain until `clean`."""
        for name in names:
            rows = self.rows.pop(name)
            del self.columns[name]
            if self.is_small:
                self.give_back(name, rows)

    @property
    def is_small(self) -> bool:
        """Whether memory is kept for later: it is little, and others want it."""
        return self.spare is not None and self.folder is None and self.nbytes < SMALL_SHARE * self.memory

    def give_back(self, name: str, rows: Rows) -> None:
        """Keep memory for later."""
        if self.spare is not None:
            self.spare[name] = rows

    def used(self, name: str) -> NDArray[np.int64]:
        """How many numbers each row of a column has."""
        column = self.columns[name]
        used: NDArray[np.int64] = self.counts[column.counter] * column.width + column.extra
        return used

    def used_in(self, partition: int) -> Iterator[tuple[Rows, int]]:
        """Each column, with how many numbers it has in a partition."""
        for name, rows in self.rows.items():
            column = self.columns[name]
            yield rows, int(self.counts[column.counter, partition]) * column.width + column.extra

    def codes(self) -> NDArray[np.int64]:
        """The codes of all states, partition by partition, shape (states, words)."""
        counts, words = self.counts[STATES].tolist(), self.words
        return np.concatenate([self["codes"][part, : count * words] for part, count in enumerate(counts)]).reshape(
            -1, words
        )

    @property
    def states(self) -> int:
        """The number of states."""
        return int(self.counts[STATES].sum())

    @property
    def expanded(self) -> int:
        """The number of states that are expanded."""
        return int(self.counts[EXPANDED].sum())

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The bytes of all columns, of each partition."""
        bytes_each, extra_bytes = np.zeros(len(self.counts), np.int64), 0
        for name, rows in self.rows.items():
            column = self.columns[name]
            bytes_each[column.counter] += column.width * rows.kind.itemsize
            extra_bytes += column.extra * rows.kind.itemsize
        sizes: NDArray[np.int64] = bytes_each @ self.counts + extra_bytes
        return sizes

    @property
    def nbytes(self) -> int:
        """The bytes of all columns and messages."""
        return int(self.sizes.sum()) + self.mail_bytes

    @property
    def nbytes_soon(self) -> int:
        """The same if all hash tables, which are alike, become twice as large."""
        places = self.rows.get("places")
        return self.nbytes + (int(self.used("places").sum()) * places.kind.itemsize if places else 0)

    @property
    def is_split(self) -> bool:
        """Whether there are files, so that one partition after the other is worked on."""
        return self.folder is not None

    def open(self, span: range) -> None:
        """Before work on some partitions in files: see whether the disk has space, and read ahead what is not in
        memory.
        """
        part = slice(span.start, span.stop, span.step)
        self.check_disk(int(self.sizes[part].sum()))
        for number in np.arange(PARTITIONS)[part][self.bytes_in_memory[part] == 0].tolist():
            for rows, count in self.used_in(number):
                rows.fetch(number, count)

    def close(self, span: range, most: float) -> None:
        """After that, take them out of memory, if more than `most` bytes of all partitions would stay there."""
        part = slice(span.start, span.stop, span.step)
        sizes, self.bytes_in_memory[part] = self.sizes[part], 0
        fits = self.bytes_in_memory.sum() + np.cumsum(sizes) < most
        self.bytes_in_memory[part] = sizes * fits
        for number in np.arange(PARTITIONS)[part][~fits].tolist():
            for rows, count in self.used_in(number):
                rows.evict(number, count)

    def move(self, folder: Path, disk: float) -> None:
        """Move all columns to files."""
        self.folder, self.disk = folder, disk
        for name in self.rows:
            self.rows[name] = self.copy_of(name)

    def saved(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a checkpoint needs, as JSON and as arrays."""
        columns = {
            name: [np.dtype(column.kind).str, *column[1:], self.rows[name].room, self.rows[name].name]
            for name, column in self.columns.items()
        }
        return {"words": self.words, "serial": self.serial, "columns": columns}, {"counts": self.counts}

    def needed(self) -> list[Rows]:
        """What a checkpoint needs of the files."""
        return [rows for name, rows in self.rows.items() if self.columns[name].is_saved and self.used(name).any()]

    def restore(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Use what was saved; files that are in use already stay."""
        assert self.folder is not None, "it is in files"
        self.words, self.serial, self.counts = facts["words"], facts["serial"], arrays["counts"]
        before, self.rows, self.columns = self.rows, {}, {}
        for name, (kind, *shape, room, file) in facts["columns"].items():
            self.columns[name] = column = Column(np.dtype(kind).type, *shape)
            rows = before.get(name)
            if rows is None or rows.name != file:
                rows = Rows(column.kind, PARTITIONS, room, self.folder / file)
            self.rows[name] = rows

    def leave_checkpoint(self) -> None:
        """Go on in copies of what changes: the files of the checkpoint stay as they are."""
        for name, column in self.columns.items():
            if column.changes:
                self.rows[name] = self.copy_of(name)

    def forget_places(self) -> None:
        """Have all hash tables, which a checkpoint does not keep, made anew."""
        self.counts[PLACES] = 0
        for name, column in tuple(self.columns.items()):
            if not column.is_saved:
                self.add(name, column)

    def copy_of(self, name: str) -> Rows:
        """A copy of a column in a new file."""
        path = self.new_path(name)
        assert path is not None, "it needs a folder"
        return self.rows[name].copied_to(path, self.used(name).tolist(), self.room(self.columns[name]))

    def has_room(self, added: NDArray[np.int64]) -> bool:
        """Whether each partition has room for this many more states and edges."""
        states, edges = (int((self.counts[counter] + added).max()) for counter in (STATES, EDGES))
        chances = self.rows.get("chances")
        return (
            states <= self.rows["found"].room
            and edges <= self.rows["sources"].room
            and (chances is None or int(self.counts[CHANCES].max()) + MAX_DEGREE <= chances.room)
        )

    def check_disk(self, size: int = 0) -> None:
        """Raise `OutplayError` unless the disk has space for work on this many bytes: a full disk would end the
        process.
        """
        if self.folder is None:
            return
        if shutil.disk_usage(self.folder).free < SPARE_DISK + 4 * size or self.nbytes > self.disk:
            raise self.too_many()

    def too_many(self) -> OutplayError:
        """An error that says that memory, or the disk, does not suffice."""
        limit = (
            f"{self.disk / 1e6:,.0f} megabytes of {self.folder}"
            if self.folder
            else f"{self.memory / 1e6:,.0f} megabytes"
        )
        remedy = "disk_mb, or free some space" if self.folder else "memory_mb, or give a file, so that the disk is used"
        return OutplayError(
            f"there are more states than fit into {limit}: {self.states:,} so far, of which {self.expanded:,} are"
            f" expanded; increase {remedy}"
        )


class Mail:
    """Messages to each partition, from several senders.

    Args:
        width: the numbers of a message.
        senders: the number of threads.
        room: the messages from one sender to one partition that there is room for.
        path: the file; by default they are in memory.
        rows: the same file, if it is in use already.
    """

    def __init__(self, width: int, senders: int, room: int, path: Path | None = None, rows: Rows | None = None) -> None:
        self.width, self.senders, self.room = width, senders, room
        self.is_saved = False
        """Whether a checkpoint needs these messages: then no others may replace them."""
        self.counts = np.zeros((senders, PARTITIONS), np.int64)
        self.rows = rows or Rows(np.int64, senders * PARTITIONS, room * width, path)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The messages, a row for each sender and partition."""
        return self.rows.numbers

    def from_sender(self, sender: int) -> NDArray[np.int64]:
        """The messages of one sender, a row for each partition."""
        return self.rows.numbers[sender * PARTITIONS : (sender + 1) * PARTITIONS]

    @property
    def nbytes(self) -> int:
        """The bytes of all messages."""
        return int(self.counts.sum()) * self.width * 8

    def nbytes_from(self, sender: int) -> int:
        """The bytes of the messages of one sender."""
        return int(self.counts[sender].sum()) * self.width * 8

    def evict(self, partitions: range, senders: Iterable[int] = ()) -> None:
        """Take the messages to some partitions, from some senders or all of them, out of memory."""
        for sender in senders or range(self.senders):
            for partition in partitions:
                count = int(self.counts[sender, partition]) * self.width
                self.rows.evict(sender * PARTITIONS + partition, count)
