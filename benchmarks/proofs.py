"""Proofs of exact values: states checked per second in plain Python, and the size of each proof.

`python -m benchmarks proofs` makes each proof once, which takes about five minutes, and checks it several times.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.common import Plan, Row, measure
from outplay.proofs import Proof
from outplay.session.load import load_game

HEXAPAWN = Path(__file__).parents[1] / "examples" / "hexapawn.py"
GAMES = (
    "connect-four(width=5, height=4)", "connect-four(width=5, height=5)", f"{HEXAPAWN}(5, 5)", f"{HEXAPAWN}(5, 6)",
    f"{HEXAPAWN}(6, 6)", "domineering(6, 6)", "dots-and-boxes(2, 3)", "dots-and-boxes(3, 3)",
    "connect-four(width=6, height=5)",
)  # fmt: skip
QUICK_GAMES = ("nim((1, 2, 3))",)
TABLE_MB = 256


def rows(plan: Plan) -> Iterator[Row]:
    """Each proof is made, and checked with the rules alone."""
    for name in QUICK_GAMES if plan.quick else GAMES:
        game = load_game(name)
        proof = Proof.make(game, table_mb=TABLE_MB)
        assert proof is not None
        row = Row(what=f"check a proof of {game!r}", unit="states/s")
        row, verdict = measure(plan, row, proof.verify, lambda verdict: verdict.states)
        assert not verdict.fault
        with TemporaryDirectory() as folder:
            size = proof.save(Path(folder) / "a.proof")
        mean_size = size / proof.states
        nodes = proof.analysis.nodes if proof.analysis else 0
        yield replace(
            row,
            note=f"{proof.result}: {proof.states:,} states, {size:,} bytes, {mean_size:.2f} bytes each;"
            f" {nodes:,} nodes",
        )
