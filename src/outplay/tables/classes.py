"""Tables by class: which classes are solved, in which order, and once more where distances need it."""

import math
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from outplay.compile.kernels import runs_compiled
from outplay.compile.state_cells import cells_of
from outplay.engine.runner import SearchRunner
from outplay.engine.stopping import StopReason
from outplay.rules.constant_sum import draw_utility, friends_of
from outplay.rules.errors import OutplayError, UnsuitableGame
from outplay.rules.game import Game, defines
from outplay.system.threads import cores
from outplay.tables.checkpoint import remove_parts
from outplay.tables.class_expansion import FOREVER, TO_CLASS, TO_END, TO_STAGE, UNKNOWN
from outplay.tables.class_exploration import Found
from outplay.tables.class_file import Solved, SolvedClasses
from outplay.tables.class_making import SOLVED_SHARE, ClassFolder, ClassMaking
from outplay.tables.exploration import Needs
from outplay.tables.numbering import END, Numbering
from outplay.tables.stats import TableStats
from outplay.tables.teams import Team

NUMBERING = ("state_index", "indexed_state", "index_count")
"""The rules that a game with classes defines."""


class Classes(Numbering):
    """Solved classes of a game, by number; their distances count to the end or to the next conversion."""

    def __init__(
        self,
        game: Game,
        solved: SolvedClasses,
        about: dict[int, dict[str, Any]],
        distance_to: str = END,
    ) -> None:
        self.game, self.solved, self.distance_to = game, solved, distance_to
        self.about = about
        """What the header of a file says of each class."""

    def __len__(self) -> int:
        """The number of states: indices without holes."""
        return sum(sum(entry["counts"]) for entry in self.about.values())

    def find(self, state: Any) -> tuple[float, int] | None:
        """The value of a state for player 0, and the plies; None if its class is not there, or its index is a hole."""
        cells_of(self.game, [state])  # if it is not a state at all, this says so
        return self._entry(state)

    def _entry(self, state: Any) -> tuple[float, int] | None:
        game = self.game
        number = int(game.state_class(state))
        facts = self.about.get(number)
        index = int(game.state_index(state)) if facts is not None else -1
        if facts is None or not 0 <= index < facts["indices"]:
            return None
        level, plies = self.solved.find(number, index)
        if level == UNKNOWN:
            return None
        value = float(facts["utilities"][level])
        is_own = friends_of(game) >> int(game.index_player(state)) & 1
        plies = 0 if value == draw_utility(game) else plies
        return (value if is_own else 2 * draw_utility(game) - value) + float(game.index_points(state, 0)), plies

    def draw_of(self, state: Any) -> float:
        """A draw, on top of what player 0 has for good."""
        return draw_utility(self.game) + float(self.game.index_points(state, 0))

    def holds(self, state: Any, value: float, plies: int) -> bool:
        """Whether the way to the value is not longer than what the index leaves out may allow."""
        game, draw = self.game, self.draw_of(state)
        if value == draw:
            return True
        return plies + self.beyond(int(game.state_class(state)), abs(value - draw)) <= int(game.index_plies(state))

    def beyond(self, number: int, gain: float) -> int:
        """How many more plies than its distance the way to a gain may take, from a state of this class."""
        facts = self.about[number]
        if not facts.get("goes_on", True):
            return FOREVER
        if defines(self.game, "index_points"):
            return 0
        return plies_beyond(self.about.values() if self.distance_to == END else [facts], draw_utility(self.game), gain)

    def counted(self, state: Any, child: Any, plies: int) -> int:
        """All plies; none after a conversion, if distances count to it."""
        game = self.game
        if self.distance_to == END:
            return plies
        is_same = game.state_class(state) == game.state_class(child) and game.index_stage(state) == game.index_stage(
            child
        )
        return plies if is_same else 0

    def states(self) -> Iterator[Any]:
        """The state of each index that is not a hole."""
        game = self.game
        for number, facts in self.about.items():
            for index in range(facts["indices"]):
                state = game.indexed_state(number, index)
                if game.state_class(state) == number and game.state_index(state) == index:
                    yield state

    def entries(self) -> Iterator[tuple[Any, float, int]]:
        """The state of each index that is not a hole."""
        for state in self.states():
            entry = self._entry(state)
            assert entry is not None
            yield state, *entry

    def stats(self) -> TableStats:
        """All classes in numbers, as values of `index_player`, without `index_points`."""
        counts: dict[float, int] = {}
        longest: dict[float, int] = {}
        for facts in self.about.values():
            for value, count, most in zip(facts["utilities"], facts["counts"], facts["longest"], strict=True):
                counts[value] = counts.get(value, 0) + count
                if value != draw_utility(self.game):
                    longest[value] = max(longest.get(value, 0), most)
        return TableStats(sum(counts.values()), dict(sorted(counts.items())), dict(sorted(longest.items())))


