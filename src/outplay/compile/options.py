"""CompileTimeOptions: switches of a search that are compile-time constants, so that what is off is not even
compiled.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class CompileTimeOptions:
    """Derive a frozen data class from this; its fields are numbers, booleans, text or None.

    To compiled code an instance is a constant, as a game is: `if settings.killers:` is decided before its branch is
    even looked at. So each combination in use is compiled for itself; numbers that change often are better passed as
    arguments.
    """
