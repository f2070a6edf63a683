"""What the command returns to the shell, besides 0, 1 and 2."""

INTERRUPTED = 130
"""After Ctrl-C, as shells have it."""
NOT_SAVED = 1
"""An answer was printed, but a file could not be written."""
