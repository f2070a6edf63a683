"""Counterfactual regret minimization step by step: an iteration a step, with the game tree and a table."""

from collections.abc import Sequence
from itertools import islice

from outplay.engine.recording import Recording
from outplay.equilibrium.information_sets import InformationSet
from outplay.equilibrium.tree import GameTree
from outplay.equilibrium.tree_picture import shown_nodes
from outplay.pictures.page import Caption, Step, StepByStep

CODE = (
    "repeat:",
    "    for each information set, the last first:",
    "        for each action a:",
    "            regret(a) += chance that others come",
    "                here × (value of a − value)",
    "        strategy = the regrets above 0, scaled",
    "    average += chance to come here × strategy",
)
REGRETS = 3
"""The number of the line that steps name."""
MAX_STEPS = 300
"""The maximum number of iterations that are shown."""
MAX_ROWS = 60
"""The maximum number of rows in a table."""


def iteration_steps(recording: Recording, tree: GameTree, plies: int | None) -> StepByStep:
    """The steps of the first iterations, with the tree down to `plies` plies."""
    picture = tree.picture(plies=plies)
    captions = [Caption(" ".join(node.lines)) for node in picture.nodes]
    sets = {
        number: int(tree.information[node])
        for number, node in enumerate(shown_nodes(tree, plies))
        if tree.information[node] >= 0
    }
    before = {number: list(node.lines) for number, node in enumerate(picture.nodes)}
    for number, at in sets.items():
        picture.nodes[number].lines = [*before[number], _shares([0.0] * int(tree.number[at]))]  # room for them
    steps: list[Step] = []
    for iteration in islice(recording, MAX_STEPS):
        texts: dict[int, Sequence[str]] = {} if steps else dict(before)  # the first step shows the whole tree
        for number, at in sets.items():
            texts[number] = [*before[number], _shares(iteration.sets[at].average)]
        values = ", ".join(f"{round(value, 4) + 0.0:.4f}" for value in iteration.values)
        explanation = (
            f"Iteration {iteration.number:,}: the average strategy, which stands in the tree, has the values {values}"
            f" and exploitability {iteration.exploitability:.4f}."
        )
        steps.append(Step(0, REGRETS, explanation, texts=texts, table=_table(iteration.sets)))
    return StepByStep(picture, captions, CODE, steps)


def _shares(probabilities: Sequence[float]) -> str:
    """The probabilities of the actions of a node, from left to right."""
    return " ".join(f"{share:.2f}" for share in probabilities)


def _table(sets: Sequence[InformationSet]) -> tuple[str, Sequence[str], Sequence[Sequence[str]]]:
    """The information sets with their numbers."""
    rows = []
    for information_set in sets:
        name = f"{information_set.player}: {information_set.name}"
        for action, *numbers in zip(
            information_set.actions,
            information_set.regrets,
            information_set.strategy,
            information_set.average,
            strict=True,
        ):
            rows.append([name, str(action), *(f"{round(float(value), 3) + 0.0:.3f}" for value in numbers)])
            name = ""
    note = f", the first {MAX_ROWS} rows" if len(rows) > MAX_ROWS else ""
    return f"The information sets{note}", ["", "action", "regret", "strategy", "average"], rows[:MAX_ROWS]
