"""The arena: games of quick searches a minute, what a second process is worth, and what the arena adds to a move."""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from multiprocessing import get_context

from benchmarks.common import Bar, Peer, Plan, Row, best_of, compare, measure, same
from outplay import Game
from outplay.arena import Match, RandomOpenings, Round, play_game
from outplay.arena.match import play_round
from outplay.games import Chess, ConnectFour, TicTacToe
from outplay.rules.repetition import History, final, playable
from outplay.session.players import RandomPlayer

QUICK_PLAYERS = "alpha-beta(depth=1)", "alpha-beta(depth=2)"
LONG_PLAYERS = "alpha-beta(nodes=250000)", "alpha-beta(nodes=500000)"
RANDOM_GAMES: tuple[tuple[Game, int], ...] = (TicTacToe(), 400), (ConnectFour(), 200), (Chess(), 20)
"""Games, and how many of them are played."""
MAX_PLIES = 2000
"""The maximum number of plies of a game without the arena."""


class OneProcess(Peer):
    """The same games, one after the other."""

    name = "one process"


class TwoApart(Peer):
    """The same games by two processes that have nothing to do with each other: what the machine allows at most."""

    name = "two processes apart, already running"


def rows(plan: Plan) -> Iterator[Row]:
    """Tic-tac-toe in this process; Connect Four in two; random games with and without the arena."""
    quick = Match(TicTacToe(), QUICK_PLAYERS, games=20 if plan.quick else 2000, seed=0)
    list(replace(quick, games=2).run())  # compiles
    row = Row(what=f"tic-tac-toe, {' against '.join(QUICK_PLAYERS)}", unit="games/min")
    row = replace(row, bars=(Bar("figure", "≥", 10_000),))
    yield measure(plan, row, lambda: list(quick.run()), lambda rounds: 60 * games_in(rounds))[0]
    long = Match(ConnectFour(), LONG_PLAYERS, games=4 if plan.quick else 200, openings=RandomOpenings(4), seed=0)
    list(replace(long, games=2).run())
    row = Row(what=f"Connect Four, {' against '.join(LONG_PLAYERS)}, two processes", unit="games/min")
    row = replace(row, note="with the start of the processes")
    with ExitStack() as stack:
        processes = [stack.enter_context(ProcessPoolExecutor(1, get_context("spawn"))) for _ in range(2)]
        side_by_side(processes, replace(long, games=4))  # compiles
        works: tuple[tuple[type[Peer], float, Callable[[], list[Round]]], ...] = (
            (OneProcess, 1.9, lambda: list(long.run())),
            (TwoApart, 0.95, lambda: side_by_side(processes, long)),
        )
        for peer, mark, work in works:
            yield compare(
                plan, replace(row, bars=(Bar("ratio", "≥", mark),)),
                lambda: list(long.run(workers=2)),
                peer, lambda _: work(),  # noqa: B023 - called at once
                lambda ours, theirs: same(moves_in(ours), moves_in(theirs), f"the same {games_in(ours)} games"),
                lambda rounds: 60 * games_in(rounds),
            )  # fmt: skip
    for game, games in RANDOM_GAMES:
        count = 2 if plan.quick else games
        arena, bare = best_of(plan, lambda: with_arena(game, count), lambda: without(game, count))  # noqa: B023
        overhead = arena.seconds / arena.outcome - bare.seconds / bare.outcome
        row = Row(what=f"random games of {game!r}: what the arena adds to a move", unit="µs", ours=1e6 * overhead)
        yield replace(row, bars=(Bar("figure", "<", 200),))


def games_in(rounds: list[Round]) -> int:
    """The number of games."""
    return sum(len(round_.records) for round_ in rounds)


def side_by_side(processes: list[ProcessPoolExecutor], match: Match) -> list[Round]:
    """Play a match, every second round in each of two processes."""
    halves = [process.submit(rounds_of, match, number) for number, process in enumerate(processes)]
    return [round_ for half in halves for round_ in half.result()]


def rounds_of(match: Match, first: int) -> list[Round]:
    """Play every second round of a match."""
    return [play_round((match, number)) for number in range(first, match.rounds, 2)]


def moves_in(rounds: list[Round]) -> list[list[str]]:
    """The moves of all games, in order."""
    by_number = sorted(rounds, key=lambda round_: round_.number)
    return [[ply.name for ply in record.plies] for round_ in by_number for record in round_.records]


def with_arena(game: Game, games: int) -> int:
    """Play random games in the arena; the number of their moves."""
    return sum(
        len(play_game(game, [RandomPlayer(), RandomPlayer()], ["a", "b"], seed=seed).plies) for seed in range(games)
    )


def without(game: Game, games: int) -> int:
    """Play random games by the bare rules; the number of their moves."""
    plies, dice = 0, random.Random(0)
    for _ in range(games):
        states = History([game.initial_state()])
        while final(game, states) is None and len(states) < MAX_PLIES:
            states.append(game.result(states[-1], dice.choice(playable(game, states))))
            plies += 1
    return plies
