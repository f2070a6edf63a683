"""Questions about the algorithms: the answers are right, and marked as a teacher would."""

import functools
import json
import math
import re
from fractions import Fraction
from random import Random

import pytest
from typer.testing import CliRunner

from outplay import CHANCE, legal_actions
from outplay.cli.commands import app
from outplay.games import ExplicitTree
from outplay.session import quiz
from outplay.session.quiz import KINDS, Part, question, random_tree, sheet


@functools.cache
def questions(kind, level):
    return [question(kind, Random(seed), level) for seed in range(12)]


def run(*arguments, stdin=None, code=0):
    result = CliRunner().invoke(app, ["quiz", *arguments], input=stdin)
    assert result.exit_code == code, result.output
    return result.output


def value(game, state):
    """The value of a tree for MAX, by plain recursion."""
    if game.is_terminal(state):
        return game.utility(state, 0)
    below = [(value(game, game.result(state, action)), action) for action in legal_actions(game, state)]
    if game.to_move(state) == CHANCE:
        return sum(game.probability(state, action) * worth for worth, action in below)
    return (max if game.to_move(state) == 0 else min)(worth for worth, _ in below)


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["minimax", "alpha-beta", "expectiminimax"])
def test_values_of_trees(kind, monkeypatch):
    """The tree is made again from its text, which is all that the person sees."""
    made = []
    monkeypatch.setattr(quiz, "random_tree", lambda *a, **k: made.append(random_tree(*a, **k)) or made[-1])
    for level in (1, 2, 3):
        for seed in range(12):
            asked = question(kind, Random(seed), level)
            game = ExplicitTree(made[-1])
            root = game.initial_state()
            assert game.render(root).replace("  <- here", "") == asked.text
            *_, worth, best = asked.parts
            assert float(worth.answer) == pytest.approx(value(game, root), abs=0.01)
            values = {game.action_name(root, a): value(game, game.result(root, a)) for a in legal_actions(game, root)}
            if game.to_move(root) == 0:
                assert [name for name, each in values.items() if each == max(values.values())] == [best.answer]
            assert len(asked.picture.nodes) == len(game.parent)


def test_leaves_that_are_never_looked_at_do_not_matter(monkeypatch):
    """Whatever they are worth, the value is the same; and every other leaf is shown in the explanation."""
    made = []
    monkeypatch.setattr(quiz, "random_tree", lambda *a, **k: made.append(random_tree(*a, **k)) or made[-1])
    for seed in range(30):
        asked = question("alpha-beta", Random(seed), 1 + seed % 3)
        never, worth = asked.parts[0].answer.split(), float(asked.parts[1].answer)
        assert never
        leaves = set(re.findall(r"-?\d+ ([a-z])$", asked.text, re.MULTILINE))
        assert set(re.findall(r": ([a-z]) ", asked.explanation)) == leaves - set(never)

        def changed(node, by, never=never):
            if "utility" in node:
                return {**node, "utility": node["utility"] + by * (node["name"] in never)}
            return {**node, "children": [changed(child, by) for child in node["children"]]}

        for by in (-100, 100):
            game = ExplicitTree(changed(made[-1], by))
            assert value(game, game.initial_state()) == worth


def test_choices_of_ucb1():
    for level in (1, 2, 3):
        for asked in questions("mcts", level):
            total, constant = re.search(r"N = (\d+) visits, and c = ([\d.]+)\.", asked.text).groups()
            rows = [line.split() for line in asked.text.splitlines()[3:]]
            assert sum(int(n) for _, _, n in rows) == int(total)
            worth = {
                name: int(w) / int(n) + float(constant) * math.sqrt(math.log(int(total)) / int(n))
                for name, w, n in rows
            }
            best = max(worth, key=worth.get)
            assert asked.parts[0].answer == best
            assert asked.parts[1].is_right(f"{worth[best]:.2f}")


