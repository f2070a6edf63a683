"""Write the rules of a game once, in plain Python; solve it and play it at native speed."""

from outplay.errors import IllegalAction, OutplayError, RulesError, UnsuitableGame
from outplay.game import CHANCE, Game, defines, legal_actions

__version__ = "0.1.0"

__all__ = ["CHANCE", "Game", "IllegalAction", "OutplayError", "RulesError", "UnsuitableGame", "defines", "legal_actions"]
