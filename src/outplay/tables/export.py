"""A table as CSV or Parquet, for people and other programs: a row for each state, in the order of their codes."""

import csv
import io
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from outplay.rules.constant_sum import is_opposed
from outplay.rules.errors import TableError
from outplay.tables.numbering import END
from outplay.tables.table_states import Entry
from outplay.tables.tablebase import Tablebase

ROWS = 10_000
"""The number of rows that are written at once."""
Parts = Iterator[bytes]


def writer_for(path: Path) -> Callable[[Tablebase], Parts]:
    """What makes the content of a file with this ending: Parquet for `.parquet`, else CSV.

    Raises `TableError` if pyarrow is not installed for the former.
    """
    if path.suffix.lower() != ".parquet":
        return csv_parts
    try:
        import pyarrow  # noqa: F401, PLC0415 - better now than after minutes
    except ImportError as error:
        raise TableError(
            f"{path}: Parquet needs the extra parquet ({error}): pip install 'outplay[parquet]'; or export to .csv"
        ) from None
    return parquet_parts


def columns_of(table: Tablebase) -> tuple[str, ...]:
    """The names of the columns."""
    value = "value for player 0" if is_opposed(table.game) else "values of sides"
    return "state", "to move", value, "plies" if table.distance_to == END else f"plies to the next {table.distance_to}"


def csv_parts(table: Tablebase) -> Parts:
    """The content of a CSV file, part by part."""
    text = io.StringIO(newline="")
    rows = csv.writer(text)
    rows.writerow(columns_of(table))
    for entries in _batches(table):
        for state, player, value, plies in entries:
            values = value if isinstance(value, tuple) else (value,)
            text_of = " ".join(repr(value).removesuffix(".0") for value in values)
            rows.writerow([state, player, text_of, "" if plies is None else plies])
        yield text.getvalue().encode()
        text.seek(0)
        text.truncate()


def parquet_parts(table: Tablebase) -> Parts:
    """The content of a Parquet file, part by part: the columns of the CSV file.

    States are text, values of sides a list, and no plies null.
    """
    import pyarrow as pa  # noqa: PLC0415 - an extra
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    value = pa.float64() if is_opposed(table.game) else pa.list_(pa.float64())
    schema = pa.schema(list(zip(columns_of(table), (pa.string(), pa.int16(), value, pa.uint16()), strict=True)))
    content = io.BytesIO()
    with ParquetWriter(content, schema, compression="zstd") as writer:
        for entries in _batches(table):
            states, *values = zip(*entries, strict=True)
            columns = [[str(state) for state in states], *values]
            arrays = [pa.array(list(column), field.type) for column, field in zip(columns, schema, strict=True)]
            writer.write_table(pa.table(arrays, schema=schema))
            yield _text_so_far(content)
    yield _text_so_far(content)


def _text_so_far(content: io.BytesIO) -> bytes:
    """What has been written since the last time; the writer counts bytes itself."""
    text = content.getvalue()
    content.seek(0)
    content.truncate()
    return text


def _batches(table: Tablebase) -> Iterator[list[Entry]]:
    entries = table.entries()
    while batch := list(islice(entries, ROWS)):
        yield batch
