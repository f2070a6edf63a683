"""Proofs of exact values, which anyone can check with the rules alone."""

from outplay.proofs.checking import Verdict
from outplay.proofs.proof import Proof

__all__ = ["Proof", "Verdict"]
