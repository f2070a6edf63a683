"""The simulations of Monte Carlo tree search, as a recording.

Reading order: `replay.py` (`Simulation`, one record), `Simulations` (all records), `recording_tree.py` (the tree as
text and as a picture), `recording_steps.py` (the phases step by step). `recording_kernels.py` records the numbers.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from outplay.compile.records import Record
from outplay.engine.recording import GrowingTree
from outplay.engine.trace_file import plain_state, state_of
from outplay.montecarlo.recording_tree import RecordedTree
from outplay.montecarlo.replay import Replay, Simulation

if TYPE_CHECKING:
    from outplay.pictures.page import StepByStep


class Simulations(GrowingTree):
    """The simulations of a search of `state`, after `previous_states`.

    `rows` are three arrays with an entry for each: the state of the random number generator, the leaf, and the rewards.
    """

    unit = "simulations"

    def __init__(
        self, searcher: Any, state: Any, previous_states: Sequence[Any], rows: tuple[Any, Any, Any], dropped: int
    ) -> None:
        self.searcher, self.state, self.previous_states = searcher, state, previous_states
        self.game, self.method = searcher.game, searcher._method()
        self.dropped, self._rows = dropped, rows
        self._read: list[Simulation] = []

    @classmethod
    def in_memory(cls, searcher: Any, state: Any, previous_states: Sequence[Any], memory: Record) -> Self:
        """The simulations that `memory` holds after a search."""
        number, records = int(memory.recorded), memory.records
        rows = records.random[:number], records.leaf[:number], records.rewards[:number]
        return cls(searcher, state, previous_states, rows, int(memory.simulations) - number)

    @classmethod
    def in_file(cls, searcher: Any, content: dict[str, Any]) -> Self:
        """The simulations in a file, with what `numbers` has written."""
        numbers = content["numbers"]
        kinds = {"random": np.int64, "leaf": np.int64, "rewards": np.float64}
        random, leaf, rewards = (np.array(numbers[name], kind) for name, kind in kinds.items())
        if not len(random) == len(leaf) == len(rewards) or rewards.ndim != 2:
            raise ValueError("columns of different lengths")
        state, *previous = (state_of(searcher.game, number) for number in numbers["states"])
        return cls(searcher, state, previous, (random, leaf, rewards), content["dropped"])

    def numbers(self) -> dict[str, Any]:
        """The columns of the records, and the states: that which was searched, and those before it."""
        random, leaf, rewards = (column.tolist() for column in self._rows)
        states = [plain_state(state) for state in (self.state, *self.previous_states)]
        return {"states": states, "random": random, "leaf": leaf, "rewards": rewards}

    @cached_property
    def _replay(self) -> Replay:
        return Replay(self.searcher, self.state, self.previous_states)

    def __len__(self) -> int:
        return len(self._rows[0])

    def _next(self, number: int) -> Simulation:
        random, leaf, rewards = (column[number].tolist() for column in self._rows)
        return self._replay.simulate(number + 1, random, leaf, rewards)

    def steps(self, plies: int | None) -> "StepByStep":
        """The phases of the first simulations: as many simulations as fit into 100 nodes."""
        from outplay.montecarlo.recording_steps import SimulationSteps  # noqa: PLC0415 - only where it is needed

        return SimulationSteps(self, self.state, self.formula, plies).page()

    def as_dict(self, plies: int | None) -> dict[str, Any]:
        """The simulations; of their selections, those down to `plies` plies from the root, or all."""
        return {"formula": self.formula, "simulations": [_plain(simulation, plies) for simulation in self]}

    @property
    def formula(self) -> str:
        """The selection formula with its constant, in units of utility.

        If the width of utilities is not known beforehand, the constant is a multiple of it.
        """
        searcher, game = self.searcher, self.game
        constant, width = searcher.constant, "the spread of the rewards"
        if not searcher._is_spread(game):
            least, greatest = game.utilities or (0, 0)
            constant, width = constant * (greatest - least), ""
        c = f"{constant:.4g}" + (f" × {width}" if width else "")
        terms = {"ucb1": "√(ln N / n)", "ucb1-tuned": "√(ln N / n · min(1/4, V))", "puct": "P √N / (1 + n)"}
        blend = " (w/n blended with AMAF)" if searcher.blends else ""
        return f"w/n + c {terms[searcher.formula]}, c = {c}{blend}"

    def _tree(self, number: int | None, method: str) -> RecordedTree:
        last = len(self) if number is None else number
        if isinstance(last, bool) or not isinstance(last, int) or not 1 <= last <= len(self):
            raise ValueError(f"Trace.{method}({number!r}): choose a number of simulations from 1 to {len(self)}")
        return RecordedTree(self, self.state, self.formula, last)


def _plain(simulation: Simulation, plies: int | None) -> dict[str, Any]:
    """A simulation as plain values."""
    path = [
        {
            "player": step.player,
            "visits": step.visits,
            "constant": step.constant,
            "action": step.option.name,
            "options": [
                {
                    "action": option.name,
                    "visits": option.visits,
                    "total": option.total,
                    "score": option.score if option.score is None or math.isfinite(option.score) else "inf",
                    **({} if option.probability is None else {"probability": option.probability}),
                    **({"proved": True} if option.is_proved else {}),
                }
                for option in step.options
            ],
        }
        for step in simulation.path[:plies]
    ]
    names = [step.option.name for step in simulation.path]
    return {
        "number": simulation.number,
        "actions": names,
        "path": path,
        "expanded": simulation.expanded,
        "result": simulation.result,
        "rewards": list(simulation.rewards),
    }
