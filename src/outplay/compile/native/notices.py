"""The warnings that compiling a kernel can give."""

from outplay.compile.native.losses import UnknownNumbaWarning

__all__ = ["NotKeptWarning", "RunsInterpretedWarning", "UnknownNumbaWarning"]


class RunsInterpretedWarning(UserWarning):
    """The rules of a game do not compile, so searches run at the speed of Python."""


class NotKeptWarning(UserWarning):
    """Compiled code depends on something whose content cannot be read, so each process compiles again."""
