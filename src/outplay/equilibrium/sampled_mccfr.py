"""Monte Carlo counterfactual regret minimization on the rules themselves, for games too large to unroll.

The same sampling as in `mccfr.py`, but each walk plays the game as it goes, and what is learned stands in a hash table
of the information sets that were come to so far. Memory is bounded. When it is full, the sets that are known go on
learning; at any other one, now and in the strategy that comes out, every action is equally likely. What is come to
often is come to early, so these matter least.

Start at `TreelessMCCFR`; `walk` is external sampling, `play` is outcome sampling.
"""

import math
from dataclasses import KW_ONLY, dataclass
from os import PathLike
from typing import Any, ClassVar, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import check_rules
from outplay.compile.kernels import kernel, pointer, prepare_packed, unpack
from outplay.engine.stopping import (
    BY_CALLER,
    NO_LEGAL_ACTION,
    NO_PLAYER,
    NO_PROBABILITY,
    NO_UTILITY,
    OTHER_ACTIONS,
    TOO_DEEP,
)
from outplay.equilibrium.mccfr import check_sampling, fraction, new_stream
from outplay.equilibrium.solver import AT_ONCE, ITERATION, STOP, Progress, Solution, Solver
from outplay.equilibrium.strategy import Strategy
from outplay.equilibrium.tree import (
    CLOSE,
    GameTree,
    check_mover,
)
from outplay.rules.arguments import check_is_game, check_number
from outplay.rules.errors import OutplayError, RulesError, StrategyError, UnsuitableGame, WrongType
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.keys import information_key, mix
from outplay.system.threads import MAX_PLIES

SETS, CHOICES, FULL, WHY, MOVER = range(2, 7)
"""Cells after ITERATION and STOP: how many sets and actions are known; 1: a set has found no room; what is wrong, as
`tree.py` numbers it; where that is NO_PLAYER, who was to move."""
"""What `tree.py` finds wrong in another way."""
LEAST_MB, MOST_MB = 0.01, 1e6
BYTES_A_CHOICE = 24 + (8 + 1 + 8) / 2
"""Of `RegretTable`, without its table, where each set has two actions; with more it is less."""
SPACE = 1 << 20
"""How many values of actions on the way to a state can be remembered."""


class RegretTable(NamedTuple):
    """What is known of the information sets; set i has the choices from `first[i]` to `first[i + 1]`."""

    table: Any  # int32 [a power of two]: one more than the number of a set, by its key, by open addressing; 0: free
    key: Any  # int64 [sets]: the hash of player and information
    owner: Any  # int8 [sets]
    first: Any  # int64 [sets + 1]
    action: Any  # int64 [choices]
    regret: Any  # float64 [choices]
    total: Any  # float64 [choices]: the sum for the average strategy


