"""The example that trains with PyTorch: its two files say what its network says. It needs the extra torch."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from outplay import MCTS, LearnedEvaluation, Limit
from outplay.evaluation.layout import sample
from outplay.games import Breakthrough
from outplay.learning import self_played

PATH = Path(__file__).parents[2] / "examples" / "pytorch_training.py"
GAME = Breakthrough(4, 4)


@pytest.fixture
def example():
    """The module, if what it needs is installed."""
    for name in ("torch", "onnx", "onnxscript", "pyarrow"):
        pytest.importorskip(name)
    spec = importlib.util.spec_from_file_location("pytorch_training", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("nodes", [None, 20])
def test_both_files_say_what_the_network_says(example, tmp_path, nodes):
    found = self_played(GAME, 300, games=20, nodes=nodes)
    found.save(tmp_path / "p.parquet")
    positions = example.read(tmp_path / "p.parquet", GAME)
    network = example.Network(sum(positions.layout.sizes), 2, 1.0)
    before = example.train(network, positions, epochs=1)
    assert example.train(network, positions, epochs=10) < before

    states = sample(GAME, 40, seed=3).states
    learned = example.as_tables(network, GAME, positions.layout)
    learned.save(tmp_path / "a.learned")
    learned = LearnedEvaluation.load(tmp_path / "a.learned", GAME)
    expected = [learned(GAME, state, GAME.to_move(state)) for state in states]
    assert max(map(abs, expected)) > 0.1

    from outplay.evaluation.planes import inputs_of

    inputs = example.torch.from_numpy(inputs_of(GAME, positions.layout, states))
    assert network(inputs).detach().numpy() == pytest.approx(expected, abs=1e-3)

    pytest.importorskip("onnxruntime")
    from outplay.evaluation import OnnxEvaluator

    example.write_onnx(network, positions, tmp_path / "a.onnx")
    evaluator = OnnxEvaluator(tmp_path / "a.onnx", GAME)
    values, _ = evaluator(states)
    assert values[np.arange(len(states)), [GAME.to_move(state) for state in states]] == pytest.approx(
        expected, abs=1e-3
    )
    assert MCTS(GAME, evaluator=evaluator).search(limit=Limit(simulations=200)).action is not None


def test_the_script_runs(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    self_played(GAME, 100, games=10).save("p.parquet")
    monkeypatch.setattr(example, "EPOCHS", 2)
    example.main("breakthrough(rows=4, columns=4)", "p.parquet", "trained", 2)
    assert "100 positions; error 0." in capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"p.parquet", "trained.learned", "trained.onnx"}
