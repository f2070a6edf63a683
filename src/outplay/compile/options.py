"""CompileTimeOptions: options of a search that are compile-time constants, so that disabled code is not compiled."""

from dataclasses import dataclass


@dataclass(frozen=True)
class CompileTimeOptions:
    """Base class of frozen data classes whose fields are numbers, booleans, text or None.

    In compiled code an instance is a constant, like a game: `if settings.killers:` is decided before its branch is
    compiled. So each combination in use is compiled separately; pass numbers that change often as arguments instead.
    """
