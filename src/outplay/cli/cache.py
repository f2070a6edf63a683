"""`outplay cache`: the compiled code on disk."""

# ruff: noqa: PLC0415 - heavy imports wait until they are needed

import os
from datetime import datetime
from typing import Annotated

import typer

from outplay.cli.options import Csv, Json
from outplay.cli.output import print_csv, print_json, say, short, stdout

EXAMPLES = (
    "Examples:",
    "  outplay cache",
    "  outplay cache --clear",
    "OUTPLAY_CACHE sets the folder; OUTPLAY_CACHE=off disables the cache.",
)


def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove all of it. Code is compiled again when it is needed.")
    ] = False,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """List the compiled code on disk, or remove it."""
    from outplay.compile import cache as store

    folder = store.folder()
    if clear:
        removed = store.clear()
        if json:
            print_json({"removed": removed})
        else:
            say(f"removed {of_files(removed)} from {folder}" if folder else "the cache is off")
        return
    files = store.files()
    total = sum(file.size for file in files)
    file_rows = [
        {"kernel": file.kernel, "game": file.game, "size": file.size, "used": file.used, "path": str(file.path)}
        for file in files
    ]
    if csv:
        print_csv(file_rows)
        return
    if json:
        print_json({"folder": str(folder) if folder else None, "size": total, "files": file_rows})
        return
    if folder is None:
        setting = os.environ.get("OUTPLAY_CACHE")
        say(f"the cache is off: {f'OUTPLAY_CACHE={setting}' if setting else 'there is no home folder'}")
        return
    from rich import box
    from rich.table import Table

    table = Table("kernel", "game", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("size", justify="right", no_wrap=True)
    table.add_column("last used", no_wrap=True)
    for file in files:
        used = datetime.fromtimestamp(file.used).astimezone()
        table.add_row(file.kernel.rpartition(".")[2], file.game, in_bytes(file.size), f"{used:%Y-%m-%d %H:%M}")
    if files:
        stdout().print(table)
        say()
    say(f"{of_files(len(files))}, {in_bytes(total)}, in {folder}")


def of_files(count: int) -> str:
    """A number of files in words: 1 file, 2 files."""
    return "1 file" if count == 1 else f"{count} files"


def in_bytes(size: int) -> str:
    """A size in words.

    >>> in_bytes(1_234_567)
    '1.23 MB'
    """
    return f"{short(size)}B"
