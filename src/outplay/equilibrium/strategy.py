"""A strategy: the probability of each action at each information set, for one player or for all.

These are behaviour strategies, which are sufficient with perfect recall (Kuhn 1953). Start at `Strategy`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from random import Random
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from outplay.equilibrium.files import load_arrays, load_json, save_arrays, save_json
from outplay.equilibrium.formatting import Row, first_rows, rows, table
from outplay.equilibrium.notebook import strategy_html
from outplay.equilibrium.tree import GameTree
from outplay.equilibrium.unrolling import unroll
from outplay.rules.arguments import check_type, is_whole
from outplay.rules.errors import StrategyError
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.keys import information_key, key_of
from outplay.rules.numbered import decoded, encoded, numbered

if TYPE_CHECKING:
    from outplay.pictures import TreePicture

FORMAT = "outplay strategy 3"
"""The version of the files."""
NPZ = ".npz"
ARRAYS = {"key": np.int64, "owner": np.int8, "first": np.int64, "action": np.int64, "probability": np.float64}
CLOSE = 1e-9
"""The probabilities of a set must sum to 1 within this tolerance."""


@dataclass(frozen=True, eq=False, repr=False)
class Strategy:
    """The probability of each action at each known information set; elsewhere all actions are equally likely.

    Information set i belongs to `owner[i]` and has the actions from `first[i]` to `first[i + 1]`.

    Attributes:
        game: the game.
        key: int64 [sets]: the hash of player and information; see `information_key`.
        owner: int8 [sets]: the player.
        first: int64 [sets + 1].
        action: int64 [choices].
        probability: float64 [choices].

    >>> from outplay.equilibrium import CFR
    >>> from outplay.games import KuhnPoker
    >>> strategy = CFR(KuhnPoker(), variant="predictive").solve(iterations=1000).strategy
    >>> print(strategy.table(player=1))
    player 1 knows    pass     bet
    Q, pass         1       0
    Q, bet          0.6667  0.3333
    K, pass         0       1
    K, bet          0       1
    J, pass         0.6667  0.3333
    J, bet          1       0
    """

    game: Game
    key: NDArray[np.int64]
    owner: NDArray[np.int8]
    first: NDArray[np.int64]
    action: NDArray[np.int64]
    probability: NDArray[np.float64]

    # -- constructors ------------------------------------------------------------------------------------------------

    @classmethod
    def on(cls, tree: GameTree, behaviour: NDArray[np.float64]) -> Self:
        """Return the strategy of all players with the probabilities `behaviour` of sequences' last actions."""
        choices = tree.set_of >= 0
        owner = tree.player[tree.set_node]
        first = np.concatenate([[0], np.cumsum(tree.number, dtype=np.int64)])
        strategy = cls(tree.game, tree.key, owner, first, tree.sequence_action[choices], behaviour[choices])
        strategy.__dict__["_tree"] = tree
        return strategy

    @classmethod
    def uniform(cls, game: Game | GameTree) -> Self:
        """Return the strategy in which all actions are equally likely."""
        tree = tree_of(game)
        return cls.on(tree, tree.uniform())

    @classmethod
    def from_table(cls, game: Game, table: Mapping[tuple[int, Any], Mapping[int, float]]) -> Self:
        """Return the strategy in a table {(player, information): {action: probability}}.

        `searched_strategy` makes such tables. Actions that are left out are never taken. Raises `StrategyError` for
        invalid probabilities and `ValueError` for an invalid player.

        >>> from outplay.games import MatchingPennies
        >>> game = MatchingPennies()
        >>> state = game.initial_state()
        >>> strategy = Strategy.from_table(game, {(0, game.information(state, 0)): {0: 0.25, 1: 0.75}})
        >>> strategy.probabilities(state)
        {0: 0.25, 1: 0.75}
        """
        game = numbered(game)
        for player, _ in table:
            check_player(game, player)
        likely = [list(choices.items()) for choices in table.values()]
        strategy = cls(
            game,
            np.array([key_of(information, player) for player, information in table], np.int64),
            np.array([player for player, _ in table], np.int8),
            np.cumsum([0, *map(len, likely)], dtype=np.int64),
            np.array([encoded(game, action) for choices in likely for action, _ in choices], np.int64),
            np.array([share for choices in likely for _, share in choices], np.float64),
        )
        strategy._check("the table")
        return strategy

    def with_player(self, player: int, other: "Strategy") -> "Strategy":
        """Return this strategy with the part of `player` replaced by that of `other`."""
        check_player(self.game, player)
        mine, theirs = self.behaviour(self._tree), other.behaviour(self._tree)
        first, end = self._tree.first_sequence[player : player + 2]
        mine[first:end] = theirs[first:end]
        return Strategy.on(self._tree, mine)

    @cached_property
    def _tree(self) -> GameTree:
        return unroll(self.game)

    # -- playing ------------------------------------------------------------------------------------------------------

    @cached_property
    def _places(self) -> dict[int, int]:
        return {int(key): number for number, key in enumerate(self.key)}

    def probabilities(self, state: Any) -> dict[int, float]:
        """Return the probability of each legal action, based only on the `information` of the player to move."""
        if self.game.is_terminal(state):
            raise StrategyError(f"the game is over in {state!r}: no player is to move")
        mover = self.game.to_move(state)
        if mover == CHANCE:
            raise StrategyError(f"chance is to move in {state!r}: a strategy is only for players")
        number = self._places.get(information_key(self.game, state, mover))
        if number is None:
            actions = [decoded(self.game, int(action)) for action in legal_actions(self.game, state)]
            return dict.fromkeys(actions, 1 / len(actions))
        choices = slice(self.first[number], self.first[number + 1])
        actions = [decoded(self.game, action) for action in self.action[choices].tolist()]
        return dict(zip(actions, self.probability[choices].tolist(), strict=True))

    def draw(self, state: Any, random: Random) -> int:
        """Draw an action for the player to move."""
        likely = self.probabilities(state)
        return random.choices(list(likely), list(likely.values()))[0]

    def behaviour(self, tree: GameTree) -> NDArray[np.float64]:
        """Return the probability of each sequence's last action: float64 [sequences of `tree`], 1 for empty ones."""
        behaviour = tree.uniform()
        if self.key is tree.key:
            behaviour[tree.set_of >= 0] = self.probability
            return behaviour
        if len(self.key) and self._places.keys().isdisjoint(tree.key.tolist()):
            raise StrategyError(
                f"no information set of the strategy is in {tree!r}: it is for another game, or the rules have changed"
            )
        for number, key in enumerate(tree.key):
            mine = self._places.get(int(key))
            if mine is None:
                continue
            choices = slice(self.first[mine], self.first[mine + 1])
            likely = dict(zip(self.action[choices].tolist(), self.probability[choices].tolist(), strict=True))
            actions = tree.actions(number)
            if not set(likely) <= set(actions):
                raise StrategyError(
                    f"the strategy has actions {sorted(likely)} where {tree!r} has {sorted(actions)}, at"
                    f" {tree.information_text(number)!r}: it is for another game"
                )
            first = tree.first[number]
            behaviour[first : first + tree.number[number]] = [likely.get(action, 0.0) for action in actions]
        return behaviour

    # -- as text -----------------------------------------------------------------------------------------------------

    def table(self, player: int | None = None, *, lines: int | None = None) -> str:
        """Return a table with one line for each information set, in the game's words.

        Args:
            player: the only player to show; all by default.
            lines: the maximum number of information sets for each player; see `rows`.

        Raises `ValueError` for an invalid player.
        """
        if player is not None:
            check_player(self.game, player)
        players = range(self.game.players) if player is None else (player,)
        return "\n\n".join(
            table(self.game, shown_player, list(self.rows(shown_player, lines)), self.sets_of(shown_player))
            for shown_player in players
        )

    def rows(self, player: int, most: int | None = None) -> Iterator[Row]:
        """Return what `player` does, one row for each information set, at most the `most` that come first in play.

        With `most`, a game that is not unrolled yet is not unrolled for this, as it may be too large.
        """
        check_player(self.game, player)
        if most is not None and "_tree" not in self.__dict__:
            return first_rows(self.game, self.probabilities, player, most)
        return rows(self._tree, self.behaviour(self._tree), player, most)

    def sets_of(self, player: int) -> int:
        """Return the number of information sets of `player`, or of known ones if the game is not unrolled."""
        check_player(self.game, player)
        if "_tree" in self.__dict__:
            return int(np.diff(self._tree.first_set)[player])
        return int((self.owner == player).sum())

    def __repr__(self) -> str:
        return f"<Strategy of {self.game!r}: {len(self.key):,} information sets>"

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return strategy_html(self)

    def picture(self, plies: int | None = None) -> "TreePicture":
        """Return the tree of the game with the probabilities of this strategy; see `GameTree.picture`."""
        return self._tree.picture(self, plies)

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Write the strategy to a file that `load` reads: JSON, or NumPy arrays if the name ends with `.npz`.

        The latter is a tenth as large and much faster, for strategies with millions of sets.
        """
        if str(path).endswith(NPZ):
            arrays = {name: getattr(self, name) for name in ARRAYS}
            save_arrays(path, FORMAT, {"game": np.array(repr(self.game)), **arrays})
            return
        sets = [
            {
                "player": int(self.owner[number]),
                "key": f"{int(self.key[number]) & 0xFFFF_FFFF_FFFF_FFFF:016x}",
                "actions": self.action[self.first[number] : self.first[number + 1]].tolist(),
                "probabilities": self.probability[self.first[number] : self.first[number + 1]].tolist(),
            }
            for number in range(len(self.key))
        ]
        save_json(path, {"format": FORMAT, "game": repr(self.game), "information sets": sets})

    @classmethod
    def load(cls, path: str | PathLike[str], game: Game) -> Self:
        """Return the strategy for `game` from a file that `save` wrote.

        Raises `StrategyError` for a file that is damaged or for another game. A JSON file that was edited on purpose
        must contain `"sha256": null`.
        """
        of, arrays = (_read_npz if str(path).endswith(NPZ) else _read_json)(path)
        if of != repr(game):
            raise StrategyError(f"{path}: a strategy for {of}, not for {game!r}")
        strategy = cls(numbered(game), *arrays)
        strategy._check(path)
        return strategy

    def _check(self, source: object) -> None:
        """Raise `StrategyError`, which names the source, for arrays that cannot be a strategy of the game."""
        sets, choices, number = len(self.key), len(self.action), np.diff(self.first)
        lengths = len(self.owner), len(self.first), len(self.probability)
        if lengths != (sets, sets + 1, choices) or self.first[0] != 0 or self.first[-1] != choices:
            raise StrategyError(f"{source}: damaged: its arrays do not fit together")
        if (number < 1).any():
            raise StrategyError(f"{source}: information set {int(np.argmin(number)) + 1} is damaged: it has no actions")
        if sets == 0:
            return
        sums, least = (unite.reduceat(self.probability, self.first[:-1]) for unite in (np.add, np.minimum))
        good = (np.abs(sums - 1) < CLOSE) & (least >= 0) & (self.owner >= 0) & (self.owner < self.game.players)
        if not good.all():
            wrong = int(np.argmin(good))
            likely = self.probability[self.first[wrong] : self.first[wrong + 1]].tolist()
            raise StrategyError(
                f"{source}: information set {wrong + 1} is damaged: probabilities {likely} of player"
                f" {self.owner[wrong]}"
            )


def _read_npz(path: str | PathLike[str]) -> tuple[str, list[NDArray[Any]]]:
    """Return the game of the strategy in a file, and its arrays."""
    content = load_arrays(path, FORMAT, "a strategy")
    for name, kind in ARRAYS.items():
        if name not in content or content[name].dtype != kind or content[name].ndim != 1:
            raise StrategyError(f"{path}: damaged: {name} is not an array {np.dtype(kind)} [n]")
    return str(content.get("game")), [content[name] for name in ARRAYS]


def _read_json(path: str | PathLike[str]) -> tuple[str, list[NDArray[Any]]]:
    """Return the same from a JSON file."""
    content = load_json(path, FORMAT)
    keys: list[int] = []
    owners: list[int] = []
    first, actions, likely = [0], list[int](), list[float]()
    try:
        for entry in content["information sets"]:
            owners += np.array([entry["player"]], np.int8).tolist()
            keys += np.array([int(entry["key"], 16)], np.uint64).view(np.int64).tolist()
            actions += np.array(entry["actions"], np.int64).tolist()
            likely += np.array(entry["probabilities"], np.float64).tolist()
            first.append(len(actions))
            if len(likely) != len(actions):
                raise ValueError(f"probabilities {entry['probabilities']} of actions {entry['actions']}")
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise StrategyError(f"{path}: information set {len(first)} is damaged: {error!r}") from error
    arrays = [
        np.array(part, kind) for part, kind in zip((keys, owners, first, actions, likely), ARRAYS.values(), strict=True)
    ]
    return str(content.get("game")), arrays


def check_player(game: Game, player: Any) -> None:
    """Raise `ValueError` for an invalid player."""
    if not is_whole(player) or not 0 <= player < game.players:
        raise ValueError(f"player={player!r}: {game!r} has players 0 to {game.players - 1}")


def tree_of(game: Game | GameTree, function: str = "unroll", *, check: bool = True) -> GameTree:
    """Return the tree of a game, or the tree itself. Raises `WrongType`, which names `function`, for anything else."""
    check_type(game, (Game, GameTree), f"{function}({{}})", "KuhnPoker()")
    return game if isinstance(game, GameTree) else unroll(game, check=check)
