"""Backtracking beside its slow twin, which tries every assignment; known numbers; limits, traces and refusals."""

import itertools
import json
import pickle
import random
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import ctrl_c

from benchmarks.colouring import mycielski, queens
from outplay import Backtracking, Limit, Problem, RulesError
from outplay.backtracking import Domains, domains
from outplay.backtracking.problems import Colouring, Queens, Sudoku
from outplay.backtracking.problems.colouring import read_graph
from outplay.compile.kernels import runs_compiled
from outplay.compile.native import RunsInterpretedWarning
from outplay.rules.bits import single

OPTIONS = (
    {},
    {"forward_checking": True},
    {"order": "most-constrained"},
    {"symmetry": False},
    {"order": "most-constrained", "forward_checking": True, "symmetry": False},
)


class InterpretedQueens(Queens):
    compiled = False


class InterpretedColouring(Colouring):
    compiled = False


# -- the slow twin ----------------------------------------------------------------------------------------------------


class Binary(Problem):
    """Any values but the forbidden pairs: (variable, value, other, other_value) with variable < other."""

    compiled = False

    def __init__(self, sizes, forbidden):
        self.variables = len(sizes)
        self.sizes = sizes
        self.forbidden = forbidden

    def domain(self, variable):
        return range(self.sizes[variable])

    def allowed(self, variable, value, other, other_value):
        assert variable < other
        return (variable, value, other, other_value) not in self.forbidden


def every_solution(sizes, forbidden):
    """All of them, the obvious way."""
    return [
        values
        for values in itertools.product(*map(range, sizes))
        if not any(
            (one, values[one], other, values[other]) in forbidden
            for one, other in itertools.combinations(range(len(sizes)), 2)
        )
    ]


@st.composite
def binary_problems(draw):
    sizes = tuple(draw(st.lists(st.integers(0, 4), min_size=1, max_size=5)))
    pairs = [
        (one, value, other, other_value)
        for one, other in itertools.combinations(range(len(sizes)), 2)
        for value in range(sizes[one])
        for other_value in range(sizes[other])
    ]
    share = draw(st.integers(0, 9))
    dice = random.Random(draw(st.integers(0, 2**32)))
    return sizes, frozenset(pair for pair in pairs if dice.randrange(10) < share)


@given(binary_problems())
@settings(max_examples=30)
def test_all_options_find_what_the_slow_twin_finds(drawn):
    expected = every_solution(*drawn)
    nodes = {}
    for options in OPTIONS:
        search = Backtracking(Binary(*drawn), **options)
        found = search.all()
        assert sorted(found) == expected
        assert found.complete
        assert found.count == len(found) == len(expected)
        counted = search.count()
        assert (counted.count, counted.nodes, counted.complete) == (len(expected), found.nodes, True)
        first = search.first()
        assert first.solution == (found.solution if expected else None)
        assert first.count == min(1, len(expected))
        nodes[tuple(options)] = found.nodes
    assert list(Backtracking(Binary(*drawn)).all()) == expected  # in order
    assert nodes["forward_checking",] <= nodes[()]


class Tabled(NamedTuple):
    masks: np.ndarray  # int64 [5]
    table: np.ndarray  # int64 [5, 4, 5]: what a value leaves of another variable


class InTable(Problem):
    """The same, with the constraints in the state: compiled once for all of them."""

    variables = 5
    values = 4

    def initial_state(self):
        return Tabled(np.full(5, 15), np.full((5, 4, 5), 15))

    def assign(self, state, variable, value):
        masks = state.masks & state.table[variable, value]
        masks[variable] = single(value)
        return Tabled(masks, state.table)


class InTableInterpreted(InTable):
    compiled = False


