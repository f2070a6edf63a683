"""Traces of tree searches: each visited state, its window, its value, and why the search went no further.

Reading order: `visits.py` (`Visit`, one record), `Trace` (all records), `trace_drawing.py` (the tree as text),
`trace_picture.py` (the tree as a picture). `trace_kernels.py` records the numbers.
"""

from collections.abc import Iterator, Sequence
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from outplay.compile.records import Record
from outplay.engine.trace_drawing import Drawing
from outplay.engine.trace_kernels import Row
from outplay.engine.visits import Visit, moved, read_visits, with_values
from outplay.rules.constant_sum import balance
from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.system.files import write_file

if TYPE_CHECKING:
    from outplay.pictures.tree import TreePicture

MAX_TREE_LINES = 100
"""The maximum number of lines of a tree for which no depth was given."""
MAX_PICTURE_NODES = 250
"""The maximum number of nodes of a picture for which no depth was given."""


class Trace(Sequence[Visit]):
    """A recorder of the visits of one search: a sequence of `Visit`, in the order in which the visits began.

    Pass it as `trace=` to `search` or `analyse` of `AlphaBeta`, or of any searcher with `textbook=True`, which fill it.

    Args:
        limit: the maximum number of visits to record; `dropped` is the number of visits after these.

    Raises `ValueError` for a limit that is not a whole number from 1 to 10,000,000.

    >>> from outplay import AlphaBeta
    >>> from outplay.games import ExplicitTree
    >>> trace = Trace()
    >>> analysis = AlphaBeta(ExplicitTree([[3, 12], [2, 4]]), textbook=True).search(trace=trace)
    >>> print(trace)
    AlphaBeta(textbook=True), 6 visits  value  window        why
    MAX                                 3      (-inf, +inf)  all searched
    ├─ 1: MIN                           3      (-inf, +inf)  all searched
    │  ├─ 1                             3      (-inf, +inf)  end
    │  └─ 2                             12     (-inf, 3)     end
    └─ 2: MIN                           ≤ 2    (3, +inf)     cut
       ├─ 1                             2      (3, +inf)     end
       └─ ✂ 2 (4)  pruned
    >>> trace[-1].why, trace[-1].value, trace[-1].alpha
    ('end', 2.0, 3.0)
    """

    def __init__(self, limit: int = 10_000) -> None:
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 10**7:
            raise ValueError(f"Trace(limit={limit!r}): limit must be a whole number from 1 to 10000000")
        self.limit = limit
        self.clear()

    def clear(self) -> None:
        """Remove all visits."""
        self.game: Game | None = None
        self.method = ""  # of the search
        self.dropped = 0
        self._visits: list[Visit] | None = []
        self._possible: tuple[int, int] | None = None  # the least and the greatest score; None: without distances

    # -- how a search fills it --------------------------------------------------------------------------------------

    def read(self, game: Game, state: Any, memory: Record, method: str, plain: bool) -> None:
        """Take over the records of a search of `state`; `plain`: its scores are those of MAX, without distances."""
        recorded = int(memory.recorded)
        self.dropped = max(0, recorded - self.limit)
        columns = [getattr(memory.visits, name)[: recorded - self.dropped].tolist() for name in Row._fields]
        self.game, self._root, self._visits = game, state, None
        self._rows = list(map(Row, *columns))
        self._vectors = None
        if "vector" in memory.visits.dtype.names:
            self._vectors = memory.visits.vector[: len(self._rows)].tolist()
        self.method, self._possible = method, None
        if not plain:
            nearest = 1 + int(memory.forced_result_depth)
            self._possible = int(memory.worst_possible) + nearest, int(memory.best_possible) - nearest

    # -- the recorded visits ----------------------------------------------------------------------------------------

    @property
    def visits(self) -> Sequence[Visit]:
        """Every recorded visit, in order."""
        if self._visits is None:
            assert self.game is not None
            self._visits = read_visits(self.game, self._root, self._rows, self._possible, self.dropped > 0)
            if self._vectors is not None:
                self._visits = with_values(self.game, self._visits, self._vectors)
            self._visits = moved(self._visits, balance(self.game))
        return self._visits

    def __len__(self) -> int:
        return len(self.visits)

    def __iter__(self) -> Iterator[Visit]:
        return iter(self.visits)

    @overload
    def __getitem__(self, index: int) -> Visit: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Visit]: ...
    def __getitem__(self, index: int | slice) -> Visit | Sequence[Visit]:
        return self.visits[index]

    def __repr__(self) -> str:
        return f"<Trace of {len(self):,} visits, {self.dropped:,} more dropped>"

    def as_dict(self, plies: int | None = None) -> dict[str, Any]:
        """The trace as plain values, for JSON, down to `plies` plies from the root; None for all visits.

        Actions are given by name. Infinite bounds and unknown values are None.
        """
        visits = []
        for visit in self:
            if plies is not None and visit.ply > plies:
                continue
            plain = {key: value for key, value in vars(visit).items() if key not in ("state", "name", "scores")}
            if visit.values is None:
                del plain["values"]
            plain["action"] = visit.name
            plain["skipped"] = self._names(visit)
            plain["alpha"], plain["beta"] = (bound if isfinite(bound) else None for bound in (visit.alpha, visit.beta))
            visits.append(plain)
        return {
            "game": repr(self.game),
            "method": self.method,
            "limit": self.limit,
            "dropped": self.dropped,
            "visits": visits,
        }

    def _names(self, visit: Visit) -> list[str]:
        assert self.game is not None
        return [self.game.action_name(visit.state, action) for action in visit.skipped]

    # -- the tree as text -------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.tree()

    def tree(self, iteration: int | None = None, plies: int | None = None) -> str:
        """The tree of one iteration as text.

        Each line is a visit. `~` marks a value that is based on estimates; ≤ and ≥ mark bounds. A window that contains
        one value or none is shown as a question: "= 3?", "> 3?". If the actions of a state are not shown, the line
        gives the number of visits below.

        Args:
            iteration: the depth of the iteration; None for the last one that was recorded completely.
            plies: the depth to show; None for as many plies as fit into 100 lines.

        Raises `ValueError` for an iteration that was not recorded.
        """
        if not len(self):
            return "nothing was searched"
        drawing = self._drawing(iteration, "tree")
        text = drawing.text(drawing.deepest(MAX_TREE_LINES) if plies is None else plies)
        if self.dropped:
            where = "" if self._possible is None else f", from depth {self[-1].iteration} on,"  # textbooks have one
            text += f"\nThe trace is full: {self.limit:,} visits are recorded, {self.dropped:,} more{where} are not."
        return text

    def picture(self, iteration: int | None = None, plies: int | None = None, boards: bool = False) -> "TreePicture":
        """The tree of one iteration as a picture, which notebooks show and `save` writes to a file.

        Triangles that point up are MAX, those that point down MIN, and circles chance. The best line is bold, and two
        strokes mark what was cut off.

        Args:
            iteration: the depth of the iteration; None for the last one that was recorded completely.
            plies: the depth to show; None for as many plies as fit into 250 nodes.
            boards: whether to draw each state as `render` does.

        Raises `ValueError` for an iteration that was not recorded, or if nothing was searched.
        """
        if not len(self):
            raise ValueError("Trace.picture(): nothing was searched")
        from outplay.engine.trace_picture import tree_picture  # noqa: PLC0415 - searches start without it

        drawing = self._drawing(iteration, "picture")
        return tree_picture(drawing, drawing.deepest(MAX_PICTURE_NODES) if plies is None else plies, boards)

    def save(self, path: str | PathLike[str], *, plies: int | None = None) -> None:
        """Write a page that shows the search step by step: one HTML file that needs no server and no other file.

        It shows the tree so far, the line of the pseudo-code that runs, the value and the window of each state on the
        path, and the state. The page is for searches with `textbook=True`.

        Args:
            path: the file, whose name ends in .html.
            plies: the depth to show; None for as many plies as fit into 250 nodes. What is deeper returns at once.

        Raises `ValueError` for a trace of another search or an empty one, and `OutplayError` if writing fails.
        """
        from outplay.engine.trace_steps import step_page  # noqa: PLC0415

        if Path(path).suffix.lower() not in (".html", ".htm"):
            raise OutplayError(f"{path}: a trace is saved as .html")
        if not len(self) or self._possible is not None:
            why = "nothing was searched" if not len(self) else "the page shows searches with textbook=True"
            raise ValueError(f"Trace.save(): {why}")
        drawing = self._drawing(None, "save")
        text = step_page(drawing, drawing.deepest(MAX_PICTURE_NODES) if plies is None else plies)
        write_file(path, text.encode(), OutplayError)

    def _repr_svg_(self) -> str | None:
        return self.picture().svg() if len(self) else None

    def _drawing(self, iteration: int | None, method: str) -> Drawing:
        """The visits of an iteration, to be drawn."""
        iterations = sorted({visit.iteration for visit in self})
        if iteration is None:
            iteration = iterations[-2 if self.dropped and len(iterations) > 1 else -1]
        if iteration not in iterations:
            raise ValueError(
                f"Trace.{method}({iteration!r}): choose a recorded depth: {', '.join(map(str, iterations))}"
            )
        visits = [visit for visit in self if visit.iteration == iteration]
        assert self.game is not None
        return Drawing(self.game, visits, self.method, plain=self._possible is None, dropped=self.dropped)
