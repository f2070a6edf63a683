"""`outplay backtrack`, as a person meets it."""

import json
import os
import re
import signal
import sys

import pytest
from shared import PATIENCE

from cli.test_cli import error, folder, process, run  # noqa: F401 - `folder` is a fixture for every test

PROBLEM = '''
from outplay import Game, Problem
from outplay.backtracking.problems import Queens


class Order(Problem):
    """Three numbers, each larger than the last."""

    compiled = False

    def __init__(self, values=4):
        self.variables = 3
        self.values = values

    def allowed(self, one, value, other, other_value):
        return value < other_value


class Small(Queens):
    compiled = False


class Broken(Order):
    def allowed(self, one, value, other, other_value):
        return value < other_value // 0
'''
UVA = "8\n" + "........\n" * 8 + "4\n.*..\n....\n....\n....\n0\n"
"""The sample of "Another n-Queen Problem", UVa 11195."""
NODES = [1028, 862, 680, 2056]
"""Of eight queens: plain, with forward checking, the most constrained row first, without symmetry."""
GRID = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"


@pytest.fixture(autouse=True)
def files(folder):  # noqa: F811
    (folder / "order.py").write_text(PROBLEM)
    (folder / "uva.txt").write_text(UVA)
    (folder / "grid.txt").write_text(f"# two grids\n{GRID}\n{'55' + GRID[2:]}\n")
    (folder / "cut.col").write_text("p edge 3 508\ne 1 2\n")
    (folder / "cut.txt").write_text(f"{GRID[:9]}\n{GRID[9:18]}\n")
    (folder / "graph.col").write_text("c a triangle\np edge 3 3\ne 1 2\ne 2 3\ne 1 3\n")


def test_all_the_solutions_of_eight_queens():
    shown = run("backtrack", "queens(8)", "--all")
    assert shown.count(" Q ") + shown.count(" Q\n") == 8 * 92
    assert shown.count("a b c d e f g h") == 92
    assert "92 solutions, 1,028 nodes in" in shown
    answer = json.loads(run("backtrack", "queens(8)", "--all", "--json"))
    assert len(set(map(tuple, answer["solutions"]))) == answer["count"] == 92
    assert (answer["complete"], answer["stopped"], answer["problem"]) == (True, "", "Queens()")


def test_one_or_whether_it_is_the_only_one():
    assert "1 solution, " in run("backtrack", "order.py:Order", "--first")
    assert run("backtrack", "order.py:Order").splitlines()[:4] == ["0: 0", "1: 1", "2: 2", ""]
    assert "not the only solution, " in run("backtrack", "order.py:Order")
    assert "the only solution, " in run("backtrack", "order.py:Order(3)")
    assert run("backtrack", "order.py:Order(2)").startswith("no solution, ")
    assert "a solution, perhaps others, 3 nodes" in run("backtrack", "order.py:Order", "--nodes", "3", code=1)
    assert "no solution so far, 2 nodes" in run("backtrack", "order.py:Order", "--nodes", "2", code=1)
    assert run("backtrack", "order.py:Order", "--all", "--most", "2").count("0: ") == 2


def test_another_n_queen_problem():
    assert run("backtrack", "queens", "--input", "uva.txt", "--count") == "Case 1: 92\nCase 2: 1\n"
    assert run("backtrack", "queens", "--input", "-", "--count", stdin="4\n" + "....\n" * 4 + "0") == "Case 1: 2\n"


def test_sudoku():
    shown = run("backtrack", "sudoku", "--state", GRID)
    assert shown.startswith("5 3 4 | 6 7 8 | 9 1 2\n")
    assert "the only solution, 81 nodes" in shown
    both = run("backtrack", "sudoku", "--input", "grid.txt")
    assert both.startswith("2 Sudokus of 9 × 9 cells\n\nCase 1:\n5 3 4 |")
    assert "Case 2:\nno solution, 0 nodes" in both
    answer = json.loads(run("backtrack", "sudoku", "--input", "grid.txt", "--json"))
    assert answer["read"] == "2 Sudokus of 9 × 9 cells"
    assert [case["count"] for case in answer["cases"]] == [1, 0]
    given, constrained = (
        json.loads(run("backtrack", "sudoku", "--state", GRID, "--json", *order))["nodes"]
        for order in (("--order", "given"), ())
    )
    assert given > constrained == 81


