"""The census of a table: how many states the player to move wins, draws and loses, and in how many plies."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from outplay.check.quick import check_rules
from outplay.compile.kernels import kernel
from outplay.engine.analysis import ActionValue
from outplay.rules.constant_sum import balance
from outplay.rules.errors import TableError
from outplay.tables.codec import state_at
from outplay.tables.file import States, TableFile
from outplay.tables.tablebase import Tablebase, check_suits

CHUNK = 1 << 16
"""The number of states between two reports of progress."""


class Outcomes(NamedTuple):
    """How many states a player to move wins, draws and loses: gets more than, as much as or less than in a draw."""

    wins: int
    draws: int
    losses: int


class AtDistance(NamedTuple):
    """How many states the player to move wins and loses in so many plies."""

    plies: int
    wins: int
    losses: int


class LongestWin(NamedTuple):
    """The state that takes the player to move longest to win, against the longest defence; of several, one."""

    state: Any
    player: int
    """The player to move, who wins."""
    value: float
    """What this player gets."""
    plies: int
    line: tuple[str, ...]
    """The best play to the end, in the game's notation."""


@dataclass(frozen=True)
class Census:
    """A table, counted state by state. Images of each other (`game.symmetries`) count as one.

    Attributes:
        states: the number of states.
        ended: how many of them are ends of the game; the other numbers leave them out.
        outcomes: for each player, how many states with this player to move are won, drawn and lost.
        distances: how many states are won and lost in 1 ply, 2 plies, …, up to the longest.
        longest_win: the longest win; None if the player to move wins nowhere.
        first_actions: the actions in the state to start from, the best first, with value and distance; empty if it is
            not in the table.
    """

    states: int
    ended: int
    outcomes: tuple[Outcomes, ...]
    distances: tuple[AtDistance, ...]
    longest_win: LongestWin | None
    first_actions: tuple[ActionValue, ...]

    def first_values(self) -> dict[float, list[ActionValue]]:
        """The first actions by value for the player to move, the best first."""
        found: dict[float, list[ActionValue]] = {}
        for row in self.first_actions:
            found.setdefault(row.value, []).append(row)
        return found

    def as_dict(self) -> dict[str, Any]:
        """The census as plain values, for JSON."""
        longest, count = self.longest_win, len(self.first_actions)
        return {
            "states": self.states,
            "ended": self.ended,
            "outcomes": [{"player": player, **each._asdict()} for player, each in enumerate(self.outcomes)],
            "longest_win": None
            if longest is None
            else {**longest._asdict(), "state": repr(longest.state), "line": list(longest.line)},
            "first_actions": [
                {
                    "value": value,
                    "actions": [{"action": row.name, "distance": row.distance} for row in rows],
                    "share": len(rows) / count,
                }
                for value, rows in self.first_values().items()
            ],
            "distances": [each._asdict() for each in self.distances],
        }


def census(table: Tablebase, state: Any = None, progress: Callable[[int, int], None] | None = None) -> Census:
    """Count the states of a table by who is to move, by value and by distance.

    Args:
        table: the table.
        state: where the first actions are looked at; by default the initial state, if the table has it.
        progress: called now and then with the number of states counted so far and of all.

    Raises `TableError` if the table lacks `state`, is damaged or is of other rules, and `RulesError` if the rules do
    not compile.

    >>> from outplay.games import ConnectFour
    >>> found = census(Tablebase.make(ConnectFour(width=4, height=3)))
    >>> found.outcomes[0]
    Outcomes(wins=158, draws=2425, losses=68)
    >>> found.longest_win.plies, " ".join(found.longest_win.line)
    (9, '1 2 2 3 4 3 3 4 4')
    """
    game, draw = table.game, balance(table.game)
    check_rules(game, game.initial_state())
    check_suits(game)
    table.check(game)
    start = game.initial_state() if state is None else state
    first_actions = table.analyse(start).actions if state is not None or start in table else ()
    middle, codec = table.utilities.index(draw), table.codec.record()
    teams = game.teams or tuple(range(game.players))
    friend = np.array([teams[player] == teams[0] for player in range(game.players)])
    outcomes, distances = np.zeros((game.players, 3), np.int64), np.zeros((2, 1 << 16), np.int64)
    done, ended, longest, found = 0, 0, 0, None
    for part in _chunks(table):
        codes, movers = np.ascontiguousarray(part.codes).reshape(-1), np.zeros(len(part.codes), np.int64)
        find_movers(game, codec, codes, movers)
        if movers.min() < -1 or movers.max() >= game.players:
            raise TableError(f"to_move of {game!r} returns a number that is not a player; outplay check says where")
        goes_on = movers >= 0
        gain = np.sign(part.levels.astype(np.int64) - middle)  # of player 0, then of the player to move
        gain = np.where(friend[movers], gain, -gain)
        for player in range(game.players):
            outcomes[player] += np.bincount(1 - gain[movers == player], minlength=3)
        for row, sign in enumerate((1, -1)):
            distances[row] += np.bincount(part.plies[goes_on & (gain == sign)], minlength=1 << 16)
        wins = np.where(goes_on & (gain > 0), part.plies, 0)
        best = int(wins.argmax())
        if wins[best] > longest:
            longest, found = int(wins[best]), state_at(game, codec, codes, best)
        done, ended = done + len(movers), ended + int((~goes_on).sum())
        if progress:
            progress(done, len(table))
    last = int(np.flatnonzero(distances.sum(axis=0)).max(initial=0))
    return Census(
        states=done,
        ended=ended,
        outcomes=tuple(Outcomes(*row) for row in outcomes.tolist()),
        distances=tuple(AtDistance(plies, *distances[:, plies].tolist()) for plies in range(1, last + 1)),
        longest_win=_longest(table, found, longest) if longest else None,
        first_actions=first_actions,
    )


def _longest(table: Tablebase, state: Any, plies: int) -> LongestWin:
    """The win in `state`, with its line to the end; that of an analysis may be cut."""
    player, known = int(table.game.to_move(state)), table.probe(state)
    assert known is not None
    return LongestWin(state, player, known.value, plies, tuple(line_of(table, state)))


def line_of(table: Tablebase, state: Any) -> Iterator[str]:
    """The names of the best actions from a won or lost state to the end of the game."""
    game = table.game
    while (known := table.look_up(game, state)) is not None and known.action is not None:
        yield game.action_name(state, known.action)
        state = game.result(state, known.action)


def _chunks(table: Tablebase) -> Iterator[States]:
    """The states of a table, in parts that are counted in little time."""
    source = table.check_has_blocks("counted by who is to move")
    if isinstance(source, TableFile):
        yield from source.blocks()
        return
    for start in range(0, len(table), CHUNK):
        yield States(*(each[start : start + CHUNK] for each in source))


@kernel
def find_movers(game: Any, codec_memory: Any, codes: Any, movers: Any) -> None:
    """Write who is to move in each state, -1 at the end of the game."""
    for number in range(len(movers)):
        state = state_at(game, codec_memory, codes, number)
        if game.is_terminal(state):
            movers[number] = -1
        else:
            movers[number] = game.to_move(state)
