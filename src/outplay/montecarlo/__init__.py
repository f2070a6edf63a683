"""Monte Carlo tree search, for any number of players, with or without chance.

Start at `mcts.py`.
"""
