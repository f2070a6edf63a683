"""Compiled code on disk: a folder of the user's with a file for each kernel, set of argument types and manifest.

The code of a kernel for a class of games lies in a folder of its own, whose name is a hash of the kernel, the types and
the versions of everything. Each file there opens with its manifest: the questions that the compiler asked about the
game, and a fingerprint of the answers. Code is used only where today's answers are the same, so nothing goes stale, and
an edit that is undone finds the old code again. Any number of processes can write at once.

The cache is `$OUTPLAY_CACHE` or the user's cache folder; `OUTPLAY_CACHE=off` does without, and so does outplay by
itself where the folder cannot be written. The least recently used files are removed when it outgrows `LIMIT`.
"""

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["CacheFile", "clear", "files", "folder"]

MOST = 64
"""How many versions of one kernel, such as for games of different sizes, are kept."""
LIMIT = 256 * 2**20
"""The size of the folder, in bytes, above which the least recently used files are removed."""
SUFFIX = ".native"


@dataclass(frozen=True)
class CacheFile:
    """One file of the cache: what was compiled, for which game, its size in bytes and when it was last used."""

    path: Path
    kernel: str
    game: str
    size: int
    used: float


def folder() -> Path | None:
    """The cache folder, or None where it is switched off."""
    chosen = os.environ.get("OUTPLAY_CACHE")
    if chosen:
        try:
            return None if chosen.lower() == "off" else Path(chosen).expanduser()
        except RuntimeError:  # ~somebody, who is not known here
            return None
    if "HOME" not in os.environ and os.name != "nt" and not os.environ.get("XDG_CACHE_HOME"):
        return None  # a folder that others can write to is no place for code
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "outplay" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "outplay"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "outplay"


def place_of(key: str) -> Path | None:
    """The folder of all that was compiled under this key."""
    place = folder()
    return place / hashlib.sha256(key.encode()).hexdigest()[:40] if place else None


def file_for(key: str, asked: Any = (), content: str = "") -> Path | None:
    """Where the code with this key and manifest is kept."""
    place = place_of(key)
    return (
        place / (hashlib.sha256(f"{json.dumps(asked)} {content}".encode()).hexdigest()[:16] + SUFFIX) if place else None
    )


def load(key: str, content_of: Callable[[Any], str | None]) -> tuple[bytes, Any] | None:
    """The code kept under `key` whose manifest holds today, and the questions of the manifest; None if there is none.

    `content_of(questions)` is the fingerprint of today's answers. A damaged file is removed and counts as missing.
    """
    told: dict[str, str | None] = {}
    for path in _newest(place_of(key)):
        try:
            header, _, payload = path.read_bytes().partition(b"\n")
            described = json.loads(header)
            asked, content = described["asked"], described["content"]
            if described["key"] != key or described["sha256"] != _checksum(key, asked, content, payload):
                raise ValueError
        except OSError:
            continue
        except (ValueError, KeyError, TypeError, RecursionError):
            with suppress(OSError):
                path.unlink()
            continue
        questions = json.dumps(asked)
        if questions not in told:
            told[questions] = content_of(asked)
        if told[questions] == content:
            with suppress(OSError):
                os.utime(path)  # the time of last use decides what is removed first
            return payload, asked
    return None


def save(key: str, kernel: str, game: str, payload: bytes, asked: Any = (), content: str = "") -> None:
    """Keep `payload` under `key` with its manifest; a folder that cannot be written, or a full disk, is no error."""
    path = file_for(key, asked, content)
    if path is None:
        return
    checksum = _checksum(key, asked, content, payload)
    header = {"key": key, "asked": asked, "content": content, "kernel": kernel, "game": game, "sha256": checksum}
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
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
    for old in _newest(path.parent)[MOST:]:
        with suppress(OSError):
            old.unlink()
    trim(LIMIT)


def _checksum(key: str, asked: Any, content: str, payload: bytes) -> str:
    described = json.dumps([key, asked, content]).encode()
    return hashlib.sha256(b"%d:" % len(described) + described + payload).hexdigest()


def _newest(place: Path | None) -> list[Path]:
    """The code in a folder, the most recently used first."""
    found = []
    for path in _listed(place):
        with suppress(OSError):
            if path.suffix == SUFFIX:
                found.append((-path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found)]


def files() -> list[CacheFile]:
    """What the cache holds, the most recently used first."""
    found = []
    for path in _kept():
        if path.suffix != SUFFIX:
            continue
        with suppress(OSError, ValueError, KeyError, TypeError):
            with path.open("rb") as file:
                header = json.loads(file.readline())
            status = path.stat()
            found.append(CacheFile(path, header["kernel"], header["game"], status.st_size, status.st_mtime))
    return sorted(found, key=lambda file: -file.used)


def clear() -> int:
    """Remove every file of the cache; the number of files removed."""
    return trim(0)


def trim(limit: int) -> int:
    """Remove the least recently used files until the rest takes at most `limit` bytes; the number removed."""
    found = []
    for path in _kept():
        with suppress(OSError):
            if path.name.endswith((SUFFIX, SUFFIX + ".new")):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
    size, removed = sum(entry[1] for entry in found), 0
    for _, file_size, path in sorted(found):
        if size <= limit:
            break
        with suppress(OSError):
            path.unlink()
            removed += 1
            with suppress(OSError):  # it is not empty
                path.parent.rmdir()
        size -= file_size
    return removed


def _kept() -> list[Path]:
    """Every file in the folders of the cache."""
    return [path for place in _listed(folder()) for path in _listed(place)]


def _listed(place: Path | None) -> list[Path]:
    try:
        return list(place.iterdir()) if place and place.is_dir() else []
    except OSError:
        return []
