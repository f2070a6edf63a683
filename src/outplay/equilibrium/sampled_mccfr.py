"""Monte Carlo counterfactual regret minimization on the rules themselves, for games too large to unroll.

The sampling is that of `mccfr.py`, but each walk plays the game as it goes, and what is learned is kept in a hash table
of the information sets visited so far, in bounded memory (`regret_table.py`). When it is full, known sets continue to
learn; at all others every action is equally likely, in walks and in the resulting strategy. Sets that are visited often
are visited early, so those left out matter least.

Start at `TreelessMCCFR`; `walk` is external sampling, `play` is outcome sampling.
"""

import math
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from typing import Any, ClassVar
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import check_rules
from outplay.compile.kernels import kernel, pointer, pointers, prepare_packed, unpack
from outplay.compile.records import Record, new_record
from outplay.engine.stopping import BY_CALLER, NO_LEGAL_ACTION, NO_PROBABILITY, NO_UTILITY, OTHER_ACTIONS, TOO_DEEP
from outplay.engine.trace import Trace
from outplay.equilibrium.mccfr import MIN_EPSILON, SAMPLINGS, new_stream, random_float
from outplay.equilibrium.regret_table import (
    SPACE,
    RegretTable,
    check_table,
    drawn_index,
    enter,
    find,
    memory_layout,
    new_table,
    positive_regret,
    regret_matching_probability,
)
from outplay.equilibrium.solver import AT_ONCE, EquilibriumSolver, Point, Solution
from outplay.equilibrium.strategy import Strategy
from outplay.equilibrium.tree import GameTree
from outplay.equilibrium.unrolling import CLOSE, check_mover
from outplay.rules.arguments import Progress, check_is_game
from outplay.rules.errors import OutplayError, RulesError, StrategyError, UnsuitableGame, WrongType
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import mix
from outplay.rules.numbered import numbered
from outplay.rules.options import check_options, number, word
from outplay.system.threads import MAX_PLIES

MIN_MB, MAX_MB = 0.01, 1e6


