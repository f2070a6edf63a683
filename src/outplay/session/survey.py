"""The size and the shape of a game from a state on, measured in a fraction of a second without compiling anything.

A breadth-first walk finds all states of a small game. Of a larger one, random games estimate the number of states at
each ply: few different states among many that were met mean few states (as birthdays among people); where all differ,
the estimate lies between the number that would have been noticed and Knuth's estimate (1975) of the nodes there.
"""

import math
from dataclasses import dataclass, replace
from random import Random
from time import perf_counter
from typing import Any

from outplay.rules.errors import UnsuitableGame
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import state_key
from outplay.rules.numbered import numbered
from outplay.session.algorithms import searcher_class, suited

WALKED, PLAYED = 3_000, 20_000
"""The maximum numbers of states of the walk, and of the random games."""
PATIENCE = 0.1
"""The maximum seconds of each, unless less is asked for."""
SOON = 0.03
"""The same before a search that should start soon."""
SEEN_TWICE = 3
"""The number of repetitions from which on they give an estimate."""
SWEPT = 200_000
"""The maximum number of actions in all states, about, that value iteration takes by default."""
LONGEST, LEAST = 2_000, 300
"""The maximum number of plies of a random game, and the plies that are played whatever the time."""


@dataclass(frozen=True)
class Survey:
    """What is known of a game before it is solved.

    Attributes:
        states: the number of states; unless `complete`, an estimate, which is too low where random games seldom come.
        complete: whether all states were found.
        in_circles: whether a state was seen to come again in play.
        branching: the mean number of actions.
        length: the mean number of plies of a random game.
        utilities: the number of different utilities of player 0 that were seen.
    """

    states: float
    complete: bool
    in_circles: bool
    branching: float
    length: float
    utilities: int

    def __str__(self) -> str:
        least = f"at least about 10^{math.log10(self.states):.0f} states"
        count = f"{self.states:,.0f} states" if self.complete else least
        return f"{count}, {'play goes in circles' if self.in_circles else 'no circles'}"


def survey(game: Game, state: Any, patience: float | None = None) -> Survey:
    """Measure `game`, whose actions are ints, from `state` on, for at most twice so many seconds.

    >>> from outplay.games import Nim
    >>> str(survey(Nim(), Nim().initial_state(), patience=9))
    '232 states, no circles'
    """
    patience = PATIENCE if patience is None else patience
    successors, states = _walk(game, state, patience)
    sampled = _play(game, state, patience)
    if states > len(successors):
        return replace(sampled, states=max(sampled.states, states))
    return Survey(
        len(successors), True, _has_circle(successors), sampled.branching, sampled.length, sampled.utilities
    )  # fmt: skip


def goes_in_circles(game: Game, state: Any, patience: float | None = None) -> Survey | None:
    """What is known of a game in which a state was seen to come again, and that value iteration can search; else None.

    It is measured as by `survey`.

    >>> from outplay.games import Nim
    >>> goes_in_circles(Nim(), Nim().initial_state()) is None
    True
    """
    try:
        searcher_class("value-iteration")(game, check=False)
    except UnsuitableGame:
        return None
    measured = None if game.is_terminal(state) else survey(numbered(game), state, patience)
    return measured if measured is not None and measured.in_circles else None


def suited_to(game: Game, state: Any) -> tuple[str, str]:
    """The algorithm for `state` if none is named, and why it is not the usual one, or what else may go wrong with it.

    >>> from outplay.games import Nim
    >>> suited_to(Nim(), Nim().initial_state())
    ('alpha-beta', '')
    """
    algorithm = suited(game)
    measured = None if algorithm != "alpha-beta" or game.repetition else goes_in_circles(game, state, SOON)
    if measured is None:
        return algorithm, ""
    if measured.states * measured.branching <= SWEPT:
        return "value-iteration", "play goes in circles here: this is value-iteration, which is exact"
    return algorithm, (
        "play goes in circles here, through more states than value-iteration lists in a short time: this is alpha-beta,"
        " which looks as far as its limit"
    )


