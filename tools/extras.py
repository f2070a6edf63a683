"""Install each extra for users into an empty environment, and all of them together, and use it: minutes and gigabytes.

.venv/bin/python tools/extras.py             all extras
.venv/bin/python tools/extras.py env torch   some of them, then those together
.venv/bin/python tools/extras.py --together  only all of them together
"""

import os
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

from package import DEVELOPERS, PIP, ROOT, run

NOT_FOR_USERS = (*DEVELOPERS, "benchmarks")
USES = {
    "chess": """
import chess, chess.engine
from outplay import AlphaBeta
from outplay.games import Chess
from outplay.protocols import SearchEngine
print(SearchEngine(AlphaBeta(Chess())).play(chess.Board(), chess.engine.Limit(depth=2)).move)""",
    "env": """
import gymnasium, numpy, outplay.env
environment = gymnasium.make("outplay/connect-four-v0", render_mode="rgb_array")
observation, facts = environment.reset(seed=1)
environment.step(int(numpy.flatnonzero(facts["action_mask"])[0]))
assert environment.render().ndim == 3
outplay.env.aec_env("connect-four").reset(seed=1)""",
    "equilibrium": """
from outplay.equilibrium import MatrixGame, lemke_howson
print(lemke_howson(MatrixGame([[3, 0], [0, 2]], [[2, 0], [0, 3]])))""",
    "gambit": """
from outplay.equilibrium import MatrixGame, exact_equilibria
assert len(exact_equilibria(MatrixGame([[3, 0], [0, 2]], [[2, 0], [0, 3]]))) == 3""",
    "notebook": """
from outplay.games import TicTacToe
from outplay.web import BoardWidget
BoardWidget(TicTacToe())""",
    "onnx": """
import onnxruntime
from outplay import EvaluationError, MCTS
from outplay.evaluation import OnnxEvaluator
from outplay.games import TicTacToe
open("no.onnx", "wb").write(b"none")
try:
    OnnxEvaluator("no.onnx", TicTacToe())
except EvaluationError as error:
    assert "install" not in str(error), error
else:
    raise SystemExit("a damaged file is read")""",
    "openspiel": """
from open_spiel.python.algorithms import cfr
from outplay.env import openspiel_game
cfr.CFRSolver(openspiel_game("kuhn-poker")).evaluate_and_update_policy()""",
    "parquet": """
import subprocess, sys
options = "--export states.parquet --positions 100 --games 50 --nodes 10".split()
subprocess.run([sys.executable, "-m", "outplay", "learn", "tic-tac-toe", *options], check=True)""",
    "plot": """
import matplotlib
matplotlib.use("Agg")
from outplay.equilibrium import CFR
from outplay.games import KuhnPoker
CFR(KuhnPoker()).solve(iterations=100).plot()""",
    "png": """
import outplay
from outplay.games import TicTacToe
outplay.show(TicTacToe(), TicTacToe().initial_state()).save("board.png")""",
    "ray": """
import ray
from outplay.parallel.ray_workers import RayPool
ray.init(num_cpus=1, include_dashboard=False)
ray.shutdown()""",
    "tables": """
from outplay import Tablebase
from outplay.games import TicTacToe
table = Tablebase.make(TicTacToe())
table.save("small.table")
assert len(Tablebase.load("small.table", TicTacToe())) == len(table)""",
    "torch": "import onnx, onnxscript, pyarrow, torch; print(torch.ones(2) + 1)",
    "web": """
import subprocess, sys, time, urllib.request
server = subprocess.Popen([sys.executable, "-m", "outplay", "serve", "tic-tac-toe", "--port", "8765", "--no-open"])
try:
    for _ in range(100):
        time.sleep(0.3)
        try:
            page = urllib.request.urlopen("http://127.0.0.1:8765/").read()
            break
        except OSError:
            pass
    assert b"<html" in page, page
finally:
    server.terminate()
    server.wait()""",
}


def main() -> None:
    """Install and use the extras that are named, or all."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    is_together = "--together" in sys.argv
    names = [argument for argument in sys.argv[1:] if argument != "--together"]
    extras = names or [extra for extra in project["optional-dependencies"] if extra not in NOT_FOR_USERS]
    if unknown := [extra for extra in extras if extra not in USES]:
        raise SystemExit(f"no program uses {', '.join(unknown)}: choose from {', '.join(USES)}, or add one to USES")
    with tempfile.TemporaryDirectory() as temporary:
        run(sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", temporary, str(ROOT))
        [wheel] = Path(temporary).glob("outplay-*.whl")
        groups = [] if is_together else [[extra] for extra in extras]
        for group in [*groups, extras] if is_together or len(extras) > 1 else groups:
            with tempfile.TemporaryDirectory() as folder:
                environment = Path(folder) / "environment"
                venv.create(environment, with_pip=False)
                python = str(environment / ("Scripts" if os.name == "nt" else "bin") / "python")
                run(
                    sys.executable,
                    *PIP,
                    "--python",
                    python,
                    "install",
                    "--no-compile",
                    f"{wheel}[{','.join(group)}]",
                )
                for extra in group:
                    run(python, "-c", USES[extra], cwd=Path(folder))
                print(f"installed and used: {', '.join(group)}", flush=True)


if __name__ == "__main__":
    main()
