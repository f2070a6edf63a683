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
from outplay.rules.constant_sum import balance, is_opposed, total
from outplay.rules.errors import RulesError, TableError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.numbered import Numbered, Unnumbered, numbered
from outplay.system.memory import check_memory
from outplay.tables.circles import is_acyclic
from outplay.tables.class_file import is_classes, read_classes, write_classes
from outplay.tables.classes import Classes, solve_classes
from outplay.tables.codec import Codec, Range, signed, state_at
from outplay.tables.discovery import StateGraph, check_compiles, discover
from outplay.tables.expectation import Expected, solve_expected
from outplay.tables.file import BLOCKS, MAKE_AGAIN, States, TableFile, write_table
from outplay.tables.max_n import Vectors, solve_vectors
from outplay.tables.merging import Part, merged, order_of
from outplay.tables.packed_values import PackedValues
from outplay.tables.payoffs import agrees, fits, speakers, unsuited, utility_of
from outplay.tables.retrograde import MAX_PLIES, Values, solve
from outplay.tables.stats import TableStats, stats_of, stats_of_values

Progress = Callable[[int, int], None]
TRIED_STATES = 50
"""The number of states whose images are tried when a table is made."""
DISAGREES = "its file has a fault, or the rules have changed, or game.symmetries is wrong; try outplay table verify"


class Known(NamedTuple):
    """What a table says of a state."""

    value: float
    """The utility of the player to move; at the end of the game, and where chance is to move, that of player 0."""
    plies: int | None
    """The plies to the end of the game; None in a draw, which may go on for ever, in games with chance, and in a table
    without distances."""


