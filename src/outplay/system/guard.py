"""The parent of a program that outplay has started: it ends the program, and whatever that has started.

A process of its own, run as `guard.py LINE GRACE PROGRAM ARGUMENT…`. LINE is the file number of a socket. The guard
starts the program, and sends the number of its process, or minus the number of the error. When the program ends, the
guard ends what is left of it, and exits with the same code. When the other end of the socket is closed, which the
system does however outplay ends, the guard waits for the program to end by itself, terminates what is left, and kills
what is still left: GRACE seconds for each.

On Linux the guard becomes the parent of processes whose parent has ended (PR_SET_CHILD_SUBREAPER), so that none gets
away by a session of its own, and a program whose guard is killed is killed too (PR_SET_PDEATHSIG). Elsewhere it ends
the process group of the program. It imports the standard library alone, and little of that, to start fast.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PAUSE = 0.005
"""The seconds between two looks at what is left."""


class Guard:
    """The guard of one program."""

    def __init__(self, grace: float) -> None:
        self.grace = grace
        self.program = 0
        """The process of the program."""
        self.status: int | None = None
        """How the program ended, as `os.waitpid` tells it; None as long as it runs."""

    def start(self, command: list[str]) -> int:
        """Start the program; the number of its process, or minus the number of the error."""
        set_process_option(PR_SET_CHILD_SUBREAPER, 1)
        read_end, write_end = os.pipe()  # which a successful start closes
        self.program = os.fork()
        if self.program == 0:
            try:
                os.setsid()
                set_process_option(PR_SET_PDEATHSIG, signal.SIGKILL)
                for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores
                    signal.signal(number, signal.SIG_DFL)
                os.execv(command[0], command)  # noqa: S606 - the user's own choice
            except OSError as error:
                os.write(write_end, str(error.errno).encode())
            finally:
                os._exit(127)
        os.close(write_end)
        errno = os.read(read_end, 16)
        os.close(read_end)
        return -int(errno) if errno else self.program

    def watch(self, line: int, signals: int) -> bool:
        """Wait until the program ends, or until it shall; whether it has ended."""
        while not self.reap() and self.status is None:
            ready, _, _ = select.select([line, signals], [], [])
            if line in ready or (signals in ready and set(os.read(signals, 512)) != {signal.SIGCHLD}):
                return False
        return True

    def end(self, has_ended: bool) -> None:
        """End the program, if it has not ended, and all that it has started."""
        ways: list[int | None] = [signal.SIGTERM] if has_ended else [None, signal.SIGTERM]
        for way in ways:
            if way is not None:
                self.send(way)
            until = time.monotonic() + self.grace
            while not self.reap() and time.monotonic() < until:
                time.sleep(PAUSE)
        self.send(signal.SIGKILL)
        while not self.reap():
            time.sleep(PAUSE)
            self.send(signal.SIGKILL)

    def reap(self) -> bool:
        """Take note of the processes that have ended; whether none is left."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self.program:
                    self.status = ended[1]
            return False
        return True

    def send(self, number: int) -> None:
        """Send a signal to all that is left."""
        if not sys.platform.startswith("linux"):
            with suppress(OSError):
                os.killpg(self.program, number)
        for process in descendants():
            with suppress(OSError):
                os.kill(process, number)


def descendants() -> list[int]:
    """The processes that this one and its descendants have started, where the system shows them as Linux does."""
    parents = {}
    with suppress(OSError):
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    family = [os.getpid()]
    for member in family:  # which grows
        family += [process for process, parent in parents.items() if parent == member]
    return family[1:]


def set_process_option(option: int, value: int) -> None:
    """Call `prctl`, which Linux alone has; do nothing where Python cannot."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes  # noqa: PLC0415 - some builds of Python lack it

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def note(number: int, frame: Any) -> None:
    """Handle a signal: it wakes `Guard.watch`."""


def main() -> None:
    """Guard a program, and end as it does."""
    line, grace, *command = sys.argv[1:]
    os.set_inheritable(int(line), False)
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, note)
    guard = Guard(float(grace))
    answer = guard.start(command)
    with suppress(OSError):
        os.write(int(line), b"%d\n" % answer)
    for file in range(3):  # whoever reads what the program says must see its end
        with suppress(OSError):
            os.close(file)
    guard.end(guard.watch(int(line), read_end))
    code = os.waitstatus_to_exitcode(guard.status or 0)
    if code < 0:  # end by the same signal, but leave no image of the memory
        import resource  # noqa: PLC0415 - seldom needed

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
