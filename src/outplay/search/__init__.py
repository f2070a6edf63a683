"""Search for games of perfect information: one algorithm a file, in the order of the textbook."""
