"""`Tablebase`: the exact value of every state of a game, and how far it is from the end, in memory or in a file."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from outplay import __version__
from outplay.check.quick import check_rules, check_state
from outplay.compile.state_cells import cells_of
from outplay.engine.analysis import ActionValue, Analysis, with_actions
from outplay.engine.book import BookEntry, line_from
from outplay.engine.rules_mark import RulesMark
from outplay.rules.arguments import check_is_game, check_type
from outplay.rules.constant_sum import balance, total
from outplay.rules.errors import RulesError, TableError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.numbered import Numbered, Unnumbered, numbered
from outplay.system.memory import check_memory
from outplay.tables.codec import Codec, Range, signed, state_at
from outplay.tables.discovery import StateGraph, check_compiles, discover
from outplay.tables.expectation import Expected, solve_expected
from outplay.tables.file import MAKE_AGAIN, States, TableFile, write_table
from outplay.tables.max_n import Vectors, solve_vectors
from outplay.tables.payoffs import agrees, fits, is_opposed, speakers, unsuited, utility_of
from outplay.tables.retrograde import MAX_PLIES, Values, solve
from outplay.tables.stats import TableStats, stats_of

Progress = Callable[[int, int], None]
TRIED_STATES = 50
"""The number of states whose images are tried when a table is made."""
DISAGREES = "its file has a fault, or the rules have changed, or game.symmetries is wrong; try outplay table verify"


class Known(NamedTuple):
    """What a table says of a state."""

    value: float
    """The utility of the player to move; at the end of the game, and where chance is to move, that of player 0."""
    plies: int | None
    """The plies to the end of the game; None in a draw, which may go on for ever, and in games with chance."""


class Entry(NamedTuple):
    """A state of a table."""

    state: Any
    player: int
    """The player to move; at the end of the game, and where chance is to move, -1."""
    value: float | tuple[float, ...]
    """The utility of player 0; in a game of more than two sides, or whose interests are not opposed, that of each
    side."""
    plies: int | None
    """The plies to the end of the game; None in a draw that is not over, and in games with chance."""


class Tablebase:
    """All states that can be reached in a game, with the exact value and the distance to the end of each.

    It is a look-up: give it to any search as one of its `books`. Make one with `Tablebase.make`, save it to a file, and
    load it from there; a loaded table reads only the blocks that are asked for.

    >>> from outplay.games import ConnectFour
    >>> game = ConnectFour(width=4, height=3)
    >>> table = Tablebase.make(game)
    >>> len(table), table.probe(game.initial_state())
    (6027, Known(value=0.0, plies=None))
    """

    numbered = True
    """As a look-up, it takes games whose actions are not ints."""

    def __init__(
        self, game: Game, codec: Codec, utilities: Sequence[Any], source: States | TableFile, error: float = 0.0
    ) -> None:
        self.game, self.codec, self._source = numbered(game), codec, source
        self.utilities = tuple(tuple(each) if isinstance(each, list) else each for each in utilities)
        """The utilities of player 0 that occur, in ascending order, with that of a draw. For more than two sides, those
        of each side; in games with chance that of a draw alone."""
        self.error = error
        """What the difference of a value from the exact one is at most: 0 in games without chance."""
        self._mark = RulesMark(self.game)

    @classmethod
    def make(
        cls,
        game: Game,
        states: Iterable[Any] = (),
        *,
        memory_mb: float = 4096,
        progress: Progress | None = None,
        check: bool = True,
    ) -> Self | None:
        """Find all states that can be reached, and solve them. Ctrl-C stops it; the result is None then.

        Args:
            game: a game for one player, or for two sides with opposed interests; its rules compile. Endless play is a
                draw; a rule of repetition must say so too. With chance, play must end with probability 1, whoever plays
                how. Games for more sides, or whose interests are not opposed, are solved by max^n (`MaxN`); they have
                no chance, and play cannot go in circles.
            states: where to start; by default the initial state.
            memory_mb: the maximum size of the graph of states, in megabytes, about 40 bytes a state.
            progress: called with the number of states found and of those expanded so far, ten times a second.
            check: whether to check the rules of the game first.

        Raises `UnsuitableGame` for any other game, `RulesError` for one that does not compile, and `OutplayError` if
        memory does not suffice. Raises `TableError` if images of a state (`game.symmetries`) have other values than it.
        """
        check_is_game(game, "Tablebase.make")
        check_memory(memory_mb, "memory_mb")
        game = numbered(game)
        starts = list(states) or [game.initial_state()]
        if check:
            check_rules(game, starts[0])
            for state in starts:
                check_state(game, state)
        check_suits(game)
        mark = RulesMark(game)
        try:
            opposed = is_opposed(game)
            graph = discover(game, starts, memory_mb, progress, speakers=speakers(game), merged=opposed)
            if graph is None:
                return None
            values, wrong_by = _solved(game, graph)
        except KeyboardInterrupt:
            return None
        except Unnumbered as error:
            raise RulesError(f"there is no table of {game!r}: {error}, more than in random games") from None
        mark.check(game, "table", TableError)
        if values.plies.max(initial=0) > MAX_PLIES:
            raise TableError(f"games of {game!r} go on for more than {MAX_PLIES:,} plies: too many for a table")
        order = np.lexsort(graph.codes.T[::-1]) if graph.codec.words > 1 else np.argsort(graph.codes[:, 0])
        found = States(graph.codes[order], values.levels[order], values.plies[order])
        table = cls(game, graph.codec, values.utilities.tolist(), found, wrong_by)
        if check and opposed and defines(game, "symmetries"):
            table._try_images()
        return table

    def _try_images(self) -> None:
        """Raise `TableError` if images of some states do not agree with the table: symmetries are often mistaken."""
        codec, codes = self.codec.record(), np.ascontiguousarray(self.states().codes).reshape(-1)
        for number in range(0, len(self), -(-len(self) // TRIED_STATES)):
            for image in self.game.symmetries(state_at(self.game, codec, codes, number)):
                self._after(image)

    def __len__(self) -> int:
        """The number of states; images of each other (`game.symmetries`) count as one."""
        return len(self._source) if isinstance(self._source, TableFile) else len(self._source.codes)

    def __repr__(self) -> str:
        return f"<Tablebase of {self.game!r}: {len(self):,} states>"

    def __contains__(self, state: Any) -> bool:
        return self.probe(state) is not None

    # -- look-up ------------------------------------------------------------------------------------------------------

    def code_of(self, state: Any) -> tuple[int, ...] | None:
        """The code of a state, as the table has it; None if the state cannot be in the table."""
        game = self.game
        try:
            cells = cells_of(game, _images(game, state))
        except Exception:
            cells_of(game, [state])  # if it is not a state at all, this says so
            raise
        codes = [self.codec.encode(each) for each in cells]
        return signed(min(code for code in codes if code is not None)) if all(codes) else None

    def probe(self, state: Any) -> Known | None:
        """The value of a state, and the plies to the end; None if the state is not in the table.

        Raises `RulesError` if it is not a state of the game.
        """
        self._mark.check(self.game, "table", TableError)
        found = self._look(state)
        if found is None:
            return None
        value, plies = found
        over = self.game.is_terminal(state)
        player = 0 if over else int(self.game.to_move(state))
        return Known(self._for(player, value), None if self._is_endless(value) and not over else plies)

    def _is_endless(self, value: Any) -> bool:
        """Whether play from a state with this value has no known end."""
        return bool(value == balance(self.game)) or self.game.has_chance

    def _look(self, state: Any) -> tuple[Any, int] | None:
        """The value of a state for player 0 (or for each side, see `utilities`), and the plies to the end, 0 in a draw
        and in games with chance; None if it is not in the table.
        """
        code = self.code_of(state)
        if code is None:
            return None
        if isinstance(self._source, TableFile):
            found = self._source.find(code)
        else:
            at = self._source.find(code)
            found = None if at < 0 else (self._source.levels[at].item(), int(self._source.plies[at]))
        return None if found is None else (self._value(found[0]), found[1])

    def _value(self, level: float) -> Any:
        """The value that a level stands for."""
        return level if self.game.has_chance else self.utilities[int(level)]

    def _for(self, player: int, value: Any) -> float:
        """The utility of a player, or for chance that of player 0, where player 0 has `value`, or each side its own."""
        player = max(player, 0)
        teams = self.game.teams or tuple(range(self.game.players))
        if isinstance(value, tuple):
            return float(value[sorted(set(teams)).index(teams[player])])
        return float(value) if teams[player] == teams[0] else (total(self.game) or 0.0) - float(value)

    def look_up(self, game: Game, state: Any) -> BookEntry | None:
        """The value of `state` and the best action, for searches; None if it is not in the table.

        The best action keeps the value and ends the game soonest, or latest where the player to move gets less than in
        a draw. In games with chance, or solved by max^n, it is the first one with the greatest value. There is no
        answer where chance is to move. Raises `TableError` if the table is of another game.
        """
        self._mark.check(numbered(game), "table", TableError)
        known = self.probe(state)
        after = [] if known is None else self._after(state)
        if known is None or not after or self.game.to_move(state) == CHANCE:
            return None
        action, *_ = after[0]
        distance = known.plies if is_opposed(self.game) else None
        return BookEntry(value=known.value, kind="exact", distance=distance, action=action)

    def _after(self, state: Any) -> list[tuple[int, Any, int]]:
        """The actions, the best first, with player 0's value and the plies of the state that each leads to. Outcomes of
        chance are in the order of the rules.

        At the end of the game there are none. Raises `TableError` if they do not agree with what the table says of
        `state`.
        """
        game, known = self.game, self._look(state)
        if game.is_terminal(state):
            if known != (utility_of(game, state), 0):
                raise TableError(f"the table contradicts the rules in {state!r}: {DISAGREES}")
            return []
        player, found = int(game.to_move(state)), []
        for action in map(int, legal_actions(game, state)):
            if player == CHANCE and game.probability(state, action) == 0:
                continue
            after = self._look(game.result(state, action))
            if after is None:
                raise TableError(f"the table lacks a successor of {state!r}: {DISAGREES}")
            found.append((action, *after))
        if player != CHANCE:
            found.sort(key=lambda each: self._order_of(player, *each[1:]))
        _, value, plies = found[0]
        if game.has_chance:
            right = known is not None and agrees(game, state, player, known[0], found, self.error)
        else:
            right = known == (value, 0 if self._is_endless(value) else plies + 1)
        if not right:
            raise TableError(f"the table contradicts the rules in {state!r}: {DISAGREES}")
        return found

    def _order_of(self, player: int, value: Any, plies: int) -> tuple[float, int]:
        """A sort key, least for the best state for `player`: its value, then a short gain or a long loss."""
        own = self._for(player, value)
        if self.game.has_chance or isinstance(value, tuple):
            return -own, 0
        return -own, plies if own > balance(self.game) else -plies

    def analyse(self, state: Any) -> Analysis:
        """The value of a state and of each action, as a search gives them. Raises `TableError` for an unknown state.

        >>> from outplay.games import ConnectFour
        >>> game = ConnectFour(width=4, height=3)
        >>> Tablebase.make(game).analyse(game.initial_state()).verdict
        'draw'
        """
        self._mark.check(self.game, "table", TableError)
        game, found = self.game, self._look(state)
        if found is None:
            raise TableError(f"this state is not in the table: {state!r}")
        value, plies = found
        over = bool(game.is_terminal(state))
        player = 0 if over else int(game.to_move(state))
        rows = tuple(self._rows(state, player))
        best = rows[0] if rows and player != CHANCE else None
        analysis = Analysis(
            game=game,
            state=state,
            player=player,
            action=best.action if best else None,
            value=self._for(player, value),
            values=tuple(self._for(each, value) for each in range(game.players)),
            line=best.line if best else (),
            actions=rows,
            exact=True,
            distance=None if over or self._is_endless(value) or not is_opposed(game) else plies,
            method=type(self).__name__,
        )
        return with_actions(analysis, game.rules, game.decode) if isinstance(game, Numbered) else analysis

    def _rows(self, state: Any, player: int) -> Iterator[ActionValue]:
        """The value of each action of `player`, the best first."""
        game, opposed = self.game, is_opposed(self.game)
        for action, value, plies in self._after(state):
            yield ActionValue(
                action=action,
                name=game.action_name(state, action),
                value=self._for(player, value),
                exact=True,
                distance=None if self._is_endless(value) or not opposed else plies + 1,
                line=(action, *line_from([self], game, game.result(state, action), exact=True)),
            )

    def stats(self) -> TableStats:
        """The table in numbers."""
        return stats_of(self.utilities, balance(self.game), self._parts())

    def entries(self) -> Iterator[Entry]:
        """All states in the order of their codes."""
        self._mark.check(self.game, "table", TableError)
        game, codec = self.game, self.codec.record()
        for part in self._parts():
            codes = np.ascontiguousarray(part.codes).reshape(-1)
            for i, (level, plies) in enumerate(zip(part.levels.tolist(), part.plies.tolist(), strict=True)):
                state, value = state_at(game, codec, codes, i), self._value(level)
                over = bool(game.is_terminal(state))
                endless = self._is_endless(value) and not over
                yield Entry(state, -1 if over else int(game.to_move(state)), value, None if endless else plies)

    def _parts(self) -> Iterable[States]:
        return self._source.blocks() if isinstance(self._source, TableFile) else [self._source]

    def states(self) -> States:
        """The codes, values and distances of all states, in memory."""
        return self._source.states() if isinstance(self._source, TableFile) else self._source

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file, either completely or not at all. Raises `TableError` if it cannot be written,
        or if the rules have changed since the table was made.
        """
        self._mark.check(self.game, "table", TableError)
        header = {
            "game": " ".join(repr(self.game).split()),
            "rules": _sample(self.game),
            "outplay": __version__,
            "cells": [list(each) for each in self.codec.cells],
            "count": list(self.codec.count),
            "draw": balance(self.game),
            "utilities": self.utilities,
        }
        if self.game.has_chance:
            header["error"] = self.error
        write_table(path, header, self.states())

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> Self:
        """Open the table of `game` in a file.

        Raises `TableError` if the file does not exist, is not a table, belongs to another game or is damaged.
        """
        check_type(game, Game, "Tablebase.load(path, {})", "TicTacToe()")
        game = numbered(game)
        file = TableFile(path)
        wanted = " ".join(repr(game).split())
        if file.header["game"] != wanted:
            raise TableError(f"{path} is a table of another game, {file.header['game']}, not of {wanted}")
        if file.header["rules"] != _sample(game) or file.header["draw"] != balance(game):
            raise TableError(
                f"the rules of {game!r} have changed since {path} was made: make it again, with: outplay table make"
            )
        if not fits(game, file.header):
            raise TableError(f"{path} holds values of another kind than those of {game!r}: {MAKE_AGAIN}")
        cells = [Range(*each) for each in file.header["cells"]]
        return cls(
            game,
            Codec(cells, Range(*file.header["count"])),
            file.header["utilities"],
            file,
            file.header.get("error", 0.0),
        )


def _solved(game: Game, graph: StateGraph) -> tuple[Values | Vectors | Expected, float]:
    """The values of all states, and what they differ from the exact ones by at most."""
    if game.has_chance:
        expected = solve_expected(game, graph)
        return expected, expected.error
    return (solve(graph, balance(game)) if is_opposed(game) else solve_vectors(game, graph)), 0.0


def _sample(game: Game) -> str:
    """A hash of the rules, and of how states are stored: the order of attributes and of members of enums counts too."""
    sides = balance(game), game.teams
    return RulesMark(game).sample(lambda state: (sides, cells_of(game, _images(game, state))))


def _images(game: Game, state: Any) -> Iterable[Any]:
    """The state and its images, which a table by max^n does not merge."""
    return game.symmetries(state) if defines(game, "symmetries") and is_opposed(game) else (state,)


def check_suits(game: Game) -> None:
    """Raise an error if there cannot be a table of `game`."""
    reason = unsuited(game)
    if reason:
        raise UnsuitableGame(f"there is no table of {game!r}: {reason}")
    check_compiles(game)