def _walk(game: Game, state: Any, patience: float) -> tuple[dict[int, list[int]], int]:
    """The successors of each state by their keys, and the number of states found: more, unless these are all."""
    until, first = perf_counter() + patience, state_key(game, state)
    successors: dict[int, list[int]] = {}
    keys, waiting = {first}, [(first, state)]
    for key, position in waiting:
        if len(keys) > WALKED or perf_counter() > until:
            return successors, len(keys)
        successors[key] = []
        for action in [] if game.is_terminal(position) else legal_actions(game, position):
            child = game.result(position, action)
            successors[key].append(after := state_key(game, child))
            if after not in keys:
                keys.add(after)
                waiting.append((after, child))
    return successors, len(keys)


def _has_circle(successors: dict[int, list[int]]) -> bool:
    """Whether a graph has a circle: taking away states without predecessors does not empty it."""
    before = dict.fromkeys(successors, 0)
    for successor in successors.values():
        for after in successor:
            before[after] += 1
    free = [key for key, count in before.items() if count == 0]
    for key in free:
        for after in successors[key]:
            before[after] -= 1
            if before[after] == 0:
                free.append(after)
    return len(free) < len(successors)


def _play(game: Game, root: Any, patience: float) -> Survey:
    """What random games tell."""
    random, until = Random(0), perf_counter() + patience  # noqa: S311 - not for secrets
    keys_at_ply: list[set[int]] = []  # the states at each ply
    counts: list[int] = []  # how many were met there
    nodes: list[float] = []  # the sum of Knuth's estimates
    utilities, games, plies, choices, in_circles = set[float](), 0, 0, 0, False
    while games < 2 or (plies < PLAYED and perf_counter() < until):
        state, product, path = root, 1.0, set[int]()
        for ply in range(LONGEST):
            key = state_key(game, state)
            in_circles |= key in path
            path.add(key)
            if ply == len(keys_at_ply):
                keys_at_ply.append(set())
                counts.append(0)
                nodes.append(0.0)
            keys_at_ply[ply].add(key)
            counts[ply] += 1
            nodes[ply] += min(product, 1e100)
            if game.is_terminal(state):
                utilities.add(game.utility(state, 0))
                break
            actions = list(legal_actions(game, state))
            if not actions:
                break
            product *= len(actions)
            choices += len(actions)
            plies += 1
            state = game.result(state, random.choice(actions))
            if perf_counter() > until and (games or plies >= LEAST):
                break
        games += 1
    states = sum(_at_plies([len(keys) for keys in keys_at_ply], counts, [total / games for total in nodes]))
    if in_circles:  # a tree without end says nothing
        states = _estimate(len(set().union(*keys_at_ply)), sum(counts), math.inf)
    return Survey(states, False, in_circles, choices / max(plies, 1), plies / games, len(utilities))


def _at_plies(different: list[int], counts: list[int], nodes: list[float]) -> list[float]:
    """How many states there are at each ply.

    Plies with few repetitions are seen together with the next ones. The last ones may be reached by few games: then as
    many states are assumed as at the plies before, unless so many would have shown repetitions.
    """
    estimates: list[float] = []
    pairs, repeated, size = 0.0, 0, 0.0
    for ply, count in enumerate(counts):
        pairs += count * (count - 1) / 2
        repeated += count - different[ply]
        if repeated >= SEEN_TWICE or (ply == len(counts) - 1 and pairs < SEEN_TWICE * size):
            size = pairs / repeated if repeated >= SEEN_TWICE else size
            estimates += [max(different[at], min(size, nodes[at])) for at in range(len(estimates), ply + 1)]
            pairs, repeated = 0.0, 0
    return estimates + [_estimate(different[at], counts[at], nodes[at]) for at in range(len(estimates), len(counts))]


def _estimate(different: int, count: int, nodes: float) -> float:
    """The number of states, where `count` random ones had so many different ones, in a tree of `nodes` nodes."""
    pairs = count * (count - 1) / 2
    if count - different >= SEEN_TWICE:
        return max(different, pairs / (count - different))
    return max(different, min(nodes, math.sqrt(max(nodes, 1.0)) * math.sqrt(max(pairs, 1.0))))
