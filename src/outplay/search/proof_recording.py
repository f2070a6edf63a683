"""The expansions of proof-number search, as a recording.

Reading order: `expansions.py` (`Expansion`, one record), `Expansions` (all records), `proof_tree.py` (the tree as text
and as a picture). `proof_recording_kernels.py` records the numbers.
"""

from collections.abc import Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, Self

from outplay.compile.records import Record
from outplay.engine.recording import GrowingTree
from outplay.engine.trace_file import plain_state, state_of
from outplay.rules.game import Game
from outplay.search.expansions import Child, Expansion, Node, Reader
from outplay.search.proof_recording_kernels import ROW, SEEN
from outplay.search.proof_tree import ProofTree

Columns = dict[str, list[int]]


class Expansions(GrowingTree):
    """The expansions of a search of `state`.

    `rows` has the columns of the records, `seen` those of their children.
    """

    unit = "expansions"

    def __init__(self, game: Game, state: Any, method: str, rows: Columns, seen: Columns, dropped: int) -> None:
        self.game, self.state, self.method, self.dropped = game, state, method, dropped
        self._rows, self._seen = rows, seen
        self._read: list[Expansion] = []

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self.game, self.state)

    @classmethod
    def in_memory(cls, game: Game, state: Any, memory: Record, method: str) -> Self:
        """The expansions that `memory` holds after a search."""
        rows_kept = min(int(memory.recorded), int(memory.max_records))
        rows = {name: getattr(memory.records, name)[:rows_kept].tolist() for name in ROW}
        end = rows["end"][-1] if rows_kept else 0
        table_reads = {name: getattr(memory.seen, name)[:end].tolist() for name in SEEN}
        return cls(game, state, method, rows, table_reads, int(memory.recorded) - rows_kept)

    @classmethod
    def in_file(cls, game: Game, content: dict[str, Any]) -> Self:
        """The expansions in a file, with what `numbers` has written."""
        numbers = content["numbers"]
        rows, table_reads = ({name: list(map(int, numbers[name])) for name in names} for names in (ROW, SEEN_IN_FILE))
        table_reads = dict(zip(SEEN, table_reads.values(), strict=True))
        if len({len(column) for column in rows.values()}) != 1 or {len(column) for column in table_reads.values()} != {
            rows["end"][-1]
        }:
            raise ValueError("columns of different lengths")
        state = state_of(game, numbers["state"])
        return cls(game, state, content["method"], rows, table_reads, content["dropped"])

    def numbers(self) -> dict[str, Any]:
        """The state, and the columns of the records and of their children."""
        table_reads = zip(SEEN_IN_FILE, self._seen.values(), strict=True)
        return {"state": plain_state(self.state), **self._rows, **dict(table_reads)}

    def __len__(self) -> int:
        return len(self._rows["end"])

    def _next(self, number: int) -> Expansion:
        row = SimpleNamespace(**{name: column[number] for name, column in self._rows.items()})
        first = self._rows["end"][number - 1] if number else 0
        children = zip(*(self._seen[name][first : row.end] for name in SEEN), strict=True)
        return self._reader.read(row, list(children))

    def as_dict(self, plies: int | None) -> dict[str, Any]:
        """The expansions of states down to `plies` plies from the root of their question, or all."""
        return {
            "expansions": [_plain(expansion) for expansion in self if plies is None or len(expansion.path) <= plies + 1]
        }

    def _tree(self, number: int | None, method: str) -> ProofTree:
        """The tree after expansion `number`; None: that of each question at its end."""
        if number is not None and (type(number) is not int or not 1 <= number <= len(self)):
            raise ValueError(f"Trace.{method}({number!r}): choose an expansion from 1 to {len(self)}")
        return ProofTree(self, number)


SEEN_IN_FILE = tuple(f"child_{name}" for name in SEEN)
"""The names of the columns of children in a file."""


def _plain(expansion: Expansion) -> dict[str, Any]:
    """An expansion as plain values; an infinite number is None."""
    return {
        "number": expansion.number,
        "question": expansion.question,
        "asks": expansion.asks,
        "about": expansion.about,
        "path": [_plain_node(node) for node in expansion.path],
        "back": [_finite(numbers) for numbers in expansion.back],
        "answer": expansion.answer,
    }


def _plain_node(node: Node) -> dict[str, Any]:
    return {
        "player": node.player,
        "kind": "OR" if node.is_or else "AND",
        "thresholds": _finite((node.proof_threshold, node.disproof_threshold)),
        "children": [_plain_child(child) for child in node.children],
        "chosen": None if node.child is None else node.child.name,
    }


def _plain_child(child: Child) -> dict[str, Any]:
    proof, disproof = _finite((child.proof, child.disproof))
    return {"action": child.name, "proof": proof, "disproof": disproof, "origin": child.origin}


def _finite(numbers: Sequence[float]) -> list[float | None]:
    return [None if number == float("inf") else number for number in numbers]
