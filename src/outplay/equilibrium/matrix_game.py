"""Matrix games (games in normal form): each player chooses once, without seeing the choices of the others.

    utility of player i = payoffs[i][a0, a1, …]               a: the action of each player
    V_i(x) = sum over all a of  x0(a0) x1(a1) … payoffs[i][a]         x: a profile, a mixed strategy for each player
    regret_i(x) = max over b of  V_i(b, x of the others) - V_i(x)     what player i gains by deviating, never below 0

A profile is a Nash equilibrium exactly when all regrets are 0 (von Neumann & Morgenstern 1944; Nash 1951). Start at
`MatrixGame`, which the algorithms in this folder take.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from outplay.equilibrium.matrix_picture import matrix_picture
from outplay.equilibrium.nfg import Numbers, read_nfg, write_nfg
from outplay.equilibrium.payoff_tables import TOLERANCE, spreads_of
from outplay.equilibrium.turns import Turns
from outplay.rules.arguments import is_whole
from outplay.rules.errors import OutplayError, RulesError
from outplay.rules.wording import enumerated, shown
from outplay.system.files import read_text, write_file

if TYPE_CHECKING:
    from outplay.pictures import MatrixPicture

Profile: TypeAlias = tuple[Numbers, ...]
"""A mixed strategy for each player: the probability of each of the player's actions."""

MAX_SHOWN = 20
"""The maximum number of a player's actions in a printed table."""


