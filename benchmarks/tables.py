"""Tables: all states of a game found and solved, states per second, and the bytes that a state takes.

One peer is what people write: retrograde analysis in plain Python over the same rules, with a dictionary of states, and
with lists by index of endings. The other is GamesmanOne, in C, on the same game with the same rules, both by class;
both write a file. Without its own bar, a row says how fast a larger game is solved. Endings of chess and draughts are
solved by class; their figures count indices, of which some have no state.
"""

import shutil
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.common import Bar, Peer, Plan, Row, compare, measure, same
from benchmarks.peers import GamesmanOne
from benchmarks.quixo import Quixo
from outplay import Game, Tablebase, legal_actions
from outplay.compile.kernels import kernel, pointer
from outplay.compile.records import layout, new_record
from outplay.games import Breakthrough, Chess, ConnectFour, EnglishDraughts, Kalah, ManyPlayerMNK, Oware, Pig
from outplay.system.threads import cores
from outplay.tables import verify
from outplay.tables.codec import state_at
from outplay.tables.making import make
from outplay.tables.probe import HIT, PROBE, probe_classes, probe_codes
from outplay.tables.probing import prober_of
from outplay.tables.processes import ProcessTeam


def canonical(game: Game, state: Any) -> Any:
    """One of the images of a state, which are tuples: the least is quicker than the one with the least key."""
    return min(game.symmetries(state))


class PlainPython(Peer):
    """Retrograde analysis in plain Python."""

    name = "plain Python"

    def solve(self, game: Game) -> int:
        """The value of each state for player 0, by its canonical image; the number of states."""
        root = canonical(game, game.initial_state())
        graph: dict[Any, list[Any]] = {root: []}
        predecessors: dict[Any, list[Any]] = {root: []}
        waiting = [root]
        while waiting:
            state = waiting.pop()
            if game.is_terminal(state):
                continue
            for action in legal_actions(game, state):
                child = canonical(game, game.result(state, action))
                if child not in graph:
                    graph[child], predecessors[child] = [], []
                    waiting.append(child)
                graph[state].append(child)
                predecessors[child].append(state)
        values: dict[Any, float] = {}
        ends = [state for state, children in graph.items() if not children]
        for side, sign in ((0, 1), (1, -1)):
            open_children = {state: len(children) for state, children in graph.items()}
            for utility in sorted({sign * game.utility(end, 0) for end in ends} - {0}, reverse=True):
                if utility < 0:
                    break
                queue = [end for end in ends if sign * game.utility(end, 0) == utility]
                values |= dict.fromkeys(queue, sign * utility)
                for state in queue:
                    for source in predecessors[state]:
                        open_children[source] -= 1
                        if source not in values and (game.to_move(source) == side or not open_children[source]):
                            values[source] = sign * utility
                            queue.append(source)
        return len(graph)

    def solve_classes(self, game: Game, names: tuple[str, ...]) -> dict[float, int]:
        """The number of states with each value for `index_player`, of classes of which none leads to a later one.

        The players take turns, and ends are worth 0 or, for one of them, 1.
        """
        entries_by_class: dict[int, list[tuple[float, int] | None]] = {}
        counts: dict[float, int] = defaultdict(int)
        for number in map(game.parse_class, names):
            size = game.index_count(number)
            entries = entries_by_class[number] = [None] * size  # the value for the player to move; the plies to the end
            predecessors: list[list[int]] = [[] for _ in range(size)]
            open_children, sides, waiting = [0] * size, [0] * size, defaultdict[int, list[tuple[int, float]]](list)
            for index in range(size):
                state = game.indexed_state(number, index)
                if (game.state_class(state), game.state_index(state)) != (number, index):
                    continue  # a hole
                sides[index] = 1 if game.to_move(state) == game.index_player(state) else -1
                if game.is_terminal(state):
                    entries[index] = game.utility(state, game.to_move(state)), 0
                    continue
                for action in legal_actions(game, state):
                    child = game.result(state, action)
                    open_children[index] += 1
                    place = game.state_index(child)
                    if game.state_class(child) == number:
                        predecessors[place].append(index)
                        continue
                    child_entry = entries_by_class[game.state_class(child)][place]
                    if child_entry is not None and child_entry[0]:
                        waiting[child_entry[1] + 1].append((index, -child_entry[0]))
            for index, entry in enumerate(entries):
                if entry is not None and entry[0]:
                    waiting[1] += [(source, -entry[0]) for source in predecessors[index]]
            plies = 0
            while any(waiting.values()):
                plies += 1
                for index, value in waiting.pop(plies, []):
                    open_children[index] -= value < 0
                    if entries[index] is None and (value > 0 or not open_children[index]):
                        entries[index] = value, plies
                        waiting[plies + 1] += [(source, -value) for source in predecessors[index]]
            for entry, side in zip(entries, sides, strict=True):
                if side:
                    counts[0.0 if entry is None else entry[0] * side] += 1
        return dict(counts)


