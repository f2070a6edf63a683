"""Monte Carlo counterfactual regret minimization: the regrets of `cfr.py`, estimated on a part of the tree by chance.

In each iteration every player learns once, from one walk down the tree (Lanctot, Waugh, Zinkevich & Bowling 2009):

    external  chance and the others act by chance, as they play; the learner tries all his actions. At his set I
                  regret(I, a) += v(a) - Σ over b of  σ(I, b) · v(b)
              with v(a), what his walk has found behind a, each end weighted with how likely *he* comes there from a.
    outcome   one play of the game; the learner explores: he acts at random with probability ε. With ξ for how likely he
              chose his actions up to a set, v = his utility, divided by how likely he chose those from I on, times how
              likely he would have played those after I:
                  regret(I, a) += (v - σ(I, a) · v) / ξ   for the action chosen, and  -σ(I, chosen) · v / ξ   for others

The mean of either over all walks is the regret of CFR, so both go to an equilibrium where CFR does; an iteration is
worse and far cheaper. The average strategy is taken as OpenSpiel does: in external sampling σ is added at every set of
the player *after* the learner that the walk comes to, for it comes there as likely as he plays; in outcome sampling
at the learner's own sets, times how likely he plays to there, divided by how likely the players were to act so.

The numbers of an information set stand side by side, in one array: regrets, σ, and the sum for the average, of each
action. Start at `MCCFR`; the tree is walked down in the form of `compact.py`.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.equilibrium.compact import compact
from outplay.equilibrium.solver import ITERATION, STOP, TreeSolver
from outplay.equilibrium.tree import (
    GameTree,
)
from outplay.rules.arguments import check_number
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game
from outplay.rules.keys import SEED, mix

SAMPLINGS = ("external", "outcome")


@dataclass(eq=False, repr=False)
class MCCFR(TreeSolver):
    """Monte Carlo counterfactual regret minimization on the unrolled game.

    Args:
        game: the game, or its `GameTree`.
        sampling: "external" or "outcome".
        epsilon: how often the learner acts at random in outcome sampling.
        seed: another one makes other choices by chance; the same seed gives the same answer.

    Raises `ValueError` for an option that there is not, and `UnsuitableGame` for external sampling with one player.

    >>> from outplay.games import KuhnPoker
    >>> solution = MCCFR(KuhnPoker()).solve(iterations=100_000)
    >>> round(solution.values[0], 2), solution.exploitability < 0.01
    (-0.06, True)
    """

    game: Game | GameTree
    _: KW_ONLY
    sampling: str = "external"
    epsilon: float = 0.6
    seed: int = 0
    options: ClassVar[tuple[str, ...]] = ("sampling", "epsilon", "seed")

    def __post_init__(self) -> None:
        check_sampling(self)
        super().__post_init__()
        if self.sampling == "external" and self.tree.players == 1:
            raise UnsuitableGame(f"{self._game!r} has one player: external sampling needs others; outcome sampling not")

    def _start(self) -> dict[str, NDArray[Any]]:
        tree = self.tree
        sets = np.zeros(3 * tree.sequences)
        sequence = np.flatnonzero(tree.set_of >= 0)
        sets[self._places(sequence, 1)] = tree.uniform()[sequence]
        return {"sets": sets, "random": new_stream(self.seed)}

    def _places(self, sequence: NDArray[Any], part: int) -> Any:
        """Where in `sets` the regrets (0), σ (1) or sums (2) of sequences are."""
        first, number = (values[self.tree.set_of[sequence]] for values in (self.tree.first, self.tree.number))
        return 3 * first + part * number + sequence - first

    def _work(self, cells: NDArray[np.int64], until: int) -> Any:
        laid, arrays, tree = compact(self.tree), self.arrays, self.tree
        common = (laid.steps, laid.borders, laid.cuts, laid.utilities, laid.root, arrays["sets"], arrays["random"])
        most, choices = int(np.diff(tree.first_set).max()), int(np.diff(tree.first_sequence).max())
        rooms = (np.zeros(most, np.int32), np.zeros(most, np.int32), np.zeros(choices + 1))
        if self.sampling == "external":
            run = external.prepare(*common, *rooms, cells, until)
            return lambda: run(*common, *rooms, cells, until)
        spaces = np.zeros(most, np.int32), np.zeros(most, np.int32), np.zeros(3 * most)
        walk = outcome.prepare(*common, *spaces, float(self.epsilon), cells, until)
        return lambda: walk(*common, *spaces, float(self.epsilon), cells, until)

    def _average(self) -> NDArray[np.float64]:
        total = np.zeros(self.tree.sequences)
        sequence = np.flatnonzero(self.tree.set_of >= 0)
        total[sequence] = self.arrays["sets"][self._places(sequence, 2)]
        return total


def check_sampling(solver: Any) -> None:
    """Raise `ValueError` if an option of sampling is not what it should be."""
    kind = type(solver).__name__
    if solver.sampling not in SAMPLINGS:
        raise ValueError(f"{kind}(sampling={solver.sampling!r}): one of {', '.join(map(repr, SAMPLINGS))}")
    check_number(solver, "epsilon", 0)
    if not 0 < solver.epsilon <= 1:
        raise ValueError(f"{kind}(epsilon={solver.epsilon!r}): a probability, greater than 0 and at most 1")
    check_number(solver, "seed", 0, whole=True)


def new_stream(seed: int) -> NDArray[np.int64]:
    """The state of a stream of random numbers: int64 [1]."""
    return np.array([mix(mix(SEED, seed), 0)], np.int64)


# -- external sampling ------------------------------------------------------------------------------------------------


@kernel
def external(
    steps: Any, borders: Any, cuts: Any, utilities: Any, root: int, sets: Any, random: Any, node: Any, answer: Any,
    value: Any, cells: Any, until: int,
) -> None:  # fmt: skip
    """Iterations until number `until` is done, or until stopped.

    `node`, `answer` int32 [sets of a player] and `value` float64 [his sequences + 1] are room for a walk.
    """
    players, ends, stream = len(borders) - 1, len(utilities) // (len(borders) - 1), int(random[0])
    while cells[ITERATION] < until and cells[STOP] == 0:
        cells[ITERATION] += 1
        for learner in range(players):
            averaged = (learner + 1) % players
            stream = walk_external(
                pointer(steps), pointer(cuts), pointer(utilities), learner * ends, root, pointer(sets), borders[0],
                borders[learner],
                borders[learner + 1], borders[averaged], borders[averaged + 1], pointer(node), pointer(answer),
                pointer(value), stream,
            )  # fmt: skip
    random[0] = stream


@kernel
def walk_external(
    steps: Any, cuts: Any, utilities: Any, ends: int, root: int, sets: Any, chance: int, mine: int, mine_end: int,
    averaged: int, averaged_end: int, node: Any, answer: Any, value: Any, stream: int,
) -> int:  # fmt: skip
    """One walk of the learner, whose nodes are those from `mine` on; the random stream after it.

    His nodes wait in line: `node[k]`, with `answer[k]`, the place in `value` where what it is worth is asked for. The
    values of its own actions are asked for at places that follow each other, in the order of the line; place 0 is
    that of the whole walk.
    """
    # 1. Down: from each action to the learner's next node, or to an end.
    waiting, taken, place = 0, 0, 0
    at, actions = root, 1
    while True:
        for action in range(actions):
            here = steps[at + 2 + action] if taken > 0 else root
            while here >= 0 and (here < mine or here >= mine_end):
                stream = mix(stream, 1)
                if here < chance:
                    here = chance_step(steps, cuts, here, stream)
                else:
                    here = choice_step(steps, sets, here, here >= averaged and here < averaged_end, stream)
            if here < 0:
                value[place] = utilities[ends + ~here]
            else:
                node[waiting], answer[waiting] = here, place
                waiting += 1
            place += 1
        if taken == waiting:
            break
        at = node[taken]
        actions = steps[at + 1]
        taken += 1

    # 2. Up: the last node in line has its values first.
    for back in range(waiting - 1, -1, -1):
        at = steps[node[back]]
        actions = steps[node[back] + 1]
        place -= actions
        mean = 0.0
        for action in range(actions):
            mean += sets[at + actions + action] * value[place + action]
        for action in range(actions):
            sets[at + action] += value[place + action] - mean
        match_regrets(sets, at, actions)
        value[answer[back]] = mean
    return stream


# -- outcome sampling -------------------------------------------------------------------------------------------------


@kernel
def outcome(
    steps: Any, borders: Any, cuts: Any, utilities: Any, root: int, sets: Any, random: Any, node: Any, chosen: Any,
    odds: Any, epsilon: float, cells: Any, until: int,
) -> None:  # fmt: skip
    """Iterations until number `until` is done, or until stopped.

    `node`, `chosen` int32 [sets of a player] and `odds` float64 [3 * sets of a player] are room for a play.
    """
    players, ends, stream = len(borders) - 1, len(utilities) // (len(borders) - 1), int(random[0])
    while cells[ITERATION] < until and cells[STOP] == 0:
        cells[ITERATION] += 1
        for learner in range(players):
            stream = walk_outcome(
                pointer(steps), pointer(cuts), pointer(utilities), learner * ends, root, pointer(sets), borders[0],
                borders[learner],
                borders[learner + 1], pointer(node), pointer(chosen), pointer(odds), epsilon, stream,
            )  # fmt: skip
    random[0] = stream


@kernel
def walk_outcome(
    steps: Any, cuts: Any, utilities: Any, ends: int, root: int, sets: Any, chance: int, mine: int, mine_end: int,
    node: Any, chosen: Any, odds: Any, epsilon: float, stream: int,
) -> int:  # fmt: skip
    """One play; the random stream after it.

    Of each of the learner's nodes on the way, `odds` are three numbers: how likely he would play to there, how likely
    he and the others were to choose so, and how likely he was to choose what he then chose.
    """
    # 1. Down. `others`: how likely they were to act so.
    depth, here = 0, root
    plays, chooses, others = 1.0, 1.0, 1.0
    while here >= 0:
        stream = mix(stream, 1)
        if here < chance:
            here = chance_step(steps, cuts, here, stream)
        elif here < mine or here >= mine_end:
            at, actions = steps[here], steps[here + 1]
            action = choice(sets, at + actions, actions, fraction(stream))
            others *= sets[at + actions + action]
            here = steps[here + 2 + action]
        else:
            at, actions = steps[here], steps[here + 1]
            drawn = fraction(stream)
            if drawn < epsilon:
                action = min(int(drawn / epsilon * actions), actions - 1)
            else:
                action = choice(sets, at + actions, actions, (drawn - epsilon) / (1 - epsilon))
            likely = sets[at + actions + action]
            explored = epsilon / actions + (1 - epsilon) * likely
            node[depth], chosen[depth] = here, action
            odds[3 * depth], odds[3 * depth + 1], odds[3 * depth + 2] = plays, chooses * others, explored
            depth += 1
            plays *= likely
            chooses *= explored
            here = steps[here + 2 + action]

    # 2. Up. `worth`: what the learner gets from here on, as his play counts for his strategy.
    worth = utilities[ends + ~here]
    for back in range(depth - 1, -1, -1):
        at, actions = steps[node[back]], steps[node[back] + 1]
        explored = odds[3 * back + 2]
        chooses /= explored
        worth /= explored
        mean = sets[at + actions + chosen[back]] * worth
        share = odds[3 * back] / odds[3 * back + 1]
        for action in range(actions):
            sets[at + 2 * actions + action] += share * sets[at + actions + action]
            sets[at + action] -= mean / chooses
        sets[at + chosen[back]] += worth / chooses
        match_regrets(sets, at, actions)
        worth = mean
    return stream


# -- steps ------------------------------------------------------------------------------------------------------------


@kernel
def chance_step(steps: Any, cuts: Any, here: int, stream: int) -> int:
    """Where chance leads from `here`."""
    drawn = fraction(stream) * steps[here]
    whole = int(drawn)
    other = 1 if drawn - whole >= cuts[steps[here + 1] + whole] else 0
    return int(steps[here + 2 + 2 * whole + other])


@kernel
def choice_step(steps: Any, sets: Any, here: int, averaged: bool, stream: int) -> int:
    """Where the player to move leads from `here`; his strategy is added to his average where that is wanted."""
    at, actions = steps[here], steps[here + 1]
    drawn, below, to = fraction(stream), 0.0, here + 2
    for action in range(at + actions, at + 2 * actions):
        likely = sets[action]
        below += likely
        to += 1 if drawn >= below else 0
        if averaged:
            sets[action + actions] += likely
    return int(steps[to])


@kernel
def fraction(stream: int) -> float:
    """A random float from 0 on and below 1, of the highest 53 bits."""
    return (stream >> 11 & 0x1F_FFFF_FFFF_FFFF) * 2.0**-53


@kernel
def choice(sets: Any, first: int, actions: int, drawn: float) -> int:
    """The number of the action that `drawn`, from 0 to 1, falls on."""
    action, below = 0, sets[first]
    while drawn >= below and action < actions - 1:
        action += 1
        below += sets[first + action]
    return action


@kernel
def match_regrets(sets: Any, at: int, actions: int) -> None:
    """What the regrets of an information set say: σ in proportion to those above 0."""
    above = 0.0
    for action in range(at, at + actions):
        likely = max(sets[action], 0.0)
        sets[action + actions] = likely
        above += likely
    if above > 0:
        share = 1 / above
        for action in range(at + actions, at + 2 * actions):
            sets[action] *= share
    else:
        for action in range(at + actions, at + 2 * actions):
            sets[action] = 1 / actions
