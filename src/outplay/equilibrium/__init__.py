"""Nash equilibria of games with hidden information."""
