"""The effect of each technique of alpha-beta on one game: `python -m benchmarks ablation GAME`.

The same positions, some plies into random games, are searched to the same depth: with the default options; without each
technique; with each one that is off by default; and with each one alone. Reading order: `TECHNIQUES` (the list),
`variants` (the searches), `measured` (one of them), `compared` (all of them).
"""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from outplay import AlphaBeta, Analysis, Game, Limit, legal_actions, state_key
from outplay.rules.game import defines
from outplay.search.alpha_beta import is_light

POSITIONS, SEED = 8, 0
SECONDS, QUICK_SECONDS = 0.3, 0.02
"""The depth is the first at which the default options take this long."""
MAX_DEPTH = 64
RUNS, BRIEF, LONG = 2, 0.1, 2.0
"""The best of two runs counts; of more, if they take less than 0.1 seconds; of one, if it takes more than two."""
PATIENCE = 4
"""A position is given up after this many times the nodes that all of them take with the default options."""
TABLE_MB = 16


@dataclass(frozen=True)
class Technique:
    """An option of `AlphaBeta` with its values for on and off; it needs one of `rules`, if there are any."""

    name: str
    on: dict[str, Any]
    off: dict[str, Any]
    rules: tuple[str, ...] = ()
    selective: bool = False

    def suits(self, game: Game) -> bool:
        """Whether the game defines what the technique needs."""
        if (self.name == "symmetry" and game.repetition) or (self.name == "countermoves" and game.players != 2):
            return False
        return not self.rules or any(defines(game, rule) for rule in self.rules)

    def usual(self, game: Game) -> bool:
        """Whether it is on by default."""
        if self.name == "history_heuristic":
            return not defines(game, "order")
        if self.name == "prefetch":
            return is_light(game)
        if self.name in ("killers", "countermoves"):
            return not (defines(game, "order") and defines(game, "candidates"))
        return not self.selective


def switch(name: str, *rules: str, selective: bool = False, on: Any = True, off: Any = False) -> Technique:
    """The technique of the option with this name."""
    option = name.replace(" ", "_")
    return Technique(name, {option: on}, {option: off}, rules, selective)


TECHNIQUES = (
    Technique("table", {"table_mb": TABLE_MB}, {"table_mb": 0}),
    switch("hints", "forced_result", "candidates"),
    switch("symmetry", "symmetries"),
    switch("null window"),
    switch("order"),
    switch("staged"),
    switch("prefetch"),
    switch("killers"),
    switch("countermoves"),
    switch("history_heuristic"),
    switch("quiescence", "is_quiet", "noisy"),
    switch("extensions", "needs_extension"),
    switch("beam", selective=True, on=4, off=None),
    switch("late move reductions", selective=True),
    switch("null move", "null_move_state", selective=True),
    switch("futility", "evaluate", selective=True),
    switch("probcut", "evaluate", selective=True),
)
IN_ORDER = ("staged", "killers", "countermoves", "history_heuristic")
"""These do nothing without `order`: alone, they are combined with it and compared with `order` alone."""


@dataclass(frozen=True)
class Variant:
    """A search to measure, and the name of the search that it is compared with; "" for none."""

    name: str
    options: dict[str, Any]
    beside: str = ""


def variants(game: Game) -> Iterator[Variant]:
    """The searches to measure for a game."""
    all_on, table_alone = "default", "table alone"
    yield Variant(all_on, {})
    suiting = [technique for technique in TECHNIQUES if technique.suits(game)]
    for technique in suiting:
        if technique.usual(game):
            yield Variant(f"without {technique.name}", technique.off, all_on)
    for technique in suiting:
        if not technique.usual(game):
            yield Variant(f"with {technique.name}", technique.on, all_on)
    all_off = {
        option: value for technique in suiting if technique.name != "table" for option, value in technique.off.items()
    }
    yield Variant(table_alone, all_off, all_on)
    for technique in suiting:
        if not technique.selective and technique.name != "table":
            ordered = technique.name in IN_ORDER
            options = {**all_off, **({"order": True} if ordered else {}), **technique.on}
            yield Variant(
                f"table, {'order, ' if ordered else ''}{technique.name}",
                options,
                "table, order" if ordered else table_alone,
            )


@dataclass(frozen=True)
class Measured:
    """The cost of one search for all positions, in nodes and processor seconds, and the values it found."""

    nodes: int
    seconds: float
    values: tuple[float, ...]
    exact: bool
    given_up: bool


