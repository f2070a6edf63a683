"""Random games to the end, every legal action equally likely, on one thread.

OpenSpiel is driven from Python, as a search of your own in Python would be, and by its own loop in C++. With pgx,
actions are compared instead of games, since it plays 1,024 games at once, step by step.
"""

# ruff: noqa: D102 - the rules of every game are documented on `Game`

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import numpy as np

from benchmarks.common import Bar, Disagreement, Plan, Row, compare
from benchmarks.example import EXAMPLE
from benchmarks.mcts import FourInARow
from benchmarks.peers import Interpreted, Listed, OpenSpiel, Pgx
from outplay import Game, kernel
from outplay.compile.kernels import pointer
from outplay.compile.playout import random_action
from outplay.compile.random_numbers import new_random
from outplay.games import Breakthrough, Chess, ConnectFour, Go, Gomoku
from outplay.session.load import class_in_file

SEED = 20_260_101

Played = tuple[int, int, int]
"""Games, actions in all of them (0 if unknown), and wins of player 0 minus wins of player 1."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A game, and the number of games to play.

    Attributes:
        game: the game in outplay.
        name: its usual name.
        many, few: games for outplay, and for OpenSpiel from Python.
        longest: a number of actions that hardly any game exceeds.
        bar: the promised ratio of games to OpenSpiel from Python.
        spiel, pgx: the names of the game in the peers; "" if they do not have it.
        actions: the number of actions per game in one call of pgx.
        note, pgx_note: how the rules of the peers differ.
    """

    game: Game
    name: str
    many: int
    few: int
    longest: int
    bar: float
    spiel: str
    pgx: str = ""
    actions: int = 0
    note: str = ""
    pgx_note: str = ""


CASES = (
    Case(
        game=ConnectFour(), name="Connect Four", many=500_000, few=5_000, longest=42, bar=30,
        spiel="connect_four", pgx="connect_four", actions=200,
    ),
    Case(
        game=Breakthrough(), name="Breakthrough", many=20_000, few=1_500, longest=200, bar=30, spiel="breakthrough",
    ),
    Case(
        game=Chess(), name="chess", many=2_000, few=200, longest=500, bar=30, spiel="chess", pgx="chess", actions=3,
        note="the third time of a position is a draw there, not here",
        pgx_note="its games stop after 512 actions",
    ),
    Case(
        game=Go(9), name="Go, 9 x 9", many=10_000, few=1_500, longest=300, bar=10,
        spiel="go(board_size=9,max_game_length=2000)",  # by default it stops after 162
        pgx="go_9x9", actions=20, pgx_note="its games stop after 162 actions",
    ),
)  # fmt: skip
BAR_OF_PGX = 30


class PlainGomoku(Gomoku):
    """Gomoku with the obvious `actions`."""

    def actions(self, board: Any) -> Any:
        for cell in range(self.m * self.n):
            if board.marks[cell] == 0:
                yield cell


class PlainGomokuInLists(Gomoku):
    """The same, as a list."""

    def actions(self, board: Any) -> Any:
        return [cell for cell in range(self.m * self.n) if board.marks[cell] == 0]


OWN = (
    (PlainGomoku, (), 500),
    (PlainGomokuInLists, (), 500),
    (FourInARow, (), 500_000),
    (class_in_file(EXAMPLE), (7, 7), 50_000),
)
"""Classes of games, their arguments, and the number of games."""
MAX_OWN_ACTIONS = 225
QUICK = 20
"""The number of games is divided by this with `--quick`."""


@kernel
def playouts(game: Any, state: Any, games: int, random: Any, totals: Any) -> None:
    """Play `games` games from `state`; adds the actions to `totals[0]` and the utility of player 0 to `totals[1]`."""
    random = pointer(random)
    for _ in range(games):
        current, actions = state, 0
        while not game.is_terminal(current):
            current = game.result(current, random_action(game, current, random))
            actions += 1
        totals[0] += actions
        totals[1] += int(game.utility(current, 0))


