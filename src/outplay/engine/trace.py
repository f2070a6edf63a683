"""Traces: what a search did, recorded, and shown as text, as a picture or step by step.

Reading order: `Trace` (what you use), `recording.py` (what every recording can do), `recorded_visits.py` (the visits of
tree searches). Monte Carlo tree search records simulations, see `outplay.montecarlo.recording`.
"""

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from outplay.rules.errors import OutplayError
from outplay.rules.game import Game
from outplay.system.files import write_file

if TYPE_CHECKING:
    from outplay.engine.recording import Recording
    from outplay.pictures.page import StepByStep
    from outplay.pictures.tree import TreePicture


class Trace(Sequence[Any]):
    """A recorder of one search: a sequence of its records, in order.

    Pass it as `trace=` to `search` or `analyse`, which fill it. What a record is depends on the search:

    - `Visit`: of `AlphaBeta`, and of any searcher with `textbook=True`; in the order in which the visits began.
    - `Simulation`: of `MCTS`.
    - `Expansion`: of `ProofNumber`.
    - A sweep, with the values of all states: of `ValueIteration`.
    - An iteration, with the regrets and strategies of all information sets: of `outplay.equilibrium.CFR`.

    Args:
        limit: the maximum number of records; `dropped` is the number of those after them.

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
        self.recording: Recording | None = None

    def clear(self) -> None:
        """Remove all records."""
        self.recording = None

    @property
    def game(self) -> Game | None:
        """The game that was searched; None if there is no record."""
        return self.recording.game if self.recording is not None else None

    @property
    def method(self) -> str:
        """The search, in words; "" if there is no record."""
        return self.recording.method if self.recording is not None else ""

    @property
    def dropped(self) -> int:
        """The number of records for which there was no room."""
        return self.recording.dropped if self.recording is not None else 0

    # -- the records ------------------------------------------------------------------------------------------------

    @property
    def visits(self) -> Sequence[Any]:
        """All records."""
        return self.recording if self.recording is not None else ()

    def __len__(self) -> int:
        return len(self.visits)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.visits)

    def __getitem__(self, index: Any) -> Any:
        return self.visits[index]

    def __repr__(self) -> str:
        unit = self.recording.unit if self.recording is not None else "visits"
        return f"<Trace of {len(self):,} {unit}, {self.dropped:,} more dropped>"

    def as_dict(self, plies: int | None = None) -> dict[str, Any]:
        """The trace as plain values, for JSON, down to `plies` plies from the root; None for all records.

        Actions are given by name. Infinite bounds and unknown values are None.
        """
        records = self.recording.as_dict(plies) if self.recording is not None else {"visits": []}
        return {
            "game": repr(self.game),
            "method": self.method,
            "limit": self.limit,
            "dropped": self.dropped,
            **records,
        }

    # -- as text and pictures ---------------------------------------------------------------------------------------

    def __str__(self) -> str:
        return self.tree()

    def tree(self, iteration: int | None = None, plies: int | None = None) -> str:
        """The tree as text.

        Of a tree search: each line is a visit. `~` marks a value that is based on estimates; ≤ and ≥ mark bounds. A
        window that contains one value or none is shown as a question: "= 3?", "> 3?". If the actions of a state are
        not shown, the line gives the number of visits below. Of Monte Carlo tree search: each line is a node. Of
        proof-number search: each line is a node with its proof and disproof number; there is a tree for each question.

        Args:
            iteration: the depth of the iteration, or the number of simulations or expansions; None for the last one
                that was recorded completely. Of proof-number search, None shows the last tree of every question, and
                a number shows one question.
            plies: the depth to show; None for as many plies as fit into 100 lines.

        Raises `ValueError` for an iteration that was not recorded.
        """
        if self.recording is None or not len(self):
            return "nothing was searched"
        return self.recording.text(iteration, plies)

    def picture(self, iteration: int | None = None, plies: int | None = None, boards: bool = False) -> "TreePicture":
        """The tree as a picture, which notebooks show and whose `save` writes it to a file.

        Triangles that point up are MAX, those that point down MIN, and circles chance. The best line is bold. Two
        strokes mark what was cut off. After Monte Carlo tree search, edges are the wider the more they were visited.
        After proof-number search, OR nodes point up and AND nodes down, and the bold edges are the proof or disproof.

        Args:
            iteration: as in `tree`.
            plies: the depth to show; None for as many plies as fit into 250 nodes.
            boards: whether to draw the board of each state, or the text of `render` if the game has no `picture`.

        Raises `ValueError` for an iteration that was not recorded, or if nothing was searched.
        """
        if self.recording is None or not len(self):
            raise ValueError("Trace.picture(): nothing was searched")
        return self.recording.picture(iteration, plies, boards)

    def steps(self, plies: int | None = None) -> "StepByStep":
        """The search step by step: what `save` shows as a page and `outplay step` in the terminal.

        Raises `ValueError` for a trace that cannot be shown so, or an empty one. See `save` for the arguments.
        """
        if self.recording is None or not len(self):
            raise ValueError("nothing was searched")
        return self.recording.steps(plies)

    def save(self, path: str | PathLike[str], *, plies: int | None = None) -> None:
        """Write the trace to a file: `.json`, which `load` reads, or `.html`.

        HTML is a page that shows the search step by step, one file that needs no server and no other file. Of a search
        with `textbook=True`, it shows the tree so far, the line of the pseudo-code that runs, the value and the window
        of each state on the path, and the state. Of Monte Carlo tree search, it shows the four phases of each
        simulation, with the numbers that select each child; of `CFR`, an iteration a step.

        Args:
            path: the file, whose name ends in .json or .html.
            plies: the depth to show on the page; None for as many plies as fit into 250 nodes. What is deeper returns
                at once.

        Raises `ValueError` for a page of another search or of an empty trace, and `OutplayError` if writing fails.
        """
        kind = Path(path).suffix.lower()
        if kind not in (".json", ".html", ".htm"):
            raise OutplayError(f"{path}: a trace is saved as .json or .html")
        if self.recording is None or not len(self):
            raise ValueError("Trace.save(): nothing was searched")
        if kind == ".json":
            from outplay.engine.trace_file import write_trace  # noqa: PLC0415 - searches start without it

            write_trace(path, self.recording, self.limit)
            return
        write_file(path, self.steps(plies).html().encode(), OutplayError)

    @classmethod
    def load(cls, path: str | PathLike[str], search: Any) -> Self:
        """The trace in a file that `save` wrote.

        Args:
            path: the file, whose name ends in .json.
            search: the searcher or solver that recorded it, or an equal one.

        Raises `OutplayError` for a file that cannot be read, is damaged, or was recorded by another searcher.
        """
        from outplay.engine.trace_file import read_trace  # noqa: PLC0415

        recording, limit = read_trace(path, search)
        trace = cls(limit)
        trace.recording = recording
        return trace

    def plot(self, ax: Any = None) -> Any:
        """Draw the value of the root after each iteration of an engine's search, and return the axes.

        Args:
            ax: the `Axes` of matplotlib to draw on; None for a new figure.

        Raises `OutplayError` if matplotlib is not installed (`pip install 'outplay[plot]'`), `WrongType` if `ax` is
        anything else, and `ValueError` for a trace of any other search.
        """
        if self.recording is None or not len(self):
            raise ValueError("Trace.plot(): nothing was searched")
        return self.recording.plot(ax)

    def _repr_svg_(self) -> str | None:
        return self.picture().svg() if len(self) else None
