"""Games in the registries of others: `gymnasium.make("outplay/connect-four-v0")`, and `openspiel_game` for OpenSpiel.

Importing `outplay.env` registers the built-in games with Gymnasium, if it is installed.
"""

import re
from typing import Any

from outplay.env.play import game_of
from outplay.env.requirement import required_module
from outplay.rules.game import Game

VERSION = "v0"


def register_games() -> None:
    """Register the built-in games with Gymnasium, as importing `outplay.env` does.

    >>> import gymnasium
    >>> gymnasium.make("outplay/tic-tac-toe-v0", opponent="random").action_space
    Discrete(9)
    """
    from outplay.games import BUILT_IN  # noqa: PLC0415 - only when used

    registration: Any = required_module("gymnasium.envs.registration")
    for name in BUILT_IN:
        identifier = f"outplay/{name}-{VERSION}"
        if identifier not in registration.registry:
            registration.register(
                identifier,
                entry_point="outplay.env.gym:GymEnv",
                vector_entry_point="outplay.env.vector:VectorGame",
                kwargs={"game": name},
            )


def openspiel_game(game: Game | str, name: str = "") -> Any:
    """A game as a `pyspiel.Game`, which OpenSpiel's algorithms take. Needs `pip install 'outplay[openspiel]'`.

    Args:
        game: a game, or its name.
        name: what it is called in OpenSpiel's registry, so that `pyspiel.load_game(name)` finds it from now on. By
            default `outplay_` and the name of the class, with the parameters. Another game of this name is replaced.

    Raises `OutplayError` if `game` is none.

        from open_spiel.python.algorithms import cfr
        solver = cfr.CFRSolver(openspiel_game("kuhn-poker"))
    """
    rules = game_of(game)
    required_module("pyspiel", "openspiel")
    from outplay.env.spiel import registered  # noqa: PLC0415 - needs OpenSpiel

    return registered(rules, name or "outplay_" + re.sub(r"\W+", "_", repr(rules)).strip("_").lower())
