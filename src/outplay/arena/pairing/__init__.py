"""Who meets whom in a tournament, one file for each format.

A format is a generator of waves: it gives the meetings that can be played now, and is sent the points of their players,
in the same order, when all of them are over.
"""