@pytest.mark.nightly
def test_compiled_is_interpreted_is_the_slow_twin():
    dice = random.Random(1)
    assert runs_compiled(InTable())
    for number in range(150):
        forbidden, table = set(), np.full((5, 4, 5), 15)
        for one, other in itertools.combinations(range(5), 2):
            for value, other_value in itertools.product(range(4), repeat=2):
                if dice.randrange(10) < number % 7:
                    forbidden.add((one, value, other, other_value))
                    table[one, value, other] &= ~(1 << other_value)
                    table[other, other_value, one] &= ~(1 << value)
        state, expected = Tabled(np.full(5, 15), table), every_solution((4,) * 5, forbidden)
        for options in OPTIONS[:3]:
            native, twin = (Backtracking(problem(), **options) for problem in (InTable, InTableInterpreted))
            found, slow = native.all(state), twin.all(state)
            assert sorted(found) == expected
            assert (found.solutions, found.nodes, found.stopped) == (slow.solutions, slow.nodes, slow.stopped)
            counted = native.count(state)
            assert (counted.count, counted.nodes) == (len(expected), found.nodes)
            assert list(native.trace(state)) == list(twin.trace(state))


# -- the forms of candidates ------------------------------------------------------------------------------------------


class Line(NamedTuple):
    taken: int
    last: int


class Masks(Problem):
    """Orders of five numbers in which neighbours differ by 2 or more: of these there are 14."""

    variables = 5
    expected = 14

    def initial_state(self):
        return Line(0, 9)

    def candidates(self, line, place):
        return 31 & ~line.taken & ~(7 << (line.last - 1) if line.last else 3)

    def assign(self, line, place, number):
        return Line(line.taken | 1 << number, number)


class Generated(Masks):
    def candidates(self, line, place):
        for number in range(5):
            if not line.taken >> number & 1 and abs(number - line.last) > 1:
                yield number


class Arrays(Masks):
    def candidates(self, line, place):
        numbers = np.arange(5, dtype=np.int8)
        return numbers[(line.taken >> numbers & 1 == 0) & (np.abs(numbers - line.last) > 1)]


class InterpretedArrays(Arrays):
    compiled = False


@pytest.mark.compiled
@pytest.mark.parametrize("problem", [Masks, Generated, Arrays, InterpretedArrays])
def test_forms_of_candidates(problem):
    expected = [
        line
        for line in itertools.permutations(range(5))
        if all(abs(one - other) > 1 for one, other in itertools.pairwise(line))
    ]
    assert len(expected) == problem.expected
    assert runs_compiled(problem()) == (problem is not InterpretedArrays)
    search = Backtracking(problem())
    assert list(search.all()) == expected
    assert search.count().count == len(expected)


# -- queens -----------------------------------------------------------------------------------------------------------

COUNTS = (1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596)
"""https://oeis.org/A000170, from n = 1."""


@pytest.mark.parametrize("n", range(1, 8))
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_small_boards(n, options):
    search = Backtracking(InterpretedQueens(n), **options)
    assert search.count().count == COUNTS[n - 1]
    found = search.all()
    assert found.count == len(set(found)) == COUNTS[n - 1]
    expected = [
        columns
        for columns in itertools.permutations(range(n))
        if len({x + y for y, x in enumerate(columns)}) == len({x - y for y, x in enumerate(columns)}) == n
    ]
    assert sorted(found) == expected


@pytest.mark.sample(2)
@pytest.mark.parametrize("n", [8, 11, 12, 14])
def test_counts_are_the_published_ones(n):
    found = Backtracking(Queens(n, ())).count()
    assert (found.count, found.complete) == (COUNTS[n - 1], True)


@pytest.mark.nightly
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("n", range(8, 15))
def test_counts_with_every_option(n, options):
    assert Backtracking(Queens(n), **options).count().count == COUNTS[n - 1]


def test_symmetry_halves_the_work():
    half, whole = (Backtracking(InterpretedQueens(8), symmetry=symmetry).count() for symmetry in (True, False))
    assert (half.nodes, whole.nodes) == (1028, 2056)
    assert half.count == whole.count == 92


def test_blocked_squares():
    assert Backtracking(InterpretedQueens(4, ("b4",))).all().solutions == ((1, 3, 0, 2),)
    dice = random.Random(3)
    for _ in range(20):
        squares = [(column, row) for column in range(6) for row in range(6) if dice.random() < 0.2]
        names = tuple(f"{'abcdef'[column]}{row + 1}" for column, row in squares)
        expected = [
            columns
            for columns in Backtracking(InterpretedQueens(6)).all()
            if not any(columns[row] == column for column, row in squares)
        ]
        for options in OPTIONS:
            assert sorted(Backtracking(InterpretedQueens(6, names), **options).all()) == sorted(expected)


