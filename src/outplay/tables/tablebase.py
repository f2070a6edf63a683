"""`Tablebase`: the exact value of every state of a game, and how far it is from the end, in memory or in a file."""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from outplay import __version__
from outplay.check.quick import starts_of
from outplay.compile.state_cells import cells_of
from outplay.engine.analysis import ActionValue, Analysis, with_actions
from outplay.engine.book import BookEntry, line_from
from outplay.engine.rules_mark import RulesMark, code_of_values
from outplay.rules.arguments import check_is_game, check_threads, check_type
from outplay.rules.constant_sum import balance, is_opposed, total
from outplay.rules.errors import RulesError, TableError, UnsuitableGame
from outplay.rules.game import CHANCE, Game, defines, legal_actions
from outplay.rules.numbered import Numbered, Unnumbered, numbered
from outplay.system.files import in_use
from outplay.system.memory import check_memory
from outplay.system.threads import useful_threads
from outplay.tables.class_file import is_classes, read_classes, write_classes
from outplay.tables.class_jobs import solve_by_workers
from outplay.tables.class_making import ClassMaking
from outplay.tables.classes import CONVERSION, DISTANCES, END, Classes, classes_of, solve_classes
from outplay.tables.codec import Codec, Range, state_at
from outplay.tables.discovery import check_compiles, discover
from outplay.tables.expectation import Expected, solve_expected
from outplay.tables.file import BLOCKS, MAKE_AGAIN, States, TableFile, check_writable
from outplay.tables.lines import first_contradiction
from outplay.tables.making import CHECKPOINT, Made, Progress, make, remove_parts
from outplay.tables.max_n import solve_vectors
from outplay.tables.merging import Part, merged, order_of
from outplay.tables.packed_values import PackedValues
from outplay.tables.payoffs import agrees, check_suited, fits, speakers, utility_of
from outplay.tables.processes import ProcessTeam
from outplay.tables.retrograde import MAX_PLIES
from outplay.tables.sources import code_of, images_of, source_of
from outplay.tables.stats import TableStats
from outplay.tables.teams import Team
from outplay.tables.writing import write_parts, write_table

TRIED_STATES = 50
"""The number of states whose images are tried when a table is made, and of games that are played with one by class."""
TRIED_SECONDS = 0.1
"""The processor time for these games, unless few are played."""
Distances = bool | Literal["one-sided"]
"""Which distances a file has."""
DISAGREES = "its file has a fault, or the rules have changed, or game.symmetries is wrong; try outplay table verify"
ONE_SIDED = "one-sided"
KEEPS_DISTANCES = (
    "a table by class keeps its distances, at least of one side: distances='one-sided' (--one-sided) in place of"
    " distances=False (--values-only)"
)


class Known(NamedTuple):
    """What a table says of a state."""

    value: float
    """The utility of the player to move; at the end of the game, and where chance is to move, that of player 0."""
    plies: int | None
    """The plies to the end of the game, or to the next conversion (`Tablebase.distance_to`); None in a draw, which may
    go on for ever, in games with chance, and in a table without distances."""


class Entry(NamedTuple):
    """A state of a table."""

    state: Any
    player: int
    """The player to move; at the end of the game, and where chance is to move, -1."""
    value: float | tuple[float, ...]
    """The utility of player 0; in a game of more than two sides, or whose interests are not opposed, that of each
    side."""
    plies: int | None
    """The plies to the end of the game, or to the next conversion (`Tablebase.distance_to`); None in a draw that is not
    over, in games with chance, and in a table without distances."""