def _about(
    game: Game, solved: Solved, findings: Found, others: dict[int, dict[str, Any]], counts: int
) -> dict[str, Any]:
    """What the header of a file says of a class."""
    levels, kinds = solved.levels, range(len(solved.utilities))
    facts = {
        "number": solved.number,
        "name": game.class_name(solved.number),
        "indices": len(levels),
        "utilities": list(solved.utilities),
        "counts": [int((levels == level).sum()) for level in kinds],
        "longest": [int(solved.plies[levels == level].max(initial=0)) for level in kinds],
    }
    if counts != TO_END:
        facts["index_plies"] = findings.least
        all_about = others | {solved.number: facts | {"goes_on": True}}
        facts["goes_on"] = goes_on((all_about[entry] for entry in findings.leads_to), draw_utility(game))
    return facts


def plies_beyond(facts_of_classes: Iterable[dict[str, Any]], draw: float, gain: float) -> int:
    """How many plies longer the way to a gain may become if the other side gives more and more away to win time, as the
    way to a greater gain may be longer.
    """
    longest: dict[float, int] = {}
    for facts in facts_of_classes:
        for value, count, most in zip(facts["utilities"], facts["counts"], facts["longest"], strict=True):
            if count and abs(value - draw) > gain:
                longest[abs(value - draw)] = max(longest.get(abs(value - draw), 0), most)
    return sum(most + 1 for most in longest.values())


def goes_on(leads_to: Iterable[dict[str, Any]], draw: float) -> bool:
    """Whether all that is won after a conversion to these classes is so by all rules: nothing takes longer than the
    index allows when what it leaves out begins anew.
    """
    return all(facts["goes_on"] and plies_beyond([facts], draw, 0) <= facts["index_plies"] + 1 for facts in leads_to)


def _check_values(name: str, game: Game, first: Solved, second: Solved) -> None:
    """Raise `OutplayError` if a class has other values when conversions within it are ways out."""
    is_known = second.levels != UNKNOWN
    one, other = (np.array(solved.utilities)[solved.levels[is_known]] for solved in (first, second))
    if (one != other).any():
        raise OutplayError(
            f"class {name} of {game!r} has other values when conversions end it: index_stage is not the same for all"
            " states with an index; outplay check says where"
        )


def check_has_classes(game: Game) -> None:
    """Raise `UnsuitableGame` for a game without dense numbering."""
    missing = [rule for rule in NUMBERING if not defines(game, rule)]
    if missing:
        raise UnsuitableGame(f"there are no tables by class of {game!r}: it does not define {', '.join(missing)}")