# -- colouring --------------------------------------------------------------------------------------------------------


def cycle(n):
    return [(vertex, (vertex + 1) % n) for vertex in range(n)]


POLYNOMIALS = {
    "a path": ([(0, 1), (1, 2), (2, 3)], lambda k: k * (k - 1) ** 3),
    "a triangle": (cycle(3), lambda k: k * (k - 1) * (k - 2)),
    "a cycle of 5": (cycle(5), lambda k: (k - 1) ** 5 - (k - 1)),
    "a cycle of 6": (cycle(6), lambda k: (k - 1) ** 6 + (k - 1)),
    "K4": (list(itertools.combinations(range(4), 2)), lambda k: k * (k - 1) * (k - 2) * (k - 3)),
    "K33": (
        list(itertools.product("abc", "xyz")),
        lambda k: k * (k - 1) ** 3 + 3 * k * (k - 1) * (k - 2) ** 3 + k * (k - 1) * (k - 2) * (k - 3) ** 3,
    ),
    "alone": ([("a",), ("b",)], lambda k: k * k),
    "petersen": (  # https://mathworld.wolfram.com/PetersenGraph.html
        "petersen",
        lambda k: (
            k * (k - 1) * (k - 2)
            * (k**7 - 12 * k**6 + 67 * k**5 - 230 * k**4 + 529 * k**3 - 814 * k**2 + 775 * k - 352)
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("graph", POLYNOMIALS)
def test_numbers_of_colourings_are_the_chromatic_polynomial(graph):
    edges, polynomial = POLYNOMIALS[graph]
    for colours in range(1, 5):
        problem = InterpretedColouring(edges, colours)
        for options in OPTIONS[:3]:
            assert Backtracking(problem, **options).count().count == polynomial(colours)
        if polynomial(colours) < 1000:
            for options in OPTIONS:
                found = Backtracking(problem, **options).all()
                assert found.count == len(set(found)) == polynomial(colours)
                assert all(
                    solution[one] != solution[other]
                    for solution in found
                    for one, other in read_graph(edges)[1]
                )  # fmt: skip


def test_another_state_is_searched_without_symmetry():
    problem = InterpretedColouring(cycle(3), 3)
    state = problem.initial_state()
    state.masks[0] = single(2)
    search = Backtracking(problem)
    assert search.count(state).count == 2
    assert list(search.all(state)) == [(2, 0, 1), (2, 1, 0)]
    assert search.trace(state, every=True).nodes == search.count(state).nodes


@pytest.mark.compiled
def test_compiled_colouring():
    assert runs_compiled(Colouring("petersen", 5))
    assert Backtracking(Colouring("petersen", 5)).count().count == POLYNOMIALS["petersen"][1](5)


@pytest.mark.parametrize("problem", [Colouring, InterpretedColouring])
def test_more_solutions_than_an_int_holds(problem):
    complete = list(itertools.combinations(range(13), 2))
    with pytest.raises(RulesError, match=r"more than 2\*\*62 solutions"):
        Backtracking(problem(complete, 63)).count()
    assert Backtracking(problem(complete, 13)).count().count == 6227020800


class UnorderedColouring(InterpretedColouring):
    """In the order of the vertices' numbers, without a clique first."""

    usual_order = "given"

    def sequence(self):
        return range(self.variables)


def number_of_colourings(vertices, edges, colours):
    """The chromatic polynomial at `colours`, by deletion and contraction: the slow twin."""
    if not edges:
        return colours ** len(vertices)
    one, other = min(edges)
    deleted = edges - {(one, other)}
    contracted = {tuple(sorted(one if end == other else end for end in edge)) for edge in deleted}
    return number_of_colourings(vertices, deleted, colours) - number_of_colourings(
        vertices - {other}, contracted, colours
    )


@given(
    st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda edge: edge[0] < edge[1])), st.integers(1, 4)
)
@settings(max_examples=40)
def test_colourings_are_those_of_the_slow_twin(edges, colours):
    """With every order, with and without a clique first and symmetry: in existence and in number."""
    expected = number_of_colourings(frozenset(range(8)), frozenset(edges), colours)
    for kind in (InterpretedColouring, UnorderedColouring):
        problem = kind([*itertools.product(range(8)), *sorted(edges)], colours)
        for options in ({}, {"order": "given"}, {"order": "given", "forward_checking": True}):
            search = Backtracking(problem, **options)
            assert search.count().count == expected
            first = search.first()
            assert (first.count, first.complete) == ((1, False) if expected else (0, True))
            assert all(first.solution[one] != first.solution[other] for one, other in edges if first.solution)
        if expected < 300:
            for symmetry in (True, False):
                found = Backtracking(problem, symmetry=symmetry).all()
                assert found.count == len(set(found)) == expected


def test_a_sequence_changes_the_order_alone():
    class Backwards(InterpretedQueens):
        def sequence(self):
            return reversed(range(self.n))

    expected = set(Backtracking(InterpretedQueens(6)).all())
    for options in OPTIONS:
        assert set(Backtracking(Backwards(6), **options).all()) == expected
    steps = Backtracking(Backwards(6)).trace()
    assert [step.variable for step in steps if step.depth == 1][:1] == [5]


def with_clique(size, others):
    """A cycle of `others` vertices, each with a leaf, and then a clique that hangs on one of them."""
    cycle_and_leaves = [(f"o{one}", f"o{(one + 1) % others}") for one in range(others)]
    cycle_and_leaves += [(f"o{one}", f"l{one}") for one in range(others)]
    clique = itertools.combinations([f"c{number}" for number in range(size)], 2)
    return [*cycle_and_leaves, *clique, ("o0", "c0")]


CHROMATIC_NUMBERS = {
    "a clique that comes last": (with_clique(7, 40), 7, 6),
    "mycielski 3": (mycielski(2), 4, 22),
    "mycielski 4": (mycielski(3), 5, 765),
    "queens 5": (queens(5), 5, 4),
    "queens 6": (queens(6), 7, 220),
    "queens 7": (queens(7), 7, 6),
}
"""Graphs, their chromatic numbers, and the nodes that refute one colour fewer."""


@pytest.mark.parametrize("graph", CHROMATIC_NUMBERS)
def test_chromatic_numbers(graph):
    edges, number, nodes = CHROMATIC_NUMBERS[graph]
    none = Backtracking(InterpretedColouring(edges, number - 1)).first()
    assert (none.count, none.complete, none.nodes) == (0, True, nodes)
    some = Backtracking(InterpretedColouring(edges, number)).first().solution
    assert all(some[one] != some[other] for one, other in read_graph(edges)[1])


def test_what_each_technique_saves():
    """Without symmetry or without the clique first, a graph in which the clique comes last takes more nodes."""
    edges = with_clique(4, 4)
    nodes = [
        Backtracking(problem(edges, 3), **options).first().nodes
        for problem, options in (
            (InterpretedColouring, {}),
            (InterpretedColouring, {"symmetry": False}),
            (UnorderedColouring, {"order": "most-constrained"}),
            (UnorderedColouring, {}),
        )
    ]
    assert nodes == [3, 15, 577, 577]


def test_a_first_colouring_is_no_count():
    """It stands for 22! others, which are not counted."""
    complete = list(itertools.combinations(range(22), 2))
    search = Backtracking(InterpretedColouring(complete, 22))
    assert sorted(search.first().solution) == list(range(22))
    assert search.all(most=3).count == 3
    assert search.trace(every=True).nodes == 22
    assert Backtracking(InterpretedColouring(complete, 21)).first().complete


# -- Sudoku -----------------------------------------------------------------------------------------------------------

EASY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
HARD = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."
"""By Arto Inkala, 2012, in The Telegraph as the world's hardest."""
SOLVED = "812753649943682175675491283154237896369845721287169534521974368438526917796318452"


@pytest.fixture(scope="module")
def sudoku():
    return Backtracking(Sudoku(), order="most-constrained")


def check(problem, solution):
    """Every digit once in each row, column and box."""
    grid = np.array(solution).reshape(problem.size, problem.size)
    digits = set(range(problem.size))
    for line in range(problem.size):
        row, column = divmod(line, problem.rows)
        top, left = row * problem.rows, column * problem.columns
        assert set(grid[line]) == set(grid[:, line]) == digits
        assert set(grid[top : top + problem.rows, left : left + problem.columns].flat) == digits


@pytest.mark.parametrize("grid", [EASY, HARD])
def test_sudoku(sudoku, grid):
    problem = sudoku.problem
    found = sudoku.all(problem.parse_state(grid))
    assert (found.count, found.complete) == (1, True)
    check(problem, found.solution)
    text = problem.text(found.solution)
    assert all(given in (".", digit) for given, digit in zip(grid, text, strict=True))
    if grid == HARD:
        assert text == SOLVED
    assert sudoku.all(problem.parse_state(problem.render(found.solution))).solution == found.solution


def test_grids_without_a_solution_or_with_many(sudoku):
    state = sudoku.problem.parse_state
    twice = sudoku.count(state("55" + "." * 79))
    assert (twice.count, twice.nodes, twice.complete) == (0, 0, True)
    nowhere = sudoku.count(state("12345678." + "........9" + "." * 63))  # no place for the 9 of the first row
    assert (nowhere.count, nowhere.complete) == (0, True)
    several = sudoku.all(state("." * 81), most=1)
    assert (several.count, several.complete, several.stopped) == (1, False, "enough")
    check(sudoku.problem, several.solution)
    swapped = SOLVED.replace("1", ".").replace("2", ".")
    many = sudoku.all(state(swapped))
    assert many.count == len(set(many)) == Backtracking(sudoku.problem).count(state(swapped)).count == 16
    for solution in many:
        check(sudoku.problem, solution)


def test_other_sizes():
    class Interpreted(Sudoku):
        compiled = False

    assert Backtracking(Interpreted(2), order="most-constrained").count().count == 288  # https://oeis.org/A107739
    found = Backtracking(Interpreted(2, 3), order="most-constrained").first()
    check(found.problem, found.solution)
    assert found.problem.render(found.solution).splitlines()[2] == "------+------"
    found = Backtracking(Interpreted(3, 2), order="most-constrained").first()
    check(found.problem, found.solution)
    assert found.problem.render(found.solution).splitlines()[3] == "----+-----+----"
    given = Interpreted(2, grid="1234" + "." * 12)
    assert Backtracking(given).count().count == 288 // 24


@pytest.mark.nightly
def test_all_grids_of_six():
    found = Backtracking(Sudoku(2, 3, grid="123456" + "." * 30)).count()
    assert found.count == 28_200_960 // 720  # https://en.wikipedia.org/wiki/Mathematics_of_Sudoku


# -- limits, Ctrl-C, progress -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large():
    """A count that takes hours, compiled."""
    search = Backtracking(Queens(23))  # the first solution is found soon
    search.count(limit=Limit(seconds=0.01))
    return search


def test_node_limit():
    search = Backtracking(InterpretedQueens(8))
    found = search.count(limit=Limit(nodes=500))
    assert (found.nodes, found.stopped, found.complete) == (500, "nodes", False)
    assert 0 < found.count < 92
    assert "at least" in str(found)
    some = search.all(limit=Limit(nodes=500))
    assert (some.nodes, some.stopped) == (500, "nodes")
    assert set(some) < set(search.all())


@pytest.mark.compiled
def test_time_limit_and_progress(large):
    seen = []
    found = large.count(limit=Limit(seconds=1), progress=seen.append)
    assert (found.stopped, found.complete) == ("seconds", False)
    assert found.count > 0
    assert seen
    assert 0 < seen[-1].nodes <= found.nodes


@pytest.mark.compiled
def test_ctrl_c_keeps_what_was_found(large):
    shown = []
    with ctrl_c(0, lambda: shown and shown[-1].count):
        found = large.count(progress=shown.append)
    assert found.stopped == "interrupted"
    assert found.count > 0


def test_so_many_solutions():
    search = Backtracking(InterpretedQueens(6))
    assert [search.all(most=most).complete for most in (1, 3, 4, 5)] == [False, False, True, True]
    assert search.all(most=3).solutions == search.all().solutions[:3]
    assert search.first().stopped == "enough"


# -- traces -----------------------------------------------------------------------------------------------------------


def test_a_trace_is_the_search():
    for options in OPTIONS:
        search = Backtracking(InterpretedQueens(6), **options)
        trace = search.trace(every=True)
        assert trace.nodes == len(trace) - 1 == search.count().nodes
        solutions = []
        for step in trace:
            assert step.index == trace[step.index].index
            if step.parent is not None:
                assert trace[step.parent].depth == step.depth - 1
                assert trace[step.parent].next == step.variable
            if step.why == "solution":
                values, above = [0] * 6, step
                while above.parent is not None:
                    values[above.variable] = above.value
                    above = trace[above.parent]
                solutions.append(tuple(values))
        assert len(solutions) == (4 if not search.symmetry else 2)
        assert set(solutions) <= set(search.all())
        assert {step.why for step in trace} <= {"solution", "no candidate", "all tried"}
        json.dumps(trace.as_dict())


def test_why_nothing_was_left():
    trace = Backtracking(InterpretedQueens(4), symmetry=False).trace(every=True)
    dead = [step for step in trace if step.why == "no candidate"]
    assert [(step.variable, step.value, step.next) for step in dead] == [
        (1, 2, 2), (2, 1, 3), (2, 2, 3), (1, 1, 2)
    ]  # fmt: skip
    assert [step.found for step in trace if step.depth == 1] == [False, True, True, False]
    assert trace[1].inconsistent == (0, 1)
    assert "no candidate for row 3" in str(trace)


def test_symmetric_values_are_told():
    trace = Backtracking(InterpretedQueens(4)).trace(every=True)
    assert trace[0].symmetric == (2, 3)
    assert "✂ c d  symmetric" in str(trace)


def test_a_trace_names_the_variables_of_a_problem_without_names():
    class Different(Problem):
        compiled = False
        variables = 2

        def domain(self, variable):
            return range(2)

        def allowed(self, variable, value, other, other_value):
            return value != other_value

    lines = Backtracking(Different()).trace().tree().splitlines()
    assert [line.split("  ")[0] for line in lines[1:2]] == ["└─ variable 0 = 0"]
    assert "variable 1 = 1" in lines[2]


def test_a_short_trace():
    search = Backtracking(InterpretedQueens(6))
    trace = search.trace(every=True, steps=20)
    assert (len(trace), trace.dropped) == (20, search.count().nodes + 1 - 20)
    assert "The trace is full: 20 steps are recorded" in str(trace)
    stopped = search.trace(limit=Limit(nodes=10))
    assert len(stopped) == 11
    assert stopped[0].why == "stopped"
    assert "stopped" in str(stopped)
    assert "below" in str(search.trace(every=True).tree(depth=2))
    assert len(str(Backtracking(InterpretedQueens(8)).trace(every=True)).splitlines()) <= 101


# -- problems are values; what is refused -----------------------------------------------------------------------------


class Declared(Problem):
    """The queens in the short form."""

    def __init__(self, n=8):
        self.variables = self.values = n

    def allowed(self, row, column, other_row, other_column):
        return column != other_column and abs(column - other_column) != abs(row - other_row)


@pytest.mark.compiled
def test_declared_problems_compile():
    assert runs_compiled(Declared(8))
    assert Backtracking(Declared(8)).count().count == 92
    found = Backtracking(Declared(8), order="most-constrained").first()
    assert found.solution in Backtracking(InterpretedQueens(8)).all().solutions
    assert found.problem.render(found.solution).startswith("0: ")


def test_problems_are_values():
    assert Queens(6) == Queens(n=6) != Queens(7)
    assert pickle.loads(pickle.dumps(Queens(6, ("a1",)))) == Queens(6, ("a1",))
    assert repr(Colouring(colours=4)) == "Colouring(colours=4)"
    assert hash(Sudoku()) == hash(Sudoku())
    assert Backtracking(Queens(6)) == Backtracking(Queens(6)) != Backtracking(Queens(6), symmetry=False)


@pytest.mark.compiled
def test_what_does_not_compile_runs_interpreted_with_a_warning():
    class WithDict(Declared):
        def allowed(self, row, column, other_row, other_column):
            return Fraction(abs(column - other_column)) not in (0, abs(row - other_row))

        def __init__(self, n=6):
            super().__init__(n)
            self.lists = [n]

        def weight(self, state, variable, value):
            return len(self.lists)

    with pytest.warns(RunsInterpretedWarning, match="WithDict runs interpreted") as told:
        assert Backtracking(WithDict()).count().count == 4
    assert len(told) == 1
    assert Backtracking(WithDict()).count().count == 4


def test_a_problem_that_insists():
    class Insists(Declared):
        compiled = True

        def allowed(self, row, column, other_row, other_column):
            return [row] in ([column], self.unknown)

    with pytest.raises(RulesError, match=r"Insists\.allowed does not compile"):
        Backtracking(Insists()).count()


@pytest.mark.nightly
def test_compiled_code_is_kept(python, tmp_path):
    program = "from outplay import Backtracking\nfrom outplay.backtracking.problems import Queens\n"
    program += "from outplay.compile.cache import folder\n"
    program += "print(Backtracking(Queens(9)).count().count, len(list(folder().iterdir())))"
    first = python("-c", program)
    assert first.split()[0] == "352"
    assert int(first.split()[1]) > 0
    assert python("-c", program) == first


class Nothing(Problem):
    variables = 1


class NoVariables(Declared):
    def __init__(self):
        self.variables = 0


class Large(Declared):
    def domain(self, variable):
        return (1, 64)


class WrongSequence(Declared):
    def sequence(self):
        return [0, 1]


class WrongOrder(Declared):
    usual_order = "best"


REFUSED = {
    "a game": (lambda: Backtracking("queens"), ValueError, "a Problem is wanted, not a str"),
    "order": (lambda: Backtracking(Queens(4), order="best"), ValueError, "'given', 'most-constrained' or None"),
    "switch": (lambda: Backtracking(Queens(4), forward_checking="yes"), ValueError, "True or False"),
    "variables": (lambda: Backtracking(NoVariables()), RulesError, "NoVariables.variables = 0"),
    "nothing": (lambda: Backtracking(Nothing()), RulesError, r"neither allowed\(\) nor assign\(\)"),
    "values": (lambda: Backtracking(Large(3)).count(), RulesError, "64 as a value of variable 0"),
    "depth": (lambda: Backtracking(Queens(4)).count(limit=Limit(depth=3)), ValueError, "limit seconds or nodes"),
    "most": (lambda: Backtracking(Queens(4)).all(most=0), ValueError, "most must be a whole number from 1"),
    "steps": (lambda: Backtracking(Queens(4)).trace(steps=0), ValueError, "steps must be a whole number from 1"),
    "state": (lambda: Backtracking(Queens(4)).count("x"), RulesError, "not a state of Queens"),
    "no text": (lambda: Queens(4).parse_state("x"), RulesError, "does not define parse_state"),
    "n": (lambda: Queens(32), RulesError, "from 1 to 31"),
    "blocked": (lambda: Queens(4, ("e1",)), RulesError, "'e1': the squares are a1 to d4"),
    "sequence": (
        lambda: Backtracking(WrongSequence(3)).count(),
        RulesError,
        r"sequence\(\) = \[0, 1\]: it lists every",
    ),
    "usual order": (lambda: Backtracking(WrongOrder(3)), RulesError, "WrongOrder.usual_order = 'best': it is given or"),
    "graph": (lambda: Colouring("peterson"), RulesError, "unknown graph 'peterson': use australia, petersen"),
    "edge": (lambda: Colouring("A-B-C"), RulesError, "'A-B-C' is not an edge"),
    "loop": (lambda: Colouring([(1, 1)]), RulesError, "vertex 1 is its own neighbour"),
    "empty": (lambda: Colouring([]), RulesError, "without vertices"),
    "vertices": (
        lambda: Colouring([(0, other) for other in range(1, 4001)]),
        RulesError,
        "4,001 vertices: at most 4000",
    ),
}


@pytest.mark.compiled
@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case):
    call, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        call()


def test_graphs():
    assert read_graph("c a comment\np col 3 2\ne 1 2\ne 3 2\n") == (["1", "2", "3"], [(0, 1), (2, 1)])
    names, edges = read_graph("australia")
    assert names == ["WA", "NT", "SA", "Q", "NSW", "V", "T"]
    assert len(edges) == 9
    names, edges = read_graph("petersen")
    assert [sum(vertex in edge for edge in edges) for vertex in range(10)] == [3] * 10
    assert isinstance(domains(Declared(2), [(0,), (1,)]), Domains)