class NotWritten(TableError):
    """A table that is made, but whose file cannot be written.

    Attributes:
        table: the table, in memory.
    """

    def __init__(self, message: str, table: "Tablebase") -> None:
        super().__init__(message)
        self.table = table


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
        self.utilities: tuple[Any, ...] = tuple(tuple(each) if isinstance(each, list) else each for each in utilities)
        """The utilities of player 0 that occur, in ascending order, with that of a draw. For more than two sides, those
        of each side; in games with chance that of a draw alone."""
        self.error = error
        """What the difference of a value from the exact one is at most: 0 in games without chance."""
        self.edited = False
        """Whether it was loaded although the rules were edited since it was made."""
        self._states = source_of(self.game, codec, self.utilities, source)
        self.distances = self._states.distances
        """Whether the table has distances,"""
        self.distance_to = self._states.distance_to
        """and what they count to: the "end" of the game or, in some tables by class, the next "conversion"."""
        self._mark = RulesMark(self.game)

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
        distances: Distances = True,
        disk_mb: float | None = None,
        resume: bool = False,
        progress: Progress | None = None,
        check: bool = True,
    ) -> Self | None:
        """Find all states that can be reached, and solve them. Ctrl-C stops it; the result is None then.

        With a `file`, the table is written there, and need not fit into memory. After a minute, or when memory is full,
        the work goes on in files of a folder beside it, "FILE.making", which is removed at the end. Whatever ends the
        work before, `resume` goes on from the last minute. Tables with chance and of many players are made in memory,
        on one thread, and begin anew.

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
            distances: whether distances are written to the file, or those of one side only; see `save`.
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
        _check_kept(distances, by_class=bool(wanted))
        _check_distance(game, distance_to, by_class=bool(wanted))
        is_plain = not wanted and not game.has_chance and is_opposed(game)
        has_workers = cluster is not None or workers not in (None, 1)
        _check_parts(game, wanted, solved, distance_to)
        if has_workers:
            _check_workers(threads, workers, suits=is_plain or bool(wanted), has_file=file is not None)
        in_files = file is not None and not game.has_chance and is_opposed(game)
        if resume and not in_files:
            raise TableError(_why_not_resumed(game, has_file=file is not None))
        if file is not None:
            check_writable(file)
        with contextlib.ExitStack() as stack:
            folder: dict[str, Any] = {}
            if file is not None:
                stack.enter_context(in_use(file, TableError))
                if in_files:
                    what: Any = cells_of(game, starts)
                    if wanted:
                        what = wanted, list(solved.classes.about) if solved and solved.classes else [], distance_to
                    folder = _folder_for(file, game, what, disk_mb, resume=resume) | {"distances": bool(distances)}
            mark = RulesMark(game)
            try:
                count = 1 if has_workers else useful_threads(threads)
                if wanted:
                    making = ClassMaking(folder["folder"], folder["mark"]) if folder else None
                    before = solved.classes if solved is not None else None
                    args = game, wanted, memory_mb, before, making, distance_to, progress
                    team: Any = (workers, cluster) if has_workers else count
                    table, made = cls._made_by_class(*args, team), None
                elif not is_plain:
                    table, made = cls._made_in_memory(game, starts, memory_mb, progress), None
                else:
                    team = ProcessTeam(workers, cluster) if has_workers else Team(count)
                    made = make(game, starts, memory_mb, team, progress, **folder)
                    table = None if made is None else cls._of(game, made)
                mark.check(game, "table", TableError)
                tried = check and not wanted and is_opposed(game) and defines(game, "symmetries")
                is_written = made is not None and made.writing is not None
                if table is not None and tried and not is_written:
                    table._try_images()
                if table is not None and wanted and check:
                    table._try_lines()
                if table is not None and file is not None:
                    table = table._in_file(file, made, progress, distances=distances, threads=count, tried=tried)
            except KeyboardInterrupt:
                return None
            except Unnumbered as error:
                raise RulesError(f"there is no table of {game!r}: {error}, more than in random games") from None
            if table is not None and folder:
                remove_parts(folder["folder"])
            return table

    def _in_file(
        self,
        file: str | os.PathLike[str],
        made: Made | None,
        progress: Progress | None,
        *,
        distances: Distances,
        threads: int | None,
        tried: bool,
    ) -> Self:
        """The table from a file, after it is written there; images of states in blocks are `tried` before."""

        def try_images(new: Path) -> None:
            self.load(new, self.game)._try_images()

        writing = None if made is None else made.writing
        try:
            if made is not None and writing is not None:
                header = self._header(distances=bool(distances), counts=made.counts)
                header |= {"states": sum(made.counts), **writing.blocks.about()}
                write_parts(file, header, writing.content(), try_images if tried else None)
            else:
                self.save(file, distances=distances, threads=threads, progress=progress)
        except TableError as error:
            if not isinstance(error.__cause__, OSError):
                raise
            if writing is None:
                raise NotWritten(str(error), self) from error.__cause__
            raise TableError(f"{error}; when that is mended, resume (resume=True, --resume)") from error.__cause__
        return self.load(file, self.game)

    @classmethod
    def _of(cls, game: Game, made: Made) -> Self:
        """A table that is made, with its states, or without any if they are in blocks."""
        none = np.zeros(0, np.uint16)
        states = made.states or States(np.zeros((0, made.codec.words), np.int64), none, none)
        return cls(game, made.codec, made.utilities, states, acyclic=made.acyclic)

    @classmethod
    def _made_by_class(
        cls,
        game: Game,
        wanted: list[str | int],
        memory_mb: float,
        before: Classes | None,
        making: ClassMaking | None,
        distance_to: str,
        progress: Progress | None,
        team: "int | tuple[int | None, str | None]",
    ) -> Self | None:
        """A table by class, by a number of threads, or by workers: how many, and on which cluster."""

        def report(found: int, done: int) -> None:
            if progress:
                progress("solving", done, found)

        if isinstance(team, int):
            found = solve_classes(game, wanted, memory_mb, report, team, before, making, distance_to)
        else:
            assert making is not None, "it is in a file"
            found = solve_by_workers(game, wanted, memory_mb, report, *team, before, making, distance_to)
        return None if found is None else cls(game, Codec([], Range(0, 0)), (), found)

    @classmethod
    def _made_in_memory(cls, game: Game, starts: list[Any], memory_mb: float, progress: Progress | None) -> Self | None:
        """A table with chance, or by max^n."""

        def report(found: int, done: int) -> None:
            if progress:
                progress("finding", done, found)

        opposed = is_opposed(game)
        graph = discover(game, starts, memory_mb, report, speakers=speakers(game), merged=opposed)
        if graph is None:
            return None
        values = solve_expected(game, graph) if game.has_chance else solve_vectors(game, graph)
        if values.plies.max(initial=0) > MAX_PLIES:
            raise TableError(f"games of {game!r} go on for more than {MAX_PLIES:,} plies: too many for a table")
        order = order_of(graph.codes)
        states = States(graph.codes[order], values.levels[order], values.plies[order])
        error = values.error if isinstance(values, Expected) else 0.0
        return cls(game, graph.codec, values.utilities.tolist(), states, error=error)

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
        codec = self.codec.record()
        for codes in self._some_codes():
            for image in self.game.symmetries(state_at(self.game, codec, codes, 0)):
                self._after(image)

    def _try_lines(self) -> None:
        """Raise `TableError` if random games contradict a table by class: its numbering may be mistaken."""
        state = first_contradiction(self, TRIED_STATES, TRIED_SECONDS)
        if state is not None:
            raise TableError(
                f"the table contradicts the rules in {state!r}: state_index gives states of different values the same"
                " index, or game.symmetries or another rule for tables is wrong; outplay check may say which"
            )

    def _some_codes(self) -> Iterator[NDArray[np.int64]]:
        """The codes of some states."""
        if isinstance(self.source, TableFile) and len(self.source.firsts):
            blocks = len(self.source.firsts)
            for number in range(0, blocks, -(-blocks // TRIED_STATES)):
                codes = self.source.block(number).codes
                yield from codes[:: -(-len(codes) * blocks // TRIED_STATES)]
            return
        codes = self.states().codes
        yield from np.ascontiguousarray(codes[:: -(-len(codes) // TRIED_STATES)])

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
        found = self._states.find(state)
        if found is None:
            return None
        value, plies = found
        if not self._states.holds(state, value, plies):
            return None
        over = self.game.is_terminal(state)
        player = 0 if over else int(self.game.to_move(state))
        return Known(self._for(player, value), self._distance(state, value, plies, over=over))

    def _is_endless(self, state: Any, value: Any) -> bool:
        """Whether play from a state with this value has no known end."""
        return bool(value == self._states.draw_of(state)) or self.game.has_chance

    def _distance(self, state: Any, value: Any, plies: int, *, over: bool) -> int | None:
        """The plies, where they are known."""
        return plies if self.distances and (over or not self._is_endless(state, value)) else None

    def _for(self, player: int, value: Any) -> float:
        """The utility of a player, or for chance that of player 0, where player 0 has `value`, or each side its own."""
        player = max(player, 0)
        teams = self.game.teams or tuple(range(self.game.players))
        if isinstance(value, tuple):
            return float(value[sorted(set(teams)).index(teams[player])])
        return float(value) if teams[player] == teams[0] else (total(self.game) or 0.0) - float(value)

    def value_of(self, state: Any, player: int) -> float:
        """The utility of a player in a state of the table, even where a rule that it leaves out may end the game."""
        found = self._states.find(state)
        if found is None:
            raise TableError(f"this state is not in the table: {state!r}")
        return self._for(player, found[0])

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
        known = self.probe(state)
        after = [] if known is None else self._after(state)
        if known is None or not after or self.game.to_move(state) == CHANCE:
            return None
        stuck = not self.distances and not self.acyclic and known.value > balance(self.game)
        distance = known.plies if self._tells_end else None
        return BookEntry(value=known.value, kind="exact", distance=distance, action=None if stuck else after[0][0])

    @property
    def _tells_end(self) -> bool:
        """Whether the plies are those to the end of the game, as analyses show them."""
        return self.distances and self.distance_to == END and is_opposed(self.game)

    def _after(self, state: Any) -> list[tuple[int, Any, int]]:
        """The actions, the best first, with player 0's value and the plies from the state that each leads to, 0 after a
        conversion if only those before count. Outcomes of chance are in the order of the rules.

        At the end of the game there are none. Raises `TableError` if they do not agree with what the table says of
        `state`.
        """
        game, known = self.game, self._states.find(state)
        if game.is_terminal(state):
            if known != (utility_of(game, state), 0):
                raise TableError(f"the table contradicts the rules in {state!r}: {DISAGREES}")
            return []
        player, found = int(game.to_move(state)), []
        for action in map(int, legal_actions(game, state)):
            if player == CHANCE and game.probability(state, action) == 0:
                continue
            child = game.result(state, action)
            after = self._states.find(child)
            if after is None:
                raise TableError(f"the table lacks a successor of {state!r}: {DISAGREES}")
            found.append((action, after[0], self._states.counted(state, child, after[1])))
        if player != CHANCE:
            draw = self._for(player, self._states.draw_of(state))
            found.sort(key=lambda each: self._order_of(player, draw, *each[1:]))
        _, value, plies = found[0]
        if game.has_chance:
            right = known is not None and agrees(game, state, player, known[0], found, self.error)
        else:
            right = known == (value, 0 if self._is_endless(state, value) or not self.distances else plies + 1)
        if not right:
            raise TableError(f"the table contradicts the rules in {state!r}: {DISAGREES}")
        return found

    def _order_of(self, player: int, draw: float, value: Any, plies: int) -> tuple[float, int]:
        """A sort key, least for the best state for `player`: its value, then a short gain or a long loss."""
        own = self._for(player, value)
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
        game, found = self.game, self._states.find(state)
        if found is None:
            raise TableError(f"this state is not in the table: {state!r}")
        value, plies = found
        if not self._states.holds(state, value, plies):
            raise TableError(f"the table is not certain of {state!r}: {self._why_not_certain(state, plies)}")
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
            distance=plies if self._tells_end and not over and not self._is_endless(state, value) else None,
            method=type(self).__name__,
        )
        return with_actions(analysis, game.rules, game.decode) if isinstance(game, Numbered) else analysis

    def _rows(self, state: Any, player: int) -> Iterator[ActionValue]:
        """The value of each action of `player`, the best first."""
        game = self.game
        for action, value, plies in self._after(state):
            child = game.result(state, action)
            if (found := self._states.find(child)) is None or not self._states.holds(child, *found):
                continue
            yield ActionValue(
                action=action,
                name=game.action_name(state, action),
                value=self._for(player, value),
                exact=True,
                distance=plies + 1 if self._tells_end and not self._is_endless(state, value) else None,
                line=(action, *line_from([self], game, child, exact=True)),
            )

    def _why_not_certain(self, state: Any, plies: int) -> str:
        """Why a value that was found does not hold."""
        if self.distance_to == END:
            return f"the end is {plies} plies away, and a draw may come first"
        if plies <= self.game.index_plies(state):
            return "after the next conversion, a draw may come before another one"
        return f"the next conversion is {plies} plies away, and a draw may come first"

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
        return self._states.states()

    @property
    def is_one_sided(self) -> bool:
        """Whether the file has the distances of one side only, so that some look-ups take longer."""
        return self.classes is not None and self.classes.is_one_sided

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

    def check_has_blocks(self, what: str) -> States | TableFile:
        """The states of a table that has `has_blocks`. Raises `TableError` for another one, which cannot be `what`."""
        coded = self._states.coded
        if coded is None or not self.has_blocks:
            raise TableError(f"{self!r} cannot be {what}: it has no codes of states with values and distances")
        return coded

    @property
    def classes(self) -> Classes | None:
        """The solved classes of a table by class; None for other tables."""
        return self._states.classes

    # -- files --------------------------------------------------------------------------------------------------------

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        distances: Distances = True,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Write the table to a file, either completely or not at all.

        Without `distances`, or from a table that has none, only the values are written, as a decision diagram or in
        blocks, whichever is smaller. A table by class keeps its distances; if they are "one-sided", the file has those
        of one side, from which those of the other follow, and is compressed more. Raises `TableError` if the file
        cannot be written, or if the rules have changed since the table was made.

        `threads` compress, by default on all cores; a table by class is compressed by one. `progress` is called as that
        of `make`, for one-sided distances, since compressing takes long.
        """
        check_threads(threads, "Tablebase.save")
        self._mark.check(self.game, "table", TableError)
        _check_kept(distances, by_class=isinstance(self.source, Classes))
        if isinstance(self.source, Classes):
            about: dict[str, Any] = {"game": " ".join(repr(self.game).split()), "rules": _sample(self.game)}
            about |= {"code": code_of_values(self.game), "outplay": __version__, "draw": balance(self.game)}
            about["distance_to"] = self.distance_to
            write_classes(
                path,
                about,
                *self.source.stored(
                    one_side=distances == ONE_SIDED, progress=partial(progress, "writing") if progress else None
                ),
            )
            return
        states, values, counts = self.states(), None, list[int]()
        distances = bool(distances) and self.distances
        if not distances and not self.game.has_chance and is_opposed(self.game):
            counts = np.bincount(states.levels, minlength=len(self.utilities)).tolist()
            values = PackedValues.of(self.codec, states.codes, states.levels)
        write_table(path, self._header(distances=distances, counts=counts), states, values, useful_threads(threads))

    def _header(self, *, distances: bool, counts: list[int]) -> dict[str, Any]:
        """The header of the file, without what its blocks need; `counts` are the states with each utility."""
        header = {
            "game": " ".join(repr(self.game).split()),
            "rules": _sample(self.game),
            "code": code_of_values(self.game),
            "outplay": __version__,
            "cells": [list(each) for each in self.codec.cells],
            "count": list(self.codec.count),
            "draw": balance(self.game),
            "utilities": self.utilities,
        }
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
        game = numbered(game)
        if is_classes(path):
            header, solved, about = read_classes(path)
            _check_header(path, game, header, edited=edited)
            if not about:
                raise TableError(f"{path} has no classes: {MAKE_AGAIN}")
            kind = header.get("distance_to")
            if kind not in DISTANCES:
                raise TableError(f"{path} has distances to {kind!r}, which no table has: {MAKE_AGAIN}")
            by_class = cls(game, Codec([], Range(0, 0)), (), classes_of(game, solved, about, kind))
            by_class.edited = edited and is_edited(game, header)
            return by_class
        file = TableFile(path)
        _check_header(path, game, file.header, edited=edited)
        if not fits(game, file.header):
            raise TableError(f"{path} holds values of another kind than those of {game!r}: {MAKE_AGAIN}")
        cells = [Range(*each) for each in file.header["cells"]]
        codec, acyclic = Codec(cells, Range(*file.header["count"])), file.header.get("acyclic", False)
        error = file.header.get("error", 0.0)
        table = cls(game, codec, file.header["utilities"], file, error=error, acyclic=acyclic)
        table.edited = edited and is_edited(game, file.header)
        return table


