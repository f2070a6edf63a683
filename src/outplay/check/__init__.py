"""The laws of games, tried in full by `check_game` and in milliseconds before a search."""
