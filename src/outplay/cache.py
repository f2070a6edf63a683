"""Compiled code on disk: a folder of the user's with one file for each kernel, game and set of argument types.

A file's name is a hash of all that its content depends on, so files never clash, never go stale and can be written
by many processes at once. The folder is `$OUTPLAY_CACHE` or the user's cache folder; `OUTPLAY_CACHE=off` does
without, and so does outplay by itself where the folder cannot be written. The least recently used files go when the
folder outgrows `LIMIT`.
"""

import hashlib
import json
import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

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
        return None if chosen.lower() == "off" else Path(chosen).expanduser()
    if "HOME" not in os.environ and os.name != "nt" and not os.environ.get("XDG_CACHE_HOME"):
        return None  # a folder that others can write to is no place for code
    home = Path.home()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", home)) / "outplay" / "cache"
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "outplay"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "outplay"


def file_for(key: str) -> Path | None:
    """Where the code with this key is kept."""
    place = folder()
    return place / (hashlib.sha256(key.encode()).hexdigest()[:40] + SUFFIX) if place else None


def load(key: str) -> bytes | None:
    """The code kept under `key`, or None. A damaged file is removed and counts as missing."""
    path = file_for(key)
    if path is None:
        return None
    try:
        header, _, payload = path.read_bytes().partition(b"\n")
        described = json.loads(header)
        if described["key"] != key or described["sha256"] != hashlib.sha256(payload).hexdigest():
            raise ValueError
    except OSError:
        return None
    except (ValueError, KeyError, TypeError):
        with suppress(OSError):
            path.unlink()
        return None
    with suppress(OSError):
        os.utime(path)  # the time of last use decides what is removed first
    return payload


def save(key: str, kernel: str, game: str, payload: bytes) -> None:
    """Keep `payload` under `key`; a folder that cannot be written, or a full disk, is no error."""
    path = file_for(key)
    if path is None:
        return
    header = {"key": key, "kernel": kernel, "game": game, "sha256": hashlib.sha256(payload).hexdigest()}
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
        return
    trim(LIMIT)


def files() -> list[CacheFile]:
    """What the cache holds, the most recently used first."""
    place, found = folder(), []
    for path in _listed(place):
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
    place = folder()
    found = []
    for path in _listed(place):
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
        size -= file_size
    return removed


def _listed(place: Path | None) -> list[Path]:
    try:
        return list(place.iterdir()) if place else []
    except OSError:
        return []
