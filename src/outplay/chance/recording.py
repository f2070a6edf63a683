"""The sweeps of value iteration, as a recording: the value of every state after each of them.

Nothing is recorded while the search runs: the sweeps are repeated by the interpreted kernels when they are read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from outplay.engine.recording import Recording
from outplay.engine.trace_drawing import aligned
from outplay.engine.trace_file import plain_state, state_of
from outplay.rules.game import CHANCE, legal_actions
from outplay.rules.keys import state_key

MAX_LINES = 100
"""The maximum number of states in a table."""
MAX_COLUMNS = 6
"""The maximum number of sweeps in a table: the last ones."""


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """The values after a sweep.

    Attributes:
        number: the number of the sweep, from 1; 0 for the values before the first one.
        values: the value of each state for the player to move at the root, in the order of `Sweeps.states`.
        change: the greatest change of a value in this sweep.
    """

    number: int
    values: tuple[float, ...]
    change: float


class Sweeps(Recording):
    """The sweeps of a search of `state` by value iteration, after `previous_states`; the first `limit` of them."""

    unit = "sweeps"

    def __init__(self, searcher: Any, state: Any, previous_states: Sequence[Any], number: int, limit: int) -> None:
        self.searcher, self.state, self.previous_states = searcher, state, previous_states
        self.game, self.method = searcher.game, searcher._method()
        self.sweeps, self.limit = number, limit
        self.dropped = max(0, number + 1 - limit)

    @classmethod
    def in_file(cls, searcher: Any, content: dict[str, Any]) -> Self:
        """The sweeps in a file, with what `numbers` has written."""
        numbers = content["numbers"]
        state, *previous = (state_of(searcher.game, numbers_of_state) for numbers_of_state in numbers["states"])
        return cls(searcher, state, previous, int(numbers["sweeps"]), content["limit"])

    def numbers(self) -> dict[str, Any]:
        """The states, and the number of sweeps."""
        states = [plain_state(state) for state in (self.state, *self.previous_states)]
        return {"states": states, "sweeps": self.sweeps}

    @cached_property
    def states(self) -> list[tuple[Any, tuple[str, ...]]]:
        """Every reachable state, in the order in which it is found, with the names of the actions of a way there."""
        ways: list[tuple[Any, tuple[str, ...]]] = [(self.state, ())]
        keys = {state_key(self.game, self.state)}
        past = {state_key(self.game, earlier) for earlier in self.previous_states} if self.game.repetition else set()
        for state, way in ways:
            if self.game.is_terminal(state) or (way and state_key(self.game, state) in past):
                continue
            for action in legal_actions(self.game, state):
                child = self.game.result(state, action)
                key = state_key(self.game, child)
                if key not in keys:
                    keys.add(key)
                    ways.append((child, (*way, self.game.action_name(state, action))))
        return ways

    @cached_property
    def _all(self) -> list[Sweep]:
        """All recorded sweeps."""
        again = self.searcher._swept(self.state, self.previous_states)
        before = next(again)
        sweeps = [Sweep(number=0, values=before, change=0.0)]
        for number, values in zip(range(1, len(self)), again, strict=False):
            change = max(abs(a - b) for a, b in zip(values, before, strict=True))
            sweeps.append(Sweep(number=number, values=values, change=change))
            before = values
        return sweeps

    def __len__(self) -> int:
        return self.sweeps + 1 - self.dropped

    def __getitem__(self, index: Any) -> Any:
        return self._all[index]

    def text(self, number: int | None, plies: int | None) -> str:
        """The values up to sweep `number`, of the states within `plies` plies."""
        last = len(self) - 1 if number is None else number
        if isinstance(last, bool) or not isinstance(last, int) or not 0 <= last < len(self):
            raise ValueError(f"Trace.tree({number!r}): choose a sweep from 0 to {len(self) - 1}")
        sweeps = self._all[max(0, last + 1 - MAX_COLUMNS) : last + 1]
        states = [(at, state, way) for at, (state, way) in enumerate(self.states) if plies is None or len(way) <= plies]
        rows = [("a way there", "to move", *(f"V{record.number}" for record in sweeps))]
        for at, state, way in states[:MAX_LINES]:
            values = (f"{record.values[at]:.4g}" for record in sweeps)
            rows.append((" ".join(way) or "root", self._mover(state), *values))
        hidden = len(self.states) - min(len(states), MAX_LINES)
        title = f"{self.method}, sweep {last} of {self.sweeps}: the greatest change is {sweeps[-1].change:.4g}"
        return "\n".join([title, aligned(rows), *([f"{hidden:,} more states"] if hidden else [])])

    def _mover(self, state: Any) -> str:
        if self.game.is_terminal(state):
            return "over"
        player = self.game.to_move(state)
        return "chance" if player == CHANCE else f"player {player}"

    def as_dict(self, plies: int | None) -> dict[str, Any]:
        """The sweeps as plain values, with the ways to the states."""
        return {"states": [list(way) for _, way in self.states], "sweeps": [vars(record) for record in self._all]}