GAMES: tuple[Game, ...] = (
    ConnectFour(width=5, height=5), Breakthrough(5, 4), Kalah(pits=4, seeds=3), Oware(3),
)  # fmt: skip
ENDINGS: tuple[tuple[Game, str, str], ...] = (
    (Chess(), "KK", "KRK"), (Chess(), "KK", "KBNK"), (EnglishDraughts(), "KvK", "KMvKM"),
)  # fmt: skip
"""Games, a small class, and a class to solve with those that it leads to."""
AGAINST_PYTHON: tuple[Game, tuple[str, ...]] = Chess(), ("KK", "KRK")
QUICK_AGAINST_PYTHON: tuple[Game, tuple[str, ...]] = EnglishDraughts(), ("Kv", "KvK")
"""A game, and classes of which none leads to a later one."""
AGAINST_C: tuple[Game, int, int] = Quixo(4), 1, 10_339_244
QUICK_AGAINST_C: tuple[Game, int, int] = Quixo(3), 2, 4_433
"""A game, its variant in GamesmanOne, and how many states can be reached."""
FULL = 8 << 5 | 8, 5 << 5 | 4
"""The classes of these games without a blank tile, whose actions lead to no other one."""
WHOLE_GRAPHS: tuple[Game, ...] = Pig(), ManyPlayerMNK(3, 4)
QUICK_WHOLE_GRAPHS: tuple[Game, ...] = Pig(goal=10), ManyPlayerMNK(3, 2, 2)
"""A game with chance, and one for three players: their whole graph is solved at once."""
QUICK_GAMES: tuple[Game, ...] = (Breakthrough(4, 4), Oware(2))


