"""The extensive form of a game with hidden information, in flat arrays.

    node            a history: everything that has happened so far, chance included
    information set the nodes at which the player to move knows the same and therefore acts in the same way
    sequence        what a player has done on the way to a node: the information sets reached and the actions taken
                    there. With perfect recall, one information set and one of its actions identify it.

(von Neumann & Morgenstern 1944; Kuhn 1953; von Stengel 1996 for sequences.) All that a player's strategy decides about
an end of the game is the probability of the player's own sequence there. That makes the input of equilibrium
computation short: `Payoffs`, a list of ends with the sequence of each player and the payoff times its chance.

`unroll` in `unrolling.py` builds a `GameTree`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.tree_picture import tree_picture
from outplay.rules.game import Game

if TYPE_CHECKING:
    from outplay.pictures import TreePicture

END = -2
"""In place of a player: the game is over."""


@dataclass(frozen=True, eq=False)
class Payoffs:
    """The payoffs of a game, with one entry for each combination of sequences that leads to an end.

    Attributes:
        sequences: int32 [entries, players]: the sequence of each player.
        chance: float64 [entries]: the probability that chance allows play to get there.
        values: float64 [entries, players]: the utilities there, times `chance`.
    """

    sequences: NDArray[np.int32]
    chance: NDArray[np.float64]
    values: NDArray[np.float64]


class View(NamedTuple):
    """The payoffs sorted by the sequence of the player who receives them: what kernels compute gradients from.

    The entries of a sequence s, of any player, are those from `start[s]` to `start[s + 1]`.
    """

    start: Any  # int32 [sequences + 1]
    others: Any  # int32 [entries * opponents]: the sequences of the other players
    value: Any  # float64 [entries]: the utility of the player whose sequence it is, times its chance
    opponents: int  # the number of other players


class Sets(NamedTuple):
    """The information sets as kernels read them, and where those of each player begin; see `GameTree`."""

    before: Any  # int32 [sets]: the sequence that leads there
    first: Any  # int32 [sets]: the sequence of the first action; the others follow
    number: Any  # int32 [sets]: the number of actions
    first_set: Any  # int32 [players + 1]
    first_sequence: Any  # int32 [players + 1]


@dataclass(frozen=True, eq=False)
class GameTree:
    """The extensive form of a game, made by `unroll`.

    Nodes are numbered in preorder. Information sets are numbered player by player, and sequences too: player p has the
    sets from `first_set[p]` to `first_set[p + 1]` and the sequences from `first_sequence[p]` to
    `first_sequence[p + 1]`, the first of which is the empty one. What comes later in play has greater numbers.

    Attributes:
        game: the game.
        parent: int32 [nodes]; -1 at the root.
        action: int64 [nodes]: the action that led there.
        player: int8 [nodes]: the player to move, `CHANCE`, or `END` at the ends.
        information: int32 [nodes]: the information set of the player to move; -1 where no player moves.
        chance: float64 [nodes]: the probability of the outcome that led there; 1 where chance did not decide.
        end_node: int32 [ends]: their nodes.
        end_chance: float64 [ends]: the product of `chance` on the way there.
        end_sequences: int32 [ends, players].
        utilities: float64 [ends, players].
        key: int64 [sets]: the hash of player and information.
        before: int32 [sets]: the sequence that leads there.
        first: int32 [sets]: the sequence of the first action; the others follow.
        number: int32 [sets]: the number of actions.
        set_node: int32 [sets]: one of its nodes.
        set_of: int32 [sequences]: the set of the last action of a sequence; -1 for the empty sequence.
        sequence_action: int64 [sequences]: the last action; -1 for the empty sequence.
    """

    game: Game
    parent: NDArray[np.int32]
    action: NDArray[np.int64]
    player: NDArray[np.int8]
    information: NDArray[np.int32]
    chance: NDArray[np.float64]
    end_node: NDArray[np.int32]
    end_chance: NDArray[np.float64]
    end_sequences: NDArray[np.int32]
    utilities: NDArray[np.float64]
    key: NDArray[np.int64]
    before: NDArray[np.int32]
    first: NDArray[np.int32]
    number: NDArray[np.int32]
    set_node: NDArray[np.int32]
    set_of: NDArray[np.int32]
    sequence_action: NDArray[np.int64]
    first_set: NDArray[np.int32]
    first_sequence: NDArray[np.int32]

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.first_set) - 1

    @property
    def nodes(self) -> int:
        """The number of histories, ends included."""
        return len(self.parent)

    @property
    def information_sets(self) -> int:
        """The number of information sets of all players."""
        return len(self.key)

    @property
    def sequences(self) -> int:
        """The number of sequences of all players, the empty ones included."""
        return len(self.set_of)

    @property
    def has_constant_sum(self) -> bool:
        """Whether there are two players, and the sum of their utilities is always the same."""
        sums = self.utilities.sum(axis=1)
        return self.players == 2 and bool(np.ptp(sums) <= 1e-9 * np.abs(self.utilities).max())

    @property
    def nbytes(self) -> int:
        """The size of all arrays in bytes."""
        return sum(value.nbytes for value in vars(self).values() if isinstance(value, np.ndarray))

    @cached_property
    def payoffs(self) -> Payoffs:
        """The payoffs, where ends that no strategy can tell apart share an entry."""
        rows = self.end_sequences.astype(np.int64)
        code = np.zeros(len(rows), np.int64)
        for player in range(self.players):
            code = code * (self.sequences + 1) + rows[:, player]
            code = np.unique(code, return_inverse=True)[1]
        entries = int(code.max()) + 1
        first = np.zeros(entries, np.int64)
        first[code[::-1]] = np.arange(len(code))[::-1]
        weighted = self.utilities * self.end_chance[:, None]
        values = np.stack([np.bincount(code, weighted[:, p], entries) for p in range(self.players)], axis=1)
        chance = np.bincount(code, self.end_chance, entries).astype(np.float64)
        return Payoffs(self.end_sequences[first], chance, values.astype(np.float64))

    @cached_property
    def view(self) -> View:
        """The payoffs as each player sees them; ends that pay a player nothing are left out."""
        payoffs, others, value, mine = self.payoffs, [], [], []
        for player in range(self.players):
            paying = np.flatnonzero(payoffs.values[:, player])
            order = paying[np.argsort(payoffs.sequences[paying, player], kind="stable")]
            mine.append(payoffs.sequences[order, player])
            others.append(np.delete(payoffs.sequences[order], player, axis=1).ravel())
            value.append(payoffs.values[order, player])
        start = np.searchsorted(np.concatenate(mine), np.arange(self.sequences + 1)).astype(np.int32)
        return View(start, np.concatenate(others), np.concatenate(value), self.players - 1)

    @cached_property
    def sets(self) -> Sets:
        """The information sets, for kernels."""
        return Sets(self.before, self.first, self.number, self.first_set, self.first_sequence)

    def uniform(self) -> NDArray[np.float64]:
        """The probability of each sequence's last action where all actions are equally likely: float64 [sequences]."""
        behaviour = np.ones(self.sequences)
        is_choice = self.set_of >= 0
        behaviour[is_choice] = 1 / self.number[self.set_of[is_choice]]
        return behaviour

    def path(self, node: int) -> list[int]:
        """The actions, including those of chance, that lead to `node`."""
        return path_to(self.parent, self.action, node)

    def state(self, node: int) -> Any:
        """The state of the game at `node`."""
        return played(self.game, self.path(node))

    def information_text(self, number: int) -> str:
        """What the player knows at an information set, as the game words it."""
        node = int(self.set_node[number])
        return self.game.information_text(self.state(node), int(self.player[node]))

    def owner(self, number: int) -> int:
        """The player who moves at an information set."""
        return int(self.player[self.set_node[number]])

    def actions(self, number: int) -> list[int]:
        """The actions at an information set, in the order of their sequences."""
        first = self.first[number]
        return [int(action) for action in self.sequence_action[first : first + self.number[number]]]

    def picture(self, strategy: Any = None, plies: int | None = None) -> "TreePicture":
        """Return the tree as a picture, which notebooks show and whose `save` writes it to a file.

        A dashed line joins the nodes of an information set. Circles are chance, other shapes players, with what they
        know; boxes are ends, with the utility of each player, or only that of player 0 in a zero-sum game of two.

        Args:
            strategy: a `Strategy` of the game; its probabilities stand on the edges, which are the wider the greater
                they are.
            plies: the depth to show; None for as many plies as fit into 250 nodes. What is deeper is counted.

        Raises `ValueError` for an invalid number of plies or one that shows too many nodes, `WrongType` if `strategy`
        is anything else, and `StrategyError` if it is of another game.

        >>> from outplay.equilibrium import unroll
        >>> from outplay.games import MatchingPennies
        >>> picture = unroll(MatchingPennies()).picture()
        >>> len(picture.nodes), picture.joined
        (7, [[1, 4]])
        """
        names = [player_name(self.game, player) for player in range(self.players)]
        return tree_picture(self, names, strategy, plies)

    def _repr_svg_(self) -> str:
        return self.picture().svg()

    def __repr__(self) -> str:
        return f"<GameTree of {self.game!r}: {self.nodes:,} nodes, {self.information_sets:,} information sets>"


def player_name(game: Game, player: int) -> str:
    """Return `player 0` and so on, or the name in the game's `player_names`."""
    names: Sequence[str] = getattr(game, "player_names", ())
    return names[player] if names else f"player {player}"


def path_to(parent: NDArray[np.int32], action: NDArray[np.int64], node: int) -> list[int]:
    """The actions that lead to `node`."""
    actions = []
    while parent[node] >= 0:
        actions.append(int(action[node]))
        node = int(parent[node])
    return actions[::-1]


def played(game: Game, actions: Iterable[int]) -> Any:
    """The state after `actions`."""
    state = game.initial_state()
    for action in actions:
        state = game.result(state, action)
    return state
