"""The warnings that can be given when kernels compile."""

from outplay.compile.native.losses import UnknownNumbaWarning

__all__ = ["NotKeptWarning", "RunsInterpretedWarning", "UnknownNumbaWarning"]


class RunsInterpretedWarning(UserWarning):
    """The rules of a game do not compile, so it is searched at the speed of Python."""


class NotKeptWarning(UserWarning):
    """Compiled code depends on something without a content that can be read, so each process compiles anew."""
