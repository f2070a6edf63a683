"""What the command returns to the shell, besides 0, 1 and 2."""

INTERRUPTED = 130
"""After Ctrl-C, as shells have it."""
