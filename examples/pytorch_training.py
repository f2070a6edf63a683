"""Train with PyTorch on positions of self-play, and play with the result: an example for training elsewhere.

    pip install 'outplay[torch]'
    outplay learn "breakthrough(rows=6, columns=6)" --export positions.parquet --nodes 200
    python examples/pytorch_training.py "breakthrough(rows=6, columns=6)" positions.parquet trained

The network is as simple as can be: a number for each symbol of each location, for either player to move. Their sum,
squeezed by tanh, is the value. So it fits two kinds of files, and both players can be tried at once:

    trained.learned    alpha-beta(evaluation=trained.learned)    compiled, any search
    trained.onnx       mcts(evaluation=trained.onnx)             any network that you put in its place

Reading order: `read` (the file), `Network`, `train`, `as_tables`, `write_onnx`.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
from pyarrow import parquet
from torch import Tensor, nn

from outplay import Game, LearnedEvaluation, load_game
from outplay.arena import Match, RandomOpenings, Score, Terms
from outplay.evaluation import Layout, Tables, layout_from_text

METADATA = "outplay"
"""The name of the layout in the metadata of both kinds of files."""
BATCH = 1024
EPOCHS = 20
SHARE = 0.7
"""How much of a target is the value of the search; the rest is the result of the game."""
GREATEST = 32767


class Positions(NamedTuple):
    """What is in a file of positions, as tensors."""

    layout: Layout
    text: str  # the layout as the file says it
    inputs: Tensor  # float32 [positions, inputs]
    targets: Tensor  # float32 [positions]: utilities that the player to move can expect


def read(path: Path, game: Game) -> Positions:
    """Read positions that `outplay learn --export` wrote."""
    table = parquet.read_table(path)
    text = table.schema.metadata[METADATA.encode()].decode()
    layout = layout_from_text(text, game)
    symbols = np.stack([column.to_numpy() for column in table.columns[: len(layout.locations)]], axis=1)
    targets = table["result"].to_numpy()
    if "value" in table.column_names:
        values = table["value"].to_numpy()  # nan: its search was too short
        targets = np.where(np.isnan(values), targets, SHARE * values + (1 - SHARE) * targets)
    return Positions(layout, text, inputs_of(game, layout, symbols, table["to_move"].to_numpy()), as_float(targets))


def movers(game: Game) -> int:
    """The number of players, and one for chance."""
    return game.players + game.has_chance


def inputs_of(game: Game, layout: Layout, symbols: Any, to_move: Any) -> Tensor:
    """The inputs that `OnnxEvaluator` describes, of symbols [positions, locations] and players [positions]."""
    planes = [np.eye(size)[symbols[:, place]] for place, size in enumerate(layout.sizes)]
    return as_float(np.hstack([*planes, np.eye(movers(game))[to_move]]))


def as_float(numbers: Any) -> Tensor:
    """Numbers as a tensor of float32."""
    return torch.from_numpy(numbers.astype(np.float32))


class Network(nn.Module):  # type: ignore[misc]
    """The utility that the player to move can expect.

    Args:
        symbols: the number of symbols of all locations.
        movers: the number of players, and one for chance.
        most: the most that a player can win.
    """

    def __init__(self, symbols: int, movers: int, most: float) -> None:
        super().__init__()
        self.symbols, self.most = symbols, most
        self.weights = nn.Linear(symbols, movers, bias=False)
        nn.init.zeros_(self.weights.weight)

    def forward(self, inputs: Tensor) -> Tensor:
        """From float32 [batch, inputs] to float32 [batch]."""
        for_each = self.weights(inputs[:, : self.symbols])  # [batch, movers]
        return torch.tanh((for_each * inputs[:, self.symbols :]).sum(dim=1)) * self.most


def train(network: Network, positions: Positions, epochs: int = EPOCHS, seed: int = 1) -> float:
    """Train the network; return the root of the mean squared error of the last epoch, as a share of what can be won."""
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    total = 0.0
    for _ in range(epochs):
        total = 0.0
        for rows in torch.randperm(len(positions.targets), generator=generator).split(BATCH):
            errors = (network(positions.inputs[rows]) - positions.targets[rows]) / network.most
            loss = (errors**2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += float(loss.detach()) * len(rows)
    return float((total / len(positions.targets)) ** 0.5)


def as_tables(network: Network, game: Game, layout: Layout) -> LearnedEvaluation:
    """The network as an evaluation for any search: each location has a table of its own."""
    places = range(len(layout.locations))
    plain = replace(layout, images=(tuple(places),), clock=(), edges=())
    tables = Tables(plain, tuple((place,) for place in places), sides="apart", movers=movers(game))
    weights = network.weights.weight.detach().double().numpy().ravel()
    scale = max(float(abs(weights).max()), 1e-9) / GREATEST
    whole = np.rint(weights / scale).astype(np.int16)
    return LearnedEvaluation(
        repr(game), tables, whole, scale, network.most, made={"by": "examples/pytorch_training.py"}
    )


def write_onnx(network: Network, positions: Positions, path: Path) -> None:
    """Write the network to an ONNX file, with the layout in its metadata."""
    batch = torch.export.Dim("batch", min=1)
    program = torch.onnx.export(
        network.eval(), (positions.inputs[:2],), input_names=["inputs"], output_names=["value"],
        dynamic_shapes=({0: batch},), dynamo=True, verbose=False,
    )  # fmt: skip
    assert program is not None
    model = program.model_proto
    onnx.helper.set_model_props(model, {METADATA: positions.text})
    path.write_bytes(model.SerializeToString())


def main(name: str, file: str, stem: str, games: int = 40) -> None:
    """Train, write both files, and let the result meet the search without it."""
    game = load_game(name)
    utilities = game.utilities or (-1.0, 1.0)
    positions = read(Path(file), game)
    network = Network(sum(positions.layout.sizes), movers(game), float(max(map(abs, utilities))))
    print(f"{len(positions.targets):,} positions; error {train(network, positions):.3f}")
    as_tables(network, game, positions.layout).save(f"{stem}.learned")
    write_onnx(network, positions, Path(f"{stem}.onnx"))
    players = f"alpha-beta(evaluation={stem}.learned, nodes=1000)", "alpha-beta(nodes=1000)"
    score = Score(None)
    for played in Match(game, players, games, RandomOpenings(4), Terms(max_plies=400), seed=1).run():
        score.add(played)
    print(f"{players[0]} against {players[1]}: {score.strength.elo:+.0f} Elo")


if __name__ == "__main__":
    rules, exported, written = sys.argv[1:]
    main(rules, exported, written)
