"""Strategies in the game's own words: what a player knows, and the probability of each action.

Start at `rows`; `table` and `outplay equilibrium` arrange them in columns with `actions_of` and `cells`.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.tree import GameTree, player_name
from outplay.rules.game import Game, legal_actions
from outplay.rules.keys import information_key

MAX_STATES = 100_000
"""The maximum number of states searched for rows to print, without a tree."""
MAX_COLUMNS = 6
"""Actions get columns if a player has at most this many different ones."""


class Row(NamedTuple):
    """An information set."""

    player: int
    knows: str
    likely: dict[str, float]  # by the name of the action, in the order of the game

    def as_dict(self) -> dict[str, object]:
        """Plain values, for JSON."""
        return {"player": self.player, "knows": self.knows, "actions": self.likely}


def rows(tree: GameTree, behaviour: NDArray[np.float64], player: int, most: int | None = None) -> Iterator[Row]:
    """Yield the information sets of `player`, or at most the `most` that come first in play.

    `behaviour` has the probability of each sequence's last action: float64 [sequences].
    """
    game = tree.game
    first_set, end_set = (int(number) for number in tree.first_set[player : player + 2])
    numbers: Iterable[int] = range(first_set, end_set)
    if most is not None and most < end_set - first_set:
        decisions = np.zeros(tree.information_sets, np.int64)  # of the same player, before this set
        for number in numbers:
            before = tree.set_of[tree.before[number]]
            decisions[number] = decisions[before] + 1 if before >= 0 else 0
        numbers = sorted(np.argsort(decisions[first_set:end_set], kind="stable")[:most] + first_set)
    for number in numbers:
        first = tree.first[number]
        likely = behaviour[first : first + tree.number[number]].tolist()
        yield row_at(game, tree.state(int(tree.set_node[number])), dict(zip(tree.actions(number), likely, strict=True)))


def first_rows(
    game: Game, probabilities: Callable[[Any], Mapping[int, float]], player: int, most: int | None = None
) -> Iterator[Row]:
    """Yield the same without a tree, from the first `MAX_STATES` states in breadth-first order.

    `probabilities` returns the probability of each action in a state.
    """
    waiting, keys_seen = deque([game.initial_state()]), set[int]()
    for _ in range(MAX_STATES):
        if not waiting or len(keys_seen) == most:
            return
        state = waiting.popleft()
        if game.is_terminal(state):
            continue
        if game.to_move(state) == player and (key := information_key(game, state, player)) not in keys_seen:
            keys_seen.add(key)
            yield row_at(game, state, probabilities(state))
        waiting.extend(game.result(state, int(action)) for action in legal_actions(game, state))


def row_at(game: Game, state: Any, probabilities: Mapping[int, float]) -> Row:
    """Return the row of the information set to which `state` belongs."""
    player, likely = int(game.to_move(state)), dict[str, float]()
    for action, share in probabilities.items():
        name = game.action_name(state, action)
        likely[name if name not in likely else f"{name} ({action})"] = share
    return Row(player, game.information_text(state, player), likely)


def actions_of(strategy_rows: Sequence[Row]) -> list[str]:
    """Return the actions that get a column each, or an empty list if there are too many.

    >>> actions_of([Row(0, "", {"call": 1, "raise": 0}), Row(0, "", {"fold": 0, "call": 1})])
    ['fold', 'call', 'raise']
    """
    columns: list[str] = []
    for row in strategy_rows:
        place = len(columns)
        for name in reversed(row.likely):
            if name in columns:
                place = columns.index(name)
            else:
                columns.insert(place, name)
        if len(columns) > MAX_COLUMNS:
            return []
    return columns


def cells(row: Row, columns: Sequence[str]) -> list[str]:
    """Return the cells of a row: a probability in each column, or without columns one cell with all that are not 0."""
    if columns:
        return [percentage(row.likely[name]) if name in row.likely else "" for name in columns]
    likely = sorted(row.likely.items(), key=lambda item: -item[1])
    return [
        ", ".join(f"{name} {percentage(value).rstrip()}" for name, value in likely if percentage(value).rstrip() != "0")
    ]


def percentage(probability: float) -> str:
    """Return a probability in six characters: four digits, but none for 0 and 1.

    >>> percentage(1 / 3), percentage(0.99999), percentage(0.0)
    ('0.3333', '1     ', '0     ')
    """
    text = f"{probability:.4f}"
    return {"0.0000": "0     ", "1.0000": "1     "}.get(text, text)


def table(game: Game, player: int, strategy_rows: Sequence[Row], total: int) -> str:
    """Return the strategy of `player` as text: these rows, out of `total`."""
    columns = actions_of(strategy_rows)
    knows = f"{player_name(game, player)} knows"
    width = max(len(knows), *(len(row.knows) for row in strategy_rows)) if strategy_rows else len(knows)
    lines = [f"{knows:{width}}" + "".join(f"  {name:>6}" for name in columns)]
    for row in strategy_rows:
        shares = zip(cells(row, columns), [*columns, ""], strict=False)
        lines.append(f"{row.knows:{width}}" + "".join(f"  {text:>{max(6, len(name))}}" for text, name in shares))
    if len(strategy_rows) < total:
        lines.append(f"… {total - len(strategy_rows):,} more")
    return "\n".join(line.rstrip() for line in lines)
