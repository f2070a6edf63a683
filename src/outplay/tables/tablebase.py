"""`Tablebase`: the exact value of every state of a game, and how far it is from the end, in memory or in a file."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from outplay.check.quick import starts_of
from outplay.engine.analysis import Analysis
from outplay.engine.book import BookEntry
from outplay.engine.rules_mark import RulesMark
from outplay.rules.action_codec import Unnumbered
from outplay.rules.arguments import check_is_game, check_threads, check_type
from outplay.rules.constant_sum import draw_utility, is_opposed, total
from outplay.rules.errors import RulesError, TableError
from outplay.rules.game import CHANCE, Game, legal_actions
from outplay.rules.numbered import numbered
from outplay.system.files import in_use
from outplay.system.memory import check_memory
from outplay.system.threads import useful_threads
from outplay.tables.analysis import analysis_of
from outplay.tables.block_file import MAGIC, MAKE_AGAIN, write_blocks
from outplay.tables.checkpoint import remove_parts
from outplay.tables.class_file import is_classes, read_classes, write_classes
from outplay.tables.classes import Classes
from outplay.tables.codec import Codec, Range
from outplay.tables.file import BLOCKS, States, TableFile, check_writable
from outplay.tables.identity import Identity
from outplay.tables.making import Made, Progress
from outplay.tables.numbering import DISTANCES, END, Numbering
from outplay.tables.packed_values import PackedValues
from outplay.tables.payoffs import agrees, check_suits, fits, utility_of
from outplay.tables.request import NotWritten, Request, check_distances, classes_before, folder_for
from outplay.tables.self_check import check_some_states
from outplay.tables.stats import TableStats
from outplay.tables.table_states import CodedStates, Entry, Known, code_of
from outplay.tables.writing import write_table

DISAGREES = "its file has a fault, or the rules have changed, or game.symmetries is wrong; try outplay table verify"


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
        self.utilities: tuple[Any, ...] = tuple(
            tuple(utility) if isinstance(utility, list) else utility for utility in utilities
        )
        """The utilities of player 0 that occur, in ascending order, with that of a draw. For more than two sides, those
        of each side; in games with chance that of a draw alone."""
        self.error = error
        """What the difference of a value from the exact one is at most: 0 in games without chance."""
        self.edited = False
        """Whether it was loaded although the rules were edited since it was made."""
        self._states: Numbering = (
            source if isinstance(source, Classes) else CodedStates(self.game, codec, self.utilities, source)
        )
        self.distances = self._states.distances
        """Whether the table has distances."""
        self.distance_to = self._states.distance_to
        """What distances count to: the "end" of the game or, in some tables by class, the next "conversion"."""
        self._mark = RulesMark(self.game)
        self._identity: Identity | None = None

    @property
    def _game_and_rules(self) -> Identity:
        """The game and the rules, which have not changed since it was made (`_mark`)."""
        self._identity = self._identity or Identity.of(self.game)
        return self._identity

    @classmethod
    def make(
        cls,
        game: Game,
        states: Iterable[Any] = (),
        *,
        classes: Iterable[str | int] = (),
        solved: Self | None = None,
        distance_to: str = END,
        memory_mb: float = 4096,
        threads: int | None = None,
        workers: int | None = None,
        cluster: str | None = None,
        file: str | os.PathLike[str] | None = None,
        distances: bool = True,
        disk_mb: float | None = None,
        resume: bool = False,
        progress: Progress | None = None,
        check: bool = True,
    ) -> Self | None:
        """Find all states that can be reached, and solve them. Ctrl-C stops it; the result is None then.

        With a `file`, the table is written there, and need not fit into memory. After a minute, or when memory is full,
        the work goes on in files of a folder beside it, "FILE.making", which is removed at the end. Whatever ends the
        work before, `resume` goes on from the last minute. With chance, and for many players, the graph of all states
        has to fit into memory in the end, where it is solved.

        Args:
            game: a game for one player, or for two sides with opposed interests; its rules compile. Endless play is a
                draw; a rule of repetition must say so too. With chance, play must end with probability 1, whoever plays
                how. Games for more sides, or whose interests are not opposed, are solved by max^n (`MaxN`); they have
                no chance, and play cannot go in circles.
            states: where to start; by default the initial state.
            classes: instead of where to start, the classes to solve, such as ["KRK"] in chess, with all classes that
                their actions lead to; for games that define `state_index` (docs/endgames.md).
            solved: a table by class of the same game; its classes are not solved again.
            distance_to: what the distances of classes count to: the "end" of the game, or the next "conversion", such
                as a capture or a pawn's move in chess (docs/endgames.md).
            memory_mb: the maximum size of the graph of states, in megabytes, about 50 bytes a state.
            threads: the number of threads, by default all cores; the table is the same.
            workers: the number of processes to use instead, with a `file`; the table is the same. On a cluster, the
                default is one for each of its cores.
            cluster: the address of a Ray cluster on whose machines they run, or "auto" for the one that runs on this
                machine; the folder of the file must be one that all of them share.
            file: where to write the table, as `save` does.
            distances: whether distances are written to the file; see `save`.
            disk_mb: the maximum size of the folder, in megabytes; by default, what is free.
            resume: go on in the folder of the file, if there is one.
            progress: called with what is being done ("finding", "solving", "sorting", "writing"), the number of states
                for which it is done, and that of all states so far, ten times a second.
            check: whether to check the rules of the game first.

        Raises `UnsuitableGame` for any other game, `RulesError` for one that does not compile, and `OutplayError` if
        memory, or the disk, does not suffice. Raises `TableError` if images of a state (`game.symmetries`) have other
        values than it, or if the file cannot be written or is in use; a table that is complete in memory then is the
        `table` of the error.
        """
        check_is_game(game, "Tablebase.make")
        check_memory(memory_mb, "memory_mb")
        check_threads(threads, "Tablebase.make")
        if memory_mb <= 0:
            raise TableError(f"memory_mb={memory_mb:g}: choose a number of megabytes greater than 0")
        game = numbered(game)
        starts = starts_of(game, states, check=check)
        check_suits(game)
        wanted = list(classes)
        if solved is not None:
            check_type(solved, Tablebase, "Tablebase.make(game, classes=…, solved={})", "Tablebase.load(path, game)")
            solved.check(game)
        before = classes_before(solved, wanted, distance_to)
        request = Request(
            game, starts, wanted, before, distance_to, memory_mb, threads, workers, cluster, distances, progress
        )
        request.check(has_file=file is not None)
        if resume and file is None:
            raise TableError("resume=True: there is nothing to go on with unless you give a file")
        with contextlib.ExitStack() as stack:
            folder: dict[str, Any] = {}
            identity = None
            if file is not None:
                check_writable(file)
                stack.enter_context(in_use(file, TableError))
                identity = Identity.of(game)
                folder = folder_for(file, request.mark(identity), disk_mb, resume=resume)
            mark = RulesMark(game)
            try:
                result = request.carry_out(**folder)
                mark.check(game, "table", TableError)
                if result is None:
                    return None
                table = cls._from_solution(game, result, identity)
                is_written = isinstance(result, Made) and result.writing is not None
                if check and not is_written:
                    check_some_states(table)
                if file is not None:
                    table = table._in_file(file, result, distances=distances, threads=request.thread_count, check=check)
            except KeyboardInterrupt:
                return None
            except Unnumbered as error:
                raise RulesError(f"there is no table of {game!r}: {error}, more than in random games") from None
            if folder:
                remove_parts(folder["folder"])
            return table

    def _in_file(
        self, file: str | os.PathLike[str], result: Made | Classes, *, distances: bool, threads: int, check: bool
    ) -> Self:
        """The table from a file, after it is written there; if its states are in blocks, some are checked before."""

        def check_some(new: Path) -> None:
            check_some_states(self._load(new, self.game, self._identity, edited=False))

        writing = result.writing if isinstance(result, Made) else None
        try:
            if isinstance(result, Made) and writing is not None:
                header = self._header(distances=distances, counts=result.counts)
                header |= {"states": sum(result.counts), **writing.blocks.about()}
                write_blocks(file, MAGIC, header, writing.content(), check_some if check else None)
            else:
                self.save(file, distances=distances, threads=threads)
        except TableError as error:
            if not isinstance(error.__cause__, OSError):
                raise
            if writing is None:
                raise NotWritten(str(error), self) from error.__cause__
            raise TableError(f"{error}; when that is mended, resume (resume=True, --resume)") from error.__cause__
        return self._load(file, self.game, self._identity, edited=False)

    @classmethod
    def _from_solution(cls, game: Game, result: Made | Classes, identity: Identity | None) -> Self:
        """A table that is made, with its states, or without any if they are in blocks."""
        if isinstance(result, Classes):
            table = cls(game, Codec([], Range(0, 0)), (), result)
        else:
            none = np.zeros(0, np.uint16)
            states = result.states or States(np.zeros((0, result.codec.words), np.int64), none, none)
            table = cls(game, result.codec, result.utilities, states, error=result.error, acyclic=result.acyclic)
        table._identity = identity
        return table

    def check(self, game: Game) -> None:
        """Raise `TableError` if the table is of another game, or of other rules."""
        self._mark.check(numbered(game), "table", TableError)

    def __len__(self) -> int:
        """The number of states; images of each other (`game.symmetries`) count as one."""
        return len(self._states)

    def __repr__(self) -> str:
        return f"<Tablebase of {self.game!r}: {len(self):,} states>"

    def __contains__(self, state: Any) -> bool:
        return self.probe(state) is not None

    # -- look-up ------------------------------------------------------------------------------------------------------

    def code_of(self, state: Any) -> tuple[int, ...] | None:
        """The code of a state, as the table has it; None if the state cannot be in the table."""
        return code_of(self.game, self.codec, state)

    def probe(self, state: Any) -> Known | None:
        """The value of a state, and the plies (`distance_to`); None if the state is not in the table, or its past may
        change the value.

        Raises `RulesError` if it is not a state of the game.
        """
        self._mark.check(self.game, "table", TableError)
        entry = self._states.find(state)
        if entry is None:
            return None
        value, plies = entry
        if not self._states.holds(state, value, plies):
            return None
        over = self.game.is_terminal(state)
        player = 0 if over else int(self.game.to_move(state))
        return Known(self._value_for(player, value), self._distance(state, value, plies, over=over))

    def _is_endless(self, state: Any, value: Any) -> bool:
        """Whether play from a state with this value has no known end."""
        return bool(value == self._states.draw_of(state)) or self.game.has_chance

    def _distance(self, state: Any, value: Any, plies: int, *, over: bool) -> int | None:
        """The plies, where they are known."""
        return plies if self.distances and (over or not self._is_endless(state, value)) else None

    def _value_for(self, player: int, value: Any) -> float:
        """The utility of a player, or for chance that of player 0, where player 0 has `value`, or each side its own."""
        player = max(player, 0)
        teams = self.game.teams or tuple(range(self.game.players))
        if isinstance(value, tuple):
            return float(value[sorted(set(teams)).index(teams[player])])
        return float(value) if teams[player] == teams[0] else (total(self.game) or 0.0) - float(value)

    def value_of(self, state: Any, player: int) -> float:
        """The utility of a player in a state of the table, even where a rule that it leaves out may end the game."""
        entry = self._states.find(state)
        if entry is None:
            raise TableError(f"this state is not in the table: {state!r}")
        return self._value_for(player, entry[0])

    def look_up(self, game: Game, state: Any) -> BookEntry | None:
        """The value of `state` and the best action, for searches; None if it is not in the table.

        The best action keeps the value and ends the game soonest, or latest where the player to move gets less than in
        a draw; if distances count to the next conversion (`distance_to`), that one comes soonest or latest. Without
        distances, it is the first action that keeps the value. It is None in a won state, unless the table is
        `acyclic`: such an action might never win there, so that a search has to find its own. In games with chance, or
        solved by max^n, it is the first one with the greatest value; there is no answer where chance is to move.
        Raises `TableError` if the table is of another game.
        """
        self._mark.check(numbered(game), "table", TableError)
        entry = self.probe(state)
        after = [] if entry is None else self._successors(state)
        if entry is None or not after or self.game.to_move(state) == CHANCE:
            return None
        stuck = not self.distances and not self.acyclic and entry.value > draw_utility(self.game)
        distance = entry.plies if self._tells_end else None
        return BookEntry(value=entry.value, kind="exact", distance=distance, action=None if stuck else after[0][0])

    @property
    def _tells_end(self) -> bool:
        """Whether the plies are those to the end of the game, as analyses show them."""
        return self.distances and self.distance_to == END and is_opposed(self.game)

    def _successors(self, state: Any) -> list[tuple[int, Any, int]]:
        """The actions, the best first, with player 0's value and the plies from the state that each leads to, 0 after a
        conversion if only those before count. Outcomes of chance are in the order of the rules.

        At the end of the game there are none. Raises `TableError` if they do not agree with what the table says of
        `state`.
        """
        game, entry = self.game, self._states.find(state)
        if game.is_terminal(state):
            if entry != (utility_of(game, state), 0):
                raise TableError(f"the table contradicts the rules in {state!r}: {DISAGREES}")
            return []
        player, successors = int(game.to_move(state)), []
        for action in map(int, legal_actions(game, state)):
            if player == CHANCE and game.probability(state, action) == 0:
                continue
            child = game.result(state, action)
            after = self._states.find(child)
            if after is None:
                raise TableError(f"the table lacks a successor of {state!r}: {DISAGREES}")
            successors.append((action, after[0], self._states.counted(state, child, after[1])))
        if player != CHANCE:
            draw = self._value_for(player, self._states.draw_of(state))
            successors.sort(key=lambda successor: self._order_of(player, draw, *successor[1:]))
        _, value, plies = successors[0]
        if game.has_chance:
            right = entry is not None and agrees(game, state, player, entry[0], successors, self.error)
        else:
            right = entry == (value, 0 if self._is_endless(state, value) or not self.distances else plies + 1)
        if not right:
            raise TableError(f"the table contradicts the rules in {state!r}: {DISAGREES}")
        return successors

    def _order_of(self, player: int, draw: float, value: Any, plies: int) -> tuple[float, int]:
        """A sort key, least for the best state for `player`: its value, then a short gain or a long loss."""
        own = self._value_for(player, value)
        if self.game.has_chance or isinstance(value, tuple):
            return -own, 0
        return -own, plies if own > draw else -plies

    def analyse(self, state: Any) -> Analysis:
        """The value of a state and of each action, as a search gives them. Raises `TableError` for an unknown state.

        >>> from outplay.games import ConnectFour
        >>> game = ConnectFour(width=4, height=3)
        >>> Tablebase.make(game).analyse(game.initial_state()).verdict
        'draw'
        """
        self._mark.check(self.game, "table", TableError)
        return analysis_of(self, state)

    def stats(self) -> TableStats:
        """The table in numbers."""
        return self._states.stats()

    def entries(self) -> Iterator[Entry]:
        """All states in the order of their codes."""
        self._mark.check(self.game, "table", TableError)
        for state, value, plies in self._states.entries():
            over = bool(self.game.is_terminal(state))
            player = -1 if over else int(self.game.to_move(state))
            yield Entry(state, player, value, self._distance(state, value, plies, over=over))

    def states(self) -> States:
        """The codes, values and distances of all states, in memory."""
        coded = self._states.coded
        if coded is None:
            raise TableError("a table by class has indices, not codes")
        return coded if isinstance(coded, States) else coded.states()

    @property
    def has_blocks(self) -> bool:
        """Whether the table has codes, values and distances in blocks, which compiled searches read."""
        is_coded = self._states.coded is not None
        return is_coded and not self.game.has_chance and self.distances and is_opposed(self.game)

    @property
    def probed_in_tree(self) -> str:
        """How compiled searches look up states in their tree: by "codes", by "classes", or "" if they cannot.

        Scores count plies to the end, so a table with distances to the next conversion is for the root only.
        """
        if self.classes is not None:
            return "classes" if self.distance_to == END and is_opposed(self.game) else ""
        return "codes" if self.has_blocks else ""

    def check_has_blocks(self, operation: str) -> States | TableFile:
        """The states of a table that has `has_blocks`. Raises `TableError`, naming the `operation`, for another one."""
        coded = self._states.coded
        if coded is None or not self.has_blocks:
            raise TableError(f"{self!r} cannot be {operation}: it has no codes of states with values and distances")
        return coded

    @property
    def classes(self) -> Classes | None:
        """The solved classes of a table by class; None for other tables."""
        return self.source if isinstance(self.source, Classes) else None

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, distances: bool = True, threads: int | None = None) -> None:
        """Write the table to a file, either completely or not at all.

        Without `distances`, or from a table that has none, only the values are written, as a decision diagram or in
        blocks, whichever is smaller. A table by class keeps its distances. Raises `TableError` if the file cannot be
        written, or if the rules have changed since the table was made.

        `threads` compress, by default on all cores; a table by class is compressed by one.
        """
        check_threads(threads, "Tablebase.save")
        self._mark.check(self.game, "table", TableError)
        check_distances(distances, by_class=isinstance(self.source, Classes))
        if isinstance(self.source, Classes):
            header = self._game_and_rules._asdict() | {"distance_to": self.distance_to}
            write_classes(path, header, self.source.solved, self.source.about)
            return
        states, values, counts = self.states(), None, list[int]()
        distances = distances and self.distances
        if not distances and not self.game.has_chance and is_opposed(self.game):
            counts = np.bincount(states.levels, minlength=len(self.utilities)).tolist()
            values = PackedValues.of(self.codec, states.codes, states.levels)
        write_table(path, self._header(distances=distances, counts=counts), states, values, useful_threads(threads))

    def _header(self, *, distances: bool, counts: Sequence[int]) -> dict[str, Any]:
        """The header of the file, without what its blocks need; `counts` are the states with each utility."""
        identity = self._game_and_rules._asdict()
        draw = identity.pop("draw")
        form = {"cells": [list(cell) for cell in self.codec.cells], "count": list(self.codec.count)}
        header = identity | form | {"draw": draw, "utilities": self.utilities}
        if self.game.has_chance:
            header["error"] = self.error
        if not distances:
            if self.game.has_chance or not is_opposed(self.game):
                raise TableError(f"a table of {self.game!r} has no distances that could be left out")
            header |= {"form": BLOCKS, "acyclic": self.acyclic, "counts": counts}
        return header

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game, *, edited: bool = False) -> Self:
        """Open the table of `game` in a file.

        Args:
            path: the file.
            game: the game.
            edited: load it even if the rules that values depend on were edited since, for instance to `verify` that
                the edit made no difference; `save` then makes it a table of these rules.

        Raises `TableError` if the file does not exist, is not a table, belongs to another game or to other rules, or is
        damaged.
        """
        check_type(game, Game, "Tablebase.load(path, {})", "TicTacToe()")
        return cls._load(path, numbered(game), None, edited=edited)

    @classmethod
    def _load(cls, path: str | os.PathLike[str], game: Game, identity: Identity | None, *, edited: bool) -> Self:
        """The same, of a game whose identity is known."""
        if is_classes(path):
            header, solved, facts = read_classes(path)
            identity = identity or Identity.of(game)
            is_edited = identity.check(path, header, edited=edited)
            if not facts:
                raise TableError(f"{path} has no classes: {MAKE_AGAIN}")
            kind = header.get("distance_to")
            if kind not in DISTANCES:
                raise TableError(f"{path} has distances to {kind!r}, which no table has: {MAKE_AGAIN}")
            table = cls(game, Codec([], Range(0, 0)), (), Classes(game, solved, facts, kind))
        else:
            file = TableFile(path)
            identity = identity or Identity.of(game)
            is_edited = identity.check(path, file.header, edited=edited)
            if not fits(game, file.header):
                raise TableError(f"{path} holds values of another kind than those of {game!r}: {MAKE_AGAIN}")
            cells = [Range(*bounds) for bounds in file.header["cells"]]
            codec, acyclic = Codec(cells, Range(*file.header["count"])), file.header.get("acyclic", False)
            error = file.header.get("error", 0.0)
            table = cls(game, codec, file.header["utilities"], file, error=error, acyclic=acyclic)
        table._identity, table.edited = identity, is_edited
        return table
