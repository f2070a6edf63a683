"""The command `outplay`, one file a command.

`commands.py` lists the commands, `common.py` is what they share.
"""
