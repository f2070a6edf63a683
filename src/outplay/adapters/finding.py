"""The adapter for an object, found by its methods."""

from typing import Any

from outplay.adapters import aima, alpha_zero_general, easyai, gamesmanpy, openspiel
from outplay.adapters.base import Adapter, missing, object_text
from outplay.rules.errors import WrongType

LIBRARIES = {
    "easyAI": easyai,
    "aima-python": aima,
    "alpha-zero-general": alpha_zero_general,
    "OpenSpiel": openspiel,
    "GamesmanPy": gamesmanpy,
}


def adapt(game: Any) -> Adapter:
    """A game of outplay, made of a game of easyAI, aima-python, alpha-zero-general, OpenSpiel or GamesmanPy.

    Raises `WrongType` if `game` does not have the methods of any of these.
    """
    for module in LIBRARIES.values():
        if not missing(game, module.METHODS):
            adapted: Adapter = module.Adapted(game)
            return adapted
    name, lacking = min(
        ((name, missing(game, module.METHODS)) for name, module in LIBRARIES.items()), key=lambda pair: len(pair[1])
    )
    nearest = f"for one of {name} it has no {' and no '.join(lacking)}"
    raise WrongType(f"adapt({object_text(game)}): not a game of {', '.join(LIBRARIES)}; {nearest}")
