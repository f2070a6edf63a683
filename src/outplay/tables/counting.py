"""The census of a table: how many states the player to move wins, draws and loses, and in how many plies."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.check.quick import check_rules
from outplay.compile.kernels import kernel
from outplay.engine.analysis import ActionValue
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import TableError
from outplay.tables.class_blocks import BLOCK
from outplay.tables.class_expansion import viewer
from outplay.tables.classes import Classes
from outplay.tables.codec import state_at
from outplay.tables.file import States, TableFile
from outplay.tables.payoffs import check_suits
from outplay.tables.tablebase import Tablebase
from outplay.tables.zugzwang import Zugzwangs, mutual_zugzwangs

HOLE = -1000
"""In place of the player to move, where an index has no state."""
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
    """The state that takes the player to move longest to win, against the longest defence; of several, one. Where the
    distances of a table count to the next conversion, so do these.
    """

    state: Any
    player: int
    """The player to move, who wins."""
    value: float
    """What this player gets."""
    plies: int
    line: tuple[str, ...]
    """The best play for as many plies, in the game's notation."""


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
        zugzwangs: the mutual zugzwangs of a table by class; None for other tables, and if the game does not define
            `passed_state`.
    """

    states: int
    ended: int
    outcomes: tuple[Outcomes, ...]
    distances: tuple[AtDistance, ...]
    longest_win: LongestWin | None
    first_actions: tuple[ActionValue, ...]
    zugzwangs: tuple[Zugzwangs, ...] | None = None

    def first_values(self) -> dict[float, list[ActionValue]]:
        """The first actions by value for the player to move, the best first."""
        rows_by_value: dict[float, list[ActionValue]] = {}
        for row in self.first_actions:
            rows_by_value.setdefault(row.value, []).append(row)
        return rows_by_value

    def as_dict(self) -> dict[str, Any]:
        """The census as plain values, for JSON."""
        longest, count = self.longest_win, len(self.first_actions)
        return {
            "states": self.states,
            "ended": self.ended,
            "outcomes": [{"player": player, **outcome._asdict()} for player, outcome in enumerate(self.outcomes)],
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
            "zugzwangs": None
            if self.zugzwangs is None
            else [{**zugzwang._asdict(), "example": repr(zugzwang.example)} for zugzwang in self.zugzwangs],
            "distances": [distance._asdict() for distance in self.distances],
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
    game = table.game
    check_rules(game, game.initial_state())
    check_suits(game)
    table.check(game)
    start = game.initial_state() if state is None else state
    first_actions = table.analyse(start).actions if state is not None or start in table else ()
    outcomes, distances = np.zeros((game.players, 3), np.int64), np.zeros((2, 1 << 16), np.int64)
    done, ended, longest, farthest = 0, 0, 0, None
    for movers, gain, plies, state_of in _counted(table):
        if movers.min(initial=-1) < -1 or movers.max(initial=-1) >= game.players:
            raise TableError(f"to_move of {game!r} returns a number that is not a player; outplay check says where")
        goes_on = movers >= 0
        for player in range(game.players):
            outcomes[player] += np.bincount(1 - gain[movers == player], minlength=3)
        for row, sign in enumerate((1, -1)):
            distances[row] += np.bincount(plies[goes_on & (gain == sign)], minlength=1 << 16)
        wins = np.where(goes_on & (gain > 0), plies, 0)
        if wins.max(initial=0) > longest:
            longest, farthest = int(wins.max()), state_of(int(wins.argmax()))
        done, ended = done + len(movers), ended + int((~goes_on).sum())
        if progress:
            progress(done, len(table))
    last = int(np.flatnonzero(distances.sum(axis=0)).max(initial=0))
    return Census(
        states=done,
        ended=ended,
        outcomes=tuple(Outcomes(*row) for row in outcomes.tolist()),
        distances=tuple(AtDistance(plies, *distances[:, plies].tolist()) for plies in range(1, last + 1)),
        longest_win=_longest(table, farthest, longest) if longest else None,
        first_actions=first_actions,
        zugzwangs=mutual_zugzwangs(table.classes) if table.classes is not None else None,
    )


def _longest(table: Tablebase, state: Any, plies: int) -> LongestWin:
    """The win in `state`, with its line; that of an analysis may be cut."""
    player = int(table.game.to_move(state))
    return LongestWin(state, player, table.value_of(state, player), plies, tuple(islice(line_of(table, state), plies)))


def line_of(table: Tablebase, state: Any) -> Iterator[str]:
    """The names of the best actions from a won or lost state to the end of the game."""
    game = table.game
    while (entry := table.look_up(game, state)) is not None and entry.action is not None:
        yield game.action_name(state, entry.action)
        state = game.result(state, entry.action)


class _Part(NamedTuple):
    """Some states of a table, which are counted in little time."""

    movers: NDArray[np.int64]
    """Who is to move; -1 at the end of the game."""
    gain: NDArray[np.int64]
    """What the player to move gets: more than in a draw, 1, less, -1, or as much, 0."""
    plies: NDArray[Any]
    state: Callable[[int], Any]
    """The state at a place."""


def _counted(table: Tablebase) -> Iterator[_Part]:
    """All states of a table."""
    game = table.game
    teams = game.teams or tuple(range(game.players))
    friend = np.array([teams[player] == teams[0] for player in range(game.players)])
    if table.classes is not None:
        yield from _counted_classes(table.classes, friend)
        return
    middle, codec = table.utilities.index(draw_utility(game)), table.codec.record()
    for part in _chunks(table):
        codes, movers = np.ascontiguousarray(part.codes).reshape(-1), np.zeros(len(part.codes), np.int64)
        find_movers(game, codec, codes, movers)
        gain = np.sign(part.levels.astype(np.int64) - middle)  # of player 0
        gain = np.where(friend[movers % game.players], gain, -gain)
        yield _Part(movers, gain, part.plies, partial(state_at, game, codec, codes))


def _counted_classes(classes: Classes, friend: NDArray[np.bool_]) -> Iterator[_Part]:
    """All states of a table by class; of those that share an index, the one that `indexed_state` returns."""
    game = classes.game
    for number, facts in classes.about.items():
        middle = facts["utilities"].index(draw_utility(game))
        for block, start in enumerate(range(0, facts["indices"], BLOCK)):
            levels, plies = classes.solved.block(number, block)
            movers, viewers = np.zeros((2, len(levels)), np.int64)
            find_indexed_movers(game, number, start, movers, viewers)
            places = np.flatnonzero(movers != HOLE)
            movers, viewers = movers[places], viewers[places]
            gain = np.sign(levels[places].astype(np.int64) - middle)  # of `index_player`
            gain = np.where(friend[movers % game.players] == friend[viewers], gain, -gain)
            state = partial(_indexed, game, number, start, places)
            yield _Part(movers, gain, plies[places], state)


def _indexed(game: Any, number: int, start: int, places: NDArray[np.int64], at: int) -> Any:
    return game.indexed_state(number, start + int(places[at]))


def _chunks(table: Tablebase) -> Iterator[States]:
    """The states of a table, in parts that are counted in little time."""
    source = table.check_has_blocks("counted by who is to move")
    if isinstance(source, TableFile):
        yield from source.blocks()
        return
    for start in range(0, len(table), CHUNK):
        yield States(*(column[start : start + CHUNK] for column in source))


@kernel
def find_indexed_movers(game: Any, number: int, start: int, movers: Any, viewers: Any) -> None:
    """Write who is to move at each index from `start` on, -1 at the end of the game, and from whose side it is
    numbered; `HOLE` if there is no state.
    """
    for place in range(len(movers)):
        state = game.indexed_state(number, start + place)
        if game.state_class(state) != number or game.state_index(state) != start + place:
            movers[place] = HOLE
            continue
        viewers[place] = viewer(game, state)
        movers[place] = -1 if game.is_terminal(state) else game.to_move(state)


@kernel
def find_movers(game: Any, codec_memory: Any, codes: Any, movers: Any) -> None:
    """Write who is to move in each state, -1 at the end of the game."""
    for number in range(len(movers)):
        state = state_at(game, codec_memory, codes, number)
        if game.is_terminal(state):
            movers[number] = -1
        else:
            movers[number] = game.to_move(state)
