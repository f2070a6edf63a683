"""Proofs: made, checked without Numba, and refused if anything in them is changed."""

import subprocess
import sys
import zlib

import pytest

from outplay.games import Nim, TicTacToe
from outplay.proofs import Proof
from outplay.rules.errors import OutplayError


@pytest.mark.parametrize("game", [TicTacToe(), Nim((1, 2, 3))])
def test_a_proof_holds_and_a_changed_one_does_not(game, tmp_path):
    proof = Proof.make(game)
    proof.save(tmp_path / "a.proof")
    loaded = Proof.load(tmp_path / "a.proof")
    assert loaded.verify() == (proof.states, "", None)
    loaded.value += 0.5
    assert loaded.verify().fault
    numbers = zlib.decompress(proof._content)
    proof._content = zlib.compress(numbers[:-2])
    assert proof.verify().fault


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "a.proof"
    Proof.make(Nim((1, 2))).save(path)
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        with pytest.raises(OutplayError):
            Proof.load(path)


def test_a_check_needs_no_numba(tmp_path):
    path = tmp_path / "a.proof"
    Proof.make(TicTacToe()).save(path)
    check = f"assert not Proof.load({str(path)!r}).verify().fault"
    code = f"import sys; sys.modules['numba'] = None\nfrom outplay.proofs import Proof\n{check}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_command_verifies(tmp_path):
    path = tmp_path / "a.proof"
    Proof.make(TicTacToe()).save(path)
    run = [sys.executable, "-m", "outplay", "verify", str(path)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("proved: TicTacToe()")
    path.write_bytes(path.read_bytes()[:-1])
    assert subprocess.run(run, capture_output=True, check=False).returncode == 2
