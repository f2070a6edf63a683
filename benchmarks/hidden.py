"""Search under hidden information: against a player who does anything, and how exploitable it is in Kuhn poker.

    python -m benchmarks hidden --games 40 --seconds 1
    python -m benchmarks hidden "dark-hex(3)"

A match for each search, at the same time for a move, on phantom tic-tac-toe or another game, the sides in turn. The
note of a match says how exploitable the same search is in Kuhn poker: what each player could win more by a best
response, on average, against the strategy that searches at every information set.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import typer

from benchmarks.common import Plan
from benchmarks.match import Match, Side, for_two
from outplay import ISMCTS, PIMC, Game, Limit, legal_actions, searched_strategy
from outplay.determinized.policy import Probabilities
from outplay.game import CHANCE
from outplay.games import KuhnPoker
from outplay.repetition import playable
from outplay.search.searcher import Searcher

GAMES, QUICK_GAMES = 40, 2
SECONDS, QUICK_SECONDS = 1.0, 0.02
SIMULATIONS, QUICK_SIMULATIONS = 10_000, 100
"""For each information set of Kuhn poker."""
DEPTH = 4
"""To which PIMC searches each world, so that it gets to see many; in Kuhn poker that is the end."""

SEARCHES: dict[str, Callable[[Game, int], Searcher]] = {
    "ISMCTS": lambda game, seed: ISMCTS(game, seed=seed),
    "ISMCTS, single observer": lambda game, seed: ISMCTS(game, seed=seed, observers="single"),
    "PIMC": lambda game, seed: PIMC(game, seed=seed, worlds=None),
}


@dataclass(frozen=True)
class Searching:
    """A player by one of these searches."""

    search: Searcher
    limit: Limit

    def choose(self, states: Sequence[Any]) -> tuple[int, int]:
        """What the search chooses; if there was no time for an answer, the first action."""
        found = self.search.search(states[-1], self.limit, history=states[:-1])
        if found.stopped == "interrupted":
            raise KeyboardInterrupt
        first = playable(self.search.game, states)[0]
        return first if found.action is None else found.action, found.simulations or 0


@dataclass(frozen=True)
class Uniform:
    """A player to whom all actions are alike."""

    game: Game
    dice: Random

    def choose(self, states: Sequence[Any]) -> tuple[int, int]:
        """Any action."""
        return self.dice.choice(playable(self.game, states)), 0


def matches(plan: Plan, words: Sequence[str]) -> list[Match]:
    """A match of each search with a uniform player; after `hidden` may come a game."""
    if len(words) > 1:
        raise typer.BadParameter(f"after hidden comes one game at most, not {len(words)}")
    game = for_two(words[0] if words else "phantom-tic-tac-toe")
    if not game.hidden_information:
        raise typer.BadParameter(f"{game!r} hides nothing; python -m benchmarks match is for such games")
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    return [match(plan, game, name, limit_of(name, seconds=seconds)) for name in SEARCHES]


def limit_of(name: str, **limits: Any) -> Limit:
    """The limit of one of the searches."""
    return Limit(depth=DEPTH, **limits) if name == "PIMC" else Limit(**limits)


def match(plan: Plan, game: Game, name: str, limit: Limit) -> Match:
    """The match of one search with a uniform player."""
    make = SEARCHES[name]
    return Match(
        game=game,
        first=Side(
            name=name,
            player=lambda seed: Searching(make(game, seed), limit),
            compile=lambda: make(game, 0).search(limit=limit),
        ),
        second=Side(name="uniform", player=lambda seed: Uniform(game, Random(seed)), compile=lambda: None),
        games=plan.games or (QUICK_GAMES if plan.quick else GAMES),
        moves=0,
        note=f"exploitability on Kuhn poker {kuhn_exploitability(plan, name):.3f}",
    )


def kuhn_exploitability(plan: Plan, name: str) -> float:
    """How exploitable one of the searches is in Kuhn poker."""
    game = KuhnPoker()
    simulations = QUICK_SIMULATIONS if plan.quick else SIMULATIONS
    limit = Limit() if name == "PIMC" else Limit(simulations=simulations)
    made = PIMC(game, worlds=simulations // 100) if name == "PIMC" else SEARCHES[name](game, 0)
    strategy = searched_strategy(made, limit, by="choice" if name == "PIMC" else "visits")
    return sum(best_response(game, strategy, player) for player in (0, 1)) / 2


def best_response(game: Game, strategy: Probabilities, player: int) -> float:
    """What `player` gets at most against the strategy: the best of all plans, so for games as small as Kuhn poker."""
    own = [key for key in strategy if key[0] == player]
    plans = itertools.product(*(strategy[key] for key in own))
    return max(
        value(game, game.initial_state(), {**strategy, **dict(zip(own, ({a: 1.0} for a in plan), strict=True))}, player)
        for plan in plans
    )


def value(game: Game, state: Any, strategy: Probabilities, player: int) -> float:
    """What `player` expects from `state` on, where all follow the strategy."""
    if game.is_terminal(state):
        return game.utility(state, player)
    mover = game.to_move(state)
    if mover == CHANCE:
        chances = {action: game.probability(state, action) for action in legal_actions(game, state)}
    else:
        chances = strategy[mover, game.information(state, mover)]
    return math.fsum(p * value(game, game.result(state, a), strategy, player) for a, p in chances.items() if p)
