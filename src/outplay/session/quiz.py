"""Questions about the algorithms of the textbook, made at random and marked by the algorithms themselves."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import count
from random import Random
from string import Template, ascii_lowercase
from typing import Any

from outplay.chance.expectiminimax import Expectiminimax
from outplay.engine.trace import Trace
from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.zero_sum import solve_zero_sum
from outplay.games import ExplicitTree
from outplay.pictures import html, svg, tree
from outplay.rules.game import CHANCE
from outplay.search.alpha_beta import AlphaBeta
from outplay.search.minimax import Minimax

LEVELS = 3
"""The levels of difficulty, from 1."""
CLOSE = 0.006
"""How far a number may be from the answer: two decimals are enough."""


@dataclass(frozen=True)
class Part:
    """One thing that is asked.

    Attributes:
        ask: the question.
        answer: the answer, as a person would write it.
        kind: "number" (also a fraction, such as 3/4), "word", or "letters": some letters in any order, or none.
    """

    ask: str
    answer: str
    kind: str

    @property
    def form(self) -> str:
        """What an answer looks like, in words."""
        return {
            "number": "a number or a fraction, such as 3/4",
            "word": "one word, without spaces",
            "letters": "letters, such as a c, or none",
        }[self.kind]

    def is_answer(self, text: str) -> bool:
        """Whether a text is an answer at all, right or wrong.

        >>> Part("?", "0.75", "number").is_answer("3/5"), Part("?", "0.75", "number").is_answer("three")
        (True, False)
        """
        text = text.strip().lower().replace("−", "-")
        if self.kind == "number":
            return read_number(text) is not None
        if self.kind == "word":
            return len(text.split()) == 1
        return text == "-" or any(map(str.isalpha, text))

    def is_right(self, text: str) -> bool:
        """Whether a text is the answer.

        >>> Part("?", "0.75", "number").is_right("3/4"), Part("?", "e f", "letters").is_right("F, e")
        (True, True)
        """
        text = text.strip().lower().replace("−", "-")
        if self.kind == "number":
            number = read_number(text)
            return number is not None and abs(number - float(self.answer)) < CLOSE
        if self.kind == "word":
            return text == self.answer.lower()
        return letters(text) == letters(self.answer)


@dataclass(frozen=True)
class Question:
    """A question with one or more parts.

    Attributes:
        title: what it is about.
        text: the tree, or the table, as text.
        picture: the tree as a picture; None for a table.
        parts: what is asked.
        explanation: how the algorithm finds the answers.
    """

    title: str
    text: str
    picture: tree.TreePicture | None
    parts: tuple[Part, ...]
    explanation: str

    def as_dict(self) -> dict[str, Any]:
        """The question as plain values, for JSON."""
        parts = [{"ask": part.ask, "answer": part.answer, "kind": part.kind} for part in self.parts]
        return {"title": self.title, "text": self.text, "parts": parts, "explanation": self.explanation}


def read_number(text: str) -> float | None:
    """A number or a fraction; None for anything else."""
    try:
        return float(Fraction(text.replace(" ", "").replace(",", ".")))
    except (ValueError, ZeroDivisionError):
        return None


def letters(text: str) -> frozenset[str]:
    """The letters of an answer; none for an empty text, "none" or "-"."""
    text = text.strip().lower()
    return frozenset() if text in ("none", "-", "no", "nothing") else frozenset(mark for mark in text if mark.isalpha())


def question(kind: str, random: Random, level: int = 2) -> Question:
    """A random question of this kind.

    Raises `ValueError` for an unknown kind or level.

    >>> asked = question("alpha-beta", Random(1), level=1)
    >>> print(asked.text)
    MAX
    ├─ 1: MIN
    │  ├─ 1: 2 a
    │  └─ 2: 6 b
    ├─ 2: MIN
    │  ├─ 1: 1 c
    │  └─ 2: 1 d
    └─ 3: MIN
       ├─ 1: 7 e
       └─ 2: 4 f
    >>> [part.answer for part in asked.parts]
    ['d', '4', '3']
    """
    if kind not in KINDS:
        raise ValueError(f"there is no quiz {kind!r}; choose {', '.join(KINDS)}")
    if isinstance(level, bool) or level not in range(1, LEVELS + 1):
        raise ValueError(f"level={level!r}: a whole number from 1 to {LEVELS}")
    return KINDS[kind](random, level)


# -- trees ------------------------------------------------------------------------------------------------------------


def random_tree(random: Random, level: int, chance: bool = False) -> Any:
    """A random tree: two plies at level 1, three from there on; all leaves have names, a, b, c and so on."""
    plies, widest, number = (2 if level == 1 else 3), (3 if level != 2 else 2), count()

    def node(ply: int) -> Any:
        if ply == plies:
            utility = random.randint(-9, 9) if level > 1 else random.randint(1, 9)
            return {"utility": utility, "name": ascii_lowercase[next(number) % 26]}
        children = [node(ply + 1) for _ in range(random.randint(2, widest))]
        if chance and ply == 1:
            return {"player": "chance", "children": children, "probabilities": odds(random, len(children))}
        return {"children": children}

    root = node(0)
    return root if next(number) <= 26 else random_tree(random, level, chance)


def odds(random: Random, number: int) -> list[float]:
    """Probabilities that are easy to calculate with: quarters or tenths."""
    shares = 4 if number == 2 else 10
    cuts = sorted(random.sample(range(1, shares), number - 1))
    return [(high - low) / shares for low, high in zip([0, *cuts], [*cuts, shares], strict=True)]


def tree_picture(game: ExplicitTree) -> tree.TreePicture:
    """The picture of a tree in which only leaves have a value."""
    nodes = []
    for number in range(len(game.parent)):
        state = type(game.initial_state())(number)
        player, is_leaf = int(game.player[number]), game.is_terminal(state)
        shape = tree.END if is_leaf else tree.CHANCE if player == CHANCE else (tree.MAX, tree.MIN)[player]
        lines = [f"{game.utility(state, 0):g}", game.node_name(state)] if is_leaf else []
        nodes.append(tree.Node(shape, lines, children=[]))
        if number:
            above = int(game.parent[number])
            nodes[above].children.append(number)
            edge = len(nodes[above].children) - 1
            parent = type(state)(above)
            name = game.action_name(parent, edge)
            is_chance = int(game.player[above]) == CHANCE
            nodes[-1].edge = f"{game.probability(parent, edge):g}" if is_chance else name
    return tree.TreePicture(nodes, "A game tree")


def of_tree(title: str, make: Callable[[], Any], search: Any, *, pruned: bool = False) -> Question:
    """A question about the value of a tree, the best action, and the leaves that are never looked at.

    `make` makes a tree; it is called until the best action is better than all others and, if `pruned`, some leaf is
    never looked at.
    """
    while True:
        game, trace = ExplicitTree(make()), Trace()
        analysis = search(game, textbook=True).search(trace=trace)
        values = [row.value for row in Expectiminimax(game, textbook=True).analyse().actions]
        never = {name for name in game.node_names if name} - {game.node_name(visit.state) for visit in trace}
        if values[0] > values[1] and bool(never) == pruned:
            break
    parts = [
        Part("What is the value of the tree for MAX?", f"{analysis.value:.4g}", "number"),
        Part("Which action does MAX choose at the root?", game.action_name(analysis.state, analysis.action), "word"),
    ]
    if pruned:
        parts.insert(0, Part("Which leaves are never looked at? (their letters)", " ".join(sorted(never)), "letters"))
    text = game.render(game.initial_state()).replace("  <- here", "")
    return Question(title, text, tree_picture(game), tuple(parts), str(trace))


def minimax(random: Random, level: int) -> Question:
    """A question about minimax."""
    return of_tree("Minimax", lambda: random_tree(random, level), Minimax)


def alpha_beta(random: Random, level: int) -> Question:
    """A question about alpha-beta, from left to right."""
    return of_tree("Alpha-beta, from left to right", lambda: random_tree(random, level), AlphaBeta, pruned=True)


def expectiminimax(random: Random, level: int) -> Question:
    """A question about expectiminimax."""
    return of_tree("Expectiminimax", lambda: random_tree(random, level, chance=True), Expectiminimax)


# -- tables -----------------------------------------------------------------------------------------------------------


def mcts(random: Random, level: int) -> Question:
    """A question about UCB1, the formula with which Monte Carlo tree search chooses a child."""
    constant = (1.0, 1.4, 0.7)[level - 1]
    while True:
        children = [(name, random.randint(2, 12 * level)) for name in ascii_lowercase[: level + 1]]
        rows = [(name, random.randint(0, n), n) for name, n in children]
        total = sum(n for _, _, n in rows)
        bounds = {name: w / n + constant * math.sqrt(math.log(total) / n) for name, w, n in rows}
        first, second = sorted(bounds.values(), reverse=True)[:2]
        if first - second > 0.02:  # no answer depends on rounding
            break
    best = max(bounds, key=lambda name: bounds[name])
    lines = [f"A node has N = {total} visits, and c = {constant:g}.", "", "child    w    n"]
    lines += [f"{name:<5} {w:>4} {n:>4}" for name, w, n in rows]
    steps = [
        f"{name}: {w}/{n} + {constant:g} √(ln {total} / {n}) = {w / n:.3f} + {exploring:.3f} = {w / n + exploring:.3f}"
        for name, w, n in rows
        for exploring in [bounds[name] - w / n]
    ]
    parts = (
        Part("Which child does UCB1 choose, w/n + c √(ln N / n)?", best, "word"),
        Part("What is the value of the formula for it?", f"{bounds[best]:.3f}", "number"),
    )
    return Question("Monte Carlo tree search: selection", "\n".join(lines), None, parts, "\n".join(steps))


def nash(random: Random, level: int) -> Question:
    """A question about the equilibrium of a matrix game without a saddle point."""
    most = (3, 5, 9)[level - 1]
    while True:
        payoffs = [[random.randint(-most, most) for _ in range(2)] for _ in range(2)]
        (a, b), (c, d) = payoffs
        sure, allowed = max(min(a, b), min(c, d)), min(max(a, c), max(b, d))
        if sure < allowed:  # no saddle point: both players must mix
            break
    solution = solve_zero_sum(MatrixGame(payoffs))
    x, y = (float(strategy[0]) for strategy in solution.profile)
    width = max(len(str(number)) for row in payoffs for number in row) + 2
    lines = ["What the row player gets, and the column player loses:", "", f"{'':5}{'L':>{width}}{'R':>{width}}"]
    lines += [f"{name:5}{p:>{width}}{q:>{width}}" for name, (p, q) in zip(("up", "down"), payoffs, strict=True)]
    parts = (
        Part("With which probability does the row player play up?", f"{x:.4g}", "number"),
        Part("What does the row player get on average?", f"{float(solution.value):.4g}", "number"),
    )
    explanation = (
        f"With probability x of up, the row player gets {a}x + {c}(1 - x) against L, and {b}x + {d}(1 - x) against R.\n"
        f"Both are equal at x = {x:.4g}; the column player plays L with probability {y:.4g}."
    )
    return Question("A matrix game", "\n".join(lines), None, parts, explanation)


KINDS: dict[str, Callable[[Random, int], Question]] = {
    "minimax": minimax,
    "alpha-beta": alpha_beta,
    "expectiminimax": expectiminimax,
    "mcts": mcts,
    "nash": nash,
}
"""The kinds of questions."""


# -- sheets -----------------------------------------------------------------------------------------------------------

SHEET = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Questions</title>
<style>
:root { $light color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { $dark } }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 $font; max-width: 60rem; margin: 0 auto;
  padding: 1rem; }
section { break-inside: avoid; margin-bottom: 2.5rem; }
pre { font: 13px/1.4 $fixed; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
details pre { margin: .5rem 0 0; }
.blank { display: none; }
.answers { display: none; }
@media print {
  :root { $light }
  details { display: none; }
  .blank { display: block; border-bottom: 1px solid var(--line); height: 2.2rem; }
  .answers { display: block; break-before: page; }
}
</style>
</head>
<body>
$questions
<div class="answers">
<h1>Answers</h1>
$answers
</div>
</body>
</html>
"""
"""A page with questions, to be read or printed: on the screen the answers can be opened, on paper they come last."""


def sheet(questions: Sequence[Question]) -> str:
    """A page with questions, as HTML; printed, the answers are on pages of their own."""
    question_parts, answered = [], []
    for number, entry in enumerate(questions, 1):
        content = entry.picture.svg() if entry.picture else html.text_block(entry.text)
        parts = "".join(f'<li>{escape(part.ask)}<div class="blank"></div></li>' for part in entry.parts)
        answers = "; ".join(part.answer for part in entry.parts)
        answer_text = f"<p>{escape(answers)}</p>{html.text_block(entry.explanation)}"
        head = f"<h2>{number}. {escape(entry.title)}</h2>"
        hidden = f"<details><summary>Answers</summary>{answer_text}</details>"
        question_parts.append(f"<section>{head}{content}<ol>{parts}</ol>{hidden}</section>")
        answered.append(f"<section>{head}{answer_text}</section>")
    return Template(SHEET).substitute(
        light=svg.variables(),
        dark=svg.variables(dark=True),
        font=svg.FONT,
        fixed=svg.FIXED_FONT,
        questions="\n".join(question_parts),
        answers="\n".join(answered),
    )
