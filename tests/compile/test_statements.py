"""Random functions full of statements, patterns, texts, records and loops: both speeds are equal."""

import pytest
from programs.random_programs import TOGETHER, try_programs
from programs.statement_programs import HEAD, REFUSED, Writer

pytestmark = pytest.mark.compiled


def test_random_programs_are_equal_at_both_speeds(tmp_path):
    reasons, equal = try_programs(Writer, HEAD, "statements", 1, TOGETHER // 2, tmp_path)
    assert equal > TOGETHER
    assert len(reasons) <= TOGETHER // 4


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_random_programs_are_equal_at_both_speeds(seed, tmp_path):
    reasons, equal = try_programs(Writer, HEAD, "statements", seed, 2 * TOGETHER, tmp_path, bool(seed % 2))
    others = [reason for program, reason in reasons if not any(text in program for text in REFUSED)]
    assert len(others) <= TOGETHER // 4, others  # how many programs hold one of `REFUSED` is chance
    assert equal > TOGETHER
