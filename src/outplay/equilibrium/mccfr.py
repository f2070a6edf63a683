"""Monte Carlo counterfactual regret minimization: the regrets of `cfr.py`, estimated from random parts of the tree.

In each iteration every player learns once, from one walk down the tree (Lanctot, Waugh, Zinkevich & Bowling 2009):

    external  chance and the other players act at random, as they play; the learner tries every action. At an
              information set I of the learner
                  regret(I, a) += v(a) - Σ over b of  σ(I, b) · v(b)
              where v(a) is the mean utility that the walk has found after a, with the learner playing σ.
    outcome   one play of the game; the learner explores, acting uniformly at random with probability ε. Let ξ be the
              probability of the learner's own choices before I, and v the learner's utility, divided by the
              probability of the learner's choices from I on and multiplied by the probability σ gives to those after I:
                  regret(I, a) += (v - σ(I, a) · v) / ξ   for the action chosen, and  -σ(I, chosen) · v / ξ   for others

The expectation of either over all walks is the regret of CFR, so both converge where CFR does; an iteration is less
accurate and far cheaper. The average strategy is computed as in OpenSpiel: external sampling adds σ at every set of the
player *after* the learner that the walk visits, for it visits these as often as that player plays to them; outcome
sampling adds σ at the learner's own sets, times the probability that the learner plays to there, divided by the
probability that the players chose to.

The numbers of an information set stand side by side in one array: for each action its regret, then σ, then the sum for
the average. Start at `MCCFR`; walks go down the layout of `compact.py`.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer, pointers
from outplay.compile.records import Record
from outplay.equilibrium.compact import compact
from outplay.equilibrium.solver import TreeSolver
from outplay.equilibrium.tree import GameTree
from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game
from outplay.rules.keys import SEED, mix
from outplay.rules.options import check_options, number, word

SAMPLINGS = ("external", "outcome")
MIN_EPSILON = 1e-6
"""With less, plays that are hardly ever tried weigh too much."""


class ExternalWalk(NamedTuple):
    """Space for a walk of external sampling: the learner's nodes wait in line; see `walk_external`."""

    node: Any  # int32 [sets of a player]
    answer: Any  # int32 [sets of a player]: the place in `value` for the value of the node
    value: Any  # float64 [actions of a player + 1]


class OutcomeWalk(NamedTuple):
    """Space for a play of outcome sampling: the learner's decisions on the way; see `walk_outcome`."""

    node: Any  # int32 [sets of a player]
    chosen: Any  # int32 [sets of a player]
    odds: Any  # float64 [3 * sets of a player]


@dataclass(eq=False, repr=False)
class MCCFR(TreeSolver):
    """Monte Carlo counterfactual regret minimization on the unrolled game.

    Args:
        game: the game, or its `GameTree`.
        sampling: "external" or "outcome".
        epsilon: how often the learner acts at random in outcome sampling.
        seed: the seed of the random choices; the same seed gives the same result.

    Raises `ValueError` for an invalid option, and `UnsuitableGame` for external sampling with one player.

    >>> from outplay.games import KuhnPoker
    >>> solution = MCCFR(KuhnPoker()).solve(iterations=100_000)
    >>> round(solution.values[0], 2), solution.exploitability < 0.01
    (-0.06, True)
    """

    game: Game | GameTree
    _: KW_ONLY
    sampling: str = word("external", SAMPLINGS)
    epsilon: float = number(0.6, least=MIN_EPSILON, most=1)
    seed: int = number(0, least=0)
    options: ClassVar[tuple[str, ...]] = ("sampling", "epsilon", "seed")

    def __post_init__(self) -> None:
        check_options(self)
        super().__post_init__()
        if self.sampling == "external" and self.tree.players == 1:
            raise UnsuitableGame(
                f"{self._game!r} has one player, but external sampling needs two or more: use outcome sampling"
            )

    def _start(self) -> dict[str, NDArray[Any]]:
        tree = self.tree
        sets = np.zeros(3 * tree.sequences)
        sequence = np.flatnonzero(tree.set_of >= 0)
        sets[self._places(sequence, 1)] = tree.uniform()[sequence]
        return {"sets": sets, "random": new_stream(self.seed)}

    def _places(self, sequence: NDArray[Any], part: int) -> Any:
        """Return where `sets` has the regrets (0), σ (1) or sums (2) of sequences."""
        first, number = (values[self.tree.set_of[sequence]] for values in (self.tree.first, self.tree.number))
        return 3 * first + part * number + sequence - first

    def _work(self, counters: Record, until: int) -> Any:
        laid, arrays, tree = compact(self.tree), self.arrays, self.tree
        sets, actions = int(np.diff(tree.first_set).max()), int(np.diff(tree.first_sequence).max())
        if self.sampling == "external":
            line = ExternalWalk(np.zeros(sets, np.int32), np.zeros(sets, np.int32), np.zeros(actions + 1))
            run = external.prepare(laid, arrays["sets"], arrays["random"], line, counters, until)
            return lambda: run(laid, arrays["sets"], arrays["random"], line, counters, until)
        play = OutcomeWalk(np.zeros(sets, np.int32), np.zeros(sets, np.int32), np.zeros(3 * sets))
        epsilon = float(self.epsilon)
        walk = outcome.prepare(laid, arrays["sets"], arrays["random"], play, epsilon, counters, until)
        return lambda: walk(laid, arrays["sets"], arrays["random"], play, epsilon, counters, until)

    def _average(self) -> NDArray[np.float64]:
        total = np.zeros(self.tree.sequences)
        sequence = np.flatnonzero(self.tree.set_of >= 0)
        total[sequence] = self.arrays["sets"][self._places(sequence, 2)]
        return total


