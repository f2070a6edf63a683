"""Proximal policy optimization (Schulman et al. 2017) learns Connect Four against random moves, in minutes.

It needs `pip install 'outplay[env,torch]'`. All games are stepped in one call of `VectorGame`, whose arrays are copied
into tensors; illegal actions are masked out of the policy. The loop is that of CleanRL's single-file programs: play
`STEPS` steps in all games, then go over what was played `EPOCHS` times in small batches.

    python examples/ppo.py --minutes 3
    python examples/ppo.py --game tic-tac-toe --minutes 1
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from outplay.env import VectorGame

GAMES, STEPS = 128, 32
"""The games that are played at once, and the steps of each between two updates."""
EPOCHS, BATCH = 4, 1024
RATE = 1e-3
DISCOUNT, TRACE = 0.99, 0.95
"""The discount of rewards, and the lambda of generalized advantage estimation (Schulman et al. 2016)."""
CLIP, VALUE_WEIGHT, ENTROPY_WEIGHT, MAX_NORM = 0.2, 0.5, 0.01, 0.5


class Agent(nn.Module):  # type: ignore[misc]  # torch may be missing
    """A policy and a value, from the same two layers."""

    def __init__(self, inputs: int, actions: int, width: int = 256) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
        """The policy among legal actions, and the value, of each observation."""
        hidden = self.body(observations)
        logits = self.policy(hidden).masked_fill(masks == 0, -1e9)
        return Categorical(logits=logits, validate_args=False), self.value(hidden)[:, 0]


class Played:
    """What was seen and done in `STEPS` steps of all games, and what came of it: tensors [steps, games, …]."""

    def __init__(self, games: VectorGame) -> None:
        shape = STEPS, games.num_envs
        self.observations = torch.zeros(*shape, *games.single_observation_space.shape)
        self.masks = torch.zeros(*shape, int(games.single_action_space.n), dtype=torch.int8)
        self.actions = torch.zeros(shape, dtype=torch.int64)
        self.log_odds, self.values, self.rewards, self.ends = (torch.zeros(shape) for _ in range(4))

    def advantages(self, last_values: Tensor) -> Tensor:
        """How much better each action was than expected (generalized advantage estimation)."""
        advantages, following, after = torch.zeros_like(self.rewards), torch.zeros_like(last_values), last_values
        for step in reversed(range(STEPS)):
            goes_on = 1 - self.ends[step]
            surprise = self.rewards[step] + DISCOUNT * after * goes_on - self.values[step]
            following = surprise + DISCOUNT * TRACE * goes_on * following
            advantages[step], after = following, self.values[step]
        return advantages


class Learner:
    """Plays and learns.

    Args:
        game: the name of the game.
        seed: of the first weights, of actions, and of the games.
    """

    def __init__(self, game: str, seed: int = 1) -> None:
        torch.manual_seed(seed)
        self.games = VectorGame(game, GAMES, opponent="random", seat="random")
        inputs, actions = int(np.prod(self.games.single_observation_space.shape)), int(self.games.single_action_space.n)
        self.agent = Agent(inputs, actions)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), RATE, eps=1e-5)
        self.observations, self.infos = self.games.reset(seed=seed)

    def play(self) -> tuple[Played, Tensor, list[float]]:
        """Play `STEPS` steps; also returns the value of what comes next, and the results of games that have ended."""
        played, results = Played(self.games), list[float]()
        for step in range(STEPS):
            observations, masks = torch.tensor(self.observations), torch.tensor(self.infos["action_mask"])
            with torch.no_grad():
                policy, values = self.agent(observations, masks)
            actions = policy.sample()
            self.observations, rewards, ends, _, self.infos = self.games.step(actions.numpy())
            played.observations[step], played.masks[step] = observations, masks
            played.actions[step], played.log_odds[step], played.values[step] = actions, policy.log_prob(actions), values
            played.rewards[step], played.ends[step] = torch.tensor(rewards), torch.tensor(ends)
            results += rewards[ends].tolist()
        with torch.no_grad():
            last = self.agent(torch.tensor(self.observations), torch.tensor(self.infos["action_mask"]))[1]
        return played, last, results

    def learn(self, played: Played, last_values: Tensor) -> None:
        """Make actions that were better than expected more probable, but none by much more than `CLIP`."""
        advantages = played.advantages(last_values)
        aims = (advantages + played.values).flatten()
        flat = [part.flatten(0, 1) for part in (played.observations, played.masks, played.actions, played.log_odds)]
        for rows in batches(aims.numel()):
            observations, masks, actions, log_odds = (part[rows] for part in flat)
            policy, values = self.agent(observations, masks)
            ratio = (policy.log_prob(actions) - log_odds).exp()
            gain = advantages.flatten()[rows]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            value_loss = ((values - aims[rows]) ** 2).mean()
            loss = policy_loss + VALUE_WEIGHT * value_loss - ENTROPY_WEIGHT * policy.entropy().mean()
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.agent.parameters(), MAX_NORM)
            self.optimizer.step()

    def share_of_wins(self, games: int = 1000) -> float:
        """The share of so many new games that the most probable actions win."""
        trial = VectorGame(self.games.game, min(games, 200), opponent="random", seat="random")
        observations, infos = trial.reset(seed=12345)
        results = list[float]()
        while len(results) < games:
            with torch.no_grad():
                policy, _ = self.agent(torch.tensor(observations), torch.tensor(infos["action_mask"]))
            observations, rewards, ends, _, infos = trial.step(policy.probs.argmax(1).numpy())
            results += rewards[ends].tolist()
        return sum(result > 0 for result in results) / len(results)


def batches(rows: int) -> Iterator[Tensor]:
    """The rows in random order, in batches, once for each epoch."""
    for _ in range(EPOCHS):
        yield from torch.randperm(rows).split(BATCH)


def main() -> None:
    """Learn for some minutes, and show how it goes."""
    parser = argparse.ArgumentParser(description="PPO against random moves.")
    parser.add_argument("--game", default="connect-four", help="the name of a game")
    parser.add_argument("--minutes", type=float, default=3.0, help="how long to learn")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    learner, began, steps, results, shown = Learner(options.game, options.seed), time.monotonic(), 0, list[float](), 0.0
    while (seconds := time.monotonic() - began) < 60 * options.minutes:
        played, last, new = learner.play()
        learner.learn(played, last)
        steps, results = steps + STEPS * GAMES, [*results, *new][-1000:]
        if seconds > shown:
            won = sum(result > 0 for result in results) / max(1, len(results))
            print(f"{seconds:4.0f} s  {steps:9,} steps  {won:.1%} of the last {len(results)} games won")
            shown += 10.0
    print(f"the most probable actions win {learner.share_of_wins():.1%} of 1,000 games against random moves")


if __name__ == "__main__":
    main()
