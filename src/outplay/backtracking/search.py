"""Backtracking: assigns values to variables, one after another, and goes back when no value is left.

    solve(s) = 1                                                    if every variable is assigned
             = sum over v of  weight(s, x, v) · solve(s + {x = v})  otherwise; x is the next variable, v its candidates

It is the oldest search of all (Golomb & Baumert 1965, *Backtrack Programming*; Russell & Norvig, ch. 6.3; Knuth, *The
Art of Computer Programming*, 7.2.2). Like alpha-beta, it skips branches that cannot matter: those with a contradiction.

Two techniques find contradictions sooner. *Forward checking* checks after each assignment that every other variable
still has a candidate. The order *most-constrained* ("minimum remaining values") chooses the variable with the fewest
candidates next, so a variable without candidates is found at once.

Start at `Backtracking`; `solve` is the recursion, and counts one node for every assignment.
"""

import time
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.backtracking.trace import (
    ALL_TRIED,
    NO_CANDIDATE,
    SOLUTION,
    STEP_CELLS,
    STOPPED,
    SYMMETRIC,
    BacktrackingTrace,
)
from outplay.compile.kernels import cast_state, kernel, pointers, prepare_packed, unpack
from outplay.compile.options import CompileTimeOptions
from outplay.compile.records import layout, new_record
from outplay.engine.limits import UNLIMITED, Limit, takes_a_limit
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import BY_CALLER, BY_SOLUTIONS, OVERFLOW, StopReason
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.arguments import Progress, check_type
from outplay.rules.errors import RulesError, WrongType
from outplay.rules.game import Game, defines
from outplay.rules.options import check_options, word
from outplay.rules.problem import Problem, Solution, number_of_values, values_of
from outplay.rules.wording import shown
from outplay.system.threads import MAX_PLIES

ORDERS = ("given", "most-constrained")
LAYOUT = layout(
    *COUNTERS,
    ("wanted", int),  # the number of solutions to record
    ("traced", int),  # the number of steps made
    ("max_steps", int),  # the maximum number of steps to record
    ("step", int),  # the number of the current step
)
MAX_COUNT = 1 << 62
"""The maximum number of solutions that are counted."""
MAX_KEPT = 100_000
"""The default for the maximum number of solutions that are kept."""


class Memory(NamedTuple):
    """The memory of a search."""

    counters: Any  # a record, see LAYOUT
    sequence: Any  # int64 [variables]: the variables as `problem.sequence()` orders them
    values: Any  # int64 [variables]: the value of each variable; with "most-constrained", -1 if not assigned
    steps: Any  # int64 [steps * STEP_CELLS]: the records of the trace
    solutions: Any  # int64 [solutions * variables]


