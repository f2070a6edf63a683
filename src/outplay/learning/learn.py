"""From the rules of a game to a player that has won a match against what there was before.

Random games show what states consist of (`plan.py`). Then a `Training` learns, and at times meets the best player so
far, which it replaces only if a sequential test says that it is stronger.
"""

import math
import time
from contextlib import suppress
from os import PathLike, fspath
from typing import Any

from outplay.evaluation.table_form import head_of
from outplay.learning.chance_training import ChanceTraining
from outplay.learning.pattern_training import PatternTraining
from outplay.learning.plan import Plan
from outplay.learning.progress import Budget, Learned, Watch
from outplay.learning.search_training import FeatureTraining, NetworkTraining
from outplay.learning.training import Training
from outplay.rules.arguments import check_type, is_number, is_whole
from outplay.rules.errors import EvaluationError, OutplayError
from outplay.rules.game import Game
from outplay.rules.wording import enumerated
from outplay.system.arrays import arrays_in
from outplay.system.files import read_file, why_not_writable

LEARNERS: dict[str, type[Training]] = {
    kind.learner: kind for kind in (PatternTraining, FeatureTraining, NetworkTraining)
}


def learn(
    game: Game,
    *,
    minutes: float = 60.0,
    games: int | None = None,
    to: str | PathLike[str] | None = None,
    workers: int = 1,
    seed: int = 1,
    nodes: int | None = None,
    learner: str | None = None,
    kilobytes: float | None = None,
    resume: bool = False,
    watch: Watch | None = None,
) -> Learned:
    """Learn an evaluation of a game from its rules alone.

    Args:
        game: the game: for one player, for two with opposed interests, or for more; without hidden information.
        minutes: how long to learn.
        games: learn from so many games, whatever the time.
        to: the file to write: whole, and only if what was learned is stronger than what there was before.
        workers: the number of threads that play. With one, `seed` and `games` give the same player every time.
        seed: of all random choices.
        nodes: the nodes for a move in the matches that decide. None: 1000, or as many as the searches have that it
            learns from.
        learner: "patterns": tables of patterns, by self-play. "features": the game's own evaluation, its features, and
            what stands on each location, by stage of the game, fitted to games between searches. "network": the same
            with two layers above it; with chance, it learns by self-play from the rules and the features. None: network
            for two players and chance, features for two players with many kinds of pieces, such as those of chess, if
            the game has an evaluation to begin with; else patterns.
        kilobytes: rounds the weights of the file until it has at most this size.
        resume: goes on from `to` + ".training", which is written every minute.
        watch: called with the `Progress`, about twice a second.

    Raises `UnsuitableGame` for games that cannot be learned, and `EvaluationError` for a file that cannot be written
    or, with `resume`, read. If there is no room for it later, `problem` of the result says so, and nothing is lost.

    >>> from outplay.games import Breakthrough
    >>> found = learn(Breakthrough(4, 4), minutes=0.02, nodes=10)
    >>> found.games > 0
    True
    """
    check_type(game, Game, "learn({})", "Breakthrough()")
    counts: dict[str, tuple[Any, int]] = {"workers": (workers, 1), "seed": (seed, 0)}
    counts |= {name: (count, 1) for name, count in (("nodes", nodes), ("games", games)) if count is not None}
    for name, (count, least) in counts.items():
        if not (is_whole(count) and count >= least):
            raise OutplayError(f"{name}={count!r}: give a whole number from {least} up")
    amounts: dict[str, Any] = {"minutes": minutes} | ({} if kilobytes is None else {"kilobytes": kilobytes})
    for name, amount in amounts.items():
        if not (is_number(amount) and 0 < amount < math.inf):
            raise OutplayError(f"{name}={amount!r}: give a number above 0")
    if to is not None and (problem := why_not_writable(to)):
        raise EvaluationError(f"{to} cannot be written: {problem}")
    budget = Budget(60.0 * minutes) if games is None else Budget(games, in_games=True)
    if learner is not None and learner not in LEARNERS:
        raise OutplayError(f"learner={learner!r}: choose one of {enumerated(LEARNERS)}")
    if resume and to is None:
        raise OutplayError("resume=True: name the file with to=")
    plan = None
    if learner is None and resume:
        learner = learner_before(f"{to}.training")
    elif learner is None:
        try:
            plan = Plan.of(game, seed, seconds=budget.look)
        except KeyboardInterrupt:
            return Learned(None, None, (), None, 0, time.monotonic() - budget.began, interrupted=True)
        learner = plan.learner
    kind = ChanceTraining if learner == "network" and game.has_chance else LEARNERS[learner]
    training = kind(game, budget, None if to is None else fspath(to), workers, seed, nodes, watch)
    training.kilobytes = kilobytes
    if resume:
        training.read()
    return training.run(plan)


def learner_before(path: str) -> str:
    """The learner of a run that is to go on; the usual one if its state is damaged, which is told when it is read."""
    with suppress(Exception):
        return LEARNERS[head_of(arrays_in(read_file(path, EvaluationError)))["learner"]].learner
    return PatternTraining.learner
