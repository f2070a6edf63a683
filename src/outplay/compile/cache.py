"""The cache of compiled code on disk: one file per kernel, set of argument types and manifest.

The code of a kernel for a class of games is stored in its own folder, named by a hash of the kernel, the argument types
and all versions. Each file starts with its manifest: the questions that the compiler asked about the game, and a
fingerprint of the answers. Code is used only if the present answers are the same, so it never goes stale, and the old
code is found again when an edit is undone. Any number of processes can write at once.

The cache is `$OUTPLAY_CACHE` or the user's cache folder. With `OUTPLAY_CACHE=off`, or if the folder cannot be written,
outplay works without it. The least recently used files are removed when it grows beyond `LIMIT`.

What is in the cache is run. So outplay also works without it where others than the user and root could put files.
"""

import hashlib
import json
import os
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["CacheFile", "clear", "files", "folder"]

MAX_VERSIONS = 64
"""The maximum number of versions kept of one kernel, such as for games of different sizes."""
LIMIT = 256 * 2**20
"""The maximum size of the folder in bytes; beyond it, the least recently used files are removed."""
LOOKS = 64
"""How often the size of the folder is looked at, which takes some milliseconds for each hundred files: when a process
saves for the first time, and after each part of `LIMIT` of so many that it has saved."""
SUFFIX = ".native"


@dataclass(frozen=True)
class CacheFile:
    """One file of the cache: the kernel, the game, the size in bytes and the time of last use."""

    path: Path
    kernel: str
    game: str
    size: int
    used: float


def folder() -> Path | None:
    """The cache folder, or None if the cache is off."""
    setting = os.environ.get("OUTPLAY_CACHE")
    if setting:
        try:
            return None if setting.lower() == "off" else Path(setting).expanduser()
        except RuntimeError:  # ~name of an unknown user
            return None
    if "HOME" not in os.environ and os.name != "nt" and not os.environ.get("XDG_CACHE_HOME"):
        return None  # other users could write to a shared folder: not safe for code
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "outplay" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "outplay"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "outplay"


@lru_cache
def is_trusted(place: Path) -> bool:
    """Whether only the user and root can change this folder, or make it; if not, a warning says who else can."""
    if os.name == "nt":
        return True
    inside = [place.absolute(), Path(os.path.realpath(place))]
    for above in dict.fromkeys(parent for path in inside for parent in (path, *path.parents)):
        try:
            status = above.stat()
        except OSError:  # it does not exist yet
            continue
        if may_be_of_others(status, is_above=above not in inside):
            warnings.warn(
                f"compiled code is neither kept nor loaded, as others may write to {above}, and what is in {place} is"
                " run: chmod go-w, or set OUTPLAY_CACHE to a folder of your own",
                stacklevel=2,
            )
            return False
    return True


def may_be_of_others(status: os.stat_result, *, is_above: bool = False) -> bool:
    """Whether others than the user and root can change a file or folder.

    In a sticky folder such as /tmp they cannot replace what is not theirs, so it may be above a folder that is trusted.
    """
    if status.st_uid not in (os.geteuid(), 0, Path("/").stat().st_uid):
        return True
    if stat.S_ISCHR(status.st_mode):  # /dev/null, as the home of users without one: all may write, nothing is kept
        return False
    if is_above and status.st_mode & stat.S_ISVTX:
        return False
    return bool(status.st_mode & stat.S_IWOTH) or (bool(status.st_mode & stat.S_IWGRP) and not _is_alone(status.st_gid))


def _is_alone(group: int) -> bool:
    """Whether a group is that of root, or has this user alone, as each user has a group on many systems."""
    import grp  # noqa: PLC0415 - not on Windows
    import pwd  # noqa: PLC0415

    try:
        entry, user = grp.getgrgid(group), pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return False
    return group == 0 or (entry.gr_name == user and set(entry.gr_mem) <= {user})


def place_of(key: str) -> Path | None:
    """The folder of all code with this key; None if the cache is off, or others may write to it."""
    place = folder()
    if place is None or not is_trusted(place):
        return None
    return place / hashlib.sha256(key.encode()).hexdigest()[:40]


def file_for(key: str, questions: Any = (), content: str = "") -> Path | None:
    """The file for code with this key and manifest."""
    place = place_of(key)
    manifest = hashlib.sha256(f"{json.dumps(questions)} {content}".encode()).hexdigest()
    return place / (manifest[:16] + SUFFIX) if place else None


