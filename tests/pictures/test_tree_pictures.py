"""Pictures of trees: the layout keeps nodes apart, and the SVG shows what the trace holds."""

import itertools
import json
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared.hashed_game import interpreted
from typer.testing import CliRunner

from outplay import MCTS, AlphaBeta, Expectiminimax, Limit, MaxN, Minimax, OutplayError, Trace
from outplay.cli.commands import app
from outplay.games import ExplicitTree, TicTacToe
from outplay.pictures import svg
from outplay.pictures.layout import tidy
from outplay.pictures.tree import CUT, END, LEFT, MAX, MIN, Node, TreePicture

FIGURE = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]
SVG = "{http://www.w3.org/2000/svg}"


def traced(searcher, state=None, limit=None):
    trace = Trace()
    searcher.search(state, limit, trace=trace)
    return trace


def run(*arguments, code=0):
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == code, result.output
    return result.output


# -- the layout -------------------------------------------------------------------------------------------------------


@st.composite
def trees(draw):
    """The children of each node, and how far each reaches."""
    parents = [draw(st.integers(max(0, node - 6), node)) for node in range(draw(st.integers(0, 40)))]
    children = [[] for _ in range(len(parents) + 1)]
    for node, parent in enumerate(parents, 1):
        children[parent].append(node)
    widths = st.integers(1, 30).map(float)
    return children, [(draw(widths), draw(widths)) for _ in children]


def levels(children):
    """The nodes of each level, from left to right."""
    level = [0]
    while level:
        yield level
        level = [child for node in level for child in children[node]]


@settings(max_examples=80, deadline=None)
@given(trees(), st.integers(0, 9))
def test_nodes_of_a_level_do_not_overlap_and_parents_are_centred(tree, gap):
    children, extents = tree
    x = tidy(children, extents, gap)
    assert min(at - left for at, (left, _) in zip(x, extents, strict=True)) == pytest.approx(0)
    for level in levels(children):
        for left, right in itertools.pairwise(level):
            assert x[right] - x[left] >= extents[left][1] + extents[right][0] + gap - 1e-6
    for node, below in enumerate(children):
        if below:
            assert x[node] == pytest.approx((x[below[0]] + x[below[-1]]) / 2)


def test_equal_subtrees_look_the_same_and_siblings_lie_evenly():
    children = [[1, 2, 3], [4, 5], [6, 7], [8, 9], [], [], [], [], [], []]
    x = tidy(children, [(1.0, 1.0)] * 10, 1)
    assert [x[node] - x[1] for node in (2, 3)] == [6, 12]
    assert [x[first] - x[above] for above, first in ((1, 4), (2, 6), (3, 8))] == [-1.5] * 3


def test_deep_and_wide_trees_are_laid_out_without_recursion():
    deep = [[node + 1] for node in range(20_000)] + [[]]
    assert set(tidy(deep, [(1.0, 1.0)] * 20_001, 1)) == {1.0}
    wide = [list(range(1, 20_001))] + [[] for _ in range(20_000)]
    assert tidy(wide, [(1.0, 1.0)] * 20_001, 1)[:3] == [30_000 - 0.5, 1, 4]


# -- the picture ------------------------------------------------------------------------------------------------------


def parts(text):
    """The texts of a picture, and its path for each class."""
    root = ElementTree.fromstring(text)
    paths = {
        " ".join(each for each in path.get("class").split() if each != "shape" and each not in svg.CLASSES): path.get(
            "d"
        )
        for path in root.iter(f"{SVG}path")
    }
    return [each.text for each in root.iter(f"{SVG}text")], paths


def test_the_figure_of_the_book():
    tree = {
        "name": "A",
        "names": ["a1", "a2", "a3"],
        "children": [
            {"name": name, "names": [f"{name.lower()}{i}" for i in (1, 2, 3)], "children": leaves}
            for name, leaves in zip("BCD", FIGURE, strict=True)
        ],
    }
    picture = traced(AlphaBeta(ExplicitTree(tree), textbook=True)).picture()
    texts, paths = parts(picture.svg())
    assert texts[0] == "AlphaBeta(textbook=True), 11 visits"
    for text in ("A 3", "B 3", "C ≤ 2", "D 2", "(−∞, +∞)", "(3, +∞)", "a1", "d3", "c2 (4)", "c3 (6)", "pruned"):
        assert text in texts
    assert "c2" not in texts
    count = {kind: path.count("M") for kind, path in paths.items()}
    assert count == {"e": 8, "e pv": 2, "c": 1, "x": 2, "max": 1, "min": 3, "end": 7}
    assert [node.shape for node in picture.nodes] == [MAX, MIN, END, END, END, MIN, END, MIN, END, END, END, CUT]
    assert "nan" not in picture.svg()


