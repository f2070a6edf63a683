"""Files that were damaged by chance: each loads to the same content, or is one clear error that names the file.

Formats that people write by hand have no checksum; there a damaged file may say something else, but nothing worse.
"""

import contextlib
import random
import signal
import sys
import warnings

import numpy as np
import pytest
from evaluation.test_patterns import small_evaluation
from typer.testing import CliRunner

from outplay import AlphaBeta, Book, LearnedEvaluation
from outplay.arena import Terms, play_game, read_records, write_records
from outplay.cli.commands import app
from outplay.engine.book import positions
from outplay.equilibrium import CFR, MatrixGame, Strategy, TreelessMCCFR
from outplay.equilibrium.efg import load_efg, save_efg
from outplay.equilibrium.river import RiverSolver
from outplay.equilibrium.river_strategy import RiverStrategy
from outplay.evaluation.linear import LinearEvaluation
from outplay.evaluation.outcome import OutcomeEvaluation
from outplay.games import (
    Backgammon,
    Chess,
    EnglishDraughts,
    ExplicitTree,
    Go,
    KuhnPoker,
    Othello,
    RiverPoker,
    TicTacToe,
)
from outplay.protocols import engine_for
from outplay.rules.errors import OutplayError
from outplay.session.players import RandomPlayer
from outplay.system.files import read_text
from torture import SCALE, SEED

FILES = int(3000 * SCALE)
FEW = 60
MEMORY = 2**30
"""Bytes that loading a file may take beyond those that the process has."""
KUHN, RIVER = KuhnPoker(), RiverPoker("2c2d2h2s7c", bets=(1,), most_raises=1, ranges=("AKs, 65s", "QJs"))


def content_of(solver):
    return [(name, array.tobytes()) for name, array in solver.arrays.items()], solver.iterations, repr(solver.curve)


def strategy(path):
    found = Strategy.load(path, KUHN)
    return [getattr(found, name).tobytes() for name in ("key", "owner", "first", "action", "probability")]


def solved(solver):
    solver.solve(iterations=20)
    return solver


def kuhn():
    return CFR(KUHN).solve(iterations=20).strategy


def river():
    return RiverSolver(RIVER).solve(iterations=20).strategy


def book():
    states = [state for ply in positions(TicTacToe(), 2)[1:] for state in ply]
    return Book(TicTacToe(), AlphaBeta(TicTacToe()).search_many(states))


def loaded_sgf(path):
    engine = engine_for(Go(5), AlphaBeta, None)
    answer = engine.answer(f"loadsgf {path}")
    if answer.startswith("?"):
        raise OutplayError(answer)


def save(content):
    return lambda path: path.write_text(content)


TREE = '[[3, 12], {"player": "chance", "children": [-5, 5], "names": ["tails", "heads"], "probabilities": [0.5, 0.5]}]'
PGN = """[White "Ann"]

1. e4 {+0.35/8 0.12s} e5 $1 (1... c5 {Sicilian} 2. Nf3) 2. Nf3 {[%eval 0.2,20]} Nc6 {-M4/9 1s} 1/2-1/2
"""
SGF = "(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[];B[cd](;W[dd];B[aa])(;W[bb]))"


def random_record(game):
    """What writes the record of a random game."""
    players, terms = [RandomPlayer(), RandomPlayer()], Terms(max_plies=30)
    return lambda path: write_records(path, [(game, play_game(game, players, ["Ann", "Bob"], terms=terms, seed=1))])


