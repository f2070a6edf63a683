"""The visits of a tree search, as a recording.

Reading order: `visits.py` (`Visit`, one record), `Visits` (all records), `trace_drawing.py` (the tree as text),
`trace_picture.py` (the tree as a picture), `trace_steps.py` (step by step). `trace_kernels.py` records the numbers.
"""

from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any, Self

from outplay.compile.records import Record
from outplay.engine.recording import Recording
from outplay.engine.trace_drawing import Drawing
from outplay.engine.trace_file import plain_state, state_of
from outplay.engine.trace_kernels import Row
from outplay.engine.visits import Visit, moved, read_visits, with_values
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import Game

if TYPE_CHECKING:
    from outplay.pictures.page import StepByStep
    from outplay.pictures.tree import TreePicture

MAX_TREE_LINES = 100
"""The maximum number of lines of a tree for which no depth was given."""
MAX_PICTURE_NODES = 250
"""The maximum number of nodes of a picture for which no depth was given."""
MAX_BOARDS = 100
"""The same if the states are drawn."""


class Visits(Recording):
    """The visits of a search of `state`.

    `limit` is that of the trace. `possible` is the range of scores that are not yet sure of anything; None: the scores
    are those of MAX, without distances, as in a textbook search. `vectors` are the values for each side, in max^n.
    """

    unit = "visits"

    def __init__(
        self, game: Game, state: Any, method: str, limit: int, dropped: int, rows: list[Row],
        possible: tuple[int, int] | None, vectors: list[list[float]] | None,
    ) -> None:  # fmt: skip
        self.game, self.method, self.limit, self.dropped = game, method, limit, dropped
        self._root, self._rows, self._possible, self._vectors = state, rows, possible, vectors

    @classmethod
    def in_memory(cls, game: Game, state: Any, memory: Record, method: str, limit: int, plain: bool) -> Self:
        """The visits that `memory` holds after a search; `plain`: without distances."""
        recorded = int(memory.recorded)
        dropped = max(0, recorded - limit)
        columns = [getattr(memory.visits, name)[: recorded - dropped].tolist() for name in Row._fields]
        rows, vectors, possible = list(map(Row, *columns)), None, None
        if "vector" in memory.visits.dtype.names:
            vectors = memory.visits.vector[: len(rows)].tolist()
        if not plain:
            nearest = 1 + int(memory.forced_result_depth)
            possible = int(memory.worst_possible) + nearest, int(memory.best_possible) - nearest
        return cls(game, state, method, limit, dropped, rows, possible, vectors)

    @classmethod
    def in_file(cls, game: Game, content: dict[str, Any]) -> Self:
        """The visits in a file, with what `numbers` has written."""
        numbers = content["numbers"]
        rows = list(map(Row, *(numbers["columns"][name] for name in Row._fields)))
        possible = numbers["possible"] and (numbers["possible"][0], numbers["possible"][1])
        state = state_of(game, numbers["state"])
        settings = content["method"], content["limit"], content["dropped"]
        return cls(game, state, *settings, rows, possible, numbers["vectors"])

    def numbers(self) -> dict[str, Any]:
        """The columns of the records, and the state."""
        return {
            "state": plain_state(self._root),
            "columns": {name: [getattr(row, name) for row in self._rows] for name in Row._fields},
            "possible": self._possible,
            "vectors": self._vectors,
        }

    @cached_property
    def visits(self) -> list[Visit]:
        """Every recorded visit, in order."""
        visits = read_visits(self.game, self._root, self._rows, self._possible, self.dropped > 0)
        visits = visits if self._vectors is None else with_values(self.game, visits, self._vectors)
        return moved(visits, draw_utility(self.game))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self.visits[index]

    def as_dict(self, plies: int | None) -> dict[str, Any]:
        """The visits down to `plies` plies from the root; None for all."""
        visits = []
        for visit in self.visits:
            if plies is not None and visit.ply > plies:
                continue
            plain = {key: value for key, value in vars(visit).items() if key not in ("state", "name", "scores")}
            if visit.values is None:
                del plain["values"]
            plain["action"] = visit.name
            plain["skipped"] = [self.game.action_name(visit.state, action) for action in visit.skipped]
            plain["alpha"], plain["beta"] = (bound if isfinite(bound) else None for bound in (visit.alpha, visit.beta))
            visits.append(plain)
        return {"visits": visits}

    def text(self, number: int | None, plies: int | None) -> str:
        """The tree of one iteration as text."""
        drawing = self.drawing(number, "tree")
        text = drawing.text(drawing.deepest(MAX_TREE_LINES) if plies is None else plies)
        if self.dropped:
            depth = "" if self._possible is None else f", from depth {self[-1].iteration} on,"  # textbooks have one
            text += f"\nThe trace is full: {self.limit:,} visits are recorded, {self.dropped:,} more{depth} are not."
        return text

    def picture(self, number: int | None, plies: int | None, boards: bool) -> "TreePicture":
        """The tree of one iteration as a picture."""
        from outplay.engine.trace_picture import tree_picture  # noqa: PLC0415 - searches start without it

        drawing = self.drawing(number, "picture")
        most = MAX_BOARDS if boards else MAX_PICTURE_NODES
        return tree_picture(drawing, drawing.deepest(most) if plies is None else plies, boards)

    def steps(self, plies: int | None) -> "StepByStep":
        """A textbook search step by step."""
        from outplay.engine.trace_steps import SearchSteps  # noqa: PLC0415

        if self._possible is not None:
            raise ValueError("only textbook=True has steps: outplay tree and Trace.tree() show this search as a whole")
        drawing = self.drawing(None, "steps")
        return SearchSteps(drawing, drawing.deepest(MAX_PICTURE_NODES) if plies is None else plies).page()

    def plot(self, ax: Any) -> Any:
        """Draw the value that each iteration found for the root."""
        if self._possible is None:
            return super().plot(ax)
        from outplay.pictures.plot import axes, dressed  # noqa: PLC0415 - only plots need it

        value_at_depth = {visit.iteration: visit.value for visit in self.visits if visit.parent is None}
        points = [(depth, value) for depth, value in value_at_depth.items() if value is not None]
        ax = axes(ax, "Trace.plot")
        ax.plot([depth for depth, _ in points], [value for _, value in points], marker=".", label=self.method)
        ax.xaxis.get_major_locator().set_params(integer=True)
        return dressed(ax, repr(self.game), "depth", "value for the player to move")

    def drawing(self, iteration: int | None, method: str) -> Drawing:
        """The visits of an iteration, to be drawn."""
        iterations = sorted({visit.iteration for visit in self.visits})
        if iteration is None:
            iteration = iterations[-2 if self.dropped and len(iterations) > 1 else -1]
        if iteration not in iterations:
            raise ValueError(
                f"Trace.{method}({iteration!r}): choose a recorded depth: {', '.join(map(str, iterations))}"
            )
        visits = [visit for visit in self.visits if visit.iteration == iteration]
        return Drawing(self.game, visits, self.method, plain=self._possible is None, dropped=self.dropped)
