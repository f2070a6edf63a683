"""Games as environments of Gymnasium, PettingZoo and OpenSpiel, and many games stepped at once in native code.

`observation.py`: what a player sees as numbers; `action_numbers.py`: the fixed space of actions; `play.py`: a game in
progress; `gym.py`, `zoo.py`: the environments; `vector.py`: n games in one call; `spiel.py`: games of OpenSpiel.
"""

from importlib.util import find_spec

from outplay import _lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from outplay.env.gym import GymEnv
    from outplay.env.registration import openspiel_game, register_games
    from outplay.env.vector import VectorGame
    from outplay.env.zoo import aec_env, parallel_env

__all__ = ["GymEnv", "VectorGame", "aec_env", "openspiel_game", "parallel_env", "register_games"]

__getattr__, __dir__ = _lazy(
    __name__,
    {
        "GymEnv": "outplay.env.gym",
        "VectorGame": "outplay.env.vector",
        "aec_env": "outplay.env.zoo",
        "openspiel_game": "outplay.env.registration",
        "parallel_env": "outplay.env.zoo",
        "register_games": "outplay.env.registration",
    },
)

if find_spec("gymnasium"):
    from outplay.env.registration import register_games

    register_games()