@dataclass(eq=False, repr=False)
class TreelessMCCFR(EquilibriumSolver):
    """Monte Carlo CFR without a tree, for games of any size, in bounded memory.

    It does not know the exploitability of its strategy: the solution has nan, and `exploitability(solution.strategy)`
    unrolls the game to compute it. `values` are the players' average utilities over all iterations.

    Args:
        game: the game.
        sampling: "external", or "outcome" for games in which players decide too often to try every action.
        epsilon: how often the learner acts at random in outcome sampling.
        memory_mb: megabytes for all information sets; `full` tells whether they were too few.
        seed: the seed of the random choices; the same seed gives the same result.

    Raises `ValueError` for an invalid option, and `UnsuitableGame` for a game with a rule of repetition, and for
    external sampling with one player. `solve` raises `RulesError` if it finds different actions at the same
    information, or an invalid player to move.

    >>> from outplay.equilibrium import exploitability
    >>> from outplay.games import KuhnPoker
    >>> solver = TreelessMCCFR(KuhnPoker())
    >>> solution = solver.solve(iterations=100_000)
    >>> solver.information_sets, exploitability(solution.strategy) < 0.02
    (12, True)
    """

    game: Game
    _: KW_ONLY
    sampling: str = word("external", SAMPLINGS)
    epsilon: float = number(0.6, least=MIN_EPSILON, most=1)
    memory_mb: float = number(1024, least=MIN_MB, most=MAX_MB)
    seed: int = number(0, least=0)
    options: ClassVar[tuple[str, ...]] = ("sampling", "epsilon", "memory_mb", "seed")

    def __post_init__(self) -> None:
        if isinstance(self.game, GameTree):
            raise WrongType(f"TreelessMCCFR({self.game!r}): must be a Game; use MCCFR for a GameTree")
        check_is_game(self.game, "TreelessMCCFR")
        self.game = numbered(self.game)
        check_options(self)
        if self.game.repetition is not None:
            raise UnsuitableGame(f"{self.game!r} has a rule of repetition, which is not part of its states")
        if self.sampling == "external" and self.game.players == 1:
            raise UnsuitableGame(
                f"{self.game!r} has one player, but external sampling needs two or more: use outcome sampling"
            )
        super().__post_init__()

    @property
    def information_sets(self) -> int:
        """The number of known information sets, without those that offer no choice."""
        return int(self.arrays["counts"][0])

    @property
    def full(self) -> bool:
        """Whether memory is full, so that there are sets about which nothing is learned."""
        return bool(self.arrays["counts"][2])

    @property
    def nbytes(self) -> int:
        """The maximum size of all arrays in bytes."""
        return sum(array.nbytes for array in self.arrays.values())

    def _start(self) -> dict[str, NDArray[Any]]:
        return {
            **new_table(self.memory_mb),
            "counts": np.zeros(3, np.int64),  # of sets, of choices; 1: memory is full
            "got": np.zeros((2, self.game.players)),  # the weighted sum of each player's utilities, and of the weights
            "random": new_stream(self.seed),
        }

    def _work(self, counters: Record, until: int) -> Any:
        game, regrets = self.game, RegretTable(*(self.arrays[name] for name in RegretTable._fields))
        totals, random, counts = self.arrays["got"], self.arrays["random"], self.arrays["counts"]
        memory = new_record(memory_layout())
        memory.sets, memory.choices, memory.full = counts
        memory.table_mask = len(regrets.table) - 1
        memory.max_sets, memory.max_choices = len(regrets.key), len(regrets.action)
        memory.random, memory.epsilon = random[0], self.epsilon if self.sampling == "outcome" else 0.0

        def prepare(packed: Any) -> Any:
            args = game, packed, regrets, memory, totals, counters, until
            run = iterate.prepare(*args)
            return lambda: run(*args)

        if self.check:
            check_rules(game)
        run = prepare_packed(game, [game.initial_state()], prepare)

        def work() -> None:
            run()
            counts[:] = memory.sets, memory.choices, memory.full
            random[0] = memory.random
            _complain(game, memory)

        return work

    def solve(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploitability: float | None = None,
        progress: Progress[Point] | None = None,
        save_to: str | PathLike[str] | None = None,
        trace: Trace | None = None,
    ) -> Solution:
        """Like `EquilibriumSolver.solve`, without the limit `exploitability`. Warns when memory gets full."""
        if exploitability is not None:
            raise ValueError(
                f"solve(exploitability={exploitability!r}): TreelessMCCFR does not measure it: give iterations or"
                " seconds, or use MCCFR if the game can be unrolled"
            )
        before = self.full
        solution = super().solve(
            iterations=iterations, seconds=seconds, progress=progress, save_to=save_to, trace=trace
        )
        if self.full and not before:
            warn(
                f"memory is full: {self.memory_mb:g} megabytes hold {self.information_sets:,} information sets; at all"
                " others, actions stay equally likely; give TreelessMCCFR a greater memory_mb",
                stacklevel=2,
            )
        return solution

    def _measure(self) -> tuple[tuple[float, ...], float]:
        totals, weights = self.arrays["got"]
        return tuple((totals / np.maximum(weights, 1e-300)).tolist()), math.nan

    def _strategy(self) -> Strategy:
        sets, choices = (int(count) for count in self.arrays["counts"][:2])
        first = self.arrays["first"][: sets + 1].copy()
        total, number = self.arrays["total"][:choices], np.diff(first)
        sums = np.repeat(np.add.reduceat(total, first[:-1]) if sets else total, number)
        never = sums == 0
        probability = np.where(never, 1 / np.repeat(number, number), total / np.where(never, 1, sums))
        owner, action = self.arrays["owner"][:sets].copy(), self.arrays["action"][:choices].copy()
        return Strategy(self.game, self.arrays["key"][:sets].copy(), owner, first, action, probability)

    def _arrays_to_save(self) -> dict[str, NDArray[Any]]:
        sets, choices = (int(count) for count in self.arrays["counts"][:2])
        length = {"table": 0, "key": sets, "owner": sets, "first": sets + 1}
        length |= dict.fromkeys(("action", "regret", "total"), choices)
        return {name: array[: length.get(name)] for name, array in self.arrays.items()}

    def _restore(self, content: dict[str, NDArray[Any]]) -> None:
        fresh = self._start()
        for name, array in fresh.items():
            saved = content[name]
            fits = saved.shape == array.shape or (
                name in RegretTable._fields and saved.ndim == 1 and len(saved) <= len(array)
            )
            if saved.dtype != array.dtype or not fits:
                raise StrategyError(f"{name} has the wrong shape or type")
            array[: len(saved)] = saved
        sets, choices = (int(count) for count in fresh["counts"][:2])
        check_table(content, sets, choices)
        enter(fresh["table"], fresh["key"], sets)
        self.arrays = fresh