def test_colouring():
    shown = run("backtrack", "colouring", "--all", "--input", "graph.col")
    assert shown.startswith("3 vertices, 3 edges\n\n1: 1\n2: 2\n3: 3\n")
    assert "6 solutions, " in shown
    assert run("backtrack", "colouring(colours=2)", "--count", "--input", "graph.col") == "Case 1: 0\n"
    assert run("backtrack", "colouring('A-B', 2)", "--first").startswith("A: 1\nB: 2\n")


def test_a_list_of_edges_is_no_list_of_vertices():
    """A triangle has no colouring in one colour or two."""
    for colours, answer in (1, "no solution"), (2, "no solution"), (3, "1 solution"):
        shown = run(
            "backtrack", f"colouring(colours={colours})", "--input", "-", "--first", stdin="\ufeff1 2\n2 3\n3 1\n"
        )
        assert shown.startswith("3 vertices, 3 edges\n")
        assert f"\n{answer}, " in shown


def test_options_change_the_work_alone():
    found = {
        options: json.loads(run("backtrack", "order.py:Small", "--count", "--json", *options))
        for options in ((), ("--forward-checking",), ("--order", "most-constrained"), ("--no-symmetry",))
    }
    assert {answer["count"] for answer in found.values()} == {92}
    assert [answer["nodes"] for answer in found.values()] == NODES


def test_trace():
    shown = run("backtrack", "queens(4)", "--trace", "--forward-checking")
    assert shown.startswith("Queens(n=4), 8 nodes   leads to a solution\n├─ row 1 = a           dead end\n")
    assert "no candidate for row 3" in shown
    assert "✂ c d  symmetric" in run("backtrack", "queens(4)", "--trace", "--all")
    steps = json.loads(run("backtrack", "queens(4)", "--trace", "--json"))["steps"]
    assert [step["why"] for step in steps].count("solution") == 1


def test_help_has_examples():
    shown = run("backtrack", "--help")
    assert 'outplay backtrack "queens(8)" --all' in shown
    assert "most-constrained" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("quens",), "no problem is called 'quens'; did you mean queens?"),
        (("queens(40)",), "n must be a whole number from 1 to 31"),
        (("queens(size=8)",), "Queens has no parameter size"),
        (("nothing.py",), "there is no file nothing.py"),
        (("order.py",), "defines several problems: choose one, for instance order.py:Order"),
        (("order.py:Game",), "is not a class that derives from outplay.Problem"),
        (("order.py:Broken",), "the rules failed: ZeroDivisionError"),
        (("queens", "--all", "--count"), "--first, --all and --count: choose one"),
        (("queens", "--trace", "--count"), "--trace and --count: choose one"),
        (("queens", "--order", "best"), "'given', 'most-constrained' or None"),
        (("queens", "--state", "x"), "does not define parse_state()"),
        (("sudoku", "--state", "12"), "line 1, '12': 2 cells; with boxes of 3 × 3, a row has 9 cells"),
        (("sudoku", "--input", "missing.txt"), "--input: missing.txt cannot be read: No such file"),
        (("queens", "--input", "grid.txt"), "--input grid.txt: the last line, and no other, must be 0"),
        (("colouring", "--input", "cut.col"), "--input cut.col: line 1, 'p edge 3 508': 508 edges, but there are 1"),
        (("sudoku", "--input", "cut.txt"), "--input cut.txt: line 3: the grid that begins in line 1 has 2 rows"),
        (("queens", "--input", "uva.txt", "--state", "x"), "--state and --input: choose one"),
        (("queens", "--seconds", "-1"), "--seconds"),
    ],
)
def test_errors(arguments, message):
    assert message in " ".join(error("backtrack", *arguments).replace("│", " ").split())


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")
def test_ctrl_c_prints_what_was_found():
    terminal, end = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with process("backtrack", "queens(22)", "--count", stderr=end, env=environment) as running:
        os.close(end)
        shown = ""
        while not re.search(r"\d{3} solutions, [\d.]+ [kM] nodes", shown):
            shown += os.read(terminal, 10_000).decode()
        running.send_signal(signal.SIGINT)
        answer = running.communicate(timeout=PATIENCE)[0]
        os.close(terminal)
    assert running.returncode == 130
    assert re.match(r"at least [\d,]+ solutions, [\d,]+ nodes in .* stopped: interrupted", answer)
