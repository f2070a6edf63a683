"""What `RiverSolver` has found: a strategy for every hand and every line, as numbers, tables and files."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from outplay.errors import OutplayError
from outplay.games.river_poker import Deal, RiverPoker, rest_of
from outplay.poker.betting import OVER
from outplay.poker.cards import HANDS, hand_name, parse_hand
from outplay.poker.ranges import hand_class

FORMAT = "outplay river solution 1"
GROUPS = ("hand", "class", "category")


class Checkpoint(NamedTuple):
    """How far it was: the exploitability, in chips, after so many iterations and seconds."""

    iterations: int
    seconds: float
    exploitability: float


@dataclass(frozen=True)
class Row:
    """A line of a table: hands of one kind.

    Attributes:
        name: the hand, such as "AhKh", the class, such as "AKs", or the category, such as "two pair".
        share: of all hands that the player to act may have here; they sum to 1.
        actions: the probability of each action, by its name.
    """

    name: str
    share: float
    actions: dict[str, float]


@dataclass(frozen=True)
class Table:
    """The strategy at one node of the betting tree. It prints as a table, the strongest hands first.

    Attributes:
        line: what was done on the way, such as "check, bet 50".
        player: who is to act.
        rows: one for each kind of hands, and a last one, "all".
    """

    line: str
    player: int
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        names = list(self.rows[-1].actions)
        head = [f"player {self.player}" + f" after {self.line}" * bool(self.line), "share", *names]
        body = [[row.name, *(f"{100 * part:.1f}%" for part in (row.share, *row.actions.values()))] for row in self.rows]
        widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
        lines = ([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])] for cells in [head, *body])
        return "\n".join("  ".join(cells) for cells in lines)


@dataclass(frozen=True, kw_only=True, eq=False)
class RiverSolution:
    """An approximate equilibrium.

    Attributes:
        game: the spot.
        strategies: float64 [edges, 1326]: the probability of each edge of `game.betting` with each hand; hands that
            cannot be there have nan.
        values: float64 [2, 1326]: what each hand is worth to each player, in chips as `value`; else nan.
        method, iterations: how it was found.
        exploitability: in chips: what best responses win against both strategies, the mean of the two.
        value: in chips: what player 0 gets, where a half of the pot before the round counts as nothing won.
        stopped: why it went on no longer: "iterations", "seconds", "exploitability" or "interrupted".
        seconds: the time of the last `solve`.
        curve: the exploitability from check to check, in the last `solve`.
    """

    game: RiverPoker
    strategies: NDArray[np.float64] = field(repr=False)
    values: NDArray[np.float64] = field(repr=False)
    method: str
    iterations: int
    exploitability: float
    value: float
    stopped: str
    seconds: float
    curve: tuple[Checkpoint, ...] = field(repr=False)

    @property
    def share(self) -> float:
        """The exploitability as a share of the pot."""
        return self.exploitability / self.game.pot

    @property
    def lines(self) -> list[str]:
        """What can be done on the way to each node where somebody is to act, the root first."""
        return [self.game.line(int(node)) for node in np.flatnonzero(self.game.betting.player != OVER)]

    def probabilities(self, state: Deal) -> dict[int, float]:
        """The probability of each action of the game in a state where a player is to act."""
        hand = state.first if self.game.to_move(state) == 0 else state.second
        edges = self._edges(state.node)
        return {action: float(self.strategies[edge, hand]) for action, edge in enumerate(edges)}

    def strategy(self, line: str = "") -> dict[str, dict[str, float]]:
        """The probability of each action after `line`, by the hand and by the name of the action.

        Raises `RulesError` for a line that there is not.
        """
        node = self._node(line)
        edges, hands = self._edges(node), np.flatnonzero(self.game.weights[self.game.betting.player[node]]).tolist()
        names = [self.game.betting.names[edge] for edge in edges]
        columns = self.strategies[edges.start : edges.stop, hands].T.tolist()
        return {
            hand_name(hand): dict(zip(names, column, strict=True)) for hand, column in zip(hands, columns, strict=True)
        }

    def table(self, line: str = "", *, by: str = "category") -> Table:
        """The strategy after `line`, for each "hand", or the mean of each "class", such as AKs, or "category".

        Raises `ValueError` for another word, and `RulesError` for a line that there is not.
        """
        if by not in GROUPS:
            raise ValueError(f"RiverSolution.table(by={by!r}): one of {', '.join(map(repr, GROUPS))}")
        kinds: dict[str, Callable[[int], str]] = {
            "hand": hand_name, "class": hand_class, "category": self.game.category
        }  # fmt: skip
        node, kind = self._node(line), kinds[by]
        player, edges = int(self.game.betting.player[node]), self._edges(node)
        hands = np.flatnonzero(self.game.weights[player])
        hands = hands[np.argsort(-self.game.strengths[hands], kind="stable")]
        reach = self._reach(node)
        here = reach[player] * rest_of(reach[1 - player])
        groups: dict[str, list[int]] = {}
        for hand in hands.tolist():
            groups.setdefault(kind(hand), []).append(hand)
        rows = [self._row(name, members, here, edges) for name, members in groups.items()]
        return Table(self.game.line(node), player, (*rows, self._row("all", hands, here, edges)))

    def hand_values(self, player: int) -> dict[str, float]:
        """What each hand of `player` is worth to him, in chips as `value`, if both play these strategies."""
        hands = np.flatnonzero(self.game.weights[player]).tolist()
        return {hand_name(hand): float(self.values[player, hand]) for hand in hands}

    def as_dict(self) -> dict[str, Any]:
        """What was found as plain values, for JSON."""
        names = ("method", "iterations", "exploitability", "value", "stopped", "seconds")
        arguments = {
            name: value.tolist() if hasattr(value, "tolist") else value for name, value in self.game._arguments.items()
        }
        return {
            "format": FORMAT,
            "game": {**arguments, "ranges": [_plain(given) for given in arguments["ranges"]]},
            **{name: getattr(self, name) for name in names},
            "curve": [list(point) for point in self.curve],
            "values": [self.hand_values(player) for player in (0, 1)],
            "strategy": {line: self.strategy(line) for line in self.lines},
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a file, as JSON."""
        Path(path).write_text(json.dumps(self.as_dict(), indent=1), encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read what `save` has written. Raises `OutplayError` for anything else."""
        try:
            found = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise OutplayError(f"{path}: cannot be read: {error}") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise OutplayError(f"{path}: not a file that RiverSolution.save has written ({FORMAT})")
        try:
            game = RiverPoker(**{**found["game"], "ranges": tuple(found["game"]["ranges"])})
            strategies = np.full((len(game.betting.child), len(HANDS)), np.nan)
            for line, hands in found["strategy"].items():
                node = game.node(line)
                edges = range(game.betting.first[node], game.betting.first[node + 1])
                for hand, actions in hands.items():
                    for edge in edges:
                        strategies[edge, parse_hand(hand)] = actions[game.betting.names[edge]]
            values = np.full((2, len(HANDS)), np.nan)
            for player in (0, 1):
                for hand, value in found["values"][player].items():
                    values[player, parse_hand(hand)] = value
            names = ("method", "iterations", "exploitability", "value", "stopped", "seconds")
            rest = {name: found[name] for name in names}
            curve = tuple(Checkpoint(*point) for point in found["curve"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise OutplayError(f"{path}: the file is damaged: {type(error).__name__}: {error}") from None
        return cls(game=game, strategies=strategies, values=values, curve=curve, **rest)

    def __str__(self) -> str:
        return (
            f"exploitability {self.exploitability:.3g} chips, {100 * self.share:.3g}% of the pot, after"
            f" {self.iterations:,} iterations ({self.method}); value {self.value:+.4g} {-self.value:+.4g}"
        )

    def _node(self, line: str) -> int:
        node = self.game.node(line)
        if self.game.betting.player[node] == OVER:
            raise OutplayError(f"{line!r}: the round is over, nobody is to act")
        return node

    def _edges(self, node: int) -> range:
        return range(int(self.game.betting.first[node]), int(self.game.betting.first[node + 1]))

    def _reach(self, node: int) -> NDArray[np.float64]:
        """float64 [2, 1326]: the weights of both players' hands at a node."""
        reach = self.game.weights.copy()
        while node > 0:
            edge = int(np.flatnonzero(self.game.betting.child == node)[0])
            node = int(self.game.betting.parent[node])
            reach[self.game.betting.player[node]] *= np.nan_to_num(self.strategies[edge])
        return reach

    def _row(self, name: str, hands: Iterable[int], here: NDArray[np.float64], edges: range) -> Row:
        """The mean over some hands, weighted by how likely they are `here`; if they never are, all alike."""
        chosen = np.array(list(hands))
        weights, total = here[chosen], max(float(here.sum()), 1e-300)
        means = np.average(
            self.strategies[edges.start : edges.stop, chosen], axis=1, weights=weights if weights.sum() > 0 else None
        )
        actions = {self.game.betting.names[edge]: float(mean) for edge, mean in zip(edges, means, strict=True)}
        return Row(name, float(weights.sum()) / total, actions)


def _plain(given: Any) -> Any:
    return given if isinstance(given, str) else np.asarray(given).tolist()