def _complain(game: Game, memory: Record) -> None:
    """Raise an error for what the kernel found wrong."""
    check_mover(game, int(memory.why), int(memory.mover))
    if memory.why == OTHER_ACTIONS:
        raise RulesError(
            f"{game!r}: information() is the same in two states that do not list the same legal actions in the same"
            " order: list them in one order, or let information() tell the states apart"
        )
    if memory.why == NO_PROBABILITY:
        raise RulesError(
            f"{game!r}: the probabilities of a chance node are below 0, or do not sum to 1; check_game() shows where"
        )
    if memory.why == NO_UTILITY:
        raise RulesError(f"{game!r}: a utility is not a finite number; check_game() shows where")
    if memory.why == TOO_DEEP:
        raise OutplayError(f"{game!r}: a play of more than {MAX_PLIES:,} actions is too long for TreelessMCCFR")


@kernel
def iterate(game: Any, packed: Any, sets: Any, memory: Any, totals: Any, counters: Any, until: int) -> None:
    """Run iterations until number `until` is done, or until stopped or something is wrong."""
    state = unpack(game, packed, 0)
    sets, memory, counters = pointers(sets), pointer(memory), pointer(counters)
    top, depth = 0, 0
    while counters.iteration < until and memory.why == 0:
        for learner in range(game.players):
            memory.learner, weight = learner, 1.0
            if memory.epsilon > 0:
                worth, weight = play(game, state, sets, memory, counters)
            else:
                worth = walk(game, state, sets, memory, top, depth, counters)
            if memory.why == 0:
                totals[0, learner] += worth
                totals[1, learner] += weight
        if memory.why == 0:
            counters.iteration += 1
        if counters.stop != 0:
            memory.why = BY_CALLER


@kernel
def walk(game: Any, state: Any, sets: Any, memory: Any, top: int, depth: int, counters: Any) -> float:
    """External sampling: return the learner's utility from `state` on, trying all the learner's actions.

    Chance and the others draw one action each. `memory.space` is free from `top` on. A walk that is stopped learns
    nothing more.
    """
    if counters.stop == AT_ONCE:
        memory.why = BY_CALLER
    if depth >= MAX_PLIES:
        memory.why = TOO_DEEP
    if memory.why != 0:
        return 0.0
    if game.is_terminal(state):
        return received(game, state, memory)
    mover = game.to_move(state)
    memory.random = mix(memory.random, 1)
    drawn = random_float(memory.random)

    # 1. Chance draws an outcome.
    if defines(game, "probability") and mover == CHANCE:
        outcome = drawn_outcome(game, state, drawn, memory)
        if memory.why != 0:
            return 0.0
        return walk(game, game.result(state, outcome), sets, memory, top, depth + 1, counters)
    number = find(game, state, mover, sets, memory)
    above, actions = positive_regret(game, state, number, sets, memory)
    if top + actions > SPACE:
        memory.why = TOO_DEEP
    if memory.why != 0:
        return 0.0
    first = sets.first[number] if number >= 0 else 0

    # 2. Another player draws an action, by that player's strategy.
    if mover != memory.learner:
        index = drawn_index(sets, first, above, actions, drawn)
        if number >= 0 and mover == (memory.learner + 1) % game.players:
            for choice in range(first, first + actions):
                sets.total[choice] += regret_matching_probability(sets, choice, above, actions)
        action = action_number(game, state, index)
        return walk(game, game.result(state, action), sets, memory, top, depth + 1, counters)

    # 3. The learner tries every action.
    mean, choice = 0.0, first
    for action in legal_actions(game, state):
        worth = walk(game, game.result(state, action), sets, memory, top + actions, depth + 1, counters)
        if memory.why != 0:
            return 0.0
        memory.space[top + choice - first] = worth
        mean += worth * regret_matching_probability(sets, choice, above, actions)
        choice += 1
    if number >= 0:
        for choice in range(first, first + actions):
            sets.regret[choice] += memory.space[top + choice - first] - mean
    return mean


