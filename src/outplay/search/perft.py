"""Perft: the number of lines of a game with a given number of plies, the usual test of a move generator.

    perft(s, 0) = 1
    perft(s, d) = sum over a of  perft(result(s, a), d - 1)

Lines that end earlier do not count, and the game's rule of repetition is not applied. In games with `perft_past_end`, a
line goes on as long as there are actions, such as in chess after fifty moves; other programs count in the same way.
Nothing is remembered: every state of the tree is made. With `bulk`, the actions of the last ply are counted without
making their results. The work is divided among threads, a few plies from the root.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from outplay.check.quick import check_rules, check_state
from outplay.compile.kernels import cast_state, kernel, pointer, prepare_packed, runs_compiled, unpack
from outplay.compile.records import layout, new_record
from outplay.engine.runner import SearchRunner
from outplay.engine.workspace import COUNTERS, must_stop
from outplay.rules.arguments import check_is_game, check_threads
from outplay.rules.game import Game, legal_actions
from outplay.rules.numbered import numbered
from outplay.system.threads import MAX_PLIES, begin, useful_threads

TASKS = 64
"""The minimum number of tasks for each thread, so that all threads end at about the same time."""


@dataclass(frozen=True, kw_only=True)
class Perft:
    """The result of `perft`.

    Attributes:
        depth: the number of plies.
        lines: the number of lines with exactly `depth` plies.
        divided: the number of these lines that begin with each action, by the name of the action.
        seconds: the time that the count took, without compiling.
        complete: whether the count was finished; if not, every number is a lower bound.
    """

    depth: int
    lines: int
    divided: dict[str, int]
    seconds: float
    complete: bool = True

    def as_dict(self) -> dict[str, Any]:
        """The counts as plain values, for JSON."""
        return dict(vars(self))


def perft(
    game: Game,
    depth: int,
    state: Any = None,
    *,
    bulk: bool = True,
    threads: int | None = None,
    progress: Callable[[Perft], None] | None = None,
    check: bool = True,
) -> Perft:
    """Count the lines of exactly `depth` plies from `state`, by default the initial state.

    Ctrl-C stops the count and keeps the counts so far.

    Args:
        game: the game.
        depth: the number of plies, from 0.
        state: the state in which the lines begin; None for the initial state.
        bulk: whether to count the last ply without making its states.
        threads: the number of threads; None for one per core. An interpreted game is counted by one thread.
        progress: a function that is called with the counts so far, ten times a second.
        check: whether to check the rules of the game first.

    Raises `ValueError` for an invalid depth or number of threads.

    >>> from outplay.games import TicTacToe
    >>> perft(TicTacToe(), 5).lines, perft(TicTacToe(), 9).lines
    (15120, 127872)
    """
    check_is_game(game, "perft")
    game = numbered(game)
    if isinstance(depth, bool) or not isinstance(depth, int) or not 0 <= depth <= MAX_PLIES:
        raise ValueError(f"perft(depth={depth!r}): a whole number from 0 to {MAX_PLIES}")
    check_threads(threads, "perft")
    if check:
        check_rules(game, state)
        if state is not None:
            check_state(game, state)
    root = game.initial_state() if state is None else state
    threads = useful_threads(threads) if runs_compiled(game) else 1
    tasks, below = _shared_out(game, cast_state(game, root), depth, threads)
    names = (
        [game.action_name(root, action) for action in legal_actions(game, root)]
        if depth and not has_ended(game, root)
        else []
    )
    memory = new_record(layout(*COUNTERS))
    counts = [0] * len(tasks)
    states = [task for _, task in tasks] or [cast_state(game, root)]
    packed, count = prepare_packed(
        game, states, lambda packed: (packed, lines_from.prepare(game, packed, 0, below, bulk, memory))
    )
    finished = [False] * len(tasks)
    started = time.perf_counter()

    def count_one(index: int) -> None:
        counts[index] = int(count(game, packed, index, below, bulk, memory))
        finished[index] = not memory.stop

    def result() -> Perft:
        divided = dict.fromkeys(names, 0)
        for (first, _), lines in zip(tasks, counts, strict=True):
            if first >= 0:
                divided[names[first]] += lines
        return Perft(
            depth=depth,
            lines=sum(counts),
            divided=divided,
            seconds=time.perf_counter() - started,
            complete=all(finished),
        )

    def work() -> None:
        with ThreadPoolExecutor(threads, initializer=begin) as pool:
            list(pool.map(count_one, range(len(tasks))))

    def stop(_: int) -> None:
        memory.stop = -1

    SearchRunner(None, lambda: 1, stop, (lambda: progress(result())) if progress else None).run(work)
    return result()


def _shared_out(game: Game, root: Any, depth: int, threads: int) -> tuple[list[tuple[int, Any]], int]:
    """The states a few plies from the root, each with the number of its first action, and the depth left."""
    tasks: list[tuple[int, Any]] = [(-1, root)] if depth == 0 or not has_ended(game, root) else []
    task_count = 2 if threads == 1 else TASKS * threads  # at least 2, to count each action of the root separately
    while depth > 1 and 0 < len(tasks) < task_count:
        tasks = [
            (first if first >= 0 else number, cast_state(game, game.result(state, action)))
            for first, state in tasks
            if not has_ended(game, state)
            for number, action in enumerate(legal_actions(game, state))
        ]
        depth -= 1
    if depth == 1 and tasks and tasks[0][0] < 0:  # only the root
        tasks = [
            (number, cast_state(game, game.result(root, action)))
            for number, action in enumerate(legal_actions(game, root))
        ]
        depth = 0
    return tasks, depth


def has_ended(game: Any, state: Any) -> bool:
    """Whether a line ends here."""
    return not game.perft_past_end and bool(game.is_terminal(state))


@kernel
def lines(game: Any, state: Any, depth: int, bulk: bool, memory: Any) -> int:
    """The number of lines of `depth` plies from `state`."""
    if depth == 0:
        return 1
    if has_ended(game, state):
        return 0
    total = 0
    if depth == 1 and bulk:
        for _ in legal_actions(game, state):
            total += 1
        return total
    if must_stop(memory):
        return 0
    for action in legal_actions(game, state):
        total += lines(game, game.result(state, action), depth - 1, bulk, memory)
    return total


@kernel
def lines_from(game: Any, packed: Any, index: int, depth: int, bulk: bool, memory: Any) -> int:
    """`lines` from the packed state with this number."""
    return lines(game, unpack(game, packed, index), depth, bulk, pointer(memory))
