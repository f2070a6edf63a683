"""Three ways to search a game of many players, on Chinese Checkers for three: max^n, paranoid and best-reply search.

The first rows count the nodes of each to a fixed depth from the same positions. Then they play a match against each
other, with the same time per move, each opening in all six orders of the seats; the figure is the share of games won.
"""

from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.common import Plan, Row
from benchmarks.match import Searching
from outplay import BestReply, Limit, MaxN, Paranoid, legal_actions
from outplay.arena import Match, RandomOpenings
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
    states = [position(OPENING * (number + 1), Random(number)) for number in range(POSITIONS)]
    for depth in DEPTHS[:2] if plan.quick else DEPTHS:
        for searcher in searchers:
            nodes = sum(searcher.search(state, Limit(depth=depth)).nodes for state in states)
            what = f"{GAME!r}, {POSITIONS} positions to depth {depth}: {type(searcher).__name__}"
            yield Row(what=what, unit="nodes", ours=nodes)
    games = plan.games or (QUICK_GAMES if plan.quick else GAMES)
    seconds = plan.seconds or (QUICK_SECONDS if plan.quick else SECONDS)
    players = tuple(searching(kind, Limit(seconds=seconds)) for kind in KINDS)
    match = Match(GAME, players, games=games, openings=RandomOpenings(OPENING), seed=0)
    win_counts, decisive_games, games = [0] * len(KINDS), 0, match.rounds * len(match.seat_orders)
    for round_ in match.run():
        for utilities in round_.utilities():
            if utilities.count(max(utilities)) == 1:
                win_counts[utilities.index(max(utilities))] += 1
                decisive_games += 1
    for kind, wins in zip(KINDS, win_counts, strict=True):
        low, high = wilson(wins, games)
        note = (
            f"{100 * low:.0f} to {100 * high:.0f} % with 95 %; {games} games, {games - decisive_games} without a winner"
        )
        what = f"{GAME!r}, {seconds:g} s a move: won by {kind.__name__}"
        yield Row(what=what, unit="%", ours=100 * wins / games, note=note)


def searching(kind: Any, limit: Limit) -> Searching:
    """The player by one of the searches."""
    return Searching(kind.__name__, lambda game: kind(game, table_mb=TABLE_MB), limit)


def position(moves: int, dice: Random) -> Any:
    """The position after random moves, which do not end the game."""
    state = GAME.initial_state()
    for _ in range(moves):
        state = GAME.result(state, dice.choice([int(action) for action in legal_actions(GAME, state)]))
    return state