@kernel
def play(game: Any, state: Any, sets: Any, memory: Any, counters: Any) -> tuple[float, float]:
    """Outcome sampling: play from `state` to the end; return the learner's utility times a weight, and the weight.

    The weight is the ratio of the probabilities of the learner's strategy and of the learner's choices; its mean is 1.

    For each of the learner's sets on the way, `memory.path` has its number and what was chosen, and `odds` three
    numbers: the probability that the learner plays to there, the probability that the learner and the others chose to,
    and the probability of what the learner then chose.
    """
    # 1. Down.
    odds, epsilon = memory.space, memory.epsilon
    depth, length, plays, chooses, reach_of_others = 0, 0, 1.0, 1.0, 1.0
    while memory.why == 0 and not game.is_terminal(state):
        length += 1
        if counters.stop == AT_ONCE:
            memory.why = BY_CALLER
        if length >= MAX_PLIES:
            memory.why = TOO_DEEP
        mover = game.to_move(state)
        memory.random = mix(memory.random, 1)
        drawn = random_float(memory.random)
        if defines(game, "probability") and mover == CHANCE:
            outcome = drawn_outcome(game, state, drawn, memory)
            if memory.why == 0:
                state = game.result(state, outcome)
            continue
        number = find(game, state, mover, sets, memory)
        above, actions = positive_regret(game, state, number, sets, memory)
        if memory.why != 0:
            continue
        first = sets.first[number] if number >= 0 else 0
        if mover != memory.learner:
            index = drawn_index(sets, first, above, actions, drawn)
            reach_of_others *= regret_matching_probability(sets, first + index, above, actions)
        else:
            if drawn < epsilon:
                index = min(int(drawn / epsilon * actions), actions - 1)
            else:
                index = drawn_index(sets, first, above, actions, (drawn - epsilon) / (1 - epsilon))
            likely = regret_matching_probability(sets, first + index, above, actions)
            explored = epsilon / actions + (1 - epsilon) * likely
            memory.path[depth, 0], memory.path[depth, 1] = number, index
            odds[3 * depth], odds[3 * depth + 1], odds[3 * depth + 2] = plays, chooses * reach_of_others, explored
            depth += 1
            plays *= likely
            chooses *= explored
        state = game.result(state, action_number(game, state, index))
    if memory.why != 0:
        return 0.0, 1.0

    # 2. Up.
    weight = plays / chooses
    worth = received(game, state, memory)
    for back in range(depth - 1, -1, -1):
        number, index, explored = memory.path[back, 0], memory.path[back, 1], odds[3 * back + 2]
        chooses /= explored
        if number < 0:  # the strategy is uniform, as the choice is, and there is nothing to learn
            continue
        worth /= explored
        first, actions, above = sets.first[number], sets.first[number + 1] - sets.first[number], 0.0
        for choice in range(first, first + actions):
            above += max(sets.regret[choice], 0.0)
        mean = regret_matching_probability(sets, first + index, above, actions) * worth
        counts = odds[3 * back] / odds[3 * back + 1]
        for choice in range(first, first + actions):
            sets.total[choice] += counts * regret_matching_probability(sets, choice, above, actions)
        for choice in range(first, first + actions):
            sets.regret[choice] -= mean / chooses
        sets.regret[first + index] += worth / chooses
        worth = mean
    return worth, weight


@kernel
def drawn_outcome(game: Any, state: Any, drawn: float, memory: Any) -> int:
    """Return the outcome that `drawn`, from 0 to 1, falls on."""
    outcome, number, total = 0, 0, 0.0
    for action in legal_actions(game, state):
        likely = game.probability(state, action)
        if drawn >= total:
            outcome = action
        if not likely >= 0:
            memory.why = NO_PROBABILITY
        total += likely
        number += 1
    if number == 0:
        memory.why = NO_LEGAL_ACTION
    elif not abs(total - 1) < CLOSE:
        memory.why = NO_PROBABILITY
    return outcome


@kernel
def received(game: Any, state: Any, memory: Any) -> float:
    """Return the learner's utility at an end."""
    utility = float(game.utility(state, memory.learner))
    if not math.isfinite(utility):
        memory.why = NO_UTILITY
    return utility


@kernel
def action_number(game: Any, state: Any, index: int) -> int:
    """Return the action with that index."""
    action_at = 0
    for action in legal_actions(game, state):
        if index == 0:
            action_at = action
        index -= 1
    return action_at
