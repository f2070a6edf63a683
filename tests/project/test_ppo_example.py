"""The example that learns by PPO, for a few seconds. It needs the extra torch."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[2] / "examples" / "ppo.py"


@pytest.fixture
def ppo():
    """The module, if what it needs is installed."""
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("ppo", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.nightly
def test_it_learns_tic_tac_toe(ppo):
    learner = ppo.Learner("tic-tac-toe", seed=1)
    before = learner.share_of_wins(400)
    for _ in range(25):
        played, last, _ = learner.play()
        learner.learn(played, last)
    assert before < 0.6
    assert learner.share_of_wins(400) > 0.8


@pytest.mark.nightly
def test_advantages_are_what_the_paper_sums_up(ppo):
    """The slow twin: for each step, the sum of all later surprises, discounted, up to the end of the game."""
    import torch

    torch.manual_seed(3)
    learner = ppo.Learner("tic-tac-toe")
    played, last, _ = learner.play()
    values = torch.cat([played.values, last[None]])
    keeps = 1 - played.ends
    surprises = played.rewards + ppo.DISCOUNT * values[1:] * keeps - played.values
    expected = torch.zeros_like(surprises)
    for step in range(ppo.STEPS):
        weight = torch.ones(ppo.GAMES)
        for later in range(step, ppo.STEPS):
            expected[step] += weight * surprises[later]
            weight = weight * ppo.DISCOUNT * ppo.TRACE * keeps[later]
    torch.testing.assert_close(played.advantages(last), expected, rtol=1e-4, atol=1e-5)
