"""The Chess Engine Communication Protocol of XBoard: programs as players, and outplay as an engine."""
