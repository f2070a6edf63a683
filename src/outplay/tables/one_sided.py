"""Classes of which a file has the distances of one side only, as the DTZ tables of Syzygy have (R. de Man, 2013).

The values of both sides are there, and the distances where the player to move is on the side from which the state is
numbered (`Game.index_player`). Those of the other side follow from these by one action. Where they would not, as one
player moves twice, a class keeps all of its distances.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout, new_record
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.constant_sum import balance
from outplay.rules.errors import TableError
from outplay.rules.game import Game, friends_of, legal_actions
from outplay.system.threads import free_in_child
from outplay.tables.class_blocks import BLOCK, BLOCK_MB, BlockCache
from outplay.tables.class_expansion import UNKNOWN
from outplay.tables.class_file import KEPT_MB, SolvedClasses, filled
from outplay.tables.class_successors import FIELDS, best_after, is_other_side
from outplay.tables.compression import SMALLEST
from outplay.tables.dense import Solved

CLASSES, KNOWN_MB = 16, 64.0
"""The number of classes whose distances are being restored at a time, and the megabytes of blocks for each."""
CACHED = int(KEPT_MB / BLOCK_MB)
"""The number of restored blocks that are kept: to restore one takes a fraction of a second."""
LAYOUT = layout(*COUNTERS, *FIELDS, ("index", int), ("fault", int))


class Contradiction(TableError):
    """Distances do not follow: the file or the rules are wrong."""


class OneSidedClasses(Mapping[int, Solved]):
    """Solved classes by number, with the distances of both sides, of which a file has those of one side.

    Args:
        game: the game.
        stored: the classes as they are in the file.
        numbers: those without the distances of the other side.
        converts: whether distances count to the next conversion.
    """

    def __init__(self, game: Game, stored: SolvedClasses, numbers: set[int], *, converts: bool) -> None:
        self.game, self.stored, self.numbers, self.converts = game, stored, numbers, converts
        self._blocks: OrderedDict[tuple[int, int], tuple[NDArray[Any], NDArray[Any]]] = OrderedDict()
        self._known: OrderedDict[int, BlockCache] = OrderedDict()
        self._lock = free_in_child(threading.RLock())

    def __len__(self) -> int:
        return len(self.stored)

    def __iter__(self) -> Iterator[int]:
        return iter(self.stored)

    def __contains__(self, number: object) -> bool:
        return number in self.stored

    def __getitem__(self, number: int) -> Solved:
        if number not in self.numbers:
            return self.stored[number]
        size, utilities = self.shape(number)
        levels, plies = zip(*(self.block(number, block) for block in range(-(-size // BLOCK))), strict=True)
        return Solved(number, utilities, np.concatenate(levels), np.concatenate(plies).astype(np.uint16))

    def __reduce__(self) -> Any:
        return _again, (self.game, self.stored, self.numbers, self.converts)

    def copy(self, memory_mb: float) -> SolvedClasses:
        """The same classes with all distances, to which others can be added."""
        found = SolvedClasses(memory_mb)
        for number in self:
            found[number] = self[number]
        return found

    def is_kept(self, number: int) -> bool:
        """Whether all of a class is in memory."""
        return number not in self.numbers and self.stored.is_kept(number)

    def shape(self, number: int) -> tuple[int, tuple[float, ...]]:
        """The number of indices of a class, and its utilities."""
        return self.stored.shape(number)

    def block(self, number: int, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The levels and the plies of a block of a class. Raises `TableError` if distances do not follow."""
        if number not in self.numbers:
            return self.stored.block(number, block)
        with self._lock:
            found = self._blocks.get((number, block))
            if found is None:
                found = self._blocks[number, block] = self._restored(number, block)
                while len(self._blocks) > CACHED:
                    self._blocks.popitem(last=False)
            return found

    def find(self, number: int, index: int) -> tuple[int, int]:
        """The level and the plies of an index, of which only the blocks that it needs are read."""
        block, place = divmod(index, BLOCK)
        if known := self._blocks.get((number, block)):
            return int(known[0][place]), int(known[1][place])
        level, plies = self.stored.find(number, index)
        utilities = self.shape(number)[1]
        draw = len(utilities) // 2
        if number not in self.numbers or level in (draw, UNKNOWN):
            return level, plies
        game, friends = self.game, friends_of(self.game)
        state = game.indexed_state(number, index)
        own = int(game.index_player(state))
        if game.is_terminal(state) or friends >> int(game.to_move(state)) & 1 == friends >> own & 1:
            return level, plies
        children = (game.result(state, action) for action in legal_actions(game, state))
        after = [self._after(state, child, own) for child in children]
        kept = [away for value, away in after if value == utilities[level]]
        if not kept:
            raise self._contradiction(number)
        return level, 1 + (min(kept) if level < draw else max(kept))

    def _after(self, state: Any, child: Any, own: int) -> tuple[float, int]:
        """What a player gets after an action, on top of the points in `state`, and the plies from there that count."""
        game, friends, number = self.game, friends_of(self.game), int(self.game.state_class(child))
        if number not in self.stored:
            raise self._contradiction(int(game.state_class(state)))
        level, plies = self.find(number, int(game.state_index(child)))
        utilities = self.shape(number)[1]
        is_same = friends >> int(game.index_player(child)) & 1 == friends >> own & 1
        value = utilities[level] if is_same else utilities[-1 - level]
        counts = level != len(utilities) // 2 and not (self.converts and self._is_conversion(state, child))
        return value + game.index_points(child, own) - game.index_points(state, own), plies if counts else 0

    def _is_conversion(self, state: Any, child: Any) -> bool:
        game = self.game
        return bool(
            game.state_class(state) != game.state_class(child) or game.index_stage(state) != game.index_stage(child)
        )

    def _restored(self, number: int, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """A block with all distances."""
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = BlockCache(_Mixed(self, number), KNOWN_MB)
            known.add(number)
            while len(self._known) > CLASSES:
                self._known.popitem(last=False)
        levels, plies = self.stored.block(number, block)
        plies = plies.astype(np.uint16)
        memory = new_record(LAYOUT)
        memory.search, memory.converts, memory.one_sided = 1, self.converts, 1
        memory.home, memory.index = number, block * BLOCK
        while True:
            memory.needed = memory.block = -1
            restore(self.game, number, block * BLOCK, levels, plies, *known.view, friends_of(self.game), memory)
            if memory.block >= 0:
                known.fetch(int(memory.block), int(memory.index))
            elif memory.needed in self.stored:
                known.add(int(memory.needed))
            elif memory.needed >= 0 or memory.fault:
                raise self._contradiction(number)
            else:
                return levels, plies

    def _contradiction(self, number: int) -> "Contradiction":
        return Contradiction(
            f"class {self.game.class_name(number)} contradicts the rules of {self.game!r}, so that not all of its"
            " distances follow: make the table again, with: outplay table make"
        )


def _again(game: Game, stored: SolvedClasses, numbers: set[int], converts: bool) -> OneSidedClasses:
    return OneSidedClasses(game, stored, numbers, converts=converts)


class _Mixed:
    """Solved classes, one of them as it is stored."""

    def __init__(self, classes: OneSidedClasses, number: int) -> None:
        self.classes, self.number = classes, number

    def shape(self, number: int) -> tuple[int, tuple[float, ...]]:
        """The number of indices of a class, and its utilities."""
        return self.classes.shape(number)

    def block(self, number: int, block: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """The levels and the plies of a block of a class."""
        return (self.classes.stored if number == self.number else self.classes).block(number, block)


@kernel
def restore(
    game: Any, number: int, start: int, own_levels: Any, own_plies: Any, numbers: Any, sizes: Any, blocks: Any,
    first: Any, utilities: Any, slots: Any, levels: Any, plies: Any, friends: int, work: Any,
) -> None:  # fmt: skip
    """Write the distances of the other side into a block that begins at `start`, from `work.index` on, until a state
    has none or needs a class or a block. The class is the first of the known ones.
    """
    memory, draw = pointer(work), balance(game)
    while memory.index < start + len(own_levels) and not must_stop(memory):
        now = memory.index
        state = game.indexed_state(number, now)
        level = int(own_levels[now - start])
        is_state = game.state_class(state) == number and game.state_index(state) == now
        if is_state and utilities[level] != draw and is_other_side(game, state, friends):
            memory.fault, best, least, most = best_after(
                game, state, numbers, sizes, blocks, first, utilities, slots, levels, plies, friends, memory
            )
            if memory.fault != 0 or memory.needed >= 0 or memory.block >= 0:
                return
            gains = best > draw if friends >> game.to_move(state) & 1 else best < draw
            own_plies[now - start] = 1 + (least if gains else most)
        memory.index += 1


@kernel
def find_other_sides(game: Any, number: int, friends: int, found: Any) -> None:
    """Mark the indices of a class at which the other side is to move."""
    for index in range(len(found)):
        state = game.indexed_state(number, index)
        if game.state_class(state) == number and game.state_index(state) == index:
            found[index] = is_other_side(game, state, friends)


def one_sided(
    game: Game,
    solved: Mapping[int, Solved],
    about: dict[int, dict[str, Any]],
    progress: Callable[[int], None],
    *,
    converts: bool,
) -> tuple[SolvedClasses, dict[int, dict[str, Any]]]:
    """Classes without the distances of the other side, for a file that is as small as possible, and what its header
    says of each. All is restored once, and classes where anything differs keep all of their distances.

    `progress` is called with the number of indices that are done.
    """
    done = 0
    found = SolvedClasses(KEPT_MB, level=SMALLEST)
    for number in about:
        whole = solved[number]
        other = np.zeros(len(whole.levels), np.bool_)
        find_other_sides(game, number, friends_of(game), other)
        found[number] = whole._replace(plies=filled(whole.plies, other))
    reduced = OneSidedClasses(game, found, set(about), converts=converts)
    for number in about:
        if not _follows(reduced, whole := solved[number]):
            found[number] = whole
            reduced.numbers.remove(number)
        found.stored(number)
        progress(done := done + len(whole.levels))
    return found, {number: each | {"one_sided": number in reduced.numbers} for number, each in about.items()}


def _follows(reduced: OneSidedClasses, whole: Solved) -> bool:
    """Whether all distances of a class are restored as they were."""
    try:
        again = reduced[whole.number]
    except Contradiction:
        return False
    counts = (whole.levels != UNKNOWN) & (whole.levels != len(whole.utilities) // 2)
    return bool((again.plies == whole.plies)[counts].all())
