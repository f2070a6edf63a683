"""What all commands do when a file cannot be written: say so, go on, print the answer, and exit with code 2."""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from outplay.cli.exit_codes import NOT_SAVED
from outplay.cli.output import complain
from outplay.rules.errors import OutplayError

FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""The numbers of errors that say that there is no room for a file."""
_failures: list[str] = []
"""Why files of the present command were not saved."""


def saved(save: Callable[[], object], file: object = "") -> bool:
    """Save a file by calling `save`. Returns whether that succeeded; if not, the error is printed at the end.

    With the name of the `file`, it is told that it was written, on standard error.
    """
    try:
        save()
    except OutplayError as error:
        not_saved(str(error))
    except OSError as error:
        not_saved(f"{error.filename or 'a file'} cannot be written: {error.strerror or error}")
    else:
        if file:
            complain("Written", "bold green", str(file))
        return True
    return False


def save_early(save: Callable[[], object]) -> None:
    """Save a file before long work, so that an error is reported now. A full disk is only a warning: it may get room.

    Raises `OutplayError` for other errors.
    """
    try:
        save()
    except OutplayError as error:
        if not (isinstance(error.__cause__, OSError) and error.__cause__.errno in FULL):
            raise
        complain("Warning", "bold yellow", f"{error}; saving will be tried again")


def not_saved(message: str) -> None:
    """Say at the end why a file was not saved. The command goes on, but its exit code is 2."""
    _failures.append(message)


@contextmanager
def exit_code_of_saving() -> Iterator[None]:
    """Run a command. However it ends, the exit code is 2 if a file was not saved, and the last lines say why."""
    _failures.clear()
    try:
        yield
    except typer.Exit:
        if not _failures:
            raise
    finally:
        for message in _failures:
            complain("Error", "bold red", message)
    if _failures:
        raise typer.Exit(NOT_SAVED)
