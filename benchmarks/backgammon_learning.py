"""Learns the weights of Backgammon's evaluation: `python -m benchmarks.backgammon_learning FILE`.

The program plays against itself and takes the best turn by the current weights. After each turn, the estimate of the
position before the throw moves towards that of the position reached, and at the end towards the result: TD(0) of
Sutton, "Learning to Predict by the Methods of Temporal Differences" (Machine Learning 3, 1988), as in TD-Gammon.

The same seed gives the same weights on the same machine. Those in the repository were made by

    python -m benchmarks.backgammon_learning 1.npy --games 120000 --seed 1
    python -m benchmarks.backgammon_learning 2.npy --start-from 1.npy --games 130000 --seed 2
    python -m benchmarks.backgammon_learning 3.npy --start-from 2.npy --games 85000 --seed 3

the second time with `--first-rate 0.006 --last-rate 0.0005`, the third with `--first-rate 0.01 --last-rate 0.0005`.

Reading order: `learn`, `choose`, `adapt`.
"""

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from outplay import kernel, legal_actions
from outplay.compile.random_numbers import new_random, random_below
from outplay.games import Backgammon
from outplay.games.backgammon import ACTIVE, HIDDEN, INPUTS, OUTPUTS, WEIGHTS, describe, outlook

Outlook = tuple[float, float, float, float, float]


@kernel
def expected(game: Any, position: Any, weights: Any, hidden: Any, places: Any, values: Any) -> tuple[Outlook, int]:
    """The expected or final outcome for the player to throw, by `weights`, and the number of inputs."""
    mover, opponent = position.turn, 1 - position.turn
    near, far = position.near, position.far
    number = describe(places, values, near[mover], far[mover], near[opponent], far[opponent])
    if game.is_terminal(position):  # the other player has just borne off all
        points = game.utility(position, opponent)
        return (0.0, 0.0, 0.0, 1.0 if points > 1 else 0.0, 1.0 if points > 2 else 0.0), number
    return outlook(weights, hidden, places, values, number), number


@kernel
def choose(game: Any, position: Any, weights: Any, hidden: Any, places: Any, values: Any) -> tuple[Any, Outlook]:
    """The best position that a turn leads to, and its expected outcome for the player whose turn it was."""
    best, best_equity, best_outlook = position, -4.0, (0.0, 0.0, 0.0, 0.0, 0.0)
    for action in legal_actions(game, position):
        after = game.result(position, action)
        (win, gammon, backgammon, lost, lost_all), _ = expected(game, after, weights, hidden, places, values)
        equity = 1 - 2 * win - gammon - backgammon + lost + lost_all
        if equity > best_equity:
            best, best_equity, best_outlook = after, equity, (1 - win, lost, lost_all, gammon, backgammon)
    return best, best_outlook


@kernel
def adapt(weights: Any, hidden: Any, places: Any, values: Any, number: int, errors: Any, rate: float) -> None:
    """Update the weights with the `errors` of the outputs, by gradient descent on the cross entropy."""
    first, step = INPUTS * HIDDEN, HIDDEN + 1
    for output in range(OUTPUTS):
        weights[first + output * step + HIDDEN] -= rate * errors[output]
    for unit in range(HIDDEN):
        slope = 0.0
        for output in range(OUTPUTS):
            place = first + output * step + unit
            slope += errors[output] * weights[place]
            weights[place] -= rate * errors[output] * hidden[unit]
        hidden[unit] = slope * (1 - abs(hidden[unit])) ** 2
    for active in range(number):
        row, by = places[active] * HIDDEN, rate * values[active]
        for unit in range(HIDDEN):
            weights[row + unit] -= by * hidden[unit]


@kernel
def learn(game: Any, start: Any, weights: Any, games: int, rate: float, random: Any) -> float:
    """Play `games` games. Return the mean squared error of the probability of winning."""
    hidden, places, values = np.empty(HIDDEN), np.empty(ACTIVE, np.int64), np.empty(ACTIVE)
    errors, total, plies = np.empty(OUTPUTS), 0.0, 0
    for _ in range(games):
        position = game.result(start, random_below(random, 30))
        position, _ = choose(game, position, weights, hidden, places, values)
        while not game.is_terminal(position):
            dice = random_below(random, 36)
            great, small = max(dice // 6, dice % 6), min(dice // 6, dice % 6)
            after_throw = game.result(position, great * (great + 1) // 2 + small)
            after, target = choose(game, after_throw, weights, hidden, places, values)
            estimate, number = expected(game, position, weights, hidden, places, values)
            for output in range(OUTPUTS):
                errors[output] = estimate[output] - target[output]
            total += errors[0] ** 2
            plies += 1
            adapt(weights, hidden, places, values, number, errors, rate)
            position = after
    return total / plies


def main(
    file: Annotated[Path, typer.Argument(help="Where the weights go.")],
    games: Annotated[int, typer.Option(min=1)] = 100_000,
    first_rate: float = 0.02,
    last_rate: float = 0.002,
    start_from: Annotated[Path | None, typer.Option(help="Weights to begin with; else random ones.")] = None,
    seed: int = 1,
) -> None:
    """Learn by self-play."""
    game, random, parts = Backgammon(), new_random(seed), 50
    weights = np.random.default_rng(seed).uniform(-0.1, 0.1, WEIGHTS)
    if start_from is not None:
        weights = np.load(start_from).astype(np.float64)
    for part in range(parts):
        started, number = perf_counter(), games * (part + 1) // parts - games * part // parts
        rate = first_rate * (last_rate / first_rate) ** (part / (parts - 1))
        error = learn(game, game.initial_state(), weights, number, rate, random)
        np.save(file, weights.astype(np.float16))
        print(
            f"{games * (part + 1) // parts:9,} games, {number / (perf_counter() - started):,.0f} a second: {error:.5f}"
        )


if __name__ == "__main__":
    typer.run(main)
