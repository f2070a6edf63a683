"""Backtracking: the solutions of n queens, counted by `Backtracking` and by the classic counter in C (`queens.c`).

The C file is compiled by `cc -O2` outside the repository and called in this process; if there is no compiler, the row
says so. Both place the queens row by row with sets of bits. Outplay counts the queens of the last row without placing
them. It can also halve the work by symmetry, which the second row shows.
"""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.common import Bar, Peer, Plan, Row, compare, measure, same
from outplay import Backtracking
from outplay.backtracking.problems import Queens

SOURCE = Path(__file__).with_suffix(".c")
COMPILERS = ("gcc", "cc", "clang")
BARS = (Bar("ratio", "≥", 1 / 1.5),)
LARGE, SMALL = 14, 10


class Counter(Peer):
    """The counter in C."""

    name = "plain C, cc -O2"

    def __init__(self) -> None:
        compiler = found_compiler()
        if compiler is None:
            raise ImportError("no C compiler")
        self.folder = tempfile.TemporaryDirectory()
        library = Path(self.folder.name) / "queens.so"
        command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
        subprocess.run(command, check=True, capture_output=True)
        self.queens = ctypes.CDLL(str(library)).queens
        self.queens.restype = ctypes.c_long

    def count(self, n: int) -> int:
        """The number of solutions of n queens."""
        return int(self.queens(n))


def found_compiler() -> str | None:
    """A C compiler, if there is one."""
    return next(filter(None, map(shutil.which, COMPILERS)), None)


def rows(plan: Plan) -> Iterator[Row]:
    """All solutions one by one, then only those that are not mirror images of others."""
    n = SMALL if plan.quick else LARGE
    for symmetry, bars in (False, BARS), (True, ()):
        search = Backtracking(Queens(n), symmetry=symmetry)
        search.count()  # compiles
        what = f"queens({n}), {'each for its mirror image too' if symmetry else 'every board'}"
        row = Row(what=what, unit="s", bars=bars)
        if found_compiler() is None:
            own_row, count = measure(plan, row, lambda: search.count().count)  # noqa: B023
            note = f"{count:,} boards; no C compiler here ({', '.join(COMPILERS)}) to compare with"
            yield replace(own_row, peer=Counter.name, note=note)
            continue
        yield compare(
            plan, row, lambda: search.count().count, Counter, lambda peer: peer.count(n),  # noqa: B023
            lambda ours, theirs: same(ours, theirs, f"{ours:,} boards"),
        )  # fmt: skip
