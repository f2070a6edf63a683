"""The Universal Chess Interface: programs that speak it as players, and outplay as an engine."""
