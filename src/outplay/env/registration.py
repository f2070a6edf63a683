"""The built-in games in the registry of Gymnasium: `gymnasium.make("outplay/connect-four-v0")`.

Importing `outplay.env` after Gymnasium registers them.
"""

from typing import Any

from outplay.env.requirement import needed

VERSION = "v0"


def register_games() -> None:
    """Register the built-in games with Gymnasium, once.

    >>> import gymnasium
    >>> register_games()
    >>> gymnasium.make("outplay/tic-tac-toe-v0", opponent="random").action_space
    Discrete(9)
    """
    from outplay.games import BUILT_IN  # noqa: PLC0415 - only when used

    registration: Any = needed("gymnasium.envs.registration")
    for name in BUILT_IN:
        known = f"outplay/{name}-{VERSION}"
        if known not in registration.registry:
            registration.register(
                known,
                entry_point="outplay.env.gym:GymEnv",
                vector_entry_point="outplay.env.vector:VectorGame",
                kwargs={"game": name},
            )