class MatrixGame:
    """A game in which all players choose at once and a table gives the payoffs.

    Args:
        payoffs: one matrix [rows, columns] of what player 0 gets and player 1 loses (a zero-sum game), or a table for
            each player, each [actions of player 0, actions of player 1, …], or one table whose cells list the payoffs
            of all players. Arrays or nested lists of finite numbers.
        actions: a name for each action of each player; "0", "1", … by default.
        players: a name for each player; "player 0", … by default.
        title: the name of the game.

    Attributes:
        payoffs: the payoffs, float64 [players, actions of player 0, actions of player 1, …]; read-only.
        actions: the names of the actions of each player.
        players: the names of the players.
        title: the name of the game.

    Raises `RulesError` if the tables are ragged, empty or contain anything but finite numbers, or if names do not fit.

    >>> game = MatrixGame([[(-1, -1), (-3, 0)], [(0, -3), (-2, -2)]], actions=[["silent", "betray"]] * 2)
    >>> print(game)
    player 0 in rows, player 1 in columns
            silent  betray
    silent  -1, -1   -3, 0
    betray   0, -3  -2, -2
    >>> game.regret(["silent", "silent"]), game.regret(["betray", "betray"])
    (1.0, 0.0)
    """

    def __init__(
        self,
        *payoffs: Any,
        actions: Sequence[Sequence[str]] | None = None,
        players: Sequence[str] | None = None,
        title: str = "",
    ) -> None:
        self.payoffs = _tables(payoffs)
        self.payoffs.flags.writeable = False
        self.actions = _action_names(actions, self.shape)
        self.players = _player_names(players, self.number_of_players)
        self.title = title

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "MatrixGame":
        """Return the game in an .nfg file. Raises `RulesError`, with the line, if it is invalid."""
        return load_matrix_game(path)

    def save(self, path: str | PathLike[str], *, outcomes: bool = False) -> None:
        """Write the game to an .nfg file, which Gambit also reads; see `to_nfg`."""
        write_file(path, to_nfg(self, outcomes=outcomes).encode(), RulesError)

    def as_game(self) -> Turns:
        """Return the same game as a `Game`: the players choose in turn without seeing the choices before theirs."""
        return Turns(self)

    # -- properties -------------------------------------------------------------------------------------------------

    @property
    def number_of_players(self) -> int:
        """The number of players."""
        return len(self.payoffs)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of actions of each player."""
        return self.payoffs.shape[1:]

    @cached_property
    def spreads(self) -> tuple[float, ...]:
        """Each player's greatest payoff minus the least; if these are equal, their size, or 1 if they are 0."""
        return spreads_of(self.payoffs)

    @cached_property
    def total(self) -> float | None:
        """The sum of all players' payoffs, if it is constant; else None."""
        flat = self.payoffs.reshape(self.number_of_players, -1)
        changes = (flat - flat[:, :1]).sum(axis=0)  # from the first cell
        return float(flat[:, 0].sum()) if np.ptp(changes) <= self._rounding else None

    @property
    def zero_sum(self) -> bool:
        """Whether the players' payoffs always sum to 0."""
        return self.total is not None and abs(self.total) <= self._rounding

    @cached_property
    def _rounding(self) -> float:
        """Sums over players that differ by at most this count as equal; constant payoffs are ignored."""
        flat = self.payoffs.reshape(self.number_of_players, -1)
        varied = np.ptp(flat, axis=1) > 0
        flat = flat[varied] if varied.any() else flat
        return float(max(TOLERANCE * np.ptp(flat, axis=1).min(), 4 * np.finfo(np.float64).eps * np.abs(flat).max()))

    # -- the values of profiles ------------------------------------------------------------------------------------

    def profile(self, strategies: Sequence[Any]) -> Profile:
        """Return a checked mixed strategy for each player, float64 [actions].

        Args:
            strategies: for each player, the probabilities of the actions, or the number or name of one action.

        Raises `OutplayError` for a wrong number of strategies, or for invalid probabilities.
        """
        try:
            number = len(strategies)
        except TypeError:
            raise OutplayError(f"a profile is a strategy for each player, not {strategies!r}") from None
        if number != self.number_of_players:
            raise OutplayError(f"a profile of {number} strategies for {self.number_of_players} players")
        return tuple(self._mixed(player, strategy) for player, strategy in enumerate(strategies))

    def action_values(self, strategies: Sequence[Any], player: int) -> Numbers:
        """Return the expected utility of each action of `player` if the others play the profile: float64 [actions]."""
        player = whole_number("player", player, 0, self.number_of_players - 1)
        return self._values(self.profile(strategies), player)

    def expected(self, strategies: Sequence[Any]) -> Numbers:
        """Return the expected utility of each player: float64 [players]."""
        profile = self.profile(strategies)
        return np.array([self._values(profile, player) @ mixed for player, mixed in enumerate(profile)])

    def best_responses(self, strategies: Sequence[Any], player: int, *, tolerance: float = TOLERANCE) -> list[int]:
        """Return the best actions of `player` if the others play the profile, within `tolerance` times the spread.

        >>> MatrixGame([[1, -1], [-1, 1]]).best_responses(["0", [0.5, 0.5]], 0)
        [0, 1]
        """
        values = self.action_values(strategies, player)
        return [int(action) for action in np.flatnonzero(values >= values.max() - tolerance * self.spreads[player])]

    def regrets(self, strategies: Sequence[Any]) -> Numbers:
        """Return each player's maximum gain from changing strategy while the others do not: float64 [players]."""
        profile = self.profile(strategies)
        values = [self._values(profile, player) for player in range(self.number_of_players)]
        return np.array([max(value.max() - value @ mixed, 0.0) for value, mixed in zip(values, profile, strict=True)])

    def regret(self, strategies: Sequence[Any]) -> float:
        """Return the maximum regret of any player: 0 exactly in a Nash equilibrium."""
        return float(self.regrets(strategies).max())

    def _values(self, profile: Profile, player: int) -> Numbers:
        table: Numbers = self.payoffs[player]
        for other in reversed(
            range(self.number_of_players)
        ):  # from the last axis on, so that the other axes keep their numbers
            if other != player:
                table = np.tensordot(table, profile[other], axes=(other, 0))
        return table

    def _mixed(self, player: int, strategy: Any) -> Numbers:
        """Return the strategy of `player` as probabilities."""
        names, name = self.actions[player], self.players[player]
        if isinstance(strategy, str):
            if strategy not in names:
                raise OutplayError(f"{name} has no action {shown(strategy)}: {enumerated(names)}")
            strategy = names.index(strategy)
        if is_whole(strategy):
            if not 0 <= strategy < len(names):
                raise OutplayError(f"{name} has no action {strategy}: the actions are 0 to {len(names) - 1}")
            pure: Numbers = np.eye(len(names))[strategy]
            return pure
        try:
            mixed = np.array(strategy, np.float64)
        except (TypeError, ValueError, OverflowError):
            raise OutplayError(f"the strategy of {name} does not consist of numbers: {strategy!r}") from None
        if mixed.shape != (len(names),):
            raise OutplayError(f"the strategy of {name} has shape {mixed.shape} for {len(names)} actions: {strategy!r}")
        if not (mixed >= -TOLERANCE).all() or not abs(mixed.sum() - 1) <= 1e-6:
            raise OutplayError(f"the strategy of {name} must be probabilities that sum to 1, not {strategy!r}")
        return mixed

    # -- smaller games ----------------------------------------------------------------------------------------------

    def restricted(self, kept: Sequence[Sequence[int]]) -> "MatrixGame":
        """Return the game in which each player has only the listed actions, given by number.

        Raises `OutplayError` for actions that do not exist, and `RulesError` if a player keeps none or repeats one.
        """
        if len(kept) != self.number_of_players or not all(isinstance(actions, Iterable) for actions in kept):
            raise OutplayError(f"kept={kept!r}: a list of actions for each of {self.number_of_players} players")
        checked = [
            [whole_number(f"in kept[{player}], action", action, 0, self.shape[player] - 1) for action in actions]
            for player, actions in enumerate(kept)
        ]
        payoffs = self.payoffs[np.ix_(range(self.number_of_players), *checked)]
        names = [[self.actions[player][action] for action in actions] for player, actions in enumerate(checked)]
        return MatrixGame(*payoffs, actions=names, players=self.players, title=self.title)

    @property
    def are_named(self) -> bool:
        """Whether players have names of their own, or there are not two."""
        return self.number_of_players != 2 or self.players != _player_names(None, 2)

    # -- pictures ---------------------------------------------------------------------------------------------------

    def picture(self) -> "MatrixPicture":
        """Return the table as a picture, which notebooks show and whose `save` writes it to an .svg file.

        Each player's best responses are underlined, solid for the rows and dashed for the columns; equilibria in pure
        strategies are framed, and what `eliminate_dominated` removes is grey. A zero-sum game has one payoff in each
        cell, that of the row player. A game with more than two players, or more than 12 actions, is a text in a frame.

        >>> MatrixGame([[1, -1], [-1, 1]]).picture().svg().count('class="u0 ')  # in two cells, and in the legend
        3
        """
        return matrix_picture(self)

    def _repr_svg_(self) -> str:
        return self.picture().svg()

    # -- comparison and text ----------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MatrixGame):
            return NotImplemented
        same = (self.actions, self.players, self.title) == (other.actions, other.players, other.title)
        return same and np.array_equal(self.payoffs, other.payoffs)

    def __hash__(self) -> int:
        return hash((self.payoffs.tobytes(), self.actions, self.players, self.title))

    def __repr__(self) -> str:
        kind = "zero-sum, " if self.zero_sum else ""
        title = f"{self.title!r}, " if self.title else ""
        return f"<MatrixGame {title}{kind}{' × '.join(map(str, self.shape))} actions>"

    def __str__(self) -> str:
        rows, columns = self.players[:2]
        zero_sum = f": what {rows} gets and {columns} loses" if self._is_matrix() else ""
        lines = [*([self.title] if self.title else []), f"{rows} in rows, {columns} in columns{zero_sum}"]
        slices = list(product(*map(range, self.shape[2:])))
        for place, chosen in enumerate(slices[:MAX_SHOWN]):
            others = zip(self.players[2:], self.actions[2:], chosen, strict=True)
            lines += [", ".join(f"{name}: {names[action]}" for name, names, action in others)] if chosen else []
            lines += self._table(place)
        if len(slices) > MAX_SHOWN:
            lines.append(f"… and {len(slices) - MAX_SHOWN} more tables")
        return "\n".join(lines)

    def _is_matrix(self) -> bool:
        """Whether one matrix suffices."""
        return self.number_of_players == 2 and np.array_equal(self.payoffs[1], -self.payoffs[0])

    def _table(self, place: int) -> Iterator[str]:
        """Yield the lines of the table for players 0 and 1; `place` numbers the choices of the others."""
        rows, columns = (names[:MAX_SHOWN] for names in self.actions[:2])
        payoffs_shown = self.payoffs[:1] if self._is_matrix() else self.payoffs
        hidden = self.shape[1] - len(columns)
        cells = [["", *columns, *(["…"] if hidden else [])]]
        for row, name in enumerate(rows):
            values = [
                payoffs_shown[:, row, column].reshape(len(payoffs_shown), -1)[:, place]
                for column in range(len(columns))
            ]
            cells.append([name, *(", ".join(f"{value + 0.0:.6g}" for value in payoffs) for payoffs in values)])
            cells[-1] += ["…"] if hidden else []
        widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
        for name, *line in cells:
            told_cells = (cell.rjust(width) for cell, width in zip(line, widths[1:], strict=True))
            yield "  ".join([name.ljust(widths[0]), *told_cells]).rstrip()
        if self.shape[0] > len(rows):
            yield f"… and {self.shape[0] - len(rows)} more rows"