@dataclass(eq=False, repr=False)
class TreelessMCCFR(Solver):
    """Monte Carlo CFR without the tree: for games of any size, with bounded memory.

    How exploitable the strategy is, it does not know: the solution says nan; `exploitability(solution.strategy)`
    unrolls the game to find out. `values` are what the players got in all iterations, on average.

    Args:
        game: the game.
        sampling: "external", or "outcome" where a player decides too often to try all that he can do.
        epsilon: how often the learner acts at random in outcome sampling.
        memory_mb: megabytes for all information sets; `full` says whether they were too few.
        seed: another one makes other choices by chance; the same seed gives the same answer.

    Raises `ValueError` for an option that there is not, and `UnsuitableGame` for a rule of repetition, and for external
    sampling with one player. `solve` raises `RulesError` if it finds that who knows the same has other actions,
    or a player to move that there is not.

    >>> from outplay.equilibrium import exploitability
    >>> from outplay.games import KuhnPoker
    >>> solver = TreelessMCCFR(KuhnPoker())
    >>> solution = solver.solve(iterations=100_000)
    >>> solver.information_sets, exploitability(solution.strategy) < 0.02
    (12, True)
    """

    game: Game
    _: KW_ONLY
    sampling: str = "external"
    epsilon: float = 0.6
    memory_mb: float = 1024
    seed: int = 0
    options: ClassVar[tuple[str, ...]] = ("sampling", "epsilon", "memory_mb", "seed")

    def __post_init__(self) -> None:
        if isinstance(self.game, GameTree):
            raise WrongType(f"TreelessMCCFR({self.game!r}): a Game is wanted; for a GameTree there is MCCFR")
        check_is_game(self.game, "TreelessMCCFR")
        check_number(self, "memory_mb", 0)
        check_sampling(self)
        if not LEAST_MB <= self.memory_mb <= MOST_MB:
            raise ValueError(f"TreelessMCCFR(memory_mb={self.memory_mb!r}): from {LEAST_MB} to {MOST_MB:,.0f}")
        if self.game.repetition is not None:
            raise UnsuitableGame(f"{self.game!r} has a rule of repetition, which is not in its states")
        if self.sampling == "external" and self.game.players == 1:
            raise UnsuitableGame(f"{self.game!r} has one player: external sampling needs others; outcome sampling not")
        super().__post_init__()

    @property
    def information_sets(self) -> int:
        """How many are known so far; those where there is no choice are not counted."""
        return int(self.arrays["counts"][0])

    @property
    def full(self) -> bool:
        """Whether memory is full, so that there are sets about which nothing is learned."""
        return bool(self.arrays["counts"][2])

    @property
    def nbytes(self) -> int:
        """How many bytes all arrays may come to take."""
        return sum(array.nbytes for array in self.arrays.values())

    def _start(self) -> dict[str, NDArray[Any]]:
        size = self.memory_mb * 1e6
        table = min(1 << int(np.log2(size / 24)), 1 << 32)  # at most seven of ten of its places are ever taken
        choices = int((size - 4 * table - 1000) / BYTES_A_CHOICE)  # the small arrays take less than 1000 bytes
        sets = min(choices // 2, 2**31 - 2)  # their numbers are int32
        return {
            "table": np.zeros(table, np.int32),
            "key": np.zeros(sets, np.int64),
            "owner": np.zeros(sets, np.int8),
            "first": np.zeros(sets + 1, np.int64),
            "action": np.zeros(choices, np.int64),
            "regret": np.zeros(choices),
            "total": np.zeros(choices),
            "counts": np.zeros(3, np.int64),  # SETS, CHOICES, FULL
            "got": np.zeros((2, self.game.players)),  # what the players got, and the weights of that
            "random": new_stream(self.seed),
        }

    def _work(self, cells: NDArray[np.int64], until: int) -> Any:
        game, known = self.game, RegretTable(*(self.arrays[name] for name in RegretTable._fields))
        got, random, counts = self.arrays["got"], self.arrays["random"], self.arrays["counts"]
        space, path, own = np.zeros(SPACE), np.zeros(2 * MAX_PLIES, np.int64), np.zeros(MOVER + 1, np.int64)
        outcome, epsilon = self.sampling == "outcome", float(self.epsilon)
        own[SETS:WHY] = counts

        def prepare(packed: Any) -> Any:
            args = (game, packed, known, outcome, epsilon, got, random, space, path, own, cells, until)
            run = iterate.prepare(*args)
            return lambda: run(*args)

        if self.check:
            check_rules(game)
        run = prepare_packed(game, [game.initial_state()], prepare)

        def work() -> None:
            run()
            counts[:] = own[SETS:WHY]
            _complain(game, own)

        return work

    def solve(
        self,
        *,
        iterations: int | None = None,
        seconds: float | None = None,
        exploitability: float | None = None,
        progress: Progress | None = None,
        save_to: str | PathLike[str] | None = None,
    ) -> Solution:
        """As every solver, but not until an exploitability, which is not known here. Warns when memory gets full."""
        if exploitability is not None:
            raise ValueError(
                f"solve(exploitability={exploitability!r}): TreelessMCCFR does not measure it: give iterations or"
                " seconds, or take MCCFR if the game can be unrolled"
            )
        before = self.full
        solution = super().solve(iterations=iterations, seconds=seconds, progress=progress, save_to=save_to)
        if self.full and not before:
            warn(
                f"memory is full: {self.memory_mb:g} megabytes hold {self.information_sets:,} information sets; at any"
                " other one every action stays equally likely; give TreelessMCCFR a greater memory_mb",
                stacklevel=2,
            )
        return solution

    def _measure(self) -> tuple[tuple[float, ...], float]:
        got, weights = self.arrays["got"]
        return tuple((got / np.maximum(weights, 1e-300)).tolist()), math.nan

    def _strategy(self) -> Strategy:
        sets, choices = (int(count) for count in self.arrays["counts"][:2])
        first = self.arrays["first"][: sets + 1].copy()
        total, number = self.arrays["total"][:choices], np.diff(first)
        sums = np.repeat(np.add.reduceat(total, first[:-1]) if sets else total, number)
        never = sums == 0
        probability = np.where(never, 1 / np.repeat(number, number), total / np.where(never, 1, sums))
        owner, action = self.arrays["owner"][:sets].copy(), self.arrays["action"][:choices].copy()
        return Strategy(self.game, self.arrays["key"][:sets].copy(), owner, first, action, probability)

    def _kept(self) -> dict[str, NDArray[Any]]:
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
                raise StrategyError(f"{name} is not what it should be")
            array[: len(saved)] = saved
        sets, choices = (int(count) for count in fresh["counts"][:2])
        lengths = [len(content[name]) for name in ("key", "owner", "action", "regret", "total", "first")]
        if lengths != [sets] * 2 + [choices] * 3 + [sets + 1] or (
            content["first"][0] != 0 or content["first"][-1] != choices or (np.diff(content["first"]) < 1).any()
        ):
            raise StrategyError("its arrays do not fit together")
        enter(fresh["table"], fresh["key"], sets)
        self.arrays = fresh


def _complain(game: Game, cells: NDArray[np.int64]) -> None:
    """Raise what the kernel found wrong."""
    check_mover(game, int(cells[WHY]), int(cells[MOVER]))
    if cells[WHY] == OTHER_ACTIONS:
        raise RulesError(
            f"{game!r}: information() is the same in two states that do not list the same legal actions in the same"
            " order: list them in one order, or give information() what tells the states apart"
        )
    if cells[WHY] == NO_PROBABILITY:
        raise RulesError(
            f"{game!r}: the probabilities of a chance node are below 0, or do not sum to 1; check_game() shows where"
        )
    if cells[WHY] == NO_UTILITY:
        raise RulesError(f"{game!r}: a utility is not a finite number; check_game() shows where")
    if cells[WHY] == TOO_DEEP:
        raise OutplayError(f"{game!r}: a play of more than {MAX_PLIES:,} actions: too long for TreelessMCCFR")


@kernel
def iterate(
    game: Any, packed: Any, known: Any, outcome: bool, epsilon: float, got: Any, random: Any, space: Any, path: Any,
    own: Any, cells: Any, until: int,
) -> None:  # fmt: skip
    """Iterations until number `until` is done, or until stopped or something is wrong."""
    state = unpack(game, packed, 0)
    arrays = RegretTable(
        pointer(known.table), pointer(known.key), pointer(known.owner), pointer(known.first), pointer(known.action),
        pointer(known.regret),
        pointer(known.total),
    )  # fmt: skip
    mask, most, room = len(known.table) - 1, len(known.key), len(known.action)
    top, depth = 0, 0
    while cells[ITERATION] < until and own[WHY] == 0:
        for learner in range(game.players):
            weight = 1.0
            if outcome:
                worth, weight = play(
                    game, state, learner, arrays, mask, most, room, pointer(random), pointer(space), pointer(path),
                    epsilon, pointer(own), pointer(cells),
                )  # fmt: skip
            else:
                worth = walk(
                    game, state, learner, arrays, mask, most, room, pointer(random), pointer(space), top, depth,
                    pointer(own), pointer(cells),
                )  # fmt: skip
            if own[WHY] == 0:
                got[0, learner] += worth
                got[1, learner] += weight
        if own[WHY] == 0:
            cells[ITERATION] += 1
        if cells[STOP] != 0:
            own[WHY] = BY_CALLER


@kernel
def walk(
    game: Any, state: Any, learner: int, known: Any, mask: int, most: int, room: int, random: Any, space: Any, top: int,
    depth: int, own: Any, cells: Any,
) -> float:  # fmt: skip
    """External sampling: what the learner gets behind `state`. At his sets he tries all actions, else one is drawn.

    `space[top]` and what follows is room for values. A walk that is stopped gives up: it learns no more.
    """
    if cells[STOP] == AT_ONCE:
        own[WHY] = BY_CALLER
    if depth >= MAX_PLIES:
        own[WHY] = TOO_DEEP
    if own[WHY] != 0:
        return 0.0
    if game.is_terminal(state):
        return received(game, state, learner, own)
    mover = game.to_move(state)
    random[0] = mix(int(random[0]), 1)
    drawn = fraction(random[0])

    # 1. Chance draws an outcome.
    if defines(game, "probability") and mover == CHANCE:
        outcome = drawn_outcome(game, state, drawn, own)
        if own[WHY] != 0:
            return 0.0
        return walk(
            game, game.result(state, outcome), learner, known, mask, most, room, random, space, top, depth + 1, own,
            cells,
        )  # fmt: skip
    number = find(game, state, mover, known, mask, most, room, own)
    above, actions = looked_at(game, state, number, known, own)
    if top + actions > SPACE:
        own[WHY] = TOO_DEEP
    if own[WHY] != 0:
        return 0.0
    first = known.first[number] if number >= 0 else 0

    # 2. Another player draws an action, as he plays.
    if mover != learner:
        index = drawn_index(known, first, above, actions, drawn)
        if number >= 0 and mover == (learner + 1) % game.players:
            for choice in range(first, first + actions):
                known.total[choice] += share(known, choice, above, actions)
        action = action_number(game, state, index)
        return walk(
            game, game.result(state, action), learner, known, mask, most, room, random, space, top, depth + 1, own,
            cells,
        )  # fmt: skip

    # 3. The learner tries them all.
    mean, choice = 0.0, first
    for action in legal_actions(game, state):
        worth = walk(
            game, game.result(state, action), learner, known, mask, most, room, random, space, top + actions,
            depth + 1, own, cells,
        )  # fmt: skip
        if own[WHY] != 0:
            return 0.0
        space[top + choice - first] = worth
        mean += worth * share(known, choice, above, actions)
        choice += 1
    if number >= 0:
        for choice in range(first, first + actions):
            known.regret[choice] += space[top + choice - first] - mean
    return mean


@kernel
def play(
    game: Any, state: Any, learner: int, known: Any, mask: int, most: int, room: int, random: Any, odds: Any, path: Any,
    epsilon: float, own: Any, cells: Any,
) -> tuple[float, float]:  # fmt: skip
    """Outcome sampling: one play from `state` to the end; what the learner gets times its weight, and the weight.

    The weight is how many times as likely he would play so as he chose so; it is 1 on average.

    Of each of his sets on the way, `path` has its number and what was chosen, and `odds` three numbers: how likely he
    would play to there, how likely he and the others were to choose so, how likely he was to choose what he then chose.
    """
    # 1. Down.
    depth, length, plays, chooses, others = 0, 0, 1.0, 1.0, 1.0
    while own[WHY] == 0 and not game.is_terminal(state):
        length += 1
        if cells[STOP] == AT_ONCE:
            own[WHY] = BY_CALLER
        if length >= MAX_PLIES:
            own[WHY] = TOO_DEEP
        mover = game.to_move(state)
        random[0] = mix(int(random[0]), 1)
        drawn = fraction(random[0])
        if defines(game, "probability") and mover == CHANCE:
            outcome = drawn_outcome(game, state, drawn, own)
            if own[WHY] == 0:
                state = game.result(state, outcome)
            continue
        number = find(game, state, mover, known, mask, most, room, own)
        above, actions = looked_at(game, state, number, known, own)
        if own[WHY] != 0:
            continue
        first = known.first[number] if number >= 0 else 0
        if mover != learner:
            index = drawn_index(known, first, above, actions, drawn)
            others *= share(known, first + index, above, actions)
        else:
            if drawn < epsilon:
                index = min(int(drawn / epsilon * actions), actions - 1)
            else:
                index = drawn_index(known, first, above, actions, (drawn - epsilon) / (1 - epsilon))
            likely = share(known, first + index, above, actions)
            explored = epsilon / actions + (1 - epsilon) * likely
            path[2 * depth], path[2 * depth + 1] = number, index
            odds[3 * depth], odds[3 * depth + 1], odds[3 * depth + 2] = plays, chooses * others, explored
            depth += 1
            plays *= likely
            chooses *= explored
        state = game.result(state, action_number(game, state, index))
    if own[WHY] != 0:
        return 0.0, 1.0

    # 2. Up.
    weight = plays / chooses
    worth = received(game, state, learner, own)
    for back in range(depth - 1, -1, -1):
        number, index, explored = path[2 * back], path[2 * back + 1], odds[3 * back + 2]
        chooses /= explored
        if number < 0:  # every action is as likely as it is chosen, and there is nothing to learn
            continue
        worth /= explored
        first, actions, above = known.first[number], known.first[number + 1] - known.first[number], 0.0
        for choice in range(first, first + actions):
            above += max(known.regret[choice], 0.0)
        mean, counts = share(known, first + index, above, actions) * worth, odds[3 * back] / odds[3 * back + 1]
        for choice in range(first, first + actions):
            known.total[choice] += counts * share(known, choice, above, actions)
        for choice in range(first, first + actions):
            known.regret[choice] -= mean / chooses
        known.regret[first + index] += worth / chooses
        worth = mean
    return worth, weight


@kernel
def drawn_outcome(game: Any, state: Any, drawn: float, own: Any) -> int:
    """The outcome that `drawn`, from 0 to 1, falls on."""
    outcome, number, total = 0, 0, 0.0
    for action in legal_actions(game, state):
        likely = game.probability(state, action)
        if drawn >= total:
            outcome = action
        if not likely >= 0:
            own[WHY] = NO_PROBABILITY
        total += likely
        number += 1
    if number == 0:
        own[WHY] = NO_LEGAL_ACTION
    elif not abs(total - 1) < CLOSE:
        own[WHY] = NO_PROBABILITY
    return outcome


@kernel
def received(game: Any, state: Any, learner: int, own: Any) -> float:
    """What the learner gets at an end."""
    utility = float(game.utility(state, learner))
    if not math.isfinite(utility):
        own[WHY] = NO_UTILITY
    return utility


@kernel
def looked_at(game: Any, state: Any, number: int, known: Any, own: Any) -> tuple[float, int]:
    """Of information set `number`, or -1: the sum of the regrets above 0, and how many actions `state` has there."""
    first, wanted = (known.first[number], known.first[number + 1] - known.first[number]) if number >= 0 else (0, 0)
    above, actions = 0.0, 0
    for action in legal_actions(game, state):
        if actions < wanted:
            above += max(known.regret[first + actions], 0.0)
            if known.action[first + actions] != action:
                own[WHY] = OTHER_ACTIONS
        actions += 1
    if number >= 0 and actions != wanted:
        own[WHY] = OTHER_ACTIONS
    if actions == 0:
        own[WHY] = NO_LEGAL_ACTION
    return above, actions


@kernel
def share(known: Any, choice: int, above: float, actions: int) -> float:
    """How likely a choice is; if no regret is above 0, and at a set that is not known, as likely as any other."""
    return max(known.regret[choice], 0.0) / above if above > 0 else 1 / actions


@kernel
def drawn_index(known: Any, first: int, above: float, actions: int, drawn: float) -> int:
    """The index of the choice that `drawn`, from 0 to 1, falls on."""
    index = 0
    drawn -= share(known, first, above, actions)
    while drawn >= 0 and index < actions - 1:
        index += 1
        drawn -= share(known, first + index, above, actions)
    return index


@kernel
def action_number(game: Any, state: Any, index: int) -> int:
    """The action with that index."""
    chosen = 0
    for action in legal_actions(game, state):
        if index == 0:
            chosen = action
        index -= 1
    return chosen


@kernel
def find(game: Any, state: Any, mover: int, known: Any, mask: int, most: int, room: int, own: Any) -> int:
    """The information set of `mover` in `state`; a new one if it is the first time; -1: no choice, or no room."""
    if mover < 0 or mover >= game.players:
        own[WHY], own[MOVER] = NO_PLAYER, mover
        return -1
    key = information_key(game, state, mover)
    place = key & mask
    while known.table[place] > 0 and known.key[known.table[place] - 1] != key:
        place = place + 1 & mask
    if known.table[place] > 0:
        return int(known.table[place]) - 1
    number, end = own[SETS], own[CHOICES]
    for action in legal_actions(game, state):
        if end < room:
            known.action[end] = action
        end += 1
    if end < own[CHOICES] + 2:
        return -1
    if end > room or number == most:
        own[FULL] = 1
        return -1
    known.table[place], known.key[number], known.owner[number] = number + 1, key, mover
    known.first[number], known.first[number + 1] = own[CHOICES], end
    own[SETS], own[CHOICES] = number + 1, end
    return int(number)


@kernel
def enter(table: Any, key: Any, sets: int) -> None:
    """Enter the sets in an empty table."""
    mask = len(table) - 1
    for number in range(sets):
        place = key[number] & mask
        while table[place] > 0:
            place = place + 1 & mask
        table[place] = number + 1
