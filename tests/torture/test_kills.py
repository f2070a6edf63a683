"""Commands that are killed at random moments: what they had saved is there, and nothing piles up."""

import json
import random
import subprocess
import sys

import pytest

from outplay import Book
from outplay.equilibrium import CFR
from outplay.games import KuhnPoker, TicTacToe
from torture import SCALE, SEED

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs os.fork")

KILLS = int(200 * SCALE)
FEW = 4

NURSERY = """
# Reads how long to wait, and commands; starts these with all imported, kills them after that time, and says that.
import json, os, sys, time
import outplay.system.files
from outplay.engine.book import Book
from outplay.cli.main import main
from outplay.equilibrium.solver import EquilibriumSolver

outplay.system.files.SAVE_EVERY = 0.02

def noting(save, size):
    def saved(self, path, **options):
        save(self, path, **options)
        if number >= 0:
            with open(f"noted{number}", "a") as file:
                file.write(f"{size(self)}\\n")
    return saved

number = -1
EquilibriumSolver.save = noting(EquilibriumSolver.save, lambda solver: solver.iterations)
Book.save = noting(Book.save, len)

def run(command):
    sys.argv = ["outplay", *command]
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        main()
    except SystemExit as end:
        return end.code

shown = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    seconds, commands = json.loads(line)
    if seconds is None:
        print([run(command) for command in commands], file=shown, flush=True)
        continue
    children = []
    for number, command in enumerate(commands):
        child = os.fork()
        if child == 0:
            os._exit(run(command) or 0)
        children.append(child)
    number = -1
    time.sleep(seconds)
    for child in children:
        os.kill(child, 9)
        os.waitpid(child, 0)
    print("killed", file=shown, flush=True)
"""


@pytest.fixture
def nursery(tmp_path):
    """Run commands in `tmp_path`: to their end where `seconds` is None, else for so long."""
    with subprocess.Popen(
        [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as running:

        def run(seconds, *commands):
            running.stdin.write(json.dumps([seconds, commands]) + "\n")
            running.stdin.flush()
            return running.stdout.readline().strip()

        yield run
        running.stdin.close()


def noted(folder):
    """The greatest of the sizes that processes noted after they had saved."""
    return max((int(line) for path in folder.glob("noted*") for line in path.read_text().split()), default=0)


def kill(nursery, folder, file, command, size, times):
    """Kill one or two processes that write one file, again and again; how many kills came after a save."""
    chance = random.Random(f"{SEED} {file}")
    command = [*command[:2], file, *command[2:]] if command[0] == "book" else [*command, "--state", file]
    short = [("600" if word == "SECONDS" else word) for word in command]
    leftovers = {f".{file}.{ending}" for ending in ("lock", "tmp", "used")}
    greatest, saved = 0, 0
    for number in range(times):
        seconds, processes = chance.choice([0.05, 0.3, 1]) * chance.random(), chance.choice([1, 2])
        assert nursery(seconds, *[short] * processes) == "killed"
        told = f"seed {SEED}, kill {number} after {seconds:.3f} s: outplay {' '.join(short)}, {processes} processes"
        names = {path.name for path in folder.iterdir() if not path.name.startswith("noted")}
        assert names <= {file, *leftovers}, told
        now = size(folder / file) if file in names else 0
        assert now >= max(greatest, noted(folder)), told
        saved += now > greatest
        greatest = now
    for path in folder.glob("noted*"):
        path.unlink()
    return saved


def kill_solvers(nursery, folder, times):
    command = ["equilibrium", "kuhn-poker", "--algorithm", "discounted", "--seconds", "SECONDS"]
    nursery(None, ["equilibrium", "kuhn-poker", "--algorithm", "discounted", "--iterations", "10"])
    saved = kill(
        nursery,
        folder,
        "state.npz",
        command,
        lambda path: CFR(KuhnPoker()).load(path).iterations,
        times,
    )
    assert nursery(None, [*command[:-2], "--iterations", "1", "--state", "state.npz"]) == "[0]"
    assert [path.name for path in folder.iterdir()] == ["state.npz"]
    return saved


def kill_books(nursery, folder, times):
    nursery(None, ["book", "tic-tac-toe", "warm.book", "--plies", "0"])
    (folder / "warm.book").unlink()
    saved = kill(
        nursery,
        folder,
        "ttt.book",
        ["book", "tic-tac-toe", "--plies", "6"],
        lambda path: len(Book.load(path, TicTacToe())),
        times,
    )
    assert nursery(None, ["book", "tic-tac-toe", "ttt.book", "--plies", "0"]) in ("[0]", "[None]")
    assert [path.name for path in folder.iterdir()] == ["ttt.book"]
    return saved


@pytest.mark.nightly
def test_a_few_kills_of_solvers(nursery, tmp_path):
    kill_solvers(nursery, tmp_path, FEW)


@pytest.mark.nightly
def test_a_few_kills_of_books(nursery, tmp_path):
    kill_books(nursery, tmp_path, FEW)


@pytest.mark.nightly
def test_kills_of_solvers(nursery, tmp_path):
    assert kill_solvers(nursery, tmp_path, KILLS // 2) > KILLS // 20


@pytest.mark.nightly
def test_kills_of_books(nursery, tmp_path):
    assert kill_books(nursery, tmp_path, KILLS // 2) > 1  # until all is known
