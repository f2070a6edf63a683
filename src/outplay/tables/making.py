"""Makes a table, or resumes making it: finds all states, values them, sorts them by their codes, and writes them.

With chance, and for many players, the states are valued and sorted at once, in memory.

The work is done in memory, and goes on in files of a folder when that is full, or after a minute. From then on there is
a checkpoint every minute: a file that says how far each of them was. Whatever happens, the work can go on from there.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import StopReason
from outplay.parallel.crew import WorkerLost
from outplay.rules.constant_sum import draw_utility
from outplay.rules.errors import TableError
from outplay.rules.game import Game
from outplay.system.files import SAVE_EVERY, write_file
from outplay.system.rows import Rows
from outplay.tables.checkpoint import CHECKPOINT, PART, read_checkpoint, record
from outplay.tables.codec import Codec
from outplay.tables.exchange import Exchange
from outplay.tables.expectation import Expected, solve_expected
from outplay.tables.exploration import CodeExploration, Exploration, Needs
from outplay.tables.file import States
from outplay.tables.max_n import solve_vectors
from outplay.tables.partitions import Partitions
from outplay.tables.retrograde import MAX_PLIES, Retrograde
from outplay.tables.sorting import Sorting
from outplay.tables.teams import Team
from outplay.tables.whole_graph import whole_graph
from outplay.tables.writing import Writing, narrowest

Progress = Callable[[str, int, int], None]
State = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""How far the work is, as JSON and as arrays."""
VERSION = 8
"""The version of checkpoints."""


class Made(NamedTuple):
    """A table that is made, with its states in memory, or in blocks."""

    codec: Codec
    utilities: list[Any]
    """The utilities that occur, as a `Tablebase` has them."""
    acyclic: bool = False
    """Whether play is known not to go in circles."""
    counts: Sequence[int] = ()
    """The number of states with each of the utilities, if the states are in blocks."""
    states: States | None = None
    writing: Writing | None = None
    error: float = 0.0
    """What the difference of a value from the exact one is at most, in games with chance."""


