"""What OpenSpiel requires of a game written in Python, for two players, without chance, with perfect information."""

from typing import Any


def type_and_info(pyspiel: Any, name: str, actions: int, longest: int) -> tuple[Any, Any]:
    """The type of the game and its parameters: the number of actions, and the maximum number of moves."""
    kind = pyspiel.GameType(
        short_name=f"python_{name}",
        long_name=f"{name} in Python",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=actions, max_chance_outcomes=0, num_players=2, min_utility=-1.0, max_utility=1.0,
        utility_sum=0.0, max_game_length=longest,
    )  # fmt: skip
    return kind, info
