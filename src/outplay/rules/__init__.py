"""The contracts of games and problems, and what can be said of a state without searching."""