class Entry(NamedTuple):
    """A state of a table."""

    state: Any
    player: int
    """The player to move; at the end of the game, and where chance is to move, -1."""
    value: float | tuple[float, ...]
    """The utility of player 0; in a game of more than two sides, or whose interests are not opposed, that of each
    side."""
    plies: int | None
    """The plies to the end of the game; None in a draw that is not over, in games with chance, and in a table without
    distances."""


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
        self,
        game: Game,
        codec: Codec,
        utilities: Sequence[Any],
        source: States | TableFile | Classes,
        *,
        error: float = 0.0,
        acyclic: bool = False,
    ) -> None:
        self.game, self.codec, self.source = numbered(game), codec, source
        self.acyclic = acyclic
        """Whether play is known never to come back to a state: then any action that keeps the value of a win wins."""
        self.distances = source.distances if isinstance(source, TableFile) else True
        """Whether the table has the plies to the end of the game."""
        self.utilities: tuple[Any, ...] = tuple(tuple(each) if isinstance(each, list) else each for each in utilities)
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
        classes: Iterable[str | int] = (),
        solved: Self | None = None,
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
            classes: instead of where to start, the classes to solve, such as ["KRK"] in chess, with all classes that
                their actions lead to; for games that define `state_index` (docs/endgames.md).
            solved: a table by class of the same game; its classes are not solved again.
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
        if solved is not None:
            check_type(solved, Tablebase, "Tablebase.make(game, classes=…, solved={})", "Tablebase.load(path, game)")
            solved.check(game)
        before = solved.classes if solved is not None else None
        if (wanted := list(classes)) and (solved is None or before is not None):
            made = solve_classes(game, wanted, memory_mb, progress, before=before)
            mark.check(game, "table", TableError)
            return None if made is None else cls(game, Codec([], Range(0, 0)), (), made)
        if solved is not None:
            raise TableError(f"solved={solved!r}: it takes a table by class, and classes that are to be solved")
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
        order = order_of(graph.codes)
        found = States(graph.codes[order], values.levels[order], values.plies[order])
        acyclic = opposed and not game.has_chance and is_acyclic(graph)
        table = cls(game, graph.codec, values.utilities.tolist(), found, error=wrong_by, acyclic=acyclic)
        if check and opposed and defines(game, "symmetries"):
            table._try_images()
        return table

    @classmethod
    def merge(cls, tables: Iterable["Tablebase"]) -> Self:
        """One table of all states of tables of the same game, such as endings made one by one. It is made in memory.

        Raises `TableError` if a table is of another game or of other rules, if it is damaged, or if two disagree on a
        state; `ValueError` if there is no table.

        >>> from outplay.games import ConnectFour
        >>> game = ConnectFour(width=4, height=3)
        >>> starts = [game.result(game.initial_state(), column) for column in (0, 1)]
        >>> one, other = (Tablebase.make(game, [start]) for start in starts)
        >>> len(one), len(other), len(Tablebase.merge([one, other]))
        (4682, 4682, 6026)
        """
        given = list(tables)
        for table in given:
            check_type(table, Tablebase, "Tablebase.merge([{}])", "Tablebase.load(path, game)")
        if not given:
            raise ValueError("Tablebase.merge([]): give at least one table")
        game = given[0].game
        for table in given:
            table.check_has_blocks("merged")
            table.check(table.game)
            given[0].check(table.game)
        names = [
            str(table.source.path) if isinstance(table.source, TableFile) else f"table {number} of {len(given)}"
            for number, table in enumerate(given, 1)
        ]
        parts = [
            Part(table.codec, table.utilities, table.states(), name) for table, name in zip(given, names, strict=True)
        ]
        found = merged(game, parts)
        return cls(game, found.codec, found.utilities, found.states)

    def _try_images(self) -> None:
        """Raise `TableError` if images of some states do not agree with the table: symmetries are often mistaken."""
        codec, codes = self.codec.record(), np.ascontiguousarray(self.states().codes).reshape(-1)
        for number in range(0, len(self), -(-len(self) // TRIED_STATES)):
            for image in self.game.symmetries(state_at(self.game, codec, codes, number)):
                self._after(image)

    def check(self, game: Game) -> None:
        """Raise `TableError` if the table is of another game, or of other rules."""
        self._mark.check(numbered(game), "table", TableError)

    def __len__(self) -> int:
        """The number of states; images of each other (`game.symmetries`) count as one."""
        return len(self.source) if isinstance(self.source, (TableFile, Classes)) else len(self.source.codes)

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
        if not self._holds(state, value, plies):
            return None
        over = self.game.is_terminal(state)
        player = 0 if over else int(self.game.to_move(state))
        known = self.distances and (over or not self._is_endless(value))
        return Known(self._for(player, value), plies if known else None)

    def _is_endless(self, value: Any) -> bool:
        """Whether play from a state with this value has no known end."""
        return bool(value == balance(self.game)) or self.game.has_chance

    def _look(self, state: Any) -> tuple[Any, int] | None:
        """The value of a state for player 0 (or for each side, see `utilities`), and the plies to the end, 0 in a draw
        and in games with chance; None if it is not in the table.
        """
        if isinstance(self.source, Classes):
            cells_of(self.game, [state])  # if it is not a state at all, this says so
            return self.source.find(state)
        code = self.code_of(state)
        if code is None:
            return None
        if isinstance(self.source, TableFile):
            found = self.source.find(code)
        else:
            at = self.source.find(code)
            found = None if at < 0 else (self.source.levels[at].item(), int(self.source.plies[at]))
        return None if found is None else (self._value(found[0]), found[1])

    def _value(self, level: float) -> Any:
        """The value that a level stands for."""
        return level if self.game.has_chance else self.utilities[int(level)]

    def _holds(self, state: Any, value: float, plies: int) -> bool:
        """Whether the past of a state, which an index leaves out, cannot change what the table says."""
        return not isinstance(self.source, Classes) or self.source.holds(state, value, plies)

    def _for(self, player: int, value: Any) -> float:
        """The utility of a player, or for chance that of player 0, where player 0 has `value`, or each side its own."""
        player = max(player, 0)
        teams = self.game.teams or tuple(range(self.game.players))
        if isinstance(value, tuple):
            return float(value[sorted(set(teams)).index(teams[player])])
        return float(value) if teams[player] == teams[0] else (total(self.game) or 0.0) - float(value)

    def value_of(self, state: Any, player: int) -> float:
        """The utility of a player in a state of the table, even where a rule that it leaves out may end the game."""
        found = self._look(state)
        if found is None:
            raise TableError(f"this state is not in the table: {state!r}")
        return self._for(player, found[0])

    def look_up(self, game: Game, state: Any) -> BookEntry | None:
        """The value of `state` and the best action, for searches; None if it is not in the table.

        The best action keeps the value and ends the game soonest, or latest where the player to move gets less than in
        a draw. Without distances it is the first one that keeps the value. It is None in a won state, unless the table
        is `acyclic`: such an action might never win there, so that a search has to find its own. In games with chance,
        or solved by max^n, it is the first one with the greatest value; there is no answer where chance is to move.
        Raises `TableError` if the table is of another game.
        """
        self._mark.check(numbered(game), "table", TableError)
        known = self.probe(state)
        after = [] if known is None else self._after(state)
        if known is None or not after or self.game.to_move(state) == CHANCE:
            return None
        stuck = not self.distances and not self.acyclic and known.value > balance(self.game)
        distance = known.plies if is_opposed(self.game) else None
        return BookEntry(value=known.value, kind="exact", distance=distance, action=None if stuck else after[0][0])

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
            right = known == (value, 0 if self._is_endless(value) or not self.distances else plies + 1)
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
        if not self._holds(state, value, plies):
            raise TableError(
                f"the table is not certain of {state!r}: the end is {plies} plies away, and a draw may come first"
            )
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
            distance=plies
            if self.distances and not over and not self._is_endless(value) and is_opposed(game)
            else None,
            method=type(self).__name__,
        )
        return with_actions(analysis, game.rules, game.decode) if isinstance(game, Numbered) else analysis

    def _rows(self, state: Any, player: int) -> Iterator[ActionValue]:
        """The value of each action of `player`, the best first."""
        game, opposed = self.game, is_opposed(self.game)
        for action, value, plies in self._after(state):
            if not self._holds(game.result(state, action), value, plies):
                continue
            yield ActionValue(
                action=action,
                name=game.action_name(state, action),
                value=self._for(player, value),
                exact=True,
                distance=plies + 1 if self.distances and opposed and not self._is_endless(value) else None,
                line=(action, *line_from([self], game, game.result(state, action), exact=True)),
            )

    def stats(self) -> TableStats:
        """The table in numbers."""
        if isinstance(self.source, Classes):
            return self.source.stats()
        if isinstance(self.source, TableFile) and not self.distances:
            return stats_of_values(self.source.header)
        return stats_of(self.utilities, balance(self.game), self._parts())

    def entries(self) -> Iterator[Entry]:
        """All states in the order of their codes."""
        self._mark.check(self.game, "table", TableError)
        game, codec, draw = self.game, self.codec.record(), balance(self.game)
        if isinstance(self.source, Classes):
            for state in self.source.states():
                found = self.source.find(state)
                assert found is not None
                over = bool(game.is_terminal(state))
                distance = None if found[0] == draw and not over else found[1]
                yield Entry(state, -1 if over else int(game.to_move(state)), found[0], distance)
            return
        for part in self._parts():
            codes = np.ascontiguousarray(part.codes).reshape(-1)
            for i, (level, plies) in enumerate(zip(part.levels.tolist(), part.plies.tolist(), strict=True)):
                state, value = state_at(game, codec, codes, i), self._value(level)
                over = bool(game.is_terminal(state))
                known = self.distances and (over or not self._is_endless(value))
                yield Entry(state, -1 if over else int(game.to_move(state)), value, plies if known else None)

    def _parts(self) -> Iterable[States]:
        if isinstance(self.source, Classes):
            return []
        return self.source.blocks() if isinstance(self.source, TableFile) else [self.source]

    def states(self) -> States:
        """The codes, values and distances of all states, in memory."""
        if isinstance(self.source, Classes):
            raise TableError("a table by class has indices, not codes")
        return self.source.states() if isinstance(self.source, TableFile) else self.source

    @property
    def has_blocks(self) -> bool:
        """Whether the table has codes, values and distances in blocks, which compiled searches read."""
        if isinstance(self.source, Classes) or self.game.has_chance:
            return False
        return self.distances and is_opposed(self.game)

    def check_has_blocks(self, what: str) -> States | TableFile:
        """The states of a table that has `has_blocks`. Raises `TableError` for another one, which cannot be `what`."""
        if not self.has_blocks or isinstance(self.source, Classes):
            raise TableError(f"{self!r} cannot be {what}: it has no codes of states with values and distances")
        return self.source

    @property
    def classes(self) -> Classes | None:
        """The solved classes of a table by class; None for other tables."""
        return self.source if isinstance(self.source, Classes) else None

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, distances: bool = True) -> None:
        """Write the table to a file, either completely or not at all.

        Without `distances`, or from a table that has none, only the values are written, as a decision diagram or in
        blocks, whichever is smaller. Raises `TableError` if the file cannot be written, or if the rules have changed
        since the table was made.
        """
        self._mark.check(self.game, "table", TableError)
        if isinstance(self.source, Classes):
            about: dict[str, Any] = {"game": " ".join(repr(self.game).split()), "rules": _sample(self.game)}
            about |= {"outplay": __version__, "draw": balance(self.game)}
            write_classes(path, about, self.source.solved, self.source.about)
            return
        header = {
            "game": " ".join(repr(self.game).split()),
            "rules": _sample(self.game),
            "outplay": __version__,
            "cells": [list(each) for each in self.codec.cells],
            "count": list(self.codec.count),
            "draw": balance(self.game),
            "utilities": self.utilities,
        }
        states, values = self.states(), None
        if self.game.has_chance:
            header["error"] = self.error
        if not (distances and self.distances):
            if self.game.has_chance or not is_opposed(self.game):
                raise TableError(f"a table of {self.game!r} has no distances that could be left out")
            counts = np.bincount(states.levels, minlength=len(self.utilities)).tolist()
            header |= {"form": BLOCKS, "acyclic": self.acyclic, "counts": counts}
            values = PackedValues.of(self.codec, states.codes, states.levels)
        write_table(path, header, states, values)

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> Self:
        """Open the table of `game` in a file.

        Raises `TableError` if the file does not exist, is not a table, belongs to another game or is damaged.
        """
        check_type(game, Game, "Tablebase.load(path, {})", "TicTacToe()")
        game = numbered(game)
        if is_classes(path):
            header, solved, about = read_classes(path)
            _check_header(path, game, header)
            return cls(game, Codec([], Range(0, 0)), (), Classes(game, solved, about))
        file = TableFile(path)
        _check_header(path, game, file.header)
        if not fits(game, file.header):
            raise TableError(f"{path} holds values of another kind than those of {game!r}: {MAKE_AGAIN}")
        cells = [Range(*each) for each in file.header["cells"]]
        codec, acyclic = Codec(cells, Range(*file.header["count"])), file.header.get("acyclic", False)
        error = file.header.get("error", 0.0)
        return cls(game, codec, file.header["utilities"], file, error=error, acyclic=acyclic)


def _check_header(path: str | os.PathLike[str], game: Game, header: dict[str, Any]) -> None:
    """Raise `TableError` for a file of another game or of other rules."""
    wanted = " ".join(repr(game).split())
    if header["game"] != wanted:
        raise TableError(f"{path} is a table of another game, {header['game']}, not of {wanted}")
    if header["rules"] != _sample(game) or header["draw"] != balance(game):
        raise TableError(
            f"the rules of {game!r} have changed since {path} was made: make it again, with: outplay table make"
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
