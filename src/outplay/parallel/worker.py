"""A worker: a process that does the jobs that come through its standard input, one after the other.

It gets messages (kind, number, bytes), each after its length, and answers on what was its standard output. What jobs
print goes to standard error, and what they read is empty. The worker ends when its input ends; its guard then ends the
processes that its jobs started.
"""

import json
import math
import os
import pickle
import queue
import signal
import threading
import traceback
from contextlib import suppress
from typing import Any, BinaryIO

from outplay.parallel.code_transport import unpacked
from outplay.rules.errors import OutplayError
from outplay.rules.user_code import describe_error
from outplay.rules.wording import bounded

Message = tuple[str, int, bytes]
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
"""The variables that set how many threads libraries start."""
LONGEST_HEAD = 100
"""The maximum length of a kind and a number, in bytes."""
BOOT = (
    "import os, pickle, sys; tasks = os.fdopen(os.dup(0), 'rb'); sys.path[:] = pickle.load(tasks);"
    " from outplay.parallel.worker import main; main(tasks)"
)
"""What Python runs in a worker; its search path comes first."""


def environment() -> dict[str, str]:
    """The environment of a worker: libraries start one thread each, unless the user has said otherwise."""
    return {**dict.fromkeys(THREADS, "1"), **os.environ}


def write(file: BinaryIO, message: Message) -> None:
    """Write a message."""
    kind, number, data = message
    head = f"{kind} {number}\n".encode()
    file.write((len(head) + len(data)).to_bytes(8, "little") + head + data)
    file.flush()


class Flood(Exception):
    """A worker sends more than it may."""


def read(file: BinaryIO, longest: float = math.inf) -> Message | None:
    """Read a message; None at the end. Nothing in it is run: a job may have written it.

    Raises `Flood`, and reads no more of it, if a message has more than `longest` bytes.
    """
    length = file.read(8)
    if len(length) < 8:
        return None
    size = int.from_bytes(length, "little")
    if size > longest:
        raise Flood(f"a message of {size:,} bytes, of at most {longest:,}")
    head = file.readline(min(size, LONGEST_HEAD))
    data = file.read(size - len(head))
    if len(head) + len(data) < size:
        return None
    kind, number = head.decode().split()
    return kind, int(number), data


def main(tasks: BinaryIO) -> None:
    """Do jobs until their source ends.

    Messages are a "function", a "job" for it, answered by a pickle, or a "question": a function and its argument,
    answered by JSON, which is safe to read whatever the function does.
    """
    with suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends its workers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a job that reads has no input, instead of the next jobs
    os.close(nothing)
    jobs: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def listen() -> None:
        while (message := read(tasks)) is not None:
            jobs.put(message)
        os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    write(answers, ("ready", -1, b""))
    function: Any = None
    while True:
        kind, number, data = jobs.get()
        try:
            value = unpacked(data)
            if kind == "function":
                function = value
                continue
            if kind == "question":
                method, argument = value
                answer = "done", number, json.dumps(method(argument)).encode()
            else:
                answer = "done", number, result_of(function, value)
        except BaseException as error:
            is_question = kind == "question"
            answer = (
                "failed",
                number,
                bounded(describe_error(error)).encode("utf-8", "replace") if is_question else failure_of(error),
            )
        write(answers, answer)


def result_of(function: Any, value: tuple[Any, dict[str, Any]]) -> bytes:
    """The pickled result of a job."""
    argument, options = value
    result = function(argument, **options)
    try:
        return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise OutplayError(f"the result, a {type(result).__name__}, cannot be sent back: {error}") from error


def failure_of(error: BaseException) -> bytes:
    """An error as bytes: in words, as a traceback, and itself if it can be pickled."""
    words, trace = describe_error(error), "".join(traceback.format_exception(error))
    try:
        data = pickle.dumps(error)
        pickle.loads(data)  # noqa: S301 - our own; some classes of errors cannot be made again
    except Exception:
        data = b""
    return pickle.dumps((words, trace, isinstance(error, OutplayError), data))