def new_stream(seed: int) -> NDArray[np.int64]:
    """Return the state of a stream of random numbers: int64 [1]."""
    return np.array([mix(mix(SEED, seed), 0)], np.int64)


# -- external sampling ------------------------------------------------------------------------------------------------


@kernel
def external(laid: Any, sets: Any, random: Any, line: Any, counters: Any, until: int) -> None:
    """Run iterations until number `until` is done, or until stopped; `line` is space for a walk."""
    stream, counters = int(random[0]), pointer(counters)
    raw, space = pointers(laid), pointers(line)
    while counters.iteration < until and counters.stop == 0:
        counters.iteration += 1
        for learner in range(laid.players):
            stream = walk_external(raw, pointer(sets), learner, space, stream)
    random[0] = stream


@kernel
def walk_external(laid: Any, sets: Any, learner: int, line: Any, stream: int) -> int:
    """Walk down the tree once and learn; return the random stream after it.

    The learner's nodes wait in line: `line.node[k]` has its value put into `line.value[line.answer[k]]`. The values
    after its own actions stand at consecutive places, in the order of the line; place 0 is for the walk as a whole.
    """
    steps, value, chance = laid.steps, line.value, laid.borders[0]
    mine, mine_end, ends = laid.borders[learner], laid.borders[learner + 1], laid.ends * learner
    next_player = learner + 1 if learner + 1 < laid.players else 0
    averaged, averaged_end = laid.borders[next_player], laid.borders[next_player + 1]
    # 1. Down: from each action to the learner's next node, or to an end.
    waiting, head, place = 0, 0, 0
    at, actions = laid.root, 1
    while True:
        for action in range(actions):
            current = steps[at + 2 + action] if head > 0 else laid.root
            while current >= 0 and (current < mine or current >= mine_end):
                stream = mix(stream, 1)
                if current < chance:
                    current = chance_step(steps, laid.cuts, current, stream)
                else:
                    current = choice_step(steps, sets, current, current >= averaged and current < averaged_end, stream)
            if current < 0:
                value[place] = laid.utilities[ends + ~current]
            else:
                line.node[waiting], line.answer[waiting] = current, place
                waiting += 1
            place += 1
        if head == waiting:
            break
        at = line.node[head]
        actions = steps[at + 1]
        head += 1

    # 2. Up: the last node in line has its values first.
    for back in range(waiting - 1, -1, -1):
        at = steps[line.node[back]]
        actions = steps[line.node[back] + 1]
        place -= actions
        mean = 0.0
        for action in range(actions):
            mean += sets[at + actions + action] * value[place + action]
        for action in range(actions):
            sets[at + action] += value[place + action] - mean
        match_regrets(sets, at, actions)
        value[line.answer[back]] = mean
    return stream


# -- outcome sampling -------------------------------------------------------------------------------------------------


@kernel
def outcome(laid: Any, sets: Any, random: Any, play: Any, epsilon: float, counters: Any, until: int) -> None:
    """Run iterations until number `until` is done, or until stopped; `play` is space for a play."""
    stream, counters = int(random[0]), pointer(counters)
    raw, space = pointers(laid), pointers(play)
    while counters.iteration < until and counters.stop == 0:
        counters.iteration += 1
        for learner in range(laid.players):
            stream = walk_outcome(raw, pointer(sets), learner, space, epsilon, stream)
    random[0] = stream