def _check_header(path: str | os.PathLike[str], game: Game, header: dict[str, Any], *, edited: bool) -> None:
    """Raise `TableError` for a file of another game or of other rules."""
    wanted = " ".join(repr(game).split())
    if header["game"] != wanted:
        raise TableError(f"{path} is a table of another game, {header['game']}, not of {wanted}")
    if header["rules"] != _sample(game) or header["draw"] != balance(game):
        raise TableError(
            f"the rules of {game!r} have changed since {path} was made: make it again, with: outplay table make"
        )
    if is_edited(game, header) and not edited:
        raise TableError(
            f"the rules of {game!r} were edited since {path} was made: make it again, or if no value has changed, let"
            " outplay table verify find that out"
        )


def is_edited(game: Game, header: dict[str, Any]) -> bool:
    """Whether the code that values depend on differs from that with which a table was made.

    It is unknown if some of it cannot be read, or if the versions of Python or of outplay differ.
    """
    before, now = header["code"], code_of_values(game)
    python, _, digest = before.partition(" ")
    return header["outplay"] == __version__ and now.startswith(f"{python} ") and not now.endswith(f" {digest}")


def _check_kept(distances: Distances, *, by_class: bool) -> None:
    """Raise an error if a table cannot keep these distances."""
    if distances not in (True, False, ONE_SIDED):
        raise TableError(f"distances={distances!r}: choose True, False or {ONE_SIDED!r}")
    if by_class and not distances:
        raise TableError(KEEPS_DISTANCES)
    if distances == ONE_SIDED and not by_class:
        raise TableError("one-sided distances are for tables by class: name classes (classes, --class)")


