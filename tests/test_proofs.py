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
    code = f"import sys; sys.modules['numba'] = None\nfrom outplay.proofs import Proof\nassert not Proof.load({str(path)!r}).verify().fault"
    subprocess.run([sys.executable, "-c", code], check=True)
