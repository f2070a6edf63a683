"""Techniques that are off because the installed version of Numba lacks something.

outplay uses undocumented names of Numba, and a new version may rename any of them. Then the technique that needs the
name is off, and one warning says so. Results are the same.
"""

import importlib.metadata
import warnings

KNOWN = "0.63.1 to 0.68.1"
"""The oldest and the newest version of Numba that outplay was tested with."""

NATIVE, QUICK, DISK, CALLS, START, POOLS = (
    "native speed",
    "quick compilation",
    "the disk cache",
    "quick calls",
    "quick start",
    "pools of memory",
)
MEANS = {
    NATIVE: "searches run interpreted",
    QUICK: "compiling takes longer",
    DISK: "every process compiles again",
    CALLS: "each search starts a fraction of a millisecond later",
    POOLS: "rules with lists or objects run at half the speed",
    START: "the first search starts up to 0.2 seconds later",
}
"""The techniques that can be lost, and the effect on the user."""


class UnknownNumbaWarning(UserWarning):
    """Something is slower because outplay does not know the installed version of Numba."""


lost: dict[str, list[str]] = {}
"""The lost techniques, with the names that are missing or behave differently."""
_lost_before: set[str] = set()


def lose(technique: str, *names: str) -> None:
    """Note that a technique is off."""
    lost.setdefault(technique, []).extend(names)


def is_on(technique: str) -> bool:
    """Whether a technique works with this version of Numba."""
    return technique not in lost


def tell() -> None:
    """Warn about everything lost since the last warning."""
    new = {technique: names for technique, names in lost.items() if technique not in _lost_before}
    if not new:
        return
    _lost_before.update(new)
    if NATIVE in new:
        _lost_before.update(MEANS)  # nothing else matters any more
        new = {NATIVE: new[NATIVE]}
    names = ", ".join(dict.fromkeys(name for names in new.values() for name in names))
    effects = "; ".join(f"{MEANS[technique]} (no {technique})" for technique in new)
    warnings.warn(
        f"Numba {importlib.metadata.version('numba')} lacks or has changed {names}: {effects}."
        f" Results are the same. Versions known to work: Numba {KNOWN}",
        UnknownNumbaWarning,
        stacklevel=2,
    )