CHECKED = {
    "strategy.json": (lambda path: kuhn().save(path), strategy),
    "strategy.npz": (lambda path: kuhn().save(path), strategy),
    "state.npz": (lambda path: solved(CFR(KUHN)).save(path), lambda path: content_of(CFR(KUHN).load(path))),
    "treeless.npz": (
        lambda path: solved(TreelessMCCFR(KUHN, memory_mb=0.1)).save(path),
        lambda path: content_of(TreelessMCCFR(KUHN, memory_mb=0.1).load(path)),
    ),
    "river.json": (
        lambda path: river().save(path),
        lambda path: RiverStrategy.load(path, RIVER).behaviour.tobytes(),
    ),
    "fill.learned": (lambda path: small_evaluation().save(path), lambda path: LearnedEvaluation.load(path).as_bytes()),
    "ttt.book": (lambda path: book().save(path), lambda path: sorted(Book.load(path, TicTacToe()).items())),
}
"""By the name of the file: how it is made, and what is in it. These have a checksum."""
WRITTEN = {
    "game.efg": (lambda path: save_efg(KUHN, path), load_efg),
    "game.nfg": (lambda path: MatrixGame([[1, -1], [0.5, 2e3]]).save(path), MatrixGame.load),
    "weights": (save("men 1.5  # a comment\nkings 3\nhalf 4\n"), LinearEvaluation.load),
    "outcomes": (
        save("3: 72 of +1, 20 of -1  # 78 %\n-7: 1 of +0.5\n"),
        lambda path: OutcomeEvaluation.load(path, len),
    ),
    "tree.json": (save(TREE), ExplicitTree.load),
    "game.sgf": (save(SGF), loaded_sgf),
    "games.pgn": (save(PGN), lambda path: list(read_records(path))),
    "games.sgf": (save(SGF), lambda path: list(read_records(path))),
    "games.pdn": (random_record(EnglishDraughts()), lambda path: list(read_records(path))),
    "games.ggf": (random_record(Othello(6)), lambda path: list(read_records(path))),
    "games.mat": (random_record(Backgammon(True)), lambda path: list(read_records(path))),
    "games.jsonl": (random_record(TicTacToe()), lambda path: list(read_records(path))),
    "position.fen": (
        save("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"),
        lambda path: Chess().parse_state(read_text(path)),
    ),
}
"""The same of files that people write."""


FORMATS = CHECKED | WRITTEN


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """The content of a whole file of each format."""
    folder = tmp_path_factory.mktemp("originals")
    for name, (make, _) in FORMATS.items():
        make(folder / name)
    return {name: (folder / name).read_bytes() for name in FORMATS}


WAYS = ["bit", "bits", "cut", "tail", "zero", "splice", "delete", "repeat", "noise", "other", "empty", "swap"]
WAYS += ["digits", "line", "letter"]


def damaged(name, originals, chance):
    """Another content than the original one, and how it was made."""
    data = originals[name]
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    at = chance.randrange(len(data))
    few = slice(at, at + chance.choice([1, 2, 4, 16, 64, 512]))
    how = chance.choice(WAYS)
    wrong = bytearray(data)
    if how == "bit":
        wrong[at] ^= 1 << chance.randrange(8)
    elif how == "bits":
        for _ in range(chance.randint(2, 40)):
            wrong[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    elif how == "cut":
        del wrong[at:]
    elif how == "tail":
        wrong += chance.choice([b"\n", b" ", b"\0" * 100, data, chance.randbytes(50)])
    elif how == "zero":
        wrong[few] = bytes(len(wrong[few]))
    elif how == "splice":
        other = originals[chance.choice(list(originals))]
        wrong[start:] = other[chance.randrange(len(other)) :]
    elif how == "delete":
        del wrong[few]
    elif how == "repeat":
        wrong[at:at] = data[start:end]
    elif how == "noise":
        wrong[few] = chance.randbytes(len(wrong[few]))
    elif how == "other":
        wrong = bytearray(originals[chance.choice(list(originals))])
    elif how == "empty":
        wrong = bytearray(chance.choice([b"", b"\n", b"\0" * 1000, b"{}", b"[]", b"null", b"[" * 100_000, b"PK\5\6"]))
    elif how == "swap":
        wrong[start:end], wrong[end:] = data[end:], data[start:end]
    elif how == "digits":
        huge = chance.choice([b"9" * 18, b"9" * 5000, b"1e999999999", b"-1", b"nan", b"1e-999999999", b"0", b"1/0"])
        wrong[at : at + chance.randint(0, 3)] = huge
    elif how == "line":
        lines = data.splitlines(keepends=True)
        moved = lines.pop(chance.randrange(len(lines)))
        for _ in range(chance.randrange(3)):
            lines.insert(chance.randrange(len(lines) + 1), moved)
        wrong = bytearray(b"".join(lines))
    elif how == "letter":
        wrong[at] = chance.choice(b'0123456789eE+-./,:;{}[]()"\\ \n')
    return bytes(wrong), how


@contextlib.contextmanager
def guarded():
    """No more than MEMORY, and no more than two minutes."""
    if sys.platform != "linux":
        yield
        return
    import resource

    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("loading does not end"))
    signal.alarm(120)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.alarm(0)
        signal.signal(signal.SIGALRM, handler)


