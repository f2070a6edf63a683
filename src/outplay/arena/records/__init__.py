"""Records of games, in the formats of the field: PGN, SGF, PDN, GGF, Jellyfish's .mat, and JSON lines for every game.

`files.py` says which game has which format; `replay.py` gives the states of a game that was played.
"""
