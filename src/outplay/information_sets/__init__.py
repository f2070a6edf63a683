"""Search under hidden information, by states that look the same.

Start at `determinize.py`.
"""
