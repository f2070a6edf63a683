"""Two-player games without chance: minimax, alpha-beta, MTD(f), proof-number search, and counting."""