def test_dice_and_many_players():
    coin = {"player": "chance", "children": [-5, [5, 6]], "names": ["tails", "heads"], "probabilities": [0.25, 0.75]}
    texts, paths = parts(traced(Expectiminimax(ExplicitTree([[3, 12], coin]), textbook=True)).picture().svg())
    assert {"tails (0.25)", "heads (0.75)", "2.5"} < set(texts)
    assert paths["chance"].count("M") == 1
    leaves = [{"utility": [1, 1, 7]}, {"utility": [3, 2, 5]}, {"utility": [2, 4, 1]}, {"utility": [2, 3, 4]}]
    texts, paths = parts(traced(MaxN(ExplicitTree([leaves[:2], leaves[2:]]), textbook=True)).picture().svg())
    assert texts.count("(3, 2, 5)") == 3
    assert texts.count("player 1") == 2
    assert (paths["other"].count("M"), paths["e pv"].count("M")) == (3, 2)


def test_boards_are_drawn_in_the_nodes():
    game = TicTacToe()
    state = game.initial_state()
    for name in ("a1", "b2", "c3", "a3", "c1"):
        state = game.result(state, game.parse_action(state, name))
    trace = traced(AlphaBeta(game, textbook=True), state)
    picture = trace.picture(boards=True)
    boards = ElementTree.fromstring(picture.svg()).findall(f".//{SVG}svg")
    marks = [[text.text for text in board.iter(f"{SVG}text")] for board in boards]
    assert [sorted(each) for each in marks] == [
        sorted(mark for line in game.render(visit.state).splitlines()[:3] for mark in line if mark in "XO")
        for visit in trace
    ]
    assert "3 O . X" in picture.dot()
    plain = ExplicitTree([[3, 12], [2, 4]])  # it draws no boards: the text stands in the nodes
    trace = traced(AlphaBeta(plain, textbook=True))
    assert not ElementTree.fromstring(trace.picture(boards=True).svg()).findall(f".//{SVG}svg")
    assert all(node.board for node in trace.picture(boards=True).nodes if node.shape != CUT)


def test_what_is_folded_says_how_much():
    trace = traced(Minimax(TicTacToe(), textbook=True), None, Limit(depth=3))
    picture = trace.picture(plies=1)
    assert len(picture.nodes) == 10
    assert parts(picture.svg())[0].count("64 below") == 9
    assert len(trace.picture().nodes) < 250 < len(trace)


def test_a_picture_of_a_thousand_nodes_is_small():
    trace = traced(Minimax(ExplicitTree([[[[1] * 9] * 10] * 10]), textbook=True))
    assert len(trace) == 1012
    assert len(trace.picture(plies=99).svg()) < 200_000


def test_texts_are_escaped():
    game = ExplicitTree({"name": "<b>&\"'", "names": ["a<b", "c&d"], "children": [1, 2]})
    picture = traced(Minimax(game, textbook=True)).picture()
    texts, _ = parts(picture.svg())
    assert {"<b>&\"' 2", "a<b", "c&d"} < set(texts)
    assert r'label="<b>&\"' in picture.dot()


def test_what_xml_does_not_allow_is_replaced(tmp_path):
    """Such as control characters, and the half of a character, which no file can hold."""
    game = ExplicitTree({"name": "\ud800x\x1b", "names": ["a\0b", "\udfffc"], "children": [1, 2]})
    trace = traced(AlphaBeta(game, textbook=True))
    texts, _ = parts(trace.picture().svg())
    assert {"�x� 2", "a�b", "�c"} < set(texts)
    for name in ("a.svg", "a.dot"):
        trace.picture().save(tmp_path / name)
        assert "�x�" in (tmp_path / name).read_text("utf-8")
    trace.save(tmp_path / "a.html")
    assert "�x" in (tmp_path / "a.html").read_text("utf-8")


def test_dot():
    dot = traced(AlphaBeta(ExplicitTree([[3, 12], [2, 4]]), textbook=True)).picture().dot()
    assert dot.splitlines()[0] == 'digraph "AlphaBeta(textbook=True), 6 visits" {'
    assert len(re.findall(r"^  n\d+ \[", dot, re.MULTILINE)) == 7
    assert 'n0 -> n1 [label="1", penwidth=2.5];' in dot
    assert dot.count("style=dashed") == 1


