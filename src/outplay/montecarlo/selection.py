"""Selection of a child: the formulas of Monte Carlo tree search, one function each.

    ucb1        w/n + c √(ln N / n)                                 Kocsis & Szepesvári 2006
    ucb1-tuned  w/n + c √(ln N / n · min(1/4, V))                   Auer, Cesa-Bianchi & Fischer 2002
    puct        w/n + c P √N / (1 + n)                              Rosin 2011; Silver et al. 2017

w is the sum of the player to move's utilities over the n visits of the child, N the number of visits of the node
before this one, V an upper bound of the variance, P the prior. c is in units of the width of utilities, so it means the
same whatever their range. Optional terms:

    bias        b P / (1 + n)                                       progressive bias, Chaslot et al. 2008
    rave        (1 - β) w/n + β (AMAF mean) in place of w/n         Gelly & Silver 2007
    grave       the same with the AMAF mean of an ancestor          Cazenave 2015

Children without visits come first, in their order, unless they have a value to be compared by: `first_play`, a prior
with `puct`, or AMAF.
"""

import math
from typing import Any

from outplay.compile.kernels import inlined, kernel
from outplay.compile.random_numbers import random_below
from outplay.engine.workspace import ACTIONS
from outplay.montecarlo.bounds import is_closed
from outplay.montecarlo.tree import LOGS_LOOKED_UP, LOOKED_UP

SCALE = 1 << 30


@kernel
def reward(techniques: Any, numbers: Any, player: int) -> float:
    """The reward of `player` in the present simulation."""
    if techniques.shares > 1:
        return numbers.rewards[player]  # type: ignore[no-any-return]
    return numbers.rewards[0] if player == 0 else -numbers.rewards[0]  # type: ignore[no-any-return]


@kernel
def total(techniques: Any, tree: Any, node: int, player: int) -> float:
    """The sum of the utilities of `player` over all visits of `node`."""
    if techniques.shares > 1:
        return tree.value_sum[techniques.shares * node + player]  # type: ignore[no-any-return]
    return tree.value_sum[node] if player == 0 else -tree.value_sum[node]  # type: ignore[no-any-return]


@kernel
def is_open(techniques: Any, tree: Any, node: int, child: int, player: int) -> bool:
    """Whether `child` may still be better for `player`, to move in `node`, than what is proved there."""
    if techniques.shares > 1:
        return not is_closed(techniques, tree, child)
    if player == 0:
        return tree.high[child] > tree.low[node]  # type: ignore[no-any-return]
    return tree.low[child] < tree.high[node]  # type: ignore[no-any-return]


@kernel
def sample(tree: Any, node: int, random: Any) -> int:
    """A random child of a chance node, by its probability."""
    last = tree.first_child[node] + tree.num_children[node] - 1
    point = random_below(random, SCALE) / SCALE
    for child in range(tree.first_child[node], last):
        point -= tree.prior[child]
        if point < 0:
            return child
    return last  # type: ignore[no-any-return]


@kernel
def select(techniques: Any, tree: Any, node: int, player: int, memory: Any, numbers: Any) -> int:
    """The child that `player`, to move in `node`, selects; 0 if none is open."""
    first = tree.first_child[node]
    last = first + tree.num_children[node]
    visits = tree.visits[node] - 1
    if techniques.widening:
        most = 1 + int(numbers.widening * visits**numbers.widening_power)
    explore = exploring(techniques, visits, numbers)
    best_child, highest = 0, -math.inf
    for child in range(first, last):
        if techniques.solver and not is_open(techniques, tree, node, child, player):
            continue
        value = score(techniques, tree, node, child, player, visits, explore, memory, numbers)
        if value == math.inf:
            return child
        if value > highest:
            best_child, highest = child, value
        if techniques.widening:
            most -= 1
            if most == 0:
                break
    return best_child


@kernel
def exploring(techniques: Any, visits: int, numbers: Any) -> float:
    """The part of the exploration term that all children share: c √ln N, or c √N with PUCT."""
    explore = numbers.exploration * numbers.width
    if techniques.selection == "puct":
        return explore * math.sqrt(max(visits, 1))  # type: ignore[no-any-return]
    return explore * (numbers.roots_of_logs[visits] if visits < LOGS_LOOKED_UP else math.sqrt(math.log(visits)))  # type: ignore[no-any-return]


