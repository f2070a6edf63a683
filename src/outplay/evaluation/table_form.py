"""The form of tables as plain values, for files. Those of a file are checked, before code is written for them."""

import json
from collections.abc import Sequence
from typing import Any, get_args

from numpy.typing import NDArray

from outplay.evaluation.columns import MAX_COLUMNS, Column
from outplay.evaluation.layout import SYMBOLS, Layout, Location, Part
from outplay.evaluation.patterns import ENTRIES, Sides, Tables
from outplay.rules.errors import EvaluationError

MAX_COPIES, MAX_PARTS, MAX_ROWS, MAX_HEAD, MAX_BYTES = 4096, 8192, 1 << 23, 1 << 24, 1 << 28
"""A file with more indices, parts of locations, numbers in rows, bytes of plain values, or bytes, is damaged."""
CONTRADICTION = "the numbers in it contradict each other: it is damaged; learn it anew"
"""What is said of a file."""


def check_form(tables: Tables) -> None:
    """Raise `EvaluationError` unless code can be written for tables from a file, and never reads outside of them."""
    layout, locations = tables.layout, tables.layout.locations
    parts = dict.fromkeys([part for place in locations for part in place.parts] + [part for part, _ in layout.clock])
    bytes_ = {(part.column, part.bit // 8) for part in parts if part.bit >= 0}
    rows = 256 * (len(bytes_) + len(parts) + 2)
    places = list(range(len(locations)))
    units = [unit for unit in (tables.own, *tables.features) if unit]
    turn = [] if layout.turn is None else [layout.turn]
    whole = [*layout.edges, *(weight for _, weight in layout.clock), *(part.low for part in [*parts, *turn])]
    good = (
        len(layout.columns) <= MAX_COLUMNS
        and len(parts) <= MAX_PARTS
        and tables.copies <= MAX_COPIES
        and all(_is_part(part, len(layout.columns)) for part in parts)
        and all(1 <= place.symbols <= SYMBOLS for place in locations)
        and bool(layout.images)
        and all(sorted(image) == places for image in layout.images)
        and {place for group in tables.groups for place in group} <= set(places)
        and max(tables.lengths, default=0) <= ENTRIES
        and rows * (tables.copies * tables.index_bits // 64 + 2) <= MAX_ROWS
        and not (layout.edges and not layout.clock)
        and all(abs(number) < 1 << 63 for number in whole)
        and all(map(is_unit, units))
        and (tables.score is None or tables.score.kind == "number")
        and min(tables.players, tables.movers) >= 1
        and all(_is_turn(part, tables) for part in turn)
        and tables.sides in get_args(Sides)
        and (tables.sides != "opposite" or (tables.players, tables.movers) == (1, 2))
    )
    if not good:
        raise EvaluationError(CONTRADICTION)


def _is_part(part: Part, columns: int) -> bool:
    """Whether a part of a file can be read."""
    return (
        0 <= part.column < columns
        and -1 <= part.bit < 64
        and 0 <= part.factor < SYMBOLS
        and 0 <= part.high - part.low < SYMBOLS
        and len(part.drawn) in (0, part.high - part.low + 1)
        and all(0 <= symbol < SYMBOLS for symbol in part.drawn)
    )


def _is_turn(part: Part, tables: Tables) -> bool:
    """Whether a part of a file says whose turn it is."""
    is_read = _is_part(part, len(tables.layout.columns)) and part.bit < 0 and bool(part.drawn)
    return is_read and max(part.drawn) < tables.movers - 1


def is_unit(number: float) -> bool:
    """Whether one can multiply with a number, and divide by it."""
    return 1e-100 < number < 1e100


def form_of(tables: Tables) -> dict[str, Any]:
    """The form of tables as plain values."""
    layout = tables.layout
    return {
        "columns": [column.as_list() for column in layout.columns],
        "locations": [
            {"name": place.name, "symbols": place.symbols, "parts": place.parts} for place in layout.locations
        ],
        "images": layout.images,
        "clock": layout.clock,
        "edges": layout.edges,
        "turn": layout.turn,
        "groups": tables.groups,
        "sides": tables.sides,
        "players": tables.players,
        "movers": tables.movers,
        "score": None if tables.score is None else tables.score.as_list(),
        "own": tables.own,
        "features": tables.features,
    }  # fmt: skip


def head_of(arrays: dict[str, NDArray[Any]]) -> Any:
    """The plain values in the arrays of a file."""
    if arrays["head"].nbytes > MAX_HEAD:
        raise ValueError(f"its head has {arrays['head'].nbytes:,} bytes")
    return json.loads(str(arrays["head"]))


def form_from(head: dict[str, Any]) -> Tables:
    """The form of tables that `form_of` wrote."""
    locations = tuple(
        Location(tuple(map(_part, place["parts"])), int(place["symbols"]), str(place["name"]))
        for place in head["locations"]
    )
    layout = Layout(
        tuple(map(Column.from_list, head["columns"])),
        locations,
        tuple(tuple(map(int, image)) for image in head["images"]),
        tuple((_part(part), int(weight)) for part, weight in head["clock"]),
        tuple(map(int, head["edges"])),
        None if head.get("turn") is None else _part(head["turn"]),
    )
    return Tables(
        layout,
        tuple(tuple(map(int, group)) for group in head["groups"]),
        head["sides"],
        int(head["players"]),
        int(head["movers"]),
        None if head["score"] is None else Column.from_list(head["score"]),
        float(head["own"]),
        tuple(map(float, head["features"])),
    )


def _part(numbers: Sequence[Any]) -> Part:
    column, bit, factor, low, high, drawn = numbers
    return Part(int(column), int(bit), int(factor), int(low), int(high), tuple(map(int, drawn)))