def test_files(tmp_path):
    picture = TreePicture([Node(MAX, ["3"])], "one node")
    for name in ("a.svg", "a.dot", "A.SVG"):
        picture.save(tmp_path / name)
        assert "one node" in (tmp_path / name).read_text("utf-8")
    for wrong in ("a.pdf", "a"):
        with pytest.raises(OutplayError, match=r"saved as \.svg or \.png or \.dot"):
            picture.save(tmp_path / wrong)
    with pytest.raises(OutplayError, match="cannot be written"):
        picture.save(tmp_path / "missing" / "a.svg")


def test_notebooks_show_a_trace():
    picture = traced(AlphaBeta(ExplicitTree(FIGURE), textbook=True)).picture()
    assert repr(picture).startswith("<TreePicture 'AlphaBeta(textbook=True), 11 visits': notebooks show it, save(")
    trace = Trace()
    assert trace._repr_svg_() is None
    with pytest.raises(ValueError, match="nothing was searched"):
        trace.picture()
    trace = traced(Minimax(ExplicitTree([1, 2]), textbook=True))
    assert trace._repr_svg_() == trace.picture().svg() == trace.picture()._repr_svg_()
    with pytest.raises(ValueError, match=r"Trace\.picture\(9\): choose a recorded depth: "):
        trace.picture(iteration=9)


def test_no_edge_runs_through_the_text_of_another():
    """Texts of edges stand on their nodes, below where all edges to this level end, and right of one another."""
    names = [f"action {number}" for number in range(12)]
    nodes = [Node(MAX, ["3"], children=list(range(1, 13)))]
    nodes += [Node(END, [str(number)], edge=name) for number, name in enumerate(names)]
    root = ElementTree.fromstring(TreePicture(nodes, "flat").svg())
    labels = [each for each in root.iter(f"{SVG}text") if each.text in names]
    assert [each.text for each in labels] == names
    (edges,) = [each.get("d") for each in root.iter(f"{SVG}path") if each.get("class").startswith("e ")]
    ends = [(float(x), float(y)) for x, y in re.findall(r"L([\d.]+) ([\d.]+)", edges)]
    assert len(ends) == len(names)
    for label, (x, y) in zip(labels, ends, strict=True):
        assert float(label.get("x")) == x
        assert y <= float(label.get("y")) - 9  # above the letters
    places = [float(each.get("x")) for each in labels]
    widths = [svg.text_width(each.text, 11) for each in labels]
    gaps = [right - left - wide for left, right, wide in zip(places, places[1:], widths, strict=False)]
    assert min(gaps) > 0


def test_edges_begin_below_the_texts_beside_a_node():
    nodes = [Node(MAX, ["3", "4 untried", "more"], children=[1, 2]), Node(END, ["1"]), Node(END, ["2"])]
    root = ElementTree.fromstring(TreePicture(nodes, "long").svg())
    lowest = max(float(each.get("y")) for each in root.iter(f"{SVG}text") if each.text == "more")
    (edges,) = [each.get("d") for each in root.iter(f"{SVG}path") if each.get("class").startswith("e ")]
    assert all(float(y) > lowest for y in re.findall(r"V([\d.]+)L", edges))
    assert edges.count("V") == 2


def test_a_colour_means_one_player():
    """With boards, the boxes have the colours of the pieces; without, shapes alone tell MAX from MIN."""
    game = interpreted(TicTacToe)
    state = game.initial_state()
    for name in ("a1", "b2", "c3", "a3", "c1", "b1", "a2"):
        state = game.result(state, game.parse_action(state, name))
    assert game.to_move(state) == 1  # O, which is orange, is MAX
    picture = traced(AlphaBeta(game, textbook=True), state).picture(boards=True)
    assert (picture.nodes[0].shape, picture.nodes[0].colour) == (MAX, "orange")
    assert {node.colour for node in picture.nodes if node.shape == MIN} <= {"blue"}
    plain = traced(AlphaBeta(game, textbook=True), state).picture()
    assert {node.colour for node in plain.nodes} == {""}
    assert "blue" not in plain.svg()
    assert "orange" not in plain.svg()