def _check_distance(game: Game, distance_to: str, *, by_class: bool) -> None:
    """Raise an error if there cannot be distances of this kind."""
    if distance_to not in DISTANCES:
        raise TableError(f"distance_to={distance_to!r}: choose {' or '.join(DISTANCES)}")
    if distance_to != CONVERSION:
        return
    if not by_class:
        raise TableError("distances to the next conversion are for tables by class: name classes (classes, --class)")
    if defines(game, "index_points"):
        raise UnsuitableGame(
            f"there are no distances to the next conversion for {game!r}: with index_points, what is won is gained on"
            " the way"
        )


def _check_parts(game: Game, classes: list[str | int], solved: Tablebase | None, distance_to: str) -> None:
    """Raise an error if a table cannot go on from the classes that are solved."""
    if solved is None:
        return
    check_type(solved, Tablebase, "Tablebase.make(game, classes=…, solved={})", "Tablebase.load(path, game)")
    solved.check(game)
    if not classes or solved.classes is None:
        raise TableError(f"solved={solved!r}: it takes a table by class, and classes that are to be solved")
    if solved.distance_to != distance_to:
        kinds = f"distances to the {solved.distance_to}, not to the {distance_to}"
        raise TableError(f"solved={solved!r} has {kinds}: a table has one kind")


