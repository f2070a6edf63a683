"""What was learned: evaluations a second, and what the files that come with outplay are worth at equal time.

    python -m benchmarks learning --seconds 0.05 --games 400

Each match is between alpha-beta with a game's learned evaluation and alpha-beta with the game's own one, in pairs of
games from random openings. `docs/learning.md` has the command that made each file.

Reading order: `rows`, `speed_of_patterns`, `speed`, `strength_of`.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.common import Bar, Plan, Row, best_of
from outplay import Game, kernel, new_random, random_action
from outplay.arena import Match, RandomOpenings, Score
from outplay.evaluation.variant import with_evaluation
from outplay.games import Breakthrough
from outplay.learning import Plan as LearningPlan
from outplay.learning.fitting import Model
from outplay.learning.search_training import NetworkTraining, network_tables
from outplay.learning.self_play import Learner
from outplay.rules.numbered import numbered
from outplay.session.load import load_game
from outplay.session.searchers import LEARNED, OWN, comes_with_outplay

GAMES, QUICK_GAMES = 100, 2
SECONDS, QUICK_SECONDS = 0.05, 0.005
CALLS, QUICK_CALLS = 20_000_000, 10_000
SHIPPED = {
    "breakthrough": 300, "breakthrough(rows=6, columns=6)": 300, "domineering": 100, "english-draughts": 100,
    "kalah": 200, "nine-mens-morris": 100, "othello": 300, "othello(size=6)": 100, "oware": 100,
}  # fmt: skip
"""The games with learned files, and by how many Elo they should be stronger."""


@kernel
def sum_of_values(game: Any, start: Any, rows: Any, weights: Any, calls: int, random: Any, evaluates: bool) -> float:
    """Evaluate so many states of random games, or only play these games."""
    total, state = 0.0, start
    for _ in range(calls):
        if game.is_terminal(state):
            state = start
        if evaluates:
            total += game.learned_value(state, rows, weights, 0)
        state = game.result(state, random_action(game, state, random))
    return total


@kernel
def sum_of_estimates(game: Any, start: Any, calls: int, random: Any, evaluates: bool) -> float:
    """The same with the game's `evaluate`."""
    total, state = 0.0, start
    for _ in range(calls):
        if game.is_terminal(state):
            state = start
        if evaluates:
            total += game.evaluate(state, 0)
        state = game.result(state, random_action(game, state, random))
    return total


def rows(plan: Plan) -> Iterator[Row]:
    """The speed of evaluations, and a match for each file that comes with outplay."""
    yield speed_of_patterns(plan)
    yield speed_of_network(plan)
    for name, elo in SHIPPED.items():
        game = load_game(name)
        if comes_with_outplay(game):
            yield strength_of(plan, game, elo)


def speed_of_patterns(plan: Plan) -> Row:
    """Evaluations a second of 32 patterns of Breakthrough 6 × 6, from scratch, on one core."""
    game = Breakthrough(6, 6)
    learning = LearningPlan.of(game, positions=2000).bare()
    learner = Learner(game, learning.tables(32), learning.most, learning.bounded)
    learner.play(1)

    def work(calls: int, evaluates: bool) -> float:
        arguments = learner.game, learner.start, learner.rows, learner.weights
        return sum_of_values(*arguments, calls, new_random(1), evaluates)

    return speed(plan, "Breakthrough 6 × 6, 32 patterns", work, 4e6)


def speed_of_network(plan: Plan) -> Row:
    """Evaluations a second of a network of Breakthrough 6 × 6 with 64 and 32 units, from scratch, on one core."""
    game = Breakthrough(6, 6)
    learning = LearningPlan.of(game, positions=2000).bare()
    tables = network_tables(learning)
    evaluation = Model.new(tables, NetworkTraining.width, NetworkTraining.units, 1).evaluation(learning, tables, {})
    variant = with_evaluation(numbered(game), evaluation)

    def work(calls: int, evaluates: bool) -> float:
        return sum_of_estimates(variant, game.initial_state(), calls, new_random(1), evaluates)

    return speed(plan, "Breakthrough 6 × 6, a network of 64 and 32", work, 2e6)


def speed(plan: Plan, what: str, work: Callable[[int, bool], float], bar: float) -> Row:
    """Evaluations a second: `work` plays so many plies of random games, and evaluates the states if it is told to."""
    calls = QUICK_CALLS if plan.quick else CALLS
    for evaluates in (True, False):
        work(1, evaluates)  # compiles
    total, games_only = best_of(plan, lambda: work(calls, True), lambda: work(calls, False))
    row = Row(what=what, unit="evaluations/s", bars=(Bar("figure", "≥", bar),))
    return replace(row, ours=calls / max(total.seconds - games_only.seconds, 1e-9), note="less the time of the games")


def strength_of(plan: Plan, game: Game, elo: float) -> Row:
    """The strength of the learned evaluation of a game, at equal time."""
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    players = f"alpha-beta(evaluation={LEARNED}, seconds={seconds})", f"alpha-beta(evaluation={OWN}, seconds={seconds})"
    games = plan.games or (QUICK_GAMES if plan.quick else GAMES)
    score = Score()
    for round_ in Match(game, players, games, RandomOpenings(4), seed=1).run():
        score.add(round_)
    strength = score.strength
    row = Row(what=f"{game!r}, learned against its own", unit="Elo", ours=float(np.clip(strength.elo, -2000, 2000)))
    note = f"{strength.low:+.0f} to {strength.high:+.0f}, {strength.games} games, {seconds:g} s a move"
    return replace(row, note=note, bars=(Bar("figure", "≥", elo),))
