"""Pictures of equilibria: tables of payoffs, trees with information sets, strategies in notebooks, curves.

What a picture shows is read out of its SVG or HTML, and compared with what the tests compute from the rules.
"""

import re
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from pictures.test_tree_pictures import contrast, run

from outplay import MCTS, AlphaBeta, Book, BookEntry, Limit, OutplayError, StrategyError, Trace, WrongType
from outplay.equilibrium import (
    CFR,
    MatrixGame,
    RiverSolver,
    SequenceForm,
    Strategy,
    correlated_equilibrium,
    fictitious_play,
    pure_equilibria,
    replicator_dynamics,
    solve_zero_sum,
    to_nfg,
    unroll,
    vertex_enumeration,
)
from outplay.games import ConnectFour, ExplicitTree, KuhnPoker, LeducPoker, MatchingPennies, RiverPoker, TicTacToe
from outplay.pictures import MatrixPicture, TreePicture, svg
from outplay.pictures.html import BAR
from outplay.pictures.tree import CHANCE, END, MAX, MIN, OTHER, Node

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SVG = "{http://www.w3.org/2000/svg}"
DILEMMA = MatrixGame(
    [[(-1, -1), (-3, 0)], [(0, -3), (-2, -2)]], actions=[["silent", "betray"]] * 2, players=["Ann", "Ben"]
)
BATTLE = MatrixGame([[(3, 2), (0, 0)], [(0, 0), (2, 3)]], actions=[["opera", "football"]] * 2, title="Battle")
PENNIES = MatrixGame([[1, -1], [-1, 1]], actions=[["heads", "tails"]] * 2)
THREE = MatrixGame(
    [[(4, 3), (5, 1), (6, 2)], [(2, 1), (8, 4), (3, 6)], [(3, 0), (9, 6), (2.5, 8)]],
    actions=[["up", "middle", "down"], ["left", "centre", "right"]],
)
TIES = MatrixGame([[(1, 1), (1, 0)], [(1, 2), (0, 2)], [(0, 0), (1, 0)]])
SADDLE = MatrixGame([[3, 1, 4], [1.5, -1, 0], [5, -9, 2]])
RPS = MatrixGame([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
GAMES = {
    "dilemma": DILEMMA,
    "battle": BATTLE,
    "pennies": PENNIES,
    "three": THREE,
    "ties": TIES,
    "saddle": SADDLE,
    "rock-paper-scissors": RPS,
}


# -- tables of payoffs ------------------------------------------------------------------------------------------------


def documented():
    """The pictures in the documentation, by the name of the file."""
    return {"dilemma.svg": DILEMMA.picture(), "kuhn.svg": unroll(KuhnPoker()).picture()}


class Shown:
    """What the picture of a matrix game shows in each cell."""

    def __init__(self, game):
        root = ElementTree.fromstring(game.picture().svg())
        rows, columns = game.shape
        numbers = [each for each in root.iter(f"{SVG}text") if each.get("textLength")]
        self.each = len(numbers) // (rows * columns)
        heights = sorted({float(number.get("y")) for number in numbers})
        assert len(heights) == rows
        self.payoffs, self.best, self.framed, self.grey = {}, {0: set(), 1: set()}, set(), set()
        lines = [(each.get("class").split()[0], each.get("d")) for each in root.iter(f"{SVG}path")]
        lines = [(kind, *map(float, re.fullmatch(r"M(\S+) (\S+)h(\S+)", d).groups())) for kind, d in lines if "h" in d]
        boxes = [
            (each.get("class").split()[0], *(float(each.get(name)) for name in ("x", "y", "width", "height")))
            for each in root.iter(f"{SVG}rect")
            if each.get("class", "").startswith(("frame", "grey"))
        ]
        for row, height in enumerate(heights):
            inside = sorted(
                (number for number in numbers if float(number.get("y")) == height), key=lambda e: float(e.get("x"))
            )
            assert len(inside) == columns * self.each
            for place, text in enumerate(inside):
                cell, x, size = (row, place // self.each), float(text.get("x")), float(text.get("textLength"))
                self.payoffs.setdefault(cell, []).append(float(text.text.replace("−", "-")))
                for kind, left, y, length in lines:
                    if (left, length) == (x, size) and 0 < y - height < 12:
                        assert self.each == 1 or int(kind[1]) == place % 2  # each number has its own player's line
                        self.best[int(kind[1])].add(cell)
                for kind, left, top, width, high in boxes:
                    if left <= x <= left + width and top <= height <= top + high:
                        (self.framed if kind == "frame" else self.grey).add(cell)
        self.texts = [each.text for each in root.iter(f"{SVG}text")]


def best_responses(game, player):
    """The cells in which no other action of the player is better: by trying all of them."""
    found = set()
    for cell in product(*map(range, game.shape)):
        others = [(*cell[:player], action, *cell[player + 1 :]) for action in range(game.shape[player])]
        if game.payoffs[player][cell] == max(game.payoffs[player][other] for other in others):
            found.add(cell)
    return found


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_best_responses_are_underlined_and_pure_equilibria_framed(game):
    shown = Shown(game)
    for player in (0, 1):
        assert shown.best[player] == best_responses(game, player)
    assert shown.framed == best_responses(game, 0) & best_responses(game, 1)
    assert shown.framed == {tuple(s[0] for s in each.supports) for each in pure_equilibria(game)}
    assert shown.each == (1 if game.zero_sum else 2)
    for cell, payoffs in shown.payoffs.items():
        assert payoffs == [game.payoffs[player][cell] for player in range(shown.each)]


def test_random_games():
    random = np.random.default_rng(1)
    for _ in range(30):
        rows, columns = random.integers(1, 6, 2)
        game = MatrixGame(*random.integers(-2, 3, (2, rows, columns)))
        shown = Shown(game)
        assert (shown.best[0], shown.best[1]) == (best_responses(game, 0), best_responses(game, 1))
        assert shown.framed == best_responses(game, 0) & best_responses(game, 1)


def test_dominated_rows_and_columns_are_grey():
    assert Shown(DILEMMA).grey == {(0, 0), (0, 1), (1, 0)}
    assert Shown(SADDLE).grey == {cell for cell in product(range(3), range(3)) if cell != (0, 1)}
    assert Shown(BATTLE).grey == Shown(PENNIES).grey == set()
    mixture = MatrixGame([[(3, 0), (0, 1)], [(0, 0), (3, 1)], [(1, 1), (1, 0)]])  # of the first two rows
    assert Shown(mixture).grey == {cell for cell in product(range(3), range(2)) if cell != (1, 1)}


def test_long_payoffs_have_four_digits():
    shown = Shown(MatrixGame([[1 / 3, -123456.7]], [[12345, 2 / 3]]))
    assert shown.payoffs == {(0, 0): [0.3333, 12345], (0, 1): [-123457, 0.6667]}


def test_names_and_legend():
    assert {"Ann", "Ben", "silent", "betray", "best response of Ann", "best response of Ben"} < set(
        Shown(DILEMMA).texts
    )
    assert "equilibrium in pure strategies" in Shown(BATTLE).texts
    assert "removed as dominated" not in Shown(BATTLE).texts
    assert "no equilibrium in pure strategies" in Shown(PENNIES).texts
    assert "payoffs: what player 0 gets and player 1 loses" in Shown(PENNIES).texts
    assert Shown(BATTLE).texts[0] == "Battle"


def test_names_are_escaped_and_long_ones_cut():
    game = MatrixGame([[1, 2]], actions=[["<b>&"], ['"', "x" * 500]], players=["<i>", "&"], title="<script>")
    texts = Shown(game).texts
    assert {"<b>&", '"', "<i>", "&", "<script>", "x" * 23 + "…"} < set(texts)


def test_many_players_and_large_games_are_text_in_a_frame():
    cube = MatrixGame([[[(a + b, b, c) for c in (0, 1)] for b in (0, 1)] for a in (0, 1)])
    large = MatrixGame(np.arange(300 * 300).reshape(300, 300))
    for game in (cube, large):
        text = game.picture().svg()
        assert len(text) < 20_000
        root = ElementTree.fromstring(text)
        first = next(root.iter(f"{SVG}text")).text
        assert str(game).startswith(first[:40])
        assert float(root.get("width")) < 1000 > float(root.get("height"))
    assert any("more rows" in each.text for each in root.iter(f"{SVG}text"))
    edge = MatrixGame(np.ones((12, 12)))
    assert len(Shown(edge).framed) == 144
    assert isinstance(MatrixGame(np.ones((13, 2))).picture().content, str)


def test_a_picture_is_saved_and_shown(tmp_path):
    picture = BATTLE.picture()
    assert isinstance(picture, MatrixPicture)
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text("utf-8") == picture.svg() == picture._repr_svg_() == BATTLE._repr_svg_()
    with pytest.raises(OutplayError, match=r"saved as \.svg or \.png"):
        picture.save(tmp_path / "a.pdf")
    with pytest.raises(OutplayError, match="cannot be written"):
        picture.save(tmp_path / "missing" / "a.svg")


# -- trees ------------------------------------------------------------------------------------------------------------


def histories(game):
    """Every history in preorder: the state, and the history above it."""
    found = []

    def walk(state, above, action):
        number = len(found)
        found.append((state, above, action))
        if not game.is_terminal(state):
            chosen = game.actions(state)
            chosen = [a for a in range(64) if chosen >> a & 1] if isinstance(chosen, int) else chosen
            for each in chosen:
                walk(game.result(state, int(each)), number, int(each))

    walk(game.initial_state(), -1, None)
    return found


def joined_in(picture):
    """The groups of nodes that dashed lines join, read from the lines."""
    root = ElementTree.fromstring(picture.svg(apart=True))
    places = {}
    for group in root.iter(f"{SVG}g"):
        for path in group.iter(f"{SVG}path"):
            if "shape" in path.get("class").split() and group.get("id"):
                x, y, rest = re.match(r"M(\S+) ([\d.]+)(.*)", path.get("d")).groups()
                left = rest.startswith("h")  # at the left corner, not the middle
                places[int(group.get("id")[1:])] = float(x) + 10 * left, float(y)
    parts = []
    for path in root.iter(f"{SVG}path"):
        if re.match(r"j\b", path.get("class")):
            parts += re.findall(r"M[^M]+", path.get("d"))
    lines = []
    for part in parts:
        points, at = [], [0.0, 0.0]
        for kind, numbers in re.findall(r"([MLHV])([-\d. ]+)", part):
            values = [float(number) for number in numbers.split()]
            at = values if kind in "ML" else [values[0], at[1]] if kind == "H" else [at[0], values[0]]
            points.append(tuple(at))
        lines.append(points)
    groups = [{number} for number in range(len(lines))]

    def meet(some, other):
        """Whether a corner of one line is on the other."""
        for point in some:
            for (a, b), (c, d) in pairwise(other):
                on_level = b == d == point[1] and min(a, c) <= point[0] <= max(a, c)
                if on_level or point in ((a, b), (c, d)):
                    return True
        return False

    for one, other in product(range(len(lines)), repeat=2):
        if one != other and meet(lines[one], lines[other]):
            first = next(group for group in groups if one in group)
            second = next(group for group in groups if other in group)
            if first is not second:
                first |= second
                groups.remove(second)
    found = set()
    for group in groups:
        feet = {point for number in group for point in (lines[number][0], lines[number][-1])}
        nodes = {
            node
            for node, (x, y) in places.items()
            if any(abs(x - 6 - a) < 0.2 and abs(y + 10 - b) < 0.2 for a, b in feet)
        }
        found.add(frozenset(nodes))
    return found


def information_sets(game, listed):
    """The groups of histories in which the player to move knows the same."""
    groups = {}
    for number, (state, _, _) in enumerate(listed):
        if not game.is_terminal(state) and (player := game.to_move(state)) >= 0:
            groups.setdefault((player, str(game.information(state, player))), set()).add(number)
    return {frozenset(group) for group in groups.values() if len(group) > 1}


def test_the_tree_of_kuhn_poker():
    game = KuhnPoker()
    listed = histories(game)
    picture = unroll(game).picture()
    assert isinstance(picture, TreePicture)
    assert len(picture.nodes) == len(listed) == 1 + 3 + 6 * 9
    for number, ((state, above, action), node) in enumerate(zip(listed, picture.nodes, strict=True)):
        if game.is_terminal(state):
            assert node.shape == END
            assert node.lines == [f"{game.utility(state, 0):.0f}".replace("-", "−")]
            continue
        mover = game.to_move(state)
        assert node.shape == {-1: CHANCE, 0: MAX, 1: MIN}[mover]
        assert node.children == [n for n, (_, up, _) in enumerate(listed) if up == number]
        if mover >= 0:
            assert node.lines == [f"player {mover}", game.information_text(state, mover)]
        if above >= 0:
            before = listed[above][0]
            name = game.action_name(before, action)
            dealt = game.to_move(before) < 0
            assert node.edge == (f"{name} {('1/3', '1/2')[before.plies]}" if dealt else name)
    assert len(picture.svg()) < 200_000
    assert picture.title == "KuhnPoker(), 58 nodes, utilities of player 0"


@pytest.mark.parametrize("game", [KuhnPoker(), MatchingPennies(), RPS.as_game(), TIES.as_game()], ids=repr)
def test_dashed_lines_join_the_nodes_of_information_sets(game):
    expected = information_sets(game, histories(game))
    picture = unroll(game).picture()
    assert len(expected) == {58: 12}.get(len(picture.nodes), 1)
    assert {frozenset(group) for group in picture.joined} >= expected
    assert joined_in(picture) == expected


def test_lines_of_different_sets_do_not_run_into_each_other():
    text = unroll(KuhnPoker()).picture().svg()
    tracks = []
    for path in ElementTree.fromstring(text).iter(f"{SVG}path"):
        if re.match(r"j\b", path.get("class")):
            for x, y, end in re.findall(r"M(\S+) \S+V([\d.]+)H([\d.]+)", path.get("d")):
                tracks.append((float(y), float(x), float(end)))
    assert len(tracks) == 12
    for number, (y, start, end) in enumerate(tracks):
        for other_y, other_start, other_end in tracks[:number]:
            assert y != other_y or end < other_start or other_end < start


def test_probabilities_of_a_strategy_are_on_the_edges():
    game = KuhnPoker()
    tree, listed = unroll(game), histories(game)
    strategy = CFR(tree, variant="cfr+").solve(iterations=500).strategy
    picture = tree.picture(strategy)
    seen = 0
    for (_, above, action), node in zip(listed, picture.nodes, strict=True):
        if above >= 0 and game.to_move(listed[above][0]) >= 0:
            before = listed[above][0]
            likely = strategy.probabilities(before)[action]
            assert node.edge.split()[0] == game.action_name(before, action)
            assert float(node.edge.split()[1]) == pytest.approx(likely, abs=6e-4)
            assert node.share == likely / 2
            seen += 1
    assert seen == 48
    assert strategy.picture().svg() == picture.svg()


def test_other_games():
    titles = unroll(BATTLE.as_game()).picture()
    assert [node.lines for node in titles.nodes if node.shape == END] == [["3, 2"], ["0, 0"], ["0, 0"], ["2, 3"]]
    assert "utilities" not in titles.title
    assert unroll(DILEMMA.as_game()).picture().nodes[1].lines[0] == "Ben"
    three = unroll(KuhnPoker(3)).picture(plies=4)
    assert {node.shape for node in three.nodes} == {CHANCE, OTHER}
    open_tree = unroll(ExplicitTree({"names": ["<b>", "c&d"], "children": [1, [2, 3]]}))
    shown = ElementTree.fromstring(open_tree._repr_svg_())
    assert {"<b>", "c&d"} < {each.text for each in shown.iter(f"{SVG}text")}
    assert open_tree.picture().joined == []
    assert len(unroll(ExplicitTree(3)).picture().nodes) == 1


def test_what_is_too_deep_is_counted():
    tree = unroll(LeducPoker())
    picture = tree.picture()
    below = [int(text.split()[0].replace(",", "")) for node in picture.nodes for text in node.lines if "below" in text]
    assert len(picture.nodes) <= 250 < tree.nodes == len(picture.nodes) + sum(below)
    assert "4 plies shown" in picture.title
    assert len(picture.svg()) < 200_000
    assert len(tree.picture(plies=0).nodes) == 1
    assert tree.picture(plies=0).nodes[0].lines[-1] == "9,456 below"
    whole = unroll(KuhnPoker())
    assert whole.picture(plies=99).svg() == whole.picture().svg()
    with pytest.raises(ValueError, match="more than 5,000 nodes; choose fewer plies"):
        tree.picture(plies=99)


def test_bad_input():
    tree = unroll(KuhnPoker())
    for plies in (-1, 1.5, True, "2"):
        with pytest.raises(ValueError, match=r"picture\(plies=.*a whole number, at least 0"):
            tree.picture(plies=plies)
    for wrong in ("cfr", CFR(tree), 0.5):
        with pytest.raises(WrongType, match="a Strategy is wanted"):
            tree.picture(wrong)
    with pytest.raises(StrategyError, match="it is for another game"):
        tree.picture(Strategy.uniform(MatchingPennies()))
    for joined in ([[0, 1]], [[0, 0]], [[-1]]):
        with pytest.raises(OutplayError, match="numbers of nodes from 0 to 0, each once"):
            TreePicture([Node(MAX)], "one node", joined)


def test_nodes_of_several_levels_are_joined():
    nodes = [Node(MAX, children=[1, 3]), Node(MIN, children=[2]), Node(MIN), Node(MIN)]
    assert joined_in(TreePicture(nodes, "levels", [[3, 2]])) == {frozenset([2, 3])}
    assert joined_in(TreePicture(nodes, "levels", [[2, 1, 3]])) == {frozenset([1, 2, 3])}
    assert "n2 -> n3 [style=dashed" in TreePicture(nodes, "levels", [[2, 3]]).dot()
    plain = TreePicture(nodes, "levels")
    assert plain.svg() == TreePicture(nodes, "levels", [[1]]).svg()
    assert "dasharray:6" not in plain.svg()


def test_the_pictures_of_the_documentation():
    """`python tests/equilibrium/test_equilibrium_pictures.py` draws them again."""
    for name, picture in documented().items():
        assert (IMAGES / name).read_text("utf-8") == picture.svg()


def test_a_style_does_not_reach_other_pictures_on_the_page():
    """A rule of the style says of a colour what it says in every picture."""
    plain = TreePicture([Node(MAX, children=[1]), Node(MIN)], "plain").svg()
    for text in (plain, unroll(KuhnPoker()).picture().svg(), DILEMMA.picture().svg()):
        style = ElementTree.fromstring(text).find(f"{SVG}style").text
        rules = re.findall(r"\.outplay \.([\w-]+)\{([^}]*)\}", style)
        assert rules
        assert all(svg.CLASSES[name] == rule for name, rule in rules)
        assert style.count("{") == len(rules) + 2


# -- notebooks --------------------------------------------------------------------------------------------------------


def html(value):
    """The rows of all tables that a notebook shows, as texts, and all other texts."""
    text = value._repr_html_()
    root = ElementTree.fromstring(f"<div>{text}</div>")
    rows = [["".join(cell.itertext()).strip() for cell in row] for row in root.iter("tr")]
    return rows, ["".join(each.itertext()) for each in root if each.tag != "table"], root


def test_strategies_and_solutions():
    solution = CFR(KuhnPoker(), variant="cfr+").solve(iterations=500)
    rows, texts, root = html(solution)
    assert texts[0] == str(solution)
    assert [row for row in rows if "knows" in row[0]] == [[f"player {n} knows", "pass", "bet"] for n in (0, 1)]
    for player in (0, 1):
        for row in solution.strategy.rows(player):
            shown = next(each for each in rows if each[0] == row.knows and len(each) == 3)
            assert [float(cell) for cell in shown[1:]] == pytest.approx(list(row.likely.values()), abs=6e-5)
    bars = [[float(bar.get("width")) for bar in each.iter("rect")] for each in root.iter("svg")]
    assert len(bars) == 24
    shares = [float(cell) for row in rows if "knows" not in row[0] for cell in row[1:]]
    assert [bar[1] / bar[0] if len(bar) > 1 else 0.0 for bar in bars] == pytest.approx(shares, abs=2e-3)
    assert html(solution.strategy)[0] == rows


def test_at_most_fifty_rows():
    rows, texts, _ = html(Strategy.uniform(LeducPoker()))
    assert len(rows) == 52
    assert texts == ["… 443 more"] * 2
    rows, texts, _ = html(solve_zero_sum(MatrixGame(np.eye(40))))
    assert len(rows) <= 51
    assert texts[0] == "… 30 more actions"


def test_equilibria_of_matrix_games():
    found = vertex_enumeration(BATTLE)
    assert html(found)[0] == [
        ["", "player 0", "player 1", "they expect"],
        ["1", "opera 1", "opera 1", "3, 2"],
        ["2", "opera 3/5, football 2/5", "opera 2/5, football 3/5", "6/5, 6/5"],
        ["3", "football 1", "football 1", "2, 3"],
    ]
    rows, texts, _ = html(found[1])
    assert [row[1:] for row in rows[1:]] == [
        ["opera", "3/5", "1.2"],
        ["football", "2/5", "1.2"],
        ["opera", "2/5", "1.2"],
        ["football", "3/5", "1.2"],
    ]
    assert texts == ["regret 0; by vertex enumeration in exact numbers"]
    assert html(pure_equilibria(PENNIES))[:2] == (
        [],
        ["0 equilibria, by looking at every cell; these are all pure ones"],
    )
    chicken = MatrixGame([[(6, 6), (2, 7)], [(7, 2), (0, 0)]], actions=[["swerve", "straight"]] * 2)
    rows, texts, _ = html(correlated_equilibrium(chicken))
    assert rows[1:] == [["swerve", "swerve", "0.5"], ["swerve", "straight", "0.25"], ["straight", "swerve", "0.25"]]
    assert texts[0].startswith("player 0 expects 5.25; player 1 expects 5.25; regret 0")
    rows, texts, _ = html(fictitious_play(DILEMMA, 10))
    assert [row[:3] for row in rows[1:3]] == [["Ann", "silent", "0.1"], ["Ann", "betray", "0.9"]]
    assert texts[0].startswith("fictitious play at 10; regret ")


def test_names_are_escaped():
    game = MatrixGame([[1, -1], [-1, 1]], actions=[["<b>", "&"]] * 2, players=["<i>", "&&"])
    for value in (solve_zero_sum(game), vertex_enumeration(game), CFR(game.as_game()).solve(iterations=9)):
        assert "<b>" not in value._repr_html_()
        assert any("<b>" in cell for row in html(value)[0] for cell in row)


def test_river_poker():
    game = RiverPoker("2c2d2h2s7c", pot=100, stack=100, bets=(1,), most_raises=1, ranges=("AKs, 65s, 54s", "QJs"))
    solution = RiverSolver(game).solve(iterations=20)
    rows, texts, _ = html(solution)
    assert "% of the pot" in texts[0]
    heads = ["player 0", "player 1 after check", "player 0 after check, all-in", "player 1 after all-in"]
    assert [row[0] for row in rows if "share" in row] == heads
    first = solution.strategy.table("").rows[0]
    assert rows[1] == [first.name, *(f"{part:.1%}" for part in (first.share, *first.actions.values()))]


def test_books():
    game = TicTacToe()
    state = game.initial_state()
    book = Book(game)
    assert html(book)[:2] == ([], ["Book of TicTacToe(): 0 positions"])
    book.put(state, BookEntry(value=0.25, kind="estimate", action=4, depth=3))
    for square in (0, 2, 1):  # the first two are images of each other
        book.put(game.result(state, square), BookEntry(value=0, kind="exact", action=4))
    book.put(game.result(game.result(state, 4), 0), BookEntry(value=0, kind="lower", action=8))
    rows, texts, _ = html(book)
    assert texts == ["Book of TicTacToe(): 4 positions: 2 exact, 1 lower, 1 estimate (depth 3)"]
    assert [row[:4] for row in rows[1:]] == [
        ["the start", "b2", "+0.25", "estimate"],
        ["a1", "b2", "draw", "exact"],
        ["b1", "b2", "draw", "exact"],
        ["b2 a1", "c3", "at least 0", "lower"],
    ]


@pytest.mark.nightly
def test_a_large_book_shows_its_first_positions():
    game, deep = TicTacToe(), []
    book = Book(game)
    for squares in product(range(9), repeat=3):
        if len(set(squares)) == 3:
            state = game.initial_state()
            for square in squares:
                state = game.result(state, square)
            deep.append(state)
    for number, state in enumerate(deep):
        book.put(state, BookEntry(value=0.5, kind="estimate", depth=number))
    rows, texts, _ = html(book)
    assert len(book) == 38
    assert len(rows) == 21
    assert texts[1:] == ["… 18 more"]
    assert all(len(row[0].split()) == 3 and row[1] == "" for row in rows[1:])


def test_bars_can_be_seen_on_light_and_dark_pages():
    for page in ("#ffffff", svg.PALETTE["paper"][1], "#1e1e1e"):
        assert contrast(BAR, page) >= 3


# -- curves -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def plt():
    mpl.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_the_curve_of_a_solver(plt):
    solution = CFR(KuhnPoker()).solve(iterations=100)
    ax = solution.plot()
    (line,) = ax.lines
    assert line.get_xdata().tolist() == [point.iterations for point in solution.curve]
    assert line.get_ydata().tolist() == [point.exploitability for point in solution.curve]
    assert (ax.get_xscale(), ax.get_yscale(), ax.get_ylabel()) == ("log", "log", "exploitability")
    assert CFR(KuhnPoker(), variant="cfr").solve(iterations=10).plot(ax=ax) is ax
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["CFR()", "CFR(variant='cfr')"]
    with pytest.raises(ValueError, match="there is no curve"):
        SequenceForm(KuhnPoker()).solve().plot()
    for wrong in (3, plt):
        with pytest.raises(WrongType, match=r"Solution\.plot\(ax=.*Axes of matplotlib are wanted"):
            solution.plot(wrong)


def test_the_curves_of_repeated_play(plt):
    found = fictitious_play(PENNIES, 100)
    ax = found.plot()
    assert [line.get_label() for line in ax.lines] == [f"player {p}: {a}" for p in (0, 1) for a in ("heads", "tails")]
    assert ax.lines[3].get_ydata().tolist() == found.profiles[1][:, 1].tolist()
    assert ax.get_xscale() == "log"
    (line,) = found.plot(regrets=True).lines
    assert line.get_ydata().tolist() == found.regrets.tolist()
    flow = replicator_dynamics(DILEMMA, [[0.9, 0.1]] * 2, 5.0, points=9)
    (_, axes) = plt.subplots()
    assert flow.plot(axes) is axes
    assert axes.get_xscale() == "linear"
    assert axes.lines[0].get_xdata().tolist() == flow.times.tolist()
    assert len(replicator_dynamics(MatrixGame(np.eye(20)), [[0.05] * 20] * 2, 1.0, points=3).plot().lines) == 12


def test_values_over_depths(plt):
    trace = Trace()
    with pytest.raises(ValueError, match="nothing was searched"):
        trace.plot()
    analysis = AlphaBeta(ConnectFour(width=4, height=4)).search(limit=Limit(depth=4), trace=trace)
    (line,) = trace.plot().lines
    assert line.get_xdata().tolist() == [1, 2, 3, 4]
    assert line.get_ydata()[-1] == analysis.value
    AlphaBeta(ExplicitTree([1, 2]), textbook=True).search(trace=trace)
    with pytest.raises(ValueError, match="does not search depth after depth"):
        trace.plot()
    MCTS(ExplicitTree([1, 2]), seed=1).search(limit=Limit(simulations=3), trace=trace)
    with pytest.raises(ValueError, match="does not search depth after depth"):
        trace.plot()


def test_without_matplotlib_an_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    solution = CFR(KuhnPoker()).solve(iterations=5)
    with pytest.raises(OutplayError, match=r"Solution\.plot\(\) needs matplotlib: pip install 'outplay\[plot\]'"):
        solution.plot()


def test_matplotlib_is_not_imported_before_it_is_needed():
    code = "import sys, outplay.equilibrium, outplay.pictures; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# -- the command ------------------------------------------------------------------------------------------------------


def test_the_command(tmp_path):
    file = tmp_path / "kuhn.svg"
    shown = run("equilibrium", "kuhn-poker", "--iterations", "50", "--svg", str(file))
    assert "picture in " in shown
    texts = [each.text for each in ElementTree.fromstring(file.read_text("utf-8")).iter(f"{SVG}text")]
    assert texts.count("player 0") == 12
    assert sum(bool(re.fullmatch(r"bet [01](\.\d+)?", text)) for text in texts) == 24
    game = tmp_path / "battle.nfg"
    game.write_text(to_nfg(BATTLE), "utf-8")
    run("equilibrium", str(game), "--iterations", "50", "--svg", str(file))
    assert file.read_text("utf-8") == BATTLE.picture().svg()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kuhn-poker", "--svg", "a.pdf"], "--svg a.pdf: the name must end in .svg"),
        (["kuhn-poker", "--svg", "no/such/a.svg"], "there is no folder"),
        (["kuhn-poker", "--no-tree", "--svg", "a.svg"], "--no-tree: leave out --load, --efg, --svg"),
        (["no-such.nfg"], "no-such.nfg cannot be read"),
    ],
)
def test_errors(arguments, words):
    output = " ".join(run("equilibrium", *arguments, code=2).replace("│", " ").split())
    assert words in output
    assert "Traceback" not in output


if __name__ == "__main__":
    for name, picture in documented().items():
        picture.save(IMAGES / name)


def test_the_page_of_iterations_on_the_command_line(tmp_path):
    file = tmp_path / "cfr.html"
    run("equilibrium", "kuhn-poker", "--algorithm", "cfr", "--iterations", "7", "--html", str(file))
    text = file.read_text("utf-8")
    assert text.count("Iteration ") == 7
    assert "The information sets" in text
    for arguments, words in (
        (["--algorithm", "external"], "--html is for the variants of CFR, such as predictive and cfr, not external"),
        (["--load", "x.json"], "--html shows how a strategy is computed: leave out --load"),
    ):
        shown = run("equilibrium", "kuhn-poker", "--html", str(file), *arguments, code=2)
        assert words in " ".join(shown.replace("│", " ").split())
    assert "the name must end in .html" in run("equilibrium", "kuhn-poker", "--html", "a.svg", code=2)