def _check_workers(threads: int | None, workers: int | None, *, suits: bool, has_file: bool) -> None:
    """Raise an error if a table cannot be made by several processes."""
    if threads is not None:
        raise TableError(f"threads={threads}, workers={workers}: give one of them; each worker has one thread")
    if not has_file:
        raise TableError("workers, or a cluster, need a file: they share a folder beside it")
    if not suits:
        raise UnsuitableGame(
            "tables with chance and of many players are made in one process: leave workers and cluster out"
        )


def _why_not_resumed(game: Game, *, has_file: bool) -> str:
    """Why there is nothing to resume."""
    if not has_file:
        return "resume=True: there is nothing to go on with unless you give a file"
    return (
        f"a table of {game!r} cannot be resumed (resume=True, --resume): those with chance or of many players are made"
        " in memory, without checkpoints"
    )


def _folder_for(
    file: str | os.PathLike[str], game: Game, what: Any, disk_mb: float | None, *, resume: bool
) -> dict[str, Any]:
    """Where and how a table of `what` is made in files. Raises `TableError` if the folder exists already."""
    target = Path(os.path.realpath(file))
    folder = target.with_name(target.name + ".making")
    if folder.is_dir() and not (folder / CHECKPOINT).exists():
        remove_parts(folder)  # it had just begun
    if folder.exists() and not resume:
        raise TableError(
            f"{folder} has a table that is not finished: resume it (resume=True, --resume), or delete the folder"
        )
    free = shutil.disk_usage(target.parent).free
    mark = repr((" ".join(repr(game).split()), _sample(game), code_of_values(game), __version__, what))
    disk = free if disk_mb is None else min(free, disk_mb * 1e6)
    return {"folder": folder, "disk": disk, "mark": hashlib.sha256(mark.encode()).hexdigest()}


def _sample(game: Game) -> str:
    """A hash of the rules, and of how states are stored: the order of attributes and of members of enums counts too."""
    sides = balance(game), game.teams
    return RulesMark(game).sample(lambda state: (sides, cells_of(game, images_of(game, state))))


def check_suits(game: Game) -> None:
    """Raise an error if there cannot be a table of `game`."""
    check_suited(game)
    check_compiles(game)
