"""Reading and writing files. A file is written whole or not at all.

The new file is written beside the old one, synced to the disk and renamed. If the process is killed, the disk is full
or the power fails, either the old file or the new one remains, never a part. A lock prevents two processes from writing
the same file at the same time; it is released when its process ends. A killed process may leave a temporary file and a
lock file. Both have fixed names beside the file, and the next write removes them.

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
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from outplay.rules.errors import OutplayError

SAVE_EVERY = 60.0
"""Seconds between saves of a long command."""
MAX_FILE_BYTES = 1 << 30
"""The maximum size of a file that is read, in bytes."""
PATIENCE = 30.0
"""The maximum number of seconds to wait for another process that is writing the same file."""
STREAM = re.compile(r"/dev/(stdin|stdout|stderr|fd/)|/proc/")
"""Paths that refer to an open file, which must not be replaced."""

OTHER_VERSION = "written by another version of outplay: make it anew"
"""What errors say of a file in another version of its format."""

Content = bytes | memoryview | Iterable[bytes | memoryview]


def check_version(path: object, version: object, form: str | bytes, error: type[OutplayError] = OutplayError) -> None:
    """Raise `error` if what a file begins with, `version`, is another version of `form`, such as "outplay book 2"."""
    version_text, own_text = (
        text.decode(errors="replace").rstrip() if isinstance(text, bytes) else str(text) for text in (version, form)
    )
    if version_text != own_text and re.fullmatch(rf"{own_text.rpartition(' ')[0]} \d+", version_text):
        raise error(f"{path} was {OTHER_VERSION}")


class Locked(OSError):
    """Another process holds the lock; `strerror` names it."""


def write_file(
    path: str | os.PathLike[str],
    content: Content | Callable[[], Content],
    error: type[OutplayError] = OutplayError,
    *,
    sync: bool = True,
    check: Callable[[Path], None] | None = None,
) -> None:
    """Write a file, replacing its old content. If that fails, the old file is unchanged.

    The permissions of an old file are kept, and symbolic links are followed. Pipes and devices are written to directly.

    Args:
        path: the file.
        content: what to write, as a whole or part by part. A function is called while the lock is held, so that it can
            read the old content and add to it.
        error: the exception to raise if the file cannot be written.
        sync: wait until the content is on the disk. Otherwise a power failure may lose the old and the new content.
        check: called with the new file, if it is one, before it replaces the old one, which remains if that raises.
    """
    try:
        status = _status(path)
        if STREAM.match(os.path.abspath(path)) or (status and not stat.S_ISREG(status.st_mode)):
            data = content() if callable(content) else content
            with open(path, "wb") as file:
                file.writelines(_parts(data))
            return
        target = Path(os.path.realpath(path))
        if status and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "it is write-protected")
        with locked(_beside(target, "lock"), PATIENCE) as alone:
            data = content() if callable(content) else content
            _replace(target, data, _beside(target, "tmp" if alone else f"{os.getpid()}.tmp"), status, sync, check)
    except OSError as failure:
        raise error(f"{path} cannot be written: {failure.strerror or failure}{_unchanged(path)}") from failure


def why_not_writable(path: str | os.PathLike[str]) -> str:
    """Why `write_file` could not write this file; empty if it could. To ask before long work."""
    if STREAM.match(os.path.abspath(path)):
        return ""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        return "it is a folder"
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}"
    needed = [target] if target.exists() else []
    if not needed or target.is_file():  # a file is replaced, in its folder
        needed.append(target.parent)
    return "" if all(os.access(path_needed, os.W_OK) for path_needed in needed) else "it is write-protected"


def read_file(path: str | os.PathLike[str], error: type[OutplayError] = OutplayError) -> bytes:
    """The content of a file. Raises `error` if it cannot be read, or is endless, such as /dev/zero."""
    content = bytearray()
    try:
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                content += part
                if len(content) > MAX_FILE_BYTES:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
        return bytes(content)
    except (OSError, ValueError) as failure:
        raise error(f"{path} cannot be read: {getattr(failure, 'strerror', None) or failure}") from failure


def read_text(path: str | os.PathLike[str], error: type[OutplayError] = OutplayError) -> str:
    """The text of a file in UTF-8. Raises `error` if it cannot be read or is not text."""
    try:
        return read_file(path, error).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as failure:
        raise error(f"{path} cannot be read: it is not text: {failure}") from failure


@contextlib.contextmanager
def in_use(path: str | os.PathLike[str], error: type[OutplayError] = OutplayError) -> Iterator[None]:
    """Reserve a file that this process is going to write. Raises `error` if another process has reserved it."""
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
    """Hold a lock on a lock file, which is removed afterwards. Yields False if the file system has no locks.

    Raises `Locked` if another process or thread still holds the lock after `patience` seconds.
    """
    start = time.monotonic()
    while True:
        file = open(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666), "r+b")  # noqa: SIM115
        try:
            held = _lock(file)
            is_file = held is not False and os.path.samestat(os.fstat(file.fileno()), os.stat(path))
        except FileNotFoundError:  # its last holder has removed it
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
        with contextlib.suppress(OSError):  # the disk is full: the lock holds all the same
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
    """Lock an open file. Returns whether that succeeded, or None if there are no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            file.seek(1 << 30)  # a locked part cannot be read
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            finally:
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
    """The process that holds a lock, as `locked` recorded it."""
    with contextlib.suppress(OSError, ValueError):
        return f"process {int(file.read(20))}"
    return "another process"


def _replace(
    target: Path,
    data: Content,
    temporary: Path,
    old: os.stat_result | None,
    sync: bool,
    check: Callable[[Path], None] | None,
) -> None:
    """Write a temporary file, check it, then give it the permissions and the name of the target."""
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()  # of a process that was killed
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(temporary, flags, 0o666)
    try:
        with open(handle, "wb") as file:
            file.writelines(_parts(data))
            file.flush()
            if sync:
                os.fsync(file.fileno())
        if check is not None:
            check(temporary)
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


def _parts(content: Content) -> Iterable[bytes | memoryview]:
    return (content,) if isinstance(content, (bytes, memoryview)) else content


def _beside(path: Path, ending: str) -> Path:
    """A hidden file beside `path`."""
    name = path.name
    if len(os.fsencode(name)) > 200:  # a name has at most 255 bytes
        name = hashlib.sha256(os.fsencode(name)).hexdigest()
    return path.with_name(f".{name}.{ending}")


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    """The status of a file; None if there is none."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _unchanged(path: str | os.PathLike[str]) -> str:
    return "; the old file is unchanged" if os.path.isfile(path) else ""
