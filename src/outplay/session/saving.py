"""The file of an unfinished `Solver`: what it has tried, and the tables of its searches, to go on from later.

    outplay solve 1    and a line feed, 16 bytes
    length             of the header, uint32, little-endian
    header             JSON: `of`, what the file belongs to; `facts` of the solver; `cells`, the size of each table
    tables             int64, little-endian, in the order of the header
    digest             SHA-256 of all before, 32 bytes

A table is copied while its search goes on. An entry that is written only half at that moment looks like the entry of
another state, so each entry in the file is as true as it was in memory (`engine/table.py`, `search/proof_table.py`).
"""

import hashlib
import json
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from outplay import __version__
from outplay.compile.fingerprint import fingerprint_of_game
from outplay.compile.kernels import rules_key
from outplay.engine import table as alpha_beta_table
from outplay.engine.rules_mark import RulesMark
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.keys import state_key
from outplay.search import proof_table
from outplay.search.alpha_beta import AlphaBeta
from outplay.search.proof_number import ProofNumber
from outplay.system.files import check_version, write_file
from outplay.tables.checkpoint import remove_parts

if TYPE_CHECKING:
    from outplay.engine.searcher import Searcher

MAGIC = b"outplay solve 1\n"
DIGEST = 32
CHUNK = 1 << 17
"""The number of cells that are copied at once."""
WHAT = {
    "outplay": "version of outplay", "game": "game", "rules": "rules", "state": "position", "search": "search"
}  # fmt: skip
"""What must be the same, and how a message calls it."""

UNSOUND = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, struct.error)
"""What reading a forged file may raise."""

Table = NDArray[np.int64]


