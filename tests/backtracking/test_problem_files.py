"""What the built-in problems read from files: each form is recognised for certain, or refused with the line."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outplay import RulesError
from outplay.backtracking.problems import Colouring, Queens, Sudoku
from outplay.backtracking.problems.colouring import read_graph

# -- graphs -----------------------------------------------------------------------------------------------------------

TRIANGLE = {
    "pairs": "1 2\n2 3\n3 1\n",
    "commas": "1,2\n2, 3\n3,1",
    "semicolons": "1;2\n2;3\n3;1",
    "hyphens": "1-2\n2-3\n3-1",
    "spaced hyphens": "1 - 2\n2 - 3\n3 - 1",
    "a line": "1-2 2-3 3-1",
    "tabs": "1\t2\n2\t3\n3\t1",
    "comments": "# three\n% edges\nc of a triangle\n// here\n1 2 # the first\n\n2 3\r\n3 1",
    "data of NetworkX": "1 2 {}\n2 3 {'weight': 5}\n3 1 {}",
    "neighbours once": "1: 2\n2: 3\n3: 1",
    "neighbours of both": "1: 2 3\n2: 1, 3\n3: 1;2",
    "DIMACS": "c a triangle\np edge 3 3\ne 1 2\ne 2 3\ne 3 1\n",
    "each edge twice": "p edge 3 6\ne 1 2\ne 2 1\ne 2 3\ne 3 2\ne 1 3\ne 3 1\n",
    "the header counts them twice": "p col 3 6\ne 1 2\ne 2 3\ne 3 1\n",
    "the header counts them once": "p edges 3 3\ne 1 2\ne 2 1\ne 2 3\ne 3 2\ne 1 3\ne 3 1\n",
    "large letters": "C A TRIANGLE\nP EDGE 3 3\nE 1 2\nE 2 3\nE 3 1",
    "no header": "e 1 2\ne 2 3\ne 3 1",
    "descriptors": "p edge 3 3\nn 1 1\nx 3 4\ne 1 2\ne 2 3\ne 3 1",
}


def edges_of(graph):
    vertices, edges = read_graph(graph)
    return {frozenset((vertices[one], vertices[other])) for one, other in edges}


@pytest.mark.parametrize("form", TRIANGLE)
def test_forms_of_a_graph(form):
    assert read_graph(TRIANGLE[form])[0] == ["1", "2", "3"]
    assert edges_of(TRIANGLE[form]) == {frozenset("12"), frozenset("23"), frozenset("13")}


def test_names_of_vertices():
    assert read_graph("New-York,Los Angeles\nNew-York,Boston")[0] == ["New-York", "Los Angeles", "Boston"]
    assert edges_of("c a\na b\nb c") == {frozenset("ca"), frozenset("ab"), frozenset("bc")}  # c is a vertex here
    assert edges_of("e f\nf p\np e") == {frozenset("ef"), frozenset("fp"), frozenset("pe")}
    assert read_graph("A: B\nB: A\nC:") == (["A", "B", "C"], [(0, 1), (1, 0)])
    assert read_graph("p edge 4 1\ne 1 2")[0] == ["1", "2", "3", "4"]


NO_GRAPH = {
    "words": ("A B C", "line 1, 'A B C': expected two vertices"),
    "one vertex": ("1 2\n2 3\n3", "line 3, '3': expected two vertices"),
    "weights": ("1,2,7\n2,3,5", "line 1, '1,2,7': expected two vertices, without a weight"),
    "a matrix": ("0 1 1\n1 0 1\n1 1 0", "line 1, '0 1 1': expected two vertices"),
    "sizes first": ("3 2\n1 2\n2 3", "line 1, '3 2': an edge, or the numbers of vertices and edges?"),
    "METIS": ("4 4\n2 4\n1 3\n2 4\n1 3", "line 1, '4 4': an edge, or the numbers"),
    "a number first": ("3\n1-2\n2-3", "line 1, '3': the number of vertices?"),
    "columns": ("source,target\nA,B", "line 1, 'source,target': the names of columns?"),
    "other columns": ("x y\n1 2\n2 3", "line 1, 'x y': the names of columns?"),
    "points": ("0.5 0.3\n0.2 0.1", "line 1, '0.5 0.3': '0.5' is not the name of a vertex"),
    "DOT": ("graph {\n  a -- b\n}", r"line 1, 'graph \{'"),
    "JSON": ('{"edges": [[1, 2]]}', "line 1, '{"),
    "a formula": ("p cnf 3 2\n1 -2 0\n2 3 0", "line 1, 'p cnf 3 2': not a graph to colour"),
    "arcs": ("p edge 3 1\na 1 2", "line 2, 'a 1 2': expected 'e ONE OTHER'"),
    "no e": ("p edge 3 2\n1 2\n2 3", "line 2, '1 2': expected 'e ONE OTHER'"),
    "distances": ("p edge 3 1\ne 1 2 5", "line 2, 'e 1 2 5': expected 'e ONE OTHER'"),
    "half an edge": ("e 1 2\ne 2", "line 2, 'e 2': expected 'e ONE OTHER'"),
    "given colours": ("p edge 2 1\ne 1 2\nf 1 1", "line 3, 'f 1 1': expected"),
    "weighted vertices": ("p edge 2 1\nn 1 5\ne 1 2", "line 2, 'n 1 5': expected"),
    "another word": ("p edge 2 1\nedge 1 2", "line 2, 'edge 1 2'"),
    "no vertex": ("p edge 2 1\ne 1 3", "line 2, 'e 1 3': the vertices are 1 to 2"),
    "from 0": ("p edge 2 1\ne 0 1", "line 2, 'e 0 1': the vertices are 1 to 2"),
    "two graphs": ("p edge 2 1\ne 1 2\np edge 2 1\ne 1 2", "line 3, 'p edge 2 1': a second beginning"),
    "too few": ("c cut\np edge 80 508\ne 1 2\ne 2 3", "line 2, 'p edge 80 508': 508 edges, but there are 2"),
    "half, of both ways": ("p edge 3 4\ne 1 2\ne 2 1", "line 1, 'p edge 3 4': 4 edges, but there are 2, 1 of them"),
    "too many vertices": ("p edge 999999999 0", "line 1, 'p edge 999999999 0': .* from 1 to 4000 vertices"),
    "a loop": ("1 2\n2 2", "line 2, '2 2': vertex 2 is its own neighbour"),
    "alone and joined": ("A-B B-C A", "line 1, .*: vertex 'A' stands alone here"),
    "hyphens in names": ("Bad-Ems Ulm", "line 1, 'Bad-Ems Ulm': two edges or vertices"),
    "one way": ("A: B C\nB: A\nC:", "line 1, 'A: B C': 'C' does not have the neighbour 'A'"),
    "twice": ("A: B\nA: C", "line 2, 'A: C': expected another vertex"),
    "a colon": ("A: B\nB C", "line 2, 'B C': expected another vertex, a colon"),
    "nothing": ("# nothing\n", "a graph without vertices"),
}


@pytest.mark.parametrize("case", NO_GRAPH)
def test_what_is_no_graph_is_refused(case):
    text, message = NO_GRAPH[case]
    with pytest.raises(RulesError, match=message):
        Colouring(text)


def looks_like_sizes(edges):
    """Whether the first edge may be the numbers of vertices and edges of a graph that the others make up."""
    (vertices, size), *others = edges
    return len(others) in (vertices, size) and max(map(max, others), default=9) <= vertices


@given(st.sets(st.tuples(st.integers(1, 9), st.integers(1, 9)).filter(lambda edge: edge[0] < edge[1]), min_size=1))
@settings(max_examples=50)
def test_a_graph_is_the_same_in_every_form(edges):
    wanted = {frozenset(map(str, edge)) for edge in edges}
    for form in ("v{} v{}", "{},{}", "{}-{}", "{}\t{}", "e {} {}", "E {} {}"):
        lines = [form.format(*edge) for edge in sorted(edges)]
        if form not in ("{},{}", "{}\t{}") or not looks_like_sizes(sorted(edges)):
            assert {frozenset(end.strip("v") for end in edge) for edge in edges_of("\n".join(lines))} == wanted
    lines = [f"p edge 9 {len(edges)}", *("e {} {}".format(*edge) for edge in sorted(edges))]
    assert edges_of("\n".join(lines)) == wanted
    for end in set(range(1, len(lines))) - {1 + len(edges) / 2}:  # half of them may be a header that counts both ways
        with pytest.raises(RulesError, match="the file is not whole"):
            read_graph("\n".join(lines[:end]))


# -- Sudoku -----------------------------------------------------------------------------------------------------------

GRID = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
ROWS = [GRID[row : row + 9] for row in range(0, 81, 9)]
THREES = [[row[box : box + 3] for box in (0, 3, 6)] for row in ROWS]


def boxed(between, line):
    """The grid with this between boxes, and this line between rows of boxes."""
    rows = [between.join(row) for row in THREES]
    return "\n".join([line, *rows[:3], line, *rows[3:6], line, *rows[6:], line])


GRIDS = {
    "a line": (GRID, 1),
    "rows": ("\n".join(ROWS), 1),
    "blank lines between grids": ("\n\n".join(["\n".join(ROWS)] * 3), 3),
    "no lines between grids": ("\n".join(ROWS * 3), 3),
    "blank lines between boxes": (boxed(" ", ""), 1),
    "headings": ("\n".join(f"Grid {number:02}\n" + "\n".join(ROWS) for number in (1, 2)), 2),
    "numbers": ("\n".join(f"{number}.\n" + "\n".join(ROWS) for number in (1, 2)), 2),
    "=": ("\n========\n".join(["\n".join(ROWS)] * 3), 3),
    "CR LF": ("\r\n".join(["Grid 01", *ROWS, "Grid 02", *ROWS]), 2),
    "|": (boxed("|", "---+---+---"), 1),
    "+": (boxed(" | ", "+-----+-----+-----+"), 1),
    "*": (boxed("|", "*-----------*"), 1),
    "box drawing": (boxed("│", "├───┼───┼───┤"), 1),
    "hyphens as borders and cells": (boxed("|", "---+---+---").replace(".", "-"), 1),
    "spaces": ("\n".join(" ".join(row) for row in ROWS), 1),
    "commas": ("\n".join(",".join(row) for row in ROWS), 1),
    "81 and commas": (",".join(GRID), 1),
    "JSON": ("[[" + "],\n[".join(",".join(row.replace(".", "0")) for row in ROWS) + "]]", 1),
    "solutions": (f"quizzes,solutions\n{GRID},{SOLUTION}\n{GRID},{SOLUTION}\n", 2),
    "ratings": (f"0000183b305c {GRID} 1.2\n000018f1a2b3 {GRID} 10.5\n", 2),
    "names": (f"easy-1 {GRID}\nhard 2: {GRID} # from the paper\n{GRID};last", 3),
    "a number of lines": (f"2\n{GRID}\n{GRID}", 2),
    "comments": (f"#AAuthor\n#DDescription\n[Puzzle]\n{chr(10).join(ROWS)}\n", 1),
}


@pytest.mark.parametrize("form", GRIDS)
def test_forms_of_a_sudoku(form):
    text, number = GRIDS[form]
    wanted = Sudoku().parse_state(GRID).masks.tolist()
    states = [state.masks.tolist() for _, state in Sudoku().instances(text)]
    assert states == [wanted] * number
    if number == 1:
        assert Sudoku().parse_state(text).masks.tolist() == wanted


@pytest.mark.parametrize("mark", ".0*_-xX?")
def test_marks_of_empty_cells(mark):
    wanted = Sudoku().parse_state(GRID).masks.tolist()
    for text in (GRID, "\n".join(ROWS), boxed(" | ", "------+-------+------"), ",".join(GRID)):
        assert Sudoku().parse_state(text.replace(".", mark)).masks.tolist() == wanted
    empty_row = Sudoku().parse_state("\n".join(["123456789", *["." * 9] * 8])).masks.tolist()
    assert Sudoku().parse_state("\n".join([f"12345678{mark}", *[mark * 9] * 8])).masks.tolist() != empty_row


def test_larger_sudokus():
    letters = "\n".join(["123456789ABCDEFG", *["." * 16] * 15])
    numbers = "\n".join([" ".join(map(str, range(1, 17))), *[" ".join("0" * 16)] * 15])
    assert Sudoku(4).parse_state(letters).masks.tolist() == Sudoku(4).parse_state(numbers).masks.tolist()
    assert [given.bit_count() for given in Sudoku(4).parse_state(numbers).masks.tolist()[:16]] == [1] * 16


NO_SUDOKU = {
    "cells": ("123", "line 1, '123': 3 cells; with boxes of 3 × 3, a row has 9 cells and a grid 81"),
    "80 cells": (f"{GRID}\n{GRID[:80]}", "line 2, '53.*: 80 cells"),
    "a digit": (GRID.replace("5", "A"), "line 1, 'A3.*: 'A': no digit"),
    "8 rows": ("\n".join(ROWS[:8]), "line 9: the grid that begins in line 1 has 8 rows here"),
    "8 rows after a heading": ("\n".join(["Grid 1", *ROWS, "Grid 2", *ROWS[:8]]), "line 20: .* begins in line 12"),
    "8 rows and 10": ("\n".join([*ROWS[:8], "", *ROWS, ROWS[8]]), "line 9: the grid that begins in line 1 has 8 rows"),
    "6 rows and 12": ("\n".join([*ROWS[:6], "====", *ROWS, *ROWS[6:]]), "line 7: .* has 6 rows here"),
    "a short row": ("\n".join([*ROWS[:4], ".....", *ROWS[5:]]), "line 5, '.....': 5 cells"),
    "spaces as cells": ("\n".join(ROWS).replace(".", " "), "line 1, '53  7': 3 cells"),
    "a heading without a grid": ("\n".join(["Grid 1", *ROWS, "Grid 2"]), "line 11, 'Grid 2': no grid follows"),
    "words": ("hello\nworld", "line 2, 'world': no grid follows"),
    "two marks": (GRID.replace(".", "x", 1), "line 1, .*: . and X in one grid"),
    "two grids in a line": (f"{GRID} {GRID}", "line 1, .*: two grids, of which the second is not a solution"),
    "not its solution": (f"{GRID} {SOLUTION[1:]}5", "line 1, .*: two grids"),
    "a cut line": (f"easy 1 {GRID}\neasy 2 {GRID[:7]}", "line 2, 'easy 2 53..7..'"),
    "a wrong number of lines": (f"3\n{GRID}\n{GRID}", "line 1, '3': 1 cells"),
    "pencil marks": ("[State]\n" + "\n".join(ROWS), r"line 1, '\[State\]'"),
    "a formula": ("p cnf 3 2\n1 -2 0\n2 3 0", "line 1, 'p cnf 3 2'"),
}


@pytest.mark.parametrize("case", NO_SUDOKU)
def test_what_is_no_sudoku_is_refused(case):
    text, message = NO_SUDOKU[case]
    with pytest.raises(RulesError, match=message):
        list(Sudoku().instances(text))


def test_hexadecimal_digits_from_0_are_refused():
    with pytest.raises(RulesError, match=r"line 1, '0123.*: \. and 0 in one grid"):
        Sudoku(4).parse_state("\n".join(["0123456789ABCDEF", *["." * 16] * 15]))
    with pytest.raises(RulesError, match="2 Sudokus in a text that is to have one"):
        Sudoku().parse_state(f"{GRID}\n{GRID}")


@pytest.mark.parametrize("form", ["blank lines between grids", "headings", "=", "solutions", "ratings", "CR LF"])
def test_a_part_of_a_file_is_never_read_as_less(form):
    """Each beginning of a file is refused, or is some of its first grids, all of them whole."""
    text, number = GRIDS[form]
    wanted = Sudoku().parse_state(GRID).masks.tolist()
    counts = set()
    for end in itertools.chain(range(0, len(text), 7), [len(text)]):
        try:
            read = [state.masks.tolist() for _, state in Sudoku().instances(text[:end])]
        except RulesError:
            continue
        assert read == [wanted] * len(read)
        counts.add(len(read))
        lines = [line for line in text[:end].splitlines() if "." in line]
        assert sum(map(len, lines)) == 81 * len(read) or (form in ("solutions", "ratings") and len(lines) == len(read))
    assert number in counts


# -- queens -----------------------------------------------------------------------------------------------------------

NO_BOARDS = {
    "a row": ("3\n...\n..\n...\n0", "line 3, '..': expected 3 squares"),
    "rows": ("3\n...\n...\n0", "line 4, '0': expected 3 squares"),
    "no number": ("three\n0", "line 1, 'three': expected a number of rows from 1 to 31"),
    "too many": ("32\n0", "line 1, '32': expected a number of rows from 1 to 31"),
    "no end": ("1\n.\n", "the last line, and no other, must be 0"),
    "no end of more": ("1\n.\n0\n1\n*\n", "the last line, and no other, must be 0"),
    "more": ("1\n.\n0\n1\n*\n0", "the last line, and no other, must be 0"),
}


@pytest.mark.parametrize("case", NO_BOARDS)
def test_what_are_no_boards_is_refused(case):
    text, message = NO_BOARDS[case]
    with pytest.raises(RulesError, match=message):
        list(Queens().instances(text))


def test_boards():
    assert [board for board, _ in Queens().instances("2\n..\n*.\n\n1\n.\n0\n")] == [Queens(2, ("a1",)), Queens(1)]
