"""The command `outplay`: one file a command; `commands.py` lists them, `common.py` is what they share."""
