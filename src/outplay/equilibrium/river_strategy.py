"""Strategies of river poker, for each line and hand, as numbers, tables and files."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from random import Random
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.files import load_json, save_json
from outplay.equilibrium.notebook import river_html
from outplay.equilibrium.strategy import CLOSE, Strategy
from outplay.games.river_poker import Deal, RiverPoker, rest_of
from outplay.poker.betting import OVER
from outplay.poker.cards import HANDS, hand_name
from outplay.poker.ranges import hand_class
from outplay.rules.errors import RulesError, StrategyError
from outplay.rules.keys import information_key

FORMAT = "outplay river strategy 2"
"""The version of the files."""


@dataclass(frozen=True)
class Row:
    """A row of a table: hands of one kind.

    Attributes:
        name: the hand, such as "AhKh", the class, such as "AKs", or the category, such as "two pair".
        share: their share of all hands that the player to act may have here; shares sum to 1.
        actions: the probability of each action, by its name.
    """

    name: str
    share: float
    actions: dict[str, float]


@dataclass(frozen=True)
class Table:
    """The strategy at one node of the betting tree. It prints as a table, the strongest hands first.

    Attributes:
        line: the actions on the way, such as "check, bet 50".
        player: the player to act.
        rows: one for each kind of hands, and "all" as the last.
    """

    line: str
    player: int
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        head = [f"player {self.player}" + f" after {self.line}" * bool(self.line), "share", *self.rows[-1].actions]
        body = [[row.name, *(f"{100 * part:.1f}%" for part in (row.share, *row.actions.values()))] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
        lines = ([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])] for cells in [head, *body])
        return "\n".join("  ".join(cells) for cells in lines)


@dataclass(frozen=True, eq=False, repr=False)
class RiverStrategy:
    """How both players play a spot of river poker. It prints as one table by category for each line.

    Attributes:
        game: the spot.
        behaviour: float64 [edges, 1326]: the probability of each edge of `game.betting` with each hand; nan for hands
            that are not in the range of the player to act.
    """

    game: RiverPoker
    behaviour: NDArray[np.float64]

    @property
    def lines(self) -> list[str]:
        """The line to each node where a player is to act; the root has ""."""
        return [self.game.line(int(node)) for node in np.flatnonzero(self.game.betting.player != OVER)]

    def at(self, line: str = "") -> dict[str, dict[str, float]]:
        """Return the probability of each action after `line`, by hand and by name of the action.

        Raises `RulesError` for an invalid line.
        """
        node = self._node(line)
        hands = np.flatnonzero(self.game.weights[self.game.betting.player[node]]).tolist()
        edges = self._edges(node)
        return {hand_name(hand): self._named(edges, self.behaviour[edges.start : edges.stop, hand]) for hand in hands}

    def table(self, line: str = "", *, by: str = "category") -> Table:
        """Return the strategy after `line` by "hand", or its mean by "class", such as AKs, or by "category".

        The mean is weighted by the probabilities of the hands here. Raises `ValueError` for another value of `by`, and
        `RulesError` for an invalid line.
        """
        kinds: dict[str, Callable[[int], str]] = {
            "hand": hand_name,
            "class": hand_class,
            "category": self.game.category,
        }
        if by not in kinds:
            raise ValueError(f"RiverStrategy.table(by={by!r}): one of {', '.join(map(repr, kinds))}")
        node = self._node(line)
        player, edges = int(self.game.betting.player[node]), self._edges(node)
        hands = np.flatnonzero(self.game.weights[player])
        hands = hands[np.argsort(-self.game.strengths[hands], kind="stable")]
        reach = self._reach(node)
        # float64 [1326]: the probabilities of hands, up to a factor
        weights = reach[player] * rest_of(reach[1 - player])
        groups: dict[str, list[int]] = {}
        for hand in hands.tolist():
            groups.setdefault(kinds[by](hand), []).append(hand)
        groups["all"] = hands.tolist()
        rows = tuple(self._row(name, members, weights, edges) for name, members in groups.items())
        return Table(self.game.line(node), player, rows)

    def probabilities(self, state: Deal) -> dict[int, float]:
        """Return the probability of each legal action for the player to move in a state of the game."""
        hand = self.game.information(state, self.game.to_move(state))[0]
        return {action: float(self.behaviour[edge, hand]) for action, edge in enumerate(self._edges(state.node))}

    def draw(self, state: Deal, random: Random) -> int:
        """Draw an action for the player to move."""
        likely = self.probabilities(state)
        return random.choices(list(likely), list(likely.values()))[0]

    def as_strategy(self) -> Strategy:
        """Return the same as a `Strategy`, which the general functions take; for ranges of few hands."""
        keys, owners, actions, probabilities = [], [], [], []
        for node in np.flatnonzero(self.game.betting.player != OVER).tolist():
            owner, edges = int(self.game.betting.player[node]), self._edges(node)
            for hand in np.flatnonzero(self.game.weights[owner]).tolist():
                state = Deal(hand, hand, node)  # the owner does not know the other hand
                keys.append(information_key(self.game, state, owner))
                owners.append(owner)
                actions.append(range(len(edges)))
                probabilities.append(self.behaviour[edges.start : edges.stop, hand])
        return Strategy(
            self.game,
            np.array(keys, np.int64),
            np.array(owners, np.int8),
            np.cumsum([0, *map(len, actions)], dtype=np.int64),
            np.concatenate(actions).astype(np.int64),
            np.concatenate(probabilities),
        )

    def __repr__(self) -> str:
        return f"<RiverStrategy of {self.game!r}: {len(self.lines):,} lines>"

    def _repr_html_(self) -> str:
        return river_html(self)

    def __str__(self) -> str:
        return "\n\n".join(str(self.table(line)) for line in self.lines)

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the strategy to a JSON file that `load` reads, by line, hand and name of the action."""
        save_json(path, {"format": FORMAT, **self._about(), "lines": {line: self.at(line) for line in self.lines}})

    @classmethod
    def load(cls, path: str | PathLike[str], game: RiverPoker) -> Self:
        """Return the strategy for `game` from a file that `save` wrote.

        Raises `StrategyError` for a file that is damaged or for another game; see `Strategy.load`.
        """
        content = load_json(path, FORMAT)
        strategy = cls(game, np.full((len(game.betting.child), len(HANDS)), np.nan))
        for name, value in strategy._about().items():
            if content.get(name) != value:
                raise StrategyError(f"{path}: for a game with {name} {content.get(name)!r}, not {value!r}")
        for line in strategy.lines:
            node = game.node(line)
            edges, hands = strategy._edges(node), np.flatnonzero(game.weights[game.betting.player[node]])
            try:
                by_hand = content["lines"][line]
                for hand in hands.tolist():
                    likely = by_hand[hand_name(hand)]
                    column = [float(likely[game.betting.names[edge]]) for edge in edges]
                    if len(likely) != len(column) or not min(column) >= 0 or not abs(sum(column) - 1) < CLOSE:
                        raise ValueError(f"probabilities {likely} with {hand_name(hand)}")
                    strategy.behaviour[edges.start : edges.stop, hand] = column
            except (KeyError, TypeError, ValueError) as error:
                place = f"after {line!r}" if line else "at the root"
                raise StrategyError(f"{path}: damaged, or for another game, {place}: {error!r}") from error
        return strategy

    def _about(self) -> dict[str, Any]:
        """Return what a file records about the game."""
        game = self.game
        return {"board": game.board_text, "pot": game.pot, "stack": game.stack, "ranges": game.ranges_mark}

    # -- parts --------------------------------------------------------------------------------------------------------

    def _node(self, line: str) -> int:
        node = self.game.node(line)
        if self.game.betting.player[node] == OVER:
            raise RulesError(f"{line!r}: the round is over, no player is to act")
        return node

    def _edges(self, node: int) -> range:
        return range(int(self.game.betting.first[node]), int(self.game.betting.first[node + 1]))

    def _named(self, edges: range, column: NDArray[np.float64]) -> dict[str, float]:
        return {self.game.betting.names[edge]: float(part) for edge, part in zip(edges, column, strict=True)}

    def _reach(self, node: int) -> NDArray[np.float64]:
        """Return both players' weights of hands times the probabilities of their actions: float64 [2, 1326]."""
        reach = self.game.weights.copy()
        while node > 0:
            edge = int(np.flatnonzero(self.game.betting.child == node)[0])
            node = int(self.game.betting.parent[node])
            reach[self.game.betting.player[node]] *= np.nan_to_num(self.behaviour[edge])
        return reach

    def _row(self, name: str, hands: Iterable[int], of_hands: NDArray[np.float64], edges: range) -> Row:
        """Return the mean over some hands, weighted by the probabilities `of_hands`, or equally if these are all 0."""
        numbers = np.array(hands)
        weights, total = of_hands[numbers], float(of_hands.sum())
        mean = np.average(
            self.behaviour[edges.start : edges.stop, numbers], axis=1, weights=weights if weights.sum() > 0 else None
        )
        return Row(name, float(weights.sum()) / total if total > 0 else 0.0, self._named(edges, mean))