def torture(name, originals, path, times):
    """Load so many damaged files; how many of them were errors."""
    load, errors = FORMATS[name][1], 0
    path.write_bytes(originals[name])
    expected = load(path)
    for number in range(times):
        seed = f"{SEED} {name} {number}"
        wrong, how = damaged(name, originals, random.Random(seed))
        path.write_bytes(wrong)
        told = f"damaged file {seed!r} ({how}), kept as {path}"
        try:
            with guarded(), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                found = load(path)
        except OutplayError as error:
            errors += 1
            is_clear = path.name in str(error) and len(str(error)) < 10_000
            if not (is_clear or name == "position.fen"):  # which is given as text
                raise AssertionError(f"{told}: a long or unclear error: {error}") from error
        except BaseException as error:
            raise AssertionError(f"{told}: {error!r}") from error
        else:
            assert name in WRITTEN or found == expected, told
    return errors


@pytest.mark.parametrize("name", FORMATS)
def test_a_few_damaged_files(name, originals, tmp_path):
    assert torture(name, originals, tmp_path / name, FEW) > FEW / 4


@pytest.mark.nightly
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files(name, originals, tmp_path):
    assert torture(name, originals, tmp_path / name, FILES) > FILES / 4


COMMANDS = {
    "strategy.json": ("equilibrium", "kuhn-poker", "--load", "FILE", "--lines", "1"),
    "strategy.npz": ("equilibrium", "kuhn-poker", "--load", "FILE", "--lines", "1"),
    "state.npz": ("equilibrium", "kuhn-poker", "--algorithm", "discounted", "--iterations", "1", "--state", "FILE"),
    "ttt.book": ("book", "tic-tac-toe", "FILE", "--plies", "0"),
    "game.efg": ("equilibrium", "FILE", "--iterations", "1"),
}


def command(name, originals, path, times):
    """The same by the command: exit code 2 and one message, or an answer."""
    for number in range(times):
        seed = f"{SEED} {name} {number}"
        wrong, how = damaged(name, originals, random.Random(seed))
        path.write_bytes(wrong)
        arguments = [str(path) if argument == "FILE" else argument for argument in COMMANDS[name]]
        told = f"damaged file {seed!r} ({how}), kept as {path}: outplay {' '.join(arguments)}"
        result = CliRunner().invoke(app, arguments)
        assert isinstance(result.exception, SystemExit | None), told
        assert result.exit_code in (0, 2), f"{told}: {result.output}"
        assert "Traceback" not in result.output, told
        assert "a mistake in outplay" not in result.output, f"{told}: {result.output}"
        if result.exit_code == 2:
            assert result.stdout == "", told
            assert name in WRITTEN or path.name in result.stderr, f"{told}: {result.stderr}"
            assert path.read_bytes() == wrong, f"{told}: it was overwritten"


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_with_a_few_damaged_files(name, originals, tmp_path):
    command(name, originals, tmp_path / name, FEW // 20)


@pytest.mark.nightly
@pytest.mark.parametrize("name", COMMANDS)
def test_commands_with_damaged_files(name, originals, tmp_path):
    command(name, originals, tmp_path / name, FILES // 20)
