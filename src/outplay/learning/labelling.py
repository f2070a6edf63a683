"""Games between searches: positions, with what the searches say of them and how the games ended.

A search mostly estimates positions after bad moves, which do not come up between good players. So beside each position
of a game, one is labelled that a few random actions lead to from there. Start at `Labeller`.
"""

import math
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.engine.limits import Limit
from outplay.evaluation.columns import read_columns
from outplay.evaluation.generated_code import function_from
from outplay.evaluation.patterns import Tables, code_of, score_of
from outplay.evaluation.variant import Evaluation
from outplay.learning.plan import Plan
from outplay.learning.rivals import searcher_of
from outplay.learning.self_play import OPENING
from outplay.rules.constant_sum import draw_utility
from outplay.rules.game import CHANCE, defines, legal_actions, noisy_actions
from outplay.rules.repetition import final, playable

STRAY = 0.02
"""How often a later action is random."""
ASIDE = 2
"""At most so many random actions lead aside."""
RESULT = 0.3
"""The share of a goal that is the result of the game; the rest is the value that the search gave."""
SURE = 0.98
"""A game ends where the value of a search is so much of a win or a loss; goals are at most so much."""


class Labelled(NamedTuple):
    """A state, and what a search says of it in units of a win; `aside`: it is not on the way of the game."""

    state: Any
    value: float
    aside: bool


class LabelledPositions(NamedTuple):
    """Positions from games.

    Attributes:
        symbols: uint8 [positions, locations]: what stands on each location.
        stages: int64 [positions]: the stage of the game.
        movers: int64 [positions]: who is to move.
        terms: float32 [positions, terms]: the values of the terms.
        goals: float32 [positions]: what the player to move should expect, in units of a win.
        games: int64 [positions]: the number of its game.
    """

    symbols: NDArray[np.uint8]
    stages: NDArray[np.int64]
    movers: NDArray[np.int64]
    terms: NDArray[np.float32]
    goals: NDArray[np.float32]
    games: NDArray[np.int64]

    def places(self, tables: Tables) -> NDArray[np.int32]:
        """The index in the weights of each copy of a group: int32 [positions, copies]."""
        layout, places = tables.layout, np.zeros((len(self.games), tables.copies), np.int64)
        starts = np.cumsum([0, *tables.lengths])
        for copy in range(tables.copies):
            group, image = divmod(copy, len(layout.images))
            factor = 1
            places[:, copy] = starts[group]
            for location in tables.groups[group]:
                places[:, copy] += factor * self.symbols[:, layout.images[image][location]].astype(np.int64)
                factor *= layout.locations[location].symbols
        offsets = (self.movers * tables.stages if tables.by_mover else 0) + np.minimum(self.stages, tables.stages - 1)
        return (places + (offsets * tables.size)[:, None]).astype(np.int32)


