"""Tables of all states of a game, solved: made once, kept in a file, and used by every search."""
