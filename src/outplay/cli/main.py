"""Where the command begins and ends.

Nothing is imported here but what `main` needs to take Ctrl-C, so that it does from the first moment on.
"""

import _signal  # type: ignore[import-not-found] # of `signal`, the part that needs no imports
import os
import sys

from outplay.cli.exit_codes import INTERRUPTED


def main() -> None:
    """The entry point of the command; it ends the process.

    While modules are imported, and when all is done, Ctrl-C ends the process at once: an exception could arise in
    places where it is lost, or print a traceback. In between it is Python's usual `KeyboardInterrupt`.
    """
    usual = _signal.getsignal(_signal.SIGINT)
    takes_ctrl_c = usual is _signal.default_int_handler
    if takes_ctrl_c:
        _signal.signal(_signal.SIGINT, _leave)
    _open_streams()
    from outplay.cli.commands import app  # noqa: PLC0415 - heavy
    from outplay.cli.signals import stop_signals  # noqa: PLC0415
    from outplay.system.uninterrupted import leave  # noqa: PLC0415

    code: str | int | None = 1  # of a traceback, which only --debug lets through
    try:
        try:
            if takes_ctrl_c:
                _signal.signal(_signal.SIGINT, usual)
            with stop_signals():
                app()
        finally:
            if takes_ctrl_c:
                _signal.signal(_signal.SIGINT, _leave)
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        _leave()
    except OSError:  # not even an error can be printed
        code = 2
    code = _flushed(code)
    leave(code if isinstance(code, int) else 1)  # if the compiler is still at work, do not wait for it
    sys.exit(code)


def _leave(*_: object) -> None:
    """End the process, as Ctrl-C asks."""
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def _open_streams() -> None:
    """Make a closed input an empty one, and refuse a closed output: answers would be lost, or end up in some file."""
    answers = sys.stdout
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            device = os.open(os.devnull, os.O_RDWR)
            if device != number:
                os.dup2(device, number)
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process
    if answers is None:
        sys.stderr.write("Error: the output is closed: there is nowhere to print an answer\n")
        sys.exit(_flushed(2))


def _flushed(code: str | int | None) -> str | int | None:
    """The exit code, when all that was printed is out; 2 if it cannot be written, as to a disk that is full."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            if stream is sys.stdout and not isinstance(error, BrokenPipeError) and code != 2:
                sys.stderr.write(f"Error: the answer cannot be written: {error.strerror}\n")
            if not isinstance(error, BrokenPipeError):
                code = 2
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # else Python tries again, and complains
        except ValueError:  # closed by the rules
            pass
    return code