def rows(plan: Plan) -> Iterator[Row]:
    """Connect Four against plain Python; then larger games, and games in which play goes in circles."""
    large = ConnectFour(width=4, height=4) if plan.quick else ConnectFour(width=5, height=4)
    table(small_form(large))  # compiles
    row = Row(what=f"table of {large!r}", unit="states/s", bars=(Bar("ratio", "≥", 100), Bar("figure", "≥", 1.5e6)))
    yield compare(
        plan, row,
        lambda: len(table(large)),
        PlainPython, lambda peer: peer.solve(large),
        lambda ours, theirs: same(ours, theirs, f"{theirs:,} states"),
        float,
    )  # fmt: skip
    ending, names = QUICK_AGAINST_PYTHON if plan.quick else AGAINST_PYTHON
    endings(ending, names[-1])  # compiles
    yield compare(
        plan, Row(what=f"table of {names[-1]} of {ending!r}", unit="states/s", bars=(Bar("ratio", "≥", 100),)),
        lambda: {value: count for value, count in endings(ending, names[-1]).stats().counts.items() if count},
        PlainPython, lambda peer: peer.solve_classes(ending, names),
        lambda ours, theirs: same(ours, theirs, f"{sum(theirs.values()):,} states"),
        lambda counts: sum(counts.values()),
    )  # fmt: skip
    quixo, variant, states = QUICK_AGAINST_C if plan.quick else AGAINST_C
    endings(quixo, quixo.class_name(FULL[plan.quick]))  # compiles
    yield compare(
        plan, Row(what=f"table and file of {quixo!r}", unit="states/s", bars=(Bar("ratio", "≥", 3),)),
        lambda: first_player(quixo),
        GamesmanOne, lambda peer: peer.solve("quixo", variant),
        lambda ours, theirs: same(ours, theirs, f"a {ours[0]} in {ours[1]} plies"),
        lambda _: states,
    )  # fmt: skip
    yield from probes(plan, large)
    for game in QUICK_GAMES if plan.quick else GAMES:
        table(small_form(game))  # compiles
        row = Row(what=f"table of {game!r}", unit="states/s")
        own_row, tablebase = measure(plan, row, lambda: table(game), len)  # noqa: B023
        yield replace(own_row, note=f"{len(tablebase):,} states, {size(tablebase) / len(tablebase):.2f} bytes each")
        yield checked(plan, tablebase, f"{game!r}")
        if game == GAMES[0]:
            yield from by_two(plan, game)
        # 0.1 a state, where mirror images are one, is 0.05 for each of Tromp's 69,763,700 positions
        bars = (Bar("figure", "<", 0.1),) if game == ConnectFour(width=5, height=5) else ()
        bare = size(tablebase, distances=False) / len(tablebase)
        yield Row(what=f"values of {game!r}", unit="bytes/state", ours=bare, note="without distances", bars=bars)
    for game in QUICK_WHOLE_GRAPHS if plan.quick else WHOLE_GRAPHS:
        by_threads(small_form(game), 2)  # compiles
        yield two_threads(plan, game, () if plan.quick else (Bar("ratio", "≥", 1.7),))
    for game, small_class, name in ENDINGS[:1] if plan.quick else ENDINGS:
        endings(game, small_class)  # compiles
        row = Row(what=f"table of {name} of {game!r}, with what it leads to", unit="indices/s")
        own_row, tablebase = measure(plan, row, lambda: endings(game, name), indices)  # noqa: B023
        yield replace(
            own_row, note=f"{indices(tablebase):,} indices, {size(tablebase) / indices(tablebase):.3f} bytes each"
        )
        yield checked(plan, tablebase, f"{name} of {game!r}")


def checked(plan: Plan, table: Tablebase, what: str) -> Row:
    """The check of a table against the rules, by all cores."""
    bars = (Bar("figure", "≥", 1e6),) if len(table) > 1e6 else ()
    row, verdict = measure(
        plan,
        Row(what=f"check of the table of {what}", unit="states/s", bars=bars),
        lambda: verify(table),
        lambda verdict: verdict.states,
    )
    assert not verdict.fault
    return replace(row, note=f"by {cores()} threads")


def probes(plan: Plan, game: Game) -> Iterator[Row]:
    """Look-ups from compiled code: of all states in random order, and of 1,000 of them again and again."""
    tablebase = table(game)
    codec, codes = tablebase.codec.record(), np.ascontiguousarray(tablebase.states().codes).reshape(-1)
    prober, memory = prober_of(tablebase), new_record(layout(*PROBE))
    prober.fill(memory)
    order = np.random.default_rng(1).permutation(len(tablebase))
    look_up(game, codec, codes, order[:1], memory)  # compiles
    for what, states in (("any states", order), ("the same 1,000 states", np.tile(order[:1000], 1000))):
        row = Row(what=f"look-ups of {what} of {game!r}", unit="/s", bars=(Bar("figure", "≥", 1e6),))
        yield measure(plan, row, lambda: look_up(game, codec, codes, states, memory), float)[0]  # noqa: B023
    prober.callback  # noqa: B018 - the prober lives until here
    chess = Chess()
    by_class = endings(chess, "KPK")
    prober = prober_of(by_class)
    prober.fill(memory)
    number = chess.parse_class("KPK")
    order = np.random.default_rng(1).permutation(chess.index_count(number))
    look_up_in_class(chess, number, order[:1], memory)  # compiles
    row = Row(what=f"look-ups of any states of KPK of {chess!r}", unit="/s", bars=(Bar("figure", "≥", 1e6),))
    yield measure(plan, row, lambda: look_up_in_class(chess, number, order, memory), lambda _: float(len(order)))[0]
    prober.callback  # noqa: B018


