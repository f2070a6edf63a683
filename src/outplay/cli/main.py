"""The entry point of the command.

Only what `main` needs to handle Ctrl-C is imported here, so that Ctrl-C works from the start.
"""

import _signal  # type: ignore[import-not-found] # the part of `signal` that needs no imports
import gc
import os
import sys

from outplay.cli.exit_codes import INTERRUPTED


def run() -> None:
    """Run the command as the whole process, which ends at once: taking down Numba takes 0.1 s."""
    try:
        main()
    except SystemExit as end:
        import atexit  # noqa: PLC0415 - after Ctrl-C is handled
        import threading  # noqa: PLC0415

        if threading.active_count() > 1 or not isinstance(end.code, int | None):
            raise
        atexit._run_exitfuncs()
        code = _flushed(end.code)
        os._exit(code if isinstance(code, int) else 0)


def main() -> None:
    """Run the command and raise `SystemExit`.

    During imports, and after the command has finished, Ctrl-C ends the process at once: an exception could get lost
    there, or print a traceback. In between Ctrl-C raises `KeyboardInterrupt` as usual.
    """
    usual = _signal.getsignal(_signal.SIGINT)
    takes_ctrl_c = usual is _signal.default_int_handler
    if takes_ctrl_c:
        _signal.signal(_signal.SIGINT, _leave)
    _open_streams()
    from outplay.cli.commands import app  # noqa: PLC0415 - heavy
    from outplay.cli.signals import stop_signals  # noqa: PLC0415
    from outplay.system.uninterrupted import leave  # noqa: PLC0415

    code: str | int | None = 1  # after a traceback, which only --debug lets through
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
    leave(code if isinstance(code, int) else 1)  # without waiting for the compiler
    gc.freeze()  # no search for garbage as the process ends, which takes 0.1 to 0.4 s if Numba is loaded
    sys.exit(code)


def _leave(*_: object) -> None:
    """End the process after Ctrl-C."""
    try:
        os.write(2, b"interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def _open_streams() -> None:
    """Treat a closed input as empty, and refuse a closed output: answers would be lost or go to another file."""
    answers = sys.stdout
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            device = os.open(os.devnull, os.O_RDWR)
            if device != number:
                os.dup2(device, number)
            setattr(sys, name, open(number, mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process
    for stream in (sys.stdout, sys.stderr):  # a text from the rules or a name of a file may hold half a character
        if str(getattr(stream, "encoding", "")).lower() == "utf-8" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if answers is None:
        sys.stderr.write("Error: the output is closed: the answer cannot be printed\n")
        sys.exit(_flushed(2))


def _flushed(code: str | int | None) -> str | int | None:
    """The exit code after all output is written; 2 if it cannot be written, for instance to a full disk."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            if stream is sys.stdout and not isinstance(error, BrokenPipeError) and code != 2:
                sys.stderr.write(f"Error: the answer cannot be written: {error.strerror}\n")
            if not isinstance(error, BrokenPipeError):
                code = 2
            os.dup2(
                os.open(os.devnull, os.O_WRONLY), stream.fileno()
            )  # otherwise Python tries again and prints an error
        except ValueError:  # closed by the rules
            pass
    return code