def test_the_style_has_every_colour_that_is_used():
    text = TreePicture([Node(MAX, ["3"])], "one node").svg()
    used = set(re.findall(r"var\(--([\w-]+)\)", text))
    assert used == set()
    for number in (0, 1):  # contrast as the web's guidelines ask for texts
        colours = {name: pair[number] for name, pair in svg.COLOURS.items()}
        for name in ("ink", "faint"):
            assert contrast(colours[name], colours["paper"]) >= 4.5
        for name in ("blue", "orange", "green", "line"):
            assert contrast(colours[name], colours["paper"]) >= 3


def contrast(colour, other):
    """The ratio of luminances (WCAG 2.1)."""

    def luminance(colour):
        shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in shares)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(colour), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command(tmp_path):
    game = "explicit-tree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])"
    assert run("tree", game).startswith("AlphaBeta(textbook=True), 11 visits  value  window ")
    assert run("tree", game, "--engine").startswith("AlphaBeta, depth ")
    assert run("tree", game, "--algorithm", "minimax", "--plies", "1").count("3 below") == 3
    assert len(json.loads(run("tree", game, "--json"))["trace"]["visits"]) == 11
    file = tmp_path / "tree.svg"
    assert run("tree", game, "--svg", str(file)) == f"Written: {file}\n"
    assert "pruned" in parts(file.read_text("utf-8"))[0]
    run("tree", "tic-tac-toe", "--moves", "a1 b2 c3 a3 c1", "--boards", "--svg", str(file))
    assert file.read_text("utf-8").count('class="board"') == 16
    run("tree", game, "--html", str(tmp_path / "a.html"), "--dot", str(tmp_path / "a.dot"))
    assert "MAX has something as good elsewhere" in (tmp_path / "a.html").read_text("utf-8")
    assert "digraph" in (tmp_path / "a.dot").read_text("utf-8")


@pytest.mark.nightly
def test_a_tree_that_is_too_large_is_searched_to_a_depth():
    shown = run("tree", "connect-four", "--plies", "1")
    assert "The whole tree has more than 100,000 nodes; this is the search to depth 3." in shown
    assert "├─ 4: MIN " in shown
    assert "chance" in run("tree", "pig", "--depth", "1")


def test_the_sweeps_of_value_iteration():
    shown = run("tree", "pig(2)", "--algorithm", "value-iteration", "--plies", "1")
    assert shown.startswith("ValueIteration, sweep ")
    assert "root         player 0" in shown


def test_the_tree_of_simulations(tmp_path):
    files = [tmp_path / "a.svg", tmp_path / "a.html"]
    same = ("tree", "tic-tac-toe", "--algorithm", "mcts", "--simulations", "9", "--seed", "4")
    run(*same, "--svg", str(files[0]), "--html", str(files[1]))
    assert all(file.stat().st_size > 1000 for file in files)
    shown = run(*same)
    assert shown.startswith("MCTS, 9 simulations")
    assert shown == run(*same)
    found = json.loads(run(*same, "--json"))
    assert len(found["trace"]["simulations"]) == 9
    assert run(*same, "--plies", "1").count("\n") < shown.count("\n")


def test_options_of_the_algorithm():
    same = ("tree", "tic-tac-toe", "--algorithm", "mcts", "--simulations", "3")
    assert "\nselected by w/n + c √(ln N / n), c = 2.8\n" in run(
        *same, "--set", "selection=ucb1", "--set", "exploration=1.4"
    )
    engine = ("tree", "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]", "--engine")
    assert ["left out" in run(*engine, *more) for more in ((), ("--set", "beam=2"))] == [False, True]


