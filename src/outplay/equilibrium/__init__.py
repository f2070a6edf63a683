"""Games in which players choose without seeing all: matrix games, and what the players of them settle for."""
