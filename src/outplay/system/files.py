"""How outplay writes its files: whole or not at all, whatever happens meanwhile.

A file is written beside the old one, forced to the disk and renamed. A process that is killed, a full disk or a power
cut leaves the old file or the new one, never a part. A lock keeps two processes from writing one file at a time; it
belongs to the process, so it goes with a process that is killed. What a killed process leaves behind, a temporary file
and a lock file, has a fixed name beside the file, and the next write removes it.

Start at `write_file`.
"""

import contextlib
import errno
import hashlib
import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from outplay.rules.errors import OutplayError

SAVE_EVERY = 60.0
"""Seconds after which long commands save what they have found so far."""
LARGEST = 1 << 30
"""Bytes of the largest file that is read."""
PATIENCE = 30.0
"""Seconds to wait for another process that is writing the same file."""
STREAM = re.compile(r"/dev/(stdin|stdout|stderr|fd/)|/proc/")
"""Paths that stand for an open file, which must not be replaced by another one."""

Content = bytes | memoryview


class Locked(OSError):
    """Another process holds the lock; `strerror` says which."""


def write_file(
    path: str | os.PathLike[str],
    content: Content | Callable[[], Content],
    error: type[OutplayError] = OutplayError,
    *,
    sync: bool = True,
) -> None:
    """Replace the content of a file, or make the file. If that fails, the old file is as it was.

    The permissions of an old file are kept, and a symbolic link stays one. Pipes and devices are written to directly.

    Args:
        path: the file.
        content: what is written. A function is called while no other process can write the file, so that it can read
            the old content and add to it.
        error: raised if the file cannot be written.
        sync: wait until the content is on the disk. Without it, a power cut may lose the old and the new content.
    """
    try:
        status = _status(path)
        if STREAM.match(os.path.abspath(path)) or (status and not stat.S_ISREG(status.st_mode)):
            data = content() if callable(content) else content
            with open(path, "wb") as file:
                file.write(data)
            return
        target = Path(os.path.realpath(path))
        if status and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "it is write-protected")
        with locked(_beside(target, "lock"), PATIENCE) as alone:
            data = content() if callable(content) else content
            _replace(target, data, _beside(target, "tmp" if alone else f"{os.getpid()}.tmp"), status, sync)
    except OSError as failure:
        raise error(f"{path} cannot be written: {failure.strerror or failure}{_unchanged(path)}") from failure


def read_file(path: str | os.PathLike[str], error: type[OutplayError] = OutplayError) -> bytes:
    """The content of a file. Raises `error` if it cannot be read, or has no end, as /dev/zero."""
    content = bytearray()
    try:
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                content += part
                if len(content) > LARGEST:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return bytes(content)
    except (OSError, ValueError) as failure:
        raise error(f"{path} cannot be read: {getattr(failure, 'strerror', None) or failure}") from failure


def read_text(path: str | os.PathLike[str], error: type[OutplayError] = OutplayError) -> str:
    """The text of a file in UTF-8. Raises `error` if it cannot be read, or is no text."""
    try:
        return read_file(path, error).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as failure:
        raise error(f"{path} cannot be read: it is no text: {failure}") from failure


@contextlib.contextmanager
def in_use(path: str | os.PathLike[str], error: type[OutplayError] = OutplayError) -> Iterator[None]:
    """Keep a file to this process, which goes on to write it. Raises `error` if another process does so."""
    status = _status(path)
    if STREAM.match(os.path.abspath(path)) or (status and not stat.S_ISREG(status.st_mode)):
        yield
        return
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(locked(_beside(Path(os.path.realpath(path)), "used"), 0))
        except Locked as failure:
            raise error(f"{path} is in use: {failure.strerror}; wait until it is done, or name another file") from None
        except OSError as failure:
            raise error(f"{path} cannot be written: {failure.strerror}") from failure
        yield


@contextlib.contextmanager
def locked(path: Path, patience: float) -> Iterator[bool]:
    """Hold a lock, in a file that is there meanwhile; False where the file system has no locks.

    Raises `Locked` if another process, or another thread, still holds it after so many seconds.
    """
    start = time.monotonic()
    while True:
        file = open(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666), "r+b")  # noqa: SIM115
        try:
            held = _lock(file)
            is_file = held is not False and os.path.samestat(os.fstat(file.fileno()), os.stat(path))
        except FileNotFoundError:  # the one who held it has removed it
            is_file = False
        except BaseException:
            file.close()
            raise
        if is_file:
            break
        if held is False and time.monotonic() - start > patience:
            with file:
                raise Locked(errno.EWOULDBLOCK, f"{_holder(file)} is writing it")
        file.close()
        if held is False:
            time.sleep(0.01)
    try:
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        file.flush()
        yield held is True
    finally:
        with contextlib.suppress(OSError):
            path.unlink()  # first, while it is still locked
        with contextlib.suppress(OSError):
            file.close()
        if sys.platform == "win32":  # no open file can be removed there
            with contextlib.suppress(OSError):
                path.unlink()


def _lock(file: BinaryIO) -> bool | None:
    """Whether the lock on an open file could be had; None where there are no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            file.seek(1 << 30)  # what is locked there cannot be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            file.seek(0)
        else:
            import fcntl  # noqa: PLC0415

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except (OSError, ImportError):
        return None
    return True


def _holder(file: BinaryIO) -> str:
    """Who holds a lock, as `locked` wrote it down."""
    with contextlib.suppress(OSError, ValueError):
        return f"process {int(file.read(20))}"
    return "another process"


def _replace(target: Path, data: Content, temporary: Path, old: os.stat_result | None, sync: bool) -> None:
    """Write a temporary file and give it the name and the permissions of the target."""
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()  # of a process that was killed
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, 0o666)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        if old is not None:
            if hasattr(os, "chown"):
                with contextlib.suppress(OSError):  # only root can give files away
                    os.chown(temporary, old.st_uid, old.st_gid)
            temporary.chmod(stat.S_IMODE(old.st_mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    if sync:
        with contextlib.suppress(OSError):  # not every system can open a folder
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _beside(path: Path, ending: str) -> Path:
    """A hidden file beside `path`."""
    name = path.name
    if len(os.fsencode(name)) > 200:  # a name has at most 255 bytes
        name = hashlib.sha256(os.fsencode(name)).hexdigest()
    return path.with_name(f".{name}.{ending}")


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    """What the system knows of a file; None if there is none."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _unchanged(path: str | os.PathLike[str]) -> str:
    return "; the old file is as it was" if os.path.isfile(path) else ""