def load(key: str, content_of: Callable[[Any], str | None]) -> tuple[bytes, Any] | None:
    """The code stored under `key` whose manifest still holds, and its list of questions; None if there is none.

    `content_of(questions)` returns the fingerprint of the present answers. Damaged files are removed and count as
    missing.
    """
    contents: dict[str, str | None] = {}
    for path in _newest(place_of(key)):
        try:
            if os.name != "nt" and any(map(may_be_of_others, (path.stat(), path.parent.stat()))):
                continue
            header, _, payload = path.read_bytes().partition(b"\n")
            described = json.loads(header)
            questions, content = described["asked"], described["content"]
            if described["key"] != key or described["sha256"] != _checksum(key, questions, content, payload):
                raise ValueError
        except OSError:
            continue
        except (ValueError, KeyError, TypeError, RecursionError):
            with suppress(OSError):
                path.unlink()
            continue
        questions_text = json.dumps(questions)
        if questions_text not in contents:
            contents[questions_text] = content_of(questions)
        if contents[questions_text] == content:
            with suppress(OSError):
                os.utime(path)  # files are removed in the order of their last use
            return payload, questions
    return None


def save(key: str, kernel: str, game: str, payload: bytes, questions: Any = (), content: str = "") -> None:
    """Store `payload` under `key` with its manifest; an unwritable folder or a full disk is not an error."""
    path = file_for(key, questions, content)
    if path is None:
        return
    checksum = _checksum(key, questions, content, payload)
    header = {"key": key, "asked": questions, "content": content, "kernel": kernel, "game": game, "sha256": checksum}
    temporary = None
    try:
        path.parent.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=SUFFIX + ".new")
        with os.fdopen(handle, "wb") as file:
            file.write(json.dumps(header).encode() + b"\n" + payload)
        Path(temporary).replace(path)
    except OSError:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
            with suppress(OSError):
                path.parent.rmdir()
        return
    for old in _newest(path.parent)[MAX_VERSIONS:]:
        with suppress(OSError):
            old.unlink()
    place = path.parent.parent
    _unseen[place] = _unseen.get(place, LIMIT) + len(payload)
    if _unseen[place] > LIMIT // LOOKS:
        _unseen[place] = 0
        trim(LIMIT)


_unseen: dict[Path, int] = {}
"""For each folder, the bytes that this process has saved there since it looked at the size of the whole."""


def _checksum(key: str, questions: Any, content: str, payload: bytes) -> str:
    described = json.dumps([key, questions, content]).encode()
    return hashlib.sha256(b"%d:" % len(described) + described + payload).hexdigest()


def _newest(place: Path | None) -> list[Path]:
    """The files of compiled code in a folder, the most recently used first."""
    dated = []
    for path in _listed(place):
        with suppress(OSError):
            if path.suffix == SUFFIX:
                dated.append((-path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(dated)]


def files() -> list[CacheFile]:
    """The files in the cache, the most recently used first."""
    entries = []
    for path in _all_files():
        if path.suffix != SUFFIX:
            continue
        with suppress(OSError, ValueError, KeyError, TypeError):
            with path.open("rb") as file:
                header = json.loads(file.readline())
            status = path.stat()
            entries.append(CacheFile(path, header["kernel"], header["game"], status.st_size, status.st_mtime))
    return sorted(entries, key=lambda file: -file.used)


def clear() -> int:
    """Remove all files of the cache; return the number of files removed."""
    return trim(0)


def trim(limit: int) -> int:
    """Remove the least recently used files until at most `limit` bytes are left; return the number removed."""
    entries = []
    for path in _all_files():
        with suppress(OSError):
            if path.name.endswith((SUFFIX, SUFFIX + ".new")):
                status = path.stat()
                entries.append((status.st_mtime, status.st_size, path))
    size, removed = sum(entry[1] for entry in entries), 0
    for _, file_size, path in sorted(entries):
        if size <= limit:
            break
        with suppress(OSError):
            path.unlink()
            removed += 1
            with suppress(OSError):  # the folder is not empty
                path.parent.rmdir()
        size -= file_size
    return removed


def _all_files() -> list[Path]:
    """Every file in the folders of the cache."""
    return [path for place in _listed(folder()) for path in _listed(place)]


def _listed(place: Path | None) -> list[Path]:
    try:
        return list(place.iterdir()) if place and place.is_dir() else []
    except OSError:
        return []