class ClassSolver:
    """Solves classes, and those that their actions lead to.

    Args:
        game: a game with classes.
        memory_mb: the maximum memory, in megabytes.
        team: who works on it.
        before: classes that are not solved again, with distances of the same kind.
        folder: for checkpoints, from which the work goes on; without one, work that exceeds the memory goes on in
            temporary files.
        distance_to: what distances count to. To the next conversion, a class in which there are conversions is solved
            twice: for the values, where they are actions like others, and again for the distances, where they are ways
            out into the class itself, as it is solved already.
        alone: whether each class is to be solved alone: one that leads to another one that is not solved yet raises
            `Needs`, after a checkpoint.
    """

    def __init__(
        self,
        game: Game,
        memory_mb: float,
        team: Team,
        before: Classes | None = None,
        folder: ClassFolder | None = None,
        distance_to: str = END,
        *,
        alone: bool = False,
    ) -> None:
        check_has_classes(game)
        self.game, self.memory_mb, self.team, self.folder, self.distance_to = game, memory_mb, team, folder, distance_to
        self.alone = alone
        self.solved = (
            before.solved.copy(memory_mb * SOLVED_SHARE) if before else SolvedClasses(memory_mb * SOLVED_SHARE)
        )
        self.about = dict(before.about) if before else {}
        self.waiting: list[ClassMaking] = []
        """Each class needs the next one."""
        self.spare: dict[str, Any] = {}
        if folder:
            folder.in_files |= self.about.keys()
            folder.restore(self.solved, self.about)

    def solve(self, number: int, temporary: Path) -> None:
        """Solve a class. Raises `KeyboardInterrupt` if the team is stopped."""
        if number not in self.solved:
            self.begin(number, temporary)
        while self.waiting:
            making = self.waiting[-1]
            if not making.graph.rows:
                making.begin()
            try:
                solved = making.run()
            except Needs as needs:
                (number,) = needs.args
                if any(number == other.number for other in self.waiting):
                    raise in_a_circle(self.game, number, making.number) from None
                if self.alone:
                    if not making.graph.is_split:
                        making.move()
                    raise
                making.wait()
                self.begin(number, temporary)
            else:
                self.waiting.pop()
                self.finish(making, solved, temporary)

    def begin(self, number: int, temporary: Path) -> None:
        """Begin with a class, or go on with it."""
        if self.folder:
            self.folder.restore_first(self.solved, number)
        counts = TO_END if self.distance_to == END else TO_STAGE if number in self.solved else TO_CLASS
        if self.folder:
            storage = self.folder.for_class(number, counts)
        else:
            free = shutil.disk_usage(temporary).free
            storage = {"folder": temporary / f"making-{counts}-{number}", "disk": free, "save_every": math.inf}

        def before_move() -> None:
            if self.folder:
                self.folder.save(self.solved, self.about)
                if counts == TO_STAGE:
                    self.folder.save_first(self.solved, number)

        args = self.game, number, self.solved, counts, self.team, self.memory_mb, before_move, self.spare
        self.waiting.append(ClassMaking(*args, **storage))

    def finish(self, making: ClassMaking, solved: Solved, temporary: Path) -> None:
        """Take a class that is solved, or solve it a second time."""
        number, counts, exploration = making.number, making.counts, making.exploration
        if counts == TO_STAGE:
            _check_values(exploration.name, self.game, self.solved[number], solved)
        self.solved[number] = solved
        if counts == TO_CLASS and exploration.findings.has_stages:
            if self.folder:
                self.folder.save_first(self.solved, number)
            self.begin(number, temporary)
        else:
            self.about[number] = _about(self.game, solved, exploration.findings, self.about, counts)
        if not self.folder and making.folder:
            remove_parts(making.folder)
        elif self.folder and self.folder.is_due():
            self.folder.save(self.solved, self.about)

    def stop(self) -> None:
        """End the work soon."""
        self.team.stop()
        for making in self.waiting:
            making.stop()


def solve_classes(
    game: Game,
    wanted: Iterable[str | int],
    memory_mb: float,
    progress: Callable[[int, int], None] | None = None,
    threads: int | None = None,
    before: Classes | None = None,
    folder: ClassFolder | None = None,
    distance_to: str = END,
    *,
    alone: bool = False,
) -> Classes | None:
    """Solve classes, by name or number, and those that their actions lead to; None if Ctrl-C stopped it.

    By default, one thread per core; the result does not depend on it. The others are as for `ClassSolver`.

    Raises `OutplayError` if classes lead to each other in a circle, or memory does not suffice.
    """
    team = Team((threads or cores()) if runs_compiled(game) else 1)
    solver = ClassSolver(game, memory_mb, team, before, folder, distance_to, alone=alone)

    def work() -> None:
        try:
            with TemporaryDirectory(prefix="outplay-", ignore_cleanup_errors=True) as temporary:
                for name in wanted:
                    solver.solve(game.parse_class(name) if isinstance(name, str) else name, Path(temporary))
        except KeyboardInterrupt:
            if folder and folder.path.exists():
                folder.save(solver.solved, solver.about)
        finally:
            team.close()

    def report() -> None:
        if progress and solver.waiting:
            graph = solver.waiting[-1].graph
            progress(graph.states, graph.expanded)

    runner = SearchRunner(None, lambda: 1, lambda _: solver.stop(), report)
    runner.run(work)
    if runner.stopped == StopReason.INTERRUPTED:
        return None
    return Classes(game, solver.solved, dict(sorted(solver.about.items())), distance_to)


def in_a_circle(game: Game, one: int, other: int) -> OutplayError:
    """The error of classes that lead to each other."""
    return OutplayError(
        f"{game!r}: class {game.class_name(one)} leads to class {game.class_name(other)} and back: both must be one"
        " class, so that classes can be solved one after the other"
    )
