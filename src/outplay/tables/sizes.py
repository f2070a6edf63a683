"""Sizes that several modules of tables must agree on."""

BLOCK = 4096
"""The number of states of a block in a file, and of those that a search reads at once."""
MAX_DEGREE = 4096
"""The maximum number of actions of a state."""
MAX_LEVELS = 4096
"""The maximum number of different utilities."""