def test_mixed_strategies():
    for level in (1, 2, 3):
        for asked in questions("nash", level):
            (a, b), (c, d) = ([int(cell) for cell in line.split()[1:]] for line in asked.text.splitlines()[3:])
            x = Fraction(d - c, a - b - c + d)
            assert 0 < x < 1
            assert asked.parts[0].is_right(str(x))
            assert asked.parts[1].is_right(f"{float(a * x + c * (1 - x)):.3f}")


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_the_answers_are_accepted_and_others_are_not(kind, level):
    for asked in questions(kind, level):
        assert asked.explanation
        for part in asked.parts:
            assert part.is_right(part.answer)
            assert part.is_right(f"  {part.answer.upper()} ")
            assert not part.is_right("")
            assert not part.is_right("zz9")


@pytest.mark.parametrize(
    ("kind", "answer", "text", "right"),
    [
        ("number", "0.75", "3/4", True),
        ("number", "0.75", ".75", True),
        ("number", "0.75", "0,75", True),
        ("number", "0.3333", "0.33", True),
        ("number", "0.3333", "1 / 3", True),
        ("number", "-2", "−2", True),
        ("number", "2", "-2", False),
        ("number", "2", "two", False),
        ("number", "2", "1/0", False),
        ("number", "2", "nan", False),
        ("letters", "e f", "FE", True),
        ("letters", "e f", "f, e", True),
        ("letters", "e f", "e", False),
        ("letters", "e", "none", False),
        ("word", "2", "2", True),
        ("word", "b", "a", False),
    ],
)
def test_marks(kind, answer, text, right):
    assert Part("?", answer, kind).is_right(text) == right


def test_the_same_seed_asks_the_same():
    for kind in KINDS:
        first, again = (question(kind, Random(5)).as_dict() for _ in range(2))
        assert first == again != question(kind, Random(6)).as_dict()


def test_wrong_arguments():
    with pytest.raises(ValueError, match="there is no quiz 'chess'; choose minimax"):
        question("chess", Random(1))
    for level in (0, 4, True, 1.5):
        with pytest.raises(ValueError, match="a whole number from 1 to 3"):
            question("nash", Random(1), level)
    assert "there is no quiz 'chess'" in " ".join(run("chess", code=2).replace("│", " ").split())


def test_the_command_marks_and_explains():
    asked = question("alpha-beta", Random(3), 1)
    right = "\n".join(part.answer for part in asked.parts)
    shown = run("alpha-beta", "--seed", "3", "--level", "1", "--questions", "1", stdin=right + "\n")
    assert shown.count("Right.") == 3
    assert asked.explanation in shown
    assert "3 of 3 answers right." in shown
    shown = run("alpha-beta", "--seed", "3", "--level", "1", "--questions", "1", stdin="?\n99\nx\n")
    assert f"The answer is {asked.parts[0].answer}." in shown
    assert f"No: {asked.parts[1].answer}." in shown
    assert "0 of 3 answers right." in shown
    for stop in ("", "q\n", "1\nq\n"):
        assert "of 3" not in run("alpha-beta", "--seed", "3", "--questions", "2", stdin=stop)
    plain = json.loads(run("mcts", "--seed", "1", "--questions", "2", "--json"))
    assert [len(each["parts"]) for each in plain] == [2, 2]


def test_a_sheet(tmp_path):
    file = tmp_path / "sheet.html"
    assert run("expectiminimax", "--seed", "1", "--questions", "3", "--html", str(file)) == f"Written: {file}\n"
    text = file.read_text("utf-8")
    assert text.count("<svg ") == 3
    assert text.count("<details>") == 3
    assert text.count("break-before: page") == 1
    assert set(re.findall(r"https?://[^\s\"'<]*", text)) == {"http://www.w3.org/2000/svg"}
    assert "√(ln N / n)" in sheet(questions("mcts", 2))
    assert "there is no folder" in run("nash", "--html", str(tmp_path / "missing" / "a.html"), code=2)
    assert "the name must end in .html" in run("nash", "--html", str(tmp_path / "a.png"), code=2)
    assert not (tmp_path / "a.png").exists()
