"""Repeats a recorded Monte Carlo tree search: `Simulation`, with its selection, expansion, playout, backpropagation.

A search records little of each simulation: the state of the random number generator at its start, its leaf, and its
rewards. The rest is computed when it is read: the interpreted kernels repeat the search, except for the playouts, whose
rewards are known. They select the same leaves, which is checked.

Reading order: `Simulation` (one record), `Replay` (repeats the search); `recording.py` has all records.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from outplay.compile.kernels import pointer, pointers
from outplay.compile.random_numbers import LISTED, new_random
from outplay.compile.records import new_record, view
from outplay.engine.limits import UNLIMITED
from outplay.engine.path import begin_path
from outplay.engine.searcher import Task
from outplay.montecarlo.answer import Answers
from outplay.montecarlo.playouts import play_out
from outplay.montecarlo.run import Run
from outplay.montecarlo.selection import exploring, is_open, score, total
from outplay.montecarlo.simulation import backpropagate, descend
from outplay.montecarlo.tree import memory_layout
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import OutplayError
from outplay.rules.game import CHANCE, Game
from outplay.rules.keys import state_key

if TYPE_CHECKING:
    from outplay.montecarlo.options import MCTSOptions

RANDOM, END, FORCED_RESULT, PROVED, REPETITION = "playout", "end", "forced result", "proved", "repetition"
"""Where the rewards of a simulation came from."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Option:
    """A child that could be selected, with its numbers before the simulation.

    Attributes:
        action: the action that leads to it.
        name: the name of that action.
        visits: n, how often it was visited.
        total: w, the sum of the utilities of the player to move over these visits; of player 0 if chance is to move.
        score: the value of the selection formula; infinite for a child that is tried first, None where the formula does
            not decide: at chance nodes, for children whose value is proved, and with `rave_reference`.
        probability: that of an outcome of chance; None for other actions.
        is_proved: whether it was left out because its value is proved.
    """

    action: int
    name: str
    visits: int
    total: float
    score: float | None
    probability: float | None
    is_proved: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class Selection:
    """The selection of a child, at one node of the path.

    Attributes:
        state: the state of the node.
        player: the player to move, or `CHANCE`.
        visits: N, how often the node was visited before.
        constant: c of the selection formula, in units of utility; it grows with the spread of the rewards so far in
            games whose range of utilities is not known.
        options: its children.
        chosen: the index of the selected one.
    """

    state: Any
    player: int
    visits: int
    constant: float
    options: tuple[Option, ...]
    chosen: int

    @property
    def option(self) -> Option:
        """The selected child."""
        return self.options[self.chosen]


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation:
    """One simulation of Monte Carlo tree search.

    Attributes:
        number: its number, from 1.
        path: the selections, from the root to the leaf.
        expanded: the ply of the node on the path that got children in this simulation; None if none did.
        state: the state of the leaf.
        player: the player to move there, or `CHANCE`; None if the game is over.
        result: where the rewards came from: "playout", "end" (of the game), "forced result", "repetition", or
            "proved" (the value of the leaf).
        rewards: the utility for each player.
    """

    number: int
    path: tuple[Selection, ...]
    expanded: int | None
    state: Any
    player: int | None
    result: str
    rewards: tuple[float, ...]
    _play_out: Callable[[], tuple[int, ...]]

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions from the root to the leaf."""
        return tuple(selection.option.action for selection in self.path)

    @cached_property
    def playout(self) -> tuple[int, ...]:
        """The actions of the playout, which is repeated for this; () if there was none."""
        return self._play_out() if self.result == RANDOM else ()


class Replay:
    """Repeats a search, simulation by simulation.

    Args:
        searcher: the searcher, an `MCTS`.
        state: the state that was searched.
        previous_states: the states before it, if the game has a rule of repetition.
    """

    def __init__(self, searcher: Any, state: Any, previous_states: Sequence[Any]) -> None:
        self.game: Game = copy(searcher._searched())
        object.__setattr__(self.game, "compiled", False)
        self.techniques: MCTSOptions = searcher._techniques(self.game)
        self.state, self.draw = state, draw_utility(self.game)
        memory = new_record(memory_layout(searcher.blends))
        if self.game.repetition:
            begin_path(self.game, previous_states, state_key(self.game, state), memory)
        task = Task(self.game, [state], 1, UNLIMITED, False, memory, view(memory), Answers([state]))
        run = Run(searcher, self.techniques, task)
        run._begin(0, state)
        worker = run.workers[0]
        self.memory, self.numbers = worker.cells, worker.reals
        self.tree, self.random = pointers(worker.tree), pointer(worker.random)  # rules get Python's own ints
        self.with_children: set[int] = set()

    def simulate(self, number: int, random: int, leaf: int, rewards: Sequence[float]) -> Simulation:
        """The next simulation, whose record is given."""
        game, techniques, tree, memory, numbers = self.game, self.techniques, self.tree, self.memory, self.numbers
        self.random[LISTED] = random
        state = descend.interpreted(game, techniques, self.state, tree, memory, numbers, self.random)
        if memory.visited[memory.ply] != leaf:
            raise OutplayError(
                f"simulation {number} of the trace cannot be repeated: the rules or the options are not those of the"
                " search, or the rules depend on something else than the state"
            )
        path, expanded = self._path()
        result, after, last = self._result(state), int(self.random[LISTED]), memory.last
        play_out_again = partial(self.playout, state, last, after)
        if techniques.remembers and not memory.has_rewards:  # backpropagation learns from the playout
            play_out.interpreted(game, techniques, state, last, memory, numbers, self.random)
            played = self._played(len(path))
            play_out_again = partial(tuple, played)
        for share, reward in enumerate(rewards):
            numbers.rewards[share] = reward
        backpropagate.interpreted(techniques, tree, memory, numbers)
        opposed = techniques.shares == 1 and game.players == 2
        gains = (rewards[0], 0.0 - rewards[0]) if opposed else tuple(rewards)
        return Simulation(
            number=number,
            path=path,
            expanded=expanded,
            state=state,
            player=None if game.is_terminal(state) else int(game.to_move(state)),
            result=result,
            rewards=tuple(reward + self.draw for reward in gains),
            _play_out=play_out_again,
        )

    def playout(self, state: Any, last: int, random: int) -> tuple[int, ...]:
        """The actions of a playout from `state`, reached by action `last`, with that state of the generator."""
        dice = pointer(new_random(0))
        dice[LISTED] = random
        self.memory.length, rewards = 0, list(self.numbers.rewards)
        techniques = replace(self.techniques, remembers=True)
        play_out.interpreted(self.game, techniques, state, last, self.memory, self.numbers, dice)
        for share, reward in enumerate(rewards):
            self.numbers.rewards[share] = reward
        return self._played(0)

    def _played(self, since: int) -> tuple[int, ...]:
        """The actions that the memory of the search holds, from number `since` on."""
        return tuple(int(action) for action in self.memory.played[since : self.memory.length])

    def _path(self) -> tuple[tuple[Selection, ...], int | None]:
        """The selections of the descent, and the ply of the node that got children in it."""
        tree, memory = self.tree, self.memory
        visited = list(memory.visited[: memory.ply + 1])
        expanded = None
        for ply, node in enumerate(visited):
            if tree.first_child[node] and node not in self.with_children:
                self.with_children.add(node)
                expanded = ply
        state, path = self.state, []
        for ply, (node, child) in enumerate(pairwise(visited)):
            path.append(self._selection(state, node, child, int(memory.movers[ply])))
            state = self.game.result(state, path[-1].option.action)
        return tuple(path), expanded

    def _selection(self, state: Any, node: int, chosen_child: int, mover: int) -> Selection:
        """The selection of `chosen_child` in `node`, with the numbers before this simulation."""
        techniques, tree, numbers = self.techniques, self.tree, self.numbers
        first, visits = int(tree.first_child[node]), int(tree.visits[node]) - 1
        explore = exploring.interpreted(techniques, visits, numbers)
        tree.visits[chosen_child] -= 1
        options = []
        for child in range(first, first + int(tree.num_children[node])):
            action = int(tree.action[child])
            by_chance = mover == CHANCE
            proved = techniques.solver and not by_chance and child != chosen_child
            proved = proved and not is_open.interpreted(techniques, tree, node, child, mover)
            value = None
            if not (by_chance or proved or techniques.grave):
                value = score.interpreted(techniques, tree, node, child, mover, visits, explore, self.memory, numbers)
            n = int(tree.visits[child])
            w = float(total.interpreted(techniques, tree, child, max(mover, 0))) + n * self.draw
            options.append(
                Option(
                    action=action,
                    name=self.game.action_name(state, action),
                    visits=n,
                    total=w + 0.0,  # not -0.0
                    score=None if value is None else float(value) + self.draw,
                    probability=float(tree.prior[child]) if by_chance else None,
                    is_proved=proved,
                )
            )
        tree.visits[chosen_child] += 1
        return Selection(
            state=state,
            player=mover,
            visits=visits,
            constant=float(numbers.exploration * numbers.width),
            options=tuple(options),
            chosen=chosen_child - first,
        )

    def _result(self, state: Any) -> str:
        if not self.memory.has_rewards:
            return RANDOM
        if self.game.is_terminal(state):
            return END
        if self.tree.first_child[self.memory.visited[self.memory.ply]]:
            return PROVED
        return REPETITION if self.techniques.repetition else FORCED_RESULT  # such games have no forced results