@dataclass(frozen=True, kw_only=True)
class Solutions:
    """The result of backtracking. Iterating over it yields its solutions.

    Attributes:
        problem: the problem.
        solutions: the requested solutions; each is a tuple with the value of each variable.
        count: the number of solutions, or, if not `complete`, the number found.
        nodes: the number of assignments made.
        stopped: why the search ended early: "enough" (solutions), "nodes", "seconds" or "interrupted"; "" if it is
            complete.
        seconds: the time that the search took, without compiling.
    """

    problem: Problem
    solutions: tuple[Solution, ...]
    count: int
    nodes: int
    stopped: StopReason
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether these are all solutions."""
        return not self.stopped

    @property
    def solution(self) -> Solution | None:
        """The first solution, or None."""
        return self.solutions[0] if self.solutions else None

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __len__(self) -> int:
        return len(self.solutions)

    def as_dict(self) -> dict[str, Any]:
        """The result as plain values, for JSON."""
        return {**vars(self), "problem": repr(self.problem), "complete": self.complete}

    def __str__(self) -> str:
        more = "" if self.complete or (self.stopped == StopReason.SOLUTIONS and self.count == 1) else "at least "
        count_text = "no solution" if self.count == 0 else f"{more}{self.count:,} solution{'s' * (self.count > 1)}"
        if self.count == 0 and not self.complete:
            count_text = "no solution so far"
        end_text = "" if self.stopped in (StopReason.COMPLETE, StopReason.SOLUTIONS) else f", stopped: {self.stopped}"
        return f"{count_text}, {self.nodes:,} nodes in {self.seconds:.3f} s{end_text}"


@dataclass(frozen=True)
class Options(CompileTimeOptions):
    """The compile-time options of `solve`.

    Attributes:
        most_constrained: as in `Backtracking`.
        forward_checking: as in `Backtracking`.
        symmetry: as in `Backtracking`; False if the problem has no symmetry.
        in_bulk: whether to count the values of the last variable without assigning them.
        trace: whether to record each step.
    """

    most_constrained: bool
    forward_checking: bool
    symmetry: bool
    in_bulk: bool = False
    trace: bool = False


@dataclass(frozen=True)
class Backtracking:
    """Finds the solutions of a problem, or counts them. The options change only the order of solutions and the time.

    Args:
        problem: the problem.
        order: the next variable to assign: "given", the next of `problem.sequence()`, which is usually the order of
            their numbers; or "most-constrained", the variable with the fewest candidates, and among equals the first
            of the sequence. None is `problem.usual_order`.
        forward_checking: whether to go back as soon as any variable has no candidate left. The order
            "most-constrained" always does.
        symmetry: whether to skip candidates that are images of others by the problem's `weight`. The images are still
            counted and listed. Searches that start from a state other than the initial one do not use symmetry.

    Raises `ValueError` for an invalid option, and `RulesError` for a problem that is not complete.

    >>> from outplay.backtracking.problems import Queens
    >>> search = Backtracking(Queens(6))
    >>> search.count().count
    4
    >>> list(search.all())
    [(1, 3, 5, 0, 2, 4), (4, 2, 0, 5, 3, 1), (2, 5, 1, 4, 0, 3), (3, 0, 4, 1, 5, 2)]
    """

    problem: Problem
    _: KW_ONLY
    order: str | None = word(None, ORDERS)
    forward_checking: bool = False
    symmetry: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.problem, Game):
            raise WrongType(f"Backtracking({self.problem!r}): a Problem, such as Queens(8); games are for AlphaBeta")
        check_type(self.problem, Problem, "Backtracking({})", "Queens(8)")
        name = type(self.problem).__name__
        check_options(self)
        variables = self.problem.variables
        if isinstance(variables, bool) or not isinstance(variables, int) or not 1 <= variables <= MAX_PLIES:
            raise RulesError(f"{name}.variables = {variables!r}: it must be a whole number from 1 to {MAX_PLIES}")
        if self.problem.usual_order not in ORDERS:
            raise RulesError(f"{name}.usual_order = {self.problem.usual_order!r}: it is {' or '.join(ORDERS)}")
        if not defines(self.problem, "assign") and not defines(self.problem, "allowed"):
            raise RulesError(f"{name} is not complete: it defines neither allowed() nor assign()")

    @takes_a_limit
    def first(
        self, state: Any = None, *, limit: Limit | None = None, progress: Progress["Solutions"] | None = None
    ) -> Solutions:
        """Find the first solution, if there is one.

        Args:
            state: the state to start from; None for the initial state.
            limit: when to stop: `seconds` or `nodes`. Ctrl-C also stops the search and keeps what was found.
            progress: a function that is called with the result so far, ten times a second.

        Raises `ValueError` for a limit other than seconds and nodes.

        >>> from outplay.backtracking.problems import Queens
        >>> Backtracking(Queens(8)).first().solution
        (0, 4, 7, 5, 2, 6, 1, 3)
        """
        return self._list_solutions(state, 1, 1, limit, progress)

    @takes_a_limit
    def all(
        self,
        state: Any = None,
        *,
        most: int = MAX_KEPT,
        limit: Limit | None = None,
        progress: Progress["Solutions"] | None = None,
    ) -> Solutions:
        """Find all solutions, up to a maximum of `most`. The other arguments are those of `first`.

        `complete` is True if there are no others. Images by symmetry directly follow their original. Raises
        `ValueError` for a `most` that is not a whole number from 1 to 10,000,000, and as `first` does.
        """
        if isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= 10**7:
            raise ValueError(f"Backtracking.all(most={most!r}): most must be a whole number from 1 to 10000000")
        return self._list_solutions(state, most, most + 1, limit, progress)

    @takes_a_limit
    def count(
        self, state: Any = None, *, limit: Limit | None = None, progress: Progress["Solutions"] | None = None
    ) -> Solutions:
        """Count the solutions. The arguments are those of `first`.

        Raises `RulesError` if there are more than 2**62 solutions, and `ValueError` as `first` does.

        >>> from outplay.backtracking.problems import Queens
        >>> found = Backtracking(Queens(8)).count()
        >>> found.count, found.nodes, found.complete
        (92, 1028, True)
        """
        limit = limit or UNLIMITED
        return self._run(state, self._memory(0, limit), limit, progress)

    @takes_a_limit
    def trace(
        self, state: Any = None, *, every: bool = False, steps: int = 10_000, limit: Limit | None = None
    ) -> BacktrackingTrace:
        """Record what the search does until the first solution, or, with `every`, until it is complete.

        `steps` is the maximum number of steps to record. The other arguments are those of `first`. Raises `ValueError`
        for a `steps` that is not a whole number from 1 to 10,000,000, and as `first` does.
        """
        if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= 10**7:
            raise ValueError(f"Backtracking.trace(steps={steps!r}): steps must be a whole number from 1 to 10000000")
        memory = self._memory(0 if every else 1, limit or UNLIMITED, steps)
        run = self._run(state, memory, limit or UNLIMITED, None)
        recorded = int(memory.counters.traced)
        rows = memory.steps[: min(recorded, steps) * STEP_CELLS].reshape(-1, STEP_CELLS).tolist()
        state = self.problem.initial_state() if state is None else state
        return BacktrackingTrace(self.problem, state, rows, recorded - len(rows), run.nodes)

    def _list_solutions(
        self, state: Any, most: int, wanted: int, limit: Limit | None, progress: Progress["Solutions"] | None
    ) -> Solutions:
        """At most `most` solutions, after a search for `wanted` solutions, whose images are then added."""
        memory = self._memory(wanted, limit or UNLIMITED)
        run = self._run(state, memory, limit or UNLIMITED, progress)
        solution_rows = memory.solutions.reshape(wanted, self.problem.variables)
        one_by_one = (tuple(row.tolist()) for row in solution_rows[: run.count])
        if self._options(state).symmetry:
            images = (tuple(image) for solution in one_by_one for image in self.problem.images(solution))
        else:
            images = one_by_one
        solutions = tuple(islice(images, most + 1))
        is_more = len(solutions) > most and run.stopped != StopReason.INTERRUPTED
        stopped = StopReason.SOLUTIONS if is_more else run.stopped
        return replace(run, solutions=solutions[:most], count=min(len(solutions), most), stopped=stopped)

    def _options(self, state: Any) -> Options:
        """The compile-time options of `solve`. No symmetry from other states, which may differ from their images."""
        order = self.order or self.problem.usual_order
        return Options(
            most_constrained=order == "most-constrained",
            forward_checking=self.forward_checking and order == "given",
            symmetry=self.symmetry and state is None and defines(self.problem, "weight"),
        )

    def _memory(self, wanted: int, limit: Limit, steps: int = 0) -> Memory:
        """The memory of a search, with room for `wanted` solutions and `steps` steps."""
        counters, variables = new_record(LAYOUT), self.problem.variables
        counters.wanted, counters.max_steps, counters.max_nodes = wanted, steps, limit.nodes or 0
        return Memory(
            counters,
            self._sequence(),
            np.full(variables, -1),
            np.zeros(max(steps, 1) * STEP_CELLS, np.int64),
            np.zeros(max(wanted, 1) * variables, np.int64),
        )

    def _sequence(self) -> NDArray[np.int64]:
        """The variables as `problem.sequence()` orders them."""
        sequence = [int(variable) for variable in self.problem.sequence()]
        if sorted(sequence) != list(range(self.problem.variables)):
            raise RulesError(
                f"{type(self.problem).__name__}.sequence() = {shown(sequence)}: it lists every variable from 0 to"
                f" {self.problem.variables - 1} once"
            )
        return np.array(sequence, np.int64)

    def _run(self, state: Any, memory: Memory, limit: Limit, progress: Progress["Solutions"] | None) -> Solutions:
        """Search, and handle the time limit and Ctrl-C."""
        for name in ("depth", "simulations", "clock"):
            if getattr(limit, name) is not None:
                raise ValueError(f"Backtracking with {limit!r}: limit seconds or nodes")
        problem, wanted, trace = self.problem, int(memory.counters.wanted), bool(memory.counters.max_steps)
        options = replace(self._options(state), in_bulk=not (wanted or limit.nodes or trace), trace=trace)
        states = [cast_state(problem, problem.initial_state() if state is None else state)]
        packed, run = prepare_packed(
            problem, states, lambda packed: (packed, solve_from.prepare(problem, options, packed, memory))
        )
        started = time.perf_counter()

        def result(count: int, stopped: StopReason) -> Solutions:
            seconds = time.perf_counter() - started
            nodes = int(memory.counters.nodes)
            return Solutions(problem=problem, solutions=(), count=count, nodes=nodes, stopped=stopped, seconds=seconds)

        def stop(_: int) -> None:
            memory.counters.stop = -1

        def report() -> None:
            if progress is not None:
                progress(result(int(memory.counters.leaves), StopReason.COMPLETE))

        watch = SearchRunner(limit.seconds, lambda: 1, stop, report, button=limit.stop)
        count = int(watch.run(lambda: run(problem, options, packed, memory)))
        why = int(memory.counters.why)
        if why == OVERFLOW:
            raise RulesError(f"{shown(problem)} has more than 2**62 solutions, too many to count in a 64-bit int")
        stopped = watch.stopped if why == BY_CALLER else watch.reason(StopReason.of(why))
        return result(int(memory.counters.leaves) if wanted else count, stopped)


@kernel
def solve(problem: Any, options: Any, state: Any, assigned: int, memory: Any) -> int:
    """The number of solutions below `state`, in which `assigned` variables have values; less after a stop."""
    # 1. If every variable is assigned, this is a solution.
    counters = memory.counters
    if assigned == problem.variables:
        if counters.wanted > 0:
            place = counters.leaves * problem.variables
            for variable in range(problem.variables):
                memory.solutions[place + variable] = memory.values[variable]
        counters.leaves += 1
        if counters.leaves == counters.wanted:
            counters.why = BY_SOLUTIONS
        if options.trace:
            conclude(problem, counters.step, SOLUTION, -1, memory)
        return 1

    # 2. Choose the next variable. Each value of the last variable is a solution.
    variable = memory.sequence[assigned]
    if options.most_constrained:
        variable = most_constrained(problem, state, memory)
    if options.in_bulk and assigned == problem.variables - 1:
        return last(problem, options, state, variable, memory)

    # 3. Try its values.
    solutions, reason, step = 0, NO_CANDIDATE, counters.step
    for value in values_of(problem, state, variable):
        weight = 1
        if options.symmetry:
            weight = problem.weight(state, variable, value)
            if weight == 0:
                if reason == NO_CANDIDATE:
                    reason = SYMMETRIC
                continue
        if must_stop(counters):
            break
        reason = ALL_TRIED
        counters.nodes += 1
        if options.most_constrained or not options.in_bulk:
            memory.values[variable] = value
        if options.trace:
            record(problem, step, variable, value, memory)
        child = problem.assign(state, variable, value)
        empty = -1
        if options.forward_checking:
            empty = without_candidate(problem, child, assigned + 1, memory)
        if empty < 0:
            more = solve(problem, options, child, assigned + 1, memory)
            if options.symmetry and counters.wanted == 0 and not options.trace:  # what is listed is not counted
                if weight > 1 and more > MAX_COUNT // weight:
                    counters.why = OVERFLOW
                more *= weight
            solutions += more
            if options.symmetry and solutions > MAX_COUNT:
                counters.why = OVERFLOW
        elif options.trace:
            conclude(problem, counters.step, NO_CANDIDATE, empty, memory)
    if options.most_constrained:
        memory.values[variable] = -1
    if options.trace:
        conclude(problem, step, STOPPED if counters.why != 0 else reason, variable, memory)
    return solutions


@kernel
def last(problem: Any, options: Any, state: Any, variable: int, memory: Any) -> int:
    """The number of solutions that the values of the last variable give."""
    counters = memory.counters
    if options.symmetry:
        solutions = 0
        for value in values_of(problem, state, variable):
            weight = problem.weight(state, variable, value)
            counters.nodes += weight > 0
            counters.leaves += weight > 0
            solutions += weight
        return solutions
    number = number_of_values(problem, state, variable)
    counters.nodes += number
    counters.leaves += number
    return number


@kernel
def most_constrained(problem: Any, state: Any, memory: Any) -> int:
    """The unassigned variable with the fewest candidates; among equals, the first of the sequence."""
    best, fewest = -1, 0
    for place in range(problem.variables):
        variable = memory.sequence[place]
        if memory.values[variable] < 0:
            number = number_of_values(problem, state, variable)
            if best < 0 or number < fewest:
                best, fewest = variable, number
                if number == 0:
                    break
    return best


@kernel
def without_candidate(problem: Any, state: Any, assigned: int, memory: Any) -> int:
    """The first variable without a candidate, if `assigned` of the sequence are assigned; -1 if all have one."""
    for place in range(assigned, problem.variables):
        variable: int = memory.sequence[place]
        if number_of_values(problem, state, variable) == 0:
            return variable
    return -1


@kernel
def record(problem: Any, parent: int, variable: int, value: int, memory: Any) -> None:
    """Record a step, if there is room, and make it the current one."""
    counters, rows = memory.counters, memory.steps
    step = counters.traced
    counters.traced += 1
    counters.step = step
    if step < counters.max_steps:
        row = step * STEP_CELLS
        rows[row], rows[row + 1], rows[row + 2] = parent, variable, value
        rows[row + 3], rows[row + 4] = STOPPED, -1


@kernel
def conclude(problem: Any, step: int, reason: int, variable: int, memory: Any) -> None:
    """Record how a step ended, and the variable that came next or has no candidate."""
    if step < memory.counters.max_steps:
        row = step * STEP_CELLS
        memory.steps[row + 3], memory.steps[row + 4] = reason, variable


@kernel
def solve_from(problem: Any, options: Any, packed: Any, memory: Any) -> int:
    """`solve` from the only packed state."""
    space = pointers(memory)
    if options.trace:
        record(problem, -1, -1, -1, space)
    return solve(problem, options, unpack(problem, packed, 0), 0, space)
