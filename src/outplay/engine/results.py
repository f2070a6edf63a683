"""The results of a search: kernels write them, and the calling thread may read them at any time.

A kernel lists the actions of the root as rows of its memory (`list_root`), gives each a score, and sorts them. After
each iteration it copies the best rows (`copy_results`), writes a line for each (`line_of`), and records the depth
(`complete_iteration`). At the end it records why it stopped (`end_search`). `Searcher` turns this into an `Analysis`.
"""

from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from outplay.compile.kernels import kernel
from outplay.engine.ordering import in_order
from outplay.engine.stopping import BY_DEPTH, NO_LEGAL_ACTION, STACK_FULL
from outplay.engine.workspace import MAX_ROWS
from outplay.rules.game import CHANCE, defines, legal_actions

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Status(NamedTuple):
    """The status of one search."""

    depth: int  # plies of the deepest completed look-ahead; 0: no answer yet
    actions: int  # the number of root actions that have a row
    solved: int  # 1: the value is proved
    done: int  # 1: the search ended without being stopped
    why: int  # why it stopped, the code of a `StopReason`
    nodes: int
    leaves: int
    simulations: int
    table_hits: int  # states in the tree that a table knew


class RootRow(NamedTuple):
    """A root action. Scores are those of the search; where visits are not counted, the last three are 0."""

    action: int
    score: int
    bound: int  # EXACT, or what the score is a bound of
    solved: int  # 1: the score is proved
    visits: int
    low: int  # the ends of the confidence interval, as scores
    high: int


DEPTH_CELL, ACTIONS_CELL, SOLVED_CELL, DONE_CELL, WHY_CELL, NODES_CELL, LEAVES_CELL, SIMULATIONS_CELL, HITS_CELL = (
    range(9)
)
STATUS_CELLS, ROW_CELLS = len(Status._fields), len(RootRow._fields)
MAX_LINE, MAX_LINE_OF_MANY = 256, 64
"""The maximum length of a line if one state is searched, and if many are."""


class Results:
    """The results of `count` searches: the status and the best rows of each.

    Kernels get `cells`, shape (count, width), int64. Each row holds the status of one search, then its `max_rows` best
    root actions, the best first, then a line for each of these: `longest` cells, ended by -1 if shorter.
    """

    def __init__(self, count: int, max_rows: int, longest: int) -> None:
        self.max_rows, self.longest = max_rows, longest
        self._lines = STATUS_CELLS + max_rows * ROW_CELLS
        self.cells: NDArray[np.int64] = np.zeros((count, self._lines + max_rows * longest), np.int64)
        self.cells[:, self._lines :] = -1
        self.why, self.nodes = self.cells[:, WHY_CELL], self.cells[:, NODES_CELL]
        self.table_hits = self.cells[:, HITS_CELL]
        self.has_table = False
        """Whether states in the tree are looked up in a table."""
        self.tells_distance = True
        """Whether distances in scores are those to the end of the game."""

    def status(self, index: int) -> Status:
        """The status of one search."""
        return Status(*self.cells[index, :STATUS_CELLS].tolist())

    def write_status(self, index: int, **fields: int) -> None:
        """Set fields of the status of one search that has no kernel to do so."""
        for name, value in fields.items():
            self.cells[index, Status._fields.index(name)] = value

    def rows(self, index: int, count: int) -> list[RootRow]:
        """The first `count` rows of one search, or all that were kept if there are fewer."""
        end = STATUS_CELLS + min(count, self.max_rows) * ROW_CELLS
        cells = self.cells[index, STATUS_CELLS:end].reshape(-1, ROW_CELLS).tolist()
        return list(map(RootRow._make, cells))

    def lines(self, index: int, count: int) -> list[list[int]]:
        """The first `count` lines of one search."""
        cells, begin = memoryview(self.cells[index]), self._lines
        starts = range(begin, begin + min(count, self.max_rows) * self.longest, self.longest)
        return [[*takewhile((0).__le__, cells[start : start + self.longest])] for start in starts]


