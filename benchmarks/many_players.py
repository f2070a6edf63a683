"""Three ways to search a game of many players, on Chinese Checkers for three: max^n, paranoid and best-reply search.

The first rows count the nodes of each to a fixed depth from the same positions. Then they play a match against each
other, with the same time per move, in all six orders of the seats in turn; the figure is the share of games won.
"""

from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

from benchmarks.common import Plan, Row
from benchmarks.match import by_chance, opening
from outplay import BestReply, Limit, MaxN, Paranoid
from outplay.games import ChineseCheckers
from outplay.montecarlo.answer import wilson

KINDS = (MaxN, Paranoid, BestReply)
GAME = ChineseCheckers(3, camp=6)
DEPTHS, POSITIONS = (2, 3, 4), 5
GAMES, QUICK_GAMES = 60, 1
SECONDS, QUICK_SECONDS = 0.05, 0.002
OPENING = 6
"""The number of random moves at the start of a game."""
TABLE_MB = 4


def rows(plan: Plan) -> Iterator[Row]:
    """Nodes by depth, then the match."""
    searchers = [kind(GAME, table_mb=TABLE_MB) for kind in KINDS]
    states = [opening(GAME, OPENING * (number + 1), Random(number))[-1] for number in range(POSITIONS)]
    for depth in DEPTHS[:2] if plan.quick else DEPTHS:
        for searcher in searchers:
            nodes = sum(searcher.search(state, Limit(depth=depth)).nodes for state in states)
            what = f"{GAME!r}, {POSITIONS} positions to depth {depth}: {type(searcher).__name__}"
            yield Row(what=what, unit="nodes", ours=nodes)
    games = plan.games or (QUICK_GAMES if plan.quick else GAMES)
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    won, ended = [0] * len(KINDS), 0
    for number in range(games):
        order = list(permutations(range(len(KINDS))))[number % 6]
        utilities = play(searchers, order, Limit(seconds=seconds), Random(number // 6))
        best = max(utilities)
        if utilities.count(best) == 1:
            won[order[utilities.index(best)]] += 1
            ended += 1
    for kind, wins in zip(KINDS, won, strict=True):
        low, high = wilson(wins, games)
        note = f"{100 * low:.0f} to {100 * high:.0f} % with 95 %; {games} games, {games - ended} without a winner"
        what = f"{GAME!r}, {seconds:g} s a move: won by {kind.__name__}"
        yield Row(what=what, unit="%", ours=100 * wins / games, note=note)


def play(searchers: list[Any], order: tuple[int, ...], limit: Limit, dice: Random) -> tuple[float, ...]:
    """Play one game from a random opening, with searcher `order[player]` for each player. Return the utilities."""
    states = opening(GAME, OPENING, dice)
    while not GAME.is_terminal(states[-1]):
        found = searchers[order[GAME.to_move(states[-1])]].search(states[-1], limit)
        if found.stopped == "interrupted":
            raise KeyboardInterrupt
        action = by_chance(GAME, states, dice) if found.action is None else found.action
        states = [GAME.result(states[-1], action)]
    return tuple(GAME.utility(states[-1], player) for player in range(GAME.players))
