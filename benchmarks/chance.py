"""Pruning at chance nodes: the share of nodes and time that remains with each technique of `Expectiminimax`.

The positions are from random games, from the first move to the last. The techniques are alpha-beta without pruning of
chance nodes, Star1, Star2, and the table. All searches find the same values. The figures are in % of plain
expectiminimax.
"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.common import Bar, Plan, Row, best_of, same
from outplay import Expectiminimax, Game, Limit, legal_actions
from outplay.games import Backgammon, EinStein
from outplay.rules.game import CHANCE

DEPTH = 3
"""The player's action, the answer, and the player's next action, with the throws between them."""
PLAIN: dict[str, Any] = {"alpha_beta": False, "table_mb": 0}
TECHNIQUES: dict[str, dict[str, Any]] = {
    "alpha-beta": {"pruning": "off", "table_mb": 0},
    "Star1": {"pruning": "star1", "table_mb": 0},
    "Star1 and table": {"pruning": "star1", "table_mb": 16},
    "Star2": {"pruning": "star2", "table_mb": 0},
    "Star2 and table": {"pruning": "star2", "table_mb": 16},
}
BARS = {"Star1 and table": (Bar("figure", "<", 60),), "Star2 and table": (Bar("figure", "<", 35),)}
SEED = 5


def rows(plan: Plan) -> Iterator[Row]:
    """Two rows for each technique and game: nodes, and seconds."""
    yield from shares(plan, EinStein(), 4 if plan.quick else 100)
    yield from shares(plan, Backgammon(), 1 if plan.quick else 3)


def shares(plan: Plan, game: Game, number: int) -> Iterator[Row]:
    """The rows for a game, summed over `number` positions."""
    depth = 2 if plan.quick else DEPTH
    states = positions(game, number)
    names = ["plain", *TECHNIQUES]
    searchers = [Expectiminimax(game, **options) for options in (PLAIN, *TECHNIQUES.values())]

    def work(searcher: Expectiminimax) -> tuple[int, list[float]]:
        analyses = [searcher.search(state, Limit(depth=depth)) for state in states]
        return sum(analysis.nodes for analysis in analyses), [round(analysis.value, 9) + 0.0 for analysis in analyses]

    for searcher in searchers:
        searcher.search(states[0], Limit(depth=1))  # compiles
    plain, *by_technique = best_of(
        replace(plan, repeat=1), *(lambda searcher=searcher: work(searcher) for searcher in searchers)
    )
    for name, timing in zip(names[1:], by_technique, strict=True):
        what = f"{type(game).__name__}, {number} positions, depth {depth}: {name}"
        agree = same(plain.outcome[1], timing.outcome[1], f"{plain.outcome[0]:,} nodes and {plain.seconds:.2f} s plain")
        row = Row(what=what, unit="% of nodes", ours=100 * timing.outcome[0] / plain.outcome[0], agree=agree)
        yield replace(row, bars=() if plan.quick else BARS.get(name, ()))
        yield replace(row, unit="% of time", ours=100 * timing.seconds / plain.seconds)


def by_chance(game: Game, state: Any, dice: Random) -> int:
    """A random action, by its probability if chance is to move."""
    actions = [int(action) for action in legal_actions(game, state)]
    if game.to_move(state) != CHANCE:
        return dice.choice(actions)
    return dice.choices(actions, [game.probability(state, action) for action in actions])[0]


def positions(game: Game, number: int) -> list[Any]:
    """Positions in which a player is to move, each from a different random game."""
    dice, sample = Random(SEED), list[Any]()
    while len(sample) < number:
        states, candidates = [game.initial_state()], list[Any]()
        while not game.is_terminal(states[-1]):
            if game.to_move(states[-1]) != CHANCE:
                candidates.append(states[-1])
            states = [game.result(states[-1], by_chance(game, states[-1], dice))]
        sample.append(dice.choice(candidates))
    return sample