class Making:
    """The making of a table.

    Args:
        game: a game whose rules compile.
        states: where to start.
        team: who works on it.
        memory: the maximum memory for states and edges, in bytes.
        folder: for files; None if all must fit into memory. If it exists, the work goes on from its checkpoint.
        disk: the maximum space there, in bytes.
        mark: tells this game and these states from others.
        distances: whether the plies are written to blocks.
        save_every: the seconds between checkpoints.
    """

    def __init__(
        self,
        game: Game,
        states: list[Any],
        team: Team,
        memory: float,
        folder: Path | None = None,
        disk: float = 0,
        mark: str = "",
        *,
        distances: bool = True,
        save_every: float = SAVE_EVERY,
    ) -> None:
        self.game, self.states, self.team, self.folder, self.disk = game, states, team, folder, disk
        self.mark, self.distances, self.save_every, self.saved_at = mark, distances, save_every, time.monotonic()
        self.graph = Partitions(1, memory)
        self.exchange = Exchange(self.graph, team)
        self.stages: dict[str, Any] = {}
        """The stages that have begun, by name; the last one goes on."""
        self.enter("exploration")
        self.solved_counts: list[NDArray[Any]] = []
        """The numbers of states that are solved, where the whole graph is solved at once."""
        self.cleaned: list[Any] = []
        """What there was when files were last removed."""

    # -- stages -------------------------------------------------------------------------------------------------------

    def enter(self, name: str) -> None:
        """Make a stage; `start` begins it."""
        self.stages[name] = getattr(self, f"new_{name}")()

    @property
    def stage(self) -> Exploration | Retrograde | Sorting | Writing:
        """The stage that goes on."""
        stage: Exploration | Retrograde | Sorting | Writing = next(reversed(self.stages.values()))
        return stage

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, for how many states it is done, and of how many."""
        if self.solved_counts:
            return "solving", sum(map(int, self.solved_counts)), self.graph.states
        return self.stage.progress

    @property
    def exploration(self) -> Any:
        """The first stage."""
        return self.stages["exploration"]

    def new_exploration(self) -> Exploration:
        """The first stage."""
        return CodeExploration(self.game, self.states, self.exchange)

    def new_valued(self) -> Retrograde:
        """The second stage."""
        return Retrograde(self.exchange, self.exploration.utilities, draw_utility(self.game))

    def new_sorted(self) -> Sorting:
        """The third stage."""
        valued = self.stages["valued"]
        return Sorting(self.exchange, len(valued.utilities), valued.draw)

    def new_writing(self) -> Writing:
        """The last stage, if the states are in files."""
        plies_bytes = narrowest(int(self.stages["sorted"].longest.max())) if self.distances else 0
        return Writing(self.stages["sorted"], narrowest(len(self.stages["valued"].utilities) - 1), plies_bytes)

    def following(self) -> str | None:
        """The stage after this one, None after the last one. Raises `TableError` if a game is too long."""
        if self.exploration.values.has_payoffs:
            return None
        if isinstance(self.stage, Sorting):
            self.check_plies(int(self.stage.longest.max()))
            return "writing" if self.graph.is_split else None
        return {"exploration": "valued", "valued": "sorted"}.get(next(reversed(self.stages)))

    # -- work ---------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin, or go on from the checkpoint of the folder, if it exists."""
        if self.folder is not None and self.folder.exists():
            self.restore(self.folder)
            return
        self.exploration.start()
        if self.team.needs_files:
            self.move()

    def stop(self) -> None:
        """End the work soon."""
        self.team.stop()
        self.exploration.stop()

    def run(self) -> Any:
        """Do all that is left. Raises `KeyboardInterrupt` after `stop`."""
        try:
            self.finish_stage()
            while (name := self.following()) is not None:
                self.enter(name)
                self.stage.start()
                self.finish_stage()
            return self.result()
        except (KeyboardInterrupt, Needs):
            if self.graph.is_split:
                self.save()
            raise

    def result(self) -> Any:
        """The table."""
        if self.exploration.values.has_payoffs:
            return self.solved_at_once()
        stage: Any = self.stage
        valued, sorted_ = self.stages["valued"], self.stages["sorted"]
        table = Made(
            self.exploration.codec, valued.utilities.tolist(), valued.acyclic, sorted_.counts.sum(axis=1).tolist()
        )
        return table._replace(writing=stage) if self.graph.is_split else table._replace(states=stage.states())

    def solved_at_once(self) -> Made:
        """The table of a game with chance, or for many players: its whole graph has to be in memory."""
        game, graph = self.game, whole_graph(self.exploration)
        self.team.check()
        values = (
            solve_expected(game, graph, self.team, self.solved_counts)
            if game.has_chance
            else solve_vectors(game, graph)
        )
        self.check_plies(int(values.plies.max(initial=0)))
        states = States(graph.codes, values.levels, values.plies)
        error = values.error if isinstance(values, Expected) else 0.0
        return Made(graph.codec, values.utilities.tolist(), states=states, error=error)

    def check_plies(self, longest: int) -> None:
        """Raise `TableError` if a game is too long."""
        if longest > MAX_PLIES:
            raise TableError(f"games of {self.game!r} go on for more than {MAX_PLIES:,} plies: too many for a table")

    def finish_stage(self) -> None:
        """Work until the stage is over. Raises `TableError` if a file cannot be written."""
        try:
            self.remove_other_files()
            while self.stage.step():
                self.move_if_full()
                self.remove_other_files()
                if self.graph.is_split and time.monotonic() - self.saved_at > self.save_every:
                    self.save()
        except OSError as error:
            raise TableError(
                f"{self.folder} cannot be written: {error.strerror or error}; when that is mended, resume (resume=True,"
                " --resume)"
            ) from error

    def move_if_full(self) -> None:
        """Go on in files if the memory is full, or after some time. Raises `OutplayError` if there is no folder."""
        graph, stage = self.graph, self.stage
        if graph.is_split:
            return
        is_full = graph.nbytes > graph.memory or (isinstance(stage, Exploration) and not stage.has_room())
        if is_full and self.folder is None:
            raise graph.too_many()
        is_full = is_full or graph.nbytes_soon > graph.memory
        if self.folder is not None and (is_full or time.monotonic() - self.saved_at > self.save_every):
            self.move()

    def move(self) -> None:
        """Go on in files."""
        assert self.folder is not None, "it has one"
        graph = self.graph
        if graph.nbytes > self.disk:
            graph.folder, graph.disk = self.folder, self.disk
            raise graph.too_many()
        self.folder.mkdir(parents=True)
        graph.move(self.folder, self.disk)
        self.exchange.move()
        self.save()

    # -- checkpoints --------------------------------------------------------------------------------------------------

    def parts(self) -> dict[str, Any]:
        """All that a checkpoint has."""
        return {"graph": self.graph, "exchange": self.exchange, **self.stages}

    def needed(self) -> list[Rows]:
        """What a checkpoint needs of the files: not what is still empty, or can be made anew."""
        return [rows for part in self.parts().values() if hasattr(part, "needed") for rows in part.needed()]

    def state(self, *without: str) -> State:
        """How far the work is, as JSON and as arrays, without some parts. The arrays are those that are worked with."""
        facts: dict[str, Any] = {"stages": list(self.stages)}
        arrays: dict[str, NDArray[Any]] = {}
        for name, part in self.parts().items():
            if name not in without:
                facts[name], part_arrays = part.saved()
                arrays |= {f"{name}.{key}": array for key, array in part_arrays.items()}
        return facts, arrays

    def save(self) -> None:
        """Write a checkpoint, and remove the files that it does not need."""
        assert self.folder is not None, "it is in files"
        for rows in self.needed():
            rows.sync()
        facts, arrays = self.state()
        facts |= {"version": VERSION, "mark": self.mark, "distances": self.distances}
        facts["needed"] = [rows.name for rows in self.needed()]
        facts["names"] = list(arrays)
        write_file(self.folder / CHECKPOINT, record(facts, *arrays.values()), TableError)
        self.graph.saved_names = facts["needed"]
        self.leave_checkpoint()
        self.remove_other_files()
        self.saved_at = time.monotonic()

    def leave_checkpoint(self) -> None:
        """Go on without a change to what a checkpoint needs."""
        self.graph.leave_checkpoint()
        self.exchange.leave_checkpoint()

    def remove_other_files(self) -> None:
        """Remove the files of the folder that neither the checkpoint nor the work needs.

        It is done soon, since what is not yet on the disk then need not be written there.
        """
        graph = self.graph
        names = [graph.serial, *graph.rows, *graph.saved_names]
        if self.folder is None or not graph.is_split or names == self.cleaned:
            return
        self.cleaned = names
        used = json.dumps([graph.saved_names, self.state()[0]])
        for path in self.folder.iterdir():
            if PART.fullmatch(path.name) and f'"{path.name}"' not in used:
                path.unlink()

    def restore(self, folder: Path) -> None:
        """Go back to the checkpoint of a folder. Raises `TableError` if there is none, or it is another table's."""
        facts, content = read_checkpoint(folder)
        if [facts.get(name) for name in ("version", "mark", "distances")] != [VERSION, self.mark, self.distances]:
            raise TableError(
                f"{folder} is of another table: of another game, rules, states to start from, options or version of"
                " outplay; delete it, or name another file"
            )
        for name in facts["needed"]:
            if not (folder / name).is_file():
                raise TableError(f"{folder / name} is missing: delete {folder}, and begin anew")
        self.graph.folder, self.graph.disk, self.graph.saved_names = folder, self.disk, facts["needed"]
        self.use(facts, dict(zip(facts["names"], content, strict=True)))
        self.graph.forget_places()
        self.leave_checkpoint()

    def use(self, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Be as far as a `state` was; its files stay in use."""
        of: dict[str, dict[str, NDArray[Any]]] = {}
        for name, array in arrays.items():
            part, _, key = name.partition(".")
            of.setdefault(part, {})[key] = array
        for name in ("graph", "exchange", *facts["stages"]):
            if name not in self.parts():
                self.enter(name)
            if name in facts:
                self.parts()[name].restore(facts[name], of.get(name, {}))


def make(
    game: Game,
    states: list[Any],
    memory_mb: float,
    team: Team,
    progress: Progress | None = None,
    **folder: Any,
) -> Made | None:
    """All states that can be reached from `states`, with their values; None if Ctrl-C stopped it.

    Args:
        game: a game whose rules compile.
        states: where to start.
        memory_mb: the maximum memory for states and edges.
        team: who works on it; it makes no difference to the result. It is closed at the end.
        progress: called with what is being done, how much of it is done, and of how much so far.
        folder: where and how to go on in files, see `Making`.
    """
    makings: list[Making] = []

    def work() -> Made | None:
        try:
            while True:
                making = Making(game, states, team, memory_mb * 1e6, **folder)
                try:
                    team.begin(making)
                    making.begin()
                    makings[:] = [making]
                    table: Made = making.run()
                    return table
                except WorkerLost:
                    continue  # from the checkpoint on, with the workers that are left
        except KeyboardInterrupt:
            return None
        finally:
            team.close()

    def stop(_: int) -> None:
        team.stop()
        for making in makings:
            making.stop()

    def report() -> None:
        if progress and makings:
            progress(*makings[0].progress)

    runner = SearchRunner(None, lambda: 1, stop, report)
    table: Made | None = runner.run(work)
    return None if runner.stopped == StopReason.INTERRUPTED else table
