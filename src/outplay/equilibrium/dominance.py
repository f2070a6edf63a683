"""Iterated elimination of dominated actions.

Action a of a player is strictly dominated if some mixture x of the other actions is better whatever the others do:

    sum over b of  x(b) u(b, o)  >  u(a, o)    for all actions o of the others

and weakly dominated if the mixture is never worse and sometimes better. A rational player does not take a strictly
dominated action, and if this is common knowledge, the remaining game can be reduced again (Luce & Raiffa 1957; Bernheim
1984; Pearce 1984). Strictly dominated actions are not part of any equilibrium, and the order of elimination does not
matter. Weakly dominated actions of all players are removed together in each round: equilibria may be lost, but some
remain, and with them the value of a zero-sum game. Dominating mixtures are found by a linear program.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from outplay.equilibrium.linear_program import Program, linear_program
from outplay.equilibrium.matrix_game import MatrixGame
from outplay.equilibrium.mixed_equilibrium import cleaned
from outplay.equilibrium.nfg import Numbers

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


@dataclass(frozen=True, eq=False, repr=False)
class Elimination:
    """The remainder of a game, and what was removed.

    Attributes:
        whole: the original game.
        game: the remaining game.
        kept: the numbers of each player's remaining actions.
        removals: the removed actions, in order.
    """

    whole: MatrixGame
    game: MatrixGame
    kept: tuple[tuple[int, ...], ...]
    removals: tuple[Removal, ...]

    def lifted(self, strategies: Sequence[Sequence[float]]) -> tuple[Numbers, ...]:
        """Convert a profile of the remaining game into one of the whole game."""
        lifted = tuple(np.zeros(number) for number in self.whole.shape)
        for mixed, kept, small in zip(lifted, self.kept, self.game.profile(strategies), strict=True):
            mixed[list(kept)] = small
        return lifted

    def __str__(self) -> str:
        lines = []
        for each in self.removals:
            who, names = self.whole.players[each.player], self.whole.actions[each.player]
            parts = [(chance, names[action]) for action, chance in enumerate(each.by) if chance > SLACK]
            by = parts[0][1] if len(parts) == 1 else " + ".join(f"{chance:.4g} {name}" for chance, name in parts)
            kind = "strictly" if each.strictly else "weakly"
            lines.append(f"round {each.round}: {names[each.action]} of {who} is {kind} dominated by {by}")
        return "\n".join([*(lines or ["nothing is dominated"]), str(self.game)])

    def __repr__(self) -> str:
        return f"<Elimination: {len(self.removals)} actions of {self.whole!r}>"


def eliminate_dominated(game: MatrixGame, *, weakly: bool = False, mixed: bool = True) -> Elimination:
    """Remove dominated actions, round by round, until there are none.

    Args:
        game: a game with any number of players.
        weakly: also remove actions that are only weakly dominated.
        mixed: also look for dominating mixtures, not only for single actions.

    >>> table = [[(3, 0), (0, 1)], [(0, 0), (3, 1)], [(1, 1), (1, 0)]]
    >>> print(eliminate_dominated(MatrixGame(table, actions=[["up", "down", "out"], ["l", "r"]])))
    round 1: out of player 0 is strictly dominated by 0.5 up + 0.5 down
    round 2: l of player 1 is strictly dominated by r
    round 3: up of player 0 is strictly dominated by down
    player 0 in rows, player 1 in columns
             r
    down  3, 1
    """
    kept = [list(range(number)) for number in game.shape]
    removals: list[Removal] = []
    left, finished, round_ = game, False, 0
    while not finished:
        round_ += 1
        found = [
            Removal(round_, player, kept[player][action], _lifted(by, kept[player], game.shape[player]), strictly)
            for player in range(game.number_of_players)
            for action, by, strictly in _dominated(left, player, weakly=weakly, mixed=mixed)
        ]
        for each in found:
            kept[each.player].remove(each.action)
        removals += found
        finished = not found
        left = game.restricted(kept) if found else left
    return Elimination(game, left, tuple(map(tuple, kept)), tuple(removals))


def _lifted(by: Numbers, kept: list[int], number: int) -> Numbers:
    whole = np.zeros(number)
    whole[kept] = by
    return whole


def _dominated(game: MatrixGame, player: int, *, weakly: bool, mixed: bool) -> list[tuple[int, Numbers, bool]]:
    """Return the dominated actions of a player, each with the mixture that dominates it, and whether strictly."""
    number = game.shape[player]
    table = np.moveaxis(game.payoffs[player], player, 0).reshape(number, -1)  # [own actions, the rest]
    table = table / game.spreads[player]
    found = []
    for action in range(number):
        by = _single(table, action, weakly=weakly)
        if by is None and mixed and number > 2:
            by = _mixture(table, action, weakly=weakly)
        if by is not None:
            found.append((action, by, bool((by @ table - table[action]).min() > MIN_GAIN)))
    return found


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
    own, rest = gain.shape
    programs = [(np.append(np.zeros(own), -1.0), np.hstack([-gain.T, np.ones((rest, 1))]))]
    if weakly:
        programs.append((-gain.sum(axis=1), -gain.T))
    for objective, least in programs:
        total = [[1.0] * own + [0.0] * (len(objective) - own)]
        solved = linear_program("a dominating mixture", Program(objective, least, np.zeros(rest), total, [1.0]))
        by = np.array(solved.x[:own])
        by[action] = 0.0
        if by.sum() > 0.5 and _dominates(cleaned(by) @ gain, weakly=weakly):
            return cleaned(by)
    return None
