"""The NBoard protocol of Othello: programs as players, and outplay as an engine."""
