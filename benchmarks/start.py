"""Cold and warm start: the time of whole processes, from `python` to the answer.

Cold is the first analysis, without compiled code on disk. Warm is the same in a later process, which loads it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.common import INSTALL, ROOT, Bar, Plan, Row, compare, measure, same
from benchmarks.peers import OpenSpiel

MOVES = (2, 5, 6, 6, 4, 5, 6, 1, 7)
"""Columns played, from 1: the player to move wins in 7."""
DEPTH = 8
ANALYSIS = f"""
from outplay import AlphaBeta, Limit
from outplay.games import ConnectFour
game = ConnectFour()
state = game.initial_state()
for column in {MOVES}:
    state = game.result(state, column - 1)
print(AlphaBeta(game).search(state, limit=Limit(depth={DEPTH})).value)
"""
THEIR_ANALYSIS = f"""
import pyspiel
from open_spiel.python.algorithms.minimax import alpha_beta_search
game = pyspiel.load_game("connect_four")
state = game.new_initial_state()
for column in {MOVES}:
    state.apply_action(column - 1)
print(alpha_beta_search(game, state, maximum_depth={DEPTH}, value_function=lambda state: 0.0)[0])
"""
CHESS_ANALYSIS = """
from outplay import AlphaBeta, Limit
from outplay.games import Chess
print(AlphaBeta(Chess()).search(limit=Limit(depth=4)).depth)
"""
COMMAND = ("analyse", "connect-four", "--seconds", "0.1")
IMPORT = "import time; start = time.perf_counter(); import {0}; print(time.perf_counter() - start)"
COLD, WARM = ("cold", Bar("figure", "<", 3)), ("warm", Bar("figure", "<", 1))
COLD_CHESS = ("cold", Bar("figure", "<", 10))


def rows(plan: Plan) -> Iterator[Row]:
    """An analysis, from Python and from the command line, cold and warm; one of chess; and only the import."""
    with tempfile.TemporaryDirectory(prefix="outplay-benchmark-") as name:
        folder = Path(name)
        for start, bar in COLD, WARM:
            yield compare(
                plan, Row(what=f"process: alpha-beta on Connect Four to depth {DEPTH}, {start}", bars=(bar,)),
                lambda cold=start == "cold": float(run(folder, "-c", ANALYSIS, cold=cold)),  # type: ignore[misc]
                OpenSpiel, lambda _: float(run(folder, "-c", THEIR_ANALYSIS)),
                lambda ours, theirs: same(ours, theirs, f"value {ours:+g}"),
            )  # fmt: skip
        for start, bar in COLD, WARM:
            row = Row(what=f"process: outplay {' '.join(COMMAND)}, {start}", bars=(bar,))
            yield measure(plan, row, lambda cold=start == "cold": command(folder, cold))[0]  # type: ignore[misc]
        for start, bar in COLD_CHESS, WARM:
            row = Row(what=f"process: alpha-beta on chess to depth 4, {start}", bars=(bar,))
            yield measure(plan, row, lambda cold=start == "cold": run(folder, "-c", CHESS_ANALYSIS, cold=cold))[0]  # type: ignore[misc]
        yield importing(folder)


def importing(folder: Path) -> Row:
    """The seconds that the import takes in a new process, best of five; for a peer too."""

    def seconds(module: str) -> float:
        return min(float(run(folder, "-c", IMPORT.format(module))) for _ in range(5))

    row = Row(what="import outplay", ours=seconds("outplay"), bars=(Bar("figure", "<", 0.15),), peer=OpenSpiel.name)
    try:
        OpenSpiel()
    except ImportError:
        return replace(row, note=INSTALL)
    return replace(row, peer=OpenSpiel.label(), theirs=seconds("pyspiel"), note="best of 5; theirs: import pyspiel")


def command(folder: Path, cold: bool) -> str:
    """The output of the `outplay` command."""
    return run(folder, "-c", "from outplay.cli.main import run; run()", *COMMAND, cold=cold)


def run(folder: Path, *arguments: str, cold: bool = False) -> str:
    """The output of a new Python process; `folder` is outplay's cache, emptied first for a cold start."""
    if cold:
        for entry in folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    environment = {**os.environ, "OUTPLAY_CACHE": str(folder)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # Python keeps its own bytecode between processes
    process = [sys.executable, *arguments]
    return subprocess.run(process, env=environment, cwd=ROOT, check=True, capture_output=True, text=True).stdout