@kernel
@inlined
def score(
    techniques: Any,
    tree: Any,
    node: int,
    child: int,
    player: int,
    visits: int,
    explore: float,
    memory: Any,
    numbers: Any,
) -> float:
    """The value of the formula for `child`; infinite for a child that must be tried first.

    `visits` is N, the number of earlier visits of `node`, and `explore` is that of `exploring`.
    """
    n, source = tree.visits[child], 0
    inverse = numbers.inverses[n] if n < LOOKED_UP else 1.0 / n
    if techniques.rave:
        source = amaf_node(techniques, tree, node, child, player, memory)
    if n > 0 or source > 0:
        value = total(techniques, tree, child, player) * inverse
        if source > 0:
            value = blended(value, n, tree, source, numbers)
    elif techniques.first_play:
        value = numbers.first_play
    elif techniques.selection == "puct":
        value = total(techniques, tree, node, player) / max(visits, 1)
    else:
        return math.inf
    if techniques.selection == "ucb1":
        value += ucb1(explore, n, numbers)
    elif techniques.selection == "ucb1-tuned":
        value += ucb1_tuned(techniques, explore, n, numbers.width, tree, child, player, visits)
    else:
        value += puct(explore, n, tree, child)
    if techniques.bias:
        value += numbers.bias * numbers.width * tree.prior[child] / (1 + n)
    return value  # type: ignore[no-any-return]


@kernel
def ucb1(explore: float, n: int, numbers: Any) -> float:
    """The exploration term; `explore` is c √ln N. Zero visits count as one."""
    return explore * (numbers.roots[n] if n < LOOKED_UP else 1.0 / math.sqrt(n))


@kernel
def ucb1_tuned(
    techniques: Any, explore: float, n: int, width: float, tree: Any, child: int, player: int, visits: int
) -> float:
    """The exploration term with the observed variance; `explore` is c √ln N."""
    if n == 0 or width == 0:
        return explore
    variance = (tree.square_sum[child] / n - (total(techniques, tree, child, player) / n) ** 2) / width**2
    return explore * math.sqrt(min(0.25, variance + math.sqrt(2 * math.log(max(visits, 1)) / n)) / n)


@kernel
def puct(explore: float, n: int, tree: Any, child: int) -> float:
    """The exploration term with the prior; `explore` is c √N."""
    return explore * tree.prior[child] / (1 + n)  # type: ignore[no-any-return]


@kernel
def amaf_node(techniques: Any, tree: Any, node: int, child: int, player: int, memory: Any) -> int:
    """The node whose AMAF statistics are used for `child`: itself, or with GRAVE another one; 0 if there are none."""
    source = child
    if techniques.grave and memory.references[player, 0] != node:
        action = tree.action[child] & (ACTIONS - 1)
        source = memory.places[player, action, 1] if memory.places[player, action, 0] == memory.stamp else 0
    return source if source > 0 and tree.amaf_visits[source] > 0 else 0


@kernel
def blended(mean: float, n: int, tree: Any, source: int, numbers: Any) -> float:
    """The mean of n visits, blended with the AMAF mean of `source`, whose weight falls with the visits (Silver 2009).

    β = ñ / (n + ñ + b n ñ), with ñ the visits of AMAF, and b the `rave_bias`.
    """
    amaf = tree.amaf_visits[source]
    weight = amaf / (n + amaf + numbers.rave_bias * n * amaf)
    return weight * (tree.amaf_total[source] / amaf) + (1 - weight) * mean  # type: ignore[no-any-return]


@kernel
def note_amaf_node(tree: Any, node: int, player: int, memory: Any) -> None:
    """GRAVE: find the node whose AMAF statistics `player` uses in `node`, and note where its children are.

    It is the last node on the path that has enough visits and the same player to move; at first, the first node in
    which that player is to move.
    """
    relied = memory.references[player, 0]
    if relied == 0 or tree.visits[node] >= memory.reference_visits:
        memory.references[player, 0] = node
    elif memory.references[player, 1] != memory.stamp:
        memory.references[player, 1] = memory.stamp
        first = tree.first_child[relied]
        for child in range(first, first + tree.num_children[relied]):
            action = tree.action[child] & (ACTIONS - 1)
            memory.places[player, action, 0] = memory.stamp
            memory.places[player, action, 1] = child
