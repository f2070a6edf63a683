"""Estimates of a state, for a search that must stop before the end.

`variant.py`: how any of them takes the place of a game's own `evaluate`; `linear.py`: weighted sums of features;
`outcome.py`: shares of the final outcomes.
"""