def whole_number(name: str, value: Any, least: int, most: int) -> int:
    """Return `value` as an int. Raises `OutplayError`, which calls it `name`, unless it is a whole number in bounds.

    >>> whole_number("rounds", np.int64(10), 1, 100)
    10
    """
    if not is_whole(value) or not least <= value <= most:
        raise OutplayError(f"{name}={value!r}: a whole number from {least:,} to {most:,}")
    return int(value)


def _tables(payoffs: Sequence[Any]) -> Numbers:
    """Return the payoffs of each player, float64 [players, actions of player 0, …], from any accepted form."""
    if not payoffs:
        raise RulesError("a matrix game needs payoffs: one matrix, or a table for each player")
    tables = [
        _table(table, f"payoffs[{number}]" if len(payoffs) > 1 else "payoffs") for number, table in enumerate(payoffs)
    ]
    if len(tables) == 1:
        (table,) = tables
        if table.ndim == 2:
            return np.stack([table, 0.0 - table])
        if table.ndim < 3 or table.shape[-1] != table.ndim - 1:
            raise RulesError(
                f"payoffs of shape {table.shape} are neither a matrix nor a table for n players with n payoffs in each"
                " cell, which has n + 1 dimensions, the last one of length n"
            )
        return np.ascontiguousarray(np.moveaxis(table, -1, 0))
    for number, table in enumerate(tables):
        if table.shape != tables[0].shape:
            raise RulesError(f"payoffs[{number}] has shape {table.shape}, payoffs[0] has {tables[0].shape}")
        if table.ndim != len(tables):
            raise RulesError(
                f"{len(tables)} tables are for {len(tables)} players, and each needs a dimension for every player;"
                f" payoffs[{number}] has shape {table.shape}"
            )
    return np.stack(tables)


