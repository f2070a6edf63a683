"""Games written for other libraries, played as they are.

Each module has one class, `Adapted`, which makes a `Game` of an object of one library: it calls the methods of the
object and imports nothing of the library. `adapt` finds the right module for an object. `base.py` has what the modules
share.
"""

from outplay.adapters import aima, alpha_zero_general, easyai, gamesmanpy, openspiel
from outplay.adapters.finding import adapt

__all__ = ["adapt", "aima", "alpha_zero_general", "easyai", "gamesmanpy", "openspiel"]