@kernel
def look_up(game: Any, codec: Any, codes: Any, order: Any, memory: Any) -> int:
    """The number of these states that are found in a table."""
    probe, hits = pointer(memory), 0
    for number in order:
        if probe_codes(game, state_at(game, codec, codes, number), probe) == HIT:
            hits += 1
    return hits


@kernel
def look_up_in_class(game: Any, number: int, order: Any, memory: Any) -> int:
    """The number of the states with these indices that are found in a table by class."""
    probe, hits = pointer(memory), 0
    for index in order:
        if probe_classes(game, game.indexed_state(number, index), probe) == HIT:
            hits += 1
    return hits


def first_player(game: Game) -> tuple[str, int | None]:
    """Make the table of a game by class, and its file; who wins, and in how many plies."""
    tablebase = endings(game, game.class_name(game.state_class(game.initial_state())), threads=1)
    size(tablebase)
    result = tablebase.probe(game.initial_state())
    assert result is not None
    return "win" if result.value > 0 else "lose" if result.value < 0 else "tie", result.plies


def small_form(game: Game) -> Game:
    """A small game of the same class."""
    match game:
        case ConnectFour():
            return ConnectFour(width=4, height=3)
        case Breakthrough():
            return Breakthrough(4, 3)
        case Kalah():
            return Kalah(pits=2, seeds=2)
        case Pig():
            return Pig(goal=8)
        case ManyPlayerMNK():
            return ManyPlayerMNK(3, 2, 2)
    return Oware(1)


def table(game: Game, threads: int = 1) -> Tablebase:
    """The table of a game."""
    tablebase = Tablebase.make(game, memory_mb=12_000, threads=threads, check=False)
    assert tablebase is not None
    return tablebase


class OneThread(Peer):
    """The same with one thread."""

    name = "one thread"


class OneProcess(Peer):
    """The same with one worker process."""

    name = "one process"


def by_two(plan: Plan, game: Game) -> Iterator[Row]:
    """Two threads, and two processes, against one."""
    bars = () if plan.quick else (Bar("ratio", "≥", 1.8),)
    yield two_threads(plan, game, bars)
    yield compare(
        plan, Row(what=f"table of {game!r} in files, two processes, with their start", unit="states/s", bars=bars),
        lambda: by_processes(game, 2),
        OneProcess, lambda _: by_processes(game, 1),
        lambda ours, theirs: same(ours, theirs, f"{theirs:,} states"),
        float,
    )  # fmt: skip


def two_threads(plan: Plan, game: Game, bars: tuple[Bar, ...]) -> Row:
    """Two threads against one."""
    return compare(
        plan, Row(what=f"table and file of {game!r}, two threads", unit="states/s", bars=bars),
        lambda: by_threads(game, 2),
        OneThread, lambda _: by_threads(game, 1),
        lambda ours, theirs: same(ours, theirs, f"{theirs:,} states"),
        float,
    )  # fmt: skip


def by_threads(game: Game, threads: int) -> int:
    """The number of states of a table that threads make and write to a file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.table"
        tablebase = Tablebase.make(game, file=path, memory_mb=12_000, threads=threads, check=False)
        assert tablebase is not None
        return len(tablebase)


def by_processes(game: Game, workers: int) -> int:
    """The number of states of a table that worker processes make, up to its compressed blocks."""
    with TemporaryDirectory() as folder:
        team, disk = ProcessTeam(workers), float(shutil.disk_usage(folder).free)
        solved_states = make(game, [game.initial_state()], 12_000, team, folder=Path(folder) / "a.making", disk=disk)
        assert solved_states is not None
        return sum(solved_states.counts)


def endings(game: Game, name: str, threads: int | None = None) -> Tablebase:
    """The table of a class of a game, with the classes that it leads to."""
    tablebase = Tablebase.make(game, classes=[name], memory_mb=12_000, threads=threads, check=False)
    assert tablebase is not None
    return tablebase


def indices(table: Tablebase) -> int:
    """The number of indices of a table by class, with holes."""
    assert table.classes is not None
    return sum(facts["indices"] for facts in table.classes.about.values())


def size(table: Tablebase, distances: bool = True) -> int:
    """The bytes of a table's file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.table"
        table.save(path, distances=distances)
        return path.stat().st_size