def rows(plan: Plan) -> Iterator[Row]:
    """Connect Four against the same source interpreted; every game against OpenSpiel in both ways and against pgx."""
    interpreted = playouts.interpreted
    for case in CASES:
        game, divisor = case.game, QUICK if plan.quick else 1
        many, few = case.many // divisor, case.few // divisor
        play(game, 1)  # compiles
        row = Row(what=f"random games of {case.name}", unit="games/s", note=case.note)
        if case is CASES[0]:
            yield compare(
                plan, row,
                lambda: play(game, many),  # noqa: B023
                Interpreted, lambda _: play(game, few, interpreted),  # noqa: B023
                lambda ours, theirs: alike(ours, theirs, case.longest),  # noqa: B023
                games_in,
            )  # fmt: skip
        yield compare(
            plan, replace(row, bars=(Bar("ratio", "≥", case.bar),)),
            lambda: play(game, many),  # noqa: B023
            OpenSpiel, lambda spiel: spiel.playouts(case.spiel, few, SEED),  # noqa: B023
            lambda ours, theirs: alike(ours, theirs, case.longest),  # noqa: B023
            games_in,
        )  # fmt: skip
        yield compare(
            plan, replace(row, what=f"{row.what}, its own loop in C++"),
            lambda: play(game, many),  # noqa: B023
            OpenSpiel, lambda spiel: spiel.rollouts(case.spiel, few, SEED),  # noqa: B023
            lambda ours, theirs: alike(ours, theirs, case.longest),  # noqa: B023
            games_in,
        )  # fmt: skip
        if case.pgx:
            yield against_pgx(plan, case, many, row)
    for own_class, arguments, games in OWN:
        yield against_lists(plan, own_class, arguments, games)


def against_lists(plan: Plan, own_class: type[Game], arguments: tuple[int, ...], games: int) -> Row:
    """Actions drawn by trial, and from lists, where the rule has no source to make trials from."""
    rule: Any = own_class.actions
    code = rule.__code__.replace(co_filename="<no file>")
    listing = FunctionType(code, rule.__globals__, rule.__name__, rule.__defaults__, rule.__closure__)
    game = own_class(*arguments)
    listing_game: Game = type(f"Listed{own_class.__name__}", (own_class,), {"actions": listing})(*arguments)
    games //= QUICK if plan.quick else 1
    for variant in game, listing_game:  # compiles
        play(variant, 1)
    return compare(
        plan, Row(what=f"random games of {game!r}, drawn by trial", unit="games/s"),
        lambda: play(game, games),
        Listed, lambda _: play(listing_game, games),
        lambda ours, theirs: alike(ours, theirs, MAX_OWN_ACTIONS),
        games_in,
    )  # fmt: skip


def against_pgx(plan: Plan, case: Case, many: int, row: Row) -> Row:
    """The row for pgx; the length of games is compared where the rules are the same."""

    class Peer(Pgx):
        game, actions = case.pgx, case.actions

    def agree(ours: Played, theirs: Played) -> str:
        return f"only the game: {case.pgx_note}" if case.pgx_note else alike((*ours[:2], 0), theirs, case.longest)

    bars = (Bar("ratio", "≥", BAR_OF_PGX),)
    return compare(
        plan, replace(row, unit="actions/s", note="one core, 1,024 games at once", bars=bars),
        lambda: play(case.game, many),
        Peer, lambda pgx: pgx.playouts(),
        agree,
        actions_in,
    )  # fmt: skip


def play(game: Game, games: int, run: Callable[..., None] = playouts) -> Played:
    """Random games from the start."""
    totals = np.zeros(2, np.int64)
    run(game, game.initial_state(), games, new_random(SEED), totals)
    return games, int(totals[0]), int(totals[1])


def games_in(result: Played) -> float:
    """The number of games."""
    return result[0]


def actions_in(result: Played) -> float:
    """The number of actions in all of them."""
    return result[1]


def alike(ours: Played, theirs: Played, longest: int) -> str:
    """Check that mean length and mean result agree within a little more than five standard errors."""
    doubt = 5 / math.sqrt(min(ours[0], theirs[0]))
    for quantity, place, spread in (("actions a game", 1, longest / 4), ("mean result", 2, 1)):
        our_mean, their_mean = ours[place] / ours[0], theirs[place] / theirs[0]
        if (theirs[1] or place != 1) and abs(our_mean - their_mean) > doubt * spread:
            raise Disagreement(f"{quantity}: outplay {our_mean:.3f}, the other {their_mean:.3f}")
    if not theirs[1]:
        return f"mean result {theirs[2] / theirs[0]:+.3f} ({ours[2] / ours[0]:+.3f})"
    return f"{theirs[1] / theirs[0]:.1f} actions a game ({ours[1] / ours[0]:.1f})"
