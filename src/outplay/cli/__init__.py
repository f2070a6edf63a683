"""The command `outplay`, one file per command.

`commands.py` lists the commands. They share `options.py`, `start.py` (the game and its state), `common.py` (the
searcher), `output.py` and `errors.py`.
"""
