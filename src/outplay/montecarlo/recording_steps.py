"""Monte Carlo tree search step by step: the four phases of each simulation, as a page."""

import math
from typing import Any

from outplay.engine.recording import Recording
from outplay.engine.trace_picture import seen_state
from outplay.montecarlo.recording_tree import MAX_NODES, PathNode, grow, laid_out, mover_of, new_root
from outplay.montecarlo.replay import END, FORCED_RESULT, RANDOM, REPETITION, Selection, Simulation
from outplay.pictures.page import Caption, Step, StepByStep
from outplay.pictures.tree import TreePicture
from outplay.rules.game import CHANCE

CODE = (
    "while there is time:",
    "    node = root",
    "    while node has children:         # selection",
    "        node = child with the best score",
    "    if node was visited before:      # expansion",
    "        add its children; node = the first",
    "    reward = that of a random game   # playout",
    "    for each node on the path: # backpropagation",
    "        n += 1; w += reward",
    "return the action with most visits",
)
START, SELECT, EXPAND, PLAY, BACK, END_OF_SEARCH = 1, 3, 5, 6, 8, 9
"""The numbers of the lines that steps name."""
MAX_PLAYOUT = 60
"""The maximum number of actions of a playout that are named."""


class SimulationSteps:
    """The steps of the first simulations: as many as fit into 100 nodes, down to `plies` plies."""

    def __init__(self, recording: Recording, state: Any, formula: str, plies: int | None) -> None:
        self.recording, self.game, self.formula = recording, recording.game, formula
        self.plies = math.inf if plies is None else plies
        self.root = new_root(recording.game, state)
        self.simulations: list[tuple[Simulation, list[PathNode]]] = []
        nodes = {self.root}
        for simulation in recording:
            path = grow(self.game, self.root, simulation)
            self.simulations.append((simulation, path))
            nodes.update(node for node in path if node.ply <= self.plies)
            if len(nodes) >= MAX_NODES:
                break
        self.nodes, self.numbers = laid_out(self.game, self.root, nodes, boards=False)
        self.parts: dict[PathNode, tuple[int, float]] = dict.fromkeys(nodes, (0, 0.0))  # n and w so far
        self.steps: list[Step] = []

    def page(self) -> StepByStep:
        """All steps."""
        for simulation, path in self.simulations:
            self._simulation(simulation, path)
        best = max(self.root.children.values(), key=lambda child: child.visits)
        conclusion = f"{best.name} has the most visits: {best.visits}"
        if self.root.player == CHANCE:
            conclusion = (
                f"the mean for player 0 is {self.root.total / self.root.visits:.4g}: nobody chooses where chance does"
            )
        say = f"After {len(self.simulations)} simulations {conclusion}."
        left = len(self.recording) + self.recording.dropped - len(self.simulations)
        say += f" The search went on for {left:,} more." if left else ""
        self._step(self.root, END_OF_SEARCH, say)
        captions: list[Caption] = [Caption("")] * len(self.nodes)
        for node, number in self.numbers.items():
            mover = mover_of(self.game, self.root, node)
            label = f"{node.name}: {mover}".strip(": ") if node.name else mover
            captions[number] = Caption(label, "", *seen_state(self.game, node.state))
        title = f"{self.recording.method}: score = {self.formula}"
        return StepByStep(TreePicture(self.nodes, title), captions, CODE, self.steps)

    def _step(self, node: PathNode, line: int, say: str, **more: object) -> None:
        while node not in self.numbers:  # deeper than what is shown
            node = next(above for above in self.path if node.name and node in above.children.values())
        self.steps.append(Step(self.numbers[node], line, say, **more))  # type: ignore[arg-type]

    def _simulation(self, simulation: Simulation, path: list[PathNode]) -> None:
        self.path = path
        number = f"Simulation {simulation.number}"
        for ply, (node, selection) in enumerate(zip(path, simulation.path, strict=False)):
            if ply == simulation.expanded:
                count = len(selection.options)
                text = f"{number}, expansion: {self._where(node)} gets its {count} children, none of them tried."
                self._step(node, EXPAND, text, texts=self._texts(node))
            self._select(number, node, selection)
        leaf = path[-1]
        if not simulation.path:
            self._step(leaf, START, f"{number}: the root has no children yet.", texts=self._texts(leaf))
        self._play(number, simulation, leaf)
        rewards = dict(enumerate(simulation.rewards))
        for node in path:
            if node in self.parts:
                n, w = self.parts[node]
                self.parts[node] = n + 1, w + rewards[max(node.chooser, 0)]
        changed = {self.numbers[node]: self._lines(node) for node in path if node in self.numbers}
        who = ", ".join(f"{value:.4g} for player {player}" for player, value in rewards.items())
        text = f"{number}, backpropagation: every node on the path gets n + 1, and w + the reward of its player: {who}."
        self._step(self.root, BACK, text, texts=changed)

    def _select(self, number: str, node: PathNode, selection: Selection) -> None:
        """The step in which a child of `node` is selected."""
        option_chosen, name = selection.option, self._where(node)
        names = ["action", "n", "w", "w/n", "score"]
        rows = []
        for option in selection.options:
            mean = f"{option.total / option.visits:.3f}" if option.visits else ""
            score_text = "proved" if option.is_proved else "" if option.score is None else f"{option.score:.3f}"
            if option.probability is not None:
                score_text = f"{option.probability:.3f}"
            rows.append([option.name, str(option.visits), f"{option.total:.4g}", mean, score_text.replace("inf", "∞")])
        if selection.player == CHANCE:
            names[-1] = "P"
            reason = f"chance takes {option_chosen.name}, whose probability is {option_chosen.probability:.4g}"
        elif option_chosen.score == math.inf:
            reason = f"{option_chosen.name} is not tried yet, so it comes first"
        elif option_chosen.score is None:
            reason = f"{option_chosen.name} is selected"
        else:
            reason = f"{option_chosen.name} has the best score, {option_chosen.score:.3f}"
        child = node.children[option_chosen.action]
        numbers = f"N = {selection.visits}"
        if " × " in self.formula and selection.player != CHANCE:  # c is not the same all the time
            numbers += f", c = {selection.constant:.4g}"
        say = f"{number}, selection at {name}, {numbers}: {reason}."
        self._step(
            child if child in self.numbers else node, SELECT, say,
            table=(f"The children of {name}", names, rows), marked=selection.chosen, texts=self._texts(child),
        )  # fmt: skip

    def _play(self, number: str, simulation: Simulation, leaf: PathNode) -> None:
        """The step that finds the rewards."""
        name = self._where(leaf)
        if simulation.result == RANDOM:
            names, state = [], simulation.state
            for action in simulation.playout[:MAX_PLAYOUT]:
                names.append(self.game.action_name(state, action))
                state = self.game.result(state, action)
            ellipsis = " …" if len(simulation.playout) > MAX_PLAYOUT else ""
            playout = f"a random game from {name}: {' '.join(names)}{ellipsis}" if names else f"{name} is evaluated"
        else:
            reasons = {
                END: "the game is over",
                FORCED_RESULT: "the rules know the result",
                REPETITION: "the state is repeated",
            }
            playout = f"none is needed at {name}: {reasons.get(simulation.result, 'its value is proved')}"
        gains = ", ".join(f"{value:.4g}" for value in simulation.rewards)
        self._step(leaf, PLAY, f"{number}, playout: {playout}. Utilities by player: {gains}.")

    def _where(self, node: PathNode) -> str:
        return f"the node after {node.name}" if node.name else "the root"

    def _lines(self, node: PathNode) -> list[str]:
        n, w = self.parts[node]
        return [f"{w:.4g}/{n}".replace("-", "−")]

    def _texts(self, node: PathNode) -> dict[int, list[str]]:
        """The lines of a node before the end of this simulation."""
        return {self.numbers[node]: self._lines(node)} if node in self.numbers else {}
