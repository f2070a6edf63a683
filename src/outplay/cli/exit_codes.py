"""Exit codes of the command."""

INTERRUPTED = 130
"""Stopped by Ctrl-C, as in shells."""
NOT_SAVED = 2
"""An answer was printed, but a file could not be written."""