def _table(table: Any, name: str) -> Numbers:
    """Return a table of finite numbers."""
    try:
        numbers = np.array(table, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise RulesError(_ragged(table, name)) from None
    if numbers.size == 0:
        raise RulesError(f"{name} is empty, shape {numbers.shape}: every player needs an action")
    if not np.isfinite(numbers).all():
        place = tuple(int(index) for index in np.argwhere(~np.isfinite(numbers))[0])
        raise RulesError(f"{name}{''.join(f'[{index}]' for index in place)} is {numbers[place]}: not a finite number")
    return numbers


def _ragged(table: Any, path: str) -> str:
    """Where a nested list is not a table: the first place that is no number, or not as long as the one before it."""
    if not isinstance(table, (list, tuple, np.ndarray)):
        try:
            float(table)
        except (TypeError, ValueError, OverflowError):
            return f"{path} is {table!r}: not a number"
        return ""
    sizes = [len(item) if isinstance(item, (list, tuple, np.ndarray)) else -1 for item in table]
    for index, size in enumerate(sizes):
        if problem := _ragged(table[index], f"{path}[{index}]"):
            return problem
        if size != sizes[0]:
            lengths = [f"{length} entries" if length >= 0 else "a number" for length in (size, sizes[0])]
            return f"{path}[{index}] is {lengths[0]}, {path}[0] is {lengths[1]}: all must be of one length"
    return ""


def _action_names(actions: Sequence[Sequence[str]] | None, shape: tuple[int, ...]) -> tuple[tuple[str, ...], ...]:
    if actions is None:
        return tuple(tuple(map(str, range(number))) for number in shape)
    if len(actions) != len(shape):
        raise RulesError(f"actions has names for {len(actions)} players, but there are {len(shape)}")
    for player, (names, number) in enumerate(zip(actions, shape, strict=True)):
        if isinstance(names, str) or len(names) != number:
            raise RulesError(f"actions[{player}] must be {number} names, not {names!r}")
        if len(set(names)) < number or not all(isinstance(name, str) for name in names):
            raise RulesError(f"actions[{player}] must be texts, all different, not {names!r}")
    return tuple(map(tuple, actions))


def _player_names(players: Sequence[str] | None, number: int) -> tuple[str, ...]:
    if players is None:
        return tuple(f"player {player}" for player in range(number))
    if isinstance(players, str) or len(players) != number or len(set(players)) < number:
        raise RulesError(f"players must be {number} names, all different, not {players!r}")
    return tuple(players)


def load_matrix_game(path: str | PathLike[str]) -> MatrixGame:
    """Return the game in an .nfg file. Raises `RulesError`, with file and line, if it cannot be read or is invalid."""
    return parse_nfg(read_text(path, RulesError), source=str(path))


def parse_nfg(text: str, *, source: str = "nfg") -> MatrixGame:
    """Return the game that a text in .nfg format describes; errors call the text `source`.

    >>> print(parse_nfg('NFG 1 R "Which side" { "North" "South" } { 2 2 } 1 1 0 0 0 0 1 1'))
    Which side
    North in rows, South in columns
          0     1
    0  1, 1  0, 0
    1  0, 0  1, 1
    """
    return read_nfg(text, MatrixGame, source)


def to_nfg(game: MatrixGame, *, outcomes: bool = False) -> str:
    """Return `game` in .nfg format; reading it gives the same game, bit for bit.

    With `outcomes`, each different outcome is listed once, followed by the outcome of each cell: shorter if many cells
    are equal.

    >>> print(to_nfg(MatrixGame([[1, -1], [-1, 0.5]], title="Pennies"), outcomes=True), end="")
    NFG 1 R "Pennies" { "player 0" "player 1" }
    { { "0" "1" }
      { "0" "1" } }
    ""
    { { "" 1, -1 }
      { "" -1, 1 }
      { "" 0.5, -0.5 } }
    1 2 2 3
    """
    return write_nfg(game.title, game.players, game.actions, game.payoffs, outcomes=outcomes)
