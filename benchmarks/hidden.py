"""Search under hidden information: matches against a uniform player, and the exploitability in Kuhn poker.

    python -m benchmarks hidden --games 40 --seconds 1
    python -m benchmarks hidden "dark-hex(3)"

Each search plays two matches of phantom tic-tac-toe or another game: in one it begins, in the other its opponent does.
The notes give the share of games that can be won at all, if it is known, and the exploitability of the same search in
Kuhn poker: the mean gain of the players by best responses against the strategy that searches at every information set.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import typer

from benchmarks.common import Plan
from benchmarks.match import Contest, Searching, for_two, seated
from outplay import ISMCTS, PIMC, Game, Limit, searched_strategy
from outplay.engine.searcher import Searcher
from outplay.equilibrium import Strategy, exploitability
from outplay.games import KuhnPoker, PhantomTicTacToe

GAMES, QUICK_GAMES = 40, 2
SECONDS, QUICK_SECONDS = 1.0, 0.02
SIMULATIONS, QUICK_SIMULATIONS = 10_000, 100
"""The number of simulations at each information set of Kuhn poker."""
DEPTH = 4
"""The depth of PIMC's search of each world, so that it searches many; in Kuhn poker this reaches the end."""

SEARCHES: dict[str, Callable[[Game, int], Searcher]] = {
    "ISMCTS": lambda game, seed: ISMCTS(game, seed=seed),
    "ISMCTS, single observer": lambda game, seed: ISMCTS(game, seed=seed, observers="single"),
    "PIMC": lambda game, seed: PIMC(game, seed=seed, worlds=None),
}


def contests(plan: Plan, words: Sequence[str]) -> list[Contest]:
    """A match of each search with a uniform player; a game may be named after `hidden`."""
    if len(words) > 1:
        raise typer.BadParameter(f"after hidden, name at most one game, not {len(words)}")
    game = for_two(words[0] if words else "phantom-tic-tac-toe")
    if not game.hidden_information:
        raise typer.BadParameter(f"{game!r} hides nothing; use python -m benchmarks match for such games")
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    return [contest(plan, game, name, limit_of(name, seconds=seconds), seat) for name in SEARCHES for seat in (0, 1)]


def limit_of(name: str, **limits: Any) -> Limit:
    """The limit of one of the searches."""
    return Limit(depth=DEPTH, **limits) if name == "PIMC" else Limit(**limits)


def contest(plan: Plan, game: Game, name: str, limit: Limit, seat: int) -> Contest:
    """The match of one search, as player 0 or 1, with a uniform player."""
    search = Searching(name, lambda game: SEARCHES[name](game, 0), limit)
    note = (
        f"player {seat}; {ceiling(game, seat)}exploitability on Kuhn poker {kuhn_exploitability(plan.quick, name):.3f}"
    )
    return Contest(seated(plan, game, (search, "random"), (GAMES, QUICK_GAMES), seat), note=note)


def ceiling(game: Game, seat: int) -> str:
    """The share of games that the player can win at all, in words, if it is known."""
    if game != PhantomTicTacToe():
        return ""
    return f"at most {100 * most_won(first=seat == 0):.1f} % can be won; "


@functools.cache
def kuhn_exploitability(quick: bool, name: str) -> float:
    """The exploitability of one of the searches in Kuhn poker."""
    game = KuhnPoker()
    simulations = QUICK_SIMULATIONS if quick else SIMULATIONS
    limit = Limit() if name == "PIMC" else Limit(simulations=simulations)
    searcher = PIMC(game, worlds=simulations // 100) if name == "PIMC" else SEARCHES[name](game, 0)
    table = searched_strategy(searcher, limit, by="choice" if name == "PIMC" else "visits")
    return exploitability(Strategy.from_table(game, table))


# -- the most that can be won -----------------------------------------------------------------------------------------

Belief = tuple[tuple[int, float], ...]
"""The possible squares of the other player, as sets of bits, with their probabilities."""
LINES = (0b111, 0b111_000, 0b111_000_000, 0b1_001_001, 0b10_010_010, 0b100_100_100, 0b100_010_001, 0b1_010_100)
FULL = 0b111_111_111


def most_won(first: bool) -> float:
    """The share of games of phantom tic-tac-toe that the first or second player can win against a uniform player.

    However often a uniform player tries, each empty square is equally likely to become theirs. So this is a decision
    problem of one player, solved exactly over belief states.
    """
    return best_share(0, 0, ((0, 1.0),) if first else tuple((1 << square, 1 / 9) for square in range(9)))


@functools.cache
def best_share(mine: int, known_squares: int, belief: Belief) -> float:
    """The same on the player's turn, with the player's squares and the known squares of the other player."""
    shares = []
    for square in (1 << square for square in range(9) if not (mine | known_squares) >> square & 1):
        hit_belief = [(theirs, probability) for theirs, probability in belief if theirs & square]
        free_belief = [(theirs, probability) for theirs, probability in belief if not theirs & square]
        share = (
            sum(probability for _, probability in hit_belief)
            * best_share(mine, known_squares | square, scaled(hit_belief))
            if hit_belief
            else 0.0
        )
        if free_belief and is_line(mine | square):
            share += sum(probability for _, probability in free_belief)
        elif free_belief:
            share += share_after(mine | square, known_squares, free_belief)
        shares.append(share)
    return max(shares)


def share_after(mine: int, known_squares: int, belief: Iterable[tuple[int, float]]) -> float:
    """The same on the other player's turn."""
    next_belief: dict[int, float] = {}
    for theirs, probability in belief:
        empty = [1 << square for square in range(9) if not (mine | theirs) >> square & 1]
        for square in empty:
            theirs_after = theirs | square
            if not is_line(theirs_after) and theirs_after | mine != FULL:
                next_belief[theirs_after] = next_belief.get(theirs_after, 0.0) + probability / len(empty)
    return (
        sum(next_belief.values()) * best_share(mine, known_squares, scaled(next_belief.items())) if next_belief else 0.0
    )


def scaled(belief: Iterable[tuple[int, float]]) -> Belief:
    """The same belief, with probabilities that sum to 1."""
    total = sum(probability for _, probability in belief)
    return tuple(sorted((theirs, round(probability / total, 12)) for theirs, probability in belief))


def is_line(squares: int) -> bool:
    """Whether they contain three in a row."""
    return any(squares & line == line for line in LINES)