def test_what_is_left_of_zero_is_shown_as_zero():
    game = ExplicitTree({"player": "chance", "probabilities": [0.1, 0.2, 0.7], "children": [1, 3, -1]})
    trace = traced(Expectiminimax(game, textbook=True))
    assert 0 < trace[0].value < 1e-15
    assert str(trace).splitlines()[1].split() == ["chance", "0", "all", "searched"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["nim", "--set", "beam=2"],
            "--set beam=2: the search of textbooks has no options; outplay tree --engine shows",
        ),
        (["nim", "--algorithm", "mcts", "--set", "selction=ucb1"], "did you mean selection?"),
        (
            ["nim", "--algorithm", "paranoid"],
            "choose minimax, alpha-beta, expectiminimax, max-n, mcts, proof-number or value-iteration",
        ),
        (["nim", "--algorithm", "proof-number", "--simulations", "3"], "--simulations is not for proof-number"),
        (["nim", "--algorithm", "proof-number", "--engine"], "--engine is for alpha-beta and mtdf, not proof-number"),
        (["nim", "--algorithm", "mtdf"], "or outplay tree --engine"),
        (["kuhn-poker"], "KuhnPoker has hidden information, so searches visit no tree of states"),
        (["nim((3, 4"], "is not a game: 2 ( and 0 ): write a name"),
        (["nim", "--algorithm", "mcts", "--engine"], "--engine is for alpha-beta and mtdf, not mcts"),
        (["nim", "--algorithm", "mcts", "--depth", "3"], "--depth is not for mcts; give --simulations"),
        (["pig", "--algorithm", "value-iteration", "--depth", "3"], "--depth is not for value-iteration"),
        (["pig(2)", "--algorithm", "value-iteration", "--svg", "a.svg"], "a trace of sweeps has no picture; print it"),
        (["nim", "--simulations", "3"], "--simulations is not for alpha-beta"),
        (["nim", "--seed", "3"], "--seed is not for alpha-beta"),
        (["nim", "--algorithm", "minimax", "--engine"], "--engine is for alpha-beta and mtdf, not minimax"),
        (["nim", "--svg", "tree.png"], "--svg tree.png: the name must end in .svg"),
        (["nim", "--html", "tree.svg"], "--html tree.svg: the name must end in .html"),
        (["nim", "--html", "a.html", "--engine"], "outplay's own search has no steps"),
        (
            ["pig(2)", "--algorithm", "value-iteration", "--html", "a.html"],
            "value-iteration has no steps: outplay tree",
        ),
        (["nim", "--boards"], "--boards is for a picture"),
        (["nim", "--svg", "none/a.svg"], "--svg none/a.svg cannot be written: there is no folder"),
        (["nim", "--dot", "none/a.dot"], "--dot none/a.dot cannot be written: there is no folder"),
        (["[" * 600 + "1" + "]" * 600], "too many nested brackets"),
        (["tic-tac-toe", "--moves", "a1 b1 a2 b2 a3"], "the game is over: there is nothing to search"),
        (["pig", "--algorithm", "minimax"], "has chance nodes"),
    ],
)
def test_errors(arguments, words):
    output = " ".join(run("tree", *arguments, code=2).replace("│", " ").split())
    assert words in output
    assert "Traceback" not in output


def test_a_tree_of_hundreds_of_plies_is_an_error(tmp_path):
    file = tmp_path / "deep.json"
    file.write_text("[" * 900 + "1" + "]" * 900, "utf-8")
    output = run("tree", str(file), code=2)
    assert "something is nested too deeply, such as a tree of hundreds of plies" in output
    assert "a bug" not in output


def test_notebooks_show_an_analysis():
    game = ExplicitTree({"names": ["<a>", "b"], "children": [1, 2]})
    shown = Minimax(game).search()._repr_html_()
    assert re.findall(r"<td[^>]*>([^<]*)</td>", shown) == [
        "b",
        "+2",
        "exact",
        "b",
        "&lt;a&gt;",
        "+1",
        "exact",
        "&lt;a&gt;",
    ]
    assert "MAX  &lt;- here" in shown
    counted = MCTS(TicTacToe(), seed=1).search(limit=Limit(simulations=50))._repr_html_()
    assert '<th style="text-align:left">visits</th>' in counted
    over = Minimax(ExplicitTree(3)).search()._repr_html_()
    assert "<table>" not in over


def test_what_a_beam_leaves_out_is_not_drawn_as_pruned():
    game = type("Slow", (TicTacToe,), {"compiled": False})()
    trace = Trace()
    AlphaBeta(game, beam=2, hints=False).search(limit=Limit(depth=2), trace=trace)
    shapes = {
        (node.shape, node.lines[-1]) for node in trace.picture().nodes if node.lines[-1] in ("pruned", "left out")
    }
    assert (LEFT, "left out") in shapes
    assert shapes <= {(LEFT, "left out"), (CUT, "pruned")}
    drawn = TreePicture([Node(MAX, ["1"], children=[1]), Node(LEFT, ["b", "left out"])], "t").svg()
    assert 'class="x ' not in drawn
    assert 'class="c ' in drawn
    assert 'class="x ' in TreePicture([Node(MAX, ["1"], children=[1]), Node(CUT, ["b", "pruned"])], "t").svg()