class SavedSolve:
    """The file of one solver and one state.

    Args:
        path: the file.
        first: the search that the solver begins with.
        state: the state to solve.
        previous_states: the earlier states of the game.

    Raises `UnsuitableGame` for a search whose table cannot be saved, and `OutplayError` for one with books, or for
    earlier states where they matter.
    """

    def __init__(
        self, path: str | os.PathLike[str], first: "Searcher", state: Any, previous_states: Sequence[Any]
    ) -> None:
        self.path, self.table_path = Path(path), table_path(path)
        if not is_saved(first) or first._is_textbook():
            raise UnsuitableGame(
                f"{first!r} cannot be saved: only AlphaBeta, MTDf and ProofNumber go on from a file, in games without"
                " chance for one player or two opposed players"
            )
        if first.books:
            raise OutplayError("a search with books cannot be saved: what it has found holds only with these books")
        game = first.game
        if game.repetition and previous_states:
            raise OutplayError(f"a search of {game!r} after moves cannot be saved: values depend on the moves before")
        rules = hashlib.sha256(f"{fingerprint_of_game(game)} {RulesMark(game).sample()}".encode()).hexdigest()
        self.of = {
            "outplay": __version__, "game": repr(game), "rules": rules, "state": f"{state_key(game, state):x}",
            "search": repr(first),
        }  # fmt: skip

    def save(self, facts: dict[str, Any], tables: dict[str, Table]) -> None:
        """Write the file. Raises `OutplayError` if it cannot be written; the old one is then unchanged."""
        header = {"of": self.of, "facts": facts, "cells": {name: len(table) for name, table in tables.items()}}
        write_file(self.path, _with_digest(_content(header, tables)))

    def load(self) -> tuple[dict[str, Any], dict[str, Table]]:
        """The facts and the tables in the file.

        Raises `OutplayError` if it cannot be read, is damaged, or belongs to something else.
        """
        try:
            with open(self.path, "rb") as file:
                start = file.read(len(MAGIC))
                check_version(self.path, start, MAGIC)
                if start != MAGIC:
                    raise OutplayError(f"{self.path} is not a saved search: it does not begin with 'outplay solve 1'")
                if not _is_whole(file):
                    raise OutplayError(f"{self.path} is damaged: its checksum is wrong; delete it, and begin anew")
                file.seek(len(MAGIC))
                header = json.loads(file.read(*struct.unpack("<I", file.read(4))))
                self._check(header["of"])
                cells = np.fromfile(file, "<i8", (self.path.stat().st_size - DIGEST - file.tell()) // 8)
                ends = np.cumsum([0, *header["cells"].values()]).tolist()
                if ends != sorted(ends) or ends[-1] != len(cells):
                    raise ValueError("the tables have other sizes")
                tables = map(np.copy, np.split(cells, ends[1:-1]))
                return header["facts"], dict(zip(header["cells"], tables, strict=bool(header["cells"])))
        except OSError as error:
            raise OutplayError(f"{self.path} cannot be read: {error.strerror or error}") from error
        except OutplayError:
            raise
        except UNSOUND as error:
            raise self.damaged() from error

    def damaged(self) -> OutplayError:
        """The error for a file that says what no solver saves."""
        return OutplayError(f"{self.path} is damaged, although its checksum is right; delete it, and begin anew")

    def _check(self, of: dict[str, str]) -> None:
        """Raise `OutplayError` if a file belongs to something else than this solver and state."""
        for name, subject in WHAT.items():
            if of[name] != self.of[name]:
                difference = f": {of[name]}, not {self.of[name]}" if name in ("outplay", "game", "search") else ""
                raise OutplayError(f"{self.path} is of another {subject}{difference}; delete it, or name another file")


def table_path(path: str | os.PathLike[str]) -> Path:
    """The file of a table of all states that belongs to the file of a solver."""
    return Path(f"{os.fspath(path)}.table")


def parts_path(path: str | os.PathLike[str]) -> Path:
    """The folder in which that table is made."""
    return Path(f"{table_path(path)}.making")


def check_free(path: str | os.PathLike[str]) -> None:
    """Raise `OutplayError` if the files beside a new one exist: they are of something else, and would be removed."""
    for file in (table_path(path), parts_path(path)):
        if os.path.lexists(file):
            raise OutplayError(f"{file} exists, where a table that belongs to {path} would be: name another file")


def remove_saved(path: str | os.PathLike[str]) -> None:
    """Remove the files of a solver, which are of no use when the answer is known."""
    remove_parts(parts_path(path))
    for file in (table_path(path), Path(path)):
        file.unlink(missing_ok=True)


def is_saved(searcher: "Searcher") -> bool:
    """Whether the table of a search can be saved."""
    return isinstance(searcher, (AlphaBeta, ProofNumber))


def restore(searcher: "Searcher", table: Table, searches: int) -> None:
    """Give a search its table back. Its next search counts as the last one, whose entries are not replaced first.

    Raises `ValueError` if no search has such a table.
    """
    assert isinstance(searcher, (AlphaBeta, ProofNumber))
    kind = alpha_beta_table if isinstance(searcher, AlphaBeta) else proof_table
    usable = kind.without_nonsense(table)
    if usable is None:
        raise ValueError("this is no table of the search")
    searcher._table, searcher._searches, searcher._rules = usable, searches - 1, rules_key(searcher._searched())


def _content(header: dict[str, Any], tables: dict[str, Table]) -> Iterator[bytes]:
    """The parts of a file before the digest; each part of a table is copied before it is used."""
    text = json.dumps(header).encode()
    yield MAGIC + struct.pack("<I", len(text)) + text
    for table in tables.values():
        for begin in range(0, len(table), CHUNK):
            yield table[begin : begin + CHUNK].astype("<i8").tobytes()


def _with_digest(parts: Iterator[bytes]) -> Iterator[bytes]:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
        yield part
    yield digest.digest()


def _is_whole(file: BinaryIO) -> bool:
    """Whether the digest at the end of a file is right."""
    digest, left = hashlib.sha256(), file.seek(0, os.SEEK_END) - DIGEST
    file.seek(0)
    while left > 0:
        part = file.read(min(left, 8 * CHUNK))
        digest.update(part)
        left -= len(part)
    return file.read() == digest.digest()
