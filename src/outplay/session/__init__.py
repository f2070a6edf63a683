"""What all front ends share: finding games and algorithms by name, and a game in progress."""

from outplay.session.levels import Blend
from outplay.session.players import SearchPlayer, StrategyPlayer
from outplay.session.session import Session
from outplay.session.solver import Solved, Solver

__all__ = ["Blend", "SearchPlayer", "Session", "Solved", "Solver", "StrategyPlayer"]
