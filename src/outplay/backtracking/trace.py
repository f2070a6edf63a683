"""Traces of backtracking: each assignment that a search made, and how it ended.

Reading order: `Step` (one record), `BacktrackingTrace` (all records, printed as a tree). `search.py` records the steps
as numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from outplay.engine.trace_drawing import aligned
from outplay.rules.problem import Problem, values_of
from outplay.rules.wording import shown

STEP_CELLS = 5
"""The number of cells of a record: its parent, the variable, its value, the reason, the next variable."""
ALL_TRIED, SOLUTION, NO_CANDIDATE, SYMMETRIC, STOPPED = range(5)
REASONS = ("all tried", "solution", "no candidate", "symmetric", "stopped")
"""The words for the reasons that `search.py` numbers."""
MAX_TREE_LINES = 100
"""The maximum number of lines of a tree for which no depth was given."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One assignment, and how it ended.

    Attributes:
        index: the index in the trace; steps are numbered in the order in which they were made.
        parent: the index of the step before it on its path; None at the root, where nothing is assigned.
        depth: the number of assigned variables.
        variable: the variable that was assigned; None at the root.
        value: its value; None at the root.
        why: how the step ended: "solution"; "no candidate" (is left for the variable `next`); "all tried" (all
            candidates of `next`); "symmetric" (every candidate of `next` is an image of another one); or "stopped".
        next: the variable that came next, or that has no candidate; None after a solution.
        inconsistent: the values of `next` that were not tried because they are inconsistent with earlier assignments.
        symmetric: the values of `next` that were not tried because they are images of others.
        found: whether a solution was found below.
    """

    index: int
    parent: int | None
    depth: int
    variable: int | None
    value: int | None
    why: str
    next: int | None
    inconsistent: tuple[int, ...]
    symmetric: tuple[int, ...]
    found: bool


class BacktrackingTrace(Sequence[Step]):
    """The steps of one search, in the order in which it made them; returned by `Backtracking.trace`.

    `dropped` is the number of steps that were not recorded, and `nodes` the number of assignments that were made.

    >>> from outplay import Backtracking
    >>> from outplay.backtracking.problems import Queens
    >>> print(Backtracking(Queens(4), forward_checking=True).trace())
    Queens(n=4), 8 nodes   leads to a solution
    ├─ row 1 = a           dead end
    │  ├─ row 2 = c        no candidate for row 3
    │  ├─ row 2 = d        dead end
    │  │  ├─ row 3 = b     no candidate for row 4
    │  │  └─ ✂ a c d  inconsistent
    │  └─ ✂ a b  inconsistent
    └─ row 1 = b           leads to a solution
       ├─ row 2 = d        leads to a solution
       │  ├─ row 3 = a     leads to a solution
       │  │  ├─ row 4 = c  solution
       │  │  └─ ✂ a b d  inconsistent
       │  └─ ✂ b c d  inconsistent
       └─ ✂ a b c  inconsistent
    """

    def __init__(self, problem: Problem, state: Any, rows: list[list[int]], dropped: int, nodes: int) -> None:
        self.problem, self.dropped, self.nodes = problem, dropped, nodes
        self._steps = read_steps(problem, state, rows, dropped > 0)

    def __len__(self) -> int:
        return len(self._steps)

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | Sequence[Step]:
        return self._steps[index]

    def __repr__(self) -> str:
        return f"<BacktrackingTrace of {len(self):,} steps, {self.dropped:,} more dropped>"

    def as_dict(self) -> dict[str, Any]:
        """The trace as plain values, for JSON."""
        steps = [vars(step) for step in self]
        return {"problem": repr(self.problem), "nodes": self.nodes, "dropped": self.dropped, "steps": steps}

    def __str__(self) -> str:
        return self.tree()

    def tree(self, depth: int | None = None) -> str:
        """The tree as text, down to `depth` assigned variables; None for as many as fit into 100 lines.

        Each line is an assignment and how it ended. ✂ marks values that were not tried.
        """
        deepest = max(step.depth for step in self)
        if depth is None:
            depth = deepest
            while depth > 1 and sum(self._lines(step, depth) for step in self) > MAX_TREE_LINES:
                depth -= 1
        children: dict[int, list[Step]] = {step.index: [] for step in self}
        below = [0] * len(self)
        for step in reversed(self._steps):
            if step.parent is not None:
                children[step.parent].insert(0, step)
                below[step.parent] += 1 + below[step.index]
        rows: list[tuple[str, ...]] = [(f"{shown(self.problem)}, {self.nodes:,} nodes", self._reason(self[0], 0))]

        def add(step: Step, margin: str) -> None:
            skipped = self._skipped(step)
            for child in children[step.index]:
                is_last = child is children[step.index][-1] and not skipped
                hidden = below[child.index] if child.depth >= depth else 0
                assert child.variable is not None
                assert child.value is not None
                name, value = self._name(child.variable), self.problem.value_name(child.variable, child.value)
                line = f"{margin}{'└─' if is_last else '├─'} {name} = {value}"
                rows.append((line, self._reason(child, hidden)))
                if child.depth < depth:
                    add(child, margin + ("   " if is_last else "│  "))
            rows.extend((f"{margin}{'└─' if text is skipped[-1] else '├─'} {text}",) for text in skipped)

        add(self[0], "")
        text = aligned(rows)
        if self.dropped:
            text += f"\nThe trace is full: {len(self):,} steps are recorded, {self.dropped:,} more are not."
        return text

    def _lines(self, step: Step, depth: int) -> int:
        """The number of lines of a step in a tree of this depth."""
        return (step.depth <= depth) + (len(self._skipped(step)) if step.depth < depth else 0)

    def _name(self, variable: int) -> str:
        name = self.problem.variable_name(variable)
        return f"variable {name}" if name.isdecimal() else name  # the default; "0 = 0" says nothing

    def _reason(self, step: Step, hidden: int) -> str:
        why = step.why
        if why == "no candidate" and step.next is not None:
            why += f" for {self._name(step.next)}"
        elif why == "all tried" and not step.found:
            why = "dead end"
        elif why == "stopped" and step.found:
            why = "leads to a solution"
        return f"{why}, {hidden:,} below" if hidden else why

    def _skipped(self, step: Step) -> list[str]:
        """The lines about values that were not tried."""
        if step.why not in ("all tried", "stopped") or step.next is None:
            return []
        groups = [
            (" ".join(self.problem.value_name(step.next, value) for value in values), reason)
            for values, reason in ((step.inconsistent, "inconsistent"), (step.symmetric, "symmetric"))
        ]
        return [f"✂ {values}  {reason}" for values, reason in groups if values]


def read_steps(problem: Problem, state: Any, rows: list[list[int]], full: bool) -> list[Step]:
    """The steps that `rows` record, from `state` on. If the trace is `full`, rows may be missing at the end."""
    leads_to_solution = [row[3] == SOLUTION for row in rows]
    open_still, number = set(), len(rows) - 1 if full else -1
    while number >= 0:
        open_still.add(number)
        number = rows[number][0]
    tried_values: list[set[int]] = [set() for _ in rows]
    for number in range(len(rows) - 1, 0, -1):
        parent = rows[number][0]
        leads_to_solution[parent] = leads_to_solution[parent] or leads_to_solution[number]
        tried_values[parent].add(rows[number][2])
    at_first = {variable: list(values_of(problem, state, variable)) for variable in {row[4] for row in rows} - {-1}}
    states: list[Any] = []
    steps: list[Step] = []
    for number, (parent, variable, value, reason, after) in enumerate(rows):
        states.append(problem.assign(states[parent], variable, value) if parent >= 0 else state)
        inconsistent: tuple[int, ...] = ()
        symmetric: tuple[int, ...] = ()
        if after >= 0 and number not in open_still:
            candidates = [int(candidate) for candidate in values_of(problem, states[number], after)]
            inconsistent = tuple(int(candidate) for candidate in at_first[after] if candidate not in candidates)
            if reason in (ALL_TRIED, SYMMETRIC):
                symmetric = tuple(candidate for candidate in candidates if candidate not in tried_values[number])
        steps.append(
            Step(
                index=number,
                parent=parent if parent >= 0 else None,
                depth=steps[parent].depth + 1 if parent >= 0 else 0,
                variable=variable if parent >= 0 else None,
                value=value if parent >= 0 else None,
                why=REASONS[reason],
                next=after if after >= 0 else None,
                inconsistent=inconsistent,
                symmetric=symmetric,
                found=leads_to_solution[number],
            )
        )
    return steps
