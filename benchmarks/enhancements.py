"""The strength of each technique of Monte Carlo tree search: a match of the search with it against one without it.

    python -m benchmarks enhancements "hex(n=7)" --games 100 --seconds 0.1

Both have the same time per move, so a technique that costs simulations must be worth them. Techniques that need a rule
that the game does not define are left out, and so are threads on one core.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.common import Plan
from benchmarks.match import Contest, contest, for_two
from outplay import Game
from outplay.rules.game import defines

GAMES = ("connect-four", "breakthrough", "hex(n=7)", "othello", "kalah", "go(size=9)")
Options = dict[str, Any]


@dataclass(frozen=True)
class Technique:
    """Options that turn a technique of `MCTS` on and off. It needs a game with one of `rules`, if there are any."""

    name: str
    on: Options = field(default_factory=dict)
    off: Options = field(default_factory=dict)
    rules: tuple[str, ...] = ()
    suits: Callable[[Game], bool] = lambda _: True

    def fits(self, game: Game) -> bool:
        """Whether the game defines what the technique needs."""
        return self.suits(game) and (not self.rules or any(defines(game, rule) for rule in self.rules))


TWO_CORES = (os.cpu_count() or 1) > 1
RANDOM = {"playouts": "random"}
TECHNIQUES = (
    Technique("ucb1-tuned", {"selection": "ucb1-tuned"}),
    Technique("puct", {"selection": "puct"}, rules=("order",)),
    Technique("bias", {"bias": 1.0}, rules=("order",)),
    Technique("rave", {"rave": True}),
    Technique("grave", {"rave": True, "rave_reference": 50}, {"rave": True}),
    Technique("first play", {"first_play": 0.4}, suits=lambda game: game.utilities == (-1, 1)),
    Technique("widening", {"widening": (2.0, 0.5)}, rules=("order",)),
    Technique("own playouts", {"playouts": "own"}, RANDOM, rules=("playout_action",)),
    Technique("greedy playouts", {"playouts": "greedy"}, RANDOM, rules=("order",)),
    Technique("mast", {"playouts": "mast"}, RANDOM),
    Technique("replies", {"playouts": "replies"}),
    Technique("solver", off={"solver": False}),
    Technique("clamp", off={"clamp": False}),
    Technique("hints", off={"hints": False}, rules=("forced_result", "candidates")),
    Technique("transpositions", {"transpositions": True}),
    Technique("early", off={"early": False}),
    Technique("reuse_tree", {"reuse_tree": True}),
    Technique("two threads, one tree", {"threads": 2}, suits=lambda _: TWO_CORES),
    Technique("two threads, two trees", {"threads": 2, "parallel": "root"}, suits=lambda _: TWO_CORES),
)


def contests(plan: Plan, words: Sequence[str]) -> list[Contest]:
    """The matches of the games named after `enhancements`, or of some built-in games if there are none."""
    games = [for_two(word) for word in words or GAMES]
    return [
        contest(plan, game, technique.on, technique.off, technique.name)
        for game in games
        for technique in TECHNIQUES
        if technique.fits(game)
    ]


def left_out(game: Game) -> str:
    """The techniques that need a rule that the game does not define, in words; "" if there are none."""
    without = [
        f"{technique.name} ({' or '.join(technique.rules)})"
        for technique in TECHNIQUES
        if technique.rules and not technique.fits(game)
    ]
    return f"Left out of {game!r}, which does not define the rules they need: {', '.join(without)}." if without else ""
