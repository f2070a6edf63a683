"""Chance, and any number of players: expectiminimax, max^n, paranoid and best-reply search, value iteration."""
