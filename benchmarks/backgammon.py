"""Backgammon: all positions that each of the 21 throws can lead to, on one core.

They are listed for positions of random games. OpenSpiel lists turns rather than positions, each once for either order
of the dice, and plays doubles in two halves. It is driven from Python, as a search of your own in Python would be. Both
count the same number of different positions.

Reading order: `rows`, `reached` (outplay), `Spiel` (OpenSpiel).
"""

import random
from collections.abc import Iterator
from typing import Any

from benchmarks.common import Bar, Plan, Row, compare, same
from benchmarks.peers import OpenSpiel
from outplay import kernel, legal_actions
from outplay.compile.kernels import pack, unpack
from outplay.games import Backgammon
from outplay.games.backgammon import BAR, ROLLING, Position, with_men

GAMES, QUICK_GAMES, SEED = 20, 2, 20_260_101
EVERY = 20
"""Every 20th position of these games is used."""
TIMES = 200
"""How many times outplay does the work that OpenSpiel does once."""


def rows(plan: Plan) -> Iterator[Row]:
    """Positions per second of outplay and OpenSpiel."""
    game, games = Backgammon(), QUICK_GAMES if plan.quick else GAMES
    try:
        spiel = Spiel()
    except ImportError:
        states, positions = [], own_positions(game, games)
    else:
        states = spiel.states(games)
        positions = [position_of(state) for state in states]
    packed = pack(game, positions)
    number = reached(game, packed, len(positions), 1)  # compiles

    def agree(_ours: int, _theirs: None) -> str:
        boards: set[Any] = set()
        spiel.reached(states, boards)
        return same(number, len(boards), f"{number:,} positions after {21 * len(positions):,} throws")

    row = Row(
        what="positions after all throws in Backgammon", unit="positions/s",
        bars=(Bar("figure", "≥", 1e6), Bar("ratio", "≥", 30)),
    )  # fmt: skip
    yield compare(
        plan, row,
        lambda: reached(game, packed, len(positions), TIMES),
        Spiel, lambda spiel: spiel.reached(states),
        agree,
        lambda count: count or number,
    )  # fmt: skip


@kernel
def reached(game: Any, positions: Any, number: int, times: int) -> int:
    """The number of positions that the throws lead to, from `number` positions, `times` times; each one is made."""
    count, bits = 0, 0
    for _ in range(times):
        for index in range(number):
            position = unpack(game, positions, index)
            for throw in legal_actions(game, position):
                after_throw = game.result(position, throw)
                for action in legal_actions(game, after_throw):
                    bits |= game.result(after_throw, action).near[0]  # unused positions would not be made
                    count += 1
    return count if bits >= 0 else 0


class Spiel(OpenSpiel):
    """States of random games in OpenSpiel, and what it finds from them."""

    def states(self, games: int) -> list[Any]:
        """States in which the dice are to be thrown, except the first throw."""
        game, chance = self.spiel.load_game("backgammon"), random.Random(SEED)
        states = []
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node() and not state.is_initial_state():
                    states.append(state.clone())
                state.apply_action(chance.choice(state.legal_actions()))
        return states[::EVERY]

    def reached(self, states: list[Any], boards: set[Any] | None = None) -> None:
        """Make all positions that the throws lead to; put them into `boards`, if given, by state and throw."""
        for number, state in enumerate(states):
            for outcome in state.legal_actions():
                if (
                    outcome >= 30 or outcome % 2 == 0
                ):  # from 30 on they are doubles; before, 1-2 is 0 there and 2-1 is 1
                    self._follow(state.child(outcome), (number, outcome), boards)

    def _follow(self, state: Any, throw: tuple[int, int], boards: set[Any] | None) -> None:
        player = state.current_player()
        for action in state.legal_actions():
            after = state.child(action)
            if after.current_player() == player:
                self._follow(after, throw, boards)
            elif boards is not None:
                boards.add((throw, board(after)))


def board(state: Any) -> tuple[tuple[int, ...], ...]:
    """OpenSpiel's men of each player, on the player's points from 1 and on the bar, which is 100 there."""
    return tuple(
        (*(state.board(player, 23 - point if player == 0 else point) for point in range(BAR)), state.board(player, 100))
        for player in (0, 1)
    )


def position_of(state: Any) -> Position:
    """The position of OpenSpiel's state, before a throw."""
    men = [(0, 0), (0, 0)]
    for player, points in enumerate(board(state)):
        for point, number in enumerate(points):
            men[player] = with_men(*men[player], point, number)
    (near, far), (near_there, far_there) = men
    turn = state.child(state.legal_actions()[0]).current_player()
    return Position((near, near_there), (far, far_there), turn, ROLLING, 1, -1)


def own_positions(game: Backgammon, games: int) -> list[Position]:
    """Positions before a throw of random games in outplay."""
    chance, positions = random.Random(SEED), []
    for _ in range(games):
        state = game.initial_state()
        while not game.is_terminal(state):
            if state.dice == ROLLING:
                positions.append(state)
            state = game.result(state, chance.choice(game.actions(state).tolist()))
    return positions[::EVERY]