@kernel
def walk_outcome(laid: Any, sets: Any, learner: int, play: Any, epsilon: float, stream: int) -> int:
    """Play the game once and learn; return the random stream after it.

    For each of the learner's nodes on the way, `play.odds` has three numbers: the probability that the learner plays to
    there, the probability that all players chose to, and the probability of what the learner then chose.
    """
    steps, odds, chance = laid.steps, play.odds, laid.borders[0]
    mine, mine_end, ends = laid.borders[learner], laid.borders[learner + 1], laid.ends * learner
    # 1. Down. `reach_of_others` is the probability of their choices.
    depth, current = 0, laid.root
    plays, chooses, reach_of_others = 1.0, 1.0, 1.0
    while current >= 0:
        stream = mix(stream, 1)
        if current < chance:
            current = chance_step(steps, laid.cuts, current, stream)
        elif current < mine or current >= mine_end:
            at, actions = steps[current], steps[current + 1]
            action = choice(sets, at + actions, actions, random_float(stream))
            reach_of_others *= sets[at + actions + action]
            current = steps[current + 2 + action]
        else:
            at, actions = steps[current], steps[current + 1]
            drawn = random_float(stream)
            if drawn < epsilon:
                action = min(int(drawn / epsilon * actions), actions - 1)
            else:
                action = choice(sets, at + actions, actions, (drawn - epsilon) / (1 - epsilon))
            likely = sets[at + actions + action]
            explored = epsilon / actions + (1 - epsilon) * likely
            play.node[depth], play.chosen[depth] = current, action
            odds[3 * depth], odds[3 * depth + 1], odds[3 * depth + 2] = plays, chooses * reach_of_others, explored
            depth += 1
            plays *= likely
            chooses *= explored
            current = steps[current + 2 + action]

    # 2. Up. `worth` is the learner's utility, weighted by how much the play from here on counts for the strategy.
    worth = laid.utilities[ends + ~current]
    for back in range(depth - 1, -1, -1):
        at, actions = steps[play.node[back]], steps[play.node[back] + 1]
        explored = odds[3 * back + 2]
        chooses /= explored
        worth /= explored
        chosen = play.chosen[back]
        mean = sets[at + actions + chosen] * worth
        share = odds[3 * back] / odds[3 * back + 1]
        for action in range(actions):
            sets[at + 2 * actions + action] += share * sets[at + actions + action]
            sets[at + action] -= mean / chooses
        sets[at + chosen] += worth / chooses
        match_regrets(sets, at, actions)
        worth = mean
    return stream


# -- steps ------------------------------------------------------------------------------------------------------------


@kernel
def chance_step(steps: Any, cuts: Any, current: int, stream: int) -> int:
    """Return where chance leads from `current`."""
    drawn = random_float(stream) * steps[current]
    whole = int(drawn)
    is_alias = 1 if drawn - whole >= cuts[steps[current + 1] + whole] else 0
    return int(steps[current + 2 + 2 * whole + is_alias])


@kernel
def choice_step(steps: Any, sets: Any, current: int, averaged: bool, stream: int) -> int:
    """Return where the player to move leads from `current`; if `averaged`, add the strategy to the player's average."""
    at, actions = steps[current], steps[current + 1]
    drawn, below, to = random_float(stream), 0.0, current + 2
    for action in range(at + actions, at + 2 * actions):
        likely = sets[action]
        below += likely
        to += 1 if drawn >= below else 0
        if averaged:
            sets[action + actions] += likely
    return int(steps[to])


@kernel
def random_float(stream: int) -> float:
    """Return a random float from 0 to below 1, made from the highest 53 bits."""
    return (stream >> 11 & 0x1F_FFFF_FFFF_FFFF) * 2.0**-53


@kernel
def choice(sets: Any, first: int, actions: int, drawn: float) -> int:
    """Return the index of the action that `drawn`, from 0 to 1, falls on."""
    action, below = 0, sets[first]
    while drawn >= below and action < actions - 1:
        action += 1
        below += sets[first + action]
    return action


@kernel
def match_regrets(sets: Any, at: int, actions: int) -> None:
    """Set σ of an information set in proportion to its regrets above 0."""
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