@kernel
def list_root(game: Any, state: Any, memory: Any) -> int:
    """Make a row for each legal action, in the order of the rules. Returns the number of actions."""
    count = 0
    for action in legal_actions(game, state):
        if count == MAX_ROWS:
            memory.why = STACK_FULL
            break
        memory.rows.action[count] = action
        memory.rows.score[count] = memory.rows.bound[count] = memory.rows.solved[count] = 0
        if memory.counts_visits:
            memory.rows.visits[count] = memory.rows.low[count] = memory.rows.high[count] = 0
        count += 1
    if count == 0:
        memory.why = NO_LEGAL_ACTION
    return count


@kernel
def list_ordered_root(game: Any, techniques: Any, state: Any, memory: Any) -> int:
    """The same in the order of the game, if the search uses it and chance is not to move."""
    count = list_root(game, state, memory)
    if techniques.order and defines(game, "order") and game.to_move(state) != CHANCE:
        for row in range(count):
            memory.rows.score[row] = in_order(game.order(state, memory.rows.action[row]))
        sort_rows(memory, count)
    return count


@kernel
def sort_rows(memory: Any, count: int) -> None:
    """Sort the first `count` rows by score, the best first; equal ones keep their order."""
    rows = memory.rows
    for end in range(1, count):
        row = end
        while row > 0 and rows.score[row] > rows.score[row - 1]:
            move_up(memory, row)
            row -= 1


@kernel
def move_up(memory: Any, row: int) -> None:
    """Swap a row with the one before it."""
    rows, above = memory.rows, row - 1
    rows.action[above], rows.action[row] = rows.action[row], rows.action[above]
    rows.score[above], rows.score[row] = rows.score[row], rows.score[above]
    rows.bound[above], rows.bound[row] = rows.bound[row], rows.bound[above]
    rows.solved[above], rows.solved[row] = rows.solved[row], rows.solved[above]
    if memory.counts_visits:
        rows.visits[above], rows.visits[row] = rows.visits[row], rows.visits[above]
        rows.low[above], rows.low[row] = rows.low[row], rows.low[above]
        rows.high[above], rows.high[row] = rows.high[row], rows.high[above]


@kernel
def copy_results(memory: Any, count: int, results: Any, at: int) -> None:
    """Copy the best of `count` rows to where the calling thread reads them."""
    for row in range(min(count, memory.max_rows)):
        place = at + STATUS_CELLS + row * ROW_CELLS
        results[place] = memory.rows.action[row]
        results[place + 1] = memory.rows.score[row]
        results[place + 2] = memory.rows.bound[row]
        results[place + 3] = memory.rows.solved[row]
        if memory.counts_visits:
            results[place + 4] = memory.rows.visits[row]
            results[place + 5] = memory.rows.low[row]
            results[place + 6] = memory.rows.high[row]


@kernel
def line_of(memory: Any, at: int, row: int) -> int:
    """The index in the results at which the line of a row starts."""
    return at + STATUS_CELLS + memory.max_rows * ROW_CELLS + row * memory.max_line  # type: ignore[no-any-return]


@kernel
def complete_iteration(count: int, depth: int, solved: bool, results: Any, at: int) -> None:
    """Record that `count` rows have a value from a look-ahead of `depth` plies, and whether the value is proved."""
    results[at + ACTIONS_CELL] = count
    results[at + DEPTH_CELL] = depth
    results[at + SOLVED_CELL] = solved


@kernel
def end_search(memory: Any, results: Any, at: int) -> None:
    """Record why the search ended, and its counters."""
    results[at + WHY_CELL] = memory.why
    results[at + NODES_CELL] = memory.nodes
    results[at + LEAVES_CELL] = memory.leaves
    results[at + SIMULATIONS_CELL] = memory.simulations
    results[at + DONE_CELL] = memory.why == 0 or memory.why == BY_DEPTH  # noqa: PLR1714 - compiled
