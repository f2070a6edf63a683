"""What all searches share: the runner, the memory of a search, the transposition table, the answer, books, traces."""
