"""The iterations of counterfactual regret minimization, as a recording: regrets and strategies of information sets."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from outplay.engine.recording import Recording
from outplay.engine.trace_drawing import aligned
from outplay.equilibrium.best_response import behaviour_of, gains_of_plan, plan_of, values_of_plan
from outplay.equilibrium.information_sets import InformationSet, Iteration
from outplay.equilibrium.strategy import Strategy
from outplay.equilibrium.tree import GameTree

if TYPE_CHECKING:
    from outplay.pictures.page import StepByStep
    from outplay.pictures.tree import TreePicture

MAX_BYTES = 2**28
"""The maximum size of a recording; later iterations are dropped."""
MAX_LINES = 100
"""The maximum number of information sets in a table."""
COLUMNS = ("regret", "behaviour", "total")
"""The arrays of a solver that are recorded, each float64 [sequences]."""


class Iterations(Recording):
    """The iterations after number `since` that `add` has recorded, at most `limit`."""

    unit = "iterations"

    def __init__(self, tree: GameTree, method: str, since: int, limit: int) -> None:
        self.tree, self.game, self.method, self.dropped = tree, tree.game, method, 0
        self._last = since
        self.limit = max(1, min(limit, MAX_BYTES // (len(COLUMNS) * 8 * tree.sequences)))
        self._numbers: list[int] = []
        self._arrays: list[NDArray[np.float64]] = []

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another iteration."""
        return len(self._numbers) >= self.limit

    @classmethod
    def in_file(cls, tree: GameTree, content: dict[str, Any]) -> Self:
        """The iterations in a file, with what `numbers` has written."""
        recording = cls(tree, content["method"], 0, content["limit"])
        recording._numbers = [int(number) for number in content["numbers"]["iterations"]]
        recording._arrays = [np.array(column, np.float64) for column in content["numbers"]["arrays"]]
        shapes = {array.shape for array in recording._arrays}
        if len(recording._arrays) != len(recording) or shapes != {(len(COLUMNS), tree.sequences)}:
            raise ValueError(f"the arrays do not fit {tree!r}")
        return recording

    def numbers(self) -> dict[str, Any]:
        """The numbers of the iterations and their arrays."""
        return {"iterations": self._numbers, "arrays": [array.tolist() for array in self._arrays]}

    def add(self, number: int, arrays: dict[str, NDArray[Any]]) -> None:
        """Record the arrays of a solver after iteration `number`."""
        if self.is_full:
            self.dropped = number - self._numbers[-1]
        elif number > self._last:
            self._numbers.append(number)
            self._last = number
            self._arrays.append(np.stack([arrays[name] for name in COLUMNS]))

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[position] for position in range(len(self))[index]]
        number, (regret, behaviour, total) = self._numbers[index], self._arrays[index]
        average = behaviour_of(self.tree, total)
        plan = plan_of(self.tree, average)
        return Iteration(
            number=number,
            sets=tuple(self._set(at, regret, behaviour, average) for at in range(self.tree.information_sets)),
            values=values_of_plan(self.tree, plan),
            exploitability=sum(gains_of_plan(self.tree, plan)) / self.tree.players,
        )

    def _set(self, at: int, *columns: NDArray[np.float64]) -> InformationSet:
        first = self.tree.first[at]
        regrets, strategy, average = (
            tuple(column[first : first + self.tree.number[at]].tolist()) for column in columns
        )
        player, name, actions = self._names[at]
        return InformationSet(
            player=player, name=name, actions=actions, regrets=regrets, strategy=strategy, average=average
        )

    @cached_property
    def _names(self) -> Sequence[tuple[int, str, tuple[str, ...]]]:
        """For each information set the player, what the player knows, and the names of the actions."""
        tree, sequence_names = self.tree, []
        for at in range(tree.information_sets):
            state = tree.state(int(tree.set_node[at]))
            names = tuple(tree.game.action_name(state, action) for action in tree.actions(at))
            sequence_names.append((tree.owner(at), tree.information_text(at), names))
        return sequence_names

    def text(self, number: int | None, plies: int | None) -> str:
        """The regrets and strategies after iteration `number`."""
        iteration = self._iteration(number, "tree")
        rows: list[tuple[str, ...]] = [("", "action", "regret", "strategy", "average")]
        for information_set in iteration.sets[:MAX_LINES]:
            name = f"player {information_set.player}: {information_set.name}"
            for row in zip(
                information_set.actions,
                information_set.regrets,
                information_set.strategy,
                information_set.average,
                strict=True,
            ):
                rows.append((name, row[0], *map(_rounded, row[1:])))
                name = ""
        values = ", ".join(map(_rounded, iteration.values))
        title = (
            f"{self.method}, iteration {iteration.number:,}: the average strategy has values {values},"
            f" exploitability {_rounded(iteration.exploitability)}"
        )
        hidden = len(iteration.sets) - MAX_LINES
        return "\n".join([title, aligned(rows), *([f"{hidden:,} more information sets"] if hidden > 0 else [])])

    def picture(self, number: int | None, plies: int | None, boards: bool) -> "TreePicture":
        """The game tree with the average strategy after iteration `number`."""
        iteration = self._iteration(number, "picture")
        average = np.ones(self.tree.sequences)
        for first, information_set in zip(self.tree.first, iteration.sets, strict=True):
            average[first : first + len(information_set.average)] = information_set.average
        picture = self.tree.picture(Strategy.on(self.tree, average), plies)
        picture.title += f", the average strategy after {iteration.number:,} iterations"
        return picture

    def steps(self, plies: int | None) -> "StepByStep":
        """The iterations one by one, with the game tree."""
        from outplay.equilibrium.recording_steps import iteration_steps  # noqa: PLC0415 - only where it is needed

        return iteration_steps(self, self.tree, plies)

    def as_dict(self, plies: int | None) -> dict[str, Any]:
        """The iterations as plain values."""
        iterations = [
            {**vars(iteration), "sets": [vars(information_set) for information_set in iteration.sets]}
            for iteration in self
        ]
        return {"iterations": iterations}

    def _iteration(self, number: int | None, method: str) -> Iteration:
        if number is not None and number not in self._numbers:
            raise ValueError(
                f"Trace.{method}({number!r}): choose an iteration from {self._numbers[0]} to {self._numbers[-1]}"
            )
        iteration: Iteration = self[-1 if number is None else self._numbers.index(number)]
        return iteration


def _rounded(value: float) -> str:
    return f"{round(value, 4) + 0.0:.4f}"  # not -0.0000
