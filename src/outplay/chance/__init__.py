"""Games with chance or many players: expectiminimax, max^n, paranoid and best-reply search, value iteration."""