class Labeller:
    """Plays games between equal searches.

    Args:
        plan: what is known of the game.
        tables: whose layout and terms are read.
        nodes: the nodes of a search.
        seed: of the openings and of random actions.
    """

    def __init__(self, plan: Plan, tables: Tables, nodes: int, seed: int) -> None:
        self.plan, self.tables, self.game, self.limit = plan, tables, plan.game, Limit(nodes=nodes)
        self.dice = Random(seed)  # noqa: S311 - not for secrets
        code = code_of(tables, plan.game, plan.most, plan.bounded)
        lines = [*code.lines, f"return [{', '.join(code.values)}], {score_of(tables, plan.game, 'game')}"]
        names = {"own": type(plan.game).evaluate, "log": math.log}
        self.read, self.rows = function_from("read", "game, state, rows", lines, names), code.rows
        self.use(None)

    def use(self, evaluation: Evaluation | None) -> None:
        """Search with this evaluation from now on; None: the game's own."""
        self.search = searcher_of(self.game, evaluation)

    def play(self, number: int) -> LabelledPositions:
        """Play a game; `number` is what it is called."""
        game, plan = self.game, self.plan
        history = [game.initial_state()]
        opening, labelled = self.dice.randrange(OPENING), list[Labelled]()
        ended: tuple[float, ...] | None
        while (ended := final(game, history)) is None and len(history) <= plan.plies:
            state, actions = history[-1], list(playable(game, history))
            mover = game.to_move(state)
            if mover == CHANCE:
                history.append(self._state_after_chance(state, actions))
                continue
            action = self.dice.choice(actions)
            if len(history) > opening and self.dice.random() >= STRAY:
                best, value = self._search(state)
                if plan.bounded and abs(value) > SURE:
                    ended = self._decided(state, value)
                    break
                if best in actions:
                    action = best
                self._keep(labelled, state, value, best, aside=False)
                if (other := self._state_nearby(state)) is not None:
                    best, value = self._search(other)
                    self._keep(labelled, other, value, best, aside=True)
            history.append(game.result(state, action))
        return self._positions(labelled, ended, number)

    def _search(self, state: Any) -> tuple[Any, float]:
        """The best action, and the value for the player to move in units of a win; NaN if the nodes were too few."""
        analysis = self.search.search(state, self.limit)
        return analysis.action, (analysis.value - draw_utility(self.game)) / self.plan.most

    def _state_nearby(self, state: Any) -> Any:
        """A state that a few random actions lead to, in which a player decides; None if the game ends before."""
        game = self.game
        for _ in range(1 + self.dice.randrange(ASIDE)):
            while not game.is_terminal(state) and game.to_move(state) == CHANCE:
                state = self._state_after_chance(state, list(legal_actions(game, state)))
            if game.is_terminal(state):
                return None
            state = game.result(state, self.dice.choice(list(legal_actions(game, state))))
        return None if game.is_terminal(state) or game.to_move(state) == CHANCE else state

    def _state_after_chance(self, state: Any, outcomes: list[Any]) -> Any:
        """What chance makes of a state."""
        weights = [float(self.game.probability(state, outcome)) for outcome in outcomes]
        return self.game.result(state, self.dice.choices(outcomes, weights)[0])

    def _keep(self, labelled: list[Labelled], state: Any, value: float, best: Any, aside: bool) -> None:
        """Add a position if there is a value, and a static estimate can be right: the best action takes nothing."""
        game = self.game
        if defines(game, "is_quiet"):
            is_quiet = game.is_quiet(state)
        else:
            is_quiet = not defines(game, "noisy") or best not in noisy_actions(game, state)
        if is_quiet and not math.isnan(value):
            labelled.append(Labelled(state, min(max(value, -SURE), SURE) if self.plan.bounded else value, aside))

    def _decided(self, state: Any, value: float) -> tuple[float, ...]:
        """The utilities that a sure value of the player to move promises."""
        of_mover = draw_utility(self.game) + math.copysign(self.plan.most, value)
        if self.game.players == 1:
            return (of_mover,)
        of_other = 2 * draw_utility(self.game) - of_mover
        return (of_mover, of_other) if self.game.to_move(state) == 0 else (of_other, of_mover)

    def _positions(self, labelled: list[Labelled], ended: tuple[float, ...] | None, number: int) -> LabelledPositions:
        """The positions of a game with its result, None for a draw."""
        game, plan, layout = self.game, self.plan, self.tables.layout
        states, values = [one.state for one in labelled], np.array([one.value for one in labelled])
        movers = np.array([game.to_move(state) for state in states], np.int64)
        table = read_columns(layout.columns, states)
        entries = [self.read(game, state, self.rows) for state in states]
        terms = np.array([values for values, _ in entries], np.float32).reshape(len(states), len(self.tables.terms))
        results = np.zeros(len(states)) if ended is None else (np.array(ended)[movers] - draw_utility(game)) / plan.most
        goals = np.where([one.aside for one in labelled], values, RESULT * results + (1 - RESULT) * values)
        goals -= np.array([score for _, score in entries]) / plan.most
        return LabelledPositions(
            layout.symbols(table).astype(np.uint8), layout.stage(table), movers, terms, goals.astype(np.float32),
            np.full(len(states), number),
        )  # fmt: skip
