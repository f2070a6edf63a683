"""Games between searches: positions, with what the searches say of them and how the games ended.

Start at `Labeller`.
"""

import math
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.engine.limits import Limit
from outplay.evaluation.columns import read_columns
from outplay.evaluation.patterns import Tables, code_of, score_of
from outplay.evaluation.source import function_from
from outplay.evaluation.variant import Evaluation
from outplay.learning.plan import Plan
from outplay.learning.rivals import searcher_of
from outplay.learning.self_play import OPENING
from outplay.rules.constant_sum import balance
from outplay.rules.game import CHANCE, defines, noisy_actions
from outplay.rules.repetition import final, playable

STRAY = 0.02
"""How often a later action is random."""
RESULT = 0.3
"""The share of a goal that is the result of the game; the rest is the value that the search gave."""
SURE = 0.98
"""A game ends where the value of a search is so much of a win or a loss, and such positions are left out."""


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
        opening, seen = self.dice.randrange(OPENING), list[tuple[Any, float]]()
        ended: tuple[float, ...] | None
        while (ended := final(game, history)) is None and len(history) <= plan.plies:
            state, actions = history[-1], list(playable(game, history))
            mover = game.to_move(state)
            if mover == CHANCE:
                weights = [float(game.probability(state, action)) for action in actions]
                history.append(game.result(state, self.dice.choices(actions, weights)[0]))
                continue
            action = self.dice.choice(actions)
            if len(history) > opening and self.dice.random() >= STRAY:
                analysis = self.search.search(state, self.limit)
                value = (analysis.value - balance(game)) / plan.most
                if analysis.action in actions:
                    action = analysis.action
                if plan.bounded and abs(value) > SURE:
                    ended = self._decided(state, value)
                    break
                if not math.isnan(value) and self._is_quiet(state, action):
                    seen.append((state, value))
            history.append(game.result(state, action))
        return self._positions(seen, ended, number)

    def _decided(self, state: Any, value: float) -> tuple[float, ...]:
        """The utilities that a sure value of the player to move promises."""
        of_mover = balance(self.game) + math.copysign(self.plan.most, value)
        if self.game.players == 1:
            return (of_mover,)
        of_other = 2 * balance(self.game) - of_mover
        return (of_mover, of_other) if self.game.to_move(state) == 0 else (of_other, of_mover)

    def _positions(
        self, seen: list[tuple[Any, float]], ended: tuple[float, ...] | None, number: int
    ) -> LabelledPositions:
        """The positions of a game with its result, None for a draw."""
        game, plan, layout = self.game, self.plan, self.tables.layout
        states = [state for state, _ in seen]
        movers = np.array([game.to_move(state) for state in states], np.int64)
        table = read_columns(layout.columns, states)
        read = [self.read(game, state, self.rows) for state in states]
        terms = np.array([values for values, _ in read], np.float32).reshape(len(states), len(self.tables.terms))
        results = np.zeros(len(states)) if ended is None else (np.array(ended)[movers] - balance(game)) / plan.most
        goals = RESULT * results + (1 - RESULT) * np.array([value for _, value in seen])
        goals -= np.array([score for _, score in read]) / plan.most
        return LabelledPositions(
            layout.symbols(table).astype(np.uint8), layout.stage(table), movers, terms, goals.astype(np.float32),
            np.full(len(states), number),
        )  # fmt: skip

    def _is_quiet(self, state: Any, action: int) -> bool:
        """Whether a static estimate can be right: the best action takes nothing."""
        game = self.game
        if defines(game, "is_quiet"):
            return bool(game.is_quiet(state))
        return not defines(game, "noisy") or action not in noisy_actions(game, state)
