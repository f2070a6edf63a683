"""Which actions are dominated, round by round.

Action a of a player is strictly dominated if some mixture x of the other actions is better whatever the others do:

    sum over b of  x(b) u(b, o)  >  u(a, o)    for all actions o of the others

and weakly dominated if the mixture is never worse and sometimes better. A rational player does not take a strictly
dominated action, and if this is common knowledge, the remaining game can be reduced again (Luce & Raiffa 1957; Bernheim
1984; Pearce 1984). Strictly dominated actions are not part of any equilibrium, and the order of elimination does not
matter. Weakly dominated actions of all players are removed together in each round: equilibria may be lost, but some
remain, and with them the value of a zero-sum game. Dominating mixtures are found by a linear program.

Start at `removals`; `eliminate_dominated` in `dominance.py` is what users call.
"""

from dataclasses import dataclass

import numpy as np

from outplay.equilibrium.linear_program import Program, linear_program
from outplay.equilibrium.nfg import Numbers
from outplay.equilibrium.payoff_tables import probabilities_from, spreads_of

MIN_GAIN = 1e-8
"""The gain above which a strategy counts as better, in units of the spread of the player's payoffs."""
SLACK = 1e-9
"""The loss up to which a strategy does not count as worse, in the same units."""


@dataclass(frozen=True, eq=False)
class Removal:
    """An action that was removed.

    Attributes:
        round: the round, from 1 on.
        player: the player whose action it was.
        action: its number in the whole game.
        by: the mixture that dominates it, float64 [actions in the whole game].
        strictly: whether the mixture is always better; else it is never worse and sometimes better.
    """

    round: int
    player: int
    action: int
    by: Numbers
    strictly: bool


def removals(payoffs: Numbers, *, weakly: bool = False, mixed: bool = True) -> list[Removal]:
    """Return the actions that elimination removes, in order; for the arguments see `eliminate_dominated`.

    `payoffs` are those of all players, float64 [players, actions of player 0, …].
    """
    shape = payoffs.shape[1:]
    actions_left = [list(range(number)) for number in shape]
    removed: list[Removal] = []
    round_ = 0
    while True:
        round_ += 1
        left = payoffs[np.ix_(range(len(payoffs)), *actions_left)]
        candidates = [
            Removal(
                round_, player, actions_left[player][action], _lifted(by, actions_left[player], shape[player]), strictly
            )
            for player in range(len(payoffs))
            for action, by, strictly in _dominated(left, player, weakly=weakly, mixed=mixed)
        ]
        for candidate in candidates:
            actions_left[candidate.player].remove(candidate.action)
        removed += candidates
        if not candidates:
            return removed


def _lifted(by: Numbers, numbers_kept: list[int], number: int) -> Numbers:
    whole = np.zeros(number)
    whole[numbers_kept] = by
    return whole


def _dominated(payoffs: Numbers, player: int, *, weakly: bool, mixed: bool) -> list[tuple[int, Numbers, bool]]:
    """Return the dominated actions of a player, each with the mixture that dominates it, and whether strictly."""
    number = payoffs.shape[1 + player]
    table = np.moveaxis(payoffs[player], player, 0).reshape(number, -1)  # [own actions, the rest]
    table = table / spreads_of(payoffs)[player]
    dominated = []
    for action in range(number):
        by = _single(table, action, weakly=weakly)
        if by is None and mixed and number > 2:
            by = _mixture(table, action, weakly=weakly)
        if by is not None:
            dominated.append((action, by, bool((by @ table - table[action]).min() > MIN_GAIN)))
    return dominated


def _dominates(gain: Numbers, *, weakly: bool) -> bool:
    """Whether the gains of a strategy over an action amount to dominance."""
    return bool(gain.min() > MIN_GAIN or (weakly and gain.min() >= -SLACK and gain.max() > MIN_GAIN))


def _single(table: Numbers, action: int, *, weakly: bool) -> Numbers | None:
    """Return the first single action that dominates `action`."""
    for other in range(len(table)):
        if other != action and _dominates(table[other] - table[action], weakly=weakly):
            dominating: Numbers = np.eye(len(table))[other]
            return dominating
    return None


def _mixture(table: Numbers, action: int, *, weakly: bool) -> Numbers | None:
    """Return a mixture that dominates `action`: the one with the greatest least gain, else the greatest total gain."""
    gain = table - table[action]  # [own actions, the rest]; `action` itself gains 0, so that there is a mixture
    own, other_count = gain.shape
    programs = [(np.append(np.zeros(own), -1.0), np.hstack([-gain.T, np.ones((other_count, 1))]))]
    if weakly:
        programs.append((-gain.sum(axis=1), -gain.T))
    for objective, least in programs:
        total = [[1.0] * own + [0.0] * (len(objective) - own)]
        solved = linear_program("a dominating mixture", Program(objective, least, np.zeros(other_count), total, [1.0]))
        by = np.array(solved.x[:own])
        by[action] = 0.0
        if by.sum() > 0.5 and _dominates(probabilities_from(by) @ gain, weakly=weakly):
            return probabilities_from(by)
    return None
