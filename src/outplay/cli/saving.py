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


def saved(save: Callable[[], object]) -> bool:
    """Save a file by calling `save`. Returns whether that succeeded; if not, the error is printed."""
    try:
        save()
    except OutplayError as error:
        not_saved(str(error))
    except OSError as error:
        not_saved(f"{error.filename or 'a file'} cannot be written: {error.strerror or error}")
    else:
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
    """Say why a file was not saved. The command goes on, but its exit code is 2."""
    complain("Error", "bold red", message)
    _failures.append(message)


@contextmanager
def exit_code_of_saving() -> Iterator[None]:
    """Run a command. However it ends, the exit code is 2 if a file was not saved."""
    _failures.clear()
    try:
        yield
    except typer.Exit:
        if not _failures:
            raise
    if _failures:
        raise typer.Exit(NOT_SAVED)
