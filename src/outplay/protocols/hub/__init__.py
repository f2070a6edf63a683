"""The Hub protocol of international draughts: programs as players, and outplay as an engine."""