def measured(game: Game, states: list[Any], options: dict[str, Any], depth: int, most_nodes: int = 0) -> Measured:
    """The least time that a search of all states took."""
    searcher = AlphaBeta(game, **{"table_mb": TABLE_MB, **options})
    searcher.search_many(states[:1], Limit(depth=1))  # compiles
    best, total, runs, analyses = float("inf"), 0.0, 0, list[Analysis]()
    while (runs < RUNS and total < LONG) or total < BRIEF:
        started = time.process_time()
        analyses = searcher.search_many(states, Limit(depth=depth, nodes=most_nodes or None))
        seconds = time.process_time() - started
        best, total, runs = min(best, seconds), total + seconds, runs + 1
    return Measured(
        nodes=sum(analysis.nodes for analysis in analyses),
        seconds=best,
        values=tuple(analysis.value for analysis in analyses),
        exact=all(analysis.exact for analysis in analyses),
        given_up=any(analysis.stopped == "nodes" for analysis in analyses),
    )


def positions(game: Game) -> list[Any]:
    """Different states after a quarter of a random game; undecided ones, if there are any."""
    rng, open_states, decided_states, keys = random.Random(SEED), list[Any](), list[Any](), set[int]()
    glance = AlphaBeta(game, table_mb=0)
    for _ in range(20 * POSITIONS):
        line = [game.initial_state()]
        while not game.is_terminal(line[-1]) and len(line) < 1000:
            line.append(game.result(line[-1], rng.choice(list(legal_actions(game, line[-1])))))
        state = line[len(line) // 4]
        key = state_key(game, state)
        if not game.is_terminal(state) and key not in keys:
            keys.add(key)
            (decided_states if glance.search(state, Limit(depth=4)).exact else open_states).append(state)
        if len(open_states) == POSITIONS:
            break
    return (open_states + decided_states)[:POSITIONS]


def depth_for(game: Game, states: list[Any], seconds: float) -> int:
    """The first depth at which a search takes `seconds` or is exact."""
    for depth in range(1, MAX_DEPTH):
        cost = measured(game, states, {}, depth)
        if cost.exact or cost.seconds >= seconds:
            return depth
    return MAX_DEPTH


def compared(game: Game, depth: int | None = None, *, quick: bool = False) -> tuple[str, list[dict[str, Any]]]:
    """A description of what was searched, and a row for each variant as plain values.

    A row has the `search`, its `nodes` and `seconds`, both also as multiples (`nodes_times`, `seconds_times`) of those
    of the search named in `beside`, and the number of positions with the same value as in the first row (`same`).
    """
    states = positions(game)
    depth = depth or depth_for(game, states, QUICK_SECONDS if quick else SECONDS)
    costs: dict[str, Measured] = {}
    rows = []
    for variant in variants(game):
        most_nodes = PATIENCE * next(iter(costs.values())).nodes if costs else 0
        cost = costs[variant.name] = measured(game, states, variant.options, depth, most_nodes)
        row: dict[str, Any] = {"search": variant.name, "nodes": cost.nodes, "seconds": cost.seconds}
        reference = costs.get(variant.beside)
        if reference is not None:
            row |= {
                "beside": variant.beside,
                "nodes_times": cost.nodes / reference.nodes,
                "seconds_times": cost.seconds / reference.seconds,
            }
        first = next(iter(costs.values()))
        row["same"] = sum(a == b for a, b in zip(cost.values, first.values, strict=True))
        row["given_up"] = cost.given_up
        rows.append(row)
    return f"{game!r}, {len(states)} positions to depth {depth}", rows


def left_out(game: Game) -> str:
    """The techniques that need a rule that the game does not define, in words; "" if there are none."""
    without = [
        f"{technique.name} ({' or '.join(technique.rules)})" for technique in TECHNIQUES if not technique.suits(game)
    ]
    return f"Left out, because the game does not define the rules they need: {', '.join(without)}." if without else ""


def as_table(title: str, rows: list[dict[str, Any]], box: Any) -> Table:
    """The rows as a table; "≥" where the search was given up."""
    table = Table(box=box)
    for column in (title, "nodes", "ms", "beside", "nodes ×", "time ×", "same value"):
        table.add_column(column, justify="left" if column in (title, "beside") else "right")
    for row in rows:
        mark = "≥ " if row["given_up"] else ""
        ratios = [f"{mark}{row[name]:.2f}" if name in row else "" for name in ("nodes_times", "seconds_times")]
        figures = [f"{mark}{row['nodes']:,}", f"{mark}{1000 * row['seconds']:.1f}"]
        same = "" if row["given_up"] else str(row["same"])
        table.add_row(row["search"], *figures, row.get("beside", ""), *ratios, same)
    return table
